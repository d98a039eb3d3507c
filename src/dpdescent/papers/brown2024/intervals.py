"""Figures 5, 6, 10 and 11 and intervals under outliers: three constructions of confidence intervals, from one simulation.

All N gradients of a construction share the budget: one run of N steps, or m runs of N/m. Each construction is simulated
twice: on DP-GD with clipping, and on the exact Gaussian process that DP-GD follows when nothing is clipped. The coverage
of the intervals is judged in `coverage`, their length in `lengths`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpdescent.algorithms import dp_gd
from dpdescent.algorithms.gaussian_law import Construction, EstimatesLaw, IterateLaw, pinsker
from dpdescent.baselines.least_squares import huber_minimiser, linear_intervals, linear_least_squares
from dpdescent.data.linear import LinearSample, plant_outliers
from dpdescent.interval_arithmetic import Intervals, batched_means, checkpoints, independent_runs, t_intervals
from dpdescent.papers.brown2024.cases import Case, Experiment
from dpdescent.papers.brown2024.setting import (
    Array,
    Release,
    Row,
    Setting,
    Spec,
    law_of,
    released,
    sample_of,
    trial_stream,
)
from dpdescent.privacy.events import Mechanism
from dpdescent.replication.build.files import read_rows
from dpdescent.replication.judging.evidence import Evidence

INDEPENDENT, CHECKPOINTS, BATCHED = "independent", "checkpoints", "batched"
# Batched means with batches of a fixed length: a longer run has more batches, not longer ones.
SHORT = "batched, short"
NAMES: dict[str, Construction] = {
    INDEPENDENT: "independent runs", CHECKPOINTS: "checkpoints", BATCHED: "batched means"
}  # fmt: skip
# The paper's constructions, without the variants that the tables have too.
CONSTRUCTIONS = (INDEPENDENT, CHECKPOINTS, BATCHED)


@dataclass(frozen=True)
class Constructed:
    """Intervals of one construction on one data set over many replications.

    Attributes:
        name: name of the construction.
        steps: N, number of gradients of all runs together.
        intervals: centres and half-widths, shapes (replications, p).
        law: law of the iterates without clipping, at this construction's noise.
        clip_fraction: fraction of all gradients that were clipped; 0 for the exact process.
        lag1: autocorrelation of neighbouring iterates after the burn-in, shape (p,), of one long run.
    """

    name: str
    steps: int
    intervals: Intervals
    law: IterateLaw
    clip_fraction: float
    lag1: Array | None = None


def constructed(
    spec: Spec, sample: LinearSample, trial: int, steps: int, clip_factor: float, short: bool = False
) -> Iterator[Constructed]:
    """Yields the intervals of every construction at N gradients on one data set.

    Independent runs are left out where they end within the burn-in. With `short` batched means with batches of a fixed
    length are added, where at least m of them fit.
    """
    m, burn_in, tail = (spec["settings"][key] for key in ("m", "burn_in", "tail"))
    level = 1.0 - spec["settings"]["alpha"]
    path, setting, clipped = _paths(spec, sample, trial, steps, clip_factor, runs=1)
    law, lag1 = law_of(sample, setting), autocorrelation(path[burn_in:])
    for name, construct in ((CHECKPOINTS, checkpoints), (BATCHED, batched_means)):
        yield Constructed(name, steps, t_intervals(construct(path, m, burn_in), level), law, clipped, lag1)
    after_burn_in, length = steps - burn_in, spec["settings"]["short_batch"]
    if short and after_burn_in % length == 0 and after_burn_in >= m * length:
        estimates = batched_means(path, after_burn_in // length, burn_in)
        yield Constructed(SHORT, steps, t_intervals(estimates, level), law, clipped, lag1)
    if steps > m * burn_in:
        path, setting, clipped = _paths(spec, sample, trial, steps, clip_factor, runs=m)
        # Run l of replication r is column l replications + r, so that no two replications share a run.
        estimates = independent_runs(path.reshape(len(path), m, -1, sample.p), burn_in, tail)
        yield Constructed(INDEPENDENT, steps, t_intervals(estimates, level), law_of(sample, setting), clipped)


def _paths(
    spec: Spec, sample: LinearSample, trial: int, steps: int, clip_factor: float, runs: int
) -> tuple[Array, Setting, float]:
    """Returns iterates, shape (N / runs, runs replications, p), their setting, and the fraction of gradients clipped."""
    setting = Setting.of(spec, sample.n, sample.p, steps // runs, clip_factor, runs)
    columns = runs * spec["cell"]["replications"]
    rng = trial_stream(spec, sample.p, sample.n, trial, f"noise {spec['panel']} N={steps} runs={runs}")
    if spec["panel"] == "exact":
        return law_of(sample, setting).simulate(setting.T, columns, rng), setting, 0.0
    normals = rng.standard_normal((setting.T, 1, columns, sample.p))
    descent = dp_gd.descend([sample], setting.arms(columns), normals, record=True)
    assert descent.path is not None
    return descent.path[:, 0], setting, float(descent.clipped.mean())


def autocorrelation(path: Array) -> Array:
    """Returns the lag-1 autocorrelation of every coordinate, shape (p,), of iterates of shape (T, runs, p).

    It is pooled over steps and runs. Iterates are centred by the mean over runs at their own step, because centring by a
    run's own mean makes short runs seem less correlated than they are.
    """
    centred = path - path.mean(axis=1, keepdims=True)
    products: Array = (centred[1:] * centred[:-1]).sum(axis=(0, 1)) / (centred[:-1] ** 2).sum(axis=(0, 1))
    return products


# Coverage and lengths

# A function of a part's specification, a construction and its target; it returns columns of shape (p,), with `value`.
Measure = Callable[[Spec, Constructed, Array], dict[str, Array]]


def _coverage(spec: Spec, construction: Constructed, target: Array) -> dict[str, Array]:
    """Returns the share of replications whose interval covers the target, and the coverage that the law guarantees.

    The guarantee (brown2024 Claim C.10, Pinsker's inequality) is for the exact process and NaN elsewhere. More columns
    have the lengths of the same intervals, which the figure of lengths reads.
    """
    covered = construction.intervals.covers(target).mean(axis=0)
    nothing = np.full(len(covered), np.nan)
    if construction.name == SHORT:
        return {"value": covered, "guaranteed": nothing}
    lengths = _length(spec, construction, target)
    length_columns = {"length": lengths["value"], "predicted": lengths["predicted"], "settled": lengths["settled"]}
    if spec["panel"] != "exact":
        return {"value": covered, "guaranteed": nothing, **length_columns}
    promised = 1.0 - spec["settings"]["alpha"] - pinsker(_estimates_law(spec, construction).coordinate_divergences())
    return {"value": covered, "guaranteed": np.maximum(promised, 0.0), **length_columns}


def _length(spec: Spec, construction: Constructed, target: Array) -> dict[str, Array]:
    """Returns the mean length of the intervals, its expectation without clipping, and the limit for long runs."""
    estimates, level = _estimates_law(spec, construction), 1.0 - spec["settings"]["alpha"]
    return {
        "value": construction.intervals.length.mean(axis=0), "predicted": estimates.expected_length(level),
        "settled": estimates.settled_length(level),
    }  # fmt: skip


def _estimates_law(spec: Spec, construction: Constructed) -> EstimatesLaw:
    m, burn_in = spec["settings"]["m"], spec["settings"]["burn_in"]
    tail = spec["settings"]["tail"] if construction.name == INDEPENDENT else None
    return construction.law.estimates(NAMES[construction.name], construction.steps, m, burn_in, tail)


def _measured(spec: Spec, measure: Measure) -> Iterator[Row]:
    """Yields rows of one sample size, one for each construction, N and coordinate.

    Each coordinate of a data set counts as a trial, so that the table's spread is over coordinates.
    """
    n, p, factor = spec["cell"]["n"], spec["cell"]["p"], spec["settings"]["clip_factor"]
    for trial in range(*spec["trials"]):
        sample, _ = sample_of(spec, p, n, trial)
        target = linear_least_squares(sample.gram)
        for steps in spec["cell"]["steps"]:
            for construction in constructed(spec, sample, trial, steps, factor, short=measure is _coverage):
                columns = measure(spec, construction, target)
                for j in range(p):
                    values = {name: column[j] for name, column in columns.items()}
                    yield {
                        **_place(spec, steps, construction.name, trial * p + j),
                        **values,
                        "clip_fraction": construction.clip_fraction,
                    }
                if measure is _coverage and construction.name == BATCHED:
                    assert construction.lag1 is not None
                    for j, value in enumerate(construction.lag1):
                        place = _place(spec, steps, "lag1", trial * p + j)
                        yield {**place, "value": value, "clip_fraction": construction.clip_fraction}


def _place(spec: Spec, steps: int, series: str, trial: int) -> Row:
    return {"n": spec["cell"]["n"], "process": spec["panel"], "steps": steps, "series": series, "trial": trial}


def run_fig05(spec: Spec) -> Iterator[Row]:
    """Yields rows of one sample size: coverage of theta_hat by coordinate."""
    return _measured(spec, _coverage)


def run_fig06(spec: Spec) -> Iterator[Row]:
    """Yields rows of one sample size: mean lengths by coordinate, also of OLS intervals for theta*, without privacy.

    If the part of Figure 5 with the same runs is given, lengths are read from it.
    """
    n, p = spec["cell"]["n"], spec["cell"]["p"]
    for trial in range(*spec["trials"]):
        lengths = linear_intervals(sample_of(spec, p, n, trial)[0].gram, 1.0 - spec["settings"]["alpha"])
        for steps in spec["cell"]["steps"]:
            for j, value in enumerate(lengths):
                yield {**_place(spec, steps, "OLS", trial * p + j), "value": value}
    if "runs" not in spec:
        yield from _measured(spec, _length)
        return
    for row in read_rows(spec["runs"]):
        if row["series"] in NAMES:
            place = {name: row[name] for name in ("n", "process", "steps", "series", "trial")}
            measured = {name: row[name] for name in ("predicted", "settled", "clip_fraction")}
            yield {**place, "value": row["length"], **measured}


def releases_fig05(spec: Spec) -> Iterator[Release]:
    """Yields the ledger entries of one sample size: the runs behind the constructions at each N."""
    n, factor = spec["cell"]["n"], spec["settings"]["clip_factor"]
    if spec["panel"] == "exact":
        reason = "the law of DP-GD without clipping, simulated: no algorithm that one could run privately"
        return released(spec, [(f"exact process n={n}", Mechanism.without_privacy("exact process", reason))])
    arms = []
    for steps in spec["cell"]["steps"]:
        for setting in settings_of(spec, steps, factor):
            name = "one run" if setting.runs == 1 else f"{setting.runs} independent runs"
            arms.append((f"{name} n={n} N={steps}", setting))
    return released(spec, arms)


def settings_of(spec: Spec, steps: int, clip_factor: float) -> Iterator[Setting]:
    """Yields the settings of DP-GD at N gradients: one run, and m runs where they outlast the burn-in."""
    n, p, m, burn_in = spec["cell"]["n"], spec["cell"]["p"], spec["settings"]["m"], spec["settings"]["burn_in"]
    yield Setting.of(spec, n, p, steps, clip_factor)
    if steps > m * burn_in:
        yield Setting.of(spec, n, p, steps // m, clip_factor, m)


run_fig10, run_fig11 = run_fig05, run_fig06
releases_fig06 = releases_fig10 = releases_fig11 = releases_fig05


# Coverage of two targets where outliers are clipped: the Huber minimiser and least squares (Sec. 1.1, 2.5)


def run_ext_outliers(spec: Spec) -> Iterator[Row]:
    """Yields rows of one panel: coverage of Huber minimiser and least squares, by construction, threshold and N."""
    cell, p = spec["cell"], spec["cell"]["p"]
    for trial in range(*spec["trials"]):
        sample = contaminated(spec, trial)
        for factor in spec["arms"]["clip_factor"]:
            targets = {
                "huber": huber_minimiser(sample, factor * np.sqrt(p)),
                "ols": linear_least_squares(sample.gram),
            }  # fmt: skip
            apart = float(np.linalg.norm(targets["huber"] - targets["ols"]))
            for steps in cell["steps"]:
                for construction in constructed(spec, sample, trial, steps, factor):
                    for series, target in targets.items():
                        for j, value in enumerate(construction.intervals.covers(target).mean(axis=0)):
                            yield {
                                "panel": spec["panel"], "clip_factor": factor, "steps": steps,
                                "construction": construction.name, "series": series, "trial": trial * p + j, "value": value,
                                "clip_fraction": construction.clip_fraction, "apart": apart,
                                "length": float(construction.intervals.length.mean()),
                            }  # fmt: skip


def contaminated(spec: Spec, trial: int) -> LinearSample:
    """Returns a trial's data set with the panel's share of outliers."""
    cell = spec["cell"]
    sample, _ = sample_of(spec, cell["p"], cell["n"], trial)
    return plant_outliers(sample, cell["share"], cell["shift"])


def releases_ext_outliers(spec: Spec) -> Iterator[Release]:
    """Yields the ledger entries of one panel."""
    arms = []
    for factor in spec["arms"]["clip_factor"]:
        for steps in spec["cell"]["steps"]:
            for setting in settings_of(spec, steps, factor):
                name = f"{spec['panel']}, {setting.runs} runs, N={steps} gamma={factor:g} sqrt(p)"
                arms.append((name, setting))
    return released(spec, arms)


# Functions that judgements of coverage and of lengths share


def of_every_size(evidence: Evidence, artefact: str) -> pd.DataFrame:
    """The rows of DP-GD itself; sizes that were not run with clipping come from the exact process."""
    table = evidence.select(artefact)
    clipped = table["process"] == "clipped"
    return table[clipped | (table["n"] > table[clipped]["n"].max())]


def runs_behind(experiment: Experiment, row: "pd.Series[float]") -> Case:
    """The runs behind a row of a table of intervals, N gradients in all: one run, or m runs of N/m gradients."""
    series, steps = str(row["series"]), int(row["steps"])
    runs = experiment.value("m") if series == INDEPENDENT else 1
    place = f"{experiment.place}, {experiment.panel}, {NAMES[series]}"
    return experiment.case(n=int(row["n"]), T=steps // runs, runs=runs, place=place)
