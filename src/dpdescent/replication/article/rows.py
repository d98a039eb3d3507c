"""Rows of the article's tables and sums over papers, from what the report's pages count."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from dpdescent.replication.article.lookups import Missing, Tables
from dpdescent.replication.article.typeset import Markup, number, words
from dpdescent.replication.report import letters, summary, wording
from dpdescent.replication.report.content import SEVERITIES
from dpdescent.replication.report.summary import FINDING_PARTS

Paper = dict[str, Any]
Row = dict[str, str]

# Places of artefacts that a paper has itself; what else stands in a place says that the experiment is ours.
OWN = re.compile(r"(Figure|Table) \d+$")
# Whose claims and findings are no paper's, and the page that derives what they are about.
OURS, DERIVED = "ours", "docs/beyond.md"


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
            *(_count(origins(paper)[kind]) for kind in ("own", "analogue", "designed")),
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
            code(key),
            *map(_count, (*(mine["paper"][verdict] for verdict in wording.VERDICTS), mine["paper"].total())),
            *(_count(summary.held(mine[source])) for source in wording.OTHER_SOURCES),
        ]
        for key, mine in counts.items()
    ]


def _count(found: int | str) -> Markup:
    """Counts, such as `1,234 + 5`, or a dash for nothing, so that what there is stands out."""
    return Markup("–" if str(found) == "0" else re.sub(r"\d+", lambda digits: number(int(digits[0])), str(found)))


def of_claims(claims: Sequence[Row]) -> list[list[Any]]:
    """Claims one by one: where, the statement, what was measured with its interval, and the criterion."""
    return [
        [
            Markup(f"{code(DERIVED if claim['paper'] == OURS else claim['paper'])} \\ {words(claim['location'])}"),
            claim["statement"], Markup(f"{words(claim['quantity'])}: *{words(_estimate(claim))}*"), claim["criterion"],
        ]
        for claim in claims
    ]  # fmt: skip


def of_failed(tables: Tables, claims: Sequence[Row]) -> list[list[Any]]:
    """Claims of papers as `of_claims` has them, gravest first, each with its severity below its place."""
    once = [row["claim"] for row in tables.alone("not reproduced")]
    severities = [_severity(tables, claim) for claim in claims]
    ranks = [SEVERITIES.index(severity) if severity else len(SEVERITIES) for severity in severities]
    shown = [
        [Markup(f"{where} \\ _{severity or 'no finding'}{', one seed' if claim['claim'] in once else ''}_"), *others]
        for (where, *others), severity, claim in zip(of_claims(claims), severities, claims, strict=True)
    ]
    return [row for _, row in sorted(zip(ranks, shown, strict=True), key=lambda pair: pair[0])]


def _severity(tables: Tables, claim: Row) -> str:
    """The gravest severity of the findings that the inventory of a paper's statements names beside a claim, if any."""
    paper, found = claim["paper"], set()
    for row in tables.rows(f"docs/statements/{paper}.csv"):
        judges = [judge.strip() for judge in row["covered_by"].split(";")]
        if claim["claim"] in judges:
            names = [judge.removeprefix("finding:") for judge in judges if judge.startswith("finding:")]
            found |= {row["severity"] for row in tables.rows("findings.csv", paper=paper, finding=names)}
    return min(found, key=SEVERITIES.index, default="")


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
    return named, [[code(key), *(_count(mine[reason]) for reason in named)] for key, mine in counts.items()]


def of_audits(audit: Sequence[Row], keys: Sequence[str]) -> list[list[Any]]:
    """Numbers of arms and statements by verdict of their audit."""
    return [[code(key), *map(_count, summary.audit_cells(audit, key))] for key in keys]


def of_refuted(tables: Tables, refuted: Sequence[Row]) -> list[list[Any]]:
    """Statements that attacks refute, gravest first: what they claim, and what is attained.

    A bound that holds for outputs of any law stands in parentheses behind one that takes them for Gaussian.
    """
    named = ("paper", "finding")
    severities = {
        id(row): tables.text("findings.csv", "severity", **{name: row[name] for name in named}) for row in refuted
    }
    return [
        [
            Markup(f"{words(row['place'] or _at_its_budget(row))}{_whose(row)}"), severities[id(row)],
            _number(row, "eps_paper"),
            Markup(f"{_number(row, 'eps_audit_low')} ({_number(row, 'eps_any_law_low')})")
            if row["eps_any_law_low"] != row["eps_audit_low"] else _number(row, "eps_audit_low"),
            _number(row, "eps_attained"), _number(row, "delta"),
        ]
        for row in sorted(refuted, key=lambda row: SEVERITIES.index(severities[id(row)]))
    ]  # fmt: skip


def statements_refuted(refuted: Sequence[Row]) -> Counter[str]:
    """Numbers of statements that attacks refute, of papers and of public programs: several may refute one."""
    return Counter(
        "programs" if paper == OURS else "papers" for paper, _ in {(row["paper"], row["finding"]) for row in refuted}
    )


def _number(row: Row, column: str) -> Markup:
    return number(float(row[column])) if row[column] else Markup("–")


def _whose(row: Row) -> str:
    """The paper of a statement, in parentheses; what is ours is on public code, and says of which program."""
    return "" if row["paper"] == OURS else f" ({code(row['paper'])})"


def _at_its_budget(row: Row) -> str:
    """The mechanism of arms, with the budget that they have, because several rows may differ in it alone."""
    return f"{row['mechanism']} at rho = {float(row['rho_paper']):g}" if row["rho_paper"] else row["mechanism"]


def of_findings(findings: Sequence[Row], severity: str) -> list[list[Any]]:
    """Findings of one severity: where, what, and why with the repair."""
    return [
        [
            Markup(f"{_above(row)}{words(row['location'])} \\ _{row['status']}, {row['kind']}_"),
            row["headline"],
            Markup(f"{words(wording.sentence(row['why']))} _Mend:_ {words(wording.ended(row['repair']))}"),
        ]
        for row in findings
        if row["severity"] == severity and _whole(row)
    ]


def _above(row: Row) -> str:
    """The paper of a finding on a line of its own; one on public code says of which program."""
    return "" if row["paper"] == OURS else f"{code(row['paper'])} \\ "


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
