"""Summary of the verdicts in Markdown, from the result files: a page with the results, and the README's numbers."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import get_args

from dpdescent.replication.build.files import read_rows
from dpdescent.replication.judging.evidence import Source, Undecided, Unjudged
from dpdescent.replication.judging.records import NEVER_AT_RISK
from dpdescent.replication.ledger.verdicts import (
    BASELINE,
    EXCEEDS,
    NOT_VIOLATED,
    UNAUDITED,
    UNCLAIMED,
    UNCOVERED,
    VIOLATED,
    WITHIN,
)
from dpdescent.replication.report.wording import OTHER_SOURCES, VERDICTS, YOURS

Row = dict[str, str]

# Parts of a finding's text, in the order in which they are read.
FINDING_PARTS = {
    "The paper": "statement", "Expected": "expected", "Measured": "measured", "Why": "why",
    "Charitable reading": "charitable_reading", "Repair": "repair",
}  # fmt: skip
REASONS = tuple(dict.fromkeys((*get_args(Undecided), *get_args(Unjudged))))
AUDITED = (WITHIN, EXCEEDS, VIOLATED, NOT_VIOLATED, BASELINE, UNCOVERED, UNCLAIMED, UNAUDITED)
_BROKEN = {
    "eps_paper": "epsilon claimed", "rho_paper": "zCDP budget claimed", "eps_audit_low": "epsilon at least",
    "rho_low": "zCDP cost at least", "eps_attained": "exactly epsilon", "rho_attained": "realised zCDP cost",
}  # fmt: skip


def page(results: str | Path, papers: dict[str, dict[str, str]], label: str = "") -> str:
    """Markdown page of a build: scorecard, then claims, findings and figures of each paper.

    Args:
        results: folder of the build.
        papers: by paper, titles of its artefacts by id (tables' ids begin with `table`).
        label: label of a scale that is not the papers' own.
    """
    claims, findings, audit = (read_rows(Path(results) / f"{kind}.csv") for kind in ("claims", "findings", "audit"))
    lines = [
        "# What holds, and what was found", "",
        *([f"**{label}: nothing on this page is evidence.**", ""] if label else []),
        "Written by code from `claims.csv` and `findings.csv`; every criterion was made from the paper's words.",
        "", scorecard(claims, papers), "", counts_never_at_risk(claims, papers), "",
        "Why claims of the papers are inconclusive or not testable:", "",
        reasons(claims, papers), "", "## The privacy audit", "", audit_counts(audit, papers), "",
        "Counts are of arms and, behind a plus sign, of statements that no arm stands for. [CSV](audit.csv), "
        "[SVG](audit.svg)", "", "![Epsilon claimed, accounted for and attained](audit.svg)", "", refuted(audit), "",
    ]  # fmt: skip
    for paper, artefacts in papers.items():
        lines += [f"## {paper}", "", "### Claims", "", claims_table(_of(claims, paper)), ""]
        lines += ["### Findings", "", findings_list(_of(findings, paper)), "", "### Figures and tables", ""]
        for name, title in artefacts.items():
            lines += _artefact(paper, name, title)
    return "\n".join(lines)


def scorecard(claims: Sequence[Row], papers: Iterable[str]) -> str:
    """Table with the numbers of the papers' own claims by verdict, and of other claims those that hold."""
    rows, sources = [], other_sources(claims)
    for paper in papers:
        counts = verdict_counts(claims, paper)
        own = counts["paper"]
        others = (held(counts[source]) for source in sources)
        rows.append([f"`{paper}`", *(str(own[verdict]) for verdict in VERDICTS), str(sum(own.values())), *others])
    return table(["paper", *VERDICTS, "in all", *sources.values()], rows)


def counts_never_at_risk(claims: Sequence[Row], papers: Iterable[str]) -> str:
    """Sentence with the numbers of the papers' own claims that are reproduced and could not have been refuted."""
    counts = {paper: len(never_at_risk(_of(claims, paper))) for paper in papers}
    listed = ", ".join(f"{count} of `{paper}`" for paper, count in counts.items() if count)
    return (
        f"Of the claims that are reproduced {sum(counts.values())} could not have been refuted, because the paper "
        f"hides a constant or leaves a value open, so that a miss would have counted as inconclusive"
        f"{listed and ': '}{listed}."
    )


def never_at_risk(claims: Sequence[Row]) -> list[Row]:
    """Claims of a paper's own that are reproduced, and that a miss would have left open."""
    return [
        claim
        for claim in claims
        if (claim["source"], claim["verdict"]) == ("paper", "reproduced") and NEVER_AT_RISK in claim.get("note", "")
    ]


def other_sources(claims: Sequence[Row]) -> dict[str, str]:
    """Names in the scorecard for sources of claims that are not the papers' own."""
    return OTHER_SOURCES | (YOURS if any(claim["source"] in YOURS for claim in claims) else {})


def verdict_counts(claims: Sequence[Row], paper: str) -> dict[str, Counter[str]]:
    """Numbers of a paper's claims by verdict, for each source of claims."""
    mine = _of(claims, paper)
    sources = get_args(Source)
    return {source: Counter(claim["verdict"] for claim in mine if claim["source"] == source) for source in sources}


def on_request(requested: Mapping[str, Sequence[Row]], paper: str) -> dict[str, int]:
    """Numbers of a paper's own claims that are judged on request, by verdict; only verdicts that there are."""
    own = verdict_counts(requested.get("claims", []), paper)["paper"]
    return {verdict: own[verdict] for verdict in VERDICTS if own[verdict]}


def held(counts: Mapping[str, int]) -> str:
    """How many claims of one source are reproduced, as in `3 of 5`; `0` where there are none."""
    judged = sum(counts.values())
    return f"{counts['reproduced']} of {judged}" if judged else "0"


def reasons(claims: Sequence[Row], papers: Iterable[str]) -> str:
    """Table with the numbers of the papers' own claims that are open, by the reason."""
    counts = {paper: reason_counts(claims, paper) for paper in papers}
    return table(["paper", *REASONS], ([f"`{paper}`", *map(str, counts[paper].values())] for paper in counts))


def reason_counts(claims: Sequence[Row], paper: str) -> dict[str, int]:
    """Numbers of a paper's own claims that are inconclusive or not testable, by the reason."""
    counts = Counter(claim["why"] for claim in _of(claims, paper) if claim["source"] == "paper")
    return {reason: counts[reason] for reason in REASONS}


def audit_counts(audit: Sequence[Row], papers: Iterable[str]) -> str:
    """Table of the audit's verdicts by paper: numbers of arms, and of statements after a plus sign."""
    return table(["paper", *AUDITED], ([f"`{paper}`", *audit_cells(audit, paper)] for paper in papers))


def audit_cells(audit: Sequence[Row], paper: str) -> list[str]:
    """Numbers of a paper's arms and statements by verdict, in the order of `AUDITED`."""
    mine = _of(audit, paper)
    return [_arms_and_statements([row for row in mine if row["verdict"] == verdict]) for verdict in AUDITED]


def refuted(audit: Sequence[Row]) -> str:
    """List of refuted claims, each with the audit's numbers and its pair."""
    rows = [row for row in audit if row["verdict"] in (EXCEEDS, VIOLATED)]
    lines = [
        f"- **{row['place'] or row['mechanism']}** (`{row['paper']}`, {row['relation']}, {row['sampler']}): "
        f"{violation(row)} Pair: {row['description']}. Finding `{row['finding']}`."
        for row in rows
    ]
    return "\n".join(lines) or "No claim and no account is refuted."


def violation(row: Row) -> str:
    """Sentence with the claimed and the attained numbers of an audit."""
    numbers = {name: f"{float(row[name]):.3g}" for name in ("delta", *_BROKEN) if row[name]}
    # The choice of `Outcome.epsilon`: by mu where row and pair have Gaussian releases.
    if row["mu"] and row["mu_attained"]:
        numbers["eps_audit_low"] += f" for Gaussian outputs ({float(row['eps_any_law_low']):.3g} for any law)"
    phrases = [f"{words} {numbers[name]}" for name, words in _BROKEN.items() if name in numbers]
    return f"{', '.join(phrases)} at delta {numbers['delta']}, {row['audit_runs']} runs a side."


def _arms_and_statements(rows: Sequence[Row]) -> str:
    arms, statements = sum(int(row["arms"]) for row in rows), sum(row["arms"] == "0" for row in rows)
    return f"{arms} + {statements}" if statements else str(arms)


def claims_table(claims: Sequence[Row]) -> str:
    """Table of all claims with verdict, estimate and criterion."""
    rows = [
        [
            _verdict(claim),
            *(claim[key] for key in ("location", "statement", "quantity")),
            _estimate(claim),
            claim["criterion"],
        ]
        for claim in claims
    ]
    return table(["verdict", "where", "the paper says", "measured quantity", "value [95 %]", "criterion"], rows)


def _verdict(claim: Row) -> str:
    """The verdict, with the reason why it is open, and with the source of a claim that is not the paper's."""
    text = f"{claim['verdict']}: {claim['why']}" if claim["why"] else claim["verdict"]
    return text if claim["source"] == "paper" else f"{text} ({claim['source']})"


def findings_list(findings: Sequence[Row]) -> str:
    """List of findings by severity, each with all parts of its text."""
    return "\n".join(
        f"- **{row['finding']}** (`{row['paper']}`, {row['location']}; {row['kind']}, severity {row['severity']}, "
        f"{row['status']}). "
        f"{' '.join(f'{name}: {row[column]}.' for name, column in FINDING_PARTS.items() if row[column])}"
        for row in findings
    )


def fill(text: str, blocks: dict[str, str]) -> str:
    """Replaces the text between `<!-- name -->` and `<!-- end name -->` for every named block.

    Raises:
        ValueError: if a block's markers are missing.
    """
    for name, content in blocks.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end {name} -->"
        if begin not in text or end not in text:
            raise ValueError(f"the markers of block {name!r} are missing")
        head, rest = text.split(begin, 1)
        text = f"{head}{begin}{content}\n{end}{rest.split(end, 1)[1]}"
    return text


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown pipe table."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)])


def _of(rows: Sequence[Row], paper: str) -> list[Row]:
    return [row for row in rows if row["paper"] == paper]


def _estimate(claim: Row) -> str:
    if not claim["measured"]:
        return ""
    value, low, high = (f"{float(claim[column]):.3g}" for column in ("measured", "low", "high"))
    return value if low == high else f"{value} [{low}, {high}]"


def _artefact(paper: str, name: str, title: str) -> list[str]:
    if name.startswith("table"):
        return [f"**{name}**: {title} ({_links(paper, name, 'md', 'tex', 'csv')})", ""]
    return [f"**{name}**: {title} ({_links(paper, name, 'csv', 'svg')})", "", f"![{title}]({paper}/{name}.svg)", ""]


def _links(paper: str, name: str, *kinds: str) -> str:
    return ", ".join(f"[{kind.upper()}]({paper}/{name}.{kind})" for kind in kinds)
