"""A comparison of two builds: equal bytes, or tables whose numbers agree within the tolerance that CPU classes need."""

import csv
import json
import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dpdescent.replication.build import origin
from dpdescent.replication.build.files import MANIFEST, is_damaged, listed, read_rows, refusal, restored
from dpdescent.replication.build.provenance import RECORD, hashes
from dpdescent.replication.configuration.project import Artefact

# Tolerances for another BLAS kernel, which changes the last bits of every number: relative to the number, and relative
# to the scale of its column, because numbers of that scale may have cancelled.
RELATIVE, OF_SCALE = 1e-9, 1e-12
# A column that nowhere exceeds this number holds only the rest that is left where numbers of size one cancel.
ROUNDING = 1e-12
# The page of verdicts is written from these tables, every other drawing from the table of its own name.
PAGE, VERDICTS = "README.md", ("claims.csv", "findings.csv", "audit.csv")
# The report and the letters quote any table.
QUOTING = ("report/", "letters/")
FOLLOWS = "its table differs"
# Files and folders of a checkout that a build in a scratch copy needs.
SOURCES = ("CITATION.cff", "Snakefile", "config", "docs", "profiles", "pyproject.toml", "src", "workflow")
# Further files of a checkout that the report shows, where they exist.
SHOWN = (
    "requirements.lock", "results/bench.csv", "README.md", "examples/regression.ipynb", "examples/instruments.ipynb",
)  # fmt: skip


@dataclass
class Report:
    """Outcome of a comparison; names are relative to the folders.

    Attributes:
        against: the reference of the comparison, in words.
        same, close, redrawn: files with equal bytes, tables with equal numbers, drawings of such tables.
        different: the first difference in words, by file.
        missing, added: files that only the reference has, and files that it lacks.
        edited: files of the reference that differ from its own manifest.
    """

    against: str
    same: list[str] = field(default_factory=list)
    close: list[str] = field(default_factory=list)
    redrawn: list[str] = field(default_factory=list)
    different: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)

    @property
    def differs(self) -> bool:
        return bool(self.different or self.missing or self.edited)

    def text(self) -> str:
        """The outcome in a few lines for people."""
        if not any((self.same, self.close, self.redrawn, self.different, self.missing)):
            return f"Nothing to compare with: there are no files among {self.against}."
        lines = [f"Compared with {self.against}: {len(self.same)} files have equal bytes."]
        if self.close:
            lines.append(f"{len(self.close)} tables agree within {RELATIVE:g} relative (another CPU class).")
        if self.redrawn:
            names = ", ".join(self.redrawn[:4])
            lines.append(f"{len(self.redrawn)} figures and pages differ in bytes, their tables agree: {names}")
        lines += [f"DIFFERS  {name}: {why}" for name, why in self.different.items() if why != FOLLOWS]
        if drawn := sum(why == FOLLOWS for why in self.different.values()):
            lines.append(f"DIFFERS  {drawn} figures and pages that are drawn from these tables")
        lines += [f"MISSING  {name}: it is there and is not made" for name in self.missing]
        lines += [f"NEW      {name}" for name in self.added]
        lines += [f"EDITED   {name}: not what {MANIFEST} lists there" for name in self.edited]
        return "\n".join(lines)


def folders(built: str | Path, reference: str | Path) -> Report:
    """Compares all tables and figures of two folders: by their hashes, then tables by their numbers."""
    new, old, declared = hashes(built), hashes(reference), declared_tolerances(reference)
    report = Report(origin.described(reference), edited=edited(reference, old))
    report.missing, report.added = sorted(set(old) - set(new)), sorted(set(new) - set(old)) if old else []
    for name in sorted(set(new) & set(old)):
        if new[name] == old[name]:
            report.same.append(name)
        elif name.endswith(".csv"):
            why = table_difference(Path(built) / name, Path(reference) / name, _declared(name, declared))
            if why:
                report.different[name] = why
            else:
                report.close.append(name)
    for name in sorted(set(new) & set(old)):
        if new[name] != old[name] and not name.endswith(".csv"):
            _judge_drawing(name, report)
    return report


def declared_tolerances(folder: str | Path) -> dict[str, float]:
    """Tolerances that artefacts declare, by item, because their runs amplify differences in last digits."""
    file = Path(folder) / RECORD
    tolerances: dict[str, float] = json.loads(file.read_text()).get("agrees_within", {}) if file.is_file() else {}
    return tolerances


def _declared(name: str, declared: Mapping[str, float]) -> float:
    """The declared tolerance of a table: its artefact's, or the largest for a table that may quote any artefact."""
    item = name.removesuffix(".csv")
    return declared.get(item, 0.0) if "/" in item else max(declared.values(), default=0.0)


def edited(folder: str | Path, actual: Mapping[str, str]) -> list[str]:
    """Files of a folder that differ from its manifest, or are gone; none without a manifest.

    Args:
        folder: folder of results.
        actual: hashes of its files by name, see `provenance.hashes`.
    """
    return sorted(name for name, expected in listed(Path(folder) / MANIFEST).items() if actual.get(name) != expected)


def _judge_drawing(name: str, report: Report) -> None:
    """Adds a drawing or page to the report: its bytes may differ where its tables differ within the tolerance."""
    if any(_quotes(name, table) for table in report.different):
        report.different[name] = FOLLOWS
    elif any(_quotes(name, table) for table in report.close):
        report.redrawn.append(name)
    else:
        report.different[name] = "bytes differ, although its table is the same"


def _quotes(name: str, table: str) -> bool:
    """Whether a drawing or page is made from a table: pages and letters from any, a figure from that of its name."""
    if name.startswith(QUOTING):
        return table.endswith(".csv")
    return table in VERDICTS if name == PAGE else table == str(Path(name).with_suffix(".csv"))


def table_difference(built: Path, reference: Path, within: float = 0.0) -> str:
    """The first difference between two tables beyond the tolerance, in words; empty if there is none.

    Args:
        built, reference: the tables.
        within: tolerance that is declared for them, where it is larger than the tolerance for all tables.
    """
    new, old = _rows(built), _rows(reference)
    if len(new) != len(old):
        return f"{len(new)} rows instead of {len(old)}"
    scales = {column: scale([row.get(column, "") for row in [*new, *old]]) for column in (old[0] if old else ())}
    for line, (row, other) in enumerate(zip(new, old, strict=True), start=2):
        if row.keys() != other.keys():
            return f"columns {sorted(row.keys() ^ other.keys())} differ"
        for column, value in row.items():
            if not agree(value, other[column], scales[column], within):
                return f"line {line}, {column}: {value} instead of {other[column]}"
    return ""


def scale(column: Iterable[str]) -> float:
    """Median size of a column's numbers other than 0; 1 if all are as small as the rounding errors of such numbers."""
    sizes = sorted(abs(number) for number in map(_number, column) if number and math.isfinite(number))
    return sizes[len(sizes) // 2] if sizes and sizes[-1] > ROUNDING else 1.0


def agree(value: str, other: str, scale: float, within: float = 0.0) -> bool:
    """Whether texts are equal, or are numbers within the tolerance for a column of this scale."""
    relative, absolute = max(RELATIVE, within), max(OF_SCALE, 1e-3 * within) * scale
    return value == other or math.isclose(_number(value), _number(other), rel_tol=relative, abs_tol=absolute)


def _number(text: str | None) -> float:
    """The number of a text; NaN, which agrees with nothing, for other text and for a missing end of a cut row."""
    try:
        return float(text or "")
    except ValueError:
        return math.nan


def _rows(file: Path) -> list[dict[str, str]]:
    """Rows of a table, read without a check of its hash, because a compared table may differ from what was written."""
    with open(file, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def scorecard(results: str | Path) -> str:
    """Verdicts on each paper's own claims, one line per paper."""
    claims = [claim for claim in read_rows(Path(results) / "claims.csv") if claim["source"] == "paper"]
    papers = list(dict.fromkeys(claim["paper"] for claim in claims))
    counts = {paper: Counter(claim["verdict"] for claim in claims if claim["paper"] == paper) for paper in papers}
    return "\n".join(
        f"{paper}: " + ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts[paper].items()))
        for paper in papers
    )


def closing_lines(results: str | Path, reference: str | Path, build: str | Path, asked: Sequence[str] = ()) -> str:
    """Lines for the terminal at the end of a build: its comparison with a reference, its verdicts, and its report.

    Args:
        results, reference, build: the folders of the build's results, of the reference, and of what lies between.
        asked: names in `results` of the files of the figures and tables that alone were asked for; whoever asks for
            one is told of these, and not of all verdicts.
    """
    report = folders(results, reference)
    lines = [report.text()]
    if equal := [name for name in asked if name in report.same]:
        lines.append(f"Among them is what was asked for: {', '.join(equal)}")
    if asked:
        return "\n".join(lines)
    claims = Path(results) / "claims.csv"
    if claims.exists() and is_damaged(claims) and not restored([claims]):
        lines.append(refusal([claims]))
    elif claims.exists():
        lines += [
            scorecard(results),
            f"Open {results}/report/index.html for figures and verdicts; logs are in {build}/logs.",
        ]
    return "\n".join(lines)


PartSums = dict[tuple[str, str, str], tuple[int, float]]


def part_sums(rows: list[dict[str, str]]) -> PartSums:
    """Committed fingerprints by (item, part, column)."""
    return {
        (f"{row['paper']}/{row['artefact']}", row["part"], row["column"]): (
            int(row["rows"]),
            float(row["sum"] or "nan"),
        )
        for row in rows
    }


def part_difference(committed: PartSums, artefact: Artefact, part: str, recomputed: Path) -> str:
    """The difference between a recomputed part and its committed fingerprint, in words; empty if there is none."""
    rows = _rows(recomputed)
    for column in ["value", *artefact.measures]:
        if (artefact.item, part, column) not in committed:
            return f"column {column} of this part is not in the committed fingerprints"
        count, total = committed[artefact.item, part, column]
        if count != len(rows):
            return f"{len(rows)} rows instead of {count}"
        # Missing values are left out, as they are in the committed sum.
        values = [value for row in rows if not math.isnan(value := float(row[column] or "nan"))]
        # Sums of many terms cancel: the tolerance refers to the sum of sizes.
        scale = sum(abs(value) for value in values if math.isfinite(value))
        if not _is_sum(sum(values), total, scale, max(RELATIVE, artefact.agrees_within)):
            return f"sum of {column} is {sum(values)!r} instead of {total!r}"
    return ""


def _is_sum(recomputed: float, committed: float, scale: float, relative: float) -> bool:
    if math.isnan(committed):
        return math.isnan(recomputed)
    return math.isclose(recomputed, committed, rel_tol=relative, abs_tol=relative * scale + ROUNDING)


def scratch_environment(folder: str | Path) -> dict[str, str]:
    """The environment for a build in a copy: its own sources come before those of the installed package."""
    return {**os.environ, "PYTHONPATH": str(Path(folder) / "src")}
