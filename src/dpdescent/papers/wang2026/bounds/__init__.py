"""Bounds of wang2026 that something decides at the experiments' settings, beside what was measured or is exactly known.

They are evaluated with the paper's constants and with sharp ones, and are open where their conditions are not met.
Explicit bounds on risks, whose conditions no run here but that of a claim meets, and statements with hidden constants
are judged by claims.
"""

from dpdescent.papers.wang2026.bounds import network, noise, privacy
from dpdescent.replication.judging.evidence import Bound, Evidence

PARTS = (privacy, network, noise)


def evaluate(evidence: Evidence) -> list[Bound]:
    """All rows: privacy, network and start, noise."""
    return [bound for part in PARTS for bound in part.evaluate(evidence)]
