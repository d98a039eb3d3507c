"""Why Gaussian data meet the No-Clipping Condition: the constant of Lemma 2.6 of brown2024 and the pieces of its proof.

Each piece bounds one part of Condition 2.4 with probability 1 - beta/5, at step size 1/4. Where the printed argument
yields something other than the statement, both are here.
"""

import math

from dpdescent.checks import require_positive, require_probability
from dpdescent.papers.brown2024.theory import concentration

# The five parts of the condition share the failure probability.
PARTS = 5


def constant(*, n: float, T: float, beta: float) -> float:
    """c0 with which Gaussian data meet Condition 2.4: `12 ln^1.5(5 n T / beta)` (brown2024 Lemma 2.6)."""
    return 12.0 * float(_log(n, T, beta) ** 1.5)


def constant_of_theorem(*, n: float, T: float, beta: float) -> float:
    """The same where Theorem 2.7 uses it, with a quarter of its beta: `12 ln^1.5(20 n T / beta)` (brown2024 eq. 73)."""
    require_probability(beta=beta)
    return constant(n=n, T=T, beta=beta / 4.0)


def covariate_constant(*, n: float, p: int, beta: float) -> float:
    """c1 with ||x_i|| <= c1 sqrt(p) for all i, part (ii): `1 + sqrt(2 ln(5n/beta) / p)` (from brown2024 Claim A.9)."""
    require_positive(n=n)
    return concentration.gaussian_norm(p, 1.0, beta / (PARTS * n)) / math.sqrt(p)


def covariate_constant_as_printed(*, n: float, p: int, beta: float) -> float:
    """c1 as the proof prints it, with a root that ends too early: `1 + sqrt(2/p) ln(5n/beta)` (brown2024 Lemma C.7)."""
    require_positive(p=p)
    return 1.0 + math.sqrt(2.0 / p) * _log(n, 1.0, beta)


def covariate_ceiling(*, n: float, beta: float) -> float:
    """The bound on c1 for p >= 2: `3 sqrt(ln(5n/beta))` (brown2024 Lemma C.7)."""
    return 3.0 * math.sqrt(_log(n, 1.0, beta))


def label_noise_bound(*, n: float, sigma: float, beta: float) -> float:
    """What all |xi_i| stay below, part (iii): `sigma sqrt(2 ln(10n/beta))` (brown2024 Lemma C.7, by Claim A.8)."""
    require_positive(n=n)
    return concentration.gaussian_tail(sigma, beta / (PARTS * n))


def signal_constant_as_printed(*, c0: float, p: int, n: float, T: float, beta: float) -> float:
    """What the printed proof yields for part (iv): `4 c0 ln(5nT/beta) / (1 - p^{-1/2})` (brown2024 eq. 58).

    A multiple of the c0 that is to be shown, hence larger than it: at most 16 c0 ln(5nT/beta) for p >= 2.

    Raises:
        ValueError: if p < 2.
    """
    return 4.0 * c0 * _log(n, T, beta) * _dimension_factor(p)


def signal_constant(*, p: int, n: float, T: float, beta: float) -> float:
    """The same argument with 3 sqrt(ln(5nT/beta)), which exceeds c1, for c0: `12 ln^1.5(5nT/beta) / (1 - p^{-1/2})`.

    The stated constant of Lemma 2.6 times 3.41 at p = 2, 1.46 at p = 10: the stated one is its limit for p to infinity.

    Raises:
        ValueError: if p < 2.
    """
    return constant(n=n, T=T, beta=beta) * _dimension_factor(p)


def sub_gaussian_signal_constant(*, p: int, n: float, T: float, beta: float) -> float:
    """Part (iv) by the sub-Gaussian tail in place of Lemma A.11: `c1 sqrt(2 ln(10nT/beta))`.

    It lies below the stated constant, which shows that Lemma 2.6 itself stands.
    """
    return covariate_constant(n=n, p=p, beta=beta) * math.sqrt(2.0 * (math.log(2.0) + _log(n, T, beta)))


def kernel_bound(*, c1: float, n: float, p: int) -> float:
    """Bound on `sum_j (x_i' A_t x_j)^2` for all i and t under part (i): `8 c1^2 n p` (brown2024 eq. 67)."""
    require_positive(c1=c1, n=n, p=p)
    return 8.0 * c1**2 * n * p


def cross_constant_as_printed(*, c1: float, n: float, T: float, beta: float) -> float:
    """What the proof yields for part (v): `4 c1 sqrt(ln(5nT/beta))` (brown2024 eq. 69)."""
    require_positive(c1=c1)
    return 4.0 * c1 * math.sqrt(_log(n, T, beta))


def cross_constant(*, c1: float, n: float, T: float, beta: float) -> float:
    """The same with both tails, as Claim A.8 has them: `4 c1 sqrt(ln(10nT/beta))`."""
    require_positive(c1=c1)
    return 4.0 * c1 * math.sqrt(math.log(2.0) + _log(n, T, beta))


def _log(n: float, T: float, beta: float) -> float:
    require_positive(n=n, T=T)
    require_probability(beta=beta)
    return math.log(PARTS * n * T / beta)


def _dimension_factor(p: int) -> float:
    """1 / (1 - p^{-1/2}), by which Lemma A.11 falls short of a tail at the scale of 1 / sqrt(p)."""
    if p < 2:
        raise ValueError(f"p={p} must be at least 2: Lemma 2.6 and its tail bound say nothing for one covariate")
    return 1.0 / (1.0 - 1.0 / math.sqrt(p))
