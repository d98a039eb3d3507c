"""The table of `docs/regression.md` on what a budget buys, written anew by the function that stands below it there.

.venv/bin/python tests/regression_budget.py
"""

import os
import re
import warnings
from collections.abc import Callable
from pathlib import Path

# One thread, so that sums are those of the other tables.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

import dpdescent

PAGE = Path(__file__).resolve().parents[1] / "docs/regression.md"
# Number of records and columns, what three budgets buy.
ROW = re.compile(r"^\| ([\d,]+) \| (\d+) \| (.*) \| (.*) \| (.*) \|$", re.MULTILINE)
EPSILONS = (0.5, 1.0, 4.0)


def told() -> dict[tuple[int, int], list[str]]:
    """The cells of the page, by number of records and columns."""
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    return {(int(n.replace(",", "")), int(p)): cells for n, p, *cells in rows}


def bought() -> Callable[[int, int, float, int], str]:
    """The page's function."""
    (block,) = re.findall(r"^(def bought.*?)^print", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    namespace = {"np": np, "dpdescent": dpdescent}
    exec(compile(block, PAGE.name, "exec"), namespace)
    return namespace["bought"]  # type: ignore[return-value]


def runs_of(n: int, p: int) -> int:
    """How many runs a cell has, as the page says."""
    if n < 20_000:
        return 200
    return 40 if (n, p) == (100_000, 30) else 100


def cells(n: int, p: int) -> list[str]:
    """A row's cells by simulation."""
    with warnings.catch_warnings(action="ignore"):
        return [bought()(n, p, epsilon, runs_of(n, p)) for epsilon in EPSILONS]


def main() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for n, p in told():
        row = f"| {n:,} | {p} | {' | '.join(cells(n, p))} |"
        print(row, flush=True)
        text = re.sub(rf"^\| {n:,} \| {p} \|.*$", lambda _, row=row: row, text, flags=re.MULTILINE)
    temporary = PAGE.with_suffix(".new")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(PAGE)


if __name__ == "__main__":
    main()
