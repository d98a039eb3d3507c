"""Figure of varshney2022 on orders: ratios of exact values to claimed ones, along every quantity in them."""

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.varshney2022.formulas import Array
from dpdescent.papers.varshney2022.styles import EPS, decades
from dpdescent.replication.drawing import figures
from dpdescent.replication.drawing.figures import BLUE, GREEN, MARKERS, ORANGE, PURPLE, SKY, panels, select, where

COLUMNS = 3
COLORS = (BLUE, figures.VERMILION, GREEN, ORANGE, PURPLE, SKY)
AXES = {
    "N": "$N$", "d": "$d$", "kappa": r"$\kappa$", "eps": EPS, "delta": r"$\log(1/\delta)$", "sigma": r"$\sigma$",
    "eps_0": r"$\varepsilon_0$", "beta": r"$\beta$", "size": r"gradient over $\zeta$",
}  # fmt: skip
# Quantities of DP-SSGD, whose orders have log(N/delta).
OF_BOTH = ("DP-SSGD", "multiplier of DP-SSGD")


def draw_ext_orders(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws ratios of exact values to claimed ones, a panel for each quantity and axis, a colour for each reading."""
    main = figures.positive(select(table))
    places = list(main.groupby(["quantity", "axis"], sort=False).groups)
    rows = max(math.ceil(len(places) / COLUMNS), 1)
    figure, axes = panels(COLUMNS if len(places) > 1 else 1, rows, size=(4.1, 3.1), squeeze=False)
    for panel, (quantity, axis) in zip(axes.ravel(), places, strict=False):
        _ratios(panel, where(main, quantity=quantity, axis=axis))
        along = r"$\log(N/\delta)$" if axis == "delta" and quantity in OF_BOTH else AXES.get(axis, axis)
        panel.set(title=f"{quantity}, along {along}", xlabel=along)
    for panel in axes.ravel()[max(len(places), 1) :]:
        panel.set_visible(False)
    for panel in axes[:, 0]:
        panel.set_ylabel("value over claim")
    if not places:
        axes[0, 0].set_xlabel("axis")
    axes[0, 0].plot([], [], color="black", linestyle=":", label="equal to what is claimed, constants 1")
    figures.legend_below(figure, axes[0, :1], 1, "level: the claimed power; falling: below an upper bound")
    return figure


def _ratios(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws one curve for each reading, or for those on one line, named within the panel: readings differ by panel."""
    curves: dict[str, tuple[Array, Array]] = {}
    for name, group in rows[rows["at"] > 0].assign(reading=rows["reading"].astype(str)).groupby("reading"):
        group = group.sort_values("at")
        curve = (group["at"].to_numpy(float), (group["mean"] / group["claimed"]).to_numpy(float))
        same = [other for other, drawn in curves.items() if _on_one_line(curve, drawn)]
        if same:
            curves[f"{same[0]}; {name}"] = curves.pop(same[0])
        else:
            curves[str(name)] = curve
    names, lines = sorted(curves), []
    for name, color, marker in zip(names, COLORS * len(names), MARKERS * len(names), strict=False):
        lines += axes.plot(*curves[name], color=color, marker=marker)
    axes.axhline(1.0, color="black", linestyle=":", linewidth=1.0)
    figures.log_scale(axes)
    decades(axes, "xy")
    low, high = axes.get_ylim()
    # At least a decade, because an order that is right should look level; and room for the names.
    middle = math.sqrt(low * high)
    low, high = min(low, middle / 10**0.5), max(high, middle * 10**0.5)
    axes.set_ylim(low, high * (high / low) ** (0.14 * len(names)))
    axes.legend(lines, names, fontsize=7.5, loc="upper left", ncols=1)


def _on_one_line(curve: tuple[Array, Array], other: tuple[Array, Array]) -> bool:
    """Whether two curves agree to a thousandth at the same places, so that one would hide the other."""
    return np.array_equal(curve[0], other[0]) and np.allclose(curve[1], other[1], rtol=1e-3, atol=0.0)
