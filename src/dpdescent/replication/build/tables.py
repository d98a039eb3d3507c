"""Tables made of tidy trials: one row per plotted point, sorted by full key, with the spread over trials."""

import io
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import betainc, gammaln

from dpdescent.replication.build import store
from dpdescent.replication.build.files import atomic, checked

Array = NDArray[np.float64]

QUANTILES = {"q025": 0.025, "q05": 0.05, "q10": 0.1, "q25": 0.25, "q75": 0.75, "q90": 0.9, "q95": 0.95, "q975": 0.975}


def read(path: str | Path) -> pd.DataFrame:
    """Reads a CSV so that every float is the one that was written; a part without rows is an empty table.

    Raises:
        SystemExit: in one line, if the file is not what was written.
    """
    try:
        return pd.read_csv(io.BytesIO(checked(path)))
    except pd.errors.EmptyDataError:
        return pd.DataFrame()


def write(table: pd.DataFrame, path: str | Path) -> None:
    """Writes a CSV with the shortest texts that read back the same."""
    with atomic(path) as stream:
        table.to_csv(stream, index=False, lineterminator="\n")


def make(
    spec: Mapping[str, Any], packs: Sequence[str | Path], folder: Path, output: str, part_fingerprints: str
) -> pd.DataFrame:
    """Merges the parts of an artefact, writes its table and the fingerprints of its parts, and returns the table.

    Args:
        spec: the artefact's item, grid columns `keys` and further `measures`.
        packs: files that list its parts, in order.
        folder: folder of the parts.
        output: CSV to write.
        part_fingerprints: CSV to write.

    Returns:
        The table as it reads back from `output`.

    Raises:
        SystemExit: in one line, if a part is missing or is not what was trained.
    """
    parts = {name: read(file) for name, file in store.parts_in(packs, folder).items()}
    write(summarise(list(parts.values()), spec["keys"], spec["measures"]), output)
    write(fingerprints(spec["item"], parts, spec["measures"]), part_fingerprints)
    return read(output)


def summarise(parts: Sequence[pd.DataFrame], keys: Sequence[str], measures: Sequence[str]) -> pd.DataFrame:
    """Summarises `value` over trials for each combination of keys, series and variant.

    The order of the trials inside a group is by trial number, so that the cut into parts changes no digit.

    Args:
        parts: tidy trials with columns keys, `series`, `variant`, `trial`, `value` and measures.
        keys: the grid columns.
        measures: columns whose mean over trials joins the table.

    Returns:
        One row per combination. Where runs of several trials ended beyond all finite numbers, `diverged` counts them,
        and mean and quantiles are infinite too; in a table without such runs the column is not there.

    Raises:
        ValueError: if a column is missing, or a trial occurs twice.
    """
    trials = pd.concat(parts, ignore_index=True)
    columns = [*keys, "series", "variant"]
    missing = [name for name in [*columns, "trial", "value", *measures] if name not in trials]
    if missing:
        raise ValueError(f"the experiment returned no column {missing[0]!r}; it returned {list(trials.columns)}")
    for name in columns:
        if trials[name].dtype == object:
            # A part in which all names are digits reads as numbers, and another part as text.
            trials[name] = trials[name].map(str, na_action="ignore")
    trials = trials.sort_values([*columns, "trial"], kind="stable", ignore_index=True)
    if trials.duplicated([*columns, "trial"]).any():
        raise ValueError(f"a trial occurs twice: {trials[trials.duplicated([*columns, 'trial'])].iloc[0].to_dict()}")
    rows = []
    for key, group in trials.groupby(columns, sort=True, dropna=False):
        rows.append({**dict(zip(columns, key, strict=True)), **_spread(group["value"].to_numpy(dtype=float))})
        rows[-1] |= {name: float(group[name].mean()) for name in measures}
        # A single value that is not finite means an undefined one, such as a bound that does not hold.
        rows[-1] |= {"diverged": int((~np.isfinite(group["value"])).sum()) if len(group) > 1 else 0}
    table = pd.DataFrame(rows)
    return table if len(table) and table["diverged"].any() else table.drop(columns="diverged", errors="ignore")


def _spread(values: Array) -> dict[str, float | int]:
    # numpy's warnings are off, because trials that diverged are counted.
    with np.errstate(invalid="ignore"):
        return _statistics(values)


def _statistics(values: Array) -> dict[str, float | int]:
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
    """Percentile-bootstrap interval of the median, computed exactly, without resampling and random numbers.

    The interval's ends are the smallest values that the median of a resample does not exceed with at least the two
    probabilities.
    """
    ordered = np.sort(values)
    first, second, probability = _median_law(len(values))
    medians = (ordered[first] + ordered[second]) / 2
    order = np.argsort(medians, kind="stable")
    ends = np.searchsorted(np.cumsum(probability[order]), [(1 - level) / 2, (1 + level) / 2])
    low, high = medians[order][np.minimum(ends, len(order) - 1)]
    return float(low), float(high)


@cache
def _median_law(count: int) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
    """The pairs of order statistics of a sample that may lie in the middle of its resample, with their probabilities.

    Returns:
        Indices of the lower and of the upper one (the same for odd counts), and the probability of each pair.
    """
    half, ranks = (count + 1) // 2, np.arange(1, count + 1)
    # The half-th smallest draw is the k-th smallest value or less, if at least half of the draws are.
    exactly = np.diff(betainc(half, count - half + 1, ranks / count), prepend=0.0)
    if count % 2:
        return ranks - 1, ranks - 1, exactly
    # For i < j: half of the draws are the i-th or less, and one is the i-th; the others are the j-th or more likewise.
    with np.errstate(divide="ignore"):
        upto = half * np.log(ranks / count) + np.log(-np.expm1(half * np.log1p(-1 / ranks)))
    ways = gammaln(count + 1) - 2 * gammaln(half + 1)
    # Entries below the diagonal are no probabilities, and could overflow.
    pairs = np.triu(np.exp(np.minimum(ways + upto[:, None] + upto[::-1], 0.0)), k=1)
    pairs += np.diag(np.maximum(exactly - pairs.sum(axis=1), 0.0))
    first, second = np.nonzero(pairs > 1e-16)
    return first, second, pairs[first, second]


def fingerprints(item: str, parts: Mapping[str, pd.DataFrame], measures: Sequence[str]) -> pd.DataFrame:
    """Rows and column sums of every part, so that one part can be recomputed and compared without the rest."""
    paper, artefact = item.split("/")[-2:]
    rows = [
        {
            "paper": paper,
            "artefact": artefact,
            "part": name,
            "column": column,
            "rows": len(part),
            "sum": part[column].sum() if len(part) else 0.0,
        }
        for name, part in parts.items()
        for column in ["value", *measures]
    ]
    return pd.DataFrame(rows)


def as_markdown(table: pd.DataFrame, title: str) -> str:
    """A pipe table under its title; numbers with four significant digits."""
    head = [f"**{title}**", "", "| " + " | ".join(table.columns) + " |", "|" + "---|" * len(table.columns)]
    rows = ([_cell(value).replace("|", "\\|") for value in row] for row in table.itertuples(index=False))
    body = ["| " + " | ".join(row) + " |" for row in rows]
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
    """The text with every character escaped that has a meaning for LaTeX."""
    words = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(words.get(sign, f"\\{sign}" if sign in "&%#_${}" else sign) for sign in text)
