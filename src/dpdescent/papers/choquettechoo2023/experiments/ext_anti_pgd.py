"""Damped anti-PGD: its error at the best damping over learning rates and dimensions, and over the damping; exact."""

from collections.abc import Iterator

from dpdescent.checks import as_list
from dpdescent.papers.choquettechoo2023.design import Row, Spec, problems
from dpdescent.papers.choquettechoo2023.theory import asymptotic_bounds, optimum, regression
from dpdescent.papers.choquettechoo2023.theory.regression import RegressionProblem

DAMPED = "damped anti-PGD"


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one panel."""
    for cell, problem in problems(spec):
        place = {"panel": spec["panel"], "d": cell["d"], "eta": cell["eta"], "trial": 0}
        rows = _over_damping(spec, problem) if "nu" in spec["cell"] else _at_best(problem)
        yield from ({**place, **row} for row in rows)


def _over_damping(spec: Spec, problem: RegressionProblem) -> Iterator[Row]:
    for nu in as_list(spec["cell"]["nu"]):
        yield {
            "nu": nu, "series": DAMPED, "value": regression.damped_anti_pgd(problem, nu),
            "nu_best": optimum.best_damped_nu(problem),
            "leading_order": asymptotic_bounds.damped_leading_order(problem, nu),
        }  # fmt: skip


def _at_best(problem: RegressionProblem) -> Iterator[Row]:
    """Yields the errors of damped anti-PGD at its best damping, independent noise and nu-Noisy-FTRL."""
    nu = optimum.best_damped_nu(problem)
    order = asymptotic_bounds.best_damped_order(problem, constant=2.0**0.5 / 8.0)
    errors = {
        f"{DAMPED} at the best nu": regression.damped_anti_pgd(problem, nu),
        "Noisy-SGD": regression.noisy_sgd(problem),
        "nu-Noisy-FTRL": regression.nu_noisy_ftrl(problem, problem.eta * problem.mu),
    }
    for series, value in errors.items():
        yield {"series": series, "value": value, "nu_best": nu, "leading_order": order}
