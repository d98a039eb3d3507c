"""The README's first screen: its numbers are those of the result files."""

import pytest

from dpdescent.replication.ledger.verdicts import EXCEEDS, UNAUDITED, VIOLATED, WITHIN
from dpdescent.replication.report import front

ABOUT = {
    "p1": {"title": "On noise", "authors": "Ada B. Lovelace, C. D. Babbage, Other One", "year": 2024, "arxiv": "1"},
    "p2": {"title": "On sums", "authors": "One Two (X), Three Four", "year": 2025, "arxiv": "2"},
    "ours": {"title": "Beyond", "authors": "us", "year": 2026},
}


def claims(**counts: int) -> list[dict[str, str]]:
    """Claims of p1 by verdict, and one of each verdict that is not the paper's."""
    own = [verdict.replace("_", " ") for verdict, count in counts.items() for _ in range(count)]
    rows = [{"paper": "p1", "claim": "c", "source": "paper", "verdict": verdict, "why": ""} for verdict in own]
    return [*rows, {**rows[0], "source": "ours"}, {**rows[0], "source": "identity"}]


def test_the_answer_counts_the_papers_own_claims_attacked_runs_and_errors_that_are_no_slips() -> None:
    judged = claims(reproduced=3, not_reproduced=2, inconclusive=1, not_testable=4)
    judged[5]["why"] = "unstated value decides"
    arms = {WITHIN: "1000", EXCEEDS: "0", VIOLATED: "7", UNAUDITED: "50"}
    audit = [{"verdict": verdict, "arms": count} for verdict, count in arms.items()]
    findings = [
        {"paper": "p1", "kind": "text", "status": status, "severity": severity}
        for status in ("confirmed", "question") for severity in ("high", "medium", "low", "cosmetic")
    ]  # fmt: skip
    findings += [findings[2] | {"kind": "unstated"}] * 4 + [findings[1] | {"paper": "ours"}] * 5
    told = front.answer(judged, [{"guarantee": "proved"}] * 3 + [{"guarantee": "none"}], audit, findings, ABOUT)
    for part in ("**10 claims** of 1 papers", "**3 hold, 2 fail**, 1 stay open (1 because", "4 no computation",
                 "**4 private runs** accounted for, 3 with a proof", "1,007 attacked: none beyond what is proved",
                 "**7 beyond what their paper claims**", "**3 confirmed errors** of the papers: 1 of high",
                 "4 values that are needed", "5 errors in public code"):  # fmt: skip
        assert part in told
    audit[1]["arms"] = "2"
    assert "1,009 attacked: 2 beyond" in front.answer(judged, [], audit, findings, ABOUT)


def test_the_caption_has_the_numbers_of_its_claim() -> None:
    row = {"paper": "p1", "claim": "slope", "measured": "-1.2345", "low": "-1.3", "high": "-1.1"}
    text = "slope {measured}, from {low} to {high}"
    told = front.caption([{**row, "claim": "another"}, row], ("p1", "slope"), text)
    assert told == "slope -1.234, from -1.300 to -1.100"
    with pytest.raises(ValueError, match="not enough values"):
        front.caption([], ("p1", "slope"), text)


def test_papers_tell_their_own_figures_from_ours_and_leave_us_out() -> None:
    places = {
        "p1": ["Figure 1", "Table 2, App. C.5, designed here", "Figure 4(a), analogue", "Sec. 2"],
        "p2": ["Lemma 1 (designed here)"], "ours": ["Sec. 1"],
    }  # fmt: skip
    first, second = front.papers(claims(reproduced=2, inconclusive=1), ABOUT, places).splitlines()[2:]
    assert (
        first == "| [Lovelace et al. 2024](results/paper/report/p1.html), *On noise*, arXiv 1 | 2 + 2 | 2 | 0 | 1 | 0 |"
    )
    assert second.startswith("| [Two and Four 2025](")
    assert second.endswith("| 0 + 1 | 0 | 0 | 0 | 0 |")


def test_the_gravest_finding_of_each_paper_says_its_subject_first() -> None:
    finding = {"paper": "p1", "location": "Lemma 1", "headline": "It costs 8.5 instead of 1.", "finding": "f1"}
    rows = [
        finding,
        {**finding, "finding": "f2"},
        {**finding, "paper": "ours"},
        {**finding, "paper": "p2", "headline": ""},
    ]
    assert front.gravest(rows, ABOUT) == (
        "- **Lovelace et al. 2024, Lemma 1**: It costs 8.5 instead of 1."
        " [Why](results/paper/report/findings.html#finding-p1-f1)\n"
        "- **Two and Four 2025**: none of medium or high severity."
    )
