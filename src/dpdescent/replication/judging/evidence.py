"""What turns numbers into evidence: bounds, claims and findings as records, and the tables that they are drawn from."""

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpdescent.replication.build import tables
from dpdescent.replication.build.files import atomic, write_rows

Verdict = Literal["reproduced", "not reproduced", "inconclusive", "not testable"]
# What a claim is about, and whose it is: the paper's; ours; an analogue of what the paper has, with other data; an
# identity, true by construction or one printed formula against another, so that no run can decide it; or, whosever it
# was, yours, where experiments of the paper ran with values of the user's own.
ClaimKind = Literal["figure", "table", "theorem", "text", "privacy"]
Source = Literal["paper", "ours", "analogue", "identity", "yours"]
# Why a claim is neither reproduced nor not: its interval straddles the criterion; the conditions of its theorem do not
# hold at any setting that was run; readings of a value that the paper leaves open disagree; or a constant has no value.
Undecided = Literal["interval", "outside the regime", "unstated value decides", "hidden constant"]
# Why nothing can judge a claim: it is an opinion, or about other works; it cannot fail; what it needs is out of reach;
# or the grid of a build lacks the rows.
Unjudged = Literal["opinion", "literature", "by construction", "out of reach", "no rows"]
Why = Literal["", Undecided, Unjudged]
FindingKind = Literal["privacy", "mathematics", "text", "data", "unstated"]
Severity = Literal["high", "medium", "low", "cosmetic"]
Status = Literal["confirmed", "partly", "question"]


@dataclass(frozen=True)
class Bound:
    """A bound of the paper at one setting, beside what was measured there; `holds` is None where nothing was."""

    bound: str
    location: str
    setting: str
    value: float
    measured: float | None = None
    holds: bool | None = None
    note: str = ""


@dataclass(frozen=True)
class Cell:
    """What a claim about many cells of a table saw in one of them; low and high are a 95 % interval of `value`."""

    cell: str
    value: float
    low: float
    high: float
    verdict: Verdict


@dataclass(frozen=True)
class Claim:
    """A claim and the verdict of the computation.

    Attributes:
        claim: its id, unique in the paper.
        kind, source: what it is about, and whose it is.
        why: why it is inconclusive or not testable; empty otherwise.
        measured, low, high: the estimate and its 95 % interval.
        changed: why its criterion or rule is not as first written; empty where it is.
        cells: what it saw in each cell, where it is about several; they stand in a table of their own.
    """

    claim: str
    paper: str
    artefact: str
    location: str
    kind: ClaimKind
    source: Source
    statement: str
    quantity: str
    measured: float | None
    low: float | None
    high: float | None
    criterion: str
    verdict: Verdict
    why: Why = ""
    changed: str = ""
    note: str = ""
    cells: tuple[Cell, ...] = dataclasses.field(default=(), metadata={"column": False})


# A finding's text, all of its parts together, has at most so many words.
MOST_WORDS = 120
# Findings of these kinds and severities are told to the authors.
TOLD_KINDS: tuple[FindingKind, ...] = ("privacy", "mathematics")
GRAVE: tuple[Severity, ...] = ("high", "medium")

# Rows of a table as text, the head first.
Excerpt = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Finding:
    """What is wrong or missing in the paper, with the reading under which it would be right.

    Attributes:
        statement: what the paper says.
        expected: what one would then see.
        measured: the smallest counterexample with its numbers, the worst case first.
        charitable_reading, why, repair: how it may be meant; why the counterexample works; what mends the statement.
        headline: one plain sentence that begins with the worst number, for the front pages; findings about privacy or
            mathematics have one from severity medium on.
        shown: the rows that carry the numbers, for the letter to the authors; they stand in no column.
    """

    finding: str
    paper: str
    location: str
    kind: FindingKind
    statement: str
    expected: str
    measured: str
    severity: Severity
    status: Status
    charitable_reading: str
    artefact: str
    headline: str = ""
    why: str = ""
    repair: str = ""
    shown: Excerpt = dataclasses.field(default=(), metadata={"column": False})

    @property
    def words(self) -> int:
        """Number of words of its text; a sign that stands alone, as in `n = 10`, is none."""
        parts = (self.statement, self.expected, self.measured, self.why, self.charitable_reading, self.repair)
        return sum(bool(re.search(r"\w", token)) for part in parts for token in part.split())


@dataclass(frozen=True)
class Evidence:
    """What judgement may use: the committed tables, the settings and the published values; no trial, no random number.

    Attributes:
        spec: paper, seed, settings, published values.
        tables: table of every artefact by its id; `bounds` too, once they are evaluated.
    """

    spec: dict[str, Any]
    tables: dict[str, pd.DataFrame]

    @classmethod
    def read(cls, spec: dict[str, Any], folder: str | Path) -> "Evidence":
        """Reads all tables of a paper (and its bounds, if they are there) from its results folder."""
        names = [*spec["artefacts"], *(["bounds"] if (Path(folder) / "bounds.csv").exists() else [])]
        return cls(spec, {name: tables.read(Path(folder) / f"{name}.csv") for name in names})

    def select(self, artefact: str, variant: str = "main", **where: Any) -> pd.DataFrame:
        """Rows of an artefact's table that have the given values, e.g. `select("fig03", panel="a", series="2SLS")`."""
        return _with(self.tables[artefact], {"variant": variant, **where})

    @property
    def settings(self) -> dict[str, Any]:
        return dict(self.spec["settings"])

    def settings_of(self, artefact: str) -> dict[str, Any]:
        """The settings that an artefact ran with: its own, and those of the paper for the rest."""
        own: dict[str, Any] = self.spec["artefacts"].get(artefact, {}).get("settings", {})
        return self.settings | own

    @property
    def published(self) -> dict[str, Any]:
        return dict(self.spec["published"])


def rows(
    columns: Sequence[str], evidence: Evidence, artefact: str, variant: str = "main", **where: object
) -> pd.DataFrame:
    """Rows of a table that have the given values; none where the table is not there, or has no rows.

    A paper's `reading` binds its columns once: `rows = partial(evidence.rows, COLUMNS)`; what a table lacks of them, or
    of those that are asked for, is NaN.
    """
    table = evidence.tables.get(artefact, pd.DataFrame())
    wanted = {"variant": variant, **where}
    found = _with(table, wanted) if set(wanted) <= set(table.columns) else table[:0]
    missing = [name for name in dict.fromkeys([*columns, *wanted]) if name not in found]
    return found.reindex(columns=[*found.columns, *missing]) if missing else found


def _with(table: pd.DataFrame, wanted: Mapping[str, object]) -> pd.DataFrame:
    """Rows that have the wanted values, numbered anew."""
    return table.take(places_of(table, wanted)).reset_index(drop=True)


def places_of(table: pd.DataFrame, wanted: Mapping[str, object]) -> NDArray[np.intp]:
    """Which rows have the wanted values; by one mask, because a table a value takes twice the time."""
    mask = np.ones(len(table), dtype=bool)
    for column, value in wanted.items():
        mask &= np.asarray(table[column] == value, dtype=bool)
    return np.flatnonzero(mask)


def at_their_values(claims: Sequence[Claim], spec: Mapping[str, Any]) -> list[Claim]:
    """Claims with their sources: where the experiments have values of the user's own, none is the paper's or ours.

    All claims of the paper are, because one may read several tables; identities hang on no run.

    Args:
        spec: what they were judged with; `yours` is true where there are such values.
    """
    if not spec.get("yours"):
        return list(claims)
    return [each if each.source == "identity" else dataclasses.replace(each, source="yours") for each in claims]


def found_at_their_values(findings: Sequence[Finding], spec: Mapping[str, Any]) -> list[Finding]:
    """Findings that say of what was measured that it was at values of the user's own, where it was; the table has no
    column of sources, and is read without the pages that say so of all. Arguments as `at_their_values`."""
    if not spec.get("yours"):
        return list(findings)
    return [dataclasses.replace(each, measured=f"at your values: {each.measured}") for each in findings]


def joined(*notes: str) -> str:
    """Several notes as one; empty ones are left out."""
    return "; ".join(filter(None, notes))


def write(records: Sequence[Any], kind: type, path: str | Path) -> None:
    """Writes records of one kind as CSV, in the order in which they were made."""
    columns = [field.name for field in dataclasses.fields(kind) if field.metadata.get("column", True)]
    made = ({name: getattr(record, name) for name in columns} for record in records)
    write_rows(path, columns, [_blank_none(row) for row in made])


def write_cells(claims: Sequence[Claim], path: str | Path) -> None:
    """Writes what claims about many cells saw in each of them."""
    columns = ["paper", "claim", *(field.name for field in dataclasses.fields(Cell))]
    rows = [
        {"paper": claim.paper, "claim": claim.claim, **dataclasses.asdict(cell)}
        for claim in claims
        for cell in claim.cells
    ]
    write_rows(path, columns, rows)


def write_shown(findings: Sequence[Finding], path: str | Path) -> None:
    """Writes the rows that carry the numbers of findings, by finding, as JSON."""
    with atomic(path) as stream:
        json.dump({each.finding: each.shown for each in findings if each.shown}, stream, indent=1)


def _blank_none(row: dict[str, Any]) -> dict[str, Any]:
    return {key: "" if value is None else value for key, value in row.items()}
