"""DP-SSGD by varshney2022: its parameters, and its bounds with every constant that the paper gives (Sec. 3.1, App. A).

Risk is 1/2 |w - w*|_H^2. Noise of sd 2 alpha zeta is on every gradient. Constants without a value are arguments with
default 1, at which a value has the right order and is no bound.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from dpdescent.checks import require_non_negative, require_positive, require_probability
from dpdescent.papers.varshney2022.theory import privacy
from dpdescent.papers.varshney2022.theory.moments import LinearProblem, smallest_records

# c1 and c2 of Theorem 3.2's step size (varshney2022 eq. 30).
C1 = 1.0 / (64.0 * 210.0)
C2 = 1.0 / (4.0 * 1050.0)


@dataclass(frozen=True)
class Parameters:
    """Step size, threshold and noise multiplier of DP-SSGD.

    Attributes:
        eta: step size.
        zeta: clipping threshold.
        alpha: noise multiplier.
    """

    eta: float
    zeta: float
    alpha: float

    @property
    def noise_variance(self) -> float:
        """4 zeta^2 alpha^2, of the noise on a coordinate of a gradient."""
        return 4.0 * self.zeta**2 * self.alpha**2


def theorem_parameters(problem: LinearProblem, alpha: float, c1: float = C1, c2: float = C2) -> Parameters:
    """Step and threshold of Theorem 3.2 (varshney2022 eq. 30, 31).

    `zeta = 4 K2 R_x log^{2a} N (sqrt|H| |w*| + sqrt(kappa) sigma)`, and eta the least of `1/(2 R_x^2)`,
    `c1 / (log^{4a+2} N K2^2 R_x^2 kappa d alpha^2)` and `c2 / (log^{2a+2} N R_x^2)`.
    """
    require_positive(alpha=alpha, c1=c1, c2=c2)
    R2, a = problem.bound_squared, problem.a
    signal = math.sqrt(problem.largest * problem.euclidean_norm_squared) + math.sqrt(problem.kappa) * problem.sigma
    zeta = 4.0 * problem.k2 * math.sqrt(R2) * problem.log_power(2.0 * a) * signal
    private = c1 / (problem.log_power(4.0 * a + 2.0) * problem.k2**2 * R2 * problem.kappa)
    private /= problem.dimension * alpha**2
    return Parameters(min(0.5 / R2, private, c2 / (problem.log_power(2.0 * a + 2.0) * R2)), zeta, alpha)


def corollary_parameters(problem: LinearProblem, eps: float, delta: float) -> Parameters:
    """Printed for x ~ N(0, I): `eta = 1/(4d)`, `zeta = sqrt(d (|w*|^2 + sigma^2)) log N` (varshney2022 Cor. 3.3).

    The step leaves out Theorem 3.2's factor 1/(d alpha^2), and alpha has the constant 1.

    Raises:
        ValueError: if H is not the identity.
    """
    _require_identity(problem)
    d = problem.dimension
    zeta = math.sqrt(d * (problem.euclidean_norm_squared + problem.sigma**2)) * problem.log_power(1.0)
    return Parameters(0.25 / d, zeta, privacy.theorem_3_1(eps, delta, problem.records))


def introduction_threshold(problem: LinearProblem) -> float:
    """zeta = sigma sqrt(d) log N, the order O~(sigma sqrt(d)) with the logarithm of Corollary 3.3 (Sec. 1.1)."""
    return problem.sigma * math.sqrt(problem.trace) * problem.log_power(1.0)


def practical_parameters(problem: LinearProblem, alpha: float, factor: float = 3.0) -> Parameters:
    """Returns ours: `zeta = factor sqrt(Tr H (|w*|_H^2 + sigma^2))`, and the largest step that keeps iterates near w*.

    `eta = min(1/(2 R_x^2), (|w*|_H^2 + sigma^2) / (2 d alpha^2 zeta^2))`: the noise's stationary E |w_t - w*|_H^2,
    about `2 eta d alpha^2 zeta^2`, is then at most |w*|_H^2 + sigma^2, and gradients keep the size on which zeta rests.
    """
    scale_squared = problem.w_norm_squared + problem.sigma**2
    require_positive(alpha=alpha, factor=factor, scale_squared=scale_squared)
    zeta = factor * math.sqrt(problem.trace * scale_squared)
    private = scale_squared / (2.0 * problem.dimension * alpha**2 * zeta**2)
    return Parameters(min(0.5 / problem.bound_squared, private), zeta, alpha)


def bias(problem: LinearProblem, eta: float) -> float:
    """Risk that is left of the start: `R_x^2 / 2 e^{-eta mu (N/2 + 1)} |w*|^2` (varshney2022 eq. 36)."""
    require_positive(eta=eta)
    decay = math.exp(-eta * problem.mu * (problem.records / 2.0 + 1.0))
    return 0.5 * problem.bound_squared * decay * problem.euclidean_norm_squared


def variance(problem: LinearProblem, parameters: Parameters) -> float:
    """Variance: `(Tr(H^-1 M) + eta R_x^2 / (1 - eta R_x^2) d |M|_H) / N`, `M = sigma^2 H + 4 zeta^2 alpha^2 I`.

    varshney2022 eq. (39); |M|_H is the norm of H^-1/2 M H^-1/2.

    Raises:
        ValueError: unless eta < 1 / R_x^2.
    """
    spread = _spread(problem, parameters.eta) * problem.dimension * _m_norm(problem, parameters)
    return (trace_ratio(problem, parameters) + spread) / problem.records


def lemma_3_5(problem: LinearProblem, parameters: Parameters) -> float:
    """Bound on the mean risk of DP-SSGD where nothing is clipped (varshney2022 Lemma 3.5).

    Raises:
        ValueError: if eta exceeds 1 / (2 R_x^2).
    """
    if not parameters.eta <= 0.5 / problem.bound_squared * (1.0 + 1e-12):
        raise ValueError(f"eta={parameters.eta} must be at most 1 / (2 R_x^2) = {0.5 / problem.bound_squared:.6g}")
    return bias(problem, parameters.eta) + variance(problem, parameters)


def equation_5(problem: LinearProblem, parameters: Parameters) -> float:
    """Bound of Lemma 3.5 with e^{-eta mu N / 2} in the bias, which is a little larger (varshney2022 eq. 5)."""
    step_back = math.exp(parameters.eta * problem.mu)
    return bias(problem, parameters.eta) * step_back + variance(problem, parameters)


def equation_6(problem: LinearProblem, eps: float, delta: float, c: float = 1.0) -> float:
    """Eq. (5) at Theorem 3.2's parameters, alpha with the constant 1 (varshney2022 eq. 6).

    The factor 128 leaves out the third term of (5), which may double it, and the first term a kappa.

    Args:
        problem: the regression.
        eps: privacy parameter.
        delta: privacy parameter.
        c: constant of the exponent, without a value.
    """
    require_positive(eps=eps, c=c)
    R2, N, a, d = problem.bound_squared, problem.records, problem.a, problem.dimension
    logs = math.log(N / delta) ** 2
    rate = problem.mu * c * eps**2 * N / (2.0 * R2 * problem.k2**2 * problem.kappa * d * logs)
    start = math.exp(-rate / problem.log_power(4.0 * a + 2.0) * N) * d / 2.0 * problem.w_norm_squared
    noise = 128.0 * d * R2 * problem.k2**2 * problem.kappa * problem.log_power(4.0 * a) * logs
    noise *= (problem.w_norm_squared + problem.sigma**2) / (problem.mu * eps**2 * N**2)
    return start + 2.0 * problem.sigma**2 * d / N + noise


def theorem_3_2(problem: LinearProblem, eps: float, delta: float, constant: float = 1.0) -> float:
    """Order of the risk: `sigma^2 d/N + d^2 log^2(N/delta) / (eps N)^2 K2^2 kappa^2 (|w*|_H^2 + sigma^2)` (Thm 3.2).

    varshney2022 Theorem 3.2 hides a constant and logarithms, for which `constant` stands.
    """
    require_positive(eps=eps, constant=constant)
    require_probability(delta=delta)
    N, d = problem.records, problem.dimension
    private = (d * math.log(N / delta) * problem.k2 * problem.kappa / (eps * N)) ** 2
    return constant * (problem.sigma**2 * d / N + private * (problem.w_norm_squared + problem.sigma**2))


def corollary_3_3(problem: LinearProblem, eps: float, delta: float, constant: float = 1.0) -> float:
    """Order of the risk at H = I: Theorem 3.2's without K2 (varshney2022 Cor. 3.3)."""
    _require_identity(problem)
    require_positive(eps=eps, constant=constant)
    require_probability(delta=delta)
    N, d = problem.records, problem.dimension
    private = (d * math.log(N / delta) / (eps * N)) ** 2 * (problem.euclidean_norm_squared + problem.sigma**2)
    return constant * (d * problem.sigma**2 / N + private)


def predictor(problem: LinearProblem, parameters: Parameters) -> float:
    """Our estimate of the risk at small steps and many records: Tr(H^-1 M) / N, without clipping and bias."""
    return trace_ratio(problem, parameters) / problem.records


def trace_ratio(problem: LinearProblem, parameters: Parameters) -> float:
    """Tr(H^-1 M) = sigma^2 d + 4 zeta^2 alpha^2 Tr H^-1."""
    return problem.sigma**2 * problem.dimension + parameters.noise_variance * problem.trace_inverse


def product_bound(problem: LinearProblem, eta: float, steps: float, beta: float) -> float:
    """|B_{T-1} ... B_j z|^2 / |z|^2 exceeds this with probability beta at most: `e^{-eta mu (T-j)} / beta` (Lemma A.6).

    varshney2022 Lemma A.6, for B = I - eta x x' and eta < 1 / R_x^2; steps is T - j.
    """
    _spread(problem, eta)
    require_non_negative(steps=steps)
    require_probability(beta=beta)
    return math.exp(-eta * problem.mu * steps) / beta


def trace_stationary(problem: LinearProblem, parameters: Parameters) -> float:
    """Bound on Tr C_inf: `eta^2 R_x^2 / (1 - eta R_x^2) d |M|_H / 2 + eta Tr(H^-1 M) / 2` (varshney2022 Lemma A.8).

    The lemma is for plain SGD, M = Sigma; its use in (39) puts M = Sigma + 4 zeta^2 alpha^2 I.
    """
    eta = parameters.eta
    spread = _spread(problem, eta) * problem.dimension * _m_norm(problem, parameters)
    return 0.5 * eta * (spread + trace_ratio(problem, parameters))


def stationary_risk(problem: LinearProblem, parameters: Parameters, iterates: float) -> float:
    """Bound on the risk of the mean of `iterates` = T - t + 1 iterates from w_0 = w* (varshney2022 Lemma A.8)."""
    require_positive(iterates=iterates)
    return trace_stationary(problem, parameters) / (parameters.eta * iterates)


def smallest_records_for_start(problem: LinearProblem, alpha: Callable[[float], float]) -> float:
    """Least N at which Theorem 3.2's step leaves 1/N of the start at most, squared: `eta mu N / 2 >= log N` (eq. 5).

    Args:
        problem: the regression; its own N is not used.
        alpha: noise multiplier as a function of N.
    """

    def holds(records: float) -> bool:
        eta = theorem_parameters(replace(problem, records=records), alpha(records)).eta
        return eta * problem.mu * records / 2.0 >= math.log(records)

    return smallest_records(holds)


def _spread(problem: LinearProblem, eta: float) -> float:
    """eta R_x^2 / (1 - eta R_x^2)."""
    product = eta * problem.bound_squared
    if not 0.0 < product < 1.0:
        raise ValueError(f"eta={eta} must lie between 0 and 1 / R_x^2 = {1.0 / problem.bound_squared:.6g}")
    return product / (1.0 - product)


def _m_norm(problem: LinearProblem, parameters: Parameters) -> float:
    """|M|_H = sigma^2 + 4 zeta^2 alpha^2 / mu."""
    return problem.sigma**2 + parameters.noise_variance / problem.mu


def _require_identity(problem: LinearProblem) -> None:
    if not (problem.lam == 1.0).all():
        raise ValueError(f"lam from {problem.mu} to {problem.largest} must be 1: the corollary is for x ~ N(0, I)")
