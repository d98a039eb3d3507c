"""Bounds of the approach over FriendlyCore: private moments, then two-stage least squares (liang2025 App. F.2)."""

import math

from dpdescent.checks import require_positive
from dpdescent.papers.liang2025.theory.error_bounds import BoundTerms, sampling_root
from dpdescent.papers.liang2025.theory.prescriptions import IVProblem


def lipschitz(lambda_0: float, gram_lipschitz: float, h_lipschitz: float, h_norm: float) -> float:
    """Returns the Lipschitz constant L of the map from moments to beta_hat (liang2025 Lemma F.2).

    `C_h/lambda0 + C_G C_h/lambda0^2`, where the paper writes C_h both for the Lipschitz constant of h (first term) and
    for the bound on ||h|| (second term).
    """
    require_positive(lambda_0=lambda_0)
    return h_lipschitz / lambda_0 + gram_lipschitz * h_norm / lambda_0**2


def terms(problem: IVProblem, rho: float, lipschitz: float) -> BoundTerms:
    """Returns the order of ||beta_FC - beta|| (liang2025 App. F.2).

    `L (q^2 + q sqrt tau)/(n sqrt rho)` plus the sampling term of eq. (7). The latter is used as printed, although
    Lemma D.7, to which the paper refers for it, has a smaller one.
    """
    require_positive(rho=rho)
    privacy = lipschitz * (problem.q**2 + problem.q * math.sqrt(problem.tau)) / (problem.n * math.sqrt(rho))
    return BoundTerms(0.0, privacy, sampling_root(problem) / math.sqrt(problem.n))
