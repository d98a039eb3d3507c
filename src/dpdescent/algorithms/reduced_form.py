"""DP gradient descent of regressors, and of the outcome, on instruments: first stage and reduced form.

Every column of (x, y) is regressed on z by full-batch gradient descent with clipped gradients `z v'`, where v are the
residuals of a record's columns. The mean of the later iterates is released, and after it the second moment of clipped
gradients. Together with the slope that the later iterates show (`reduced_form_evidence`), these releases give an
Anderson-Rubin set (`dpdescent.anderson_rubin`). The set holds its level however weak the instruments are, if clipping
does not shift the mean gradient. Without the outcome and the second moment this is the first stage of DP-IV-GD.

Privacy, under replacement of one record of n: a mean of vectors that are clipped at gamma moves by 2 gamma / n at most.
A mean of g g' with |g| <= gamma moves by sqrt(2) gamma^2 / n in Frobenius norm, because |gg' - hh'|^2 = |g|^4 + |h|^4 -
2 (g'h)^2 <= 2 gamma^4, and by gamma^2 / n where g is a number. Its noise is symmetric: sd sigma on the diagonal and
sigma / sqrt(2) off it, which is sd sigma in every coordinate of an orthonormal basis of the symmetric matrices.
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms import clipped_linear_sums
from dpdescent.algorithms.clipped_linear_sums import ClippedLinearSums, Lines, worth_sorting
from dpdescent.checks import require_non_negative, require_positive
from dpdescent.data.iv import IVSample
from dpdescent.noise.schedule import weights_in_average
from dpdescent.privacy.clipping import clip_factors, mean_sensitivity
from dpdescent.privacy.events import GaussianReleases

Array = NDArray[np.float64]


# Number of gradient values per block (1 MB): whole runs are processed together while they fit.
BLOCK = 1 << 17


def moment_sensitivity(gamma: float, n: int, size: int) -> float:
    """Sensitivity of the mean of g g', where |g| <= gamma and g has `size` entries, in Frobenius norm, replace-one.

    Raises:
        ValueError: if it is beyond double precision, because its noise would be 0 or infinite.
    """
    if 0.0 < gamma < math.inf and not sys.float_info.min <= float(gamma) * float(gamma) / n < math.inf:
        raise ValueError(
            f"threshold={gamma}: the sensitivity of a second moment is beyond double precision at n={n}, and noise for "
            "it too; take one of ordinary size"
        )
    return (math.sqrt(2.0) if size > 1 else 1.0) * gamma**2 / n


def symmetric(normals: Array) -> Array:
    """Symmetric noise with unit sd on the diagonal and sd 1 / sqrt(2) off it, from lower triangles."""
    below = np.tril(normals, -1) / math.sqrt(2.0)
    return np.asarray(below + below.swapaxes(1, 2) + np.eye(normals.shape[1]) * normals)


def variance_in_held(second_moment: Array, eta: float, steps: int, kept: int, noise_sd: float) -> Array:
    """Covariance of every column of the noise in the mean of later iterates, shape (q, q), for a slope (q, q)."""
    values, vectors = np.linalg.eigh(second_moment)
    squares = [(weights_in_average(eta, [value], steps, kept) ** 2).sum() for value in values.tolist()]
    return np.asarray(noise_sd**2 * (vectors * squares) @ vectors.T)


def require_second_moment(A: Array) -> None:
    """Checks a public second moment of instruments.

    Raises:
        ValueError: if it is not symmetric and positive definite.
    """
    if A.ndim != 2 or A.shape[0] != A.shape[1] or not np.allclose(A, A.T) or not np.linalg.eigvalsh(A).min() > 0.0:
        raise ValueError(f"second_moment of shape {A.shape} must be symmetric and positive definite, shape (q, q)")


def counted(samples: Sequence[IVSample]) -> Array | None:
    """Number of records per row, shape (data sets, rows); None where every row is one record."""
    if all(sample.count is None for sample in samples):
        return None
    return np.stack([sample.weights for sample in samples])


def share_of(over: NDArray[np.bool_], n: int, count: Array | None) -> Array:
    """Share of n gradients that exceed a threshold, per run; rows have shape (runs, rows)."""
    total = np.count_nonzero(over, axis=1) if count is None else (over * count).sum(1)
    return np.asarray(total / n)


def held_mean(
    Z: Array, X: Array, eta: float, gamma: float, noise_sd: float, kept: int, normals: Array,
    count: Array | None = None, path: Array | None = None,
) -> tuple[Array, Array]:  # fmt: skip
    """Descends from zero; returns the mean of the later iterates and the share of clipped gradients.

    Args:
        Z: instruments, one column per record, shape (runs or 1, q, n).
        X: columns that are regressed on the instruments, shape (runs or 1, p, n).
        eta: step size.
        gamma: clipping threshold of a record's gradient, in Frobenius norm.
        noise_sd: noise sd on the mean gradient.
        kept: number of last iterates in the mean.
        normals: standard normals, shape (runs, steps, q, p).
        count: number of records per column, shape (runs or 1, n); None means one each.
        path: array for the later iterates, shape (runs, kept, q, p), or None if they are not wanted.

    Returns:
        The mean, shape (runs, q, p), and the share, shape (runs,).
    """
    runs, steps, q, p = normals.shape
    if p == q == 1 and count is None and path is None and worth_sorting(Z[:, 0], Z[:, 0], X[:, 0]):
        return _held_by_lines(Z[:, 0], X[:, 0], eta, gamma, noise_sd * normals[:, :, 0, 0], kept)
    Theta, total, clipped = np.zeros((runs, p, q)), np.zeros((runs, p, q)), np.zeros(runs)
    n = Z.shape[2] if count is None else int(count[0].sum())
    z_norms, weighted = np.linalg.norm(Z, axis=1), Z if count is None else Z * count[:, None]
    across = np.ascontiguousarray(weighted.swapaxes(1, 2))
    for t in range(steps):
        V = Theta @ Z
        V -= X
        norms = z_norms * (np.abs(V[:, 0]) if p == 1 else np.linalg.norm(V, axis=1))
        clipped += share_of(norms > gamma, n * steps, count)
        V *= clip_factors(norms, gamma)[:, None, :]
        Theta = Theta - eta * (V @ across / n + noise_sd * normals[:, t].swapaxes(1, 2))
        if t >= steps - kept:
            total += Theta / kept
            if path is not None:
                path[:, t - steps] = Theta.swapaxes(1, 2)
    return total.swapaxes(1, 2), clipped


def _held_by_lines(
    z: Array, x: Array, eta: float, gamma: float, noise: Array, kept: int
) -> tuple[Array, Array]:  # fmt: skip
    """The result of `held_mean` where p = q = 1, from sorted records: clipped gradients are clipped lines in Theta.

    Args:
        z, x: instrument and regressor, shape (runs or 1, n).
        eta, gamma, kept: as for `held_mean`.
        noise: noise on the mean gradient, shape (runs, steps).
    """
    means, clipped, cut = np.empty((len(noise), 1, 1)), np.empty(len(noise)), None
    for k, added in enumerate(noise):
        if cut is None or len(z) > 1 or len(x) > 1:
            own_z, own_x = (rows[k if len(rows) > 1 else 0] for rows in (z, x))
            cut = ClippedLinearSums.of(Lines.of(own_z * own_z, own_z * own_x), gamma)
        path, over = clipped_linear_sums.descend(cut, eta, added.tolist())
        means[k], clipped[k] = np.mean(path[-kept:]), over / (z.shape[1] * len(path))
    return means, clipped


@dataclass(frozen=True)
class Settings:
    """Public settings of a run that releases first stage and reduced form.

    Attributes:
        steps: number of steps.
        kept: number of last iterates whose mean is released.
        eta: step size.
        gamma: clipping threshold of a record's gradient, on |z| |(x, y/unit) - D'z|, finite.
        noise_sd: noise sd on the mean gradient.
        moment_sd: noise sd of the released second moment.
        unit: divisor of the outcomes, which gives the residuals of all columns similar sizes.
        second_moment: second moment E[zz'] of the instruments, shape (q, q), public.

    Raises:
        ValueError: if a value is out of its range.
    """

    steps: int
    kept: int
    eta: float
    gamma: float
    noise_sd: float
    moment_sd: float
    unit: float
    second_moment: Array

    def __post_init__(self) -> None:
        require_positive(**{name: getattr(self, name) for name in ("steps", "kept", "eta", "gamma", "unit")})
        require_non_negative(noise_sd=self.noise_sd, moment_sd=self.moment_sd)
        for name in ("gamma", "noise_sd", "moment_sd"):
            if not getattr(self, name) < math.inf:
                raise ValueError(f"{name}={getattr(self, name)} must be finite")
        if self.kept > self.steps:
            raise ValueError(f"kept={self.kept} must be at most steps={self.steps}")
        require_second_moment(self.second_moment)

    def variance(self, slope: Array) -> Array:
        """Covariance of the noise in the released mean, for a slope of the mean gradient of that symmetric shape."""
        return variance_in_held(slope, self.eta, self.steps, self.kept, self.noise_sd)

    def releases(self, n: int, p: int) -> tuple[GaussianReleases, GaussianReleases]:
        """The releases of a run on n records with p regressors and one outcome; their costs add up."""
        size = len(self.second_moment) * (p + 1)
        sensitivity = moment_sensitivity(self.gamma, n, size)
        return (
            GaussianReleases("clipped mean gradient of first stage and reduced form", mean_sensitivity(self.gamma, n),
                             self.noise_sd, self.steps),
            GaussianReleases("second moment of these clipped gradients", sensitivity, self.moment_sd, 1),
        )  # fmt: skip


@dataclass(frozen=True)
class Normals:
    """Standard normal draws of runs.

    Attributes:
        steps: normals of the steps, shape (runs, steps, q, p + 1).
        moment: normals of the second moment, shape (runs, q (p + 1), q (p + 1)), of which the lower triangle is used.
    """

    steps: Array
    moment: Array

    @classmethod
    def draw(cls, rng: np.random.Generator, settings: Settings, runs: int, p: int) -> "Normals":
        """Draws the normals of some runs."""
        q = len(settings.second_moment)
        size = q * (p + 1)
        return cls(*(rng.standard_normal((runs, *shape)) for shape in ((settings.steps, q, p + 1), (size, size))))


@dataclass(frozen=True)
class Released:
    """Releases of runs, and the share of gradients that they clipped.

    Attributes:
        D: mean of the later iterates, shape (runs, q, p + 1); the last column belongs to the outcome divided by the
            unit.
        moment: second moment of clipped gradients z v' at D, with noise, shape (runs, q (p + 1), q (p + 1)); entry (i,
            j) of a gradient has the index j q + i.
        path: the later iterates, shape (runs, kept, q, p + 1).
        clipped: share of clipped gradients over all steps, shape (runs,); not released.
    """

    D: Array
    moment: Array
    path: Array
    clipped: Array


def descend(samples: Sequence[IVSample], settings: Settings, normals: Normals) -> Released:
    """Regresses (x, y/unit) on z from zero, once per set of normals.

    Args:
        samples: one data set per run, or a common one, all with the same shape; counts of repeated rows are honoured.
        settings: public settings of all runs.
        normals: the noise.

    Raises:
        ValueError: if shapes do not fit.
    """
    runs, _, q, columns = normals.steps.shape
    require_alike(samples, runs)
    if (samples[0].q, samples[0].p + 1) != (q, columns) or q != len(settings.second_moment):
        raise ValueError(
            f"{samples[0].q} instruments and {samples[0].p} regressors do not fit normals for {q} and {columns - 1}"
        )
    width = max(1, BLOCK // (len(samples[0].y) * q * columns))
    parts = []
    for start in range(0, runs, width):
        cut = slice(start, start + width)
        chosen = samples if len(samples) == 1 else samples[cut]
        parts.append(_block(chosen, settings, normals.steps[cut], normals.moment[cut]))
    names = [field.name for field in fields(Released)]
    return Released(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def _block(samples: Sequence[IVSample], settings: Settings, steps: Array, moment: Array) -> Released:
    """Several runs side by side, one column per record, because products with few coefficients run along memory."""
    Z = np.stack([sample.Z.T for sample in samples])
    X = np.stack([np.vstack([sample.X.T, sample.y / settings.unit]) for sample in samples])
    count, n = counted(samples), samples[0].n
    path = np.empty((len(steps), settings.kept, *steps.shape[2:]))
    D, clipped = held_mean(
        Z, X, settings.eta, settings.gamma, settings.noise_sd, settings.kept, steps, count, path
    )  # fmt: skip
    V = X - D.swapaxes(1, 2) @ Z
    V *= clip_factors(np.linalg.norm(Z, axis=1) * np.linalg.norm(V, axis=1), settings.gamma)[:, None, :]
    g = (V[:, :, None, :] * Z[:, None, :, :]).reshape(len(V), -1, Z.shape[2])
    weighted = g if count is None else g * count[:, None]
    released_moment = weighted @ g.swapaxes(1, 2) / n + settings.moment_sd * symmetric(moment)
    return Released(D, released_moment, path, clipped)


def require_alike(samples: Sequence[IVSample], runs: int) -> None:
    """Checks that there is one data set, or one per run, and that they share a shape.

    Raises:
        ValueError: if this is not so.
    """
    if len(samples) not in (1, runs):
        raise ValueError(f"{len(samples)} data sets for {runs} runs: give one for each, or one for all")
    if len({(sample.n, len(sample.y), sample.p, sample.q) for sample in samples}) > 1:
        raise ValueError("data sets must share n, p, q and their number of rows")
