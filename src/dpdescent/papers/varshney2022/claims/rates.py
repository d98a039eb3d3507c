"""Claims about DP-AMBSSGD's risk in N, sigma, eps and kappa: Theorems 1.1 and 3.7 with their remarks."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpdescent.papers.varshney2022.claims import quantities
from dpdescent.papers.varshney2022.claims.quantities import MEDIAN, PRINTED_MEDIAN, first_term, noisy, risks
from dpdescent.papers.varshney2022.reading import (
    LOGARITHMS,
    RATE,
    SAME_ORDER,
    SIGNIFICANT,
    VANISHED,
    claim,
    every,
    rows,
)
from dpdescent.replication.judging import algebra, statistics
from dpdescent.replication.judging.algebra import Places, floats
from dpdescent.replication.judging.criteria import about, at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence

OURS, PRINTED, QUANTILE = "DP-AMBSSGD", "DP-AMBSSGD (as published)", "DP-AMBSSGD (q = 0.9)"
# Panels of risk_vs_n by the term that they are about.
MODERATE, SMALL_EPS = "epsilon = 1", "epsilon = 0.2"
COST = "risk less sigma^2 d/N where that is at least sigma^2 d/N"
MORE_SIZES = "After a first look at the tables more N were run at eps = 0.2"
TWIN_ADDED = "The claim was added after a first look at the tables."
WITH_QUANTILE = "(ours) with the 90 % quantile of the residuals "


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges the bound's level, then its powers, then what is said of both."""
    yield from _variance(evidence)
    yield from _private_rates(evidence)
    yield from _noise(evidence)
    yield from _order(evidence)
    yield from _free(evidence)
    yield from _condition_number(evidence)


def _variance(evidence: Evidence) -> Iterator[Claim]:
    factor = float(evidence.published["variance_factor"])
    printed = _at_largest_N(risks(evidence, "risk_vs_n", PRINTED, panel=MODERATE))
    # log2 of N^200, because Algorithm 2 takes Delta = B / N^200.
    needed = 200.0 * math.log2(printed["N"].max()) if len(printed) else math.nan
    levels = f"{int(evidence.settings['levels'])} doublings: Delta = B / N^200 would need {needed:.0f}"
    for id, table, typically, extra in (
        ("theorem-1.1-variance", _at_largest_N(risks(evidence, "risk_vs_n", OURS, panel=MODERATE)), MEDIAN,
         "corrected rule and exact noise multiplier"),
        ("theorem-3.7-variance-as-published", printed, PRINTED_MEDIAN,
         f"printed rule, noise multiplier and factor log^a N, but {levels}"),
    ):  # fmt: skip
        yield every(
            id=id, artefact="risk_vs_n", location="Thm 1.1, Thm 3.7", kind="theorem", source="paper",
            statement="excess risk is at most 8 sigma^2 d/N + O~(sigma^2 d^2 / (eps N)^2): 8 sigma^2 d/N where privacy costs little",
            quantity=f"risk over sigma^2 d/N at the largest N and eps = 1: the largest over sigma > 0; {typically}",
            cells=_in_first_terms(table), criterion=at_most(factor),
            note=f"{extra}; the exact constant of Lemma 3.11 at s = b/10 is {1.1 * factor:.3g}",
        )  # fmt: skip
    last = _at_largest_N(rows(evidence, "risk_vs_n", panel=MODERATE, series=OURS))
    yield every(
        id="theorem-1.1-high-probability", artefact="risk_vs_n", location="Thm 1.1, Thm 3.7", kind="theorem", source="paper",
        statement="the bound holds with probability at least 1 - 1/N^100",
        quantity="97.5 % quantile over trials of the risk over sigma^2 d/N at the largest N and eps = 1: the largest over sigma > 0",
        cells=_in_first_terms(quantities.exact(last, "q975")), criterion=at_most(factor, ": the first term alone"),
        note="so few trials cannot see a probability of N^-100; one that fails is enough to refute it",
    )  # fmt: skip
    last = _at_largest_N(rows(evidence, "risk_vs_n", panel=MODERATE, series=PRINTED))
    yield every(
        id="theorem-3.7-high-probability-as-published", artefact="risk_vs_n", location="Thm 3.7", kind="theorem", source="paper",
        statement="the bound holds with probability at least 1 - 1/N^100 (printed rule)",
        quantity="90 % quantile over trials of the risk over sigma^2 d/N at the largest N and eps = 1, printed rule: the largest over sigma > 0",
        cells=_in_first_terms(quantities.exact(last, "q90")), criterion=at_most(factor, ": the first term alone"),
        changed="The claim was added after a first look at the tables, because medians hide that the printed rule overshoots in every other iteration.",
    )  # fmt: skip


def _at_largest_N(table: pd.DataFrame) -> pd.DataFrame:
    return algebra.at_end(noisy(table), "N")


def _in_first_terms(table: pd.DataFrame, keys: tuple[str, ...] = ("sigma",)) -> Places:
    """Means over sigma^2 d/N, by place."""
    return algebra.means(quantities.in_units(table, first_term), keys)


def _private_rates(evidence: Evidence) -> Iterator[Claim]:
    for id, series, variant, ours, changed in (
        ("theorem-3.7-rate-n", OURS, "main", "", f"{MORE_SIZES}."),
        ("theorem-3.7-rate-n-quantile", QUANTILE, "main", WITH_QUANTILE, f"{MORE_SIZES}, and this claim was added."),
        ("theorem-3.7-rate-n-random-grid", OURS, "random grid", "(ours) with a random offset of the thresholds ",
         f"{MORE_SIZES}, and this claim was added."),
        ("theorem-3.7-rate-n-quantile-random-grid", QUANTILE, "random grid", "(ours) with the 90 % quantile and a random offset ",
         f"{MORE_SIZES}, and this claim was added."),
    ):  # fmt: skip
        yield every(
            # Ours all four, because the rule C = 1 is ours too, and its moving quantile decides the exponent.
            id=id, artefact="risk_vs_n", location="Thm 3.7", kind="theorem", source="ours",
            statement=f"{ours}the term of privacy falls like N^-2, log factors hidden",
            quantity=f"log-log slope in N, at eps = 0.2, of {COST}: the largest over sigma > 0; {MEDIAN}",
            cells=_slopes_in_N(evidence, series, variant), criterion=at_most(-2.0 + LOGARITHMS),
            changed=changed, note=_moving(evidence, "risk_vs_n", series),
        )  # fmt: skip
    for rate, both, series, ours, changed in (
        ("theorem-3.7-rate-eps", "optimal-exponents", OURS, "", ""),
        ("theorem-3.7-rate-eps-quantile", "optimal-exponents-quantile", QUANTILE, WITH_QUANTILE, TWIN_ADDED),
    ):
        in_N, in_eps = _slopes_in_N(evidence, series), _slopes_in_eps(evidence, series)
        off = {f"in N, {place}": slope for place, slope in in_N.items()}
        off |= {f"in eps, {place}": slope for place, slope in in_eps.items()}
        further = [_moving(evidence, artefact, series) for artefact in ("risk_vs_eps", "risk_vs_n")]
        yield every(
            id=rate, artefact="risk_vs_eps", location="Thm 3.7", kind="theorem", source="ours",
            statement=f"{ours}the term of privacy is O(log(1/delta) / eps^2)",
            quantity=f"log-log slope in eps of {COST}: the smallest over sigma; {MEDIAN}",
            cells=in_eps, criterion=at_least(-2.0 - LOGARITHMS), changed=changed,
            note="; ".join(filter(None, ["noise for exactly (eps, delta) falls a little slower than 1/eps", further[0]])),
        )  # fmt: skip
        yield every(
            id=both, artefact="risk_vs_n", location="Sec. 1, Sec. 4", kind="text", source="ours",
            statement=f"{ours}the error related to privacy is (nearly) optimal in N and eps: both lower bounds' exponents are attained",
            quantity=f"log-log slopes in N and in eps of {COST}, less -2: the one that is furthest off",
            cells={place: statistics.less(slope, -2.0) for place, slope in off.items()}, criterion=about(0.0, LOGARITHMS),
            changed=changed, note="; ".join(filter(None, ["d is judged by the claims on dimension", further[1]])),
        )  # fmt: skip


def _slopes_in_N(evidence: Evidence, series: str, variant: str = "main") -> Places:
    table = noisy(risks(evidence, "risk_vs_n", series, variant, panel=SMALL_EPS))
    return algebra.by(quantities.cost_of_privacy(table), ["sigma"], lambda group: algebra.exponent(group, "N"))


def _slopes_in_eps(evidence: Evidence, series: str) -> Places:
    table = noisy(risks(evidence, "risk_vs_eps", series))
    return algebra.by(quantities.cost_of_privacy(table), ["sigma"], lambda group: algebra.exponent(group, "eps"))


def _moving(evidence: Evidence, artefact: str, series: str) -> str:
    """The quantile that the corrected rule asks for, which moves along the curve, for a note."""
    if series != OURS:
        return ""
    table = rows(evidence, artefact, series=OURS)
    table = table[table["panel"] != MODERATE].drop_duplicates(["N", "eps"])
    shares = quantities.asked(evidence, artefact, table, ["N", "eps"])
    return f"the rule C = 1 asks for a quantile that moves along the curve, and the exponent with it: {shares}"


def _noise(evidence: Evidence) -> Iterator[Claim]:
    floors = {
        name: algebra.exponent(noisy(risks(evidence, "risk_vs_sigma", OURS, name)), "sigma")
        for name in ("twelve levels", "thirty levels")
    }
    yield claim(
        id="theorem-3.7-rate-sigma", artefact="risk_vs_sigma", location="Thm 3.7, abstract", kind="theorem", source="paper",
        statement="excess risk is proportional to sigma^2, in both terms",
        quantity=f"log-log slope of the risk in sigma, sigma > 0; {MEDIAN}",
        measured=algebra.exponent(noisy(risks(evidence, "risk_vs_sigma", OURS)), "sigma"), criterion=about(2.0, RATE),
        note=f"Delta is a floor below which the threshold cannot fall: slopes {algebra.told(floors)}",
    )  # fmt: skip
    table = risks(evidence, "risk_vs_n", OURS, panel=MODERATE)
    yield every(
        id="vanishes-with-sigma", artefact="risk_vs_n", location="Thm 3.7, Sec. 3.2", kind="theorem", source="paper",
        statement="the error vanishes for vanishing noise of the labels, up to |w*|_H^2 / N^100",
        quantity=f"risk at sigma = 0 over that at the smallest sigma > 0, at eps = 1: the largest over N; {MEDIAN}",
        cells=_at_zero(table), criterion=at_most(VANISHED),
        note="with finite T and Delta a rest has to stay",
    )  # fmt: skip


def _at_zero(table: pd.DataFrame) -> Places:
    """Risk without noise of the labels over that with the least, by N; the error of the latter is left out."""
    least = algebra.at_end(noisy(table), "sigma", largest=False)
    zero, means = table[table["sigma"] == 0], dict(zip(least["N"], least["mean"], strict=True))
    return quantities.shares(zero, (means.get(N, math.nan) for N in zero["N"]), ["N"])


def _order(evidence: Evidence) -> Iterator[Claim]:
    delta = float(evidence.settings["delta"])
    everything = pd.concat([
        noisy(risks(evidence, "risk_vs_n", OURS, panel=MODERATE)), noisy(risks(evidence, "risk_vs_n", OURS, panel=SMALL_EPS)),
        noisy(risks(evidence, "risk_vs_eps", OURS)),
    ])  # fmt: skip
    factor = float(evidence.published["variance_factor"])
    bound = quantities.in_units(
        everything, lambda table: factor * first_term(table) + math.log(1 / delta) * quantities.privacy_term(table)
    )
    over_N = bound[bound["panel"] != "all"]
    yield every(
        id="theorem-3.7-order", artefact="risk_vs_n", location="Thm 3.7, Cor. 3.8", kind="theorem", source="paper",
        statement="excess risk is at most 8 sigma^2 d/N + O~(sigma^2 d^2 log(1/delta) / (eps N)^2)",
        quantity=f"risk over that sum with the hidden factor at 1, as N grows: its largest over its first; {MEDIAN}",
        cells=algebra.by(over_N, ["panel", "sigma"], lambda group: algebra.growth(group.sort_values("N")["mean"])),
        criterion=at_most(SAME_ORDER),
        note=f"hidden factor in front of the whole, at most: {bound['mean'].max():.3g}",
    )  # fmt: skip
    lower = quantities.in_units(everything, lambda table: first_term(table) + quantities.privacy_term(table))
    yield every(
        id="lower-bound-matched", artefact="risk_vs_n", location="Remark (ii) after Thm 3.7, Sec. 1", kind="theorem", source="paper",
        statement="up to kappa and log N factors the bound matches the lower bound sigma^2 d/N + sigma^2 d^2 / (eps N)^2",
        quantity=f"risk over that sum: the largest over N, sigma and eps; {MEDIAN}",
        cells=algebra.means(lower, ["panel", "N", "sigma", "eps"]), criterion=at_most(factor * math.log(1 / delta), ": 8 log(1/delta)"),
        changed="Before a first look at the tables the allowance had log^2 N as a factor.",
        note="8 from the theorem, log(1/delta) from its last term; logarithms of N, which are allowed too, are not allowed for here",
    )  # fmt: skip


def _free(evidence: Evidence) -> Iterator[Claim]:
    table = noisy(risks(evidence, "risk_vs_eps", OURS))
    above = table[floats(table, "eps") > np.sqrt(floats(table, "d") / floats(table, "N"))]
    factor = float(evidence.published["variance_factor"])
    found = quantities.in_units(above, lambda each: factor * first_term(each))
    reached = found[found["mean"] <= SIGNIFICANT]["eps"]
    yield every(
        id="privacy-for-free", artefact="risk_vs_eps", location="Sec. 1 (after Thm 1.1)", kind="text", source="paper",
        statement="for eps > sqrt(d/N) the first term dominates: privacy is free, asymptotically",
        quantity=f"risk over 8 sigma^2 d/N at eps > sqrt(d/N): the largest; {MEDIAN}",
        cells=algebra.means(found, ["sigma", "eps"]), criterion=at_most(SIGNIFICANT, ": the second term no more than the first"),
        note=f"the second term hides log(1/delta) and log N; below that for eps from {reached.min():g} on",
    )  # fmt: skip
    ols = algebra.at_end(rows(evidence, "risk_vs_eps", series="OLS"), "eps")
    yield every(
        id="optimal-variance", artefact="risk_vs_eps", location="Sec. 1, remark (i) after Thm 3.7", kind="theorem", source="paper",
        statement="the variance error is optimal up to a constant, similar to non-private versions",
        quantity=f"risk at the largest eps over sigma^2 d/N, what least squares has twice over: the largest over sigma; {MEDIAN}",
        cells=_in_first_terms(algebra.at_end(table, "eps")), criterion=at_most(SAME_ORDER / 2, ": within the same order of least squares"),
        note=f"least squares: {algebra.told(_in_first_terms(quantities.typical(ols)))}",
    )  # fmt: skip
    shares = (0.5, 0.1, 0.01)
    yield claim(
        id="n-to-cn", artefact="table_bounds", location="Sec. 1 (after Thm 1.1)", kind="text", source="paper",
        statement="with eps = c sqrt(d)/sqrt(N), c < 1, the bound is O~(d/(cN)): N becomes cN",
        quantity=f"(algebra) d^2 / (eps N)^2 over d/(cN) for c = {', '.join(f'{c:g}' for c in shares)}: largest over smallest",
        measured=algebra.spread(_second_term_over(c) for c in shares), criterion=at_most(SAME_ORDER),
        note="it is d/(c^2 N). Right if c stands under the root; finding sample-size-reduction",
    )  # fmt: skip


def _second_term_over(c: float, d: float = 100.0, N: float = 1e6) -> float:
    """d^2 / (eps N)^2 over d / (c N) at eps = c sqrt(d/N); d and N do not matter."""
    eps = c * math.sqrt(d / N)
    return (d / (eps * N)) ** 2 / (d / (c * N))


def _condition_number(evidence: Evidence) -> Iterator[Claim]:
    table = risks(evidence, "risk_vs_kappa", OURS)
    per_kappa = float(evidence.settings["steps_per_kappa"])
    chosen = table[floats(table, "T") == per_kappa * floats(table, "kappa")]
    yield claim(
        id="theorem-3.7-rate-kappa", artefact="risk_vs_kappa", location="Thm 3.7", kind="theorem", source="ours",
        statement="the term of privacy is proportional to kappa^2 at most",
        quantity=f"log-log slope in kappa, at T = {per_kappa:g} kappa, of {COST}; {MEDIAN}",
        measured=algebra.exponent(quantities.cost_of_privacy(chosen), "kappa"), criterion=at_most(2.0 + LOGARITHMS),
        note=f"risks: {algebra.told(algebra.means(chosen, ['kappa']))}",
    )  # fmt: skip
    best = {kappa: group.loc[group["mean"].idxmin()] for kappa, group in table.dropna(subset=["mean"]).groupby("kappa")}
    found = {
        f"kappa = {row['kappa']:g}": algebra.over(row, best[row["kappa"]])
        for row in algebra.each(chosen)
        if row["kappa"] in best
    }
    yield every(
        id="enough-iterations", artefact="risk_vs_kappa", location="Thm 3.7", kind="theorem", source="paper",
        statement="T = c_1 kappa log N iterations are enough, c_1 a constant",
        quantity=f"risk at T = {per_kappa:g} kappa over the smallest over T: the largest over kappa; {MEDIAN}",
        cells=found, criterion=at_most(SAME_ORDER),
        note=f"best T: {algebra.listed((f'kappa = {kappa:g}', float(row['T'])) for kappa, row in best.items())}; log N is a constant here",
    )  # fmt: skip
    plain = quantities.in_units(rows(evidence, "risk_vs_kappa", series="no noise"), first_term)
    plain = plain[floats(plain, "T") == per_kappa * floats(plain, "kappa")]
    yield claim(
        id="leading-term-kappa", artefact="risk_vs_kappa", location="Remark (iv) after Thm 3.7", kind="theorem", source="paper",
        statement="the leading term sigma^2 d/N is independent of kappa",
        quantity=f"exact risk without noise for privacy over sigma^2 d/N at T = {per_kappa:g} kappa: largest over smallest over kappa",
        measured=algebra.spread(plain["mean"]), criterion=at_most(SAME_ORDER),
        changed="After a first look at the tables more T were run, of which this one is read.",
        note=algebra.told(algebra.means(plain, ["kappa"])),
    )  # fmt: skip
