"""The figure of wang2026 on the guarantee of Theorem 5.4's multiplier."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.wang2026.guarantees import ATTAINED, BY_EQ_19, FLOOR, LEAST, PROVED, REPAIRED
from dpdescent.papers.wang2026.guarantees import TARGET as TARGET_DELTA
from dpdescent.papers.wang2026.styles import ACCOUNTANTS, EPS, N, finish
from dpdescent.replication.drawing.figures import (
    BLUE,
    GREEN,
    GREY,
    VERMILION,
    log_scale,
    panels,
    scientific,
    select,
    shades,
    values_of,
    where,
)

DELTA = r"$\delta(\varepsilon)$"
# Deltas below this are drawn as arrows.
SMALLEST = 1e-12
TARGET: dict[str, Any] = {"color": VERMILION, "linestyle": "-.", "linewidth": 1.2}


def draw_closed_form_validity(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws epsilon by eq. (19) at Theorem D.9's multiplier, and the attained delta by n and by the gradients' norm."""
    figure, axes = panels(3, size=(5.2, 4.2), squeeze=False)
    main = select(table)
    renyi, regime, share = axes[0]
    _renyi(renyi, where(main, panel="renyi"))
    _regime(regime, where(main, panel="regime"))
    _by_share(share, where(main, panel="share"))
    for panel in (regime, share):
        log_scale(panel)
        panel.set(xlabel=N, ylabel=DELTA)
    claim = (
        r"Theorem D.9 claims $(\varepsilon,\delta)$-DP at its $\kappa$: upper bounds above the target refute nothing, "
        r"attained $\delta$ above it does"
    )
    finish(figure, axes[0], 4, claim)
    return figure


def _renyi(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws one bar for each setting: epsilon by (19), its floor, the proved and the attained epsilon, the target."""
    settings = sorted({*zip(rows["n"], rows["B"], rows["T"], strict=True)})
    places = [settings.index(key) for key in zip(rows["n"], rows["B"], rows["T"], strict=True)]
    bars, floor, proved, least = (
        where(rows.assign(place=places), series=name) for name in (BY_EQ_19, FLOOR, PROVED, LEAST)
    )
    color = ACCOUNTANTS["RDP19"][0]
    shape: dict[str, Any] = {"height": 0.6, "label": r"what (19) proves at D.9's $\kappa$"}
    axes.barh(bars["place"], bars["mean"], color=color, alpha=0.6, **shape)
    hatched: dict[str, Any] = {"color": "none", "edgecolor": "black", "hatch": "////", "linewidth": 0.8}
    axes.barh(floor["place"], floor["mean"], **(shape | hatched | {"label": "what (19) proves without end of noise"}))
    for place, value in zip(bars["place"], bars["mean"], strict=True):
        axes.text(value, place, f" {value:.2f}", va="center", fontsize=8)
    diamond: dict[str, Any] = {"color": BLUE, "markersize": 8, "markeredgecolor": "white", "linestyle": "none"}
    axes.plot(proved["mean"], proved["place"], "D", label="proved for sampling without replacement", **diamond)
    tick: dict[str, Any] = {"color": "black", "markersize": 14, "markeredgewidth": 1.5, "linestyle": "none"}
    axes.plot(least["mean"], least["place"], "|", label="attained by two data sets", **tick)
    names = [f"$n={scientific(n)}$, $B={B:g}$, $T={T:g}$" for n, B, T in settings]
    axes.set_yticks(range(len(settings)), names, fontsize=8)
    for target in values_of(rows, "eps"):
        axes.axvline(target, label=rf"target $\varepsilon={target:g}$", **TARGET)
    axes.margins(x=0.12)
    axes.grid(visible=False, axis="y")
    axes.set(title=r"$\varepsilon$ at Theorem D.9's $\kappa$ (replace-one)", xlabel=EPS)


def _regime(axes: Axes, rows: pd.DataFrame) -> None:
    _target(axes, rows)
    style: dict[str, Any] = {"color": ACCOUNTANTS["D9"][0], "marker": "v"}
    _floored(axes, where(rows, series=ATTAINED), r"attained at Theorem D.9's $\kappa$", **style)
    label = r"the same pair, Poisson samples, at the larger $\kappa$ of D.9 and (19)"
    _floored(axes, where(rows, series=REPAIRED), label, color=GREEN, marker="o")
    axes.set_title("Theorem 5.4 at Corollary 5.5's $B$, $T$" + _gamma(rows))


def _by_share(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws one curve for each norm of the gradients, relative to the clipping threshold."""
    _target(axes, rows)
    shares = sorted(values_of(rows, "norm_share"), reverse=True)
    for rank, (share, color) in enumerate(zip(shares, shades(len(shares)), strict=True)):
        label = rf"gradients of ${share:g}\,C_\mathrm{{clip}}$"
        own = where(rows, norm_share=share)
        attained = own[own["series"] != TARGET_DELTA]
        _floored(axes, attained, label, rank - (len(shares) - 1) / 2, color=color, marker="osD^v<>P"[rank % 8])
    axes.set_title("the same, smaller gradients" + _gamma(rows))


def _gamma(rows: pd.DataFrame) -> str:
    gammas = values_of(rows, "gamma")
    return rf", $\gamma={gammas[0]:g}$" if len(gammas) == 1 else ""


def _target(axes: Axes, rows: pd.DataFrame) -> None:
    promised = rows.drop_duplicates("n").sort_values("n")
    axes.plot(promised["n"], promised["delta"], label=r"target $\delta$", **TARGET)


def _floored(axes: Axes, rows: pd.DataFrame, label: str, shift: float = 0.0, **style: Any) -> None:
    """Draws a curve of deltas; deltas below the floor are arrows, moved aside by `shift`."""
    rows = rows.sort_values("n")
    low = ~(rows["mean"] > SMALLEST)
    axes.plot(rows["n"], rows["mean"].mask(low), label=label, **style)
    foot: dict[str, Any] = {"linestyle": "none", "marker": r"$\downarrow$", "markersize": 8}
    if low.any():
        places = rows["n"][low] * 1.17**shift
        axes.plot(places, np.full(low.sum(), SMALLEST / 5), color=style["color"], **foot)
        axes.axhline(SMALLEST, color=GREY, linewidth=0.6)
        axes.plot([], [], color=GREY, label=rf"arrows: below ${scientific(SMALLEST)}$", **foot)
