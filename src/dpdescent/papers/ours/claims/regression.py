"""Conjectures on the intervals of `dp_regression`, where the documentation says that they hold and where it warns.

Criteria were written before this table, and after one of 400 runs a cell, at other seeds, of the same laws. By a bound
for N numbers at once (`SURE / N` each; here N is 405) 1000 runs refuse in nine of ten tables a coefficient that
covers 88.5 % in one cell, and let stand in nineteen of twenty one that covers 93 %.
"""

import math
from collections.abc import Iterator, Sequence

import pandas as pd
from scipy.special import betaincinv

from dpdescent.papers.ours.experiments.regression import COEFFICIENT, COVERED, LENGTH, REFUSED
from dpdescent.papers.ours.reading import claim_on_all_cells, judged_claim, rows
from dpdescent.papers.ours.regression_design import LAW
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import Criterion, at_least, at_most
from dpdescent.replication.judging.evidence import Cell, Claim, Evidence, Verdict
from dpdescent.replication.judging.statistics import NOTHING, Estimate, exactly, median_of, proportion

PLACE = [*LAW, "eps", "units", "standard_errors", "level"]
# Errors for which the documentation says that the constant's interval misses.
MOVED = ("skewed", "outliers")
# Chance that any of the bounds of a claim is wrong, and points below the nominal level that are let pass.
SURE, BELOW = 0.05, 0.02
# Runs with fewer intervals than these refute too little for a claim that none is below.
ENOUGH = 500
# Information n sqrt(rho) / p below which nothing is told, and from which there is much of it.
TOLD, MUCH = 45.0, 700.0
WITHIN = Criterion(f"not below the nominal level less {BELOW:g}, by 95 % bounds for all together", low=-BELOW)
BEFORE = "lengths of a table of 400 runs at other seeds were known"


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges where intervals cover and where they miss, how long they are, and where they are refused."""
    table = rows(evidence, "regression")
    calm, moved = (table[table["errors"].isin(MOVED) == each] for each in (False, True))
    yield covering(
        id="regression-covers", statement="intervals of DP regression hold their level where errors are symmetric",
        quantity="coverage of 95 %, 80 % and 99 % intervals less their level: mean over coefficients, and each coefficient",
        part=calm[(calm["series"] == COVERED) | of_coefficients(calm)],
        note="a coefficient that covers 88.5 % in one cell would be refused in nine of ten tables, and so would such a mean",
    )  # fmt: skip
    constants = moved["series"] == COEFFICIENT.format(0)
    yield covering(
        id="regression-slopes-cover-with-skewed-errors",
        statement="errors of one distribution, however skewed, move the constant alone, if no column is a rare dummy",
        quantity="coverage of intervals for coefficients other than the constant less their level, skewed errors or outliers",
        part=moved[of_coefficients(moved) & ~constants],
        note="a slope that covers 89 % in one law would be refused in nine of ten tables",
        changed="Before this table was read, a reader's runs of other laws narrowed the statement by rare dummies.",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="regression-constant-misses-with-skewed-errors", artefact="regression", location="Sec. 5", kind="text",
        statement="the constant's interval misses where errors are skewed or outcomes have outliers",
        quantity="coverage of the constant's 95 % interval, skewed errors or outliers, by law",
        cells=algebra.means(moved[constants], PLACE, coverage), criterion=at_most(0.8),
        note="a constant that covers 84 % in one cell would be refused: the warning would be wrong there",
    )  # fmt: skip
    lengths = table[table["series"] == LENGTH]
    yield claim_on_all_cells(
        id="regression-length-in-the-middle", artefact="regression", location="Sec. 5", kind="text",
        statement="at n = 10,000, five covariates and epsilon 1 intervals are at most a quarter longer than least squares'",
        quantity="median length over that of least squares' interval, in the middle cell at three levels",
        cells=algebra.means(lengths[lengths["panel"] == "level"], ["level"], median_of), criterion=at_most(1.25),
        note=f"a length of 1.27 would be refused; {BEFORE}",
    )  # fmt: skip
    plain = lengths[(lengths["covariates"] == "normal") & (lengths["errors"] == "normal")]
    yield claim_on_all_cells(
        id="regression-length-with-much-information", artefact="regression", location="Sec. 5", kind="text",
        statement="with much information they are at most 15 % longer",
        quantity=f"median length over that of least squares' interval, information at least {MUCH:g}, normal laws",
        cells=algebra.means(plain[plain["information"] >= MUCH], PLACE, median_of), criterion=at_most(1.15),
        note=f"a length of 1.17 in one cell would be refused; {BEFORE}",
    )  # fmt: skip
    refused = table[table["series"] == REFUSED]
    few = refused["information"] < TOLD
    yield claim_on_all_cells(
        id="regression-refuses-where-nothing-is-known", artefact="regression", location="Sec. 5", kind="text",
        statement="where there is too little information all intervals are refused, and none is wrong",
        quantity=f"share of intervals that are refused, information below {TOLD:g}, by cell",
        cells=algebra.means(refused[few], PLACE, _exact), criterion=at_least(1.0, words="all"),
        note="a single interval that is told would refute it",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="regression-seldom-refuses-elsewhere", artefact="regression", location="Sec. 5", kind="text",
        statement="elsewhere hardly any interval is refused",
        quantity=f"share of intervals that are refused, information at least {TOLD:g}, by cell",
        cells=algebra.means(refused[~few], PLACE, coverage), criterion=at_most(0.01),
        note="a cell that refuses 3 % would refute it",
    )  # fmt: skip


def of_coefficients(table: pd.DataFrame) -> "pd.Series[bool]":
    """Which rows tell how often the interval of one coefficient covers."""
    return table["series"].astype(str).str.startswith(COEFFICIENT.format(""))


def coverage(row: "pd.Series[float]") -> Estimate:
    """A share with its interval; coefficients of one run hang together, so that runs count and not coefficients."""
    return proportion(row["mean"], row["trials"])


def _exact(row: "pd.Series[float]") -> Estimate:
    return exactly(row["mean"])


def bounded(part: pd.DataFrame, place: Sequence[str] = PLACE) -> dict[tuple[str, str], Estimate]:
    """Coverage less its level by place and series, with bounds of which none errs but by a chance `SURE` on a side."""
    return {
        (algebra.place_of(row, place), row["series"]): _between(row, SURE / len(part)) for row in algebra.rows_of(part)
    }


def _between(row: "pd.Series[float]", error: float) -> Estimate:
    """Coverage of a row less its level, with Clopper-Pearson bounds that err by so much on each side."""
    # Of a mean over coefficients a fraction of a run may cover.
    hits, trials, level = row["mean"] * row["trials"], row["trials"], row["level"]
    low = betaincinv(hits, trials - hits + 1.0, error) if hits > 0.0 else 0.0
    high = betaincinv(hits + 1.0, trials - hits, 1.0 - error) if hits < trials else 1.0
    return Estimate(row["mean"] - level, float(low) - level, float(high) - level)


def covering(
    *, id: str, statement: str, quantity: str, part: pd.DataFrame, note: str, changed: str = "",
    artefact: str = "regression", place: Sequence[str] = PLACE, enough: int = ENOUGH,
) -> Claim:  # fmt: skip
    """The claim that no row is below its level less `BELOW` for sure; it is not that each is surely above.

    A row of which few runs tell an interval has a wide bound, and refutes next to nothing: it leaves the claim open.
    """
    found = bounded(part, place)
    least = sorted(found, key=lambda each: found[each].high)
    # Of a cell the mean and the coefficient with the lowest bound are listed.
    listed = {(where, series == COVERED): (where, series) for where, series in reversed(least)}
    cells = [
        Cell(": ".join(key), found[key].value, found[key].low, found[key].high, _verdict(found[key]))
        for key in found if key in listed.values()
    ]  # fmt: skip
    shown = found[least[0]] if least else NOTHING
    verdict = _verdict(shown)
    if verdict == "reproduced" and (part["trials"] < enough).any():
        verdict = "inconclusive"
    return judged_claim(
        id=id, artefact=artefact, location="Sec. 5", kind="text", statement=statement, quantity=quantity,
        measured=shown, criterion=WITHIN.words, verdict=verdict, cells=cells, note=note, changed=changed,
    )  # fmt: skip


def _verdict(found: Estimate) -> Verdict:
    """Not reproduced where the upper bound is below what is let pass; of the others none is shown to be."""
    if math.isnan(found.value):
        return "not testable"
    return "reproduced" if found.high >= WITHIN.low else "not reproduced"
