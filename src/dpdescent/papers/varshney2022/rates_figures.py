"""Figures of varshney2022 on the term of privacy by itself, and on the condition number."""

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.varshney2022 import styles
from dpdescent.papers.varshney2022.formulas import gaussian_multiplier
from dpdescent.papers.varshney2022.setting import ADA_SSP, AMBSSGD, FIXED, OLS, PROSE_QUANTILE, QUANTILE
from dpdescent.papers.varshney2022.styles import EPS, POINTS, RISK, N, T, guide, look, marks, risk_curve, sampling_lines
from dpdescent.replication.drawing import figures
from dpdescent.replication.drawing.figures import MARKERS, legend_below, log_scale, panels, select, shades, where

SYMBOLS = {"sigma": r"\sigma", "eps": r"\varepsilon"}
SMALL, DELTAS, REGIME, STATISTICS = "small epsilon", "delta", "privacy regime", "sufficient statistics"


def draw_ext_privacy(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the risk against epsilon, log(1/delta) and N where the term of privacy rules, and AdaSSP without noise."""
    main = select(table)
    main = main.assign(logs=-np.log(main["delta"].astype(float)))
    parts = (
        (SMALL, "eps", EPS, -2.0, r"slope $\varepsilon^{-2}$"),
        (DELTAS, "logs", r"$\log(1/\delta)$", 1.0, r"slope $\log(1/\delta)$"),
        (REGIME, "N", N, -2.0, "slope $N^{-2}$"), (STATISTICS, "N", N, -2.0, "slope $N^{-2}$"),
    )  # fmt: skip
    figure, axes = panels(len(parts), size=(4.3, 4.2), squeeze=False)
    for panel, (part, axis, label, power, slope) in zip(axes[0], parts, strict=True):
        rows = where(main, panel=part)
        _curves(panel, rows, axis, display)
        _power(panel, rows, axis, power, slope)
        if part == DELTAS:
            _exact_multiplier(panel, rows)
        log_scale(panel)
        styles.decades(panel, "xy")
        panel.set(title=", ".join([part, *styles.common_sizes(rows)]), xlabel=label, ylabel=RISK)
    legend_below(figure, axes[0], 4, POINTS)
    return figure


def _curves(axes: Axes, rows: pd.DataFrame, axis: str, display: dict[str, Any]) -> None:
    """Draws a curve for each method, label noise and budget that the axis does not show."""
    others = ["sigma"] if axis != "N" else ["sigma", "eps"]
    for key, group in rows.groupby(others, sort=True):
        values = dict(zip(others, key, strict=True))
        for name in styles.in_order(group["series"]):
            place = ", ".join(rf"${SYMBOLS[column]}={value:g}$" for column, value in values.items())
            style: dict[str, Any] = {
                "markerfacecolor": look(name)["color"] if values["sigma"] == max(rows["sigma"]) else "white",
                "linestyle": "--" if values.get("eps", math.inf) < rows["eps"].max() else "-",
            }
            risk_curve(axes, where(group, series=name), axis, f"{styles.label_of(name)}, {place}", **style)
        sampling_lines(axes, group, axis, display.get("published", {}))


def _power(axes: Axes, rows: pd.DataFrame, axis: str, power: float, label: str) -> None:
    """Draws the claimed power through the first point of the largest label noise."""
    if not len(rows):
        return
    through = rows[rows["sigma"] == rows["sigma"].max()].sort_values([axis, "median"]).iloc[0]
    places = np.geomspace(rows[axis].min(), rows[axis].max(), 40)
    axes.plot(places, through["median"] * (places / through[axis]) ** power, color="black", linestyle=":", label=label)


def _exact_multiplier(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws alpha^2 of the runs through the same point, because it grows faster than log(1/delta) at these deltas."""
    if not len(rows):
        return
    table = rows[rows["sigma"] == rows["sigma"].max()].sort_values(["logs", "median"]).drop_duplicates("logs")
    squares = np.array([gaussian_multiplier(*pair) ** 2 for pair in zip(table["eps"], table["delta"], strict=True)])
    label = r"exact $\alpha^2$ of the runs"
    axes.plot(table["logs"], table["median"].iloc[0] * squares / squares[0], color="black", linestyle="--", label=label)


def draw_risk_vs_kappa(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the risk against the number of iterations, and against the condition number at the best T and T = c kappa.

    c is the multiple of kappa that the grid has for every kappa; other methods have a panel of their own.
    """
    figure, axes = panels(2, 2, size=(5.6, 3.9), squeeze=False)
    by_steps, best, by_kappa, others = axes.flat
    main = styles.risks_of(styles.with_prose(table))
    rows = where(main, series=AMBSSGD)
    # Other methods run at one multiple, DP-AMBSSGD at several that all kappa have.
    at_one = where(main, series=QUANTILE)
    conditions, multiple = figures.values_of(rows, "kappa"), _common_multiple(at_one if len(at_one) else rows)
    law = rf"$T={multiple:g}\kappa$"
    for kappa, color, marker in zip(conditions, shades(len(conditions)), MARKERS * len(conditions), strict=False):
        curve = where(rows, kappa=kappa)
        style: dict[str, Any] = {"color": color, "markerfacecolor": color, "marker": marker}
        risk_curve(by_steps, curve, "T", rf"$\kappa={kappa:g}$", **style)
        if len(ring := where(curve, T=multiple * kappa)):
            around: dict[str, Any] = {"markersize": 11, "markerfacecolor": "none", "color": "black"}
            marks(by_steps, ring["T"], ring["median"], "o", f"circle: {law}", **around)
    styles.trivial_line(by_steps)
    at_best = rows.sort_values("median").drop_duplicates("kappa").sort_values("kappa")
    configured = rows[rows["T"] == multiple * rows["kappa"]]
    _at_best(by_kappa, at_best, configured, law)
    sampling_lines(by_kappa, main, "kappa", display.get("published", {}))
    _others(others, main, configured, law)
    best.plot(at_best["kappa"], at_best["T"], label="best $T$ of the grid", **look(AMBSSGD))
    if not math.isnan(multiple):
        best.plot(conditions, [multiple * kappa for kappa in conditions], color="black", linestyle="--", label=law)
    for panel in axes.flat:
        log_scale(panel)
        panel.set(xlabel=r"condition number $\kappa$", ylabel=RISK)
    by_steps.set(title="risk against iterations", xlabel=T)
    by_kappa.set(title="at the best $T$" + (f", and at {law}" if not math.isnan(multiple) else ""))
    others.set(title="others")
    best.set(title="best number of iterations", ylabel=T)
    legend_below(figure, axes.flat, 4, styles.with_budget(main, POINTS))
    return figure


def _common_multiple(rows: pd.DataFrame) -> float:
    """Returns the only value of T / kappa at which every kappa was run, or NaN if there is none or several."""
    multiples = [set(group["T"] / kappa) for kappa, group in rows.groupby("kappa")]
    common = set.intersection(*multiples) if multiples else set()
    return common.pop() if len(common) == 1 else math.nan


def _at_best(axes: Axes, best: pd.DataFrame, configured: pd.DataFrame, law: str) -> None:
    """Draws the risk at the best T and at T = c kappa against kappa, and the law kappa^2 of the privacy term."""
    # Wide and pale, because the other curve may cover it.
    wide = {"linewidth": 6.0, "alpha": 0.35, "elinewidth": 6.0}
    risk_curve(axes, best, "kappa", "at the best $T$ of the grid", **wide)
    _configured(axes, configured, law)
    guide(axes, styles.working(configured), "kappa", 2.0, r"slope $\kappa^2$: term of privacy")


def _others(axes: Axes, rows: pd.DataFrame, configured: pd.DataFrame, law: str) -> None:
    """Draws other methods against kappa, beside ours at T = c kappa; OLS has one curve for all T."""
    _configured(axes, configured, law)
    for name in (OLS, QUANTILE, PROSE_QUANTILE, FIXED, ADA_SSP):
        curve = where(rows, series=name)
        if len(curve):
            risk_curve(axes, curve.drop_duplicates("kappa") if name == OLS else curve, "kappa")


def _configured(axes: Axes, rows: pd.DataFrame, law: str) -> None:
    style: dict[str, Any] = {"linestyle": "--", "markerfacecolor": "white"}
    risk_curve(axes, rows, "kappa", f"at {law}", **style)
