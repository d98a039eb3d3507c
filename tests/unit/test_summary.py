"""The page of verdicts and the blocks of the README: what they say is what the result files say."""

from pathlib import Path

import pytest

from dpdescent.replication.build.files import write_rows
from dpdescent.replication.judging import records
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.statistics import exactly
from dpdescent.replication.ledger import audits
from dpdescent.replication.report import summary

CLAIM = {
    "claim": "c1", "paper": "p1", "artefact": "fig01", "location": "Sec. 4", "statement": "error falls | fast",
    "quantity": "slope", "measured": "-0.51234", "low": "-0.61", "high": "-0.4", "criterion": "at most -0.4",
    "verdict": "reproduced", "why": "", "source": "paper", "note": "",
}  # fmt: skip
FINDING = {
    "finding": "f1", "paper": "p1", "location": "Prop. 3.1", "kind": "privacy", "statement": "noise is needed",
    "expected": "1", "measured": "1.41", "severity": "low", "status": "confirmed", "charitable_reading": "none",
    "artefact": "fig01", "headline": "", "why": "half of the noise is enough", "repair": "",
}  # fmt: skip


def test_fill_replaces_what_stands_between_markers_and_nothing_else() -> None:
    text = "before\n<!-- a -->\nold\nlines\n<!-- end a -->\nbetween\n<!-- b -->\n<!-- end b -->\nafter\n"
    filled = summary.fill(text, {"a": "new", "b": r"with \1 and \g<0>"})
    assert filled == (
        "before\n<!-- a -->\nnew\n<!-- end a -->\nbetween\n<!-- b -->\nwith \\1 and \\g<0>\n<!-- end b -->\nafter\n"
    )
    assert summary.fill(filled, {"a": "new", "b": r"with \1 and \g<0>"}) == filled


def test_fill_refuses_a_text_without_the_markers() -> None:
    with pytest.raises(ValueError, match="the markers of block 'c' are missing"):
        summary.fill("<!-- c -->\nno end\n", {"c": "x"})


def test_table_is_a_pipe_table_with_escaped_pipes() -> None:
    assert summary.table(["a", "b"], [["1", "x|y"], ["2", ""]]) == "| a | b |\n|---|---|\n| 1 | x\\|y |\n| 2 |  |"


def test_scorecard_counts_the_papers_own_claims_and_shows_others_apart() -> None:
    verdicts = ["reproduced", "reproduced", "inconclusive", "not testable"]
    claims = [{**CLAIM, "verdict": verdict} for verdict in verdicts] + [{**CLAIM, "paper": "p2"}]
    claims += [
        {**CLAIM, "source": source, "verdict": verdict} for source in ("ours", "identity") for verdict in verdicts
    ]
    claims += [{**CLAIM, "source": "analogue", "verdict": "not reproduced"}]
    lines = summary.scorecard(claims, ["p1", "p2"]).splitlines()
    assert lines[0] == (
        "| paper | reproduced | not reproduced | inconclusive | not testable | in all | added by us | analogues "
        "| identities |"
    )
    assert lines[2:] == [
        "| `p1` | 2 | 0 | 1 | 1 | 4 | 2 of 4 | 0 of 1 | 2 of 4 |",
        "| `p2` | 1 | 0 | 0 | 0 | 1 | 0 | 0 | 0 |",
    ]


def test_claims_that_a_miss_would_have_left_open_are_counted_beside_those_that_are_reproduced() -> None:
    """As judging marks them; other verdicts, sources and claims at risk do not count."""
    texts = {name: CLAIM[name] for name in ("artefact", "location", "statement", "quantity")}
    kept = dict[str, str]()
    for name, regime in (("hidden", records.HIDDEN), ("at risk", records.INSIDE)):
        judged = records.claim(
            "p1", id=name, kind="theorem", source="paper", **texts, measured=exactly(1.0), criterion=at_most(2.0),
            regime=regime, note="why",
        )  # fmt: skip
        kept[name] = judged.note
    claims = [
        {**CLAIM, "note": kept["hidden"]}, {**CLAIM, "note": kept["at risk"]}, {**CLAIM, "paper": "p2"},
        {**CLAIM, "note": kept["hidden"], "verdict": "inconclusive"},
        {**CLAIM, "note": kept["hidden"], "source": "ours"},
    ]  # fmt: skip
    assert "that are reproduced 1 could not" in summary.counts_never_at_risk(claims, ["p1", "p2"])
    assert summary.counts_never_at_risk(claims, ["p1", "p2"]).endswith("inconclusive: 1 of `p1`.")
    assert summary.counts_never_at_risk(claims[1:], ["p1"]).endswith("counted as inconclusive.")


def test_reasons_are_counted_of_the_papers_own_claims() -> None:
    claims = [
        {**CLAIM, "verdict": "inconclusive", "why": "interval"},
        {**CLAIM, "verdict": "inconclusive", "why": "interval", "source": "ours"},
        {**CLAIM, "verdict": "not testable", "why": "literature"}, CLAIM,
    ]  # fmt: skip
    counts = summary.reason_counts(claims, "p1")
    assert {reason: count for reason, count in counts.items() if count} == {"interval": 1, "literature": 1}
    head, _, row = summary.reasons(claims, ["p1"]).splitlines()
    assert head.split(" | ")[1:] == [*[*counts][:-1], f"{[*counts][-1]} |"]
    assert row.split(" | ")[0] == "| `p1`"


def test_a_verdict_says_why_it_is_open_and_whose_claim_it_is() -> None:
    claims = [CLAIM, {**CLAIM, "verdict": "inconclusive", "why": "hidden constant", "source": "ours"}]
    _, _, first, second = summary.claims_table(claims).splitlines()
    assert first.startswith("| reproduced | Sec. 4")
    assert second.startswith("| inconclusive: hidden constant (ours) | Sec. 4")


def test_claims_show_estimate_interval_and_criterion() -> None:
    exact = {**CLAIM, "measured": "2", "low": "2", "high": "2"}
    nothing = {**CLAIM, "measured": "", "low": "", "high": "", "verdict": "not testable"}
    lines = summary.claims_table([CLAIM, exact, nothing]).splitlines()
    assert "-0.512 [-0.61, -0.4]" in lines[2]
    assert r"error falls \| fast" in lines[2]
    assert "| 2 |" in lines[3]
    assert "| slope |  | at most" in lines[4]


def test_findings_stand_with_their_charitable_reading() -> None:
    text = summary.findings_list([FINDING])
    assert text.startswith("- **f1** (`p1`, Prop. 3.1; privacy, severity low, confirmed).")
    assert "Why: half of the noise is enough. Charitable reading: none." in text
    assert "Repair" not in text
    # Findings of several papers stand in one list of the README.
    listed = summary.findings_list([FINDING, {**FINDING, "finding": "f2", "paper": "p2"}]).splitlines()
    assert [line.split("`")[1] for line in listed] == ["p1", "p2"]


def test_page_has_every_paper_and_artefact(tmp_path: Path) -> None:
    write_rows(tmp_path / "claims.csv", list(CLAIM), [CLAIM])
    write_rows(tmp_path / "findings.csv", list(FINDING), [FINDING])
    write_rows(tmp_path / "audit.csv", audits.COLUMNS, [])
    page = summary.page(tmp_path, {"p1": {"fig01": "A figure", "table_x": "A table"}, "p2": {"fig09": "Another"}})
    for piece in ("## p1", "## p2", "![A figure](p1/fig01.svg)", "(p1/table_x.tex)", "![Another](p2/fig09.svg)"):
        assert piece in page
    assert "**f1**" in page
    assert "p1/table_x.svg" not in page
