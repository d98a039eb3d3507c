"""Which audit belongs to an arm: arms that ask for the same one share its runs."""

import json
from dataclasses import dataclass

Parameter = str | int | float


@dataclass(frozen=True)
class Request:
    """An attack by its name in a paper's register, and the parameters that it is built with.

    Attributes:
        attack: the name, which is also that of the pair in the ledger.
        parameters: plain values; build them by `rounded`, so that last bits do not tell equal audits apart.
    """

    attack: str
    parameters: dict[str, Parameter]

    def json(self) -> str:
        """Canonical text: equal requests have equal ones."""
        return json.dumps({"attack": self.attack, "parameters": self.parameters}, sort_keys=True)

    @classmethod
    def parse(cls, text: str) -> "Request":
        """The inverse of `json`."""
        return cls(**json.loads(text))


@dataclass(frozen=True)
class NotAudited:
    """Why an arm has no audit.

    Attributes:
        why: the reason, for a reader of the ledger.
    """

    why: str


@dataclass(frozen=True)
class Statement:
    """A privacy statement of a paper that is audited although no arm of an experiment is run under it.

    Attributes:
        place: where it stands, e.g. "Lemma F.1, only y may change".
        mechanism, relation, sampler: as in the ledger.
        eps, delta: what it claims.
        mu: what it claims as Gaussian-DP, if it is about a composition of Gaussian releases.
        request: the audit.
        finding: the finding that tells of it, if the audit refutes it.
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
    """To nine digits: budgets that differ in their last bits share an audit."""
    return float(f"{value:.9g}")
