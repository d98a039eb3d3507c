"""Averaged risks of mini-batch SGD as Corollary 5.6 prescribes it: B of the order gamma sqrt(n), eta B / n."""

from collections.abc import Iterator

from dpdescent.papers.wang2026.design import Row, Size, Spec, value
from dpdescent.papers.wang2026.runs import noise_free


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one number of records; `precondition` says whether T is the corollary's or what could be run."""
    n, gamma = spec["cell"]["n"], value(spec, "gamma")
    B = max(2, round(gamma * n**0.5))
    wanted = round(n**2 / (gamma**2 * B))
    T = min(wanted, value(spec, "cap"))
    own = {"precondition": "met" if wanted == T else "T capped"}
    return noise_free.rows(spec, Size(n, B, T), value(spec, "eta_n_over_B") * B / n, own)
