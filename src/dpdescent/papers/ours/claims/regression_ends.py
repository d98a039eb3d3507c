"""Conjectures on the intervals of `dp_regression` with public ends of the outcome, and where skewed errors move a dummy.

Criteria were written before this table, from the words of docs/regression.md, whose numbers were of 200 runs a cell at
other seeds; prototypes of 150 runs of these laws were known.
"""

from collections.abc import Iterator
from functools import partial

import pandas as pd

from dpdescent.papers.ours import reading
from dpdescent.papers.ours.claims.regression import coverage, covering, of_coefficients
from dpdescent.papers.ours.ends_design import LAW
from dpdescent.papers.ours.experiments.regression import COEFFICIENT, COVERED, LENGTH, REFUSED
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import median_of

ARTEFACT = "regression_ends"
PLACE = [*LAW, "ends", "eps", "units", "standard_errors", "level"]
# Coefficients by their place: the normal column's, and the dummy's.
COLUMN, DUMMY = COEFFICIENT.format(1), COEFFICIENT.format(2)
# Records from which the page tells of many, and up to which of few.
MANY, FEW = 20_000, 5000
# Runs of a cell with fewer intervals than half of them refute too little even for what is said of such cells.
SOME = 50
# Coverage above which an interval is not said to miss, and lengths over least squares' that the page names.
MISSES, LITTLE, MUCH = 0.8, 1.6, 7.0
_every = partial(reading.claim_on_all_cells, artefact=ARTEFACT, location="Sec. 5", kind="text")
_covering = partial(covering, artefact=ARTEFACT, place=PLACE)


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges where public ends make intervals hold, what they cost, and what happens without them."""
    table = reading.rows(evidence, ARTEFACT)
    yield from _with_ends(table[(table["ends"] == "public") & (table["outcome"] == "binary")])
    yield from _amounts(table[table["outcome"] == "wages"])
    without = table[(table["outcome"] == "binary") & (table["ends"] == "none") & of_coefficients(table)]
    yield _every(
        id="two-values-miss-without-ends", statement="without public ends intervals of a 0/1 outcome miss",
        quantity="coverage of the coefficient that is covered least, by law",
        cells=algebra.means(_least(without), PLACE, coverage), criterion=at_most(MISSES),
        note="a law of which every coefficient covers 84 % would be refused: the warning would be wrong there",
    )  # fmt: skip


def _with_ends(ends: pd.DataFrame) -> Iterator[Claim]:
    """Claims on 0/1 outcomes whose ends are told."""
    refused = ends[ends["series"] == REFUSED]
    mostly = _at(ends, refused[refused["mean"] <= 0.5])
    told = (ends["series"] == COVERED) | of_coefficients(ends)
    yield _covering(
        id="ends-make-two-values-hold",
        statement="with public ends intervals of a 0/1 outcome hold their level, however rare one value is",
        quantity="coverage less its level, mean over coefficients and each coefficient, laws of which most runs have intervals",
        part=ends[told & mostly],
        note="a coefficient that covers 88 % in one law would be refused in nine of ten tables",
    )  # fmt: skip
    yield _covering(
        id="ends-hold-where-few-runs-tell",
        statement="where noise hides the outcome's size in most runs, intervals of the others hold their level too",
        quantity="coverage less its level, mean over coefficients and each coefficient, laws of which few runs have intervals",
        part=ends[told & ~mostly], enough=SOME,
        note="a coefficient that covers 80 % of a hundred runs would be refused in nine of ten tables",
    )  # fmt: skip
    even = (ends["dummy"] == 0.5) & (ends["n"] == MANY)
    yield _every(
        id="ends-cost-little-with-many-records",
        statement="with public ends intervals of 20,000 people are at most 1.6 times as long as least squares', if a tenth are 1",
        quantity="median length over that of least squares' interval, shares of ones from .1 on, a dummy of half",
        cells=algebra.means(ends[even & (ends["series"] == LENGTH) & (ends["nonzero"] >= 0.1)], PLACE, median_of),
        criterion=at_most(LITTLE), note="a length of 1.65 in one law would be refused",
    )  # fmt: skip
    few = refused[(refused["n"] <= FEW) & (refused["nonzero"] == 0.02)]
    yield _every(
        id="few-ones-have-no-intervals",
        statement="at 2 % of ones among 5,000 people and fewer noise hides the outcome's size, and there are no intervals",
        quantity="share of intervals that are refused where sizes are released, by law",
        cells=algebra.means(few[few["units"] == "released"], PLACE, coverage), criterion=at_least(0.95),
        note="a law that refuses 93 % would refute it",
    )  # fmt: skip
    yield _every(
        id="told-sizes-bring-intervals-back",
        statement="public sizes of the columns and the outcome bring them back",
        quantity="share of intervals that are refused where sizes are told, by law",
        cells=algebra.means(refused[refused["units"] == "right"], PLACE, coverage), criterion=at_most(0.02),
        note="a law that refuses 4 % would refute it",
    )  # fmt: skip


def _amounts(wages: pd.DataFrame) -> Iterator[Claim]:
    """Claims on outcomes whose errors have skewness 1, without ends and with them."""
    without, ends = (wages[wages["ends"] == each] for each in ("none", "public"))
    rare = without[(without["series"] == DUMMY) & without["dummy"].between(0.05, 0.2) & (without["n"] == MANY)]
    yield _every(
        id="skewed-errors-move-rare-dummies",
        statement="the interval of a dummy of 5 to 20 % of 20,000 people misses where errors are skewed",
        quantity="coverage of the dummy's interval, errors of skewness 1, no ends, by law",
        cells=algebra.means(rare, PLACE, coverage), criterion=at_most(MISSES),
        note="a dummy that covers 84 % in one law would be refused: the warning would be wrong there",
    )  # fmt: skip
    others = (without["series"] == COLUMN) | ((without["series"] == DUMMY) & (without["dummy"] == 0.5))
    yield _covering(
        id="skewed-errors-leave-the-others",
        statement="that of a dummy of half of the people and that of a normal column hold their level",
        quantity="coverage less its level, errors of skewness 1, no ends: the normal column, and a dummy of half",
        part=without[others],
        note="a coefficient that covers 89 % in one law would be refused in nine of ten tables",
    )  # fmt: skip
    yield _covering(
        id="ends-make-skewed-amounts-hold",
        statement="with public ends all intervals hold their level where errors are skewed",
        quantity="coverage less its level, mean over coefficients and each coefficient, errors of skewness 1, ends 0 and 100",
        part=ends[(ends["series"] == COVERED) | of_coefficients(ends)],
        note="a coefficient that covers 89 % in one law would be refused in nine of ten tables",
    )  # fmt: skip
    yield _every(
        id="far-ends-cost-much", statement="ends that nobody comes near cost more than seven times the length",
        quantity="median length over that of least squares' interval, wages with ends 0 and 100, by law",
        cells=algebra.means(ends[ends["series"] == LENGTH], PLACE, median_of), criterion=at_least(MUCH),
        note="a length of 6.8 in one law would be refused: such ends would be worth giving more often",
    )  # fmt: skip


def _least(part: pd.DataFrame) -> pd.DataFrame:
    """Of every law the row of the coefficient that is covered least."""
    return part.loc[part.groupby(PLACE)["mean"].idxmin()] if len(part) else part


def _at(table: pd.DataFrame, those: pd.DataFrame) -> "pd.Series[bool]":
    """Which rows of a table are of the laws of other rows."""
    places = {algebra.place_of(row, PLACE) for row in algebra.rows_of(those)}
    return pd.Series(
        [algebra.place_of(row, PLACE) in places for row in algebra.rows_of(table)], table.index, dtype=bool
    )
