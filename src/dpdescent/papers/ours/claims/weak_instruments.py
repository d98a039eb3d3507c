"""Conjectures on Anderson-Rubin sets, private and not."""

from collections.abc import Iterator

from dpdescent.papers.ours.claims.instruments import PLACE, coverage
from dpdescent.papers.ours.experiments.iv_weak import INTERVAL, PRIVATE
from dpdescent.papers.ours.reading import MENDED, claim_on_all_cells, rows
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import at_least, between
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import exactly, proportion

# "Weak instruments" of the conjecture, and those at which sets have a length that can be compared.
WEAK, STRONG = 2, 50


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges coverage, length and ends of private sets, and coverage of the interval that they replace."""
    table = rows(evidence, "iv_weak")
    private, interval = (table[table["series"] == series] for series in (PRIVATE, INTERVAL))
    yield claim_on_all_cells(
        id="anderson-rubin-covers", artefact="iv_weak", location="Sec. 1", kind="text",
        statement="a private Anderson-Rubin set holds its level however weak the instruments are",
        quantity="coverage of 95 % sets for the true effect, by cell",
        cells=algebra.means(private, PLACE, coverage), criterion=at_least(0.92), changed=MENDED,
    )  # fmt: skip
    yield claim_on_all_cells(
        id="anderson-rubin-length", artefact="iv_weak", location="Sec. 1", kind="text",
        statement="where instruments are strong it is 1.2 to 2.4 times as long as the interval of 2SLS",
        quantity=f"half length over that of 2SLS, means, at F >= {STRONG}, by cell",
        cells={
            algebra.place_of(row, PLACE): exactly(row["half_width"] / other["half_width"])
            for row, other in algebra.paired_rows(private[private["F"] >= STRONG], interval, PLACE)
        },
        criterion=between(1.2, 2.4), changed=MENDED,
    )  # fmt: skip
    yield claim_on_all_cells(
        id="weak-sets-are-unbounded", artefact="iv_weak", location="Sec. 1", kind="text",
        statement="where instruments are weak most sets have no end, which says that the data decide nothing",
        quantity=f"share of private sets that are unbounded, at F <= {WEAK}, by cell",
        cells=algebra.means(
            private[private["F"] <= WEAK], PLACE, lambda row: proportion(row["unbounded"], row["trials"])
        ),
        criterion=at_least(0.5), changed=MENDED,
    )  # fmt: skip
