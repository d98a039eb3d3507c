"""Figures of brown2024 on error against the dimension (1, 9, up to p = 1280), and styles that all its figures share."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.brown2024.dimension import NARROWER, PROJECTED, RATED
from dpdescent.replication.drawing.figures import (
    BLUE,
    FINE,
    GREY,
    PURPLE,
    curve,
    legend_below,
    log_scale,
    panels,
    select,
    slope_guide,
    thin_curve,
    variants_of,
)
from dpdescent.replication.drawing.figures import METHODS as COLORS

# Privacy error has the colour of DP-GD and sampling error that of OLS, because these methods have these errors.
DP_GD, OLS = COLORS["DP-GD"], COLORS["OLS"]
METHODS = {"DP-GD": (DP_GD, "o"), "OLS": (OLS, "D"), "AdaSSP": (COLORS["AdaSSP"], "s")}
# Other calibrations of AdaSSP, in shades of the colour of AdaSSP.
PUBLIC = "AdaSSP (public bounds)"
SHADES = {PUBLIC: "#7FCDAE", "AdaSSP (zCDP-matched)": "#00493A"}
# Fits and the exact law have colours that no method here has and that show on the black of least squares.
FIT, LAW = BLUE, GREY
DARK_DP_GD = "#8F3B00"
LINES = ("--", ":", "-.", (0, (6, 1, 1, 1, 1, 1)))
P, N = "dimension $p$", "sample size $n$"
ERROR = {
    "theta_star": r"error to the truth $\|\theta_T-\theta^*\|$",
    "theta_hat": r"error to least squares $\|\theta_T-\hat\theta\|$",
}  # fmt: skip
PREDICTED = "predicted, without clipping"
MEANS = "points: mean with standard error"
SPREAD = f"{MEANS}; shade: from 10 % to 90 % of the runs"
# Colour and marker by method in the figure of runs without records.
LARGE = {
    **METHODS, "AdaSSP (public bounds)": (SHADES["AdaSSP (public bounds)"], "^"),
    RATED: (SHADES["AdaSSP (zCDP-matched)"], "v"), PROJECTED: (PURPLE, "P"),
}  # fmt: skip


def draw_fig01(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the error to the truth and to least squares against the dimension.

    Below are other readings of DP-GD and other calibrations of AdaSSP, if the table has DP-GD. Variants with more
    records for each dimension, at which AdaSSP needs no ridge, have panels of their own on the right.
    """
    ratios = (table["n"] / table["p"]).groupby(table["variant"]).first()
    headline = display["arms"]["n_over_p"]
    larger = list(ratios.index[ratios > headline])
    steps = display.get("steps_at", {})
    below = int((table["series"] == "DP-GD").any())
    figure, axes = panels(2 + len(larger), 1 + below, size=(4.7, 3.6), squeeze=False)
    for panel, (target, label) in zip(axes[0], ERROR.items(), strict=False):
        _methods(panel, select(table, error_to=target), predicted=True)
        panel.axhline(1.0, color=GREY, linestyle="-.", linewidth=0.9)
        panel.text(
            0.98, 1.01, r"$\|\theta^*\|=1$: the error of the estimate 0", transform=panel.get_yaxis_transform(),
            color=GREY, fontsize=7.5, ha="right", va="bottom",
        )  # fmt: skip
        log_scale(panel, "x")
        panel.set(title=f"$n={headline:g}\\,p$", xlabel=P, ylabel=label)
        panel.set_ylim(0.0, max(1.12, panel.get_ylim()[1]))
    truth = table[table["error_to"] == "theta_star"]
    for panel, name in zip(axes[0, 2:], larger, strict=True):
        _methods(panel, select(truth, name), predicted=False)
        log_scale(panel, digits=FINE)
        with_steps = f", $T={steps[name]}$" if name in steps else ""
        panel.set(title=f"$n={ratios[name]:g}\\,p${with_steps}", xlabel=P, ylabel=ERROR["theta_star"])
    if below:
        _draw_readings(axes[1], truth, ratios, larger)
    legend_below(figure, axes.flat, 4, SPREAD)
    return figure


draw_fig09 = draw_fig01


def _draw_readings(axes: Sequence[Axes], rows: pd.DataFrame, ratios: "pd.Series[float]", larger: list[str]) -> None:
    """Draws DP-GD under all readings of the paper, and AdaSSP under all calibrations for each ratio of n to p."""
    main = [name for name in variants_of(rows) if name not in (*larger, *NARROWER)]
    _with_errors(axes[0], select(rows, series="DP-GD"), "DP-GD")
    for name, line in zip(main[1:], LINES, strict=False):
        reading = select(rows, name, series="DP-GD")
        thin_curve(axes[0], reading, "p", f"DP-GD, {name}", color=DP_GD, linestyle=line)
    axes[0].set_title(f"DP-GD: readings, $n={ratios['main']:g}\\,p$")
    for panel, name in zip(axes[1:], ["main", *larger], strict=True):
        chosen = select(rows, name)
        _with_errors(panel, chosen[chosen["series"] == "AdaSSP"], "AdaSSP")
        for calibration, color in SHADES.items():
            own = chosen[chosen["series"] == calibration]
            if len(own):
                thin_curve(panel, own, "p", calibration, color=color, linestyle="-", linewidth=1.4)
        for narrower, line in zip(NARROWER if name == "main" else (), LINES, strict=False):
            for calibration, color in SHADES.items():
                own = select(rows, narrower, series=calibration)
                if len(own):
                    label = narrower if calibration == PUBLIC else "_nolegend_"
                    thin_curve(panel, own, "p", label, color=color, linestyle=line)
        panel.set_title(f"AdaSSP: calibrations, $n={ratios[name]:g}\\,p$")
    for panel, which in zip(axes, ("x", "x", *("xy" for _ in larger)), strict=True):
        log_scale(panel, which, FINE if "y" in which else (1, 2, 5))
        panel.set(xlabel=P, ylabel=ERROR["theta_star"])
    _root_p(axes[1], select(rows, NARROWER[0], series=PUBLIC))
    for panel, name in zip(axes[2:], larger, strict=True):
        _root_p(panel, select(rows, name, series="AdaSSP"))


def _methods(axes: Axes, rows: pd.DataFrame, predicted: bool) -> None:
    """Draws one curve for each method, and predictions of DP-GD and OLS."""
    for name, (color, marker) in METHODS.items():
        chosen = rows[rows["series"] == name].sort_values("p")
        if len(chosen):
            curve(axes, chosen, "p", name, color=color, marker=marker)
        if predicted and chosen["predicted"].notna().any():
            axes.plot(chosen["p"], chosen["predicted"], color=LAW, linewidth=0.9, label=PREDICTED, zorder=3)


def _with_errors(axes: Axes, rows: pd.DataFrame, name: str) -> None:
    rows, (color, marker) = rows.sort_values("p"), LARGE[name]
    if len(rows):
        axes.errorbar(rows["p"], rows["mean"], yerr=rows["se"], color=color, marker=marker, label=name)


def _root_p(axes: Axes, rows: pd.DataFrame) -> None:
    if len(rows) > 1:
        last = rows.loc[rows["p"].idxmax()]
        slope_guide(axes, sorted(rows["p"]), (last["p"], last["mean"]), 0.5, r"claimed of AdaSSP: $\sqrt{p}$")


def draw_ext_large_dimension(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the error to the truth of every method against the dimension, with a guide of slope one half."""
    figure, axes = panels(size=(6.4, 4.6))
    rows = select(table)
    for name in LARGE:
        _with_errors(axes, rows[rows["series"] == name], name)
    _root_p(axes, rows[rows["series"] == RATED])
    log_scale(axes)
    axes.set(title=f"$n={display['arms']['n_over_p']:g}\\,p$", xlabel=P, ylabel=ERROR["theta_star"])
    legend_below(figure, [axes], 3, MEANS)
    return figure
