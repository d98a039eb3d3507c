"""Claims about clipping: Figures 3, 4 and 7, and the no-clipping regime."""

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pandas as pd

from dpdescent.papers.brown2024.reading import COMPARABLE, LOW, RATE, SIGNIFICANT, claim, judged
from dpdescent.replication.judging.bound_rows import row_at
from dpdescent.replication.judging.criteria import at_least, at_most, between
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import (
    NOTHING,
    Estimate,
    all_of,
    log_log_slope,
    mean_of,
    ratio,
    verdict,
    worst,
)

LEVELS = (0.5, 0.1, 0.01)


def judge(evidence: Evidence) -> Iterator[Claim]:
    """In the order of the figures."""
    yield from _fig03(evidence)
    for n in sorted(set(evidence.select("fig04")["n"])):
        yield from _fig04(evidence, n)
    for n in sorted(set(evidence.select("fig07")["n"])):
        yield from _fig07(evidence, n)
    yield from _no_clipping(evidence)


def _fig03(evidence: Evidence) -> Iterator[Claim]:
    rows = evidence.select("fig03")
    for level in LEVELS:
        yield claim(
            id=f"fig03-scaling-{level:g}", artefact="fig03", location="Sec. 4.1, Figure 3", kind="figure", source="paper",
            statement="little clipping with gamma = Omega(sqrt(p))",
            quantity=f"log-log slope in p of the threshold at which {level:.0%} of the gradients are clipped",
            measured=log_log_slope(_contour(rows, level), "p"), criterion=between(0.5 - RATE, 0.5 + RATE),
            note="dimensions at which the grid of thresholds does not bracket the level are left out",
        )  # fmt: skip
    reached = [_at_threshold(group, 5.0 * math.sqrt(p)) for p, group in rows.groupby("p")]
    yield claim(
        id="fig03-low", artefact="fig03", location="Sec. 4.1, Figure 3", kind="figure", source="paper",
        statement="at gamma = 5 sqrt(p) clipping is low in every dimension",
        quantity="largest clipped fraction over p, interpolated in gamma",
        measured=worst([each for each in reached if each]), criterion=at_most(LOW),
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


def _at_threshold(group: pd.DataFrame, gamma: float) -> Estimate | None:
    """The clipped fraction at a threshold that the grid brackets."""
    group = group.sort_values("gamma")
    if not group["gamma"].iloc[0] <= gamma <= group["gamma"].iloc[-1]:
        return None
    return Estimate(*[float(np.interp(gamma, group["gamma"], group["mean"]))] * 3)


def _fig04(evidence: Evidence, n: int) -> Iterator[Claim]:
    rows = evidence.select("fig04", n=n, error_to="theta_hat").sort_values("clip_factor")
    bias, variance, mse = (rows[rows["series"] == name].reset_index(drop=True) for name in ("bias2", "variance", "mse"))
    place, setting = "Sec. 4.1, Figure 4", f"n = {n}, T = {_steps(evidence)}"
    yield claim(
        id=f"fig04-low-threshold-{n}", artefact="fig04", location=place, kind="figure", source="paper",
        statement="low thresholds cause high clipping and bias",
        quantity=f"share of squared bias in the squared error at the lowest threshold, {setting}",
        measured=_share(bias.iloc[0], mse.iloc[0]), criterion=at_least(0.5),
        note=f"{bias.iloc[0]['clip_fraction']:.0%} of the gradients are clipped there{_shorter(evidence, bias.iloc[0])}",
    )  # fmt: skip
    yield claim(
        id=f"fig04-high-threshold-{n}", artefact="fig04", location=place, kind="figure", source="paper",
        statement="high thresholds have little clipping but high variance",
        quantity=f"share of variance in the squared error at the highest threshold, {setting}",
        measured=_share(variance.iloc[-1], mse.iloc[-1]), criterion=at_least(0.5),
        note=f"{variance.iloc[-1]['clip_fraction']:.2%} of the gradients are clipped there",
    )  # fmt: skip
    for name, table, sign in (("bias-falls", bias, 1), ("variance-rises", variance, -1)):
        first, last = (table.iloc[0], table.iloc[-1])[::sign]
        yield claim(
            id=f"fig04-{name}-{n}", artefact="fig04", location=place, kind="figure", source="paper",
            statement="a bias-variance trade-off: bias falls and variance rises with the threshold",
            quantity=f"{'squared bias' if sign > 0 else 'variance'}: larger end of the grid of thresholds over smaller end, {setting}",
            measured=_difference_or_ratio(first, last), criterion=at_least(COMPARABLE),
        )  # fmt: skip
    yield claim(
        id=f"fig04-optimum-{n}", artefact="fig04", location=place, kind="figure", source="paper",
        statement="the lowest error may occur under significant clipping",
        quantity=f"fraction clipped at the lowest squared error, {setting}; the interval holds thresholds that tie with it",
        measured=_clipped_at_minimum(mse), criterion=at_least(SIGNIFICANT),
    )  # fmt: skip


def _share(part: pd.Series, whole: pd.Series) -> Estimate:
    """Part of a mean, with an interval by the delta method on its own scale: a squared bias may be estimated below 0."""
    value = part["mean"] / whole["mean"]
    errors = mean_of(part).high - part["mean"], value * (mean_of(whole).high - whole["mean"])
    half = math.hypot(*errors) / whole["mean"]
    return Estimate(value, value - half, value + half)


def _steps(evidence: Evidence) -> int:
    """T of Figure 4."""
    return int(evidence.spec["artefacts"]["fig04"]["arms"]["T"])


def _difference_or_ratio(first: pd.Series, last: pd.Series) -> Estimate:
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
    """What the squared bias of a row hangs on: beside it, that after ten steps, where the variant has it."""
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
    """Fraction clipped where the mean is smallest, and the range over rows whose interval reaches the smallest's."""
    lowest = table.loc[table["mean"].idxmin()]
    ceiling = mean_of(lowest).high
    tied = table[[mean_of(row).low <= ceiling for _, row in table.iterrows()]]["clip_fraction"]
    return Estimate(float(lowest["clip_fraction"]), float(tied.min()), float(tied.max()))


def _fig07(evidence: Evidence, n: int) -> Iterator[Claim]:
    rows = evidence.select("fig07", n=n, error_to="theta_hat")
    # Two thresholds have two ends and nothing between.
    curves = {T: group.sort_values("clip_fraction") for T, group in rows.groupby("T") if len(group) > 2}
    place = "App. B, Figure 7"
    ends = [ratio(curve.iloc[end], curve.loc[curve["mean"].idxmin()]) for curve in curves.values() for end in (0, -1)]
    yield claim(
        id=f"fig07-two-sides-{n}", artefact="fig07", location=place, kind="figure", source="paper",
        statement="the error rises on the right by bias from over-clipping, on the left by variance from conservative clipping",
        quantity=f"smallest ratio, over T and both ends of the curve, of the error there to the curve's lowest, n = {n}",
        measured=worst(ends, largest=False), criterion=at_least(1.1, words="above 1.1"),
    )  # fmt: skip
    clipped = {
        T: curve
        for T, curve in curves.items()
        if curve["clip_fraction"].iloc[0] < 0.5 < curve["clip_fraction"].iloc[-1]
    }
    halves = [_at_fraction(curve, 0.5) for curve in clipped.values()]
    lows = [curve.loc[curve["mean"].idxmin()] for curve in clipped.values()]
    yield claim(
        id=f"fig07-half-clipped-{n}", artefact="fig07", location=place, kind="figure", source="paper",
        statement="error stays relatively low even when clipping 50 % of all gradients",
        quantity=f"largest ratio over T of the error at 50 % clipped (interpolated) to the curve's lowest, n = {n}",
        measured=worst([ratio(half, low) for half, low in zip(halves, lows, strict=True)]), criterion=at_most(COMPARABLE),
        note=_listed(clipped, halves, lows),
    )  # fmt: skip
    ones = [_at_fraction(curve, 0.01) for curve in clipped.values()]
    yield claim(
        id=f"fig07-half-or-none-{n}", artefact="fig07", location=place, kind="figure", source="paper",
        statement="error stays relatively low even when clipping 50 % of all gradients",
        quantity=f"largest ratio over T of the error at 50 % clipped to that at 1 % (or at the fewest that a curve has), n = {n}",
        measured=worst([ratio(half, one) for half, one in zip(halves, ones, strict=True)]), criterion=at_most(1.0, words="at most 1: no worse than hardly clipping at all"),
        note=_listed(clipped, halves, ones),
    )  # fmt: skip
    yield _tolerance(curves, n, place)


def _listed(curves: dict[int, pd.DataFrame], above: list[pd.Series], below: list[pd.Series]) -> str:
    ratios = (f"{a['mean'] / b['mean']:.2g} at T = {T}" for T, a, b in zip(curves, above, below, strict=True))
    return "by T: " + ", ".join(ratios)


def _at_fraction(curve: pd.DataFrame, level: float) -> pd.Series:
    """Mean and standard error at a clipped fraction, between the two points beside it (log error in the fraction).

    Beyond the ends of the curve these are the values at its end.
    """
    curve = curve.sort_values("clip_fraction")
    fractions = curve["clip_fraction"].to_numpy()
    mean = math.exp(np.interp(level, fractions, np.log(curve["mean"])))
    relative = np.interp(level, fractions, curve["se"] / curve["mean"])
    return pd.Series({"mean": mean, "se": mean * relative})


def _tolerance(curves: dict[int, pd.DataFrame], n: int, place: str) -> Claim:
    best = {T: _clipped_at_minimum(curve) for T, curve in curves.items()}
    steps = list(best.values())
    # Where thresholds tie, a smaller fraction at a longer run may be chance.
    verdicts = [
        verdict(Estimate(b.value - a.value, b.low - a.high, b.high - a.low), 0.0) if b.value < a.value else "reproduced"
        for a, b in pairwise(steps)
    ]
    growth = NOTHING
    if len(steps) > 1:
        first, last = steps[0], steps[-1]
        growth = Estimate(last.value - first.value, last.low - first.high, last.high - first.low)
    return judged(
        id=f"fig07-tolerance-{n}", artefact="fig07", location=place, kind="figure", source="paper",
        statement="as the number of iterations grows, the tolerance to clipping seems to increase",
        quantity=f"fraction clipped at the lowest error, at the largest T less at the smallest, n = {n}",
        measured=growth, criterion="above 0, and no step from one T to the next falls", verdict=all_of([verdict(growth, 1e-9), *verdicts]),
        note="by T: " + ", ".join(f"{each.value:.0%} at T = {T}" for T, each in best.items()),
    )  # fmt: skip


def _no_clipping(evidence: Evidence) -> Iterator[Claim]:
    rows = evidence.select("ext_no_clipping", panel="coupling")
    for factor in (5.0, 10.0):
        chosen = rows[(rows["clip_factor"] == factor) & (rows["series"] == "P(some gradient is clipped)")]
        yield claim(
            id=f"no-clipping-{factor:g}", artefact="ext_no_clipping", location="Sec. 4.1, Lemma 2.5", kind="theorem", source="paper",
            statement=f"no clipping occurs when gamma is at least of order sqrt(p): at {factor:g} sqrt(p)",
            quantity="largest share over n of runs of T = 20 steps in which any gradient is clipped",
            measured=worst([mean_of(row) for _, row in chosen.iterrows()]), criterion=at_most(0.05),
            note="the paper's constants are hidden; 5 sqrt(p) is its choice 'as guided by our theory'. Where shares are 0 or 1 the interval is a point",
        )  # fmt: skip
    yield from _lemma_2_5(evidence)
    yield _lemma_2_6(evidence)
    yield _small_noise(evidence)


def _lemma_2_5(evidence: Evidence) -> Iterator[Claim]:
    """At the lemma's own gamma and lambda; experiments use far less of the one and far more of the other."""
    rows = evidence.select("ext_no_clipping", panel="lemma 2.5", series="P(some gradient is clipped)")
    beta = evidence.settings["beta"]
    for name, words, chosen in (
        ("lemma-2.5", "sigma = 1", rows[rows["sigma"] == 1.0]), ("lemma-2.5-any-sigma", "any nonnegative sigma", rows),
    ):  # fmt: skip
        yield claim(
            id=name, artefact="ext_no_clipping", location="Lemma 2.5", kind="theorem", source="paper",
            statement=f"with this gamma and lambda Algorithm 1 clips no gradients, with probability 1 - beta: {words}",
            quantity="largest share over sigma of runs in which any gradient is clipped, c0 from the data",
            measured=worst([mean_of(row) for _, row in chosen.iterrows()]), criterion=at_most(beta, words=f"at most beta = {beta:g}"),
            note="since a review. By sigma: " + ", ".join(f"{row['mean']:.2g} at {row['sigma']:g}" for _, row in chosen.iterrows()) + _used(evidence),
        )  # fmt: skip


def _used(evidence: Evidence) -> str:
    """How far experiments are from what the lemmas ask for."""
    wide = evidence.select("ext_no_clipping", panel="required").pivot_table(
        index=["p", "n"], columns="series", values="mean"
    )
    wanted = ["gamma required at the data's c0", "gamma used", "n required at the data's c0", "n used"]
    if not len(wide) or not set(wanted) <= set(wide.columns):
        return ""
    gamma, n = (wide[wanted[k]] / wide[wanted[k + 1]] for k in (0, 2))
    return f". The experiments' gamma is {gamma.min():.2g} to {gamma.max():.2g} times too small for it, their n {n.min():.2g} to {n.max():.2g} times"


def _lemma_2_6(evidence: Evidence) -> Claim:
    rows = evidence.select("ext_no_clipping", panel="condition")
    found, stated = (rows[rows["series"] == series].sort_values(["p", "n"]) for series in ("c0", "c0 of Lemma 2.6"))
    over = [ratio(a, b) for (_, a), (_, b) in zip(found.iterrows(), stated.iterrows(), strict=False)]
    return claim(
        id="lemma-2.6", artefact="ext_no_clipping", location="Lemma 2.6", kind="theorem", source="paper",
        statement="Gaussian data satisfy the No-Clipping Condition with c0 = 12 ln^1.5(5nT/beta)",
        quantity="largest ratio over n and p of the smallest c0 with which data meet it to the stated one",
        measured=worst(over), criterion=at_most(1.0, words="at most 1"),
        note="since a review. Infinite where part (i), which has no c0, fails",
    )  # fmt: skip


def _small_noise(evidence: Evidence) -> Claim:
    rows = evidence.select("ext_small_noise")
    growth = []
    for _, group in rows.groupby("c"):
        over_bound = group.assign(mean=group["mean"] / group["bound"], se=group["se"] / group["bound"])
        smallest = over_bound.loc[over_bound["sigma"].idxmin()]
        if smallest["sigma"] < 1.0:
            growth.append(ratio(smallest, row_at(over_bound, sigma=1.0)))
    return claim(
        id="theorem-2.7-any-sigma", artefact="ext_small_noise", location="Thm 2.7", kind="theorem", source="paper",
        statement="for some fixed sigma, with absolute constants c and c', the error is at most the bound (11)",
        quantity="error over bound (11) at the smallest sigma over the same at sigma = 1: smallest growth over c",
        measured=worst(growth, largest=False), criterion=at_most(100.0, words="at most 100: one c' could serve both"),
        note="'fixed' may mean that constants depend on sigma; sigma of at least 1, or max(sigma, 1) in gamma, mends it; the paper's experiments have sigma = 1",
    )  # fmt: skip
