"""Claims about how much is clipped, and on bias and variance: Figures 3 and 4."""

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpdescent.papers.brown2024.reading import COMPARABLE, LOW, RATE, SIGNIFICANT, claim, every, over_readings
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.bound_rows import row_at
from dpdescent.replication.judging.criteria import ABOVE_0, Criterion, at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence, joined
from dpdescent.replication.judging.statistics import (
    NOTHING,
    Estimate,
    difference,
    exactly,
    log_log_slope,
    mean_of,
    ratio,
    worst,
)

# The dimension from which the slopes of Figure 3 are told apart from those of the smallest ones.
LARGE = 20
NEW = "Added after a review."
LEVELS = (("fig03-scaling-0.5", 0.5), ("fig03-scaling-0.1", 0.1), ("fig03-scaling-0.01", 0.01))


class TradeOff(NamedTuple):
    """The ids of the claims on Figure 4 at one n."""

    low_threshold: str
    high_threshold: str
    bias: str
    variance: str
    optimum: str


TEN = "ten iterations"
TRADE_OFF = "a bias-variance trade-off: bias falls and variance rises with the threshold"

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


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims in the order of the figures."""
    yield from _fig03(evidence)
    for n, trade_off in FIGURE_4.items():
        yield from said_of_other_sizes(_fig04(evidence, n, trade_off), evidence, "fig04", FIGURE_4)
    yield _clipped_falls(evidence)


def said_of_other_sizes(
    claims: Iterator[Claim], evidence: Evidence, artefact: str, declared: Collection[int]
) -> Iterator[Claim]:
    """Adds to the notes of claims which n of a user's grid are not judged, because no claim ids are declared for them."""
    others = sorted(set(evidence.select(artefact)["n"]) - set(declared))
    said = f"no claim is declared at n = {', '.join(map(str, others))}, which is not judged" if others else ""
    return (replace(each, note=joined(each.note, said)) for each in claims)


def _fig03(evidence: Evidence) -> Iterator[Claim]:
    rows = evidence.select("fig03")
    for id, level in LEVELS:
        contour = _contour(rows, level)
        yield claim(
            id=id, artefact="fig03", location="Sec. 4.1, Figure 3", kind="figure", source="paper",
            statement="little clipping with gamma = Omega(sqrt(p))",
            quantity=f"log-log slope in p of the threshold at which {level:.0%} of the gradients are clipped",
            measured=log_log_slope(contour, "p"), criterion=at_most(0.5 + RATE, ": no faster than sqrt(p)"),
            changed="Before a review slopes below 0.4 counted against it; but Omega(sqrt(p)) is a bound from above on "
            "the threshold that is needed, and a slope below 1/2 meets it.",
            note="dimensions at which the grid of thresholds does not bracket the level are left out; "
            f"for p >= {LARGE} the slope is {log_log_slope(contour[contour['p'] >= LARGE], 'p').value:.3f}; a threshold that "
            "clips a given fraction is a quantile of the gradients' norms, which Sec. 1.2 takes to be of order sqrt(p), not p",
        )  # fmt: skip
    yield every(
        id="fig03-low", artefact="fig03", location="Sec. 4.1, Figure 3", kind="figure", source="paper",
        statement="at gamma = 5 sqrt(p) clipping is low in every dimension",
        quantity="largest clipped fraction over p, interpolated in gamma (logarithms)",
        cells=algebra.by(rows, ["p"], _at_five_roots), criterion=at_most(LOW),
        changed="Before a review the fraction's error over data sets was left out, small dimensions had five data sets, and "
        "interpolation was linear.",
    )  # fmt: skip
    yield every(
        id="fig03-falls-in-gamma", artefact="fig03", location="Figure 3", kind="figure", source="paper",
        statement="at a fixed dimension fewer gradients are clipped the larger the threshold",
        quantity=f"clipped fraction over that at the next smaller threshold, from fractions of at least {LOW:.0%}, largest over p and gamma",
        cells={f"p = {p}": _largest_step(group) for p, group in rows.groupby("p")}, criterion=at_most(1.0, words="at most 1"),
        changed=NEW, note=f"thresholds share data sets and noise normals, so that steps have no error of their own{_noisy(rows)}",
    )  # fmt: skip
    yield every(
        id="fig03-grows-in-p", artefact="fig03", location="Figure 3", kind="figure", source="paper",
        statement="at a fixed threshold more gradients are clipped the larger the dimension",
        quantity=f"clipped fraction at the largest dimension, where it is at least {LOW:.0%}, less that at the smallest, smallest over gamma",
        cells=algebra.by(rows, ["gamma"], _between_dimensions), criterion=ABOVE_0, changed=NEW,
        note=f"where fewer are clipped, clipping is low in the paper's words, and the order is another{_noisy(rows)}",
    )  # fmt: skip


def _largest_step(group: pd.DataFrame) -> Estimate:
    """The largest fraction over that at the threshold before it, of the steps that leave a fraction above `LOW`."""
    shares = group.sort_values("gamma")["mean"].to_numpy()
    return worst([exactly(after / before) for before, after in pairwise(shares) if before >= LOW])


def _between_dimensions(rows: pd.DataFrame) -> Estimate:
    last, first = (algebra.at_end(rows, "p", largest=largest).iloc[0] for largest in (True, False))
    return difference(last, first) if rows["p"].nunique() > 1 and last["mean"] >= LOW else NOTHING


def _noisy(rows: pd.DataFrame) -> str:
    """What the largest threshold clips in the smallest and the largest dimension, for a note."""
    at = algebra.at_end(rows, "gamma").sort_values("p")
    if len(at) < 2:
        return ""
    ends = ", ".join(f"{row['mean']:.2g} at p = {row['p']:g}" for row in algebra.each(at.iloc[[0, -1]]))
    return (
        f"; noise grows with gamma, and clips on its own where n = 100p is small: at gamma = {at['gamma'].iloc[0]:.3g} {ends}"
    )  # fmt: skip


def _contour(rows: pd.DataFrame, level: float) -> pd.DataFrame:
    """The threshold of a clipped fraction for each dimension, by interpolation of log fraction in log gamma.

    Its error is that of the fractions, over the slope of the two points between which it lies.
    """
    found = []
    for p, group in rows.groupby("p"):
        group = group[group["mean"] > 0].sort_values("gamma", ascending=False)
        fractions, log_gammas = group["mean"].to_numpy(), np.log(group["gamma"].to_numpy())
        if len(group) > 1 and fractions.min() <= level <= fractions.max():
            log_gamma = float(np.interp(math.log(level), np.log(fractions), log_gammas))
            after = min(max(int(np.searchsorted(fractions, level)), 1), len(fractions) - 1)
            slope = math.log(fractions[after] / fractions[after - 1]) / (log_gammas[after] - log_gammas[after - 1])
            relative = float(np.interp(level, fractions, group["se"] / group["mean"]))
            error = math.exp(log_gamma) * relative / abs(slope) if slope else math.nan
            found.append({"p": p, "mean": math.exp(log_gamma), "se": error})
    return pd.DataFrame(found, columns=["p", "mean", "se"])


def _at_five_roots(group: pd.DataFrame) -> Estimate:
    """The clipped fraction of one dimension at 5 sqrt(p), with Student's interval, because data sets are few.

    `NOTHING` where the grid of thresholds does not bracket it.
    """
    group, gamma = group.sort_values("gamma"), 5.0 * math.sqrt(group["p"].iloc[0])
    if not group["gamma"].iloc[0] <= gamma <= group["gamma"].iloc[-1]:
        return NOTHING
    below, above = (group[mask].iloc[at] for mask, at in ((group["gamma"] <= gamma, -1), (group["gamma"] >= gamma, 0)))
    if not min(below["mean"], above["mean"]) > 0:
        return mean_of(below)
    # Logarithms, as in contours, because fractions fall off like tails and straight lines between them lie above.
    # Neighbouring thresholds share their data sets, so that errors do not average out between them.
    ends = np.log([below["gamma"], above["gamma"]])
    mean = math.exp(np.interp(math.log(gamma), ends, np.log([below["mean"], above["mean"]])))
    relative = float(np.interp(math.log(gamma), ends, [each["se"] / each["mean"] for each in (below, above)]))
    return mean_of(pd.Series({"mean": mean, "se": mean * relative, "trials": below["trials"]}))


def _fig04(evidence: Evidence, n: int, ids: TradeOff) -> Iterator[Claim]:
    rows = _squares(evidence, n, "main")
    lowest, highest = _ends(rows)
    low, high = row_at(lowest, series="bias2"), row_at(highest, series="variance")
    # Id, statement, measure of one curve, quantity, criterion, note.
    for id, statement, measure, quantity, criterion, note in (
        (
            ids.low_threshold, "low thresholds cause high clipping and bias", lambda curve: _share(_ends(curve)[0], "bias2"),
            "share of squared bias in the squared error at the lowest threshold", at_least(0.5),
            f"{low['clip_fraction']:.0%} of the gradients are clipped there{_shorter(evidence, low)}",
        ),
        (
            ids.high_threshold, "high thresholds have little clipping but high variance",
            lambda curve: _share(_ends(curve)[1], "variance"),
            "share of variance in the squared error at the highest threshold", at_least(0.5),
            f"{high['clip_fraction']:.2%} of the gradients are clipped there",
        ),
        (
            ids.bias, TRADE_OFF, lambda curve: _end_ratio(curve, "bias2", larger=0),
            "squared bias: larger end of the grid of thresholds over smaller end", at_least(COMPARABLE), "",
        ),
        (
            ids.variance, TRADE_OFF, lambda curve: _end_ratio(curve, "variance", larger=1),
            "variance: larger end of the grid of thresholds over smaller end", at_least(COMPARABLE), "",
        ),
        (
            ids.optimum, "the lowest error may occur under significant clipping",
            lambda curve: clipped_at_minimum(curve[curve["series"] == "mse"]),
            "fraction clipped at the lowest squared error (the interval holds thresholds that tie with it)",
            at_least(SIGNIFICANT), "",
        ),
    ):  # fmt: skip
        yield _over_steps(evidence, n, id, statement, measure, quantity, criterion, note)


def _clipped_falls(evidence: Evidence) -> Claim:
    """Judges the numeric labels of Figure 4: percentages along the threshold at every n and T."""
    found = {}
    for variant, T in _steps(evidence).items():
        table = evidence.select("fig04", variant, error_to="theta_hat", series="mse").sort_values("clip_factor")
        for n, rows in table.groupby("n"):
            shares = rows["clip_fraction"]
            found[f"n = {n}, T = {T}"] = worst(algebra.steps(shares))
    return over_readings(
        id="fig04-clipped-falls", artefact="fig04", location="Figure 4", kind="figure", source="paper",
        statement="the percentage of gradients clipped falls as the threshold grows",
        quantity="clipped fraction over that at the next smaller threshold, largest along the curve",
        found=found, criterion=at_most(1.0, words="at most 1"), unstated="n and T", changed=NEW,
        note="thresholds share data sets and noise normals, so that steps have no error of their own",
    )  # fmt: skip


def _over_steps(
    evidence: Evidence, n: int, id: str, statement: str, measure: Callable[[pd.DataFrame], Estimate], quantity: str,
    criterion: Criterion, note: str,
) -> Claim:  # fmt: skip
    """A claim on Figure 4 at every T that was run, of which the headline's is shown."""
    found = {f"T = {T}": measure(_squares(evidence, n, variant)) for variant, T in _steps(evidence).items()}
    return over_readings(
        id=id, artefact="fig04", location="Sec. 4.1, Figure 4", kind="figure", source="paper", statement=statement,
        quantity=f"{quantity}, n = {n}, T = {_steps(evidence)['main']}", found=found, criterion=criterion, unstated="T",
        shown=next((each for each in found.values() if not math.isnan(each.value)), None),
        changed="Before a review one T was judged, though T is not stated.", note=note,
    )  # fmt: skip


def _squares(evidence: Evidence, n: int, variant: str) -> pd.DataFrame:
    """Squared bias, variance and squared error of one curve of Figure 4."""
    return evidence.select("fig04", variant, n=n, error_to="theta_hat").sort_values("clip_factor")


def _ends(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows at the lowest and at the highest threshold."""
    lowest, highest = (algebra.at_end(rows, "clip_factor", largest=largest) for largest in (False, True))
    return lowest, highest


def _end_ratio(rows: pd.DataFrame, series: str, larger: int) -> Estimate:
    """The ratio of a part of the error between the two ends, of which one ought to be the larger."""
    ends = [row_at(each, series=series) for each in _ends(rows)]
    return _ratio_or_its_bound(ends[larger], ends[1 - larger])


def _share(rows: pd.DataFrame, series: str) -> Estimate:
    """A part of the squared error, with an interval by the delta method: a squared bias may be estimated below 0."""
    part, whole = row_at(rows, series=series), row_at(rows, series="mse")
    value = part["mean"] / whole["mean"]
    errors = mean_of(part).high - part["mean"], value * (mean_of(whole).high - whole["mean"])
    half = math.hypot(*errors) / whole["mean"]
    return Estimate(value, value - half, value + half)


def _steps(evidence: Evidence) -> dict[str, int]:
    """T of Figure 4 by variant: the headline's, and the ten steps of a variant."""
    return {"main": int(evidence.spec["artefacts"]["fig04"]["arms"]["T"]), TEN: 10}


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
        evidence.select("fig04", TEN, n=bias["n"], error_to="theta_hat", series="bias2"),
        clip_factor=bias["clip_factor"],
    )
    if math.isnan(other["mean"]) or not bias["mean"] > 0:
        return ""
    return (
        f". Ten steps instead of {_steps(evidence)['main']} change the squared bias by a factor {other['mean'] / bias['mean']:.2g}: it is slow convergence under "
        "small steps, more than a displaced minimum"
    )


def clipped_at_minimum(table: pd.DataFrame) -> Estimate:
    """The fraction clipped where the mean is smallest, and the range over rows whose interval reaches the smallest's."""
    if not len(table):
        return NOTHING
    lowest = lowest_of(table)
    ceiling = mean_of(lowest).high
    tied = table[[mean_of(row).low <= ceiling for row in algebra.each(table)]]["clip_fraction"]
    return Estimate(float(lowest["clip_fraction"]), float(tied.min()), float(tied.max()))


def lowest_of(table: pd.DataFrame) -> "pd.Series[float]":
    """The row with the smallest mean."""
    return table.loc[table["mean"].idxmin()]
