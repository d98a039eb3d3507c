"""Excess risk against the condition number and the number of iterations."""

from collections.abc import Iterable, Iterator
from typing import Any

from dpdescent.algorithms.dp_ambssgd import tail_length
from dpdescent.algorithms.sgd_moments import tail_risk
from dpdescent.checks import as_list
from dpdescent.papers.varshney2022.arms import AMBSSGD, OLS, Arm, Choice, arms_of, least_squares
from dpdescent.papers.varshney2022.design import Array, Row, Spec, design_of, iterations
from dpdescent.papers.varshney2022.runs import baselines
from dpdescent.papers.varshney2022.runs.mini_batches import ada_ssp_of, runs_of, shuffled, trial_of, trials_of
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Yields a risk for each T and trial of one condition number, and that of least squares."""
    design, sigma, N = design_of(spec), spec["arms"]["sigma"], spec["cell"]["N"]
    found = choices(spec)
    base = {
        "panel": spec["panel"], "N": N, "d": len(design.lam), "sigma": sigma, "eps": spec["settings"]["eps"],
        "delta": spec["settings"]["delta"], "kappa": spec["cell"]["kappa"],
    }  # fmt: skip
    yield from ({**base, **row} for row in _without_noise(spec, found))
    for trial, X, Y in trials_of(spec, design, N, sigma):
        for T, outcome in runs_of(spec, found, X, Y, trial).items():
            risk = float(design.risk(outcome.average))
            yield {**base, "T": T, "series": AMBSSGD, "trial": trial, "value": risk, **outcome.measures}
        for series, risk, measures in _others(spec, X, Y, trial):
            yield {**base, "T": main_steps(spec), "series": series, "trial": trial, "value": risk, **measures}
        risk = float(design.risk(baselines.least_squares(X, Y)[0]))
        yield {**base, "series": OLS, "trial": trial, "value": risk}


def _without_noise(spec: Spec, found: dict[int, Choice]) -> Iterator[Row]:
    """Yields the exact risk on the same batches without noise and clipping, which is the leading term by itself."""
    if spec["trials"][0] > 0:
        return
    for choice in found.values():
        kept = tail_length(spec["settings"]["tail"], choice.T)
        lam, start = choice.design.lam, -choice.design.w_star
        risk = tail_risk(lam, start, choice.eta, choice.b, choice.sigma, 0.0, choice.T, kept)
        yield {"T": choice.T, "series": "no noise", "trial": 0, "value": risk}


def main_steps(spec: Spec) -> int:
    """Returns the number of iterations at which the other methods run, a multiple of kappa."""
    return iterations(spec)


def others(spec: Spec) -> dict[str, Arm[Any]]:
    """Returns the arms of the methods that DP-AMBSSGD with the corrected rule is compared with."""
    T, eps = main_steps(spec), spec["settings"]["eps"]
    at = Choice.ours(spec, design_of(spec), spec["cell"]["N"], spec["arms"]["sigma"], eps, T)
    return arms_of(as_list(spec["arms"]["others"]), at)


def _others(spec: Spec, X: Array, Y: Array, trial: int) -> Iterator[tuple[str, float, Row]]:
    """Runs the other methods on the same records and batches: series, risk and measures."""
    design, made, T = design_of(spec), others(spec), main_steps(spec)
    yield from ada_ssp_of(spec, design, made, X, Y, trial)
    batches = shuffled(spec, design, X, Y, trial, T)
    for series, outcome in trial_of(spec, design, len(X), trial, T, made, batches).items():
        yield series, float(design.risk(outcome.average)), outcome.measures


def choices(spec: Spec) -> dict[int, Choice]:
    """Returns the main setting for every T."""
    design, sigma = design_of(spec), spec["arms"]["sigma"]
    return {
        T: Choice.ours(spec, design, spec["cell"]["N"], sigma, spec["settings"]["eps"], T)
        for T in as_list(spec["arms"]["T"])
    }


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of one condition number."""
    delta = spec["settings"]["delta"]
    for T, choice in choices(spec).items():
        yield f"{spec['variant']}: {AMBSSGD} T={T} kappa={spec['cell']['kappa']:g}", choice.arm().mechanism, delta
    for series, arm in others(spec).items():
        yield f"{spec['variant']}: {series} T={main_steps(spec)} kappa={spec['cell']['kappa']:g}", arm.mechanism, delta
    yield f"{spec['variant']}: {OLS} kappa={spec['cell']['kappa']:g}", least_squares().mechanism, delta
