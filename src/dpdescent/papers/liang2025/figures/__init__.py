"""Figures of liang2025: the theory and our own experiments here, the others in `synthetic` and `real`."""

from itertools import cycle
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.liang2025.figures.extensions import draw_ext_consistency, draw_ext_long_runs
from dpdescent.papers.liang2025.figures.real import (
    draw_ext_angrist_subsets,
    draw_fig05,
    draw_fig10,
    draw_fig11,
    draw_fig13,
)
from dpdescent.papers.liang2025.figures.synthetic import (
    ERROR,
    ITERATIONS,
    SPLITS,
    SPREAD,
    N,
    draw_fig03,
    draw_fig04,
    draw_fig06,
    draw_fig07,
    draw_fig08,
    draw_fig09,
    middle,
)
from dpdescent.replication.drawing.figures import (
    BACKGROUND,
    BLUE,
    GREEN,
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
    slope_guide,
    thin_curve,
    vertical,
)
from dpdescent.replication.judging.statistics import log_log_slope

__all__ = [
    "draw_ext_angrist_subsets", "draw_ext_calibration", "draw_ext_consistency", "draw_ext_friendlycore",
    "draw_ext_long_runs", "draw_ext_overidentified",
    "draw_ext_parameter_draws", "draw_ext_weak_instrument", "draw_fig01", "draw_fig02", "draw_fig03", "draw_fig04",
    "draw_fig05", "draw_fig06", "draw_fig07", "draw_fig08", "draw_fig09", "draw_fig10", "draw_fig11", "draw_fig13",
]  # fmt: skip

# Place and meaning of every node of Figure 1, and place and alignment of the text.
NODES = {
    "z": ((0.0, 0.0), "instrument", (-0.42, 0.0, "right")),
    "x": ((2.0, 0.0), "regressor", (1.9, 0.45, "right")),
    "y": ((4.0, 0.0), "outcome", (4.42, 0.0, "left")),
    "u": ((3.0, 1.5), "confounder, not observed", (3.42, 1.5, "left")),
}
# Smallest distance drawn, because a logarithmic axis cannot show 0.
ROUNDING = 1e-16
CORE = "FriendlyCore-2SLS"
# Colours of DP-2S-GD at a smaller and at the larger number of iterations.
FEWER_STEPS = (SPLITS[1.0], METHODS["DP-2S-GD"])
MEDIANS = "points: median with 95 % interval; shade: quartiles"
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


def draw_fig02(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws bound (7) against the number of iterations, its three terms, and the boundaries of its regimes."""
    figure, axes = panels(size=(8.2, 4.6))
    names = {
        "total": ("bound (7)", "black"), "optimisation": (r"optimisation: $\kappa^{T/2}$", GREEN),
        "sampling": (r"sampling: $1/\sqrt{n}$", BLUE), "privacy": (r"privacy: $\sqrt{T}/n$", VERMILION),
    }  # fmt: skip
    for series, (label, color) in names.items():
        style = {"linestyle": "-", "linewidth": 2.4} if series == "total" else {"linewidth": 1.4}
        thin_curve(axes, table[table["series"] == series], "T", label, color=color, **style)
    log_scale(axes)
    lowest = table[table["series"] == "privacy"]["mean"].min()
    axes.set_ylim(lowest / 1.5, 5 * table["mean"].max())
    _regimes(axes, table.iloc[0], float(table["T"].max()))
    axes.set(xlabel=ITERATIONS, ylabel=r"bound on $\|\beta^{(T)}-\hat\beta\|$, hidden constants set to 1")
    legend_below(figure, [axes], 4)
    return figure


def _regimes(axes: Axes, row: "pd.Series[Any]", longest: float) -> None:
    """Draws shades, names and boundaries of the regimes of Remark 3.7; beyond T3 condition (5) fails."""
    ends = [1.0, row["T1"], row["T2"], row["T3"], longest]
    names = ("drop:\noptimisation", "plateau:\nsampling", "rise:\nprivacy", "(5)\nfails")
    for low, high, name, shade in zip(ends, ends[1:], names, (GREEN, BLUE, VERMILION, GREY), strict=False):
        axes.axvspan(low, high, color=shade, alpha=0.08, linewidth=0)
        axes.text((low * high) ** 0.5, 0.97, name, transform=axes.get_xaxis_transform(), ha="center", va="top")
    axes.set_xlim(1.0, longest)
    for name in ("T1", "T2", "T3"):
        vertical(axes, row[name], f"$T_{name[1]}={row[name]:.0f}$", height=0.5, side="left")


def draw_ext_parameter_draws(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws Figures 3(a) and 8 for other draws of the parameters, and the slope in n of each draw."""
    figure, (axes,) = panels(3, size=(4.4, 4.1))
    rows = select(table, error_to="beta_hat", series="DP-2S-GD")
    rho1 = middle(rows["rho1"])
    by_n = _draws(axes[0], rows[(rows["panel"] == "fig03") & (rows["rho1"] == rho1)], "n")
    _draws(axes[1], rows[rows["panel"] == "fig08"], "gamma")
    slope_guide(axes[0], by_n.index, (by_n.index[0], by_n.iloc[0]), -0.5, r"claimed rate $1/\sqrt{n}$")
    axes[0].set(title=rf"Figure 3(a), $\rho_1={rho1:g}$", xlabel=N, ylabel=ERROR["beta_hat"])
    axes[1].set(title="Figure 8", xlabel=r"clipping threshold $\gamma$", ylabel=ERROR["beta_hat"])
    _slopes(axes[2], rows[rows["panel"] == "fig03"])
    legend_below(figure, axes, 7)
    return figure


def _draws(axes: Axes, rows: pd.DataFrame, x: str) -> "pd.Series[float]":
    """Draws a thin line for each draw and a thick one for the median over draws, and returns the median."""
    for k, (_, group) in enumerate(rows.groupby("draw")):
        label = None if k else "one draw of the parameters"
        thin_curve(axes, group, x, label, color=METHODS["DP-2S-GD"], linestyle="-", alpha=0.5)
    typical = rows.groupby(x)["mean"].median()
    axes.plot(typical.index, typical, color=METHODS["DP-2S-GD"], marker="o", linewidth=2.2, label="median over draws")
    log_scale(axes)
    return typical


def _slopes(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws one point for each draw and split of the budget, splits moved aside so that no bar hides another."""
    axes.axhline(-0.5, color=GREY, linestyle=":", linewidth=1.2)
    aside = 0.013 * (rows["theta_min"].max() - rows["theta_min"].min())
    for k, ((rho1, split), marker) in enumerate(zip(rows.groupby("rho1"), MARKERS, strict=False)):
        draws = [group for _, group in split.groupby("draw")]
        slopes = [log_log_slope(group, "n") for group in draws]
        axes.errorbar(
            [group["theta_min"].iloc[0] + (k - 1) * aside for group in draws], [slope.value for slope in slopes],
            yerr=[slope.high - slope.value for slope in slopes], color=SPLITS.get(rho1), marker=marker,
            linestyle="none", label=rf"$\rho_1={rho1:g}$, $\rho_2={split['rho2'].iloc[0]:g}$",
        )  # fmt: skip
    axes.set(title="log-log slope in $n$, one point a draw", xlabel=r"smallest singular value of $\Theta$")
    axes.set_ylabel("slope with 95 % interval")


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


def draw_ext_friendlycore(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws DP-2S-GD beside FriendlyCore, a panel a total budget, and the share of records that FriendlyCore keeps."""
    budgets = select(table).groupby("rho")
    figure, (axes,) = panels(len(budgets) + 1, size=(5.6, 3.5))
    *errors, shares = axes
    lines = zip(MARKERS, cycle((":", "--", "-")), strict=False)
    for panel, (rho, group), (marker, line) in zip(errors, budgets, lines, strict=False):
        panel.sharey(errors[0])
        _beside_core(panel, group)
        core = group[group["series"] == CORE].sort_values("n")
        look: dict[str, Any] = {"color": METHODS[CORE], "marker": marker, "linestyle": line}
        shares.plot(core["n"], core["records_used"] / core["n"], label=rf"share at $\rho={rho:g}$", **look)
        failed, note = core[core["failed"] > 0], "core too small in some or all runs"
        for place, height in ((panel, failed["median"]), (shares, failed["records_used"] / failed["n"])):
            place.plot(failed["n"], height, "x", color="black", markersize=9, label=note)
        log_scale(panel)
        panel.set(title=rf"total budget $\rho={rho:g}$", xlabel=N, ylabel=ERROR["beta_hat"])
    log_scale(shares, "x")
    shares.set(title="core of FriendlyCore", xlabel=N, ylabel="share of the records", ylim=(-0.03, 1.03))
    for panel in axes:
        panel.set_xticks(sorted(set(table["n"])))
    legend_below(figure, axes, 4, MEDIANS)
    return figure


def _beside_core(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws DP-2S-GD by number of iterations, lighter for fewer, and FriendlyCore."""
    runs = [*rows[rows["T"] > 0].groupby("T"), (0, rows[rows["series"] == CORE])]
    colors = (*FEWER_STEPS[-len(runs) + 1 :], METHODS[CORE])
    for (T, own), color, marker in zip(runs, colors, MARKERS, strict=False):
        steps = f", $T={T}$" if color == METHODS["DP-2S-GD"] else f" at $T={T}$"
        median_curve(axes, own, "n", f"DP-2S-GD{steps}" if T else "FriendlyCore", color=color, marker=marker)


CALIBRATIONS = (
    ("as published", METHODS["DP-2S-GD"], "o"), ("exact", BLUE, "s"), ("exact accountant", PURPLE, "^"),
    ("exact accountant and schedule", GREEN, "D"),
)  # fmt: skip


def draw_ext_calibration(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws errors, noise and budget spent with the noise of Prop. 3.1 and with the least noise of that guarantee."""
    figure, (axes,) = panels(3, size=(4.3, 4.0))
    rows = select(table, error_to="beta_hat")
    for series, color, marker in CALIBRATIONS:
        chosen = rows[rows["series"] == series].sort_values("n")
        curve(axes[0], chosen, "n", series, color=color, marker=marker)
        for panel, column in ((axes[1], "noise_sd"), (axes[2], "achieved_rho")):
            panel.plot(chosen["n"], chosen[column], color=color, marker=marker)
    log_scale(axes[0])
    log_scale(axes[1])
    log_scale(axes[2], "x")
    axes[0].set(title="error", xlabel=N, ylabel=ERROR["beta_hat"])
    axes[1].set(title="noise", xlabel=N, ylabel=r"noise on the mean gradient, sd $\lambda_1=\lambda_2$")
    claimed = rows[rows["series"] == "exact"]["achieved_rho"].max()
    highest = 1.12 * rows["achieved_rho"].max()
    axes[2].set(title="budget that is spent", xlabel=N, ylabel="zCDP cost of the releases", ylim=(0, highest))
    axes[2].text(rows["n"].min(), 1.03 * claimed, rf"claimed: $\rho_1+\rho_2={claimed:g}$")
    legend_below(figure, axes[:1], 4, SPREAD)
    return figure


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
