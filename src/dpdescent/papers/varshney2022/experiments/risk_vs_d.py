"""Excess risk against the dimension at N proportional to d, in one pass over records and by sufficient statistics."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from dpdescent.algorithms import dp_ambssgd
from dpdescent.baselines.ada_ssp import BoundsSource
from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.checks import as_list
from dpdescent.papers.varshney2022 import arms
from dpdescent.papers.varshney2022.arms import Arm, Choice
from dpdescent.papers.varshney2022.design import Design, Row, Spec, design_of, iterations, place_of, trial_stream
from dpdescent.papers.varshney2022.runs import baselines
from dpdescent.papers.varshney2022.runs.mini_batches import risks_of
from dpdescent.papers.varshney2022.runs.risks import Outcome
from dpdescent.privacy.events import Mechanism

ONE_PASS, WISHART, CLIPPED, AGAIN = "one pass", "Wishart draw", "records clipped", "records used again"


def run(spec: Spec) -> Iterator[Row]:
    """Yields a risk for each ratio of N to d, method and trial of one dimension."""
    design, sigma, eps = design_of(spec), spec["arms"]["sigma"], spec["settings"]["eps"]
    outcomes = {ONE_PASS: _one_pass, WISHART: _wishart, CLIPPED: _clipped, AGAIN: _again}[spec["panel"]]
    for ratio in as_list(spec["cell"]["n_over_d"]):
        N = ratio * len(design.lam)
        for trial in range(*spec["trials"]):
            for series, risk, measures in outcomes(spec, design, N, trial):
                yield {
                    "panel": spec["panel"], "n_over_d": ratio, "N": N, "d": len(design.lam), "sigma": sigma, "eps": eps,
                    "delta": spec["settings"]["delta"], "kappa": spec["settings"]["kappa"], "series": series,
                    "trial": trial, "value": risk, **measures,
                }  # fmt: skip


def arms_of(spec: Spec, design: Design, N: int) -> dict[str, Arm[Any]]:
    """Returns the arms of a panel at one N by series."""
    at = Choice.ours(spec, design, N, spec["arms"]["sigma"], spec["settings"]["eps"], iterations(spec))
    series = {
        ONE_PASS: (arms.AMBSSGD, arms.QUANTILE.format(spec["settings"]["quantile"]), arms.FIXED),
        WISHART: (arms.OLS, arms.ADA_SSP, arms.ADA_SSP_TIGHT),
        CLIPPED: (arms.ADA_SSP, arms.ADA_SSP_TIGHT), AGAIN: (arms.DP_GD, arms.DP_GD_ADAPTIVE),
    }  # fmt: skip
    source: BoundsSource = "not enforced" if spec["panel"] == WISHART else "public"
    return arms.arms_of(series[spec["panel"]], at, source=source)


def _one_pass(spec: Spec, design: Design, N: int, trial: int) -> Iterator[Outcome]:
    """Runs one pass over batches drawn as they are met, because independent draws have one law in every order."""
    T, rng = iterations(spec), trial_stream(spec, place_of(design, N), trial, "batches")
    batches = (design.draw(N // T, np.array([spec["arms"]["sigma"]]), rng) for _ in range(T))
    yield from risks_of(spec, design, N, trial, arms_of(spec, design, N), batches)


def _wishart(spec: Spec, design: Design, N: int, trial: int) -> Iterator[Outcome]:
    """Runs least squares and AdaSSP on X'X and X'y, which are drawn from their law."""
    place = place_of(design, N)
    gram = baselines.wishart_gram(design, N, spec["arms"]["sigma"], trial_stream(spec, place, trial, "Wishart"))
    for name, arm in arms_of(spec, design, N).items():
        if name == arms.OLS:
            w = linear_least_squares(gram)
        else:
            rng = trial_stream(spec, place, trial, "AdaSSP")
            w = baselines.ada_ssp_on_sums(arm, gram, spec["settings"]["failure"], rng)
        yield name, float(design.risk(w)), baselines.NO_STEPS


def _clipped(spec: Spec, design: Design, N: int, trial: int) -> Iterator[Outcome]:
    """Runs AdaSSP on records that are clipped to the bounds, as its guarantee needs."""
    X, Y = _records(spec, design, N, trial)
    for name, arm in arms_of(spec, design, N).items():
        rng = trial_stream(spec, place_of(design, N), trial, "AdaSSP")
        w = baselines.ada_ssp_on_records(arm, X, Y[:, 0], spec["settings"]["failure"], rng)
        yield name, float(design.risk(w)), baselines.NO_STEPS


def _again(spec: Spec, design: Design, N: int, trial: int) -> Iterator[Outcome]:
    """Runs DP-GD, whose every step uses all records, with a fixed and with an adaptive threshold."""
    T, made, (X, Y) = iterations(spec), arms_of(spec, design, N), _records(spec, design, N, trial)
    normals = trial_stream(spec, place_of(design, N), trial, "DP-GD").standard_normal((T, len(design.lam)))
    fixed = made.pop(arms.DP_GD)
    yield arms.DP_GD, *baselines.full_batch(spec, design, fixed, X, Y[:, 0], normals)
    yield from risks_of(spec, design, N, trial, made, dp_ambssgd.every_record(X, Y, T), "DP-GD adaptive")


def _records(spec: Spec, design: Design, N: int, trial: int) -> dp_ambssgd.Batch:
    rng = trial_stream(spec, place_of(design, N), trial, "data")
    return design.draw(N, np.array([spec["arms"]["sigma"]]), rng)


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of one dimension."""
    design = design_of(spec)
    for ratio in as_list(spec["cell"]["n_over_d"]):
        N = ratio * len(design.lam)
        for name, arm in arms_of(spec, design, N).items():
            where = f"{spec['variant']}: {spec['panel']}, {name} N={N} d={len(design.lam)}"
            yield where, arm.mechanism, spec["settings"]["delta"]
