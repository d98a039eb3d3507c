"""Figure 4(a) with the paper's own network on CIFAR-10, at its n, T and k; needs JAX, on request."""

from collections.abc import Iterable, Iterator

from dpdescent.papers.choquettechoo2023.design import Row, Spec
from dpdescent.papers.choquettechoo2023.runs import network_learning
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Yields the row of a run."""
    return network_learning.run(spec)


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of a part."""
    return network_learning.releases(spec)
