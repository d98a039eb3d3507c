"""Comparing two builds: equal bytes, or tables whose numbers agree within the tolerance that CPU classes need."""

import math
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from dpdescent.replication.build.files import read_rows
from dpdescent.replication.build.provenance import hashes
from dpdescent.replication.configuration.project import Artefact

# Another BLAS kernel changes last bits; a distance below the floor is rounding and has no digits to agree in.
RELATIVE, FLOOR = 1e-9, 1e-11
# The page of verdicts is written from these tables, every other drawing from the table of its own name.
PAGE, VERDICTS = "README.md", ("claims.csv", "findings.csv", "audit.csv")
# The report and the letters quote any table.
QUOTING = ("report/", "letters/")
FOLLOWS = "its table differs"
# What a build in a scratch copy needs of a checkout.
SOURCES = ("CITATION.cff", "Snakefile", "config", "docs", "profiles", "pyproject.toml", "src", "workflow")


@dataclass
class Report:
    """Outcome of a comparison; names are relative to the folders."""

    same: list[str] = field(default_factory=list)
    close: list[str] = field(default_factory=list)
    redrawn: list[str] = field(default_factory=list)
    different: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)

    @property
    def differs(self) -> bool:
        return bool(self.different or self.missing)

    def text(self) -> str:
        """A few lines for people."""
        if not any((self.same, self.close, self.redrawn, self.different, self.missing)):
            return "Nothing to compare with: no results came with this checkout."
        lines = [f"Compared with the results that came with this checkout: {len(self.same)} files have equal bytes."]
        if self.close:
            lines.append(f"{len(self.close)} tables agree within {RELATIVE:g} relative (another CPU class).")
        if self.redrawn:
            names = ", ".join(self.redrawn[:4])
            lines.append(f"{len(self.redrawn)} figures and pages differ in bytes, their tables agree: {names}")
        lines += [f"DIFFERS  {name}: {why}" for name, why in self.different.items() if why != FOLLOWS]
        if drawn := sum(why == FOLLOWS for why in self.different.values()):
            lines.append(f"DIFFERS  {drawn} figures and pages that are drawn from these tables")
        lines += [f"MISSING  {name}: it came with the checkout and is not made" for name in self.missing]
        lines += [f"NEW      {name}" for name in self.added]
        return "\n".join(lines)


def folders(made: str | Path, reference: str | Path) -> Report:
    """Compares all tables and figures of two folders."""
    new, old = hashes(made), hashes(reference)
    report = Report(missing=sorted(set(old) - set(new)), added=sorted(set(new) - set(old)) if old else [])
    for name in sorted(set(new) & set(old)):
        if new[name] == old[name]:
            report.same.append(name)
        elif name.endswith(".csv"):
            why = table_difference(Path(made) / name, Path(reference) / name)
            if why:
                report.different[name] = why
            else:
                report.close.append(name)
    for name in sorted(set(new) & set(old)):
        if new[name] != old[name] and not name.endswith(".csv"):
            _judge_drawing(name, report)
    return report


def _judge_drawing(name: str, report: Report) -> None:
    """A drawing or page may differ in bytes where its tables agree within the tolerance; with equal ones it may not."""
    if any(_quotes(name, table) for table in report.different):
        report.different[name] = FOLLOWS
    elif any(_quotes(name, table) for table in report.close):
        report.redrawn.append(name)
    else:
        report.different[name] = "bytes differ, although its table is the same"


def _quotes(name: str, table: str) -> bool:
    """Whether a drawing or page is made from a table: a page or a letter from any, a figure from that of its name."""
    if name.startswith(QUOTING):
        return table.endswith(".csv")
    return table in VERDICTS if name == PAGE else table == str(Path(name).with_suffix(".csv"))


def table_difference(made: Path, reference: Path) -> str:
    """What differs first between two tables beyond the tolerance; empty if nothing does."""
    new, old = read_rows(made), read_rows(reference)
    if len(new) != len(old):
        return f"{len(new)} rows instead of {len(old)}"
    for line, (row, other) in enumerate(zip(new, old, strict=True), start=2):
        if row.keys() != other.keys():
            return f"columns {sorted(row.keys() ^ other.keys())} differ"
        for column, value in row.items():
            if not agree(value, other[column]):
                return f"line {line}, {column}: {value} instead of {other[column]}"
    return ""


def agree(value: str, other: str) -> bool:
    """Equal texts, or numbers within the tolerance."""
    if value == other:
        return True
    try:
        return math.isclose(float(value), float(other), rel_tol=RELATIVE, abs_tol=FLOOR)
    except ValueError:
        return False


def scorecard(results: str | Path) -> str:
    """Verdicts on each paper's own claims, one line a paper."""
    claims = [claim for claim in read_rows(Path(results) / "claims.csv") if claim["source"] == "paper"]
    papers = list(dict.fromkeys(claim["paper"] for claim in claims))
    counts = {paper: Counter(claim["verdict"] for claim in claims if claim["paper"] == paper) for paper in papers}
    return "\n".join(
        f"{paper}: " + ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts[paper].items()))
        for paper in papers
    )


def told(made: str | Path, reference: str | Path, build: str | Path) -> str:
    """How a build compares with a reference, its verdicts, and where to look, for the terminal."""
    lines = [folders(made, reference).text()]
    if (Path(made) / "claims.csv").exists():
        lines += [scorecard(made), f"Open {made}/report/index.html for figures and verdicts; logs are in {build}/logs."]
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


def part_difference(committed: PartSums, artefact: Artefact, part: str, made: Path) -> str:
    """What differs between a recomputed part and its committed fingerprint; empty if nothing does."""
    rows = read_rows(made)
    for column in ["value", *artefact.measures]:
        if (artefact.item, part, column) not in committed:
            return f"column {column} of this part is not in the committed fingerprints"
        count, total = committed[artefact.item, part, column]
        if count != len(rows):
            return f"{len(rows)} rows instead of {count}"
        # What was not measured is left out of the committed sum too.
        values = [value for row in rows if not math.isnan(value := float(row[column] or "nan"))]
        # Sums of many terms cancel: the tolerance refers to the sum of sizes.
        scale = sum(abs(value) for value in values if math.isfinite(value))
        if not _is_sum(sum(values), total, scale):
            return f"sum of {column} is {sum(values)!r} instead of {total!r}"
    return ""


def _is_sum(made: float, committed: float, scale: float) -> bool:
    if math.isnan(committed):
        return math.isnan(made)
    return math.isclose(made, committed, rel_tol=RELATIVE, abs_tol=RELATIVE * scale + FLOOR)


def scratch_environment(folder: str | Path) -> dict[str, str]:
    """The environment for a build in a copy: its own sources come before those of the installed package."""
    return {**os.environ, "PYTHONPATH": str(Path(folder) / "src")}
