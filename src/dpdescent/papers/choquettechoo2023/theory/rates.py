"""The entries of Tables 1, 2 and 4 of choquettechoo2023, as printed, as functions with all constants 1.

An entry's value is what stands inside its Theta, O or Omega. Where the other columns of a row imply another entry than
the printed one, it stands beside it (`correction`): the ratio of the row 1/k^2 in Table 4.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpdescent.checks import require_non_negative, require_positive
from dpdescent.papers.choquettechoo2023.theory.elliptic import Array

LOWER_BOUND, NOISY_SGD, NU_NOISY_FTRL, NOISY_FTRL = "Lower bound", "Noisy-SGD", "nu-Noisy-FTRL", "Noisy-FTRL"
FICHTENBERGER, ANTI_PGD, DAMPED_ANTI_PGD = "Fichtenberger et al. (nu = 0)", "Anti-PGD", "Anti-PGD + damping"
SUBOPTIMALITY, RATIO, SENSITIVITY, EFFECTIVE_DIMENSION = "F_inf", "ratio", "gamma_T^2", "d_eff"


@dataclass(frozen=True)
class Setting:
    """The quantities that the entries depend on, at ||H||_2 = 1.

    Attributes:
        eta: learning rate.
        rho: zCDP budget.
        d: dimension.
        trace: Tr H, which is d_eff.
        mu: smallest eigenvalue of H.
        nu: damping of the noise coefficients.
        T: horizon of a sensitivity.
        alpha: decay of the spectrum, lambda_k = k^-alpha, for the rows of Table 4 that have it.
        clip_norm: G.
    """

    eta: float
    rho: float
    d: int
    trace: float
    mu: float
    nu: float
    T: float = math.inf
    alpha: float = math.nan
    clip_norm: float = 1.0

    def __post_init__(self) -> None:
        require_positive(eta=self.eta, rho=self.rho, d=self.d, trace=self.trace, mu=self.mu, T=self.T)
        require_positive(clip_norm=self.clip_norm)
        require_non_negative(nu=self.nu)

    @classmethod
    def of(
        cls, lam: Array, *, eta: float, rho: float, nu: float | None = None, T: float = math.inf,
        alpha: float = math.nan, clip_norm: float = 1.0,
    ) -> "Setting":  # fmt: skip
        """The setting of a spectrum; nu is eta mu unless it is given.

        Raises:
            ValueError: if the largest eigenvalue is not 1, as the tables have it, or a value is out of range.
        """
        if not math.isclose(float(lam.max()), 1.0, rel_tol=1e-12):
            raise ValueError(
                f"lam has the largest value {lam.max():g}: divide by it and multiply eta, as the tables do"
            )
        mu = float(lam.min())
        nu = eta * mu if nu is None else nu
        return cls(eta, rho, len(lam), float(lam.sum()), mu, nu, T, alpha, clip_norm)

    @property
    def unit(self) -> float:
        """G^2 / rho."""
        return self.clip_norm**2 / self.rho

    @property
    def log(self) -> float:
        """log(d/eta)."""
        return math.log(self.d / self.eta)


@dataclass(frozen=True)
class Rate:
    """An entry of a table.

    Attributes:
        row: label of its row.
        quantity: what the entry is about, its column.
        text: the entry as printed.
        order: its value at a setting, with a constant of 1; infinite where the entry is.
        correction: whether the entry is implied by the row's others, and not the printed one.
    """

    row: str
    quantity: str
    text: str
    order: Callable[[Setting], float]
    correction: bool = False


def sgd_order(s: Setting) -> float:
    """`eta d G^2 / rho`, of Noisy-SGD in every row of Tables 1 and 4."""
    return s.eta * s.d * s.unit


TABLE1 = (
    Rate(LOWER_BOUND, SUBOPTIMALITY, "Omega(eta^2 d_eff / rho)", lambda s: s.eta**2 * s.trace * s.unit),
    Rate(LOWER_BOUND, RATIO, "1", lambda s: 1.0),
    Rate(NOISY_SGD, SUBOPTIMALITY, "Theta(eta d / rho)", sgd_order),
    Rate(NOISY_SGD, RATIO, "d / (eta d_eff)", lambda s: s.d / (s.eta * s.trace)),
    Rate(
        NU_NOISY_FTRL,
        SUBOPTIMALITY,
        "O(eta^2 d_eff log^2(1/(eta mu)) / rho)",
        lambda s: s.eta**2 * s.trace * s.unit * math.log(1.0 / (s.eta * s.mu)) ** 2,
    ),
    Rate(NU_NOISY_FTRL, RATIO, "log^2(1/(eta mu))", lambda s: math.log(1.0 / (s.eta * s.mu)) ** 2),
)

# Row labels as in the table; its coefficients: eq. 7 with nu = 0, eq. 7, (1, -1, 0, ...), (1, -(1 - nu), 0, ...).
TABLE2 = (
    Rate(FICHTENBERGER, SENSITIVITY, "log T", lambda s: math.log(s.T)),
    Rate(FICHTENBERGER, SUBOPTIMALITY, "inf", lambda s: math.inf),
    Rate(NU_NOISY_FTRL, SENSITIVITY, "log(1/nu)", lambda s: math.log(1.0 / s.nu)),
    Rate(
        NU_NOISY_FTRL,
        SUBOPTIMALITY,
        "eta^2 G^2 Tr H log^2(1/nu) / rho",
        lambda s: s.eta**2 * s.unit * s.trace * math.log(1.0 / s.nu) ** 2,
    ),
    Rate(ANTI_PGD, SENSITIVITY, "T", lambda s: s.T),
    Rate(ANTI_PGD, SUBOPTIMALITY, "inf", lambda s: math.inf),
    Rate(DAMPED_ANTI_PGD, SENSITIVITY, "1/nu", lambda s: 1.0 / s.nu),
    Rate(
        DAMPED_ANTI_PGD,
        SUBOPTIMALITY,
        "eta^(3/2) G^2 sqrt(d Tr H) / rho",
        lambda s: s.unit * math.sqrt(s.eta**3 * s.d * s.trace),
    ),
)


@dataclass(frozen=True)
class SpectrumRow:
    """A row of Table 4.

    Attributes:
        row: its label, lambda_k.
        rates: its entries; those of the ratio and of its correction come last.
    """

    row: str
    rates: tuple[Rate, ...]


def _row(
    label: str, d_eff: tuple[str, Callable[[Setting], float]],
    ftrl: tuple[str, Callable[[Setting], float]], *ratios: tuple[str, Callable[[Setting], float]],
) -> SpectrumRow:  # fmt: skip
    """Effective dimension, Noisy-SGD, Noisy-FTRL, their ratio as printed and, where there is one, its correction."""
    rates = [
        Rate(label, EFFECTIVE_DIMENSION, *d_eff),
        Rate(label, NOISY_SGD, "eta d / rho", sgd_order),
        Rate(label, NOISY_FTRL, *ftrl),
        *(Rate(label, RATIO, text, order, correction=bool(i)) for i, (text, order) in enumerate(ratios)),
    ]
    return SpectrumRow(label, tuple(rates))


def _ftrl(s: Setting, factor: float, power: int) -> float:
    return factor * s.eta**2 * s.unit * s.log**power


def _ratio(s: Setting, factor: float, power: int) -> float:
    return factor * s.eta / s.d * s.log**power


def _partial(s: Setting) -> float:
    """`d^{1-a} / (1-a)`."""
    return math.pow(s.d, 1.0 - s.alpha) / (1.0 - s.alpha)


TABLE4 = (
    _row(
        "1",
        ("d", lambda s: float(s.d)),
        ("eta^2 d log^2(1/eta) / rho", lambda s: s.eta**2 * s.d * s.unit * math.log(1.0 / s.eta) ** 2),
        ("eta log^2(1/eta)", lambda s: s.eta * math.log(1.0 / s.eta) ** 2),
    ),
    _row(
        "1/sqrt k",
        ("sqrt(d)", lambda s: math.sqrt(s.d)),
        ("eta^2 sqrt(d) log^2(d/eta) / rho", lambda s: _ftrl(s, math.sqrt(s.d), 2)),
        ("(eta/sqrt(d)) log^2(d/eta)", lambda s: _ratio(s, math.sqrt(s.d), 2)),
    ),
    _row(
        "k^-a, a < 1",
        ("d^(1-a) / (1-a)", _partial),
        ("eta^2 d^(1-a) log^2(d/eta) / ((1-a) rho)", lambda s: _ftrl(s, _partial(s), 2)),
        ("eta log^2(d/eta) / ((1-a) d^a)", lambda s: _ratio(s, _partial(s), 2)),
    ),
    _row(
        "1/k",
        ("log d", lambda s: math.log(s.d)),
        ("eta^2 log^3(d/eta) / rho", lambda s: _ftrl(s, 1.0, 3)),
        ("(eta/d) log^3(d/eta)", lambda s: _ratio(s, 1.0, 3)),
    ),
    _row(
        "1/k^2",
        ("constant", lambda s: 1.0),
        ("eta^2 log^2(d/eta) / rho", lambda s: _ftrl(s, 1.0, 2)),
        ("(eta/d) log^3(d/eta)", lambda s: _ratio(s, 1.0, 3)),
        ("(eta/d) log^2(d/eta)", lambda s: _ratio(s, 1.0, 2)),
    ),
    _row(
        "k^-a, a > 1",
        ("a / (a-1)", lambda s: s.alpha / (s.alpha - 1.0)),
        ("(a^2/(a-1)) eta^2 log^2(d/eta) / rho", lambda s: _ftrl(s, s.alpha**2 / (s.alpha - 1.0), 2)),
        ("(a^2/(a-1)) (eta/d) log^2(d/eta)", lambda s: _ratio(s, s.alpha**2 / (s.alpha - 1.0), 2)),
    ),
)


def finer_ftrl_order(lam: Array, *, eta: float, rho: float, nu: float, clip_norm: float = 1.0) -> float:
    """A finer order for Theorem 2.2: `eta^2 G^2/rho log(8/nu) sum_j lambda_j log(8/(eta lambda_j))`, for nu <= eta mu.

    Tr H log^2(8/nu) has the largest of these logarithms in the place of all; where the spectrum decays fast, this is
    smaller by a logarithm.
    """
    require_positive(eta=eta, rho=rho, nu=nu, clip_norm=clip_norm)
    total = float(lam @ np.log(8.0 / (eta * lam)))
    return eta**2 * clip_norm**2 / rho * math.log(8.0 / nu) * total
