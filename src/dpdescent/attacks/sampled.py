"""Attacks on DP-SGD and lambda-CGD with random batches: one record that takes part in a step or does not.

The noise on a sum is `kappa (Z_t - lambda Z_(t-1))`. Encoded outputs are `a C y + kappa Z`, where y marks the steps in
which the record takes part and a is its shift of a sum, in units of the clipping threshold (wang2026 App. F). Runs use
the same samplers and training loop as networks do; the scores are log likelihood ratios.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial

import numpy as np
from dp_accounting.pld import privacy_loss_distribution
from scipy.linalg import cholesky, solve_triangular
from scipy.special import log_ndtr

from dpdescent.algorithms import samplers
from dpdescent.attacks.correlated import CLIP_NORM, Index, released
from dpdescent.checks import require_positive
from dpdescent.noise.strategies.toeplitz import damped_anti_pgd
from dpdescent.privacy import losses
from dpdescent.privacy.audit.attack import Array, Attack
from dpdescent.privacy.participation import bins, counterexample, pairs
from dpdescent.privacy.participation.accountants import period_of
from dpdescent.privacy.participation.encoder import encode, require_steps

Score = Callable[[Array], Array]

# Number of steps of all runs that are simulated together.
TOGETHER = 2_000_000

# Number of runs that are scored together by a quadratic score, so that they stay in the cache.
CACHED = 512

# Default number of steps of all runs of an attack: about a second of work. The first is for batches of fixed size,
# because they are drawn one by one.
ONE_BY_ONE, AT_ONCE = 2_000_000, 5_000_000

# Noise multiplier above which a quadratic score has nearly the power of the likelihood ratio, at a tenth of its cost
# (compared at rate 0.1, for correlations up to 0.95).
MUCH_NOISE = 2.0

# Largest number of records n when a rate is written as B/n with whole B.
LARGEST = 100_000

# Number of cells of the outputs in the computation of a step's privacy loss, their reach in sds, the widest grid of the
# loss, and the smallest number of its points.
_CELLS, _REACH, _GRID, _POINTS = 4000, 9.0, 1e-4, 50_000


@dataclass(frozen=True)
class Run:
    """Settings of T steps with noise multiplier `kappa`, correlation `lam` and sampling rate `rate`."""

    T: int
    rate: float
    kappa: float
    lam: float

    def __post_init__(self) -> None:
        require_steps(self.T, self.rate, self.lam)
        require_positive(kappa=self.kappa)

    def outputs(
        self, gradients: Array, owners: Index, batches: list[Index], runs: int, rng: np.random.Generator
    ) -> Array:
        """Encoded noisy sums, shape (runs, T); the first three arguments are those of `correlated.released`."""
        noise = damped_anti_pgd(1.0 - self.lam).correlate(rng.standard_normal((self.T, runs)))
        return encode(released(gradients, owners, batches, noise, self.kappa).T, self.lam)

    def offset(self, constant: float) -> Array:
        """Encoding of a vector that is `constant` in every step, shape (T,)."""
        return encode(np.full(self.T, constant), self.lam)

    @property
    def words(self) -> str:
        return f"{self.T} steps (the first ones, if a run has more), kappa={self.kappa:g}, lambda={self.lam:g}"


def poisson(T: int, rate: float, kappa: float, lam: float = 0.0, most_runs: int = 0) -> Attack:
    """Attack on Poisson batches by the pair of wang2026 Thm. F.8: a full gradient against zero, all others zero.

    Args:
        T: number of steps.
        rate: sampling rate r.
        kappa: noise multiplier.
        lam: correlation.
        most_runs: largest number of runs on each data set; 0 for a number that takes about a second.
    """
    run = Run(T, rate, kappa, lam)

    def sides(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        # One call of the sampler suffices, because every run is a data set of one record with independent draws.
        batches = samplers.poisson(runs, rate, T, rng)
        owners = np.arange(runs)
        first, second = (
            run.outputs(np.full(runs, gradient), owners, batches, runs, rng) for gradient in (0.0, CLIP_NORM)
        )
        return first, second

    return Attack(
        f"Poisson batches at rate {rate:g}, {run.words}: a record's clipped gradient is 0 or C_clip, all others are 0; "
        f"score: {_named(run)}",
        _in_pieces(sides, _score(run, counterexample.SAMPLED), T),
        epsilon=partial(attained_epsilon, counterexample.SAMPLED, kappa, rate, T) if lam == 0.0 else None,
        most_runs=most_runs or max(1, AT_ONCE // T),
    )


def fixed_size(T: int, rate: float, kappa: float, lam: float = 0.0, most_runs: int = 0) -> Attack:
    """Attack on batches of fixed size under zero-out, the counterexample to wang2026 Thm. F.8; arguments as `poisson`.

    All other clipped gradients are -C_clip, and the record's is 0 or C_clip. It moves the sum by 1 or by 2, because it
    replaces another record in the batch.
    """
    run = Run(T, rate, kappa, lam)
    return Attack(
        f"batches of {_batch(rate)} of fixed size, {run.words}: clipped gradients of all other records are -C_clip, "
        f"the record's is 0 or +C_clip; score: {_named(run)}",
        _in_pieces(partial(_swapped, run, (0.0, CLIP_NORM)), _score(run, counterexample.FIXED_SIZE), T),
        epsilon=partial(attained_epsilon, counterexample.FIXED_SIZE, kappa, rate, T) if lam == 0.0 else None,
        most_runs=most_runs or max(1, ONE_BY_ONE // T),
    )


def fixed_size_replaced(T: int, rate: float, kappa: float, lam: float = 0.0, most_runs: int = 0) -> Attack:
    """Attack on batches of fixed size under replace-one; arguments as for `poisson`.

    All other clipped gradients are -C_clip, and the record's is -C_clip or C_clip: it moves the sum by 0 or by 2.
    """
    run = Run(T, rate, kappa, lam)
    return Attack(
        f"batches of {_batch(rate)} of fixed size, {run.words}: clipped gradients of all other records are -C_clip, "
        f"that of the replaced one is -C_clip or +C_clip; score: {_named(run)}",
        _in_pieces(partial(_swapped, run, (-CLIP_NORM, CLIP_NORM)), _score(run, (2, 0)), T),
        epsilon=partial(attained_epsilon, counterexample.SAMPLED, 0.5 * kappa, rate, T) if lam == 0.0 else None,
        most_runs=most_runs or max(1, ONE_BY_ONE // T),
    )


def balls_in_bins(T: int, rate: float, kappa: float, lam: float = 0.0, most_runs: int = 0) -> Attack:
    """Attack on balls in bins: a record in one of 1/r batches against gradient zero; arguments as for `poisson`.

    Raises:
        ValueError: if 1/r is not a whole number.
    """
    run, period = Run(T, rate, kappa, lam), period_of(rate)

    def sides(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        batches, owners = samplers.balls_in_bins(runs, period, rng), np.arange(runs)
        first, second = (
            run.outputs(np.full(runs, gradient), owners, batches, runs, rng) for gradient in (0.0, CLIP_NORM)
        )
        return first, second

    return Attack(
        f"balls in {period} bins, {run.words}: a record's clipped gradient is 0 or C_clip, all others are 0; score: "
        "the likelihood ratio, a mean over bins",
        _in_pieces(sides, lambda x: bins.log_ratio(x, kappa, period, lam), T),
        most_runs=most_runs or max(1, AT_ONCE // T),
    )


def _batch(rate: float) -> str:
    """Batch size and number of records of the smallest data set with this rate, in words."""
    share = _share(rate)
    return f"{share.numerator} of {share.denominator}"


def quadratic(run: Run, moves: tuple[int, int]) -> Score:
    """Log likelihood ratio of Gaussians with the moments of the two laws, a quadratic function of the outputs.

    It is exact in the limit of large noise. With little noise the audit loses power but stays valid.
    """
    C = encode(np.eye(run.T), run.lam).T
    mean, covariance = run.rate * C.sum(axis=1), run.rate * (1.0 - run.rate) * C @ C.T
    factors = [cholesky(run.kappa**2 * np.eye(run.T) + a * a * covariance, lower=True) for a in moves]
    inverses = [solve_triangular(L, np.eye(run.T), lower=True) for L in factors]

    def of_rows(x: Array) -> Array:
        with_record, without = (
            np.sum(((x - a * mean) @ inverse.T) ** 2, axis=1) for a, inverse in zip(moves, inverses, strict=True)
        )
        return np.asarray(0.5 * (without - with_record))

    def score(x: Array) -> Array:
        return np.concatenate([of_rows(x[start : start + CACHED]) for start in range(0, len(x), CACHED)])

    return score


@cache
def attained_epsilon(moves: tuple[int, int], kappa: float, rate: float, T: int, delta: float) -> float:
    """Returns a lower bound on epsilon of T steps without correlation, from outputs in cells and losses on a grid.

    It is a bound on what an attack attains, while accounts are rounded up.

    Args:
        moves: shifts of a sum whose batch contains the record, on each data set, in clipping thresholds.
        kappa: noise multiplier.
        rate: sampling rate.
        T: number of steps.
        delta: delta at which epsilon is wanted.
    """
    # Subtracted: twice the mass that a composition cuts off and counts as infinite loss, to be safe, and the mass that
    # rounding may add.
    counted = 2.0 * losses.CUT + T * losses.ROUNDING
    return losses.epsilon(losses.self_compose(_one_step(moves, kappa, rate), T), delta + counted)


@cache
def _one_step(moves: tuple[int, int], kappa: float, rate: float) -> privacy_loss_distribution.PrivacyLossDistribution:
    """Privacy loss distribution of one step with outputs rounded to cells, rounded down."""
    ends = np.linspace(-_REACH * kappa, max(moves) + _REACH * kappa, _CELLS + 1)
    ends[0], ends[-1] = -np.inf, np.inf
    laws = [_log_masses(ends, a, kappa, rate) for a in moves]
    with_record, without = (dict(enumerate(law.tolist())) for law in laws)
    # As fine as small losses require, because every step is rounded down.
    grid = min(_GRID, float(np.ptp(laws[0] - laws[1])) / _POINTS)
    return privacy_loss_distribution.from_two_probability_mass_functions(
        without, with_record, pessimistic_estimate=False, value_discretization_interval=grid, symmetric=False
    )


def _log_masses(ends: Array, a: int, kappa: float, rate: float) -> Array:
    """Log masses of `(1-r) N(0, kappa^2) + r N(a, kappa^2)` in the cells between the ends."""
    return np.asarray(
        np.logaddexp(np.log1p(-rate) + _log_cells(ends / kappa), np.log(rate) + _log_cells((ends - a) / kappa))
    )


def _log_cells(z: Array) -> Array:
    """Log masses of the standard normal law between the points z; tails are mirrored so that small ones stay exact."""
    low, high = np.where(z[:-1] > 0.0, -z[1:], z[:-1]), np.where(z[:-1] > 0.0, -z[:-1], z[1:])
    upper = log_ndtr(high)
    return np.asarray(upper + np.log(-np.expm1(np.minimum(log_ndtr(low) - upper, -1e-300))))


def _score(run: Run, moves: tuple[int, int]) -> Score:
    """Log likelihood ratio between shifts of the sum by the first and by the second of the moves."""
    if _is_rough(run):
        return quadratic(run, moves)
    kappa, rate, lam = run.kappa, run.rate, run.lam
    if moves == counterexample.FIXED_SIZE:
        return lambda x: counterexample.log_ratio(x, kappa, rate, lam)
    # Outputs are divided by the move.
    return lambda x: pairs.log_ratio(x / moves[0], kappa / moves[0], rate, lam)


def _is_rough(run: Run) -> bool:
    """Whether the noise is so large that a quadratic score suffices."""
    return run.lam > 0.0 and run.kappa >= MUCH_NOISE


def _named(run: Run) -> str:
    if not _is_rough(run):
        return "the likelihood ratio"
    return "the likelihood ratio of Gaussians with the outputs' means and covariances, quadratic in them"


def _swapped(run: Run, gradients: tuple[float, float], runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Outputs for batches of fixed size minus the sum of a batch without the record; both data sets share batches."""
    share, owners = _share(run.rate), np.arange(runs)
    takes_part = samplers.participations(share.denominator, share.numerator, run.T * runs, rng).reshape(run.T, runs)
    # One row for the record of every run, and one for all others, because these have equal gradients.
    crowd = np.tile(owners + runs, share.numerator - 1)
    batches = [np.concatenate([np.where(here, owners, owners + runs), crowd]) for here in takes_part]
    without = run.offset(-CLIP_NORM * share.numerator)

    def side(gradient: float) -> Array:
        gradients_of = np.repeat([gradient, -CLIP_NORM], runs)
        return run.outputs(gradients_of, np.tile(owners, 2), batches, runs, rng) - without

    return side(gradients[0]), side(gradients[1])


def _share(rate: float) -> Fraction:
    """Fraction B/n in lowest terms, because one record's participation depends on the rate alone."""
    return Fraction(rate).limit_denominator(LARGEST)


def _in_pieces(
    sides: Callable[[int, np.random.Generator], tuple[Array, Array]], score: Score, T: int
) -> Callable[[int, np.random.Generator], tuple[Array, Array]]:
    """A simulation that scores both data sets, with as many runs at a time as fit the memory."""
    most = max(1, TOGETHER // T)

    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        sizes = [min(most, runs - start) for start in range(0, runs, most)]
        pieces = [[score(side) for side in sides(size, rng)] for size in sizes]
        first, second = (np.concatenate([piece[side] for piece in pieces]) for side in (0, 1))
        return first, second

    return simulate
