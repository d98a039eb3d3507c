"""Lemma 3.11 of varshney2022 at parameters that no run has, and its constants from the lines before it."""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from dpdescent.papers.varshney2022 import ambssgd, batches
from dpdescent.papers.varshney2022.ambssgd import Law, Setting, batch_condition
from dpdescent.papers.varshney2022.criteria import EQUAL, claim_on_all_cells
from dpdescent.papers.varshney2022.formulas import published_multiplier
from dpdescent.papers.varshney2022.single_pass_orders import at_least_eigenvalue, problem_of
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import within_of
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import exactly

# Settings near the least b: the law of the tails is kept, which a = 1 allows too, with larger thresholds.
KAPPA, C_1, DELTA, TIMES = 4.0, 4.0, 1e-6, 2.5
STEPS, STATISTICS, TAILS, BUDGETS = (1.0, 0.3, 0.03), (ambssgd.STAT_SHARE, 0.5), (0.5, 1.0), (0.1, 10.0)


def at_other_parameters() -> Places:
    """Ratios as in the table, with w* along the least eigenvector, by shares of the largest eta and of a batch, a, eps."""
    places: Places = {}
    for a, eps, step, share in product(TAILS, BUDGETS, STEPS, STATISTICS):
        alpha = published_multiplier(eps, DELTA)
        few = replace(at_least_eigenvalue(problem_of(5, KAPPA, 1.0, 1e6)), a=a)
        problem = replace(few, records=TIMES * ambssgd.smallest_records_for_batch(few, alpha, C_1))
        T = ambssgd.steps_of_theorem(problem.records, KAPPA, C_1)
        setting = Setting.of(problem, T, alpha, share * problem.records / T)
        setting = replace(setting, eta=step * setting.eta)
        if setting.batch >= batch_condition(setting):
            place = f"eta at {step:g} of its limit, s at {share:.2g} of a batch, a = {a:g}, eps = {eps:g}"
            places[place] = exactly(Law.of(setting).risk / ambssgd.lemma_3_11(setting))
    return places


def from_60() -> Places:
    """Ratios of Lemma 3.11's bound to (60) with (47) and (50), by place."""
    places: Places = {}
    for kappa, sigma, step, eps in product((1.0, 16.0), (0.1, 1.0), (1.0, 0.03), (0.1, math.inf)):
        problem = problem_of(5, kappa, sigma, 1e6)
        alpha = published_multiplier(eps, DELTA) if math.isfinite(eps) else 0.0
        setting = Setting.of(problem, ambssgd.steps_of_theorem(problem.records, kappa, C_1), alpha)
        setting = replace(setting, eta=step * setting.eta)
        start, zeta_squared = ambssgd.squared_distance_bound(setting) / 2.0, ambssgd.squared_threshold_bound(setting)
        place = f"kappa = {kappa:g}, sigma = {sigma:g}, eta at {step:g} of its limit, eps = {eps:g}"
        places[place] = exactly(ambssgd.lemma_3_11(setting) / batches.equation_60(setting, start, zeta_squared))
    return places


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges the constants of the lemma; `lemmas` judges the lemma itself."""
    yield claim_on_all_cells(
        id="equation-61", artefact="bound_vs_run", location="Lemma 3.11, (60), (61)", kind="theorem", source="identity",
        statement="(algebra) with (47) for E |w_{T/2} - w*|_H^2 and (50) for E zeta^2, (60) is the bound of Lemma 3.11, with its constants 4, 96, 2, 24, 8 and 12",
        quantity="Lemma 3.11's bound over (60) with (47) and (50): the one furthest from 1 over kappa, sigma, eta and eps",
        cells=from_60(), criterion=within_of(1.0, EQUAL), changed="The claim was added after a review.",
    )  # fmt: skip
