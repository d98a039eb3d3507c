"""Counterexample to wang2026 Theorem F.8 for batches of fixed size: an attained pair with a larger delta.

Under zero-out (wang2026 Def. F.1), let all other clipped gradients be `-C_clip v`, for a unit vector v, and let that of
the differing record be `C_clip v`, or zero in the neighbour. A batch with that record contains one other record less.
So sums along v are shifted by 2 where the record takes part, and by 1 in the neighbour, in units of C_clip and up to a
constant. With noise kappa and new batches in every step the outputs have the laws

    P = sum_y s(y) N(2 C y, kappa^2 I),    Q = sum_y s(y) N(C y, kappa^2 I).

Such gradients occur for records of equal input and opposite label, where clipping is active. With Poisson samples the
pair is not attained, because one record does not change whether the others take part.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from dpdescent.checks import require_positive
from dpdescent.privacy.participation import pairs
from dpdescent.privacy.participation.divergence import Estimate, hockey_stick
from dpdescent.privacy.participation.encoder import encode, require_steps

Array = NDArray[np.float64]

# Shifts of the sum by a participation of the record, under P and under Q.
SAMPLED, FIXED_SIZE = (1, 0), (2, 1)


def deltas(
    kappa: float, eps: Sequence[float], T: int, rate: float, lam: float, draws: int, rng: np.random.Generator
) -> list[Estimate]:
    """Estimates the delta that batches of fixed size attain at every eps, the larger of both directions.

    Raises:
        ValueError: if an argument is out of its range.
    """
    require_steps(T, rate, lam)
    require_positive(kappa=kappa, draws=draws)
    forth, back = [], []
    for y, z in pairs.draw_blocks(T, rate, draws, rng):
        encoded, noise = encode(y, lam), kappa * z
        forth.append(log_ratio(2.0 * encoded + noise, kappa, rate, lam))
        back.append(-log_ratio(encoded + noise, kappa, rate, lam))
    losses = np.concatenate(forth), np.concatenate(back)
    return [
        max((hockey_stick(order_losses, e) for order_losses in losses), key=lambda estimate: estimate.value)
        for e in eps
    ]


def log_ratio(x: Array, kappa: float, rate: float, lam: float) -> Array:
    """Log likelihood ratio `log dP/dQ` at outputs x of shape (N, T), shape (N,), from the ratios to N(0, kappa^2 I).

    For P, outputs divided by two have the law of Theorem F.8's P with half the noise.
    """
    return pairs.log_ratio(0.5 * x, 0.5 * kappa, rate, lam) - pairs.log_ratio(x, kappa, rate, lam)


def one_step_delta(kappa: float, eps: float, rate: float, moves: tuple[int, int] = FIXED_SIZE) -> float:
    """Exact delta of one step, the larger of both directions; `SAMPLED` is the pair of wang2026 Theorem F.8.

    The laws are `(1-r) N(0, kappa^2) + r N(a, kappa^2)` for the two moves a.

    Raises:
        ValueError: if an argument is out of its range.
    """
    require_steps(1, rate)
    require_positive(kappa=kappa)
    return max(_one_step(kappa, eps, rate, *moves), _one_step(kappa, eps, rate, *reversed(moves)))


def _one_step(kappa: float, eps: float, rate: float, move: int, other: int) -> float:
    """Integrates the positive part of p - e^eps q, which up to a factor is a polynomial of exp(x / kappa^2)."""
    grown = math.exp(eps)
    coefficients = np.zeros(3)
    coefficients[0] = (1.0 - rate) * (1.0 - grown)
    coefficients[move] += rate * math.exp(-0.5 * (move / kappa) ** 2)
    coefficients[other] -= grown * rate * math.exp(-0.5 * (other / kappa) ** 2)
    roots = np.polynomial.Polynomial(np.trim_zeros(coefficients, "b")).roots()
    real = np.real(roots[np.abs(np.imag(roots)) < 1e-12 * np.abs(roots)])
    ends = np.array([-math.inf, *np.sort(kappa**2 * np.log(real[real > 0.0])), math.inf])

    def masses(a: int) -> Array:
        """Masses of the intervals between the ends, from upper tails, because small ones then stay accurate."""
        upper = (1.0 - rate) * ndtr(-ends / kappa) + rate * ndtr((a - ends) / kappa)
        return np.asarray(upper[:-1] - upper[1:])

    return float(np.sum(np.maximum(masses(move) - grown * masses(other), 0.0)))
