"""Conjectures on the length of private intervals and sets over that of 2SLS's interval on the same records.

The laws were derived after lengths at other designs (`iv_coverage`, `iv_weak`) had been seen.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpdescent.papers.ours.experiments.iv_coverage import REFUSED
from dpdescent.papers.ours.experiments.iv_length import INTERVAL, SET
from dpdescent.papers.ours.reading import AS_PREDICTED, FEW_CLIPPED, MENDED, claim_on_all_cells, rows
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_most, between
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate, median_of

PLACE = ["n", "F", "rho"]
# Shares of refused intervals up to which those that are left are taken for all; n rho from which lengths are alike.
FEW_REFUSED, MUCH = 0.1, 500.0


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges lengths beside their laws, and what they depend on."""
    table = rows(evidence, "iv_length")
    intervals, sets = mostly_given(table), table[table["series"] == SET]
    for id, name, part, changed in (
        ("interval-length-by-law", "the interval of DP-IV-GD", intervals, ""),
        ("set-length-by-law", "the private Anderson-Rubin set", sets, f"{MENDED} The law has the set's new quantile."),
    ):
        yield claim_on_all_cells(
            id=id, artefact="iv_length", location="Sec. 1", kind="theorem",
            statement=f"{name} is as long as a law from settings and design says",
            quantity=f"median half length over that of 2SLS, over the law's, under {FEW_CLIPPED:.0%} clipped, by n, F and rho",
            cells=algebra.means(part[part["clip_fraction"] < FEW_CLIPPED], PLACE, _over_law),
            criterion=between(1.0 - AS_PREDICTED, 1.0 + AS_PREDICTED), changed=changed,
        )  # fmt: skip
    yield claim_on_all_cells(
        id="length-does-not-depend-on-strength", artefact="iv_length", location="Sec. 1", kind="text",
        statement="what privacy adds to an interval does not depend on how strong the instruments are",
        quantity="median half length of DP-IV-GD over that of 2SLS at F = 1000, over that at F = 100, by n and rho",
        cells=_over_weaker(intervals), criterion=between(0.9, 1.1),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="short-where-n-rho-is-large", artefact="iv_length", location="Sec. 1", kind="text",
        statement="with n rho of 500 and more an interval is at most 30 % longer than that of 2SLS",
        quantity=f"median half length of DP-IV-GD over that of 2SLS, n rho at least {MUCH:g}, by n, F and rho",
        cells=algebra.means(intervals[intervals["n"] * intervals["rho"] >= MUCH], PLACE, median_of),
        criterion=at_most(1.3),
        changed="At first the criterion asked for 1 at least as well, of which the statement says nothing, and which medians next to 1 leave open.",
    )  # fmt: skip


def mostly_given(table: pd.DataFrame) -> pd.DataFrame:
    """Rows of the interval at places where few were refused."""
    refused = table[(table["series"] == f"{INTERVAL}: {REFUSED}") & (table["mean"] > FEW_REFUSED)]
    without = {algebra.place_of(row, PLACE) for row in algebra.rows_of(refused)}
    rows = table[table["series"] == INTERVAL]
    return rows[np.array([algebra.place_of(row, PLACE) not in without for row in algebra.rows_of(rows)], dtype=bool)]


def _over_law(row: "pd.Series[float]") -> Estimate:
    found = median_of(row)
    return Estimate(*(each / row["predicted"] for each in (found.value, found.low, found.high)))


def _over_weaker(intervals: pd.DataFrame) -> Places:
    """Medians at the largest F over those at the smallest, ends as of independent errors, which they are not."""
    strong, weak = (algebra.rows_at_end(intervals, "F", largest) for largest in (True, False))
    found: Places = {}
    for first, second in algebra.paired_rows(strong, weak, ["n", "rho"]) if intervals["F"].nunique() > 1 else []:
        one, other = median_of(first), median_of(second)
        found[algebra.place_of(first, ["n", "rho"])] = Estimate(
            one.value / other.value, one.low / other.high, one.high / other.low
        )
    return found
