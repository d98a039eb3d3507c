"""Verdicts at other master seeds: which of them change, and which do not last.

The other builds are no part of a default build, because each takes as long again. Their verdicts are committed as
`docs/other_seed.csv`, which `dpdescent seedcheck` writes.
"""

import math
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
    """The claims, of which those that another seed does not repeat are left open, because chance may decide them.

    Refutations and reproductions are held to the same: a verdict lasts if every other seed reaches it. A row counts
    while the claim is what it was when the other seed was looked at, of equal value and verdict.

    Args:
        checked: rows of `docs/other_seed.csv`; rows of other papers count for nothing.
    """
    others: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for row in checked:
        others.setdefault((row["paper"], row["claim"]), []).append(row)
    return [_lasting(claim, others.get((claim.paper, claim.claim), [])) for claim in claims]


def stale(paper: str, claims: Iterable[Claim], checked: Iterable[Mapping[str, str]]) -> list[str]:
    """The paper's rows that count for nothing, by claim and seed, because the claim is not what it was or is gone.

    Args:
        paper: its key.
        claims: its claims, judged from the tables of the project's seed alone.
        checked: rows of `docs/other_seed.csv`.
    """
    now = {claim.claim: claim for claim in claims}
    own = [row for row in checked if row["paper"] == paper]
    return [
        f"{row['claim']} at seed {row['other_seed']}"
        for row in own
        if (claim := now.get(row["claim"])) is None or not is_of(claim.verdict, claim.measured, row)
    ]


def _lasting(claim: Claim, others: Sequence[Mapping[str, str]]) -> Claim:
    mine = [row for row in others if is_of(claim.verdict, claim.measured, row)]
    different = [row for row in mine if row["other_verdict"] != claim.verdict]
    if not different or claim.verdict not in ("reproduced", "not reproduced"):
        return claim
    remarks = (
        f"at seed {row['other_seed']} it is {row['other_verdict']}, measured {row['other_measured']}"
        for row in different
    )
    return replace(claim, verdict="inconclusive", why="another seed", note=joined(claim.note, *remarks))


def is_of(verdict: str, measured: float | None, row: Mapping[str, str]) -> bool:
    """Whether a row was made of a claim that has this verdict and this value now."""
    if row["verdict"] != verdict or (measured is None) != (row["measured"] == ""):
        return False
    return measured is None or math.isclose(float(row["measured"]), measured, rel_tol=1e-6, abs_tol=1e-12)
