"""Conjectures on private intervals for instrumental-variable estimates."""

from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.ours.experiments.iv_coverage import CLASSICAL, OURS, PUBLISHED
from dpdescent.papers.ours.reading import claim_on_all_cells, rows
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_most, between
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate, exactly, proportion

PLACE = ["panel", "n", "p", "q", "F", "rho", "endogeneity", "instruments", "errors", "k"]
# Where the conjecture promises coverage: strong instruments, few of them, and clipping that is rare or symmetric.
STRONG, FEW = 50, 2
PROMISED = ("strength", "budget", "records", "instruments", "endogeneity", "laws", "correlated")
# "Where first-stage noise matters": the noise in a first-stage iterate over what the instruments explain.
NOISY = 0.15


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges coverage and length of DP-IV-GD, and the coverage of the path as published."""
    table = rows(evidence, "iv_coverage")
    ours = table[table["series"] == OURS]
    promised = ours[
        ours["panel"].isin(PROMISED) & (ours["F"] >= STRONG) & (ours["q"] <= FEW) & (ours["errors"] != "skewed")
    ]
    yield claim_on_all_cells(
        id="iv-coverage", artefact="iv_coverage", location="Sec. 1", kind="text",
        statement="intervals of DP-IV-GD for the true effect hold their level where instruments are strong and few",
        quantity=f"coverage of 95 % intervals that were not refused, at F >= {STRONG} and q <= {FEW}, by cell",
        cells=algebra.means(promised, PLACE, coverage), criterion=between(0.92, 0.98),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="iv-coverage-several-regressors", artefact="iv_coverage", location="Sec. 1", kind="text",
        statement="with enough records, intervals for several effects at once hold their level too",
        quantity="coverage of 95 % intervals that were not refused, mean over effects, by number of records and effects",
        cells=algebra.means(ours[ours["panel"] == "more records"], ["n", "p"], coverage), criterion=between(0.92, 0.98),
        changed="at first 300 runs a cell, which left five effects open; now 1000, as in all other cells",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="iv-length", artefact="iv_coverage", location="Sec. 1", kind="text",
        statement="their length is within 3 to 30 % of that of 2SLS",
        quantity=f"half width over that of 2SLS, means, at F >= {STRONG} and q <= {FEW}, by cell",
        cells=_lengths(promised, table[table["series"] == CLASSICAL]), criterion=between(1.0, 1.3),
    )  # fmt: skip
    published = table[(table["series"] == PUBLISHED) & (table["tau_over_H"] > NOISY)]
    yield claim_on_all_cells(
        id="published-path-carries-no-interval", artefact="iv_coverage", location="Sec. 1", kind="text",
        statement="the path as published carries no interval where first-stage noise matters",
        quantity=f"coverage of its batched means with 2SLS's sampling error added, where tau/H > {NOISY:g}, by cell",
        cells=algebra.means(published, PLACE, coverage), criterion=at_most(0.90),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="symmetric-clipping-is-harmless", artefact="iv_coverage", location="Sec. 1", kind="text",
        statement="clipping of symmetric gradients, two in five of them, leaves the coverage as it is",
        quantity="coverage of DP-IV-GD with normal instruments and errors, by threshold",
        cells=algebra.means(ours[ours["panel"] == "clipping"], ["k"], coverage), criterion=between(0.90, 0.98),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="skewed-clipping-fails", artefact="iv_coverage", location="Sec. 1", kind="text",
        statement="clipping of skewed gradients moves the target, and intervals miss the true effect",
        quantity="coverage of DP-IV-GD with skewed or binary instruments, skewed errors and a small threshold",
        cells=algebra.means(ours[ours["panel"] == "skewed"], ["instruments"], coverage), criterion=at_most(0.90),
    )  # fmt: skip


def coverage(row: "pd.Series[float]") -> Estimate:
    """Coverage with its interval; coordinates of one run hang together, so that runs count and not coordinates."""
    return proportion(row["mean"], row["trials"])


def _lengths(rows: pd.DataFrame, classical: pd.DataFrame) -> Places:
    """Half widths over those of 2SLS at the same cells; means over so many runs are taken as exact."""
    return {
        algebra.place_of(row, PLACE): exactly(row["half_width"] / other["half_width"])
        for row, other in algebra.paired_rows(rows, classical, PLACE)
    }
