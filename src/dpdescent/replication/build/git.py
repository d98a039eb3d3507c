"""Questions to git: which results came with a checkout, and whether git has the bytes of a file.

Git runs without its own variables, because inside a hook or an editor they would make it answer for another repository.
"""

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

# The modes that `ls-tree` prints for files; links and submodules are no results.
FILES = (b"100644", b"100755")


def committed(checkout: Path, folder: Path) -> tuple[str, dict[str, bytes]] | None:
    """The last commit of a checkout's own repository, and the contents of its files in a folder, by their names there.

    A larger repository in which the checkout lies does not count, because it has another history.

    Args:
        checkout: the project's directory.
        folder: a folder in it, as a relative path.

    Returns:
        None without git, without a repository or a commit, or where git does not answer this user.
    """
    top = _answer(checkout, "rev-parse", "--show-toplevel")
    if top is None or not os.path.samefile(os.fsdecode(top.removesuffix(b"\n")), checkout):
        return None
    commit = _answer(checkout, "rev-parse", "--short", "HEAD")
    entries = _answer(checkout, "ls-tree", "-r", "-z", "HEAD", "--", str(folder))
    if commit is None or entries is None:
        return None
    hashes = {}
    for entry in filter(None, entries.split(b"\0")):
        about, _, name = entry.partition(b"\t")
        mode, _, hashed = about.split()
        if mode in FILES:
            hashes[os.path.relpath(os.fsdecode(name), folder)] = hashed
    # Contents as they were committed, because an archive by git would change line ends where a user's settings say so.
    contents = _answer(checkout, "cat-file", "--batch", given=b"".join(b"%s\n" % hashed for hashed in hashes.values()))
    if contents is None:
        return None
    return commit.decode().strip(), dict(zip(hashes, _blobs(contents), strict=True))


def _blobs(answer: bytes) -> Iterable[bytes]:
    """The contents in an answer of `cat-file --batch`: each has a line before it that ends with its size."""
    place = 0
    while place < len(answer):
        start = answer.index(b"\n", place) + 1
        end = start + int(answer[place : start - 1].split()[-1])
        yield answer[start:end]
        place = end + 1


def keeps(files: Iterable[Path]) -> set[Path]:
    """The files whose bytes, as they lie in the working tree, git has in any commit, stash or index.

    An empty file does not count, because git knows its bytes everywhere.
    """
    asked = [file for file in files if file.is_file() and file.stat().st_size and "\n" not in str(file)]
    names = b"".join(os.fsencode(file) + b"\n" for file in asked)
    if not asked or (hashed := _answer(Path(), "hash-object", "--stdin-paths", given=names)) is None:
        return set()
    # All objects that are here are listed, because a partial clone would look for a single one in the network.
    kept = _answer(Path(), "cat-file", "--batch-all-objects", "--batch-check=%(objectname)", "--unordered")
    known = set((kept or b"").split())
    return {file for file, each in zip(asked, hashed.split(), strict=True) if each in known}


def _answer(folder: Path, *arguments: str, given: bytes = b"") -> bytes | None:
    """The output of a git command in a folder; None without git, or where it refuses."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        return subprocess.run(
            ["git", *arguments], cwd=folder, env=environment, input=given, capture_output=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
