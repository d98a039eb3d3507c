"""Renyi-DP of Gaussian sketches: random sums of all records, with or without Gaussian releases beside them.

A sketch of k rows is `W X + Z`, where W and Z have independent normal entries; its rows are N(0, S) with `S = X'X + s^2
I` (Lev et al. 2025, arXiv 2505.24603, for neighbours that add or remove a record; a removed record is a row of zeros).
Let g be a lower bound on the eigenvalues of S divided by B^2, where |x| <= B for all records, and t = 1 / g.

**One row.** Let N(0, S) and N(0, S') be the laws on neighbours, where the bound holds for S, and let d be the
eigenvalues of `S^(-1/2) S' S^(-1/2) - I`. For all orders a > 1 with 1 + a d > 0 the Renyi divergence of N(0, S) from
N(0, S') is

    sum over d of h(d), h(d) = (a log(1 + d) - log(1 + a d)) / (2 (a - 1)).

h is 0 at 0, falls below and rises above, because h' has the sign of 1 / (1 + d) - 1 / (1 + a d).

- Add or remove x: d is one number, x'S^(-1)x <= t with x added, minus as much with x removed. As h(-t) >= h(t), the
  divergence is at most h(-t). That covers both orders of the neighbours, because the bound holds for the data set from
  which the row was drawn.
- Replace x by z: `S' - S = zz' - xx'` has one eigenvalue on either side of 0, and neither is further from 0 than the
  eigenvalue of zz' or xx' alone (Weyl). So both d lie within [-t, t], and the divergence is at most h(-t) + h(t).
  Records x and z along two axes, at length B, attain it where S is g B^2 I: no smaller bound suffices.

**The bound g** may come from an earlier release, and fail with a probability `miss`. The runs in which it holds are an
event of the earlier releases. Within the event all later releases have these divergences; the other runs add `miss` to
delta. The conversion from divergences to (epsilon, delta) bounds densities point by point, so that it also holds for an
event. Only the data set of the run must meet the bound, and that may be either of the neighbours.

Divergences of adaptive releases add up; Gaussian releases contribute rho a. Epsilon is the minimum over orders of

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

# Number of orders on a grid, and number of grids. Every order gives a bound, so that the search for the best one only
# affects tightness. After the first grid, each grid refines the one before around its best order.
_TRIED, _REFINED = 65, 8


def row_divergence(order: Array, ratio: float, relation: Relation) -> Array:
    """Largest Renyi divergence between the laws of a row on neighbours, per order; infinite for orders of g and more.

    Args:
        order: a, above 1, shape (orders,).
        ratio: g, above 1.
        relation: neighbouring relation.

    Raises:
        ValueError: if the relation is not a known one.
    """
    require_known(Relation, relation=relation)
    reached, t = order >= ratio, 1.0 / ratio
    a = np.where(reached, 0.5 * (1.0 + ratio), order)
    total = a * math.log1p(-t) - np.log1p(-a * t)
    if relation == "replace-one":
        total = total + a * math.log1p(t) - np.log1p(a * t)
    # Because rounding at orders close to 1 may leave a negative value.
    return np.where(reached, math.inf, np.maximum(total, 0.0) / (2.0 * (a - 1.0)))


def epsilon(event: Mechanism, delta: float) -> float:
    """Proved epsilon at delta of sketches and the Gaussian releases beside them; infinite where the noise is too small.

    Raises:
        ValueError: if delta is not in (0, 1).
    """
    zcdp.require_delta(delta)
    sketches = [
        sketch
        for sketch in event.releases
        if isinstance(sketch, SketchReleases) and sketch.count and sketch.sensitivity > 0.0
    ]
    rho = added(release.rho for release in event.releases if isinstance(release, GaussianReleases))
    left = delta - math.fsum(sketch.miss for sketch in sketches)
    ratios = [(sketch.noise_sd / sketch.sensitivity) ** 2 for sketch in sketches]
    if math.isinf(rho) or left <= 0.0 or min(ratios, default=math.inf) <= 1.0:
        return math.inf

    def at(log_above: Array) -> Array:
        above = np.exp(log_above)
        parts = [
            sketch.count * sketch.rows * row_divergence(1.0 + above, ratio, event.relation)
            for sketch, ratio in zip(sketches, ratios, strict=True)
        ]
        spent = rho * (1.0 + above) + sum(parts, np.zeros_like(above))
        return np.asarray(spent - (math.log(left) + np.log1p(above)) / above - np.log1p(1.0 / above))

    low, high = math.log(1e-9), math.log(min(1.0 / left, *ratios, 1e12))
    best = math.inf
    for _ in range(_REFINED):
        tried = np.linspace(low, high, _TRIED)
        bounds = at(tried)
        k = int(np.argmin(bounds))
        best = min(best, float(bounds[k]))
        low, high = float(tried[max(k - 1, 0)]), float(tried[min(k + 1, _TRIED - 1)])
    return max(0.0, best)
