"""Claims about how much is clipped and what it does to the error: Figures 3, 4 and 7."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpdescent.papers.brown2024.reading import COMPARABLE, LOW, RATE, SIGNIFICANT, claim, every, judged
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.bound_rows import row_at
from dpdescent.replication.judging.criteria import at_least, at_most, between
from dpdescent.replication.judging.evidence import Cell, Claim, Evidence
from dpdescent.replication.judging.statistics import (
    NOTHING,
    Estimate,
    all_of,
    exactly,
    log_log_slope,
    mean_of,
    ratio,
    verdict,
)

LEVELS = (("fig03-scaling-0.5", 0.5), ("fig03-scaling-0.1", 0.1), ("fig03-scaling-0.01", 0.01))


class TradeOff(NamedTuple):
    """The ids of the claims on Figure 4 at one n."""

    low_threshold: str
    high_threshold: str
    bias: str
    variance: str
    optimum: str


class Clipped(NamedTuple):
    """The ids of the claims on Figure 7 at one n."""

    two_sides: str
    half: str
    half_or_none: str
    tolerance: str


# The paper does not state n: the claims at each n that has ids.
FIGURE_4 = {
    1000: TradeOff(
        "fig04-low-threshold-1000", "fig04-high-threshold-1000", "fig04-bias-falls-1000", "fig04-variance-rises-1000",
        "fig04-optimum-1000",
    ),
    5000: TradeOff(
        "fig04-low-threshold-5000", "fig04-high-threshold-5000", "fig04-bias-falls-5000", "fig04-variance-rises-5000",
        "fig04-optimum-5000",
    ),
}  # fmt: skip
FIGURE_7 = {
    1000: Clipped("fig07-two-sides-1000", "fig07-half-clipped-1000", "fig07-half-or-none-1000", "fig07-tolerance-1000"),
    5000: Clipped("fig07-two-sides-5000", "fig07-half-clipped-5000", "fig07-half-or-none-5000", "fig07-tolerance-5000"),
}


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims in the order of the figures."""
    yield from _fig03(evidence)
    for n, trade_off in FIGURE_4.items():
        yield from _said_of_other_sizes(_fig04(evidence, n, trade_off), evidence, "fig04", FIGURE_4)
    for n, clipped in FIGURE_7.items():
        yield from _said_of_other_sizes(_fig07(evidence, n, clipped), evidence, "fig07", FIGURE_7)


def _said_of_other_sizes(
    claims: Iterator[Claim], evidence: Evidence, artefact: str, declared: dict[int, TradeOff] | dict[int, Clipped]
) -> Iterator[Claim]:
    """The claims, whose notes say which n of a grid of one's own are not judged because no ids are declared for them."""
    others = sorted(set(evidence.select(artefact)["n"]) - set(declared))
    said = f"no claim is declared at n = {', '.join(map(str, others))}, which is not judged" if others else ""
    return (replace(each, note="; ".join(filter(None, [each.note, said]))) for each in claims)


def _fig03(evidence: Evidence) -> Iterator[Claim]:
    rows = evidence.select("fig03")
    for id, level in LEVELS:
        yield claim(
            id=id, artefact="fig03", location="Sec. 4.1, Figure 3", kind="figure", source="paper",
            statement="little clipping with gamma = Omega(sqrt(p))",
            quantity=f"log-log slope in p of the threshold at which {level:.0%} of the gradients are clipped",
            measured=log_log_slope(_contour(rows, level), "p"), criterion=between(0.5 - RATE, 0.5 + RATE),
            note="dimensions at which the grid of thresholds does not bracket the level are left out",
        )  # fmt: skip
    yield every(
        id="fig03-low", artefact="fig03", location="Sec. 4.1, Figure 3", kind="figure", source="paper",
        statement="at gamma = 5 sqrt(p) clipping is low in every dimension",
        quantity="largest clipped fraction over p, interpolated in gamma",
        cells=algebra.by(rows, ["p"], _at_five_roots), criterion=at_most(LOW),
    )  # fmt: skip


def _contour(rows: pd.DataFrame, level: float) -> pd.DataFrame:
    """The threshold of a clipped fraction for each dimension, by interpolation of log fraction in log gamma."""
    found = []
    for p, group in rows.groupby("p"):
        group = group[group["mean"] > 0].sort_values("gamma", ascending=False)
        fractions = group["mean"].to_numpy()
        if len(group) and fractions.min() <= level <= fractions.max():
            log_gamma = np.interp(math.log(level), np.log(fractions), np.log(group["gamma"]))
            found.append({"p": p, "mean": math.exp(log_gamma), "se": math.nan})
    return pd.DataFrame(found, columns=["p", "mean", "se"])


def _at_five_roots(group: pd.DataFrame) -> Estimate:
    """The clipped fraction of one dimension at 5 sqrt(p); `NOTHING` where the grid of thresholds does not bracket it."""
    group, gamma = group.sort_values("gamma"), 5.0 * math.sqrt(group["p"].iloc[0])
    if not group["gamma"].iloc[0] <= gamma <= group["gamma"].iloc[-1]:
        return NOTHING
    return exactly(float(np.interp(gamma, group["gamma"], group["mean"])))


def _fig04(evidence: Evidence, n: int, ids: TradeOff) -> Iterator[Claim]:
    rows = evidence.select("fig04", n=n, error_to="theta_hat").sort_values("clip_factor")
    lowest, highest = (algebra.at_end(rows, "clip_factor", largest=largest) for largest in (False, True))
    place, setting = "Sec. 4.1, Figure 4", f"n = {n}, T = {_steps(evidence)}"
    yield claim(
        id=ids.low_threshold, artefact="fig04", location=place, kind="figure", source="paper",
        statement="low thresholds cause high clipping and bias",
        quantity=f"share of squared bias in the squared error at the lowest threshold, {setting}",
        measured=_share(lowest, "bias2"), criterion=at_least(0.5),
        note=f"{row_at(lowest, series='bias2')['clip_fraction']:.0%} of the gradients are clipped there{_shorter(evidence, row_at(lowest, series='bias2'))}",
    )  # fmt: skip
    yield claim(
        id=ids.high_threshold, artefact="fig04", location=place, kind="figure", source="paper",
        statement="high thresholds have little clipping but high variance",
        quantity=f"share of variance in the squared error at the highest threshold, {setting}",
        measured=_share(highest, "variance"), criterion=at_least(0.5),
        note=f"{row_at(highest, series='variance')['clip_fraction']:.2%} of the gradients are clipped there",
    )  # fmt: skip
    for id, series, words, larger, smaller in (
        (ids.bias, "bias2", "squared bias", lowest, highest), (ids.variance, "variance", "variance", highest, lowest),
    ):  # fmt: skip
        yield claim(
            id=id, artefact="fig04", location=place, kind="figure", source="paper",
            statement="a bias-variance trade-off: bias falls and variance rises with the threshold",
            quantity=f"{words}: larger end of the grid of thresholds over smaller end, {setting}",
            measured=_ratio_or_its_bound(row_at(larger, series=series), row_at(smaller, series=series)), criterion=at_least(COMPARABLE),
        )  # fmt: skip
    yield claim(
        id=ids.optimum, artefact="fig04", location=place, kind="figure", source="paper",
        statement="the lowest error may occur under significant clipping",
        quantity=f"fraction clipped at the lowest squared error, {setting}; the interval holds thresholds that tie with it",
        measured=_clipped_at_minimum(rows[rows["series"] == "mse"]), criterion=at_least(SIGNIFICANT),
    )  # fmt: skip


def _share(rows: pd.DataFrame, series: str) -> Estimate:
    """A part of the squared error, with an interval by the delta method: a squared bias may be estimated below 0."""
    part, whole = row_at(rows, series=series), row_at(rows, series="mse")
    value = part["mean"] / whole["mean"]
    errors = mean_of(part).high - part["mean"], value * (mean_of(whole).high - whole["mean"])
    half = math.hypot(*errors) / whole["mean"]
    return Estimate(value, value - half, value + half)


def _steps(evidence: Evidence) -> int:
    """T of Figure 4."""
    return int(evidence.spec["artefacts"]["fig04"]["arms"]["T"])


def _ratio_or_its_bound(first: "pd.Series[float]", last: "pd.Series[float]") -> Estimate:
    """A ratio of means of which either may be nil within its error; if the lower one is, it is bounded below only."""
    smallest, top = mean_of(last), mean_of(first)
    if first["clip_factor"] == last["clip_factor"]:
        return NOTHING
    if min(top.low, smallest.low) > 0:
        return ratio(first, last)
    # An unbiased estimate of a square may be negative, and all of its interval too; the square itself is not.
    ceiling = max(smallest.high, smallest.high - smallest.value)
    if not ceiling > 0:
        return NOTHING
    value = top.value / max(smallest.value, ceiling / 2)
    return Estimate(value, min(value, top.low / ceiling), top.high / smallest.low if smallest.low > 0 else math.inf)


def _shorter(evidence: Evidence, bias: "pd.Series[float]") -> str:
    """How the squared bias of a row compares with that after ten steps, for a note, where the variant has it."""
    other = row_at(
        evidence.select("fig04", "ten iterations", n=bias["n"], error_to="theta_hat", series="bias2"),
        clip_factor=bias["clip_factor"],
    )
    if math.isnan(other["mean"]) or not bias["mean"] > 0:
        return ""
    return (
        f". Ten steps instead of {_steps(evidence)} change the squared bias by a factor {other['mean'] / bias['mean']:.2g}: it is slow convergence under "
        "small steps, more than a displaced minimum"
    )


def _clipped_at_minimum(table: pd.DataFrame) -> Estimate:
    """The fraction clipped where the mean is smallest, and the range over rows whose interval reaches the smallest's."""
    if not len(table):
        return NOTHING
    lowest = _lowest(table)
    ceiling = mean_of(lowest).high
    tied = table[[mean_of(row).low <= ceiling for row in algebra.each(table)]]["clip_fraction"]
    return Estimate(float(lowest["clip_fraction"]), float(tied.min()), float(tied.max()))


def _lowest(table: pd.DataFrame) -> "pd.Series[float]":
    return table.loc[table["mean"].idxmin()]


def _fig07(evidence: Evidence, n: int, ids: Clipped) -> Iterator[Claim]:
    rows = evidence.select("fig07", n=n, error_to="theta_hat")
    # Two thresholds have two ends and nothing between.
    curves = {f"T = {T}": group.sort_values("clip_fraction") for T, group in rows.groupby("T") if len(group) > 2}
    place = "App. B, Figure 7"
    ends = (("fewest clipped", 0), ("most clipped", -1))
    yield every(
        id=ids.two_sides, artefact="fig07", location=place, kind="figure", source="paper",
        statement="the error rises on the right by bias from over-clipping, on the left by variance from conservative clipping",
        quantity=f"smallest ratio, over T and both ends of the curve, of the error there to the curve's lowest, n = {n}",
        cells={f"{T}, {end}": ratio(curve.iloc[at], _lowest(curve)) for T, curve in curves.items() for end, at in ends},
        criterion=at_least(1.1, words="above 1.1"),
    )  # fmt: skip
    yield every(
        id=ids.half, artefact="fig07", location=place, kind="figure", source="paper",
        statement="error stays relatively low even when clipping 50 % of all gradients",
        quantity=f"largest ratio over T of the error at 50 % clipped (interpolated) to the curve's lowest, n = {n}",
        cells=_at_half_over(curves, _lowest), criterion=at_most(COMPARABLE),
    )  # fmt: skip
    yield every(
        id=ids.half_or_none, artefact="fig07", location=place, kind="figure", source="paper",
        statement="error stays relatively low even when clipping 50 % of all gradients",
        quantity=f"largest ratio over T of the error at 50 % clipped to that at 1 % (or at the fewest that a curve has), n = {n}",
        cells=_at_half_over(curves, lambda curve: _at_fraction(curve, 0.01)), criterion=at_most(1.0, words="at most 1: no worse than hardly clipping at all"),
    )  # fmt: skip
    yield _tolerance(curves, n, place, ids.tolerance)


def _at_half_over(
    curves: dict[str, pd.DataFrame], other: "Callable[[pd.DataFrame], pd.Series[float]]"
) -> algebra.Places:
    """The error at half of the gradients clipped over another one, of the curves that bracket that fraction."""
    return {
        T: ratio(_at_fraction(curve, 0.5), other(curve))
        for T, curve in curves.items()
        if curve["clip_fraction"].iloc[0] < 0.5 < curve["clip_fraction"].iloc[-1]
    }


def _at_fraction(curve: pd.DataFrame, level: float) -> "pd.Series[float]":
    """Mean and standard error at a clipped fraction, between the two points beside it (log error in the fraction).

    Beyond the ends of the curve these are the values at its end.
    """
    fractions = curve["clip_fraction"].to_numpy()
    mean = math.exp(np.interp(level, fractions, np.log(curve["mean"])))
    relative = np.interp(level, fractions, curve["se"] / curve["mean"])
    return pd.Series({"mean": mean, "se": mean * relative})


def _tolerance(curves: dict[str, pd.DataFrame], n: int, place: str, id: str) -> Claim:
    best = {T: _clipped_at_minimum(curve) for T, curve in curves.items()}
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
