"""Figures of ours by subject: instruments, weak instruments, noise over time."""

from dpdescent.papers.ours.figures.instruments import draw_iv_coverage
from dpdescent.papers.ours.figures.noise_over_time import draw_correlated_full_batch, draw_schedule
from dpdescent.papers.ours.figures.weak_instruments import draw_iv_weak

__all__ = ["draw_correlated_full_batch", "draw_iv_coverage", "draw_iv_weak", "draw_schedule"]
