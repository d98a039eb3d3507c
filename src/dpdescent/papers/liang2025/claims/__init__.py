"""Every claim of liang2025 that a computation can judge, with a criterion made from the paper's words.

The criteria were written before any paper-scale run; what a throw-away prototype had shown was known, and what was
changed later says so in its column `changed`. Where the paper gives no number, the words "significantly",
"comparable", "insensitive" are read as the factors of `reading`, the same for all claims. Where it leaves a value open
and a table has variants for it, a claim is held to all of them (`reading.at_readings`).
"""

from dpdescent.papers.liang2025.claims import (
    benchmarks,
    choices,
    cutoffs,
    dimensions,
    formulas,
    iterations,
    lemmas,
    orders,
    rates,
    real,
    sizes,
    theory,
)
from dpdescent.replication.judging.evidence import Claim, Evidence

PARTS = (
    theory, formulas, rates, cutoffs, lemmas, sizes, dimensions, iterations, orders, choices, benchmarks, real,
)  # fmt: skip


def judge(evidence: Evidence) -> list[Claim]:
    """Judges all claims: on guarantees and bounds, on synthetic data, on real data."""
    return [claim for part in PARTS for claim in part.judge(evidence)]
