"""Text for runs on a user's own data: notices, and the options and results of one run."""

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

# Notices; a run prints one of them, once.
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

# Smallest and largest budget from which a meaningful epsilon can be computed to all digits.
BUDGETS = 1e-12, 1e6


def pipeline_notice(tables: Sequence[str]) -> str:
    """The notice for a build that reads the user's own tables."""
    return f"Notice: {', '.join(tables)}: {SEEDED}; and the pipeline takes more from the data than its noise covers."


def option(name: str) -> str:
    """The command-line option that sets the argument of this name."""
    return f"--{name.replace('_', '-')}"


def missing(options: Mapping[str, object], choice: Mapping[str, str]) -> str:
    """The message about missing options that have no safe default, with advice for the first; empty if none is."""
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
    """The notice that says what kind of run this is."""
    return RELEASED if release else SECURE if secure else SEEDED


def promised(account: Mapping[str, Any]) -> list[str]:
    """Lines that say what a release promises, under which conditions, and what it leaves out."""
    # Imported here, because the start of a build reads the notices of this module and needs no numpy.
    from dpdescent.exact_grid import SPARE
    from dpdescent.exact_sums import LEFT_OUT

    # Rounded up, because the promise must hold. The small amount subtracted first is less than the noise has to spare.
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
    """Checks a privacy budget from the command line.

    Raises:
        ValueError: if the budget is so small or large that its epsilon would be meaningless.
    """
    low, high = BUDGETS
    if value is not None and not low <= value <= high:
        raise ValueError(f"--{name} {value:g} is no budget: give {low:g}, all noise, to {high:g}, no privacy")


def require_delta(delta: float, n: int = 1) -> None:
    """Checks the delta at which an account of n records is given.

    Raises:
        ValueError: unless delta lies strictly between 0 and 1 / n.
    """
    if not 0.0 < delta < 1.0:
        raise ValueError(f"--delta {delta:g} must lie strictly between 0 and 1")
    if not delta * n < 1.0:
        raise ValueError(
            f"--delta {delta:g} must be below 1/n = {1 / n:.3g}, or publishing a record at random would pass"
        )


def names(words: Sequence[str]) -> list[str]:
    """Splits words into names at commas; a name with a comma stands in quotes, as in the header of the table.

    Raises:
        csv.Error: if a word cannot be read as a line of a table.
    """
    split = [name for word in words for name in next(csv.reader([word], skipinitialspace=True), [])]
    return [name for name in split if name] or [*words]


def constants(pairs: Sequence[str], name: str = "centre") -> dict[str, float]:
    """Reads the `column=number` pairs of an option into a dictionary.

    Raises:
        ValueError: if a word is not such a pair, or a column occurs twice.
    """
    numbers: dict[str, float] = {}
    for pair in pairs:
        column, _, value = pair.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            number = None
        if not column or number is None:
            raise ValueError(f"--{name} {pair}: give column=number, such as x=2, with a constant that is public")
        if column in numbers:
            raise ValueError(f"--{name} {pair}: {column} has the constant {numbers[column]} already; give one")
        numbers[column] = number
    return numbers


def require_used(constants: Mapping[str, float], used: Sequence[str], name: str = "centre") -> None:
    """Checks that public constants are finite and belong to columns in use; `name` is their option.

    Raises:
        ValueError: if a constant is not finite, or belongs to no column in use.
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
    # Imported here, because the start of a build reads the notices of this module and needs no numpy.
    import numpy as np

    from dpdescent.data.iv import IVSample
    from dpdescent.estimators.run import LARGEST

    require_used(constants, [*instruments, *regressors, outcome])
    z, x = (np.array([constants.get(name, 0.0) for name in names]) for names in (instruments, regressors))
    # Overflowing values are clipped like any other value that is too large.
    with np.errstate(over="ignore"):
        moved = sample.Z - z, sample.X - x, sample.y - constants.get(outcome, 0.0)
    return IVSample(*(np.clip(part, -LARGEST, LARGEST) for part in moved))


def require_free(output: str, source: str, keep: bool) -> None:
    """Checks the name of an output file before a run starts.

    Args:
        output: name of the output file.
        source: name of the table.
        keep: whether an existing file must not be overwritten, because its noise cannot be regenerated.

    Raises:
        ValueError: if the name is that of a folder, a device, the table itself or a file to be kept, or cannot be the
            name of a file.
    """
    if not output.isprintable():
        raise ValueError(f"--output {output!r} has a character that no terminal shows; name another file")
    path = Path(output)
    if path.is_dir() or output.endswith(os.sep):
        raise ValueError(f"--output {output} is a folder; name a file")
    # Because the output would replace a device, a pipe, or a link that never ends.
    if os.path.lexists(path) and not path.is_file():
        raise ValueError(f"--output {output} is no regular file; name one, or a new one")
    # Not Path.resolve, because that fails on links that lead to themselves.
    if os.path.realpath(path) == os.path.realpath(source):
        raise ValueError(f"--output {output} is the table itself; name another file")
    if keep and path.exists():
        raise ValueError(
            f"--output {output} exists; name another: it may be a release, and each further one adds its rho"
        )


def report(content: Mapping[str, Any], output: str) -> str:
    """The report of a run for the terminal: notice, estimate, privacy account and name of the output file.

    Args:
        content: content of the output file, as `dpdescent estimate` writes it.
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
    lines += [f"Warning: {warning}." for warning in content["warnings"]]
    lines += [f"account ({account['relation']}, n public)"]
    lines += [_released(what, [release for release in account["releases"] if release["what"] == what])
              for what in dict.fromkeys(release["what"] for release in account["releases"])]  # fmt: skip
    lines += [f"  together rho {account['rho']:.6g}, or epsilon {account['epsilon']:.6g} at delta {account['delta']:g}"]
    lines += [f"  {account['holds']}"] + [f"  guarantee {account['guarantee']}"] * ("seed" in settings)
    if "release" in account:
        lines += [f"  release {account['release']}: {account['release_costs']}"]
    lines += [f"{promise}." for promise in content.get("promised", [])]
    return "\n".join([*lines, f"written to {output}"])


def _table(content: Mapping[str, Any]) -> list[str]:
    """Lines with the table of a regression, the target of its intervals, and the assumptions."""
    # Imported here, because the start of a build reads the notices of this module and needs no numpy.
    import numpy as np

    from dpdescent.estimators.run import table

    names, intervals, errors = [*content["coefficients"]], content["intervals"], content.get("standard_errors")
    lines = table(
        names, np.array([*content["coefficients"].values()]),
        None if errors is None else np.array([*errors.values()], dtype=float),
        None if intervals is None else np.array([text or [math.nan] * 2 for text in intervals.values()]),
        content["settings"]["level"],
    )  # fmt: skip
    notes = [f"Intervals: for {content['intervals_are_for']}."] if intervals else []
    notes += [f"Assumed: {content['assumed']}."]
    return [f"outcome: {content['settings']['outcome']}", "", *lines, "", *(textwrap.fill(text, 100) for text in notes)]


def _interval(content: Mapping[str, Any], name: str) -> str:
    """The interval of a coefficient in words; empty if it has none."""
    ends = (content.get("intervals") or {}).get(name)
    return "" if ends is None else f", 95 % interval {ends[0]:.6g} to {ends[1]:.6g}"


def _released(what: str, releases: Sequence[Mapping[str, Any]]) -> str:
    """A line about releases of one kind, which may differ in sensitivity and noise."""
    count, rho = sum(release["count"] for release in releases), math.fsum(release["rho"] for release in releases)
    sensitivity, noise = (_extent([release[name] for release in releases]) for name in ("sensitivity", "noise_sd"))
    return (
        f"  {count} release{'s' * (count != 1)} of the {what}: sensitivity {sensitivity}, noise sd {noise}, "
        f"rho {rho:.6g}"
    )


def _extent(values: Sequence[float]) -> str:
    """The common value of several numbers, or the smallest and the largest of them."""
    low, high = f"{min(values):.6g}", f"{max(values):.6g}"
    return low if low == high else f"{low} to {high}"


def _set(ends: Sequence[Sequence[float | None]]) -> str:
    """A union of intervals in words; None stands for an infinite end."""
    if not ends:
        return "is empty: no effect explains all instruments"
    intervals = [(-math.inf if low is None else low, math.inf if high is None else high) for low, high in ends]
    return " and ".join(f"[{low:.4g}, {high:.4g}]" for low, high in intervals)
