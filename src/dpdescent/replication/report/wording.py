"""Text for numbers, ranges and names on the report's pages."""

import re
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from dpdescent.replication.notation import NAMES, html, plain

VERDICTS = ("reproduced", "not reproduced", "inconclusive", "not testable")

# Names in the scorecard for claims that are not the paper's own, by their source.
OTHER_SOURCES = {"ours": "added by us", "analogue": "analogues", "identity": "identities"}
# A further name, where a build has claims that were judged at values of the reader's own.
YOURS = {"yours": "at your values"}

Row = dict[str, str]

# Largest length, in characters, of a list of values that is shown whole.
ROOM = 60


# A scale of the reader's own, as in `docs/pipeline.md`.
OVERLAY = """label: "my run"
papers:
  brown2024:
    artefacts:
      fig07: {trials: 500, trials_per_part: 50}   # in parts of 50, which changes no number
  liang2025:
    artefacts:
      fig07: {arms: {rho1: 1, rho2: 1}}
"""


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


_NUMBER = r"(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)"


def limits(criterion: str) -> tuple[float | None, float | None] | None:
    """Lower and upper limit at the beginning of a criterion, None for a side without one; None without numbers."""
    text = criterion.removeprefix("slope ")
    if match := re.match(rf"between {_NUMBER} and {_NUMBER}(?![\w%])", text):
        return float(match[1]), float(match[2])
    if match := re.match(rf"within {_NUMBER} of {_NUMBER}(?![\w%])", text):
        return float(match[2]) - float(match[1]), float(match[2]) + float(match[1])
    if match := re.match(rf"(?:at most|below) {_NUMBER}(?![\w%])", text):
        return None, float(match[1])
    if match := re.match(rf"(?:at least|above) {_NUMBER}(?![\w%])", text):
        return float(match[1]), None
    return None


def values(text: str) -> str:
    """Shortens a long list of values by leaving out its middle."""
    items = text.split(", ")
    if len(text) <= ROOM or len(items) < 5:
        return text
    return f"{', '.join(items[:3])}, …, {items[-1]} ({len(items)} values)"


def trials(counts: dict[str, list[int]]) -> str:
    """Formats numbers of trials: the headline's, then those of variants that differ, as in `100; step size 0.2: 50`."""
    counts_in_words = {name: " or ".join(str(count) for count in numbers) for name, numbers in counts.items()}
    main = counts_in_words.pop("main", "")
    return "; ".join([main, *(f"{name}: {count}" for name, count in counts_in_words.items() if count != main)])


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
    return ended(text if symbol else text[0].upper() + text[1:])


def ended(text: str) -> str:
    """Ends text with a full stop and adds no capital, because the text follows a colon."""
    text = text.strip()
    return text + ("" if not text or text[-1] in ".!?" else ".")


def symbol(name: str) -> Markup:
    """A setting's symbol, and its name in the configuration where that differs."""
    shown, key = html(name), Markup("<code>{}</code>").format(name)
    return key if shown == name else Markup("{} {}").format(Markup(shown), key)


def code_file(base: str, path: str, text: str = "") -> Markup:
    """Name of a source file or other text for it, with a link where the address of the code is known."""
    shown = Markup("<code>{}</code>").format(text or path)
    return Markup('<a href="{}/{}">{}</a>').format(base.rstrip("/"), path, shown) if base else shown


# Largest length of an alternative text.
MOST_LETTERS = 300


def alternative(artefact: dict[str, Any], claims: Sequence[Row]) -> str:
    """Alternative text of a figure for readers who cannot see it: its title, and its first measured claim."""
    what = f"{artefact['place']}: {artefact['title']}. {sentence(artefact['caption'].split('. ')[0])}"
    judged = [f" {claim['quantity']}: {estimate(claim)} ({claim['verdict']})." for claim in claims if claim["measured"]]
    return shortened(plain(what + "".join(judged[:1])))


def shortened(text: str) -> str:
    """A text that is no longer than an alternative text may be, cut between words."""
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1].rsplit(' ', 1)[0]}…"


def slug(*names: str) -> str:
    """Name of an anchor, from words."""
    return "-".join(re.sub(r"[^\w.]+", "-", name).strip("-") for name in names)
