"""The comparison that the paper gives in prose: bounds of excess risks with constants 1, and sample sizes."""

from collections.abc import Iterator
from itertools import product

from dpdescent.checks import as_list
from dpdescent.papers.varshney2022.design import Row, Spec
from dpdescent.papers.varshney2022.theory.comparison import ENTRIES, Point, dp_ambssgd


def run(spec: Spec) -> Iterator[Row]:
    """Yields a row for each method, label noise and epsilon for which the paper quotes a bound, where it is quoted."""
    cell, arms = spec["cell"], spec["arms"]
    if spec["trials"][0] > 0:
        return
    for entry, sigma, eps in product(ENTRIES, as_list(arms["sigma"]), as_list(arms["eps"])):
        point = Point(cell["d"], cell["N"], sigma, eps, spec["settings"]["w_norm"])
        if entry.risk is None or not entry.holds(point):
            continue
        value, ours = entry.risk(point), dp_ambssgd(point)
        yield {
            "method": entry.method, "bound": entry.bound, "sample_size": entry.sample_size, "d": cell["d"],
            "N": cell["N"], "sigma": sigma, "eps": eps, "series": "bound, constants 1", "trial": 0, "value": value,
            "over_ours": value / ours if ours > 0.0 else float("nan" if value == 0.0 else "inf"),
        }  # fmt: skip
