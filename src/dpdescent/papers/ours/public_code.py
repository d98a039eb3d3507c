"""What two public codes of methods of the contest do with their budgets, at the settings that they come with.

They were read in November 2026 as published, and not run; their releases are imitated from what they say. The contest
calibrates both methods by our accountants, from their papers.
"""

import math

import numpy as np
from numpy.typing import NDArray

from dpdescent.privacy import zcdp
from dpdescent.privacy.accounting import tight_epsilon, tight_rho

Array = NDArray[np.float64]

# Names of the findings.
TUKEY, TUKEY_DRAW, BOOSTED = "tukey-em-code", "tukey-em-draw", "boosted-adassp-code"
TUKEY_PLACE = "google-research/google-research, dp_regression/tukey.py at 4c42994"
BOOSTED_PLACE = "shuaitang/BoostedAdaSSP, BoostedAdaSSP.py at 3a7198b"
TUKEY_EPS, TUKEY_DELTA = math.log(3.0), 1e-5
BOOSTED_EPS, BOOSTED_DELTA, ROUNDS = 1.0, 1e-6, 100
# Least number of models in the script of TukeyEM, and how many times wider one of their gaps is than others.
MODELS, WIDE = 1000, 100.0


def tukey_check() -> tuple[float, float]:
    """Scale of the Laplace noise on the distance, and the threshold: the scale is half of epsilon, not two over it."""
    share = TUKEY_EPS / 2.0
    return share, math.log(1.0 / (2.0 * TUKEY_DELTA)) / share


def tukey_draw(gaps: Array, off: int = 1) -> Array:
    """Law of the drawn point over the gaps between an even number of models in one dimension, shape of `gaps`.

    A depth has the weight `e^(c depth)` times the width of its two gaps, c being half of epsilon, and a point is drawn
    uniformly from the gaps that are `off` deeper: weights are made of models without t - 1 on either side, and the
    point of models without t.
    """
    half = (len(gaps) + 1) // 2
    depths = np.arange(half // 2, half + 1)
    widths = gaps[depths - 1] + gaps[-depths]
    # The deepest gap is one.
    widths[-1] = gaps[half - 1]
    weights = np.exp(TUKEY_EPS / 2.0 * (depths - half)) * widths
    left, right, law = depths - 1 + off, len(gaps) - depths - off, np.zeros(len(gaps))
    for here, there in ((left, right), (right, left)):
        np.add.at(law, here, weights * gaps[here] / (gaps[here] + gaps[there]))
    return np.asarray(law / law.sum())


def tukey_gaps() -> tuple[Array, Array]:
    """Gaps between models of two sets, the lowest of the first being the highest of the second, all but one alike."""
    first = np.ones(MODELS - 1)
    first[MODELS // 2 - 4] = WIDE
    return first, np.append(first[1:], 1.0)


def tukey_draw_epsilon(off: int = 1) -> float:
    """Epsilon at delta that a draw attains on these sets, by the gap on which their laws differ most."""
    laws = [tukey_draw(gaps, off) for gaps in tukey_gaps()]
    shared = laws[0][1:], laws[1][:-1]
    ratios = [
        np.max((p[told] - TUKEY_DELTA) / q[told]) for p, q in (shared, shared[::-1]) for told in [p > TUKEY_DELTA]
    ]
    return float(np.log(max(ratios)))


def boosted_multiplier() -> float:
    """Sd of each release's noise over its sensitivity: the mu of the budget."""
    return zcdp.gaussian_dp_mu(tight_rho(BOOSTED_EPS, BOOSTED_DELTA))


def boosted_needed() -> float:
    """The multiplier at which X'X, the eigenvalue and all rounds together have the budget."""
    return math.sqrt(ROUNDS + 2) / boosted_multiplier()


def boosted_epsilon() -> float:
    """Epsilon of all releases of the published code together, at the delta that it states."""
    # k releases whose sds are m sensitivities cost k / (2 m^2) together.
    return tight_epsilon((ROUNDS + 2) / (2.0 * boosted_multiplier() ** 2), BOOSTED_DELTA)
