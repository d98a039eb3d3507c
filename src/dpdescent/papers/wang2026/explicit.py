"""The bounds on the averaged empirical risk that have all their constants (wang2026 App. C.1 and D.2).

All hold for any comparator W*, given its loss and its distance from W_0. D = mdp is the number of parameters and
c = C_clip kappa / B. Where B = n all batches are equal, so that Delta = 0 and its bound is left out (end of App. E).
"""

import math
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from dpdescent.checks import require_non_negative, require_positive, require_probability
from dpdescent.sums import added

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Setting:
    """A run of Algorithm 1, and the constants of the network that its bounds use.

    Attributes:
        n, B, T, eta, lam: records, batch size, iterations, step size, correlation.
        parameters: D = mdp.
        c_priv: C_clip kappa / B, sd of the noise on the averaged gradient.
        gradient_bound, hessian_bound, beta: G, nu, smoothness.
        delta_Z, delta_D, delta_pot: failure probabilities of the bounds on the noise (Lemma C.5), on the fluctuation of
            the batches (C.6) and on the fluctuation of the potential (C.10).
    """

    n: int
    B: int
    T: int
    parameters: int
    eta: float
    lam: float
    c_priv: float
    gradient_bound: float
    hessian_bound: float
    beta: float
    delta_Z: float
    delta_D: float
    delta_pot: float

    def __post_init__(self) -> None:
        require_positive(n=self.n, B=self.B, T=self.T, parameters=self.parameters, eta=self.eta, beta=self.beta)
        require_non_negative(lam=self.lam, c_priv=self.c_priv, gradient_bound=self.gradient_bound)
        require_probability(delta_Z=self.delta_Z, delta_D=self.delta_D, delta_pot=self.delta_pot)
        if self.n < self.B or self.lam >= 1.0:
            raise ValueError(f"B={self.B} must not exceed n={self.n}, and lam={self.lam} must be below 1")

    @property
    def batch_deviation_squared(self) -> float:
        """Returns `G^2 / B`, the bound on E|Delta|^2 (wang2026 Lemma B.2); 0 where B = n."""
        return self.gradient_bound**2 / self.B if self.n > self.B else 0.0

    @property
    def noise_weight(self) -> float:
        """Returns `(1 - lam)^2 + 12 beta lam^2 eta`, the factor of eta c^2 V_Z (wang2026 eq. 10)."""
        return (1.0 - self.lam) ** 2 + 12.0 * self.beta * self.lam**2 * self.eta


@dataclass(frozen=True)
class Comparator:
    """A comparator W* by what the bounds use: its loss L_S(W*) and its distance |W* - W_0|."""

    loss: float
    distance: float


@dataclass(frozen=True)
class Terms:
    """A bound on (1/T) sum_t L_S(W_t), by its terms: L_S(W*), |W_0 - W*|^2, the fluctuation M, V_Delta and V_Z."""

    comparator: float
    start: float
    potential: float
    batches: float
    noise: float

    @property
    def total(self) -> float:
        """Returns the sum of the terms."""
        return float(added(getattr(self, field.name) for field in fields(self)))


def largest_noise(setting: Setting) -> float:
    """Returns z = `sqrt(D) + sqrt(2 log(2T/delta_Z))`, a bound on max_t |Z_t| (wang2026 Lemma C.5)."""
    return _largest_norm(setting.T, setting.parameters, setting.delta_Z)


def _largest_norm(T: int, parameters: int, delta: float) -> float:
    return math.sqrt(parameters) + math.sqrt(2.0 * math.log(2.0 * T / delta))


def noise_sum(setting: Setting) -> float:
    """Returns V_Z, a bound on sum_{t<T} |Z_t|^2, Z_0 = 0 (wang2026 Lemma C.5)."""
    return _chi_squared((setting.T - 1) * setting.parameters, math.log(2.0 / setting.delta_Z))


def noise_exceeds(T: int, parameters: int, delta: float) -> dict[str, float]:
    """Returns the exact probabilities that max_t |Z_t| and sum_t |Z_t|^2 exceed their bounds (wang2026 Lemma C.5).

    T - 1 steps have noise, Z_0 = 0.
    """
    require_positive(T=T, parameters=parameters)
    require_probability(delta=delta)
    freedom = (T - 1) * parameters
    single = float(chi2.sf(_largest_norm(T, parameters, delta) ** 2, parameters))
    return {
        "largest": -math.expm1((T - 1) * math.log1p(-single)),
        "sum": float(chi2.sf(_chi_squared(freedom, math.log(2.0 / delta)), freedom)) if freedom else 0.0,
    }


def _chi_squared(freedom: float, log: float) -> float:
    """`K + 2 sqrt(K log) + 2 log` (wang2026 Lemma C.4)."""
    return freedom + 2.0 * math.sqrt(freedom * log) + 2.0 * log


def batch_sum(setting: Setting) -> float:
    """Returns V_Delta = `2 T G^2/B + 8 G^2 log(1/delta)`, a bound on sum_t |Delta_t|^2 (wang2026 Lemma C.6)."""
    if setting.n == setting.B:
        return 0.0
    spread = 8.0 * setting.gradient_bound**2 * math.log(1.0 / setting.delta_D)
    return 2.0 * setting.T * setting.batch_deviation_squared + spread


def potential(setting: Setting, Rbar: float) -> float:
    """Returns M, a bound on the fluctuation of |U_t - W*|^2 within Rbar (wang2026 Lemma C.10, eq. 13)."""
    slope, constant = _potential_parts(setting)
    return slope * Rbar + constant


def _potential_parts(s: Setting) -> tuple[float, float]:
    """Returns slope and constant of M = slope Rbar + constant, from Lemmas C.7, C.8 and C.9."""
    log, deviation = math.log(6.0 / s.delta_pot), math.sqrt(s.batch_deviation_squared)
    linear_noise = 4.0 * (1.0 - s.lam) * s.eta * s.c_priv
    slope = (4.0 * math.sqrt(2.0) * s.eta * deviation + linear_noise) * math.sqrt(s.T * log)
    return slope, linear_noise * s.eta * deviation * math.sqrt(noise_sum(s) * log)


def self_consistency(setting: Setting, comparator: Comparator, Rbar: float) -> float:
    """Returns the left side of eq. (10), which must not exceed Rbar^2 (wang2026)."""
    s = setting
    start = comparator.distance**2 + 8.0 / 3.0 * s.eta * s.T * comparator.loss
    noise = s.noise_weight * s.eta**2 * s.c_priv**2 * noise_sum(s)
    return start + potential(s, Rbar) + 2.0 * s.eta**2 * batch_sum(s) + noise


def shifted_radius(setting: Setting, comparator: Comparator) -> float:
    """Returns the smallest Rbar that satisfies eq. (10), by a quadratic, because M is affine in it (wang2026)."""
    slope, _ = _potential_parts(setting)
    rest = self_consistency(setting, comparator, 0.0)
    return 0.5 * (slope + math.sqrt(slope**2 + 4.0 * rest))


def localisation(setting: Setting, Rbar: float) -> float:
    """Returns `nu (Rbar + eta c z)^2`, which must not exceed 1/2 (wang2026 eq. 7, in the form of Lemma C.2's proof)."""
    return setting.hessian_bound * (Rbar + setting.eta * setting.c_priv * largest_noise(setting)) ** 2


def smallest_radius(setting: Setting, comparator: Comparator, Rbar: float) -> float:
    """Returns `Rbar + |W* - W_0| + eta c z`, from which radius on projection is inactive (wang2026 Lemma C.3)."""
    return Rbar + comparator.distance + setting.eta * setting.c_priv * largest_noise(setting)


def correlated_bound(setting: Setting, comparator: Comparator) -> Terms:
    """Returns the bound for correlated noise at the smallest Rbar (wang2026 Lemmas C.3 and C.11).

    `8 L* + 3|W_0 - W*|^2/(eta T) + 3M/(eta T) + 6 eta V_Delta/T + 3 w eta c^2 V_Z/T`, w the noise weight, with
    probability 1 - delta_Z - delta_D - delta_pot. It holds where eta is admissible and the localisation is at most 1/2,
    and then for lam = 0 too.
    """
    s, Rbar = setting, shifted_radius(setting, comparator)
    return Terms(
        comparator=8.0 * comparator.loss,
        start=3.0 * comparator.distance**2 / (s.eta * s.T),
        potential=3.0 * potential(s, Rbar) / (s.eta * s.T),
        batches=6.0 * s.eta * batch_sum(s) / s.T,
        noise=3.0 * s.noise_weight * s.eta * s.c_priv**2 * noise_sum(s) / s.T,
    )


def independent_bound(setting: Setting, comparator: Comparator, radius: float) -> Terms:
    """Returns the bound for lam = 0 within the projection's radius R_* (wang2026 Lemmas D.11, D.12, Theorem D.13).

    `4 L* + 3/2 |W_0 - W*|^2/(eta T) + (M_Delta + M_Z)/T + 6 eta V_Delta/T + 6 eta c^2 V_Z/T`. The martingales
    `M_Delta = 6 sqrt2 G R_* sqrt(T log(2/delta)/B)`, `M_Z = 6 sqrt2 c R_* sqrt(T log(2/delta))` have constants ours,
    by the proof's route; delta_pot goes to both halves, and V_Z has T summands here.

    Raises:
        ValueError: if the noise is correlated.
    """
    s = setting
    if s.lam != 0.0:
        raise ValueError(f"lam={s.lam} must be 0: the bound is for independent noise")
    require_positive(radius=radius)
    root = 6.0 * math.sqrt(2.0) * radius * math.sqrt(s.T * math.log(4.0 / s.delta_pot))
    return Terms(
        comparator=4.0 * comparator.loss,
        start=1.5 * comparator.distance**2 / (s.eta * s.T),
        potential=root * (math.sqrt(s.batch_deviation_squared) + s.c_priv) / s.T,
        batches=6.0 * s.eta * batch_sum(s) / s.T,
        noise=6.0 * s.eta * s.c_priv**2 * _chi_squared(s.T * s.parameters, math.log(1.0 / s.delta_Z)) / s.T,
    )


def comparator_slack(loss: float, gradient: Array, iterate: Array, target: Array, target_loss: float) -> float:
    """Returns `<g, W - W*> + 4/3 L_S(W*) - 2/3 L_S(W)`, which must not be negative (wang2026 Lemma C.2, eq. 9)."""
    return float(np.vdot(gradient, iterate - target)) + 4.0 / 3.0 * target_loss - 2.0 / 3.0 * loss
