"""Claims about Figure 1 on CIFAR-10 by a linear model, whose runs are made on request.

The images are the figure's; the model is another one, and batches, clipping, steps, epsilons and accountant are not
stated, so that no number of the figure can be confirmed or refuted. The criteria are the same as for the digits
(`figure_1`), and were written before any of these runs; a refutation is left open, because the unstated settings
decide.
"""

from collections.abc import Iterator

from dpdescent.papers.wang2026 import figure_1
from dpdescent.papers.wang2026.figure_1 import Analogue, Samplers
from dpdescent.replication.judging.evidence import Claim, Evidence

# Variant of a sampler, words, and the ids of the claims on the gain, larger budgets, the shape and the drop.
SAMPLERS: Samplers = (
    ("main", "balls in bins, noise that is proved for them without amplification",
     "figure-1-cifar-gain", "figure-1-cifar-larger-budgets", "figure-1-cifar-not-monotone", "figure-1-cifar-drop"),
    ("cyclic batches", "batches in a fixed order, noise without amplification",
     "figure-1-cifar-gain-cyclic", "figure-1-cifar-larger-budgets-cyclic", "figure-1-cifar-not-monotone-cyclic",
     "figure-1-cifar-drop-cyclic"),
    ("batches of Algorithm 1", "Algorithm 1's own batches, noise that is proved for them, amplified at lambda = 0",
     "figure-1-cifar-gain-algorithm-1", "figure-1-cifar-larger-budgets-algorithm-1",
     "figure-1-cifar-not-monotone-algorithm-1", "figure-1-cifar-drop-algorithm-1"),
)  # fmt: skip
IMAGES = "seeds differ in batches and noise on one set of images: intervals are conditional on it"
CIFAR = Analogue(
    "fig01_cifar10", SAMPLERS,
    "an analogue: the figure's images, but a linear model on scattering features; the figure's network, batches, "
    "clipping, steps, epsilons and accountant are not stated",
    "paired over seeds, steps tuned on held-out training images, whose selection is in no interval; Student's intervals, "
    f"widened for the correlations looked at; {IMAGES}",
    IMAGES, "the figure's network, way to form batches, accountant and budgets",
    left_open="After a trial of the code on 2,000 images, before any run of the table, refutations were left open, "
    "because the figure's accountant and batches are not stated and decide.",
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on the table, if it is there."""
    if CIFAR.artefact in evidence.tables:
        yield from figure_1.claims_on_left_panel(evidence, CIFAR)
