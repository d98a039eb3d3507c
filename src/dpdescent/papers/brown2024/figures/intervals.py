"""Figures of brown2024 on confidence intervals: coverage (5, 10), length (6, 11), and coverage with outliers."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.brown2024.figures.accuracy import LAW, LINES, OLS
from dpdescent.papers.brown2024.figures.clipping import percent
from dpdescent.replication.drawing.figures import (
    GREY,
    ORANGE,
    PURPLE,
    legend_below,
    log_scale,
    panels,
    plain_number,
    select,
    thin_curve,
    variants_of,
)

# Label, colour and marker of each construction; no other method of the paper has these colours.
CONSTRUCTIONS = {
    "independent": ("independent runs", PURPLE, "o"), "checkpoints": ("checkpoints", ORANGE, "s"),
    "batched": ("batched means", "#006D77", "^"),
}  # fmt: skip
PROCESSES = {"clipped": "DP-GD", "exact": "exact process, no clipping"}
STEPS = "total number of gradients $N$"
COVERAGE = r"coverage of $\hat\theta$"
BARS = "points: mean; bars: central 95 % of the coordinates"
COLUMNS = 3
# Minimisers that are closer than this count as equal.
ROUNDING = 1e-9


def draw_fig05(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the coverage of least squares by the three constructions against the number of gradients."""
    figure, places = _grid(table)
    for panel, rows in places:
        panel.axhline(display["nominal"], color="black", linestyle="--", linewidth=1.0, label="nominal level")
        if set(rows["variant"]) == {"main"}:
            _constructions(panel, rows)
            _guarantees(panel, rows[rows["process"] == "exact"])
        else:
            _readings(panel, rows)
        log_scale(panel, "x")
        panel.set_ylabel(COVERAGE)
    covered = table[table["series"].isin(CONSTRUCTIONS)]
    lowest = math.floor(20 * min(covered["q025"].min() - 0.01, 0.8)) / 20
    for panel, _ in places:
        panel.set_ylim(lowest, 1.01)
    legend_below(figure, [panel for panel, _ in places], 4, BARS)
    return figure


def draw_fig10(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws Figure 10, which is Figure 5 with anisotropic covariates."""
    return draw_fig05(table, display)


def draw_fig06(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the length of the three intervals against the number of gradients, its prediction, and the OLS length."""
    figure, places = _grid(table)
    for panel, rows in places:
        closed = select(rows, series="OLS").sort_values("steps")
        panel.plot(closed["steps"], closed["mean"], color=OLS, linestyle="--", linewidth=1.3, label="least squares")
        if set(rows["variant"]) == {"main"}:
            _constructions(panel, rows)
            _predictions(panel, rows)
        else:
            _readings(panel, rows)
        log_scale(panel)
        panel.set_ylabel("length of the intervals")
    _alike_by_size(places)
    legend_below(figure, [panel for panel, _ in places], 4, BARS)
    return figure


def _alike_by_size(places: list[tuple[Axes, pd.DataFrame]]) -> None:
    """Gives panels of one sample size one range of lengths, because they are to be compared."""
    for n in sorted({rows["n"].iloc[0] for _, rows in places}):
        alike = [panel for panel, rows in places if rows["n"].iloc[0] == n]
        ends = np.array([panel.get_ylim() for panel in alike])
        for panel in alike:
            panel.set_ylim(ends[:, 0].min(), ends[:, 1].max())


def draw_fig11(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws Figure 11, which is Figure 6 with anisotropic covariates."""
    return draw_fig06(table, display)


def _grid(table: pd.DataFrame) -> tuple[Figure, list[tuple[Axes, pd.DataFrame]]]:
    """Returns a figure and its panels with their rows: one for each process and n, and one for other readings.

    The largest n with clipping comes first.
    """
    parts = list(_parts(table))
    columns = min(COLUMNS, math.ceil(len(parts) ** 0.5))
    figure, axes = panels(columns, math.ceil(len(parts) / columns), size=(4.6, 3.5), squeeze=False)
    for panel in axes.flat[len(parts) :]:
        panel.axis("off")
    places = []
    for panel, (title, chosen) in zip(axes.flat, parts, strict=False):
        panel.set(title=title, xlabel=STEPS)
        places.append((panel, chosen))
    return figure, places


def _parts(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    main = select(table)
    found = set(zip(main["process"], main["n"], strict=True))
    largest = max((n for process, n in found if process == "clipped"), default=None)
    for process, n in sorted(found, key=lambda each: (each != ("clipped", largest), each[0] == "clipped", each[1])):
        yield f"{PROCESSES[process]}, $n={n}$", select(main, process=process, n=n)
    others = table[table["variant"] != "main"]
    for process, n in sorted(set(zip(others["process"], others["n"], strict=True))):
        name = f"{PROCESSES[process].split(',')[0]}, $n={n}$: other readings"
        yield name, table[(table["process"] == process) & (table["n"] == n)]


def _constructions(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws one curve for each construction, moved aside so that points at one N do not hide each other."""
    for k, (series, (label, color, marker)) in enumerate(CONSTRUCTIONS.items()):
        chosen = select(rows, series=series).sort_values("steps")
        if len(chosen):
            x = chosen["steps"] * 1.03 ** (k - 1)
            _bars(axes, x, chosen, label=label, color=color, marker=marker, markersize=4, linewidth=1.1)


def _bars(axes: Axes, x: Any, rows: pd.DataFrame, **style: Any) -> None:
    """Draws means with the central 95 % of the coordinates as bars."""
    reach = [(rows["mean"] - rows["q025"]).clip(lower=0.0), (rows["q975"] - rows["mean"]).clip(lower=0.0)]
    axes.errorbar(x, rows["mean"], yerr=reach, elinewidth=0.8, **style)


def _guarantees(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the coverage guaranteed without clipping (brown2024 Claim C.10)."""
    for series, (_, color, _) in CONSTRUCTIONS.items():
        chosen = rows[(rows["series"] == series) & (rows["guaranteed"] > 0.5)].sort_values("steps")
        if len(chosen):
            axes.plot(chosen["steps"], chosen["guaranteed"], color=color, linestyle=":", linewidth=1.2)
    if len(rows):
        axes.plot([], [], color=GREY, linestyle=":", linewidth=1.2, label="guaranteed without clipping (Claim C.10)")


def _predictions(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the lengths that the exact law predicts, and their limits in long runs."""
    for k, (series, (_, color, _)) in enumerate(CONSTRUCTIONS.items()):
        chosen = rows[rows["series"] == series].sort_values("steps")
        axes.plot(chosen["steps"] * 1.03 ** (k - 1), chosen["predicted"], color=LAW, linewidth=0.9, zorder=3)
        axes.plot(chosen["steps"], chosen["settled"], color=color, linestyle=":", linewidth=1.2)
    axes.plot([], [], color=LAW, linewidth=0.9, label="predicted by the exact law")
    axes.plot([], [], color=GREY, linestyle=":", linewidth=1.2, label="predicted after the burn-in")


def _readings(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the means of the main variant and of other readings of the paper.

    Independent runs come last, with wider lines, because by their last iterate alone they lie on the checkpoints.
    """
    for name, line in zip(variants_of(rows), ("-", *LINES), strict=False):
        for series, (_, color, _) in reversed(CONSTRUCTIONS.items()):
            width = 2.0 if series == "independent" and name != "main" else 0.9
            chosen = select(rows, name, series=series)
            thin_curve(axes, chosen, "steps", color=color, linestyle=line, linewidth=width)
        if name != "main":
            axes.plot([], [], color=GREY, linestyle=line, linewidth=0.9, label=name)


def draw_ext_outliers(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the coverage of the Huber minimiser and of least squares, by construction and threshold."""
    main = select(table)
    # By the share of outliers, because cells may come in another order.
    parts = sorted(set(main["panel"]), key=lambda part: display["cells"][part]["share"])
    counts = sorted(set(main["steps"]))
    figure, axes = panels(
        len(parts), len(counts), size=(5.8, 3.5 if len(counts) > 1 else 4.6), sharey=True, squeeze=False
    )
    for row, steps in zip(axes, counts, strict=True):
        for panel, part in zip(row, parts, strict=True):
            rows = main[(main["steps"] == steps) & (main["panel"] == part)]
            panel.axhline(display["nominal"], color="black", linestyle="--", linewidth=1.0, label="nominal level")
            _targets(panel, rows)
            share = display["cells"][part]["share"]
            panel.set_title(f"{f'{100 * share:g} %' if share else 'no'} outliers, $N={steps}$")
        row[0].set_ylabel("coverage")
    axes[0, 0].set_ylim(-0.02, 1.03)
    legend_below(figure, axes[0], 4, BARS)
    return figure


def _targets(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the coverage of both targets by every construction, in a group for each threshold."""
    factors = sorted(set(rows["clip_factor"]))
    marks = {"huber": ("Huberised minimiser", None), "ols": ("least squares", "white")}
    for j, (target, (what, face)) in enumerate(marks.items()):
        for k, (name, (label, color, marker)) in enumerate(CONSTRUCTIONS.items()):
            chosen = rows[(rows["series"] == target) & (rows["construction"] == name)].sort_values("clip_factor")
            x = np.array([factors.index(factor) for factor in chosen["clip_factor"]]) + 0.3 * j - 0.15 + 0.08 * (k - 1)
            if len(chosen):
                style = {"color": color, "markerfacecolor": face or color, "fmt": marker}
                _bars(axes, x, chosen, label=f"{what}, {label}", **style)
    means = rows.groupby("clip_factor")[["clip_fraction", "apart"]].mean()
    axes.set_xticks(range(len(factors)), [_group(factor, *means.loc[factor]) for factor in factors])
    axes.set_xlim(-0.5, len(factors) - 0.5)
    axes.grid(visible=False, axis="x")


def _group(factor: float, clipped: float, apart: float) -> str:
    """Returns the name of a threshold, with the share clipped there and the distance of its two targets."""
    threshold = rf"$\gamma={'' if factor == 1 else f'{factor:g}'}\sqrt{{p}}$"
    distance = f"targets {plain_number(float(f'{apart:.2g}'))} apart" if apart > ROUNDING else "same targets"
    return f"{threshold}\n{percent(clipped)} % clipped\n{distance}"
