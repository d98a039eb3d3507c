"""Figures of ours by subject: instruments, noise over time, the contest between methods, and a regression."""

from dpdescent.papers.ours.figures.calibration import draw_calibration
from dpdescent.papers.ours.figures.contest import draw_real_tables, draw_win_map
from dpdescent.papers.ours.figures.decision import draw_decision
from dpdescent.papers.ours.figures.instruments import draw_iv_coverage
from dpdescent.papers.ours.figures.lengths import draw_iv_length
from dpdescent.papers.ours.figures.noise_over_time import draw_correlated_full_batch, draw_schedule
from dpdescent.papers.ours.figures.path_law import draw_iv_path_law
from dpdescent.papers.ours.figures.real_instruments import draw_iv_real
from dpdescent.papers.ours.figures.regression import draw_regression, draw_regression_ends
from dpdescent.papers.ours.figures.weak_instruments import draw_iv_weak

__all__ = [
    "draw_calibration", "draw_correlated_full_batch", "draw_decision", "draw_iv_coverage", "draw_iv_length",
    "draw_iv_path_law", "draw_iv_real", "draw_iv_weak", "draw_real_tables", "draw_regression",
    "draw_regression_ends", "draw_schedule", "draw_win_map",
]  # fmt: skip
