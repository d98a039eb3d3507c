"""The README's first screen, from the result files: the answer in numbers, the papers, the gravest findings."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dpdescent.replication.ledger.verdicts import EXCEEDS, UNAUDITED, VIOLATED
from dpdescent.replication.report import summary
from dpdescent.replication.report.citation import called
from dpdescent.replication.report.wording import VERDICTS, slug

Row = dict[str, str]

# A place that is a figure or table of the paper, also where other data stand in for the paper's.
OWN_PLACE = re.compile(r"(Figure|Table) \d(?!.*designed here)")
REPORT = "results/paper/report"


def answer(
    claims: Sequence[Row], privacy: Sequence[Row], audit: Sequence[Row], findings: Sequence[Row],
    papers: Mapping[str, Any],
) -> str:  # fmt: skip
    """Table of three rows: how many claims hold, how many guarantees were attacked, how many errors are confirmed.

    Args:
        claims: rows of claims.csv.
        privacy: rows of privacy.csv, one for each private run of a figure or table.
        audit: rows of audit.csv, one for each mechanism, with its number of runs.
        findings: rows of findings.csv.
        papers: what is known of each paper by key, with `arxiv` where it is a paper of others.
    """
    own = [row for row in claims if row["source"] == "paper"]
    count = Counter(row["verdict"] for row in own)
    unstated = sum(row["why"] == "unstated value decides" for row in own)
    arms: Counter[str] = Counter()
    for row in audit:
        arms[row["verdict"]] += int(row["arms"])
    proved = sum(row["guarantee"] == "proved" for row in privacy)
    # Slips of no consequence are findings too, but nobody calls a misprint an error, nor a value that is left out.
    confirmed = [row for row in findings if row["status"] == "confirmed" and row["severity"] != "cosmetic"]
    errors = [row for row in confirmed if "arxiv" in papers[row["paper"]] and row["kind"] != "unstated"]
    left_out = sum(row["kind"] == "unstated" for row in confirmed)
    of_code = len(confirmed) - len(errors) - left_out
    severity = Counter(row["severity"] for row in errors)
    return summary.table(
        ["what", "what comes of it"],
        [
            [
                f"**{len(own)} claims** of {len({row['paper'] for row in own})} papers",
                f"**{count['reproduced']} hold, {count['not reproduced']} fail**, {count['inconclusive']} stay open"
                f" ({unstated} because a value or a meaning that the paper leaves open decides),"
                f" and {count['not testable']} no computation can test",
            ],
            [
                f"**{len(privacy):,} private runs** accounted for, {proved:,} with a proof",
                f"{arms.total() - arms[UNAUDITED]:,} attacked: {arms[EXCEEDS] or 'none'} beyond what is proved,"
                f" **{arms[VIOLATED]} beyond what their paper claims**",
            ],
            [
                f"**{len(errors)} confirmed errors** of the papers: {severity['high']} of high severity,"
                f" {severity['medium']} of medium, {severity['low']} of low",
                f"each with a counterexample and the reading under which the paper is right; besides, {left_out} values"
                f" that are needed and not stated, and {of_code} errors in public code of others. From medium severity"
                " on: [a letter to the authors, and a script](results/paper/letters)",
            ],
        ],
    )


def caption(claims: Sequence[Row], shown: tuple[str, str], text: str) -> str:
    """Caption of the README's picture, its result first.

    Args:
        claims: rows of claims.csv.
        shown: paper and name of the claim that the picture shows.
        text: the caption, with `{measured}`, `{low}` and `{high}` where that claim's numbers stand.
    """
    (claim,) = (row for row in claims if (row["paper"], row["claim"]) == shown)
    return text.format(**{column: f"{float(claim[column]):.3f}" for column in ("measured", "low", "high")})


def papers(claims: Sequence[Row], papers: Mapping[str, Any], places: Mapping[str, Sequence[str]]) -> str:
    """Table of the papers: name, title, figures and tables, and their own claims by verdict.

    Args:
        claims: rows of claims.csv.
        papers: what is known of each paper by key, with `arxiv` where it is a paper of others.
        places: by key, the place of each of its figures and tables.
    """
    rows = []
    for key, about in papers.items():
        if "arxiv" in about:
            own, all_places = summary.verdict_counts(claims, key)["paper"], places[key]
            theirs = sum(OWN_PLACE.match(place) is not None for place in all_places)
            figures = f"{theirs} + {len(all_places) - theirs}"
            title = f"[{called(about)}]({REPORT}/{key}.html), *{about['title']}*, arXiv {about['arxiv']}"
            rows.append([title, figures, *(str(own[verdict]) for verdict in VERDICTS)])
    heads = ["paper", "figures and tables: its own + our design", "hold", "fail", "open", "not testable"]
    return summary.table(heads, rows)


def gravest(findings: Sequence[Row], papers: Mapping[str, Any]) -> str:
    """The gravest finding of each paper, one per line, subject first, and who has none of weight.

    Args:
        findings: rows of findings.csv in their order of gravity.
        papers: what is known of each paper by key, with `arxiv` where it is a paper of others.
    """
    first: dict[str, Row] = {}
    for row in findings:
        if row["headline"] and "arxiv" in papers[row["paper"]]:
            first.setdefault(row["paper"], row)
    without = [called(about) for key, about in papers.items() if "arxiv" in about and key not in first]
    lines = [
        f"- **{called(papers[row['paper']])}, {row['location']}**: {row['headline']}"
        f" [Why]({REPORT}/findings.html#finding-{slug(row['paper'], row['finding'])})"
        for row in first.values()
    ]
    return "\n".join([*lines, *(f"- **{name}**: none of medium or high severity." for name in without)])
