"""Figures of brown2024 on confidence intervals: coverage (5, 10), length (6, 11), and coverage with outliers."""

import math
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.brown2024.clipping_figures import percent
from dpdescent.papers.brown2024.dimension_figures import LINES, OLS
from dpdescent.replication.drawing.figures import (
    FINE,
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
MEASURED, THEORY, READINGS = "measured", "theory", "readings"
# The factor in N by which neighbouring constructions stand apart.
ASIDE = 1.03
# The distance below which minimisers count as equal.
ROUNDING = 1e-9


class Part(NamedTuple):
    """A panel of measured intervals of one process and n, of theory, or of readings of the paper."""

    title: str
    kind: str
    rows: pd.DataFrame


def draw_fig05(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the coverage of least squares by the three constructions against the number of gradients."""
    exact = select(table, process="exact")
    # Without independent runs, whose coverage no reading changes.
    figure, places = _grid(table, [Part("guaranteed without clipping", THEORY, exact)], ("checkpoints", "batched"))
    for panel, part in places:
        panel.axhline(display["nominal"], color="black", linestyle="--", linewidth=1.0, label="nominal level")
        if part.kind == THEORY:
            _guarantees(panel, part.rows)
        elif part.kind == READINGS:
            _readings(panel, part.rows)
        else:
            _constructions(panel, part.rows)
        log_scale(panel, "x")
        panel.set_ylabel(COVERAGE)
    covered = table[table["series"].isin(CONSTRUCTIONS)]
    lowest = math.floor(20 * min(covered["q025"].min() - 0.01, 0.8)) / 20
    for panel, _ in places:
        panel.set_ylim(lowest, 1.01)
    legend_below(figure, [panel for panel, _ in places], 4, BARS)
    return figure


def draw_fig06(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the length of the three intervals against the number of gradients, its prediction, and the OLS length."""
    exact = select(table, process="exact")
    # One sample size is enough, because lengths of the law are nearly in proportion to 1 / n.
    figure, places = _grid(table, [Part(f"exact law, $n={n}$", THEORY, rows) for n, rows in exact.groupby("n")][:1])
    for panel, part in places:
        if part.kind == READINGS:
            _readings(panel, part.rows)
        else:
            closed = select(part.rows, series="OLS").sort_values("steps")
            if len(closed):
                look: dict[str, Any] = {"color": OLS, "linestyle": "--", "linewidth": 1.3, "label": "least squares"}
                panel.plot(closed["steps"], closed["mean"], **look)
            _laws(panel, part.rows, settled=part.kind == THEORY)
        if part.kind == MEASURED:
            _constructions(panel, part.rows, linestyle="none")
        log_scale(panel, "x")
        # A single construction spans less than a decade.
        log_scale(panel, "y", FINE if part.kind == READINGS else (1, 2, 5))
        panel.set_ylabel("length of the intervals")
    # Panels of one sample size have one range of lengths, because they are to be compared.
    sized = [(panel, part.rows["n"].iloc[0]) for panel, part in places if part.kind != READINGS]
    for n in sorted({n for _, n in sized}):
        alike = [panel for panel, size in sized if size == n]
        ends = np.array([panel.get_ylim() for panel in alike])
        for panel in alike:
            panel.set_ylim(ends[:, 0].min(), ends[:, 1].max())
    legend_below(figure, [panel for panel, _ in places], 4, BARS)
    return figure


draw_fig10 = draw_fig05
draw_fig11 = draw_fig06


def _grid(
    table: pd.DataFrame, theory: list[Part], read: Collection[str] = tuple(CONSTRUCTIONS)
) -> tuple[Figure, list[tuple[Axes, Part]]]:
    """Returns a figure and its panels: DP-GD first, the process without clipping and its theory, readings last.

    Args:
        read: constructions of which readings get a panel.
    """
    main, others = select(table), table[table["variant"] != "main"]
    clipped, exact = (
        [
            Part(f"{PROCESSES[process]}, $n={n}$", MEASURED, rows)
            for n, rows in select(main, process=process).groupby("n")
        ]
        for process in ("clipped", "exact")
    )
    kinds = [
        clipped[::-1],
        [*exact, *(part for part in theory if len(part.rows))],
        list(_by_series(table, others, read)),
    ]
    lines = [kind[k : k + COLUMNS] for kind in kinds for k in range(0, len(kind), COLUMNS)]
    figure, axes = panels(max(map(len, lines)), len(lines), size=(4.6, 3.2), squeeze=False, sharex=True)
    places = []
    for row, parts in zip(axes, lines, strict=True):
        for panel, part in zip(row, parts, strict=False):
            panel.set(title=part.title, xlabel=STEPS)
            panel.tick_params(labelbottom=True)
            places.append((panel, part))
        for panel in row[len(parts) :]:
            panel.axis("off")
    return figure, places


def _by_series(table: pd.DataFrame, others: pd.DataFrame, read: Collection[str]) -> Iterator[Part]:
    """Yields a panel for each construction that has other readings, with the headline at the same process and n."""
    for (process, n), _ in others.groupby(["process", "n"]):
        for series, (label, *_) in CONSTRUCTIONS.items():
            rows = table[(table["process"] == process) & (table["n"] == n) & (table["series"] == series)]
            if len(rows) and series in read:
                yield Part(f"readings, $n={n}$: {label}", READINGS, rows)


def _constructions(axes: Axes, rows: pd.DataFrame, **style: Any) -> None:
    """Draws one curve for each construction, moved aside so that points at one N do not hide each other."""
    for k, (series, (label, color, marker)) in enumerate(CONSTRUCTIONS.items()):
        chosen = select(rows, series=series).sort_values("steps")
        if len(chosen):
            x = chosen["steps"] * ASIDE ** (k - 1)
            look = {"color": color, "marker": marker, "markersize": 4, "linewidth": 1.1} | style
            _bars(axes, x, chosen, label=label, **look)


def _bars(axes: Axes, x: Any, rows: pd.DataFrame, **style: Any) -> None:
    """Draws means with the central 95 % of the coordinates as bars."""
    reach = [(rows["mean"] - rows["q025"]).clip(lower=0.0), (rows["q975"] - rows["mean"]).clip(lower=0.0)]
    axes.errorbar(x, rows["mean"], yerr=reach, elinewidth=0.8, **style)


def _guarantees(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the coverage guaranteed without clipping (brown2024 Claim C.10), with a line style for each n."""
    for (n, group), dashes in zip(rows.groupby("n"), (":", *LINES), strict=False):
        for series, (_, color, _) in CONSTRUCTIONS.items():
            chosen = group[(group["series"] == series) & (group["guaranteed"] > 0.5)].sort_values("steps")
            if len(chosen):
                axes.plot(chosen["steps"], chosen["guaranteed"], color=color, linestyle=dashes, linewidth=1.2)
        label = f"guaranteed without clipping (Claim C.10), $n={n}$"
        axes.plot([], [], color=GREY, linestyle=dashes, linewidth=1.2, label=label)


def _laws(axes: Axes, rows: pd.DataFrame, settled: bool) -> None:
    """Draws the lengths that the exact law predicts and, if wanted, their limits in long runs."""
    for k, (series, (_, color, _)) in enumerate(CONSTRUCTIONS.items()):
        chosen = rows[rows["series"] == series].sort_values("steps")
        axes.plot(chosen["steps"] * ASIDE ** (k - 1), chosen["predicted"], color=color, linewidth=1.0)
        if settled:
            axes.plot(chosen["steps"] * ASIDE ** (k - 1), chosen["settled"], color=color, linestyle=":", linewidth=1.6)
    axes.plot([], [], color=GREY, linewidth=1.0, label="predicted by the exact law")
    if settled:
        axes.plot([], [], color=GREY, linestyle=":", linewidth=1.6, label="predicted after the burn-in")


def _readings(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the means of one construction in the main variant and under other readings of the paper."""
    for name, line in zip(variants_of(rows), ("-", *LINES), strict=False):
        for series, chosen in select(rows, name).groupby("series"):
            thin_curve(axes, chosen, "steps", color=CONSTRUCTIONS[series][1], linestyle=line, linewidth=1.4)
        if name != "main":
            axes.plot([], [], color=GREY, linestyle=line, linewidth=1.4, label=name)


def draw_ext_outliers(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the coverage of the Huber minimiser and of least squares, by construction and threshold."""
    main = select(table)
    # Panels are sorted by the share of outliers, because cells may come in another order.
    parts = sorted(set(main["panel"]), key=lambda part: (display["cells"][part]["share"], part))
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
    """Draws the coverage of the Huber minimiser and of least squares by construction, in a group for each threshold.

    Below each group stand its threshold, the share of gradients clipped and the distance of the two targets.
    """
    factors = sorted(set(rows["clip_factor"]))
    marks = {"huber": ("Huberised minimiser", None), "ols": ("least squares", "white")}
    for j, (target, (words, face)) in enumerate(marks.items()):
        for k, (name, (label, color, marker)) in enumerate(CONSTRUCTIONS.items()):
            chosen = rows[(rows["series"] == target) & (rows["construction"] == name)].sort_values("clip_factor")
            x = np.array([factors.index(factor) for factor in chosen["clip_factor"]]) + 0.3 * j - 0.15 + 0.08 * (k - 1)
            if len(chosen):
                style = {"color": color, "markerfacecolor": face or color, "fmt": marker}
                _bars(axes, x, chosen, label=f"{words}, {label}", **style)
    means, groups = rows.groupby("clip_factor")[["clip_fraction", "apart"]].mean(), []
    for factor in factors:
        clipped, apart = means.loc[factor]
        threshold = rf"$\gamma={'' if factor == 1 else f'{factor:g}'}\sqrt{{p}}$"
        distance = f"targets {plain_number(float(f'{apart:.2g}'))} apart" if apart > ROUNDING else "same targets"
        groups.append(f"{threshold}\n{percent(clipped)} % clipped\n{distance}")
    axes.set_xticks(range(len(factors)), groups)
    axes.set_xlim(-0.5, len(factors) - 0.5)
    axes.grid(visible=False, axis="x")
