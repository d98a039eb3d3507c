"""Figure 2: linear regression, Noisy-SGD and nu-Noisy-FTRL: exact errors, bounds and simulations."""

import math
from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.algorithms import dp_ftrl
from dpdescent.noise.strategies import toeplitz
from dpdescent.noise.strategies.toeplitz import Toeplitz
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


def algorithms(spec: Spec, problem: RegressionProblem) -> dict[str, tuple[Toeplitz, Array, float]]:
    """By name: noise coefficients, weights of the error, squared sensitivity (limiting, or of the T steps)."""
    nu, T = damping(spec, problem), spec["arms"]["T"]
    chosen = {
        SGD: (toeplitz.identity(), regression.q_identity(problem)),
        FTRL: (toeplitz.nu_family(nu), regression.q_nu(problem, nu)),
    }
    horizon = spec["settings"]["horizon_sensitivity"]
    return {
        name: (strategy, q, strategy.sensitivity_squared(T) if horizon else strategy.sensitivity_squared_limit())
        for name, (strategy, q) in chosen.items()
    }


def _exact(spec: Spec, problem: RegressionProblem) -> Iterator[Row]:
    for name, (_, q, gamma_squared) in algorithms(spec, problem).items():
        value = regression.suboptimality(problem, q, gamma_squared)
        yield {"kind": "exact", "series": name, "value": value, "exact": value, "gamma_squared": gamma_squared}
    value = optimum.best(problem)
    yield {"kind": "exact", "series": "optimum", "value": value, "exact": value}


def _bounds(spec: Spec, problem: RegressionProblem) -> Iterator[Row]:
    """Orders and explicit bounds in the convention of eq. 8; an upper bound is left out where it is not stated."""
    found = algorithms(spec, problem)
    unit, d_eff = problem.eta**2 * problem.clip_norm**2 / problem.rho, effective_dimension(problem.lam)
    values = {
        f"{SGD} order": problem.eta * problem.d * problem.clip_norm**2 / (8.0 * problem.rho),
        f"{FTRL} order": unit * d_eff,
        f"{FTRL} order with log": unit * d_eff * math.log(1.0 / damping(spec, problem)) ** 2,
        "lower bound (C.18)": max(
            asymptotic_bounds.universal_lower_bound(problem), asymptotic_bounds.universal_lower_bound_as_stated(problem)
        ),
        **{
            f"upper bound (C.15), {name}": asymptotic_bounds.upper_bound_by_frequency(problem, q, gamma_squared)
            for name, (_, q, gamma_squared) in found.items()
        },
    }
    for series, value in values.items():
        if not math.isnan(value):
            yield {"kind": "bound", "series": series, "value": value}


def _simulated(spec: Spec, problem: RegressionProblem, cell: Row) -> Iterator[Row]:
    """Means over the last steps of every trial, beside what the exact recursion gives for the same steps."""
    T, tail, found = spec["arms"]["T"], spec["arms"]["tail"], algorithms(spec, problem)
    start, place = np.zeros(problem.d), "_".join(f"{name}={value}" for name, value in cell.items())
    expected = {
        name: finite_time.tail_mean(
            finite_time.risks(problem, strategy.coefficients(T), problem.noise_variance(gamma_squared), start, T), tail
        )
        for name, (strategy, _, gamma_squared) in found.items()
    }
    arms = dp_ftrl.FTRLArms(
        np.full(len(found), problem.eta), np.full(len(found), np.inf),
        np.array([problem.noise_variance(gamma_squared) ** 0.5 for _, _, gamma_squared in found.values()]),
    )  # fmt: skip
    for trials in streams.groups(spec, (T, problem.d)):
        normals = streams.common_noise(spec, place, trials, (T, problem.d))
        noise = streams.correlated([strategy for strategy, _, _ in found.values()], normals)
        data = streams.generators(spec, place, trials, "data")
        runs = dp_ftrl.regression(problem.lam, arms, start, T, data, noise, sigma_sgd=problem.sigma_sgd, tail=tail)
        for a, (name, (_, q, gamma_squared)) in enumerate(found.items()):
            for trial, value in zip(trials, runs.tail_mean[a], strict=True):
                yield {
                    "kind": "simulated", "series": name, "trial": trial, "value": float(value),
                    "expected": expected[name], "exact": regression.suboptimality(problem, q, gamma_squared),
                    "gamma_squared": gamma_squared,
                }  # fmt: skip


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Ledger entries: none of the two clips, so none is private."""
    if spec["arms"]["simulate"]:
        for cell, _ in problems(spec):
            place = (
                f"{spec['variant']}: panel {spec['panel']}, d={cell['d']} alpha={cell['alpha']:g} eta={cell['eta']:g}"
            )
            for name in (SGD, FTRL):
                yield f"{place}: {name}", streams.without_clipping(name), spec["settings"]["dp_delta"]
