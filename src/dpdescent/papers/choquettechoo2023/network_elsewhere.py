"""Runs of Figure 4(a)'s network on a machine with an accelerator and little time: their order, and their making.

Noise multipliers and decoders are made beforehand and read from a folder, because they need accountants and minutes, so
that numpy, scipy and JAX are all that the machine must have. The noise is that of the same named streams as everywhere:
its normals are drawn by the processor, beside the training, and multiplied by the decoder on the accelerator.
"""

import csv
import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dpdescent.algorithms import dp_ftrl_network
from dpdescent.algorithms.dp_ftrl_network import Resident, Run, State
from dpdescent.models.image_network import WAYS, ImageNetwork
from dpdescent.papers.choquettechoo2023.network_described import Described, Labelled, Single
from dpdescent.replication.build.files import atomic, write_rows
from dpdescent.replication.real_images import best_of

# Steps of one call of the accelerator, and steps between two states on disk.
PIECE, KEPT = 20, 400
# Images whose gradients are in an accelerator's memory at a time: 2 GB of patches at the most.
TOGETHER = 250
# Seconds that are kept for the state, the accuracy and the files, which follow the last steps of a call.
RESERVE = 8.0
# Normals of so many kinds are on the accelerator at a time, and as many more drawn ahead; 4 to 9 GB each.
HELD = 2
# The paper's grid of rates, and its repeats.
RATES = sorted(float(f"{digit}e{power}") for digit in (1, 2, 5) for power in range(-4, 3))
REPEATS = 12
PLAN, DECODERS = "plan.json", "decoders.npz"


class Wanted(NamedTuple):
    """A run's place in the table: budget, mechanism, learning rate and repeat."""

    eps: float
    mechanism: str
    learning_rate: float
    repeat: int

    @property
    def file(self) -> str:
        """Name of its files, without a comma or blank."""
        name = self.mechanism.replace(", ", "-").replace(" ", "-")
        return f"eps={self.eps:g}_{name}_rate={self.learning_rate:g}_repeat={self.repeat}"


@dataclass(frozen=True)
class Plan:
    """The runs and decoders that are made beforehand.

    Attributes:
        first: a run of each mechanism and budget at its first rate, in the order in which they are made.
        decoders: decoders of the noise, by mechanism, shape (steps, normals).
    """

    first: Sequence[Described]
    decoders: Mapping[str, Single]

    def save(self, folder: Path) -> None:
        """Writes the plan; decoders are compressed, because they are zeros and repetitions for the most part."""
        folder.mkdir(parents=True, exist_ok=True)
        with atomic(folder / DECODERS, "wb") as file:
            arrays: dict[str, Any] = dict(self.decoders)
            np.savez_compressed(file, **arrays)
        with atomic(folder / PLAN) as file:
            json.dump([asdict(run) for run in self.first], file, indent=1)

    @classmethod
    def load(cls, folder: Path) -> "Plan":
        """Reads a plan."""
        first = [Described(**run) for run in json.loads((folder / PLAN).read_text(encoding="utf-8"))]
        with np.load(folder / DECODERS) as arrays:
            return cls(first, {name: arrays[name] for name in arrays.files})

    def described(self, wanted: Wanted) -> Described:
        """Returns a run in plain values; its noise multiplier depends on neither rate nor repeat."""
        like = next(run for run in self.first if (run.eps, run.mechanism) == wanted[:2])
        return replace(like, learning_rate=wanted.learning_rate, repeat=wanted.repeat)

    def upcoming(self, done: Mapping[Wanted, float]) -> Iterator[Wanted]:
        """Yields the runs that are still to be made, as far as the accuracies so far decide it.

        First one seed at the first rates; then the rates beside the best until it lies between others; then repeats at
        the best rate, because claims need both (`network`).
        """
        yield from (wanted for run in self.first if (wanted := _wanted(run)) not in done)
        best = {(run.eps, run.mechanism): _best_rate(run, done) for run in self.first}
        for kind in best:
            sides = (Wanted(*kind, rate, 1) for rate in _neighbours(best[kind]))
            yield from (wanted for wanted in sides if wanted not in done)
        for repeat in range(2, REPEATS + 1):
            again = (Wanted(*kind, best[kind], repeat) for kind in best)
            yield from (wanted for wanted in again if wanted not in done)


def _wanted(run: Described) -> Wanted:
    return Wanted(run.eps, run.mechanism, run.learning_rate, run.repeat)


def _best_rate(first: Described, done: Mapping[Wanted, float]) -> float:
    """The best rate that was run at a budget and mechanism; the first one of the plan where none was."""
    kind, by_rate = (first.eps, first.mechanism), dict[float, list[float]]()
    for wanted, value in done.items():
        if wanted[:2] == kind:
            by_rate.setdefault(wanted.learning_rate, []).append(value)
    return best_of({rate: sum(values) / len(values) for rate, values in by_rate.items()} or {first.learning_rate: 0.0})


def _neighbours(rate: float) -> list[float]:
    """The rates of the grid next to a rate."""
    place = RATES.index(rate)
    return RATES[max(place - 1, 0) : place] + RATES[place + 1 : place + 2]


@dataclass(frozen=True)
class Limits:
    """The time that a call may take, and that all calls may take together.

    Attributes:
        call: seconds of this call, from `began`.
        all_calls: seconds of this call and those after it.
        clock: returns the time in seconds.
        began: time of the start.
    """

    call: float
    all_calls: float
    clock: Callable[[], float] = time.monotonic
    began: float = field(default_factory=time.monotonic)

    def left(self) -> float:
        """Seconds left of this call for steps, without those that must follow the last step."""
        return self.call - RESERVE - (self.clock() - self.began)

    def left_in_all(self) -> float:
        """Seconds left of all calls for steps, without those that must follow the last step."""
        return self.all_calls - RESERVE - (self.clock() - self.began)


def work(
    plan: Plan, done: dict[Wanted, float], seconds: Callable[[Wanted], float],
    make: Callable[[Wanted], float | None], limits: Limits, say: Callable[[str], None] = print,
) -> None:  # fmt: skip
    """Makes one run after another, as many as the time that is left allows.

    Args:
        plan: all runs.
        done: accuracies of runs that are done; those made here are added.
        seconds: estimates the time of a run, or of the rest of one.
        make: makes a run and returns its accuracy; None where the call's time ended before.
        limits: limits of time.
        say: prints a line.
    """
    while (wanted := next(plan.upcoming(done), None)) is not None:
        if (needed := seconds(wanted)) > (remaining := limits.left_in_all()):
            say(f"{wanted.file} would take {needed:.0f} s, and {remaining:.0f} s are left of all calls")
            return
        value = make(wanted)
        if value is None:
            say(f"{wanted.file}: cut at the end of this call; the next call on this machine goes on with it")
            return
        done[wanted] = value
        say(f"{wanted.file}: {value:.2%}; {limits.left_in_all():.0f} s are left of all calls")


class Normals:
    """Normals of the noise, which runs of one repeat with as many normals share; drawn beside the training."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self._drawn: dict[tuple[int, int], Future[list[Single]]] = {}
        self._held: dict[tuple[int, int], list[Any]] = {}

    def ahead(self, runs: Iterable[tuple[Described, int]]) -> None:
        """Begins to draw the normals of the next runs, each with its number of normals."""
        for described, count in runs:
            key = described.repeat, count
            if key not in self._held and key not in self._drawn and len(self._drawn) < HELD:
                future = self._drawn[key] = Future[list[Single]]()
                # A daemon, because a process must end with its call, even where it still draws.
                Thread(target=self._draw, args=(future, count, described), daemon=True).start()

    def of(self, described: Described, count: int, patience: float) -> list[Any]:
        """Returns a run's normals on the accelerator, in blocks of columns as `dp_ftrl_network.normals_of` has them.

        Raises:
            TimeoutError: if they are not drawn within so many seconds.
        """
        key = described.repeat, count
        if key not in self._held:
            if key not in self._drawn and len(self._drawn) >= HELD:
                # Normals that were drawn for a later run are given up, because another run than expected comes next.
                self._drawn.pop(next(iter(self._drawn)))
            self.ahead([(described, count)])
            drawn = self._drawn[key].result(patience)
            while len(self._held) >= HELD:
                self._held.pop(next(iter(self._held)))
            self._held[key] = [jnp.asarray(block) for block in drawn]
            del self._drawn[key]
        return self._held[key]

    def _draw(self, future: "Future[list[Single]]", count: int, described: Described) -> None:
        try:
            future.set_result(dp_ftrl_network.normals_of(count, self.columns, described.stream("noise")))
        except MemoryError as error:
            future.set_exception(error)


def settings_of(described: Described) -> Run:
    """Returns the settings of a run's training."""
    return Run(
        described.learning_rate, described.momentum, described.noise_multiplier, described.clip_norm, described.steps,
        described.batch_size, described.cool_down,
    )  # fmt: skip


@dataclass
class Workshop:
    """The accelerator with its records on which runs are made, and the folders of results.

    Attributes:
        plan: all runs.
        resident: network and records on the accelerator.
        tested: test images.
        normals: normals of the noise.
        output: folder of the files that this call brings back.
        kept: folder that stays on this machine from call to call: finished runs and states.
        about: device, versions and code, for the rows.
        limits: limits of time.
        seconds_a_piece: time of `PIECE` steps.
    """

    plan: Plan
    resident: Resident
    tested: Labelled
    normals: Normals
    output: Path
    kept: Path
    about: Mapping[str, str]
    limits: Limits
    seconds_a_piece: float = 0.0

    def done(self) -> dict[Wanted, float]:
        """Returns the accuracies of runs that were finished on this machine, and brings their files back again."""
        accuracies = {}
        for file in sorted((self.kept / "runs").glob("*.csv")):
            (row,) = read(file)
            if {name: row[name] for name in self.about} == dict(self.about):
                accuracies[wanted_of(row)] = float(row["value"])
                write_rows(self.output / file.name, list(row), [row])
        return accuracies

    def decoder(self, described: Described) -> Single:
        """Returns the decoder of a run's noise."""
        return self.plan.decoders[described.mechanism]

    def seconds(self, wanted: Wanted) -> float:
        """Seconds that a run, or the rest of it, is going to take."""
        described = self.plan.described(wanted)
        state = State.load(self._file(wanted), self._made_from(described))
        remaining = described.steps - (state.step if state else 0)
        return self.seconds_a_piece * math.ceil(remaining / PIECE)

    def make(self, wanted: Wanted) -> float | None:
        """Makes a run, or goes on with it; returns its accuracy and writes its row, or None when time is over."""
        described = self.plan.described(wanted)
        run, batches, decoder = settings_of(described), described.batches(), self.decoder(described)
        made_from, file = self._made_from(described), self._file(wanted)
        state = State.load(file, made_from) or self.start(described)
        later = (self.plan.described(upcoming) for upcoming in self.plan.upcoming({wanted: 0.0, **self._finished()}))
        try:
            normals = self.normals.of(described, decoder.shape[1], max(self.limits.left(), 0.0))
        except TimeoutError:
            return None
        self.normals.ahead(
            (following, self.decoder(following).shape[1]) for following, _ in zip(later, range(20), strict=False)
        )
        began = time.monotonic()
        while state.step < run.steps:
            if self.limits.left() < 2.0 * self.seconds_a_piece:
                state.save(file, made_from)
                return None
            try:
                state, _ = self.piece(run, state, batches, decoder, normals)
            except ValueError as error:
                # A rate at which parameters overflow is worse than all others, and no reason to end.
                print(f"{wanted.file}: {error}")
                return 0.0
            if state.step % KEPT == 0:
                state.save(file, made_from)
        value = self.resident.network.accuracy(state.parameters, self.tested.images, self.tested.labels)
        row = {**described.row(self.about["device"]), "series": "test accuracy", "trial": 0, "value": value}
        # The seconds of a run that was cut are those of its last part.
        row |= {"seconds": round(time.monotonic() - began, 1), "way": self.resident.way, **self.about}
        for folder in (self.kept / "runs", self.output):
            write_rows(folder / f"{wanted.file}.csv", list(row), [row])
        file.unlink(missing_ok=True)
        return float(value)

    def start(self, described: Described) -> State:
        """Returns the state before a run's first step."""
        return State.start(self.resident.network.initial(described.stream("start")))

    def piece(self, run: Run, state: State, batches: Sequence[Any], decoder: Single, normals: list[Any]) -> Any:
        """Makes the next steps; returns the state and the sums that `advance_resident` saw, and measures the time."""
        began = time.monotonic()
        steps = range(state.step, min(run.steps, state.step + PIECE))
        noise = dp_ftrl_network.correlated_rows(decoder[steps.start : steps.stop], normals)
        own = [batches[t % len(batches)] for t in steps]
        state, seen = dp_ftrl_network.advance_resident(self.resident, run, state, own, noise)
        # The slowest piece of late counts, because a run must not be begun that cannot be ended.
        self.seconds_a_piece = max(time.monotonic() - began, 0.9 * self.seconds_a_piece)
        return state, seen

    def choose_way(self, say: Callable[[str], None] = print) -> Any:
        """Times the first steps of the first run in each way, keeps the fastest, and returns what `piece` saw."""
        with ThreadPoolExecutor(len(WAYS)) as pool:
            # All ways are compiled at the same time, because that takes longer than the steps.
            compiled = {way: pool.submit(self._first_steps, way) for way in WAYS}
        seconds = {}
        for way, future in compiled.items():
            if (error := future.exception()) is not None:
                say(f"{way}: not here: {type(error).__name__}: {str(error).splitlines()[0]}")
                continue
            seconds[way] = min(self._first_steps(way) for _ in range(2))
            say(f"{way}: {PIECE} steps take {seconds[way]:.3f} s")
        if not seconds:
            raise SystemExit("no way of clipped sums works on this device: the lines above say why")
        self.resident = replace(self.resident, way=min(seconds, key=seconds.__getitem__))
        described = self.plan.first[0]
        decoder = self.decoder(described)
        normals = self.normals.of(described, decoder.shape[1], max(self.limits.left(), 0.0))
        state = self.start(described)
        for _ in range(2):
            # Timed the second time, because the first one compiles the noise and estimated 317 s for a run of 14 s.
            self.seconds_a_piece = min(seconds.values())
            _, seen = self.piece(settings_of(described), state, described.batches(), decoder, normals)
        return seen

    def _first_steps(self, way: str) -> float:
        """Seconds of the first steps of the first run, without noise."""
        described, network = self.plan.first[0], self.resident.network
        run, batches = settings_of(described), described.batches()
        own = [batches[t % len(batches)] for t in range(min(PIECE, run.steps))]
        noise, state = jnp.zeros((len(own), network.parameters), jnp.float32), self.start(described)
        began = time.monotonic()
        dp_ftrl_network.advance_resident(replace(self.resident, way=way), run, state, own, noise)
        return time.monotonic() - began

    def _finished(self) -> dict[Wanted, float]:
        rows = (read(file)[0] for file in (self.kept / "runs").glob("*.csv"))
        return {wanted_of(row): float(row["value"]) for row in rows}

    def _file(self, wanted: Wanted) -> Path:
        return self.kept / "states" / f"{wanted.file}.npz"

    def _made_from(self, described: Described) -> str:
        return json.dumps([asdict(described), dict(self.about), self.resident.way], sort_keys=True)


def wanted_of(row: Mapping[str, str]) -> Wanted:
    """Returns the run that a row is of."""
    return Wanted(float(row["eps"]), row["mechanism"], float(row["learning_rate"]), int(row["repeat"]))


def read(file: Path) -> list[dict[str, str]]:
    """Reads the rows of a CSV file, as text."""
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def resident_of(records: Labelled) -> Resident:
    """Puts the records into the accelerator's memory."""
    images, labels = jnp.asarray(records.images), jnp.asarray(records.labels.astype(np.int32))
    return Resident(ImageNetwork(), images, labels, min(TOGETHER, len(records.labels)), WAYS[0])


def agreement(
    network: ImageNetwork, records: Labelled, described: Described, parameters: Single, sums: Single
) -> Iterator[float]:
    """Yields for each of the first steps the relative distance of another device's sum from this processor's, in norm.

    Args:
        network, records: network and records that the other device had.
        described: the run.
        parameters: parameters before each step, shape (steps, parameters).
        sums: sums of clipped gradients at them, shape (steps, parameters).
    """
    batches = described.batches()
    with jax.default_device(jax.devices("cpu")[0]):
        for t, (theta, other) in enumerate(zip(parameters, sums, strict=True)):
            rows = batches[t % len(batches)]
            own = np.asarray(
                network.clipped_gradient_sum(theta, records.images[rows], records.labels[rows], described.clip_norm),
                np.float64,
            )
            yield float(np.linalg.norm(other - own) / np.linalg.norm(own))
