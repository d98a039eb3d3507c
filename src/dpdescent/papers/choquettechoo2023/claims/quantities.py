"""Estimates that the claims of several sections need: ratios of rows, drifts of constants, slopes, worst cells.

Rows that a grid of one's own lacks leave fewer values, or none; of none the estimate is NaN, hence not testable.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TypedDict

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from dpdescent.papers.choquettechoo2023.reading import NOTHING, judged
from dpdescent.replication.evidence import Claim, Verdict
from dpdescent.replication.statistics import Z95, Estimate, all_of, log_log_slope, ratio, verdict


def exactly(value: float) -> Estimate:
    """A number without error."""
    return Estimate(float(value), float(value), float(value))


def quotient(numerator: float, denominator: float) -> Estimate:
    """Of two exact values; nothing unless the denominator is positive."""
    return exactly(numerator / denominator) if denominator > 0 else NOTHING


def mean(row: "pd.Series[float]") -> Estimate:
    """The mean of a row over few trials, with Student's interval; exact values have none."""
    half = 0.0 if math.isnan(row["se"]) else float(stdtrit(row["trials"] - 1, 0.975)) * row["se"]
    return Estimate(row["mean"], row["mean"] - half, row["mean"] + half)


def means(table: pd.DataFrame) -> list[Estimate]:
    """The mean of every row, with its interval."""
    return [mean(row) for _, row in table.iterrows()]


def over(first: "pd.Series[float]", second: "pd.Series[float]") -> Estimate:
    """Ratio of two means; nothing unless both are positive and finite."""
    usable = all(math.isfinite(row["mean"]) and row["mean"] > 0 for row in (first, second))
    return ratio(first, second) if usable else NOTHING


def ratios(upper: pd.DataFrame, lower: pd.DataFrame, on: Sequence[str]) -> list[Estimate]:
    """Ratios of means at equal places; places that only one table has are left out."""
    places = {_place(row, on): row for row in lower.to_dict("records")}
    matched = ((row, places.get(_place(row, on))) for row in upper.to_dict("records"))
    return known(over(first, second) for first, second in matched if second is not None)


def _place(row: "pd.Series[float]", on: Sequence[str]) -> tuple[object, ...]:
    return tuple(row[name] for name in on)


def known(estimates: Iterable[Estimate]) -> list[Estimate]:
    """Those that have a value."""
    return [each for each in estimates if not math.isnan(each.value)]


def positive(values: Iterable[float]) -> list[float]:
    """Those that are positive and finite."""
    return [float(value) for value in values if value > 0 and math.isfinite(value)]


def spread(values: Iterable[float]) -> Estimate:
    """Largest over smallest; of one value it says nothing."""
    found = positive(values)
    return exactly(max(found) / min(found)) if len(found) > 1 else NOTHING


def growth(values: Iterable[float]) -> Estimate:
    """Largest over first; of one value it says nothing."""
    found = positive(values)
    return exactly(max(found) / found[0]) if len(found) > 1 else NOTHING


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


def every(estimates: Sequence[Estimate], at_least: float = -math.inf, at_most: float = math.inf) -> Verdict:
    """The verdict on a claim about all cells."""
    found: list[Verdict] = [verdict(each, at_least, at_most) for each in estimates]
    return all_of(found) if found else "not testable"


def claim_on_all(
    name: str, artefact: str, location: str, statement: str, quantity: str, estimates: Iterable[Estimate],
    criterion: str, at_least: float = -math.inf, at_most: float = math.inf, note: str = "",
) -> Claim:  # fmt: skip
    """A claim about every cell: it shows the cell that comes closest to failing, or fails most."""
    cells = known(estimates)
    worst = min(cells, key=lambda each: min(each.value - at_least, at_most - each.value), default=NOTHING)
    result = every(cells, at_least, at_most)
    return judged(name, artefact, location, statement, quantity, worst, criterion, result, note)


class Criterion(TypedDict):
    """What a claim is held to, in words and as numbers."""

    criterion: str
    at_least: float
    at_most: float


def within(width: float, centre: float = 1.0) -> Criterion:
    """Both sides of a value."""
    return {"criterion": f"within {width:g} of {centre:g}", "at_least": centre - width, "at_most": centre + width}


def listed(values: Iterable[tuple[object, float]], form: str = ".3g") -> str:
    """Values by what they belong to, for a note."""
    return ", ".join(f"{value:{form}} at {place}" for place, value in values)
