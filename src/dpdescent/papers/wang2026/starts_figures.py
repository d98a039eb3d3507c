"""Figures of wang2026 on the start, and on the comparator inequality."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.wang2026.setting import G_DELTA, G_SHARP, GRADIENT, HESSIAN
from dpdescent.papers.wang2026.starts import EVENT, SLACK, VIOLATIONS
from dpdescent.papers.wang2026.styles import (
    MARKERS,
    M,
    by_values,
    caption,
    curve,
    finish,
    guide,
    in_order,
    percent,
    value_ticks,
)
from dpdescent.replication.drawing.figures import (
    BLUE,
    GREEN,
    GREY,
    PURPLE,
    SKY,
    VERMILION,
    log_scale,
    panels,
    positive,
    select,
    shades,
    values_of,
    where,
)

# The factor by which the outermost points at one width are apart.
SPAN = 3.0
# What the proof of Lemma C.2 asks nu D^2 to be at most.
ASKED = 0.5
COMPARATORS = {"W_0": (BLUE, "the start $W_0$"), "GD": (VERMILION, "gradient descent's end"), "NTK": (GREEN, "NTK")}


def draw_comparator(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws where Lemma C.2's inequality fails, its slack, its width condition, and the loss towards the margin."""
    main = select(table)
    figure, axes = panels(4, size=(4.3, 4.2), squeeze=False)
    violations, slack, condition, ntk = axes[0]
    rows = where(main, panel="inequality")
    _by_comparator(violations, percent(where(rows, series=VIOLATIONS)))
    smallest = where(rows, series=SLACK)
    _by_comparator(slack, smallest)
    _by_comparator(condition, positive(smallest.assign(mean=smallest["condition"], se=0.0)))
    condition.axhline(ASKED, color="black", linestyle="-.", label=r"the proof asks for $\nu D^2\leq\frac{1}{2}$")
    log_scale(condition, "y")
    shares = percent(where(rows, series=VIOLATIONS))["mean"].dropna()
    most = f"at most {shares.max():.2g} % of steps violate it" if (shares > 0).any() else "no step violates it"
    violations.set(
        title=rf"{most if len(shares) else 'violations'} ($\lambda$ rising)",
        ylabel="steps that violate the inequality, %",
    )
    # Up to the largest share, and at least 5 %, because an axis to 100 % shows zeros as well as small shares as a line.
    largest = float(np.nanmax([5.0, *percent(where(rows, series=VIOLATIONS))["mean"]]))
    violations.set_ylim(-0.05 * largest, 1.05 * largest)
    slack.axhline(0.0, color="black", linewidth=0.8)
    least = f"{smallest['mean'].min():.2g} or more: " if len(smallest) else ""
    slack.set(title=f"{least}smallest slack of a run", ylabel=r"right minus left side of (C.2)")
    condition.set(title=_range_of_condition(smallest["condition"]), ylabel=r"$\nu\,D^2$")
    for panel in (violations, slack, condition):
        log_scale(panel, "x")
        value_ticks(panel, values_of(rows, "m"))
        panel.set_xlabel(M)
    _along_the_margin(ntk, where(main, panel="ntk"))
    claim = (
        r"Lemma C.2: $\frac{2}{3}L_S(W)\leq\langle\nabla L_S(W),W-W^*\rangle+\frac{4}{3}L_S(W^*)$ if $m$ is large; "
        r"Lemma C.12: $L_S(W_0+\tau u)\leq1/T$ at $\tau\sim(\log T+\sqrt{\log(n/\delta)})/\gamma$"
    )
    finish(figure, axes[0], 4, claim, caption(main, "n", "B", "d", "eta"))
    return figure


def _range_of_condition(values: "pd.Series[float]") -> str:
    """The title of the panel on the width condition: how far it is missed, or the share of runs that meet it."""
    if values.isna().all():
        return "the width condition"
    if values.min() > ASKED:
        return rf"never met: $\nu D^2$ is {values.min():.3g} or more"
    return f"met in {(values <= ASKED).mean():.0%} of runs: the width condition"


def _reached(rows: pd.DataFrame) -> str:
    """The title of the panel on the margin: the widths at which some step has the loss that Lemma C.12 promises."""
    if not len(rows):
        return "NTK comparator"
    widths = ", ".join(f"{m:g}" for m in values_of(rows[rows["mean"] <= 1 / rows["T"]], "m"))
    return f"$1/T$ reached at {f'$m={widths}$' if widths else 'no width'}: NTK comparator"


def _by_comparator(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws points side by side: by comparator (colours), then by noise (squares with noise), then by lambda."""
    runs = [
        (name, kappa, lam)
        for name in in_order(rows["comparator"], COMPARATORS)
        for (kappa, lam), _ in by_values(where(rows, comparator=name), "kappa", "lam")
    ]
    for rank, (name, kappa, lam) in enumerate(runs):
        color, text = COMPARATORS.get(name, (GREY, name))
        own = where(rows, comparator=name, kappa=kappa, lam=lam)
        moved = own.assign(m=own["m"] * SPAN ** ((rank + 0.5) / len(runs) - 0.5))
        style = {"color": color, "marker": "s" if kappa else "o", "linestyle": "none", "markersize": 4}
        curve(axes, moved, "m", rf"comparator: {text}, {'with' if kappa else 'without'} noise", **style)


def _along_the_margin(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the loss at W_0 + tau u, one curve for each width, beside 1/T."""
    widths = values_of(rows, "m")
    for (m,), own in by_values(rows, "m"):
        rank = widths.index(m)
        style = {"color": shades(len(widths))[rank], "marker": MARKERS[rank % len(MARKERS)]}
        curve(axes, own, "tau_gamma", f"$m={m:g}$", **style)
    for steps in values_of(rows, "T"):
        axes.axhline(1 / steps, color="black", linestyle="--", label=f"Lemma C.12: $1/T={1 / steps:g}$")
    log_scale(axes)
    axes.set(title=_reached(rows), ylabel=r"$L_S(W_0+\tau u)$")
    axes.set_xlabel(r"step along the margin's direction $\tau\gamma$")


def draw_initialisation(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws quantities at the start against the width, beside the bounds on them."""
    main = select(table)
    figure, axes = panels(4, size=(4.2, 3.9), squeeze=False)
    event, output, gradient, hessian = axes[0]
    curve(event, percent(where(main, series=EVENT)), "m", r"$E_\delta$ holds", color=BLUE)
    if "delta_conf" in display:
        promised = 100 * (1 - display["delta_conf"])
        event.axhline(promised, color="black", linestyle="-.", label=rf"promised: $1-\delta={promised:g}\,\%$")
    event.set(title="event of Lemma B.5", ylabel="starts, %")
    _no_more_than_all(event)
    parts = (
        (output, "outputs", "largest |f_0|", (("bound Q8", VERMILION, "bound of eq. (15)"),),
         r"$\max_i|f_{W_0}(x_i)|$"),
        (gradient, "gradients", GRADIENT, ((G_DELTA, VERMILION, r"$G_\delta$, eq. (5)"),
         (G_SHARP, SKY, r"$G_\mathrm{sharp}$, from the second layer")), r"$\max_i\|\nabla f_{W_0}(x_i)\|$"),
        (hessian, "Hessians", HESSIAN, (("nu", PURPLE, r"$\nu$, eq. (4)"),),
         r"$\max_i\|\nabla^2f_{W_0}(x_i)\|$"),
    )  # fmt: skip
    for panel, title, series, bounds, ylabel in parts:
        rows = where(main, series=series).sort_values("m")
        panel.fill_between(rows["m"], rows["q025"], rows["q975"], color=GREEN, alpha=0.2, linewidth=0)
        curve(panel, rows, "m", "measured: mean, and 2.5 % to 97.5 % of the starts", color=GREEN)
        for rank, (bound, color, text) in enumerate(bounds):
            curve(panel, where(main, series=bound), "m", text, color=color, marker="^v"[rank])
        log_scale(panel, "y")
        panel.set(title=title, ylabel=ylabel)
    guide(hessian, where(main, series="nu"), "m", -0.5, r"slope $-1/2$ in $m$")
    for panel in axes[0]:
        log_scale(panel, "x")
        value_ticks(panel, values_of(main, "m"))
        panel.set_xlabel(M)
    finish(figure, axes[0], 4, caption(main, "n", "d").replace("seeds", "starts"))
    return figure


def _no_more_than_all(axes: Axes) -> None:
    """Limits an axis of percentages to the shares that occur, with no tick above 100."""
    low, _ = axes.dataLim.intervaly
    room = max(0.2 * (100 - low), 0.2) if np.isfinite(low) else 100.0
    axes.set_ylim(min(low, 100.0) - room if np.isfinite(low) else 0.0, 100 + room)
    axes.set_yticks([tick for tick in axes.get_yticks() if axes.get_ylim()[0] <= tick < 100 + room / 2])
