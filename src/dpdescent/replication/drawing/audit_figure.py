"""Draws the audit figure: by paper and mechanism, the epsilon that is claimed, accounted for, and attained."""

from itertools import pairwise
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.replication.drawing import figures
from dpdescent.replication.ledger.verdicts import EXCEEDS, UNAUDITED, VIOLATED

# Layers that are drawn for every row, bottom one first: column, label, and style.
LAYERS: dict[str, tuple[str, dict[str, Any]]] = {
    "eps_paper": ("claimed by the paper", {"marker": "o", "color": figures.GREY, "markerfacecolor": "none"}),
    "eps_tight": ("accounted for", {"marker": "_", "color": figures.BLUE, "markersize": 9, "markeredgewidth": 2}),
    "eps_attained": ("attained by the pair, exactly", {"marker": "x", "color": figures.ORANGE}),
    "eps_audit_low": ("lower bound of the audit (95 %)", {"marker": "^", "color": figures.GREEN}),
}
REFUTED: dict[str, Any] = {"marker": "^", "color": figures.VERMILION, "markersize": 7}

# Name of the group of a paper's statements about mechanisms that no arm is run under.
STATEMENTS = "statements of the paper"

# Smallest width of a mechanism in rows, so that its name has room.
ROOM = 5.0

# Epsilons below and above these are drawn at the edge of a panel.
LOWEST, HIGHEST = 1e-3, 1e3


def draw(table: pd.DataFrame, label: str = "") -> Figure:
    """Draws one panel for every paper, with the audited rows of each mechanism sorted by claim or account.

    Args:
        table: audits with the columns of `audits.COLUMNS`.
        label: label of a scale that is not the papers' own.
    """
    table = table[table["verdict"] != UNAUDITED]
    papers = sorted(set(table["paper"]))
    figure, axes = figures.panels(1, len(papers), size=(11.5, 2.9), squeeze=False)
    for panel, paper in zip(axes[:, 0], papers, strict=True):
        _panel(panel, table[table["paper"] == paper].copy(), paper)
    figures.legend_below(figure, axes[:, 0], columns=5)
    figures.heading(figure, "Epsilon at the ledger's delta: claimed, accounted for, attained", label)
    return figure


def _panel(axes: Axes, table: pd.DataFrame, paper: str) -> None:
    table["name"] = _names(table)
    table["size"] = table[["eps_tight", "eps_paper"]].min(axis=1)
    # An extra column for sorting, because statements come last.
    table["last"] = table["name"] == STATEMENTS
    table = table.sort_values(["last", "name", "size", "delta"], kind="stable").reset_index(drop=True)
    table["x"] = _places(table["name"])
    for column, (label, look) in LAYERS.items():
        axes.plot(table["x"], _inside(table[column]), linestyle="none", label=label, **look)
    refuted = table[table["verdict"].isin([VIOLATED, EXCEEDS])]
    axes.plot(refuted["x"], _inside(refuted["eps_audit_low"]), linestyle="none", label="claim refuted", **REFUTED)
    axes.set_yscale("log")
    axes.set_ylim(LOWEST / 1.5, HIGHEST * 1.5)
    axes.set_ylabel(f"{paper}\nepsilon")
    _name_groups(axes, table)


def _names(table: pd.DataFrame) -> list[str]:
    """Names of the rows' mechanisms, with the sampler where it distinguishes them; statements have one name."""
    arms = table[table["arms"] > 0]
    several = arms.groupby("mechanism")["sampler"].nunique() > 1
    return [
        STATEMENTS
        if not row["arms"]
        else f"{row['mechanism']}, {row['sampler']}"
        if several[row["mechanism"]]
        else str(row["mechanism"])
        for _, row in table.iterrows()
    ]


def _places(names: "pd.Series[str]") -> list[float]:
    """Abscissae of the rows: one step for each, and room between groups for their names."""
    places, start = [], 0.0
    for _, rows in names.groupby(names, sort=False):
        spare = max(ROOM - len(rows), 1.0)
        places += [start + 0.5 * spare + each for each in range(len(rows))]
        start += len(rows) + spare
    return places


def _name_groups(axes: Axes, table: pd.DataFrame) -> None:
    """Draws a tick under the middle of each mechanism's rows and a line between two mechanisms."""
    ends = table.groupby("name", sort=False)["x"].agg(["min", "max"])
    axes.set_xticks(ends.mean(axis=1).tolist())
    axes.set_xticklabels(list(ends.index), rotation=25, ha="right", fontsize=7)
    for before, after in pairwise(ends.itertuples()):
        axes.axvline(0.5 * (before.max + after.min), color=figures.GREY, linewidth=0.5, alpha=0.5)
    axes.grid(visible=False, axis="x")


def _inside(values: "pd.Series[float]") -> "pd.Series[float]":
    return values.astype(float).clip(LOWEST, HIGHEST)
