"""The term of privacy by itself: for small epsilon, over delta, at N eps^2 / d near 1; AdaSSP at sigma = 0."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from dpdescent.checks import as_list
from dpdescent.papers.varshney2022 import arms
from dpdescent.papers.varshney2022.arms import Arm, Choice
from dpdescent.papers.varshney2022.design import Design, Row, Spec, design_of, iterations, place_of, trial_stream
from dpdescent.papers.varshney2022.runs import baselines
from dpdescent.papers.varshney2022.runs.mini_batches import trial_of
from dpdescent.papers.varshney2022.theory import privacy
from dpdescent.privacy.events import Mechanism

STATISTICS = "sufficient statistics"

# Series, label noise, epsilon, delta.
Key = tuple[str, float, float, float]


def run(spec: Spec) -> Iterator[Row]:
    """Yields a risk for each N, budget, label noise, series and trial of a panel."""
    design = design_of(spec)
    drawn = _statistics if spec["panel"] == STATISTICS else _one_pass
    for N in as_list(spec["cell"]["N"]):
        base = {"panel": spec["panel"], "N": N, "d": len(design.lam), "kappa": spec["settings"]["kappa"]}
        for trial in range(*spec["trials"]):
            for (series, sigma, eps, delta), risk, measures in drawn(spec, design, N, trial):
                at = {"sigma": sigma, "eps": eps, "delta": delta, "series": series}
                yield {**base, **at, "trial": trial, "value": risk, **measures}


def arms_of(spec: Spec, design: Design, N: int, offset: float = 0.0) -> dict[Key, Arm[Any]]:
    """Returns the arms of one N by series, label noise and budget; AdaSSP gets sums, so that nothing is clipped."""
    T, found = iterations(spec), {}
    for label, sigma in enumerate(as_list(spec["cell"]["sigmas"])):
        for eps, delta in spec["cell"]["budgets"]:
            alpha = privacy.gaussian_multiplier(eps, delta)
            main = Choice.ours(spec, design, N, sigma, eps, T, offset=offset)
            at = replace(main, delta=delta, multiplier=alpha)
            for name, arm in arms.arms_of(spec["cell"]["methods"], at, label, "not enforced").items():
                found[name, sigma, eps, delta] = arm
    return found


def _one_pass(spec: Spec, design: Design, N: int, trial: int) -> Iterator[tuple[Key, float, Row]]:
    """Runs all arms in one pass over batches drawn as they are met, because independent draws need no permutation."""
    place, T = place_of(design, N), iterations(spec)
    data, offset = (trial_stream(spec, place, trial, role) for role in ("batches", "offset"))
    sigmas = np.array(as_list(spec["cell"]["sigmas"]))
    batches = (design.draw(N // T, sigmas, data) for _ in range(T))
    made = arms_of(spec, design, N, float(offset.random()))
    for key, outcome in trial_of(spec, design, N, trial, T, made, batches).items():
        yield key, float(design.risk(outcome.average)), {"T": T, **outcome.measures}


def _statistics(spec: Spec, design: Design, N: int, trial: int) -> Iterator[tuple[Key, float, Row]]:
    """Runs AdaSSP on X'X and X'y that are drawn from their law."""
    place = place_of(design, N)
    for key, arm in arms_of(spec, design, N).items():
        gram = baselines.wishart_gram(design, N, key[1], trial_stream(spec, place, trial, "Wishart"))
        rng = trial_stream(spec, place, trial, "AdaSSP")
        w = baselines.ada_ssp_on_sums(arm, gram, spec["settings"]["failure"], rng)
        yield key, float(design.risk(w)), baselines.NO_STEPS


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of a panel; the public offset of the grid of thresholds is no release."""
    design = design_of(spec)
    for N in as_list(spec["cell"]["N"]):
        for (series, sigma, eps, delta), arm in arms_of(spec, design, N).items():
            name = f"{spec['variant']}: {spec['panel']}, {series} N={N} sigma={sigma:g} eps={eps:g} delta={delta:g}"
            yield name, arm.mechanism, delta
