"""Anti-PGD with damping (App. C.5, Table 2): Proposition C.24, the explicit bounds, and its leading order."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpdescent.checks import as_list
from dpdescent.papers.choquettechoo2023.bounds.cases import (
    HALF,
    HALVED,
    asserted,
    between,
    configured,
    ends,
    equal,
    problem_of,
)
from dpdescent.papers.choquettechoo2023.design import power_law
from dpdescent.papers.choquettechoo2023.experiments.ext_anti_pgd import DAMPED
from dpdescent.papers.choquettechoo2023.reading import rows
from dpdescent.papers.choquettechoo2023.theory import asymptotic_bounds, elliptic, regression
from dpdescent.papers.choquettechoo2023.theory.regression import RegressionProblem
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import Direction, order, row
from dpdescent.replication.judging.evidence import Bound, Evidence

ARTEFACT = "ext_anti_pgd"
MEASURED = "measured is the exact F_inf"


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows over the damping, then at the best one over learning rates and dimensions."""
    table = rows(evidence, ARTEFACT, panel="nu", series=DAMPED)
    for found in each(table):
        yield from _damping(evidence, found)
    for found in each(table[table["nu"].isin(ends(table["nu"]))]):
        yield from _proof(_problem(evidence, found), float(found["nu"]))
    tables = [rows(evidence, ARTEFACT, panel=panel) for panel in ("eta", "d")]
    table = pd.concat(tables).drop_duplicates(["d", "eta", "series"])
    for found in each(table[table["series"] == f"{DAMPED} at the best nu"]):
        yield from _proposed(_problem(evidence, found), float(found["nu_best"]))


def _problem(evidence: Evidence, found: pd.Series) -> RegressionProblem:
    alpha = as_list(configured(evidence, ARTEFACT, "alpha", found["panel"]))[0]
    return problem_of(evidence, ARTEFACT, power_law(int(found["d"]), alpha), found["eta"])


def _damping(evidence: Evidence, found: pd.Series) -> Iterator[Bound]:
    problem, nu, measured = _problem(evidence, found), float(found["nu"]), found["mean"]
    q, gamma_squared = regression.q_damped(problem, nu), regression.gamma_squared_damped(nu)
    setting = _setting(problem, nu)
    value = asymptotic_bounds.upper_bound_by_frequency(problem, q, gamma_squared)
    if not math.isnan(value):
        why = f"{value / measured:.3g} times the value; {MEASURED}; {HALF}"
        yield row(
            bound="upper bound, damped anti-PGD", location="Thm C.15", setting=setting, value=value, measured=measured,
            note=why,
        )  # fmt: skip
    value = asymptotic_bounds.lower_bound(problem, q, gamma_squared)
    why = f"{HALVED}; {value / measured:.3g} of the value; {MEASURED}"
    direction: Direction | None = "at least" if asserted(problem) else None
    yield row(
        bound="lower bound, damped anti-PGD", location="Thm C.18", setting=setting, value=value, measured=measured,
        direction=direction, note=why,
    )  # fmt: skip


def _setting(problem: RegressionProblem, nu: float) -> str:
    return f"damped anti-PGD: d={problem.d}, eta={problem.eta:g}, nu={nu:g}"


def _proof(problem: RegressionProblem, nu: float) -> Iterator[Bound]:
    """Evaluates, by quadrature, the two integrals that the proof of Proposition C.24 is made of."""
    setting, gamma_squared, rate = (
        _setting(problem, nu),
        regression.gamma_squared_damped(nu),
        float(problem.rates.min()),
    )
    grid = elliptic.Quadrature.graded(min(nu, rate))
    power = elliptic.distance_squared(nu, grid.frequencies)
    measured = float(grid.integrate(1.0 / power)) / (2.0 * math.pi)
    why = "1/(nu (2-nu)); no measurement: measured is the mean of 1/|B|^2 by quadrature"
    yield equal("gamma_inf^2 of damped anti-PGD", "App. C.5, F.12", setting, gamma_squared, measured, why)
    why = "Theta(1/nu), with 1 <= 2 - nu <= 2; no measurement: measured is 1/(nu (2-nu))"
    name = "gamma_inf^2 of damped anti-PGD, order"
    yield from between(name, "App. C.5, Table 2", setting, 0.5 / nu, 1.0 / nu, gamma_squared, why)
    measured = float(grid.integrate(power / elliptic.distance_squared(rate, grid.frequencies))) / (2.0 * math.pi)
    value = (1.0 + (1.0 - nu) ** 2 - 2.0 * (1.0 - nu) * (1.0 - rate)) / (rate * (2.0 - rate))
    why = "(1 + (1-nu)^2 - 2 (1-nu)(1-x))/(x (2-x)), x = eta lambda_d; no measurement: measured by quadrature"
    yield equal("second integral of the proof", "Prop. C.24, F.12", setting, value, measured, why)


def _proposed(problem: RegressionProblem, best: float) -> Iterator[Bound]:
    """Evaluates Proposition C.24 at its own damping, nu = 1/sqrt(d) at eta = c / Tr H."""
    setting = f"damped anti-PGD: d={problem.d}, eta={problem.eta:g}, the best nu={best:.4g}"
    nu, c = 1.0 / math.sqrt(problem.d), problem.eta * problem.trace
    measured = regression.damped_anti_pgd(problem, nu)
    form = problem.clip_norm**2 / (2.0 * problem.rho) * math.sqrt(problem.eta**3 * problem.d * problem.trace)
    value = float(np.sqrt(c) + 1.0 / np.sqrt(c)) * form
    why = (
        f"(c^(1/2) + c^(-1/2)) eta^(3/2) sigma^2 sqrt(d Tr H), sigma^2 = G^2/(2 rho), c = eta Tr H = {c:.3g}; "
        f"measured is the exact F_inf at nu = 1/sqrt(d) = {nu:.3g}, no measurement; {HALF}"
    )
    yield order("form of Proposition C.24 at nu = 1/sqrt(d)", "Prop. C.24", setting, value, measured, why)
