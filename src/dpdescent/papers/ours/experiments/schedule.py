"""DP-GD whose budget is scheduled over its steps, beside equal parts and correlated noise."""

from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.data.linear import LinearSample
from dpdescent.noise import schedule
from dpdescent.papers.ours import noise_over_time as layout
from dpdescent.papers.ours.design import Array, Row, Spec, linear_sample, spectrum, trial_stream
from dpdescent.papers.ours.noise_over_time import Arm
from dpdescent.papers.ours.runs.descent import Law, side_by_side
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Yields ||theta_T - theta_hat||^2 of every arm and number of steps, the mean that the unclipped law predicts, and
    the share of clipped gradients.
    """
    cell = spec["cell"]
    n, p, kappa = cell["n"], cell["p"], cell["kappa"]
    for trial in range(*spec["trials"]):
        sample = linear_sample(spec, n, p, kappa, trial)
        theta_hat = linear_least_squares(sample.gram)
        normals = trial_stream(spec, p, n, trial, "noise").standard_normal((max(_steps(spec)), p))
        for T in _steps(spec):
            for group in _groups(arms(spec, T)):
                yield from _side_by_side(spec, sample, theta_hat, group, normals[:T], trial)


def _steps(spec: Spec) -> list[int]:
    """The numbers of steps of a cell: one of its own, or those of the experiment."""
    own = spec["cell"].get("T")
    return [own] if own else list(spec["arms"]["T"])


def _groups(found: list[Arm]) -> Iterable[list[Arm]]:
    """Arms that go through one descent; one that diverges is alone, because it would slow down the others."""
    return [each for each in found if each.name != layout.PURE], [each for each in found if each.name == layout.PURE]


def arms(spec: Spec, T: int) -> list[Arm]:
    """Returns the arms of T steps. Schedules know the covariates' spectrum, but for one that takes it for isotropic."""
    cell, given = spec["cell"], spec["arms"]
    eta, floor = spec["settings"]["eta"], spec["settings"]["floor"]
    weights = schedule.weights_in_last(eta, spectrum(cell["p"], cell["kappa"]), T)
    blind = schedule.weights_in_last(eta, np.ones(1), T)
    found = [layout.uniform(T), layout.scheduled(layout.SCHEDULE, weights, floor)]
    if cell["kappa"] > 1:
        found.append(layout.scheduled(layout.BLIND, blind, floor))
    if given.get("floorless"):
        found.append(layout.scheduled(layout.PURE, weights, 0.0))
    return found + [layout.correlated(family, value, T) for family in ("lambda", "nu") for value in given[family]]


def _side_by_side(
    spec: Spec, sample: LinearSample, theta_hat: Array, group: list[Arm], normals: Array, trial: int
) -> Iterator[Row]:
    """Yields the rows of some arms of equally many steps on one data set, with the same normals, shape (T, p)."""
    if not group:
        return
    cell, eta, gamma = spec["cell"], spec["settings"]["eta"], threshold(spec)
    T, rho = group[0].steps, cell["rho"]
    descent = side_by_side(sample, group, [rho] * len(group), eta, gamma, normals)
    law = Law.of(sample, theta_hat, eta, T)
    for k, arm in enumerate(group):
        yield {
            "panel": spec["panel"], "n": sample.n, "p": sample.p, "kappa": cell["kappa"], "T": T, "series": arm.name,
            "trial": trial, "value": float(np.sum((descent.theta[0, k] - theta_hat) ** 2)),
            "predicted": float(law.start + law.variance(arm, gamma, rho)), "clip_fraction": descent.clipped[0, k],
        }  # fmt: skip


def threshold(spec: Spec) -> float:
    """Returns the clipping threshold gamma of a cell."""
    return float(spec["settings"]["clip_factor"] * np.sqrt(spec["cell"]["p"]))


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of one cell."""
    cell = spec["cell"]
    for T in _steps(spec):
        for arm in arms(spec, T):
            name = f"{spec['variant']}: {spec['panel']}, n={cell['n']} p={cell['p']} kappa={cell['kappa']:g} T={T}"
            event = arm.mechanism(threshold(spec), cell["n"], cell["rho"])
            yield f"{name}: {arm.name}", event, spec["settings"]["dp_delta"]
