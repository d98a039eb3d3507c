"""Shared parts of all estimators: conversion of budgets, checks of arrays, and the run that they return."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpdescent.checks import require_finite_values, require_positive, require_real, require_real_or_none
from dpdescent.gate import LARGEST as LARGEST
from dpdescent.gate import real
from dpdescent.privacy import zcdp
from dpdescent.privacy.accounting import LARGEST as LARGEST_EPSILON
from dpdescent.privacy.accounting import tight_rho
from dpdescent.privacy.events import Mechanism
from dpdescent.secret_bits import is_secret

Array = NDArray[np.float64]


# Without equality, because comparisons of arrays have no single truth value.
@dataclass(frozen=True, eq=False)
class Run:
    """One run on one data set.

    Attributes:
        estimate: the estimate; each estimator states its shape.
        path: iterates 1 to T, along the first axis; empty where they were not asked for.
        clipped: share of all gradients of single records that were clipped. Do not publish it, because it is computed
            from the data without noise and the event does not cover it.
        event: the releases of the run and whether their guarantee is proved, for `account(event, delta)`. It covers
            `estimate`, `path` and `also` together.
        also: further arrays, by name.
        names: names of the regressors, where they were given as a frame; else empty.
    """

    estimate: Array
    path: Array
    clipped: float
    event: Mechanism
    also: Mapping[str, Array] = field(default_factory=dict)
    names: tuple[str, ...] = ()


def rho_of(n: int, rho: float | None, epsilon: float | None, delta: float | None) -> float:
    """Returns the zCDP budget of Gaussian releases, given as such or as (epsilon, delta), which is converted exactly.

    Args:
        n: number of records.
        rho: zCDP budget, positive and finite.
        epsilon, delta: budget in place of rho; delta must be below 1 / n.

    Raises:
        ValueError: if both or neither are given, or a value is out of its range.
    """
    require_real_or_none(rho=rho, epsilon=epsilon, delta=delta)
    if rho is not None and epsilon is None and delta is None:
        require_positive(rho=rho)
        if math.isinf(rho):
            raise ValueError(f"rho={rho} must be finite: it is the budget that the noise is scaled by")
        return rho
    if rho is None and epsilon is not None and delta is not None:
        return tight_rho(*epsilon_delta(n, epsilon, delta))
    raise ValueError(f"rho={rho}, epsilon={epsilon}, delta={delta}: give rho alone, or epsilon and delta")


def epsilon_delta(n: int, epsilon: float, delta: float) -> tuple[float, float]:
    """Checks and returns the budget (epsilon, delta).

    Raises:
        ValueError: if epsilon is not positive and finite, or delta not in (0, 1 / n).
    """
    require_real(epsilon=epsilon, delta=delta)
    require_positive(epsilon=epsilon)
    zcdp.require_delta(delta)
    if math.isinf(epsilon):
        raise ValueError(f"epsilon={epsilon} must be finite: it is the budget that the noise is scaled by")
    if epsilon > LARGEST_EPSILON:
        raise ValueError(f"epsilon={epsilon} must be at most {LARGEST_EPSILON:.0e}: far less protects nobody")
    if delta * n >= 1.0:
        raise ValueError(f"delta={delta} must be below 1/n = {1 / n:.3g}, or publishing a record at random would pass")
    return epsilon, delta


def require_finite(*iterates: Array | None) -> None:
    """Checks the iterates of a run; a run that overflowed must not be released.

    Raises:
        ValueError: if a value is not finite.
    """
    if not all(np.isfinite(each).all() for each in iterates if each is not None):
        raise ValueError(
            "the iterates overflow; take smaller step sizes (telling anyone that it failed spends its budget too)"
        )


def fitting(name: str, given: Any, shape: tuple[int, ...]) -> Array:
    """Returns an argument as an array of floats of the given shape.

    Args:
        name: its name, for the message.
        given: the argument.
        shape: the shape that it must have.

    Raises:
        ValueError: if it has another shape, or a value is no finite real number.
    """
    array = real(name, given)
    if array.shape != shape:
        raise ValueError(f"{name} of shape {array.shape} must have shape {shape}")
    require_finite_values(**{name: array})
    return array


def parts_of(shares: ArrayLike, count: int) -> Array:
    """Returns parts of a budget, scaled so that rounding of their sum costs nothing, shape (count,).

    Raises:
        ValueError: if they are not positive, of sum 1, or not as many.
    """
    parts = fitting("shares", shares, (count,))
    if not (parts.min() > 0.0 and math.isclose(parts.sum(), 1.0, rel_tol=1e-9)):
        raise ValueError(f"shares={parts} must be positive, of sum 1 and not {parts.sum()}: they divide the budget")
    return np.asarray(parts / parts.sum())


def guarded(event: Mechanism, rng: np.random.Generator, *, handed: bool) -> Mechanism:
    """Returns the event unchanged for secret noise, and without a guarantee for noise that can be regenerated.

    Args:
        event: the releases, and the argument for their guarantee.
        rng: generator of the noise and of random batches.
        handed: whether the noise was given as an argument.
    """
    if handed:
        why = "the noise was handed over, and whoever made it can take it off again"
    elif not is_secret(rng):
        source = type(rng.bit_generator).__name__
        why = f"a seed or earlier output makes the noise of {source} again; take randomness.secure_generator()"
    else:
        return event
    return replace(event, guarantee="none", reason=f"{why}. With secret noise: {event.reason}")
