"""Averaged empirical risk of noise-free runs against the number of iterations, read off one run a seed."""

from collections.abc import Iterator

from dpdescent.checks import as_list
from dpdescent.papers.wang2026.design import Row, Size, Spec, value
from dpdescent.papers.wang2026.runs import noise_free, training


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one step size: the average over the first T iterates, for every T and seed."""
    cell, horizons = spec["cell"], sorted(as_list(value(spec, "T")))
    size = Size(cell["n"], cell["B"], horizons[-1])
    averaged = training.averages(noise_free.run(spec, size, cell["eta"], tested=False).empirical[:, :, 0])
    for place, (trial, gamma) in enumerate(noise_free.margins(spec, size.n).items()):
        for T in horizons:
            yield {
                "panel": spec["panel"], "n": size.n, "T": T, "B": size.B, "m": value(spec, "m"), "d": value(spec, "d"),
                "eta": cell["eta"], "gamma": gamma, "series": training.EMPIRICAL, "trial": trial,
                "value": float(averaged[T - 1, place]),
            }  # fmt: skip
