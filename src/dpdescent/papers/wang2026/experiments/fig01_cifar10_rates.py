"""Learning rates for Figure 1 on CIFAR-10: accuracy on held-out training images, made on request."""

from collections.abc import Iterable, Iterator

from dpdescent.papers.wang2026.design import Row, Spec
from dpdescent.papers.wang2026.runs import wide_images
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one epsilon."""
    return wide_images.tune(spec)


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of one epsilon, of runs that were trained on all but the held-out images."""
    return wide_images.releases(wide_images.without_held_out(spec))
