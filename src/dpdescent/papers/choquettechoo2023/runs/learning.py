"""Figure 4's comparison on small data: mechanisms at equal (epsilon, delta), rates tuned elsewhere, paired seeds.

What differs between the two halves of the figure, records and model, comes as a `Task`. Mechanisms of one seed share
records, their order, the first parameters and the normals that noise is made of.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms import dp_ftrl_epochs, samplers
from dpdescent.checks import as_list
from dpdescent.models.classifiers import Classifier
from dpdescent.noise import tuning
from dpdescent.noise.strategies import toeplitz, tree
from dpdescent.noise.strategies.base import Strategy
from dpdescent.noise.strategies.multi_epoch import multi_epoch_optimum
from dpdescent.noise.strategies.stamped import stamped
from dpdescent.papers.choquettechoo2023.design import PAPER, Array, Row, Spec
from dpdescent.papers.choquettechoo2023.runs import streams
from dpdescent.privacy import accounting, sampling, zcdp
from dpdescent.privacy.events import Mechanism, SubsampledGaussianReleases, correlated_release
from dpdescent.randomness import stream

NON_PRIVATE, DP_SGD, AMPLIFIED, NU, ME = "non-private", "DP-SGD", "DP-SGD, amplified", "nu-DP-FTRL", "ME"
RESTARTS = ", restarts"
# Online trees release nodes only once they are finished, so that nodes which the end cuts short cost nothing.
BASES: dict[str, Callable[[], Strategy]] = {
    DP_SGD: toeplitz.identity,
    "TreeAgg": lambda: tree.tree_aggregation(finished_only=True),
    "Honaker": lambda: tree.online_honaker(finished_only=True),
    "Optimal CC": toeplitz.optimal_cc,
}


@dataclass(frozen=True)
class Task:
    """What is learnt, of one seed.

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


@dataclass(frozen=True)
class Plan:
    """How a mechanism is run at one epsilon.

    Attributes:
        name: its name in the table.
        strategy: its noise; None without privacy.
        noise_multiplier: sd of the noise over the clip norm.
        copies: number of restarts.
        rho: zCDP cost; NaN where there is none.
    """

    name: str
    strategy: Strategy | None
    noise_multiplier: float
    copies: int
    rho: float

    @property
    def nu(self) -> float:
        """Damping of its coefficients, NaN for those without."""
        return float(getattr(self.strategy, "nu", np.nan)) if self.name == NU else float("nan")


@cache
def strategy_of(name: str, T: int, k: int, candidates: tuple[int, ...]) -> tuple[Strategy, int]:
    """The noise of a mechanism for T steps and k participations, and its restarts, tuned on (3) without any data.

    Raises:
        ValueError: if there is no mechanism of that name.
    """
    if name == NU:
        return tuning.best_nu(T, k), 1
    if name == ME:
        return multi_epoch_optimum(T, k), 1
    base = name.removesuffix(RESTARTS)
    if base not in BASES:
        raise ValueError(f"mechanism={name!r} is none of {[NON_PRIVATE, AMPLIFIED, NU, ME, *BASES]}")
    made = BASES[base]()
    copies = tuning.best_copies(made, T, k, candidates) if name.endswith(RESTARTS) else 1
    return stamped(made, copies), copies


def plan_of(spec: Spec, name: str, eps: float) -> Plan:
    """A mechanism calibrated to (eps, dp_delta); all by tight accountants, or all by those that the paper names."""
    settings = spec["settings"]
    T, k, delta = settings["T"], settings["k"], settings["dp_delta"]
    if name == NON_PRIVATE:
        return Plan(name, None, 0.0, 1, float("nan"))
    if name == AMPLIFIED:
        tight = settings["accountant"] == "tight"
        multiplier = sampling.noise_multiplier(eps, k / T, T, delta, "PLD" if tight else "RDP")
        return Plan(name, toeplitz.identity(), multiplier, 1, float("nan"))
    strategy, copies = strategy_of(name, T, k, tuple(settings["copies"]))
    rho = (accounting.tight_rho if settings["accountant"] == "tight" else zcdp.rho_of_renyi_epsilon)(eps, delta)
    sensitivity = strategy.sensitivity_squared(T, k) ** 0.5
    return Plan(name, strategy, zcdp.gaussian_noise_sd(sensitivity, rho), copies, rho)


def run(spec: Spec, make_task: MakeTask) -> Iterator[Row]:
    """Rows of one epsilon: every seed's test accuracy of every mechanism, and what nu-DP-FTRL has beyond it."""
    names = streams.arms_of(spec)
    for eps in as_list(spec["cell"]["eps"]):
        plans = [plan_of(spec, name, eps) for name in names]
        rates = {plan.name: tuned_rate(spec, make_task, plan) for plan in plans}
        for trial in range(*spec["trials"]):
            accuracies = {
                plan.name: float(train(spec, make_task, plan, [rates[plan.name]], trial)[0]) for plan in plans
            }
            for plan in plans:
                yield from _rows(eps, plan, rates[plan.name], trial, accuracies)


def _rows(eps: float, plan: Plan, rate: float, trial: int, accuracies: dict[str, float]) -> Iterator[Row]:
    place = {
        "eps": eps, "mechanism": plan.name, "trial": trial, "learning_rate": rate,
        "noise_multiplier": plan.noise_multiplier, "copies": plan.copies, "nu": plan.nu, "rho": plan.rho,
    }  # fmt: skip
    yield {**place, "series": "test accuracy", "value": accuracies[plan.name]}
    if plan.name != NU and NU in accuracies:
        yield {**place, "series": "nu minus this", "value": accuracies[NU] - accuracies[plan.name]}


def tuned_rate(spec: Spec, make_task: MakeTask, plan: Plan) -> float:
    """The learning rate of the best mean accuracy on seeds (and records drawn by them) that the table does not have."""
    rates = sorted(as_list(spec["arms"]["learning_rate"]))
    seeds = range(-spec["settings"]["tuning_seeds"], 0)
    accuracies = [train(spec, make_task, plan, rates, seed) for seed in seeds]
    return float(rates[int(np.argmax(np.mean(accuracies, axis=0)))])


def train(spec: Spec, make_task: MakeTask, plan: Plan, rates: Sequence[float], trial: int) -> Array:
    """Test accuracy of one seed at every learning rate, shape (rates,)."""
    settings = spec["settings"]
    T, batch = settings["T"], settings["batch"]

    def named(role: str) -> np.random.Generator:
        return stream(spec["seed"], PAPER, spec["artefact"], "trial", trial, role)

    task = make_task(spec, named("data"))
    private = plan.strategy is not None
    momentum = settings["momentum_dp_sgd" if plan.name in (DP_SGD, AMPLIFIED) else "momentum"]
    arms = dp_ftrl_epochs.EpochArms(
        np.array(rates), np.full(len(rates), plan.noise_multiplier), np.full(len(rates), momentum)
    )  # fmt: skip
    if plan.name == AMPLIFIED:
        batches = samplers.poisson(len(task.labels), settings["k"] / T, T, named("sampling"))
    else:
        batches = epoch(len(task.labels), batch, T, settings["k"], named("order"))
    noise = None
    if plan.strategy is not None:
        normals = named("noise").standard_normal((plan.strategy.noises(T), task.model.parameters))
        noise = plan.strategy.correlate(normals)[:, None, :]
    parameters = dp_ftrl_epochs.train(
        task.model, task.inputs, task.labels, batches, arms, noise, start=task.model.initial(named("start")), steps=T,
        batch_size=batch, clip_norm=settings["clip_norm"] if private else np.inf, cool_down=settings["cooldown"],
    )  # fmt: skip
    return task.model.accuracy(parameters, task.test_inputs, task.test_labels)


def epoch(records: int, batch: int, T: int, k: int, rng: np.random.Generator) -> list[NDArray[np.intp]]:
    """The batches of one epoch, after which they come again in the same order.

    Raises:
        ValueError: unless an epoch has T/k batches: records would come again sooner than sensitivities account for.
    """
    batches = samplers.fixed_order(records, batch, rng)
    if len(batches) * k != T:
        raise ValueError(f"batch={batch}: {records} records make {len(batches)} batches, but T={T} steps with k={k} "
                         f"participations need {T / k:g}; take a batch of {records * k / T:g}")  # fmt: skip
    return batches


def releases(spec: Spec, unit: str, tuned_on: str, defended: bool) -> Iterable[tuple[str, Mechanism, float]]:
    """Ledger entries of one cell: a run of every mechanism.

    Args:
        spec: the cell.
        unit: what a record is.
        tuned_on: what learning rates were tuned on.
        defended: whether these are other people's data, so that the rate says nothing of anyone in the run.
    """
    delta = spec["settings"]["dp_delta"]
    for eps in as_list(spec["cell"]["eps"]):
        for name in streams.arms_of(spec):
            event = _event(spec, plan_of(spec, name, eps), eps)
            reason = f"a record is {unit}; {event.reason}; {tuned_on}"
            guarantee = event.guarantee if defended else "none"
            yield f"{spec['variant']}: {name}, eps={eps:g}", replace(event, guarantee=guarantee, reason=reason), delta


def _event(spec: Spec, plan: Plan, eps: float) -> Mechanism:
    """What a run releases, and the argument for it, at a learning rate given beforehand."""
    settings = spec["settings"]
    T, k, clip_norm = settings["T"], settings["k"], settings["clip_norm"]
    if plan.strategy is None:
        reason = "non-private baseline: no noise"
        return Mechanism(plan.name, (), "zero-out", "fixed order", float("inf"), "none", reason)
    noise_sd = plan.noise_multiplier * clip_norm
    if plan.name == AMPLIFIED:
        sampled = SubsampledGaussianReleases("sum of clipped gradients", clip_norm, noise_sd, k / T, T)
        return Mechanism(
            plan.name, (sampled,), "zero-out", "Poisson", float("inf"), "proved",
            "independent coins in every step, never published; sums over clipped gradients are divided by a constant; "
            "the claim is our target, the paper's accountant is not stated",
            claimed_eps_delta=(eps, settings["dp_delta"]),
        )  # fmt: skip
    release = correlated_release(plan.strategy.sensitivity_squared(T, k) ** 0.5, clip_norm, noise_sd)
    return Mechanism(
        plan.name, (release,), "zero-out", "fixed order", plan.rho, "proved",
        f"batches come in one order, so that a record takes part in every {T // k}th of {T} steps, with gradients "
        "clipped at G; its columns of the encoder have no negative products, so that its norm is largest where all "
        "contributions point one way; encoder and decoder are causal, sums are divided by a constant, momentum is "
        "post-processing",
        conversion="Renyi",
    )  # fmt: skip
