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
    """Yields rows of one point: the exact error and the bounds once, a simulated one for each trial."""
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
    """Returns nu, which is a multiple of eta mu, or fixed."""
    settings = spec["settings"]
    fixed = settings["fixed_nu"]
    return float(settings["nu_over_eta_mu"] * problem.eta * problem.mu if fixed is None else fixed)


def algorithms(spec: Spec, problem: RegressionProblem) -> dict[str, tuple[StreamArm, Array]]:
    """Returns each algorithm's arm, which scales its noise by G but clips nothing, and its error's weights, by name."""
    nu, T, limiting = damping(spec, problem), spec["arms"]["T"], not spec["settings"]["horizon_sensitivity"]
    chosen = {
        SGD: (toeplitz.identity(), regression.q_identity(problem)),
        FTRL: (toeplitz.nu_family(nu), regression.q_nu(problem, nu)),
    }
    return {
        name: (StreamArm(name, strategy, problem.eta, T, problem.rho, problem.clip_norm, limiting, clipped=False), q)
        for name, (strategy, q) in chosen.items()
    }


def _exact(spec: Spec, problem: RegressionProblem) -> Iterator[Row]:
    for name, (arm, q) in algorithms(spec, problem).items():
        value = regression.suboptimality(problem, q, arm.gamma_squared)
        yield {"kind": "exact", "series": name, "value": value, "exact": value, "gamma_squared": arm.gamma_squared}
    value = optimum.best(problem)
    yield {"kind": "exact", "series": "optimum", "value": value, "exact": value}


def _bounds(spec: Spec, problem: RegressionProblem) -> Iterator[Row]:
    """Yields orders and bounds in the convention of eq. 8; an upper bound is left out where it is not stated."""
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
            f"upper bound (C.15), {name}": asymptotic_bounds.upper_bound_by_frequency(problem, q, arm.gamma_squared)
            for name, (arm, q) in found.items()
        },
    }
    for series, value in values.items():
        if not math.isnan(value):
            yield {"kind": "bound", "series": series, "value": value}


def _simulated(spec: Spec, problem: RegressionProblem, cell: Row) -> Iterator[Row]:
    """Yields every trial's mean over the last steps, beside the exact recursion's mean over the same steps."""
    T, tail, found = spec["arms"]["T"], spec["arms"]["tail"], algorithms(spec, problem)
    start, place = np.zeros(problem.d), "_".join(f"{name}={value}" for name, value in cell.items())
    arms = [arm for arm, _ in found.values()]
    expected = [
        finite_time.tail_mean(
            finite_time.risks(problem, arm.strategy.coefficients(T), arm.noise_variance, start, T), tail
        )
        for arm in arms
    ]
    for trials in streams.groups(spec, (T, problem.d)):
        runs = streams.regression(spec, problem, arms, place, trials, start, tail=tail)
        for a, (name, (arm, q)) in enumerate(found.items()):
            for trial, value in zip(trials, runs.tail_mean[a], strict=True):
                yield {
                    "kind": "simulated", "series": name, "trial": trial, "value": float(value),
                    "expected": expected[a], "exact": regression.suboptimality(problem, q, arm.gamma_squared),
                    "gamma_squared": arm.gamma_squared,
                }  # fmt: skip


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields ledger entries: none of the two clips, so none is private."""
    if spec["arms"]["simulate"]:
        for cell, problem in problems(spec):
            place = (
                f"{spec['variant']}: panel {spec['panel']}, d={cell['d']} alpha={cell['alpha']:g} eta={cell['eta']:g}"
            )
            for name, (arm, _) in algorithms(spec, problem).items():
                yield f"{place}: {name}", arm.mechanism(), spec["settings"]["dp_delta"]
