"""Averaged risks of gradient descent against the number of records, with T of the order n / gamma^2."""

from collections.abc import Iterator

from dpdescent.papers.wang2026.design import Row, Size, Spec, value
from dpdescent.papers.wang2026.runs import noise_free


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one number of records."""
    n = spec["cell"]["n"]
    T = round(value(spec, "steps") * n / value(spec, "gamma") ** 2)
    return noise_free.rows(spec, Size(n, n, T), value(spec, "eta"))
