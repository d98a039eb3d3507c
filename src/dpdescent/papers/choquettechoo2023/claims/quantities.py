"""Estimates that several sections' claims need and no other paper has."""

from collections.abc import Callable, Sequence

import pandas as pd

from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.statistics import Estimate, exactly, quotient


def values(table: pd.DataFrame, column: str, keys: Sequence[str]) -> algebra.Places:
    """The value of a column in every row, as an exact one, by the row's place."""
    return algebra.means(table, keys, lambda row: exactly(row[column]))


def quotients(table: pd.DataFrame, upper: str, lower: str, keys: Sequence[str]) -> algebra.Places:
    """The quotient of two columns of exact values in every row whose divisor is positive, by the row's place."""
    return algebra.means(table, keys, lambda row: quotient(row[upper], row[lower]))


def with_value_before(table: pd.DataFrame, column: str, axis: str, groups: Sequence[str]) -> pd.DataFrame:
    """The rows along an axis with `before`, the value of a column one step earlier in their group; NaN at the first."""
    table = table.sort_values(axis)
    return table.assign(before=table.groupby(list(groups), dropna=False)[column].shift())


def spread_by(table: pd.DataFrame, keys: Sequence[str]) -> algebra.Places:
    """The largest mean over the smallest, by group."""
    return algebra.by(table, keys, _of_means(algebra.spread))


def growth_by(table: pd.DataFrame, keys: Sequence[str]) -> algebra.Places:
    """The largest mean over the first, by group."""
    return algebra.by(table, keys, _of_means(algebra.growth))


def _of_means(measure: "Callable[[pd.Series[float]], Estimate]") -> Callable[[pd.DataFrame], Estimate]:
    return lambda table: measure(table["mean"])


def first_and_last(table: pd.DataFrame, axis: str) -> str:
    """The first mean of a table and its last, for a note; nothing of an empty table."""
    ends = table.iloc[[0, -1]] if len(table) else table
    return " to ".join(f"{row['mean']:.3g} at {axis} = {row[axis]:g}" for row in algebra.each(ends))
