"""Claims about linear regression: Theorem 2.2 and its remarks at the settings of Figure 2."""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.choquettechoo2023.claims import quantities
from dpdescent.papers.choquettechoo2023.claims.regression import FTRL, GRIDS, OPTIMUM, PLACE, SGD, VANISHING, points
from dpdescent.papers.choquettechoo2023.reading import EQUAL, NEAR_OPTIMAL, RATE, SAME_ORDER, claim, every, rows
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import BELOW_0, about, at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence

EVERYWHERE = ["main", VANISHING, *(name for names in GRIDS.values() for name in names)]


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges the bounds of Theorem 2.2, then what the learning rate and label noise do."""
    yield from _bounds(evidence)
    yield from _improvement(evidence)
    yield from _vanishing_rate(evidence)
    yield from _label_noise(evidence)


def _once(everywhere: pd.DataFrame, series: str, kind: str = "bound") -> pd.DataFrame:
    """The rows of a series on all grids, without repeated places."""
    return everywhere[(everywhere["kind"] == kind) & (everywhere["series"] == series)].drop_duplicates(PLACE)


def _bounds(evidence: Evidence) -> Iterator[Claim]:
    everywhere = pd.concat([rows(evidence, "fig02", each) for each in EVERYWHERE])
    exact = {series: _once(everywhere, series, "exact") for series in (SGD, FTRL, OPTIMUM)}
    lower = _once(everywhere, "lower bound (C.18)")
    yield every(
        id="theorem-2.2-lower", artefact="fig02", location="Thm 2.2, C.18", kind="theorem", source="paper",
        statement="for all beta with finite l1 norm, F_inf is at least the lower bound (its explicit form in C.18)",
        quantity="exact infimum over all beta, over the lower bound: the smallest ratio",
        cells=algebra.ratios(exact[OPTIMUM], lower, PLACE), criterion=at_least(1.0, words="at least 1"),
        note="C.18 is stated without the 1/2 of (8); both sides are taken with it",
    )  # fmt: skip
    both = pd.concat([exact[SGD], exact[FTRL]])
    upper = pd.concat([_once(everywhere, f"upper bound (C.15), {each}").assign(series=each) for each in (SGD, FTRL)])
    loose = [each.value for each in algebra.ratios(upper, both, ["series", *PLACE]).values()]
    yield every(
        id="theorem-c.15", artefact="fig02", location="Thm C.15, Thm 2.2", kind="theorem", source="paper",
        statement="for eta < 1/R^2 F_inf is at most the upper bound",
        quantity="exact F_inf over the upper bound: the largest ratio over Noisy-SGD and nu-Noisy-FTRL",
        cells=algebra.ratios(both, upper, ["series", *PLACE]), criterion=at_most(1.0, words="at most 1"),
        note=f"the bound is {min(loose):.3g} to {max(loose):.3g} times the value" if loose else "",
    )  # fmt: skip
    yield every(
        id="near-optimal", artefact="fig02", location="Abstract, Sec. 2.2", kind="text", source="paper",
        statement="near-optimality of nu-Noisy-FTRL (nu = eta mu)",
        quantity="its exact F_inf over the infimum over all beta: the largest ratio over d, spectra and learning rates",
        cells=algebra.ratios(exact[FTRL], exact[OPTIMUM], PLACE), criterion=at_most(NEAR_OPTIMAL),
        note="a factor of two is our reading of the word at these settings; the theorem has logarithms",
    )  # fmt: skip
    yield every(
        id="provable-gap", artefact="fig02", location="Abstract, Sec. 1.3 (b), Thm 2.2", kind="text", source="paper",
        statement="nu-Noisy-FTRL is provably better than Noisy-SGD",
        quantity="exact F_inf of Noisy-SGD over that of nu-Noisy-FTRL: the smallest ratio",
        cells=algebra.ratios(exact[SGD], exact[FTRL], PLACE), criterion=at_least(1.0 + EQUAL, words="above 1"),
    )  # fmt: skip


def _improvement(evidence: Evidence) -> Iterator[Claim]:
    for id, axis, words in (
        ("table1-better-eta", "eta", "at smaller learning rate"),
        ("table1-better-d-eff", "d_eff", "when the effective dimension is small"),
    ):
        upper, lower = (points(evidence, series, axis) for series in (SGD, FTRL))
        gain = upper.merge(lower[[*PLACE, "mean"]], on=PLACE, suffixes=("", "_ftrl"))
        gain = gain.assign(mean=gain["mean"] / gain["mean_ftrl"], se=math.nan)
        yield claim(
            id=id, artefact="fig02", location="Table 1, caption", kind="table", source="paper",
            statement=f"Noisy-FTRL is significantly better than Noisy-SGD {words}",
            quantity=f"log-log slope in {axis} of the exact F_inf of Noisy-SGD over that of nu-Noisy-FTRL",
            measured=algebra.exponent(gain, axis), criterion=BELOW_0,
            note=f"ratio {quantities.first_and_last(gain, axis)}",
        )  # fmt: skip


def _vanishing_rate(evidence: Evidence) -> Iterator[Claim]:
    yield claim(
        id="theorem-2.2-sgd-eta", artefact="fig02", location="Thm 2.2, Table 1", kind="theorem", source="paper",
        statement="F_inf of Noisy-SGD is Theta(eta d G^2 / rho): its exponent of eta is 1",
        quantity=f"log-log slope of the exact F_inf in eta, {VANISHING}",
        measured=algebra.exponent(points(evidence, SGD, "eta", variant=VANISHING), "eta"), criterion=about(1.0, RATE),
    )  # fmt: skip
    exact = points(evidence, FTRL, "eta", variant=VANISHING)
    order = points(evidence, f"{FTRL} order with log", "eta", "bound", VANISHING)
    falling = exact.sort_values("eta", ascending=False)
    slope, of_order = (algebra.line(table, "eta").value for table in (exact, order))
    yield claim(
        id="theorem-2.2-ftrl-eta", artefact="fig02", location="Thm 2.2", kind="theorem", source="paper",
        statement="F_inf of nu-Noisy-FTRL is at most C eta^2 G^2 log^2(1/nu) Tr H / rho, as eta -> 0",
        quantity="exact F_inf over that order as eta falls: its largest value over its first",
        measured=algebra.growth(each.value for each in algebra.ratios(falling, order, PLACE).values()), criterion=at_most(SAME_ORDER),
        note=f"log-log slope in eta {slope:.3g}, of the order with its logarithm {of_order:.3g}; printed for larger eta: {evidence.published['slopes']['ftrl_eta']:g}",
    )  # fmt: skip


def _label_noise(evidence: Evidence) -> Iterator[Claim]:
    """Judges what label noise adds, which the theorems keep apart from the term in 1/rho."""
    noise, others = _added(evidence, SGD), pd.concat([_added(evidence, series) for series in (FTRL, OPTIMUM)])
    yield every(
        id="label-noise-same", artefact="fig02", location="Sec. 2.2", kind="text", source="identity",
        statement="the effect of the noise of the linear model is the same across all choices of the noise coefficients",
        quantity="what label noise adds to the exact F_inf, over what it adds for Noisy-SGD: the point that is furthest off",
        cells=algebra.ratios(others, noise, PLACE, ["series", *PLACE]), criterion=about(1.0, EQUAL),
        note="an identity of the exact formulas; they are checked by simulation in the tests only",
    )  # fmt: skip
    yield claim(
        id="label-noise-order", artefact="fig02", location="Thm 2.2", kind="theorem", source="paper",
        statement="the term of the linear model's noise is Theta(eta sigma_sgd^2 Tr H)",
        quantity="what label noise adds to the exact F_inf, over eta Tr H: largest over smallest over all points",
        measured=algebra.spread(noise["mean"] / (noise["eta"] * noise["d_eff"])), criterion=at_most(SAME_ORDER),
    )  # fmt: skip


def _added(evidence: Evidence, series: str) -> pd.DataFrame:
    """The exact F_inf with label noise less that without, by place."""
    noisy, plain = (
        rows(evidence, "fig02", variant, kind="exact", series=series) for variant in ("label noise of sd 1", "main")
    )
    both = noisy.merge(plain[[*PLACE, "mean"]], on=PLACE, suffixes=("", "_plain"))
    return both.assign(mean=both["mean"] - both["mean_plain"], se=math.nan)
