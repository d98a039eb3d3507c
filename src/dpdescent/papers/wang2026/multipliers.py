"""Noise multipliers of every accountant, their sizes, and Lemmas F.10 and F.11 of Theorem F.12's proof (wang2026)."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import binom

from dpdescent.papers.wang2026.criteria import (
    AGREES,
    ALGEBRA,
    EQUAL,
    INDEPENDENT,
    PAIR,
    PROOF,
    PUBLISHED,
    RATE,
    REPLACED,
    SAME_ORDER,
    SETTING,
    TAIL,
    claim,
    claim_on_all_cells,
    place_text,
    range_of,
    rows,
    thinned,
    times,
)
from dpdescent.papers.wang2026.setting import Part, Row, Spec
from dpdescent.privacy.participation import accountants, closed_forms, encoder, gaussian, tail
from dpdescent.privacy.participation.encoder import block_norms_squared, column_sum, encode
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import rows_of
from dpdescent.replication.judging.bound_rows import exact_row, met_or_not
from dpdescent.replication.judging.criteria import at_least, at_most, within_of
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate, exactly

TABLE, SERIES = "kappa_tables", "noise multiplier"
# Correlations for Theorem F.8's pair: up to LARGEST at `full_f8`, FEW elsewhere, because no experiment uses others.
LARGEST, FEW = 0.95, (0.0, 0.5)
NO_CORRELATION = ("D9", "RDP19", "WOR")


@dataclass(frozen=True, kw_only=True)
class Grid(Part):
    """Settings at which accountants calibrate a multiplier.

    Attributes:
        T, r, lam, eps, delta: the settings.
        accountants: names of the accountants.
        draws, draws_bnb: numbers of Monte-Carlo draws for Theorem F.8's pair and for balls in bins.
        full_f8: T, r and delta at which the pair has every correlation.
        full_bnb: r at which balls in bins have every correlation.
    """

    T: int
    r: float
    lam: tuple[float, ...]
    eps: tuple[float, ...]
    delta: tuple[float, ...]
    accountants: tuple[str, ...]
    draws: int
    draws_bnb: int
    full_f8: tuple[float, ...]
    full_bnb: float

    def has(self, accountant: str, lam: float, delta: float) -> bool:
        """Returns whether an accountant has a row at a correlation and delta."""
        if accountant in NO_CORRELATION:
            return lam == 0.0
        if accountant == "bnb":
            return lam in FEW or self.r == self.full_bnb
        if accountant != PAIR:
            return True
        return lam in FEW or ([self.T, self.r, delta] == list(self.full_f8) and lam <= LARGEST)


def run_kappa_tables(spec: Spec) -> Iterator[Row]:
    """Yields a row for each accountant, lambda, epsilon and delta for which the accountant has a finite multiplier."""
    if spec["trials"][0] > 0:
        return
    grid = Grid.of(spec)
    for accountant, lam in product(grid.accountants, grid.lam):
        if deltas := [delta for delta in grid.delta if grid.has(accountant, lam, delta)]:
            yield from _calibrated(grid, accountant, lam, deltas)


def _calibrated(grid: Grid, accountant: str, lam: float, deltas: list[float]) -> Iterator[Row]:
    T, r = grid.T, grid.r
    # The draws are the same for every lambda, epsilon and delta, so that multipliers differ by these alone.
    rng = grid.stream(0, f"{accountant}, T={T:g}, r={r:g}")
    calibrations = accountants.calibrate_many(
        accountant, T=T, rate=r, lam=lam, eps=grid.eps, delta=deltas,
        draws=grid.draws_bnb if accountant == "bnb" else grid.draws, rng=rng,
    )  # fmt: skip
    for (eps, delta), calibration in calibrations.items():
        if math.isinf(calibration.multiplier):
            continue
        # A formula for the multiplier attains no delta that is known.
        attains = not math.isnan(calibration.delta_attained)
        yield {
            "panel": grid.panel, "trial": 0, "series": SERIES, "value": calibration.multiplier, "T": T, "r": r,
            "lam": lam, "eps": eps, "delta": delta, "accountant": accountant, "relation": calibration.relation,
            "sampler": calibration.sampler, "precondition": calibration.precondition, "proved": int(calibration.proved),
            **({"delta_attained": calibration.delta_attained, "delta_se": calibration.standard_error} if attains else {}),
        }  # fmt: skip


def multipliers(evidence: Evidence, accountant: str, **where: object) -> pd.DataFrame:
    """The finite and positive noise multipliers of an accountant."""
    table = rows(evidence, TABLE, series=SERIES, accountant=accountant, **where)  # type: ignore[arg-type]
    kappa = algebra.floats(table, "mean")
    return table[np.isfinite(kappa) & (kappa > 0)].reset_index(drop=True)


# The least kappa at which scalings are compared, because amplification is lost below it.
LEAST = 1.0
# Id, panel and axis of the claims on slopes, and the axis in words.
SLOPES = (
    ("remark-d.8-rate", "scaling in r", "r", "B/n"), ("remark-d.8-steps", "scaling in T", "T", "T"),
    ("remark-d.8-eps", "scaling in eps", "eps", "1/eps"), ("remark-d.8-delta", "scaling in delta", "delta", "log(1/delta)"),
)  # fmt: skip
EXACT = (("Poisson samples", PAIR), ("sampling without replacement", REPLACED))
ONE_AXIS = "Before a review grids of a factor of four were looked at, with multipliers below one and deltas near each other, whose slopes are not those of small deltas and much noise."


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on sharper accountants, then the claims on the lemmas."""
    yield from _sharper(evidence)
    yield from _scaling(evidence)
    yield _participations(evidence)
    yield _sensitivity(evidence)


def _sharper(evidence: Evidence) -> Iterator[Claim]:
    published = multipliers(evidence, PUBLISHED, precondition="met")
    ratios = {
        name: algebra.ratios(multipliers(evidence, name), published, SETTING) for name in (TAIL, PAIR, "bnb", "cyclic")
    }
    sizes = "; ".join(
        f"{name} {range_of(place.value for place in by_place.values())}" for name, by_place in ratios.items()
    )
    yield claim_on_all_cells(
        id="tighter-accountants", artefact=TABLE, location="Sec. 5.1", kind="privacy", source="identity",
        statement="(algebra) tighter accountants may yield smaller noise multipliers",
        quantity="kappa by the exact tail of participations over Theorem F.12's, where its condition is met: the largest over T, r, lambda, eps and delta",
        cells=ratios[TAIL], criterion=at_most(1.0 - AGREES),
        changed=ALGEBRA,
        note=f"the same proof with its tail and its Gaussian exact, so that it cannot be larger; not comparable but in size: over F.12's {sizes}",
    )  # fmt: skip


def _scaling(evidence: Evidence) -> Iterator[Claim]:
    """Claims on Remark D.8, by ratios of exact multipliers to the closed form: their range and their slopes."""
    table = _ratios_to_closed_form(evidence)
    constants = algebra.floats(table[table["kappa"] >= LEAST], "mean")
    yield claim(
        id="remark-d.8", artefact=TABLE, location="Remark D.8", kind="privacy", source="paper",
        statement="a tighter accountant may improve the numerical constant, but not the scaling in B, n, T, eps and delta",
        quantity="exact kappa of independent noise (Poisson, zero-out) over Theorem D.9's, where it is at least 1: largest over smallest over T, r, eps and both deltas",
        measured=algebra.largest_over_smallest(constants), criterion=at_most(SAME_ORDER),
        changed="Before a review places that differ in delta alone counted once.",
        note=f"at kappa below 1 amplification is lost. The ratio is {range_of(constants)}",
    )  # fmt: skip
    for name, panel, axis, words in SLOPES:
        # In a world in which the exact kappa grows more slowly by a tenth of a power, the claim is refused.
        measured = {sampler: _slope(evidence, accountant, panel, axis) for sampler, accountant in EXACT}
        yield claim_on_all_cells(
            id=name, artefact=TABLE, location="Remark D.8", kind="privacy", source="paper",
            statement=f"a tighter accountant does not improve the scaling in {words}",
            quantity=f"log-log slope in {words} of an exact kappa of independent noise over Theorem D.9's, kappa at least 1: that of Poisson samples (zero-out) and that proved for sampling without replacement (replace-one)",
            cells={sampler: slope for sampler, slope in measured.items() if not math.isnan(slope.value)}, criterion=at_least(-RATE, ": it does not grow more slowly"),
            changed=f"{ONE_AXIS} Then a quarter of a power was allowed in both directions, though only a slower growth would be an improvement.",
        )  # fmt: skip
    steps = multipliers(evidence, REPLACED, panel="scaling in T")
    yield claim(
        id="theorem-5.4-steps", artefact=TABLE, location="Theorem 5.4", kind="privacy", source="paper",
        statement="the sufficient kappa^2 grows linearly with the number of steps at lambda = 0",
        quantity="log-log slope in T of the square of the kappa that is proved for sampling without replacement", measured=times(algebra.least_squares_slope(steps, "T"), 2.0),
        criterion=within_of(1.0, RATE), note=f"T {range_of(steps['T'])}, kappa {range_of(steps['mean'])}",
    )  # fmt: skip


def _slope(evidence: Evidence, accountant: str, panel: str, axis: str) -> Estimate:
    """The slope of the ratio of an accountant's multiplier to Theorem D.9's along one axis, log(1/delta) for delta."""
    pairs = algebra.paired_rows(
        multipliers(evidence, accountant, lam=0, panel=panel), multipliers(evidence, INDEPENDENT, panel=panel), SETTING
    )
    points = [
        {
            "x": {"delta": -math.log(row["delta"]), "eps": 1.0 / row["eps"]}.get(axis, row[axis]),
            "mean": row["mean"] / other["mean"],
            "se": math.nan,
        }
        for row, other in pairs
        if row["mean"] >= LEAST
    ]
    return algebra.least_squares_slope(pd.DataFrame(points, columns=["x", "mean", "se"]), "x")


def _ratios_to_closed_form(evidence: Evidence) -> pd.DataFrame:
    """Ratios of the exact multiplier of independent noise to Theorem D.9's, and the exact multiplier, by setting."""
    pairs = algebra.paired_rows(multipliers(evidence, PAIR, lam=0), multipliers(evidence, INDEPENDENT), SETTING)
    ratios = [
        {**{key: row[key] for key in SETTING}, "kappa": row["mean"], "mean": row["mean"] / other["mean"], "se": math.nan}
        for row, other in pairs
    ]  # fmt: skip
    return pd.DataFrame(ratios, columns=[*SETTING, "kappa", "mean", "se"])


def _participations(evidence: Evidence) -> Claim:
    """The claim on Lemma F.10 at c_1 = 1/2, by the exact binomial tail."""
    table = multipliers(evidence, PUBLISHED, precondition="met").drop_duplicates(["T", "r", "delta"])
    return claim_on_all_cells(
        id="lemma-f.10", artefact=TABLE, location="Lemma F.10", kind="privacy", source="paper",
        statement="more than tau = rT + sqrt(3 rT log(2/delta)) participations have a probability of delta/2 at most",
        quantity="exact binomial tail over delta/2, where rT >= 3 log(2/delta): the largest over T, r and delta",
        cells={algebra.place_of(row, ("T", "r", "delta")): _tail_ratio(row) for row in algebra.rows_of(table)},
        criterion=at_most(1.0),
    )  # fmt: skip


def _tail_ratio(row: "pd.Series[float]") -> Estimate:
    """The probability of more participations than tau, divided by delta/2."""
    expected, log = row["r"] * row["T"], math.log(2.0 / row["delta"])
    above = float(binom.sf(math.floor(expected + math.sqrt(3.0 * expected * log)), int(row["T"]), row["r"]))
    return exactly(2.0 * above / row["delta"])


def _sensitivity(evidence: Evidence) -> Claim:
    """The claim on Lemma F.11, by the worst pattern of k participations for every k."""
    table = rows(evidence, TABLE, series=SERIES, accountant=PUBLISHED).drop_duplicates(["T", "lam"])
    table = table[(table["T"] >= 1) & (table["lam"] >= 0.0) & (table["lam"] < 1.0)]
    return claim_on_all_cells(
        id="lemma-f.11", artefact=TABLE, location="Lemma F.11", kind="privacy", source="paper",
        statement="for |y|_0 <= tau, |Cy| <= (1 - lambda^T)/(1 - lambda) sqrt(tau)",
        quantity="largest |Cy| / sqrt(k) over y with k participations and over k, over (1 - lambda^T)/(1 - lambda): the largest over T and lambda",
        cells={algebra.place_of(row, ("T", "lam")): _norm_ratio(row) for row in algebra.rows_of(table)},
        criterion=at_most(1.0 + EQUAL), note="attained by participations in a row",
    )  # fmt: skip


def _norm_ratio(row: "pd.Series[float]") -> Estimate:
    """The largest |Cy| / sqrt(k), divided by the bound of Lemma F.11."""
    T, lam = int(row["T"]), float(row["lam"])
    norms = np.sqrt(encoder.block_norms_squared(T, lam)[1:] / np.arange(1, T + 1))
    return exactly(float(norms.max() / encoder.column_sum(T, lam)))


PLACE = ("T", "r", "lam", "eps", "delta")


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of Theorem F.12's multipliers and of its lemmas.

    The delta of F.12's multipliers is proved by an accountant on the theorem's own route, with nothing loosened.
    """
    table = rows(evidence, TABLE)
    table = table.dropna(subset=[*PLACE, "mean"])
    # The largest delta is enough, because other deltas show the same.
    table = table[(table["panel"] != "fashion") & (table["delta"] == table["delta"].max())]
    table = thinned(table, "lam", "eps")
    for row in rows_of(table[table["accountant"].isin([PUBLISHED, PROOF])]):
        yield _theorem_f_12_row(row)
    yield from _lemma_rows(table)


def _theorem_f_12_row(row: pd.Series) -> Bound:
    """The row of a multiplier of Theorem F.12, whose delta is by the theorem's own route."""
    T, r, lam, eps, delta = _numbers(row)
    kappa, factor = float(row["mean"]), 8 if row["accountant"] == PUBLISHED else 2
    met = closed_forms.correlated_precondition(T, r, eps, delta)
    condition = f"kappa={kappa:.5g}, factor {factor}; eps <= 1 and r T >= 3 log(2/delta) are {met_or_not(met)}"
    return exact_row(
        f"delta of {row['accountant']}, zero-out", "Thm F.12 (5.1)", place_text(TABLE, row, *PLACE), delta,
        tail.delta(kappa, eps, T, r, lam), f"{condition}; measured is the delta that the tail accountant proves", met=met,
    )  # fmt: skip


def _lemma_rows(table: pd.DataFrame) -> Iterator[Bound]:
    """Rows of the lemmas in the proof of F.12: participations, sensitivity, the Gaussian release."""
    table = table[table["accountant"] == PUBLISHED]
    for row in rows_of(table.drop_duplicates(["T", "r", "delta"])):
        yield _participations_row(row)
    for row in rows_of(table.drop_duplicates(["T", "r", "lam", "delta"])):
        yield from _sensitivity_rows(row)
    for row in rows_of(table.drop_duplicates(["eps", "delta"])):
        yield _gaussian_row(row)


def _limit(T: int, r: float, delta: float) -> float:
    """The number tau of Lemma F.10 with c_1 = 1/2: F.12's kappa squared without its other factors."""
    return closed_forms.correlated_multiplier(T, r, 0.0, 1.0, delta, 1.0) ** 2 / math.log(2.5 / delta)


def _participations_row(row: pd.Series) -> Bound:
    T, r, _, _, delta = _numbers(row)
    tau = _limit(T, r, delta)
    met = closed_forms.correlated_precondition(T, r, 1.0, delta)
    why = f"tau={tau:.4g}; r T >= 3 log(2/delta) is {met_or_not(met)}; measured is the binomial tail"
    measured = float(binom.sf(math.floor(tau), T, r))
    setting = place_text(TABLE, row, "T", "r", "delta")
    return exact_row("P(more than tau participations)", "Lemma F.10", setting, 0.5 * delta, measured, why, met=met)


def _sensitivity_rows(row: pd.Series) -> Iterator[Bound]:
    T, r, lam, _, delta = _numbers(row)
    tau, setting = _limit(T, r, delta), place_text(TABLE, row, "T", "r", "lam", "delta")
    largest = float(column_sum(T, lam))
    why = f"tau={tau:.4g}; measured is the largest |C y|, of the first tau steps"
    measured = math.sqrt(block_norms_squared(T, lam)[min(T, math.floor(tau))])
    yield exact_row("sensitivity", "Lemma F.11", setting, largest * math.sqrt(tau), measured, why)
    measured = float(np.linalg.norm(encode(np.eye(T), lam), 2))
    yield exact_row("|C|_2", "Lemma F.11, proof", setting, largest, measured, "measured is the largest singular value")


def _gaussian_row(row: pd.Series) -> Bound:
    """The row of the classical Gaussian mechanism at delta / 2, whose proof is for epsilons up to 1."""
    eps, delta = float(row["eps"]), float(row["delta"])
    measured = float(gaussian.delta(eps / math.sqrt(2.0 * math.log(2.5 / delta)), eps))
    why = f"eps <= 1 is {met_or_not(eps <= 1.0)}; measured is exact"
    return exact_row(
        "delta of the Gaussian release", "Thm F.12, proof", place_text(TABLE, row, "eps", "delta"), 0.5 * delta, measured,
        why, met=eps <= 1.0,
    )  # fmt: skip


def _numbers(row: pd.Series) -> tuple[int, float, float, float, float]:
    return int(row["T"]), float(row["r"]), float(row["lam"]), float(row["eps"]), float(row["delta"])
