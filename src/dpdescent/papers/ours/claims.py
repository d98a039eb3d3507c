"""Every conjecture of ours, with a criterion that was written before any run at paper scale.

What throw-away prototypes had shown was known when they were written. A conjecture that fails is a result like others.
"""

from dpdescent.papers.ours import (
    calibration,
    contest,
    decision,
    iv_intervals,
    iv_path_law,
    iv_real,
    iv_sets,
    noise_over_time,
    regression,
    regression_ends,
)
from dpdescent.replication.judging.evidence import Claim, Evidence

PARTS = (
    iv_intervals, iv_path_law, iv_sets, iv_real, noise_over_time, contest, decision, calibration, regression,
    regression_ends,
)  # fmt: skip


def judge(evidence: Evidence) -> list[Claim]:
    """Judges all claims, by subject."""
    return [claim for part in PARTS for claim in part.judge(evidence)]
