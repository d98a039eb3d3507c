"""Figure 2: linear regression, Noisy-SGD and nu-Noisy-FTRL: exact errors, bounds and simulations."""

import math
from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.noise.strategies import toeplitz
from dpdescent.papers.choquettechoo2023.arms import StreamArm
from dpdescent.papers.choquettechoo2023.design import Array, Row, Spec, effective_dimension, problems
from dpdescent.papers.choquettechoo2023.runs import streams
from dpdescent.papers.choquettechoo2023.theory import asymptotic_bounds, finite_time, optimum, regression
from dpdescent.papers.choquettechoo2023.theory.regression import RegressionProblem
from dpdescent.privacy.events import Mechanism

SGD, FTRL = "Noisy-SGD", "nu-Noisy-FTRL"


def run(spec: Spec) -> Iterator[Row]:
    """Rows of one point: the exact error and the bounds once, a simulated one for each trial."""
    for cell, problem in problems(spec):
        place = {"panel": spec["panel"], **cell, "d_eff": effective_dimension(problem.lam)}
        nu = damping(spec, problem)
        if spec["trials"][0] == 0:
            yield from (
                {**place, "expected": math.nan, **row, "trial": 0, "nu": nu}
                for row in (*_exact(spec, problem), *_bounds(spec, problem))
            )
        if spec["arms"]["simulate"]:
            yield from ({**place, **row, "nu": nu} for row in _simulated(spec, problem, cell))


def damping(spec: Spec, problem: RegressionProblem) -> float:
    """nu: a multiple of eta mu, or fixed."""
    settings = spec["settings"]
    fixed = settings["fixed_nu"]
    return float(settings["nu_over_eta_mu"] * problem.eta * problem.mu if fixed is None else fixed)


def arms_of(spec: Spec, problem: RegressionProblem) -> dict[str, StreamArm]:
    """Returns the two algorithms by name; both only scale their noise by G and clip nothing."""
    limiting = not spec["settings"]["horizon_sensitivity"]
    strategies = {SGD: toeplitz.identity(), FTRL: toeplitz.nu_family(damping(spec, problem))}
    return {
        name: StreamArm(
            name, strategy, problem.eta, spec["arms"]["T"], problem.rho, problem.clip_norm, limiting, clipped=False
        )
        for name, strategy in strategies.items()
    }  # fmt: skip


def _weights(spec: Spec, problem: RegressionProblem) -> dict[str, Array]:
    """Returns the weights of each algorithm's error, shape (d,)."""
    return {SGD: regression.q_identity(problem), FTRL: regression.q_nu(problem, damping(spec, problem))}


def _limits(spec: Spec, problem: RegressionProblem) -> dict[str, float]:
    """Returns each algorithm's exact limit of the error."""
    arms, weights = arms_of(spec, problem), _weights(spec, problem)
    return {name: regression.suboptimality(problem, weights[name], arms[name].gamma_squared) for name in arms}


def _exact(spec: Spec, problem: RegressionProblem) -> Iterator[Row]:
    arms = arms_of(spec, problem)
    for name, value in _limits(spec, problem).items():
        gamma_squared = arms[name].gamma_squared
        yield {"kind": "exact", "series": name, "value": value, "exact": value, "gamma_squared": gamma_squared}
    value = optimum.best(problem)
    yield {"kind": "exact", "series": "optimum", "value": value, "exact": value}


def _bounds(spec: Spec, problem: RegressionProblem) -> Iterator[Row]:
    """Orders and explicit bounds in the convention of eq. 8; an upper bound is left out where it is not stated."""
    arms, weights = arms_of(spec, problem), _weights(spec, problem)
    unit, d_eff = problem.eta**2 * problem.clip_norm**2 / problem.rho, effective_dimension(problem.lam)
    values = {
        f"{SGD} order": problem.eta * problem.d * problem.clip_norm**2 / (8.0 * problem.rho),
        f"{FTRL} order": unit * d_eff,
        f"{FTRL} order with log": unit * d_eff * math.log(1.0 / damping(spec, problem)) ** 2,
        "lower bound (C.18)": max(
            asymptotic_bounds.universal_lower_bound(problem), asymptotic_bounds.universal_lower_bound_as_stated(problem)
        ),
        **{
            f"upper bound (C.15), {name}": asymptotic_bounds.upper_bound_by_frequency(
                problem, weights[name], arms[name].gamma_squared
            )
            for name in arms
        },
    }
    for series, value in values.items():
        if not math.isnan(value):
            yield {"kind": "bound", "series": series, "value": value}


def _simulated(spec: Spec, problem: RegressionProblem, cell: Row) -> Iterator[Row]:
    """Means over the last steps of every trial, beside what the exact recursion gives for the same steps."""
    arms, limits, tail = arms_of(spec, problem), _limits(spec, problem), spec["arms"]["tail"]
    start, place = np.zeros(problem.d), "_".join(f"{name}={value}" for name, value in cell.items())
    expected = {name: _expected(problem, arm, start, tail) for name, arm in arms.items()}
    for trials in streams.groups(spec, (spec["arms"]["T"], problem.d)):
        runs = streams.regression(spec, problem, list(arms.values()), place, trials, start, tail=tail)
        for a, (name, arm) in enumerate(arms.items()):
            for trial, value in zip(trials, runs.tail_mean[a], strict=True):
                yield {
                    "kind": "simulated", "series": name, "trial": trial, "value": float(value),
                    "expected": expected[name], "exact": limits[name], "gamma_squared": arm.gamma_squared,
                }  # fmt: skip


def _expected(problem: RegressionProblem, arm: StreamArm, start: Array, tail: int) -> float:
    risks = finite_time.risks(problem, arm.strategy.coefficients(arm.T), arm.noise_variance, start, arm.T)
    return finite_time.tail_mean(risks, tail)


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields ledger entries: none of the two clips, so none is private."""
    if spec["arms"]["simulate"]:
        for cell, problem in problems(spec):
            place = (
                f"{spec['variant']}: panel {spec['panel']}, d={cell['d']} alpha={cell['alpha']:g} eta={cell['eta']:g}"
            )
            for name, arm in arms_of(spec, problem).items():
                yield f"{place}: {name}", arm.mechanism(), spec["settings"]["dp_delta"]
