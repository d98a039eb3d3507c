"""Bounds on the limiting error (choquettechoo2023 Theorem 2.2, App. C.2 to C.4) beside its exact value.

Theorem C.14 ends with the 1/2 of (8), Theorem C.18 without it; both are brought to (8) (`theory.asymptotic_bounds`).
"""

import math
from collections.abc import Iterator

from dpdescent.noise.strategies import toeplitz
from dpdescent.papers.choquettechoo2023.bounds.cases import (
    FTRL,
    HALF,
    HALVED,
    LABEL_NOISE,
    OPTIMUM,
    SGD,
    Point,
    asserted,
    at_ends,
    between,
    equal,
    points,
)
from dpdescent.papers.choquettechoo2023.theory import asymptotic_bounds, elliptic, optimum, regression
from dpdescent.papers.choquettechoo2023.theory.regression import RegressionProblem
from dpdescent.replication.judging.bound_rows import Direction, row
from dpdescent.replication.judging.evidence import Bound, Evidence

# Coefficients of eq. (7) that a weight is summed from, as multiples of 1/nu.
TAPS = 20.0
MEASURED = "measured is the exact F_inf"


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of every setting of Figure 2, of the ends of the panels with label noise, of directions."""
    for point in points(evidence):
        yield from _point(point)
    for point in (*at_ends(evidence, LABEL_NOISE), *at_ends(evidence, "learning rates 0.0001 to 0.01")):
        yield from _point(point)
    for point in at_ends(evidence, LABEL_NOISE):
        yield from _at_an_end(point)
    for point in at_ends(evidence):
        yield from _at_an_end(point)
        for j in sorted({0, point.problem.d - 1}):
            yield from _direction(point, j)


def _point(point: Point) -> Iterator[Bound]:
    """Evaluates the first of the two nearly equal forms of each theorem, and what holds for all coefficients."""
    for name in point.algorithms:
        given = (point.problem, point.weights(name), point.gamma_squared[name])
        value = asymptotic_bounds.upper_bound(*given)
        yield from _upper(f"upper bound in time, {name}", "Thm C.14", point, name, value, "R^2 = Tr H + 2 lambda_1")
        value = asymptotic_bounds.lower_bound(*given)
        yield _lower(f"lower bound in frequency, {name}", "Thm C.18", point, value, point.exact[name])
    yield from _universal(point)
    yield from _proposition(point)


def _upper(bound: str, place: str, point: Point, name: str, value: float, moment: str) -> Iterator[Bound]:
    """Makes the row of an upper bound on F_inf, or none where eta R^2 >= 1, which the theorem excludes."""
    if not math.isnan(value):
        measured = point.exact[name]
        given = f"{moment}, C_kurt = {asymptotic_bounds.KURTOSIS:g}"
        why = f"{given}; {value / measured:.3g} times the value; {MEASURED}; {HALF}"
        yield row(bound=bound, location=place, setting=point.text, value=value, measured=measured, note=why)


def _lower(bound: str, place: str, point: Point, value: float, measured: float, of: str = MEASURED) -> Bound:
    """Makes the row of a lower bound on F_inf, open where eta R^2 >= 1, which the theorem excludes."""
    inside = asserted(point.problem)
    direction: Direction | None = "at least" if inside else None
    excluded = "" if inside else "; eta R^2 >= 1, where nothing is asserted"
    why = f"{HALVED}; {value / measured:.3g} of the value; {of}{excluded}"
    return row(
        bound=bound, location=place, setting=point.text, value=value, measured=measured, direction=direction, note=why,
    )  # fmt: skip


def _universal(point: Point) -> Iterator[Bound]:
    """Evaluates what no noise coefficients go below, beside the exact infimum over all of them."""
    if OPTIMUM in point.exact:
        measured, of = point.exact[OPTIMUM], "measured is the exact infimum over all beta"
        value = asymptotic_bounds.universal_lower_bound(point.problem)
        yield _lower("universal lower bound, int sqrt(h)", "Thm C.18, (47)", point, value, measured, of)
        value = asymptotic_bounds.universal_lower_bound_as_stated(point.problem)
        yield _lower("universal lower bound, as stated", "Thm C.18", point, value, measured, of)


def _proposition(point: Point) -> Iterator[Bound]:
    """Evaluates Proposition C.22 with the constants of its proof; it is without label noise, for nu <= eta mu."""
    if FTRL in point.algorithms and not point.problem.sigma_sgd:
        value, measured = asymptotic_bounds.nu_upper_bound(point.problem, point.nu), point.exact[FTRL]
        if not math.isnan(value):
            why = (
                "C.15 with I(nu, nu) <= 5 log(8/nu) and I(nu, eta lambda) <= (128/49) log(8/nu), without 1 + O(nu); "
                f"{value / measured:.3g} times the value; {MEASURED}; {HALF}"
            )
            yield row(
                bound="upper bound, constants of the proof", location="Prop. C.22", setting=point.text, value=value,
                measured=measured, note=why,
            )  # fmt: skip


def _at_an_end(point: Point) -> Iterator[Bound]:
    """Evaluates the theorems' second forms, the upper bound at the paper's bound on R^2, and where the infimum lies."""
    problem = point.problem
    moment = asymptotic_bounds.fourth_moment_bound(problem.lam)
    for name in point.algorithms:
        given = (problem, point.weights(name), point.gamma_squared[name])
        value = asymptotic_bounds.upper_bound_by_frequency(*given)
        yield from _upper(
            f"upper bound in frequency, {name}", "Thm C.15", point, name, value, "R^2 = Tr H + 2 lambda_1"
        )
        value = asymptotic_bounds.upper_bound(*given, moment=moment)
        yield from _upper(f"upper bound at 3 Tr H, {name}", "Thm C.14", point, name, value, "R^2 <= 3 Tr H")
        value = asymptotic_bounds.lower_bound_by_time(*given)
        yield _lower(f"lower bound in time, {name}", "Thm C.18", point, value, point.exact[name])
    if OPTIMUM in point.exact:
        yield _attained(point)


def _attained(point: Point) -> Bound:
    """Evaluates the error of the coefficients that minimise Theorem C.18's bound; others err less."""
    problem, value = point.problem, point.exact[OPTIMUM]
    measured = regression.by_quadrature(
        problem, lambda w: optimum.best_power(problem, w, exact=False), float(problem.rates.min())
    )
    why = (
        f"measured is the exact F_inf of |B|^2 = 1/sqrt(h), {measured / value - 1.0:.3g} above the exact infimum; no "
        f"measurement; {HALF}"
    )
    return row(
        bound="infimum over all beta", location="(21), (47)", setting=point.text, value=value, measured=measured,
        direction="at least", note=why, allowed=1e-12 * value,
    )  # fmt: skip


def _direction(point: Point, j: int) -> Iterator[Bound]:
    """Evaluates Lemma C.4, its corollary, Lemma F.17 and Remarks C.16 and C.23 at one eigenvalue."""
    problem = point.problem
    rate, lam = float(problem.rates[j]), float(problem.lam[j])
    one = RegressionProblem(problem.lam[j : j + 1], problem.eta, problem.rho, problem.clip_norm)
    setting = f"{point.text}, j={j + 1}"
    for name in point.algorithms:
        q = float(point.weights(name)[j])
        integral = float(asymptotic_bounds.direction_errors(one, point.weights(name)[j : j + 1])[0])
        yield from _lemma(name, "Lemma C.4" if name == FTRL else "Cor. C.5", setting, q, _part(point, name, rate))
        yield from _contribution(point, name, setting, lam, integral)
    if FTRL in point.algorithms:
        yield from _summed(point, one, setting)


def _part(point: Point, name: str, rate: float) -> float:
    """(eta lambda_j / 2 pi) int |B|^2 / |1 - eta lambda_j - e^{i omega}|^2, by quadrature."""
    grid = elliptic.Quadrature.graded(min(rate, point.nu))
    power = 1.0 if name == SGD else elliptic.distance_squared(point.nu, grid.frequencies) ** 0.5
    part = grid.integrate(power / elliptic.distance_squared(rate, grid.frequencies))
    return rate * float(part) / (2.0 * math.pi)


def _lemma(name: str, place: str, setting: str, q: float, measured: float) -> Iterator[Bound]:
    why = f"measured is (eta lambda_j/2 pi) int |B|^2/|1-eta lambda_j-e^(i omega)|^2, {name}, by quadrature"
    yield from between(f"integral of a direction, {name}", place, setting, q / 2.0, q, measured, why)


def _contribution(point: Point, name: str, setting: str, lam: float, measured: float) -> Iterator[Bound]:
    eta, nu = point.problem.eta, point.nu
    why = "measured is Err_j in closed form"
    if name == SGD:
        why = f"with Cor. C.5, over eta; {why}"
        yield from between(
            f"Err_j of {name}", "Remark C.16", setting, math.pi / eta, 2.0 * math.pi / eta, measured, why
        )
    elif nu <= eta * lam <= asymptotic_bounds.LARGEST_RATE:
        value = lam * elliptic.integral_bound(nu)
        why = f"lambda_j (128/49) log(8/nu) by Lemma C.21; {why}"
        yield row(
            bound=f"Err_j of {name}", location="Remark C.23", setting=setting, value=value, measured=measured,
            note=why,
        )  # fmt: skip


def _summed(point: Point, one: RegressionProblem, setting: str) -> Iterator[Bound]:
    """Evaluates <beta, T_j beta> from the coefficients themselves, and Lemma F.17's bound on it."""
    beta = toeplitz.nu_family(point.nu).coefficients(math.ceil(TAPS / point.nu))
    measured, rate = float(regression.q_of(one, beta)[0]), float(one.rates[0])
    value = float(regression.q_nu(one, point.nu)[0])
    why = f"eta lambda (2 - eta lambda) I(nu, eta lambda)/(2 pi); measured is the double sum of (32), {len(beta)} terms"
    yield equal("<beta, T_j beta> of eq. (7)", "(32), App. C.7, F.16", setting, value, measured, why)
    value = (2.0 - rate) / rate * float(beta @ beta)
    why = "(1+c)/(1-c) |beta|_2^2, c = 1 - eta lambda; measured is <beta, T_j beta> of eq. (7)"
    yield row(
        bound="<beta, T_j beta> of eq. (7), from above", location="Lemma F.17", setting=setting, value=value,
        measured=measured, note=why,
    )  # fmt: skip
