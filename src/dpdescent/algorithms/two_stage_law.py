"""The law of DP-2S-GD's path with one regressor, where nothing is clipped: a vector autoregression of order one.

Let A be the mean of zz', m the mean of zy, Theta_hat and beta_hat the 2SLS solution, and H = Theta_hat'A Theta_hat. To
first order, the deviations N = Theta - Theta_hat and d = beta - beta_hat follow

    N <- (I - eta A) N + eta lambda1 xi,    d <- (1 - alpha H) d - alpha w'N + alpha lambda2 nu,

with `w = beta_hat A Theta_hat + (A Theta_hat beta_hat - m)`. So (N, d) is an autoregression, while d alone is none: it
remembers N. The second-order terms `N'A N beta_hat + 2 Theta_hat'A N d` in the second stage's gradient have a mean that
does not vanish, and move the mean of the path by the share that `attenuation` gives.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_discrete_lyapunov

from dpdescent.baselines.least_squares import two_stage_least_squares
from dpdescent.checks import require_non_negative, require_positive
from dpdescent.data.iv import IVSample

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PathLaw:
    """The stationary law of the deviations (N, d) from 2SLS.

    Attributes:
        transition: matrix of the autoregression, shape (q + 1, q + 1), with d last.
        covariance: covariance of (N, d), shape (q + 1, q + 1).
        attenuation: relative shift of the mean of beta to second order, negative where the path is drawn towards zero.
        noise_over_signal: tau / H, the mean of N'A N divided by the part that the instruments explain; the law requires
            a small value.
    """

    transition: Array
    covariance: Array
    attenuation: float
    noise_over_signal: float

    def autocorrelation(self, lag: int) -> float:
        """Autocorrelation of beta's path at a lag.

        Raises:
            ValueError: if the lag is negative.
        """
        require_non_negative(lag=lag)
        lagged = np.linalg.matrix_power(self.transition, lag) @ self.covariance
        return float(lagged[-1, -1] / self.covariance[-1, -1])


def path_law(
    sample: IVSample, *, eta: float, alpha: float, lambda1: float, lambda2: float
) -> PathLaw:  # fmt: skip
    """Returns the law of the path on a data set.

    Args:
        sample: the data, with one regressor.
        eta, alpha: step sizes of the two stages.
        lambda1, lambda2: noise sds on the mean gradients of the two stages.

    Raises:
        ValueError: if there are several regressors, an argument is not positive, or a stage does not contract.
    """
    require_positive(eta=eta, alpha=alpha, lambda1=lambda1, lambda2=lambda2)
    if sample.p != 1:
        raise ValueError(f"the sample has p={sample.p} regressors: the law is that of one")
    weights = sample.weights / sample.n
    A, m = (sample.Z * weights[:, None]).T @ sample.Z, (sample.Z * weights[:, None]).T @ sample.y
    fit = two_stage_least_squares(sample)
    Theta, beta = fit.Theta[:, 0], float(fit.beta[0])
    explained, q = A @ Theta, sample.q
    H = float(Theta @ explained)
    w = beta * explained + (explained * beta - m)
    if not (eta * np.linalg.eigvalsh(A)[-1] < 2.0 and 0.0 < alpha * H < 2.0):
        raise ValueError(f"eta={eta}, alpha={alpha}: a stage does not contract; take smaller step sizes")
    transition = np.zeros((q + 1, q + 1))
    transition[:q, :q] = np.eye(q) - eta * A
    transition[q, :q], transition[q, q] = -alpha * w, 1.0 - alpha * H
    noise_covariance = np.diag([*[(eta * lambda1) ** 2] * q, (alpha * lambda2) ** 2])
    covariance = np.asarray(solve_discrete_lyapunov(transition, noise_covariance))
    tau = float(np.trace(A @ covariance[:q, :q]))
    attenuation = -(tau * beta + 2.0 * float(explained @ covariance[:q, q])) / H / beta
    return PathLaw(transition, covariance, attenuation, tau / H)
