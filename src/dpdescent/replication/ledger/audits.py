"""Audit of a paper's ledger: equal requests are attacked once, and each arm gets its audit's results and a verdict.

An arm with a proved guarantee must not be refuted: a lower bound above its account counts as our mistake until shown
otherwise. A claim without a proof is violated, or not violated by this attack. Verdicts use bounds of 99.99 %
confidence, because there are many arms; the shown bounds have 95 %.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dpdescent.privacy.audit import attack, bounds
from dpdescent.privacy.audit.attack import SHOWN, SURE, Attack, Scores
from dpdescent.privacy.events import Mechanism
from dpdescent.randomness import stream
from dpdescent.replication.ledger.requests import NotAudited, Request, Statement, rounded
from dpdescent.replication.ledger.verdicts import (
    EXCEEDS,
    NOT_VIOLATED,
    UNAUDITED,
    UNCLAIMED,
    VIOLATED,
    WITHIN,
    Reporting,
)

Row = dict[str, Any]

# Columns that the privacy stage writes in addition to the ledger's, for the audit stage.
REQUEST_COLUMNS = ("rho_paper", "request", "why_not")

COLUMNS = [
    "paper", "mechanism", "place", "relation", "sampler", "guarantee", "arms", "artefacts", "delta", "eps_paper",
    "eps_tight", "eps_attained", "eps_audit_low", "eps_any_law_low", "mu", "mu_attained", "mu_low", "rho_paper",
    "rho_attained", "rho_low", "audit_runs", "verdict", "finding", "pair", "description",
]  # fmt: skip

# Columns whose values rows of one group share; numbers are equal up to rounding.
WORDS = ("paper", "place", "mechanism", "relation", "sampler", "guarantee", "request", "why_not")
NUMBERS = ("delta", "eps_paper", "eps_tight", "mu", "rho_paper")

# Relative tolerance, because exact values may exceed an account by rounding alone.
ROUNDING = 1e-6


@dataclass(frozen=True)
class Outcome:
    """Result of one audit: the attack, and the scores of its runs."""

    attack: Attack
    scores: Scores

    def epsilon(self, row: Row, confidence: float = SHOWN) -> float:
        """Lower bound on epsilon at the row's delta: by mu if row and pair have Gaussian releases, else for any law."""
        delta = float(row["delta"])
        if row["mu"] == "" or self.attack.mu is None:
            return self.scores.epsilon_low(delta, confidence)
        return bounds.epsilon_of_mu(self.scores.mu_low(confidence), delta)


def request_columns(answer: Request | NotAudited, event: Mechanism) -> Row:
    """Columns `REQUEST_COLUMNS` of an arm: its claimed budget, and its request or the reason why there is none."""
    request, why_not = (answer.json(), "") if isinstance(answer, Request) else ("", answer.why)
    return {"rho_paper": event.claimed_rho, "request": request, "why_not": why_not}


def statement_row(paper: str, statement: Statement) -> Row:
    """Row of a paper's statement, with the same columns as the rows of arms."""
    return {
        "paper": paper, "artefact": "", "place": statement.place, "mechanism": statement.mechanism,
        "relation": statement.relation, "sampler": statement.sampler, "guarantee": "as published",
        "delta": statement.delta, "eps_paper": statement.eps, "eps_tight": "",
        "mu": "" if statement.mu is None else statement.mu, "rho_paper": "inf", "request": statement.request.json(),
        "why_not": "", "finding": statement.finding,
    }  # fmt: skip


def outcomes(
    paper: str, rows: Iterable[Row], attacks: Mapping[str, Callable[..., Attack]], runs: int, seed: int
) -> dict[str, Outcome]:
    """Runs each distinct request of the rows once, with its own random stream and a line of progress.

    Raises:
        KeyError: if a request names an attack that is not in the paper's register.
    """
    texts = sorted({row["request"] for row in rows} - {""})
    results = {}
    for number, text in enumerate(texts, start=1):
        request = Request.parse(text)
        built = attacks[request.attack](**request.parameters)
        results[text] = Outcome(built, attack.run(built, runs, stream(seed, paper, "audit", text)))
        print(f"{number} of {len(texts)}: {text}", flush=True)
    return results


def ledger_columns(row: Row, results: Mapping[str, Outcome]) -> Row:
    """Columns of the ledger that an arm's audit fills; blank without an audit."""
    if not row["request"]:
        return {"eps_audit_low": "", "audit_runs": "", "pair": ""}
    outcome = results[row["request"]]
    pair = Request.parse(row["request"]).attack
    return {"eps_audit_low": outcome.epsilon(row), "audit_runs": outcome.scores.runs, "pair": pair}


def table(rows: Iterable[Row], results: Mapping[str, Outcome], findings: Mapping[str, Reporting]) -> list[Row]:
    """Rows of the audit table with verdicts: arms that are equal for an audit share a row; statements come last.

    Args:
        rows: arms with the columns of the ledger and `REQUEST_COLUMNS`, and statements.
        results: results of the audits, by request.
        findings: by attack, the finding and the verdict that are reported where it exceeds a claim.
    """
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        numbers = [_number(row[name]) for name in NUMBERS]
        words = [row.get(name, "") for name in WORDS]
        groups.setdefault((*words, *numbers), []).append(row)
    return [_group(list(same), results, findings) for same in groups.values()]


def _group(same: list[Row], results: Mapping[str, Outcome], findings: Mapping[str, Reporting]) -> Row:
    row = same[0]
    artefacts = sorted({member["artefact"] for member in same} - {""})
    entry: Row = {name: row[name] for name in COLUMNS if name in row}
    entry |= {"place": row.get("place", ""), "arms": len(same) if artefacts else 0, "artefacts": " ".join(artefacts)}
    entry["rho_paper"] = "" if row["rho_paper"] in ("inf", "") else row["rho_paper"]
    if not row["request"]:
        return entry | {"verdict": UNAUDITED, "pair": "", "description": row["why_not"]}
    entry |= ledger_columns(row, results) | _shown(row, results[row["request"]])
    report = findings.get(entry["pair"], Reporting(""))
    exceeded = entry["verdict"] in (VIOLATED, EXCEEDS)
    if entry["verdict"] == VIOLATED and artefacts:
        entry["verdict"] = report.verdict
    return entry | {"finding": (row.get("finding") or report.finding) if exceeded else ""}


def _shown(row: Row, outcome: Outcome) -> Row:
    scores, delta = outcome.scores, float(row["delta"])
    exact = {"eps": outcome.attack.exact_epsilon(delta), "mu": outcome.attack.mu, "rho": outcome.attack.cost}
    return {
        **{f"{name}_attained": "" if value is None else value for name, value in exact.items()},
        "eps_any_law_low": scores.epsilon_low(delta), "mu_low": scores.mu_low(), "rho_low": scores.rho_low(),
        "verdict": verdict(row, outcome), "description": outcome.attack.pair,
    }  # fmt: skip


def verdict(row: Row, outcome: Outcome) -> str:
    """Verdict of an audit on one arm or statement, by bounds at 99.99 % or the exact values of its pair."""
    tried = outcome.attack
    epsilon = max(outcome.epsilon(row, SURE), _exactly(tried.exact_epsilon(float(row["delta"]))))
    if row["eps_tight"] != "" and epsilon > float(row["eps_tight"]):
        return EXCEEDS
    # Valid for outputs of any law, because mu-Gaussian-DP excludes such error rates.
    if row["guarantee"] == "proved" and row["mu"] != "" and outcome.scores.mu_low(SURE) > float(row["mu"]):
        return EXCEEDS
    claims = [(epsilon, row["eps_paper"]), (max(outcome.scores.rho_low(SURE), _exactly(tried.cost)), row["rho_paper"])]
    claims = [(low, float(claim)) for low, claim in claims if claim not in ("", "inf")]
    if any(low > claim for low, claim in claims):
        return VIOLATED
    if row["eps_tight"] != "":
        return WITHIN
    return NOT_VIOLATED if claims else UNCLAIMED


def _exactly(value: float | None) -> float:
    """Computed value minus the rounding error that it may have; 0 for None."""
    return 0.0 if value is None else value * (1.0 - ROUNDING)


def _number(text: Any) -> Any:
    return text if text == "" else rounded(float(text))
