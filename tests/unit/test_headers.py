"""Tables that are no comma-separated ones with a header: each is told what it is, in one line that quotes no record."""

import csv
import re
import threading
from pathlib import Path

import pytest

from dpdescent.data import headers
from dpdescent.data.tabular import TableError, read_sample

# What stands in every record, and in what stands above the header: no message may hold it.
SECRET = "31415926"
NAMES = ("z1", "z2", "x", "y")
GOOD = ["z1,z2,x,y,note", f"1.5,2,3,4,{SECRET}", f"2.5,1,1,{SECRET}.5,b"]


ENDS = ("\n", "\r\n", "\r")


@pytest.mark.parametrize("end", ENDS)
def test_lines_may_end_as_on_any_system(tmp_path: Path, end: str) -> None:
    file = tmp_path / "mine.csv"
    file.write_bytes(written(",", end=end).encode())
    assert read_sample(file, ["z1", "z2"], ["x"], "y").X[:, 0].tolist() == [3.0, 1.0]


def told(tmp_path: Path, text: str, regressor: str = "x") -> str:
    """What reading a table says, without its folder."""
    file = tmp_path / "mine.csv"
    file.write_bytes(text.encode())
    with pytest.raises(TableError) as caught:
        read_sample(file, ["z1", "z2"], [regressor], "y")
    message = str(caught.value)
    assert "\n" not in message
    assert SECRET not in message
    assert message.startswith(f"{tmp_path}/mine.csv: ")
    return message.removeprefix(f"{tmp_path}/mine.csv: ")


def written(separator: str, *above: str, end: str = "\n", comma: bool = False) -> str:
    rows = [line.split(",") for line in GOOD]
    if comma:
        rows = [[field.replace(".", ",") for field in row] for row in rows]
    return end.join([*above, *(separator.join(row) for row in rows), ""])


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize(("separator", "word"), [*headers.SEPARATORS.items()])
def test_another_separator_is_named(tmp_path: Path, separator: str, word: str, end: str) -> None:
    message = told(tmp_path, written(separator, end=end))
    assert message == f"no column 'z1': its columns are separated by {word}; save it with commas between columns"


@pytest.mark.parametrize("separator", headers.SEPARATORS)
def test_decimal_commas_are_named_with_it(tmp_path: Path, separator: str) -> None:
    message = told(tmp_path, written(separator, comma=True))
    assert message.endswith(", and numbers have commas; save it with commas between columns and decimal points")


@pytest.mark.parametrize(
    ("above", "words"),
    [
        ([""], "line 2, below blank lines"),
        (["", "  ", ""], "line 4, below blank lines"),
        ([f"# wages of {SECRET}"], "line 2, below comments"),
        ([f"% {SECRET}", "", "// b"], "line 4, below comments"),
        (["sep=,"], "line 2, below comments"),
        ([f"Wages of {SECRET}"], "line 2, below what is no header"),
        ([f"Wages,{SECRET},,,"], "line 2, below what is no header"),
        ([f"# {SECRET}", f"{SECRET},1,2,3,4"], "line 3, below what is no header"),
        (["x and y of z1 and z2"], "line 2, below what is no header"),
    ],
)
@pytest.mark.parametrize("separator", [",", *headers.SEPARATORS])
def test_another_first_line_is_told_with_the_line_of_the_names(
    tmp_path: Path, above: list[str], words: str, separator: str
) -> None:
    message = told(tmp_path, written(separator, *above))
    assert message.startswith(f"no column 'z1': its column names stand in {words}; take out what is above them")
    assert (headers.SEPARATORS.get(separator, "separated") in message) == (separator != ",")


@pytest.mark.parametrize(
    ("letter", "shown"),
    [
        ("\ufeff", "U+FEFF (zero width no-break space)"), ("\u200b", "U+200B (zero width space)"),
        ("\u00ad", "U+00AD (soft hyphen)"), ("\u200e", "U+200E (left-to-right mark)"),
        ("\u2060", "U+2060 (word joiner)"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["{}x", "x{}", "{}x{}"])
def test_an_invisible_letter_of_a_name_is_told(tmp_path: Path, letter: str, shown: str, name: str) -> None:
    spoilt = name.format(letter, letter)
    message = told(tmp_path, "\n".join([f"z1,z2,{spoilt},y,note", *GOOD[1:]]))
    assert message == f"no column 'x': the 'x' of its header has an invisible {shown}; take it out"
    message = told(tmp_path, "\n".join(GOOD), regressor=spoilt)
    assert message.endswith(f": the 'x' that was asked for has an invisible {shown}; write it anew")
    message = told(tmp_path, written(";").replace("x", spoilt, 1))
    assert "separated by semicolons" in message
    assert shown in message


@pytest.mark.parametrize("blank", ["\u00a0", "\u2009", "\u3000", "\t"])
def test_a_blank_that_is_none_is_told(tmp_path: Path, blank: str) -> None:
    text = "\n".join([f"z1,z2,log{blank}wage,y,note", *GOOD[1:]])
    assert f"the 'log wage' of its header has an invisible U+{ord(blank):04X}" in told(tmp_path, text, "log wage")


def test_two_blanks_for_one_are_told(tmp_path: Path) -> None:
    message = told(tmp_path, "\n".join(["z1,z2,log  wage,y,note", *GOOD[1:]]), "log wage")
    assert message.endswith(": the blanks in 'log wage' are not as they were asked for; make them equal")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a;b;c\n1;2;3\n", ": its 3 columns seem to be separated by semicolons; save it with commas"),
        (f"a;b\n1,5;{SECRET}\n2;1,5\n", ": its 2 columns seem to be separated by semicolons; save it with commas"),
        ("a\tb\n1\t2\n", ": its 2 columns seem to be separated by tabs; save it with commas"),
        (f"{SECRET} and more\na,b,c\n1,2,3\n", ": its first line has 1 fields, and the next ones have 3; begin with"),
        (f"\n{SECRET},b\n1,2\n", ": its first line is blank; begin with the column names"),
        (f"# {SECRET}\na,b\n1,2\n", ": its first line is a comment; begin with the column names"),
        (f"1,2,3\n{SECRET},2,3\n", " in its first line (3 fields, not shown, all of them values, as of a record)"),
        (f"{SECRET},Miller,3\n1,2,3\n", " in its first line (3 fields, not shown, as they may be a record); give it"),
        ("z1,z2,X,y\n1,2,3,4\n", "; did you mean 'X'?"),
        ("\n\n", ": the table has no header line; give it one"),
    ],
)  # fmt: skip
def test_what_has_not_all_names_is_told_by_its_shape(tmp_path: Path, text: str, words: str) -> None:
    assert f"'{words}" in told(tmp_path, text)


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ('"1,5"', "column 'x' holds a number with commas; write decimals with a point"),
        ('"1,234.5"', "column 'x' holds a number with commas"),
        ('"1.234,5"', "column 'x' holds a number with commas"),
        ("1\u200b5", r"column 'x' holds a number with an invisible U\+200B \(zero width space\); take it out"),
        ("1\u00a05", "column 'x' holds a text, which is not a number"),
        ("\ufeff15", r"column 'x' holds a number with an invisible U\+FEFF"),
        ("1,5", "6 fields, but the header names 5 columns; mend decimal commas, and quote texts with commas"),
        ("True", "column 'x' holds a logical value, which is not a number; write 1 and 0"),
        ("Smith", "column 'x' holds a text, which is not a number; of a category make columns of 0 and 1, one fewer"),
        (",", "6 fields, but"),
    ],
)
def test_numbers_are_told_what_they_are(tmp_path: Path, field: str, words: str) -> None:
    message = told(tmp_path, f"{GOOD[0]}\n{GOOD[1]}\n1,2,{field},4,{SECRET}\n")
    assert re.match(f"line 3: {words}", message), message
    assert field.strip('"') not in message.removeprefix("line 3: column 'x'") or field == ","


@pytest.mark.parametrize("quoted", [False, True])
def test_long_texts_are_read_and_no_limit_moves(tmp_path: Path, quoted: bool) -> None:
    before = csv.field_size_limit()
    text = "a,b\nc" * 50_000 if quoted else "a" * 200_000
    file = tmp_path / "long.csv"
    file.write_text("\n".join([GOOD[0], f'1,2,3,4,"{text}"', "5,6,7,8,short", ""]), encoding="utf-8")
    made = read_sample(file, ["z1", "z2"], ["x"], "y")
    assert (made.n, made.y.tolist()) == (2, [4.0, 8.0])
    assert csv.field_size_limit() == before
    file.write_text("\n".join([GOOD[0], f'1,2,no,4,"{text}"']), encoding="utf-8")
    with pytest.raises(TableError, match="holds a text"):
        read_sample(file, ["z1", "z2"], ["x"], "y")
    assert csv.field_size_limit() == before


def test_threads_read_long_texts_side_by_side(tmp_path: Path) -> None:
    file, failed = tmp_path / "long.csv", list[Exception]()
    file.write_text("\n".join([GOOD[0], *(f"1,2,3,4,{'a' * 140_000}" for _ in range(3))]), encoding="utf-8")

    def read() -> None:
        try:
            for _ in range(10):
                read_sample(file, ["z1", "z2"], ["x"], "y")
        except TableError as error:
            failed.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
