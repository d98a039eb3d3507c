"""Figure 6: length of the three confidence intervals against the total number of gradients."""

from collections.abc import Iterator

from dpdescent.papers.brown2024 import interval_runs
from dpdescent.papers.brown2024.design import Row, Spec
from dpdescent.papers.brown2024.interval_runs import releases as releases


def run(spec: Spec) -> Iterator[Row]:
    """Rows of one sample size: mean length by coordinate, and the textbook intervals' length beside it."""
    yield from interval_runs.least_squares_lengths(spec)
    yield from interval_runs.run(spec, interval_runs.length)
