"""What builds are compared with: what git has, or what lay there, which is told."""

import os
import shutil
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
    (RESULTS / "p").mkdir(parents=True)
    (RESULTS / "p/a.csv").write_text("a\n1\n")
    return tmp_path


def commit(*files: str) -> None:
    git("init", "-q", ".")
    git("add", *files)
    git("commit", "-q", "-m", "first")


def cloned(here: Path, *options: str) -> Path:
    git("clone", "-q", *options, f"file://{here}", str(here / "clone"))
    return here / "clone"


def as_worktree(here: Path) -> Path:
    """Where `.git` is a file."""
    git("worktree", "add", "-q", "clone")
    return here / "clone"


@pytest.mark.parametrize(
    "own",
    [
        lambda here: here, as_worktree, lambda here: cloned(here, "--depth=1"),
        lambda here: cloned(here, "--filter=blob:none"), lambda here: cloned(here, "--shared"),
    ],
    ids=["top", "worktree", "shallow", "partial", "shared objects"],
)  # fmt: skip
def test_reference_is_what_git_has(here: Path, monkeypatch: pytest.MonkeyPatch, own) -> None:  # type: ignore[no-untyped-def]
    """Not what was edited, added or made since, and nothing at all of a scale that is not committed."""
    os.symlink("a.csv", RESULTS / "p/link.csv")
    commit("results")
    monkeypatch.chdir(own(here))
    (RESULTS / "p/a.csv").write_text("a\n2\n")
    (RESULTS / "p/b.csv").write_text("b\n1\n")
    words = origin.put_aside(Path(), RESULTS, REFERENCE, built=True)
    assert words.startswith("the results that came with this checkout (commit ")
    assert origin.described(REFERENCE) == words
    assert (REFERENCE / "p/a.csv").read_text() == "a\n1\n"
    assert set(compare.hashes(REFERENCE)) == {"p/a.csv"}
    quick = REFERENCE.with_name("quick.reference")
    assert origin.put_aside(Path(), Path("results/quick"), quick, built=True).endswith("(git has none of it)")
    assert compare.hashes(quick) == {}
    assert compare.folders(RESULTS, quick).text().startswith("Nothing to compare with: there are no files among what l")


def test_reference_has_the_bytes_that_were_committed(here: Path) -> None:
    """Whatever line ends a user's git makes of them."""
    commit("results")
    git("config", "core.autocrlf", "true")
    (RESULTS / "p/a.csv").unlink()
    git("checkout", "results")
    assert (RESULTS / "p/a.csv").read_bytes() == b"a\r\n1\r\n"
    origin.put_aside(Path(), RESULTS, REFERENCE, built=True)
    assert (REFERENCE / "p/a.csv").read_bytes() == b"a\n1\n"


def test_reference_of_a_build_elsewhere_is_the_checkout_s(here: Path, tmp_path: Path) -> None:
    commit("results")
    elsewhere = tmp_path / "elsewhere/prefix/results/paper"
    words = origin.put_aside(here, elsewhere, tmp_path / "reference", built=False)
    assert words.startswith("the results that came with this checkout (commit ")
    assert (tmp_path / "reference/p/a.csv").read_text() == "a\n1\n"


def nobody_s(here: Path) -> Path:
    """A repository without a commit."""
    git("init", "-q", ".")
    return here


def inside(here: Path, committed: bool) -> Path:
    """A checkout without a repository of its own, in a larger one that has its files, or that does not."""
    (here / "project").mkdir()
    (here / "results").rename(here / "project/results")
    (here / "other").write_text("1")
    commit("project" if committed else "other")
    return here / "project"


def pointed_at(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No repository, and variables of git that name another one, as those in a hook do."""
    other = here / "other"
    shutil.copytree(here / "results", other / "results")
    subprocess.run("git init -q . && git add . && git -c user.name=A -c user.email=a@example.org commit -qm one",
                   shell=True, cwd=other, check=True)  # fmt: skip
    for name, value in {
        "GIT_DIR": other / ".git",
        "GIT_WORK_TREE": here,
        "GIT_INDEX_FILE": other / ".git/index",
    }.items():
        monkeypatch.setenv(name, str(value))
    return here


def another_s(here: Path) -> Path:
    """A repository whose folder belongs to somebody else, for whom git does not answer."""
    commit("results")
    for file in (here / ".git", here):
        os.chown(file, 12345, 12345)
    return here


@pytest.mark.parametrize("ends", ["nobody's", "inside", "inside, and it has them", "variables", "another's"])
def test_no_other_repository_and_none_that_refuses_is_asked(
    here: Path, monkeypatch: pytest.MonkeyPatch, ends: str
) -> None:
    """What lies there is put aside in its place, so that nothing that came along is lost."""
    if ends == "another's" and os.geteuid():
        pytest.skip("root, to give a folder to somebody else")
    where = {
        "nobody's": nobody_s, "inside": lambda here: inside(here, False), "another's": another_s,
        "inside, and it has them": lambda here: inside(here, True),
        "variables": lambda here: pointed_at(here, monkeypatch),
    }[ends](here)  # fmt: skip
    monkeypatch.chdir(where)
    words = origin.put_aside(Path(), RESULTS, REFERENCE, built=False)
    assert words.endswith(" before this build and may have come with this checkout (there is no git to ask)")
    assert (REFERENCE / "p/a.csv").read_text() == "a\n1\n"


def test_own_repository_that_has_no_results_is_not_the_reference(here: Path) -> None:
    """As somebody makes it of an unpacked archive."""
    (here / "Snakefile").touch()
    commit("Snakefile")
    words = origin.put_aside(Path(), RESULTS, REFERENCE, built=False)
    assert words.endswith(" may have come with this checkout (git has none of it)")
    assert (REFERENCE / "p/a.csv").read_text() == "a\n1\n"


@pytest.mark.parametrize("broken", [False, True], ids=["no repository", "no git"])
@pytest.mark.parametrize(
    ("built", "told"), [(False, "may have come with this checkout"), (True, "an earlier build here may have made")]
)
def test_without_git_it_is_told_that_nobody_knows(
    here: Path, monkeypatch: pytest.MonkeyPatch, built: bool, told: str, broken: bool
) -> None:
    if broken:
        monkeypatch.setenv("PATH", str(here))
    origin.put_aside(Path(), RESULTS, REFERENCE, built)
    assert (REFERENCE / "p/a.csv").read_text() == "a\n1\n"
    words = f"what lay in results/paper before this build and {told} (there is no git to ask)"
    assert compare.folders(RESULTS, REFERENCE).text() == f"Compared with {words}: 1 files have equal bytes."


def test_no_results_at_all_and_an_unfinished_reference(here: Path) -> None:
    (REFERENCE.with_suffix(".new") / "half").mkdir(parents=True)
    origin.put_aside(Path(), Path("results/other"), REFERENCE, built=False)
    assert compare.hashes(REFERENCE) == {}
    assert [file.name for file in REFERENCE.iterdir()] == [origin.ORIGIN]


def test_folder_that_tells_nothing_has_its_name(here: Path) -> None:
    assert origin.described(RESULTS) == "results/paper"
