"""Conjectures on private intervals and sets, held to real tables that are resampled from themselves."""

from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.ours.claims.instruments import STRONG, coverage
from dpdescent.papers.ours.experiments.iv_real import INTERVAL, RATIO, RESAMPLED, SET
from dpdescent.papers.ours.reading import MENDED, claim_on_all_cells, rows
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import at_least, between
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import median_of

PLACE = ["table", "rho"]
TARGET = "for the table's own 2SLS estimate, on records drawn from the table"

ONE = (
    "Before a first look Card's table with its four instruments counted too. They disagree on the table itself, where no "
    "effect explains all four, so that the set without privacy is empty: there is no true effect to cover."
)


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges coverage and length of DP-IV-GD's interval and of the private Anderson-Rubin set."""
    table = rows(evidence, "iv_real")
    resampled = table[table["panel"] == RESAMPLED]
    strong = resampled[resampled["F"] >= STRONG]
    yield claim_on_all_cells(
        id="real-iv-coverage", artefact="iv_real", location="Sec. 1", kind="text",
        statement="on real tables intervals of DP-IV-GD hold their level where instruments are strong",
        quantity=f"coverage of 95 % intervals that were not refused {TARGET}, at F >= {STRONG}, by table and budget",
        cells=algebra.means(strong[strong["series"] == INTERVAL], PLACE, coverage), criterion=between(0.92, 0.98),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="real-iv-length", artefact="iv_real", location="Sec. 1", kind="text",
        statement="on real tables their length is within 3 to 30 % of that of 2SLS",
        quantity=f"half length over that of 2SLS on the same records, medians, at F >= {STRONG}, by table and budget",
        cells=algebra.means(_ratios(strong, INTERVAL), PLACE, median_of), criterion=between(1.0, 1.3),
    )  # fmt: skip
    # One instrument fits any table exactly, so that its 2SLS estimate is a true effect of what is drawn from it.
    fitted = resampled[resampled["q"] == 1]
    yield claim_on_all_cells(
        id="real-sets-cover", artefact="iv_real", location="Sec. 1", kind="text",
        statement="on real tables private Anderson-Rubin sets hold their level however strong the instruments are",
        quantity=f"coverage of 95 % sets {TARGET}, with one instrument, by table and budget",
        cells=algebra.means(fitted[fitted["series"] == SET], PLACE, coverage), criterion=at_least(0.92),
        changed=f"{ONE} {MENDED}",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="real-sets-length", artefact="iv_real", location="Sec. 1", kind="text",
        statement="where instruments are strong the set is 1.2 to 2.4 times as long as the interval of 2SLS",
        quantity=f"half length over that of 2SLS on the same records, medians of bounded sets, with one instrument, at F >= {STRONG}, by table and budget",
        cells=algebra.means(_ratios(strong[strong["q"] == 1], SET), PLACE, median_of), criterion=between(1.2, 2.4),
        changed=f"{ONE} {MENDED}",
    )  # fmt: skip


def _ratios(found: pd.DataFrame, series: str) -> pd.DataFrame:
    return found[found["series"] == f"{series}: {RATIO}"]
