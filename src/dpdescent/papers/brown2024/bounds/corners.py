"""Where Theorem 2.7 of brown2024 does not hold as printed: how far from least squares DP-GD stays as sigma -> 0."""

from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.brown2024.bounds.cases import Experiment, in_words, quantile
from dpdescent.papers.brown2024.theory import corners
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import row
from dpdescent.replication.judging.evidence import Bound, Evidence

PLACE = "small sigma"


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of sigma -> 0 beside the runs of `ext_small_noise`."""
    experiment = Experiment(evidence, "ext_small_noise", PLACE)
    for found in each(experiment.rows()):
        yield _small_sigma(experiment, found)


def _small_sigma(experiment: Experiment, found: pd.Series) -> Bound:
    n, p, rho = (experiment.value(symbol) for symbol in ("n", "p", "rho"))
    sigma, c, beta = float(found["sigma"]), float(found["c"]), experiment.evidence.settings["beta"]
    text = f"{PLACE}: p={p}, n={n}, rho={rho:g}, sigma={sigma:g}, c={c:g}"
    corner = corners.small_noise(n=n, p=p, rho=rho, sigma=sigma, beta=beta, constant=c)
    empty = "; it says nothing here" if corner.error <= 0 else ""
    column = quantile(beta, above=False)
    why = f"||theta_hat|| taken as 1, less what T clipped steps can move; measured is {in_words(column)}{empty}"
    location = "Thm 2.7, Claim A.9"
    return row(
        bound="least error as sigma -> 0", location=location, setting=text, value=corner.error, measured=found[column],
        direction="at least", note=why,
    )  # fmt: skip
