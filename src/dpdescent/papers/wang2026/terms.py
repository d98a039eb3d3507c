"""Claims about Theorem 4.1 inside its window: its bound and similar ones up to a constant, and its terms one by one.

A whole bound, and each of its terms, is judged by the exponent of the measured value in it: an upper bound that falls is
followed by an exponent of 1, and one that grows is not outgrown by it. Risks at their ceiling do not show it.
"""

import math
from collections.abc import Iterator, Sequence
from functools import partial

import pandas as pd

from dpdescent.papers.wang2026 import rates
from dpdescent.papers.wang2026.by_seed import CEILING, Seeds
from dpdescent.papers.wang2026.criteria import (
    ANY_EXPONENT,
    ANY_VALUE,
    LOGARITHMS,
    SAME_ORDER,
    claim,
    claim_on_all_cells,
    follows,
    in_window,
    no_faster,
    one_of,
    range_of,
    regime,
    rows,
    run_of,
    scale,
    seeds,
    times,
)
from dpdescent.papers.wang2026.rates import Rate
from dpdescent.papers.wang2026.setting import ADDED, BY_BATCHES, BY_NOISE, EMPIRICAL, POPULATION
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence, Source
from dpdescent.replication.judging.records import HIDDEN, HIDDEN_ACCUSED, Regime
from dpdescent.replication.judging.statistics import NOTHING, Estimate, mean_of

WINDOW = "ext_window"
PAIRED = "Until a second list of objections seeds were taken for independent, and bounds that do not fall along T were fitted too, in which a risk has no exponent; an interval that straddles the criterion was put down to the constant."
ONE_PLACE = "Until a referee objected one constant was asked to serve at the one or two places where the bound is below log 2, which tells no power."
FIXED = ("panel", "n", "B", "m", "d", "jitter", "eta", "kappa", "lam")
PLACE = ("panel", "n", "B", "T", "m", "d", "jitter", "eta", "kappa", "lam")
SATURATED = "At first places were compared at which risks are near log 2, their ceiling; then one constant, within a factor of four, was asked to serve along the axis, which a risk that falls as the root of the term meets too."
TWICE = "Until a referee objected the quarter that stands for hidden logarithms was allowed although the rate has its logarithms in it."
NO_ROOM = "Until a further reading it was reproduced, though no growth up to log 2 would have failed."
TWO_RISKS = "Until a review a group of two risks counted, whose slope is of one place, where the claims on whole bounds ask for three."
ANY_FALL = "Before a review the place of the narrowest margin was the reference, against which any growth passed."
FROM_NARROW = "Until a review runs counted that are narrower than Theorem 5.2 asks for; their values were known."
FROM_OUTSIDE = "Before a review runs outside of the theorem's conditions were looked at, which decide nothing."
# Id, location, words, whether there is noise, whether it is correlated, and whether the risk is the population's.
BOUNDS = (
    ("theorem-4.1-order", "Theorem 4.1", "A_corr", True, True, False),
    ("theorem-d.14-order", "Theorem D.14", "A_van", True, False, False),
    ("theorem-e.1-order", "Theorem E.1", "A_non", False, False, False),
    ("theorem-5.2-order", "Theorem 5.2, Theorem C.23", "(1 + eta T/n) A_corr", True, True, True),
    ("theorem-d.16-order", "Theorem D.16", "(1 + eta T/n) A_van", True, False, True),
    ("theorem-e.1-population", "Theorem E.1", "(1 + eta T/n) A_non", False, False, True),
)
# Id, source, axis, the column that is fixed along it, words for the power.
STARTS: tuple[tuple[str, Source, str, str, str], ...] = (
    ("iterations-term", "paper", "T", "eta", "falls as 1/(eta T) in the number of steps"),
    ("step-term", "ours", "eta", "T", "falls as 1/(eta T) in the step"),
)
# Ranges of multipliers, and claims on slopes: id, panel, series, axis, grouping columns, range, largest slope, words.
LITTLE, MUCH = (0.0, 5.0), (9.0, 1e3)
SLOPES = (
    ("batch-term", "batches", BY_BATCHES, "B", ("eta",), (-1.0, 5.0), -0.5, "the linear batch term is 1/(gamma sqrt(BT))"),
    ("noise-term-multiplier", "multiplier", BY_NOISE, "kappa", ("lam",), LITTLE, 1.0, "the linear noise term is proportional to kappa"),
    ("noise-term-batch", "batch size", BY_NOISE, "B", ("lam",), LITTLE, -1.0, "the linear noise term is proportional to kappa/B"),
    ("noise-term-steps", "steps", BY_NOISE, "T", ("lam",), LITTLE, -0.5, "the linear noise term is proportional to 1/sqrt(T)"),
    ("noise-quadratic-multiplier", "multiplier", ADDED, "kappa", ("lam",), MUCH, 2.0, "the quadratic noise term is proportional to kappa^2"),
    ("noise-width", "noise by width", BY_NOISE, "m", ("lam",), MUCH, 1.0, "the quadratic noise term is proportional to m d"),
    ("noise-dimension", "noise by dimension", BY_NOISE, "d", ("lam",), MUCH, 1.0, "the quadratic noise term is proportional to m d"),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on whole bounds, then the claims on their terms."""
    yield from _bounds(evidence)
    yield from _starts(evidence)
    yield from _slopes(evidence)
    yield from _sizes(evidence)
    yield from _correlation(evidence)


def _rate(row: "pd.Series[float]", *, logs: bool = True) -> Rate:
    """The terms of the bound at a row; 0 where they are not known."""
    run = run_of(row)
    if run is None:
        return Rate(0.0, 0.0, 0.0, 0.0, 0.0)
    return rates.correlated(run, logs=logs) if run.lam > 0 else rates.independent(run, logs=logs)


def total(row: "pd.Series[float]", *, of_population: bool = False) -> float:
    """The bound on the empirical or the population risk, with its logarithms; 0 where it is not known."""
    run, empirical = run_of(row), _rate(row).total
    return rates.population(run, empirical) if of_population and run is not None else empirical


def of_kind(table: pd.DataFrame, noisy: bool, correlated: bool) -> pd.DataFrame:
    """Rows with or without noise, and with or without correlation."""
    kappa, lam = algebra.floats(table, "kappa"), algebra.floats(table, "lam")
    return table[((kappa > 0) == noisy) & ((lam > 0) == correlated)]


def _bounds(evidence: Evidence) -> Iterator[Claim]:
    for name, place, words, noisy, correlated, tested in BOUNDS:
        table = of_kind(rows(evidence, WINDOW, series=POPULATION if tested else EMPIRICAL), noisy, correlated)
        # The widest networks are left out, because their noise is meant to leave the ball and the window.
        table = in_window(table[table["panel"] != "wide networks"])
        table = table.assign(bound=[total(row, of_population=tested) for row in algebra.rows_of(table)])
        falling = table[(table["bound"] > 0) & (algebra.floats(table, "mean") <= CEILING)]
        telling = [row for row in algebra.rows_of(table) if 0 < row["bound"] < math.log(2.0)]
        exponents = algebra.measured_by(falling, list(FIXED), partial(_along_steps, evidence, tested))
        # A risk that falls with the root of the bound has the exponent 1/2.
        yield claim_on_all_cells(
            id=name, artefact=WINDOW, location=place, kind="theorem", source="paper",
            statement=f"the averaged {'population' if tested else 'empirical'} risk is at most {words}, up to a constant and logarithms{_little_noise(falling) if noisy else ''}",
            quantity=f"exponent of the averaged risk in the whole bound with its logarithms, along T at three numbers of steps or more, over the same seeds where these are listed, risks up to log(2)/2 and bounds that fall: the smallest over {', '.join(FIXED)}",
            cells=exponents, criterion=follows("the bound"), regime=HIDDEN, changed=f"{FROM_OUTSIDE} {ONE_PLACE} {HIDDEN_ACCUSED} {PAIRED} {TWICE}",
            note=f"{len(table)} places inside the window, where bounds are {range_of(table['bound'])}; {_at_constant_1(telling, noisy)}. {_one_curve(evidence)}. {ANY_EXPONENT}. The other parameters are judged term by term, of runs by the claims that end in -term, and of the formulas by theorem-4.1-follows and its siblings",
        )  # fmt: skip


def _along_steps(evidence: Evidence, of_population: bool, group: pd.DataFrame) -> Estimate:
    """The exponent of the risks of a group in their bound; `NOTHING` of few steps, or where the bound does not fall."""
    group = group.sort_values("T")
    if len(group) < algebra.POINTS or not (group["bound"].diff().dropna() < 0).all():
        return NOTHING
    where = {name: group[name].iloc[0] for name in FIXED if pd.notna(group[name].iloc[0])}
    listed = seeds(evidence, WINDOW, POPULATION if of_population else EMPIRICAL, "T", **where)
    chosen = listed.where(listed.places["T"].isin(group["T"]).to_numpy(dtype=bool))
    if len(chosen.values) and len(chosen.places) == len(group):
        return chosen.exponent(scale(chosen, partial(total, of_population=of_population)))
    return algebra.exponent(group, "bound")


def _one_curve(evidence: Evidence) -> str:
    """Text for a note on how far the empirical risks of the long runs with noise are from those without."""
    table = rows(evidence, WINDOW, panel="long runs", series=EMPIRICAL)
    noisy = algebra.floats(table, "kappa") > 0
    pairs = algebra.paired_rows(table[noisy], table[~noisy], ("T",))
    apart = max((abs(row["mean"] / plain["mean"] - 1.0) for row, plain in pairs if plain["mean"] > 0), default=math.nan)
    return f"Long runs with noise of both kinds and without differ by at most {100.0 * apart:.2g} % in empirical risk, so that the claims on Theorems 4.1, D.14 and E.1 show one curve there"


def _little_noise(falling: pd.DataFrame) -> str:
    """The end of a statement that is judged at little noise only: the largest share of the bound that it has there."""
    groups = [group for _, group in falling.groupby(list(FIXED), dropna=False) if len(group) >= algebra.POINTS]
    judged = [_rate(row) for group in groups for row in algebra.rows_of(group)]
    shares = [(rate.linear + rate.quadratic) / rate.total for rate in judged if rate.total > 0]
    return (
        f"; of runs with so little noise that it is at most {100.0 * max(shares):.2g} % of the bound" if shares else ""
    )


def _at_constant_1(telling: "list[pd.Series[float]]", noisy: bool) -> str:
    """Text for a note on the places at which a bound with constants 1 says something, and on the noise's share there."""
    ratios = range_of(float(row["mean"]) / float(row["bound"]) for row in telling)
    text = f"with constants 1 the risk is {ratios} of it where it is below log 2"
    if not noisy:
        return text
    shares = [(rate.linear + rate.quadratic) / rate.total for rate in map(_rate, telling) if rate.total > 0]
    return f"{text}, and noise is a share of {range_of(shares)} of it there: that bound is one on gradient descent"


def _starts(evidence: Evidence) -> Iterator[Claim]:
    statement = "without noise and with all records in a batch the bound is its comparator term, which"
    table = rows(evidence, WINDOW, panel="iterations", series=EMPIRICAL)
    for name, source, axis, fixed, words in STARTS:
        exponents: Places = {}
        for value in sorted(set(table[fixed].dropna())):
            risks = seeds(evidence, WINDOW, EMPIRICAL, axis, panel="iterations", **{fixed: value}).below_ceiling()
            if len(risks.places) >= algebra.POINTS:
                exponents[f"{fixed} = {value:g}"] = risks.exponent(scale(risks, _start))
        yield claim_on_all_cells(
            id=name, artefact=WINDOW, location="App. E (full-batch GD)", kind="theorem", source=source,
            statement=f"{'(ours) ' * (source == 'ours')}{statement} {words}",
            quantity=f"exponent of the averaged empirical risk in that term with log^2 T + log(n/delta), along {axis} over the same seeds, at three risks or more up to log(2)/2: the smallest over {fixed}",
            cells=exponents, criterion=follows("the term"), regime=regime(table).otherwise(HIDDEN),
            changed=f"{FROM_OUTSIDE if name == 'iterations-term' else ''} {SATURATED} {TWICE} {TWO_RISKS}".strip(),
            note=f"margins {range_of(table['gamma'])}, {fixed} {', '.join(place.removeprefix(f'{fixed} = ') for place in exponents)}; risks hang on eta T alone, so that both terms are one fact, and log^2 T is credited along T only. {ANY_EXPONENT}",
        )  # fmt: skip
    risks = seeds(evidence, WINDOW, EMPIRICAL, "jitter", panel="margin")
    yield claim(
        id="margin-term", artefact=WINDOW, location="Theorem 4.1, Theorem E.1", kind="theorem", source="paper",
        statement=f"{statement} grows as 1/gamma^2 with the margin",
        quantity="exponent of the averaged empirical risk in that term, along the margin over the same seeds", measured=risks.exponent(scale(risks, _start)),
        criterion=no_faster("the term"), regime=room_along_margin(risks).otherwise(regime(rows(evidence, WINDOW, panel="margin", series=EMPIRICAL))),
        changed=f"{SATURATED} {ANY_FALL} {TWICE} {NO_ROOM}", note=f"margins {range_of(risks.places['gamma'])}, risks {range_of(risks.means)}",
    )  # fmt: skip


def room(risk: float, factor: float, grown: str) -> Regime:
    """The regime in which a risk has room to grow by a factor below log 2, the loss of an output of 0."""
    told = f"{grown} would be {risk * factor:.2g}, above log 2"
    return Regime((told,) if risk * factor > math.log(2.0) else (), because="no faster growth would show")


def room_along_margin(measured: Seeds) -> Regime:
    """The regime in which risks have room to grow along the margin as 1/gamma^3, faster than the term does."""
    gamma, risks = measured.places["gamma"].to_numpy(dtype=float), measured.means
    if not len(gamma) or not (gamma > 0).all():
        return Regime()
    factor = float(gamma.max() / gamma.min()) ** 3
    return room(float(risks[gamma.argmax()]), factor, "the risk at the widest margin times 1/gamma^3")


def _start(row: "pd.Series[float]") -> float:
    return _rate(row).start


def _slopes(evidence: Evidence) -> Iterator[Claim]:
    for name, panel, series, axis, groups, (low, high), power, words in SLOPES:
        table = rows(evidence, WINDOW, panel=panel, series=series)
        kappa = algebra.floats(table, "kappa")
        table = table[~((kappa < low) | (kappa > high))].reset_index(drop=True)
        inside = in_window(table)
        # Places outside of the window are left out where enough of the others are left for a slope.
        table = inside if inside[axis].nunique() >= algebra.POINTS else table
        what = (
            "what noise adds to the averaged population risk"
            if series == ADDED
            else "the size of the change of the averaged empirical risk, on the same seed"
        )
        yield claim_on_all_cells(
            id=name, artefact=WINDOW, location="Theorem 4.1", kind="theorem", source="ours",
            statement=f"{words}: of runs, the change by {'batches' if series == BY_BATCHES else 'noise'} grows no faster, or falls no more slowly",
            quantity=f"log-log slope in {axis} of {what}: the largest over {', '.join(groups)}",
            cells=_slopes_by(evidence, table, panel, series, axis, groups),
            criterion=at_most(power + LOGARITHMS, f": consistent with an upper bound of power {power:g}, up to logarithms"),
            regime=regime(table), changed=FROM_OUTSIDE if name in ("batch-term", "noise-term-batch") else "",
            note=f"kappa {range_of(table['kappa'])}; the paper speaks of the bound, here runs are judged",
        )  # fmt: skip


def _slopes_by(
    evidence: Evidence, table: pd.DataFrame, panel: str, series: str, axis: str, groups: Sequence[str]
) -> Places:
    """Slopes over runs of the same seeds where these are listed, which is where a change may have either sign."""
    if series != ADDED:
        return algebra.measured_by(table, list(groups), lambda group: algebra.exponent(group, axis))
    measured = seeds(evidence, WINDOW, series, axis, panel=panel)
    chosen = measured.where(measured.places[axis].isin(table[axis]).to_numpy(dtype=bool))
    return {panel: chosen.exponent(algebra.floats(chosen.places, axis))}


def _sizes(evidence: Evidence) -> Iterator[Claim]:
    """Claims on the size of changes, compared with the terms with constants 1, which follow all numbers at once."""
    batches = rows(evidence, WINDOW, panel="batches", series=BY_BATCHES)
    yield claim_on_all_cells(
        id="batch-term-size", artefact=WINDOW, location="Theorem 4.1", kind="theorem", source="paper",
        statement="batches cost at most 1/(gamma sqrt(BT)) + eta (1/B + 1/T), up to a constant",
        quantity="size of the change of the averaged empirical risk by batches over these terms, constants 1, no logarithms: the largest over B and eta",
        cells={algebra.place_of(row, ("B", "eta")): _ratio_to_bound(row, _batch_terms(row)) for row in algebra.rows_of(batches)},
        criterion=at_most(SAME_ORDER), regime=regime(batches).otherwise(HIDDEN), changed=HIDDEN_ACCUSED, note=f"the change is one draw's, on the same records and start. {ANY_VALUE}",
    )  # fmt: skip
    noise = rows(evidence, WINDOW, series=BY_NOISE)
    noise = in_window(noise[noise["panel"] != "wide networks"])
    yield claim_on_all_cells(
        id="noise-term-size", artefact=WINDOW, location="Theorem 4.1", kind="theorem", source="paper",
        statement="noise costs at most (1 - lambda) kappa/(B sqrt(T)) (1/gamma + eta sqrt(m d/B)) + ((1 - lambda)^2 + lambda^2 eta) eta kappa^2 m d/B^2, up to a constant",
        quantity="size of the change of the averaged empirical risk by noise over these terms, constants 1, no logarithms: the largest over n, B, T, m, d, kappa and lambda",
        cells={algebra.place_of(row, PLACE): _ratio_to_bound(row, _noise_terms(row)) for row in algebra.rows_of(noise)},
        criterion=at_most(SAME_ORDER), regime=HIDDEN, changed=f"{FROM_OUTSIDE} {HIDDEN_ACCUSED}",
        note=f"kappa {range_of(noise['kappa'])}, lambda {range_of(noise['lam'])}, {len(noise)} places inside the window; C_clip, a logarithm in the paper, is {range_of(noise['C_clip'])}. {ANY_VALUE}",
    )  # fmt: skip


def _ratio_to_bound(row: "pd.Series[float]", bound: float) -> Estimate:
    """The mean of a row divided by a bound without error."""
    return times(mean_of(row), 1.0 / bound) if bound > 0 else NOTHING


def _batch_terms(row: "pd.Series[float]") -> float:
    rate = _rate(row, logs=False)
    return rate.potential + rate.batches + float(row["eta"] / row["T"]) if rate.total > 0 else 0.0


def _noise_terms(row: "pd.Series[float]") -> float:
    run = run_of(row)
    if run is None:
        return 0.0
    rate = rates.correlated(run)
    return rate.linear + rate.quadratic


def _correlation(evidence: Evidence) -> Iterator[Claim]:
    table = rows(evidence, WINDOW, panel="correlation", series=BY_NOISE)
    table = table.assign(residue=1.0 - algebra.floats(table, "lam"))
    little = table[algebra.floats(table, "kappa") <= LITTLE[1]]
    yield claim_on_all_cells(
        id="noise-term-correlation", artefact=WINDOW, location="Theorem 4.1, Remark 4.2", kind="theorem", source="ours",
        statement="for a fixed kappa the linear noise term is proportional to 1 - lambda: of runs with little noise, the change by noise falls at least so fast",
        quantity="log-log slope in 1 - lambda of the size of the change of the averaged empirical risk by noise: the smallest over eta",
        cells=algebra.measured_by(little, ["eta"], lambda group: algebra.exponent(group, "residue")),
        criterion=at_least(1.0 - LOGARITHMS), regime=regime(little),
        note=f"lambda {range_of(little['lam'])}, kappa {range_of(little['kappa'])}",
    )  # fmt: skip
    added = rows(evidence, WINDOW, panel="correlation", series=ADDED)
    much = algebra.rows_at_end(added[algebra.floats(added, "kappa") >= MUCH[0]], "eta")
    where = {name: one_of(much[name]) for name in ("eta", "kappa")}
    measured = seeds(evidence, WINDOW, ADDED, "lam", panel="correlation", **where)
    yield claim(
        id="noise-quadratic-correlation", artefact=WINDOW, location="Theorem 4.1, Remark 4.2", kind="theorem", source="ours",
        statement="for a fixed kappa the quadratic noise term is governed by (1 - lambda)^2 + lambda^2 eta: of runs with much noise, what noise adds falls with it",
        quantity="exponent of what noise adds to the averaged population risk in (1 - lambda)^2 + lambda^2 eta, over lambda and the same seeds, at the larger step",
        measured=measured.exponent(scale(measured, _weight)), criterion=follows("the term", LOGARITHMS), regime=regime(much),
        changed=f"{FROM_NARROW} Before a review it was judged at the smaller step too, at which what noise adds cannot be told from 0, with seeds taken for independent and within a factor of four.",
        note=f"kappa {range_of(much['kappa'])}, eta {range_of(much['eta'])}",
    )  # fmt: skip


def _weight(row: "pd.Series[float]") -> float:
    lam, eta = float(row["lam"]), float(row["eta"])
    return rates.quadratic_weight(lam, eta) if 0 <= lam < 1 and eta > 0 else 0.0
