"""Names of axes, colours, and curves by reading of the paper and by privacy level, for all figures of liang2025."""

from collections.abc import Callable, Iterable

import pandas as pd
from matplotlib.axes import Axes

from dpdescent.replication.drawing.figures import (
    BLUE,
    DARK_BLUE,
    DARK_VERMILION,
    GREEN,
    GREY,
    MARKERS,
    METHODS,
    ORANGE,
    PURPLE,
    SKY,
    curve,
    end_labels,
    level_colors,
    log_scale,
    median_curve,
    thin_curve,
    variants_of,
)

N = "sample size $n$"
ITERATIONS = "number of iterations $T$"
ERROR = {"beta_hat": r"error $\|\beta^{(T)}-\hat\beta\|$", "beta": r"error to the truth $\|\beta^{(T)}-\beta\|$"}
SPREAD = "points: mean with standard error; shade: from 10 % to 90 % of the runs"
# Colour by rho1, darker for a larger share of the budget in the first stage.
SPLITS = {1.0: "#F2AE7F", 5.0: METHODS["DP-2S-GD"], 9.0: DARK_VERMILION}
VARIANTS = {
    "clip constant 1": PURPLE, "step constants": SKY, "parameters redrawn": DARK_BLUE, "forty iterations": ORANGE,
    "recommended step held": ORANGE, "clip constant 2": BLUE, "clip constant 15": GREEN, "clip constant 100": ORANGE,
}  # fmt: skip
PRIVACY = {0.1: "strong", 1.0: "moderate", 10.0: "weak"}


def middle(values: Iterable[float]) -> float:
    """Returns the middle one of the distinct values, at which a split or privacy level is drawn alone."""
    distinct = sorted(set(values))
    return distinct[len(distinct) // 2]


def readings(
    axes: Axes, rows: pd.DataFrame, x: str, main: str = METHODS["DP-2S-GD"], draw: Callable[..., None] = curve
) -> None:
    """Draws the main variant and, thin, other readings of the paper, each curve with its name at its end."""
    ends, colors = [], {**VARIANTS, "main": main}
    # Thin curves and names follow the column "mean", which is the median where the law has no mean.
    shown = rows.assign(mean=rows["median"]) if draw is median_curve else rows
    for variant in variants_of(rows):
        chosen, color = shown[shown["variant"] == variant].sort_values(x), colors.get(variant, GREY)
        if variant == "main":
            draw(axes, chosen, x, variant, color=color, marker=".")
        else:
            thin_curve(axes, chosen, x, color=color)
        ends.append((float(chosen["mean"].iloc[-1]), variant, color))
    log_scale(axes)
    end_labels(axes, ends)


def levels(axes: Axes, rows: pd.DataFrame, x: str, budget: str) -> None:
    """Draws one curve for each privacy level of a budget (`rho1` or `rho2`)."""
    for (level, color), marker in zip(level_colors(rows[budget]).items(), MARKERS, strict=False):
        label = f"{level:g} ({PRIVACY[level]} privacy)" if level in PRIVACY else f"{level:g}"
        curve(axes, rows[rows[budget] == level], x, label, color=color, marker=marker)
