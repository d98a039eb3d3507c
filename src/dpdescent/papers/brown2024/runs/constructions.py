"""Figures 5, 6, 10 and 11: coverage and length of the three confidence intervals, from one simulation.

All N gradients of a construction share the budget: one run of N steps, or m runs of N/m. Each construction is simulated
twice: on DP-GD with clipping, and on the exact Gaussian process that DP-GD follows when nothing is clipped.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from dpdescent.algorithms import dp_gd
from dpdescent.algorithms.gaussian_law import Construction, EstimatesLaw, IterateLaw, pinsker
from dpdescent.baselines.least_squares import linear_intervals, linear_least_squares
from dpdescent.data.linear import LinearSample
from dpdescent.interval_arithmetic import Intervals, batched_means, checkpoints, independent_runs, t_intervals
from dpdescent.papers.brown2024.arms import Setting
from dpdescent.papers.brown2024.design import Array, Row, Spec, sample_of, trial_stream
from dpdescent.privacy.events import Mechanism

INDEPENDENT, CHECKPOINTS, BATCHED = "independent", "checkpoints", "batched"
# Batched means with batches of a fixed length: a longer run has more batches, not longer ones.
SHORT = "batched, short"
NAMES: dict[str, Construction] = {
    INDEPENDENT: "independent runs", CHECKPOINTS: "checkpoints", BATCHED: "batched means"
}  # fmt: skip


@dataclass(frozen=True)
class Constructed:
    """Intervals of one construction on one data set over many replications.

    Attributes:
        name: name of the construction.
        steps: N, number of gradients over all runs.
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

    Independent runs are left out where they end within the burn-in.

    Args:
        spec: the part's specification.
        sample: the data set.
        trial: number of the data set.
        steps: N.
        clip_factor: clipping threshold over sqrt(p).
        short: whether to add batched means with batches of a fixed length, where at least m of them fit.
    """
    m, burn_in, tail = (spec["settings"][key] for key in ("m", "burn_in", "tail"))
    path, setting, clipped = _paths(spec, sample, trial, steps, clip_factor, runs=1)
    law = _law(sample, setting)
    lag1 = autocorrelation(path[burn_in:])
    for name, construct in ((CHECKPOINTS, checkpoints), (BATCHED, batched_means)):
        yield Constructed(name, steps, _intervals(spec, construct(path, m, burn_in)), law, clipped, lag1)
    kept, length = steps - burn_in, spec["settings"]["short_batch"]
    if short and kept % length == 0 and kept >= m * length:
        estimates = batched_means(path, kept // length, burn_in)
        yield Constructed(SHORT, steps, _intervals(spec, estimates), law, clipped, lag1)
    if steps > m * burn_in:
        path, setting, clipped = _paths(spec, sample, trial, steps, clip_factor, runs=m)
        # Run l of replication r is column l replications + r, so that no two replications share a run.
        estimates = independent_runs(path.reshape(len(path), m, -1, sample.p), burn_in, tail)
        yield Constructed(INDEPENDENT, steps, _intervals(spec, estimates), _law(sample, setting), clipped)


def _intervals(spec: Spec, estimates: Array) -> Intervals:
    return t_intervals(estimates, 1.0 - spec["settings"]["alpha"])


def _law(sample: LinearSample, setting: Setting) -> IterateLaw:
    return IterateLaw.of(sample.gram, eta=setting.eta, noise_sd=setting.noise_sd)


def _paths(
    spec: Spec, sample: LinearSample, trial: int, steps: int, clip_factor: float, runs: int
) -> tuple[Array, Setting, float]:
    """Returns iterates of all replications, shape (N / runs, runs replications, p), setting and fraction clipped."""
    setting = Setting.of(spec, sample.n, sample.p, steps // runs, clip_factor, runs)
    columns = runs * spec["cell"]["replications"]
    rng = trial_stream(spec, sample.p, sample.n, trial, f"noise {spec['panel']} N={steps} runs={runs}")
    if spec["panel"] == "exact":
        return _law(sample, setting).simulate(setting.T, columns, rng), setting, 0.0
    normals = rng.standard_normal((setting.T, 1, columns, sample.p))
    descent = dp_gd.descend([sample], setting.arms(columns), normals, record=True)
    assert descent.path is not None
    return descent.path[:, 0], setting, float(descent.clipped.mean())


def autocorrelation(path: Array) -> Array:
    """Returns the lag-1 autocorrelation of every coordinate, shape (p,), pooled over steps and runs.

    Iterates are centred by the mean over runs at their own step, because centring by a run's own mean makes short runs
    seem less correlated than they are.

    Args:
        path: iterates, shape (T, runs, p).
    """
    centred = path - path.mean(axis=1, keepdims=True)
    products: Array = (centred[1:] * centred[:-1]).sum(axis=(0, 1)) / (centred[:-1] ** 2).sum(axis=(0, 1))
    return products


# Takes a part's specification, a construction and its target; returns columns, `value` among them, each of shape (p,).
Measure = Callable[[Spec, Constructed, Array], dict[str, Array]]


def coverage(spec: Spec, found: Constructed, target: Array) -> dict[str, Array]:
    """Returns the share of replications whose interval covers the target, and the coverage that the law guarantees.

    The guarantee (brown2024 Claim C.10, Pinsker's inequality) is given for the exact process and NaN elsewhere. Beside
    it stand the lengths of the same intervals, which the figure of lengths reads.
    """
    covered = found.intervals.covers(target).mean(axis=0)
    nothing = np.full(len(covered), np.nan)
    if found.name == SHORT:
        return {"value": covered, "guaranteed": nothing}
    lengths = length(spec, found, target)
    beside = {"length": lengths["value"], "predicted": lengths["predicted"], "settled": lengths["settled"]}
    if spec["panel"] != "exact":
        return {"value": covered, "guaranteed": nothing, **beside}
    promised = 1.0 - spec["settings"]["alpha"] - pinsker(_estimates_law(spec, found).coordinate_divergences())
    return {"value": covered, "guaranteed": np.maximum(promised, 0.0), **beside}


def length(spec: Spec, found: Constructed, target: Array) -> dict[str, Array]:
    """Returns the mean length of the intervals, its expectation without clipping, and the limit for long runs."""
    estimates, level = _estimates_law(spec, found), 1.0 - spec["settings"]["alpha"]
    return {
        "value": found.intervals.length.mean(axis=0), "predicted": estimates.expected_length(level),
        "settled": estimates.settled_length(level),
    }  # fmt: skip


def lengths_read(rows: Iterable[Mapping[str, str]]) -> Iterator[Row]:
    """Yields what `run` yields of lengths, from the rows that it has written of coverage."""
    for row in rows:
        if row["series"] in NAMES:
            place = {name: row[name] for name in ("n", "process", "steps", "series", "trial")}
            measured = {name: row[name] for name in ("predicted", "settled", "clip_fraction")}
            yield {**place, "value": row["length"], **measured}


def _estimates_law(spec: Spec, found: Constructed) -> EstimatesLaw:
    m, burn_in = spec["settings"]["m"], spec["settings"]["burn_in"]
    tail = spec["settings"]["tail"] if found.name == INDEPENDENT else None
    return found.law.estimates(NAMES[found.name], found.steps, m, burn_in, tail)


def run(spec: Spec, measure: Measure) -> Iterator[Row]:
    """Yields rows of one sample size, one for each construction, N and coordinate.

    Each coordinate of a data set counts as a trial, so that the table's spread is the one over coordinates.
    """
    n, p, factor = spec["cell"]["n"], spec["cell"]["p"], spec["settings"]["clip_factor"]
    for trial in range(*spec["trials"]):
        sample, _ = sample_of(spec, p, n, trial)
        target = linear_least_squares(sample.gram)
        for steps in spec["cell"]["steps"]:
            for found in constructed(spec, sample, trial, steps, factor, short=measure is coverage):
                columns = measure(spec, found, target)
                for j in range(p):
                    values = {name: column[j] for name, column in columns.items()}
                    yield {
                        **_place(spec, steps, found.name, trial * p + j), **values,
                        "clip_fraction": found.clip_fraction,
                    }  # fmt: skip
                if measure is coverage and found.name == BATCHED:
                    yield from _lag1_rows(spec, found, trial)


def _lag1_rows(spec: Spec, found: Constructed, trial: int) -> Iterator[Row]:
    assert found.lag1 is not None
    for j, value in enumerate(found.lag1):
        place = _place(spec, found.steps, "lag1", trial * len(found.lag1) + j)
        yield {**place, "value": value, "clip_fraction": found.clip_fraction}


def least_squares_lengths(spec: Spec) -> Iterator[Row]:
    """Yields rows of the dashed line of Figures 6 and 11: lengths of the OLS intervals for theta*, without privacy."""
    n, p = spec["cell"]["n"], spec["cell"]["p"]
    for trial in range(*spec["trials"]):
        lengths = linear_intervals(sample_of(spec, p, n, trial)[0].gram, 1.0 - spec["settings"]["alpha"])
        for steps in spec["cell"]["steps"]:
            for j, value in enumerate(lengths):
                yield {**_place(spec, steps, "OLS", trial * p + j), "value": value}


def _place(spec: Spec, steps: int, series: str, trial: int) -> Row:
    return {"n": spec["cell"]["n"], "process": spec["panel"], "steps": steps, "series": series, "trial": trial}


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of one sample size: the runs behind the constructions at each N."""
    n, settings = spec["cell"]["n"], spec["settings"]
    if spec["panel"] == "exact":
        reason = "the law of DP-GD without clipping, simulated: no algorithm that one could run privately"
        event = Mechanism.without_privacy("exact process", reason)
        yield f"{spec['variant']}: {event.name} n={n}", event, settings["dp_delta"]
        return
    for steps in spec["cell"]["steps"]:
        for setting in settings_of(spec, steps, settings["clip_factor"]):
            name = "one run" if setting.runs == 1 else f"{setting.runs} independent runs"
            yield f"{spec['variant']}: {name} n={n} N={steps}", setting.mechanism(), settings["dp_delta"]


def settings_of(spec: Spec, steps: int, clip_factor: float) -> Iterator[Setting]:
    """Yields the settings of DP-GD at N gradients: one run, and m runs where they outlast the burn-in."""
    n, p, m, burn_in = spec["cell"]["n"], spec["cell"]["p"], spec["settings"]["m"], spec["settings"]["burn_in"]
    yield Setting.of(spec, n, p, steps, clip_factor)
    if steps > m * burn_in:
        yield Setting.of(spec, n, p, steps // m, clip_factor, m)
