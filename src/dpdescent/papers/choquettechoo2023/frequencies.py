"""The number of frequencies on which Figure 3's bounds are computed (Sec. 3): whether 1000 are enough."""

from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.choquettechoo2023 import criteria
from dpdescent.papers.choquettechoo2023.criteria import claim, rows
from dpdescent.papers.choquettechoo2023.setting import DP_SGD
from dpdescent.papers.choquettechoo2023.strongly_convex import (
    OPTIMIZED,
    PLACE,
    STATIC,
    WORDS_OF_SECTION_3,
    Noise,
    at_ends,
    bound,
    frequency_grid,
    nu_noise,
    place_of,
    problem_and_grid,
    sign_of,
)
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import rows_of
from dpdescent.replication.judging.bound_rows import equality_row
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence
from dpdescent.replication.judging.statistics import NOTHING, Estimate

# Points of a uniform grid that resolves the peak at every learning rate and condition number of Figure 3.
MANY_POINTS = 2**18


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges the distance from the limit, then the rule by which the number was chosen."""
    yield _stabilises(evidence)
    yield _changes(evidence)


def _stabilises(evidence: Evidence) -> Claim:
    """Judges the number of frequencies; it is open where cells disagree, because eta and kappa are not stated."""
    points = evidence.published["grid_points"]
    uniform, limit = (rows(evidence, "fig03", variant, multiplier="static") for variant in ("uniform grid", "main"))

    def distance(table: pd.DataFrame) -> Estimate:
        ratios = algebra.ratios(table, limit, [*PLACE, "series"]).values()
        distances = [abs(ratio.value - 1.0) for ratio in ratios]
        return Estimate(max(distances), min(distances), max(distances)) if distances else NOTHING

    return claim(
        id="fig03-grid", **WORDS_OF_SECTION_3,
        statement=f"the values stabilise quickly as k increases; the change drops below a threshold at k = {points}",
        quantity=f"relative distance of the bound on {points} uniform points to that on a graded grid: the largest; the interval is the range over cells",
        measured=distance(uniform), criterion=at_most(criteria.AGREES, " in every cell; open where cells disagree, as neither eta nor the range of kappa is stated"),
        straddles="unstated value decides",
        note=f"largest by eta: {algebra.places_text(algebra.measured_by(uniform, ['eta'], distance))}",
    )  # fmt: skip


def _changes(evidence: Evidence) -> Claim:
    """Judges the rule by which the number of frequencies was chosen, as it is written; open where cells disagree."""
    points = evidence.published["grid_points"]
    table = rows(evidence, "fig03", multiplier=STATIC)
    chosen = [row for row in rows_of(table) if row["series"] != OPTIMIZED]
    found = [(row, *(_on_uniform(evidence, row, k) for k in (points // 2, points))) for row in chosen]
    changes = [(row, abs(after / before - 1.0)) for row, before, after in found]
    values = [change for _, change in changes]
    changing = sorted(
        {f"eta={row['eta']:g}, kappa={row['kappa']:g}" for row, change in changes if change > criteria.AGREES}
    )
    return claim(
        id="fig03-grid-change", **WORDS_OF_SECTION_3,
        statement=f"the change in the bound as a function of k drops below a threshold: at k = {points}",
        quantity=f"relative change of the bound from {points // 2} to {points} uniform points, static multiplier, of DP-SGD and nu-DP-FTRL: the largest; the interval is the range over cells",
        measured=Estimate(max(values), min(values), max(values)) if values else NOTHING,
        criterion=at_most(criteria.AGREES, " in every cell; open where cells disagree, as neither eta nor the range of kappa is stated"),
        straddles="unstated value decides", changed="The claim was added after a fourth review: k was held.",
        note=f"it changes by more at {'; '.join(changing)}" if changing else "",
    )  # fmt: skip


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of both mechanisms, static multiplier, at the smallest and the largest condition number."""
    for row in rows_of(at_ends(rows(evidence, "fig03", multiplier=STATIC))):
        if row["series"] != OPTIMIZED:
            yield _many_points(evidence, row)


def _many_points(evidence: Evidence, row: pd.Series) -> Bound:
    """Compares the bound on the paper's grid, at very many points, with that on a graded grid."""
    return equality_row(
        bound="bound (10), many uniform points", location="Sec. 3", setting=place_of(row), value=row["mean"],
        measured=_on_uniform(evidence, row, MANY_POINTS), allowed=criteria.SOLVED * row["mean"],
        note=f"to a thousandth, the value on a graded grid; measured is that on k = {MANY_POINTS} uniform points, because it is to approach (10) as k grows",
    )  # fmt: skip


def _on_uniform(evidence: Evidence, row: pd.Series, points: int) -> float:
    """The static bound of a row's noise on the paper's grid of so many points."""
    problem, _ = problem_and_grid(evidence, row)
    grid = frequency_grid("uniform", points, problem.descent.eta * problem.descent.mu)
    noise = Noise.independent(grid) if row["series"] == DP_SGD else nu_noise(problem, grid)
    return bound(problem, grid, noise, T_max=0, sign=sign_of(evidence)).value
