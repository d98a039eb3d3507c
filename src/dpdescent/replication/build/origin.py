"""The reference for comparisons: the results that came with a checkout, put aside before its first build."""

import shutil
from pathlib import Path

from dpdescent.replication.build import git

# The file in a reference that says in words what the reference is. The dot keeps it out of comparisons.
ORIGIN = ".origin"


def put_aside(checkout: Path, results: Path, reference: Path, built: bool) -> str:
    """Writes the reference, from git where git has these results, and a text that says what it is.

    Args:
        checkout: the project's directory, whose own repository is asked.
        results: folder of a scale's results, named as the scale; the checkout's own has this name in its `results`.
        reference: folder to write.
        built: whether builds have left something here.

    Returns:
        The text that says what the reference is.
    """
    unfinished = reference.with_suffix(".new")
    shutil.rmtree(unfinished, ignore_errors=True)
    committed = git.committed(checkout, Path("results", results.name))
    if committed and committed[1]:
        words = f"the results that came with this checkout (commit {committed[0]})"
        for name, content in committed[1].items():
            (unfinished / name).parent.mkdir(parents=True, exist_ok=True)
            (unfinished / name).write_bytes(content)
    else:
        where = "an earlier build here may have made" if built else "may have come with this checkout"
        why = "git has none of it" if committed else "there is no git to ask"
        words = f"what lay in {results} before this build and {where} ({why})"
        results.mkdir(parents=True, exist_ok=True)
        shutil.copytree(results, unfinished)
    (unfinished / ORIGIN).write_text(words, encoding="utf-8")
    unfinished.rename(reference)
    return words


def described(folder: str | Path) -> str:
    """The text that says what a reference is; the name of its folder where there is none."""
    file = Path(folder) / ORIGIN
    return file.read_text(encoding="utf-8") if file.is_file() else str(folder)
