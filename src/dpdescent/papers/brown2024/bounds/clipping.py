"""When nothing is clipped, by brown2024: the No-Clipping Condition part by part, and what Lemma 2.5 asks for.

Measured are the smallest constants with which data sets meet the condition at theta*, as quantiles over data sets.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dpdescent.papers.brown2024.bounds.cases import SIGMA, Experiment, in_words, quantile
from dpdescent.papers.brown2024.bounds.coupling import COUPLED, FRACTION
from dpdescent.papers.brown2024.theory import concentration, gaussian_data, no_clipping
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import CHANCE, ORDER, ROUNDING, chance, is_met, pick, row, stated
from dpdescent.replication.judging.evidence import Bound, Evidence

PLACE = "no clipping"
# The panel whose runs have the threshold and the noise of Lemma 2.5, by the sd of the label noise.
LEMMA = "lemma 2.5"
# Dimensions for which the constant of the printed argument is looked up by name: the least, and those of the figures.
DIMENSIONS = (2, 10, 100)
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
    """Evaluates rows of every size: the condition, what is required, what is clipped; then rows without data."""
    for cell in cells(evidence, "condition"):
        for part in (_spectrum, _covariates, _residuals, _signal, _cross, _condition):
            yield from part(cell)
    for cell in cells(evidence, "required"):
        yield from _required(cell)
        yield from _smallest(cell)
    for cell in cells(evidence, LEMMA):
        yield from _clipped(cell)
    yield from _printed_argument(evidence)
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
    needed = concentration.covariance_records(cell.p, cell.beta)
    why = f"p + ln(1/beta); measured is n: {is_met(cell.n >= needed)}; {ORDER}"
    yield stated(
        bound="n of Lemma 2.6", location="Lemma 2.6", setting=cell.text, value=needed, note=why, measured=cell.n,
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
    kernel = gaussian_data.kernel_bound(c1=c1, n=cell.n, p=cell.p)
    yield stated(
        bound="bound on sum_j (x_i' A_t x_j)^2", location="(67)", setting=cell.text, value=kernel,
        note="on the way to (v); not measured",
    )  # fmt: skip


def _condition(cell: Cell) -> Iterator[Bound]:
    why = f"12 ln^1.5(5nT/beta); measured is the least c0 of all parts, {in_words(quantile(cell.beta))} over data sets"
    yield cell.largest("c0 of Condition 2.4", "Lemma 2.6", "c0", cell.c0, why, share=1.0)


def _required(cell: Cell) -> Iterator[Bound]:
    """Yields gamma and n of Lemma 2.5: conditions, which bound nothing."""
    sources = {"the data's": "the data's own c0, mean over data sets", "the lemma's": "the c0 of Lemma 2.6"}
    for whose, source in sources.items():
        for quantity, location in (("gamma", "Lemma 2.5"), ("n", "Lemma 2.5, (74)")):
            series, used = f"{quantity} required at {whose} c0", cell.measured(f"{quantity} used", "mean")
            needed = cell.measured(series, "mean")
            if needed is None or used is None:
                continue
            why = f"measured is what is used: {is_met(used >= needed)}; at {source}"
            yield stated(bound=series, location=location, setting=cell.text, value=needed, note=why, measured=used)


def _smallest(cell: Cell) -> Iterator[Bound]:
    rho, eta = (cell.experiment.value(symbol) for symbol in ("rho", "eta"))
    text = f"{cell.text}, rho={rho:g}"

    def c0(n: float) -> float:
        return gaussian_data.constant(n=n, T=cell.T, beta=cell.beta)

    least = no_clipping.smallest_records(c0, p=cell.p, rho=rho, T=cell.T, eta=eta, beta=cell.beta)
    why = f"where n reaches what is required at it, c0 of Lemma 2.6; measured is n: {is_met(cell.n >= least)}"
    yield stated(
        bound="smallest n of Lemma 2.5", location="Lemma 2.5, 2.6", setting=text, value=least, note=why,
        measured=cell.n,
    )  # fmt: skip
    k = cell.experiment.evidence.settings["clip_factor"]
    noise_sd = cell.experiment.case(n=cell.n, p=cell.p, T=cell.T, k=k).setting.noise_sd
    noise = no_clipping.noise_projection(
        c0=cell.c0, noise_sd=noise_sd, n=cell.n, p=cell.p, T=cell.T, t=0, beta=cell.beta
    )  # fmt: skip
    why = f"at c0 of Lemma 2.6 and gamma = {k:g} sqrt(p); not measured"
    yield stated(bound="bound on |x_i' z_t|", location="(33)", setting=text, value=noise, note=why)


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


def _printed_argument(evidence: Evidence) -> Iterator[Bound]:
    given = {"n": 1000, "T": 20, "beta": evidence.settings["beta"]}
    for p in DIMENSIONS:
        factor = gaussian_data.signal_constant(p=p, **given) / gaussian_data.constant(**given)
        why = "1 / (1 - p^(-1/2)), at every n, T and beta: how far the printed argument falls short of c0"
        yield stated(
            bound=f"constant of the argument for (iv) over c0, p = {p}", location="Lemma 2.6, C.7", setting=f"p={p}",
            value=factor, note=why,
        )  # fmt: skip


def _small_sigma(evidence: Evidence) -> Iterator[Bound]:
    """Whether the smallest threshold of Lemma 2.5 is enough for the steps of its proof; c0 cancels."""
    p, c0, checks = 10, 100.0, {"base case": _base, "term (ii)": _induction}
    for sigma in LABEL_NOISE:
        gamma = no_clipping.required_threshold(c0=c0, sigma=sigma, p=p)
        terms = no_clipping.residual_terms(
            c0=c0, sigma=sigma, gamma=gamma, noise_sd=0.0, n=1e4, p=p, T=20, eta=0.25, beta=evidence.settings["beta"]
        )
        for name, check in checks.items():
            allowed, size = (value / c0 for value in check(terms))
            why = "no measurement: the proof's own terms over c0 at gamma = 4 c0^2 sigma sqrt(p)"
            yield row(
                bound=f"{name} in the proof of Lemma 2.5", location="(37), (43)", setting=f"sigma={sigma:.3g}",
                value=allowed, measured=size, note=f"{why}; the paper's experiments have sigma = {SIGMA:g}",
                allowed=ROUNDING * size,
            )  # fmt: skip


def _base(terms: no_clipping.ResidualTerms) -> tuple[float, float]:
    return 4.0 * terms.allowed, terms.label + terms.signal


def _induction(terms: no_clipping.ResidualTerms) -> tuple[float, float]:
    return terms.allowed, terms.signal
