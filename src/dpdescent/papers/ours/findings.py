"""Findings: none, because this is no paper of others; what fails of our own conjectures is a verdict of its claim."""

from dpdescent.replication.judging.evidence import Evidence, Finding


def demonstrate(evidence: Evidence) -> list[Finding]:
    """Returns no finding."""
    return []
