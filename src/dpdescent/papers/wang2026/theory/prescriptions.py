"""The paper's prescriptions, the rates that it derives from them, and what it compares them with (wang2026 Secs. 1, 5).

Constants are 1 and logarithms dropped, also those that the text calls polylog in the width.
"""

import math
from dataclasses import dataclass

from dpdescent.checks import require_positive
from dpdescent.papers.wang2026.theory.rates import Run


@dataclass(frozen=True)
class Point:
    """A setting for which the paper prescribes a run.

    Attributes:
        n: records.
        d: dimension of the inputs.
        gamma: NTK margin.
        eps: privacy parameter.
    """

    n: float
    d: float
    gamma: float
    eps: float

    def __post_init__(self) -> None:
        require_positive(n=self.n, d=self.d, gamma=self.gamma, eps=self.eps)


def corollary_5_3(point: Point, *, rho: float = 0.2, lam: float = 0.5, eta: float = 1.0) -> Run:
    """Returns the run with correlated noise of wang2026 Corollary 5.3.

    `B = rho n`, `T = min(sqrt(n)/gamma, n eps gamma^2/sqrt(d))`, `m = gamma^-6`, where eta is of order 1; kappa of
    Theorem 5.1 without logarithms.
    """
    p = point
    T = min(math.sqrt(p.n) / p.gamma, p.n * p.eps * p.gamma**2 / math.sqrt(p.d))
    m = p.gamma**-6
    delta = min(1.0 / (p.n * math.sqrt(m)), p.gamma / p.n)
    kappa = theorem_5_1(T, rho, lam, p.eps)
    return Run(p.n, rho * p.n, T, m, p.d, p.gamma, eta, lam, kappa, delta)


def corollary_5_5(point: Point) -> Run:
    """Returns the run with independent noise of wang2026 Corollary 5.5.

    `B = gamma sqrt(n)`, `eta = min(1, gamma^2 sqrt(n) eps/sqrt(d))`, `T = sqrt(n)/gamma`, `m = gamma^-4`; kappa of
    Theorem 5.4 without logarithms.
    """
    p = point
    B, T = p.gamma * math.sqrt(p.n), math.sqrt(p.n) / p.gamma
    eta = min(1.0, p.gamma**2 * math.sqrt(p.n) * p.eps / math.sqrt(p.d))
    kappa = theorem_5_4(T, B / p.n, p.eps)
    return Run(p.n, B, T, p.gamma**-4, p.d, p.gamma, eta, 0.0, kappa, p.gamma / p.n)


def corollary_5_6(point: Point) -> Run:
    """Returns the run without noise of wang2026 Corollary 5.6.

    `B = gamma sqrt(n)`, `eta = B/n`, `T = n^2/(gamma^2 B)`, `m = gamma^-4`.
    """
    p = point
    B = p.gamma * math.sqrt(p.n)
    return Run(
        p.n, B, p.n**2 / (p.gamma**2 * B), p.gamma**-4, p.d, p.gamma, B / p.n, 0.0, 0.0, _small(1.0 / p.gamma, p)
    )


def full_batch_private(point: Point) -> Run:
    """Returns the run of DP-GD (wang2026 end of App. D.3).

    `B = n`, `eta = min(1, eps/(gamma sqrt(md)))`, `m = gamma^-4`, and `T = n`, as its kappa implies.
    """
    p = point
    m = p.gamma**-4
    eta = min(1.0, p.eps / (p.gamma * math.sqrt(m * p.d)))
    return Run(p.n, p.n, p.n, m, p.d, p.gamma, eta, 0.0, theorem_5_4(p.n, 1.0, p.eps), _small(p.gamma, p))


def full_batch(point: Point) -> Run:
    """Returns the run of GD: `B = n`, `eta = 1`, `T = n/gamma^2`, `m = gamma^-4` (wang2026 end of App. E)."""
    p = point
    return Run(p.n, p.n, p.n / p.gamma**2, p.gamma**-4, p.d, p.gamma, 1.0, 0.0, 0.0, _small(1.0 / p.gamma, p))


def _small(scale: float, point: Point) -> float:
    """Returns scale / n, and 1/2 where that is larger, because it has to be a probability."""
    return min(0.5, scale / point.n)


def theorem_5_1(T: float, r: float, lam: float, eps: float) -> float:
    """Returns kappa of correlated noise, no logarithms: `(1-lam^T)/(1-lam) sqrt(rT) / eps` (wang2026 Theorem 5.1)."""
    require_positive(T=T, r=r, eps=eps)
    return float(math.sqrt(r * T) * (1.0 - lam**T) / (1.0 - lam) / eps)


def theorem_5_4(T: float, r: float, eps: float) -> float:
    """Returns kappa of independent noise without logarithms, `r sqrt(T) / eps` (wang2026 Theorem 5.4)."""
    require_positive(T=T, r=r, eps=eps)
    return r * math.sqrt(T) / eps


# Comparison -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Power:
    """An order of magnitude, `n^a gamma^b d^c eps^e`.

    Attributes:
        n: a.
        gamma: b.
        d: c.
        eps: e.
    """

    n: float
    gamma: float = 0.0
    d: float = 0.0
    eps: float = 0.0

    def value(self, point: Point) -> float:
        """Returns the value of this product of powers at a point."""
        return float(point.n**self.n * point.gamma**self.gamma * point.d**self.d * point.eps**self.eps)


@dataclass(frozen=True)
class Entry:
    """An algorithm whose rate the paper compares with others (wang2026 Secs. 1 and 5).

    Attributes:
        setting: algorithm.
        source: where it is stated, or whose it is.
        rate: order of the part of the population risk that comes from sampling; None where none is quoted.
        private: order of the part that privacy adds; None without privacy.
        width: least power of gamma in the width; None where there is no width.
        empirical: order of the averaged empirical risk, where the text has another.
    """

    setting: str
    source: str
    rate: Power | None
    private: Power | None
    width: float | None
    empirical: Power | None = None


def _private(gamma: float) -> Power:
    return Power(-1.0, gamma, 0.5, -1.0)


ENTRIES = (
    Entry("GD", "Wang et al. 2026", Power(-1.0, -4.0), None, -6.0),
    Entry("GD, fixed second layer", "App. E", Power(-1.0, -2.0), None, -4.0, Power(-1.0)),
    Entry("mini-batch SGD", "Corollary 5.6", Power(-1.0, -2.0), None, -4.0, Power(-1.0)),
    Entry("DP-GD", "Wang et al. 2026", None, _private(-4.0), -6.0),
    Entry("DP-GD, fixed second layer", "Sec. 5.2, App. D.3", None, _private(-3.0), -4.0),
    Entry("DP-SGD, independent noise", "Corollary 5.5", Power(-0.5, -1.0), _private(-3.0), -4.0),
    Entry("DP-SGD, correlated noise", "Corollary 5.3", Power(-0.5, -1.0), _private(-4.0), -6.0),
    Entry("convex DP-SCO, lower bound", "Bassily et al. 2019", Power(-0.5), _private(0.0), None),
)  # fmt: skip
