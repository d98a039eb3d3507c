"""Smallest N that meets the conditions that the paper prints, for the constants that it leaves open."""

from collections.abc import Iterator
from functools import partial
from itertools import product

from dpdescent.checks import as_list
from dpdescent.papers.varshney2022.design import Design, Row, Spec
from dpdescent.papers.varshney2022.theory import ambssgd, moments, privacy, ssgd

WIDTHS = {"B / N^200": 200.0, "B / N^100": 100.0, "B / N": 1.0}

PUBLISHED, EXACT = "smallest N", "smallest N, exact alpha"


def run(spec: Spec) -> Iterator[Row]:
    """Yields a row for each condition, constant and noise multiplier."""
    if spec["trials"][0] > 0:
        return
    settings, arms = spec["settings"], spec["arms"]
    multipliers = {
        PUBLISHED: privacy.published_multiplier(settings["eps"], settings["delta"]),
        EXACT: privacy.gaussian_multiplier(settings["eps"], settings["delta"]),
    }
    for (series, alpha), c1 in product(multipliers.items(), as_list(arms["c1"])):
        row = {"c1": c1, "series": series, "trial": 0}
        for width in as_list(arms["width"]):
            if width not in WIDTHS:
                raise ValueError(f"width={width!r} is none of {list(WIDTHS)}")
            N = ambssgd.smallest_records_for_stat(alpha, c1, WIDTHS[width])
            yield {**row, "condition": "s >= 2 Gamma", "width": width, "value": N}
        for d in as_list(spec["cell"]["d"]):
            N = ambssgd.smallest_records_for_batch(_problem(spec, d), alpha, c1)
            yield {**row, "condition": "batch condition of Lemma 3.11", "d": d, "value": N}
    for d in as_list(spec["cell"]["d"]):
        yield {
            "condition": "eta mu N / 2 >= log N", "d": d, "series": PUBLISHED, "trial": 0,
            "value": ssgd.smallest_records_for_start(_problem(spec, d), partial(_ssgd_multiplier, settings["delta"])),
        }  # fmt: skip


def _ssgd_multiplier(delta: float, N: float) -> float:
    """Returns Theorem 3.1's order of alpha with constant 1 at the remark's largest epsilon: log(N/delta)."""
    return privacy.theorem_3_1(privacy.EpsilonRanges.of(N, delta).remark, delta, N)


def _problem(spec: Spec, d: int) -> moments.LinearProblem:
    return Design.of(d, 1.0, spec["settings"]["w_norm"]).problem(10**6, spec["arms"]["sigma"])
