"""What exact calibration makes of headline figures of all five papers, as a table, from a scale's tables.

Tables of the papers hold runs with the paper's own noise and with what an exact accountant asks for, for the same
(epsilon, delta), relation and sampler. Measured ratios are of the means that each figure draws: a distance, an excess
risk, a share of errors. Predicted ones are from the law of the descent, where there is one.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dpdescent.papers.ours.experiments.calibration import EXACT, HAT, PUBLISHED, SCHEDULED


@dataclass(frozen=True)
class Line:
    """A row of the table; ratios are over what the paper has, None where there is no such run.

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
        found = [f"{self.exact:.2f}", "" if self.scheduled is None else f"{self.scheduled:.2f}"]
        if self.predicted:
            found = [f"{one} ({law:.2f})" for one, law in zip(found, self.predicted, strict=True)]
        return [self.place, self.conversion, f"{self.noise:.3g}", *found]


HEADER = (
    "| where | the paper's noise | over the exact one | error, exact (predicted) | with a schedule besides |\n"
    "|---|---|---|---|---|"
)


def table(results: Path) -> str:
    """Returns the table in Markdown."""
    return "\n".join([HEADER, *("| " + " | ".join(line.cells()) + " |" for line in lines(results))])


def lines(results: Path) -> Iterator[Line]:
    """Yields the rows, in the order of the papers."""
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
    found = multiplier[(multiplier["eps"] == eps) & (multiplier["delta"] == delta)].groupby("series")["mean"].first()
    noise = found["as published (Theorem 3.6, last form)"] / found["Gaussian DP, disjoint"]
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
