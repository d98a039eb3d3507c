"""Figures of brown2024 by subject: error of one run, clipping, confidence intervals, laws, theorems."""

from dpdescent.papers.brown2024.figures.accuracy import (
    draw_ext_author_profile,
    draw_fig01,
    draw_fig02,
    draw_fig08,
    draw_fig09,
)
from dpdescent.papers.brown2024.figures.clipping import draw_fig03, draw_fig04, draw_fig07
from dpdescent.papers.brown2024.figures.intervals import (
    draw_ext_outliers,
    draw_fig05,
    draw_fig06,
    draw_fig10,
    draw_fig11,
)
from dpdescent.papers.brown2024.figures.law import draw_ext_large_dimension, draw_ext_law
from dpdescent.papers.brown2024.figures.theory import draw_ext_no_clipping, draw_ext_small_noise

__all__ = [
    "draw_ext_author_profile", "draw_ext_large_dimension", "draw_ext_law", "draw_ext_no_clipping", "draw_ext_outliers",
    "draw_ext_small_noise", "draw_fig01", "draw_fig02", "draw_fig03", "draw_fig04", "draw_fig05", "draw_fig06",
    "draw_fig07", "draw_fig08", "draw_fig09", "draw_fig10", "draw_fig11",
]  # fmt: skip
