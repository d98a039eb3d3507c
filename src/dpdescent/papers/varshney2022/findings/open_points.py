"""What varshney2022 leaves unstated, and questions to it.

What is unstated is confirmed in the sense that the text has no such value. What the text does not decide is a question.
"""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.varshney2022.audit import DELTA, EPS_LOCAL
from dpdescent.papers.varshney2022.claims.quantities import typical
from dpdescent.papers.varshney2022.findings.telling import OURS, between, ends, told
from dpdescent.papers.varshney2022.reading import finding, rows
from dpdescent.papers.varshney2022.theory.moments import NORMAL_K2
from dpdescent.privacy.accounting import tight_epsilon
from dpdescent.replication.judging.evidence import Evidence, Finding


def unstated(evidence: Evidence) -> Iterator[Finding]:
    """Yields values that the text lacks."""
    yield _iterations(evidence)
    yield _width(evidence)
    yield _k2(evidence)


def _iterations(evidence: Evidence) -> Finding:
    table = typical(rows(evidence, "risk_vs_kappa", series=OURS))
    best = [group.loc[[group["mean"].idxmin()]] for _, group in table.dropna(subset=["mean"]).groupby("kappa")]
    found = pd.concat(best) if best else table
    steps = typical(rows(evidence, "ablation", choice="iterations", series=OURS))
    return finding(
        id="unstated-iterations", location="Thm 3.7, Lemma 3.11", kind="unstated", severity="low", status="confirmed", artefact="risk_vs_kappa",
        statement="T = c_1 kappa log N, c_1 a global constant",
        expected="a value of c_1, or a bound for every c_1: the text has neither",
        measured=(
            f"N^-100 in the bound needs c_1 = 400 by (47) (T = {400 * math.log(1e5):.0f} at N = 100,000, kappa = 1). Best T of those tried: {told(found, 'kappa = {kappa:g}', 'T')}; "
            f"median risk at kappa = 1: {told(steps, 'T = {level}')}"
        ),
        charitable="the theorem holds for some constant, whose value does not change the rate; the first term of the bound is then N to a smaller power",
    )  # fmt: skip


def _width(evidence: Evidence) -> Finding:
    stat = rows(evidence, "feasibility", condition="s >= 2 Gamma", series="smallest N")
    stat = stat[stat["c1"] < 400]
    batch, start = (
        rows(evidence, "feasibility", condition=condition, series="smallest N")
        for condition in ("batch condition of Lemma 3.11", "eta mu N / 2 >= log N")
    )
    batch = batch[batch["c1"] < 400]
    levels = 200 * math.log2(1e5)
    return finding(
        id="unstated-width", location="Algorithm 2 (line 7), Lemma 3.11", kind="unstated", severity="low", status="confirmed", artefact="feasibility",
        statement="DP-STAT runs with Delta = B / N^200; the analysis has Delta = (|w*|_H + sigma) / N^100; s = b/10",
        expected="one Delta, with which s = b/10 records are enough at some usual N: the text has two, and neither is",
        measured=(
            f"{levels:.0f} doublings at N = 100,000. Smallest N with s >= 2 Gamma: {told(ends(stat, 'mean'), '{width}, c_1 = {c1:g}')}; with the batch condition of Lemma 3.11: "
            f"{between(batch['mean'])}; for DP-SSGD with eta mu N / 2 >= log N: {told(ends(start, 'mean'), 'd = {d:g}')}"
        ),
        charitable="the powers of N only serve probabilities of N^-100; Delta just has to be below the noise of the labels, for which some twenty doublings are enough",
    )  # fmt: skip


def _k2(evidence: Evidence) -> Finding:
    runs = rows(evidence, "bound_vs_run", algorithm=OURS, kind="no clipping", series="risk")
    loose = (runs["bound"].astype(float) / runs["mean"].astype(float)).tolist()
    return finding(
        id="unstated-k2", location="Def. 2.1, Thm 3.2, Thm 3.7", kind="unstated", severity="low", status="confirmed", artefact="bound_vs_run",
        statement="K2 enters thresholds and bounds, c_1 and c_2 the step of Theorem 3.2; none has a value where it is used",
        expected="values, at least for the normal covariates of Corollaries 3.3 and 3.8: the text has none",
        measured=(
            f"K2^2 is {NORMAL_K2**2:.3g} by (4), {8 / 3:.3g} by (3) with 2 on its right-hand side and {2 / (1 - math.exp(-2)):.3g} with e; c_1 = 1/{64 * 210} and c_2 = 1/{4 * 1050} "
            f"by (30) only. Lemma 3.11 with K2 = sqrt 2 is {between(loose)} times the mean risk"
        ),
        charitable="the rates do not hang on them",
    )  # fmt: skip


def questions(evidence: Evidence) -> Iterator[Finding]:
    """Yields what the text does not decide."""
    yield _noise_constant(evidence)
    yield _lemma_a1()
    yield _eps_range(evidence)
    sizes = rows(evidence, "sample_complexity", series=OURS)
    sizes = sizes[sizes["d"].isin([sizes["d"].min(), sizes["d"].max()])]
    d = 100
    yield finding(
        id="sample-size-logarithms", location="Abstract, Sec. 1, Thm 1.1, Thm 3.7", kind="text", severity="cosmetic", status="question", artefact="sample_complexity",
        statement="the result holds for N of the order of d log d (abstract), d log^2 d (Sec. 1), d log^3 d (Theorem 1.1), O~(kappa^2 d (1 + sqrt(log(1/delta))/eps)) (Theorem 3.7)",
        expected="one power of the logarithm",
        measured=(
            f"at d = {d} they are {d * math.log(d):.3g}, {d * math.log(d) ** 2:.3g} and {d * math.log(d) ** 3:.3g}; smallest N of runs over d: "
            f"{told(sizes, 'd = {d:g}, sigma = {sigma:g}, goal {target:g}', 'n_over_d')}"
        ),
        charitable="all of them are linear in d up to logarithms, which is what is claimed",
    )  # fmt: skip
    squared = rows(evidence, "moments", quantity="R_x^2", kappa=1)
    yield finding(
        id="input-bound", location="Cor. 3.3, Cor. 3.8", kind="text", severity="cosmetic", status="question", artefact="moments",
        statement="for x ~ N(0, I), R_x^2 = d",
        expected="the smallest R^2 with E[|x|^2 x x'] <= R^2 I to be d",
        measured=f"it is {told(squared, 'd = {d:g}')}, d + 2",
        charitable="an approximation for large d; d is E|x|^2, which R_x^2 bounds",
    )  # fmt: skip


def _noise_constant(evidence: Evidence) -> Finding:
    table = rows(evidence, "multiplier", series="Theorem 3.1, constant 1")
    inside = [row for row in table.to_dict("records") if row["eps"] <= math.sqrt(math.log(1 / row["delta"]) / row["N"])]
    needed = {
        (row["eps"], row["delta"], row["N"]): row["mean"]
        for row in rows(evidence, "multiplier", series="DP-SSGD, shuffled (explicit bound)").to_dict("records")
    }
    constants = [needed.get((row["eps"], row["delta"], row["N"]), math.nan) / row["mean"] for row in inside]
    return finding(
        id="noise-constant", location="Thm 3.1, Cor. 3.3", kind="unstated", severity="low", status="question", artefact="multiplier",
        statement="alpha = Omega(log(N/delta) / (eps sqrt(N))), in Corollary 3.3 with the constant 1",
        expected="(eps, delta)-DP with that alpha for eps <= sqrt(log(1/delta)/N)",
        measured=(
            f"the explicit bound for shuffling gives {between(row['eps_tight'] / row['eps'] for row in inside)} times the eps asked for with the constant 1, and asks for "
            f"{between(constants)} times that alpha"
        ),
        charitable="the constant is hidden in Omega; the explicit bound is an upper bound, so that a smaller constant may be enough. No violation is shown",
    )  # fmt: skip


def _lemma_a1() -> Finding:
    alpha = math.sqrt(2.0 * math.log(1.25 / DELTA)) / EPS_LOCAL
    return finding(
        # A formula that is quoted without its limit; nothing that the paper proves uses it beyond.
        id="lemma-a.1-range", location="Lemma A.1", kind="text", severity="cosmetic", status="confirmed", artefact="audit",
        statement="a step with alpha = sqrt(2 log(1.25/delta_0)) / eps_0 is (eps_0, delta_0)-DP; no limit is set on eps_0",
        expected="an epsilon of at most eps_0 at every eps_0",
        measured=f"exactly {tight_epsilon(0.5 / alpha**2, DELTA):.4g} at eps_0 = {EPS_LOCAL:g}, delta_0 = {DELTA:g}",
        charitable="the formula is the classical one for eps_0 < 1; Theorem 3.1 uses it below 1/2, where it holds",
    )  # fmt: skip


def _eps_range(evidence: Evidence) -> Finding:
    N, delta = 100_000, float(evidence.settings["delta"])
    log_n, log_1 = math.sqrt(math.log(N / delta) / N), math.sqrt(math.log(1 / delta) / N)
    table = rows(evidence, "multiplier", series="DP-SSGD, shuffled (explicit bound)", N=N)
    found = table[(table["eps"] > log_n) & (table["delta"] == delta)]
    return finding(
        id="eps-range", location="Sec. 1.1 (a), Thm 3.1, Cor. 3.3", kind="text", severity="low", status="question", artefact="multiplier",
        statement="DP-SSGD requires eps <= 1/sqrt(N) (remark), eps = O(sqrt(log(N/delta)/N)) (Theorem 3.1), eps = O(sqrt(log(1/delta)/N)) (Corollary 3.3)",
        expected="one range, and a reason in the algorithm",
        measured=f"{N**-0.5:.3g}, {log_n:.3g} and {log_1:.3g} at N = {N}; the explicit bound has multipliers beyond all of them: {told(found, 'eps = {eps:g}')}",
        charitable="the range comes from eps_0 <= 1/2 in the proof; it is admitted as a drawback, and the same amplification theorem covers larger eps",
    )  # fmt: skip
