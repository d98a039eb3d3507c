"""DP-SSGD: in its own regime, with the printed parameters, and over thresholds and steps."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product

from dpdescent.algorithms.dp_ftrl import FTRLArms
from dpdescent.algorithms.sgd_moments import tail_risk
from dpdescent.checks import as_list
from dpdescent.papers.varshney2022.arms import SSGD, Arm, dp_ssgd
from dpdescent.papers.varshney2022.design import Design, Row, Spec, delta_of, design_of
from dpdescent.papers.varshney2022.runs import single_pass
from dpdescent.papers.varshney2022.theory import ssgd
from dpdescent.papers.varshney2022.theory.moments import LinearProblem
from dpdescent.papers.varshney2022.theory.privacy import EpsilonRanges
from dpdescent.papers.varshney2022.theory.ssgd import Parameters
from dpdescent.privacy import shuffling
from dpdescent.privacy.events import Mechanism

COROLLARY, THEOREM, PRACTICAL = "Corollary 3.3", "Theorem 3.2", "practical"
NO_PRIVACY, SGD = "no privacy", "SGD"
INTRODUCTION = "introduction"


@dataclass(frozen=True)
class Setting:
    """One setting of DP-SSGD: its step, threshold and noise.

    Attributes:
        step: the rule of its step, or the step.
        zeta_factor: factor of its threshold; NaN where the threshold is printed.
        parameters: what it runs with.
        claimed: the (eps, delta) that the paper claims for it.
    """

    step: str
    zeta_factor: float
    parameters: Parameters
    claimed: tuple[float, float] | None = None

    def arm(self, N: int) -> Arm[FTRLArms]:
        """Returns the arm on N records."""
        return dp_ssgd(self.parameters, N, claimed=self.claimed)


def run(spec: Spec) -> Iterator[Row]:
    """Yields a risk for each N, threshold, step and trial of one dimension and epsilon, beside the exact law."""
    design, sigma = design_of(spec), spec["cell"]["sigma"]
    for N in as_list(spec["cell"]["N"]):
        eps, found = epsilon_of(spec, N), settings_of(spec, design, N)
        base = {
            "panel": spec["panel"], "N": N, "d": len(design.lam), "sigma": sigma, "eps": eps,
            "delta": delta_of(spec),
        }  # fmt: skip
        if spec["panel"] == NO_PRIVACY:
            yield from _without_noise(spec, design, N, found, base)
            continue
        risks, clipped = single_pass.run(spec, design, N, [sigma] * len(found), [each.arm(N) for each in found])
        for a, each in enumerate(found):
            given = {**base, **_described(design, N, sigma, each), "series": SSGD}
            for i, trial in enumerate(range(*spec["trials"])):
                yield {**given, "trial": trial, "value": risks[a, i], "clip_fraction": clipped[a, i]}


def epsilon_of(spec: Spec, N: int) -> float:
    """Returns the cell's epsilon, or Corollary 3.3's sqrt(log(1/delta)/N) where it has none; NaN without privacy."""
    if spec["panel"] == NO_PRIVACY:
        return math.nan
    given = spec["cell"].get("eps")
    return float(given) if given is not None else EpsilonRanges.of(N, delta_of(spec)).corollary


def settings_of(spec: Spec, design: Design, N: int) -> list[Setting]:
    """Returns the settings of every threshold with every step of the cell."""
    cell, delta, eps = spec["cell"], delta_of(spec), epsilon_of(spec, N)
    problem, steps = design.problem(N, cell["sigma"]), as_list(cell["steps"])
    if steps == [COROLLARY]:
        return [Setting(COROLLARY, math.nan, ssgd.corollary_parameters(problem, eps, delta), (eps, delta))]
    if spec["panel"] == NO_PRIVACY:
        return [Setting(f"{step:g}", math.nan, Parameters(step, 1.0, 0.0)) for step in steps]
    alpha = shuffling.noise_multiplier(eps, N, delta)
    if steps == [THEOREM]:
        return [Setting(THEOREM, math.nan, ssgd.theorem_parameters(problem, alpha))]
    found = []
    for factor, step in product((_factor(problem, each) for each in as_list(cell["zeta_factors"])), steps):
        parameters = ssgd.practical_parameters(problem, alpha, factor)
        given = step != PRACTICAL
        if given and not isinstance(step, float | int):
            raise ValueError(f"steps has {step!r}: give numbers, {PRACTICAL!r}, or one of {[COROLLARY, THEOREM]} alone")
        name = f"{step:g}" if given else PRACTICAL
        found.append(Setting(name, factor, replace(parameters, eta=step) if given else parameters))
    return found


def _factor(problem: LinearProblem, threshold: float | str) -> float:
    """Returns a threshold over the size of a gradient at w = 0, where one is given by the place that prints it."""
    unit = math.sqrt(problem.trace * (problem.w_norm_squared + problem.sigma**2))
    if threshold == INTRODUCTION:
        return ssgd.introduction_threshold(problem) / unit
    if threshold == COROLLARY:
        return ssgd.corollary_parameters(problem, 1.0, 0.5).zeta / unit
    return float(threshold)


def _described(design: Design, N: int, sigma: float, setting: Setting) -> Row:
    parameters = setting.parameters
    return {
        "zeta_factor": setting.zeta_factor, "step": setting.step, "eta": parameters.eta, "alpha": parameters.alpha,
        "expected": _law(design, N, sigma, parameters),
        "predictor": ssgd.predictor(design.problem(N, sigma), parameters),
    }  # fmt: skip


def _law(design: Design, N: int, sigma: float, parameters: Parameters) -> float:
    """Returns the exact risk without clipping."""
    variance = parameters.noise_variance
    return tail_risk(design.lam, -design.w_star, parameters.eta, 1, sigma, variance, N, N // 2)


def _without_noise(spec: Spec, design: Design, N: int, found: list[Setting], base: Row) -> Iterator[Row]:
    """Yields the exact risks of Algorithm 1 without noise and clipping."""
    if spec["trials"][0] > 0:
        return
    for each in found:
        given = _described(design, N, base["sigma"], each)
        yield {**base, **given, "series": SGD, "trial": 0, "value": given["expected"], "clip_fraction": 0.0}


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of one dimension and epsilon."""
    design, delta = design_of(spec), delta_of(spec)
    for N in as_list(spec["cell"]["N"]):
        for each in settings_of(spec, design, N):
            where = f"{spec['variant']}: {spec['panel']}, N={N} d={len(design.lam)}"
            if spec["panel"] == NO_PRIVACY:
                yield f"{where} {SGD} step {each.step}", Mechanism.without_privacy(SGD), delta
                continue
            name = f"{where} eps={epsilon_of(spec, N):.3g} step {each.step} zeta factor {each.zeta_factor:g}"
            yield name, each.arm(N).mechanism, delta
