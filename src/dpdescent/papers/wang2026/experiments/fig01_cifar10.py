"""Figure 1's left panel on CIFAR-10 by softmax regression on scattering features, made on request."""

from collections.abc import Iterable, Iterator

from dpdescent.papers.wang2026.design import Row, Spec
from dpdescent.papers.wang2026.runs import wide_images
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of a part's seeds."""
    return wide_images.run(spec, "fig01_cifar10_rates")


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of a part."""
    return wide_images.releases(spec)
