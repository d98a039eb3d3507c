"""Claims about many cells of a table: ratios and spreads of their values, and the verdict that all of them give.

Cells that a grid of one's own lacks leave fewer values, or none; of none the estimate is NaN, hence not testable.
"""

import math
from collections.abc import Iterable, Sequence
from typing import TypedDict

import pandas as pd

from dpdescent.replication.judging import judgement
from dpdescent.replication.judging.evidence import Claim, Verdict
from dpdescent.replication.judging.statistics import Estimate, all_of, ratio, verdict

# What is left of a claim whose cells are not there.
NOTHING = Estimate(math.nan, math.nan, math.nan)


class Criterion(TypedDict):
    """What a claim is held to, in words and as numbers."""

    criterion: str
    at_least: float
    at_most: float


def within(width: float, centre: float = 1.0) -> Criterion:
    """Both sides of a value."""
    return {"criterion": f"within {width:g} of {centre:g}", "at_least": centre - width, "at_most": centre + width}


def at_most(value: float, words: str = "") -> Criterion:
    """One side of a value, with what else the criterion says."""
    return {"criterion": f"at most {value:.4g}{words}", "at_least": -math.inf, "at_most": value}


def at_least(value: float, words: str = "") -> Criterion:
    """The other side."""
    return {"criterion": f"at least {value:.4g}{words}", "at_least": value, "at_most": math.inf}


def exactly(value: float) -> Estimate:
    """A number without error."""
    return Estimate(float(value), float(value), float(value))


def quotient(numerator: float, denominator: float) -> Estimate:
    """Of two exact values; nothing unless the denominator is positive."""
    return exactly(numerator / denominator) if denominator > 0 else NOTHING


def over(first: "pd.Series[float]", second: "pd.Series[float]") -> Estimate:
    """Ratio of two means; nothing unless both are positive and finite."""
    usable = all(math.isfinite(row["mean"]) and row["mean"] > 0 for row in (first, second))
    return ratio(first, second) if usable else NOTHING


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


def every(estimates: Sequence[Estimate], at_least: float = -math.inf, at_most: float = math.inf) -> Verdict:
    """The verdict on a claim about all cells."""
    found: list[Verdict] = [verdict(each, at_least, at_most) for each in estimates]
    return all_of(found) if found else "not testable"


def claim_on_all(
    paper: str, name: str, artefact: str, location: str, statement: str, quantity: str, estimates: Iterable[Estimate],
    criterion: str, at_least: float = -math.inf, at_most: float = math.inf, note: str = "",
) -> Claim:  # fmt: skip
    """A claim about every cell; it shows, of the cells that decide it, the one that fails most or is closest to it."""
    cells = known(estimates)
    result = every(cells, at_least, at_most)
    deciding = [each for each in cells if verdict(each, at_least, at_most) == result]
    worst = min(deciding, key=lambda each: min(each.value - at_least, at_most - each.value), default=NOTHING)
    return judgement.judged(paper, name, artefact, location, statement, quantity, worst, criterion, result, note)


def listed(values: Iterable[tuple[object, float]], form: str = ".3g") -> str:
    """Values by what they belong to, for a note."""
    return ", ".join(f"{value:{form}} at {place}" for place, value in values)
