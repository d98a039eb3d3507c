"""Claims about the cost of privacy against the sample size: Figures 2 and 8."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpdescent.papers.brown2024.bounds.cases import Experiment
from dpdescent.papers.brown2024.claims.accuracy import of_series, power
from dpdescent.papers.brown2024.claims.law import as_predicted
from dpdescent.papers.brown2024.claims.theory import TAILS
from dpdescent.papers.brown2024.reading import (
    COMPARABLE,
    GROWN,
    RATE,
    SAMPLING_RATE,
    START_UP,
    claim,
    every,
    over_readings,
)
from dpdescent.papers.brown2024.theory import errors
from dpdescent.replication.judging import algebra, statistics
from dpdescent.replication.judging.bound_rows import row_at
from dpdescent.replication.judging.criteria import at_least, at_most, between
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
NEW = "Added after a review."
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
    yield from _across(evidence)
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
    yield as_predicted(rows, curve.law, panel.artefact, curve.source, f"{panel.place}, {threshold}")
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
    """The n at which both errors are equal, by least squares of the log ratio on log n, as text for a note."""
    if rows["n"].nunique() < 2:
        return ""
    wide = rows.pivot_table(index="n", columns="series", values="mean")
    decay, offset = np.polyfit(np.log(wide.index), np.log(wide["privacy"] / wide["sampling"]), 1)
    return f"they are equal near n = {np.exp(-offset / decay):.3g}"


def _across(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims that compare the two figures, and those on the smallest n and on small failure probabilities."""
    two, eight = (evidence.select(name, panel="a", clip_factor=5.0) for name in ("fig02", "fig08"))
    larger, smaller = (Experiment(evidence, name, "", "a").value("rho") for name in ("fig02", "fig08"))
    settled = _start_up_over(Experiment(evidence, "fig02", "Figure 2", "a"), 5.0)
    private = of_series(two, "privacy")
    found = algebra.ratios(private[private["n"] <= settled], of_series(eight, "privacy"), ["n"])
    per_log = 1.0 / math.log(larger / smaller)
    yield every(
        id="privacy-rate-rho", artefact="fig02", location="Thm 2.7, Thm 1.2", kind="theorem", source="paper",
        statement="the error due to privacy falls off with 1/sqrt(rho)",
        quantity=f"exponent of rho from {smaller:g} to {larger:g} in the mean ||theta_T - theta_hat||, p = 10, farthest over n",
        cells={place: _logarithm(each, per_log) for place, each in found.items()},
        criterion=between(-0.5 - RATE, -0.5 + RATE), changed=NEW,
        note=f"Figures 2 and 8(a) share data sets and normals; n up to {settled:.3g}, beyond which the start shows at the larger budget",
    )  # fmt: skip
    yield _informal(evidence)
    first = two["n"].min()
    yield claim(
        id="fig02a-crosses", artefact="fig02", location="Figure 2", kind="figure", source="paper",
        statement="the curves cross: at small sample sizes the error due to privacy dominates",
        quantity=f"mean privacy error over mean sampling error at n = {first}, the smallest",
        measured=_privacy_over_sampling(two, first), criterion=at_least(1.0, words="above 1"), changed=NEW,
    )  # fmt: skip
    yield every(
        id="privacy-error-quantiles", artefact="fig02", location="Thm 2.7", kind="theorem", source="paper",
        statement="the error grows with the failure probability beta only as powers of ln(1/beta), at most the fourth",
        quantity="log-log slope in ln(1/beta) of the quantile of ||theta_T - theta_hat|| at 1 - beta, beta = 0.25 to 0.025, by n",
        cells=algebra.by(private, ["n"], _in_beta), criterion=at_most(4.0), changed=NEW, note="quantiles are taken as exact",
    )  # fmt: skip


def _logarithm(estimate: Estimate, scale: float) -> Estimate:
    return Estimate(*(scale * math.log(each) for each in (estimate.value, estimate.low, estimate.high)))


def _in_beta(rows: pd.DataFrame) -> Estimate:
    """The exponent of ln(1/beta) in the upper quantiles of one row."""
    row = rows.iloc[0]
    points = pd.DataFrame(
        [{"x": math.log(1.0 / beta), "mean": row[column], "se": 0.0} for column, beta in TAILS.items()]
    )  # fmt: skip
    return algebra.line(points, "x")


def _informal(evidence: Evidence) -> Claim:
    """Judges Theorem 1.2 by the constant that each of its two terms needs, over the figures on error."""
    one = evidence.select("fig01")
    one = one[one["p"] >= GROWN]
    curves = [
        (Experiment(evidence, "fig01", "", "all"), one[(one["series"] == "DP-GD") & (one["error_to"] == "theta_hat")],
         of_series(one, "OLS")),
    ]  # fmt: skip
    for panel in PANELS:
        rows = evidence.select(panel.artefact, panel=panel.panel, clip_factor=5.0)
        experiment = Experiment(evidence, panel.artefact, panel.place, panel.panel)
        curves.append((experiment, of_series(rows, "privacy"), of_series(rows, "sampling")))
    needed: dict[str, list[float]] = {"privacy": [], "sampling": []}
    for experiment, private, sampling in curves:
        needed["privacy"] += _constants(experiment, private, "privacy")
        needed["sampling"] += _constants(experiment, sampling, "sampling")
    return every(
        id="theorem-1.2", artefact="fig02", location="Thm 1.2, (1)", kind="theorem", source="paper",
        statement="with n of order p the error to theta* is at most of order sqrt(sigma^2 p / n) + sigma p / (sqrt(rho) n), up to logarithms",
        quantity="constant that a term needs: largest over smallest over n, p and rho of Figures 1, 2 and 8",
        cells={f"{name} term": algebra.spread(found) for name, found in needed.items()},
        criterion=at_most(COMPARABLE, ": one constant serves all"), changed=NEW,
        note="; ".join(f"{name}: {min(found):.3g} to {max(found):.3g}" for name, found in needed.items() if found)
        + "; the error to theta* is at most the sum of the errors to and of least squares",
    )  # fmt: skip


def _constants(experiment: Experiment, rows: pd.DataFrame, term: str) -> list[float]:
    """Mean errors over a term of (1) with constant 1; rows without a dimension of their own have the configured one."""
    found = []
    for row in algebra.each(rows):
        p = int(row["p"]) if "p" in row else experiment.value("p")
        n, rho = float(row["n"]), experiment.value("rho")
        order = p / (math.sqrt(rho) * n) if term == "privacy" else errors.sampling_error(n=n, p=p, sigma=1.0)
        found.append(float(row["mean"] / order))
    return found


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
