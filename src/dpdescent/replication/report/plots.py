"""Small drawings inside the pages: a measured number beside the claimed one, and an interval beside its criterion.

They are SVG without colours of their own, so that the style sheet's light and dark apply.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from dpdescent.replication.notation import plain
from dpdescent.replication.report.wording import limits, number

# Words in the head of a finding's table for the number that the paper promises; the column before has the measured one.
CLAIMED = re.compile(r"claim|target|bound|needed|pair's|promised|allowed")
# An axis is logarithmic if its numbers are positive and the largest is SPREAD times the smallest.
SPREAD = 20.0

WIDTH, LEFT, RIGHT, ROW = 420, 12, 408, 38


class Pair(NamedTuple):
    """A measured number, the claimed one, and the place of both in words."""

    where: str
    measured: float
    claimed: float


class Axis:
    """A linear or logarithmic axis over given numbers, with some room at both ends."""

    def __init__(self, numbers: Sequence[float], left: float, right: float) -> None:
        low, high = min(numbers), max(numbers)
        self.log = low > 0 and high >= SPREAD * low
        self.left, self.right = left, right
        ends = (math.log10(low), math.log10(high)) if self.log else (low, high)
        room = 0.08 * (ends[1] - ends[0]) or 0.1 * abs(ends[0]) or 1.0
        self.low, self.high = ends[0] - room, ends[1] + room

    def at(self, value: float) -> float:
        """Place of a number; a number beyond the axis is placed at its end."""
        if self.log:
            value = math.log10(value) if value > 0 else self.low
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(self.left + share * (self.right - self.left), 1)

    def ticks(self) -> list[float]:
        """Round numbers on the axis: powers of ten, or three to six multiples of a round step."""
        if self.log:
            first, last = math.ceil(self.low), math.floor(self.high)
            powers = max(1, math.ceil((last - first) / 5))
            return [10.0**power for power in range(first, last + 1, powers)]
        power = 10.0 ** math.floor(math.log10((self.high - self.low) / 3))
        step = next(power * factor for factor in (1, 2, 5, 10) if (self.high - self.low) / (power * factor) <= 6)
        return [k * step for k in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]


def pairs(head: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[str, str, list[Pair]] | None:
    """Names and numbers of a finding's table: the claimed column, and the measured one before it; None without one."""
    columns = [place for place, name in enumerate(head) if place and CLAIMED.search(name)]
    if not columns:
        return None
    claimed = columns[0]
    listed = [
        Pair(
            ", ".join(f"{name} = {cell}" for name, cell in zip(head[: claimed - 1], row, strict=False)),
            float(row[claimed - 1]),
            float(row[claimed]),
        )
        for row in rows
    ]
    return head[claimed - 1], head[claimed], listed


def headline(text: str, where: str) -> tuple[str, str, list[Pair]] | None:
    """The pair of a headline such as `The check attains 0.24 instead of 0.1 ...`; None where it has none."""
    match = re.search(r"(?<!\S)([\d.e+-]+) instead of (?:(at most|less than|at least) )?([\d.e+-]*\d)", text)
    if match is None:
        return None
    return "measured", match.group(2) or "claimed", [Pair(where, float(match.group(1)), float(match.group(3)))]


def comparison(measured: str, claimed: str, drawn: Sequence[Pair]) -> Markup:
    """Drawing of pairs, one per line, on a common axis."""
    axis = Axis([value for pair in drawn for value in pair[1:]], LEFT, RIGHT)
    height = 26 + ROW * len(drawn) + 34
    words = f"{measured} beside {claimed}: " + "; ".join(
        f"{pair.where}: {number(pair.measured, 3)} against {number(pair.claimed, 3)}" for pair in drawn
    )
    lines = [
        f'<svg class="plot" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(plain(words))}">',
        f'<circle class="measured" cx="18" cy="10" r="5"/><text x="28" y="14">{escape(plain(measured))}</text>',
        f'<path class="claimed" d="M210 4v12"/><text x="220" y="14">{escape(plain(claimed))}</text>',
        *(_ticks(axis, height)),
        *(_line(axis, pair, 26 + ROW * place) for place, pair in enumerate(drawn)),
    ]
    return Markup("\n".join([*lines, "</svg>"]))


def _ticks(axis: Axis, height: int) -> list[str]:
    return [
        f'<path class="grid" d="M{axis.at(tick)} 22V{height - 22}"/>'
        f'<text class="tick" x="{axis.at(tick)}" y="{height - 6}">{escape(plain(number(tick, 3)))}</text>'
        for tick in axis.ticks()
    ]


def _line(axis: Axis, pair: Pair, top: int) -> str:
    measured, claimed, middle = axis.at(pair.measured), axis.at(pair.claimed), top + 26
    label = f"{pair.where}: {number(pair.measured, 3)} against {number(pair.claimed, 3)}"
    return (
        f'<text x="{LEFT}" y="{top + 14}">{escape(plain(label))}</text>'
        f'<path class="gap" d="M{claimed} {middle}H{measured}"/>'
        f'<path class="claimed" d="M{claimed} {middle - 6}v12"/>'
        f'<circle class="measured" cx="{measured}" cy="{middle}" r="5"/>'
    )


# Width and height of a strip.
STRIP, HIGH = 132, 16


def strip(claim: Mapping[str, str]) -> Markup:
    """Small drawing of a claim's estimate and interval against its criterion; empty where either has no numbers."""
    ends = limits(claim["criterion"])
    if ends is None or not claim["measured"]:
        return Markup("")
    value, low, high = (float(claim[column]) for column in ("measured", "low", "high"))
    numbers = [
        candidate for candidate in (value, low, high, *ends) if candidate is not None and math.isfinite(candidate)
    ]
    if not math.isfinite(value) or not numbers:
        return Markup("")
    axis = Axis(numbers, 4, STRIP - 4)
    left = 0 if ends[0] is None else axis.at(ends[0])
    right = STRIP if ends[1] is None else axis.at(ends[1])
    return Markup(
        f'<svg class="strip" viewBox="0 0 {STRIP} {HIGH}" aria-hidden="true">'
        f'<rect x="{left:g}" y="0" width="{max(right - left, 1):g}" height="{HIGH}"/>'
        f'<path d="M{axis.at(low):g} 8H{axis.at(high):g}"/><circle cx="{axis.at(value):g}" cy="8" r="3.5"/></svg>'
    )
