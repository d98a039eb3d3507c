"""The widths that Theorem 4.1 admits at Corollary 5.3's batches and iterations, and whether there are any (wang2026)."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import pandas as pd

from dpdescent.papers.wang2026 import rates
from dpdescent.papers.wang2026.corollaries import Point, corollary_5_3
from dpdescent.papers.wang2026.criteria import CONSTANT_1, claim_on_all_cells, hidden, rows
from dpdescent.papers.wang2026.rates import Run
from dpdescent.papers.wang2026.setting import Part, Row, Spec
from dpdescent.privacy.participation import closed_forms
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_least
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.records import agreement

LOWER, UPPER, FOURTH, SIXTH = "lower limit", "upper limit", "gamma^-4", "gamma^-6"
# Logarithms: dropped, in kappa only (with the limits as printed), or in the limits too, as the proofs show them.
DROPPED, KEPT, EVERYWHERE = "dropped", "kept", "kept in the limits too"
# Factors of kappa^2: none in Theorem 5.1 without logarithms; Theorem F.12's as printed, and as its proof needs it.
FACTORS = {"Theorem 5.1, constants 1": None, "F12x8": 8.0, "F12x2": 2.0}


@dataclass(frozen=True, kw_only=True)
class Widths(Part):
    """Settings at which the limits of the width are evaluated."""

    n: tuple[int, ...]
    gamma: tuple[float, ...]
    lam: tuple[float, ...]
    eps: tuple[float, ...]
    eta: tuple[float, ...]
    r: float
    d: int


def run_admissible_width(spec: Spec) -> Iterator[Row]:
    """Yields rows of every n and margin: without logarithms, with kappa's logarithms, and with all of the proofs."""
    grid = Widths.of(spec)
    for n, gamma, lam, eps, eta in product(grid.n, grid.gamma, grid.lam, grid.eps, grid.eta):
        point = Point(n, grid.d, gamma, eps)
        for accountant, factor in FACTORS.items():
            run = prescribed(point, grid.r, lam, eta, factor)
            precondition = "none"
            if factor is not None:
                # The condition is Theorem F.12's, at the corollary's own run.
                met = closed_forms.correlated_precondition(round(run.T), grid.r, eps, run.delta)
                precondition = "met" if met else "not met"
            for logs in (DROPPED,) if factor is None else (KEPT, EVERYWHERE):
                values = {
                    LOWER: rates.least_width(run, logs=logs == EVERYWHERE),
                    UPPER: rates.largest_width(run, logs=logs == EVERYWHERE), FOURTH: gamma**-4.0, SIXTH: gamma**-6.0,
                }  # fmt: skip
                own = {
                    "n": n, "gamma": gamma, "lam": lam, "eps": eps, "eta": eta, "logs": logs,
                    "accountant": accountant,
                    "precondition": precondition,
                }  # fmt: skip
                for series, number in values.items():
                    yield {**own, "series": series, "trial": 0, "value": number}


def prescribed(point: Point, rho: float, lam: float, eta: float, factor: float | None) -> Run:
    """Returns Corollary 5.3's run, with whole iterations and delta = n^-1.1 where kappa is by a closed form."""
    run = corollary_5_3(point, rho=rho, lam=lam, eta=eta)
    if factor is None:
        return run
    T, delta = max(1, round(run.T)), point.n**-1.1
    kappa = closed_forms.correlated_multiplier(T, rho, lam, point.eps, delta, factor)
    return replace(run, T=T, delta=delta, kappa=kappa)


WIDTHS = "admissible_width"
PLACE = ("n", "gamma", "lam", "eps", "eta", "logs", "accountant")
# Id, the claim in words, and the series that has to lie in the range of widths; None for the range itself.
WINDOWS = (
    ("width-window", "the range of admissible widths is nonempty in the representative regime", None),
    ("width-window-corollary-5.3", "m of order gamma^-6, up to logarithms, lies in the range of admissible widths", SIXTH),
)  # fmt: skip
# The readings of the logarithms that the text suppresses, by their name in the table.
LOGS = {
    DROPPED: "logarithms dropped, as in the proof", KEPT: "logarithms kept in kappa",
    EVERYWHERE: "logarithms kept in kappa and in both limits",
}  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on the admissible range."""
    for name, words, inner in WINDOWS:
        by_reading = {reading: _ratios_in_range(evidence, logs, inner) for logs, reading in LOGS.items()}
        ratios = {reading: places for reading, (places, _) in by_reading.items() if places}
        what = inner or "the range"
        window_claim = claim_on_all_cells(
            id=name, artefact=WIDTHS, location="Theorem 4.1, Corollary 5.3", kind="theorem", source="paper",
            statement=words,
            quantity=f"largest admissible width over the smallest{'; with ' + what + ', the smaller of the limits and it' if inner else ''}: the smallest over n, gamma, eta, accountants and readings of the logarithms",
            cells={f"{place}, {reading}": ratio for reading, places in ratios.items() for place, ratio in places.items()},
            criterion=at_least(1.0),
            changed="The largest n, one eta and the upper limit alone were judged at first. Before a review every reading of the logarithms was a claim of its own.",
        )  # fmt: skip
        if not ratios:
            yield window_claim
            continue
        agreed = agreement(
            {reading: at_least(1.0).verdict_on_all(places.values()) for reading, places in ratios.items()}
        )
        opens = "; ".join(
            f"{reading}: {_opening_text(upper, places)}" for reading, (places, upper) in by_reading.items() if places
        )
        note = f"{agreed.told}. From which n on it is at least 1: {opens}"
        window_claim = dataclasses.replace(window_claim, verdict=agreed.verdict, why=agreed.why, note=note)
        # Where readings agree the constants, which are hidden, still decide.
        yield window_claim if agreed.why == "unstated value decides" else hidden(CONSTANT_1).applied(window_claim)


def _ratios_in_range(evidence: Evidence, logs: str, inner: str | None) -> tuple[Places, pd.DataFrame]:
    """Ratios of upper to lower limit, or the smaller of upper to inner and inner to lower; and the upper limits."""
    lower, upper = (rows(evidence, WIDTHS, series=series, logs=logs) for series in (LOWER, UPPER))
    if inner is None:
        return algebra.ratios(upper, lower, PLACE), upper
    middle = rows(evidence, WIDTHS, series=inner, logs=logs)
    above, below = algebra.ratios(upper, middle, PLACE), algebra.ratios(middle, lower, PLACE)
    smaller = {
        place: min(above[place], below[place], key=lambda estimate: estimate.value) for place in above if place in below
    }
    return smaller, upper


def _opening_text(table: pd.DataFrame, ratios: Places) -> str:
    """Text on the smallest n from which on all ratios are at least 1, by step, margin and accountant."""
    texts = []
    for _, group in table.groupby(["eta", "gamma", "lam", "eps", "accountant"], dropna=False):
        ordered = group.sort_values("n", ascending=False)
        first = None
        for row in algebra.rows_of(ordered):
            if not (ratio := ratios.get(algebra.place_of(row, PLACE))) or ratio.value < 1.0:
                break
            first = row["n"]
        place = algebra.place_of(ordered.iloc[0], ("eta", "gamma", "accountant"))
        texts.append(
            f"n = {first:g} at {place}" if first is not None else f"none up to {ordered['n'].iloc[0]:g} at {place}"
        )
    return "; ".join(texts) or "no rows"
