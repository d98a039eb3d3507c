"""The figure of wang2026 on noise multipliers by accountant."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.wang2026.styles import (
    EPS,
    KAPPA,
    by_accountant,
    finish,
    hollow_in_legend,
    in_order,
    joined,
    label_of,
    lam_axis,
    sizes,
    value_ticks,
)
from dpdescent.replication.drawing.figures import log_scale, panels, positive, scientific, select, values_of, where

# T, r and delta at which all accountants are computed, unless the configuration says otherwise.
FULL = (100, 0.1, 0.001)
CORRELATED = 0.5
# Accountants that the paper states. Panels have either these or the others, because more than six curves are too many.
STATED = ("F12x8", "F12x2", "D9", "RDP19", "F8")


def draw_kappa_tables(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws noise multipliers against lambda, plain and times 1 - lambda, and against epsilon and sampling rate."""
    figure, axes = panels(2, 4, size=(5.6, 3.1), squeeze=False)
    grid = where(select(table), panel="grid")
    T, r, delta = _setting(grid, display)
    main = where(grid, T=T, r=r, delta=delta)
    budgets = [eps for eps in (1.0, 8.0) if eps in values_of(main, "eps")] or values_of(main, "eps")[:2]
    for rank, (top, bottom) in enumerate(axes[:2].T):
        rows = where(main, eps=budgets[rank]) if rank < len(budgets) else main.iloc[:0]
        _against_lam(top, bottom, rows, f"{EPS} = {budgets[rank]:g}" if rank < len(budgets) else "")
    independent = where(main, lam=0.0)
    correlated = where(grid, delta=delta, lam=CORRELATED, T=T, eps=budgets[0] if budgets else 1.0)
    for (top, bottom), group in zip(axes[2:].T, ("the paper's", "others"), strict=True):
        _against_eps(top, _of_group(independent, group), group)
        _against_rate(bottom, _of_group(correlated, group), group)
    for row in axes[2:]:
        row[1].sharey(row[0])
    hollow_in_legend(axes[0, 0], main)
    place = rf"$T={T:g}$, $r={r:g}$ but where it varies; $\delta={scientific(delta)}$, zero-out unless said otherwise"
    finish(figure, axes.ravel(), 4, place, _note_on_simulated(where(grid, delta=delta)))
    return figure


def _of_group(rows: pd.DataFrame, group: str) -> pd.DataFrame:
    """Rows of the accountants that the paper states, or of the others."""
    stated = rows["accountant"].isin(STATED)
    return rows[stated if group == "the paper's" else ~stated]


def _note_on_simulated(rows: pd.DataFrame) -> str:
    """Returns a note on which multipliers come from Monte Carlo, with the largest relative standard error of delta."""
    simulated = rows[rows["delta_se"] > 0]
    if not len(simulated):
        return ""
    names = " and ".join(label_of(name).split(" (")[0] for name in in_order(simulated["accountant"]))
    share = 100 * (simulated["delta_se"] / simulated["delta_attained"]).max()
    return rf"by Monte Carlo, with a standard error of at most {share:.0f} % of $\delta$: {names}"


def _setting(rows: pd.DataFrame, display: dict[str, Any]) -> tuple[float, float, float]:
    """Returns T, r and delta as configured, or the most frequent ones if no row has the configured ones."""
    configured = tuple(display.get("arms", {}).get("full_f8", FULL))
    counts = rows.groupby(["T", "r", "delta"]).size()
    if not len(counts) or configured in counts.index:
        return configured
    T, r, delta = counts.index[int(np.argmax(counts.to_numpy()))]
    return T, r, delta


def _against_lam(top: Axes, bottom: Axes, rows: pd.DataFrame, title: str) -> None:
    scaled = rows.assign(mean=(1 - rows["lam"]) * rows["mean"])
    for panel, shown in ((top, rows), (bottom, scaled)):
        by_accountant(panel, positive(shown), "lam")
        log_scale(panel, "y")
        lam_axis(panel, values_of(rows, "lam"))
        panel.set_title(title)
    top.set_ylabel(KAPPA)
    bottom.set_ylabel(r"$(1-\lambda)\,\kappa$")


def _against_eps(axes: Axes, rows: pd.DataFrame, group: str) -> None:
    by_accountant(axes, positive(rows), "eps")
    log_scale(axes)
    value_ticks(axes, values_of(rows, "eps"))
    axes.set(title=rf"$\lambda=0$: {group}", xlabel=EPS, ylabel=KAPPA)


def _against_rate(axes: Axes, rows: pd.DataFrame, group: str) -> None:
    by_accountant(axes, positive(rows), "r")
    log_scale(axes)
    value_ticks(axes, values_of(rows, "r"))
    place = joined(rf"$\lambda={CORRELATED:g}$", sizes(rows, "T", "eps"))
    axes.set(title=f"{place}: {group}", ylabel=KAPPA)
    axes.set_xlabel("share of the records in a batch $r=B/n$")
