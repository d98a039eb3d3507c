"""Column names in the first line of a CSV, and what a table without the wanted names has in their place.

What is said of a table shows nothing of it but names that were asked for, because a record may stand in any line. The
module does not import numpy, because the checks before a build need it.
"""

import csv
import difflib
import io
import re
import unicodedata
from collections.abc import Iterator, Sequence

# Separators beside the comma that a table may have, in words; blanks last, because names may have them.
SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars", " ": "blanks"}
# Lines among which column names are looked for, and letters of a line that are looked at.
LINES, LETTERS = 50, 100_000

MISSING = frozenset({"", ".", "na", "n/a", "nan", "null", "none"})


def fields(line: str, separator: str = ",") -> list[str]:
    """Fields of a line by themselves, without blanks around them."""
    if separator == " ":
        return line[:LETTERS].split()
    return [field.strip() for field in next(csv.reader([line[:LETTERS]], delimiter=separator), [])]


def first(text: str) -> list[str]:
    """Fields of the first line, without blanks around them; quotes may hold line breaks."""
    try:
        return [field.strip() for field in next(csv.reader(io.StringIO(text, newline=None)), [])]
    except csv.Error:
        return []


def hint(text: str, name: str, asked: Sequence[str]) -> str:
    """What follows `no column '<name>'` in a message: what the table has in its place, and the mend.

    Args:
        text: the table, or its beginning.
        name: the column that its first line does not have.
        asked: all columns that are asked for.
    """
    lines = re.split(r"\r\n|\r|\n", text, maxsplit=LINES)[:LINES]
    if not text.strip():
        return ": the table has no header line; give it one"
    for number, line in enumerate(lines):
        for separator in (",", *SEPARATORS):
            header = fields(line, separator)
            if set(map(visible, asked)) <= set(map(visible, header)) and _goes_on(lines[number:], separator):
                below = lines[number + 1 :]
                if told := [*_above(lines[:number]), *_apart(separator, below), *_unseen(header, asked)]:
                    return f": {'; '.join(told)}"
    return _by_shape(lines) or _nearest(fields(lines[0]), name, asked)


def visible(name: str) -> str:
    """A name without characters that nobody sees, and with plain blanks for those that look like one."""
    seen = (" " if _is_blank(each) else each for each in name if unicodedata.category(each) != "Cf")
    return " ".join("".join(seen).split())


def unseen(name: str) -> list[str]:
    """Characters of a name that nobody sees, or that look like a blank and are none, by number and name."""
    found = [each for each in name if unicodedata.category(each) == "Cf" or (_is_blank(each) and each != " ")]
    return [f"U+{ord(each):04X} ({unicodedata.name(each, 'control character').lower()})" for each in found]


def _is_blank(letter: str) -> bool:
    return unicodedata.category(letter)[0] == "Z" or unicodedata.category(letter) == "Cc"


def _goes_on(lines: Sequence[str], separator: str) -> bool:
    """Whether the line below the first one has as many fields, as it has below column names and not below a title."""
    below = next((line for line in lines[1:] if line.strip()), None)
    return below is None or len(fields(below, separator)) == len(fields(lines[0], separator))


def _above(lines: Sequence[str]) -> list[str]:
    """What stands above the column names, if anything does."""
    if not lines:
        return []
    told = [line.strip() for line in lines if line.strip()]
    what = "blank lines" if not told else "comments" if all(map(_is_comment, told)) else "what is no header"
    return [f"its column names stand in line {len(lines) + 1}, below {what}; take out what is above them"]


def _is_comment(line: str) -> bool:
    return line.startswith(("#", "%", "//", "sep="))


def _apart(separator: str, below: Sequence[str]) -> list[str]:
    """How columns are separated, if not by commas, and whether numbers have commas in the place of points."""
    if separator == ",":
        return []
    cells = [cell for line in below for cell in fields(line, separator)]
    comma = any(map(has_comma, cells))
    numbers, mend = (", and numbers have commas", " and decimal points") if comma else ("", "")
    return [f"its columns are separated by {SEPARATORS[separator]}{numbers}; save it with commas between columns{mend}"]


def has_comma(field: str) -> bool:
    """Whether a field is a number with commas, be they its point or stand between thousands."""
    return re.fullmatch(r"[+-]?[\d.]*(,[\d.]+)+(?:[eE][+-]?\d+)?", field.strip()) is not None


def _unseen(header: Sequence[str], asked: Sequence[str]) -> Iterator[str]:
    """Yields what nobody sees in the names that are asked for: in the table, or in what was given."""
    for name in asked:
        if name not in header:
            theirs = next(each for each in header if visible(each) == visible(name))
            if found := unseen(theirs):
                yield f"the {visible(name)!r} of its header has an invisible {found[0]}; take it out"
            elif found := unseen(name):
                yield f"the {visible(name)!r} that was asked for has an invisible {found[0]}; write it anew"
            else:
                yield f"the blanks in {visible(name)!r} are not as they were asked for; make them equal"


def _by_shape(lines: Sequence[str]) -> str:
    """What a table is that has the wanted names nowhere, by the numbers of fields in its lines; empty if unclear."""
    if not lines[0].strip():
        return ": its first line is blank; begin with the column names"
    if _is_comment(lines[0].strip()):
        return ": its first line is a comment; begin with the column names"
    filled = [line for line in lines[:-1] or lines if line.strip()]
    counts = {each: [len(fields(line, each)) for line in filled] for each in (",", *SEPARATORS)}
    names, rest = counts[","][0], set(counts[","][1:])
    for separator, words in SEPARATORS.items():
        alike = len(set(counts[separator])) == 1 and counts[separator][0] > 1
        if alike and separator != " " and (len(set(counts[","])) > 1 or names == 1):
            return f": its {counts[separator][0]} columns seem to be separated by {words}; save it with commas"
    if len(rest) == 1 and names < min(rest):
        return f": its first line has {names} fields, and the next ones have {min(rest)}; begin with the column names"
    return ""


def _nearest(header: Sequence[str], name: str, asked: Sequence[str]) -> str:
    """The nearest column where the first line is a header for sure; it may be a record, which is not shown."""
    if any(other in header for other in asked) and not any(map(looks_like_a_value, header)):
        return did_you_mean(name, header) or f" among the {len(header)} of its header"
    what = "all of them values, as of a record" if all(map(looks_like_a_value, header)) else "as they may be a record"
    return f" in its first line ({len(header)} fields, not shown, {what}); give it a header line"


def looks_like_a_value(field: str) -> bool:
    """Whether a field is a number, or stands for a missing one."""
    try:
        return field.lower() in MISSING or has_comma(field) or float(field) is not None
    except ValueError:
        return False


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """Hint at the nearest of known names; empty if none is near. Capitals count as near."""
    close = [each for each in known if each.lower() == name.lower()] or difflib.get_close_matches(name, known, n=1)
    return f"; did you mean '{close[0]}'?" if close else ""
