"""Conjectures on the rule for the choice of a method: beside one method for all, and beside a rule that was fitted.

Regrets of the rule's answers were known when these criteria were written, those of single methods and of a fitted rule
were not.
"""

from collections.abc import Callable, Iterator

import pandas as pd

from dpdescent.papers.ours.decision import MADE
from dpdescent.papers.ours.experiments.decision import ALWAYS, FITTED, RULE
from dpdescent.papers.ours.reading import claim_on_all_cells, rows
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate, exactly

GROUPS = (MADE, "known", "held out")


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges what the rule is worth."""
    table = rows(evidence, "decision")
    yield claim_on_all_cells(
        id="rule-beats-every-single-method", artefact="decision", location="Sec. 3", kind="text",
        statement="one question is better than one method for all, whichever that is",
        quantity="typical regret of the rule over the smallest of all methods that are taken everywhere, by group of cells; ends as if all cells erred together",
        cells=_over(table, typical), criterion=at_most(1.0),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="rule-is-the-safest", artefact="decision", location="Sec. 3", kind="text",
        statement="and safer: its worst cell is better than the worst cell of any method that is taken everywhere",
        quantity="worst regret of the rule over the smallest worst regret of all methods that are taken everywhere, by group of cells",
        cells=_over(table, worst), criterion=at_most(1.0),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="hindsight-gains-little", artefact="decision", location="Sec. 3", kind="text",
        statement="a rule with one question more that was fitted to made data is hardly better on real tables",
        quantity="typical regret of the rule over that of the fitted one, on real tables, known and held out; ends as if all cells erred together",
        cells={
            group: _ratio(*(typical(cells[cells["series"] == series].iloc[0]) for series in (RULE, FITTED)))
            for group, cells in _groups(table[table["series"].isin([RULE, FITTED])], 2) if group != MADE
        },
        criterion=at_most(1.1),
    )  # fmt: skip


def typical(row: "pd.Series[float]") -> Estimate:
    """The geometric mean of a way to choose."""
    return Estimate(row["typical"], row["low"], row["high"])


def worst(row: "pd.Series[float]") -> Estimate:
    """The worst cell of a way to choose."""
    return exactly(row["worst"])


def _groups(table: pd.DataFrame, least: int) -> Iterator[tuple[str, pd.DataFrame]]:
    """Groups of cells with as many rows at least."""
    for group in GROUPS:
        cells = table[table["panel"] == group]
        if len(cells) >= least:
            yield group, cells


def _over(table: pd.DataFrame, measure: "Callable[[pd.Series[float]], Estimate]") -> Places:
    """The rule over the best of those that take one method everywhere, by group of cells."""
    found: Places = {}
    for group, cells in _groups(table, 2):
        rule = [measure(row) for row in algebra.rows_of(cells[cells["series"] == RULE])]
        alone = [measure(row) for row in algebra.rows_of(cells[cells["series"].str.startswith(ALWAYS.format(""))])]
        if rule and alone:
            found[group] = _ratio(rule[0], min(alone, key=lambda each: each.value))
    return found


def _ratio(first: Estimate, second: Estimate) -> Estimate:
    return Estimate(first.value / second.value, first.low / second.high, first.high / second.low)
