"""Noisy-SGD against nu-Noisy-FTRL over spectra and dimensions; exact."""

from collections.abc import Iterator

from dpdescent.checks import as_list
from dpdescent.papers.choquettechoo2023.design import Row, Spec, effective_dimension, spectrum
from dpdescent.papers.choquettechoo2023.theory import optimum, regression
from dpdescent.papers.choquettechoo2023.theory.regression import RegressionProblem


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of every spectrum and dimension, eta a fixed share of 1 / Tr H and nu = eta mu."""
    cell, settings = spec["cell"], spec["settings"]
    for name in as_list(cell["spectrum"]):
        for d in as_list(cell["d"]):
            lam = spectrum(name, d)
            eta = cell["eta_times_trace"] / float(lam.sum())
            problem = RegressionProblem(lam, eta, settings["rho"], settings["clip_norm"])
            for series, value in _errors(problem).items():
                yield {
                    "spectrum": name, "d": d, "series": series, "trial": 0, "value": value,
                    "eta": eta, "d_eff": effective_dimension(lam), "nu": eta * problem.mu,
                }  # fmt: skip


def _errors(problem: RegressionProblem) -> dict[str, float]:
    sgd, ftrl = regression.noisy_sgd(problem), regression.nu_noisy_ftrl(problem, problem.eta * problem.mu)
    least = optimum.best(problem)
    return {"Noisy-SGD": sgd, "nu-Noisy-FTRL": ftrl, "optimum": least, "Noisy-SGD over nu-Noisy-FTRL": sgd / ftrl}
