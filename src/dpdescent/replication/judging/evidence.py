"""The evidence: bounds, claims and findings as records, and the tables from which they are made."""

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
# The subject of a claim, and its source: the paper; this project (`ours`); an analogue of a claim of the paper, with
# other data; an identity, which is true by construction or compares one printed formula with another, so that no run
# can decide it; or `yours`, in place of any of these, where experiments of the paper ran with values of the user's own.
ClaimKind = Literal["figure", "table", "theorem", "text", "privacy"]
Source = Literal["paper", "ours", "analogue", "identity", "yours"]
# Reasons why a claim is undecided: its interval straddles the criterion; the conditions of its theorem do not hold at
# any setting that was run; readings of a value, or of words, that the paper leaves open disagree; a constant has no
# value; too few runs were made for an interval; or another seed does not repeat the verdict.
Undecided = Literal[
    "interval", "outside the regime", "unstated value decides", "hidden constant", "too few runs", "another seed"
]
# Reasons why nothing can judge a claim: it is an opinion, or about other works; it cannot fail; what it needs is out of
# reach; it is judged on request, from runs that no build makes by itself; or the grid of a build lacks the rows.
Unjudged = Literal["opinion", "literature", "by construction", "out of reach", "on request", "no rows"]
Why = Literal["", Undecided, Unjudged]
FindingKind = Literal["privacy", "mathematics", "text", "data", "unstated"]
Severity = Literal["high", "medium", "low", "cosmetic"]
Status = Literal["confirmed", "partly", "question"]


@dataclass(frozen=True)
class Bound:
    """A bound of the paper at one setting, beside the measured value; `holds` is None where nothing was measured."""

    bound: str
    location: str
    setting: str
    value: float
    measured: float | None = None
    holds: bool | None = None
    note: str = ""


@dataclass(frozen=True)
class Cell:
    """One cell of a claim about many cells of a table: its value with a 95 % interval, and its verdict."""

    cell: str
    value: float
    low: float
    high: float
    verdict: Verdict


@dataclass(frozen=True)
class Claim:
    """A claim with the verdict that the computation gave.

    Attributes:
        claim: its id, unique in the paper.
        kind, source: its subject, and its source.
        why: the reason why it is inconclusive or not testable; empty otherwise.
        measured, low, high: the estimate and its 95 % interval.
        changed: the reason why its criterion or rule is not the one first written; empty where it is that one.
        cells: its value and verdict in each cell, where it is about several; they stand in a table of their own.
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


# The most words that all parts of a finding's text have together.
MOST_WORDS = 120
# Kinds of finding that always say why the counterexample works and what would mend the statement.
REASONED_KINDS: tuple[FindingKind, ...] = ("privacy", "mathematics")
# Authors get a letter about findings of these severities.
GRAVE: tuple[Severity, ...] = ("high", "medium")

# Rows of a table as text, the head first.
Excerpt = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Finding:
    """A finding: what is wrong or missing in the paper, with the reading under which the paper would be right.

    Attributes:
        statement: the statement of the paper.
        expected: the number or behaviour that would follow from it.
        measured: the smallest counterexample with its numbers, the worst case first.
        charitable_reading, why, repair: the meaning under which the statement holds; the reason why the counterexample
            works; the change that mends the statement.
        headline: one plain sentence, subject first, with the worst number, for front pages, from severity medium on.
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
    """The evidence that judgement may use: the committed tables, the settings and the published values.

    It holds no single trials and no random numbers.

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
        """The settings of an artefact's runs: its own, and the paper's settings for all others."""
        own: dict[str, Any] = self.spec["artefacts"].get(artefact, {}).get("settings", {})
        return self.settings | own

    @property
    def published(self) -> dict[str, Any]:
        return dict(self.spec["published"])


def rows(
    columns: Sequence[str], evidence: Evidence, artefact: str, variant: str = "main", **where: object
) -> pd.DataFrame:
    """Rows of a table that have the given values; no rows where the table is not there, or is empty.

    A paper's `criteria` binds its columns once: `rows = partial(evidence.rows, COLUMNS)`. Columns that the table lacks,
    of these or of those in `where`, are filled with NaN.
    """
    table = evidence.tables.get(artefact, pd.DataFrame())
    wanted = {"variant": variant, **where}
    matching = _with(table, wanted) if set(wanted) <= set(table.columns) else table[:0]
    missing = [name for name in dict.fromkeys([*columns, *wanted]) if name not in matching]
    return matching.reindex(columns=[*matching.columns, *missing]) if missing else matching


def _with(table: pd.DataFrame, wanted: Mapping[str, object]) -> pd.DataFrame:
    """Rows that have the wanted values, numbered anew."""
    return table.take(places_of(table, wanted)).reset_index(drop=True)


def places_of(table: pd.DataFrame, wanted: Mapping[str, object]) -> NDArray[np.intp]:
    """Places of the rows that have the wanted values; by one mask, because a table per value takes twice the time."""
    mask = np.ones(len(table), dtype=bool)
    for column, value in wanted.items():
        mask &= np.asarray(table[column] == value, dtype=bool)
    return np.flatnonzero(mask)


def at_their_values(claims: Sequence[Claim], spec: Mapping[str, Any]) -> list[Claim]:
    """Claims with the source `yours`, where experiments of the paper ran with values of the user's own.

    All claims of the paper get this source, because one claim may read several tables; identities keep theirs, because
    they depend on no run.

    Args:
        spec: the specification by which they were judged; `yours` is true where there are such values.
    """
    if not spec.get("yours"):
        return list(claims)
    return [claim if claim.source == "identity" else dataclasses.replace(claim, source="yours") for claim in claims]


def findings_at_their_values(findings: Sequence[Finding], spec: Mapping[str, Any]) -> list[Finding]:
    """Findings whose measured text says that it was measured at the user's own values, where it was.

    The text says so because the table of findings has no column of sources, and is read without the pages that say it
    once for all findings.

    Args:
        spec: the specification by which the findings were demonstrated, as for `at_their_values`.
    """
    if not spec.get("yours"):
        return list(findings)
    return [dataclasses.replace(finding, measured=f"at your values: {finding.measured}") for finding in findings]


def joined(*notes: str) -> str:
    """Several notes as one; empty ones are left out."""
    return "; ".join(filter(None, notes))


def write(records: Sequence[Any], kind: type, path: str | Path) -> None:
    """Writes records of one kind as CSV, in the order in which they were made."""
    columns = [field.name for field in dataclasses.fields(kind) if field.metadata.get("column", True)]
    rows = ({name: getattr(record, name) for name in columns} for record in records)
    write_rows(path, columns, [_blank_none(row) for row in rows])


def write_cells(claims: Sequence[Claim], path: str | Path) -> None:
    """Writes the cells of claims about many cells, a row per cell."""
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
        json.dump({finding.finding: finding.shown for finding in findings if finding.shown}, stream, indent=1)


def _blank_none(row: dict[str, Any]) -> dict[str, Any]:
    return {key: "" if value is None else value for key, value in row.items()}
