"""Figure 3: the bound of Theorem 3.1 on F_inf against the condition number; formulas only, nothing is released."""

import itertools
from collections.abc import Iterator

from dpdescent.checks import as_list
from dpdescent.papers.choquettechoo2023.design import Row, Spec
from dpdescent.papers.choquettechoo2023.theory import strongly_convex
from dpdescent.papers.choquettechoo2023.theory.multipliers import Descent
from dpdescent.papers.choquettechoo2023.theory.strongly_convex import Bound, Noise, StronglyConvexProblem


def run(spec: Spec) -> Iterator[Row]:
    """Rows of one learning rate: the bound of each noise, by condition number and largest lag of the multiplier."""
    cell = spec["cell"]
    places = itertools.product(as_list(cell["eta"]), as_list(cell["kappa"]), as_list(spec["arms"]["T_max"]))
    for eta, kappa, T_max in places:
        for series, found in bounds(spec | {"cell": cell | {"eta": eta}}, kappa, T_max).items():
            yield {
                "eta": eta, "kappa": kappa, "multiplier": f"T_max {T_max}" if T_max else "static",
                "series": series, "trial": 0, "value": found.value, "iterations": found.iterations,
            }  # fmt: skip


def bounds(spec: Spec, kappa: float, T_max: int) -> dict[str, Bound]:
    """Returns the bound of each noise at one condition number."""
    settings, sign = spec["settings"], spec["settings"]["sign"]
    problem = problem_of(spec, kappa)
    width = problem.descent.eta * problem.descent.mu
    grid = strongly_convex.frequency_grid(settings["grid"], settings["points"], width)
    noises = {"DP-SGD": Noise.independent(grid), "nu-DP-FTRL": strongly_convex.nu_noise(problem, grid)}
    found = {
        series: strongly_convex.bound(problem, grid, noise, T_max=T_max, sign=sign) for series, noise in noises.items()
    }
    return found | {"Optimized": strongly_convex.optimised(problem, grid, T_max=T_max, sign=sign)}


def problem_of(spec: Spec, kappa: float) -> StronglyConvexProblem:
    """Returns the strongly convex problem at one condition number."""
    given = spec["settings"] | spec["cell"]
    descent = Descent(eta=given["eta"], mu=given["L"] / kappa, L=given["L"])
    return StronglyConvexProblem(descent, given["rho"], given["clip_norm"], given["d"], given["sigma_sgd"])
