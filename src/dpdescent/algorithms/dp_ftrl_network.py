"""DP-FTRL in epochs for a JAX network, in pieces that continue each other (choquettechoo2023 Sec. 4, App. G.1).

The arithmetic is that of `algorithms.dp_ftrl_epochs`, for one run in single precision. The state of a run is its step,
its parameters and its momentum. The noise has no state of its own: the rows of any steps are regenerated from the name
of the generator, so that a run that was interrupted anywhere ends where an uninterrupted one does, to the last bit.

JAX is an optional dependency: this module is imported only where a network is trained.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms.dp_ftrl_epochs import cooled
from dpdescent.checks import require_non_negative, require_positive
from dpdescent.models.image_network import EXACT
from dpdescent.noise.strategies.base import Strategy
from dpdescent.noise.streams import NoiseStream

Single = NDArray[np.float32]
Index = NDArray[np.intp]
# Number of noise columns that are made at a time, for all steps, because all columns would take gigabytes.
WIDE = 8192
# Number of columns of normals that lie together on an accelerator: a multiple of the number drawn at a time.
BLOCK = 16 * WIDE


class Network(Protocol):
    """The parts of a network that a run uses."""

    @property
    def parameters(self) -> int: ...

    def clipped_gradient_sum(self, parameters: Any, images: Any, labels: Any, clip_norm: float) -> Any: ...

    def clipped_sum(self, parameters: Any, images: Any, labels: Any, counts: Any, clip_norm: Any, way: str) -> Any: ...


@dataclass(frozen=True)
class Run:
    """Settings of a run.

    Attributes:
        learning_rate: learning rate, positive.
        momentum: momentum factor, in [0, 1).
        noise_multiplier: sd of the noise on the sum of gradients, divided by the clip norm; 0 without noise.
        clip_norm: clipping threshold G; inf without clipping, and then without noise.
        steps: number of steps T.
        batch_size: divisor of the sums of gradients.
        cool_down: share of the steps, the last ones, over which the learning rate falls linearly to 5 %.
    """

    learning_rate: float
    momentum: float
    noise_multiplier: float
    clip_norm: float
    steps: int
    batch_size: int
    cool_down: float

    def __post_init__(self) -> None:
        require_positive(learning_rate=self.learning_rate, steps=self.steps, batch_size=self.batch_size)
        require_non_negative(noise_multiplier=self.noise_multiplier, momentum=self.momentum)
        if not self.momentum < 1.0 or not self.clip_norm > 0.0:
            raise ValueError(f"momentum={self.momentum} must be below 1, clip_norm={self.clip_norm} positive")
        if self.noise_multiplier > 0.0 and np.isinf(self.clip_norm):
            raise ValueError(f"noise_multiplier={self.noise_multiplier}: noise needs a finite clip norm")


@dataclass(frozen=True)
class State:
    """State of a run: number of steps made, parameters and momentum, both of shape (parameters,)."""

    step: int
    parameters: Single
    velocity: Single

    @classmethod
    def start(cls, parameters: Single) -> "State":
        """Returns the state before the first step."""
        return cls(0, parameters, np.zeros_like(parameters))

    def save(self, file: Path, made_from: str) -> None:
        """Writes the state to a file; a process that is killed meanwhile leaves the previous state.

        Args:
            file: file of type .npz.
            made_from: text that names everything on which the run depends.
        """
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary = file.with_name(f".{os.getpid()}.{file.name}")
        try:
            np.savez(temporary, made_from=made_from, step=self.step, parameters=self.parameters, velocity=self.velocity)
            os.replace(temporary, file)
        finally:
            temporary.unlink(missing_ok=True)

    @classmethod
    def load(cls, file: Path, made_from: str) -> "State | None":
        """The state from a file; None if there is no file, or if it belongs to another run."""
        if not file.is_file():
            return None
        with np.load(file) as kept:
            if str(kept["made_from"]) != made_from:
                return None
            return cls(int(kept["step"]), kept["parameters"], kept["velocity"])


def advance(
    network: Network, run: Run, state: State, images: Single, labels: Index, batches: Sequence[Index], noise: Single,
) -> State:  # fmt: skip
    """Makes as many steps as there are rows of noise: `v <- momentum v + g~`, `theta <- theta - lr_t v`.

    Here g~ is the sum of the clipped gradients of a batch plus `noise_multiplier clip_norm` times a row of noise,
    divided by the batch size.

    Args:
        network: network that sums the clipped gradients of losses.
        run: settings of the run.
        state: state from which the run continues.
        images, labels: records along the first axis.
        batches: rows of each step's batch, repeated until all steps are made.
        noise: correlated noise of the next steps at multiplier and clip norm 1, shape (steps, parameters).

    Raises:
        ValueError: if the run has fewer steps left, or a parameter is no longer finite.
    """
    scale, rates = _scale_and_rates(run, state, len(noise))
    parameters, velocity = state.parameters, state.velocity
    for t, row in enumerate(noise, start=state.step):
        rows = batches[t % len(batches)]
        summed = network.clipped_gradient_sum(parameters, images[rows], labels[rows], run.clip_norm)
        parameters, velocity = _step(parameters, velocity, summed, row, run.momentum, scale, rates[t])
    return _reached(state.step + len(noise), parameters, velocity)


def _scale_and_rates(run: Run, state: State, steps: int) -> tuple[float, NDArray[np.float64]]:
    """The sd of the noise on a sum, and the learning rates of all steps divided by the batch size."""
    if state.step + steps > run.steps:
        raise ValueError(f"{steps} steps after step {state.step}: the run has {run.steps} in all")
    scale = run.noise_multiplier * run.clip_norm if run.noise_multiplier > 0.0 else 0.0
    return scale, run.learning_rate / run.batch_size * cooled(run.steps, run.cool_down)


def _reached(step: int, parameters: Any, velocity: Any) -> State:
    """The state after some steps, after a check that it is finite."""
    state = State(step, np.asarray(parameters), np.asarray(velocity))
    if not np.isfinite(state.parameters).all():
        raise ValueError(f"a parameter is not finite after step {step}: take a smaller learning_rate")
    return state


def _move(parameters: Any, velocity: Any, summed: Any, noise: Any, momentum: Any, scale: Any, rate: Any) -> Any:
    """One update of parameters and momentum."""
    velocity = momentum * velocity + (summed + scale * noise)
    return parameters - rate * velocity, velocity


_step = jax.jit(_move)


def noise_rows(strategy: Strategy | None, steps: int, columns: int, rng: np.random.Generator, rows: range) -> Single:
    """Returns the noise of some steps at multiplier 1, shape (rows, columns), which does not depend on the request.

    All steps of a block of columns are generated to keep the requested ones, because a later row needs all normals
    before it.

    Args:
        strategy: correlation of the noise; None without noise.
        steps: number of steps T of the whole run.
        columns: number of parameters.
        rng: generator of the whole noise, in its initial state.
        rows: the requested steps.
    """
    noise = np.zeros((len(rows), columns), np.float32)
    if strategy is None:
        return noise
    for at in range(0, columns, WIDE):
        # A strategy with restarts yields one block per restart.
        whole = np.concatenate([*NoiseStream(strategy, steps, min(WIDE, columns - at), rng, block=steps)])
        noise[:, at : at + WIDE] = whole[rows.start : rows.stop]
    return noise


@dataclass(frozen=True)
class Resident:
    """Contents of an accelerator's memory while runs of one repeat are made there.

    Attributes:
        network: the network.
        images, labels: the records, as arrays of JAX.
        together: number of images whose gradients are in memory at a time.
        way: one of the network's ways of forming gradients.
    """

    network: Any
    images: Any
    labels: Any
    together: int
    way: str


def advance_resident(
    resident: Resident, run: Run, state: State, batches: Sequence[Index], noise: Any
) -> tuple[State, tuple[Any, Any]]:
    """Makes the steps of `advance` for which there are rows of noise, in one call of the accelerator.

    Args:
        resident: network and records.
        run: settings of the run.
        state: state from which the run continues.
        batches: rows of each step's batch, for these steps alone.
        noise: as for `advance`, an array of JAX.

    Returns:
        The state, and per step the parameters before it and the sum of clipped gradients at these parameters.

    Raises:
        ValueError: if the run has fewer steps left, or a parameter is no longer finite.
    """
    scale, rates = _scale_and_rates(run, state, len(batches))
    rows, sizes = _in_blocks(batches, run.batch_size, resident.together)
    with jax.default_matmul_precision(EXACT):
        parameters, velocity, seen = _many(
            resident.network, resident.way, state.parameters, state.velocity, resident.images, resident.labels,
            rows, sizes, noise, rates[state.step : state.step + len(batches)].astype(np.float32),
            run.momentum, scale, run.clip_norm,
        )  # fmt: skip
    return _reached(state.step + len(batches), parameters, velocity), seen


def _in_blocks(batches: Sequence[Index], mean: int, together: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Returns batches as blocks of rows, padded with row 0, shape (steps, blocks, together), and their sizes.

    There is room for one and a half times the mean number of records, because Poisson batches then mostly have the same
    shape and nothing is compiled twice; blocks without a record are not computed.
    """
    sizes = np.array([len(batch) for batch in batches], np.int32)
    blocks = -(-max(int(sizes.max(initial=0)), 3 * mean // 2) // together)
    rows = np.zeros((len(batches), blocks * together), np.int32)
    for place, batch in enumerate(batches):
        rows[place, : len(batch)] = batch
    return rows.reshape(len(batches), blocks, together), sizes


def correlated_rows(decoder: Single, normals: Sequence[Any]) -> Any:
    """Returns rows of noise, shape (steps, parameters), as an array of JAX: those of `noise_rows` up to rounding.

    Args:
        decoder: rows of the strategy's decoder, shape (steps, normals).
        normals: normals of all steps, as `normals_of` returns them, as arrays of JAX.
    """
    with jax.default_matmul_precision(EXACT):
        return _product(decoder, normals)


_product = jax.jit(lambda decoder, normals: jnp.concatenate([decoder @ block for block in normals], axis=1))


def normals_of(count: int, columns: int, rng: np.random.Generator) -> list[Single]:
    """Returns the normals from which `noise_rows` makes its noise, in single precision, shape (count, columns).

    They come in blocks of `BLOCK` columns, because a single array would have more numbers than an index of 32 bits can
    count.
    """
    blocks = [np.empty((count, min(BLOCK, columns - at)), np.float32) for at in range(0, columns, BLOCK)]
    for at in range(0, columns, WIDE):
        drawn = rng.standard_normal((count, min(WIDE, columns - at)))
        blocks[at // BLOCK][:, at % BLOCK : at % BLOCK + WIDE] = drawn
    return blocks


@partial(jax.jit, static_argnums=(0, 1))
def _many(
    network: Network, way: str, parameters: Any, velocity: Any, images: Any, labels: Any, rows: Any, sizes: Any,
    noise: Any, rates: Any, momentum: Any, scale: Any, clip_norm: Any,
) -> Any:  # fmt: skip
    """Makes all steps of `advance_resident` in one compiled function."""
    together = rows.shape[-1]

    def step(reached: Any, inputs: Any) -> Any:
        parameters, velocity = reached
        blocks, size, row, rate = inputs

        def add(place: Any, total: Any) -> Any:
            block, counts = blocks[place], place * together + jnp.arange(together) < size
            return total + network.clipped_sum(parameters, images[block], labels[block], counts, clip_norm, way)

        summed = jax.lax.fori_loop(0, (size + together - 1) // together, add, jnp.zeros_like(parameters))
        return _move(parameters, velocity, summed, row, momentum, scale, rate), (parameters, summed)

    (parameters, velocity), seen = jax.lax.scan(step, (parameters, velocity), (rows, sizes, noise, rates))
    return parameters, velocity, seen
