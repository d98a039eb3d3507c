"""DP-2S-GD's fast path against its literal twin, its exact law and its limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twins
from dpdescent.algorithms import two_stage_gd, two_stage_products
from dpdescent.algorithms.dp_2s_gd import Normals, TwoStageArms, descend
from dpdescent.algorithms.rows import Rows
from dpdescent.algorithms.two_stage_products import BLOCK, Products, _Screen, clipped_gradients
from dpdescent.baselines.least_squares import two_stage_least_squares
from dpdescent.data.iv import IVSample, draw_parameters, draw_sample
from dpdescent.data.tabular import compress


def make_arms(steps, **changes):
    """Arms with some clipping and noise in both stages; every field may be replaced."""
    steps = np.asarray(steps)
    count = len(steps)
    fields = {
        "eta": np.linspace(0.3, 0.9, count),
        "alpha": np.linspace(0.01, 0.03, count),
        "gamma1": np.linspace(1.0, 20.0, count),
        "gamma2": np.linspace(1.0, 60.0, count),
        "lambda1": np.linspace(0.05, 0.2, count),
        "lambda2": np.linspace(0.3, 0.1, count),
    }
    return TwoStageArms(steps, **(fields | {key: np.full(count, value) for key, value in changes.items()}))


def sample_of(p, q, n, seed=0):
    rng = np.random.default_rng(seed)
    return draw_sample(draw_parameters(p, q, 3, rng), n, rng)


def discrete_sample(seed=1):
    """A sample like the Angrist data: one binary instrument, one binary regressor, few distinct outcomes."""
    rng = np.random.default_rng(seed)
    z, x = rng.integers(0, 2, (2, 700))
    y = rng.integers(0, 5, 700) - 2.0 * x
    return IVSample(z[:, None] - z.mean(), x[:, None] - x.mean(), y - y.mean())


@pytest.mark.parametrize(("p", "q", "n"), [(1, 1, 50), (2, 3, 400), (5, 5, 700), (4, 9, 60)])
def test_fast_path_equals_the_twin(p, q, n):
    sample, arms = sample_of(p, q, n), make_arms([7, 3, 5])
    normals = Normals.draw(np.random.default_rng(5), 7, p, q)
    result = descend(sample, arms, normals, record=True)
    for k in range(3):
        Thetas, betas, clipped1, clipped2 = twins.two_stage(sample, arms, normals, k)
        T = arms.steps[k]
        np.testing.assert_allclose(result.Theta_path[: T + 1, k], Thetas, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(result.beta_path[: T + 1, k], betas, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(result.Theta[k], Thetas[-1], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(result.beta[k], betas[-1], rtol=1e-10, atol=1e-12)
        assert result.clipped1[k] == pytest.approx(clipped1)
        assert result.clipped2[k] == pytest.approx(clipped2)
    assert 0 < result.clipped2.max() < 1, "a test of clipping needs some clipping"


def test_noise_may_differ_by_step():
    """Noise of a step is its own sd times a normal: the same as equal sds with normals that are scaled by hand."""
    sample, arms = sample_of(2, 3, 100), make_arms([4, 4])
    rng = np.random.default_rng(6)
    normals, factors = Normals.draw(rng, 4, 2, 3), rng.uniform(0.5, 2.0, (2, 4))
    noise = [factor[:, None] * each for factor, each in zip(factors, (arms.lambda1, arms.lambda2), strict=True)]
    by_step = TwoStageArms(arms.steps, arms.eta, arms.alpha, arms.gamma1, arms.gamma2, *noise)
    scaled = Normals(factors[0][:, None, None, None] * normals.stage1, factors[1][:, None, None] * normals.stage2)
    found, expected = descend(sample, by_step, normals), descend(sample, arms, scaled)
    np.testing.assert_allclose(found.beta, expected.beta, rtol=1e-12)
    np.testing.assert_array_equal(descend(sample, by_step.take(np.array([1])), normals).beta[0], found.beta[1])
    with pytest.raises(ValueError, match="lambda1 of shape \\(3, 2\\) must be \\(2,\\), or have a row for every step"):
        TwoStageArms(arms.steps, arms.eta, arms.alpha, arms.gamma1, arms.gamma2, noise[0][:3], noise[1])


def test_rows_in_several_blocks_equal_the_twin():
    sample, arms = sample_of(3, 3, 3 * BLOCK // 6 + 17), make_arms([2, 2])
    normals = Normals.draw(np.random.default_rng(5), 2, 3, 3)
    result = descend(sample, arms, normals)
    for k in range(2):
        np.testing.assert_allclose(result.beta[k], twins.two_stage(sample, arms, normals, k)[1][-1], rtol=1e-10)


def test_equal_records_count_once_with_a_weight():
    sample = discrete_sample()
    merged = compress(sample)
    assert len(merged.y) < sample.n / 10
    arms = make_arms([6] * 4, gamma1=0.2, gamma2=0.05)
    rng = np.random.default_rng(2)
    normals = Normals.stack([Normals.draw(rng, 6, 1, 1) for _ in range(4)])
    result = descend(merged, arms, normals)
    for k in range(4):
        Thetas, betas, clipped1, clipped2 = twins.two_stage(sample, arms, normals, k)
        np.testing.assert_allclose(result.Theta[k], Thetas[-1], rtol=1e-10, atol=1e-13)
        np.testing.assert_allclose(result.beta[k], betas[-1], rtol=1e-10, atol=1e-13)
        assert (result.clipped1[k], result.clipped2[k]) == (pytest.approx(clipped1), pytest.approx(clipped2))


@pytest.mark.parametrize("size", [1e8, 1e12, 1e17, 1e20, 1e30])
def test_a_planted_record_of_any_size_is_clipped(size):
    """The unclipped gradient less its excess would leave such a record's rounding in the sum."""
    sample = sample_of(5, 5, 1000)
    planted = IVSample(sample.Z, np.where(np.arange(1000)[:, None] == 0, size, sample.X), sample.y)
    arms = make_arms([2], gamma1=111.5, gamma2=50.0, lambda1=0.0, lambda2=0.0, eta=1.0, alpha=0.01)
    normals = Normals(np.zeros((2, 1, 5, 5)), np.zeros((2, 1, 5)))
    Thetas, betas, *_ = twins.two_stage(planted, arms, normals, 0)
    result = descend(planted, arms, normals, record=True)
    np.testing.assert_allclose(result.Theta_path[:, 0], Thetas, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(result.beta_path[:, 0], betas, rtol=1e-8, atol=1e-9)
    before = descend(sample, arms, normals, record=True).Theta_path[1, 0]
    assert np.linalg.norm(result.Theta_path[1, 0] - before) <= 2 * 111.5 / 1000


def test_arms_do_not_disturb_each_other():
    sample, arms = sample_of(2, 2, 300), make_arms([4, 9, 2, 9])
    normals = Normals.draw(np.random.default_rng(3), 9, 2, 2)
    together = descend(sample, arms, normals)
    for k in range(4):
        alone = descend(sample, arms.take(slice(k, k + 1)), normals)
        np.testing.assert_allclose(together.beta[k], alone.beta[0], rtol=1e-10)


def test_unclipped_paths_equal_the_closed_form():
    """liang2025 App. E.1: Theta^(t) = Theta_hat - (I - eta A)^t Theta_hat + accumulated noise, and recursion (12)."""
    from dpdescent.papers.liang2025 import appendices

    sample = sample_of(3, 4, 500)
    arms = make_arms([12], gamma1=np.inf, gamma2=np.inf)
    normals = Normals.draw(np.random.default_rng(9), 12, 3, 4)
    result = descend(sample, arms, normals, record=True)
    exact = two_stage_gd.Moments.of(sample)
    Xi, nu = arms.lambda1[0] * normals.stage1[:, 0].swapaxes(1, 2), arms.lambda2[0] * normals.stage2[:, 0]
    Thetas = appendices.first_stage_path(exact, arms.eta[0], Xi)
    np.testing.assert_allclose(result.Theta_path[:, 0], Thetas, atol=1e-10)
    betas = appendices.second_stage_path(exact, Thetas, arms.alpha[0], nu)
    np.testing.assert_allclose(result.beta_path[:, 0], betas, atol=1e-10)


@pytest.mark.parametrize(("p", "q"), [(3, 3), (3, 8)])
def test_noise_free_descent_converges_to_two_stage_least_squares(p, q):
    sample = sample_of(p, q, 2000, seed=4)
    fit = two_stage_least_squares(sample)
    alpha = 1.0 / np.linalg.eigvalsh(fit.Theta.T @ sample.Z.T @ sample.Z @ fit.Theta / sample.n)[-1]
    arms = make_arms([3000], gamma1=np.inf, gamma2=np.inf, lambda1=0.0, lambda2=0.0, eta=0.8, alpha=alpha)
    normals = Normals(np.zeros((3000, 1, p, q)), np.zeros((3000, 1, p)))
    np.testing.assert_allclose(descend(sample, arms, normals).beta[0], fit.beta, atol=1e-8)


@pytest.mark.parametrize(("p", "q"), [(1, 1), (4, 4), (3, 7)])
def test_noise_free_shortcut_equals_the_plain_loop(p, q):
    sample = sample_of(p, q, 300, seed=6)
    steps = [1, 2, 5, 30, 400]
    betas = two_stage_gd.final_betas(sample, steps, eta=0.7, alpha=0.01)
    arms = make_arms(steps, gamma1=np.inf, gamma2=np.inf, lambda1=0.0, lambda2=0.0, eta=0.7, alpha=0.01)
    normals = Normals(np.zeros((400, 1, p, q)), np.zeros((400, 1, p)))
    np.testing.assert_allclose(betas, descend(sample, arms, normals).beta, rtol=1e-9, atol=1e-11)


def test_covariance_of_the_first_stage_by_simulation():
    """liang2025 App. D.4: columns of the accumulated noise have the stated covariance."""
    from dpdescent.papers.liang2025 import appendices

    sample, runs, T = sample_of(1, 3, 400), 4000, 6
    arms = make_arms([T] * runs, gamma1=np.inf, gamma2=np.inf, lambda1=0.3, lambda2=0.0, eta=0.6, alpha=0.01)
    rng = np.random.default_rng(11)
    normals = Normals(rng.standard_normal((T, runs, 1, 3)), np.zeros((T, runs, 1)))
    Theta = descend(sample, arms, normals).Theta[:, :, 0]
    gram = sample.Z.T @ sample.Z / sample.n
    expected = appendices.accumulated_noise_covariance(gram, 0.6, 0.3, T - 1)
    # Sample covariances have relative sd sqrt(2 / runs) = 2.2 %; five of those.
    np.testing.assert_allclose(np.cov(Theta.T), expected, atol=0.11 * np.abs(expected).max())


@pytest.mark.parametrize("field", ["eta", "alpha", "gamma1", "gamma2"])
def test_arms_refuse_what_is_not_positive(field):
    with pytest.raises(ValueError, match=f"{field}=0.0 must be positive"):
        make_arms([3], **{field: 0.0})


def test_arms_refuse_no_steps_and_negative_noise():
    with pytest.raises(ValueError, match="steps=0 must be at least 1"):
        make_arms([3, 0])
    with pytest.raises(ValueError, match=r"lambda2=-1\.0"):
        make_arms([3], lambda2=-1.0)


def test_too_little_noise_is_refused():
    with pytest.raises(ValueError, match="4 steps of noise do not suffice for T=5"):
        descend(sample_of(1, 1, 20), make_arms([5]), Normals.draw(np.random.default_rng(0), 4, 1, 1))


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize(("gamma1", "gamma2", "noise"), [(40.0, 300.0, 0.01), (8.0, 20.0, 0.3), (np.inf, 900.0, 0.1)])
def test_rows_out_of_reach_of_clipping_change_nothing(gamma1, gamma2, noise, counted, monkeypatch):
    """Runs long enough for regions to be left, to narrow and to be given up, with planted rows, in both ways."""
    sample = sample_of(2, 3, 1500)
    sample.X[0], sample.y[1] = 1e6, -1e7
    if counted:
        sample = IVSample(sample.Z, sample.X, sample.y, np.arange(1500) % 4 + 1.0)
    arms = make_arms([40, 17, 40], eta=0.4, alpha=0.01, gamma1=gamma1, gamma2=gamma2, lambda1=noise, lambda2=noise)
    normals = Normals.draw(np.random.default_rng(5), 40, 2, 3)
    looked_at = []
    taken = Rows.taken
    monkeypatch.setattr(Rows, "taken", lambda rows, *args: looked_at.append(len(args[0])) or taken(rows, *args))
    screened = descend(sample, arms, normals, record=True)
    assert looked_at, "the screen was not used"
    monkeypatch.setattr(two_stage_products, "FEW", 1 << 60)
    whole = descend(sample, arms, normals, record=True)
    for field in ("Theta_path", "beta_path"):
        np.testing.assert_allclose(getattr(screened, field), getattr(whole, field), rtol=1e-9, atol=1e-11)
    np.testing.assert_array_equal(screened.clipped1, whole.clipped1)
    np.testing.assert_array_equal(screened.clipped2, whole.clipped2)
    assert screened.clipped2.max() > 0


@given(
    size=st.sampled_from([1.0, 1e3, 1e9, 1e17]), scale=st.floats(1e-3, 1e3), seed=st.integers(0, 2**32 - 1),
    gammas=st.tuples(st.floats(0.01, 1e3), st.floats(0.01, 1e3)),
)  # fmt: skip
def test_gradients_are_right_whatever_the_anchor_and_the_iterates(size, scale, seed, gammas):
    rng = np.random.default_rng(seed)
    Z, X, y = rng.standard_normal((60, 2)), rng.standard_normal((60, 2)), rng.standard_normal(60)
    X[0], y[1], Z[2] = size, -size, 10.0
    products, limits = Products(IVSample(Z, X, y), 3), [np.full(3, gamma) for gamma in gammas]
    products.screen = _Screen(products.layout)
    products.screen.Theta, products.screen.predictor = rng.standard_normal((2, 2)), rng.standard_normal(2)
    for step in range(30):
        shrinking = scale * 0.8**step
        Theta, beta = shrinking * rng.standard_normal((3, 2, 2)), rng.standard_normal((3, 2))
        found, expected = np.zeros((2, 3)), np.zeros((2, 3))
        sums = products(Theta, beta, *limits, found)
        wanted = clipped_gradients(
            products.layout, Theta, beta, *(limit[:, None] for limit in limits), expected, products.scratch
        )
        np.testing.assert_array_equal(found, expected)
        for k in (0, 1):
            # Where sums are moments less a correction, their error is 1e-6 of a threshold times the fitted regressors.
            bound = 1e-6 * gammas[k] * (1.0 + np.abs(Theta).max())
            np.testing.assert_allclose(sums[k], wanted[k], rtol=1e-9, atol=bound)
