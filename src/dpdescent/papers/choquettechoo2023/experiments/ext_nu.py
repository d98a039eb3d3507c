"""How nu should be chosen: the error of nu-Noisy-FTRL over the least of any noise coefficients, exact."""

from collections.abc import Iterator

from dpdescent.checks import as_list
from dpdescent.papers.choquettechoo2023.design import Row, Spec, problems
from dpdescent.papers.choquettechoo2023.theory import optimum, regression


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one panel: every spectrum and learning rate, every multiple of eta mu that stays below 1."""
    for cell, problem in problems(spec):
        least = optimum.best(problem)
        at_best = optimum.best_nu(problem)[1] / least
        for multiple in as_list(spec["arms"]["nu_over_eta_mu"]):
            nu = multiple * problem.eta * problem.mu
            if nu < 1.0:
                yield {
                    "panel": spec["panel"], **cell, "nu_over_eta_mu": multiple, "nu": nu, "trial": 0,
                    "series": "over the optimum", "value": regression.nu_noisy_ftrl(problem, nu) / least,
                    "value_at_best": at_best,
                }  # fmt: skip
