"""What is wrong or missing in varshney2022, each point demonstrated by a number of ours, with its charitable reading."""

from typing import get_args

from dpdescent.papers.varshney2022.findings.errors import errors
from dpdescent.papers.varshney2022.findings.open_points import questions, unstated
from dpdescent.papers.varshney2022.findings.telling import NOT_RUN
from dpdescent.replication.judging.evidence import Evidence, Finding, Severity

__all__ = ["NOT_RUN", "demonstrate"]


def demonstrate(evidence: Evidence) -> list[Finding]:
    """Returns all findings, the gravest first."""
    found = [*errors(evidence), *unstated(evidence), *questions(evidence)]
    return sorted(found, key=lambda each: get_args(Severity).index(each.severity))
