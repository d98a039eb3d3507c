"""Claims about general strongly convex functions: Theorem 3.1's programme and Figure 3."""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from dpdescent.papers.choquettechoo2023.claims import quantities
from dpdescent.papers.choquettechoo2023.reading import (
    AGREES,
    EQUAL,
    QUICKLY,
    SIGNIFICANT,
    SOLVED,
    claim,
    every,
    rows,
)
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence, Source
from dpdescent.replication.judging.statistics import NOTHING, Estimate, exactly

SGD, FTRL, OPTIMIZED = "DP-SGD", "nu-DP-FTRL", "Optimized"
# A panel is a learning rate with a multiplier, neither of which is stated: claims are about all of them.
PANEL = ["eta", "multiplier"]
PLACE = [*PANEL, "kappa"]
PANELS = "over learning rates and multipliers"


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges which bound is tighter, how the bounds grow, and how they are computed."""
    bounds = {name: rows(evidence, "fig03", series=name).sort_values("kappa") for name in (SGD, FTRL, OPTIMIZED)}
    yield from _tighter(bounds)
    yield from _growth(bounds)
    yield _quickly(bounds[OPTIMIZED])
    yield _stable(evidence)


def _tighter(bounds: dict[str, pd.DataFrame]) -> Iterator[Claim]:
    statements: tuple[tuple[str, Source, str, str, str], ...] = (
        ("fig03-ftrl-tighter", "paper", FTRL, SGD, ""),
        ("fig03-optimized-tighter", "identity", OPTIMIZED, FTRL, "the alternation starts from nu-DP-FTRL, and no round increases the bound"),
    )  # fmt: skip
    for id, source, tighter, wider, note in statements:
        yield every(
            id=id, artefact="fig03", location="Figure 3, Sec. 3", kind="figure", source=source,
            statement=f"the bound of {tighter} is tighter than that of {wider}",
            quantity=f"bound of {tighter} over that of {wider}: the largest over condition numbers, {PANELS}",
            cells=algebra.ratios(bounds[tighter], bounds[wider], PLACE), criterion=at_most(1.0 + SOLVED, words="at most 1 (to the solver's tolerance)"),
            note=note,
        )  # fmt: skip
    last = {name: table.groupby(PANEL).tail(1) for name, table in bounds.items()}
    yield every(
        id="fig03-significant", artefact="fig03", location="Sec. 1.3, Sec. 3", kind="text", source="paper",
        statement="nu-DP-FTRL significantly improves upon DP-SGD, particularly when the condition number is large",
        quantity=f"bound of DP-SGD over that of nu-DP-FTRL at the largest condition number: the smallest {PANELS}",
        cells=algebra.ratios(last[SGD], last[FTRL], PLACE), criterion=at_least(SIGNIFICANT),
    )  # fmt: skip


def _growth(bounds: dict[str, pd.DataFrame]) -> Iterator[Claim]:
    gap, quotient = (_combined(bounds[SGD], bounds[FTRL], how) for how in (np.subtract, np.divide))
    yield every(
        id="fig03-absolute-gap", artefact="fig03", location="Sec. 3", kind="figure", source="paper",
        statement="the absolute gap grows with the increasing condition number",
        quantity=f"bound of DP-SGD less that of nu-DP-FTRL, over the same at the condition number before: the smallest, {PANELS}",
        cells=_steps(gap), criterion=at_least(1.0 + EQUAL, words="above 1"),
    )  # fmt: skip
    yield every(
        id="fig03-multiplicative", artefact="fig03", location="Sec. 3", kind="figure", source="paper",
        statement="the gap between DP-SGD and nu-DP-FTRL is multiplicative",
        quantity=f"bound of DP-SGD over that of nu-DP-FTRL, over the same at the condition number before: the smallest, {PANELS}",
        cells=_steps(quotient), criterion=at_least(1.0 - SOLVED, words="at least 1 (to the solver's tolerance): on a logarithmic axis the gap does not close"),
    )  # fmt: skip
    slower = _combined(bounds[OPTIMIZED], bounds[FTRL], np.divide)
    yield every(
        id="fig03-optimized-slower", artefact="fig03", location="Sec. 3", kind="figure", source="paper",
        statement="the suboptimality of Optimized DP-FTRL grows even more slowly with kappa",
        quantity=f"growth of its bound from the smallest to the largest condition number over that of nu-DP-FTRL's: the largest {PANELS}",
        cells=algebra.by(slower, PANEL, _end_to_end), criterion=at_most(1.0 - SOLVED, words="below 1"),
    )  # fmt: skip


Rule = Callable[[pd.Series, pd.Series], pd.Series]


def _combined(first: pd.DataFrame, second: pd.DataFrame, how: Rule) -> pd.DataFrame:
    """Rows at equal places of both tables, whose mean is made of both means."""
    both = first.merge(second[[*PLACE, "mean"]], on=PLACE, suffixes=("", "_second")).sort_values("kappa")
    return both.assign(mean=how(both["mean"].astype(float), both["mean_second"].astype(float)), se=np.nan)


def _steps(table: pd.DataFrame) -> algebra.Places:
    """Each gap over that at the condition number before; a gap after one that is not positive has not grown."""
    table = table[table["mean"].notna()].assign(mean=table["mean"].clip(lower=0.0))

    def grown(row: "pd.Series[float]") -> Estimate:
        return exactly(0.0 if row["before"] == 0.0 else row["mean"] / row["before"])

    return algebra.means(quantities.with_value_before(table, "mean", "kappa", PANEL), PLACE, grown)


def _end_to_end(table: pd.DataFrame) -> Estimate:
    return algebra.over(table.iloc[-1], table.iloc[0]) if table["kappa"].nunique() > 1 else NOTHING


def _quickly(table: pd.DataFrame) -> Claim:
    return every(
        id="fig03-quickly", artefact="fig03", location="Sec. 3", kind="text", source="paper",
        statement="empirically this iterative procedure converges quickly",
        quantity=f"rounds of the alternation until the bound changes by less than a thousandth: the most over condition numbers, {PANELS}",
        cells=quantities.values(table, "iterations", PLACE), criterion=at_most(QUICKLY, words=f"at most {QUICKLY}"),
    )  # fmt: skip


def _stable(evidence: Evidence) -> Claim:
    """Judges the number of frequencies; it is open where cells disagree, because eta and kappa are not stated."""
    points = evidence.published["grid_points"]
    uniform, limit = (rows(evidence, "fig03", variant, multiplier="static") for variant in ("uniform grid", "main"))

    def off(table: pd.DataFrame) -> Estimate:
        ratios = algebra.ratios(table, limit, [*PLACE, "series"]).values()
        found = [abs(each.value - 1.0) for each in ratios]
        return Estimate(max(found), min(found), max(found)) if found else NOTHING

    return claim(
        id="fig03-grid", artefact="fig03", location="Sec. 3", kind="text", source="paper",
        statement=f"the values stabilise quickly as k increases; the change drops below a threshold at k = {points}",
        quantity=f"relative distance of the bound on {points} uniform points to that on a graded grid: the largest; the interval is the range over cells",
        measured=off(uniform), criterion=at_most(AGREES, " in every cell; open where cells disagree, as neither eta nor the range of kappa is stated"),
        straddles="unstated value decides",
        note=f"largest by eta: {algebra.told(algebra.by(uniform, ['eta'], off))}",
    )  # fmt: skip
