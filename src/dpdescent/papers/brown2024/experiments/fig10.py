"""Figure 10: Figure 5 with anisotropic covariates."""

from collections.abc import Iterator

from dpdescent.papers.brown2024 import interval_runs
from dpdescent.papers.brown2024.design import Row, Spec
from dpdescent.papers.brown2024.interval_runs import releases as releases


def run(spec: Spec) -> Iterator[Row]:
    """Rows of one sample size: coverage of theta_hat by coordinate."""
    return interval_runs.run(spec, interval_runs.coverage)
