"""Text for numbers, ranges and names on the report's pages."""

import re
from collections.abc import Sequence
from typing import Any

from dpdescent.replication.notation import NAMES

VERDICTS = ("reproduced", "not reproduced", "inconclusive", "not testable")

# How claims that are not the paper's own are called in the scorecard, by their source.
OTHER_SOURCES = {"ours": "ours", "analogue": "analogues", "identity": "identities"}

Row = dict[str, str]

# A sign for each verdict, because colour alone is not visible to all readers.
SIGNS = dict(zip(VERDICTS, ("✓", "✗", "?", "–"), strict=True))

# Largest length, in characters, of a list of values that is shown whole.
ROOM = 60


def number(value: Any, digits: int = 4) -> str:
    """Formats a number with few digits; other values are returned as text."""
    text = str(value)
    if re.fullmatch(r"[-+]?\d{1,15}", text):
        return text
    try:
        return f"{float(text):.{digits}g}"
    except ValueError:
        return text


def extent(ends: Sequence[float] | None) -> str:
    """Formats a range as `low to high`, or as one number where both ends are equal in few digits."""
    if ends is None:
        return ""
    low, high = (number(end, 3) for end in (ends[0], ends[-1]))
    return low if low == high else f"{low} to {high}"


def estimate(claim: Row) -> str:
    """Formats the measured value of a claim, with its interval if there is one."""
    if not claim["measured"]:
        return ""
    value, low, high = (number(claim[column], 3) for column in ("measured", "low", "high"))
    return value if low == high else f"{value} [{low}, {high}]"


def values(text: str) -> str:
    """Shortens a long list of values by leaving out its middle."""
    items = text.split(", ")
    if len(text) <= ROOM or len(items) < 5:
        return text
    return f"{', '.join(items[:3])}, …, {items[-1]} ({len(items)} values)"


def trials(counts: dict[str, list[int]]) -> str:
    """Formats numbers of trials: the headline's, then those of variants that differ, as in `100; step size 0.2: 50`."""
    said = {name: " or ".join(str(count) for count in numbers) for name, numbers in counts.items()}
    main = said.pop("main", "")
    return "; ".join([main, *(f"{name}: {count}" for name, count in said.items() if count != main)])


def counted(count: int, noun: str) -> str:
    """Formats a count with its noun, as in `1 table` or `2 tables`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def sentence(text: str) -> str:
    """Formats text as a sentence, with a full stop, and a capital unless it begins with a symbol or a formula."""
    text = text.strip()
    if not text:
        return text
    first, *_ = re.split(r"([^A-Za-z]|$)", text, maxsplit=1)
    symbol = first in NAMES or (len(first) == 1 and first not in "aA") or re.match(rf"{first}[(_^|\d]", text)
    return (text if symbol else text[0].upper() + text[1:]) + ("" if text[-1] in ".!?" else ".")


def alternative(artefact: dict[str, Any], claims: Sequence[Row], most: int = 4) -> str:
    """Alternative text of a figure for readers who cannot see it: what is plotted, and what was measured."""
    judged = [claim for claim in claims if claim["measured"]][:most]
    measured = [f"{claim['quantity']}: {estimate(claim)} ({claim['verdict']})" for claim in judged]
    shown = f"{artefact['place']}: {sentence(artefact['caption'])}"
    return f"{shown} Measured: {'; '.join(measured)}." if measured else shown


def slug(*names: str) -> str:
    """Name of an anchor, from words."""
    return "-".join(re.sub(r"[^\w.]+", "-", name).strip("-") for name in names)
