"""Every computable bound of liang2025 at its experiments' settings, beside what was measured.

Lemmas are evaluated at constants that make them bounds and stand beside quantiles over trials. The theorems hide
constants; they are evaluated at 1 and stand beside mean errors.
"""

from dpdescent.papers.liang2025.bounds import conditions, lemmas, theorem
from dpdescent.replication.judging.evidence import Bound, Evidence


def evaluate(evidence: Evidence) -> list[Bound]:
    """Evaluates all rows: lemmas, conditions, theorems.

    Raises:
        ValueError: if a sample size is so small that delta(tau) reaches 1, where eq. (10) is not defined.
    """
    return [
        *lemmas.evaluate(evidence),
        *conditions.evaluate(evidence),
        *theorem.evaluate(evidence),
    ]
