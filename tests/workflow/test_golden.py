"""Committed tables give the committed claims, bounds and findings again, and the committed figures."""

import importlib
import json
import math
import pkgutil
import re
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest

from dpdescent.replication.build import compare, tables
from dpdescent.replication.build.files import read_rows, write_rows
from dpdescent.replication.build.provenance import ON_REQUEST, RECORD
from dpdescent.replication.commands import on_request
from dpdescent.replication.configuration import project
from dpdescent.replication.drawing import audit_figure, figures
from dpdescent.replication.judging import evidence, other_seed

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results/paper"
SEED = json.loads((RESULTS / RECORD).read_text())["seed"]
PROJECT = project.load({"scale": "paper", "seed": SEED, "papers": "all"}, ROOT)
# matplotlib names clip paths, markers, hatches, images and paths by hashes of what they hold.
NAMES = re.compile(r"\b(?:[mph]|image|C[0-9a-f]+_[0-9a-f]+_)[0-9a-f]{10}\b")
NUMBER = re.compile(r"(-?\d+\.\d+(?:e-?\d+)?)")
# An SVG has six decimals, the last of which may be rounded either way on another processor.
LAST_DECIMAL = 2e-6


@pytest.mark.parametrize("key", PROJECT.papers)
def test_judging_gives_what_is_committed(key: str, tmp_path: Path) -> None:
    """Bounds by row; claims in all columns, with what they saw in each cell; findings; claims on request."""
    spec = json.loads(project.judging_json(PROJECT, key))
    committed = evidence.Evidence.read(spec, RESULTS / key)
    bounds, claims, findings = (
        getattr(importlib.import_module(f"dpdescent.papers.{key}.{module}"), verb)(committed)
        for module, verb in (("bounds", "evaluate"), ("claims", "judge"), ("findings", "demonstrate"))
    )
    if (ROOT / other_seed.FILE).is_file():
        claims = other_seed.lasting(claims, read_rows(ROOT / other_seed.FILE))
    evidence.write(bounds, evidence.Bound, tmp_path / "bounds.csv")
    evidence.write(findings, evidence.Finding, tmp_path / "findings.csv")
    for folder, judged in (("", claims), (ON_REQUEST, on_request.judged(PROJECT, key, RESULTS))):
        evidence.write(judged, evidence.Claim, tmp_path / folder / "claims.csv")
        evidence.write_cells(judged, tmp_path / folder / "claims_cells.csv")
    assert not differences(tmp_path / "bounds.csv", RESULTS / key / "bounds.csv")
    verdicts = [f"{folder}claims{cells}.csv" for folder in ("", f"{ON_REQUEST}/") for cells in ("", "_cells")]
    for name in (*verdicts, "findings.csv"):
        rows = read_rows(RESULTS / name) if (RESULTS / name).is_file() else []
        with open(tmp_path / name, encoding="utf-8") as stream:
            columns = stream.readline().strip().split(",")
        write_rows(tmp_path / "committed.csv", columns, [row for row in rows if row["paper"] == key])
        assert not differences(tmp_path / name, tmp_path / "committed.csv"), name


@pytest.mark.parametrize("key", PROJECT.papers)
def test_drawing_gives_the_committed_figures(key: str, tmp_path: Path) -> None:
    paper = PROJECT.papers[key]
    for artefact in (paper.artefacts | paper.on_request).values():
        file = RESULTS / f"{artefact.item}.csv"
        if artefact.on_request and not file.is_file():
            continue
        table = tables.read(file)
        if artefact.is_table:
            spec = json.loads(project.table_json(artefact))
            shown = table[spec["columns"]] if spec["columns"] else table
            for suffix, write in ((".md", tables.as_markdown), (".tex", tables.as_latex)):
                assert write(shown, spec["title"]) == file.with_suffix(suffix).read_text(), artefact.item
        else:
            spec = json.loads(project.figure_json(PROJECT, artefact, ""))
            figures.use_style()
            figure = pkgutil.resolve_name(artefact.draw)(table, spec["display"])
            figures.caption(figure, spec)
            assert not redrawn(figure, file.with_suffix(".svg"), tmp_path), artefact.item


def test_drawing_gives_the_committed_figure_of_audits(tmp_path: Path) -> None:
    figures.use_style()
    assert not redrawn(audit_figure.draw(tables.read(RESULTS / "audit.csv"), ""), RESULTS / "audit.svg", tmp_path)


def differences(made: Path, committed: Path) -> str:
    """What differs first between two tables; nothing if they agree within the tolerance of another processor."""
    return "" if made.read_bytes() == committed.read_bytes() else compare.table_difference(made, committed)


def redrawn(figure: Any, committed: Path, folder: Path) -> str:
    """What differs first between a figure and a committed one, names apart; nothing if they agree."""
    figures.save(figure, folder / "made.svg")
    plt.close("all")
    made, known = ((NAMES.sub("", file.read_text())) for file in (folder / "made.svg", committed))
    if made == known:
        return ""
    pieces, others = NUMBER.split(made), NUMBER.split(known)
    if len(pieces) != len(others):
        return f"{len(pieces)} pieces instead of {len(others)}"
    pairs = ((one, other) for one, other in zip(pieces, others, strict=True) if not alike(one, other))
    return next((f"{one[:200]!r} instead of {other[:200]!r}" for one, other in pairs), "")


def alike(one: str, other: str) -> bool:
    if one == other:
        return True
    numbers = NUMBER.fullmatch(one) and NUMBER.fullmatch(other)
    return bool(numbers) and math.isclose(float(one), float(other), rel_tol=compare.RELATIVE, abs_tol=LAST_DECIMAL)
