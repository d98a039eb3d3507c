"""Runs the examples of a page: Python blocks in one namespace, each with the text block below it as its output.

A script that needs nothing but the library, so that it runs where only that is installed:
`python examples.py docs/library.md`.
"""

import contextlib
import io
import re
import sys
from pathlib import Path

BLOCKS = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


def run(page: Path) -> int:
    """Returns how many blocks ran.

    Raises:
        AssertionError: if a block prints something else than what stands below it.
    """
    namespace: dict[str, object] = {}
    blocks = BLOCKS.findall(page.read_text(encoding="utf-8"))
    for number, (code, expected) in enumerate(blocks, 1):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, f"{page.name}, block {number}", "exec"), namespace)
        assert printed.getvalue() == expected, f"block {number} prints {printed.getvalue()!r}, not {expected!r}"
    return len(blocks)


if __name__ == "__main__":
    print(run(Path(sys.argv[1])), "examples ran")
