"""DP-FTRL on a stream: descent with clipped gradients and correlated noise (choquettechoo2023 Algorithm 1).

Every step uses one new record. Linear regression in the eigenbasis of its inputs (eq. 8) and the estimation of a mean
(Sec. 2.1) are run for many arms and seeds side by side; `dp_ftrl_epochs` has the same algorithm in epochs. Records are
drawn block by block, or supplied (`single_pass`). Without clipping the algorithm is called Noisy-FTRL; with independent
noise it is (DP-)SGD. The correlated noise is an argument, one array or blocks of steps, so that this module does not
depend on noise strategies. The tests contain plain loops with the same results.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms import memory
from dpdescent.algorithms.records import Drawn, Given, Records
from dpdescent.checks import require_finite_values, require_non_negative, require_positive

Array = NDArray[np.float64]
Noise = Array | Iterable[Array] | None

# Number of values in the iterates of one block of steps (512 kB), so that a block and its noise stay in the cache. It
# changes no result, because every row of every step is computed separately.
BLOCK = 1 << 16

# Stand-in for the norm of a record with x = 0, whose gradient is zero and never clipped, because it avoids 1 / 0.
TINY = 1e-150

memory.keep_freed()


@dataclass(frozen=True)
class FTRLArms:
    """Settings of runs on a stream that share its records.

    Attributes:
        eta: learning rates, shape (arms,).
        clip_norm: clip norms G, shape (arms,); inf switches clipping off (Noisy-FTRL).
        noise_sd: factor of the correlated noise, shape (arms,); 0 switches the noise off.
    """

    eta: Array
    clip_norm: Array
    noise_sd: Array

    def __post_init__(self) -> None:
        require_one_each(eta=self.eta, clip_norm=self.clip_norm, noise_sd=self.noise_sd)
        require_positive(eta=self.eta.min(), clip_norm=self.clip_norm.min())
        require_non_negative(noise_sd=self.noise_sd.min())
        if not self.noise_sd.max() < np.inf:
            raise ValueError(f"noise_sd={self.noise_sd.max()} must be finite: take noise of finite sensitivity")

    def __len__(self) -> int:
        return len(self.eta)


@dataclass(frozen=True)
class Runs:
    """Results of runs on a stream.

    Attributes:
        excess: F_t - F* at the recorded steps, shape (arms, seeds, recorded steps).
        tail_mean: mean of F_t - F* over the last `tail` steps, shape (arms, seeds); NaN where there is no tail.
        clipped: fraction of the T gradients that were clipped, shape (arms, seeds).
        theta: last iterates minus theta*, shape (arms, seeds, d); the iterates themselves where records are supplied.
        average: mean of the last `tail` iterates, minus theta* or not, like theta; NaN where there is no tail.
        path: iterates 1 to T, minus theta* or not, like theta, shape (T, arms, seeds, d), or None if they were not
            asked for.
    """

    excess: Array
    tail_mean: Array
    clipped: Array
    theta: Array
    average: Array
    path: Array | None = None


def regression(
    lam: Array, arms: FTRLArms, start: Array, steps: int, data: Sequence[np.random.Generator], noise: Noise, *,
    sigma_sgd: float | Array = 0.0, record: Sequence[int] = (), tail: int = 0,
) -> Runs:  # fmt: skip
    """Runs linear regression on a stream, batch size 1: `theta <- theta - eta (clip(g_t) + noise_sd w~_t)`.

    Inputs are x_t ~ N(0, diag(lam)) and theta stands for theta - theta*, so that `g_t = x_t (x_t'theta - xi_t)` with
    xi_t ~ N(0, sigma_sgd^2), and `F_t - F* = 1/2 sum_j lam_j theta_j^2` (choquettechoo2023 eq. 8 and Sec. 2.2).

    A run depends only on its own arm, its own generator and its own noise, to the last bit: not on the other arms and
    seeds of the call, nor on the blocks of the noise. Arms of one seed share x and xi.

    Args:
        lam: eigenvalues of the inputs' covariance, shape (d,).
        arms: settings of the runs.
        start: theta_0 - theta*, shape (d,).
        steps: number of steps T.
        data: one generator of records per seed.
        noise: correlated noise w~, shape (at least T, arms or 1, seeds or 1, d), or consecutive blocks of it along the
            first axis; an axis of length 1 is shared. None where every noise_sd is 0.
        sigma_sgd: sd of the residual noise xi; one number, or one per arm, shape (arms,).
        record: steps t in 0..T at which the excess risk F_t - F* is recorded.
        tail: number of last steps over which the excess risk and the iterates are averaged.

    Raises:
        ValueError: if an argument is out of its range, or the noise does not fit or ends before T steps.
    """
    require_positive(lam=lam.min(), steps=steps)
    require_finite_values(lam=lam, start=start)
    require_non_negative(sigma_sgd=np.min(sigma_sgd))
    if start.shape != lam.shape or not data:
        raise ValueError(f"start has shape {start.shape}, not lam's {lam.shape}, or there is no seed: {len(data)}")
    if not 0 <= tail <= steps or any(not 0 <= t <= steps for t in record):
        raise ValueError(f"tail={tail} and record={list(record)} must lie between 0 and T={steps}")
    if np.shape(sigma_sgd) not in ((), (len(arms),)):
        raise ValueError(f"sigma_sgd of shape {np.shape(sigma_sgd)} must be one number, or one for each of {len(arms)}")
    stream = _Stream(Drawn(lam, data, steps, sigma_sgd), arms, (len(arms), len(data), len(lam)), steps)
    kept = _Kept(lam, [*record, *range(steps - tail + 1, steps + 1)], stream.shape[:2])
    average = _Average(stream.shape, steps, tail)
    for t, path in stream.paths(start, noise):
        kept.look(path, t)
        average.look(path, t)
    excess, last = np.split(kept.excess, [len(record)], axis=2)
    mean = last.mean(2) if tail else np.full(stream.shape[:2], np.nan)
    return Runs(excess, mean, stream.clipped / steps, stream.path[0].copy(), average.mean)


def single_pass(
    X: Array, Y: Array, arms: FTRLArms, start: Array, noise: Noise, *, tail: int = 0, record: bool = False
) -> Runs:  # fmt: skip
    """Runs linear regression as `regression` does, but on supplied records: step t uses record t.

    The runs have one seed. F* is unknown, so that `excess` is empty and `tail_mean` is NaN.

    Args:
        X: inputs, shape (T, d).
        Y: labels, shape (T, arms or 1).
        arms: settings of the runs.
        start: theta_0, shape (d,).
        noise: as for `regression`, with one seed.
        tail: number of last iterates that are averaged.
        record: whether to keep all iterates.

    Raises:
        ValueError: if shapes do not fit, there is no record, a value is not finite, or the tail is longer than the run.
    """
    if X.ndim != 2 or 0 in X.shape or Y.shape not in ((len(X), 1), (len(X), len(arms))) or start.shape != X.shape[1:]:
        raise ValueError(
            f"X {X.shape} must be (T, d), Y {Y.shape} (T, 1 or {len(arms)} arms), start {start.shape} (d,)"
        )
    if not 0 <= tail <= len(X):
        raise ValueError(f"tail={tail} must lie between 0 and T={len(X)}")
    require_finite_values(X=X, Y=Y, start=start)
    stream = _Stream(Given(X, Y), arms, (len(arms), 1, X.shape[1]), len(X))
    average, kept = _Average(stream.shape, len(X), tail), []
    for t, path in stream.paths(start, noise):
        average.look(path, t)
        if record and t:
            kept.append(path.copy())
    nothing, clipped = np.empty((len(arms), 1, 0)), stream.clipped / len(X)
    whole = np.concatenate(kept) if record else None
    return Runs(nothing, np.full((len(arms), 1), np.nan), clipped, stream.path[0].copy(), average.mean, whole)


class _Stream:
    """Steps of all runs in blocks; `path` holds the iterates of the current block, its starting point first."""

    def __init__(self, records: Records, arms: FTRLArms, shape: tuple[int, int, int], steps: int) -> None:
        self.records, self.arms, self.shape, self.steps = records, arms, shape, steps
        self.length = min(steps, max(8, BLOCK // (shape[0] * shape[1] * shape[2])))
        self.path = np.empty((self.length + 1, *shape))
        self.x = np.empty((shape[1], self.length, shape[2]))
        self.clipped = np.zeros(shape[:2])

    def paths(self, start: Array, noise: Noise) -> Iterator[tuple[int, Array]]:
        """Yields (t, theta_t and later iterates) per block, shape (steps, arms, seeds, d), without overlap."""
        self.path[0] = start
        yield 0, self.path[:1]
        for t, block in blocks_of(noise, self.steps, self.length, self.shape, silent=not self.arms.noise_sd.any()):
            self.run(t, block)
            yield t + 1, self.path[1 : len(block) + 1]
            self.path[0] = self.path[len(block)]

    def run(self, t: int, noise: Array) -> None:
        """Makes the steps from t on, one per row of `noise`."""
        n = len(noise)
        labels = self.records.take(t, self.x[:, :n])
        limit = self._limits(n)
        scaled = (self.arms.eta * self.arms.noise_sd)[:, None, None] * noise
        eta, residuals = self.arms.eta[:, None], np.empty((n, *self.path.shape[1:3]))
        step, step_in_theta = np.empty(residuals.shape[1:]), np.empty(self.path.shape[1:])
        factor = step[:, :, None]
        # Views per iteration, because indexing an array costs as much as the arithmetic of a small one.
        iterations = zip(
            self.x[:, :n].swapaxes(0, 1), self.path, self.path[1:], residuals, labels, scaled, strict=False
        )
        for i, (x, now, new, residual, label, added) in enumerate(iterations):
            np.vecdot(x, now, out=residual)
            residual -= label
            if limit is not None:
                # The residual is clipped in place of the gradient, because |g| = |residual| |x|.
                np.maximum(np.minimum(residual, limit[i], out=step), -limit[i], out=step)
                residual = step
            np.multiply(eta, residual, out=step)
            np.multiply(factor, x, out=step_in_theta)
            np.subtract(now, step_in_theta, out=new)
            new -= added
        if limit is not None:
            self.clipped += (np.abs(residuals) > limit).sum(0)

    def _limits(self, n: int) -> Array | None:
        """Largest residuals that n steps leave unclipped, shape (n, arms, seeds); None where nothing is clipped."""
        if not (self.arms.clip_norm < np.inf).any():
            return None
        x = self.x[:, :n]
        norms = np.maximum(np.sqrt(np.vecdot(x, x)), TINY).T
        limits: Array = self.arms.clip_norm[:, None] / norms[:, None, :]
        return limits


class _Average:
    """Accumulator of the mean of the last iterates."""

    def __init__(self, shape: tuple[int, ...], steps: int, tail: int) -> None:
        self.first, self.tail, self.total = steps - tail + 1, tail, np.zeros(shape)

    def look(self, path: Array, t: int) -> None:
        """Adds the iterates of `path` (theta_t and later ones, shape (steps, arms, seeds, d)) that are in the tail."""
        # One after another, because a sum over the block would depend on the positions of blocks.
        for theta in path[max(0, self.first - t) :]:
            self.total += theta

    @property
    def mean(self) -> Array:
        """Mean of the last `tail` iterates, shape (arms, seeds, d); NaN where there is no tail."""
        return self.total / self.tail if self.tail else np.full(self.total.shape, np.nan)


class _Kept:
    """Excess risk at the recorded steps."""

    def __init__(self, lam: Array, steps: Sequence[int], shape: tuple[int, int]) -> None:
        self.lam, self.steps = lam, np.array(steps, dtype=np.intp)
        # Time is the last axis, because a mean over it then adds up each run separately.
        self.excess = np.empty((*shape, len(steps)))

    def look(self, path: Array, t: int) -> None:
        """Computes the excess risk at the recorded steps in `path`: theta_t and later ones, (steps, arms, seeds, d)."""
        places = np.flatnonzero((t <= self.steps) & (self.steps < t + len(path)))
        if len(places):
            theta = path[self.steps[places] - t]
            self.excess[:, :, places] = 0.5 * np.moveaxis(np.vecdot(theta * self.lam, theta), 0, 2)


def mean_estimation(eta: Array, values: Array, noise: Array, start: float = 0.0) -> Array:
    """Deviations of the private running mean, `delta <- (1 - eta) delta + eta (z_t - w~_t)`, with no clipping.

    It is choquettechoo2023 Algorithm 1 on `f(theta; z) = z^2/2 - z theta` with regulariser theta^2/2 (Sec. 2.1, App.
    B); clipping at 1 would not change records in [-1, 1]. F_t - F* is the expectation of delta_t^2, without a half.

    Args:
        eta: learning rates, shape (arms,), in (0, 1].
        values: records minus their mean, shape (T, seeds).
        noise: correlated noise on the scale of the records, shape (T, arms or 1, seeds).
        start: delta_0.

    Returns:
        delta_1..delta_T, shape (T, arms, seeds).

    Raises:
        ValueError: if an eta lies outside (0, 1] or the shapes do not fit.
    """
    if not (eta.min() > 0.0 and eta.max() <= 1.0):
        raise ValueError(f"eta, from {eta.min()} to {eta.max()}, must lie in (0, 1]")
    if noise.shape not in {(len(values), arms, values.shape[1]) for arms in (1, len(eta))}:
        raise ValueError(f"noise of shape {noise.shape} does not fit values of {values.shape} and {len(eta)} arms")
    require_finite_values(values=values)
    # Imported here, because the import takes longer than many runs, and most users of this module filter nothing.
    from scipy.signal import lfilter

    pulls = eta[:, None] * (values[:, None, :] - noise)
    paths = []
    for a, rate in enumerate(eta.tolist()):
        keep = 1.0 - rate
        initial = np.full((1, values.shape[1]), keep * start)
        paths.append(lfilter([1.0], [1.0, -keep], pulls[:, a], axis=0, zi=initial)[0])
    return np.stack(paths, axis=1)


def blocks_of(
    noise: Noise, steps: int, length: int, shape: tuple[int, ...], silent: bool
) -> Iterator[tuple[int, Array]]:
    """Yields noise as pairs (first step, noise of at most `length` steps) until T steps are covered.

    Args:
        noise: one array, blocks of it, or None for zeros.
        steps: number of steps T.
        length: largest number of steps in a block.
        shape: shape to which the noise of one step is broadcast.
        silent: whether no arm has any noise; only then may `noise` be None.

    Raises:
        ValueError: if the noise is missing, does not fit, or ends before T steps.
    """
    if noise is None:
        if not silent:
            raise ValueError("noise=None, but an arm asks for noise: hand it over, or set its scale to 0")
        noise = np.broadcast_to(0.0, (steps, *shape))
    t = 0
    for piece in [noise] if isinstance(noise, np.ndarray) else noise:
        # An axis of length 1 is shared, but never the last, because the noise of two coordinates is independent.
        fits = piece.ndim == len(shape) + 1 and piece.shape[-1] == shape[-1]
        if not fits or any(have not in (1, want) for have, want in zip(piece.shape[1:], shape, strict=True)):
            raise ValueError(f"noise of shape {piece.shape} does not fit (steps, {', '.join(map(str, shape))})")
        for start in range(0, min(len(piece), steps - t), length):
            part = piece[start : min(start + length, steps - t)]
            yield t + start, part
        t += min(len(piece), steps - t)
        if t == steps:
            return
    raise ValueError(f"the noise ends after {t} of T={steps} steps: give as many rows as steps")


def require_one_each(**values: Array) -> None:
    """Raises ValueError unless all settings have the same, positive number of arms."""
    lengths = {name: len(value) for name, value in values.items()}
    if len(set(lengths.values())) != 1 or 0 in lengths.values():
        raise ValueError(f"one value an arm is needed, but there are {lengths}")
