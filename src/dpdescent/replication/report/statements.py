"""Inventories of the papers' statements: every testable one, with the claims, bounds and audits that judge it.

They are written by hand from the papers' texts, `docs/statements/<paper>.csv`, so that unjudged statements show too.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dpdescent.replication.build.files import read_rows
from dpdescent.replication.report.wording import slug

Row = dict[str, str]

COLUMNS = ("location", "kind", "statement", "weight", "covered_by", "why_not")
KINDS = (
    "privacy", "theorem", "lemma", "rate", "curve order", "trend", "table entry", "comparison", "remark", "cost",
    "misprint",
)  # fmt: skip
WEIGHTS = {"3": "headline", "2": "supporting", "1": "minor"}

# Reasons why nothing judges a statement. The first three count neither for nor against coverage.
UNCOUNTED = ("opinion", "literature", "by construction")
REASONS = (*UNCOUNTED, "out of reach", "open")
STATES = ("judged", "judged in part", *REASONS)

# Addresses of names in `covered_by`, by the word before the colon; the name of a claim has no such word.
_PLACES = {
    "finding": "findings.html#finding-{name}", "artefact": "{paper}.html#{id}", "audit": "privacy.html#audits",
    "bound": "bounds.html?paper={paper}&q={text}", "on request": "on-request.html#claim-{name}",
}  # fmt: skip


def read(files: Iterable[Path]) -> list[dict[str, Any]]:
    """Reads inventories, one file per paper; every row gets its paper, its state, and links to its judges."""
    return [
        {**row, "paper": file.stem, "state": state(row), "links": links(file.stem, row)}
        for file in files
        for row in read_rows(file)
    ]


def state(row: Row) -> str:
    """The state of a statement: judged, judged in part, or the reason why it is not."""
    if not row["why_not"]:
        return "judged"
    return "judged in part" if row["covered_by"] else row["why_not"].split(":")[0]


def names(row: Row) -> list[tuple[str, str]]:
    """The judges of a statement, as pairs of kind and name: `claim`, or a kind of `_PLACES`."""
    entries = [entry for entry in row["covered_by"].split("; ") if entry]
    pairs = (entry.partition(":") if entry.partition(":")[0] in _PLACES else ("claim", ":", entry) for entry in entries)
    return [(kind, name) for kind, _, name in pairs]


def links(paper: str, row: Row) -> list[tuple[str, str]]:
    """Links to the judges of a statement, as pairs of text and address within the report."""
    return [(name if kind == "claim" else f"{kind} {name}", _address(paper, kind, name)) for kind, name in names(row)]


def _address(paper: str, kind: str, name: str) -> str:
    pattern = _PLACES.get(kind, "claims.html#claim-{name}")
    return pattern.format(name=slug(paper, name), paper=paper, id=name, text=quote(name))


def coverage(rows: Sequence[Mapping[str, Any]]) -> float:
    """Share of judged statements by weight, judged in part or whole; those that nothing can judge are left out."""
    counted = [row for row in rows if row["state"] not in UNCOUNTED]
    whole = sum(int(row["weight"]) for row in counted)
    return sum(int(row["weight"]) for row in counted if row["state"].startswith("judged")) / whole if whole else 0.0
