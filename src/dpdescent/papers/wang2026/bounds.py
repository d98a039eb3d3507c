"""Bounds of wang2026 that can be decided at the experiments' settings, beside measured or exactly known values.

They are evaluated with the paper's constants and with sharp ones, and are open where their conditions are not met.
Claims judge the rest: explicit bounds on risks, whose conditions no other run here meets, and statements with hidden
constants.
"""

from dpdescent.papers.wang2026 import attained, explicit_bounds, figure_1, guarantees, multipliers, starts
from dpdescent.replication.judging.evidence import Bound, Evidence


def evaluate(evidence: Evidence) -> list[Bound]:
    """All bounds: on privacy, on the network and the start, on noise."""
    parts = (multipliers, guarantees, attained, starts, explicit_bounds, figure_1)
    return [bound for part in parts for bound in part.evaluate(evidence)]
