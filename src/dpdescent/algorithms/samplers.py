"""Samplers decide which records take part in which step. The privacy accountant must match the sampler."""

from collections.abc import Iterator
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from dpdescent.checks import require_positive

Index = NDArray[np.intp]

# Number of small batches that are drawn together.
AHEAD = 256

# Number of records in batches that are drawn together where only the participation of one record is wanted.
TOGETHER = 1 << 18


def fixed_order(records: int, batch_size: int, rng: np.random.Generator) -> list[Index]:
    """Draws the batches of one epoch in a random order; in repetitions a record's participations lie one epoch apart.

    Raises:
        ValueError: if the batch size does not divide the number of records, because some would take part less often.
    """
    if batch_size < 1 or records % batch_size:
        raise ValueError(f"batch_size={batch_size} must divide records={records}: drop records before")
    return list(rng.permutation(records).reshape(-1, batch_size))


def fixed_size(records: int, batch_size: int, steps: int, rng: np.random.Generator) -> Iterator[Index]:
    """Yields one batch per step, every set of `batch_size` records equally likely, independently of all other steps.

    Raises:
        ValueError: if a batch has more records than there are, or is empty.
    """
    if _is_small(records, batch_size):
        return islice(chain.from_iterable(_distinct(records, batch_size, rng)), steps)
    return (rng.choice(records, batch_size, replace=False, shuffle=False) for _ in range(steps))


def participations(records: int, batch_size: int, steps: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Whether record 0 is in each of the batches that `fixed_size` yields from the same generator, shape (steps,).

    Raises:
        ValueError: if a batch has more records than there are, or is empty.
    """
    if not _is_small(records, batch_size):
        batches = fixed_size(records, batch_size, steps, rng)
        return np.fromiter((0 in batch.tolist() for batch in batches), dtype=np.bool_, count=steps)
    takes_part, filled = np.empty(steps, dtype=np.bool_), 0
    while filled < steps:
        # As many blocks as are surely needed; drawn one by one they would leave the generator in the same state.
        blocks = min(-((filled - steps) // AHEAD), max(1, TOGETHER // (AHEAD * batch_size)))
        # Batches are sorted, so that record 0 can only be the first.
        first = _kept(records, batch_size, blocks * AHEAD, rng)[: steps - filled, 0]
        takes_part[filled : filled + len(first)] = first == 0
        filled += len(first)
    return takes_part


def _is_small(records: int, batch_size: int) -> bool:
    """Whether most batches drawn with replacement contain no record twice."""
    if not 1 <= batch_size <= records:
        raise ValueError(f"batch_size={batch_size} must lie between 1 and records={records}")
    return batch_size * (batch_size - 1) <= records


def _distinct(records: int, batch_size: int, rng: np.random.Generator) -> Iterator[Index]:
    """Yields blocks of sorted batches, drawn with replacement, and only those in which no record repeats."""
    while True:
        yield _kept(records, batch_size, AHEAD, rng)


def _kept(records: int, batch_size: int, batches: int, rng: np.random.Generator) -> Index:
    """Sorted batches drawn with replacement, and only those in which no record repeats."""
    drawn = rng.integers(records, size=(batches, batch_size))
    if batch_size == 1:
        return drawn
    drawn.sort(axis=1)
    return drawn[(drawn[:, 1:] > drawn[:, :-1]).all(1)]


def poisson(records: int, rate: float, steps: int, rng: np.random.Generator) -> list[Index]:
    """Draws one batch per step, in which every record takes part with probability `rate`, independently of all else."""
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
