"""The settings at which the bounds of varshney2022 are evaluated.

Tables may lack rows, or be missing, on a grid of one's own: what is asked of them is then not there, and no error.
"""

import math
from typing import Any

import pandas as pd

from dpdescent.papers.varshney2022.arms import Choice
from dpdescent.papers.varshney2022.design import Design
from dpdescent.papers.varshney2022.theory.ambssgd import Setting
from dpdescent.papers.varshney2022.theory.moments import LinearProblem
from dpdescent.replication.judging.bound_rows import VACUOUS
from dpdescent.replication.judging.evidence import Evidence


def configured(evidence: Evidence, artefact: str, symbol: str, otherwise: Any) -> Any:
    """Returns the configured value of an arm of an artefact."""
    return evidence.spec["artefacts"].get(artefact, {}).get("arms", {}).get(symbol, otherwise)


def design_at(evidence: Evidence, artefact: str, found: pd.Series) -> Design:
    """Returns the normal design of a row; kappa is that of the settings where the table has none."""
    settings = evidence.settings_of(artefact)
    kappa = settings["kappa"] if math.isnan(found["kappa"]) else found["kappa"]
    return Design.of(int(found["d"]), float(kappa), settings["w_norm"])


def problem_at(evidence: Evidence, artefact: str, found: pd.Series) -> LinearProblem:
    """Returns the regression of a row."""
    return design_at(evidence, artefact, found).problem(int(found["N"]), float(found["sigma"]))


def choice_at(evidence: Evidence, artefact: str, found: pd.Series, **changes: Any) -> Choice:
    """Returns DP-AMBSSGD's main choices at a row with N, d, sigma, eps, delta and T."""
    spec = {"settings": evidence.settings_of(artefact), "cell": {"delta": float(found["delta"])}}
    design, N, sigma = design_at(evidence, artefact, found), int(found["N"]), float(found["sigma"])
    return Choice.ours(spec, design, N, sigma, float(found["eps"]), int(found["T"]), **changes)


def setting_of(choice: Choice, logs: bool = True) -> Setting:
    """Returns the quantities in Lemma 3.11 at a run's choices; Delta is the smallest threshold of its DP-STAT."""
    problem = choice.design.problem(choice.N, choice.sigma)
    width = float(choice.search.thresholds[0])
    return Setting(problem, choice.T, choice.b, choice.eta, choice.multiplier, width, logs)


def vacuous(problem: LinearProblem, value: float) -> str:
    """Says for the note of a bound on a risk where the estimate 0 is as good."""
    trivial = problem.w_norm_squared / 2.0
    return f"{VACUOUS}: not below |w*|_H^2 / 2 = {trivial:g}, the risk of 0" if value >= trivial else ""
