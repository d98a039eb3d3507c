"""Figure 4(a) on real images at the paper's n, T and k, on request: a linear model on columns that no data have shaped.

All epsilons of a mechanism are arms of one run, because they share batches and noise up to its scale; mechanisms of one
seed share the order of the records and the normals. Learning rates come from another table, of runs that were trained
on the first part of the training images and tested on the rest, never on test images.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpdescent.algorithms import samplers
from dpdescent.algorithms.dp_ftrl_epochs import EpochArms
from dpdescent.algorithms.dp_ftrl_softmax import WideSoftmax
from dpdescent.checks import as_list
from dpdescent.data import kept
from dpdescent.noise.strategies import multi_epoch
from dpdescent.noise.strategies.multi_epoch import MultiEpoch, multi_epoch_optimum
from dpdescent.papers.choquettechoo2023 import comparisons
from dpdescent.papers.choquettechoo2023.comparisons import Analogue
from dpdescent.papers.choquettechoo2023.criteria import rows
from dpdescent.papers.choquettechoo2023.digits import epoch
from dpdescent.papers.choquettechoo2023.mechanisms import EpochArm
from dpdescent.papers.choquettechoo2023.setting import (
    AMPLIFIED,
    AMPLIFIED_RENYI,
    ME,
    NU,
    PAPER,
    RESTARTS,
    Array,
    Row,
    Spec,
    names,
)  # fmt: skip
from dpdescent.privacy.events import Mechanism
from dpdescent.randomness import stream
from dpdescent.replication import real_images
from dpdescent.replication.judging.evidence import Claim, Evidence, joined
from dpdescent.replication.real_images import ACCURACY, CACHE, CLASSES, HELD_OUT, TUNED_ON, Images, TunedRates

Index = NDArray[np.intp]
AHEAD, RESTARTED = "nu minus this", "restarts minus this"
# Mechanisms that are trained at once: their noise lies in memory, 0.3 GB each.
TOGETHER = 4
# Columns of noise that are made at a time.
WIDE = 8192
SEEDS = (
    "only budgets at which rates were tuned are judged; intervals are Student's, over seeds on one set of images, "
    "conditional on it; the selection of rates is in no interval"
)
OF_THE_ERROR = (
    "nu is that of (3), though Sec. 4's grid search of hyperparameters may have had nu in it: other nu's were tried on "
    "the digits only, claim digits-nu-tuned"
)
TUNED_ONLY = (
    "Before a review cells at eps of 2, 6, 8, 14 and 20 were judged too, whose learning rates are those of another eps, "
    "and decided most verdicts."
)
CIFAR = Analogue(
    {
        "anytime": "cifar-linear-anytime", "average": "cifar-linear-anytime-average", "me": "cifar-linear-me",
        "dp-sgd": "cifar-linear-dp-sgd", "damping": "cifar-linear-damping", "grows": "cifar-linear-gain-grows",
        "gap": "cifar-linear-gap-closed", "renyi": "cifar-linear-dp-sgd-renyi", "restarts": "cifar-linear-restarts",
    },
    "(analogue: CIFAR-10, linear model)", "main", "fig04a_cifar10", SEEDS, added=True,
)  # fmt: skip
FASHION = Analogue(
    {
        "anytime": "fashion-linear-anytime", "average": "fashion-linear-anytime-average", "me": "fashion-linear-me",
        "dp-sgd": "fashion-linear-dp-sgd", "damping": "fashion-linear-damping", "grows": "fashion-linear-gain-grows",
        "gap": "fashion-linear-gap-closed", "renyi": "fashion-linear-dp-sgd-renyi",
        "restarts": "fashion-linear-restarts",
    },
    "(analogue: Fashion-MNIST, linear model)", "main", "fig04a_fashion", SEEDS, added=True,
)  # fmt: skip


@dataclass(frozen=True)
class Trained:
    """A mechanism of the figure at an epsilon, its learning rate, and the accuracy that it reached."""

    name: str
    arm: EpochArm
    rate: float
    accuracy: float = math.nan


def rows_of(spec: Spec, rates_table: str) -> Iterator[Row]:
    """Yields each seed's test accuracy of every mechanism, and paired differences, at every epsilon.

    Args:
        spec: the part; `trials_elsewhere` seeds have all epsilons, later ones those of `headline` only.
        rates_table: name of the artefact that learning rates were tuned in.
    """
    images, tuned, settings = real_images.first_images(spec), rates(spec, rates_table), spec["settings"]
    for trial in range(*spec["trials"]):
        budgets = as_list(spec["cell"]["eps"] if trial < settings["trials_elsewhere"] else settings["headline"])
        pairs = itertools.product(names(spec), budgets)
        runs = [Trained(name, arm_of(spec, name, eps), tuned.rate(name, eps)) for name, eps in pairs]
        trained = {(run.name, run.arm.eps): run for run in train(spec, images, runs, trial)}
        for run in trained.values():
            place = place_of(run, trial)
            yield {**place, "series": ACCURACY, "value": run.accuracy}
            for series, other in ((AHEAD, NU), (RESTARTED, run.name + RESTARTS)):
                if other != run.name and (compared := trained.get((other, run.arm.eps))):
                    yield {**place, "series": series, "value": compared.accuracy - run.accuracy}


def place_of(run: Trained, trial: int) -> Row:
    """Returns the columns of a run's place in the table, and of its noise."""
    arm = run.arm
    return {
        "eps": arm.eps, "mechanism": run.name, "trial": trial, "learning_rate": run.rate,
        "noise_multiplier": arm.noise_multiplier, "copies": arm.copies, "nu": arm.nu, "rho": arm.rho,
    }  # fmt: skip


def tune(spec: Spec) -> Iterator[Row]:
    """Yields the accuracy on held-out training images of one mechanism at every epsilon and learning rate."""
    images, cell = real_images.held_out(spec), spec["cell"]
    arms = [arm_of(spec, cell["mechanism"], eps) for eps in as_list(spec["arms"]["eps"])]
    runs = [Trained(cell["mechanism"], arm, float(rate)) for arm in arms for rate in as_list(cell["learning_rate"])]
    for trial in range(*spec["trials"]):
        # Seeds of their own, so that no order and no noise is that of a run in the figure.
        for run in train(spec, images, runs, -1 - trial):
            yield {**place_of(run, trial), "series": HELD_OUT, "value": run.accuracy}


def arm_of(spec: Spec, name: str, eps: float) -> EpochArm:
    """Returns a mechanism at an epsilon; the strategy of ME is read from disk once it was computed."""
    settings = spec["settings"]
    if name == ME:
        return EpochArm.of(spec, name, eps, multi_epoch_kept(settings["T"], settings["k"]))
    if name == AMPLIFIED_RENYI:
        loose = {**spec, "settings": {**settings, "accountant": "Renyi"}}
        return EpochArm.of(loose, AMPLIFIED, eps)
    return EpochArm.of(spec, name, eps)


@cache
def multi_epoch_kept(T: int, k: int) -> MultiEpoch:
    """Returns the optimal strategy for (T, k), computed once and kept on disk, because it takes minutes at T = 2000."""

    def make() -> Array:
        best = multi_epoch_optimum(T, k)
        last = np.zeros(T)
        last[:2] = best.bound, best.evaluations
        return np.concatenate([best.matrix, best.inverse, last[None]])

    file = CACHE / f"multi-epoch-{T}-{k}-{kept.code(multi_epoch)}.npy"
    stored = np.asarray(kept.once(file, make), np.float64)
    return MultiEpoch(k, stored[:T], stored[T : 2 * T], float(stored[-1, 0]), int(stored[-1, 1]))


def train(spec: Spec, images: Images, runs: Sequence[Trained], trial: int) -> Iterator[Trained]:
    """Trains all runs on one seed, a few mechanisms at a time, and yields them with their accuracies."""
    by_name: dict[str, list[Trained]] = {}
    for run in runs:
        by_name.setdefault(run.name, []).append(run)
    sampled = [by_name.pop(name) for name in (AMPLIFIED, AMPLIFIED_RENYI) if name in by_name]
    ordered = list(by_name.values())
    groups = [ordered[first : first + TOGETHER] for first in range(0, len(ordered), TOGETHER)]
    for poisson, group in [(True, sampled)] * bool(sampled) + [(False, group) for group in groups]:
        batches = batches_of(spec, len(images.training.labels), trial, poisson=poisson)
        yield from _train(spec, images, group, batches, trial)


def _train(
    spec: Spec, images: Images, group: Sequence[Sequence[Trained]], batches: Sequence[Index], trial: int
) -> Iterator[Trained]:
    """Trains mechanisms on the same batches; without privacy no epsilon matters, and a rate is trained once."""
    settings = spec["settings"]
    model = WideSoftmax(images.training.inputs.shape[1], CLASSES)
    noise = [correlated(runs[0].arm, model.parameters, named(spec, trial, "noise")) for runs in group]
    flat = [(index, run) for index, runs in enumerate(group) for run in runs]
    arms = {_result_key(run): (index, run) for index, run in flat}
    noise_of = np.array([index for index, _ in arms.values()])
    columns = EpochArms.joined([run.arm.columns([run.rate]) for _, run in arms.values()])
    weights = model.train(
        images.training.inputs, images.training.labels, batches, columns, noise, noise_of,
        np.array([run.arm.clip_norm for _, run in arms.values()]), steps=settings["T"],
        batch_size=len(images.training.labels) * settings["k"] // settings["T"], cool_down=settings["cooldown"],
    )  # fmt: skip
    accuracies = dict(zip(arms, model.accuracy(weights, images.test.inputs, images.test.labels), strict=True))
    for _, run in flat:
        yield replace(run, accuracy=float(accuracies[_result_key(run)]))


def _result_key(run: Trained) -> tuple[str, float, float]:
    """The values that a run's result depends on within a seed."""
    return run.name, run.arm.eps if run.arm.strategy else 0.0, run.rate


def batches_of(spec: Spec, records: int, trial: int, *, poisson: bool) -> Sequence[Index]:
    """Returns Poisson batches for DP-SGD with amplification, else those of an epoch in one order."""
    T, k = spec["settings"]["T"], spec["settings"]["k"]
    if poisson:
        return samplers.poisson(records, k / T, T, named(spec, trial, "sampling"))
    return epoch(records, records * k // T, T, k, named(spec, trial, "order"))


def named(spec: Spec, trial: int, role: str) -> np.random.Generator:
    """Returns the stream of a role of a seed; seeds of tuning are negative."""
    return stream(spec["seed"], PAPER, spec["settings"]["source"], "trial", trial, role)


def correlated(arm: EpochArm, parameters: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Returns a mechanism's noise at multiplier and clip norm 1, shape (T, parameters), made in blocks of columns."""
    if arm.strategy is None:
        return np.empty((0, 0), np.float32)
    noise = np.empty((arm.settings["T"], parameters), np.float32)
    for first in range(0, parameters, WIDE):
        normals = rng.standard_normal((arm.strategy.noises(len(noise)), min(WIDE, parameters - first)))
        noise[:, first : first + WIDE] = arm.strategy.correlate(normals)
    return noise


def rates(spec: Spec, table: str) -> TunedRates:
    """Reads the rates of a part's variant, by mechanism, from the table of held-out accuracies."""
    own = spec["variant"]
    return TunedRates.read(spec, table, lambda row: row["mechanism"] if row["variant"] == own else None)


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of a part: a run of every mechanism at every epsilon."""
    delta, cell = spec["settings"]["dp_delta"], spec["cell"]
    budgets, mechanisms = (
        as_list(cell.get("eps", spec["arms"].get("eps"))),
        cell.get("mechanism", spec["arms"].get("mechanism")),
    )
    for eps in budgets:
        for name in as_list(mechanisms):
            event = arm_of(spec, name, eps).mechanism()
            reason = f"a record is an image; {event.reason}" + f"; {TUNED_ON}" * bool(event.releases)
            yield f"{spec['variant']}: {name}, eps={eps:g}", replace(event, guarantee="none", reason=reason), delta


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges the claims on the tables that are there, at the budgets at which rates were tuned."""
    for analogue in (CIFAR, FASHION):
        if analogue.artefact not in evidence.tables:
            continue
        ahead = _at_tuned_budgets(evidence, analogue, comparisons.ahead_of(evidence, analogue))
        by_eps = rows(evidence, analogue.artefact, analogue.variant, series=RESTARTED).sort_values("eps")
        gained = _at_tuned_budgets(evidence, analogue, by_eps)
        for claim in (
            comparisons.anytime(analogue, ahead), comparisons.anytime_average(evidence, analogue, ahead),
            comparisons.nearly_matches(evidence, analogue, ahead), comparisons.dp_sgd(analogue, ahead),
            _dp_sgd_renyi(analogue, ahead), comparisons.damping(analogue, ahead), comparisons.grows(evidence, analogue, ahead),
            comparisons.gap_closed(evidence, analogue, ahead), comparisons.gained_by_restarts(analogue, analogue.ids["restarts"], gained),
        ):  # fmt: skip
            changed = " ".join(filter(None, [claim.changed, TUNED_ONLY]))
            yield replace(claim, changed=changed, note=joined(claim.note, OF_THE_ERROR))


def _at_tuned_budgets(evidence: Evidence, analogue: Analogue, table: pd.DataFrame) -> pd.DataFrame:
    """The rows at budgets of the table of rates; no rows without that table, because nothing is known to be tuned."""
    rates_table = evidence.tables.get(f"{analogue.artefact}_rates", pd.DataFrame(columns=["variant", "eps"]))
    budgets = rates_table.loc[rates_table["variant"] == analogue.variant, "eps"]
    return table[table["eps"].isin(set(budgets))]


def _dp_sgd_renyi(analogue: Analogue, ahead: pd.DataFrame) -> Claim:
    """Judges the lead over DP-SGD with the noise of Renyi divergences, in place of the tight accountant's."""
    loose = ahead[ahead["mechanism"] == AMPLIFIED_RENYI].assign(mechanism=AMPLIFIED)
    renamed = replace(
        analogue,
        ids={**analogue.ids, "dp-sgd": analogue.ids["renyi"]},
        label=f"{analogue.label[:-1]}, Renyi accountant)",
    )
    return comparisons.dp_sgd(renamed, loose)


def run_fig04a_cifar10(spec: Spec) -> Iterator[Row]:
    """Yields rows of a part's seeds on CIFAR-10."""
    return rows_of(spec, "fig04a_cifar10_rates")


def run_fig04a_fashion(spec: Spec) -> Iterator[Row]:
    """Yields rows of a part's seeds on Fashion-MNIST."""
    return rows_of(spec, "fig04a_fashion_rates")


run_fig04a_cifar10_rates = run_fig04a_fashion_rates = tune
releases_fig04a_cifar10 = releases_fig04a_fashion = releases
releases_fig04a_cifar10_rates = releases_fig04a_fashion_rates = releases
