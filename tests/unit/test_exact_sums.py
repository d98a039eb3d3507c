"""Exact noisy sums: neighbours on small grids, one by one; what is rounded away; records that are none."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpdescent import exact_grid, exact_sums
from dpdescent.noise import discrete_gaussian

Array = np.ndarray
Made = tuple[list[int], list[int], int]


def made(monkeypatch: pytest.MonkeyPatch, function: Callable[..., Any], *given: Any) -> Made:
    """What a sum lets out but for its noise: integers, sds of their noise, and the exponent of the unit."""
    found: list[Made] = []

    def told(totals: list[int], sds: list[int], exponent: int) -> Array:
        assert all(type(each) is int for each in [*totals, *sds])
        found.append((totals, sds, exponent))
        return np.zeros(len(totals))

    with monkeypatch.context() as context:
        context.setattr(exact_grid, "with_noise", told)
        function(*given)
    return found[0]


def coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes grids so coarse that all records on them, and between, can be tried."""
    monkeypatch.setattr(exact_grid, "MOVED", 1)
    monkeypatch.setattr(exact_grid, "FINE", 1)


BOUND = 1.7
STRANGE = [math.nan, math.inf, -math.inf, 1e300, -BOUND * (1.0 + 1e-9)]
SUMS = {
    "noisy_sum": (exact_sums.noisy_sum, lambda p: 2.0 * BOUND),
    "noisy_moment": (exact_sums.noisy_moment, lambda p: (math.sqrt(2.0) if p > 1 else 1.0) * BOUND**2),
    "noisy_squares": (exact_sums.noisy_squares, lambda p: BOUND**2),
}


@pytest.mark.parametrize("rho", [0.05, 4.0, 20.0])
@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("name", SUMS)
def test_no_neighbours_are_farther_apart_than_the_account_says(
    name: str, p: int, rho: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All pairs of records on a grid of floats that is finer than the integers', and of those that are none."""
    function, sensitivity = SUMS[name]
    coarse(monkeypatch)
    noise_sd = Fraction(sensitivity(p) / math.sqrt(2.0 * rho))
    fine = np.linspace(-BOUND, BOUND, 23 if p == 2 else 201)
    tried = [np.array(each) for each in itertools.product([*fine.tolist(), *STRANGE], repeat=p)]
    if p == 2:
        # On the bound itself, up to last bits, in all directions.
        angles = np.linspace(0.0, 2.0 * math.pi, 64, endpoint=False)
        tried += list(BOUND * np.column_stack([np.cos(angles), np.sin(angles)]))
    other = np.full((1, p), 0.5)
    found: dict[tuple[int, ...], None] = {}
    sds: list[int] = []
    for record in tried:
        totals, sds, _ = made(monkeypatch, function, np.vstack([record, other]), BOUND, noise_sd)
        found[tuple(totals)] = None
    assert len(found) > 1 or rho == 0.05
    costs = [
        sum(Fraction(a - b, sd) ** 2 for a, b, sd in zip(one, two, sds, strict=True)) / 2
        for one, two in itertools.combinations(found, 2)
    ]
    assert float(max(costs, default=Fraction(0))) <= rho


@pytest.mark.parametrize(
    ("name", "p"), [("noisy_sum", 2), ("noisy_moment", 1), ("noisy_moment", 2), ("noisy_squares", 2)]
)
def test_the_account_is_attained_on_a_fine_grid(name: str, p: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the bound above is no loose one: opposite, orthogonal, or absent records tell all that it says."""
    function, sensitivity = SUMS[name]
    rho = 0.5
    noise_sd = Fraction(sensitivity(p) / math.sqrt(2.0 * rho))
    first = np.vstack([np.eye(p)[:1] * BOUND, np.zeros((999, p))])
    # Of one column squares are all, and a record that is 0 is farthest.
    second = -first if name == "noisy_sum" else first[:, ::-1] if name == "noisy_moment" and p > 1 else 0.0 * first
    (one, sds, _), (two, again, _) = (made(monkeypatch, function, each, BOUND, noise_sd) for each in (first, second))
    assert sds == again
    cost = sum(((a - b) / sd) ** 2 for a, b, sd in zip(one, two, sds, strict=True)) / 2
    assert 0.9999 * rho < cost <= rho


@pytest.mark.parametrize("order", [1.5, 2.0, 8.0])
@pytest.mark.parametrize("sd", [1, 2, 3])
def test_discrete_noise_costs_what_continuous_noise_does(sd: int, order: float) -> None:
    """Renyi divergence between neighbours, by the law that the sampler's test asks for, is at most order times rho."""
    values = np.arange(-400, 401)
    law = np.exp(-(values**2) / (2.0 * sd**2))
    law /= law.sum()
    log_law = -(values**2) / (2.0 * sd**2)
    for shift in range(1, 13):
        moved = -((values - shift) ** 2) / (2.0 * sd**2)
        # Both have the same constant, because shifts are whole.
        terms = order * log_law + (1.0 - order) * moved
        total = np.log(np.exp(terms - terms.max()).sum()) + terms.max() - np.log(np.exp(log_law).sum())
        assert total / (order - 1.0) <= order * shift**2 / (2.0 * sd**2) * (1.0 + 1e-9)


def exactly(rows: Array, name: str) -> Array:
    """The sum of what is given, in fractions."""
    whole = [[Fraction(each) for each in row] for row in rows.tolist()]
    p = rows.shape[1]
    if name == "noisy_sum":
        return np.array([float(sum(row[j] for row in whole)) for j in range(p)])
    products = np.array([[float(sum(row[i] * row[j] for row in whole)) for j in range(p)] for i in range(p)])
    return np.trace(products) if name == "noisy_squares" else products


@pytest.mark.parametrize("n", [1, 7, 400])
@pytest.mark.parametrize("rho", [1e-6, 0.01, 30.0])
@pytest.mark.parametrize("name", SUMS)
def test_rounding_moves_a_sum_by_less_than_a_hundredth_of_its_noise(
    name: str, rho: float, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where all records are rounded one way as well, and with the same noise."""
    function, sensitivity = SUMS[name]
    p, rng = 3, np.random.default_rng(3)
    noise_sd = Fraction(sensitivity(p) / math.sqrt(2.0 * rho))
    drawn: list[Array] = []

    def draw(sds: list[int]) -> list[int]:
        noise = [round(1.5 * sd) if k % 2 else -sd for k, sd in enumerate(sds)]
        drawn.append(np.array([-1.0, 1.5] * p * p)[: len(sds)])
        return noise

    monkeypatch.setattr(discrete_gaussian, "draw", draw)
    scattered = rng.standard_normal((n, p))
    alike = np.full((n, p), BOUND / math.sqrt(p))
    for rows in (scattered * (BOUND / np.linalg.norm(scattered, axis=1))[:, None], alike * (1.0 - 1e-12), -alike / 3.0):
        found = function(rows, BOUND, noise_sd)
        sds, noise = float(noise_sd), drawn.pop()
        if name == "noisy_moment":
            below = np.tril_indices(p)
            sds = float(noise_sd) * np.where(np.eye(p) > 0, 1.0, math.sqrt(0.5))
            placed = np.zeros((p, p))
            placed[below] = noise
            noise = placed + np.tril(placed, -1).T
        elif name == "noisy_squares":
            noise = noise[0]
        assert np.abs((found - exactly(rows, name)) / sds - noise).max() < 0.01
        if name == "noisy_moment":
            assert np.array_equal(found, found.T)


@pytest.mark.parametrize("name", SUMS)
def test_so_does_rounding_of_many_records(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the number of records, and not the fineness of the noise, decides the spacing."""
    monkeypatch.setattr(exact_grid, "FINE", 1)
    function, sensitivity = SUMS[name]
    noise_sd = sensitivity(3) / math.sqrt(2.0 * 0.02)
    for n in (1, 30, 3000):
        rows = np.full((n, 3), BOUND / math.sqrt(3.0) * (1.0 - 1e-12))
        totals, _, exponent = made(monkeypatch, function, rows, BOUND, Fraction(noise_sd))
        exact = exactly(rows[:1], name) * n
        exact = exact[np.tril_indices(3)] if name == "noisy_moment" else exact
        assert np.abs(np.array([each * 2.0**exponent for each in totals]) - exact).max() < 0.01 * noise_sd


@pytest.mark.parametrize("name", SUMS)
def test_a_record_that_floats_clip_to_the_bound_is_not_lost(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though it is longer by its last bits, and lies on the grid."""
    rows = np.array([[3.0, 4.0]]) / 1024.0
    bound = math.nextafter(5.0 / 1024.0, 0.0)
    totals, _, exponent = made(
        monkeypatch, SUMS[name][0], rows, bound, Fraction(bound if name == "noisy_sum" else bound**2)
    )
    whole = exactly(rows, name)
    whole = whole[np.tril_indices(2)] if name == "noisy_moment" else np.ravel(whole)
    assert [each * 2.0**exponent for each in totals] == pytest.approx(whole, rel=1e-2)


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("strange", [*STRANGE, "long"])
def test_what_is_no_record_within_the_bound_counts_as_nothing(
    name: str, strange: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    function, _ = SUMS[name]
    rows = np.array([[0.5, -0.25], [1.0, 1.0]])
    # Each number of the long one is within the bound.
    odd = [1.3, 1.3] if strange == "long" else [0.1, strange]
    given = (np.vstack([rows, odd]), np.vstack([rows, [0.0, 0.0]]))
    one, two = (made(monkeypatch, function, each, BOUND, Fraction(1)) for each in given)
    assert one == two
    assert any(one[0])


def test_sums_are_exact_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """With so little room that blocks are of a few records, as those of Python's integers are."""
    rows = np.random.default_rng(2).uniform(-0.9, 0.9, (50, 2))
    whole = [
        made(monkeypatch, SUMS[name][0], rows, BOUND, Fraction(1, 7)) for name in ("noisy_moment", "noisy_squares")
    ]
    lengths: list[int] = []

    def blocks(units: Array, bound: float, exponent: int) -> Any:
        monkeypatch.setattr(exact_grid, "ROOM", 3 * exact_grid.largest_square(bound, exponent))
        for block in original(units, bound, exponent):
            lengths.append(len(block))
            yield block
        monkeypatch.setattr(exact_grid, "ROOM", room)

    original, room = exact_grid.blocks, exact_grid.ROOM
    monkeypatch.setattr(exact_grid, "blocks", blocks)
    assert whole == [
        made(monkeypatch, SUMS[name][0], rows, BOUND, Fraction(1, 7)) for name in ("noisy_moment", "noisy_squares")
    ]
    assert lengths == [3] * 16 + [2] + [3] * 16 + [2]


def test_sums_at_the_edge_of_64_bits_do_not_wrap(monkeypatch: pytest.MonkeyPatch) -> None:
    """The least noise that is taken, all records at the bound in one direction."""
    rows = np.zeros((4096, 2))
    rows[:, 0] = BOUND
    for name, (function, _) in SUMS.items():
        power = 1 if name == "noisy_sum" else 2
        exponents: list[int] = []

        def halve(function: Any = function, power: int = power, exponents: list[int] = exponents) -> None:
            for halvings in itertools.count():
                totals, _, exponent = made(monkeypatch, function, rows, BOUND, Fraction(1, 2**halvings))
                assert totals[0] * 2.0**exponent == pytest.approx(4096 * BOUND**power, rel=1e-3)
                exponents.append(exponent // power)

        with pytest.raises(ValueError, match="too many for exact sums in 64 bits"):
            halve()
        # Sums of squared entries are next to what 64 bits hold.
        assert 2**58 < 2 * exact_grid.largest_square(BOUND, exponents[-1]) < 2**62
        assert len(exponents) > 5


def test_counts_keep_their_shape_and_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = np.array([[3.0, 0.0, 5.0], [1.0, 1.0, 6.0]])
    for noise_sd in (Fraction(1, 1000), Fraction(3), Fraction(10**9)):
        totals, sds, exponent = made(
            monkeypatch, lambda *given: exact_sums.noisy_counts(*given).reshape(-1), counts.ravel(), noise_sd
        )
        assert [each * 2.0**exponent for each in totals] == counts.ravel().tolist()
        assert all(noise_sd <= sd * Fraction(2) ** exponent < noise_sd * Fraction(1001, 1000) for sd in sds)
    assert exact_sums.noisy_counts(counts, Fraction(1, 10**6)) == pytest.approx(counts, abs=1e-4)


def test_a_row_of_a_product_depends_on_no_other_row() -> None:
    rng = np.random.default_rng(4)
    rows, matrix = rng.standard_normal((37, 5)), rng.standard_normal((5, 4))
    for other in (matrix, matrix[:, 0]):
        whole = exact_sums.product(rows, other)
        np.testing.assert_allclose(whole, rows @ other, rtol=1e-12, atol=1e-14)
        for k in range(37):
            assert np.array_equal(exact_sums.product(rows[k : k + 1], other)[0], whole[k])
        assert np.array_equal(exact_sums.product(rows[::-1], other), whole[::-1])


@pytest.mark.parametrize("given", [{"bound": 0.0}, {"bound": math.inf}, {"noise_sd": Fraction(0)}, {"bound": math.nan}])
@pytest.mark.parametrize("name", SUMS)
def test_what_is_no_bound_or_noise_is_refused(name: str, given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(given))}=.* must be positive and finite"):
        SUMS[name][0](np.ones((2, 2)), **{"bound": BOUND, "noise_sd": Fraction(1), **given})
