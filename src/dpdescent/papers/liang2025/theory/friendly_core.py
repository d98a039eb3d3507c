"""Bounds of the approach over FriendlyCore: private moments, then two-stage least squares (liang2025 App. F.2)."""

import math

from dpdescent.checks import require_positive
from dpdescent.papers.liang2025.theory.error_bounds import BoundTerms, sampling_root
from dpdescent.papers.liang2025.theory.prescriptions import IVProblem


def dimension(problem: IVProblem) -> int:
    """Returns d, the number of moments that FriendlyCore would average, `q^2 + pq + q` (liang2025 App. F.2)."""
    return problem.q**2 + problem.p * problem.q + problem.q


def diameter(problem: IVProblem, *, constant: float = 1.0) -> float:
    """Returns r, the effective diameter of a record's moments, of order `sqrt d + sqrt tau` (liang2025 App. F.2)."""
    return constant * (math.sqrt(dimension(problem)) + math.sqrt(problem.tau))


def moment_error(problem: IVProblem, rho: float, *, constant: float = 1.0) -> float:
    """Returns the order of the error of the averaged moments, `(r/n) sqrt(d/rho)` (liang2025 App. F.2)."""
    require_positive(rho=rho)
    root = math.sqrt(dimension(problem) / rho)
    return constant * diameter(problem) / problem.n * root


def lipschitz(lambda_0: float, gram_lipschitz: float, h_lipschitz: float, h_norm: float) -> float:
    """Returns the Lipschitz constant L of the map from moments to beta_hat (liang2025 Lemma F.2).

    `C_h/lambda0 + C_G C_h/lambda0^2`, where the paper writes C_h both for the Lipschitz constant of h (first term) and
    for the bound on ||h|| (second term).
    """
    require_positive(lambda_0=lambda_0)
    return h_lipschitz / lambda_0 + gram_lipschitz * h_norm / lambda_0**2


def terms(
    problem: IVProblem, rho: float, lipschitz: float, *, privacy_constant: float = 1.0, sampling_constant: float = 1.0
) -> BoundTerms:
    """Returns the order of ||beta_FC - beta|| (liang2025 App. F.2).

    `L (q^2 + q sqrt tau)/(n sqrt rho)` plus the sampling term of eq. (7). The latter is used as printed, although
    Lemma D.7, to which the paper refers for it, has a smaller one.
    """
    require_positive(rho=rho)
    privacy = lipschitz * (problem.q**2 + problem.q * math.sqrt(problem.tau)) / (problem.n * math.sqrt(rho))
    sampling = sampling_root(problem) / math.sqrt(problem.n)
    return BoundTerms(optimisation=0.0, privacy=privacy_constant * privacy, sampling=sampling_constant * sampling)
