"""Figure 4(a) with the paper's own network on CIFAR-10: one run a part, which goes on from where it was cut.

A run keeps its state in a file every few steps, and the same command goes on from the last one, whatever ended it: a
kill, a cluster's time limit, or `DPDESCENT_PIECE_MINUTES`, after which it ends by itself. Runs of one repeat share the
initial parameters and the normals of their noise, and those on batches in a fixed order share the order.

On a processor a run takes an hour, and is made only if that is asked for: those of the committed table are taken into
a build by `workflow/adopt.py`.

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

from dpdescent.checks import as_list
from dpdescent.data import kept
from dpdescent.noise import streams
from dpdescent.papers.choquettechoo2023.arms import AMPLIFIED, ME, NU, EpochArm
from dpdescent.papers.choquettechoo2023.design import Row, Spec
from dpdescent.papers.choquettechoo2023.runs.image_learning import AMPLIFIED_RENYI, arm_of
from dpdescent.papers.choquettechoo2023.runs.network_described import Described, Labelled, Single, images_of
from dpdescent.privacy.events import Mechanism
from dpdescent.replication.real_images import ACCURACY

STATES = Path("build/states")
# Steps between two states on disk, and steps whose noise is in memory (0.44 GB).
PIECE, WINDOW = 10, 200
# One thread a run, as for all jobs: their number is Snakemake's choice, and would change last bits.
ONE_THREAD = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
MINUTES = "DPDESCENT_PIECE_MINUTES"
# Gradients of single images that a run may take on a processor unasked: some minutes of them.
PROCESSORS, UNASKED = "DPDESCENT_ON_PROCESSORS", 100_000
INSTALL = "python3 workflow/environment.py deep"
# Where there is an accelerator for a while: mechanisms in the order in which they are run, each at the rate of the runs
# on processors or that of its like, first at the budget at which the paper prints two accuracies.
FIRST_RATES = {NU: 0.1, AMPLIFIED: 1.0, ME: 0.1, "Optimal CC, restarts": 0.1, "Optimal CC": 0.1, "Honaker": 0.1}
FIRST_BUDGETS = (10, 4)


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

    def described(self, spec: Spec) -> Described:
        """Returns the run in plain values."""
        arm, settings = self.arm, spec["settings"]
        return Described(
            spec["seed"], arm.eps, self.name, self.rate, self.repeat, arm.noise_multiplier, arm.copies, arm.nu, arm.rho,
            float(arm.columns([self.rate]).momentum[0]), arm.clip_norm, settings["cooldown"], settings["T"],
            settings["k"], settings["records"], self.name in (AMPLIFIED, AMPLIFIED_RENYI),
        )  # fmt: skip


def first_runs(spec: Spec) -> Iterator[tuple[Described, Single]]:
    """Yields the runs that come first on an accelerator, each with the decoder of its noise.

    Args:
        spec: of any of the artefact's parts.
    """
    for eps, (name, rate) in itertools.product(FIRST_BUDGETS, FIRST_RATES.items()):
        cell = {"eps": eps, "mechanism": name, "learning_rate": rate, "repeat": 1}
        (one,) = One.all_of({**spec, "cell": cell})
        if one.arm.strategy is not None:
            yield one.described(spec), one.arm.strategy.decoder(spec["settings"]["T"]).astype("float32")


def run(spec: Spec) -> Iterator[Row]:
    """Yields the test accuracy of each run of a part.

    Raises:
        ModuleNotFoundError: with what to install, where JAX is not there.
        SystemExit: after `DPDESCENT_PIECE_MINUTES`, with the state kept; or where a long run would be made on a
            processor unasked.
    """
    training, network_module = _optional()
    settings = spec["settings"]
    if training.jax.default_backend() == "cpu":
        _require_asked(spec)
    records, tested = (images_of(settings, part, settings[part]) for part in ("records", "tested"))
    device = str(training.jax.devices()[0].device_kind)
    for one in One.all_of(spec):
        network = network_module.ImageNetwork()
        parameters = _trained(spec, one, network, training, records, device)
        accuracy = network.accuracy(parameters, tested.images, tested.labels)
        yield {**one.described(spec).row(device), "series": ACCURACY, "trial": 0, "value": accuracy}


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


def _require_asked(spec: Spec) -> None:
    cell, settings = spec["cell"], spec["settings"]
    if settings["records"] * settings["k"] > UNASKED and not os.environ.get(PROCESSORS):
        raise SystemExit(
            f"{cell}: this run is not in the build, and takes an hour of a processor. Runs of the committed table are "
            f"taken from there by: .venv/bin/python workflow/adopt.py. To make it here: {PROCESSORS}=1"
        )


def _trained(spec: Spec, one: One, network: Any, training: ModuleType, records: Labelled, device: str) -> Single:
    """Trains a run to its end, or goes on with it, and returns the parameters."""
    described, arm = one.described(spec), one.arm
    T, batches = described.steps, described.batches()
    made = training.Run(
        described.learning_rate, described.momentum, described.noise_multiplier, described.clip_norm, T,
        described.batch_size, described.cool_down,
    )  # fmt: skip
    made_from = _made_from(spec, one, asdict(made), [training, streams], device)
    file = STATES / f"{spec['artefact']}-{hashlib.sha256(made_from.encode()).hexdigest()[:16]}.npz"
    state = training.State.load(file, made_from)
    state = state or training.State.start(network.initial(described.stream("start")))
    began = time.monotonic()
    while state.step < T:
        rows = range(state.step, min(T, (state.step // WINDOW + 1) * WINDOW))
        noise = training.noise_rows(arm.strategy, T, network.parameters, described.stream("noise"), rows)
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


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of a cell: each run by itself, at a rate that the configuration gave beforehand."""
    for one in One.all_of(spec):
        event = one.arm.mechanism()
        reason = f"a record is an image; the rate is of the configuration; {event.reason}"
        place = f"{spec['variant']}: {one.name}, eps={one.arm.eps:g}, learning_rate={one.rate:g}, repeat={one.repeat}"
        yield place, replace(event, reason=reason), spec["settings"]["dp_delta"]
