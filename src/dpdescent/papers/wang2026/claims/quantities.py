"""Estimates that are this paper's own: gains over independent noise, which were picked among several.

Rows that a grid of one's own lacks leave fewer values, or none; of none the estimate is NaN, hence not testable.
"""

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from dpdescent.replication.judging import algebra, statistics
from dpdescent.replication.judging.evidence import Evidence
from dpdescent.replication.judging.statistics import NOTHING, Estimate

# Where multipliers of two accountants are compared.
SETTING = ("T", "r", "lam", "eps", "delta")


def setting(evidence: Evidence, name: str) -> float:
    """A number of the paper's settings; NaN where there is none."""
    return float(evidence.settings.get(name, math.nan))


def one_of(values: "pd.Series[float]") -> float:
    """The first of some values; NaN of none."""
    found = np.asarray(values, dtype=np.float64)
    return float(found[0]) if len(found) else math.nan


def drawn(row: "pd.Series[float]", among: int = 1) -> Estimate:
    """The mean of a row over seeds with Student's interval, widened where it was picked among several (Bonferroni).

    `NOTHING` of a single seed, whose spread is unknown.
    """
    if not (row["trials"] > 1 and math.isfinite(row["mean"]) and row["se"] >= 0):
        return NOTHING
    half = float(row["se"] * stdtrit(row["trials"] - 1, 1.0 - 0.025 / among))
    return Estimate(row["mean"], row["mean"] - half, row["mean"] + half)


def single(table: pd.DataFrame) -> Estimate:
    """The mean over seeds of a table of one row; `NOTHING` of several rows."""
    return drawn(table.iloc[0]) if len(table) == 1 else NOTHING


def best(table: pd.DataFrame, times: int = 1) -> Estimate:
    """The largest mean of a table; its interval allows for the choice among the rows of so many tables."""
    means = algebra.floats(table, "mean")
    return drawn(table.iloc[int(np.nanargmax(means))], len(table) * times) if np.isfinite(means).any() else NOTHING


def least(table: pd.DataFrame) -> Estimate:
    """The smallest mean of a table; its interval allows for the choice among the rows."""
    return statistics.negative(best(table.assign(mean=-algebra.floats(table, "mean"))))


def fall(table: pd.DataFrame, last: pd.DataFrame) -> Estimate:
    """The largest mean of a table less the mean of one row; `NOTHING` unless there is that row."""
    return statistics.minus(best(table), drawn(last.iloc[0])) if len(last) == 1 and len(table) else NOTHING


def moderate(table: pd.DataFrame, low: float, high: float) -> pd.DataFrame:
    """Rows whose correlation lies in a range, ends included."""
    lam = algebra.floats(table, "lam")
    return table[(lam >= low) & (lam <= high)].reset_index(drop=True)


def range_of(values: Iterable[float]) -> str:
    """Smallest and largest of the finite values, in words."""
    found = [float(value) for value in values if math.isfinite(value)]
    if not found:
        return "not run"
    return f"{min(found):.3g}" if min(found) == max(found) else f"{min(found):.3g} to {max(found):.3g}"
