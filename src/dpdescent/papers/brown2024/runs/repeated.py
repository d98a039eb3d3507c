"""Many runs of DP-GD on one data set: bias and variance (Figure 4), error against clipping (Figure 7)."""

from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.algorithms import dp_gd
from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.checks import as_list
from dpdescent.data.linear import LinearSample
from dpdescent.papers.brown2024.arms import Setting
from dpdescent.papers.brown2024.design import Array, Spec, sample_of, trial_stream
from dpdescent.privacy.events import Mechanism


def data_sets(spec: Spec) -> Iterator[tuple[int, LinearSample, dict[str, Array]]]:
    """Yields every trial's number, data set, and targets theta_hat and theta*."""
    n, p = spec["cell"]["n"], spec["cell"]["p"]
    for trial in range(*spec["trials"]):
        sample, theta_star = sample_of(spec, p, n, trial)
        yield trial, sample, {"theta_hat": linear_least_squares(sample.gram), "theta_star": theta_star}


def runs(spec: Spec, sample: LinearSample, trial: int, T: int) -> Iterator[tuple[float, dp_gd.Descent]]:
    """Yields each clip factor with all runs on a data set; all thresholds share normals and differ in their scale."""
    count = spec["arms"]["runs"]
    rng = trial_stream(spec, sample.p, sample.n, trial, f"noise T={T}")
    normals = rng.standard_normal((T, 1, count, sample.p))
    for factor in spec["arms"]["clip_factor"]:
        setting = Setting.of(spec, sample.n, sample.p, T, factor)
        yield factor, dp_gd.descend([sample], setting.arms(count), normals)


def distances(descent: dp_gd.Descent, target: Array) -> Array:
    """Returns the distance of every run's last iterate to a target, shape (runs,)."""
    norms: Array = np.linalg.norm(descent.theta[0] - target, axis=1)
    return norms


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of one sample size: one run for every threshold and number of steps."""
    n, p, given = spec["cell"]["n"], spec["cell"]["p"], spec["arms"]
    for T in as_list(given["T"]):
        for factor in given["clip_factor"]:
            setting = Setting.of(spec, n, p, T, factor)
            name = f"{spec['variant']}: DP-GD n={n} T={T} gamma={factor:g} sqrt(p)"
            yield name, setting.mechanism(), spec["settings"]["dp_delta"]
