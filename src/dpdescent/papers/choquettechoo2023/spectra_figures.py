"""The drawing of errors and gains over spectra and dimensions."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.choquettechoo2023.spectra import GAIN
from dpdescent.papers.choquettechoo2023.styles import SUBOPTIMALITY, D, label_of, line
from dpdescent.replication.drawing.figures import GREY, MARKERS, legend_below, log_scale, panels, select, shades, where

SPECTRA = ("flat", "k^-0.5", "k^-1", "k^-2", "k^-3", "one large")


def draw_ext_spectra(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the gain over independent noise per dimension, the ratio to the least error, and the errors."""
    figure, axes = panels(4, size=(5.2, 3.6), squeeze=False)
    gain, loss, *errors = axes[0]
    methods = ("Noisy-SGD", "nu-Noisy-FTRL")
    main = select(table)
    names = sorted(set(main["spectrum"]), key=lambda name: ([*SPECTRA, name].index(name), name))
    for name, color, marker in zip(names, shades(len(names)), MARKERS * len(names), strict=False):
        rows, style = main[main["spectrum"] == name], dict[str, Any](marker=marker, markersize=3.5)
        line(gain, _over_dimension(rows), "d", spectrum_label(name), color=color, **style)
        line(loss, _ratio_by_dimension(rows, "nu-Noisy-FTRL", "optimum"), "d", color=color, **style)
        for panel, method in zip(errors, methods, strict=True):
            line(panel, where(rows, series=method), "d", color=color, **style)
    _separation(gain, _over_dimension(where(main, spectrum=SPECTRA[-1])))
    for panel, which in ((gain, "x"), (loss, "x"), *((error_panel, "xy") for error_panel in errors)):
        log_scale(panel, which)
        panel.set_xlabel(D)
    for panel, method in zip(errors, methods, strict=True):
        panel.set(title=f"error of {label_of(method)}", ylabel=SUBOPTIMALITY)
    gain.set(title="Noisy-SGD over $\\nu$-Noisy-FTRL, over $d$", ylabel=r"ratio of $F_\infty$, over $d$")
    loss.set(title="$\\nu$-Noisy-FTRL over the best noise", ylabel=r"ratio of $F_\infty$")
    legend_below(figure, axes[0], 4)
    return figure


def spectrum_label(name: str) -> str:
    """Returns the label of a spectrum, as the paper writes it."""
    if name == "flat":
        return r"$\lambda_k=1$"
    return r"$1,\frac{1}{d},\ldots,\frac{1}{d}$" if name == "one large" else rf"$k^{{{name.removeprefix('k^')}}}$"


def _ratio_by_dimension(rows: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Returns the ratio of two series at every dimension that has both."""
    wide = rows.pivot_table(index="d", columns="series", values="mean").reindex(columns=[first, second])
    return (wide[first] / wide[second]).dropna().rename("mean").reset_index()


def _over_dimension(rows: pd.DataFrame) -> pd.DataFrame:
    """Returns the gain in units of d, in which spectra are easier to tell apart."""
    rows = where(rows, series=GAIN).sort_values("d")
    return rows.assign(mean=rows["mean"] / rows["d"])


def _separation(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the gain that the introduction claims, d / log d, in units of d, through the last point."""
    if len(rows) > 1:
        logarithm = np.log(rows["d"])
        through = rows["mean"].iloc[-1] * logarithm.iloc[-1] / logarithm
        axes.plot(rows["d"], through, color=GREY, linestyle=":", linewidth=1.4, label=r"claimed gain $d/\ln d$")
