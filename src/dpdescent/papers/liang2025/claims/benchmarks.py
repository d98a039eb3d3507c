"""Claims about 2S-GD beside 2SLS (Figure 9), and about FriendlyCore beside DP-2S-GD (Remark F.1)."""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.liang2025.reading import CLOSE, COMPARABLE, claim, every, judged, median_ratios, untestable
from dpdescent.replication.judging import algebra, statistics
from dpdescent.replication.judging.criteria import ABOVE_0, at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence, joined
from dpdescent.replication.judging.statistics import NOTHING, Z95, Estimate, log_log_slope

# A core that may count as all records.
NEARLY_ALL = 0.9
# What the comparison with FriendlyCore holds equal, and what it does not.
_COMPARED = (
    "ext_friendlycore compares them at equal budget, exact calibration and equal relation, but FriendlyCore's guarantee has "
    "a delta of its own; DP-2S-GD has T = 50"
)


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on accuracy and rate, on convergence, and on FriendlyCore."""
    yield from _accuracy(evidence)
    yield from _convergence(evidence)
    yield from _friendly_core(evidence)


def _accuracy(evidence: Evidence) -> Iterator[Claim]:
    descent = evidence.select("fig09", series="2S-GD", error_to="beta", T=100)
    closed = evidence.select("fig09", series="2SLS")
    by_means = min(row["mean"] / other["mean"] for row, other in algebra.pairs(descent, closed, ["n"]))
    yield every(
        id="fig09-slower", artefact="fig09", location="App. G.3, Figure 9", kind="figure", source="ours",
        statement="(as Figure 9 is read) 2S-GD (T = 100) is less accurate than 2SLS at every n",
        quantity="smallest ratio over n of median errors to beta, 2S-GD over 2SLS",
        cells=median_ratios(descent, closed, ["n"]), criterion=at_least(1.0, words="at least 1"),
        note=f"medians, because just-identified 2SLS has no finite mean; by means the ratio goes down to {by_means:.2g}",
    )  # fmt: skip
    first, second = (log_log_slope(_by_median(table), "n") for table in (descent, closed))
    gap, width = first.value - second.value, math.hypot(first.high - first.value, second.high - second.value)
    yield claim(
        id="fig09-rate", artefact="fig09", location="App. G.3, Figure 9", kind="figure", source="paper",
        statement="the convergence rate of 2S-GD is slower than that of 2SLS",
        quantity="difference of the log-log slopes of the median error in n at T = 100",
        measured=Estimate(gap, gap - width, gap + width), criterion=ABOVE_0,
    )  # fmt: skip


def _by_median(table: pd.DataFrame) -> pd.DataFrame:
    """The table with medians in place of means, and their standard errors from the bootstrap interval."""
    return table.assign(mean=table["median"], se=(table["median_high"] - table["median_low"]) / (2.0 * Z95))


def _convergence(evidence: Evidence) -> Iterator[Claim]:
    left, closed = (
        evidence.select("fig09", series=series, **where)
        for series, where in (("2S-GD", {"error_to": "beta_hat"}), ("2SLS", {}))
    )
    hundred, many = (median_ratios(left[left["T"] == T], closed, ["n"]) for T in (100, 10000))
    quantity = "largest ratio over n of the median distance of 2S-GD to 2SLS at T = {} to the median error of 2SLS"
    yield every(
        id="fig09-sufficient", artefact="fig09", location="App. G.3", kind="text", source="paper",
        statement="T = 100 iterations suffice for 2S-GD to converge",
        quantity=quantity.format(100),
        cells=hundred, criterion=at_most(CLOSE),
    )  # fmt: skip
    yield claim(
        id="remark-3.8-gap", artefact="fig09", location="Remark 3.8, Conclusion", kind="theorem", source="paper",
        statement="with T -> infinity 2S-GD keeps a gap to 2SLS, an additional factor sqrt(p): an inherent limitation",
        quantity=quantity.format(10000),
        measured=statistics.worst(list(many.values())), criterion=at_least(CLOSE),
        note=joined(_one_design(evidence), _more_instruments(evidence)),
    )  # fmt: skip


def _one_design(evidence: Evidence) -> str:
    """What remains for one design, for a note: near-singular draws rule means over designs, and it has none."""
    left = evidence.select("fig09", "one design", series="2S-GD", error_to="beta_hat", T=10000)
    return (
        "medians over designs; a factor sqrt(p) would leave a ratio of several. Means over designs are ruled by near-singular "
        f"draws; for one design (a variant) the largest mean distance over n is {left['mean'].max():.2g}"
    )


def _more_instruments(evidence: Evidence) -> str:
    """What remains where Z'r, by which Remark 3.8 explains the gap, is not 0 of itself as it is at p = q; for a note."""
    rows = evidence.select("ext_overidentified", series="2S-GD", error_to="beta_hat")
    if rows.empty:
        return ""
    last = algebra.at_end(rows, "T")
    return (
        "Figure 9 has p = q, where the Z'r of the remark is 0; with more instruments than regressors the largest mean distance at "
        f"T = {last['T'].max():g} is {last['mean'].max():.2g}, at a mean ||Z'r||/n of {last['residual_moment'].min():.2g} or more"
    )


def _friendly_core(evidence: Evidence) -> Iterator[Claim]:
    core, both = (evidence.select("ext_friendlycore", series=each) for each in ("FriendlyCore-2SLS", "DP-2S-GD"))
    # At the larger T the descent itself has converged.
    descent = algebra.at_end(both, "T")
    shares = core["records_used"] / core["n"]
    yield judged(
        id="remark-F.1-sample-size", artefact="ext_friendlycore", location="Remark F.1", kind="theorem", source="paper",
        statement="FriendlyCore effectively reduces the sample size that is available",
        quantity="share of the records that the core keeps, over n and rho",
        measured=Estimate(float(shares.median()), float(shares.min()), float(shares.max())), criterion="none: the averaging variant takes no subsamples", verdict="not testable", why="by construction",
        changed="It was judged until a review.", note="the interval is the range over n and rho",
    )  # fmt: skip
    # The bound presumes a core of nearly all records.
    released = core[(core["failed"] == 0) & (core["records_used"] >= NEARLY_ALL * core["n"])]
    ratios = algebra.ratios(descent, released, ["n", "rho"])
    values = sorted(each.value for each in ratios.values())
    yield claim(
        id="remark-F.1-orders", artefact="ext_friendlycore", location="Remark F.1", kind="theorem", source="paper",
        statement="the error bounds of both approaches have similar orders",
        quantity="largest over smallest ratio of mean errors, DP-2S-GD over FriendlyCore-2SLS, over n and rho where the core has nine tenths of the records",
        measured=_spread(list(ratios.values())), criterion=at_most(COMPARABLE, ": equal orders leave a constant ratio"),
        changed="Before a review it was not judged, because both bounds have unstated constants; these cancel in how the ratio changes.",
        note=f"ratios: {algebra.told(ratios)}; the paper never ran the comparison; {_COMPARED}",
    )  # fmt: skip
    yield untestable(
        id="sec-1.1-sufficient-statistics", artefact="ext_friendlycore", location="Sec. 1.1", kind="text", source="paper",
        statement=(
            "pipelines of sufficient statistics alone need larger samples, polynomial in the condition number, than gradient-based "
            "ones to be as accurate in high dimensions"
        ),
        why="literature", because="it is quoted from Brown et al. (2024b), on ordinary regression; the paper has no experiment on it",
        changed="Added after a review.",
        note=f"at p = q = 5 the mean error of DP-2S-GD is {_typical(values):.2f} times that of FriendlyCore-2SLS in the median cell; {_COMPARED}",
    )  # fmt: skip


def _spread(ratios: list[Estimate]) -> Estimate:
    """The largest ratio over the smallest, with both intervals combined in the worst way."""
    if len(ratios) < 2:
        return NOTHING
    first, last = (pick(ratios, key=lambda each: each.value) for pick in (min, max))
    return Estimate(last.value / first.value, max(1.0, last.low / first.high), last.high / first.low)


def _typical(values: list[float]) -> float:
    return values[len(values) // 2] if values else math.nan
