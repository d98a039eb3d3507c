"""Claims about clipping: that at Theorem 4.1's threshold, and at a sharp form of it, it never acts."""

import math
from collections.abc import Iterator

from dpdescent.papers.wang2026.claims.quantities import range_of
from dpdescent.papers.wang2026.reading import POPULATION, every, rows
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Claim, Evidence, Source

CLIPPING = "clipping"
THRESHOLDS: tuple[tuple[str, str, Source, str], ...] = (
    ("clipping-inactive", "G_delta", "paper", ""),
    ("clipping-inactive-sharp", "G_sharp", "ours", "(ours) with the sharp threshold that knows the frozen second layer: "),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on both thresholds."""
    for name, rule, source, words in THRESHOLDS:
        table = rows(evidence, CLIPPING, series=POPULATION, clip_rule=rule)
        shares = table.assign(mean=table["clipped"], se=math.nan)
        yield every(
            id=name, artefact=CLIPPING, location="Sec. 4.3 (step 1), eq. (5)", kind="theorem", source=source,
            statement=f"{words}under C_clip >= G_delta clipping is inactive",
            quantity="share of gradients clipped: the largest over lambda and eta",
            cells=algebra.means(shares, ("C_clip", "lam", "eta")), criterion=at_most(0.0),
            note=f"C_clip {range_of(table['C_clip'])}",
        )  # fmt: skip
