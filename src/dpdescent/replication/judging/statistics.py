"""Estimates with intervals from table rows, and verdicts from intervals: how a claim meets its criterion."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, ndtr, ndtri, stdtrit

from dpdescent.replication.judging.evidence import Verdict

Array = NDArray[np.float64]

# Two-sided 95 % quantile of the normal law: every interval of a claim is at this level.
Z95 = 1.959963984540054

# The most trials for which an interval takes Student's quantile; for more trials it is within 4 % of the normal one.
FEW = 30


@dataclass(frozen=True)
class Estimate:
    """A measured quantity with a 95 % interval."""

    value: float
    low: float
    high: float


# The estimate where a table lacks the rows that it needs; a claim on it is not testable.
NOTHING = Estimate(math.nan, math.nan, math.nan)


def exactly(value: float) -> Estimate:
    """A number without error, as an estimate."""
    return Estimate(float(value), float(value), float(value))


def quotient(numerator: float, denominator: float) -> Estimate:
    """The ratio of two exact values; `NOTHING` unless the denominator is positive."""
    return exactly(numerator / denominator) if denominator > 0 else NOTHING


def ratio_of_estimates(first: Estimate, second: Estimate) -> Estimate:
    """The ratio of two positive estimates, whose ends are the least and the largest that both intervals allow."""
    return Estimate(first.value / second.value, first.low / second.high, first.high / second.low)


def largest_over_smallest(estimates: Sequence[Estimate]) -> Estimate:
    """The ratio of the largest of positive estimates to the smallest; `NOTHING` for fewer than two."""
    if len(estimates) < 2:
        return NOTHING
    smallest, *_, largest = sorted(estimates, key=lambda each: each.value)
    ratio = ratio_of_estimates(largest, smallest)
    return Estimate(ratio.value, max(1.0, ratio.low), ratio.high)


def with_value(estimates: Iterable[Estimate]) -> list[Estimate]:
    """The estimates that have a value."""
    return [estimate for estimate in estimates if not math.isnan(estimate.value)]


def widened(estimate: Estimate, cells: int) -> Estimate:
    """The estimate with its interval widened for one of `cells` cells (Bonferroni, normal quantiles).

    Raises:
        ValueError: if there is no cell.
    """
    if cells < 1:
        raise ValueError(f"cells={cells} must be at least 1")
    factor = float(ndtri(1.0 - 0.025 / cells)) / Z95
    below, above = factor * (estimate.value - estimate.low), factor * (estimate.high - estimate.value)
    return Estimate(estimate.value, estimate.value - below, estimate.value + above)


def minus(first: Estimate, second: Estimate) -> Estimate:
    """The difference of two estimates, as if they were independent, which widens the interval if they share streams."""
    value = first.value - second.value
    low = math.hypot(first.value - first.low, second.high - second.value)
    high = math.hypot(first.high - first.value, second.value - second.low)
    return Estimate(value, value - low, value + high)


def less_number(estimate: Estimate, value: float) -> Estimate:
    """An estimate minus a number without error."""
    return Estimate(estimate.value - value, estimate.low - value, estimate.high - value)


def negative(estimate: Estimate) -> Estimate:
    """The estimate with the opposite sign."""
    return Estimate(-estimate.value, -estimate.high, -estimate.low)


def pooled(estimates: Sequence[Estimate]) -> Estimate:
    """The geometric mean of independent ratios; `NOTHING` where there are none."""
    if not estimates:
        return NOTHING
    logs = np.log([[estimate.value, estimate.high] for estimate in estimates])
    value, half = float(logs[:, 0].mean()), float(np.linalg.norm(logs[:, 1] - logs[:, 0])) / len(logs)
    return Estimate(math.exp(value), math.exp(value - half), math.exp(value + half))


def half_widths(table: pd.DataFrame) -> Array:
    """Half widths of the 95 % intervals of all means, shape (rows,): Student's up to `FEW` trials; 0 for exact values.

    Rows without a number of trials get the normal interval.
    """
    errors = table["se"].to_numpy(dtype=float)
    return _half_widths(errors, table["trials"].to_numpy(dtype=float) if "trials" in table else math.nan)


def half_width(row: "pd.Series[float]") -> float:
    """Half width of the 95 % interval of one row's mean, computed as in `half_widths`."""
    return float(_half_widths(row["se"], row.get("trials", math.nan)))


def _half_widths(errors: ArrayLike, trials: ArrayLike) -> Array:
    trials = np.asarray(trials, dtype=float)
    few = (trials > 1) & (trials <= FEW)
    quantile = np.where(few, stdtrit(np.where(few, trials - 1, 1.0), 0.975), Z95)
    return np.asarray(quantile * np.where(np.isnan(errors), 0.0, errors))


def mean_of(row: "pd.Series[float]") -> Estimate:
    """The mean of a table row, with its 95 % interval (exact values have none)."""
    half = half_width(row)
    return Estimate(row["mean"], row["mean"] - half, row["mean"] + half)


def distance_by_chance(row: "pd.Series[float]", standard_errors: float) -> float:
    """The distance that chance may carry the mean of a row, by Student's t.

    Chance exceeds it as seldom as a normal value exceeds its mean by `standard_errors` standard deviations. It is NaN
    for a single trial, which has no standard error.
    """
    if not row["trials"] > 1:
        return math.nan
    return float(row["se"] * stdtrit(row["trials"] - 1, ndtr(standard_errors)))


def proportion(share: float, trials: float) -> Estimate:
    """A share of trials with its Clopper-Pearson limits; `NOTHING` outside of 0 to 1."""
    if not 0.0 <= share <= 1.0:
        return NOTHING
    hits = round(share * trials)
    low = float(betaincinv(hits, trials - hits + 1, 0.025)) if hits else 0.0
    high = float(betaincinv(hits + 1, trials - hits, 0.975)) if hits < trials else 1.0
    return Estimate(share, low, high)


def median_of(row: "pd.Series[float]") -> Estimate:
    """The median of a table row, with its bootstrap interval."""
    return Estimate(row["median"], row["median_low"], row["median_high"])


def difference(first: "pd.Series[float]", second: "pd.Series[float]") -> Estimate:
    """Difference of two means. Runs that share data are treated as independent, which widens the interval."""
    half = math.hypot(half_width(first), half_width(second))
    value = first["mean"] - second["mean"]
    return Estimate(value, value - half, value + half)


def ratio(first: "pd.Series[float]", second: "pd.Series[float]") -> Estimate:
    """Ratio of two positive means, with an interval on the log scale (delta method, treated as independent)."""
    relative = [half_width(row) / row["mean"] for row in (first, second)]
    value, factor = first["mean"] / second["mean"], math.exp(math.hypot(*relative))
    return Estimate(value, value / factor, value * factor)


def paired_relative_error(
    first: "pd.Series[float]", second: "pd.Series[float]", difference: "pd.Series[float]"
) -> float:
    """Relative standard error of the ratio of two positive means over the same trials (delta method).

    `difference` is the row of the trials' differences: its variance and those of both means give their covariance.
    """
    one, other = (float(row["se"] / row["mean"]) for row in (first, second))
    shared = (first["se"] ** 2 + second["se"] ** 2 - difference["se"] ** 2) / (first["mean"] * second["mean"])
    return math.sqrt(max(0.0, one**2 + other**2 - float(shared)))


def paired_ratio(first: "pd.Series[float]", second: "pd.Series[float]", difference: "pd.Series[float]") -> Estimate:
    """Ratio of two positive means over the same trials, with an interval on the log scale (delta method)."""
    value = float(first["mean"] / second["mean"])
    error = first.copy()
    error["se"] = paired_relative_error(first, second, difference)
    factor = math.exp(half_width(error))
    return Estimate(value, value / factor, value * factor)


def log_log_slope(table: pd.DataFrame, axis: str) -> Estimate:
    """Least-squares slope of log mean against log axis.

    Its interval is the wider of two: the standard errors of the means propagated, and the scatter of the points about
    the line (Student's t), so that a bent curve does not pass for a precise slope. The slope of one point is NaN.
    """
    if table[axis].nunique() < 2:
        return NOTHING
    x = np.log(table[axis].to_numpy(dtype=float))
    mean = table["mean"].to_numpy(dtype=float)
    weights = (x - x.mean()) / ((x - x.mean()) ** 2).sum()
    value = float(weights @ np.log(mean))
    propagated = float(np.linalg.norm(weights * half_widths(table) / mean))
    half = max(propagated, _lack_of_fit(x, np.log(mean)))
    return Estimate(value, value - half, value + half)


def _lack_of_fit(x: Array, y: Array) -> float:
    """Half width of the slope's 95 % interval from the residuals; 0 where two points leave none."""
    freedom = len(x) - 2
    if freedom < 1:
        return 0.0
    centred = x - x.mean()
    residuals = y - y.mean() - centred * (centred @ y) / (centred @ centred)
    return float(stdtrit(freedom, 0.975) * np.sqrt(residuals @ residuals / freedom / (centred @ centred)))


def spread_ratio(first: "pd.Series[float]", second: "pd.Series[float]") -> Estimate:
    """Ratio of two interquartile ranges; the interval takes each as normal with log-sd 1.36 / sqrt(trials).

    The sample interquartile range of m normal values has relative sd about 1.16 / sqrt(m); heavier tails need more,
    so a margin is kept.
    """
    value = (first["q75"] - first["q25"]) / (second["q75"] - second["q25"])
    factor = math.exp(Z95 * 1.36 * math.hypot(first["trials"] ** -0.5, second["trials"] ** -0.5))
    return Estimate(value, value / factor, value * factor)


def verdict(estimate: Estimate, at_least: float = -math.inf, at_most: float = math.inf) -> Verdict:
    """The verdict: reproduced if the whole interval meets the criterion, not reproduced if no part does, else open.

    The word for an open verdict is `inconclusive`; a value that could not be computed makes the claim `not testable`.
    """
    if math.isnan(estimate.value):
        return "not testable"
    if estimate.low >= at_least and estimate.high <= at_most:
        return "reproduced"
    return "not reproduced" if estimate.high < at_least or estimate.low > at_most else "inconclusive"


def verdict_on_all(verdicts: list[Verdict]) -> Verdict:
    """The verdict on a claim about several cells: one failure refutes it, one doubt leaves it open."""
    order: tuple[Verdict, ...] = ("not reproduced", "inconclusive", "not testable")
    return next((outcome for outcome in order if outcome in verdicts), "reproduced")


def extreme_ratio(table: pd.DataFrame) -> Estimate:
    """The largest mean of a set of rows divided by the smallest, with the interval of that ratio."""
    return ratio(table.loc[table["mean"].idxmax()], table.loc[table["mean"].idxmin()])


def worst(estimates: list[Estimate], largest: bool = True) -> Estimate:
    """The estimate with the largest (or smallest) value: a claim about all cells stands or falls with it.

    Without any cell (a user's own grid may have none) there is nothing to judge, and the estimate is NaN.
    """
    if not estimates:
        return NOTHING
    return (max if largest else min)(estimates, key=lambda estimate: estimate.value)
