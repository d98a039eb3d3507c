"""Figure 4(a) with the paper's own network on CIFAR-10, on request: one run a part, which can be cut and goes on.

A run keeps its state in a file every few steps, and the same command goes on from the last one, whatever ended it: a
kill, a cluster's time limit, or `DPDESCENT_PIECE_MINUTES`, after which it ends by itself. Runs of one repeat share the
initial parameters and the normals of their noise, and those on batches in a fixed order share the order. On a processor
a run takes an hour, and is made only if that is asked for: those of the committed table are taken into a build by
`workflow/adopt.py`. Only training needs JAX: ledger, claims and figures do without.

The table has a row per run, so that claims can be judged as runs end. A mechanism is taken at the best of the learning
rates that were run, by the mean test accuracy, as the paper selects "the best mechanism for each privacy level". An
interval needs two repeats, because one has no spread, and for either mechanism a best rate that lies between others,
because a better one may lie beyond. Else the interval is unbounded and the claim open.
"""

import hashlib
import itertools
import json
import math
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from dpdescent.checks import as_list
from dpdescent.data import kept
from dpdescent.noise import streams
from dpdescent.papers.choquettechoo2023 import comparisons
from dpdescent.papers.choquettechoo2023.comparisons import AHEAD, RESTARTED, Analogue
from dpdescent.papers.choquettechoo2023.criteria import claim_on_all_cells
from dpdescent.papers.choquettechoo2023.images import arm_of
from dpdescent.papers.choquettechoo2023.mechanisms import EpochArm
from dpdescent.papers.choquettechoo2023.network_described import Described, Labelled, Single, images_of
from dpdescent.papers.choquettechoo2023.setting import AMPLIFIED, AMPLIFIED_RENYI, ME, NU, RESTARTS, Row, Spec
from dpdescent.privacy.events import Mechanism
from dpdescent.replication.judging import statistics
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import ABOVE_0, between
from dpdescent.replication.judging.evidence import Claim, Evidence, Source, joined
from dpdescent.replication.judging.statistics import mean_of
from dpdescent.replication.real_images import ACCURACY, best_of

STATES = Path("build/states")
# Steps between two states on disk, and steps whose noise is in memory (0.44 GB).
PIECE, WINDOW = 10, 200
# One thread per run, as for all jobs, because their number is Snakemake's choice and would change last bits.
ONE_THREAD = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
MINUTES = "DPDESCENT_PIECE_MINUTES"
# Gradients of single images that a run may take on a processor unasked: some minutes of them.
PROCESSORS, UNASKED = "DPDESCENT_ON_PROCESSORS", 100_000
INSTALL = "python3 workflow/environment.py deep"
# The runs on an accelerator that is there for a while: mechanisms in their order, each at the rate of the runs on
# processors or that of a similar one, first at the budget at which the paper prints two accuracies.
FIRST_RATES = {NU: 0.1, AMPLIFIED: 1.0, ME: 0.1, "Optimal CC, restarts": 0.1, "Optimal CC": 0.1, "Honaker": 0.1}
FIRST_BUDGETS = (10, 4)
INTERVALS = (
    "rates are the best that were run, by test accuracy; where a best rate is at an end of them, or there is one repeat, "
    "the interval is unbounded; else it is Student's, over repeats on one set of images"
)
NETWORK = Analogue(
    {
        "anytime": "cifar-net-anytime", "average": "cifar-net-anytime-average", "me": "cifar-net-me",
        "dp-sgd": "cifar-net-dp-sgd", "damping": "cifar-net-damping", "grows": "cifar-net-gain-grows",
        "gap": "cifar-net-gap-closed",
    },
    "(CIFAR-10, the paper's network)", "main", "fig04a_cifar10_net", INTERVALS, added=True,
)  # fmt: skip
RESTARTS_LATER = (
    "The claim was added after a review, with the accuracies known; its criterion is that of the digits, from before."
)
# What the paper compares nu-DP-FTRL with as anytime mechanisms: Table 3's, restarted.
BASELINES = ("TreeAgg", f"TreeAgg{RESTARTS}", "Honaker", f"Honaker{RESTARTS}", "Optimal CC", f"Optimal CC{RESTARTS}")
# Mechanisms by their short names in the published numbers.
PUBLISHED = {"nu": NU, "me": ME, "dp_sgd": AMPLIFIED}


@dataclass(frozen=True)
class One:
    """A run: its mechanism, learning rate and number among repeats."""

    arm: EpochArm
    name: str
    rate: float
    repeat: int

    @classmethod
    def all_of(cls, spec: Spec) -> Iterator["One"]:
        """Yields the runs of a cell, one where all its axes are split."""
        axes = ("eps", "mechanism", "learning_rate", "repeat")
        for eps, name, rate, repeat in itertools.product(*(as_list(spec["cell"][axis]) for axis in axes)):
            yield cls(arm_of(spec, name, eps), name, float(rate), int(repeat))

    def described(self, spec: Spec) -> Described:
        """Returns the run in plain values."""
        arm, settings = self.arm, spec["settings"]
        return Described(
            spec["seed"], arm.eps, self.name, self.rate, self.repeat, arm.noise_multiplier, arm.copies, arm.nu, arm.rho,
            float(arm.columns([self.rate]).momentum[0]), arm.clip_norm, settings["cooldown"], settings["T"],
            settings["k"], settings["records"], self.name in (AMPLIFIED, AMPLIFIED_RENYI),
        )  # fmt: skip


def first_runs(spec: Spec) -> Iterator[tuple[Described, Single]]:
    """Yields the runs that come first on an accelerator, each with the decoder of its noise.

    Args:
        spec: specification of any of the artefact's parts.
    """
    for eps, (name, rate) in itertools.product(FIRST_BUDGETS, FIRST_RATES.items()):
        cell = {"eps": eps, "mechanism": name, "learning_rate": rate, "repeat": 1}
        (one,) = One.all_of({**spec, "cell": cell})
        if one.arm.strategy is not None:
            yield one.described(spec), one.arm.strategy.decoder(spec["settings"]["T"]).astype("float32")


def run_fig04a_cifar10_net(spec: Spec) -> Iterator[Row]:
    """Yields the test accuracy of each run of a part.

    Raises:
        ModuleNotFoundError: where JAX is not there, with the command that installs it.
        SystemExit: after `DPDESCENT_PIECE_MINUTES`, with the state kept; or where a long run would be made on a
            processor unasked.
    """
    training, network_module = _optional()
    settings = spec["settings"]
    if training.jax.default_backend() == "cpu":
        _require_asked(spec)
    records, tested = (images_of(settings, part, settings[part]) for part in ("records", "tested"))
    device = str(training.jax.devices()[0].device_kind)
    for one in One.all_of(spec):
        network = network_module.ImageNetwork()
        parameters = _trained(spec, one, network, training, records, device)
        accuracy = network.accuracy(parameters, tested.images, tested.labels)
        yield {**one.described(spec).row(device), "series": ACCURACY, "trial": 0, "value": accuracy}


def _optional() -> tuple[ModuleType, ModuleType]:
    """Imports the modules that need JAX."""
    os.environ.setdefault("XLA_FLAGS", ONE_THREAD)
    try:
        from dpdescent.algorithms import dp_ftrl_network
        from dpdescent.models import image_network
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{error.name} is not installed, which the network is trained with: {INSTALL}, then the same command",
            name=error.name,
        ) from None
    return dp_ftrl_network, image_network


def _require_asked(spec: Spec) -> None:
    cell, settings = spec["cell"], spec["settings"]
    if settings["records"] * settings["k"] > UNASKED and not os.environ.get(PROCESSORS):
        raise SystemExit(
            f"{cell}: this run is not in the build, and takes an hour of a processor. Runs of the committed table are "
            f"taken from there by: .venv/bin/python workflow/adopt.py. To make it here: {PROCESSORS}=1"
        )


def _trained(spec: Spec, one: One, network: Any, training: ModuleType, records: Labelled, device: str) -> Single:
    """Trains a run to its end, or goes on with it, and returns the parameters."""
    described, arm = one.described(spec), one.arm
    T, batches = described.steps, described.batches()
    run = training.Run(
        described.learning_rate, described.momentum, described.noise_multiplier, described.clip_norm, T,
        described.batch_size, described.cool_down,
    )  # fmt: skip
    made_from = _made_from(spec, one, asdict(run), [training, streams], device)
    file = STATES / f"{spec['artefact']}-{hashlib.sha256(made_from.encode()).hexdigest()[:16]}.npz"
    state = training.State.load(file, made_from)
    state = state or training.State.start(network.initial(described.stream("start")))
    began = time.monotonic()
    while state.step < T:
        rows = range(state.step, min(T, (state.step // WINDOW + 1) * WINDOW))
        noise = training.noise_rows(arm.strategy, T, network.parameters, described.stream("noise"), rows)
        for first in range(0, len(rows), PIECE):
            piece = noise[first : first + PIECE]
            state = training.advance(network, run, state, records.images, records.labels, batches, piece)
            state.save(file, made_from)
            minutes = (time.monotonic() - began) / 60.0
            print(f"step {state.step} of {T} after {minutes:.1f} minutes", flush=True)
            if state.step < T and minutes > float(os.environ.get(MINUTES, "inf")):
                raise SystemExit(f"{MINUTES} are over at step {state.step} of {T}: the same command goes on from there")
    parameters: Single = state.parameters
    return parameters


def _made_from(spec: Spec, one: One, settings: dict[str, Any], modules: Sequence[ModuleType], device: str) -> str:
    """Everything that a run's state depends on, as text."""
    from dpdescent.models import image_network

    values = {
        "seed": spec["seed"], "artefact": spec["artefact"], "device": device, "name": one.name, "eps": one.arm.eps,
        "repeat": one.repeat, "settings": settings, "strategy": str(one.arm.strategy and one.arm.strategy.name),
        "nu": str(one.arm.nu), "copies": one.arm.copies, "records": spec["settings"]["records"],
        "k": spec["settings"]["k"], "code": kept.code(image_network, *modules),
    }  # fmt: skip
    return json.dumps(values, sort_keys=True)


def releases_fig04a_cifar10_net(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of a cell: each run by itself, at a rate that the configuration gave beforehand."""
    for one in One.all_of(spec):
        event = one.arm.mechanism()
        reason = f"a record is an image; the rate is of the configuration; {event.reason}"
        place = f"{spec['variant']}: {one.name}, eps={one.arm.eps:g}, learning_rate={one.rate:g}, repeat={one.repeat}"
        yield place, replace(event, reason=reason), spec["settings"]["dp_delta"]


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges the claims on the runs that are there, as the paper's: images, network, n, T and k are the paper's."""
    runs = best_runs(evidence.tables[NETWORK.artefact])
    ahead = lead(runs)
    all_others = {NETWORK.ids[subject] for subject in ("anytime", "average", "grows")}
    alone = runs.groupby(["eps", "mechanism"])["repeat"].nunique().min() < 2
    for claim in (
        _accuracies(evidence, runs), comparisons.anytime(NETWORK, ahead),
        comparisons.anytime_average(evidence, NETWORK, ahead), comparisons.nearly_matches(evidence, NETWORK, ahead),
        comparisons.dp_sgd(NETWORK, ahead), comparisons.damping(NETWORK, ahead), comparisons.grows(evidence, NETWORK, ahead),
        comparisons.gap_closed(evidence, NETWORK, ahead),
        comparisons.gained_by_restarts(NETWORK, "cifar-net-restarts", _restarted(runs), RESTARTS_LATER),
        _rises(runs),
    ):  # fmt: skip
        # One run of a mechanism has no spread, so that the interval is unbounded for want of runs.
        few = alone and claim.why == "interval"
        # The paper says nothing of what restarts do to accuracy.
        source: Source = claim.source if claim.source == "ours" else "paper"
        note = joined(claim.note, _as_the_paper_restarts(ahead)) if claim.claim in all_others else claim.note
        yield replace(claim, source=source, why="too few runs" if few else claim.why, note=note)


def _as_the_paper_restarts(ahead: pd.DataFrame) -> str:
    """A note on anytime mechanisms that were not trained, and on the lead over those with restarts, as the paper has all.

    Words of the paper on "all other" mechanisms are judged on those that were trained.
    """
    missing = [name for name in BASELINES if name not in set(ahead["mechanism"])]
    restarted = ahead[ahead["mechanism"].astype(str).str.endswith(RESTARTS)]
    leads = [f"{100 * own['mean'].mean():.3g} at eps = {eps:g}" for eps, own in restarted.groupby("eps")]
    return joined(
        f"not trained: {comparisons.listed(missing)}" if missing else "",
        f"the paper restarts all baselines; the mean over those with restarts is, in points, {', '.join(leads)}" if leads else "",
    )  # fmt: skip


def best_runs(table: pd.DataFrame) -> pd.DataFrame:
    """Returns the runs at each mechanism's best rate, with a column `inside`: whether the rate lies between others."""
    rows = table[(table["variant"] == "main") & (table["series"] == ACCURACY)]
    best_groups = []
    for _, own in rows.groupby(["eps", "mechanism"], sort=True):
        means = {float(rate): float(group["mean"].mean()) for rate, group in own.groupby("learning_rate")}
        best = best_of(means)
        best_groups.append(own[own["learning_rate"] == best].assign(inside=min(means) < best < max(means)))
    return pd.concat(best_groups) if best_groups else rows.assign(inside=False)


def lead(runs: pd.DataFrame) -> pd.DataFrame:
    """Returns rows of paired differences, nu-DP-FTRL less another mechanism, over repeats."""
    return _differences(runs, AHEAD, {str(name): NU for name in runs["mechanism"] if name != NU})


def _restarted(runs: pd.DataFrame) -> pd.DataFrame:
    """Rows of paired differences, a mechanism with restarts less the same one without, over repeats."""
    names = {str(name) for name in runs["mechanism"]}
    return _differences(runs, RESTARTED, {name: name + RESTARTS for name in names if name + RESTARTS in names})


def _differences(runs: pd.DataFrame, series: str, minuends: Mapping[str, str]) -> pd.DataFrame:
    """Rows of paired differences over repeats, of what each mechanism is subtracted from."""
    rows = []
    for (eps, name), other in runs[runs["mechanism"].isin(minuends)].groupby(["eps", "mechanism"], sort=True):
        own = runs[(runs["mechanism"] == minuends[str(name)]) & (runs["eps"] == eps)]
        if (gained := _gained(own, other)) is not None:
            rows.append({"eps": eps, "mechanism": name, "series": series, **gained})
    return pd.DataFrame(rows, columns=["eps", "mechanism", "series", "mean", "se", "trials"])


def _gained(own: pd.DataFrame, other: pd.DataFrame) -> dict[str, float] | None:
    """The mean paired difference of some runs and others, with its error; None where no two make a pair."""
    # Runs of one repeat share their seed; on another device they have other last digits.
    paired = own.merge(other, on=["repeat", "device"], suffixes=("", "_other"))
    if not len(paired):
        return None
    inside = bool(paired["inside"].all() and paired["inside_other"].all())
    return _mean((paired["mean"] - paired["mean_other"]).to_numpy(dtype=float), inside)


def _mean(values: "np.ndarray[tuple[int], np.dtype[np.float64]]", inside: bool) -> dict[str, float]:
    spread = float(values.std(ddof=1)) / math.sqrt(len(values)) if inside and len(values) > 1 else math.inf
    return {"mean": float(values.mean()), "se": spread, "trials": len(values)}


def _rises(runs: pd.DataFrame) -> Claim:
    """Judges the curves' direction between neighbouring budgets, of runs on the same start and normals."""
    cells: Places = {}
    for name, own in runs.groupby("mechanism"):
        for (less, lower), (more, upper) in itertools.pairwise(own.groupby("eps")):
            if (gained := _gained(upper, lower)) is not None:
                cells[f"{name}, eps = {less:g} to {more:g}"] = mean_of(pd.Series(gained))
    return claim_on_all_cells(
        id="cifar-net-rises", artefact=NETWORK.artefact, location="Figure 4(a)", kind="figure", source="ours",
        statement=f"(ours) {NETWORK.label} accuracies rise with eps",
        quantity="mean paired difference of test accuracy, less that at the eps before: the smallest over mechanisms and eps",
        cells=cells, criterion=ABOVE_0, changed="The claim was added after a review, with the accuracies known; until another one it was counted as the paper's, whose text has two budgets of nu-DP-FTRL alone.",
        note=NETWORK.note(f"trained at eps = {' and '.join(f'{eps:g}' for eps in sorted(set(runs['eps'])))} only"),
    )  # fmt: skip


def _accuracies(evidence: Evidence, runs: pd.DataFrame) -> Claim:
    published = evidence.published["cifar"]
    margin = published["me_at_10"] - published["nu_at_10"]
    printed = {
        (PUBLISHED[match[1]], float(match[2])): value
        for key, value in published.items()
        if (match := re.fullmatch(r"(nu|me|dp_sgd)_at_(\d+)", key))
    }
    words = "; ".join(f"{name} at eps = {eps:g}: {value:.2%}" for (name, eps), value in printed.items())
    return claim_on_all_cells(
        id="cifar-net-accuracies", artefact=NETWORK.artefact, location="Sec. 4", kind="text", source="paper",
        statement=f"{NETWORK.label} test accuracies are {words}",
        quantity="mean test accuracy less the published one: the furthest",
        cells=_differences_to_printed(runs, printed),
        criterion=between(-margin, margin, words=f"at most {100 * margin:.2f} points off, which the paper calls a near match (nu-DP-FTRL and ME at eps = 10)"),
        note=NETWORK.note(),
    )  # fmt: skip


def _differences_to_printed(runs: pd.DataFrame, printed: dict[tuple[str, float], float]) -> Places:
    cells = {}
    for (name, eps), value in printed.items():
        own = runs[(runs["mechanism"] == name) & (runs["eps"] == eps)]
        if len(own):
            row = pd.Series(_mean(own["mean"].to_numpy(dtype=float), bool(own["inside"].all())))
            cells[f"{name}, eps = {eps:g}"] = statistics.less_number(mean_of(row), value)
    return cells
