"""Lemma 3.11 and the steps (47) to (50) of its proof, beside exact laws and runs.

The lemma takes any thresholds up to R_x K2 log^{2a} N (sqrt(kappa) |w_t - w*|_H + sigma + Delta). The largest of these
are judged, at which second moments give the law, or a little more than it (`theory.explicit.Law`).
"""

import math
from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from dpdescent.papers.varshney2022.arms import AMBSSGD, Choice
from dpdescent.papers.varshney2022.bounds.cases import choice_at, problem_at, setting_of, vacuous
from dpdescent.papers.varshney2022.experiments.bound_vs_run import AS_RUN, UNCLIPPED, UNCLIPPED_PLAIN
from dpdescent.papers.varshney2022.reading import rows
from dpdescent.papers.varshney2022.theory import ambssgd
from dpdescent.papers.varshney2022.theory.ambssgd import Setting
from dpdescent.papers.varshney2022.theory.explicit import Law
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import exact, is_met, place, same, simulated
from dpdescent.replication.judging.evidence import Bound, Evidence, joined

RUNS, PATHS, KAPPAS = "bound_vs_run", "clip_path", "risk_vs_kappa"
RUN_KEYS = ("kind", "N", "d", "sigma", "eps", "delta", "T")
PATH_KEYS = ("N", "d", "sigma", "eps", "delta", "kappa", "T")
# Records at which the lemma is evaluated besides those of the runs: its condition on b is met there.
LARGE = 10**7


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates the lemma beside exact laws, runs, and runs without noise."""
    found = list(each(rows(evidence, RUNS, series="risk", algorithm=AMBSSGD, kind=UNCLIPPED)))
    paths = list(each(rows(evidence, PATHS, series="zeta").drop_duplicates(list(PATH_KEYS))))
    seen: set[str] = set()
    for artefact, group in ((RUNS, found), (PATHS, paths)):
        for text, choice in _choices(evidence, artefact, group):
            if text not in seen:
                seen.add(text)
                yield from _law(text, setting_of(choice))
    for each_run in each(rows(evidence, RUNS, series="risk", algorithm=AMBSSGD)):
        yield from _run(evidence, each_run)
    for without in each(rows(evidence, KAPPAS, series="no noise")):
        yield from _without_noise(evidence, without)


def _choices(evidence: Evidence, artefact: str, found: list[pd.Series]) -> Iterator[tuple[str, Choice]]:
    """Returns the runs' choices, and the same at more records, with as many steps and with 4 kappa log N."""
    keys = ("N", "d", "sigma", "eps", "delta", "kappa", "T")
    for run in found:
        kappa = problem_at(evidence, artefact, run).kappa
        many = 2.0 * math.ceil(2.0 * kappa * math.log(LARGE))
        for N, T in ((run["N"], run["T"]), (LARGE, run["T"]), (LARGE, many)):
            at = run.copy()
            at["N"], at["T"], at["kappa"] = N, T, round(kappa, 9)
            yield place("exact law", at, *keys), choice_at(evidence, artefact, at)


def _law(text: str, setting: Setting) -> Iterator[Bound]:
    law, problem = Law.of(setting), setting.problem
    met, asked = _conditions(setting)
    allowed = "zeta_t the largest that the lemma allows; measured is the exact law, or a little more (Jensen)"
    value = ambssgd.lemma_3_11(setting)
    why = joined(allowed, asked, vacuous(problem, value))
    yield exact("risk of DP-AMBSSGD, exact law", "Lemma 3.11", text, value, law.risk, why, met=met)
    half = int(setting.steps) // 2
    value, measured = ambssgd.squared_distance_bound(setting, half), float(law.distances_squared[half])
    yield exact("E |w_{T/2} - w*|_H^2", "(47)", text, value, measured, joined(allowed, asked), met=met)
    value, measured = ambssgd.squared_threshold_bound(setting, half), float(law.zetas_squared[half])
    yield exact("E zeta_{T/2}^2", "(48), (50)", text, value, measured, joined(allowed, asked), met=met)


def _conditions(setting: Setting) -> tuple[bool, str]:
    """Returns whether the lemma's conditions on step and batch are met, and the same in words."""
    needed = ambssgd.batch_condition(setting)
    small = setting.eta <= ambssgd.step_condition(setting) * (1.0 + 1e-12)
    met = small and setting.batch >= needed
    return met, f"b={setting.batch:g} must be at least {needed:.4g}: {is_met(met)}"


def _run(evidence: Evidence, found: pd.Series) -> Iterator[Bound]:
    """Evaluates the lemma beside the mean risk, open where runs clip or thresholds are above what it allows."""
    choice, text = choice_at(evidence, RUNS, found), place("bound_vs_run, DP-AMBSSGD", found, *RUN_KEYS)
    setting = setting_of(choice)
    met, asked = _conditions(setting)
    run = found["kind"] == AS_RUN
    clipped = (
        f"{found['clip_fraction']:.3g} of the gradients are clipped" if run else "nothing is clipped, zeta is fixed"
    )
    if not math.isnan(found["bound"]):
        why = joined("measured is the mean risk", clipped, asked, vacuous(setting.problem, found["bound"]))
        fits = met and not run and found["clip_fraction"] == 0.0
        yield simulated("risk, runs", "Lemma 3.11", text, found["bound"], found, why, met=bool(fits))
    if found["kind"] in (UNCLIPPED, UNCLIPPED_PLAIN):
        why = "measured is the mean risk; nothing is clipped, zeta is fixed"
        yield same("exact law, runs", "App. B (ours)", text, found["expected"], found, why)


def _without_noise(evidence: Evidence, found: pd.Series) -> Iterator[Bound]:
    """Evaluates the lemma at alpha = 0, where its condition on b asks nothing."""
    settings = evidence.settings_of(KAPPAS)
    given = found.copy()
    given["eps"] = settings["eps"] if math.isnan(found["eps"]) else found["eps"]
    given["delta"] = settings["delta"] if math.isnan(found["delta"]) else found["delta"]
    setting = replace(setting_of(choice_at(evidence, KAPPAS, given)), alpha=0.0)
    text = place("risk_vs_kappa, no noise", found, "N", "d", "sigma", "kappa", "T")
    value = ambssgd.lemma_3_11(setting)
    why = joined("alpha = 0; measured is the exact risk without noise and clipping", vacuous(setting.problem, value))
    yield exact("risk without noise", "Lemma 3.11", text, value, found["mean"], why)
