"""One claim by its id, judged without the rest of its paper."""

import inspect
from types import ModuleType
from typing import Protocol

from dpdescent.replication.judging.evidence import Claim, Evidence


class Claims(Protocol):
    """A paper's `claims`: it lists the modules that judge, each with a function `judge` of its own."""

    PARTS: tuple[ModuleType, ...]


def judge_one(claims: Claims, evidence: Evidence, id: str) -> Claim:
    """The claim of that id; only modules in which the id stands as a literal are run.

    Raises:
        ValueError: if no claim of the paper has that id.
    """
    for part in claims.PARTS:
        if f'"{id}"' in inspect.getsource(part):
            for claim in part.judge(evidence):
                if claim.claim == id:
                    match: Claim = claim
                    return match
    raise ValueError(f"{id!r} is no claim of this paper; look its id up in claims.csv")
