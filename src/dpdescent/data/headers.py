"""Column names in the first line of a CSV, and messages about a table without the wanted names.

Messages show nothing of a table except names that were asked for, because any line may be a record. The module does not
import numpy, because the checks before a build need it.
"""

import csv
import difflib
import io
import re
import unicodedata
from collections.abc import Iterator, Sequence

# Separators other than the comma that a table may have, in words; blanks last, because names may contain them.
SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars", " ": "blanks"}
# Number of lines in which column names are looked for, and number of letters of a line that are read.
LINES, LETTERS = 50, 100_000

MISSING = frozenset({"", ".", "na", "n/a", "nan", "null", "none"})


def fields(line: str, separator: str = ",") -> list[str]:
    """The fields of a single line, without blanks around them."""
    if separator == " ":
        return line[:LETTERS].split()
    return [field.strip() for field in next(csv.reader([line[:LETTERS]], delimiter=separator), [])]


def first(text: str) -> list[str]:
    """The fields of the first line, without blanks around them; quotes may contain line breaks."""
    try:
        return [field.strip() for field in next(csv.reader(io.StringIO(text, newline=None)), [])]
    except csv.Error:
        return []


def hint(text: str, name: str, asked: Sequence[str]) -> str:
    """The words after `no column '<name>'` in a message: what the table has instead, and the mend.

    Args:
        text: the table, or its beginning.
        name: the column that its first line lacks.
        asked: all columns that are wanted.
    """
    lines = re.split(r"\r\n|\r|\n", text, maxsplit=LINES)[:LINES]
    if not text.strip():
        return ": the table has no header line; give it one"
    for number, line in enumerate(lines):
        for separator in (",", *SEPARATORS):
            header = fields(line, separator)
            if set(map(visible, asked)) <= set(map(visible, header)) and _goes_on(lines[number:], separator):
                below = lines[number + 1 :]
                if problems := [*_above(lines[:number]), *_apart(separator, below), *_unseen(header, asked)]:
                    return f": {'; '.join(problems)}"
    return _by_shape(lines) or _nearest(fields(lines[0]), name, asked)


def visible(name: str) -> str:
    """The name without invisible characters, and with plain blanks for those that look like one."""
    seen = (" " if _is_blank(letter) else letter for letter in name if unicodedata.category(letter) != "Cf")
    return " ".join("".join(seen).split())


def unseen(name: str) -> list[str]:
    """Invisible characters of a name, and characters that look like a blank without being one, by number and name."""
    letters = [
        letter for letter in name if unicodedata.category(letter) == "Cf" or (_is_blank(letter) and letter != " ")
    ]
    return [f"U+{ord(letter):04X} ({unicodedata.name(letter, 'control character').lower()})" for letter in letters]


def _is_blank(letter: str) -> bool:
    """Whether a character is a separator or a control character."""
    return unicodedata.category(letter)[0] == "Z" or unicodedata.category(letter) == "Cc"


def _goes_on(lines: Sequence[str], separator: str) -> bool:
    """Whether the line below the first has as many fields, as below column names and not below a title."""
    below = next((line for line in lines[1:] if line.strip()), None)
    return below is None or len(fields(below, separator)) == len(fields(lines[0], separator))


def _above(lines: Sequence[str]) -> list[str]:
    """Words on the lines above the column names; none if there are no such lines."""
    if not lines:
        return []
    filled = [line.strip() for line in lines if line.strip()]
    what = "blank lines" if not filled else "comments" if all(map(_is_comment, filled)) else "what is no header"
    return [f"its column names stand in line {len(lines) + 1}, below {what}; take out what is above them"]


def _is_comment(line: str) -> bool:
    return line.startswith(("#", "%", "//", "sep="))


def _apart(separator: str, below: Sequence[str]) -> list[str]:
    """Words on the separator of columns, if it is no comma, and on commas in numbers."""
    if separator == ",":
        return []
    cells = [cell for line in below for cell in fields(line, separator)]
    comma = any(map(has_comma, cells))
    numbers, mend = (", and numbers have commas", " and decimal points") if comma else ("", "")
    return [f"its columns are separated by {SEPARATORS[separator]}{numbers}; save it with commas between columns{mend}"]


def has_comma(field: str) -> bool:
    """Whether a field is a number with commas, as decimal commas or between thousands."""
    return re.fullmatch(r"[+-]?[\d.]*(,[\d.]+)+(?:[eE][+-]?\d+)?", field.strip()) is not None


def _unseen(header: Sequence[str], asked: Sequence[str]) -> Iterator[str]:
    """Yields invisible differences between the wanted names and the header, in the one or in the other."""
    for name in asked:
        if name not in header:
            theirs = next(column for column in header if visible(column) == visible(name))
            if letters := unseen(theirs):
                yield f"the {visible(name)!r} of its header has an invisible {letters[0]}; take it out"
            elif letters := unseen(name):
                yield f"the {visible(name)!r} that was asked for has an invisible {letters[0]}; write it anew"
            else:
                yield f"the blanks in {visible(name)!r} are not as they were asked for; make them equal"


def _by_shape(lines: Sequence[str]) -> str:
    """Words on a table without the wanted names, by the numbers of fields in its lines; empty if unclear."""
    if not lines[0].strip():
        return ": its first line is blank; begin with the column names"
    if _is_comment(lines[0].strip()):
        return ": its first line is a comment; begin with the column names"
    filled = [line for line in lines[:-1] or lines if line.strip()]
    counts = {mark: [len(fields(line, mark)) for line in filled] for mark in (",", *SEPARATORS)}
    names, rest = counts[","][0], set(counts[","][1:])
    for separator, words in SEPARATORS.items():
        alike = len(set(counts[separator])) == 1 and counts[separator][0] > 1
        if alike and separator != " " and (len(set(counts[","])) > 1 or names == 1):
            return f": its {counts[separator][0]} columns seem to be separated by {words}; save it with commas"
    if len(rest) == 1 and names < min(rest):
        return f": its first line has {names} fields, and the next ones have {min(rest)}; begin with the column names"
    return ""


def _nearest(header: Sequence[str], name: str, asked: Sequence[str]) -> str:
    """The nearest column if the first line is surely a header; otherwise it may be a record, and is not shown."""
    if any(other in header for other in asked) and not any(map(looks_like_a_value, header)):
        return did_you_mean(name, header) or f" among the {len(header)} of its header"
    what = "all of them values, as of a record" if all(map(looks_like_a_value, header)) else "as they may be a record"
    return f" in its first line ({len(header)} fields, not shown, {what}); give it a header line"


def looks_like_a_value(field: str) -> bool:
    """Whether a field is a number, or a mark for a missing one."""
    try:
        return field.lower() in MISSING or has_comma(field) or float(field) is not None
    except ValueError:
        return False


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """Hint at the nearest of known names; empty if none is near. A difference in capitals counts as near."""
    close = [other for other in known if other.lower() == name.lower()] or difflib.get_close_matches(name, known, n=1)
    return f"; did you mean '{close[0]}'?" if close else ""
