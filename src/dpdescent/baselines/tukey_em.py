"""TukeyEM: least squares on disjoint parts, and a private deep point among them (Amin et al. 2023, arXiv 2208.07353).

The records are split at random into m parts, each part gives a model by least squares, and a point of large depth among
the m models is drawn. The depth of a point is the minimum, over coordinates, of two numbers: that of the models at or
below it, and that of the models at or above it. So the points of depth i or more are a box, from the i-th smallest to
the i-th largest model in every coordinate. V_i is its volume. Nothing needs to be known beforehand: no bound,
threshold, unit or step size.

1. *Check.* A noisy distance to the nearest data for which step 2 would reveal too much must exceed a threshold;
   otherwise the result is 0, which is post-processing of the failure and counts like any other estimate.
2. *Draw.* The density `e^(c depth)` on the box of depth t = m // 4, by the exponential mechanism. It is a mixture of
   uniform laws on the boxes i >= t with weights `a_i V_i`, `a_t = e^(ct)` and `a_i = e^(ci) - e^(c(i-1))` beyond.

**Guarantee** under replace-one, for every data set. n and m are public, and the split is independent of the records,
hence the same for neighbours. One replaced record replaces one model of m. Each of the counts loses one at most and
gains one at most, so that a depth moves by 1 at most, in either direction: a replaced model lets it rise in one place
and fall in another, while an added model only lets it rise. Therefore, for neighbours x and x':

- `V_(i+1)(x') <= V_i(x) <= V_(i-1)(x')`. With k replaced models, V_i moves between V_(i+k) and V_(i-k).
- Let f be the density of x before it is divided by its integral Z, and A = {depth >= t}. On both boxes, `f <= e^c f'`.
  Off A, A' holds points of depth t - 1 alone: `Z' <= e^c Z + e^(ct) (V_(t-1) - V_t)`. Off A', A holds points of depth t
  alone, with `e^(ct) (V_t - V_(t+1)) / Z` of the probability. Together, for every set S,
  `P(S) <= e^(2c) P'(S) + q(x)` with `q = e^(c(t+1)) V_(t-1) / Z`.
- Z rises with every V_i. So q is at most q_k, made of `V_(t-1-k)` and of V_(i+k) for all i >= t, on every data set with
  k replaced models or fewer. The distance K is the largest k with `q_k <= delta`, and -1 if q itself is larger; it
  moves by 1 at most, because `q_k(x') <= q_(k+1)(x)`.
- The check passes where K plus Laplace noise of scale 1 / e exceeds `log(1/(2 delta)) / e - 1`. Passing and failing
  cost e. At K >= 0 check and draw cost e + 2c and delta. At K = -1 the check passes with probability delta, whatever is
  drawn then, and failing costs e. A data set is in one of the two cases, so that delta is spent once.

Thus (e + 2c, delta), with e = epsilon / 2 as published and c = epsilon / 4. The 2 of 2c is attained in one dimension
(`attacks.tukey_em`). The authors' density has c = epsilon / 2, which is right where a neighbour has one model more or
fewer, because no depth rises then where another falls; under replace-one it costs up to 1.5 epsilon in all.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from dpdescent.checks import require_positive_finite, require_whole
from dpdescent.data.linear import LinearSample
from dpdescent.gate import plain_fields
from dpdescent.privacy import zcdp
from dpdescent.privacy.events import EpsilonDeltaRelease, Mechanism

Array = NDArray[np.float64]

PROVED = (
    "a replaced record replaces one of m models and moves a depth by 1 up or down: the check's distance moves by 1 and "
    "its Laplace noise costs epsilon / 2, the density e^(c depth) costs 2 c = epsilon / 2; delta covers either a draw "
    "near its box's edge or a check that passes in error, never both"
)
# Smallest number of models, so that a depth remains below t; largest coefficient, so that differences are numbers.
FEWEST, LARGEST = 8, 1e100
# Number of models in the authors' comparisons of data sets; number of candidates of the public rule; and share of
# failing checks by its prediction.
AUTHORS, TRIED, FAILS = 1000, 100, 0.01


@dataclass(frozen=True)
class Settings:
    """Public settings of a fit.

    Attributes:
        models: m, the number of parts.
        eps, delta: the budget under replace-one, all of which is spent.

    Raises:
        ValueError: if there are fewer than `FEWEST` models, eps is not positive and finite or delta not in (0, 1).
    """

    models: int
    eps: float
    delta: float

    def __post_init__(self) -> None:
        plain_fields(self)
        require_whole(models=self.models)
        require_positive_finite(eps=self.eps)
        zcdp.require_delta(self.delta)
        if self.models < FEWEST:
            raise ValueError(f"models={self.models} must be at least {FEWEST}: a depth needs models on both sides")

    @property
    def check_eps(self) -> float:
        """The check's part of epsilon, the published half; the draw has the other half."""
        return 0.5 * self.eps

    @property
    def weight(self) -> float:
        """The coefficient c of the depth: a replaced model changes the density by e^c, and its integral by e^c."""
        return 0.5 * (self.eps - self.check_eps)

    @property
    def least_depth(self) -> int:
        """Depth t of the box that contains all points that may be drawn."""
        return self.models // 4

    @property
    def threshold(self) -> float:
        """The threshold of the noisy distance, which exceeds it at K = -1 with a probability of at most delta."""
        return max(math.log(0.5 / self.delta), 0.0) / self.check_eps - 1.0

    def mechanism(self) -> Mechanism:
        """Returns the privacy event of a fit."""
        release = EpsilonDeltaRelease("check of depths and a draw by depth", self.eps, self.delta)
        return Mechanism("TukeyEM", (release,), "replace-one", "full batch", math.inf, "proved", PROVED)


def fit(sample: LinearSample, settings: Settings, rng: np.random.Generator) -> Array:
    """Returns a model of large depth, shape (p,), or zeros if the check fails.

    Raises:
        ValueError: if there are fewer records than models.
    """
    return deep_point(part_models(sample, settings.models, rng), settings, rng)


def deep_point(models: Array, settings: Settings, rng: np.random.Generator) -> Array:
    """Check and draw among finite models, shape (m, p); returns zeros, shape (p,), if the check fails."""
    ordered = np.sort(models, axis=0)
    volumes = log_volumes(ordered)
    if not distance(volumes, settings) + rng.laplace(scale=1.0 / settings.check_eps) > settings.threshold:
        return np.zeros(models.shape[1])
    weights = log_weights(volumes, settings)
    if not weights.max() > -math.inf:
        # A box without volume passes only by an error of the check, which delta covers.
        return np.zeros(models.shape[1])
    depth = settings.least_depth + int((weights + rng.gumbel(size=len(weights))).argmax())
    low, high = ordered[depth - 1], ordered[-depth]
    return np.asarray(low + rng.random(models.shape[1]) * (high - low))


def part_models(sample: LinearSample, m: int, rng: np.random.Generator) -> Array:
    """Least squares on m random disjoint parts with sizes as equal as possible, shape (m, p), finite.

    Among several solutions the one with the smallest norm is taken, after the columns of a part are scaled to a largest
    entry of 1, so that units do not matter. A coefficient that is too large for a float becomes 0, and one beyond
    `LARGEST` is clipped, so that any part gives a model, whatever its records are.

    Raises:
        ValueError: if there are fewer records than models.
    """
    n = sample.n
    if n < m:
        raise ValueError(f"n={n} records do not make models={m} parts: take n // (p + 2) models or fewer")
    size, longer = divmod(n, m)
    order = rng.permutation(n)
    cut = longer * (size + 1)
    groups = order[:cut].reshape(longer, size + 1), order[cut:].reshape(m - longer, size)
    models = np.concatenate([_least_squares(sample.X[rows], sample.y[rows]) for rows in groups])
    return np.clip(np.where(np.isfinite(models), models, 0.0), -LARGEST, LARGEST)


def _least_squares(X: Array, y: Array) -> Array:
    """Least squares of every part, from shapes (parts, size, p) and (parts, size), shape (parts, p)."""
    units = np.abs(X).max(axis=1)
    units[units == 0.0] = 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray((np.linalg.pinv(X / units[:, None]) @ y[..., None])[..., 0] / units)


def log_volumes(ordered: Array) -> Array:
    """Logarithms of V_1, V_2, ..., V_(m // 2), from models in rising order in every coordinate, shape (m, p)."""
    half = len(ordered) // 2
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(ordered[::-1][:half] - ordered[:half]).sum(axis=1))


def log_weights(volumes: Array, settings: Settings) -> Array:
    """Logarithms of `a_i V_i` for the boxes i = t, ..., m // 2, up to the common factor e^(ct)."""
    c, kept = settings.weight, volumes[settings.least_depth - 1 :]
    more = c * np.arange(len(kept)) + math.log(-math.expm1(-c))
    more[0] = 0.0
    return np.asarray(kept + more)


def distance(volumes: Array, settings: Settings) -> int:
    """Distance K of the check: a lower bound that one replaced model moves by 1 at most, and -1 where q > delta."""
    c, t = settings.weight, settings.least_depth
    k = np.arange(t - 1)
    # Logarithms of the sums of e^(ci) V_i over i > j, at index j.
    rising = volumes + c * np.arange(1, len(volumes) + 1)
    tails = np.append(np.logaddexp.accumulate(rising[::-1])[::-1], -np.inf)
    total = np.logaddexp(volumes[t + k - 1], math.log(-math.expm1(-c)) - c * (t + k) + tails[t + k])
    with np.errstate(invalid="ignore"):
        # NaN where both volumes are 0, which counts as no pass.
        passes = c + volumes[t - 2 - k] - total <= math.log(settings.delta)
    return int(np.append(passes, False).argmin()) - 1


@lru_cache(1024)
def public_models(n: int, p: int, eps: float, delta: float) -> int:
    """Returns m by a fixed rule of public numbers: the smallest expected error among those whose check will pass.

    The authors compare data sets at m = `AUTHORS` and sweep to 2000, which passes at their budget for about ten
    coefficients; other budgets and sizes need another m. Here coefficients are assumed to be independent and to have
    the law that normal covariates and errors give, Student's t with nu = size - p + 1 degrees of freedom, divided by
    sqrt(nu). Units cancel in q, so that the distance is known beforehand. With f the density in the middle, about
    `sqrt((2 nu - 1) / (4 pi))`, a drawn coordinate has a squared error of about `(1 / (4 m) + p (p + 1) / (3 (c m)^2))
    / f^2`: the error of the median of m, plus that of the draw, whose depth lies about Gamma(p, c) below the deepest.
    If no number will pass, the largest is returned: n // (p + 2).
    """
    most = max(n // (p + 2), FEWEST)
    best, least = most, math.inf
    for m in np.unique(np.geomspace(FEWEST, most, TRIED).round().astype(int)).tolist():
        settings, freedom = Settings(m, eps, delta), max(n // m - p + 1, 1)
        depths = (np.arange(1, m // 2 + 1) - 0.375) / (m + 0.25)
        reached = distance(p * np.log(-stdtrit(freedom, depths)), settings)
        error = (0.25 / m + p * (p + 1) / (3.0 * (settings.weight * m) ** 2)) / (2.0 * freedom - 1.0)
        if reached >= settings.threshold + math.log(0.5 / FAILS) / settings.check_eps and error < least:
            best, least = m, error
    return best
