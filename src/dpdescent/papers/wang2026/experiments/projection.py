"""How far iterates move, how often the projection is active, and the radius that the analysis asks for."""

from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.algorithms import lambda_cgd
from dpdescent.algorithms.lambda_cgd import State
from dpdescent.checks import as_list
from dpdescent.papers.wang2026.arms import Arm
from dpdescent.papers.wang2026.design import Array, Row, Size, Spec, value
from dpdescent.papers.wang2026.runs import diagnostics, training
from dpdescent.papers.wang2026.runs.diagnostics import Seed
from dpdescent.papers.wang2026.theory import explicit
from dpdescent.privacy.events import Mechanism


class Moves:
    """Observer of runs that notes the largest distances: of W from W_0, and of U from the comparator, both (arms,)."""

    def __init__(self, seed: Seed) -> None:
        self.start, self.target = seed.problem.start, seed.trained.weights
        self.largest_move = self.largest_shift = np.zeros(())

    def __call__(self, state: State) -> None:
        self.largest_move = np.maximum(self.largest_move, _norms(state.weights - self.start[:, None]))
        self.largest_shift = np.maximum(self.largest_shift, _norms(lambda_cgd.shifted(state) - self.target))


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one width: every noise and radius, for each seed by itself, whose threshold is its own G_sharp."""
    size = Size.of(spec)
    for trial in range(*spec["trials"]):
        seed = Seed(spec, trial, size.n)
        made = arms(spec, seed.sharp.gradient)
        moves = Moves(seed)
        runs = seed.run(made, moves)
        for index, arm in enumerate(made):
            setting = seed.setting(size, arm, seed.sharp)
            yield {
                **training.columns(spec, arm.noise), "eta": arm.eta, "C_clip": arm.C_clip,
                "radius": arm.radius, "radius_factor": factors(spec)[index % len(factors(spec))],
                "projected": float(runs.projected[0, index]), "largest_move": float(moves.largest_move[index]),
                "largest_shift": float(moves.largest_shift[index]),
                "Rbar": explicit.shifted_radius(setting, seed.trained.seen),
                "series": training.EMPIRICAL, "trial": trial, "value": float(runs.empirical_average[0, index]),
            }  # fmt: skip


def arms(spec: Spec, C_clip: float) -> list[Arm]:
    """Returns a run of every noise with every radius, and without projection."""
    size = Size.of(spec)
    unit = diagnostics.theorem_radius(spec, size.n, size.T)
    return diagnostics.arms(spec, C_clip, [factor * unit for factor in factors(spec)])


def factors(spec: Spec) -> list[float]:
    """Returns radii over the theorem's R_*; infinite without projection."""
    return [np.inf, *as_list(value(spec, "radius_factor"))]


def _norms(moved: Array) -> Array:
    return np.asarray(np.linalg.norm(moved[0].reshape(len(moved[0]), -1), axis=1))


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries with the first seed's threshold; neither it nor the radius uses a record."""
    return diagnostics.releases(spec, f" m={value(spec, 'm')}")
