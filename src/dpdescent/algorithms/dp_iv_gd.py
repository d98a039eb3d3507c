"""DP-IV-GD: two-stage gradient descent for instrumental variables, with a path from which intervals follow.

Stage 1 is the first stage of DP-2S-GD (liang2025 Algorithm 1). The mean Theta of its later iterates is held fixed, and
stage 2 descends along the instrumental-variable equation `Theta'z (x'beta - y)` instead of `Theta'z (z'Theta beta -
y)`. For any fixed Theta the mean of the former vanishes at the true beta, so that noise of the first stage costs
variance but no bias of first order. Theta is divided by the scale of the fitted regressors, so that a threshold of the
second stage needs no knowledge of the first. A preconditioner from the released Theta makes all directions contract at
about the same rate. Last, the second moment of the clipped gradients is released, from which an interval for the true
beta follows (`intervals.sandwich_intervals`).

Privacy, under replacement of one record of n: gradients are clipped at gamma1 and gamma2, so that a replaced record
moves the mean of either stage by 2 gamma / n at most. The second moment is a mean of g g' with |g| <= gamma2. It moves
by sqrt(2) gamma2^2 / n, or by gamma2^2 / n where p = 1 (`reduced_form`). Everything else is computed from releases.

Runs are the first axis: each has its own noise, and its own data set or a common one. The tests contain a plain loop
with the same results.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms import clipped_linear_sums
from dpdescent.algorithms.clipped_linear_sums import ClippedLinearSums, Lines, worth_sorting
from dpdescent.algorithms.reduced_form import (
    counted,
    held_mean,
    moment_sensitivity,
    require_alike,
    require_second_moment,
    share_of,
    symmetric,
    variance_in_held,
)
from dpdescent.checks import require_non_negative, require_positive
from dpdescent.data.iv import IVSample
from dpdescent.privacy import zcdp
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import GaussianReleases

Array = NDArray[np.float64]

# Number of values per block of residuals (1 MB): whole runs are processed together while they fit.
BLOCK = 1 << 17

# Lower bounds on the eigenvalues of the preconditioner's matrix. They are kept above LEAST times the largest of three
# numbers: the released eigenvalue, NARROW times the largest eigenvalue, and the noise in it, because a direction that
# is mostly noise must not determine a step.
LEAST, NARROW = 0.25, 0.05


@dataclass(frozen=True)
class Settings:
    """Public settings of a run, chosen without the data.

    Attributes:
        steps1: number of steps of the first stage.
        kept1: number of last iterates of the first stage, whose mean the second stage uses.
        steps2: number of steps of the second stage.
        burn_in: number of first iterates of the second stage that are left out of means.
        eta: step size of the first stage.
        alpha: step size of the second stage, in (0, 1], because the preconditioned Hessian is about the identity.
        gamma1, gamma2: clipping thresholds of the two stages, inf for no clipping; the second applies to a residual
            times the norm of the fitted regressors in units of their scale.
        lambda1, lambda2: noise sd on the mean gradient of each stage.
        moment_sd: noise sd sigma of the released second moment of gradients.
        second_moment: second moment E[zz'] of the instruments, shape (q, q), public, such as the identity for whitened
            ones.

    Raises:
        ValueError: if a value is out of its range.
    """

    steps1: int
    kept1: int
    steps2: int
    burn_in: int
    eta: float
    alpha: float
    gamma1: float
    gamma2: float
    lambda1: float
    lambda2: float
    moment_sd: float
    second_moment: Array

    def __post_init__(self) -> None:
        names = ("steps1", "kept1", "steps2", "eta", "alpha", "gamma1", "gamma2")
        require_positive(**{name: getattr(self, name) for name in names})
        require_non_negative(lambda1=self.lambda1, lambda2=self.lambda2, moment_sd=self.moment_sd, burn_in=self.burn_in)
        for name in ("lambda1", "lambda2", "moment_sd"):
            if not getattr(self, name) < math.inf:
                raise ValueError(f"{name}={getattr(self, name)} must be finite: take finite thresholds")
        if self.kept1 > self.steps1 or self.burn_in >= self.steps2:
            raise ValueError(
                f"kept1={self.kept1} must be at most steps1={self.steps1}, burn_in={self.burn_in} below "
                f"steps2={self.steps2}"
            )
        if self.alpha > 1.0:
            raise ValueError(f"alpha={self.alpha} must be at most 1: the preconditioned Hessian is about the identity")
        require_second_moment(self.second_moment)

    @property
    def variance_in_held(self) -> Array:
        """Covariance of every column of the noise in the mean Theta, from settings alone, shape (q, q)."""
        return variance_in_held(self.second_moment, self.eta, self.steps1, self.kept1, self.lambda1)

    def releases(self, n: int, p: int) -> tuple[GaussianReleases, GaussianReleases, GaussianReleases]:
        """The releases of a run on n records with p regressors; their costs add up."""
        first, second = mean_sensitivity(self.gamma1, n), mean_sensitivity(self.gamma2, n)
        return (
            GaussianReleases("first-stage clipped mean gradient", first, self.lambda1, self.steps1),
            GaussianReleases("second-stage clipped mean gradient", second, self.lambda2, self.steps2),
            GaussianReleases(
                "second moment of clipped gradients", moment_sensitivity(self.gamma2, n, p), self.moment_sd, 1
            ),
        )


def noise_sds(
    rho: float, parts: Sequence[float], n: int, p: int, gammas: tuple[float, float], steps: tuple[int, int]
) -> tuple[float, float, float]:
    """Returns the noise sds of both stages and of the second moment, which together spend a zCDP budget.

    Args:
        rho: zCDP budget under replace-one.
        parts: shares of the budget for the first stage, the second stage, and the second moment, with sum 1.
        n, p: number of records and of regressors.
        gammas: clipping thresholds of the two stages.
        steps: numbers of steps of the two stages.
    """
    first, second = (
        zcdp.gaussian_noise_sd(mean_sensitivity(gamma, n), rho * part, count)
        for gamma, part, count in zip(gammas, parts, steps, strict=False)
    )
    return first, second, zcdp.gaussian_noise_sd(moment_sensitivity(gammas[1], n, p), rho * parts[2])


@dataclass(frozen=True)
class Normals:
    """Standard normal draws of runs.

    Attributes:
        stage1: normals of the first stage, shape (runs, steps1, q, p).
        stage2: normals of the second stage, shape (runs, steps2, p).
        moment: normals of the second moment, shape (runs, p, p), of which the lower triangle is used.
    """

    stage1: Array
    stage2: Array
    moment: Array

    @classmethod
    def draw(cls, rng: np.random.Generator, settings: Settings, runs: int, p: int, first: bool = True) -> "Normals":
        """Draws the normals of some runs, without those of a first stage that is not run."""
        q = len(settings.second_moment)
        shapes = (settings.steps1 if first else 0, q, p), (settings.steps2, p), (p, p)
        return cls(*(rng.standard_normal((runs, *shape)) for shape in shapes))


@dataclass(frozen=True)
class Descent:
    """Releases of runs, and the share of gradients that they clipped.

    Attributes:
        Theta: mean of the later first-stage iterates, shape (runs, q, p).
        scale: root mean square of the fitted regressors Theta'z, estimated from Theta, shape (runs,).
        precondition: preconditioner P of the second stage, computed from Theta, shape (runs, p, p).
        path: second-stage iterates 1 to steps2, shape (steps2, runs, p).
        beta: mean of these iterates after the burn-in, shape (runs, p).
        moment: second moment of clipped gradients at beta, with noise, shape (runs, p, p).
        clipped1, clipped2: share of clipped gradients over all steps, shape (runs,); not released.
    """

    Theta: Array
    scale: Array
    precondition: Array
    path: Array
    beta: Array
    moment: Array
    clipped1: Array
    clipped2: Array


def descend(samples: Sequence[IVSample], settings: Settings, normals: Normals, held: Array | None = None) -> Descent:
    """Runs DP-IV-GD from zero for every set of normals.

    Args:
        samples: one data set per run, or a common one, all with the same shape; counts of repeated rows are honoured.
        settings: public settings of all runs.
        normals: the noise.
        held: Theta that another mechanism has released with the first stage's noise, shape (runs, q, p). Then no first
            stage is run, and its normals have no steps.

    Raises:
        ValueError: if shapes do not fit.
    """
    runs = len(normals.stage1)
    _require_fit(samples, settings, normals, held)
    size = len(samples[0].y) * max(samples[0].p, samples[0].q)
    width = max(1, BLOCK // size)
    parts = []
    for start in range(0, runs, width):
        cut = slice(start, start + width)
        chosen = samples if len(samples) == 1 else samples[cut]
        noise = Normals(normals.stage1[cut], normals.stage2[cut], normals.moment[cut])
        parts.append(_block(chosen, settings, noise, None if held is None else held[cut]))
    return Descent(*(
        np.concatenate([getattr(part, field.name) for part in parts], axis=1 if field.name == "path" else 0)
        for field in fields(Descent)
    ))  # fmt: skip


def _block(samples: Sequence[IVSample], settings: Settings, normals: Normals, held: Array | None) -> Descent:
    """Several runs side by side, whose residuals fit the cache."""
    # One column per record, because products with a few coefficients then run along the memory.
    Z, X = (np.stack([getattr(sample, name).T for sample in samples]) for name in ("Z", "X"))
    y, count = np.stack([sample.y for sample in samples]), counted(samples)
    if held is None:
        Theta, clipped1 = held_mean(
            Z, X, settings.eta, settings.gamma1, settings.lambda1, settings.kept1, normals.stage1, count
        )  # fmt: skip
    else:
        Theta, clipped1 = held, np.zeros(len(held))
    P, scale = preconditioner(Theta, settings)
    equation = _Equation((Theta / scale[:, None, None]).swapaxes(1, 2) @ Z, X, y, settings.gamma2, count)
    second = _by_lines if equation.lines_serve else _by_rows
    path, clipped2 = second(equation, settings, P, normals.stage2)
    beta = path[settings.burn_in :].mean(0)
    moment = equation.moment(equation.residuals(beta)[0]) + settings.moment_sd * symmetric(normals.moment)
    return Descent(Theta, scale, P, path, beta, moment, clipped1, clipped2)


def _by_rows(equation: "_Equation", settings: Settings, P: Array, normals: Array) -> tuple[Array, Array]:
    """Path of beta, shape (steps, runs, p), and share of clipped gradients, shape (runs,), from every row."""
    runs, steps, p = normals.shape
    path, beta, clipped = np.empty((steps, runs, p)), np.zeros((runs, p)), np.zeros(runs)
    for t in range(steps):
        kept, over = equation.residuals(beta)
        noisy = equation.mean(kept) + settings.lambda2 * normals[:, t]
        beta = beta - settings.alpha * (P @ noisy[:, :, None])[:, :, 0]
        path[t] = beta
        clipped += over / steps
    return path, clipped


def _by_lines(equation: "_Equation", settings: Settings, P: Array, normals: Array) -> tuple[Array, Array]:
    """The result of `_by_rows` where p = 1, from sorted rows: a clipped gradient is then a clipped line in beta."""
    runs, steps, _ = normals.shape
    path, clipped, noise = np.empty((steps, runs, 1)), np.zeros(runs), settings.lambda2 * normals[:, :, 0]
    for k, rate in enumerate((settings.alpha * P[:, 0, 0]).tolist()):
        path[:, k, 0], over = clipped_linear_sums.descend(equation.lines(k), rate, noise[k].tolist())
        clipped[k] = over / (equation.n * steps)
    return path, clipped


class _Equation:
    """The estimating equation `w (x'beta - y)` of the second stage; w are the fitted regressors divided by their scale.

    W and X have shapes (runs or 1, p, n); y has shape (runs or 1, n), and so has the count of records per row, if any.
    """

    def __init__(self, W: Array, X: Array, y: Array, gamma: float, count: Array | None = None) -> None:
        self.W, self.X, self.y, self.count = W, X, y, count
        self.gamma, self.n = gamma, y.shape[1] if count is None else int(count[0].sum())
        self.weighted = W if count is None else W * count[:, None]
        # Infinite where w = 0, because the gradient is then zero and nothing is clipped.
        norms = np.linalg.norm(W, axis=1)
        self.limit = np.divide(gamma, norms, out=np.full_like(norms, np.inf), where=norms > 0.0)

    @property
    def lines_serve(self) -> bool:
        """Whether sorted lines are better than rows, with the same results."""
        if self.X.shape[1] > 1 or self.count is not None:
            return False
        return worth_sorting(self.W[:, 0], self.X[:, 0], self.y)

    def lines(self, run: int) -> ClippedLinearSums:
        """The gradients of a run as lines in beta, where p = 1."""
        w, x, y = (rows[run if len(rows) > 1 else 0] for rows in (self.W[:, 0], self.X[:, 0], self.y))
        return ClippedLinearSums.of(Lines.of(w * x, w * y), self.gamma)

    def residuals(self, beta: Array) -> tuple[Array, Array]:
        """Clipped residuals x'beta - y, shape (runs, n), and the share that was clipped, shape (runs,)."""
        residual = (beta[:, None, :] @ self.X)[:, 0]
        residual -= self.y
        kept = np.minimum(residual, self.limit)
        np.maximum(kept, -self.limit, out=kept)
        return kept, share_of(residual != kept, self.n, self.count)

    def mean(self, kept: Array) -> Array:
        """Mean of clipped gradients, shape (runs, p)."""
        return np.asarray((self.weighted @ kept[:, :, None])[:, :, 0] / self.n)

    def moment(self, kept: Array) -> Array:
        """Mean of g g' over clipped gradients, shape (runs, p, p)."""
        g = self.W * kept[:, None, :]
        weighted = g if self.count is None else g * self.count[:, None]
        return np.asarray(weighted @ g.swapaxes(1, 2) / self.n)


def preconditioner(Theta: Array, settings: Settings) -> tuple[Array, Array]:
    """Preconditioner of the second stage, shape (runs, p, p), and scale of the fitted regressors, shape (runs,).

    Both come from Theta' A Theta minus the contribution of the noise, with a lower bound on eigenvalues. The scale is
    the root of the mean eigenvalue. The preconditioner is the inverse times the scale, because the equation is divided
    by the scale.
    """
    A = settings.second_moment
    # The columns of the noise in Theta are independent, so that it adds the same amount to every diagonal entry.
    added = float(np.trace(A @ settings.variance_in_held))
    values, vectors = np.linalg.eigh(Theta.swapaxes(1, 2) @ A @ Theta)
    least = LEAST * np.maximum(values, np.maximum(NARROW * values[:, -1:], added))
    held = np.maximum(values - added, np.maximum(least, np.finfo(np.float64).tiny))
    scale = np.sqrt(held.mean(1))
    inverse = (vectors / held[:, None, :]) @ vectors.swapaxes(1, 2)
    return np.asarray(scale[:, None, None] * inverse), np.asarray(scale)


def _require_fit(
    samples: Sequence[IVSample], settings: Settings, normals: Normals, held: Array | None
) -> None:  # fmt: skip
    runs = len(normals.stage1)
    require_alike(samples, runs)
    p, q = samples[0].p, samples[0].q
    if q < p or settings.second_moment.shape != (q, q):
        raise ValueError(f"{q} instruments for {p} regressors, second_moment {settings.second_moment.shape}: give as "
                         "many instruments as regressors at least, and their second moment")  # fmt: skip
    steps1 = settings.steps1 if held is None else 0
    expected = (runs, steps1, q, p), (runs, settings.steps2, p), (runs, p, p)
    shapes = tuple(draws.shape for draws in (normals.stage1, normals.stage2, normals.moment))
    if shapes != expected or (held is not None and held.shape != (runs, q, p)):
        raise ValueError(
            f"normals of shapes {shapes} must have shapes {expected}, and Theta, where held, {(runs, q, p)}"
        )
