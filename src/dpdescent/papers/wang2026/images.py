"""Training on small images by noise that is calibrated at every correlation, with each sampler (wang2026 Figure 1)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import Self

import numpy as np

from dpdescent.algorithms import dp_ftrl_epochs, racing, samplers
from dpdescent.data.digits import SIDE as DIGITS_SIDE
from dpdescent.data.digits import read_digits, split
from dpdescent.data.images import pooled, read_test, read_training
from dpdescent.models.convolution import ConvolutionalNetwork
from dpdescent.noise.strategies.toeplitz import damped_anti_pgd
from dpdescent.papers.wang2026 import arms
from dpdescent.papers.wang2026.arms import INDEPENDENT_OF, Arm, Noise
from dpdescent.papers.wang2026.setting import GAIN, Array, Index, Part, Row, Size
from dpdescent.privacy.events import Mechanism

# Pixels on each side of an image of Fashion-MNIST, averaged down.
SIDE = 14
ACCURACY = "test accuracy"


@dataclass(frozen=True)
class Pictures:
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


def correlated(normals: Array, lam: float) -> Array:
    """Returns `Z_t - lam Z_(t-1)` with `Z_0 = 0` along the first axis (wang2026 Sec. 3.2)."""
    return damped_anti_pgd(1.0 - lam).correlate(normals)


@dataclass(frozen=True, kw_only=True)
class Batched(Part):
    """Runs on images, of noise that is calibrated at every correlation and epsilon.

    Attributes:
        records, T, r: images to train on, steps, and the share of the images in a batch.
        accountant: the one that calibrates the noise, and decides how batches are drawn.
        eps, lam, delta, C_clip: privacy levels, correlations, delta, threshold.
    """

    records: int
    T: int
    r: float
    accountant: str
    eps: tuple[float, ...]
    lam: tuple[float, ...]
    delta: float
    C_clip: float

    @property
    def size(self) -> Size:
        """n, B and T. This B divides the sums over batches, also where batches have a random number of records.

        Raises:
            ValueError: if r is not one over an integer that divides the number of records.
        """
        r, records = self.r, self.records
        bins: int = round(1.0 / r)
        if abs(bins * r - 1.0) > 1e-9 or records % bins:
            raise ValueError(
                f"r={r}: 1/r must be an integer that divides records={records}, so that epochs have 1/r steps"
            )
        return Size(records, records // bins, self.T)

    def noise(self, lam: float, eps: float) -> Noise:
        """Returns the noise of the part's accountant, which also says how batches are drawn; at lam = 0 the least proved."""
        name = INDEPENDENT_OF.get(self.accountant, self.accountant) if lam == 0.0 else self.accountant
        return arms.calibrated(self, self.size, name, lam, eps, self.delta)

    def by_epsilon(self) -> Iterator[list[Arm]]:
        """Yields, for every epsilon, a run of each correlation."""
        for eps in self.eps:
            yield [Arm(self.noise(lam, eps), self.C_clip) for lam in self.lam]

    def batches(self, sampler: str, trial: int) -> list[Index]:
        """Returns a seed's batches by a sampler, either of one epoch or of all T steps.

        Raises:
            ValueError: if there is no such sampler here.
        """
        size, rng = self.size, self.stream(trial, "batches")
        if sampler == "balls in bins":
            return samplers.balls_in_bins(size.n, size.n // size.B, rng)
        if sampler == "fixed order":
            return samplers.fixed_order(size.n, size.B, rng)
        if sampler == "fixed size":
            return list(samplers.fixed_size(size.n, size.B, size.T, rng))
        raise ValueError(f"sampler={sampler!r} is none of ['balls in bins', 'fixed order', 'fixed size']")

    def rows(self, runs: Sequence[Arm], accuracies: Sequence[float], trial: int) -> Iterator[Row]:
        """Yields the test accuracy of each run of a seed and epsilon, and its gain over independent noise."""
        plain = {arm.noise.lam: accuracy for arm, accuracy in zip(runs, accuracies, strict=True)}.get(0.0)
        for arm, accuracy in zip(runs, accuracies, strict=True):
            row = self.columns(arm, trial)
            yield {**row, "series": ACCURACY, "value": accuracy}
            if plain is not None and arm.noise.lam > 0.0:
                yield {**row, "series": GAIN, "value": accuracy - plain}

    def columns(self, arm: Arm, trial: int) -> Row:
        """Returns the columns that identify a run."""
        own = {"n": arm.size.n, "C_clip": arm.C_clip, "eta": arm.eta, "panel": self.panel, "trial": trial}
        return {**arm.noise.columns, **own}

    def entries(self, caveat: str = "") -> Iterator[tuple[str, Mechanism, float]]:
        """Yields the ledger entries of a run of every noise; the caveat is why there is no guarantee all the same."""
        for arm in chain.from_iterable(self.by_epsilon()):
            noise = arm.noise
            name = f"{self.variant}: {noise.accountant}, eps={noise.eps:g}, lam={noise.lam:g}"
            yield name, arm.event(caveat), noise.delta


@dataclass(frozen=True, kw_only=True)
class Convolutional(Batched):
    """Runs of a small convolutional network, whose steps are tuned on other seeds."""

    filters: int
    eta: tuple[float, ...]
    tuning_seeds: int

    def digits(self, trial: int) -> Pictures:
        """Returns a split of the digits into images to train on and all others to test on."""
        digits = read_digits()
        sizes = [self.records, len(digits) - self.records]
        trained, tested = split(digits, sizes, self.stream(trial, "data"))
        return Pictures(DIGITS_SIDE, trained.inputs, trained.labels, tested.inputs, tested.labels)

    def fashion(self, trial: int) -> Pictures:
        """Returns the first images of the training file and half as many of the test file; for tuning, the next ones.

        So all seeds of the table have the same images, and no step size was tuned on any of them.

        Raises:
            ValueError: if there are not enough images to tune on others.
            dpdescent.data.images.MissingDataError: if Fashion-MNIST is not there.
        """
        training, test = read_training(), read_test()
        tested = self.records // 2
        if 2 * self.records > len(training) or 2 * tested > len(test):
            raise ValueError(f"records={self.records}: there are {len(training)} and {len(test)} images; it may be "
                             f"{min(len(training) // 2, len(test))} at most")  # fmt: skip
        block = int(trial < 0)
        trained = training[block * self.records : (block + 1) * self.records]
        rest = test[block * tested : (block + 1) * tested]
        return Pictures(SIDE, pooled(trained, SIDE), trained.labels, pooled(rest, SIDE), rest.labels)


@dataclass(frozen=True)
class Shared:
    """Images, network, start, batches and normals of one seed, which its runs share.

    Attributes:
        pictures: the images.
        model: the net.
        start: its initial parameters, shape (parameters,).
        batches: rows of each step's batch; after the last comes the first.
        normals: Z without its scale, shape (T, parameters).
    """

    pictures: Pictures
    model: ConvolutionalNetwork
    start: Array
    batches: Sequence[Index]
    normals: Array

    @classmethod
    def of(cls, part: Convolutional, pictures: Pictures, sampler: str, trial: int) -> Self:
        """Draws the images, start, batches and normals of a seed; seeds of tuning are negative."""
        model = ConvolutionalNetwork(pictures.side, part.filters)
        normals = part.stream(trial, "noise").standard_normal((part.T, model.parameters))
        start = model.initial(part.stream(trial, "start"))
        return cls(pictures, model, start, part.batches(sampler, trial), normals)

    def accuracies(self, arm: Arm, etas: Sequence[float]) -> Array:
        """Returns the test accuracy after T steps of a run, with each of the step sizes, shape (etas,)."""
        noise, size = arm.noise, arm.size
        engine_arms = dp_ftrl_epochs.EpochArms(np.array(etas), np.full(len(etas), noise.kappa), np.zeros(len(etas)))
        parameters = dp_ftrl_epochs.train(
            self.model, self.pictures.inputs, self.pictures.labels, self.batches, engine_arms,
            correlated(self.normals, noise.lam)[:, None, :], start=self.start, steps=size.T, batch_size=size.B,
            clip_norm=arm.C_clip,
        )  # fmt: skip
        return self.model.accuracy(parameters, self.pictures.test_inputs, self.pictures.test_labels)


def accuracies(part: Convolutional, pictures: Callable[[int], Pictures]) -> Iterator[Row]:
    """Yields every seed's test accuracy at each correlation, and its gain over independent noise.

    Runs of one seed share records, start, batches and normals, whatever their correlation and epsilon, so that
    differences are paired.
    """
    for untuned in part.by_epsilon():
        runs = _tuned(part, pictures, untuned)
        for trial in part.trials:
            seed = Shared.of(part, pictures(trial), runs[0].noise.sampler, trial)
            yield from part.rows(runs, [float(seed.accuracies(arm, [arm.eta])[0]) for arm in runs], trial)


def _tuned(part: Convolutional, pictures: Callable[[int], Pictures], untuned: Sequence[Arm]) -> list[Arm]:
    """Returns each arm with the step of the best mean accuracy on other seeds; of equally good ones the smallest."""
    etas, trials = sorted(part.eta), range(-part.tuning_seeds, 0)
    shared = cache(lambda trial: Shared.of(part, pictures(trial), untuned[0].noise.sampler, trial))

    def best(arm: Arm) -> float:
        def accuracies(seed: int, asked: Sequence[int]) -> Array:
            return shared(trials[seed]).accuracies(arm, [etas[index] for index in asked])

        return float(etas[racing.best(len(etas), len(trials), accuracies)])

    return [replace(arm, eta=best(arm)) for arm in untuned]
