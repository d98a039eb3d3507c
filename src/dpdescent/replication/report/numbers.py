"""Table of the numbers behind a figure: one row for every grid point, one column for every curve."""

from collections.abc import Sequence
from typing import Any

from dpdescent.replication.report.wording import number

Row = dict[str, str]

# Larger tables are not shown on a page, because they are better read in the CSV file.
MOST_ROWS, MOST_CURVES = 150, 8


def behind(rows: Sequence[Row], keys: Sequence[str]) -> list[dict[str, Any]]:
    """Means of the headline (medians where there is no mean) with standard errors, by grid point and curve.

    Args:
        rows: rows of an artefact's table.
        keys: its grid columns.

    Returns:
        A table for each panel of the figure, because panels differ in their curves and in the columns that vary along
        them: `panel` (empty where there is one), `constant` (the other columns, in words), `columns` and `rows` of
        text. No table if one of them is too large for a page.
    """
    rows = [row for row in rows if row["variant"] == "main"]
    panels = list(dict.fromkeys(row.get("panel", "") for row in rows))
    rest = [key for key in keys if key != "panel"]
    tables = [_table(name, [row for row in rows if row.get("panel", "") == name], rest) for name in panels]
    curves = {curve for table in tables for curve in table["curves"]}
    if sum(len(table["rows"]) for table in tables) > MOST_ROWS or len(curves) > MOST_CURVES:
        return []
    return tables


def _table(panel: str, rows: Sequence[Row], keys: Sequence[str]) -> dict[str, Any]:
    curves = list(dict.fromkeys(row["series"] for row in rows))
    moving = [key for key in keys if len({row[key] for row in rows}) > 1]
    points: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        points.setdefault(tuple(row[key] for key in moving), {})[row["series"]] = _value(row)
    return {
        "panel": panel, "curves": curves, "columns": [*moving, *curves],
        "constant": ", ".join(f"{key} = {number(rows[0][key])}" for key in keys if key not in moving and rows[0][key]),
        "rows": [[*map(number, point), *(cells.get(curve, "") for curve in curves)] for point, cells in points.items()],
    }  # fmt: skip


def _value(row: Row) -> str:
    value, error = row["mean"] or row.get("median", ""), row.get("se", "")
    spread = f" ± {number(error, 2)}" if row["mean"] and error and float(error) > 0 else ""
    return number(value) + spread
