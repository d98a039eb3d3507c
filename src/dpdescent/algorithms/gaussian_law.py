"""The exact law of DP-GD's iterates where nothing is clipped (brown2024 Lemma 2.3), and its consequences.

The iterates are then a Gaussian vector autoregression about the least squares solution, `theta_t = theta_hat + M
(theta_(t-1) - theta_hat) + eta lambda z_t` with `M = I - eta X'X/n`. Along the eigenvectors v_s of X'X/n it separates
into p independent scalar autoregressions with coefficients `a_s = 1 - eta s`. Errors, and the lengths and validity of
the confidence intervals of `intervals`, can therefore be computed without a simulation.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import gammaln, ndtr

from dpdescent.checks import require_known
from dpdescent.data.linear import Gram
from dpdescent.interval_arithmetic import spacing, t_factor, tail_width

Array = NDArray[np.float64]

# Ways to compute the m estimates of an interval; each is a function of `intervals`.
Construction = Literal["independent runs", "checkpoints", "batched means"]

# Step and ends of the trapezoidal rule in the logarithm of Imhof's variable, for about ten digits with up to a hundred
# estimates.
_STEP, _REACH = 0.01, 45.0
_FAR = 300.0


@dataclass(frozen=True)
class IterateLaw:
    """Law of the iterates theta_t of DP-GD without clipping on one data set (brown2024 Lemma 2.3).

    Times t count iterations from theta_0; `math.inf` is the stationary law.

    Attributes:
        theta_hat: least squares solution, shape (p,).
        theta_0: starting point, shape (p,).
        eta: step size.
        noise_sd: lambda, sd of the noise on the mean gradient.
        eigenvalues: eigenvalues of X'X/n, ascending, shape (p,).
        eigenvectors: eigenvectors of X'X/n as columns, shape (p, p).
    """

    theta_hat: Array
    theta_0: Array
    eta: float
    noise_sd: float
    eigenvalues: Array
    eigenvectors: Array

    @classmethod
    def of(cls, gram: Gram, *, eta: float, noise_sd: float, theta_0: Array | None = None) -> "IterateLaw":
        """The law on the data set with the sufficient statistics `gram`; theta_0 is zero by default.

        Raises:
            ValueError: if X'X is singular, lambda is negative, or the descent does not contract: every eigenvalue s of
                X'X/n must satisfy 0 < eta s < 2.
        """
        if not noise_sd >= 0.0:
            raise ValueError(f"noise_sd={noise_sd} must not be negative")
        s, V = np.linalg.eigh(gram.xx / gram.n)
        if not s[0] > len(s) * np.finfo(np.float64).eps * s[-1]:
            raise ValueError(f"X'X/n has eigenvalues from {s[0]:.3g} to {s[-1]:.3g}: it must be invertible")
        if not 0.0 < eta * s[-1] < 2.0:
            raise ValueError(f"eta={eta} times the largest eigenvalue of X'X/n, {s[-1]:.6g}, is {eta * s[-1]:.6g}: "
                             f"eta must lie between 0 and {2.0 / s[-1]:.6g}")  # fmt: skip
        theta_hat = cho_solve(cho_factor(gram.xx), gram.xy)
        return cls(theta_hat, np.zeros(len(s)) if theta_0 is None else theta_0, eta, noise_sd, s, V)

    @property
    def contraction(self) -> Array:
        """Coefficients a_s = 1 - eta s, shape (p,); a_s^k correlates iterates k steps apart in a stationary run."""
        return 1.0 - self.eta * self.eigenvalues

    @property
    def stationary_variances(self) -> Array:
        """Stationary variance eta^2 lambda^2 / (1 - a_s^2) in every eigen-direction, shape (p,)."""
        v: Array = self.eta * self.noise_sd**2 / (self.eigenvalues * (2.0 - self.eta * self.eigenvalues))
        return v

    @property
    def start(self) -> Array:
        """Starting deviation v_s'(theta_0 - theta_hat) in every eigen-direction, shape (p,)."""
        return (self.theta_0 - self.theta_hat) @ self.eigenvectors

    def variances(self, t: float) -> Array:
        """Variance of theta_t in every eigen-direction, shape (p,)."""
        return self.stationary_variances * (1.0 - self.contraction ** (2.0 * _time(t)))

    def mean(self, t: float) -> Array:
        """Mean E theta_t = theta_hat + M^t (theta_0 - theta_hat), shape (p,) (brown2024 eq. 8)."""
        mu: Array = self.theta_hat + self.eigenvectors @ (self.contraction ** _time(t) * self.start)
        return mu

    def covariance(self, t: float) -> Array:
        """Covariance eta^2 lambda^2 (I - M^2)^-1 (I - M^2t) of theta_t, shape (p, p) (brown2024 Lemma 2.3)."""
        return self.cross_covariance(t, t)

    def cross_covariance(self, later: float, earlier: float) -> Array:
        """Covariance M^(later - earlier) Cov theta_earlier of two iterates, shape (p, p) (brown2024 eq. 92-94).

        Raises:
            ValueError: if `later` < `earlier`, or a time is no whole number of iterations.
        """
        lag = 0.0 if later == earlier else later - earlier
        if not lag >= 0.0:
            raise ValueError(f"later={later} must not be before earlier={earlier}")
        V = self.eigenvectors
        C: Array = (V * (self.contraction ** _time(lag) * self.variances(earlier))) @ V.T
        return C

    def expected_squared_error(self, t: float, target: Array | None = None) -> float:
        """Expected squared error E ||theta_t - target||^2; the target, shape (p,), is theta_hat by default."""
        offset = self.mean(t) - (self.theta_hat if target is None else target)
        return float(offset @ offset + self.variances(t).sum())

    def expected_distance(self, t: float, target: Array | None = None) -> float:
        """Expected distance E ||theta_t - target||; the target, shape (p,), is theta_hat by default."""
        offset = self.mean(t) - (self.theta_hat if target is None else target)
        return float(expected_norm(offset @ self.eigenvectors, self.variances(t)))

    def path(self, normals: Array, out: Array | None = None) -> Array:
        """Computes iterates 1 to T of DP-GD without clipping from standard normals z_t; both have shape (T, runs, p).

        Args:
            normals: z_t, as `dp_gd.descend` uses them.
            out: array for the path; the normals themselves are allowed.

        Raises:
            ValueError: if the normals have a wrong number of axes, or a wrong p.
        """
        if normals.ndim != 3 or normals.shape[2] != len(self.theta_hat):
            raise ValueError(f"normals of shape {normals.shape} must be (T, runs, p={len(self.theta_hat)})")
        out = np.empty_like(normals) if out is None else out
        M = (self.eigenvectors * self.contraction) @ self.eigenvectors.T
        deviation = np.tile(self.theta_0 - self.theta_hat, (normals.shape[1], 1))
        for t, z in enumerate(normals):
            deviation = deviation @ M
            deviation += self.eta * self.noise_sd * z
            np.add(deviation, self.theta_hat, out=out[t])
        return out

    def simulate(self, steps: int, runs: int, rng: np.random.Generator) -> Array:
        """Draws iterates 1 to `steps` of independent runs, shape (steps, runs, p).

        Normals are drawn step by step, so that fewer steps of the same number of runs are a prefix. Memory is 8 bytes
        per number, so that many runs are best drawn in blocks, each from its own stream.
        """
        normals = rng.standard_normal((steps, runs, len(self.theta_hat)))
        return self.path(normals, out=normals)

    def estimates(
        self, construction: Construction, steps: int, m: int, burn_in: int, tail: int | None = None
    ) -> "EstimatesLaw":
        """Joint law of the m estimates that a construction of `intervals` makes from `steps` = N iterations in all.

        Independent runs have T = N/m iterations each; `burn_in` applies to every run, and only they use `tail`.

        Raises:
            ValueError: if the construction is unknown or does not fit the number of steps.
        """
        last, width = _windows(construction, steps, m, burn_in, tail)
        a, v = self.contraction[:, None], self.stationary_variances
        total, within = _window_sums(a, width)
        same, together = np.eye(m, dtype=bool), construction != "independent runs"
        gaps = np.maximum(np.abs(last[:, None] - last) - (width - 1), 0)
        between = together * total[:, :, None] ** 2 * a[:, :, None] ** gaps
        # `missing` is subtracted because iterates near the known start have not reached their stationary covariances.
        decay = total * a ** (last - width + 1)
        missing = (same | together) * decay[:, :, None] * decay[:, None, :]
        return EstimatesLaw(
            means=self.start[:, None] * decay,
            covariances=v[:, None, None] * (np.where(same, within[:, None, None], between) - missing),
            settled_variances=v * within,
            eigenvectors=self.eigenvectors,
        )


@dataclass(frozen=True)
class EstimatesLaw:
    """Joint Gaussian law of m estimates of theta_hat, independent between the eigen-directions of X'X/n.

    Student's t interval assumes m independent estimates with mean theta_hat ("ideal" here); their variances are taken
    to be those of the estimates after the start-up (brown2024 App. C.2.2).

    Attributes:
        means: means of v_s'(theta^(l) - theta_hat), shape (p, m).
        covariances: covariances between the m estimates, per eigen-direction, shape (p, m, m).
        settled_variances: variance of an estimate after the start-up, shape (p,).
        eigenvectors: eigenvectors of X'X/n as columns, shape (p, p).
    """

    means: Array
    covariances: Array
    settled_variances: Array
    eigenvectors: Array

    def expected_length(self, level: float = 0.95) -> Array:
        """Exact expected length of the t interval of every coordinate, shape (p,).

        It includes the start-up and the correlation between the estimates. The sample sd is
        ||centred estimates|| / sqrt(m - 1).
        """
        m = self.means.shape[1]
        means, covariances, _ = self._coordinates()
        centring = np.eye(m) - 1.0 / m
        variances, U = np.linalg.eigh(centring @ covariances @ centring)
        centred = np.einsum("jlk,jl->jk", U, means - means.mean(axis=1, keepdims=True))
        # Cut at 0, because rounding leaves the variance along the ones, which centring removed, slightly off 0.
        spread = expected_norm(centred, np.maximum(variances, 0.0))
        return 2.0 * t_factor(m, level) * spread / math.sqrt(m - 1)

    def settled_length(self, level: float = 0.95) -> Array:
        """Expected length `2 t c4(m) sqrt(V_j / m)` of t intervals from ideal estimates, shape (p,), the limit of long
        runs.
        """
        m = self.means.shape[1]
        length: Array = 2.0 * t_factor(m, level) * _c4(m) * np.sqrt(self._coordinates()[2])
        return length

    def divergence(self) -> float:
        """KL divergence of the estimates of all coordinates together from ideal ones; the noise must not be zero.

        The intervals of all coordinates behave as ideal ones up to a probability of `pinsker(divergence)`. This gives a
        number where brown2024 Thm 3.1 has unspecified constants.
        """
        return float(_divergences(self.means, self.covariances, self.settled_variances).sum())

    def coordinate_divergences(self) -> Array:
        """KL divergence of the estimates of each coordinate from ideal ones, shape (p,); the noise must not be zero.

        The interval of a coordinate covers with a probability of at least the level minus `pinsker(divergence)`
        (brown2024 Claim C.10), which is sharper than the bound from all coordinates together.
        """
        return _divergences(*self._coordinates())

    def _coordinates(self) -> tuple[Array, Array, Array]:
        """Means minus theta_hat_j, covariances and settled variances of the estimates of every coordinate."""
        V = self.eigenvectors
        return V @ self.means, np.tensordot(V**2, self.covariances, axes=1), V**2 @ self.settled_variances


def correlation_in_batches(contraction: Array, width: int) -> Array:
    """Mean product of neighbours divided by mean square, about the mean of `width` iterates of a settled path.

    It is smaller than the contraction a, by about `(1 + 3 a) / width`.

    Args:
        contraction: values of a in (-1, 1), shape (k,).
        width: number of iterates per batch, at least 2.
    """
    total, within = _window_sums(contraction[:, None], width)
    products = (width - 1) * (contraction + within) - 2 * width * within + 2.0 * total[:, 0]
    return np.asarray(products / (width * (1.0 - within)))


def coverages(law: EstimatesLaw, level: float = 0.95) -> Array:
    """Exact coverage of theta_hat_j by the t interval of every coordinate, with start-up and correlation, shape (p,).

    If the start is `_FAR` standard deviations away even in the estimates, `bar^2 - t^2 s^2 / m` is normal up to an
    error of about 1 / `_FAR`, and the steps of the integral would be too long for its fast oscillation.

    Raises:
        numpy.linalg.LinAlgError: if there is no noise.
    """
    means, covariances, _ = law._coordinates()
    m, result = means.shape[1], []
    for mu, covariance in zip(means, covariances, strict=True):
        if np.linalg.norm(np.linalg.solve(np.linalg.cholesky(covariance), mu)) <= _FAR:
            result.append(t_interval_coverage(mu, covariance, level=level))
            continue
        slope = np.full(m, mu.mean() / m) - t_factor(m, level) ** 2 / (m - 1) * (mu - mu.mean())
        result.append(float(ndtr(-0.5 * (mu @ slope) / math.sqrt(slope @ covariance @ slope))))
    return np.array(result)


def t_interval_coverage(means: Array, covariance: Array, *, level: float = 0.95) -> float:
    """Returns the exact coverage of Student's interval (brown2024 eq. 12) of jointly normal estimates.

    The interval covers the target where `bar^2 - t^2 s^2 / m`, a quadratic form in the estimates, is not positive; its
    distribution is Imhof's integral over u, which the trapezoidal rule in log u computes without random numbers.

    Args:
        means: means of the m estimates minus the target, shape (m,).
        covariance: covariance of the estimates, shape (m, m), positive definite.
        level: nominal coverage.
    """
    m = len(means)
    form = np.full((m, m), 1.0 / m**2) - t_factor(m, level) ** 2 / (m - 1) * (np.eye(m) - 1.0 / m)
    root = np.linalg.cholesky(covariance)
    weights, U = np.linalg.eigh(root.T @ form @ root)
    shifts = U.T @ np.linalg.solve(root, means)
    u = np.exp(np.arange(-_REACH, _REACH, _STEP))[:, None] * weights / np.abs(weights).max()
    angle = 0.5 * (np.arctan(u) + shifts**2 * u / (1.0 + u**2)).sum(axis=1)
    decay = (0.25 * np.log1p(u**2) + 0.5 * shifts**2 * u**2 / (1.0 + u**2)).sum(axis=1)
    above = 0.5 + _STEP / math.pi * float((np.sin(angle) * np.exp(-decay)).sum())
    return min(1.0, max(0.0, 1.0 - above))


def pinsker(divergence: ArrayLike) -> Array:
    """Pinsker's bound sqrt(KL / 2) on total variation; not truncated at 1, although it is trivial above."""
    return np.sqrt(np.asarray(divergence, dtype=np.float64) / 2.0)


def expected_norm(means: Array, variances: Array) -> Array:
    """Expected norm E ||x|| for independent x_k ~ N(means_k, variances_k) along the last axis, to about 12 digits.

    `E sqrt(Q) = int_0^oo (1 - E exp(-u Q)) u^(-3/2) du / (2 sqrt(pi))` for Q = ||x||^2, whose transform is known. In
    log u the trapezoidal rule converges exponentially, and the tails outside the range are below 1e-15 of the whole.
    """
    squared = (means**2 + variances).sum(axis=-1)
    scale = np.where(squared > 0.0, squared, 1.0)[..., None]
    step = 0.25
    w = np.exp(np.arange(-70.0, 70.0 + step, step))
    lam, mu2 = (variances / scale)[..., None], (means**2 / scale)[..., None]
    log_transform = -(0.5 * np.log1p(2.0 * w * lam) + w * mu2 / (1.0 + 2.0 * w * lam)).sum(axis=-2)
    integral = step * (-np.expm1(log_transform) / np.sqrt(w)).sum(axis=-1)
    norm: Array = np.sqrt(squared) * integral / (2.0 * math.sqrt(math.pi))
    return norm


def _windows(construction: str, steps: int, m: int, burn_in: int, tail: int | None) -> tuple[NDArray[np.int_], int]:
    """Index of the last iterate in each estimate, shape (m,), and the number of iterates that an estimate averages."""
    if construction == "independent runs":
        if m < 2 or steps % m:
            raise ValueError(f"N={steps} must be a multiple of the number m={m} of runs, and m at least 2")
        return np.full(m, steps // m), tail_width(steps // m, burn_in, tail)
    require_known(Construction, construction=construction)
    if tail is not None:
        raise ValueError(f"tail={tail} is for independent runs, not for {construction}")
    L = spacing(steps, m, burn_in)
    return burn_in + L * np.arange(1, m + 1), L if construction == "batched means" else 1


def _window_sums(a: Array, width: int) -> tuple[Array, Array]:
    """Mean of a^0 to a^(W-1), shape (p, 1), and variance of a mean of W iterates divided by that of one, shape (p,).

    They are computed as sums, because the closed forms of geometric series cancel as eta s -> 0.
    """
    powers, lags = a ** np.arange(width), np.arange(1, width)
    return powers.mean(axis=1, keepdims=True), (width + 2.0 * (powers[:, 1:] @ (width - lags))) / width**2


def _divergences(means: Array, covariances: Array, ideal: Array) -> Array:
    """KL divergence of N(means, covariances) from N(0, ideal I), along the first axis."""
    if not ideal.min() > 0.0:
        raise ValueError("without noise (lambda = 0) there is no law of the estimates to compare")
    m = means.shape[1]
    excess = np.linalg.eigvalsh(covariances / ideal[:, None, None] - np.eye(m))
    divergences: Array = 0.5 * ((excess - np.log1p(excess)).sum(axis=1) + (means**2).sum(axis=1) / ideal)
    return divergences


def _c4(m: int) -> float:
    """Expected sample sd of m independent standard normals; 0.97266 for m = 10."""
    return math.sqrt(2.0 / (m - 1)) * math.exp(gammaln(m / 2) - gammaln((m - 1) / 2))


def _time(t: float) -> float:
    """A number of iterations as a float, after a check that it is whole or infinite."""
    if not (t >= 0.0 and (t == math.inf or t == int(t))):
        raise ValueError(f"t={t} must be a non-negative whole number of iterations, or infinite")
    return float(t)
