"""Writes the account of the replication as a paper, a PDF whose numbers and figures are those of the committed tables.

It needs the package typst, which nothing else does. A sentence whose number its table does not give ends the command.
"""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import importlib.util
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from dpdescent.commands import printing
from dpdescent.replication.article import document
from dpdescent.replication.build.files import atomic
from dpdescent.replication.build.provenance import RECORD
from dpdescent.replication.commands import checkout

RESULTS, OUTPUT = Path("results/paper"), Path("build/article.pdf")
# The group of dependencies in pyproject.toml that has typst, pinned.
GROUP = "article"


def main(arguments: Sequence[str], name: str) -> None:
    """Runs the command.

    Raises:
        SystemExit: with a line, if typst is absent or a sentence has no number.
    """
    parser = argparse.ArgumentParser(prog=name, description=__doc__)
    parser.add_argument("--output", type=Path, default=OUTPUT, help=f"PDF to write (default: {OUTPUT})")
    args = parser.parse_args(arguments)
    checkout.require()
    if importlib.util.find_spec(document.TYPST) is None:
        (needed,) = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"][GROUP]
        sys.exit(f"typst, which sets the article, is not installed: .venv/bin/python -m pip install {needed}")
    if not (RESULTS / RECORD).is_file():
        sys.exit(f"{RESULTS} holds no finished results (no {RECORD}): build them first, make results")
    root = Path.cwd()
    try:
        text = document.source(root, root / RESULTS)
        made = document.pdf(text, root)
    except document.Unfilled as error:
        sys.exit(str(error))
    args.output.parent.mkdir(parents=True, exist_ok=True)
    with atomic(args.output.with_suffix(".typ")) as stream:
        stream.write(text)
    with atomic(args.output, "wb") as stream:
        stream.write(made)
    printing.tell(f"{args.output}: {document.pages(text, root)} pages, {len(made) / 1e6:.2f} MB")
