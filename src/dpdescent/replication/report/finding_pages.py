"""Pages of the findings with a letter to authors: counterexample, drawing, reason, letter, script and claims."""

import re
from collections.abc import Mapping
from typing import Any

from dpdescent.replication.judging.evidence import Claim
from dpdescent.replication.report import content, letters, plots, summary
from dpdescent.replication.report.content import Content, Row, View, select
from dpdescent.replication.report.pages import finding_page

TEMPLATE = "finding.html.j2"
_WORDS = ("statement", "quantity", "criterion", "note", "changed")
assert set(_WORDS) <= set(Claim.__dataclass_fields__)


def views(results: Content) -> dict[str, View]:
    """Data of the pages by the name of their file, for all findings that have a letter."""
    return {
        address(row): _view(results, row, results.letters[row["finding"]])
        for row in results.findings
        if letters.due(row) and row["finding"] in results.letters
    }


def address(finding: Mapping[str, Any]) -> str:
    """Name of the file of a finding's own page, or its place on the page of all findings."""
    return finding_page(finding["finding"]) if letters.due(dict(finding)) else content.place_of(finding)


def _view(results: Content, row: Row, letter: str) -> View:
    head, rows = letters.shown(letter)
    path, script = letters.script(letter)
    place = content.artefact_of(results, row)
    pairs = (plots.pairs(head, rows) if rows else None) or plots.headline(row["headline"], row["location"])
    return {
        "finding": row, "letter": letter, "head": head, "rows": rows, "path": path, "script": script, "place": place,
        "plot": plots.comparison(*pairs) if pairs else None, "claims": judged(results.claims, row),
        "audits": [
            (audit, summary.violation(audit))
            for audit in select(results.audit, paper=row["paper"], finding=row["finding"])
        ],
        "paper": next(paper for paper in results.papers if paper["key"] == row["paper"]),
    }  # fmt: skip


def judged(claims: list[Row], finding: Row) -> list[Row]:
    """Claims that name a finding, and those that its artefact refutes."""
    named = re.compile(rf"finding {re.escape(finding['finding'])}(?![\w-])")
    return [
        claim
        for claim in select(claims, paper=finding["paper"])
        if any(named.search(claim[column]) for column in _WORDS)
        or (claim["artefact"] == finding["artefact"] and claim["verdict"] == "not reproduced")
    ]
