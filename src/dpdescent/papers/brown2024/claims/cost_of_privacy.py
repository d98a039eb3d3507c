"""Claims about the cost of privacy against the sample size: Figures 2 and 8."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpdescent.papers.brown2024.bounds.cases import Experiment
from dpdescent.papers.brown2024.claims.accuracy import as_predicted, of_series, power
from dpdescent.papers.brown2024.reading import RATE, SAMPLING_RATE, START_UP, claim, over_readings
from dpdescent.papers.brown2024.theory import errors
from dpdescent.replication.judging import statistics
from dpdescent.replication.judging.bound_rows import row_at
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Claim, Evidence, Source
from dpdescent.replication.judging.statistics import Estimate, log_log_slope


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
# Id, panel of ext_author_profile, place in the paper, the largest n of the script (times ten at p = 100), statement.
LARGER, REASONABLE = (
    "at larger sample sizes the non-private error dominates",
    "at reasonable sample sizes the error from sampling dominates the error due to privacy",
)
AUTHOR = (
    ("fig02-author-dominates", "fig02", "Figure 2", 5000, LARGER),
    ("fig08a-author-reasonable", "a", "Figure 8a", 35_000, REASONABLE),
    ("fig08b-author-reasonable", "b", "Figure 8b", 350_000, REASONABLE),
)


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims by panel, then those at the settings of the author's public script."""
    for panel in PANELS:
        for curve in panel.curves:
            yield from _cost_of_privacy(evidence, panel, curve)
        yield _sampling_rate(evidence, panel)
    yield from _author_profile(evidence)


def _cost_of_privacy(evidence: Evidence, panel: Panel, curve: Curve) -> Iterator[Claim]:
    rows = evidence.select(panel.artefact, panel=panel.panel, clip_factor=curve.factor)
    location, threshold = f"Sec. 4.1, {panel.place}", f"gamma = {curve.factor:g} sqrt(p)"
    privacy = of_series(rows, "privacy")
    noisy = _start_up_over(Experiment(evidence, panel.artefact, panel.place, panel.panel), curve.factor)
    yield claim(
        id=curve.rate, artefact=panel.artefact, location=location, kind="figure", source=curve.source,
        statement="the error due to privacy noise falls off with 1/n",
        quantity=f"log-log slope in n of the mean ||theta_T - theta_hat||, {threshold}, n <= {noisy:.3g}",
        measured=log_log_slope(privacy[privacy["n"] <= noisy], "n"), criterion=power(evidence, "privacy_rate", RATE),
        changed="Before a review sizes were included at which what T steps leave of the start bends the line.",
        note=f"up to there the start-up error (1 - eta)^T, which no n reduces, is at most a third of the noise; over all n "
        f"the slope is {log_log_slope(privacy, 'n').value:.3f}{_ten_steps(evidence, panel, curve.factor)}",
    )  # fmt: skip
    last = privacy["n"].max()
    yield claim(
        id=curve.dominates, artefact=panel.artefact, location=location, kind="figure", source=curve.source,
        statement=LARGER,
        quantity=f"mean privacy error over mean sampling error at n = {last}, the largest, {threshold}",
        measured=_privacy_over_sampling(rows, last), criterion=at_most(1.0, words="below 1"),
        note=f"{_crossing(rows)}; the grid was made to reach past the predicted crossing".removeprefix("; "),
    )  # fmt: skip
    yield as_predicted(privacy, curve.law, panel.artefact, curve.source, f"{panel.place}, {threshold}")
    if curve.reasonable:
        yield _reasonable(rows, panel, curve, threshold)


def _start_up_over(experiment: Experiment, factor: float) -> float:
    """The n up to which the error to least squares is due to noise."""
    given = {symbol: experiment.value(symbol) for symbol in ("p", "rho", "T", "eta")}
    return errors.start_up_over(**given, k=factor, share=START_UP)


def _ten_steps(evidence: Evidence, panel: Panel, factor: float) -> str:
    """What ten steps in place of twenty do, for a note, where that variant was run."""
    rows = evidence.select(panel.artefact, "ten iterations", panel=panel.panel, clip_factor=factor, series="privacy")
    slope = log_log_slope(rows, "n").value
    said = f"; with ten steps, as in Figure 1, it is {slope:.2f}, because the start-up error is {errors.remaining_bias(T=10, eta=errors.ETA):.3f}"
    return "" if math.isnan(slope) else said


def _reasonable(rows: pd.DataFrame, panel: Panel, curve: Curve, threshold: str) -> Claim:
    """Judges "reasonable" at two readings: where the script's grid ends, and where ours does."""
    ends = {rows[rows["n"] <= panel.regular]["n"].max(), rows["n"].max()}
    return over_readings(
        id=curve.reasonable, artefact=panel.artefact, location=f"{panel.place}, Sec. 4.1", kind="figure", source=curve.source,
        statement=REASONABLE,
        quantity=f"mean privacy error over mean sampling error, {threshold}",
        found={f"n = {n:g}": _privacy_over_sampling(rows, n) for n in sorted(ends - {math.nan})},
        criterion=at_most(1.0, words="below 1"), unstated="the reasonable n",
        changed="Before a review it was judged at the end of the script's grid alone, though no range is stated.",
        note=f"the first author's public script plots n up to {panel.regular} (times ten at p = 100); beyond, the grid is ours",
    )  # fmt: skip


def _sampling_rate(evidence: Evidence, panel: Panel) -> Claim:
    rows = evidence.select(panel.artefact, panel=panel.panel, clip_factor=5.0, series="sampling")
    return claim(
        id=panel.sampling, artefact=panel.artefact, location=f"Sec. 4.1, {panel.place}", kind="figure", source="paper",
        statement="the error due to sampling falls off with 1/sqrt(n)",
        quantity="log-log slope in n of the mean ||theta_hat - theta*||",
        measured=log_log_slope(rows, "n"), criterion=power(evidence, "sampling_rate", SAMPLING_RATE),
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


def _author_profile(evidence: Evidence) -> Iterator[Claim]:
    for id, panel, place, regular, words in AUTHOR:
        rows = evidence.select("ext_author_profile", panel=panel, clip_factor=3.0)
        n = rows[rows["n"] <= regular]["n"].max()
        yield claim(
            id=id, artefact="ext_author_profile", location=place, kind="figure", source="ours",
            statement=f"(at the settings of the author's public script) {words}",
            quantity=f"mean privacy error over mean sampling error at n = {n}, the end of that script's grid",
            measured=_privacy_over_sampling(rows, n), criterion=at_most(1.0, words="below 1"),
            note="3 sqrt(p), eta = 1/5, label noise of mean 1; whether the figure was made so is not known",
        )  # fmt: skip
