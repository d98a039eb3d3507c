"""Figure 4: squared bias, variance and squared error of DP-GD against the clipping threshold."""

from collections.abc import Iterator

from dpdescent.papers.brown2024.design import Row, Spec
from dpdescent.papers.brown2024.runs import repeated
from dpdescent.papers.brown2024.runs.repeated import releases as releases


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one sample size: squared bias, variance and squared error over the runs on each data set.

    All three are unbiased estimates.
    """
    for trial, sample, targets in repeated.data_sets(spec):
        for factor, descent in repeated.runs(spec, sample, trial, spec["arms"]["T"]):
            theta = descent.theta[0]
            variance = float(theta.var(axis=0, ddof=1).sum())
            for name, target in targets.items():
                offset = theta.mean(axis=0) - target
                squared_error = float((repeated.distances(descent, target) ** 2).mean())
                # Subtracted because the mean over finitely many runs has a variance, which its square includes.
                bias = float(offset @ offset) - variance / len(theta)
                for series, value in {"bias2": bias, "variance": variance, "mse": squared_error}.items():
                    yield {
                        "n": sample.n, "clip_factor": factor, "error_to": name, "series": series, "trial": trial,
                        "value": value, "clip_fraction": float(descent.clipped.mean()),
                    }  # fmt: skip
