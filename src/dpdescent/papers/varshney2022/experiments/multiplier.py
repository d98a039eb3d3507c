"""Noise multipliers for a given epsilon by five accountants, and of DP-SSGD with shuffling."""

import math
from collections.abc import Iterator
from itertools import product

from dpdescent.checks import as_list
from dpdescent.papers.varshney2022.design import Row, Spec
from dpdescent.papers.varshney2022.theory import privacy
from dpdescent.privacy import shuffling
from dpdescent.privacy.accounting import tight_epsilon

# Accountants in falling order of noise, and the zCDP cost of their noise in units of 1 / alpha^2: 1 where a record may
# be in the statistic and in the gradient of its iteration, 1/2 where it is in one of them.
ACCOUNTANTS = {
    "as published (Theorem 3.6, last form)": (privacy.published_multiplier, 1.0),
    "Theorem 3.6, first form": (privacy.theorem_multiplier, 1.0),
    "zCDP": (privacy.zcdp_multiplier, 1.0),
    "zCDP, disjoint": (privacy.disjoint_multiplier, 0.5),
    "Gaussian DP, disjoint": (privacy.gaussian_multiplier, 0.5),
}
SHUFFLED, THEOREM = "DP-SSGD, shuffled (explicit bound)", "Theorem 3.1, constant 1"


def run(spec: Spec) -> Iterator[Row]:
    """Yields a row for each accountant, epsilon and delta, and with shuffling for each N."""
    if spec["trials"][0] > 0:
        return
    for eps, delta in product(as_list(spec["cell"]["eps"]), as_list(spec["cell"]["delta"])):
        base = {"eps": eps, "delta": delta, "trial": 0}
        for series, (multiplier, cost) in ACCOUNTANTS.items():
            # Left out, because the last form of Theorem 3.6 needs eps <= log(1/delta).
            if multiplier is privacy.published_multiplier and eps > math.log(1.0 / delta):
                continue
            alpha = multiplier(eps, delta)
            yield {**base, "series": series, "value": alpha, "eps_tight": tight_epsilon(cost / alpha**2, delta)}
        for N in as_list(spec["arms"]["N"]):
            found = {
                SHUFFLED: shuffling.noise_multiplier(eps, N, delta), THEOREM: privacy.theorem_3_1(eps, delta, N)
            }  # fmt: skip
            for series, alpha in found.items():
                tight = shuffling.epsilon(alpha, N, delta)
                yield {**base, "N": N, "series": series, "value": alpha, "eps_tight": tight}
