"""Figures on the real data of liang2025: Figures 5, 10, 11 (Angrist-Evans) and 13 (Card), and random subsets."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.replication.figures import BLUE, GREEN, GREY, LEVELS, PURPLE, box, panels, select, vertical

# What the paper prints: the estimate for Angrist-Evans (Sec. 4.2), and after how many iterations it is reached.
PUBLISHED_BETA = -4.3
PUBLISHED_ITERATIONS = {"angrist": 15, "card": 10}
FIVE = ["q025", "q25", "median", "q75", "q975"]
BOX = "box: quartiles and median; whiskers: 2.5 % to 97.5 %"
WEEKS = r"weeks worked, $\beta$"


def draw_fig05(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Final estimates beside 2SLS, their dependence on data and settings, and learning paths of beta and Theta."""
    figure, axes = panels(2, 2, size=(5.6, 3.6), gridspec_kw={"width_ratios": [0.8, 1]})
    main = select(table)
    beta, Theta = (main[main["parameter"] == name] for name in ("beta", "Theta"))
    last, color = _last(beta), LEVELS.get(beta["rho1"].iloc[0], BLUE)
    box(axes[0, 0], last, 0, color)
    _benchmarks(axes[0, 0], last["two_sls"], PUBLISHED_BETA)
    axes[0, 0].set(title=f"(a) {last['trials']:.0f} private estimates", ylabel=rf"{WEEKS}$^{{(T)}}$", xticks=[0], xticklabels=["DP-2S-GD"])
    _variants(axes[1, 0], table)
    _path(axes[0, 1], beta, color, last["two_sls"])
    _path(axes[1, 1], Theta, color, last["first_stage"])
    axes[0, 1].set(title=r"(b) learning path of $\beta$", ylabel=r"$\beta^{(t)}$")
    axes[1, 1].set(title=r"(b) learning path of $\Theta$", ylabel=r"$\Theta^{(t)}$")
    for panel in axes[:, 1]:
        vertical(panel, PUBLISHED_ITERATIONS["angrist"], "claimed: about 15")
    return figure


draw_fig10 = draw_fig11 = draw_fig05


def _last(path: pd.DataFrame) -> "pd.Series[Any]":
    return path.loc[path["t"].idxmax()]


def _benchmarks(axes: Axes, two_sls: float, published: float | None = None) -> None:
    axes.axhline(two_sls, color="black", linestyle="--", linewidth=1.2, label=f"2SLS on the same records: {two_sls:.3g}")
    if published is not None:
        axes.axhline(published, color=GREY, linestyle=":", linewidth=1, label=f"the paper's value: {published:g}")
    axes.legend(loc="upper right")


def _path(axes: Axes, path: pd.DataFrame, color: str, target: float) -> None:
    """Mean with its standard error (the paper's band), the median, and where half and 80 % of the paths run."""
    path = path.sort_values("t")
    for low, high, shade, name in (("q10", "q90", 0.12, "80 %"), ("q25", "q75", 0.25, "50 %")):
        axes.fill_between(path["t"], path[low], path[high], color=color, alpha=shade, linewidth=0, label=f"{name} of the paths")
    axes.errorbar(path["t"], path["mean"], yerr=path["se"], color=color, marker="o", label="mean, standard error")
    axes.plot(path["t"], path["median"], color="black", linewidth=0.9, label="median")
    axes.axhline(target, color="black", linestyle="--", linewidth=1.0)
    axes.set_xlabel("iteration $t$")
    axes.legend(loc="lower right", ncols=2)


def _variants(axes: Axes, table: pd.DataFrame) -> None:
    """The final estimates under other readings and on other data, as parts of the 2SLS estimate of the same records."""
    rows = table[table["parameter"] == "beta"]
    names = ["main", *sorted(set(rows["variant"]) - {"main"})]
    for k, name in enumerate(names):
        last = _last(rows[rows["variant"] == name])
        parts = sorted(last[level] / last["two_sls"] for level in FIVE)
        box(axes, pd.Series(parts, FIVE), len(names) - k, BLUE if name == "main" else GREY)
    axes.axhline(1.0, color="black", linestyle="--", linewidth=1.0)


def draw_fig13(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Final estimates and learning paths of beta at three privacy levels, beside 2SLS."""
    figure, axes = panels(3, 2, size=(4.2, 3.4), sharey="row")
    beta = table[table["parameter"] == "beta"]
    for (level, color), (top, bottom) in zip(LEVELS.items(), axes.T, strict=True):
        rows = beta[beta["rho1"] == level]
        main = select(rows)
        for k, name in enumerate(["main", *sorted(set(rows["variant"]) - {"main"})]):
            box(top, _last(rows[rows["variant"] == name]), k, color if name == "main" else GREY)
        _benchmarks(top, _last(main)["two_sls"])
        _path(bottom, main, color, _last(main)["two_sls"])
        top.set_title(rf"$\rho_1=\rho_2={level:g}$")
    return figure


def draw_ext_angrist_subsets(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """2SLS over random subsets of the paper's size, and private estimates around the 2SLS of the same subset."""
    figure, (axes,) = panels(2, size=(5.4, 3.9))
    closed = select(table, series="2SLS").set_index("subset")["mean"]
    low, high = closed.quantile([0.01, 0.99])
    axes[0].hist(closed.clip(low, high), bins=40, color=GREY, alpha=0.6)
    for value, name, color in ((closed.median(), "median", "black"), (PUBLISHED_BETA, "the paper's value", PURPLE)):
        vertical(axes[0], value, f"{name}: {value:.1f}", color=color)
    for k, (level, color) in enumerate(LEVELS.items()):
        private = select(table, series="DP-2S-GD", rho1=level).set_index("subset")["mean"]
        away = private - closed
        box(axes[1], pd.Series({name: away.quantile(q) for name, q in zip(FIVE, (0.025, 0.25, 0.5, 0.75, 0.975))}), k, color)
    return figure
