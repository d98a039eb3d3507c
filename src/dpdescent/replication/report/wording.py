"""How numbers, ranges and names are put into words on the report's pages."""

import re
from collections.abc import Sequence
from typing import Any

VERDICTS = ("reproduced", "not reproduced", "inconclusive", "not testable")

Row = dict[str, str]

# A sign beside each verdict, so that none is told by its colour alone.
SIGNS = dict(zip(VERDICTS, ("✓", "✗", "?", "–"), strict=True))

# Longest list of values that is shown whole.
ROOM = 60


def number(value: Any, digits: int = 4) -> str:
    """A number in few digits; what is no number stays as it is."""
    text = str(value)
    if re.fullmatch(r"[-+]?\d{1,15}", text):
        return text
    try:
        return f"{float(text):.{digits}g}"
    except ValueError:
        return text


def extent(ends: Sequence[float] | None) -> str:
    """`low to high`, or one number where both are the same in few digits."""
    if ends is None:
        return ""
    low, high = (number(end, 3) for end in (ends[0], ends[-1]))
    return low if low == high else f"{low} to {high}"


def estimate(claim: Row) -> str:
    """What was measured, with its interval where it has one."""
    if not claim["measured"]:
        return ""
    value, low, high = (number(claim[column], 3) for column in ("measured", "low", "high"))
    return value if low == high else f"{value} [{low}, {high}]"


def values(text: str) -> str:
    """A list of values, its middle left out where it is long."""
    items = text.split(", ")
    if len(text) <= ROOM or len(items) < 5:
        return text
    return f"{', '.join(items[:3])}, …, {items[-1]} ({len(items)} values)"


def trials(counts: dict[str, list[int]]) -> str:
    """`100; step size 0.2: 50`: numbers of trials of the headline, then of the variants that have others."""
    said = {name: " or ".join(str(count) for count in numbers) for name, numbers in counts.items()}
    main = said.pop("main", "")
    return "; ".join([main, *(f"{name}: {count}" for name, count in said.items() if count != main)])


def counted(count: int, noun: str) -> str:
    """`1 table`, `2 tables`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def sentence(text: str) -> str:
    """With a capital and a full stop."""
    text = text.strip()
    return text if not text else text[0].upper() + text[1:] + ("" if text[-1] in ".!?" else ".")


def alternative(artefact: dict[str, Any], claims: Sequence[Row], most: int = 4) -> str:
    """A figure's text for those who do not see it: what is plotted, and what was measured from it."""
    judged = [claim for claim in claims if claim["measured"]][:most]
    measured = [f"{claim['quantity']}: {estimate(claim)} ({claim['verdict']})" for claim in judged]
    shown = f"{artefact['place']}: {sentence(artefact['caption'])}"
    return f"{shown} Measured: {'; '.join(measured)}." if measured else shown


def slug(*names: str) -> str:
    """A name for an anchor."""
    return "-".join(re.sub(r"[^\w.]+", "-", name).strip("-") for name in names)
