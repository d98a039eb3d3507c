"""The readings of the paper's words as numbers, and the helpers that all of its judgements share.

The readings were fixed before any experiment of this package was run, and hold for all claims alike; the numbers of a
throw-away prototype were known by then. Where the caption of a figure uses a word beside a number ("nearly constant
(slope 0.18)", "nearly matches"), the number is the reading: NEARLY and SLOPE come from the caption of Figure 2. Where a
criterion was changed after a first look at output at quick scale, the reason is in the claim's column `changed`.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import pandas as pd

from dpdescent.papers.choquettechoo2023 import formulas
from dpdescent.papers.choquettechoo2023.setting import PAPER, Array, RegressionProblem
from dpdescent.replication.judging import algebra, bound_rows, evidence, records
from dpdescent.replication.judging.bound_rows import bound_row, distinct_values
from dpdescent.replication.judging.evidence import Bound, Evidence
from dpdescent.replication.judging.statistics import exactly, paired_relative_error, quotient

claim = partial(records.claim, PAPER)
claim_on_all_cells = partial(records.claim_on_all_cells, PAPER)
judged_claim = partial(records.judged_claim, PAPER)
untestable_claim = partial(records.untestable_claim, PAPER)
finding = partial(records.finding, PAPER)
# "linear", "rate", a printed power: the exponent within a tenth.
RATE = 0.1
# "nearly", "near-linear", rates with their logarithms left out: within two tenths, because the caption of Figure 2
# calls a slope of 0.18 nearly constant; of a ratio near one likewise.
NEARLY = 0.2
# A printed slope: two decimals, read off a grid that is not stated. Simulated slopes are held to the same, because
# their own error is in their interval.
SLOPE = 0.05
# "orders of magnitude": two of them. Ends of the interval of learning rates: rates of at most, or at least, these.
ORDERS_OF_MAGNITUDE = 100.0
SMALL_RATE, LARGE_RATE = 1e-3, 0.99
# "significantly", "a significant gap": at least twice. "near-optimal", at Figure 2's settings: within a factor of two
# of the best; over spectra and dimensions the paper has "up to log factors", which are counted far out.
SIGNIFICANT = 2.0
NEAR_OPTIMAL = 2.0
# "converges quickly": ten rounds.
QUICKLY = 10
# Agreement of a simulation with the exact law, of a grid with its limit.
AGREES = 0.05
# Equalities of exact values, up to quadrature; bounds by a conic programme, up to the rule that stops it.
EQUAL = 1e-6
SOLVED = 1e-3
# "diverges": from one tenfold T to the next the value grows by no less than half of what it grew first.
UNDIMINISHED = 0.5
# All columns that judgements read, because a table that is not there has them too.
COLUMNS = (
    "variant", "series", "mean", "se", "panel", "kind", "d", "d_eff", "alpha", "eta", "t", "omega", "nu",
    "gamma_squared", "expected", "exact", "order", "kappa", "multiplier", "iterations", "eps", "mechanism", "rho",
    "row", "quantity", "algorithm", "T", "k", "copies", "clip_fraction", "nu_over_eta_mu", "value_at_best",
    "leading_order", "spectrum", "trials", "learning_rate", "rule", "start", "sigma_sgd", "clip_norm", "iterate_form",
    "gradient_form", "summary", "q90", "q95", "q975", "entry",
)  # fmt: skip
rows = partial(evidence.rows, COLUMNS)
# Equalities of exact values, up to less rounding than elsewhere.
equal = partial(bound_rows.rounded_equality_row, rounding=1e-10)
# Words of notes on the factor of F.
HALF = "F of (8), with its 1/2"
HALVED = "stated for F of (22), without the 1/2 of (8): halved"


def values(table: pd.DataFrame, column: str, keys: Sequence[str]) -> algebra.Places:
    """The values of a column, as exact ones, by the row's place."""
    return algebra.means(table, keys, lambda row: exactly(row[column]))


def quotients(table: pd.DataFrame, upper: str, lower: str, keys: Sequence[str]) -> algebra.Places:
    """The quotients of two columns of exact values, by the row's place, in rows whose divisor is positive."""
    return algebra.means(table, keys, lambda row: quotient(row[upper], row[lower]))


def paired_ratios(
    upper: pd.DataFrame, lower: pd.DataFrame, differences: pd.DataFrame, on: Sequence[str]
) -> pd.DataFrame:
    """The upper table's rows with the ratio of two means of runs on equal seeds, and its own error."""
    found = []
    by_place = {
        algebra.place_of(row, on): difference for row, difference in algebra.paired_rows(upper, differences, on)
    }
    for first, second in algebra.paired_rows(upper, lower, on):
        difference = by_place.get(algebra.place_of(first, on))
        if difference is None:
            continue
        if not first["mean"] > 0 < second["mean"]:
            continue
        ratio = first["mean"] / second["mean"]
        found.append(first.to_dict() | {"mean": ratio, "se": ratio * paired_relative_error(first, second, difference)})
    return pd.DataFrame(found, columns=upper.columns)


def with_value_before(table: pd.DataFrame, column: str, axis: str, groups: Sequence[str]) -> pd.DataFrame:
    """The rows along an axis with `before`, the value of a column one step earlier in their group; NaN at the first."""
    table = table.sort_values(axis)
    return table.assign(before=table.groupby(list(groups), dropna=False)[column].shift())


def first_and_last(table: pd.DataFrame, axis: str) -> str:
    """The first mean of a table and its last, for a note; nothing of an empty table."""
    ends = table.iloc[[0, -1]] if len(table) else table
    return " to ".join(f"{row['mean']:.3g} at {axis} = {row[axis]:g}" for row in algebra.rows_of(ends))


def configured(evidence: Evidence, artefact: str, symbol: str, panel: str = "all") -> Any:
    """The configured value of a symbol, be it of the cell, of the arms or a setting.

    Raises:
        ValueError: if the specification does not have it.
    """
    artefact_spec = evidence.spec["artefacts"][artefact]
    for part in (artefact_spec["cells"].get(panel, {}), artefact_spec["arms"], artefact_spec["settings"]):
        if symbol in part:
            return part[symbol]
    raise ValueError(f"the specification of {artefact}, panel {panel!r}, has no {symbol!r}: hand on its cells, arms "
                     "and settings")  # fmt: skip


def problem_with(
    evidence: Evidence, artefact: str, lam: Array, eta: float, sigma_sgd: float = 0.0
) -> RegressionProblem:
    """A regression problem with the budget and the clip norm of an artefact."""
    settings = evidence.spec["artefacts"][artefact]["settings"]
    return RegressionProblem(lam, float(eta), settings["rho"], settings.get("clip_norm", 1.0), sigma_sgd)


def asserted(problem: RegressionProblem) -> bool:
    """Whether the theorems of App. C are stated for a problem: eta < 1/R^2."""
    return problem.eta * formulas.fourth_moment(problem.lam) < 1.0


def ends(values: Iterable[float]) -> list[float]:
    """The smallest and the largest of the values; one where they are equal, none where there are no values."""
    known = distinct_values(values)
    return sorted({known[0], known[-1]}) if known else []


def mean_at(table: pd.DataFrame) -> float | None:
    """The mean of a table's only row; None where it has no row."""
    return float(table["mean"].iloc[0]) if len(table) else None


def between(
    bound: str, location: str, setting: str, lower: float, upper: float, measured: float | None, note: str,
    rounding: float = 0.0,
) -> Iterator[Bound]:  # fmt: skip
    """Makes two rows for a quantity that lies between two values; rounding is relative to each."""
    yield bound_row(
        bound=f"{bound}, from below", location=location, setting=setting, value=lower, measured=measured,
        direction="at least", note=note, allowed=rounding * abs(lower),
    )  # fmt: skip
    yield bound_row(
        bound=f"{bound}, from above", location=location, setting=setting, value=upper, measured=measured,
        direction="at most", note=note, allowed=rounding * abs(upper),
    )  # fmt: skip
