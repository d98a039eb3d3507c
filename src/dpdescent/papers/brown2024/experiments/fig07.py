"""Figure 7: error of DP-GD against the fraction of gradients clipped, for several numbers of iterations."""

from collections.abc import Iterator

from dpdescent.papers.brown2024.design import Row, Spec
from dpdescent.papers.brown2024.runs import repeated
from dpdescent.papers.brown2024.runs.repeated import releases as releases


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one sample size: mean distance over the runs on each data set, at noise calibrated for each T."""
    for trial, sample, targets in repeated.data_sets(spec):
        for T in spec["arms"]["T"]:
            for factor, descent in repeated.runs(spec, sample, trial, T):
                for name, target in targets.items():
                    yield {
                        "n": sample.n, "T": T, "clip_factor": factor, "error_to": name, "series": "DP-GD",
                        "trial": trial, "value": float(repeated.distances(descent, target).mean()),
                        "clip_fraction": float(descent.clipped.mean()),
                    }  # fmt: skip
