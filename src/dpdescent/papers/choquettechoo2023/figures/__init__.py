"""Figures of choquettechoo2023 by subject: mean estimation, regression, convex problems, learning."""

from dpdescent.papers.choquettechoo2023.figures.gradients import draw_ext_gradients
from dpdescent.papers.choquettechoo2023.figures.images import (
    draw_fig04a_cifar10,
    draw_fig04a_cifar10_net,
    draw_fig04a_cifar10_rates,
    draw_fig04a_fashion,
    draw_fig04a_fashion_rates,
)
from dpdescent.papers.choquettechoo2023.figures.learning import draw_ext_prefix_sums, draw_fig04a
from dpdescent.papers.choquettechoo2023.figures.mean_estimation import draw_ext_mean_estimation, draw_fig01
from dpdescent.papers.choquettechoo2023.figures.noise_choices import (
    draw_ext_anti_pgd,
    draw_ext_nu,
    draw_ext_spectra,
    draw_fig03,
)
from dpdescent.papers.choquettechoo2023.figures.regression import draw_ext_finite_time, draw_fig02

__all__ = [
    "draw_ext_anti_pgd", "draw_ext_finite_time", "draw_ext_gradients", "draw_ext_mean_estimation", "draw_ext_nu",
    "draw_ext_prefix_sums", "draw_ext_spectra", "draw_fig01", "draw_fig02", "draw_fig03", "draw_fig04a",
    "draw_fig04a_cifar10", "draw_fig04a_cifar10_net", "draw_fig04a_cifar10_rates", "draw_fig04a_fashion",
    "draw_fig04a_fashion_rates",
]  # fmt: skip
