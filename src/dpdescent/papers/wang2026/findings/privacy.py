"""What is wrong in wang2026's privacy theorems, and a constant of theirs on the safe side.

Only points that an independent review confirmed. Upper bounds of an accountant refute nothing: what refutes is what two
data sets attain.
"""

# Statements are prose, which cut into pieces cannot be read or searched.
# ruff: noqa: E501

import math
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import pandas as pd

from dpdescent.papers.wang2026 import audit
from dpdescent.papers.wang2026.claims.privacy import (
    DOMINATING,
    LEAST,
    lemma_ratios,
    multiplier_brackets,
    multipliers,
    regime_deltas,
    scale_needed,
    single_step,
    told_by_place,
)
from dpdescent.papers.wang2026.claims.quantities import SETTING, range_of
from dpdescent.papers.wang2026.reading import PROOF, PUBLISHED, TAIL, finding, rows
from dpdescent.privacy.participation import counterexample
from dpdescent.replication.judging.algebra import each as each_row
from dpdescent.replication.judging.algebra import floats, listed, pairs, place_of
from dpdescent.replication.judging.evidence import Evidence, Finding

VALIDITY, COUNTEREXAMPLE, MULTIPLIERS = "closed_form_validity", "sampling_counterexample", "kappa_tables"
NOT_RUN = "not run"
# Rounded up, a delta this small is no more than what is cut off in the composition.
SMALL = 1e-12
RUN = ("n", "B", "T")
# Lengths of all gradients, in clipping thresholds, at which Theorem F.8's example is looked at.
SHARES = np.arange(0.05, 1.001, 0.05)


def told_of(table: pd.DataFrame, keys: Sequence[str], column: str = "mean") -> str:
    """Tells a column of a table, each value with its place."""
    known = table[np.isfinite(floats(table, column))]
    return listed((place_of(row, keys), float(row[column])) for _, row in known.iterrows()) or NOT_RUN


def _small(table: pd.DataFrame) -> str:
    """Tells deltas by n; those that say no more than the composition's cut are told together."""
    below = table[floats(table, "mean") < SMALL]
    said = [told_of(table[floats(table, "mean") >= SMALL], ["n"])] if len(below) < len(table) or not len(table) else []
    return "; ".join([*said, *([f"below {SMALL:g} at n = {range_of(floats(below, 'n'))}"] if len(below) else [])])


def quotients(upper: pd.DataFrame, lower: pd.DataFrame, on: Sequence[str]) -> list[float]:
    """Ratios of means at equal places."""
    return [row["mean"] / other["mean"] for row, other in pairs(upper, lower, on) if other["mean"] > 0]


def privacy(evidence: Evidence) -> Iterator[Finding]:
    """Yields what is wrong with sampling, with the regime of small noise, and the constant."""
    yield _sampling(evidence)
    yield _regime(evidence)
    yield _renyi(evidence)
    yield _factor(evidence)


def _sampling(evidence: Evidence) -> Finding:
    on = ("panel", "T", "r", "lam", "eps", "delta", "kappa")
    shown = ("T", "r", "lam", "kappa", "eps")
    pair, attained = (rows(evidence, COUNTEREXAMPLE, series=series) for series in ("F8 pair", "fixed size"))
    told, largest = [], (0.0, "")
    # Whole runs first, the longest of them in front.
    for panel in ("composed", "enumeration", "quadrature"):
        both = pairs(attained[attained["panel"] == panel], pair[pair["panel"] == panel], on)
        # One value of eps where there are several: deltas of all of them are in the table.
        chosen = sorted(((row, other) for row, other in both if row["eps"] == 1), key=lambda each: -float(each[0]["T"]))
        for row, other in chosen:
            said = f"{row['mean']:.3g} instead of {other['mean']:.3g}"
            largest = max(largest, (float(row["mean"]), said))
        told += [f"{row['mean']:.3g} against {other['mean']:.3g} at {place_of(row, shown)}" for row, other in chosen]
    excess = quotients(attained, pair, on)
    return finding(
        id="theorem-f.8-sampling", location="Theorem F.8", kind="privacy", severity="high", status="confirmed", artefact=COUNTEREXAMPLE,
        statement="Algorithm 1, whose batches are drawn without replacement with a fixed size, is dominated by the mixture pair (P, Q) under the zero-out relation",
        expected="no two zero-out neighbours that attain a larger delta than the pair, at any eps",
        measured=(
            f"delta attained under Algorithm 1's sampling against the pair's: {'; '.join(told) or NOT_RUN}. Over all places, single steps and other eps included, {range_of(excess)} times the pair's"
        ),
        charitable=(
            f"the pair is valid for Poisson sampling. It takes long gradients, {_lengths(pair)}, which a C_clip of at least G_delta rules out. For batches of a fixed size the other records' contributions are not independent of whether the differing record takes part (B - 1 of them if it does, B if not), "
            "so that they cannot be released and set to zero. The example, in which all other clipped gradients are -C_clip v and the record's is C_clip v or 0, is an adversarial data set, not a typical one. "
            "The closed-form calibration of Theorem 5.1 is unaffected: it can be proved by conditioning on the batches"
        ),
        headline=largest[1] and f"{largest[1]}: the delta at eps = 1 that two data sets attain under batches of fixed size, against that of the pair which is said to dominate them.",
    )  # fmt: skip


def _lengths(pair: pd.DataFrame) -> str:
    """From which length of all gradients on a single step attains more than the pair, by quadrature."""
    steps = pair[(pair["panel"] == "quadrature") & (pair["mean"] > 0)]
    least = [
        next((s for s in SHARES if _one_step(row, float(s)) > row["mean"] * (1.0 + 1e-6)), math.inf)
        for row in each_row(steps.dropna(subset=["kappa", "eps", "r"]))
    ]
    return f"in a single step |g|/C_clip of {range_of(least)} at least" if least else NOT_RUN


def _one_step(row: "pd.Series[float]", share: float) -> float:
    """delta of one step where all gradients have that share of the threshold."""
    return counterexample.one_step_delta(float(row["kappa"]) / share, float(row["eps"]), float(row["r"]))


def _regime(evidence: Evidence) -> Finding:
    target, repaired = (rows(evidence, VALIDITY, panel="regime", series=name) for name in ("target delta", "repaired"))
    found = regime_deltas(target)
    broken = {place: each for place, each in found.items() if each[1] > each[2]}
    worst = max(broken.items(), key=lambda each: each[1][1] / each[1][2], default=None)
    told = "; ".join(
        f"{place} (kappa {kappa:.2g}): {known:.3g} against {delta:.3g}"
        for place, (kappa, known, delta) in broken.items()
    )
    return finding(
        id="corollary-5.5-regime", location="Theorem 5.4, at the B and T of Corollary 5.5", kind="privacy", severity="high", status="confirmed", artefact=VALIDITY,
        statement="if kappa^2 is of the order of B^2 T log(1/delta)/(n^2 eps^2), Algorithm 1 is (eps, delta)-DP, for any C_clip and any B and T, also those of Corollary 5.5",
        expected="an attained delta of at most the target for every n",
        measured=(
            f"{single_step()}. At B = gamma sqrt(n), T = sqrt(n)/gamma, gamma = {range_of(floats(target, 'gamma'))}, eps = {range_of(floats(target, 'eps'))}, replacing a gradient of norm C_clip by its opposite, a lower bound in closed form against the target where it is above: "
            f"{told or ('nowhere' if len(target) else NOT_RUN)}. {scale_needed(evidence)}. With the larger of that kappa and eq. (19)'s: {_small(repaired)}"
        ),
        charitable=(
            "the prescribed kappa tends to 0 while every record is used about once (rT = 1). The numbers are for gradients as long as C_clip, as a small threshold makes them; Corollary 5.5 itself sets C_clip of at least G_delta, which real gradients do not "
            "come near, so that at its own threshold a failure shows at astronomic n only: C_clip/|g| is constant in n, which delays but does not prevent it. Taking the larger of that kappa and a constant repairs privacy and, for n large, keeps the rate"
        ),
        headline=f"{worst[1][1]:.3g} instead of {worst[1][2]:.3g}: the delta that gradients of norm C_clip attain under Theorem 5.4's noise at {worst[0]}, with the batches and iterations of Corollary 5.5." if worst else "",
    )  # fmt: skip


def _renyi(evidence: Evidence) -> Finding:
    proved, least = (rows(evidence, VALIDITY, panel="renyi", series=series) for series in (DOMINATING, LEAST))
    places = multiplier_brackets(evidence)
    divergence = {place: each.value for place, each in lemma_ratios(evidence).items()}
    above, below = ({place: each for place, each in divergence.items() if (each > 1) == more} for more in (True, False))
    claimed, attained_eps, told = _audited()
    return finding(
        id="theorem-d.9-renyi", location="Theorem 5.4, Theorem D.9, Lemma D.7", kind="privacy", severity="high", status="confirmed", artefact=MULTIPLIERS,
        statement="a step is (alpha, 8 alpha B^2/(n^2 kappa^2))-RDP in the standard low-sampling regime; hence, at every kappa, B/n and T, kappa^2 = 16 B^2 T/(n^2 eps) + 32 B^2 T log(1/delta)/(n^2 eps^2) gives (eps, delta)-DP",
        expected="kappa of at least the one that two data sets need, at every T, B/n, eps and delta",
        measured=(
            f"{told}. Over all multipliers, by the dominating pair of sampling without replacement: {told_by_place(places) if places else NOT_RUN}. "
            f"It holds in long runs of much noise, at eps of {range_of(floats(proved, 'eps'))}: eps of at most {told_of(proved, RUN)}, and at least {range_of(floats(least, 'mean'))}. "
            f"Lemma D.7 at D.9's alpha, exact attained divergence of a step over the lemma's: {listed(above.items()) or ('above 1 nowhere' if divergence else NOT_RUN)}; not refuted, {range_of(below.values())} times, at {len(below)} places"
        ),
        charitable=(
            "the theorem holds where kappa is of constant order or more, with room to spare. The proof takes the order-2 term of eq. (19) for all of it; the terms from the third on carry a factor 2 that does not fall with 1/kappa^2, so that "
            "Lemma D.7 needs alpha (B/n) e^(O(alpha/kappa^2)) small. Where B/n is small and eps large the displayed kappa falls below that"
        ),
        headline=f"{attained_eps:.3g} instead of {claimed:g}: the epsilon that two data sets attain with Theorem D.9's noise multiplier at a place of little noise; where kappa is of constant order the theorem holds.",
    )  # fmt: skip


@cache
def _audited() -> tuple[float, float, str]:
    """The epsilon that Theorem D.9 claims, the one that its audit attains under replace-one, and both in words."""
    statement = audit.theorem_d9()
    attack = audit.ATTACKS[statement.request.attack](**statement.request.parameters)
    attained = attack.exact_epsilon(statement.delta)
    assert attained is not None
    said = f"eps = {statement.eps:g} claimed, at least {attained:.3g} attained at delta = {statement.delta:g}"
    return float(statement.eps), attained, f"Under replace-one, {said}: {attack.pair}"


def _factor(evidence: Evidence) -> Finding:
    published, proof = (multipliers(evidence, name, precondition="met") for name in (PUBLISHED, PROOF))
    return finding(
        id="theorem-f.12-factor", location="Theorem F.12", kind="mathematics", severity="cosmetic", status="confirmed", artefact=MULTIPLIERS,
        statement="kappa^2 >= 8 ((1 - lambda^T)/(1 - lambda))^2 (rT + sqrt(3 rT log(2/delta))) log(2.5/delta)/eps^2",
        expected="the constant that the proof arrives at, 2 log(1.25/delta')/eps^2 with delta' = delta/2: 2 in place of 8",
        measured=(
            f"where eps, delta <= 1 and rT >= 3 log(2/delta): the displayed kappa is {range_of(quotients(published, proof, SETTING))} times the proof's, and {range_of(quotients(published, multipliers(evidence, TAIL), SETTING))} "
            "times what the exact tail of participations asks for"
        ),
        charitable="on the safe side. The factor 4 is exactly what the replace-one relation, whose sensitivity is 2 C_clip, needs beside zero-out",
    )  # fmt: skip
