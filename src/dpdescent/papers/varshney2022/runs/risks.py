"""Excess risks of all methods on the same records, by size, label noise and epsilon."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from dpdescent.algorithms import dp_ambssgd
from dpdescent.checks import as_list
from dpdescent.papers.varshney2022.arms import AMBSSGD, FIXED, PUBLISHED, QUANTILE, Choice, no_privacy, public_threshold
from dpdescent.papers.varshney2022.design import Array, Design, Row, Spec, place_of, trial_stream
from dpdescent.papers.varshney2022.runs import baselines, single_pass
from dpdescent.papers.varshney2022.runs.single_pass import SSGD
from dpdescent.papers.varshney2022.theory import ssgd
from dpdescent.privacy import shuffling
from dpdescent.privacy.events import Mechanism

Outcome = tuple[str, float, Row]


def run(spec: Spec) -> Iterator[Row]:
    """Rows of every size, epsilon and label noise of a part: one a method and trial."""
    design = design_of(spec)
    for N, eps in product(as_list(spec["cell"]["N"]), epsilons(spec)):
        base = _base(spec, design, N, eps)
        if spec["panel"] == SSGD:
            yield from _stream_rows(spec, design, N, eps, base)
            continue
        for trial in range(*spec["trials"]):
            for sigma, (series, risk, measures) in _trial(spec, design, N, eps, trial):
                yield {**base, "sigma": sigma, "series": series, "trial": trial, "value": risk, **measures}


def design_of(spec: Spec) -> Design:
    """The normal design of the part's dimension and condition number."""
    kappa = spec["cell"].get("kappa", spec["settings"]["kappa"])
    return Design.of(spec["cell"]["d"], kappa, spec["settings"]["w_norm"])


def wanted_of(spec: Spec) -> list[str]:
    """The series that a part is to run.

    Raises:
        ValueError: if one of them is not known.
    """
    q = spec["settings"]["quantile"]
    known = [
        baselines.OLS, AMBSSGD, QUANTILE.format(q), PUBLISHED, FIXED, baselines.ADA_SSP, baselines.DP_GD,
        baselines.DP_GD_ADAPTIVE,
    ]  # fmt: skip
    wanted: list[str] = as_list(spec["arms"]["series"])
    for name in wanted:
        if name not in known:
            raise ValueError(f"series={name!r} is not known: take some of {known}")
    return wanted


def epsilons(spec: Spec) -> list[float]:
    """The cell's epsilons, or that of the settings."""
    return as_list(spec["cell"].get("eps", spec["settings"]["eps"]))


def iterations(spec: Spec) -> int:
    """T = 8 kappa, with the setting's constant for 8."""
    kappa = spec["cell"].get("kappa", spec["settings"]["kappa"])
    steps: int = math.ceil(spec["settings"]["steps_per_kappa"] * kappa)
    return steps


def offset_of(spec: Spec, place: str, trial: int) -> float:
    """Public shift of a trial's grid of thresholds, in octaves: nil, or uniform.

    Raises:
        ValueError: if the grid is neither fixed nor random.
    """
    grid = spec["settings"]["grid"]
    if grid not in ("fixed", "random"):
        raise ValueError(f"grid={grid!r} must be fixed or random")
    return float(trial_stream(spec, place, trial, "offset").random()) if grid == "random" else 0.0


def measures_of(runs: dp_ambssgd.Runs, arm: int) -> Row:
    """Share of gradients clipped over the run, and thresholds of its first and last step."""
    zeta = runs.thresholds[:, arm]
    return {"clip_fraction": float(runs.clipped[:, arm].mean()), "zeta_first": zeta[0], "zeta_last": zeta[-1]}


def _base(spec: Spec, design: Design, N: int, eps: float) -> Row:
    kappa = spec["cell"].get("kappa", spec["settings"]["kappa"])
    return {
        "panel": spec["panel"], "N": N, "d": len(design.lam), "eps": eps, "delta": baselines.delta_of(spec),
        "kappa": kappa,
    }  # fmt: skip


def _trial(spec: Spec, design: Design, N: int, eps: float, trial: int) -> Iterator[tuple[float, Outcome]]:
    """Every method on one data set, whose label noise comes in several sizes."""
    sigmas, wanted, T = as_list(spec["arms"]["sigma"]), wanted_of(spec), iterations(spec)
    place = place_of(design, N)
    X, Y = design.draw(N, np.array(sigmas), trial_stream(spec, place, trial, "data"))
    for arms, names, batches, role in _passes(spec, design, X, Y, eps, trial):
        normals = dp_ambssgd.Normals.draw(
            trial_stream(spec, place, trial, role), T, len(design.lam), spec["settings"]["levels"]
        )
        runs = dp_ambssgd.descend(batches, arms, normals, spec["settings"]["tail"])
        for a, (name, arm) in enumerate(zip(names, arms, strict=True)):
            yield sigmas[arm.label], (name, float(design.risk(runs.average[a])), {"T": T, **measures_of(runs, a)})
    empty = {"T": math.nan, "clip_fraction": math.nan, "zeta_first": math.nan, "zeta_last": math.nan}
    if baselines.OLS in wanted:
        for sigma, w in zip(sigmas, baselines.least_squares(X, Y), strict=True):
            yield sigma, (baselines.OLS, float(design.risk(w)), empty)
    for label, sigma in enumerate(sigmas):
        if baselines.ADA_SSP in wanted:
            noise, rng = baselines.calibration(spec, design, N, sigma, eps), trial_stream(spec, place, trial, "AdaSSP")
            w = baselines.ada_ssp_clipped(X, Y[:, label], noise, spec["settings"]["failure"], rng)
            yield sigma, (baselines.ADA_SSP, float(design.risk(w)), empty)
        if baselines.DP_GD in wanted:
            normals_gd = trial_stream(spec, place, trial, "DP-GD").standard_normal((T, len(design.lam)))
            found = baselines.full_batch(spec, design, X, Y[:, label], sigma, eps, T, normals_gd)
            yield sigma, (baselines.DP_GD, *baselines.told(spec, design, N, sigma, found))


def _passes(
    spec: Spec, design: Design, X: Array, Y: Array, eps: float, trial: int
) -> Iterator[tuple[list[dp_ambssgd.SGDArm], list[str], Iterable[dp_ambssgd.Batch], str]]:
    """The descents by one engine: a single pass in random order, and all records in every step."""
    sigmas, wanted, T = as_list(spec["arms"]["sigma"]), wanted_of(spec), iterations(spec)
    offset = offset_of(spec, place_of(design, len(X)), trial)
    q = spec["settings"]["quantile"]
    choices = [Choice.ours(spec, design, len(X), sigma, eps, T, offset=offset) for sigma in sigmas]
    thresholds = [public_threshold(spec, design, len(X), sigma) for sigma in sigmas]
    made = {
        AMBSSGD: [choice.arm(j) for j, choice in enumerate(choices)],
        QUANTILE.format(q): [replace(choice, rule=f"q = {q:g}").arm(j) for j, choice in enumerate(choices)],
        PUBLISHED: [choice.published().arm(j) for j, choice in enumerate(choices)] if PUBLISHED in wanted else [],
        FIXED: [choice.fixed(zeta, j) for j, (choice, zeta) in enumerate(zip(choices, thresholds, strict=True))],
    }  # fmt: skip
    names = [name for name in made if name in wanted for _ in made[name]]
    order = trial_stream(spec, place_of(design, len(X)), trial, "permutation")
    if names:
        arms = [arm for name in made if name in wanted for arm in made[name]]
        yield arms, names, dp_ambssgd.batches_of(X, Y, T, order), "noise"
    if baselines.DP_GD_ADAPTIVE in wanted:
        adaptive = [baselines.adaptive_arm(spec, choice, j) for j, choice in enumerate(choices)]
        batches = dp_ambssgd.every_record(X, Y, T)
        yield adaptive, [baselines.DP_GD_ADAPTIVE] * len(adaptive), batches, "DP-GD adaptive"


def _stream_rows(spec: Spec, design: Design, N: int, eps: float, base: Row) -> Iterator[Row]:
    sigmas = as_list(spec["arms"]["sigma"])
    arms = [ssgd_parameters(spec, design, N, sigma, eps) for sigma in sigmas]
    risks, clipped = single_pass.run(spec, design, N, sigmas, arms)
    for (a, sigma), (i, trial) in product(enumerate(sigmas), enumerate(range(*spec["trials"]))):
        yield {
            **base, "sigma": sigma, "T": N, "series": SSGD, "trial": trial, "value": risks[a, i],
            "clip_fraction": clipped[a, i], "zeta_first": arms[a].zeta, "zeta_last": arms[a].zeta,
        }  # fmt: skip


def ssgd_parameters(spec: Spec, design: Design, N: int, sigma: float, eps: float) -> ssgd.Parameters:
    """DP-SSGD with practical parameters, and noise for exactly (eps, delta) by the explicit bound."""
    alpha = shuffling.noise_multiplier(eps, N, baselines.delta_of(spec))
    return ssgd.practical_parameters(design.problem(N, sigma), alpha, spec["settings"]["zeta_factor"])


def releases(spec: Spec) -> Iterator[tuple[str, Mechanism, float]]:
    """Ledger entries by size, epsilon and label noise."""
    design, delta = design_of(spec), baselines.delta_of(spec)
    for N, eps, sigma in product(as_list(spec["cell"]["N"]), epsilons(spec), as_list(spec["arms"]["sigma"])):
        for series, event in _events(spec, design, N, eps, sigma):
            name = f"{spec['variant']}: {series} N={N} d={len(design.lam)} sigma={sigma:g} eps={eps:g}"
            yield name, event, delta


def _events(spec: Spec, design: Design, N: int, eps: float, sigma: float) -> Sequence[tuple[str, Mechanism]]:
    if spec["panel"] == SSGD:
        parameters = ssgd_parameters(spec, design, N, sigma, eps)
        return [(SSGD, single_pass.mechanism(parameters, N))]
    T, wanted, q = iterations(spec), wanted_of(spec), spec["settings"]["quantile"]
    choice = Choice.ours(spec, design, N, sigma, eps, T)
    made: dict[str, Callable[[], Mechanism]] = {
        AMBSSGD: lambda: choice.mechanism(AMBSSGD),
        QUANTILE.format(q): lambda: replace(choice, rule=f"q = {q:g}").mechanism(QUANTILE.format(q)),
        PUBLISHED: lambda: choice.published().mechanism(PUBLISHED),
        FIXED: lambda: choice.fixed_mechanism(public_threshold(spec, design, N, sigma)),
        baselines.ADA_SSP: lambda: baselines.ada_ssp_mechanism(baselines.calibration(spec, design, N, sigma, eps)),
        baselines.DP_GD: lambda: baselines.dp_gd_mechanism(spec, design, N, sigma, eps, T),
        baselines.DP_GD_ADAPTIVE: lambda: baselines.adaptive_mechanism(spec, choice),
        baselines.OLS: lambda: no_privacy(baselines.OLS, "non-private baseline: no noise"),
    }
    return [(name, made[name]()) for name in wanted]
