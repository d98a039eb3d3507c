"""DP-STAT on normal residuals: where its threshold lies, and how often Lemma 3.10's two halves hold."""

import math
from collections.abc import Iterable, Iterator
from itertools import product

import numpy as np

from dpdescent.algorithms.dp_stat import Search
from dpdescent.papers.varshney2022.arms import Arm, proved
from dpdescent.papers.varshney2022.design import Array, Row, Spec, trial_stream
from dpdescent.papers.varshney2022.theory.ambssgd import stat_slack
from dpdescent.privacy.events import DisjointReleases, Mechanism

# Ratios of thresholds in octaves that the table tells apart; ratios beyond an end are counted there.
OCTAVES = range(-4, 9)

# The corrected rule with a margin that Lemma 3.10's failure probability asks for.
WITH_BETA = "corrected, beta"


def run(spec: Spec) -> Iterator[Row]:
    """Yields shares and means of a trial's draws for each number of levels, noise multiplier and rule."""
    s, arms = spec["cell"]["s"], spec["arms"]
    for trial in range(*spec["trials"]):
        rngs = {role: trial_stream(spec, f"DP-STAT_s={s}", trial, role) for role in ("residuals", "noise")}
        # Sorted, because counts do not depend on the order and are then found by binary search.
        residuals = np.sort(np.abs(rngs["residuals"].standard_normal((arms["draws"], s))), axis=1)
        searches = (arm_of(spec, levels, 1.0, "corrected").settings for levels in arms["levels"])
        counts = {each.levels: each.counts(residuals) for each in searches}
        normals = rngs["noise"].standard_normal((arms["draws"], max(arms["levels"])))
        for levels, alpha, rule in product(arms["levels"], arms["alpha"], arms["rule"]):
            search = arm_of(spec, levels, alpha, rule).settings
            gamma = search.select(counts[levels], normals[:, :levels], s)
            base = {"s": s, "levels": levels, "alpha": alpha, "rule": rule, "trial": trial}
            for row in _quantities(spec, search, residuals, gamma):
                yield {**base, **row}


def arm_of(spec: Spec, levels: int, alpha: float, rule: str) -> Arm[Search]:
    """Returns DP-STAT with L levels, noise multiplier alpha and the rule of a name, which changes no release."""
    kind, quantile = ("quantile", float(rule[4:])) if rule.startswith("q = ") else (rule, 1.0)
    margin = 1.0
    if rule == WITH_BETA:
        # In units of sd sqrt(2 log L), what noise of one of L counts exceeds with probability beta at most.
        kind, margin = "corrected", math.sqrt(math.log(levels / spec["arms"]["beta"]) / math.log(levels))
    search = Search(
        spec["arms"]["B"], levels, alpha, rule=kind, quantile=quantile, margin=margin,  # type: ignore[arg-type]
    )  # fmt: skip
    reason = (
        "L counts, each of sensitivity 1 under replace-one; the rule that picks a threshold is post-processing "
        "(Lemma 3.10)"
    )
    release = DisjointReleases(((search.release(),),))
    return Arm(search, proved("DP-STAT", (release,), "full batch", reason, claimed_rho=0.5 / alpha**2))


def _quantities(spec: Spec, search: Search, residuals: Array, gamma: Array) -> Iterator[Row]:
    s, grid = residuals.shape[1], search.thresholds
    covering = grid[np.minimum(np.searchsorted(grid, residuals[:, -1]), search.levels)]
    octaves = np.round(np.log2(gamma / covering)).astype(int)
    for octave in OCTAVES:
        share = (np.clip(octaves, OCTAVES[0], OCTAVES[-1]) == octave).mean()
        yield {"octaves": octave, "series": "share", "value": float(share)}
    within, half = (_count(residuals, limit) for limit in (gamma, np.maximum(gamma / 2.0, grid[0])))
    slack = stat_slack(search.noise_multiplier, search.levels, math.log(1.0 / spec["arms"]["beta"]))
    lowered = 2.0 * search.margin * search.noise_sd * math.sqrt(2.0 * math.log(search.levels))
    quantities = {
        "mean ratio": gamma / covering,
        "mean square ratio": (gamma / covering) ** 2,
        "overshoot": octaves >= 1,
        "overshoot by 8": octaves >= 3,
        "first half": within >= s - slack,
        "second half": half < s - slack,
        "corrected guarantee": (within >= s - lowered) & (_count(residuals, gamma / 2.0) < s),
    }
    yield from ({"series": series, "value": float(np.mean(each))} for series, each in quantities.items())


def _count(residuals: Array, limit: Array) -> Array:
    """Returns how many residuals of each draw, which are in rising order, do not exceed its limit."""
    pairs = zip(residuals, limit, strict=True)
    return np.array([np.searchsorted(row, most, side="right") for row, most in pairs], dtype=np.float64)


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields an entry for each L and alpha; rules share it, because the counts are what is released."""
    for levels, alpha in product(spec["arms"]["levels"], spec["arms"]["alpha"]):
        name = f"{spec['variant']}: s={spec['cell']['s']} L={levels} alpha={alpha:g}"
        yield name, arm_of(spec, levels, alpha, spec["arms"]["rule"][0]).mechanism, spec["settings"]["delta"]
