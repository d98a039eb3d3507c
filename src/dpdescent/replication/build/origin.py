"""What came with a checkout, put aside before its first build, to compare with: from git, or told not to be."""

import shutil
from pathlib import Path

from dpdescent.replication.build import git

# In a reference: what it is, in words. The dot keeps it out of comparisons.
ORIGIN = ".origin"


def put_aside(checkout: Path, results: Path, reference: Path, built: bool) -> str:
    """Writes the folder that builds are compared with, from git where it has one, and what it is.

    Args:
        checkout: the project's directory, whose own repository is asked.
        results: folder of a scale's results, named as the scale; the checkout's own has this name in its `results`.
        reference: folder to write.
        built: whether builds have left something here.

    Returns:
        What the reference is, in words.
    """
    unfinished = reference.with_suffix(".new")
    shutil.rmtree(unfinished, ignore_errors=True)
    known = git.committed(checkout, Path("results", results.name))
    if known and known[1]:
        words = f"the results that came with this checkout (commit {known[0]})"
        for name, content in known[1].items():
            (unfinished / name).parent.mkdir(parents=True, exist_ok=True)
            (unfinished / name).write_bytes(content)
    else:
        where = "an earlier build here may have made" if built else "may have come with this checkout"
        why = "git has none of it" if known else "there is no git to ask"
        words = f"what lay in {results} before this build and {where} ({why})"
        results.mkdir(parents=True, exist_ok=True)
        shutil.copytree(results, unfinished)
    (unfinished / ORIGIN).write_text(words, encoding="utf-8")
    unfinished.rename(reference)
    return words


def of(folder: str | Path) -> str:
    """What a folder that builds are compared with is, in words; its name where it does not say."""
    told = Path(folder) / ORIGIN
    return told.read_text(encoding="utf-8") if told.is_file() else str(folder)
