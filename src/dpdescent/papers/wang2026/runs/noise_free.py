"""Noise-free runs without clipping, whose averaged risks are read along the way, and the margins of their starts."""

from collections.abc import Iterator

from dpdescent.algorithms.lambda_cgd import Runs
from dpdescent.papers.wang2026.arms import Arm
from dpdescent.papers.wang2026.design import Row, Size, Spec, value
from dpdescent.papers.wang2026.runs import training
from dpdescent.papers.wang2026.runs.diagnostics import Seed


def run(spec: Spec, size: Size, eta: float, tested: bool) -> Runs:
    """Runs one step size for all seeds of the part."""
    return training.run(spec, range(*spec["trials"]), [Arm.without_noise(size, eta)], tested=tested)


def margins(spec: Spec, n: int) -> dict[int, float]:
    """Returns the NTK margin of every seed's records at its start."""
    return {trial: Seed(spec, trial, n).margin.value for trial in range(*spec["trials"])}


def rows(spec: Spec, size: Size, eta: float, own: Row | None = None) -> Iterator[Row]:
    """Yields both averaged risks of every seed beside its margin."""
    runs, gammas = run(spec, size, eta, tested=True), margins(spec, size.n)
    for place, (trial, gamma) in enumerate(gammas.items()):
        base = {
            "n": size.n, "T": size.T, "B": size.B, "m": value(spec, "m"), "d": value(spec, "d"), "eta": eta,
            "trial": trial, "gamma": gamma, **(own or {}),
        }  # fmt: skip
        yield {**base, "series": training.POPULATION, "value": float(runs.population_average[place, 0])}
        yield {**base, "series": training.EMPIRICAL, "value": float(runs.empirical_average[place, 0])}
