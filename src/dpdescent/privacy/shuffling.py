"""Amplification by shuffling: one adaptive Gaussian release per record, in a secret random order.

Feldman, McMillan & Talwar, "Hiding among the clones" (2021), Theorem 3.8, is the source of varshney2022 Theorem A.3. If
every release is (eps_0, delta_0)-DP under replacement of its record, given all earlier releases, then all n of them are
(eps, delta_hat + (e^eps + 1)(1 + e^-eps_0 / 2) n delta_0)-DP, with eps from the closed form `amplified`. Each term gets
half of delta; eps_0 is the exact epsilon of the Gaussian mechanism at delta_0. The relation is replace-one. Both terms
were compared with public implementations of the theorem, the first one with that of its authors.
"""

import math
from functools import cache

from dpdescent.checks import require_non_negative, require_positive
from dpdescent.privacy import zcdp
from dpdescent.privacy.accounting import tight_epsilon, tight_rho


def amplified(eps_local: float, records: int, delta: float) -> float:
    """The epsilon at delta of n shuffled eps_local-DP releases; infinite where the theorem does not apply.

    It is `log(1 + (1 - e^-e0) / (1 + e^{-e0 - e}) (A + C))` with `A = 8 sqrt(e^e0 log(4/delta) / n)`, `C = 8 e^e0 / n`
    and `e = log(1 + A + C)`, for `e0 <= log(n / (16 log(4/delta)))`. This is the form in the authors' implementation.
    It is larger, by up to a few per cent, than the published form, whose denominator is 1 + e^-e0.

    Raises:
        ValueError: if eps_local is negative, n is not positive, or delta is not in (0, 1).
    """
    require_positive(records=records)
    zcdp.require_delta(delta)
    require_non_negative(eps_local=eps_local)
    if eps_local > math.log(records / (16.0 * math.log(4.0 / delta))):
        return math.inf
    grown = math.exp(eps_local)
    total = 8.0 * math.sqrt(grown * math.log(4.0 / delta) / records) + 8.0 * grown / records
    # e^{-e} is 1 / (1 + A + C).
    return math.log1p(-math.expm1(-eps_local) / (1.0 + 1.0 / (grown * (1.0 + total))) * total)


def local_delta(eps: float, delta: float, records: int) -> float:
    """Local delta_0 at which the (eps_0, delta_0)-DP local releases add at most delta/2.

    In this formula 1/2 bounds e^-eps_0 / 2.
    """
    return 0.5 * delta / ((math.exp(eps) + 1.0) * 1.5 * records)


@cache
def epsilon(noise_multiplier: float, records: int, delta: float) -> float:
    """The epsilon at delta of n shuffled Gaussian releases: the smaller of the values with and without amplification.

    Without amplification, the records are disjoint parts of the data, so that each record has the cost of one release.

    Args:
        noise_multiplier: noise sd divided by sensitivity under replace-one, positive.
        records: number of records n.
        delta: in (0, 1).

    Raises:
        ValueError: if an argument is out of its range.
    """
    require_positive(noise_multiplier=noise_multiplier, records=records)
    plain = tight_epsilon(_rho(noise_multiplier), delta)
    # delta_0 falls as eps grows, and the amplified epsilon then grows, but slowly. So the iteration climbs from below
    # to the smallest eps whose delta_0 gives at most that eps, or leaves the theorem's range.
    eps = 0.0
    while eps < plain:
        reached = _epsilon_at(eps, noise_multiplier, records, delta)
        if reached <= eps:
            return eps
        eps = reached * (1.0 + 1e-12)
    return plain


@cache
def noise_multiplier(eps: float, records: int, delta: float) -> float:
    """Smallest noise multiplier, to a relative accuracy of about 1e-9, for which `epsilon(...) <= eps`.

    Raises:
        ValueError: if an argument is out of its range.
    """
    require_positive(eps=eps, records=records)
    # Bisection of the logarithm, because epsilon is discontinuous where the range of the theorem ends.
    high = math.log(math.sqrt(0.5 / tight_rho(eps, delta)))
    low = high - 1.0
    while epsilon(math.exp(low), records, delta) <= eps:
        low -= 1.0
    if epsilon(math.exp(high), records, delta) > eps:
        # Raised slightly, because the calibration without shuffling is exact only up to the last bits.
        high += 1e-9
    while high - low > 1e-10:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if epsilon(math.exp(middle), records, delta) <= eps else (middle, high)
    return math.exp(high)


def _epsilon_at(eps: float, multiplier: float, records: int, delta: float) -> float:
    """The amplified epsilon for the delta_0 chosen at `eps`; it is a guarantee where it does not exceed `eps`."""
    local = tight_epsilon(_rho(multiplier), local_delta(eps, delta, records))
    return amplified(local, records, 0.5 * delta)


def _rho(multiplier: float) -> float:
    """The zCDP cost of one Gaussian release, infinite where its square would overflow."""
    return 0.5 / multiplier**2 if multiplier > zcdp.SMALLEST else math.inf
