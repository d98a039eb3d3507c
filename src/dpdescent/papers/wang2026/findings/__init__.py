"""Errors and gaps in wang2026, each point demonstrated by a number of ours, with its charitable reading.

Only points that an independent review confirmed are called errors: three of privacy, and a constant on the safe side.
All others are observations, put as questions.
"""

from typing import get_args

from dpdescent.papers.wang2026.findings.observations import observations
from dpdescent.papers.wang2026.findings.privacy import NOT_RUN, privacy
from dpdescent.replication.judging.evidence import Evidence, Finding, Severity

__all__ = ["NOT_RUN", "demonstrate"]


def demonstrate(evidence: Evidence) -> list[Finding]:
    """All findings, the gravest first."""
    return sorted(
        [*privacy(evidence), *observations(evidence)], key=lambda finding: get_args(Severity).index(finding.severity)
    )
