"""The committed coverage of private regression meets its criterion where the documentation says so, and only there."""

import csv
import math
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import regression_coverage
from regression_coverage import CELLS, Cell, Found

ROOT = Path(__file__).resolve().parents[2]
# Errors for which the documentation says that intervals miss.
NAMED = ("skewed", "outliers")


def read_table() -> dict[Cell, Found]:
    kinds = {"int": int, "float": float, "str": str}
    found = {}
    with (ROOT / "docs/regression.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cell, numbers = (
                kind(**{each.name: kinds[str(each.type.__name__)](row[each.name]) for each in fields(kind)})
                for kind in (Cell, Found)
            )
            found[cell] = numbers
    return found


def test_the_table_has_all_cells_and_those_that_are_called_covered_are() -> None:
    table = read_table()
    assert list(table) == CELLS
    told = {cell: found for cell, found in table.items() if not math.isnan(found.mean_coverage)}
    for cell, found in told.items():
        assert regression_coverage.meets(cell, found) == (cell.errors not in NAMED), cell
        assert found.runs == regression_coverage.RUNS
    met = sum(regression_coverage.meets(*each) for each in told.items())
    words = " ".join((ROOT / "docs/beyond.md").read_text(encoding="utf-8").split())
    assert f"has {len(table)} laws of records, {regression_coverage.RUNS} runs each" in words
    assert f"Two cells have no standard errors, because `I` is below 45. Of the others {met} meet it; the four" in words
    assert (len(table) - len(told), len(told) - met) == (2, 4)


@pytest.mark.parametrize(("missed", "passes"), [(0, True), (20, True), (28, True), (60, False)])
def test_the_criterion_can_fail(missed: int, passes: bool) -> None:
    """Of 400 intervals of one coefficient some miss, and of the other none."""
    hits = np.ones((400, 2))
    hits[:missed, 0] = 0.0
    found = regression_coverage.summed(hits, np.ones((400, 2)), np.ones((400, 2)), np.zeros(400))
    assert found.worst_coverage == pytest.approx(1.0 - missed / 400)
    assert regression_coverage.meets(regression_coverage.MIDDLE, found) == passes
    # What is refused is not counted as covered.
    hits[200:, 0] = np.nan
    assert regression_coverage.summed(hits, np.ones((400, 2)), np.ones((400, 2)), np.zeros(400)).refused == 0.25
