"""Figure 1: mean estimation, the best noise coefficients against independent noise; exact."""

from collections.abc import Iterator

import numpy as np

from dpdescent.checks import as_list
from dpdescent.noise.strategies import toeplitz
from dpdescent.papers.choquettechoo2023.design import Row, Spec
from dpdescent.papers.choquettechoo2023.theory import mean_estimation


def run(spec: Spec) -> Iterator[Row]:
    """Rows of one panel: the ratio of errors over learning rates, the best coefficients in time and in frequency."""
    panels = {"ratio": _ratios, "time": _coefficients, "frequency": _powers}
    for eta in as_list(spec["cell"]["eta"]):
        for row in panels[spec["panel"]](spec, eta):
            yield {"panel": spec["panel"], "eta": eta, "trial": 0, **row}


def _ratios(spec: Spec, eta: float) -> Iterator[Row]:
    yield {"series": "exact ratio", "value": mean_estimation.ratio(eta)}
    yield {"series": "order-wise proxy", "value": mean_estimation.ratio_order(eta)}


def _coefficients(spec: Spec, eta: float) -> Iterator[Row]:
    steps = as_list(spec["cell"]["t"])
    beta = toeplitz.nu_family(eta).coefficients(max(steps) + 1)
    for t in steps:
        yield {"t": t, "series": "beta*", "value": float(beta[t])}


def _powers(spec: Spec, eta: float) -> Iterator[Row]:
    frequencies = np.linspace(0.0, np.pi, spec["cell"]["frequencies"])
    for omega, power in zip(frequencies, mean_estimation.optimal_power(eta, frequencies), strict=True):
        yield {"omega": float(omega), "series": "|B*|^2", "value": float(power)}
