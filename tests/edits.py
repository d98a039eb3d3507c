"""Edits of made or committed tables, which turn one thing round: what the worlds of several papers share."""

from collections.abc import Callable
from typing import Any

import pandas as pd

Tables = dict[str, pd.DataFrame]
Edit = Callable[[Tables], object]


def chosen(table: pd.DataFrame, where: dict[str, Any]) -> "pd.Series[bool]":
    """Rows that have the given values, or for which a function of them holds; there must be some."""
    mask = pd.Series(True, index=table.index)
    for name, wanted in where.items():
        mask &= table[name].map(wanted).astype(bool) if callable(wanted) else table[name] == wanted
    assert mask.any(), where
    return mask


def many(*edits: Edit) -> Edit:
    return lambda made: [edit(made) for edit in edits]
