"""Where runs can decide a claim: the conditions of Theorem 4.1, hidden constants, and what the words leave open.

Constants are taken as 1 and logarithms are left out: a width below the limit here is below that of larger constants
too.
"""

import dataclasses
from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpdescent.papers.wang2026.theory import rates
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.evidence import Claim
from dpdescent.replication.judging.records import Regime

CONSTANT_1 = "the constants are hidden, here 1"
ACCUSED = "Before a review what the paper leaves open counted as not reproduced where it was missed."
OUTSIDE_COUNTED = "At first a claim that is met outside of its conditions counted as reproduced."


def hidden(*reasons: str) -> Regime:
    """The regime of a statement that holds up to constants, whose conditions are met: it has reasons only."""
    return Regime(reasons, why="hidden constant", changed=OUTSIDE_COUNTED)


def open_question(found: Claim, *reasons: str, changed: str = ACCUSED) -> Claim:
    """A claim that runs can confirm and not refute, because the words leave open what it would have to be held to."""
    if found.verdict != "not reproduced":
        return found
    left = Regime(reasons, because="left open by the paper", why="unstated value decides", blocks=("not reproduced",))
    return dataclasses.replace(left.applied(found), changed=" ".join(filter(None, [found.changed, changed])))


def window(table: pd.DataFrame, *, upper: bool = True) -> Regime:
    """The regime of Theorem 4.1 for runs that know their own margins and largest steps, row by row.

    The lower limit on the width is gamma^-4, as the theorem has it without its logarithms; the upper one has the
    logarithms that its proof shows, log^2 T + log(n/delta). `upper` leaves that one out, where it is what is judged.
    """
    told = dict.fromkeys(each for row in algebra.each(table) for each in _outside(row, upper))
    return Regime(tuple(told))


def in_window(table: pd.DataFrame, *, upper: bool = True) -> pd.DataFrame:
    """The rows of a table that are inside Theorem 4.1's window."""
    kept = [not list(_outside(row, upper)) for row in algebra.each(table)]
    return table[np.array(kept, dtype=bool)].reset_index(drop=True)


def _outside(row: "pd.Series[float]", upper: bool) -> Iterator[str]:
    """The conditions that a row does not meet, with their numbers; none of what the row does not know."""
    gamma, m = float(row["gamma"]), float(row["m"])
    if gamma > 0 and not m >= gamma**-4.0:
        yield f"width {m:g} below gamma^-4 = {gamma**-4.0:.3g}"
    if row["eta"] > row["admitted"]:
        yield f"step {row['eta']:g} above 1/(12 beta) = {row['admitted']:.3g} (sharp constants, second layer known)"
    if row["clipped"] > 0:
        yield f"{row['clipped']:.3g} of the gradients clipped"
    if row["precondition"] == "not met":
        yield f"Theorem F.12's condition not met at n = {row['n']:g}"
    run = run_of(row)
    if run is None:
        return
    if rates.step_condition(run) > 1.0:
        yield f"eta gamma sqrt(T) (1/sqrt(B) + ...) = {rates.step_condition(run):.3g} above 1"
    if upper and m > rates.largest_width(run, logs=True):
        yield f"width {m:g} above its upper limit, {rates.largest_width(run, logs=True):.3g} with logarithms"


# The failure probability at which logarithms are evaluated where a table has none.
FAILURE = 0.01


def run_of(row: "pd.Series[float]", delta: float = FAILURE) -> rates.Run | None:
    """The run of a row, with its measured margin; None where something that the rates need is missing."""
    names = ("n", "B", "T", "m", "d", "gamma", "eta")
    sizes = {name: float(row[name]) for name in names}
    noise = {name: float(np.nan_to_num(row[name])) for name in ("lam", "kappa")}
    if not all(value > 0 for value in sizes.values()) or not (0 <= noise["lam"] < 1 and noise["kappa"] >= 0):
        return None
    return rates.Run(**sizes, **noise, delta=delta)
