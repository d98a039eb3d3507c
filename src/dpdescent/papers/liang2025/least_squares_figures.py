"""Figures of liang2025 on two-stage least squares: Figures 1 and 9, more instruments than regressors, weak ones."""

from collections.abc import Callable
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.liang2025.drawing import ERROR, SPREAD, N
from dpdescent.replication.drawing.figures import (
    BACKGROUND,
    GREY,
    MARKERS,
    METHODS,
    ORANGE,
    PURPLE,
    VERMILION,
    curve,
    legend_below,
    level_colors,
    log_scale,
    median_curve,
    panels,
    select,
    shades,
    thin_curve,
)

# Place and meaning of every node of Figure 1, and place and alignment of the text.
NODES = {
    "z": ((0.0, 0.0), "instrument", (-0.42, 0.0, "right")),
    "x": ((2.0, 0.0), "regressor", (1.9, 0.45, "right")),
    "y": ((4.0, 0.0), "outcome", (4.42, 0.0, "left")),
    "u": ((3.0, 1.5), "confounder, not observed", (3.42, 1.5, "left")),
}
# Smallest distance drawn, because a logarithmic axis cannot show 0.
ROUNDING = 1e-16
OFF_SCALE = (-0.8, 1.8)


def draw_fig01(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the causal diagram: the arrows of the model, and the one that the exclusion restriction forbids."""
    figure, axes = panels(size=(8.4, 3.5))
    for name, ((x, y), meaning, (left, base, align)) in NODES.items():
        axes.plot(x, y, "o", markersize=34, markerfacecolor="white", markeredgecolor="black")
        axes.text(x, y, f"${name}$", fontsize=17, ha="center", va="center")
        axes.text(left, base, meaning, fontsize=11, ha=align, va="center")
    for arrow in table.fillna({"label": ""}).itertuples():
        _arrow(axes, NODES[arrow.source][0], NODES[arrow.target][0], arrow.label, excluded=arrow.mean == 0)
    axes.set(aspect="equal", xlim=(-1.9, 6.1), ylim=(-1.2, 1.9))
    axes.axis("off")
    return figure


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], label: str, excluded: bool) -> None:
    color, bend = (VERMILION, 0.3) if excluded else ("black", 0.0)
    style = {"arrowstyle": "-|>", "mutation_scale": 18, "linewidth": 1.6, "color": color, "shrinkA": 19, "shrinkB": 19}
    style |= {"linestyle": "--" if excluded else "-", "connectionstyle": f"arc3,rad={bend}"}
    axes.annotate("", xy=end, xytext=start, arrowprops=style)
    # Middle of the quadratic curve that the connection style draws.
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2 - bend * (end[0] - start[0]) / 2
    if excluded:
        axes.plot(x, y, "X", color=color, markersize=15)
    axes.text(x, y - (0.25 if excluded else 0.1), label, color=color, fontsize=11, ha="center", va="top")


def draw_fig09(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws 2S-GD and 2SLS against n: errors of one design, as in the paper, of redrawn ones, and their distance."""
    figure, (axes,) = panels(3, size=(4.3, 4.1))
    views = (
        ("main", "beta", curve, "one design, means as in the paper"),
        ("parameters redrawn", "beta", median_curve, "parameters redrawn, medians"),
        ("main", "beta_hat", median_curve, "one design, distance to 2SLS"),
    )  # fmt: skip
    for panel, (variant, target, draw, title) in zip(axes, views, strict=True):
        _steps(panel, select(table, variant, error_to=target), draw)
        if target == "beta_hat":
            _other_steps(panel, select(table, "step constants", error_to=target))
        log_scale(panel)
        panel.set(title=title, xlabel=N, ylabel=ERROR[target])
    legend_below(figure, axes, 4, f"left, {SPREAD}; else medians with 95 % interval and quartiles")
    return figure


def _steps(axes: Axes, rows: pd.DataFrame, draw: Callable[..., None]) -> None:
    """Draws one curve for each number of iterations, in shades that differ from black, and 2SLS, whose T is 0."""
    steps = rows[rows["T"] > 0].groupby("T")
    for (T, group), color, marker in zip(steps, shades(len(steps) + 1)[1:], MARKERS, strict=False):
        draw(axes, group, "n", f"2S-GD, $T={T}$", color=color, marker=marker)
    if (rows["T"] == 0).any():
        draw(axes, rows[rows["T"] == 0], "n", "2SLS", color=METHODS["2SLS"], marker="D")


def _other_steps(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws, thin, the medians at other constants of the step sizes, in the shades of the same numbers of iterations."""
    steps = rows[rows["T"] > 0].groupby("T")
    for (_, group), color in zip(steps, shades(len(steps) + 1)[1:], strict=False):
        thin_curve(axes, group.assign(mean=group["median"]).sort_values("n"), "n", color=color)


def draw_ext_overidentified(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws errors, distance of the descent to 2SLS, and residual moments, with more instruments than regressors."""
    figure, (axes,) = panels(3, size=(4.4, 4.1))
    main = select(table)
    _estimators(axes[0], main[main["error_to"] == "beta"])
    _estimators(axes[1], main[(main["error_to"] == "beta_hat") & (main["series"] != "2SLS")])
    axes[1].axhline(ROUNDING, color=GREY, linestyle=":", linewidth=1.0)
    moments = main.groupby("n")[["residual_moment", "projected_moment"]].mean()
    in_bound, met = r"$\|Z^\top r\|/n$, in the bound", r"$\|\hat\Theta^\top Z^\top r\|/n$, what the descent meets"
    axes[2].plot(moments["residual_moment"], color=ORANGE, marker="o", label=in_bound)
    axes[2].plot(moments["projected_moment"], color=PURPLE, marker="s", label=met)
    labels = (ERROR["beta"], ERROR["beta_hat"], "norm of the moment")
    titles = ("error to the truth", "distance to 2SLS", "residual moments of 2SLS")
    for panel, label, title in zip(axes, labels, titles, strict=True):
        log_scale(panel)
        panel.set(title=title, xlabel=N, ylabel=label)
    axes[1].text(0.98, 3 * ROUNDING, "machine precision", transform=axes[1].get_yaxis_transform(), ha="right")
    axes[2].legend(loc="center")
    legend_below(figure, axes[:1], 5, SPREAD)
    return figure


def _estimators(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws one curve for each estimator and number of iterations; T = 0 is the closed form."""
    shown = rows.assign(**{name: rows[name].clip(lower=ROUNDING) for name in ("mean", "q10", "q90")})
    steps = sorted(set(shown[shown["series"] == "2S-GD"]["T"]))
    looks = {("2S-GD", T): look for T, *look in zip(steps, shades(len(steps) + 1)[1:], MARKERS[1:], strict=False)}
    for (series, T), group in shown.groupby(["series", "T"]):
        color, marker = looks.get((series, T)) or (METHODS[series], "." if series == "2SLS" else "o")
        curve(axes, group, "n", f"{series}, $T={T}$" if T else series, color=color, marker=marker)


def draw_ext_weak_instrument(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws estimates with their predicted attenuation, and their spread, against the strength of the first stage."""
    figure, (axes,) = panels(2, size=(5.6, 4.2))
    main = select(table)
    colors = level_colors(main[main["series"] != "2SLS"]["rho1"]) | {float("inf"): METHODS["2SLS"]}
    for (rho1, color), marker in zip(colors.items(), MARKERS, strict=False):
        rows = main[main["rho1"] == rho1].sort_values("first_stage")
        label = "2SLS" if rho1 == float("inf") else rf"DP-2S-GD, $\rho_1={rho1:g}$"
        inside = (rows["median_low"] >= OFF_SCALE[0]) & (rows["median_high"] <= OFF_SCALE[1])
        median_curve(axes[0], rows[inside], "first_stage", label, shade=0.0, color=color, marker=marker)
        # Without bars, which would cross the whole panel.
        axes[0].plot(
            rows[~inside]["first_stage"], rows[~inside]["median"], marker, color=color, markerfacecolor="white"
        )
        if label != "2SLS":
            axes[0].plot(rows["first_stage"], rows["predicted"], color=color, linestyle="--", linewidth=1.0)
        axes[1].plot(rows["first_stage"], rows["q75"] - rows["q25"], color=color, marker=marker)
        _off_scale(axes[0], rows, color)
    axes[0].plot([], [], color=GREY, linestyle="--", linewidth=1.0, label="predicted attenuation (mean)")
    axes[0].set(ylim=OFF_SCALE, ylabel=r"estimate $\beta^{(T)}$ (the truth is 1)")
    axes[1].set_ylabel("interquartile range of the estimates")
    # Linear for a single trial, because its spread is 0, which a logarithmic axis cannot show.
    for panel, which in ((axes[0], "x"), (axes[1], "xy" if (main["q75"] > main["q25"]).any() else "x")):
        log_scale(panel, which)
        panel.set_xlabel(r"strength of the first stage $\Theta$")
    legend_below(
        figure,
        axes,
        5,
        "left, points: median with 95 % interval; hollow: its interval leaves the panel; arrows: medians off the scale",
    )
    return figure


def _off_scale(axes: Axes, rows: pd.DataFrame, color: str) -> None:
    """Writes medians that are below the panel at its lower edge."""
    for _, row in rows[rows["median"] < OFF_SCALE[0]].iterrows():
        axes.annotate(
            f"{row['median']:.3g}", (row["first_stage"], OFF_SCALE[0]), xytext=(4, 36), textcoords="offset points",
            fontsize=7.5, color=color, va="bottom", arrowprops={"arrowstyle": "-|>", "color": color}, bbox=BACKGROUND,
            zorder=10,
        )  # fmt: skip
