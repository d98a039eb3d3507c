"""What the coverage of `dp_regression` comes to, for docs/beyond.md, from the table `regression`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from dpdescent.papers.ours.claims.regression import WITHIN, bounded, of_coefficients
from dpdescent.papers.ours.experiments.regression import COEFFICIENT, COVERED, LENGTH, REFUSED
from dpdescent.replication.report.summary import table as piped

HEAD = ("law", "mean over coefficients", "covered least", "the constant", "length over least squares'")
# Rows of the page: a law in words, and where it stands.
SHOWN: dict[str, dict[str, Any]] = {
    "the middle": {"panel": "level", "level": 0.95},
    "n = 3,000": {"panel": "records", "n": 3000},
    "n = 100,000": {"panel": "records", "n": 100_000},
    "epsilon 0.2": {"panel": "budget", "eps": 0.2},
    "epsilon 8": {"panel": "budget", "eps": 8.0},
    "covariates with heavy tails": {"panel": "covariates", "covariates": "heavy"},
    "dummies of share .05": {"panel": "covariates", "covariates": "rare"},
    "unequal variances": {"panel": "errors", "errors": "unequal"},
    "unequal variances, taken for equal": {
        "panel": "unequal variances taken for equal",
        "errors": "unequal",
        "standard_errors": "equal",
    },
    "exponential errors": {"panel": "errors", "errors": "skewed"},
    "exponential errors, n = 30,000": {"panel": "more records, skewed errors", "n": 30_000},
    "outliers in the outcome": {"panel": "errors", "errors": "outliers"},
}


def table(results: Path) -> str:
    """Returns a sentence on all laws and a table of some, in Markdown."""
    file = results / "ours/regression.csv"
    if not file.exists():
        return "`snakemake ours_regression` makes the table of which this is a part."
    main = pd.read_csv(file).query("variant == 'main'")
    return f"{_sentence(main)}\n\n{piped(HEAD, of_laws(main, SHOWN))}"


def _sentence(main: pd.DataFrame) -> str:
    """How many laws there are, and how many of those with intervals meet the criterion."""
    told = main[(main["series"] == COVERED) | of_coefficients(main)]
    lowest: dict[str, float] = {}
    for (place, _), each in bounded(told).items():
        lowest[place] = min(each.high, lowest.get(place, each.high))
    met = sum(each >= WITHIN.low for each in lowest.values())
    laws = main[main["series"] == REFUSED]
    runs = " to ".join(f"{each:g}" for each in sorted({laws["trials"].min(), laws["trials"].max()}))
    without = f"{len(laws) - len(lowest)} of them have no intervals"
    return f"There are {len(laws)} laws, with {runs} runs each; {without}, and of the others {met} meet the criterion."


def of_laws(main: pd.DataFrame, shown: Mapping[str, Mapping[str, Any]]) -> Iterator[list[str]]:
    """Rows of laws that have intervals, by their words and where they stand."""
    for words, where in shown.items():
        cell = main
        for column, value in where.items():
            cell = cell[cell[column] == value]
        if not (cell["series"] == COVERED).any():
            continue
        means, medians = (cell.set_index("series")[column] for column in ("mean", "median"))
        least = cell["mean"][of_coefficients(cell)].min()
        shares = (f"{100.0 * each:.1f} %" for each in (means[COVERED], least, means[COEFFICIENT.format(0)]))
        yield [words, *shares, f"{medians[LENGTH]:.2f}"]
