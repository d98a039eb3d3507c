"""What came with a checkout, put aside before its first build, to compare with: from git, or told not to be."""

import io
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

# In a reference: what it is, in words. The dot keeps it out of comparisons.
ORIGIN = ".origin"


def put_aside(results: Path, reference: Path, built: bool) -> str:
    """Writes the folder that builds are compared with, from git where it is there, and what it is.

    Args:
        results: folder of a scale's results, as a relative path.
        reference: folder to write.
        built: whether builds have left something here.

    Returns:
        What the reference is, in words.
    """
    unfinished = reference.with_suffix(".new")
    shutil.rmtree(unfinished, ignore_errors=True)
    if commit := _git("rev-parse", "--short", "HEAD").decode().strip():
        words = f"the results that came with this checkout (commit {commit})"
        _extract(_git("archive", "HEAD", str(results)), results, unfinished)
    else:
        where = "an earlier build here may have made" if built else "may have come with this checkout"
        words = f"what lay in {results} before this build and {where} (there is no git to ask)"
        results.mkdir(parents=True, exist_ok=True)
        shutil.copytree(results, unfinished)
    (unfinished / ORIGIN).write_text(words, encoding="utf-8")
    unfinished.rename(reference)
    return words


def of(folder: str | Path) -> str:
    """What a folder that builds are compared with is, in words; its name where it does not say."""
    told = Path(folder) / ORIGIN
    return told.read_text(encoding="utf-8") if told.is_file() else str(folder)


def _extract(archive: bytes, results: Path, folder: Path) -> None:
    """Writes the results of an archive to a folder, which stays empty if there are none."""
    folder.mkdir(parents=True)
    if not archive:
        return
    with tarfile.open(fileobj=io.BytesIO(archive)) as files, tempfile.TemporaryDirectory(dir=folder.parent) as place:
        files.extractall(place, filter="data")
        shutil.copytree(Path(place) / results, folder, dirs_exist_ok=True)


def _git(*arguments: str) -> bytes:
    """What git prints; nothing without git, outside a repository, or for a folder that it does not have."""
    try:
        return subprocess.run(["git", *arguments], capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return b""
