"""The loss that clipping leaves (brown2024 Sec. 2.5): what is clipped, whose gradient it is, and that it is convex.

All of it is algebra, judged by the engine's own first step on one fixed data set. A first step from theta is one from
zero on labels y - X theta.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from dpdescent.algorithms import dp_gd
from dpdescent.data.linear import LinearSample
from dpdescent.papers.brown2024.criteria import claim_on_all_cells
from dpdescent.papers.brown2024.setting import Array, fixed_sample
from dpdescent.privacy.clipping import huber_loss
from dpdescent.replication.judging import records
from dpdescent.replication.judging.criteria import at_least, at_most, within_of
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import exactly

SECTION: records.Place = {"artefact": "bounds", "location": "Sec. 2.5", "kind": "text", "source": "identity"}
# Shares of the gradients at zero that thresholds clip, and distances from zero of the points at which gradients are taken.
SHARES, DISTANCES = (0.1, 0.5, 0.9), (0.1, 1.0, 10.0, 100.0)


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on the loss's gradient, on its convexity, and on the definition of clipping."""
    yield _huberised()
    yield _convex()
    yield _clip()


def mean_gradient(sample: LinearSample, theta: Array, gamma: float) -> Array:
    """The mean of the clipped gradients at theta, by a step of the engine."""
    own = LinearSample(sample.X, sample.y - sample.X @ theta)
    arms = dp_gd.DPGDArms.alike(1, 1, 1.0, gamma, 0.0)
    gradient: Array = -dp_gd.descend([own], arms, np.zeros((1, 1, 1, sample.p))).theta[0, 0]
    return gradient


def threshold(sample: LinearSample, share: float) -> float:
    """The threshold that clips a share of the gradients at zero."""
    return float(np.quantile(sample.norms * np.abs(sample.y), 1.0 - share))


def _huberised() -> Claim:
    """The claim on the Huber loss of Section 2.5, by clipped gradients and differences of that loss."""
    n, p, step, cells = 60, 5, 1e-5, {}
    sample = fixed_sample(n, p)
    gamma = threshold(sample, 0.5)
    thresholds = huber_parameters(sample, gamma)
    for words, theta in (("zero", np.zeros(p)), ("one", np.ones(p)), ("ten", np.full(p, 10.0))):
        gradient = mean_gradient(sample, theta, gamma)
        for j, axis in enumerate(np.eye(p)):
            ahead, behind = (
                float(huber_loss(sample.y - sample.X @ (theta + side * step * axis), thresholds).mean())
                for side in (1.0, -1.0)
            )
            cells[f"all coordinates {words}, coordinate {j + 1}"] = exactly(
                (ahead - behind) / (2.0 * step) / float(gradient[j])
            )
    # The smallest wrong world: one parameter gamma for all records, or gamma / |x_i|^2.
    return claim_on_all_cells(
        id="clipped-gradient-huber", **SECTION,
        statement="(algebra) the individual loss after clipping corresponds to the Huber loss with per-datum parameter B_i = gamma / |x_i|",
        quantity=f"derivative of the mean Huber loss, by differences, over the mean clipped gradient of DP-GD's step from three points, half of {n} records clipped at the first: the coordinate furthest off",
        cells=cells, criterion=within_of(1.0, 1e-6),
        changed=f"Added after a second review. {records.NOW_ALGEBRA} Until a later one gradients were taken at zero alone.",
    )  # fmt: skip


def _convex() -> Claim:
    """The claim on convexity: the gradient of a convex loss does not turn back between any two points."""
    n, p = 60, 5
    sample, cells = fixed_sample(n, p), {}
    for share in SHARES:
        gamma, products = threshold(sample, share), []
        for distance in DISTANCES:
            points = distance * np.sin(np.arange(1, 8 * p + 1) ** 2).reshape(8, p)
            gradients = [mean_gradient(sample, theta, gamma) for theta in points]
            for (a, at_a), (b, at_b) in combinations(zip(points, gradients, strict=True), 2):
                products.append((at_a - at_b) @ (a - b) / (2.0 * gamma * np.linalg.norm(a - b)))
        cells[f"{share:.0%} clipped at zero"] = exactly(float(min(products)))
    # The smallest wrong world: records whose gradients are too long are left out, as a redescending loss would.
    return claim_on_all_cells(
        id="clipped-loss-convex", **SECTION,
        statement="(algebra) the post-clipping gradients correspond to a convex loss",
        quantity=f"inner product of the difference of mean clipped gradients at two points and that of the points, over 2 gamma times the latter's length, smallest over pairs {DISTANCES[0]:g} to {DISTANCES[-1]:g} from zero, by threshold",
        cells=cells, criterion=at_least(0.0, words="at least 0"), changed="Added after a later review.",
    )  # fmt: skip


def _clip() -> Claim:
    """The claim on the definition of clipping, by the engine's own first step and a loop over records."""
    n, p, eta = 60, 5, 0.25
    sample, cells = fixed_sample(n, p), {}
    for share in (0.25, 0.5, 1.0):
        gamma = float(np.quantile(sample.norms * np.abs(sample.y), 1.0 - share)) * (0.5 if share == 1.0 else 1.0)
        descent = dp_gd.descend([sample], dp_gd.DPGDArms.alike(1, 1, eta, gamma, 0.0), np.zeros((1, 1, 1, p)))
        gradients = [-y * x for x, y in zip(sample.X, sample.y, strict=True)]
        cut = (gradient * min(1.0, gamma / np.linalg.norm(gradient)) for gradient in gradients if gradient.any())
        mean = sum(cut, np.zeros(p)) / n
        step = descent.theta[0, 0]
        place = f"{float(descent.clipped[0, 0]):.0%} clipped"
        cells[place] = exactly(float(np.linalg.norm(step + eta * mean) / np.linalg.norm(step)))
    # The smallest wrong world: coordinates that are clipped one by one.
    return claim_on_all_cells(
        id="clip-definition", **SECTION | {"location": "Sec. 2, Algorithm 1"},
        statement="(algebra) gradients are clipped in the standard way: CLIP_gamma(x) = x min{1, gamma / |x|}",
        quantity="distance of the engine's first step to that of the definition, record by record, over its length",
        cells=cells, criterion=at_most(1e-9), changed="Added after a fourth review.",
    )  # fmt: skip


def huber_parameters(sample: LinearSample, gamma: float) -> Array:
    """The parameters B_i of the Huber losses of Section 2.5."""
    return gamma / sample.norms
