"""How rates are judged: slopes with the logarithms of the bound divided out, and what runs outside of the window say."""

import math

import numpy as np
import pandas as pd

from dpdescent.papers.wang2026.claims.quantities import range_of, setting
from dpdescent.papers.wang2026.reading import EMPIRICAL, INDEPENDENT, POPULATION, PUBLISHED, RATE, TAIL, rows
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import Criterion, at_most
from dpdescent.replication.judging.evidence import Evidence

LOGS_LEFT_OUT = "Before a review the logarithms of the bound were left out, which asks for more than it says."
# What judges a claim inside of the window was first measured outside: by claim the artefact, its rows and the axis.
OUTSIDE: dict[str, tuple[str, dict[str, object], str]] = {
    "gd-rate-t": ("rate_T", {"series": EMPIRICAL, "panel": "full batch", "eta": 0.5}, "T"),
    "gd-rate-n-population": ("rate_n", {"series": POPULATION}, "n"),
    "gd-rate-n-empirical": ("rate_n", {"series": EMPIRICAL}, "n"),
    "corollary-5.6-population": ("rate_minibatch", {"series": POPULATION}, "n"),
    "corollary-5.6-empirical": ("rate_minibatch", {"series": EMPIRICAL}, "n"),
    "corollary-5.3-population": ("private_rate_n", {"series": POPULATION, "lam": 0.5, "accountant": PUBLISHED}, "n"),
    "corollary-5.3-empirical": ("private_rate_n", {"series": EMPIRICAL, "lam": 0.5, "accountant": PUBLISHED}, "n"),
    "corollary-5.5-population": ("private_rate_n", {"series": POPULATION, "lam": 0.0, "accountant": INDEPENDENT}, "n"),
    "corollary-5.5-empirical": ("private_rate_n", {"series": EMPIRICAL, "lam": 0.0, "accountant": INDEPENDENT}, "n"),
    "both-attain-the-rate": ("private_rate_n", {"series": POPULATION, "lam": 0.5, "accountant": TAIL}, "n"),
    "corollary-5.3-eps": ("eps_and_d", {"series": POPULATION, "panel": "eps", "accountant": TAIL}, "eps"),
    "corollary-5.3-d": ("eps_and_d", {"series": POPULATION, "panel": "d", "accountant": TAIL}, "d"),
}  # fmt: skip


def rate(power: float) -> Criterion:
    """The criterion of an upper bound of a power, its logarithms divided out."""
    return at_most(power + RATE, f": consistent with an upper bound of power {power:g}")


def without_logs(evidence: Evidence, table: pd.DataFrame) -> pd.DataFrame:
    """Risks over log^2 T + log(n/delta), by which the displayed rates are multiplied in the appendix (Theorem C.13).

    delta is the failure probability of the theorems.
    """
    delta = setting(evidence, "delta_conf")
    T, n = algebra.floats(table, "T"), algebra.floats(table, "n")
    known = (T > 0) & (n > 0) & (delta > 0)
    logs = np.log(np.where(known, T, 1.0)) ** 2 + np.log(np.where(known, n, 1.0) / (delta if delta > 0 else 1.0))
    return algebra.scaled(table, np.where(known & (logs > 0), 1.0 / np.where(logs > 0, logs, 1.0), math.nan))


def elsewhere(evidence: Evidence, name: str) -> str:
    """What a note says of runs outside of the theorem's conditions, which decide nothing: their plain slope."""
    if name not in OUTSIDE:
        return ""
    artefact, where, axis = OUTSIDE[name]
    table = rows(evidence, artefact, **where)  # type: ignore[arg-type]
    slope = algebra.exponent(table, axis)
    if math.isnan(slope.value):
        return ""
    return f"; outside of the window (artefact {artefact}, margins {range_of(table['gamma'])}, eta {range_of(table['eta'])}) the plain slope is {slope.value:.3g}"
