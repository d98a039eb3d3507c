"""Private regression with public ends of the outcome and without: 0/1 outcomes, and wages with skewed errors.

Covariates are a normal column, kept within three sds so that every mean below is linear in it, and a dummy. A binary
outcome is 1 by chance, the more often the larger both are; wages lie between 0 and 100 and have errors of skewness 1.

Criteria were written before this table, from the words of docs/regression.md, whose numbers were of 200 runs a cell at
other seeds; prototypes of 150 runs of these laws were known.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from dpdescent.algorithms.dp_regression import Errors
from dpdescent.checks import require_known
from dpdescent.papers.ours import regression
from dpdescent.papers.ours.criteria import claim_on_all_cells, coverage, rows
from dpdescent.papers.ours.regression import COEFFICIENT, COVERED, LENGTH, REFUSED, covering, of_coefficients
from dpdescent.papers.ours.regression_design import Asked, Records
from dpdescent.papers.ours.setting import Release, Row, Spec, trial_stream
from dpdescent.replication.judging import algebra, records
from dpdescent.replication.judging.criteria import at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import median_of

Outcome = Literal["binary", "wages"]
Ends = Literal["public", "none"]
Units = Literal["right", "released"]
# The ends of an outcome, and its size as anybody would guess it.
RANGES: dict[Outcome, tuple[float, float]] = {"binary": (0.0, 1.0), "wages": (0.0, 100.0)}
SIZES: dict[Outcome, float] = {"binary": 1.0, "wages": 20.0}
# Sds within which the normal column is kept, and its size and the dummy's as the documentation tells to give them.
KEPT, SCALES = 3.0, (1.0, 0.5)
# By how much an sd and the dummy move the share of ones, relative to it: with half of them, and the dummy half too,
# chances run from 0 to 1 exactly. What they add to wages, to a mean that leaves none below 0.
MOVES, ADDS, MEAN = (0.3, 0.2), (3.0, -1.5), 18.0
# By how much rounding may take a chance beyond 0 or 1.
ROUNDED = 1e-12
# Shape of the gamma law of wages' errors, which makes skewness 1, and its scale.
SHAPE, STRETCH = 4.0, 1.5
# What tells a law of records; cells that differ in nothing of it share their records.
LAW = ("n", "outcome", "nonzero", "dummy")


@dataclass(frozen=True)
class Design(Asked):
    """A law of 0/1 outcomes or of wages.

    Attributes:
        outcome: its law.
        nonzero: share of outcomes that are not 0.
        dummy: share of ones of the dummy.
        ends: whether the ends of the outcome are told.

    Raises:
        ValueError: if a law has no such name, or cannot have such shares.
    """

    outcome: Outcome
    nonzero: float
    dummy: float
    ends: Ends
    units: Units

    def __post_init__(self) -> None:
        require_known(Outcome, outcome=self.outcome)
        require_known(Ends, ends=self.ends)
        require_known(Units, units=self.units)
        require_known(Errors, standard_errors=self.standard_errors)
        if self.outcome == "wages" and self.nonzero != 1.0:
            raise ValueError(f"nonzero={self.nonzero:g} must be 1 for wages, of which none is 0")
        low = self.nonzero * (1.0 - MOVES[0] * KEPT - MOVES[1] * self.dummy)
        high = self.nonzero * (1.0 + MOVES[0] * KEPT + MOVES[1] * (1.0 - self.dummy))
        if self.outcome == "binary" and (low < -ROUNDED or high > 1.0 + ROUNDED):
            raise ValueError(
                f"nonzero={self.nonzero:g} and dummy={self.dummy:g} make chances from {low:.3g} to {high:.3g}: give "
                "smaller ones, so that they lie between 0 and 1"
            )

    @property
    def coefficients(self) -> int:
        """Number of coefficients, the constant counted."""
        return 1 + len(SCALES)

    def told(self) -> dict[str, Any]:
        """What a call says of units and ends."""
        units = {} if self.units == "released" else {"scale": SCALES, "outcome_scale": SIZES[self.outcome]}
        return units | ({} if self.ends == "none" else {"outcome_range": RANGES[self.outcome]})

    def draw(self, spec: Spec, trial: int) -> Records:
        """Draws a trial's records."""
        words = "_".join(f"{name}={getattr(self, name)}" for name in LAW)
        rng = trial_stream(spec, trial, "data", "regression ends", words)
        x = np.clip(rng.standard_normal(self.n), -KEPT, KEPT)
        X = np.column_stack([x, rng.random(self.n) < self.dummy])
        if self.outcome == "wages":
            theta = np.array([MEAN, *ADDS])
            return Records(X, theta[0] + X @ theta[1:] + STRETCH * (rng.gamma(SHAPE, size=self.n) - SHAPE), theta)
        theta = self.nonzero * np.array([1.0 - MOVES[1] * self.dummy, *MOVES])
        return Records(X, (rng.random(self.n) < theta[0] + X @ theta[1:]).astype(float), theta)


def run_regression_ends(spec: Spec) -> Iterator[Row]:
    """Yields what `regression` measures, of the laws of a panel."""
    return regression.measured(spec, Design)


def releases_regression_ends(spec: Spec) -> Iterator[Release]:
    """Yields the ledger entries of a panel."""
    return regression.released(spec, Design)


ENDS: records.Place = {"artefact": "regression_ends", "location": "Sec. 5", "kind": "text", "source": "ours"}
PLACE = [*LAW, "ends", "eps", "units", "standard_errors", "level"]
# Coefficients by their place: the normal column's, and the dummy's.
COLUMN, DUMMY = COEFFICIENT.format(1), COEFFICIENT.format(2)
# Records from which the page tells of many, and up to which of few.
MANY, FEW = 20_000, 5000
# Runs of a cell with fewer intervals than half of them refute too little even for what is said of such cells.
SOME = 50
# Coverage above which an interval is not said to miss, and lengths over least squares' that the page names.
MISSES, LITTLE, MUCH = 0.8, 1.6, 7.0


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges where public ends make intervals hold, what they cost, and what happens without them."""
    table = rows(evidence, "regression_ends")
    yield from _with_ends(table[(table["ends"] == "public") & (table["outcome"] == "binary")])
    yield from _amounts(table[table["outcome"] == "wages"])
    without = table[(table["outcome"] == "binary") & (table["ends"] == "none") & of_coefficients(table)]
    yield claim_on_all_cells(
        id="two-values-miss-without-ends", **ENDS, statement="without public ends intervals of a 0/1 outcome miss",
        quantity="coverage of the coefficient that is covered least, by law",
        cells=algebra.means(_least(without), PLACE, coverage), criterion=at_most(MISSES),
        note="a law of which every coefficient covers 84 % would be refused: the warning would be wrong there",
    )  # fmt: skip


def _with_ends(ends: pd.DataFrame) -> Iterator[Claim]:
    """Claims on 0/1 outcomes whose ends are told."""
    refused = ends[ends["series"] == REFUSED]
    mostly = _at(ends, refused[refused["mean"] <= 0.5])
    told = (ends["series"] == COVERED) | of_coefficients(ends)
    yield covering(
        ENDS, PLACE, ends[told & mostly],
        id="ends-make-two-values-hold",
        statement="with public ends intervals of a 0/1 outcome hold their level, however rare one value is",
        quantity="coverage less its level, mean over coefficients and each coefficient, laws of which most runs have intervals",
        note="a coefficient that covers 88 % in one law would be refused in nine of ten tables",
    )  # fmt: skip
    yield covering(
        ENDS, PLACE, ends[told & ~mostly],
        id="ends-hold-where-few-runs-tell",
        statement="where noise hides the outcome's size in most runs, intervals of the others hold their level too",
        quantity="coverage less its level, mean over coefficients and each coefficient, laws of which few runs have intervals",
        enough=SOME,
        note="a coefficient that covers 80 % of a hundred runs would be refused in nine of ten tables",
    )  # fmt: skip
    even = (ends["dummy"] == 0.5) & (ends["n"] == MANY)
    yield claim_on_all_cells(
        id="ends-cost-little-with-many-records", **ENDS,
        statement="with public ends intervals of 20,000 people are at most 1.6 times as long as least squares', if a tenth are 1",
        quantity="median length over that of least squares' interval, shares of ones from .1 on, a dummy of half",
        cells=algebra.means(ends[even & (ends["series"] == LENGTH) & (ends["nonzero"] >= 0.1)], PLACE, median_of),
        criterion=at_most(LITTLE), note="a length of 1.65 in one law would be refused",
    )  # fmt: skip
    few = refused[(refused["n"] <= FEW) & (refused["nonzero"] == 0.02)]
    yield claim_on_all_cells(
        id="few-ones-have-no-intervals", **ENDS,
        statement="at 2 % of ones among 5,000 people and fewer noise hides the outcome's size, and there are no intervals",
        quantity="share of intervals that are refused where sizes are released, by law",
        cells=algebra.means(few[few["units"] == "released"], PLACE, coverage), criterion=at_least(0.95),
        note="a law that refuses 93 % would refute it",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="told-sizes-bring-intervals-back", **ENDS,
        statement="public sizes of the columns and the outcome bring them back",
        quantity="share of intervals that are refused where sizes are told, by law",
        cells=algebra.means(refused[refused["units"] == "right"], PLACE, coverage), criterion=at_most(0.02),
        note="a law that refuses 4 % would refute it",
    )  # fmt: skip


def _amounts(wages: pd.DataFrame) -> Iterator[Claim]:
    """Claims on outcomes whose errors have skewness 1, without ends and with them."""
    without, ends = (wages[wages["ends"] == each] for each in ("none", "public"))
    rare = without[(without["series"] == DUMMY) & without["dummy"].between(0.05, 0.2) & (without["n"] == MANY)]
    yield claim_on_all_cells(
        id="skewed-errors-move-rare-dummies", **ENDS,
        statement="the interval of a dummy of 5 to 20 % of 20,000 people misses where errors are skewed",
        quantity="coverage of the dummy's interval, errors of skewness 1, no ends, by law",
        cells=algebra.means(rare, PLACE, coverage), criterion=at_most(MISSES),
        note="a dummy that covers 84 % in one law would be refused: the warning would be wrong there",
    )  # fmt: skip
    others = (without["series"] == COLUMN) | ((without["series"] == DUMMY) & (without["dummy"] == 0.5))
    yield covering(
        ENDS, PLACE, without[others],
        id="skewed-errors-leave-the-others",
        statement="that of a dummy of half of the people and that of a normal column hold their level",
        quantity="coverage less its level, errors of skewness 1, no ends: the normal column, and a dummy of half",
        note="a coefficient that covers 89 % in one law would be refused in nine of ten tables",
    )  # fmt: skip
    yield covering(
        ENDS, PLACE, ends[(ends["series"] == COVERED) | of_coefficients(ends)],
        id="ends-make-skewed-amounts-hold",
        statement="with public ends all intervals hold their level where errors are skewed",
        quantity="coverage less its level, mean over coefficients and each coefficient, errors of skewness 1, ends 0 and 100",
        note="a coefficient that covers 89 % in one law would be refused in nine of ten tables",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="far-ends-cost-much", **ENDS, statement="ends that nobody comes near cost more than seven times the length",
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
