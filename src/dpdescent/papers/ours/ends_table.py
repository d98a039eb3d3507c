"""What public ends of the outcome come to, for docs/beyond.md, from the table `regression_ends`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from dpdescent.papers.ours.claims.regression import of_coefficients
from dpdescent.papers.ours.claims.regression_ends import DUMMY
from dpdescent.papers.ours.experiments.regression import LENGTH
from dpdescent.papers.ours.regression_table import HEAD, of_laws
from dpdescent.replication.report.summary import table as piped

_TOLD: dict[str, Any] = {"panel": "binary, sizes told"}
_RARE: dict[str, Any] = {"panel": "binary, rare dummies"}
_WITHOUT: dict[str, Any] = {"panel": "binary, without ends"}
_AMOUNTS: dict[str, Any] = {"panel": "wages, ends", "dummy": 0.1}
# Rows of the page that are of no grid: a law in words, and where it stands.
SHOWN: dict[str, dict[str, Any]] = {
    "5 % of ones, n = 5,000, sizes told": _TOLD | {"nonzero": 0.05},
    "2 % of ones, n = 5,000, sizes told": _TOLD | {"nonzero": 0.02},
    "30 % of ones, n = 20,000, a dummy of 2 %": _RARE | {"dummy": 0.02},
    "30 % of ones, n = 20,000, a dummy of 5 %": _RARE | {"dummy": 0.05},
    "30 % of ones, n = 20,000, a dummy of 10 %": _RARE | {"dummy": 0.1},
    "50 % of ones, n = 5,000, without ends": _WITHOUT | {"nonzero": 0.5},
    "20 % of ones, n = 5,000, without ends": _WITHOUT | {"nonzero": 0.2},
    "wages with ends, n = 5,000, a dummy of 10 %": _AMOUNTS | {"n": 5000},
    "wages with ends, n = 20,000, a dummy of 10 %": _AMOUNTS | {"n": 20_000},
}


def table(results: Path) -> str:
    """Returns three tables with their sentences, in Markdown: 0/1 outcomes with ends, other laws, and dummies."""
    file = results / "ours/regression_ends.csv"
    if not file.exists():
        return "`snakemake ours_regression_ends` makes the table of which this is a part."
    main = pd.read_csv(file).query("variant == 'main'")
    binary, wages = (main[main["panel"] == panel] for panel in ("binary", "wages"))
    return "\n\n".join([
        "The coefficient that is covered least, by the share of ones, with public ends, and the median length over"
        " that of least squares; where more than one run in a hundred has no interval, of how many that have one:",
        _grid(binary, "nonzero", _least),
        "Other laws, with a dummy of half of the people where nothing else is said:",
        piped(HEAD, of_laws(main, SHOWN)),
        "The interval of a dummy, by its share of the people, where errors have skewness 1 and no ends are given:",
        _grid(wages, "dummy", _of_dummy),
    ])  # fmt: skip


def _grid(part: pd.DataFrame, axis: str, words: Callable[[pd.DataFrame], str]) -> str:
    """A table with a row for each number of records and a column for each share."""
    shares = list(dict.fromkeys(part[axis]))
    rows = (
        [f"n = {n:,}", *(words(part[(part["n"] == n) & (part[axis] == share)]) for share in shares)]
        for n in dict.fromkeys(part["n"])
    )
    return piped(["", *(f"{100.0 * share:g} %" for share in shares)], rows)


def _least(cell: pd.DataFrame) -> str:
    single = cell[of_coefficients(cell)]
    if not len(single):
        return "no interval"
    length = cell["median"][cell["series"] == LENGTH].iloc[0]
    return f"{_share(single.loc[single['mean'].idxmin()], cell)}, {length:.1f}"


def _of_dummy(cell: pd.DataFrame) -> str:
    single = cell[cell["series"] == DUMMY]
    return _share(single.iloc[0], cell) if len(single) else "no interval"


def _share(row: "pd.Series[Any]", cell: pd.DataFrame) -> str:
    """A share that is covered, and of how many runs where more than one in a hundred has no interval."""
    few = row["trials"] < 0.99 * cell["trials"].max()
    return f"{100.0 * row['mean']:.0f} %" + (f" of {row['trials']}" if few else "")
