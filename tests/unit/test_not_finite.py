"""NaN and infinities in data and coefficients: every engine refuses them by name, before it computes anything."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from dpdescent.algorithms import dp_ambssgd, dp_ftrl, dp_ftrl_epochs, dp_ssgd
from dpdescent.algorithms.sgd_arms import Fixed, SGDArm
from dpdescent.data.iv import IVSample
from dpdescent.data.linear import LinearSample
from dpdescent.models.classifiers import softmax_regression
from dpdescent.noise.streams import correlate

ARMS = [SGDArm(0.1, 1.0, Fixed(1.0))]
FTRL = dp_ftrl.FTRLArms(np.array([0.1]), np.array([1.0]), np.array([0.0]))
ONES = np.ones((6, 2))


def with_one(value: float, *shape: int) -> NDArray[np.float64]:
    array = np.ones(shape)
    array[(-1,) * len(shape)] = value
    return array


def full_batch(value: float) -> object:
    return LinearSample(with_one(value, 6, 2), np.ones(6))


def labels_of_full_batch(value: float) -> object:
    return LinearSample(ONES, with_one(value, 6))


def two_stage(value: float) -> object:
    return IVSample(ONES, with_one(value, 6, 1), np.ones(6))


def counts_of_two_stage(value: float) -> object:
    return IVSample(ONES, ONES[:, :1], np.ones(6), with_one(value, 6))


def mini_batch(value: float) -> object:
    batches = dp_ambssgd.batches_of(ONES, with_one(value, 6, 1), 2, np.random.default_rng(1))
    return dp_ambssgd.descend(batches, ARMS, dp_ambssgd.Normals.draw(np.random.default_rng(1), 2, 2, 0))


def shuffled(value: float) -> object:
    return dp_ssgd.descend(with_one(value, 6, 2), np.ones((6, 1)), ARMS, np.random.default_rng(1))


def single_pass(value: float) -> object:
    return dp_ftrl.single_pass(ONES, with_one(value, 6, 1), FTRL, np.zeros(2), None)


def stream_from_a_start(value: float) -> object:
    return dp_ftrl.regression(np.ones(2), FTRL, with_one(value, 2), 3, [np.random.default_rng(1)], None)


def epochs(value: float) -> object:
    arms = dp_ftrl_epochs.EpochArms(np.array([0.1]), np.array([0.0]), np.array([0.0]))
    model = softmax_regression(2, 2)
    return dp_ftrl_epochs.train(
        model, with_one(value, 6, 2), np.zeros(6, dtype=int), [np.arange(6)], arms, None,
        start=np.zeros(model.parameters), steps=1, batch_size=6, clip_norm=1.0,
    )  # fmt: skip


def coefficients(value: float) -> object:
    return correlate(with_one(value, 3), np.ones((5, 1)))


ENGINES = {
    full_batch: "X", labels_of_full_batch: "y", two_stage: "X", counts_of_two_stage: "count", mini_batch: "Y",
    shuffled: "X", single_pass: "Y", stream_from_a_start: "start", epochs: "inputs", coefficients: "coefficients",
}  # fmt: skip


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
def test_engines_refuse_what_is_not_finite(engine: Callable[[float], object], value: float) -> None:
    with pytest.raises(ValueError, match=rf"^{re.escape(ENGINES[engine])} has 1 values that are not finite: mend"):
        engine(value)
    engine(1.0)
