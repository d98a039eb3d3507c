"""The noise terms of Theorem 4.1's bound against the correlation, by the accountant that sets the multiplier."""

from collections.abc import Iterator
from itertools import product

from dpdescent.checks import as_list
from dpdescent.papers.wang2026.design import Row, Size, Spec, value
from dpdescent.papers.wang2026.runs import calibrated
from dpdescent.papers.wang2026.theory import rates
from dpdescent.privacy.participation.calibration import Calibrated

FIXED, SERIES = "fixed", "A_corr"
# The fixed multiplier is this accountant's, because it is proved and for the sampler of Algorithm 1.
REFERENCE = "tail"


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of every budget, correlation and accountant: linear and quadratic term, and the whole bound."""
    size, cell = Size.of(spec), spec["cell"]
    grid = product(*(as_list(value(spec, name)) for name in ("eps", "accountants", "lam")))
    for eps, accountant, lam in grid:
        noise = calibrated_for(spec, size, accountant, lam, eps)
        made = rates.Run(
            n=size.n, B=size.B, T=size.T, m=value(spec, "m"), d=value(spec, "d"), gamma=value(spec, "gamma"),
            eta=cell["eta"], lam=lam, kappa=noise.multiplier, delta=value(spec, "delta"),
        )  # fmt: skip
        found = rates.correlated(made)
        for term, number in {"linear": found.linear, "quadratic": found.quadratic, "total": found.total}.items():
            yield {
                "n": size.n, "T": size.T, "B": size.B, "r": size.r, "m": made.m, "d": made.d, "lam": lam, "eps": eps,
                "delta": made.delta, "accountant": accountant, "relation": noise.relation, "sampler": noise.sampler,
                "precondition": noise.precondition, "eta": made.eta, "term": term, "kappa": noise.multiplier,
                "series": SERIES, "trial": 0, "value": number,
            }  # fmt: skip


def calibrated_for(spec: Spec, size: Size, accountant: str, lam: float, eps: float) -> Calibrated:
    """Returns an accountant's noise; `fixed` is the reference's without correlation, used at every correlation."""
    name, at = (REFERENCE, 0.0) if accountant == FIXED else (accountant, lam)
    return calibrated.multiplier(spec, name, size.T, size.r, at, eps, value(spec, "delta"))
