"""Noise-free runs without clipping, whose averaged risks are read along the way, and the margins of their starts."""

from collections.abc import Iterator

import numpy as np

from dpdescent.algorithms.lambda_cgd import Runs
from dpdescent.papers.wang2026.design import Row, Spec, value
from dpdescent.papers.wang2026.runs import training
from dpdescent.papers.wang2026.runs.diagnostics import Seed
from dpdescent.papers.wang2026.runs.training import Arm, Size


def run(spec: Spec, size: Size, eta: float, tested: bool) -> Runs:
    """One step size, all seeds of the part."""
    noise = training.fixed_noise(size, 0.0, 0.0, np.nan)
    return training.run(spec, range(*spec["trials"]), size, [Arm(noise, eta, np.inf)], tested=tested)


def margins(spec: Spec, n: int) -> dict[int, float]:
    """NTK margin of every seed's records at its start."""
    return {trial: Seed(spec, trial, n).margin.value for trial in range(*spec["trials"])}


def rows(spec: Spec, size: Size, eta: float, own: Row | None = None) -> Iterator[Row]:
    """Both averaged risks of every seed beside its margin."""
    runs, gammas = run(spec, size, eta, tested=True), margins(spec, size.n)
    for place, (trial, gamma) in enumerate(gammas.items()):
        base = {
            "n": size.n, "T": size.T, "B": size.B, "m": value(spec, "m"), "d": value(spec, "d"), "eta": eta,
            "trial": trial, "gamma": gamma, **(own or {}),
        }  # fmt: skip
        yield {**base, "series": training.POPULATION, "value": float(runs.population_average[place, 0])}
        yield {**base, "series": training.EMPIRICAL, "value": float(runs.empirical_average[place, 0])}
