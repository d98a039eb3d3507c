"""The settings at which the bounds of wang2026 are evaluated.

Tables may lack rows, or be missing, on a grid of one's own: what is asked of them is then not there, and no error.
"""

import math
from functools import partial
from typing import Any

import pandas as pd

from dpdescent.models.spline import CubicSplines
from dpdescent.papers.wang2026.theory.constants import Constants, smoothness
from dpdescent.papers.wang2026.theory.explicit import Setting
from dpdescent.replication.judging import bound_rows
from dpdescent.replication.judging.bound_rows import VACUOUS, ends_and_middle
from dpdescent.replication.judging.evidence import Evidence, places_of

# Where a row is, in words, with more digits than elsewhere because of sampling rates B/n.
place = partial(bound_rows.place, digits=10)

# The risk of f = 0, which every bound on a risk has to undercut to say anything.
TRIVIAL = math.log(2.0)
# The paper's constants, and those of local supports.
KINDS = {"paper": Constants.paper, "sharp": Constants.sharp}


def splines_of(evidence: Evidence, artefact: str) -> CubicSplines:
    """The basis of an artefact."""
    return CubicSplines(int(evidence.settings_of(artefact)["spline_cells"]))


def failure(evidence: Evidence, artefact: str) -> float:
    """A fifth of delta_conf, as each of the five events has (wang2026 Theorem C.13)."""
    return float(evidence.settings_of(artefact)["delta_conf"]) / 5.0


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


def vacuous(value: float, trivial: float = TRIVIAL) -> str:
    """What the note of a bound on a risk adds where it is not below log 2; of a delta, below 1."""
    name = "log 2, the risk of f = 0" if trivial == TRIVIAL else f"{trivial:g}"
    return f"{VACUOUS}: not below {name}" if value >= trivial else ""


def first(table: pd.DataFrame, **where: object) -> "pd.Series[Any] | None":
    """The first row with these values; None where there is none."""
    found = places_of(table, where)
    return table.iloc[found[0]] if len(found) else None


def thinned(table: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """The rows at the smallest, middle and largest value of every column, because those between show nothing else."""
    for column in columns:
        kept = ends_and_middle(table[column].dropna().astype(float))
        table = table[table[column].isna() | table[column].isin(kept)]
    return table
