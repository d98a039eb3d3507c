"""Shared parts of all estimators: conversion of budgets, checks of arrays, and the run that they return."""

import math
import textwrap
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpdescent.checks import (
    require_finite_values,
    require_known,
    require_positive,
    require_probability,
    require_real,
    require_real_or_none,
)
from dpdescent.exact_sums import LEFT_OUT
from dpdescent.gate import LARGEST as LARGEST
from dpdescent.gate import real
from dpdescent.interval_arithmetic import Intervals
from dpdescent.mixing import ConvergenceWarning
from dpdescent.privacy import zcdp
from dpdescent.privacy.account import account
from dpdescent.privacy.accounting import LARGEST as LARGEST_EPSILON
from dpdescent.privacy.accounting import LEAST as LEAST_EPSILON
from dpdescent.privacy.accounting import tight_rho
from dpdescent.privacy.arithmetic import Arithmetic, ExactMechanism, arithmetic_of
from dpdescent.privacy.events import Mechanism
from dpdescent.secret_bits import is_secret

Array = NDArray[np.float64]
# A level below this is taken for the share of intervals that miss.
LEAST_LEVEL = 0.5
# The way in which exact releases are made, in words for the reason of an event.
SUMS = "records' vectors are integers, whose norms are checked and whose sums are exact"


@dataclass(frozen=True)
class Inference:
    """Confidence intervals that follow from the releases of a run, and therefore cost nothing more.

    Attributes:
        target: the quantity that the intervals are for, in words, with the conditions for it.
        at: function from a level to the intervals, an object with `centre` and `half_width` of shape (p,), NaN where a
            coefficient has none. It warns (`ConvergenceWarning`) where intervals cover too seldom, and raises
            ValueError where there are none at all.
        standard_errors: standard errors of the estimate, shape (p,), or None.
        unknown: reason why a coefficient has no interval.
    """

    target: str
    at: Callable[[float], Intervals]
    standard_errors: Array | None = None
    unknown: str = (
        "the noise in the released second moment would be most of it; a larger budget, more records or a smaller "
        "clip_norm2 mends that"
    )


# Without equality, because comparisons of arrays have no single truth value.
@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """One run on one data set. Its printed form shows only what may be published.

    Attributes:
        estimate: the estimate; each estimator states its shape.
        path: iterates 1 to T, along the first axis; empty where they were not asked for.
        clipped: share of all single-record gradients that were clipped. Do not publish it: it is computed from the data
            without noise, and the event does not cover it; nothing prints or writes it.
        event: the releases of the run and whether their guarantee is proved, for `account(event, delta)`. It covers
            `estimate`, `path` and `also` together.
        also: further arrays, by name.
        names: names of the regressors, if they came in a frame; otherwise empty.
        n: number of records, which is public.
        delta: delta of the budget, if that was given as (epsilon, delta); otherwise None.
        inference: the confidence intervals; None where the algorithm or the run has none.
        without: reason why this run has no intervals, for an algorithm that can have them.
    """

    estimate: Array
    path: Array
    clipped: float
    event: Mechanism
    also: Mapping[str, Array] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    n: int = 0
    delta: float | None = None
    inference: Inference | None = None
    without: str = ""

    def __repr__(self) -> str:
        lines = [f"Run of {self.event.name} on {self.n} records", f"estimate: {_brief(self.estimate, self.names)}"]
        if len(self.path):
            lines.append(f"path: {len(self.path)} iterates of shape {self.path.shape[1:]}")
        if self.also:
            lines.append(f"also: {', '.join(f'{name} {np.shape(array)}' for name, array in self.also.items())}")
        return "\n  ".join([*lines, f"guarantee: {self.event.guarantee}, {self.event.relation}"])

    def conf_int(self, level: float = 0.95) -> Array:
        """Confidence intervals of the coefficients from the releases of the run, rows of (low, high), shape (p, 2).

        NaN where a coefficient has no interval; `inference.target` says what they are for. The method warns
        (`ConvergenceWarning`) where they cover too seldom.

        Args:
            level: nominal coverage, from one half to 1, such as .95; not the share of intervals that miss.

        Raises:
            ValueError: if the algorithm has no intervals, the path is too short for them, or the level is out of range.
        """
        return _ends(self._intervals(level))

    def _intervals(self, level: float) -> Intervals:
        """The intervals at a level; an error says why there are none."""
        require_real(level=level)
        require_probability(level=level)
        if level < LEAST_LEVEL:
            raise ValueError(f"level={level} is the share of intervals that hold: give {1.0 - level:g} for that share")
        if self.inference is None:
            if self.without:
                raise ValueError(f"this run of {self.event.name} has no confidence intervals: {self.without}")
            raise ValueError(
                f"this run of {self.event.name} has no confidence intervals: dp_gd with equal parts of its budget, "
                "dp_iv_gd, and dp_regression with much information have them"
            )
        return self.inference.at(level)

    def summary(self, *, delta: float | None = None, level: float = 0.95) -> str:
        """Table of coefficients with intervals, where there are any, and the account of the run at its foot.

        Args:
            delta: delta at which epsilon is printed; None means the delta of the budget. If that has none, only rho is
                printed.
            level: nominal coverage of the intervals.

        Raises:
            ValueError: if the level or delta is not in (0, 1).
        """
        require_real(level=level)
        require_probability(level=level)
        coefficients, intervals, why = self._inferred(level)
        lines = [f"{self.event.name}, n = {self.n}", ""]
        if coefficients.ndim == 1:
            names = self.names or tuple(f"x{k + 1}" for k in range(len(coefficients)))
            errors = self.inference.standard_errors if self.inference is not None and intervals is not None else None
            lines += table(names, coefficients, errors, None if intervals is None else _ends(intervals), level)
        else:
            lines.append(f"estimate: {_brief(coefficients, self.names)}")
        return "\n".join([*lines, "", *why, *self._foot(self.delta if delta is None else delta)])

    def _inferred(self, level: float) -> tuple[Array, Intervals | None, list[str]]:
        """The coefficients, their intervals or None, and a note on what these are for or why they are missing."""
        if self.inference is None:
            why = textwrap.fill(f"No intervals: {self.without}.", 100)
            return self.estimate, None, [why] if self.without else []
        with warnings.catch_warnings(record=True, action="always") as caught:
            try:
                intervals = self._intervals(level)
            except ValueError as error:
                return self.estimate, None, [f"No intervals: {error}"]
        reasons = [str(warning.message) for warning in caught if issubclass(warning.category, ConvergenceWarning)]
        if not (known := np.isfinite(intervals.half_width)).any():
            reasons.append(self.inference.unknown)
        if reasons:
            return self.estimate, None, [f"No intervals: {reason}" for reason in reasons]
        notes = [f"Intervals: for {self.inference.target}."]
        notes += [] if known.all() else [f"No interval: {self.inference.unknown}."]
        return intervals.centre, intervals, [textwrap.fill(note, 100) for note in notes]

    def _foot(self, delta: float | None) -> list[str]:
        """Lines on the cost of the run, the relation between neighbours and the argument for the guarantee."""
        event = self.event
        try:
            cost = [f"rho {event.rho:.4g}"]
        except ValueError:
            cost = []
        if delta is not None:
            cost.append(f"epsilon {account(event, delta).epsilon:.4g} at delta {delta:.4g}")
        if not cost:
            cost = ["summary(delta=...) tells epsilon"]
        costs = f"{', '.join(cost)} ({event.relation})"
        # Reported as the cost with secret noise, because a run whose noise can be regenerated has no such guarantee.
        guarantee = f"Privacy: none; the same with secret noise: {costs}." if event.guarantee == "none" else (
            f"Privacy, {event.guarantee}: {costs}."
        )  # fmt: skip
        return [guarantee, textwrap.fill(f"Why: {event.reason}.", 100)]

    def to_dict(self, *, path: bool = False) -> dict[str, Any]:
        """The publishable results as plain numbers, strings, lists and dicts, for JSON; null if not finite.

        Args:
            path: whether to include the iterates, also those in `also`.
        """
        also = {name: array for name, array in self.also.items() if path or not name.endswith("_path")}
        event = {**asdict(self.event), "arithmetic": arithmetic_of(self.event)}
        content = {"estimate": self.estimate, "names": self.names, "n": self.n, "delta": self.delta, "also": also}
        result: dict[str, Any] = _plain(content | {"event": event} | ({"path": self.path} if path else {}))
        return result


def _plain(value: Any) -> Any:
    """A value in the types that JSON has."""
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def table(
    names: Sequence[str], estimate: Array, errors: Array | None, ends: Array | None, level: float
) -> list[str]:  # fmt: skip
    """Lines of a table of coefficients, with standard errors and intervals where there are any; NaN stands for none.

    A coefficient without a standard error, beside others that have one, is not determined; it stands in brackets.

    Args:
        names: names of the coefficients.
        estimate: the coefficients, shape (p,).
        errors: their standard errors, shape (p,).
        ends: ends of their intervals, shape (p, 2).
        level: nominal coverage of the intervals.
    """
    wide = max(map(len, names))
    head = ["estimate", *(["std. error"] if errors is not None else [])]
    lines = [" " * wide + "".join(f"{title:>13}" for title in head)
             + (f"{f'{100 * level:g} % interval':>27}" if ends is not None else "")]  # fmt: skip
    for k, name in enumerate(names):
        number, error, interval = f"{estimate[k]:.5g}", "", ""
        if errors is not None:
            number = number if math.isfinite(errors[k]) else f"({number})"
            error = f"{errors[k]:>13.5g}" if math.isfinite(errors[k]) else f"{'-':>13}"
        if ends is not None:
            low, high = ends[k]
            known = math.isfinite(high - low)
            interval = f" {low:>12.5g} to {high:>10.5g}" if known else f"{'not determined':>27}"
        lines.append(f"{name:{wide}}{number:>13}{error}{interval}")
    return lines


def _ends(intervals: Intervals) -> Array:
    """The ends of intervals as rows of (low, high), shape (p, 2)."""
    return np.stack([intervals.centre - intervals.half_width, intervals.centre + intervals.half_width], axis=-1)


def _brief(values: Array, names: tuple[str, ...]) -> str:
    """The first numbers of an array, with their names, and the count of all."""
    if values.ndim != 1:
        return f"array of shape {values.shape}"
    numbers = [f"{value:.5g}" for value in values[:8].tolist()]
    shown = [f"{name} {number}" for name, number in zip(names, numbers, strict=False)] if names else numbers
    return ", ".join(shown) + (f", ... ({len(values)} in all)" if len(values) > len(shown) else "")


def rho_of(
    n: int, rho: float | None, epsilon: float | None, delta: float | None, arithmetic: Arithmetic = "floating point"
) -> float:  # fmt: skip
    """Returns the zCDP budget of Gaussian releases, given as rho or as (epsilon, delta), which is converted exactly.

    Args:
        n: number of records.
        rho: zCDP budget, positive and finite.
        epsilon, delta: the budget as (epsilon, delta), in place of rho; delta must be below 1 / n.
        arithmetic: arithmetic of the run. For `exact`, whose noise is discrete, the conversion is the one that holds
            for every zCDP mechanism (`zcdp.renyi_epsilon`), and rho is slightly smaller.

    Raises:
        ValueError: if both budgets or neither are given, or a value is out of its range.
    """
    require_known(Arithmetic, arithmetic=arithmetic)
    require_real_or_none(rho=rho, epsilon=epsilon, delta=delta)
    if rho is not None and epsilon is None and delta is None:
        require_positive(rho=rho)
        if math.isinf(rho):
            raise ValueError(f"rho={rho} must be finite: it is the budget that the noise is scaled by")
        return rho
    if rho is None and epsilon is not None and delta is not None:
        convert = zcdp.rho_of_renyi_epsilon if arithmetic == "exact" else tight_rho
        return convert(*epsilon_delta(n, epsilon, delta))
    raise ValueError(f"rho={rho}, epsilon={epsilon}, delta={delta}: give rho alone, or epsilon and delta")


def epsilon_delta(n: int, epsilon: float, delta: float) -> tuple[float, float]:
    """Checks and returns the budget (epsilon, delta).

    Raises:
        ValueError: if epsilon is not positive and finite, or delta not in (0, 1 / n).
    """
    require_real(epsilon=epsilon, delta=delta)
    require_positive(epsilon=epsilon)
    zcdp.require_delta(delta)
    if math.isinf(epsilon):
        raise ValueError(f"epsilon={epsilon} must be finite: it is the budget that the noise is scaled by")
    if epsilon > LARGEST_EPSILON:
        raise ValueError(f"epsilon={epsilon} must be at most {LARGEST_EPSILON:.0e}: far less protects nobody")
    if epsilon < LEAST_EPSILON:
        raise ValueError(f"epsilon={epsilon} must be at least {LEAST_EPSILON:.0e}: no estimate is left at far more")
    if delta * n >= 1.0:
        raise ValueError(f"delta={delta} must be below 1/n = {1 / n:.3g}, or publishing a record at random would pass")
    return epsilon, delta


def require_finite(*iterates: Array | None) -> None:
    """Checks the iterates of a run; a run that overflowed must not be released.

    Raises:
        ValueError: if a value is not finite.
    """
    if not all(np.isfinite(array).all() for array in iterates if array is not None):
        raise ValueError(
            "the iterates overflow; take smaller step sizes (telling anyone that it failed spends its budget too)"
        )


def fitting(name: str, given: Any, shape: tuple[int, ...]) -> Array:
    """Returns an argument as an array of floats of the given shape.

    Args:
        name: name of the argument, for the message.
        given: the argument.
        shape: the shape that it must have.

    Raises:
        ValueError: if it has another shape, or contains a value that is not a finite real number.
    """
    array = real(name, given)
    if array.shape != shape:
        raise ValueError(f"{name} of shape {array.shape} must have shape {shape}")
    require_finite_values(**{name: array})
    return array


def parts_of(shares: ArrayLike, count: int) -> Array:
    """Returns the shares of a budget, scaled so that rounding of their sum costs nothing, shape (count,).

    Raises:
        ValueError: if the shares are not positive, do not add up to 1, or are not `count` many.
    """
    parts = fitting("shares", shares, (count,))
    if not (parts.min() > 0.0 and math.isclose(parts.sum(), 1.0, rel_tol=1e-9)):
        raise ValueError(f"shares={parts} must be positive, of sum 1 and not {parts.sum()}: they divide the budget")
    return np.asarray(parts / parts.sum())


def guarded(event: Mechanism, rng: np.random.Generator, *, handed: bool) -> Mechanism:
    """Returns the event unchanged for secret noise, and without a guarantee for noise that can be regenerated.

    Args:
        event: the releases, and the argument for their guarantee.
        rng: generator of the noise and of random batches.
        handed: whether the noise was given as an argument.
    """
    if handed:
        why = "the noise was handed over, and whoever made it can take it off again"
    elif not is_secret(rng):
        source = type(rng.bit_generator).__name__
        why = f"a seed or earlier output makes the noise of {source} again; take randomness.secure_generator()"
    else:
        return event
    return replace(event, guarantee="none", reason=f"{why}. With secret noise: {event.reason}")


def require_own_noise(rng: object, arithmetic: Arithmetic, normals: object = None) -> None:
    """Checks the arithmetic of a run, and that exact noise has no generator and is not handed over.

    Raises:
        ValueError: if the arithmetic is not a known one, or is exact although noise is given.
    """
    require_known(Arithmetic, arithmetic=arithmetic)
    if arithmetic == "exact" and normals is not None:
        raise ValueError("arithmetic='exact' makes noise of its own: leave normals out")
    if arithmetic == "exact" and rng is not None:
        raise ValueError("arithmetic='exact' takes its noise from the operating system bit by bit: give rng=None")


def exactly(event: Mechanism, how: str = SUMS) -> ExactMechanism:
    """Returns the event of releases that were made exactly: by `exact_sums`, or as `how` says."""
    reason = (
        f"{event.reason.removeprefix('in exact arithmetic: ')}. So on a machine: {how}, and noise is a discrete "
        f"Gaussian from the operating system's bits. Left out: {LEFT_OUT}"
    )
    values = {attribute.name: getattr(event, attribute.name) for attribute in fields(event)}
    return ExactMechanism(**{**values, "reason": reason})
