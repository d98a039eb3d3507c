"""Curves of figures that consist of lines, for the browser: points with intervals, by panel, series and variant."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any

from dpdescent.replication.report.wording import number

Row = dict[str, str]

# The fewest points of a line, and the most curves of a figure: more cannot be told apart, and tables show them better.
FEWEST, MOST = 3, 400
NORMAL = 1.96


def script(figures: dict[str, list[dict[str, Any]]]) -> str:
    """JavaScript with the curves of a paper's figures by artefact, which a page that is opened from disk may load."""
    lines = [
        f"{json.dumps(name)}: {json.dumps(of_figure, ensure_ascii=False)}"
        for name, of_figure in figures.items()
        if of_figure
    ]
    return "window.dpdescentCurves = {\n" + ",\n".join(lines) + "\n};\n"


def curves(rows: Sequence[Row], keys: Sequence[str]) -> list[dict[str, Any]]:
    """Curves of a figure, each with its panel, name, variant, the column along which it runs, and `points`.

    A point is x, value, low and high: the mean with its 95 % interval, or the median with its own, or the value alone.
    The curves of a panel run along the column of numbers that has most values in one curve; the other columns separate
    curves, except those that move with it, such as T = 25 n. There are no curves where no panel consists of lines.
    """
    panels = [list(_panel(panel[0], mine, keys)) for panel, mine in _by(rows, ("panel",)).items()]
    if sum(map(len, panels)) > MOST:
        panels = _cut([[curve for curve in mine if curve["variant"] == "main"] for mine in panels])
    return [curve for mine in panels for curve in mine]


def _cut(panels: list[list[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
    """At most MOST curves, of which every panel has its share, because a large one would leave no room for others."""
    left, sizes = MOST, {}
    for rank, place in enumerate(sorted(range(len(panels)), key=lambda place: len(panels[place]))):
        sizes[place] = min(len(panels[place]), left // (len(panels) - rank))
        left -= sizes[place]
    return [mine[: sizes[place]] for place, mine in enumerate(panels)]


def _panel(panel: str, rows: Sequence[Row], keys: Sequence[str]) -> Iterator[dict[str, Any]]:
    along, others = _way(rows, [key for key in keys if key != "panel"])
    if not along:
        return
    moving = _parting(rows, others)
    for names, mine in _by(rows, ("series", "variant", *others)).items():
        points = sorted(point for row in mine if (point := _point(row, along)))
        if len(points) >= FEWEST:
            settings = [f"{key} = {number(row[key])}" for row in mine[:1] for key in moving if row[key]]
            yield {
                "panel": panel, "name": ", ".join([names[0], *settings]), "variant": names[1], "along": along,
                "points": points,
            }  # fmt: skip


def _way(rows: Sequence[Row], keys: Sequence[str]) -> tuple[str, list[str]]:
    """The column along which curves run, and the columns that separate them; the former is empty without lines."""
    numbers = [key for key in keys if all(_is_number(row[key]) for row in rows if row[key])]
    # A way is tried only where the ways before it make no line, because it separates fewer curves, or leaves out points
    # with words.
    for axes, kept in ((numbers, _all), (numbers, _without_followers), (numbers, _without_given), (keys, _all)):
        ways = [(along, kept(rows, along, [key for key in keys if key != along])) for along in axes]
        along, others = max(ways, key=lambda way: _most(rows, *way), default=("", []))
        if along and _most(rows, along, others) >= FEWEST:
            return along, others
    return "", []


def _all(rows: Sequence[Row], along: str, others: Sequence[str]) -> list[str]:
    return list(others)


def _parting(rows: Sequence[Row], keys: Sequence[str]) -> list[str]:
    """Columns that separate curves which agree in series, variant and earlier columns."""
    kept = ["series", "variant"]
    for key in keys:
        if len(_by(rows, [*kept, key])) > len(_by(rows, kept)):
            kept.append(key)
    return kept[2:]


def _without_followers(rows: Sequence[Row], along: str, others: Sequence[str]) -> list[str]:
    """Columns that separate curves, without those that move with the column along which the curves run."""
    kept = list(others)
    while True:
        fewer = [(key, [other for other in kept if other != key]) for key in kept]
        candidates = [
            rest for key, rest in fewer if _follows(rows, key, [along, *rest]) and _follows(rows, along, [key, *rest])
        ]
        if not candidates:
            return kept
        kept = max(candidates, key=lambda rest: _most(rows, along, rest))


def _without_given(rows: Sequence[Row], along: str, others: Sequence[str]) -> list[str]:
    """Columns that separate curves, without those with one value per place, such as T = n^2 up to a limit."""
    return [key for key in others if not _follows(rows, key, [along])]


def _follows(rows: Sequence[Row], key: str, given: Sequence[str]) -> bool:
    """Whether a column has one value for every combination of series, variant and the given columns."""
    place = _place(rows, ("series", "variant", *given))
    first: dict[Any, str] = {}
    return all(first.setdefault(place(row), row[key]) == row[key] for row in rows)


def _most(rows: Sequence[Row], along: str, others: Sequence[str]) -> int:
    """Largest number of values of a column in rows that agree in series, variant and the other columns."""
    place = _place(rows, ("series", "variant", *others))
    numbers = {value for value in {row[along] for row in rows} if _is_number(value)}
    pairs = {(place(row), row[along]) for row in rows if row[along] in numbers}
    return max(Counter(at for at, _ in pairs).values(), default=0)


def _place(rows: Sequence[Row], columns: Sequence[str]) -> Callable[[Row], Any]:
    """A function from a row to its values in those of the columns that the table has."""
    there = [column for column in columns if rows and column in rows[0]]
    return itemgetter(*there) if there else lambda row: None


def _by(rows: Sequence[Row], columns: Sequence[str]) -> dict[tuple[str, ...], list[Row]]:
    groups: dict[tuple[str, ...], list[Row]] = {}
    there = [column for column in columns if rows and column in rows[0]]
    for row in rows:
        groups.setdefault(tuple([row[column] for column in there]), []).append(row)
    return groups if len(there) == len(columns) else {_padded(at, there, columns): mine for at, mine in groups.items()}


def _padded(place: tuple[str, ...], there: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    """A value for each column, empty for those that a table lacks."""
    values = dict(zip(there, place, strict=True))
    return tuple(values.get(column, "") for column in columns)


def _point(row: Row, along: str) -> list[float]:
    """A point: x, value, low and high; without low and high where there is no interval, empty without a value."""
    centre = row.get("mean", "")
    ends: tuple[str, ...] = ("", "")
    if _is_number(centre) and _is_number(row.get("se", "")):
        ends = tuple(str(float(centre) + sign * NORMAL * float(row["se"])) for sign in (-1, 1))
    elif not _is_number(centre):
        centre, ends = row.get("median", ""), (row.get("median_low", ""), row.get("median_high", ""))
    if not (_is_number(row[along]) and _is_number(centre)):
        return []
    texts = [row[along], centre, *ends] if all(map(_is_number, ends)) and ends[0] != ends[1] else [row[along], centre]
    return [float(f"{float(text):.4g}") for text in texts]


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
