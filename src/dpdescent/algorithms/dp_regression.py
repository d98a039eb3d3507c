"""Private linear regression that needs no tuning: preconditioned DP-GD with thresholds that follow the residuals.

Rounds of private whitening give the columns a common scale. A descent in the new coordinates clips each record's
gradient at a threshold, which noisy histograms of all records' gradient norms choose. The slope and the spread of the
gradients at its end are released too and give standard errors. None of the papers has this method; `docs/beyond.md`
derives it. Every constant follows from the number of records, the number of columns and the budget by the rules of
`Plan`, and from earlier releases.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms import histograms, preconditioning
from dpdescent.algorithms.reduced_form import moment_sensitivity, symmetric
from dpdescent.checks import require_known
from dpdescent.noise import schedule
from dpdescent.privacy import zcdp
from dpdescent.privacy.clipping import clip_factors, mean_sensitivity, row_norms
from dpdescent.privacy.events import GaussianReleases, Mechanism

Array = NDArray[np.float64]
Errors = Literal["unequal", "equal"]

# Number of steps, step size, and share of the steps' budget that the schedule divides equally. That share is larger
# where information is little, because then clipping removes the noise in early gradients.
STEPS, ETA, FLOOR, FLOOR_OF_FEW = 20, 0.5, 0.2, 0.4
# Shares of the budget: units, second moments, thresholds, slope of the gradients, and spread of the gradients.
UNITS, MOMENT, THRESHOLDS, SLOPE, SPREAD = 0.04, 0.25, 0.05, 0.05, 0.05
# Values of the information n sqrt(rho) / p. Below the first, nothing is better than the estimate 0; below the second,
# thresholds are not worth their cost; below the third, a second round of whitening is not; below the fourth, there are
# no standard errors; below the fifth, a third round is not worth its cost.
NOTHING, FEW, TWO, INFERRED, THREE = 3.0, 20.0, 30.0, 45.0, 60.0
# Norms to which whitened records are clipped for second moments, as factors of sqrt(p), plus one. A small norm has
# little noise, so that early rounds find short directions. The norm of the last round is larger, which loses little of
# heavy tails, and grows with the root of the information, within limits.
EARLY_BOUND, BOUND_BY, LARGEST_BOUND = 0.8, 0.08, 2.5
# The largest slope of the mean gradient that heavy tails may cause; it decides beyond which norm records get a smaller
# weight. It is below 2 / eta, because steps could diverge otherwise.
STEEPEST = 3.2
# Norm to which records are clipped for the release of the slope, divided by the norm of the last second moment. A norm
# smaller than that of the weights would overstate the sampling error where tails are heavy. A larger norm has more
# noise, and a slope close to zero could then pass for another.
SLOPE_BOUND = 1.3
# Thresholds are read before every second step, on powers of sqrt(2), at first over all sizes, later near the previous
# threshold.
EVERY, BASE, FIRST, LAST, DOWN, UP = 2, math.sqrt(2.0), -24, 12, 8, 2
# The largest threshold divided by sqrt(p): the threshold whose noise costs a given share of the outcome's variance,
# within limits.
TOLERATED, LEAST_K, LARGEST_K = 1e-4, 1.0, 5.0
# Norm of whitened records, as a factor of sqrt(p), plus one, that few records exceed except those of rare dummies.
LONG = 1.5
# Share of gradients beyond the threshold: as small as the noise of the histograms allows, within limits.
TOLD, LEAST_CUT, LARGEST_CUT = 150.0, 0.01, 0.1
# Powers of 2 between which units lie, in the columns' own units, and number of noise sds above which a bin surely has
# records.
SMALLEST_UNIT, LARGEST_UNIT, SURE = -40, 40, 5.0
# A direction is not known in two cases. First, if its second moment in the last round is below this number of noise
# sds, or below 2 sqrt(k) sds where k directions have no larger moment, because the largest eigenvalue of noise alone is
# about sqrt(2 k) sds. Second, if the slope of the gradients along it is below this share of its value without clipping.
NOISE_ALONE, FLAT = 4.0, 0.2
# Largest share of a coefficient's squared length in directions that are not known, and largest share of its variance
# that may be the noise on the spread of the gradients, if the coefficient is to have a standard error.
UNKNOWN_PART, NOISY_PART = 0.01, 0.5
# Size, in public or released units, at which values are clipped, because squares must not overflow.
FARTHEST = 1e6
# Second moment divided by the squared bound that rounding hides, however little noise there is.
ROUNDED = 1e-9
# Unit of an outcome whose sizes are hidden by noise. No other outcome has this unit, because bins do not reach so low.
HIDDEN = 2.0 ** (SMALLEST_UNIT - 1)

PROVED = (
    "in exact arithmetic: a replaced record of n, n public, moves a histogram by sqrt(2), k histograms of all records "
    "by sqrt(2 k), the mean of zz' of records clipped to B by sqrt(2) B^2 / n (B^2 / n with one column), the mean of "
    "gradients clipped at gamma by 2 gamma / n, and that of their gg' by sqrt(2) gamma^2 / n, of |g|^2 by gamma^2 / n; "
    "costs add. Coordinates and thresholds are computed from what was released before, and all other settings from n, "
    "the number of columns, the budget and public units and ends"
)


@dataclass(frozen=True)
class Plan:
    """Decisions that are made before the records are seen.

    Attributes:
        n: number of records.
        p: number of columns, including a constant.
        rho: zCDP budget of all releases under replace-one.
        errors: kind of standard errors, which allow for unequal variances of the errors or not; None for no standard
            errors.
        finds_units: whether units of the columns and the outcome are released; otherwise they are public.
        constant: whether one of the columns is a constant.
        span: public length of the range of outcomes, in units of the outcome; 0 if it is not known.
    """

    n: int
    p: int
    rho: float
    errors: Errors | None = "unequal"
    finds_units: bool = False
    constant: bool = False
    span: float = 0.0

    def __post_init__(self) -> None:
        if self.errors is not None:
            require_known(Errors, errors=self.errors)

    @property
    def covariates(self) -> int:
        """Number of columns without the constant."""
        return self.p - self.constant

    @property
    def information(self) -> float:
        """The number `n sqrt(rho) / p`, about a coefficient's signal divided by the noise that privacy requires."""
        return self.n * math.sqrt(self.rho) / self.p

    @property
    def follows(self) -> bool:
        """Whether clipping thresholds follow the residuals."""
        return self.information >= FEW

    @property
    def infers(self) -> bool:
        """Whether there are standard errors."""
        return self.errors is not None and self.information >= INFERRED

    @property
    def rounds(self) -> int:
        """Number of rounds of whitening, larger with more information; the rounds divide their budget equally."""
        return 1 + (self.information >= TWO) + (self.information >= THREE)

    @property
    def unit_rho(self) -> float:
        """Budget of the release of units."""
        return UNITS * self.rho if self.finds_units else 0.0

    @cached_property
    def step_rhos(self) -> Array:
        """Budgets of the steps, shape (T,)."""
        others = MOMENT + THRESHOLDS * self.follows + (SLOPE + SPREAD) * self.infers
        weights = schedule.weights_in_last(ETA, np.ones(1), STEPS)
        parts = schedule.shares(weights, FLOOR if self.follows else FLOOR_OF_FEW)
        return np.asarray((self.rho - self.unit_rho - others * self.rho) * parts)

    def moment_bound(self, round_: int) -> float:
        """Norm to which records are clipped for the second moment of a round, counted from 0."""
        last = min(max(BOUND_BY * math.sqrt(self.information), EARLY_BOUND), LARGEST_BOUND)
        return (last if round_ == self.rounds - 1 else EARLY_BOUND) * math.sqrt(self.p) + 1.0

    @property
    def largest_gamma(self) -> float:
        """Largest threshold of gradients, used in all steps where thresholds do not follow the residuals."""
        tolerated = math.sqrt(TOLERATED * self.n**2 * float(self.step_rhos.sum()) / (2.0 * self.p**2))
        return min(max(tolerated, LEAST_K), LARGEST_K) * math.sqrt(self.p)

    @property
    def longest(self) -> float:
        """Norm of whitened records above which they get a smaller weight, where the range of outcomes is known."""
        return LONG * math.sqrt(self.p) + 1.0

    @property
    def least_gamma(self) -> float:
        """Smallest threshold: the gradient of a record with the longest norm and a residual as long as the range.

        Residuals of binary outcomes are as skewed as the shares of the two values. Clipping them would move all
        coefficients, or those of a rare dummy, whose records are long.
        """
        return self.span * self.longest

    @property
    def below(self) -> float:
        """Number of records whose gradients should lie below the threshold."""
        return self.n * (1.0 - min(max(TOLD / (self.n * math.sqrt(self.rho)), LEAST_CUT), LARGEST_CUT))

    def histogram(self) -> GaussianReleases:
        """The release of one histogram of gradient norms."""
        reads = len(range(0, STEPS, EVERY))
        return histograms.release("histogram of gradient norms", THRESHOLDS * self.rho / reads)

    def units(self) -> GaussianReleases:
        """The release of histograms of the sizes of all covariates and the outcome."""
        return histograms.release("histograms of sizes", self.unit_rho, self.covariates + 1)

    def moment(self, round_: int) -> GaussianReleases:
        """The release of the second moment of a round."""
        rho = MOMENT * self.rho / self.rounds
        return preconditioning.moment_release(self.n, self.p, self.moment_bound(round_), rho)

    def gradient(self, step: int, gamma: float) -> GaussianReleases:
        """The release of the mean of clipped gradients in a step, counted from 0."""
        sensitivity, rho = mean_sensitivity(gamma, self.n), float(self.step_rhos[step])
        return GaussianReleases("mean of clipped gradients", sensitivity, zcdp.gaussian_noise_sd(sensitivity, rho), 1)

    @property
    def slope_bound(self) -> float:
        """Norm to which records are clipped for the slope."""
        return SLOPE_BOUND * self.moment_bound(self.rounds - 1)

    def slope(self) -> GaussianReleases:
        """The release of the mean of zz' over clipped records z whose gradients are not clipped."""
        sensitivity = moment_sensitivity(self.slope_bound, self.n, self.p)
        noise_sd = zcdp.gaussian_noise_sd(sensitivity, SLOPE * self.rho)
        return GaussianReleases("slope of the mean gradient", sensitivity, noise_sd, 1)

    def spread(self, gamma: float) -> GaussianReleases:
        """The release of the mean of gg' over clipped gradients g, or of its trace where errors are equal."""
        sensitivity = moment_sensitivity(gamma, self.n, self.p if self.errors == "unequal" else 1)
        noise_sd = zcdp.gaussian_noise_sd(sensitivity, SPREAD * self.rho)
        return GaussianReleases("spread of clipped gradients", sensitivity, noise_sd, 1)

    def mechanism(self, gammas: Sequence[float] | None = None) -> Mechanism:
        """The privacy event of a run.

        Args:
            gammas: thresholds of the steps, which a run releases, shape (T,); None for arbitrary ones.
        """
        if self.information < NOTHING:
            nothing = (GaussianReleases("nothing", 0.0, math.inf, 1),)
            return Mechanism(
                "DP regression", nothing, "replace-one", "full batch", math.inf, "proved", "no record is used"
            )
        thresholds = [1.0] * STEPS if gammas is None else list(gammas)
        releases = [self.units()] if self.finds_units else []
        releases += [self.moment(round_) for round_ in range(self.rounds)]
        for step, gamma in enumerate(thresholds):
            releases += [self.histogram()] if self.follows and step % EVERY == 0 else []
            releases.append(self.gradient(step, gamma))
        releases += [self.slope(), self.spread(thresholds[-1])] if self.infers else []
        return Mechanism(
            "DP regression", tuple(releases), "replace-one", "full batch", math.inf, "proved", PROVED
        )  # fmt: skip


class Noise:
    """Source of the noise; everything that a run releases about the records passes through it.

    The releases are counts, and sums over records of vectors within a bound, so that another source can make them in
    another arithmetic (`exact_noise`).

    Args:
        rng: generator of the noise.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def vector(self, value: Array, noise_sd: float) -> Array:
        """The value with independent noise on every number."""
        return np.asarray(value + noise_sd * self.rng.standard_normal(value.shape))

    def symmetric(self, value: Array, noise_sd: float) -> Array:
        """The symmetric matrix with symmetric noise: this sd on the diagonal, and the sd divided by sqrt(2) off it."""
        return np.asarray(value + noise_sd * symmetric(self.rng.standard_normal((1, *value.shape)))[0])

    def counts(self, counted: Array, noise_sd: float) -> Array:
        """The counts with noise on each."""
        return self.vector(counted, noise_sd)

    def mean(self, rows: Array, weights: Array, bound: float, noise_sd: float) -> Array:
        """The mean of the rows times their weights, with norms up to the bound, plus noise."""
        return self.vector(rows.T @ weights / len(rows), noise_sd)

    def moment(self, rows: Array, bound: float, noise_sd: float) -> Array:
        """The mean of xx' over the rows x, with norms up to the bound, plus symmetric noise."""
        return self.symmetric(rows.T @ rows / len(rows), noise_sd)

    def mean_square(self, rows: Array, bound: float, noise_sd: float) -> float:
        """The mean of |x|^2 over the rows x, with norms up to the bound, plus noise."""
        return float(self.vector(np.einsum("ij,ij->", rows, rows) / len(rows), noise_sd))

    def product(self, rows: Array, matrix: Array) -> Array:
        """The product of records with released numbers."""
        return np.asarray(rows @ matrix)


@dataclass(frozen=True, eq=False)
class Fit:
    """Releases of a run, and the share of gradients that it clipped.

    Attributes:
        path: iterates 1 to T, shape (T, p).
        covariance: covariance of the last iterate about the population's coefficients, shape (p, p); None without
            standard errors.
        unknown: whether a coefficient lies in directions that the released slope does not determine, shape (p,).
        gammas: thresholds of the steps, shape (T,).
        clipped: share of clipped gradients; not released.
    """

    path: Array
    covariance: Array | None
    unknown: NDArray[np.bool_]
    gammas: Array
    clipped: float


def usable(X: Array, y: Array) -> tuple[Array, Array]:
    """The records in units, with values within a limit.

    A record with a value that is not finite becomes 0, because an estimate of NaN would reveal that it was there.
    """
    finite = np.isfinite(y) & np.isfinite(X).all(axis=1)
    X, y = np.where(finite[:, None], X, 0.0), np.where(finite, y, 0.0)
    return np.clip(X, -FARTHEST, FARTHEST), np.clip(y, -FARTHEST, FARTHEST)


def released_units(X: Array, y: Array, plan: Plan, noise: Noise) -> Array:
    """Releases a unit for every column and the outcome, by noisy histograms of their sizes on powers of 2.

    A unit is the lower end of the bin with the largest sizes that surely has records. A unit that is too small for some
    records would clip them, while whitening corrects one that is too large. Zeros have no size. Where noise hides all
    sizes, as for rare values, the unit of a column is the largest one and that of the outcome the smallest, so that
    coefficients are about 0 and their size is not an accident of the noise.

    Args:
        X: columns without the constant, shape (n, number of covariates).
        y: outcomes, shape (n,).

    Returns:
        The units, with that of the outcome last, shape (number of covariates + 1,).
    """
    edges = histograms.powers(SMALLEST_UNIT, LARGEST_UNIT, 2.0)
    sizes = np.abs(np.column_stack([X, y]))
    counted = np.array([histograms.counts(column, edges) for column in sizes.T])
    noise_sd = plan.units().noise_sd
    units = [histograms.largest(noisy, edges, SURE * noise_sd) for noisy in noise.counts(counted, noise_sd)]
    hidden = [float(edges[-1])] * plan.covariates + [HIDDEN]
    return np.array([other if unit is None else unit for unit, other in zip(units, hidden, strict=True)])


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Coordinates in which all columns have a common scale, from rounds of released second moments.

    Attributes:
        W: matrix of the coordinates W' x of a record x, shape (p, p).
        vectors: orthonormal directions of the coordinates, as columns, shape (p, p).
        moments: second moments along them, as far as released: 1, or less where the noise hides a direction.
        known: whether the second moment along them is more than noise, shape (p,).
        before: matrix of the coordinates before the last round, shape (p, p).
        bound: B, the norm in those earlier coordinates above which records get a smaller weight.
    """

    W: Array
    vectors: Array
    moments: Array
    known: NDArray[np.bool_]
    before: Array
    bound: float


def whiten(X: Array, plan: Plan, noise: Noise) -> Coordinates:
    """Rounds of private whitening: each releases the second moment of clipped records in the previous coordinates.

    A round resolves the directions that its noise does not hide. In its coordinates, directions that were too short are
    longer, so that the next round resolves them, and directions that were clipped are within the bound.

    Later, a record gets the weight `min(1, B^2 / |z|^2)`, where z are its coordinates before the last round. In these
    coordinates the second moment of records clipped to B is at most `B^2 / b^2` times that of records clipped to the
    round's own bound b. The latter seldom exceeds the released moment by more than `least`, because the noise alone
    seldom does. In the last coordinates the released moment plus `least` is at most `most`, between 1 and 2; B is
    chosen so that `most B^2 / b^2` is `STEEPEST`.
    """
    W = np.eye(plan.p)
    for round_ in range(plan.rounds):
        bound, noise_sd = plan.moment_bound(round_), plan.moment(round_).noise_sd
        cut, hidden = preconditioning.bounded(noise.product(X, W), bound), max(noise_sd, ROUNDED * bound**2)
        moment = noise.moment(cut, bound, noise_sd)
        values, vectors = np.linalg.eigh(moment)
        before, W = W, W @ preconditioning.transform(moment, hidden)
    least = preconditioning.least_eigenvalue(plan.p, hidden)
    alone = hidden * np.maximum(NOISE_ALONE, 2.0 * np.sqrt(np.arange(1, plan.p + 1)))
    moments = np.clip(values / least, 0.0, 1.0)
    # At least 1, because the noise can make the moment of a single column negative.
    most = max(1.0, float(np.max((values + least) / np.maximum(values, least))))
    return Coordinates(W, vectors, moments, values > alone, before, bound * math.sqrt(STEEPEST / most))


def fit(X: Array, y: Array, plan: Plan, noise: Noise) -> Fit:
    """Fits a linear regression once, from zero.

    Records have the weights `w = min(1, B^2 / |z|^2)`, so that the slope of the mean gradient is the second moment of
    records clipped to B: however heavy their tails are, a step contracts (`whiten`). Where the range of outcomes is
    known, the weights of long records are reduced further, until no residual within the range has a gradient above the
    smallest threshold. Weights depend on the covariates alone, so that they change no coefficient where the mean of the
    outcome is linear in the covariates.

    Args:
        X: records in units that give them sizes of about 1, including a constant column if there is one, shape (n, p).
        y: outcomes in units of the outcome, shape (n,).
        plan: decisions made beforehand.
        noise: source of the noise.
    """
    if plan.information < NOTHING:
        zeros = np.zeros((STEPS, plan.p))
        return Fit(zeros, None, np.zeros(plan.p, dtype=bool), np.full(STEPS, plan.largest_gamma), 0.0)
    X, y = usable(X, y)
    coordinates = whiten(X, plan, noise)
    Z = noise.product(X, coordinates.W)
    # With roots of the weights `S'S / n` is the slope where nothing is clipped.
    root = clip_factors(row_norms(noise.product(X, coordinates.before)), coordinates.bound)[:, None]
    if plan.span > 0.0:
        root = root * np.sqrt(clip_factors(row_norms(Z)[:, None] * root**2, plan.longest))
    S, V = Z * root, Z * root**2
    sizes = row_norms(V)
    theta, gamma = np.zeros(plan.p), max(plan.largest_gamma, plan.least_gamma)
    path, gammas, over = [], [], 0
    for step in range(STEPS):
        residuals = noise.product(Z, theta) - y
        norms = np.abs(residuals) * sizes
        if plan.follows and step % EVERY == 0:
            gamma = _threshold(norms, None if step == 0 else gamma, plan, noise)
        factors = clip_factors(norms, gamma)
        over += int((factors < 1.0).sum())
        theta = theta - ETA * noise.mean(V, residuals * factors, gamma, plan.gradient(step, gamma).noise_sd)
        path.append(theta)
        gammas.append(gamma)
    covariance, unknown = _errors(S, V, noise.product(Z, theta) - y, np.array(gammas), coordinates, plan, noise)
    share = over / (plan.n * STEPS)
    return Fit(np.array(path) @ coordinates.W.T, covariance, unknown, np.array(gammas), share)


def _threshold(norms: Array, last: float | None, plan: Plan, noise: Noise) -> float:
    """Releases a histogram of gradient norms and returns the threshold that follows from it.

    Args:
        norms: gradient norms of all records, shape (n,).
        last: previous threshold, near which the histogram looks; None for all sizes.
    """
    scale = math.sqrt(plan.p)
    if last is None:
        edges = histograms.powers(FIRST, LAST, BASE)
    else:
        near = round(math.log(last / scale, BASE))
        edges = histograms.powers(near - DOWN, near + UP, BASE)
    counted = noise.counts(histograms.counts(norms / scale, edges), plan.histogram().noise_sd)
    gamma = min(scale * histograms.quantile(counted, edges, plan.below), plan.largest_gamma)
    return max(gamma, plan.least_gamma)


def _errors(
    S: Array, V: Array, residuals: Array, gammas: Array, coordinates: Coordinates, plan: Plan, noise: Noise
) -> tuple[Array | None, NDArray[np.bool_]]:
    """Covariance of the coefficients, from the released slope and spread of the gradients at the last iterate.

    In the population, the mean clipped gradient vanishes at the target coefficients. The last iterate differs from them
    by two errors: the sampling error, with covariance `H^-1 G H^-1 / n`, where H is the slope and G the spread; and the
    noise of the steps, with covariance N, `N <- (I - eta H) N (I - eta H)' + eta^2 sd_t^2 I`.

    Args:
        S, V: records in their coordinates, times the roots of their weights and times their weights, shape (n, p).
        residuals: residuals of the last iterate, shape (n,).
        gammas: thresholds of the steps.
        coordinates: coordinates of the records.
        plan: decisions made beforehand.
        noise: source of the noise.

    Returns:
        The covariance in the records' units, None without standard errors, and flags of undetermined coefficients.
    """
    if not plan.infers:
        return None, np.zeros(plan.p, dtype=bool)
    gamma = float(gammas[-1])
    factors = clip_factors(np.abs(residuals) * row_norms(V), gamma)
    kept = preconditioning.bounded(S, plan.slope_bound) * (factors == 1.0)[:, None]
    released = noise.moment(kept, plan.slope_bound, plan.slope().noise_sd)
    values, vectors = np.linalg.eigh(_slope(released, coordinates, plan))
    held = np.maximum(values, FLAT)
    gradients, noise_sd = V * (residuals * factors)[:, None], plan.spread(gamma).noise_sd
    if plan.errors == "unequal":
        spread, share = noise.moment(gradients, gamma, noise_sd), np.eye(plan.p)
    else:
        trace = noise.mean_square(gradients, gamma, noise_sd)
        share = (vectors * held) @ vectors.T / held.sum()
        spread = trace * share
    inverse, contraction = (vectors / held) @ vectors.T, (vectors * (1.0 - ETA * held)) @ vectors.T
    N = np.zeros((plan.p, plan.p))
    for step, threshold in enumerate(gammas.tolist()):
        N = contraction @ N @ contraction.T + (ETA * plan.gradient(step, threshold).noise_sd) ** 2 * np.eye(plan.p)
    W = coordinates.W
    covariance = W @ (inverse @ spread @ inverse / plan.n + N) @ W.T
    unknown = _leans_on(W, coordinates.vectors[:, ~coordinates.known]) | _leans_on(W, vectors[:, values < FLAT])
    # With symmetric noise Q of sd s on the diagonal l'Ql has the sd s |l|^2.
    by_noise = noise_sd * np.diag(W @ inverse @ share @ inverse @ W.T) / plan.n
    return covariance, unknown | ~(np.diag(covariance) > by_noise / NOISY_PART)


def _slope(noisy: Array, coordinates: Coordinates, plan: Plan) -> Array:
    """The released slope, moved towards the known second moment as far as their difference can be noise.

    Where nothing is clipped the slope is the second moment. The trace estimates the scale of the slope well.
    """
    expected = (coordinates.vectors * coordinates.moments) @ coordinates.vectors.T
    expected = expected * max(float(np.trace(noisy)), FLAT * plan.p) / max(coordinates.moments.sum(), FLAT)
    apart = noisy - expected
    square, by_noise = float(np.sum(apart**2)), plan.slope().noise_sd ** 2 * (plan.p * (plan.p + 1) / 2.0 - 1.0)
    # Compared without division, because the quotient would be 0 / 0 for one column.
    return np.asarray(expected + apart * (1.0 - by_noise / square) if square > by_noise else expected)


def _leans_on(W: Array, directions: Array) -> NDArray[np.bool_]:
    """Whether a coefficient has more than a small part of its length in the given directions, shape (p,)."""
    return np.asarray(((W @ directions) ** 2).sum(axis=1) > UNKNOWN_PART * (W**2).sum(axis=1))
