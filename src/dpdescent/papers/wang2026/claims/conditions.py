"""Where runs can decide a claim: the conditions of the theorems, hidden constants, and bounds that are not vacuous.

Constants are taken as 1 and logarithms are left out: a width below the limit here is below that of larger constants
too.
"""

import dataclasses
import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpdescent.models.spline import CubicSplines
from dpdescent.papers.wang2026.claims.quantities import setting
from dpdescent.papers.wang2026.theory import constants
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.evidence import Evidence
from dpdescent.replication.judging.records import INSIDE, Regime

CONSTANT_1 = "the constants are hidden, here 1"
OUTSIDE_COUNTED = "At first a claim that is met outside of its conditions counted as reproduced."
VACUOUS_COUNTED = "At first a run below a vacuous bound counted as reproduced."


def theorems(evidence: Evidence, table: pd.DataFrame, *also: str) -> Regime:
    """The regime of the theorems for the runs of a table; `also` are further reasons why runs decide nothing."""
    return Regime((*also, *_unmet(evidence, table)), changed=OUTSIDE_COUNTED)


def hidden(*reasons: str) -> Regime:
    """The regime of a statement that holds up to constants, whose conditions are met: it has reasons only."""
    return Regime(reasons, why="hidden constant", changed=OUTSIDE_COUNTED)


def of_bound(evidence: Evidence, table: pd.DataFrame, *also: str) -> Regime:
    """The regime of a bound on the risk, its values in a table: that of the theorems, and no vacuous bound.

    A run below a bound that is above log 2, the loss of an output of 0, confirms nothing; a run above it refutes it.
    """
    outside, above = theorems(evidence, table, *also), int((algebra.floats(table, "mean") > math.log(2.0)).sum())
    if not above:
        return outside
    vacuous = f"the bound is vacuous, above log 2, the loss of an output of 0, in {above} of {len(table)} places"
    if outside.unmet:
        return dataclasses.replace(outside, unmet=(*outside.unmet, vacuous))
    return Regime((vacuous,), blocks=("reproduced",), changed=VACUOUS_COUNTED)


def local(table: pd.DataFrame) -> Regime:
    """The regime of the comparator inequality (wang2026 Lemma C.2): its proof needs nu D^2 of 1/2 at most."""
    condition = algebra.floats(table, "condition")
    if not (condition > 0.5).any():
        return INSIDE
    return Regime((f"nu D^2 up to {np.nanmax(condition):.3g}, above 1/2",), changed=OUTSIDE_COUNTED)


def _unmet(evidence: Evidence, table: pd.DataFrame) -> Iterator[str]:
    """The conditions of the theorems that the runs of a table do not meet, with their numbers."""
    if not len(table):
        return
    gamma = np.nan_to_num(algebra.floats(table, "gamma"), nan=setting(evidence, "gamma"))
    least, width = float(np.max(gamma**-4.0)), float(np.min(algebra.floats(table, "m")))
    if not width >= least:
        yield f"width {width:g} below gamma^-4 = {least:.3g}"
    step, admitted = float(np.max(np.nan_to_num(algebra.floats(table, "eta")))), _largest_step(evidence, table)
    if step > admitted:
        yield f"step {step:g} above 1/(12 beta) = {admitted:.3g} (local supports, any second layer)"
    clipped = float(np.max(np.nan_to_num(algebra.floats(table, "clipped"))))
    if clipped > 0:
        yield f"up to {clipped:.3g} of the gradients clipped"
    yield from (f"condition {each}" for each in ("not met", "T capped") if (table["precondition"] == each).any())


def _largest_step(evidence: Evidence, table: pd.DataFrame) -> float:
    """1/(12 beta) by the constants of local supports at the smallest width of a table."""
    cells, width, delta = setting(evidence, "spline_cells"), table["m"].min(), setting(evidence, "delta_conf")
    if not (cells >= 1 and width >= 1 and 0 < delta < 1):
        return math.nan
    sharp = constants.Constants.sharp(CubicSplines(int(cells)))
    beta = constants.smoothness(sharp.gradient_bound(int(width), delta), sharp.hessian_bound(int(width), delta))
    return constants.largest_step(beta)
