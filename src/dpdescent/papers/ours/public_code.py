"""What two public codes of methods of the contest do with their budgets, at the settings that they come with.

They were read in November 2026 as published, and not run; their releases are imitated from what they say. The contest
calibrates both methods by our accountants, from their papers.
"""

import math

from dpdescent.privacy import zcdp
from dpdescent.privacy.accounting import tight_epsilon, tight_rho

# Names of the findings.
TUKEY, BOOSTED = "tukey-em-code", "boosted-adassp-code"
TUKEY_PLACE = "google-research/google-research, dp_regression/tukey.py at 4c42994"
BOOSTED_PLACE = "shuaitang/BoostedAdaSSP, BoostedAdaSSP.py at 3a7198b"
TUKEY_EPS, TUKEY_DELTA = math.log(3.0), 1e-5
BOOSTED_EPS, BOOSTED_DELTA, ROUNDS = 1.0, 1e-6, 100


def tukey_check() -> tuple[float, float]:
    """Scale of the Laplace noise on the distance, and the threshold: the scale is half of epsilon, not two over it."""
    share = TUKEY_EPS / 2.0
    return share, math.log(1.0 / (2.0 * TUKEY_DELTA)) / share


def boosted_multiplier() -> float:
    """Sd of each release's noise over its sensitivity: the mu of the budget."""
    return zcdp.gaussian_dp_mu(tight_rho(BOOSTED_EPS, BOOSTED_DELTA))


def boosted_needed() -> float:
    """The multiplier at which X'X, the eigenvalue and all rounds together have the budget."""
    return math.sqrt(ROUNDS + 2) / boosted_multiplier()


def boosted_mu() -> float:
    """Gaussian-DP parameter of all releases of the published code together."""
    return math.sqrt(ROUNDS + 2) / boosted_multiplier()


def boosted_epsilon() -> float:
    """Epsilon of all releases of the published code together, at the delta that it states."""
    return tight_epsilon(boosted_mu() ** 2 / 2.0, BOOSTED_DELTA)
