"""Figure 11: Figure 6 with anisotropic covariates."""

from collections.abc import Iterator

from dpdescent.papers.brown2024.design import Row, Spec
from dpdescent.papers.brown2024.runs import constructions
from dpdescent.papers.brown2024.runs.constructions import releases as releases


def run(spec: Spec) -> Iterator[Row]:
    """Rows of one sample size: mean length by coordinate, and the textbook intervals' length beside it."""
    yield from constructions.least_squares_lengths(spec)
    yield from constructions.run(spec, constructions.length)
