"""Figure 1's left panel on small images: accuracy against the correlation of the noise, at equal (epsilon, delta).

The images come as a `Task`. Runs of one seed share records, start, batches and normals, whatever their correlation
and epsilon, so that differences are paired. Step sizes are tuned on other seeds.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain

import numpy as np

from dpdescent.algorithms import dp_ftrl_epochs, racing, samplers
from dpdescent.checks import as_list
from dpdescent.models.convolution import ConvolutionalNetwork
from dpdescent.noise.strategies.toeplitz import damped_anti_pgd
from dpdescent.papers.wang2026.arms import Arm, Noise
from dpdescent.papers.wang2026.design import Array, Index, Row, Size, Spec, named, value
from dpdescent.papers.wang2026.runs import calibrated
from dpdescent.privacy.events import Mechanism

ACCURACY, GAIN = "test accuracy", "gain over lam = 0"


@dataclass(frozen=True)
class Task:
    """Images to train and to test on, of one seed.

    Attributes:
        side: pixels on each side of an image.
        inputs: images to train on, row by row, shape (images, side^2).
        labels: classes 0 to 9, shape (images,).
        test_inputs, test_labels: images to test on.
    """

    side: int
    inputs: Array
    labels: Index
    test_inputs: Array
    test_labels: Index


MakeTask = Callable[[Spec, int], Task]


@dataclass(frozen=True)
class Seed:
    """What runs of one seed share.

    Attributes:
        task: the images.
        model: the net.
        start: its initial parameters, shape (parameters,).
        batches: rows of each step's batch, gone through again and again.
        normals: Z without its scale, shape (T, parameters).
    """

    task: Task
    model: ConvolutionalNetwork
    start: Array
    batches: Sequence[Index]
    normals: Array

    @classmethod
    def of(cls, spec: Spec, make_task: MakeTask, sampler: str, trial: int) -> "Seed":
        """Draws what runs of a seed share; seeds of tuning are negative."""
        task = make_task(spec, trial)
        model = ConvolutionalNetwork(task.side, value(spec, "filters"))
        batches = batches_of(spec, sampler, named(spec, trial, "batches"))
        normals = named(spec, trial, "noise").standard_normal((value(spec, "T"), model.parameters))
        return cls(task, model, model.initial(named(spec, trial, "start")), batches, normals)

    def accuracies(self, arm: Arm, etas: Sequence[float]) -> Array:
        """Returns the test accuracy after T steps of a run, with each of the step sizes, shape (etas,)."""
        noise, size = arm.noise, arm.size
        made = dp_ftrl_epochs.EpochArms(np.array(etas), np.full(len(etas), noise.kappa), np.zeros(len(etas)))
        parameters = dp_ftrl_epochs.train(
            self.model, self.task.inputs, self.task.labels, self.batches, made,
            correlated(self.normals, noise.lam)[:, None, :], start=self.start, steps=size.T, batch_size=size.B,
            clip_norm=arm.C_clip,
        )  # fmt: skip
        return self.model.accuracy(parameters, self.task.test_inputs, self.task.test_labels)


def correlated(normals: Array, lam: float) -> Array:
    """Returns `Z_t - lam Z_(t-1)` with `Z_0 = 0` along the first axis (wang2026 Sec. 3.2)."""
    return damped_anti_pgd(1.0 - lam).correlate(normals)


def size_of(spec: Spec) -> Size:
    """Returns the size of a run. Sums over batches are divided by its B, also where their number of records is random.

    Raises:
        ValueError: if r is not one over an integer that divides the number of records.
    """
    r, records = value(spec, "r"), value(spec, "records")
    bins: int = round(1.0 / r)
    if abs(bins * r - 1.0) > 1e-9 or records % bins:
        raise ValueError(f"r={r}: 1/r must be an integer that divides records={records}, so that epochs have 1/r steps")
    return Size(records, records // bins, value(spec, "T"))


def batches_of(spec: Spec, sampler: str, rng: np.random.Generator) -> list[Index]:
    """Returns batches as a sampler draws them: those of an epoch, or of all T steps.

    Raises:
        ValueError: if there is no such sampler here.
    """
    size = size_of(spec)
    if sampler == "balls in bins":
        return samplers.balls_in_bins(size.n, size.n // size.B, rng)
    if sampler == "fixed order":
        return samplers.fixed_order(size.n, size.B, rng)
    if sampler == "fixed size":
        return list(samplers.fixed_size(size.n, size.B, size.T, rng))
    raise ValueError(f"sampler={sampler!r} is none of ['balls in bins', 'fixed order', 'fixed size']")


def noise_of(spec: Spec, lam: float, eps: float) -> Noise:
    """Returns the noise of the part's accountant; batches are drawn as that one asks for."""
    return calibrated.noise(spec, size_of(spec), value(spec, "accountant"), lam, eps, value(spec, "delta"))


def arms(spec: Spec) -> Iterator[list[Arm]]:
    """Yields, for every epsilon of a part, a run of each correlation."""
    for eps in as_list(value(spec, "eps")):
        yield [Arm(noise_of(spec, lam, eps), value(spec, "C_clip")) for lam in as_list(value(spec, "lam"))]


def run(spec: Spec, make_task: MakeTask) -> Iterator[Row]:
    """Yields every seed's test accuracy at each correlation, and what it gains over independent noise."""
    for untuned in arms(spec):
        made = tuned(spec, make_task, untuned)
        for trial in range(*spec["trials"]):
            seed = Seed.of(spec, make_task, made[0].noise.sampler, trial)
            yield from rows(spec, made, [float(seed.accuracies(arm, [arm.eta])[0]) for arm in made], trial)


def rows(spec: Spec, arms: Sequence[Arm], accuracies: Sequence[float], trial: int) -> Iterator[Row]:
    """Yields the test accuracy of each run of a seed and epsilon, and what it gains over independent noise."""
    plain = {arm.noise.lam: accuracy for arm, accuracy in zip(arms, accuracies, strict=True)}.get(0.0)
    for arm, accuracy in zip(arms, accuracies, strict=True):
        row = columns(spec, arm, trial)
        yield {**row, "series": ACCURACY, "value": accuracy}
        if plain is not None and arm.noise.lam > 0.0:
            yield {**row, "series": GAIN, "value": accuracy - plain}


def columns(spec: Spec, arm: Arm, trial: int) -> Row:
    """Returns the columns by which a run is known."""
    row = {**arm.noise.columns, "n": arm.size.n, "C_clip": arm.C_clip, "eta": arm.eta}
    return row | {"panel": spec["panel"], "trial": trial}


def tuned(spec: Spec, make_task: MakeTask, arms: Sequence[Arm]) -> list[Arm]:
    """Returns each arm with the step of the best mean accuracy on other seeds; of equally good ones the smallest."""
    etas, trials = sorted(as_list(value(spec, "eta"))), range(-value(spec, "tuning_seeds"), 0)
    drawn = cache(lambda trial: Seed.of(spec, make_task, arms[0].noise.sampler, trial))

    def best(arm: Arm) -> float:
        def accuracies(seed: int, asked: Sequence[int]) -> Array:
            return drawn(trials[seed]).accuracies(arm, [etas[index] for index in asked])

        return float(etas[racing.best(len(etas), len(trials), accuracies)])

    return [replace(arm, eta=best(arm)) for arm in arms]


def releases(spec: Spec, caveat: str = "") -> Iterable[tuple[str, Mechanism, float]]:
    """Yields ledger entries of a part: a run of every noise.

    Args:
        spec: the cell.
        caveat: why there is no guarantee all the same, such as step sizes tuned on the records.
    """
    yield from entries(spec, chain.from_iterable(arms(spec)), caveat)


def entries(spec: Spec, arms: Iterable[Arm], caveat: str = "") -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of runs; the caveat as for `releases`."""
    for arm in arms:
        noise = arm.noise
        name = f"{spec['variant']}: {noise.accountant}, eps={noise.eps:g}, lam={noise.lam:g}"
        yield name, arm.event(caveat), noise.delta
