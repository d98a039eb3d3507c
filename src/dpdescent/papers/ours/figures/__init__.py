"""Figures of ours by subject: noise over time."""

from dpdescent.papers.ours.figures.noise_over_time import draw_correlated_full_batch, draw_schedule

__all__ = ["draw_correlated_full_batch", "draw_schedule"]
