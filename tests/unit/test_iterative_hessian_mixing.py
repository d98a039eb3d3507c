"""Iterative Hessian mixing: its sketches against real ones, its bound on their noise, and what its authors say of it.

**Criterion of the authors' claim, written before a run.** They say that it consistently outperforms earlier methods,
AdaSSP among them. Their code takes T = 3, `k = 6 max(d, log(4 T / v))`, delta = 1 / n^2, v = delta / 10, six epsilons
from 0.1 to 10 and data divided by the largest |x| and |y|, a record being replaced by zeros. The data that can be made
here are those of Lev et al. 2025, App. F: n = 8192 records on four of d = 512 dimensions and outcomes `x'theta + 0.1
u`, u uniform on [-1, 1]. At every epsilon the mean squared error on the training data must be smaller than that of
AdaSSP with a third of an exactly accounted budget a release, as means over four runs. (Bounds are those of the data, as
in their code, so that these runs have no guarantee.)
"""

import math

import numpy as np
import pytest
from scipy import stats

from dpdescent.baselines import iterative_hessian_mixing as mixing
from dpdescent.baselines.ada_ssp import Bounds, Calibration, ada_ssp, bounded_gram
from dpdescent.baselines.iterative_hessian_mixing import Settings, fit, wishart
from dpdescent.data.linear import LinearSample, unit_sphere
from dpdescent.privacy.account import account
from dpdescent.privacy.accounting import tight_rho
from dpdescent.replication.ledger import entries

BOUNDS = Bounds(1.5, 0.7, "public")


def sample(n: int = 60, p: int = 3, seed: int = 1) -> LinearSample:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return LinearSample(X, 2.0 * X.sum(1) / math.sqrt(p) + rng.standard_normal(n))


def fitted(data: LinearSample, settings: Settings, rng: np.random.Generator) -> np.ndarray:
    return fit(data, settings, rng).theta


def twin(data: LinearSample, settings: Settings, rng: np.random.Generator) -> np.ndarray:
    """The algorithm as it is written: real sketches of real records, each with its own weights."""
    (one, sketches, residuals), bounds, k = settings.releases, settings.bounds, settings.rows
    X = np.array([x * min(1.0, bounds.x / np.linalg.norm(x)) for x in data.X])
    limit = np.linalg.eigvalsh(X.T @ X)[0] + one.noise_sd * rng.standard_normal() - settings.quantile * one.noise_sd
    s = math.sqrt(max(0.0, sketches.noise_sd**2 - max(0.0, limit)))
    theta = np.zeros(data.p)
    for _ in range(settings.rounds):
        products = X.T @ np.clip(data.y - X @ theta, -bounds.y, bounds.y)
        products = products + residuals.noise_sd * rng.standard_normal(data.p)
        rows = rng.standard_normal((k, data.n)) @ X + s * rng.standard_normal((k, data.p))
        theta = theta + np.linalg.solve(rows.T @ rows / k, products)
    return theta


@pytest.mark.parametrize("n", [60, 4000])
def test_coefficients_have_the_law_of_real_sketches(n: int) -> None:
    """With little data all of the noise is needed, with much some of it."""
    data, settings = sample(n), Settings(BOUNDS, 3, 20.0, 1e-2, rounds=2)
    found, real = (
        np.array([each(data, settings, np.random.default_rng([seed, k])) for k in range(400)])
        for seed, each in ((1, fitted), (2, twin))
    )
    for first, second in zip(
        (*found.T, np.linalg.norm(found, axis=1)), (*real.T, np.linalg.norm(real, axis=1)), strict=True
    ):
        assert stats.ks_2samp(first, second).pvalue > 1e-3


def test_wishart_is_the_second_moment_of_rows() -> None:
    spread, k, rng = np.array([[2.0, 0.7], [0.7, 1.0]]), 5, np.random.default_rng(3)
    drawn = np.array([wishart(spread, k, rng) for _ in range(4000)])
    rows = rng.standard_normal((4000, k, 2)) @ np.linalg.cholesky(spread).T
    real = np.einsum("rki,rkj->rij", rows, rows)
    for of in (
        lambda W: W[:, 0, 0], lambda W: W[:, 0, 1], lambda W: W[:, 1, 1], np.linalg.det,
        lambda W: np.linalg.eigvalsh(W)[:, 0],
    ):  # fmt: skip
        assert stats.ks_2samp(of(drawn), of(real)).pvalue > 1e-3
    with pytest.raises(ValueError, match="rows=1 must be at least p=2"):
        wishart(spread, 1, rng)


@pytest.mark.parametrize("n", [60, 4000])
def test_rows_are_as_wide_as_the_account_says(monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    """Their covariance has eigenvalues of at least the account's bound, in every run but those that it calls misses."""
    smallest, settings = [], Settings(BOUNDS, 3, 2.0, 1e-2)

    def watched(spread: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
        smallest.append(float(np.linalg.eigvalsh(spread)[0]))
        return wishart(spread, rows, rng)

    monkeypatch.setattr(mixing, "wishart", watched)
    data = sample(n)
    for k in range(30):
        fit(data, settings, np.random.default_rng(k))
    least = settings.releases[1].noise_sd ** 2
    assert min(smallest) >= least * (1.0 - 1e-9)
    own = float(np.linalg.eigvalsh(bounded_gram(data, BOUNDS).xx)[0])
    # Records hide by themselves where they are many, by noise alone where they are few.
    assert (min(smallest) == pytest.approx(own)) is (n == 4000)
    assert (max(smallest) == pytest.approx(least + own)) is (n == 60)


class Edge:
    """A generator whose first normal is as large as one may be without a miss."""

    def __init__(self, first: float) -> None:
        self.first, self.rng, self.chisquare = [first], np.random.default_rng(1), np.random.default_rng(2).chisquare

    def standard_normal(self, *size):
        return self.first.pop() if self.first else self.rng.standard_normal(*size)


@pytest.mark.parametrize("n", [20, 60, 120])
def test_at_the_edge_of_a_miss_rows_are_just_wide_enough(monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    smallest, settings = [], Settings(BOUNDS, 3, 2.0, 1e-2)

    def watched(spread: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
        smallest.append(float(np.linalg.eigvalsh(spread)[0]))
        return wishart(spread, rows, rng)

    monkeypatch.setattr(mixing, "wishart", watched)
    fit(sample(n), settings, Edge(settings.quantile))  # type: ignore[arg-type]
    assert smallest == pytest.approx([settings.releases[1].noise_sd ** 2] * 3, rel=1e-9)


def test_a_miss_is_as_rare_as_the_account_says() -> None:
    settings = Settings(BOUNDS, 3, 2.0, 1e-2)
    assert settings.releases[1].miss == pytest.approx(stats.norm.sf(settings.quantile), rel=1e-9)
    assert settings.releases[1].miss < 0.1 * settings.delta


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize("eps", [0.1, 1.0, 10.0])
def test_the_budget_is_spent_half_on_the_products(relation, eps: float) -> None:
    settings = Settings(BOUNDS, 10, eps, 1e-6, relation)
    event = settings.mechanism()
    assert account(event, 1e-6).epsilon == pytest.approx(eps, rel=1e-5)
    assert account(event, 1e-6).epsilon <= eps
    one, sketches, products = settings.releases
    assert (one.count, sketches.count, products.count) == (1, 3, 3)
    assert products.sensitivity == pytest.approx((2.0 if relation == "replace-one" else 1.0) * 1.5 * 0.7)
    # Half of delta's logarithm at rho alone, and the exact account of Gaussian noise would give about as much.
    assert 2.0 * products.rho < tight_rho(eps, 1e-6) < 4.0 * products.rho


def test_the_ledger_tells_what_is_released() -> None:
    settings = Settings(BOUNDS, 10, 1.0, 1e-6)
    (row,) = entries.rows("ours", "win_map", [("arm", settings.mechanism(), 1e-6)])
    assert row["releases"] == (
        "1 x smallest eigenvalue of X'X; 3 x covariates, random sums of all, 111 rows each; 3 x X'r"
    )
    assert (row["rho"], row["eps_paper"]) == ("", 1.0)
    assert row["eps_tight"] == pytest.approx(1.0, rel=1e-5)


def test_rows_and_quantile_are_the_authors() -> None:
    """n = 1000, d = 13: v = delta / 10, 6 log(12 / v) = 111.6 rows; with d = 512 six for each covariate."""
    settings = Settings(BOUNDS, 13, 1.0, 1e-6)
    assert settings.rows == 111
    assert Settings(BOUNDS, 512, 1.0, 1e-6).rows == 3072
    assert settings.quantile == pytest.approx(math.sqrt(2.0 * math.log(4e7)))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"bounds": Bounds(1.0, 1.0, "data maxima")}, "bounds are 'data maxima': give 'public' ones"),
        ({"eps": 0.0}, "eps must be positive, got 0.0"), ({"delta": 1.0}, "delta=1.0 must lie strictly"),
        ({"rounds": 0}, "rounds must be positive, got 0"),
    ],
)  # fmt: skip
def test_settings_out_of_their_range_are_named(given, words) -> None:
    with pytest.raises(ValueError, match=words):
        Settings(**{"bounds": BOUNDS, "p": 3, "eps": 1.0, "delta": 1e-6, **given})


def test_another_number_of_covariates_is_refused() -> None:
    with pytest.raises(ValueError, match="3 covariates, and the noise is for p=4"):
        fit(sample(), Settings(BOUNDS, 4, 1.0, 1e-6), np.random.default_rng(1))


def low_rank(rng: np.random.Generator, n: int = 8192, d: int = 512, q: int = 4) -> LinearSample:
    """Records of Lev et al. 2025, App. F, divided by the largest |x| and |y|."""
    X = rng.standard_normal((n, q)) @ np.linalg.qr(rng.standard_normal((d, q)))[0].T
    y = X @ unit_sphere(d, rng) + 0.1 * rng.uniform(-1.0, 1.0, n)
    return LinearSample(X / np.linalg.norm(X, axis=1).max(), y / np.abs(y).max())


@pytest.mark.parametrize("eps", np.logspace(-1, 1, 6).tolist())
def test_it_beats_ada_ssp_on_the_authors_low_rank_records(eps: float) -> None:
    """The criterion above."""
    delta, bounds, found = 1.0 / 8192**2, Bounds(1.0, 1.0, "public"), []
    data = low_rank(np.random.default_rng(7))
    calibration = Calibration.zcdp_matched(bounds, tight_rho(eps, delta), delta, "add-remove")
    for trial in range(4):
        rng = np.random.default_rng([8, trial])
        ours = fit(data, Settings(bounds, data.p, eps, delta, "add-remove"), rng).theta
        plain = ada_ssp(bounded_gram(data, bounds), calibration, rng).theta
        found.append([float(np.mean((data.y - data.X @ theta) ** 2)) for theta in (ours, plain)])
    ours_error, plain_error = np.mean(found, axis=0)
    assert ours_error < plain_error
