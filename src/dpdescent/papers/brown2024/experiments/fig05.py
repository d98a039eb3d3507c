"""Figure 5: coverage of the three confidence intervals against the total number of gradients."""

from collections.abc import Iterator

from dpdescent.papers.brown2024.design import Row, Spec
from dpdescent.papers.brown2024.runs import constructions
from dpdescent.papers.brown2024.runs.constructions import releases as releases


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one sample size: coverage of theta_hat by coordinate."""
    return constructions.run(spec, constructions.coverage)
