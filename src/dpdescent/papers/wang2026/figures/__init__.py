"""Figures of wang2026 by subject: Fig. 1, privacy, the correlation, clipping, proofs, bounds."""

from dpdescent.papers.wang2026.figures.accounts import (
    draw_closed_form_validity,
    draw_kappa_tables,
    draw_sampling_counterexample,
)
from dpdescent.papers.wang2026.figures.choices import draw_clipping
from dpdescent.papers.wang2026.figures.correlation import (
    draw_kan_lambda,
    draw_kan_lambda_fashion,
    draw_lambda_tradeoff,
)
from dpdescent.papers.wang2026.figures.diagnostics import (
    draw_comparator,
    draw_initialisation,
    draw_stability,
)
from dpdescent.papers.wang2026.figures.digits import (
    draw_fig01,
    draw_fig01_cifar10,
    draw_fig01_cifar10_rates,
    draw_fig01_fashion,
)
from dpdescent.papers.wang2026.figures.theory import draw_admissible_width, draw_bound_vs_run
from dpdescent.papers.wang2026.figures.window import draw_ext_proof, draw_ext_window, draw_ext_window_rates

__all__ = [
    "draw_admissible_width", "draw_bound_vs_run", "draw_clipping", "draw_closed_form_validity",
    "draw_comparator", "draw_ext_proof", "draw_ext_window", "draw_ext_window_rates",
    "draw_fig01", "draw_fig01_cifar10", "draw_fig01_cifar10_rates", "draw_fig01_fashion",
    "draw_initialisation",
    "draw_kan_lambda", "draw_kan_lambda_fashion", "draw_kappa_tables", "draw_lambda_tradeoff",
    "draw_sampling_counterexample",
    "draw_stability",
]  # fmt: skip
