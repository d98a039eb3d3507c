"""Rates with hidden constants at the runs' settings: Theorems 4.1, 5.2, D.14, D.16 and E.1 of wang2026, all open.

Constants are 1 and logarithms dropped, as in the main text.
"""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.wang2026.bounds.cases import place, thinned, vacuous
from dpdescent.papers.wang2026.reading import EMPIRICAL, POPULATION, rows
from dpdescent.papers.wang2026.theory import rates
from dpdescent.papers.wang2026.theory.rates import Run
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import order
from dpdescent.replication.judging.evidence import Bound, Evidence, joined

ARTEFACTS = (
    "kan_lambda", "fixed_kappa", "private_rate_n", "eps_and_d", "width", "batch", "clipping", "rate_T", "rate_n",
    "rate_minibatch", "bound_vs_run",
)  # fmt: skip
KEYS = ("panel", "n", "T", "B", "m", "d", "lam", "eps", "accountant", "eta", "kappa", "clip_rule", "radius_factor")
THINNED = ("lam", "eps", "eta", "m", "B", "T")


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of every artefact with runs: both risks, and the conditions on step and width."""
    for artefact in ARTEFACTS:
        table = rows(evidence, artefact)
        for _, panel in table.groupby("panel", dropna=False):
            # Each panel has its own grid, a tuned step is no key of it.
            for found in each(thinned(panel[panel["series"].isin([EMPIRICAL, POPULATION])], *_own(artefact, panel))):
                yield from _row(evidence, artefact, found)


def _own(artefact: str, panel: pd.DataFrame) -> list[str]:
    tuned = artefact in ("kan_lambda", "private_rate_n", "eps_and_d", "width")
    return [name for name in THINNED if panel[name].notna().any() and not (tuned and name == "eta")]


def run_of(evidence: Evidence, artefact: str, found: pd.Series) -> Run:
    """The run that a row of a table is about: what the rates depend on."""
    settings = evidence.settings_of(artefact)
    gamma = settings["gamma"] if math.isnan(found["gamma"]) or found["gamma"] <= 0.0 else found["gamma"]
    kappa, lam = (0.0 if math.isnan(found[name]) else float(found[name]) for name in ("kappa", "lam"))
    return Run(
        n=float(found["n"]), B=float(found["B"]), T=float(found["T"]), m=float(found["m"]), d=float(found["d"]),
        gamma=float(gamma), eta=float(found["eta"]), lam=lam, kappa=kappa, delta=float(settings["delta_conf"]),
    )  # fmt: skip


def theorem_of(run: Run) -> tuple[str, str, str, rates.Rate]:
    """The rate that applies to a run: its name, the theorems for empirical and for population risk, and the rate."""
    if run.kappa == 0.0:
        return "A_non", "Thm E.1", "Thm E.1", rates.without_noise(run)
    if run.lam == 0.0:
        return "A_van", "Thm D.14", "Thm D.16", rates.independent(run)
    return "A_corr", "Thm 4.1 (C.13)", "Thm 5.2 (C.23)", rates.correlated(run)


def _row(evidence: Evidence, artefact: str, found: pd.Series) -> Iterator[Bound]:
    if any(math.isnan(found[name]) for name in ("n", "T", "B", "m", "d", "eta")):
        return
    run, text = run_of(evidence, artefact, found), place(artefact, found, *KEYS)
    name, of_empirical, of_population, rate = theorem_of(run)
    clipped = "" if not found["clipped"] > 0.0 else f"{found['clipped']:.3g} of the gradients are clipped"
    note = joined(f"gamma={run.gamma:.4g}", clipped)
    if found["series"] == EMPIRICAL:
        value = rate.total
        yield order(
            f"empirical risk, {name}", of_empirical, text, value, found["mean"], joined(note, vacuous(value))
        )  # fmt: skip
        yield from _conditions(run, text)
    else:
        value = rates.population(run, rate.total)
        yield order(
            f"population risk, (1 + eta T / n) {name}", of_population, text, value, found["mean"],
            joined(note, vacuous(value)),
        )  # fmt: skip


def _conditions(run: Run, text: str) -> Iterator[Bound]:
    """Rows of the conditions of Theorem 4.1, for runs with correlated noise."""
    if run.kappa == 0.0 or run.lam == 0.0:
        return
    why = "measured is the left side, at constant 1"
    yield order("step condition", "Thm 4.1", text, 1.0, rates.step_condition(run), why)
    yield order("width, lower limit", "Thm 4.1", text, rates.least_width(run), run.m, "measured is m")
    yield order("width, upper limit", "Thm 4.1", text, rates.largest_width(run), run.m, "measured is m")
