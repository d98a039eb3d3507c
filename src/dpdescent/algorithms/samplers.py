"""Samplers: which records take part in which step. The privacy accountant must match the sampler that was used."""

from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from dpdescent.checks import require_positive

Index = NDArray[np.intp]

# Number of small batches that are drawn together.
AHEAD = 256


def fixed_order(records: int, batch_size: int, rng: np.random.Generator) -> list[Index]:
    """Draws the batches of one epoch in a random order; repeated, a record's participations lie one epoch apart.

    Raises:
        ValueError: if the batch size does not divide the number of records: some would take part less often.
    """
    if batch_size < 1 or records % batch_size:
        raise ValueError(f"batch_size={batch_size} must divide records={records}: drop records before")
    return list(rng.permutation(records).reshape(-1, batch_size))


def fixed_size(records: int, batch_size: int, steps: int, rng: np.random.Generator) -> Iterator[Index]:
    """Yields one batch a step, every set of `batch_size` records equally likely, independently of all other steps.

    Raises:
        ValueError: if there are fewer records than the batch has, or the batch is empty.
    """
    if not 1 <= batch_size <= records:
        raise ValueError(f"batch_size={batch_size} must lie between 1 and records={records}")
    if batch_size * (batch_size - 1) <= records:
        return islice(_distinct(records, batch_size, rng), steps)
    return (rng.choice(records, batch_size, replace=False, shuffle=False) for _ in range(steps))


def _distinct(records: int, batch_size: int, rng: np.random.Generator) -> Iterator[Index]:
    """Yields batches drawn with replacement in which no record repeats; for small batches these are more than half."""
    while True:
        drawn = np.sort(rng.integers(records, size=(AHEAD, batch_size)), axis=1)
        yield from drawn[(drawn[:, 1:] > drawn[:, :-1]).all(1)]


def poisson(records: int, rate: float, steps: int, rng: np.random.Generator) -> list[Index]:
    """Draws one batch a step, in which every record takes part with probability `rate`, independently of all else."""
    if not 0.0 < rate <= 1.0:
        raise ValueError(f"rate={rate} must lie in (0, 1]")
    return [np.flatnonzero(rng.random(records) < rate) for _ in range(steps)]


def balls_in_bins(records: int, bins: int, rng: np.random.Generator) -> list[Index]:
    """Draws the batches of one epoch, to be repeated: each record chooses its batch uniformly and independently.

    A batch may be empty.
    """
    require_positive(records=records, bins=bins)
    thrown = rng.integers(bins, size=records)
    return [np.flatnonzero(thrown == b) for b in range(bins)]
