"""Renyi-DP of Gaussian sketches: exact divergences of neighbours in one and two dimensions, and the published bound."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dpdescent.privacy import sketching, zcdp
from dpdescent.privacy.account import account
from dpdescent.privacy.events import DisjointReleases, GaussianReleases, Mechanism, Relation, SketchReleases

SKETCHES = SketchReleases("covariates", 2.0, 2.0 * math.sqrt(90.0), 40, 1e-9, 3)
BESIDE = GaussianReleases("X'r", 1.0, 12.0, 3)


def mechanism(*releases, relation: Relation = "replace-one", sampler="full batch") -> Mechanism:
    return Mechanism("M", releases, relation, sampler, math.inf, "proved", "because")


def exact(order: float, first: np.ndarray, second: np.ndarray) -> float:
    """Renyi divergence of N(0, first) from N(0, second), by determinants; infinite where the integral is."""
    mixed = order * np.linalg.inv(first) + (1.0 - order) * np.linalg.inv(second)
    if np.linalg.eigvalsh(mixed)[0] <= 0.0:
        return math.inf
    logs = [np.linalg.slogdet(each)[1] for each in (first, second, mixed)]
    return float((-order * logs[0] + (order - 1.0) * logs[1] - logs[2]) / (2.0 * (order - 1.0)))


def integrated(order: float, first: np.ndarray, second: np.ndarray) -> float:
    """The same as a sum over a grid."""
    p = len(first)
    axis = np.linspace(-1.0, 1.0, 4001 if p == 1 else 601)
    half = 14.0 * math.sqrt(max(np.linalg.eigvalsh(first)[-1], np.linalg.eigvalsh(second)[-1]))
    points = half * np.stack(np.meshgrid(*[axis] * p, indexing="ij"), -1).reshape(-1, p)
    log = [
        -0.5 * np.einsum("ij,jk,ik->i", points, np.linalg.inv(S), points) - 0.5 * np.linalg.slogdet(2 * math.pi * S)[1]
        for S in (first, second)
    ]
    cell = (half * (axis[1] - axis[0])) ** p
    return float(np.log(np.sum(np.exp(order * log[0] + (1.0 - order) * log[1])) * cell) / (order - 1.0))


def bound(order: float, ratio: float, relation: Relation) -> float:
    return float(sketching.row_divergence(np.array([order]), ratio, relation)[0])


@pytest.mark.parametrize("p", [1, 2])
def test_determinants_are_the_integral(p: int) -> None:
    first, second = (4.0 * np.eye(p) + np.diag([0.9, 0.1][:p]), 4.0 * np.eye(p) + 0.3 * np.ones((p, p)))
    for order in (1.5, 3.0):
        assert integrated(order, first, second) == pytest.approx(exact(order, first, second), rel=1e-5)


def neighbours(rng: np.random.Generator, p: int, ratio: float, relation: Relation) -> tuple[np.ndarray, np.ndarray]:
    """Covariances of a row on neighbours, records no longer than 1, of which the first has eigenvalues of `ratio`."""
    x, z = (v / np.linalg.norm(v) * rng.uniform() ** 0.2 for v in rng.standard_normal((2, p)))
    rest = rng.standard_normal((p, p))
    spread = rest @ rest.T * 10.0 ** rng.uniform(-4, 2)
    removed = np.outer(x, x) if relation == "replace-one" or rng.uniform() < 0.5 else np.zeros((p, p))
    added = np.outer(z, z) if relation == "replace-one" or not removed.any() else np.zeros((p, p))
    first = spread + removed
    # As little noise as the bound asks for.
    first += max(0.0, ratio - np.linalg.eigvalsh(first)[0]) * np.eye(p)
    return first, first - removed + added


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize("p", [1, 2])
def test_no_neighbours_have_a_larger_divergence(relation: Relation, p: int) -> None:
    rng, most = np.random.default_rng(4), 0.0
    for _ in range(3000):
        ratio = 1.0 + 10.0 ** rng.uniform(-1, 2)
        order = 1.0 + (ratio - 1.0) * rng.uniform(0.02, 0.98)
        first, second = neighbours(rng, p, ratio, relation)
        found, limit = exact(order, first, second), bound(order, ratio, relation)
        assert found <= limit * (1 + 1e-6) + 1e-12
        most = max(most, found / limit)
    # In one dimension records lie on one axis, where a replacement moves less than two axes would.
    assert most > 0.4


@pytest.mark.parametrize("order", [1.01, 2.0, 7.9])
def test_the_divergence_is_attained(order: float) -> None:
    """A replaced record turns from one axis to the other; a removed one lay along an axis."""
    level, one, other = 8.0 * np.eye(2), np.diag([1.0, 0.0]), np.diag([0.0, 1.0])
    assert exact(order, level, level - one + other) == pytest.approx(bound(order, 8.0, "replace-one"), rel=1e-8)
    assert exact(order, level, level - one) == pytest.approx(bound(order, 8.0, "add-remove"), rel=1e-8)
    assert bound(order, 8.0, "replace-one") > bound(order, 8.0, "add-remove") > 0.0
    assert bound(8.0, 8.0, "add-remove") == math.inf


@pytest.mark.parametrize("k", [1, 111])
@pytest.mark.parametrize("ratio", [2.51, 4.0, 30.0, 1e4])
def test_the_published_bound_of_concentrated_privacy_holds(k: int, ratio: float) -> None:
    """Lev et al. 2025, Cor. 1: for g > 5 / 2 a sketch of k rows is (k / (2 g^2), 2 g / 5)-tCDP, a record being removed.

    Criterion, written before a run: all divergences of orders up to 2 g / 5 are below `k a / (2 g^2)`, and at g = 2.4
    and one order below g, where they claim nothing, one is above it.
    """
    orders = 1.0 + np.linspace(0.0, max(0.4 * ratio - 1.0, 0.0), 400)[1:]
    found = k * sketching.row_divergence(orders, ratio, "add-remove")
    assert np.all(found <= k * orders / (2.0 * ratio**2))
    beyond = sketching.row_divergence(np.array([0.999 * 2.4]), 2.4, "add-remove")
    assert beyond[0] > 0.999 * 2.4 / (2.0 * 2.4**2)


def test_to_first_order_a_row_costs_as_much_as_gaussian_noise() -> None:
    for relation, rho in (("replace-one", 0.5e-10), ("add-remove", 0.25e-10)):
        assert bound(2.0, 1e5, relation) == pytest.approx(2.0 * rho, rel=1e-3)  # type: ignore[arg-type]


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_epsilon_is_the_least_over_all_orders(relation: Relation) -> None:
    delta = 1e-6
    orders = 1.0 + np.exp(np.linspace(math.log(1e-4), math.log(89.0), 400_000))
    spent = BESIDE.rho * orders + 3 * 40 * sketching.row_divergence(orders, 90.0, relation)
    bounds = spent + np.log(1.0 - 1.0 / orders) - np.log((delta - 1e-9) * orders) / (orders - 1.0)
    assert account(mechanism(SKETCHES, BESIDE, relation=relation), delta).epsilon == pytest.approx(
        bounds.min(), rel=1e-9
    )


def test_gaussian_releases_alone_have_the_epsilon_of_renyi() -> None:
    for rho in (1e-4, 0.03, 5.0):
        release = GaussianReleases("sum", 1.0, math.sqrt(0.5 / rho), 1)
        assert sketching.epsilon(mechanism(release), 1e-6) == pytest.approx(zcdp.renyi_epsilon(rho, 1e-6), rel=1e-9)


def test_what_hides_too_little_has_no_epsilon() -> None:
    for short in (
        replace(SKETCHES, noise_sd=2.0), replace(SKETCHES, noise_sd=0.0), replace(SKETCHES, miss=1e-6),
    ):  # fmt: skip
        assert account(mechanism(short), 1e-6).epsilon == math.inf
    assert account(mechanism(SKETCHES, replace(BESIDE, noise_sd=0.0)), 1e-6).epsilon == math.inf
    assert account(mechanism(replace(SKETCHES, sensitivity=0.0)), 1e-6).epsilon == 0.0
    assert account(mechanism(replace(SKETCHES, count=0)), 1e-6).epsilon == 0.0


def test_narrow_numbers_cost_as_much_as_others() -> None:
    """The square of 300 overflows in half precision, where noise would be infinite, and 100 times 100 in 8 bits."""
    wide, half, few = replace(SKETCHES, sensitivity=1.0, noise_sd=300.0, miss=0.0), np.float16, np.int8
    narrow = replace(wide, sensitivity=half(1.0), noise_sd=half(300.0))
    assert account(mechanism(narrow), 1e-6).epsilon == account(mechanism(wide), 1e-6).epsilon > 0.0
    many = replace(SKETCHES, rows=100, count=100)
    counted = replace(SKETCHES, rows=few(100), count=few(100))
    assert account(mechanism(counted), 1e-6).epsilon == account(mechanism(many), 1e-6).epsilon


def test_a_miss_costs_delta() -> None:
    event, missing = mechanism(SKETCHES), mechanism(replace(SKETCHES, miss=5e-7))
    assert account(missing, 1e-6).epsilon == account(mechanism(replace(SKETCHES, miss=0.0)), 5e-7).epsilon
    assert account(missing, 1e-6).epsilon > account(event, 1e-6).epsilon


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"rows": 1.5}, "rows=1.5 must be a whole number"), ({"miss": 1.0}, r"miss=1.0 must lie in \[0, 1\)"),
        ({"miss": -0.1}, r"miss=-0.1 must lie in \[0, 1\)"), ({"count": -1}, "count must not be negative"),
        ({"sensitivity": -1.0}, "sensitivity must not be negative"),
        ({"rows": -2}, "rows must not be negative"),
    ],
)  # fmt: skip
def test_a_sketch_out_of_its_range_is_named(given, words) -> None:
    with pytest.raises(ValueError, match=words):
        account(mechanism(replace(SKETCHES, **given)), 1e-6)


def test_sketches_stand_with_gaussian_releases_on_all_records() -> None:
    parts = DisjointReleases(((BESIDE,), (BESIDE,)))
    for releases, sampler in (((SKETCHES,), "single pass"), ((SKETCHES, parts), "full batch")):
        with pytest.raises(ValueError, match="sketches stand with Gaussian releases alone"):
            mechanism(*releases, sampler=sampler)
    event = mechanism(SKETCHES, BESIDE)
    assert event.is_sketched
    with pytest.raises(ValueError, match="'covariates' are sketched and have no rho"):
        _ = event.rho
    with pytest.raises(ValueError, match="random sums of all records, which dp-accounting has no event for"):
        event.to_dp_event()


def test_two_runs_add_their_epsilons() -> None:
    event, plain = mechanism(SKETCHES), mechanism(BESIDE)
    both = account([event, plain], 2e-6)
    assert both.rho is None
    assert both.epsilon == account(event, 1e-6).epsilon + account(plain, 1e-6).epsilon
