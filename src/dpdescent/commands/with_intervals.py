"""Estimates with confidence intervals on a table of your own: DP-IV-GD, and DP-GD for linear regression."""

import argparse
import inspect
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from dpdescent import intervals
from dpdescent.commands import own_data, two_stage
from dpdescent.data.iv import IVSample
from dpdescent.data.tabular import read_sample
from dpdescent.estimators.dp_gd import dp_gd
from dpdescent.estimators.dp_iv_gd import BATCHES as IV_BATCHES
from dpdescent.estimators.dp_iv_gd import STEP, WHITENED, WITH_SET, WITHOUT_SET, dp_iv_gd
from dpdescent.estimators.run import Array, Run
from dpdescent.mixing import ConvergenceWarning
from dpdescent.privacy.account import account
from dpdescent.privacy.events import GaussianReleases
from dpdescent.randomness import secure_generator, stream

# Batches of an interval, its level, iterates that it leaves out, and steps of DP-GD where none are given: so many that
# batches are long, because neither the length of an interval nor its cost depends on their number.
BATCHES, LEVEL, BURN_IN, STEPS = 10, 0.95, 20, 2020
# Arguments of DP-IV-GD that no option names.
STAGES = ("steps1", "tail1", "steps2", "burn_in", "step_size1", "step_size2", "level", "shares")
# First-stage F below which intervals are not promised to hold.
WEAK = 50.0
# What stands before the argument of an event whose noise can be made again (`estimators.run.guarded`).
GUARDED = "With secret noise: "
# Thresholds and step sizes below this, or above its inverse, belong to no data that were scaled with care.
LEAST = 1e-20
# More steps only add noise.
MOST_STEPS = 10_000

CLIP_NORM = (
    "the clipping threshold, a public guess of {what} for most records; noise grows with it, and what lies above it is "
    "clipped"
)
IV_CHOICE = {
    "clip_norm1": CLIP_NORM.format(what="|z| |x - Theta'z|, such as 4 sqrt(q p) times the sd of x"),
    "clip_norm2": CLIP_NORM.format(what="|w| |y - x'beta| with w of variance 1, such as 4 sqrt(p) times the sd of y"),
}
UNIT = (
    "of dp-iv-gd with one regressor: a public guess of the outcome's sd over the regressor's, for an Anderson-Rubin "
    "set beside the interval, which holds for weak instruments too if hardly any gradient is clipped or errors are "
    "symmetric; --clip-norm1 is to be larger by sqrt(2) then, and --instrument-bound is needed"
)
BOUND = (
    "of dp-iv-gd: a public guess of what the norm of a record's instruments seldom exceeds, such as 2 sqrt(q) times "
    "their sd; longer ones are shortened, 5 %% of the budget tells their second moment, and they are whitened, so that "
    "--clip-norm1 is for instruments of variance 1"
)
# Options of dp-iv-gd that may be left out.
ALSO = ("outcome_unit", "instrument_bound")
GD_CHOICE = {
    "clip_norm": CLIP_NORM.format(what="|x| |y - x'theta|, such as 5 sqrt(p) times the sd of y"),
    "step_size": "the step size, 1/4 to 1 over a public guess of the largest eigenvalue of E[xx']; more mixes faster",
}


@dataclass(frozen=True)
class Method:
    """A method of `dpdescent estimate`.

    Attributes:
        choice: options that it needs beside columns and budget, and how to choose them.
        columns: options that name its columns.
        target: what its intervals are for.
        fixed: function from the command's arguments to its other settings, by name.
        run: function from the command's arguments, those settings, the sample and a generator to a run and its half
            widths.
    """

    choice: Mapping[str, str]
    columns: tuple[str, ...]
    target: str
    fixed: Callable[[argparse.Namespace], dict[str, Any]]
    run: Callable[[argparse.Namespace, Mapping[str, Any], IVSample, np.random.Generator], tuple[Run, Array]]


def _stages(args: argparse.Namespace) -> dict[str, Any]:
    """Settings of DP-IV-GD; `shares` are parts of what `moment_share` leaves of the budget."""
    library = {name: each.default for name, each in inspect.signature(dp_iv_gd).parameters.items()}
    shares = WITHOUT_SET if args.outcome_unit is None else WITH_SET
    return {
        **{name: library[name] for name in STAGES}, "step_size1": STEP, "level": LEVEL, "shares": shares,
        "moment_share": 0.0 if args.instrument_bound is None else WHITENED, "batches": IV_BATCHES,
    }  # fmt: skip


def _instruments(
    args: argparse.Namespace, fixed: Mapping[str, Any], given: IVSample, rng: np.random.Generator
) -> tuple[Run, Array]:
    found = dp_iv_gd(
        given.Z, given.X, given.y, clip_norm1=args.clip_norm1, clip_norm2=args.clip_norm2, rng=rng,
        outcome_unit=args.outcome_unit, instrument_bound=args.instrument_bound,
        **{name: fixed[name] for name in STAGES}, **_budget(args),
    )  # fmt: skip
    return found, found.also["half_width"]


def _batches(args: argparse.Namespace) -> dict[str, Any]:
    """Settings of DP-GD and of its intervals."""
    steps = STEPS if args.steps is None else args.steps
    return {"steps": steps, "batches": BATCHES, "burn_in": BURN_IN, "level": LEVEL}


def _regression(
    args: argparse.Namespace, fixed: Mapping[str, Any], given: IVSample, rng: np.random.Generator
) -> tuple[Run, Array]:
    found = dp_gd(
        given.X, given.y, steps=fixed["steps"], step_size=args.step_size, clip_norm=args.clip_norm, rng=rng,
        **_budget(args),
    )  # fmt: skip
    means = intervals.batched_means(found.path, fixed["batches"], fixed["burn_in"])
    both = intervals.t_intervals(means, fixed["level"])
    return Run(both.centre, found.path, found.clipped, found.event), both.half_width


METHODS = {
    "dp-iv-gd": Method(
        IV_CHOICE, ("instruments", "regressors", "outcome"),
        "the true effect, where instruments are strong (F of 50 and more) and hardly anything is clipped", _stages,
        _instruments,
    ),
    "dp-gd": Method(
        GD_CHOICE, ("regressors", "outcome"),
        "the least-squares estimate of these records, where hardly anything is clipped; the error of sampling is not "
        "in them", _batches,
        _regression,
    ),
}  # fmt: skip


def _budget(args: argparse.Namespace) -> dict[str, Any]:
    return {"rho": args.rho} if args.rho is not None else {"epsilon": args.epsilon, "delta": args.delta}


def estimate(args: argparse.Namespace) -> dict[str, Any]:
    """Runs a method and returns what may be written and told.

    Raises:
        ValueError: if an option is missing, wrong or not the method's, or the table cannot be used.
    """
    method = METHODS[args.method]
    check(args, method)
    constants, fixed = own_data.constants(args.centre), method.fixed(args)
    rng = secure_generator() if args.secure_noise else stream(args.seed, "estimate", "noise")
    # After all options, because whoever has mended the name of a file should not be told of a wrong number next.
    own_data.require_free(args.output, args.source, keep=args.secure_noise)
    given = _sample(args, constants)
    own_data.require_delta(args.delta, given.n)
    # numpy's warnings are off, because overflow is reported in one line, and an epsilon of 0 is one.
    with np.errstate(all="ignore"), warnings.catch_warnings(record=True, action="always") as caught:
        run, half = method.run(args, fixed, given, rng)
        found = account(run.event, args.delta)
    reasons = [f"no interval: {each.message}" for each in caught if each.category is ConvergenceWarning]
    if not np.isfinite(half).all():
        reasons.append("no interval: the noise in the released second moment would be most of it; a larger budget, "
                       "more records or a smaller --clip-norm2 mends that")  # fmt: skip
    names = args.regressors
    noise = {"noise": "operating system"} if args.secure_noise else {"noise": "seeded generator", "seed": args.seed}
    return {
        "notice": own_data.SECURE if args.secure_noise else own_data.SEEDED,
        "beta": dict(zip(names, run.estimate.tolist(), strict=True)),
        "intervals": None if reasons else {
            name: [centre - width, centre + width]
            for name, centre, width in zip(names, run.estimate.tolist(), half.tolist(), strict=True)
        },
        "intervals_are_for": method.target,
        **_weak(run),
        "warnings": [*reasons, *_weakness(run)],
        "account": {
            "algorithm": run.event.name, "relation": found.relation, "n": given.n,
            "releases": [{**asdict(each), "rho": each.rho} for each in run.event.releases
                         if isinstance(each, GaussianReleases)],
            "rho": found.rho, "delta": args.delta, "epsilon": found.epsilon,
            "guarantee": found.guarantee if args.secure_noise else own_data.REPEATED,
            "holds": found.reason.split(GUARDED)[-1],
        },
        "settings": {"method": args.method, **{name: getattr(args, name) for name in (*method.columns, *method.choice)},
                     **{name: getattr(args, name) for name in ALSO if getattr(args, name) is not None},
                     **_budget(args), **fixed, "centre": constants, **noise},
    }  # fmt: skip


def check(args: argparse.Namespace, method: Method) -> None:
    """Checks the options of a method.

    Raises:
        ValueError: if one is missing, is not the method's, or is out of its range.
    """
    needed = {**dict.fromkeys(method.columns, "its columns' names"), **method.choice}
    if lacking := own_data.missing(vars(args), needed):
        raise ValueError(f"{lacking}. Choose without looking at the data.")
    own_data.require_one_noise(args.seed, args.secure_noise)
    allowed = {*needed, *(["steps"] if args.method == "dp-gd" else ALSO)}
    every = {name for each in METHODS.values() for name in (*each.columns, *each.choice)} | {
        *two_stage.CHOICE, "steps", "release", *ALSO,
    }  # fmt: skip
    if other := sorted(own_data.option(name) for name in every - allowed if getattr(args, name) is not None):
        raise ValueError(f"{other[0]} is no option of --method {args.method}: leave it out")
    if (args.rho is None) is (args.epsilon is None):
        raise ValueError("give one of --rho, the zCDP budget of the run, and --epsilon, at --delta")
    if args.steps is not None and not 1 <= args.steps <= MOST_STEPS:
        raise ValueError(f"--steps {args.steps} must lie between 1 and {MOST_STEPS}")
    if (
        args.method == "dp-gd"
        and args.steps is not None
        and (args.steps <= BURN_IN or (args.steps - BURN_IN) % BATCHES)
    ):
        raise ValueError(
            f"--steps {args.steps} must be {BURN_IN} more than a positive multiple of {BATCHES}, such as {STEPS}: the "
            f"interval leaves {BURN_IN} out and divides the others into {BATCHES} batches"
        )
    for name in ("rho", "epsilon"):
        own_data.require_budget(name, getattr(args, name))
    own_data.require_delta(args.delta)
    if args.outcome_unit is not None and args.instrument_bound is None:
        raise ValueError(f"--outcome-unit needs --instrument-bound: {BOUND.replace('%%', '%')}")
    for name in (*method.choice, *(name for name in ALSO if getattr(args, name) is not None)):
        if not LEAST <= (value := getattr(args, name)) <= 1.0 / LEAST:
            raise ValueError(f"{own_data.option(name)} {value:g} fits no data: give {LEAST:g} to {1.0 / LEAST:g}")


def _sample(args: argparse.Namespace, constants: Mapping[str, float]) -> IVSample:
    """The columns, less the public constants; without instruments the regressors stand in both places."""
    roles = {
        "instruments": args.instruments or args.regressors, "regressors": args.regressors, "outcome": args.outcome
    }  # fmt: skip
    return own_data.centred(read_sample(args.source, **roles), constants, **roles)


def _weak(run: Run) -> dict[str, Any]:
    """The Anderson-Rubin set, null where it has no end, and the first stage's F, where they were asked for."""
    if "F" not in run.also:
        return {}
    ends = [[end if math.isfinite(end) else None for end in pair] for pair in run.also["anderson_rubin"].tolist()]
    return {"anderson_rubin": ends, "first_stage_F": float(run.also["F"])}


def _weakness(run: Run) -> Sequence[str]:
    """What a first stage that is too weak for the interval is told to be."""
    if "F" not in run.also or run.also["F"] >= WEAK:
        return []
    return [f"the first stage's F is {float(run.also['F']):.3g}, noise counted: below {WEAK:g} the interval is not "
            "promised to cover. Take interval or set without a look at F: a choice by it covers too seldom"
            ]  # fmt: skip
