"""Table 4: the printed orders over spectra of the covariance, each beside the exact value."""

from collections.abc import Iterator

from dpdescent.checks import as_list
from dpdescent.papers.choquettechoo2023.design import Row, Spec, effective_dimension, power_law
from dpdescent.papers.choquettechoo2023.theory import rates, regression
from dpdescent.papers.choquettechoo2023.theory.regression import RegressionProblem

# An exponent for each row of the table; those of the general rows are chosen by us.
ALPHAS = {"1": 0.0, "1/sqrt k": 0.5, "k^-a, a < 1": 0.75, "1/k": 1.0, "1/k^2": 2.0, "k^-a, a > 1": 3.0}


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of every spectrum and dimension: d_eff, both algorithms, their ratio as printed and as implied."""
    cell, settings = spec["cell"], spec["settings"]
    for table_row in rates.TABLE4:
        alpha = ALPHAS[table_row.row]
        for d in as_list(cell["d"]):
            lam = power_law(d, alpha)
            problem = RegressionProblem(
                lam, cell["eta_times_trace"] / float(lam.sum()), settings["rho"], settings["clip_norm"]
            )
            yield from _entries(table_row, alpha, problem)


def _entries(table_row: rates.SpectrumRow, alpha: float, problem: RegressionProblem) -> Iterator[Row]:
    setting = rates.Setting.of(
        problem.lam, eta=problem.eta, rho=problem.rho, alpha=alpha, clip_norm=problem.clip_norm
    )  # fmt: skip
    sgd, ftrl = regression.noisy_sgd(problem), regression.nu_noisy_ftrl(problem, problem.eta * problem.mu)
    d_eff = effective_dimension(problem.lam)
    exact = {
        rates.EFFECTIVE_DIMENSION: d_eff, rates.NOISY_SGD: sgd, rates.NOISY_FTRL: ftrl, rates.RATIO: ftrl / sgd,
    }  # fmt: skip
    for entry in table_row.rates:
        value, order = exact[entry.quantity], entry.order(setting)
        yield {
            "row": f"k^-a, a = {alpha:g}" if "a" in table_row.row else table_row.row,
            "algorithm": f"{entry.quantity}, corrected" if entry.correction else entry.quantity, "entry": entry.text,
            "d": problem.d, "eta": problem.eta, "d_eff": d_eff, "series": "exact over order", "trial": 0,
            "value": value / order, "exact": value, "order": order,
        }  # fmt: skip
