"""The settings at which the bounds of choquettechoo2023 are evaluated: the experiments', from configuration and tables.

Tables may lack rows, or be missing, on a grid of one's own: what is asked of them is then not there, and no error.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from dpdescent.papers.choquettechoo2023.design import Array, power_law
from dpdescent.papers.choquettechoo2023.reading import rows
from dpdescent.papers.choquettechoo2023.theory import asymptotic_bounds, regression
from dpdescent.papers.choquettechoo2023.theory.regression import RegressionProblem
from dpdescent.replication.judging import bound_rows
from dpdescent.replication.judging.bound_rows import distinct, row
from dpdescent.replication.judging.evidence import Bound, Evidence

SGD, FTRL, OPTIMUM = "Noisy-SGD", "nu-Noisy-FTRL", "optimum"
ALGORITHMS = (SGD, FTRL)
# Panels of Figure 2; each has the name of its axis.
PANELS = ("d", "d_eff", "eta")
# The variant of Figure 2 with label noise; its sd is read from the name, as variants are not handed on.
LABEL_NOISE = "label noise of sd 1"
# Equalities of exact values, up to less rounding than elsewhere.
equal = partial(bound_rows.equal, rounding=1e-10)
# What notes say of the factor of F.
HALF = "F of (8), with its 1/2"
HALVED = "stated for F of (22), without the 1/2 of (8): halved"


def configured(evidence: Evidence, artefact: str, symbol: str, panel: str = "all") -> Any:
    """The configured value of a symbol, be it of the cell, of the arms or a setting.

    Raises:
        ValueError: if the specification does not have it.
    """
    about = evidence.spec["artefacts"][artefact]
    for values in (about["cells"].get(panel, {}), about["arms"], about["settings"]):
        if symbol in values:
            return values[symbol]
    raise ValueError(f"the specification of {artefact}, panel {panel!r}, has no {symbol!r}: hand on its cells, arms "
                     "and settings")  # fmt: skip


def problem_of(evidence: Evidence, artefact: str, lam: Array, eta: float, sigma_sgd: float = 0.0) -> RegressionProblem:
    """A regression problem with the budget and the clip norm of an artefact."""
    settings = evidence.spec["artefacts"][artefact]["settings"]
    return RegressionProblem(lam, float(eta), settings["rho"], settings.get("clip_norm", 1.0), sigma_sgd)


def asserted(problem: RegressionProblem) -> bool:
    """Whether the theorems of App. C are stated for a problem: eta < 1/R^2."""
    return problem.eta * asymptotic_bounds.fourth_moment(problem.lam) < 1.0


@dataclass(frozen=True, eq=False)
class Point:
    """One setting of Figure 2, with what its table has there.

    Attributes:
        problem: the problem.
        text: the setting in words.
        nu: damping of nu-Noisy-FTRL.
        exact: F_inf by series, in the convention of (8).
        gamma_squared: squared sensitivity by algorithm.
    """

    problem: RegressionProblem
    text: str
    nu: float
    exact: dict[str, float]
    gamma_squared: dict[str, float]

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms of which the table has the error and the sensitivity."""
        return tuple(name for name in ALGORITHMS if name in self.exact and name in self.gamma_squared)

    def weights(self, name: str) -> Array:
        """<beta, T_j beta> of an algorithm, shape (d,)."""
        problem = self.problem
        return regression.q_identity(problem) if name == SGD else regression.q_nu(problem, self.nu)


def points(evidence: Evidence, variant: str = "main") -> list[Point]:
    """The distinct settings of Figure 2."""
    return _points(evidence, rows(evidence, "fig02", variant, kind="exact"), variant)


def at_ends(evidence: Evidence, variant: str = "main") -> list[Point]:
    """The settings at both ends of each panel's axis."""
    return _points(evidence, ends_of_panels(rows(evidence, "fig02", variant, kind="exact")), variant)


def ends_of_panels(table: pd.DataFrame) -> pd.DataFrame:
    """Rows of Figure 2 at both ends of each panel's axis."""
    panels = [(axis, table[table["panel"] == axis]) for axis in PANELS]
    return pd.concat([group[group[axis].isin(ends(group[axis]))] for axis, group in panels])


def _points(evidence: Evidence, table: pd.DataFrame, variant: str) -> list[Point]:
    groups = table.groupby(["d", "alpha", "eta"], sort=False)
    return [_point(evidence, variant, group.drop_duplicates("series")) for _, group in groups]


def _point(evidence: Evidence, variant: str, group: pd.DataFrame) -> Point:
    found = group.iloc[0]
    lam = power_law(int(found["d"]), found["alpha"])
    sigma_sgd = label_noise(variant) or configured(evidence, "fig02", "sigma_sgd")
    series = group.set_index("series")
    return Point(
        problem_of(evidence, "fig02", lam, found["eta"], sigma_sgd), place(found, variant), float(found["nu"]),
        series["mean"].to_dict(), series["gamma_squared"].dropna().to_dict(),
    )  # fmt: skip


def label_noise(variant: str) -> float:
    """sd of the label noise, which the name of a variant says; 0 of any other."""
    found = re.fullmatch(r"label noise of sd (\S+)", variant)
    return float(found[1]) if found else 0.0


def place(found: pd.Series, variant: str = "main") -> str:
    """A setting of Figure 2 in words."""
    name = "Figure 2" if variant == "main" else f"Figure 2, {variant}"
    return f"{name}: d={found['d']:g}, alpha={found['alpha']:g}, eta={found['eta']:g}"


def ends(values: Iterable[float]) -> list[float]:
    """The smallest and the largest of the values; one where they are equal, none where there are no values."""
    known = distinct(values)
    return sorted({known[0], known[-1]}) if known else []


def mean_at(table: pd.DataFrame) -> float | None:
    """The mean of a table's only row; None where it has no row."""
    return float(table["mean"].iloc[0]) if len(table) else None


def between(
    bound: str, location: str, setting: str, lower: float, upper: float, measured: float | None, note: str,
    rounding: float = 0.0,
) -> Iterator[Bound]:  # fmt: skip
    """Makes two rows for a quantity that lies between two values; rounding is relative to each."""
    yield row(
        bound=f"{bound}, from below", location=location, setting=setting, value=lower, measured=measured,
        direction="at least", note=note, allowed=rounding * abs(lower),
    )  # fmt: skip
    yield row(
        bound=f"{bound}, from above", location=location, setting=setting, value=upper, measured=measured,
        direction="at most", note=note, allowed=rounding * abs(upper),
    )  # fmt: skip
