"""Figure 1, which is another paper's: analogues on small images, and how cumulative noise grows (wang2026).

The analogues show the accuracy of a small network against the correlation of the noise, at equal (epsilon, delta), with
each sampler and its accountant.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dpdescent.papers.wang2026 import images
from dpdescent.papers.wang2026.arms import FIXED, Noise
from dpdescent.papers.wang2026.criteria import (
    AGREES,
    ALGEBRA,
    BREAKS_DOWN,
    MODERATE,
    best,
    claim,
    claim_on_all_cells,
    drawn,
    fall,
    first,
    least,
    moderate,
    open_question,
    place_text,
    rows,
    thinned,
)
from dpdescent.papers.wang2026.images import Batched, Convolutional, correlated
from dpdescent.papers.wang2026.setting import GAIN, Array, Row, Spec
from dpdescent.privacy.events import Mechanism
from dpdescent.replication.judging import algebra, statistics
from dpdescent.replication.judging.algebra import Places, rows_of
from dpdescent.replication.judging.bound_rows import mean_equality_row
from dpdescent.replication.judging.criteria import ABOVE_0, BELOW_0, at_least, at_most, within_of
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence
from dpdescent.replication.judging.statistics import NOTHING

NOISE, LEFT_PANEL = "noise", "accuracy"
SIMULATED, FORMULA = "simulated", "formula"
TUNED_ON = (
    "no guarantee as it stands, because step sizes were tuned on other splits of the same images, without account; at "
    "a step size given beforehand this argument would hold"
)


def run_fig01_fashion(spec: Spec) -> Iterator[Row]:
    """Yields rows of one epsilon, on Fashion-MNIST averaged down to 14 x 14 pixels."""
    part = Convolutional.of(spec)
    return images.accuracies(part, part.fashion)


def releases_fig01_fashion(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries of one epsilon; step sizes were tuned on other people's data."""
    return Batched.of(spec).entries()


def run_fig01(spec: Spec) -> Iterator[Row]:
    """Yields rows of a part on the 8x8 digits: accuracies, or sizes of noise in the panel of noise."""
    if spec["panel"] == NOISE:
        return _cumulative(Cumulative.of(spec))
    # Cells that differ in their number of seeds alone are one panel.
    part = replace(Convolutional.of(spec), panel=LEFT_PANEL)
    return images.accuracies(part, part.digits)


def releases_fig01(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries of a part; the panel of noise has no records."""
    return () if spec["panel"] == NOISE else Batched.of(spec).entries(TUNED_ON)


@dataclass(frozen=True, kw_only=True)
class Cumulative(Batched):
    """Sums of noise without training, by correlations, dimension and steps."""

    t: tuple[int, ...]
    dimension: int
    shown: tuple[float, ...]


def _cumulative(part: Cumulative) -> Iterator[Row]:
    """Yields the size of a coordinate of the sum of t noises, of each seed and by formula (Fig. 1, right)."""
    t, (eps,) = np.array(part.t), part.eps
    noises = []
    for lam in part.shown:
        calibrated = part.noise(lam, eps)
        fixed = replace(calibrated, accountant=FIXED, kappa=1.0, eps=float("nan"), precondition="none")
        noises += [("fixed", fixed), ("calibrated", calibrated)]
    for trial in part.trials:
        normals = part.stream(trial, "normals").standard_normal((part.T, part.dimension))
        for kind, noise in noises:
            # Nothing is trained, so there is no step size.
            row = {"panel": NOISE, **noise.columns, "noise": kind, "eta": np.nan, "trial": trial}
            series = {SIMULATED: sizes(normals, noise, t)} | ({FORMULA: growth(noise, t)} if trial == 0 else {})
            for name, values in series.items():
                for step, size in zip(t, values, strict=True):
                    yield {**row, "t": int(step), "series": name, "value": float(size)}


def sizes(normals: Array, noise: Noise, t: Array) -> Array:
    """Returns `|sum_(s <= t) xi_s| / sqrt(dimension)` with `xi_s = kappa (Z_s - lam Z_(s-1))`, in the shape of t."""
    sums = noise.kappa * np.cumsum(correlated(normals, noise.lam), axis=0)[t - 1]
    size: Array = np.sqrt(np.mean(sums**2, axis=1))
    return size


def growth(noise: Noise, t: Array) -> Array:
    """Returns `kappa sqrt(1 + (1 - lam)^2 (t - 1))`, the sd of a coordinate of the sum (from wang2026 eq. 24)."""
    sd: Array = noise.kappa * np.sqrt(1.0 + (1.0 - noise.lam) ** 2 * (t - 1.0))
    return sd


ARTEFACT, LEFT, RIGHT = "fig01", "Figure 1 (left)", "Figure 1 (right)"
ANALOGUE = (
    "an analogue: the figure's network, data, batches, clipping, steps, epsilons and accountant are not stated; here a "
    "small convolutional network on the 8x8 digits"
)
# Variant of a sampler, words, and the ids of the claims on the gain, larger budgets, the shape and the drop.
Samplers = tuple[tuple[str, str, str, str, str, str], ...]
SAMPLERS: Samplers = (
    ("main", "balls in bins and their accountant",
     "figure-1-gain", "figure-1-larger-budgets", "figure-1-not-monotone", "figure-1-drop"),
    ("cyclic batches", "batches in a fixed order, noise without amplification",
     "figure-1-gain-cyclic", "figure-1-larger-budgets-cyclic", "figure-1-not-monotone-cyclic", "figure-1-drop-cyclic"),
    ("batches of Algorithm 1", "Algorithm 1's own batches, noise that is proved for them",
     "figure-1-gain-algorithm-1", "figure-1-larger-budgets-algorithm-1", "figure-1-not-monotone-algorithm-1",
     "figure-1-drop-algorithm-1"),
)  # fmt: skip
OVERLAP = "the splits are of one set of images and overlap: intervals are conditional on it"
PAIRED = f"paired over seeds, steps tuned on other splits; Student's intervals, widened for the correlations looked at; {OVERLAP}"


@dataclass(frozen=True)
class Analogue:
    """An analogue of Figure 1's left panel.

    Attributes:
        artefact: its artefact.
        samplers: its ways to form batches, with the ids of their claims.
        differences: its differences from the figure, in words.
        paired: how the gains were measured.
        condition: the condition of the gains' intervals, in words.
        unstated: the settings that the claim on larger budgets depends on and the paper leaves out.
        changed: how the criterion on larger budgets was changed after a look.
        left_open: why and when the other claims too were left open where runs refute them; empty where they were not.
        only: the variant whose claims are left open; empty where all are.
        compared: a variant, and what changed in what its gains are compared with.
    """

    artefact: str
    samplers: Samplers
    differences: str
    paired: str
    condition: str
    unstated: str
    changed: str = ""
    left_open: str = ""
    only: str = ""
    compared: tuple[str, str] = ("", "")

    def opened(self, judged: Claim, variant: str) -> Claim:
        """Returns the claim, left open where runs refute it if the analogue says so."""
        opens = self.left_open and self.only in ("", variant)
        return open_question(judged, self.unstated, changed=self.left_open) if opens else judged

    def with_changes(self, claimed: Claim, variant: str) -> Claim:
        """Returns the claim with what changed in what its gains are compared with."""
        return replace(
            claimed,
            changed=" ".join(filter(None, [claimed.changed, self.compared[1] if variant == self.compared[0] else ""])),
        )


DIGITS = Analogue(
    ARTEFACT, SAMPLERS, ANALOGUE, PAIRED, OVERLAP, "the figure's data, network, way to form batches and budgets",
    "The smallest eps alone was compared with the largest at first.",
    left_open="Before a review no way to form batches missed it; which one the figure has is unstated, and others meet it.",
    only="batches of Algorithm 1",
    compared=("batches of Algorithm 1", "Before a review independent noise was by the participation tail, two to five times as large as the one that is proved for these batches."),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on the left panel by sampler, then the claims on the right one."""
    yield from claims_on_left_panel(evidence, DIGITS)
    table = rows(evidence, ARTEFACT, panel=NOISE)
    yield from _cumulative_noise(table)
    yield from _calibrated_noise(table)
    yield _accuracy_by_noise(evidence, table)


def claims_on_left_panel(evidence: Evidence, analogue: Analogue) -> Iterator[Claim]:
    """Yields the claims on an analogue of the left panel by sampler."""
    for variant, words, gain, larger, shape, drop in analogue.samplers:
        gains = rows(evidence, analogue.artefact, variant, panel=LEFT_PANEL, series=GAIN)
        for judged in (
            analogue.opened(_gain(analogue, gains, gain, words), variant),
            _larger_budgets(analogue, gains, larger, words),
            analogue.opened(_not_monotone(analogue, gains, shape, words), variant),
            analogue.opened(_drop(analogue, gains, drop, words), variant),
        ):
            yield analogue.with_changes(judged, variant)


def _gain(analogue: Analogue, gains: pd.DataFrame, name: str, words: str) -> Claim:
    return claim_on_all_cells(
        id=name, artefact=analogue.artefact, location=LEFT, kind="figure", source="analogue",
        statement="moderate noise correlation improves the accuracy of DP-SGD over independent noise",
        quantity=f"({words}) largest gain in test accuracy over lambda = 0 for {MODERATE[0]:g} <= lambda <= {MODERATE[1]:g}: the smallest over eps",
        cells=algebra.measured_by(moderate(gains, *MODERATE), ["eps"], best), criterion=ABOVE_0,
        note=f"{analogue.differences}; {analogue.paired}",
    )  # fmt: skip


def _larger_budgets(analogue: Analogue, gains: pd.DataFrame, name: str, words: str) -> Claim:
    larger = claim_on_all_cells(
        id=name, artefact=analogue.artefact, location=LEFT, kind="figure", source="analogue",
        statement="improves the accuracy, especially for larger privacy budgets",
        quantity=f"({words}) largest gain over a moderate lambda at the largest eps, and that less the one at a smaller eps: the smallest over smaller eps",
        cells=_more_at_the_largest_budget(moderate(gains, *MODERATE)), criterion=ABOVE_0,
        changed=analogue.changed,
        note=f"{analogue.differences}; at a large budget accuracy is near that without noise, which bounds the gain; {analogue.condition}",
    )  # fmt: skip
    return open_question(larger, analogue.unstated)


def _more_at_the_largest_budget(gains: pd.DataFrame) -> Places:
    """The largest gain at the largest epsilon, and that less the largest at every smaller one.

    Intervals allow for all choices. Where there is no gain at all, a smaller loss at the largest epsilon is none.
    """
    large = algebra.rows_at_end(gains, "eps")
    smaller = gains[gains["eps"] < gains["eps"].max()]
    count = int(smaller["eps"].nunique())
    more = algebra.measured_by(smaller, ["eps"], lambda group: statistics.minus(best(large, count), best(group, count)))
    return more | ({"itself": best(large)} if more else {})


def _not_monotone(analogue: Analogue, gains: pd.DataFrame, name: str, words: str) -> Claim:
    large = algebra.rows_at_end(gains, "eps")
    inner = large[large["lam"] < large["lam"].max()]
    rise_and_fall = {"rise": best(inner), "fall": fall(inner, algebra.rows_at_end(large, "lam"))} if len(inner) else {}
    return claim_on_all_cells(
        id=name, artefact=analogue.artefact, location=LEFT, kind="figure", source="analogue",
        statement="the gain is not monotone in lambda",
        quantity=f"({words}) at the largest eps: the largest gain below the largest lambda, and its fall to the largest lambda; the smaller of the two",
        cells=rise_and_fall, criterion=ABOVE_0, note=analogue.differences,
    )  # fmt: skip


def _drop(analogue: Analogue, gains: pd.DataFrame, name: str, words: str) -> Claim:
    last = algebra.rows_at_end(gains, "lam")
    return claim(
        id=name, artefact=analogue.artefact, location=LEFT, kind="figure", source="analogue",
        statement="accuracy can drop when lambda -> 1",
        quantity=f"({words}) gain over lambda = 0 at the largest lambda, {last['lam'].max():g}: the smallest over eps",
        measured=least(last) if len(last) else NOTHING, criterion=BELOW_0,
        note=f"{analogue.differences}; read as below the accuracy of independent noise, at some eps",
    )  # fmt: skip


def _cumulative_noise(table: pd.DataFrame) -> Iterator[Claim]:
    simulated, formula = (table[table["series"] == name] for name in (SIMULATED, FORMULA))
    yield claim_on_all_cells(
        id="figure-1-cumulative-noise", artefact=ARTEFACT, location=RIGHT, kind="figure", source="identity",
        statement="subtracting a lambda-fraction of the previous noise partially cancels consecutive noise, slowing cumulative-noise growth",
        quantity="simulated norm of the summed noise at the last t, over that of lambda = 0, at one multiplier: the largest over lambda > 0",
        cells=_ratios_to_independent(simulated[simulated["noise"] == "fixed"]), criterion=at_most(1.0 - AGREES),
        changed=ALGEBRA, note="a variance that can be written down, simulated",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="figure-1-formula", artefact=ARTEFACT, location=RIGHT, kind="figure", source="identity",
        statement="(ours) a coordinate of the summed noise has variance kappa^2 (1 + (1 - lambda)^2 (t - 1))",
        quantity="simulated norm over that formula's: the one that is furthest off, over lambda, t and multipliers",
        cells=algebra.ratios(simulated, formula, ("noise", "lam", "eps", "t"), ("noise", "lam", "t")),
        criterion=within_of(1.0, AGREES), changed=ALGEBRA, note="a variance that can be written down, simulated",
    )  # fmt: skip


def _calibrated_noise(table: pd.DataFrame) -> Iterator[Claim]:
    formula = table[(table["series"] == FORMULA) & (table["noise"] == "calibrated")]
    calibrated = _ratios_to_independent(formula)
    yield claim(
        id="figure-1-calibrated-noise", artefact=ARTEFACT, location=RIGHT, kind="figure", source="analogue",
        statement="slowing cumulative-noise growth and thus preserving accuracy",
        quantity="norm of the summed noise at the last t, over that of lambda = 0, at the multipliers that epsilon asks for: the smallest over lambda > 0",
        measured=statistics.worst(statistics.with_value(calibrated.values()), largest=False),
        criterion=at_most(1.0 - AGREES), note="balls in bins, whose multipliers are used; one lambda is enough",
    )  # fmt: skip
    by_lam = algebra.rows_at_end(formula, "t").sort_values("lam")
    smallest, last = algebra.rows_at_end(by_lam, "mean", largest=False), algebra.rows_at_end(by_lam, "lam")
    yield claim_on_all_cells(
        id="figure-1-drop-explained", artefact=ARTEFACT, location="Remark 4.2", kind="theorem", source="analogue",
        statement="after substituting the privacy-calibrated kappa the rate breaks down as lambda -> 1; the empirical dropoff is consistent with this",
        quantity="norm of the summed calibrated noise at the last t, at the largest lambda over the smallest over lambda",
        cells=algebra.ratios(last, smallest, ("t",), ("lam",)), criterion=at_least(BREAKS_DOWN, ": breaks down"),
        note=f"kappa of balls in bins, which the remark does not use. Over lambda = 0: {algebra.places_text(calibrated)}",
    )  # fmt: skip


def _accuracy_by_noise(evidence: Evidence, table: pd.DataFrame) -> Claim:
    """The claim that accuracy is above that of independent noise where the calibrated noise is below, and the reverse."""
    ratios = _ratios_to_independent(table[(table["series"] == FORMULA) & (table["noise"] == "calibrated")])
    gains = algebra.rows_at_end(rows(evidence, ARTEFACT, "main", panel=LEFT_PANEL, series=GAIN), "eps")
    agreeing: Places = {}
    for row in rows_of(gains):
        name = algebra.place_of(row, ("lam",))
        if name in ratios:
            gain = drawn(row)
            agreeing[name] = gain if ratios[name].value < 1.0 else statistics.negative(gain)
    return claim_on_all_cells(
        id="figure-1-accuracy-by-noise", artefact=ARTEFACT, location="Figure 1, Remark 4.2", kind="figure", source="analogue",
        statement="slower growth of the cumulative noise thus preserves accuracy, here of the calibrated noise, at lambda near 1 too",
        quantity="gain in test accuracy over lambda = 0 at the largest eps, its sign turned where the summed calibrated noise is above that of lambda = 0: the smallest over lambda",
        cells=agreeing, criterion=ABOVE_0, changed="Added after a review.",
        note=f"balls in bins; noise over lambda = 0: {algebra.places_text(ratios)}",
    )  # fmt: skip


def _ratios_to_independent(table: pd.DataFrame) -> Places:
    """Ratios of norms at the last t to that of independent noise, by correlation."""
    last = algebra.rows_at_end(table, "t")
    return algebra.ratios(last[last["lam"] > 0], last[last["lam"] == 0], ("noise", "t"), ("lam",))


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of the growth of cumulative noise (eq. 24)."""
    table = thinned(rows(evidence, ARTEFACT, panel=NOISE), "t")
    formulas = table[table["series"] == FORMULA]
    for row in rows_of(table[table["series"] == SIMULATED]):
        formula = first(formulas, lam=row["lam"], t=row["t"], noise=row["noise"])
        if formula is not None:
            text = place_text(f"{ARTEFACT}, {row['noise']}", row, "lam", "t")
            why = "kappa sqrt(1 + (1 - lam)^2 (t - 1)); measured is |sum of noise| / sqrt(dimension)"
            yield mean_equality_row("cumulative noise", "(24), Fig. 1", text, float(formula["mean"]), row, why)
