"""Deltas that two neighbouring data sets attain under Algorithm 1 with independent noise, and Theorem F.8's pair.

The formulas are exact. All other clipped gradients are one vector g, the record's is g in one data set and g + s C_clip
v in the other; so a batch of fixed size moves the sum by s clipping thresholds if it has the record, and else by
nothing. s is 2 where a record is replaced (C_clip against -C_clip), 1 where its gradient is set to zero, smaller for
smaller gradients. In units of C_clip a step is R = (1-r) N(0, kappa^2) + r N(s, kappa^2) against Q = N(0, kappa^2).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import gammaln, gammasgn, log_ndtr, logsumexp, ndtr
from scipy.stats import binom

from dpdescent.checks import require_positive
from dpdescent.papers.wang2026.arms import FIXED
from dpdescent.papers.wang2026.criteria import EQUAL, IN_CODE, PAIR, claim_on_all_cells, place_text, rows, vacuous
from dpdescent.papers.wang2026.setting import Part, Row, Spec
from dpdescent.privacy.participation import accountants, counterexample, gaussian, pairs
from dpdescent.privacy.participation.divergence import Estimate as Drawn
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places, rows_of
from dpdescent.replication.judging.bound_rows import ROUNDING, STANDARD_ERRORS, bound_row
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence, joined
from dpdescent.replication.judging.statistics import NOTHING, Z95, Estimate, quotient

COUNTEREXAMPLE = "sampling_counterexample"
Array = NDArray[np.float64]
# The shift of a sum, in clipping thresholds, by a record that is replaced, and by one that is set to zero.
REPLACED, REMOVED = 2.0, 1.0
# Thresholds that are tried, in units of the noise, beyond the shift; every one of them is a lower bound.
_REACH, _PLACES = 40.0, 8001
# The most steps at which a divergence is computed here, which takes some hundredths of a second each.
FEW_STEPS = 20
# Terms of a binomial series, whose tail falls like a power of the term's number that is above alpha + 1.
_TERMS = 1000


def delta_by_largest(kappa: float, eps: float, T: float, rate: float, shift: float = REPLACED) -> float:
    """A lower bound on the delta of T steps: by the test that some output exceeds a threshold, at the best threshold.

    No output of T exceeds c with probability `Phi(c/kappa)^T` under Q, and with probability `((1-r) Phi(c/kappa) +
    r Phi((c-s)/kappa))^T` under R. For T = 1 the bound is exact, because the likelihood ratio rises with the output.

    Args:
        kappa: noise sd divided by the clipping threshold.
        eps: the epsilon.
        T: number of steps.
        rate: sampling rate B/n.
        shift: s, in clipping thresholds.
    """
    require_positive(kappa=kappa, eps=eps, T=T, rate=rate, shift=shift)
    c = np.linspace(0.0, shift / kappa + _REACH, _PLACES)
    beyond, moved = ndtr(-c), ndtr(shift / kappa - c)
    above = _chance_of_any(beyond, T)
    attained = _chance_of_any((1.0 - rate) * beyond + rate * moved, T)
    return max(0.0, float(np.max(attained - math.exp(eps) * above)))


def _chance_of_any(chance: Array, T: float) -> Array:
    """The probability that any of T independent events of a given chance occurs, accurate also where it is tiny."""
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1(T * np.log1p(-chance)))


def renyi_divergence(kappa: float, rate: float, alpha: float, shift: float = REPLACED) -> float:
    """The Renyi divergence of R from Q at any order above 1, by two binomial series.

    `log E_Q (1 - r + r L)^alpha / (alpha - 1)`, L the likelihood ratio of the shift. Below the output z at which
    `r L = 1 - r` it is expanded in `r L / (1 - r)`, above it in the inverse, so that both series converge.

    Args:
        kappa: noise sd divided by the clipping threshold.
        rate: sampling rate B/n, below 1.
        alpha: order, above 1; it need not be an integer.
        shift: s, in clipping thresholds.
    """
    require_positive(kappa=kappa, rate=rate, shift=shift, one_less_the_rate=1.0 - rate, order_less_one=alpha - 1.0)
    sd = kappa / shift
    i = np.arange(_TERMS + math.ceil(alpha), dtype=np.float64)
    j = alpha - i
    log_binomial = gammaln(alpha + 1.0) - gammaln(i + 1.0) - gammaln(j + 1.0)
    sign = gammasgn(j + 1.0)
    z = 0.5 + sd**2 * (math.log1p(-rate) - math.log(rate))
    below = j * math.log1p(-rate) + i * math.log(rate) + i * (i - 1.0) / (2.0 * sd**2) + log_ndtr((z - i) / sd)
    above = i * math.log1p(-rate) + j * math.log(rate) + j * (j - 1.0) / (2.0 * sd**2) + log_ndtr((j - z) / sd)
    # Where alpha is an integer binomials beyond it vanish.
    finite = np.isfinite(log_binomial)
    terms = np.concatenate([(log_binomial + below)[finite], (log_binomial + above)[finite]])
    total, positive = logsumexp(terms, b=np.concatenate([sign[finite], sign[finite]]), return_sign=True)
    assert positive > 0
    return float(total) / (alpha - 1.0)


PAIR_DELTA, ATTAINED = "F8 pair", "fixed size"
SAMPLERS = {PAIR_DELTA: "Poisson", ATTAINED: "fixed size"}


@dataclass(frozen=True, kw_only=True)
class Compared(Part):
    """Settings at which the pair's delta is compared with the attained one; a panel has some of the values."""

    eps: tuple[float, ...]
    T: int = 1
    r: tuple[float, ...] = ()
    kappa: tuple[float, ...] = ()
    lam: tuple[float, ...] = ()
    delta: float = math.nan
    draws: int = 0
    settings: tuple[tuple[int, float, float], ...] = ()


def run_sampling_counterexample(spec: Spec) -> Iterator[Row]:
    """Yields rows of one panel, two for each setting.

    Raises:
        ValueError: if there is no such panel.
    """
    if spec["trials"][0] > 0:
        return
    panels = {"quadrature": _one_step, "enumeration": _calibrated, "composed": _composed}
    if spec["panel"] not in panels:
        raise ValueError(f"panel={spec['panel']!r} is none of {list(panels)}")
    for values in panels[spec["panel"]](Compared.of(spec)):
        yield {"panel": spec["panel"], **values}


def _one_step(part: Compared) -> Iterator[Row]:
    """Yields exact deltas of one step, by quadrature."""
    moves = {PAIR_DELTA: counterexample.SAMPLED, ATTAINED: counterexample.FIXED_SIZE}
    for r, kappa, eps in product(part.r, part.kappa, part.eps):
        base = {"T": part.T, "r": r, "lam": 0, "eps": eps, "accountant": FIXED, "kappa": kappa}
        for series, move in moves.items():
            yield _row(base, series, Drawn(counterexample.one_step_delta(kappa, eps, r, move), 0.0))


def _calibrated(part: Compared) -> Iterator[Row]:
    """Yields deltas at the multiplier by which Theorem F.8's pair has the target delta."""
    T, delta, (r,), (eps,) = part.T, part.delta, part.r, part.eps
    for lam in part.lam:
        rng = part.stream(0, f"calibration, T={T:g}, r={r:g}")
        calibration = accountants.calibrate(PAIR, T=T, rate=r, lam=lam, eps=eps, delta=delta, draws=part.draws, rng=rng)
        base = {
            "T": T,
            "r": r,
            "lam": lam,
            "eps": eps,
            "delta": delta,
            "accountant": PAIR,
            "kappa": calibration.multiplier,
        }
        yield from _pair_and_attained(part, base)


def _composed(part: Compared) -> Iterator[Row]:
    (eps,) = part.eps
    for T, r, kappa in part.settings:
        yield from _pair_and_attained(part, {"T": T, "r": r, "lam": 0, "eps": eps, "accountant": FIXED, "kappa": kappa})


def _pair_and_attained(part: Compared, base: Row) -> Iterator[Row]:
    """Yields the pair's delta, exact at lam = 0, and the attained one, on the same participations and noise."""
    kappa, eps, T, r, lam = (base[name] for name in ("kappa", "eps", "T", "r", "lam"))
    arguments, role = (kappa, [eps], T, r, lam, part.draws), f"outputs, T={T:g}, r={r:g}"
    if lam == 0:
        pair = Drawn(pairs.independent_delta(kappa, eps, T, r, "up"), 0.0)
    else:
        directions = (pairs.deltas(*arguments, part.stream(0, role), to) for to in ("P|Q", "Q|P"))
        pair = max((estimate for (estimate,) in directions), key=lambda estimate: estimate.value)
    (attained,) = counterexample.deltas(*arguments, part.stream(0, role))
    yield _row(base, PAIR_DELTA, pair)
    yield _row(base, ATTAINED, attained)


def _row(base: Row, series: str, delta: Drawn) -> Row:
    return {
        **base, "trial": 0, "series": series, "value": delta.value, "delta_se": delta.standard_error,
        "relation": "zero-out", "sampler": SAMPLERS[series],
    }  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on Theorem F.8 for batches of fixed size, and on Lemma F.9."""
    keys = ("panel", "T", "r", "lam", "eps", "delta", "kappa")
    pair, attained = (rows(evidence, COUNTEREXAMPLE, series=series) for series in (PAIR_DELTA, ATTAINED))
    yield claim_on_all_cells(
        id="theorem-f.8-fixed-size", artefact=COUNTEREXAMPLE, location="Theorem F.8", kind="privacy", source="paper",
        statement="Algorithm 1, whose batches have a fixed size, is dominated by (P, Q) under the zero-out relation",
        quantity="delta that two zero-out neighbours attain under Algorithm 1's sampling over the pair's: the largest over T, r, lambda, kappa and eps",
        cells={
            algebra.place_of(row, ("T", "r", "lam", "eps", "kappa")): _ratio(row, other)
            for row, other in algebra.paired_rows(attained, pair, keys)
        },
        criterion=at_most(1.0 + EQUAL),
        note="all other clipped gradients are -C_clip v, the record's own is C_clip v or 0; finding theorem-f.8-sampling",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="lemma-f.9", artefact=COUNTEREXAMPLE, location="Lemma F.9", kind="privacy", source="paper",
        statement="both hockey-stick divergences of the pair are at most S(E) times the worst one over E plus the probability of the complement of E",
        quantity="the larger exact divergence at lambda = 0 over the right side, E the patterns of at most k participations, at the k at which that side is least: the largest over T, r, kappa and eps",
        cells=_lemma_f_9_ratios(evidence), criterion=at_most(1.0 + EQUAL), changed=IN_CODE, note="Poisson samples, as the lemma has them",
    )  # fmt: skip


def _ratio(first: "pd.Series[float]", second: "pd.Series[float]") -> Estimate:
    """The ratio of two deltas, with their Monte-Carlo errors on the log scale where they have them."""
    if not (first["mean"] > 0 and second["mean"] > 0):
        return NOTHING
    errors = [row["delta_se"] / row["mean"] for row in (first, second) if row["delta_se"] > 0]
    value, factor = first["mean"] / second["mean"], math.exp(Z95 * math.hypot(*errors)) if errors else 1.0
    return Estimate(value, value / factor, value * factor)


def _lemma_f_9_ratios(evidence: Evidence) -> Places:
    table = rows(evidence, COUNTEREXAMPLE, series=PAIR_DELTA)
    table = table[
        (table["T"] > 1)
        & (table["T"] <= FEW_STEPS)
        & (table["kappa"] > 0)
        & (table["eps"] > 0)
        & (table["r"] > 0)
        & (table["r"] < 1)
    ]
    ratios = {}
    for row in algebra.rows_of(table.drop_duplicates(["T", "r", "kappa", "eps"])):
        T, r, kappa, eps = int(row["T"]), float(row["r"]), float(row["kappa"]), float(row["eps"])
        # The number of participations is taken at which the right side is least.
        most = np.arange(1, T + 1)
        inside = binom.cdf(most, T, r)
        right = inside * gaussian.delta(np.sqrt(most) / kappa, eps) + 1.0 - inside
        place = algebra.place_of(row, ("T", "r", "kappa", "eps"))
        ratios[place] = quotient(_divergence(kappa, eps, T, r), float(right.min()))
    return ratios


@cache
def _divergence(kappa: float, eps: float, T: int, r: float) -> float:
    return pairs.independent_delta(kappa, eps, T, r, "down")


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of the delta of Theorem F.8's pair beside the delta that batches of fixed size attain."""
    table, keys = rows(evidence, COUNTEREXAMPLE), ["T", "r", "lam", "eps", "kappa"]
    table = table.dropna(subset=keys)
    attained = table[table["series"] == ATTAINED]
    pair_deltas = table[table["series"] == PAIR_DELTA]
    merged = pair_deltas.merge(attained, on=keys, suffixes=("", "_attained"))
    for row in rows_of(merged):
        # The errors of deltas that were computed are blank.
        errors = [0.0 if math.isnan(row[name]) else row[name] for name in ("delta_se", "delta_se_attained")]
        why = "measured is attained by batches of fixed size, which the pair does not dominate"
        chance = f"{STANDARD_ERRORS:g} standard errors beyond allowed" if any(errors) else ""
        setting, allowed = place_text(COUNTEREXAMPLE, row, *keys), STANDARD_ERRORS * math.hypot(*errors)
        yield bound_row(
            bound="delta of F.8's pair, fixed size", location="Thm F.8", setting=setting, value=row["mean"],
            measured=row["mean_attained"], direction="at most",
            note=joined(why, chance, vacuous(row["mean"], 1.0)), allowed=allowed + ROUNDING * row["mean"],
        )  # fmt: skip
