"""The exact law of unclipped DP-GD against runs of it, and what it says of intervals against simulated intervals."""

import math

import numpy as np
import pytest
from scipy.special import ellipe, gammaln
from scipy.stats import foldnorm

from dpdescent import interval_arithmetic as intervals
from dpdescent.algorithms.gaussian_law import IterateLaw, expected_norm, pinsker
from dpdescent.data.linear import Gram, LinearSample, anisotropic_root, draw_linear, unit_sphere

RUNS = 20_000
TIMES = [1, 3, 7]
CONSTRUCTIONS = [("checkpoints", None), ("batched means", None), ("independent runs", None), ("independent runs", 1)]


def plain_descent(sample, eta, noise_sd, theta_0, normals):
    """Iterates 1 to T by the algorithm's own words: gradients of all records, noise, step (brown2024 Algorithm 1)."""
    theta, path = np.tile(theta_0, (normals.shape[1], 1)), []
    for z in normals:
        gradient = (sample.X @ theta.T - sample.y[:, None]).T @ sample.X / sample.n
        theta = theta - eta * gradient + eta * noise_sd * z
        path.append(theta)
    return np.array(path)


def anisotropic_sample(n=500, p=5):
    rng = np.random.default_rng(3)
    return draw_linear(unit_sphere(p, rng), n, rng, root=anisotropic_root(p, rng))


def law_of_spectrum(products, eta=0.25, noise_sd=0.3, seed=0):
    """A law with given products eta s, in rotated coordinates, from a starting point other than zero."""
    p, rng = len(products), np.random.default_rng(seed)
    V = np.linalg.qr(rng.standard_normal((p, p)))[0]
    gram = Gram(n=7, xx=7 / eta * (V * products) @ V.T, xy=rng.standard_normal(p), yy=1.0)
    return IterateLaw.of(gram, eta=eta, noise_sd=noise_sd, theta_0=rng.standard_normal(p))


def paper_law(steps, seed=0, n=10_000, p=10, eta=0.25, rho=0.015):
    """The setting of brown2024 Sec. 4: gamma = 5 sqrt(p), lambda^2 = 2 N gamma^2 / (rho n^2), N steps in all."""
    rng = np.random.default_rng(seed)
    gram = draw_linear(unit_sphere(p, rng), n, rng).gram
    return IterateLaw.of(gram, eta=eta, noise_sd=math.sqrt(2 * steps * 25 * p / rho) / n)


def construct(construction, iterates, m, burn_in, tail=None):
    """Estimates, shape (m, ...), from iterates of shape (N, ...): those of one run, or step by step of all m."""
    if construction == "independent runs":
        return intervals.independent_runs(iterates.reshape(-1, m, *iterates.shape[1:]), burn_in, tail)
    function = {"checkpoints": intervals.checkpoints, "batched means": intervals.batched_means}[construction]
    return function(iterates, m, burn_in)


def simulated_estimates(law, construction, steps, tail, count, m=10, burn_in=20):
    """Estimates of `count` replications, shape (m, count, p), through `intervals` from simulated runs."""
    runs = m if construction == "independent runs" else 1
    path = law.simulate(steps // runs, runs * count, np.random.default_rng(5))
    return construct(construction, path.reshape(steps, count, -1), m, burn_in, tail)


# The law of the iterates


@pytest.fixture(scope="module")
def simulation():
    """A law, and the iterates at `TIMES` of 20,000 plain runs, in blocks of runs for the memory."""
    sample, theta_0 = anisotropic_sample(), np.array([1.0, 0.0, -2.0, 0.5, 0.0])
    law = IterateLaw.of(sample.gram, eta=0.3, noise_sd=0.4, theta_0=theta_0)
    rng, kept = np.random.default_rng(4), []
    for _ in range(RUNS // 2000):
        path = plain_descent(sample, 0.3, 0.4, theta_0, rng.standard_normal((TIMES[-1], 2000, sample.p)))
        kept.append(path[[t - 1 for t in TIMES]])
    return law, dict(zip(TIMES, np.concatenate(kept, axis=1), strict=True))


@pytest.mark.parametrize("t", TIMES)
def test_mean_equals_that_of_plain_runs(simulation, t):
    law, iterates = simulation
    error = iterates[t].mean(axis=0) - law.mean(t)
    z = error / np.sqrt(np.diag(law.covariance(t)) / RUNS)
    assert np.abs(z).max() < 3.5
    assert np.abs(law.mean(t) - law.theta_hat).max() > 10 * np.abs(error).max(), "the start-up must be visible"


@pytest.mark.parametrize(("later", "earlier"), [(1, 1), (3, 3), (7, 7), (3, 1), (7, 3)])
def test_covariances_equal_those_of_plain_runs(simulation, later, earlier):
    """The squared Frobenius error of a sample covariance has mean (tr C_later tr C_earlier + ||C||^2) / (R - 1)."""
    law, iterates = simulation
    C = law.cross_covariance(later, earlier)
    centred = [iterates[t] - iterates[t].mean(axis=0) for t in (later, earlier)]
    error = np.linalg.norm(centred[0].T @ centred[1] / (RUNS - 1) - C)
    traces = np.trace(law.covariance(later)) * np.trace(law.covariance(earlier))
    assert error < 1.6 * math.sqrt((traces + np.linalg.norm(C) ** 2) / (RUNS - 1))
    assert error < 0.1 * np.linalg.norm(C), "the error must be small enough to see a wrong covariance"


@pytest.mark.parametrize("t", TIMES)
@pytest.mark.parametrize("target", [None, np.array([0.3, -0.2, 0.0, 0.1, 0.4])])
def test_errors_equal_those_of_plain_runs(simulation, t, target):
    law, iterates = simulation
    distances = np.linalg.norm(iterates[t] - (law.theta_hat if target is None else target), axis=1)
    squared = law.expected_squared_error(t, target)
    assert squared == pytest.approx((distances**2).mean(), rel=0.03)
    assert abs((distances**2).mean() - squared) < 3.5 * (distances**2).std() / RUNS**0.5
    distance = law.expected_distance(t, target)
    assert distance == pytest.approx(distances.mean(), rel=0.01)
    assert abs(distances.mean() - distance) < 3.5 * distances.std() / RUNS**0.5


def test_paths_equal_plain_runs_for_the_same_normals():
    sample, theta_0 = anisotropic_sample(n=60), np.arange(5.0)
    normals = np.random.default_rng(6).standard_normal((40, 3, 5))
    law = IterateLaw.of(sample.gram, eta=0.4, noise_sd=0.2, theta_0=theta_0)
    expected = plain_descent(sample, 0.4, 0.2, theta_0, normals)
    np.testing.assert_allclose(law.path(normals), expected, rtol=0, atol=1e-12)
    from_zero = IterateLaw.of(sample.gram, eta=0.4, noise_sd=0.2).path(normals)
    np.testing.assert_allclose(from_zero, plain_descent(sample, 0.4, 0.2, np.zeros(5), normals), rtol=0, atol=1e-12)


def test_simulation_is_the_path_of_the_streams_normals():
    law = paper_law(220)
    drawn = law.simulate(30, 7, np.random.default_rng(8))
    np.testing.assert_array_equal(drawn, law.path(np.random.default_rng(8).standard_normal((30, 7, 10))))
    np.testing.assert_array_equal(drawn[:12], law.simulate(12, 7, np.random.default_rng(8)))


@pytest.mark.parametrize("products", [[0.01, 0.3, 1.0, 1.7], [0.2, 0.25]])
def test_covariance_follows_its_recursion(products):
    """C_t = M C_(t-1) M + eta^2 lambda^2 I from C_0 = 0, and a stationary law that a further step does not change."""
    law = law_of_spectrum(products)
    p, V = len(products), law.eigenvectors
    Sigma = (V * law.eigenvalues) @ V.T
    M, noise = np.eye(p) - law.eta * Sigma, law.eta**2 * law.noise_sd**2 * np.eye(p)
    C, mean = np.zeros((p, p)), law.theta_0
    for t in range(12):
        np.testing.assert_allclose(law.covariance(t), C, rtol=0, atol=1e-14)
        np.testing.assert_allclose(law.cross_covariance(t + 3, t), M @ M @ M @ C, rtol=0, atol=1e-14)
        np.testing.assert_allclose(law.mean(t), mean, rtol=0, atol=1e-12)
        C, mean = M @ C @ M + noise, law.theta_hat + M @ (mean - law.theta_hat)
    stationary = law.covariance(math.inf)
    np.testing.assert_allclose(M @ stationary @ M + noise, stationary, rtol=0, atol=1e-13)
    np.testing.assert_allclose(law.covariance(10**5), stationary, rtol=0, atol=1e-13)
    np.testing.assert_allclose(law.mean(math.inf), law.theta_hat, rtol=0, atol=1e-14)
    assert law.expected_squared_error(math.inf) == pytest.approx(np.trace(stationary), rel=1e-12)


def test_least_squares_is_the_fixed_point():
    sample = anisotropic_sample()
    law = IterateLaw.of(sample.gram, eta=0.3, noise_sd=0.0, theta_0=np.ones(5))
    np.testing.assert_allclose(law.theta_hat, np.linalg.lstsq(sample.X, sample.y)[0], rtol=1e-10)
    assert law.expected_distance(5) == pytest.approx(np.linalg.norm(law.mean(5) - law.theta_hat), rel=1e-12)
    assert law.expected_squared_error(5) == pytest.approx(law.expected_distance(5) ** 2, rel=1e-12)


def test_expected_norm_in_closed_form():
    for k in (1, 2, 10, 1000):
        chi = math.sqrt(2) * math.exp(gammaln((k + 1) / 2) - gammaln(k / 2))
        assert expected_norm(np.zeros(k), np.full(k, 9.0)) == pytest.approx(3 * chi, rel=1e-11)
    for mean in (0.1, 1.0, 5.0, 1e5):
        assert expected_norm(np.array([mean]), np.array([1.0])) == pytest.approx(foldnorm(mean).mean(), rel=1e-12)
    # Of a point in the plane with sds 3 and 1, by the complete elliptic integral of the second kind.
    expected = 3 * math.sqrt(2 / math.pi) * ellipe(1 - 1 / 9)
    assert expected_norm(np.zeros(2), np.array([1.0, 9.0])) == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(expected_norm(np.array([[3.0, 4.0], [0.0, 0.0]]), np.zeros((2, 2))), [5.0, 0.0], 1e-12)


def test_expected_norm_of_a_general_law():
    rng, count = np.random.default_rng(9), 400_000
    means, variances = np.array([0.7, -0.2, 0.0]), np.array([0.01, 0.6, 0.3])
    norms = np.linalg.norm(means + np.sqrt(variances) * rng.standard_normal((count, 3)), axis=1)
    assert abs(norms.mean() - expected_norm(means, variances)) < 4 * norms.std() / count**0.5


# The law of the estimates behind an interval


@pytest.mark.parametrize(("construction", "tail"), [*CONSTRUCTIONS, ("independent runs", 4)])
@pytest.mark.parametrize(("m", "burn_in"), [(5, 5), (3, 0), (9, 0)])
def test_law_of_estimates_equals_that_from_all_iterates(construction, tail, m, burn_in):
    """Constructions are linear, so that applied to the covariance of all iterates they give that of the estimates."""
    law, steps = law_of_spectrum([0.003, 0.4, 1.0, 1.8]), 45
    estimates, V = law.estimates(construction, steps, m, burn_in, tail), law.eigenvectors
    runs = m if construction == "independent runs" else 1
    times = range(1, steps // runs + 1)
    means = np.array([law.mean(t) - law.theta_hat for t in times]) @ V
    C = np.array([[np.diag(V.T @ law.cross_covariance(max(t, u), min(t, u)) @ V) for u in times] for t in times])
    for s in range(4):
        # Runs side by side have the same law, and know nothing of each other.
        mean, covariance = np.repeat(means[:, s], runs), np.kron(C[:, :, s], np.eye(runs))
        mean = construct(construction, mean, m, burn_in, tail)
        covariance = construct(construction, construct(construction, covariance, m, burn_in, tail).T, m, burn_in, tail)
        np.testing.assert_allclose(estimates.means[s], mean, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(estimates.covariances[s], covariance, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize(("construction", "tail"), [*CONSTRUCTIONS, ("independent runs", 4)])
def test_settled_variances_are_those_after_a_long_burn_in(construction, tail):
    law, longer = law_of_spectrum([0.1, 0.4, 1.0, 1.8]), 400
    settled = law.estimates(construction, 45, 3, 3, tail).settled_variances
    steps = 45 + longer * (3 if construction == "independent runs" else 1)
    late = law.estimates(construction, steps, 3, 3 + longer, tail)
    np.testing.assert_allclose(late.covariances[:, range(3), range(3)], np.tile(settled[:, None], 3), rtol=1e-9)
    np.testing.assert_allclose(late.settled_variances, settled, rtol=1e-12)


@pytest.mark.parametrize(("construction", "tail"), CONSTRUCTIONS)
@pytest.mark.parametrize("steps", [220, 520])
def test_lengths_of_simulated_intervals(construction, tail, steps):
    """1000 replications fix the mean length of one coordinate to 0.7 %, of ten to 0.25 %."""
    law = paper_law(steps)
    simulated = intervals.t_intervals(simulated_estimates(law, construction, steps, tail, 1000)).length.mean(axis=0)
    estimates = law.estimates(construction, steps, 10, 20, tail)
    np.testing.assert_allclose(estimates.expected_length(), simulated, rtol=0.03)
    assert estimates.expected_length().mean() == pytest.approx(simulated.mean(), rel=0.01)
    assert estimates.settled_length().mean() == pytest.approx(simulated.mean(), rel=0.03)


@pytest.mark.parametrize(("construction", "gap"), [("checkpoints", 0.03), ("batched means", 0.05)])
def test_exact_length_holds_where_the_start_up_matters(construction, gap):
    law = paper_law(70)
    simulated = intervals.t_intervals(simulated_estimates(law, construction, 70, None, 4000)).length.mean(axis=0)
    estimates = law.estimates(construction, 70, 10, 20)
    assert estimates.expected_length().mean() == pytest.approx(simulated.mean(), rel=0.006)
    assert estimates.settled_length().mean() > (1 + gap) * simulated.mean()


@pytest.mark.parametrize(("construction", "tail"), CONSTRUCTIONS)
def test_start_up_bias_is_in_the_exact_length(construction, tail):
    """Without burn-in the estimates drift, and noise is small beside that: the length is that of the mean path."""
    law = law_of_spectrum([0.05, 0.1, 0.2], noise_sd=1e-7)
    runs = 3 if construction == "independent runs" else 1
    path = np.repeat([law.mean(t) for t in range(1, 30 // runs + 1)], runs, axis=0)
    expected = intervals.t_intervals(construct(construction, path, 3, 0, tail), 0.9).length
    lengths = law.estimates(construction, 30, 3, 0, tail).expected_length(0.9)
    np.testing.assert_allclose(lengths, expected, rtol=1e-6, atol=1e-6)
    assert (lengths.max() < 1e-6) == (runs == 3), "runs of one law have no spread from their start"


@pytest.mark.parametrize(("construction", "tail"), CONSTRUCTIONS)
def test_drift_and_noise_of_one_size(construction, tail):
    """Slow and fast directions, no burn-in, and a start about as far away as the noise reaches."""
    law, count = law_of_spectrum([0.02, 0.5, 1.8], noise_sd=0.5), 20_000
    lengths = intervals.t_intervals(simulated_estimates(law, construction, 30, tail, count, m=3, burn_in=0)).length
    error = lengths.mean(axis=0) - law.estimates(construction, 30, 3, 0, tail).expected_length()
    assert np.abs(error / (lengths.std(axis=0) / count**0.5)).max() < 3.5
    distances = np.linalg.norm(law.simulate(10, count, np.random.default_rng(7))[-1] - 1.0, axis=1)
    assert abs(distances.mean() - law.expected_distance(10, np.ones(3))) < 3.5 * distances.std() / count**0.5


def test_lengths_in_closed_form():
    """For X'X/n = I: a sample sd of ten has mean .97266; batches tend to 4.40 sqrt(2 / rho) gamma / n for long runs."""
    eta, noise_sd = 0.25, 0.3
    law = IterateLaw.of(Gram(1, np.eye(2), np.zeros(2), 1.0), eta=eta, noise_sd=noise_sd)
    checkpoint = 2 * 2.262157 * 0.97266 * math.sqrt(eta * noise_sd**2 / (2 - eta) / 10)
    settled = law.estimates("checkpoints", 1020, 10, 20)
    np.testing.assert_allclose(settled.settled_length(), checkpoint, rtol=1e-5)
    np.testing.assert_allclose(settled.expected_length(), checkpoint, rtol=1e-5)
    n, rho, gamma, steps = 10_000, 0.015, 5 * math.sqrt(10), 200_020
    law = IterateLaw.of(Gram(1, np.eye(2), np.zeros(2), 1.0), eta=eta, noise_sd=math.sqrt(2 * steps / rho) * gamma / n)
    batches = law.estimates("batched means", steps, 10, 20)
    np.testing.assert_allclose(batches.settled_length(), 4.40 * math.sqrt(2 / rho) * gamma / n, rtol=1e-3)
    np.testing.assert_allclose(batches.expected_length(), batches.settled_length(), rtol=1e-3)


@pytest.mark.parametrize(("construction", "tail"), [c for c in CONSTRUCTIONS if c[0] != "batched means"])
@pytest.mark.parametrize("steps", [220, 520])
def test_coverage_is_nominal_for_separated_estimates(construction, tail, steps):
    """Ten coordinates of 3000 replications: four standard errors are half a percent (brown2024 Thm 3.1)."""
    law, count = paper_law(steps), 3000
    found = intervals.t_intervals(simulated_estimates(law, construction, steps, tail, count))
    covered = found.covers(law.theta_hat).mean(axis=1)
    assert abs(covered.mean() - 0.95) < 4 * covered.std() / count**0.5


def test_coverage_is_not_nominal_for_short_batches():
    law = paper_law(70)
    found = intervals.t_intervals(simulated_estimates(law, "batched means", 70, None, 2000))
    assert 0.75 < found.covers(law.theta_hat).mean() < 0.9


# Distance from the ideal


def dense_divergence(mean, covariance, ideal):
    """KL(N(mean, covariance) || N(0, ideal)) from its textbook formula."""
    inverse = np.linalg.inv(ideal)
    log_ratio = np.linalg.slogdet(ideal)[1] - np.linalg.slogdet(covariance)[1]
    return 0.5 * (np.trace(inverse @ covariance) - len(mean) + mean @ inverse @ mean + log_ratio)


@pytest.mark.parametrize("separate", [True, False])
def test_divergence_equals_that_of_the_whole_vector(separate):
    """The mp-dimensional Gaussians of brown2024 App. C.2.2, block by block, with nothing diagonalised."""
    law, T, m, p = law_of_spectrum([0.2, 0.5, 1.6]), 4, 5, 3
    times = [T] * m if separate else [T * l for l in range(1, m + 1)]
    mean = np.concatenate([law.mean(t) - law.theta_hat for t in times])
    blocks = [[law.covariance(T) * (k == l) if separate else law.cross_covariance(times[l], times[k]) if l >= k else
               law.cross_covariance(times[k], times[l]).T for k in range(m)] for l in range(m)]  # fmt: skip
    covariance, stationary = np.block(blocks), law.covariance(math.inf)
    construction, tail = ("independent runs", 1) if separate else ("checkpoints", None)
    estimates = law.estimates(construction, T * m, m, 0, tail)
    expected = dense_divergence(mean, covariance, np.kron(np.eye(m), stationary))
    assert estimates.divergence() == pytest.approx(expected, rel=1e-9)
    for j in range(p):
        expected = dense_divergence(mean[j::p], covariance[j::p, j::p], stationary[j, j] * np.eye(m))
        assert estimates.coordinate_divergences()[j] == pytest.approx(expected, rel=1e-9)
    assert pinsker(estimates.divergence()) == pytest.approx(math.sqrt(estimates.divergence() / 2))


def test_bound_on_total_variation_in_the_papers_setting():
    """Against an earlier, separate computation on one data set: within what data sets differ, and its rounding."""
    earlier = {
        10: [(1.39, 0.005), (0.52, 0.005)],
        20: [(0.060, 0.0005), (0.024, 0.0005)],
        30: [(0.0030, 5e-5), (0.0013, 5e-5)],
    }
    for T, expected in earlier.items():
        laws = [paper_law(10 * T, seed) for seed in range(12)]
        for (construction, tail), (value, rounding) in zip(
            [("independent runs", 1), ("checkpoints", None)], expected, strict=True
        ):
            bounds = pinsker([law.estimates(construction, 10 * T, 10, 0, tail).divergence() for law in laws])
            assert abs(bounds.mean() - value) < 2.5 * bounds.std(ddof=1) + rounding
            assert bounds.std(ddof=1) < 0.2 * bounds.mean()


# Arguments


def gram_of(products):
    return Gram(n=1, xx=np.diag(products), xy=np.ones(len(products)), yy=1.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: IterateLaw.of(gram_of([1.0, 4.0]), eta=0.5, noise_sd=1.0), r"4, is 2: .* between 0 and 0.5"),
        (lambda: IterateLaw.of(gram_of([1.0, 9.0]), eta=0.5, noise_sd=1.0), r"9, is 4.5: .* 0.2222"),
        (lambda: IterateLaw.of(gram_of([1.0, 2.0]), eta=-0.1, noise_sd=1.0), r"eta=-0.1 .* is -0.2"),
        (lambda: IterateLaw.of(gram_of([1.0, 2.0]), eta=math.nan, noise_sd=1.0), r"eta=nan"),
        (lambda: IterateLaw.of(gram_of([0.0, 2.0]), eta=0.1, noise_sd=1.0), r"from 0 to 2: .* invertible"),
        (lambda: IterateLaw.of(gram_of([1e-17, 2.0]), eta=0.1, noise_sd=1.0), r"from 1e-17 to 2: .* invertible"),
        (lambda: IterateLaw.of(gram_of([1.0, 2.0]), eta=0.1, noise_sd=-1.0), r"noise_sd=-1.0 must"),
        (lambda: law_of_spectrum([0.5]).mean(-1), "t=-1 must"),
        (lambda: law_of_spectrum([0.5]).covariance(2.5), "t=2.5 must"),
        (lambda: law_of_spectrum([0.5]).cross_covariance(3, 4), "later=3 must not be before earlier=4"),
        (lambda: law_of_spectrum([0.5, 0.6]).path(np.zeros((4, 3, 1))), r"\(4, 3, 1\) must be \(T, runs, p=2\)"),
        (lambda: law_of_spectrum([0.5, 0.6]).path(np.zeros((4, 2))), r"\(4, 2\) must be \(T, runs, p=2\)"),
        (lambda: law_of_spectrum([0.5]).estimates("final", 20, 2, 0), "'final' must be one of independent runs, check"),
        (lambda: law_of_spectrum([0.5]).estimates("checkpoints", 21, 2, 0), "21 must be a positive multiple of m=2"),
        (lambda: law_of_spectrum([0.5]).estimates("batched means", 20, 2, 0, 1), "tail=1 is for independent runs"),
        (lambda: law_of_spectrum([0.5]).estimates("independent runs", 21, 2, 0), "N=21 must be a multiple"),
        (lambda: law_of_spectrum([0.5]).estimates("independent runs", 20, 1, 0), "m=1"),
        (lambda: law_of_spectrum([0.5]).estimates("independent runs", 200, 10, 20), "burn_in=20 must .* T=20"),
        (lambda: law_of_spectrum([0.5], noise_sd=0.0).estimates("checkpoints", 20, 2, 0).divergence(), "without noise"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_more_covariates_than_records_have_no_law():
    rng = np.random.default_rng(10)
    with pytest.raises(ValueError, match="must be invertible"):
        IterateLaw.of(LinearSample(rng.standard_normal((3, 5)), np.ones(3)).gram, eta=0.1, noise_sd=1.0)
