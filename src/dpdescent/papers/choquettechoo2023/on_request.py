"""Claims about Figure 4(a) on real images, which are made on request: by a linear model, and by the paper's network.

Data, records, steps, epochs and noise are the paper's. The linear model is another one, so that no number of the paper
can be confirmed or refuted by it. The criteria are those of the digits, and were written before any of these runs;
after a review they are applied at the budgets at which learning rates were tuned.
"""

from collections.abc import Iterator

from dpdescent.papers.choquettechoo2023 import images, network
from dpdescent.replication.judging.evidence import Claim, Evidence


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges the claims on the tables that are there."""
    yield from images.judge(evidence)
    if network.NETWORK.artefact in evidence.tables:
        yield from network.judge(evidence)
