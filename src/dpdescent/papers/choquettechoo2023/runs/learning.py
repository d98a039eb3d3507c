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

# Runs that are trained side by side: fewer leave the time of a step to calls of functions, more make noise large.
WIDE = 16


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
        rates = tuned_rates(spec, make_task, compared)
        asked = [(arm, [rate]) for arm, rate in zip(compared, rates, strict=True)]
        for trial in range(*spec["trials"]):
            found = zip(compared, train(spec, make_task, asked, trial), strict=True)
            accuracies = {arm.name: float(accuracy[0]) for arm, accuracy in found}
            for arm, rate in zip(compared, rates, strict=True):
                yield from _rows(arm, rate, trial, accuracies)


def _rows(arm: EpochArm, rate: float, trial: int, accuracies: dict[str, float]) -> Iterator[Row]:
    place = {
        "eps": arm.eps, "mechanism": arm.name, "trial": trial, "learning_rate": rate,
        "noise_multiplier": arm.noise_multiplier, "copies": arm.copies, "nu": arm.nu, "rho": arm.rho,
    }  # fmt: skip
    yield {**place, "series": "test accuracy", "value": accuracies[arm.name]}
    if arm.name != NU and NU in accuracies:
        yield {**place, "series": "nu minus this", "value": accuracies[NU] - accuracies[arm.name]}


def tuned_rates(spec: Spec, make_task: MakeTask, arms: Sequence[EpochArm]) -> list[float]:
    """Returns each arm's rate of the best mean accuracy on seeds, and records drawn by them, beside the table's."""
    rates, seeds = sorted(as_list(spec["arms"]["learning_rate"])), range(-spec["settings"]["tuning_seeds"], 0)

    def accuracies(seed: int, asked: dict[int, list[int]]) -> dict[int, Array]:
        runs = [(arms[index], [rates[place] for place in places]) for index, places in asked.items()]
        return dict(zip(asked, train(spec, make_task, runs, seeds[seed]), strict=True))

    return [float(rates[best]) for best in racing.best_of_each(len(arms), len(rates), len(seeds), accuracies)]


Asked = Sequence[tuple[EpochArm, Sequence[float]]]


def train(spec: Spec, make_task: MakeTask, asked: Asked, trial: int) -> list[Array]:
    """Trains mechanisms on one seed; returns their test accuracies at every learning rate, shape (rates,) each."""
    task = make_task(spec, _named(spec, trial, "data"))
    found: dict[int, Array] = {}
    for group in _together(range(len(asked)), asked):
        accuracies = _train(spec, task, [asked[index] for index in group], trial)
        found |= dict(zip(group, accuracies, strict=True))
    return [found[index] for index in range(len(asked))]


def _together(indices: Sequence[int], asked: Asked) -> Iterator[list[int]]:
    """Yields groups of mechanisms that share batches and clip norm and make at most `WIDE` runs, one at least."""
    alike: dict[tuple[bool, float], list[int]] = {}
    for index in indices:
        alike.setdefault((asked[index][0].name == AMPLIFIED, asked[index][0].clip_norm), []).append(index)
    for group in alike.values():
        cut: list[int] = []
        for index in group:
            if cut and sum(len(asked[each][1]) for each in [*cut, index]) > WIDE:
                yield cut
                cut = []
            cut.append(index)
        yield cut


def _train(spec: Spec, task: Task, group: Asked, trial: int) -> list[Array]:
    """Trains mechanisms with the same batches side by side."""
    settings, (first, _) = spec["settings"], group[0]
    T, batch, parameters = settings["T"], settings["batch"], task.model.parameters
    if first.name == AMPLIFIED:
        batches = samplers.poisson(len(task.labels), settings["k"] / T, T, _named(spec, trial, "sampling"))
    else:
        batches = epoch(len(task.labels), batch, T, settings["k"], _named(spec, trial, "order"))
    columns, start = [arm.columns(rates) for arm, rates in group], _named(spec, trial, "start")
    noise = [arm.noise(_named(spec, trial, "noise"), parameters) for arm, _ in group]
    trained = dp_ftrl_epochs.train(
        task.model, task.inputs, task.labels, batches, dp_ftrl_epochs.EpochArms.joined(columns),
        _side_by_side(noise, [len(rates) for _, rates in group]), start=task.model.initial(start), steps=T,
        batch_size=batch, clip_norm=first.clip_norm, cool_down=settings["cooldown"],
    )  # fmt: skip
    accuracies = task.model.accuracy(trained, task.test_inputs, task.test_labels)
    return np.split(accuracies, np.cumsum([len(rates) for _, rates in group])[:-1])


def _side_by_side(noise: Sequence[Array | None], runs: Sequence[int]) -> Array | None:
    """Noise of mechanisms, (T, 1, parameters) each, for their numbers of runs: None for none, one for all if alone."""
    given = [each for each in noise if each is not None]
    if len(given) < 2:
        return given[0] if given else None
    return np.concatenate([np.repeat(each, count, axis=1) for each, count in zip(given, runs, strict=True)], axis=1)


def _named(spec: Spec, trial: int, role: str) -> np.random.Generator:
    return stream(spec["seed"], PAPER, spec["artefact"], "trial", trial, role)


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
