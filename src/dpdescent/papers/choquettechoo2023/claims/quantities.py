"""Estimates that the claims of several sections need: ratios of rows, drifts of constants, slopes, worst cells.

Rows that a grid of one's own lacks leave fewer values, or none; of none the estimate is NaN, hence not testable.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from dpdescent.replication.judging.algebra import over, positive
from dpdescent.replication.judging.statistics import NOTHING, Z95, Estimate, exactly, known, log_log_slope


def mean(row: "pd.Series[float]") -> Estimate:
    """The mean of a row over few trials, with Student's interval; exact values have none."""
    half = 0.0 if math.isnan(row["se"]) else float(stdtrit(row["trials"] - 1, 0.975)) * row["se"]
    return Estimate(row["mean"], row["mean"] - half, row["mean"] + half)


def means(table: pd.DataFrame) -> list[Estimate]:
    """The mean of every row, with its interval."""
    return [mean(row) for _, row in table.iterrows()]


def ratios(upper: pd.DataFrame, lower: pd.DataFrame, on: Sequence[str]) -> list[Estimate]:
    """Ratios of means at equal places; places that only one table has are left out."""
    places = {_place(row, on): row for row in lower.to_dict("records")}
    matched = ((row, places.get(_place(row, on))) for row in upper.to_dict("records"))
    return known(over(first, second) for first, second in matched if second is not None)


def _place(row: "pd.Series[float]", on: Sequence[str]) -> tuple[object, ...]:
    return tuple(row[name] for name in on)


def steps(values: Iterable[float]) -> list[Estimate]:
    """Each value over the one before."""
    return [exactly(after / before) for before, after in pairwise(positive(values))]


def by(table: pd.DataFrame, keys: Sequence[str], measure: Callable[[pd.DataFrame], Estimate]) -> list[Estimate]:
    """A measure of every group that has one."""
    return known(measure(group) for _, group in table.groupby(list(keys), sort=True))


def exponent(table: pd.DataFrame, axis: str) -> Estimate:
    """Log-log slope of the means; scatter about the line widens its interval."""
    return log_log_slope(_usable(table, axis), axis)


def line(table: pd.DataFrame, axis: str) -> Estimate:
    """Log-log slope of the means as a caption gives it: a least-squares line through the points, however they lie.

    Only the standard errors of the means enter its interval; of exact points it is a number.
    """
    table = _usable(table, axis)
    if table[axis].nunique() < 2:
        return NOTHING
    x, mean = (np.array(table[name], dtype=np.float64) for name in (axis, "mean"))
    centred = np.log(x) - np.log(x).mean()
    weights = centred / (centred @ centred)
    errors = np.nan_to_num(np.array(table["se"], dtype=np.float64)) / mean
    value, half = float(weights @ np.log(mean)), Z95 * float(np.linalg.norm(weights * errors))
    return Estimate(value, value - half, value + half)


def _usable(table: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Rows that have a logarithm on both axes."""
    x, mean = (table[name].to_numpy(dtype=float) for name in (axis, "mean"))
    return table[(x > 0) & (mean > 0) & np.isfinite(mean)]


def pooled(estimates: Sequence[Estimate]) -> Estimate:
    """Geometric mean of independent ratios."""
    if not estimates:
        return NOTHING
    logs = np.log([[each.value, each.high] for each in estimates])
    value, half = float(logs[:, 0].mean()), float(np.linalg.norm(logs[:, 1] - logs[:, 0])) / len(logs)
    return Estimate(math.exp(value), math.exp(value - half), math.exp(value + half))


def minus(first: Estimate, second: Estimate) -> Estimate:
    """Difference of two independent estimates."""
    value = first.value - second.value
    low = math.hypot(first.value - first.low, second.high - second.value)
    high = math.hypot(first.high - first.value, second.value - second.low)
    return Estimate(value, value - low, value + high)
