"""What a rule for the choice of a method costs, beside one method for all, and beside a rule that was fitted."""

import math
from collections.abc import Iterator, Sequence

from dpdescent.papers.ours import decision, rules
from dpdescent.papers.ours.contenders.field import PRIVATE
from dpdescent.papers.ours.decision import Cell, Ratio
from dpdescent.papers.ours.design import Row, Spec
from dpdescent.replication.build.files import read_rows

RULE, FITTED, ALWAYS = "the rule", "fitted rule", "always {}"
# The panel whose rows are the questions of the fitted rule.
QUESTIONS = "questions of the fitted rule"


def run(spec: Spec) -> Iterator[Row]:
    """Yields regrets, one trial a cell of the contest, of every way to choose a method."""
    tables = {name: read_rows(spec["tables"][name]) for name in decision.CELLS}
    cells = list(enumerate(decision.regrets(tables, spec["settings"]["dp_delta"])))
    made = [(k, cell) for k, cell in cells if cell.group == decision.MADE]
    rule, panel = fitted(spec, [cell for _, cell in made]), spec["panel"]
    if panel == decision.BY_ANSWER:
        for method in decision.WHERE:
            yield from _rows(panel, method, [(k, cell, method) for k, cell in cells if cell.advised == method])
    elif panel == QUESTIONS:
        for asked, words in enumerate([*map(str, rule.questions), f"else: {rule.otherwise}"]):
            mine = [(k, cell, rule.answer(cell.facts)) for k, cell in made if rule.asked(cell.facts) == asked]
            yield from _rows(panel, f"{asked + 1}. {words}", mine)
    else:
        members = [(k, cell) for k, cell in cells if cell.group == panel]
        yield from _rows(panel, RULE, [(k, cell, cell.advised) for k, cell in members])
        yield from _rows(panel, FITTED, [(k, cell, rule.answer(cell.facts)) for k, cell in members])
        for method in PRIVATE:
            yield from _rows(panel, ALWAYS.format(method), [(k, cell, method) for k, cell in members])


def fitted(spec: Spec, made: Sequence[Cell]) -> rules.Rule:
    """Returns the rule that a search finds on made data, by the sum of the logarithms of its regrets."""
    losses = [{name: math.log(ratio[0]) for name, ratio in cell.ratios.items()} for cell in made]
    given = spec["arms"]["fitted"]
    return rules.fit([cell.facts for cell in made], losses, given["cuts"], given["questions"])


def _rows(panel: str, series: str, chosen: Sequence[tuple[int, Cell, str]]) -> Iterator[Row]:
    """Rows of one way to choose: regrets by cell, and beside each the worst, and the typical one of all with its ends.

    The typical one is a geometric mean, whose ends are as if all cells erred together. A method that did not run
    somewhere has no rows.
    """
    if not chosen or any(method not in cell.ratios for _, cell, method in chosen):
        return
    found: list[Ratio] = [cell.ratios[method] for _, cell, method in chosen]
    typical, low, high = (
        math.exp(math.fsum(math.log(ratio[end]) for ratio in found) / len(found)) for end in range(3)
    )  # fmt: skip
    told = {"worst": max(ratio[0] for ratio in found), "typical": typical, "low": low, "high": high}
    for (k, _, _), ratio in zip(chosen, found, strict=True):
        yield {"panel": panel, "series": series, "trial": k, "value": ratio[0], **told}
