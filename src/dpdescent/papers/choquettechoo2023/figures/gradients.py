"""The figure of choquettechoo2023 on gradients and iterates without clipping."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.choquettechoo2023.figures.styles import D, color_of, in_order, label_of, line, look, where
from dpdescent.replication.drawing.figures import GREY, legend_below, log_scale, panels, select

AXES = {
    "dimension": ("d", D, {}), "labels": ("sigma_sgd", r"noise of the labels $\sigma_\mathrm{sgd}$", {"d": 16}),
    "start": ("start", r"distance of the start $\|\theta_0-\theta^*\|$", {}), "steps": ("T", "number of steps $T$", {}),
}  # fmt: skip
RULES = {"rate of D.4": "-.", "rate of D.13": ":"}
SERIES = {
    "largest gradient": ("gradient_form", "largest gradient norm"),
    "largest distance": ("iterate_form", r"largest $\|\theta_t-\theta^*\|$"),
}


def draw_ext_gradients(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the quantiles of the largest gradient and the largest distance, with the bounds, by panel."""
    main = select(table)
    figure, axes = panels(2, len(AXES), size=(5.2, 2.9), squeeze=False)
    for row, (panel, (x, label, fixed)) in zip(axes, AXES.items(), strict=True):
        for each, (series, (form, words)) in zip(row, SERIES.items(), strict=True):
            _panel(each, where(main, panel=panel, series=series, **fixed), x, form)
            log_scale(each)
            each.set(xlabel=label, ylabel=words)
    for each, text in zip(axes[:, 0], ("dimension", r"labels, $d=16$", "start", "steps"), strict=True):
        each.set_title(text)
    legend_below(figure, axes[:1, 0], 4, "points: what 95 % of the runs do not exceed")
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, x: str, form: str) -> None:
    for name in in_order(rows["mechanism"]):
        for rule, dash in RULES.items():
            own = where(rows, mechanism=name, rule=rule)
            style = look(name) | ({} if rule == "rate of D.4" else {"markerfacecolor": "white"})
            line(axes, own.assign(mean=own["q95"]), x, f"{label_of(name)}, {rule}", **(style | {"linewidth": 0.7}))
            label = f"D.4 at the {rule}" if name == "DP-SGD" else None
            bound = own.assign(mean=own[form])
            line(axes, bound, x, label, color=color_of(name), linestyle=dash, linewidth=1.2)
    if form == "gradient_form":
        nine = where(rows, mechanism="DP-SGD", rule="rate of D.13")
        line(axes, nine.assign(mean=nine["summary"]), x, "(9)", color=GREY, linestyle="--", linewidth=1.2)
