"""Table 1: the printed orders of the error for linear regression, each beside the exact value."""

from collections.abc import Iterator

from dpdescent.papers.choquettechoo2023.design import Row, Spec, effective_dimension, problems
from dpdescent.papers.choquettechoo2023.theory import optimum, rates, regression
from dpdescent.papers.choquettechoo2023.theory.regression import RegressionProblem

SERIES = {rates.SUBOPTIMALITY: "suboptimality", rates.RATIO: "ratio to lower bound"}


def run(spec: Spec) -> Iterator[Row]:
    """Rows of every entry, dimension and learning rate; the lower bound's exact value is the infimum over all beta."""
    for cell, problem in problems(spec):
        setting = rates.Setting.of(problem.lam, eta=problem.eta, rho=problem.rho, clip_norm=problem.clip_norm)
        errors = _errors(problem)
        for entry in rates.TABLE1:
            over = errors[rates.LOWER_BOUND] if entry.quantity == rates.RATIO else 1.0
            exact, order = errors[entry.row] / over, entry.order(setting)
            yield {
                "row": entry.row, "entry": entry.text, "d": cell["d"], "eta": cell["eta"],
                "d_eff": effective_dimension(problem.lam), "series": SERIES[entry.quantity], "trial": 0,
                "value": exact / order, "exact": exact, "order": order,
            }  # fmt: skip


def _errors(problem: RegressionProblem) -> dict[str, float]:
    return {
        rates.LOWER_BOUND: optimum.best(problem),
        rates.NOISY_SGD: regression.noisy_sgd(problem),
        rates.NU_NOISY_FTRL: regression.nu_noisy_ftrl(problem, problem.eta * problem.mu),
    }
