"""Every claim of liang2025 that a computation can judge, with a criterion made from the paper's words.

The criteria were written before any outcome was seen. Where the paper gives no number, the words "significantly",
"comparable", "insensitive" are read as the factors below, the same for all claims.
"""

from collections.abc import Iterator
from typing import Any

from dpdescent.papers.liang2025 import claims_real, claims_synthetic, claims_theory
from dpdescent.replication.evidence import Claim, Evidence


def judge(evidence: Evidence) -> list[Claim]:
    """All claims in the paper's order."""
    return list(_all(evidence))


def _all(evidence: Evidence) -> Iterator[Any]:
    yield from claims_theory.judge(evidence)
    yield from claims_synthetic.judge(evidence)
    yield from claims_real.judge(evidence)
