"""Observations on wang2026, put as questions: on points that are unstated, and on its conditions in numbers."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpdescent.papers.wang2026 import corollaries, network, prescriptions
from dpdescent.papers.wang2026.clipping import CLIPPING
from dpdescent.papers.wang2026.criteria import (
    INDEPENDENT,
    PAIR,
    PUBLISHED,
    RENYI,
    SETTING,
    TAIL,
    finding,
    range_of,
    rows,
    setting,
)
from dpdescent.papers.wang2026.explicit_bounds import KINDS, RUNS, setting_at, splines_of
from dpdescent.papers.wang2026.findings.privacy import NOT_RUN, column_text
from dpdescent.papers.wang2026.multipliers import TABLE, multipliers
from dpdescent.papers.wang2026.setting import G_DELTA, G_SHARP, GRADIENT, POPULATION
from dpdescent.papers.wang2026.starts import ALONG, PATH, START, VIOLATIONS
from dpdescent.papers.wang2026.width import LOGS, SIXTH, UPPER, WIDTHS
from dpdescent.papers.wang2026.window_rates import RATES
from dpdescent.replication.judging.algebra import floats, paired_rows, rows_at_end
from dpdescent.replication.judging.evidence import Evidence, Finding


def observations(evidence: Evidence) -> Iterator[Finding]:
    """Yields the questions on unstated points, then on conditions in numbers."""
    yield _relations(evidence)
    yield _iterations(evidence)
    yield _scale(evidence)
    yield _updates(evidence)
    yield _amplification(evidence)
    yield _threshold(evidence)
    yield _widths(evidence)
    yield _window(evidence)
    yield _factor(evidence)
    yield _comparator(evidence)
    yield _slips(evidence)


def _relations(evidence: Evidence) -> Finding:
    independent, tail = multipliers(evidence, RENYI), multipliers(evidence, TAIL, lam=0)
    names = sorted(
        {
            f"{row['accountant']}: {row['relation']}"
            for _, row in pd.concat([multipliers(evidence, name) for name in (PUBLISHED, INDEPENDENT)]).iterrows()
        }
    )
    return finding(
        id="neighbouring-relations", location="Definition 3.1, App. D.1, Definition F.1", kind="unstated", severity="low", status="question", artefact=TABLE,
        statement="datasets are neighbours if they differ in the contribution of one data record; replacement for lambda = 0 (App. D.1), zero-out for lambda > 0 (App. F.1)",
        expected="one relation wherever independent and correlated noise are compared at the same eps",
        measured=(
            f"{'; '.join(names) or NOT_RUN}. A replaced record moves a sum twice as far: without correlation twice the zero-out multiplier of the participation tail, {range_of(2.0 * floats(tail, 'mean'))}, "
            f"stands beside eq. (19)'s for replace-one, {range_of(floats(independent, 'mean'))}"
        ),
        charitable="both are standard, and each theorem names its own; a factor of two in kappa at most, which rates do not show",
    )  # fmt: skip


def _iterations(evidence: Evidence) -> Finding:
    gamma, d = (setting(evidence, name) for name in ("gamma", "d"))
    rho = float(evidence.spec["artefacts"][WIDTHS]["cells"]["all"]["r"])
    widths = rows(evidence, WIDTHS, series=UPPER, logs="dropped")
    texts = []
    for n, eps in sorted(set(zip(floats(widths, "n"), floats(widths, "eps"), strict=True))):
        run = corollaries.corollary_5_3(corollaries.Point(n, d, gamma, eps), rho=rho)
        texts.append(f"{rho * run.T:.3g} against {3.0 * math.log(2.0 * n / gamma):.3g} at n = {n:g}")
    ours = rows(evidence, RATES, panel="Corollary 5.3", series=POPULATION, accountant=PUBLISHED)
    met = ours[ours["precondition"] == "met"]
    return finding(
        id="corollary-5.3-iterations", location="Corollary 5.3, Theorem F.12", kind="unstated", severity="low", status="question", artefact=WIDTHS,
        statement="T of order min{sqrt(n)/gamma, n eps gamma^2/sqrt(d)} with the kappa of Theorem 5.1, which in full asks for rT >= 3 log(2/delta)",
        expected="a remark that the condition holds, or from which n on",
        measured=(
            f"rT against 3 log(2/delta), delta = gamma/n, gamma = {gamma:g}, d = {d:g}, constants 1: {'; '.join(texts) or NOT_RUN}. With B/n = {range_of(floats(ours, 'r'))} and T = {range_of(floats(ours, 'T'))}, as run here, it is met at n = {', '.join(f'{n:g}' for n in sorted(set(floats(met, 'n')))) or NOT_RUN}"
        ),
        charitable="an asymptotic statement: rT grows like sqrt(n), the right-hand side like log(n), and constants are hidden",
    )  # fmt: skip


def _scale(evidence: Evidence) -> Finding:
    table = multipliers(evidence, PAIR, lam=0, eps=1, r=0.1, T=100)
    C_clip = setting(evidence, "C_clip")
    return finding(
        id="scale-of-kappa", location="App. F.1, Theorem F.8", kind="text", severity="low", status="question", artefact=TABLE,
        statement="Z ~ N(0, kappa^2) on the sum of gradients clipped at C_clip, and a pair of variance kappa^2/C_clip^2; in Algorithm 1 the noise on that sum is C_clip kappa Z with Z ~ N(0, I)",
        expected="one scale: with Algorithm 1's the pair's variance is kappa^2",
        measured=(
            f"at C_clip = {C_clip:g}, read literally, the pair's noise is {1.0 / C_clip:.3g} times that of the algorithm: a multiplier of {range_of(floats(table, 'mean'))} (T = 100, r = 0.1, eps = 1) would count as "
            f"{range_of(floats(table, 'mean') / C_clip)}"
        ),
        charitable="C_clip = 1 is assumed before Theorem F.12, where both agree, so that the closed form is not affected; a change of notation between main text and appendix",
    )  # fmt: skip


def _updates(evidence: Evidence) -> Finding:
    runs = rows(evidence, RATES, panel="Corollary 5.3", series=POPULATION)
    lengths = sorted(set(floats(runs, "T")))
    excess = [math.sqrt(T / (T - 1.0)) - 1.0 for T in lengths if T > 1]
    return finding(
        id="updates-accounted", location="Algorithm 1, Theorems 5.1 and 5.4", kind="text", severity="cosmetic", status="question", artefact=RATES,
        statement="for t = 1, ..., T - 1 (Algorithm 1); privacy is accounted for T steps, and the analysis has W_T",
        expected="one number of updates",
        measured=(
            f"T - 1 updates make T iterates; accounting for T asks for sqrt(T/(T - 1)) - 1 = {range_of(excess)} more noise of kappa that grows like sqrt(T), at T = {range_of(lengths)} as run here"
        ),
        charitable="on the safe side: T - 1 updates are covered by an account of T",
    )  # fmt: skip


def _amplification(evidence: Evidence) -> Finding:
    published, independent = multipliers(evidence, PUBLISHED, lam=0), multipliers(evidence, INDEPENDENT)
    pairs = [
        (float(row["r"]), row["mean"] / other["mean"])
        for row, other in paired_rows(published, independent, SETTING)
        if other["mean"] > 0
    ]
    by_rate = [
        (f"B/n = {r:g}", [ratio for rate, ratio in pairs if rate == r]) for r in sorted({rate for rate, _ in pairs})
    ]
    text = "; ".join(f"{range_of(ratios)} at {place}" for place, ratios in by_rate)
    return finding(
        id="theorem-5.1-amplification", location="Theorem 5.1 beside Theorem 5.4", kind="text", severity="cosmetic", status="question", artefact=TABLE,
        statement="kappa^2 of the order of (B/n) T for lambda > 0, of (B/n)^2 T for lambda = 0",
        expected="a multiplier of correlated noise that tends to that of independent noise as lambda -> 0",
        measured=f"F.12's kappa at lambda = 0 over D.9's, over T, eps and delta: {text or NOT_RUN}",
        charitable="Theorem 5.1 counts participations and has no amplification by sampling, which the text calls conservative; an implementer who sets lambda to 0 should take the other theorem",
    )  # fmt: skip


def _threshold(evidence: Evidence) -> Finding:
    large, sharp, gradients = (rows(evidence, START, series=series) for series in (G_DELTA, G_SHARP, GRADIENT))
    risks = rows(evidence, CLIPPING, series=POPULATION)
    best = pd.DataFrame(
        [rows_at_end(group, "mean", largest=False).iloc[0] for _, group in risks.groupby(["clip_rule", "lam"])],
        columns=risks.columns,
    )
    return finding(
        id="gradient-bound-conservative", location="eq. (5), Sec. 4.2", kind="unstated", severity="low", status="question", artefact=CLIPPING,
        statement="our analysis suggests the clipping scale C_clip of the order of G_delta, sufficient for the desired high-probability bounds",
        expected="how far G_delta is from the largest gradient, since the noise is proportional to C_clip",
        measured=(
            f"G_delta {range_of(floats(large, 'mean'))}; with local supports and the frozen layer known {range_of(floats(sharp, 'mean'))}; largest gradients at the start {range_of(floats(gradients, 'mean'))}, "
            f"m = {range_of(floats(large, 'm'))}. Averaged population risk at the best step, lambda = {best['lam'].min():g}: {column_text(best[best['lam'] == best['lam'].min()], ['clip_rule'])}"
        ),
        charitable="a valid bound, and conservative: looseness, not an error. The paper says that it is sufficient, and a sharper constant does not change the rates",
    )  # fmt: skip


def _widths(evidence: Evidence) -> Finding:
    table = rows(evidence, PATH, panel="inequality", series=VIOLATIONS)
    bounds = rows(evidence, "bound_vs_run", series="bound", bound="C.11", term="total")
    steps = sorted({float(eta) for eta in floats(bounds, "eta")})
    return finding(
        id="widths-out-of-reach", location="Theorem 4.1, Lemma C.2, eq. (7)", kind="unstated", severity="low", status="question", artefact=PATH,
        statement="m of at least order gamma^-4 up to logarithms, eta <= 1/(12 C p^3): under these widths and steps the local argument holds (nu D^2 <= 1/2)",
        expected="sizes at which the conditions hold with their constants",
        measured=(
            f"nu D^2 of trajectories is {range_of(floats(table, 'condition'))} at m = {range_of(floats(table, 'm'))}; the inequality that rests on it fails in a share {range_of(floats(table, 'mean'))} of the steps checked. "
            f"Explicit bounds at eta = {', '.join(f'{eta:g}' for eta in steps) or NOT_RUN}: {range_of(floats(bounds, 'mean'))}, log 2 = {math.log(2):.3g}"
        ),
        charitable="asymptotic statements with hidden constants, which hold with their constants for one record and m = 150,000 (ext_proof, panel explicit); what they lead to is seen at widths that they do not cover, so that the analysis is more pessimistic than the landscape",
    )  # fmt: skip


def _window(evidence: Evidence) -> Finding:
    texts = []
    for logs, words in LOGS.items():
        upper, sixth = (rows(evidence, WIDTHS, series=series, logs=logs) for series in (UPPER, SIXTH))
        keys = ("n", "gamma", "lam", "eps", "eta", "accountant")
        shares = [
            (row["n"], row["mean"] / other["mean"])
            for row, other in paired_rows(upper, sixth, keys)
            if other["mean"] > 0
        ]
        enough = sum(share >= 1 for _, share in shares)
        if shares:
            texts.append(
                f"{words}: {range_of(share for _, share in shares)}, at least 1 at {enough} of {len(shares)} places"
            )
    sizes = rows(evidence, WIDTHS, series=UPPER)
    return finding(
        id="corollary-5.3-window", location="Corollary 5.3, Theorem 4.1", kind="unstated", severity="low", status="question", artefact=WIDTHS,
        statement="m of order gamma^-6 up to logarithms lies in the admissible range of Theorem 4.1, which is nonempty",
        expected="an upper limit of at least gamma^-6 with the logarithms that the range suppresses",
        measured=(
            f"upper limit, constants 1, n = {range_of(floats(sizes, 'n'))}, gamma = {range_of(floats(sizes, 'gamma'))}, eta = {range_of(floats(sizes, 'eta'))}, over gamma^-6: {'; '.join(texts) or NOT_RUN}"
        ),
        charitable="borderline: the proof adjusts hidden constants and drops logarithms; a width of order gamma^-4 is left more room",
    )  # fmt: skip


def _factor(evidence: Evidence) -> Finding:
    artefact, source = corollaries.ARTEFACT, "Corollary 5.3"
    cell = evidence.spec["artefacts"][artefact]["cells"]["all"]
    point = corollaries.Point(*(float(cell[name]) for name in ("n", "d", "gamma", "eps")))
    bounds = floats(rows(evidence, artefact, quantity=corollaries.INSERTED, source=source), "mean")
    narrower = prescriptions.narrower_bound(point)
    return finding(
        id="theorem-5.2-width", location="Theorem 5.2, Theorem C.23, Lemma C.20", kind="mathematics", severity="low", status="question", artefact=artefact,
        statement="m of at least the order R_*^2 log(m/delta) eta^2 (T A_corr + ...)^2, from which Corollary 5.3 has its m of the order of gamma^-6",
        expected="the width of Lemma C.20, on which the proof rests, without R_*^2, as in Theorems D.15, D.16 and E.1",
        measured=(
            f"without it m = gamma^-4, T = min{{sqrt(n)/gamma, n eps gamma/sqrt(d)}} meet all conditions, with a private part sqrt(d)/(gamma^3 n eps) in place of gamma^-4: at n = {point.n:g}, d = {point.d:g}, gamma = {point.gamma:g}, eps = {point.eps:g}, constants 1, the bound is {narrower:.3g} in place of {range_of(bounds)}"
            if len(bounds)
            else NOT_RUN
        ),
        why="Lemma C.16 asks for R_*^4, that is gamma^-4, only",
        charitable="on the safe side: a larger width, and a rate that could be better by one power of gamma",
        repair="drop R_*^2",
    )  # fmt: skip


def _comparator(evidence: Evidence) -> Finding:
    ntk = rows(evidence, PATH, panel="ntk", series=ALONG)
    best = [
        rows_at_end(group, "mean", largest=False).iloc[0]
        for _, group in ntk.groupby("m")
        if np.isfinite(floats(group, "mean")).any()
    ]
    table = pd.DataFrame(best, columns=ntk.columns)
    target = 1.0 / floats(table, "T")
    above = floats(table, "mean") > target
    return finding(
        id="comparator-width", location="Lemma C.12", kind="unstated", severity="low", status="question", artefact=PATH,
        statement="W* = W_0 + tau u along the margin's direction has L_S(W*) <= 1/T for m of at least order log(m/delta) (log^2 T + log(n/delta))/gamma^4",
        expected="that loss at widths that can be run, or a remark on how large m has to be",
        measured=(
            f"smallest loss over tau, above 1/T = {range_of(target)}: {_losses_text(table[above])}; at most that: {_losses_text(table[~above])}; margins {range_of(floats(table, 'gamma'))}"
        ),
        charitable="the lemma holds for m large enough, and the widest network that was run may attain it; at smaller widths the activation saturates first. The bound holds for any comparator, and gradient descent finds better ones",
    )  # fmt: skip


def _losses_text(table: pd.DataFrame) -> str:
    return column_text(table, ["m", "tau_gamma"]) if len(table) else "at no width"


def _slips(evidence: Evidence) -> Finding:
    runs = rows(evidence, RUNS, panel="admissible step", series="bound", bound="C.11", constants="paper", term="total")
    factors, shares = [], []
    for _, row in runs.dropna(subset=["n", "B", "T", "m", "d", "lam", "kappa"]).iterrows():
        bounds = KINDS["paper"](splines_of(evidence, RUNS))
        run = setting_at(evidence, RUNS, row, bounds)
        if not row["kappa"] > 0:
            continue
        # At the largest step that is admitted 12 beta eta is 1.
        factors.append(((1.0 - run.lam) ** 2 + run.lam**2) / ((1.0 - run.lam) ** 2 + run.lam**2 / 6.0))
        radius = network.radius(setting(evidence, "gamma"), run.n, run.T, run.delta_pot)
        whole, start = (
            bounds.output_ceiling(run.n, run.gradient_bound, reach, run.delta_pot) for reach in (radius, 0.0)
        )
        shares.append((network.loss_ceiling(whole) / network.loss_ceiling(start)) ** 2)
    return finding(
        id="slips-in-proofs", location="Lemma C.11, Theorem C.13 (proof), Theorem D.14 (proof), App. D.3", kind="text", severity="cosmetic", status="question", artefact=RUNS,
        statement="c^2 V_Z/T in Lemma C.11's bound; 2 beta lambda^2 eta^3 c_priv^2 in the check of (10); 'C_clip <= G_delta' in Theorem D.14's proof; U of order sqrt(log(n/delta)) before Theorem D.15",
        expected="c_priv; 12 beta lambda^2, as (10) has it; C_clip >= G_delta, as the theorem assumes; U with b R_*, as Lemma C.17 has it",
        measured=(
            f"at the largest step admitted the noise term of (10) is {range_of(factors)} times the one checked; with b R_* the width that Theorem D.15 asks for is {range_of(shares)} times as large (the paper's constants)"
            if factors and shares
            else NOT_RUN
        ),
        charitable="constants, and powers of log T and 1/gamma in a condition on the width, which the hidden constants and a larger width absorb; no rate changes",
    )  # fmt: skip
