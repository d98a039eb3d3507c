"""Made-up tables of results, for tests of figures."""

import itertools
import math
from typing import Any

import pandas as pd

Rows = list[dict[str, Any]]

# Quantiles of a summarised table, as factors of the mean.
_MIDDLE = {"median": 0.98, "median_low": 0.9, "median_high": 1.1}
WIDE = _MIDDLE | {
    "q025": 0.5, "q05": 0.6, "q10": 0.7, "q25": 0.8, "q75": 1.2, "q90": 1.3, "q95": 1.4, "q975": 1.5,
}  # fmt: skip
NARROW = _MIDDLE | {
    "q025": 0.9, "q05": 0.91, "q10": 0.92, "q25": 0.95, "q75": 1.02, "q90": 1.03, "q95": 1.04, "q975": 1.05,
}  # fmt: skip


def grid(**axes: Any) -> Rows:
    """All combinations; a plain value stands for itself."""
    values = [value if isinstance(value, tuple) else (value,) for value in axes.values()]
    return [dict(zip(axes, point, strict=True)) for point in itertools.product(*values)]


def table_of(rows: Rows, trials: int = 20, *, spread: dict[str, float], defaults: dict[str, Any]) -> pd.DataFrame:
    """Rows with the spread of a summarised table around a mean that differs from row to row."""
    full = []
    for k, row in enumerate(rows):
        mean = row.get("mean", 0.2 + 0.05 * (k % 7))
        quantiles = {name: mean + abs(mean) * (factor - 1) * (trials > 1) for name, factor in spread.items()}
        se = abs(mean) / 10 if trials > 1 else math.nan
        full.append(defaults | row | {"mean": mean, "se": se, "trials": trials} | quantiles)
    return pd.DataFrame(full)
