"""Prior work as varshney2022 quotes it: excess risks and sample sizes that its text compares, constants set to 1.

The paper has no table; the entries stand in its abstract, Secs. 1, 1.3 and 3, and the remarks on its theorems. They are
quoted, not checked against the works themselves. Logarithms are left out, so values are orders and no bounds.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from dpdescent.checks import require_non_negative, require_positive


@dataclass(frozen=True)
class Point:
    """A size at which entries are evaluated, for x ~ N(0, I).

    Attributes:
        d: dimension.
        records: N.
        sigma: sd of the label noise.
        eps: privacy parameter.
        w_norm: |w*|.
    """

    d: int
    records: float
    sigma: float
    eps: float
    w_norm: float = 1.0

    def __post_init__(self) -> None:
        require_positive(d=self.d, records=self.records, eps=self.eps)
        require_non_negative(sigma=self.sigma, w_norm=self.w_norm)

    @property
    def sampling(self) -> float:
        """The term of sampling, sigma^2 d / N."""
        return self.sigma**2 * self.d / self.records

    @property
    def privacy(self) -> float:
        """The term of privacy per unit of squared scale, d^2 / (eps N)^2."""
        return (self.d / (self.eps * self.records)) ** 2


@dataclass(frozen=True)
class Entry:
    """One method with the bound and the sample size that the paper quotes for it.

    Attributes:
        method: name, with the work that is quoted.
        bound: excess risk as text; empty where none is quoted.
        sample_size: N that it needs, as text; empty where none is quoted.
        risk: excess risk at a point, constants 1; None where no bound is quoted.
        place: where the paper says so.
        holds: whether the bound is quoted for a point.
    """

    method: str
    bound: str
    sample_size: str
    risk: Callable[[Point], float] | None
    place: str
    holds: Callable[[Point], bool] = lambda point: True


def dp_ambssgd(point: Point) -> float:
    """`sigma^2 d / N + sigma^2 d^2 / (eps N)^2` (varshney2022 Thm 3.7 at kappa = 1)."""
    return point.sampling + point.sigma**2 * point.privacy


def dp_ssgd(point: Point) -> float:
    """`sigma^2 d / N + (|w*|^2 + sigma^2) d^2 / (eps N)^2` (varshney2022 Cor. 3.3)."""
    return point.sampling + (point.w_norm**2 + point.sigma**2) * point.privacy


def cai(point: Point) -> float:
    """`sigma^2 d / N + (d |w*|^2 + sigma^2) d^2 / (eps N)^2` (varshney2022, after Thm 1.1)."""
    return point.sampling + (point.d * point.w_norm**2 + point.sigma**2) * point.privacy


def efficient_without_noise(point: Point) -> float:
    """`d^3 / (eps N)^2`, quoted for sigma = 0 (varshney2022, abstract)."""
    return point.d * point.w_norm**2 * point.privacy


def convex_optimisation(point: Point) -> float:
    """`L |C| (1 / sqrt(N) + sqrt(d) / (eps N))` at L = d and |C| = |w*| (varshney2022 Sec. 1.3)."""
    rate = 1.0 / math.sqrt(point.records) + math.sqrt(point.d) / (point.eps * point.records)
    return point.d * point.w_norm * rate


ENTRIES = (
    Entry("without privacy", "sigma^2 d/N", "d", lambda point: point.sampling, "Sec. 1"),
    Entry(
        "lower bound (Cai et al. 2021)", "sigma^2 d/N + sigma^2 d^2/(eps N)^2", "", dp_ambssgd,
        "remark (ii) after Thm 3.7",
    ),
    Entry("Cai et al. 2021", "sigma^2 d/N + (d |w*|^2 + sigma^2) d^2/(eps N)^2", "d^1.5", cai, "after Thm 1.1"),
    Entry(
        "efficient methods at sigma = 0", "d^3/(eps N)^2", "d^1.5", efficient_without_noise, "abstract",
        lambda point: point.sigma == 0.0,
    ),
    Entry(
        "DP-ERM, DP-SCO (Bassily et al. 2019, 2020)", "L |C| (1/sqrt(N) + sqrt(d)/(eps N)), L = d", "d^2",
        convex_optimisation, "Sec. 1.3",
    ),
    Entry("sufficient statistics (Smith et al. 2017, Sheffet 2019)", "", "d^1.5", None, "Sec. 1.3"),
    Entry("DP-SGD with replacement", "", "d^1.5", None, "Sec. 3"),
    Entry("Liu et al. 2021", "as DP-AMBSSGD, in exponential time", "d", dp_ambssgd, "Sec. 1"),
    Entry(
        "DP-SSGD", "sigma^2 d/N + (|w*|^2 + sigma^2) d^2/(eps N)^2", "d^2, at eps <= 1/sqrt(N)", dp_ssgd,
        "Thm 3.2, Cor. 3.3", lambda point: point.eps <= point.records**-0.5 * (1.0 + 1e-12),
    ),
    Entry("DP-AMBSSGD", "sigma^2 d/N + sigma^2 d^2/(eps N)^2", "d", dp_ambssgd, "Thm 3.7, Cor. 3.8"),
)  # fmt: skip


def free_epsilon(d: int, records: float) -> float:
    """eps above which privacy costs no more than sampling does: sqrt(d / N) (varshney2022 Sec. 1)."""
    require_positive(d=d, records=records)
    return math.sqrt(d / records)


def private_share(c: float) -> float:
    """Privacy's term over sampling's at eps = c sqrt(d/N): 1/c^2 (varshney2022 Sec. 1).

    The text has 1/c, which is right for eps = sqrt(c d/N).
    """
    require_positive(c=c)
    return 1.0 / c**2
