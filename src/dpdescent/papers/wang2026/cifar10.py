"""Figure 1's left panel on the images of CIFAR-10 by a linear model: accuracy against the correlation (wang2026)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Self

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms.dp_ftrl_epochs import EpochArms
from dpdescent.algorithms.dp_ftrl_softmax import WideSoftmax
from dpdescent.papers.wang2026.arms import Arm
from dpdescent.papers.wang2026.images import Batched
from dpdescent.papers.wang2026.setting import Array, Row, Spec
from dpdescent.privacy.events import Mechanism
from dpdescent.replication import real_images
from dpdescent.replication.real_images import CLASSES, HELD_OUT, TUNED_ON, ArmAndRate, Images, TunedRates

Single = NDArray[np.float32]
# The artefact in which step sizes were tuned, by runs on part of the training images that were tested on the rest.
RATES = "fig01_cifar10_rates"
# Accountants that take the rates of another one, because their noise is the same.
SAME_NOISE = {"cyclic": "worst bin"}


@dataclass(frozen=True)
class CorrelatedNoise:
    """Noise `Z_t - lam Z_(t-1)` with `Z_0 = 0`, step by step, because the noise of all lambdas would take gigabytes.

    Attributes:
        normals: Z without its scale, shape (T, parameters).
        lam: the correlation.
    """

    normals: Single
    lam: float

    def __getitem__(self, step: int, /) -> Single:
        """Returns the noise of a step, counted from 0."""
        before: Single = self.normals[max(step - 1, 0)]
        fresh: Single = self.normals[step]
        return fresh - np.float32(self.lam) * before if step else fresh


def _name(arm: Arm) -> str:
    return f"{SAME_NOISE.get(arm.noise.accountant, arm.noise.accountant)} at lam={arm.noise.lam:g}"


def _row_name(row: Mapping[str, str]) -> str:
    return f"{row['accountant']} at lam={float(row['lam']):g}"


@dataclass(frozen=True, kw_only=True)
class Linear(Batched):
    """Runs of a linear model on features of real images, with noise that is calibrated at every correlation."""

    held_out: int = 0
    eta: tuple[float, ...] = ()

    def tuning(self) -> Self:
        """Returns the part with the records that rates are tuned on."""
        return replace(self, records=self.records - self.held_out)

    def train(self, pictures: Images, runs: Sequence[Arm], trial: int) -> Array:
        """Trains all runs of a seed, which have one sampler, and returns their accuracies, shape (arms,).

        They share batches and normals, whatever their correlation and epsilon, so that differences are paired; they are
        trained side by side, because products of all runs together cost least.
        """
        (sampler,) = {arm.noise.sampler for arm in runs}
        size, batches = self.size, self.batches(sampler, trial)
        seen, unseen = pictures.training, pictures.test
        model = WideSoftmax(seen.inputs.shape[1], CLASSES)
        normals = self.stream(trial, "noise").standard_normal((size.T, model.parameters), dtype=np.float32)
        lams = sorted({arm.noise.lam for arm in runs})
        engine_arms = EpochArms(
            np.array([arm.eta for arm in runs]), np.array([arm.noise.kappa for arm in runs]), np.zeros(len(runs))
        )  # fmt: skip
        weights = model.train(
            seen.inputs, seen.labels, batches, engine_arms, [CorrelatedNoise(normals, lam) for lam in lams],
            np.array([lams.index(arm.noise.lam) for arm in runs]), np.array([arm.C_clip for arm in runs]),
            steps=size.T, batch_size=size.B, cool_down=0.0,
        )  # fmt: skip
        return model.accuracy(weights, unseen.inputs, unseen.labels)


def run_fig01_cifar10(spec: Spec) -> Iterator[Row]:
    """Yields every seed's test accuracy at each correlation, and its gain over independent noise."""
    part = Linear.of(spec)
    pictures, tuned = real_images.first_images(spec), TunedRates.read(spec, RATES, _row_name, "eta")
    groups = [[replace(arm, eta=tuned.rate(_name(arm), arm.noise.eps)) for arm in group] for group in part.by_epsilon()]
    for trial in part.trials:
        accuracies = iter(part.train(pictures, [*chain.from_iterable(groups)], trial).tolist())
        for group in groups:
            yield from part.rows(group, [next(accuracies) for _ in group], trial)


def releases_fig01_cifar10(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of a part: a run of every noise, at rates that were tuned on the records."""
    return Linear.of(spec).entries(TUNED_ON)


def run_fig01_cifar10_rates(spec: Spec) -> Iterator[Row]:
    """Yields accuracies on held-out training images, at step sizes on both sides of every run's best step size."""
    part, pictures = Linear.of(spec).tuning(), real_images.held_out(spec)
    untuned = [*chain.from_iterable(part.by_epsilon())]

    def accuracies(asked: Sequence[ArmAndRate]) -> Array:
        runs = [replace(untuned[index], eta=eta) for index, eta in asked]
        return np.stack([part.train(pictures, runs, trial) for trial in part.trials], axis=1)

    for (index, eta), by_trial in real_images.until_bracketed(part.eta, len(untuned), accuracies).items():
        for trial, accuracy in zip(part.trials, by_trial.tolist(), strict=True):
            row = part.columns(replace(untuned[index], eta=eta), trial)
            yield {**row, "series": HELD_OUT, "value": accuracy}


def releases_fig01_cifar10_rates(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of one epsilon, of runs that were trained on all but the held-out images."""
    return Linear.of(spec).tuning().entries(TUNED_ON)
