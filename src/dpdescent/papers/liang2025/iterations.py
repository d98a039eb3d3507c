"""Error and bound as iterations grow: Figures 2 and 4."""

import math
from collections.abc import Iterator
from functools import partial
from itertools import pairwise, product

import numpy as np
import pandas as pd

from dpdescent.baselines.least_squares import two_stage_least_squares
from dpdescent.checks import as_list
from dpdescent.data.iv import IVSample
from dpdescent.papers.liang2025 import cases, formulas, laws
from dpdescent.papers.liang2025.criteria import (
    LEVEL,
    RATE,
    SIGNIFICANT,
    at_readings,
    claim,
    claim_on_all_cells,
    judged_claim,
    paired_ratios,
)
from dpdescent.papers.liang2025.formulas import IVProblem
from dpdescent.papers.liang2025.setting import (
    ANOTHER_RUN,
    Arm,
    Row,
    Spec,
    constants,
    private,
    problem_of,
    releases,
    sweep,
)
from dpdescent.replication.judging import algebra, records
from dpdescent.replication.judging.criteria import at_least, between, within_of
from dpdescent.replication.judging.evidence import Bound, Cell, Claim, Evidence
from dpdescent.replication.judging.records import HIDDEN, Place
from dpdescent.replication.judging.statistics import NOTHING, Estimate, exactly, half_widths, log_log_slope, ratio

FIGURE_4: Place = {"artefact": "fig04", "location": "Sec. 4.1, Figure 4", "kind": "figure", "source": "paper"}
FIGURE_4A: Place = {"artefact": "fig04", "location": "Sec. 4.1, Figure 4(a)", "kind": "figure", "source": "paper"}
FIGURE_4B: Place = {"artefact": "fig04", "location": "Sec. 4.1, Figure 4(b)", "kind": "figure", "source": "paper"}
# Slopes in T of a bound that falls, is flat, rises.
PHASES = ("falls", "is flat", "rises")
FALLS, RISES = -0.5, 0.25
BUDGETS = (0.1, 1.0, 10.0)
# Rows of Figure 4 that compare a run with that of the panel's next budget, trial by trial.
NEXT = "less that at the next budget"
# Levels at which a rising error is cut off, in parts of the first step's error, which is that of zero.
LEVELS = (0.25, 0.5, 0.75)
# The panel and the budget that varies in it.
ORDERS = (("fig04a-order", FIGURE_4A, "a", "rho1"), ("fig04b-order", FIGURE_4B, "b", "rho2"))
# The first T from which curves are compared, which is that of all other experiments (Sec. 4.1, App. G).
COMPARED = 20


def run_fig02(spec: Spec) -> Iterator[Row]:
    """Yields bound (7) at every T, term by term; every row holds the boundaries of its regimes (Remark 3.7)."""
    problem, rho = problem_of(spec), spec["cell"]["rho1"]
    window = formulas.spectrum(problem, constants(spec))
    kappa = formulas.contraction(window, formulas.recommended_step_sizes(window)).overall
    regimes = laws.regime_boundaries(problem, kappa, rho, rho)
    ends = {"T1": regimes.optimisation_ends, "T2": regimes.sampling_ends, "T3": regimes.bound_ends, "kappa": kappa}
    grid = np.geomspace(1, 1.5 * regimes.bound_ends, spec["arms"]["points"])
    for T in np.unique(np.round(grid).astype(int)).tolist():
        terms = laws.bound_terms(problem, kappa, rho, rho, T)
        for series in ("optimisation", "privacy", "sampling", "total"):
            yield {"T": T, "series": series, "trial": 0, "value": getattr(terms, series), **ends}


def budgets(spec: Spec, problem: IVProblem) -> list[Arm]:
    """Figure 4: one arm for every T and pair of budgets of the panel; each T is a run with its own noise."""
    budgets_of = (as_list(spec["cell"][stage]) for stage in ("rho1", "rho2"))
    # Panel c has both stages' budgets exchanged, and not every pair of them.
    pairs = list(zip(*budgets_of, strict=True)) if spec["panel"] == "c" else list(product(*budgets_of))
    return [
        private(spec, problem, T, rho1, rho2, {"T": T, "rho1": rho1, "rho2": rho2})
        for T, (rho1, rho2) in product(spec["arms"]["T"], pairs)
    ]


def next_budgets(arms: list[Arm]) -> Iterator[tuple[int, int, str]]:
    """Pairs of runs of one T: at a pair of budgets, and at the next one of the panel."""
    for k, (arm, other) in enumerate(pairwise(arms)):
        if arm.T == other.T:
            yield k, k + 1, NEXT


def limits(spec: Spec, sample: IVSample, problem: IVProblem, arms: list[Arm]) -> list[Row]:
    """The largest T of condition (5), and of (21), its explicit form at the constants of the step sizes."""
    window, steps = formulas.spectrum(problem, constants(spec)), arms[0].steps
    kappa = formulas.contraction(window, steps).theta
    norm, clip = float(np.linalg.norm(two_stage_least_squares(sample).Theta, 2)), spec["settings"]["clip_constant"]
    proved = {
        rho1: laws.explicit_iteration_limit(problem, window, kappa, steps.eta, rho1, norm, clip_constant=clip)
        for rho1 in {arm.rho1 for arm in arms}
    }
    return [
        {"limit_condition_5": laws.iteration_limit(problem, arm.rho1), "limit_condition_21": proved[arm.rho1]}
        for arm in arms
    ]


run_fig04 = partial(sweep, arms_of=budgets, axes=("panel",), measures_of=limits, pairs_of=next_budgets)
releases_fig04 = partial(releases, arms_of=budgets)


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on Figure 2, on the cut-off, on the plateau, and on the order of curves."""
    yield _phases(evidence)
    yield from at_readings(evidence, ["fig04"], _cutoff)
    yield from at_readings(evidence, ["fig04"], _plateau)
    yield from at_readings(evidence, ["fig04"], _orders)


def _phases(evidence: Evidence) -> Claim:
    bound, passed = evidence.select("fig02", series="total").sort_values("T"), 0
    for slope in np.diff(np.log(bound["mean"])) / np.diff(np.log(bound["T"])):
        phase = "falls" if slope <= FALLS else "is flat" if abs(slope) <= RATE else "rises" if slope >= RISES else ""
        passed += passed < len(PHASES) and phase == PHASES[passed]
    return claim(
        id="fig02-phases", artefact="fig02", location="Figure 2, Remark 3.7", kind="figure", source="identity",
        statement="(algebra) as a function of T the bound first falls, then is flat, then rises, where all regimes of Remark 3.7 exist",
        quantity="number of the three phases that the bound's slope in T passes in this order",
        measured=exactly(passed) if len(bound) > 1 else NOTHING, criterion=within_of(3.0, 0.0, words="all three"), regime=HIDDEN,
        changed=(
            "At first fewer phases counted as not reproduced, though the constants and the rate kappa that the curve takes are ours. After "
            "a review it is an identity, because n was chosen so that all regimes exist. Until another one n was 20,000, where the regimes touch "
            "and the draw of another seed has no steep part."
        ),
        note=f"slopes of at most {FALLS:g}, within {RATE:g} of 0, at least {RISES:g}; hidden constants are 1",
    )  # fmt: skip


def _panel(evidence: Evidence, panel: str) -> pd.DataFrame:
    return evidence.select("fig04", panel=panel, error_to="beta_hat")


def _cutoff(evidence: Evidence) -> Iterator[Claim]:
    rows = _panel(evidence, "a")
    yield claim(
        id="fig04a-cutoff-exists", **FIGURE_4A,
        statement="with small rho1 the error grows significantly after a certain T is reached",
        quantity="mean error at the largest T over the smallest mean error, rho1 = 0.1",
        measured=last_over_least(rows[rows["rho1"] == 0.1]), criterion=at_least(SIGNIFICANT),
    )  # fmt: skip
    slopes = {f"{level:g} of the first step's error": _cutoff_slope(rows, level) for level in LEVELS}
    slopes = {name: slope for name, slope in slopes.items() if not math.isnan(slope.value)}
    criterion = between(0.7, 1.3)
    verdicts = {name: criterion.verdict(slope) for name, slope in slopes.items()}
    shared = (
        records.agreement(verdicts)
        if verdicts
        else records.Agreement("not testable", "no rows", "no curve passes a level")
    )
    yield judged_claim(
        id="fig04a-cutoff-condition-5", **FIGURE_4A,
        statement="the cut-off aligns with condition (5), which is proportional to rho1",
        quantity="slope of log cut-off in log rho1; the cut-off is where the rising error passes a level that is the same for all budgets",
        measured=min(slopes.values(), key=lambda slope: criterion.margin(slope.value), default=NOTHING),
        criterion=f"{criterion.words} at every level", verdict=shared.verdict, why=shared.why,
        changed=(
            "Before a review the level was twice each curve's own minimum (or the place of that minimum), which moves with rho1 "
            "itself and which a clipped error may never pass; condition (5) keeps noise below one level."
        ),
        note=f"condition (5) has a constant to which the paper gives no value, so only its proportionality can be judged; {shared.told}",
        cells=[Cell(name, slope.value, slope.low, slope.high, verdicts[name]) for name, slope in slopes.items()],
    )  # fmt: skip


def last_over_least(curve: pd.DataFrame) -> Estimate:
    """The mean error at the largest T divided by the smallest one."""
    return ratio(algebra.rows_at_end(curve, "T").iloc[0], curve.loc[curve["mean"].idxmin()])


def _cutoff_slope(rows: pd.DataFrame, level: float) -> Estimate:
    """Slope of the log cut-off in the log budget, with the cut-offs' intervals propagated; `NOTHING` of one."""
    if rows.empty:
        return NOTHING
    height = level * algebra.rows_at_end(rows, "T", largest=False)["mean"].mean()
    cutoffs = {rho: _passes(rows[rows["rho1"] == rho].sort_values("T"), height) for rho in BUDGETS}
    known = {rho: cut for rho, cut in cutoffs.items() if not math.isnan(cut.value)}
    return slope_of(np.log(list(known)), list(known.values())) if len(known) > 1 else NOTHING


def slope_of(x: algebra.Array, cutoffs: list[Estimate]) -> Estimate:
    """The slope of a least-squares line through cut-offs, with their intervals propagated."""
    weights = (x - x.mean()) / ((x - x.mean()) ** 2).sum()
    value = float(weights @ [cut.value for cut in cutoffs])
    half = float(np.linalg.norm(weights * [(cut.high - cut.low) / 2 for cut in cutoffs]))
    return Estimate(value, value - half, value + half)


def _passes(curve: pd.DataFrame, height: float) -> Estimate:
    """Log of the T at which the rising error passes a height; the interval from shifts by the means' intervals.

    `NOTHING` where the curve never lies below, or where it or a shifted one does not pass within the grid.
    """
    if curve.empty or not curve["mean"].min() < height:
        return NOTHING
    log_T, lowest, level = np.log(curve["T"].to_numpy(dtype=float)), int(np.argmin(curve["mean"])), math.log(height)

    def crossing(shift: float) -> float:
        """First T from the minimum on at which the curve, moved by so many half widths, reaches the height."""
        error = np.log(curve["mean"].to_numpy() + shift * half_widths(curve))
        k = next((k for k in range(lowest, len(error)) if error[k] >= level), None)
        if k is None:
            return math.nan
        return float(log_T[k] if k == lowest else np.interp(level, error[k - 1 : k + 1], log_T[k - 1 : k + 1]))

    value, *ends = (crossing(shift) for shift in (0.0, -1.0, 1.0))
    return NOTHING if any(math.isnan(end) for end in (value, *ends)) else Estimate(value, min(ends), max(ends))


def _plateau(evidence: Evidence) -> Iterator[Claim]:
    curve = evidence.select("fig04", panel="b", rho2=0.1, error_to="beta_hat").sort_values("T")
    statement = "with small rho2 the error behaves as Figure 2: it drops, stays, rises"
    yield claim(
        id="fig04b-drop", **FIGURE_4B, statement=f"{statement} (drop)",
        quantity="mean error at T = 1 over the smallest, rho2 = 0.1",
        measured=ratio(curve.iloc[0], curve.loc[curve["mean"].idxmin()]), criterion=at_least(SIGNIFICANT),
    )  # fmt: skip
    yield claim(
        id="fig04b-plateau", **FIGURE_4B, statement=f"{statement} (plateau)",
        quantity="largest over smallest T at which the mean error is within 25 % of its minimum, rho2 = 0.1",
        measured=_width(curve), criterion=at_least(4.0, words="at least 4"),
        changed="After a second reading the ends are interpolated, because the widths that our grid of T allows near 4 are 3.3 and 4.7 alone.",
    )  # fmt: skip
    yield claim(
        id="fig04b-rise", **FIGURE_4B, statement=f"{statement} (rise like sqrt(T))",
        quantity="log-log slope of the mean error over T >= 100, rho2 = 0.1",
        measured=log_log_slope(curve[curve["T"] >= 100], "T"), criterion=between(0.25, 0.75),
    )  # fmt: skip


def _width(curve: pd.DataFrame) -> Estimate:
    """The ratio of the largest to the smallest T near a curve's minimum; the interval is from shifts by the means'.

    Between points of the grid the logarithms are interpolated, because the paper's grid of T is not stated.
    """
    log_T, means = np.log(curve["T"].to_numpy(dtype=float)), curve["mean"].to_numpy(dtype=float)
    level = math.log(LEVEL * means.min()) if len(means) else math.nan

    def width(shift: float) -> float:
        error = np.log(means + shift * half_widths(curve))
        inside = np.flatnonzero(error <= level)
        if not len(inside):
            return 1.0

        def meets(below: int, above: int) -> float:
            """The log T at which the line from a point inside to its neighbour meets the level."""
            known = 0 <= above < len(error)
            return float(np.interp(level, error[[below, above]], log_T[[below, above]]) if known else log_T[below])

        return math.exp(meets(inside[-1], inside[-1] + 1) - meets(inside[0], inside[0] - 1))

    return Estimate(width(0.0), width(1.0), width(-1.0))


def _orders(evidence: Evidence) -> Iterator[Claim]:
    above = at_least(1.0, words="above 1")
    for id, place, panel, budget in ORDERS:
        cells: algebra.Places = {}
        for (less, few), (_, many) in pairwise(_late(_panel(evidence, panel)).groupby(budget)):
            differences = _differences(evidence, panel)
            ratios = paired_ratios(few, many, differences[differences[budget] == less], ["T"])
            cells |= {f"{budget} = {less:g}, {T}": ratio for T, ratio in ratios.items()}
        yield claim_on_all_cells(
            id=id, **place | {"source": "ours"},
            statement=f"(ours, the order of the curves, of which the text says nothing) with the other budget large, a smaller {budget} gives the larger error",
            quantity=f"mean error at a {budget} over that at ten times as much, on the same data and normals, T >= {COMPARED}",
            cells=cells, criterion=above,
            changed=(
                "Before a review the runs were taken as independent, though they share data and normals; and (a) was compared at "
                "T = 1000 alone, where clipping has levelled the curves. Until a further reading it counted as the paper's."
            ),
        )  # fmt: skip
    rows = _late(_panel(evidence, "c"))
    strict_first, strict_second = rows[rows["rho1"] < rows["rho2"]], rows[rows["rho1"] > rows["rho2"]]
    yield claim_on_all_cells(
        id="fig04-asymmetry", **FIGURE_4 | {"source": "ours"},
        statement="(ours, as the contrast of (a) with (b) is read) a small rho1 does more harm than an equally small rho2",
        quantity=f"mean error at rho1 = 0.1 (rho2 large) over that with both budgets exchanged, on the same data and normals, T >= {COMPARED}",
        cells=paired_ratios(strict_first, strict_second, _differences(evidence, "c"), ["T"]), criterion=above,
        changed=(
            "Before a review it was said in the paper's name and asked for a factor of two at every T from 50 on, though clipping holds both "
            "errors at that of zero for large T; that the error grows significantly has claims of its own."
        ),
    )  # fmt: skip


def _late(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["T"] >= COMPARED]


def _differences(evidence: Evidence, panel: str) -> pd.DataFrame:
    """The rows of a panel that compare runs of a trial at two pairs of budgets."""
    return evidence.select("fig04", panel=panel, error_to=ANOTHER_RUN, series=NEXT)


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates bound (7) at every point of Figure 4 beside the error."""
    for panel in "ab":
        for row in algebra.rows_of(_panel(evidence, panel)):
            place = f"Figure 4({panel})"
            case = cases.case(evidence, cases.FIGURE_4, T=row["T"], rho1=row["rho1"], rho2=row["rho2"], place=place)
            yield cases.error_bound(case, row)
