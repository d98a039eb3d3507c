"""Figure of varshney2022 on Lemmas 3.5 and 3.11 beside runs."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.varshney2022.setting import SSGD
from dpdescent.papers.varshney2022.styles import RISK, TRIVIAL, look, marks, with_budget
from dpdescent.replication.drawing import figures
from dpdescent.replication.drawing.figures import GREY, ORANGE, VERMILION, log_scale, panels, positive, select, where

KINDS = {
    ("DP-AMBSSGD", "as run"): "DP-AMBSSGD as run", ("DP-AMBSSGD", "no clipping"): "DP-AMBSSGD, no clipping",
    (SSGD, "no clipping"): "DP-SSGD, no clipping",
}  # fmt: skip
# Runs with the threshold's logarithms set to 1, by the kind of run with the threshold as printed.
WITHOUT_LOGS = {"no clipping": "no clipping, logs 1"}
# Distance of these below the line of their setting.
BELOW = 0.32
# Marks of a setting: column, marker, colour and label.
MARKS = (
    ("expected", "x", "black", "expected (exact law)"),
    ("bound_without_logs", "<", ORANGE, "Lemma 3.11 with its logarithms set to 1"),
    ("bound", "D", VERMILION, "Lemma 3.11, Lemma 3.5 (DP-SSGD), as printed"),
)


def draw_bound_vs_run(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws measured and exact risks and the lemmas' bounds, a panel for each kind of run, a line for each setting."""
    main = select(table)
    cells = main[["sigma", "N", "d"]].drop_duplicates().sort_values(["sigma", "N", "d"], ascending=[False, True, True])
    names = [rf"$\sigma={s:g}$, $N={figures.scientific(n)}$, $d={d:g}$" for s, n, d in cells.itertuples(index=False)]
    places = {cell: place for place, cell in enumerate(cells.itertuples(index=False, name=None))}
    height = 1.6 + 0.42 * len(names)
    figure, axes = panels(len(KINDS), size=(4.6, height), squeeze=False, sharey=True)
    for panel, ((algorithm, kind), title) in zip(axes[0], KINDS.items(), strict=True):
        rows = where(main, algorithm=algorithm)
        keys = zip(rows["sigma"], rows["N"], rows["d"], strict=True)
        rows = rows.assign(place=[places[key] for key in keys])
        without = where(rows, kind=WITHOUT_LOGS.get(kind, ""))
        _beside_bounds(panel, where(rows, kind=kind), algorithm)
        _beside_bounds(panel, without.assign(place=without["place"] + BELOW), algorithm, without_logs=True)
        panel.axvline(TRIVIAL, color="black", linestyle=(0, (1, 1)), linewidth=1.0, label="trivial estimate 0: 1/2")
        log_scale(panel, "x")
        panel.grid(visible=False, axis="y")
        panel.set(title=title, xlabel=RISK, ylim=(max(len(names), 1) - 0.5, -0.5))
    axes[0, 0].set_yticks(range(len(names)), names)
    figures.legend_below(figure, axes[0], 3, with_budget(main, "points: mean with standard error; thick: 10 % to 90 %"))
    return figure


def _beside_bounds(axes: Axes, rows: pd.DataFrame, algorithm: str, without_logs: bool = False) -> None:
    """Draws the marks of all settings, with a line from the measured risk to the largest bound."""
    if not len(rows):
        return
    largest = rows[["mean", "bound", "bound_without_logs"]].max(axis=1)
    axes.hlines(rows["place"], rows["mean"], largest, color=GREY, linewidth=0.7)
    color = look(algorithm)["color"]
    axes.hlines(rows["place"], rows["q10"], rows["q90"], color=color, alpha=0.35, linewidth=6)
    # In front of the bounds, which may be close to it, and behind the exact law.
    style = {"color": color, "marker": look(algorithm)["marker"], "linestyle": "none", "zorder": 3.5}
    style |= {"markerfacecolor": "white"} if without_logs else {}
    label = f"measured, {algorithm}" + (r", $\log^aN$ in the threshold set to 1" if without_logs else "")
    axes.errorbar(rows["mean"], rows["place"], xerr=rows["se"], label=label, **style)
    for column, marker, color, label in MARKS:
        shown = positive(rows, column)
        if len(shown):
            zorder = 4 if column == "expected" else 3
            marks(axes, shown[column], shown["place"], marker, label, color=color, zorder=zorder)
