"""Claims about lemmas and assumptions: B.5 to B.7, eq. (15), C.5, Assumption 3.3, and noise and stability."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpdescent.models.spline import CubicSplines
from dpdescent.papers.wang2026.claims.quantities import setting
from dpdescent.papers.wang2026.reading import ALGEBRA, every, rows
from dpdescent.papers.wang2026.theory import constants, explicit
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import ABOVE_0, at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence, Source
from dpdescent.replication.judging.statistics import Estimate, exactly, quotient
from dpdescent.sums import added

START, PATH, STABILITY, BOUNDS = "initialisation", "comparator", "stability", "bound_vs_run"
MARGINS = (PATH, BOUNDS, "ext_window", "ext_window_rates")
QUANTILES = "a quantile over draws beside the mean of a bound that differs from draw to draw: no draw is held against its own bound"
# Id, measured series, series of the bound, location, whose statement it is, statement, note.
SIZES: tuple[tuple[str, str, str, str, Source, str, str], ...] = (
    ("lemma-b.6-gradient", "largest gradient", "G_delta", "Lemma B.6, eq. (5)", "paper", "gradients of f are at most G_delta", ""),
    ("lemma-b.6-hessian", "largest Hessian", "nu", "Lemma B.6, eq. (4)", "paper", "Hessians of f are at most nu, the explicit form of (4)", ""),
    ("eq-15", "largest |f_0|", "bound Q8", "eq. (15)", "paper", "outputs at the start are at most B_b sqrt(2p log(2n/delta))", ""),
    ("gradient-sharp", "largest gradient", "G_sharp", "eq. (5)", "ours", "(ours) gradients of f are at most the sharp bound that knows the second layer", QUANTILES),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on the margin, the start, the noise and stability."""
    yield _margin(evidence)
    yield from _start(evidence)
    yield _noise(evidence)
    yield from _stability(evidence)


def _margin(evidence: Evidence) -> Claim:
    found = {}
    for artefact in MARGINS:
        gamma = algebra.floats(rows(evidence, artefact), "gamma")
        if np.isfinite(gamma).any():
            found[artefact] = exactly(float(np.nanmin(gamma)))
    return every(
        id="assumption-3.3", artefact=PATH, location="Assumption 3.3", kind="text", source="ours",
        statement="there is a margin gamma > 0 with y_i <grad f(x_i), u> >= gamma at the start; verified for KANs",
        quantity="mean margin of the records at their starts: the smallest over artefacts, widths and n",
        cells=found, criterion=ABOVE_0,
        note="designs of ours that are separable with a margin of their own; means over seeds",
    )  # fmt: skip


def _by_width(evidence: Evidence, series: str, column: str = "mean") -> pd.DataFrame:
    """Rows by width, without errors; of draws the 97.5 % quantile, since bounds hold with high probability."""
    table = rows(evidence, START, series=series)
    return table.assign(mean=table[column], se=math.nan)


def _start(evidence: Evidence) -> Iterator[Claim]:
    yield every(
        id="lemma-b.5", artefact=START, location="Lemma B.5", kind="theorem", source="paper",
        statement="P(E_delta) >= 1 - delta",
        quantity="share of draws of the start in which it occurs: the smallest over m",
        cells=algebra.means(rows(evidence, START, series="E_delta holds"), ["m"]),
        criterion=at_least(1.0 - setting(evidence, "delta_conf")),
    )  # fmt: skip
    for name, measured, bound, place, source, words, note in SIZES:
        yield every(
            id=name, artefact=START, location=place, kind="theorem", source=source,
            statement=words,
            quantity=f"97.5 % quantile over draws of the {measured}, over the bound (mean over draws): the largest over m",
            cells=algebra.ratios(_by_width(evidence, measured, "q975"), _by_width(evidence, bound), ("m", "n"), ("m",)),
            criterion=at_most(1.0), note=note,
        )  # fmt: skip
    yield _smoothness(evidence)


def _smoothness(evidence: Evidence) -> Claim:
    gradient, hessian, G, nu = (
        {row["m"]: row["mean"] for row in algebra.each(_by_width(evidence, series, column))}
        for series, column in (
            ("largest gradient", "q975"), ("largest Hessian", "q975"), ("G_delta", "mean"), ("nu", "mean"),
        )
    )  # fmt: skip
    smooth = {
        f"m = {m:g}": quotient(0.25 * gradient[m] ** 2 + hessian[m], constants.smoothness(G[m], nu[m]))
        for m in gradient
        if m in hessian and m in G and m in nu and G[m] >= 0 and nu[m] >= 0
    }
    return every(
        id="lemma-b.7", artefact=START, location="Lemma B.7", kind="theorem", source="identity",
        statement="the loss is beta-smooth, beta = C p^3, here G_delta^2/4 + nu as in its proof",
        quantity="a quarter of the squared gradient plus the Hessian (97.5 % quantiles over draws) over beta: the largest over m",
        cells=smooth, criterion=at_most(1.0), changed=ALGEBRA,
        note="the hidden C is replaced by what the proof has: it holds wherever Lemma B.6 does",
    )  # fmt: skip


def _noise(evidence: Evidence) -> Claim:
    """Judges Lemma C.5 by exact tails of chi and chi-square laws, at the sizes of runs."""
    delta = setting(evidence, "delta_conf") / 5.0
    table = rows(evidence, BOUNDS, series="bound", bound="C.11", term="total").drop_duplicates(["T", "m", "d"])
    sizes = table[["T", "m", "d"]].dropna()
    sizes = sizes[(sizes > 0).all(axis=1)]
    cells: dict[str, Estimate] = {}
    if delta > 0:
        p = CubicSplines(int(setting(evidence, "spline_cells"))).count
        for row in algebra.each(sizes):
            T, count = int(row["T"]), int(row["m"] * row["d"] * p)
            chances = explicit.noise_exceeds(T, count, delta)
            cells[f"T = {T:g}, mdp = {count:g}"] = exactly(added(chances.values()) / delta)
    return every(
        id="lemma-c.5", artefact=BOUNDS, location="Lemmas C.4, C.5", kind="theorem", source="paper",
        statement="the largest |Z_t| and the sum of |Z_t|^2 stay within their bounds with probability 1 - delta",
        quantity="sum of the exact probabilities that either exceeds its bound, over delta: the largest over T and sizes of the network",
        cells=cells, criterion=at_most(1.0),
    )  # fmt: skip


def _stability(evidence: Evidence) -> Iterator[Claim]:
    distance = rows(evidence, STABILITY, series="mean distance")
    noisy, plain = distance[distance["kappa"] > 0], distance[distance["kappa"] == 0]
    yield every(
        id="stability-noise", artefact=STABILITY, location="App. D.3", kind="text", source="ours",
        statement="the stability and generalization analysis is noise-agnostic: (ours) common noise does not drive runs apart",
        quantity="mean distance with noise over that without at the same t: the largest over t and lambda",
        cells={
            algebra.place_of(row, ("kappa", "lam", "t")): quotient(row["mean"], other["mean"])
            for row, other in algebra.pairs(noisy, plain, ("n", "T", "B", "eta", "t"))
        },
        criterion=at_most(1.0),
    )  # fmt: skip
