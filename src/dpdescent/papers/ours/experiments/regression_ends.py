"""Coverage and length of the intervals of `dp_regression` with public ends of the outcome and without them."""

from collections.abc import Iterable, Iterator

from dpdescent.papers.ours.design import Row, Spec
from dpdescent.papers.ours.ends_design import Design, draw
from dpdescent.papers.ours.experiments import regression
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Yields what `regression` measures, of the laws of a panel."""
    return regression.measured(spec, Design.of, draw)


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of a panel."""
    return regression.released(spec, Design.of)
