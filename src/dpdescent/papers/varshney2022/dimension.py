"""The dimension: records needed for a given risk, and the risk at N proportional to d."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from dpdescent.algorithms import dp_ambssgd
from dpdescent.algorithms.sgd_arms import SGDArm
from dpdescent.baselines.ada_ssp import BoundsSource
from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.checks import as_list
from dpdescent.papers.varshney2022 import criteria, descents, setting
from dpdescent.papers.varshney2022.arms import Arm, Choice
from dpdescent.papers.varshney2022.criteria import (
    LARGE_D,
    LOGARITHMS,
    MEDIAN,
    NOT_OURS,
    RATE,
    Quantile,
    claim_on_all_cells,
    in_d,
    risks,
    rows,
)
from dpdescent.papers.varshney2022.descents import NO_STEPS, Measured, fresh, records_of, risks_of, wishart_gram
from dpdescent.papers.varshney2022.formulas import norm_bound
from dpdescent.papers.varshney2022.setting import (
    ADA_SSP,
    ADA_SSP_TIGHT,
    AMBSSGD,
    DP_GD,
    DP_GD_ADAPTIVE,
    FIXED,
    Part,
    Spec,
)
from dpdescent.replication.judging import algebra, statistics
from dpdescent.replication.judging.algebra import Array, Places, floats
from dpdescent.replication.judging.criteria import at_least, at_most, within_of
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.records import Place
from dpdescent.replication.judging.statistics import Estimate

ONE_PASS, WISHART, CLIPPED, AGAIN = "one pass", "Wishart draw", "records clipped", "records used again"
STATISTICS = "sufficient statistics"
# Least number of records of a batch, because DP-STAT and the gradient both need some.
LEAST = 20
STAND_IN = (
    "the largest N of the grid and the first sigma stand for all of them: sensitivity and noise differ, not their ratio"
)
# Label noise, and risk to be reached.
Goal = tuple[float, float]
# Series and label noise.
Run = tuple[str, float]

# Risk at N proportional to d -------------------------------------------------------------------------------------------


def run_risk_vs_d(spec: Spec) -> Iterator[setting.Row]:
    """Yields a risk for each ratio of N to d, method and trial of one dimension."""
    part, sigma = Part.of(spec), spec["arms"]["sigma"]
    measured = {ONE_PASS: _one_pass, WISHART: _wishart, CLIPPED: _clipped, AGAIN: _again}[part.panel]
    for ratio, at in _choices_by_ratio(spec, part):
        arms = _arms_of_panel(part, at)
        for trial in part.trials:
            for series, risk, measures in measured(part, at, arms, trial):
                yield {
                    "panel": part.panel, "n_over_d": ratio, "N": at.N, "d": at.design.d, "sigma": sigma, "eps": at.eps,
                    "delta": part.delta, "kappa": part.kappa, "series": series, "trial": trial, "value": risk,
                    **measures,
                }  # fmt: skip


def _choices_by_ratio(spec: Spec, part: Part) -> Iterator[tuple[int, Choice]]:
    """Yields every ratio of N to d with the main setting at it."""
    design = part.design(spec["cell"]["d"])
    for ratio in as_list(spec["cell"]["n_over_d"]):
        yield ratio, Choice.of(part, design, ratio * design.d, spec["arms"]["sigma"])


def _arms_of_panel(part: Part, at: Choice) -> dict[str, Arm[Any]]:
    """The arms of a panel by series; those of the Wishart draw get X'X and X'y, so that nothing is clipped."""
    series = {
        ONE_PASS: (AMBSSGD, setting.ANY_QUANTILE.format(part.settings.quantile), FIXED),
        WISHART: (setting.OLS, ADA_SSP, ADA_SSP_TIGHT), CLIPPED: (ADA_SSP, ADA_SSP_TIGHT), AGAIN: (setting.DP_GD, DP_GD_ADAPTIVE),
    }  # fmt: skip
    source: BoundsSource = "not enforced" if part.panel == WISHART else "public"
    return at.arms(series[part.panel], source=source)


def _one_pass(part: Part, at: Choice, arms: dict[str, Arm[Any]], trial: int) -> Iterator[Measured[str]]:
    """Runs DP-AMBSSGD, with an adaptive and with a fixed threshold, on batches that are drawn when their turn comes."""
    yield from risks_of(part, at.design, at.N, trial, arms, fresh(part, at.design, at.N, [at.sigma], trial))


def _wishart(part: Part, at: Choice, arms: dict[str, Arm[Any]], trial: int) -> Iterator[Measured[str]]:
    """Runs least squares and AdaSSP on X'X and X'y, which are drawn from their law."""
    place = at.design.place(at.N)
    gram = wishart_gram(at.design, at.N, at.sigma, part.stream(place, trial, "Wishart"))
    for name, arm in arms.items():
        rng = part.stream(place, trial, "AdaSSP")
        w = linear_least_squares(gram) if name == setting.OLS else descents.ada_ssp_on_sums(part, arm, gram, rng)
        yield name, float(at.design.risk(w)), NO_STEPS


def _clipped(part: Part, at: Choice, arms: dict[str, Arm[Any]], trial: int) -> Iterator[Measured[str]]:
    """Runs AdaSSP on records that are clipped to the bounds, as its guarantee needs."""
    X, Y = records_of(part, at.design, at.N, [at.sigma], trial)
    for name, arm in arms.items():
        w = descents.ada_ssp_on_records(part, at.design, arm, X, Y[:, 0], trial)
        yield name, float(at.design.risk(w)), NO_STEPS


def _again(part: Part, at: Choice, arms: dict[str, Arm[Any]], trial: int) -> Iterator[Measured[str]]:
    """Runs DP-GD, whose every step uses all records, with a fixed and with an adaptive threshold."""
    X, Y = records_of(part, at.design, at.N, [at.sigma], trial)
    yield setting.DP_GD, *descents.full_batch(part, at.design, arms[setting.DP_GD], X, Y[:, 0], trial)
    adaptive, batches = {DP_GD_ADAPTIVE: arms[DP_GD_ADAPTIVE]}, dp_ambssgd.every_record(X, Y, part.T)
    yield from risks_of(part, at.design, at.N, trial, adaptive, batches, "DP-GD adaptive")


def releases_risk_vs_d(spec: Spec) -> Iterable[setting.Entry]:
    """Yields the ledger entries of one dimension."""
    part = Part.of(spec)
    for _, at in _choices_by_ratio(spec, part):
        for name, arm in _arms_of_panel(part, at).items():
            where = f"{part.variant}: {part.panel}, {name} N={at.N} d={at.design.d}"
            yield where, arm.mechanism, part.delta


# Smallest N on a grid at which the median risk reaches a target --------------------------------------------------------


class Scan:
    """A part's search for the smallest N of every series and goal.

    Attributes:
        part, design: the part and its law of records.
        sizes: grid of N, geometric in N/d.
        goals: pairs of label noise and risk to be reached.
        draws: number of draws whose median risk has to reach the goal.
        series: names of the panel's series.
    """

    def __init__(self, spec: Spec) -> None:
        self.part = Part.of(spec)
        self.design = self.part.design(spec["cell"]["d"])
        first, last, count = spec["arms"]["grid"]
        self.sizes = [round(self.design.d * ratio) for ratio in np.geomspace(first, last, count).tolist()]
        self.goals: list[Goal] = [(float(sigma), float(target)) for sigma, target in spec["cell"]["goals"]]
        self.draws: int = spec["arms"]["draws"]
        self.series: tuple[str, ...] = tuple(
            spec["arms"]["series"][ONE_PASS if self.part.panel == ONE_PASS else STATISTICS]
        )

    def arms(self, N: int, sigma: float, *, label: int = 0, offset: float = 0.0) -> dict[str, Arm[Any]]:
        """Returns the arms at one N and label noise by series; AdaSSP gets X'X and X'y, so that nothing is clipped."""
        at = Choice.of(self.part, self.design, N, sigma, offset=offset)
        return at.arms(self.series, label, "not enforced")

    def first(self, trial: int) -> Iterator[tuple[str, Goal, int]]:
        """Yields every series and goal with the first N at which the series reaches the goal."""
        return self._upwards(trial) if self.part.panel == ONE_PASS else self._by_bisection(trial)

    def _upwards(self, trial: int) -> Iterator[tuple[str, Goal, int]]:
        """Scans one pass upwards.

        A bisection would fail, because the risk jumps where DP-STAT sees noise. The first of many noisy medians lies a
        little low, by less than a point or two of the grid.
        """
        open_goals = set(product(self.series, self.goals))
        for N in self.sizes:
            if N // self.part.T < LEAST:
                continue
            if not open_goals:
                return
            for name, goal in sorted(self.reached(N, trial, open_goals)):
                open_goals.remove((name, goal))
                yield name, goal, N

    def reached(self, N: int, trial: int, open_goals: set[tuple[str, Goal]]) -> set[tuple[str, Goal]]:
        """Returns the open goals that the median risk over the draws of a trial reaches."""
        values: dict[Run, list[float]] = {}
        for drawn in self.risks(N, trial, {(name, sigma) for name, (sigma, _) in open_goals}):
            for run, risk in drawn.items():
                values.setdefault(run, []).append(risk)
            if all(self._missed(values[name, goal[0]], goal[1]) for name, goal in open_goals):
                return set()
        return {(name, goal) for name, goal in open_goals if np.median(values[name, goal[0]]) <= goal[1]}

    def _missed(self, values: list[float], target: float) -> bool:
        """Whether more than half of all draws have missed a target already, so that their median misses it."""
        return 2 * sum(not risk <= target for risk in values) > self.draws

    def risks(self, N: int, trial: int, asked: set[Run]) -> Iterator[dict[Run, float]]:
        """Yields the risks of every draw of a trial by the series and label noise that are asked for."""
        part, design, T = self.part, self.design, self.part.T
        sigmas = sorted({sigma for sigma, _ in self.goals})
        place = f"sample complexity_N={N}_d={design.d}"
        rngs = {role: part.stream(place, trial, role) for role in ("data", "noise", "offset")}
        for _ in range(self.draws):
            offset = float(rngs["offset"].random())
            runs: dict[Run, Arm[SGDArm]] = {
                (series, sigma): arm
                for label, sigma in enumerate(sigmas)
                for series, arm in self.arms(N, sigma, label=label, offset=offset).items()
                if (series, sigma) in asked
            }
            batches = (design.draw(N // T, np.array(sigmas), rngs["data"]) for _ in range(T))
            normals = dp_ambssgd.Normals.draw(rngs["noise"], T, design.d, part.settings.levels)
            outcomes = descents.descend(runs, batches, normals, part.settings.tail).values()
            averages = np.stack([outcome.average for outcome in outcomes])
            yield dict(zip(runs, design.risk(averages).tolist(), strict=True))

    def _by_bisection(self, trial: int) -> Iterator[tuple[str, Goal, int]]:
        """Bisects for AdaSSP, because its risk falls with N, the generators being the same at every N."""
        for name, goal in product(self.series, self.goals):

            def reaches(N: int, name: str = name, goal: Goal = goal) -> bool:
                values: list[float] = []
                for risk in self.ada_ssp_risks(N, goal[0], name, trial):
                    values.append(risk)
                    if self._missed(values, goal[1]):
                        return False
                return bool(np.median(values) <= goal[1])

            N = first_reached(self.sizes, reaches)
            if N is not None:
                yield name, goal, N

    def ada_ssp_risks(self, N: int, sigma: float, name: str, trial: int) -> Iterator[float]:
        """Yields the risk of AdaSSP on every draw of a trial."""
        place = f"sample complexity_d={self.design.d}"
        rngs = {role: self.part.stream(place, trial, role) for role in ("Wishart", "AdaSSP")}
        arm = self.arms(N, sigma)[name]
        for _ in range(self.draws):
            gram = wishart_gram(self.design, N, sigma, rngs["Wishart"])
            yield float(self.design.risk(descents.ada_ssp_on_sums(self.part, arm, gram, rngs["AdaSSP"])))


def first_reached(grid: list[int], reaches: Callable[[int], bool]) -> int | None:
    """Returns the first N of the grid at which a falling risk reaches its target; None where no N reaches it."""
    if not reaches(grid[-1]):
        return None
    low, high = -1, len(grid) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(grid[middle]) else (middle, high)
    return grid[high]


def run_sample_complexity(spec: Spec) -> Iterator[setting.Row]:
    """Yields the smallest N for each goal, method and trial of one dimension; no row where the grid ends before."""
    scan = Scan(spec)
    part, d = scan.part, scan.design.d
    for trial in part.trials:
        for series, (sigma, target), N in scan.first(trial):
            yield {
                "panel": part.panel, "d": d, "sigma": sigma, "target": target, "eps": part.settings.eps,
                "delta": part.delta, "series": series, "trial": trial, "value": N, "n_over_d": N / d,
            }  # fmt: skip


def releases_sample_complexity(spec: Spec) -> Iterable[setting.Entry]:
    """Yields the ledger entries of one dimension, at one N that stands for all."""
    scan = Scan(spec)
    for series, arm in scan.arms(scan.sizes[-1], scan.goals[0][0]).items():
        name = f"{scan.part.variant}: {scan.part.panel}, {series} d={scan.design.d}"
        yield name, replace(arm.mechanism, stand_in=STAND_IN), scan.part.delta


# Claims ----------------------------------------------------------------------------------------------------------------

SIZES, RISKS = "sample_complexity", "risk_vs_d"
MORE_SCANS = "more scans"
GOAL = ["sigma", "target"]
REACHED = "smallest N at which the median risk reaches its goal"
IN_TEXT: Place = {"artefact": SIZES, "location": "Abstract, Sec. 1.3", "kind": "text", "source": "paper"}
FLAT: Place = {"artefact": RISKS, "location": "Remark (iii) after Thm 3.7", "kind": "theorem", "source": "paper"}
REUSE: Place = {"artefact": RISKS, "location": "Sec. 3", "kind": "text", "source": "ours"}
WITH_LOGARITHMS = (
    "Before a review the logarithms of the public bound of |x|, which hide the power of d at small d, were left in."
)
CALLED_OURS = "After a first look at the tables the claim is called ours."


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges sample sizes by their exponents, then risks at N proportional to d."""
    yield from _ours(evidence)
    yield from _statistics(evidence)
    yield from _gap(evidence)
    yield from _proportional(evidence)
    yield from _reuse(evidence)


def _sizes(evidence: Evidence, series: str, smallest_d: float = 0.0, variant: str = "main") -> pd.DataFrame:
    """Rows with the smallest N of one method; panels that continue a grid of d are taken together."""
    where = {"panel": ONE_PASS} if series == FIXED else {}
    table = rows(evidence, SIZES, variant, series=series, **where)
    return table[floats(table, "d") >= smallest_d].sort_values("d")


def _ours(evidence: Evidence) -> Iterator[Claim]:
    def excess(group: pd.DataFrame) -> Estimate:
        """The exponent of d, less that of d log d over the same d."""
        d = floats(group, "d")
        return statistics.less_number(in_d(group), in_d(group.assign(mean=d * np.log(d), se=math.nan)).value)

    # At the smallest N of every d.
    least = _sizes(evidence, setting.QUANTILE).sort_values(["d", "mean"]).drop_duplicates("d")
    runs = least.assign(N=least["mean"], T=evidence.settings_of(SIZES)["steps_per_kappa"]).dropna(
        subset=criteria.NEEDED
    )
    # As the scan does, because fewer records are no batches.
    runs = runs[floats(runs, "N") >= LEAST * floats(runs, "T")]
    choices = ((f"d = {row['d']:g}", criteria.choice_at(evidence, SIZES, row)) for row in algebra.rows_of(runs))
    statistic = algebra.values_text(((d, choice.s / choice.b) for d, choice in choices), ".2g")
    moving = algebra.places_text(algebra.measured_by(_sizes(evidence, AMBSSGD), GOAL, in_d))

    def claim_of(table: pd.DataFrame, note: str, **given: Any) -> Claim:
        return claim_on_all_cells(
            **given, artefact=SIZES,
            quantity=f"log-log slope in d of the {REACHED}, less that of d log d: the largest over goals",
            cells=algebra.measured_by(table, GOAL, excess), criterion=at_most(RATE),
            note=f"{note}Slopes: {algebra.places_text(algebra.measured_by(table, GOAL, in_d))}",
        )  # fmt: skip

    yield criteria.at_both_quantiles(lambda quantile: claim_of(
        _sizes(evidence, quantile.series, variant=quantile.runs),
        f"the text also has d log^2 d and d log^3 d; the shortest is judged. The theorem has s = b/10; here s/b is {statistic}; {criteria.WITH_MARGIN} with N, slopes are {moving}. ",
        id="sample-size-quantile", location="Abstract, Thm 1.1, Thm 3.7", kind="theorem", source="paper",
        statement=f"N = Omega(d log d) records are enough {criteria.BOTH_QUANTILES}", changed=NOT_OURS,
    ))  # fmt: skip
    yield claim_of(
        _sizes(evidence, FIXED), "no claim about fixed thresholds is made in so many words. ",
        id="sample-size-fixed-clip", location="Sec. 3", kind="text", source="ours",
        statement="(ours) one pass over shuffled records avoids d sqrt(d), since x and w_t are independent: a fixed threshold needs d log d too",
        changed="After a first look at the tables runs with clipping are judged in place of an exact law without.",
    )  # fmt: skip


def _statistics(evidence: Evidence) -> Iterator[Claim]:
    bound = _sizes(evidence, ADA_SSP)
    for id, table, extra, changed, note in (
        ("sample-size-statistics", _sizes(evidence, ADA_SSP_TIGHT, float(LARGE_D)), "",  "",
         f"public bound |x| <= 1.2 sqrt(d), d >= {LARGE_D}: the order without the logarithms of such a bound"),
        ("sample-size-statistics-bound", algebra.scaled_rows(bound, 1.0 / _logarithms(bound, "mean")), " over |X|^2 / d,", WITH_LOGARITHMS,
         f"all d; |X|^2 = d + 2 sqrt(d log N) + 2 log N, the public bound of |x|^2, stands for the logarithms that Omega~ hides. Without that: {algebra.places_text(algebra.measured_by(bound, GOAL, in_d))}"),
    ):  # fmt: skip
        yield claim_on_all_cells(
            id=id, **IN_TEXT,
            statement="perturbed sufficient statistics need N = Omega~(d^{3/2})",
            quantity=f"log-log slope in d of the {REACHED},{extra} AdaSSP: the one that is furthest from 3/2 over goals",
            cells=algebra.measured_by(table, GOAL, in_d), criterion=within_of(1.5, LOGARITHMS), changed=changed, note=note,
        )  # fmt: skip


def _logarithms(table: pd.DataFrame, records: str) -> Array:
    """Ratio |X|^2 / d of AdaSSP's public bound of |x|, the unit of its noise: logarithms of N, and 1 for large d."""
    values = [
        norm_bound(np.ones(int(row["d"])), row[records]) ** 2 / row["d"]
        if row["d"] >= 1 and row[records] > math.e
        else math.nan
        for row in algebra.rows_of(table)
    ]
    return np.array(values, dtype=np.float64)


def _gap(evidence: Evidence) -> Iterator[Claim]:
    on = ["d", *GOAL]
    yield criteria.at_both_quantiles(lambda quantile: claim_on_all_cells(
        id="fewer-records", **IN_TEXT | {"location": "Abstract, Sec. 1"},
        statement=f"existing techniques need more records: d sqrt(d) against d log d {criteria.BOTH_QUANTILES}",
        quantity=f"{REACHED}, of AdaSSP over that of DP-AMBSSGD: the smallest over d and goals",
        cells=algebra.ratios(_sizes(evidence, ADA_SSP), _sizes(evidence, quantile.series, variant=quantile.runs), on), criterion=at_least(1.0), changed=NOT_OURS,
    ))  # fmt: skip
    from_d = float(LARGE_D) / 4
    more, fewer = (_sizes(evidence, ADA_SSP_TIGHT, from_d, variant) for variant in (MORE_SCANS, "main"))
    moving = criteria.gains(fewer, _sizes(evidence, AMBSSGD), on)

    def grows(quantile: Quantile) -> Claim:
        scans = MORE_SCANS if quantile.series == setting.QUANTILE else quantile.runs
        gap = criteria.gains(more, _sizes(evidence, quantile.series, from_d, scans), on)
        return claim_on_all_cells(
            id="gap-grows", **IN_TEXT,
            statement=f"the gap between sufficient statistics and DP-AMBSSGD grows like sqrt(d), log factors hidden {criteria.BOTH_QUANTILES}",
            quantity=f"log-log slope in d, d >= {LARGE_D // 4}, of the {REACHED}, of AdaSSP with the bound 1.2 sqrt(d) over that of DP-AMBSSGD: the one furthest from 1/2",
            cells=algebra.measured_by(gap, GOAL, in_d), criterion=within_of(0.5, LOGARITHMS),
            changed=f"{NOT_OURS} Errors were left out. After a third reading more scans were run, because three leave the exponent open by a half.",
            note=f"at d <= {gap['d'].max():g} the two differ by a constant before they differ by an exponent. With the rule C = 1: {algebra.places_text(algebra.measured_by(moving, GOAL, in_d))}",
        )  # fmt: skip

    yield criteria.at_both_quantiles(grows)


def _slopes(evidence: Evidence, panel: str, series: str, smallest_d: float = 0.0, variant: str = "main") -> Places:
    """Log-log slopes of the risk in d, by N/d."""
    table = risks(evidence, RISKS, series, variant, panel=panel)
    return algebra.measured_by(table[floats(table, "d") >= smallest_d], ["n_over_d"], in_d)


def _proportional(evidence: Evidence) -> Iterator[Claim]:
    yield criteria.at_both_quantiles(lambda quantile: claim_on_all_cells(
        id="risk-flat-quantile", **FLAT,
        statement=f"the risk at N proportional to d does not grow with d {criteria.BOTH_QUANTILES}",
        quantity=f"log-log slope in d of the risk at a fixed N/d: the largest over N/d; {MEDIAN}",
        cells=_slopes(evidence, ONE_PASS, quantile.series, variant=quantile.runs), criterion=at_most(LOGARITHMS), changed=NOT_OURS,
        note=f"{criteria.WITH_MARGIN} with N: {algebra.places_text(_slopes(evidence, ONE_PASS, AMBSSGD))}",
    ))  # fmt: skip
    bound = risks(evidence, RISKS, ADA_SSP, panel=WISHART)
    plain = algebra.measured_by(bound, ["n_over_d"], in_d)
    # Where the ridge rules, the risk is below its power, so that only a floor can be asked for.
    for id, cells, where, criterion, changed, note in (
        ("risk-grows-statistics", _slopes(evidence, WISHART, ADA_SSP_TIGHT, float(LARGE_D)), f", d >= {LARGE_D}", at_least(1.0 - LOGARITHMS), "",
         "where the ridge rules, the risk is near that of the estimate 0 and cannot grow"),
        ("risk-grows-statistics-bound", algebra.measured_by(algebra.scaled_rows(bound, _logarithms(bound, "N") ** -2.0), ["n_over_d"], in_d),
         " over (|X|^2 / d)^2", within_of(1.0, LOGARITHMS), f"{WITH_LOGARITHMS} Until a referee objected d^2 was as good as d.", f"|X|^2 = d + 2 sqrt(d log N) + 2 log N, the public bound of |x|^2, enters the risk squared. Without that: {algebra.places_text(plain)}"),
    ):  # fmt: skip
        yield claim_on_all_cells(
            id=id, **IN_TEXT | {"artefact": RISKS},
            statement="at N proportional to d the term d^3 / (eps N)^2 of existing methods grows linearly in d",
            quantity=f"log-log slope in d of AdaSSP's risk at a fixed N/d{where}: the one furthest from 1 over N/d; {MEDIAN}",
            cells=cells, criterion=criterion, changed=changed, note=note,
        )  # fmt: skip
    drawn, enforced = (risks(evidence, RISKS, ADA_SSP, panel=panel) for panel in (WISHART, CLIPPED))
    yield claim_on_all_cells(
        id="wishart-draw", **REUSE | {"location": "Sec. 1.3"},
        statement="(ours) what is drawn for AdaSSP without records agrees with runs on clipped records",
        quantity=f"AdaSSP's risk on clipped records over that of the Wishart draw, geometric mean over d: the one furthest off over N/d; {MEDIAN}",
        cells=_pooled_over_d(drawn, enforced), criterion=within_of(1.0, criteria.OFF_BY),
        changed="After a third reading d are taken together, which have records of their own, and 0.4 is allowed; twenty draws at each left a half open.",
        note=f"{drawn['trials'].max():g} draws each; only runs on clipped records have the guarantee",
    )  # fmt: skip


def _pooled_over_d(drawn: pd.DataFrame, enforced: pd.DataFrame) -> Places:
    """Geometric means over d of the ratio of two tables' risks, by N/d."""
    by_ratio: dict[str, list[Estimate]] = {}
    for row, other in algebra.paired_rows(enforced, drawn, ["n_over_d", "d"]):
        by_ratio.setdefault(algebra.place_of(row, ["n_over_d"]), []).append(algebra.ratio_of_rows(row, other))
    return {place: statistics.pooled(statistics.with_value(ratios)) for place, ratios in by_ratio.items()}


def _reuse(evidence: Evidence) -> Iterator[Claim]:
    """Judges full-batch DP-GD, which uses records again, because no run samples them with replacement."""
    yield claim_on_all_cells(
        id="risk-grows-gradient", **REUSE | {"location": "Abstract, Sec. 3, remark (v) after Thm 3.7"},
        statement="(ours) at N proportional to d the risk of full-batch DP-GD with fixed threshold grows linearly in d, as the term d^3 / (eps N)^2 of existing methods does",
        quantity=f"log-log slope in d of the risk of full-batch DP-GD with fixed threshold at a fixed N/d: the smallest; {MEDIAN}",
        cells=_slopes(evidence, AGAIN, DP_GD), criterion=at_least(1.0 - LOGARITHMS), changed="The claim was added after a second reading.",
        note=f"the paper speaks of bounds, and of records sampled with replacement; full-batch DP-GD stands in for that. One pass with a fixed threshold: {algebra.places_text(_slopes(evidence, ONE_PASS, FIXED))}",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="reuse-needs-more", **REUSE,
        statement="(ours) full-batch DP-GD with adaptive threshold, which meets records again, needs N >= d sqrt(d)",
        quantity=f"log-log slope in d of the risk of full-batch DP-GD with adaptive threshold at a fixed N/d: the smallest; {MEDIAN}",
        cells=_slopes(evidence, AGAIN, DP_GD_ADAPTIVE), criterion=at_least(1.0 - LOGARITHMS), changed=CALLED_OURS,
        note="the sentence is about DP-SGD with records sampled with replacement: \"the issue is fundamental to the method and the excess risk bounds are unlikely to improve by better analysis\"; "
        "full-batch DP-GD (panel \"records used again\") stands in for it",
    )  # fmt: skip
