"""Fixed and adaptive thresholds over factors and numbers of iterations, all on the same records."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from dpdescent.algorithms import dp_ambssgd
from dpdescent.checks import as_list
from dpdescent.papers.varshney2022.arms import AMBSSGD, FIXED, Arm, Choice, fixed_clip
from dpdescent.papers.varshney2022.design import Design, Row, Spec, design_of, place_of, trial_stream
from dpdescent.papers.varshney2022.runs.mini_batches import shuffled, trial_of
from dpdescent.privacy.events import Mechanism

# Series, label noise, and factor of the threshold.
Key = tuple[str, float, float]


def run(spec: Spec) -> Iterator[Row]:
    """Yields a risk for each series, factor, number of iterations, label noise and trial of one N."""
    design, N, sigmas = design_of(spec), spec["cell"]["N"], as_list(spec["arms"]["sigma"])
    base = {"N": N, "d": len(design.lam), "eps": spec["settings"]["eps"], "delta": spec["settings"]["delta"]}
    for trial in range(*spec["trials"]):
        X, Y = design.draw(N, np.array(sigmas), trial_stream(spec, place_of(design, N), trial, "data"))
        for T in steps_of(spec):
            made = arms_of(spec, design, N, T)
            outcomes = trial_of(spec, design, N, trial, T, made, shuffled(spec, design, X, Y, trial, T))
            for (series, sigma, factor), outcome in outcomes.items():
                yield {
                    **base, "sigma": sigma, "T": T, "factor": factor, "series": series, "trial": trial,
                    "value": float(design.risk(outcome.average)), "clip_fraction": float(outcome.clipped.mean()),
                }  # fmt: skip


def steps_of(spec: Spec) -> list[int]:
    """Returns all numbers of iterations, those of either method."""
    return sorted({T for steps in spec["arms"]["iterations"].values() for T in steps})


def arms_of(spec: Spec, design: Design, N: int, T: int) -> dict[Key, Arm[dp_ambssgd.SGDArm]]:
    """Returns the arms of one number of iterations, which have columns of labels for every label noise."""
    given, found = spec["arms"], {}
    for label, sigma in enumerate(as_list(given["sigma"])):
        at = Choice.ours(spec, design, N, sigma, spec["settings"]["eps"], T)
        if T in given["iterations"][FIXED]:
            for factor in given["factor"][FIXED]:
                found[FIXED, sigma, factor] = fixed_clip(_with_threshold(at, factor), label)
        if T in given["iterations"][AMBSSGD]:
            for factor in given["factor"][AMBSSGD]:
                found[AMBSSGD, sigma, factor] = replace(at, factor=factor).arm(AMBSSGD, label)
    return found


def _with_threshold(at: Choice, factor: float) -> Choice:
    settings: dict[str, Any] = at.settings | {"zeta_factor": factor}
    return replace(at, settings=settings)


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of one N."""
    design, N = design_of(spec), spec["cell"]["N"]
    for T in steps_of(spec):
        for (series, sigma, factor), arm in arms_of(spec, design, N, T).items():
            name = f"{spec['variant']}: {series} N={N} sigma={sigma:g} T={T} factor={factor:g}"
            yield name, arm.mechanism, spec["settings"]["delta"]
