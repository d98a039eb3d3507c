"""Bounds of ours beside what was measured: the least variance of any noise over time, and laws beside simulations."""

from dpdescent.papers.ours.bounds import noise_over_time, one_pair
from dpdescent.replication.judging.evidence import Bound, Evidence

PARTS = (one_pair, noise_over_time)


def evaluate(evidence: Evidence) -> list[Bound]:
    """Evaluates all rows."""
    return [bound for part in PARTS for bound in part.evaluate(evidence)]
