"""DP-AMBSSGD by varshney2022: Theorem 3.7's parameters, Lemma 3.11 with all its constants, and its conditions.

Sec. 3.2 and App. B. Noise of sd 2 alpha zeta_t / b is on the mean of b gradients. T, b and s, whole numbers in a run,
are real here. The theorem hides constants and logarithms of the term of privacy; the lemma from which it follows
prints them.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from dpdescent.algorithms.sgd_moments import second_moments, tail_risk
from dpdescent.checks import require_non_negative, require_positive, require_probability
from dpdescent.papers.varshney2022.arms import Choice
from dpdescent.papers.varshney2022.formulas import Array, LinearProblem, smallest_records, theorem_step

# DP-STAT's share of a batch: s = b/10, so that s is 1/11 and b 10/11 of N/T (varshney2022 Thm 3.7).
STAT_SHARE = 1.0 / 11.0
# Exponent of N in Lemma 3.11's Delta, and in Algorithm 2's Delta and Theorem 3.7's beta.
LEMMA_WIDTH_POWER, WIDTH_POWER = 100.0, 200.0


def steps_of_theorem(records: float, kappa: float = 1.0, c1: float = 1.0) -> float:
    """Number of steps T = c1 kappa log N; c1 has no value in the paper (varshney2022 Thm 3.7)."""
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
        """Factor K2^2 R_x^2 log^{4a} N by which zeta_t^2 exceeds a squared residual."""
        problem = self.problem
        return problem.k2**2 * problem.bound_squared * (problem.log_power(4.0 * problem.a) if self.logs else 1.0)

    @property
    def floor(self) -> float:
        """Part sigma^2 + Delta^2 of a squared threshold, which does not fall with the distance."""
        return self.problem.sigma**2 + self.width**2


def setting_of(choice: Choice, logs: bool = True) -> Setting:
    """Returns a run's choice in the form that Lemma 3.11 takes; Delta is the smallest threshold of its DP-STAT."""
    width = float(choice.search.thresholds[0])
    return Setting(choice.problem, choice.T, choice.b, choice.eta, choice.multiplier, width, logs)


def lemma_3_11(setting: Setting) -> float:
    """Bound on the mean risk where nothing is clipped and zeta_t obeys `threshold_bound` (varshney2022 Lemma 3.11).

    Its conditions are `step_condition` and `batch_condition`; they are not checked.
    """
    problem, T, b = setting.problem, setting.steps, setting.batch
    private = setting.alpha**2 * setting.threshold_factor * problem.trace_inverse
    carried = 4.0 * start_factor(setting) + 96.0 * private * problem.kappa / (T * b**2)
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
    """Largest zeta_t that Lemma 3.11 allows: `R_x K2 log^{2a} N (sqrt(kappa) |w_t - w*|_H + sigma + Delta)`."""
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
    """Slack Gamma = alpha sqrt(2 L log(L / beta)) of a count, L = log2(B / Delta) (varshney2022 Lemma 3.10)."""
    require_positive(alpha=alpha, levels=levels)
    require_non_negative(log_inverse_beta=log_inverse_beta)
    return alpha * math.sqrt(2.0 * levels * (math.log(levels) + log_inverse_beta))


def smallest_records_for_batch(problem: LinearProblem, alpha: float, c1: float = 1.0) -> float:
    """Least N at which Lemma 3.11's condition on b holds, at Theorem 3.7's step, T = c1 kappa log N and s = b/10."""

    def holds(records: float) -> bool:
        at = replace(problem, records=records)
        setting = Setting.of(at, steps_of_theorem(records, problem.kappa, c1), alpha)
        return setting.batch >= batch_condition(setting)

    return smallest_records(holds)


def two_terms(setting: Setting) -> float:
    """The two terms of Theorem 3.7 with the constants that Lemma 3.11 gives them.

    `8/(Tb) (Tr(H^-1 Sigma) + 12 alpha^2 / b K2^2 R_x^2 log^{4a} N (sigma^2 + Delta^2) Tr H^-1)`, the lemma's bound but
    for the term with the factor E |w_{T/2} - w*|_H^2, which the theorem takes for smaller (varshney2022 Lemma 3.11).
    """
    problem, b = setting.problem, setting.batch
    private = 12.0 * setting.alpha**2 / b * setting.threshold_factor * setting.floor * problem.trace_inverse
    return 8.0 / (setting.steps * b) * (problem.sigma**2 * problem.dimension + private)


def cross_term(setting: Setting) -> float:
    """Part of Lemma 3.11 that grows with kappa though nothing is private: the labels' noise in w_{T/2}.

    `4 / (eta mu T)^2 e^{-eta mu} 2 eta / (mu b) Tr(H Sigma)`, Sigma = sigma^2 H (varshney2022 Lemma 3.11). Divided by
    8 sigma^2 d / N it is about kappa^2 / (c1 log N) at T = c1 kappa log N where all but one eigenvalue of H are |H|.
    """
    problem, rate = setting.problem, setting.eta * setting.problem.mu
    labels = 2.0 * setting.eta / (problem.mu * setting.batch) * problem.sigma**2 * float(problem.lam @ problem.lam)
    return 4.0 / (rate * setting.steps) ** 2 * math.exp(-rate) * labels


@dataclass(frozen=True)
class Law:
    """Moments without clipping at the largest thresholds that Lemma 3.11 allows.

    The thresholds are `zeta_t = R_x K2 log^{2a} N (sqrt(kappa) |w_t - w*|_H + sigma + Delta)`. Only E zeta_t^2 matters,
    which needs E |w_t - w*|_H besides E |w_t - w*|_H^2. The root of the latter stands for the former, and by Jensen's
    inequality it is no less: the moments are exact but for this, and never below the true ones.

    Attributes:
        distances_squared: E |w_t - w*|_H^2, shape (T + 1,).
        zetas_squared: E zeta_t^2, shape (T,).
        risk: of the mean of the last T/2 iterates.
    """

    distances_squared: Array
    zetas_squared: Array
    risk: float

    @classmethod
    def of(cls, setting: Setting) -> "Law":
        """Returns the law at a setting, with T and b cut down to whole numbers."""
        problem, T, b = setting.problem, int(setting.steps), int(setting.batch)
        common = (problem.lam, -problem.w_star, setting.eta, b, problem.sigma)
        distances, zetas = np.empty(T + 1), np.empty(T)
        v: Array = problem.w_star**2
        distances[0] = problem.w_norm_squared
        with np.errstate(all="ignore"):
            for t in range(T):
                residual = np.sqrt(problem.kappa * distances[t]) + problem.sigma + setting.width
                zetas[t] = setting.threshold_factor * residual**2
                noise = 4.0 * setting.alpha**2 * zetas[t] / b**2
                v = second_moments(problem.lam, np.sqrt(v), setting.eta, b, problem.sigma, noise, 1)[1]
                distances[t + 1] = problem.lam @ v
            risk = tail_risk(*common, 4.0 * setting.alpha**2 * zetas / b**2, T, max(1, T // 2))
        return cls(distances, zetas, risk)


def start_factor(setting: Setting) -> float:
    """Factor e^{-eta mu} / (eta mu T)^2 of the start."""
    rate = setting.eta * setting.problem.mu
    return math.exp(-rate) / (rate * setting.steps) ** 2
