"""What an audit says of an arm: shared runs, the right bound for each kind of claim, verdicts at 99.99 %."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpdescent.privacy.accounting import tight_epsilon
from dpdescent.privacy.audit.attack import Attack, Scores
from dpdescent.privacy.events import GaussianReleases, Mechanism
from dpdescent.replication.build.files import read_rows
from dpdescent.replication.drawing import audit_figure, figures
from dpdescent.replication.ledger import audits, verdicts
from dpdescent.replication.ledger.requests import NotAudited, Request, Statement
from dpdescent.replication.report import summary

DELTA = 1e-3
ARM: dict[str, Any] = {
    "paper": "p1", "artefact": "fig01", "mechanism": "DP-GD", "relation": "replace-one", "sampler": "full batch",
    "guarantee": "proved", "delta": str(DELTA), "eps_paper": "", "eps_tight": "", "mu": "", "rho_paper": "inf",
    "request": "", "why_not": "",
}  # fmt: skip
EVENT = Mechanism("DP-GD", (GaussianReleases("mean", 1.0, 2.0, 1),), "replace-one", "full batch", 0.125, "proved", "so")


def shifted(mu: float) -> Attack:
    def simulate(runs: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        return rng.standard_normal(runs), mu + rng.standard_normal(runs)

    return Attack("a shift", simulate, mu=mu)


def outcome(mu: float, runs: int = 20_000) -> audits.Outcome:
    attack = shifted(mu)
    first, second = attack.simulate(runs, np.random.default_rng(5))
    both = np.stack([first, second])
    return audits.Outcome(attack, Scores(both[:, : runs // 5], both[:, runs // 5 :]))


def with_mu(mu: float, **changes: Any) -> dict[str, Any]:
    return ARM | {"mu": str(mu), "eps_tight": str(tight_epsilon(0.5 * mu**2, DELTA))} | changes


def test_an_arm_asks_by_its_request_or_says_why_not() -> None:
    request = Request("shift", {"mu": 0.5, "T": 3})
    assert audits.request_columns(request, EVENT) == {"rho_paper": 0.125, "request": request.json(), "why_not": ""}
    assert audits.request_columns(NotAudited("no noise"), EVENT) == {
        "rho_paper": 0.125,
        "request": "",
        "why_not": "no noise",
    }
    assert Request.parse(request.json()) == request


def test_equal_requests_share_their_runs_and_no_stream_hangs_on_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    built: list[float] = []

    def counted(mu: float) -> Attack:
        built.append(mu)
        return shifted(mu)

    texts = [Request("shift", {"mu": mu}).json() for mu in (0.5, 1.0)]
    rows = [ARM | {"request": text} for text in (*texts, *texts, "")]
    found = audits.outcomes("p1", rows, {"shift": counted}, 1000, 7)
    assert sorted(built) == [0.5, 1.0]
    assert capsys.readouterr().out.count("of 2: ") == 2
    alone = audits.outcomes("p1", [rows[1]], {"shift": counted}, 1000, 7)
    assert (alone[texts[1]].scores.tested == found[texts[1]].scores.tested).all()
    other = audits.outcomes("p1", [rows[1]], {"shift": counted}, 1000, 8)
    assert (other[texts[1]].scores.tested != found[texts[1]].scores.tested).all()


def test_a_gaussian_composition_is_bounded_by_mu_and_other_laws_without_it() -> None:
    found = outcome(1.0)
    by_mu, by_any = found.epsilon(with_mu(1.0)), found.epsilon(ARM)
    assert by_mu == tight_epsilon(0.5 * found.scores.mu_low() ** 2, DELTA)
    assert by_any == found.scores.epsilon_low(DELTA)
    assert by_any < by_mu < tight_epsilon(0.5, DELTA)


@pytest.mark.parametrize(
    ("row", "attained", "expected"),
    [
        (with_mu(1.0), 1.0, verdicts.WITHIN),
        (with_mu(1.0), 1.2, verdicts.EXCEEDS),
        (with_mu(1.0, eps_paper="9"), 1.0, verdicts.WITHIN),
        (with_mu(3.0, eps_paper="0.1"), 1.0, verdicts.VIOLATED),
        (ARM | {"guarantee": "none", "eps_paper": "0.5"}, 3.0, verdicts.VIOLATED),
        (ARM | {"guarantee": "none", "eps_paper": "0.5"}, 0.1, verdicts.NOT_VIOLATED),
        # Epsilon cannot show it with so few runs, the zCDP budget can.
        (ARM | {"guarantee": "none", "eps_paper": "50", "rho_paper": "0.5"}, 3.0, verdicts.VIOLATED),
        (ARM | {"guarantee": "none", "eps_paper": "50", "rho_paper": "4.6"}, 3.0, verdicts.NOT_VIOLATED),
        (ARM | {"guarantee": "none"}, 3.0, verdicts.UNCLAIMED),
    ],
)
def test_verdicts(row: dict[str, Any], attained: float, expected: str) -> None:
    assert audits.verdict(row, outcome(attained)) == expected


def test_what_a_pair_attains_exactly_counts_where_runs_cannot_show_it() -> None:
    strong = outcome(40.0)
    arm = ARM | {"guarantee": "none", "rho_paper": "20", "eps_paper": "53.2"}
    assert strong.scores.rho_low() < 20
    assert audits.verdict(arm, strong) == verdicts.VIOLATED
    assert audits.verdict(arm | {"rho_paper": "801", "eps_paper": "1e4"}, strong) == verdicts.NOT_VIOLATED
    unknown = audits.Outcome(Attack("a shift", strong.attack.simulate), strong.scores)
    assert audits.verdict(arm, unknown) == verdicts.NOT_VIOLATED
    # Equal up to rounding is no violation.
    assert (
        audits.verdict(with_mu(1.0, eps_tight=str(tight_epsilon(0.5, DELTA) * (1 - 1e-9))), outcome(1.0))
        == verdicts.WITHIN
    )


def test_a_refuted_row_names_its_finding_and_no_other_does() -> None:
    rows = table()
    assert [row.get("finding", "") for row in rows] == ["", "", "f1"]
    broken = Statement(
        "Thm 2", "DP-GD", "zero-out", "fixed size", 0.1, DELTA, Request("shift", {"mu": 1.0}), finding="f2"
    )
    (row,) = audits.table(
        [audits.statement_row("p1", broken)], {broken.request.json(): outcome(1.0)}, {"shift": verdicts.Reporting("f1")}
    )
    assert row["finding"] == "f2"


def test_verdicts_hang_on_the_surer_bound() -> None:
    # The pair says less of itself than its runs show, so that they decide.
    found = audits.Outcome(shifted(0.1), outcome(1.0).scores)
    shown, sure = (found.epsilon(with_mu(1.0), confidence) for confidence in (0.95, 0.9999))
    between = 0.5 * (shown + sure)
    assert sure < between < shown
    assert audits.verdict(with_mu(1.0, eps_tight=str(between)), found) == verdicts.WITHIN
    assert audits.verdict(with_mu(1.0, eps_tight=str(0.99 * sure)), found) == verdicts.EXCEEDS


def test_error_rates_that_no_mu_allows_refute_an_account_whatever_the_law() -> None:
    found = audits.Outcome(Attack("a shift", shifted(1.0).simulate), outcome(1.0).scores)
    assert found.epsilon(with_mu(1.0)) == found.scores.epsilon_low(DELTA)
    refuted = 0.5 * (found.scores.mu_low(0.9999) + found.scores.mu_low())
    assert audits.verdict(with_mu(1.0), found) == verdicts.WITHIN
    assert audits.verdict(with_mu(1.0) | {"mu": str(refuted)}, found) == verdicts.WITHIN
    assert audits.verdict(with_mu(1.0) | {"mu": str(0.99 * found.scores.mu_low(0.9999))}, found) == verdicts.EXCEEDS


def test_arms_that_differ_in_last_bits_only_are_one_row_and_others_are_not() -> None:
    request = Request("shift", {"mu": 1.0}).json()
    rows = [with_mu(mu, request=request, artefact=name) for mu, name in ((1.0, "fig02"), (1.0 + 1e-14, "fig01"))]
    other = {"delta": "1e-06", "eps_tight": str(tight_epsilon(0.5, 1e-6))}
    rows += [with_mu(1.0, request=request, **other), ARM | {"why_not": "no noise"}]
    table = audits.table(rows, {request: outcome(1.0)}, {})
    assert [(row["arms"], row["artefacts"]) for row in table] == [(2, "fig01 fig02"), (1, "fig01"), (1, "fig01")]
    assert [row["verdict"] for row in table] == [verdicts.WITHIN, verdicts.WITHIN, verdicts.UNAUDITED]
    assert table[0]["eps_attained"] == tight_epsilon(0.5, DELTA) < table[1]["eps_attained"]
    assert (table[2]["description"], table[2]["pair"]) == ("no noise", "")
    assert all(set(row) <= set(audits.COLUMNS) for row in table)


def test_a_statement_stands_beside_the_arms() -> None:
    request = Request("shift", {"mu": 2.0})
    statement = Statement("Theorem 1", "DP-GD", "zero-out", "fixed size", 0.5, DELTA, request)
    (row,) = audits.table([audits.statement_row("p1", statement)], {request.json(): outcome(2.0)}, {})
    assert (row["arms"], row["place"], row["guarantee"]) == (0, "Theorem 1", "as published")
    assert row["verdict"] == verdicts.VIOLATED
    assert row["eps_audit_low"] == row["eps_any_law_low"] > 0.5


@pytest.mark.parametrize(
    ("told", "verdict"),
    [
        ({}, verdicts.VIOLATED), ({"shift": verdicts.Reporting("slip")}, verdicts.VIOLATED),
        ({"shift": verdicts.Reporting("slip", verdicts.BASELINE)}, verdicts.BASELINE),
        ({"shift": verdicts.Reporting("slip", verdicts.UNCOVERED)}, verdicts.UNCOVERED),
    ],
)  # fmt: skip
def test_what_is_exceeded_may_be_no_claim_of_the_paper(told: dict[str, verdicts.Reporting], verdict: str) -> None:
    request = Request("shift", {"mu": 3.0}).json()
    arm = ARM | {"guarantee": "none", "eps_paper": "0.5", "request": request}
    (row,) = audits.table([arm], {request: outcome(3.0)}, told)
    assert (row["verdict"], row["finding"]) == (verdict, "slip" if told else "")
    (within,) = audits.table([arm | {"eps_paper": "50"}], {request: outcome(0.1)}, told)
    assert (within["verdict"], within["finding"]) == (verdicts.NOT_VIOLATED, "")


def test_an_arm_without_an_audit_has_blanks_in_the_ledger() -> None:
    assert audits.ledger_columns(ARM, {}) == {"eps_audit_low": "", "audit_runs": "", "pair": ""}
    request = Request("shift", {"mu": 1.0}).json()
    filled = audits.ledger_columns(with_mu(1.0, request=request), {request: outcome(1.0)})
    assert (filled["pair"], filled["audit_runs"]) == ("shift", 16_000)
    assert filled["eps_audit_low"] < tight_epsilon(0.5, DELTA)


def table() -> list[dict[str, Any]]:
    request = Request("shift", {"mu": 1.0}).json()
    rows = [with_mu(1.0, request=request), ARM | {"why_not": "no noise", "mechanism": "OLS"}]
    # With a lower bound of its own above the claim.
    broken = Statement("Theorem 1", "DP-GD", "zero-out", "fixed size", 0.1, DELTA, Request("shift", {"mu": 1.0}))
    return audits.table(
        [*rows, rows[1], audits.statement_row("p1", broken)],
        {request: outcome(1.0)},
        {"shift": verdicts.Reporting("f1")},
    )


def test_page_counts_arms_and_statements_and_writes_out_what_is_refuted() -> None:
    rows = [{name: str(value) for name, value in row.items()} for row in table()]
    lines = summary.audit_counts(rows, ["p1", "p2"]).splitlines()
    assert lines[2:] == [
        "| `p1` | 1 | 0 | 0 + 1 | 0 | 0 | 0 | 0 | 2 |", "| `p2` | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |",
    ]  # fmt: skip
    refuted = summary.refuted(rows)
    assert refuted.startswith("- **Theorem 1** (`p1`, zero-out, fixed size): epsilon claimed 0.1, epsilon at least ")
    assert "a shift" in refuted
    assert "Gaussian" not in refuted
    gaussian = summary.refuted([row | {"mu": "0.9"} for row in rows])
    any_law = f"({float(rows[-1]['eps_any_law_low']):.3g} for any law)"
    assert f"for Gaussian outputs {any_law}" in gaussian
    assert summary.refuted(rows[:2]) == "No claim and no account is refuted."


def test_figure_shows_every_audited_row_and_marks_the_refuted() -> None:
    figures.use_style()
    frame = pd.DataFrame([{name: row.get(name, "") for name in audits.COLUMNS} for row in table()])
    frame = frame.replace("", math.nan)
    figure = audit_figure.draw(frame)
    (panel,) = figure.axes
    lines = {str(line.get_label()): line for line in panel.lines if line.get_linestyle() == "None"}
    assert len(lines["lower bound of the audit (95 %)"].get_xdata()) == 2
    assert len(lines["claim refuted"].get_xdata()) == 1
    assert [label.get_text() for label in panel.get_yticklabels()] == [
        "DP-GD", audit_figure.STATEMENTS,
    ]  # fmt: skip


PAPER = Path(__file__).resolve().parents[2] / "results/paper"


def test_committed_audit_refutes_no_account_of_ours_and_covers_every_arm() -> None:
    rows, arms = read_rows(PAPER / "audit.csv"), read_rows(PAPER / "privacy.csv")
    assert not [row for row in rows if row["verdict"] == verdicts.EXCEEDS]
    proved = [row for row in rows if row["guarantee"] == "proved" and row["eps_tight"] and row["pair"]]
    assert len(proved) > 100
    assert {row["verdict"] for row in proved} == {verdicts.WITHIN}
    for paper in {arm["paper"] for arm in arms}:
        counted = sum(int(row["arms"]) for row in rows if row["paper"] == paper)
        assert counted == sum(arm["paper"] == paper for arm in arms)
    assert all(row["description"] for row in rows)
    assert all((row["verdict"] == verdicts.UNAUDITED) is (row["pair"] == "") for row in rows)


def test_committed_refutations_are_findings_of_kind_privacy() -> None:
    """Or cosmetic ones about the text, where a printed range is what an attack refutes."""
    findings = {row["finding"]: row for row in read_rows(PAPER / "findings.csv")}
    refuted = [row for row in read_rows(PAPER / "audit.csv") if row["verdict"] == verdicts.VIOLATED]
    assert all(findings[row["finding"]]["paper"] == row["paper"] for row in refuted)
    told = {(findings[row["finding"]]["kind"], findings[row["finding"]]["severity"]) for row in refuted}
    assert {kind for kind, severity in told if severity != "cosmetic"} == {"privacy"}
    assert told <= {("privacy", "high"), ("privacy", "medium"), ("text", "cosmetic")}
    # What a public code does with its budget is no paper's guarantee.
    milder = {row["finding"] for row in refuted if findings[row["finding"]]["severity"] == "medium"}
    assert {findings[name]["paper"] for name in milder} == {"ours"}
    assert {"release-beta-only", "theorem-f.8-sampling", "theorem-d.9-renyi"} <= {row["finding"] for row in refuted}
