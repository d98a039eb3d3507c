"""The verdicts in Markdown, read from the result files: a page beside the results, and the numbers in the README."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from dpdescent.replication.files import read_rows

Row = dict[str, str]

VERDICTS = ("reproduced", "not reproduced", "inconclusive", "not testable")


def page(results: str | Path, papers: dict[str, dict[str, str]], label: str = "") -> str:
    """The page beside the results: scorecard, then by paper its claims, findings and figures.

    Args:
        results: folder of the build.
        papers: by paper, titles of its artefacts by id (tables' ids begin with `table`).
        label: of a scale that is not the papers' own.
    """
    claims, findings = (read_rows(Path(results) / f"{kind}.csv") for kind in ("claims", "findings"))
    lines = [
        "# What holds, and what was found", "",
        *([f"**{label}: nothing on this page is evidence.**", ""] if label else []),
        "Written by code from `claims.csv` and `findings.csv`; every criterion was made from the paper's words.",
        "", scorecard(claims, papers), "",
    ]  # fmt: skip
    for paper, artefacts in papers.items():
        lines += [f"## {paper}", "", "### Claims", "", claims_table(_of(claims, paper)), ""]
        lines += ["### Findings", "", findings_list(_of(findings, paper)), "", "### Figures and tables", ""]
        for name, title in artefacts.items():
            lines += _artefact(paper, name, title)
    return "\n".join(lines)


def scorecard(claims: Sequence[Row], papers: Iterable[str]) -> str:
    """Papers against verdicts, as counts."""
    rows = []
    for paper in papers:
        counts = Counter(claim["verdict"] for claim in _of(claims, paper))
        rows.append([f"`{paper}`", *(str(counts[verdict]) for verdict in VERDICTS), str(sum(counts.values()))])
    return table(["paper", *VERDICTS, "claims"], rows)


def claims_table(claims: Sequence[Row]) -> str:
    """Every claim with its verdict, its estimate and its criterion."""
    rows = [
        [
            *(claim[key] for key in ("verdict", "location", "statement", "quantity")),
            _estimate(claim),
            claim["criterion"],
        ]
        for claim in claims
    ]
    return table(["verdict", "where", "the paper says", "measured quantity", "value [95 %]", "criterion"], rows)


def findings_list(findings: Sequence[Row]) -> str:
    """Findings by severity, each with its evidence and its charitable reading."""
    return "\n".join(
        f"- **{row['finding']}** (`{row['paper']}`, {row['location']}; {row['kind']}, severity {row['severity']}, "
        f"{row['status']}). "
        f"The paper: {row['statement']}. Expected: {row['expected']}. Measured: {row['measured']}. "
        f"Charitable reading: {row['charitable_reading']}."
        for row in findings
    )


def compute(results: str | Path) -> str:
    """CPU time and peak memory by artefact, from the last build's benchmarks."""
    rows = read_rows(Path(results) / "compute.csv")
    items = sorted({row["item"] for row in rows if row["stage"] == "train"})
    body = []
    for item in items:
        mine = [row for row in rows if row["item"] == item]
        seconds = sum(float(row["cpu_s"]) for row in mine)
        body.append([f"`{item}`", f"{seconds:.0f}", f"{max(float(row['peak_mb']) for row in mine):.0f}"])
    total = sum(float(row["cpu_s"]) for row in rows)
    body.append(["all stages", f"{total:.0f}", f"{max(float(row['peak_mb']) for row in rows):.0f}"])
    return table(["artefact", "CPU seconds", "peak MB of a job"], body)


def fill(text: str, blocks: dict[str, str]) -> str:
    """Text with what stands between `<!-- name -->` and `<!-- end name -->` replaced.

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
    return [f"**{name}**: {title} ({_links(paper, name, 'csv', 'svg')})", "", f"![{title}]({paper}/{name}.png)", ""]


def _links(paper: str, name: str, *kinds: str) -> str:
    return ", ".join(f"[{kind.upper()}]({paper}/{name}.{kind})" for kind in kinds)
