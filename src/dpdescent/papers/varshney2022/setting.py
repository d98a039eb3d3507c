"""The setting of varshney2022's experiments: settings of a part, laws of records, draws by named streams.

The paper has no experiment, so all of this is ours. Covariates are `x = H^{1/2} u` with H diagonal and independent
coordinates u of unit variance; labels are `y = x'w* + sigma z`, for several sigma with the same z. An experiment makes
a `Part` of its specification once; below that nothing asks the specification again.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpdescent.papers.varshney2022.formulas import Array, LinearProblem, spectrum, true_w
from dpdescent.privacy.events import Mechanism
from dpdescent.randomness import stream

Spec = dict[str, Any]
Row = dict[str, Any]
# Entry of the ledger: name of the arm, its releases, delta.
Entry = tuple[str, Mechanism, float]

PAPER = "varshney2022"

NORMAL, LAPLACE, STUDENT, DEPENDENT = "normal", "Laplace", "Student t5", "dependent noise"
# Fourth moments of a coordinate of unit variance, and the exponent a of its tail in Definition 2.1; Student's t has
# none and takes that of the normal law.
FOURTH_MOMENT = {NORMAL: 3.0, LAPLACE: 6.0, STUDENT: 9.0, DEPENDENT: 3.0}
TAIL_EXPONENT = {NORMAL: 0.5, LAPLACE: 1.0, STUDENT: 0.5, DEPENDENT: 0.5}

AMBSSGD, PUBLISHED, FIXED = "DP-AMBSSGD", "DP-AMBSSGD (as published)", "fixed clip"
# Name of the arm at the quantile of the settings, and at any quantile.
QUANTILE, ANY_QUANTILE = "DP-AMBSSGD (q = 0.9)", "DP-AMBSSGD (q = {:g})"
# The arm at the quantile of the paper's prose.
PROSE_QUANTILE = "DP-AMBSSGD (q = 0.99)"
SSGD, DP_GD, DP_GD_ADAPTIVE = "DP-SSGD", "DP-GD", "DP-GD (adaptive)"
OLS, ADA_SSP, ADA_SSP_TIGHT = "OLS", "AdaSSP", "AdaSSP (bound 1.2 sqrt d)"
LOG_POWER = "log^a N"


def over(upper: str, lower: str) -> str:
    """The name of the series of log-ratios of two series, trial by trial on the same records."""
    return f"log of {upper} over {lower}"


# Settings of a part ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Settings:
    """The settings that an artefact uses; any other has no value, so that asking for it is an error."""

    eps: float
    delta: float
    kappa: float
    w_norm: float
    steps_per_kappa: float
    levels: int
    rule: str
    margin: float
    quantile: float
    stat_share: float
    stat_guard: float
    log_factor: float
    grid: str
    tail: float
    threshold: str
    clip_share: float
    tight_factor: float
    zeta_factor: float
    stat_budget: float
    failure: float

    def __init__(self, given: Mapping[str, Any]) -> None:
        vars(self).update(given)


@dataclass(frozen=True, eq=False)
class Part:
    """A part of an experiment, but for the axes of its cell and arms.

    Attributes:
        seed, variant, panel, trials: of the part.
        settings: the artefact's settings.
        kappa, delta: the cell's, or those of the settings; NaN where neither has one.
        T: number of iterations, the setting `steps_per_kappa` times kappa, rounded up; 0 where there is no such setting.
    """

    seed: int
    variant: str
    panel: str
    trials: range
    settings: Settings
    kappa: float
    delta: float
    T: int

    @classmethod
    def of(cls, spec: Spec) -> "Part":
        """Returns the part that a specification describes; one of the ledger has no trials."""
        kappa, delta = (spec["cell"].get(name, spec["settings"].get(name, math.nan)) for name in ("kappa", "delta"))
        T = 0 if math.isnan(kappa) else math.ceil(spec["settings"].get("steps_per_kappa", 0) * kappa)
        trials, settings = range(*spec.get("trials", (0, 0))), Settings(spec["settings"])
        return cls(spec["seed"], spec["variant"], spec["panel"], trials, settings, kappa, float(delta), T)

    def design(self, d: int, law: str = NORMAL) -> "Design":
        """Returns the law of records in d dimensions."""
        return Design.of(d, self.kappa, self.settings.w_norm, law)

    def stream(self, place: str, trial: int, role: str) -> np.random.Generator:
        """Returns a trial's stream for a role; artefacts and variants with the same place share their draws."""
        return stream(self.seed, PAPER, place, "trial", trial, role)


# Laws of records -------------------------------------------------------------------------------------------------------


def excess_risk(lam: Array, w: Array, w_star: Array) -> Array:
    """Excess risks L(w) - L(w*) = 1/2 |w - w*|_H^2 of estimates of shape (..., d), shape (...) (varshney2022 eq. 1)."""
    # One product for each estimate, because in a product with all estimates last bits depend on their number.
    risk: Array = 0.5 * np.vecdot((w - w_star) ** 2, lam)
    return risk


@dataclass(frozen=True, eq=False)
class Design:
    """The law of the records of a linear regression.

    Attributes:
        lam: eigenvalues of H, shape (d,).
        w_star: shape (d,).
        law: distribution of the coordinates u and of z.
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

    @property
    def d(self) -> int:
        """The dimension."""
        return len(self.lam)

    def risk(self, w: Array) -> Array:
        """Returns the excess risks of estimates of shape (..., d), shape (...)."""
        return excess_risk(self.lam, w, self.w_star)

    def problem(self, N: int, sigma: float) -> LinearProblem:
        """Returns the regression with N records in the form that the theorems take."""
        a, fourth = TAIL_EXPONENT[self.law], FOURTH_MOMENT[self.law]
        return LinearProblem(self.lam, self.w_star, sigma, N, a=a, fourth=fourth)

    def place(self, n: int) -> str:
        """Returns the part of a stream's name that tells data sets of n records apart: n, d, kappa and the law."""
        kappa = float(self.lam.max() / self.lam.min())
        law = "" if self.law == NORMAL else f"_{self.law}"
        return f"N={n}_d={self.d}_kappa={kappa:.6g}{law}"

    def draw(self, n: int, sigmas: Array, rng: np.random.Generator) -> tuple[Array, Array]:
        """Draws n records: covariates (n, d) and labels (n, sigmas) with the same noise, times their sigma."""
        X = self._standard((n, self.d), rng)
        z = self._standard((n,), rng)
        if self.law == DEPENDENT:
            # z keeps variance 1 and no correlation with x, but Sigma is no multiple of H, because z grows with |x_1|.
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
