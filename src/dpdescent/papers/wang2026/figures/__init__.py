"""Figures of wang2026 by subject: Fig. 1, privacy, the correlation, rates, choices, proofs, bounds."""

from dpdescent.papers.wang2026.figures.accounts import (
    draw_closed_form_validity,
    draw_kappa_tables,
    draw_sampling_counterexample,
)
from dpdescent.papers.wang2026.figures.choices import draw_batch, draw_clipping, draw_width
from dpdescent.papers.wang2026.figures.correlation import (
    draw_fixed_kappa,
    draw_kan_lambda,
    draw_kan_lambda_fashion,
    draw_lambda_tradeoff,
)
from dpdescent.papers.wang2026.figures.diagnostics import (
    draw_comparator,
    draw_initialisation,
    draw_projection,
    draw_stability,
)
from dpdescent.papers.wang2026.figures.digits import (
    draw_fig01,
    draw_fig01_cifar10,
    draw_fig01_cifar10_rates,
    draw_fig01_fashion,
)
from dpdescent.papers.wang2026.figures.rates import (
    draw_eps_and_d,
    draw_private_rate_n,
    draw_rate_minibatch,
    draw_rate_n,
    draw_rate_T,
)
from dpdescent.papers.wang2026.figures.theory import draw_admissible_width, draw_bound_vs_run
from dpdescent.papers.wang2026.figures.window import draw_ext_proof, draw_ext_window, draw_ext_window_rates

__all__ = [
    "draw_admissible_width", "draw_batch", "draw_bound_vs_run", "draw_clipping", "draw_closed_form_validity",
    "draw_comparator", "draw_eps_and_d", "draw_ext_proof", "draw_ext_window", "draw_ext_window_rates",
    "draw_fig01", "draw_fig01_cifar10", "draw_fig01_cifar10_rates", "draw_fig01_fashion", "draw_fixed_kappa",
    "draw_initialisation",
    "draw_kan_lambda", "draw_kan_lambda_fashion", "draw_kappa_tables", "draw_lambda_tradeoff", "draw_private_rate_n",
    "draw_projection", "draw_rate_T", "draw_rate_minibatch", "draw_rate_n", "draw_sampling_counterexample",
    "draw_stability", "draw_width",
]  # fmt: skip
