"""The table on what a budget buys is what the function below it gives."""

import pytest

import regression_budget

TOLD = regression_budget.told()
# Seconds together; the cells of more records take minutes.
QUICK = [row for row in TOLD if row[0] <= 5000]


def test_the_table_has_its_rows_and_the_cell_that_the_page_shows() -> None:
    text = regression_budget.PAGE.read_text(encoding="utf-8")
    assert [*TOLD] == [(n, p) for n in (1000, 5000, 20_000, 100_000) for p in (3, 10, 30)]
    assert "| n | columns | " + " | ".join(f"epsilon {each:g}" for each in regression_budget.EPSILONS) in text
    assert f"```text\n{TOLD[1000, 3][-1]}\n```" in text


@pytest.mark.slow
@pytest.mark.parametrize(("n", "p"), QUICK)
def test_cells_are_made_again(n: int, p: int) -> None:
    assert regression_budget.cells(n, p) == TOLD[n, p]
