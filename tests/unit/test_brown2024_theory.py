"""Closed forms of brown2024: predictions and preliminaries against exact laws, and Theorems 2.7 and 3.1."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta as beta_law
from scipy.stats import chi2, norm

from dpdescent.algorithms.gaussian_law import IterateLaw, t_interval_coverage
from dpdescent.data.linear import LinearSample, draw_linear, haar_rotation, unit_sphere
from dpdescent.papers.brown2024 import (
    accuracy,
    condition,
    cost_of_privacy,
    dimension,
    formulas,
    preliminaries,
    proofs,
    separation,
)
from dpdescent.papers.brown2024.criteria import START_UP
from dpdescent.papers.brown2024.setting import Setting

ETA, BETA = 0.25, 0.05


def isotropic_sample(n: int, p: int, theta: np.ndarray) -> LinearSample:
    """Exactly isotropic and without label noise: X'X = n I, theta_hat = theta."""
    X = math.sqrt(n) * np.linalg.qr(np.random.default_rng(5).standard_normal((n, p)))[0]
    return LinearSample(X, X @ theta)


def drawn(n: int, p: int, seed: int = 0, sigma: float = 1.0) -> tuple[LinearSample, np.ndarray]:
    rng = np.random.default_rng(seed)
    theta = unit_sphere(p, rng)
    return draw_linear(theta, n, rng, sigma=sigma), theta


# Predictions on isotropic data


def test_privacy_constant_of_figure_1() -> None:
    assert formulas.privacy_constant(k=5, T=10, eta=ETA) == pytest.approx(8.45, abs=0.005)


@pytest.mark.parametrize(
    ("p", "rho", "k", "eta", "n"),
    [
        (10, 0.1, 5, 0.25, 14_286), (10, 0.1, 5, 0.2, 11_111), (10, 0.1, 3, 0.25, 5143), (10, 0.1, 3, 0.2, 4000),
        (10, 0.015, 3, 0.25, 34_286), (10, 0.015, 5, 0.25, 95_238), (10, 0.015, 3, 0.2, 26_667),
        (10, 0.015, 5, 0.2, 74_074), (100, 0.015, 3, 0.25, 342_857), (100, 0.015, 5, 0.25, 952_381),
    ],
)  # fmt: skip
def test_crossing_of_figures_2_and_8(p: int, rho: float, k: float, eta: float, n: int) -> None:
    found = formulas.crossing(p=p, rho=rho, T=20, eta=eta, k=k)
    assert round(found) == n
    private = formulas.privacy_error(n=found, p=p, rho=rho, T=20, eta=eta, k=k)
    assert private == pytest.approx(formulas.sampling_error(n=found, p=p, sigma=1.0), rel=1e-12)
    assert formulas.crossing(p=p, rho=rho, T=20, eta=eta, k=k, sigma=2.0) == pytest.approx(found / 4)


@pytest.mark.parametrize(("eta", "T", "bias"), [(0.25, 10, 0.056), (0.2, 10, 0.107), (0.2, 20, 0.0115), (1.5, 2, 0.25)])
def test_remaining_bias_is_the_error_without_noise(eta: float, T: int, bias: float) -> None:
    assert formulas.remaining_bias(T=T, eta=eta) == pytest.approx(bias, rel=0.01)
    assert formulas.remaining_bias(T=T, eta=eta, start=3.0) == 3.0 * formulas.remaining_bias(T=T, eta=eta)


@pytest.mark.parametrize(("eta", "T"), [(0.25, 10), (0.5, 4), (1.6, 12)])
def test_prediction_is_the_law_on_isotropic_data_less_the_noise_still_to_come(eta: float, T: int) -> None:
    n, p, rho, k = 400, 4, 0.3, 2.0
    theta = 0.8 * unit_sphere(p, np.random.default_rng(1))
    setting = Setting(n=n, p=p, T=T, rho=rho, eta=eta, gamma=k * math.sqrt(p))
    law = IterateLaw.of(isotropic_sample(n, p, theta).gram, eta=eta, noise_sd=setting.noise_sd)
    private = formulas.privacy_error(n=n, p=p, rho=rho, T=T, eta=eta, k=k)
    bias = formulas.remaining_bias(T=T, eta=eta, start=0.8)
    built_up = 1.0 - (1.0 - eta) ** (2 * T)
    assert law.expected_squared_error(T) == pytest.approx(private**2 * built_up + bias**2, rel=1e-10)


@given(st.floats(0.01, 1.9), st.floats(0.1, 10.0), st.integers(1, 100))
def test_privacy_costs_more_with_longer_steps_higher_thresholds_and_more_of_both(eta: float, k: float, T: int) -> None:
    found = formulas.privacy_constant(k=k, T=T, eta=eta)
    assert formulas.privacy_constant(k=2 * k, T=T, eta=eta) == pytest.approx(2 * found)
    assert formulas.privacy_constant(k=k, T=4 * T, eta=eta) == pytest.approx(2 * found)
    assert formulas.privacy_constant(k=k, T=T, eta=1.01 * eta) > found


@pytest.mark.parametrize("eta", [0.0, -0.1, 2.0, math.nan])
def test_prediction_needs_a_step_size_that_settles(eta: float) -> None:
    with pytest.raises(ValueError, match="eta"):
        formulas.privacy_constant(k=1, T=1, eta=eta)


# Preliminaries


@given(st.floats(1e-9, 0.999), st.floats(0.0, 1e3, allow_subnormal=False))
def test_gaussian_tail_holds(beta: float, sigma: float) -> None:
    bound = formulas.gaussian_tail(sigma, beta)
    assert bound == pytest.approx(sigma * math.sqrt(2 * math.log(2 / beta)))
    if sigma > 0.0:
        assert 0.1 * beta / math.sqrt(1 + math.log(1 / beta)) < 2 * norm.sf(bound / sigma) <= beta


@given(st.integers(1, 300), st.floats(1e-9, 0.999))
def test_gaussian_norm_holds_for_the_identity(p: int, beta: float) -> None:
    assert chi2.sf(formulas.gaussian_norm(p, 1.0, beta) ** 2, p) <= beta


def test_gaussian_norm_holds_for_other_covariances() -> None:
    variances = np.array([9.0, 1.0, 1.0, 0.01])
    lengths = np.linalg.norm(np.random.default_rng(0).standard_normal((40_000, 4)) * np.sqrt(variances), axis=1)
    for beta in (0.5, 0.05, 0.005):
        bound = formulas.gaussian_norm(variances.sum(), 9.0, beta)
        assert bound == pytest.approx(math.sqrt(11.01) + math.sqrt(18 * math.log(1 / beta)))
        assert (lengths > bound).mean() <= beta < 5 * (lengths > 0.6 * bound).mean()


@pytest.mark.parametrize("p", [2, 3, 10, 100])
def test_tails_on_the_sphere(p: int) -> None:
    """(<u, z> + 1) / 2 has a beta law."""
    for t in np.linspace(0.0, 0.999, 40):
        exact = 2.0 * beta_law.sf((1.0 + t) / 2.0, (p - 1) / 2, (p - 1) / 2)
        assert exact <= preliminaries.sphere_tail(p, t)
    assert preliminaries.sphere_tail(100, 0.5) == pytest.approx(math.exp(-9 / 8))


def test_records_for_a_well_conditioned_sample() -> None:
    assert preliminaries.covariance_records(7, math.exp(-3)) == pytest.approx(10.0)
    assert preliminaries.covariance_records(7, math.exp(-3), constant=4.0) == pytest.approx(40.0)


def test_least_squares_bound_and_its_exact_companion() -> None:
    bound = preliminaries.least_squares_bound(n=50, p=7, sigma=2.0, beta=math.exp(-3), constant=3.0)
    assert bound == pytest.approx(3 * 4 * 10 / 50)
    n, p, sigma = 20, 4, 2.0
    rng = np.random.default_rng(1)
    errors = []
    for _ in range(4000):
        X = rng.standard_normal((n, p))
        errors.append(np.linalg.norm(np.linalg.pinv(X) @ (sigma * rng.standard_normal(n))) ** 2)
    exact = formulas.least_squares_mean_square(n=n, p=p, sigma=sigma)
    assert exact == pytest.approx(16 / 15)
    assert abs(np.mean(errors) - exact) < 4 * np.std(errors) / math.sqrt(len(errors))


def test_least_squares_needs_two_spare_records_for_a_mean_square() -> None:
    with pytest.raises(ValueError, match=r"n=5 must exceed p \+ 1 = 5"):
        formulas.least_squares_mean_square(n=5, p=4, sigma=1.0)


def test_contracted_covariates_turn_with_the_covariates() -> None:
    """What Lemma C.6 rests on (eq. 56); the directions of a Gaussian sample's are then uniform."""
    sample, _ = drawn(50, 3)
    turn = haar_rotation(3, np.random.default_rng(9))
    turned = LinearSample(sample.X @ turn.T, sample.y)
    found = proofs.contracted_covariates(sample, ETA, 4)
    M = np.eye(3) - ETA * sample.X.T @ sample.X / 50
    assert found[7] == pytest.approx(M @ M @ M @ M @ sample.X[7])
    assert proofs.contracted_covariates(turned, ETA, 4) == pytest.approx(found @ turn.T)
    assert proofs.contracted_covariates(sample, ETA, 0) == pytest.approx(sample.X)


# Theorem 2.7


def test_two_versions_of_the_accuracy_at_the_papers_setting() -> None:
    n, p, T = 1000, 10, 20
    sample, _ = drawn(n, p)
    noise_sd = Setting(n=n, p=p, T=T, rho=0.015, eta=ETA, gamma=5 * math.sqrt(p)).noise_sd
    law = IterateLaw.of(sample.gram, eta=ETA, noise_sd=noise_sd)
    shared = {"p": p, "T": T, "eta": ETA, "noise_sd": noise_sd, "beta": BETA}
    b = accuracy.accuracy_of_proof(estimate_norm=float(np.linalg.norm(law.theta_hat)), **shared)
    c = accuracy.accuracy_of_law(law, T, BETA)
    assert b.total == pytest.approx(7.7, abs=0.05)
    assert c.total == pytest.approx(1.79, abs=0.1)
    assert b.noise == pytest.approx(ETA * noise_sd * math.sqrt(320 * math.log(80)))


def test_tight_version_holds_and_is_tight() -> None:
    """The law drawn 20,000 times: at most beta beyond the bound, and the quantile at 1 - beta is not far below."""
    sample, _ = drawn(300, 5)
    law = IterateLaw.of(sample.gram, eta=ETA, noise_sd=0.5)
    rng, T = np.random.default_rng(2), 6
    ends = law.mean(T) + rng.standard_normal((20_000, 5)) @ np.linalg.cholesky(law.covariance(T)).T
    errors = np.linalg.norm(ends - law.theta_hat, axis=1)
    for beta in (0.2, 0.01):
        bound = accuracy.accuracy_of_law(law, T, beta).total
        assert (errors > bound).mean() <= beta
        assert np.quantile(errors, 1 - beta) > 0.5 * bound
    covariance = law.covariance(T)
    spread = math.sqrt(np.trace(covariance)) + math.sqrt(2 * np.linalg.norm(covariance, 2) * math.log(1 / BETA))
    found = accuracy.accuracy_of_law(law, T, BETA)
    assert found.noise == pytest.approx(spread, rel=1e-12)
    assert found.bias == pytest.approx(np.linalg.norm(law.mean(T) - law.theta_hat), rel=1e-12)


def test_norm_of_the_series() -> None:
    """||A^(T)|| is below 64/15 for every spectrum of part (i), and reaches it in the limit."""
    assert abs(accuracy.SERIES_NORM - 64 / 15) < 1e-12
    a = np.linspace(-7 / 8, 7 / 8, 101)
    for T in (1, 5, 50):
        assert ((1 - a ** (2 * T)) / (1 - a**2)).max() <= accuracy.SERIES_NORM <= accuracy.SERIES_NORM_AS_PRINTED


@pytest.mark.parametrize(("beta", "follows"), [(0.0115, True), (0.0122, False), (0.5, False)])
def test_bound_on_the_noise_needs_the_true_norm_of_the_series(beta: float, follows: bool) -> None:
    at = {"p": 2, "eta": ETA, "noise_sd": 2.0, "beta": beta}
    stated, norm_of = accuracy.noise_bound(**at), accuracy.noise_bound_by_norm
    assert (norm_of(**at, series_norm=accuracy.SERIES_NORM_AS_PRINTED) <= stated) is follows
    assert norm_of(**at) <= stated


def test_noise_bound_by_the_true_norm_holds_for_every_dimension() -> None:
    for p in (1, 2, 10, 1000):
        for beta in (1e-6, 0.05, 0.999):
            at = {"p": p, "eta": ETA, "noise_sd": 1.0, "beta": beta}
            assert accuracy.noise_bound_by_norm(**at) <= accuracy.noise_bound(**at)


def test_bound_on_the_estimate_is_far_above_it() -> None:
    sample, theta = drawn(500, 10)
    c0 = condition.condition(sample, theta, sigma=1.0, eta=ETA, T=20).c0
    bound = accuracy.estimate_norm_bound(c0=c0, sigma=1.0, p=10)
    assert bound == pytest.approx(1 + 2 * c0**2 * math.sqrt(10))
    assert 20 * np.linalg.norm(np.linalg.lstsq(sample.X, sample.y)[0]) < bound


def test_bound_of_the_theorem() -> None:
    found = accuracy.accuracy_bound(n=1e4, p=10, rho=1.0, sigma=1e-6, beta=BETA, constant=2.0)
    assert found == pytest.approx(2 * math.log(2e4) ** 4 * 1e-6 * 1e-3)


def test_steps_of_the_theorem() -> None:
    assert accuracy.theorem_steps(n=1000, p=10, rho=0.015) == pytest.approx(0.41, abs=0.005)
    assert accuracy.theorem_steps(n=500, p=10, rho=0.015, constant=9.0) < 0.0
    assert accuracy.theorem_steps(n=1000, p=10, rho=0.015, constant=9.0) == pytest.approx(9 * math.log(1.5))


def test_settings_of_the_theorem() -> None:
    found = accuracy.theorem_setting(n=10_000, p=10, rho=1.0, sigma=2.0, beta=BETA, constant=3.0)
    assert (found.T, found.eta, found.rho) == (math.ceil(3 * math.log(1000)), 0.25, 1.0)
    gamma = 3 * 2 * math.sqrt(10) * math.log(10_000 * found.T / BETA) ** 3
    assert found.gamma == pytest.approx(gamma)
    assert found.noise_sd**2 == pytest.approx(2 * found.T * gamma**2 / 1e8)
    with pytest.raises(ValueError, match="n=100 must exceed p/rho = 100"):
        accuracy.theorem_setting(n=100, p=10, rho=0.1, sigma=1.0, beta=BETA)


def test_sample_size_as_printed_and_as_it_should_read() -> None:
    assert accuracy.theorem_records(p=16, rho=BETA, beta=BETA, constant=2.0) == 32.0
    assert accuracy.theorem_records(p=16, rho=1.0, beta=BETA) == pytest.approx(16 + 4 * math.log(20) ** 4)
    assert accuracy.proof_records(n=1e4, p=16, rho=0.1, beta=BETA) == pytest.approx(4 * math.log(1250) ** 4)
    assert accuracy.corrected_records(n=1e4, p=16, rho=0.04, T=9, beta=BETA) == pytest.approx(
        80 * 3 * math.log(1.8e6) ** 3.5
    )


@pytest.mark.parametrize("rho", [1.0, 0.01])
@pytest.mark.parametrize("p", [10, 10_000])
def test_second_condition_of_lemma_2_5_has_the_corrected_order(rho: float, p: int) -> None:
    """At eta = 1/4 it reads n >= 16 sqrt(2) c0^2 p sqrt(T ln(2nT/beta) / rho): that order for every p and rho."""
    n, T = 1e9, 20
    c0 = condition.theorem_constant(n=n, T=T, beta=BETA)
    needed = condition.required_records(c0=c0, n=n, p=p, rho=rho, T=T, eta=ETA, beta=BETA)
    assert needed == pytest.approx(16 * math.sqrt(2) * c0**2 * p * math.sqrt(T * math.log(2 * n * T / BETA) / rho))
    order = accuracy.corrected_records(n=n, p=p, rho=rho, T=T, beta=BETA)
    assert 16 * math.sqrt(2) * 144 < needed / order < 1.6 * 16 * math.sqrt(2) * 144


# Corners


@pytest.mark.parametrize(("rho", "bound"), [(1e-2, 9.3), (1e-8, 9e-3), (1e-12, 9e-5)])
def test_small_budgets_break_the_theorem(rho: float, bound: float) -> None:
    found = accuracy.small_budget(rho=rho, p=10, sigma=1.0, beta=BETA, constant=10.0)
    assert (found.setting.T, found.error) == (7, pytest.approx(0.133, abs=0.001))
    assert found.bound == pytest.approx(bound, rel=0.04)
    assert found.setting.n == pytest.approx(20 / rho)


def test_larger_constants_only_move_the_corner_and_sufficient_steps_remove_it() -> None:
    before, after = (
        accuracy.small_budget(rho=rho, p=10, sigma=1.0, beta=BETA, constant=50.0) for rho in (1e-11, 1e-14)
    )
    assert before.error == after.error == pytest.approx((3 / 4) ** 35)
    assert before.error / before.bound < 1.0 < after.error / after.bound
    # The T from which (7/8)^T is at most sqrt(p) / (sqrt(rho) n), as (82) needs.
    steps = math.ceil(math.log(after.setting.n * math.sqrt(1e-14 / 10)) / math.log(8 / 7))
    assert formulas.remaining_bias(T=steps, eta=ETA) < after.bound


def test_corner_needs_a_step() -> None:
    with pytest.raises(ValueError, match=r"ratio=1\.0 must exceed 1"):
        accuracy.small_budget(rho=0.1, p=10, sigma=1.0, beta=BETA, ratio=1.0)


@pytest.mark.parametrize(
    ("constant", "sigma", "needed"),
    [
        (1.0, 1e-6, 1e5),
        (1.0, 1e-9, 1e8),
        (1.0, 1e-12, 1e11),
        (10.0, 1e-9, 1e8),
        (10.0, 1e-12, 1e11),
        (576.0, 1e-12, 1e11),
    ],
)
def test_small_label_noise_breaks_the_theorem(constant: float, sigma: float, needed: float) -> None:
    found = accuracy.small_noise(n=10_000, p=10, rho=1.0, sigma=sigma, beta=BETA, constant=constant)
    assert found.error / found.bound == pytest.approx(needed, rel=0.07)
    assert 0.97 < found.error < 1.0


def test_no_lower_bound_where_the_iterate_may_arrive() -> None:
    assert accuracy.small_noise(n=10_000, p=10, rho=1.0, sigma=1.0, beta=BETA).error == 0.0


def test_iterates_move_no_further_than_their_bound() -> None:
    """Every gradient is clipped and all point one way, so that without noise the bound is reached."""
    X = np.ones((50, 1))
    X[::2] *= 2.0
    setting = Setting(n=50, p=1, T=12, rho=1e30, eta=ETA, gamma=0.5)
    theta = np.zeros(1)
    for _ in range(setting.T):
        gradients = -(1e6 * X[:, 0] - X @ theta)[:, None] * X
        clipped = gradients * np.minimum(1.0, setting.gamma / np.linalg.norm(gradients, axis=1))[:, None]
        theta = theta - setting.eta * clipped.mean(axis=0)
    assert accuracy.movement_bound(setting, BETA) == pytest.approx(theta[0], rel=1e-9)


def test_noise_moves_iterates_no_further_than_their_bound() -> None:
    setting = Setting(n=50, p=6, T=12, rho=1e-4, eta=ETA, gamma=0.5)
    sums = np.random.default_rng(8).standard_normal((20_000, 12, 6)).sum(axis=1) * setting.noise_sd * ETA
    lengths = np.linalg.norm(sums, axis=1) + setting.T * ETA * setting.gamma
    assert (lengths > accuracy.movement_bound(setting, BETA)).mean() <= BETA
    assert np.quantile(lengths, 1 - BETA) > 0.7 * accuracy.movement_bound(setting, BETA)


# Theorem 3.1


@pytest.mark.parametrize("construction", ["independent runs", "checkpoints"])
def test_closeness_is_that_of_the_stacked_gaussians(construction: str) -> None:
    """Covariances by blocks, eq. 85 to 94, and the norm of Claim C.11 from dense matrices."""
    m, p, T = 3, 2, 4
    law = IterateLaw.of(drawn(30, p)[0].gram, eta=ETA, noise_sd=0.2)
    together = construction == "checkpoints"
    times = [T * (k + 1) if together else T for k in range(m)]
    ideal, actual = np.zeros((m * p, m * p)), np.zeros((m * p, m * p))
    for row in range(m):
        for column in range(m):
            block = slice(row * p, (row + 1) * p), slice(column * p, (column + 1) * p)
            if row == column:
                ideal[block] = law.covariance(math.inf)
            if row == column or together:
                later, earlier = max(times[row], times[column]), min(times[row], times[column])
                actual[block] = law.cross_covariance(later, earlier)
    s, U = np.linalg.eigh(ideal)
    root = U / np.sqrt(s) @ U.T
    estimates = law.estimates(construction, m * T, m, 0, **({} if together else {"tail": 1}))
    distance = np.linalg.norm(root @ actual @ root - np.eye(m * p))
    assert separation.closeness(estimates) == pytest.approx(distance, rel=1e-9)


def test_estimates_get_closer_with_more_steps() -> None:
    law = IterateLaw.of(drawn(1000, 5)[0].gram, eta=ETA, noise_sd=0.2)
    found = [separation.closeness(law.estimates("checkpoints", 10 * T, 10, 0)) for T in (5, 10, 20, 40, 80)]
    assert all(after < 0.5 * before for before, after in itertools.pairwise(found))
    assert found[-1] < 1e-6


@pytest.mark.parametrize("m", [2, 5, 10, 50])
def test_students_interval_covers_independent_estimates_with_its_level(m: int) -> None:
    for level in (0.8, 0.95):
        covered = t_interval_coverage(np.zeros(m), 3.0 * np.eye(m), level=level)
        assert covered == pytest.approx(level, abs=1e-9)


def test_students_interval_at_its_limits() -> None:
    """Estimates that are far off together never cover; two that are correlated cover as an arc tangent says."""
    assert t_interval_coverage(np.full(10, 50.0), np.eye(10)) == pytest.approx(0.0, abs=1e-9)
    # Two estimates: covered where |z_1 + z_2| <= t |z_1 - z_2|, an angle of normals with these variances.
    correlation, t = 0.6, math.tan(0.475 * math.pi)
    ratio = math.sqrt((1 - correlation) / (1 + correlation))
    expected = 2 / math.pi * math.atan(t * ratio)
    found = t_interval_coverage(np.zeros(2), np.array([[1, correlation], [correlation, 1]]))
    assert found == pytest.approx(expected, abs=1e-9)


def test_intervals_where_sigma_is_the_identity() -> None:
    ideal = separation.at_identity("independent runs", steps=1000, m=10, noise_sd=1.0, start=1.0, tail=1)
    assert ideal.coverage == pytest.approx(0.95, abs=1e-6)
    close = separation.at_identity("checkpoints", steps=10, m=10, noise_sd=8000.0, start=0.3)
    assert close.coverage == pytest.approx(0.5535, abs=1e-4)
    wide = separation.at_identity("checkpoints", steps=1000, m=10, noise_sd=1.0, start=1.0, target_sd=1.0)
    assert wide.coverage < 0.5
    assert wide.length == pytest.approx(ideal.length, rel=1e-3)


def test_where_the_rates_set_in() -> None:
    given = {"p": 10, "rho": 0.015, "T": 20, "eta": 0.25, "k": 5.0}
    n = cost_of_privacy.start_up_over(SimpleNamespace(value=given.__getitem__), given["k"])
    assert formulas.remaining_bias(T=20, eta=0.25) == pytest.approx(START_UP * formulas.privacy_error(n=n, **given))
    grown = dimension.adassp_grown(exponent=0.4, margin=3.0)
    assert grown == pytest.approx(729.0)
    assert dimension.adassp_exponent(p=grown, margin=3.0) == pytest.approx(0.4)
    with pytest.raises(ValueError, match="at 1/2 no p would do"):
        dimension.adassp_grown(exponent=0.5, margin=3.0)


def test_theorem_2_7_loses_logarithms_of_n_alone() -> None:
    """At fixed n/p the bound has the logarithm of a constant, the theorem's gamma that of n."""
    found = [accuracy.error_over_bound(n=100 * p, p=p, rho=1.0, beta=0.05, constant=10.0) for p in (10**2, 10**8)]
    T = math.ceil(10 * math.log(100))
    logs = [math.log(100 * p * T / 0.05) ** 3 for p in (10**2, 10**8)]
    assert found[1] / found[0] == pytest.approx(logs[1] / logs[0])
    # n rho / (beta p) is 20 and 20^2, (n rho / beta) p is 20^3 and 20^4.
    read = [
        bound(n=20.0, p=20, rho=rho, sigma=1.0, beta=0.05) * math.sqrt(rho)
        for rho in (1.0, 20.0) for bound in (accuracy.accuracy_bound, accuracy.bound_left_to_right)
    ]  # fmt: skip
    assert np.array(read) / read[0] == pytest.approx([1.0, 3.0**4, 2.0**4, 4.0**4])
    silent = separation.silent_theorem(sigma=1.0, m=10, p=10, eta=0.25, beta=0.05)
    assert math.log(1.0 * 10 * 10 / (0.25 * silent * 0.05)) == pytest.approx(0.0)


# Separations and distances of laws


def test_least_steps_is_the_first_separation_that_covers() -> None:
    T = separation.least_steps("independent runs", m=10, noise_sd=0.01, beta=0.05)
    made = [separation.separated("independent runs", T=steps, m=10, noise_sd=0.01) for steps in (T - 1, T)]
    before, after = (t_interval_coverage(law.means[0], law.covariances[0]) for law in made)
    assert before < 0.9 <= after
    # Every halving of the noise takes ln 2 / ln(8/7), about 5.2, steps more.
    finer = separation.least_steps("independent runs", m=10, noise_sd=0.005, beta=0.05)
    assert finer - T in (5, 6)


def test_variation_of_means_is_that_of_two_normal_densities() -> None:
    x = np.linspace(-10, 10, 200_001)
    density = norm.pdf
    total = 0.5 * np.abs(density(x) - density(x, loc=0.7)).sum() * (x[1] - x[0])
    assert separation.shifted_variation(0.7) == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize(("p", "distance"), [(2, 0.3), (5, 0.5), (50, 0.1)])
def test_variation_of_scales_is_that_of_two_radial_densities(p: int, distance: float) -> None:
    scale = 1 + distance / p**0.5
    r = np.linspace(0, p + 40 * p**0.5 + 40, 400_001)[1:]
    one, other = chi2.pdf(r, p), chi2.pdf(r / scale, p) / scale
    total = 0.5 * np.abs(one - other).sum() * (r[1] - r[0])
    assert separation.scaled_variation(p=p, distance=distance) == pytest.approx(total, rel=2e-3)


def test_projected_descent_has_its_exponent_from_there_on() -> None:
    p = dimension.projected_grown(exponent=0.4, bound_factor=1.5, bound_y=6.0)
    bound = 1.5 * p**0.5
    assert bound / (2 * (bound + 6.0)) == pytest.approx(0.4)
    with pytest.raises(ValueError, match=r"exponent=0\.5"):
        dimension.projected_grown(exponent=0.5, bound_factor=1.5, bound_y=6.0)
