"""Accountants of correlated noise that are exact or closed: encoder, Gaussian release, tail, Renyi, closed forms."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import binom

from dpdescent.privacy import accounting, sampling
from dpdescent.privacy.events import CorrelatedReleases, GaussianReleases, Mechanism
from dpdescent.privacy.participation import closed_forms, encoder, fixed_size, gaussian, guarantees, renyi, tail
from dpdescent.privacy.participation.search import first_below, smallest

LAMBDAS = [0.0, 0.3, 0.8, 0.99]


def dense(T: int, lam: float) -> np.ndarray:
    """C of eq. (25), entry by entry."""
    return np.array([[lam ** (t - u) if u <= t else 0.0 for u in range(T)] for t in range(T)])


@pytest.mark.parametrize("lam", LAMBDAS)
def test_encoder_is_the_inverse_of_the_noise(lam):
    T = 9
    C = dense(T, lam)
    decoder = np.eye(T) - lam * np.eye(T, k=-1)
    np.testing.assert_allclose(C @ decoder, np.eye(T), atol=1e-14)
    y = np.random.default_rng(0).normal(size=(2, 3, T))
    np.testing.assert_allclose(encoder.encode(y, lam), y @ C.T, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("lam", LAMBDAS)
def test_column_sums(lam):
    for T in (1, 2, 7, 300):
        assert encoder.column_sum(T, lam) == pytest.approx(math.fsum(lam**s for s in range(T)), rel=1e-12)
    assert encoder.column_sum(0, lam) == 0.0
    assert encoder.column_sum(50, 1.0 - 1e-14) == pytest.approx(50.0, rel=1e-9)


@pytest.mark.parametrize("lam", LAMBDAS)
def test_participations_at_the_start_move_the_sums_most(lam):
    """Against all 2^T ways to take part."""
    T = 10
    y = np.array(list(itertools.product([0.0, 1.0], repeat=T)))
    norms = np.sum((y @ dense(T, lam).T) ** 2, axis=1)
    largest = [norms[y.sum(axis=1) == k].max() for k in range(T + 1)]
    np.testing.assert_allclose(encoder.block_norms_squared(T, lam), largest, rtol=1e-12)
    # Lemma F.11 is looser.
    bound = encoder.column_sum(T, lam) * np.sqrt(np.arange(T + 1))
    assert np.all(np.sqrt(largest) <= bound * (1.0 + 1e-12))


@pytest.mark.parametrize("lam", LAMBDAS)
@pytest.mark.parametrize(("T", "period"), [(12, 4), (13, 5), (3, 7), (6, 1)])
def test_the_first_batch_of_a_cycle_is_the_worst(lam, T, period):
    y = [(np.arange(T) % period == j).astype(float) for j in range(min(T, period))]
    norms = [float(np.sum((dense(T, lam) @ each) ** 2)) for each in y]
    assert encoder.cyclic_norm_squared(T, period, lam) == pytest.approx(norms[0], rel=1e-12)
    assert norms[0] == max(norms)


@pytest.mark.parametrize("mu", [0.01, 0.4, 1.0, 6.0, 40.0])
@pytest.mark.parametrize("eps", [0.0, 0.3, 2.0, 8.0])
def test_gaussian_delta_is_the_integral(mu, eps):
    """E (1 - e^(eps - L))_+ with L ~ N(mu^2/2, mu^2)."""
    start = (eps - 0.5 * mu * mu) / mu
    expected = 0.0
    if start < 30.0:
        expected = quad(
            lambda z: -math.expm1(eps - 0.5 * mu * mu - mu * z) * math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi),
            start, max(start, 0.0) + 12.0, epsabs=0.0, epsrel=1e-11, limit=500,
        )[0]  # fmt: skip
    assert gaussian.delta(mu, eps) == pytest.approx(expected, rel=1e-8, abs=1e-100)


def test_gaussian_delta_at_its_ends_and_inverted():
    np.testing.assert_array_equal(gaussian.delta([0.0, math.inf], 1.0), [0.0, 1.0])
    assert gaussian.delta(1.0, [[0.0], [1.0]]).shape == (2, 1)
    # Where the difference of the two terms has no digits left.
    assert 0.0 < gaussian.delta(0.05, 1.5) < 1e-190
    for eps, delta in ((0.5, 1e-3), (8.0, 1e-9)):
        mu = gaussian.mu(eps, delta)
        assert gaussian.delta(mu, eps) == pytest.approx(delta, rel=1e-6)
        assert gaussian.epsilon(mu, delta) == pytest.approx(eps, rel=1e-6)


def test_closed_forms_by_hand():
    """The example of the table: T = 100, r = 0.1, delta = 1e-3, eps = 1."""
    participations = 10.0 + math.sqrt(30.0 * math.log(2000.0))
    kappa = math.sqrt(8.0 * participations * math.log(2500.0))
    assert closed_forms.correlated_multiplier(100, 0.1, 0.0, 1.0, 1e-3) == pytest.approx(kappa, rel=1e-12)
    assert kappa == pytest.approx(39.6, abs=0.05)
    assert closed_forms.correlated_multiplier(100, 0.1, 0.0, 1.0, 1e-3, 2.0) == pytest.approx(kappa / 2, rel=1e-12)
    geometric = sum(0.9**s for s in range(100))
    assert closed_forms.correlated_multiplier(100, 0.1, 0.9, 0.5, 1e-3) == pytest.approx(2 * geometric * kappa)
    assert closed_forms.independent_multiplier(100, 0.1, 1.0, 1e-3) == pytest.approx(15.4, abs=0.05)
    assert closed_forms.independent_multiplier(100, 0.1, 2.0, 1e-3) == pytest.approx(
        math.sqrt(8.0 + 8.0 * math.log(1000.0)), rel=1e-12
    )


def test_the_precondition():
    # 3 log(2000) = 22.8.
    assert not closed_forms.correlated_precondition(100, 0.1, 1.0, 1e-3)
    assert closed_forms.correlated_precondition(250, 0.1, 1.0, 1e-3)
    assert not closed_forms.correlated_precondition(250, 0.1, 1.01, 1e-3)


TABLE = {
    0.0: (21.96, 12.24, 6.85, 3.88, 2.25), 0.2: (27.2, 15.2, 8.5, 4.8, 2.8), 0.6: (52.5, 29.3, 16.3, 9.3, 5.4),
    0.95: (276.0, 153.0, 85.3, 48.3, 28.0),
}  # fmt: skip


@pytest.mark.parametrize("lam", TABLE)
def test_tail_multipliers_worked_before(lam):
    found = [tail.multiplier(eps, 1e-3, 100, 0.1, lam) for eps in (0.5, 1.0, 2.0, 4.0, 8.0)]
    assert found == pytest.approx(TABLE[lam], rel=0.012)


@pytest.mark.parametrize("rule", ["tail", "mixture"])
@pytest.mark.parametrize("lam", [0.0, 0.7])
def test_conditioning_against_all_ways_to_take_part(rule, lam):
    """By brute force, with the sensitivity of every y itself instead of the worst of as many participations."""
    T, rate, kappa, eps = 9, 0.3, 2.5, 0.8
    y = np.array(list(itertools.product([0.0, 1.0], repeat=T)))
    count, norms = y.sum(axis=1), np.linalg.norm(y @ dense(T, lam).T, axis=1)
    law = rate**count * (1.0 - rate) ** (T - count)
    exact = float(law @ gaussian.delta(norms / kappa, eps))
    found = tail.delta(kappa, eps, T, rate, lam, rule=rule)
    assert exact <= found * (1.0 + 1e-12)
    worst = [norms[count == k].max() for k in range(T + 1)]
    of_release = gaussian.delta(np.array(worst) / kappa, eps)
    weights = binom.pmf(np.arange(T + 1), T, rate)
    split = min(weights[k + 1 :].sum() + of_release[k] for k in range(T + 1))
    by_hand = {"mixture": float(weights @ of_release), "tail": split}
    assert found == pytest.approx(by_hand[rule], rel=1e-10)
    assert by_hand["mixture"] < by_hand["tail"]
    if lam == 0.0 and rule == "mixture":
        # Then ||C y|| hangs on the number of participations only.
        assert found == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize("rule", ["tail", "mixture"])
@pytest.mark.parametrize("sensitivity", [1.0, 2.0])
def test_everybody_in_every_batch_is_the_analytic_gaussian(rule, sensitivity):
    T, eps, delta = 40, 1.3, 1e-5
    found = tail.multiplier(eps, delta, T, 1.0, 0.0, sensitivity, rule)
    assert found == pytest.approx(sensitivity * math.sqrt(T) / gaussian.mu(eps, delta), rel=1e-6)
    assert tail.epsilon(found, delta, T, 1.0, 0.0, sensitivity, rule) == pytest.approx(eps, rel=1e-6)
    assert tail.cyclic_multiplier(eps, delta, T, 1, 0.0, sensitivity) == pytest.approx(found, rel=1e-6)
    release = accounting.tight_epsilon(T * sensitivity**2 / (2.0 * found**2), delta)
    assert release == pytest.approx(eps, rel=1e-6)


@pytest.mark.parametrize("rule", ["tail", "mixture"])
@pytest.mark.parametrize(
    ("eps", "delta", "T", "rate", "lam"), [(0.5, 1e-3, 100, 0.1, 0.5), (8.0, 1e-7, 20, 0.02, 0.95)]
)
def test_targets_are_met_and_never_exceeded(rule, eps, delta, T, rate, lam):
    kappa = tail.multiplier(eps, delta, T, rate, lam, rule=rule)
    assert tail.delta(kappa, eps, T, rate, lam, rule=rule) <= delta
    assert tail.delta(kappa * (1.0 - 1e-9), eps, T, rate, lam, rule=rule) > delta
    found = tail.epsilon(kappa, delta, T, rate, lam, rule=rule)
    assert found == pytest.approx(eps, rel=1e-9)
    assert tail.delta(kappa, found, T, rate, lam, rule=rule) <= delta
    # More noise, less epsilon; a record twice as large, the same as half the noise.
    assert tail.epsilon(2.0 * kappa, delta, T, rate, lam, rule=rule) < found
    assert tail.epsilon(2.0 * kappa, delta, T, rate, lam, 2.0, rule) == pytest.approx(found, rel=1e-9)
    assert tail.epsilon(1e9 * kappa, delta, T, rate, lam, rule=rule) == 0.0


@pytest.mark.parametrize("lam", [0.0, 0.5, 0.95])
def test_the_closed_form_is_above_what_its_proof_needs(lam):
    """Theorem F.12 with 2, within its precondition, is valid: the tail and the mixture ask for less."""
    printed, needed = (closed_forms.correlated_multiplier(250, 0.1, lam, 1.0, 1e-3, factor) for factor in (8.0, 2.0))
    assert tail.delta(needed, 1.0, 250, 0.1, lam) < 1e-3
    mixture, split = (tail.multiplier(1.0, 1e-3, 250, 0.1, lam, rule=rule) for rule in ("mixture", "tail"))
    assert mixture < split < needed < printed


def by_definition(kappa: float, T: int, q: float, delta: float) -> float:
    """Eq. (19) term by term, without logarithms."""
    found = []
    for alpha in range(2, 36):
        total = 1.0 + q**2 * math.comb(alpha, 2) * min(
            4.0 * (math.exp(4.0 / kappa**2) - 1.0), 2.0 * math.exp(4.0 / kappa**2)
        )
        total += 2.0 * sum(
            q**j * math.comb(alpha, j) * math.exp(2.0 * j * (j - 1) / kappa**2) for j in range(3, alpha + 1)
        )
        found.append((T * math.log(total) + math.log(1.0 / delta)) / (alpha - 1))
    return min(found)


@pytest.mark.parametrize(
    ("kappa", "T", "q", "delta"), [(3.0, 50, 0.05, 1e-4), (2.0, 10, 0.02, 1e-3), (6.0, 300, 0.1, 0.1)]
)
def test_renyi_accountant_by_its_definition(kappa, T, q, delta):
    assert renyi.epsilon(kappa, T, q, delta) == pytest.approx(by_definition(kappa, T, q, delta), rel=1e-10)


SETTINGS = {
    (400, 40, 20): 1.64, (400, 40, 100): 2.37, (1000, 100, 100): 2.58, (1000, 100, 1000): 4.90,
    (10**4, 100, 1000): 1.18, (10**4, 316, 32): 1.34,
}  # fmt: skip


@pytest.mark.parametrize(("n", "B", "T"), SETTINGS)
def test_what_eq_19_says_of_theorem_d9(n, B, T):
    """Its noise for eps = 1 at delta = n^-1.1 gives more than 1 by the accountant that it is derived from."""
    delta = n**-1.1
    kappa = closed_forms.independent_multiplier(T, B / n, 1.0, delta)
    assert renyi.epsilon(kappa, T, B / n, delta) == pytest.approx(SETTINGS[n, B, T], abs=0.005)


def test_share_of_the_second_term_by_its_definition():
    """At a low order and rate the term j = 2 is nearly all of (19), at a high order hardly any of it."""
    for kappa, alpha, rate, low, high in ((5.0, 4, 0.001, 0.9, 1.0), (3.3, 21, 0.0316, 0.0, 0.1)):
        terms = {
            j: math.comb(alpha, j) * rate**j * 2.0 * math.exp(2.0 * j * (j - 1) / kappa**2) for j in range(3, alpha + 1)
        }
        second = math.comb(alpha, 2) * rate**2 * min(4.0 * math.expm1(4.0 / kappa**2), 2.0 * math.exp(4.0 / kappa**2))
        share = renyi.second_term_share(kappa, rate, alpha)
        assert share == pytest.approx(second / (second + sum(terms.values())), rel=1e-9)
        assert low <= share <= high


def test_renyi_multiplier_inverts_or_is_infinite():
    kappa = renyi.multiplier(1.0, 100, 0.02, 1e-3)
    assert renyi.epsilon(kappa, 100, 0.02, 1e-3) <= 1.0
    assert renyi.epsilon(kappa * (1.0 - 1e-9), 100, 0.02, 1e-3) > 1.0
    # Terms from j = 3 on, at half of the records, are more than any noise can take away.
    assert renyi.multiplier(1.0, 100, 0.5, 1e-3) == math.inf
    # It is an upper bound of what Poisson samples cost, and replacement costs no less.
    assert renyi.epsilon(3.0, 100, 0.02, 1e-3) > sampling.epsilon(3.0, 0.02, 100, 1e-3)


def test_smallest():
    assert smallest(lambda x: x * x >= 2.0) == pytest.approx(math.sqrt(2.0), rel=1e-11)
    assert smallest(lambda x: x >= 1e-9) >= 1e-9
    assert smallest(lambda x: False) == math.inf
    assert smallest(lambda x: True) == 0.0


@pytest.mark.parametrize("limit", [1e-9, 0.003, 0.5, 2.0])
@pytest.mark.parametrize(
    "value",
    [
        lambda x: x**-2.0,
        lambda x: math.exp(-x),
        lambda x: math.erfc(0.3 * x),
        lambda x: max(0.0, 1.5 - x),
        lambda x: 0.0 if x > 0.7 else 3.0,
        lambda x: 0.0,
        lambda x: 5.0,
    ],
    ids=["power", "exponential", "Gaussian", "ends at zero", "falls at once", "zero", "constant"],
)
def test_first_below_is_the_same_x_as_by_bisection(value, limit):
    assert first_below(value, limit, 1e-5) == smallest(lambda x: value(x) <= limit, 1e-5)


def test_first_below_needs_half_of_the_evaluations():
    seen = []
    first_below(lambda x: seen.append(x) or math.erfc(0.3 * x), 1e-6, 1e-5)
    assert len(seen) <= 14
    assert len(set(seen)) == len(seen)


def event(sampler="fixed size", relation="zero-out", lam=0.5, noise_sd=3.0, sensitivity=0.5, rate=0.1, T=100):
    release = CorrelatedReleases("sums", sensitivity, noise_sd, lam, rate, T)
    return Mechanism("DP-SGD", (release,), relation, sampler, math.inf, "proved", "why")


@pytest.mark.parametrize("sampler", ["fixed size", "Poisson"])
def test_guarantee_of_independent_steps(sampler):
    kappa = tail.multiplier(1.0, 1e-3, 100, 0.1, 0.5, rule="mixture")
    found = guarantees.epsilon(event(sampler, noise_sd=0.5 * kappa), 1e-3)
    assert found == pytest.approx(1.0, rel=1e-9)
    # Never above the tail's.
    assert found < tail.epsilon(kappa, 1e-3, 100, 0.1, 0.5)


def test_guarantee_of_independent_noise():
    """The pair has 2 clipping thresholds as the sensitivity: kappa = 6 where noise is 3 times that."""
    by_pair, by_19 = fixed_size.epsilon(6.0, 30, 0.02, 1e-5), renyi.epsilon(6.0, 30, 0.02, 1e-5)
    replaced = event(relation="replace-one", lam=0.0, noise_sd=6.0, sensitivity=2.0, rate=0.02, T=30)
    assert by_pair < by_19 < tail.epsilon(3.0, 1e-5, 30, 0.02, 0.0, rule="mixture")
    assert guarantees.epsilon(replaced, 1e-5) == by_pair
    # Not for other relations, samplers or correlations.
    for other in (
        event(lam=0.0, noise_sd=6.0, sensitivity=2.0, rate=0.02, T=30),
        event("Poisson", "replace-one", 0.0, 6.0, 2.0, 0.02, 30),
        event(relation="replace-one", lam=0.1, noise_sd=6.0, sensitivity=2.0, rate=0.02, T=30),
    ):
        assert guarantees.epsilon(other, 1e-5) > by_19
    # With much noise and large batches the tail proves less than eq. (19), and the pair less than both.
    crowded = event(relation="replace-one", lam=0.0, noise_sd=100.0, sensitivity=2.0, rate=0.5, T=50)
    by_tail = tail.epsilon(50.0, 1e-5, 50, 0.5, 0.0, rule="mixture")
    assert guarantees.epsilon(crowded, 1e-5) < by_tail < renyi.epsilon(100.0, 50, 0.5, 1e-5)


def test_guarantee_of_balls_in_bins_is_that_of_the_worst_bin():
    kappa = tail.cyclic_multiplier(2.0, 1e-3, 100, 10, 0.5)
    assert guarantees.epsilon(event("balls in bins", noise_sd=0.5 * kappa), 1e-3) == pytest.approx(2.0, rel=1e-6)
    with pytest.raises(ValueError, match=r"rate=0\.15 is no reciprocal"):
        guarantees.epsilon(event("balls in bins", rate=0.15), 1e-3)


def test_guarantee_at_its_ends():
    assert guarantees.epsilon(event(noise_sd=0.0), 1e-3) == math.inf
    assert guarantees.epsilon(event(sensitivity=0.0, noise_sd=0.0), 1e-3) == 0.0
    release = GaussianReleases("sums", 1.0, 1.0, 1)
    plain = Mechanism("DP-SGD", (release,), "zero-out", "Poisson", math.inf, "proved", "why")
    with pytest.raises(ValueError, match="DP-SGD has other releases"):
        guarantees.epsilon(plain, 1e-3)
    with pytest.raises(ValueError, match=r"delta=0\.0"):
        guarantees.epsilon(event(), 0.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: encoder.encode([1.0], 1.0), r"lam=1\.0 must lie in \[0, 1\)"),
        (lambda: gaussian.delta(-1.0, 1.0), "must not be negative"),
        (lambda: closed_forms.correlated_multiplier(0, 0.1, 0.5, 1.0, 1e-3), "T=0"),
        (lambda: closed_forms.correlated_multiplier(10, 1.1, 0.5, 1.0, 1e-3), r"rate=1\.1"),
        (lambda: closed_forms.independent_multiplier(10, 0.1, 0.0, 1e-3), "eps must be positive, got 0.0"),
        (lambda: tail.delta(0.0, 1.0, 10, 0.1, 0.5), "kappa must be positive, got 0.0"),
        (lambda: tail.multiplier(-1.0, 1e-3, 10, 0.1, 0.5), "eps must be positive, got -1.0"),
        (lambda: tail.multiplier(1.0, 1.0, 10, 0.1, 0.5), r"delta=1\.0"),
        (lambda: tail.epsilon(1.0, 1.0, 10, 0.1, 0.5), r"delta=1\.0"),
        (lambda: renyi.epsilon(0.0, 10, 0.1, 1e-3), "kappa must be positive, got 0.0"),
        (lambda: renyi.multiplier(0.0, 10, 0.1, 1e-3), "eps must be positive, got 0.0"),
    ],
)  # fmt: skip
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_normal_tail_of_scipy_is_what_the_formula_has():
    """delta = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), where nothing cancels."""
    assert gaussian.delta(2.0, 1.0) == pytest.approx(ndtr(0.5) - math.e * ndtr(-1.5), rel=1e-14)
