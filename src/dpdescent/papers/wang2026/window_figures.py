"""The figure of wang2026 on the terms of Theorem 4.1 inside its window."""

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.wang2026.criteria import run_of
from dpdescent.papers.wang2026.rates import largest_width
from dpdescent.papers.wang2026.setting import BY_BATCHES, BY_NOISE, EMPIRICAL, POPULATION
from dpdescent.papers.wang2026.styles import (
    BARS,
    EPS,
    ETA,
    KAPPA,
    MARKERS,
    B,
    D,
    M,
    N,
    T,
    by_values,
    curve,
    finish,
    guide,
    in_rows,
    legend_inside,
    value_ticks,
)
from dpdescent.replication.drawing.figures import log_scale, positive, select, shades, values_of, where

GAMMA, RESIDUE = r"NTK margin $\gamma$", r"$1-\lambda$"
NAMES = {
    "eta": ETA, "kappa": KAPPA, "lam": r"$\lambda$", "T": T, "B": B, "m": M, "d": D, "n": N, "gamma": GAMMA,
    "residue": RESIDUE, "eps": EPS,
}  # fmt: skip
SYMBOLS = {"eta": r"\eta", "kappa": r"\kappa", "lam": r"\lambda"}
LABELS = {
    EMPIRICAL: "averaged empirical risk", POPULATION: "averaged population risk", BY_NOISE: "changed by noise",
    BY_BATCHES: "changed by batches", "projected": "steps projected, %",
}  # fmt: skip


@dataclass(frozen=True)
class Sweep:
    """A panel of the window, by what it shows.

    Attributes:
        x: the axis.
        hue: the column that has a colour.
        series: the series that is drawn.
        slope: slope of the claimed power; NaN where none is drawn.
        words: the claimed power in words.
    """

    x: str
    hue: str
    series: str
    slope: float = math.nan
    words: str = ""


SWEEPS = {
    "iterations": Sweep("T", "eta", EMPIRICAL, -1.0, r"slope $-1$"),
    "long runs": Sweep("T", "lam", EMPIRICAL, -1.0, r"slope $-1$"),
    "small batches": Sweep("T", "eta", EMPIRICAL, -0.5, r"slope $-1/2$"),
    "margin": Sweep("gamma", "eta", EMPIRICAL, -2.0, r"slope $-2$"),
    "batches": Sweep("B", "eta", BY_BATCHES, -0.5, r"slope $-1/2$"),
    "multiplier": Sweep("kappa", "lam", BY_NOISE, 1.0, r"slope 1"),
    "correlation": Sweep("residue", "kappa", BY_NOISE, 1.0, r"slope 1"),
    "batch size": Sweep("B", "lam", BY_NOISE, -1.0, r"slope $-1$"),
    "steps": Sweep("T", "lam", BY_NOISE, -0.5, r"slope $-1/2$"),
    "noise by width": Sweep("m", "lam", BY_NOISE, 1.0, r"slope 1"),
    "noise by dimension": Sweep("d", "lam", BY_NOISE, 1.0, r"slope 1"),
    "width": Sweep("m", "eta", EMPIRICAL),
    "wide networks": Sweep("m", "kappa", "projected"),
    "records": Sweep("n", "lam", POPULATION),
}  # fmt: skip


def draw_ext_window(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the quantities that the terms of Theorem 4.1's bound limit, one panel for each axis of the bound."""
    main = select(table)
    names = [name for name in SWEEPS if name in (display.get("cells") or dict.fromkeys(SWEEPS))]
    figure, axes = in_rows(len(names), (4.2, 3.2))
    for panel, name in zip(axes, names, strict=False):
        _sweep(panel, where(main, panel=name), name, SWEEPS[name])
    claim = "sloping lines: the powers that Theorem 4.1 has, without its logarithms, through a first point"
    finish(figure, axes, 4, claim, BARS)
    return figure


def _sweep(axes: Axes, rows: pd.DataFrame, name: str, sweep: Sweep) -> None:
    rows = rows.assign(residue=1.0 - rows["lam"])
    if sweep.series == "projected":
        shown = where(rows[rows["kappa"] > 0], series=EMPIRICAL)
        shown = shown.assign(mean=100.0 * shown["projected"], se=0.0)
    else:
        shown = positive(where(rows, series=sweep.series))
        # The largest step alone is drawn where the colour stands for something else.
        shown = shown if sweep.hue == "eta" else shown[shown["eta"] == shown["eta"].max()]
    if sweep.hue == "lam" and sweep.x != "kappa":
        # Only noisy runs are drawn, because without noise there is no correlation.
        shown = shown[shown["kappa"] == shown["kappa"].max()]
    hues = values_of(shown, sweep.hue)
    colors = shades(len(hues))
    for rank, ((value,), own) in enumerate(by_values(shown, sweep.hue)):
        style = {"color": colors[rank], "marker": MARKERS[rank % len(MARKERS)]}
        curve(axes, own, sweep.x, rf"${SYMBOLS[sweep.hue]}={value:g}$", **style)
    if not math.isnan(sweep.slope) and len(hues):
        guide(axes, where(shown, **{sweep.hue: hues[-1]}), sweep.x, sweep.slope, f"claimed: {sweep.words}")
    legend_inside(axes)
    if sweep.series == "projected":
        for color, (_, own) in zip(colors, by_values(shown, sweep.hue), strict=True):
            _limit(axes, own, color)
    log_scale(axes, "x" if sweep.series == "projected" else "xy")
    if sweep.x != "gamma":
        value_ticks(axes, values_of(shown, sweep.x))
    axes.tick_params(axis="x", labelsize=7.5)
    axes.set(title=name, xlabel=NAMES[sweep.x], ylabel=LABELS.get(sweep.series, sweep.series))


def _limit(axes: Axes, rows: pd.DataFrame, color: str) -> None:
    """Marks Theorem 4.1's upper limit on the width with constants 1 and without logarithms."""
    run = run_of(rows.iloc[-1])
    style: dict[str, Any] = {"color": color, "linestyle": "-.", "linewidth": 1.0}
    if run is not None:
        axes.axvline(largest_width(run), label="largest width admitted", **style)
