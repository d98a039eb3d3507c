"""Claims about the error against the fraction clipped: Figure 7."""

import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpdescent.papers.brown2024.claims.clipping import clipped_at_minimum, lowest_of, said_of_other_sizes
from dpdescent.papers.brown2024.reading import COMPARABLE, LOW, RATE, every, judged, over_readings
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import at_least, at_most, between
from dpdescent.replication.judging.evidence import Cell, Claim, Evidence, Verdict
from dpdescent.replication.judging.statistics import NOTHING, Estimate, all_of, ratio, verdict

# From so many steps on what they leave of the start is small beside the noise.
FORGOTTEN = 20
BY_STEPS = "Before a review the T farthest out decided, though T is not stated."


class Clipped(NamedTuple):
    """The ids of the claims on Figure 7 at one n."""

    two_sides: str
    half: str
    half_or_none: str
    tolerance: str


# The paper does not state n: the claims at each n that has ids.
FIGURE_7 = {
    1000: Clipped("fig07-two-sides-1000", "fig07-half-clipped-1000", "fig07-half-or-none-1000", "fig07-tolerance-1000"),
    5000: Clipped("fig07-two-sides-5000", "fig07-half-clipped-5000", "fig07-half-or-none-5000", "fig07-tolerance-5000"),
}


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims by sample size."""
    for n, clipped in FIGURE_7.items():
        yield from said_of_other_sizes(_fig07(evidence, n, clipped), evidence, "fig07", FIGURE_7)
    yield _noise_in_steps(evidence)


def _noise_in_steps(evidence: Evidence) -> Claim:
    """Judges the root of T in (82) where hardly anything is clipped and the start is forgotten."""
    rows = evidence.select("fig07", error_to="theta_hat")
    rows = rows[(rows["T"] >= FORGOTTEN) & rows["clip_factor"].isin([5.0, 10.0]) & (rows["clip_fraction"] <= LOW)]
    return every(
        id="noise-root-steps", artefact="fig07", location="(82)", kind="theorem", source="paper",
        statement="the noise part of the error grows as sqrt(T), up to logarithms",
        quantity=f"log-log slope in T of the mean distance to least squares, T >= {FORGOTTEN}, farthest from 1/2 over n and gamma",
        cells=algebra.by(rows, ["n", "clip_factor"], lambda own: algebra.exponent(own, "T")),
        criterion=between(0.5 - RATE, 0.5 + RATE), changed="Added after a review.",
        note=f"of points with at most {LOW:.0%} of the gradients clipped; the root is the noise's own, logarithms come with gamma",
    )  # fmt: skip


def _fig07(evidence: Evidence, n: int, ids: Clipped) -> Iterator[Claim]:
    rows = evidence.select("fig07", n=n, error_to="theta_hat")
    # Two thresholds have two ends and nothing between.
    curves = {f"T = {T}": group.sort_values("clip_fraction") for T, group in rows.groupby("T") if len(group) > 2}
    place = "App. B, Figure 7"
    yield _two_sides(curves, n, place, ids.two_sides)
    yield over_readings(
        id=ids.half, artefact="fig07", location=place, kind="figure", source="paper",
        statement="error stays relatively low even when clipping 50 % of all gradients",
        quantity=f"error at 50 % clipped (interpolated) over the lowest of the curve up to there, n = {n}",
        found=_at_half_over(curves, _lowest_up_to_half), criterion=at_most(COMPARABLE), unstated="T", changed=BY_STEPS
        + " The error was compared with the lowest of the whole curve, also where that one has more than half clipped.",
    )  # fmt: skip
    yield over_readings(
        id=ids.half_or_none, artefact="fig07", location=place, kind="figure", source="ours",
        statement="(ours) clipping 50 % of all gradients is no worse than hardly clipping at all",
        quantity=f"error at 50 % clipped over that at 1 % (or at the fewest that a curve has), n = {n}",
        found=_at_half_over(curves, lambda curve: _at_fraction(curve, 0.01)), criterion=at_most(1.0), unstated="T",
        changed=f"{BY_STEPS} It was counted as the paper's, which says 'relatively low', not 'no worse'.",
    )  # fmt: skip
    yield _tolerance(curves, n, place, ids.tolerance)


def _two_sides(curves: dict[str, pd.DataFrame], n: int, place: str, id: str) -> Claim:
    """Judges both ends of every curve; of a curve it shows the end that rises less."""
    rises = {T: [ratio(curve.iloc[at], lowest_of(curve)) for at in (0, -1)] for T, curve in curves.items()}
    criterion = at_least(1.1, words="above 1.1")
    verdicts: dict[str, Verdict] = {T: criterion.verdict_on_all(ends) for T, ends in rises.items()}
    # Of an end that fails and one that is in doubt, the one that fails decides: it has the smaller value.
    found = {T: min(ends, key=lambda end: end.value) for T, ends in rises.items()}
    return over_readings(
        id=id, artefact="fig07", location=place, kind="figure", source="paper",
        statement="the error rises on the right by bias from over-clipping, on the left by variance from conservative clipping",
        quantity=f"error at an end of the curve over the curve's lowest, the smaller of both ends, n = {n}",
        found=found, criterion=criterion, unstated="T", verdicts=verdicts, changed=BY_STEPS,
        note="the ends of a curve are those of our grid of thresholds: long runs rise on the right at smaller ones only",
    )  # fmt: skip


def _at_half_over(
    curves: dict[str, pd.DataFrame], other: "Callable[[pd.DataFrame], pd.Series[float]]"
) -> algebra.Places:
    """The error at half of the gradients clipped over another one, of the curves that bracket that fraction."""
    return {
        T: ratio(_at_fraction(curve, 0.5), other(curve))
        for T, curve in curves.items()
        if curve["clip_fraction"].iloc[0] < 0.5 < curve["clip_fraction"].iloc[-1]
    }


def _lowest_up_to_half(curve: pd.DataFrame) -> "pd.Series[float]":
    """The row with the lowest mean of those with at most half of the gradients clipped."""
    return lowest_of(curve[curve["clip_fraction"] <= 0.5])


def _at_fraction(curve: pd.DataFrame, level: float) -> "pd.Series[float]":
    """Mean and standard error at a clipped fraction, between the two points beside it (log error in the fraction).

    Beyond the ends of the curve these are the values at its end.
    """
    fractions = curve["clip_fraction"].to_numpy()
    mean = math.exp(np.interp(level, fractions, np.log(curve["mean"])))
    relative = np.interp(level, fractions, curve["se"] / curve["mean"])
    return pd.Series({"mean": mean, "se": mean * relative})


def _tolerance(curves: dict[str, pd.DataFrame], n: int, place: str, id: str) -> Claim:
    best = {T: clipped_at_minimum(curve) for T, curve in curves.items()}
    steps = {f"{later} after {T}": _move(best[T], best[later]) for T, later in pairwise(best)}
    # Where thresholds tie, a smaller fraction at a longer run may be chance.
    verdicts = {step: "reproduced" if each.value >= 0 else verdict(each, 0.0) for step, each in steps.items()}
    growth = _move(*(list(best.values())[end] for end in (0, -1))) if len(best) > 1 else NOTHING
    return judged(
        id=id, artefact="fig07", location=place, kind="figure", source="paper",
        statement="as the number of iterations grows, the tolerance to clipping seems to increase",
        quantity=f"fraction clipped at the lowest error, at the largest T less at the smallest, n = {n}",
        measured=growth, criterion="above 0, and no step from one T to the next falls", verdict=all_of([verdict(growth, 1e-9), *verdicts.values()]),
        cells=[Cell(step, each.value, each.low, each.high, verdicts[step]) for step, each in steps.items()],
    )  # fmt: skip


def _move(first: Estimate, last: Estimate) -> Estimate:
    """The difference of two values that lie somewhere in their ranges."""
    return Estimate(last.value - first.value, last.low - first.high, last.high - first.low)
