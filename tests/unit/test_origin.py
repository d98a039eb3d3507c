"""What builds are compared with: what git has, or what lay there, which is told."""

import subprocess
from pathlib import Path

import pytest

from dpdescent.replication.build import compare, origin

RESULTS, REFERENCE = Path("results/paper"), Path(".snakemake/dpdescent/paper.reference")


def git(*arguments: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with results, in no repository."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (RESULTS / "p").mkdir(parents=True)
    (RESULTS / "p/a.csv").write_text("a\n1\n")
    return tmp_path


@pytest.mark.parametrize("inside", [".", "project"], ids=["top", "folder of a larger repository"])
def test_reference_is_what_git_has(here: Path, monkeypatch: pytest.MonkeyPatch, inside: str) -> None:
    """Not what was edited, added or made since, and nothing at all of a scale that is not committed."""
    if inside != ".":
        (here / inside).mkdir()
        (here / "results").rename(here / inside / "results")
        git("init", "-q", ".")
        monkeypatch.chdir(here / inside)
    else:
        git("init", "-q", ".")
    git("add", "results")
    git("commit", "-q", "-m", "first")
    (RESULTS / "p/a.csv").write_text("a\n2\n")
    (RESULTS / "p/b.csv").write_text("b\n1\n")
    words = origin.put_aside(RESULTS, REFERENCE, built=True)
    assert words.startswith("the results that came with this checkout (commit ")
    assert origin.of(REFERENCE) == words
    assert (REFERENCE / "p/a.csv").read_text() == "a\n1\n"
    assert set(compare.hashes(REFERENCE)) == {"p/a.csv"}
    quick = REFERENCE.with_name("quick.reference")
    origin.put_aside(Path("results/quick"), quick, built=True)
    assert compare.hashes(quick) == {}
    assert compare.folders(RESULTS, quick).text().startswith("Nothing to compare with: there are no files among the re")


@pytest.mark.parametrize("broken", [False, True], ids=["no repository", "no git"])
@pytest.mark.parametrize(
    ("built", "told"), [(False, "may have come with this checkout"), (True, "an earlier build here may have made")]
)
def test_without_git_it_is_told_that_nobody_knows(
    here: Path, monkeypatch: pytest.MonkeyPatch, built: bool, told: str, broken: bool
) -> None:
    if broken:
        monkeypatch.setenv("PATH", str(here))
    origin.put_aside(RESULTS, REFERENCE, built)
    assert (REFERENCE / "p/a.csv").read_text() == "a\n1\n"
    words = f"what lay in results/paper before this build and {told} (there is no git to ask)"
    assert compare.folders(RESULTS, REFERENCE).text() == f"Compared with {words}: 1 files have equal bytes."


def test_no_results_at_all_and_an_unfinished_reference(here: Path) -> None:
    (REFERENCE.with_suffix(".new") / "half").mkdir(parents=True)
    origin.put_aside(Path("results/other"), REFERENCE, built=False)
    assert compare.hashes(REFERENCE) == {}
    assert [file.name for file in REFERENCE.iterdir()] == [origin.ORIGIN]


def test_folder_that_tells_nothing_has_its_name(here: Path) -> None:
    assert origin.of(RESULTS) == "results/paper"
