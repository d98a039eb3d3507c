"""Whose bytes a file has: all ways in which git puts one into the working tree, and those in which nobody wrote it."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dpdescent.replication.build import files, git

FILE = Path("results/paper/p/a b ü.csv")


def run(*arguments: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


def commit(text: str) -> None:
    FILE.write_text(text)
    run("add", "results")
    run("commit", "-q", "-m", text)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of two commits and another branch, in which a build has written other results than those."""
    monkeypatch.chdir(tmp_path)
    FILE.parent.mkdir(parents=True)
    Path("results/empty").touch()
    run("init", "-q", "-b", "main")
    commit("first\n")
    run("checkout", "-q", "-b", "other")
    commit("other\n")
    run("checkout", "-q", "main")
    commit("second\n")
    with files.atomic(FILE) as stream:
        stream.write("built\n")
    return tmp_path


def stash() -> None:
    run("stash")


def stash_and_pop() -> None:
    """After another build."""
    run("stash")
    with files.atomic(FILE) as stream:
        stream.write("built again\n")
    run("checkout", "results")
    run("stash", "pop")


def pull() -> None:
    run("checkout", "results")
    run("merge", "-q", "-s", "ours", "other")


def with_line_ends() -> None:
    """Where a user's settings have text files end their lines in another way."""
    run("config", "core.autocrlf", "true")
    FILE.unlink()
    run("checkout", "results")
    assert b"\r" in FILE.read_bytes()


WAYS: dict[str, Callable[[], None]] = {
    "one file": lambda: run("checkout", "--", str(FILE)),
    "all": lambda: run("checkout", "results"),
    "restore": lambda: run("restore", "."),
    "older commit": lambda: run("checkout", "HEAD~1", "--", str(FILE)),
    "older commit, index left": lambda: run("restore", "--source=HEAD~1", "results"),
    "another branch": lambda: run("checkout", "-f", "other"),
    "a detached commit": lambda: run("checkout", "-f", "--detach", "HEAD~1"),
    "reset": lambda: run("reset", "--hard", "HEAD~1"),
    "stash": stash, "stash, built again and popped": stash_and_pop, "pull": pull, "line ends": with_line_ends,
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_what_git_put_there_is_read(here: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also from inside a hook, where git's variables name another repository."""
    WAYS[way]()
    assert files.is_damaged(FILE)
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    assert git.keeps([FILE]) == {FILE}
    assert files.checked(FILE) == FILE.read_bytes()


@pytest.mark.parametrize("content", [b"edited\n", b"second", b"", b"second\nsecond\n"])
@pytest.mark.parametrize("repository", [True, False])
def test_what_nobody_wrote_is_refused(here: Path, content: bytes, repository: bool) -> None:
    """No edit, no part of a file, and no empty one, which git knows everywhere."""
    if not repository:
        (here / ".git").rename(here / "gone")
    FILE.write_bytes(content)
    assert git.keeps([FILE]) == set()
    with pytest.raises(SystemExit, match=r" is not what was written here: rm 'results/paper/p/a b ü\.csv', then run"):
        files.checked(FILE)


def test_what_lies_in_build_is_no_matter_of_git(here: Path) -> None:
    """Its files are made here alone, and verdicts follow from them."""
    made = Path("build/paper/claims/p.csv")
    with files.atomic(made) as stream:
        stream.write("built\n")
    made.write_text("second\n")
    assert git.keeps([made]) == {made}
    with pytest.raises(SystemExit, match=r"^build/paper/claims/p\.csv is not what was written here"):
        files.checked(made)


def test_without_git_nothing_is_known(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("checkout", "results")
    monkeypatch.setenv("PATH", str(here))
    assert git.keeps([FILE]) == set()
    assert git.committed(here, Path("results/paper")) is None


def test_partial_clone_is_asked_without_the_network(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For bytes that nobody wrote it would ask the repository that it was cloned from."""
    run("config", "uploadpack.allowFilter", "true")
    run("clone", "-q", "--filter=blob:none", f"file://{here}", "clone")
    here.joinpath(".git").rename(here / "gone")
    monkeypatch.chdir(here / "clone")
    assert git.keeps([FILE]) == {FILE}
    FILE.write_text("edited\n")
    assert git.keeps([FILE]) == set()


def test_folders_and_files_that_are_gone_are_no_bytes(here: Path) -> None:
    run("checkout", "results")
    assert git.keeps([FILE, FILE.parent, Path("results/none.csv"), Path("results/a\nb")]) == {FILE}
