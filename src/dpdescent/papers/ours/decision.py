"""Which method to take: a rule with one question, fixed before the contest at paper scale, and what it costs.

Beside it stand one method for all, and a rule that is fitted: a list of questions about public facts, each with an
answer, found by a search.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dpdescent.papers.ours import methods
from dpdescent.papers.ours.contest_design import information
from dpdescent.papers.ours.criteria import claim_on_all_cells, rows
from dpdescent.papers.ours.methods import PRIVATE
from dpdescent.papers.ours.setting import Row, Spec
from dpdescent.replication.build.files import read_rows
from dpdescent.replication.judging import algebra, records
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate, exactly, ratio_of_estimates
from dpdescent.sums import added

# What is taken below a number of `n sqrt(rho) / p`: with fewer records than the first there is more noise than signal;
# up to the last one a second moment of the covariates is mostly noise.
HOPELESS = 3.0
RUNGS = (
    (HOPELESS, methods.ZERO), (8.0, methods.RULE), (15.0, methods.SCHEDULED), (math.inf, methods.REGRESSION),
)  # fmt: skip
# The condition number of a real table's covariates.
UNKNOWN = math.inf

# What tells cells apart, without the group of rows: a cell that stands in two groups counts once.
CELLS = {"win_map": ["n", "p", "eps", "sigma", "kappa", "law"], "real_tables": ["table", "n", "p", "eps"]}
# The group of cells of made data, and a fact of theirs.
MADE, INFORMATION = "made", "n sqrt(rho) / p"

Ratio = tuple[float, float, float]
Numbers = Mapping[str, float]


def advice(n: float, p: float, eps: float, delta: float) -> str:
    """The method to take: how much can be known at this size and budget?"""
    known = information(n, p, eps, delta)
    return next(method for bound, method in RUNGS if known < bound)


def conditions() -> dict[str, str]:
    """When the rule takes a method, in words, by method."""
    below = [(method, "else" if bound == math.inf else f"below {bound:g}") for bound, method in RUNGS]
    return {method: words if k else f"`{INFORMATION}` {words}" for k, (method, words) in enumerate(below)}


@dataclass(frozen=True)
class Cell:
    """A cell of the contest.

    Attributes:
        group: `made`, or the panel of a real table.
        facts: what a question may be about, by name.
        advised: the rule's answer.
        ratios: excess risk over that of the best private method, with the ends of its interval, by method.
    """

    group: str
    facts: dict[str, float]
    advised: str
    ratios: dict[str, Ratio]


def regrets(tables: Mapping[str, Iterable[Mapping[str, Any]]], delta: float) -> Iterator[Cell]:
    """Yields the cells of both tables of the contest."""
    for name, keys in CELLS.items():
        by_cell = dict[tuple[Any, ...], dict[str, Mapping[str, Any]]]()
        for row in tables[name]:
            if row["variant"] == "main" and row["series"] in PRIVATE:
                by_cell.setdefault(tuple(row[key] for key in keys), {})[row["series"]] = row
        for cell in by_cell.values():
            risks = {method: cell[method] for method in PRIVATE if method in cell}
            # The first one in a tie.
            _, _, best = min((float(row["median"]), k, method) for k, (method, row) in enumerate(risks.items()))
            first = risks[best]
            n, p, eps = (float(first[key]) for key in ("n", "p", "eps"))
            kappa = float(first["kappa"]) if name == "win_map" else UNKNOWN
            yield Cell(
                MADE if name == "win_map" else str(first["panel"]),
                {INFORMATION: information(n, p, eps, delta), "n": n, "p": p, "eps": eps, "known kappa": kappa},
                advice(n, p, eps, delta),
                {method: ratio(row, first) if method != best else (1.0, 1.0, 1.0) for method, row in risks.items()},
            )  # fmt: skip


def ratio(first: Mapping[str, Any], second: Mapping[str, Any]) -> Ratio:
    """The ratio of two medians, with the ends of independent logarithms; NaN where an end is not positive."""
    one, other = (tuple(float(row[f"median{end}"]) for end in ("", "_low", "_high")) for row in (first, second))
    if not min(one[1], other[1]) > 0.0:
        return math.nan, math.nan, math.nan
    below = math.hypot(math.log(one[0] / one[1]), math.log(other[2] / other[0]))
    above = math.hypot(math.log(one[2] / one[0]), math.log(other[0] / other[1]))
    middle = one[0] / other[0]
    return middle, middle * math.exp(-below), middle * math.exp(above)


# A rule that is fitted

# What a question gains must exceed this, because rounding is no reason to ask.
LEAST_GAIN = 1e-9


@dataclass(frozen=True)
class Question:
    """The question whether a fact is at most a cut, or above it, and which method to take if so.

    Attributes:
        fact: name of the fact.
        cut: the value that divides it.
        below: whether the answer is for facts of at most the cut; else for those above.
        method: the answer.
    """

    fact: str
    cut: float
    below: bool
    method: str = ""

    def holds(self, facts: Numbers) -> bool:
        """Whether the answer is meant for these facts."""
        return (facts[self.fact] <= self.cut) is self.below

    def __str__(self) -> str:
        return f"{self.fact} {'at most' if self.below else 'above'} {self.cut:g}: {self.method}"


@dataclass(frozen=True)
class Rule:
    """Questions that are asked one after another, and what to take where none holds."""

    questions: tuple[Question, ...]
    otherwise: str

    def asked(self, facts: Numbers) -> int:
        """The number of the question by which facts are answered; the number of questions where by none."""
        return next((k for k, question in enumerate(self.questions) if question.holds(facts)), len(self.questions))

    def answer(self, facts: Numbers) -> str:
        """The method for these facts."""
        return [*(question.method for question in self.questions), self.otherwise][self.asked(facts)]


def fit(facts: Sequence[Numbers], losses: Sequence[Numbers], cuts: Mapping[str, Sequence[float]], most: int) -> Rule:
    """Finds a rule with a small sum of losses: one question after another, each the one that gains most.

    Args:
        facts: public facts, of every cell.
        losses: by method, of every cell; a method that is missing somewhere is no answer there.
        cuts: values at which a fact may be divided, by fact.
        most: number of questions at most.
    """
    left, questions = list(zip(facts, losses, strict=True)), list[Question]()
    asks = [
        Question(fact, cut, below)
        for fact, values in cuts.items() for cut, below in itertools.product(values, (True, False))
    ]  # fmt: skip
    while len(questions) < most:
        gains = [_gain(question, left) for question in asks]
        if not max(gains, default=0.0) > LEAST_GAIN:
            break
        asked = asks[gains.index(max(gains))]
        method = _best([loss for fact, loss in left if asked.holds(fact)])[1]
        questions.append(Question(asked.fact, asked.cut, asked.below, method))
        left = [(fact, loss) for fact, loss in left if not asked.holds(fact)]
    return Rule(tuple(questions), _best([loss for _, loss in left])[1])


def _gain(question: Question, left: Sequence[tuple[Numbers, Numbers]]) -> float:
    """What a question takes off the losses of the cells that are left."""
    sides = [[loss for fact, loss in left if question.holds(fact) is side] for side in (True, False)]
    if not all(sides):
        return 0.0
    return _best([loss for _, loss in left])[0] - added(_best(side)[0] for side in sides)


def _best(losses: Sequence[Numbers]) -> tuple[float, str]:
    """The smallest sum of losses of one method, and the method; the first one in a tie."""
    names = dict.fromkeys(name for loss in losses for name in loss)
    sums = {name: math.fsum(loss.get(name, math.inf) for loss in losses) for name in names}
    method = min(sums, key=lambda name: sums[name])
    return sums[method], method


ADVISED, FITTED, ALWAYS = "the rule", "fitted rule", "always {}"
# Panels whose rows are the rule's answers, and the questions of the fitted rule.
BY_ANSWER, QUESTIONS = "by answer", "questions of the fitted rule"


def run_decision(spec: Spec) -> Iterator[Row]:
    """Yields regrets, one trial a cell of the contest, of every way to choose a method."""
    tables = {name: read_rows(spec["tables"][name]) for name in CELLS}
    cells = list(enumerate(regrets(tables, spec["settings"]["dp_delta"])))
    made = [(k, cell) for k, cell in cells if cell.group == MADE]
    rule, panel = fitted(spec, [cell for _, cell in made]), spec["panel"]
    if panel == BY_ANSWER:
        for _, method in RUNGS:
            yield from _chosen(panel, method, [(k, cell, method) for k, cell in cells if cell.advised == method])
    elif panel == QUESTIONS:
        for asked, words in enumerate([*map(str, rule.questions), f"else: {rule.otherwise}"]):
            mine = [(k, cell, rule.answer(cell.facts)) for k, cell in made if rule.asked(cell.facts) == asked]
            yield from _chosen(panel, f"{asked + 1}. {words}", mine)
    else:
        members = [(k, cell) for k, cell in cells if cell.group == panel]
        yield from _chosen(panel, ADVISED, [(k, cell, cell.advised) for k, cell in members])
        yield from _chosen(panel, FITTED, [(k, cell, rule.answer(cell.facts)) for k, cell in members])
        for method in PRIVATE:
            yield from _chosen(panel, ALWAYS.format(method), [(k, cell, method) for k, cell in members])


def fitted(spec: Spec, made: Sequence[Cell]) -> Rule:
    """The rule that a search finds on made data, by the sum of the logarithms of its regrets."""
    losses = [{name: math.log(risk[0]) for name, risk in cell.ratios.items()} for cell in made]
    given = spec["arms"]["fitted"]
    return fit([cell.facts for cell in made], losses, given["cuts"], given["questions"])


def _chosen(panel: str, series: str, choices: Sequence[tuple[int, Cell, str]]) -> Iterator[Row]:
    """Rows of one way to choose: regrets by cell, and beside each the worst, and the typical one of all with its ends.

    The typical one is a geometric mean, whose ends are as if all cells erred together. A method that did not run
    somewhere has no rows.
    """
    if not choices or any(method not in cell.ratios for _, cell, method in choices):
        return
    costs = [cell.ratios[method] for _, cell, method in choices]
    middle, low, high = (math.exp(math.fsum(math.log(cost[end]) for cost in costs) / len(costs)) for end in range(3))
    shared = {"worst": max(cost[0] for cost in costs), "typical": middle, "low": low, "high": high}
    for (k, _, _), cost in zip(choices, costs, strict=True):
        yield {"panel": panel, "series": series, "trial": k, "value": cost[0], **shared}


DECISION: records.Place = {"artefact": "decision", "location": "Sec. 3", "kind": "text", "source": "ours"}
GROUPS = (MADE, "known", "held out")


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges what the rule is worth; its regrets were known when criteria were written, those of others were not."""
    table = rows(evidence, "decision")
    yield claim_on_all_cells(
        id="rule-beats-every-single-method", **DECISION,
        statement="one question is better than one method for all, whichever that is",
        quantity="typical regret of the rule over the smallest of all methods that are taken everywhere, by group of cells; ends as if all cells erred together",
        cells=_over_single_methods(table, _typical), criterion=at_most(1.0),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="rule-is-the-safest", **DECISION,
        statement="and safer: its worst cell is better than the worst cell of any method that is taken everywhere",
        quantity="worst regret of the rule over the smallest worst regret of all methods that are taken everywhere, by group of cells",
        cells=_over_single_methods(table, lambda row: exactly(row["worst"])), criterion=at_most(1.0),
    )  # fmt: skip
    ways = table[table["series"].isin([ADVISED, FITTED])]
    yield claim_on_all_cells(
        id="hindsight-gains-little", **DECISION,
        statement="a rule with one question more that was fitted to made data is hardly better on real tables",
        quantity="typical regret of the rule over that of the fitted one, on real tables, known and held out; ends as if all cells erred together",
        cells={
            group: ratio_of_estimates(*(_typical(part[part["series"] == name].iloc[0]) for name in (ADVISED, FITTED)))
            for group in GROUPS[1:] for part in [ways[ways["panel"] == group]] if len(part) > 1
        },
        criterion=at_most(1.1),
    )  # fmt: skip


def _typical(row: "pd.Series[float]") -> Estimate:
    """The geometric mean of a way to choose."""
    return Estimate(row["typical"], row["low"], row["high"])


def _over_single_methods(table: pd.DataFrame, measure: "Callable[[pd.Series[float]], Estimate]") -> Places:
    """The rule over the best of those that take one method everywhere, by group of cells."""
    ratios: Places = {}
    for group in GROUPS:
        part = table[table["panel"] == group]
        rule, alone = (
            [measure(row) for row in algebra.rows_of(part[chosen])]
            for chosen in (part["series"] == ADVISED, part["series"].astype(str).str.startswith(ALWAYS.format("")))
        )
        if rule and alone:
            ratios[group] = ratio_of_estimates(rule[0], min(alone, key=lambda estimate: estimate.value))
    return ratios
