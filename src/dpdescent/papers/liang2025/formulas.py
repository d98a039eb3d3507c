"""Step sizes, contraction rates, clipping threshold and noise of liang2025 (eq. 3, 4, 8 and 10).

The error bounds are in `laws` and `appendices`. The paper gives no value to its constants and uses the letter c0 for
two different numbers: `Constants.first_stage` is the c0 of psi(tau) in eq. (10), while the c0 of the clipping
threshold in eq. (4) is an argument of `clipping_threshold`.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpdescent.checks import require_non_negative, require_positive
from dpdescent.data.iv import IVParameters


@dataclass(frozen=True, kw_only=True)
class IVProblem:
    """The parameters of an instrumental-variable problem that the bounds use (liang2025 Assumptions 1 and 2).

    Attributes:
        n, p, q: numbers of records, of endogenous regressors, and of instruments, at least p.
        tau: confidence parameter; the statements hold with probability 1 - O(e^-tau).
        theta_min, theta_norm: smallest and largest singular value of the first stage Theta (q x p).
        sigma_z: sub-Gaussian parameter of the instruments; 1 for standard normal ones.
        sigma_1, sigma_2: sub-Gaussian parameters of the outcome's error eps1 and of the regressors' error eps2.
    """

    n: int
    p: int
    q: int
    tau: float
    theta_min: float
    theta_norm: float
    sigma_z: float = 1.0
    sigma_1: float
    sigma_2: float

    def __post_init__(self) -> None:
        require_positive(n=self.n, p=self.p, q=self.q, tau=self.tau, theta_norm=self.theta_norm)
        require_positive(sigma_z=self.sigma_z, sigma_1=self.sigma_1, sigma_2=self.sigma_2)
        if self.q < self.p:
            raise ValueError(f"q={self.q} instruments cannot identify p={self.p} effects: q >= p is needed")
        if not 0 <= self.theta_min <= self.theta_norm:
            raise ValueError(f"theta_min={self.theta_min} must lie between 0 and theta_norm={self.theta_norm}")

    @classmethod
    def of(cls, parameters: IVParameters, n: int, tau: float) -> "IVProblem":
        """Returns the problem of n records of the synthetic design, with its exact parameters (liang2025 Sec. 4.1)."""
        q, p = parameters.Theta.shape
        singular_values = np.linalg.svd(parameters.Theta, compute_uv=False)
        return cls(
            n=n, p=p, q=q, tau=tau, theta_min=float(singular_values[-1]), theta_norm=float(singular_values[0]),
            sigma_1=parameters.sigma_1, sigma_2=parameters.sigma_2,
        )  # fmt: skip


@dataclass(frozen=True)
class Constants:
    """The absolute constants of eq. (10), to which liang2025 gives no value; the clipping constant is another one.

    Attributes:
        concentration: C0 of delta(tau), from Lemma D.2.
        first_stage: c0 of psi(tau), from Lemmas D.3 and D.5.
    """

    concentration: float
    first_stage: float

    def __post_init__(self) -> None:
        require_non_negative(concentration=self.concentration, first_stage=self.first_stage)


@dataclass(frozen=True)
class Spectrum:
    """High-probability bounds on eigenvalues of Z'Z/n and of H_hat = Theta_hat' Z'Z Theta_hat / n (liang2025 eq. 10).

    Attributes:
        delta: deviation for which the eigenvalues of Z'Z/n lie in [(1 - delta)^2, (1 + delta)^2].
        lower, upper: gamma underline, 0 where the theory gives none, and gamma bar: bounds on eigenvalues of H_hat.
    """

    delta: float
    lower: float
    upper: float


@dataclass(frozen=True)
class StepSizes:
    """Step size `eta` of the first stage and `alpha` of the second."""

    eta: float
    alpha: float


@dataclass(frozen=True)
class Contraction:
    """Contraction rates kappa_Theta and kappa_beta of the two stages, which converge below 1 (liang2025 eq. 10)."""

    theta: float
    beta: float

    @property
    def overall(self) -> float:
        """kappa, the larger of the two rates."""
        return max(self.theta, self.beta)


def delta(problem: IVProblem, constants: Constants) -> float:
    """Returns delta(tau), the relative deviation of singular values of Z from sqrt(n) at most (liang2025 eq. 10)."""
    spread = math.sqrt(problem.q) + math.sqrt(problem.tau)
    return constants.concentration * problem.sigma_z**2 * spread / math.sqrt(problem.n)


def psi(problem: IVProblem, constants: Constants) -> float:
    """Returns psi(tau), the bound on the first-stage error ||Theta_hat - Theta|| (liang2025 eq. 10, Lemma D.5)."""
    p, q, c0 = problem.p, problem.q, constants.first_stage
    cross_moment = c0 * problem.sigma_z * problem.sigma_2 * math.sqrt(p * q) * (problem.tau + math.log(2 * p * q))
    return cross_moment / (math.sqrt(problem.n) * (1 - _delta_below_one(problem, constants)) ** 2)


def spectrum(problem: IVProblem, constants: Constants) -> Spectrum:
    """Returns delta, gamma underline and gamma bar (liang2025 eq. 10, Lemma D.6)."""
    deviation, error = _delta_below_one(problem, constants), psi(problem, constants)
    # At least 0, because the printed formula squares sigma_min - psi, and a negative difference bounds nothing.
    smallest = max(problem.theta_min - error, 0.0)
    return Spectrum(
        delta=deviation,
        lower=(1 - deviation) ** 2 * smallest**2,
        upper=(1 + deviation) ** 2 * (problem.theta_norm + error) ** 2,
    )


def _delta_below_one(problem: IVProblem, constants: Constants) -> float:
    """delta(tau); a ValueError from 1 on, where Z'Z/n has no positive lower bound."""
    deviation = delta(problem, constants)
    if not deviation < 1:
        raise ValueError(
            f"delta(tau)={deviation:.4g} must be below 1: n={problem.n} records are too few for these constants"
        )
    return deviation


def step_size_ceilings(spectrum: Spectrum) -> StepSizes:
    """Returns the strict upper limits of both step sizes (liang2025 eq. 3); at its limit a stage does not contract."""
    return StepSizes(eta=2 / (1 + spectrum.delta) ** 2, alpha=4 / (2 * spectrum.upper + spectrum.lower))


def recommended_step_sizes(spectrum: Spectrum) -> StepSizes:
    """Returns the step sizes of every experiment, half of each ceiling (liang2025 Sec. 4)."""
    return StepSizes(eta=1 / (1 + spectrum.delta) ** 2, alpha=2 / (2 * spectrum.upper + spectrum.lower))


def approximately_optimal_step_sizes(spectrum: Spectrum) -> StepSizes:
    """Returns the step sizes that minimise both contraction rates (liang2025 eq. 8)."""
    delta = spectrum.delta
    return StepSizes(eta=2 / ((1 + delta) ** 2 + (1 - delta) ** 2), alpha=2 / (spectrum.upper + spectrum.lower))


def contraction(spectrum: Spectrum, steps: StepSizes) -> Contraction:
    """Returns kappa_Theta and kappa_beta at any positive step sizes, also above the ceilings (liang2025 eq. 10)."""
    eta, alpha, delta = steps.eta, steps.alpha, spectrum.delta
    require_positive(eta=eta, alpha=alpha)
    return Contraction(
        theta=max(abs(1 - eta * (1 - delta) ** 2), abs(1 - eta * (1 + delta) ** 2)),
        beta=max(abs(1 - alpha * spectrum.lower / 2), abs(1 - alpha * (2 * spectrum.upper + spectrum.lower) / 2)),
    )


def clipping_threshold(constant: float, n: int, q: int, steps: float, tau: float) -> float:
    """Returns the clipping threshold of both stages, `c0 (sqrt q + sqrt(tau + log(nT)))^2` (liang2025 eq. 4).

    The paper gives no value to c0, `constant`, which is not the c0 of psi; `steps` is T, at least 1.
    """
    require_positive(constant=constant, n=n, q=q, tau=tau)
    if not steps >= 1:
        raise ValueError(f"steps must be at least 1, got {steps}")
    return constant * (math.sqrt(q) + math.sqrt(tau + math.log(n * steps))) ** 2


def noise_scale(gamma: float, n: int, steps: float, rho: float) -> float:
    """Returns the noise sd as printed, `lambda = (2 gamma/n) sqrt(T/rho)` (liang2025 eq. 4); 0 at rho = infinity.

    It is sqrt 2 times what rho needs, because T such releases cost rho/2 (`laws.proposition_3_1_budget`).
    """
    require_positive(gamma=gamma, n=n, steps=steps, rho=rho)
    return 2 * gamma / n * math.sqrt(steps / rho)
