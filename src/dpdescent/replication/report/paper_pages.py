"""Data of a paper's page: its verdict in words, findings, and a section for each figure and table."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dpdescent.replication.build.files import read_rows
from dpdescent.replication.configuration import values as conf
from dpdescent.replication.report import content, curves, numbers, summary, wording
from dpdescent.replication.report.content import Content, Row, View, select

# Longer tables are cut on a page, because they are better read in the CSV file.
MOST_ROWS = 60


def view(results: Content, paper: View) -> View:
    """All data of one paper's page."""
    key = paper["key"]
    mine = select(results.claims, paper=key)
    shown = {artefact["id"] for artefact in paper["artefacts"]}
    counts = summary.verdict_counts(results.claims, key)
    # A page that is about no paper has conjectures of ours, and no claims of a paper.
    source = next((origin for origin in ("yours", "paper", "ours") if counts[origin]), "paper")
    return {
        "paper": paper, "theirs": "arxiv" in paper, "claims": mine, "verdicts": wording.VERDICTS, "source": source,
        "counts": counts[source],
        "sections": [section(results, paper, artefact) for artefact in paper["artefacts"]],
        "elsewhere": [claim for claim in mine if claim["artefact"] not in shown],
        "findings": select(results.findings, paper=key), "verdict": verdict(select(mine, source=source)),
        "requested": summary.on_request(results.on_request, key), "results": _made_on_request(results, paper),
        "published": {claim["claim"]: number for claim in mine if (number := published(claim, paper["published"]))},
    }  # fmt: skip


def _made_on_request(results: Content, paper: View) -> dict[str, View]:
    """The summaries of the claims about a paper's artefacts on request, of those that were made and judged."""
    claims = select(results.on_request.get("claims", []), paper=paper["key"])
    by_artefact = {each["id"]: result(select(claims, artefact=each["id"])) for each in paper["on_request"]}
    return {name: judged for name, judged in by_artefact.items() if judged}


def verdict(claims: Sequence[Row]) -> View:
    """The claims of a paper that hold, that fail, that depend on values which it does not state, and that are open."""
    testable = [claim for claim in claims if claim["verdict"] != "not testable"]
    held = select(testable, verdict="reproduced")
    open_by = Counter(claim["why"] for claim in testable if claim["verdict"] == "inconclusive")
    kinds = [(kind, len(select(held, kind=kind)), len(select(testable, kind=kind))) for kind in content.CLAIM_KINDS]
    undecided = select(claims, why="unstated value decides")
    return {
        "held": len(held), "never_at_risk": len(summary.never_at_risk(claims)),
        "testable": len(testable), "kinds": [counts for counts in kinds if counts[2]],
        "failed": select(testable, verdict="not reproduced"), "undecided": undecided,
        "places": list(dict.fromkeys(claim["location"] for claim in undecided)),
        "others": [(why, count) for why, count in open_by.items() if why != "unstated value decides"],
        "untestable": len(claims) - len(testable),
    }  # fmt: skip


def published(claim: Mapping[str, str], values: Sequence[Mapping[str, Any]]) -> str:
    """The printed number that a claim is about: a configured value of its place that its statement names.

    Args:
        claim: a row of `claims.csv`.
        values: the paper's published numbers, each with `number` as text and the `place` where it is printed.
    """
    if claim["source"] != "paper" or not claim["measured"]:
        return ""
    mentioned = {float(text) for text in re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*\d)", claim["statement"])}
    ends = wording.limits(claim["criterion"])
    if ends and None not in ends:
        mentioned.add(round((float(ends[0] or 0) + float(ends[1] or 0)) / 2, 9))
    places = set(re.findall(_PLACE, claim["location"]))
    numbers = [
        entry["number"]
        for entry in values
        if float(entry["number"]) in mentioned and places & set(_places(entry["place"]))
    ]
    return numbers[0] if numbers else ""


_PLACE = r"(?:Figure|Table|Sec\.|App\.|footnote) ?[\w.]*\w"


def _places(text: str) -> Iterator[str]:
    for place in re.findall(_PLACE, text):
        yield place
        # A figure's panel belongs to the figure.
        yield re.sub(r"(?<=\d)[a-z]$", "", place)


def section(results: Content, paper: View, artefact: View, item: str = "") -> View:
    """All data on one artefact for its section of a paper's page; `item` is its path in the results, if another."""
    where = {"paper": paper["key"], "artefact": artefact["id"]}
    settings = [row for row in paper["settings"] if row["artefact"] == artefact["id"]]
    file = results.folder / f"{item or '/'.join(where.values())}.csv"
    table = read_rows(file)
    claims = select(results.claims, **where)
    source, by_verdict = verdicts(claims)
    return {
        "artefact": artefact, "claims": claims, "findings": select(results.findings, **where),
        "result": result(claims), "source": source, "verdicts": by_verdict, "stated": select(settings, source="stated"),
        "ours": [row for row in settings if row["source"] in ("chosen", "code")],
        "variants": select(settings, source="variant"),
        "overlaid": [row for row in settings if row["source"] in conf.OVERLAID],
        "arms": content.alike_arms(select(results.privacy, **where)),
        "table": shown(table, artefact) if artefact["table"] else None,
        "curves": curves.panels(artefact, file),
        "numbers": [] if artefact["table"] else numbers.behind(table, artefact["keys"]),
    }  # fmt: skip


def lines(sections: Sequence[View]) -> dict[str, list[View]]:
    """Panels with curves of the figures of sections, by artefact."""
    return {section["artefact"]["id"]: section["curves"] for section in sections if not section["artefact"]["table"]}


def verdicts(claims: Sequence[Row]) -> tuple[str, dict[str, list[Row]]]:
    """Whose claims about a figure count, and these by verdict: the reader's own, or the paper's, or ours if alone."""
    source = next((origin for origin in ("yours", "paper", "ours") if select(claims, source=origin)), "paper")
    by_verdict = {verdict: select(claims, source=source, verdict=verdict) for verdict in wording.VERDICTS}
    return source, {verdict: rows for verdict, rows in by_verdict.items() if rows}


def result(claims: Sequence[Row]) -> View | None:
    """The summary of the claims about a figure: the leading claim, and the numbers of claims by verdict.

    A claim that is not reproduced leads. Where there is none, and fewer than half are reproduced, an inconclusive claim
    leads, because a reproduced one in the headline would mislead; else the first claim. The paper's own claims come
    before ours. There is no summary without a measurement.
    """
    judged = [claim for claim in claims if claim["measured"]]
    if not judged:
        return None
    first = select(judged, source="paper") or judged
    counts = Counter(claim["verdict"] for claim in judged)
    leading = ["not reproduced"]
    if 2 * len(select(first, verdict="reproduced")) < len(first):
        leading.append("inconclusive")
    ordered = [claim for verdict in leading for claim in select(first, verdict=verdict)] + list(first)
    others = [(verdict, counts[verdict]) for verdict in wording.VERDICTS[1:] if counts[verdict]]
    return {"lead": ordered[0], "held": counts["reproduced"], "judged": len(judged), "others": others}


def shown(rows: Sequence[Row], artefact: View) -> View:
    """Columns and rows of a table as the page shows them, and how many rows are left out."""
    columns = artefact["columns"] or list(rows[0] if rows else [])
    cells = [[row[column] for column in columns] for row in rows[:MOST_ROWS]]
    return {"columns": columns, "rows": cells, "left_out": max(0, len(rows) - MOST_ROWS)}
