"""Figures of liang2025 on real data: Figures 5, 10, 11 (Angrist-Evans) and 13 (Card), and random subsets."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MultipleLocator

from dpdescent.papers.liang2025.real_data import PER_CHILD
from dpdescent.replication.drawing.figures import (
    DARK_BLUE,
    GREY,
    METHODS,
    PURPLE,
    box,
    legend_below,
    level_colors,
    panels,
    select,
    variants_of,
    vertical,
)

FIVE = {"q025": 0.025, "q25": 0.25, "median": 0.5, "q75": 0.75, "q975": 0.975}
BOXES = "boxes: quartiles and median; whiskers: 2.5 % to 97.5 %"
# The budget of Figure 5, by which it differs from Figures 10 and 11.
SECTION_4 = 1.0
RELATIVE_TICKS = (-1000, -100, -10, -2, -1, 0, 1, 2, 3, 10, 100, 1000)


def draw_fig05(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws final estimates beside 2SLS, on other data and settings too, and learning paths of beta and Theta."""
    figure, axes = panels(2, 2, size=(5.4, 3.7), gridspec_kw={"width_ratios": [0.85, 1]})
    main = select(table)
    beta, Theta = (main[main["parameter"] == name].sort_values("t") for name in ("beta", "Theta"))
    last, (color,) = beta.iloc[-1], level_colors(beta["rho1"]).values()
    box(axes[0, 0], last, 0.0, color)
    axes[0, 0].set(title=rf"(a) {last['trials']:.0f} private estimates $\beta^{{(T)}}$", xlim=(-1.4, 1.4), xticks=[0])
    axes[0, 0].set(xticklabels=["DP-2S-GD"], ylabel=r"effect $\beta^{(T)}$ in weeks worked")
    _benchmark(axes[0, 0], last["two_sls"], f"2SLS of these records: {last['two_sls']:.2f}")
    published = display["published"]
    printed, after = published["angrist_beta"], published["angrist_iterations"]
    # Of Figures 10 and 11 the paper says that they converge within T, the end of the axis.
    claimed = f"claimed: about {after}" if last["rho1"] == SECTION_4 else f"claimed: within {last['t']:g}"
    after = after if last["rho1"] == SECTION_4 else last["t"]
    # The paper's regressor is the number of children, that of these records whether there are more than two.
    here, label = printed * PER_CHILD, f"paper, {printed:g} a child: {printed * PER_CHILD:.2f}"
    _benchmark(axes[0, 0], here, label, color=GREY, linestyle=":")
    axes[0, 0].margins(y=0.13)
    _other_data(axes[1, 0], table[table["parameter"] == "beta"], color)
    _path(axes[0, 1], beta, color, last["two_sls"])
    _path(axes[1, 1], Theta, color, last["first_stage"])
    for panel, symbol, unit, height in (
        (axes[0, 1], r"\beta", " in weeks worked", 0.98),
        (axes[1, 1], r"\Theta", "", 0.45),
    ):
        vertical(panel, after, claimed, height=height, side="left")
        panel.set(title=rf"(b) learning path of ${symbol}$", ylabel=rf"${symbol}^{{(t)}}${unit}")
    legend_below(figure, axes[:1, 1], 5, BOXES)
    return figure


draw_fig10 = draw_fig11 = draw_fig05


def _benchmark(axes: Axes, value: float, label: str, color: str = METHODS["2SLS"], linestyle: str = "--") -> None:
    axes.axhline(value, color=color, linestyle=linestyle, linewidth=1.1)
    axes.annotate(
        label, (0.02, value), xycoords=axes.get_yaxis_transform(), xytext=(0, 2), textcoords="offset points",
        fontsize=8, color=color, va="bottom",
    )  # fmt: skip


def _path(axes: Axes, path: pd.DataFrame, color: str, target: float) -> None:
    """Draws the mean with its standard error (the paper's band), the median, and bands of 50 % and 80 % of the runs."""
    for low, high, shade, share in (("q10", "q90", 0.12, 80), ("q25", "q75", 0.25, 50)):
        label = f"{share} % of the runs"
        axes.fill_between(path["t"], path[low], path[high], color=color, alpha=shade, linewidth=0, label=label)
    axes.errorbar(path["t"], path["mean"], yerr=path["se"], color=color, marker="o", label="mean, standard error")
    axes.plot(path["t"], path["median"], color=DARK_BLUE, linewidth=0.9, label="median")
    axes.axhline(target, color=METHODS["2SLS"], linestyle="--", linewidth=1.0, label="2SLS of the same records")
    axes.xaxis.set_major_locator(MultipleLocator(5))
    axes.set_xlabel("iteration $t$")


def _boxes_by_variant(axes: Axes, rows: pd.DataFrame, color: str, relative: bool) -> None:
    """Draws final estimates of every variant, plain or relative to the 2SLS estimate of the same records."""
    last = rows[rows["t"] == rows["t"].max()].set_index("variant")
    names = variants_of(rows)
    for k, name in enumerate(names):
        scale = last.loc[name, "two_sls"] if relative else 1.0
        box(axes, last.loc[name, list(FIVE)] / scale, k, color if name == "main" else GREY)
    shown = (name.removesuffix(" at rho = 0.1") for name in names)
    labels = [name.replace(" ", "\n", 1) if name != "all women, worked" else "all women,\nworked" for name in shown]
    axes.set_xticks(range(len(names)), labels, fontsize=7.5)


def _other_data(axes: Axes, rows: pd.DataFrame, color: str) -> None:
    _boxes_by_variant(axes, rows, color, relative=True)
    axes.axhline(1.0, color=METHODS["2SLS"], linestyle="--", linewidth=1.0)
    axes.set_yscale("symlog", linthresh=3, linscale=1.5)
    # Limits are set anew, because with those of the linear scale whiskers touch the frame.
    axes.autoscale_view()
    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(FixedLocator([tick for tick in RELATIVE_TICKS if low <= tick <= high]))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set(title="other readings and other data", ylabel=r"$\beta^{(T)}$ / 2SLS of the same records")


def draw_fig13(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws final estimates and learning paths of beta at three privacy levels, beside 2SLS."""
    beta = table[table["parameter"] == "beta"].sort_values("t")
    levels = level_colors(beta["rho1"])
    figure, axes = panels(len(levels), 2, size=(4.2, 3.4), sharey="row")
    for part, (level, color), (top, bottom) in zip("abcdef", levels.items(), axes.T, strict=False):
        rows = beta[beta["rho1"] == level]
        main = select(rows)
        _boxes_by_variant(top, rows, color, relative=False)
        top.axhline(main["two_sls"].iloc[0], color=METHODS["2SLS"], linestyle="--", linewidth=1.0)
        _path(bottom, main, color, main["two_sls"].iloc[0])
        within = display["published"]["card_iterations"]
        vertical(bottom, within, f"claimed: within {within}", height=0.42)
        top.set_title(rf"({part}) $\rho_1=\rho_2={level:g}$")
    widest = select(beta, t=beta["t"].max())[["q025", "q975"]].agg(["min", "max"])
    low, high = widest.loc["min", "q025"], widest.loc["max", "q975"]
    axes[0, 0].set(ylim=(low - 0.6 * (high - low), high + 0.6 * (high - low)), ylabel=r"$\beta^{(T)}$, log wage a year")
    axes[1, 0].set_ylabel(r"learning path $\beta^{(t)}$, log wage a year")
    legend_below(figure, axes[1, :1], 5, f"{BOXES}, which may leave the panel")
    return figure


def draw_ext_angrist_subsets(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws 2SLS over random subsets of the paper's size, and private estimates minus the 2SLS of the same subset."""
    figure, (axes,) = panels(2, size=(5.4, 4.0))
    closed = select(table, series="2SLS").set_index("subset")["mean"]
    _histogram(axes[0], closed / PER_CHILD, display["published"]["angrist_beta"])
    box(axes[1], _five(closed - closed.median()), 0, METHODS["2SLS"])
    private = select(table, series="DP-2S-GD")
    levels = level_colors(private["rho1"])
    for k, (level, color) in enumerate(levels.items(), start=1):
        box(axes[1], _five(private[private["rho1"] == level].set_index("subset")["mean"] - closed), k, color)
    labels = ["2SLS around\nits median", *("DP-2S-GD,\n" + rf"$\rho_1=\rho_2={level:g}$" for level in levels)]
    axes[1].set_xticks(range(len(labels)), labels)
    axes[1].axhline(0.0, color=METHODS["2SLS"], linestyle="--", linewidth=1.0)
    title = "private estimate less 2SLS of the same subset"
    axes[1].set(title=title, xlabel=BOXES, ylabel="difference in weeks worked")
    return figure


def _histogram(axes: Axes, values: "pd.Series[float]", printed: float) -> None:
    low, high = values.quantile([0.005, 0.995])
    inside = values[(values >= low) & (values <= high)]
    axes.hist(inside, bins=40, color=METHODS["2SLS"], alpha=0.35)
    axes.set_ylim(top=1.35 * axes.get_ylim()[1])
    below = 100 * (values < printed).mean()
    vertical(axes, values.median(), f"median: {values.median():.1f}", METHODS["2SLS"], side="left")
    vertical(axes, printed, f"the paper: {printed:g}\n({below:.0f} % lie below)", PURPLE)
    title = f"2SLS of {len(values)} subsets ({len(values) - len(inside)} lie outside)"
    axes.set(title=title, xlabel=r"2SLS estimate $\hat\beta$, weeks worked per child", ylabel="number of subsets")


def _five(values: "pd.Series[float]") -> "pd.Series[Any]":
    """Returns the five quantiles that a box shows."""
    return pd.Series({name: values.quantile(level) for name, level in FIVE.items()})
