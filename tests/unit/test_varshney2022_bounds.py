"""varshney2022's table of bounds: values by hand, directions, conditions, tables that lack rows or are not there."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, norm

from dpdescent.algorithms.sgd_moments import tail_risk
from dpdescent.papers.varshney2022 import ambssgd, bounds, conditions, criteria, ssgd
from dpdescent.papers.varshney2022.privacy import ACCOUNTANTS, SHUFFLED
from dpdescent.papers.varshney2022.setting import Design
from dpdescent.privacy.accounting import tight_epsilon
from dpdescent.replication.configuration import project
from dpdescent.replication.judging import bound_rows
from dpdescent.replication.judging.evidence import Bound, Evidence
from made_up import NARROW, table_of

ROOT = Path(__file__).parents[2]
EPS, DELTA, N, D, SIGMA = 1.0, 1e-6, 1000, 4, 0.5
SIZE = {"N": N, "d": D, "sigma": SIGMA, "eps": EPS, "delta": DELTA}
PLACES = [
    "Thm 3.6", "Thm 3.6, proof", "Lemma A.1", "(7)", "Lemma 3.10", "Thm 3.6, Lemma 3.10", "Thm 3.2, (30)", "Lemma 3.5",
    "(5)", "(36)", "(39)", "Lemma A.9", "Lemma A.6", "Lemma A.8", "Lemma 3.10 (corrected)", "Lemma 3.11", "(47)",
    "(48), (50)", "Lemma B.3", "Lemma B.4", "Lemma B.5", "Lemma B.7, (49), (58)", "(57)", "(59)", "(60)", "(44)",
    "Def. 2.1 (2)", "Def. 2.1 (4)", "Lemma A.5", "Sec. 1",
]  # fmt: skip


# --- Small tables ----------------------------------------------------------------------------------------------------


def exactly(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """A table of exact values from an experiment's rows."""
    plain = [{name: value for name, value in row.items() if name not in ("value", "trial")} for row in rows]
    means = [row | {"mean": old["value"]} for row, old in zip(plain, rows, strict=True)]
    return table_of(means, trials=1, spread=NARROW, defaults={"variant": "main"})


def runs(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Means of 20 trials, whose standard errors are a tenth of them."""
    return table_of(rows, spread=NARROW, defaults={"variant": "main", "trials": 20})


def problem(sigma: float = SIGMA, n: int = N) -> Any:
    return Design.of(D, 1.0, 1.0).problem(n, sigma)


def multiplier() -> pd.DataFrame:
    rows: list[dict[str, Any]] = [
        {"series": series, "eps": EPS, "delta": DELTA, "value": alpha(EPS, DELTA),
         "eps_tight": tight_epsilon(cost / alpha(EPS, DELTA) ** 2, DELTA)}
        for series, (alpha, cost) in ACCOUNTANTS.items()
    ]  # fmt: skip
    rows.append({"series": SHUFFLED, "eps": EPS, "delta": DELTA, "N": 10_000, "value": 3.0, "eps_tight": EPS})
    return exactly(rows)


def statistic() -> pd.DataFrame:
    shares = {"first half": 0.995, "second half": 0.5, "corrected guarantee": 0.95}
    rules = ("as published", "corrected")
    rows = [
        {"series": series, "s": 500, "levels": 12, "alpha": 4.2, "rule": rule, "mean": mean}
        for series, mean in shares.items() for rule in rules
    ]  # fmt: skip
    return runs(rows).assign(se=0.001)


def shuffled(clip_fraction: float = 0.0) -> pd.DataFrame:
    """DP-SSGD with Theorem 3.2's parameters and with ours, at the exact risk without clipping."""
    own = ssgd.theorem_parameters(problem(), 5.0)
    practical = ssgd.practical_parameters(problem(), 5.0, 3.0)
    rows: list[dict[str, Any]] = []
    for panel, step, used in (("Theorem 3.2", "Theorem 3.2", own), ("grid", "practical", practical)):
        law = tail_risk(np.ones(D), np.full(D, 0.5), used.eta, 1, SIGMA, used.noise_variance, N, N // 2)
        factor = 3.0 if panel == "grid" else math.nan
        rows.append({"panel": panel, "step": step, "zeta_factor": factor, "eta": used.eta, "alpha": 5.0, "mean": law,
                     "expected": law, "clip_fraction": clip_fraction})  # fmt: skip
    return runs([{**SIZE, "series": "DP-SSGD", **row} for row in rows])


def beside(clip_fraction: float = 0.0) -> pd.DataFrame:
    """Runs beside their bounds, at a size that meets Lemma 3.11's condition on b and at one that does not."""
    rows: list[dict[str, Any]] = []
    common = {"mean": 0.01, "expected": 0.0101, "clip_fraction": clip_fraction}
    for n in (1000, 10**6):
        rows.append({"algorithm": "DP-SSGD", "kind": "no clipping", "N": n, "T": n, "bound": 0.02, **common})
        for kind, printed, plain in (
            ("no clipping", 0.02, math.nan), ("as run", 0.02, 0.005), ("no clipping, logs 1", math.nan, 0.005),
        ):  # fmt: skip
            given = {"algorithm": "DP-AMBSSGD", "kind": kind, "bound": printed, "bound_without_logs": plain}
            rows.append({"N": n, "T": 8, **given, **common})
    return runs([{**SIZE, "series": "risk", **row} for row in rows])


def risks() -> pd.DataFrame:
    base = {**SIZE, "N": 100_000, "kappa": 1.0, "T": 8, "panel": "all", "clip_fraction": 0.01, "mean": 1e-4}
    series = ("DP-AMBSSGD", "DP-AMBSSGD (as published)", "DP-SSGD")
    least_squares = base | {"series": "OLS", "mean": 1.05 * 0.5 * SIGMA**2 * D / 1e5}
    return runs([*(base | {"series": name} for name in series), least_squares])


def paths() -> pd.DataFrame:
    base = {**SIZE, "N": 100_000, "kappa": 1.0, "T": 8, "mean": 2.0}
    return runs([base | {"t": t, "series": series} for t in range(8) for series in ("zeta", "claimed scale")])


@pytest.fixture(scope="module")
def spec() -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(project, "_check_code", lambda *_: None)
        found = project.load({"scale": "paper", "seed": 7, "papers": ["varshney2022"]}, ROOT)
    return json.loads(project.judging_json(found, "varshney2022"))


def part(spec: dict[str, Any], artefact: str, **cell: Any) -> dict[str, Any]:
    about = spec["artefacts"][artefact]
    first = next(iter(about["cells"].values()))
    settings = spec["settings"] | about["settings"]
    return {"trials": [0, 1], "cell": first | cell, "arms": about["arms"], "settings": settings, "panel": "all"}


@pytest.fixture(scope="module")
def evidence(spec: dict[str, Any]) -> Evidence:
    audit = runs([{"mechanism": "gradient step", "series": "attained mu", "mean": 0.2, "accounted": 0.25}])
    without = {**SIZE, "N": 100_000, "kappa": 4.0, "T": 32, "series": "no noise", "mean": 1e-5}
    tables = {
        "multiplier": multiplier(), "alg_stat": statistic(), "ssgd": shuffled(), "bound_vs_run": beside(),
        "risk_vs_n": risks(), "risk_vs_sigma": risks(), "risk_vs_eps": risks(), "clip_path": paths(), "audit": audit,
        "risk_vs_kappa": exactly([{"value": row["mean"], **row} for row in [without]]),
        "moments": exactly(list(conditions.run_moments(part(spec, "moments", d=[1, 2, 10])))),
    }  # fmt: skip
    return Evidence(spec, tables)


@pytest.fixture(scope="module")
def rows(evidence: Evidence) -> list[Bound]:
    return bounds.evaluate(evidence)


def named(rows: list[Bound], name: str, *words: str, location: str = "") -> list[Bound]:
    """Rows of that name whose setting has all of the words."""
    found = [row for row in rows if row.bound == name and location in row.location]
    found = [row for row in found if all(word in row.setting for word in words)]
    assert found, (name, words, location)
    return found


def changed(evidence: Evidence, **tables: pd.DataFrame) -> list[Bound]:
    return bounds.evaluate(replace(evidence, tables=evidence.tables | tables))


# --- The table -------------------------------------------------------------------------------------------------------


def test_each_row_stands_once_and_says_what_it_is(rows: list[Bound]) -> None:
    names = [(row.bound, row.setting) for row in rows]
    assert len(set(names)) == len(names) > 200
    for row in rows:
        assert row.note, row
        assert "nan" not in row.note, row
        assert math.isfinite(row.value), row
        assert row.measured is None or math.isfinite(row.measured), row


@pytest.mark.parametrize("place", PLACES)
def test_every_place_is_there(rows: list[Bound], place: str) -> None:
    assert any(row.location == place for row in rows)


def test_bounds_on_risks_say_where_they_are_vacuous(rows: list[Bound]) -> None:
    risks = [row for row in rows if row.bound.startswith("risk") and row.location in ("Lemma 3.5", "Lemma 3.11", "(5)")]
    assert len(risks) > 10
    assert {row.value >= 0.5 for row in risks} == {True, False}
    for row in risks:
        assert (bound_rows.VACUOUS in row.note) == (row.value >= 0.5), row


@pytest.mark.parametrize(("value", "trivial"), [(0.499, False), (0.5, True)])
def test_the_trivial_risk_is_half_the_squared_norm(value: float, trivial: bool) -> None:
    assert (bound_rows.VACUOUS in criteria.vacuous(problem(), value)) is trivial


def test_what_is_false_in_the_paper_fails_and_nothing_else(rows: list[Bound]) -> None:
    """The second half of Lemma 3.10, the last iterate's bias at H = I, and (2) at d = 1."""
    for row in rows:
        known = (
            "max(gamma/2, Delta)" in row.bound
            or (row.bound == "bias of the last iterate" and "kappa=1," in row.setting)
            or (row.location == "Def. 2.1 (2)" and "d=1," in row.setting)
        )
        assert (row.holds is False) == known, row


TABLES = ["multiplier", "alg_stat", "ssgd", "bound_vs_run", "risk_vs_n", "clip_path", "moments"]


@pytest.mark.parametrize("name", TABLES)
def test_a_table_that_is_not_there_is_no_error(evidence: Evidence, rows: list[Bound], name: str) -> None:
    left = bounds.evaluate(replace(evidence, tables={k: v for k, v in evidence.tables.items() if k != name}))
    assert left
    assert left != rows


def test_no_tables_and_empty_tables_are_no_error(evidence: Evidence) -> None:
    without = bounds.evaluate(replace(evidence, tables={}))
    empty = bounds.evaluate(replace(evidence, tables={name: table[:0] for name, table in evidence.tables.items()}))
    assert without == empty
    assert without


def test_single_trials_leave_means_open(evidence: Evidence) -> None:
    single = {name: table.assign(trials=1, se=math.nan) for name, table in evidence.tables.items()}
    found = changed(evidence, **single)
    assert all(row.holds is None for row in found if bound_rows.CHANCE in row.note)
    assert any(row.holds for row in found)


# --- Privacy ---------------------------------------------------------------------------------------------------------


def test_multipliers(rows: list[Bound]) -> None:
    log = math.log(1.0 / DELTA)
    (last,) = named(rows, "alpha that is enough, last form")
    assert last.value == pytest.approx(math.sqrt(8.0 * log))
    assert last.measured == pytest.approx(1.0 / (math.sqrt(log + EPS) - math.sqrt(log)))


def test_an_epsilon_above_its_claim_fails(evidence: Evidence) -> None:
    table = multiplier()
    table["eps_tight"] *= 1.5
    found = named(changed(evidence, multiplier=table), "epsilon of DP-AMBSSGD", "Gaussian DP")
    assert [row.holds for row in found] == [False]


def test_linear_form_of_amplification(rows: list[Bound]) -> None:
    (right,) = named(rows, "epsilon linear in eps_0, 3/2", "eps_0=0.5")
    root = math.sqrt(math.log(1.0 / DELTA) / 10_000)
    assert right.value == pytest.approx(0.5 * (1.5 * root + 2e-4))
    assert right.measured == pytest.approx(
        (1.0 - math.exp(-0.5)) * (math.exp(0.25) * root + math.exp(0.5) / 10_000)
    )  # fmt: skip
    assert right.holds is True


@pytest.mark.parametrize(("attained", "holds"), [(0.2, True), (0.26, True), (0.5, False)])
def test_attacks_may_exceed_by_chance_only(evidence: Evidence, attained: float, holds: bool) -> None:
    audit = evidence.tables["audit"].assign(mean=attained, se=0.02)
    (row,) = named(changed(evidence, audit=audit), "attained mu")
    assert row.holds is holds


# --- DP-SSGD ---------------------------------------------------------------------------------------------------------


def test_lemma_3_5_by_hand(rows: list[Bound]) -> None:
    (row,) = named(rows, "risk, runs", "step=practical", location="Lemma 3.5")
    eta, variance = (lambda used: (used.eta, used.noise_variance))(ssgd.practical_parameters(problem(), 5.0, 3.0))
    m = SIGMA**2 + variance
    spread = eta * (D + 2) / (1.0 - eta * (D + 2))
    assert row.value == pytest.approx((D + 2) / 2.0 * math.exp(-eta * (N / 2 + 1)) + D * m * (1.0 + spread) / N)
    assert row.holds is True


def test_exact_laws_of_start_and_noise(rows: list[Bound]) -> None:
    """They sum to the table's law, and the start is that of the noiseless recursion at H = I, by hand."""
    eta = ssgd.practical_parameters(problem(), 5.0, 3.0).eta
    (both,) = named(rows, "risk, exact law", "step=practical")
    (noise,) = named(rows, "risk of the noise", "step=practical")
    (start,) = named(rows, "risk of the start", f"eta={eta:.6g}")
    m = (1.0 - 2.0 * eta + eta**2 * (D + 2)) ** np.arange(N // 2 + 1, N + 1)
    after = np.cumsum((1.0 - eta) ** np.arange(1, N // 2))
    by_hand = float(m @ (1.0 + 2.0 * np.append(after[::-1], 0.0))) / (2.0 * (N // 2) ** 2)
    assert start.measured == pytest.approx(by_hand)
    assert noise.measured is not None
    assert both.measured == pytest.approx(noise.measured + by_hand)
    used = ssgd.practical_parameters(problem(), 5.0, 3.0)
    law = tail_risk(np.ones(D), np.full(D, 0.5), used.eta, 1, SIGMA, used.noise_variance, N, N // 2)
    assert both.measured == pytest.approx(law)


def test_clipping_opens_what_excludes_it(evidence: Evidence) -> None:
    found = changed(evidence, ssgd=shuffled(0.01))
    assert all(row.holds is None for row in named(found, "risk, runs", "panel=", location="Lemma 3.5"))
    assert all(row.holds is None for row in named(found, "exact law, runs", "panel="))
    # The exact law does not clip, and Lemma A.9 is about clipping.
    assert all(row.holds is True for row in named(found, "risk, exact law", location="Lemma 3.5"))
    assert [row.holds for row in named(found, "clipped gradients")] == [False]


def test_too_large_a_step_has_no_bound(evidence: Evidence) -> None:
    large = shuffled().assign(eta=0.6 / (D + 2), expected=math.nan)
    found = changed(evidence, ssgd=large)
    settings = [
        row for row in found if row.setting.startswith("DP-SSGD: ") and row.location in ("Lemma 3.5", "(36)", "(39)")
    ]
    assert settings
    assert all(row.holds is None for row in settings)


def test_runs_off_their_law_or_above_their_bound_fail(evidence: Evidence) -> None:
    table = beside()
    table["mean"] = 0.1
    table["se"] = 0.001
    found = changed(evidence, bound_vs_run=table)
    for name in ("risk, runs", "exact law, runs"):
        assert {row.holds for row in named(found, name, "bound_vs_run, DP-SSGD")} == {False}


# --- DP-STAT and DP-AMBSSGD ------------------------------------------------------------------------------------------


def test_halves_of_lemma_3_10(rows: list[Bound], evidence: Evidence) -> None:
    (first,) = named(rows, "P(#{|r| <= gamma} >= s - Gamma)")
    assert (first.value, first.holds) == (0.99, True)
    slack = 4.2 * math.sqrt(2 * 12 * math.log(12 / 0.01))
    assert f"Gamma={slack:.4g}" in first.note
    (own,) = named(rows, "P(at least s less two margins below gamma, and not all below gamma/2)")
    assert own.value == pytest.approx(1.0 - 13.0 * norm.sf(math.sqrt(2.0 * math.log(12.0))))
    low = statistic().assign(mean=0.9)
    assert [row.holds for row in named(changed(evidence, alg_stat=low), "P(#{|r| <= gamma} >= s - Gamma)")] == [False]


def test_lemma_3_11_has_a_verdict_only_where_its_conditions_hold(evidence: Evidence, rows: list[Bound]) -> None:
    verdicts = {
        (row.setting.split("kind=")[1].split(", ")[0], "N=1e+06" in row.setting): row.holds
        for row in named(rows, "risk, runs", "DP-AMBSSGD", location="Lemma 3.11")
    }
    # No condition is met at N = 1000, and what runs clips or may.
    assert verdicts == {
        ("no clipping", True): True, ("no clipping", False): None, ("as run", True): None, ("as run", False): None,
    }  # fmt: skip
    for row in rows:
        if row.location in ("Lemma 3.11", "(47)", "(48), (50)") and "not met" in row.note:
            assert row.holds is None, row
    assert any(row.holds for row in rows if row.location == "(47)")


def test_law_at_the_thresholds_that_the_lemma_allows() -> None:
    """The recursion of the mean squared distance at H = I, by hand."""
    found = ambssgd.Setting.of(problem(n=10**6), 6, 2.0, 100.0)
    setting = replace(found, batch=float(round(found.batch)))
    law = ambssgd.Law.of(setting)
    eta, b, factor = setting.eta, setting.batch, setting.threshold_factor
    m = [1.0]
    for t in range(6):
        zeta_squared = factor * (math.sqrt(m[t]) + SIGMA + setting.width) ** 2
        assert law.zetas_squared[t] == pytest.approx(zeta_squared)
        kept = 1.0 - 2.0 * eta + eta**2 * (1.0 + (D + 1) / b)
        m.append(kept * m[t] + eta**2 * (SIGMA**2 * D / b + 16.0 * zeta_squared * D / b**2))
    assert law.distances_squared == pytest.approx(m)
    pairs = sum((1.0 - eta) ** abs(u - t) * m[min(t, u)] for t in (4, 5, 6) for u in (4, 5, 6))
    assert law.risk == pytest.approx(pairs / 18.0)


# --- Moments and comparison ------------------------------------------------------------------------------------------


def test_tails_and_public_bounds(rows: list[Bound]) -> None:
    for row in named(rows, "P(|x|^2 > d log(1/beta))", "d=10"):
        assert row.measured == pytest.approx(chi2.sf(10 * math.log(1.0 / row.value), 10))
    (row,) = named(rows, "P(|x| > |X|)")
    log = math.log(1e5)
    assert row.measured == pytest.approx(chi2.sf(D + 2.0 * math.sqrt(D * log) + 2.0 * log, D))
    assert (row.value, row.holds) == (1e-5, True)


def test_step_44_has_a_verdict_only_for_large_batches(rows: list[Bound]) -> None:
    found = named(rows, "E[B'HB] against H")
    assert {row.holds for row in found} == {None, True}
    assert all(row.holds is None for row in found if "b=1" in row.setting.split(", ")[-1:])
    assert any(row.measured > row.value and row.holds is None for row in found if row.measured is not None)


def test_privacy_for_free(rows: list[Bound]) -> None:
    for row in named(rows, "privacy's term over sampling's", "c=2"):
        assert (row.value, row.holds) == (0.25, True)
