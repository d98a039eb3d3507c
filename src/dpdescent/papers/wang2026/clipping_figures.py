"""The figure of wang2026 on the clipping threshold."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.wang2026.setting import G_DELTA, G_SHARP, POPULATION
from dpdescent.papers.wang2026.styles import (
    ETA,
    MARKERS,
    caption,
    curve,
    finish,
    in_order,
    joined,
    label_of,
    vacuous_line,
)
from dpdescent.replication.drawing.figures import log_scale, panels, scientific, select, shades, values_of, where

RULES = {G_DELTA: r"$G_\delta$", G_SHARP: r"$G_\mathrm{sharp}$"}


def draw_clipping(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws risk against step size by clipping threshold, one panel for each lambda, and the share clipped."""
    main = select(table).assign(clip_rule=lambda rows: rows["clip_rule"].map(_text))
    lambdas = values_of(main, "lam") or [0.0]
    figure, axes = panels(len(lambdas) + 1, size=(5.2, 4.2), squeeze=False)
    population = where(main, series=POPULATION)
    for panel, lam in zip(axes[0], lambdas, strict=False):
        _by_threshold(panel, where(population, lam=lam), display)
        vacuous_line(panel)
        panel.set(title=rf"$\lambda={lam:g}$", ylabel="averaged population risk")
        log_scale(panel, "xy")
    first = where(population, lam=lambdas[0])
    _by_threshold(axes[0, -1], first.assign(mean=100 * first["clipped"], se=0.0), display)
    axes[0, -1].set(title=rf"$\lambda={lambdas[0]:g}$", ylabel="clipped records, %")
    log_scale(axes[0, -1], "x")
    for panel in axes[0]:
        panel.set_xlabel(ETA)
    names = [label_of(name) for name in in_order(main["accountant"])]
    noise = f"noise by {joined(*names)}" if names else ""
    claim = r"Theorem 4.1 sets $C_\mathrm{clip}$ to the order of $G_\delta$, so that nothing is clipped"
    finish(figure, axes[0], 4, claim, caption(main, "n", "T", "B", "m", "d", "eps", "delta"), noise)
    return figure


def _text(rule: Any) -> str:
    """Returns a rule's name as text, because a name with digits alone may have been read as a number."""
    return rule if isinstance(rule, str) else f"{rule:g}"


def _by_threshold(axes: Axes, rows: pd.DataFrame, display: dict[str, Any]) -> None:
    rules = in_order(rows["clip_rule"], map(_text, display.get("arms", {}).get("clip_rule", ())))
    for rule, color, marker in zip(rules, shades(len(rules)), MARKERS * len(rules), strict=False):
        own = where(rows, clip_rule=rule)
        size = scientific(float(f"{own['C_clip'].mean():.3g}"))
        name = rf"{RULES[rule]} $={size}$" if rule in RULES else f"${size}$"
        curve(axes, own, "eta", rf"$C_\mathrm{{clip}}=\,${name}", color=color, marker=marker)
