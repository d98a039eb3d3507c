"""The audit at a glance: by paper and mechanism, the epsilon that is claimed, accounted for, and attained."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.replication import figures
from dpdescent.replication.audits import EXCEEDS, UNAUDITED, VIOLATED

# What is drawn of every row, bottom layer first: column, label, and its look.
LAYERS: dict[str, tuple[str, dict[str, Any]]] = {
    "eps_paper": ("claimed by the paper", {"marker": "o", "color": figures.GREY, "markerfacecolor": "none"}),
    "eps_tight": ("accounted for", {"marker": "_", "color": figures.BLUE, "markersize": 9, "markeredgewidth": 2}),
    "eps_attained": ("attained by the pair, exactly", {"marker": "x", "color": figures.ORANGE}),
    "eps_audit_low": ("lower bound of the audit (95 %)", {"marker": "^", "color": figures.GREEN}),
}
REFUTED: dict[str, Any] = {"marker": "^", "color": figures.VERMILION, "markersize": 7}

# Epsilons below and above these stand at the edge of a panel.
LOWEST, HIGHEST = 1e-3, 1e3


def draw(table: pd.DataFrame, label: str = "") -> Figure:
    """A panel a paper; the audited rows of a mechanism side by side, by rising claim or account.

    Args:
        table: audits with the columns of `audits.COLUMNS`.
        label: of a scale that is not the papers' own.
    """
    table = table[table["verdict"] != UNAUDITED]
    papers = sorted(set(table["paper"]))
    figure, axes = figures.panels(1, len(papers), size=(11.5, 3.0), squeeze=False)
    for panel, paper in zip(axes[:, 0], papers, strict=True):
        _panel(panel, table[table["paper"] == paper].copy(), paper)
    figures.legend_below(figure, axes[:, 0], columns=5)
    title = "Epsilon at the ledger's delta: claimed, accounted for, attained"
    figure.suptitle(f"{title}\n({label})" if label else title, fontsize=11, fontweight="bold")
    return figure


def _panel(axes: Axes, table: pd.DataFrame, paper: str) -> None:
    table["name"] = [_name(row) for _, row in table.iterrows()]
    table["size"] = table[["eps_tight", "eps_paper"]].min(axis=1)
    table = table.sort_values(["name", "size", "delta"], kind="stable").reset_index(drop=True)
    for column, (label, look) in LAYERS.items():
        axes.plot(table.index, _inside(table[column]), linestyle="none", label=label, **look)
    refuted = table[table["verdict"].isin([VIOLATED, EXCEEDS])]
    axes.plot(refuted.index, _inside(refuted["eps_audit_low"]), linestyle="none", label="claim refuted", **REFUTED)
    axes.set_yscale("log")
    axes.set_ylim(LOWEST / 1.5, HIGHEST * 1.5)
    axes.set_ylabel(f"{paper}\nepsilon")
    _name_groups(axes, table["name"])


def _name(row: "pd.Series[str]") -> str:
    """Mechanism, and what tells its audits apart."""
    place = "" if pd.isna(row["place"]) or not row["place"] else f"{row['place']}: "
    return f"{place}{row['mechanism']}, {row['sampler']}"


def _name_groups(axes: Axes, names: "pd.Series[str]") -> None:
    """A tick under the middle of each mechanism's rows, a line between two mechanisms."""
    places = names.groupby(names, sort=False).groups
    axes.set_xticks([float(np.mean(rows)) for rows in places.values()])
    axes.set_xticklabels(list(places), rotation=30, ha="right", fontsize=6.5)
    for rows in list(places.values())[1:]:
        axes.axvline(min(rows) - 0.5, color=figures.GREY, linewidth=0.5, alpha=0.5)
    axes.set_xlim(-0.7, len(names) - 0.3)
    axes.grid(visible=False, axis="x")


def _inside(values: "pd.Series[float]") -> "pd.Series[float]":
    return values.astype(float).clip(LOWEST, HIGHEST)
