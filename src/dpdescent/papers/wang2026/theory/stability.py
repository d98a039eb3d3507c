"""Distance between two runs whose records differ in one, and what follows for the risk (wang2026 App. C.2).

The runs share start, batches and noise. a_{delta,m} is twice the Hessian bound nu and b_{delta,m} the gradient bound G
(constants ours: the paper leaves C_{sigma,b} open).
"""

import math

import numpy as np
from numpy.typing import NDArray

from dpdescent.checks import require_non_negative, require_positive, require_probability

Array = NDArray[np.float64]


def on_average(
    eta: float, gradient_bound: float, n: int, loss_sum: float, radius: float, failure: float, factor: float = math.e
) -> float:
    """Returns `2 e eta b / n sum_t E L_S(W_t) + 2 R_* delta_stab`, bounding the mean distance (wang2026 Theorem C.22).

    Args:
        eta: step size.
        gradient_bound: b.
        n: number of records.
        loss_sum: sum of the empirical risks of the iterates so far.
        radius: R_*.
        failure: delta_stab.
        factor: e, which stands for prod (1 + M_t) where sum M_t <= 1; 1 where curvature is left out.
    """
    require_positive(eta=eta, n=n)
    require_non_negative(loss_sum=loss_sum, failure=failure)
    drift = 2.0 * radius * failure if failure > 0.0 else 0.0
    return 2.0 * factor * eta * gradient_bound * loss_sum / n + drift


def batch_losses(loss_sum: float, loss_ceiling: float, T: int, B: int, delta_conf: float) -> float:
    """Returns a bound on sum_t L_{B_t}(W_t) (wang2026 Lemma C.19).

    `sum_t L_S(W_t) + U (sqrt(2 T log(1/delta)/B) + 2/3 log(1/delta))`, with the constants of its proof by
    Freedman's inequality (C.18).
    """
    require_positive(T=T, B=B)
    require_probability(delta_conf=delta_conf)
    log = math.log(1.0 / delta_conf)
    return loss_sum + loss_ceiling * (math.sqrt(2.0 * T * log / B) + 2.0 / 3.0 * log)


def growth_bound(eta: float, hessian_bound: float, losses: float) -> float:
    """Returns a bound on sum_t M_t, `4 nu eta` times that of `batch_losses`; Lemma C.20 asks for at most 1 (wang2026).

    Args:
        eta: step size.
        hessian_bound: nu.
        losses: bound on the summed losses of the batches along either run.
    """
    require_positive(eta=eta)
    return 4.0 * hessian_bound * eta * losses
