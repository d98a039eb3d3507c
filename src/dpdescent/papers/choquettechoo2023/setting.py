"""The setting of choquettechoo2023: linear regression, spectra of its input covariance by name, names of noises."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdescent.checks import as_list, require_non_negative, require_positive

Array = NDArray[np.float64]
Spec = dict[str, Any]
Row = dict[str, Any]
PAPER = "choquettechoo2023"
# Exponents of the named power laws: those of choquettechoo2023 Table 4, and the cube, which decays faster.
EXPONENTS = {"flat": 0.0, "k^-0.5": 0.5, "k^-1": 1.0, "k^-2": 2.0, "k^-3": 3.0}
ONE_LARGE = "one large"
# Mechanisms by the names of Figure 4; regression without clipping has names of its own for the same two noises.
NON_PRIVATE, DP_SGD, AMPLIFIED, NU, ME = "non-private", "DP-SGD", "DP-SGD, amplified", "nu-DP-FTRL", "ME"
SGD, FTRL, OPTIMUM = "Noisy-SGD", "nu-Noisy-FTRL", "optimum"
RESTARTS = ", restarts"
# Amplified DP-SGD with the noise of an account by Renyi divergences, as in the setup that the paper follows.
AMPLIFIED_RENYI = f"{AMPLIFIED}, Renyi"


@dataclass(frozen=True, eq=False)
class RegressionProblem:
    """Linear regression in the eigenbasis of H, with the settings of Noisy-FTRL on it.

    Attributes:
        lam: eigenvalues of the input covariance H, in any order, shape (d,).
        eta: learning rate.
        rho: zCDP budget that the noise is scaled to.
        clip_norm: G, to which the noise is scaled; nothing is clipped.
        sigma_sgd: sd of the label noise.

    Raises:
        ValueError: if lam is not a vector, an eigenvalue, eta, rho or clip_norm is not positive, or sigma_sgd negative.
    """

    lam: Array
    eta: float
    rho: float
    clip_norm: float = 1.0
    sigma_sgd: float = 0.0

    def __post_init__(self) -> None:
        require_positive(eta=self.eta, rho=self.rho, clip_norm=self.clip_norm)
        require_non_negative(sigma_sgd=self.sigma_sgd)
        if self.lam.ndim != 1 or not len(self.lam) or not (self.lam > 0.0).all():
            raise ValueError(f"lam={self.lam} must be a vector of positive eigenvalues")

    @property
    def d(self) -> int:
        return len(self.lam)

    @property
    def trace(self) -> float:
        """Tr H."""
        return float(self.lam.sum())

    @property
    def largest(self) -> float:
        """L, the largest eigenvalue."""
        return float(self.lam.max())

    @property
    def mu(self) -> float:
        """The smallest eigenvalue."""
        return float(self.lam.min())

    @property
    def rates(self) -> Array:
        """eta lambda_j, shape (d,)."""
        return self.eta * self.lam

    @property
    def gain(self) -> float:
        """`A = 1/2 sum eta lambda_j / (1 - eta lambda_j)`, by which the inputs' randomness feeds the error back.

        Second moments converge if and only if it is below 1.

        Raises:
            ValueError: if eta lambda_j reaches 1.
        """
        if not self.eta * self.largest < 1.0:
            raise ValueError(f"eta={self.eta} times the largest eigenvalue, {self.largest:g}, must be below 1: "
                             f"take eta < {1.0 / self.largest:g}")  # fmt: skip
        return float(0.5 * (self.rates / (1.0 - self.rates)).sum())

    def require_stable(self) -> None:
        """Raises ValueError if second moments do not converge, so that F_inf is infinite."""
        if not self.gain < 1.0:
            raise ValueError(f"eta={self.eta} at Tr H={self.trace:g} makes the gain of second moments A={self.gain:g}: "
                             "it must be below 1; take a smaller eta")  # fmt: skip

    def noise_variance(self, gamma_squared: float) -> float:
        """`sigma^2 = G^2 gamma^2 / (2 rho)`, the variance of a coordinate of w_t (choquettechoo2023 Theorem 1.1)."""
        require_non_negative(gamma_squared=gamma_squared)
        return self.clip_norm**2 * gamma_squared / (2.0 * self.rho)


def power_law(d: int, alpha: float) -> Array:
    """Returns the eigenvalues `lambda_k = k^-alpha`, k = 1..d, shape (d,) (choquettechoo2023 Fig. 2, Table 4).

    Raises:
        ValueError: if d is not positive or alpha is negative.
    """
    require_positive(d=d)
    require_non_negative(alpha=alpha)
    return np.arange(1, d + 1, dtype=np.float64) ** -alpha


def spectrum(name: str, d: int) -> Array:
    """Returns the eigenvalues of a named spectrum, the largest of which is 1, shape (d,).

    Args:
        name: a power law of `EXPONENTS`, or "one large" for (1, 1/d, ..., 1/d) (choquettechoo2023 Sec. 2.2).
        d: dimension.

    Raises:
        ValueError: if there is no spectrum of that name, or d is not positive.
    """
    if name == ONE_LARGE:
        require_positive(d=d)
        return np.concatenate([[1.0], np.full(d - 1, 1.0 / d)])
    if name not in EXPONENTS:
        raise ValueError(f"name={name!r} is no spectrum: take one of {[*EXPONENTS, ONE_LARGE]}")
    return power_law(d, EXPONENTS[name])


def effective_dimension(lam: Array) -> float:
    """Returns d_eff = Tr H / ||H||_2, in [1, d]: the stable rank of H^{1/2} (choquettechoo2023 Sec. 2.2, App. C.6)."""
    return float(lam.sum() / lam.max())


def problems(spec: Spec) -> Iterator[tuple[Row, RegressionProblem]]:
    """Yields the regression problems of a part's cell, with d, alpha and eta of each; spectra are power laws."""
    cell, settings = spec["cell"], spec["settings"]
    for d, alpha, eta in itertools.product(*(as_list(cell[name]) for name in ("d", "alpha", "eta"))):
        problem = RegressionProblem(
            power_law(d, alpha), eta, settings["rho"], settings["clip_norm"], settings.get("sigma_sgd", 0.0)
        )  # fmt: skip
        yield {"d": d, "alpha": alpha, "eta": eta}, problem


def names(spec: Spec) -> list[str]:
    """Returns the names of the mechanisms that a part compares."""
    return [str(name) for name in as_list(spec["arms"]["mechanism"])]


def is_anytime(name: str) -> bool:
    """Whether a mechanism of Figure 4 serves any horizon and is another than nu-DP-FTRL and DP-SGD."""
    return not name.startswith(NU) and name not in (ME, AMPLIFIED, AMPLIFIED_RENYI, DP_SGD, NON_PRIVATE)
