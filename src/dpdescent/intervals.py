"""Confidence intervals from iterates, with a check that these have mixed (brown2024 Sec. 3.1, App. B).

Three constructions turn iterates into m estimates, and Student's t interval for a mean turns the estimates into an
interval per coordinate. The iterates may come from any algorithm: axis 0 counts them, iterate 1 first (leave out the
starting point), the last axis counts coordinates, all of them, and axes between, such as replications, are kept. A path
with one axis has one coordinate. Intervals from privately released iterates cost no further privacy, because they are
post-processing.

A path that has not mixed gives intervals that cover too seldom. Each construction then warns (`ConvergenceWarning`),
and says by the law of the path how often such an interval covers; `mixing` has the rule. The arithmetic alone is in
`interval_arithmetic`. No path shows clipping: a descent ends where the mean of clipped gradients is zero, and its
intervals are for that point. It is the least-squares estimate where nothing is clipped, or clipping is symmetric.

Iterates and estimates must be real, finite and not masked, in all functions.
"""

import numpy as np
from numpy.typing import NDArray

from dpdescent import interval_arithmetic as arithmetic
from dpdescent import mixing
from dpdescent.gate import gated
from dpdescent.interval_arithmetic import Intervals as Intervals
from dpdescent.renamed import renamed

Array = NDArray[np.float64]

t_factor = gated(whole="m", number="level")(arithmetic.t_factor)
autoregression = gated(finite="path", whole="burn_in")(arithmetic.autoregression)


@gated(arrays="estimates", number="level")
def t_intervals(estimates: Array, level: float = 0.95) -> Intervals:
    """Student's t intervals for every coordinate of m estimates, as `interval_arithmetic.t_intervals`."""
    if estimates.ndim == 0:
        raise ValueError("estimates is a single number: give estimates along the first axis")
    return arithmetic.t_intervals(estimates, level)


@gated(finite="runs", whole="burn_in tail")
def independent_runs(runs: Array, burn_in: int, tail: int | None = None) -> Array:
    """Computes one estimate per run, as `interval_arithmetic.independent_runs`.

    Warns if the remaining influence of the start may move an interval.
    """
    estimates = arithmetic.independent_runs(runs, burn_in, tail)
    mixing.warn(mixing.unsettled(runs, burn_in, tail))
    return estimates


@gated(finite="path", whole="m burn_in")
def checkpoints(path: Array, m: int, burn_in: int) -> Array:
    """Selects every L-th iterate of a run, as `interval_arithmetic.checkpoints`; warns if the path has not mixed."""
    estimates = arithmetic.checkpoints(path, m, burn_in)
    mixing.warn(mixing.unmixed(path, m, burn_in, "checkpoints"))
    return estimates


@gated(finite="path", whole="m burn_in")
def batched_means(path: Array, m: int, burn_in: int) -> Array:
    """Means of m consecutive batches, as `interval_arithmetic.batched_means`; warns if the path has not mixed."""
    estimates = arithmetic.batched_means(path, m, burn_in)
    mixing.warn(mixing.unmixed(path, m, burn_in))
    return estimates


@renamed(alpha="step_size")
@gated(finite="path precondition moment", whole="m burn_in n", number="step_size moment_sd level")
def sandwich_intervals(
    path: Array, *, m: int, burn_in: int, step_size: float, precondition: Array, moment: Array, moment_sd: float,
    n: int, level: float = 0.95,
) -> Intervals:  # fmt: skip
    """Computes intervals for the population root from releases of DP-IV-GD, as `interval_arithmetic` does.

    The step size is that of the second stage, alpha there. Warns if the path has not mixed.
    """
    result = arithmetic.sandwich_intervals(
        path, m=m, burn_in=burn_in, alpha=step_size, precondition=precondition, moment=moment, moment_sd=moment_sd, n=n,
        level=level,
    )  # fmt: skip
    mixing.warn(mixing.unmixed(path, m, burn_in, level=level))
    return result
