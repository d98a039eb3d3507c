"""Equal bytes, whatever the number of cores and parts, the folder, the hash seed, the time zone and the locale."""

import itertools
import json
import pkgutil
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import copies
import pytest
from copies import Build

from dpdescent.replication.build import compare
from dpdescent.replication.configuration import project
from dpdescent.replication.report.pages import PAGES

ROOT = Path(__file__).resolve().parents[2]


def manifest(build: Build) -> dict[str, str]:
    lines = (build.folder / "results/tiny/MANIFEST.sha256").read_text().splitlines()
    return {name: digest for digest, name in (line.split("  ") for line in lines)}


@pytest.mark.workflow
def test_two_builds_have_equal_bytes(builds: tuple[Build, Build]) -> None:
    first, second = builds
    parts = [{path.name for path in (build.folder / "build/tiny/parts").rglob("*.csv")} for build in builds]
    assert len(parts[1] - parts[0]) > 50, "the builds were cut into the same parts"
    one, other = manifest(first), compare.hashes(second.folder / "results/tiny")
    assert {name for name, digest in other.items() if one.get(name) != digest} == set()
    assert {str(Path(name).relative_to("results/tiny")) for name in copies.some_of_each(second.folder)} <= other.keys()
    kinds = [Path(name).suffix for name in one]
    whole = project.load({"scale": "tiny", "seed": 20250922, "papers": "all"}, first.folder).artefacts()
    tables = sum(artefact.is_table for artefact in whole)
    # The audit's figure belongs to no artefact.
    figures = len(whole) - tables + 1
    assert (kinds.count(".png"), kinds.count(".svg"), kinds.count(".tex")) == (0, figures, tables)
    # Pictures beside them are in no manifest, and equal all the same.
    beside = [file.relative_to(second.folder) for file in (second.folder / "results/tiny").rglob("*.png")]
    assert beside
    assert [file for file in beside if (first.folder / file).read_bytes() != (second.folder / file).read_bytes()] == []
    papers = len(list((first.folder / "config/papers").glob("*.yaml")))
    # Beside the artefacts' tables: the papers' bounds and settings; claims, their cells, findings, ledger, audit and
    # the parts' fingerprints.
    assert kinds.count(".csv") == len(whole) + 2 * papers + 7
    grave = len(list((first.folder / "src/dpdescent/papers").glob("*/demonstrations/[!_]*.py")))
    assert kinds.count(".html") == len(PAGES) + papers + grave


# Runs a stage script again and again in one process, because importing takes longer than judging.
JUDGE = """
import json, runpy, sys
for sys.argv in json.loads(sys.stdin.read()):
    runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.workflow
def test_judgements_do_not_hang_on_hashes_or_places(built: Build, tmp_path: Path) -> None:
    """Judged again with another hash seed, time zone and locale, from elsewhere."""
    whole = project.load({"scale": "tiny", "seed": 20250922, "papers": "all"}, built.folder)
    environment = compare.scratch_environment(built.folder) | {
        "PYTHONHASHSEED": "77",
        "TZ": "Asia/Kathmandu",
        "LC_ALL": "C",
    }
    calls, pairs = [], {}
    for key, verb in itertools.product(whole.papers, ("bounds", "claims", "findings")):
        folder, output = built.folder / "results/tiny" / key, tmp_path / f"{key}-{verb}.csv"
        script = str(built.folder / "workflow/scripts/judge.py")
        spec = project.judging_json(whole, key)
        calls.append([script, verb, "--folder", str(folder), "--output", str(output), "--spec", spec])
        pairs[output] = folder / "bounds.csv" if verb == "bounds" else built.folder / f"build/tiny/{verb}/{key}.csv"
    command = [sys.executable, "-c", JUDGE]
    subprocess.run(command, cwd=tmp_path, env=environment, input=json.dumps(calls), text=True, check=True)
    assert len(pairs) == 3 * len(whole.papers)
    for output, made in pairs.items():
        assert output.read_bytes() == made.read_bytes(), output.name


@pytest.mark.workflow
def test_manifest_lists_what_lies_there(built: Build) -> None:
    checked = subprocess.run(["sha256sum", "--check", "--quiet", "MANIFEST.sha256"], cwd=built.folder / "results/tiny")
    assert checked.returncode == 0
    assert compare.hashes(built.folder / "results/tiny") == manifest(built)


@pytest.mark.workflow
def test_results_name_neither_times_nor_places(built: Build) -> None:
    """No table, page or drawing holds a date, a clock's reading or a path of this machine."""
    this_year = re.compile(r"\b20\d\d-\d\d-\d\d\b")
    for name in manifest(built):
        content = (built.folder / "results/tiny" / name).read_bytes()
        assert str(built.folder).encode() not in content, name
        assert not this_year.search(content.decode()), name
    for file in (built.folder / "results/tiny").rglob("*.png"):
        content = file.read_bytes()
        assert b"Software" not in content
        assert b"tIME" not in content


@pytest.mark.workflow
def test_parts_are_fingerprinted_and_found_again(built: Build) -> None:
    committed = compare.part_sums(compare.read_rows(built.folder / "results/tiny/parts.csv"))
    whole = project.load({"scale": "tiny", "seed": 20250922, "papers": "all"}, built.folder)
    for artefact in whole.artefacts():
        for part in artefact.parts:
            file = built.folder / f"build/tiny/parts/{artefact.item}/{part.name}.csv"
            assert compare.part_difference(committed, artefact, part.name, file) == ""


def test_real_data_runs_do_not_depend_on_where_trials_are_cut(tmp_path: Path) -> None:
    """Runs are columns of one product in blocks of a fixed width; these parts end inside blocks and at their edges."""
    whole = project.load({"scale": "paper", "seed": 20250922, "papers": "all"}, ROOT)
    artefact = whole.papers["liang2025"].artefacts["fig13"]
    part = artefact.parts[0]
    data = tmp_path / "data.csv"
    spec = json.dumps(project.data_spec(whole, "liang2025", str(part.dataset)))
    subprocess.run(
        [sys.executable, ROOT / "workflow/scripts/data.py", "--spec", spec, "--output", data],
        check=True, capture_output=True,
    )  # fmt: skip
    run = pkgutil.resolve_name(artefact.run)
    arms = {**part.spec["arms"], "T": 3, "rho": [1.0]}

    def rows(start: int, stop: int) -> list[dict[str, object]]:
        return list(run({**part.spec, "arms": arms, "trials": [start, stop], "data": str(data)}))

    together = rows(0, 230)
    cuts = [0, 1, 37, 100, 163, 230]
    assert [row for start, stop in pairwise(cuts) for row in rows(start, stop)] == together
    assert len({row["trial"] for row in together}) == 230


def test_pipeline_pins_blas_before_all_else() -> None:
    """Each script and each command of the pipeline: with other threads the last bits differ."""
    files = [*(ROOT / "workflow/scripts").glob("*.py"), *(ROOT / "src/dpdescent/replication/commands").glob("*.py")]
    for file in files:
        first = re.search(r"^(?:import|from) .*", file.read_text(encoding="utf-8"), re.MULTILINE)
        if file.name not in ("__init__.py", "checkout.py"):
            assert first
            assert first[0].startswith("import dpdescent.replication.pins"), file
