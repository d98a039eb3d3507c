"""Runs notebooks as a reader's Jupyter would, in one namespace, and keeps what they print and draw.

    .venv/bin/python tests/notebooks.py examples/*.ipynb

writes their outputs anew. A notebook is JSON of nbformat 4, and what its cells show is printed text and figures of
matplotlib, so that nothing else is needed.
"""

import base64
import contextlib
import io
import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any

# One thread, so that sums are those of the other tables.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import matplotlib as mpl
import matplotlib.pyplot as plt

Notebook = dict[str, Any]
# Enough for a screen; a notebook stays small.
DPI = 80


class _Shown:
    """What a cell shows, in its order, as outputs of nbformat."""

    def __init__(self) -> None:
        self.outputs: list[dict[str, Any]] = []
        self.printed = io.StringIO()

    def flush(self) -> None:
        if text := self.printed.getvalue():
            self.outputs.append({"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)})
        self.printed.seek(0)
        self.printed.truncate()

    def show(self) -> None:
        """In place of `plt.show`, which opens a window."""
        self.flush()
        for number in plt.get_fignums():
            figure, picture = plt.figure(number), io.BytesIO()
            # Without the name of the software, which has its version.
            figure.savefig(picture, format="png", dpi=DPI, bbox_inches="tight", metadata={"Software": None})
            content = {"image/png": base64.b64encode(picture.getvalue()).decode(), "text/plain": [repr(figure)]}
            self.outputs.append({"data": content, "metadata": {}, "output_type": "display_data"})
        plt.close("all")


def run(notebook: Notebook, name: str) -> None:
    """Puts what code cells show into them; a warning is an error, because readers would see it."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    usual = plt.show
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    # A cell shows all open figures, and the process may have some of others.
    plt.close("all")
    with mpl.rc_context(), warnings.catch_warnings():
        plt.switch_backend("agg")
        mpl.rcdefaults()
        warnings.simplefilter("error")
        try:
            for number, cell in enumerate(cells, 1):
                shown = _Shown()
                plt.show = shown.show
                with contextlib.redirect_stdout(shown.printed):
                    exec(compile("".join(cell["source"]), f"{name}, cell {number}", "exec"), namespace)
                shown.flush()
                cell["execution_count"], cell["outputs"] = number, shown.outputs
        finally:
            plt.show = usual
            plt.close("all")


def written(notebook: Notebook) -> str:
    """A notebook as Jupyter writes it."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def main(files: list[Path]) -> None:
    for file in files:
        notebook = json.loads(file.read_text(encoding="utf-8"))
        with contextlib.chdir(file.parent):
            run(notebook, file.name)
        temporary = file.with_suffix(".new")
        temporary.write_text(written(notebook), encoding="utf-8")
        temporary.replace(file)


if __name__ == "__main__":
    main([Path(name).resolve() for name in sys.argv[1:]])
