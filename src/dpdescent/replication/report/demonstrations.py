"""Scripts that demonstrate findings by themselves, for the letters to the authors.

They lie in a paper's folder `demonstrations`, one file per finding, and need numpy and scipy alone. This module imports
nothing slow, because the pipeline reads it at its start.
"""

import ast
import re
from collections.abc import Iterable
from pathlib import Path

FOLDER = "demonstrations"


def demonstrations(source: Path, papers: Iterable[str]) -> dict[str, Path]:
    """Scripts by the finding that they demonstrate, papers in the given order; a paper may have none.

    Args:
        source: folder of the package.
        papers: keys of the papers.

    Raises:
        ValueError: if a script does not name its finding, or is not named after it.
    """
    files = [file for key in papers for file in sorted((source / "dpdescent/papers" / key / FOLDER).glob("[!_]*.py"))]
    return {_finding(file): file for file in files}


def _finding(file: Path) -> str:
    """The finding that a script names before the colon of its docstring."""
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    name = docstring.partition(":")[0]
    if re.sub(r"[-.]", "_", name) != file.stem:
        raise ValueError(f"{file}: the docstring must begin with the finding and a colon, and the file bear its name")
    return name
