"""DP-2S-GD's gradients from sorted records (p = q = 1) against the literal twin and against matrix products."""

import numpy as np
import pytest

import twins
from dpdescent.algorithms import single_instrument
from dpdescent.algorithms.dp_2s_gd import Descent, Normals, TwoStageArms, descend
from dpdescent.data.iv import IVSample, draw_parameters, draw_sample


def sample_of(n: int = 700, seed: int = 0) -> IVSample:
    rng = np.random.default_rng(seed)
    return draw_sample(draw_parameters(1, 1, 3, rng), n, rng)


def arms_of(gamma1: object, gamma2: object, noise: float = 0.2, runs: int = 6) -> TwoStageArms:
    one = np.ones(runs)
    steps = np.arange(runs) % 3 + 6
    return TwoStageArms(steps, 0.6 * one, 0.02 * one, gamma1 * one, gamma2 * one, noise * one, noise * one)


def normals_of(runs: int = 6) -> Normals:
    rng = np.random.default_rng(5)
    return Normals.stack([Normals.draw(rng, 8, 1, 1) for _ in range(runs)])


def by_products(sample: IVSample, arms: TwoStageArms, normals: Normals, monkeypatch: pytest.MonkeyPatch) -> Descent:
    with monkeypatch.context() as patched:
        patched.setattr(single_instrument, "worth", lambda *_: False)
        return descend(sample, arms, normals, record=True)


def check(sample: IVSample, arms: TwoStageArms, normals: Normals, rtol: float = 1e-11) -> Descent:
    """The descent, after a comparison of its paths and counts with the twin's."""
    assert single_instrument.worth(sample)
    result = descend(sample, arms, normals, record=True)
    for k, T in enumerate(arms.steps):
        Thetas, betas, clipped1, clipped2 = twins.two_stage(sample, arms, normals, k)
        np.testing.assert_allclose(result.Theta_path[: T + 1, k], Thetas, rtol=rtol, atol=1e-13)
        np.testing.assert_allclose(result.beta_path[: T + 1, k], betas, rtol=rtol, atol=1e-13)
        assert (result.clipped1[k], result.clipped2[k]) == (pytest.approx(clipped1), pytest.approx(clipped2))
    return result


@pytest.mark.parametrize(
    ("gamma1", "gamma2"),
    [(1.0, 1.0), (20.0, 60.0), (0.01, 0.01), (np.inf, np.inf), (np.inf, 2.0), (3.0, np.inf), (1e300, 1e300)],
)
def test_sorted_records_equal_the_twin(gamma1: float, gamma2: float) -> None:
    result = check(sample_of(), arms_of(gamma1, gamma2), normals_of())
    assert (result.clipped1.max() > 0) == (gamma1 < 100)
    assert (result.clipped2.max() > 0) == (gamma2 < 100)


def test_every_run_may_have_thresholds_of_its_own() -> None:
    check(sample_of(), arms_of(np.geomspace(0.5, 30.0, 6), np.geomspace(60.0, 0.5, 6)), normals_of())


@pytest.mark.parametrize("runs", [single_instrument.THRESHOLDS, single_instrument.THRESHOLDS + 1, 130])
def test_many_runs_may_have_thresholds_of_their_own(runs: int) -> None:
    """Some clip nothing, some nearly everything, and two have the same threshold."""
    gammas = np.random.default_rng(3).permutation(np.geomspace(1e-2, 1e3, runs))
    gammas[:3] = np.inf, gammas[3], gammas[3]
    result = check(sample_of(), arms_of(gammas, gammas[::-1], runs=runs), normals_of(runs))
    assert result.clipped1.max() > 0.9
    assert result.clipped1.min() == 0.0


def test_large_noise_and_an_overflowing_run_stay_with_the_twin() -> None:
    check(sample_of(), arms_of(5.0, 5.0, noise=50.0), normals_of(), rtol=1e-9)


def test_instruments_that_are_zero_have_no_place_where_they_are_cut_off() -> None:
    sample = sample_of()
    zeros = np.where(np.arange(700)[:, None] % 3 == 0, 0.0, sample.Z)
    check(IVSample(zeros, sample.X, sample.y), arms_of(2.0, 2.0), normals_of())


def test_an_instrument_whose_square_underflows_is_a_level_line() -> None:
    sample = sample_of()
    tiny = np.where(np.arange(700)[:, None] == 0, 1e-170, sample.Z)
    far = np.where(np.arange(700)[:, None] == 0, 1e171, sample.X)
    check(IVSample(tiny, far, sample.y), arms_of(2.0, 2.0), normals_of())


@pytest.mark.parametrize("size", [1e8, 1e12, 1e17, 1e30])
def test_a_planted_record_of_any_size_is_clipped(size: float) -> None:
    """Running sums would leave such a record's rounding in every sum that follows it."""
    sample = sample_of()
    planted = IVSample(
        sample.Z,
        np.where(np.arange(700)[:, None] == 0, size, sample.X),
        np.where(np.arange(700) == 1, -size, sample.y),
    )
    check(planted, arms_of(2.0, 3.0), normals_of())


def test_equal_places_are_counted_once_each() -> None:
    rng = np.random.default_rng(3)
    z, x = rng.integers(0, 2, (2, 700)) - 0.5
    check(IVSample(z[:, None], x[:, None], rng.integers(0, 5, 700) - 2.0), arms_of(0.11, 0.13), normals_of())


def test_matrix_products_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    sample, arms, normals = sample_of(20_000), arms_of(4.0, 9.0), normals_of()
    ours, theirs = descend(sample, arms, normals, record=True), by_products(sample, arms, normals, monkeypatch)
    np.testing.assert_allclose(ours.Theta_path, theirs.Theta_path, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(ours.beta_path, theirs.beta_path, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(ours.clipped1, theirs.clipped1)
    np.testing.assert_array_equal(ours.clipped2, theirs.clipped2)


def test_most_records_are_seen_to_be_clipped_in_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The screen is what makes the second stage fast; without it every record would be looked at in every run."""
    looked_at = []
    blocks = single_instrument.blocks_of
    monkeypatch.setattr(
        single_instrument, "blocks_of", lambda count, runs: looked_at.append(count) or blocks(count, runs)
    )
    sample = sample_of(20_000)
    descend(sample, arms_of(50.0, 400.0, noise=0.01), normals_of())
    assert 0 < len(looked_at) <= 8
    assert sum(looked_at) < 0.1 * 8 * 20_000


@pytest.mark.parametrize(
    "change",
    [
        {"count": np.ones(700)},
        {"Z": np.where(np.arange(700)[:, None] == 0, 1e200, 1.0)},
        {"X": np.where(np.arange(700)[:, None] == 0, 1e308, 1.0), "Z": np.full((700, 1), 10.0)},
        {"y": np.where(np.arange(700) == 0, 1e308, 1.0), "Z": np.full((700, 1), 10.0)},
    ],
)
def test_what_is_left_to_matrix_products(change: dict[str, np.ndarray]) -> None:
    sample = sample_of()
    fields = {"Z": sample.Z, "X": sample.X, "y": sample.y, "count": None} | change
    assert not single_instrument.worth(IVSample(**fields))
    assert single_instrument.worth(sample)
    assert not single_instrument.worth(sample_of(100))


@pytest.mark.parametrize(("gamma1", "gamma2"), [(1.0, 1.0), (0.01, 40.0), (np.inf, 2.0), (3.0, np.inf), (1e300, 1e-3)])
@pytest.mark.parametrize("noise", [0.2, 50.0])
def test_a_run_by_itself_equals_the_same_run_beside_others(gamma1: float, gamma2: float, noise: float) -> None:
    sample, arms, normals = sample_of(), arms_of(gamma1, gamma2, noise), normals_of()
    together = descend(sample, arms, normals, record=True)
    for k, T in enumerate(arms.steps):
        own = Normals(normals.stage1[:, k : k + 1], normals.stage2[:, k : k + 1])
        alone = descend(sample, arms.take(np.array([k])), own, record=True)
        np.testing.assert_allclose(alone.Theta_path[:, 0], together.Theta_path[: T + 1, k], rtol=1e-9, atol=1e-13)
        np.testing.assert_allclose(alone.beta_path[:, 0], together.beta_path[: T + 1, k], rtol=1e-9, atol=1e-13)
        assert (alone.Theta[0], alone.beta[0]) == (alone.Theta_path[-1, 0], alone.beta_path[-1, 0])
        assert (alone.clipped1[0], alone.clipped2[0]) == (together.clipped1[k], together.clipped2[k])


@pytest.mark.parametrize("size", [1e8, 1e17, 1e30])
def test_a_planted_record_is_clipped_in_a_run_by_itself(size: float) -> None:
    sample = sample_of()
    planted = IVSample(
        sample.Z,
        np.where(np.arange(700)[:, None] == 0, size, sample.X),
        np.where(np.arange(700) == 1, -size, sample.y),
    )
    check(planted, arms_of(2.0, 3.0, runs=1), normals_of(1))


def test_noise_may_differ_by_step_in_a_run_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    arms, falling = arms_of(2.0, 3.0, runs=1), np.geomspace(1.0, 0.1, 8)[:, None]
    arms = TwoStageArms(arms.steps, arms.eta, arms.alpha, arms.gamma1, arms.gamma2, falling, 2.0 * falling)
    ours = descend(sample_of(), arms, normals_of(1), record=True)
    theirs = by_products(sample_of(), arms, normals_of(1), monkeypatch)
    np.testing.assert_allclose(ours.Theta_path, theirs.Theta_path, rtol=1e-11)
    np.testing.assert_allclose(ours.beta_path, theirs.beta_path, rtol=1e-11, atol=1e-13)
