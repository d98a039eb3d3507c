"""Figures of brown2024, by what they show: the error of one run, clipping, and confidence intervals."""

from dpdescent.papers.brown2024.figures_accuracy import (
    draw_ext_author_profile,
    draw_fig01,
    draw_fig02,
    draw_fig08,
    draw_fig09,
)
from dpdescent.papers.brown2024.figures_clipping import draw_fig03, draw_fig04, draw_fig07
from dpdescent.papers.brown2024.figures_intervals import (
    draw_ext_outliers,
    draw_fig05,
    draw_fig06,
    draw_fig10,
    draw_fig11,
)

__all__ = [
    "draw_ext_author_profile", "draw_ext_outliers", "draw_fig01", "draw_fig02", "draw_fig03", "draw_fig04",
    "draw_fig05", "draw_fig06", "draw_fig07", "draw_fig08", "draw_fig09", "draw_fig10", "draw_fig11",
]  # fmt: skip
