"""The figure of the benchmark: times of all ways to do a workload, divided by the time of this project's engines."""

import textwrap

import pandas as pd
from matplotlib.figure import Figure

from dpdescent.replication.bench import OURS, TEXTBOOK
from dpdescent.replication.drawing import figures

LIMIT = "limit with numpy"

# Tools by the first word of a way's name.
LOOKS = {
    TEXTBOOK: (figures.GREY, "s"), "numba": (figures.VERMILION, "o"), "jax-privacy": (figures.PURPLE, "D"),
    "jax": (figures.SKY, "D"), "torch": (figures.ORANGE, "^"), "opacus": (figures.YELLOW, "^"),
    "scipy": (figures.GREEN, "v"),
}  # fmt: skip


def draw(table: pd.DataFrame) -> Figure:
    """Draws one row for each workload; times are on a logarithmic axis.

    Args:
        table: rows of results/bench.csv: workload, way, seconds, of_ours, limit_s.
    """
    figures.use_style()
    names = list(dict.fromkeys(table["workload"]))[::-1]
    figure, axes = figures.panels(size=(9.0, 0.55 * len(names) + 1.6))
    axes.axvline(1.0, color=figures.BLUE, label=OURS)
    others = table[table["way"] != OURS]
    for way, rows in others.groupby(others["way"].map(_tool), sort=False):
        colour, marker = LOOKS[str(way)]
        places = rows["workload"].map(names.index)
        axes.plot(rows["of_ours"], places, linestyle="none", marker=marker, color=colour, label=str(way), markersize=6)
    ours = table[table["way"] == OURS]
    axes.plot(ours["limit_s"] / ours["seconds"], ours["workload"].map(names.index), linestyle="none", marker="|",
              color=figures.BLACK, markersize=12, label=LIMIT)  # fmt: skip
    axes.set_yticks(range(len(names)), [textwrap.fill(name, 46) for name in names], fontsize=8)
    axes.set_xlabel("time relative to dpdescent (right of the line: slower)")
    figures.log_scale(axes, "x")
    figures.legend_below(figure, [axes], columns=4)
    figures.heading(figure, "The engines beside textbook loops and other tools", "")
    return figure


def _tool(way: str) -> str:
    """Returns the tool of a way, the longest of the known names that it begins with."""
    return max((tool for tool in LOOKS if way.startswith(tool)), key=len)
