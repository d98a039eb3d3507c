"""Figures of wang2026 on the risk, and on its bound, against the correlation of the noise."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.wang2026.arms import INDEPENDENT_OF
from dpdescent.papers.wang2026.setting import GAIN, POPULATION
from dpdescent.papers.wang2026.styles import (
    BARS,
    EPS,
    GAIN_LABEL,
    best,
    by_accountant,
    curve,
    finish,
    hollow_in_legend,
    in_order,
    joined,
    label_of,
    lam_axis,
    look,
    panels_in,
    sizes,
    star_in_legend,
    zero_line,
)
from dpdescent.replication.drawing.figures import (
    GREY,
    log_scale,
    panels,
    positive,
    select,
    thin_curve,
    values_of,
    variants_of,
    vertical,
    where,
)

# Line styles of variants; plain dashes are not among them, because they mean that there is no guarantee.
DASHES: tuple[Any, ...] = ((0, (1, 1)), (0, (5, 1, 1, 1)), (0, (3, 1, 1, 1, 1, 1)), (0, (1, 2.5)))
# The epsilons that have panels where there are many.
SHOWN = (1.0, 8.0)
# Largest number of panels in a row.
WIDE = 5
SECTION = r"Sec. 5.1: Theorem F.12's $\kappa$ offsets what $\lambda$ gains at fixed $\kappa$; sharper accounts may not"
TERMS = ("linear", "quadratic", "total")
TERM_TITLES = {
    "linear": r"term linear in $(1-\lambda)\kappa$",
    "quadratic": r"term $((1-\lambda)^2+\lambda^2\eta)\,\eta\kappa^2md/B^2$", "total": "whole bound",
}  # fmt: skip


def draw_kan_lambda(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws population risk and paired gain against lambda, panels by epsilon and one curve for each accountant."""
    return _by_accountants(table, display, (3.4, 3.1))


def draw_kan_lambda_fashion(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws population risk and paired gain against lambda on pairs of Fashion-MNIST classes, one row for each pair."""
    return _by_accountants(table, display, (4.2, 3.3))


def _by_accountants(table: pd.DataFrame, display: dict[str, Any], size: tuple[float, float]) -> Figure:
    layout = _layout(select(table), display) or [[("", 1.0, POPULATION)]]
    # Variants have rows of their own, because thin lines would be hidden by the curves of the main setting.
    others = _layout(table[table["variant"] != "main"], display)
    rows = [(places, "") for places in layout]
    rows += [(places, name) for places in others for name in _with_variants(table)]
    figure, axes = panels(max(len(places) for places, _ in rows), len(rows), size=size, squeeze=False)
    for row, (places, accountant) in zip(axes, rows, strict=True):
        for panel in row[len(places) :]:
            panel.set_visible(False)
        for panel, place in zip(row, places, strict=False):
            _draw_panel(panel, table, *place, accountant)
    star_in_legend(axes[0, 0])
    hollow_in_legend(axes[0, 0], table)
    values = sizes(select(table), "n", "B", "m", "d", "delta", "C_clip")
    caption = joined(values, f"{BARS}; gains are of runs with the same seed", by="; ")
    finish(figure, [panel for panel in axes.ravel() if panel.get_visible()], 4, SECTION, caption)
    return figure


def _with_variants(rows: pd.DataFrame) -> list[str]:
    """Accountants of the variants; each has a row of panels, because two by four curves would cover each other."""
    others = rows[rows["variant"] != "main"]
    lambdas = others.groupby("accountant")["lam"].nunique()
    return in_order(lambdas.index[lambdas > 1])


def _layout(rows: pd.DataFrame, display: dict[str, Any]) -> list[list[tuple[str, float, str]]]:
    """Returns rows of panels: risks above gains where there are many epsilons, beside each other where there are few."""
    layout = []
    for name in panels_in(rows, display):
        budgets = values_of(where(rows, panel=name), "eps")
        if len(budgets) > len(SHOWN):
            # Of many epsilons a small and a large one have panels, which variants have too; the table has the others.
            budgets = [eps for eps in budgets if eps in SHOWN] or budgets
        if 2 * len(budgets) <= WIDE:
            layout.append([(name, eps, series) for eps in budgets for series in (POPULATION, GAIN)])
        else:
            layout += [[(name, eps, series) for eps in budgets] for series in (POPULATION, GAIN)]
    return layout


def _draw_panel(axes: Axes, table: pd.DataFrame, name: str, eps: float, series: str, compared: str) -> None:
    """Draws the main setting by accountant, or one accountant alone (`compared`) with its variants."""
    rows = where(table, panel=name, eps=eps, series=series)
    if compared:
        rows = rows[rows["accountant"].isin({compared, INDEPENDENT_OF.get(compared, compared)})]
    main = select(rows)
    by_accountant(axes, main, "lam")
    smallest = []
    for accountant in in_order(main["accountant"]) if series == POPULATION else []:
        # The tail's curve begins at the least independent noise that is proved for its batches, which has a point alone.
        compared_with = {accountant, INDEPENDENT_OF.get(accountant, accountant)}
        own = main[main["accountant"].isin(compared_with)]
        own = own[(own["lam"] > 0) | (own["accountant"] == INDEPENDENT_OF.get(accountant, accountant))]
        best(axes, own, "lam", look(accountant)["color"])
        # What another curve is compared with has one place, which is not the best of several.
        if accountant not in INDEPENDENT_OF.values() and own["mean"].notna().any():
            smallest.append(own["lam"].loc[own["mean"].idxmin()])
    if compared:
        _variants(axes, rows, variants_of(table)[1:])
    lam_axis(axes, values_of(where(table, panel=name), "lam"), room=0.14)
    suffix = f"\nvariants, {label_of(compared).split(' (')[0]}" if compared else ""
    result = _largest_gain(rows) if series == GAIN else _best_lambdas(smallest)
    axes.set_title(f"{result}\n{joined(name, f'{EPS} = {eps:g}')}{suffix}".lstrip())
    if series == GAIN:
        zero_line(axes)
    axes.set_ylabel(GAIN_LABEL if series == GAIN else "population risk")


def _best_lambdas(smallest: list[float]) -> str:
    """The beginning of a title: where the stars lie; empty without stars."""
    ends = dict.fromkeys((f"{min(smallest):g}", f"{max(smallest):g}")) if smallest else {}
    return rf"best $\lambda$: {' to '.join(ends)}" if ends else ""


def _largest_gain(rows: pd.DataFrame) -> str:
    """The beginning of a title: the largest mean gain of the curves that are drawn; empty without any."""
    largest = rows["mean"].max()
    return "" if np.isnan(largest) else f"gain at most {largest:.2g}".replace("-", "\N{MINUS SIGN}")


def _variants(axes: Axes, rows: pd.DataFrame, names: list[str]) -> None:
    """Draws thin lines in the accountants' colours, with one line style for each variant."""
    for variant, dash in zip(names, DASHES, strict=False):
        for accountant in in_order(where(rows, variant=variant)["accountant"]):
            own = where(rows, variant=variant, accountant=accountant)
            thin_curve(axes, own, "lam", color=look(accountant)["color"], linestyle=dash, alpha=1.0)
        if len(where(rows, variant=variant)):
            axes.plot([], [], color=GREY, linestyle=dash, linewidth=0.9, label=f"thin: {variant}")


def draw_lambda_tradeoff(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws Theorem 4.1's expression by its terms, one row for each epsilon and one curve for each accountant.

    Stars are smallest values.
    """
    main = select(table)
    budgets = values_of(main, "eps") or [1.0]
    figure, axes = panels(len(TERMS), len(budgets), size=(5.2, 3.6), squeeze=False)
    for row, eps in zip(axes, budgets, strict=True):
        for panel, term in zip(row, TERMS, strict=True):
            # Rows without epsilon are in every panel, because a fixed multiplier has none.
            _bound(panel, where(main[(main["eps"] == eps) | main["eps"].isna()], term=term))
            panel.set_title(f"{EPS} = {eps:g}, {TERM_TITLES[term]}")
            panel.set_ylabel(r"$\mathcal{A}_\mathrm{corr}$, constants 1, no logs")
    _minimiser(axes[:, 1], display)
    star_in_legend(axes[0, 0], "star: smallest")
    hollow_in_legend(axes[0, 0], main)
    finish(figure, axes.ravel(), 4, SECTION, sizes(main, "n", "B", "T", "m", "d", "delta", "eta"))
    return figure


def _bound(axes: Axes, rows: pd.DataFrame) -> None:
    for name in in_order(rows["accountant"]):
        own = positive(where(rows, accountant=name)).sort_values("lam")
        curve(axes, own, "lam", label_of(name, own), **look(name))
        best(axes, own, "lam", look(name)["color"])
    log_scale(axes, "y")
    lam_axis(axes, values_of(rows, "lam"))


def _minimiser(column: "np.ndarray[Any, Any]", display: dict[str, Any]) -> None:
    """Marks the lambda at which the quadratic term is smallest at a fixed multiplier."""
    for eta in [cell["eta"] for cell in display.get("cells", {}).values() if np.isscalar(cell.get("eta"))][:1]:
        for panel in column:
            vertical(panel, 1 / (1 + eta), r"$1/(1+\eta)$", height=0.97)
