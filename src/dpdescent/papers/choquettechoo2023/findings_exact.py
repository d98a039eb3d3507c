"""Findings of choquettechoo2023 that formulas alone demonstrate: statements that an exact value contradicts."""

import math
from collections.abc import Iterator

import numpy as np

from dpdescent.papers.choquettechoo2023.reading import finding, rows
from dpdescent.papers.choquettechoo2023.theory import logarithms, random_products
from dpdescent.papers.choquettechoo2023.theory.regression import RegressionProblem
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.evidence import Evidence, Finding


def demonstrate(evidence: Evidence) -> Iterator[Finding]:
    """Demonstrates them, in the order of the paper's sections."""
    yield _finite(evidence)
    yield _half(evidence)
    yield _cauchy_schwarz()
    yield _square()
    yield _separation(evidence)


def _finite(evidence: Evidence) -> Finding:
    table = rows(evidence, "table2", quantity="sensitivity squared")
    norms = {"Fichtenberger et al. (nu = 0)": 4.0 / math.pi, "Anti-PGD": 2.0}
    told = []
    for name, norm in norms.items():
        found = table[table["row"] == name].drop_duplicates("T").sort_values("T")
        grown = algebra.listed(
            (f"T = {row['T']:g}", row["exact"])
            for row in algebra.each(found.iloc[[0, -1]] if len(found) > 1 else found)
        )
        told.append(f"{name}: |beta|_2^2 = {norm:.4g}, gamma_T^2 {grown or 'without rows'}")
    return finding(
        id="eq-4-finite", location="(4), Table 2", kind="text", severity="low", status="confirmed", artefact="table2",
        statement=(
            "the limit F_inf is well-defined and finite for the settings considered as long as |beta|_2 is "
            "finite"
        ),
        expected=(
            "a finite F_inf for the coefficients of Fichtenberger et al. (nu = 0) and of anti-PGD, (1, -1, 0, "
            "...), whose 2-norms are finite"
        ),
        measured=f"{'; '.join(told)}: the sensitivity, and F_inf with it, is infinite in the limit, as Table 2 says",
        charitable=(
            "a finite noise multiplier is meant as well, hence a finite gamma_inf; Table 2 says the right "
            "thing, and no theorem rests on the sentence"
        ),
    )  # fmt: skip


def _half(evidence: Evidence) -> Finding:
    """Makes the finding on the factor 2 of C.18: its rows of bounds.csv are halved, as printed they are twice as large."""
    table = evidence.tables.get("bounds")
    excess: list[float] = []
    asserted = held = 0
    if table is not None and len(table):
        table = table.reindex(columns=["location", "holds", "value", "measured"])
        kept = table[table["location"].astype(str).str.contains("C.18", regex=False)]
        kept = kept[kept["holds"].astype(str).isin(["True", "False"])]
        ratios = 2.0 * algebra.floats(kept, "value") / algebra.floats(kept, "measured")
        asserted, held = len(kept), int((kept["holds"].astype(str) == "True").sum())
        excess = sorted(float(each) for each in ratios if each > 1.0)
    span = f", by factors of {excess[0]:.3g} to {excess[-1]:.3g}" if excess else ""
    return finding(
        id="factor-one-half", location="(8), (22), Thm C.14, Thm C.18",
        kind="text", severity="low", status="confirmed", artefact="fig02",
        statement=(
            "F is half the mean squared residual in (8) and the whole in (22), each with the same stochastic "
            "gradient; C.18 is proved with F_inf = Tr(H E theta theta'), Theorem C.14 and (86) with half of "
            "that"
        ),
        expected="lower bounds below the exact F_inf of (8), of which Theorem 2.2 speaks",
        measured=(
            f"as printed, C.18 lies above the exact F_inf of (8) in {len(excess)} of {asserted} rows of "
            f"bounds.csv{span}; halved, as it is meant for F of (22), it holds in {held}"
        ),
        charitable=(
            "with F of (22) for C.18 every bound holds; Theorem 2.2 has unnamed constants, which take the "
            "factor up"
        ),
    )  # fmt: skip


def _cauchy_schwarz() -> Finding:
    coefficients = {"(1, -1, 0, ...)": (4.0, 2.0), "eq. (7), nu = 0": (2.0, 4.0 / math.pi)}
    told = "; ".join(
        f"{name}: |B(pi)|^2 = {power:.4g}, |beta|_2^2 = {norm:.4g}" for name, (power, norm) in coefficients.items()
    )
    return finding(
        id="app-c.7-cauchy-schwarz", location="App. C.7, proof of Lemma C.4",
        kind="mathematics", severity="cosmetic", status="confirmed", artefact="fig01",
        statement="|B(omega)|^2 is at most |beta|_2^2, by Cauchy-Schwarz, so that Fubini's theorem applies",
        expected=(
            "|B(omega)|^2 of at most |beta|_2^2 at every frequency; that it is so on average is Parseval's "
            "theorem"
        ),
        measured=told,
        why="Cauchy-Schwarz bounds |B| by |beta|_1, not by |beta|_2",
        charitable="Lemma C.4 holds in all rows of bounds.csv",
        repair="Parseval's theorem: Fubini's needs an integrable |B|^2 only",
    )  # fmt: skip


def _square() -> Finding:
    problem = RegressionProblem(np.ones(1), 0.01, 0.5)
    beta = np.ones(2)
    exact = random_products.noise_trace(problem, beta)
    printed, squared = (random_products.noise_trace_bound(problem, beta, power) for power in (1, 2))
    return finding(
        id="lemma-d.10-square", location="Lemma D.10, (78)",
        kind="mathematics", severity="cosmetic", status="confirmed", artefact="ext_finite_time",
        statement="E Tr V V' is at most d sum_k |beta_k| (1 - eta mu)^((tau-k)/2); (78) has the same form",
        expected="an expectation of at most that",
        measured=(
            f"d = 1, lambda = 1, eta = 0.01, beta = (1, 1), tau = 1, Gaussian inputs: exactly {exact:.4g}, "
            f"printed {printed:.4g}, with the sum squared {squared:.4g}"
        ),
        why="the square of a sum is bounded, and printed is the sum",
        charitable="a misprint: the proof's last step has the square, and so has the lemma's second bound",
        repair="square the sum",
    )  # fmt: skip


def _separation(evidence: Evidence) -> Finding:
    share = evidence.spec["artefacts"]["ext_spectra"]["cells"]["all"]["eta_times_trace"]
    example = logarithms.gain_exponent(logarithms.one_large(1e35), logarithms.one_large(1e70), share)
    fast = logarithms.gain_exponent(logarithms.dyadic(58), logarithms.dyadic(116), share)
    return finding(
        id="separation-logarithms", location="Sec. 1.3 (b), Sec. 2.2",
        kind="text", severity="cosmetic", status="question", artefact="ext_spectra",
        statement=(
            "nu-Noisy-FTRL is provably better by a factor that can be as large as d / log d when d_eff is "
            "constant; Theorem 2.2 and the example of Sec. 2.2 give d / log^2(d/eta)"
        ),
        expected="one power of the logarithm",
        measured=(
            f"p of an exact gain of the order d / log^p d: {example:.3g} for (1, 1/d, ..., 1/d) from d = 1e35 "
            f"to 1e70, tending to 2; {fast:.3g} for eigenvalues 4^-j, 2^j times, from d = 2^58 to 2^116, "
            "tending to 1"
        ),
        charitable=(
            "both are right, of different spectra: where eigenvalues decay fast one of the two logarithms is "
            "not there. The proofs given yield log^2"
        ),
    )  # fmt: skip
