"""How numbers of varshney2022's tables are told in findings."""

import math
from collections.abc import Iterable

import pandas as pd

from dpdescent.replication.judging.algebra import listed

OURS, PRINTED = "DP-AMBSSGD", "DP-AMBSSGD (as published)"
NOT_RUN = "not run"


def told(table: pd.DataFrame, place: str, column: str = "mean") -> str:
    """Lists the known values of a column, each with its place: `place` is a format of the row's columns."""
    known = table[table[column].notna()]
    return listed((place.format(**row), float(row[column])) for row in known.to_dict("records")) or NOT_RUN


def headline(values: Iterable[float], words: str) -> str:
    """Makes a sentence that begins with the largest of the values; empty where there is none, because nothing was run."""
    found = [float(value) for value in values if not math.isnan(float(value))]
    return f"{max(found):.2g} {words}" if found else ""


def between(values: Iterable[float], form: str = ".3g") -> str:
    """Gives the smallest and the largest value, once where they are the same."""
    found = [float(value) for value in values if not math.isnan(float(value))]
    if not found:
        return NOT_RUN
    return f"{min(found):{form}}" if min(found) == max(found) else f"{min(found):{form}} to {max(found):{form}}"


def ends(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Keeps the rows of the largest and of the smallest value of a column, in this order."""
    known = table[table[column].notna()].sort_values(column, ascending=False)
    return known.iloc[[0, -1]] if len(known) > 1 else known
