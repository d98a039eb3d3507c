"""Figure 4's comparison on small data: mechanisms at equal (epsilon, delta), rates tuned elsewhere, paired seeds.

What differs between the two halves of the figure, records and model, comes as a `Task`. Mechanisms of one seed share
records, their order, the first parameters and the normals that noise is made of.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms import dp_ftrl_epochs, racing, samplers
from dpdescent.checks import as_list
from dpdescent.models.classifiers import Classifier
from dpdescent.papers.choquettechoo2023.arms import AMPLIFIED, NU, EpochArm, names
from dpdescent.papers.choquettechoo2023.design import PAPER, Array, Row, Spec
from dpdescent.privacy.events import Mechanism
from dpdescent.randomness import stream


@dataclass(frozen=True)
class Task:
    """Records and model of one seed.

    Attributes:
        model: the model.
        inputs, labels: records to train on, along the first axis.
        test_inputs, test_labels: records to test on.
    """

    model: Classifier
    inputs: NDArray[Any]
    labels: NDArray[Any]
    test_inputs: NDArray[Any]
    test_labels: NDArray[Any]


MakeTask = Callable[[Spec, np.random.Generator], Task]


def run(spec: Spec, make_task: MakeTask) -> Iterator[Row]:
    """Yields rows of each epsilon: every seed's test accuracy of every mechanism, and what nu-DP-FTRL has beyond it."""
    for eps in as_list(spec["cell"]["eps"]):
        compared = [EpochArm.of(spec, name, eps) for name in names(spec)]
        rates = {arm.name: tuned_rate(spec, make_task, arm) for arm in compared}
        for trial in range(*spec["trials"]):
            accuracies = {arm.name: float(train(spec, make_task, arm, [rates[arm.name]], trial)[0]) for arm in compared}
            for arm in compared:
                yield from _rows(arm, rates[arm.name], trial, accuracies)


def _rows(arm: EpochArm, rate: float, trial: int, accuracies: dict[str, float]) -> Iterator[Row]:
    place = {
        "eps": arm.eps, "mechanism": arm.name, "trial": trial, "learning_rate": rate,
        "noise_multiplier": arm.noise_multiplier, "copies": arm.copies, "nu": arm.nu, "rho": arm.rho,
    }  # fmt: skip
    yield {**place, "series": "test accuracy", "value": accuracies[arm.name]}
    if arm.name != NU and NU in accuracies:
        yield {**place, "series": "nu minus this", "value": accuracies[NU] - accuracies[arm.name]}


def tuned_rate(spec: Spec, make_task: MakeTask, arm: EpochArm) -> float:
    """Returns the learning rate of the best mean accuracy on seeds, and records drawn by them, beside the table's."""
    rates, seeds = sorted(as_list(spec["arms"]["learning_rate"])), range(-spec["settings"]["tuning_seeds"], 0)

    def accuracies(seed: int, asked: Sequence[int]) -> Array:
        return train(spec, make_task, arm, [rates[index] for index in asked], seeds[seed])

    return float(rates[racing.best(len(rates), len(seeds), accuracies)])


def train(spec: Spec, make_task: MakeTask, arm: EpochArm, rates: Sequence[float], trial: int) -> Array:
    """Trains on one seed and returns the test accuracy at every learning rate, shape (rates,)."""
    settings = spec["settings"]
    T, batch = settings["T"], settings["batch"]

    def named(role: str) -> np.random.Generator:
        return stream(spec["seed"], PAPER, spec["artefact"], "trial", trial, role)

    task = make_task(spec, named("data"))
    if arm.name == AMPLIFIED:
        batches = samplers.poisson(len(task.labels), settings["k"] / T, T, named("sampling"))
    else:
        batches = epoch(len(task.labels), batch, T, settings["k"], named("order"))
    parameters = dp_ftrl_epochs.train(
        task.model, task.inputs, task.labels, batches, arm.columns(rates),
        arm.noise(named("noise"), task.model.parameters), start=task.model.initial(named("start")), steps=T,
        batch_size=batch, clip_norm=arm.clip_norm, cool_down=settings["cooldown"],
    )  # fmt: skip
    return task.model.accuracy(parameters, task.test_inputs, task.test_labels)


def epoch(records: int, batch: int, T: int, k: int, rng: np.random.Generator) -> list[NDArray[np.intp]]:
    """Returns the batches of one epoch, after which they come again in the same order.

    Raises:
        ValueError: unless an epoch has T/k batches: records would come again sooner than sensitivities account for.
    """
    batches = samplers.fixed_order(records, batch, rng)
    if len(batches) * k != T:
        raise ValueError(f"batch={batch}: {records} records make {len(batches)} batches, but T={T} steps with k={k} "
                         f"participations need {T / k:g}; take a batch of {records * k / T:g}")  # fmt: skip
    return batches


def releases(spec: Spec, unit: str, tuned_on: str, defended: bool) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of one cell: a run of every mechanism.

    Args:
        spec: the cell.
        unit: what a record is.
        tuned_on: what learning rates were tuned on.
        defended: whether these are other people's data, so that the rate says nothing of anyone in the run.
    """
    delta = spec["settings"]["dp_delta"]
    for eps in as_list(spec["cell"]["eps"]):
        for name in names(spec):
            event = EpochArm.of(spec, name, eps).mechanism()
            reason = f"a record is {unit}; {event.reason}; {tuned_on}"
            guarantee = event.guarantee if defended else "none"
            yield f"{spec['variant']}: {name}, eps={eps:g}", replace(event, guarantee=guarantee, reason=reason), delta
