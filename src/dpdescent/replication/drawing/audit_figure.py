"""Draws the audit figure: by paper and mechanism, the epsilon that is claimed, accounted for, and attained."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.replication.drawing import figures
from dpdescent.replication.ledger.verdicts import EXCEEDS, UNAUDITED, VIOLATED

# Layers that are drawn for every row, bottom one first: column, label, and style.
LAYERS: dict[str, tuple[str, dict[str, Any]]] = {
    "eps_paper": (
        "claimed by the paper",
        {"marker": "o", "color": figures.GREY, "markerfacecolor": "none", "markersize": 5},
    ),
    "eps_tight": ("accounted for", {"marker": "|", "color": figures.BLUE, "markersize": 6, "markeredgewidth": 2}),
    "eps_attained": ("attained by the pair, exactly", {"marker": "x", "color": figures.ORANGE, "markersize": 4}),
    "eps_audit_low": ("lower bound of the audit (95 %)", {"marker": "^", "color": figures.GREEN, "markersize": 3}),
}
REFUTED: dict[str, Any] = {"marker": "^", "color": figures.VERMILION, "markersize": 7}

# Name of the group of a paper's statements about mechanisms under which no arm is run.
STATEMENTS = "statements of the paper"

# Height of a mechanism in lines of text: one line, and one more for every ROWS_A_LINE of its rows, up to MOST_LINES.
ROWS_A_LINE, MOST_LINES = 25, 6
LINE = 0.24  # inches

# Epsilons below and above these are drawn at the edge of a panel.
LOWEST, HIGHEST = 1e-3, 1e3


def draw(table: pd.DataFrame, label: str = "") -> Figure:
    """Draws one panel for every paper, with the audited rows of each mechanism sorted by claim or account.

    Args:
        table: audits with the columns of `audits.COLUMNS`.
        label: label of a scale that is not the papers' own.
    """
    figures.use_style()
    table = table[table["verdict"] != UNAUDITED]
    papers = sorted(set(table["paper"]))
    if not papers:
        figure, ((axes,),) = figures.panels(squeeze=False)
        axes.set_axis_off()
        axes.text(0.5, 0.5, "no arm here has an audit", transform=axes.transAxes, ha="center", va="center")
        return figure
    rows = [_placed(table[table["paper"] == paper].copy()) for paper in papers]
    heights = [float(paper_rows["lines"].iloc[-1]) + 1.0 for paper_rows in rows]
    figure, axes = figures.panels(
        1, len(papers), figsize=(9.5, LINE * (sum(heights) + 2.0 * len(papers)) + 1.0), squeeze=False, sharex=True,
        gridspec_kw={"height_ratios": heights},
    )  # fmt: skip
    for panel, paper, paper_rows in zip(axes[:, 0], papers, rows, strict=True):
        _panel(panel, paper_rows, paper)
    axes[-1, 0].set_xlabel(f"epsilon (below {LOWEST:g} and above {HIGHEST:g}: at the edge)")
    figures.legend_below(figure, axes[:, 0], columns=5)
    figures.heading(figure, "Epsilon at the ledger's delta: claimed, accounted for, attained", label)
    return figure


def _placed(table: pd.DataFrame) -> pd.DataFrame:
    """Rows of a paper in the order of drawing, with their heights `y` and, in `lines`, the end of their mechanism."""
    table["name"] = _names(table)
    table["size"] = table[["eps_tight", "eps_paper"]].min(axis=1)
    # An extra column for sorting, because statements come last.
    table["last"] = table["name"] == STATEMENTS
    table = table.sort_values(["last", "name", "size", "delta"], kind="stable").reset_index(drop=True)
    start = 0.0
    for _, rows in table.groupby("name", sort=False):
        lines = min(1.0 + len(rows) // ROWS_A_LINE, MOST_LINES)
        table.loc[rows.index, "y"] = [start + lines * (rank + 0.5) / len(rows) for rank in range(len(rows))]
        start += lines
        table.loc[rows.index, "lines"] = start
    return table


def _panel(axes: Axes, table: pd.DataFrame, paper: str) -> None:
    for column, (label, look) in LAYERS.items():
        axes.plot(_inside(table[column]), table["y"], linestyle="none", label=label, **look)
    refuted = table[table["verdict"].isin([VIOLATED, EXCEEDS])]
    axes.plot(_inside(refuted["eps_audit_low"]), refuted["y"], linestyle="none", label="claim refuted", **REFUTED)
    axes.set_xscale("log")
    axes.set_xlim(LOWEST / 1.5, HIGHEST * 1.5)
    ends = table.groupby("name", sort=False)["lines"].first()
    axes.set_ylim(ends.iloc[-1], 0.0)
    axes.set_title(paper, loc="left", fontweight="bold")
    axes.tick_params(labelbottom=True)
    _name_groups(axes, ends)


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


def _name_groups(axes: Axes, ends: "pd.Series[float]") -> None:
    """Writes each mechanism's name beside its rows, and draws a line between two mechanisms."""
    starts = ends.shift(fill_value=0.0)
    axes.set_yticks((0.5 * (starts + ends)).tolist(), list(ends.index))
    for end in ends.iloc[:-1]:
        axes.axhline(end, color=figures.GREY, linewidth=0.5, alpha=0.5)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)


def _inside(values: "pd.Series[float]") -> "pd.Series[float]":
    return values.astype(float).clip(LOWEST, HIGHEST)
