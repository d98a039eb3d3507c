"""From tidy trials to tables: one row a plotted point, sorted by full key, with the spread over trials."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import betainc

from dpdescent.replication.files import atomic

Array = NDArray[np.float64]

QUANTILES = {"q025": 0.025, "q05": 0.05, "q10": 0.1, "q25": 0.25, "q75": 0.75, "q90": 0.9, "q95": 0.95, "q975": 0.975}


def read(path: str | Path) -> pd.DataFrame:
    """Reads a CSV so that every float is the one that was written."""
    return pd.read_csv(path, float_precision="round_trip")


def write(table: pd.DataFrame, path: str | Path) -> None:
    """Writes a CSV with the shortest texts that read back the same."""
    with atomic(path) as stream:
        table.to_csv(stream, index=False, lineterminator="\n")


def summarise(parts: Sequence[pd.DataFrame], keys: Sequence[str], measures: Sequence[str]) -> pd.DataFrame:
    """Summarises `value` over trials for each combination of keys, series and variant.

    The order of the trials inside a group is by trial number, so that the cut into parts changes no digit.

    Args:
        parts: tidy trials with columns keys, `series`, `variant`, `trial`, `value` and measures.
        keys: the grid columns.
        measures: columns whose mean over trials joins the table.

    Raises:
        ValueError: if a column is missing, or a trial occurs twice.
    """
    trials = pd.concat(parts, ignore_index=True)
    columns = [*keys, "series", "variant"]
    missing = [name for name in [*columns, "trial", "value", *measures] if name not in trials]
    if missing:
        raise ValueError(f"the experiment returned no column {missing[0]!r}; it returned {list(trials.columns)}")
    trials = trials.sort_values([*columns, "trial"], kind="stable", ignore_index=True)
    if trials.duplicated([*columns, "trial"]).any():
        raise ValueError(f"a trial occurs twice: {trials[trials.duplicated([*columns, 'trial'])].iloc[0].to_dict()}")
    rows = []
    for key, group in trials.groupby(columns, sort=True, dropna=False):
        rows.append({**dict(zip(columns, key, strict=True)), **_spread(group["value"].to_numpy(dtype=float))})
        rows[-1] |= {name: float(group[name].mean()) for name in measures}
    return pd.DataFrame(rows)


def _spread(values: Array) -> dict[str, float | int]:
    count = len(values)
    low, high = median_interval(values)
    return {
        "mean": float(values.mean()),
        "se": float(values.std(ddof=1) / np.sqrt(count)) if count > 1 else float("nan"),
        "median": float(np.median(values)),
        "median_low": low,
        "median_high": high,
        **{name: float(np.quantile(values, level)) for name, level in QUANTILES.items()},
        "trials": count,
    }


def median_interval(values: Array, level: float = 0.95) -> tuple[float, float]:
    """Percentile-bootstrap interval of the median, exactly: with no resampling and no random numbers.

    The median of a resample lies at or below the k-th smallest value with the binomial probability that half of the
    draws do; the incomplete beta function is that probability, also for even counts.
    """
    ordered, count = np.sort(values), len(values)
    if count < 2:
        return float(ordered[0]), float(ordered[0])
    half = (count + 1) / 2
    below = betainc(half, count - half + 1, np.arange(1, count + 1) / count)
    low, high = np.searchsorted(below, [(1 - level) / 2, (1 + level) / 2])
    return float(ordered[low]), float(ordered[min(high, count - 1)])


def fingerprints(item: str, parts: Mapping[str, pd.DataFrame], measures: Sequence[str]) -> pd.DataFrame:
    """Rows and column sums of every part, so that one part can be recomputed and compared without the rest."""
    paper, artefact = item.split("/")
    rows = [
        {
            "paper": paper,
            "artefact": artefact,
            "part": name,
            "column": column,
            "rows": len(part),
            "sum": part[column].sum(),
        }
        for name, part in parts.items()
        for column in ["value", *measures]
    ]
    return pd.DataFrame(rows)


def as_markdown(table: pd.DataFrame, title: str) -> str:
    """A pipe table under its title; numbers with four significant digits."""
    head = [f"**{title}**", "", "| " + " | ".join(table.columns) + " |", "|" + "---|" * len(table.columns)]
    body = ["| " + " | ".join(_cell(value) for value in row) + " |" for row in table.itertuples(index=False)]
    return "\n".join([*head, *body, ""])


def as_latex(table: pd.DataFrame, title: str) -> str:
    """A booktabs table; numbers with four significant digits."""
    columns = " & ".join(_escaped(name) for name in table.columns)
    body = [" & ".join(_escaped(_cell(value)) for value in row) + r" \\" for row in table.itertuples(index=False)]
    lines = [
        r"\begin{table}", rf"\caption{{{_escaped(title)}}}", rf"\begin{{tabular}}{{{'l' * len(table.columns)}}}",
        r"\toprule", columns + r" \\", r"\midrule", *body, r"\bottomrule", r"\end{tabular}", r"\end{table}", "",
    ]  # fmt: skip
    return "\n".join(lines)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:.4g}"
    return str(value)


def _escaped(text: str) -> str:
    for sign in "&%#_":
        text = text.replace(sign, "\\" + sign)
    return text
