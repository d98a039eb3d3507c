"""Bounds of ours beside what was measured: accounts beside what a pair attains, the least variance of any noise, laws."""

from dpdescent.papers.ours import accounts, noise_over_time
from dpdescent.replication.judging.evidence import Bound, Evidence

PARTS = (accounts, noise_over_time)


def evaluate(evidence: Evidence) -> list[Bound]:
    """Evaluates all bounds, by subject."""
    return [bound for part in PARTS for bound in part.evaluate(evidence)]
