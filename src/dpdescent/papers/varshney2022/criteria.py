"""The paper's words as numbers, and functions of all judgements: rows, medians, units of bounds, choices of a row.

The readings of words were fixed before any experiment of this package was run, but for `CHANCE` and `OFF_BY`, and hold
for all claims alike; the numbers of a throw-away prototype were known by then. The rows of some claims, and a few criteria,
were changed after a first look at the tables, or after a review: the column `changed` of those claims says so. The
paper is theory: its bounds hide constants and logarithms, hold with probability near one, and have no experiment beside
them.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from dpdescent.papers.varshney2022.ambssgd import WIDTH_POWER, batch_condition, setting_of, stat_slack
from dpdescent.papers.varshney2022.arms import Choice
from dpdescent.papers.varshney2022.formulas import LinearProblem
from dpdescent.papers.varshney2022.setting import PAPER, PROSE_QUANTILE, QUANTILE, Design, Settings, over
from dpdescent.replication.judging import algebra, evidence, records, statistics
from dpdescent.replication.judging.algebra import Array, Places, floats
from dpdescent.replication.judging.bound_rows import VACUOUS
from dpdescent.replication.judging.evidence import Claim, Evidence, joined
from dpdescent.replication.judging.records import Regime, at_every_reading
from dpdescent.replication.judging.statistics import Estimate

claim = partial(records.claim, PAPER)
claim_on_all_cells = partial(records.claim_on_all_cells, PAPER)
judged_claim = partial(records.judged_claim, PAPER)
untestable_claim = partial(records.untestable_claim, PAPER)
finding = partial(records.finding, PAPER)

# O(.), "up to constants", "same order": the largest value on a grid is at most four times the smallest, or the first.
SAME_ORDER = 4.0
# O~(.), "up to log factors": within one or two decades logarithms move an exponent by no more than a quarter.
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
# Deltas so small that eps and log N are a small part of log(1/delta), because powers of log(N/delta), log(1/delta) and
# log(1/delta) + eps differ where they count.
FAR = (1e-180, 1e-230, 1e-280)
# Least d of a claim on a law in d without its logarithms, where the method's bound of |x| has logarithms.
LARGE_D = 80
# Agreement of simulations with exact laws, of an attack with its limit.
AGREES = 0.05
# A mean agrees with its exact value: within as many standard errors. Set after a first look, to check our runs.
CHANCE = 3.0
# A test of an exact law has power where a law that is off by so much would not pass. Forty trials of a risk, which varies
# by sqrt(2/d) and more, tell a third in one of some ten places at `CHANCE`.
OFF_BY = 0.4
# Equalities of exact values, to rounding and quadrature.
EQUAL = 1e-6

# All columns that judgements read; a column that a table lacks is NaN.
COLUMNS = (
    "variant", "series", "mean", "se", "median", "median_low", "median_high", "q90", "q975", "trials", "panel", "N",
    "d", "n_over_d", "sigma", "eps", "delta", "kappa", "T", "t", "method", "over_ours", "s", "levels", "alpha", "rule",
    "octaves", "clip_fraction", "zeta_first", "zeta_last", "target", "zeta_factor", "step", "eta", "expected",
    "predictor", "algorithm", "kind", "bound", "bound_without_logs", "bias", "condition", "width", "c1", "law",
    "factor", "choice", "level", "eps_tight", "mechanism", "accounted", "quantity", "b", "beta", "claimed",
    "axis", "at", "reading",
)  # fmt: skip

rows = partial(evidence.rows, COLUMNS)

# Panels of risk_vs_n on the first and on the second term.
MODERATE, SMALL_EPS = "epsilon = 1", "epsilon = 0.2"
COST = "risk less sigma^2 d/N where that is at least sigma^2 d/N"
# Columns of a place at which two series of risks are compared, without T, because some methods have none.
PLACE = ("panel", "n_over_d", "N", "d", "sigma", "eps", "delta", "kappa")
# Said of ratios whose trials share records and normals: the run writes the log-ratio of every trial.
PAIRED = "medians over trials of the ratio on the same records"
WERE_APART = (
    "After a third reading ratios are those of each trial, where before both medians were taken as independent."
)
MEDIAN = "medians over trials: the theorems hold with probability near one, and a threshold that overshoots in few trials rules the mean"
# Said of the printed rule, because it overshoots in every other iteration, which is not rare.
PRINTED_MEDIAN = "medians over trials, which are kind to the printed rule"

# Said of the quantile rule, because the prose has DP-STAT at a fixed quantile (99 %), Algorithm 3 at all residuals plus
# noise, which overshoots.
BOTH_QUANTILES = "(DP-STAT at a fixed quantile, as the prose has it, which says 99 %; at 90 % and at 99 %)"
PROSE_READ = "After a fourth reading the 99 % of the prose is a reading too, where 90 % alone decided."
# Said of claims of the paper whose tables have no run at a fixed quantile.
OUR_RULE = "(DP-STAT with the rule C = 1, which is ours)"
NOT_OURS = (
    "Before a review the rule C = 1, which is ours and whose quantile moves along the curve, carried the paper's claim."
)
# Only for notes, because that rule is ours: its quantile moves along curves, and exponents with it.
WITH_MARGIN = "with the rule C = 1, which asks for a quantile that moves"

# Readings of the quantile ----------------------------------------------------------------------------------------------


class Quantile(NamedTuple):
    """A quantile of DP-STAT at which claims are judged: the series of its arm, and variants with its runs."""

    series: str
    runs: str
    more_trials: str


# The quantile of the arms of most artefacts, and that of the prose, which says "say, the 99th percentile".
QUANTILES = {
    "90 %": Quantile(QUANTILE, "main", "more trials"),
    "99 %": Quantile(PROSE_QUANTILE, "q = 0.99", "q = 0.99, more trials"),
}


def at_both_quantiles(judge: Callable[[Quantile], Claim]) -> Claim:
    """The claim at 90 %, with the verdict on which the quantile of the prose agrees."""
    return at_quantiles({name: judge(quantile) for name, quantile in QUANTILES.items()})


def at_quantiles(readings: Mapping[str, Claim]) -> Claim:
    """The claim with the verdict on which all readings agree, and the values of one that is not reproduced, if any.

    Its note has the values of the others.

    A reading without rows, such as 99 % in tables of another seed that were made before it, is left out.
    """
    agreed = at_every_reading(readings)
    testable = {name: each for name, each in readings.items() if each.verdict != "not testable"} or readings
    # The value of a reading that is not reproduced is shown, because it is the one that decides.
    shown = next((name for name, each in testable.items() if each.verdict != "reproduced"), next(iter(testable)))
    chosen = testable[shown]
    values = (f"{name}: {_shown(each)}" for name, each in testable.items() if name != shown)
    note = joined(agreed.note, f"measured is at {shown}" * (shown != next(iter(testable))), *values, chosen.note)
    agreed = replace(agreed, measured=chosen.measured, low=chosen.low, high=chosen.high, cells=chosen.cells)
    return replace(agreed, changed=" ".join(filter(None, [agreed.changed, PROSE_READ])), note=note)


def _shown(claim: Claim) -> str:
    """The value that decides a claim, with its interval, and the cell that has it."""
    if claim.measured is None or claim.low is None or claim.high is None:
        return "no rows"
    places = (f" ({cell.cell})" for cell in claim.cells if cell.value == claim.measured)
    return f"{claim.measured:.3g} in [{claim.low:.3g}, {claim.high:.3g}]{next(places, '')}"


# Tables, in the form that claims take ----------------------------------------------------------------------------------


def typical(table: pd.DataFrame) -> pd.DataFrame:
    """Rows with medians for means; exact values, of one trial, stay as they are."""
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


def paired(
    evidence: Evidence, artefact: str, upper: str, lower: str, variant: str = "main", **where: object
) -> pd.DataFrame:  # fmt: skip
    """Rows with the median ratio of two series on the same records for a mean, its interval in two columns."""
    logs = rows(evidence, artefact, variant, series=over(upper, lower), **where)
    middle, low, high = (floats(logs, name) for name in ("median", "median_low", "median_high"))
    half = np.maximum(high - middle, middle - low)
    return logs.assign(
        mean=np.exp(middle), se=np.exp(middle) * half / statistics.Z95, ratio_low=np.exp(low), ratio_high=np.exp(high)
    )


def paired_ratios(table: pd.DataFrame, keys: Sequence[str]) -> Places:
    """The ratios of `paired` rows by place."""
    return algebra.means(table, keys, lambda row: Estimate(row["mean"], row["ratio_low"], row["ratio_high"]))


def geometric_means(logs: pd.DataFrame, keys: Sequence[str]) -> Places:
    """The geometric means of ratios, by place, from rows of their logarithms."""

    def mean(row: "pd.Series[float]") -> Estimate:
        found = statistics.mean_of(row)
        return Estimate(math.exp(found.value), math.exp(found.low), math.exp(found.high))

    return algebra.means(logs, keys, mean)


def noisy(table: pd.DataFrame) -> pd.DataFrame:
    """Rows whose labels have noise."""
    return table[floats(table, "sigma") > 0]


def exact_rows(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Rows with another column, without an error, for the means."""
    return table.assign(mean=floats(table, column), se=math.nan)


def in_units(table: pd.DataFrame, unit: Callable[[pd.DataFrame], Array]) -> pd.DataFrame:
    """Means, with their errors, in a unit that has no error; NaN where the unit is not positive."""
    values = unit(table)
    values = np.where(values > 0, values, math.nan)
    return table.assign(mean=floats(table, "mean") / values, se=floats(table, "se") / values)


def first_term(table: pd.DataFrame) -> Array:
    """First term of all bounds without its constant, sigma^2 d / N."""
    return floats(table, "sigma") ** 2 * floats(table, "d") / floats(table, "N")


def privacy_term(table: pd.DataFrame) -> Array:
    """Second term, sigma^2 d^2 / (eps^2 N^2) (varshney2022 Thm 3.7, remark ii)."""
    return (floats(table, "sigma") * (floats(table, "d") / (floats(table, "eps") * floats(table, "N")))) ** 2


def cost_of_privacy(table: pd.DataFrame) -> pd.DataFrame:
    """Rows with the risk less sigma^2 d / N for a mean, where that difference is the larger part of the risk.

    One pass with a tail average has the risk sigma^2 d / N without privacy; a slope of the difference is one of the
    other term only where the difference is larger.
    """
    first = first_term(table)
    cost = table.assign(mean=floats(table, "mean") - first)
    return cost[floats(cost, "mean") >= first].reset_index(drop=True)


def shares(table: pd.DataFrame, values: Iterable[float], keys: Sequence[str]) -> Places:
    """Ratios of the mean of every row to its value, by place, where the value is positive."""
    ratios = {
        algebra.place_of(row, keys): divided(statistics.mean_of(row), value)
        for row, value in zip(algebra.rows_of(table), values, strict=True)
        if value > 0
    }
    return {place: ratio for place, ratio in ratios.items() if not math.isnan(ratio.value)}


def divided(estimate: Estimate, value: float) -> Estimate:
    """An estimate divided by a number without error."""
    return Estimate(estimate.value / value, estimate.low / value, estimate.high / value)


def departures(table: pd.DataFrame, values: Sequence[float], standard_errors: float, keys: Sequence[str]) -> Places:
    """Distances of means from exact values over what chance allows, by Student's t, by place.

    Chance exceeds it in one of all places as seldom as a normal value exceeds its mean by so many standard deviations:
    each place has its share of that level, because with a level for each a true law would often fail in one.
    """
    each = float(-ndtri(ndtr(-standard_errors) / max(len(table), 1)))
    distances = {
        algebra.place_of(row, keys): statistics.quotient(
            abs(row["mean"] - value), statistics.distance_by_chance(row, each)
        )
        for row, value in zip(algebra.rows_of(table), values, strict=True)
    }
    return {place: distance for place, distance in distances.items() if not math.isnan(distance.value)}


def power(table: pd.DataFrame, values: Sequence[float], standard_errors: float) -> Regime:
    """The regime of a law that `departures` tests: where one that is off by `OFF_BY` would pass, it confirms nothing."""
    each = float(-ndtri(ndtr(-standard_errors) / max(len(table), 1)))
    widest = max(
        (
            statistics.distance_by_chance(row, each) / value
            for row, value in zip(algebra.rows_of(table), values, strict=True)
            if value > 0 and row["trials"] > 1
        ),
        default=0.0,
    )
    unmet = f"a law that is off by {widest:.0%} would pass in one place"
    return Regime((unmet,) if widest > OFF_BY else (), "few trials", "too few runs", ("reproduced",))


def gains(upper: pd.DataFrame, lower: pd.DataFrame, on: Sequence[str] = PLACE) -> pd.DataFrame:
    """Rows of the upper table with the ratio to the lower one, and its error, for a mean, where there is a ratio."""
    pairs = ((row, algebra.ratio_of_rows(row, other)) for row, other in algebra.paired_rows(upper, lower, on))
    # Standard errors from intervals on the log scale.
    ratios = [
        {**row, "mean": ratio.value, "se": ratio.value * math.log(ratio.high / ratio.value) / statistics.Z95}
        for row, ratio in pairs
        if not math.isnan(ratio.value)
    ]
    return pd.DataFrame(ratios, columns=upper.columns)


def extent(values: Iterable[float]) -> str:
    """Text of the smallest and the largest value, for a note."""
    listed = list(values)
    return f"{min(listed, default=math.nan):.3g} to {max(listed, default=math.nan):.3g}"


def in_d(group: pd.DataFrame) -> Estimate:
    """The log-log slope in d."""
    return algebra.exponent(group, "d")


# Settings, regression and choices of a row -----------------------------------------------------------------------------


def configured(evidence: Evidence, artefact: str, symbol: str, otherwise: Any) -> Any:
    """Returns the configured value of an arm of an artefact."""
    return evidence.spec["artefacts"].get(artefact, {}).get("arms", {}).get(symbol, otherwise)


def design_at(evidence: Evidence, artefact: str, row: pd.Series) -> Design:
    """Returns the normal design of a row; kappa is that of the settings where the table has none."""
    settings = evidence.settings_of(artefact)
    kappa = settings["kappa"] if math.isnan(row["kappa"]) else row["kappa"]
    return Design.of(int(row["d"]), float(kappa), settings["w_norm"])


def problem_at(evidence: Evidence, artefact: str, row: pd.Series) -> LinearProblem:
    """Returns the regression of a row."""
    return design_at(evidence, artefact, row).problem(int(row["N"]), float(row["sigma"]))


def choice_at(evidence: Evidence, artefact: str, row: "pd.Series[float]", printed: bool = False) -> Choice:
    """Returns the choice of DP-AMBSSGD at the place of a row, in the arm as published or in ours."""
    settings, design = Settings(evidence.settings_of(artefact)), design_at(evidence, artefact, row)
    sigma, eps, delta = (float(row[name]) for name in ("sigma", "eps", "delta"))
    choice = Choice.ours(settings, design, int(row["N"]), sigma, eps, delta, int(row["T"]))
    return choice.published() if printed else choice


def vacuous(problem: LinearProblem, value: float) -> str:
    """Sentence for the note of a bound on a risk, where the estimate 0 is as good; otherwise empty."""
    trivial = problem.w_norm_squared / 2.0
    return f"{VACUOUS}: not below |w*|_H^2 / 2 = {trivial:g}, the risk of 0" if value >= trivial else ""


# Conditions of Theorem 3.7 ---------------------------------------------------------------------------------------------

# Columns that the conditions need. They are s >= 2 Gamma, below which Lemma 3.10 says nothing, and Lemma 3.11's
# condition on b, because the proof uses these, and they are printed in full, while the theorem's own condition,
# N = Omega~(kappa^2 d (1 + sqrt(log(1/delta))/eps)), hides a constant and logarithms.
NEEDED = ["N", "d", "sigma", "eps", "delta", "T"]


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
    """Rows whose choices meet a condition; rows that lack a value of a choice are left out."""
    known = table.dropna(subset=NEEDED).reset_index(drop=True)
    fits = [met(choice_at(evidence, artefact, row, printed)) for row in algebra.rows_of(known)]
    return known[np.array(fits, dtype=bool)].reset_index(drop=True)
