"""Inventories of what the papers state: well formed, and what they name as judging a statement exists and can fail."""

from pathlib import Path

import pytest

from dpdescent.replication.build.files import read_rows
from dpdescent.replication.configuration.values import read_yaml
from dpdescent.replication.report import statements

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results/paper"
# A paper may have no inventory.
PAPERS = sorted(file.stem for file in (ROOT / "docs/statements").glob("*.csv"))
ROW = {
    "location": "Sec. 1", "kind": "trend", "statement": "It grows.", "weight": "2", "covered_by": "", "why_not": "",
}  # fmt: skip


def inventory(paper: str) -> list[dict[str, str]]:
    return read_rows(ROOT / f"docs/statements/{paper}.csv")


@pytest.mark.parametrize("paper", PAPERS)
def test_rows_are_well_formed(paper: str) -> None:
    rows = inventory(paper)
    assert len(rows) >= 150
    assert len({(row["location"], row["statement"]) for row in rows}) == len(rows)
    for row in rows:
        assert tuple(row) == statements.COLUMNS
        assert row["kind"] in statements.KINDS, row
        assert row["weight"] in statements.WEIGHTS, row
        assert statements.state(row) in statements.STATES, row
        assert len(row["statement"].split()) <= 35, row
        assert row["covered_by"] or row["why_not"].partition(":")[2].strip(), row
        assert not row["covered_by"] or row["why_not"].startswith(("open:", "out of reach:")) or not row["why_not"], row


def known(paper: str) -> dict[str, set[str]]:
    """Names by kind that may judge a statement: of claims and bounds, those that can fail.

    Of identities these are comparisons of printed formulas, `(algebra)`, because they find errors of a paper.
    """
    claims = [row for row in read_rows(RESULTS / "claims.csv") if row["paper"] == paper]
    findings = [row for row in read_rows(RESULTS / "findings.csv") if row["paper"] == paper]
    requested = [row for row in read_rows(RESULTS / "on_request/claims.csv") if row["paper"] == paper]
    return {
        "claim": {row["claim"] for row in claims if _can_fail(row)},
        "bound": {row["bound"] for row in read_rows(RESULTS / paper / "bounds.csv") if row["holds"]},
        "finding": {row["finding"] for row in findings},
        "on request": {row["claim"] for row in requested if _can_fail(row)},
        "artefact": set(read_yaml(ROOT / f"config/papers/{paper}.yaml")["artefacts"]),
    }


def _can_fail(row: dict[str, str]) -> bool:
    compares = row["source"] != "identity" or row["statement"].startswith("(algebra)")
    return compares and row["verdict"] != "not testable"


@pytest.mark.parametrize("paper", PAPERS)
def test_what_judges_a_statement_exists_and_can_fail(paper: str) -> None:
    exists = known(paper)
    audited = (RESULTS / "audit.csv").read_text(encoding="utf-8")
    missing = [
        (row["location"], kind, name)
        for row in inventory(paper)
        for kind, name in statements.names(row)
        if (name not in audited if kind == "audit" else name not in exists[kind])
    ]
    assert missing == []


def test_links_lead_into_the_report() -> None:
    row = {**ROW, "covered_by": "fig03-low; on request:net; bound:lambda; finding:slip; audit:gradient flips sign"}
    assert statements.links("p1", row) == [
        ("fig03-low", "claims.html#claim-p1-fig03-low"), ("on request net", "on-request.html#claim-p1-net"),
        ("bound lambda", "bounds.html?paper=p1&q=lambda"),
        ("finding slip", "findings.html#finding-p1-slip"), ("audit gradient flips sign", "privacy.html#audits"),
    ]  # fmt: skip


def test_coverage_is_a_share_of_weight_without_what_cannot_be_judged(tmp_path: Path) -> None:
    def rated(state: str, weight: str) -> dict[str, str]:
        return {"state": state, "weight": weight}

    rows = [rated("judged", "3"), rated("judged in part", "1"), rated("open", "3"), rated("out of reach", "1")]
    assert statements.coverage(rows) == 0.5
    assert statements.coverage([*rows, rated("opinion", "3"), rated("by construction", "3")]) == 0.5
    assert statements.coverage([]) == 0.0


@pytest.mark.parametrize(
    ("covered_by", "why_not", "state"),
    [
        ("c1", "", "judged"), ("c1", "open: in part", "judged in part"), ("", "open: a run", "open"),
        ("", "literature: cited", "literature"),
    ],
)  # fmt: skip
def test_state_of_a_statement(covered_by: str, why_not: str, state: str) -> None:
    assert statements.state({**ROW, "covered_by": covered_by, "why_not": why_not}) == state
