"""DP-AMBSSGD on heavier tails and with dependent label noise."""

from collections.abc import Iterable, Iterator
from typing import Any

from dpdescent.checks import as_list
from dpdescent.papers.varshney2022.arms import AMBSSGD, OLS, Arm, Choice, arms_of, least_squares
from dpdescent.papers.varshney2022.design import Array, Design, Row, Spec, iterations
from dpdescent.papers.varshney2022.runs import baselines
from dpdescent.papers.varshney2022.runs.mini_batches import ada_ssp_of, runs_of, shuffled, trial_of, trials_of
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Yields a risk for each factor and trial of one law, and that of least squares."""
    found, sigma = choices(spec), spec["arms"]["sigma"]
    design, T = next(iter(found.values())).design, iterations(spec)
    base = {
        "law": spec["cell"]["law"], "N": spec["cell"]["N"], "d": len(design.lam), "sigma": sigma,
        "eps": spec["settings"]["eps"], "delta": spec["settings"]["delta"],
    }  # fmt: skip
    for trial, X, Y in trials_of(spec, design, spec["cell"]["N"], sigma):
        for factor, outcome in runs_of(spec, found, X, Y, trial).items():
            risk = float(design.risk(outcome.average))
            yield {
                **base, "factor": factor, "T": found[factor].T, "series": AMBSSGD, "trial": trial, "value": risk,
                **outcome.measures,
            }  # fmt: skip
        for series, risk, measures in _others(spec, design, X, Y, trial):
            yield {**base, "factor": series, "T": T, "series": series, "trial": trial, "value": risk, **measures}
        risk = float(design.risk(baselines.least_squares(X, Y)[0]))
        yield {**base, "series": OLS, "trial": trial, "value": risk}


def others(spec: Spec) -> dict[str, Arm[Any]]:
    """Returns the arms of the methods that DP-AMBSSGD is compared with."""
    return arms_of(as_list(spec["arms"]["others"]), next(iter(choices(spec).values())))


def _others(spec: Spec, design: Design, X: Array, Y: Array, trial: int) -> Iterator[tuple[str, float, Row]]:
    """Runs the other methods on the same records and batches: series, risk and measures."""
    made, T = others(spec), iterations(spec)
    yield from ada_ssp_of(spec, design, made, X, Y, trial)
    batches = shuffled(spec, design, X, Y, trial, T)
    for series, outcome in trial_of(spec, design, len(X), trial, T, made, batches).items():
        yield series, float(design.risk(outcome.average)), outcome.measures


def choices(spec: Spec) -> dict[str, Choice]:
    """Returns the main setting by the factor that stands for log^a N."""
    cell, settings = spec["cell"], spec["settings"]
    design = Design.of(cell["d"], settings["kappa"], settings["w_norm"], cell["law"])
    return {
        factor: Choice.ours(
            spec, design, cell["N"], spec["arms"]["sigma"], settings["eps"], iterations(spec), factor=factor
        )
        for factor in as_list(spec["arms"]["factor"])
    }  # fmt: skip


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of one law, on which no guarantee depends."""
    delta = spec["settings"]["delta"]
    for factor, choice in choices(spec).items():
        yield f"{spec['variant']}: {AMBSSGD} {spec['cell']['law']}, factor {factor}", choice.arm().mechanism, delta
    for series, arm in others(spec).items():
        yield f"{spec['variant']}: {series} {spec['cell']['law']}", arm.mechanism, delta
    yield f"{spec['variant']}: {OLS} {spec['cell']['law']}", least_squares().mechanism, delta
