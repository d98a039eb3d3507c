"""varshney2022's claims: on the committed tables, and where an edit of them makes a claim false, true or open."""

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from committed import VALUES, Edit, Tables, both, change, put, tilt, times
from committed import committed as of_paper
from dpdescent.algorithms import sgd_moments
from dpdescent.algorithms.sgd_arms import Fixed
from dpdescent.papers.varshney2022 import (
    ambssgd,
    attacks,
    batches,
    claims,
    comparison,
    criteria,
    large_samples,
    orders,
    privacy,
    probabilities,
    sampling,
    single_pass_orders,
    ssgd,
    tails,
    thresholds,
)
from dpdescent.papers.varshney2022.formulas import EpsilonRanges, LinearProblem, Parameters
from dpdescent.privacy import shuffling
from dpdescent.replication.judging import by_id
from dpdescent.replication.judging.evidence import Claim

committed = functools.partial(of_paper, "varshney2022")
TABLES = {name: table for name, table in committed().tables.items() if name != "bounds"}


def judged(made: Tables) -> dict[str, Claim]:
    """All claims by id, of which each stands once."""
    found = claims.judge(replace(committed(), tables=made))
    by_name = {claim.claim: claim for claim in found}
    assert len(by_name) == len(found)
    return by_name


def found_after(edit: Edit, name: str) -> Claim:
    """One claim on edited tables, in which runs at 99 % of the residuals are those at 90 %."""
    made = dict(TABLES)
    edit(made)
    as_at_90(made)
    return by_id.judge_one(claims, replace(committed(), tables=made), name)


def after(edit: Edit, name: str) -> str:
    """The verdict of one claim on such tables."""
    return found_after(edit, name).verdict


AT_90, AT_99 = criteria.QUANTILES.values()
AT_99_OF = {AT_90.runs: AT_99.runs, AT_90.more_trials: AT_99.more_trials}


def as_at_90(made: Tables) -> None:
    """Replaces the runs at 99 %, wherever there are any, by those at 90 %."""
    for artefact in (
        "risk_vs_n",
        "risk_vs_eps",
        "risk_vs_sigma",
        "ext_privacy",
        "ext_large",
        "risk_vs_kappa",
        "risk_vs_d",
    ):
        table = made[artefact]
        copies = table[table["variant"].isin(AT_99_OF)]
        copies = copies.assign(
            variant=copies["variant"].map(AT_99_OF),
            series=copies["series"].str.replace(AT_90.series, AT_99.series, regex=False),
        )
        made[artefact] = pd.concat([without_99(table), copies], ignore_index=True)
    # At 99 % there are the more scans alone, for all d.
    table = made["sample_complexity"]
    more = table["variant"] == "more scans"
    copies = table[more | ((table["variant"] == "main") & ~table["d"].isin(table["d"][more]))]
    copies = copies[copies["series"] == AT_90.series].assign(variant=AT_99.runs, series=AT_99.series)
    made["sample_complexity"] = pd.concat([without_99(table), copies], ignore_index=True)


def without_99(table: pd.DataFrame) -> pd.DataFrame:
    return table[~table["variant"].isin(AT_99_OF.values())]


WORLD = judged(TABLES)
AT_BOTH = [name for name, claim in WORLD.items() if criteria.PROSE_READ in claim.changed]
# What is reproduced at 90 % and not at 99 %.
OPEN_AT_99 = {
    "lower-bound-matched", "theorem-3.7-rate-eps-quantile", "theorem-3.7-rate-delta", "better-small-noise",
    "sub-optimal-by-sigma", "ambssgd-addresses", "theorem-3.7-rate-kappa-quantile", "gap-grows", "risk-flat-quantile",
    "optimal-exponents-quantile",
}  # fmt: skip
NOT_TESTABLE = {name for name, *_ in comparison.OPEN}
# What no table changes: the paper's own exponent of c, and tails of chi-square laws.
FORMULAS = {
    "n-to-cn", "theorem-1.1-high-probability", "equation-6-every-draw", "clips-nothing", "sco-sample-size", "huber",
    "bound-matches-noisy", "clipping-needed", "estimate-with-kappa", "ssgd-not-vacuous",
    "ssgd-order-d", "theorem-3.2-sampling-term", "theorem-3.7-sampling-term", "equation-61",
    "theorem-3.7-as-printed", "tail-normal-moment", "equation-31",
    "free-from-root",
}  # fmt: skip
# What a formula decides far beyond the table, which just has to be there.
FAR = {
    "theorem-3.1-rate-delta", "theorem-3.2-rate-delta", "theorem-3.6-rate-eps", "theorem-3.6-rate-delta",
    "leading-term-log-n", "equation-17", "equation-28",
}  # fmt: skip
TESTABLE = [name for name in WORLD if name not in NOT_TESTABLE | FORMULAS | FAR]


# Tables on which one claim is false, true or open


AMB, ADA, TIGHT, FIXED = "DP-AMBSSGD", "AdaSSP", "AdaSSP (bound 1.2 sqrt d)", "fixed clip"
QUANTILE, PUBLISHED = "DP-AMBSSGD (q = 0.9)", "DP-AMBSSGD (as published)"
PERTURBED = "eigenvalues by output perturbation"
ONE, FIFTH = "epsilon = 1", "epsilon = 0.2"
RATE = {"panel": FIFTH, "series": QUANTILE, "sigma": 1.0}
MORE = "more trials"
AT_ZERO = "log of {0} at sigma = 0 over {0}"
ADA_BY, GD_BY, FIXED_BY = (f"log of {name} over {QUANTILE}" for name in (ADA, "DP-GD", FIXED))
FIXED_BY_AMB, T_BY = f"log of {FIXED} over {AMB}", "log of T = c kappa over T"
SOUND = {"rule": "as published", "s": 2000, "levels": 20, "alpha": 4.2}
LAST, EXPLICIT = "as published (Theorem 3.6, last form)", "DP-SSGD, shuffled (explicit bound)"

FALSE: dict[str, Edit] = {
    "theorem-1.1-variance": change("risk_vs_n", 11, panel=ONE, series=QUANTILE, N=1_000_000, sigma=0.1),
    "theorem-3.7-variance-as-published": change("risk_vs_n", 50, series=PUBLISHED, N=1_000_000),
    "theorem-3.7-rate-n-quantile": tilt("risk_vs_n", "N", 0.5, **RATE, variant=MORE),
    "theorem-3.7-rate-n-quantile-random-grid": tilt("risk_vs_n", "N", 0.6, **RATE, variant="random grid"),
    "theorem-3.7-rate-eps-quantile": tilt(
        "ext_privacy", "eps", -1.0, panel="small epsilon", series=QUANTILE, sigma=0.1
    ),
    # Smallest wrong world: the term grows like alpha^3 where alpha^2 is claimed.
    "theorem-3.7-rate-delta": tilt("ext_privacy", "delta", -0.05, panel="delta"),
    "theorem-3.7-rate-kappa-quantile": tilt("risk_vs_kappa", "kappa", 2.5, series=QUANTILE, variant=MORE),
    "privacy-term-grows-with-kappa": both(
        change("risk_vs_kappa", 1e6, series=QUANTILE, variant=MORE),
        tilt("risk_vs_kappa", "kappa", -3.0, series=QUANTILE, variant=MORE),
    ),
    "better-beyond-normal": times("tails", 0.001, series=f"log of {ADA} over {AMB}", law="Laplace"),
    "introduction-threshold": change("ssgd", 50, panel="introduction", zeta_factor=lambda z: z < 1),
    "lemma-3.5-without-mean": put("bound_vs_run", "q90", 1e4, algorithm="DP-SSGD", d=5),
    "no-composition-factor": change("audit", 1.5, mechanism="whole run, T = 8"),
    "time-linear": tilt("ext_orders", "at", 0.1, quantity="operations", axis="N"),
    **dict.fromkeys(
        ("sample-size-condition", "sample-size-condition-grows"),
        tilt("ext_orders", "at", 0.4, quantity="least N, Lemma 3.11", axis="kappa"),
    ),
    "ssgd-condition-axes": tilt("ext_orders", "at", -0.3, quantity="least N, Theorem 3.2", axis="eps"),
    "theorem-3.2-risk": change("ext_orders", 1.01, quantity="DP-SSGD", reading="risk, alpha with constant 1"),
    "theorem-3.2-rates": tilt("ext_orders", "at", 0.3, quantity="DP-SSGD", axis="N"),
    "equation-6": change("ext_orders", 1.01, quantity="DP-SSGD", reading="(5) without its start"),
    # Smallest wrong worlds: the root of log(1/delta) is missing in the form, or a tenth of a power.
    "theorem-a.3": tilt("ext_orders", "at", 0.5, reading="Theorem A.3", axis="delta"),
    "equation-8": tilt("ext_orders", "at", 0.2, reading="(8)", axis="eps_0"),
    "theorem-3.1-range": tilt("ext_orders", "at", -0.15, reading="largest eps", axis="N"),
    "theorem-3.1-rate-eps": tilt("ext_orders", "at", 0.2, quantity="multiplier of DP-SSGD", axis="eps"),
    "leading-term-cross": tilt("ext_orders", "at", 1.0, quantity="leading term", axis="kappa"),
    "batch-condition-contracts": change("ext_orders", 1.15, reading="1 of the least b"),
    "lemma-3.10-logarithm": change("ext_orders", 99, quantity="logarithm of Lemma 3.10"),
    "gradient-norm-dependent": tilt("ext_orders", "at", -0.12, reading="along x"),
    "gradient-norm-twice": tilt("ext_orders", "at", -0.5, reading="same index twice"),
    "gradient-norm-independent": tilt("ext_orders", "at", 0.2, reading="independent"),
    # Smallest wrong worlds: N^-1.5 in place of N^-2, d^1.5 in place of d^2.
    "optimal-exponents-quantile": tilt("ext_large", "N", 0.5, panel="records"),
    "theorem-1.1-rate-d": tilt("ext_large", "d", -0.5, panel="dimension"),
    "perturbed-eigenvalues": change("ext_large", 5, series=PERTURBED, N=100_000),
    "theorem-3.7-rate-sigma": tilt("risk_vs_sigma", "sigma", -0.2, series=QUANTILE, sigma=lambda s: s > 0),
    "vanishes-with-sigma": put(
        "risk_vs_n", "mean", math.log(0.02), panel=ONE, series=AT_ZERO.format(QUANTILE), N=100_000, sigma=0.01
    ),
    "theorem-3.7-order": tilt("risk_vs_n", "N", 1.5, panel=ONE, series=QUANTILE, sigma=1.0),
    # Smallest wrong world: N^-1.5 in place of N^-2, which a spread by four passed.
    "theorem-3.7-privacy-term": tilt("risk_vs_n", "N", 0.8, panel=FIFTH, series=QUANTILE, sigma=0.1, variant=MORE),
    "lower-bound-matched": change("risk_vs_n", 8, panel=FIFTH, series=QUANTILE, variant="main"),
    "privacy-for-free": change("risk_vs_eps", 30, series=QUANTILE),
    "optimal-variance": change("risk_vs_eps", 3, series=QUANTILE, eps=8.0),
    "enough-iterations": times("risk_vs_kappa", 9, series=T_BY, kappa=4, T=128),
    "leading-term-kappa": tilt("risk_vs_kappa", "kappa", 0.3, series="no noise"),
    "sample-size-quantile": tilt("sample_complexity", "d", 0.6, series=QUANTILE),
    "sample-size-fixed-clip": tilt("sample_complexity", "d", 0.6, series=FIXED),
    "sample-size-statistics": tilt("sample_complexity", "d", -0.5, series=TIGHT),
    "sample-size-statistics-bound": tilt("sample_complexity", "d", 0.5, series=ADA),
    "fewer-records": change("sample_complexity", 0.1, series=ADA),
    "gap-grows": tilt("sample_complexity", "d", -0.5, series=TIGHT, variant="more scans"),
    "risk-flat-quantile": tilt("risk_vs_d", "d", 0.75, series=QUANTILE),
    "risk-grows-statistics": tilt("risk_vs_d", "d", -0.7, series=TIGHT),
    "risk-grows-statistics-bound": tilt("risk_vs_d", "d", -0.5, series=ADA),
    "wishart-draw": change("risk_vs_d", 1.7, panel="records clipped", series=ADA),
    "risk-grows-gradient": tilt("risk_vs_d", "d", -1.0, series="DP-GD"),
    "reuse-needs-more": tilt("risk_vs_d", "d", -1.0, series="DP-GD (adaptive)"),
    "bound-significantly-better": put(
        "table_bounds", "mean", 1.015e-2 / 100, method="Cai et al. 2021", eps=0.1, d=10, sigma=1.0
    ),
    "bound-factor": change("table_bounds", 10, method="Cai et al. 2021", eps=0.1, sigma=0.1, d=100),
    "bound-ssgd": change("table_bounds", 999, method="Cai et al. 2021"),
    "bound-ssgd-optimal": change("table_bounds", 2.1, method="DP-SSGD"),
    "adaptive-better": times("ext_thresholds", 0.5, series=FIXED_BY_AMB),
    "adaptive-better-small-noise": times("ext_thresholds", 0.5, series=FIXED_BY_AMB, sigma=0.1),
    "adaptive-better-any-noise": times("ext_thresholds", 0.5, series=FIXED_BY_AMB, sigma=1.0),
    "adaptive-gain-rate": times("risk_vs_sigma", 1, "sigma", 0.5, series=FIXED_BY),
    # One competitor that is as good refutes, wherever privacy is most of its risk.
    "better-small-noise": times("risk_vs_n", 0.2, series=GD_BY, N=10_000, sigma=0.1, panel=ONE),
    "better-any-noise": times("risk_vs_n", 0.5, series=ADA_BY, N=10_000, sigma=1.0, panel=ONE),
    # Smallest wrong world: the gain grows like sigma^-1.5, or sigma^-2.5, in place of sigma^-2.
    "sub-optimal-by-sigma": times("risk_vs_n", 1, "sigma", 0.5, series=ADA_BY),
    "existing-rate-n-fixed-clip": tilt("risk_vs_n", "N", 0.5, panel=FIFTH, series=FIXED, sigma=0.0),
    "existing-rate-n-statistics": tilt("ext_privacy", "N", 0.5, panel="sufficient statistics"),
    # Smallest wrong world: eps^-1.5.
    "existing-rate-eps": tilt("risk_vs_eps", "eps", 0.5, series=ADA, sigma=0.1),
    # Smallest wrong world: a law that is off by 0.4.
    "least-squares-law": change("risk_vs_n", 1.4, "mean", panel=ONE, series="OLS"),
    "plateau-fixed-clip": times("risk_vs_n", 0.1, panel=ONE, series=AT_ZERO.format(FIXED), sigma=0.01),
    "plateau-statistics": times("risk_vs_n", 0.1, panel=ONE, series=AT_ZERO.format(ADA), sigma=0.01),
    "noise-reduces": times("clip_path", 4, series="log of zeta over the first", kappa=8, sigma=0.1, t=63),
    "noise-reduces-progressively": times(
        "clip_path", 1.5, series="log of zeta over the one before", kappa=1, sigma=1.0, t=4
    ),
    # Smallest wrong world: the bound is exceeded by two per cent, log(1.25 sqrt(2 log N)) + 0.02, in one iteration.
    "threshold-small-enough": put("clip_path", "q975", 1.8114, series="log of zeta over claimed scale", kappa=1, t=4),
    "threshold-follows-residuals": times("clip_path", 0.2, series="log of zeta over claimed scale", kappa=8, t=4),
    "threshold-proportional-to-sigma": tilt("clip_path", "sigma", 0.2, series="zeta", kappa=8, sigma=lambda s: s > 0),
    "clips-one-per-cent": put("risk_vs_n", "clip_fraction", 0.02, panel=ONE, series=PUBLISHED, N=100_000),
    "clips-one-per-cent-corrected": change("clip_path", 4, series="clip fraction", kappa=1, t=0),
    "localised": change("clip_path", 1.15, series="residual rms", kappa=1, sigma=0.01, t=7),
    "lemma-3.10-enough-below": change("alg_stat", 0.97, **SOUND, series="first half"),
    "lemma-3.10-not-too-large": change("alg_stat", 0.5, **SOUND, series="second half"),
    "threshold-second-moment": change("alg_stat", 300, **SOUND, series="mean square ratio"),
    "approximately-maximum": both(
        change("alg_stat", 9, series="mean ratio"),
        put("alg_stat", "mean", 0.0, series="share", octaves=lambda k: k < 4),
    ),
    "corrected-rule": change("alg_stat", 0.9, **(SOUND | {"rule": "corrected, beta"}), series="corrected guarantee"),
    "corrected-second-moment": change("alg_stat", 9, **(SOUND | {"rule": "corrected"}), series="mean square ratio"),
    "quantile-rule": change("alg_stat", 9, **(SOUND | {"rule": "q = 0.99"}), series="overshoot"),
    # Smallest wrong worlds: at c_1 = 400 N^-92 is left, since (47) has N^-100.
    "step-bias-theorem": put("step_size", "bias", 1e-15, step="Theorem 3.7", T=150, d=5),
    # The exact law knows d alone.
    "corollary-3.8-risk": put("step_size", "sigma", 0.2),
    "tail-average": change("ablation", 2.5, choice="tail", level="0.5"),
    "statistic-share": times("ablation", 4, choice="statistic", series="log of 1136 over the level"),
    "printed-rule": times("ablation", 9, choice="rule", series="log of as published over the level", variant=MORE),
    "printed-factor": times("ablation", 9, choice="factor", series="log of log^a N over the level"),
    "dependent-noise": change("tails", 7, law="dependent noise", factor="log^a N"),
    # Smallest wrong world: three times the log N that log^{2a} N allows; four times passed.
    "sub-exponential": change("tails", 3, law="Laplace", factor="log^a N"),
    "tail-clipping": put("tails", "clip_fraction", 0.02, law="Laplace", factor="log^a N"),
    "corollary-3.3-risk": change("ssgd", 1e7, panel="Corollary 3.3", d=10),
    "lemma-a.9": put("ssgd", "d", 100, panel="Theorem 3.2"),
    "ssgd-law": change("ssgd", 2, "mean", panel="grid"),
    "minimax-factor": change("ssgd", 1.1, panel="no privacy"),
    "ssgd-sample-size": tilt("ssgd", "d", 0.6, "predictor", panel="Corollary 3.3"),
    "ssgd-plateau": times("risk_vs_n", 0.2, panel="DP-SSGD", series=AT_ZERO.format("DP-SSGD"), sigma=1.0, N=100_000),
    # Smallest wrong world: the gain grows like sigma^-1.5 in place of sigma^-2.
    "ambssgd-addresses": tilt("risk_vs_n", "sigma", 0.5, panel="DP-SSGD", series="DP-SSGD", sigma=lambda s: s > 0),
    "theorem-3.6-last-form": change("multiplier", 1.6, "eps_tight", series=LAST),
    "theorem-3.6-first-form": change("multiplier", 1.3, "eps_tight", series="Theorem 3.6, first form"),
    "theorem-3.6-zcdp": change("multiplier", 1.2, "eps_tight", series="zCDP", delta=1e-8),
    "theorem-3.6-forms": change("multiplier", 0.5, series=LAST, eps=8.0),
    "theorem-3.1": change("multiplier", 4, series=EXPLICIT, N=10_000, eps=0.01),
    "corollary-3.3-private": change("multiplier", 9, "eps_tight", series="Theorem 3.1, constant 1", eps=0.01),
    "amplification": tilt("multiplier", "N", 0.3, series=EXPLICIT),
    "amplification-helps": change("multiplier", 2.5, series=EXPLICIT, N=10_000),
    "audit-gradient": change("audit", 1.2, mechanism="gradient step"),
    "audit-counts": change("audit", 1.2, mechanism="DP-STAT, noisy counts"),
    "audit-threshold": change("audit", 4, mechanism="DP-STAT, released threshold (as published)"),
    "audit-threshold-corrected": change("audit", 9, mechanism="DP-STAT, released threshold (corrected)"),
    "audit-iteration": change("audit", 1.2, mechanism="one iteration as published"),
    "lemma-3.5": change("bound_vs_run", 0.9, "bound", algorithm="DP-SSGD"),
    "lemma-3.11": put("bound_vs_run", "bound", 1e-4, algorithm=AMB, kind="no clipping", N=100_000),
    "lemma-3.11-as-run": put("bound_vs_run", "bound", 1e-4, algorithm=AMB, kind="as run", d=5),
    "exact-law": change("bound_vs_run", 3, "expected", kind="no clipping", d=5),
    "r-squared-is-d": change("moments", 1.1, quantity="R_x^2", d=50),
    "tail-normal": change("moments", 9, quantity="P(|x|^2 > d log 1/beta) / beta", d=1),
    "tail-normal-two": change("moments", 9, quantity="P(|x|^2 > d log 1/beta) / beta", d=2),
    "lemma-b.5": put("moments", "mean", 1e-3, quantity="E[B'B] against I - eta H", b=10),
    "step-44-large-batch": change("moments", 1.5, quantity="E[B'HB] against H", b=1000, d=50),
    "batch-condition-linear": tilt("feasibility", "d", 0.4, condition="batch condition of Lemma 3.11"),
    "ssgd-condition": tilt("feasibility", "d", 0.8, condition="eta mu N / 2 >= log N"),
}
# An explicit bound that is exceeded shows no violation.
# Of the others a reading is left: the mean, the theorems' own condition on R_x^2, a step that is not given.
# A count of printed lines and a rule of ours refute nothing, nor does an order at one place.
OPEN_ABOVE = {
    "corollary-3.3-private", "lemma-3.5-without-mean", "r-squared-is-d", "gradient-norm-twice", "time-linear",
    "threshold-small-enough", "introduction-threshold",
}  # fmt: skip


@pytest.mark.parametrize("name", TESTABLE)
def test_every_claim_fails_where_it_is_false(name: str) -> None:
    assert after(FALSE[name], name) == ("inconclusive" if name in OPEN_ABOVE else "not reproduced")


# Smallest wrong worlds: a power of log(N/delta) that is off by 0.15, either way where the claim has two sides.
@pytest.mark.parametrize(
    ("name", "power", "verdict"),
    [
        ("theorem-3.1-rate-delta", 1.0, "reproduced"), ("theorem-3.1-rate-delta", 1.15, "not reproduced"),
        ("theorem-3.2-rate-delta", 1.0, "reproduced"), ("theorem-3.2-rate-delta", 1.15, "not reproduced"),
        ("theorem-3.2-rate-delta", 0.85, "not reproduced"),
    ],
)  # fmt: skip
def test_multipliers_far_beyond_the_table_have_the_claimed_power(
    name: str, power: float, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        shuffling, "noise_multiplier", lambda eps, N, delta: math.log(N / delta) ** power / (eps * math.sqrt(N))
    )
    assert after(lambda made: None, name) == verdict


@pytest.mark.parametrize("delta", criteria.FAR)
def test_the_epsilon_far_out_is_in_the_range_that_the_note_names(delta: float) -> None:
    _, sizes = single_pass_orders.FAR_FROM[single_pass_orders.SINGLE]
    ranges = EpsilonRanges.of(sizes["N"], delta)
    assert ranges.remark < sizes["eps"] <= ranges.theorem
    assert ranges.theorem >= EpsilonRanges.of(sizes["N"], criteria.FAR[0]).theorem
    assert ">= 2.1e-09, and outside the remark's, 1/sqrt(N) = 1e-10" in WORLD["theorem-3.2-rate-delta"].note


@pytest.mark.parametrize(
    ("name", "in_eps", "in_logs"),
    [
        ("theorem-3.6-rate-eps", -0.85, 0.5), ("theorem-3.6-rate-eps", -1.15, 0.5),
        ("theorem-3.6-rate-delta", -1.0, 0.35), ("theorem-3.6-rate-delta", -1.0, 0.65),
    ],
)  # fmt: skip
def test_multipliers_of_another_order_are_refused(
    name: str, in_eps: float, in_logs: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert WORLD[name].verdict == "reproduced"
    monkeypatch.setattr(privacy, "gaussian_multiplier", lambda eps, delta: eps**in_eps * (-math.log(delta)) ** in_logs)
    assert after(lambda made: None, name) == "not reproduced"


# Smallest wrong worlds, which the table cannot tell, because it ends below log(1/delta): no eps under the root, and a
# last form with 4 for 8.
@pytest.mark.parametrize(
    ("name", "series"),
    [
        ("theorem-3.6-first-form", privacy.FIRST), ("theorem-3.6-zcdp", privacy.ZCDP),
        ("theorem-3.6-last-form", privacy.LAST),
    ],
)  # fmt: skip
def test_multipliers_that_fail_from_the_logarithm_on_are_refused(
    name: str, series: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert WORLD[name].verdict == "reproduced"
    cost = privacy.ACCOUNTANTS[series][1]
    monkeypatch.setitem(privacy.ACCOUNTANTS, series, (lambda eps, delta: 2.0 * math.sqrt(-math.log(delta)) / eps, cost))
    assert after(lambda made: None, name) == "not reproduced"


# Smallest wrong worlds: a fifth of a power of 1/eta or d is missing; along kappa the bounds have room for a whole one.
@pytest.mark.parametrize("name", ["equation-17", "equation-28"])
@pytest.mark.parametrize(("in_eta", "in_d", "in_kappa"), [(-0.2, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 1.2)])
def test_a_spread_of_iterates_of_a_higher_order_is_refused(
    name: str, in_eta: float, in_d: float, in_kappa: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert WORLD[name].verdict == "reproduced"
    assert len(WORLD[name].cells) == 3
    exact = batches.inverse_of_step

    def wider(problem: LinearProblem, eta: float, batch: float, noise: float = 0.0) -> Any:
        factor = eta**in_eta * problem.dimension**in_d * problem.mu**-in_kappa
        return factor * exact(problem, eta, batch, noise)

    monkeypatch.setattr(batches, "inverse_of_step", wider)
    assert after(lambda made: None, name) == "not reproduced"


@pytest.mark.parametrize(
    ("power", "verdict"), [(0.35, "not reproduced"), (0.5, "reproduced"), (0.65, "not reproduced")]
)
def test_the_range_of_epsilon_has_the_claimed_power_of_the_logarithm(
    power: float, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shuffling, "epsilon", lambda alpha, N, delta: math.log(N / delta) ** power / math.sqrt(N))
    assert after(lambda made: None, "theorem-3.1-range") == verdict


@pytest.mark.parametrize("power", [-1.0, -0.15, 0.15, 1.0])
def test_a_leading_term_with_any_power_of_log_n_is_refused(power: float, monkeypatch: pytest.MonkeyPatch) -> None:
    exact = orders.tail_risk

    def with_log(*law: Any) -> float:
        # The last but one argument is T = c_1 log N.
        return float(law[-2] ** power * exact(*law))

    monkeypatch.setattr(orders, "tail_risk", with_log)
    assert after(lambda made: None, "leading-term-log-n") == "not reproduced"


def test_thresholds_are_not_accused_of_clipping_where_the_tail_allows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lower bound refutes alone: with far larger thresholds, or at many dimensions, it leaves the claim open."""
    assert WORLD["clips-nothing"].verdict == "not reproduced"
    clipped = probabilities.log10_first_clipped
    with monkeypatch.context() as patch:
        patch.setattr(probabilities, "log10_first_clipped", lambda problem, zeta: clipped(problem, 1e4 * zeta))
        assert after(lambda made: None, "clips-nothing") == "inconclusive"
    monkeypatch.setattr(probabilities, "DIMENSIONS", (1_000_000,))
    assert after(lambda made: None, "clips-nothing") == "inconclusive"


def test_an_estimate_is_accused_for_its_kappa_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert WORLD["estimate-with-kappa"].verdict == "not reproduced"
    monkeypatch.setattr(probabilities, "KAPPAS", (1.0,))
    assert after(lambda made: None, "estimate-with-kappa") == "inconclusive"


def test_a_step_that_clips_needs_no_other_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a world in which gradients are bounded by themselves clipping can be left out."""
    assert WORLD["clipping-needed"].verdict == "reproduced"
    monkeypatch.setattr(attacks, "Fixed", lambda threshold, clips: Fixed(threshold))
    assert after(lambda made: None, "clipping-needed") == "not reproduced"


def test_a_bound_with_another_factor_of_d_does_not_match(monkeypatch: pytest.MonkeyPatch) -> None:
    """Smallest wrong world: d^1.5 |w*|^2 in place of d |w*|^2."""
    assert WORLD["bound-matches-noisy"].verdict == "reproduced"
    quoted = comparison.cai
    monkeypatch.setattr(comparison, "cai", lambda at: quoted(at) + at.d * (at.d**0.5 - 1.0) * at.privacy)
    assert after(lambda made: None, "bound-matches-noisy") == "not reproduced"


# Smallest wrong worlds: some d^2.6 or d^1.6 records are needed, by thresholds of another power; nine times the noise.
@pytest.mark.parametrize(("power", "factor", "verdicts"), [
    (0.3, 1.0, ("not reproduced", "not reproduced")), (-0.2, 1.0, ("reproduced", "not reproduced")),
    (0.0, 3.0, ("not reproduced", "reproduced")),
])  # fmt: skip
def test_a_pass_that_needs_more_records_is_refused(
    power: float, factor: float, verdicts: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("ssgd-not-vacuous", "ssgd-order-d")
    assert [WORLD[name].verdict for name in names] == ["reproduced", "reproduced"]
    practical = ssgd.practical_parameters

    def wider(problem: LinearProblem, *rest: float) -> Parameters:
        used = practical(problem, *rest)
        return replace(used, zeta=used.zeta * factor * problem.dimension**power)

    monkeypatch.setattr(ssgd, "practical_parameters", wider)
    assert tuple(after(lambda made: None, name) for name in names) == verdicts


# Smallest wrong worlds: 0.15 of a power of N, d, sigma or kappa more or less, in the exact laws of both algorithms.
@pytest.mark.parametrize("power", [-0.15, 0.15])
@pytest.mark.parametrize("axis", ["records", "dimension", "sigma", "kappa"])
def test_a_sampling_term_of_another_order_is_refused(axis: str, power: float, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"theorem-3.2-sampling-term": single_pass_orders, "theorem-3.7-sampling-term": sgd_moments}
    assert {WORLD[name].verdict for name in names} == {"reproduced"}
    single, batches_law = single_pass_orders.tail_risk, sgd_moments.tail_risk

    def of_single(problem: LinearProblem, *rest: Any, **noise: bool) -> float:
        return float(getattr(problem, axis) ** power * single(problem, *rest, **noise))

    def of_batches(lam: Any, start: Any, eta: float, b: int, sigma: float, noise: Any, T: int, tail: int) -> float:
        sizes = {"records": b * T, "dimension": len(lam), "sigma": sigma, "kappa": 1.0}
        return float(sizes[axis] ** power * batches_law(lam, start, eta, b, sigma, noise, T, tail))

    monkeypatch.setattr(single_pass_orders, "tail_risk", of_single)
    monkeypatch.setattr(sgd_moments, "tail_risk", of_batches)
    assert after(lambda made: None, "theorem-3.2-sampling-term") == "not reproduced"
    # The law with batches is looked at along kappa by leading-term-kappa.
    assert after(lambda made: None, "theorem-3.7-sampling-term") == (
        "reproduced" if axis == "kappa" else "not reproduced"
    )


# Smallest wrong world: the noise on a mean of b gradients has the sd 2 alpha zeta / sqrt(b).
def test_noise_that_falls_like_the_root_of_the_batch_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = ambssgd.tail_risk
    by_table = {cell.cell for cell in WORLD["lemma-3.11"].cells if cell.cell.startswith("N = ")}
    assert 0 < len(by_table) < len(WORLD["lemma-3.11"].cells) - 20

    def noisier(lam: Any, start: Any, eta: float, b: int, sigma: float, noise: Any, *rest: int) -> float:
        return exact(lam, start, eta, b, sigma, b * noise, *rest)

    monkeypatch.setattr(ambssgd, "tail_risk", noisier)
    found = found_after(lambda made: None, "lemma-3.11")
    assert found.verdict == "not reproduced"
    assert "not reproduced" in {cell.verdict for cell in found.cells if cell.cell not in by_table}


# Smallest wrong world: six times the risk.
def test_printed_parameters_that_give_a_larger_risk_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert WORLD["theorem-3.7-as-printed"].verdict == "reproduced"
    exact = large_samples.one_pass

    def riskier(*run: Any) -> large_samples.Pass:
        drawn = exact(*run)
        return replace(drawn, risk=6.0 * drawn.risk)

    monkeypatch.setattr(large_samples, "one_pass", riskier)
    assert after(lambda made: None, "theorem-3.7-as-printed") == "not reproduced"


# Smallest wrong world: tails so heavy that no K_2 helps, at either right side; a mean below 1 would meet both.
@pytest.mark.parametrize(("moment", "verdict"), [(math.inf, "not reproduced"), (0.999, "reproduced")])
def test_records_with_another_moment_are_judged_alike(
    moment: float, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert WORLD["tail-normal-moment"].why == "unstated value decides"
    monkeypatch.setattr(tails, "normal_moment", lambda k2: moment)
    assert after(lambda made: None, "tail-normal-moment") == verdict


@pytest.mark.parametrize(("c1", "c2"), [(1.1 * ssgd.C1, ssgd.C2), (ssgd.C1, 1.1 * ssgd.C2)])
def test_a_step_with_larger_constants_does_not_give_its_threshold(
    c1: float, c2: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert WORLD["equation-31"].verdict == "reproduced"
    printed = ssgd.theorem_parameters
    monkeypatch.setattr(ssgd, "theorem_parameters", lambda problem, alpha: printed(problem, alpha, c1, c2))
    assert after(lambda made: None, "equation-31") == "not reproduced"


def test_constants_of_lemma_3_11_from_another_line_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Smallest wrong world: (59) without the factor 4 of the noise's variance, as (55) prints it."""
    assert WORLD["equation-61"].verdict == "reproduced"
    printed = batches.equation_59
    monkeypatch.setattr(batches, "equation_59", lambda setting, zeta_squared: printed(setting, zeta_squared / 4.0))
    assert after(lambda made: None, "equation-61") == "not reproduced"


# Smallest wrong worlds: the least multiplier falls like eps^-2 or eps^-0.6, or thresholds have another d^0.3.
@pytest.mark.parametrize(("in_eps", "in_d"), [(-2.0, 0.0), (-0.6, 0.0), (-1.0, 0.3), (-1.0, -0.3)])
def test_an_epsilon_of_equal_terms_of_another_order_is_refused(
    in_eps: float, in_d: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert WORLD["free-from-root"].verdict == "reproduced"
    factor = ambssgd.Setting.threshold_factor.fget
    monkeypatch.setattr(sampling, "published_multiplier", lambda eps, delta: 10.0 * eps**in_eps)
    monkeypatch.setattr(
        ambssgd.Setting,
        "threshold_factor",
        property(lambda setting: factor(setting) * setting.problem.dimension ** (2.0 * in_d)),
    )
    assert after(lambda made: None, "free-from-root") == "not reproduced"


# Smallest wrong worlds: zeta^2 has K_2^2.6, or kappa^0.3 more, which w* flat in all coordinates does not tell.
@pytest.mark.parametrize(("in_k2", "in_kappa"), [(0.3, 0.0), (0.0, 0.15)])
def test_a_threshold_with_another_power_is_refused(
    in_k2: float, in_kappa: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = ssgd.theorem_parameters

    def steeper(problem: LinearProblem, *rest: float) -> Parameters:
        used = printed(problem, *rest)
        return replace(used, zeta=used.zeta * problem.k2**in_k2 * problem.kappa**in_kappa)

    monkeypatch.setattr(ssgd, "theorem_parameters", steeper)
    assert after(lambda made: None, "theorem-3.2-rates") == "not reproduced"


@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "reproduced"), (1.5, "not reproduced")])
def test_a_larger_threshold_where_w_is_largest_is_refused(
    factor: float, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = ssgd.theorem_parameters

    def wider(problem: LinearProblem, *rest: float) -> Parameters:
        used = printed(problem, *rest)
        return replace(used, zeta=used.zeta * factor)

    monkeypatch.setattr(ssgd, "theorem_parameters", wider)
    assert after(lambda made: None, "theorem-3.2-risk") == verdict


@pytest.mark.parametrize("power", [0, 2])
def test_other_thresholds_are_those_of_another_loss(power: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thresholds, "huber_threshold", lambda zeta, norm: zeta / norm**power)
    assert after(lambda made: None, "huber") == "not reproduced"


# On these tables a verdict is another one, but where each of the claims is true.
BEST = {"series": FIXED, "factor": 0.1, "T": 16}
SAME_TWICE = {"reading": "same index twice"}


def as_claimed(made: Tables) -> None:
    made["moments"] = made["moments"].assign(mean=made["moments"]["claimed"])


ITERATIONS = both(
    put("risk_vs_kappa", "mean", 1.0, series=AMB),
    put("risk_vs_kappa", "mean", 0.5, series=AMB, T=32),
    put("risk_vs_kappa", "mean", 0.0, series=T_BY),
)
INSIDE = both(
    put("ext_thresholds", "mean", 1.0, series=FIXED), put("ext_thresholds", "mean", 0.5, **BEST),
    put("ext_thresholds", "mean", math.log(5.0), series=FIXED_BY_AMB),
)  # fmt: skip
GAP = both(
    put("sample_complexity", "mean", 1.0), tilt("sample_complexity", "d", 1.5, series=TIGHT),
    tilt("sample_complexity", "d", 1.0, series=QUANTILE),
)  # fmt: skip
TRUE: dict[str, Edit] = {
    "privacy-for-free": both(
        change("risk_vs_eps", 0.1, series=QUANTILE), change("ext_privacy", 0.1, panel="small epsilon", series=QUANTILE)
    ),
    "risk-grows-gradient": tilt("risk_vs_d", "d", 1.0, series="DP-GD"),
    "r-squared-is-d": as_claimed,
    "risk-grows-statistics": tilt("risk_vs_d", "d", 0.3, series=TIGHT),
    "reuse-needs-more": tilt("risk_vs_d", "d", 1.0, series="DP-GD (adaptive)"),
    "better-any-noise": times("risk_vs_n", 1e3, series=lambda name: name in (ADA_BY, GD_BY)),
    **dict.fromkeys(("adaptive-better", "adaptive-better-small-noise", "adaptive-better-any-noise"), INSIDE),
    "clips-one-per-cent-corrected": put("clip_path", "mean", 1e-3, series="clip fraction"),
    "lemma-3.10-not-too-large": put("alg_stat", "mean", 1.0, series="second half"),
    "threshold-second-moment": put("alg_stat", "mean", 1.0, series="mean square ratio"),
    "approximately-maximum": put("alg_stat", "mean", 1.0, series="mean ratio"),
    "quantile-rule": put("alg_stat", "mean", 0.0, series="overshoot"),
    "printed-rule": put("ablation", "mean", 0.0, series="log of as published over the level"),
    "corollary-3.3-risk": change("ssgd", 1e-9, panel="Corollary 3.3"),
    "corollary-3.3-private": change("multiplier", 0.01, "eps_tight", series="Theorem 3.1, constant 1"),
    "lemma-3.5-without-mean": change("bound_vs_run", 1e3, "bound", algorithm="DP-SSGD"),
    "tail-normal": put("moments", "mean", 0.5, quantity="P(|x|^2 > d log 1/beta) / beta"),
    "leading-term-cross": put("ext_orders", "mean", 0.5, quantity="leading term"),
    "lemma-3.10-logarithm": put("ext_orders", "mean", 0.1, quantity="logarithm of Lemma 3.10"),
    "time-linear": tilt("ext_orders", "at", -0.1, quantity="operations", axis="N"),
    "introduction-threshold": change("ssgd", 0.05, panel="introduction", zeta_factor=lambda z: z < 1),
}
TRUE |= dict.fromkeys(OPEN_AT_99, lambda made: None)
# What the exact law of a printed step refutes whatever was run.
ALWAYS_FALSE = {"corollary-3.8-risk"}
# At one of the steps that may lie between two draws of a record its second gradient has the norm that is said.
ALWAYS_OPEN = {"gradient-norm-twice"}
# Lower bounds of a probability refute, and leave it open where they do not: with so many dimensions that <x, w*> alone
# does not lift a gradient above its threshold.
NEVER_TRUE: dict[str, Edit] = {
    "lemma-a.9": put("ssgd", "d", 5000, panel="Theorem 3.2"),
}


def test_every_claim_can_be_reproduced() -> None:
    missed = {name for name in TESTABLE if WORLD[name].verdict != "reproduced"}
    assert missed == set(TRUE) | set(NEVER_TRUE) | ALWAYS_FALSE | ALWAYS_OPEN
    assert {name: after(edit, name) for name, edit in TRUE.items()} == dict.fromkeys(TRUE, "reproduced")
    assert {name: after(edit, name) for name, edit in NEVER_TRUE.items()} == dict.fromkeys(NEVER_TRUE, "inconclusive")
    assert {name for name in WORLD if WORLD[name].verdict == "not testable"} == NOT_TESTABLE
    assert math.isclose(WORLD["n-to-cn"].measured or 0.0, 50.0)


STILL_TRUE: dict[str, tuple[str, Edit]] = {
    "a first threshold of which the domain decides": (
        "threshold-small-enough",
        put("clip_path", "q975", 2.0, series="log of zeta over claimed scale", t=0),
    ),
    "shares of draws that nowhere reach one half": (
        "approximately-maximum",
        both(TRUE["approximately-maximum"], put("alg_stat", "mean", 0.0, series="share")),
    ),
    "an epsilon below sqrt(d/N)": (
        "privacy-for-free",
        both(
            TRUE["privacy-for-free"],
            change("risk_vs_eps", 1e4, series=QUANTILE, eps=0.1),
            put("risk_vs_eps", "eps", 0.005, eps=0.1),
        ),
    ),
    "cells in which Lemma 3.10 says nothing": (
        "lemma-3.10-not-too-large",
        both(TRUE["lemma-3.10-not-too-large"], put("alg_stat", "mean", 0.0, s=500, levels=133, alpha=10.5)),
    ),
    "a mean that one trial rules": ("theorem-1.1-variance", change("risk_vs_n", 99, "mean", series=QUANTILE)),
    "rates that are faster than the bound's": (
        "theorem-3.7-rate-n-quantile",
        both(
            change("risk_vs_n", 1e5, panel=FIFTH, series=QUANTILE),
            tilt("risk_vs_n", "N", -0.6, panel=FIFTH, series=QUANTILE),
        ),
    ),
    "a risk without noise where b is too small": (
        "vanishes-with-sigma",
        put("risk_vs_n", "mean", 0.0, panel=ONE, series=AT_ZERO.format(QUANTILE), N=10_000),
    ),
    "noisy labels, at which fixed thresholds are as good": (
        "adaptive-better-small-noise",
        both(INSIDE, put("ext_thresholds", "mean", -9.0, series=FIXED_BY_AMB, sigma=1.0)),
    ),
    "noisy labels, at which the best threshold ends the grid": (
        "adaptive-better-small-noise",
        both(INSIDE, put("ext_thresholds", "mean", 0.4, series=FIXED, factor=0.0025, sigma=1.0)),
    ),
    "cells with fewer records than Theorem 3.7 asks for": (
        "lower-bound-matched",
        change("ext_privacy", 1e6, panel="privacy regime", N=1_000_000),
    ),
    "a moving quantile": ("gap-grows", both(GAP, tilt("sample_complexity", "d", -0.5, series=AMB))),
    "a bound that the lemma does not claim": (
        "lemma-3.11",
        put("bound_vs_run", "bound", 1e-9, algorithm=AMB, kind="no clipping", N=10_000),
    ),
    "the law of the runs, whose threshold is the least": (
        "lemma-3.11",
        change("bound_vs_run", 999, "expected", algorithm=AMB),
    ),
    "more noise than the first term, at printed multipliers": (
        "theorem-3.7-variance-as-published",
        put("risk_vs_n", "mean", 1e-3, series=PUBLISHED, N=1_000_000, sigma=1.0),
    ),
    "Student's law is outside of the definition": (
        "tail-clipping",
        put("tails", "clip_fraction", 0.5, law="Student t5"),
    ),
    "an order of d below the linear one": (
        "sample-size-quantile",
        tilt("sample_complexity", "d", -0.3, series=QUANTILE),
    ),
    "a bound of |x| that shows late": (
        "sample-size-statistics",
        change("sample_complexity", 0.3, series=TIGHT, d=lambda d: d < 80),
    ),
    "exact laws of runs far above their bound": ("lemma-3.5", change("bound_vs_run", 999, algorithm="DP-SSGD")),
    "a competitor whose privacy costs little": (
        "better-small-noise",
        both(
            put("risk_vs_n", "mean", 1e-7, series="DP-GD", N=1_000_000, sigma=0.1),
            put("risk_vs_n", "mean", -3.0, series=GD_BY, N=1_000_000, sigma=0.1),
        ),
    ),
    "no coefficient above its claim but at small batches": (
        "step-44-large-batch",
        change("moments", 2, quantity="E[B'HB] against H", b=1, d=50),
    ),
    "clipped runs have no exact law": ("ssgd-law", change("ssgd", 99, panel="grid", step="0.05")),
}
STILL_TRUE |= {
    "the least T that there is": (
        "enough-iterations",
        both(ITERATIONS, put("risk_vs_kappa", "mean", 0.4, series=AMB, T=2, kappa=1)),
    ),
}
LEFT_OPEN: dict[str, tuple[str, Edit]] = {
    # Errors at which a law that is off by 0.4 and more would pass in one place.
    "runs that are too few to tell a law from another": (
        "least-squares-law",
        change("risk_vs_n", 1.3, "se", panel=ONE, series="OLS"),
    ),
    "a best T at the end of the grid": (
        "enough-iterations",
        both(ITERATIONS, put("risk_vs_kappa", "mean", 0.4, series=AMB, T=256, kappa=1)),
    ),
    "a threshold with the logarithms of O~": (
        "privacy-for-free",
        both(TRUE["privacy-for-free"], put("ext_privacy", "mean", 1.0, panel="small epsilon", eps=0.02)),
    ),
    "a median lost in its errors": (
        "theorem-1.1-variance",
        change("risk_vs_n", 40, "median_high", panel=ONE, series=QUANTILE, N=1_000_000),
    ),
    "a threshold grid that hides an exponent": (
        "theorem-3.7-rate-n-quantile",
        change("risk_vs_n", 9, panel=FIFTH, series=QUANTILE, N=200_000),
    ),
    "thresholds of which the smallest is the best": (
        "adaptive-better",
        both(INSIDE, put("ext_thresholds", "mean", 0.4, series=FIXED, factor=0.0025)),
    ),
    "an adaptive factor of which the smallest is the best": (
        "adaptive-better",
        both(
            INSIDE,
            put("ext_thresholds", "mean", 9.0, series=AMB),
            put("ext_thresholds", "mean", 8.0, factor=0.125),
            put("ext_thresholds", "mean", -2.0, series=FIXED_BY_AMB),
        ),
    ),
    "a reading of the logarithm that is right": (
        "lemma-3.10-logarithm",
        both(TRUE["lemma-3.10-logarithm"], change("ext_orders", 999, reading="base e, L = 20")),
    ),
}


@pytest.mark.parametrize(
    ("name", "edit", "verdict"),
    [
        *(pytest.param(*each, "reproduced", id=case) for case, each in STILL_TRUE.items()),
        *(pytest.param(*each, "inconclusive", id=case) for case, each in LEFT_OPEN.items()),
    ],
)
def test_what_else_decides_a_claim(name: str, edit: Edit, verdict: str) -> None:
    assert after(edit, name) == verdict


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("sub-optimal-by-sigma", times("risk_vs_n", 1, "sigma", 0.5, series=GD_BY)),
        ("sub-optimal-by-sigma", times("risk_vs_n", 1, "sigma", -0.5, series=GD_BY)),
    ],
)  # fmt: skip
def test_exponents_of_two_sides_fail_on_either(name: str, edit: Edit) -> None:
    assert after(edit, name) == "not reproduced"


@pytest.mark.parametrize("power", [1.5, 2.0])
def test_the_note_of_corollary_3_3_has_the_exponents_of_the_risks(power: float) -> None:
    made = dict(TABLES)
    put("ssgd", "mean", 1e-9, panel="Corollary 3.3")(made)
    tilt("ssgd", "d", power, panel="Corollary 3.3")(made)
    found = by_id.judge_one(claims, replace(committed(), tables=made), "corollary-3.3-risk")
    assert found.verdict == "reproduced"
    assert f"2 to 20, are {power:g}, {power:g}, {power:g}, of the exact law without clipping 1.9, 2, 2;" in found.note


def test_a_claim_at_several_readings_shows_the_worst_and_names_each_cell() -> None:
    shown = WORLD["lemma-3.10-logarithm"]
    assert shown.measured == max(cell.value for cell in shown.cells)
    assert len({cell.cell for cell in shown.cells}) == len(shown.cells)


def test_methods_are_compared_where_they_are_good_too() -> None:
    """Places are those where privacy is most of either method's risk, not of the other method's alone."""
    cells = {cell.cell: cell.verdict for cell in WORLD["better-any-noise"].cells}
    assert cells["series = DP-GD, panel = epsilon = 1, N = 10000, sigma = 1"] == "not reproduced"
    quiet = {cell.cell for cell in WORLD["better-small-noise"].cells}
    assert "series = DP-GD, panel = epsilon = 1, N = 300000, sigma = 0.1" not in quiet


def test_places_near_the_floor_are_named_where_they_are_left_out() -> None:
    made = dict(TABLES)
    put("risk_vs_n", "mean", math.log(0.777), panel=ONE, series=GD_BY, N=1_000_000, sigma=0.1, variant="main")(made)
    as_at_90(made)
    found = by_id.judge_one(claims, replace(committed(), tables=made), "better-small-noise")
    assert found.verdict == "reproduced"
    assert "0.777 at series = DP-GD, panel = epsilon = 1, N = 1e+06, sigma = 0.1" in found.note
    assert "0.777" not in WORLD["better-small-noise"].note


# The quantile of the prose


# Of these 90 % does not confirm, or the runs of another method are edited, which both quantiles share.
DECIDED_AT_90 = {"better-any-noise", "ambssgd-addresses", "fewer-records", "gap-grows"}


@pytest.mark.parametrize("name", sorted(set(AT_BOTH) - DECIDED_AT_90))
def test_what_99_percent_alone_refutes_is_open(name: str) -> None:
    def false_at_99(made: Tables) -> None:
        FALSE[name](made)
        as_at_90(made)
        for artefact, table in TABLES.items():
            edited = made[artefact]
            if edited is not table:
                at_99 = edited[edited["variant"].isin(AT_99_OF.values())]
                made[artefact] = pd.concat([without_99(table), at_99], ignore_index=True)

    made = dict(TABLES)
    false_at_99(made)
    found = by_id.judge_one(claims, replace(committed(), tables=made), name)
    assert (found.verdict, found.why) == ("inconclusive", "unstated value decides")
    assert "not reproduced at " in found.note
    assert any(text in found.note for text in ("measured is at 99 %", "99 %: "))


def test_the_value_at_99_percent_and_its_cell_are_told() -> None:
    edit = change("risk_vs_eps", 1.2, series=QUANTILE, eps=8.0, sigma=0.1)
    found = found_after(edit, "optimal-variance")
    assert found.note.startswith(f"reproduced at 90 %, reproduced at 99 %; 99 %: {found.measured:.3g} in [")
    assert "] (sigma = 0.1); least squares" in found.note


def test_tables_of_a_build_without_the_runs_at_99_percent_are_judged_at_90() -> None:
    """Such as those of another seed that were made before: the note names the reading that is there, and no other."""
    found = judged({name: without_99(table) if "variant" in table else table for name, table in TABLES.items()})
    for name in set(AT_BOTH) - {"privacy-for-free", "optimal-exponents-quantile"}:
        assert f"{found[name].note};".startswith(f"{found[name].verdict} at 90 %;"), name
        assert "99 %: " not in found[name].note
    assert {name for name in AT_BOTH if found[name].verdict != WORLD[name].verdict} == OPEN_AT_99


# Tables that lack something


NAMES = sorted(TABLES)
# Claims of one table that look at a second one.
MIXED = {"lower-bound-matched", "better-beyond-normal", "theorem-3.7-order"}


@pytest.mark.parametrize(
    "made",
    [{}, dict.fromkeys(TABLES, pd.DataFrame()), {n: t[:0] for n, t in TABLES.items()}]
    + [{name: TABLES[name] for name in NAMES[k::3]} for k in range(3)],
)  # fmt: skip
def test_claims_about_tables_that_are_not_there_are_not_testable(made: Tables) -> None:
    found = judged(made)
    assert set(found) == set(WORLD)
    for name in set(WORLD) - FORMULAS - (MIXED if made else set()):
        there = bool(len(made.get(WORLD[name].artefact, ())))
        assert found[name].verdict == (WORLD[name].verdict if there else "not testable"), name


def with_holes(share: float) -> Tables:
    rng = np.random.default_rng(round(20 * share))
    return {name: table[rng.random(len(table)) < share].reset_index(drop=True) for name, table in TABLES.items()}


def without(*columns: str) -> Tables:
    return {name: table.drop(columns=list(columns), errors="ignore") for name, table in TABLES.items()}


@pytest.mark.parametrize(
    "make",
    [
        *(lambda k=k: with_holes(0.15 * k) for k in (1, 3, 5)), lambda: without("sigma", "alpha", "t"),
        lambda: without("d", "bias", "predictor"), lambda: without("N", "eps", "clip_fraction"),
    ],
)  # fmt: skip
def test_tables_with_holes_can_be_judged(make: Callable[[], Tables]) -> None:
    found = judged(make())
    assert set(found) == set(WORLD)
    for claim in found.values():
        missing = claim.measured is None or math.isnan(claim.measured)
        assert missing == (claim.verdict == "not testable"), claim


@pytest.mark.parametrize("value", [math.nan, 0.0, -1.0])
def test_values_that_cannot_be_are_no_exception(value: float) -> None:
    made = {name: table.copy() for name, table in TABLES.items()}
    for table in made.values():
        table.loc[::3, [name for name in (*VALUES, "se") if name in table]] = value
    assert set(judged(made)) == set(WORLD)


# Readings of tables


def test_costs_are_taken_where_they_dominate() -> None:
    table = pd.DataFrame({"sigma": 1.0, "d": 10, "N": 1000, "mean": [0.05, 0.015], "se": 0.001})
    cost = criteria.cost_of_privacy(table)
    assert cost["mean"].tolist() == pytest.approx([0.04])
    assert cost["se"].tolist() == [0.001]


def test_medians_take_the_wider_half_of_their_interval() -> None:
    row = {"mean": 9.0, "se": 0.1, "median": 2.0, "median_low": 1.5, "median_high": 2.25}
    found = criteria.typical(pd.DataFrame([row | {"trials": 20}, row | {"trials": 1}]))
    assert found["mean"].tolist() == [2.0, 9.0]
    assert found["se"].tolist() == pytest.approx([0.5 / 1.959963984540054, math.nan], nan_ok=True)


def test_readings_are_those_that_were_fixed_before_any_run() -> None:
    """Whoever moves one says so here, and in `changed` of the claims that it decides; CHANCE came later."""
    fixed = {
        "SAME_ORDER": 4, "LOGARITHMS": 0.25, "RATE": 0.1, "SIGNIFICANT": 2, "VANISHED": 0.01, "SMALL_NOISE": 0.1,
        "PROGRESSIVELY": 1.2, "LARGE_D": 80, "AGREES": 0.05, "CHANCE": 3, "EQUAL": 1e-6,
    }  # fmt: skip
    assert {name: getattr(criteria, name) for name in fixed} == fixed
