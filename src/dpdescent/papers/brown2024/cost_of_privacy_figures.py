"""Figures of brown2024 on the cost of privacy against the sample size: 2, 8, and the author's public settings."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpdescent.papers.brown2024.cost_of_privacy import crossing_of
from dpdescent.papers.brown2024.dimension_figures import DARK_DP_GD, DP_GD, FIT, LINES, MEANS, OLS, SPREAD
from dpdescent.replication.drawing.figures import (
    GREY,
    curve,
    legend_below,
    log_scale,
    panels,
    select,
    thin_curve,
    variants_of,
    vertical,
)

# Colour and marker by clip factor, gamma / sqrt(p).
CLIP_FACTORS = {5.0: (DP_GD, "o"), 3.0: (DARK_DP_GD, "s")}
N = "sample size $n$"
SERIES = {"privacy": r"privacy: $\|\theta_T-\hat\theta\|$", "sampling": r"sampling: $\|\hat\theta-\theta^*\|$"}
CROSSING = f"{SPREAD}; lines: predicted, without clipping; $n^*$: where the predictions cross"


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
    """Draws privacy and sampling error of a panel with predictions, fits, and the n at which predictions cross."""
    fitted = []
    for factor in sorted(set(rows["clip_factor"]), reverse=True):
        group = rows[rows["clip_factor"] == factor]
        private, (color, marker) = group[group["series"] == "privacy"], CLIP_FACTORS.get(factor, (DP_GD, "o"))
        _points(axes, private, _privacy(factor), color, marker)
        if (n := crossing_of(group)) is not None:
            vertical(axes, n, f"$n^*$ = {float(f'{n:.3g}'):,.0f}", color)
        fitted.append((private, 1.0, ":", f"privacy, {_threshold(factor)}", color))
    # The sampling error is drawn once, because it is the same at every threshold.
    sampling = rows[rows["series"] == "sampling"].drop_duplicates("n")
    _points(axes, sampling, SERIES["sampling"], OLS, "D")
    fitted.append((sampling, 0.5, "--", "sampling", OLS))
    # Names have the colours of the points, because the lines all have one colour that differs from the predictions'.
    fits = [(*_fit(axes, *fit), color) for *fit, color in fitted if len(fit[0])]
    if not fits:
        return
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

    With a single sample size b is zero.
    """
    mean = rows["mean"].to_numpy(dtype=float)
    columns = np.stack([rows["n"].to_numpy(dtype=float) ** -power, np.ones(len(rows))], axis=1) / mean[:, None]
    used = columns if rows["n"].nunique() > 1 else columns[:, :1]
    solved = np.linalg.lstsq(used, np.ones(len(rows)), rcond=None)[0]
    return float(solved[0]), float(solved[1]) if len(solved) > 1 else 0.0


def _readings(axes: Axes, rows: pd.DataFrame, factor: float) -> None:
    """Draws privacy and sampling error, the main variant with error bars, other readings of the paper as thin lines."""
    private, mark = CLIP_FACTORS.get(factor, (DP_GD, "o"))
    looks = {"privacy": (private, mark, _privacy(factor)), "sampling": (OLS, "D", SERIES["sampling"])}
    rows = rows[rows["clip_factor"] == factor].sort_values("n")
    for name, line in zip(variants_of(rows), ("-", *LINES), strict=False):
        for series, (color, marker, label) in looks.items():
            own = select(rows, name, series=series)
            if name == "main":
                axes.errorbar(
                    own["n"], own["mean"], yerr=own["se"], color=color, marker=marker, markersize=4, label=label
                )
            else:
                thin_curve(axes, own, "n", color=color, linestyle=line)
        if name != "main":
            axes.plot([], [], color=GREY, linestyle=line, linewidth=0.9, label=name)
