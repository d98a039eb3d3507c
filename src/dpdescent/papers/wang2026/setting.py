"""The designs on which wang2026's theorems are tried: a part's values, the KAN, and the records and noise of a seed.

The paper has no experiment, so all of this is ours. Runs of a seed differ in the compared settings only: every
setting of the noise sees the same records, start, batches and normals.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, replace
from functools import cached_property
from typing import Any, Self, get_origin

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms import samplers
from dpdescent.algorithms.lambda_cgd import KANProblem
from dpdescent.checks import as_list, require_positive
from dpdescent.data import images, separable
from dpdescent.models.kan import KAN
from dpdescent.models.spline import CubicSplines
from dpdescent.randomness import stream

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Spec = dict[str, Any]
Row = dict[str, Any]

PAPER = "wang2026"

# Series of several tables. Gains in population risk, over independent noise and over the next smaller correlation, and
# changes by noise or batches against the run without them, are between runs of the same seed.
POPULATION, EMPIRICAL, GAIN = "population risk", "empirical risk", "gain over lam = 0"
GRADIENT, G_DELTA, G_SHARP, HESSIAN = "largest gradient", "G_delta", "G_sharp", "largest Hessian"
STEP, BY_NOISE, BY_BATCHES = "gain over the next smaller lam", "departure by noise", "departure by batches"
# Changes by noise with their sign: of the risk, and of the shifted iterate's squared largest distance from the start.
ADDED, SHIFTED = "added to the population risk", "added to the largest shift squared"

# What the name of a series ends with whose rows are one seed's each, so that runs of the same seeds are judged by pairs.
BY_SEED = ", by seed"

# The role of the stream of records that are only tested on.
TEST = "test"

# Margins below which records are rejected, by teacher.
MARGINS = {"D1": 0.3, "D2": 0.2}
# The design of two opposite points with a jitter, whose NTK margin is so wide that Theorem 4.1's widths can be run.
WIDE = "two clusters"


@dataclass(frozen=True)
class Size:
    """Number of records, batch size and number of iterates of Algorithm 1."""

    n: int
    B: int
    T: int

    @property
    def r(self) -> float:
        """The share of the records in a batch."""
        return self.B / self.n


@dataclass(frozen=True, kw_only=True)
class Part:
    """The values of a part of an artefact, read from its dictionary once, at the entrance of an experiment.

    Classes for an experiment add a field for each value that they read, by its name in the configuration; a field that
    is a tuple takes a single value too.

    Attributes:
        seed: the project's seed.
        artefact, variant, panel: the part's place.
        trials: seeds of the part; none in the ledger.
        tables: files of other artefacts' tables, by artefact.
    """

    seed: int
    artefact: str
    variant: str
    panel: str
    trials: range
    tables: Mapping[str, str]

    @classmethod
    def of(cls, spec: Spec) -> Self:
        """Returns the part, each value from the cell, or else from the arms, or else from the settings.

        Raises:
            KeyError: if none of them has a value that has no default.
        """
        place = {name: spec[name] for name in ("seed", "artefact", "variant", "panel")}
        place |= {"trials": range(*spec.get("trials", (0, 0))), "tables": spec.get("tables", {})}
        return cls(**place, **{field.name: _value(spec, field) for field in fields(cls) if field.name not in place})

    def of_seed(self, trial: int) -> Self:
        """Returns the part with one seed alone."""
        return replace(self, trials=range(trial, trial + 1))

    def stream(self, trial: int, role: str) -> np.random.Generator:
        """Returns the random stream of one seed and role; seeds of tuning are negative."""
        return stream(self.seed, PAPER, self.artefact, "trial", trial, role)


def _value(spec: Spec, field: "Field[Any]") -> Any:
    for place in ("cell", "arms", "settings"):
        if field.name in spec[place]:
            value = spec[place][field.name]
            return tuple(as_list(value)) if get_origin(field.type) is tuple else value
    if field.default is MISSING:
        raise KeyError(f"{field.name} is neither in the cell nor in the arms or settings of {spec['artefact']}")
    return field.default


@dataclass(frozen=True, kw_only=True)
class Task(Part):
    """Records and the network that learns them.

    Attributes:
        d, m, spline_cells: inputs, width, and cells of the basis.
        design: how records are drawn.
        jitter: how far the coordinates of two clusters lie from their middle.
        pair: classes of Fashion-MNIST, in place of a design.
        test_points, per_step: fresh records of a seed, and how many of them test each iterate, in runs that are tested.
    """

    d: int
    m: int
    spline_cells: int
    design: str = ""
    jitter: float = 0.0
    pair: tuple[int, ...] = ()
    test_points: int = 0
    per_step: int = 0

    @cached_property
    def kan(self) -> KAN:
        """The network."""
        return KAN(self.d, self.m, CubicSplines(self.spline_cells))

    def records(self, trial: int, n: int, role: str = "data") -> tuple[Array, Array]:
        """Returns n records of one seed: inputs (n, d) in the unit ball and labels (n,) of +-1; no image comes twice.

        Raises:
            ValueError: if there is no design of that name.
            dpdescent.data.images.MissingDataError: if the part asks for images that are not installed.
        """
        if self.pair:
            first, second = self.pair
            trained, tested = images.pairs(first, second, self.d)
            x, y = tested if role == TEST else trained
            rows = self.stream(trial, role).permutation(len(y))[:n]
            return x[rows], y[rows]
        if self.design == WIDE:
            return separable.two_clusters(self.d, self.jitter, n, self.stream(trial, role))
        if self.design not in MARGINS:
            raise ValueError(f"design={self.design!r} is none of {[*MARGINS, WIDE]}")
        return separable.draw(self.design, self.d, MARGINS[self.design], n, self.stream(trial, role))

    def start(self, trial: int) -> tuple[Array, Array]:
        """Returns the first layer W at the start, shape (m, dp), and the second layer c, shape (m, p), of a seed."""
        return self.kan.initial(self.stream(trial, "start"))

    def problem(self, trials: Sequence[int], n: int) -> KANProblem:
        """Returns records, starts and second layers of several seeds."""
        data, starts = [self.records(trial, n) for trial in trials], [self.start(trial) for trial in trials]
        return KANProblem(
            self.kan, self.kan.features(np.stack([x for x, _ in data])), np.stack([y for _, y in data]),
            np.stack([W for W, _ in starts]), self.kan.heads(np.stack([c for _, c in starts])),
        )  # fmt: skip

    def tested_on(self, trials: Sequence[int]) -> tuple[Array, Array]:
        """Returns features (seeds, N, dp) and labels (seeds, N) of fresh records."""
        require_positive(test_points=self.test_points, per_step=self.per_step)
        data = [self.records(trial, self.test_points, TEST) for trial in trials]
        return self.kan.features(np.stack([x for x, _ in data])), np.stack([y for _, y in data])

    def batches(self, trials: Sequence[int], size: Size) -> Iterator[Index] | None:
        """Returns batches of Algorithm 1 for all seeds, shape (seeds, B) for each step; None for the full batch."""
        if size.n == size.B:
            return None
        by_seed = [samplers.fixed_size(size.n, size.B, size.T, self.stream(trial, "batches")) for trial in trials]
        return (np.stack(step) for step in zip(*by_seed, strict=True))

    def normals(self, trials: Sequence[int]) -> list[np.random.Generator]:
        """Returns the random streams of the noise Z, one for each seed."""
        return [self.stream(trial, "noise") for trial in trials]


@dataclass(frozen=True, kw_only=True)
class Analysed(Task):
    """Records and a network, with the numbers that the paper's analysis needs.

    Attributes:
        delta_conf: failure probability of the theorems.
        gamma: the margin that prescriptions use.
        comparator_steps, comparator_eta: steps and step size of gradient descent to a comparator.
    """

    delta_conf: float
    gamma: float = math.nan
    comparator_steps: int = 0
    comparator_eta: float = math.nan
