"""Coverage and length of the intervals of `dp_regression`, and how far its estimates are, beside least squares."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from scipy.special import ndtri

from dpdescent.algorithms.dp_regression import Errors, Plan
from dpdescent.estimators.dp_regression import dp_regression
from dpdescent.papers.ours.contenders.full_batch import IN_PROPORTION
from dpdescent.papers.ours.design import PAPER, Array, Row, Spec
from dpdescent.papers.ours.iv_design import cells
from dpdescent.papers.ours.regression_design import Design, Records, draw
from dpdescent.privacy.events import Mechanism
from dpdescent.randomness import stream

# Mean over the coefficients that have an interval, each coefficient by its place (0 is the constant), and least
# squares' intervals, the mean over all.
COVERED, COEFFICIENT, CLASSICAL = "covered", "covered, coefficient {}", "covered by least squares"
# Share of the coefficients that have none; median over the others of lengths over those of least squares.
REFUSED, LENGTH = "refused", "length over that of least squares"
RISK, CLASSICAL_RISK = "excess risk", "excess risk of least squares"
# How arms are called, by what standard errors allow for.
ARMS = {"unequal": "DP regression", "equal": "DP regression, variances taken for equal"}


class Asked(Protocol):
    """A law of records with what is told of them and a budget, as a dataclass whose fields are columns of the table."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def n(self) -> int: ...
    @property
    def p(self) -> int: ...
    @property
    def eps(self) -> float: ...
    @property
    def standard_errors(self) -> Errors: ...
    @property
    def level(self) -> float: ...
    def plan(self, delta: float) -> Plan: ...
    def told(self) -> dict[str, Any]: ...


Law = TypeVar("Law", bound=Asked)


def run(spec: Spec) -> Iterator[Row]:
    """Yields what covers, lengths, refusals and excess risks of every trial of a panel."""
    return measured(spec, Design.of, draw)


def measured(spec: Spec, of: Callable[[Spec], Law], drawn: Callable[[Spec, Law, int], Records]) -> Iterator[Row]:
    """Yields the rows of a panel.

    Args:
        spec: the panel's specification.
        of: what makes the design of a cell.
        drawn: what draws the records of a trial.
    """
    for cell in cells(spec):
        design = of(cell)
        plan = design.plan(spec["settings"]["dp_delta"])
        shared = {"panel": spec["panel"], **asdict(design), "information": plan.information}
        for trial in range(*spec["trials"]):
            clipped, found = _trial(cell, design, drawn(cell, design, trial), trial)
            told = {**shared, "trial": trial, "clip_fraction": clipped}
            yield from ({**told, "series": series, "value": number} for series, number in found)


def _trial(spec: Spec, design: Asked, records: Records, trial: int) -> tuple[float, list[tuple[str, float]]]:
    """The share of clipped gradients of a run, and its series; what is refused has neither coverage nor length."""
    fit = dp_regression(
        records.X, records.y, epsilon=design.eps, delta=spec["settings"]["dp_delta"], errors=design.standard_errors,
        rng=_noise(spec, design, trial), **design.told(),
    )  # fmt: skip
    moment, ols, classical = least_squares(records)
    quantile = float(ndtri(0.5 + design.level / 2.0))
    errors = fit.also.get("standard_errors", np.full(design.p + 1, np.nan))
    given = np.flatnonzero(np.isfinite(errors))
    covered = (np.abs(fit.estimate - records.theta) <= quantile * errors)[given].astype(float)
    series = [(COEFFICIENT.format(k), float(each)) for k, each in zip(given, covered, strict=True)]
    if len(given):
        series += [(COVERED, float(covered.mean())), (LENGTH, float(np.median(errors[given] / classical[given])))]
    gap, classical_gap = fit.estimate - records.theta, ols - records.theta
    series += [
        (REFUSED, 1.0 - len(given) / len(errors)), (RISK, float(gap @ moment @ gap)),
        (CLASSICAL_RISK, float(classical_gap @ moment @ classical_gap)),
        (CLASSICAL, float(np.mean(np.abs(classical_gap) <= quantile * classical))),
    ]  # fmt: skip
    return float(fit.clipped), series


def least_squares(records: Records) -> tuple[Array, Array, Array]:
    """Returns the covariates' second moment with a constant, the estimate, and its HC0 standard errors."""
    n = len(records.y)
    design = np.column_stack([np.ones(n), records.X])
    inverse = np.linalg.inv(design.T @ design)
    ols = inverse @ (design.T @ records.y)
    scores = design * (records.y - design @ ols)[:, None]
    return design.T @ design / n, ols, np.sqrt(np.diag(inverse @ (scores.T @ scores) @ inverse))


def _noise(spec: Spec, design: Asked, trial: int) -> np.random.Generator:
    """A trial's stream of noise, shared by all laws and budgets of a size."""
    return stream(spec["seed"], PAPER, "regression", f"n={design.n}_p={design.p}", "trial", trial, "noise")


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of a panel."""
    return released(spec, Design.of)


def released(spec: Spec, of: Callable[[Spec], Asked]) -> Iterator[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of a panel whose cells' designs `of` makes."""
    delta = spec["settings"]["dp_delta"]
    for cell in cells(spec):
        design = of(cell)
        place = f"{spec['variant']}: {spec['panel']}, " + " ".join(f"{name}={x}" for name, x in cell["cell"].items())
        event = replace(design.plan(delta).mechanism(), stand_in=IN_PROPORTION)
        yield f"{place}: {ARMS[design.standard_errors]}", event, delta
