"""The designs on which wang2026's theorems are tried: the KAN, and every seed's records, start, batches and noise.

The paper has no experiment, so all of this is ours. Arms share all that they are not compared in: every setting of
the noise sees the same records, start, batches and normals.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms import samplers
from dpdescent.algorithms.lambda_cgd import KANProblem
from dpdescent.data import images, separable
from dpdescent.models.kan import KAN
from dpdescent.models.spline import CubicSplines
from dpdescent.randomness import stream

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Spec = dict[str, Any]
Row = dict[str, Any]

PAPER = "wang2026"

# Name of the stream of records that are only tested on.
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

    @classmethod
    def of(cls, spec: Spec) -> "Size":
        """Returns the n, B and T of a cell."""
        return cls(spec["cell"]["n"], spec["cell"]["B"], spec["cell"]["T"])

    @property
    def r(self) -> float:
        """Share of the records in a batch."""
        return self.B / self.n


def value(spec: Spec, name: str) -> Any:
    """Returns a number of the experiment: from the cell, or else from its arms, or else from the settings.

    Raises:
        KeyError: if none of them has it.
    """
    for place in ("cell", "arms", "settings"):
        if name in spec[place]:
            return spec[place][name]
    raise KeyError(f"{name} is neither in the cell nor in the arms or settings of {spec['artefact']}")


def named(spec: Spec, trial: int, role: str) -> np.random.Generator:
    """Returns the random stream of one seed and role; seeds of tuning are negative."""
    return stream(spec["seed"], PAPER, spec["artefact"], "trial", trial, role)


def kan_of(spec: Spec) -> KAN:
    """Returns the network of a cell."""
    return KAN(value(spec, "d"), value(spec, "m"), CubicSplines(value(spec, "spline_cells")))


def records(spec: Spec, trial: int, n: int, role: str = "data") -> tuple[Array, Array]:
    """Returns n records of one seed: inputs (n, d) in the unit ball and labels (n,) of +-1; no image comes twice.

    Raises:
        ValueError: if there is no design of that name.
        dpdescent.data.images.MissingDataError: if the cell asks for images that are not installed.
    """
    if "pair" in spec["cell"]:
        first, second = spec["cell"]["pair"]
        trained, tested = images.pairs(first, second, value(spec, "d"))
        x, y = tested if role == TEST else trained
        rows = named(spec, trial, role).permutation(len(y))[:n]
        return x[rows], y[rows]
    design = value(spec, "design")
    if design == WIDE:
        return separable.two_clusters(value(spec, "d"), value(spec, "jitter"), n, named(spec, trial, role))
    if design not in MARGINS:
        raise ValueError(f"design={design!r} is none of {[*MARGINS, WIDE]}")
    return separable.draw(design, value(spec, "d"), MARGINS[design], n, named(spec, trial, role))


def problem_of(spec: Spec, trials: Sequence[int], n: int) -> KANProblem:
    """Returns records, starts and second layers of several seeds."""
    kan = kan_of(spec)
    drawn = [records(spec, trial, n) for trial in trials]
    starts = [kan.initial(named(spec, trial, "start")) for trial in trials]
    return KANProblem(
        kan, kan.features(np.stack([x for x, _ in drawn])), np.stack([y for _, y in drawn]),
        np.stack([W for W, _ in starts]), kan.heads(np.stack([c for _, c in starts])),
    )  # fmt: skip


def test_points(spec: Spec, trials: Sequence[int]) -> tuple[Array, Array]:
    """Returns features (seeds, N, dp) and labels (seeds, N) of fresh records."""
    drawn = [records(spec, trial, value(spec, "test_points"), TEST) for trial in trials]
    features = kan_of(spec).features(np.stack([x for x, _ in drawn]))
    return features, np.stack([y for _, y in drawn])


def fixed_size_batches(spec: Spec, trials: Sequence[int], n: int, B: int, T: int) -> Iterator[Index] | None:
    """Returns batches of Algorithm 1 for all seeds, (seeds, B) a step; None for the full batch."""
    if n == B:
        return None
    each = [samplers.fixed_size(n, B, T, named(spec, trial, "batches")) for trial in trials]
    return (np.stack(step) for step in zip(*each, strict=True))


def normals_of(spec: Spec, trials: Sequence[int]) -> list[np.random.Generator]:
    """Returns the random streams of the noise Z, one a seed."""
    return [named(spec, trial, "noise") for trial in trials]
