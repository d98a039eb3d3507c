"""Schedules that divide the zCDP budget of a full-batch descent among its steps, and the least variance of any noise.

Where nothing is clipped, DP-GD with step size eta on a quadratic is linear, and the noise of step t enters the estimate
with a weight that shrinks with every later step. Noise of early steps is forgotten, so that they need less of the
budget.

Let W_t be the weight of the noise of step t in the estimate, a vector over the eigen-coordinates of the Hessian. All
records take part in all T steps. The noise may be correlated over time: `B z` with independent normals z, an encoder `C
= B^-1`, and the sensitivity of C, which is the largest |C g|_F over gradients g whose rows g_t have norm at most one.
The rows U_t = W_t / |W_t| are such gradients. Therefore sens(C) |B'W|_F >= |CU|_F |B'W|_F >= tr(U' C' B' W) = sum_t
|W_t|. Independent noise whose variance at step t is proportional to 1 / |W_t| attains equality, so that no correlation
over time is better. This is a statement about the variance of the linear, unclipped descent, whose start is forgotten
or known.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpdescent.checks import require_finite_values, require_positive, require_real, require_whole
from dpdescent.gate import real
from dpdescent.renamed import renamed

Array = NDArray[np.float64]


@renamed(eta="step_size")
def response(step_size: float, eigenvalues: ArrayLike, averaging: ArrayLike) -> Array:
    """Returns W_t, shape (T, p): the change of the estimate per unit of noise in the gradient of step t.

    Args:
        step_size: eta in the papers.
        eigenvalues: eigenvalues h of the Hessian, the mean of xx', shape (p,).
        averaging: weights of the iterates 1 to T in the estimate, shape (T,); for the last iterate 1 at the end, and 0
            before.

    Raises:
        ValueError: if an argument is out of its range, or the descent does not contract.
    """
    h, weights = _finite("eigenvalues", eigenvalues), _finite("averaging", averaging)
    require_real(step_size=step_size)
    require_positive(step_size=step_size)
    step_size = float(step_size)
    if h.ndim != 1 or not len(h) or not (h.min() > 0.0 and step_size * h.max() < 2.0):
        raise ValueError(
            f"step_size={step_size}, eigenvalues={h}: give positive ones, shape (p,), below 2 / step_size, or "
            "nothing contracts"
        )
    if weights.ndim != 1 or not len(weights):
        raise ValueError(f"averaging of shape {weights.shape} must have one weight an iterate, shape (T,)")
    W = np.empty((len(weights), len(h)))
    after = np.zeros(len(h))
    for t in reversed(range(len(weights))):
        after = weights[t] + (1.0 - step_size * h) * after
        W[t] = step_size * after
    return W


@renamed(eta="step_size")
def weights_in_last(step_size: float, eigenvalues: ArrayLike, steps: int) -> Array:
    """Returns |W_t| for the last iterate, shape (T,): the norm over coordinates j of `eta (1 - eta h_j)^(T-t)`.

    Args:
        step_size, eigenvalues: as in `response`.
        steps: number of steps T.

    Raises:
        ValueError: as for `response`, or if there is no step.
    """
    return weights_in_average(step_size, eigenvalues, steps, 1)


@renamed(eta="step_size")
def weights_in_average(step_size: float, eigenvalues: ArrayLike, steps: int, tail: int) -> Array:
    """Returns |W_t| for the mean of the last `tail` iterates, shape (T,); other arguments as for `weights_in_last`.

    Raises:
        ValueError: as for `weights_in_last`, or if there are fewer iterates than `tail`.
    """
    require_whole(steps=steps, tail=tail)
    require_positive(steps=steps)
    if not 1 <= tail <= steps:
        raise ValueError(f"tail={tail} must lie between 1 and T={steps}")
    steps, tail = int(steps), int(tail)
    averaging = np.where(np.arange(steps) >= steps - tail, 1.0 / tail, 0.0)
    return np.asarray(np.linalg.norm(response(step_size, eigenvalues, averaging), axis=1))


def shares(weights: ArrayLike, floor: float = 0.1) -> Array:
    """Returns the share of the budget per step, with sum 1: `(1 - floor) |W_t| / sum |W| + floor / T`, shape (T,).

    Args:
        weights: |W_t|, known without the data, shape (T,).
        floor: share of the budget that is divided equally. Without it a long run puts so much noise into its first
            steps that their gradients are clipped.

    Raises:
        ValueError: if a weight is negative, all are zero, or the floor lies outside [0, 1].
    """
    sizes = real("weights", weights)
    require_real(floor=floor)
    floor = float(floor)
    if sizes.ndim != 1 or not (sizes >= 0.0).all() or not 0.0 < sizes.sum() < np.inf:
        raise ValueError(f"weights={sizes} must be non-negative, shape (T,), with a positive sum")
    if not 0.0 <= floor <= 1.0:
        raise ValueError(f"floor={floor} must lie between 0 and 1")
    return np.asarray((1.0 - floor) * sizes / sizes.sum() + floor / len(sizes))


@renamed(share="shares")
def variance(weights: ArrayLike, shares: ArrayLike, sensitivity: float, rho: float) -> float:
    """Returns the variance of the noise in the estimate, summed over coordinates.

    Args:
        weights: |W_t|, shape (T,).
        shares: share of the budget per step, shape (T,), with sum 1.
        sensitivity: sensitivity of a step's mean gradient.
        rho: zCDP budget of all steps.

    Raises:
        ValueError: if sensitivity or budget is not positive, a weight is negative, shapes differ, the shares do not add
            up to 1, or a step has weight and no budget.
    """
    sensitivity, rho = _positive(sensitivity, rho)
    size, part = _finite("weights", weights), _finite("shares", shares)
    if size.ndim != 1 or size.shape != part.shape:
        raise ValueError(f"weights of shape {size.shape} and shares of shape {part.shape} must both be (T,)")
    if not (size >= 0.0).all():
        raise ValueError(f"weights of shape {size.shape} must be non-negative")
    if not math.isclose(part.sum(), 1.0, rel_tol=1e-9):
        raise ValueError(f"shares have the sum {part.sum():.6g} and not 1: they divide the budget")
    used = size > 0.0
    if not (part[used] > 0.0).all():
        raise ValueError("shares: every step that counts needs a part of the budget")
    return float(sensitivity**2 / (2.0 * rho) * np.sum(size[used] ** 2 / part[used]))


def least_variance(weights: ArrayLike, sensitivity: float, rho: float) -> float:
    """Returns the least variance of any Gaussian noise over time, correlated or not: `sens^2 (sum |W_t|)^2 / (2 rho)`.

    The schedule `shares(weights, floor=0)` attains it. Arguments as for `variance`.
    """
    sensitivity, rho = _positive(sensitivity, rho)
    size = _finite("weights", weights)
    if size.ndim != 1 or not len(size) or not (size >= 0.0).all():
        raise ValueError(f"weights of shape {size.shape} must be non-negative, one a step, shape (T,)")
    return float(sensitivity**2 / (2.0 * rho) * size.sum() ** 2)


def _finite(name: str, values: ArrayLike) -> Array:
    array = real(name, values)
    require_finite_values(**{name: array})
    return array


def _positive(sensitivity: float, rho: float) -> tuple[float, float]:
    """Sensitivity and budget as Python numbers, because squares of narrow numpy numbers round."""
    require_real(sensitivity=sensitivity, rho=rho)
    require_positive(sensitivity=sensitivity, rho=rho)
    return float(sensitivity), float(rho)
