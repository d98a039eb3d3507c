"""The bounds of choquettechoo2023 on the error of Noisy-FTRL: in the limit (App. C) and after T steps (App. D).

F is that of eq. 8, with its factor 1/2. Theorem C.14 is stated for it, Theorem C.18 for F of eq. 22, which is twice as
large, so that half of its bounds is taken. Noise coefficients enter by weights `q` and squared sensitivity, as in
`laws`. App. D leaves constants and powers of logarithms open: at 1 a value has the right order and is no bound.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpdescent.checks import require_non_negative, require_positive, require_probability
from dpdescent.papers.choquettechoo2023 import elliptic, laws
from dpdescent.papers.choquettechoo2023.setting import Array, RegressionProblem

# C_kurt of Gaussian inputs (choquettechoo2023 Property C.3).
KURTOSIS = 3.0
# Above this eta lambda the bound of Lemma C.21(ii) is not stated.
LARGEST_RATE = 0.25


def fourth_moment(lam: Array) -> float:
    """Returns R^2, the smallest number with `E|x|^2 x x' <= R^2 H`, exact for Gaussian inputs: `Tr H + 2 lambda_1`."""
    return float(lam.sum() + 2.0 * lam.max())


def fourth_moment_bound(lam: Array) -> float:
    """Returns the bound `3 Tr H` of the paper on the fourth-moment constant R^2 (choquettechoo2023 Property C.3)."""
    return 3.0 * float(lam.sum())


def weight_integral(problem: RegressionProblem, q: Array) -> float:
    """Integral of `|B|^2 h` over -pi to pi, by the identity in the proof of Lemma C.4; h is that of eq. 21."""
    return float(direction_errors(problem, q).sum())


def direction_errors(problem: RegressionProblem, q: Array) -> Array:
    """Err_j, direction j's part of the error up to a common factor (choquettechoo2023 eq. 44, Remarks C.16 and C.23).

    The integral of `lambda_j |B|^2 / |1 - e^{i omega} - eta lambda_j|^2`, shape (d,): `2 pi / (eta (2 - eta lambda_j))`
    for Noisy-SGD, which is nearly the same for all; `lambda_j I(nu, eta lambda_j)` for nu-Noisy-FTRL.
    """
    errors: Array = 2.0 * math.pi * q / (problem.eta * (2.0 - problem.rates))
    return errors


def upper_bound(
    problem: RegressionProblem, q: Array, gamma_squared: float, moment: float | None = None
) -> float:  # fmt: skip
    """Theorem C.14: `(1 + a) eta R^2 sigma_sgd^2 + (1 + C_kurt a) eta sigma^2 <beta, T beta>`.

    Here `a = (1 - sqrt(eta R^2))^-2` and `sigma^2 = G^2 gamma^2 / (2 rho)`; NaN where eta R^2 >= 1, which is excluded.
    R^2 is that of Gaussian inputs unless `moment` is given.
    """
    return _upper_bound(problem, float(q.sum()), gamma_squared, moment)


def upper_bound_by_frequency(
    problem: RegressionProblem, q: Array, gamma_squared: float, moment: float | None = None
) -> float:  # fmt: skip
    """Theorem C.15: the bound of C.14 with `(eta/pi) int |B|^2 h`, up to twice as large, in place of <beta, T beta>."""
    return _upper_bound(problem, problem.eta / math.pi * weight_integral(problem, q), gamma_squared, moment)


def _upper_bound(problem: RegressionProblem, weight: float, gamma_squared: float, moment: float | None) -> float:
    moment = fourth_moment(problem.lam) if moment is None else moment
    if not problem.eta * moment < 1.0:
        return math.nan
    series = (1.0 - math.sqrt(problem.eta * moment)) ** -2
    labels = (1.0 + series) * problem.eta * moment * problem.sigma_sgd**2
    return labels + (1.0 + KURTOSIS * series) * problem.eta * problem.noise_variance(gamma_squared) * weight


def lower_bound(problem: RegressionProblem, q: Array, gamma_squared: float) -> float:
    """Half of Theorem C.18: `eta sigma_sgd^2 Tr H / 2 + eta^2 G^2 gamma^2 / (4 pi rho) int |B|^2 h`."""
    noise = problem.eta**2 * problem.noise_variance(gamma_squared) / (2.0 * math.pi) * weight_integral(problem, q)
    return _half_lower_bound(problem, noise)


def lower_bound_by_time(problem: RegressionProblem, q: Array, gamma_squared: float) -> float:
    """Half of Theorem C.18 in the time domain, up to half as large: `... + eta G^2 gamma^2/(4 rho) <beta, T beta>`."""
    return _half_lower_bound(problem, problem.eta * problem.noise_variance(gamma_squared) / 2.0 * float(q.sum()))


def universal_lower_bound(problem: RegressionProblem) -> float:
    """Half of Theorem C.18 for all coefficients: `... + eta^2 G^2 / (8 pi^2 rho) (int sqrt(h))^2` (from eq. 47)."""
    root = problem.eta * laws.root_integral(problem, exact=False) / (2.0 * math.pi)
    return _half_lower_bound(problem, problem.noise_variance(1.0) * root**2)


def universal_lower_bound_as_stated(problem: RegressionProblem) -> float:
    """Half of Theorem C.18 with sqrt(h) bounded: half of `(2 eta sigma_sgd^2 + eta^2 G^2 / (2 rho)) Tr H / 4`."""
    return _half_lower_bound(problem, problem.eta**2 * problem.noise_variance(1.0) * problem.trace / 4.0)


def _half_lower_bound(problem: RegressionProblem, noise: float) -> float:
    """Half of a lower bound of Theorem C.18, from its term of the privacy noise."""
    return 0.5 * (0.5 * problem.eta * problem.sigma_sgd**2 * problem.trace + noise)


def nu_upper_bound(problem: RegressionProblem, nu: float) -> float:
    """Proposition C.22 with the constants of its proof: Theorem C.15 with `I(nu, nu) <= 5 log(8/nu)` and C.21(ii).

    Without the factor 1 + O(nu) of C.21(ii), so that it is a function of Tr H and nu; NaN where Theorem C.15 or Lemma
    C.21(ii) is not stated: eta R^2 >= 1, nu > eta mu or eta lambda_1 > 1/4.
    """
    if problem.sigma_sgd:
        raise ValueError(f"sigma_sgd={problem.sigma_sgd} must be 0: Prop. C.22 is without label noise")
    if nu > problem.eta * problem.mu or problem.eta * problem.largest > LARGEST_RATE:
        return math.nan
    weight = problem.eta / math.pi * problem.trace * elliptic.integral_bound(nu)
    return _upper_bound(problem, weight, elliptic.diagonal_bound(nu) / (2.0 * math.pi), None)


def damped_leading_order(problem: RegressionProblem, nu: float) -> float:
    """The error of damped anti-PGD for small eta and nu: `eta G^2 / (16 rho) (nu d + 2 eta Tr H/nu)`."""
    require_positive(nu=nu)
    scale = problem.eta * problem.clip_norm**2 / (16.0 * problem.rho)
    return scale * (nu * problem.d + 2.0 * problem.eta * problem.trace / nu)


def best_damped_order(problem: RegressionProblem) -> float:
    """The leading order of damped anti-PGD at the best damping, `sqrt(2)/8 eta^{3/2} G^2/rho sqrt(d Tr H)` (C.24)."""
    root = math.sqrt(problem.eta**3 * problem.d * problem.trace)
    return math.sqrt(2.0) / 8.0 * problem.clip_norm**2 / problem.rho * root


def convergence_bound(problem: RegressionProblem, initial: float, limit: float, t: float) -> float:
    """Theorem D.11: `(sqrt(L/mu exp(-eta mu t) (F_0 - F*)) + sqrt(F_inf))^2` for eta < 1/R^2."""
    require_non_negative(initial=initial, limit=limit, t=t)
    transient = problem.largest / problem.mu * math.exp(-problem.eta * problem.mu * t) * initial
    return (math.sqrt(transient) + math.sqrt(limit)) ** 2


def convergence_bound_without_clipping(problem: RegressionProblem, initial: float, limit: float, t: float) -> float:
    """Theorem D.13(c): `2 L/mu exp(-eta mu t) (F_0 - F*) + 2 F_inf` on the event that nothing is clipped."""
    require_non_negative(initial=initial, limit=limit, t=t)
    return 2.0 * problem.largest / problem.mu * math.exp(-problem.eta * problem.mu * t) * initial + 2.0 * limit


def half_expo_constant(beta: Array, nu: float) -> float:
    """The smallest C of Half-Expo Decay: `sum_k |beta_k| (1-nu)^{-k/2}` (choquettechoo2023 Definition D.3).

    The condition at tau divided by its right-hand side is the sum up to tau, so that the largest tau decides.
    """
    require_probability(nu=nu)
    return float(np.abs(beta) @ np.exp(-0.5 * np.log1p(-nu) * np.arange(len(beta))))


def half_expo_constant_nu(nu: float) -> float:
    """The smallest C of Half-Expo Decay for eq. 7, `2 - sqrt(1 - sqrt(1 - nu))`: at most 2 for every nu."""
    require_probability(nu=nu)
    return 2.0 - math.sqrt(-math.expm1(0.5 * math.log1p(-nu)))


@dataclass(frozen=True, eq=False)
class Run:
    """A run of T steps on a problem, and the probability with which the theorems of App. D may fail.

    Attributes:
        problem: the problem; those results that choose a learning rate or a clip norm do not use its own.
        distance: |theta_0 - theta*|.
        T: number of steps.
        failure: p, the probability with which a gradient may be clipped.
        moment: R^2 of eq. 56, between Tr H and 3 Tr H for Gaussian inputs.
    """

    problem: RegressionProblem
    distance: float
    T: float
    failure: float
    moment: float

    def __post_init__(self) -> None:
        require_positive(T=self.T, moment=self.moment)
        require_non_negative(distance=self.distance)
        require_probability(failure=self.failure)

    @property
    def log(self) -> float:
        """log(T/p)."""
        return math.log(self.T / self.failure)

    @property
    def stiffness(self) -> float:
        """kappa d_eff = Tr H / mu."""
        return self.problem.trace / self.problem.mu

    @property
    def label_variance(self) -> float:
        return self.problem.sigma_sgd**2


def iterate_bound(run: Run, *, sigma_squared: float, beta_norm: float, nu: float) -> float:
    """The bound on |theta_t - theta*|^2 for all t < T, with probability 1 - p (choquettechoo2023 Theorem D.4).

    `(|theta_0'|^2 + eta R^2 sigma_sgd^2/mu + eta^2 sigma^2 d |beta|_1^2/nu) log^3(T/p)` for eta of at most
    `1/(R^2 log(T/p))`, both constants 1; |beta|_1 is below 2 for eq. 7, and nu, of Half-Expo Decay, at most eta mu.
    """
    return _spread(run, sigma_squared, beta_norm, nu) * run.log**3


def gradient_bound(run: Run, *, sigma_squared: float, beta_norm: float, nu: float) -> float:
    """The bound on |g_t|^2 for all t < T: `R^4 (... + sigma_sgd^2/R^2) log^5(T/p)`, arguments as of `iterate_bound`."""
    spread = _spread(run, sigma_squared, beta_norm, nu) + run.label_variance / run.moment
    return run.moment**2 * spread * run.log**5


def _spread(run: Run, sigma_squared: float, beta_norm: float, nu: float) -> float:
    """The sum in Theorem D.4's bounds: the start's part, the labels' and the privacy noise's."""
    require_positive(nu=nu, beta_norm=beta_norm)
    require_non_negative(sigma_squared=sigma_squared)
    eta, d = run.problem.eta, run.problem.d
    labels = eta * run.moment * run.label_variance / run.problem.mu
    return run.distance**2 + labels + eta**2 * sigma_squared * d * beta_norm**2 / nu


def required_clip_norm(run: Run) -> float:
    """The clip norm G that clips nothing with probability 1 - p (choquettechoo2023 Theorem D.13).

    At constant 1: `R^2 max(|theta_0'|, sqrt(eta R^2 sigma_sgd^2/mu), sigma_sgd/R) log^{5/2}(T/p)`.
    """
    labels = math.sqrt(run.problem.eta * run.moment * run.label_variance / run.problem.mu)
    scale = max(run.distance, labels, math.sqrt(run.label_variance / run.moment))
    return run.moment * scale * math.sqrt(run.log**5)


def required_clip_norm_of_summary(run: Run, polylog: float = 1.0) -> float:
    """The clip norm of Sec. 2.3: `c max(Tr H |theta_0'|, sigma_sgd sqrt(Tr H)) polylog(T/p)` (eq. 9)."""
    trace = run.problem.trace
    return polylog * max(trace * run.distance, math.sqrt(trace * run.label_variance))


def largest_rate(run: Run, *, nu_tilde: float, gamma_squared: float, beta_norm: float) -> float:
    """The largest learning rate eta for which Theorem D.13 holds at constant 1.

    `min(1/(R^2 log(T/p)), nu~ rho/(8 R^4 d gamma^2 |beta|_1^2 log^5(T/p)))`.
    """
    require_positive(nu_tilde=nu_tilde, gamma_squared=gamma_squared, beta_norm=beta_norm)
    noise = 8.0 * (run.moment * beta_norm) ** 2 * run.problem.d * gamma_squared * run.log**5
    return min(1.0 / (run.moment * run.log), nu_tilde * run.problem.rho / noise)


def admissible_rate(run: Run, gamma_squared: Callable[[float], float], beta_norm: float = 2.0) -> float:
    """The largest learning rate that meets Theorem D.13 at constant 1, whose gamma^2 itself depends on the rate."""
    mu, rate = run.problem.mu, 1.0 / run.moment
    for _ in range(200):
        rate = largest_rate(run, nu_tilde=mu, gamma_squared=gamma_squared(rate * mu), beta_norm=beta_norm)
    return rate


def dp_sgd_utility(run: Run) -> float:
    """Corollary D.14's terms in 1/T at constant 1, without logarithms and the exponential term.

    `kappa d_eff` times `(d Tr H |theta_0'|^2 + d sigma_sgd^2)/(rho T) + sigma_sgd^2/T`.
    """
    return _utility(run, run.problem.d / (run.problem.rho * run.T))


def nu_dp_ftrl_utility(run: Run) -> float:
    """The main terms of Corollary D.15 at constant 1, those of D.14 with `kappa d_eff / T` in the place of d."""
    return _utility(run, run.stiffness / (run.problem.rho * run.T**2))


def _utility(run: Run, price: float) -> float:
    """The error due to privacy, at the clip norms that start and labels need, plus the labels' error without it."""
    scale = run.stiffness
    distance, privacy = scale * price * run.problem.trace * run.distance**2, scale * price * run.label_variance
    return distance + privacy + scale * run.label_variance / run.T


def dp_sgd_steps(run: Run) -> float:
    """The least `T / log^5(T/p)` of Corollary D.14 at constant 1: `kappa^2 d_eff^2 d / rho`."""
    return run.stiffness**2 * run.problem.d / run.problem.rho


def nu_dp_ftrl_steps(run: Run) -> float:
    """The least `T / log^7(T/p)` of Corollary D.15: the number of D.14 times its own logarithm."""
    size = dp_sgd_steps(run)
    return size * math.log(size)


@dataclass(frozen=True)
class Tuning:
    """The error as a function of eta that Lemma F.21 minimises: `A exp(-mu eta T) + B eta + C eta^2 log^2(1/(eta mu))`.

    Attributes:
        A, B, C: positive factors of the three terms.
        mu: strong convexity.
        T: number of steps.
    """

    A: float
    B: float
    C: float
    mu: float
    T: float

    def at(self, eta: float) -> float:
        """Returns the error at a positive learning rate eta."""
        require_positive(eta=eta)
        log = math.log(1.0 / (eta * self.mu))
        return self.A * math.exp(-self.mu * eta * self.T) + self.B * eta + self.C * eta**2 * log**2

    def bound(self, eta_max: float) -> float:
        """The bound on the least error over eta <= eta_max (choquettechoo2023 Lemma F.21).

        `A exp(-mu eta_max T) + 3B/(mu T) (1 v log(A mu T/B)) + 3C/(mu T)^2 (1 v log(A mu^2 T^2/C))^2 log^2(T)`.

        Raises:
            ValueError: if T is below 1/(mu eta_max), where the lemma is not stated.
        """
        steps = self.mu * self.T
        if not steps * eta_max >= 1.0:
            raise ValueError(f"T={self.T} must reach 1/(mu eta_max) = {1.0 / (self.mu * eta_max):g}")
        linear = 3.0 * self.B / steps * max(1.0, math.log(self.A * steps / self.B))
        square = 3.0 * self.C / steps**2 * max(1.0, math.log(self.A * steps**2 / self.C)) ** 2 * math.log(self.T) ** 2
        return self.A * math.exp(-steps * eta_max) + linear + square
