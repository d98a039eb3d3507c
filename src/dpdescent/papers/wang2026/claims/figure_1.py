"""Claims about Figure 1, which is another paper's: judged on an analogue, with each sampler and its accountant."""

from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.wang2026.claims.quantities import (
    at_end,
    best,
    by,
    fall,
    least,
    minus,
    moderate,
    ratios,
    single,
    told,
)
from dpdescent.papers.wang2026.reading import AGREES, BREAKS_DOWN, CHANGED, GAIN, MODERATE, claim, every, rows
from dpdescent.replication.judging.criteria import ABOVE_0, BELOW_0, about, at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import NOTHING, Estimate, known

ARTEFACT, PLACE = "fig01", "Figure 1 (left)"
ANALOGUE = (
    "an analogue: the figure's network, data, batches, clipping, steps, epsilons and accountant are not stated; here a "
    "small convolutional network on the 8x8 digits"
)
SAMPLERS = (
    ("", "main", "balls in bins and their accountant"),
    ("-cyclic", "cyclic batches", "batches in a fixed order, noise without amplification"),
    ("-algorithm-1", "batches of Algorithm 1", "Algorithm 1's own batches, noise that is proved for them"),
)
OVERLAP = "the splits are of one set of images and overlap: intervals are conditional on it"
PAIRED = f"paired over seeds, steps tuned on other splits; Student's intervals, widened for the correlations looked at; {OVERLAP}"


def judge(evidence: Evidence) -> Iterator[Claim]:
    """The left panel by sampler, then the right one."""
    for suffix, variant, words in SAMPLERS:
        gains = rows(evidence, ARTEFACT, variant, panel="accuracy", series=GAIN)
        yield _gain(gains, suffix, words)
        yield _larger_budgets(gains, suffix, words)
        yield _not_monotone(gains, suffix, words)
        yield _drop(gains, suffix, words)
    yield from _cumulative_noise(evidence)


def _inside(gains: pd.DataFrame) -> pd.DataFrame:
    return moderate(gains, *MODERATE)


def _curves(gains: pd.DataFrame) -> str:
    """All gains by epsilon, for a note."""
    return "; ".join(
        f"eps = {eps:g}: {told(by(group, ['lam'], single))}" for eps, group in gains.groupby("eps", sort=True)
    )


def _gain(gains: pd.DataFrame, suffix: str, words: str) -> Claim:
    found = by(_inside(gains), ["eps"], best)
    return every(
        id=f"figure-1-gain{suffix}", artefact=ARTEFACT, location=PLACE, kind="text", source="paper",
        statement="moderate noise correlation improves the accuracy of DP-SGD over independent noise",
        quantity=f"({words}) largest gain in test accuracy over lambda = 0 for {MODERATE[0]:g} <= lambda <= {MODERATE[1]:g}: the smallest over eps",
        cells=found.values(), criterion=ABOVE_0,
        note=f"{ANALOGUE}; {PAIRED}. {_curves(gains)}",
    )  # fmt: skip


def _larger_budgets(gains: pd.DataFrame, suffix: str, words: str) -> Claim:
    inner = _inside(gains)
    gained = _more_at_the_largest_budget(inner)
    same = [place for place, each in gained.items() if each.low <= 0.0 <= each.high]
    flat = f" Not told apart from that at the largest eps: {'; '.join(same)}." if same else ""
    return every(
        id=f"figure-1-larger-budgets{suffix}", artefact=ARTEFACT, location=PLACE, kind="text", source="paper",
        statement="improves the accuracy, especially for larger privacy budgets",
        quantity=f"({words}) largest gain over a moderate lambda at the largest eps less that at a smaller one: the smallest over smaller eps",
        cells=gained.values(), criterion=ABOVE_0,
        note=f"{ANALOGUE}; at a large budget accuracy is near that without noise, which bounds the gain; {OVERLAP}. Largest gains: {told(by(inner, ['eps'], best))}. Differences: {told(gained)}.{flat} "
        f"{CHANGED}: the smallest eps alone was compared",
    )  # fmt: skip


def _more_at_the_largest_budget(gains: pd.DataFrame) -> dict[str, Estimate]:
    """Largest gains at the largest epsilon less those at every smaller one; intervals allow for all that was looked at."""
    large = at_end(gains, "eps")
    smaller = gains[gains["eps"] < gains["eps"].max()]
    count = int(smaller["eps"].nunique())
    return by(smaller, ["eps"], lambda group: minus(best(large, count), best(group, count)))


def _not_monotone(gains: pd.DataFrame, suffix: str, words: str) -> Claim:
    large = at_end(gains, "eps")
    inner = large[large["lam"] < large["lam"].max()]
    found = {
        "rise": best(inner) if len(inner) else NOTHING,
        "fall": fall(inner, at_end(large, "lam")) if len(inner) else NOTHING,
    }
    return every(
        id=f"figure-1-not-monotone{suffix}", artefact=ARTEFACT, location=PLACE, kind="text", source="paper",
        statement="the gain is not monotone in lambda",
        quantity=f"({words}) at the largest eps: the largest gain below the largest lambda, and its fall to the largest lambda; the smaller of the two",
        cells=found.values(), criterion=ABOVE_0,
        note=f"{ANALOGUE}. {told(found)}",
    )  # fmt: skip


def _drop(gains: pd.DataFrame, suffix: str, words: str) -> Claim:
    last = at_end(gains, "lam")
    found = least(last) if len(last) else NOTHING
    return claim(
        id=f"figure-1-drop{suffix}", artefact=ARTEFACT, location=PLACE, kind="text", source="paper",
        statement="accuracy can drop when lambda -> 1",
        quantity=f"({words}) gain over lambda = 0 at the largest lambda, {last['lam'].max():g}: the smallest over eps",
        measured=found, criterion=BELOW_0,
        note=f"{ANALOGUE}; read as below the accuracy of independent noise, at some eps. {told(by(last, ['eps'], single))}",
    )  # fmt: skip


def _cumulative_noise(evidence: Evidence) -> Iterator[Claim]:
    place = "Figure 1 (right)"
    table = rows(evidence, ARTEFACT, panel="noise")
    simulated, formula = (table[table["series"] == name] for name in ("simulated", "formula"))
    fixed = _over_independent(simulated[simulated["noise"] == "fixed"])
    yield every(
        id="figure-1-cumulative-noise", artefact=ARTEFACT, location=place, kind="figure", source="paper",
        statement="subtracting a lambda-fraction of the previous noise partially cancels consecutive noise, slowing cumulative-noise growth",
        quantity="simulated norm of the summed noise at the last t, over that of lambda = 0, at one multiplier: the largest over lambda > 0",
        cells=fixed.values(), criterion=at_most(1.0 - AGREES),
        note=told(fixed),
    )  # fmt: skip
    exact = ratios(simulated, formula, ("noise", "lam", "eps", "t"), ("noise", "lam", "t"))
    yield every(
        id="figure-1-formula", artefact=ARTEFACT, location=place, kind="figure", source="ours",
        statement="(ours) a coordinate of the summed noise has variance kappa^2 (1 + (1 - lambda)^2 (t - 1))",
        quantity="simulated norm over that formula's: the one that is furthest off, over lambda, t and multipliers",
        cells=exact.values(), criterion=about(1.0, AGREES),
    )  # fmt: skip
    calibrated = _over_independent(formula[formula["noise"] == "calibrated"])
    yield every(
        id="figure-1-calibrated-noise", artefact=ARTEFACT, location=place, kind="figure", source="paper",
        statement="slowing cumulative-noise growth and thus preserving accuracy",
        quantity="norm of the summed noise at the last t, over that of lambda = 0, at the multipliers that epsilon asks for: the smallest over lambda > 0",
        cells=_first_of(calibrated), criterion=at_most(1.0 - AGREES),
        note=f"balls in bins. {told(calibrated)}",
    )  # fmt: skip
    by_lam = at_end(formula[formula["noise"] == "calibrated"], "t").sort_values("lam")
    smallest, last = at_end(by_lam, "mean", largest=False), at_end(by_lam, "lam")
    blown = ratios(last, smallest, ("t",), ("lam",))
    yield every(
        id="figure-1-drop-explained", artefact=ARTEFACT, location="Remark 4.2", kind="theorem", source="paper",
        statement="after substituting the privacy-calibrated kappa the rate breaks down as lambda -> 1; the empirical dropoff is consistent with this",
        quantity="norm of the summed calibrated noise at the last t, at the largest lambda over the smallest over lambda",
        cells=blown.values(), criterion=at_least(BREAKS_DOWN, ": breaks down"),
        note=f"kappa of balls in bins, which the remark does not use. Over lambda = 0: {told(calibrated)}",
    )  # fmt: skip


def _over_independent(table: pd.DataFrame) -> dict[str, Estimate]:
    """Norms at the last t over that of independent noise, by correlation."""
    last = at_end(table, "t")
    return ratios(last[last["lam"] > 0], last[last["lam"] == 0], ("noise", "t"), ("lam",))


def _first_of(found: dict[str, Estimate]) -> list[Estimate]:
    """The smallest alone, where one is enough."""
    return sorted(known(found.values()), key=lambda each: each.value)[:1]
