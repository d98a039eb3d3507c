"""Linear regression after T steps at the best learning rate: exact errors of Noisy-FTRL, and DP-FTRL with clipping."""

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from scipy.optimize import minimize_scalar

from dpdescent.algorithms import dp_ftrl
from dpdescent.checks import as_list
from dpdescent.noise.strategies import toeplitz
from dpdescent.papers.choquettechoo2023.arms import DP_SGD, NU, StreamArm, names
from dpdescent.papers.choquettechoo2023.design import Array, Row, Spec, power_law
from dpdescent.papers.choquettechoo2023.runs import streams
from dpdescent.papers.choquettechoo2023.theory import asymptotic_bounds, finite_time
from dpdescent.papers.choquettechoo2023.theory.regression import RegressionProblem
from dpdescent.privacy.events import Mechanism

# Seeds on which learning rate and clip norm are tuned; those of the table are others.
TUNING = range(-4, 0)
STAND_IN = (
    "every clip norm is listed, at the first learning rate, for the pair of both that is tuned on other seeds and is "
    "known only once it has run"
)
# The terms of Corollaries D.14 and D.15 without logarithms and the exponential term: an order and not a bound.
MAIN_TERMS = "main terms, constants 1"


def run(spec: Spec) -> Iterator[Row]:
    """Rows of one horizon: of the exact panel, error and bound of each mechanism; of the other, an error a trial."""
    rows = _exact if spec["panel"] == "exact" else _clipped
    for T in as_list(spec["cell"]["T"]):
        for name in names(spec):
            place = {"panel": spec["panel"], "T": T, "d": spec["cell"]["d"], "mechanism": name}
            yield from ({**place, **row} for row in rows(spec, T, name))


def problem_of(spec: Spec, eta: float) -> RegressionProblem:
    """Returns the regression problem of the cell at one learning rate and clip norm 1."""
    cell = spec["cell"]
    return RegressionProblem(
        power_law(cell["d"], cell["alpha"]), eta, spec["settings"]["rho"], sigma_sgd=cell["sigma_sgd"]
    )  # fmt: skip


def arm_of(spec: Spec, T: int, name: str, eta: float, clip_norm: float = 1.0) -> StreamArm:
    """Returns DP-FTRL with independent noise, or with nu = eta mu (choquettechoo2023 Sec. 2.3).

    Raises:
        ValueError: if there is no mechanism of that name.
    """
    if name not in (DP_SGD, NU):
        raise ValueError(f"mechanism={name!r} is none of {[DP_SGD, NU]}")
    problem = problem_of(spec, eta)
    strategy = toeplitz.identity() if name == DP_SGD else toeplitz.nu_family(eta * problem.mu)
    return StreamArm(name, strategy, eta, T, problem.rho, clip_norm)


def start_of(spec: Spec) -> Array:
    """Returns theta_0 - theta*, equal in all coordinates."""
    d = spec["cell"]["d"]
    return np.full(d, spec["settings"]["start"] / d**0.5)


def _exact(spec: Spec, T: int, name: str) -> Iterator[Row]:
    if spec["trials"][0] > 0:
        return
    grid = sorted(as_list(spec["arms"]["eta"]))
    errors = [_error(spec, T, name, eta) for eta in grid]
    best = int(np.argmin(errors))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    found = minimize_scalar(
        lambda log_eta: _error(spec, T, name, float(np.exp(log_eta))), bounds=(np.log(low), np.log(high)),
        method="bounded", options={"xatol": 1e-4},
    )  # fmt: skip
    eta, value = min([(float(np.exp(found.x)), float(found.fun)), (grid[best], errors[best])], key=lambda pair: pair[1])
    rest = {"eta": eta, "clip_norm": 1.0, "clip_fraction": math.nan}
    yield {"series": "error at the best rate", "trial": 0, "value": value, **rest}
    problem = problem_of(spec, eta)
    bound = finite_time.dp_sgd_utility if name == DP_SGD else finite_time.nu_dp_ftrl_utility
    moment = asymptotic_bounds.fourth_moment(problem.lam)
    terms = bound(finite_time.Run(problem, spec["settings"]["start"], T, spec["settings"]["failure"], moment))
    value = terms.distance + terms.privacy + terms.labels
    yield {"series": MAIN_TERMS, "trial": 0, "value": value, **rest}


def _error(spec: Spec, T: int, name: str, eta: float) -> float:
    """Returns E F(theta_T) - F* with the sensitivity of T steps; infinite where the recursion diverges."""
    problem, arm = problem_of(spec, eta), arm_of(spec, T, name, eta)
    beta, variance = arm.strategy.coefficients(T), arm.noise_variance
    with np.errstate(all="ignore"):
        error = float(finite_time.risks(problem, beta, variance, start_of(spec), T)[-1])
    return error if np.isfinite(error) else float("inf")


def _clipped(spec: Spec, T: int, name: str) -> Iterator[Row]:
    eta, clip_norm = tuned(spec, T, name)
    for trials in streams.groups(spec, (T, spec["cell"]["d"])):
        runs = _runs(spec, T, name, eta, [clip_norm], trials)
        for s, trial in enumerate(trials):
            yield {
                "series": "error at the tuned rate", "trial": trial, "value": float(runs.excess[0, s, 0]),
                "eta": eta, "clip_norm": clip_norm, "clip_fraction": float(runs.clipped[0, s]),
            }  # fmt: skip


def tuned(spec: Spec, T: int, name: str) -> tuple[float, float]:
    """Returns learning rate and clip norm of the smallest mean error on the tuning seeds."""
    norms: list[float] = as_list(spec["arms"]["clip_norm"])
    errors: dict[tuple[float, float], float] = {}
    for eta in as_list(spec["arms"]["eta"]):
        means = _runs(spec, T, name, eta, norms, TUNING).excess[:, :, 0].mean(axis=1)
        errors |= {(eta, norm): mean for norm, mean in zip(norms, means, strict=True) if np.isfinite(mean)}
    return min(errors, key=lambda pair: errors[pair])


def _runs(spec: Spec, T: int, name: str, eta: float, norms: list[float], trials: range) -> dp_ftrl.Runs:
    """Runs DP-FTRL with every clip norm on the same records and noise."""
    compared = [arm_of(spec, T, name, eta, norm) for norm in norms]
    with np.errstate(all="ignore"):
        return streams.regression(
            spec, problem_of(spec, eta), compared, f"T={T}", trials, start_of(spec), record=[T]
        )  # fmt: skip


def arms(spec: Spec) -> Iterator[tuple[str, StreamArm]]:
    """Yields the ledger's clipped runs by name: every clip norm at the first learning rate."""
    if spec["panel"] == "exact":
        return
    eta = as_list(spec["arms"]["eta"])[0]
    for T, name, norm in itertools.product(
        as_list(spec["cell"]["T"]), names(spec), as_list(spec["arms"]["clip_norm"])
    ):  # fmt: skip
        yield f"{spec['variant']}: {name} T={T} G={norm:g}", arm_of(spec, T, name, eta, norm)


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields ledger entries of the clipped runs, at every clip norm: the tuned one is among them."""
    for name, arm in arms(spec):
        # The ratio of sensitivity to noise is the same for every learning rate.
        event = arm.mechanism()
        reason = f"{event.reason}; sensitivity and noise are for eta = {arm.eta:g}, their ratio for all"
        yield name, replace(event, reason=reason, stand_in=STAND_IN), spec["settings"]["dp_delta"]
