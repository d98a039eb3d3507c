"""Claims about the synthetic experiments: Figures 3, 4, 6, 7, 8 and 9."""

import math
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from dpdescent.papers.liang2025.reading import CLOSE, COMPARABLE, RARELY, RATE, SIGNIFICANT, claim, judged
from dpdescent.replication.judging.criteria import at_least, at_most, between
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import (  # fmt: skip
    Estimate,
    all_of,
    extreme_ratio,
    log_log_slope,
    median_of,
    ratio,
    verdict,
    worst,
)

SPLITS = ((1.0, 9.0), (5.0, 5.0), (9.0, 1.0))
LEVELS = (0.1, 1.0, 10.0)


def judge(evidence: Evidence) -> Iterator[Claim]:
    """In the order of the figures."""
    for figure in (_fig03, _fig04, _fig06, _fig07, _fig08, _fig09, _friendly_core):
        yield from figure(evidence)


def _fig03(evidence: Evidence) -> Iterator[Claim]:
    rows = {panel: evidence.select("fig03", panel=panel, error_to="beta_hat", series="DP-2S-GD") for panel in "ab"}
    steepest, flattest = _rate_window(evidence)
    for rho1, rho2 in SPLITS:
        split = rows["a"][(rows["a"]["rho1"] == rho1) & (rows["a"]["rho2"] == rho2)]
        yield claim(
            id=f"fig03a-rate-{rho1:g}-{rho2:g}", artefact="fig03", location="Sec. 4.1, Figure 3(a)", kind="figure", source="paper",
            statement="all points lie in the plateau region, so the error decreases at the rate 1/sqrt(n)",
            quantity=f"log-log slope of the mean error in n at rho1={rho1:g}, rho2={rho2:g}",
            measured=log_log_slope(split, "n"), criterion=between(steepest, flattest, words=f"slope between {steepest:g} and {flattest:g}"),
            note="since a review the interval also holds the scatter about the line; the slope hangs on the draw (ext_parameter_draws)",
        )  # fmt: skip
    yield _rate_over_draws(evidence)
    smallest = worst([ratio(b, a) for a, b in _pairs(rows["a"], rows["b"], ["n", "rho1", "rho2"])], largest=False)
    yield claim(
        id="fig03b-larger", artefact="fig03", location="Sec. 4.1, Figure 3(b)", kind="figure", source="paper",
        statement="at p = 50 the errors are significantly larger than at p = 5",
        quantity="smallest ratio of mean errors, panel b over panel a, at equal n and budgets",
        measured=smallest, criterion=at_least(SIGNIFICANT),
    )  # fmt: skip
    yield _fig03_cause(evidence)


def _rate_window(evidence: Evidence) -> tuple[float, float]:
    rate = evidence.published["rate_in_n"]
    return rate - RATE, rate + RATE


def _rate_over_draws(evidence: Evidence) -> Claim:
    table = evidence.select("ext_parameter_draws", panel="fig03", error_to="beta_hat", series="DP-2S-GD", rho1=5.0)
    slopes = [log_log_slope(group, "n") for _, group in table.groupby("draw")]
    values, window = [slope.value for slope in slopes], _rate_window(evidence)
    spread = Estimate(float(np.median(values)), min(values), max(values))
    return judged(
        id="fig03a-rate-any-design", artefact="ext_parameter_draws", location="Sec. 4.1, Figure 3(a)", kind="figure", source="paper",
        statement="(as a statement about the design, not about one draw of its parameters) the error decreases at the rate 1/sqrt(n)",
        quantity=f"median slope over {len(slopes)} draws of the parameters; the interval is their range",
        measured=spread, criterion=f"slope between {window[0]:g} and {window[1]:g} for every draw", verdict=all_of([verdict(slope, *window) for slope in slopes]),
    )  # fmt: skip


def _fig03_cause(evidence: Evidence) -> Claim:
    to_hat, to_truth = (_noise_free_shares(evidence, target) for target in ("beta_hat", "beta"))
    return claim(
        id="fig03b-cause", artefact="fig03", location="Sec. 4.1, Figure 3(b)", kind="figure", source="paper",
        statement="the errors at p = 50 are large because T = 20 violates condition (5)",
        quantity="largest ratio over n and budgets of the noise-free error (no condition on T) to the private error",
        measured=worst(to_hat), criterion=at_most(0.5, ": without privacy at least half of the error is gone"),
        note=f"judged to beta_hat, like all of Figure 3, since a review; before, to beta, where it is {worst(to_truth).value:.3f}",
    )  # fmt: skip


def _noise_free_shares(evidence: Evidence, target: str) -> list[Estimate]:
    free = evidence.select("fig03", panel="b", error_to=target, series="2S-GD")
    private = evidence.select("fig03", panel="b", error_to=target, series="DP-2S-GD")
    return [ratio(_row(free, n=row["n"]), row) for _, row in private.iterrows()]


def _fig04(evidence: Evidence) -> Iterator[Claim]:
    rows = evidence.select("fig04", error_to="beta_hat")
    strong = _where(rows, panel="a", rho1=0.1).sort_values("T")
    yield claim(
        id="fig04a-cutoff-exists", artefact="fig04", location="Sec. 4.1, Figure 4(a)", kind="figure", source="paper",
        statement="with small rho1 the error grows significantly after a certain T is reached",
        quantity="mean error at the largest T over the smallest mean error, rho1 = 0.1",
        measured=ratio(strong.iloc[-1], strong.loc[strong["mean"].idxmin()]), criterion=at_least(SIGNIFICANT),
    )  # fmt: skip
    yield claim(
        id="fig04a-cutoff-condition-5", artefact="fig04", location="Sec. 4.1, Figure 4(a)", kind="figure", source="paper",
        statement="the cut-off aligns with condition (5), which is proportional to rho1",
        quantity="slope of log cut-off in log rho1; the cut-off is where the error passes twice its smallest value",
        measured=_cutoff_slope(_where(rows, panel="a"), _passes_twice), criterion=between(0.7, 1.3),
        note="condition (5) has a constant to which the paper gives no value, so only its proportionality can be judged",
    )  # fmt: skip
    yield claim(
        id="fig04a-cutoff-minimum", artefact="fig04", location="Sec. 4.1, Figure 4(a)", kind="figure", source="paper",
        statement="the cut-off aligns with condition (5), which is proportional to rho1",
        quantity="slope of log cut-off in log rho1; the cut-off is where the error is smallest (interval: T tied with it)",
        measured=_cutoff_slope(_where(rows, panel="a"), _smallest), criterion=between(0.7, 1.3),
        note="a second reading, added after the first was judged: clipping lets the error saturate, so that it may never pass twice its minimum",
    )  # fmt: skip
    other = evidence.select("fig04", "first-stage budget 1000", panel="b", rho2=0.1, error_to="beta_hat")
    yield from _fig04b(_where(rows, panel="b", rho2=0.1).sort_values("T"), other.sort_values("T"))


def _cutoff_slope(rows: pd.DataFrame, cutoff: Callable[[pd.DataFrame], Estimate]) -> Estimate:
    """Least squares over the budgets of the log cut-off, with the cut-offs' intervals propagated."""
    log_rho = np.log(LEVELS)
    weights = (log_rho - log_rho.mean()) / ((log_rho - log_rho.mean()) ** 2).sum()
    cutoffs = [cutoff(_where(rows, rho1=rho).sort_values("T")) for rho in LEVELS]
    value = float(weights @ [each.value for each in cutoffs])
    width = float(np.hypot.reduce(weights * [(each.high - each.low) / 2 for each in cutoffs]))
    return Estimate(value, value - width, value + width)


def _smallest(curve: pd.DataFrame) -> Estimate:
    """Log of the T with the smallest mean error; the interval spans the T whose errors cannot be told from it."""
    best = curve.loc[curve["mean"].idxmin()]
    tied = curve[curve["mean"] - 1.96 * curve["se"] <= best["mean"] + 1.96 * best["se"]]["T"]
    return Estimate(math.log(best["T"]), math.log(tied.min()), math.log(tied.max()))


def _passes_twice(curve: pd.DataFrame) -> Estimate:
    """Log of the T at which the error passes twice its smallest value; the interval from shifts by the standard errors."""
    ends = sorted(_crossing(curve, shift) for shift in (-1.96, 1.96))
    return Estimate(_crossing(curve, 0.0), *ends)


def _crossing(curve: pd.DataFrame, shift: float) -> float:
    """First T after the minimum at which the shifted curve passes twice the minimum, interpolated in logarithms."""
    error = np.log(curve["mean"].to_numpy() + shift * curve["se"].to_numpy())
    log_T, lowest = np.log(curve["T"].to_numpy(dtype=float)), int(np.argmin(curve["mean"]))
    level = math.log(2.0 * curve["mean"].min())
    beyond = [k for k in range(lowest + 1, len(error)) if error[k] >= level]
    if not beyond:
        return float(log_T[-1])
    k = beyond[0]
    return float(np.interp(level, error[k - 1 : k + 1], log_T[k - 1 : k + 1]))


def _fig04b(curve: pd.DataFrame, other: pd.DataFrame) -> Iterator[Claim]:
    where, statement = "Sec. 4.1, Figure 4(b)", "with small rho2 the error behaves as Figure 2: it drops, stays, rises"
    lowest = curve.loc[curve["mean"].idxmin()]
    yield claim(
        id="fig04b-drop", artefact="fig04", location=where, kind="figure", source="paper",
        statement=f"{statement} (drop)",
        quantity="mean error at T = 1 over the smallest, rho2 = 0.1",
        measured=ratio(curve.iloc[0], lowest), criterion=at_least(SIGNIFICANT),
    )  # fmt: skip
    yield claim(
        id="fig04b-plateau", artefact="fig04", location=where, kind="figure", source="paper",
        statement=f"{statement} (plateau)",
        quantity="largest over smallest T at which the mean error is within 25 % of its minimum, rho2 = 0.1",
        measured=_plateau(curve), criterion=at_least(4.0, words="at least 4"),
        note=f"with rho1 = 1000 (a variant) it is {_plateau(other).value:.2g}",
    )  # fmt: skip
    yield claim(
        id="fig04b-rise", artefact="fig04", location=where, kind="figure", source="paper",
        statement=f"{statement} (rise like sqrt(T))",
        quantity="log-log slope of the mean error over T >= 100, rho2 = 0.1",
        measured=log_log_slope(curve[curve["T"] >= 100], "T"), criterion=between(0.25, 0.75),
        note=f"with rho1 = 1000 (a variant) it is {log_log_slope(other[other['T'] >= 100], 'T').value:.2f}",
    )  # fmt: skip


def _plateau(curve: pd.DataFrame) -> Estimate:
    def width(shift: float) -> float:
        error = curve["mean"] + shift * curve["se"]
        inside = curve["T"][error <= 1.25 * curve["mean"].min()]
        return float(inside.max() / inside.min()) if len(inside) else 1.0

    return Estimate(width(0.0), width(1.96), width(-1.96))


def _fig06(evidence: Evidence) -> Iterator[Claim]:
    rows = evidence.select("fig06", error_to="beta_hat")
    both, free = _where(rows, panel="a"), _where(rows, panel="b")
    within = [ratio(a, b) for a, b in _pairs(both, free, ["T", "rho2"]) if a["T"] <= 1000]
    yield claim(
        id="fig06-comparable", artefact="fig06", location="App. F.1, Figure 6", kind="figure", source="paper",
        statement="for T = O(n) the two algorithms exhibit comparable performance",
        quantity="largest ratio of mean errors, Algorithm 1 over Algorithm 3, for T <= n = 1000",
        measured=worst(within), criterion=at_most(COMPARABLE),
    )  # fmt: skip
    for rho2 in LEVELS:
        curve = _where(both, rho2=rho2).sort_values("T")
        yield claim(
            id=f"fig06-diverges-{rho2:g}", artefact="fig06", location="App. F.1, Figure 6", kind="figure", source="paper",
            statement="when T grows larger, Algorithm 1 diverges",
            quantity=f"mean error at T = 2000 over the smallest mean error, rho2 = {rho2:g}",
            measured=ratio(curve.iloc[-1], curve.loc[curve["mean"].idxmin()]), criterion=at_least(SIGNIFICANT),
            note=f"the yardstick of 'stable', since a review; over the first step's error it is {_over_first(curve):.2f}",
        )  # fmt: skip
    for rho2 in LEVELS:
        curve = _where(free, rho2=rho2).sort_values("T")
        yield claim(
            id=f"fig06-stable-{rho2:g}", artefact="fig06", location="App. F.1, Figure 6", kind="figure", source="paper",
            statement="Algorithm 3 maintains a stable error trajectory",
            quantity=f"mean error at T = 2000 over the smallest mean error, rho2 = {rho2:g}",
            measured=ratio(curve.iloc[-1], curve.loc[curve["mean"].idxmin()]), criterion=at_most(COMPARABLE),
            note=f"over the first step's error it is {_over_first(curve):.2f}",
        )  # fmt: skip
    apart = [ratio(a, b) for a, b in _pairs(both, free, ["T", "rho2"]) if a["T"] == rows["T"].max()]
    yield claim(
        id="fig06-contrast", artefact="fig06", location="App. F.1, Figure 6", kind="figure", source="paper",
        statement="for larger T Algorithm 1 does worse than Algorithm 3",
        quantity="smallest ratio over rho2 of mean errors at T = 2000, Algorithm 1 over Algorithm 3",
        measured=worst(apart, largest=False), criterion=at_least(1.0, words="above 1"),
        note="added after a review: the contrast that the sentence draws",
    )  # fmt: skip


def _over_first(curve: pd.DataFrame) -> float:
    return float(curve["mean"].iloc[-1] / curve["mean"].iloc[0])


def _fig07(evidence: Evidence) -> Iterator[Claim]:
    for panel, symbol in (("a", "eta"), ("b", "alpha")):
        rows = evidence.select("fig07", panel=panel, error_to="beta_hat").sort_values("step_fraction")
        inside = rows[(rows["step_fraction"] >= 0.2) & (rows["step_fraction"] <= 0.95)]
        yield claim(
            id=f"fig07{panel}-insensitive", artefact="fig07", location=f"App. G.1, Figure 7({panel})", kind="figure", source="paper",
            statement="inside the theoretically justified region the convergence is fairly insensitive to the step size",
            quantity=f"largest over smallest mean error for {symbol} between 0.2 and 0.95 of its ceiling",
            measured=extreme_ratio(inside), criterion=at_most(COMPARABLE),
            note=_other_settings(evidence, panel),
        )  # fmt: skip
        best = rows["approximate_optimum"].iloc[0] / rows["ceiling"].iloc[0]
        near = rows[(rows["step_fraction"] >= 0.8 * best) & (rows["step_fraction"] <= 1.2 * best)]
        yield claim(
            id=f"fig07{panel}-optimum", artefact="fig07", location=f"Remark 3.3, Figure 7({panel})", kind="figure", source="paper",
            statement="the error is fairly insensitive in a neighbourhood of the approximately optimal step size",
            quantity=f"largest over smallest mean error within 20 % of {symbol}*",
            measured=extreme_ratio(near), criterion=at_most(COMPARABLE),
        )  # fmt: skip
    rows = evidence.select("fig07", panel="b", error_to="beta_hat").sort_values("step_fraction")
    above, below = rows[rows["step_fraction"] >= 1.1].iloc[0], rows[rows["step_fraction"] <= 0.95].iloc[-1]
    yield claim(
        id="fig07b-conservative", artefact="fig07", location="Remark 3.2, App. G.1", kind="theorem", source="paper",
        statement="the upper bound for alpha is slightly conservative",
        quantity="mean error at 1.1 times the ceiling over that at 0.95 (or the next points of the grid)",
        measured=ratio(above, below), criterion=at_most(1.25),
    )  # fmt: skip


def _other_settings(evidence: Evidence, panel: str) -> str:
    """The same quantity under the variants: what it hangs on."""
    values = []
    for variant in ("clip constant 1", "recommended step held"):
        rows = evidence.select("fig07", variant, panel=panel, error_to="beta_hat")
        inside = rows[(rows["step_fraction"] >= 0.2) & (rows["step_fraction"] <= 0.95)]
        values.append(f"{extreme_ratio(inside).value:.2g} ({variant})")
    return f"under our variants: {', '.join(values)}"


def _fig08(evidence: Evidence) -> Iterator[Claim]:
    rows = evidence.select("fig08", error_to="beta_hat").sort_values("gamma").reset_index(drop=True)
    best = rows.loc[rows["mean"].idxmin()]
    ends = worst([ratio(rows.iloc[0], best), ratio(rows.iloc[-1], best)], largest=False)
    yield claim(
        id="fig08-u-shape", artefact="fig08", location="App. G.2, Figure 8", kind="figure", source="paper",
        statement="too small a threshold distorts, too large a one adds noise",
        quantity="smaller of the two ratios of the mean error at gamma = 1 and 1000 to the smallest",
        measured=ends, criterion=at_least(SIGNIFICANT),
    )  # fmt: skip
    tied = rows[rows["mean"] - 1.96 * rows["se"] <= best["mean"] + 1.96 * best["se"]]["clip_fraction_stage2"]
    yield claim(
        id="fig08-smallest-without-clipping", artefact="fig08", location="App. G.2, Figure 8", kind="figure", source="paper",
        statement="the most effective threshold is the smallest one without clipping with high probability",
        quantity="fraction of second-stage gradients clipped at the best threshold; the interval is over thresholds tied with it",
        measured=Estimate(best["clip_fraction_stage2"], float(tied.min()), float(tied.max())), criterion=at_most(RARELY),
    )  # fmt: skip


def _fig09(evidence: Evidence) -> Iterator[Claim]:
    descent = evidence.select("fig09", series="2S-GD", error_to="beta")
    closed = evidence.select("fig09", series="2SLS")
    hundred = _where(descent, T=100)
    smallest = worst([_median_ratio(a, b) for a, b in _pairs(hundred, closed, ["n"])], largest=False)
    yield claim(
        id="fig09-slower", artefact="fig09", location="App. G.3, Figure 9", kind="figure", source="paper",
        statement="(as Figure 9 is read) 2S-GD (T = 100) is less accurate than 2SLS at every n",
        quantity="smallest ratio over n of median errors to beta, 2S-GD over 2SLS",
        measured=smallest, criterion=at_least(1.0, words="at least 1"),
        note=f"medians, because just-identified 2SLS has no finite mean; {_by_means(hundred, closed)}",
    )  # fmt: skip
    first, second = (log_log_slope(_by_median(table), "n") for table in (hundred, closed))
    width = math.hypot(first.high - first.value, second.high - second.value)
    gap = first.value - second.value
    yield claim(
        id="fig09-rate", artefact="fig09", location="App. G.3, Figure 9", kind="figure", source="paper",
        statement="the convergence rate of 2S-GD is slower than that of 2SLS",
        quantity="difference of the log-log slopes of the median error in n at T = 100",
        measured=Estimate(gap, gap - width, gap + width), criterion=at_least(0.0, words="above 0"),
    )  # fmt: skip
    yield from _fig09_convergence(evidence, closed)


def _by_means(first: pd.DataFrame, second: pd.DataFrame) -> str:
    return f"by means the ratio goes down to {min(a['mean'] / b['mean'] for a, b in _pairs(first, second, ['n'])):.2g}"


def _one_design(evidence: Evidence) -> str:
    """Near-singular draws take far more than ten thousand steps and rule the means; one design has no such draws."""
    left = evidence.select("fig09", "one design", series="2S-GD", error_to="beta_hat", T=10000)
    return (
        "medians over designs; a factor sqrt(p) would leave a ratio of several. Means over designs are ruled by near-singular "
        f"draws; for one design (a variant) the largest mean distance over n is {left['mean'].max():.2g}"
    )


def _fig09_convergence(evidence: Evidence, closed: pd.DataFrame) -> Iterator[Claim]:
    left = evidence.select("fig09", series="2S-GD", error_to="beta_hat")
    remaining = {
        T: worst([_median_ratio(a, b) for a, b in _pairs(_where(left, T=T), closed, ["n"])]) for T in (100, 10000)
    }
    quantity = "largest ratio over n of the median distance of 2S-GD to 2SLS at T = {} to the median error of 2SLS"
    yield claim(
        id="fig09-sufficient", artefact="fig09", location="App. G.3", kind="theorem", source="paper",
        statement="T = 100 iterations suffice for 2S-GD to converge",
        quantity=quantity.format(100),
        measured=remaining[100], criterion=at_most(CLOSE),
    )  # fmt: skip
    yield claim(
        id="remark-3.8-gap", artefact="fig09", location="Remark 3.8, Conclusion", kind="theorem", source="paper",
        statement="with T -> infinity 2S-GD keeps a gap to 2SLS, an additional factor sqrt(p): an inherent limitation",
        quantity=quantity.format(10000),
        measured=remaining[10000], criterion=at_least(CLOSE),
        note=_one_design(evidence),
    )  # fmt: skip


def _friendly_core(evidence: Evidence) -> Iterator[Claim]:
    rows = evidence.select("ext_friendlycore", series="FriendlyCore-2SLS")
    shares = rows["records_used"] / rows["n"]
    yield judged(
        id="remark-F.1-sample-size", artefact="ext_friendlycore", location="Remark F.1", kind="theorem", source="paper",
        statement="FriendlyCore effectively reduces the sample size that is available",
        quantity="share of the records that the core keeps, over n and rho",
        measured=Estimate(float(shares.median()), float(shares.min()), float(shares.max())), criterion="none: the averaging variant takes no subsamples", verdict="not testable",
        note="judged until a review; the interval is the range over n and rho",
    )  # fmt: skip
    private = evidence.select("ext_friendlycore", series="DP-2S-GD")
    pairs = [ratio(a, b) for a, b in _pairs(private, rows, ["n", "rho"])]
    values = sorted(pairs, key=lambda estimate: estimate.value)
    yield judged(
        id="remark-F.1-orders", artefact="ext_friendlycore", location="Remark F.1", kind="theorem", source="paper",
        statement="the error bounds of both roads have similar orders",
        quantity="ratio of mean errors, DP-2S-GD over FriendlyCore-2SLS: median over n and rho, range as interval",
        measured=Estimate(values[len(values) // 2].value, values[0].value, values[-1].value), criterion="none: a statement about bounds with unstated constants", verdict="not testable",
        note="the paper never ran the comparison; ext_friendlycore does, at equal budget, exact calibration and equal relation",
    )  # fmt: skip


def _where(table: pd.DataFrame, **values: object) -> pd.DataFrame:
    for column, value in values.items():
        table = table[table[column] == value]
    return table


def _row(table: pd.DataFrame, **values: object) -> "pd.Series[float]":
    found = _where(table, **values)
    if len(found) != 1:
        raise ValueError(f"{len(found)} rows at {values}; one is needed")
    return found.iloc[0]


def _pairs(
    first: pd.DataFrame, second: pd.DataFrame, keys: list[str]
) -> list[tuple["pd.Series[float]", "pd.Series[float]"]]:
    """Rows of both tables that agree in the keys."""
    index = {tuple(row[key] for key in keys): row for _, row in second.iterrows()}
    rows = ((tuple(row[key] for key in keys), row) for _, row in first.iterrows())
    return [(row, index[key]) for key, row in rows if key in index]


def _median_ratio(first: "pd.Series[float]", second: "pd.Series[float]") -> Estimate:
    """Ratio of medians; the ends combine the medians' bootstrap intervals in the worst way."""
    a, b = median_of(first), median_of(second)
    return Estimate(a.value / b.value, a.low / b.high, a.high / b.low)


def _by_median(table: pd.DataFrame) -> pd.DataFrame:
    """The table with medians in place of means, and their standard errors from the bootstrap interval."""
    return table.assign(mean=table["median"], se=(table["median_high"] - table["median_low"]) / 3.92)
