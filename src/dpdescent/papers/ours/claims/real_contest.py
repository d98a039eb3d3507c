"""The same conjectures on real tables, for those that prototypes had seen and for those that were held out."""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.ours import decision
from dpdescent.papers.ours.claims.contest import BEFORE, RIVALS, against, others, share_of_wins
from dpdescent.papers.ours.contenders.field import PRIVATE, REGRESSION
from dpdescent.papers.ours.reading import claim, claim_on_all_cells, rows
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate, exactly

KEYS = ["table", "eps"]


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges who wins, and the rule that was fixed before the tables that were held out were read."""
    table, delta = rows(evidence, "real_tables"), evidence.settings["dp_delta"]
    known, held_out = (table[table["panel"] == panel] for panel in ("known", "held out"))
    yield claim(
        id="real-regression-wins", artefact="real_tables", location="Sec. 3", kind="text",
        statement="on real tables too DP regression is mostly the best",
        quantity="share of tables and budgets in which it is the best private method; the interval's ends are those in which that is certain, and in which it is possible",
        measured=_wins(known), criterion=at_least(0.5), changed=BEFORE.format("inconclusive"),
    )  # fmt: skip
    yield claim(
        id="held-out-regression-wins", artefact="real_tables", location="Sec. 3", kind="text",
        statement="on tables that were held out DP regression is mostly the best",
        quantity="share of tables and budgets in which it is the best private method; the interval's ends are those in which that is certain, and in which it is possible",
        measured=_wins(held_out), criterion=at_least(0.5), changed=BEFORE.format("inconclusive, on other tables"),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="held-out-rivals-lose-to-regression", artefact="real_tables", location="Sec. 3", kind="text",
        statement="on tables that were held out TukeyEM, BoostedAdaSSP and Hessian mixing are beaten by DP regression",
        quantity="smallest excess risk of the three, the last two also with their authors' numbers of rounds, over that of DP regression, by table and budget for which the rule takes it",
        cells=against(_enough(held_out, delta), RIVALS, (REGRESSION,), KEYS), criterion=at_least(1.0),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="real-advice-is-never-bad", artefact="real_tables", location="Sec. 3", kind="text",
        statement="on real tables the advised method is never far from the best",
        quantity="excess risk of the advised method over the smallest of all private methods, by table and budget",
        cells=_regret(known, delta), criterion=at_most(2.0),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="held-out-advice-is-never-bad", artefact="real_tables", location="Sec. 3", kind="text",
        statement="on tables that were held out the advised method is never far from the best",
        quantity="excess risk of the advised method over the smallest of all private methods, by table and budget",
        cells=_regret(held_out, delta), criterion=at_most(2.0),
    )  # fmt: skip
    for id, part, which in (
        ("real-advice-is-usually-best", known, "real tables"),
        ("held-out-advice-is-usually-best", held_out, "tables that were held out"),
    ):
        values = sorted(each.value for each in _regret(part, delta).values() if not math.isnan(each.value))
        yield claim(
            id=id, artefact="real_tables", location="Sec. 3", kind="text",
            statement=f"on {which} the rule mostly names the best private method, or one next to it",
            quantity="median over tables and budgets of the advised method's excess risk over the smallest of all private methods",
            measured=exactly(values[len(values) // 2] if values else math.nan), criterion=at_most(1.1),
        )  # fmt: skip


def _wins(table: pd.DataFrame) -> Estimate:
    return share_of_wins(against(table, (REGRESSION,), others(REGRESSION), KEYS))


def _enough(table: pd.DataFrame, delta: float) -> pd.DataFrame:
    """Rows of tables and budgets for which the rule takes DP regression."""
    found = [decision.advice(row["n"], row["p"], row["eps"], delta) == REGRESSION for row in algebra.rows_of(table)]
    return table[pd.Series(found, index=table.index, dtype=bool)]


def _regret(table: pd.DataFrame, delta: float) -> Places:
    """The excess risk of the advised method over the smallest of all private methods, by table and budget."""
    found: Places = {}
    for _, cell in table.groupby(KEYS, sort=True):
        first = cell.iloc[0]
        advised = decision.advice(first["n"], first["p"], first["eps"], delta)
        found |= against(cell, (advised,), PRIVATE, KEYS)
    return found
