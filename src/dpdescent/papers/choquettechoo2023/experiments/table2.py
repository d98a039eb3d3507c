"""Table 2: sensitivity and error of noise coefficients of earlier work, printed orders beside exact values.

Where the error is infinite, its growth with the horizon is shown: the error of the noise at sensitivity 1 is finite,
and gamma_T^2 multiplies it.
"""

import math
from collections.abc import Iterator

from dpdescent.checks import as_list
from dpdescent.noise.strategies import toeplitz
from dpdescent.noise.strategies.toeplitz import Toeplitz
from dpdescent.papers.choquettechoo2023.design import Array, Row, Spec, problems
from dpdescent.papers.choquettechoo2023.theory import optimum, rates, regression
from dpdescent.papers.choquettechoo2023.theory.regression import RegressionProblem

QUANTITIES = {rates.SENSITIVITY: "sensitivity squared", rates.SUBOPTIMALITY: "suboptimality"}


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of every algorithm and learning rate: sensitivities over horizons, and errors."""
    for cell, problem in problems(spec):
        for row, (nu, strategy, q) in _algorithms(problem).items():
            place = {"row": row, "d": cell["d"], "eta": cell["eta"], "nu": nu, "series": "exact over order", "trial": 0}
            for entry in (entry for entry in rates.TABLE2 if entry.row == row):
                rows = _sensitivities if entry.quantity == rates.SENSITIVITY else _errors
                common = place | {"quantity": QUANTITIES[entry.quantity], "entry": entry.text}
                yield from ({**common, **found} for found in rows(spec, problem, entry, nu, strategy, q))


def _algorithms(problem: RegressionProblem) -> dict[str, tuple[float, Toeplitz, Array]]:
    """Returns by row: damping, noise coefficients, weights of the error."""
    eta_mu, damped = problem.eta * problem.mu, optimum.best_damped_nu(problem)
    # Anti-PGD has the weights of damped anti-PGD at nu = 0, which are 2 eta lambda.
    return {
        rates.FICHTENBERGER: (0.0, toeplitz.optimal_cc(), regression.q_nu(problem, 0.0)),
        rates.NU_NOISY_FTRL: (eta_mu, toeplitz.nu_family(eta_mu), regression.q_nu(problem, eta_mu)),
        rates.ANTI_PGD: (0.0, toeplitz.anti_pgd(), 2.0 * problem.rates),
        rates.DAMPED_ANTI_PGD: (damped, toeplitz.damped_anti_pgd(damped), regression.q_damped(problem, damped)),
    }


def _setting(problem: RegressionProblem, nu: float, T: float = math.inf) -> rates.Setting:
    return rates.Setting.of(problem.lam, eta=problem.eta, rho=problem.rho, nu=nu, T=T, clip_norm=problem.clip_norm)


def _sensitivities(
    spec: Spec, problem: RegressionProblem, entry: rates.Rate, nu: float, strategy: Toeplitz, q: Array
) -> Iterator[Row]:
    """Yields gamma_T^2 over horizons T, and the error of noise that is scaled to it."""
    for T in as_list(spec["cell"]["T"]):
        exact, order = strategy.sensitivity_squared(T), entry.order(_setting(problem, nu, T))
        yield {"T": T, "value": exact / order, "exact": exact, "order": order}
        error = regression.suboptimality(problem, q, exact)
        yield {
            "T": T, "quantity": "suboptimality at horizon T", "entry": "", "value": 1.0, "exact": error, "order": error
        }  # fmt: skip


def _errors(
    spec: Spec, problem: RegressionProblem, entry: rates.Rate, nu: float, strategy: Toeplitz, q: Array
) -> Iterator[Row]:
    exact = regression.suboptimality(problem, q, strategy.sensitivity_squared_limit())
    order = entry.order(_setting(problem, nu))
    agree = math.isinf(exact) and math.isinf(order)
    yield {"value": 1.0 if agree else exact / order, "exact": exact, "order": order}
