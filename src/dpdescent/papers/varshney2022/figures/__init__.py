"""Figures of varshney2022 by subject: risks, dimension, DP-STAT, choices, theory, accounting."""

from dpdescent.papers.varshney2022.figures.accounting import draw_audit, draw_multiplier
from dpdescent.papers.varshney2022.figures.choices import draw_ablation, draw_tails
from dpdescent.papers.varshney2022.figures.conditions import draw_feasibility, draw_moments
from dpdescent.papers.varshney2022.figures.dimension import draw_risk_vs_d, draw_risk_vs_kappa, draw_sample_complexity
from dpdescent.papers.varshney2022.figures.dp_stat import draw_alg_stat, draw_clip_path
from dpdescent.papers.varshney2022.figures.extensions import draw_ext_privacy, draw_ext_thresholds
from dpdescent.papers.varshney2022.figures.orders import draw_ext_orders
from dpdescent.papers.varshney2022.figures.risks import draw_risk_vs_eps, draw_risk_vs_n, draw_risk_vs_sigma
from dpdescent.papers.varshney2022.figures.steps import draw_bound_vs_run, draw_ssgd, draw_step_size

__all__ = [
    "draw_ablation", "draw_alg_stat", "draw_audit", "draw_bound_vs_run", "draw_clip_path", "draw_ext_orders",
    "draw_ext_privacy", "draw_ext_thresholds",
    "draw_feasibility",
    "draw_moments", "draw_multiplier", "draw_risk_vs_d", "draw_risk_vs_eps", "draw_risk_vs_kappa", "draw_risk_vs_n",
    "draw_risk_vs_sigma", "draw_sample_complexity", "draw_ssgd", "draw_step_size", "draw_tails",
]  # fmt: skip
