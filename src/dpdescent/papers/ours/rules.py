"""Rules for the choice of a method: a list of questions about public facts, each with an answer, fitted by a search."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dpdescent.sums import added

Facts = Mapping[str, float]
Losses = Mapping[str, float]

# What a question gains must exceed this, because rounding is no reason to ask.
LEAST_GAIN = 1e-9


@dataclass(frozen=True)
class Question:
    """Whether a fact is at most a cut, or above it, and which method to take if so.

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

    def holds(self, facts: Facts) -> bool:
        """Returns whether the answer is meant for these facts."""
        return (facts[self.fact] <= self.cut) is self.below

    def __str__(self) -> str:
        return f"{self.fact} {'at most' if self.below else 'above'} {self.cut:g}: {self.method}"


@dataclass(frozen=True)
class Rule:
    """Questions that are asked one after another, and what to take where none holds."""

    questions: tuple[Question, ...]
    otherwise: str

    def asked(self, facts: Facts) -> int:
        """Returns by which question facts are answered; the number of questions where by none."""
        return next((k for k, question in enumerate(self.questions) if question.holds(facts)), len(self.questions))

    def answer(self, facts: Facts) -> str:
        """Returns the method for these facts."""
        return [*(question.method for question in self.questions), self.otherwise][self.asked(facts)]


def fit(facts: Sequence[Facts], losses: Sequence[Losses], cuts: Mapping[str, Sequence[float]], most: int) -> Rule:
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


def _gain(question: Question, left: Sequence[tuple[Facts, Losses]]) -> float:
    """What a question takes off the losses of the cells that are left."""
    sides = [[loss for fact, loss in left if question.holds(fact) is side] for side in (True, False)]
    if not all(sides):
        return 0.0
    return _best([loss for _, loss in left])[0] - added(_best(side)[0] for side in sides)


def _best(losses: Sequence[Losses]) -> tuple[float, str]:
    """The smallest sum of losses of one method, and the method; the first one in a tie."""
    methods = dict.fromkeys(name for each in losses for name in each)
    sums = {name: math.fsum(each.get(name, math.inf) for each in losses) for name in methods}
    method = min(sums, key=lambda name: sums[name])
    return sums[method], method
