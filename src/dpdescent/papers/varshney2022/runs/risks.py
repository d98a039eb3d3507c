"""Excess risks of all methods on the same records, by size, label noise and epsilon."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from dpdescent.algorithms import dp_ambssgd
from dpdescent.checks import as_list
from dpdescent.papers.varshney2022 import arms
from dpdescent.papers.varshney2022.arms import Arm, Choice
from dpdescent.papers.varshney2022.design import (
    Array,
    Design,
    Row,
    Spec,
    delta_of,
    design_of,
    iterations,
    kappa_of,
    place_of,
    trial_stream,
)  # fmt: skip
from dpdescent.papers.varshney2022.runs import baselines, single_pass
from dpdescent.papers.varshney2022.runs.mini_batches import risks_of, shuffled
from dpdescent.papers.varshney2022.theory import ssgd
from dpdescent.privacy import shuffling
from dpdescent.privacy.events import Mechanism

# A risk of a series, and the measures of its run.
Outcome = tuple[str, float, Row]


def run(spec: Spec) -> Iterator[Row]:
    """Yields a row for each size, epsilon, label noise, method and trial of a part."""
    design = design_of(spec)
    for N, eps in product(as_list(spec["cell"]["N"]), epsilons(spec)):
        base = {
            "panel": spec["panel"], "N": N, "d": len(design.lam), "eps": eps, "delta": delta_of(spec),
            "kappa": kappa_of(spec),
        }  # fmt: skip
        if spec["panel"] == arms.SSGD:
            yield from ({**base, **row} for row in _stream_rows(spec, design, N, eps))
            continue
        for trial in range(*spec["trials"]):
            for sigma, (series, risk, measures) in _trial(spec, design, N, eps, trial):
                yield {**base, "sigma": sigma, "series": series, "trial": trial, "value": risk, **measures}


def arms_of(
    spec: Spec, design: Design, N: int, eps: float, sigma: float, label: int = 0, offset: float = 0.0
) -> dict[str, Arm[Any]]:
    """Returns the arms of one N, epsilon and label noise by series.

    The offset of a trial's grid of thresholds is public, so that it is no release."""
    if spec["panel"] == arms.SSGD:
        # The explicit bound is used, because Theorem 3.1 has no constants: this noise gives (eps, delta) exactly.
        alpha = shuffling.noise_multiplier(eps, N, delta_of(spec))
        parameters = ssgd.practical_parameters(design.problem(N, sigma), alpha, spec["settings"]["zeta_factor"])
        return {arms.SSGD: arms.dp_ssgd(parameters, N)}
    at = Choice.ours(spec, design, N, sigma, eps, iterations(spec), offset=offset)
    return arms.arms_of(series_of(spec), at, label)


def series_of(spec: Spec) -> list[str]:
    """Returns the series that a part is to run.

    Raises:
        ValueError: if one of them is not known.
    """
    known = [
        arms.OLS, arms.AMBSSGD, arms.QUANTILE.format(spec["settings"]["quantile"]), arms.PUBLISHED, arms.FIXED,
        arms.ADA_SSP, arms.DP_GD, arms.DP_GD_ADAPTIVE,
    ]  # fmt: skip
    series: list[str] = as_list(spec["arms"]["series"])
    for name in series:
        if name not in known:
            raise ValueError(f"series={name!r} is not known: take some of {known}")
    return series


def epsilons(spec: Spec) -> list[float]:
    """Returns the cell's epsilons, or that of the settings."""
    return as_list(spec["cell"].get("eps", spec["settings"]["eps"]))


def offset_of(spec: Spec, place: str, trial: int) -> float:
    """Returns the public shift of a trial's grid of thresholds in octaves: 0, or uniform on [0, 1).

    Raises:
        ValueError: if the grid is neither fixed nor random.
    """
    grid = spec["settings"]["grid"]
    if grid not in ("fixed", "random"):
        raise ValueError(f"grid={grid!r} must be fixed or random")
    return float(trial_stream(spec, place, trial, "offset").random()) if grid == "random" else 0.0


def _trial(spec: Spec, design: Design, N: int, eps: float, trial: int) -> Iterator[tuple[float, Outcome]]:
    """Runs every method on one data set with every size of label noise; yields the label noise and the outcome."""
    sigmas, place = as_list(spec["arms"]["sigma"]), place_of(design, N)
    X, Y = design.draw(N, np.array(sigmas), trial_stream(spec, place, trial, "data"))
    offset = offset_of(spec, place, trial)
    made = [arms_of(spec, design, N, eps, sigma, label, offset) for label, sigma in enumerate(sigmas)]
    for label, outcome in _descents(spec, design, made, X, Y, trial):
        yield sigmas[label], outcome
    if arms.OLS in made[0]:
        for sigma, w in zip(sigmas, baselines.least_squares(X, Y), strict=True):
            yield sigma, (arms.OLS, float(design.risk(w)), baselines.NO_STEPS)
    for label, (sigma, own) in enumerate(zip(sigmas, made, strict=True)):
        if arms.ADA_SSP in own:
            rng = trial_stream(spec, place, trial, "AdaSSP")
            w = baselines.ada_ssp_on_records(own[arms.ADA_SSP], X, Y[:, label], spec["settings"]["failure"], rng)
            yield sigma, (arms.ADA_SSP, float(design.risk(w)), baselines.NO_STEPS)
        if arms.DP_GD in own:
            normals = trial_stream(spec, place, trial, "DP-GD").standard_normal((iterations(spec), len(design.lam)))
            found = baselines.full_batch(spec, design, own[arms.DP_GD], X, Y[:, label], normals)
            yield sigma, (arms.DP_GD, *found)


def _descents(
    spec: Spec, design: Design, made: list[dict[str, Arm[Any]]], X: Array, Y: Array, trial: int
) -> Iterator[tuple[int, Outcome]]:
    """Runs the methods of DP-AMBSSGD's engine, in one pass or on all records a step; yields label and outcome."""
    T = iterations(spec)
    everywhere = {arms.DP_GD_ADAPTIVE}
    single = made[0].keys() - everywhere - {arms.OLS, arms.ADA_SSP, arms.DP_GD}
    for series, batches, role in (
        (single, shuffled(spec, design, X, Y, trial, T), "noise"),
        (everywhere, dp_ambssgd.every_record(X, Y, T), "DP-GD adaptive"),
    ):
        together = {(name, j): made[j][name] for name in made[0] if name in series for j in range(len(made))}
        if together:
            for (name, label), risk, measures in risks_of(spec, design, len(X), trial, together, batches, role):
                yield label, (name, risk, measures)


def _stream_rows(spec: Spec, design: Design, N: int, eps: float) -> Iterator[Row]:
    sigmas = as_list(spec["arms"]["sigma"])
    made = [arms_of(spec, design, N, eps, sigma)[arms.SSGD] for sigma in sigmas]
    risks, clipped = single_pass.run(spec, design, N, sigmas, made)
    for (a, sigma), (i, trial) in product(enumerate(sigmas), enumerate(range(*spec["trials"]))):
        zeta = float(made[a].settings.clip_norm[0])
        yield {
            "sigma": sigma, "T": N, "series": arms.SSGD, "trial": trial, "value": risks[a, i],
            "clip_fraction": clipped[a, i], "zeta_first": zeta, "zeta_last": zeta,
        }  # fmt: skip


def releases(spec: Spec) -> Iterator[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of every size, epsilon and label noise of a part."""
    design = design_of(spec)
    for N, eps, sigma in product(as_list(spec["cell"]["N"]), epsilons(spec), as_list(spec["arms"]["sigma"])):
        for series, arm in arms_of(spec, design, N, eps, sigma).items():
            name = f"{spec['variant']}: {series} N={N} d={len(design.lam)} sigma={sigma:g} eps={eps:g}"
            yield name, arm.mechanism, delta_of(spec)
