"""Verdicts of audits; they stand apart from the attacks, because pages and figures need them and no accountant."""

from typing import NamedTuple

WITHIN, EXCEEDS = "within the account", "EXCEEDS the account"
VIOLATED, NOT_VIOLATED = "claim violated", "claim not violated by this attack"
UNCLAIMED, UNAUDITED = "nothing to compare with", "not audited"
# Verdicts on an attack that breaks no claim of a paper: it exceeds an epsilon of ours, or that of an account which does
# not cover the attacked step.
BASELINE, UNCOVERED = "our baseline without a guarantee", "not covered by any account"


class Reporting(NamedTuple):
    """The report on an attack that exceeds a claim.

    Attributes:
        finding: name of the finding about the attack.
        verdict: `VIOLATED`, unless the attack exceeds no claim of the paper.
    """

    finding: str
    verdict: str = VIOLATED
