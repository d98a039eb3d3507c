"""Conjectures on noise over time in full batch: schedules of the budget, and correlation."""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.ours.experiments.correlated_full_batch import SEARCHED
from dpdescent.papers.ours.noise_over_time import BLIND, PURE, SCHEDULE, UNIFORM
from dpdescent.papers.ours.reading import AS_PREDICTED, FEW_CLIPPED, claim, claim_on_all_cells, rows
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.bound_rows import row_at
from dpdescent.replication.judging.criteria import at_least, at_most, between
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate, exactly, mean_of

CONDITIONS, LONG, USUAL = "condition number", 100, 20
PLACE = ["panel", "n", "kappa", "T"]


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges what simulations say of schedules, then what is exact."""
    yield from _simulated(evidence)
    yield from _exact(evidence)


def root(estimate: Estimate) -> Estimate:
    """The square root of an estimate of a positive number."""
    return Estimate(*(math.sqrt(max(each, 0.0)) for each in (estimate.value, estimate.low, estimate.high)))


def roots(places: Places) -> Places:
    """Square roots of estimates: ratios of mean squares become ratios of root mean squares."""
    return {place: root(each) for place, each in places.items()}


def over_prediction(row: "pd.Series[float]") -> Estimate:
    """The root mean square over the predicted one."""
    found = mean_of(row)
    return root(Estimate(*(each / row["predicted"] for each in (found.value, found.low, found.high))))


def _simulated(evidence: Evidence) -> Iterator[Claim]:
    table = rows(evidence, "schedule")
    few = table[table["clip_fraction"] < FEW_CLIPPED]
    yield claim_on_all_cells(
        id="schedule-as-predicted", artefact="schedule", location="Sec. 2", kind="theorem",
        statement="where few gradients are clipped, the unclipped law at the sample's eigenvalues predicts the error of every arm",
        quantity=f"root mean square distance to least squares over the predicted one, where under {FEW_CLIPPED:.0%} of the gradients are clipped",
        cells=algebra.means(few, [*PLACE, "series"], over_prediction),
        criterion=between(1.0 - AS_PREDICTED, 1.0 + AS_PREDICTED),
    )  # fmt: skip
    isotropic = table[(table["panel"] == CONDITIONS) & (table["kappa"] == 1)]
    by_series = {name: isotropic[isotropic["series"] == name] for name in (UNIFORM, SCHEDULE, PURE)}
    ends = (row_at(by_series[SCHEDULE], T=T) for T in (LONG, USUAL))
    yield claim(
        id="schedule-iterations-are-free", artefact="schedule", location="Sec. 2", kind="text",
        statement="with the schedule more iterations cost next to nothing",
        quantity=f"root mean square error of the schedule at T = {LONG} over that at T = {USUAL}, isotropic covariates",
        measured=root(algebra.ratio_of_rows(*ends)), criterion=at_most(1.1),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="schedule-beats-equal-parts", artefact="schedule", location="Sec. 2", kind="text",
        statement="at brown2024's settings the schedule has a smaller error than equal parts",
        quantity="root mean square error of the schedule over that of equal parts, by place",
        cells=roots(_paired(table[(table["panel"] != CONDITIONS)], SCHEDULE, UNIFORM)), criterion=at_most(1.0),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="schedule-saves-a-third", artefact="schedule", location="Sec. 2", kind="text",
        statement="at T = 20 the schedule is worth more than a third of the error",
        quantity="root mean square error of the schedule over that of equal parts, at the settings of brown2024's Figures 2 and 8(a)",
        cells=roots(_paired(table[table["panel"].isin(["Figure 2", "Figure 8a"])], SCHEDULE, UNIFORM)),
        criterion=at_most(2.0 / 3.0),
    )  # fmt: skip
    yield claim(
        id="schedule-needs-its-floor", artefact="schedule", location="Sec. 2", kind="text",
        statement="without an equal part a long schedule fails: the noise of its first steps has nearly all gradients clipped",
        quantity=f"root mean square error at T = {LONG} without a floor over that with it, isotropic covariates",
        measured=root(algebra.ratio_of_rows(*(row_at(by_series[name], T=LONG) for name in (PURE, SCHEDULE)))),
        criterion=at_least(2.0),
    )  # fmt: skip
    conditioned = table[(table["panel"] == CONDITIONS) & (table["T"] == LONG)]
    gains = {
        f"from kappa = {first:g} to {second:g}": _gain_ratio(conditioned, first, second)
        for first, second in ((1, 10), (10, 50))
    }
    yield claim_on_all_cells(
        id="schedule-gain-shrinks", artefact="schedule", location="Sec. 2", kind="text",
        statement="the gain of the schedule shrinks with the condition number",
        quantity=f"error of equal parts over that of the schedule at T = {LONG}: the gain at the larger condition number over that at the smaller",
        cells=gains, criterion=at_most(1.0),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="schedule-blind", artefact="schedule", location="Sec. 2", kind="text",
        statement="a schedule that takes the covariates for isotropic loses little to one that knows their spectrum",
        quantity="root mean square error of the schedule with unknown spectrum over that with the known one, by kappa and T",
        cells=roots(_paired(table, BLIND, SCHEDULE)), criterion=at_most(1.1),
    )  # fmt: skip


def _paired(table: pd.DataFrame, upper: str, lower: str) -> Places:
    """Ratios of mean squares of two arms at equal places."""
    first, second = (table[table["series"] == name] for name in (upper, lower))
    return algebra.ratios(first, second, PLACE)


def _gain_ratio(table: pd.DataFrame, smaller: float, larger: float) -> Estimate:
    """The gain of the schedule in root mean square at a larger condition number over that at a smaller one."""
    gains = [
        algebra.ratio_of_rows(*(row_at(table, kappa=kappa, series=name) for name in (UNIFORM, SCHEDULE)))
        for kappa in (larger, smaller)
    ]
    logs = [(math.log(each.value), math.log(each.high / each.value)) for each in gains]
    value, half = logs[0][0] - logs[1][0], math.hypot(logs[0][1], logs[1][1])
    return root(Estimate(*(math.exp(each) for each in (value, value - half, value + half))))


def _exact(evidence: Evidence) -> Iterator[Claim]:
    table = rows(evidence, "correlated_full_batch")
    correlated = table[table["series"].astype(str).str.startswith(("lambda", "nu"))]
    where = ["panel", "estimate", "kappa", "T"]
    last = "last iterate"
    yield claim_on_all_cells(
        id="no-encoder-beats-the-schedule", artefact="correlated_full_batch", location="Sec. 2, Theorem", kind="theorem",
        statement="no correlation over time has less variance than the schedule: a search over encoders ends there",
        quantity="least variance that a search finds over the bound, one coordinate, by estimate and T",
        cells=_over_least(table[table["series"] == SEARCHED], ["estimate", "T"]),
        criterion=between(1.0 - 1e-6, 1.01, words="at least 1 but for rounding, and at most 1.01"),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="schedule-beats-correlated", artefact="correlated_full_batch", location="Sec. 2", kind="text",
        statement="for the last iterate the schedule, floor included, has at most the variance of every arm with correlated noise",
        quantity="variance of an arm with correlated noise over that of the schedule with its floor, last iterate, by panel, kappa, T and arm",
        cells=_against(correlated[correlated["estimate"] == last], table[table["series"] == SCHEDULE], where),
        criterion=at_least(1.0),
    )  # fmt: skip
    uniform = table[table["series"] == UNIFORM]
    yield claim_on_all_cells(
        id="correlation-hurts-the-last-iterate", artefact="correlated_full_batch", location="Sec. 2", kind="text",
        statement="anti-correlated noise is worse than independent noise for the last iterate",
        quantity="variance of an arm with correlated noise over that of independent noise, last iterate, by panel, kappa, T and arm",
        cells=_against(correlated[correlated["estimate"] == last], uniform, where), criterion=at_least(1.0),
    )  # fmt: skip
    slow = table[(table["panel"] == "slow direction") & (table["estimate"] == "iterates weighted by time")]
    yield claim_on_all_cells(
        id="anti-correlation-ties", artefact="correlated_full_batch", location="Sec. 2", kind="text",
        statement="where iterates are weighted by time in a slow direction, full anti-correlation has the least variance too",
        quantity="variance at lambda = 1 over the least of any noise, by T",
        cells=_over_least(slow[(slow["series"] == "lambda = 1") & (slow["T"] >= USUAL)], ["T"]), criterion=at_most(1.05),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="anti-correlation-gains-a-sixth", artefact="correlated_full_batch", location="Sec. 2", kind="text",
        statement="there full anti-correlation saves about a sixth of the variance of independent noise at equal parts",
        quantity="variance at lambda = 1 over that of independent noise, by T",
        cells=_against(slow[(slow["series"] == "lambda = 1") & (slow["T"] >= USUAL)], uniform, where),
        criterion=between(0.80, 0.88),
    )  # fmt: skip
    plain = table[(table["estimate"] == "mean of all iterates") & table["panel"].isin(["isotropic", CONDITIONS])]
    yield claim_on_all_cells(
        id="averages-gain-little", artefact="correlated_full_batch", location="Sec. 2", kind="text",
        statement="for the plain mean of all iterates correlation with lambda = 0.5 saves under one per cent",
        quantity="variance at lambda = 0.5 over that of independent noise, by kappa and T",
        cells=_against(plain[plain["series"] == "lambda = 0.5"], uniform, where), criterion=between(0.99, 1.0),
    )  # fmt: skip


def _over_least(rows: pd.DataFrame, keys: list[str]) -> Places:
    """Variances over the least of any noise."""
    return algebra.means(rows, keys, lambda row: exactly(row["mean"] / row["least"]))


def _against(upper: pd.DataFrame, lower: pd.DataFrame, on: list[str]) -> Places:
    """Ratios of variances of arms to those of one arm at equal places, named by place and arm."""
    found: Places = {}
    for arm in sorted(set(upper["series"])):
        at = algebra.ratios(upper[upper["series"] == arm], lower, on)
        found |= {f"{place}: {arm}": each for place, each in at.items()}
    return found
