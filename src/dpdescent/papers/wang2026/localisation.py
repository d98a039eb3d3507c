"""Claims inside Theorem 4.1's window: gains by correlation, widths, localisation, generalisation gaps (wang2026)."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
import pandas as pd

from dpdescent.models.spline import CubicSplines
from dpdescent.papers.wang2026 import by_seed, rates
from dpdescent.papers.wang2026.by_seed import Seeds
from dpdescent.papers.wang2026.criteria import (
    AGREES,
    ANY_VALUE,
    FAILURE,
    SAME_ORDER,
    STAYS,
    claim_on_all_cells,
    in_window,
    one_of,
    range_of,
    regime,
    rows,
    run_of,
    seeds,
    setting,
    single,
    times,
)
from dpdescent.papers.wang2026.setting import EMPIRICAL, GAIN, POPULATION, SHIFTED, STEP, Array
from dpdescent.papers.wang2026.terms import FROM_NARROW, FROM_OUTSIDE, NO_ROOM, WINDOW, of_kind, room
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import ABOVE_0, at_least, at_most, within_of
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.records import HIDDEN, HIDDEN_ACCUSED, Regime
from dpdescent.replication.judging.statistics import Estimate, exactly

# The least multiplier in the panel of correlations at which noise costs enough to be gained back.
MUCH = 10.0
SHOWN = ("panel", "n", "m", "d", "T", "eta", "kappa", "lam")
# A gap up to a constant is held to the order itself, because any multiple of it would be an allowance.
AT_CONSTANT_1 = ": consistent with the order, constant 1"
FOUR_ALLOWED = "Until a referee objected four times the order was allowed."
HELD = "Until a referee objected runs counted whose projection, at four times tau_gamma, kept them within the four that are allowed, and each run once for each of its horizons."
# Columns that tell runs apart.
RUN = [name for name in SHOWN if name != "T"] + ["jitter", "clip_rule", "B"]
# The panel with noise so large that iterates leave the ball.
WIDE = "wide networks"


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on Remark 4.2, on the two limits of the width, and on localisation and projection."""
    yield from _remark_4_2(evidence)
    yield from _widths(evidence)
    yield from _projection(evidence)
    yield from _reach(evidence)
    yield from _gaps(evidence)


def _remark_4_2(evidence: Evidence) -> Iterator[Claim]:
    gains, steps = (
        _largest_step(rows(evidence, WINDOW, panel="correlation", series=series)) for series in (GAIN, STEP)
    )
    place = f"eta = {one_of(gains['eta']):g}, kappa = {one_of(gains['kappa']):g}"
    yield claim_on_all_cells(
        id="remark-4.2-improves", artefact=WINDOW, location="Remark 4.2, Sec. 5.1", kind="theorem", source="ours",
        statement="temporal correlation improves the bound for a fixed kappa, and population risk with it: of runs, the averaged population risk",
        quantity="gain over lambda = 0: the smallest over lambda > 0",
        cells=algebra.measured_by(gains, ["lam"], single), criterion=ABOVE_0, regime=regime(gains), changed=f"{FROM_OUTSIDE} {FROM_NARROW}", note=place,
    )  # fmt: skip
    largest = float(np.nanmax(algebra.floats(gains, "mean"))) if len(gains) else math.nan
    rises = algebra.measured_by(steps, ["lam"], single) if largest > 0 else {}
    yield claim_on_all_cells(
        id="remark-4.2-monotone", artefact=WINDOW, location="Remark 4.2", kind="theorem", source="ours",
        statement="the bound improves monotonically as lambda -> 1 for a fixed kappa with a small eta: of runs, the averaged population risk",
        quantity="gain over the next smaller lambda, on the same seed, over the largest gain over lambda = 0: the smallest",
        cells={cell: times(rise, 1.0 / largest) for cell, rise in rises.items()}, criterion=at_least(STAYS - 1.0, ": it does not get worse again by more than a tenth (a plateau counts)"),
        regime=regime(steps), note=place,
        changed=f'{FROM_OUTSIDE} {FROM_NARROW} The criterion was "monotonically" at first, which a plateau does not meet; then two gains were compared as if seeds were not shared.',
    )  # fmt: skip


def _largest_step(table: pd.DataFrame) -> pd.DataFrame:
    """Rows with much noise at the largest step of the panel, by correlation."""
    table = table[algebra.floats(table, "kappa") >= MUCH]
    return algebra.rows_at_end(table, "eta").sort_values("lam", ignore_index=True)


def _widths(evidence: Evidence) -> Iterator[Claim]:
    plain = rows(evidence, WINDOW, panel="width", series=EMPIRICAL)
    inside = in_window(plain)
    last = algebra.rows_at_end(inside, "m")
    yield claim_on_all_cells(
        id="width-lower", artefact=WINDOW, location="Theorem 4.1, Corollary 5.6", kind="theorem", source="paper",
        statement="a width of gamma^-4, up to logarithms, is enough: without noise the risk is of one order from there on",
        quantity="without noise, averaged empirical risk over that at the largest width: the largest over widths from gamma^-4 on",
        cells={algebra.place_of(row, ("m",)): algebra.ratio_of_rows(row, last.iloc[0]) for row in algebra.rows_of(inside)} if len(last) else {},
        criterion=at_most(SAME_ORDER), regime=_room_at_width(last).otherwise(HIDDEN), changed=f"{FROM_OUTSIDE} {HIDDEN_ACCUSED} {NO_ROOM}", note=f"gamma^-4 is {range_of(algebra.floats(plain, 'gamma') ** -4.0)}. {ANY_VALUE}",
    )  # fmt: skip
    noisy = rows(evidence, WINDOW, panel=WIDE, series=EMPIRICAL)
    noisy = noisy[algebra.floats(noisy, "kappa") > 0]
    shares = noisy.assign(
        mean=algebra.floats(noisy, "projected"),
        se=math.nan,
        limit=[_largest_width(row) for row in algebra.rows_of(noisy)],
    )
    within = shares[shares["m"] <= shares["limit"]]
    yield claim_on_all_cells(
        id="width-upper-enough", artefact=WINDOW, location="Theorem 4.1", kind="theorem", source="paper",
        statement="up to m of B^2/(eta^2 kappa^2 gamma^2 d) min(1, 1/(T ((1 - lambda)^2 + lambda^2 eta))) noise leaves the run localized",
        quantity="share of steps that are projected onto the ball of radius R_*, constant 1, at widths up to that limit: the largest over m and kappa",
        cells=algebra.means(within, ("m", "kappa")), criterion=at_most(0.0), regime=regime(within).otherwise(HIDDEN), changed=HIDDEN_ACCUSED,
    )  # fmt: skip
    beyond = shares[shares["m"] > SAME_ORDER**2 * shares["limit"]]
    limits = algebra.values_text(
        sorted({(algebra.place_of(row, ("kappa", "m")), float(row["limit"])) for row in algebra.rows_of(beyond)})
    )
    yield claim_on_all_cells(
        id="width-upper", artefact=WINDOW, location="Theorem 4.1, Sec. 4.2", kind="theorem", source="paper",
        statement="m must not be so large that the accumulated private noise breaks localization",
        quantity="share of steps that are projected onto the ball of radius R_*, constant 1, at widths beyond sixteen times the upper limit: the smallest over m and kappa",
        cells=algebra.means(beyond, ("m", "kappa")), criterion=at_least(AGREES, ": localization is broken"),
        changed="Before a review risks at one multiplier were looked at, outside of the theorem's conditions; whether noise breaks localization is told by the projection.",
        note=f"upper limits at constants 1, no logarithms: {limits}",
    )  # fmt: skip


def _room_at_width(last: pd.DataFrame) -> Regime:
    """The regime in which a risk has room to be four times that at the largest width."""
    return (
        room(float(last["mean"].iloc[0]), SAME_ORDER, "four times the risk at the largest width")
        if len(last)
        else Regime()
    )


def _largest_width(row: "pd.Series[float]") -> float:
    run = run_of(row)
    return math.nan if run is None else rates.largest_width(run)


def _projection(evidence: Evidence) -> Iterator[Claim]:
    table = rows(evidence, WINDOW, series=EMPIRICAL)
    table = in_window(table[(table["panel"] != WIDE) & table["projected"].notna()])
    for name, noisy, words in (
        ("projection-inactive", True, "with noise"),
        ("projection-inactive-without-noise", False, "without noise"),
    ):
        chosen = table[(algebra.floats(table, "kappa") > 0) == noisy]
        yield claim_on_all_cells(
            id=name, artefact=WINDOW, location="Abstract, Sec. 4.3 (step 5)", kind="text", source="paper",
            statement="the projection is inactive along the whole run, with high probability",
            quantity=f"({words}) share of steps that are projected at four times R_* = (log T + sqrt(log(n/delta)))/gamma: the largest over n, B, T, m, d, eta, kappa and lambda",
            cells=algebra.means(chosen.assign(mean=algebra.floats(chosen, "projected"), se=math.nan), SHOWN),
            criterion=at_most(0.0), changed=FROM_OUTSIDE, note=f"{len(chosen)} places inside the window",
        )  # fmt: skip


def _reach(evidence: Evidence) -> Iterator[Claim]:
    table = rows(evidence, WINDOW, series=EMPIRICAL)
    table = in_window(table[(table["panel"] != WIDE) & table["largest_shift"].notna()])
    yield claim_on_all_cells(
        id="localisation-order", artefact=WINDOW, location="Sec. 4.3 (step 5)", kind="text", source="paper",
        statement="the shifted trajectory stays within a distance of the order of tau_gamma of the comparator, which is that far from the start, for all t <= T",
        quantity="largest distance of the shifted iterate from the start over tau_gamma = (log T + sqrt(log(n/delta)))/gamma, constant 1, without bound where a step was projected: the largest over whole runs with and without noise",
        cells={algebra.place_of(row, SHOWN): _far(row) for row in algebra.rows_of(_whole_runs(table)) if row["unit"] > 0},
        criterion=at_most(SAME_ORDER), regime=HIDDEN, changed=f"{HIDDEN_ACCUSED} {HELD}", note=f"to the start in place of the comparator, which differs by tau_gamma. {ANY_VALUE}",
    )  # fmt: skip
    p = CubicSplines(int(setting(evidence, "spline_cells"))).count if setting(evidence, "spline_cells") > 0 else 0
    yield _shift(evidence)
    noisy = of_kind(table, True, True)
    yield claim_on_all_cells(
        id="noise-reach", artefact=WINDOW, location="Sec. 4.3 (step 5)", kind="text", source="identity",
        statement="(algebra) eta c_priv |Z_t| stays below an order of tau_gamma for all t, under the upper limit on the width",
        quantity="eta C_clip kappa/B times the bound z on max |Z_t|, over tau_gamma, constant 1: the largest over runs inside the window",
        cells={algebra.place_of(row, SHOWN): exactly(_noise_reach(row, p)) for row in algebra.rows_of(noisy) if row["unit"] > 0},
        criterion=at_most(SAME_ORDER), regime=HIDDEN, changed=HIDDEN_ACCUSED,
    )  # fmt: skip


def _whole_runs(table: pd.DataFrame) -> pd.DataFrame:
    """Rows at the last T of each run, because distances are those of the whole run in all of its rows."""
    last = table.groupby(RUN, dropna=False)["T"].transform("max")
    return table[table["T"] == last]


def _far(row: "pd.Series[float]") -> Estimate:
    """How far a run went, in tau_gamma; infinite if it was projected, because the projection then kept it near."""
    return exactly(row["largest_shift"] / row["unit"] if row["projected"] == 0 else math.inf)


def _shift(evidence: Evidence) -> Claim:
    """The claim on step 2 of Sec. 4.3, by how far noise carries the shifted iterate at several correlations."""
    table = rows(evidence, WINDOW, panel="correlation", series=SHIFTED)
    noisy = table[algebra.floats(table, "kappa") >= MUCH]
    residues: Places = {}
    for (eta, kappa), _ in noisy.groupby(["eta", "kappa"]):
        moved = seeds(evidence, WINDOW, SHIFTED, "lam", panel="correlation", eta=eta, kappa=kappa)
        lambdas = moved.places["lam"].to_numpy(dtype=float)
        if not len(lambdas) or lambdas[0] != 0.0 or not (moved.means > 0).all():
            continue

        def to_independent(means: Array, place: int, lambdas: Array = lambdas) -> float:
            ratio = float(means[place] / means[0])
            return math.sqrt(ratio) / (1.0 - float(lambdas[place])) if ratio > 0 else math.nan

        residues |= {
            f"eta = {eta:g}, lam = {lam:g}": moved.estimate(partial(to_independent, place=place))
            for place, lam in enumerate(lambdas)
            if 0 < lam < 1
        }
    return claim_on_all_cells(
        id="localisation-lambda", artefact=WINDOW, location="Sec. 4.3 (step 2)", kind="text", source="paper",
        statement="in the shifted iterate the correlated perturbation is reduced to a residual term proportional to 1 - lambda",
        quantity="what noise adds to the squared largest distance of the shifted iterate from the start, the root of its mean over that at lambda = 0 on the same seeds, over 1 - lambda: the furthest off",
        cells=residues, criterion=within_of(1.0, 2.0 * AGREES, words=f"within {2.0 * AGREES:g} of 1: in proportion to 1 - lambda"), regime=regime(noisy),
        changed="Before a review any fall with lambda counted, and then one no slower than 1 - lambda, at runs outside of the window whose numbers were known. Then it had no interval, and then one that took seeds for independent.",
        note="squares, because noise is independent of what training without it moves",
    )  # fmt: skip


def _noise_reach(row: "pd.Series[float]", p: int) -> float:
    largest = math.sqrt(row["m"] * row["d"] * p) + math.sqrt(2.0 * math.log(2.0 * row["T"] / FAILURE))
    return float(row["eta"] * row["C_clip"] * row["kappa"] / row["B"] * largest / row["unit"])


def _gaps(evidence: Evidence) -> Iterator[Claim]:
    population = rows(evidence, WINDOW, panel="records", series=POPULATION)
    arms = population.drop_duplicates(["lam", "kappa"])[["lam", "kappa"]]
    pairs = {
        (float(row["lam"]), float(row["kappa"])): by_seed.together(
            *(
                seeds(evidence, WINDOW, series, "n", panel="records", lam=row["lam"], kappa=row["kappa"])
                for series in (POPULATION, EMPIRICAL)
            )
        )
        for row in algebra.rows_of(arms)
    }
    shares: Places = {}
    for both in pairs.values():
        shares |= _ratios_to_factor(both)
    yield claim_on_all_cells(
        id="theorem-5.2-factor", artefact=WINDOW, location="Theorem 5.2", kind="theorem", source="paper",
        statement="the population bound exceeds the optimization bound by the factor 1 + eta T/n",
        quantity="averaged population over empirical risk of the same seeds, over 1 + eta T/n: the largest over n, kappa and lambda",
        cells=shares, criterion=at_most(1.0), regime=regime(population),
        changed=f"{FROM_OUTSIDE} Then both risks of a run were taken for independent.",
        note=f"eta T/n is {range_of(population['eta'] * population['T'] / population['n'])}",
    )  # fmt: skip
    for name, noisy, place in (
        ("generalisation-gap", False, "Theorem E.1"),
        ("generalisation-gap-noise", True, "Theorem C.23, Theorem 5.2"),
    ):
        found: Places = {}
        for (_, kappa), both in pairs.items():
            if (kappa > 0) == noisy:
                found |= gaps(both, ("n", "lam", "kappa"), _summed_risk)
        own = population[(population["kappa"] > 0) == noisy]
        yield claim_on_all_cells(
            id=name, artefact=WINDOW, location=place, kind="theorem", source="paper",
            statement="the gap between population and empirical risk is at most of the order of (eta/n) sum_t L_S(W_t)",
            quantity="difference of averaged risks of the same seeds over (eta T/n) times the empirical one: the largest over n and lambda",
            cells=found, criterion=at_most(1.0, AT_CONSTANT_1), regime=regime(own).otherwise(HIDDEN),
            changed=f"{HIDDEN_ACCUSED if noisy else f'{FROM_OUTSIDE} {HIDDEN_ACCUSED}'} {FOUR_ALLOWED}",
            note="averages over iterates, where the theorem has the last one",
        )  # fmt: skip


def _summed_risk(row: "pd.Series[float]", empirical: float) -> float:
    return float(row["eta"] * row["T"] / row["n"]) * empirical if row["n"] > 0 else 0.0


def gaps(both: Seeds, keys: Sequence[str], unit: "Callable[[pd.Series[float], float], float]") -> Places:
    """The gap of two risks of the same seeds by place, divided by a number that may use the empirical risk.

    Args:
        both: population risks, behind them the empirical ones at the same places.
        keys: columns that name a place.
        unit: function of the place and its mean empirical risk; a place where it is not positive is left out.
    """
    count = len(both.places) // 2
    found = {}
    for place, row in enumerate(algebra.rows_of(both.places[:count])):

        def share(means: Array, place: int = place, row: "pd.Series[float]" = row) -> float:
            scale = unit(row, float(means[place + count]))
            return float(means[place] - means[place + count]) / scale if scale > 0 else math.nan

        found[algebra.place_of(row, keys)] = both.estimate(share)
    return {name: gap for name, gap in found.items() if not math.isnan(gap.value)}


def _ratios_to_factor(both: Seeds) -> Places:
    """Population over empirical risk, over 1 + eta T/n, by place."""
    count = len(both.places) // 2
    found = {}
    for place, row in enumerate(algebra.rows_of(both.places[:count])):
        factor = 1.0 + _summed_risk(row, 1.0)

        def ratio_of(means: Array, place: int = place, factor: float = factor) -> float:
            return float(means[place] / means[place + count]) / factor if means[place + count] > 0 else math.nan

        found[algebra.place_of(row, ("n", "lam", "kappa"))] = both.estimate(ratio_of)
    return {name: share for name, share in found.items() if not math.isnan(share.value)}
