"""Figures of brown2024 on the error of one run: against the dimension (1, 9) and against the sample size (2, 8)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpdescent.replication.drawing.figures import (
    BLUE,
    FINE,
    GREY,
    curve,
    legend_below,
    log_scale,
    panels,
    select,
    slope_guide,
    thin_curve,
    variants_of,
    vertical,
)
from dpdescent.replication.drawing.figures import METHODS as COLORS

# Privacy error has the colour of DP-GD and sampling error that of OLS, because these methods have these errors.
DP_GD, OLS = COLORS["DP-GD"], COLORS["OLS"]
METHODS = {"DP-GD": (DP_GD, "o"), "OLS": (OLS, "D"), "AdaSSP": (COLORS["AdaSSP"], "s")}
# Other calibrations of AdaSSP, in shades of the colour of AdaSSP.
SHADES = {"AdaSSP (public bounds)": "#7FCDAE", "AdaSSP (zCDP-matched)": "#00493A"}
# Fits and the exact law have colours that no method here has and that show on the black of least squares.
FIT, LAW = BLUE, GREY
DARK_DP_GD = "#8F3B00"
# Colour and marker by clip factor, gamma / sqrt(p).
CLIP_FACTORS = {5.0: (DP_GD, "o"), 3.0: (DARK_DP_GD, "s")}
LINES = ("--", ":", "-.", (0, (6, 1, 1, 1, 1, 1)))

P, N = "dimension $p$", "sample size $n$"
ERROR = {
    "theta_star": r"error to the truth $\|\theta_T-\theta^*\|$",
    "theta_hat": r"error to least squares $\|\theta_T-\hat\theta\|$",
}  # fmt: skip
SERIES = {"privacy": r"privacy: $\|\theta_T-\hat\theta\|$", "sampling": r"sampling: $\|\hat\theta-\theta^*\|$"}
PREDICTED = "predicted, without clipping"
MEANS = "points: mean with standard error"
SPREAD = f"{MEANS}; shade: from 10 % to 90 % of the runs"
CROSSING = f"{SPREAD}; lines: predicted, without clipping; $n^*$: where the predictions cross"


def draw_fig01(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the error to the truth and to least squares against the dimension.

    Below are other readings of DP-GD and other calibrations of AdaSSP, if the table has DP-GD. Variants with more
    records a dimension, at which AdaSSP needs no ridge, have panels of their own on the right.
    """
    ratios = (table["n"] / table["p"]).groupby(table["variant"]).first()
    headline = display["arms"]["n_over_p"]
    larger = list(ratios.index[ratios > headline])
    below = int((table["series"] == "DP-GD").any())
    figure, axes = panels(2 + len(larger), 1 + below, size=(4.7, 3.6), squeeze=False)
    for panel, (target, label) in zip(axes[0], ERROR.items(), strict=False):
        _methods(panel, select(table, error_to=target), predicted=True)
        _error_of_zero(panel)
        log_scale(panel, "x")
        panel.set(title=f"$n={headline:g}\\,p$", xlabel=P, ylabel=label)
        panel.set_ylim(0.0, max(1.12, panel.get_ylim()[1]))
    truth = table[table["error_to"] == "theta_star"]
    for panel, name in zip(axes[0, 2:], larger, strict=True):
        _methods(panel, select(truth, name), predicted=False)
        log_scale(panel, digits=FINE)
        panel.set(title=f"$n={ratios[name]:g}\\,p$", xlabel=P, ylabel=ERROR["theta_star"])
    if below:
        _below(axes[1], truth, ratios, larger)
    legend_below(figure, axes.flat, 4, SPREAD)
    return figure


def _below(axes: Sequence[Axes], rows: pd.DataFrame, ratios: "pd.Series[float]", larger: list[str]) -> None:
    """Draws DP-GD under all readings of the paper, and AdaSSP under all calibrations for each ratio of n to p."""
    main = [name for name in variants_of(rows) if name not in larger]
    _descent_under(axes[0], rows, main)
    axes[0].set_title(f"DP-GD: readings, $n={ratios['main']:g}\\,p$")
    for panel, name in zip(axes[1:], ["main", *larger], strict=True):
        _calibrations(panel, select(rows, name))
        panel.set_title(f"AdaSSP: calibrations, $n={ratios[name]:g}\\,p$")
    for panel, which in zip(axes, ("x", "x", *("xy" for _ in larger)), strict=True):
        log_scale(panel, which, FINE if "y" in which else (1, 2, 5))
        panel.set(xlabel=P, ylabel=ERROR["theta_star"])
    for panel, name in zip(axes[2:], larger, strict=True):
        _root_p(panel, select(rows, name, series="AdaSSP"))


def draw_fig09(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws Figure 9, which is Figure 1 with anisotropic covariates."""
    return draw_fig01(table, display)


def _methods(axes: Axes, rows: pd.DataFrame, predicted: bool) -> None:
    """Draws one curve for each method, and predictions of DP-GD and OLS."""
    for name, (color, marker) in METHODS.items():
        chosen = rows[rows["series"] == name].sort_values("p")
        if len(chosen):
            curve(axes, chosen, "p", name, color=color, marker=marker)
        if predicted and chosen["predicted"].notna().any():
            axes.plot(chosen["p"], chosen["predicted"], color=LAW, linewidth=0.9, label=PREDICTED, zorder=3)


def _descent_under(axes: Axes, rows: pd.DataFrame, variants: list[str]) -> None:
    """Draws DP-GD with standard errors, and as thin lines under other readings of the paper."""
    _with_errors(axes, select(rows, series="DP-GD"), "DP-GD")
    for name, line in zip(variants[1:], LINES, strict=False):
        thin_curve(axes, select(rows, name, series="DP-GD"), "p", f"DP-GD, {name}", color=DP_GD, linestyle=line)


def _calibrations(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws AdaSSP with standard errors, and its other calibrations as lines in shades of its colour."""
    _with_errors(axes, rows[rows["series"] == "AdaSSP"], "AdaSSP")
    for name, color in SHADES.items():
        chosen = rows[rows["series"] == name]
        if len(chosen):
            thin_curve(axes, chosen, "p", name, color=color, linestyle="-", linewidth=1.4)


def _with_errors(axes: Axes, rows: pd.DataFrame, name: str) -> None:
    rows, (color, marker) = rows.sort_values("p"), METHODS[name]
    if len(rows):
        axes.errorbar(rows["p"], rows["mean"], yerr=rows["se"], color=color, marker=marker, label=name)


def _error_of_zero(axes: Axes) -> None:
    axes.axhline(1.0, color=GREY, linestyle="-.", linewidth=0.9)
    text = r"$\|\theta^*\|=1$: the error of the estimate 0"
    axes.text(0.98, 1.01, text, transform=axes.get_yaxis_transform(), color=GREY, fontsize=7.5, ha="right", va="bottom")


def _root_p(axes: Axes, rows: pd.DataFrame) -> None:
    if len(rows) > 1:
        last = rows.loc[rows["p"].idxmax()]
        slope_guide(axes, sorted(rows["p"]), (last["p"], last["mean"]), 0.5, r"claimed of AdaSSP: $\sqrt{p}$")


def draw_fig02(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws privacy and sampling error against n for each threshold with fits, and under other readings of the paper.

    The axes are logarithmic where the paper's are linear, because 1/n and 1/sqrt(n) are then straight lines.
    """
    factors = sorted(set(table["clip_factor"]), reverse=True)
    figure, (axes,) = panels(len(factors) + 1, size=(4.7, 4.3), sharey=True)
    for panel, factor in zip(axes, factors, strict=False):
        _cost(panel, select(table, clip_factor=factor))
        panel.set_title(_threshold(factor))
    _readings(axes[-1], table, factors[0])
    axes[-1].set_title(f"{_threshold(factors[0])}, other readings")
    _finish(figure, axes, CROSSING)
    return figure


def draw_fig08(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws Figure 8: Figure 2 at the smaller budget, one panel for each dimension, with all thresholds in each."""
    main = select(table)
    parts = list(dict.fromkeys(main["panel"]))
    figure, axes = panels(len(parts), size=(5.8, 4.4), sharey=True, squeeze=False)
    for panel, part in zip(axes[0], parts, strict=True):
        _cost(panel, main[main["panel"] == part])
        panel.set_title(f"({part}) $p={display['cells'][part]['p']}$")
    _finish(figure, axes[0], CROSSING)
    return figure


def draw_ext_author_profile(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the errors at the settings of the author's public scripts, and with one setting changed at a time."""
    # In the order of the paper, because cells may come in another one.
    parts = sorted(set(table["panel"]), key=lambda part: (part != "fig02", part))
    figure, axes = panels(len(parts), size=(4.7, 4.3), squeeze=False)
    for panel, part in zip(axes[0], parts, strict=True):
        _readings(panel, table[table["panel"] == part], table["clip_factor"].max())
        name = "Figure 2" if part == "fig02" else f"Figure 8({part})"
        panel.set_title(f"{name}, $p={display['cells'][part]['p']}$")
    _finish(figure, axes[0], MEANS)
    return figure


def _finish(figure: Figure, axes: Sequence[Axes], note: str) -> None:
    for panel in axes:
        log_scale(panel)
        panel.set_xlabel(N)
    axes[0].set_ylabel("error")
    legend_below(figure, axes, 5, note)


def _threshold(factor: float) -> str:
    return rf"$\gamma={factor:g}\sqrt{{p}}$"


def _privacy(factor: float) -> str:
    return f"{SERIES['privacy']}, {_threshold(factor)}"


def _cost(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws both errors of one panel with their predictions and fits, and the n at which the predictions cross."""
    fitted = []
    for factor in sorted(set(rows["clip_factor"]), reverse=True):
        group = rows[rows["clip_factor"] == factor]
        private, (color, marker) = group[group["series"] == "privacy"], CLIP_FACTORS.get(factor, (DP_GD, "o"))
        _points(axes, private, _privacy(factor), color, marker)
        _mark_crossing(axes, group, color)
        fitted.append((private, 1.0, ":", f"privacy, {_threshold(factor)}", color))
    # Drawn once, because the sampling error is the same at every threshold.
    sampling = rows[rows["series"] == "sampling"].drop_duplicates("n")
    _points(axes, sampling, SERIES["sampling"], OLS, "D")
    fitted.append((sampling, 0.5, "--", "sampling", OLS))
    # Names have the colours of the points, because the lines all have one colour that differs from the predictions'.
    fits = [(*_fit(axes, *fit), color) for *fit, color in fitted if len(fit[0])]
    lines, names, colors = zip(*fits, strict=True)
    style = {"title_fontsize": 7.5, "fontsize": 7.5, "labelcolor": colors, "loc": "lower left"}
    axes.legend(lines, names, title="least-squares fits", **style)


def _points(axes: Axes, rows: pd.DataFrame, label: str, color: str, marker: str) -> None:
    rows = rows.sort_values("n")
    if len(rows):
        curve(axes, rows, "n", label, color=color, marker=marker, markersize=3.5, linestyle="none")
        axes.plot(rows["n"], rows["predicted"], color=color, linewidth=0.9)


def _fit(axes: Axes, rows: pd.DataFrame, power: float, dashes: str, name: str) -> tuple[Line2D, str]:
    """Draws `a n^-power + b` through the means, the form of the author's public script, and returns line and name."""
    a, b = fitted(rows, power)
    number = f"{a:,.0f}" if a >= 1000 else f"{a:.3g}"
    formula = f"{number} / $n$" if power == 1 else rf"{number} / $\sqrt{{n}}$"
    n = np.sort(rows["n"])
    (line,) = axes.plot(n, a * n**-power + b, color=FIT, linestyle=dashes, linewidth=1.2, zorder=3)
    # A constant far below every point is rounding.
    constant = f" {'+' if b >= 0 else '-'} {abs(b):.1g}" if abs(b) > 1e-3 * rows["mean"].min() else ""
    return line, f"{name}: {formula}{constant}"


def fitted(rows: pd.DataFrame, power: float) -> tuple[float, float]:
    """Returns a and b of `a n^-power + b`, by least squares of relative deviations: every n has equal weight.

    Of a single size b is zero.
    """
    mean = rows["mean"].to_numpy(dtype=float)
    columns = np.stack([rows["n"].to_numpy(dtype=float) ** -power, np.ones(len(rows))], axis=1) / mean[:, None]
    kept = columns if rows["n"].nunique() > 1 else columns[:, :1]
    found = np.linalg.lstsq(kept, np.ones(len(rows)), rcond=None)[0]
    return float(found[0]), float(found[1]) if len(found) > 1 else 0.0


def crossing_of(rows: pd.DataFrame) -> float | None:
    """Returns the n at which the predicted privacy error falls below the predicted sampling error.

    It is interpolated in logarithms; None if it is not within the grid.
    """
    found = rows.pivot(index="n", columns="series", values="predicted").sort_index()
    if not {"privacy", "sampling"} <= set(found):
        return None
    excess = np.log(found["privacy"] / found["sampling"])
    if not excess.iloc[0] > 0.0 > excess.iloc[-1]:
        return None
    return float(np.exp(np.interp(0.0, -excess, np.log(found.index))))


def _mark_crossing(axes: Axes, rows: pd.DataFrame, color: str) -> None:
    n = crossing_of(rows)
    if n is not None:
        vertical(axes, n, f"$n^*$ = {float(f'{n:.3g}'):,.0f}", color)


def _readings(axes: Axes, rows: pd.DataFrame, factor: float) -> None:
    """Draws both errors of the main variant with error bars, and those of other readings of the paper as thin lines."""
    private, mark = CLIP_FACTORS.get(factor, (DP_GD, "o"))
    looks = {"privacy": (private, mark, _privacy(factor)), "sampling": (OLS, "D", SERIES["sampling"])}
    rows = rows[rows["clip_factor"] == factor].sort_values("n")
    for name, line in zip(variants_of(rows), ("-", *LINES), strict=False):
        for series, (color, marker, label) in looks.items():
            one = select(rows, name, series=series)
            if name == "main":
                axes.errorbar(
                    one["n"], one["mean"], yerr=one["se"], color=color, marker=marker, markersize=4, label=label
                )
            else:
                thin_curve(axes, one, "n", color=color, linestyle=line)
        if name != "main":
            axes.plot([], [], color=GREY, linestyle=line, linewidth=0.9, label=name)
