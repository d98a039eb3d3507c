"""What a pack's job trains: parts that are new or made from something else, wherever packs are cut."""

import re
import shutil
from pathlib import Path

import copies
import pytest
import sixth_paper
from copies import Build

pytestmark = pytest.mark.workflow

PAPER = sixth_paper.KEY
YAML = f"config/papers/{PAPER}.yaml"
FIGURE = f"{PAPER}_fig01"
PARTS = f"build/paper/parts/{PAPER}/fig01"


@pytest.fixture
def copy(sixth: Build, tmp_path: Path) -> Build:
    """A finished build, to be edited and built again."""
    return Build(Path(shutil.copytree(sixth.folder, tmp_path / "copy")))


def trained(build: Build, *arguments: str) -> list[str]:
    """Builds the figure, and reads in the logs which parts were trained."""
    logs = build.folder / f"build/paper/logs/train/{PAPER}/fig01"
    shutil.rmtree(logs, ignore_errors=True)
    copies.snakemake(build.folder, "-c2", FIGURE, *arguments)
    text = "".join(log.read_text() for log in logs.glob("*.log"))
    return sorted(re.findall(r"^trained (\S+): \d+ rows$", text, re.MULTILINE))


def edit(build: Build, name: str, old: str, new: str) -> None:
    text = (build.folder / name).read_text()
    assert old in text
    (build.folder / name).write_text(text.replace(old, new, 1))


def from_nothing(build: Build, folder: Path) -> bytes:
    """The table of the same sources, built with no memory."""
    copies.copy_without(build.folder, folder, ".snakemake", "build", "results")
    copies.snakemake(folder, "-c2", FIGURE)
    return (folder / f"results/paper/{PAPER}/fig01.csv").read_bytes()


def test_new_value_on_a_split_axis_trains_its_parts_only(copy: Build, tmp_path: Path) -> None:
    """It comes between two others, so that all packs behind it are cut anew."""
    edit(copy, YAML, "n: {value: [10, 20], stated", "n: {value: [10, 15, 20], stated")
    assert trained(copy) == ["main_a_n=15_t0-1", "main_a_n=15_t2-3", "other-scale_a_n=15_t0-1"]
    table = copy.folder / f"results/paper/{PAPER}/fig01.csv"
    assert table.read_bytes() == from_nothing(copy, tmp_path / "fresh")
    assert copies.plan(copy.folder, FIGURE) == []


def test_more_trials_train_the_new_ranges_only(copy: Build) -> None:
    edit(copy, YAML, "trials: {value: 4, chosen: few}", "trials: {value: 6, chosen: few}")
    assert trained(copy) == ["main_a_n=10_t4-5", "main_a_n=20_t4-5"]


def test_other_packs_train_nothing_and_change_no_byte(copy: Build) -> None:
    table = copy.folder / f"results/paper/{PAPER}/fig01.csv"
    before = table.read_bytes()
    edit(copy, YAML, "parts_per_job: 2", "parts_per_job: 6")
    assert trained(copy) == []
    assert table.read_bytes() == before


def test_changed_setting_of_a_variant_trains_the_variant_only(copy: Build) -> None:
    edit(copy, YAML, "settings: {scale: 3}", "settings: {scale: 4}")
    assert trained(copy) == ["other-scale_a_n=10_t0-1", "other-scale_a_n=20_t0-1"]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (f"src/dpdescent/papers/{PAPER}/drawing.py", "def value", "assert True\n\n\ndef value"),
        pytest.param("config/config.yaml", "seed: ", "seed: 1", marks=pytest.mark.slow),
    ],
    ids=["code", "seed"],
)
def test_code_and_seed_train_everything(copy: Build, name: str, old: str, new: str) -> None:
    edit(copy, name, old, new)
    assert len(trained(copy)) == len(list((copy.folder / PARTS).glob("*.csv"))) == 6


def test_forced_training_and_lost_records_train_everything(copy: Build) -> None:
    assert len(trained(copy, "--forcerun", "train")) == 6
    shutil.rmtree(copy.folder / ".snakemake")
    assert len(trained(copy)) == 6


def test_spoilt_part_is_one_line_and_mended_as_it_says(copy: Build) -> None:
    part = copy.folder / PARTS / "main_a_n=20_t0-1.csv"
    part.write_text(part.read_text() + "\n")
    output = copies.snakemake(copy.folder, "-c1", FIGURE, "--forcerun", "figure", code=1)
    told = re.search(r"^\S+n=20_t0-1.csv is not what was written here: rm (\S+), then run", output, re.MULTILINE)
    assert told
    (copy.folder / told[1]).unlink()
    assert trained(copy, "--forcerun", "figure") == ["main_a_n=20_t0-1"]


def test_figure_tells_its_claims_and_claims_tell_their_verdicts(copy: Build) -> None:
    line = "  reproduced     means-small: mean = "
    assert line in copies.snakemake(copy.folder, "-c1", f"{PAPER}_claims")
    assert line in copies.snakemake(copy.folder, "-c1", FIGURE)
    assert line not in copies.snakemake(copy.folder, "-c1", f"{PAPER}_table_one")
    edit(copy, YAML, "trials: {value: 4, chosen: few}", "trials: {value: 6, chosen: few}")
    told = copies.snakemake(copy.folder, "-c1", FIGURE)
    assert line not in told
    assert f"with all of the paper's, from all of its tables: .venv/bin/snakemake {PAPER}_claims" in told


def test_drawing_trains_nothing_and_judges_again(copy: Build) -> None:
    """Claims are judged again, because one job makes table and figure: of inputs that count for nothing, such as
    `ancient` ones, Snakemake forgets that their readers may have other reasons to run."""
    edit(copy, f"src/dpdescent/papers/{PAPER}/means_figures.py", "def draw", "assert True\n\n\ndef draw")
    edit(copy, f"src/dpdescent/papers/{PAPER}/claims.py", "def judge", "assert True\n\n\ndef judge")
    jobs = copies.plan(copy.folder)
    assert {f"{PAPER}/fig01: summarise trials and draw", f"{PAPER}: judge claims"} <= set(jobs)
    assert not [job for job in jobs if ": train" in job]
