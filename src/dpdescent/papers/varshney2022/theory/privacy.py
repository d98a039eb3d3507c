"""Noise multipliers of varshney2022: as printed, as its proofs allow, and as tight as the releases allow.

alpha is the sd of the noise over the sensitivity of one Gaussian release, under replacement of a record. What the paper
leaves open as an absolute constant is an argument with default 1, at which a value has the right order and is no bound.
`dpdescent.privacy.shuffling` has the bound with numbers that stands behind Theorem 3.1.
"""

import math
from dataclasses import dataclass

from dpdescent.checks import require_non_negative, require_positive, require_probability
from dpdescent.privacy import shuffling, zcdp
from dpdescent.privacy.accounting import tight_rho

# Factor of sqrt(log(1/delta)/N) in eq. (7) as the line before has it, (1 + e0) - (1 - e0/2) = 3/2 e0; 1/2 is printed.
FACTOR_7 = 1.5


def published_multiplier(eps: float, delta: float) -> float:
    """alpha = sqrt(8 log(1/delta)) / eps of DP-AMBSSGD (varshney2022 Thm 3.6, last form; Cor. 3.8).

    Raises:
        ValueError: if eps exceeds log(1/delta), up to which the theorem allows this form.
    """
    log = _log_inverse(eps, delta)
    if not eps <= log:
        raise ValueError(f"eps={eps} must not exceed log(1/delta)={log:.6g}: use theorem_multiplier there")
    return math.sqrt(8.0 * log) / eps


def theorem_multiplier(eps: float, delta: float) -> float:
    """alpha = 2 sqrt(log(1/delta) + eps) / eps (varshney2022 Thm 3.6, first form)."""
    return 2.0 * math.sqrt(_log_inverse(eps, delta) + eps) / eps


def zcdp_multiplier(eps: float, delta: float) -> float:
    """alpha at which 1/alpha^2 is all of the zCDP budget of (eps, delta), as the proof of Theorem 3.6 has it.

    A record then counts for DP-STAT and for the gradient, at rho = 1/(2 alpha^2) each, as with the printed, overlapping
    ranges of indices.
    """
    return math.sqrt(1.0 / zcdp.rho_of_epsilon(eps, delta))


def disjoint_multiplier(eps: float, delta: float) -> float:
    """alpha at which 1/(2 alpha^2) is all of the zCDP budget of (eps, delta), for disjoint ranges of indices.

    A record then counts for DP-STAT or for the gradient, but never for both.
    """
    return math.sqrt(0.5 / zcdp.rho_of_epsilon(eps, delta))


def gaussian_multiplier(eps: float, delta: float) -> float:
    """Smallest alpha with which one Gaussian release is (eps, delta)-private, by the exact conversion."""
    return math.sqrt(0.5 / tight_rho(eps, delta))


def theorem_3_1(eps: float, delta: float, records: float, constant: float = 1.0) -> float:
    """Order of DP-SSGD's alpha: `c3 log(N/delta) / (eps sqrt(N))` (varshney2022 Thm 3.1; Cor. 3.3 with c3 = 1).

    Args:
        eps: within `EpsilonRanges`; not checked, because the paper gives three ranges and no constants.
        delta: in (0, 1).
        records: N.
        constant: c3, "sufficiently large" and without a value.
    """
    require_positive(eps=eps, records=records, constant=constant)
    require_probability(delta=delta)
    return constant * math.log(records / delta) / (eps * math.sqrt(records))


@dataclass(frozen=True)
class EpsilonRanges:
    """Largest eps of DP-SSGD by the three places that give one, each up to a constant.

    Attributes:
        theorem: sqrt(log(N/delta) / N) (varshney2022 Thm 3.1).
        corollary: sqrt(log(1/delta) / N) (varshney2022 Cor. 3.3).
        remark: 1 / sqrt(N) (varshney2022, remark (iii) after Thm 3.2).
    """

    theorem: float
    corollary: float
    remark: float

    @classmethod
    def of(cls, records: float, delta: float) -> "EpsilonRanges":
        """Returns the three ranges at N records and delta."""
        require_positive(records=records)
        require_probability(delta=delta)
        root = math.sqrt(records)
        return cls(math.sqrt(math.log(records / delta)) / root, math.sqrt(math.log(1.0 / delta)) / root, 1.0 / root)


def local_multiplier(eps_local: float, delta_local: float) -> float:
    """alpha = sqrt(2 log(1.25/delta_0)) / eps_0 of one step of DP-SSGD (varshney2022 Lemma A.1).

    The classical Gaussian mechanism; its proof needs eps_0 < 1, which the lemma leaves out.

    Raises:
        ValueError: if eps_0 or delta_0 is not between 0 and 1.
    """
    require_probability(eps_local=eps_local, delta_local=delta_local)
    return math.sqrt(2.0 * math.log(1.25 / delta_local)) / eps_local


def least_multiplier_of_proof(records: float, delta: float) -> float:
    """Smallest alpha that the proof of Theorem 3.1 allows: Lemma A.1's at eps_0 = 1/2, whatever eps is aimed at.

    Its delta_0 = c2 delta / (e^eps N) has the constants of `privacy.shuffling.local_delta`, and eps = 0.
    """
    require_positive(records=records)
    require_probability(delta=delta)
    return local_multiplier(0.5, shuffling.local_delta(0.0, delta, math.ceil(records)))


def theorem_a3(eps_local: float, records: float, delta: float, constant: float = 1.0) -> float:
    """Order of the amplified eps (varshney2022 Thm A.3); infinite above its range of eps_0.

    `(1 - e^-e0) (sqrt(e^e0 log(1/delta) / n) + e^e0 / n)` for `e0 <= log(n / (16 log(2/delta)))`.
    """
    require_positive(records=records, constant=constant)
    require_non_negative(eps_local=eps_local)
    require_probability(delta=delta)
    if eps_local > math.log(records / (16.0 * math.log(2.0 / delta))):
        return math.inf
    grown = math.exp(eps_local)
    spread = math.sqrt(grown * math.log(1.0 / delta) / records) + grown / records
    return constant * -math.expm1(-eps_local) * spread


def eps_of_equation_7(eps_local: float, records: float, delta: float, constant: float = 1.0) -> float:
    """Linear form of Theorem A.3: `c1 eps_0 (3/2 sqrt(log(1/delta)/N) + 2/N)` (varshney2022 eq. 7).

    Args:
        eps_local: eps_0, at most 1/2.
        records: N.
        delta: of the amplified guarantee.
        constant: c1 of Theorem A.3, without a value.

    Raises:
        ValueError: if eps_0 exceeds 1/2, or an argument is out of its range.
    """
    require_positive(records=records, constant=constant)
    require_probability(delta=delta)
    if not 0.0 <= eps_local <= 0.5:
        raise ValueError(f"eps_local={eps_local} must lie between 0 and 1/2, up to where eq. (7) is linear")
    return constant * eps_local * (FACTOR_7 * math.sqrt(math.log(1.0 / delta) / records) + 2.0 / records)


def eps_of_equation_8(
    alpha: float, records: float, delta: float, delta_local: float, constant: float = 1.0
) -> float:  # fmt: skip
    """`c1 sqrt(2 log(1.25/delta_0) log(1/delta_hat)) / (alpha sqrt(N))` (varshney2022 eq. 8).

    Eq. (9) is this at delta_hat = delta/2 and delta_0 = c2 delta / (e^eps N).
    """
    require_positive(alpha=alpha, records=records, constant=constant)
    require_probability(delta=delta, delta_local=delta_local)
    logs = 2.0 * math.log(1.25 / delta_local) * math.log(1.0 / delta)
    return constant * math.sqrt(logs / records) / alpha


def _log_inverse(eps: float, delta: float) -> float:
    require_positive(eps=eps)
    require_probability(delta=delta)
    return math.log(1.0 / delta)
