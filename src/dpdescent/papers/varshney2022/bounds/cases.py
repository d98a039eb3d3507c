"""The settings at which the bounds of varshney2022 are evaluated, and the kinds of rows that they make.

Tables may lack rows, or be missing, on a grid of one's own: what is asked of them is then not there, and no error.
"""

import math
from collections.abc import Iterable
from functools import partial
from typing import Any

import pandas as pd

from dpdescent.papers.varshney2022.arms import Choice
from dpdescent.papers.varshney2022.design import Design
from dpdescent.papers.varshney2022.theory.ambssgd import Setting
from dpdescent.papers.varshney2022.theory.moments import LinearProblem
from dpdescent.replication.judging import statistics
from dpdescent.replication.judging.bound_rows import ORDER, VACUOUS, Direction, identity, row, stated
from dpdescent.replication.judging.evidence import Bound, Evidence

# How far rounding may carry exact values, relative to the bound.
ROUNDING = 1e-9
# How many standard errors chance may carry a mean past what bounds it: of many trials; of few it is Student's t.
STANDARD_ERRORS = 4.0
CHANCE = f"{STANDARD_ERRORS:g} standard errors (Student's t)"
chance = partial(statistics.chance, standard_errors=STANDARD_ERRORS)


def settings_of(evidence: Evidence, artefact: str) -> dict[str, Any]:
    """Returns the settings that an artefact ran with: its own, and those of the paper for the rest."""
    about = evidence.spec["artefacts"].get(artefact, {})
    return {**evidence.settings, **about.get("settings", {})}


def configured(evidence: Evidence, artefact: str, symbol: str, otherwise: Any) -> Any:
    """Returns the configured value of an arm of an artefact."""
    return evidence.spec["artefacts"].get(artefact, {}).get("arms", {}).get(symbol, otherwise)


def design_at(evidence: Evidence, artefact: str, found: pd.Series) -> Design:
    """Returns the normal design of a row; kappa is that of the settings where the table has none."""
    settings = settings_of(evidence, artefact)
    kappa = settings["kappa"] if math.isnan(found["kappa"]) else found["kappa"]
    return Design.of(int(found["d"]), float(kappa), settings["w_norm"])


def problem_at(evidence: Evidence, artefact: str, found: pd.Series) -> LinearProblem:
    """Returns the regression of a row."""
    return design_at(evidence, artefact, found).problem(int(found["N"]), float(found["sigma"]))


def choice_at(evidence: Evidence, artefact: str, found: pd.Series, **changes: Any) -> Choice:
    """Returns DP-AMBSSGD's main choices at a row with N, d, sigma, eps, delta and T."""
    spec = {"settings": settings_of(evidence, artefact), "cell": {"delta": float(found["delta"])}}
    design, N, sigma = design_at(evidence, artefact, found), int(found["N"]), float(found["sigma"])
    return Choice.ours(spec, design, N, sigma, float(found["eps"]), int(found["T"]), **changes)


def setting_of(choice: Choice, logs: bool = True) -> Setting:
    """Returns the quantities in Lemma 3.11 at a run's choices; Delta is the smallest threshold of its DP-STAT."""
    problem = choice.design.problem(choice.N, choice.sigma)
    width = float(choice.search.thresholds[0])
    return Setting(problem, choice.T, choice.b, choice.eta, choice.multiplier, width, logs)


def place(name: str, found: pd.Series, *keys: str) -> str:
    """Says in words where a row is: the artefact, and the keys that it has."""
    return f"{name}: {', '.join(f'{key}={_text(found[key])}' for key in keys if not _missing(found[key]))}"


def joined(*notes: str) -> str:
    """Joins notes, those that are empty left out."""
    return "; ".join(filter(None, notes))


def vacuous(problem: LinearProblem, value: float) -> str:
    """Says for the note of a bound on a risk where the estimate 0 is as good."""
    trivial = problem.w_norm_squared / 2.0
    return f"{VACUOUS}: not below |w*|_H^2 / 2 = {trivial:g}, the risk of 0" if value >= trivial else ""


def order(bound: str, location: str, setting: str, value: float, measured: float | None, note: str = "") -> Bound:
    """Makes a row for a form whose constants are hidden: open, with the constant that it would need."""
    known = measured is not None and math.isfinite(measured)
    needed = f"measured is {measured / value:.3g} times it" if known and measured is not None and value > 0.0 else ""
    return stated(
        bound=bound, location=location, setting=setting, value=value, note=joined(note, needed, ORDER),
        measured=measured if known else None,
    )  # fmt: skip


def exact(
    bound: str, location: str, setting: str, value: float, measured: float, note: str, *, met: bool = True,
    direction: Direction = "at most",
) -> Bound:  # fmt: skip
    """Makes a row for a bound beside an exact value; open where conditions are not met or the value is not finite."""
    if not met or not math.isfinite(measured):
        return stated(
            bound=bound, location=location, setting=setting, value=value, note=note,
            measured=measured if math.isfinite(measured) else None,
        )  # fmt: skip
    return row(
        bound=bound, location=location, setting=setting, value=value, measured=measured, direction=direction,
        note=note, allowed=ROUNDING * abs(value),
    )  # fmt: skip


def simulated(
    bound: str, location: str, setting: str, value: float, found: pd.Series, note: str, *, met: bool = True,
    direction: Direction = "at most",
) -> Bound:  # fmt: skip
    """Makes a row for a bound beside the mean over trials; open where its conditions are not met."""
    if not met:
        return stated(
            bound=bound, location=location, setting=setting, value=value, note=note, measured=finite(found["mean"]),
        )  # fmt: skip
    why = joined(note, f"{CHANCE} beyond allowed")
    return row(
        bound=bound, location=location, setting=setting, value=value, measured=finite(found["mean"]),
        direction=direction, note=why, allowed=chance(found),
    )  # fmt: skip


def same(
    bound: str, location: str, setting: str, value: float, found: pd.Series, note: str, *, met: bool = True
) -> Bound:  # fmt: skip
    """Makes a row for an exact mean beside the mean over trials."""
    if not met or not math.isfinite(value):
        return stated(
            bound=bound, location=location, setting=setting, value=value, note=note, measured=finite(found["mean"]),
        )  # fmt: skip
    why = joined(note, f"equality, {CHANCE} either way allowed")
    return identity(
        bound=bound, location=location, setting=setting, value=value, measured=finite(found["mean"]),
        allowed=chance(found), note=why,
    )  # fmt: skip


def equal(bound: str, location: str, setting: str, value: float, measured: float, note: str = "") -> Bound:
    """Makes a row for an equality of exact values."""
    why = joined(note, f"equality up to rounding, {ROUNDING:g} relative")
    return identity(
        bound=bound, location=location, setting=setting, value=value, measured=measured, allowed=ROUNDING * abs(value),
        note=why,
    )  # fmt: skip


def mean_square(found: pd.Series) -> float:
    """Returns the mean of squares over trials, from their mean and its standard error; NaN for a single trial."""
    return float(found["mean"] ** 2 + (found["trials"] - 1.0) * found["se"] ** 2)


def finite(value: float) -> float | None:
    """Returns a number, or None where it is infinite or NaN."""
    return float(value) if math.isfinite(value) else None


def ends_and_middle(values: Iterable[float]) -> list[float]:
    """Returns the smallest, the middle one and the largest of the distinct values."""
    known = distinct(values)
    return sorted({known[0], known[len(known) // 2], known[-1]}) if known else []


def distinct(values: Iterable[float]) -> list[float]:
    """Returns the distinct values, sorted, without NaN."""
    return sorted({float(value) for value in values if not math.isnan(value)})


def _missing(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _text(value: object) -> str:
    return value if isinstance(value, str) else f"{value:g}"
