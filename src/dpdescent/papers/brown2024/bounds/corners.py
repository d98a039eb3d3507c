"""Where Theorem 2.7 of brown2024 does not hold as printed: sigma -> 0, and rho -> 0 at fixed n rho / p.

Bound (11) is evaluated at c' = 1. That an error lies above it says something about c' only; that the c' which would be
needed grows without end says that there is none.
"""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.brown2024.bounds.cases import SIGMA, Experiment, beside_zero, in_words, quantile
from dpdescent.papers.brown2024.theory import corners
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import ORDER, row, stated
from dpdescent.replication.judging.evidence import Bound, Evidence

PLACE = "small sigma"
# Budgets and constants at which the second corner is looked up by name; n = 2p/rho there.
BUDGETS, CONSTANTS, RATIO, P = (1e-2, 1e-8, 1e-12), (10.0, 50.0), 2.0, 10


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of sigma -> 0 beside the runs of `ext_small_noise`; rows of rho -> 0 by the bias that T steps leave."""
    experiment = Experiment(evidence, "ext_small_noise", PLACE)
    for found in each(experiment.rows()):
        yield from _small_sigma(experiment, found)
    yield from _growth(experiment.rows())
    for c in CONSTANTS:
        for rho in BUDGETS:
            yield from _small_rho(evidence, rho, c)


def _small_sigma(experiment: Experiment, found: pd.Series) -> Iterator[Bound]:
    n, p, rho = (experiment.value(symbol) for symbol in ("n", "p", "rho"))
    sigma, c, beta = float(found["sigma"]), float(found["c"]), experiment.evidence.settings["beta"]
    text = f"{PLACE}: p={p}, n={n}, rho={rho:g}, sigma={sigma:g}, c={c:g}"
    clipped = f"{found['clipped_at_start']:.0%} of the gradients are clipped at the first step"
    why = f"c' = 1, T and gamma of the theorem; measured is the mean error; {clipped}; {ORDER}"
    why += beside_zero(found["bound"])
    yield stated(
        bound="bound (11) as sigma -> 0", location="Thm 2.7", setting=text, value=found["bound"], note=why,
        measured=found["mean"],
    )  # fmt: skip
    needed = float(found["mean"] / found["bound"])
    yield stated(
        bound=f"c' needed at sigma = {sigma:g}, c = {c:g}", location="Thm 2.7", setting=text, value=needed,
        note="mean error over bound (11)",
    )  # fmt: skip
    corner = corners.small_noise(n=n, p=p, rho=rho, sigma=sigma, beta=beta, constant=c)
    empty = "; it says nothing here" if corner.error <= 0 else ""
    column = quantile(beta, above=False)
    why = f"||theta_hat|| taken as 1, less what T clipped steps can move; measured is {in_words(column)}{empty}"
    location = "Thm 2.7, Claim A.9"
    yield row(
        bound="least error as sigma -> 0", location=location, setting=text, value=corner.error, measured=found[column],
        direction="at least", note=why,
    )  # fmt: skip


def _growth(rows: pd.DataFrame) -> Iterator[Bound]:
    """How much the c' that is needed grows from the largest sigma to the smallest: the least growth over c."""
    if rows.empty:
        return
    needed = (rows["mean"] / rows["bound"]).groupby([rows["c"], rows["sigma"]]).mean().unstack("sigma")
    smallest, largest = needed.columns.min(), needed.columns.max()
    growth = needed[smallest] / needed[largest]
    text = f"{PLACE}: sigma={smallest:g} against sigma={largest:g}"
    why = "1 or less if one c' served both; least over c. As sigma -> 0 it grows like 1/sigma"
    yield stated(
        bound="growth of the c' needed as sigma -> 0", location="Thm 2.7", setting=text, value=float(growth.min()),
        note=why,
    )  # fmt: skip
    worst = f"largest c' that is needed, sigma = {smallest:g}"
    yield stated(
        bound="c' needed at the smallest sigma", location="Thm 2.7", setting=text, value=float(needed[smallest].max()),
        note=worst,
    )  # fmt: skip


def _small_rho(evidence: Evidence, rho: float, c: float) -> Iterator[Bound]:
    """Yields rows of rho -> 0 at Sigma = I.

    Noise and clipping, which come on top, are left out, so that the error is one from below.
    """
    corner = corners.small_budget(
        rho=rho, p=P, sigma=SIGMA, beta=evidence.settings["beta"], ratio=RATIO, constant=c
    )  # fmt: skip
    where, at = f"rho = {rho:g}, c = {c:g}", corner.setting
    text = f"n = {RATIO:g}p/rho: p={P}, n={at.n:.3g}, T={at.T}, rho={rho:g}, c={c:g}"
    order = math.log(at.n * math.sqrt(rho / P))
    why = (
        "c' = 1; no measurement: measured is the bias (3/4)^T that T = c ln(n rho/p) leaves where Sigma = I and "
        f"||theta_hat|| = 1; T should be of order log(n sqrt(rho/p)), here {order:.3g}; {ORDER}"
    )
    yield stated(
        bound=f"bound (11) at n = 2p/rho, {where}", location="Thm 2.7", setting=text, value=corner.bound, note=why,
        measured=corner.error,
    )  # fmt: skip
    yield stated(
        bound=f"c' needed at n = 2p/rho, {where}", location="Thm 2.7", setting=text, value=corner.required_constant,
        note="that bias over bound (11)",
    )  # fmt: skip
