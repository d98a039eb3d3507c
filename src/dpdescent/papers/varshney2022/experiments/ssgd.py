"""DP-SSGD: in its own regime, with the printed parameters, and over thresholds and steps."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product

from dpdescent.algorithms.sgd_moments import tail_risk
from dpdescent.checks import as_list
from dpdescent.papers.varshney2022.arms import no_privacy
from dpdescent.papers.varshney2022.design import Design, Row, Spec
from dpdescent.papers.varshney2022.runs import baselines, single_pass
from dpdescent.papers.varshney2022.runs.risks import design_of
from dpdescent.papers.varshney2022.theory import ssgd
from dpdescent.papers.varshney2022.theory.privacy import EpsilonRanges
from dpdescent.papers.varshney2022.theory.ssgd import Parameters
from dpdescent.privacy import shuffling
from dpdescent.privacy.events import Mechanism

COROLLARY, THEOREM, PRACTICAL = "Corollary 3.3", "Theorem 3.2", "practical"
NO_PRIVACY, SGD = "no privacy", "SGD"


@dataclass(frozen=True)
class Arm:
    """A setting of DP-SSGD; the factor of its threshold is NaN where the threshold is printed."""

    step: str
    zeta_factor: float
    parameters: Parameters


def run(spec: Spec) -> Iterator[Row]:
    """Rows of one dimension and epsilon: a risk for each N, threshold, step and trial, beside the exact law."""
    design, sigma = design_of(spec), spec["cell"]["sigma"]
    for N in as_list(spec["cell"]["N"]):
        eps, arms = epsilon_of(spec, N), arms_of(spec, design, N)
        base = {
            "panel": spec["panel"], "N": N, "d": len(design.lam), "sigma": sigma, "eps": eps,
            "delta": baselines.delta_of(spec),
        }  # fmt: skip
        if spec["panel"] == NO_PRIVACY:
            yield from _without_noise(spec, design, N, arms, base)
            continue
        risks, clipped = single_pass.run(spec, design, N, [sigma] * len(arms), [arm.parameters for arm in arms])
        for a, arm in enumerate(arms):
            given = {**base, **_described(design, N, sigma, arm), "series": single_pass.SSGD}
            for i, trial in enumerate(range(*spec["trials"])):
                yield {**given, "trial": trial, "value": risks[a, i], "clip_fraction": clipped[a, i]}


def epsilon_of(spec: Spec, N: int) -> float:
    """The cell's epsilon; where it has none, Corollary 3.3's sqrt(log(1/delta)/N). NaN without privacy."""
    if spec["panel"] == NO_PRIVACY:
        return math.nan
    given = spec["cell"].get("eps")
    return float(given) if given is not None else EpsilonRanges.of(N, baselines.delta_of(spec)).corollary


def arms_of(spec: Spec, design: Design, N: int) -> list[Arm]:
    """Every threshold with every step of the cell."""
    cell, delta, eps = spec["cell"], baselines.delta_of(spec), epsilon_of(spec, N)
    problem, steps = design.problem(N, cell["sigma"]), as_list(cell["steps"])
    if steps == [COROLLARY]:
        return [Arm(COROLLARY, math.nan, ssgd.corollary_parameters(problem, eps, delta))]
    if spec["panel"] == NO_PRIVACY:
        return [Arm(f"{step:g}", math.nan, Parameters(step, 1.0, 0.0)) for step in steps]
    alpha = shuffling.noise_multiplier(eps, N, delta)
    if steps == [THEOREM]:
        return [Arm(THEOREM, math.nan, ssgd.theorem_parameters(problem, alpha))]
    arms = []
    for factor, step in product(as_list(cell["zeta_factors"]), steps):
        parameters = ssgd.practical_parameters(problem, alpha, factor)
        given = step != PRACTICAL
        if given and not isinstance(step, float | int):
            raise ValueError(f"steps has {step!r}: give numbers, {PRACTICAL!r}, or one of {[COROLLARY, THEOREM]} alone")
        name = f"{step:g}" if given else PRACTICAL
        arms.append(Arm(name, factor, replace(parameters, eta=step) if given else parameters))
    return arms


def _described(design: Design, N: int, sigma: float, arm: Arm) -> Row:
    return {
        "zeta_factor": arm.zeta_factor, "step": arm.step, "eta": arm.parameters.eta, "alpha": arm.parameters.alpha,
        "expected": _law(design, N, sigma, arm.parameters),
        "predictor": ssgd.predictor(design.problem(N, sigma), arm.parameters),
    }  # fmt: skip


def _law(design: Design, N: int, sigma: float, parameters: Parameters) -> float:
    """The exact risk without clipping."""
    variance = parameters.noise_variance
    return tail_risk(design.lam, -design.w_star, parameters.eta, 1, sigma, variance, N, N // 2)


def _without_noise(spec: Spec, design: Design, N: int, arms: list[Arm], base: Row) -> Iterator[Row]:
    """Algorithm 1 without noise and clipping, by its exact law."""
    if spec["trials"][0] > 0:
        return
    for arm in arms:
        given = _described(design, N, base["sigma"], arm)
        yield {**base, **given, "series": SGD, "trial": 0, "value": given["expected"], "clip_fraction": 0.0}


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Ledger entries of one dimension and epsilon."""
    design, delta = design_of(spec), baselines.delta_of(spec)
    for N in as_list(spec["cell"]["N"]):
        for arm in arms_of(spec, design, N):
            where = f"{spec['variant']}: {spec['panel']}, N={N} d={len(design.lam)}"
            if spec["panel"] == NO_PRIVACY:
                yield f"{where} {SGD} step {arm.step}", no_privacy(SGD, "non-private baseline: no noise"), delta
                continue
            eps = epsilon_of(spec, N)
            claimed = (eps, delta) if arm.step == COROLLARY else None
            name = f"{where} eps={eps:.3g} step {arm.step} zeta factor {arm.zeta_factor:g}"
            yield name, single_pass.mechanism(arm.parameters, N, claimed), delta
