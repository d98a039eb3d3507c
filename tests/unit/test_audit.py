"""The audit's ground floor: bounds against definitions and exact enumeration, and attacks on pairs of known privacy."""

import math
from itertools import pairwise, product

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ndtr
from scipy.stats import binom, binomtest, multivariate_normal

from dpdescent.privacy.audit import attack, bounds
from dpdescent.privacy.audit.attack import SHOWN, SURE, Attack, Scores
from dpdescent.privacy.audit.gaussian import mu_of_shifts, realised_cost
from dpdescent.replication.ledger.requests import Request, rounded

CONFIDENCES = (0.6, 0.95, 0.9999)
# So many runs that limits are the rates themselves.
MANY = 10**14


def low_bounds(delta: float):
    """The three bounds, as functions of (false positives, false negatives, runs, confidence)."""
    return {
        "mu": bounds.mu_low, "rho": bounds.rho_low, "epsilon": lambda *at: bounds.epsilon_low(*at, delta=delta),
    }  # fmt: skip


BOUNDS = low_bounds(1e-5)


# Clopper-Pearson


@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize("runs", [1, 7, 1000])
def test_limits_of_rates(runs, confidence):
    """As scipy has them, and where the binomial tail is as small as the confidence allows."""
    counts = np.unique([0, 1, runs // 3, runs - 1, runs])
    limits = bounds.rate_at_most(counts, runs, confidence)
    # The upper end of a two-sided interval has half of the error.
    both = 2 * confidence - 1
    exact = [binomtest(int(k), runs).proportion_ci(both, method="exact").high for k in counts]
    np.testing.assert_allclose(limits, exact, rtol=1e-7)
    np.testing.assert_allclose(binom.cdf(counts[:-1], runs, limits[:-1]), 1 - confidence, rtol=1e-8)
    assert limits[-1] == 1.0


@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize("runs", [1, 6, 25])
def test_limits_are_seldom_below_the_truth(runs, confidence):
    counts = np.arange(runs + 1)
    limits = bounds.rate_at_most(counts, runs, confidence)
    for rate in np.concatenate([np.linspace(0, 1, 101), limits - 1e-9]):
        missed = binom.pmf(counts, runs, rate)[limits < rate].sum()
        assert missed <= (1 - confidence) * (1 + 1e-9)


def test_no_error_seen():
    """0 of n: the limit is `1 - error^(1/n)`, each side having half of the error."""
    limit = 1 - 0.025 ** (1 / 300)
    assert bounds.rate_at_most(0, 300, 0.975) == pytest.approx(limit, rel=1e-12)
    assert bounds.epsilon_low(0, 0, 300, 0.95, 1e-3) == pytest.approx(math.log((1 - 1e-3 - limit) / limit), rel=1e-12)
    # Finite whatever is seen: nobody can refute more than about the logarithm of the number of runs.
    assert 3.0 < bounds.epsilon_low(0, 0, 300, 0.95, 1e-3) < math.log(300)
    assert math.isfinite(bounds.mu_low(0, 0, 300, 0.95))


@pytest.mark.parametrize("name", BOUNDS)
@pytest.mark.parametrize(("fp", "fn"), [(50, 50), (50, 0), (0, 50), (25, 25), (30, 30)])
def test_tests_that_tell_nothing_refute_nothing(name, fp, fn):
    """All wrong, always the same verdict, a fair coin, or worse: another threshold's business."""
    assert BOUNDS[name](fp, fn, 50, 0.95) == 0.0


# What errors of known mechanisms show


def randomised_response(eps, delta):
    """Error rate, on either side, of the test that believes the answer; with probability delta the truth leaks."""
    return (1 - delta) / (1 + math.exp(eps))


def above(bound, truth, rates, runs, confidence):
    """Exact probability that a bound from independent errors at these rates exceeds the truth."""
    counts = np.arange(runs + 1)
    fp, fn = np.meshgrid(counts, counts, indexing="ij")
    weights = np.multiply.outer(*(binom.pmf(counts, runs, rate) for rate in rates))
    return weights[bound(fp, fn, runs, confidence) > truth].sum()


@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize(("eps", "delta"), [(0.0, 1e-5), (0.5, 1e-5), (1.5, 0.1), (3.0, 0.01)])
def test_epsilon_of_randomised_response(eps, delta, confidence):
    rate, bound = randomised_response(eps, delta), low_bounds(delta)["epsilon"]
    for runs in (5, 40, 120):
        assert above(bound, eps + 1e-12, (rate, rate), runs, confidence) <= 1 - confidence
    # The truth is reached with many runs, and only just.
    assert bound(rate * MANY, rate * MANY, MANY, confidence) == pytest.approx(eps, abs=1e-5)


def test_either_direction_refutes_epsilon():
    """`1 - beta <= e^eps alpha + delta` and `1 - alpha <= e^eps beta + delta`: few errors on either side are enough."""
    rare, often = 0.01 * MANY, 0.6 * MANY
    found = [BOUNDS["epsilon"](*order, MANY, 0.95) for order in ((rare, often), (often, rare))]
    assert found[0] == found[1] == pytest.approx(math.log((0.4 - 1e-5) / 0.01), rel=1e-5)


@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize("mu", [0.0, 0.3, 1.0, 4.0])
@pytest.mark.parametrize("threshold", [-0.5, 0.5, 1.5])
def test_mu_of_gaussians(mu, threshold, confidence):
    rates = ndtr(-threshold), ndtr(threshold - mu)
    for runs in (5, 40, 120):
        assert above(bounds.mu_low, mu + 1e-12, rates, runs, confidence) <= 1 - confidence
    counts = np.array(rates) * MANY
    assert bounds.mu_low(*counts, MANY, confidence) == pytest.approx(mu, abs=1e-4)


def divergence(p, q, order):
    """Renyi divergence of two distributions on finitely many points, by its definition."""
    if order == 1:
        return sum(x * math.log(x / y) for x, y in zip(p, q, strict=True))
    return math.log(sum(x**order * y ** (1 - order) for x, y in zip(p, q, strict=True))) / (order - 1)


@pytest.mark.parametrize(("fp", "fn"), [(10, 20), (2, 45), (45, 2), (0, 0)])
def test_rho_is_the_largest_divergence_over_its_order(fp, fn):
    runs = 100
    a, b = (float(bounds.rate_at_most(count, runs, 0.975)) for count in (fp, fn))
    pairs = [((1 - b, b), (a, 1 - a)), ((a, 1 - a), (1 - b, b))]
    largest = max(divergence(p, q, order) / order for order in bounds.ORDERS for p, q in pairs)
    assert bounds.rho_low(fp, fn, runs, 0.95) == pytest.approx(largest, rel=1e-9)
    assert largest > 0


@pytest.mark.parametrize("mu", [0.05, 0.5, 2.0, 6.0])
def test_rho_of_gaussians(mu):
    """Verdicts are post-processing: below `mu^2 / 2` at every threshold; 2/pi of it at the middle for a small mu."""
    thresholds = mu / 2 + np.linspace(-3, 3, 61)
    counts = ndtr(-thresholds) * MANY, ndtr(thresholds - mu) * MANY
    found = bounds.rho_low(*counts, MANY, 0.95)
    assert (found <= mu**2 / 2).all()
    assert found.max() >= 0.6 * mu**2 / 2
    if mu == 0.05:
        assert found[30] / (mu**2 / 2) == pytest.approx(2 / math.pi, rel=0.01)


@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize("name", ["rho", "epsilon"])
def test_bounds_without_a_law_on_gaussians(name, confidence):
    mu, delta = 1.0, 1e-2
    truth = {"rho": mu**2 / 2, "epsilon": bounds.epsilon_of_mu(mu, delta)}[name]
    for threshold in (0.5, 2.0):
        rates = ndtr(-threshold), ndtr(threshold - mu)
        assert above(low_bounds(delta)[name], truth, rates, 60, confidence) <= 1 - confidence


@pytest.mark.parametrize("name", BOUNDS)
def test_bounds_fall_with_confidence_and_errors(name):
    bound, counts = BOUNDS[name], np.arange(0, 1000, 50)
    others = np.full_like(counts, 200)
    values = [bound(counts, others, 1000, confidence) for confidence in CONFIDENCES]
    assert all((more >= less).all() for more, less in pairwise(values))
    assert all((np.diff(value) <= 0).all() for value in values)
    assert values[0][0] > values[1][0] > values[2][0] > 0
    # The two sides count alike.
    np.testing.assert_allclose(bound(others, counts, 1000, 0.95), values[1], rtol=1e-12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bounds.rate_at_most(0, 0, 0.9), "runs=0"),
        (lambda: bounds.rate_at_most([1, 11], 10, 0.9), r"counts from 1\.0 to 11\.0"),
        (lambda: bounds.rate_at_most(-1, 10, 0.9), "counts"),
        (lambda: bounds.rate_at_most(math.nan, 10, 0.9), "counts"),
        (lambda: bounds.rate_at_most(1, 10, 1.0), r"confidence=1\.0"),
        (lambda: bounds.rate_at_most(1, 10, 0.0), r"confidence=0\.0"),
        (lambda: bounds.epsilon_low(1, 1, 10, 0.9, 0.0), r"delta=0\.0"),
        (lambda: bounds.epsilon_low(1, 1, 10, 0.9, 1.0), r"delta=1\.0"),
        *((lambda bound=bound, c=c: bound(1, 1, 10, c), "confidence=") for bound, c in product(
            BOUNDS.values(), (-0.5, 0.0, 1.0, math.nan))),
    ],
)  # fmt: skip
def test_bad_counts_and_confidences_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("mu", [0.05, 1.0, 5.0])
def test_epsilon_of_mu_by_the_privacy_profile(mu):
    """`delta = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu)`."""

    def excess(eps):
        return ndtr(mu / 2 - eps / mu) - math.exp(eps) * ndtr(-mu / 2 - eps / mu) - 1e-5

    assert bounds.epsilon_of_mu(mu, 1e-5) == pytest.approx(brentq(excess, 0, 100, xtol=1e-12), rel=1e-6)


def test_epsilon_of_mu_at_its_ends():
    assert bounds.epsilon_of_mu(0.0, 1e-5) == 0.0
    assert bounds.epsilon_of_mu(math.inf, 1e-5) == math.inf


# Attacks


def gaussians(mu: float, **more) -> Attack:
    """One Gaussian release, of which the score is the release itself."""

    def simulate(runs, rng):
        return rng.standard_normal(runs), rng.standard_normal(runs) + mu

    return Attack("0 or mu in unit noise", simulate, mu=mu, **more)


def given(first, second) -> Attack:
    """An attack whose scores are known, at most a block of them."""
    assert len(first) == len(second) <= attack.TOGETHER
    return Attack("given", lambda runs, _: (np.asarray(first)[:runs], np.asarray(second)[:runs]))


def all_bounds(scores: Scores, confidence: float = SHOWN) -> tuple[float, float, float]:
    return scores.mu_low(confidence), scores.rho_low(confidence), scores.epsilon_low(1e-5, confidence)


def twin(scores: Scores, bound, confidence: float) -> float:
    """The slow way: errors counted one by one, the threshold by a loop over the runs that choose."""

    def errors(side, t):
        return sum(x > t for x in side[0]), sum(x <= t for x in side[1])

    runs = scores.chosen_on.shape[1]
    tried = sorted(set(np.quantile(scores.chosen_on, np.linspace(0, 1, attack.TRIED))))
    values = [float(bound(*errors(scores.chosen_on, t), runs, SURE)) for t in tried]
    best = tried[values.index(max(values))]
    return float(bound(*errors(scores.tested, best), scores.tested.shape[1], confidence))


@pytest.mark.parametrize("digits", [0, 17])
def test_bounds_by_the_slow_way(digits, monkeypatch):
    """With ties and without."""
    monkeypatch.setattr(attack, "TRIED", 60)
    rng = np.random.default_rng(0)
    both = np.round([rng.standard_normal(600), rng.standard_normal(600) + 2.5], digits)
    scores = Scores(both[:, :200], both[:, 200:])
    for confidence in (SHOWN, SURE):
        slow = [twin(scores, BOUNDS[name], confidence) for name in ("mu", "rho", "epsilon")]
        assert all_bounds(scores, confidence) == pytest.approx(slow, rel=1e-12)
        assert min(slow) > 0


def test_the_first_fifth_chooses_and_the_rest_is_tested():
    first, second = np.arange(100.0), np.arange(100.0) + 1000
    scores = attack.run(given(first, second), 100, np.random.default_rng(0))
    np.testing.assert_array_equal(scores.chosen_on, [first[:20], second[:20]])
    np.testing.assert_array_equal(scores.tested, [first[20:], second[20:]])
    assert scores.runs == 80


def test_few_errors_where_few_runs_show_nothing():
    """20 of either side refute nothing at 99.99 %, so the threshold is where they err least."""
    rng = np.random.default_rng(11)
    both = np.array([[0.0], [1.0]]) + rng.standard_normal((2, 5000))
    scores = Scores(both[:, :20], both[:, 20:])
    at = np.quantile(scores.chosen_on, np.linspace(0, 1, attack.TRIED))
    errors = [(scores.chosen_on[0] > t).sum() + (scores.chosen_on[1] <= t).sum() for t in at]
    best = at[errors.index(min(errors))]
    tested = (scores.tested[0] > best).sum(), (scores.tested[1] <= best).sum()
    assert scores.mu_low() == bounds.mu_low(*tested, 4980, SHOWN) > 0.7


def test_tested_runs_do_not_choose():
    """They would be told apart perfectly at 15, but the threshold comes from runs around 0 and 1."""
    rng = np.random.default_rng(1)
    means = np.array([[0.0], [1.0]])
    chosen = means + rng.standard_normal((2, 1000))
    blatant = np.repeat([[10.0], [20.0]], 1000, axis=1)
    assert all_bounds(Scores(chosen, blatant)) == (0.0, 0.0, 0.0)
    assert min(all_bounds(Scores(blatant, blatant))) > 1
    # What is tested counts, in whatever order.
    tested = means + rng.standard_normal((2, 1000))
    found = all_bounds(Scores(chosen, tested))
    assert found == all_bounds(Scores(chosen, rng.permuted(tested, axis=1))) == all_bounds(Scores(chosen, tested))
    assert found != all_bounds(Scores(tested, chosen))


def test_scores_of_any_sign_and_scale():
    plain = attack.run(gaussians(2.0), 2000, np.random.default_rng(2))
    for factor, offset in ((1e-6, 0.0), (1.0, -1000.0), (1e9, 5e9)):
        moved = Scores(plain.chosen_on * factor + offset, plain.tested * factor + offset)
        assert all_bounds(moved) == pytest.approx(all_bounds(plain), rel=1e-9)
    # Exchanged data sets and negated scores are the same test; only one of the two is no test any more.
    mirrored = Scores(-plain.chosen_on[::-1], -plain.tested[::-1])
    assert mirrored.mu_low() == pytest.approx(plain.mu_low(), rel=0.02)
    assert all_bounds(Scores(plain.chosen_on[::-1], plain.tested[::-1])) == (0.0, 0.0, 0.0)


def test_a_score_of_two_values():
    """Randomised response: whatever the threshold, errors are wrong answers."""
    eps, rng = 1.0, np.random.default_rng(3)
    wrong = rng.random((2, 5000)) < randomised_response(eps, 0.0)
    scores = attack.run(given(wrong[0].astype(float), 1.0 - wrong[1]), 5000, rng)
    errors = wrong[:, 1000:].sum(1)
    assert scores.epsilon_low(1e-5) == BOUNDS["epsilon"](*errors, 4000, SHOWN)
    assert scores.mu_low() == bounds.mu_low(*errors, 4000, SHOWN)
    assert 0.8 * eps < scores.epsilon_low(1e-5) < eps
    # The distribution-free one knows no Gaussian: this mu is none that the mechanism has.
    assert scores.rho_low() > 0


def test_a_score_of_one_value_shows_nothing():
    assert all_bounds(attack.run(given(np.ones(100), np.ones(100)), 100, np.random.default_rng(0))) == (0.0, 0.0, 0.0)


def test_runs_come_in_blocks_and_no_more_than_affordable():
    sizes = []

    def simulate(runs, rng):
        sizes.append(runs)
        return rng.standard_normal(runs), rng.standard_normal(runs)

    scores = attack.run(Attack("counted", simulate, most_runs=25_000), 10**9, np.random.default_rng(0))
    assert sizes == [10_000, 10_000, 5_000]
    assert scores.runs == 20_000
    assert attack.run(Attack("counted", simulate, most_runs=25_000), 100, np.random.default_rng(0)).runs == 80


@pytest.mark.parametrize(("runs", "most"), [(9, None), (100, 9), (100, 0)])
def test_too_few_runs(runs, most):
    with pytest.raises(ValueError, match=f"runs={min(runs, 9 if most is None else most)} a side: at least 10"):
        attack.run(gaussians(1.0, most_runs=most), runs, np.random.default_rng(0))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("side", [0, 1])
def test_scores_that_are_not_finite(bad, side):
    both = np.zeros((2, 50))
    both[side, 7] = bad
    for shape in ((50,), (50, 1)):
        with pytest.raises(ValueError, match="not finite: given"):
            attack.run(given(*both.reshape(2, *shape)), 50, np.random.default_rng(0))


# Linear scores


COVARIANCE = np.array([[2.0, 0.9, 0.0], [0.9, 1.0, -0.3], [0.0, -0.3, 0.5]])
SHIFT = np.array([0.5, -0.4, 0.2])


def correlated(runs, rng, units=1.0):
    noise = multivariate_normal(np.zeros(3), COVARIANCE).rvs((2, runs), rng)
    return noise[0] * units, (noise[1] + SHIFT) * units


@pytest.mark.parametrize("units", [np.ones(3), np.array([1e-6, 1.0, 1e9])])
def test_the_linear_score_is_the_likelihood_ratio_of_gaussians(units):
    # Over the covariances of both sides, which are equal.
    exact = np.linalg.solve(2 * COVARIANCE, SHIFT) / units
    found = attack.linear_score(*correlated(100_000, np.random.default_rng(4), units))
    np.testing.assert_allclose(found * units, exact * units, atol=0.03)
    mu = math.sqrt(SHIFT @ np.linalg.solve(COVARIANCE, SHIFT))
    scores = attack.run(Attack("three", lambda *at: correlated(*at, units), mu=mu), 40_000, np.random.default_rng(5))
    assert 0.9 * mu < scores.mu_low() < mu
    # Better than any of the three alone.
    assert scores.mu_low() > np.max(np.abs(SHIFT) / np.sqrt(np.diag(COVARIANCE)))


def test_a_half_fits_and_does_not_test():
    """Runs that fit: the first coordinate tells; runs that are tested: only the second one would."""
    rng = np.random.default_rng(6)
    first, second = rng.standard_normal((2, 1000, 2))
    second[:500, 0] += 5.0
    second[500:, 1] += 50.0
    scores = attack.run(given(first, second), 1000, rng)
    assert scores.runs == 500
    assert scores.mu_low() < 1.0


def test_one_number_is_a_score_with_a_sign_to_be_found():
    flipped = Attack("falls", lambda runs, rng: (rng.standard_normal((runs, 1)), rng.standard_normal((runs, 1)) - 2.0))
    assert 1.7 < attack.run(flipped, 20_000, np.random.default_rng(7)).mu_low() < 2.0


@pytest.mark.parametrize("size", [1.0, 1e-3, 1e3])
def test_a_coordinate_without_noise_is_not_overlooked(size):
    """Somebody forgot the noise on one number: the runs are told apart with certainty."""

    def simulate(runs, rng):
        first, second = rng.standard_normal((2, runs, 3))
        first[:, 1], second[:, 1] = 0.1, 0.1 + size
        # A constant that is the same on both sides tells nothing and does no harm.
        first[:, 2] = second[:, 2] = 7.0
        return first, second

    scores = attack.run(Attack("forgotten", simulate), 2000, np.random.default_rng(8))
    assert scores.mu_low() == bounds.mu_low(0, 0, 1000, SHOWN)


# Validity


@pytest.fixture
def _few_thresholds(monkeypatch):
    """Many audits in little time."""
    monkeypatch.setattr(attack, "TRIED", 30)


@pytest.mark.usefixtures("_few_thresholds")
def test_no_difference_shows_none():
    same = [attack.run(gaussians(0.0), 1000, np.random.default_rng((9, seed))) for seed in range(200)]
    shown = np.array([all_bounds(scores) for scores in same])
    assert all(all_bounds(scores, SURE) == (0.0, 0.0, 0.0) for scores in same)
    assert ((shown > 0).sum(0) <= binom.ppf(0.999, 200, 0.05)).all()
    assert shown[:, 0].max() < 0.3


@pytest.mark.usefixtures("_few_thresholds")
@pytest.mark.parametrize("mu", [pytest.param(0.5, marks=pytest.mark.slow), 2.0])
def test_bounds_hold_as_often_as_they_say(mu):
    """400 audits of a known pair: at 95 % no more failures than chance allows, at 99.99 % none."""
    delta = 0.05
    truth = np.array([mu, mu**2 / 2, bounds.epsilon_of_mu(mu, delta)])
    audits = [attack.run(gaussians(mu), 500, np.random.default_rng((10, seed))) for seed in range(400)]
    found = {
        confidence: np.array([
            (one.mu_low(confidence), one.rho_low(confidence), one.epsilon_low(delta, confidence)) for one in audits
        ])
        for confidence in (SHOWN, SURE)
    }  # fmt: skip
    assert ((found[SHOWN] > truth).sum(0) <= binom.ppf(0.999, 400, 0.05)).all()
    assert (found[SURE] <= truth).all()
    assert (found[SURE] <= found[SHOWN]).all()
    # Nor are they idle.
    assert np.median(found[SHOWN][:, 0]) > (0.3 if mu == 0.5 else 0.75) * mu


# What a pair attains, and requests


def test_exact_epsilon_of_a_pair():
    assert gaussians(1.0).exact_epsilon(1e-5) == bounds.epsilon_of_mu(1.0, 1e-5)
    assert gaussians(1.0, epsilon=lambda delta: 10 * delta).exact_epsilon(0.1) == 1.0
    assert given([], []).exact_epsilon(1e-5) is None


def test_mu_of_shifts():
    """Releases add in squares, each in units of its own noise."""
    assert mu_of_shifts(np.array([3.0, 4.0]), 1.0) == 5.0
    assert mu_of_shifts(np.array([3.0, -8.0]), np.array([1.0, 2.0])) == 5.0
    assert mu_of_shifts(np.full((4, 2), 0.5), 0.25) == pytest.approx(2.0 * math.sqrt(8), rel=1e-14)
    for sd in (0.0, -1.0, math.nan):
        with pytest.raises(ValueError, match="noise_sds down to"):
            mu_of_shifts(np.ones(2), np.array([1.0, sd]))


def test_the_mean_realised_cost_is_the_divergence():
    """Two releases, the second mean following the first release: divergence by quadrature of its definition."""
    sd, (a, b) = 0.8, (0.0, 0.5)
    x = np.linspace(-7, 7, 1401)
    density = [np.exp(-0.5 * ((x - m) / sd) ** 2) / (sd * math.sqrt(2 * math.pi)) for m in (a, b)]
    # On the first data set the second mean is 0, on the other it is sin of the first release.
    second = 0.5 * (np.sin(x) / sd) ** 2
    exact = (density[0] * (np.log(density[0] / density[1]) + second)).sum() * (x[1] - x[0])
    costs = [realised_cost(np.array([[a], [0.0]]), np.array([[b], [math.sin(at)]]), sd) for at in x]
    assert (density[0] * costs).sum() * (x[1] - x[0]) == pytest.approx(exact, rel=1e-9)
    with pytest.raises(ValueError, match=r"shapes \(2,\) and \(3,\)"):
        realised_cost(np.ones(2), np.ones(3), 1.0)
    with pytest.raises(ValueError, match="positive"):
        realised_cost(np.ones(2), np.ones(2), 0.0)


def test_equal_requests_have_equal_texts():
    request = Request("gradient flips sign", {"T": 20, "mu": rounded(0.1 + 0.2)})
    assert request.json() == Request("gradient flips sign", {"mu": rounded(0.3), "T": 20}).json()
    assert request.json() != Request("gradient flips sign", {"T": 21, "mu": 0.3}).json()
    assert Request.parse(request.json()) == request


def test_rounded():
    assert rounded(0.1 + 0.2) == 0.3
    assert rounded(1.0 + 1e-8) != 1.0
    assert rounded(math.inf) == math.inf
    assert rounded(-1.23456789012e-20) == -1.23456789e-20
