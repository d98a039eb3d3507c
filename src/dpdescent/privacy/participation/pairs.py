"""The pair of wang2026 Theorem F.8: `P = sum_y s(y) N(C y, kappa^2 I)` against `Q = N(0, kappa^2 I)`.

The coordinates of y are independent and are 1 with probability r. The pair dominates runs on Poisson samples under
zero-out. It does not dominate runs on batches of fixed size, as in Algorithm 1: see `counterexample`.

P has 2^T components, but `(C y)_t = lam (C y)_(t-1) + y_t` is a Markov chain. With state a at step t and
`w_t(a) = exp((a x_t - a^2/2) / kappa^2)`, the likelihood ratio of x_(t+1..T) is a smooth function V_t of a alone:

    V_(t-1)(a) = (1-r) w_t(lam a) V_t(lam a) + r w_t(lam a + 1) V_t(lam a + 1),    V_T = 1,    dP/dQ (x) = V_0(0).

V is kept at a few dozen Chebyshev points of the states, and a step back is one product with a matrix that holds both
interpolations. Losses agree to 1e-10 with enumeration and with more points (tested).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

import numpy as np
from dp_accounting.pld import privacy_loss_distribution
from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from dpdescent.checks import require_known, require_positive
from dpdescent.privacy import losses
from dpdescent.privacy.participation.divergence import Direction, Estimate, hockey_stick
from dpdescent.privacy.participation.encoder import column_sum, encode, require_steps

Array = NDArray[np.float64]
Rounded = Literal["up", "down"]

# Number of outputs that are processed together, so that their values fit the second-level cache.
BLOCK = 500

# Largest steps of the grid of privacy losses, which suit an epsilon of about 1 and more.
_UP, _DOWN, _DOWN_A_STEP = 5e-4, 5e-5, 5e-9

# Steps of the grid as a share of the sd of one step's loss. Rounded up, values between grid points are interpolated,
# and a delta of 1e-6 is then exact to a thousandth (at a step of that sd it is 3.6 times too large).
_UP_OF_SD = 1.0 / 40.0

# Rounded down, every step of a run loses half a grid step: together this share of the sd of the whole loss. A delta of
# 1e-6 is then exact to a twentieth. The numbers of grid points of the whole loss, within 20 of its sds, and of the
# loss of one step are limited, because they take memory and time.
_LOST_OF_SD, _POINTS, _POINTS_A_STEP = 0.01, 5e6, 1e5

# Noise multiplier below which losses are so large that their second moment leaves the range of numbers.
_SMALLEST = 0.05

# Mass that is cut off in the composition; it counts as an infinite loss in both kinds of rounding.
_CUT = 1e-15

# Outputs are evaluated in multiples of this number, because products of other widths differ in their last bit.
_WHOLE = 8

# Margin by which a bound on a loss must lie below a number, because bounds are rounded.
_MARGIN = 1e-6

# A likelihood ratio that is smaller than that of another state by this factor is lost in the rounding of the
# interpolation.
_LOST = 1e-11


@dataclass(frozen=True, eq=False)
class SampledPair:
    """Random outputs of the pair, in blocks: participations of the record, and the noise.

    Attributes:
        rate: sampling rate r.
        lam: correlation.
        blocks: y of shape (block, T) and standard normals of the same shape.
    """

    rate: float
    lam: float
    blocks: tuple[tuple[NDArray[np.bool_], Array], ...]

    @classmethod
    def draw(cls, T: int, rate: float, lam: float, draws: int, rng: np.random.Generator) -> "SampledPair":
        """Draws outputs of T steps; for equal T and rate they are the same for every lam.

        Raises:
            ValueError: if an argument is out of its range.
        """
        require_steps(T, rate, lam)
        require_positive(draws=draws)
        return cls(rate, lam, tuple(draw_blocks(T, rate, draws, rng)))

    def losses(self, kappa: float, direction: Direction, above: float = -math.inf) -> Array:
        """Privacy losses log dP/dQ at outputs from P, or log dQ/dP at outputs from Q, shape (draws,).

        If a loss is at most `above`, any number that is also at most `above` may stand in its place.
        """
        require_known(Direction, direction=direction)
        blocks = []
        for y, z in self.blocks:
            x, sign = (encode(y, self.lam) + kappa * z, 1.0) if direction == "P|Q" else (kappa * z, -1.0)
            most = _most(x, kappa, self.rate, self.lam, sign)
            rows = np.flatnonzero(most > above - _MARGIN)
            most = np.minimum(most, above)
            if len(rows):
                rows = np.append(rows, np.repeat(rows[:1], -len(rows) % _WHOLE))
                most[rows] = sign * log_ratio(x[rows], kappa, self.rate, self.lam)
            blocks.append(most)
        return np.concatenate(blocks)


def deltas(
    kappa: float, eps: Sequence[float], T: int, rate: float, lam: float, draws: int, rng: np.random.Generator,
    direction: Direction = "P|Q",
) -> list[Estimate]:  # fmt: skip
    """Estimates delta at every eps by Monte Carlo, in one direction; the pair's delta is the larger of both.

    Raises:
        ValueError: if an argument is out of its range.
    """
    require_known(Direction, direction=direction)
    require_steps(T, rate, lam)
    require_positive(kappa=kappa, draws=draws)
    blocks = draw_blocks(T, rate, draws, rng)
    sample = np.concatenate([_losses(y, z, kappa, rate, lam, direction) for y, z in blocks])
    return [hockey_stick(sample, order) for order in eps]


def draw_blocks(T: int, rate: float, draws: int, rng: np.random.Generator) -> Iterator[tuple[NDArray[np.bool_], Array]]:
    """Yields participations y and standard normals, shape (block, T) each, until there are `draws` outputs."""
    for start in range(0, draws, BLOCK):
        shape = (min(BLOCK, draws - start), T)
        yield rng.random(shape) < rate, rng.standard_normal(shape)


def independent_delta(kappa: float, eps: float, T: int, rate: float, rounded: Rounded) -> float:
    """delta of the pair at lam = 0, both directions, from privacy loss distributions that are composed by FFT.

    Rounded up it is an upper bound. Rounded down it is attained, also on batches of fixed size, by a record among
    others whose gradients are all zero.
    """
    require_known(Rounded, rounded=rounded)
    require_positive(kappa=kappa)
    require_steps(T, rate)
    delta = float(_composed(kappa, T, rate, rounded).get_delta_for_epsilon(eps))
    # Rounded down, the mass that is cut off and the mass that rounding may add are subtracted again.
    return delta if rounded == "up" else max(0.0, delta - 2.0 * _CUT - T * losses.ROUNDING)


@lru_cache(maxsize=2)
def _composed(kappa: float, T: int, rate: float, rounded: Rounded) -> PrivacyLossDistribution:
    """Privacy losses of T steps; cached, because a search for epsilon asks for the same ones again and again."""
    step = _grid_step(kappa, T, rate, rounded)
    if rounded == "up":
        return losses.sampled_gaussian(kappa, rate, T, step, _CUT)
    distribution = privacy_loss_distribution.from_gaussian_mechanism(
        kappa, pessimistic_estimate=False, value_discretization_interval=step, sampling_prob=rate,
        use_connect_dots=False,
    )  # fmt: skip
    return losses.self_compose(distribution, T, _CUT)


def _grid_step(kappa: float, T: int, rate: float, rounded: Rounded) -> float:
    """The step of the grid of losses, in proportion to them, because a fixed one hides those of a small epsilon."""
    sd = rate * math.sqrt(math.expm1(kappa**-2)) if kappa > _SMALLEST else math.inf
    if rounded == "up":
        return min(_UP, _UP_OF_SD * sd)
    if math.isinf(sd):
        return max(_DOWN, _DOWN_A_STEP * T)
    whole, largest = math.sqrt(T) * sd, math.log1p(rate * math.expm1((0.5 + 8.0 * kappa) / kappa**2))
    fine = max(2.0 * _LOST_OF_SD * whole / T, 20.0 * whole / _POINTS, largest / _POINTS_A_STEP)
    return min(max(_DOWN, _DOWN_A_STEP * T), fine)


def log_ratio(x: Array, kappa: float, rate: float, lam: float) -> Array:
    """Log likelihood ratio `log dP/dQ` at outputs x of shape (N, T), shape (N,)."""
    require_positive(kappa=kappa)
    require_steps(x.shape[-1], rate, lam)
    return log_ratio_by_product(x, kappa, rate) if lam == 0.0 else log_ratio_by_states(x, kappa, rate, lam)


def log_ratio_by_product(x: Array, kappa: float, rate: float) -> Array:
    """Log likelihood ratio `sum_t log(1 - r + r exp((x_t - 1/2) / kappa^2))` for lam = 0, shape (N,)."""
    absent = math.log1p(-rate) if rate < 1.0 else -math.inf
    return np.asarray(np.logaddexp(absent, math.log(rate) + (x - 0.5) / kappa**2).sum(axis=-1))


def log_ratio_by_states(x: Array, kappa: float, rate: float, lam: float, points: int | None = None) -> Array:
    """Log likelihood ratio for lam > 0, shape (N,), by the recursion in the module's docstring.

    `points` is the number of Chebyshev points; None means `number_of_points`.
    """
    T = x.shape[-1]
    points = number_of_points(kappa, T, rate, lam) if points is None else points
    pieces = [slice(start, start + BLOCK) for start in range(0, len(x), BLOCK)]
    return np.concatenate([_backwards(np.ascontiguousarray(x[piece].T), kappa, rate, lam, points) for piece in pieces])


def number_of_points(kappa: float, T: int, rate: float, lam: float) -> int:
    """Number of Chebyshev points with which losses are accurate to about 1e-12.

    As a function of a, V is a mixture of exponentials of `(a c - a^2 D / 2) / kappa^2` with `D = sum_{s<T} lam^2s`, of
    width kappa / sqrt(D); the number is proportional to the range of states divided by that width.
    """
    widths = largest_state(lam) * math.sqrt(float(column_sum(T, lam * lam))) / kappa
    return 14 + math.ceil(3.0 * widths)


def largest_state(lam: float) -> float:
    """Upper bound 1 / (1 - lam) on all states; none reaches it."""
    return 1.0 / (1.0 - lam)


def _most(x: Array, kappa: float, rate: float, lam: float, sign: float) -> Array:
    """Upper bounds on the log likelihood ratio at outputs x (sign 1), or on its negative (sign -1), shape (N,).

    `|C y|^2 = sum_t y_t |c_t|^2 + 2 sum_(s<t) y_s y_t c_s'c_t` for the columns c_t of C, none of whose products is
    negative. Without the last sum the ratio is larger, and a product over steps. The omission adds at most the mean of
    that sum divided by 2 kappa^2, under the law of y in that product (Gibbs' inequality).
    """
    T = x.shape[1]
    squares = column_sum(T - np.arange(T), lam * lam)
    weights = encode(x[:, ::-1], lam)[:, ::-1] - 0.5 * squares
    weights /= kappa**2
    with np.errstate(all="ignore"):
        np.exp(weights, out=weights)
        weights *= rate
        ratios = weights + (1.0 - rate)
        product = ratios.prod(axis=1)
        bound = sign * np.log(product)
        if sign < 0.0:
            weights /= ratios
            bound += 0.5 * (np.sum(encode(weights, lam) ** 2, axis=1) - weights**2 @ squares) / kappa**2
    # A product that leaves the range of numbers, or loses digits near its end, gives no bound.
    return np.where(np.isfinite(bound) & (product > 1e-290), bound, np.inf)


def _losses(
    y: NDArray[np.bool_], z: Array, kappa: float, rate: float, lam: float, direction: Direction
) -> Array:  # fmt: skip
    if direction == "P|Q":
        return log_ratio(encode(y, lam) + kappa * z, kappa, rate, lam)
    return -log_ratio(kappa * z, kappa, rate, lam)


def _backwards(x: Array, kappa: float, rate: float, lam: float, points: int) -> Array:
    """Computes log V_0(0), shape (block,), for outputs of shape (T, block)."""
    T = len(x)
    states, step_back = _step_back(points, largest_state(lam), rate, lam)
    slope, offset = states[:, None] / kappa**2, -0.5 * (states[:, None] / kappa) ** 2
    V, log_scale = np.ones((points, x.shape[1])), np.zeros(x.shape[1])
    weights = np.empty_like(V)
    with np.errstate(over="ignore", invalid="ignore"):
        for t in range(T - 1, -1, -1):
            np.multiply(slope, x[t], out=weights)
            weights += offset
            np.exp(weights, out=weights)
            weights *= V
            np.matmul(step_back, weights, out=V)
            largest = V.max(axis=0)
            V /= largest
            log_scale += np.log(largest)
    # Negated, because V is NaN where weights overflowed.
    if not V[0].min() >= _LOST:
        raise ValueError(f"kappa={kappa:.4g} is too small at lam={lam}: give a larger one, losses are lost in rounding")
    return np.asarray(np.log(V[0]) + log_scale)


@cache
def _step_back(points: int, largest: float, rate: float, lam: float) -> tuple[Array, Array]:
    """Chebyshev points of the states from 0 on, and the matrix that maps w_t V_t to V_(t-1) at these points."""
    nodes = -np.cos(np.pi * np.arange(points) / (points - 1))
    states = 0.5 * largest * (1.0 + nodes)
    states[0] = 0.0
    basis = chebyshev.chebvander(nodes, points - 1)

    def values_at(a: Array) -> Array:
        wanted = chebyshev.chebvander(2.0 * a / largest - 1.0, points - 1)
        return np.asarray(np.linalg.solve(basis.T, wanted.T).T)

    return states, (1.0 - rate) * values_at(lam * states) + rate * values_at(lam * states + 1.0)
