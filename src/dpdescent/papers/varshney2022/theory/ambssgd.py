"""DP-AMBSSGD and DP-STAT by varshney2022: parameters, bounds with the paper's constants, and their conditions.

Sec. 3.2 and App. B. Risk is 1/2 |w - w*|_H^2. Noise of sd 2 alpha zeta_t / b is on the mean of b gradients. Constants
without a value are arguments with default 1. What needs whole numbers in a run (T, b, s) is real here.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from dpdescent.checks import require_non_negative, require_positive, require_probability
from dpdescent.papers.varshney2022.theory.moments import Array, LinearProblem, input_bound_squared, smallest_records

# Share of a batch that DP-STAT gets: s = b/10, so s = 1/11 and b = 10/11 of N/T (varshney2022 Thm 3.7).
STAT_SHARE = 1.0 / 11.0
# Exponent of N in the bounds' first term, in Lemma 3.11's Delta, and in Algorithm 2's Delta and Theorem 3.7's beta.
BIAS_POWER, LEMMA_WIDTH_POWER, WIDTH_POWER = 100.0, 100.0, 200.0


def theorem_step(lam: Array, batch: float, fourth: float = 3.0) -> float:
    """eta = b / (R_x^2 + (b - 1) |H|) (varshney2022 Thm 3.7)."""
    require_positive(batch=batch)
    return float(batch / (input_bound_squared(lam, fourth) + (batch - 1.0) * lam.max()))


def corollary_step(d: int) -> float:
    """eta = 1 / (4 d), which is not Theorem 3.7's (varshney2022 Cor. 3.8)."""
    require_positive(d=d)
    return 0.25 / d


def steps_of_theorem(records: float, kappa: float = 1.0, c1: float = 1.0) -> float:
    """T = c1 kappa log N; c1 has no value in the paper (varshney2022 Thm 3.7)."""
    require_positive(records=records, kappa=kappa, c1=c1)
    return c1 * kappa * math.log(records)


@dataclass(frozen=True)
class Setting:
    """A run of DP-AMBSSGD in the form that the bounds take.

    Attributes:
        problem: the regression.
        steps: T.
        batch: b, records of a gradient.
        eta: step size.
        alpha: noise multiplier.
        width: Delta, the smallest threshold of DP-STAT.
        logs: False sets the log^{4a} N of the bounds to 1, which is then no longer what the paper proves.
    """

    problem: LinearProblem
    steps: float
    batch: float
    eta: float
    alpha: float
    width: float
    logs: bool = True

    def __post_init__(self) -> None:
        require_positive(steps=self.steps, batch=self.batch, eta=self.eta)
        require_non_negative(alpha=self.alpha, width=self.width)

    @classmethod
    def of(cls, problem: LinearProblem, steps: float, alpha: float, stat_size: float | None = None) -> "Setting":
        """Returns the setting with Theorem 3.7's step size, Lemma 3.11's Delta, and s = b/10 unless it is given."""
        require_positive(steps=steps)
        share = problem.records / steps
        batch = share * (1.0 - STAT_SHARE) if stat_size is None else share - stat_size
        scale = math.sqrt(problem.w_norm_squared) + problem.sigma
        width = scale * math.exp(-LEMMA_WIDTH_POWER * math.log(problem.records))
        return cls(problem, steps, batch, theorem_step(problem.lam, batch, problem.fourth), alpha, width)

    @property
    def threshold_factor(self) -> float:
        """K2^2 R_x^2 log^{4a} N, by which zeta_t^2 exceeds a squared residual."""
        problem = self.problem
        return problem.k2**2 * problem.bound_squared * (problem.log_power(4.0 * problem.a) if self.logs else 1.0)

    @property
    def floor(self) -> float:
        """sigma^2 + Delta^2, the part of a squared threshold that does not fall with the distance."""
        return self.problem.sigma**2 + self.width**2


def lemma_3_11(setting: Setting) -> float:
    """Bound on the mean risk where nothing is clipped and zeta_t obeys `threshold_bound` (varshney2022 Lemma 3.11).

    Its conditions are `step_condition` and `batch_condition`; they are not checked.
    """
    problem, T, b = setting.problem, setting.steps, setting.batch
    private = setting.alpha**2 * setting.threshold_factor * problem.trace_inverse
    carried = 4.0 * _start_factor(setting) + 96.0 * private * problem.kappa / (T * b**2)
    fresh = problem.sigma**2 * problem.dimension + 12.0 * private * setting.floor / b
    return carried * squared_distance_bound(setting) + 8.0 / (T * b) * fresh


def squared_distance_bound(setting: Setting, step: float | None = None) -> float:
    """Bound on E |w_t - w*|_H^2, at t = T/2 unless another step is given (varshney2022 eq. 47, and within 48).

    `e^{-eta mu t / 2} |w*|_H^2 + 2 eta / (mu b) Tr(H Sigma) + 24 eta alpha^2 / (mu b^2) K2^2 R_x^2 log^{4a} N
    (sigma^2 + Delta^2) Tr H`, Sigma = sigma^2 H; at T = c1 kappa log N and t = T/2 the first factor is the printed
    N^{-eta mu c1 kappa / 4}.
    """
    problem, eta, b = setting.problem, setting.eta, setting.batch
    t = setting.steps / 2.0 if step is None else step
    start = math.exp(-eta * problem.mu * t / 2.0) * problem.w_norm_squared
    labels = 2.0 * eta / (problem.mu * b) * problem.sigma**2 * float(problem.lam @ problem.lam)
    noise = 24.0 * eta * setting.alpha**2 / (problem.mu * b**2) * setting.threshold_factor
    return start + labels + noise * setting.floor * problem.trace


def squared_threshold_bound(setting: Setting, step: float | None = None) -> float:
    """Bound on E zeta_t^2: `3 K2^2 R_x^2 log^{4a} N (kappa E |w_t - w*|_H^2 + sigma^2 + Delta^2)` (eq. 48, 50).

    varshney2022 eq. (48); at t = T/2, the default, eq. (50).
    """
    distance = squared_distance_bound(setting, step)
    return 3.0 * setting.threshold_factor * (setting.problem.kappa * distance + setting.floor)


def threshold_bound(setting: Setting, distance_squared: float) -> float:
    """Least zeta_t that Lemma 3.11 covers: `R_x K2 log^{2a} N (sqrt(kappa) |w_t - w*|_H + sigma + Delta)`."""
    require_non_negative(distance_squared=distance_squared)
    problem = setting.problem
    residual = math.sqrt(problem.kappa * distance_squared) + problem.sigma + setting.width
    return math.sqrt(setting.threshold_factor) * residual


def batch_condition(setting: Setting) -> float:
    """Least b of Lemma 3.11: `b^2 >= 24 eta alpha^2 R_x^2 K2^2 kappa log^{4a} N Tr H / mu` (varshney2022)."""
    problem = setting.problem
    private = 24.0 * setting.eta * setting.alpha**2 * setting.threshold_factor
    return math.sqrt(private * problem.kappa * problem.trace / problem.mu)


def step_condition(setting: Setting) -> float:
    """Largest eta of Lemmas 3.11, B.3 and B.4: Theorem 3.7's step (varshney2022 Lemma 3.11)."""
    return theorem_step(setting.problem.lam, setting.batch, setting.problem.fourth)


def records_of_theorem(d: int, kappa: float, eps: float, delta: float, constant: float = 1.0) -> float:
    """Order of the N that Theorem 3.7 needs: `kappa^2 d (1 + sqrt(log(1/delta)) / eps)`, logarithms left out."""
    require_positive(d=d, kappa=kappa, eps=eps, constant=constant)
    require_probability(delta=delta)
    return constant * kappa**2 * d * (1.0 + math.sqrt(math.log(1.0 / delta)) / eps)


def stat_slack(alpha: float, levels: float, log_inverse_beta: float) -> float:
    """Gamma = alpha sqrt(2 L log(L / beta)), L = log2(B / Delta) (varshney2022 Lemma 3.10).

    Args:
        alpha: noise multiplier of DP-STAT.
        levels: L.
        log_inverse_beta: log(1/beta); beta itself is N^-200 in Theorem 3.7, which no float holds.
    """
    require_positive(alpha=alpha, levels=levels)
    require_non_negative(log_inverse_beta=log_inverse_beta)
    return alpha * math.sqrt(2.0 * levels * (math.log(levels) + log_inverse_beta))


def smallest_records_for_stat(
    alpha: float | Callable[[float], float], c1: float = 1.0, width_power: float = WIDTH_POWER, kappa: float = 1.0,
    failure_power: float = WIDTH_POWER,
) -> float:  # fmt: skip
    """Least N at which s >= 2 Gamma, so that DP-STAT sees more than its noise; s = b/10 at T = c1 kappa log N.

    Args:
        alpha: noise multiplier, or a function of N.
        c1: constant of T.
        width_power: p of Delta = B / N^p: 200 in Algorithm 2, 100 in Lemma 3.11.
        kappa: condition number of H.
        failure_power: beta = N^-p (varshney2022 Thm 3.7).
    """

    def holds(records: float) -> bool:
        log = math.log(records)
        slack = stat_slack(_at(alpha, records), width_power * log / math.log(2.0), failure_power * log)
        return STAT_SHARE * records / steps_of_theorem(records, kappa, c1) >= 2.0 * slack

    return smallest_records(holds)


def smallest_records_for_batch(
    problem: LinearProblem, alpha: float | Callable[[float], float], c1: float = 1.0
) -> float:  # fmt: skip
    """Least N at which Lemma 3.11's condition on b holds, at Theorem 3.7's step, T = c1 kappa log N and s = b/10.

    Args:
        problem: the regression; its own N is not used.
        alpha: noise multiplier, or a function of N.
        c1: constant of T.
    """

    def holds(records: float) -> bool:
        at = replace(problem, records=records)
        setting = Setting.of(at, steps_of_theorem(records, problem.kappa, c1), _at(alpha, records))
        return setting.batch >= batch_condition(setting)

    return smallest_records(holds)


def bias_last(problem: LinearProblem, eta: float, steps: float) -> float:
    """Noiseless risk of w_n: `kappa/2 (1 - eta mu)^n` of the start's (varshney2022 Lemma B.3).

    As printed. At H = I and normal covariates that risk is exactly (1 - eta mu)^n of the start's at Theorem 3.7's step,
    twice the bound.
    """
    require_non_negative(steps=steps)
    return problem.kappa / 2.0 * float(_kept(problem, eta) ** steps) * problem.w_norm_squared / 2.0


def bias_tail(problem: LinearProblem, eta: float, iterates: float, before: float) -> float:
    """Noiseless risk of the mean of n iterates from w_t on: `2 / (eta mu n)^2 (1 - eta mu)^t` of the start's.

    varshney2022 Lemma B.3.
    At n = T/2 and t = 1 it is varshney2022 eq. (57) with 1 - eta mu for e^{-eta mu}.
    """
    require_positive(iterates=iterates)
    require_non_negative(before=before)
    kept = float(_kept(problem, eta) ** before)
    return 2.0 / (eta * problem.mu * iterates) ** 2 * kept * problem.w_norm_squared / 2.0


def inverse_of_step(problem: LinearProblem, eta: float, batch: float, noise: float = 0.0) -> Array:
    """Diagonal of T_b^-1 (Sigma + noise I) for normal covariates, shape (d,) (varshney2022 Lemma B.4).

    `T_b C = HC + CH - eta/b E[x x' C x x'] - eta (b-1)/b HCH`; eta / b times it is the stationary covariance of the
    iterates.

    Args:
        problem: the regression, Sigma = sigma^2 H.
        eta: step size.
        batch: b.
        noise: 4 alpha^2 zeta^2 / b, by which Sigma grows.
    """
    require_positive(eta=eta, batch=batch)
    require_non_negative(noise=noise)
    lam = problem.lam
    own = 2.0 * lam - eta * lam**2 * (batch + 1.0) / batch
    step = np.diag(own) - eta / batch * np.outer(lam, lam)
    return np.asarray(np.linalg.solve(step, problem.sigma**2 * lam + noise), dtype=np.float64)


def variance_last(problem: LinearProblem, eta: float, batch: float, noise: float = 0.0) -> float:
    """Risk of the last iterate from w_0 = w*: `eta / (2b) Tr(H T_b^-1 Sigma)` (varshney2022 Lemma B.4)."""
    return eta / (2.0 * batch) * float(problem.lam @ inverse_of_step(problem, eta, batch, noise))


def variance_tail(problem: LinearProblem, eta: float, batch: float, iterates: float, noise: float = 0.0) -> float:
    """Risk of the mean of n iterates from w_0 = w*: `2 / (n b) Tr(T_b^-1 Sigma)` (varshney2022 Lemma B.4)."""
    require_positive(iterates=iterates)
    return 2.0 / (iterates * batch) * float(inverse_of_step(problem, eta, batch, noise).sum())


def trace_bound(problem: LinearProblem, noise: float = 0.0) -> float:
    """Bound on Tr(T_b^-1 Sigma): 2 Tr(H^-1 Sigma) (varshney2022 Lemma B.4).

    Its condition on eta besides `step_condition` is `second_step_condition`.
    """
    return 2.0 * (problem.sigma**2 * problem.dimension + noise * problem.trace_inverse)


def second_step_condition(problem: LinearProblem, batch: float, noise: float = 0.0) -> float:
    """Largest eta of Lemma B.4's last inequality: `2b Tr(S) / (R_x^2 d |S|)` with S = (H_L + H_R)^-1 Sigma."""
    halves = (problem.sigma**2 + noise / problem.lam) / 2.0
    return 2.0 * batch * float(halves.sum()) / (problem.bound_squared * problem.dimension * float(halves.max()))


def noise_covariance(problem: LinearProblem, batch: float, alpha: float, zeta_squared: float) -> Array:
    """Diagonal of E nu nu' = Sigma / b + 4 alpha^2 / b^2 E[zeta^2] I, shape (d,) (varshney2022 Lemma B.7, eq. 49).

    Eq. (55) leaves out the 4.
    """
    covariance: Array = problem.sigma**2 * problem.lam / batch + 4.0 * alpha**2 / batch**2 * zeta_squared
    return covariance


def equation_57(setting: Setting, start_risk: float) -> float:
    """Bias of the tail average: `8 / (eta mu T)^2 e^{-eta mu}` of the risk of w_{T/2} (varshney2022 eq. 57)."""
    return 8.0 * _start_factor(setting) * start_risk


def equation_59(setting: Setting, zeta_squared: float) -> float:
    """Variance of the tail average: `8 / (T b) (Tr(H^-1 Sigma) + 4 zeta^2 alpha^2 / b Tr H^-1)` (varshney2022 eq. 59).

    With b = 10/11 N/T the first part is 8.8 sigma^2 d / N, which the theorem rounds to 8.
    """
    problem, b = setting.problem, setting.batch
    private = 4.0 * zeta_squared * setting.alpha**2 / b * problem.trace_inverse
    return 8.0 / (setting.steps * b) * (problem.sigma**2 * problem.dimension + private)


def equation_60(setting: Setting, start_risk: float, zeta_squared: float) -> float:
    """Risk of the tail average of the second half, started at w_{T/2} (varshney2022 eq. 60)."""
    return equation_57(setting, start_risk) + equation_59(setting, zeta_squared)


def _start_factor(setting: Setting) -> float:
    """e^{-eta mu} / (eta mu T)^2."""
    rate = setting.eta * setting.problem.mu
    return math.exp(-rate) / (rate * setting.steps) ** 2


def _kept(problem: LinearProblem, eta: float) -> float:
    """1 - eta mu."""
    kept = 1.0 - eta * problem.mu
    if not 0.0 <= kept < 1.0:
        raise ValueError(f"eta={eta} must lie between 0 and 1/mu = {1.0 / problem.mu:.6g}")
    return kept


def _at(alpha: float | Callable[[float], float], records: float) -> float:
    return alpha(records) if callable(alpha) else alpha
