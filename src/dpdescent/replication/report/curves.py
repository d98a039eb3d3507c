"""Curves of figures made of lines, for looking at in a browser: points with intervals, by panel, series and variant."""

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

from dpdescent.replication.report.wording import number

Row = dict[str, str]

# Fewer points make no line; more curves cannot be told apart, and the table is the better place for them.
FEWEST, MOST = 3, 400
NORMAL = 1.96


def script(found: dict[str, list[dict[str, Any]]]) -> str:
    """JavaScript with the curves of a paper's figures by artefact, which a page that is opened from disk may load."""
    lines = [f"{json.dumps(name)}: {json.dumps(each, ensure_ascii=False)}" for name, each in found.items() if each]
    return "window.dpdescentCurves = {\n" + ",\n".join(lines) + "\n};\n"


def curves(rows: Sequence[Row], keys: Sequence[str]) -> list[dict[str, Any]]:
    """Curves of a figure, each with its panel, name, variant, the column along which it runs, and `points`.

    A point is x, value, low and high: the mean with its 95 % interval, or the median with its own, or the value alone.
    A panel runs along the grid column of numbers that has most values in one curve; other columns part its curves, but
    for those that move with it, such as T = 25 n. Empty where no panel is made of lines.
    """
    found = [curve for panel, mine in _by(rows, ("panel",)).items() for curve in _panel(panel[0], mine, keys)]
    return found if len(found) <= MOST else [curve for curve in found if curve["variant"] == "main"][:MOST]


def _panel(panel: str, rows: Sequence[Row], keys: Sequence[str]) -> Iterator[dict[str, Any]]:
    axes = [key for key in keys if key != "panel" and all(_is_number(row[key]) for row in rows if row[key])]
    ways = [(along, [key for key in keys if key not in ("panel", along)]) for along in axes]
    if max((_most(rows, *way) for way in ways), default=0) < FEWEST:
        ways = [(along, _without_followers(rows, along, others)) for along, others in ways]
    along, others = max(ways, key=lambda way: _most(rows, *way), default=("", []))
    if not along or _most(rows, along, others) < FEWEST:
        return
    moving = _parting(rows, others)
    for names, mine in _by(rows, ("series", "variant", *others)).items():
        points = sorted(point for row in mine if (point := _point(row, along)))
        if len(points) >= FEWEST:
            told = [f"{key} = {number(row[key])}" for row in mine[:1] for key in moving if row[key]]
            yield {
                "panel": panel, "name": ", ".join([names[0], *told]), "variant": names[1], "along": along,
                "points": points,
            }  # fmt: skip


def _parting(rows: Sequence[Row], keys: Sequence[str]) -> list[str]:
    """Columns that tell curves apart which series, variant and earlier columns do not."""
    kept = ["series", "variant"]
    for key in keys:
        if len(_by(rows, [*kept, key])) > len(_by(rows, kept)):
            kept.append(key)
    return kept[2:]


def _without_followers(rows: Sequence[Row], along: str, others: Sequence[str]) -> list[str]:
    """Columns that part curves, without those that move with the column along which these run, one value for one."""
    kept = list(others)
    while True:
        fewer = [(key, [other for other in kept if other != key]) for key in kept]
        found = [
            rest for key, rest in fewer if _follows(rows, key, [along, *rest]) and _follows(rows, along, [key, *rest])
        ]
        if not found:
            return kept
        kept = max(found, key=lambda rest: _most(rows, along, rest))


def _follows(rows: Sequence[Row], key: str, given: Sequence[str]) -> bool:
    groups = _by(rows, ("series", "variant", *given)).values()
    return all(len({row[key] for row in mine}) == 1 for mine in groups)


def _most(rows: Sequence[Row], along: str, others: Sequence[str]) -> int:
    """Largest number of values of a column in rows that agree in series, variant and others."""
    groups = _by(rows, ("series", "variant", *others)).values()
    return max((len({row[along] for row in mine if row[along]}) for mine in groups), default=0)


def _by(rows: Sequence[Row], columns: Sequence[str]) -> dict[tuple[str, ...], list[Row]]:
    groups: dict[tuple[str, ...], list[Row]] = {}
    there = [column for column in columns if rows and column in rows[0]]
    for row in rows:
        groups.setdefault(tuple([row[column] for column in there]), []).append(row)
    return groups if len(there) == len(columns) else {_padded(at, there, columns): mine for at, mine in groups.items()}


def _padded(place: tuple[str, ...], there: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    """A value for each column, empty for those that a table lacks."""
    found = dict(zip(there, place, strict=True))
    return tuple(found.get(column, "") for column in columns)


def _point(row: Row, along: str) -> list[float]:
    """x, value, low, high; the ends are left out where there is no interval, all where there is no value."""
    centre = row.get("mean", "")
    ends: tuple[str, ...] = ("", "")
    if _is_number(centre) and _is_number(row.get("se", "")):
        ends = tuple(str(float(centre) + sign * NORMAL * float(row["se"])) for sign in (-1, 1))
    elif not _is_number(centre):
        centre, ends = row.get("median", ""), (row.get("median_low", ""), row.get("median_high", ""))
    if not (_is_number(row[along]) and _is_number(centre)):
        return []
    found = [row[along], centre, *ends] if all(map(_is_number, ends)) and ends[0] != ends[1] else [row[along], centre]
    return [float(f"{float(each):.4g}") for each in found]


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
