"""Figures of varshney2022 on the excess risk against N, the label noise and epsilon."""

import math
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from dpdescent.papers.varshney2022 import styles
from dpdescent.papers.varshney2022.setting import AMBSSGD, PROSE_QUANTILE
from dpdescent.papers.varshney2022.styles import PARTS, POINTS, RISK, N, decades, guide, in_order, label_of, risk_curve
from dpdescent.replication.drawing import figures
from dpdescent.replication.drawing.figures import GREY, legend_below, log_scale, panels, select, values_of, where

LEVELS = ((styles.METHODS[AMBSSGD][0], "o"), ("#8FA3CC", "<"), ("#4B4E94", ">"), ("#B9C4DF", "P"))
# Thin, because eight curves and their variants meet at sigma = 1.
SLENDER: dict[str, Any] = {"linewidth": 1.1, "markersize": 3.4, "capsize": 1.8, "elinewidth": 0.8, "shade": 0.08}
# Ratio of the smallest sigma > 0 to the place of sigma = 0 on the axis.
GAP = 6.0
MORE = "more trials"
# Line styles of variants.
DASHES: tuple[Any, ...] = ((0, (1, 1.2)), (0, (4, 1.5)), (0, (5, 1.5, 1, 1.5)), (0, (2.5, 1)))


def draw_risk_vs_n(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the risk against the number of records: a row for each sigma, a pair of columns for each epsilon.

    The first column of a pair has the paper's methods, with thin lines for other settings, the second other methods.
    """
    table = styles.risks_of(table)
    main = select(table)
    budgets, noises = (sorted(values_of(main, name), reverse=True) for name in ("eps", "sigma"))
    columns = [(eps, part) for eps in budgets for part in PARTS]
    figure, axes = panels(
        max(len(columns), 1), max(len(noises), 1), size=(2.8, 3.2), squeeze=False, sharex="col", sharey="row"
    )
    for column, (eps, part) in zip(axes.T, columns, strict=False):
        for panel, sigma in zip(column, noises, strict=True):
            rows = where(main, eps=eps, sigma=sigma)
            _risks(panel, rows, part, "N", display, **SLENDER)
            if part == PARTS[0]:
                _other_settings(panel, table, {"eps": eps, "sigma": sigma})
                if sigma > 0:
                    guide(panel, styles.working(rows), "N", -2.0, "slope $N^{-2}$")
            panel.set_title(rf"$\sigma={sigma:g}$, $\varepsilon={eps:g}$: {part}")
    for panel in axes.ravel():
        log_scale(panel)
        decades(panel)
        panel.tick_params(labelbottom=True)
        panel.set_xlabel(N)
    for panel in axes[:, 0]:
        panel.set_ylabel(RISK)
    legend_below(figure, axes.ravel(), 4, styles.with_budget(main, POINTS))
    return figure


def _other_settings(axes: Axes, table: pd.DataFrame, at: dict[str, float]) -> None:
    """Draws medians of the paper's methods under each variant, with one line style for each variant."""
    # Without more trials of the same settings, which would lie on the curves.
    others = [variant for variant in figures.variants_of(table)[1:] if MORE not in variant]
    table = table[table["series"].isin([*styles.OWN, PROSE_QUANTILE])]
    for variant, dash in zip(others, DASHES, strict=False):
        rows = where(table, variant=variant)
        names = in_order(rows["series"])
        here = where(rows, **at)
        for name in in_order(here["series"]):
            curve = where(here, series=name)
            figures.thin_curve(
                axes,
                curve.assign(mean=curve["median"]),
                "N",
                color=styles.look(name)["color"],
                linestyle=dash,
                alpha=1.0,
            )
        if len(here):
            label = f"{variant} ({', '.join(map(label_of, names))})"
            axes.plot([], [], color=GREY, linestyle=dash, linewidth=0.9, label=label)


def _risks(axes: Axes, rows: pd.DataFrame, part: str, x: str, display: dict[str, Any], **style: Any) -> None:
    """Draws the risks of a part of the methods and of the estimate 0; beside the paper's, that of OLS and the bound."""
    shown = styles.part_of(rows, part)
    for name in in_order(shown["series"]):
        risk_curve(axes, where(shown, series=name), x, **style)
    if part == PARTS[0]:
        styles.sampling_lines(axes, rows, x, display.get("published", {}))
    styles.trivial_line(axes)


def draw_risk_vs_sigma(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the risk against sigma, plain and in units of the risk of OLS, and by the number of DP-STAT's levels.

    The paper's methods stand left, others in the middle; sigma = 0 is drawn left of a cut in the axis.
    """
    figure, axes = panels(3, 2, size=(3.7, 3.6), squeeze=False, sharey="row")
    levels, spare = axes[:, 2]
    spare.set_visible(False)
    noises = values_of(table, "sigma")
    zero = min((sigma for sigma in noises if sigma > 0), default=1.0) / GAP
    placed = styles.risks_of(table).assign(place=table["sigma"].where(table["sigma"] > 0, zero))
    main = select(placed)
    for (risk, ratio), part in zip(axes[:, :2].T, PARTS, strict=True):
        shown = styles.part_of(main, part)
        for name in in_order(shown["series"]):
            _in_two_parts(risk, where(shown, series=name))
        _ratios_to_ols(ratio, shown[shown["sigma"] > 0], display if part == PARTS[0] else {})
        risk.set_title(part)
        ratio.set_title(f"{part}, in units of the risk of OLS")
        styles.trivial_line(risk)
    styles.sampling_lines(axes[0, 0], main, "sigma", display.get("published", {}))
    _by_levels(levels, where(placed, series=AMBSSGD))
    positive = [sigma for sigma in noises if sigma > 0]
    for panel in (*axes[:, :2].flat, levels):
        log_scale(panel)
        _noise_axis(panel, positive if panel in axes[1] else noises, zero)
    levels.set_title(r"DP-AMBSSGD: the floor $\Delta=B/2^L$")
    axes[0, 0].set_ylabel(RISK)
    axes[1, 0].set_ylabel(r"excess risk over $\sigma^2d/(2N)$")
    legend_below(figure, axes.flat, 4, styles.with_budget(main, POINTS))
    return figure


def _in_two_parts(axes: Axes, rows: pd.DataFrame, **style: Any) -> None:
    """Draws a curve for sigma > 0, and a separate point for sigma = 0."""
    risk_curve(axes, rows[rows["sigma"] > 0], "place", **style)
    risk_curve(axes, rows[rows["sigma"] == 0], "place", **(style | {"linestyle": "none"}))


def _ratios_to_ols(axes: Axes, rows: pd.DataFrame, display: dict[str, Any]) -> None:
    """Draws risks divided by that of OLS, because by the abstract private and non-private risks vanish together."""
    for name in in_order(rows["series"]):
        curve = where(rows, series=name).sort_values("sigma")
        unit = curve["sigma"] ** 2 * curve["d"] / (2 * curve["N"])
        middle, bars = styles.middle_of(curve)
        axes.errorbar(
            curve["sigma"], middle / unit, yerr=bars / unit.to_numpy(), label=label_of(name), **styles.look(name)
        )
    if not display:
        return
    axes.axhline(1.0, color=GREY, linewidth=0.8, label=r"$\sigma^2d/(2N)$: OLS in theory")
    if factor := display.get("published", {}).get("variance_factor"):
        label = rf"${factor:g}\sigma^2d/N$: first term of Theorem 3.7"
        axes.axhline(2 * factor, color="black", linestyle="-.", linewidth=1.0, label=label)


def _by_levels(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws DP-AMBSSGD by the number of doublings, and the law sigma^2 through its largest sigma."""
    for name, (color, marker) in zip(figures.variants_of(rows), LEVELS, strict=False):
        style = {"color": color, "marker": marker, "markerfacecolor": color}
        label = label_of(AMBSSGD) if name == "main" else f"{AMBSSGD}, {name}"
        _in_two_parts(axes, select(rows, name), label=label, **style)
    main = select(rows)
    guide(axes, main[main["sigma"] > 0], "sigma", 2.0, r"slope $\sigma^2$", last=True)


def _noise_axis(axes: Axes, noises: list[float], zero: float) -> None:
    """Labels the decades of the axis, and sigma = 0 left of a line that cuts the axis."""
    decades = [sigma for sigma in noises if sigma > 0 and abs(math.log10(sigma) % 1.0) < 1e-9]
    cut = 0.0 in noises
    if cut:
        axes.axvline(zero * math.sqrt(GAP), color="black", linestyle="-", linewidth=0.7)
    axes.xaxis.set_major_locator(FixedLocator([zero] * cut + decades))
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda x, _: "0" if cut and x < 1.01 * zero else figures.plain_number(x))
    )
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(styles.SIGMA)


def draw_risk_vs_eps(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the risk against epsilon, a row for each sigma, the paper's methods left, and marks where privacy is free.

    The paper calls privacy free where the privacy term is at most the statistical one.
    """
    main = select(table)
    noises = sorted(values_of(main, "sigma"), reverse=True)
    figure, axes = panels(len(PARTS), max(len(noises), 1), size=(5.6, 3.9), squeeze=False, sharex=True, sharey="row")
    for row, sigma in zip(axes, noises, strict=False):
        for panel, part in zip(row, PARTS, strict=True):
            rows = where(main, sigma=sigma)
            _risks(panel, rows, part, "eps", display)
            if part == PARTS[0]:
                guide(panel, styles.working(rows), "eps", -2.0, r"slope $\varepsilon^{-2}$")
                _free_from(panel, rows)
            panel.set_title(", ".join([rf"$\sigma={sigma:g}$", *styles.common_sizes(rows)]) + f": {part}")
    for panel in axes.ravel():
        log_scale(panel)
        panel.tick_params(labelbottom=True)
        panel.set_xlabel(styles.EPS)
    for panel in axes[:, 0]:
        panel.set_ylabel(RISK)
    legend_below(figure, axes.flat, 4, styles.with_budget(main, POINTS))
    return figure


def _free_from(axes: Axes, rows: pd.DataFrame) -> None:
    """Marks the epsilon at which sigma^2 d / N equals sigma^2 d^2 / (eps N)^2, without and with log(1/delta) log^2 N.

    The logarithms are those of the reading of O~ by which the claim is judged, so that a point is judged right of a line.
    """
    if len(rows) and rows["N"].nunique() == 1:
        row = rows.iloc[0]
        free = math.sqrt(row["d"] / row["N"])
        figures.vertical(axes, free, r"$\sqrt{d/N}$", height=0.6)
        logs = math.sqrt(math.log(1 / row["delta"])) * math.log(row["N"])
        figures.vertical(axes, free * logs, r"$\sqrt{d\,\ln(1/\delta)/N}\,\ln N$")
