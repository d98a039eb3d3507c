"""Accountant of independent noise on batches of fixed size: a dominating pair for sampling without replacement.

Each of T steps draws a new batch of B of the n records without replacement, and adds Gaussian noise to the sum of its
clipped gradients. Neighbours differ in one replaced record (replace-one). Everything is in units of the clipping
threshold: gradients have norm 1 at most, the noise has sd kappa, and q = B/n.

One step. Draw B - 1 of the other records, then one more of them; with probability q the replaced record takes the place
of the last one. Given this draw the outputs on the two data sets are the mixtures

    (1 - q) N(s + g, kappa^2) + q N(s + x, kappa^2)    and    (1 - q) N(s + g, kappa^2) + q N(s + x', kappa^2),

with the same s and g. For a >= 1 advanced joint convexity (Balle, Barthe & Gaboardi, 2018, Theorem 2) bounds the
hockey-stick divergence of these mixtures of order 1 + q (a - 1) by q times the larger of two divergences of order a:
that between N(s + x) and N(s + g), and that between N(s + x) and N(s + x'). The means lie at most 2 apart in both, so
that with R = (1 - q) N(0) + q N(2) and Q = N(0)

    H_a(output || output') <= q H_{a'}(N(2) || N(0)) = H_a(R || Q),    a' = 1 + (a - 1) / q,    for a >= 1.

Exchanging the data sets gives, for a < 1, H_a <= 1 - a + a H_{1/a}(R || Q). Averaging over the draw preserves both
bounds, because divergences are jointly convex.

T steps. The two bounds together are one function of a that is convex, falls from 1 and is at least max(1 - a, 0). Such
a function is the profile of divergences of a pair of distributions, and that pair therefore dominates a step (Zhu, Dong
& Wang, 2022). Dominating pairs compose adaptively. Composing R || Q and Q || R separately would give a smaller value,
but no proof: a record may raise the likelihood ratio of one step and lower that of the next. The profile is handed to
dp-accounting's privacy loss distributions, rounded so that epsilon and delta are upper bounds.
"""

import math
from functools import cache

import numpy as np
from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution
from numpy.typing import ArrayLike, NDArray

from dpdescent.checks import require_positive
from dpdescent.privacy import losses, zcdp
from dpdescent.privacy.participation import gaussian, tail
from dpdescent.privacy.participation.encoder import require_steps
from dpdescent.privacy.participation.search import first_below

Array = NDArray[np.float64]

# Step of the grid of privacy losses divided by epsilon, and bounds on the step; errors are of the order of T times its
# square.
_RELATIVE_STEP, _FINEST, _COARSEST = 2e-4, 1e-5, 1e-3

# Above the first epsilon the grid grows with epsilon, because distributions are wide. Above the second, amplification
# hardly contributes to epsilon, and the mean over participations is used, which is proved as well.
_LARGE, _LARGEST = 200.0, 1e4

# Above this epsilon e^-epsilon is rounded to zero, and dp-accounting divides by it.
_ROUNDED = 700.0

# Share of delta that the ends of the grid may cost, over all steps.
_CUT = 1e-4

# Points of an integral over epsilon, and the value below which a profile has lost digits.
_POINTS, _UNDERFLOW = 20_001, 1e-290

# Relative accuracy of a multiplier.
_ACCURACY = 1e-5


def profile(kappa: float, rate: float, eps: ArrayLike) -> Array:
    """Bound on the hockey-stick divergence of one step at order `e^eps`, for every eps, negative ones too.

    Args:
        kappa: noise sd on the sum, divided by the clipping threshold.
        rate: sampling rate q = B/n.
        eps: any shape.
    """
    require_positive(kappa=kappa)
    eps = np.asarray(eps, dtype=np.float64)
    above = np.abs(eps)
    bound = rate * gaussian.delta(2.0 / kappa, _order(above, rate))
    return np.where(eps >= 0.0, bound, -np.expm1(-above) + np.exp(-above) * bound)


def renyi_divergence(kappa: float, rate: float, alpha: float) -> float:
    """Upper bound on the Renyi divergence of one step at an order alpha above 1, that of the dominating pair.

    Of a pair with the profile H it is `log(1 + alpha (alpha - 1) I) / (alpha - 1)`, where I is the integral of
    `e^((alpha - 1) eps) (H(eps) - max(0, 1 - e^eps))` over all eps. Divergences of steps add up.

    Args:
        kappa: noise sd on the sum, divided by the clipping threshold.
        rate: sampling rate q = B/n.
        alpha: order, above 1.

    Raises:
        ValueError: if an argument is out of its range, or the noise is so small that the integral leaves the range of
            numbers.
    """
    require_positive(kappa=kappa, rate=rate, order_less_one=alpha - 1.0)
    width = 2.0 / kappa
    # Points are dense about 0, in proportion to the losses of one step, and reach beyond the largest term.
    scale, most, least = rate * width / 100.0, alpha * width**2 + 12.0 * width, width**2 + 12.0 * width
    u = np.linspace(-math.asinh(least / scale), math.asinh(most / scale), _POINTS)
    eps = scale * np.sinh(u)
    excess = profile(kappa, rate, eps) - np.maximum(0.0, -np.expm1(np.minimum(eps, 0.0)))
    with np.errstate(divide="ignore"):
        terms = (alpha - 1.0) * eps + np.log(np.maximum(excess, 0.0)) + np.log(scale * np.cosh(u))
    if excess[np.argmax(terms) : np.argmax(terms) + _POINTS // 1000].min() < _UNDERFLOW:
        raise ValueError(f"kappa={kappa:.4g} is too small at alpha={alpha:.4g}: give a larger one, or a smaller order")
    log_integral = float(np.logaddexp.reduce(terms)) + math.log(u[1] - u[0])
    return float(np.logaddexp(0.0, math.log(alpha * (alpha - 1.0)) + log_integral)) / (alpha - 1.0)


def _order(eps: Array, rate: float) -> Array:
    """Logarithm of a' = 1 + (e^eps - 1) / q; for large eps without e^eps, which would overflow."""
    return np.where(eps < 30.0, np.log1p(np.expm1(np.minimum(eps, 30.0)) / rate), eps - math.log(rate))


@cache
def delta(kappa: float, T: int, rate: float, eps: float) -> float:
    """The delta of T steps at eps, rounded up.

    Args:
        kappa: noise sd on the sum, divided by the clipping threshold.
        T: number of steps.
        rate: sampling rate B/n, in (0, 1].
        eps: positive; the grid suits an epsilon of about this size.
    """
    require_positive(kappa=kappa, eps=eps)
    require_steps(T, rate)
    return float(_composed(kappa, T, rate, eps, 1e-12).get_delta_for_epsilon(eps))


@cache
def epsilon(kappa: float, T: int, rate: float, delta: float) -> float:
    """The epsilon of T steps at delta, rounded up.

    Raises:
        ValueError: if an argument is out of its range.
    """
    require_positive(kappa=kappa)
    _require_account(T, rate, delta)
    bound = _LARGE
    if gaussian.epsilon(2.0 * math.sqrt(T) / kappa, delta) > _LARGE:
        bound = max(_LARGE, tail.epsilon(kappa, delta, T, rate, 0.0, sensitivity=2.0, rule="mixture"))
    if bound > _LARGEST:
        return bound
    # A first grid finds the size of epsilon, which the second grid is made for.
    about = _epsilon(_composed(kappa, T, rate, bound, delta), delta)
    return _epsilon(_composed(kappa, T, rate, about, delta), delta)


def _epsilon(distribution: PrivacyLossDistribution, delta: float) -> float:
    """The epsilon of a distribution at delta, also where dp-accounting's formula fails."""
    eps = float(distribution.get_epsilon_for_delta(delta))
    return eps if eps < _ROUNDED else first_below(distribution.get_delta_for_epsilon, delta, 1e-8)


# Cached, because all arms and seeds of a cell ask for the same multiplier.
@cache
def multiplier(eps: float, T: int, rate: float, delta: float) -> float:
    """Smallest noise multiplier kappa, to about 1e-5 of itself, with which T steps are (eps, delta)-DP.

    Raises:
        ValueError: if an argument is out of its range.
    """
    require_positive(eps=eps)
    _require_account(T, rate, delta)
    if eps > _LARGEST:
        return tail.multiplier(eps, delta, T, rate, 0.0, sensitivity=2.0, rule="mixture")

    def attained(kappa: float) -> float:
        # One step alone is tested first, because too little noise makes distributions very wide.
        alone = float(profile(kappa, rate, eps))
        return alone if alone > delta else float(_composed(kappa, T, rate, eps, delta).get_delta_for_epsilon(eps))

    return first_below(attained, delta, _ACCURACY)


def _require_account(T: int, rate: float, delta: float) -> None:
    require_steps(T, rate)
    zcdp.require_delta(delta)
    losses.require_resolved(T, delta)


def _composed(kappa: float, T: int, rate: float, eps: float, delta: float) -> PrivacyLossDistribution:
    """Privacy losses of T steps, on a grid that suits this epsilon and loses a small part of this delta at its ends."""
    step = min(max(_RELATIVE_STEP * eps, _FINEST), _COARSEST * max(1.0, eps / _LARGE))
    end = math.ceil(_last(kappa, rate, _CUT * delta / T) / step) + 1
    one = losses.connected(step, -end, profile(kappa, rate, step * np.arange(-end, end + 1)), even=False)
    return PrivacyLossDistribution(losses.compose(one, T, _CUT * delta))


def _last(kappa: float, rate: float, mass: float) -> float:
    """Smallest eps above which the profile is at most a mass."""
    if mass >= rate:
        return 0.0
    order = gaussian.epsilon(2.0 / kappa, mass / rate)
    return float(np.logaddexp(math.log1p(-rate) if rate < 1.0 else -math.inf, math.log(rate) + order))
