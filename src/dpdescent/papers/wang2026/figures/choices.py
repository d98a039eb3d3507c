"""Figures of wang2026 on choices in training: width, batch size and clipping threshold."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from dpdescent.papers.wang2026.figures.styles import (
    BARS,
    EMPIRICAL,
    ETA,
    POPULATION,
    B,
    M,
    curve,
    each,
    finish,
    guide,
    in_order,
    joined,
    label_of,
    lam_color,
    panels_in,
    sizes,
    vacuous_line,
    value_ticks,
)
from dpdescent.replication.drawing.figures import (
    BLUE,
    GREEN,
    METHODS,
    ORANGE,
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
RULES = {"G_delta": r"$G_\delta$", "G_sharp": r"$G_\mathrm{sharp}$"}
# Colour and name of quantities that are measured on a run or at its start.
DIAGNOSTICS = {
    "gamma": (BLUE, r"margin $\gamma$"), "initial_output": (GREEN, r"$\max_i|f_{W_0}(x_i)|$"),
    "hessian": (ORANGE, r"largest Hessian at the start"),
}  # fmt: skip

# The panel of `batch` in which the number of gradients is held.
FIXED_GRADIENTS = "T B fixed"


def draw_width(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws risks against the width without and with noise, and quantities at the start and the noise of a step."""
    main = select(table)
    figure, axes = panels(4, size=(4.3, 4.2), squeeze=False)
    names = panels_in(main, display)
    for rank, panel in enumerate(axes[0, :2]):
        rows = where(main, panel=names[rank]) if rank < len(names) else main.iloc[:0]
        _risks_by_lambda(panel, rows)
        panel.set_title(joined(*names[rank : rank + 1], sizes(rows, "kappa")))
    once = where(main, series=POPULATION).sort_values("kappa").drop_duplicates("m")
    _start(axes[0, 2], once)
    _noise_norms(axes[0, 3], main)
    for panel in axes[0]:
        panel.set_xlabel(M)
    claim = (
        r"Theorem 4.1 asks for $\gamma^{-4}\lesssim m\lesssim B^2/(\eta^2\kappa^2\gamma^2d\dots)$: noise caps the width"
    )
    finish(figure, axes[0], 4, claim, _about(main, "n", "T", "B", "d", "C_clip"))
    return figure


def _about(rows: pd.DataFrame, *columns: str) -> str:
    return joined(sizes(rows, *columns), BARS, by="; ")


def _risks_by_lambda(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws risks with one colour for each lambda: full lines are population risks, dotted ones empirical risks."""
    for (lam,), own in each(rows, "lam"):
        for series, marker, dash in ((POPULATION, "o", "-"), (EMPIRICAL, ".", ":")):
            label = rf"{series}, $\lambda={lam:g}$"
            curve(axes, where(own, series=series), "m", label, color=lam_color(lam), marker=marker, linestyle=dash)
    vacuous_line(axes)
    log_scale(axes)
    value_ticks(axes, values_of(rows, "m"))
    axes.set_ylabel("averaged risk")


def _start(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws margin, outputs and curvature at the start against the width."""
    rows = rows.sort_values("m")
    for (name, (color, label)), marker in zip(DIAGNOSTICS.items(), MARKERS, strict=False):
        axes.plot(rows["m"], rows[name], color=color, marker=marker, label=label)
    guide(axes, rows.assign(mean=rows["hessian"]), "m", -0.5, r"slope $-1/2$ in $m$, as of $\nu$")
    log_scale(axes)
    value_ticks(axes, values_of(rows, "m"))
    axes.set(title="at the start", ylabel="value (see legend)")


def _noise_norms(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the norm of a step's noise, which grows with the number of parameters."""
    own = positive(where(rows, series=POPULATION), "noise_norm")
    for (lam,), each_lam in each(own, "lam"):
        curve(
            axes, each_lam, "m", rf"noise of a step, $\lambda={lam:g}$", "noise_norm", color=lam_color(lam), marker="s"
        )
    first = own[own["lam"] == own["lam"].min()]
    guide(axes, first.assign(mean=first["noise_norm"]), "m", 0.5, r"slope $1/2$ in $m$, at one $\eta$", dash="--")
    log_scale(axes)
    value_ticks(axes, values_of(rows, "m"))
    axes.set(title=r"noise of a step, at the tuned step $\eta$", ylabel=r"$\eta\,C_\mathrm{clip}(\kappa/B)\sqrt{mdp}$")


def draw_batch(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws risks against the batch size, a column at fixed iterations and one at fixed gradients, a row a risk."""
    main = select(table)
    names = panels_in(main, display) or [""]
    figure, axes = panels(len(names), 2, size=(5.6, 3.4), squeeze=False, sharey="col")
    for column, name in zip(axes.T, names, strict=True):
        rows = where(main, panel=name)
        for panel, series in zip(column, (POPULATION, EMPIRICAL), strict=True):
            _by_noise(panel, where(rows, series=series), values_of(main, "eta"), name == FIXED_GRADIENTS)
            vacuous_line(panel)
            log_scale(panel)
            if len(rows):
                panel.set_ylim(rows["mean"].min() / 1.4, rows["mean"].max() * 1.4)
            value_ticks(panel, values_of(rows, "B"))
            panel.set(title=joined(name, sizes(rows, "T")), xlabel=B, ylabel=f"averaged {series}")
    claim = r"Theorem 4.1 claims terms $\eta/B$ and $\kappa/B$: larger batches help, the more so with noise"
    finish(figure, axes.flat, 4, claim, _about(main, "n", "m", "d", "lam", "C_clip"))
    return figure


def _by_noise(axes: Axes, rows: pd.DataFrame, steps: list[float], fixed_gradients: bool) -> None:
    """Draws a curve for each multiplier and step, and a guide with the slope of the noise term."""
    for (kappa, eta), own in each(rows, "kappa", "eta"):
        # The colour of DP-SGD, because the noise is independent here.
        color = _shade(METHODS["DP-SGD" if kappa else "non-private"], eta, steps)
        curve(axes, own, "B", rf"$\kappa={kappa:g}$, $\eta={eta:g}$", color=color, marker=MARKERS[steps.index(eta)])
    noisy = rows[(rows["kappa"] > 0) & (rows["eta"] == rows["eta"].max())]
    root, plain = r"slope $-1/2$, as of $\kappa/(B\sqrt{T})$ at fixed $TB$", r"slope $-1$, as of $\kappa/B$"
    if fixed_gradients:
        guide(axes, noisy, "B", -0.5, root, dash="--")
    else:
        guide(axes, noisy, "B", -1.0, plain)


def _shade(color: str, step: float, steps: list[float]) -> str:
    """Returns a colour that is lighter for a smaller step."""
    share = (steps.index(step) + 1) / len(steps)
    return to_hex([1 - share * (1 - part) for part in to_rgb(color)])


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
    finish(figure, axes[0], 4, claim, _about(main, "n", "T", "B", "m", "d", "eps", "delta"), noise)
    return figure


def _text(rule: Any) -> str:
    """Returns a rule's name as text, because one that is a number may have been read as such."""
    return rule if isinstance(rule, str) else f"{rule:g}"


def _by_threshold(axes: Axes, rows: pd.DataFrame, display: dict[str, Any]) -> None:
    rules = in_order(rows["clip_rule"], map(_text, display.get("arms", {}).get("clip_rule", ())))
    for rule, color, marker in zip(rules, shades(len(rules)), MARKERS * len(rules), strict=False):
        own = where(rows, clip_rule=rule)
        size = scientific(float(f"{own['C_clip'].mean():.3g}"))
        name = rf"{RULES[rule]} $={size}$" if rule in RULES else f"${size}$"
        curve(axes, own, "eta", rf"$C_\mathrm{{clip}}=\,${name}", color=color, marker=marker)
