"""Claims about DP-AMBSSGD's risk in N, sigma, eps and kappa: Theorems 1.1 and 3.7 with their remarks."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpdescent.papers.varshney2022.claims.quantities import (
    MEDIAN,
    PRINTED_MEDIAN,
    by,
    cost_of_privacy,
    exponent,
    first_term,
    less,
    mean_over,
    means,
    nearest,
    privacy_term,
    quantile_asked,
    risks,
    scaled,
    told,
    typical,
)
from dpdescent.papers.varshney2022.reading import (
    CHANGED,
    LOGARITHMS,
    RATE,
    SAME_ORDER,
    SIGNIFICANT,
    VANISHED,
    claim,
    every,
    rows,
)
from dpdescent.replication.judging.algebra import growth, listed, over, spread
from dpdescent.replication.judging.criteria import about, at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate, known

OURS, PRINTED, QUANTILE = "DP-AMBSSGD", "DP-AMBSSGD (as published)", "DP-AMBSSGD (q = 0.9)"
# Panels of risk_vs_n by the term that they are about.
MODERATE, SMALL_EPS = "epsilon = 1", "epsilon = 0.2"
COST = "risk less sigma^2 d/N where that is at least sigma^2 d/N"


def judge(evidence: Evidence) -> Iterator[Claim]:
    """The bound's level, then its powers, then what is said of both."""
    yield from _variance(evidence)
    yield from _private_rates(evidence)
    yield from _noise(evidence)
    yield from _order(evidence)
    yield from _free(evidence)
    yield from _condition_number(evidence)


def _noisy(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["sigma"].astype(float) > 0]


def _variance(evidence: Evidence) -> Iterator[Claim]:
    factor = float(evidence.published["variance_factor"])
    words = (
        "excess risk is at most 8 sigma^2 d/N + O~(sigma^2 d^2 / (eps N)^2): 8 sigma^2 d/N where privacy costs little"
    )
    levels = int(evidence.settings["levels"])
    for name, series, typically, extra in (
        ("theorem-1.1-variance", OURS, MEDIAN, "corrected rule and exact noise multiplier"),
        ("theorem-3.7-variance-as-published", PRINTED, PRINTED_MEDIAN, f"printed rule, noise multiplier and factor log^a N, but {levels} doublings: Delta = B / N^200 would need"),
    ):  # fmt: skip
        last = nearest(_noisy(risks(evidence, "risk_vs_n", series, panel=MODERATE)), "N")
        found = scaled(last, first_term)
        if series == PRINTED:
            extra += f" {_doublings(last):.0f}"
        yield every(
            id=name, artefact="risk_vs_n", location="Thm 1.1, Thm 3.7", kind="theorem", source="paper",
            statement=words,
            quantity=f"risk over sigma^2 d/N at the largest N and eps = 1: the largest over sigma > 0; {typically}",
            cells=means(found), criterion=at_most(factor),
            note=f"{extra}; the exact constant of Lemma 3.11 at s = b/10 is {1.1 * factor:.3g}. By sigma: {listed(zip(found['sigma'], found['mean'], strict=True))}",
        )  # fmt: skip
    last = nearest(_noisy(rows(evidence, "risk_vs_n", panel=MODERATE, series=OURS)), "N")
    worst = scaled(last.assign(mean=last["q975"], se=math.nan), first_term)
    yield every(
        id="theorem-1.1-high-probability", artefact="risk_vs_n", location="Thm 1.1, Thm 3.7", kind="theorem", source="paper",
        statement="the bound holds with probability at least 1 - 1/N^100",
        quantity="97.5 % quantile over trials of the risk over sigma^2 d/N at the largest N and eps = 1: the largest over sigma > 0",
        cells=means(worst), criterion=at_most(factor, ": the first term alone"),
        note="so few trials cannot see a probability of N^-100; one that fails is enough to refute it",
    )  # fmt: skip
    last = nearest(_noisy(rows(evidence, "risk_vs_n", panel=MODERATE, series=PRINTED)), "N")
    tail = scaled(last.assign(mean=last["q90"], se=math.nan), first_term)
    yield every(
        id="theorem-3.7-high-probability-as-published", artefact="risk_vs_n", location="Thm 3.7", kind="theorem", source="paper",
        statement="the bound holds with probability at least 1 - 1/N^100 (printed rule)",
        quantity="90 % quantile over trials of the risk over sigma^2 d/N at the largest N and eps = 1, printed rule: the largest over sigma > 0",
        cells=means(tail), criterion=at_most(factor, ": the first term alone"),
        note=f"{CHANGED}: added, since medians hide that the printed rule overshoots in every other iteration. By sigma: {listed(zip(tail['sigma'], tail['mean'], strict=True))}",
    )  # fmt: skip


def _doublings(table: pd.DataFrame) -> float:
    """log2 of N^200, what Algorithm 2's Delta takes at the largest N."""
    return 200.0 * math.log2(table["N"].max()) if len(table) else math.nan


def _private_rates(evidence: Evidence) -> Iterator[Claim]:
    for suffix, series, variant, ours in (
        ("", OURS, "main", ""),
        ("-quantile", QUANTILE, "main", "(ours) with the 90 % quantile of the residuals "),
        ("-random-grid", OURS, "random grid", "(ours) with a random offset of the thresholds "),
        ("-quantile-random-grid", QUANTILE, "random grid", "(ours) with the 90 % quantile and a random offset "),
    ):
        in_N = _slopes_in_N(evidence, series, variant)
        yield every(
            id=f"theorem-3.7-rate-n{suffix}", artefact="risk_vs_n", location="Thm 3.7", kind="theorem", source="paper",
            statement=f"{ours}the term of privacy falls like N^-2, log factors hidden",
            quantity=f"log-log slope in N, at eps = 0.2, of {COST}: the largest over sigma > 0; {MEDIAN}",
            cells=in_N.values(), criterion=at_most(-2.0 + LOGARITHMS),
            note=f"{told(in_N)}. {_moving(evidence, 'risk_vs_n', series)}{CHANGED}: more N at eps = 0.2{', and this twin' if suffix else ''}",
        )  # fmt: skip
    for suffix, series, ours in (
        ("", OURS, ""),
        ("-quantile", QUANTILE, "(ours) with the 90 % quantile of the residuals "),
    ):
        in_N, in_eps = _slopes_in_N(evidence, series), _slopes_in_eps(evidence, series)
        added = f". {CHANGED}: this twin was added" if suffix else ""
        yield every(
            id=f"theorem-3.7-rate-eps{suffix}", artefact="risk_vs_eps", location="Thm 3.7", kind="theorem", source="paper",
            statement=f"{ours}the term of privacy is O(log(1/delta) / eps^2)",
            quantity=f"log-log slope in eps of {COST}: the smallest over sigma; {MEDIAN}",
            cells=in_eps.values(), criterion=at_least(-2.0 - LOGARITHMS),
            note=f"{told(in_eps)}; noise for exactly (eps, delta) falls a little slower than 1/eps{_further(_moving(evidence, 'risk_vs_eps', series))}{added}",
        )  # fmt: skip
        off = [less(each, -2.0) for found in (in_N, in_eps) for each in found.values()]
        yield every(
            id=f"optimal-exponents{suffix}", artefact="risk_vs_n", location="Sec. 1, Sec. 4", kind="text", source="paper",
            statement=f"{ours}the error related to privacy is (nearly) optimal in N and eps: both lower bounds' exponents are attained",
            quantity=f"log-log slopes in N and in eps of {COST}, less -2: the one that is furthest off",
            cells=off, criterion=about(0.0, LOGARITHMS),
            note=f"in N: {told(in_N)}; in eps: {told(in_eps)}; d is judged by the claims on dimension{_further(_moving(evidence, 'risk_vs_n', series))}{added}",
        )  # fmt: skip


def _slopes_in_N(evidence: Evidence, series: str, variant: str = "main") -> dict[str, Estimate]:
    table = _noisy(risks(evidence, "risk_vs_n", series, variant, panel=SMALL_EPS))
    return by(cost_of_privacy(table), ["sigma"], lambda group: exponent(group, "N"))


def _slopes_in_eps(evidence: Evidence, series: str) -> dict[str, Estimate]:
    table = _noisy(risks(evidence, "risk_vs_eps", series))
    return by(cost_of_privacy(table), ["sigma"], lambda group: exponent(group, "eps"))


def _further(sentence: str) -> str:
    """A further sentence of a note, if there is one."""
    return f". {sentence}" if sentence else ""


def _moving(evidence: Evidence, artefact: str, series: str) -> str:
    """For a note: the quantile that the corrected rule asks for, which moves along the curve."""
    if series != OURS:
        return ""
    table = rows(evidence, artefact, series=OURS)
    table = table[table["panel"] != MODERATE].drop_duplicates(["N", "eps"])
    shares = [
        (f"N = {row['N']:g}, eps = {row['eps']:g}", quantile_asked(evidence, artefact, row["N"], row["eps"]))
        for _, row in table.iterrows()
    ]
    return (
        f"The rule C = 1 asks for a quantile that moves along the curve, and the exponent with it: {listed(shares)}. "
    )


def _noise(evidence: Evidence) -> Iterator[Claim]:
    table = _noisy(risks(evidence, "risk_vs_sigma", OURS))
    variants = {name: exponent(_noisy(risks(evidence, "risk_vs_sigma", OURS, name)), "sigma")
                for name in ("twelve levels", "thirty levels")}  # fmt: skip
    yield claim(
        id="theorem-3.7-rate-sigma", artefact="risk_vs_sigma", location="Thm 3.7, abstract", kind="theorem", source="paper",
        statement="excess risk is proportional to sigma^2, in both terms",
        quantity=f"log-log slope of the risk in sigma, sigma > 0; {MEDIAN}",
        measured=exponent(table, "sigma"), criterion=about(2.0, RATE),
        note=f"Delta is a floor below which the threshold cannot fall: slopes {told(variants)}",
    )  # fmt: skip
    by_N = risks(evidence, "risk_vs_n", OURS, panel=MODERATE)
    yield every(
        id="vanishes-with-sigma", artefact="risk_vs_n", location="Thm 3.7, Sec. 3.2", kind="theorem", source="paper",
        statement="the error vanishes for vanishing noise of the labels, up to |w*|_H^2 / N^100",
        quantity=f"risk at sigma = 0 over that at the smallest sigma > 0, at eps = 1: the largest over N; {MEDIAN}",
        cells=_at_zero(by_N).values(), criterion=at_most(VANISHED),
        note=f"{told(_at_zero(by_N))}; with finite T and Delta a rest has to stay; missed at: {_missed(_at_zero(by_N))}",
    )  # fmt: skip


def _at_zero(table: pd.DataFrame) -> dict[str, Estimate]:
    """Risk without noise of the labels over that with the least, by N; the error of the latter is left out."""
    found: dict[str, Estimate] = {}
    for N, group in table.groupby("N"):
        zero, small = group[group["sigma"] == 0], nearest(_noisy(group), "sigma", largest=False)
        found |= {
            f"N = {N:g}": each for each in mean_over(zero, [float(value) for value in small["mean"][: len(zero)]])
        }
    return found


def _missed(found: dict[str, Estimate]) -> str:
    """Where the value is above VANISHED."""
    return "; ".join(place for place, each in found.items() if each.value > VANISHED) or "none"


def _order(evidence: Evidence) -> Iterator[Claim]:
    delta = float(evidence.settings["delta"])
    everything = pd.concat([
        _noisy(risks(evidence, "risk_vs_n", OURS, panel=MODERATE)), _noisy(risks(evidence, "risk_vs_n", OURS, panel=SMALL_EPS)),
        _noisy(risks(evidence, "risk_vs_eps", OURS)),
    ])  # fmt: skip
    factor = float(evidence.published["variance_factor"])
    bound = scaled(everything, lambda table: factor * first_term(table) + math.log(1 / delta) * privacy_term(table))
    drift = by(bound[bound["panel"] != "all"], ["panel", "sigma"], lambda group: growth(group.sort_values("N")["mean"]))
    yield every(
        id="theorem-3.7-order", artefact="risk_vs_n", location="Thm 3.7, Cor. 3.8", kind="theorem", source="paper",
        statement="excess risk is at most 8 sigma^2 d/N + O~(sigma^2 d^2 log(1/delta) / (eps N)^2)",
        quantity=f"risk over that sum with the hidden factor at 1, as N grows: its largest over its first; {MEDIAN}",
        cells=drift.values(), criterion=at_most(SAME_ORDER),
        note=f"hidden factor in front of the whole, at most: {bound['mean'].max():.3g}",
    )  # fmt: skip
    lower = scaled(everything, lambda table: first_term(table) + privacy_term(table))
    yield every(
        id="lower-bound-matched", artefact="risk_vs_n", location="Remark (ii) after Thm 3.7, Sec. 1", kind="theorem", source="paper",
        statement="up to kappa and log N factors the bound matches the lower bound sigma^2 d/N + sigma^2 d^2 / (eps N)^2",
        quantity=f"risk over that sum: the largest over N, sigma and eps; {MEDIAN}",
        cells=means(lower), criterion=at_most(factor * math.log(1 / delta), ": 8 log(1/delta)"),
        note=f"8 from the theorem, log(1/delta) from its last term; logarithms of N, which are allowed too, are not allowed for here. Risk over the sum: {lower['mean'].min():.3g} to {lower['mean'].max():.3g}. {CHANGED}: the allowance had log^2 N as a factor",
    )  # fmt: skip


def _free(evidence: Evidence) -> Iterator[Claim]:
    table = _noisy(risks(evidence, "risk_vs_eps", OURS))
    above = table[table["eps"].astype(float) > np.sqrt(table["d"].astype(float) / table["N"].astype(float))]
    factor = float(evidence.published["variance_factor"])
    found = scaled(above, lambda each: factor * first_term(each))
    reached = found[found["mean"] <= SIGNIFICANT]["eps"]
    yield every(
        id="privacy-for-free", artefact="risk_vs_eps", location="Sec. 1 (after Thm 1.1)", kind="theorem", source="paper",
        statement="for eps > sqrt(d/N) the first term dominates: privacy is free, asymptotically",
        quantity=f"risk over 8 sigma^2 d/N at eps > sqrt(d/N): the largest; {MEDIAN}",
        cells=means(found), criterion=at_most(SIGNIFICANT, ": the second term no more than the first"),
        note=f"the second term hides log(1/delta) and log N; below that for eps from {reached.min():g} on. {_by_eps(found)}",
    )  # fmt: skip
    large = nearest(table, "eps")
    ols = nearest(rows(evidence, "risk_vs_eps", series="OLS"), "eps")
    yield every(
        id="optimal-variance", artefact="risk_vs_eps", location="Sec. 1, remark (i) after Thm 3.7", kind="theorem", source="paper",
        statement="the variance error is optimal up to a constant, similar to non-private versions",
        quantity=f"risk at the largest eps over sigma^2 d/N, what least squares has twice over: the largest over sigma; {MEDIAN}",
        cells=means(scaled(large, first_term)), criterion=at_most(SAME_ORDER / 2, ": within the same order of least squares"),
        note=f"least squares: {listed(zip((f'sigma = {sigma:g}' for sigma in ols['sigma']), scaled(typical(ols), first_term)['mean'], strict=True))}",
    )  # fmt: skip
    shares = (0.5, 0.1, 0.01)
    yield claim(
        id="n-to-cn", artefact="table_bounds", location="Sec. 1 (after Thm 1.1)", kind="theorem", source="paper",
        statement="with eps = c sqrt(d)/sqrt(N), c < 1, the bound is O~(d/(cN)): N becomes cN",
        quantity=f"(algebra) d^2 / (eps N)^2 over d/(cN) for c = {', '.join(f'{c:g}' for c in shares)}: largest over smallest",
        measured=spread(_second_term_over(c) for c in shares), criterion=at_most(SAME_ORDER),
        note="it is d/(c^2 N). Right if c stands under the root; finding sample-size-reduction",
    )  # fmt: skip


def _second_term_over(c: float, d: float = 100.0, N: float = 1e6) -> float:
    """d^2 / (eps N)^2 over d / (c N) at eps = c sqrt(d/N); d and N do not matter."""
    eps = c * math.sqrt(d / N)
    return (d / (eps * N)) ** 2 / (d / (c * N))


def _by_eps(table: pd.DataFrame) -> str:
    return "; ".join(
        f"sigma = {sigma:g}: " + listed(zip(group["eps"], group["mean"], strict=True)) for sigma, group in table.groupby("sigma")
    )  # fmt: skip


def _condition_number(evidence: Evidence) -> Iterator[Claim]:
    table = risks(evidence, "risk_vs_kappa", OURS)
    per_kappa = float(evidence.settings["steps_per_kappa"])
    chosen = table[table["T"].astype(float) == per_kappa * table["kappa"].astype(float)]
    cost = cost_of_privacy(chosen)
    yield claim(
        id="theorem-3.7-rate-kappa", artefact="risk_vs_kappa", location="Thm 3.7", kind="theorem", source="paper",
        statement="the term of privacy is proportional to kappa^2 at most",
        quantity=f"log-log slope in kappa, at T = {per_kappa:g} kappa, of {COST}; {MEDIAN}",
        measured=exponent(cost, "kappa"), criterion=at_most(2.0 + LOGARITHMS),
        note=f"risks: {listed(zip(chosen['kappa'], chosen['mean'], strict=True))}",
    )  # fmt: skip
    best = {kappa: group.loc[group["mean"].idxmin()] for kappa, group in table.dropna(subset=["mean"]).groupby("kappa")}
    found = {row["kappa"]: over(row, best[row["kappa"]]) for _, row in chosen.iterrows() if row["kappa"] in best}
    yield every(
        id="enough-iterations", artefact="risk_vs_kappa", location="Thm 3.7", kind="theorem", source="paper",
        statement="T = c_1 kappa log N iterations are enough, c_1 a constant",
        quantity=f"risk at T = {per_kappa:g} kappa over the smallest over T: the largest over kappa; {MEDIAN}",
        cells=known(found.values()), criterion=at_most(SAME_ORDER),
        note=f"best T: {listed(((f'kappa = {kappa:g}'), float(row['T'])) for kappa, row in best.items())}; log N is a constant here",
    )  # fmt: skip
    plain = scaled(rows(evidence, "risk_vs_kappa", series="no noise"), first_term)
    plain = plain[plain["T"].astype(float) == per_kappa * plain["kappa"].astype(float)]
    yield claim(
        id="leading-term-kappa", artefact="risk_vs_kappa", location="Remark (iv) after Thm 3.7", kind="theorem", source="paper",
        statement="the leading term sigma^2 d/N is independent of kappa",
        quantity=f"exact risk without noise for privacy over sigma^2 d/N at T = {per_kappa:g} kappa: largest over smallest over kappa",
        measured=spread(plain["mean"]), criterion=at_most(SAME_ORDER),
        note=f"{listed(zip((f'kappa = {kappa:g}' for kappa in plain['kappa']), plain['mean'], strict=True))}. {CHANGED}: the table got more T, of which this one is read",
    )  # fmt: skip
