"""FriendlyCore averaging: counts of friends, noise scales, filtering, and the steps of the privacy argument."""

from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import integrate, stats

from dpdescent.baselines import friendly_core
from dpdescent.baselines.friendly_core import (
    Relation,
    count_friends,
    friendly_core_average,
    friendly_core_two_stage_least_squares,
    moment_points,
)
from dpdescent.baselines.least_squares import two_stage_least_squares
from dpdescent.data.iv import Array, IVSample, draw_parameters, draw_sample

RELATIONS = get_args(Relation)
LATTICE = hnp.arrays(float, st.tuples(st.integers(3, 14), st.just(2)), elements=st.integers(-4, 4).map(float))


def brute_friends(points: Array, radius: float, weights: Array) -> Array:
    squares = ((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)
    return (squares <= radius**2) @ weights


@given(LATTICE, st.integers(0, 6), st.integers(1, 64))
def test_friends_by_brute_force_with_ties_and_any_block_size(points: Array, radius: int, block: int) -> None:
    weights = 1.0 + np.arange(points.shape[0]) % 3
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(friendly_core, "_BLOCK_FLOATS", block)
        found = count_friends(points, float(radius), weights)
    np.testing.assert_array_equal(found, brute_friends(points, radius, weights))


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e7])
def test_friends_by_brute_force_where_the_gram_identity_loses_digits(offset: float) -> None:
    rng = np.random.default_rng(1)
    points, ones = offset + rng.normal(size=(300, 7)), np.ones(300)
    for i, j in rng.integers(0, 300, (10, 2)):
        # A distance that occurs is the hardest radius: the two points are friends by a last bit, or not.
        radius = float(np.sqrt(((points[i] - points[j]) ** 2).sum()))
        np.testing.assert_array_equal(count_friends(points, radius, ones), brute_friends(points, radius, ones))


def run_many(
    relation: Relation, runs: int, points: Array, rho: float, delta: float, count: Array | None = None
) -> tuple[Array, list[friendly_core.FriendlyCoreInfo]]:
    rng = np.random.default_rng(2)
    results = [friendly_core_average(points, rho, delta, 1.0, rng, relation, count) for _ in range(runs)]
    return np.array([average for average, _ in results]), [info for _, info in results]


@pytest.mark.parametrize("relation", RELATIONS)
def test_noise_of_every_release_has_the_scale_and_shift_of_the_module(relation: Relation) -> None:
    n, d, rho, delta, runs = 1500, 4, 2.0, 1e-3, 1500
    averages, infos = run_many(relation, runs, np.zeros((1, d)), rho, delta, np.array([float(n)]))
    b = delta / (2 if relation == "replace-one" else 3)
    assert not any(info.failed for info in infos)
    # Step 4: with all points equal, the average is nothing but its noise.
    scaled = averages / np.array([info.noise_sd for info in infos])[:, None]
    assert stats.kstest(scaled.ravel(), "norm").pvalue > 1e-3
    for info in infos[:20]:
        assert info.noise_sd == pytest.approx(2.0 / info.noisy_core_size / np.sqrt(2 * 0.9 * 0.9 * rho), rel=1e-12)
    # Step 3: shifted down, so that it hardly ever exceeds the true size less one.
    shift = (
        np.array([info.noisy_core_size - info.core_size for info in infos]) + 1 + np.sqrt(np.log(1 / b) / (0.09 * rho))
    )
    assert stats.kstest(shift * np.sqrt(2 * 0.09 * rho), "norm").pvalue > 1e-3
    # Step 1: public, or shifted up, so that it hardly ever falls short of the true number plus one.
    noisy_n = np.array([info.noisy_n for info in infos])
    if relation == "replace-one":
        assert (noisy_n == n).all()
    else:
        excess = noisy_n - n - 1 - np.sqrt(np.log(1 / b) / (0.01 * rho))
        assert stats.kstest(excess * np.sqrt(2 * 0.01 * rho), "norm").pvalue > 1e-3


@pytest.mark.parametrize("relation", RELATIONS)
def test_votes_cost_what_they_may_and_hardly_ever_keep_a_record_without_friends(relation: Relation) -> None:
    n, rho, delta = 400, 0.7, 1e-4
    _, (info, *_) = run_many(relation, 1, np.zeros((n, 1)), rho, delta)
    h, budget, b = (1.0, 0.1 * rho, delta / 2) if relation == "replace-one" else (0.5, 0.09 * rho, delta / 3)
    moved = h * np.sqrt(info.noisy_n)
    assert moved**2 / (2 * info.vote_sd**2) == pytest.approx(budget, rel=1e-12)
    assert info.vote_threshold == pytest.approx(h + info.vote_sd * np.sqrt(2 * np.log(info.noisy_n / b)), rel=1e-12)
    missed = info.noisy_n * stats.norm.sf((info.vote_threshold - h) / info.vote_sd)
    assert 1e-3 * b < missed <= b


def test_drawing_votes_is_drawing_noise_and_comparing() -> None:
    n, cluster, rho, delta, runs = 600, 575, 1.0, 1e-3, 1200
    points = np.zeros((n, 1))
    points[cluster:, 0] = 10.0 * np.arange(1, n - cluster + 1)
    _, infos = run_many("replace-one", runs, points, rho, delta)
    rng, info = np.random.default_rng(3), infos[0]
    excess = brute_friends(points, 1.0, np.ones(n)) - n / 2
    noisy = excess + info.vote_sd * rng.standard_normal((runs, n))
    explicit = (noisy > info.vote_threshold).sum(axis=1)
    drawn = np.array([other.core_size for other in infos])
    assert 0.2 * cluster < explicit.mean() < 0.8 * cluster
    assert abs(drawn.mean() - explicit.mean()) < 5 * np.sqrt((drawn.var() + explicit.var()) / runs)
    assert 0.8 < drawn.var() / explicit.var() < 1.25


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_far_outlier_is_filtered(relation: Relation) -> None:
    rng = np.random.default_rng(4)
    points = 3 + rng.normal(size=(800, 2))
    others = np.delete(points, 17, axis=0)
    points[17] = 1e9
    average, info = friendly_core_average(points, 5.0, 1e-6, 10.0, rng, relation)
    assert count_friends(points, 10.0, np.ones(800))[17] == 1
    assert info.core_size == 799
    assert np.linalg.norm(average - others.mean(axis=0)) < 5 * info.noise_sd < 0.3


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_huge_budget_gives_the_mean_and_two_stage_least_squares(relation: Relation) -> None:
    rng = np.random.default_rng(5)
    sample = draw_sample(draw_parameters(2, 3, 1, rng), 500, rng)
    points = moment_points(sample)
    average, info = friendly_core_average(points, 1e12, 1e-6, 1e5, rng, relation)
    assert info.core_size == 500
    np.testing.assert_allclose(average, points.mean(axis=0), atol=1e-2)
    # noise_sd is 2r/m over a root of the budget: about 1e5 * 4e-3 / 1e6.
    assert info.noise_sd < 1e-3
    beta, _ = friendly_core_two_stage_least_squares(sample, 1e16, 1e-6, 1e5, rng, relation)
    np.testing.assert_allclose(beta, two_stage_least_squares(sample).beta, atol=1e-5)


def test_moment_points_are_the_products_in_order() -> None:
    sample = IVSample(np.array([[2.0, 3.0]]), np.array([[5.0]]), np.array([7.0]))
    np.testing.assert_array_equal(moment_points(sample), [[4, 6, 6, 9, 10, 15, 14, 21]])


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_core_too_small_is_reported_and_not_raised(relation: Relation) -> None:
    rng = np.random.default_rng(6)
    sample = draw_sample(draw_parameters(1, 1, 1, rng), 10, rng)
    beta, info = friendly_core_two_stage_least_squares(sample, 0.1, 1e-5, 5.0, rng, relation)
    assert info.failed
    assert info.noisy_core_size <= 0
    assert np.isnan(info.noise_sd)
    assert np.isnan(beta).all()
    assert beta.shape == (1,)


def test_post_processing_of_given_moments(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    sample = draw_sample(draw_parameters(1, 2, 1, rng), 200, rng)
    _, ran = friendly_core_average(moment_points(sample), 1e6, 1e-5, 1e3, rng)
    assert not ran.failed

    def from_moments(moments: list[float]) -> tuple[Array, friendly_core.FriendlyCoreInfo]:
        monkeypatch.setattr(friendly_core, "friendly_core_average", lambda *_: (np.array(moments), ran))
        return friendly_core_two_stage_least_squares(sample, 1e6, 1e-5, 1e3, rng)

    # A = [[2, 1], [1, 3]] after symmetrising, B = (1, 2), c = (3, 4): (B'A^-1 c) / (B'A^-1 B) = 3 / (7/5).
    beta, info = from_moments([2, 0, 2, 3, 1, 2, 3, 4])
    assert beta == pytest.approx([15 / 7])
    assert not info.failed
    beta, info = from_moments([0] * 8)
    assert info.failed
    assert np.isnan(beta).all()


@pytest.mark.parametrize("relation", RELATIONS)
def test_counts_are_records_written_out(relation: Relation) -> None:
    rng = np.random.default_rng(8)
    points, counts = rng.normal(size=(30, 2)), rng.integers(0, 60, 30).astype(float)
    long = np.repeat(points, counts.astype(int), axis=0)
    friends = count_friends(points, 1.5, counts)
    np.testing.assert_array_equal(np.repeat(friends, counts.astype(int)), count_friends(long, 1.5, np.ones(len(long))))
    merged, info = friendly_core_average(points, 1e9, 1e-6, 1.5, rng, relation, counts)
    written, other = friendly_core_average(long, 1e9, 1e-6, 1.5, rng, relation)
    assert 0 < info.core_size == other.core_size < len(long)
    np.testing.assert_allclose(merged, written, atol=1e-5)
    core = friends - counts.sum() / 2 > info.vote_threshold
    assert info.core_size == counts[core].sum()
    np.testing.assert_allclose(merged, np.average(points[core], axis=0, weights=counts[core]), atol=1e-5)
    sample = IVSample(points[:, :1], points[:, 1:], points.sum(axis=1) ** 2, counts)
    beta, _ = friendly_core_two_stage_least_squares(sample, 1e16, 1e-6, 1e3, rng, relation)
    np.testing.assert_allclose(beta, two_stage_least_squares(sample).beta, rtol=1e-4)


def test_the_same_generator_gives_the_same_result_and_a_smaller_share_fewer_kept() -> None:
    points = np.random.default_rng(9).normal(size=(700, 3))
    runs = [friendly_core_average(points, 1.0, 1e-5, 6.0, np.random.default_rng(3)) for _ in range(2)]
    np.testing.assert_array_equal(runs[0][0], runs[1][0])
    assert runs[0][1] == runs[1][1]
    _, thin = friendly_core_average(points, 1.0, 1e-5, 6.0, np.random.default_rng(3), filter_share=0.05)
    assert thin.core_size < runs[0][1].core_size


@settings(max_examples=300)
@given(LATTICE, st.data())
def test_replacing_a_record_moves_counts_by_h_and_the_core_average_by_2r(points: Array, data: st.DataObject) -> None:
    """The deterministic steps of the argument for replace-one, for every core that the good event allows."""
    n, radius = points.shape[0], float(data.draw(st.integers(1, 5)))
    k = data.draw(st.integers(0, n - 1))
    other = points.copy()
    other[k] = [data.draw(st.integers(-9, 9)), data.draw(st.integers(-9, 9))]
    z, z_other = (count_friends(version, radius, np.ones(n)) - n / 2 for version in (points, other))
    rest = np.arange(n) != k
    assert (np.abs(z - z_other)[rest] <= 1).all()
    allowed = np.flatnonzero(rest & (z > 0) & (z_other > 0))
    keep = data.draw(hnp.arrays(bool, allowed.shape))
    core = allowed[keep]
    if core.size == 0:
        return
    averages = [points[core].mean(axis=0)]
    averages += [version[[*core, k]].mean(axis=0) for version, at in ((points, z), (other, z_other)) if at[k] >= 1]
    for a in averages:
        for c in averages:
            assert np.linalg.norm(a - c) <= 2 * radius / (core.size + 1) + 1e-12


@settings(max_examples=300)
@given(LATTICE, st.data())
def test_removing_a_record_moves_counts_by_h_and_the_core_average_by_2r(points: Array, data: st.DataObject) -> None:
    """The same for add-remove."""
    n, radius, k = points.shape[0], float(data.draw(st.integers(1, 5))), data.draw(st.integers(0, points.shape[0] - 1))
    rest = np.arange(n) != k
    z = count_friends(points, radius, np.ones(n)) - n / 2
    z_other = count_friends(points[rest], radius, np.ones(n - 1)) - (n - 1) / 2
    assert (np.abs(z[rest] - z_other) == 0.5).all()
    allowed = np.flatnonzero(rest)[(z[rest] > 0) & (z_other > 0)]
    core = allowed[data.draw(hnp.arrays(bool, allowed.shape))]
    if core.size and z[k] > 0:
        moved = points[[*core, k]].mean(axis=0) - points[core].mean(axis=0)
        assert np.linalg.norm(moved) <= 2 * radius / (core.size + 1) + 1e-12


@pytest.mark.parametrize("order", [1.01, 2.0, 10.0])
@pytest.mark.parametrize("bound", [-2.0, 0.0, 1.5])
@pytest.mark.parametrize("shift", [-1.0, 1.0])
def test_restricting_two_gaussians_to_a_half_line_raises_no_divergence(
    order: float, bound: float, shift: float
) -> None:
    mass = stats.norm.cdf(bound, [0.0, shift])

    def integrand(x: float) -> float:
        p, q = stats.norm.logpdf(x, [0.0, shift]) - np.log(mass)
        return float(np.exp(order * p + (1 - order) * q))

    centre = (1 - order) * shift
    total, _ = integrate.quad(integrand, min(bound, centre) - 12, bound, points=[centre] if centre < bound else None)
    assert -1e-9 < np.log(total) / (order - 1) <= order * shift**2 / 2 + 1e-7


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rho": 0.0}, "rho=0.0"),
        ({"rho": np.inf}, "rho=inf"),
        ({"delta": 1.0}, "delta=1.0"),
        ({"radius": -1.0}, "radius=-1.0"),
        ({"filter_share": 0.0}, "filter_share=0.0"),
        ({"relation": "zero-out"}, "relation='zero-out'"),
        ({"points": np.full((3, 1), np.nan)}, "points of shape"),
        ({"points": np.zeros(3)}, "points of shape"),
        ({"count": np.array([1.0, 0.5, 1.0])}, "whole numbers"),
        ({"count": np.ones(2)}, "count of shape"),
        ({"count": np.zeros(3)}, "no record"),
    ],
)
def test_arguments_out_of_range_are_refused(change: dict[str, object], message: str) -> None:
    arguments: dict[str, object] = {"points": np.zeros((3, 1)), "rho": 1.0, "delta": 1e-5, "radius": 1.0}
    with pytest.raises(ValueError, match=message):
        friendly_core_average(rng=np.random.default_rng(0), **{**arguments, **change})  # type: ignore[arg-type]


def test_too_few_instruments_are_refused() -> None:
    sample = IVSample(np.ones((4, 1)), np.ones((4, 2)), np.ones(4))
    with pytest.raises(ValueError, match="q=1 instruments cannot identify p=2"):
        friendly_core_two_stage_least_squares(sample, 1.0, 1e-5, 1.0, np.random.default_rng(0))
