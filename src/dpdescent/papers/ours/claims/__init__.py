"""Every conjecture of ours, with a criterion that was written before any run at paper scale.

What throw-away prototypes had shown was known when they were written. A conjecture that fails is a result like others.
"""

from dpdescent.papers.ours.claims import (
    calibration,
    contest,
    decision,
    instruments,
    lengths,
    noise_over_time,
    path_law,
    real_contest,
    real_instruments,
    regression,
    regression_ends,
    weak_instruments,
)
from dpdescent.replication.judging.evidence import Claim, Evidence

PARTS = (
    instruments, lengths, path_law, weak_instruments, real_instruments, noise_over_time, contest, real_contest,
    decision, calibration, regression, regression_ends,
)  # fmt: skip


def judge(evidence: Evidence) -> list[Claim]:
    """Judges all claims."""
    return [claim for part in PARTS for claim in part.judge(evidence)]
