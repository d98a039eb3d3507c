"""Figures of wang2026 inside Theorem 4.1's window: its terms, the corollaries' rates, the lemmas of its proofs."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.wang2026.figures.styles import (
    ACCOUNTANTS,
    BARS,
    EMPIRICAL,
    EPS,
    ETA,
    POPULATION,
    D,
    M,
    N,
    T,
    curve,
    each,
    finish,
    guide,
    in_order,
    label_of,
    legend_inside,
    look,
    panels_in,
    sizes,
    vacuous_line,
    value_ticks,
)  # fmt: skip
from dpdescent.replication.drawing.figures import (
    BLUE,
    GREY,
    ORANGE,
    VERMILION,
    log_scale,
    panels,
    positive,
    scientific,
    select,
    shades,
    values_of,
    where,
)

MARKERS = "os^Dv<>P"
BY_NOISE, BY_BATCHES = "departure by noise", "departure by batches"
GAMMA, KAPPA, B, RESIDUE = r"NTK margin $\gamma$", r"noise multiplier $\kappa$", "batch size $B$", r"$1-\lambda$"
NAMES = {
    "eta": ETA, "kappa": KAPPA, "lam": r"$\lambda$", "T": T, "B": B, "m": M, "d": D, "n": N, "gamma": GAMMA,
    "residue": RESIDUE, "eps": EPS,
}  # fmt: skip
SYMBOLS = {"eta": r"\eta", "kappa": r"\kappa", "lam": r"\lambda"}


@dataclass(frozen=True)
class Sweep:
    """What a panel of the window shows.

    Attributes:
        x: the axis.
        hue: the column that has a colour.
        series: what is drawn.
        slope: of the claimed power; NaN where none is drawn.
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
COLUMNS = 3


def _grid(count: int, size: tuple[float, float]) -> tuple[Figure, list[Axes]]:
    """Returns a figure with so many panels in rows of three; those beyond are hidden."""
    figure, axes = panels(COLUMNS, max(1, math.ceil(count / COLUMNS)), size=size, squeeze=False)
    shown = list(axes.ravel())
    for panel in shown[max(count, 1) :]:
        panel.set_visible(False)
    return figure, shown[: max(count, 1)]


def draw_ext_window(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws what the terms of Theorem 4.1's bound cap, one panel for each axis of the bound."""
    main = select(table)
    names = [name for name in SWEEPS if name in (display.get("cells") or dict.fromkeys(SWEEPS))]
    figure, axes = _grid(len(names), (4.2, 3.2))
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
        # The largest step alone, where the colour stands for something else.
        shown = shown if sweep.hue == "eta" else shown[shown["eta"] == shown["eta"].max()]
    if sweep.hue == "lam" and sweep.x != "kappa":
        # With noise alone: without it there is no correlation.
        shown = shown[shown["kappa"] == shown["kappa"].max()]
    hues = values_of(shown, sweep.hue)
    colors = shades(len(hues))
    for rank, ((value,), own) in enumerate(each(shown, sweep.hue)):
        style = {"color": colors[rank], "marker": MARKERS[rank % len(MARKERS)]}
        curve(axes, own, sweep.x, _named(sweep.hue, value), **style)
    if not math.isnan(sweep.slope) and len(hues):
        guide(axes, where(shown, **{sweep.hue: hues[-1]}), sweep.x, sweep.slope, f"claimed: {sweep.words}")
    legend_inside(axes)
    if sweep.series == "projected":
        for color, (_, own) in zip(colors, each(shown, sweep.hue), strict=True):
            _limit(axes, own, color)
    log_scale(axes, "x" if sweep.series == "projected" else "xy")
    if sweep.x != "gamma":
        value_ticks(axes, values_of(shown, sweep.x))
    axes.tick_params(axis="x", labelsize=7.5)
    axes.set(title=name, xlabel=NAMES[sweep.x], ylabel=_label(sweep.series))


def _named(column: str, value: float) -> str:
    return rf"${SYMBOLS[column]}={value:g}$"


def _limit(axes: Axes, rows: pd.DataFrame, color: str) -> None:
    """Marks Theorem 4.1's upper limit on the width with constants 1 and without logarithms."""
    row = rows.iloc[-1]
    weight = row["T"] * ((1.0 - row["lam"]) ** 2 + row["lam"] ** 2 * row["eta"])
    room = row["B"] ** 2 / (row["eta"] * row["kappa"] * row["gamma"]) ** 2 / row["d"]
    style: dict[str, Any] = {"color": color, "linestyle": "-.", "linewidth": 1.0}
    axes.axvline(room * min(1.0, 1.0 / weight), label="largest width admitted", **style)


def _label(series: str) -> str:
    words = {
        EMPIRICAL: "averaged empirical risk", POPULATION: "averaged population risk", BY_NOISE: "changed by noise",
        BY_BATCHES: "changed by batches", "projected": "steps projected, %",
    }  # fmt: skip
    return words.get(series, series)


# The corollaries' panels: axis, claimed slope, its words.
RATES = {
    "Corollary 5.3": ("n", -0.5, r"slope $-1/2$"), "Corollary 5.5": ("n", -0.5, r"slope $-1/2$"),
    "Corollary 5.6": ("n", -1.0, r"slope $-1$"), "DP-GD": ("n", -1.0, r"slope $-1$"), "GD": ("n", -1.0, r"slope $-1$"),
    "epsilon": ("eps", -1.0, r"slope $-1$"), "dimension": ("d", 0.5, r"slope $1/2$"),
    "margin": ("gamma", math.nan, ""),
}  # fmt: skip


def draw_ext_window_rates(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws averaged population risks along the corollaries' prescriptions, one panel for each."""
    main = select(table)
    names = panels_in(main, display) or [""]
    figure, axes = _grid(len(names), (4.2, 3.4))
    for panel, name in zip(axes, names, strict=False):
        _rate(panel, where(main, panel=name, series=POPULATION), name)
    claim = r"Corollaries 5.3, 5.5: $1/(\gamma\sqrt{n})+\sqrt{d}/(\gamma^{4,3}n\varepsilon)$; 5.6: $1/(\gamma^2n)$"
    finish(figure, axes, 4, claim, BARS)
    return figure


def _rate(axes: Axes, rows: pd.DataFrame, name: str) -> None:
    x, slope, words = RATES.get(name.split(",")[0], ("n", math.nan, ""))
    noisy = rows[rows["kappa"] > 0]
    if x == "eps":
        for height in values_of(rows[rows["kappa"] == 0], "mean"):
            axes.axhline(height, color=GREY, linewidth=1.0, label="without noise")
    else:
        curve(axes, rows[rows["kappa"] == 0], x, "without noise", color=GREY, marker="x")
    for accountant in in_order(noisy["accountant"], ACCOUNTANTS):
        own = where(noisy, accountant=accountant)
        curve(axes, own, x, label_of(accountant), **look(accountant))
        if not math.isnan(slope):
            guide(axes, own, x, slope, f"claimed: {words}")
    if not len(noisy) and not math.isnan(slope):
        guide(axes, rows, x, slope, f"claimed: {words}")
    vacuous_line(axes)
    log_scale(axes)
    if x != "gamma":
        value_ticks(axes, values_of(rows, x), [scientific(each) for each in values_of(rows, x)] if x != "n" else None)
    axes.tick_params(axis="x", labelsize=7.5)
    axes.set(title=name, xlabel=NAMES[x], ylabel="averaged population risk")


OVER = ("over its bound", "over nu L", "over 4 beta L", "over e sum R_t")


def draw_ext_proof(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws every lemma's quantity over its bound, and the panels on gradients, far starts and neighbours."""
    main = select(table)
    figure, axes = panels(4, size=(5.6, 4.2), squeeze=False)
    ratios, gradients, far, neighbours = axes[0]
    _ratios(ratios, main)
    starts = main[main["panel"].isin(["starts, dimension", "starts, basis"])]
    for rank, (x, text) in enumerate((("d", "input dimension"), ("p", "number of basis functions"))):
        own, color = where(starts, panel=f"starts, {'dimension' if x == 'd' else 'basis'}"), (BLUE, ORANGE)[rank]
        measured, bound = (where(own, series=name) for name in ("largest gradient", "G_delta"))
        curve(gradients, measured, x, f"largest gradient by {text}", color=color, marker="os"[rank])
        curve(gradients, bound, x, f"bound on it by {text}", color=color, marker="^v"[rank], linestyle="--")
    log_scale(gradients)
    gradients.set(title="gradients at the start", xlabel="$d$, or $p$", ylabel="norm")
    slack = where(main, series="slack far from the start")
    for (m,), own in each(slack, "m"):
        rank = values_of(slack, "m").index(m)
        color = shades(len(values_of(slack, "m")))[rank]
        curve(far, own, "factor", f"$m={m:g}$", color=color, marker=MARKERS[rank % len(MARKERS)])
    far.axhline(0.0, color="black", linewidth=0.8)
    log_scale(far, "x")
    value_ticks(far, values_of(slack, "factor"))
    far.set(title="far from the start", xlabel="multiple of the start", ylabel="slack of Lemma C.2's inequality")
    apart = where(main, panel="neighbours", series="mean distance")
    for (kappa, lam), own in each(apart, "kappa", "lam"):
        style = {"color": VERMILION if kappa else GREY, "marker": "s" if lam else "o"}
        curve(neighbours, own, "n", rf"$\kappa={kappa:g}$, $\lambda={lam:g}$", **style)
    guide(neighbours, apart.drop_duplicates("n"), "n", -1.0, r"claimed: slope $-1$")
    log_scale(neighbours)
    value_ticks(neighbours, values_of(apart, "n"))
    neighbours.set(title="runs that differ in one record", xlabel=N, ylabel="mean distance")
    finish(figure, axes[0], 4, "bounds hold left of the vertical line, where a quantity is its bound", sizes(main, "d"))
    return figure


def _ratios(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the range of every quantity over its bound, by lemma; negative values have no place on the axis."""
    found = rows[np.array([any(text in name for text in OVER) for name in rows["series"]], dtype=bool)]
    found = positive(found[~(found["constants"] == "paper")])
    names = in_order(found["series"], sorted(set(found["series"]), key=_place))
    for place, name in enumerate(names):
        own = where(found, series=name)["mean"]
        axes.plot([own.min(), own.max()], [place, place], color=BLUE, linewidth=4, solid_capstyle="round")
        axes.plot([own.max()], [place], "o", color=BLUE, markersize=5)
    axes.axvline(1.0, color=VERMILION, linestyle="-.")
    axes.set_yticks(range(len(names)), names, fontsize=7.5)
    axes.set_ylim(max(len(names), 1) - 0.5, -0.5)
    log_scale(axes, "x")
    axes.set(title="measured over its bound", xlabel="ratio")


def _place(name: str) -> tuple[str, float, str]:
    """Returns the letter and number of a lemma, by which names are in the paper's order, and its words."""
    words = name.split(",")[0].split(" ")[-1]
    letter, _, number = words.partition(".")
    # Its words last, without bars, because a lemma has several quantities, and a set another order in each process.
    return letter, float(number) if number.isdigit() else np.inf, name.replace("|", "")
