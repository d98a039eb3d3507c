"""Linear regression after T steps at the best learning rate: exact errors of Noisy-FTRL, and DP-FTRL with clipping."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from scipy.optimize import minimize_scalar

from dpdescent.algorithms import dp_ftrl
from dpdescent.checks import as_list
from dpdescent.noise.strategies import toeplitz
from dpdescent.noise.strategies.toeplitz import Toeplitz
from dpdescent.papers.choquettechoo2023.design import Array, Row, Spec, power_law
from dpdescent.papers.choquettechoo2023.runs import streams
from dpdescent.papers.choquettechoo2023.theory import asymptotic_bounds, finite_time
from dpdescent.papers.choquettechoo2023.theory.regression import RegressionProblem
from dpdescent.privacy.events import Mechanism

# Seeds on which learning rate and clip norm are tuned; those of the table are others.
TUNING = range(-4, 0)
DP_SGD, NU = "DP-SGD", "nu-DP-FTRL"
# Of Corollaries D.14 and D.15, without their logarithms and the exponential term: an order, no bound.
MAIN_TERMS = "main terms, constants 1"


def run(spec: Spec) -> Iterator[Row]:
    """Rows of one horizon: of the exact panel, error and bound of each mechanism; of the other, an error a trial."""
    rows = _exact if spec["panel"] == "exact" else _clipped
    for T in as_list(spec["cell"]["T"]):
        for name in streams.arms_of(spec):
            place = {"panel": spec["panel"], "T": T, "d": spec["cell"]["d"], "mechanism": name}
            yield from ({**place, **row} for row in rows(spec, T, name))


def problem_of(spec: Spec, eta: float, clip_norm: float) -> RegressionProblem:
    """The regression problem of the cell at one learning rate and clip norm."""
    cell = spec["cell"]
    return RegressionProblem(
        power_law(cell["d"], cell["alpha"]), eta, spec["settings"]["rho"], clip_norm, cell["sigma_sgd"]
    )  # fmt: skip


def strategy_of(problem: RegressionProblem, name: str) -> Toeplitz:
    """Noise coefficients: independent, or with nu = eta mu (Sec. 2.3).

    Raises:
        ValueError: if there is no mechanism of that name.
    """
    if name not in (DP_SGD, NU):
        raise ValueError(f"mechanism={name!r} is none of {[DP_SGD, NU]}")
    return toeplitz.identity() if name == DP_SGD else toeplitz.nu_family(problem.eta * problem.mu)


def start_of(spec: Spec) -> Array:
    """theta_0 - theta*, equal in all coordinates."""
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
    yield {
        "series": "error at the best rate",
        "trial": 0,
        "value": value,
        "eta": eta,
        "clip_norm": 1.0,
        "clip_fraction": math.nan,
    }
    problem = problem_of(spec, eta, 1.0)
    bound = finite_time.dp_sgd_utility if name == DP_SGD else finite_time.nu_dp_ftrl_utility
    moment = asymptotic_bounds.fourth_moment(problem.lam)
    terms = bound(finite_time.Run(problem, spec["settings"]["start"], T, spec["settings"]["failure"], moment))
    value = terms.distance + terms.privacy + terms.labels
    yield {"series": MAIN_TERMS, "trial": 0, "value": value, "eta": eta, "clip_norm": 1.0, "clip_fraction": math.nan}


def _error(spec: Spec, T: int, name: str, eta: float) -> float:
    """E F(theta_T) - F* with the sensitivity of T steps; infinite where the recursion diverges."""
    problem = problem_of(spec, eta, 1.0)
    strategy = strategy_of(problem, name)
    variance = problem.noise_variance(strategy.sensitivity_squared(T))
    with np.errstate(all="ignore"):
        error = float(finite_time.risks(problem, strategy.coefficients(T), variance, start_of(spec), T)[-1])
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
    """Learning rate and clip norm of the smallest mean error on the tuning seeds."""
    norms: list[float] = as_list(spec["arms"]["clip_norm"])
    errors: dict[tuple[float, float], float] = {}
    for eta in as_list(spec["arms"]["eta"]):
        means = _runs(spec, T, name, eta, norms, TUNING).excess[:, :, 0].mean(axis=1)
        errors |= {(eta, norm): mean for norm, mean in zip(norms, means, strict=True) if np.isfinite(mean)}
    return min(errors, key=lambda pair: errors[pair])


def _runs(spec: Spec, T: int, name: str, eta: float, norms: list[float], trials: range) -> dp_ftrl.Runs:
    """DP-FTRL with every clip norm on the same records and noise."""
    problem = problem_of(spec, eta, 1.0)
    strategy, place = strategy_of(problem, name), f"T={T}"
    sd = problem.noise_variance(strategy.sensitivity_squared(T)) ** 0.5
    normals = streams.common_noise(spec, place, trials, (T, problem.d))
    scales = np.array(norms)
    arms = dp_ftrl.FTRLArms(np.full(len(norms), eta), scales, sd * scales)
    data = streams.generators(spec, place, trials, "data")
    noise = streams.correlated([strategy], normals)
    with np.errstate(all="ignore"):
        return dp_ftrl.regression(
            problem.lam, arms, start_of(spec), T, data, noise, sigma_sgd=problem.sigma_sgd, record=[T]
        )  # fmt: skip


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Ledger entries of the clipped runs, at every clip norm: the tuned one is among them, tuning is on other data."""
    if spec["panel"] == "exact":
        return
    delta, rho = spec["settings"]["dp_delta"], spec["settings"]["rho"]
    for T in as_list(spec["cell"]["T"]):
        for name in streams.arms_of(spec):
            for clip_norm in as_list(spec["arms"]["clip_norm"]):
                # The ratio of sensitivity to noise is the same for every learning rate.
                problem = problem_of(spec, as_list(spec["arms"]["eta"])[0], clip_norm)
                gamma_squared = strategy_of(problem, name).sensitivity_squared(T)
                event = streams.dp_ftrl(
                    name, gamma_squared=gamma_squared, noise_variance=problem.noise_variance(gamma_squared),
                    clip_norm=clip_norm, rho=rho, T=T,
                )  # fmt: skip
                reason = f"{event.reason}; sensitivity and noise are for eta = {problem.eta:g}, their ratio for all"
                yield f"{spec['variant']}: {name} T={T} G={clip_norm:g}", replace(event, reason=reason), delta
