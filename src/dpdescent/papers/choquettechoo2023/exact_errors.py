"""The settings of Figure 2 for bounds, and the exact limiting error there by other routes: quadrature, recursion, runs.

The paper bounds F_inf; for Gaussian inputs its recursion of second moments (83) is a closed one, so that F_inf is known
(`laws`). On a grid of one's own tables may lack rows, or be missing: the bounds that need them are then left out.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpdescent.noise.strategies import toeplitz
from dpdescent.papers.choquettechoo2023 import formulas, laws, setting
from dpdescent.papers.choquettechoo2023.criteria import HALF, configured, ends, equal, problem_with, rows
from dpdescent.papers.choquettechoo2023.elliptic import distance_squared
from dpdescent.papers.choquettechoo2023.setting import FTRL, SGD, Array, RegressionProblem, power_law
from dpdescent.replication.judging.algebra import rows_of
from dpdescent.replication.judging.bound_rows import CHANCE, bound_row, chance, equality_row, met_or_not
from dpdescent.replication.judging.evidence import Bound, Evidence

ALGORITHMS = (SGD, FTRL)
# Panels of Figure 2; each has the name of its axis.
PANELS = ("d", "d_eff", "eta")
# The variant of Figure 2 with label noise; its sd is read from the name, as variants are not handed on.
LABEL_NOISE = "label noise of sd 1"
# Coefficients of eq. (7) that the recursion takes, as multiples of 1/nu; and the most numbers that it may go through.
TAPS, MOST = 20.0, 100_000_000
VARIANTS = ("learning rates 0.0001 to 0.01", "fixed nu", LABEL_NOISE, "sensitivity of T steps")
MEASURED = "measured is the closed form in the table"


@dataclass(frozen=True, eq=False)
class Point:
    """A setting of Figure 2, with the errors and the sensitivities that its table has there.

    Attributes:
        problem: the problem.
        text: the setting in words.
        nu: damping of nu-Noisy-FTRL.
        exact: F_inf by series, in the convention of (8).
        gamma_squared: squared sensitivity by algorithm.
    """

    problem: RegressionProblem
    text: str
    nu: float
    exact: dict[str, float]
    gamma_squared: dict[str, float]

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms of which the table has the error and the sensitivity."""
        return tuple(name for name in ALGORITHMS if name in self.exact and name in self.gamma_squared)

    def weights(self, name: str) -> Array:
        """<beta, T_j beta> of an algorithm, shape (d,)."""
        problem = self.problem
        return laws.q_identity(problem) if name == SGD else laws.q_nu(problem, self.nu)


def points(evidence: Evidence, variant: str = "main") -> list[Point]:
    """The distinct settings of Figure 2."""
    return _points(evidence, rows(evidence, "fig02", variant, kind="exact"), variant)


def at_ends(evidence: Evidence, variant: str = "main") -> list[Point]:
    """The settings at both ends of each panel's axis."""
    return _points(evidence, ends_of_panels(rows(evidence, "fig02", variant, kind="exact")), variant)


def ends_of_panels(table: pd.DataFrame) -> pd.DataFrame:
    """Rows of Figure 2 at both ends of each panel's axis."""
    panels = [(axis, table[table["panel"] == axis]) for axis in PANELS]
    return pd.concat([group[group[axis].isin(ends(group[axis]))] for axis, group in panels])


def _points(evidence: Evidence, table: pd.DataFrame, variant: str) -> list[Point]:
    groups = table.groupby(["d", "alpha", "eta"], sort=False)
    return [_point(evidence, variant, group.drop_duplicates("series")) for _, group in groups]


def _point(evidence: Evidence, variant: str, group: pd.DataFrame) -> Point:
    row = group.iloc[0]
    lam = power_law(int(row["d"]), row["alpha"])
    sigma_sgd = label_noise(variant) or configured(evidence, "fig02", "sigma_sgd")
    series = group.set_index("series")
    return Point(
        problem_with(evidence, "fig02", lam, row["eta"], sigma_sgd), place(row, variant), float(row["nu"]),
        series["mean"].to_dict(), series["gamma_squared"].dropna().to_dict(),
    )  # fmt: skip


def label_noise(variant: str) -> float:
    """The sd of the label noise in the name of a variant; 0 for a variant without."""
    match = re.fullmatch(r"label noise of sd (\S+)", variant)
    return float(match[1]) if match else 0.0


def place(row: pd.Series, variant: str = "main") -> str:
    """A setting of Figure 2 in words."""
    name = "Figure 2" if variant == "main" else f"Figure 2, {variant}"
    return f"{name}: d={row['d']:g}, alpha={row['alpha']:g}, eta={row['eta']:g}"


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of every setting of Figure 2, of the ends of its variants, of simulations, of moments and of label noise."""
    for point in points(evidence):
        for name in point.algorithms:
            yield _by_quadrature(point, name)
            yield from _by_recursion(point, name)
    for variant in VARIANTS:
        for point in at_ends(evidence, variant):
            yield from (_by_quadrature(point, name) for name in point.algorithms)
    for variant in ("main", "T = 4000"):
        yield from _simulations(evidence, variant)
    for point in at_ends(evidence):
        yield from _moments(point)
    yield from _label_covariance(evidence)


def _by_quadrature(point: Point, name: str) -> Bound:
    """Evaluates F_inf by quadrature, with the table's sensitivity, which in one variant is that of T steps."""

    def power(frequencies: Array) -> Array:
        return np.ones_like(frequencies) if name == SGD else np.sqrt(distance_squared(point.nu, frequencies))

    problem = point.problem
    q = laws.q_of_power(problem, power, point.nu)
    value = laws.suboptimality(problem, q, point.gamma_squared[name])
    why = f"weights by quadrature of |B|^2 over frequencies; A = {problem.gain:.3g}; {MEASURED}; {HALF}"
    return equal(f"F_inf of {name}, by quadrature", "(83), App. C.7", point.text, value, point.exact[name], why)


def _by_recursion(point: Point, name: str) -> Iterator[Bound]:
    problem = point.problem
    taps = 1 if name == SGD else math.ceil(TAPS / point.nu)
    if taps * problem.d <= MOST:
        beta = np.ones(1) if name == SGD else toeplitz.nu_family(point.nu).coefficients(taps)
        value = laws.by_recursion(problem, beta, point.gamma_squared[name])
        why = f"what (83) runs into, beta cut after {taps}, no closed form; {MEASURED}; {HALF}"
        yield equal(f"F_inf of {name}, by recursion", "(83)", point.text, value, point.exact[name], why)


def _simulations(evidence: Evidence, variant: str) -> Iterator[Bound]:
    """Compares simulated means with the exact law of the same steps, and that law with its limit."""
    table = rows(evidence, "fig02", variant, kind="simulated")
    shown = table if variant == "main" else ends_of_panels(table)
    for row in rows_of(shown.drop_duplicates(["d", "alpha", "eta", "series"])):
        gain = problem_with(evidence, "fig02", power_law(int(row["d"]), row["alpha"]), row["eta"]).gain
        why = (
            f"equality; measured is the mean of {row['trials']:g} simulated runs over their last steps, "
            f"{CHANCE} either way allowed; A = {gain:.3g}: the nearer to 1, "
            f"the heavier the tails of the error, of which few runs show too little; {HALF}"
        )
        yield equality_row(
            bound=f"tail mean of {row['series']}, simulated", location="(83)", setting=place(row, variant),
            value=row["expected"], measured=row["mean"], allowed=chance(row), note=why,
        )  # fmt: skip
    for row in rows_of(ends_of_panels(table).drop_duplicates(["d", "alpha", "eta", "series"])):
        why = f"F_inf; measured is the exact error of the simulated steps from theta*, which increases to it; {HALF}"
        yield bound_row(
            bound=f"tail mean of {row['series']}, its limit", location="Lemma D.12, (86)", setting=place(row, variant),
            value=row["exact"], measured=row["expected"], note=why, allowed=1e-9 * row["exact"],
        )  # fmt: skip


def _moments(point: Point) -> Iterator[Bound]:
    """Evaluates R^2, the learning rates of the theorems, and the least contraction of Lemma F.18."""
    problem, lam = point.problem, point.problem.lam
    moment, stable = formulas.fourth_moment(lam), _largest_stable(problem)
    yield bound_row(
        bound="R^2 of Gaussian inputs", location="Property C.3", setting=point.text,
        value=formulas.fourth_moment_bound(lam), measured=moment,
        note="3 Tr H; measured is the smallest R^2 of Gaussian inputs, Tr H + 2 lambda_1",
    )  # fmt: skip
    met = met_or_not(problem.eta < 1.0 / moment)
    why = f"1/R^2, below which the theorems are stated ({met} here); measured is where second moments cease to converge"
    yield bound_row(
        bound="largest stable learning rate", location="App. C.1.3", setting=point.text, value=1.0 / moment,
        measured=stable, direction="at least", note=why,
    )  # fmt: skip
    why = "1/norm(H), which the learning rate must not exceed; measured is where second moments cease to converge"
    yield bound_row(
        bound="learning rate that converges", location="Table 1", setting=point.text,
        value=1.0 / problem.largest, measured=stable, note=why,
    )  # fmt: skip
    if problem.eta * moment <= 1.0:
        for j in (0, problem.d - 1):
            rate = problem.rates[j]
            yield bound_row(
                bound="Tr P M over Tr M, M = e_j e_j'", location="Lemma F.18", setting=f"{point.text}, j={j + 1}",
                value=1.0 - problem.eta * problem.mu,
                measured=1.0 - 2.0 * rate + problem.eta * rate * (problem.trace + 2.0 * lam[j]),
                note="1 - eta mu; measured is E |(I - eta x x') e_j|^2, exact; eta <= 1/R^2",
            )  # fmt: skip


def _largest_stable(problem: setting.RegressionProblem) -> float:
    """The learning rate at which A is 1, by bisection."""
    low, high = 0.0, 1.0 / problem.largest
    for _ in range(60):
        middle = 0.5 * (low + high)
        rates = middle * problem.lam
        stable = float((rates / (1.0 - rates)).sum()) < 2.0
        low, high = (middle, high) if stable else (low, middle)
    return low


def _label_covariance(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates Theorem F.3 on the part of the error that label noise of covariance sigma_sgd^2 H causes."""
    for point in at_ends(evidence, LABEL_NOISE):
        problem = point.problem
        product = problem.eta * formulas.fourth_moment(problem.lam)
        if product < 1.0:
            variances = laws.variances(problem, np.zeros(problem.d), 0.0)
            why = (
                "eta sigma_sgd^2/(1 - eta R^2); measured is the largest eigenvalue of the stationary covariance of SGD"
            )
            yield bound_row(
                bound="covariance of SGD", location="Thm F.3", setting=point.text,
                value=problem.eta * problem.sigma_sgd**2 / (1.0 - product), measured=float(variances.max()), note=why,
            )  # fmt: skip
