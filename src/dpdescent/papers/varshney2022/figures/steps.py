"""Figures of varshney2022 on steps and bounds: DP-SSGD, Lemmas 3.5 and 3.11 beside runs, and two step sizes."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpdescent.papers.varshney2022.figures.styles import (
    MEANS,
    OURS,
    RISK,
    SINGLE,
    TRIVIAL,
    D,
    T,
    budget,
    decades,
    look,
    marks,
    sampling_lines,
    text_of,
    trivial_line,
    with_budget,
)
from dpdescent.replication.drawing.figures import (
    BLUE,
    GREEN,
    GREY,
    MARKERS,
    ORANGE,
    PURPLE,
    VERMILION,
    legend_below,
    log_scale,
    panels,
    positive,
    scientific,
    select,
    shades,
    values_of,
    where,
)

PRACTICAL = "practical"
REGIME, COROLLARY, THEOREM, GRID, SMALL = "own regime", "Corollary 3.3", "Theorem 3.2", "grid", "small thresholds"
PRINTED = {COROLLARY: "step, threshold and noise of Corollary 3.3", THEOREM: "step and threshold of Theorem 3.2"}
ETA = r"step size $\eta$"
EXPECTED, PREDICTED = r"expected without clipping (exact)", r"$4\alpha^2\zeta^2\mathrm{Tr}\,H^{-1}/N+\sigma^2d/N$"
STEPS = {"Theorem 3.7": (BLUE, "o"), "Corollary 3.8": (VERMILION, "s")}
KINDS = {
    ("DP-AMBSSGD", "as run"): "DP-AMBSSGD as run", ("DP-AMBSSGD", "no clipping"): "DP-AMBSSGD, no clipping",
    (SINGLE, "no clipping"): "DP-SSGD, no clipping",
}  # fmt: skip
# Runs with the threshold's logarithms set to 1, by the kind of run with the threshold as printed.
WITHOUT_LOGS = {"no clipping": "no clipping, logs 1"}
BELOW = 0.32
# Marks of a setting: column, marker, colour and label.
MARKS = (
    ("expected", "x", "black", "expected (exact law)"),
    ("bound_without_logs", "<", ORANGE, "Lemma 3.11 with its logarithms set to 1"),
    ("bound", "D", VERMILION, "Lemma 3.11, Lemma 3.5 (DP-SSGD), as printed"),
)


def draw_ssgd(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws DP-SSGD in its own regime and with the printed parameters, and over steps and thresholds by epsilon.

    Small thresholds have a panel of their own.
    """
    # DP-SSGD only, because the table also has runs without privacy, for Remark (i) after Theorem 3.2.
    main = where(select(table), series=SINGLE)
    main = main.assign(step=main["step"].map(text_of))
    by_threshold = main[main["panel"].isin([REGIME, GRID, SMALL])]
    budgets = values_of(where(main, panel=GRID), "eps")[:4]
    figure, axes = panels(4, 2, size=(2.8, 3.6), squeeze=False)
    regime, corollary, theorem, small = axes[0]
    factors = values_of(by_threshold, "zeta_factor")
    colors = dict(zip(factors, shades(len(factors)), strict=True))
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
        trivial_line(panel)
        log_scale(panel)
        decades(panel)
    for panel in axes[:, 0]:
        panel.set_ylabel(RISK)
    _by_construction(theorem, where(main, panel=THEOREM))
    for panel, part in ((corollary, COROLLARY), (theorem, THEOREM)):
        panel.set_title("\n".join(each for each in (PRINTED[part], budget(where(main, panel=part), span=True)) if each))
    legend_below(figure, [small, axes[1, 0], *used], 4, MEANS)
    return figure


def _by_construction(axes: Axes, rows: pd.DataFrame) -> None:
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
        own = where(rows, zeta_factor=factor).sort_values("eta")
        if not len(own):
            continue
        fixed, practical = own[own["step"] != PRACTICAL], own[own["step"] == PRACTICAL]
        _measured(
            axes, fixed, "eta", rf"$\zeta={factor:g}$ $(\mathrm{{Tr}}\,H\cdot(1+\sigma^2))^{{1/2}}$", color, marker
        )
        axes.errorbar(
            practical["eta"], practical["mean"], yerr=practical["se"], color=color, marker="*", markersize=12,
            linestyle="none", markeredgecolor="black", markeredgewidth=0.5,
        )  # fmt: skip
        _expected(axes, own, "eta", color)
        for value in positive(own, "predictor")["predictor"].head(1):
            axes.axhline(value, color=color, linestyle=":", linewidth=1.1)
    if len(rows):
        axes.plot([], [], "*", color=GREY, markersize=12, markeredgecolor="black", label="the practical step")
        axes.plot([], [], color=GREY, linestyle=":", label=PREDICTED)
        axes.set_title(_setting(rows))
    axes.set_xlabel(ETA)


def _over_dimension(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the risk with printed parameters against the dimension, one curve for each number of records."""
    sizes = values_of(rows, "N")
    for size, color, marker in zip(sizes, (PURPLE, GREEN, BLUE, ORANGE), MARKERS, strict=False):
        own = where(rows, N=size).sort_values("d")
        _measured(axes, own, "d", rf"printed, $N={scientific(size)}$", color, marker)
        _expected(axes, own, "d", color)
    axes.set_xlabel(D)


def _measured(axes: Axes, rows: pd.DataFrame, x: str, label: str, color: str, marker: str) -> None:
    """Draws means with standard errors and a shade from the 10 % to the 90 % quantile.

    Risks that are not finite are left out.
    """
    rows = positive(rows)
    if len(rows):
        axes.errorbar(rows[x], rows["mean"], yerr=rows["se"], color=color, marker=marker, linewidth=1.0, label=label)
        axes.fill_between(rows[x], rows["q10"], rows["q90"], color=color, alpha=0.13, linewidth=0)


def _expected(axes: Axes, rows: pd.DataFrame, x: str, color: str) -> None:
    """Marks the expected risk without clipping, except where it is far above the measured risks."""
    rows = positive(rows, "expected")
    highest = 1e3 * max(rows["mean"].max(), 1.0) if len(rows) else 0.0
    rows = rows[rows["expected"] < highest]
    if len(rows):
        marks(axes, rows[x], rows["expected"], "x", EXPECTED, color=color, markersize=7, zorder=5)


def _setting(rows: pd.DataFrame) -> str:
    """Returns the label of the settings that are the same in all rows."""
    fixed = [rf"${name}={scientific(rows[name].iloc[0])}$" for name in ("N", "d") if rows[name].nunique() == 1]
    return ", ".join(each for each in [*fixed, budget(rows)] if each)


def draw_bound_vs_run(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws measured risk, exact expectation and the lemmas' bounds, with panels by kind of run, lines by setting."""
    main = select(table)
    cells = main[["sigma", "N", "d"]].drop_duplicates().sort_values(["sigma", "N", "d"], ascending=[False, True, True])
    names = [rf"$\sigma={s:g}$, $N={scientific(n)}$, $d={d:g}$" for s, n, d in cells.itertuples(index=False)]
    places = {cell: place for place, cell in enumerate(cells.itertuples(index=False, name=None))}
    height = 1.6 + 0.42 * len(names)
    figure, axes = panels(len(KINDS), size=(4.6, height), squeeze=False, sharey=True)
    for panel, ((algorithm, kind), title) in zip(axes[0], KINDS.items(), strict=True):
        rows = where(main, algorithm=algorithm)
        keys = zip(rows["sigma"], rows["N"], rows["d"], strict=True)
        rows = rows.assign(place=[places[key] for key in keys])
        without = where(rows, kind=WITHOUT_LOGS.get(kind, ""))
        _beside_bounds(panel, where(rows, kind=kind), algorithm)
        _beside_bounds(panel, without.assign(place=without["place"] + BELOW), algorithm, without_logs=True)
        panel.axvline(TRIVIAL, color="black", linestyle=(0, (1, 1)), linewidth=1.0, label="trivial estimate 0: 1/2")
        log_scale(panel, "x")
        panel.grid(visible=False, axis="y")
        panel.set(title=title, xlabel=RISK, ylim=(max(len(names), 1) - 0.5, -0.5))
    axes[0, 0].set_yticks(range(len(names)), names)
    legend_below(figure, axes[0], 3, with_budget(main, "points: mean with standard error; thick: 10 % to 90 %"))
    return figure


def _beside_bounds(axes: Axes, rows: pd.DataFrame, algorithm: str, without_logs: bool = False) -> None:
    """Draws the marks of all settings, with a line from the measured risk to the largest bound."""
    if not len(rows):
        return
    largest = rows[["mean", "bound", "bound_without_logs"]].max(axis=1)
    axes.hlines(rows["place"], rows["mean"], largest, color=GREY, linewidth=0.7)
    color = look(algorithm)["color"]
    axes.hlines(rows["place"], rows["q10"], rows["q90"], color=color, alpha=0.35, linewidth=6)
    # In front of the bounds, which may be close to it, and behind the exact law.
    style = {"color": color, "marker": look(algorithm)["marker"], "linestyle": "none", "zorder": 3.5}
    style |= {"markerfacecolor": "white"} if without_logs else {}
    label = f"measured, {algorithm}" + (r", $\log^aN$ in the threshold set to 1" if without_logs else "")
    axes.errorbar(rows["mean"], rows["place"], xerr=rows["se"], label=label, **style)
    for column, marker, color, label in MARKS:
        shown = positive(rows, column)
        if len(shown):
            zorder = 4 if column == "expected" else 3
            marks(axes, shown[column], shown["place"], marker, label, color=color, zorder=zorder)


def draw_step_size(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws risk and bias against the number of iterations by step size, with columns by dimension and rows by N."""
    main = select(table)
    dimensions, sizes = values_of(main, "d")[:4], values_of(main, "N")
    figure, axes = panels(max(len(dimensions), 1), max(len(sizes), 1), size=(4.6, 3.3), squeeze=False, sharey=True)
    for row, size in zip(axes, sizes, strict=False):
        for panel, d in zip(row, dimensions, strict=True):
            rows = where(main, N=size, d=d)
            for step, (color, marker) in STEPS.items():
                _by_iterations(panel, where(rows, step=step).sort_values("T"), step, color, marker)
            sampling_lines(panel, rows, "T", display.get("published", {}))
            panel.set_title(rf"$d={d:g}$, $N={scientific(size)}$")
    for panel in axes.ravel():
        trivial_line(panel)
        log_scale(panel)
        panel.set_xlabel(T)
    for row in axes:
        row[0].set_ylabel(RISK)
    dashed = axes[0, 0].add_line(Line2D([], [], color=GREY, linestyle="--"))
    dashed.set_label("bias: exact, without noise and clipping")
    points = f"{OURS}; points: mean with standard error; shade: 10 % to 90 %"
    legend_below(figure, axes.ravel(), 3, with_budget(main, points))
    return figure


def _by_iterations(axes: Axes, rows: pd.DataFrame, step: str, color: str, marker: str) -> None:
    formula = {"Theorem 3.7": r"$\eta=b/(R_x^2+(b-1)\|H\|)$", "Corollary 3.8": r"$\eta=1/(4d)$"}[step]
    _measured(axes, rows, "T", f"{step}: {formula}", color, marker)
    _expected(axes, rows, "T", color)
    # The column `bias` is relative to the risk of the start, which is the trivial risk.
    bias = TRIVIAL * rows["bias"]
    low = max(1e-12, rows["mean"].min() / 10) if len(rows) else 0.0
    axes.plot(rows["T"], bias.where(bias > low), color=color, linestyle="--", linewidth=0.9)
