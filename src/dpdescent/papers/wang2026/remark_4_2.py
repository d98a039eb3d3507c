"""Claims about Remark 4.2 by formulas: whether bounds fall with the correlation at a fixed noise multiplier (wang2026).

Both bounds are evaluated at the runs of a table, whose sizes, margins and comparators are means over seeds. Changes
with the correlation are then exact, so that no interval of independent seeds stands between two correlations.
"""

import dataclasses
import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from dpdescent.papers.wang2026 import explicit, network, rates
from dpdescent.papers.wang2026.criteria import ALGEBRA, claim_on_all_cells, range_of, rows, setting
from dpdescent.papers.wang2026.explicit_bounds import KINDS, RUNS, setting_at, splines_of
from dpdescent.privacy.participation import closed_forms
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.records import at_every_reading
from dpdescent.replication.judging.statistics import Estimate, exactly

STATEMENT = "the bound improves monotonically as lambda -> 1 for a fixed kappa with a small eta"
NEEDED = ("n", "B", "T", "m", "d", "eta", "kappa")
PLACE = ("kind", "T", "kappa")
# "a small eta", for an explicit bound: the largest step that its own constants admit, a tenth and a hundredth of that.
SHARES = (1.0, 0.1, 0.01)
# "lambda -> 1", beyond the correlations of the runs, where the least value of (1 - lambda)^2 + 12 beta eta lambda^2 lies.
TOWARDS_1 = (0.99, 0.999)
FROM_INTERVALS = "Before a review means over seeds of two correlations were compared as if they were independent."


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on Theorem 4.1's bound and on Lemma C.11's bound."""
    yield _with_constants_1(evidence)
    yield _explicit(evidence)


def _with_constants_1(evidence: Evidence) -> Claim:
    table = rows(evidence, RUNS, panel="admissible step", series="bound", bound="A_corr", term="total")
    table = _complete(table, "gamma")
    return claim_on_all_cells(
        id="remark-4.2-bound", artefact=RUNS, location="Remark 4.2", kind="theorem", source="identity",
        statement=f"(algebra) {STATEMENT}",
        quantity="A_corr, constants 1, of a lambda over that of the next smaller one, from lambda = 0 on, at the small step of the runs and their mean margin: the largest",
        cells=algebra.measured_by(table, ["T"], _rise_of_the_rate), criterion=at_most(1.0), changed=f"{FROM_INTERVALS} {ALGEBRA}",
        note=f"eta {range_of(table['eta'])}, kappa {range_of(table['kappa'])}. The quadratic weight is smallest at lambda = 1/(1 + eta), beyond which it rises by the factor 1 + eta at most",
    )  # fmt: skip


def _complete(table: pd.DataFrame, *others: str) -> pd.DataFrame:
    """The rows in which all sizes, the multiplier and `others` are there and positive."""
    sized = table.dropna(subset=[*NEEDED, *others])
    return sized[(sized[[*NEEDED, *others]] > 0).all(axis=1)].reset_index(drop=True)


def _rise_of_the_rate(group: pd.DataFrame) -> Estimate:
    """The largest ratio of A_corr to its value at the next smaller correlation, lambda = 0 included."""
    row = group.iloc[0]
    sizes = {name: float(row[name]) for name in (*NEEDED, "gamma")}
    values = [rates.correlated(rates.Run(**sizes, lam=lam, delta=0.5)).total for lam in _correlations(group)]
    return exactly(_largest_rise(values))


def _correlations(group: pd.DataFrame) -> list[float]:
    """The correlations of a table, and 0."""
    return sorted({0.0, *(float(lam) for lam in group["lam"] if 0.0 <= lam < 1.0)})


def _largest_rise(values: Sequence[float]) -> float:
    return max((after / before for before, after in pairwise(values)), default=math.nan)


def _explicit(evidence: Evidence) -> Claim:
    table = rows(evidence, RUNS, panel="admissible step", series="bound", bound="C.11")
    by_share = {
        f"{share:g} times the largest step admitted": claim_on_all_cells(
            id="remark-4.2-explicit-bound", artefact=RUNS, location="Remark 4.2, Lemma C.11", kind="theorem",
            source="paper", statement=f"(algebra) {STATEMENT}",
            quantity="bound of Lemma C.11 with all constants, of a lambda over that of the next smaller one up to 0.999, each kind of constants at a step that it admits and with its gradient bound for C_clip, at the runs' kappa and at that of Theorem F.12 for eps = 1: the largest",
            cells=_rises(evidence, table, share), criterion=at_most(1.0),
            changed="Before a review only correlations up to 0.9 were looked at, and a kappa at which noise is less than a hundredth of the bound. The paper's constants were judged at the step of the sharp ones, far above the one that they admit; " + FROM_INTERVALS[0].lower() + FROM_INTERVALS[1:],
        )
        for share in SHARES
    }  # fmt: skip
    judged = at_every_reading(by_share)
    steps = "; ".join(place.cell for place in judged.cells)
    return dataclasses.replace(
        judged, note=f"how small eta has to be is unstated: {judged.note}. Places: {steps or 'none'}"
    )


def _rises(evidence: Evidence, table: pd.DataFrame, share: float) -> Places:
    """The largest rise of Lemma C.11's bound by constants, T and kappa, at a share of the largest step admitted."""
    rises: Places = {}
    totals = _complete(table[table["term"] == "total"], "C_clip")
    for _, group in totals.groupby(["constants", "T", "kappa"]):
        row = group.iloc[0]
        run = _admitted_setting(evidence, row, share)
        terms = table[
            (table[["constants", "T", "kappa", "lam"]] == row[["constants", "T", "kappa", "lam"]]).all(axis=1)
        ]
        target = _comparator(terms, row)
        if run is None or target is None:
            continue
        for kappa in (float(row["kappa"]), _published_multiplier(evidence, run)):
            noisy = dataclasses.replace(run, c_priv=run.c_priv * kappa / float(row["kappa"]))
            values = [
                explicit.correlated_bound(dataclasses.replace(noisy, lam=lam), target).total
                for lam in [*_correlations(group), *TOWARDS_1]
            ]
            place = f"{row['constants']} constants, T = {row['T']:g}, kappa = {kappa:.3g}, eta = {run.eta:.3g}"
            rises[place] = exactly(_largest_rise(values))
    return rises


def _published_multiplier(evidence: Evidence, run: explicit.Setting) -> float:
    """The multiplier that Theorem F.12 asks for at the size of a run without correlation, for eps = 1."""
    return closed_forms.correlated_multiplier(run.T, run.B / run.n, 0.0, 1.0, setting(evidence, "delta"), 8.0)


def _admitted_setting(evidence: Evidence, row: "pd.Series[float]", share: float) -> explicit.Setting | None:
    """The setting of a row's run at a share of 1/(12 beta) by its own constants, clipped at its own gradient bound."""
    if not (setting(evidence, "delta_conf") > 0 and setting(evidence, "delta") > 0):
        return None
    constants = KINDS[str(row["constants"])](splines_of(evidence, RUNS))
    sharp = row["constants"] == "sharp"
    run = setting_at(evidence, RUNS, row, constants, float(row["C_clip"]) if sharp else None)
    drawn = _drawn_smoothness(evidence, float(row["m"])) if sharp else None
    beta = run.beta if drawn is None else drawn
    eta = share * network.largest_step(beta)
    return dataclasses.replace(run, beta=beta, eta=eta, c_priv=run.gradient_bound * float(row["kappa"]) / run.B)


def _drawn_smoothness(evidence: Evidence, width: float) -> float | None:
    """beta at a width, from the second layers that were drawn for runs with explicit bounds; None without such runs.

    It is read off the noise's weight in the bound at two correlations. Its part G_sharp^2/4 hardly depends on the
    width, and its part nu falls like 1/sqrt(m) (wang2026 eq. 4, logarithms left out).
    """
    noise = rows(evidence, RUNS, series="bound", bound="C.11", constants="sharp", term="V_Z")
    noise = noise[(noise["mean"] > 0) & (noise["eta"] > 0)]
    plain, correlated = noise[noise["lam"] == 0], noise[noise["lam"] > 0]
    parts = []
    for row, other in algebra.paired_rows(correlated, plain, ("panel", "n", "T", "B", "m", "d", "eta", "kappa")):
        weight = row["mean"] / other["mean"]
        beta = (weight - (1.0 - row["lam"]) ** 2) / (12.0 * row["eta"] * row["lam"] ** 2)
        gradient = 0.25 * row["C_clip"] ** 2
        if beta > gradient > 0:
            parts.append((row["m"], gradient, beta - gradient))
    if not parts:
        return None
    drawn_width, gradient, hessian = (float(np.mean(part)) for part in zip(*parts, strict=True))
    return gradient + hessian * math.sqrt(drawn_width / width)


def _comparator(terms: pd.DataFrame, row: "pd.Series[float]") -> explicit.Comparator | None:
    """The comparator, from the bound's own terms 8 L* and 3 |W* - W_0|^2 / (eta T) at their means over seeds."""
    means = {
        name: float(terms[terms["term"] == name]["mean"].iloc[0])
        for name in ("8L*", "init")
        if name in set(terms["term"])
    }
    if len(means) < 2 or not min(means.values()) >= 0:
        return None
    return explicit.Comparator(means["8L*"] / 8.0, math.sqrt(means["init"] * float(row["eta"] * row["T"]) / 3.0))
