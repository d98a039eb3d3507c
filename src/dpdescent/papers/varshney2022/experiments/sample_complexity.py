"""Smallest N on a grid at which the median risk reaches a target, against the dimension."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from dpdescent.algorithms import dp_ambssgd
from dpdescent.papers.varshney2022 import arms
from dpdescent.papers.varshney2022.arms import Arm, Choice
from dpdescent.papers.varshney2022.design import Design, Row, Spec, design_of, iterations, trial_stream
from dpdescent.papers.varshney2022.runs import baselines
from dpdescent.papers.varshney2022.runs.mini_batches import descend
from dpdescent.privacy.events import Mechanism

ONE_PASS = "one pass"

# Least number of records of a batch, because DP-STAT and the gradient need some each.
LEAST = 20

STAND_IN = (
    "the largest N of the grid and the first sigma stand for all of them: sensitivity and noise differ, not their ratio"
)

Goal = tuple[float, float]


def run(spec: Spec) -> Iterator[Row]:
    """Yields the smallest N for each goal, method and trial of one dimension; none where the grid ends before."""
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
    """Returns the grid of N, geometric in N/d."""
    first, last, count = spec["arms"]["grid"]
    return [round(d * ratio) for ratio in np.geomspace(first, last, count).tolist()]


def goals(spec: Spec) -> list[Goal]:
    """Returns pairs of label noise and risk to be reached."""
    return [(float(sigma), float(target)) for sigma, target in spec["cell"]["goals"]]


def series_of(spec: Spec) -> tuple[str, ...]:
    """Returns the series of a panel."""
    if spec["panel"] == ONE_PASS:
        return arms.AMBSSGD, arms.QUANTILE.format(spec["settings"]["quantile"]), arms.FIXED
    return arms.ADA_SSP, arms.ADA_SSP_TIGHT


def arms_of(
    spec: Spec, design: Design, N: int, sigma: float, *, label: int = 0, offset: float = 0.0
) -> dict[str, Arm[Any]]:  # fmt: skip
    """Returns the arms of a panel at one N and label noise by series; AdaSSP gets sums, so that nothing is clipped."""
    at = Choice.ours(spec, design, N, sigma, spec["settings"]["eps"], iterations(spec), offset=offset)
    return arms.arms_of(series_of(spec), at, label, "not enforced")


def _one_pass(spec: Spec, design: Design, trial: int) -> Iterator[tuple[str, Goal, int]]:
    """Yields the first N that reaches each goal, by a scan upwards.

    A bisection would fail, because the risk jumps where DP-STAT sees noise. The first of many noisy medians lies a
    little low, by less than a point or two of the grid.
    """
    sigmas = sorted({sigma for sigma, _ in goals(spec)})
    open_goals = set(product(series_of(spec), goals(spec)))
    for N in sizes(spec, len(design.lam)):
        if N // iterations(spec) < LEAST:
            continue
        if not open_goals:
            return
        for name, goal in sorted(_reached(spec, design, N, sigmas, trial, open_goals)):
            open_goals.remove((name, goal))
            yield name, goal, N


def _reached(
    spec: Spec, design: Design, N: int, sigmas: list[float], trial: int, open_goals: set[tuple[str, Goal]]
) -> set[tuple[str, Goal]]:
    """Returns the open goals that the median risk over the draws of a trial reaches."""
    risks: dict[tuple[str, float], list[float]] = {}
    for drawn in _risks(spec, design, N, sigmas, trial, {(name, sigma) for name, (sigma, _) in open_goals}):
        for run, risk in drawn.items():
            risks.setdefault(run, []).append(risk)
        if all(_missed(risks[name, goal[0]], goal[1], spec["arms"]["draws"]) for name, goal in open_goals):
            return set()
    return {(name, goal) for name, goal in open_goals if np.median(risks[name, goal[0]]) <= goal[1]}


def _missed(risks: list[float], target: float, draws: int) -> bool:
    """Whether more than half of all draws have missed a target already, so that their median will."""
    return 2 * sum(not risk <= target for risk in risks) > draws


def _risks(
    spec: Spec, design: Design, N: int, sigmas: list[float], trial: int, asked: set[tuple[str, float]]
) -> Iterator[dict[tuple[str, float], float]]:
    """Yields the risks of every draw of a trial by the series and label noise that are asked for."""
    T, d = iterations(spec), len(design.lam)
    place = f"sample complexity_N={N}_d={d}"
    rngs = {role: trial_stream(spec, place, trial, role) for role in ("data", "noise", "offset")}
    tail = spec["settings"]["tail"]
    for _ in range(spec["arms"]["draws"]):
        offset = float(rngs["offset"].random())
        runs: dict[tuple[str, float], Arm[dp_ambssgd.SGDArm]] = {}
        for label, sigma in enumerate(sigmas):
            found = arms_of(spec, design, N, sigma, label=label, offset=offset)
            runs |= {(series, sigma): arm for series, arm in found.items() if (series, sigma) in asked}
        batches = (design.draw(N // T, np.array(sigmas), rngs["data"]) for _ in range(T))
        normals = dp_ambssgd.Normals.draw(rngs["noise"], T, d, spec["settings"]["levels"])
        outcomes = descend(runs, batches, normals, tail).values()
        yield dict(zip(runs, design.risk(np.stack([outcome.average for outcome in outcomes])).tolist(), strict=True))


def _statistics(spec: Spec, design: Design, trial: int) -> Iterator[tuple[str, Goal, int]]:
    """Yields the smallest N for each goal by bisection, because AdaSSP's risk falls with N.

    Generators start alike for every N."""
    for name in series_of(spec):
        for goal in goals(spec):

            def reaches(N: int, goal: Goal = goal, name: str = name) -> bool:
                risks: list[float] = []
                for risk in _ada_ssp_risks(spec, design, N, goal[0], name, trial):
                    risks.append(risk)
                    if _missed(risks, goal[1], spec["arms"]["draws"]):
                        return False
                return bool(np.median(risks) <= goal[1])

            N = _first(sizes(spec, len(design.lam)), reaches)
            if N is not None:
                yield name, goal, N


def _ada_ssp_risks(
    spec: Spec, design: Design, N: int, sigma: float, name: str, trial: int
) -> Iterator[float]:  # fmt: skip
    """Yields the risk of AdaSSP on every draw of a trial."""
    place = f"sample complexity_d={len(design.lam)}"
    rngs = {role: trial_stream(spec, place, trial, role) for role in ("Wishart", "AdaSSP")}
    arm = arms_of(spec, design, N, sigma)[name]
    for _ in range(spec["arms"]["draws"]):
        gram = baselines.wishart_gram(design, N, sigma, rngs["Wishart"])
        yield float(design.risk(baselines.ada_ssp_on_sums(arm, gram, spec["settings"]["failure"], rngs["AdaSSP"])))


def _first(grid: list[int], reaches: Callable[[int], bool]) -> int | None:
    """Returns the first N of the grid at which a falling risk reaches its target; None where there is none."""
    if not reaches(grid[-1]):
        return None
    low, high = -1, len(grid) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(grid[middle]) else (middle, high)
    return grid[high]


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of one dimension, at one N for all."""
    design = design_of(spec)
    N, sigma = sizes(spec, len(design.lam))[-1], goals(spec)[0][0]
    for series, arm in arms_of(spec, design, N, sigma).items():
        name = f"{spec['variant']}: {spec['panel']}, {series} d={len(design.lam)}"
        yield name, replace(arm.mechanism, stand_in=STAND_IN), spec["settings"]["delta"]
