"""Descriptions of tables: every column of every committed table has words, and the words are about columns that are."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

from dpdescent.replication.commands import metadata
from dpdescent.replication.configuration import project, values
from dpdescent.replication.configuration.values import ConfigError
from dpdescent.replication.report import datapackage

ROOT = Path(__file__).resolve().parents[2]
PAPER, ON_REQUEST = ROOT / "results/paper", ROOT / "results/paper/on_request"
WHOLE = project.load({"scale": "paper", "seed": 1, "papers": "all"}, ROOT)

# A paper with a figure, and words of all papers and of its own.
ABOUT: dict[str, Any] = {
    "key": "p", "symbols": {"n": "sample size", "rho": "budget"}, "on_request": [],
    "artefacts": [
        {"id": name, "place": "Figure 1", "title": "Errors", "caption": "All errors.", "measures": ["shift"]}
        for name in ("fig01", "fig02")
    ],
}  # fmt: skip
WORDS: dict[str, Any] = {
    "artefacts": {"mean": "mean over trials"}, "papers": {"p": {"shift": "a move", "fig01.rho": "budget of a stage"}},
    "tables": {
        "bounds.csv": {"about": "Bounds", "columns": {"value": "the bound"}},
        "settings.csv": {"about": "Settings", "columns": {"value": "the value"}},
        "compute.csv": {"about": "Times", "columns": {"wall_s": {"means": "time", "type": "number", "unit": "s"}}},
    },
}  # fmt: skip


def committed(folder: Path) -> Any:
    return json.loads((folder / datapackage.FILE).read_text(encoding="utf-8"))


def undescribed(descriptor: Any) -> list[str]:
    """Columns that nothing is said about, as `path: column`."""
    return [
        f"{table['path']}: {field['name']}"
        for table in descriptor["resources"]
        for field in table["schema"]["fields"]
        if "description" not in field
    ]


def header(file: Path) -> list[str]:
    with open(file, encoding="utf-8", newline="") as stream:
        return next(csv.reader(stream))


@pytest.mark.parametrize("folder", [PAPER, ON_REQUEST])
def test_every_column_of_every_committed_table_is_described(folder: Path) -> None:
    descriptor = committed(folder)
    tables = {str(file.relative_to(folder)): header(file) for file in folder.rglob("*.csv")}
    if folder == PAPER:
        tables = {name: columns for name, columns in tables.items() if not name.startswith("on_request/")}
    described = {
        table["path"]: [field["name"] for field in table["schema"]["fields"]] for table in descriptor["resources"]
    }
    assert described == tables
    assert undescribed(descriptor) == []


def test_of_the_benchmark_too() -> None:
    descriptor = json.loads((ROOT / metadata.BENCH).read_text(encoding="utf-8"))
    (table,) = descriptor["resources"]
    assert [field["name"] for field in table["schema"]["fields"]] == header(ROOT / "results/bench.csv")
    assert undescribed(descriptor) == []


def test_committed_descriptions_are_what_the_code_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """And so are files for those who cite."""
    monkeypatch.chdir(ROOT)
    metadata.main(["--check"], "dpdescent metadata")


def test_what_is_out_of_date_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(metadata, "described", lambda results: {results / datapackage.FILE: "other words"})
    with pytest.raises(SystemExit, match=r"^results/paper/datapackage\.json: not .* now: run dpdescent metadata$"):
        metadata.main(["--check"], "dpdescent metadata")


def test_words_of_a_paper_are_about_columns_that_its_tables_have() -> None:
    for key, paper in WHOLE.papers.items():
        artefacts = (paper.artefacts | paper.on_request).values()
        columns = {each.id: {*each.keys, *each.measures, "trials"} for each in artefacts}
        for name in paper.annotated.get("columns", {}):
            figure, _, column = name.rpartition(".")
            assert any(column in has for id, has in columns.items() if figure in ("", id)), f"{key}: {name}"
            assert figure or column not in paper.symbols, f"{key}: {name} is a symbol, whose words are there"


def test_words_of_shared_tables_are_about_columns_that_they_have() -> None:
    words = values.read_yaml(ROOT / "config/columns.yaml")
    places = {
        name: sorted([*PAPER.glob(name), *PAPER.glob(f"*/{name}"), *PAPER.parent.glob(name)])
        for name in words["tables"]
    }  # fmt: skip
    for name, table in words["tables"].items():
        files = [file for file in places[name] if len(header(file)) == len(table["columns"])]
        assert files, name
        assert all(header(file) == list(table["columns"]) for file in files), name
    # A table without runs that diverged has no column for them.
    known = {column for artefact in PAPER.glob("*/*.csv") for column in header(artefact)} | {"diverged"}
    assert set(words["artefacts"]) <= known


def test_words_of_a_figure_go_before_those_of_its_paper(tmp_path: Path) -> None:
    for name in ("fig01", "fig02"):
        (tmp_path / "p").mkdir(exist_ok=True)
        (tmp_path / f"p/{name}.csv").write_text("n,rho,mean,shift,other\n10,0.1,1.5,2,x\n")
    found = datapackage.package(tmp_path, datapackage.tables([ABOUT], WORDS), "quick")
    first, second = (
        {field["name"]: field.get("description") for field in table["schema"]["fields"]}
        for table in found["resources"] if table["path"].startswith("p/")
    )  # fmt: skip
    assert first == {
        "n": "sample size", "rho": "budget of a stage", "mean": "mean over trials",
        "shift": "a move; the mean over trials", "other": None,
    }  # fmt: skip
    assert second == first | {"rho": "budget"}
    assert undescribed(found) == ["p/fig01.csv: other", "p/fig02.csv: other"]


def test_what_is_made_later_is_listed_and_what_is_not_there_is_not(tmp_path: Path) -> None:
    found = datapackage.package(tmp_path, datapackage.tables([ABOUT], WORDS), "Mine")
    assert found["name"] == "dpdescent-mine"
    (table,) = found["resources"]
    assert (table["path"], table["schema"]["fields"]) == (
        "compute.csv", [{"name": "wall_s", "type": "number", "description": "time", "unit": "s"}]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1", "-2", ""], "integer"), (["1", "2.5"], "number"), (["1e-6", "inf", ""], "number"),
        (["True", "False", ""], "boolean"), (["1", "True"], "string"), (["0.1; 0.2"], "string"), (["", ""], "string"),
        ([], "string"),
    ],
)  # fmt: skip
def test_types_are_told_from_the_values(texts: list[str], kind: str, tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p/fig01.csv").write_text("n,mean\n" + "".join(f"{text},1\n" for text in texts))
    found = datapackage.package(tmp_path, datapackage.tables([ABOUT], WORDS), "quick")
    (fields,) = (table["schema"]["fields"] for table in found["resources"] if table["path"] == "p/fig01.csv")
    assert fields[0]["type"] == kind


def test_a_wrong_key_among_words_is_one_line(tmp_path: Path) -> None:
    for name in ("config/columns.yaml", "workflow/schemas/columns.schema.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    with open(tmp_path / "config/columns.yaml", "a") as stream:
        stream.write('    colums: {value: "the value"}\n')
    with pytest.raises(ConfigError, match=r"columns\.yaml: tables\.settings\.csv: unknown key 'colums'.*'columns'"):
        datapackage.columns(WHOLE, tmp_path)


@pytest.mark.slow
def test_a_validator_of_data_packages_finds_the_tables_as_described(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

    def run(*command: str | Path) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([*map(str, command)], capture_output=True, text=True, env=plain, check=False)

    installed = run(tmp_path / "venv/bin/python", "-m", "pip", "install", "--quiet", "frictionless==5.21.0")
    assert installed.returncode == 0, installed.stderr
    shutil.copytree(PAPER, tmp_path / "paper", ignore=shutil.ignore_patterns("report", "*.svg", "*.png"))
    validate = tmp_path / "venv/bin/frictionless", "validate"
    for folder in (tmp_path / "paper", tmp_path / "paper/on_request"):
        valid = run(*validate, folder / datapackage.FILE)
        assert valid.returncode == 0, valid.stdout[-3000:]
    text = (tmp_path / "paper" / datapackage.FILE).read_text(encoding="utf-8")
    (tmp_path / "paper" / datapackage.FILE).write_text(re.sub(r'"type": "string"', '"type": "integer"', text, count=1))
    assert run(*validate, tmp_path / "paper" / datapackage.FILE).returncode != 0


def test_reading_words_loads_no_numpy() -> None:
    """Snakemake's start would be slower by it."""
    code = "import sys, dpdescent.replication.report.datapackage; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
