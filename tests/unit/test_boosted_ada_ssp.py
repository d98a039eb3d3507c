"""BoostedAdaSSP: a plain twin, sensitivities by a search, and what its authors say of it.

**Criterion of the authors' claim, written before a run.** Their abstract says that boosting consistently improves over
AdaSSP where thresholds are fixed without knowledge of the data. Their public code's defaults are bounds of 1 and 1, 100
rounds, epsilon = 1 and delta = 1e-6. In each cell of n = 10,000 and 100,000 records of 10 normal covariates and
outcomes of sd 3 and 10, a record being added or removed, the median over nine data sets of the mean squared error above
that of least squares on clipped covariates must be smaller for boosting than for AdaSSP with the same bounds and
budget.
"""

import math

import numpy as np
import pytest

from dpdescent.baselines import boosted_ada_ssp
from dpdescent.baselines.ada_ssp import Bounds, Calibration, ada_ssp, bounded_gram
from dpdescent.baselines.boosted_ada_ssp import Settings, clipped, cut_products, fit
from dpdescent.data.linear import LinearSample
from dpdescent.privacy.account import account
from dpdescent.privacy.accounting import tight_rho

BOUNDS = Bounds(1.5, 0.7, "public")


def sample(n: int = 60, p: int = 3, seed: int = 1, scale: float = 2.0) -> LinearSample:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return LinearSample(X, scale * X.sum(1) / math.sqrt(p) + rng.standard_normal(n))


def fitted(data: LinearSample, settings: Settings, rng: np.random.Generator) -> np.ndarray:
    return fit(data, settings, rng).theta


def twin(data: LinearSample, settings: Settings, rng: np.random.Generator) -> np.ndarray:
    """The same, one record at a time."""
    (one, moments, residuals), bounds, p = settings.releases, settings.bounds, data.p
    rows = [x * min(1.0, bounds.x / np.linalg.norm(x)) for x in data.X]
    xx = sum((np.outer(x, x) for x in rows), np.zeros((p, p)))
    smallest = min(np.linalg.eigvalsh(xx)) + one.noise_sd * rng.standard_normal()
    noise = rng.standard_normal((p, p))
    for i in range(p):
        for j in range(p):
            xx[i, j] += moments.noise_sd * noise[min(i, j), max(i, j)]
    ridge = max(0.0, 1.96 * math.sqrt(p) * moments.noise_sd - max(0.0, smallest - 1.96 * one.noise_sd))
    theta = np.zeros(p)
    for _ in range(settings.rounds):
        cut = [max(-bounds.y, min(bounds.y, y - x @ theta)) for x, y in zip(rows, data.y, strict=True)]
        products = sum((r * x for r, x in zip(cut, rows, strict=True)), np.zeros(p))
        products = products + residuals.noise_sd * rng.standard_normal(p)
        theta = theta + np.linalg.inv(xx + ridge * np.eye(p)) @ products
    return theta


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize("rho", [0.5, 1e4])
def test_a_plain_twin_has_the_same_coefficients(relation, rho) -> None:
    settings = Settings(BOUNDS, rho, relation, rounds=7)
    found, plain = (each(sample(), settings, np.random.default_rng(5)) for each in (fitted, twin))
    np.testing.assert_allclose(found, plain, rtol=1e-9)


def test_with_hardly_any_noise_rounds_reach_outcomes_far_above_the_threshold() -> None:
    data = LinearSample(clipped(sample(400), 1.5), sample(400).y)
    least_squares = np.linalg.lstsq(data.X, data.y, rcond=None)[0]
    few, many = (
        np.linalg.norm(fit(data, Settings(BOUNDS, 1e14, rounds=T), np.random.default_rng(2)).theta - least_squares)
        for T in (1, 60)
    )
    # What is left is that cut residuals are fitted in place of squared ones.
    assert many < 0.15 * few


def test_no_record_moves_the_products_by_more_than_the_sensitivity() -> None:
    rng, most = np.random.default_rng(3), 0.0
    replaced, added = (
        Settings(BOUNDS, 1.0, relation).releases[2].sensitivity for relation in ("replace-one", "add-remove")
    )
    assert (replaced, added) == (pytest.approx(2 * 0.7 * 1.5), pytest.approx(0.7 * 1.5))
    for k in range(3000):
        n, p = 4, 1 + k % 3
        table = rng.standard_normal((n, p + 1)) * 10.0 ** rng.uniform(-1, 6)
        other, theta = table.copy(), rng.standard_normal(p) * 10.0 ** rng.uniform(-2, 2)
        other[0] = rng.standard_normal(p + 1) * 10.0 ** rng.uniform(-1, 6)
        if k % 2:
            # The same direction, and a residual of the other sign.
            other[0, :p], other[0, p] = table[0, :p], table[0, p] - 2.0 * (table[0, p] - table[0, :p] @ theta)
        sides = [LinearSample(each[:, :p], each[:, p]) for each in (table, other)]
        first, second = (cut_products(clipped(each, 1.5), each.y, theta, 0.7) for each in sides)
        without = cut_products(clipped(sides[0], 1.5)[1:], sides[0].y[1:], theta, 0.7)
        assert np.linalg.norm(first - without) <= added * (1 + 1e-12)
        most = max(most, float(np.linalg.norm(first - second)))
        assert most <= replaced * (1 + 1e-12)
    assert most > 0.999 * replaced


@pytest.mark.parametrize("shares", [(1 / 3, 1 / 3, 1 / 3), (0.1, 0.3, 0.6)])
def test_the_budget_is_spent(shares) -> None:
    event = Settings(BOUNDS, 0.02, rounds=11, shares=shares).mechanism()
    assert [each.rho for each in event.releases] == pytest.approx([share * 0.02 for share in shares])
    assert [each.count for each in event.releases] == [1, 1, 11]
    assert account(event, 1e-6).rho == pytest.approx(0.02)
    assert "moves by 2 g Bx" in event.reason
    assert "moves by g Bx" in Settings(BOUNDS, 0.02, "add-remove").mechanism().reason


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"bounds": Bounds(1.0, 1.0, "data maxima")}, "bounds are 'data maxima': give 'public' ones"),
        ({"rounds": 0}, "rounds=0 must be a positive whole number"),
        ({"rounds": 1.5}, "rounds=1.5 must be a positive whole number"),
        ({"shares": (0.5, 0.5, 0.5)}, "must be positive parts of 1"),
        ({"shares": (0.5, 0.5, 0.0)}, "must be positive parts of 1"),
    ],
)
def test_settings_out_of_their_range_are_named(given, words) -> None:
    with pytest.raises(ValueError, match=words):
        Settings(**{"bounds": BOUNDS, "rho": 1.0, **given})


def excess(data: LinearSample, theta: np.ndarray, best: np.ndarray) -> float:
    """Mean squared error of predictions from covariates clipped to 1 above that of least squares."""
    X = clipped(data, 1.0)
    return float(np.mean((data.y - X @ theta) ** 2) - np.mean((data.y - X @ best) ** 2))


@pytest.mark.parametrize("n", [10_000, 100_000])
@pytest.mark.parametrize("scale", [3.0, 10.0])
def test_boosting_beats_ada_ssp_where_thresholds_are_fixed(n: int, scale: float) -> None:
    """The criterion above."""
    rho, bounds = tight_rho(1.0, 1e-6), Bounds(1.0, 1.0, "public")
    found = []
    for trial in range(9):
        rng = np.random.default_rng([n, int(scale), trial])
        theta, X = rng.standard_normal(10), rng.standard_normal((n, 10))
        signal = X @ (theta / np.linalg.norm(theta))
        data = LinearSample(X, scale * (math.sqrt(0.75) * signal + 0.5 * rng.standard_normal(n)))
        best = np.linalg.lstsq(clipped(data, 1.0), data.y, rcond=None)[0]
        boosted = fit(data, Settings(bounds, rho, "add-remove", boosted_ada_ssp.ROUNDS), rng).theta
        plain = ada_ssp(
            bounded_gram(data, bounds), Calibration.zcdp_matched(bounds, rho, 1e-6, "add-remove"), rng
        ).theta
        found.append([excess(data, each, best) for each in (boosted, plain)])
    boosted_error, plain_error = np.median(found, axis=0)
    assert boosted_error < plain_error
