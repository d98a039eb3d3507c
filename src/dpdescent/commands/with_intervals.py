"""Estimates with confidence intervals on a table of your own: DP regression, DP-GD, and DP-IV-GD."""

import argparse
import inspect
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms.dp_regression import INFERRED, UNITS
from dpdescent.commands import own_data, two_stage
from dpdescent.data.iv import IVSample
from dpdescent.data.tabular import read_sample
from dpdescent.estimators.dp_gd import dp_gd
from dpdescent.estimators.dp_iv_gd import BATCHES as IV_BATCHES
from dpdescent.estimators.dp_iv_gd import STEP, WHITENED, WITH_SET, WITHOUT_SET, dp_iv_gd
from dpdescent.estimators.dp_regression import TooFewForSizes, dp_regression
from dpdescent.estimators.run import LARGEST, Run, rho_of
from dpdescent.mixing import ConvergenceWarning
from dpdescent.privacy.account import account
from dpdescent.privacy.events import GaussianReleases
from dpdescent.randomness import secure_generator, stream

# Level of the intervals, and steps of DP-GD where the user gives none. They are so many that batches are long, because
# neither the length of an interval nor its cost depends on the number of steps.
LEVEL, STEPS = 0.95, 2020
# Arguments of DP-IV-GD that have no option.
STAGES = ("steps1", "tail1", "steps2", "burn_in", "step_size1", "step_size2", "level", "shares")
# First-stage F below which the intervals are not guaranteed to cover.
WEAK = 50.0
# Words before the reason of an event whose noise can be regenerated (`estimators.run.guarded`).
GUARDED = "With secret noise: "
# Smallest threshold or step size of carefully scaled data; the inverse is the largest.
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
SCALE = (
    "of dp-regression: public guesses of the size of every regressor and of the outcome, right within a factor of some "
    "5: educ=12 where most have 10 to 14 years, or, after --centre educ=12, educ=3; .5 for a dummy; "
    f"without them sizes are released with {100 * UNITS:g} %% of the budget"
)
RANGE = (
    "of dp-regression: public smallest and largest value of the outcome, such as 0 1 for one of two values; hardly any "
    "gradient is clipped then, without it intervals miss where most outcomes are one value"
)
GD_CHOICE = {
    "clip_norm": CLIP_NORM.format(what="|x| |y - x'theta|, such as 5 sqrt(p) times the sd of y"),
    "step_size": "the step size, 1/4 to 1 over a public guess of the largest eigenvalue of E[xx']; more mixes faster",
}


@dataclass(frozen=True)
class Method:
    """A method of `dpdescent estimate`.

    Attributes:
        choice: options that the method needs beside columns and budget, with advice on how to choose them.
        columns: options that name the columns.
        may: options that may be left out.
        fixed: function from the command's arguments to the other settings, by name.
        run: function that makes a run from the command's arguments, the other settings (with the public constants to
            subtract as `centre`), the sample, and a generator, which is None for exact releases.
    """

    choice: Mapping[str, str]
    columns: tuple[str, ...]
    may: tuple[str, ...]
    fixed: Callable[[argparse.Namespace], dict[str, Any]]
    run: Callable[[argparse.Namespace, Mapping[str, Any], IVSample, np.random.Generator | None], Run]


def _stages(args: argparse.Namespace) -> dict[str, Any]:
    """Settings of DP-IV-GD; `shares` divide the part of the budget that `moment_share` leaves."""
    library = {name: parameter.default for name, parameter in inspect.signature(dp_iv_gd).parameters.items()}
    shares = WITHOUT_SET if args.outcome_unit is None else WITH_SET
    options = {name: getattr(args, name) for name in ("outcome_unit", "instrument_bound")}
    return {
        **{name: library[name] for name in STAGES}, "step_size1": STEP, "level": LEVEL, "shares": shares,
        "moment_share": 0.0 if args.instrument_bound is None else WHITENED, "batches": IV_BATCHES,
        **{name: value for name, value in options.items() if value is not None},
    }  # fmt: skip


def _instruments(
    args: argparse.Namespace, fixed: Mapping[str, Any], sample: IVSample, rng: np.random.Generator | None
) -> Run:  # fmt: skip
    sample = _centred(args, fixed, sample)
    return dp_iv_gd(
        sample.Z, sample.X, sample.y, clip_norm1=args.clip_norm1, clip_norm2=args.clip_norm2, rng=rng,
        outcome_unit=args.outcome_unit, instrument_bound=args.instrument_bound,
        **{name: fixed[name] for name in STAGES}, **_budget(args), **_arithmetic(args),
    )  # fmt: skip


def _batches(args: argparse.Namespace) -> dict[str, Any]:
    """Settings of DP-GD."""
    steps = STEPS if args.steps is None else args.steps
    return {"steps": steps, "level": LEVEL}


def _descent(
    args: argparse.Namespace, fixed: Mapping[str, Any], sample: IVSample, rng: np.random.Generator | None
) -> Run:  # fmt: skip
    sample = _centred(args, fixed, sample)
    return dp_gd(
        sample.X, sample.y, steps=fixed["steps"], step_size=args.step_size, clip_norm=args.clip_norm, rng=rng,
        **_budget(args), **_arithmetic(args),
    )  # fmt: skip


def _table(args: argparse.Namespace) -> dict[str, Any]:
    """Settings of DP regression; a `scale` of None will be released."""
    columns = [*args.regressors, args.outcome]
    if "const" in args.regressors and not args.no_intercept:
        raise ValueError("--regressors const: a constant is among the columns anyway; leave it out, or take "
                         "--no-intercept")  # fmt: skip
    scale = None if args.scale is None else own_data.constants(args.scale, "scale")
    own_data.require_used(scale or {}, columns, "scale")
    if scale is not None and (lacking := [name for name in columns if name not in scale]):
        raise ValueError(f"--scale lacks {', '.join(lacking)}: {_sizes(columns)}; or leave --scale out, and sizes are "
                         "released")  # fmt: skip
    for name, value in (scale or {}).items():
        _require_fitting(f"--scale {name}=", value)
    centre = own_data.constants(args.centre)
    own_data.require_used(centre, columns)
    for name, value in centre.items():
        if abs(value) > 1.0 / LEAST:
            raise ValueError(f"--centre {name}={value:g} fits no data: give {-1.0 / LEAST:g} to {1.0 / LEAST:g}")
    errors = "unequal" if args.errors is None else args.errors
    if args.outcome_range is not None and not -LARGEST <= args.outcome_range[0] < args.outcome_range[1] <= LARGEST:
        low, high = args.outcome_range
        raise ValueError(
            f"--outcome-range {low:g} {high:g}: give two finite numbers, the smaller one first, such as 0 1"
        )
    return {
        "scale": scale, "outcome_range": args.outcome_range, "errors": errors, "intercept": not args.no_intercept,
        "level": LEVEL,
    }  # fmt: skip


def _sizes(columns: Sequence[str]) -> str:
    """Advice on how to give sizes, with all columns that need one."""
    named = ",".join(f"{name}=..." for name in columns)
    return f"give public guesses of all sizes by --scale {named} (such as educ=12 for years of schooling)"


def _regression(
    args: argparse.Namespace, fixed: Mapping[str, Any], sample: IVSample, rng: np.random.Generator | None
) -> Run:  # fmt: skip
    columns = [*args.regressors, args.outcome]
    if args.release and fixed["errors"] != "none" and (information := _information(args, sample.n)) < INFERRED:
        raise ValueError(
            f"n sqrt(rho) / p = {information:.3g} is below {INFERRED:g}, so that a release can have no standard "
            "errors: take more records, a larger budget or fewer regressors, or --errors none for coefficients alone"
        )
    *offsets, offset = [fixed["centre"].get(name, 0.0) for name in columns]
    scale: dict[str, Any] = {}
    if fixed["scale"] is not None:
        *sizes, size = [fixed["scale"][name] for name in columns]
        scale = {"scale": sizes, "outcome_scale": size}
    try:
        return dp_regression(
            sample.X, sample.y, rng=rng, intercept=fixed["intercept"],
            errors=None if fixed["errors"] == "none" else fixed["errors"], centre=offsets,
            outcome_centre=offset, outcome_range=fixed["outcome_range"], **scale, **_budget(args), **_arithmetic(args),
        )  # fmt: skip
    except TooFewForSizes as error:
        raise ValueError(f"{str(error).partition(':')[0]}: {_sizes(columns)}") from None


METHODS = {
    "dp-regression": Method(
        {}, ("regressors", "outcome"), ("scale", "outcome_range", "no_intercept", "errors"), _table, _regression
    ),
    "dp-gd": Method(GD_CHOICE, ("regressors", "outcome"), ("steps",), _batches, _descent),
    "dp-iv-gd": Method(
        IV_CHOICE, ("instruments", "regressors", "outcome"), ("outcome_unit", "instrument_bound"), _stages, _instruments
    ),
}


def _arithmetic(args: argparse.Namespace) -> dict[str, Any]:
    """The argument `arithmetic` of an estimator, by its name."""
    return {"arithmetic": "exact" if args.release else "floating point"}


def _budget(args: argparse.Namespace) -> dict[str, Any]:
    """The budget as arguments of an estimator, by name."""
    return {"rho": args.rho} if args.rho is not None else {"epsilon": args.epsilon, "delta": args.delta}


def estimate(args: argparse.Namespace) -> dict[str, Any]:
    """Runs a method and returns its publishable results.

    Raises:
        ValueError: if an option is missing, wrong, or of another method, or the table cannot be used.
    """
    method = METHODS[args.method]
    check(args, method)
    fixed = {**method.fixed(args), "centre": own_data.constants(args.centre)}
    rng = None if args.release else secure_generator() if args.secure_noise else stream(args.seed, "estimate", "noise")
    # Checked after all options, because whoever has just corrected the name of a file should not next be told of a
    # wrong number.
    own_data.require_free(args.output, args.source, keep=args.secure_noise)
    sample = read_sample(args.source, **_roles(args))
    own_data.require_delta(args.delta, sample.n)
    # numpy's warnings are off, because overflow is reported in one line, and an epsilon of 0 is such an overflow.
    with np.errstate(all="ignore"), warnings.catch_warnings(record=True, action="always") as caught:
        run = method.run(args, fixed, sample, rng)
        cost = account(run.event, args.delta)
        ends = None if run.inference is None else run.inference.at(LEVEL)
    reasons = dict.fromkeys(f"no interval: {item.message}" for item in caught if item.category is ConvergenceWarning)
    notes = [str(item.message) for item in caught if item.category is UserWarning]
    names = [*(["const"] if fixed.get("intercept") else []), *args.regressors]
    values, half = (run.estimate, np.full(len(names), np.nan)) if ends is None else (ends.centre, ends.half_width)
    unknown = [name for name, known in zip(names, np.isfinite(half), strict=True) if not known]
    if unknown and not notes:
        notes += _unknown(run, unknown)
    intervals = {
        name: [low, high] if math.isfinite(high - low) else None
        for name, low, high in zip(names, (values - half).tolist(), (values + half).tolist(), strict=True)
    }
    noise = {"noise": "operating system"} if args.secure_noise else {"noise": "seeded generator", "seed": args.seed}
    content = {
        "notice": own_data.notice(args.secure_noise, args.release),
        "coefficients" if args.method == "dp-regression" else "beta": dict(zip(names, values.tolist(), strict=True)),
        **_errors(run, names),
        "intervals": None if reasons or not any(intervals.values()) else intervals,
        "intervals_are_for": None if run.inference is None else run.inference.target,
        **({"assumed": _assumed(fixed)} if args.method == "dp-regression" else {}),
        **_weak(run),
        "warnings": [*reasons, *notes, *_weakness(run)],
        "account": {
            "algorithm": run.event.name, "relation": cost.relation, "n": sample.n,
            "releases": [{**asdict(release), "rho": release.rho} for release in run.event.releases
                         if isinstance(release, GaussianReleases) and release.sensitivity > 0.0],
            "rho": cost.rho, "delta": args.delta, "epsilon": cost.epsilon,
            "guarantee": cost.guarantee if args.secure_noise else own_data.REPEATED,
            "arithmetic": cost.arithmetic, "holds": cost.reason.split(GUARDED)[-1],
        },
        "settings": {"method": args.method, **{name: getattr(args, name) for name in (*method.columns, *method.choice)},
                     **_budget(args), **fixed, **noise},
    }  # fmt: skip
    return {**content, "promised": own_data.promised(content["account"])} if args.release else content


def _unknown(run: Run, unknown: Sequence[str]) -> list[str]:
    """Notes on why these coefficients have no interval."""
    if run.inference is not None:
        which = f" of {', '.join(unknown)}" if len(unknown) < len(run.estimate) else ""
        return [f"no interval{which}: {run.inference.unknown}"]
    return [f"no standard errors: {run.without}"]


def _information(args: argparse.Namespace, n: int) -> float:
    """The information `n sqrt(rho) / p` of a regression."""
    rho = rho_of(n, args.rho, args.epsilon, None if args.epsilon is None else args.delta, **_arithmetic(args))
    return n * math.sqrt(rho) / (len(args.regressors) + (not args.no_intercept))


def _errors(run: Run, names: Sequence[str]) -> dict[str, Any]:
    """Standard errors and covariances by name, null where there is none, for methods that have them."""
    if (errors := run.also.get("standard_errors")) is None:
        return {}

    def named(values: NDArray[np.float64]) -> dict[str, float | None]:
        pairs = zip(names, values.tolist(), strict=True)
        return {name: value if math.isfinite(value) else None for name, value in pairs}

    covariance = zip(names, run.also["covariance"], strict=True)
    return {"standard_errors": named(errors), "covariance": {name: named(row) for name, row in covariance}}


def _assumed(fixed: Mapping[str, Any]) -> str:
    """The assumptions of a regression beside its account, in words."""
    sizes = f"sizes of columns are released with {100 * UNITS:g} % of the budget"
    if fixed["scale"] is not None:
        sizes = f"the scales {_pairs(fixed['scale'])} are public and right within a factor of some 5"
    centre = f"; the centres {_pairs(fixed['centre'])} are public" if fixed["centre"] else ""
    errors = {
        "equal": "variances of the errors are equal", "none": "no standard errors were asked for",
        "unequal": "variances of the errors are not taken to be equal (sandwich)",
    }[fixed["errors"]]  # fmt: skip
    outcome = "is an amount that varies, and neither 0/1 nor mostly one value, for which intervals miss"
    if fixed["outcome_range"] is not None:
        low, high = fixed["outcome_range"]
        outcome = f"has the public ends {low:g} and {high:g}, and outcomes beyond were taken for them"
    return (
        f"records are independent, and one row is one person; their number is public; {sizes}{centre}; {errors}; the "
        f"outcome {outcome}"
    )


def _pairs(constants: Mapping[str, float]) -> str:
    return ", ".join(f"{name}={value:g}" for name, value in constants.items())


def check(args: argparse.Namespace, method: Method) -> None:
    """Checks the options of a method.

    Raises:
        ValueError: if an option is missing, is of another method, or is out of its range.
    """
    needed = {**dict.fromkeys(method.columns, "its columns' names"), **method.choice}
    if lacking := own_data.missing(vars(args), needed):
        raise ValueError(f"{lacking}. Choose without looking at the data.")
    own_data.require_one_noise(args.seed, args.secure_noise)
    options = {name for known in METHODS.values() for name in (*known.columns, *known.choice, *known.may)} | {
        *two_stage.CHOICE, "publish",
    }  # fmt: skip
    if other := sorted(
        own_data.option(name) for name in options - {*needed, *method.may} if getattr(args, name) is not None
    ):
        raise ValueError(f"{other[0]} is no option of --method {args.method}: leave it out")
    if (args.rho is None) is (args.epsilon is None):
        raise ValueError("give one of --rho, the zCDP budget of the run, and --epsilon, at --delta")
    if args.steps is not None and not 1 <= args.steps <= MOST_STEPS:
        raise ValueError(f"--steps {args.steps} must lie between 1 and {MOST_STEPS}")
    for name in ("rho", "epsilon"):
        own_data.require_budget(name, getattr(args, name))
    own_data.require_delta(args.delta)
    if args.outcome_unit is not None and args.instrument_bound is None:
        raise ValueError(f"--outcome-unit needs --instrument-bound: {BOUND.replace('%%', '%')}")
    for name in (*method.choice, "outcome_unit", "instrument_bound"):
        if (value := getattr(args, name)) is not None:
            _require_fitting(f"{own_data.option(name)} ", value)


def _require_fitting(setting: str, value: float) -> None:
    """Checks a size or a threshold; `setting` is the beginning of its option, for the message.

    Raises:
        ValueError: if the value is so small or large that it can fit no data.
    """
    if not LEAST <= value <= 1.0 / LEAST:
        raise ValueError(f"{setting}{value:g} fits no data: give {LEAST:g} to {1.0 / LEAST:g}")


def _roles(args: argparse.Namespace) -> dict[str, Any]:
    """The columns' names by role; without instruments the regressors stand in both places."""
    return {
        "instruments": args.instruments or args.regressors, "regressors": args.regressors, "outcome": args.outcome
    }  # fmt: skip


def _centred(args: argparse.Namespace, fixed: Mapping[str, Any], sample: IVSample) -> IVSample:
    """The sample after subtraction of the public constants."""
    return own_data.centred(sample, fixed["centre"], **_roles(args))


def _weak(run: Run) -> dict[str, Any]:
    """The Anderson-Rubin set, with null for infinite ends, and the first-stage F, if they were asked for."""
    if "F" not in run.also:
        return {}
    ends = [[end if math.isfinite(end) else None for end in pair] for pair in run.also["anderson_rubin"].tolist()]
    return {"anderson_rubin": ends, "first_stage_F": float(run.also["F"])}


def _weakness(run: Run) -> Sequence[str]:
    """A warning if the first stage is too weak for the interval."""
    if "F" not in run.also or run.also["F"] >= WEAK:
        return []
    return [f"the first stage's F is {float(run.also['F']):.3g}, noise counted: below {WEAK:g} the interval is not "
            "promised to cover. Take interval or set without a look at F: a choice by it covers too seldom"
            ]  # fmt: skip
