"""What varshney2022 says of orders, exactly: probabilities, norms and conditions that its claims are held against.

Nothing here is random. `experiments.ext_orders` tabulates it along each quantity on which an order depends.
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.special import log_ndtr

from dpdescent.checks import require_positive, require_probability
from dpdescent.papers.varshney2022.design import Design, true_w
from dpdescent.papers.varshney2022.theory import ambssgd, privacy, ssgd
from dpdescent.papers.varshney2022.theory.ambssgd import Setting
from dpdescent.papers.varshney2022.theory.explicit import Law, cross_term
from dpdescent.papers.varshney2022.theory.moments import LinearProblem

# Spectra with a condition number: geometric, and all eigenvalues at |H| but one, where the paper's
# R_x^2 <= d |H| and Tr H <= d |H| lose least.
GEOMETRIC, ONE_SMALL = "geometric", "all but one at |H|"


def problem_of(d: int, kappa: float, sigma: float, records: float, spectrum: str = GEOMETRIC) -> LinearProblem:
    """Returns the regression of a dimension and spectrum with |w*|_H = 1.

    Raises:
        ValueError: if there is no such spectrum.
    """
    if spectrum not in (GEOMETRIC, ONE_SMALL):
        raise ValueError(f"spectrum={spectrum!r} is none of {[GEOMETRIC, ONE_SMALL]}")
    if spectrum == GEOMETRIC:
        design = Design.of(d, kappa, 1.0)
        return LinearProblem(design.lam, design.w_star, sigma, records)
    lam = np.append(np.ones(d - 1), 1.0 / kappa)
    return LinearProblem(lam, true_w(lam, 1.0), sigma, records)


def records_of_start(problem: LinearProblem, delta: float, eps: float | None) -> float:
    """Least N at which Theorem 3.2's step forgets its start, at an eps or at 1/sqrt(N); alpha with the constant 1."""

    def alpha(records: float) -> float:
        return privacy.theorem_3_1(records**-0.5 if eps is None else eps, delta, records)

    return ssgd.smallest_records_for_start(problem, alpha)


def cross_over_leading(problem: LinearProblem, c1: float) -> float:
    """What Lemma 3.11 has without privacy and start, over `8 Tr(H^-1 Sigma) / (T b)`, its leading term."""
    setting = Setting.of(problem, ambssgd.steps_of_theorem(problem.records, problem.kappa, c1), 0.0)
    leading = 8.0 * problem.sigma**2 * problem.dimension / (setting.steps * setting.batch)
    return 1.0 + cross_term(setting) / leading


def slowest_contraction(problem: LinearProblem, alpha: float, c1: float, share: float) -> tuple[float, float]:
    """Largest E |w_{t+1} - w*|_H^2 over E |w_t - w*|_H^2 without labels' noise at a share of Lemma 3.11's least b.

    The thresholds are the largest that the lemma allows. Returns it with `1 - eta mu / 2`, by which (47) bounds it.
    """
    silent = replace(problem, sigma=0.0)
    least = Setting.of(silent, ambssgd.steps_of_theorem(silent.records, silent.kappa, c1), alpha)
    batch = max(1.0, share * ambssgd.batch_condition(least))
    eta = ambssgd.theorem_step(silent.lam, batch, silent.fourth)
    law = Law.of(replace(least, batch=batch, eta=eta, width=0.0))
    ratios = law.distances_squared[1:] / law.distances_squared[:-1]
    return float(ratios.max()), 1.0 - eta * silent.mu / 2.0


def count_failure(levels: float, beta: float, natural: bool) -> float:
    """P(one of L noises of sd alpha sqrt(L) exceeds Gamma) over beta, for Gamma with natural or binary logarithms.

    Residuals for which every count is just below s - Gamma have this probability of failing Lemma 3.10's first half.
    """
    require_probability(beta=beta)
    written = levels * (math.log(2.0) if natural else 1.0)
    reach = math.sqrt(2.0 * written * math.log(written / beta) / levels)
    none = levels * math.log1p(-math.exp(float(log_ndtr(-reach))))
    return -math.expm1(none) / beta


def gradient_norm(d: int, dependence: str) -> float:
    """Root mean square of |x <x, w - w*>| for x ~ N(0, I), |w - w*| = 1, by how w depends on x.

    `along x`: w - w* is x over |x|, the largest that it can be; `independent`: as in one pass. `same index twice`: the
    second of two gradients of one record without noise, from w = 0 by the step 1/(2 R_x^2), in units of |w*|.

    Raises:
        ValueError: if it is none of these.
    """
    if dependence == "along x":
        return math.sqrt(d * (d + 2.0))
    if dependence == "independent":
        return math.sqrt(d + 2.0)
    if dependence != "same index twice":
        raise ValueError(f"dependence={dependence!r} is neither 'along x', 'independent' nor 'same index twice'")
    # E |x|^2 <x, u>^2 (1 - eta |x|^2)^2 = sum of E |x|^{2k} / d over powers of |x|^2, since u is any direction.
    eta = 0.5 / (d + 2.0)
    second, third, fourth = (_chi_moment(d, k) / d for k in (2, 3, 4))
    return math.sqrt(second - 2.0 * eta * third + eta**2 * fourth)


def _chi_moment(d: int, k: int) -> float:
    """E |x|^{2k} of x ~ N(0, I_d): d (d + 2) ... (d + 2k - 2)."""
    return float(np.prod([d + 2.0 * j for j in range(k)]))


def clipped_norm(size: float, choose: Callable[[float, float], float]) -> float:
    """Norm of a gradient of a given size, in units of zeta, times `min` or `max` of 1 and zeta over the norm."""
    require_positive(size=size)
    return size * choose(1.0, 1.0 / size)
