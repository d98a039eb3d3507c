"""Renyi-DP of Gaussian sketches: random sums of all records, with or without Gaussian releases beside them.

A sketch of k rows is `W X + Z`, W and Z of independent normals; its rows are N(0, S) with `S = X'X + s^2 I` (Lev et al.
2025, arXiv 2505.24603, who take neighbours that add or remove a record; a removed record is a row of zeros). Let g be a
lower bound of S's eigenvalues over B^2, with |x| <= B for all records, and t = 1 / g.

**One row.** Let N(0, S) and N(0, S') be the laws on neighbours, the bound being that of S, and d the eigenvalues of
`S^(-1/2) S' S^(-1/2) - I`. For all orders a > 1 with 1 + a d > 0 the Renyi divergence from N(0, S') of N(0, S) is

    sum over d of h(d), h(d) = (a log(1 + d) - log(1 + a d)) / (2 (a - 1)).

h is 0 at 0, falls below and rises above, because h' has the sign of 1 / (1 + d) - 1 / (1 + a d).

- Add or remove x: d is one number, x'S^(-1)x <= t with x added, minus as much with x removed. As h(-t) >= h(t), the
  divergence is at most h(-t): both orders of the neighbours have the bound of the one that a row was drawn from.
- Replace x by z: `S' - S = zz' - xx'` has one eigenvalue on either side of 0, and neither is further from it than that
  of zz' or xx' alone (Weyl), so that d are two numbers within [-t, t]: at most h(-t) + h(t). It is attained by x and z
  along two axes, at length B, where S is g B^2 I: nothing less suffices.

**The bound g** may come from an earlier release, and fail with a probability `miss`. The runs in which it holds are an
event of the earlier releases; within it all that follows has these divergences, and the rest adds `miss` to delta. The
conversion from divergences to (epsilon, delta) bounds densities point by point, so that it serves an event too. Only
the data set that a run was made from must meet the bound, and either of the neighbours is one.

Divergences of adaptive releases add; Gaussian ones have rho a. Epsilon is the least over orders of

    D(a) + log(1 - 1 / a) - log(a delta) / (a - 1)          (Canonne, Kamath and Steinke 2020, Prop. 12).
"""

import math

import numpy as np
from numpy.typing import NDArray

from dpdescent.checks import require_known
from dpdescent.privacy import zcdp
from dpdescent.privacy.events import GaussianReleases, Mechanism, Relation, SketchReleases
from dpdescent.sums import added

Array = NDArray[np.float64]

# Orders that are tried: every one gives a bound, so that finding the best is a matter of tightness alone. About the
# best of the first grid a second one is laid, and so on.
_TRIED, _REFINED = 65, 8


def row_divergence(order: Array, ratio: float, relation: Relation) -> Array:
    """Largest Renyi divergence between a row's laws on neighbours, by order; infinite where the order reaches g.

    Args:
        order: a, above 1, shape (orders,).
        ratio: g, above 1.
        relation: neighbouring relation.

    Raises:
        ValueError: if the relation is none of those that there are.
    """
    require_known(Relation, relation=relation)
    reached, t = order >= ratio, 1.0 / ratio
    a = np.where(reached, 0.5 * (1.0 + ratio), order)
    found = a * math.log1p(-t) - np.log1p(-a * t)
    if relation == "replace-one":
        found = found + a * math.log1p(t) - np.log1p(a * t)
    # What is left of rounding at orders next to 1 must not be negative.
    return np.where(reached, math.inf, np.maximum(found, 0.0) / (2.0 * (a - 1.0)))


def epsilon(event: Mechanism, delta: float) -> float:
    """Proved epsilon at delta of sketches and the Gaussian releases beside them; infinite where noise does not suffice.

    Raises:
        ValueError: if delta is not in (0, 1).
    """
    zcdp.require_delta(delta)
    sketches = [
        each for each in event.releases if isinstance(each, SketchReleases) and each.count and each.sensitivity > 0.0
    ]
    rho = added(each.rho for each in event.releases if isinstance(each, GaussianReleases))
    left = delta - math.fsum(each.miss for each in sketches)
    ratios = [(each.noise_sd / each.sensitivity) ** 2 for each in sketches]
    if math.isinf(rho) or left <= 0.0 or min(ratios, default=math.inf) <= 1.0:
        return math.inf

    def at(log_above: Array) -> Array:
        above = np.exp(log_above)
        parts = [
            each.count * each.rows * row_divergence(1.0 + above, ratio, event.relation)
            for each, ratio in zip(sketches, ratios, strict=True)
        ]
        spent = rho * (1.0 + above) + sum(parts, np.zeros_like(above))
        return np.asarray(spent - (math.log(left) + np.log1p(above)) / above - np.log1p(1.0 / above))

    low, high = math.log(1e-9), math.log(min(1.0 / left, *ratios, 1e12))
    best = math.inf
    for _ in range(_REFINED):
        tried = np.linspace(low, high, _TRIED)
        found = at(tried)
        k = int(np.argmin(found))
        best = min(best, float(found[k]))
        low, high = float(tried[max(k - 1, 0)]), float(tried[min(k + 1, _TRIED - 1)])
    return max(0.0, best)
