"""Claims about Theorem 4.1 inside its window: its bound and similar ones up to a constant, and its terms one by one.

A whole bound is judged where it says something, below log 2, with constants 1 and its logarithms. A term is judged by
the room that a run leaves: the ratio of the measured value to the term, divided by the same ratio at the place where the
term is largest. It stays small where the measured value falls with the term, as an upper bound has it. Risks at their
ceiling do not show it.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial

import pandas as pd

from dpdescent.papers.wang2026 import rates
from dpdescent.papers.wang2026.criteria import (
    LOGARITHMS,
    SAME_ORDER,
    claim_on_all_cells,
    in_window,
    range_of,
    regime,
    rows,
    run_of,
    times,
)
from dpdescent.papers.wang2026.rates import Rate
from dpdescent.papers.wang2026.setting import ADDED, BY_BATCHES, BY_NOISE, EMPIRICAL, POPULATION
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import Criterion, at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.records import HIDDEN, HIDDEN_ACCUSED
from dpdescent.replication.judging.statistics import NOTHING, Estimate, mean_of

WINDOW = "ext_window"
PLACE = ("panel", "n", "B", "T", "m", "d", "jitter", "eta", "kappa", "lam")
# Half of the loss of an output of 0, because risks above it are held down by that loss and not by a term.
CEILING = 0.5 * math.log(2.0)
SATURATED = "At first the constant was taken at places where risks are near log 2, their ceiling, so that no term could be compared with them."
FROM_OUTSIDE = "Before a review runs outside of the theorem's conditions were looked at, which decide nothing."
Bound = Callable[["pd.Series[float]"], float]
# Id, location, words, whether there is noise, whether it is correlated, and whether the risk is the population's.
BOUNDS = (
    ("theorem-4.1-order", "Theorem 4.1", "A_corr", True, True, False),
    ("theorem-d.14-order", "Theorem D.14", "A_van", True, False, False),
    ("theorem-e.1-order", "Theorem E.1", "A_non", False, False, False),
    ("theorem-5.2-order", "Theorem 5.2, Theorem C.23", "(1 + eta T/n) A_corr", True, True, True),
    ("theorem-d.16-order", "Theorem D.16", "(1 + eta T/n) A_van", True, False, True),
    ("theorem-e.1-population", "Theorem E.1", "(1 + eta T/n) A_non", False, False, True),
)
# Id, panel, axis, columns that are fixed along it, words for the power.
STARTS = (
    ("iterations-term", "iterations", "T", ("eta",), "falls as 1/(eta T) in the number of steps"),
    ("step-term", "iterations", "eta", ("T",), "falls as 1/(eta T) in the step"),
    ("margin-term", "margin", "gamma", ("panel",), "grows as 1/gamma^2 with the margin"),
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


def _room_criterion() -> Criterion:
    # This is a function and not a constant, because what a module makes when it is imported counts for training.
    return at_most(SAME_ORDER, ": the same constant serves at all places")


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on whole bounds, then the claims on their terms."""
    yield from _bounds(evidence)
    yield from _starts(evidence)
    yield from _slopes(evidence)
    yield from _sizes(evidence)
    yield from _correlation(evidence)


def room(table: pd.DataFrame, bound: Bound, columns: tuple[str, ...] = PLACE) -> Places:
    """Ratios of measured to bound, divided by the ratio where the bound is largest; risks near log 2 are left out."""
    valued = [(row, bound(row)) for row in algebra.rows_of(table)]
    usable = [(row, value) for row, value in valued if value > 0 and 0 < row["mean"] <= CEILING]
    if len(usable) < 2:
        return {}
    first, largest = max(usable, key=lambda pair: pair[1])
    return {
        algebra.place_of(row, columns): times(algebra.ratio_of_rows(row, first), largest / value)
        for row, value in usable
    }


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
        bound = partial(total, of_population=tested)
        telling = [row for row in algebra.rows_of(table) if 0 < bound(row) < math.log(2.0)]
        yield claim_on_all_cells(
            id=name, artefact=WINDOW, location=place, kind="theorem", source="paper",
            statement=f"the averaged {'population' if tested else 'empirical'} risk is at most {words}, up to a constant and logarithms",
            quantity="averaged risk over the bound with constants 1 and its logarithms, where that is below log 2: the largest over places",
            cells={algebra.place_of(row, PLACE): _ratio_to_bound(row, bound(row)) for row in telling}, criterion=at_most(1.0, ": consistent with the order, hidden constants 1"), regime=HIDDEN,
            changed=f"{FROM_OUTSIDE} Then one constant was asked to serve also where the bound is above log 2, which confirms and refutes nothing. {HIDDEN_ACCUSED}",
            note=f"{len(telling)} of {len(table)} places inside the window, where bounds are {range_of(bound(row) for row in algebra.rows_of(table))}",
        )  # fmt: skip


def _starts(evidence: Evidence) -> Iterator[Claim]:
    for name, panel, axis, fixed, words in STARTS:
        table = rows(evidence, WINDOW, panel=panel, series=EMPIRICAL)
        ratios: Places = {}
        for _, group in table.groupby(list(fixed), dropna=False):
            ratios |= room(group, lambda row: _rate(row).start, (*fixed, axis))
        yield claim_on_all_cells(
            id=name, artefact=WINDOW, location="Theorem 4.1, Theorem E.1", kind="theorem", source="paper",
            statement=f"without noise and with all records in a batch the bound is its comparator term, which {words}",
            quantity=f"averaged empirical risk over that term with log^2 T + log(n/delta), over the same where the term is largest: the largest along {axis}",
            cells=ratios, criterion=_room_criterion(), regime=regime(table).otherwise(HIDDEN),
            changed=f"{FROM_OUTSIDE} {SATURATED} {HIDDEN_ACCUSED}" if name == "iterations-term" else f"{SATURATED} {HIDDEN_ACCUSED}",
            note=f"margins {range_of(table['gamma'])}, eta {range_of(table['eta'])}",
        )  # fmt: skip


def _slopes(evidence: Evidence) -> Iterator[Claim]:
    for name, panel, series, axis, groups, (low, high), power, words in SLOPES:
        table = rows(evidence, WINDOW, panel=panel, series=series)
        kappa = algebra.floats(table, "kappa")
        table = table[~((kappa < low) | (kappa > high))].reset_index(drop=True)
        what = (
            "what noise adds to the averaged population risk"
            if series == ADDED
            else "the size of the change of the averaged empirical risk, on the same seed"
        )
        yield claim_on_all_cells(
            id=name, artefact=WINDOW, location="Theorem 4.1", kind="theorem", source="ours",
            statement=f"{words}: of runs, the change by {'batches' if series == BY_BATCHES else 'noise'} grows no faster, or falls no more slowly",
            quantity=f"log-log slope in {axis} of {what}: the largest over {', '.join(groups)}",
            cells=algebra.measured_by(table, list(groups), lambda group, axis=axis: algebra.exponent(group, axis)),  # type: ignore[misc]
            criterion=at_most(power + LOGARITHMS, f": consistent with an upper bound of power {power:g}, up to logarithms"),
            regime=regime(table), changed=FROM_OUTSIDE if name in ("batch-term", "noise-term-batch") else "",
            note=f"kappa {range_of(table['kappa'])}; the paper speaks of the bound, here runs are judged",
        )  # fmt: skip


def _sizes(evidence: Evidence) -> Iterator[Claim]:
    """Claims on the size of changes, compared with the terms with constants 1, which follow all numbers at once."""
    batches = rows(evidence, WINDOW, panel="batches", series=BY_BATCHES)
    yield claim_on_all_cells(
        id="batch-term-size", artefact=WINDOW, location="Theorem 4.1", kind="theorem", source="paper",
        statement="batches cost at most 1/(gamma sqrt(BT)) + eta (1/B + 1/T), up to a constant",
        quantity="size of the change of the averaged empirical risk by batches over these terms, constants 1, no logarithms: the largest over B and eta",
        cells={algebra.place_of(row, ("B", "eta")): _ratio_to_bound(row, _batch_terms(row)) for row in algebra.rows_of(batches)},
        criterion=at_most(SAME_ORDER), regime=regime(batches).otherwise(HIDDEN), changed=HIDDEN_ACCUSED, note="the change is one draw's, on the same records and start",
    )  # fmt: skip
    noise = rows(evidence, WINDOW, series=BY_NOISE)
    noise = in_window(noise[noise["panel"] != "wide networks"])
    yield claim_on_all_cells(
        id="noise-term-size", artefact=WINDOW, location="Theorem 4.1", kind="theorem", source="paper",
        statement="noise costs at most (1 - lambda) kappa/(B sqrt(T)) (1/gamma + eta sqrt(m d/B)) + ((1 - lambda)^2 + lambda^2 eta) eta kappa^2 m d/B^2, up to a constant",
        quantity="size of the change of the averaged empirical risk by noise over these terms, constants 1, no logarithms: the largest over n, B, T, m, d, kappa and lambda",
        cells={algebra.place_of(row, PLACE): _ratio_to_bound(row, _noise_terms(row)) for row in algebra.rows_of(noise)},
        criterion=at_most(SAME_ORDER), regime=HIDDEN, changed=f"{FROM_OUTSIDE} {HIDDEN_ACCUSED}",
        note=f"kappa {range_of(noise['kappa'])}, lambda {range_of(noise['lam'])}, {len(noise)} places inside the window; C_clip, a logarithm in the paper, is {range_of(noise['C_clip'])}",
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
    much = added[algebra.floats(added, "kappa") >= MUCH[0]]
    ratios: Places = {}
    for _, group in much.groupby("eta", dropna=False):
        ratios |= room(group, _weight, ("eta", "lam"))
    yield claim_on_all_cells(
        id="noise-quadratic-correlation", artefact=WINDOW, location="Theorem 4.1, Remark 4.2", kind="theorem", source="ours",
        statement="for a fixed kappa the quadratic noise term is governed by (1 - lambda)^2 + lambda^2 eta: of runs with much noise, what noise adds falls with it",
        quantity="what noise adds to the averaged population risk over (1 - lambda)^2 + lambda^2 eta, over the same at lambda = 0: the largest over lambda and eta",
        cells=ratios, criterion=_room_criterion(), regime=regime(much), note=f"kappa {range_of(much['kappa'])}; where noise adds nothing on average there is no ratio",
    )  # fmt: skip


def _weight(row: "pd.Series[float]") -> float:
    lam, eta = float(row["lam"]), float(row["eta"])
    return rates.quadratic_weight(lam, eta) if 0 <= lam < 1 and eta > 0 else 0.0
