"""Figure of varshney2022 on exponents at large N, and on eigenvalues by output perturbation."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.varshney2022 import styles
from dpdescent.papers.varshney2022.large_samples import DIMENSION, EIGENVALUES, EPSILONS, KNOWN, RECORDS
from dpdescent.papers.varshney2022.styles import EPS, POINTS, RISK, D, N, look, risk_curve, sampling_lines
from dpdescent.replication.drawing.figures import BLUE, VERMILION, legend_below, log_scale, panels, where

PARTS = (
    (DIMENSION, "d", D, 2.0, "slope $d^2$"), (RECORDS, "N", N, -2.0, "slope $N^{-2}$"),
    (EPSILONS, "eps", EPS, -2.0, r"slope $\varepsilon^{-2}$"),
)  # fmt: skip


def draw_ext_large(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the risk against d, N and epsilon where the term of privacy rules, and with private eigenvalues."""
    figure, axes = panels(len(PARTS) + 1, size=(4.3, 4.2), squeeze=False)
    for panel, (part, axis, label, power, slope) in zip(axes[0], PARTS, strict=False):
        rows = where(table, panel=part)
        _curves(panel, rows, axis)
        styles.guide(panel, _noisiest(rows), axis, power, slope)
        sampling_lines(panel, _noisiest(rows), axis, {})
        panel.set(title=", ".join([part, *styles.common_sizes(rows)]), xlabel=label)
    _eigenvalues(axes[0][-1], where(table, panel=EIGENVALUES))
    for panel in axes[0]:
        log_scale(panel)
        styles.decades(panel, "xy")
        panel.set(ylabel=RISK)
    legend_below(figure, axes[0], 4, POINTS.partition(";")[0])
    return figure


def _noisiest(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of the first quantile on the printed grid with the largest label noise."""
    main = where(rows, variant="main")
    return main[main["sigma"] == main["sigma"].max()]


def _curves(axes: Axes, rows: pd.DataFrame, axis: str) -> None:
    """Draws a curve for each quantile, grid and label noise."""
    for (variant, sigma), group in rows.groupby(["variant", "sigma"], sort=True):
        shifted = "random" in variant
        for name in styles.in_order(group["series"]):
            style: dict[str, Any] = {"alpha": 0.4, "linestyle": "-."} if shifted else {}
            text = f"{styles.label_of(name)}{', random offset' if shifted else ''}"
            risk_curve(axes, where(group, series=name), axis, text, shade=0.0, **style)
            if variant == "main":
                end = where(group, series=name).sort_values(axis).iloc[-1]
                axes.annotate(rf"$\sigma={sigma:g}$", (end[axis], end["median"]), fontsize=8, ha="right", va="bottom")


def _eigenvalues(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the risk with known and with estimated eigenvalues, a colour for each condition number."""
    for color, (kappa, group) in zip((BLUE, VERMILION), rows.groupby("kappa", sort=True), strict=False):
        for name in styles.in_order(group["series"], (KNOWN,)):
            known = name == KNOWN
            style = look(name) | {"color": color, "marker": "o" if known else "x", "linestyle": "-" if known else "--"}
            risk_curve(axes, where(group, series=name), "N", rf"{name}, $\kappa={kappa:g}$", shade=0.0, **style)
    axes.set(title=", ".join(["eigenvalues, $T$ and step from them", *styles.common_sizes(rows)]), xlabel=N)
