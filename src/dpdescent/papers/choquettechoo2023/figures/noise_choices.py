"""Figures of choquettechoo2023 on the choice of noise: for convex problems (3), over nu, over spectra, anti-PGD."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from dpdescent.papers.choquettechoo2023.figures.styles import (
    ETA,
    SUBOPTIMALITY,
    D,
    color_of,
    held_fixed,
    label_of,
    line,
    look,
)
from dpdescent.replication.drawing.figures import (
    GREY,
    MARKERS,
    legend_below,
    log_scale,
    panels,
    select,
    shades,
    slope_of,
    thin_curve,
    variants_of,
    vertical,
    where,
)

CONVEX = ("DP-SGD", "nu-DP-FTRL", "Optimized")
CONVEX_ROWS = (r"bound on $F_\infty$", r"$\nu$-DP-FTRL over Optimized", "bound, variant over main")
# nu-DP-FTRL has thick lines, because the optimised noise is close to it and drawn over it.
WEIGHTS: dict[str, dict[str, Any]] = {
    "DP-SGD": {"markersize": 3.5}, "nu-DP-FTRL": {"linewidth": 2.0, "markersize": 5},
    "Optimized": {"linewidth": 1.0, "markersize": 3.5},
}  # fmt: skip
READINGS = (":", "-.", (0, (6, 1, 1, 1, 1, 1)))
SPECTRA = ("flat", "k^-0.5", "k^-1", "k^-2", "k^-3", "one large")
DAMPED, GAIN = "damped anti-PGD", "Noisy-SGD over nu-Noisy-FTRL"


def draw_fig03(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the bound against the condition number for every learning rate, below ratios that lie too near to see."""
    rates, variants = sorted(set(table["eta"])), variants_of(table)[1:]
    figure, axes = panels(max(len(rates), 1), 3, size=(4.7, 3.0), squeeze=False)
    multipliers = sorted(set(table["multiplier"]) - {"static"})
    dashes = dict(zip(multipliers, ("-", *READINGS), strict=False)) | {"static": "--"}
    for column, eta in zip(axes.T, rates, strict=False):
        rows = table[table["eta"] == eta]
        _bounds(column[0], select(rows), dashes)
        _near(column[1], select(rows), dashes)
        _readings(column[2], rows, variants)
        column[0].set_title(rf"$\eta={eta:g}$")
    for column in axes.T:
        for panel, which, words in zip(column, ("xy", "x", "x"), CONVEX_ROWS, strict=True):
            log_scale(panel, which)
            panel.set(xlabel=r"condition number $\kappa=L/\mu$", ylabel=words)
    for name, dash in dashes.items():
        label = "static multiplier" if name == "static" else label_of_multiplier(name)
        axes[0, 0].plot([], [], color=GREY, linestyle=dash, label=label)
    for name, dash in zip(variants, READINGS, strict=False):
        axes[0, 0].plot([], [], color=GREY, linestyle=dash, linewidth=0.9, label=name)
    legend_below(figure, axes[0], 4)
    return figure


def label_of_multiplier(name: str) -> str:
    """Returns the label of a multiplier with lags up to T_max."""
    return rf"multiplier with $T_\max={name.removeprefix('T_max ')}$"


def _bounds(axes: Axes, rows: pd.DataFrame, dashes: dict[str, Any]) -> None:
    for name in CONVEX:
        own, labelled = rows[rows["series"] == name], False
        for multiplier, dash in dashes.items():
            chosen = own[own["multiplier"] == multiplier]
            label = None if labelled else label_of(name)
            line(axes, chosen, "kappa", label, **(look(name) | WEIGHTS[name] | {"linestyle": dash}))
            labelled = labelled or len(chosen) > 0


def _near(axes: Axes, rows: pd.DataFrame, dashes: dict[str, Any]) -> None:
    """Draws the bound of nu-DP-FTRL over that of the optimised noise, by multiplier."""
    axes.axhline(1.0, color=color_of("Optimized"), linewidth=0.9)
    for multiplier, dash in dashes.items():
        chosen = rows[rows["multiplier"] == multiplier].rename(columns={"series": "noise"})
        wide = chosen.pivot_table(index="kappa", columns="noise", values="mean").reindex(columns=list(CONVEX[1:]))
        ratio = (wide[CONVEX[1]] / wide[CONVEX[2]]).dropna().rename("mean").reset_index()
        line(axes, ratio, "kappa", **(look(CONVEX[1]) | {"linestyle": dash, "markersize": 3.5}))


def _readings(axes: Axes, rows: pd.DataFrame, variants: list[str]) -> None:
    """Draws the bound of every variant over that of the main setting."""
    keys = ["series", "multiplier", "kappa"]
    for variant, dash in zip(variants, READINGS, strict=False):
        both = select(rows, variant).merge(select(rows)[[*keys, "mean"]], on=keys, suffixes=("", "_main"))
        both = both.assign(mean=both["mean"] / both["mean_main"], se=float("nan"))
        for (name, _), chosen in both.groupby(["series", "multiplier"]):
            thin_curve(axes, chosen, "kappa", color=color_of(name), linestyle=dash)


def draw_ext_nu(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the error over that of the best noise against the damping, by spectrum and by learning rate."""
    figure, axes = panels(2, size=(5.4, 4.1), squeeze=False)
    main = select(table)
    by_spectrum, by_rate = (main[main["panel"] == part] for part in ("spectra", "rates"))
    _over_optimum(axes[0, 0], by_spectrum, "alpha", r"\alpha")
    _over_optimum(axes[0, 1], by_rate, "eta", r"\eta")
    for panel, rows, fixed, title in (
        (axes[0, 0], by_spectrum, "eta", r"spectra $\lambda_k=k^{-\alpha}$"),
        (axes[0, 1], by_rate, "alpha", "learning rates"),
    ):
        values = ", ".join(rf"$\{fixed}={value:g}$" for value in sorted(set(rows[fixed])))
        panel.set_title(f"{title}, {values}" if values else title)
        panel.set(xlabel=r"damping $\nu$, in units of $\eta\mu$", ylabel=r"$F_\infty$ over that of the best noise")
    return figure


def _over_optimum(axes: Axes, rows: pd.DataFrame, by: str, symbol: str) -> None:
    """Draws one curve for each value of a column, labelled with its least ratio."""
    values = sorted(set(rows[by]))
    for value, color, marker in zip(values, shades(len(values)), MARKERS * len(values), strict=False):
        own = rows[rows[by] == value]
        label = rf"${symbol}={value:g}$: {own['value_at_best'].iloc[0]:.3f}"
        line(axes, own, "nu_over_eta_mu", label, color=color, marker=marker, markersize=3.5)
    axes.axhline(1.0, color="black", linewidth=0.9)
    log_scale(axes)
    if values:
        axes.legend(title=r"ratio at the best $\nu$", title_fontsize=7.5, loc="upper left")
        vertical(axes, 1.0, r"Theorem 2.2: $\nu\leq\eta\mu$")


def draw_ext_anti_pgd(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws damped anti-PGD, Noisy-SGD and nu-Noisy-FTRL against learning rate, dimension and damping."""
    figure, axes = panels(3, size=(4.7, 4.1), squeeze=False)
    main = select(table)
    for panel, x, label in zip(axes[0], ("eta", "d", "nu"), (ETA, D, r"damping $\nu$"), strict=True):
        rows = main[main["panel"] == x]
        _anti_pgd(panel, rows, x)
        log_scale(panel)
        panel.set(title=held_fixed(rows, x), xlabel=label, ylabel=SUBOPTIMALITY)
    # Decades only, because rates below 0.001 are written as powers, which need room.
    axes[0, 0].xaxis.set_major_locator(LogLocator())
    best = main[main["panel"] == "nu"]["nu_best"].dropna()
    if len(best):
        vertical(axes[0, 2], best.iloc[0], rf"best $\nu={best.iloc[0]:.3g}$")
    legend_below(figure, axes[0], 5)
    return figure


def _anti_pgd(axes: Axes, rows: pd.DataFrame, x: str) -> None:
    slopes = []
    for name in ("Noisy-SGD", DAMPED, "nu-Noisy-FTRL"):
        own = rows[rows["series"].str.startswith(name)]
        line(axes, own, x, label_of(name), **(look(name) | {"markersize": 4}))
        if x != "nu" and len(own):
            slopes.append((axes.lines[-1], slope_of(own, x)))
    damped = rows[rows["series"].str.startswith(DAMPED)]
    style = {"color": "black", "linestyle": ":", "linewidth": 1.4, "zorder": 3}
    line(axes, damped.assign(mean=damped["leading_order"]), x, f"{DAMPED}: leading order", **style)
    if slopes:
        axes.legend(*zip(*slopes, strict=True), title="slopes", title_fontsize=7.5, fontsize=7.5, loc="upper left")


def draw_ext_spectra(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the gain over independent noise per dimension, the error over that of the best noise, and the errors."""
    figure, axes = panels(4, size=(5.2, 3.6), squeeze=False)
    gain, loss, *errors = axes[0]
    methods = ("Noisy-SGD", "nu-Noisy-FTRL")
    main = select(table)
    names = sorted(set(main["spectrum"]), key=lambda name: ([*SPECTRA, name].index(name), name))
    for name, color, marker in zip(names, shades(len(names)), MARKERS * len(names), strict=False):
        rows, style = main[main["spectrum"] == name], dict[str, Any](marker=marker, markersize=3.5)
        line(gain, _over_dimension(rows), "d", spectrum_label(name), color=color, **style)
        line(loss, _over(rows, "nu-Noisy-FTRL", "optimum"), "d", color=color, **style)
        for panel, method in zip(errors, methods, strict=True):
            line(panel, where(rows, series=method), "d", color=color, **style)
    _separation(gain, _over_dimension(where(main, spectrum=SPECTRA[-1])))
    for panel, which in ((gain, "x"), (loss, "x"), *((each, "xy") for each in errors)):
        log_scale(panel, which)
        panel.set_xlabel(D)
    for panel, method in zip(errors, methods, strict=True):
        panel.set(title=f"error of {label_of(method)}", ylabel=SUBOPTIMALITY)
    gain.set(title="Noisy-SGD over $\\nu$-Noisy-FTRL, over $d$", ylabel=r"ratio of $F_\infty$, over $d$")
    loss.set(title="$\\nu$-Noisy-FTRL over the best noise", ylabel=r"ratio of $F_\infty$")
    legend_below(figure, axes[0], 4)
    return figure


def spectrum_label(name: str) -> str:
    """Returns the label of a spectrum, as the paper writes it."""
    if name == "flat":
        return r"$\lambda_k=1$"
    return r"$1,\frac{1}{d},\ldots,\frac{1}{d}$" if name == "one large" else rf"$k^{{{name.removeprefix('k^')}}}$"


def _over(rows: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Returns the ratio of two series at every dimension that has both."""
    wide = rows.pivot_table(index="d", columns="series", values="mean").reindex(columns=[first, second])
    return (wide[first] / wide[second]).dropna().rename("mean").reset_index()


def _over_dimension(rows: pd.DataFrame) -> pd.DataFrame:
    """Returns the gain in units of d, in which spectra are easier to tell apart."""
    rows = where(rows, series=GAIN).sort_values("d")
    return rows.assign(mean=rows["mean"] / rows["d"])


def _separation(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the gain that the introduction claims, d / log d, in units of d, through the last point."""
    if len(rows) > 1:
        logarithm = np.log(rows["d"])
        through = rows["mean"].iloc[-1] * logarithm.iloc[-1] / logarithm
        axes.plot(rows["d"], through, color=GREY, linestyle=":", linewidth=1.4, label=r"claimed gain $d/\ln d$")
