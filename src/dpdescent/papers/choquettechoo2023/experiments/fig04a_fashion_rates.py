"""Learning rates for Figure 4(a) on Fashion-MNIST: accuracy on held-out training images, on request."""

from collections.abc import Iterable, Iterator

from dpdescent.papers.choquettechoo2023.design import Row, Spec
from dpdescent.papers.choquettechoo2023.runs import image_learning
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one mechanism."""
    return image_learning.tune(spec)


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of a part."""
    return image_learning.releases(spec)
