"""Verdicts of audits, apart from the attacks because pages and figures need their names and no accountant."""

from typing import NamedTuple

WITHIN, EXCEEDS = "within the account", "EXCEEDS the account"
VIOLATED, NOT_VIOLATED = "claim violated", "claim not violated by this attack"
UNCLAIMED, UNAUDITED = "nothing to compare with", "not audited"
# What an attack exceeds where no claim of a paper is broken: an epsilon that is ours, or that of an account which does
# not cover the step under attack.
BASELINE, UNCOVERED = "our baseline without a guarantee", "not covered by any account"


class Told(NamedTuple):
    """How an attack that exceeds what is claimed is told.

    Attributes:
        finding: name of the finding about it.
        verdict: `VIOLATED`, unless what is exceeded is no claim of the paper.
    """

    finding: str
    verdict: str = VIOLATED
