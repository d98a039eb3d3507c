"""Requests for audits: every arm has one, and arms with equal requests share the runs of an audit."""

import json
from dataclasses import dataclass

Parameter = str | int | float


@dataclass(frozen=True)
class Request:
    """Request for an audit: an attack's name in a paper's register, and the parameters with which it is built.

    Attributes:
        attack: name of the attack, which is also the name of the pair in the ledger.
        parameters: plain values; round numbers by `rounded`, because equal audits must not differ in last bits.
    """

    attack: str
    parameters: dict[str, Parameter]

    def json(self) -> str:
        """Returns the request as canonical JSON text, equal for equal requests."""
        return json.dumps({"attack": self.attack, "parameters": self.parameters}, sort_keys=True)

    @classmethod
    def parse(cls, text: str) -> "Request":
        """Reads a request from the text that `json` returned."""
        return cls(**json.loads(text))


@dataclass(frozen=True)
class NotAudited:
    """Statement that an arm has no audit, with the reason.

    Attributes:
        why: the reason, for a reader of the ledger.
    """

    why: str


def no_attack(method: str) -> NotAudited:
    """Statement that no attack is registered for an arm's method; the attack on another method would tell nothing."""
    return NotAudited(f"no attack is registered for {method}")


@dataclass(frozen=True)
class Statement:
    """A privacy statement of a paper that is audited although no arm of an experiment is run under it.

    Attributes:
        place: place of the statement in the paper, e.g. "Lemma F.1, only y may change".
        mechanism, relation, sampler: as in the ledger.
        eps, delta: claimed guarantee.
        mu: claimed Gaussian-DP parameter, if the statement is about a composition of Gaussian releases.
        request: the audit of the statement.
        finding: name of the finding about it, if the audit refutes it.
    """

    place: str
    mechanism: str
    relation: str
    sampler: str
    eps: float
    delta: float
    request: Request
    mu: float | None = None
    finding: str = ""


def rounded(value: float) -> float:
    """Rounds a number to nine digits, so that budgets that differ in their last bits share an audit."""
    return float(f"{value:.9g}")
