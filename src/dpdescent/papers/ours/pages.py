"""What README.md and docs/beyond.md quote of tables: the advice, what it costs, exact calibration, and coverage.

Each function returns Markdown from the tables of a scale.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from dpdescent.papers.ours import decision
from dpdescent.papers.ours.calibration import EXACT, HAT, PUBLISHED, SCHEDULED
from dpdescent.papers.ours.regression import BELOW, COEFFICIENT, COVERED, LENGTH, REFUSED, bounded, of_coefficients
from dpdescent.papers.ours.regression_ends import DUMMY
from dpdescent.replication.build.files import read_rows
from dpdescent.replication.report.summary import table as piped

Where = Mapping[str, Any]


# Paper and claim that the README's picture shows, and what stands below it.
SHOWN = ("brown2024", "fig02a-5-privacy-rate")
CAPTION = (
    "*The error that privacy adds falls like 1/n, as claimed: measured slope {measured}, from {low} to {high}."
    " Brown et al. 2024, Figure 2, remade.*"
)


def beyond(results: Path) -> dict[str, str]:
    """The blocks of docs/beyond.md."""
    return {quote.__name__: quote(results) for quote in (advice, rules, calibrated, regression, ends)}


def advice(results: Path) -> str:
    """The advice on which method to take, with its regret."""
    rows = [row for row in read_rows(results / "ours/decision.csv") if row["panel"] == decision.BY_ANSWER]
    regrets = {row["series"]: f"{float(row['median']):.2g}, {float(row['worst']):.2g}" for row in rows}
    lines = ([when, method, regrets[method]] for method, when in decision.conditions().items() if method in regrets)
    return piped(["when", "take", "regret: median, worst"], lines)


# Ways to choose that the documentation compares.
WAYS = 5


def rules(results: Path) -> str:
    """What ways to choose cost: the rule, the fitted one, and single methods."""
    panels, rows = decision.GROUPS, read_rows(results / "ours/decision.csv")
    costs = {(row["series"], row["panel"]): (float(row["typical"]), float(row["worst"])) for row in rows}
    typical = {series: cost for (series, panel), (cost, _) in costs.items() if panel == decision.MADE}
    ranked = sorted(typical, key=lambda name: (name.startswith("always"), typical[name]))
    words = {place: f"{cost:.3g}, {worst:.3g}" for place, (cost, worst) in costs.items()}
    lines = ([series, *(words.get((series, panel), "") for panel in panels)] for series in ranked[:WAYS])
    asked = "; ".join(row["series"] for row in rows if row["panel"] == decision.QUESTIONS)
    head = ["regret: geometric mean, worst", "made", "real, known", "real, held out"]
    return f"{piped(head, lines)}\n\nThe fitted rule: {asked}."


@dataclass(frozen=True)
class Line:
    """A row of the table on exact calibration; ratios are over what the paper has, None where there is no such run.

    Attributes:
        place: paper, figure and setting.
        conversion: what stands in the paper.
        noise: the paper's noise over the exact one.
        exact, scheduled: error with the exact accountant, and with a schedule besides.
        predicted: the same two from the law.
    """

    place: str
    conversion: str
    noise: float
    exact: float
    scheduled: float | None = None
    predicted: tuple[float, float] | None = None

    def cells(self) -> list[str]:
        """The cells of this row in Markdown."""
        errors = [f"{self.exact:.2f}", "" if self.scheduled is None else f"{self.scheduled:.2f}"]
        if self.predicted:
            errors = [f"{one} ({law:.2f})" for one, law in zip(errors, self.predicted, strict=True)]
        return [self.place, self.conversion, f"{self.noise:.3g}", *errors]


def calibrated(results: Path) -> str:
    """What exact calibration makes of headline figures of all five papers."""
    head = ["where", "the paper's noise", "over the exact one", "error, exact (predicted)", "with a schedule besides"]
    return piped(head, (line.cells() for line in calibrated_lines(results)))


def calibrated_lines(results: Path) -> Iterator[Line]:
    """Yields the rows, in the order of the papers.

    Tables of the papers hold runs with the paper's own noise and with what an exact accountant asks for, for the same
    (epsilon, delta), relation and sampler. Measured ratios are of the means that each figure draws: a distance, an
    excess risk, a share of errors. Predicted ones are from the law of the descent, where there is one.
    """
    yield from _brown(_main(results, "ours/calibration"))
    yield from _liang(_main(results, "liang2025/ext_calibration"))
    yield _varshney(_main(results, "varshney2022/ablation"), _main(results, "varshney2022/multiplier"))
    yield _choquette(pd.read_csv(results / "choquettechoo2023/fig04a.csv"))
    yield _wang(_main(results, "wang2026/kan_lambda"))


def _main(results: Path, item: str) -> pd.DataFrame:
    return pd.read_csv(results / f"{item}.csv").query("variant == 'main'")


def _brown(table: pd.DataFrame) -> Iterator[Line]:
    """Root mean square distances to least squares, at the first size of every panel."""
    for panel, rows in table[table["estimate"] == HAT].groupby("panel", sort=False):
        cell = rows[rows["n"] == rows["n"].min()].set_index("series")
        measured, law = (
            [math.sqrt(cell[column][series] / cell[column][PUBLISHED]) for series in (EXACT, SCHEDULED)]
            for column in ("mean", "predicted")
        )
        place = f"`brown2024`, {panel}, n = {rows['n'].min():g}"
        noise = cell["noise_ratio"][EXACT]
        yield Line(place, "zCDP converted", noise, measured[0], measured[1], (law[0], law[1]))


def _liang(table: pd.DataFrame) -> Iterator[Line]:
    """Mean distances to 2SLS at the smallest and the largest sample."""
    for n in (table["n"].min(), table["n"].max()):
        cell = table[(table["n"] == n) & (table["error_to"] == "beta_hat")].set_index("series")
        noise = cell["noise_sd"]["as published"] / cell["noise_sd"]["exact accountant"]
        exact, both = (
            cell["mean"][f"exact accountant{more}"] / cell["mean"]["as published"] for more in ("", " and schedule")
        )
        yield Line(f"`liang2025`, Figure 3(a), n = {n:g}", "Prop. 3.1, converted", noise, exact, both)


def _varshney(ablation: pd.DataFrame, multiplier: pd.DataFrame) -> Line:
    """The row of varshney2022, DP-AMBSSGD: published over exact noise, and exact over published excess risk."""
    one = ablation[ablation["choice"] == "noise multiplier"].set_index("level")
    eps, delta = one["eps"]["exact"], one["delta"]["exact"]
    means = multiplier[(multiplier["eps"] == eps) & (multiplier["delta"] == delta)].groupby("series")["mean"].first()
    noise = means["as published (Theorem 3.6, last form)"] / means["Gaussian DP, disjoint"]
    risk = one["mean"]["exact"] / one["mean"]["as published"]
    return Line(f"`varshney2022`, DP-AMBSSGD, ε = {eps:g}, its excess risk", "Theorem 3.6", noise, risk)


def _choquette(table: pd.DataFrame, eps: float = 2.0, mechanism: str = "nu-DP-FTRL") -> Line:
    """The row of choquettechoo2023: published over exact noise, and exact over published share of wrong answers."""
    chosen = table[(table["eps"] == eps) & (table["mechanism"] == mechanism) & (table["series"] == "test accuracy")]
    cell = chosen.set_index("variant")
    paper, exact = "accountants of the paper", "main"
    noise = cell["noise_multiplier"][paper] / cell["noise_multiplier"][exact]
    wrong = (1.0 - cell["mean"][exact]) / (1.0 - cell["mean"][paper])
    place = f"`choquettechoo2023`, Figure 4(a) on digits, ν-DP-FTRL, ε = {eps:g}, its errors"
    return Line(place, "zCDP converted", noise, wrong)


def _wang(table: pd.DataFrame, eps: float = 1.0) -> Line:
    """Mean population risk at independent noise and T = 100."""
    chosen = table[(table["lam"] == 0.0) & (table["eps"] == eps) & (table["panel"] == "T = 100")]
    cell = chosen[chosen["series"] == "population risk"].set_index("accountant")
    noise, risk = (cell[column]["F12x8"] / cell[column]["WOR"] for column in ("kappa", "mean"))
    return Line(f"`wang2026`, KAN, T = 100, ε = {eps:g}, its risk", "Theorem F.12", noise, 1.0 / risk)


# Coverage of `dp_regression`

HEAD = ("law", "mean over coefficients", "covered least", "the constant", "length over least squares'")
# Rows of the page: a law in words, and where it stands.
LAWS: dict[str, Where] = {
    "the middle": {"panel": "level", "level": 0.95},
    "n = 3,000": {"panel": "records", "n": 3000},
    "n = 100,000": {"panel": "records", "n": 100_000},
    "epsilon 0.2": {"panel": "budget", "eps": 0.2},
    "epsilon 8": {"panel": "budget", "eps": 8.0},
    "covariates with heavy tails": {"panel": "covariates", "covariates": "heavy"},
    "dummies of share .05": {"panel": "covariates", "covariates": "rare"},
    "unequal variances": {"panel": "errors", "errors": "unequal"},
    "unequal variances, taken for equal": {
        "panel": "unequal variances taken for equal", "errors": "unequal", "standard_errors": "equal",
    },
    "exponential errors": {"panel": "errors", "errors": "skewed"},
    "exponential errors, n = 30,000": {"panel": "more records, skewed errors", "n": 30_000},
    "outliers in the outcome": {"panel": "errors", "errors": "outliers"},
}  # fmt: skip


def regression(results: Path) -> str:
    """A sentence on all laws of the table `regression`, and a table of some."""
    main = _main(results, "ours/regression")
    covering = main[(main["series"] == COVERED) | of_coefficients(main)]
    lowest: dict[str, float] = {}
    for (place, _), bound in bounded(covering).items():
        lowest[place] = min(bound.high, lowest.get(place, bound.high))
    met = sum(high >= -BELOW for high in lowest.values())
    laws = main[main["series"] == REFUSED]
    runs = " to ".join(f"{trials:g}" for trials in sorted({laws["trials"].min(), laws["trials"].max()}))
    without = f"{len(laws) - len(lowest)} of them have no intervals"
    said = f"There are {len(laws)} laws, with {runs} runs each; {without}, and of the others {met} meet the criterion."
    return f"{said}\n\n{piped(HEAD, _of_laws(main, LAWS))}"


def _of_laws(main: pd.DataFrame, shown: Mapping[str, Where]) -> Iterator[list[str]]:
    """Rows of laws that have intervals, by their words and where they stand."""
    for words, where in shown.items():
        cell = main
        for column, value in where.items():
            cell = cell[cell[column] == value]
        if not (cell["series"] == COVERED).any():
            continue
        means, medians = (cell.set_index("series")[column] for column in ("mean", "median"))
        least = cell["mean"][of_coefficients(cell)].min()
        shares = (f"{100.0 * share:.1f} %" for share in (means[COVERED], least, means[COEFFICIENT.format(0)]))
        yield [words, *shares, f"{medians[LENGTH]:.2f}"]


_TOLD: dict[str, Any] = {"panel": "binary, sizes told"}
_RARE: dict[str, Any] = {"panel": "binary, rare dummies"}
_WITHOUT: dict[str, Any] = {"panel": "binary, without ends"}
_AMOUNTS: dict[str, Any] = {"panel": "wages, ends", "dummy": 0.1}
# Rows of the page that are of no grid: a law in words, and where it stands.
LAWS_WITH_ENDS: dict[str, Where] = {
    "5 % of ones, n = 5,000, sizes told": _TOLD | {"nonzero": 0.05},
    "2 % of ones, n = 5,000, sizes told": _TOLD | {"nonzero": 0.02},
    "30 % of ones, n = 20,000, a dummy of 2 %": _RARE | {"dummy": 0.02},
    "30 % of ones, n = 20,000, a dummy of 5 %": _RARE | {"dummy": 0.05},
    "30 % of ones, n = 20,000, a dummy of 10 %": _RARE | {"dummy": 0.1},
    "50 % of ones, n = 5,000, without ends": _WITHOUT | {"nonzero": 0.5},
    "20 % of ones, n = 5,000, without ends": _WITHOUT | {"nonzero": 0.2},
    "wages with ends, n = 5,000, a dummy of 10 %": _AMOUNTS | {"n": 5000},
    "wages with ends, n = 20,000, a dummy of 10 %": _AMOUNTS | {"n": 20_000},
}


def ends(results: Path) -> str:
    """Three tables with their sentences, of `regression_ends`: 0/1 outcomes with ends, other laws, and dummies."""
    main = _main(results, "ours/regression_ends")
    binary, wages = (main[main["panel"] == panel] for panel in ("binary", "wages"))
    return "\n\n".join([
        "The coefficient that is covered least, by the share of ones, with public ends, and the median length over"
        " that of least squares; where more than one run in a hundred has no interval, of how many that have one:",
        _grid(binary, "nonzero", _least),
        "Other laws, with a dummy of half of the people where nothing else is said:",
        piped(HEAD, _of_laws(main, LAWS_WITH_ENDS)),
        "The interval of a dummy, by its share of the people, where errors have skewness 1 and no ends are given:",
        _grid(wages, "dummy", _of_dummy),
    ])  # fmt: skip


def _grid(part: pd.DataFrame, axis: str, words: Callable[[pd.DataFrame], str]) -> str:
    """A table with a row per number of records and a column per share."""
    shares = list(dict.fromkeys(part[axis]))
    rows = (
        [f"n = {n:,}", *(words(part[(part["n"] == n) & (part[axis] == share)]) for share in shares)]
        for n in dict.fromkeys(part["n"])
    )
    return piped(["", *(f"{100.0 * share:g} %" for share in shares)], rows)


def _least(cell: pd.DataFrame) -> str:
    single = cell[of_coefficients(cell)]
    if not len(single):
        return "no interval"
    length = cell["median"][cell["series"] == LENGTH].iloc[0]
    return f"{_share(single.loc[single['mean'].idxmin()], cell)}, {length:.1f}"


def _of_dummy(cell: pd.DataFrame) -> str:
    single = cell[cell["series"] == DUMMY]
    return _share(single.iloc[0], cell) if len(single) else "no interval"


def _share(row: "pd.Series[Any]", cell: pd.DataFrame) -> str:
    """A share that is covered, and of how many runs where more than one in a hundred has no interval."""
    few = row["trials"] < 0.99 * cell["trials"].max()
    return f"{100.0 * row['mean']:.0f} %" + (f" of {row['trials']}" if few else "")
