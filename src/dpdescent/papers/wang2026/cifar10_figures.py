"""Figures of wang2026 that repeat Figure 1 on CIFAR-10: accuracy against the correlation, and step sizes."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dpdescent.papers.wang2026.figure_1_figures import (
    BATCHES,
    CLAIM,
    SHAPES,
    accuracies,
    by_batches,
    runs_caption,
)
from dpdescent.papers.wang2026.styles import (
    EPS,
    ETA,
    by_values,
    curve,
    finish,
    in_order,
    label_of,
    lam_color,
    percent,
    sizes,
    spaced,
    value_ticks,
)
from dpdescent.replication.drawing.figures import panels, select, values_of, variants_of, where

HELD_OUT = "held-out accuracy, %"


def draw_fig01_cifar10(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws accuracy and paired gain on CIFAR-10 against lambda, by epsilon and by batches."""
    figure, axes = panels(2, 2, size=(6.4, 3.8), squeeze=False)
    accuracies(axes[0, 0], axes[1, 0], table, linear=True)
    by_batches(axes[0, 1], axes[1, 1], table, linear=True)
    finish(figure, axes.T.ravel(), 4, CLAIM, runs_caption(table))
    return figure


def draw_fig01_cifar10_rates(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws held-out accuracy against the step size, a curve for each lambda; by accountant and epsilon."""
    rows = percent(table)
    shown = [(name, eps) for name in variants_of(rows) for eps in values_of(where(rows, variant=name), "eps")]
    figure, axes = panels(max(len(shown), 1), size=(3.4, 3.8), squeeze=False)
    axes[0, 0].set(xlabel=ETA, ylabel=HELD_OUT)
    for axis, (name, eps) in zip(axes[0], shown, strict=False):
        own = where(rows, variant=name, eps=eps)
        for rank, ((lam,), steps) in enumerate(by_values(own, "lam")):
            # Markers too, because colours of the largest lambdas are one.
            style = {"color": lam_color(lam), "marker": SHAPES[rank % len(SHAPES)]}
            curve(axis, steps, "eta", rf"$\lambda={lam:g}$", **style)
        axis.set_xscale("log")
        tried = values_of(own, "eta")
        value_ticks(axis, spaced(tried, np.log(tried), 0.12))
        names = [BATCHES.get(accountant, label_of(accountant)) for accountant in in_order(own["accountant"])[-1:]]
        axis.set(title=f"{EPS} = {eps:g}\n{names[0]}", xlabel=ETA, ylabel=HELD_OUT)
    finish(figure, axes[0], 9, sizes(select(rows), "n", "T", "r", "delta", "C_clip"))
    return figure
