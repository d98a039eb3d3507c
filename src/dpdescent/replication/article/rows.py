"""Rows of the article's tables and sums over papers, from what the report's pages count."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from dpdescent.replication.article.lookups import Missing, Tables
from dpdescent.replication.article.typeset import Markup, number, words
from dpdescent.replication.report import letters, summary, wording
from dpdescent.replication.report.summary import FINDING_PARTS

Paper = dict[str, Any]
Row = dict[str, str]

# Places of artefacts that a paper has itself; what else stands in a place says that the experiment is ours.
OWN = re.compile(r"(Figure|Table) \d+$")


def origins(paper: Paper) -> Counter[str]:
    """Numbers of a paper's artefacts that are its own, made by analogues, and designed here."""
    return Counter(
        "analogue" if "analogue" in artefact["place"] else "own" if OWN.match(artefact["place"]) else "designed"
        for artefact in paper["artefacts"]
    )


def sources(tables: Tables, key: str) -> Counter[str]:
    """Numbers of the values of a paper's experiments by who gave them; those that only a variant has are left out."""
    return Counter(row["source"] for row in tables.rows(f"{key}/settings.csv") if row["source"] != "variant")


def code(text: str) -> Markup:
    """A name as it stands in files."""
    return Markup(f"`{text}`")


def of_papers(tables: Tables, papers: Sequence[Paper]) -> list[list[Any]]:
    """What was replicated of each paper."""
    return [
        [
            code(paper["key"]), Markup(f"{words(paper['title'])} @{paper['key']}"),
            *(origins(paper)[kind] for kind in ("own", "analogue", "designed")),
            mine["stated"], mine["chosen"] + mine["code"],
            Markup("{} of {}".format(*map(number, tables.judged_statements(paper["key"])))),
        ]
        for paper in papers
        for mine in [sources(tables, paper["key"])]
    ]  # fmt: skip


def of_verdicts(claims: Sequence[Row], keys: Sequence[str]) -> list[list[Any]]:
    """Verdicts of the claims of each paper: its own, then how many of others are reproduced."""
    counts = {key: summary.verdict_counts(claims, key) for key in keys}
    return [
        [
            code(key), *(mine["paper"][verdict] for verdict in wording.VERDICTS), mine["paper"].total(),
            *(summary.held(mine[source]) for source in wording.OTHER_SOURCES),
        ]
        for key, mine in counts.items()
    ]  # fmt: skip


def of_claims(claims: Sequence[Row]) -> list[list[Any]]:
    """Claims one by one: where, the statement, what was measured with its interval, and the criterion."""
    return [
        [
            Markup(f"{code(claim['paper'])} \\ {words(claim['location'])}"), claim["statement"],
            Markup(f"{words(claim['quantity'])}: *{words(_estimate(claim))}*"), claim["criterion"],
        ]
        for claim in claims
    ]  # fmt: skip


def _estimate(claim: Row) -> str:
    """The measured value with its interval; in four digits, because a criterion may be on the fourth."""
    value, low, high = (wording.number(claim[column]) for column in ("measured", "low", "high"))
    return value if low == high else f"{value} [{low}, {high}]"


def of_examples(tables: Tables, examples: Sequence[tuple[str, str]]) -> list[list[Any]]:
    """Claims as examples of verdicts: the statement, the measurement, the criterion, and the verdict with its reason.

    Args:
        tables: the tables.
        examples: papers and claims.
    """
    found = [row for paper, claim in examples for row in [tables.row("claims.csv", paper=paper, claim=claim)]]
    return [
        [
            Markup(f"{words(claim['statement'])} ({code(claim['paper'])}, {words(claim['location'])})"),
            *row[2:],
            Markup(f"{claim['verdict']}{': ' if claim['why'] else ''}{claim['why']}"),
        ]
        for claim, row in zip(found, of_claims(found), strict=True)
    ]


def of_reasons(claims: Sequence[Row], keys: Sequence[str]) -> tuple[list[str], list[list[Any]]]:
    """Reasons why claims of papers are open, those that occur, and their numbers by paper."""
    counts = {key: summary.reason_counts(claims, key) for key in keys}
    named = [reason for reason in summary.REASONS if any(mine[reason] for mine in counts.values())]
    return named, [[code(key), *(mine[reason] for reason in named)] for key, mine in counts.items()]


def of_audits(audit: Sequence[Row], keys: Sequence[str]) -> list[list[Any]]:
    """Numbers of arms and statements by verdict of their audit."""
    return [[code(key), *(Markup(cell) for cell in summary.audit_cells(audit, key))] for key in keys]


def of_refuted(refuted: Sequence[Row]) -> list[list[Any]]:
    """Statements that attacks refute, with what they claim and what is attained."""
    numbers = ("eps_paper", "eps_audit_low", "eps_attained", "delta")
    return [
        [
            Markup(f"{words(row['place'] or _at_its_budget(row))} ({code(row['paper'])})"),
            *(number(float(row[name])) if row[name] else Markup("") for name in numbers),
        ]
        for row in refuted
    ]


def _at_its_budget(row: Row) -> str:
    """The mechanism of arms, with the budget that they have, because several rows may differ in it alone."""
    return f"{row['mechanism']} at rho = {float(row['rho_paper']):g}" if row["rho_paper"] else row["mechanism"]


def of_findings(findings: Sequence[Row], severity: str) -> list[list[Any]]:
    """Findings of one severity: where, what, and why with the repair."""
    return [
        [
            Markup(f"{code(row['paper'])} \\ {words(row['location'])} \\ _{row['status']}, {row['kind']}_"),
            row["headline"],
            Markup(f"{words(wording.sentence(row['why']))} _Mend:_ {words(wording.ended(row['repair']))}"),
        ]
        for row in findings
        if row["severity"] == severity and _whole(row)
    ]


def _whole(row: Row) -> bool:
    """True, for a finding of which no part is left out.

    Raises:
        Missing: if one is.
    """
    if empty := [part for part in ("headline", *FINDING_PARTS.values()) if not row[part]]:
        raise Missing(f"findings.csv has no {empty[0]!r} of {row['finding']}")
    return True


def of_markdown(markdown: str) -> tuple[list[Markup], list[list[Markup]]]:
    """Head and rows of a table in Markdown."""
    head, rows = letters.shown(markdown)
    return [_cell(cell) for cell in head], [[_cell(cell) for cell in row] for row in rows]


def _cell(text: str) -> Markup:
    """A cell of Markdown: names between backticks as code, and formulas there as all other words.

    Raises:
        Missing: if it says that nothing was measured.
    """
    if re.search(r"\bnan\b", text):
        raise Missing(f"a cell of a table is {text!r}")
    pieces = re.split(r"(`[^` ]*`)", text)
    return Markup("".join(piece if re.match("`[^ ]*`$", piece) else words(piece.replace("`", "")) for piece in pieces))
