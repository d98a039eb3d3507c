"""How large gradients and iterates get without clipping (choquettechoo2023 Sec. 2.3 (a), Theorems D.4 and D.13)."""

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from dpdescent.checks import as_list
from dpdescent.noise.strategies import toeplitz
from dpdescent.papers.choquettechoo2023 import arms
from dpdescent.papers.choquettechoo2023.arms import DP_SGD, NU, StreamArm, names
from dpdescent.papers.choquettechoo2023.design import Array, Row, Spec, power_law
from dpdescent.papers.choquettechoo2023.runs import gradients, streams
from dpdescent.papers.choquettechoo2023.theory import asymptotic_bounds, finite_time, regression
from dpdescent.papers.choquettechoo2023.theory.finite_time import Run
from dpdescent.papers.choquettechoo2023.theory.regression import RegressionProblem
from dpdescent.privacy.events import Mechanism

# Which theorem's learning rate is taken, at its constants 1, and with it the clip norm that the noise is scaled to.
ITERATES, NO_CLIPPING = "rate of D.4", "rate of D.13"
AXES = ("d", "sigma_sgd", "start", "T")


@dataclass(frozen=True, eq=False)
class Case:
    """A run without clipping, as the theorems of App. D have it.

    Attributes:
        name: its mechanism.
        rule: whose learning rate it has.
        run: the problem with that rate and the clip norm, and how long.
        arm: the noise.
    """

    name: str
    rule: str
    run: Run
    arm: StreamArm

    @property
    def beta_norm(self) -> float:
        """The norm |beta|_1 of the noise coefficients: exact for DP-SGD, else its upper bound 2."""
        return 1.0 if self.name == DP_SGD else 2.0

    @property
    def forms(self) -> dict[str, float]:
        """The bounds of Theorem D.4 on the iterate and on the gradient, and (9) with log^(5/2), constants 1."""
        nu, problem = self.run.problem.eta * self.run.problem.mu, self.run.problem
        given = {"sigma_squared": self.arm.noise_variance, "beta_norm": self.beta_norm, "nu": nu}
        summary = finite_time.required_clip_norm_of_summary(self.run, self.run.log**2.5)
        return {
            "iterate_form": math.sqrt(finite_time.iterate_bound(self.run, **given)),
            "gradient_form": math.sqrt(finite_time.gradient_bound(self.run, **given)),
            "summary": summary, "eta": problem.eta, "clip_norm": problem.clip_norm,
        }  # fmt: skip


def cases(spec: Spec, place: Row) -> Iterator[Case]:
    """Yields the runs of one point of the grid: both mechanisms, at both learning rates."""
    failure, rho, T = spec["settings"]["failure"], spec["settings"]["rho"], place["T"]
    lam = power_law(place["d"], spec["cell"]["alpha"])
    moment = asymptotic_bounds.fourth_moment(lam)
    for name, rule in itertools.product(names(spec), as_list(spec["arms"]["rule"])):
        problem = RegressionProblem(lam, 1.0 / (moment * math.log(T / failure)), rho, 1.0, place["sigma_sgd"])
        run = Run(problem, place["start"], T, failure, moment)
        if rule == NO_CLIPPING:
            sensitivity = (lambda nu: 1.0) if name == DP_SGD else regression.gamma_squared_nu
            rate = finite_time.admissible_rate(run, sensitivity, 1.0 if name == DP_SGD else 2.0)
            run = replace(run, problem=replace(problem, eta=rate))
        norm = (
            finite_time.required_clip_norm(run)
            if rule == NO_CLIPPING
            else finite_time.required_clip_norm_of_summary(run)
        )
        problem = replace(run.problem, clip_norm=norm)
        strategy = toeplitz.identity() if name == DP_SGD else toeplitz.nu_family(problem.eta * problem.mu)
        arm = StreamArm(name, strategy, problem.eta, T, rho, norm, limiting=True, clipped=False)
        yield Case(name, rule, replace(run, problem=problem), arm)


def places(spec: Spec) -> Iterator[Row]:
    """Yields the points of a panel's grid."""
    cell = spec["cell"]
    for values in itertools.product(*(as_list(cell[axis]) for axis in AXES)):
        yield dict(zip(AXES, values, strict=True))


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one panel: every trial's largest gradient and iterate, and whether the clip norm would clip.

    Raises:
        ValueError: if there is no mechanism of a name.
    """
    if unknown := set(names(spec)) - {DP_SGD, NU}:
        raise ValueError(f"mechanism={sorted(unknown)[0]!r} is none of {[DP_SGD, NU]}")
    for place in places(spec):
        found = list(cases(spec, place))
        for trials in streams.groups(spec, (place["T"], place["d"] * len(found))):
            yield from _rows(spec, place, found, trials)


def _rows(spec: Spec, place: Row, found: list[Case], trials: range) -> Iterator[Row]:
    T, d = place["T"], place["d"]
    name = "_".join(f"{axis}={value:g}" for axis, value in place.items())
    inputs, labels = _records(spec, name, trials, found[0].run.problem, T)
    compared = [case.arm for case in found]
    noise = arms.noise(compared, streams.common_noise(spec, name, trials, (T, d)))
    start = np.full(d, place["start"] / math.sqrt(d))
    gradient, distance = gradients.largest(arms.columns(compared), inputs, labels, noise, start)
    for case, largest, farthest in zip(found, gradient, distance, strict=True):
        kept = {"panel": spec["panel"], **place, "mechanism": case.name, "rule": case.rule, **case.forms}
        for trial, g, theta in zip(trials, largest, farthest, strict=True):
            values = {"largest gradient": g, "largest distance": theta, "clipped": g > case.arm.clip_norm}
            yield from ({**kept, "trial": trial, "series": each, "value": float(values[each])} for each in values)


def _records(spec: Spec, name: str, trials: range, problem: RegressionProblem, T: int) -> tuple[Array, Array]:
    """Returns the inputs, shape (T, trials, d), and the labels' noise, shape (T, trials)."""
    inputs, labels = np.empty((T, len(trials), problem.d)), np.empty((T, len(trials)))
    for i, rng in enumerate(streams.generators(spec, name, trials, "data")):
        inputs[:, i] = rng.standard_normal((T, problem.d)) * np.sqrt(problem.lam)
        labels[:, i] = problem.sigma_sgd * rng.standard_normal(T)
    return inputs, labels


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields ledger entries: nothing is clipped, so that none is private."""
    for place in places(spec):
        where = " ".join(f"{axis}={value:g}" for axis, value in place.items())
        for case in cases(spec, place):
            name = f"{spec['variant']}: {spec['panel']}, {where}: {case.name}, {case.rule}"
            yield name, case.arm.mechanism(), spec["settings"]["dp_delta"]
