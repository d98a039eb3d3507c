"""Results that git puts back into a checkout in which builds have ended: later calls make again what they need."""

import os
import shutil
import subprocess
from pathlib import Path

import copies
import pytest
import sixth_paper
from copies import Build

pytestmark = pytest.mark.workflow
PAPER = sixth_paper.KEY
TABLE, DRAWING = f"results/paper/{PAPER}/fig01.csv", f"results/paper/{PAPER}/fig01.svg"
DRAW = f"{PAPER}/fig01: summarise trials and draw"


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def clone(sixth: Build, tmp_path: Path) -> Path:
    """A finished build in a checkout whose last commit has a figure and its table otherwise."""
    folder = Path(shutil.copytree(sixth.folder, tmp_path / "copy"))
    shutil.copy(copies.ROOT / ".gitignore", folder)
    kept = {folder / name: ((folder / name).read_bytes(), (folder / name).stat()) for name in (TABLE, DRAWING)}
    for file, (content, _) in kept.items():
        file.write_bytes(content.replace(b"1", b"2"))
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    for file, (content, old) in kept.items():
        file.write_bytes(content)
        os.utime(file, ns=(old.st_atime_ns, old.st_mtime_ns))
    assert copies.plan(folder) == []
    return folder


@pytest.mark.parametrize("way", [("checkout", "results"), ("stash",)], ids=" ".join)
def test_what_is_restored_is_made_again_when_it_is_asked_for(clone: Path, sixth: Build, way: tuple[str, ...]) -> None:
    good = {name: (sixth.folder / name).read_bytes() for name in (TABLE, DRAWING)}
    git(clone, *way)
    assert (clone / TABLE).read_bytes() != good[TABLE]
    assert copies.plan(clone, f"{PAPER}_table_one") == [], "what is not restored is as it was"
    assert DRAW in copies.plan(clone, f"{PAPER}_fig01")
    assert not copies.trained(copies.plan(clone)), "parts are not restored"
    copies.snakemake(clone, "-c2", f"{PAPER}_fig01")
    assert {name: (clone / name).read_bytes() for name in good} == good
    assert copies.plan(clone, f"{PAPER}_fig01") == []
    if way == ("stash",):
        git(clone, "checkout", "results")
        git(clone, "stash", "pop")
        assert copies.plan(clone, f"{PAPER}_fig01") == []


def test_edited_file_is_refused_alone(clone: Path) -> None:
    """What needs no edited file is made, what needs it ends with one line, and a dry run says what would be made."""
    with open(clone / TABLE, "a", encoding="utf-8") as stream:
        stream.write("edited\n")
    (clone / f"results/paper/{PAPER}/table_one.md").unlink()
    copies.snakemake(clone, "-c2", f"{PAPER}_table_one")
    assert copies.plan(clone, f"{PAPER}_fig01") == []
    told = copies.snakemake(clone, "-c2", f"{PAPER}_fig01", code=1).splitlines()[-1]
    assert told == f"{TABLE} is not what was written here: rm {TABLE}, then run the build again"
