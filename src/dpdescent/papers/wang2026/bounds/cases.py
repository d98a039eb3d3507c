"""The settings at which the bounds of wang2026 are evaluated, and the kinds of rows that they make.

Tables may lack rows, or be missing, on a grid of one's own: what is asked of them is then not there, and no error.
"""

import math
from collections.abc import Iterable
from functools import partial
from typing import Any

import pandas as pd

from dpdescent.models.spline import CubicSplines
from dpdescent.papers.wang2026.theory import explicit
from dpdescent.papers.wang2026.theory.constants import Constants, smoothness
from dpdescent.papers.wang2026.theory.explicit import Setting
from dpdescent.replication.judging import statistics
from dpdescent.replication.judging.bound_rows import ORDER, VACUOUS, Direction, identity, row, stated
from dpdescent.replication.judging.evidence import Bound, Evidence

# How far rounding may carry exact values, relative to the bound.
ROUNDING = 1e-9
# How many standard errors chance may carry a mean past what bounds it: of many trials; of few it is Student's t.
STANDARD_ERRORS = 4.0
CHANCE = f"{STANDARD_ERRORS:g} standard errors (Student's t)"
chance = partial(statistics.chance, standard_errors=STANDARD_ERRORS)

# The risk of f = 0, which every bound on a risk has to undercut to say anything.
TRIVIAL = math.log(2.0)
# The paper's constants, and those of local supports.
KINDS = {"paper": Constants.paper, "sharp": Constants.sharp}


def settings_of(evidence: Evidence, artefact: str) -> dict[str, Any]:
    """The settings that an artefact ran with: its own, and those of the paper for the rest."""
    about = evidence.spec["artefacts"].get(artefact, {})
    return {**evidence.settings, **about.get("settings", {})}


def splines_of(evidence: Evidence, artefact: str) -> CubicSplines:
    """The basis of an artefact."""
    return CubicSplines(int(settings_of(evidence, artefact)["spline_cells"]))


def failure(evidence: Evidence, artefact: str) -> float:
    """A fifth of delta_conf, as each of the five events has (wang2026 Theorem C.13)."""
    return float(settings_of(evidence, artefact)["delta_conf"]) / 5.0


def setting_at(
    evidence: Evidence, artefact: str, found: pd.Series, known: Constants, gradient_bound: float | None = None
) -> Setting:
    """A row's run and what its bounds ask of the network.

    Args:
        evidence: settings.
        artefact: whose row it is.
        found: has n, B, T, m, d, eta, lam, kappa; C_clip, where there is noise.
        known: by which G and nu are bounded with a fifth of delta_conf.
        gradient_bound: a smaller G, of the second layers that were drawn.
    """
    m, each = float(found["m"]), failure(evidence, artefact)
    G = known.gradient_bound(int(m), each) if gradient_bound is None else gradient_bound
    nu = known.hessian_bound(int(m), each)
    noisy = found["kappa"] > 0.0
    return Setting(
        n=int(found["n"]), B=int(found["B"]), T=int(found["T"]), parameters=int(m * found["d"] * known.p),
        eta=float(found["eta"]), lam=float(found["lam"]),
        c_priv=float(found["C_clip"] * found["kappa"] / found["B"]) if noisy else 0.0,
        gradient_bound=G, hessian_bound=nu, beta=smoothness(G, nu), delta_Z=each, delta_D=each, delta_pot=each,
    )  # fmt: skip


def place(name: str, found: pd.Series, *keys: str) -> str:
    """The place of a row in words: the artefact, and the keys that it has."""
    return f"{name}: {', '.join(f'{key}={_text(found[key])}' for key in keys if not missing(found[key]))}"


def joined(*notes: str) -> str:
    """Several notes as one."""
    return "; ".join(filter(None, notes))


def vacuous(value: float, trivial: float = TRIVIAL) -> str:
    """What the note of a bound on a risk adds where it is not below log 2; of a delta, below 1."""
    name = "log 2, the risk of f = 0" if trivial == TRIVIAL else f"{trivial:g}"
    return f"{VACUOUS}: not below {name}" if value >= trivial else ""


def order(bound: str, location: str, setting: str, value: float, measured: float | None, note: str = "") -> Bound:
    """A row for a form whose constants are hidden: open, with the constant that it would need."""
    known = finite(measured)
    needed = f"measured is {known / value:.3g} times it" if known is not None and value > 0.0 else ""
    return stated(
        bound=bound, location=location, setting=setting, value=value, note=joined(note, needed, ORDER), measured=known,
    )  # fmt: skip


def exact(
    bound: str, location: str, setting: str, value: float, measured: float, note: str, *, met: bool = True,
    direction: Direction = "at most",
) -> Bound:  # fmt: skip
    """A row for a bound beside an exact value; open where its conditions are not met, or the value left the floats."""
    known = finite(measured)
    if not met or known is None:
        return stated(bound=bound, location=location, setting=setting, value=value, note=note, measured=known)
    return row(
        bound=bound, location=location, setting=setting, value=value, measured=known, direction=direction, note=note,
        allowed=ROUNDING * abs(value),
    )  # fmt: skip


def simulated(
    bound: str, location: str, setting: str, value: float, found: pd.Series, note: str, *, met: bool = True,
    direction: Direction = "at most", bound_chance: float = 0.0,
) -> Bound:  # fmt: skip
    """A row for a bound beside the mean over trials; open where its conditions are not met.

    `bound_chance` is how far chance may have carried the bound itself, where it is made of means.
    """
    measured = finite(found["mean"])
    if not met or not math.isfinite(value):
        return stated(bound=bound, location=location, setting=setting, value=value, note=note, measured=measured)
    why = joined(note, f"{CHANCE} beyond allowed")
    return row(
        bound=bound, location=location, setting=setting, value=value, measured=measured, direction=direction, note=why,
        allowed=math.hypot(chance(found), bound_chance),
    )  # fmt: skip


def same(bound: str, location: str, setting: str, value: float, found: pd.Series, note: str) -> Bound:
    """A row for an exact mean beside the mean over trials."""
    why = joined(note, f"equality, {CHANCE} either way allowed")
    return identity(
        bound=bound, location=location, setting=setting, value=value, measured=finite(found["mean"]),
        allowed=chance(found), note=why,
    )  # fmt: skip


def is_local(setting: Setting, Rbar: float) -> bool:
    """Whether localisation and step are as the explicit bounds ask for (wang2026 Lemma C.3)."""
    return setting.admissible and explicit.localisation(setting, Rbar) <= 0.5


def first(table: pd.DataFrame, **where: object) -> "pd.Series[Any] | None":
    """The first row with these values; None where there is none."""
    for name, wanted in where.items():
        table = table[table[name] == wanted]
    return None if table.empty else table.iloc[0]


def thinned(table: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """The rows at the smallest, middle and largest value of every column, because those between show nothing else."""
    for column in columns:
        kept = ends_and_middle(table[column].dropna().astype(float))
        table = table[table[column].isna() | table[column].isin(kept)]
    return table


def finite(value: float | None) -> float | None:
    """A number; None where it left the floats."""
    return float(value) if value is not None and math.isfinite(value) else None


def ends_and_middle(values: Iterable[float]) -> list[float]:
    """The smallest, the middle one and the largest of the distinct values."""
    known = distinct(values)
    return sorted({known[0], known[len(known) // 2], known[-1]}) if known else []


def distinct(values: Iterable[float]) -> list[float]:
    """The distinct values in order, without NaN."""
    return sorted({float(value) for value in values if not math.isnan(value)})


def missing(value: object) -> bool:
    """Whether a key is blank."""
    return isinstance(value, float) and math.isnan(value)


def _text(value: object) -> str:
    return value if isinstance(value, str) else f"{value:.10g}"
