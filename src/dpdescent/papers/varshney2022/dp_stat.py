"""DP-STAT on normal residuals: the place of its threshold, and the share of draws in which Lemma 3.10's halves hold."""

import dataclasses
import math
from collections.abc import Iterable, Iterator
from itertools import product

import numpy as np
import pandas as pd
from scipy.special import ndtr

from dpdescent.algorithms.dp_stat import Search
from dpdescent.papers.varshney2022.ambssgd import stat_slack
from dpdescent.papers.varshney2022.arms import Arm, proved
from dpdescent.papers.varshney2022.criteria import (
    SAME_ORDER,
    SIGNIFICANT,
    claim_on_all_cells,
    configured,
    extent,
    rows,
    typical,
)
from dpdescent.papers.varshney2022.formulas import Array
from dpdescent.papers.varshney2022.setting import Entry, Part, Row, Spec
from dpdescent.privacy.events import DisjointReleases
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places, floats
from dpdescent.replication.judging.bound_rows import place_text, simulated_row
from dpdescent.replication.judging.criteria import at_least, at_most, between
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence, joined
from dpdescent.replication.judging.records import Place, at_every_reading
from dpdescent.replication.judging.statistics import exactly

# Ratios of thresholds in octaves that the table tells apart; ratios beyond an end are counted there.
OCTAVES = range(-4, 9)
# Rules; the margin of the third is the one that Lemma 3.10's failure probability asks for.
PRINTED, CORRECTED, WITH_BETA = "as published", "corrected", "corrected, beta"

ARTEFACT = "alg_stat"
UTILITY: Place = {"artefact": ARTEFACT, "location": "Lemma 3.10 (utility)", "kind": "theorem", "source": "paper"}
SECOND_MOMENT: Place = {"artefact": ARTEFACT, "location": "Proof of Thm 3.7, eq. (48)", "kind": "theorem", "source": "paper"}  # fmt: skip

# Runs ------------------------------------------------------------------------------------------------------------------


def run_alg_stat(spec: Spec) -> Iterator[Row]:
    """Yields shares and means of a trial's draws for each number of levels, noise multiplier and rule."""
    part, s, arms = Part.of(spec), spec["cell"]["s"], spec["arms"]
    B, beta, draws = arms["B"], arms["beta"], arms["draws"]
    for trial in part.trials:
        rngs = {role: part.stream(f"DP-STAT_s={s}", trial, role) for role in ("residuals", "noise")}
        # Sorted, because a binary search then counts, and counts do not depend on the order.
        residuals = np.sort(np.abs(rngs["residuals"].standard_normal((draws, s))), axis=1)
        counts = {L: search_arm(B, L, 1.0, CORRECTED, beta).settings.counts(residuals) for L in arms["levels"]}
        normals = rngs["noise"].standard_normal((draws, max(arms["levels"])))
        for levels, alpha, rule in product(arms["levels"], arms["alpha"], arms["rule"]):
            search = search_arm(B, levels, alpha, rule, beta).settings
            gamma = search.select(counts[levels], normals[:, :levels], s)
            base = {"s": s, "levels": levels, "alpha": alpha, "rule": rule, "trial": trial}
            for row in _quantities(search, residuals, gamma, beta):
                yield {**base, **row}


def search_arm(B: float, levels: int, alpha: float, rule: str, beta: float) -> Arm[Search]:
    """Returns DP-STAT with L levels, noise multiplier alpha and a rule by its name; the rule changes no release."""
    kind, quantile = ("quantile", float(rule[4:])) if rule.startswith("q = ") else (rule, 1.0)
    margin = 1.0
    if rule == WITH_BETA:
        # In units of sd sqrt(2 log L), a value that the noise of one of L counts exceeds with probability beta at most.
        kind, margin = CORRECTED, math.sqrt(math.log(levels / beta) / math.log(levels))
    search = Search(B, levels, alpha, rule=kind, quantile=quantile, margin=margin)  # type: ignore[arg-type]
    reason = (
        "L counts, each of sensitivity 1 under replace-one; the rule that picks a threshold is post-processing "
        "(Lemma 3.10)"
    )
    release = DisjointReleases(((search.release(),),))
    return Arm(search, proved("DP-STAT", (release,), "full batch", reason, claimed_rho=0.5 / alpha**2))


def _quantities(search: Search, residuals: Array, gamma: Array, beta: float) -> Iterator[Row]:
    """Yields shares of draws by octave of the threshold gamma, then means over the draws."""
    s, grid = residuals.shape[1], search.thresholds
    covering = grid[np.minimum(np.searchsorted(grid, residuals[:, -1]), search.levels)]
    octaves = np.round(np.log2(gamma / covering)).astype(int)
    for octave in OCTAVES:
        share = (np.clip(octaves, OCTAVES[0], OCTAVES[-1]) == octave).mean()
        yield {"octaves": octave, "series": "share", "value": float(share)}

    def count(limit: Array) -> Array:
        """Number of residuals of each draw, which are in rising order, that do not exceed its limit."""
        pairs = zip(residuals, limit, strict=True)
        return np.array([np.searchsorted(row, most, side="right") for row, most in pairs], dtype=np.float64)

    within, half = count(gamma), count(np.maximum(gamma / 2.0, grid[0]))
    slack = stat_slack(search.noise_multiplier, search.levels, math.log(1.0 / beta))
    lowered = 2.0 * search.margin * search.noise_sd * math.sqrt(2.0 * math.log(search.levels))
    quantities = {
        "mean ratio": gamma / covering,
        "mean square ratio": (gamma / covering) ** 2,
        "overshoot": octaves >= 1,
        "overshoot by 8": octaves >= 3,
        "first half": within >= s - slack,
        "second half": half < s - slack,
        "corrected guarantee": (within >= s - lowered) & (count(gamma / 2.0) < s),
    }
    yield from ({"series": series, "value": float(np.mean(values))} for series, values in quantities.items())


def releases_alg_stat(spec: Spec) -> Iterable[Entry]:
    """Yields an entry for each L and alpha; rules share it, because only the counts are released."""
    arms = spec["arms"]
    for levels, alpha in product(arms["levels"], arms["alpha"]):
        name = f"{spec['variant']}: s={spec['cell']['s']} L={levels} alpha={alpha:g}"
        arm = search_arm(arms["B"], levels, alpha, arms["rule"][0], arms["beta"])
        yield name, arm.mechanism, spec["settings"]["delta"]


# Claims ----------------------------------------------------------------------------------------------------------------


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges Lemma 3.10 and the moments that the proof needs: for the printed rule, then for the corrected one."""
    beta = float(evidence.spec["artefacts"][ARTEFACT]["arms"]["beta"])
    for id, series, statement in (
        ("lemma-3.10-enough-below", "first half", "with probability at least 1 - beta at least s - Gamma residuals are at most gamma"),
        ("lemma-3.10-not-too-large", "second half", "with probability at least 1 - beta fewer than s - Gamma residuals are at most max(gamma/2, Delta)"),
    ):  # fmt: skip
        yield claim_on_all_cells(
            id=id, **UTILITY,
            statement=f"{statement}, Gamma = alpha sqrt(2 log(B/Delta) log(log(B/Delta)/beta))",
            quantity=f"share of draws, printed rule, beta = {beta:g}: the smallest over s, L and alpha with s >= 2 Gamma",
            cells=_cells(_enough(evidence, series, PRINTED)), criterion=at_least(1.0 - beta),
            note="logarithms of B/Delta to base 2; residuals |N(0, 1)|",
        )  # fmt: skip
    yield claim_on_all_cells(
        id="threshold-second-moment", **SECOND_MOMENT,
        statement="gamma_t is at most K2 log^a N times the scale of the residuals, so that E zeta_t^2 is bounded",
        quantity="mean of (gamma over the smallest threshold that covers all residuals)^2, printed rule: the largest over s, L and alpha with s >= 2 Gamma",
        cells=_cells(_enough(evidence, "mean square ratio", PRINTED)), criterion=at_most(SIGNIFICANT**2, ": a factor 2 of the dyadic grid, squared"),
        note="log^a N is in that smallest threshold already; the grid reaches eight octaves above it, and the mean grows with that reach",
    )  # fmt: skip
    yield _approximately(evidence)
    yield from _corrected(evidence, beta)


def _enough(evidence: Evidence, series: str, rule: str) -> pd.DataFrame:
    """Rows with s >= 2 Gamma, because the lemma does not speak of smaller s."""
    table = rows(evidence, ARTEFACT, series=series, rule=rule).dropna(subset=["s", "levels", "alpha"])
    log = -math.log(float(evidence.spec["artefacts"][ARTEFACT]["arms"]["beta"]))
    slack = [stat_slack(row["alpha"], row["levels"], log) for row in algebra.rows_of(table)]
    return table[floats(table, "s") >= 2.0 * pd.Series(slack, dtype=float).to_numpy()]


def _cells(table: pd.DataFrame) -> Places:
    return algebra.means(table, ["s", "levels", "alpha"])


def _approximately(evidence: Evidence) -> Claim:
    """Judges the estimate by its median and by its mean, because the text does not say in which sense it is near."""
    medians = {}
    for _, draws in _enough(evidence, "share", PRINTED).groupby(["s", "levels", "alpha"]):
        # By octaves, because the ratio to the smallest threshold that covers all residuals is a power of two.
        ordered = draws.sort_values("octaves")
        upper_half = ordered[ordered["mean"].cumsum() >= 0.5]
        if len(upper_half):
            middle = upper_half.iloc[0]
            medians[algebra.place_of(middle, ["s", "levels", "alpha"])] = exactly(2.0 ** float(middle["octaves"]))
    mean = _cells(typical(_enough(evidence, "mean ratio", PRINTED)))
    criterion = between(
        1 / SIGNIFICANT, SIGNIFICANT, words=f"between {1 / SIGNIFICANT:g} and {SIGNIFICANT:g}: a step of the grid"
    )
    senses = {
        sense: claim_on_all_cells(
            id="approximately-maximum", artefact=ARTEFACT, location="Sec. 3.2, Algorithm 3", kind="text", source="paper",
            statement="DP-STAT approximately estimates the highest value",
            quantity="mean of gamma over the smallest threshold that covers all residuals, printed rule (median over trials): the one furthest off, s >= 2 Gamma",
            cells=cells, criterion=criterion,
        )
        for sense, cells in (("the mean", mean), ("the median draw", medians))
    }  # fmt: skip
    return dataclasses.replace(
        at_every_reading(senses),
        changed="After a second reading the median draw is a reading too: 'approximately' names no moment, and the mean grows with the reach of the grid.",
    )  # fmt: skip


def _corrected(evidence: Evidence, beta: float) -> Iterator[Claim]:
    plain = _cells(_enough(evidence, "corrected guarantee", CORRECTED))
    yield claim_on_all_cells(
        id="corrected-rule", **UTILITY | {"source": "ours"},
        statement="(ours) with the threshold lowered by sd sqrt(2 log(L/beta)) both halves hold, up to constants",
        quantity="share of draws with at least s - 2 sd sqrt(2 log(L/beta)) residuals below gamma and not all below gamma/2: the smallest over s, L and alpha with s >= 2 Gamma",
        cells=_cells(_enough(evidence, "corrected guarantee", WITH_BETA)), criterion=at_least(1.0 - beta),
        changed="Before a review the margin was sd sqrt(2 log L), which the noise of L counts exceeds more often than with probability beta.",
        note=f"with the margin sd sqrt(2 log L) of all runs: {extent(share.value for share in plain.values())}",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="corrected-second-moment", **SECOND_MOMENT | {"source": "ours"},
        statement="(ours) the corrected rule's threshold has the second moment that eq. (48) needs",
        quantity="mean of (gamma over the smallest threshold that covers all residuals)^2: the largest over s, L and alpha with s >= 2 Gamma",
        cells=_cells(_enough(evidence, "mean square ratio", CORRECTED)), criterion=at_most(SAME_ORDER),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="quantile-rule", artefact=ARTEFACT, location="Sec. 1.1, Sec. 3.2", kind="text", source="ours",
        statement="(ours) a rule that stops at 99 % of the residuals, as the prose has it, does not overshoot",
        quantity="share of draws in which the 99 % rule's threshold is twice the smallest that covers all residuals, or more: the largest over s, L and alpha with s >= 2 Gamma",
        cells=_cells(_enough(evidence, "overshoot", "q = 0.99")), criterion=at_most(beta),
        note="Sec. 1.1: a single point cannot significantly perturb, say, the 99th percentile; Algorithm 3 has no such quantile",
    )  # fmt: skip


# Bounds ----------------------------------------------------------------------------------------------------------------

HALVES = {
    "first half": "P(#{|r| <= gamma} >= s - Gamma)",
    "second half": "P(#{|r| <= max(gamma/2, Delta)} < s - Gamma)",
}


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates Lemma 3.10, which is stated for the printed rule, and a union bound for the corrected one."""
    beta = float(configured(evidence, ARTEFACT, "beta", 0.01))
    for series, name in HALVES.items():
        for row in algebra.rows_of(rows(evidence, ARTEFACT, series=series, rule=PRINTED)):
            slack = stat_slack(float(row["alpha"]), float(row["levels"]), math.log(1.0 / beta))
            text = place_text(f"DP-STAT, {series}", row, "s", "levels", "alpha", "rule")
            above = "Gamma exceeds s" if slack >= row["s"] else ""
            why = joined(f"Gamma={slack:.4g}, beta={beta:g}; measured is a share of draws", above)
            yield simulated_row(name, "Lemma 3.10", text, 1.0 - beta, row, why, direction="at least")
    margin = float(evidence.settings_of(ARTEFACT)["margin"])
    for row in algebra.rows_of(rows(evidence, ARTEFACT, series="corrected guarantee", rule=CORRECTED)):
        # L noises may stop the search early, and one may keep it from stopping.
        levels = float(row["levels"])
        value = 1.0 - (levels + 1.0) * float(ndtr(-margin * math.sqrt(2.0 * math.log(levels))))
        text = place_text("DP-STAT, lowered threshold", row, "s", "levels", "alpha", "rule")
        why = f"1 - (L + 1) P(g > {margin:g} sqrt(2 log L)), ours; measured is a share of draws"
        yield simulated_row(
            "P(at least s less two margins below gamma, and not all below gamma/2)", "Lemma 3.10 (corrected)", text,
            value, row, why, direction="at least",
        )  # fmt: skip
