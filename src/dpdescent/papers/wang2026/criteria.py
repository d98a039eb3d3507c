"""Readings of the paper's words as numbers, and the rows, estimates and regimes that all of its judgements share.

The first readings were fixed before any experiment of this package was run; the numbers of a throw-away prototype were
known by then. Most claims were read anew after reviews, which the column `changed` says claim by claim.
The paper is theory: its bounds hide constants and logarithms, and ask for widths and steps that few runs here have. Its
one figure is another paper's, without settings, so that an analogue is judged. A bound up to constants, or one whose
conditions no run here meets, is not refuted by a run: a claim on it that is missed is inconclusive.
"""

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from dpdescent.papers.wang2026 import by_seed, rates
from dpdescent.papers.wang2026.by_seed import Seeds
from dpdescent.papers.wang2026.setting import ADDED, GAIN, PAPER, POPULATION, STEP, Array
from dpdescent.replication.judging import algebra, bound_rows, evidence, records, statistics
from dpdescent.replication.judging.bound_rows import VACUOUS, ends_and_middle
from dpdescent.replication.judging.criteria import Criterion, at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence, places_of
from dpdescent.replication.judging.records import Regime
from dpdescent.replication.judging.statistics import NOTHING, Estimate

claim = partial(records.claim, PAPER)
claim_on_all_cells = partial(records.claim_on_all_cells, PAPER)
untestable_claim = partial(records.untestable_claim, PAPER)
finding = partial(records.finding, PAPER)
# "moderate noise correlation": a fifth to four fifths.
MODERATE = (0.2, 0.8)
# "<~", "of the order of", "not the scaling": on a grid the largest value is at most four times the smallest, or the
# first.
SAME_ORDER = 4.0
# "up to logarithmic factors", over one or two decades: an exponent within a quarter.
LOGARITHMS = 0.25
# A printed power, its logarithms divided out if it has any: the exponent within a tenth.
RATE = 0.1
# "offset", "matches", agreement of simulations with formulas: within a twentieth; "improves": by more than that.
AGREES = 0.05
# "breaks down": at least twice.
BREAKS_DOWN = 2.0
# "monotonically": means over seeds do not get worse again by more than a tenth.
STAYS = 0.9
# The text of `changed` for claims that cannot fail.
ALGEBRA = "Before a review it was counted among the claims, though it is algebra and cannot fail."
# The text of `changed` for claims whose settings were moved to the configuration.
IN_CODE = "Before a review its places stood in code and not in the configuration."
# Equalities of exact values, to rounding.
EQUAL = 1e-6
# Accountants by their role in the paper.
PUBLISHED, PROOF, INDEPENDENT, RENYI, TAIL, PAIR = "F12x8", "F12x2", "D9", "RDP19", "tail", "F8"
# Under replace-one twice the pair's multiplier is attained; the multiplier of this accountant is proved to be enough.
REPLACED = "WOR"
# All columns that judgements read; those that a table lacks are NaN.
COLUMNS = (
    "variant", "series", "mean", "se", "q975", "trials", "panel", "design", "spline_cells", "n", "T", "B", "r", "m",
    "d", "lam", "eps", "delta", "accountant", "relation", "sampler", "precondition", "C_clip", "kappa", "eta",
    "clipped", "t", "noise", "delta_attained", "delta_se", "gamma", "norm_share",
    "clip_rule", "projected", "largest_move", "largest_shift",
    "comparator", "tau_gamma", "condition", "constants", "bound", "term", "logs", "jitter", "admitted", "unit", "p",
    "factor", "place", "checks", "growth", "distance", "seed",
)  # fmt: skip
rows = partial(evidence.rows, COLUMNS)
seeds = partial(by_seed.of, rows)


# The columns by which multipliers of two accountants are paired.
SETTING = ("T", "r", "lam", "eps", "delta")


def setting(evidence: Evidence, name: str) -> float:
    """A number of the project's settings for the paper; NaN where there is none."""
    return float(evidence.settings.get(name, math.nan))


def one_of(values: "pd.Series[float]") -> float:
    """The first of some values; NaN of none."""
    numbers = np.asarray(values, dtype=np.float64)
    return float(numbers[0]) if len(numbers) else math.nan


def drawn(row: "pd.Series[float]", among: int = 1) -> Estimate:
    """The mean of a row over seeds with Student's interval, widened if it was picked among several (Bonferroni).

    It is `NOTHING` for a single seed, whose spread is unknown.
    """
    if not (row["trials"] > 1 and math.isfinite(row["mean"]) and row["se"] >= 0):
        return NOTHING
    half = float(row["se"] * stdtrit(row["trials"] - 1, 1.0 - 0.025 / among))
    return Estimate(row["mean"], row["mean"] - half, row["mean"] + half)


def times(estimate: Estimate, factor: float) -> Estimate:
    """An estimate times a positive factor without error."""
    return Estimate(estimate.value * factor, estimate.low * factor, estimate.high * factor)


def single(table: pd.DataFrame) -> Estimate:
    """The mean over seeds of a table with one row; `NOTHING` if it has several."""
    return drawn(table.iloc[0]) if len(table) == 1 else NOTHING


def best(table: pd.DataFrame, tables: int = 1) -> Estimate:
    """The largest mean of a table; its interval allows for the choice among the rows of so many tables."""
    means = algebra.floats(table, "mean")
    return drawn(table.iloc[int(np.nanargmax(means))], len(table) * tables) if np.isfinite(means).any() else NOTHING


def least(table: pd.DataFrame) -> Estimate:
    """The smallest mean of a table; its interval allows for the choice among the rows."""
    return statistics.negative(best(table.assign(mean=-algebra.floats(table, "mean"))))


def fall(table: pd.DataFrame, last: pd.DataFrame) -> Estimate:
    """The largest mean of a table less the mean of one row; `NOTHING` unless there is that row."""
    return statistics.minus(best(table), drawn(last.iloc[0])) if len(last) == 1 and len(table) else NOTHING


def moderate(table: pd.DataFrame, low: float, high: float) -> pd.DataFrame:
    """Rows whose correlation lies in a range, ends included."""
    lam = algebra.floats(table, "lam")
    return table[(lam >= low) & (lam <= high)].reset_index(drop=True)


def range_of(values: Iterable[float]) -> str:
    """Smallest and largest of the finite values, in words."""
    finite = [float(value) for value in values if math.isfinite(value)]
    if not finite:
        return "not run"
    return f"{min(finite):.3g}" if min(finite) == max(finite) else f"{min(finite):.3g} to {max(finite):.3g}"


# Text for notes of claims that no run here can refute, on what would.
ANY_VALUE = (
    "A larger value leaves it open, because the constant is hidden; only values that grow without end would refute it"
)
ANY_EXPONENT = "A smaller exponent leaves it open, because constants and lower orders bend every finite range; only one that stays below 1 far out would refute it"
CONSTANT_1 = "the constants are hidden, here 1"
ACCUSED = "Before a review what the paper leaves open counted as not reproduced where it was missed."
OUTSIDE_COUNTED = "At first a claim that is met outside of its conditions counted as reproduced."


def hidden(*reasons: str) -> Regime:
    """The regime of a statement that holds up to constants, whose conditions are met: it has reasons only."""
    return Regime(reasons, why="hidden constant", changed=OUTSIDE_COUNTED)


def open_question(judged: Claim, *reasons: str, changed: str = ACCUSED) -> Claim:
    """A claim that runs can confirm and not refute, because the paper's words leave the exact criterion open."""
    undecided = Regime(
        reasons, because="left open by the paper", why="unstated value decides", blocks=("not reproduced",)
    )
    if judged.verdict != "not reproduced":
        return undecided.applied(judged) if judged.verdict == "reproduced" else judged
    return dataclasses.replace(undecided.applied(judged), changed=" ".join(filter(None, [judged.changed, changed])))


def regime(table: pd.DataFrame, *, upper: bool = True) -> Regime:
    """The regime of Theorem 4.1 for runs that know their own margins and largest steps, row by row.

    The theorem suppresses logarithms in both limits on the width. A run is inside where its width lies between them by
    one reading: logarithms dropped on both sides, or kept on both as the proofs show them. Where it does only with the
    lower limit's dropped and the upper one's kept, the unstated reading decides. Population risks have a second lower
    limit, of Theorem 5.2. `upper=False` leaves the upper limit out, for claims about it.
    """
    unmet = tuple(dict.fromkeys(reason for row in algebra.rows_of(table) for reason in _unmet_conditions(row, upper)))
    if unmet and all(MIXED in reason for reason in unmet):
        return Regime(unmet, because="the reading of the logarithms is unstated", why="unstated value decides")
    return Regime(unmet)


def in_window(table: pd.DataFrame, *, upper: bool = True) -> pd.DataFrame:
    """The rows of a table that are inside Theorem 4.1's window."""
    inside = [not list(_unmet_conditions(row, upper)) for row in algebra.rows_of(table)]
    return table[np.array(inside, dtype=bool)].reset_index(drop=True)


# Series that Theorem 5.2 bounds, or Theorem D.16 or E.1, which ask for a width of their own.
OF_POPULATION = (POPULATION, GAIN, STEP, ADDED)
# What is said of widths that no single reading of the logarithms admits.
MIXED = "with the logarithms of one limit alone"


def _unmet_conditions(row: "pd.Series[float]", upper: bool) -> Iterator[str]:
    """The conditions that a row does not meet, with their numbers; conditions on columns that it lacks are left out."""
    yield from _unmet_widths(row, upper)
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


def _unmet_widths(row: "pd.Series[float]", upper: bool) -> Iterator[str]:
    """The limits on the width that a row does not meet, by the reading that is nearest; none where one admits it."""
    gamma, m = float(row["gamma"]), float(row["m"])
    if not gamma > 0:
        return
    run = run_of(row)
    lowest, highest = {False: gamma**-4.0}, {False: math.inf}
    if run is not None:
        lowest[True] = rates.least_width(run, logs=True)
        highest = {logs: rates.largest_width(run, logs=logs) if upper else math.inf for logs in (False, True)}
        if row.get("series") in OF_POPULATION:
            lowest = {logs: max(least, rates.population_width(run, logs=logs)) for logs, least in lowest.items()}
    if any(lowest[logs] <= m <= highest[logs] for logs in lowest):
        return
    if not m >= lowest[False]:
        limit = "gamma^-4 =" if m < gamma**-4.0 else f"the limit of Theorem {'5.2' if row['lam'] > 0 else 'D.16'},"
        yield f"width {m:g} below {limit} {lowest[False]:.3g}"
    elif m <= highest[True]:
        limits = f"{lowest[False]:.3g} to {highest[False]:.3g} without logarithms, {lowest[True]:.3g} to {highest[True]:.3g} with them"
        yield f"width {m:g} is admitted {MIXED}: {limits}"
    else:
        yield f"width {m:g} above its upper limit, {highest[False]:.3g} without logarithms, {highest[True]:.3g} with them"


def scale(measured: Seeds, value: "Callable[[pd.Series[float]], float]") -> Array:
    """A bound, or another number, at every place of a series by seed; 0 where something that it needs is missing."""
    return np.array([value(row) for row in algebra.rows_of(measured.places)], dtype=float)


def follows(words: str, within: float = RATE) -> Criterion:
    """The criterion on the exponent of a risk in a rate along which both fall.

    Args:
        words: what the rate is called.
        within: the least shortfall that refuses; `LOGARITHMS` for a rate without its logarithms.
    """
    return at_least(1.0 - within, f": no slower than {words}, {_logarithms(within)}")


def no_faster(words: str, within: float = RATE) -> Criterion:
    """The criterion on the exponent of a risk in a rate along which both grow; arguments as of `follows`."""
    return at_most(1.0 + within, f": no faster than {words}, {_logarithms(within)}")


def _logarithms(within: float) -> str:
    return "up to logarithms" if within == LOGARITHMS else "its logarithms included"


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


# The place of a row in words, with more digits than elsewhere, because sampling rates B/n need them.
place_text = partial(bound_rows.place_text, digits=10)
# The risk of f = 0, which every bound on a risk has to undercut to say anything.
TRIVIAL = math.log(2.0)


def vacuous(value: float, trivial: float = TRIVIAL) -> str:
    """Text for the note of a bound that says nothing: one on a risk from log 2 on, one on a delta from 1 on."""
    name = "log 2, the risk of f = 0" if trivial == TRIVIAL else f"{trivial:g}"
    return f"{VACUOUS}: not below {name}" if value >= trivial else ""


def first(table: pd.DataFrame, **where: object) -> "pd.Series[Any] | None":
    """The first row with these values; None where there is none."""
    matches = places_of(table, where)
    return table.iloc[matches[0]] if len(matches) else None


def thinned(table: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """The rows at the smallest, middle and largest value of every column, because others show nothing else."""
    for column in columns:
        shown = ends_and_middle(table[column].dropna().astype(float))
        table = table[table[column].isna() | table[column].isin(shown)]
    return table
