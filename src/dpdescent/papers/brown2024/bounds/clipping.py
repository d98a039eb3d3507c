"""When nothing is clipped, by brown2024: the No-Clipping Condition part by part, and Lemma 2.5.

Measured are the smallest constants with which data sets meet the condition at theta*, as quantiles over data sets.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dpdescent.papers.brown2024.bounds.cases import SIGMA, Experiment, in_words, quantile
from dpdescent.papers.brown2024.bounds.coupling import COUPLED, FRACTION
from dpdescent.papers.brown2024.theory import gaussian_data, no_clipping
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import CHANCE, ROUNDING, chance, is_met, pick, row
from dpdescent.replication.judging.evidence import Bound, Evidence

PLACE = "no clipping"
# The panel whose runs have the threshold and the noise of Lemma 2.5, by the sd of the label noise.
LEMMA = "lemma 2.5"
# Where the proof of Lemma 2.5 is put to the test: the experiments' sigma, the least for its base case, and smaller.
LABEL_NOISE = (1.0, 1.0 / 3.0, 0.1)


@dataclass(frozen=True)
class Cell:
    """One size of a panel of `ext_no_clipping`, with its rows."""

    experiment: Experiment
    n: int
    p: int
    T: int
    rows: pd.DataFrame

    @property
    def text(self) -> str:
        return f"{PLACE}: p={self.p}, n={self.n}, T={self.T}"

    @property
    def beta(self) -> float:
        return float(self.experiment.evidence.settings["beta"])

    @property
    def c0(self) -> float:
        """The constant of Lemma 2.6."""
        return gaussian_data.constant(n=self.n, T=self.T, beta=self.beta)

    def measured(self, series: str, column: str) -> float | None:
        """A column of a series' row, None where there is none."""
        return pick(self.rows, column, series=series)

    def chance(self, series: str) -> float:
        """How far chance may carry the mean of a series, NaN where there is none."""
        found = self.rows[self.rows["series"] == series]
        return chance(found.iloc[0]) if len(found) else math.nan

    def largest(self, name: str, location: str, series: str, value: float, note: str = "", share: float = 0.2) -> Bound:
        """An upper bound beside a high quantile over data sets.

        Each part of the condition fails with a fifth of beta at most, the default of `share`.
        """
        measured = self.measured(series, quantile(share * self.beta))
        return row(bound=name, location=location, setting=self.text, value=value, measured=measured, note=note)


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates rows of every size: the condition, what is clipped; then rows without data."""
    for cell in cells(evidence, "condition"):
        for part in (_spectrum, _covariates, _residuals, _signal, _cross, _condition):
            yield from part(cell)
    for cell in cells(evidence, LEMMA):
        yield from _clipped(cell)
    yield from _small_sigma(evidence)


def cells(evidence: Evidence, panel: str) -> Iterator[Cell]:
    """The sizes of a panel, in the order of p and n."""
    experiment = Experiment(evidence, "ext_no_clipping", PLACE, panel)
    for (p, n, T), rows in experiment.rows(panel=panel).groupby(["p", "n", "T"]):
        yield Cell(experiment, int(n), int(p), int(T), rows)


def _spectrum(cell: Cell) -> Iterator[Bound]:
    share, allowed = cell.measured("(i) holds", "mean"), cell.chance("(i) holds")
    name = "(i) P(I/2 <= Sigma <= 2I and ||I - eta Sigma|| <= 7/8)"
    why = f"measured is the share of data sets, {CHANCE} below allowed; from which n on the paper does not say"
    yield row(
        bound=name, location="Lemma 2.6, Claim A.10", setting=cell.text, value=1.0 - cell.beta, measured=share,
        direction="at least", note=why, allowed=allowed,
    )  # fmt: skip


def _covariates(cell: Cell) -> Iterator[Bound]:
    name, series, often = "(ii) max ||x_i|| / sqrt(p)", "(ii) covariates", "c1, probability 1 - beta/5"
    given: dict[str, Any] = {"n": cell.n, "p": cell.p, "beta": cell.beta}
    yield cell.largest(name, "Claim A.9", series, gaussian_data.covariate_constant(**given), often)
    printed = gaussian_data.covariate_constant_as_printed(**given)
    why = "sqrt(2/p) ln(5n/beta), where sqrt(2 ln(5n/beta)/p) is meant: larger, so that it bounds as well"
    yield cell.largest(f"{name}, as printed", "Lemma C.7", series, printed, why)
    ceiling = gaussian_data.covariate_ceiling(n=cell.n, beta=cell.beta)
    yield cell.largest(f"{name}, bound on c1", "Lemma C.7", series, ceiling, "for p >= 2")


def _residuals(cell: Cell) -> Iterator[Bound]:
    bound = gaussian_data.label_noise_bound(n=cell.n, sigma=1.0, beta=cell.beta)
    yield cell.largest("(iii) max |xi_i| / sigma", "Lemma C.7", "(iii) residuals", bound, "probability 1 - beta/5")


def _signal(cell: Cell) -> Iterator[Bound]:
    name, series, given = "(iv) max |x_i' M^t theta*|", "(iv) signal", {"n": cell.n, "T": cell.T, "beta": cell.beta}
    short = gaussian_data.sub_gaussian_signal_constant(p=cell.p, **given)
    why = "by the sub-Gaussian tail in place of Lemma A.11, which restores the constant of Lemma 2.6"
    yield cell.largest(f"{name}, sub-Gaussian", "Lemma 2.6", series, short, why)
    if cell.p < 2:
        return
    mended = gaussian_data.signal_constant(p=cell.p, **given)
    yield cell.largest(f"{name}, mended", "Lemma C.7", series, mended, "printed argument with c1 in the place of c0")
    circular = gaussian_data.signal_constant_as_printed(c0=cell.c0, p=cell.p, **given)
    why = "4 c0 ln(5nT/beta) / (1 - p^(-1/2)): a multiple of the c0 that is to be shown, here that of Lemma 2.6"
    yield cell.largest(f"{name}, as printed", "(58)", series, circular, why)
    why = (
        "no measurement: measured is what the printed argument for (iv) yields with c1 in the place of c0, a larger "
        "constant than the stated one; a sub-Gaussian tail bound restores that"
    )
    yield row(
        bound="c0 that the argument for (iv) yields", location="Lemma 2.6, C.7", setting=cell.text, value=cell.c0,
        measured=mended, note=why,
    )  # fmt: skip


def _cross(cell: Cell) -> Iterator[Bound]:
    name, series = "(v) max |x_i' A_t X'xi| / (sigma sqrt(np))", "(v) cross terms"
    c1 = gaussian_data.covariate_constant(n=cell.n, p=cell.p, beta=cell.beta)
    given = {"c1": c1, "n": cell.n, "T": cell.T, "beta": cell.beta}
    both = gaussian_data.cross_constant(**given)
    yield cell.largest(name, "(69)", series, both, "both tails; probability 1 - beta/5")
    printed = gaussian_data.cross_constant_as_printed(**given)
    yield cell.largest(f"{name}, as printed", "(69)", series, printed, "one tail of two")


def _condition(cell: Cell) -> Iterator[Bound]:
    why = f"12 ln^1.5(5nT/beta); measured is the least c0 of all parts, {in_words(quantile(cell.beta))} over data sets"
    yield cell.largest("c0 of Condition 2.4", "Lemma 2.6", "c0", cell.c0, why, share=1.0)


def _clipped(cell: Cell) -> Iterator[Bound]:
    """Yields the failure probability of Lemma 2.5 beside runs with its own threshold and noise."""
    for found in each(cell.rows[cell.rows["series"] == COUPLED]):
        sigma = float(found["sigma"])
        share = pick(cell.rows, "mean", series=FRACTION, sigma=sigma)
        clipped = "" if share is None else f", in which {share:.2%} of all gradients are clipped"
        why = (
            f"beta; measured is a share of runs{clipped}, c0 from the data, {CHANCE} above allowed; the proof needs "
            f"sigma >= 1: {is_met(sigma >= 1.0)}"
        )
        yield row(
            bound="failure probability of Lemma 2.5", location="Lemma 2.5", setting=f"{cell.text}, sigma={sigma:g}",
            value=cell.beta, measured=found["mean"], note=why, allowed=chance(found),
        )  # fmt: skip


def _small_sigma(evidence: Evidence) -> Iterator[Bound]:
    """Whether the smallest threshold of Lemma 2.5 is enough for the steps of its proof; c0 cancels."""
    p, c0 = 10, 100.0
    for sigma in LABEL_NOISE:
        gamma = no_clipping.required_threshold(c0=c0, sigma=sigma, p=p)
        # What the proof allows each of a residual's four terms: (ii) is c0, the signal, and (iv) c0 sigma, the label.
        allowed = gamma / (4.0 * c0 * math.sqrt(p))
        for name, bound, size in (
            ("base case", 4.0 * allowed / c0, (c0 * sigma + c0) / c0), ("term (ii)", allowed / c0, 1.0),
        ):  # fmt: skip
            why = "no measurement: the proof's own terms over c0 at gamma = 4 c0^2 sigma sqrt(p)"
            yield row(
                bound=f"{name} in the proof of Lemma 2.5", location="(37), (43)", setting=f"sigma={sigma:.3g}",
                value=bound, measured=size, note=f"{why}; the paper's experiments have sigma = {SIGMA:g}",
                allowed=ROUNDING * size,
            )  # fmt: skip
