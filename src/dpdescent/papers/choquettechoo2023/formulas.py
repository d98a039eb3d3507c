"""The bounds of choquettechoo2023 on the error of Noisy-FTRL: in the limit (Theorem 2.2, App. C) and after T steps (App. D)."""

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
    problem: RegressionProblem, q: Array, gamma_squared: float, *, moment: float | None = None,
    kurtosis: float = KURTOSIS, half: bool = True,
) -> float:  # fmt: skip
    """Theorem C.14: `(1 + a) eta R^2 sigma_sgd^2 + (1 + C_kurt a) eta sigma^2 <beta, T beta>`.

    Here `a = (1 - sqrt(eta R^2))^-2` and `sigma^2 = G^2 gamma^2 / (2 rho)`.

    Args:
        problem: the problem.
        q: weights of the noise coefficients, shape (d,); their sum is <beta, T beta>.
        gamma_squared: squared sensitivity.
        moment: R^2; that of Gaussian inputs if it is not given.
        kurtosis: C_kurt.
        half: see above.

    Returns:
        The bound; NaN where eta R^2 >= 1, which the theorem excludes.
    """
    return _upper(problem, float(q.sum()), gamma_squared, moment, kurtosis, half)


def upper_bound_by_frequency(
    problem: RegressionProblem, q: Array, gamma_squared: float, *, moment: float | None = None,
    kurtosis: float = KURTOSIS, half: bool = True,
) -> float:  # fmt: skip
    """Theorem C.15: the same with `(eta/pi) int |B|^2 h`, up to twice as large, in the place of <beta, T beta>."""
    weight = problem.eta / math.pi * weight_integral(problem, q)
    return _upper(problem, weight, gamma_squared, moment, kurtosis, half)


def _upper(
    problem: RegressionProblem, weight: float, gamma_squared: float, moment: float | None, kurtosis: float, half: bool
) -> float:  # fmt: skip
    require_positive(kurtosis=kurtosis)
    moment = fourth_moment(problem.lam) if moment is None else moment
    if not problem.eta * moment < 1.0:
        return math.nan
    series = (1.0 - math.sqrt(problem.eta * moment)) ** -2
    labels = (1.0 + series) * problem.eta * moment * problem.sigma_sgd**2
    noise = (1.0 + kurtosis * series) * problem.eta * problem.noise_variance(gamma_squared) * weight
    return _convert(labels + noise, stated_half=True, half=half)


def lower_bound(problem: RegressionProblem, q: Array, gamma_squared: float, *, half: bool = True) -> float:
    """Theorem C.18: `eta sigma_sgd^2 Tr H / 2 + eta^2 G^2 gamma^2 / (4 pi rho) int |B|^2 h`."""
    noise = problem.eta**2 * problem.noise_variance(gamma_squared) / (2.0 * math.pi) * weight_integral(problem, q)
    return _convert(_labels(problem) + noise, stated_half=False, half=half)


def lower_bound_by_time(problem: RegressionProblem, q: Array, gamma_squared: float, *, half: bool = True) -> float:
    """Theorem C.18 in the time domain, up to half as large: `... + eta G^2 gamma^2 / (4 rho) <beta, T beta>`."""
    noise = problem.eta * problem.noise_variance(gamma_squared) / 2.0 * float(q.sum())
    return _convert(_labels(problem) + noise, stated_half=False, half=half)


def universal_lower_bound(problem: RegressionProblem, *, half: bool = True) -> float:
    """Theorem C.18 for all coefficients: `... + eta^2 G^2 / (8 pi^2 rho) (int sqrt(h))^2` (from eq. 47)."""
    unit = problem.noise_variance(1.0)
    noise = unit * (problem.eta * laws.root_integral(problem, exact=False) / (2.0 * math.pi)) ** 2
    return _convert(_labels(problem) + noise, stated_half=False, half=half)


def universal_lower_bound_as_stated(problem: RegressionProblem, *, half: bool = True) -> float:
    """Theorem C.18 for all coefficients, with sqrt(h) bounded: `(2 eta sigma_sgd^2 + eta^2 G^2 / (2 rho)) Tr H / 4`."""
    noise = problem.eta**2 * problem.noise_variance(1.0) * problem.trace / 4.0
    return _convert(_labels(problem) + noise, stated_half=False, half=half)


def _labels(problem: RegressionProblem) -> float:
    """Returns the term of the label noise in Theorem C.18."""
    return 0.5 * problem.eta * problem.sigma_sgd**2 * problem.trace


def nu_upper_bound(
    problem: RegressionProblem, nu: float, *, moment: float | None = None, kurtosis: float = KURTOSIS, half: bool = True
) -> float:  # fmt: skip
    """Proposition C.22 with the constants of its proof: Theorem C.15 with `I(nu, nu) <= 5 log(8/nu)` and C.21(ii).

    Args:
        problem: the problem, without label noise as in the proposition.
        nu: damping, at most eta mu.
        moment, kurtosis, half: as in `upper_bound`.

    Returns:
        The bound without the factor 1 + O(nu) of C.21(ii), a function of Tr H and nu; NaN where Theorem C.15 or Lemma
        C.21(ii) is not stated: eta R^2 >= 1, nu > eta mu or eta lambda_1 > 1/4.

    Raises:
        ValueError: if the problem has label noise.
    """
    if problem.sigma_sgd:
        raise ValueError(f"sigma_sgd={problem.sigma_sgd} must be 0: Prop. C.22 is without label noise")
    if nu > problem.eta * problem.mu or problem.eta * problem.largest > LARGEST_RATE:
        return math.nan
    weight = problem.eta / math.pi * problem.trace * elliptic.integral_bound(nu)
    return _upper(problem, weight, elliptic.diagonal_bound(nu) / (2.0 * math.pi), moment, kurtosis, half)


def damped_leading_order(problem: RegressionProblem, nu: float, *, half: bool = True) -> float:
    """The error of damped anti-PGD for small eta and nu: `eta G^2 / (16 rho) (nu d + 2 eta Tr H/nu)` for eq. 8."""
    require_positive(nu=nu)
    scale = problem.eta * problem.clip_norm**2 / (16.0 * problem.rho)
    value = scale * (nu * problem.d + 2.0 * problem.eta * problem.trace / nu)
    return _convert(value, stated_half=True, half=half)


def best_damped_order(problem: RegressionProblem, constant: float = 1.0) -> float:
    """The order at the best damping, `eta^{3/2} G^2/rho sqrt(d Tr H)` (choquettechoo2023 Table 2, Prop. C.24).

    The proposition takes nu = 1/sqrt(d) at eta = c/Tr H, which costs a factor `c^{1/2} + c^{-1/2}`. The error of eq. 8
    tends to this at a constant of sqrt(2)/8.
    """
    root = math.sqrt(problem.eta**3 * problem.d * problem.trace)
    return constant * problem.clip_norm**2 / problem.rho * root


def _convert(value: float, *, stated_half: bool, half: bool) -> float:
    """Converts a value between the conventions with and without the factor 1/2."""
    return value * (1.0 if half == stated_half else 0.5 if half else 2.0)


def convergence_bound(problem: RegressionProblem, initial: float, limit: float, t: float) -> float:
    """Theorem D.11: `(sqrt(L/mu exp(-eta mu t) (F_0 - F*)) + sqrt(F_inf))^2` for eta < 1/R^2.

    Args:
        problem: the problem.
        initial: F(theta_0) - F(theta*).
        limit: F_inf of the noise coefficients, in the same convention.
        t: number of steps.
    """
    require_non_negative(initial=initial, limit=limit, t=t)
    left = problem.largest / problem.mu * math.exp(-problem.eta * problem.mu * t) * initial
    return (math.sqrt(left) + math.sqrt(limit)) ** 2


def convergence_bound_without_clipping(problem: RegressionProblem, initial: float, limit: float, t: float) -> float:
    """Theorem D.13(c): `2 L/mu exp(-eta mu t) (F_0 - F*) + 2 F_inf` on the event that nothing is clipped."""
    require_non_negative(initial=initial, limit=limit, t=t)
    return 2.0 * problem.largest / problem.mu * math.exp(-problem.eta * problem.mu * t) * initial + 2.0 * limit


def half_expo_constant(beta: Array, nu: float) -> float:
    """The smallest C of Half-Expo Decay: `sum_k |beta_k| (1-nu)^{-k/2}` (choquettechoo2023 Definition D.3).

    The condition at tau divided by its right-hand side is the sum up to tau, so that the largest tau decides.

    Raises:
        ValueError: if nu is outside (0, 1).
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


def iterate_bound(run: Run, *, sigma_squared: float, beta_norm: float, nu: float, constant: float = 1.0) -> float:
    """The bound on |theta_t - theta*|^2 for all t < T, with probability 1 - p (choquettechoo2023 Theorem D.4).

    `C (|theta_0'|^2 + eta R^2 sigma_sgd^2/mu + eta^2 sigma^2 d |beta|_1^2/nu) log^3(T/p)` for eta of at most
    `1/(c R^2 log(T/p))`.

    Args:
        run: the problem and how long.
        sigma_squared: variance of a coordinate of w_t.
        beta_norm: |beta|_1 of coefficients with Half-Expo Decay; below 2 for those of eq. 7.
        nu: parameter of that decay, at most eta mu.
        constant: C.
    """
    return constant * _spread(run, sigma_squared, beta_norm, nu) * run.log**3


def gradient_bound(run: Run, *, sigma_squared: float, beta_norm: float, nu: float, constant: float = 1.0) -> float:
    """The bound on |g_t|^2 for all t < T: `C R^4 (... + sigma_sgd^2/R^2) log^5(T/p)` (Theorem D.4), same arguments."""
    spread = _spread(run, sigma_squared, beta_norm, nu) + run.label_variance / run.moment
    return constant * run.moment**2 * spread * run.log**5


def _spread(run: Run, sigma_squared: float, beta_norm: float, nu: float) -> float:
    require_positive(nu=nu, beta_norm=beta_norm)
    require_non_negative(sigma_squared=sigma_squared)
    eta, d = run.problem.eta, run.problem.d
    labels = eta * run.moment * run.label_variance / run.problem.mu
    return run.distance**2 + labels + eta**2 * sigma_squared * d * beta_norm**2 / nu


def required_clip_norm(run: Run, constant: float = 1.0) -> float:
    """The clip norm G that clips nothing with probability 1 - p (choquettechoo2023 Theorem D.13).

    `c R^2 max(|theta_0'|, sqrt(eta R^2 sigma_sgd^2/mu), sigma_sgd/R) log^{5/2}(T/p)`.
    """
    labels = math.sqrt(run.problem.eta * run.moment * run.label_variance / run.problem.mu)
    scale = max(run.distance, labels, math.sqrt(run.label_variance / run.moment))
    return constant * run.moment * scale * math.sqrt(run.log**5)


def required_clip_norm_of_summary(run: Run, polylog: float = 1.0) -> float:
    """The clip norm of Sec. 2.3: `c max(Tr H |theta_0'|, sigma_sgd sqrt(Tr H)) polylog(T/p)` (eq. 9)."""
    trace = run.problem.trace
    return polylog * max(trace * run.distance, math.sqrt(trace * run.label_variance))


def largest_rate(
    run: Run, *, nu_tilde: float, gamma_squared: float, beta_norm: float, constant: float = 1.0
) -> float:  # fmt: skip
    """The largest learning rate eta for which Theorem D.13 holds.

    `min(1/(C R^2 log(T/p)), nu~ rho/(8 C^2 R^4 d gamma^2 |beta|_1^2 log^5(T/p)))`.

    Args:
        run: the problem and how long.
        nu_tilde: nu~, at most mu; the coefficients decay with parameter eta nu~.
        gamma_squared: their limiting squared sensitivity.
        beta_norm: |beta|_1.
        constant: C.
    """
    require_positive(nu_tilde=nu_tilde, gamma_squared=gamma_squared, beta_norm=beta_norm)
    noise = 8.0 * (constant * run.moment * beta_norm) ** 2 * run.problem.d * gamma_squared * run.log**5
    return min(1.0 / (constant * run.moment * run.log), nu_tilde * run.problem.rho / noise)


def admissible_rate(run: Run, gamma_squared: Callable[[float], float], beta_norm: float = 2.0) -> float:
    """The largest learning rate that meets Theorem D.13 at constant 1, whose gamma^2 itself depends on the rate.

    Args:
        run: the problem, of which mu is nu~, and how long.
        gamma_squared: the limiting squared sensitivity as a function of nu = eta mu.
        beta_norm: |beta|_1, below 2 for eq. 7.
    """
    mu, rate = run.problem.mu, 1.0 / run.moment
    for _ in range(200):
        rate = largest_rate(run, nu_tilde=mu, gamma_squared=gamma_squared(rate * mu), beta_norm=beta_norm)
    return rate


@dataclass(frozen=True)
class Utility:
    """Terms of the error after T steps at the best learning rate (choquettechoo2023 Corollaries D.14 and D.15).

    Attributes:
        exponential: what is left of the start, times L/mu; printed without F_0 - F*.
        distance: what the noise costs by the clip norm that the start asks for.
        privacy: what it costs by the clip norm that the labels ask for.
        labels: what the labels cost without privacy.
    """

    exponential: float
    distance: float
    privacy: float
    labels: float

    @property
    def total(self) -> float:
        return self.exponential + self.distance + self.privacy + self.labels


def dp_sgd_utility(run: Run, constant: float = 1.0, polylog: float = 1.0) -> Utility:
    """The error of Corollary D.14, for T of at least what `dp_sgd_steps` asks for.

    `L/mu exp(-rho T/(c kappa^2 d_eff^2 d log^5(T/p)))` and `kappa d_eff polylog(T)` times
    `(d Tr H |theta_0'|^2 + d sigma_sgd^2)/(rho T) + sigma_sgd^2/T`; `constant` is c.
    """
    exponent = run.T / (dp_sgd_steps(run, constant) * run.log**5)
    return _utility(run, exponent, run.problem.d / (run.problem.rho * run.T), polylog)


def nu_dp_ftrl_utility(run: Run, constant: float = 1.0, polylog: float = 1.0) -> Utility:
    """The error of Corollary D.15, for T of at least what `nu_dp_ftrl_steps` asks for.

    As D.14 with `kappa d_eff / T` in the place of d, and `log^7(T/p) log(kappa^2 d_eff^2 d/rho)` in the exponent.
    """
    size = dp_sgd_steps(run)
    exponent = run.T / (constant * size * run.log**7 * math.log(size))
    return _utility(run, exponent, run.stiffness / (run.problem.rho * run.T**2), polylog)


def _utility(run: Run, exponent: float, price: float, polylog: float) -> Utility:
    scale = polylog * run.stiffness
    return Utility(
        exponential=run.problem.largest / run.problem.mu * math.exp(-exponent),
        distance=scale * price * run.problem.trace * run.distance**2,
        privacy=scale * price * run.label_variance,
        labels=scale * run.label_variance / run.T,
    )


def dp_sgd_steps(run: Run, constant: float = 1.0) -> float:
    """The least `T / log^5(T/p)` of Corollary D.14: `c kappa^2 d_eff^2 d / rho`."""
    return constant * run.stiffness**2 * run.problem.d / run.problem.rho


def nu_dp_ftrl_steps(run: Run, constant: float = 1.0) -> float:
    """The least `T / log^7(T/p)` of Corollary D.15: the number of D.14 times its own logarithm."""
    size = dp_sgd_steps(run, constant)
    return size * math.log(size)


@dataclass(frozen=True)
class Tuning:
    """The error as a function of eta that Lemma F.21 minimises: `A exp(-mu eta T) + B eta + C eta^2 log^2(1/(eta mu))`.

    Attributes:
        A, B, C: positive.
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
