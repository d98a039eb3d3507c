"""Text for runs on a user's own data: notices, and one run's options and results."""

import csv
import math
import os
import textwrap
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, Context
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpdescent.data.iv import IVSample

# Notices; each is printed once in a run.
SEEDED = (
    "a study, not a release: noise is from a seeded generator, in double precision, and whoever has the seed can make "
    "it again and take it off, so that there is no guarantee"
)
# The guarantee of a run whose seed is kept, whatever its account says.
REPEATED = "none: the noise can be made again from this file's seed"
SECURE = (
    "a study, not a release: noise is from the operating system's entropy, with no seed kept, but clipping and noise "
    "are in double precision, whose least significant bits can betray data (Mironov 2012); --release mends that. Each "
    "further run adds its rho"
)
RELEASED = "a release, made of exact sums; what it promises stands at the end"

NOISE = (
    "--seed 7 repeats a run, to study the algorithm; --secure-noise draws fresh noise from the operating system; "
    "--release makes a release, with such noise and exact sums"
)
RELEASE = (
    "make a release and not a study: noise of the operating system, and sums of integers, whose guarantee holds of "
    "what a machine does; what was promised is told in three lines"
)

# Beyond these budgets an epsilon cannot be computed to all digits, and would mean nothing.
BUDGETS = 1e-12, 1e6


def pipeline_notice(tables: Sequence[str]) -> str:
    """Notice for a build that reads the user's own tables."""
    return f"Notice: {', '.join(tables)}: {SEEDED}; and the pipeline takes more from the data than its noise covers."


def option(name: str) -> str:
    """The option that sets the argument of this name."""
    return f"--{name.replace('_', '-')}"


def missing(options: Mapping[str, object], choice: Mapping[str, str]) -> str:
    """Message about missing options without a safe default, with advice for the first; empty if none is missing."""
    names = [name for name in choice if options[name] is None]
    if not names:
        return ""
    also = f" (also missing: {', '.join(map(option, names[1:]))})" if names[1:] else ""
    return f"{option(names[0])} is needed: {choice[names[0]]}{also}"


def require_one_noise(seed: int | None, secure: bool) -> None:
    """Checks that the source of noise is chosen.

    Raises:
        ValueError: unless one of a seed and secure noise is given.
    """
    if (seed is not None) is secure:
        raise ValueError(f"give one of --seed, --secure-noise and --release: {NOISE}")


def notice(secure: bool, release: bool) -> str:
    """What kind of run it is."""
    return RELEASED if release else SECURE if secure else SEEDED


def promised(account: Mapping[str, Any]) -> list[str]:
    """Lines that say what a release promises: what, under which conditions, and what is left out."""
    # Imported here, because a build's start reads the notices of this module and needs no numpy.
    from dpdescent.exact_grid import SPARE
    from dpdescent.exact_sums import LEFT_OUT

    # Rounded up, because what is promised must hold; noise has more to spare than what is taken off first.
    shown = Context(prec=6, rounding=ROUND_CEILING).create_decimal(account["epsilon"] * (1.0 - 0.25 * SPARE))
    return [
        f"Promised: ({float(shown):.6g}, {account['delta']})-differential privacy where one row is replaced, "
        "of all that is printed and written here, proved of what a machine does: sums of integers, discrete Gaussian "
        "noise, bits of the operating system",
        "It rests on: one person in one row; columns, constants and budget chosen without these records; no other run "
        "on them: each adds its rho, also one that failed",
        f"Left out: {LEFT_OUT}",
    ]


def require_budget(name: str, value: float | None) -> None:
    """Checks a budget that was given.

    Raises:
        ValueError: if no epsilon can be computed from it that means anything.
    """
    low, high = BUDGETS
    if value is not None and not low <= value <= high:
        raise ValueError(f"--{name} {value:g} is no budget: give {low:g}, all noise, to {high:g}, no privacy")


def require_delta(delta: float, n: int = 1) -> None:
    """Checks the delta of an account of n records.

    Raises:
        ValueError: unless it lies strictly between 0 and 1 / n.
    """
    if not 0.0 < delta < 1.0:
        raise ValueError(f"--delta {delta:g} must lie strictly between 0 and 1")
    if not delta * n < 1.0:
        raise ValueError(
            f"--delta {delta:g} must be below 1/n = {1 / n:.3g}, or publishing a record at random would pass"
        )


def names(words: Sequence[str]) -> list[str]:
    """Splits words at commas; a name with a comma stands in quotes, as in the header of the table.

    Raises:
        csv.Error: if a word could be no line of a table.
    """
    found = [name for word in words for name in next(csv.reader([word], skipinitialspace=True), [])]
    return [name for name in found if name] or [*words]


def constants(pairs: Sequence[str], name: str = "centre") -> dict[str, float]:
    """Reads `column=number` pairs of the option of this name.

    Raises:
        ValueError: if one is not such a pair, or a column occurs twice.
    """
    found: dict[str, float] = {}
    for pair in pairs:
        column, _, value = pair.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            number = None
        if not column or number is None:
            raise ValueError(f"--{name} {pair}: give column=number, such as x=2, with a constant that is public")
        if column in found:
            raise ValueError(f"--{name} {pair}: {column} has the constant {found[column]} already; give one")
        found[column] = number
    return found


def require_used(constants: Mapping[str, float], used: Sequence[str], name: str = "centre") -> None:
    """Checks public constants of columns, given by the option of this name.

    Raises:
        ValueError: if one is not finite, or belongs to no column in use.
    """
    for column, value in constants.items():
        if column not in used:
            raise ValueError(f"{name}: {column!r} is no column in use; there are {', '.join(dict.fromkeys(used))}")
        if not math.isfinite(value):
            raise ValueError(f"{name}: {column}={value} must be finite")


def centred(
    sample: "IVSample", constants: Mapping[str, float], instruments: list[str], regressors: list[str], outcome: str
) -> "IVSample":
    """Subtracts public constants from the named columns of a sample; a column in both lists is centred in both.

    Raises:
        ValueError: if a constant is not finite, or belongs to no column in use.
    """
    # Imported here, because a build's start reads the notices of this module and needs no numpy.
    import numpy as np

    from dpdescent.data.iv import IVSample
    from dpdescent.estimators.run import LARGEST

    require_used(constants, [*instruments, *regressors, outcome])
    z, x = (np.array([constants.get(name, 0.0) for name in names]) for names in (instruments, regressors))
    # What overflows is clipped like any other value that is too large.
    with np.errstate(over="ignore"):
        moved = sample.Z - z, sample.X - x, sample.y - constants.get(outcome, 0.0)
    return IVSample(*(np.clip(part, -LARGEST, LARGEST) for part in moved))


def require_free(output: str, source: str, keep: bool) -> None:
    """Checks the name of an output file before a run.

    Args:
        output: name of the output file.
        source: name of the table.
        keep: whether an existing file must not be overwritten, because its noise cannot be regenerated.

    Raises:
        ValueError: if it is a folder, a device, the table itself, or a file that is to be kept, or no name of a file.
    """
    if not output.isprintable():
        raise ValueError(f"--output {output!r} has a character that no terminal shows; name another file")
    path = Path(output)
    if path.is_dir() or output.endswith(os.sep):
        raise ValueError(f"--output {output} is a folder; name a file")
    # A device, a pipe or a link without an end would be replaced by a file.
    if os.path.lexists(path) and not path.is_file():
        raise ValueError(f"--output {output} is no regular file; name one, or a new one")
    # Not Path.resolve, because it ends on links that lead to themselves.
    if os.path.realpath(path) == os.path.realpath(source):
        raise ValueError(f"--output {output} is the table itself; name another file")
    if keep and path.exists():
        raise ValueError(
            f"--output {output} exists; name another: it may be a release, and each further one adds its rho"
        )


def told(content: Mapping[str, Any], output: str) -> str:
    """Text about a run for the terminal: notice, estimate, privacy account and name of the output file.

    Args:
        content: content of the output file, as `dpdescent estimate` makes it.
        output: name of the output file.
    """
    account, settings = content["account"], content["settings"]
    source = f"seed {settings['seed']}" if "seed" in settings else "noise of the operating system"
    lines = [f"Notice: {content['notice']}.", ""]
    steps = " + ".join(str(settings[name]) for name in ("steps", "steps1", "steps2") if name in settings)
    lines += [f"{account['algorithm']} on {account['n']} records, {f'{steps} steps, ' * bool(steps)}{source}"]
    if "coefficients" in content:
        lines += _table(content)
    lines += [
        f"  beta[{name}] = {value:.6g}{_interval(content, name)}" for name, value in content.get("beta", {}).items()
    ]
    if "noise_standard_error" in content:
        least, most = content["noise_standard_error"]
        lines += [
            f"  standard error of each by the noise alone: {least:.3g}, or up to {most:.3g} where steps hardly contract"
        ]
    if content.get("intervals") and "beta" in content:
        lines += [f"  intervals are for {content['intervals_are_for']}"]
    if "anderson_rubin" in content:
        lines += [
            f"  Anderson-Rubin set {_set(content['anderson_rubin'])} for the true effect, however weak the instruments,"
            " if hardly any gradient is clipped or errors are symmetric",
            f"  first-stage F {content['first_stage_F']:.4g}, the noise counted as error",
        ]
    lines += [f"Warning: {each}." for each in content["warnings"]]
    lines += [f"account ({account['relation']}, n public)"]
    lines += [_released(what, [each for each in account["releases"] if each["what"] == what])
              for what in dict.fromkeys(each["what"] for each in account["releases"])]  # fmt: skip
    lines += [f"  together rho {account['rho']:.6g}, or epsilon {account['epsilon']:.6g} at delta {account['delta']:g}"]
    lines += [f"  {account['holds']}"] + [f"  guarantee {account['guarantee']}"] * ("seed" in settings)
    if "release" in account:
        lines += [f"  release {account['release']}: {account['release_costs']}"]
    lines += [f"{each}." for each in content.get("promised", [])]
    return "\n".join([*lines, f"written to {output}"])


def _table(content: Mapping[str, Any]) -> list[str]:
    """The table of a regression, what its intervals are for, and what was assumed."""
    # Imported here, because a build's start reads the notices of this module and needs no numpy.
    import numpy as np

    from dpdescent.estimators.run import table

    names, found, errors = [*content["coefficients"]], content["intervals"], content.get("standard_errors")
    lines = table(
        names, np.array([*content["coefficients"].values()]),
        None if errors is None else np.array([*errors.values()], dtype=float),
        None if found is None else np.array([each or [math.nan] * 2 for each in found.values()]),
        content["settings"]["level"],
    )  # fmt: skip
    told = [f"Intervals: for {content['intervals_are_for']}."] if found else []
    told += [f"Assumed: {content['assumed']}."]
    return [f"outcome: {content['settings']['outcome']}", "", *lines, "", *(textwrap.fill(each, 100) for each in told)]


def _interval(content: Mapping[str, Any], name: str) -> str:
    """The interval of a coefficient in words, if there is one."""
    found = (content.get("intervals") or {}).get(name)
    return "" if found is None else f", 95 % interval {found[0]:.6g} to {found[1]:.6g}"


def _released(what: str, releases: Sequence[Mapping[str, Any]]) -> str:
    """A line about releases of one kind, which may differ in sensitivity and noise."""
    count, rho = sum(each["count"] for each in releases), math.fsum(each["rho"] for each in releases)
    moved, noise = (_extent([each[name] for each in releases]) for name in ("sensitivity", "noise_sd"))
    return f"  {count} release{'s' * (count != 1)} of the {what}: sensitivity {moved}, noise sd {noise}, rho {rho:.6g}"


def _extent(values: Sequence[float]) -> str:
    """A number that is told once, or the least and the largest of several."""
    low, high = f"{min(values):.6g}", f"{max(values):.6g}"
    return low if low == high else f"{low} to {high}"


def _set(ends: Sequence[Sequence[float | None]]) -> str:
    """A union of intervals in words; an end of None is infinite."""
    if not ends:
        return "is empty: no effect explains all instruments"
    told = [(-math.inf if low is None else low, math.inf if high is None else high) for low, high in ends]
    return " and ".join(f"[{low:.4g}, {high:.4g}]" for low, high in told)
