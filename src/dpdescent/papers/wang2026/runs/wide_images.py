"""Figure 1's left panel on real images by a linear model: accuracy against the correlation, at equal (epsilon, delta).

Runs of one seed share batches and normals, whatever their correlation and epsilon, so that differences are paired; they
are trained side by side, because products of all runs together cost least. Step sizes come from another table, of runs
on part of the training images that were tested on the rest.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms.dp_ftrl_epochs import EpochArms
from dpdescent.algorithms.dp_ftrl_softmax import WideSoftmax
from dpdescent.checks import as_list
from dpdescent.papers.wang2026.arms import INDEPENDENT, Arm
from dpdescent.papers.wang2026.design import Array, Row, Spec, named, value
from dpdescent.papers.wang2026.runs import calibrated, images
from dpdescent.privacy.events import Mechanism
from dpdescent.replication import real_images
from dpdescent.replication.real_images import CLASSES, HELD_OUT, TUNED_ON, Asked, Images, Tuned

Single = NDArray[np.float32]

# Accountants whose noise is that of another one, whose rates they take.
SAME_NOISE = {"cyclic": "worst bin"}


@dataclass(frozen=True)
class CorrelatedNoise:
    """Noise `Z_t - lam Z_(t-1)` with `Z_0 = 0`, made step by step, because that of all lambdas would take gigabytes.

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


def arms(spec: Spec) -> Iterator[list[Arm]]:
    """Yields, for every epsilon of a part, a run of each correlation; without any, with the least noise proved."""
    size, accountant, delta = images.size_of(spec), value(spec, "accountant"), value(spec, "delta")
    for eps in as_list(value(spec, "eps")):
        named_by = {lam: INDEPENDENT.get(accountant, accountant) if lam == 0.0 else accountant
                    for lam in as_list(value(spec, "lam"))}  # fmt: skip
        noises = (calibrated.noise(spec, size, name, lam, eps, delta) for lam, name in named_by.items())
        yield [Arm(noise, value(spec, "C_clip")) for noise in noises]


def run(spec: Spec, rates_table: str) -> Iterator[Row]:
    """Yields every seed's test accuracy at each correlation, and what it gains over independent noise."""
    pictures, tuned = real_images.task(spec), Tuned.read(spec, rates_table, _row_name, "eta")
    by_epsilon = [[replace(arm, eta=tuned.rate(_name(arm), arm.noise.eps)) for arm in group] for group in arms(spec)]
    for trial in range(*spec["trials"]):
        accuracies = iter(train(spec, pictures, [*chain.from_iterable(by_epsilon)], trial).tolist())
        for group in by_epsilon:
            yield from images.rows(spec, group, [next(accuracies) for _ in group], trial)


def tune(spec: Spec) -> Iterator[Row]:
    """Yields accuracies on held-out training images, at step sizes on both sides of the best one of every run."""
    pictures, own = real_images.held_out(spec), without_held_out(spec)
    untuned, trials = [*chain.from_iterable(arms(own))], range(*spec["trials"])

    def accuracies(asked: Sequence[Asked]) -> Array:
        made = [replace(untuned[index], eta=eta) for index, eta in asked]
        return np.stack([train(own, pictures, made, trial) for trial in trials], axis=1)

    for (index, eta), found in real_images.until_bracketed(
        as_list(value(spec, "eta")), len(untuned), accuracies
    ).items():
        for trial, accuracy in zip(trials, found.tolist(), strict=True):
            row = images.columns(own, replace(untuned[index], eta=eta), trial)
            yield {**row, "series": HELD_OUT, "value": accuracy}


def without_held_out(spec: Spec) -> Spec:
    """Returns a part whose records are those that rates are tuned on."""
    left = value(spec, "records") - value(spec, "held_out")
    return {**spec, "cell": {**spec["cell"], "records": left}}


def train(spec: Spec, pictures: Images, arms: Sequence[Arm], trial: int) -> Array:
    """Trains all runs of a seed, which have one sampler, and returns their accuracies, shape (arms,)."""
    (sampler,) = {arm.noise.sampler for arm in arms}
    batches = images.batches_of(spec, sampler, named(spec, trial, "batches"))
    model = WideSoftmax(pictures.training.inputs.shape[1], CLASSES)
    size = images.size_of(spec)
    normals = named(spec, trial, "noise").standard_normal((size.T, model.parameters), dtype=np.float32)
    lams = sorted({arm.noise.lam for arm in arms})
    made = EpochArms(
        np.array([arm.eta for arm in arms]), np.array([arm.noise.kappa for arm in arms]), np.zeros(len(arms))
    )  # fmt: skip
    seen, unseen = pictures.training, pictures.test
    weights = model.train(
        seen.inputs, seen.labels, batches, made, [CorrelatedNoise(normals, lam) for lam in lams],
        np.array([lams.index(arm.noise.lam) for arm in arms]), np.array([arm.C_clip for arm in arms]), steps=size.T,
        batch_size=size.B, cool_down=0.0,
    )  # fmt: skip
    return model.accuracy(weights, unseen.inputs, unseen.labels)


def _name(arm: Arm) -> str:
    return f"{SAME_NOISE.get(arm.noise.accountant, arm.noise.accountant)} at lam={arm.noise.lam:g}"


def _row_name(row: Mapping[str, str]) -> str:
    return f"{row['accountant']} at lam={float(row['lam']):g}"


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of a part: a run of every noise, at rates that were tuned on the records."""
    return images.entries(spec, chain.from_iterable(arms(spec)), TUNED_ON)
