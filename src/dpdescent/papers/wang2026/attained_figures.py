"""The figure of wang2026 on the deltas of Theorem F.8's pair and of batches of fixed size."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.wang2026.attained import ATTAINED, PAIR_DELTA
from dpdescent.papers.wang2026.guarantees_figures import DELTA, TARGET
from dpdescent.papers.wang2026.styles import ACCOUNTANTS, EPS, LAM, by_values, finish, joined, lam_axis, sizes
from dpdescent.replication.drawing.figures import (
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

SERIES: dict[str, dict[str, Any]] = {
    PAIR_DELTA: {"color": ACCOUNTANTS["F8"][0], "marker": "P", "markerfacecolor": "white", "linestyle": "--"},
    ATTAINED: {"color": "black", "marker": "o", "linestyle": "-"},
}  # fmt: skip
NAMES = {PAIR_DELTA: "Theorem F.8's pair (Poisson)", ATTAINED: "attained under batches of fixed size"}


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
        for (kappa,), own in by_values(positive(where(rows, series=name)), "kappa"):
            marker = "os^D"[list(multipliers).index(kappa) % 4]
            marks = style | {"marker": marker}
            own = own.sort_values("eps")
            axes.plot(own["eps"], own["mean"], label=rf"{NAMES[name]}, $\kappa={kappa:g}$", **marks)
    log_scale(axes, "y")
    rates = values_of(rows, "r")
    axes.set(title=f"one step, $r={rates[0]:g}$" if rates else "one step", xlabel=EPS, ylabel=DELTA)


def _ratios(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the ratio of the attained delta to the pair's, with one colour for each sampling rate."""
    rates = values_of(rows, "r")
    keys = ["r", "kappa", "eps"]
    deltas = [where(rows, series=name).set_index(keys)["mean"] for name in (ATTAINED, PAIR_DELTA)]
    ratio = (deltas[0] / deltas[1]).rename("mean").reset_index() if len(rows) else rows
    for (r, kappa), own in by_values(positive(ratio), "r", "kappa"):
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
    """Draws the pair's delta and the attained one side by side, at one place for each setting."""
    settings = sorted({*zip(rows["T"], rows["r"], rows["kappa"], strict=True)})
    for shift, (name, style) in zip((-0.06, 0.06), SERIES.items(), strict=True):
        own = where(rows, series=name)
        places = [settings.index(key) + shift for key in zip(own["T"], own["r"], own["kappa"], strict=True)]
        marks = style | {"linestyle": "none"}
        axes.errorbar(places, own["mean"], yerr=Z95 * own["delta_se"].fillna(0.0), label=NAMES[name], **marks)
    names = ["\n".join((f"$T={T:g}$", f"$r={r:g}$", rf"$\kappa={kappa:g}$")) for T, r, kappa in settings]
    axes.set_xticks(range(len(settings)), names)
    axes.set_xlim(-0.5, max(len(settings), 1) - 0.5)
    log_scale(axes, "y")
    axes.set(title=joined(r"composed, $\lambda=0$", sizes(rows, "eps")), ylabel=DELTA, xlabel="setting")
