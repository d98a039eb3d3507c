"""Claims about numbers of iterations, measured without clipping: condition (5), the first phase, the best T."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpdescent.papers.liang2025.bounds import cases
from dpdescent.papers.liang2025.claims.rates import PRIVACY, TABLE, rows_of
from dpdescent.papers.liang2025.reading import every, judged
from dpdescent.papers.liang2025.theory import error_bounds
from dpdescent.replication.judging import algebra, records
from dpdescent.replication.judging.criteria import at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import NOTHING, Estimate, half_width, less, negative

# Levels at which a rising error is cut off, in parts of the first step's error, as in Figure 4.
LEVELS = (0.25, 0.5, 0.75)
# An exponent that is this part of the printed one, as in Figure 4.
SHARE = 1.3
CUTOFFS = (("cut-off n", "n"), ("cut-off p", "p"), ("cut-off q", "q"))
# A sequence that grows faster than log n has increments a decade that grow; those of n^0.1 by 1.58 over two decades.
FASTER = 1.5


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on condition (5), on the first phase, on the best T."""
    yield every(
        id="condition-5-suffices", artefact=TABLE, location="Theorem 3.1, eq. (5)", kind="theorem", source="paper",
        statement="the T that (5) allows, in proportion to n^2, 1/p and (sqrt q + sqrt tau)^-6, keeps the first stage's noise below a level",
        quantity="exponent, in what (5) allows as n grows and in its inverse as p and q grow, of the cut-off over it; at the cut-off the rising median error passes a level",
        cells=dict(_cutoffs(evidence)), criterion=at_least(1.0 - SHARE, ": the cut-off does not come sooner than (5) says"),
    )  # fmt: skip
    yield _first_phase(evidence)
    yield _best(evidence)


def _cutoffs(evidence: Evidence) -> Iterator[tuple[str, Estimate]]:
    for panel, axis in CUTOFFS:
        rows = rows_of(evidence, panel, "error to beta_hat")
        for level in LEVELS:
            allowed, found = _passes(rows, axis, level)
            if len(found) >= algebra.POINTS:
                over = less(_slope(allowed, found), 1.0)
                yield f"{panel}, {level:g} of the first step's error", over if axis == "n" else negative(over)


def _passes(rows: pd.DataFrame, axis: str, level: float) -> tuple[list[float], list[Estimate]]:
    """What (5) allows, and the log T at which the median error passes the level, at every value of the axis."""
    allowed, found = [], []
    for _, curve in rows.groupby(axis):
        ordered = curve.sort_values("T").reset_index(drop=True)
        height = level * float(ordered["median"].iloc[0])
        cut = _crossing(ordered, height)
        if not math.isnan(cut.value):
            at = ordered.iloc[0]
            problem = cases.problem_at(int(at["n"]), int(at["p"]), int(at["q"]), float(at["tau"]))
            allowed.append(math.log(error_bounds.iteration_limit(problem, float(at["rho1"]))))
            found.append(cut)
    return allowed, found


def _crossing(curve: pd.DataFrame, height: float) -> Estimate:
    """Log of the T at which the median rises through a height; the ends are those of its bootstrap interval."""
    value, early, late = (_first(curve, curve[name], height) for name in ("median", "median_high", "median_low"))
    return NOTHING if math.isnan(value + early + late) else Estimate(value, early, late)


def _first(curve: pd.DataFrame, error: "pd.Series[float]", height: float) -> float:
    log_T, values = np.log(curve["T"].to_numpy(dtype=float)), np.log(error.to_numpy(dtype=float))
    lowest, level = int(np.argmin(values)), math.log(height)
    beyond = [k for k in range(lowest + 1, len(values)) if values[k] >= level]
    if not beyond or values[lowest] >= level:
        return math.nan
    k = beyond[0]
    return float(np.interp(level, values[k - 1 : k + 1], log_T[k - 1 : k + 1]))


def _slope(x: list[float], cuts: list[Estimate]) -> Estimate:
    """The slope of cut-offs, with their intervals propagated."""
    centred = np.array(x) - np.mean(x)
    weights = centred / (centred @ centred)
    value = float(weights @ [cut.value for cut in cuts])
    half = float(np.linalg.norm(weights * [(cut.high - cut.low) / 2 for cut in cuts]))
    return Estimate(value, value - half, value + half)


def _first_phase(evidence: Evidence) -> Claim:
    cells = {}
    for n, rows in evidence.select(TABLE, panel="best T").groupby("n"):
        begins = _plateau_begins(evidence, int(n))
        if begins > 0:
            cells[f"n = {n:g}"] = _meeting(rows, begins)
    return every(
        id="remark-3.7-first-phase", artefact=TABLE, location="Remark 3.7", kind="theorem", source="paper",
        statement="the first phase, in which the optimisation term dominates, ends at a T of order log(n / (pq (tau + log pq)^2)) / log(1/kappa)",
        quantity="T at which the noise's part of the error exceeds what is left without noise, over that T at constant 1, where it is positive",
        cells=cells, criterion=at_most(1.0, words="at most 1"), regime=records.HIDDEN, changed=records.HIDDEN_ACCUSED,
    )  # fmt: skip


def _plateau_begins(evidence: Evidence, n: int) -> float:
    at = cases.case(evidence, cases.FIGURE_3A, n=n, rho1=1.0, rho2=1.0)
    if not at.kappa < 1:
        return math.nan
    return error_bounds.regime_boundaries(at.problem, at.kappa, 1.0, 1.0).optimisation_ends


def _meeting(rows: pd.DataFrame, unit: float) -> Estimate:
    """The T at which the two parts are equal, in units of another T; its ends by the intervals of the means."""
    noise, left = (
        rows[rows["quantity"] == name].sort_values("T").reset_index(drop=True)
        for name in (PRIVACY, "(7) optimisation part")
    )
    log_T, ratio = np.log(noise["T"].to_numpy(dtype=float)), np.log(noise["mean"] / left["mean"]).to_numpy()
    above = np.flatnonzero(ratio >= 0)
    if not len(above) or above[0] == 0:
        return NOTHING
    k = int(above[0])
    error = math.hypot(*(half_width(rows.iloc[k]) / rows.iloc[k]["mean"] for rows in (noise, left)))
    near = slice(k - 1, k + 1)
    found = (float(np.interp(shift, ratio[near], log_T[near])) for shift in (0.0, -error, error))
    return Estimate(*(math.exp(each) / unit for each in found))


def _best(evidence: Evidence) -> Claim:
    """The claim at two readings of super-logarithmic, over a range of n that the paper leaves open."""
    rows = rows_of(evidence, "best T", "error to beta_hat")
    curves = {float(n): curve.sort_values("T") for n, curve in rows.groupby("n")}
    best = {n: _vertex(curve) for n, curve in curves.items()}
    criterion, grown = at_least(FASTER), _increments(list(best.values()))
    per_log = _per_log(best)
    found = records.agree({"increments a decade": criterion.verdict(grown), "T over log n": criterion.verdict(per_log)})
    return judged(
        id="conclusion-best-T", artefact=TABLE, location="Conclusion, Remark 3.7", kind="theorem", source="paper",
        statement="experiments corroborate that a sub-linear yet super-logarithmic number of iterations in n minimises the error",
        quantity="last increment of the T of least mean error a decade of n over the first, which grows if T grows faster than log n in the end; and T over log n, last over first",
        measured=grown, criterion=f"{criterion.words}, by either", verdict=found.verdict, why=found.why,
        note=f"T of least error: {', '.join(f'{each.value:.0f}' for each in best.values())} at n = {', '.join(f'{n:g}' for n in best)}, without clipping, rho1 = rho2 = 1; "
        f"T over log n changes by a factor {per_log.value:.2f}, by an offset that fades; {found.told}",
    )  # fmt: skip


def _per_log(best: dict[float, Estimate]) -> Estimate:
    """T of least error over log n at the largest n over that at the smallest."""
    if len(best) < algebra.POINTS:
        return NOTHING
    (few, first), *_, (many, last) = best.items()
    logs = math.log(many) / math.log(few)
    return Estimate(last.value / first.value / logs, last.low / first.high / logs, last.high / first.low / logs)


def _vertex(curve: pd.DataFrame) -> Estimate:
    """The T of least mean error, by a parabola through five points of the logarithms; its ends by the error's slope."""
    lowest = int(np.argmin(curve["mean"].to_numpy()))
    near = curve.iloc[max(0, lowest - 2) : lowest + 3]
    if len(near) < 5:
        return NOTHING
    x, y = np.log(near["T"].to_numpy(dtype=float)), np.log(near["mean"].to_numpy(dtype=float))
    relative = (near["se"] / near["mean"]).to_numpy(dtype=float)

    def least(values: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> float:
        bend, slope, _ = np.polyfit(x, values, 2)
        return float(-slope / (2.0 * bend)) if bend > 0 else math.nan

    value = least(y)
    moved = [least(y + relative * (np.arange(5) == k)) - value for k in range(5)]
    half = 2.0 * float(np.linalg.norm(moved))
    return Estimate(math.exp(value), math.exp(value - half), math.exp(value + half))


def _increments(best: list[Estimate]) -> Estimate:
    if len(best) < algebra.POINTS or any(math.isnan(each.value) for each in best):
        return NOTHING
    first, last = best[1].value - best[0].value, best[-1].value - best[-2].value
    errors = [(each.high - each.low) / 2 for each in best]
    relative = math.hypot(math.hypot(errors[0], errors[1]) / first, math.hypot(errors[-1], errors[-2]) / last)
    value = last / first
    return Estimate(value, value * (1 - relative), value * (1 + relative))
