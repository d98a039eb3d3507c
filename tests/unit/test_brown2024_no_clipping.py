"""Condition 2.4 of brown2024 against its definition, Lemma 2.5 against runs, Lemma 2.6's constant and its proof."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from dpdescent.data.linear import LinearSample, draw_linear, unit_sphere
from dpdescent.papers.brown2024 import condition
from dpdescent.papers.brown2024.setting import Setting

ETA, T, BETA = 0.25, 20, 0.05


def drawn(n: int, p: int, seed: int = 0, sigma: float = 1.0) -> tuple[LinearSample, np.ndarray]:
    rng = np.random.default_rng(seed)
    theta = unit_sphere(p, rng)
    return draw_linear(theta, n, rng, sigma=sigma), theta


def by_definition(sample: LinearSample, theta: np.ndarray, sigma: float, eta: float, T: int) -> dict[str, float]:
    """Every part in the words of the condition: record by record, step by step, with inverses and powers."""
    n, p = sample.X.shape
    Sigma = sum(np.outer(x, x) for x in sample.X) / n
    M = np.eye(p) - eta * Sigma
    xi = [y - x @ theta for x, y in zip(sample.X, sample.y, strict=True)]
    signal = cross = 0.0
    for t in range(1, T + 1):
        power = np.linalg.matrix_power(M, t)
        A = (np.eye(p) - power) @ np.linalg.inv(Sigma)
        for x in sample.X:
            signal = max(signal, abs(x @ power @ theta))
            cross = max(cross, abs(sum(xi[j] * (x @ A @ sample.X[j]) for j in range(n))))
    s = np.linalg.eigvalsh(Sigma)
    return {
        "smallest": s[0], "largest": s[-1], "contraction": np.linalg.norm(M, 2),
        "covariates": max(np.linalg.norm(x) for x in sample.X) / math.sqrt(p),
        "residuals": max(abs(each) for each in xi) / sigma, "signal": signal,
        "cross": cross / (sigma * math.sqrt(n * p)), "start": max(abs(x @ theta) for x in sample.X),
    }  # fmt: skip


@pytest.mark.parametrize(("eta", "sigma"), [(0.25, 1.0), (0.25, 0.3), (0.9, 1.0), (1.2, 2.0)])
def test_every_part_is_that_of_the_definition(eta: float, sigma: float) -> None:
    sample, theta = drawn(40, 3, seed=4, sigma=sigma)
    found = condition.condition(sample, theta, sigma=sigma, eta=eta, T=5)
    assert vars(found) == pytest.approx(by_definition(sample, theta, sigma, eta, 5), rel=1e-10)


def test_any_theta_may_be_asked_for() -> None:
    """At theta_hat part (v) vanishes, by the normal equations."""
    sample, _ = drawn(200, 4)
    theta_hat = np.linalg.lstsq(sample.X, sample.y)[0]
    found = condition.condition(sample, theta_hat, sigma=1.0, eta=ETA, T=3)
    assert found.cross < 1e-12 < found.residuals
    assert found.residuals == pytest.approx(np.abs(sample.y - sample.X @ theta_hat).max(), rel=1e-12)


def test_rows_of_every_block_count() -> None:
    """1500 rows of 260 numbers make two blocks; an outlier in either is seen in every part."""
    sample, theta = drawn(1500, 260)
    for row in (0, 1499):
        X, y = sample.X.copy(), sample.y.copy()
        X[row] *= 4.0
        y[row] = X[row] @ theta + 50.0
        marked = LinearSample(X, y)
        found = condition.condition(marked, theta, sigma=1.0, eta=ETA, T=2)
        M = np.eye(260) - ETA * X.T @ X / 1500
        A = [np.eye(260) * ETA, ETA * (np.eye(260) + M)]
        g = X.T @ (y - X @ theta)
        assert found.covariates == pytest.approx(np.linalg.norm(X[row]) / math.sqrt(260))
        assert found.residuals == pytest.approx(50.0)
        assert found.signal == pytest.approx(np.abs(X @ M @ theta).max())
        assert found.cross == pytest.approx(max(np.abs(X @ a @ g).max() for a in A) / math.sqrt(1500 * 260))


def test_label_noise_may_be_tiny() -> None:
    """Parts (iii) and (v) do not depend on the scale of the noise, down to where labels round."""
    usual, tiny = (
        condition.condition(*drawn(500, 5, seed=2, sigma=sigma), sigma=sigma, eta=ETA, T=T) for sigma in (1.0, 1e-10)
    )
    assert tiny.cross == pytest.approx(usual.cross, rel=1e-4)
    assert tiny.residuals == pytest.approx(usual.residuals, rel=1e-4)
    assert tiny.signal == pytest.approx(usual.signal, rel=1e-12)


def test_more_steps_can_only_raise_the_constant() -> None:
    sample, theta = drawn(100, 3, seed=7)
    parts = [condition.condition(sample, theta, sigma=1.0, eta=ETA, T=steps) for steps in (1, 2, 5, 50)]
    for fewer, more in itertools.pairwise(parts):
        assert more.signal >= fewer.signal
        assert more.cross >= fewer.cross
    assert parts[-1].cross > 2.0 * parts[0].cross


def test_without_part_one_there_is_no_constant() -> None:
    good = condition.condition(*drawn(500, 10), sigma=1.0, eta=ETA, T=T)
    assert good.spectrum_holds
    assert good.c0 == max(good.covariates, good.residuals, good.signal, good.cross)
    assert replace(good, signal=9.0, start=99.0).c0 == 9.0
    for change in ({"smallest": 0.499}, {"largest": 2.001}, {"contraction": 0.8751}):
        spoilt = replace(good, **change)
        assert not spoilt.spectrum_holds
        assert spoilt.c0 == math.inf
    assert replace(good, smallest=0.5, largest=2.0, contraction=0.875).spectrum_holds


def test_spectrum_at_two_hundred_records() -> None:
    assert condition.condition(*drawn(200, 10), sigma=1.0, eta=ETA, T=T).spectrum_holds


@pytest.mark.parametrize(("n", "p"), [(500, 10), (36_000, 10), (10_000, 100)])
def test_constants_of_gaussian_data_are_about_four_where_the_lemma_has_hundreds(n: int, p: int) -> None:
    found = condition.condition(*drawn(n, p), sigma=1.0, eta=ETA, T=T)
    assert 3.0 < found.c0 < 5.0
    assert found.c0 == max(found.residuals, found.cross)
    assert condition.lemma_constant(n=n, T=T, beta=BETA) > 600.0


@pytest.mark.parametrize(
    ("change", "match"),
    [({"sigma": 0.0}, "sigma"), ({"eta": -0.1}, "eta"), ({"T": 0}, "T must"), ({"sigma": math.nan}, "sigma")],
)
def test_bad_arguments_are_named(change: dict[str, float], match: str) -> None:
    sample, theta = drawn(20, 2)
    with pytest.raises(ValueError, match=match):
        condition.condition(sample, theta, **{"sigma": 1.0, "eta": ETA, "T": 3, **change})
    with pytest.raises(ValueError, match=r"theta \(3,\) must have shape \(2,\)"):
        condition.condition(sample, np.ones(3), sigma=1.0, eta=ETA, T=3)


# Lemma 2.5


def clipped_shares(sample: LinearSample, setting: Setting, noise_sd: float, seed: int) -> list[float]:
    """Share of gradients clipped at every step of DP-GD, written out."""
    rng, theta, shares = np.random.default_rng(seed), np.zeros(sample.p), []
    for _ in range(setting.T):
        gradients = -(sample.y - sample.X @ theta)[:, None] * sample.X
        norms = np.linalg.norm(gradients, axis=1)
        shares.append(float((norms > setting.gamma).mean()))
        clipped = gradients * np.minimum(1.0, setting.gamma / norms)[:, None]
        theta = theta - setting.eta * (clipped.mean(axis=0) + noise_sd * rng.standard_normal(sample.p))
    return shares


def at_the_limit(c0: float, sigma: float, n: int, p: int, gamma: float) -> tuple[Setting, float]:
    """DP-GD at a threshold, with the largest noise that Lemma 2.5 allows."""
    ratio = condition.required_ratio(c0=c0, p=p, n=n, T=T, beta=BETA)
    return Setting(n=n, p=p, T=T, rho=1.0, eta=ETA, gamma=gamma), gamma / (ETA * ratio)


@pytest.mark.parametrize("sigma", [1.0, 3.0])
def test_nothing_is_clipped_where_the_lemma_applies(sigma: float) -> None:
    n, p = 2000, 10
    sample, theta = drawn(n, p, sigma=sigma)
    c0 = condition.condition(sample, theta, sigma=sigma, eta=ETA, T=T).c0
    setting, noise_sd = at_the_limit(c0, sigma, n, p, condition.required_threshold(c0=c0, sigma=sigma, p=p))
    assert sum(sum(clipped_shares(sample, setting, noise_sd, seed)) for seed in range(5)) == 0.0


@pytest.mark.parametrize(("sigma", "low", "high"), [(0.33, 0.0, 0.0), (0.01, 0.3, 0.5), (0.001, 0.88, 0.96)])
def test_small_label_noise_breaks_the_lemma_as_printed_and_not_as_mended(sigma: float, low: float, high: float) -> None:
    """Condition 2.4 holds with c0 of about 4.5, gamma and lambda are as the lemma asks; yet the first step clips."""
    n, p = 2000, 10
    sample, theta = drawn(n, p, sigma=sigma)
    c0 = condition.condition(sample, theta, sigma=sigma, eta=ETA, T=T).c0
    assert 3.0 < c0 < 5.5
    setting, noise_sd = at_the_limit(c0, sigma, n, p, condition.required_threshold(c0=c0, sigma=sigma, p=p))
    assert low <= clipped_shares(sample, setting, noise_sd, 0)[0] <= high
    setting, noise_sd = at_the_limit(c0, sigma, n, p, condition.required_threshold(c0=c0, sigma=max(sigma, 1.0), p=p))
    assert sum(clipped_shares(sample, setting, noise_sd, 0)) == 0.0


def test_part_four_does_not_reach_the_first_step() -> None:
    """One covariate, x = 1 and eta = 1: M = 0, so that theta, hence y, may be anything at c0 = 1."""
    sample = LinearSample(np.ones((2, 1)), np.full(2, 1000.0))
    found = condition.condition(sample, np.array([1000.0]), sigma=1.0, eta=1.0, T=3)
    assert (found.c0, found.start) == (1.0, 1000.0)
    assert condition.required_threshold(c0=found.c0, sigma=1.0, p=1) == 4.0 < 1000.0


def test_projections_of_the_noise_stay_below_their_bound() -> None:
    """Eq. 33: the union over n records and T^2 pairs of steps leaves at most beta; a lone one decays as (7/8)^t."""
    n, p, c0, noise_sd = 500, 10, 4.0, 0.7
    bound = [
        condition.noise_projection(c0=c0, noise_sd=noise_sd, n=n, p=p, T=T, t=t, beta=BETA) for t in (0, 1, 2)
    ]  # fmt: skip
    assert bound[1] / bound[0] == bound[2] / bound[1] == pytest.approx(7 / 8)
    largest_sd = noise_sd * c0 * math.sqrt(p)
    assert n * T**2 * 2.0 * norm.sf(bound[0] / largest_sd) <= BETA
    assert bound[0] == pytest.approx(2.0 * largest_sd * math.sqrt(math.log(2 * n * T / BETA)))


# What Lemma 2.5 asks of n


@pytest.mark.parametrize(
    ("c0", "p", "gamma"), [(3.5, 10, 155.0), (4.06, 100, 660.0), (616.2, 10, 4.8e6), (826.0, 100, 2.7e7)]
)
def test_required_threshold(c0: float, p: int, gamma: float) -> None:
    assert condition.required_threshold(c0=c0, sigma=1.0, p=p) == pytest.approx(gamma, rel=0.02)
    assert condition.required_threshold(c0=c0, sigma=0.1, p=p) == pytest.approx(gamma / 10, rel=0.02)


@pytest.mark.parametrize(
    ("c0", "n", "p", "records"), [(3.5, 500, 10, 3.63e5), (4.0, 10_000, 100, 5.27e6), (616.2, 500, 10, 1.127e10)]
)
def test_required_records(c0: float, n: int, p: int, records: float) -> None:
    found = condition.required_records(c0=c0, n=n, p=p, rho=0.015, T=T, eta=ETA, beta=BETA)
    assert found == pytest.approx(records, rel=0.005)


@pytest.mark.parametrize("beta", [0.0, 1.0, -0.1])
def test_failure_probability_is_one(beta: float) -> None:
    for call in (
        lambda: condition.required_ratio(c0=1.0, p=2, n=10, T=1, beta=beta),
        lambda: condition.lemma_constant(n=10, T=1, beta=beta),
        lambda: condition.theorem_constant(n=10, T=1, beta=beta),
    ):
        with pytest.raises(ValueError, match="beta must lie strictly between 0 and 1"):
            call()


# Lemma 2.6


@pytest.mark.parametrize(("n", "constant"), [(500, 616.2), (36_000, 923.0)])
def test_constant_of_the_lemma(n: int, constant: float) -> None:
    assert condition.lemma_constant(n=n, T=T, beta=BETA) == pytest.approx(constant, rel=2e-3)
    quarter = condition.lemma_constant(n=n, T=T, beta=BETA / 4)
    assert condition.theorem_constant(n=n, T=T, beta=BETA) == quarter > constant


@pytest.mark.parametrize(("p", "factor"), [(2, 3.41), (10, 1.46), (100, 1.11), (10**8, 1.0)])
def test_printed_argument_yields_a_larger_constant(p: int, factor: float) -> None:
    n, stated = 2000, condition.lemma_constant(n=2000, T=T, beta=BETA)
    assert condition.signal_constant(p=p, n=n, T=T, beta=BETA) / stated == pytest.approx(factor, abs=0.005)
    circular = condition.signal_constant_as_printed(c0=stated, p=p, n=n, T=T, beta=BETA)
    log = math.log(5 * n * T / BETA)
    assert stated < 4.0 * stated * log <= circular <= 16.0 * stated * log
    assert condition.sub_gaussian_signal_constant(p=p, n=n, T=T, beta=BETA) < 4.3 * log < stated


def test_lemma_says_nothing_for_one_covariate() -> None:
    with pytest.raises(ValueError, match="p=1 must be at least 2"):
        condition.signal_constant(p=1, n=100, T=T, beta=BETA)
    with pytest.raises(ValueError, match="p=1 must be at least 2"):
        condition.signal_constant_as_printed(c0=1.0, p=1, n=100, T=T, beta=BETA)


@given(st.integers(1, 10**7), st.integers(2, 1000), st.floats(1e-6, 0.5))
def test_ceiling_of_the_covariate_constant(n: int, p: int, beta: float) -> None:
    c1 = condition.covariate_constant(n=n, p=p, beta=beta)
    assert c1 <= condition.covariate_ceiling(n=n, beta=beta)
    assert c1 == pytest.approx(1.0 + math.sqrt(2.0 * math.log(5 * n / beta) / p))


def test_covariate_constant_as_printed_breaks_its_own_ceiling() -> None:
    printed = condition.covariate_constant_as_printed(n=10_000, p=2, beta=BETA)
    assert printed == pytest.approx(1.0 + math.log(1e6))
    assert printed > condition.covariate_ceiling(n=10_000, beta=BETA) > 11.0


def test_pieces_of_the_proof_hold_on_gaussian_data() -> None:
    """Each with probability 1 - beta/5; of 200 data sets none exceeds a bound that leaves beta = 1e-3 in all."""
    n, p, beta, sigma = 300, 5, 1e-3, 2.0
    c1 = condition.covariate_constant(n=n, p=p, beta=beta)
    label = condition.label_noise_bound(n=n, sigma=sigma, beta=beta)
    assert label == pytest.approx(sigma * math.sqrt(2.0 * math.log(10 * n / beta)))
    signal = condition.sub_gaussian_signal_constant(p=p, n=n, T=T, beta=beta)
    cross = condition.cross_constant(c1=c1, n=n, T=T, beta=beta)
    assert condition.cross_constant_as_printed(c1=c1, n=n, T=T, beta=beta) < cross
    parts = [condition.condition(*drawn(n, p, seed, sigma), sigma=sigma, eta=ETA, T=T) for seed in range(200)]
    tops = [max(getattr(each, name) for each in parts) for name in ("covariates", "residuals", "signal", "cross")]
    bounds = [c1, label / sigma, signal, cross]
    assert all(0.1 * bound < top < bound for top, bound in zip(tops, bounds, strict=True)), (tops, bounds)
    assert all(each.spectrum_holds for each in parts)
    assert condition.cross_constant(c1=c1, n=n, T=T, beta=beta) == pytest.approx(
        math.sqrt(2 * math.log(10 * n * T / beta) * condition.kernel_bound(c1=c1, n=n, p=p) / (n * p))
    )


def test_sum_over_kernels_stays_below_its_bound() -> None:
    sample, theta = drawn(60, 4, seed=3)
    found = condition.condition(sample, theta, sigma=1.0, eta=ETA, T=T)
    Sigma = sample.gram.xx / 60
    bound = condition.kernel_bound(c1=found.covariates, n=60, p=4)
    for t in (1, 5, 40):
        A = np.linalg.solve(Sigma, np.eye(4) - np.linalg.matrix_power(np.eye(4) - ETA * Sigma, t))
        sums = ((sample.X @ A @ sample.X.T) ** 2).sum(axis=1)
        assert sums.max() < bound
