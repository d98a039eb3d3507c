"""Claims about error and dimension at a fixed ratio of p to n: Figures 1 and 9."""

from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from dpdescent.papers.brown2024.claims.law import LEVEL, as_predicted
from dpdescent.papers.brown2024.reading import (
    CONSTANT,
    GROWN,
    RATE,
    claim,
    every,
    over_readings,
)
from dpdescent.papers.brown2024.theory import errors
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import ABOVE_0, Criterion, at_least, between
from dpdescent.replication.judging.evidence import Claim, Evidence, Source
from dpdescent.replication.judging.records import Regime
from dpdescent.replication.judging.statistics import log_log_slope

# AdaSSP as it is commonly run, with public bounds, and at DP-GD's own budget and relation.
ADA_SSP = ("AdaSSP", "AdaSSP (public bounds)", "AdaSSP (zCDP-matched)")
RATED, PROJECTED = "AdaSSP (bounds as sqrt(p))", "projected descent"
NEW = "Added after a review."
BOUNDS = "AdaSSP's bounds and calibration"
BY_BOUNDS = "Before a review one way to run AdaSSP was judged, though none is stated."
SLOPE = f"log-log slope in p of the mean error to theta*, p >= {GROWN}"


class FixedRatio(NamedTuple):
    """A figure at fixed p/n, and the ids of its claims.

    Attributes:
        root_source: whose the claim on the root of p is: the paper says it of Figure 1.
    """

    artefact: str
    place: str
    dp_gd: str
    ols: str
    to_ols: str
    grows: str
    root: str
    root_source: Source
    above_dp_gd: str
    matched: str
    above_ols: str
    law: str


FIXED_RATIO = (
    FixedRatio(
        "fig01", "Figure 1", "fig01-dp-gd-constant", "fig01-ols-constant", "fig01-dp-gd-constant-to-ols",
        "fig01-adassp-grows", "fig01-adassp-root", "paper", "fig01-order-adassp", "fig01-order-matched", "fig01-order-ols", "fig01-law",
    ),
    FixedRatio(
        "fig09", "Figure 9", "fig09-dp-gd-constant", "fig09-ols-constant", "fig09-dp-gd-constant-to-ols",
        "fig09-adassp-grows", "fig09-adassp-root", "ours", "fig09-order-adassp", "fig09-order-matched", "fig09-order-ols", "fig09-law",
    ),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims by figure, then those at sizes where AdaSSP's ridge is nil."""
    for figure in FIXED_RATIO:
        rows = evidence.select(figure.artefact, error_to="theta_star")
        yield from _constant(evidence, rows, figure)
        yield from _ada_ssp(evidence, rows, figure)
        yield from _order(rows, figure)
        levels = evidence.select(figure.artefact, series=LEVEL)
        yield as_predicted(levels[levels["p"] >= GROWN], figure.law, figure.artefact, "paper", figure.place)
    yield from _at_large_n(evidence)


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
    slopes = {series: log_log_slope(_grown(rows, series), "p") for series in ADA_SSP}
    yield over_readings(
        id=figure.grows, artefact=figure.artefact, location=f"Sec. 4.1, {figure.place}", kind="figure", source="paper",
        statement="in contrast, the error of AdaSSP grows with p",
        quantity=SLOPE, found=slopes, criterion=ABOVE_0, unstated=BOUNDS, shown=slopes[ADA_SSP[0]], changed=BY_BOUNDS,
    )  # fmt: skip
    ours = "(ours, as the paper says of Figure 1) " if figure.root_source == "ours" else ""
    yield over_readings(
        id=figure.root, artefact=figure.artefact, location=f"Sec. 4.1, {figure.place}", kind="figure",
        source=figure.root_source, statement=f"{ours}in this plot the error of AdaSSP grows as the square root of p",
        quantity=SLOPE, found=slopes, criterion=power(evidence, "ada_ssp_rate", RATE), unstated=BOUNDS,
        shown=slopes[ADA_SSP[0]], changed=BY_BOUNDS,
        note="AdaSSP's bounds and delta are not given: with each of ours the ridge dominates at n = 100p, and the error "
        "saturates at ||theta*|| = 1, that of the estimate 0",
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
            cells=algebra.ratios(of_series(rows, upper), of_series(rows, lower), ["p"]), criterion=at_least(1.0, words="above 1"),
        )  # fmt: skip


def _at_large_n(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims at n = 3000p, where AdaSSP's ridge is nil: the order, growth, and its rate."""
    rows = evidence.select("fig01", "n = 3000p", error_to="theta_star")
    found = {
        f"{series}, {place}": each for series in ADA_SSP
        for place, each in algebra.ratios(of_series(rows, series), of_series(rows, "DP-GD"), ["p"]).items()
    }  # fmt: skip
    yield over_readings(
        id="fig01-order-large-n", artefact="fig01", location="Figure 1", kind="figure", source="ours",
        statement="(ours, at n = 3000p and twenty steps) the error of AdaSSP lies above that of DP-GD",
        quantity="ratio of mean errors to theta*", found=found, criterion=at_least(1.0, words="above 1"),
        unstated=f"{BOUNDS}, and p", changed=NEW, note="ten steps leave a start-up error of 0.056, above AdaSSP's whole error",
    )  # fmt: skip
    table = evidence.select("ext_large_dimension")
    rated, common = of_series(table, RATED), [name for name in ADA_SSP if (table["series"] == name).any()]
    yield claim(
        id="fig01-adassp-root-large-n", artefact="ext_large_dimension", location="Sec. 4.1", kind="text", source="paper",
        statement="the error of AdaSSP depends on p^(3/2)/n, so at fixed p/n it grows as the square root of p",
        quantity="log-log slope in p of the mean error to theta* at n = 3000p, bound of |x| a multiple of sqrt(p)",
        measured=algebra.exponent(rated, "p"), criterion=power(evidence, "ada_ssp_rate", RATE),
        changed="Before a review it was judged at bounds and dimensions at which the square of a bound does not count as p.",
        note="at this size the ridge is nil; the rate is one of bounds, in which the square of the bound of |x| counts as p",
    )  # fmt: skip
    slopes = {name: algebra.exponent(of_series(table, name), "p") for name in common}
    yield over_readings(
        id="adassp-grows-large-n", artefact="ext_large_dimension", location="Sec. 4.1", kind="text", source="ours",
        statement="(ours, at n = 3000p) the error of AdaSSP as commonly run grows with p",
        quantity="log-log slope in p of the mean error to theta*", found=slopes, criterion=ABOVE_0, unstated=BOUNDS, changed=NEW,
    )  # fmt: skip
    yield _commonly_run(evidence, table, common)
    yield _projected(evidence, of_series(table, PROJECTED))
    yield claim(
        id="dp-gd-constant-large-p", artefact="ext_large_dimension", location="Figure 1", kind="text", source="ours",
        statement="(ours, without clipping) DP-GD has constant error to p = 1280 when p/n is fixed",
        quantity="log-log slope in p of the mean error to theta* at n = 3000p",
        measured=algebra.exponent(of_series(table, "DP-GD"), "p"), criterion=between(-CONSTANT, CONSTANT), changed=NEW,
    )  # fmt: skip


def _projected(evidence: Evidence, rows: pd.DataFrame) -> Claim:
    """Judges projected descent where its bound on gradients counts as p, as the rate supposes."""
    rate, given = evidence.published["ada_ssp_rate"], evidence.spec["artefacts"]["ext_large_dimension"]["arms"]
    grown = errors.projected_grown(
        exponent=rate - RATE, bound_factor=given["bound_factor"], bound_y=evidence.settings["bound_y"]
    )  # fmt: skip
    slope = algebra.exponent(rows[rows["p"] >= grown], "p")
    return claim(
        id="projected-descent-root", artefact="ext_large_dimension", location="Sec. 1.4", kind="text", source="paper",
        statement="clipping covariates and responses and projecting iterates leads to n of order p^(3/2): at fixed p/n the error grows as sqrt(p)",
        quantity=f"log-log slope in p of the mean error to theta* at n = 3000p, p >= {grown:.0f}",
        measured=slope, criterion=power(evidence, "ada_ssp_rate", RATE), changed=NEW,
        note="records within Bx and By, iterates within the unit ball: gradients of Bx (Bx + By) at most, which counts as p "
        f"where Bx is large beside By = {evidence.settings['bound_y']:g}; the paper quotes the rate",
    )  # fmt: skip


def _commonly_run(evidence: Evidence, table: pd.DataFrame, common: list[str]) -> Claim:
    """Judges the rate for AdaSSP as commonly run, whose bounds count as sqrt(p) only where p is far larger."""
    rate, margin = evidence.published["ada_ssp_rate"], evidence.settings["bound_margin"]
    grown = errors.adassp_grown(exponent=rate - RATE, margin=margin)
    inside = table[table["p"] >= grown]
    enough = inside["p"].nunique() >= algebra.POINTS
    rows = inside if enough else table
    upper = rows[rows["p"] >= rows["p"].max() / 4]
    local = {name: algebra.exponent(of_series(upper, name), "p").value for name in common}
    made = over_readings(
        id="adassp-root-commonly-run", artefact="ext_large_dimension", location="Sec. 4.1", kind="text", source="ours",
        statement="(ours, at n = 3000p) the error of AdaSSP as commonly run grows as the square root of p",
        quantity="log-log slope in p of the mean error to theta*",
        found={name: algebra.exponent(of_series(rows, name), "p") for name in common},
        criterion=power(evidence, "ada_ssp_rate", RATE), unstated=BOUNDS, changed=NEW,
        note=f"over the largest quarter of p the slopes are {algebra.listed(local.items(), '.2f')}" if local else "",
    )  # fmt: skip
    if enough or made.verdict == "not testable":
        return made
    largest = table["p"].max()
    unmet = (
        f"p >= {grown:.0f}, from which Bx^2 sqrt(p)/n with Bx = sqrt(p) + {margin:g} has an exponent within {RATE} of "
        f"{rate}, at {algebra.POINTS} dimensions; at p = {largest} it is {errors.adassp_exponent(p=largest, margin=margin):.2f}"
    )
    return Regime((unmet,)).applied(made)


def power(evidence: Evidence, published: str, within: float) -> Criterion:
    """The criterion that an exponent is within so much of the published one."""
    power = evidence.published[published]
    return between(power - within, power + within)


def of_series(rows: pd.DataFrame, series: str) -> pd.DataFrame:
    return rows[rows["series"] == series]


def _grown(rows: pd.DataFrame, series: str) -> pd.DataFrame:
    """The rows of a series from the dimension on at which growth is judged."""
    return rows[(rows["series"] == series) & (rows["p"] >= GROWN)]
