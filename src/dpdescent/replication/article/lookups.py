"""Lookups of the values that the article's text names, in the committed tables; each gives a value or fails.

A sentence must not read on where its number is not there, so that nothing here has a default: a file, row, column or
cell that is missing, a row that is not the only one, and a verdict other than the sentence's are all errors.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dpdescent.replication.build.files import read_rows
from dpdescent.replication.report import statements
from dpdescent.sums import added

Row = dict[str, str]

# In place of a value: any that is not empty.
SOME = object()


class Missing(Exception):
    """A value that a sentence asks for and no table gives; its text says which."""


class Tables:
    """The tables of a checkout, by their path from its folder of results, or from the checkout for `docs/...`."""

    def __init__(self, root: Path, results: Path) -> None:
        self.root, self.results = root, results
        self._read: dict[str, list[Row]] = {}

    def rows(self, file: str, /, **where: Any) -> list[Row]:
        """The rows with the given values; an empty list is an answer.

        Raises:
            Missing: if there is no such file or column.
        """
        if file not in self._read:
            place = (self.root if file.startswith("docs/") else self.results) / file
            if not place.is_file():
                raise Missing(f"there is no table {file}")
            self._read[file] = read_rows(place)
        rows = self._read[file]
        for column in where:
            if rows and column not in rows[0]:
                raise Missing(f"{file} has no column {column!r}")
        return [row for row in rows if all(_is(row[column], wanted) for column, wanted in where.items())]

    def count(self, file: str, /, **where: Any) -> int:
        """The number of such rows; it must not be 0, which is what a misspelt value gives too."""
        if not (found := len(self.rows(file, **where))):
            raise Missing(f"{file} has no row with {_words(where)}")
        return found

    def absent(self, file: str, /, **where: Any) -> str:
        """The word `none`, if there is no such row."""
        if found := len(self.rows(file, **where)):
            raise Missing(f"{file} has {found} rows with {_words(where)}, and the sentence says none")
        return "none"

    def total(self, file: str, column: str, /, **where: Any) -> float:
        """The sum of a column over such rows, of which there must be some."""
        self.count(file, **where)
        return added(_number(row, column, file) for row in self.rows(file, **where))

    def largest(self, file: str, column: str, /, **where: Any) -> float:
        """The largest value of a column over such rows, of which there must be some."""
        self.count(file, **where)
        return max(_number(row, column, file) for row in self.rows(file, **where))

    def row(self, file: str, /, **where: Any) -> Row:
        """The only row with the given values."""
        rows = self.rows(file, **where)
        if len(rows) != 1:
            raise Missing(f"{file} has {len(rows)} rows with {_words(where)}, and the sentence needs one")
        return rows[0]

    def text(self, file: str, column: str, /, **where: Any) -> str:
        """The cell of the only row with the given values."""
        if not (cell := self.row(file, **where).get(column)):
            raise Missing(f"{file} has no {column!r} with {_words(where)}")
        return cell

    def value(self, file: str, column: str, /, **where: Any) -> float:
        """The number in such a cell."""
        return _number({column: self.text(file, column, **where)}, column, file)

    def claim(self, paper: str, claim: str, verdict: str, column: str = "measured") -> float:
        """A number of a claim: `measured`, or `low` or `high` of its interval.

        Args:
            paper, claim: whose claim, and its id.
            verdict: what the sentence takes the claim for; with another one it would say more than was found.
            column: which number.
        """
        self.judged(paper, claim, verdict)
        return self.value("claims.csv", column, paper=paper, claim=claim)

    def judged(self, paper: str, claim: str, verdict: str) -> str:
        """Nothing to read, if a claim has the verdict that the sentence takes it to have."""
        found = self.text("claims.csv", "verdict", paper=paper, claim=claim)
        if found != verdict:
            raise Missing(f"claim {claim} of {paper} is {found}, and the sentence takes it for {verdict}")
        return ""

    def repeated(self, verdict: str = "") -> int:
        """The number of the papers' claims that were judged at another seed, or of those that have a verdict twice."""
        others = {(row["paper"], row["claim"]): row["other_verdict"] for row in self.rows("seed_check.csv")}
        mine = [
            (row["verdict"], others[name])
            for row in self.rows("claims.csv", source="paper")
            if (name := (row["paper"], row["claim"])) in others
        ]
        return sum(pair == (verdict, verdict) for pair in mine) if verdict else len(mine)

    def picture(self, item: str) -> str:
        """The path of a figure from the checkout, for typst."""
        place = self.results / f"{item}.svg"
        if not place.is_file():
            raise Missing(f"there is no figure {item}.svg")
        return f"/{place.relative_to(self.root).as_posix()}"

    def judged_statements(self, paper: str) -> tuple[int, int]:
        """Numbers of a paper's listed statements that something judges, and of all."""
        rows = self.rows(f"docs/statements/{paper}.csv")
        return sum(bool(statements.state(row).startswith("judged")) for row in rows), len(rows)


def _is(cell: str, wanted: Any) -> bool:
    if wanted is SOME:
        return bool(cell)
    if isinstance(wanted, (list, tuple)):
        return cell in wanted
    if isinstance(wanted, (int, float)):
        return bool(cell) and float(cell) == wanted
    return bool(cell == wanted)


def _number(row: Mapping[str, str], column: str, file: str) -> float:
    try:
        number = float(row[column])
    except (KeyError, ValueError):
        raise Missing(f"{file} has no number in column {column!r}: {row.get(column, 'no such column')!r}") from None
    if number != number:
        raise Missing(f"{file} has no number in column {column!r}: nan")
    return number


def _words(where: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{column} {'that is not empty' if wanted is SOME else repr(wanted)}" for column, wanted in where.items()
    )
