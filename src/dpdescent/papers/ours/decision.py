"""Which method to take: a rule with one question, fixed before the contest at paper scale, and its regret."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpdescent.papers.ours.contenders.field import PRIVATE, REGRESSION, RULE, SCHEDULED, ZERO
from dpdescent.papers.ours.contest_design import information
from dpdescent.replication.build.files import read_rows

# What is taken below a number of `n sqrt(rho) / p`: with fewer records than the first there is more noise than signal;
# up to the last one a second moment of the covariates is mostly noise.
HOPELESS = 3.0
RUNGS = ((HOPELESS, ZERO), (8.0, RULE), (15.0, SCHEDULED), (math.inf, REGRESSION))
# The condition number of a real table's covariates.
UNKNOWN = math.inf

# What tells cells apart, without the group of rows: a cell that stands in two groups counts once.
CELLS = {"win_map": ["n", "p", "eps", "sigma", "kappa", "law"], "real_tables": ["table", "n", "p", "eps"]}
WHERE = {method: f"below {bound:g}" if bound < math.inf else "else" for bound, method in RUNGS}
WHERE[ZERO] = f"`n sqrt(rho) / p` {WHERE[ZERO]}"
# The group of cells of made data, a fact of theirs, and the panel of `decision` whose rows are the rule's answers.
MADE, INFORMATION, BY_ANSWER = "made", "n sqrt(rho) / p", "by answer"

# Ways to choose that the documentation compares.
SHOWN = 5

Table = Iterable[Mapping[str, Any]]
Ratio = tuple[float, float, float]


def advice(n: float, p: float, eps: float, delta: float) -> str:
    """Returns the method: how much can be known at this size and budget?"""
    found = information(n, p, eps, delta)
    return next(method for bound, method in RUNGS if found < bound)


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

    @property
    def regret(self) -> float:
        """The ratio of the method that is advised."""
        return self.ratios[self.advised][0]


def regrets(tables: Mapping[str, Table], delta: float) -> Iterator[Cell]:
    """Yields the cells of both tables of the contest."""
    for name, keys in CELLS.items():
        cells = dict[tuple[Any, ...], dict[str, Mapping[str, Any]]]()
        for row in tables[name]:
            if row["variant"] == "main":
                cells.setdefault(tuple(row[key] for key in keys), {})[row["series"]] = row
        for found in cells.values():
            yield _cell(name, found, delta)


def _cell(name: str, found: dict[str, Mapping[str, Any]], delta: float) -> Cell:
    rows = {method: found[method] for method in PRIVATE if method in found}
    best = min(rows, key=lambda method: float(rows[method]["median"]))
    first = rows[best]
    n, p, eps = (float(first[key]) for key in ("n", "p", "eps"))
    kappa = float(first["kappa"]) if name == "win_map" else UNKNOWN
    ratios = {method: ratio(row, first) if method != best else (1.0, 1.0, 1.0) for method, row in rows.items()}
    return Cell(
        MADE if name == "win_map" else str(first["panel"]),
        {INFORMATION: information(n, p, eps, delta), "n": n, "p": p, "eps": eps, "known kappa": kappa},
        advice(n, p, eps, delta), ratios,
    )  # fmt: skip


def ratio(first: Mapping[str, Any], second: Mapping[str, Any]) -> Ratio:
    """The ratio of two medians, with the ends of independent logarithms; NaN where an end is not positive."""
    one, other = (tuple(float(row[f"median{end}"]) for end in ("", "_low", "_high")) for row in (first, second))
    if not min(one[1], other[1]) > 0.0:
        return math.nan, math.nan, math.nan
    below = math.hypot(math.log(one[0] / one[1]), math.log(other[2] / other[0]))
    above = math.hypot(math.log(one[2] / one[0]), math.log(other[0] / other[1]))
    value = one[0] / other[0]
    return value, value * math.exp(-below), value * math.exp(above)


def compared(results: Path) -> str:
    """Returns what ways to choose cost, as a table in Markdown: the rule, the fitted one, and single methods."""
    panels = (MADE, "known", "held out")
    rows = read_rows(results / "ours" / "decision.csv")
    found = {(row["series"], row["panel"]): f"{float(row['typical']):.3g}, {float(row['worst']):.3g}" for row in rows}
    cost = {row["series"]: float(row["typical"]) for row in rows if row["panel"] == MADE}
    lines = [
        f"| {series} | {' | '.join(found.get((series, panel), '') for panel in panels)} |"
        for series in sorted(cost, key=lambda name: (name.startswith("always"), cost[name]))[:SHOWN]
    ]
    asked = [row for row in rows if row["panel"].startswith("questions")]
    fitted = "; ".join(row["series"] for row in asked)
    head = ["| regret: geometric mean, worst | made | real, known | real, held out |", "|---|---|---|---|"]
    return "\n".join([*head, *lines, "", f"The fitted rule: {fitted}."])


def table(results: Path) -> str:
    """Returns the advice with its regret as a table in Markdown, from the committed table of a scale."""
    rows = [row for row in read_rows(results / "ours" / "decision.csv") if row["panel"] == BY_ANSWER]
    told = {row["series"]: f"{float(row['median']):.2g}, {float(row['worst']):.2g}" for row in rows}
    lines = [f"| {where} | {method} | {told[method]} |" for method, where in WHERE.items() if method in told]
    return "\n".join(["| when | take | regret: median, worst |", "|---|---|---|", *lines])
