"""Smallest N on a grid at which the median risk reaches a target, against the dimension."""

from collections.abc import Callable, Iterable, Iterator
from itertools import product

import numpy as np

from dpdescent.algorithms import dp_ambssgd
from dpdescent.baselines.ada_ssp import ada_ssp, wishart_gram
from dpdescent.papers.varshney2022.arms import AMBSSGD, FIXED, public_threshold
from dpdescent.papers.varshney2022.design import Array, Design, Row, Spec, trial_stream
from dpdescent.papers.varshney2022.experiments.risk_vs_d import choices
from dpdescent.papers.varshney2022.runs import baselines
from dpdescent.papers.varshney2022.runs.risks import design_of, iterations
from dpdescent.privacy.events import Mechanism

ONE_PASS = "one pass"

# Least records of a batch: DP-STAT and the gradient need some each.
LEAST = 20

Goal = tuple[float, float]


def run(spec: Spec) -> Iterator[Row]:
    """Rows of one dimension: the smallest N for every goal, method and trial; none where the grid ends before."""
    design = design_of(spec)
    search = _one_pass if spec["panel"] == ONE_PASS else _statistics
    for trial in range(*spec["trials"]):
        for series, (sigma, target), N in search(spec, design, trial):
            yield {
                "panel": spec["panel"], "d": len(design.lam), "sigma": sigma, "target": target,
                "eps": spec["settings"]["eps"], "delta": spec["settings"]["delta"], "series": series, "trial": trial,
                "value": N, "n_over_d": N / len(design.lam),
            }  # fmt: skip


def sizes(spec: Spec, d: int) -> list[int]:
    """The grid of N: geometric in N/d."""
    first, last, count = spec["arms"]["grid"]
    return [round(d * ratio) for ratio in np.geomspace(first, last, count).tolist()]


def goals(spec: Spec) -> list[Goal]:
    """Pairs of label noise and risk to be reached."""
    return [(float(sigma), float(target)) for sigma, target in spec["cell"]["goals"]]


def _one_pass(spec: Spec, design: Design, trial: int) -> Iterator[tuple[str, Goal, int]]:
    """Upwards, since a DP-STAT that sees noise makes the risk jump: the first N is looked for, not a root.

    The first of many noisy medians lies a little low, by less than a point or two of the grid.
    """
    sigmas = sorted({sigma for sigma, _ in goals(spec)})
    series = [*choices(spec, design, 10**6, 1.0), FIXED]
    open_goals = set(product(series, goals(spec)))
    for N in sizes(spec, len(design.lam)):
        if N // iterations(spec) < LEAST:
            continue
        if not open_goals:
            return
        medians = _median_risks(spec, design, N, sigmas, trial)
        for name, goal in sorted(open_goals):
            if medians[name, goal[0]] <= goal[1]:
                open_goals.remove((name, goal))
                yield name, goal, N


def _median_risks(
    spec: Spec, design: Design, N: int, sigmas: list[float], trial: int
) -> dict[tuple[str, float], float]:
    """Over the draws of a trial, by series and label noise."""
    T, d = iterations(spec), len(design.lam)
    place = f"sample complexity_N={N}_d={d}"
    rngs = {role: trial_stream(spec, place, trial, role) for role in ("data", "noise", "offset")}
    risks, tail = [], spec["settings"]["tail"]
    for _ in range(spec["arms"]["draws"]):
        offset = float(rngs["offset"].random())
        arms: dict[tuple[str, float], dp_ambssgd.SGDArm] = {}
        for label, sigma in enumerate(sigmas):
            found = choices(spec, design, N, sigma, offset=offset)
            arms |= {(series, sigma): choice.arm(label) for series, choice in found.items()}
            arms[FIXED, sigma] = found[AMBSSGD].fixed(public_threshold(spec, design, N, sigma), label)
        batches = (design.draw(N // T, np.array(sigmas), rngs["data"]) for _ in range(T))
        normals = dp_ambssgd.Normals.draw(rngs["noise"], T, d, spec["settings"]["levels"])
        risks.append(design.risk(dp_ambssgd.descend(batches, list(arms.values()), normals, tail).average))
    return dict(zip(arms, np.median(risks, axis=0).tolist(), strict=True))


def _statistics(spec: Spec, design: Design, trial: int) -> Iterator[tuple[str, Goal, int]]:
    """AdaSSP's risk falls with N: by bisection, with generators that start alike for every N."""
    for name, tight in ((baselines.ADA_SSP, False), (baselines.ADA_SSP_TIGHT, True)):
        for goal in goals(spec):

            def median(N: int, sigma: float = goal[0], tight: bool = tight) -> float:
                return float(np.median(_ada_ssp_risks(spec, design, N, sigma, tight, trial)))

            N = _first(sizes(spec, len(design.lam)), median, goal[1])
            if N is not None:
                yield name, goal, N


def _ada_ssp_risks(spec: Spec, design: Design, N: int, sigma: float, tight: bool, trial: int) -> Array:
    place = f"sample complexity_d={len(design.lam)}"
    rngs = {role: trial_stream(spec, place, trial, role) for role in ("Wishart", "AdaSSP")}
    noise = baselines.calibration(spec, design, N, sigma, spec["settings"]["eps"], tight=tight, source="not enforced")
    fits = []
    for _ in range(spec["arms"]["draws"]):
        root = np.diag(np.sqrt(design.lam))
        gram = wishart_gram(design.w_star, N, rngs["Wishart"], root=root, sigma=sigma)
        fits.append(ada_ssp(gram, noise, rngs["AdaSSP"], spec["settings"]["failure"]).theta)
    return design.risk(np.stack(fits))


def _first(grid: list[int], risk: Callable[[int], float], target: float) -> int | None:
    """The first N of the grid at which a falling risk is at most the target."""
    if risk(grid[-1]) > target:
        return None
    low, high = -1, len(grid) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if risk(grid[middle]) <= target else (middle, high)
    return grid[high]


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Ledger entries: the noise that every N of the grid gets has the same ratio to its sensitivity; one N is shown."""
    design, delta = design_of(spec), spec["settings"]["delta"]
    N, sigma, eps = sizes(spec, len(design.lam))[-1], goals(spec)[0][0], spec["settings"]["eps"]
    where = f"{spec['variant']}: {spec['panel']}"
    if spec["panel"] == ONE_PASS:
        for series, choice in choices(spec, design, N, sigma).items():
            yield f"{where}, {series} d={len(design.lam)}", choice.mechanism(series), delta
        fixed = choices(spec, design, N, sigma)[AMBSSGD].fixed_mechanism(public_threshold(spec, design, N, sigma))
        yield f"{where}, {FIXED} d={len(design.lam)}", fixed, delta
    else:
        for name, tight in ((baselines.ADA_SSP, False), (baselines.ADA_SSP_TIGHT, True)):
            noise = baselines.calibration(spec, design, N, sigma, eps, tight=tight, source="not enforced")
            yield f"{where}, {name} d={len(design.lam)}", baselines.ada_ssp_mechanism(noise), delta
