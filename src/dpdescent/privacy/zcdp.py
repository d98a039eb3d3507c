"""Zero-concentrated differential privacy of Gaussian noise: cost, composition, conversion, calibration.

Every function takes the sensitivity as an argument; the caller's event (`privacy.events`) states the neighbouring
relation. Under replace-one a mean of n records clipped at gamma has sensitivity 2 gamma / n.
"""

import math
import sys
from collections.abc import Callable

from dpdescent.checks import require_non_negative

# Smallest noise sd divided by sensitivity for which the square of the reciprocal does not overflow.
SMALLEST = 1e-150


def gaussian_rho(sensitivity: float, noise_sd: float, releases: int = 1) -> float:
    """zCDP cost of Gaussian releases: `releases * sensitivity^2 / (2 noise_sd^2)` (Bun & Steinke, Prop. 1.6).

    Adaptive composition is covered: each release may depend on the earlier ones.
    """
    require_non_negative(sensitivity=sensitivity, noise_sd=noise_sd)
    # As Python numbers, because squares of narrow numpy numbers underflow, and the reported cost would be 0.
    sensitivity, noise_sd, releases = float(sensitivity), float(noise_sd), int(releases)
    if releases < 0:
        raise ValueError(f"releases={releases} must not be negative")
    if sensitivity == 0.0 or releases == 0:
        return 0.0
    if noise_sd / sensitivity < SMALLEST:
        return math.inf
    return releases * 0.5 * (sensitivity / noise_sd) ** 2


def gaussian_noise_sd(sensitivity: float, rho: float, releases: int = 1) -> float:
    """Noise sd with which `releases` Gaussian releases cost exactly rho; the inverse of `gaussian_rho`."""
    require_non_negative(sensitivity=sensitivity)
    if not rho > 0.0:
        raise ValueError(f"rho={rho} must be positive: no finite noise gives zero privacy loss")
    sensitivity, rho = float(sensitivity), float(rho)
    noise_sd = sensitivity * math.sqrt(releases / (2.0 * rho))
    # An infinite budget needs no noise. A subnormal number has lost digits, so that a sensitivity could be too small.
    if sensitivity > 0.0 and min(sensitivity, noise_sd) < sys.float_info.min and not math.isinf(rho):
        raise ValueError(f"sensitivity={sensitivity}, rho={rho}: it or the noise underflows; take a larger threshold")
    return noise_sd


def epsilon(rho: float, delta: float) -> float:
    """The epsilon of every rho-zCDP mechanism at delta: `rho + 2 sqrt(rho log(1/delta))` (Bun & Steinke, Prop. 1.3).

    This is the conversion in liang2025 Sec. 2.1; `privacy.accounting` has the tight one for Gaussian noise.
    """
    require_non_negative(rho=rho)
    require_delta(delta)
    return rho + 2.0 * math.sqrt(rho * math.log(1.0 / delta))


def rho_of_epsilon(eps: float, delta: float) -> float:
    """Largest rho whose `epsilon(rho, delta)` does not exceed eps: the inverse of `epsilon`."""
    require_non_negative(eps=eps)
    require_delta(delta)
    log_term = math.log(1.0 / delta)
    # eps = (sqrt(rho) + sqrt(log 1/delta))^2 - log 1/delta, solved as a quotient, because differences cancel at small
    # eps.
    root = eps / (math.sqrt(eps + log_term) + math.sqrt(log_term))
    return root * root


def renyi_epsilon(rho: float, delta: float) -> float:
    """The epsilon of every rho-zCDP mechanism at delta, by the best order alpha; never above `epsilon`.

    It is `inf_{alpha>1} rho alpha + log(1/(alpha delta))/(alpha-1) + log(1-1/alpha)` (choquettechoo2023 App. A.2).
    """
    require_non_negative(rho=rho)
    require_delta(delta)
    if rho == 0.0 or math.isinf(rho):
        return rho
    order = _order_where(lambda above: _rho_of_order(above, delta), rho, delta)
    return max(0.0, _epsilon_at_order(order, rho, delta))


def rho_of_renyi_epsilon(eps: float, delta: float) -> float:
    """Largest rho whose `renyi_epsilon(rho, delta)` does not exceed eps: the inverse of `renyi_epsilon`."""
    require_non_negative(eps=eps)
    require_delta(delta)
    order = _order_where(lambda above: _epsilon_at_order(above, _rho_of_order(above, delta), delta), eps, delta)
    return _rho_of_order(order, delta)


def gaussian_dp_mu(rho: float) -> float:
    """Gaussian-DP parameter mu = `sqrt(2 rho)` of a composition of Gaussian releases that costs rho."""
    require_non_negative(rho=rho)
    return math.sqrt(2.0 * rho)


def _rho_of_order(above: float, delta: float) -> float:
    """The rho at which the order alpha = 1 + `above` is the minimiser in `renyi_epsilon`.

    There the derivative `rho - log(1/(alpha delta))/(alpha-1)^2` is zero. This rho falls from infinity to 0 as the
    order goes from 1 to 1/delta.
    """
    return (-math.log(delta) - math.log1p(above)) / above**2


def _epsilon_at_order(above: float, rho: float, delta: float) -> float:
    """The epsilon of every rho-zCDP mechanism at the order alpha = 1 + `above`, which `renyi_epsilon` minimises."""
    return rho * (1.0 + above) - (math.log(delta) + math.log1p(above)) / above - math.log1p(1.0 / above)


def _order_where(falling: Callable[[float], float], value: float, delta: float) -> float:
    """The order minus 1 at which a decreasing function of it has this value, by bisection of its logarithm."""
    low, high = math.log(1e-12), math.log(1.0 / delta - 1.0)
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if falling(math.exp(middle)) > value else (low, middle)
    return math.exp(high)


def require_delta(delta: float) -> None:
    """Raises ValueError unless 0 < delta < 1."""
    if not 0.0 < delta < 1.0:
        raise ValueError(f"delta={delta} must lie strictly between 0 and 1")
