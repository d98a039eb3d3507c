"""Words of the benchmark's table, `results/bench.csv`, which its script writes and the figure and the report read."""

from collections.abc import Iterable

OURS, TEXTBOOK = "dpdescent", "textbook loop"


def best_peer(rows: Iterable[dict[str, str]]) -> dict[str, str] | None:
    """The row of a workload's fastest way that is neither ours nor the textbook loop, if there is one."""
    others = [row for row in rows if row["way"] not in (OURS, TEXTBOOK)]
    return min(others, key=lambda row: float(row["seconds"]), default=None)
