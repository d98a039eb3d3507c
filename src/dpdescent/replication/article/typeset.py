"""Text, numbers and tables of the committed files in typst's markup."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from dpdescent.replication import notation
from dpdescent.replication.report import wording

SMALL = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
# Names of accents in typst's mathematics, by those of the notation.
ACCENTS = {"hat": "hat", "bar": "macron", "tilde": "tilde"}


class Markup(str):
    """Text that is typst's markup already."""

    __slots__ = ()


def shown(value: Any) -> Markup:
    """A value of the text as markup: integers with commas, other numbers with three digits, words with their symbols.

    Raises:
        TypeError: if it is neither text nor a number.
    """
    if isinstance(value, Markup):
        return value
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise TypeError(f"{value!r} is neither text nor a number")
    return words(value) if isinstance(value, str) else number(value)


def number(value: float, digits: int = 3) -> Markup:
    """A number with few digits, powers of ten as such.

    Raises:
        TypeError: if it is none (nan), which a table has where nothing was measured.
    """
    if value != value:
        raise TypeError("nan is no number")
    if isinstance(value, int) or (digits and float(value).is_integer() and abs(value) < 1e5):
        return Markup(f"{int(value):,}".replace("-", "−"))
    text = wording.number(value, digits)
    mantissa, power, exponent = text.partition("e")
    if not power:
        return Markup(text.replace("-", "−"))
    times = "" if mantissa == "1" else f"{mantissa} dot "
    return Markup(f"${times}10^({int(exponent)})$")


def words(text: str) -> Markup:
    """Plain letters of the tables set as mathematics, and with nothing in them that typst would read as markup."""
    return Markup("".join(map(_piece, notation.read(text))))


def _piece(piece: notation.Piece) -> str:
    inside = "".join(map(_piece, piece.inside))
    # A semicolon ends what a hash begins: a parenthesis that follows would else be read as its arguments.
    made = {
        "code": f"`{piece.text}`", "letter": f"#emph[{piece.text}];", "sub": f"#sub[{inside}];",
        "sup": f"#super[{inside}];", "root": f"$sqrt(#box[{inside}])$",
    }  # fmt: skip
    if piece.accent:
        return f"${ACCENTS[piece.accent]}({piece.text})$"
    return made.get(piece.kind, escaped(piece.text))


def escaped(text: str) -> Markup:
    """Text in which every character stands for itself."""
    return Markup(re.sub(r"([\\#$*_`<>@\[\]~=/+\"-])", r"\\\1", text))


def quoted(text: str) -> Markup:
    """Text as a string of typst's language."""
    return Markup('"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"')


def percent(value: float, digits: int = 3) -> Markup:
    """A share as per cent."""
    return Markup(f"{wording.number(100.0 * value, digits)}~%".replace("-", "−"))


def spelt(count: int) -> Markup:
    """A count as a word up to twenty."""
    return Markup(SMALL[count]) if 0 <= count < len(SMALL) else number(count)


def capital(text: str) -> Markup:
    """Markup that begins a sentence."""
    return Markup(text[:1].upper() + text[1:])


def table(head: Sequence[Any], rows: Iterable[Sequence[Any]], columns: str = "") -> Markup:
    """A table in typst's language.

    Args:
        head: names of its columns.
        rows: its cells.
        columns: their widths; the first one takes what the others leave by default.

    Raises:
        TypeError: if it has no rows.
    """
    rows = list(rows)
    if not rows:
        raise TypeError(f"there are no rows under {', '.join(map(str, head))}")
    widths = columns or f"(1fr, {'auto, ' * (len(head) - 1)})"
    cells = [f"[{shown(cell)}]" for row in rows for cell in row]
    headed = ", ".join(f"[{shown(cell)}]" for cell in head)
    return Markup(f"ruled({widths}, ({headed},), ({', '.join(cells)},))")
