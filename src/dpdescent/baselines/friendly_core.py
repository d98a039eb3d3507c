"""FriendlyCore averaging, and private two-stage least squares based on it (liang2025 Appendix F.2).

The idea is that of Tsfadia, Cohen, Kaplan, Mansour and Stemmer (2022), "FriendlyCore: Practical Differentially Private
Aggregation": keep the points that have more than half of all points as friends (distance at most r), then average the
kept points, which must lie close together, with noise of that scale. **This is our reading.** Only that paper's
abstract and its authors' summary were available, and liang2025 states no constant except the split of the budget. The
constants here follow from the argument below; they have not been compared with the original ones.

The algorithm, with budget `rho = rho_f + rho_a` (10 % and 90 %, liang2025 F.2) and failure probability b of each event:

1. add-remove: n is private; n^ = n + 1 + sqrt(log(1/b) / rho_0) + N(0, 1/(2 rho_0)), rho_0 = 0.1 rho_f and
   rho_v = 0.9 rho_f. replace-one: n is public; n^ = n and rho_v = rho_f.
2. With h = 1/2 (add-remove) or 1 (replace-one) and s^2 = h^2 n^ / (2 rho_v), keep record i if
   #friends_i - n/2 + N(0, s^2) > h + sqrt(2 s^2 log(n^ / b)). Every record is its own friend.
3. m^ = m - 1 - sqrt(log(1/b) / rho_m) + N(0, 1/(2 rho_m)), m the number kept, rho_m = 0.1 rho_a. If m^ <= 0, fail.
4. Release the average of the kept + N(0, noise_sd^2 I), noise_sd = (2r / m^) / sqrt(2 * 0.9 rho_a).

**Guarantee: (rho, delta)-approximate zCDP** (Bun and Steinke 2016, Definition 8.1) of (n^, m^, average) under the
stated relation, with delta = 3b (add-remove) or 2b (replace-one), in exact arithmetic, if r, rho, delta and the map
from a record to its point do not depend on the data. It is not the pure rho-zCDP of which liang2025 F.2 speaks. The
argument, for non-empty data sets D and D' that differ in record k:

- Good events. Step 1: n^ is at least the larger n. Step 2: every kept record other than k has more than n/2 friends in
  D and in D'; k itself, if kept, has more than n/2 (replace-one: at least n/2 + 1) in its own data set. Step 3: m^ is
  at most |C0|, C0 being the kept records other than k. Each fails with probability at most b given earlier steps: the
  Gaussian tail is at most exp(-t^2 / (2 s^2)), and in step 2 at most n^ records could break the rule, each of which is
  h or less above n/2.
- Given the good events, every step is zCDP. Steps 1 and 3: Gaussians with means at most 1 apart, both restricted to one
  half-line; that raises no Renyi divergence, because log P(N(u, s^2) in half-line) is concave in u. Step 2: votes are
  independent, so forbidding some records leaves the votes of the others as they are; the counts of those n - 1 move by
  at most h each, which costs (n - 1) h^2 / (2 s^2) <= rho_v.
- Step 4: two records with more than n/2 friends each have one in common and lie within 2r. So, C0 being equal on both
  sides, adding, dropping or replacing record k moves the average by at most 2r / (|C0| + 1), and m^ <= |C0|. (Replaced:
  x_k and x'_k have n/2 friends each among the n - 1 others, hence a common one.) The vote of k, which is not shared, is
  averaged over: the divergence of two mixtures is at most the largest of their parts.
- So each output law is 1 - delta times one of two laws within rho of each other, plus delta times anything.

Replace-one has its own constants instead of group privacy with a run at rho/4, for two reasons. For *approximate* zCDP,
group privacy through D without record k needs one middle law that serves both steps, which the definition does not
provide. It would also charge the factor 4 to the average, where here only the votes have it.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.special import ndtr

from dpdescent.checks import require_known
from dpdescent.data.iv import Array, IVSample

Relation = Literal["replace-one", "add-remove"]

# Share of a stage's budget for its noisy count; the rest is for its votes or its average.
COUNT_SHARE = 0.1

_BLOCK_FLOATS = 1 << 17  # a block of distances of 1 MB stays in cache


@dataclass(frozen=True)
class FriendlyCoreInfo:
    """Diagnostics of one run. `noisy_n`, `noisy_core_size` and functions of them are released.

    Attributes:
        relation: neighbouring relation of the guarantee.
        rho: zCDP budget.
        delta: failure probability of the guarantee.
        noisy_n: n^ of step 1, in records.
        vote_sd: sd s of the noise on a count of friends, in records.
        vote_threshold: a record is kept if its noisy count of friends exceeds n/2 plus this number, in records.
        core_size: number of records kept; not private, so do not release it.
        noisy_core_size: m^ of step 3, in records.
        noise_sd: sd of the noise on each coordinate of the average, in units of the points; NaN if the run failed.
        failed: whether the core was too small (m^ <= 0), or the moments singular; the result is then NaN.
    """

    relation: Relation
    rho: float
    delta: float
    noisy_n: float
    vote_sd: float
    vote_threshold: float
    core_size: int
    noisy_core_size: float
    noise_sd: float
    failed: bool

    def __post_init__(self) -> None:
        require_known(Relation, relation=self.relation)


def friendly_core_average(
    points: Array,
    rho: float,
    delta: float,
    radius: float,
    rng: np.random.Generator,
    relation: Relation = "replace-one",
    count: Array | None = None,
    filter_share: float = 0.1,
) -> tuple[Array, FriendlyCoreInfo]:
    """Private average of points, most of which lie within `radius` of each other (steps 1 to 4 of the module).

    The module's docstring states and proves the guarantee. It takes O(rows^2 d) time and bounded memory.

    Args:
        points: shape (rows, d), finite.
        rho: zCDP budget, positive.
        delta: failure probability, in (0, 1).
        radius: largest distance r between friends, in units of the points; public.
        rng: generator of all noise.
        relation: neighbouring relation; under `replace-one` the number of records is public.
        count: number of records per row, shape (rows,); None means one each.
        filter_share: share of rho for the choice of the core (liang2025 F.2: 0.1).

    Returns:
        The average, shape (d,), all NaN where `failed`, and diagnostics. A core that is too small is reported and not
        raised as an error, because it is an outcome of the private algorithm.

    Raises:
        ValueError: if an argument is out of range.
    """
    weights = np.ones(points.shape[0]) if count is None else count
    _check(points, weights, rho, delta, radius, relation, filter_share)
    n = int(weights.sum())
    b = delta / (2 if relation == "replace-one" else 3)
    noisy_n, s, threshold = _vote_rule(n, filter_share * rho, b, relation, rng)
    # Votes are drawn with their probability instead of from noisy counts, because only the votes are used.
    votes = ndtr((count_friends(points, radius, weights) - n / 2 - threshold) / s)
    kept = rng.binomial(weights.astype(np.int64), votes)
    m, budget = int(kept.sum()), (1.0 - filter_share) * rho
    noisy_m = _noisy_count(m - 1, COUNT_SHARE * budget, b, -1.0, rng)
    failed = noisy_m <= 0
    noise_sd = np.nan if failed else 2 * radius / noisy_m / np.sqrt(2 * (1 - COUNT_SHARE) * budget)
    info = FriendlyCoreInfo(relation, rho, delta, noisy_n, s, threshold, m, noisy_m, float(noise_sd), failed)
    if failed:
        return np.full(points.shape[1], np.nan), info
    return kept @ points / m + noise_sd * rng.standard_normal(points.shape[1]), info


def count_friends(points: Array, radius: float, weights: Array) -> Array:
    """Number of records within `radius` of each row, itself included, shape (rows,); rows count by their weights.

    It works on blocks of rows. Squared distances come from the Gram identity; distances within rounding error of
    `radius^2` are recomputed from differences, because the result must depend on the two points alone.
    """
    rows, d = points.shape
    squares = np.einsum("ij,ij->i", points, points)
    slack = 4.0 * (d + 4) * float(np.finfo(np.float64).eps)
    friends = np.empty(rows)
    step = max(1, _BLOCK_FLOATS // rows)
    for start in range(0, rows, step):
        block = slice(start, start + step)
        sizes = squares[block, None] + squares
        excess = sizes - 2.0 * (points[block] @ points.T) - radius**2
        near = excess <= 0
        for i in np.flatnonzero((np.abs(excess) <= slack * (sizes + radius**2)).any(axis=1)):
            unsure = np.flatnonzero(np.abs(excess[i]) <= slack * (sizes[i] + radius**2))
            near[i, unsure] = ((points[start + i] - points[unsure]) ** 2).sum(axis=1) <= radius**2
        friends[block] = near @ weights
    return friends


def friendly_core_two_stage_least_squares(
    sample: IVSample,
    rho: float,
    delta: float,
    radius: float,
    rng: np.random.Generator,
    relation: Relation = "replace-one",
    filter_share: float = 0.1,
) -> tuple[Array, FriendlyCoreInfo]:
    """Two-stage least squares `(B'A^-1 B)^-1 B'A^-1 c` from private moments, by post-processing (liang2025 F.2).

    The averaged points are `moment_points(sample)`; A is made symmetric first. The guarantee is that of
    `friendly_core_average`, and it does not cover a centring or scaling of the sample by its own moments.

    Args:
        sample: the data; counts of repeated rows are honoured.
        rho, delta, rng, relation, filter_share: see `friendly_core_average`.
        radius: largest distance between friendly moment points (liang2025: of order sqrt(d) + sqrt(tau)); public.

    Returns:
        beta, shape (p,), all NaN where `failed`, and diagnostics.

    Raises:
        ValueError: if q < p or an argument is out of range.
    """
    q, p = sample.q, sample.p
    if q < p:
        raise ValueError(f"q={q} instruments cannot identify p={p} effects: q >= p is needed")
    s, info = friendly_core_average(
        moment_points(sample), rho, delta, radius, rng, relation, sample.count, filter_share
    )
    A, B, c = s[: q * q].reshape(q, q), s[q * q : q * q + q * p].reshape(q, p), s[q * q + q * p :]
    if info.failed:
        return np.full(p, np.nan), info
    try:
        G = np.linalg.solve((A + A.T) / 2, np.column_stack([B, c]))
        beta: Array = np.linalg.solve(B.T @ G[:, :p], B.T @ G[:, p])
    except np.linalg.LinAlgError:
        return np.full(p, np.nan), replace(info, failed=True)
    return beta, info


def moment_points(sample: IVSample) -> Array:
    """Moment point `vec(z z', z x', z y)` of each row, shape (rows, q^2 + q p + q) (liang2025 F.2)."""
    Z, rows = sample.Z, sample.y.shape[0]
    parts = (Z[:, :, None] * Z[:, None, :], Z[:, :, None] * sample.X[:, None, :], Z * sample.y[:, None])
    return np.concatenate([part.reshape(rows, -1) for part in parts], axis=1)


def _vote_rule(
    n: int, budget: float, b: float, relation: Relation, rng: np.random.Generator
) -> tuple[float, float, float]:
    """The values of steps 1 and 2: n^, the noise sd of a count of friends, and the threshold of the count above n/2."""
    h = 1.0 if relation == "replace-one" else 0.5
    if relation == "replace-one":
        noisy_n = float(n)
    else:
        noisy_n = _noisy_count(n + 1, COUNT_SHARE * budget, b, 1.0, rng)
        budget *= 1 - COUNT_SHARE
    # A smaller n^ may be raised at no cost, because n^ >= n >= 1 on the good event.
    noisy_n = max(noisy_n, 1.0)
    s = h * np.sqrt(noisy_n / (2 * budget))
    return noisy_n, float(s), float(h + s * np.sqrt(2 * np.log(noisy_n / b)))


def _noisy_count(value: int, budget: float, b: float, side: float, rng: np.random.Generator) -> float:
    """Noisy count `value + N(0, 1/(2 budget))`, shifted to one side so that it is wrong with probability at most b."""
    return float(value + side * np.sqrt(np.log(1 / b) / budget) + rng.standard_normal() / np.sqrt(2 * budget))


def _check(
    points: Array, weights: Array, rho: float, delta: float, radius: float, relation: str, filter_share: float
) -> None:
    if points.ndim != 2 or not np.isfinite(points).all():
        raise ValueError(f"points of shape {points.shape} must be finite and have shape (rows, d)")
    if weights.shape != points.shape[:1] or np.any(weights < 0) or np.any(weights != np.floor(weights)):
        raise ValueError(f"count of shape {weights.shape} must hold {points.shape[0]} whole numbers, 0 or more")
    if weights.sum() < 1:
        raise ValueError(f"{points.shape[0]} rows hold no record")
    for name, value in {"rho": rho, "radius": radius}.items():
        if not 0 < value < np.inf:
            raise ValueError(f"{name}={value} must be positive and finite")
    for name, value in {"delta": delta, "filter_share": filter_share}.items():
        if not 0 < value < 1:
            raise ValueError(f"{name}={value} must be in (0, 1)")
    require_known(Relation, relation=relation)
