"""Claims about error, dimension and sample size: Figures 1, 2, 8 and 9."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpdescent.papers.brown2024.reading import CLOSE, CONSTANT, GROWN, RATE, SAMPLING_RATE, claim, every
from dpdescent.replication.judging import algebra, statistics
from dpdescent.replication.judging.bound_rows import row_at
from dpdescent.replication.judging.criteria import ABOVE_0, Criterion, at_least, at_most, between
from dpdescent.replication.judging.evidence import Claim, Evidence, Source
from dpdescent.replication.judging.statistics import Estimate, log_log_slope

SLOPE = f"log-log slope in p of the mean error to theta*, p >= {GROWN}"


class FixedRatio(NamedTuple):
    """A figure at fixed p/n, and the ids of its claims."""

    artefact: str
    place: str
    dp_gd: str
    ols: str
    to_ols: str
    grows: str
    root: str
    above_dp_gd: str
    matched: str
    above_ols: str
    law: str


FIXED_RATIO = (
    FixedRatio(
        "fig01", "Figure 1", "fig01-dp-gd-constant", "fig01-ols-constant", "fig01-dp-gd-constant-to-ols",
        "fig01-adassp-grows", "fig01-adassp-root", "fig01-order-adassp", "fig01-order-matched", "fig01-order-ols", "fig01-law",
    ),
    FixedRatio(
        "fig09", "Figure 9", "fig09-dp-gd-constant", "fig09-ols-constant", "fig09-dp-gd-constant-to-ols",
        "fig09-adassp-grows", "fig09-adassp-root", "fig09-order-adassp", "fig09-order-matched", "fig09-order-ols", "fig09-law",
    ),
)  # fmt: skip


class Curve(NamedTuple):
    """The ids of the claims on one threshold of a figure on the cost of privacy; the paper's own is 5 sqrt(p)."""

    factor: float
    source: Source
    rate: str
    dominates: str
    law: str
    reasonable: str = ""


class Panel(NamedTuple):
    """A panel of a figure on the cost of privacy.

    Attributes:
        sampling: the id of the claim on its sampling error.
        regular: the largest n that the first author's public script plots (times ten at p = 100); Figure 8's sentence
            on reasonable sample sizes is read so.
    """

    artefact: str
    panel: str
    place: str
    sampling: str
    regular: int
    curves: tuple[Curve, ...]


PANELS = (
    Panel("fig02", "a", "Figure 2", "fig02a-sampling-rate", 5000, (
        Curve(5.0, "paper", "fig02a-5-privacy-rate", "fig02a-5-dominates", "fig02a-5-law"),
        Curve(3.0, "ours", "fig02a-3-privacy-rate", "fig02a-3-dominates", "fig02a-3-law"),
    )),
    Panel("fig08", "a", "Figure 8a", "fig08a-sampling-rate", 35_000, (
        Curve(5.0, "paper", "fig08a-5-privacy-rate", "fig08a-5-dominates", "fig08a-5-law", "fig08a-5-reasonable"),
        Curve(3.0, "ours", "fig08a-3-privacy-rate", "fig08a-3-dominates", "fig08a-3-law", "fig08a-3-reasonable"),
    )),
    Panel("fig08", "b", "Figure 8b", "fig08b-sampling-rate", 350_000, (
        Curve(5.0, "paper", "fig08b-5-privacy-rate", "fig08b-5-dominates", "fig08b-5-law", "fig08b-5-reasonable"),
        Curve(3.0, "ours", "fig08b-3-privacy-rate", "fig08b-3-dominates", "fig08b-3-law", "fig08b-3-reasonable"),
    )),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on the figures at fixed p/n, then those on the cost of privacy."""
    for figure in FIXED_RATIO:
        rows = evidence.select(figure.artefact, error_to="theta_star")
        yield from _constant(evidence, rows, figure)
        yield from _ada_ssp(evidence, rows, figure)
        yield from _order(rows, figure)
        yield _as_predicted(_grown(rows, "DP-GD"), figure.law, figure.artefact, "paper", figure.place)
    yield _ada_ssp_rate_at_large_n(evidence)
    for panel in PANELS:
        for curve in panel.curves:
            yield from _cost_of_privacy(evidence, panel, curve)
        yield _sampling_rate(evidence, panel)
    yield _author_profile(evidence)


def _constant(evidence: Evidence, rows: pd.DataFrame, figure: FixedRatio) -> Iterator[Claim]:
    for id, series in ((figure.dp_gd, "DP-GD"), (figure.ols, "OLS")):
        yield claim(
            id=id, artefact=figure.artefact, location=figure.place, kind="figure", source="paper",
            statement=f"{series} has constant error when p/n is fixed",
            quantity=SLOPE,
            measured=log_log_slope(_grown(rows, series), "p"), criterion=between(-CONSTANT, CONSTANT),
        )  # fmt: skip
    to_hat = evidence.select(figure.artefact, error_to="theta_hat")
    yield claim(
        id=figure.to_ols, artefact=figure.artefact, location=f"Sec. 4.1, {figure.place}", kind="figure", source="paper",
        statement="the error of DP-GD, as a distance to the OLS estimate, is constant when p/n is constant",
        quantity=f"log-log slope in p of the mean error to theta_hat, p >= {GROWN}",
        measured=log_log_slope(_grown(to_hat, "DP-GD"), "p"), criterion=between(-CONSTANT, CONSTANT),
    )  # fmt: skip


def _ada_ssp(evidence: Evidence, rows: pd.DataFrame, figure: FixedRatio) -> Iterator[Claim]:
    slope = log_log_slope(_grown(rows, "AdaSSP"), "p")
    yield claim(
        id=figure.grows, artefact=figure.artefact, location=f"Sec. 4.1, {figure.place}", kind="figure", source="paper",
        statement="in contrast, the error of AdaSSP grows with p",
        quantity=SLOPE,
        measured=slope, criterion=ABOVE_0,
    )  # fmt: skip
    yield claim(
        id=figure.root, artefact=figure.artefact, location=f"Sec. 4.1, {figure.place}", kind="figure", source="paper",
        statement="the error of AdaSSP grows as the square root of p",
        quantity=SLOPE,
        measured=slope, criterion=_power(evidence, "ada_ssp_rate", RATE),
        note="AdaSSP's bounds, delta and range of p are not given: with ours the ridge dominates and the error saturates at ||theta*|| = 1",
    )  # fmt: skip


def _order(rows: pd.DataFrame, figure: FixedRatio) -> Iterator[Claim]:
    matched = "AdaSSP (zCDP-matched)"
    cases: tuple[tuple[str, Source, str, str, str], ...] = (
        (figure.above_dp_gd, "paper", "the error of AdaSSP lies above that of DP-GD", "AdaSSP", "DP-GD"),
        (figure.matched, "ours", f"(at equal budget and relation) the error of {matched} lies above that of DP-GD", matched, "DP-GD"),
        (figure.above_ols, "paper", "the error of DP-GD lies above that of OLS", "DP-GD", "OLS"),
    )  # fmt: skip
    for id, source, statement, upper, lower in cases:
        yield every(
            id=id, artefact=figure.artefact, location=figure.place, kind="figure", source=source,
            statement=statement,
            quantity="smallest ratio of mean errors to theta* over p",
            cells=algebra.ratios(_series(rows, upper), _series(rows, lower), ["p"]), criterion=at_least(1.0, words="above 1"),
        )  # fmt: skip


def _as_predicted(rows: pd.DataFrame, id: str, artefact: str, source: Source, place: str) -> Claim:
    """The claim that the clipped algorithm's error is that of the exact law of Lemma 2.3, on the same data sets."""
    over_law = (algebra.over(row, pd.Series({"mean": row["predicted"], "se": math.nan})) for row in algebra.each(rows))
    return claim(
        id=id, artefact=artefact, location=f"Lemma 2.3, {place}", kind="theorem", source=source,
        statement="without clipping the iterate is Gaussian about theta_hat, with this mean and covariance",
        quantity="mean error over the law's expected error on the same data sets, geometric mean over the grid",
        measured=statistics.pooled(statistics.known(over_law)), criterion=between(1 - CLOSE, 1 + CLOSE),
        note="few gradients are clipped here, not none; the interval treats the law's value as exact",
    )  # fmt: skip


def _ada_ssp_rate_at_large_n(evidence: Evidence) -> Claim:
    rows = evidence.select("fig01", "n = 3000p", error_to="theta_star", series="AdaSSP")
    return claim(
        id="fig01-adassp-root-large-n", artefact="fig01", location="Sec. 4.1", kind="text", source="paper",
        statement="the error of AdaSSP depends on p^(3/2)/n, so at fixed p/n it grows as the square root of p",
        quantity="log-log slope in p of the mean error to theta* at n = 3000p",
        measured=log_log_slope(rows, "p"), criterion=_power(evidence, "ada_ssp_rate", RATE),
        note="at this size the ridge is nil; the rate is one of bounds, in which max|x_i|^2 counts as p",
    )  # fmt: skip


def _cost_of_privacy(evidence: Evidence, panel: Panel, curve: Curve) -> Iterator[Claim]:
    rows = evidence.select(panel.artefact, panel=panel.panel, clip_factor=curve.factor)
    location, threshold = f"Sec. 4.1, {panel.place}", f"gamma = {curve.factor:g} sqrt(p)"
    privacy = _series(rows, "privacy")
    yield claim(
        id=curve.rate, artefact=panel.artefact, location=location, kind="figure", source=curve.source,
        statement="the error due to privacy noise falls off with 1/n",
        quantity=f"log-log slope in n of the mean ||theta_T - theta_hat||, {threshold}",
        measured=log_log_slope(privacy, "n"), criterion=_power(evidence, "privacy_rate", RATE),
    )  # fmt: skip
    last = privacy["n"].max()
    yield claim(
        id=curve.dominates, artefact=panel.artefact, location=location, kind="figure", source=curve.source,
        statement="at larger sample sizes the non-private error dominates",
        quantity=f"mean privacy error over mean sampling error at n = {last}, the largest, {threshold}",
        measured=_privacy_over_sampling(rows, last), criterion=at_most(1.0, words="below 1"),
        note=f"{_crossing(rows)}; the grid was made to reach past the predicted crossing".removeprefix("; "),
    )  # fmt: skip
    yield _as_predicted(privacy, curve.law, panel.artefact, curve.source, f"{panel.place}, {threshold}")
    if not curve.reasonable:
        return
    n = rows[rows["n"] <= panel.regular]["n"].max()
    yield claim(
        id=curve.reasonable, artefact=panel.artefact, location=f"{panel.place}, Sec. 4.1", kind="figure", source=curve.source,
        statement="at reasonable sample sizes the error from sampling dominates the error due to privacy",
        quantity=f"mean privacy error over mean sampling error at n = {n}, {threshold}",
        measured=_privacy_over_sampling(rows, n), criterion=at_most(1.0, words="below 1"),
        note=f"'reasonable' is read as the range that the first author's public script plots (times ten at p = 100): up to {panel.regular}",
    )  # fmt: skip


def _sampling_rate(evidence: Evidence, panel: Panel) -> Claim:
    rows = evidence.select(panel.artefact, panel=panel.panel, clip_factor=5.0, series="sampling")
    return claim(
        id=panel.sampling, artefact=panel.artefact, location=f"Sec. 4.1, {panel.place}", kind="figure", source="paper",
        statement="the error due to sampling falls off with 1/sqrt(n)",
        quantity="log-log slope in n of the mean ||theta_hat - theta*||",
        measured=log_log_slope(rows, "n"), criterion=_power(evidence, "sampling_rate", SAMPLING_RATE),
    )  # fmt: skip


def _privacy_over_sampling(rows: pd.DataFrame, n: int) -> Estimate:
    return statistics.ratio(*(row_at(rows, n=n, series=series) for series in ("privacy", "sampling")))


def _crossing(rows: pd.DataFrame) -> str:
    """Where both errors are equal, by least squares of the log ratio on log n, for a note."""
    if rows["n"].nunique() < 2:
        return ""
    wide = rows.pivot_table(index="n", columns="series", values="mean")
    decay, offset = np.polyfit(np.log(wide.index), np.log(wide["privacy"] / wide["sampling"]), 1)
    return f"they are equal near n = {np.exp(-offset / decay):.3g}"


def _author_profile(evidence: Evidence) -> Claim:
    rows = evidence.select("ext_author_profile", panel="fig02", clip_factor=3.0)
    n = rows[rows["n"] <= PANELS[0].regular]["n"].max()
    return claim(
        id="fig02-author-dominates", artefact="ext_author_profile", location="Figure 2", kind="figure", source="ours",
        statement="(at the settings of the author's public script) at larger sample sizes the non-private error dominates",
        quantity=f"mean privacy error over mean sampling error at n = {n}, the end of that script's grid",
        measured=_privacy_over_sampling(rows, n), criterion=at_most(1.0, words="below 1"),
        note="3 sqrt(p), eta = 1/5, label noise of mean 1; whether the figure was made so is not known",
    )  # fmt: skip


def _power(evidence: Evidence, published: str, within: float) -> Criterion:
    """The criterion on an exponent: so near to the published one."""
    power = evidence.published[published]
    return between(power - within, power + within)


def _series(rows: pd.DataFrame, series: str) -> pd.DataFrame:
    return rows[rows["series"] == series]


def _grown(rows: pd.DataFrame, series: str) -> pd.DataFrame:
    """The rows of a series from the dimension on at which growth is judged."""
    return rows[(rows["series"] == series) & (rows["p"] >= GROWN)]
