"""Figure 6: length of the three confidence intervals against the total number of gradients."""

from collections.abc import Iterator

from dpdescent.papers.brown2024.design import Row, Spec
from dpdescent.papers.brown2024.runs import constructions
from dpdescent.papers.brown2024.runs.constructions import releases as releases
from dpdescent.replication.build.files import read_rows


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one sample size: mean length by coordinate, and the length of the OLS intervals beside it.

    Where the part of Figure 5 with the same runs is given, lengths are read there.
    """
    yield from constructions.least_squares_lengths(spec)
    if "runs" in spec:
        yield from constructions.lengths_read(read_rows(spec["runs"]))
    else:
        yield from constructions.run(spec, constructions.length)
