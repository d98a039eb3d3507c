"""What preparation by sample moments adds to the cost of DP-2S-GD, for records inside of the variables' ranges.

Card's data (App. G.5) are prepared with one record at a corner of the ranges of all variables, and with another such
record in its place. Both sets are met with the same iterates, and a step's zCDP cost is the squared shift of its mean
divided by twice the noise variance.
"""

from itertools import product

import numpy as np

from dpdescent.data.iv import IVSample
from dpdescent.data.tabular import bundled, centre, read_sample, standardise_instruments
from dpdescent.papers.liang2025 import formulas
from dpdescent.papers.liang2025.setting import Array
from dpdescent.privacy.clipping import clip_factors

CARD = ("card", ["nearc2", "nearc4", "fatheduc", "motheduc"], ["educ"], "lwage")


def largest_costs(c0: float, tau: float, T: int, rho: float) -> tuple[float, float]:
    """Returns the largest cost of both stages over pairs of corner records, and of the first stage alone.

    The noise is that of Prop. 3.1 for rho a stage, which costs rho / 2 a stage where constants prepare the data.
    """
    name, instruments, regressors, outcome = CARD
    raw = read_sample(bundled(name), instruments, regressors, outcome)
    gamma = formulas.clipping_threshold(c0, raw.n, raw.q, T, tau)
    noise_sd, path = formulas.noise_scale(gamma, raw.n, T, rho), _path(_prepared(raw), gamma, T)
    ends = [(column.min(), column.max()) for column in np.column_stack([raw.Z, raw.X, raw.y]).T]
    corners = [_with_record(raw, np.array(corner)) for corner in product(*ends)]
    releases = np.array([[np.concatenate(_gradients(sample, *at, gamma)) for at in path] for sample in corners])
    squares = np.square(releases[:, None] - releases[None]).sum(axis=2) / (2.0 * noise_sd**2)
    return float(squares.sum(axis=-1).max()), float(squares[..., : raw.q].sum(axis=-1).max())


def _prepared(sample: IVSample) -> IVSample:
    return standardise_instruments(centre(sample))


def _with_record(raw: IVSample, values: Array) -> IVSample:
    """The prepared data with other values in the first record."""
    Z, X, y = raw.Z.copy(), raw.X.copy(), raw.y.copy()
    Z[0], X[0], y[0] = values[: raw.q], values[raw.q], values[-1]
    return _prepared(IVSample(Z, X, y))


def _gradients(sample: IVSample, Theta: Array, beta: float, gamma: float) -> tuple[Array, Array]:
    """The mean clipped gradients of both stages, with one regressor."""
    residuals, fitted = sample.Z @ Theta - sample.X[:, 0], sample.Z @ Theta
    errors = fitted * beta - sample.y
    first = clip_factors(np.linalg.norm(sample.Z, axis=1) * np.abs(residuals), gamma)
    second = clip_factors(np.abs(fitted * errors), gamma)
    return sample.Z.T @ (first * residuals) / sample.n, np.array([np.mean(second * fitted * errors)])


def _path(sample: IVSample, gamma: float, T: int) -> list[tuple[Array, float]]:
    """The iterates (Theta, beta) of the descent without noise at the figure's step sizes."""
    theta_hat = np.linalg.lstsq(sample.Z, sample.X[:, 0], rcond=None)[0]
    alpha = 2.0 / (3.0 * float(np.mean((sample.Z @ theta_hat) ** 2)))
    Theta, beta, path = np.zeros(sample.q), 0.0, []
    for _ in range(T):
        path.append((Theta, beta))
        first, second = _gradients(sample, Theta, beta, gamma)
        Theta, beta = Theta - first, beta - alpha * float(second[0])
    return path
