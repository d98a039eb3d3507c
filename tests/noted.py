"""Which tables a module of claims or bounds reads; all others it judges alike, whatever stands in them."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pandas as pd

from dpdescent.replication.judging.evidence import Evidence


class Noted(dict[str, pd.DataFrame]):
    """Tables that note which of them are read."""

    def __init__(self, tables: dict[str, pd.DataFrame]) -> None:
        super().__init__(tables)
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> pd.DataFrame:
        self.read.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.read.add(name)
        return super().get(name, default)


def tables_read(judge: Callable[[Evidence], Iterable[Any]], evidence: Evidence) -> set[str]:
    """Returns the names of the tables that a `judge` or `evaluate` reads."""
    noted = Noted(evidence.tables)
    assert list(judge(replace(evidence, tables=noted)))
    return noted.read
