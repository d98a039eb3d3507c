"""Averaged empirical risk of noise-free runs against the number of iterations, read off one run a seed."""

from collections.abc import Iterator

from dpdescent.papers.wang2026 import kan_runs, noise_free_runs
from dpdescent.papers.wang2026.design import Row, Spec, value
from dpdescent.papers.wang2026.kan_runs import Size
from dpdescent.replication.arguments import as_list


def run(spec: Spec) -> Iterator[Row]:
    """Rows of one step size: the average over the first T iterates, for every T and seed."""
    cell, horizons = spec["cell"], sorted(as_list(value(spec, "T")))
    size = Size(cell["n"], cell["B"], horizons[-1])
    averaged = kan_runs.averages(noise_free_runs.run(spec, size, cell["eta"], tested=False).empirical[:, :, 0])
    for place, (trial, gamma) in enumerate(noise_free_runs.margins(spec, size.n).items()):
        for T in horizons:
            yield {
                "panel": spec["panel"], "n": size.n, "T": T, "B": size.B, "m": value(spec, "m"), "d": value(spec, "d"),
                "eta": cell["eta"], "gamma": gamma, "series": kan_runs.EMPIRICAL, "trial": trial,
                "value": float(averaged[T - 1, place]),
            }  # fmt: skip
