"""The paper's words as numbers, and what judgements share: rows, medians, units of a bound's terms, choices of a row.

The readings were fixed before any experiment of this package was run, but for `CHANCE`, and hold for all claims
alike; the numbers of a throw-away prototype were known by then. Which rows some claims read, and a few criteria, were
changed after a first look at the tables, or after a review: the column `changed` of those claims says so. The paper is
theory: its bounds hide constants and logarithms, hold with probability near one, and have no experiment beside them.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from dpdescent.papers.varshney2022.ambssgd import WIDTH_POWER, Setting, batch_condition, setting_of, stat_slack
from dpdescent.papers.varshney2022.arms import Choice
from dpdescent.papers.varshney2022.formulas import LinearProblem
from dpdescent.papers.varshney2022.setting import PAPER, Design, Settings
from dpdescent.replication.judging import algebra, evidence, records, statistics
from dpdescent.replication.judging.algebra import Array, Places, floats
from dpdescent.replication.judging.bound_rows import VACUOUS
from dpdescent.replication.judging.evidence import Evidence
from dpdescent.replication.judging.records import Regime
from dpdescent.replication.judging.statistics import Estimate

claim = partial(records.claim, PAPER)
claim_on_all_cells = partial(records.claim_on_all_cells, PAPER)
judged_claim = partial(records.judged_claim, PAPER)
untestable_claim = partial(records.untestable_claim, PAPER)
finding = partial(records.finding, PAPER)

# O(.), "up to constants", "same order": over the grid, largest over smallest, or over the first, is four at most.
SAME_ORDER = 4.0
# O~(.), "up to log factors": over one or two decades logarithms move an exponent by no more than a quarter.
LOGARITHMS = 0.25
# A power without logarithms: the exponent within a tenth.
RATE = 0.1
# "significantly sub-optimal", "significantly better", "substantial": at least twice.
SIGNIFICANT = 2.0
# "vanishes", "even for sigma = 0": a hundredth of what it was at the smallest noise, or not.
VANISHED = 0.01
# "small sigma": labels whose noise is a tenth of the signal at most.
SMALL_NOISE = 0.1
# "progressively reduces": from one iteration to the next never up by more than a fifth (chance, and a dyadic grid).
PROGRESSIVELY = 1.2
# Where a law in d without its logarithms is claimed for a method whose bound of |x| has them: d from here on.
LARGE_D = 80
# Agreement of simulations with exact laws, of an attack with its limit.
AGREES = 0.05
# A mean agrees with its exact value: within as many standard errors. Set after a first look, to check our runs.
CHANCE = 3.0
# Equalities of exact values, to rounding and quadrature.
EQUAL = 1e-6

# All columns that judgements read: what a table lacks of them is NaN.
COLUMNS = (
    "variant", "series", "mean", "se", "median", "median_low", "median_high", "q90", "q975", "trials", "panel", "N",
    "d", "n_over_d", "sigma", "eps", "delta", "kappa", "T", "t", "method", "over_ours", "s", "levels", "alpha", "rule",
    "octaves", "clip_fraction", "zeta_first", "zeta_last", "target", "zeta_factor", "step", "eta", "expected",
    "predictor", "algorithm", "kind", "bound", "bound_without_logs", "bias", "condition", "width", "c1", "law",
    "factor", "choice", "level", "eps_tight", "mechanism", "accounted", "quantity", "b", "beta", "claimed",
    "axis", "at", "reading",
)  # fmt: skip

rows = partial(evidence.rows, COLUMNS)

# Panels of risk_vs_n by the term that they are about.
MODERATE, SMALL_EPS = "epsilon = 1", "epsilon = 0.2"
COST = "risk less sigma^2 d/N where that is at least sigma^2 d/N"
# Where two series of risks are compared; T is left out, since some methods have none.
PLACE = ("panel", "n_over_d", "N", "d", "sigma", "eps", "delta", "kappa")
MEDIAN = "medians over trials: the theorems hold with probability near one, and a threshold that overshoots in few trials rules the mean"
# The printed rule overshoots in every other iteration: nothing of it is rare.
PRINTED_MEDIAN = "medians over trials, which are kind to the printed rule"

# The prose has DP-STAT at a fixed quantile (99 %), Algorithm 3 at all residuals plus noise, which overshoots.
FIXED_QUANTILE = "(DP-STAT at a fixed quantile, as the prose has it; 90 %)"
NOT_OURS = (
    "Before a review the rule C = 1, which is ours and whose quantile moves along the curve, carried the paper's claim."
)
# Told in notes, because that rule is ours: the quantile that it asks for moves along curves, and exponents with it.
WITH_MARGIN = "with the rule C = 1, which asks for a quantile that moves"
NOT_CONFIRMED = "but so few trials can refute such a probability and not confirm it"

# Tables, in the form that claims take ----------------------------------------------------------------------------------


def typical(table: pd.DataFrame) -> pd.DataFrame:
    """The same rows with medians for means; exact values, of one trial, stay as they are."""
    half = np.maximum(floats(table, "median_high") - floats(table, "median"), 0.0)
    half = np.maximum(half, floats(table, "median") - floats(table, "median_low"))
    drawn = floats(table, "trials") > 1
    return table.assign(
        mean=np.where(drawn, floats(table, "median"), floats(table, "mean")),
        se=np.where(drawn, half / statistics.Z95, math.nan),
    )


def risks(evidence: Evidence, artefact: str, series: str, variant: str = "main", **where: object) -> pd.DataFrame:
    """Median excess risks of one method."""
    return typical(rows(evidence, artefact, variant, series=series, **where))


def noisy(table: pd.DataFrame) -> pd.DataFrame:
    """Rows whose labels have noise."""
    return table[floats(table, "sigma") > 0]


def exact_rows(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """The same rows with another column, without an error, for the means."""
    return table.assign(mean=floats(table, column), se=math.nan)


def in_units(table: pd.DataFrame, unit: Callable[[pd.DataFrame], Array]) -> pd.DataFrame:
    """Means, with their errors, in a unit that has no error; NaN where the unit is not positive."""
    values = unit(table)
    values = np.where(values > 0, values, math.nan)
    return table.assign(mean=floats(table, "mean") / values, se=floats(table, "se") / values)


def first_term(table: pd.DataFrame) -> Array:
    """sigma^2 d / N, the first term of all bounds, without its constant."""
    return floats(table, "sigma") ** 2 * floats(table, "d") / floats(table, "N")


def privacy_term(table: pd.DataFrame) -> Array:
    """sigma^2 d^2 / (eps^2 N^2), the second term (varshney2022 Thm 3.7, remark ii)."""
    return (floats(table, "sigma") * (floats(table, "d") / (floats(table, "eps") * floats(table, "N")))) ** 2


def cost_of_privacy(table: pd.DataFrame) -> pd.DataFrame:
    """Risk less sigma^2 d / N, where that difference dominates.

    One pass with a tail average has sigma^2 d / N without privacy; a slope of the rest tells of the other term only
    where the rest is larger.
    """
    first = first_term(table)
    cost = table.assign(mean=floats(table, "mean") - first)
    return cost[floats(cost, "mean") >= first].reset_index(drop=True)


def shares(table: pd.DataFrame, values: Iterable[float], keys: Sequence[str]) -> Places:
    """The mean of every row over a number of its own, by place, where that number is positive."""
    found = {
        algebra.place_of(row, keys): over_value(statistics.mean_of(row), value)
        for row, value in zip(algebra.rows_of(table), values, strict=True)
        if value > 0
    }
    return {place: share for place, share in found.items() if not math.isnan(share.value)}


def over_value(estimate: Estimate, value: float) -> Estimate:
    """An estimate over a number without error."""
    return Estimate(estimate.value / value, estimate.low / value, estimate.high / value)


def departures(table: pd.DataFrame, values: Iterable[float], standard_errors: float, keys: Sequence[str]) -> Places:
    """How far means are from exact values, by place, over what chance makes of so many standard errors (Student's t)."""
    found = {
        algebra.place_of(row, keys): statistics.quotient(
            abs(row["mean"] - value), statistics.distance_by_chance(row, standard_errors)
        )
        for row, value in zip(algebra.rows_of(table), values, strict=True)
    }
    return {place: departure for place, departure in found.items() if not math.isnan(departure.value)}


def gains(upper: pd.DataFrame, lower: pd.DataFrame, on: Sequence[str] = PLACE) -> pd.DataFrame:
    """Rows of the upper table with the ratio of the means, and its error, for a mean; rows without one are left out."""
    found = ((row, algebra.ratio_of_rows(row, other)) for row, other in algebra.paired_rows(upper, lower, on))
    # Standard errors from intervals on the log scale.
    made = [
        {**row, "mean": each.value, "se": each.value * math.log(each.high / each.value) / statistics.Z95}
        for row, each in found
        if not math.isnan(each.value)
    ]
    return pd.DataFrame(made, columns=upper.columns)


def over_first(table: pd.DataFrame, axis: str, keys: Sequence[str]) -> Places:
    """Every mean over that at the first place of an axis, by place; the first itself is left out."""
    found: Places = {}
    for _, group in table.groupby(list(keys), sort=True):
        ordered = group.sort_values(axis)
        for row in algebra.rows_of(ordered.iloc[1:]):
            found[algebra.place_of(row, [*keys, axis])] = algebra.ratio_of_rows(row, ordered.iloc[0])
    return {place: each for place, each in found.items() if not math.isnan(each.value)}


def extent(values: Iterable[float]) -> str:
    """The smallest and the largest value, for a note."""
    found = list(values)
    return f"{min(found, default=math.nan):.3g} to {max(found, default=math.nan):.3g}"


def in_d(group: pd.DataFrame) -> Estimate:
    """The log-log slope in d."""
    return algebra.exponent(group, "d")


# What a row ran with ---------------------------------------------------------------------------------------------------


def configured(evidence: Evidence, artefact: str, symbol: str, otherwise: Any) -> Any:
    """Returns the configured value of an arm of an artefact."""
    return evidence.spec["artefacts"].get(artefact, {}).get("arms", {}).get(symbol, otherwise)


def design_at(evidence: Evidence, artefact: str, found: pd.Series) -> Design:
    """Returns the normal design of a row; kappa is that of the settings where the table has none."""
    settings = evidence.settings_of(artefact)
    kappa = settings["kappa"] if math.isnan(found["kappa"]) else found["kappa"]
    return Design.of(int(found["d"]), float(kappa), settings["w_norm"])


def problem_at(evidence: Evidence, artefact: str, found: pd.Series) -> LinearProblem:
    """Returns the regression of a row."""
    return design_at(evidence, artefact, found).problem(int(found["N"]), float(found["sigma"]))


def choice_at(evidence: Evidence, artefact: str, row: "pd.Series[float]", printed: bool = False) -> Choice:
    """Returns all that a run of DP-AMBSSGD was given, in the arm as published or in ours."""
    settings, design = Settings(evidence.settings_of(artefact)), design_at(evidence, artefact, row)
    sigma, eps, delta = (float(row[name]) for name in ("sigma", "eps", "delta"))
    choice = Choice.ours(settings, design, int(row["N"]), sigma, eps, delta, int(row["T"]))
    return choice.published() if printed else choice


def vacuous(problem: LinearProblem, value: float) -> str:
    """Says for the note of a bound on a risk where the estimate 0 is as good."""
    trivial = problem.w_norm_squared / 2.0
    return f"{VACUOUS}: not below |w*|_H^2 / 2 = {trivial:g}, the risk of 0" if value >= trivial else ""


# Where Theorem 3.7 speaks ----------------------------------------------------------------------------------------------

# N = Omega~(kappa^2 d (1 + sqrt(log(1/delta))/eps)) hides a constant and logarithms. What the proof uses of it is
# printed in full: s >= 2 Gamma, below which Lemma 3.10 says nothing, and Lemma 3.11's condition on b.
NEEDED = ["N", "d", "sigma", "eps", "delta", "T"]


def few_trials(event: str, table: pd.DataFrame) -> Regime:
    """The regime of a probability near one: trials may refute it, but so few of them cannot confirm it."""
    trials = f"{table['trials'].max():g} trials" if len(table) else "the trials"
    return Regime(
        unmet=(f"{trials} see a probability of a few hundredths at best, not one of N^-100",),
        because=f"not refuted, nor confirmed, since {event} in what was run", why="interval", blocks=("reproduced",),
    )  # fmt: skip


def setting_at(evidence: Evidence, artefact: str, row: "pd.Series[float]", printed: bool = False) -> Setting:
    """What a row of DP-AMBSSGD ran with, in the form that Lemma 3.11 takes; `printed` is the arm as published."""
    return setting_of(choice_at(evidence, artefact, row, printed))


def enough_batch(evidence: Evidence, artefact: str, table: pd.DataFrame, printed: bool = False) -> pd.DataFrame:
    """Rows whose b meets Lemma 3.11's condition."""

    def met(choice: Choice) -> bool:
        setting = setting_of(choice)
        return setting.batch >= batch_condition(setting)

    return _where(evidence, artefact, table, printed, met)


def enough_for_statistic(evidence: Evidence, artefact: str, table: pd.DataFrame, printed: bool = False) -> pd.DataFrame:
    """Rows with s >= 2 Gamma at the runs' own doublings and the theorem's beta = N^-200, as Lemma 3.10 needs."""

    def met(choice: Choice) -> bool:
        return choice.s >= 2.0 * stat_slack(choice.multiplier, choice.levels, WIDTH_POWER * math.log(choice.N))

    return _where(evidence, artefact, table, printed, met)


def _where(
    evidence: Evidence, artefact: str, table: pd.DataFrame, printed: bool, met: Callable[[Choice], bool]
) -> pd.DataFrame:  # fmt: skip
    """Rows whose choices meet a condition; rows that lack what a choice needs are left out."""
    known = table.dropna(subset=NEEDED).reset_index(drop=True)
    kept = [met(choice_at(evidence, artefact, row, printed)) for row in algebra.rows_of(known)]
    return known[np.array(kept, dtype=bool)].reset_index(drop=True)
