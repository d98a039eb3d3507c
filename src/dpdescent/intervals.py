"""Confidence intervals from iterates, with a check that these have mixed (brown2024 Sec. 3.1, App. B).

Three constructions turn iterates into m estimates, and Student's t interval for a mean turns these into an interval for
every coordinate. Iterates may come from any algorithm: axis 0 counts them, iterate 1 first (leave out the starting
point), the last one counts coordinates, all of them, and axes between, such as replications, are kept. A path of one
axis has one coordinate. Intervals from privately released iterates cost no further privacy, because they are
post-processing.

A path that has not mixed gives intervals that cover too seldom. Each construction then warns (`ConvergenceWarning`),
and says by the law of the path what such an interval is worth; `mixing` has the rule. The arithmetic alone is in
`interval_arithmetic`. What no path shows is clipping: a descent ends where clipped gradients have the mean zero, and
its intervals are for that point, which is that of least squares where nothing is clipped, or clipping is symmetric.

Iterates and estimates must be real, finite and not masked, in all functions.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpdescent import interval_arithmetic as arithmetic
from dpdescent import mixing
from dpdescent.checks import require_finite_values, require_real, require_whole
from dpdescent.gate import real
from dpdescent.interval_arithmetic import Intervals as Intervals
from dpdescent.interval_arithmetic import autoregression as autoregression
from dpdescent.interval_arithmetic import t_factor as t_factor

Array = NDArray[np.float64]


def t_intervals(estimates: ArrayLike, level: float = 0.95) -> Intervals:
    """Student's t interval for every coordinate of m estimates, as `interval_arithmetic.t_intervals`."""
    require_real(level=level)
    return arithmetic.t_intervals(_iterates("estimates", estimates), level)


def independent_runs(runs: ArrayLike, burn_in: int, tail: int | None = None) -> Array:
    """Computes one estimate for every run, as `interval_arithmetic.independent_runs`.

    Warns if what is left of the start may move an interval.
    """
    runs = _iterates("runs", runs, burn_in=burn_in, tail=0 if tail is None else tail)
    estimates = arithmetic.independent_runs(runs, burn_in, tail)
    mixing.warn(mixing.unsettled(runs, burn_in, tail))
    return estimates


def checkpoints(path: ArrayLike, m: int, burn_in: int) -> Array:
    """Selects every L-th iterate of a run, as `interval_arithmetic.checkpoints`; warns if the path has not mixed."""
    path = _iterates("path", path, m=m, burn_in=burn_in)
    estimates = arithmetic.checkpoints(path, m, burn_in)
    mixing.warn(mixing.unmixed(path, m, burn_in, "checkpoints"))
    return estimates


def batched_means(path: ArrayLike, m: int, burn_in: int) -> Array:
    """Means of m consecutive batches, as `interval_arithmetic.batched_means`; warns if the path has not mixed."""
    path = _iterates("path", path, m=m, burn_in=burn_in)
    estimates = arithmetic.batched_means(path, m, burn_in)
    mixing.warn(mixing.unmixed(path, m, burn_in))
    return estimates


def sandwich_intervals(
    path: ArrayLike, *, m: int, burn_in: int, alpha: float, precondition: Array, moment: Array, moment_sd: float,
    n: int, level: float = 0.95,
) -> Intervals:  # fmt: skip
    """Computes intervals for the population's root from releases of DP-IV-GD, as the one of `interval_arithmetic`.

    Warns if the path has not mixed.
    """
    require_real(level=level)
    path = _iterates("path", path, m=m, burn_in=burn_in)
    found = arithmetic.sandwich_intervals(
        path, m=m, burn_in=burn_in, alpha=alpha, precondition=precondition, moment=moment, moment_sd=moment_sd, n=n,
        level=level,
    )  # fmt: skip
    mixing.warn(mixing.unmixed(path, m, burn_in, level=level))
    return found


def _iterates(name: str, given: ArrayLike, **counts: int) -> Array:
    """Iterates or estimates that are numbers, beside counts that are whole.

    Raises:
        ValueError: with the argument's name if they are not.
    """
    require_whole(**counts)
    array = real(name, given)
    if array.ndim == 0:
        raise ValueError(f"{name} is a single number: give iterates along the first axis")
    require_finite_values(**{name: array})
    return array
