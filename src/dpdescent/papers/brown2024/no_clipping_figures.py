"""Figures of brown2024 on its theorems: the conditions for no clipping, and Theorem 2.7 at small sigma."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.brown2024.no_clipping import ANY, FRACTION
from dpdescent.replication.drawing.figures import (
    BLUE,
    GREEN,
    GREY,
    MARKERS,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    curve,
    legend_below,
    log_scale,
    panels,
    select,
    shades,
)

PARTS = {
    "(ii) covariates": GREEN, "(iii) residuals": BLUE, "(iv) signal": PURPLE, "(v) cross terms": ORANGE,
    "c0 of Lemma 2.6": "black",
}  # fmt: skip
REQUIRED = {"at the data's c0": VERMILION, "at the lemma's c0": "black"}
CONSTRUCTIONS = {"independent runs": PURPLE, "checkpoints": ORANGE}
SHARES = {ANY: "some gradient of a run", FRACTION: "fraction of gradients"}
N = "sample size $n$"
# Line styles of the dimensions.
LINES = ("-", "--", ":")


def draw_ext_no_clipping(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws Condition 2.4 on data, ratios of required to used settings, the coupling's probability, and coverage lost."""
    figure, grid = panels(2, 2, size=(5.6, 4.3))
    axes, rows = grid.ravel(), select(table)
    _condition(axes[0], select(rows, panel="condition"))
    _required(axes[1], select(rows, panel="required"))
    _coupling(axes[2], select(rows, panel="coupling"))
    _coverage(axes[3], select(rows, panel="coverage"))
    # Fixed places, because the search of `best` warns when it is slow; above, room is made for them beyond the curves.
    for panel, place in zip(axes, ("upper center", "upper center", "lower left", "upper right"), strict=True):
        # Checked because a user's grid may leave a panel empty.
        if panel.get_legend_handles_labels()[0]:
            panel.legend(fontsize=7.5, ncols=2, handlelength=3.4, loc=place)
    for panel, room in zip(axes, (3e3, 1e4), strict=False):
        low, high = panel.get_ylim()
        panel.set_ylim(low, high * room)
    return figure


def _condition(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the smallest c0 with which data sets meet each part of the condition, and the constant of Lemma 2.6."""
    for (p, group), line in zip(rows.groupby("p"), LINES, strict=False):
        for (part, color), marker in zip(PARTS.items(), MARKERS, strict=False):
            style = {"color": color, "marker": marker, "linestyle": line}
            curve(axes, group[group["series"] == part], "n", f"{part.replace('c0', '$c_0$')}, $p={p}$", **style)
    log_scale(axes)
    axes.set(title="Condition 2.4", xlabel=N, ylabel="smallest $c_0$")


def _required(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws ratios of the gamma and n that Lemma 2.5 requires to the experiments' own."""
    for (p, group), line in zip(rows.groupby("p"), LINES, strict=False):
        wide = group.pivot_table(index="n", columns="series", values="mean")
        for (whose, color), (what, marker) in (
            (a, b) for a in REQUIRED.items() for b in {"gamma": "o", "n": "s"}.items()
        ):  # fmt: skip
            wanted = [f"{what} required {whose}", f"{what} used"]
            needed, used = (wide.reindex(columns=wanted)[name] for name in wanted)
            ratio = (needed / used).dropna()
            label = rf"$\{what}$" if what == "gamma" else f"${what}$"
            axes.plot(
                ratio.index, ratio, color=color, marker=marker, linestyle=line,
                label=f"{label} {whose.replace('c0', '$c_0$')}, $p={p}$",
            )  # fmt: skip
    axes.axhline(1.0, color=GREY, linestyle="-.", linewidth=0.9)
    log_scale(axes)
    axes.set(title="Lemma 2.5: required over used", xlabel=N, ylabel="ratio")


def _coupling(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the share of runs with any clipped gradient: Lemma 2.2's bound on the distance from the unclipped law."""
    for (n, group), marker, line in zip(rows.groupby("n"), MARKERS, (*LINES, "-."), strict=False):
        for (series, what), color in zip(SHARES.items(), (VERMILION, SKY), strict=True):
            chosen = group[(group["series"] == series) & (group["mean"] > 0)].sort_values("clip_factor")
            # Without a shade, because the share is 0 or 1 on most data sets, which a band cannot show.
            style: dict[str, Any] = {"color": color, "marker": marker, "linestyle": line}
            axes.plot(chosen["clip_factor"], chosen["mean"], label=f"{what}, $n={n}$", **style)
    log_scale(axes, "y")
    axes.set_ylim(axes.get_ylim()[0] / 100, 4.0)
    axes.set(title="Lemma 2.2: what is clipped", xlabel=r"clipping threshold $\gamma/\sqrt{p}$", ylabel="probability")


def _coverage(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the loss of coverage that the exact law and Pinsker's inequality allow without clipping."""
    for (construction, color), marker in zip(CONSTRUCTIONS.items(), MARKERS, strict=False):
        chosen = rows[rows["series"] == f"TV bound, {construction}"]
        curve(axes, chosen, "T", construction, color=color, marker=marker)
    axes.axhline(0.95, color=GREY, linestyle="-.", linewidth=0.9, label="vacuous above")
    log_scale(axes, "y")
    axes.set(title="Theorem 3.1 with numbers", xlabel="steps between estimates $T$", ylabel="loss of coverage at most")


def draw_ext_small_noise(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the error relative to Theorem 2.7's bound, and the share clipped at the first step, as sigma tends to 0."""
    figure, grid = panels(2)
    axes, rows = grid.ravel(), select(table)
    # Shades of one colour, because all runs are DP-GD.
    colors = shades(rows["c"].nunique())
    for (c, group), color, marker in zip(rows.groupby("c"), colors, MARKERS, strict=False):
        group = group.sort_values("sigma")
        style = {"color": color, "marker": marker, "label": f"$c={c:g}$"}
        relative = group[["mean", "se"]].div(group["bound"], axis=0)
        axes[0].errorbar(group["sigma"], relative["mean"], yerr=relative["se"], **style)
        axes[1].plot(group["sigma"], group["clipped_at_start"], **style)
    axes[0].axhline(1.0, color=GREY, linestyle="-.", linewidth=0.9)
    log_scale(axes[0])
    log_scale(axes[1], "x")
    noise = r"label noise $\sigma$"
    axes[0].set(xlabel=noise, ylabel="error over bound (11) with $c'=1$")
    axes[1].set(xlabel=noise, ylabel="fraction clipped at the first step", ylim=(-0.03, 1.03))
    legend_below(figure, axes, 3, "constant of the theorem's T and threshold; points: mean with standard error")
    return figure
