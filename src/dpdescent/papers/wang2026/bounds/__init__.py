"""Every computable bound of wang2026 at the experiments' settings, beside what was measured or is exactly known.

Explicit bounds are evaluated with the paper's constants and with sharp ones; they have a verdict where their conditions
are met, which at sizes that can be run they mostly are not: then their rows are open. Statements with hidden constants
are evaluated at 1 and are orders, and so much is said in their notes. Bounds on risks say where they are vacuous, not
below log 2, the risk of f = 0.
"""

from dpdescent.papers.wang2026.bounds import corollaries, correlation, network, noise, orders, privacy, runs, stability
from dpdescent.replication.judging.evidence import Bound, Evidence

PARTS = (privacy, network, noise, runs, stability, orders, corollaries, correlation)


def evaluate(evidence: Evidence) -> list[Bound]:
    """All rows: privacy, network and start, noise, explicit bounds on runs, stability, rates, correlation."""
    return [bound for part in PARTS for bound in part.evaluate(evidence)]
