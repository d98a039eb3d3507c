"""How rates are judged: slopes with the logarithms of the bound divided out."""

import math

import numpy as np
import pandas as pd

from dpdescent.papers.wang2026.claims.quantities import setting
from dpdescent.papers.wang2026.reading import RATE
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import Criterion, at_most
from dpdescent.replication.judging.evidence import Evidence

LOGS_LEFT_OUT = "Before a review the logarithms of the bound were left out, which asks for more than it says."


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
