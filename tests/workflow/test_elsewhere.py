"""The project called from elsewhere: from another folder, as a module of another workflow, moved, and read-only."""

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import copies
import pytest
import sixth_paper
from copies import Build

from dpdescent.replication.build import compare

pytestmark = pytest.mark.workflow
PAPER = sixth_paper.KEY
FIGURE, QUICK = "liang2025_fig08", ("--config", "scale=quick")
FILES = ("liang2025/fig08.csv", "liang2025/fig08.svg")

MODULE = """
module dp:
    snakefile: {snakefile!r}
{more}

use rule * from dp as dp_*

rule all:
    default_target: True
    input: rules.dp_{target}.input
"""
# By the name of a way to call it: what the module's block has besides, what the workflow around has on the command
# line, and where the results lie. A value of that workflow's own is none of ours.
MODULES: dict[str, tuple[str, tuple[str, ...], str]] = {
    "as a module": ("    config: {'scale': SCALE}", (), "results"),
    "with a prefix": ("    prefix: 'sub/dp'", ("scale=SCALE", "other=1"), "sub/dp/results"),
}


def calls(checkout: Path, folder: Path, way: str, target: str, scale: str) -> tuple[list[str], Path]:
    """Arguments of Snakemake in a folder, and where the results will lie."""
    folder.mkdir()
    if way == "elsewhere":
        name = [] if target == "all" else [target]
        place = ["-s", str(checkout / "Snakefile"), "-d", str(folder)]
        return [*name, *place, "--config", f"scale={scale}"], folder / "results" / scale
    more, values, results = MODULES[way]
    text = MODULE.format(snakefile=str(checkout / "Snakefile"), more=more.replace("SCALE", repr(scale)), target=target)
    (folder / "Snakefile").write_text(text, encoding="utf-8")
    config = ["--config", *(value.replace("SCALE", scale) for value in values)] if values else []
    return config, folder / results / scale


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with one quick figure, in a folder whose name a shell and Snakemake might take for their own."""
    folder = copies.copy_project(tmp_path_factory.mktemp("it's ü") / "home")
    copies.snakemake(folder, "-c2", FIGURE, *QUICK)
    return folder


@pytest.mark.parametrize("way", ["elsewhere", *MODULES])
def test_quick_figure_has_equal_bytes_wherever_it_is_made(home: Path, tmp_path: Path, way: str) -> None:
    folder = tmp_path / "elsewhere"
    arguments, results = calls(home, folder, way, FIGURE, "quick")
    path = str(home / "src")
    before = {file for file in home.rglob("*") if "__pycache__" not in file.parts}
    output = copies.snakemake(tmp_path if way == "elsewhere" else folder, "-c2", *arguments, PYTHONPATH=path)
    assert way != "elsewhere" or output.splitlines()[-1] == "Open build/quick/pages/liang2025/fig08.html"
    for name in FILES:
        assert (results / name).read_bytes() == (home / "results/quick" / name).read_bytes(), name
    assert "Nothing to be done" in copies.snakemake(folder, "-n", *arguments, PYTHONPATH=path)
    table = results / FILES[0]
    table.write_text(f"{table.read_text()}edited\n")
    told = copies.snakemake(folder, "-c2", *arguments, code=1, PYTHONPATH=path).splitlines()[-1]
    assert told.split(" is ")[0] == os.path.relpath(table, folder)
    assert {file for file in home.rglob("*") if "__pycache__" not in file.parts} == before, (
        "the checkout was written to"
    )


@pytest.mark.parametrize("way", ["elsewhere", "with a prefix"])
def test_whole_build_has_equal_bytes_wherever_it_is_made(sixth: Build, tmp_path: Path, way: str) -> None:
    """With letters, claims, report and page, which read files of the checkout."""
    arguments, results = calls(sixth.folder, tmp_path / "elsewhere", way, "all", "paper")
    copies.snakemake(tmp_path / "elsewhere", "-c2", *arguments, PYTHONPATH=str(sixth.folder / "src"))
    assert compare.hashes(results) == compare.hashes(sixth.folder / "results/paper")


def test_first_rule_of_a_workflow_around_is_its_target(home: Path, tmp_path: Path) -> None:
    arguments, _ = calls(home, tmp_path / "around", "as a module", FIGURE, "quick")
    file = tmp_path / "around/Snakefile"
    module, _ = file.read_text().split("rule all:")
    file.write_text(f"rule all:\n    input: 'results/quick/{FILES[0]}'\n{module}")
    jobs = copies.snakemake(tmp_path / "around", "-n", *arguments, PYTHONPATH=str(home / "src"))
    assert "liang2025/fig08: summarise" in jobs
    assert "brown2024" not in jobs


def test_forced_training_of_a_module_trains(home: Path, tmp_path: Path) -> None:
    """Snakemake runs no handler of a module, in which parts of earlier builds are forgotten."""
    arguments, _ = calls(home, tmp_path / "around", "as a module", FIGURE, "quick")
    for more in ([], ["--forcerun", "dp_train"]):
        copies.snakemake(tmp_path / "around", "-c2", *arguments, *more, PYTHONPATH=str(home / "src"))
    log = (tmp_path / "around/build/quick/logs/train/liang2025/fig08/1.log").read_text()
    assert not log.splitlines()[-1].startswith("0 of ")


def test_moved_checkout_has_nothing_to_do(sixth: Build, tmp_path: Path) -> None:
    moved = Path(shutil.copytree(sixth.folder, tmp_path / "at" / "another place"))
    assert copies.plan(moved) == []


def refuse_writing(folder: Path) -> Path:
    """A folder whose code, found on the path, takes another one to be read-only, as it is on a mounted image."""
    patch = folder.parent / "patch"
    patch.mkdir()
    (patch / "sitecustomize.py").write_text(
        f"import os\nknown = os.access\nclosed = {str(folder)!r}\n"
        "os.access = lambda place, mode, **more: known(place, mode, **more) and not ("
        "mode & os.W_OK and os.path.abspath(place).startswith(closed))\n"
    )
    return patch


@pytest.mark.parametrize("arguments", [("-n",), ("-c1",), ("-c1", f"{PAPER}_fig01")], ids=" ".join)
def test_read_only_checkout_is_one_line(sixth: Build, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    folder = copies.copy_without(sixth.folder, tmp_path / "copy", ".snakemake", "build")
    path = os.pathsep.join(map(str, (refuse_writing(folder), folder / "src")))
    lines = copies.snakemake(folder, *arguments, code=1, PYTHONPATH=path).splitlines()
    told, mend = lines[-1].split(": ", 1)
    assert re.fullmatch(rf"{folder}(/\.snakemake)? cannot be written to, where a build keeps \.snakemake/locks", told)
    assert mend == f"work in a folder of yours: snakemake -s {folder}/Snakefile -d FOLDER"
    assert "Traceback" not in "\n".join(lines)


def profile_of_a_user(folder: Path) -> dict[str, str]:
    (folder / "config.yaml").write_text("rerun-triggers: [mtime]\nmax-checksum-file-size: 0\nrerun-incomplete: false\n")
    return {"SNAKEMAKE_PROFILE": str(folder)}


@pytest.mark.parametrize("settings", [profile_of_a_user], ids=["profile"])
def test_user_s_snakemake_keeps_no_result_of_other_values(
    sixth: Build, tmp_path: Path, settings: Callable[[Path], dict[str, str]]
) -> None:
    folder = Path(shutil.copytree(sixth.folder, tmp_path / "copy"))
    config = folder / "config/config.yaml"
    config.write_text(config.read_text().replace("seed: 20250922", "seed: 7"))
    (tmp_path / "user").mkdir()
    output = copies.snakemake(folder, "-n", **settings(tmp_path / "user"))
    assert f"{PAPER}/fig01/1: train" in output
