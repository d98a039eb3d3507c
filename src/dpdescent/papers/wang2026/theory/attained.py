"""What two neighbouring data sets attain under Algorithm 1 with independent noise: exact formulas, without composition.

All other clipped gradients are one vector g, the record's own is g in one data set and g + s C_clip v in the other; so
a batch of fixed size moves the sum by s clipping thresholds if it has the record, and else by nothing. s is 2 where a
record is replaced (C_clip against -C_clip), 1 where its gradient is set to zero, smaller for smaller gradients. In
units of C_clip a step is R = (1-r) N(0, kappa^2) + r N(s, kappa^2) against Q = N(0, kappa^2).
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, gammasgn, log_ndtr, logsumexp, ndtr

from dpdescent.checks import require_positive

Array = NDArray[np.float64]

# The shift of a sum, in clipping thresholds, by a record that is replaced, and by one that is set to zero.
REPLACED, REMOVED = 2.0, 1.0
# Thresholds that are tried, in units of the noise, beyond the shift; every one of them is a lower bound.
_REACH, _PLACES = 40.0, 8001
# Terms of a binomial series, whose tail falls like a power of the term's number that is above alpha + 1.
_TERMS = 1000


def delta_by_largest(kappa: float, eps: float, T: float, rate: float, shift: float = REPLACED) -> float:
    """A lower bound on the delta of T steps: by the test that some output exceeds a threshold, at the best threshold.

    Under Q no output of T exceeds c with probability `Phi(c/kappa)^T`, under R with that of `(1-r) Phi(c/kappa) +
    r Phi((c-s)/kappa)`, to the power T. For T = 1 it is exact, because the likelihood ratio rises with the output.

    Args:
        kappa: noise sd over the clipping threshold.
        eps: the epsilon.
        T: number of steps.
        rate: sampling rate B/n.
        shift: s, in clipping thresholds.
    """
    require_positive(kappa=kappa, eps=eps, T=T, rate=rate, shift=shift)
    c = np.linspace(0.0, shift / kappa + _REACH, _PLACES)
    beyond, moved = ndtr(-c), ndtr(shift / kappa - c)
    above = _some(beyond, T)
    attained = _some((1.0 - rate) * beyond + rate * moved, T)
    return max(0.0, float(np.max(attained - math.exp(eps) * above)))


def _some(chance: Array, T: float) -> Array:
    """The probability that one of T independent events of that chance occurs, also where it is tiny."""
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1(T * np.log1p(-chance)))


def renyi_divergence(kappa: float, rate: float, alpha: float, shift: float = REPLACED) -> float:
    """The Renyi divergence of R from Q at any order above 1, by two binomial series.

    `log E_Q (1 - r + r L)^alpha / (alpha - 1)`, L the likelihood ratio of the shift. Below the output z at which
    `r L = 1 - r` it is expanded in `r L / (1 - r)`, above it in the inverse, so that both series converge.

    Args:
        kappa: noise sd over the clipping threshold.
        rate: sampling rate B/n, below 1.
        alpha: order, above 1; it need not be an integer.
        shift: s, in clipping thresholds.
    """
    require_positive(kappa=kappa, rate=rate, shift=shift, one_less_the_rate=1.0 - rate, order_less_one=alpha - 1.0)
    sd = kappa / shift
    i = np.arange(_TERMS + math.ceil(alpha), dtype=np.float64)
    j = alpha - i
    log_binomial = gammaln(alpha + 1.0) - gammaln(i + 1.0) - gammaln(j + 1.0)
    sign = gammasgn(j + 1.0)
    z = 0.5 + sd**2 * (math.log1p(-rate) - math.log(rate))
    below = j * math.log1p(-rate) + i * math.log(rate) + i * (i - 1.0) / (2.0 * sd**2) + log_ndtr((z - i) / sd)
    above = i * math.log1p(-rate) + j * math.log(rate) + j * (j - 1.0) / (2.0 * sd**2) + log_ndtr((j - z) / sd)
    # Where alpha is an integer binomials beyond it vanish.
    kept = np.isfinite(log_binomial)
    terms = np.concatenate([(log_binomial + below)[kept], (log_binomial + above)[kept]])
    total, positive = logsumexp(terms, b=np.concatenate([sign[kept], sign[kept]]), return_sign=True)
    assert positive > 0
    return float(total) / (alpha - 1.0)
