"""Theorem 3.1 of liang2025, its conditions and its proof (Sec. 3, appendices C and F): contraction, regimes, errors.

Where the paper writes `<~` or O(.), the constant that it hides is 1 here, at which a value has the right order and is
no bound. Norms are operator norms. Appendices D and E are in `appendices`.
"""

import math
from dataclasses import astuple, dataclass

from dpdescent.checks import require_positive
from dpdescent.papers.liang2025.appendices import Interval, accumulated_noise
from dpdescent.papers.liang2025.formulas import Contraction, IVProblem, Spectrum, clipping_threshold
from dpdescent.sums import added


@dataclass(frozen=True)
class BoundTerms:
    """The terms of liang2025 eq. (7) on ||beta^(T) - beta_hat||: kappa^{T/2}, privacy noise and sampling error."""

    optimisation: float
    privacy: float
    sampling: float

    @property
    def total(self) -> float:
        """Sum of the three terms."""
        return self.optimisation + self.privacy + self.sampling


@dataclass(frozen=True)
class Regimes:
    """Iteration counts that bound the regimes of liang2025 Remark 3.7; a regime is empty where they are out of order.

    Attributes:
        optimisation_ends: T1, where kappa^{T/2} equals the sampling term; not positive where it starts below it.
        sampling_ends: T2, where the privacy term equals the sampling term.
        bound_ends: T3, the limit on T (eq. 5).
    """

    optimisation_ends: float
    sampling_ends: float
    bound_ends: float


@dataclass(frozen=True)
class ProofTerms:
    """Terms (i) to (iv) of liang2025 eq. (29): contraction of beta, error of Theta, noise on beta, residual of 2SLS."""

    second_stage: float
    first_stage: float
    second_stage_noise: float
    residual: float

    @property
    def total(self) -> float:
        """Sum of the four terms."""
        return float(added(astuple(self)))


def error_radius(window: Spectrum, theta_hat_norm: float) -> float:
    """Returns eps_bar, the distance to Theta_hat within which the second stage contracts (liang2025 eq. 13 and 20)."""
    require_positive(theta_hat_norm=theta_hat_norm)
    gain = window.lower / (2 * (1 + window.delta) ** 2)
    # sqrt(a^2 + g) - a in the form g / (sqrt(a^2 + g) + a), because the difference loses digits for small g.
    return gain / (math.sqrt(theta_hat_norm**2 + gain) + theta_hat_norm)


def hessian_window(window: Spectrum) -> Interval:
    """Returns bounds on eigenvalues of H^(t) while ||Theta^(t) - Theta_hat|| <= eps_bar (liang2025, above eq. 14)."""
    return Interval(lower=window.lower / 2, upper=window.upper + window.lower / 2)


def first_stage_radius(
    problem: IVProblem, kappa_theta: float, eta: float, lambda_1: float, theta_hat_norm: float, burn_in: float
) -> float:
    """Returns eps, the bound on ||Theta^(k) - Theta_hat|| for k >= burn_in (liang2025 eq. 18; eq. 19 at burn_in 0)."""
    return math.pow(kappa_theta, burn_in) * theta_hat_norm + accumulated_noise(problem, kappa_theta, eta, lambda_1)


def burn_in(window: Spectrum, kappa_theta: float, theta_hat_norm: float) -> float:
    """Returns t0(n), the whole number of iterations until kappa_Theta^t ||Theta_hat|| <= eps_bar/2 (liang2025 eq. 22).

    It is infinite where the first stage does not contract or gamma underline is 0.
    """
    ratio = error_radius(window, theta_hat_norm) / (2 * theta_hat_norm)
    iterations = _iterations_to(ratio, kappa_theta)
    # At least 1, because a rate of 0 takes one iteration to forget the start, which the logarithm does not count.
    return iterations if ratio >= 1 or math.isinf(iterations) else float(max(1, math.ceil(iterations)))


def burn_in_limit(eta: float, theta_min: float, theta_norm: float) -> float:
    """Returns the limit of t0(n) before rounding as n grows, with 1 - eta read as |1 - eta| (liang2025, below eq. 25).

    It is 0 at eta = 1, where t0 itself stays at one iteration.
    """
    window = Spectrum(delta=0.0, lower=theta_min**2, upper=theta_norm**2)
    return _iterations_to(error_radius(window, theta_norm) / (2 * theta_norm), abs(1 - eta))


def second_stage_error(
    *, window: Spectrum, kappa_beta: float, alpha: float, radius: float, theta_hat_norm: float, beta_hat_norm: float,
    residual_norm: float, noise_norm: float, start_error: float, elapsed: float,
) -> float:  # fmt: skip
    """Returns the bound on ||beta^(T) - beta_hat|| with explicit constants (liang2025 eq. 16, second line).

    `radius` is eps of eq. (18), at most `error_radius`; the norms are ||Theta_hat||, ||beta_hat||, ||Z'r||/n and a
    bound on ||nu^(t)||; the start is ||beta^(T0) - beta_hat||, and T - T0 has elapsed.
    """
    if not 0 <= kappa_beta < 1:
        raise ValueError(f"kappa_beta must lie in [0, 1), got {kappa_beta}")
    theta_bound = theta_hat_norm + radius
    coupling = (1 + window.delta) ** 2 * beta_hat_norm * radius * theta_bound
    drift = alpha * (coupling + residual_norm * theta_bound + noise_norm)
    return math.pow(kappa_beta, elapsed) * start_error + drift / (1 - kappa_beta)


def _iterations_to(ratio: float, rate: float) -> float:
    if ratio >= 1:
        return 0.0
    if ratio == 0 or rate >= 1:
        return math.inf
    return math.log(ratio) / math.log(rate) if rate > 0 else 0.0


def proposition_3_1_budget(
    gamma_1: float, gamma_2: float, lambda_1: float, lambda_2: float, n: int, steps: float
) -> float:
    """Returns the zCDP cost of T iterations (liang2025 Prop. 3.1).

    `(2T/n^2) (gamma1^2/lambda1^2 + gamma2^2/lambda2^2)`. At the noise scales of the same proposition it is
    (rho1 + rho2)/2, not rho1 + rho2 as printed.
    """
    require_positive(gamma_1=gamma_1, gamma_2=gamma_2, lambda_1=lambda_1, lambda_2=lambda_2, n=n, steps=steps)
    return 2 * steps / n**2 * (gamma_1**2 / lambda_1**2 + gamma_2**2 / lambda_2**2)


def iteration_limit(problem: IVProblem, rho_1: float) -> float:
    """Returns the limit on T, `rho1 n^2 / (p (sqrt q + sqrt tau)^6)` (liang2025 eq. 5, T3 of Rem. 3.7).

    The eps of n^{2-eps} is 0: "a small constant" to which the paper gives no value.
    """
    require_positive(rho_1=rho_1)
    return rho_1 * math.pow(problem.n, 2) / (problem.p * _root_sum(problem) ** 6)


def explicit_iteration_limit(
    problem: IVProblem, window: Spectrum, kappa_theta: float, eta: float, rho_1: float, theta_hat_norm: float, *,
    clip_constant: float,
) -> float:  # fmt: skip
    """Returns the largest T that satisfies eq. (21), the explicit condition behind (5) and (23) (liang2025 App. C).

    `T <= rho1 [n eps_bar sqrt(1 - kappa^2) / (4 eta gamma1(T) (sqrt(pq) + sqrt(2p(log p + tau))))]^2`. The largest T is
    a fixed point, because gamma1 grows with log(nT), and a single one, because the right-hand side falls in T. Below 1
    the condition allows no iteration, and the value is the right-hand side at T = 1, which is proportional to rho1.
    `clip_constant` is the c0 of gamma1.
    """
    require_positive(rho_1=rho_1)
    unit_noise = accumulated_noise(problem, kappa_theta, eta, lambda_1=1.0)
    reach = problem.n * error_radius(window, theta_hat_norm) / (4 * unit_noise)

    def right_side(steps: float) -> float:
        return rho_1 * (reach / clipping_threshold(clip_constant, problem.n, problem.q, steps, problem.tau)) ** 2

    ceiling = right_side(1.0)
    if ceiling <= 1 or math.isinf(ceiling):
        return ceiling
    low, high = 1.0, ceiling
    while (middle := 0.5 * (low + high)) not in (low, high):
        low, high = (middle, high) if middle <= right_side(middle) else (low, middle)
    return low


def minimum_sample_size(problem: IVProblem, rho_1: float, rho_2: float) -> float:
    """Returns the n that Theorem 3.1 requires, or Theorem F.1 at rho_1 = infinity (liang2025 eq. 6).

    `max{pq (tau + log pq)^2, (sqrt q + sqrt tau)^3 / sqrt(min rho)}`. `problem.n` is not used.
    """
    require_positive(rho_1=rho_1, rho_2=rho_2)
    return max(sampling_root(problem) ** 2, _root_sum(problem) ** 3 / math.sqrt(min(rho_1, rho_2)))


def bound_terms(problem: IVProblem, kappa: float, rho_1: float, rho_2: float, steps: float) -> BoundTerms:
    """Returns the bound of Theorem 3.1, term by term (liang2025 eq. 7).

    At infinite budgets it is that without privacy (Cor. 3.1, eq. 9), whose third term comes from the proof only: the
    error tends to 0 where both stages contract, as Theta_hat'Z'r = 0. At an infinite rho_1 it is that of Algorithm 3
    (Thm F.1). The privacy term omits the log(nT) of the clipping threshold.
    """
    require_positive(kappa=kappa, rho_1=rho_1, rho_2=rho_2, steps=steps)
    return BoundTerms(
        optimisation=math.pow(kappa, steps / 2),
        privacy=math.sqrt(problem.p) * _root_sum(problem) ** 3 / problem.n * math.sqrt(steps / min(rho_1, rho_2)),
        sampling=sampling_root(problem) / math.sqrt(problem.n),
    )


def regime_boundaries(problem: IVProblem, kappa: float, rho_1: float, rho_2: float) -> Regimes:
    """Returns T1, T2 and T3, where the terms of eq. (7) cross and where the bound ends (liang2025 Rem. 3.7)."""
    # Else the first term never equals the third.
    if not kappa < 1:
        raise ValueError(f"kappa must be below 1, got {kappa}")
    unit = bound_terms(problem, kappa, rho_1, rho_2, 1.0)
    start = unit.optimisation / math.sqrt(kappa)
    require_positive(sampling_term=unit.sampling, optimisation_term=start)
    return Regimes(
        optimisation_ends=2 * math.log(start / unit.sampling) / math.log(1 / kappa),
        sampling_ends=(unit.sampling / unit.privacy) ** 2 if unit.privacy > 0 else math.inf,
        bound_ends=iteration_limit(problem, rho_1),
    )


def plateau_end(problem: IVProblem, rho_1: float, rho_2: float) -> float:
    """Returns T2 of liang2025 Rem. 3.7, where the privacy term of (7) equals the sampling term, whatever kappa is."""
    return regime_boundaries(problem, 0.5, rho_1, rho_2).sampling_ends


def noise_order(problem: IVProblem) -> float:
    """Returns the order of R(tau), `sqrt(p) (sqrt q + sqrt tau)^3` (liang2025 below eq. 24)."""
    return math.sqrt(problem.p) * _root_sum(problem) ** 3


def second_stage_noise(problem: IVProblem, lambda_2: float, steps: float = 1.0) -> float:
    """Returns the bound on ||nu^(t)|| at one t (liang2025, above eq. 16) or at all t up to `steps` (App. E.1)."""
    return lambda_2 * (math.sqrt(problem.p) + math.sqrt(problem.tau + math.log(steps)))


def noise_complexity(problem: IVProblem) -> float:
    """Returns R(tau), `(sqrt q + sqrt tau)^2 (sqrt(pq) + sqrt(p (log p + tau)))` (liang2025 eq. 24)."""
    p, q = problem.p, problem.q
    return _root_sum(problem) ** 2 * (math.sqrt(p * q) + math.sqrt(p * (math.log(p) + problem.tau)))


def proof_terms(problem: IVProblem, rates: Contraction, rho_1: float, rho_2: float, steps: float) -> ProofTerms:
    """Returns the four terms behind eq. (7) (liang2025 eq. 29; eq. 52 for Algorithm 3, at rho_1 = infinity)."""
    require_positive(rho_1=rho_1, rho_2=rho_2, steps=steps)
    noise = noise_complexity(problem) * math.sqrt(steps) / problem.n
    return ProofTerms(
        second_stage=math.pow(rates.beta, steps / 2),
        first_stage=math.pow(rates.theta, steps / 2) + noise / math.sqrt(rho_1),
        second_stage_noise=noise / math.sqrt(rho_2),
        residual=sampling_root(problem) / math.sqrt(problem.n),
    )


def _root_sum(problem: IVProblem) -> float:
    return math.sqrt(problem.q) + math.sqrt(problem.tau)


def sampling_root(problem: IVProblem) -> float:
    """Returns `sqrt(pq) (tau + log pq)`, the sampling term of eq. (7) times sqrt(n)."""
    return math.sqrt(problem.p * problem.q) * (problem.tau + math.log(problem.p * problem.q))
