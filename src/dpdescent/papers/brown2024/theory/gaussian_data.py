"""The constant with which Gaussian data meet the No-Clipping Condition (brown2024 Lemma 2.6), and its proof in parts.

Each function bounds one part of Condition 2.4 with probability 1 - beta/5, at step size 1/4. Where the printed argument
yields something other than the statement, both are here.
"""

import math

from dpdescent.checks import require_positive, require_probability
from dpdescent.papers.brown2024.theory import concentration

# The failure probability beta is split evenly over the five parts of the condition.
PARTS = 5


def constant(*, n: float, T: float, beta: float) -> float:
    """Returns the c0 with which Gaussian data meet Condition 2.4: `12 ln^1.5(5 n T / beta)` (brown2024 Lemma 2.6)."""
    return 12.0 * float(_log(n, T, beta) ** 1.5)


def constant_of_theorem(*, n: float, T: float, beta: float) -> float:
    """Returns the c0 of Lemma 2.6 at a quarter of Theorem 2.7's beta: `12 ln^1.5(20 n T / beta)` (brown2024 eq. 73)."""
    require_probability(beta=beta)
    return constant(n=n, T=T, beta=beta / 4.0)


def covariate_constant(*, n: float, p: int, beta: float) -> float:
    """Returns c1 of part (ii), ||x_i|| <= c1 sqrt(p) for all i (from brown2024 Claim A.9).

    `1 + sqrt(2 ln(5n/beta) / p)`.
    """
    require_positive(n=n)
    return concentration.gaussian_norm(p, 1.0, beta / (PARTS * n)) / math.sqrt(p)


def covariate_constant_as_printed(*, n: float, p: int, beta: float) -> float:
    """Returns c1 of part (ii) as printed, `1 + sqrt(2/p) ln(5n/beta)` (brown2024 Lemma C.7).

    The root should extend over the logarithm, as in `covariate_constant`.
    """
    require_positive(p=p)
    return 1.0 + math.sqrt(2.0 / p) * _log(n, 1.0, beta)


def covariate_ceiling(*, n: float, beta: float) -> float:
    """Returns the bound on c1 of part (ii) for p >= 2: `3 sqrt(ln(5n/beta))` (brown2024 Lemma C.7)."""
    return 3.0 * math.sqrt(_log(n, 1.0, beta))


def label_noise_bound(*, n: float, sigma: float, beta: float) -> float:
    """Returns the bound on all |xi_i| of part (iii): `sigma sqrt(2 ln(10n/beta))` (brown2024 Lemma C.7, Claim A.8)."""
    require_positive(n=n)
    return concentration.gaussian_tail(sigma, beta / (PARTS * n))


def signal_constant_as_printed(*, c0: float, p: int, n: float, T: float, beta: float) -> float:
    """Returns the constant that the printed proof yields for part (iv) (brown2024 eq. 58).

    `4 c0 ln(5nT/beta) / (1 - p^{-1/2})`, at most 16 c0 ln(5nT/beta) for p >= 2: larger than the c0 that the proof
    is to show.

    Raises:
        ValueError: if p < 2.
    """
    return 4.0 * c0 * _log(n, T, beta) * _dimension_factor(p)


def signal_constant(*, p: int, n: float, T: float, beta: float) -> float:
    """Returns the constant of part (iv) by the printed argument with 3 sqrt(ln(5nT/beta)), which exceeds c1, for c0.

    `12 ln^1.5(5nT/beta) / (1 - p^{-1/2})` (from brown2024 eq. 58): the stated constant of Lemma 2.6 times 3.41 at
    p = 2 and 1.46 at p = 10. It tends to the stated constant as p grows.

    Raises:
        ValueError: if p < 2.
    """
    return constant(n=n, T=T, beta=beta) * _dimension_factor(p)


def sub_gaussian_signal_constant(*, p: int, n: float, T: float, beta: float) -> float:
    """Returns the constant of part (iv) by the sub-Gaussian tail in place of Lemma A.11: `c1 sqrt(2 ln(10nT/beta))`.

    It lies below the stated constant, which shows that Lemma 2.6 (brown2024) itself holds.
    """
    return covariate_constant(n=n, p=p, beta=beta) * math.sqrt(2.0 * (math.log(2.0) + _log(n, T, beta)))


def kernel_bound(*, c1: float, n: float, p: int) -> float:
    """Returns the bound on `sum_j (x_i' A_t x_j)^2` for all i and t under part (i): `8 c1^2 n p` (brown2024 eq. 67)."""
    require_positive(c1=c1, n=n, p=p)
    return 8.0 * c1**2 * n * p


def cross_constant_as_printed(*, c1: float, n: float, T: float, beta: float) -> float:
    """Returns the constant that the printed proof yields for part (v): `4 c1 sqrt(ln(5nT/beta))` (brown2024 eq. 69)."""
    require_positive(c1=c1)
    return 4.0 * c1 * math.sqrt(_log(n, T, beta))


def cross_constant(*, c1: float, n: float, T: float, beta: float) -> float:
    """Returns the constant of part (v) with both tails, as in brown2024 Claim A.8: `4 c1 sqrt(ln(10nT/beta))`."""
    require_positive(c1=c1)
    return 4.0 * c1 * math.sqrt(math.log(2.0) + _log(n, T, beta))


def _log(n: float, T: float, beta: float) -> float:
    require_positive(n=n, T=T)
    require_probability(beta=beta)
    return math.log(PARTS * n * T / beta)


def _dimension_factor(p: int) -> float:
    """Returns 1 / (1 - p^{-1/2}), the factor by which Lemma A.11 is weaker than a tail at the scale of 1 / sqrt(p)."""
    if p < 2:
        raise ValueError(f"p={p} must be at least 2: Lemma 2.6 and its tail bound say nothing for one covariate")
    return 1.0 / (1.0 - 1.0 / math.sqrt(p))
