"""Content of the report, read from a build's result files without further measurement or judgement.

The pages get plain rows (dictionaries of text, as in the CSV files) with a few additions: how many arms of the ledger
are alike, and how a bound compares with measurements over all settings at which it was evaluated.
"""

import importlib
import importlib.util
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any, get_args

from dpdescent.replication.build.files import MANIFEST, read_rows
from dpdescent.replication.build.provenance import ON_REQUEST, hashes
from dpdescent.replication.judging.evidence import ClaimKind
from dpdescent.replication.ledger import entries
from dpdescent.replication.ledger.verdicts import EXCEEDS, VIOLATED
from dpdescent.replication.report import statements
from dpdescent.replication.report.wording import slug

Row = dict[str, str]
View = dict[str, Any]

SEVERITIES = ("high", "medium", "low", "cosmetic")
STATUSES = ("confirmed", "partly", "question")
FINDING_KINDS = ("privacy", "mathematics", "data", "text", "unstated")

# Module of a paper that compares methods, and one that quotes results for the documentation.
CHOICE, QUOTES = "choice", "pages"

CLAIM_KINDS = get_args(ClaimKind)


@dataclass(frozen=True)
class Content:
    """A build's results, as rows of text.

    Attributes:
        folder: `results/<scale>`.
        papers: data on each paper other than its results (see `replication.report.about`).
        claims, findings, audit, privacy, bounds: rows of these files, bounds with a column `paper`.
        statements: inventories of what the papers state (see `replication.report.statements`).
        seed_check: verdicts at another master seed (see `replication.judging.other_seed`); empty without a check.
        trials: files on what the software withstands (see `replication.report.reliability`), and documents that are
            pages (see `replication.report.documents`).
        on_request: rows of claims, privacy and audit of artefacts on request; empty where none was made.
        letters: letters to authors, by finding.
        choice: data on which method to take, from the module `choice` of a paper; None in a build without one.
    """

    folder: Path
    papers: list[View] = field(repr=False)
    claims: list[Row] = field(repr=False)
    findings: list[Row] = field(repr=False)
    audit: list[Row] = field(repr=False)
    privacy: list[Row] = field(repr=False)
    bounds: list[Row] = field(repr=False)
    statements: list[View] = field(repr=False)
    seed_check: list[Row] = field(repr=False, default_factory=list)
    trials: Sequence[Path] = ()
    choice: View | None = field(repr=False, default=None)
    on_request: dict[str, list[Row]] = field(repr=False, default_factory=dict)
    letters: dict[str, str] = field(repr=False, default_factory=dict)

    def artefacts(self) -> list[tuple[View, View]]:
        """Pairs of every paper with each of its artefacts."""
        return [(paper, artefact) for paper in self.papers for artefact in paper["artefacts"]]


def load(folder: Path, papers: list[View], inventories: Iterable[Path] = (), trials: Sequence[Path] = ()) -> Content:
    """Reads the result files of a build, and inventories of the papers' statements, each named after its paper.

    For files on the reliability of the software only the names are kept.
    """
    claims, findings, audit = (read_rows(folder / f"{kind}.csv") for kind in ("claims", "findings", "audit"))
    privacy = entries.read(folder)
    bounds = [
        {"paper": paper["key"], **row} for paper in papers for row in read_rows(folder / paper["key"] / "bounds.csv")
    ]
    stated, file = statements.read(inventories), folder / "seed_check.csv"
    checked = read_rows(file) if file.is_file() else []
    method = choice(folder, papers)
    letters = {file.stem: file.read_text(encoding="utf-8") for file in sorted((folder / "letters").glob("*.md"))}
    return Content(
        folder, papers, claims, in_order(findings), audit, privacy, bounds, stated, checked, trials, method,
        requested(folder / ON_REQUEST), letters,
    )  # fmt: skip


def requested(folder: Path) -> dict[str, list[Row]]:
    """Reads claims, audit and ledger of artefacts on request; empty where none was made.

    Raises:
        SystemExit: in one line, if a file there is not what its manifest lists, because no build makes it again.
    """
    if not (folder / MANIFEST).is_file():
        return {}
    listed = dict(line.split("  ", 1)[::-1] for line in (folder / MANIFEST).read_text(encoding="utf-8").splitlines())
    actual = hashes(folder)
    if differing := sorted(name for name in listed | actual if listed.get(name) != actual.get(name)):
        raise SystemExit(f"{folder / differing[0]}: not what {folder / MANIFEST} lists; make the artefact again, or "
                         "`git checkout` the folder")  # fmt: skip
    return {kind: read_rows(folder / f"{kind}.csv") for kind in ("claims", "audit")} | {"privacy": entries.read(folder)}


def judged_on_request(requested: Iterable[Row], claim: Row) -> list[Row]:
    """The claims judged on request that the reason of a claim without a verdict names, in its order."""
    if claim["why"] != "on request":
        return []
    mine = {row["claim"]: row for row in requested if row["paper"] == claim["paper"]}
    return [mine[name] for name in re.findall(r"[\w.-]+", claim["criterion"]) if name in mine]


def choice(folder: Path, papers: Sequence[View]) -> View | None:
    """Data of the page on which method to take, from the first paper whose package has a module `choice`."""
    for paper in papers:
        if module := _module(paper["key"], CHOICE):
            data: View = module.view(folder / paper["key"], paper["settings"])
            return data
    return None


def quotes(folder: Path, papers: Sequence[View]) -> dict[str, str]:
    """Parts of `docs/beyond.md` that quote results, from the first paper whose package has a module `pages`.

    There are none in a build without that paper, or without one of those whose tables they quote.
    """
    for paper in papers:
        if module := _module(paper["key"], QUOTES):
            try:
                blocks: dict[str, str] = module.beyond(folder)
            except FileNotFoundError:
                return {}
            return blocks
    return {}


def _module(paper: str, name: str) -> ModuleType | None:
    module = f"dpdescent.papers.{paper}.{name}"
    return importlib.import_module(module) if importlib.util.find_spec(module) else None


def select(rows: Iterable[Row], **where: str) -> list[Row]:
    """Selects rows that have the given values in the named columns."""
    selected = list(rows)
    for column, value in where.items():
        selected = [row for row in selected if row[column] == value]
    return selected


def in_order(findings: Sequence[Row]) -> list[Row]:
    """Sorts findings by severity, then confirmed ones first, then privacy before mathematics before the rest."""
    ranks = (("severity", SEVERITIES), ("status", STATUSES), ("kind", FINDING_KINDS))
    return sorted(findings, key=lambda row: [names.index(row[column]) for column, names in ranks])


def artefact_of(results: Content, finding: Row) -> View | None:
    """Artefact that demonstrates a finding; None if a build does not make it."""
    mine = (paper["artefacts"] for paper in results.papers if paper["key"] == finding["paper"])
    return next(
        (artefact for artefacts in mine for artefact in artefacts if artefact["id"] == finding["artefact"]), None
    )


def place_of(finding: Mapping[str, Any]) -> str:
    """Address of a finding on the page of all findings."""
    return f"findings.html#finding-{slug(finding['paper'], finding['finding'])}"


def refuted(audit: Sequence[Row]) -> list[Row]:
    """Selects audits that contradict a claim or an account."""
    return [row for row in audit if row["verdict"] in (EXCEEDS, VIOLATED)]


def alike_arms(privacy: Sequence[Row]) -> list[View]:
    """Merges arms of the ledger that differ in numbers only into one row with the numbers' ranges."""
    words = ("mechanism", "relation", "sampler", "releases", "guarantee", "note")
    # Counts of releases are removed, because they are numbers in text; a bar joins releases of disjoint parts.
    groups = _grouped(privacy, lambda row: tuple(re.sub(r"^\d+ x |(?<=[;|] )\d+ x ", "", row[word]) for word in words))
    numbers = ("sensitivity", "noise_sd", "rho", "delta", "eps_paper", "eps_tight", "eps_audit_low")
    return [
        {
            **dict(zip(words, key, strict=True)), "arms": [row["arm"] for row in rows],
            **{name: extent(row[name] for row in rows) for name in numbers},
        }
        for key, rows in groups.items()
    ]  # fmt: skip


def extent(values: Iterable[str]) -> tuple[float, float] | None:
    """Smallest and largest number among texts, each of which may hold several numbers; None without numbers."""
    numbers = [float(number) for value in values for number in value.split("; ") if _is_number(number)]
    return (min(numbers), max(numbers)) if numbers else None


def bound_groups(bounds: Sequence[Row]) -> list[View]:
    """Groups of bounds: every bound of a paper over all settings at which it was evaluated."""
    groups = _grouped(bounds, lambda row: (row["paper"], row["bound"], row["location"]))
    return [
        {"paper": paper, "bound": bound, "location": location, "settings": len(rows), **_counts_by_state(rows)}
        for (paper, bound, location), rows in groups.items()
    ]


def _counts_by_state(rows: Sequence[Row]) -> View:
    """Counts by state, the ratio of bound to measurement, and the worst state in a word."""
    counts = {
        "holds": sum(row["holds"] == "True" for row in rows), "fails": sum(row["holds"] == "False" for row in rows),
        "vacuous": sum("vacuous:" in row["note"] for row in rows), "open": sum(row["holds"] == "" for row in rows),
    }  # fmt: skip
    ratios = [
        float(row["value"]) / float(row["measured"])
        for row in rows
        if _is_number(row["value"]) and _is_number(row["measured"]) and float(row["measured"]) != 0
    ]
    spread = (min(ratios), median(ratios), max(ratios)) if ratios else None
    first = next((row for row in rows if row["holds"] == "False"), rows[0])
    return {**counts, "ratio": spread, "state": _state(counts, len(rows)), "example": first}


def _state(counts: dict[str, int], settings: int) -> str:
    if counts["fails"]:
        return "fails somewhere"
    if counts["vacuous"] == settings:
        return "vacuous"
    if counts["vacuous"]:
        return "vacuous in part"
    return "holds" if counts["holds"] else "not judged"


STATES = ("fails somewhere", "vacuous", "vacuous in part", "holds", "not judged")


def _grouped(rows: Iterable[Row], key: Callable[[Row], tuple[str, ...]]) -> dict[tuple[str, ...], list[Row]]:
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def _is_number(text: str) -> bool:
    try:
        return float(text) == float(text)
    except ValueError:
        return False
