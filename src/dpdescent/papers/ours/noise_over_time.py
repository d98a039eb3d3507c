"""Noise over time in full batch: DP-GD whose budget is scheduled over its steps, and noise that is correlated, exactly."""

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.optimize import minimize

from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.noise import schedule
from dpdescent.papers.ours import layouts
from dpdescent.papers.ours.criteria import (
    AS_PREDICTED,
    FEW_CLIPPED,
    claim,
    claim_on_all_cells,
    mapped,
    root,
    roots,
    rows,
)
from dpdescent.papers.ours.layouts import BLIND, PURE, SCHEDULE, UNIFORM, Arm, Law, side_by_side, threshold
from dpdescent.papers.ours.setting import PAPER, Array, Release, Row, Spec, linear_sample, spectrum, trial_stream
from dpdescent.randomness import stream
from dpdescent.replication.judging import algebra, records
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.bound_rows import bound_row, row_at
from dpdescent.replication.judging.criteria import at_least, at_most, between
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate, exactly, mean_of


def run_schedule(spec: Spec) -> Iterator[Row]:
    """Yields ||theta_T - theta_hat||^2 of every arm and number of steps, the mean that the unclipped law predicts, and
    the share of clipped gradients.
    """
    cell, eta, gamma = spec["cell"], spec["settings"]["eta"], threshold(spec)
    n, p, kappa, rho = cell["n"], cell["p"], cell["kappa"], cell["rho"]
    for trial in range(*spec["trials"]):
        sample, _ = linear_sample(spec, n, p, kappa, trial)
        theta_hat = linear_least_squares(sample.gram)
        normals = trial_stream(spec, trial, "noise", f"p={p}_n={n}").standard_normal((max(_steps(spec)), p))
        for T in _steps(spec):
            arms, law = arms_of_schedule(spec, T), Law.of(sample, theta_hat, eta, T)
            # An arm that diverges is alone, because it would slow down the others.
            for group in ([arm for arm in arms if (arm.name == PURE) is alone] for alone in (False, True)):
                if not group:
                    continue
                descent = side_by_side(sample, group, [rho] * len(group), eta, gamma, normals[:T])
                for k, arm in enumerate(group):
                    yield {
                        "panel": spec["panel"], "n": n, "p": p, "kappa": kappa, "T": T, "series": arm.name,
                        "trial": trial, "value": float(np.sum((descent.theta[0, k] - theta_hat) ** 2)),
                        "predicted": float(law.start + law.variance(arm, gamma, rho)),
                        "clip_fraction": descent.clipped[0, k],
                    }  # fmt: skip


def _steps(spec: Spec) -> list[int]:
    """The numbers of steps of a cell: one of its own, or those of the experiment."""
    own = spec["cell"].get("T")
    return [own] if own else list(spec["arms"]["T"])


def arms_of_schedule(spec: Spec, T: int) -> list[Arm]:
    """The arms of T steps. Schedules know the covariates' spectrum, but for one that takes it for isotropic."""
    cell, given = spec["cell"], spec["arms"]
    eta, floor = spec["settings"]["eta"], spec["settings"]["floor"]
    weights = schedule.weights_in_last(eta, spectrum(cell["p"], cell["kappa"]), T)
    arms = [layouts.uniform(T), layouts.scheduled(SCHEDULE, weights, floor)]
    if cell["kappa"] > 1:
        arms.append(layouts.scheduled(BLIND, schedule.weights_in_last(eta, np.ones(1), T), floor))
    if given.get("floorless"):
        arms.append(layouts.scheduled(PURE, weights, 0.0))
    return arms + [layouts.correlated(family, value, T) for family in ("lambda", "nu") for value in given[family]]


def releases_schedule(spec: Spec) -> Iterator[Release]:
    """Yields the ledger entries of one cell."""
    cell = spec["cell"]
    for T in _steps(spec):
        name = f"{spec['variant']}: {spec['panel']}, n={cell['n']} p={cell['p']} kappa={cell['kappa']:g} T={T}"
        for arm in arms_of_schedule(spec, T):
            event = arm.mechanism(threshold(spec), cell["n"], cell["rho"])
            yield f"{name}: {arm.name}", event, spec["settings"]["dp_delta"]


# Noise that is correlated over time, beside the least variance of any noise

SEARCHED = "best encoder found by search"
# How an estimate is made of the iterates 1 to T: their weights, by its name.
ESTIMATES = {
    "last iterate": layouts.last_iterate,
    "mean of all iterates": lambda T: layouts.mean_of_last(T, T),
    "mean of the last half": lambda T: layouts.mean_of_last(T, T // 2),
    "iterates weighted by time": layouts.weighted_by_time,
}


def run_correlated_full_batch(spec: Spec) -> Iterator[Row]:
    """Yields variances in units of sensitivity^2 / (2 rho), and the least of any noise, of every estimate and arm."""
    cell, eta, given = spec["cell"], spec["settings"]["eta"], spec["arms"]
    if spec["trials"][0] > 0:
        return
    T, eigenvalues = cell["T"], spectrum(cell["p"], cell["kappa"])
    for name, averaging in ESTIMATES.items():
        response = schedule.response(eta, eigenvalues, averaging(T))
        weights = np.linalg.norm(response, axis=1)
        # In units of sensitivity^2 / (2 rho), which a sensitivity of 1 and rho = 1/2 make 1.
        shared = {"panel": spec["panel"], "estimate": name, "p": cell["p"], "kappa": cell["kappa"], "T": T,
                  "trial": 0, "least": schedule.least_variance(weights, 1.0, 0.5)}  # fmt: skip
        for arm in (
            layouts.uniform(T), layouts.scheduled(SCHEDULE, weights, spec["settings"]["floor"]),
            layouts.scheduled(PURE, weights, 0.0),
            *(layouts.correlated(family, value, T) for family in ("lambda", "nu") for value in given[family]),
        ):  # fmt: skip
            yield {**shared, "series": arm.name, "value": arm.relative_variance(response)}
        if cell.get("searches"):
            yield {**shared, "series": SEARCHED, "value": _searched(spec, response[:, 0], cell["searches"])}


def _searched(spec: Spec, response: Array, starts: int) -> float:
    """The least variance of any encoder of a single coordinate that a search finds from random starts.

    The sensitivity is exact: a convex function of the gradients, which are within [-1, 1], is largest at a corner. The
    search minimises the variance over lower-triangular encoders of sensitivity 1 at most.
    """
    T = len(response)
    below = np.tril_indices(T)
    # Gradients and their negatives move a release alike, so that half of the corners suffice.
    corners = np.array([(1.0, *rest) for rest in itertools.product((-1.0, 1.0), repeat=T - 1)])

    def encoder(entries: Array) -> Array:
        matrix = np.zeros((T, T))
        matrix[below] = entries
        return matrix

    def variance(entries: Array) -> float:
        carried = np.linalg.solve(encoder(entries).T, response)
        return float(carried @ carried)

    def slack(entries: Array) -> Array:
        return np.asarray(1.0 - np.sum((corners @ encoder(entries).T) ** 2, axis=1))

    rng, best = stream(spec["seed"], PAPER, "search", f"T={T}"), math.inf
    for _ in range(starts):
        first = np.eye(T) + 0.3 * np.tril(rng.standard_normal((T, T)))
        first /= np.sqrt(np.sum((corners @ first.T) ** 2, axis=1).max())
        end = minimize(variance, first[below], method="SLSQP", constraints={"type": "ineq", "fun": slack},
                       options={"maxiter": 500, "ftol": 1e-12})  # fmt: skip
        # What the search returns may break its constraint by rounding: it is scaled back to sensitivity 1.
        best = min(best, end.fun * float((1.0 - slack(end.x)).max()))
    return best


SIMULATED: records.Place = {"artefact": "schedule", "location": "Sec. 2", "kind": "text", "source": "ours"}
EXACT: records.Place = {"artefact": "correlated_full_batch", "location": "Sec. 2", "kind": "text", "source": "ours"}
CONDITIONS, LONG, USUAL = "condition number", 100, 20
PLACE = ["panel", "n", "kappa", "T"]


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges what simulations say of schedules, then what is exact."""
    table = rows(evidence, "schedule")
    few = table[table["clip_fraction"] < FEW_CLIPPED]
    yield claim_on_all_cells(
        id="schedule-as-predicted", **SIMULATED | {"kind": "theorem"},
        statement="where few gradients are clipped, the unclipped law at the sample's eigenvalues predicts the error of every arm",
        quantity=f"root mean square distance to least squares over the predicted one, where under {FEW_CLIPPED:.0%} of the gradients are clipped",
        cells=roots(algebra.means(few, [*PLACE, "series"], _over_prediction)),
        criterion=between(1.0 - AS_PREDICTED, 1.0 + AS_PREDICTED),
    )  # fmt: skip
    isotropic = table[(table["panel"] == CONDITIONS) & (table["kappa"] == 1)]
    long, usual = (row_at(isotropic, series=SCHEDULE, T=T) for T in (LONG, USUAL))
    yield claim(
        id="schedule-iterations-are-free", **SIMULATED,
        statement="with the schedule more iterations cost next to nothing",
        quantity=f"root mean square error of the schedule at T = {LONG} over that at T = {USUAL}, isotropic covariates",
        measured=root(algebra.ratio_of_rows(long, usual)), criterion=at_most(1.1),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="schedule-beats-equal-parts", **SIMULATED,
        statement="at brown2024's settings the schedule has a smaller error than equal parts",
        quantity="root mean square error of the schedule over that of equal parts, by place",
        cells=_over(table[table["panel"] != CONDITIONS], SCHEDULE, UNIFORM), criterion=at_most(1.0),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="schedule-saves-a-third", **SIMULATED,
        statement="at T = 20 the schedule is worth more than a third of the error",
        quantity="root mean square error of the schedule over that of equal parts, at the settings of brown2024's Figures 2 and 8(a)",
        cells=_over(table[table["panel"].isin(["Figure 2", "Figure 8a"])], SCHEDULE, UNIFORM),
        criterion=at_most(2.0 / 3.0),
    )  # fmt: skip
    yield claim(
        id="schedule-needs-its-floor", **SIMULATED,
        statement="without an equal part a long schedule fails: the noise of its first steps has nearly all gradients clipped",
        quantity=f"root mean square error at T = {LONG} without a floor over that with it, isotropic covariates",
        measured=root(algebra.ratio_of_rows(row_at(isotropic, series=PURE, T=LONG), long)), criterion=at_least(2.0),
    )  # fmt: skip
    conditioned = table[(table["panel"] == CONDITIONS) & (table["T"] == LONG)]
    yield claim_on_all_cells(
        id="schedule-gain-shrinks", **SIMULATED, statement="the gain of the schedule shrinks with the condition number",
        quantity=f"error of equal parts over that of the schedule at T = {LONG}: the gain at the larger condition number over that at the smaller",
        cells={
            f"from kappa = {first:g} to {second:g}": _gain_ratio(conditioned, first, second)
            for first, second in ((1, 10), (10, 50))
        },
        criterion=at_most(1.0),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="schedule-blind", **SIMULATED,
        statement="a schedule that takes the covariates for isotropic loses little to one that knows their spectrum",
        quantity="root mean square error of the schedule with unknown spectrum over that with the known one, by kappa and T",
        cells=_over(table, BLIND, SCHEDULE), criterion=at_most(1.1),
    )  # fmt: skip
    yield from _exact(evidence)


def _over_prediction(row: "pd.Series[float]") -> Estimate:
    return mapped(mean_of(row), lambda end: end / row["predicted"])


def _over(table: pd.DataFrame, upper: str, lower: str) -> Places:
    """Ratios of root mean squares of two arms at equal places."""
    first, second = (table[table["series"] == name] for name in (upper, lower))
    return roots(algebra.ratios(first, second, PLACE))


def _gain_ratio(table: pd.DataFrame, smaller: float, larger: float) -> Estimate:
    """The gain of the schedule in root mean square at a larger condition number over that at a smaller one."""
    gains = [
        algebra.ratio_of_rows(*(row_at(table, kappa=kappa, series=name) for name in (UNIFORM, SCHEDULE)))
        for kappa in (larger, smaller)
    ]
    logs = [(math.log(gain.value), math.log(gain.high / gain.value)) for gain in gains]
    middle, half = logs[0][0] - logs[1][0], math.hypot(logs[0][1], logs[1][1])
    return root(Estimate(*(math.exp(end) for end in (middle, middle - half, middle + half))))


def _exact(evidence: Evidence) -> Iterator[Claim]:
    table = rows(evidence, "correlated_full_batch")
    searched, scheduled, uniform, full, half = (
        table[table["series"] == name] for name in (SEARCHED, SCHEDULE, UNIFORM, "lambda = 1", "lambda = 0.5")
    )
    yield claim_on_all_cells(
        id="no-encoder-beats-the-schedule", **EXACT | {"location": "Sec. 2, Theorem", "kind": "theorem"},
        statement="no correlation over time has less variance than the schedule: a search over encoders ends there",
        quantity="least variance that a search finds over the bound, one coordinate, by estimate and T",
        cells=algebra.means(searched, ["estimate", "T"], _over_least),
        criterion=between(1.0 - 1e-6, 1.01, words="at least 1 but for rounding, and at most 1.01"),
    )  # fmt: skip
    last = table[(table["estimate"] == "last iterate") & table["series"].astype(str).str.startswith(("lambda", "nu"))]
    yield claim_on_all_cells(
        id="schedule-beats-correlated", **EXACT,
        statement="for the last iterate the schedule, floor included, has at most the variance of every arm with correlated noise",
        quantity="variance of an arm with correlated noise over that of the schedule with its floor, last iterate, by panel, kappa, T and arm",
        cells=_against(last, scheduled), criterion=at_least(1.0),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="correlation-hurts-the-last-iterate", **EXACT,
        statement="anti-correlated noise is worse than independent noise for the last iterate",
        quantity="variance of an arm with correlated noise over that of independent noise, last iterate, by panel, kappa, T and arm",
        cells=_against(last, uniform), criterion=at_least(1.0),
    )  # fmt: skip
    slow = full[
        (full["panel"] == "slow direction") & (full["estimate"] == "iterates weighted by time") & (full["T"] >= USUAL)
    ]
    yield claim_on_all_cells(
        id="anti-correlation-ties", **EXACT,
        statement="where iterates are weighted by time in a slow direction, full anti-correlation has the least variance too",
        quantity="variance at lambda = 1 over the least of any noise, by T",
        cells=algebra.means(slow, ["T"], _over_least), criterion=at_most(1.05),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="anti-correlation-gains-a-sixth", **EXACT,
        statement="there full anti-correlation saves about a sixth of the variance of independent noise at equal parts",
        quantity="variance at lambda = 1 over that of independent noise, by T",
        cells=_against(slow, uniform), criterion=between(0.80, 0.88),
    )  # fmt: skip
    plain = half[(half["estimate"] == "mean of all iterates") & half["panel"].isin(["isotropic", CONDITIONS])]
    yield claim_on_all_cells(
        id="averages-gain-little", **EXACT,
        statement="for the plain mean of all iterates correlation with lambda = 0.5 saves under one per cent",
        quantity="variance at lambda = 0.5 over that of independent noise, by kappa and T",
        cells=_against(plain, uniform), criterion=between(0.99, 1.0),
    )  # fmt: skip


def _over_least(row: "pd.Series[float]") -> Estimate:
    return exactly(row["mean"] / row["least"])


def _against(upper: pd.DataFrame, lower: pd.DataFrame) -> Places:
    """Ratios of variances of arms to those of one arm at equal places, named by place and arm."""
    return {
        f"{place}: {arm}": ratio
        for arm in sorted(set(upper["series"]))
        for place, ratio in algebra.ratios(
            upper[upper["series"] == arm], lower, ["panel", "estimate", "kappa", "T"]
        ).items()
    }


# Rounding of sums over a few hundred steps.
ROUNDING = 1e-9


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates the least variance beside every arm's."""
    for row in algebra.rows_of(evidence.tables.get("correlated_full_batch", pd.DataFrame())):
        place = f"{row['panel']}, {row['estimate']}, kappa={row['kappa']:g} T={row['T']:g}"
        yield bound_row(
            bound="variance over sensitivity^2 / (2 rho)", location="Sec. 2, Theorem", setting=f"{place}: {row['series']}",
            value=row["least"], measured=row["mean"], direction="at least", allowed=ROUNDING * row["least"],
            note="the least of any noise over time",
        )  # fmt: skip
