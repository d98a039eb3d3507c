"""Figures of wang2026 on risks against iterations, records, epsilon and dimension, beside the claimed rates."""

import math
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.wang2026.figures.styles import (
    BARS,
    EMPIRICAL,
    EPS,
    KAPPA,
    POPULATION,
    UNPROVED,
    D,
    N,
    T,
    curve,
    each,
    finish,
    guide,
    hollow_in_legend,
    in_order,
    joined,
    label_of,
    look,
    panels_in,
    sizes,
    vacuous_line,
    value_ticks,
)
from dpdescent.replication.drawing.figures import (
    BLUE,
    VERMILION,
    log_scale,
    panels,
    select,
    shades,
    slope_of,
    values_of,
    where,
)

RISKS: dict[str, dict[str, Any]] = {
    POPULATION: {"color": BLUE, "marker": "o"}, EMPIRICAL: {"color": VERMILION, "marker": "s"},
}  # fmt: skip
MARKERS = "os^Dv<>P"


def draw_rate_T(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the averaged empirical risk against T, one panel for each batch size and one curve for each step size."""
    main = select(table)
    names = panels_in(main, display) or [""]
    figure, axes = panels(len(names), size=(5.0, 4.2), squeeze=False)
    steps = values_of(main, "eta")
    for panel, name in zip(axes[0], names, strict=True):
        rows = where(main, panel=name)
        for (eta,), own in each(rows, "eta"):
            rank = steps.index(eta)
            style = {"color": shades(len(steps))[rank], "marker": MARKERS[rank % len(MARKERS)]}
            curve(panel, own, "T", rf"$\eta={eta:g}$", **style)
        lowest = rows[rows["eta"] == rows["eta"].max()]
        guide(panel, lowest, "T", -1.0, r"claimed: $1/(\gamma^2\eta T)$, slope $-1$")
        guide(panel, lowest, "T", -0.5, r"slope $-1/2$, as of $1/(\gamma\sqrt{BT})$", dash="--")
        vacuous_line(panel)
        log_scale(panel)
        panel.set(title=_with_margin(name, rows), xlabel=T, ylabel="averaged empirical risk")
    claim = r"Appendix E claims $1/(\gamma^2\eta T)+1/(\gamma\sqrt{BT})+\eta/B$, and the first term for a full batch"
    finish(figure, axes[0], 4, claim, _about(main, "n", "m", "d"))
    return figure


def _with_margin(name: str, rows: pd.DataFrame) -> str:
    margin = rows["gamma"].mean() if len(rows) else math.nan
    return name if math.isnan(margin) else rf"{name}, margin $\gamma={margin:.2f}$"


def _about(rows: pd.DataFrame, *columns: str) -> str:
    return joined(sizes(rows, *columns), BARS, by="; ")


def draw_rate_n(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws averaged risks of gradient descent against n, plain and in units of the claimed rate."""
    claim = r"Appendix E claims for the population risk $1/(\gamma^2n)$ at $B=n$, $T\sim n/\gamma^2$"
    return _by_records(select(table), claim)


def draw_rate_minibatch(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws averaged risks of mini-batch SGD against n, plain and in units of the claimed rate."""
    claim = r"Corollary 5.6 claims $1/n$ (empirical) and $1/(\gamma^2n)$ (population) at $T\sim n^2/(\gamma^2B)$"
    return _by_records(select(table), claim, "hollow: $T$ capped, below what the corollary asks for")


def _by_records(rows: pd.DataFrame, claim: str, capped: str = "") -> Figure:
    figure, axes = panels(2, size=(7.2, 4.2), squeeze=False)
    plain, scaled = axes[0]
    unit = rows["n"] * rows["gamma"] ** 2
    over = rows.assign(mean=rows["mean"] * unit, se=rows["se"] * unit)
    for series, style in RISKS.items():
        for panel, shown in ((plain, rows), (scaled, over)):
            curve(panel, where(shown, series=series), "n", series, **style)
    guide(plain, where(rows, series=POPULATION), "n", -1.0, "claimed: slope $-1$")
    vacuous_line(plain)
    hollow_in_legend(plain, rows, capped)
    for panel in axes[0]:
        log_scale(panel)
        value_ticks(panel, values_of(rows, "n"), _with_steps(rows))
    plain.set(title="risk", xlabel=f"{N} and of iterations", ylabel="averaged risk")
    scaled.set(title=r"times $n\gamma^2$: bounded if the claim holds", xlabel=f"{N} and of iterations")
    scaled.set_ylabel(r"$n\gamma^2\times$ averaged risk")
    finish(figure, axes[0], 3, claim, _about(rows, "m", "d"))
    return figure


def _with_steps(rows: pd.DataFrame) -> list[str]:
    """Returns the labels of the ticks: each n, with B and T where these are the same in all its rows."""
    written = []
    for n in values_of(rows, "n"):
        own = where(rows, n=n)
        known = [f"${name}={values_of(own, name)[0]:g}$" for name in ("B", "T") if own[name].nunique() == 1]
        written.append("\n".join([f"{n:g}", *known]))
    return written


def draw_private_rate_n(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws averaged risks of private training and multipliers against n, one curve for each accountant and lambda."""
    main = select(table)
    figure, axes = panels(3, size=(5.3, 4.3), squeeze=False)
    for panel, series in zip(axes[0], (POPULATION, EMPIRICAL), strict=False):
        rows = where(main, series=series)
        # Curves are labelled in the first panel only, because their labels hold the slopes of population risks.
        _by_arm(panel, rows, named=series == POPULATION)
        guide(panel, rows.sort_values("mean").drop_duplicates("n", keep="last"), "n", -0.5, "claimed: slope $-1/2$")
        vacuous_line(panel)
        panel.set(title=series, ylabel=f"averaged {series}")
    _by_arm(axes[0, 2], where(main, series=POPULATION), "kappa", named=False)
    axes[0, 2].set(title="noise", ylabel=KAPPA)
    for panel in axes[0]:
        log_scale(panel)
        value_ticks(panel, values_of(main, "n"))
        panel.set_xlabel(N)
    hollow_in_legend(axes[0, 0], main, "hollow and dashed: outside a condition, or not a guarantee by itself (D.9)")
    claim = (
        r"Corollaries 5.3 and 5.5 claim $1/(\gamma\sqrt{n})+\sqrt{d}/(\gamma^4n\varepsilon)$ for $0<\lambda<1$, "
        r"with $\gamma^3$ for $\lambda=0$"
    )
    known = _about(main, "r", "eps", "m", "d", "C_clip")
    finish(figure, axes[0], 4, claim, rf"$\delta=n^{{-1.1}}$, {known}" if _power(main) else known)
    return figure


def _power(rows: pd.DataFrame) -> bool:
    """Returns whether delta is n^-1.1 in all rows."""
    return bool(len(rows)) and bool(((rows["delta"] * rows["n"] ** 1.1 - 1).abs() < 0.01).all())


def _by_arm(axes: Axes, rows: pd.DataFrame, y: str = "mean", *, named: bool) -> None:
    """Draws one curve for each accountant and lambda; independent noise with a guarantee is dash-dotted."""
    for lam in values_of(rows, "lam"):
        for name in in_order(where(rows, lam=lam)["accountant"]):
            own = where(rows, lam=lam, accountant=name)
            style = ({"linestyle": "-."} if lam == 0 else {}) | look(name)
            if y == "kappa" and name in UNPROVED:
                # Large and empty, because the points of other accountants may be at the same places.
                style |= {"markerfacecolor": "none", "markersize": 10, "zorder": 4}
            label = rf"$\lambda={lam:g}$: {label_of(name, own)}; slope {slope_of(own, 'n')}" if named else None
            curve(axes, own, "n", label, y, **style)


def draw_eps_and_d(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws averaged risks of private training against epsilon and against the dimension."""
    main = select(table)
    figure, axes = panels(2, size=(6.0, 4.2), squeeze=False)
    for panel, x, slope, text in zip(
        axes[0], ("eps", "d"), (-1.0, 0.5), (r"$1/\varepsilon$", r"$\sqrt{d}$"), strict=True
    ):
        rows = where(main, panel=x)
        for series, marker, dash in ((POPULATION, None, "-"), (EMPIRICAL, ".", ":")):
            own = where(rows, series=series)
            for name in in_order(own["accountant"]):
                style = look(name) | {"linestyle": dash} | ({"marker": marker} if marker else {})
                curve(panel, where(own, accountant=name), x, f"{series}, {label_of(name, own)}", **style)
        loudest = where(rows, series=POPULATION).sort_values("mean").drop_duplicates(x, keep="last")
        guide(panel, loudest, x, slope, f"claimed of the private term: {text}", dash="--")
        vacuous_line(panel)
        log_scale(panel)
        value_ticks(panel, values_of(rows, x))
        panel.set(title=sizes(rows, "n", "T", "lam", "eps", "d"), xlabel=EPS if x == "eps" else D)
        panel.set_ylabel("averaged risk")
    claim = r"Corollary 5.3 claims $1/(\gamma\sqrt{n})+\sqrt{d}/(\gamma^4n\varepsilon)$"
    finish(figure, axes[0], 2, claim, _about(main, "r", "m", "C_clip"))
    return figure
