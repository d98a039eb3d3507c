"""Privacy losses on a grid, rounded up by Connect the Dots and composed: dp-accounting's distributions, in less time.

dp-accounting inverts the loss at one grid point after another in Python, passes probabilities through dictionaries, and
bounds the support of a composition by forty general log-sum-exps. That takes most of the time of a search for noise.
Here the same arithmetic runs on whole arrays, so that probabilities are equal to the last bit; small distributions are
still made by dp-accounting. One thing is added: the rounding of the Fourier transforms, which is a large part of a
delta of 1e-12, counts as infinite loss.
"""

import math

import numpy as np
from dp_accounting.pld import pld_pmf
from dp_accounting.pld.pld_pmf import DensePLDPmf, PLDPmf
from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution
from dp_accounting.pld.privacy_loss_mechanism import AdjacencyType, GaussianPrivacyLoss
from numpy.typing import NDArray
from scipy import fft

Array = NDArray[np.float64]

# Mass that dp-accounting cuts off a composition; it counts as an infinite loss.
CUT = 1e-15

# Mass per step that rounding may hide in a composition by Fourier transforms: the unit roundoff. Where the exact
# divergences are known (without sampling) the error is at most a third of it.
ROUNDING = 0.5 * float(np.finfo(np.float64).eps)

# Number of grid points up to which dp-accounting keeps distributions as dictionaries.
_FEW = 1000

# Relative distance within which dp-accounting equates a loss with the smallest or largest possible one.
_CLOSE = 1e-9

# Number of orders of the Chernoff bounds on the support of a composition; an order is a multiple of 1 / grid points.
_ORDERS = 20


def sampled_gaussian(multiplier: float, rate: float, T: int, step: float, cut: float = CUT) -> PrivacyLossDistribution:
    """Losses of T Gaussian releases of sums over Poisson samples, for a record that is removed or added.

    Args:
        multiplier: noise sd divided by sensitivity, positive.
        rate: probability that the record is in a sample, in (0, 1].
        T: number of releases.
        step: step of the grid.
        cut: mass that may be cut off.
    """
    kinds = (AdjacencyType.REMOVE,) if rate == 1.0 else (AdjacencyType.REMOVE, AdjacencyType.ADD)
    return PrivacyLossDistribution(*(compose(_one_step(multiplier, rate, step, kind), T, cut) for kind in kinds))


def connected(step: float, lowest: int, deltas: Array, even: bool = True) -> PLDPmf:
    """Losses whose divergences at epsilon = step (lowest, lowest + 1, ...) are these deltas, which must not rise.

    Divergences between the grid points are rounded up.

    Args:
        step: step of the grid.
        lowest: number of the first grid point, its epsilon divided by the step.
        deltas: divergences.
        even: whether masses come from dp-accounting's formula for even grids, or from its formula for any grid; they
            differ in rounding, which is part of a delta of 1e-12.
    """
    if len(deltas) <= _FEW:
        places = range(lowest, lowest + len(deltas))
        if even:
            return pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(step, places[0], places[-1], deltas)
        return pld_pmf.create_pmf_pessimistic_connect_dots(step, np.array(places), deltas)
    deltas = np.minimum.accumulate(deltas)
    falls, rise = np.diff(deltas), math.expm1(step)
    if even:
        inner, end = (falls[1:] - falls[:-1] * math.exp(step)) / rise, falls[-1] / math.expm1(-step)
        masses = np.concatenate([[1 - deltas[0] + falls[0] / rise], inner, [end]])
    else:
        masses = np.append(1 - deltas[0], falls / math.expm1(-step)) + np.append(falls / rise, 0.0)
    return DensePLDPmf(step, lowest, np.maximum(0.0, masses), deltas[-1], True)


def require_resolved(T: int, delta: float) -> None:
    """Raises ValueError for a delta so small that the rounding of T steps may hide it."""
    if not delta > T * ROUNDING:
        raise ValueError(
            f"delta={delta} is not above what rounding may hide in losses composed over {T} steps, {T * ROUNDING:.2g}: "
            "take a larger delta"
        )


def self_compose(one: PrivacyLossDistribution, T: int, cut: float = CUT) -> PrivacyLossDistribution:
    """Losses of T steps that all have the given losses, for both orders of the neighbours; see `compose`."""
    return PrivacyLossDistribution(*(compose(order, T, cut) for order in _orders(one)))


def epsilon(found: PrivacyLossDistribution, delta: float) -> float:
    """Smallest epsilon for which these losses are (epsilon, delta)-DP, as `get_epsilon_for_delta` computes it."""
    return max(_epsilon(order.to_dense_pmf(), delta) for order in _orders(found))


def _orders(both: PrivacyLossDistribution) -> list[PLDPmf]:
    """The distributions for both orders of the neighbours, or the single one of a symmetric pair."""
    return [both._pmf_remove] if both._symmetric else [both._pmf_remove, both._pmf_add]


def _epsilon(distribution: DensePLDPmf, delta: float) -> float:
    """Smallest epsilon at delta, found from the largest loss down.

    It is the first loss that is not above the epsilon computed from all larger losses.
    """
    if distribution._infinity_mass > delta:
        return math.inf
    masses = np.flip(distribution._probs)
    places = np.full(len(masses), -distribution._discretization)
    places[0] = (distribution._lower_loss + len(masses) - 1) * distribution._discretization
    # Sums in the order of a loop, so that they round in the same way.
    loss = np.cumsum(places)
    upper = np.cumsum(np.concatenate([[distribution._infinity_mass], masses]))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        lower = np.cumsum(np.concatenate([[0.0], np.exp(-loss) * masses]))
        eps = np.log((upper - delta) / lower)
    vanished = (upper[1:] >= delta) & (lower[1:] == 0.0)
    if vanished.any():
        return max(0.0, float(loss[vanished.argmax()]))
    reached = (upper[:-1] > delta) & (lower[:-1] > 0.0) & (eps[:-1] >= loss)
    at = int(reached.argmax()) if reached.any() else len(masses)
    return 0.0 if upper[at] <= lower[at] + delta else float(eps[at])


def compose(one: PLDPmf, T: int, cut: float) -> PLDPmf:
    """Losses of T steps that all have these losses; a mass of up to `cut` is cut off and counts as an infinite loss.

    Mass that rounding may hide counts as an infinite loss too, where losses are rounded up.
    """
    composed = _composed(one, T, cut)
    if composed._pessimistic_estimate:
        composed._infinity_mass += T * ROUNDING
    return composed


def _composed(one: PLDPmf, T: int, cut: float) -> PLDPmf:
    """Losses of T steps as dp-accounting computes them, with the rounding of Fourier transforms."""
    if not isinstance(one, DensePLDPmf):
        return one.self_compose(T, cut)
    masses = one._probs
    first, last = _support(masses, T, cut)
    length = fft.next_fast_len(max(last - first + 1, len(masses)))
    together = np.real(fft.ifft(fft.fft(masses, length) ** T))
    infinite = cut - math.expm1(T * math.log1p(-one._infinity_mass))
    kept = np.roll(together, -first)[: last - first + 1]
    return DensePLDPmf(one._discretization, one._lower_loss * T + first, kept, infinite, one._pessimistic_estimate)


def _support(masses: Array, T: int, cut: float) -> tuple[int, int]:
    """First and last grid point of a composition outside of which at most the mass `cut` lies, by Chernoff's bound."""
    points = len(masses)
    first, last = 0, (points - 1) * T
    for sign in (-1, 1):
        growth, weighted = np.exp(np.arange(points) * (sign / points)), masses
        for order in range(1, _ORDERS + 1):
            weighted = weighted * growth
            bound = (T * math.log(weighted.sum()) + math.log(2 / cut)) / (sign * order / points)
            if sign > 0:
                last = min(last, math.ceil(bound))
            else:
                first = max(first, math.floor(bound))
    return first, last


def _one_step(multiplier: float, rate: float, step: float, kind: AdjacencyType) -> PLDPmf:
    """Losses of one step, for a record that is removed or added."""
    loss = GaussianPrivacyLoss(multiplier, sampling_prob=rate, adjacency_type=kind)
    ends = loss.connect_dots_bounds()
    lowest, highest = math.floor(ends.epsilon_lower / step), math.ceil(ends.epsilon_upper / step)
    return connected(step, lowest, _deltas(loss, np.arange(lowest, highest + 1) * step, multiplier, rate))


def _deltas(loss: GaussianPrivacyLoss, eps: Array, multiplier: float, rate: float) -> Array:
    """Divergences of one step at every epsilon, equal to those of `get_delta_for_epsilon`."""
    removed = loss.adjacency_type == AdjacencyType.REMOVE
    sign = 1.0 if removed else -1.0
    # Because losses of a removed record are above log(1 - q), and losses of an added one below -log(1 - q).
    inside = sign * eps > (math.log1p(-rate) if rate < 1.0 else -math.inf)
    x = -0.5 - sign * _unsampled(sign * eps[inside], rate) * multiplier**2
    cutoffs = x if removed else 1.0 + x
    deltas = -np.expm1(np.minimum(eps, 0.0)) if removed else np.zeros(eps.shape)
    deltas[inside] = loss.mu_upper_cdf(cutoffs) - np.exp(eps[inside] + loss.mu_lower_log_cdf(cutoffs))
    return np.clip(deltas, 0.0, 1.0)


def _unsampled(eps: Array, rate: float) -> Array:
    """Loss `log(1 + (e^eps - 1) / q)` of a record that is surely in the sample; minus infinity at the smallest eps."""
    if rate == 1.0:
        return eps
    scaled, rest, least = eps + np.log(1.0 / rate), np.log(1.0 / rate - 1.0), math.log(1.0 - rate)
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = scaled + np.log1p(-np.exp(rest - scaled))
    loss[eps == 0.0] = np.log(1.0 / rate + (1.0 - 1.0 / rate))
    loss[np.abs(eps - least) <= _CLOSE * np.maximum(np.abs(eps), abs(least))] = -np.inf
    return np.asarray(loss)
