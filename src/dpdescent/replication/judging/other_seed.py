"""Verdicts at another master seed: which of them change, and which refutations do not last.

The other build is no part of a default build, because it takes as long again. Its verdicts are committed as
`docs/other_seed.csv`, which `dpdescent seedcheck` writes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dpdescent.replication.judging.evidence import Claim, joined

FILE = "docs/other_seed.csv"
COLUMNS = (
    "paper", "claim", "source", "verdict", "measured", "other_seed", "other_verdict", "other_measured", "changes",
)  # fmt: skip


def compared(claims: Sequence[Claim], others: Sequence[Claim], seed: int) -> list[dict[str, Any]]:
    """Rows with `COLUMNS` for the claims that both builds judged, in the order of the claims.

    Args:
        claims: the claims, judged from the tables of the project's seed alone.
        others: the claims, judged from the tables of the other seed.
        seed: the other seed.
    """
    other_claims = {other.claim: other for other in others}
    return [_row(claim, other_claims[claim.claim], seed) for claim in claims if claim.claim in other_claims]


def _row(claim: Claim, other: Claim, seed: int) -> dict[str, Any]:
    return {
        "paper": claim.paper, "claim": claim.claim, "source": claim.source, "verdict": claim.verdict,
        "measured": _number(claim.measured), "other_seed": seed, "other_verdict": other.verdict,
        "other_measured": _number(other.measured), "changes": "yes" if other.verdict != claim.verdict else "",
    }  # fmt: skip


def _number(value: float | None) -> float | str:
    return "" if value is None else value


def lasting(claims: Sequence[Claim], checked: Iterable[Mapping[str, str]]) -> list[Claim]:
    """The claims, of which those that the other seed contradicts are left open, because chance may make either verdict.

    A refutation must be repeated; a reproduced claim must not be refuted.

    Args:
        checked: rows of `docs/other_seed.csv`; rows of other papers count for nothing.
    """
    others = {(row["paper"], row["claim"]): row for row in checked}
    return [_kept(claim, others.get((claim.paper, claim.claim))) for claim in claims]


def _kept(claim: Claim, other: Mapping[str, str] | None) -> Claim:
    if other is None or claim.verdict not in ("reproduced", "not reproduced"):
        return claim
    refuted = other["other_verdict"] == "not reproduced"
    if refuted == (claim.verdict == "not reproduced"):
        return claim
    remark = f"at seed {other['other_seed']} it is {other['other_verdict']}, measured {other['other_measured']}"
    return replace(claim, verdict="inconclusive", why="interval", note=joined(claim.note, remark))
