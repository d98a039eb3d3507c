"""The designs on which varshney2022's theorems are tried: covariances, laws of covariates, data sets by named streams.

The paper has no experiment, so all of this is ours. Covariates are `x = H^{1/2} u` with H diagonal and independent
coordinates u of unit variance; labels are `y = x'w* + sigma z`, for several sigma with the same z.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdescent.checks import require_non_negative, require_positive
from dpdescent.papers.varshney2022.theory.moments import LinearProblem
from dpdescent.randomness import stream

Array = NDArray[np.float64]
Spec = dict[str, Any]
Row = dict[str, Any]

PAPER = "varshney2022"

NORMAL, LAPLACE, STUDENT, DEPENDENT = "normal", "Laplace", "Student t5", "dependent noise"
# Fourth moments of a coordinate of unit variance, and the exponent a of its tail in Definition 2.1; Student's t has
# none and takes that of the normal law.
FOURTH_MOMENT = {NORMAL: 3.0, LAPLACE: 6.0, STUDENT: 9.0, DEPENDENT: 3.0}
TAIL_EXPONENT = {NORMAL: 0.5, LAPLACE: 1.0, STUDENT: 0.5, DEPENDENT: 0.5}


def spectrum(d: int, kappa: float) -> Array:
    """Returns the eigenvalues of H: geometric with condition number kappa and trace d, shape (d,); ones for kappa = 1.

    Raises:
        ValueError: if d is not positive or kappa is below 1, or above 1 at d = 1.
    """
    require_positive(d=d)
    if not kappa >= 1.0 or (d == 1 and kappa > 1.0):
        raise ValueError(f"kappa={kappa} must be at least 1, and 1 where d=1: d={d}")
    lam = kappa ** np.linspace(1.0, 0.0, d)
    return np.asarray(lam * (d / lam.sum()))


def true_w(lam: Array, w_norm: float) -> Array:
    """Returns w*, equal in all coordinates, with |w*|_H = w_norm, shape (d,)."""
    require_non_negative(w_norm=w_norm)
    return np.full(len(lam), w_norm / float(lam.sum()) ** 0.5)


def excess_risk(lam: Array, w: Array, w_star: Array) -> Array:
    """L(w) - L(w*) = 1/2 |w - w*|_H^2 of estimates of shape (..., d), shape (...); the 1/2 is the paper's (eq. 1)."""
    # One product for each estimate, because in a product with all of them last bits depend on their number.
    risk: Array = 0.5 * np.vecdot((w - w_star) ** 2, lam)
    return risk


@dataclass(frozen=True, eq=False)
class Design:
    """The law of the records of a linear regression.

    Attributes:
        lam: eigenvalues of H, shape (d,).
        w_star: shape (d,).
        law: of the coordinates u, and of z.
    """

    lam: Array
    w_star: Array
    law: str = NORMAL

    def __post_init__(self) -> None:
        if self.law not in FOURTH_MOMENT:
            raise ValueError(f"law={self.law!r} is none of {list(FOURTH_MOMENT)}")

    @classmethod
    def of(cls, d: int, kappa: float, w_norm: float, law: str = NORMAL) -> "Design":
        """Returns the design of a dimension and a condition number."""
        lam = spectrum(d, kappa)
        return cls(lam, true_w(lam, w_norm), law)

    def risk(self, w: Array) -> Array:
        """Returns the excess risks of estimates of shape (..., d), shape (...)."""
        return excess_risk(self.lam, w, self.w_star)

    def problem(self, N: int, sigma: float) -> LinearProblem:
        """Returns the regression with N records in the form that the theorems take."""
        a, fourth = TAIL_EXPONENT[self.law], FOURTH_MOMENT[self.law]
        return LinearProblem(self.lam, self.w_star, sigma, N, a=a, fourth=fourth)

    def draw(self, n: int, sigmas: Array, rng: np.random.Generator) -> tuple[Array, Array]:
        """Draws n records: covariates (n, d) and labels (n, sigmas) with the same noise, times their sigma."""
        X = self._standard((n, len(self.lam)), rng)
        z = self._standard((n,), rng)
        if self.law == DEPENDENT:
            # It keeps variance 1 and no correlation with x, but Sigma is no multiple of H, because z grows with |x_1|.
            z *= np.abs(X[:, 0])
        X *= np.sqrt(self.lam)
        return X, (X @ self.w_star)[:, None] + z[:, None] * sigmas

    def _standard(self, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
        if self.law == LAPLACE:
            return rng.laplace(scale=0.5**0.5, size=shape)
        if self.law == STUDENT:
            # Divided by its sd, because the law has variance 5/3.
            return np.asarray(rng.standard_t(5, size=shape) * math.sqrt(0.6))
        return rng.standard_normal(shape)


def trial_stream(spec: Spec, place: str, trial: int, role: str) -> np.random.Generator:
    """Returns a trial's stream for a role; artefacts and variants with the same place share their draws."""
    return stream(spec["seed"], PAPER, place, "trial", trial, role)


def place_of(design: Design, n: int) -> str:
    """Returns the part of a stream's name that tells what shapes a data set: N, d, kappa and the law."""
    kappa = float(design.lam.max() / design.lam.min())
    law = "" if design.law == NORMAL else f"_{design.law}"
    return f"N={n}_d={len(design.lam)}_kappa={kappa:.6g}{law}"


def design_of(spec: Spec) -> Design:
    """Returns the normal design of the part's dimension and condition number."""
    return Design.of(spec["cell"]["d"], kappa_of(spec), spec["settings"]["w_norm"])


def kappa_of(spec: Spec) -> float:
    """Returns the cell's condition number, or that of the settings."""
    kappa: float = spec["cell"].get("kappa", spec["settings"]["kappa"])
    return kappa


def delta_of(spec: Spec) -> float:
    """Returns the cell's delta, or that of the settings."""
    return float(spec["cell"].get("delta", spec["settings"]["delta"]))


def iterations(spec: Spec) -> int:
    """Returns the number of iterations: the setting `steps_per_kappa` times kappa, rounded up."""
    steps_per_kappa: float = spec["settings"]["steps_per_kappa"]
    return math.ceil(steps_per_kappa * kappa_of(spec))
