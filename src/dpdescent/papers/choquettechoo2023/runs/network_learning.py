"""Figure 4(a) with the paper's own network on CIFAR-10: one run a part, which goes on from where it was cut.

A run keeps its state in a file every few steps, and the same command goes on from the last one, whatever ended it: a
kill, a cluster's time limit, or `DPDESCENT_PIECE_MINUTES`, after which it ends by itself. Runs of one repeat share the
initial parameters and the normals of their noise, and those on batches in a fixed order share the order.

JAX is needed by what trains, and by nothing else here: ledger, claims and figures do without.
"""

import hashlib
import itertools
import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms import samplers
from dpdescent.checks import as_list
from dpdescent.data import kept
from dpdescent.models.image_columns import SOURCES
from dpdescent.noise import streams
from dpdescent.papers.choquettechoo2023.arms import AMPLIFIED, EpochArm
from dpdescent.papers.choquettechoo2023.design import PAPER, Row, Spec
from dpdescent.papers.choquettechoo2023.runs.image_learning import AMPLIFIED_RENYI, arm_of
from dpdescent.papers.choquettechoo2023.runs.learning import epoch
from dpdescent.privacy.events import Mechanism
from dpdescent.randomness import stream
from dpdescent.replication.real_images import ACCURACY

Single = NDArray[np.float32]
Index = NDArray[np.intp]

STATES = Path("build/states")
# Steps between two states on disk, and steps whose noise is in memory (0.44 GB).
PIECE, WINDOW = 10, 200
# One thread a run, as for all jobs: their number is Snakemake's choice, and would change last bits.
ONE_THREAD = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
MINUTES = "DPDESCENT_PIECE_MINUTES"
INSTALL = "python3 workflow/environment.py deep"


@dataclass(frozen=True)
class One:
    """A run: its mechanism, learning rate and number among repeats."""

    arm: EpochArm
    name: str
    rate: float
    repeat: int

    @classmethod
    def all_of(cls, spec: Spec) -> Iterator["One"]:
        """Yields the runs of a cell, one where all its axes are split."""
        axes = ("eps", "mechanism", "learning_rate", "repeat")
        for eps, name, rate, repeat in itertools.product(*(as_list(spec["cell"][axis]) for axis in axes)):
            yield cls(arm_of(spec, name, eps), name, float(rate), int(repeat))


@dataclass(frozen=True)
class Labelled:
    """Images, shape (images, side, side, channels) with values in [-1, 1], and their labels."""

    images: Single
    labels: Index


def run(spec: Spec) -> Iterator[Row]:
    """Yields the test accuracy of each run of a part.

    Raises:
        ModuleNotFoundError: with what to install, where JAX is not there.
        SystemExit: after `DPDESCENT_PIECE_MINUTES`; the state is kept.
    """
    training, network_module = _optional()
    settings = spec["settings"]
    records, tested = (images_of(settings, part, settings[part]) for part in ("records", "tested"))
    device = str(training.jax.devices()[0].device_kind)
    for one in One.all_of(spec):
        network = network_module.ImageNetwork()
        parameters = _trained(spec, one, network, training, records, device)
        accuracy = network.accuracy(parameters, tested.images, tested.labels)
        yield {**_place(one, device), "series": ACCURACY, "trial": 0, "value": accuracy}


def _optional() -> tuple[ModuleType, ModuleType]:
    """Imports what needs JAX."""
    os.environ.setdefault("XLA_FLAGS", ONE_THREAD)
    try:
        from dpdescent.algorithms import dp_ftrl_network
        from dpdescent.models import image_network
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{error.name} is not installed, which the network is trained with: {INSTALL}, then the same command",
            name=error.name,
        ) from None
    return dp_ftrl_network, image_network


def images_of(settings: Spec, part: str, number: int) -> Labelled:
    """Returns the first images, scaled as the public code of Kairouz et al. 2021 does; `part` is records or tested.

    Raises:
        dpdescent.data.images.MissingDataError: if images are missing or changed.
        ValueError: if there are fewer.
    """
    source = SOURCES[settings["source"]]
    read = source.training if part == "records" else source.test
    folder = settings["images_folder"]
    pixels, labels = read(Path(folder) if folder else source.folder)
    if not 1 <= number <= len(labels):
        raise ValueError(f"{part}={number}: there are {len(labels)} images, of which the first are taken")
    scaled = np.ascontiguousarray(pixels[:number].transpose(0, 2, 3, 1), np.float32)
    # In place, because the training images take 0.6 GB.
    scaled /= 127.5
    scaled -= 1.0
    return Labelled(scaled, labels[:number])


def _place(one: One, device: str) -> Row:
    """The columns that say which run a row is of, and on what it was made."""
    arm = one.arm
    return {
        "eps": arm.eps, "mechanism": one.name, "learning_rate": one.rate, "repeat": one.repeat, "device": device,
        "noise_multiplier": arm.noise_multiplier, "copies": arm.copies, "nu": arm.nu, "rho": arm.rho,
    }  # fmt: skip


def _trained(spec: Spec, one: One, network: Any, training: ModuleType, records: Labelled, device: str) -> Single:
    """Trains a run to its end, or goes on with it, and returns the parameters."""
    settings, arm = spec["settings"], one.arm
    T, columns = settings["T"], arm.columns([one.rate])
    made = training.Run(
        one.rate, float(columns.momentum[0]), arm.noise_multiplier, arm.clip_norm, T,
        len(records.labels) * settings["k"] // T, settings["cooldown"],
    )  # fmt: skip
    made_from = _made_from(spec, one, asdict(made), [training, streams], device)
    file = STATES / f"{spec['artefact']}-{hashlib.sha256(made_from.encode()).hexdigest()[:16]}.npz"
    batches = batches_of(spec, one, len(records.labels))
    state = training.State.load(file, made_from)
    state = state or training.State.start(network.initial(named(spec, one, "start")))
    began = time.monotonic()
    while state.step < T:
        rows = range(state.step, min(T, (state.step // WINDOW + 1) * WINDOW))
        noise = training.noise_rows(arm.strategy, T, network.parameters, named(spec, one, "noise"), rows)
        for at in range(0, len(rows), PIECE):
            piece = noise[at : at + PIECE]
            state = training.advance(network, made, state, records.images, records.labels, batches, piece)
            state.save(file, made_from)
            _tell(state.step, T, (time.monotonic() - began) / 60.0)
    parameters: Single = state.parameters
    return parameters


def _tell(step: int, T: int, minutes: float) -> None:
    print(f"step {step} of {T} after {minutes:.1f} minutes", flush=True)
    if step < T and minutes > float(os.environ.get(MINUTES, "inf")):
        raise SystemExit(f"{MINUTES} are over at step {step} of {T}: the same command goes on from there")


def _made_from(spec: Spec, one: One, settings: dict[str, Any], modules: Sequence[ModuleType], device: str) -> str:
    """All that a run's state depends on, in words."""
    from dpdescent.models import image_network

    about = {
        "seed": spec["seed"], "artefact": spec["artefact"], "device": device, "name": one.name, "eps": one.arm.eps,
        "repeat": one.repeat, "settings": settings, "strategy": str(one.arm.strategy and one.arm.strategy.name),
        "nu": str(one.arm.nu), "copies": one.arm.copies, "records": spec["settings"]["records"],
        "k": spec["settings"]["k"], "code": kept.code(image_network, *modules),
    }  # fmt: skip
    return json.dumps(about, sort_keys=True)


def batches_of(spec: Spec, one: One, records: int) -> Sequence[Index]:
    """Returns Poisson batches for DP-SGD with amplification, else those of an epoch in one order."""
    T, k = spec["settings"]["T"], spec["settings"]["k"]
    if one.name in (AMPLIFIED, AMPLIFIED_RENYI):
        return samplers.poisson(records, k / T, T, named(spec, one, "sampling"))
    return epoch(records, records * k // T, T, k, named(spec, one, "order"))


def named(spec: Spec, one: One, role: str) -> np.random.Generator:
    """Returns the stream of a role of a repeat, the same for every mechanism."""
    return stream(spec["seed"], PAPER, "network", "repeat", one.repeat, role)


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of a cell: each run by itself, at a rate that the configuration gave beforehand."""
    for one in One.all_of(spec):
        event = one.arm.mechanism()
        reason = f"a record is an image; the rate is of the configuration; {event.reason}"
        place = f"{spec['variant']}: {one.name}, eps={one.arm.eps:g}, learning_rate={one.rate:g}, repeat={one.repeat}"
        yield place, replace(event, reason=reason), spec["settings"]["dp_delta"]
