"""The numbers behind a figure as a reader wants them: a row a point of the grid, a column a curve."""

from collections.abc import Sequence
from typing import Any

from dpdescent.replication.report.wording import number

Row = dict[str, str]

# More than these are read in the CSV, not on a page.
MOST_ROWS, MOST_CURVES = 250, 8


def behind(rows: Sequence[Row], keys: Sequence[str]) -> dict[str, Any] | None:
    """The headline's means (medians where there is no mean) with standard errors, by grid point and curve.

    Args:
        rows: of an artefact's table.
        keys: its grid columns; those that hold one value throughout are told once.

    Returns:
        `constant` (name, value), `columns` and `rows` of text; None where there is too much for a page.
    """
    rows = [row for row in rows if row["variant"] == "main"]
    curves = list(dict.fromkeys(row["series"] for row in rows))
    moving = [key for key in keys if len({row[key] for row in rows}) > 1]
    points: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        points.setdefault(tuple(row[key] for key in moving), {})[row["series"]] = _value(row)
    if not rows or len(points) > MOST_ROWS or len(curves) > MOST_CURVES:
        return None
    return {
        "constant": [(key, number(rows[0][key])) for key in keys if key not in moving and rows[0][key]],
        "columns": [*moving, *curves],
        "rows": [[*map(number, point), *(found.get(curve, "") for curve in curves)] for point, found in points.items()],
    }


def _value(row: Row) -> str:
    value, error = row["mean"] or row.get("median", ""), row.get("se", "")
    spread = f" ± {number(error, 2)}" if row["mean"] and error and float(error) > 0 else ""
    return number(value) + spread
