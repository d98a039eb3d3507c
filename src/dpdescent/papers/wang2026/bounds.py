"""Bounds of wang2026 that something decides at the experiments' settings, beside what was measured or is exactly known.

They are evaluated with the paper's constants and with sharp ones, and are open where their conditions are not met.
Explicit bounds on risks, whose conditions no run here but that of a claim meets, and statements with hidden constants
are judged by claims.
"""

from dpdescent.papers.wang2026 import attained, explicit_bounds, figure_1, guarantees, multipliers, starts
from dpdescent.replication.judging.evidence import Bound, Evidence


def evaluate(evidence: Evidence) -> list[Bound]:
    """All rows: privacy, network and start, noise."""
    parts = (multipliers, guarantees, attained, starts, explicit_bounds, figure_1)
    return [bound for part in parts for bound in part.evaluate(evidence)]
