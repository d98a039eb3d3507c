"""Figure 4(a) on CIFAR-10 at the paper's own n, T and k: softmax regression on scattering features."""

from collections.abc import Iterable, Iterator

from dpdescent.papers.choquettechoo2023.design import Row, Spec
from dpdescent.papers.choquettechoo2023.runs import image_learning
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of a part's seeds."""
    return image_learning.run(spec, "fig04a_cifar10_rates")


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of a part."""
    return image_learning.releases(spec)
