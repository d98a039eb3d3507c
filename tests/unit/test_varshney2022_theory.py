"""Formulas of varshney2022: against numbers worked by hand, exact laws of the iterates, and each other."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

from dpdescent.algorithms.sgd_moments import last_risk, second_moments, tail_risk
from dpdescent.papers.varshney2022 import (
    ambssgd,
    batches,
    choices,
    comparison,
    conditions,
    formulas,
    privacy,
    single_pass,
    single_pass_orders,
    ssgd,
)
from dpdescent.papers.varshney2022.formulas import LinearProblem
from dpdescent.privacy import shuffling, zcdp
from dpdescent.privacy.accounting import tight_epsilon

DELTA = 1e-6


def isotropic(d: int = 10, records: float = 1e5, sigma: float = 1.0, w_norm: float = 1.0) -> LinearProblem:
    return LinearProblem(np.ones(d), np.full(d, w_norm * d**-0.5), sigma, records)


def elliptic(d: int = 10, kappa: float = 16.0, records: float = 1e5, sigma: float = 0.5) -> LinearProblem:
    lam = kappa ** np.linspace(1.0, 0.0, d)
    return LinearProblem(lam * d / lam.sum(), np.full(d, d**-0.5), sigma, records)


# Noise multipliers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("eps", "delta", "expected"),
    [
        (0.1, 1e-6, (105.13, 74.61, 74.47, 52.66, 36.305)),
        (0.5, 1e-6, (21.03, 15.13, 15.00, 10.61, 8.06)),
        (1.0, 1e-6, (10.51, 7.70, 7.57, 5.35, 4.22)),
        (2.0, 1e-6, (5.26, 3.98, 3.85, 2.72, 2.23)),
        (1.0, 1e-8, (12.14, 8.81, 8.70, 6.15, 5.10)),
    ],
)
def test_multipliers(eps, delta, expected):
    """Computed once before, to two digits after the point."""
    found = [
        formula(eps, delta)
        for formula in (
            formulas.published_multiplier,
            privacy.theorem_multiplier,
            privacy.zcdp_multiplier,
            privacy.disjoint_multiplier,
            formulas.gaussian_multiplier,
        )
    ]
    assert found == pytest.approx(expected, abs=0.006)


@pytest.mark.parametrize("eps", [0.01, 0.3, 1.0, 4.0, 9.0])
@pytest.mark.parametrize("delta", [1e-4, 1e-6, 1e-12])
def test_order_of_the_multipliers_and_what_they_cost(eps, delta):
    theorem, exact = privacy.theorem_multiplier(eps, delta), privacy.zcdp_multiplier(eps, delta)
    disjoint, gaussian = privacy.disjoint_multiplier(eps, delta), formulas.gaussian_multiplier(eps, delta)
    assert formulas.published_multiplier(eps, delta) >= theorem > exact > disjoint > gaussian
    # Thm 3.6: rho = 1/alpha^2 for a statistic and a gradient of the same record.
    assert zcdp.epsilon(1.0 / exact**2, delta) == pytest.approx(eps, rel=1e-12)
    assert zcdp.epsilon(1.0 / theorem**2, delta) < eps
    assert exact == pytest.approx(math.sqrt(2.0) * disjoint, rel=1e-14)
    assert tight_epsilon(0.5 / gaussian**2, delta) == pytest.approx(eps, rel=1e-6)


def test_multiplier_of_theorem_3_1():
    """At N = 100,000 and eps = 1/sqrt(N) it is log(1e11), a quarter of what the accountant needs."""
    N, ranges = 10**5, formulas.EpsilonRanges.of(10**5, DELTA)
    printed = formulas.theorem_3_1(ranges.remark, DELTA, N)
    assert printed == pytest.approx(25.3284, rel=1e-5)
    assert formulas.theorem_3_1(ranges.remark, DELTA, N, constant=3.0) == pytest.approx(3.0 * printed)
    assert ranges.remark < ranges.corollary < ranges.theorem
    assert ranges.corollary == pytest.approx(math.sqrt(math.log(1e6) / 1e5), rel=1e-14)
    # At the largest eps of the theorem, sqrt(log(N/delta)): what the text calls the smallest alpha.
    assert formulas.theorem_3_1(ranges.theorem, DELTA, N) == pytest.approx(math.sqrt(math.log(1e11)), rel=1e-14)


def test_local_multiplier_is_the_classical_gaussian_mechanism():
    assert formulas.local_multiplier(0.5, 1.25e-5) == pytest.approx(2.0 * math.sqrt(2.0 * math.log(1e5)), rel=1e-14)
    # It suffices: the exact mechanism of that noise has less.
    for eps in (0.05, 0.5, 0.95):
        assert tight_epsilon(0.5 / formulas.local_multiplier(eps, 1e-8) ** 2, 1e-8) < eps
    least = single_pass_orders.least_multiplier_of_proof(1e5, DELTA)
    assert least == pytest.approx(formulas.local_multiplier(0.5, DELTA / 6e5), rel=1e-14)


@pytest.mark.parametrize("eps_local", [1e-6, 0.05, 0.2, 0.35, 0.5])
@pytest.mark.parametrize("records", [1e4, 1e8])
def test_equation_7_holds_only_as_corrected(eps_local, records):
    amplified = privacy.theorem_a3(eps_local, records, DELTA)
    assert amplified <= privacy.eps_of_equation_7(eps_local, records, DELTA)
    assert amplified > eps_local * (0.5 * math.sqrt(math.log(1.0 / DELTA) / records) + 2.0 / records)
    # The bound with numbers is a multiple of the theorem's order.
    assert 3.0 < shuffling.amplified(eps_local, records, DELTA) / amplified < 12.0


def test_theorem_a3_ends_at_its_range():
    """n = 16 e log(2/delta) allows eps_0 = 1."""
    n = 16.0 * math.e * math.log(2.0 / DELTA)
    expected = (1.0 - math.exp(-1.0)) * (math.sqrt(math.e * math.log(1e6) / n) + math.e / n)
    assert privacy.theorem_a3(1.0 - 1e-9, n, DELTA) == pytest.approx(expected, rel=1e-6)
    assert privacy.theorem_a3(1.0 + 1e-9, n, DELTA) == math.inf


def test_equation_8_follows_from_7():
    """`3/2 sqrt + 2/N <= 2 sqrt` at the proof's alpha, so that the constant doubles."""
    N, delta_local = 1e5, 1e-12
    alpha = formulas.local_multiplier(0.4, delta_local)
    seven = privacy.eps_of_equation_7(0.4, N, DELTA)
    eight = single_pass_orders.eps_of_equation_8(alpha, N, DELTA, delta_local)
    assert 1.5 * eight < seven < 2.0 * eight


# Moments --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fourth", [1.0, 3.0, 6.0])
def test_input_bound_is_the_largest_ratio_of_eigenvalues(fourth):
    lam = elliptic(4, 5.0).lam
    # E |x|^2 x_i^2 for independent coordinates, written out.
    ratios = [(fourth * lam[i] ** 2 + sum(lam[i] * lam[j] for j in range(4) if j != i)) / lam[i] for i in range(4)]
    assert formulas.input_bound_squared(lam, fourth) == pytest.approx(max(ratios), rel=1e-14)
    assert formulas.input_bound_squared(np.ones(7)) == 9.0


def test_tail_of_definition_2_1_fails_in_one_dimension():
    assert conditions.tail_probability_ratio(1, 1e-2) == pytest.approx(3.19, abs=0.01)
    assert conditions.tail_probability_ratio(1, 1e-8) == pytest.approx(1770, rel=2e-3)
    for beta in (0.1, 1e-2, 1e-8):
        assert conditions.tail_probability_ratio(2, beta) == pytest.approx(1.0, rel=1e-12)
        assert conditions.tail_probability_ratio(3, beta) < 1.0


@pytest.mark.parametrize(
    ("batch", "in_h", "claimed"), [(1, 1.047, 0.989), (10, 1.018, 0.957), (100, 0.904, 0.940), (1000, 0.882, 0.938)]
)
def test_contraction_of_equation_44(batch, in_h, claimed):
    """d = 10, kappa = 16, at Theorem 3.7's step: false for small batches, while Lemma B.5 holds for all."""
    lam = elliptic().lam
    found = conditions.contraction(lam, formulas.theorem_step(lam, batch), batch)
    assert (found.in_h, found.claimed_in_h) == pytest.approx((in_h, claimed), abs=6e-4)
    assert found.excess <= 1e-15


def test_contraction_is_that_of_drawn_matrices():
    lam, eta, b = np.array([1.5, 0.5]), 0.6, 3
    x = np.random.default_rng(5).standard_normal((200_000, b, 2)) * np.sqrt(lam)
    B = np.eye(2) - eta / b * np.einsum("rbi,rbj->rij", x, x)
    in_h = np.einsum("rji,j,rjk->rik", B, lam, B).mean(axis=0) / np.sqrt(np.outer(lam, lam))
    plain = np.einsum("rji,rjk->rik", B, B).mean(axis=0) - np.diag(1.0 - eta * lam)
    found = conditions.contraction(lam, eta, b)
    assert found.in_h == pytest.approx(np.linalg.eigvalsh(in_h)[-1], abs=5e-3)
    assert found.excess == pytest.approx(np.linalg.eigvalsh(plain)[-1], abs=5e-3)
    assert found.claimed_in_h == 1.0 - 0.6 * 0.5


def test_public_bounds_hold_with_probability_one_over_n():
    for d in (1, 10, 300):
        assert chi2.sf(formulas.norm_bound(np.ones(d), 1e5) ** 2, d) <= 1e-5
    assert formulas.norm_bound(np.ones(10), 1e5) ** 2 == pytest.approx(
        10 + 2 * math.sqrt(10 * math.log(1e5)) + 2 * math.log(1e5), rel=1e-14
    )
    lam = np.array([9.0, 1.0])
    x = np.random.default_rng(2).standard_normal((200_000, 2)) * np.sqrt(lam)
    assert (np.linalg.norm(x, axis=1) > formulas.norm_bound(lam, 100.0)).mean() < 0.01
    assert formulas.label_bound(3.0, 4.0, math.exp(2.0)) == pytest.approx(10.0, rel=1e-14)


# DP-SSGD --------------------------------------------------------------------------------------------------------------


def test_parameters_of_theorem_3_2():
    """At N = 100,000, d = 5 and alpha = 14.7 the step is 2.8e-13; zeta by hand at H = I."""
    found = ssgd.theorem_parameters(isotropic(5, sigma=0.1), 14.7)
    log = math.log(1e5)
    assert found.eta == pytest.approx(1.0 / (64 * 210 * log**4 * 2.0 * 7.0 * 5.0 * 14.7**2), rel=1e-12)
    assert found.eta == pytest.approx(2.8e-13, rel=0.01)
    assert found.zeta == pytest.approx(4.0 * math.sqrt(2.0 * 7.0) * log * 1.1, rel=1e-12)
    # Without noise the other two terms of the minimum.
    quiet = ssgd.theorem_parameters(isotropic(5), 1e-9)
    assert quiet.eta == pytest.approx(1.0 / (4 * 1050 * log**3 * 7.0), rel=1e-12)
    assert ssgd.theorem_parameters(isotropic(5), 1e-9, c2=1e9).eta == pytest.approx(1.0 / 14.0, rel=1e-12)


def test_step_of_theorem_3_2_meets_its_derivation():
    """Eq. (29) at the first term of (30): with c1 = 1/(64 210) the left side is 1/2 exactly."""
    problem, alpha = elliptic(), 9.0
    found = ssgd.theorem_parameters(problem, alpha)
    root = math.sqrt(210.0 * found.eta * problem.dimension / problem.mu * problem.largest * problem.bound_squared)
    assert 1.0 - 4.0 * root * alpha * problem.k2 * problem.log_power(2.0) == pytest.approx(0.5, rel=1e-12)


def test_parameters_of_corollary_3_3():
    found = ssgd.corollary_parameters(isotropic(5, sigma=0.1), 0.01, DELTA)
    assert found.eta == 0.05
    assert found.zeta == pytest.approx(math.sqrt(5 * 1.01) * math.log(1e5), rel=1e-14)
    assert found.alpha == pytest.approx(math.log(1e11) / (0.01 * math.sqrt(1e5)), rel=1e-14)
    with pytest.raises(ValueError, match="the corollary is for x ~ N"):
        ssgd.corollary_parameters(elliptic(), 0.01, DELTA)


def test_practical_parameters_keep_iterates_near():
    """The noise's stationary squared distance, by the exact law, is what zeta rests on."""
    problem = elliptic(sigma=0.1)
    found = ssgd.practical_parameters(problem, 8.0, 2.0)
    assert found.zeta == pytest.approx(2.0 * math.sqrt(10.0 * (problem.w_norm_squared + 0.01)), rel=1e-14)
    risk = last_risk(problem.lam, 0 * problem.w_star, found.eta, 1, 0.0, found.noise_variance, 10**8)
    assert 2.0 * risk == pytest.approx(problem.w_norm_squared + 0.01, rel=0.01)
    # At little noise the largest step of Lemma 3.5.
    assert ssgd.practical_parameters(problem, 1e-3).eta == 0.5 / problem.bound_squared


@pytest.mark.parametrize("problem", [isotropic(5, 4000), isotropic(10, 4000, 0.1), elliptic(5, 4.0, 4000)])
@pytest.mark.parametrize("share", [0.02, 0.3, 1.0])
@pytest.mark.parametrize("noise", [0.0, 0.3, 30.0])
def test_lemma_3_5_bounds_the_exact_law(problem, share, noise):
    found = formulas.Parameters(share * 0.5 / problem.bound_squared, 0.5 * math.sqrt(noise), 1.0)
    assert found.noise_variance == pytest.approx(noise)
    law = (problem.lam, problem.w_star, found.eta, 1, problem.sigma, noise, 4000, 2000)
    exact, bound = tail_risk(*law), ssgd.lemma_3_5(problem, found)
    assert exact < bound
    longer = math.exp(found.eta * problem.mu) - 1.0
    assert ssgd.equation_5(problem, found) - bound == pytest.approx(
        longer * ssgd.bias(problem, found.eta), rel=1e-6, abs=1e-17
    )
    # Bias and variance apart, Lemma A.8, and Lemma A.6 in mean.
    still = tail_risk(problem.lam, problem.w_star, found.eta, 1, 0.0, 0.0, 4000, 2000)
    settled = tail_risk(problem.lam, 0 * problem.w_star, *law[2:])
    assert still <= ssgd.bias(problem, found.eta)
    assert settled <= ssgd.stationary_risk(problem, found, 2000)
    assert ssgd.stationary_risk(problem, found, 2000) == pytest.approx(ssgd.variance(problem, found), rel=1e-12)
    kept = second_moments(problem.lam, problem.w_star, found.eta, 1, 0.0, 0.0, 50)[-1].sum()
    assert kept <= 0.1 * ssgd.product_bound(problem, found.eta, 50, 0.1) * problem.euclidean_norm_squared


def test_lemma_3_5_by_hand():
    problem = isotropic(4, 1000.0, 0.5)
    used = ssgd.practical_parameters(problem, 5.0, 3.0)
    eta, m, R2 = used.eta, 0.25 + used.noise_variance, 6.0
    settled = 4 * m * (1.0 + eta * R2 / (1.0 - eta * R2)) / 1000
    assert ssgd.lemma_3_5(problem, used) == pytest.approx(R2 / 2.0 * math.exp(-eta * 501.0) + settled)


def test_predictor_is_the_limit_of_the_exact_law():
    problem, found = elliptic(4, 3.0, 1e6), formulas.Parameters(2e-3, 1.0, 2.0)
    exact = tail_risk(problem.lam, problem.w_star, found.eta, 1, problem.sigma, 16.0, 10**6, 5 * 10**5)
    assert ssgd.trace_ratio(problem, found) / problem.records == pytest.approx(exact, rel=0.02)


def test_equation_6_is_5_at_the_parameters_of_the_theorem():
    """At |w*| = sigma, H = I its noise is that of (5) without the third term, its exponent that of the start."""
    N, eps = 1e12, 2e-5
    problem = isotropic(2, N)
    found = ssgd.theorem_parameters(problem, formulas.theorem_3_1(eps, DELTA, N))
    noise = ssgd.trace_ratio(problem, found) / problem.records - 2.0 / N
    start = math.exp(-found.eta * N / 2.0)
    assert 0.05 < start < 0.9
    expected = start * 2.0 / 2.0 + 2.0 * 2.0 / N + noise
    assert noise > 1e-6
    assert ssgd.equation_6(problem, eps, DELTA, c=ssgd.C1) == pytest.approx(expected, rel=1e-9)
    late = ssgd.equation_6(problem, eps, DELTA, c=100.0)
    assert late == pytest.approx(2.0 * 2.0 / N + noise, rel=1e-9)


def test_orders_of_the_risk_of_dp_ssgd():
    problem = isotropic(10, 1e6, 0.5, 2.0)
    expected = 0.25 * 10 / 1e6 + 100 * math.log(1e12) ** 2 / (0.01 * 1e6) ** 2 * 4.25
    assert single_pass.corollary_3_3(problem, 0.01, DELTA) == pytest.approx(expected, rel=1e-13)
    plain = replace(problem, k2=1.0)
    assert ssgd.theorem_3_2(plain, 0.01, DELTA, 3.0) == pytest.approx(3.0 * expected, rel=1e-13)
    assert ssgd.theorem_3_2(problem, 0.01, DELTA) == pytest.approx(2.0 * expected - 0.25 * 10 / 1e6, rel=1e-13)


@pytest.mark.parametrize(("d", "records"), [(2, 1.3e16), (5, 7e16), (10, 3e17)])
def test_records_that_the_step_of_theorem_3_2_needs(d, records):
    found = ssgd.smallest_records_for_start(
        isotropic(d), lambda N: single_pass_orders.least_multiplier_of_proof(N, DELTA)
    )  # fmt: skip
    assert found == pytest.approx(records, rel=0.04)
    # Where N is smallest the two sides are equal.
    alpha = single_pass_orders.least_multiplier_of_proof(found, DELTA)
    eta = ssgd.theorem_parameters(isotropic(d, found), alpha).eta
    assert eta * found / 2.0 == pytest.approx(math.log(found), rel=1e-6)


# DP-AMBSSGD -----------------------------------------------------------------------------------------------------------


def test_lemma_3_11_as_worked_by_hand():
    """N = 100,000, d = 10, sigma = 1, T = 8, alpha = 5.35: 4.8e-3 with logarithms 1, 0.118 as printed."""
    setting = ambssgd.Setting.of(isotropic(), 8, 5.35)
    assert setting.batch == pytest.approx(10 / 11 * 12500)
    without_logs = replace(setting, logs=False)
    assert ambssgd.lemma_3_11(without_logs) == pytest.approx(4.80e-3, rel=2e-3)
    assert ambssgd.lemma_3_11(setting) == pytest.approx(0.118, rel=5e-3)
    b, alpha2, eta = setting.batch, 5.35**2, setting.eta
    assert eta == pytest.approx(b / (b + 11.0))
    left = 4 * math.exp(-eta) / (64 * eta**2) + 96 * alpha2 / (8 * b**2) * 2 * 12 * 10
    right = math.exp(-2 * eta) + 2 * eta / b * 10 + 24 * eta * alpha2 / b**2 * 2 * 12 * 10
    last = 8 / (8 * b) * (10 + 12 * alpha2 / b * 2 * 12 * 10)
    assert ambssgd.lemma_3_11(without_logs) == pytest.approx(left * right + last, rel=1e-12)


@pytest.mark.parametrize("problem", [isotropic(), isotropic(5, sigma=0.1), elliptic(5, 4.0, 4e6)])
@pytest.mark.parametrize("steps", [8, 32])
@pytest.mark.parametrize("logs", [True, False])
def test_lemma_3_11_bounds_the_exact_law(problem, steps, logs):
    """With thresholds as large as (48) lets them be; nothing is clipped in the law."""
    setting = replace(ambssgd.Setting.of(problem, steps, 0.2), logs=logs)
    assert setting.batch >= ambssgd.batch_condition(setting)
    assert setting.eta == ambssgd.step_condition(setting)
    zeta_squared = np.array([ambssgd.squared_threshold_bound(setting, t) for t in range(steps)])
    assert (np.diff(zeta_squared) < 0.0).all()
    noise = 4.0 * setting.alpha**2 * zeta_squared / setting.batch**2
    law = (problem.lam, problem.w_star, setting.eta, setting.batch, problem.sigma, noise, steps)
    exact = tail_risk(*law, steps // 2)
    assert exact < ambssgd.lemma_3_11(setting)
    path = second_moments(*law) @ problem.lam
    for t, squared in enumerate(path):
        assert squared <= ambssgd.squared_distance_bound(setting, t) * (1.0 + 1e-12)
    half = ambssgd.squared_distance_bound(setting)
    assert half == ambssgd.squared_distance_bound(setting, steps / 2)
    assert exact < batches.equation_60(setting, half / 2.0, ambssgd.squared_threshold_bound(setting))


def test_law_at_the_thresholds_that_lemma_3_11_allows():
    """The recursion of the mean squared distance at H = I, by hand."""
    d, sigma = 4, 0.5
    found = ambssgd.Setting.of(isotropic(d, 1e6, sigma), 6, 2.0, 100.0)
    setting = replace(found, batch=float(round(found.batch)))
    law = ambssgd.Law.of(setting)
    eta, b, factor = setting.eta, setting.batch, setting.threshold_factor
    m = [1.0]
    for t in range(6):
        zeta_squared = factor * (math.sqrt(m[t]) + sigma + setting.width) ** 2
        assert law.zetas_squared[t] == pytest.approx(zeta_squared)
        kept = 1.0 - 2.0 * eta + eta**2 * (1.0 + (d + 1) / b)
        m.append(kept * m[t] + eta**2 * (sigma**2 * d / b + 16.0 * zeta_squared * d / b**2))
    assert law.distances_squared == pytest.approx(m)
    pairs = sum((1.0 - eta) ** abs(u - t) * m[min(t, u)] for t in (4, 5, 6) for u in (4, 5, 6))
    assert law.risk == pytest.approx(pairs / 18.0)


def test_lemma_3_11_is_60_with_47_and_50():
    setting = ambssgd.Setting.of(elliptic(records=1e6), 50, 3.0)
    start = ambssgd.squared_distance_bound(setting)
    by_parts = batches.equation_60(setting, start / 2.0, ambssgd.squared_threshold_bound(setting))
    assert ambssgd.lemma_3_11(setting) == pytest.approx(by_parts, rel=1e-12)
    # 8.8 sigma^2 d / N, where the theorem has 8.
    assert batches.equation_59(replace(setting, alpha=0.0), 1.0) == pytest.approx(8.8 * 0.25 * 10 / 1e6, rel=1e-12)
    # At T = c1 kappa log N the start is left with N^{-eta mu c1 kappa / 4}.
    problem = setting.problem
    printed = ambssgd.Setting.of(replace(problem, sigma=0.0), ambssgd.steps_of_theorem(1e6, 16.0, 3.0), 1e-9)
    left = 1e6 ** (-printed.eta * problem.mu * 3.0 * problem.kappa / 4.0) * problem.w_norm_squared
    assert ambssgd.squared_distance_bound(replace(printed, width=0.0)) == pytest.approx(left, rel=1e-10)


@pytest.mark.parametrize("problem", [isotropic(), elliptic(records=1e6)])
def test_parts_of_lemma_3_11_sum_to_it(problem):
    """What is left is the start, and what privacy makes of it and of the distance."""
    setting = ambssgd.Setting.of(problem, 40, 3.0)
    with_start = ambssgd.lemma_3_11(setting)
    quiet = replace(setting, alpha=0.0)
    start = replace(problem, w_star=np.full(problem.dimension, 1e-150))
    no_start = ambssgd.lemma_3_11(replace(quiet, problem=start))
    assert no_start == pytest.approx(ambssgd.two_terms(quiet) + ambssgd.cross_term(quiet))
    assert ambssgd.two_terms(setting) + ambssgd.cross_term(setting) < with_start
    assert ambssgd.two_terms(quiet) == pytest.approx(8.8 * problem.sigma**2 * problem.dimension / problem.records)


@pytest.mark.parametrize("kappa", [64.0, 256.0])
def test_cross_term_grows_like_kappa_squared_over_log_n(kappa):
    """Where all but one eigenvalue are |H|, and batches are large."""
    lam = np.append(np.ones(49), 1.0 / kappa)
    problem = LinearProblem(lam, np.full(50, 0.1), 1.0, 1e9)
    T = ambssgd.steps_of_theorem(1e9, kappa, 4.0)
    share = ambssgd.cross_term(ambssgd.Setting.of(problem, T, 0.0)) / (8.0 * 50 / 1e9)
    assert share == pytest.approx(1.1 * kappa**2 / (4.0 * math.log(1e9)), rel=0.1)


def test_threshold_of_lemma_3_11_squares_to_48():
    setting = ambssgd.Setting.of(elliptic(), 20, 1.0)
    for distance_squared in (0.0, 0.01, 3.0):
        squared = ambssgd.threshold_bound(setting, distance_squared) ** 2
        assert squared <= 3.0 * setting.threshold_factor * (16.0 * distance_squared + setting.floor) * (1 + 1e-12)
    few = ambssgd.Setting.of(isotropic(records=20.0, sigma=0.5), 4, 1.0)
    assert few.width == pytest.approx(1.5 / 20.0**100, rel=1e-9)


@pytest.mark.parametrize("batch", [1, 7, 200])
def test_lemma_b3_misses_a_factor_two_for_the_last_iterate(batch):
    """At H = I the noiseless risk is (1 - eta)^n of the start's at Theorem 3.7's step: twice the printed bound."""
    problem = isotropic(6)
    eta = formulas.theorem_step(problem.lam, batch)
    for steps in (1, 5, 20):
        exact = last_risk(problem.lam, problem.w_star, eta, batch, 0.0, 0.0, steps)
        assert exact == pytest.approx(2.0 * batches.bias_last(problem, eta, steps), rel=1e-12)


@pytest.mark.parametrize("problem", [isotropic(6), elliptic(6, 9.0)])
@pytest.mark.parametrize("batch", [1, 30, 1000])
def test_lemmas_b3_and_b4_bound_the_exact_law(problem, batch):
    eta, noise_variance = 0.7 * formulas.theorem_step(problem.lam, batch), 0.2
    noise = noise_variance * batch
    for steps, tail in ((8, 4), (200, 100), (200, 1)):
        still = tail_risk(problem.lam, problem.w_star, eta, batch, 0.0, 0.0, steps, tail)
        assert still <= batches.bias_tail(problem, eta, tail, steps - tail + 1)
        settled = (problem.lam, 0 * problem.w_star, eta, batch, problem.sigma, noise_variance, steps)
        assert tail_risk(*settled, tail) <= batches.variance_tail(problem, eta, batch, tail, noise)
        assert last_risk(*settled) <= batches.variance_last(problem, eta, batch, noise) * (1.0 + 1e-12)
    # The last iterate's is reached.
    limit = last_risk(*settled[:-1], 10**6)
    assert limit == pytest.approx(batches.variance_last(problem, eta, batch, noise), rel=1e-9)
    if eta <= batches.second_step_condition(problem, batch, noise):
        assert batches.inverse_of_step(problem, eta, batch, noise).sum() <= batches.trace_bound(problem, noise)


def test_second_step_condition_is_two_batches_over_the_bound_at_the_identity():
    """Tr S / |S| = d there, so that 2 b / R_x^2 is left, which Theorem 3.7's step meets."""
    assert batches.second_step_condition(isotropic(6), 40, 3.0) == pytest.approx(80.0 / 8.0, rel=1e-14)


def test_noise_covariance_of_lemma_b7():
    """Drawn: the mean of b terms z x plus Gaussian noise of sd 2 alpha zeta / b."""
    problem = LinearProblem(np.array([2.0, 0.5]), np.zeros(2), 0.7, 1e4)
    rng = np.random.default_rng(11)
    x = rng.standard_normal((100_000, 3, 2)) * np.sqrt(problem.lam)
    z = 0.7 * rng.standard_normal((100_000, 3, 1))
    nu = (x * z).mean(axis=1) + 2.0 * 1.5 * 0.4 / 3.0 * rng.standard_normal((100_000, 2))
    np.testing.assert_allclose(batches.noise_covariance(problem, 3, 1.5, 0.16), (nu**2).mean(axis=0), rtol=0.02)


def test_steps():
    assert formulas.theorem_step(np.ones(10), 1.0) == pytest.approx(1.0 / 12.0)
    assert formulas.theorem_step(np.ones(10), 1e9) == pytest.approx(1.0, rel=1e-7)
    assert formulas.theorem_step(np.array([2.0, 1.0]), 5.0, fourth=6.0) == pytest.approx(5.0 / (3.0 + 10.0 + 8.0))
    assert choices.corollary_step(10) == 0.025
    assert ambssgd.steps_of_theorem(math.exp(5.0), 4.0, 0.5) == pytest.approx(10.0)
    assert ambssgd.Setting.of(isotropic(), 8, 1.0, stat_size=500).batch == 12000.0


def test_slack_of_lemma_3_10():
    """By hand at L = 20, beta = 0.01."""
    expected = 4.2 * math.sqrt(2 * 20 * math.log(20 / 0.01))
    assert ambssgd.stat_slack(4.2, 20, math.log(100.0)) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(("c1", "records"), [(1.0, 2.3e7), (4.0, 1.1e8), (400.0, 1.8e10)])
def test_records_that_dp_stat_needs(c1, records):
    alpha = formulas.published_multiplier(1.0, DELTA)
    found = conditions.smallest_records_for_stat(alpha, c1)
    assert found == pytest.approx(records, rel=0.04)
    # Both sides by hand: s = N / (11 T), L = 200 log2 N, beta = N^-200.
    log = math.log(found)
    levels = 200 * math.log2(found)
    slack = alpha * math.sqrt(2 * levels * (math.log(levels) + 200 * log))
    assert found / (11 * c1 * log) == pytest.approx(2 * slack, rel=1e-6)
    narrow, wide = (conditions.smallest_records_for_stat(alpha, c1, power) for power in (100.0, 1.0))
    assert found > narrow > wide


@pytest.mark.parametrize(("c1", "records"), [(1.0, 1.2e5), (4.0, 6.3e5), (400.0, 1.2e8)])
def test_records_that_the_batch_condition_needs(c1, records):
    alpha = formulas.published_multiplier(1.0, DELTA)
    found = ambssgd.smallest_records_for_batch(isotropic(), alpha, c1)
    assert found == pytest.approx(records, rel=0.025)
    log, b = math.log(found), 10 / 11 * found / (c1 * math.log(found))
    eta = b / (b + 11)
    assert b**2 == pytest.approx(24 * eta * alpha**2 * 12 * 2 * log**2 * 10, rel=1e-6)
    assert ambssgd.smallest_records_for_batch(elliptic(), alpha, c1) > 100 * found


def test_search_of_the_smallest_number_of_records():
    assert formulas.smallest_records(lambda N: N >= 12345.6) == pytest.approx(12345.6, rel=1e-12)
    assert formulas.smallest_records(lambda N: True) == 16.0
    assert formulas.smallest_records(lambda N: False) == math.inf


# Prior work -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sigma", [1.0, 0.1])
def test_entries_of_the_comparison(sigma):
    point = comparison.Point(10, 1e5, sigma, 0.1, 2.0)
    value = {entry.method: entry.risk(point) for entry in comparison.ENTRIES if entry.risk is not None}
    sampling, unit = sigma**2 * 1e-4, 1e-6
    assert value["without privacy"] == pytest.approx(sampling)
    assert value["DP-AMBSSGD"] == pytest.approx(sampling + sigma**2 * unit)
    assert value["DP-SSGD"] == pytest.approx(sampling + (4 + sigma**2) * unit)
    assert value["Cai et al. 2021"] == pytest.approx(sampling + (40 + sigma**2) * unit)
    assert value["efficient methods at sigma = 0"] == pytest.approx(40 * unit)
    assert value["DP-ERM, DP-SCO (Bassily et al. 2019, 2020)"] == pytest.approx(20 * (1e-2 / 10**0.5 + 10**0.5 / 1e4))
    assert "DP-SGD with replacement" not in value
    # The private terms alone: (d |w*|^2 + sigma^2) / sigma^2.
    ratio = (value["Cai et al. 2021"] - sampling) / (value["DP-AMBSSGD"] - sampling)
    assert ratio == pytest.approx((40 + sigma**2) / sigma**2)


def test_privacy_is_free_above_root_d_over_n():
    for c in (0.2, 1.0, 3.0):
        eps = c * comparison.free_epsilon(10, 1e5)
        point = comparison.Point(10, 1e5, 0.3, eps)
        private = comparison.dp_ambssgd(point) - point.sampling
        assert private / point.sampling == pytest.approx(comparison.private_share(c), rel=1e-9)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: privacy.theorem_multiplier(0.0, 1e-6), "eps must be positive"),
        (lambda: privacy.theorem_multiplier(1.0, 1.0), "delta must lie strictly between 0 and 1"),
        (lambda: formulas.local_multiplier(1.0, 1e-6), "eps_local must lie strictly between"),
        (lambda: privacy.eps_of_equation_7(0.6, 1e5, 1e-6), "eps_local=0.6 must lie between 0 and 1/2"),
        (lambda: privacy.theorem_a3(-1.0, 1e5, 1e-6), "eps_local must not be negative"),
        (lambda: formulas.input_bound_squared(np.ones(2), 0.9), "fourth=0.9 must be at least 1"),
        (lambda: formulas.log_power(2.0, 1.0), "records=2.0 must be at least 3"),
        (lambda: LinearProblem(np.ones(2), np.ones(3), 1.0, 10), r"of shapes \(2,\) and \(3,\)"),
        (lambda: LinearProblem(np.array([1.0, 0.0]), np.ones(2), 1.0, 10), "lam must be positive, got 0.0"),
        (lambda: LinearProblem(np.ones(2), np.ones(2), -1.0, 10), "sigma must not be negative"),
        (lambda: ssgd.lemma_3_5(isotropic(), formulas.Parameters(0.05, 1.0, 1.0)), "eta=0.05 must be at most 1"),
        (lambda: ssgd.variance(isotropic(), formulas.Parameters(0.1, 1.0, 1.0)), "eta=0.1 must lie between 0 and"),
        (lambda: ssgd.practical_parameters(isotropic(sigma=0.0, w_norm=0.0), 1.0), "scale_squared must be positive"),
        (lambda: ambssgd.Setting.of(isotropic(), 8, 1.0, stat_size=12500), "batch must be positive"),
        (lambda: ambssgd.Setting.of(isotropic(), 0, 1.0), "steps must be positive"),
        (lambda: batches.bias_last(isotropic(), 1.5, 3), "eta=1.5 must lie between 0 and 1/mu"),
        (lambda: comparison.Point(10, 1e5, 1.0, 0.0), "eps must be positive"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
