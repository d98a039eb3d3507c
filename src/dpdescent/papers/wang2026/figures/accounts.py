"""Figures of wang2026 on privacy: noise multipliers by accountant, and tests of two accountants."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.wang2026.figures.styles import (
    ACCOUNTANTS,
    EPS,
    KAPPA,
    LAM,
    N,
    by_accountant,
    each,
    finish,
    hollow_in_legend,
    in_order,
    joined,
    label_of,
    lam_axis,
    sizes,
    value_ticks,
)
from dpdescent.replication.drawing.figures import (
    BLUE,
    GREEN,
    GREY,
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
from dpdescent.replication.judging.statistics import Z95

# T, r and delta at which all accountants are computed, unless the configuration says otherwise.
FULL = (100, 0.1, 0.001)
CORRELATED = 0.5
# Accountants that the paper states; panels have these, or the others: at most six curves.
STATED = ("F12x8", "F12x2", "D9", "RDP19", "F8")
PAIR, FIXED_SIZE = "F8 pair", "fixed size"
SERIES: dict[str, dict[str, Any]] = {
    PAIR: {"color": ACCOUNTANTS["F8"][0], "marker": "P", "markerfacecolor": "white", "linestyle": "--"},
    FIXED_SIZE: {"color": "black", "marker": "o", "linestyle": "-"},
}  # fmt: skip
NAMES = {PAIR: "Theorem F.8's pair (Poisson)", FIXED_SIZE: "attained under batches of fixed size"}
RENYI, RENYI_FLOOR = "eq. (19) at D.9's multiplier", "eq. (19) without end of noise"
DOMINATING, LEAST = "dominating pair", "attained epsilon"
DELTA = r"$\delta(\varepsilon)$"
# Deltas below this are drawn as arrows.
FLOOR = 1e-12
TARGET: dict[str, Any] = {"color": VERMILION, "linestyle": "-.", "linewidth": 1.2}


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
    for (top, bottom), whose in zip(axes[2:].T, ("the paper's", "others"), strict=True):
        _against_eps(top, _whose(independent, whose), whose)
        _against_rate(bottom, _whose(correlated, whose), whose)
    for row in axes[2:]:
        row[1].sharey(row[0])
    hollow_in_legend(axes[0, 0], main)
    at = rf"$T={T:g}$, $r={r:g}$ but where it varies; $\delta={scientific(delta)}$, zero-out unless said otherwise"
    finish(figure, axes.ravel(), 4, at, _estimated(where(grid, delta=delta)))
    return figure


def _whose(rows: pd.DataFrame, whose: str) -> pd.DataFrame:
    """Rows of the accountants that the paper states, or of the others."""
    stated = rows["accountant"].isin(STATED)
    return rows[stated if whose == "the paper's" else ~stated]


def _estimated(rows: pd.DataFrame) -> str:
    """Returns a note on which multipliers come from Monte Carlo, with the largest relative standard error of delta."""
    drawn = rows[rows["delta_se"] > 0]
    if not len(drawn):
        return ""
    names = " and ".join(label_of(name).split(" (")[0] for name in in_order(drawn["accountant"]))
    share = 100 * (drawn["delta_se"] / drawn["delta_attained"]).max()
    return rf"by Monte Carlo, with a standard error of at most {share:.0f} % of $\delta$: {names}"


def _setting(rows: pd.DataFrame, display: dict[str, Any]) -> tuple[float, float, float]:
    """Returns T, r and delta as configured, or those of most rows if no row has the configured ones."""
    wanted = tuple(display.get("arms", {}).get("full_f8", FULL))
    found = rows.groupby(["T", "r", "delta"]).size()
    if not len(found) or wanted in found.index:
        return wanted
    T, r, delta = found.index[int(np.argmax(found.to_numpy()))]
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


def _against_eps(axes: Axes, rows: pd.DataFrame, whose: str) -> None:
    by_accountant(axes, positive(rows), "eps")
    log_scale(axes)
    value_ticks(axes, values_of(rows, "eps"))
    axes.set(title=rf"$\lambda=0$: {whose}", xlabel=EPS, ylabel=KAPPA)


def _against_rate(axes: Axes, rows: pd.DataFrame, whose: str) -> None:
    by_accountant(axes, positive(rows), "r")
    log_scale(axes)
    value_ticks(axes, values_of(rows, "r"))
    at = joined(rf"$\lambda={CORRELATED:g}$", sizes(rows, "T", "eps"))
    axes.set(title=f"{at}: {whose}", ylabel=KAPPA)
    axes.set_xlabel("share of the records in a batch $r=B/n$")


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
    """Draws one bar for each setting: epsilon by (19) and its floor; what is proved and attained; the target."""
    settings = sorted({*zip(rows["n"], rows["B"], rows["T"], strict=True)})
    places = [settings.index(key) for key in zip(rows["n"], rows["B"], rows["T"], strict=True)]
    bars, floor, proved, least = (
        where(rows.assign(place=places), series=name) for name in (RENYI, RENYI_FLOOR, DOMINATING, LEAST)
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
    _floored(axes, where(rows, series="attained delta"), r"attained at Theorem D.9's $\kappa$", **style)
    label = r"the same pair, at the larger $\kappa$ of D.9 and (19)"
    _floored(axes, where(rows, series="repaired"), label, color=GREEN, marker="o")
    axes.set_title("Theorem 5.4 at Corollary 5.5's $B$, $T$" + _gamma(rows))


def _by_share(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws one curve for each norm of the gradients, relative to the clipping threshold."""
    _target(axes, rows)
    found = sorted(values_of(rows, "norm_share"), reverse=True)
    for rank, (share, color) in enumerate(zip(found, shades(len(found)), strict=True)):
        label = rf"gradients of ${share:g}\,C_\mathrm{{clip}}$"
        own = where(rows, norm_share=share)
        attained = own[own["series"] != "target delta"]
        _floored(axes, attained, label, rank - (len(found) - 1) / 2, color=color, marker="osD^v<>P"[rank % 8])
    axes.set_title("the same, smaller gradients" + _gamma(rows))


def _gamma(rows: pd.DataFrame) -> str:
    found = values_of(rows, "gamma")
    return rf", $\gamma={found[0]:g}$" if len(found) == 1 else ""


def _target(axes: Axes, rows: pd.DataFrame) -> None:
    promised = rows.drop_duplicates("n").sort_values("n")
    axes.plot(promised["n"], promised["delta"], label=r"target $\delta$", **TARGET)


def _floored(axes: Axes, rows: pd.DataFrame, label: str, shift: float = 0.0, **style: Any) -> None:
    """Draws a curve of deltas; those below the floor are arrows, moved aside by `shift`."""
    rows = rows.sort_values("n")
    low = ~(rows["mean"] > FLOOR)
    axes.plot(rows["n"], rows["mean"].mask(low), label=label, **style)
    foot: dict[str, Any] = {"linestyle": "none", "marker": r"$\downarrow$", "markersize": 8}
    if low.any():
        places = rows["n"][low] * 1.17**shift
        axes.plot(places, np.full(low.sum(), FLOOR / 5), color=style["color"], **foot)
        axes.axhline(FLOOR, color=GREY, linewidth=0.6)
        axes.plot([], [], color=GREY, label=rf"arrows: below ${scientific(FLOOR)}$", **foot)


def draw_sampling_counterexample(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws delta of Theorem F.8's pair and delta attained under batches of fixed size, after one, some, many steps."""
    main = select(table)
    one, some, many = (where(main, panel=name) for name in ("quadrature", "enumeration", "composed"))
    rates = values_of(one, "r")
    figure, axes = panels(3, 2, size=(5.2, 3.7), squeeze=False)
    for rank, panel in enumerate(axes[0]):
        _one_step(panel, where(one, r=rates[rank]) if rank < len(rates) else one.iloc[:0], values_of(one, "kappa"))
    _ratios(axes[1, 0], one)
    _some_steps(axes[1, 1], some)
    _many_steps(axes[1, 2], many)
    claim = r"Theorem F.8 claims that its pair dominates: no dataset attains a larger $\delta(\varepsilon)$ (zero-out)"
    finish(figure, axes.ravel(), 4, claim, "bars: 95 % intervals of the Monte Carlo")
    return figure


def _one_step(axes: Axes, rows: pd.DataFrame, multipliers: Sequence[float]) -> None:
    for name, style in SERIES.items():
        for (kappa,), own in each(positive(where(rows, series=name)), "kappa"):
            marker = "os^D"[list(multipliers).index(kappa) % 4]
            drawn = style | {"marker": marker}
            own = own.sort_values("eps")
            axes.plot(own["eps"], own["mean"], label=rf"{NAMES[name]}, $\kappa={kappa:g}$", **drawn)
    log_scale(axes, "y")
    rates = values_of(rows, "r")
    axes.set(title=f"one step, $r={rates[0]:g}$" if rates else "one step", xlabel=EPS, ylabel=DELTA)


def _ratios(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the attained delta over that of the pair, with one colour for each sampling rate."""
    rates = values_of(rows, "r")
    keys = ["r", "kappa", "eps"]
    both = [where(rows, series=name).set_index(keys)["mean"] for name in (FIXED_SIZE, PAIR)]
    ratio = (both[0] / both[1]).rename("mean").reset_index() if len(rows) else rows
    for (r, kappa), own in each(positive(ratio), "r", "kappa"):
        marker = "os^D"[values_of(rows, "kappa").index(kappa) % 4]
        style: dict[str, Any] = {"color": shades(len(rates))[rates.index(r)], "marker": marker}
        axes.plot(own["eps"], own["mean"], label=f"ratio, $r={r:g}$" if marker == "o" else None, **style)
    axes.axhline(1.0, label="ratio if the pair dominated: at most 1", **TARGET)
    log_scale(axes, "y")
    axes.set(title="one step: how much more is attained", xlabel=EPS, ylabel=r"ratio of $\delta(\varepsilon)$")


def _some_steps(axes: Axes, rows: pd.DataFrame) -> None:
    for name, style in SERIES.items():
        own = where(rows, series=name).sort_values("lam")
        axes.errorbar(own["lam"], own["mean"], yerr=Z95 * own["delta_se"], label=NAMES[name], **style)
    for target in values_of(rows, "delta"):
        axes.axhline(target, label=rf"target $\delta={scientific(target)}$", **TARGET)
    log_scale(axes, "y")
    lam_axis(axes, values_of(rows, "lam"))
    steps = "".join(f"{T:g} steps, " for T in values_of(rows, "T")[:1])
    axes.set(title=steps + r"$\kappa$ by Theorem F.8", ylabel=DELTA, xlabel=LAM)


def _many_steps(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws both deltas side by side, at one place for each setting."""
    settings = sorted({*zip(rows["T"], rows["r"], rows["kappa"], strict=True)})
    for shift, (name, style) in zip((-0.06, 0.06), SERIES.items(), strict=True):
        own = where(rows, series=name)
        places = [settings.index(key) + shift for key in zip(own["T"], own["r"], own["kappa"], strict=True)]
        drawn = style | {"linestyle": "none"}
        axes.errorbar(places, own["mean"], yerr=Z95 * own["delta_se"].fillna(0.0), label=NAMES[name], **drawn)
    names = ["\n".join((f"$T={T:g}$", f"$r={r:g}$", rf"$\kappa={kappa:g}$")) for T, r, kappa in settings]
    axes.set_xticks(range(len(settings)), names)
    axes.set_xlim(-0.5, max(len(settings), 1) - 0.5)
    log_scale(axes, "y")
    axes.set(title=joined(r"composed, $\lambda=0$", sizes(rows, "eps")), ylabel=DELTA, xlabel="setting")
