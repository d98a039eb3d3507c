"""What the page on the choice of a method is told: the same advice and regret as README, from the same tables."""

import re
from pathlib import Path

import pandas as pd
import pytest

from dpdescent.papers.ours import choice, decision
from report_made import RESULTS, texts

SETTINGS = [
    {"artefact": "win_map", "symbol": "dp_delta", "value": "1e-06"},
    {"artefact": "win_map", "symbol": "rule", "value": "floor: 0.2; information: 50, 500; largest_k: 5"},
]


@pytest.fixture(scope="module")
def view() -> choice.View:
    return choice.view(RESULTS / "ours", SETTINGS)


def test_cells_and_regrets_are_those_of_the_advice(view: choice.View) -> None:
    tables = {name: pd.read_csv(RESULTS / "ours" / f"{name}.csv").to_dict("records") for name in decision.CELLS}
    expected = list(decision.regrets(tables, 1e-6))
    assert len(view["cells"]) == len(expected)
    for each in view["classes"]:
        mine = pd.Series([cell.ratios[cell.advised][0] for cell in expected if cell.advised == each["advised"]])
        assert each["cells"] == len(mine)
        assert each["regrets"][each["advised"]] == pytest.approx([mine.median(), mine.max()], rel=1e-3)


def test_best_has_regret_one_and_advice_is_in_every_cell(view: choice.View) -> None:
    for cell in view["cells"]:
        assert cell["regrets"][cell["best"]] == min(cell["regrets"].values()) == 1.0
        assert cell["advised"] in cell["risks"]


def test_constants_that_are_lists_are_left_out(view: choice.View) -> None:
    assert view["rule"] == {"floor": 0.2, "largest_k": 5.0}


def test_instruments_tell_coverage_and_length(view: choice.View, tmp_path: Path) -> None:
    at = {"table": "t", "n": 5, "q": 1, "F": 9.87654321, "rho": 1, "variant": "main", "panel": "resampled"}
    rows = [
        {**at, "series": "2SLS", "mean": 0.9, "median": 1},
        {**at, "series": "DP-IV-GD: half length over that of 2SLS", "mean": 3, "median": 2},
        {**at, "series": "2SLS", "mean": 0.1, "median": 1, "panel": "as it is"},
    ]
    file = tmp_path / "iv_real.csv"
    pd.DataFrame(rows).to_csv(file, index=False)
    (found,) = choice.instruments(file)
    assert found == {
        "table": "t", "n": 5, "q": 1, "F": 9.87654, "rho": 1, "artefact": "iv_real", "plain": 0.9, "longer": 2.0,
    }  # fmt: skip
    assert {row["artefact"] for row in view["instruments"]} == set(choice.INSTRUMENTS)


def test_page_tells_all_that_tells_its_rows_apart() -> None:
    page = texts()["choose.html"]
    for anchor, told in (("cells", 7), ("instruments", 8)):
        table = page[page.index(f'<h2 id="{anchor}">') :].split("<tbody>")[1].split("</tbody>")[0]
        # What was measured, at the end of a row with instruments, tells which of two tables a row is of.
        rows = [re.findall(r"<td>(.*?)</td>", row) for row in table.split("</tr>")[:-1]]
        keys = [(*row[:told], *((bool(row[8]), bool(row[11])) if anchor == "instruments" else ())) for row in rows]
        assert len(rows) > 50
        assert len(set(keys)) == len(keys)
