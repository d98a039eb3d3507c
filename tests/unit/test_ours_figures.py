"""Figures of ours: drawn from small tables that the experiments themselves make."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

import pandas as pd
import pytest
from matplotlib.figure import Figure

import pictures
from dpdescent.papers.ours import layouts
from dpdescent.replication.build import tables
from dpdescent.replication.configuration import project
from report_made import RESULTS

PAPER = project.load({"scale": "quick", "seed": 3, "papers": ["ours"]}, Path(__file__).parents[2]).papers["ours"]
# What `decision` reads.
CONTEST = {name: RESULTS / "ours" / f"{name}.csv" for name in ("win_map", "real_tables")}


@pytest.fixture(autouse=True)
def _figures_are_closed() -> Iterator[None]:
    with pictures.style_of_the_project():
        yield


@cache
def table_of(name: str, trials: int = 2) -> pd.DataFrame:
    artefact = PAPER.artefacts[name]
    run = resolve_name(artefact.run)
    rows = [
        pd.DataFrame(run({**part.spec, "trials": [0, trials], "tables": CONTEST})).assign(variant="main")
        for part in artefact.parts
        if part.spec["variant"] == "main"
    ]
    declared = {*artefact.keys, *artefact.measures, "series", "trial", "value", "variant"}
    assert all(set(part) == declared for part in rows if len(part))
    return tables.summarise(rows, artefact.keys, artefact.measures)


def drawn(name: str, table: pd.DataFrame) -> Figure:
    display = {"cells": dict(sorted(PAPER.artefacts[name].cells.items())), "arms": PAPER.artefacts[name].arms}
    figure: Figure = resolve_name(PAPER.artefacts[name].draw)(table, display)
    return figure


@pytest.mark.parametrize("name", PAPER.artefacts)
def test_figures_are_drawn_without_warnings(name: str) -> None:
    figure = pictures.captioned(lambda: drawn(name, table_of(name)), "ours", "Sec. 0", "a title")
    assert all(axes.get_xlabel() or axes.get_title() or axes.lines for axes in figure.axes)


@pytest.mark.parametrize("place", [0, pytest.param(-1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", PAPER.artefacts)
def test_a_series_that_is_missing_leaves_a_gap(name: str, place: int) -> None:
    table = table_of(name)
    missing = sorted(set(table["series"]))[place]
    pictures.without_warnings(lambda: drawn(name, table[table["series"] != missing]))


def test_an_arm_that_diverges_is_told_by_a_number() -> None:
    table = table_of("schedule").copy()
    worst = (table["series"] == layouts.PURE) & (table["T"] == 100)
    table.loc[worst, "mean"] = 1e8
    figure = pictures.without_warnings(lambda: drawn("schedule", table))
    assert any("10000" in text.get_text() or "10^{4}" in text.get_text() for text in figure.axes[0].texts)
    assert figure.axes[0].get_ylim()[1] < 100.0
