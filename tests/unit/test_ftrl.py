"""DP-FTRL on streams against literal twins, exact second moments, and every other cut of the same work."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpdescent.algorithms import dp_ftrl
from dpdescent.algorithms.dp_ftrl import FTRLArms, Runs, mean_estimation, regression, single_pass

LAM = 1.0 / np.arange(1, 6)
START = np.linspace(1.0, -1.0, 5)
ARMS = FTRLArms(np.array([0.1, 0.05, 0.1, 0.2]), np.array([np.inf, 0.4, 1.0, 1e-3]), np.array([0.3, 0.0, 1.0, 0.1]))


def generators(seeds):
    return [np.random.Generator(np.random.PCG64(seed)) for seed in seeds]


def draw_noise(steps, arms, seeds, d=5):
    """Noise that belongs to its arm and seed, whichever others there are."""
    made = [[np.random.default_rng([7, a, s]).standard_normal((steps, d)) for s in seeds] for a in arms]
    return np.moveaxis(np.array(made), 2, 0)


def pick(arms, rows):
    return FTRLArms(arms.eta[rows], arms.clip_norm[rows], arms.noise_sd[rows])


def run(arms=(0, 1, 2, 3), seeds=(0, 1, 2), steps=60, noise=None, **options) -> Runs:
    arms, seeds = list(arms), list(seeds)
    noise = draw_noise(steps, arms, seeds) if noise is None else noise
    return regression(LAM, pick(ARMS, arms), START, steps, generators(seeds), noise, **options)


def twin(eta, clip_norm, noise_sd, seed, noise, sigma_sgd):
    """Algorithm 1 as it is written, one record at a time: F_0..F_T, all iterates, and how often it clipped."""
    rng, steps = np.random.Generator(np.random.PCG64(seed)), len(noise)
    xi, theta, clipped = sigma_sgd * rng.standard_normal(steps), START.copy(), 0
    excess, path = [0.5 * LAM @ theta**2], [theta]
    for t in range(steps):
        x = np.sqrt(LAM) * rng.standard_normal(len(LAM))
        gradient = (x @ theta - xi[t]) * x
        norm = np.linalg.norm(gradient)
        if norm > clip_norm:
            gradient, clipped = gradient * clip_norm / norm, clipped + 1
        theta = theta - eta * (gradient + noise_sd * noise[t])
        excess.append(0.5 * LAM @ theta**2)
        path.append(theta)
    return np.array(excess), np.array(path), clipped / steps


@pytest.mark.parametrize("sigma_sgd", [0.0, 0.7, np.array([0.7, 0.0, 0.1, 1.0])])
def test_runs_equal_the_twin(sigma_sgd):
    record, steps, tail = [60, 0, 1, 17, 17], 60, 25
    noise = draw_noise(steps, range(4), range(3))
    runs = run(sigma_sgd=sigma_sgd, record=record, tail=tail)
    for a in range(4):
        for s in range(3):
            settings = ARMS.eta[a], ARMS.clip_norm[a], ARMS.noise_sd[a]
            sigma = np.broadcast_to(sigma_sgd, 4)[a]
            excess, path, clipped = twin(*settings, s, noise[:, a, s], sigma)
            np.testing.assert_allclose(runs.excess[a, s], excess[record], rtol=1e-12)
            np.testing.assert_allclose(runs.tail_mean[a, s], excess[-tail:].mean(), rtol=1e-12)
            np.testing.assert_allclose(runs.theta[a, s], path[-1], rtol=1e-10, atol=1e-13)
            np.testing.assert_allclose(runs.average[a, s], path[-tail:].mean(0), rtol=1e-10, atol=1e-13)
            assert runs.clipped[a, s] == clipped
    assert (runs.clipped[0] == 0).all(), "an infinite clip norm clips nothing"
    assert ((runs.clipped[2] > 0) & (runs.clipped[2] < 1)).all()
    assert (runs.clipped[3] > 0.9).all()


def same(some: Runs, others: Runs, arms, seeds) -> None:
    for name in ("excess", "tail_mean", "clipped", "theta", "average"):
        np.testing.assert_array_equal(getattr(some, name), getattr(others, name)[np.ix_(arms, seeds)])


@pytest.mark.parametrize("arms", [[0], [1], [0, 1, 2, 3], [3, 0], [1, 2]])
@pytest.mark.parametrize("seeds", [[0], [2], [0, 1, 2], [2, 1]])
def test_a_run_knows_nothing_of_the_others(arms, seeds):
    """To the last bit; the whole call has clipped arms beside arms that never are."""
    options = {"sigma_sgd": 0.5, "record": [0, 30, 60], "tail": 33}
    same(run(arms, seeds, **options), run(**options), arms, seeds)


@pytest.mark.parametrize("d", [1, 8, 131])
def test_nor_does_a_run_in_other_dimensions(d):
    arms = FTRLArms(np.linspace(0.05, 0.1, 5), np.array([np.inf, 0.5, 1.0, 2.0, 0.1]), np.full(5, 0.2))
    noise = draw_noise(30, range(5), range(9), d)

    def part(some, seeds):
        start, chosen = np.ones(d), noise[:, some][:, :, seeds]
        return regression(1 / np.arange(1, d + 1), pick(arms, some), start, 30, generators(seeds), chosen, tail=13)

    whole = part(list(range(5)), list(range(9)))
    for a, s in [(0, 0), (2, 8), (4, 3)]:
        same(part([a], [s]), whole, [a], [s])


@pytest.mark.parametrize("block", [1, 100, 5 * 4 * 3 * 13])
def test_blocks_of_the_cache_change_no_bit(monkeypatch, block):
    whole = run(sigma_sgd=0.5, record=[5, 60], tail=20)
    monkeypatch.setattr(dp_ftrl, "BLOCK", block)
    same(run(sigma_sgd=0.5, record=[5, 60], tail=20), whole, range(4), range(3))


@settings(max_examples=15, deadline=None)
@given(cuts=st.lists(st.integers(0, 70), max_size=5))
def test_blocks_of_noise_change_no_bit(cuts):
    """Nor does noise beyond T, of which nothing is read."""
    noise = draw_noise(70, range(4), range(3))
    parts = np.split(noise, sorted(cuts))
    same(run(noise=iter(parts), tail=20), run(noise=noise, tail=20), range(4), range(3))


def test_noise_is_shared_along_axes_of_length_one_and_none_is_none():
    noise = draw_noise(60, [0], [0])
    whole = np.broadcast_to(noise, (60, 4, 3, 5)).copy()
    same(run(noise=noise, tail=9), run(noise=whole, tail=9), range(4), range(3))
    same(run([1], noise=None), run([1], noise=np.zeros((60, 1, 1, 5))), [0], range(3))
    silent = regression(LAM, pick(ARMS, [1]), START, 60, generators(range(3)), None)
    np.testing.assert_array_equal(silent.theta, run([1]).theta)


def test_seeds_differ_and_arms_of_a_seed_share_their_records():
    """Two arms that differ in the noise only: without noise they would be equal."""
    twice = FTRLArms(np.full(2, 0.1), np.full(2, np.inf), np.zeros(2))
    runs = regression(LAM, twice, START, 20, generators([0, 1]), None)
    np.testing.assert_array_equal(runs.theta[0], runs.theta[1])
    assert (runs.theta[0, 0] != runs.theta[0, 1]).all()
    assert np.isnan(runs.tail_mean).all()
    assert np.isnan(runs.average).all()
    assert runs.excess.shape == (2, 2, 0)


@pytest.mark.parametrize("block", [dp_ftrl.BLOCK, 1])
@pytest.mark.parametrize("labels", [1, 4])
def test_given_records_are_met_in_their_order(monkeypatch, block, labels):
    monkeypatch.setattr(dp_ftrl, "BLOCK", block)
    rng = np.random.default_rng(1)
    X, Y, noise = rng.standard_normal((50, 5)), rng.standard_normal((50, labels)), rng.standard_normal((50, 1, 1, 5))
    runs = single_pass(X, Y, ARMS, START, noise, tail=20)
    for a in range(4):
        theta, path = START, []
        for x, y, w in zip(X, Y[:, a % labels], noise[:, 0, 0], strict=True):
            gradient = (x @ theta - y) * x
            gradient = gradient * min(1.0, ARMS.clip_norm[a] / np.linalg.norm(gradient))
            theta = theta - ARMS.eta[a] * (gradient + ARMS.noise_sd[a] * w)
            path.append(theta)
        np.testing.assert_allclose(runs.theta[a, 0], theta, rtol=1e-10, atol=1e-13)
        np.testing.assert_allclose(runs.average[a, 0], np.mean(path[-20:], 0), rtol=1e-10, atol=1e-13)
    assert runs.excess.shape == (4, 1, 0)
    assert np.isnan(runs.tail_mean).all()
    assert (runs.clipped[0], runs.clipped[3]) == (0, 1)


def test_records_drawn_or_given_are_the_same():
    """The engine's own records, drawn beforehand in its order, with labels for the parameter 0."""
    rng = generators([0])[0]
    xi = 0.5 * rng.standard_normal(60)
    X, noise = np.sqrt(LAM) * rng.standard_normal((60, 5)), draw_noise(60, range(4), [0])
    drawn = run(seeds=[0], sigma_sgd=0.5, tail=30)
    passed = single_pass(X, xi[:, None], ARMS, START, noise, tail=30)
    for name in ("clipped", "theta", "average"):
        np.testing.assert_array_equal(getattr(passed, name), getattr(drawn, name))


def expected_excess(eta, noise_sd, beta, sigma_sgd, steps) -> Iterator[float]:
    """E[F_t - F*] of Noisy-FTRL with decoder coefficients beta, by recursion of the second moments, t = 1..T.

    With noise independent of the inputs, `theta_{t+1} = (I - eta x x') theta + eta x xi - eta sum_s beta_s w_{t-s}`. Of
    Gaussian inputs only the diagonal of E[theta theta'] and E[theta w_s'] is needed. Written out for every pair (t, s).
    """
    second, cross = START**2, np.zeros((steps, len(LAM)))
    keep = 1.0 - eta * LAM
    for t in range(steps):
        weight = np.array([beta[t - s] if t - s < len(beta) else 0.0 for s in range(t + 1)])[:, None]
        risk = LAM @ second + sigma_sgd**2
        second = (
            (1.0 - 2.0 * eta * LAM + eta**2 * LAM**2) * second + eta**2 * LAM * (LAM * second + risk)
            - 2.0 * eta * noise_sd * (weight * keep * cross[: t + 1]).sum(0) + (eta * noise_sd) ** 2 * (weight**2).sum()
        )  # fmt: skip
        cross[: t + 1] = keep * cross[: t + 1] - eta * noise_sd * weight
        yield float(0.5 * LAM @ second)


@pytest.mark.parametrize("beta", [[1.0], [1.0, -0.5, -0.125, -0.0625]])
def test_noisy_ftrl_has_the_exact_mean(beta):
    """Means over seeds of unclipped runs, at several steps, within Monte-Carlo error."""
    steps, seeds, eta, sd, sigma = 40, 3000, 0.15, 0.5, 0.6
    normals = np.random.default_rng(3).standard_normal((steps, seeds, 5))
    noise = sum(c * np.concatenate([np.zeros((s, seeds, 5)), normals[: steps - s]]) for s, c in enumerate(beta))
    arms, record = FTRLArms(np.array([eta]), np.array([np.inf]), np.array([sd])), [1, 3, 10, 40]
    runs = regression(
        LAM, arms, START, steps, generators(range(seeds)), noise[:, None], sigma_sgd=sigma, record=record
    )  # fmt: skip
    exact = np.array(list(expected_excess(eta, sd, beta, sigma, steps)))[np.array(record) - 1]
    error = runs.excess[0].std(0) / np.sqrt(seeds)
    assert (error < 0.04 * exact).all()
    assert (np.abs(runs.excess[0].mean(0) - exact) < 3.5 * error).all()


def test_a_record_at_the_origin_is_no_trouble():
    """Its gradient is zero; the squares of the inputs here are too small to be told from it."""
    arms = FTRLArms(np.array([0.5]), np.array([1.0]), np.array([0.0]))
    with np.errstate(divide="raise", invalid="raise"):
        runs = regression(np.full(2, 5e-324), arms, np.ones(2), 20, generators([0]), None)
    np.testing.assert_array_equal(runs.theta, np.ones((1, 1, 2)))
    assert runs.clipped[0, 0] == 0


def mean_twin(eta, values, noise, start):
    delta, path = start, []
    for z, w in zip(values, noise, strict=True):
        # Algorithm 1: the gradient of z^2/2 - z theta is -z, that of the regulariser is theta.
        delta = delta - eta * (-z + w + delta)
        path.append(delta)
    return np.array(path)


@pytest.mark.parametrize("shared", [True, False])
def test_mean_estimation_equals_the_twin(shared):
    rng, eta = np.random.default_rng(0), np.array([1e-3, 0.3, 1.0])
    values, noise = rng.uniform(-1, 1, (50, 4)), rng.standard_normal((50, 1 if shared else 3, 4))
    path = mean_estimation(eta, values, noise, start=0.7)
    assert path.shape == (50, 3, 4)
    for a in range(3):
        for s in range(4):
            expected = mean_twin(eta[a], values[:, s], noise[:, 0 if shared else a, s], 0.7)
            np.testing.assert_allclose(path[:, a, s], expected, rtol=1e-11, atol=1e-13)


def test_a_run_of_mean_estimation_knows_nothing_of_the_others():
    rng, eta = np.random.default_rng(0), np.array([0.01, 0.3])
    values, noise = rng.uniform(-1, 1, (50, 4)), rng.standard_normal((50, 2, 4))
    whole = mean_estimation(eta, values, noise)
    for a in range(2):
        for s in range(4):
            alone = mean_estimation(eta[[a]], values[:, [s]], noise[:, [a]][:, :, [s]])
            np.testing.assert_array_equal(alone[:, 0, 0], whole[:, a, s])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: FTRLArms(np.array([0.1]), np.array([1.0, 2.0]), np.array([0.1])), "one value an arm"),
        (lambda: FTRLArms(np.array([]), np.array([]), np.array([])), "one value an arm"),
        (lambda: FTRLArms(np.array([0.0]), np.array([1.0]), np.array([0.1])), "eta must be positive, got 0"),
        (lambda: FTRLArms(np.array([0.1]), np.array([-1.0]), np.array([0.1])), "clip_norm must be positive"),
        (lambda: FTRLArms(np.array([0.1]), np.array([1.0]), np.array([np.nan])), "noise_sd must not be negative"),
        (lambda: FTRLArms(np.array([0.1]), np.array([1.0]), np.array([np.inf])), "noise_sd=inf must be finite"),
        (lambda: run(noise=draw_noise(59, range(4), range(3))), "ends after 59 of T=60"),
        (lambda: run(noise=iter([])), "ends after 0 of T=60"),
        (lambda: run(noise=draw_noise(60, range(2), range(3))), r"noise of shape \(60, 2, 3, 5\) does not fit"),
        (lambda: run(noise=draw_noise(60, range(4), range(3), 1)), r"\(60, 4, 3, 1\) does not fit"),
        (lambda: regression(LAM, ARMS, START, 5, generators([0]), None), "noise=None, but an arm asks"),
        (lambda: run(tail=61), "tail=61"),
        (lambda: run(record=[61]), r"record=\[61\]"),
        (lambda: run(record=[-1]), r"record=\[-1\]"),
        (lambda: run(sigma_sgd=-1.0), "sigma_sgd must not be negative"),
        (lambda: run(sigma_sgd=np.array([0.1, -1.0, 0.0, 0.0])), "sigma_sgd must not be negative"),
        (lambda: run(sigma_sgd=np.ones(3)), r"sigma_sgd of shape \(3,\)"),
        (lambda: single_pass(np.ones((5, 5)), np.ones((5, 2)), ARMS, START, None), r"Y \(5, 2\)"),
        (lambda: single_pass(np.ones((5, 5)), np.ones((4, 1)), ARMS, START, None), r"Y \(4, 1\)"),
        (lambda: single_pass(np.ones((5, 4)), np.ones((5, 1)), ARMS, START, None), r"X \(5, 4\)"),
        (lambda: single_pass(np.ones((0, 5)), np.ones((0, 1)), ARMS, START, None), r"X \(0, 5\)"),
        (lambda: single_pass(np.ones((5, 5)), np.ones((5, 1)), ARMS, START, None, tail=6), "tail=6"),
        (lambda: single_pass(np.ones((5, 5)), np.ones((5, 1)), ARMS, START, None), "noise=None, but an arm asks"),
        (lambda: regression(LAM, ARMS, START, 0, generators([0]), None), "steps must be positive"),
        (lambda: regression(LAM - 1, ARMS, START, 5, generators([0]), None), "lam must be positive"),
        (lambda: regression(LAM, ARMS, START[1:], 5, generators([0]), None), r"shape \(4,\)"),
        (lambda: regression(LAM, ARMS, START, 5, [], None), "no seed: 0"),
        (lambda: mean_estimation(np.array([1.5]), np.zeros((3, 1)), np.zeros((3, 1, 1))), "eta, from 1.5"),
        (lambda: mean_estimation(np.array([0.5]), np.zeros((3, 1)), np.zeros((3, 2, 1))), "does not fit values"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
