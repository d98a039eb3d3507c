"""Figure of varshney2022 on DP-SSGD in its own regime, with printed parameters, and over steps and thresholds."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.varshney2022 import styles
from dpdescent.papers.varshney2022.setting import SSGD
from dpdescent.papers.varshney2022.ssgd import COROLLARY, PRACTICAL, THEOREM
from dpdescent.papers.varshney2022.styles import POINTS, RISK, TRIVIAL, D, budget, decades, expected_marks, measured
from dpdescent.replication.drawing import figures
from dpdescent.replication.drawing.figures import BLUE, GREEN, GREY, MARKERS, ORANGE, scientific, values_of, where

REGIME, GRID, SMALL = "own regime", "grid", "small thresholds"
PRINTED = {COROLLARY: "step, threshold and noise of Corollary 3.3", THEOREM: "step and threshold of Theorem 3.2"}
ETA = r"step size $\eta$"
PREDICTED = r"$4\alpha^2\zeta^2\mathrm{Tr}\,H^{-1}/N+\sigma^2d/N$"


def draw_ssgd(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the risk of DP-SSGD in its own regime, with printed parameters, and over steps and thresholds by epsilon.

    Small thresholds have a panel of their own.
    """
    # DP-SSGD only, because the table also has runs without privacy, for Remark (i) after Theorem 3.2.
    main = where(figures.select(table), series=SSGD)
    main = main.assign(step=main["step"].map(styles.text_of))
    by_threshold = main[main["panel"].isin([REGIME, GRID, SMALL])]
    budgets = values_of(where(main, panel=GRID), "eps")[:4]
    figure, axes = figures.panels(4, 2, size=(2.8, 3.6), squeeze=False)
    regime, corollary, theorem, small = axes[0]
    factors = values_of(by_threshold, "zeta_factor")
    colors = dict(zip(factors, figures.shades(len(factors)), strict=True))
    _over_steps(regime, where(main, panel=REGIME), colors)
    _over_dimension(corollary, where(main, panel=COROLLARY))
    _over_dimension(theorem, where(main, panel=THEOREM))
    _over_steps(small, where(main, panel=SMALL), colors)
    small.set_title(f"{small.get_title()}: {SMALL}")
    for panel, eps in zip(axes[1], budgets, strict=False):
        _over_steps(panel, where(main, panel=GRID, eps=eps), colors)
    used = [*axes[0], *axes[1, : max(len(budgets), 1)]]
    for panel in axes.flat:
        panel.set_visible(panel in used)
    for panel in used:
        styles.trivial_line(panel)
        figures.log_scale(panel)
        decades(panel)
    for panel in axes[:, 0]:
        panel.set_ylabel(RISK)
    _by_construction(theorem, where(main, panel=THEOREM))
    for panel, part in ((corollary, COROLLARY), (theorem, THEOREM)):
        panel.set_title("\n".join(filter(None, (PRINTED[part], budget(where(main, panel=part), span=True)))))
    figures.legend_below(figure, [small, axes[1, 0], *used], 4, POINTS)
    return figure


def _by_construction(axes: Axes, rows: pd.DataFrame) -> None:
    """Writes into the panel of Theorem 3.2 that its risks cannot differ from the trivial one."""
    # At least a decade, because the printed step hardly moves the iterate and tiny differences would fill the panel.
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, TRIVIAL / 5), max(high, 2 * TRIVIAL))
    if len(rows):
        words = "by construction at\nthese $N$: the printed\nstep hardly moves\nfrom the estimate 0"
        axes.text(0.5, 0.35, words, transform=axes.transAxes, ha="center", va="center", fontsize=9)


def _over_steps(axes: Axes, rows: pd.DataFrame, colors: dict[float, str]) -> None:
    """Draws the risk against the step size, one curve for each threshold.

    Stars are the practical step, crosses the expected risk without clipping.
    """
    for (factor, color), marker in zip(colors.items(), MARKERS * len(colors), strict=False):
        curve = where(rows, zeta_factor=factor).sort_values("eta")
        if not len(curve):
            continue
        fixed, practical = curve[curve["step"] != PRACTICAL], curve[curve["step"] == PRACTICAL]
        measured(
            axes, fixed, "eta", rf"$\zeta={factor:g}$ $(\mathrm{{Tr}}\,H\cdot(1+\sigma^2))^{{1/2}}$", color, marker
        )
        axes.errorbar(
            practical["eta"], practical["mean"], yerr=practical["se"], color=color, marker="*", markersize=12,
            linestyle="none", markeredgecolor="black", markeredgewidth=0.5,
        )  # fmt: skip
        expected_marks(axes, curve, "eta", color)
        for value in figures.positive(curve, "predictor")["predictor"].head(1):
            axes.axhline(value, color=color, linestyle=":", linewidth=1.1)
    if len(rows):
        axes.plot([], [], "*", color=GREY, markersize=12, markeredgecolor="black", label="the practical step")
        axes.plot([], [], color=GREY, linestyle=":", label=PREDICTED)
        axes.set_title(", ".join(filter(None, [*styles.common_sizes(rows), budget(rows)])))
    axes.set_xlabel(ETA)


def _over_dimension(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the risk with printed parameters against the dimension, one curve for each number of records."""
    sizes = values_of(rows, "N")
    for size, color, marker in zip(sizes, (figures.PURPLE, GREEN, BLUE, ORANGE), MARKERS, strict=False):
        curve = where(rows, N=size).sort_values("d")
        measured(axes, curve, "d", rf"printed, $N={scientific(size)}$", color, marker)
        expected_marks(axes, curve, "d", color)
    axes.set_xlabel(D)
