"""Table of the numbers behind a figure: one row for every grid point, one column for every curve."""

from collections.abc import Sequence
from typing import Any

from dpdescent.replication.report.wording import number

Row = dict[str, str]

# Larger tables are not shown on a page, because they are better read in the CSV file.
MOST_ROWS, MOST_CURVES = 150, 8


def behind(rows: Sequence[Row], keys: Sequence[str]) -> dict[str, Any] | None:
    """Means of the headline (medians where there is no mean) with standard errors, by grid point and curve.

    Args:
        rows: rows of an artefact's table.
        keys: its grid columns; columns with a single value are returned in `constant`.

    Returns:
        `constant` (name, value), `columns` and `rows` of text; None if the table is too large for a page.
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
