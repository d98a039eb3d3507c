"""wang2026's table of bounds: values by hand, directions, conditions, tables that lack rows or are not there."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, chi2

from dpdescent.papers.wang2026 import bounds
from dpdescent.papers.wang2026.experiments import admissible_width, table_rates
from dpdescent.privacy.participation import closed_forms, gaussian
from dpdescent.replication.configuration import project
from dpdescent.replication.judging import bound_rows
from dpdescent.replication.judging.evidence import Bound, Evidence
from made_up import NARROW, table_of

ROOT = Path(__file__).parents[2]
LOG2 = math.log(2.0)
# A width and a step at which every condition is met, and those of the experiments.
WIDE, SMALL = {"m": 10**26, "eta": 1e-5}, {"m": 64, "eta": 0.5}
# Only the step meets its condition, or only the width.
NARROW_ONLY, FAST_ONLY = {"m": 64, "eta": 1e-5}, {"m": 10**26, "eta": 0.5}
SIZE = {"n": 200, "T": 100, "B": 20, "d": 4, "kappa": 0.0, "lam": 0.0, "C_clip": 2.2}
PLACES = [
    "Thm F.12 (5.1)", "Thm 5.1", "Thm D.9 (5.4), (19)", "Lemma D.7, (19)", "Thm 5.4", "Thm F.8", "Lemma F.10",
    "Lemma F.11", "Lemma F.11, proof", "Thm F.12, proof", "Thm D.9 (5.4), Cor. 5.5", "Thm D.9, (19)",
    "Ass. 3.2, Lemma B.6", "Lemma B.5", "(15)", "(5)", "(4)", "(5), ours", "Thm 4.1", "Ass. 3.3", "(14)", "Lemma C.12",
    "Lemma B.2", "Lemma C.5", "(24), Fig. 1", "Lemmas C.3, C.11", "Thm D.13", "(7)", "(21)", "Algorithm 1", "(10)",
    "Lemma C.3, Thm 4.1", "Lemma C.3", "Lemma C.2 (9)", "Thm C.22", "Lemma C.21", "Lemma C.20", "Lemma C.19",
    "Lemma C.15, Thm E.1", "Thm 4.1 (C.13)", "Thm 5.2 (C.23)", "Thm D.14", "Thm D.16", "Thm E.1", "App. E",
    "Corollary 5.3", "Corollary 5.5", "Corollary 5.6", "Sec. 5.2, App. D.3", "Thm 4.1, Cor. 5.3", "Remark 4.2",
    "Remark 4.2, Thm 4.1", "Thm 4.1, Sec. 5.1",
]  # fmt: skip


# --- Small tables ----------------------------------------------------------------------------------------------------


def exactly(rows: list[dict[str, Any]]) -> pd.DataFrame:
    plain = [row | {"mean": row.get("value", row.get("mean"))} for row in rows]
    return table_of(plain, trials=1, spread=NARROW, defaults={"variant": "main"})


def runs(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Means of 20 trials, whose standard errors are a tenth of them."""
    return table_of(rows, spread=NARROW, defaults={"variant": "main"})


def multipliers() -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for T in (100, 250):
        for eps in (1.0, 8.0):
            base = {"panel": "grid", "T": T, "r": 0.1, "eps": eps, "delta": 1e-3}
            for name, factor in (("F12x8", 8.0), ("F12x2", 2.0)):
                for lam in (0.0, 0.9):
                    kappa = closed_forms.correlated_multiplier(T, 0.1, lam, eps, 1e-3, factor)
                    rows.append({**base, "lam": lam, "accountant": name, "mean": kappa})
            kappa = closed_forms.independent_multiplier(T, 0.1, eps, 1e-3)
            rows.append({**base, "lam": 0.0, "accountant": "D9", "mean": kappa})
            rows.append({**base, "lam": 0.0, "accountant": "F8", "mean": 2.6, "delta_attained": 1e-3, "delta_se": 0.0})
    return exactly(rows)


def validity() -> pd.DataFrame:
    base = {"n": 10_000, "B": 10.0, "T": 1000, "r": 1e-3, "eps": 1.0, "delta": 1e-5, "kappa": 0.6}
    means = {"attained delta": 2e-5, "repaired": 9e-6, "eq. (19) at D.9's multiplier": 1.3, "target delta": 1e-5}
    return exactly([{**base, "series": series, "mean": mean} for series, mean in means.items()])


def counterexample(attained: float, se: float = math.nan) -> pd.DataFrame:
    base = {"T": 12, "r": 0.1, "lam": 0.0, "eps": 1.0, "kappa": 1.3, "delta_se": math.nan}
    other = {"series": "fixed size", "mean": attained, "delta_se": se}
    return exactly([{**base, "series": "F8 pair", "mean": 1e-3}, base | other])


def starts(**changed: float) -> pd.DataFrame:
    means = {
        "E_delta holds": 1.0, "largest |f_0|": 1.2, "largest gradient": 1.4, "G_sharp": 2.1, "largest Hessian": 3.0,
    }  # fmt: skip
    base = {"m": 64, "n": 200, "d": 4}
    return runs([{**base, "series": series, "mean": mean} for series, mean in (means | changed).items()])


def trained(risk: float, at: dict[str, Any]) -> pd.DataFrame:
    """A run whose comparator has the loss .01 at distance 1, and its bounds term by term, which sum to .5."""
    base = {**SIZE, **at, "panel": "all", "gamma": 0.12}
    rows = [{**base, "series": "empirical risk", "term": "measured", "mean": risk}]
    for kind in ("paper", "sharp"):
        for name, of_loss, of_start in (("C.11", 8.0, 3.0), ("D.13", 4.0, 1.5)):
            terms = {"8L*": 0.01 * of_loss, "init": of_start / (at["eta"] * SIZE["T"]), "total": 0.5}
            rows += [
                {**base, "series": "bound", "constants": kind, "bound": name, "term": term, "mean": mean}
                for term, mean in terms.items()
            ]  # fmt: skip
    return runs(rows).assign(se=1e-3)


def projected(at: dict[str, Any], shift: float = 5.0, share: float = 0.0) -> pd.DataFrame:
    moves = {"largest_move": 9.0, "largest_shift": shift, "Rbar": 10.0, "projected": share, "series": "empirical risk"}
    radii = {"inf": math.inf, "4": 60.0, "1": 15.0}
    return runs([
        {**SIZE, **at, **moves, "radius_factor": float(name), "radius": R, "mean": 0.4} for name, R in radii.items()
    ])  # fmt: skip


def compared(violations: float = 0.0) -> pd.DataFrame:
    base = {**SIZE, "m": 64, "gamma": 0.1}
    along = {"panel": "inequality", "comparator": "GD", "series": "violations", "mean": violations, "eta": 2.0}
    ntk = {"panel": "ntk", "series": "L_S(W_0 + tau u)"}
    return runs([
        {**base, **along, "condition": 0.4}, {**base, **along, "condition": 60.0, "kappa": 2.65},
        {**base, **ntk, "tau_gamma": 4.0, "condition": 30.0, "mean": 0.3},
        {**base, **ntk, "tau_gamma": 32.0, "condition": 2.0, "mean": 1e-13},
    ])  # fmt: skip


def coupled(at: dict[str, Any], distance: float = 0.1) -> pd.DataFrame:
    means = {"mean distance": distance, "bound": 1.0, "bound without e": 1.0 / math.e}
    found = runs([{**SIZE, **at, "t": 50, "series": series, "mean": mean} for series, mean in means.items()])
    return found.assign(se=0.01)


def risks(lams: tuple[float, ...] = (0.0, 0.5), population: float = 0.35, **changed: Any) -> pd.DataFrame:
    base = {**SIZE, "m": 64, "eta": 0.5, "clipped": 0.0, "panel": "all", **changed}
    means = {"population risk": population, "empirical risk": 0.3}
    return runs([{**base, "lam": lam, "series": name, "mean": mean} for lam in lams for name, mean in means.items()])


def cumulative(simulated: float) -> pd.DataFrame:
    base = {"panel": "noise", "noise": "fixed", "lam": 0.9, "t": 50}
    found = runs([{**base, "series": "simulated", "mean": simulated}, {**base, "series": "formula", "mean": 1.2}])
    return found.assign(se=0.01)


def rates_of(spec: dict[str, Any], name: str, module: Any) -> pd.DataFrame:
    about = spec["artefacts"][name]
    cell = next(iter(about["cells"].values()))
    part = {"trials": [0, 1], "cell": cell, "arms": about["arms"], "settings": spec["settings"], "artefact": name}
    return exactly(list(module.run(part)))


@pytest.fixture(scope="module")
def spec() -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(project, "_check_code", lambda *_: None)
        found = project.load({"scale": "paper", "seed": 7, "papers": ["wang2026"]}, ROOT)
    return json.loads(project.judging_json(found, "wang2026"))


@pytest.fixture(scope="module")
def evidence(spec: dict[str, Any]) -> Evidence:
    private = {"kappa": 3.0, "eps": 1.0, "accountant": "tail"}
    tradeoff = [
        {"lam": lam, "eps": 1.0, "accountant": "tail", "term": "total", "value": 1.0 - lam} for lam in (0.0, 0.5)
    ]
    tables = {
        "kappa_tables": multipliers(), "closed_form_validity": validity(), "fig01": cumulative(1.205),
        "sampling_counterexample": counterexample(0.02), "initialisation": starts(), "bound_vs_run": trained(0.4, WIDE),
        "projection": projected(WIDE), "comparator": compared(), "stability": coupled(WIDE),
        "kan_lambda": risks(panel="T = 100", **private), "fixed_kappa": risks(kappa=5.0),
        "private_rate_n": risks(**private), "batch": risks(), "rate_T": risks((math.nan,), B=200, gamma=0.1),
        "rate_n": risks((math.nan,), B=200, kappa=math.nan, gamma=0.1, panel=math.nan),
        "rate_minibatch": risks((math.nan,), gamma=0.1, precondition="T capped"), "width": risks(gamma=0.15),
        "table_rates": rates_of(spec, "table_rates", table_rates), "lambda_tradeoff": exactly(tradeoff),
        "admissible_width": rates_of(spec, "admissible_width", admissible_width),
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
    """Rows of these tables alone."""
    return bounds.evaluate(replace(evidence, tables=tables))


# --- The table -------------------------------------------------------------------------------------------------------


def test_each_row_stands_once_and_says_what_it_is(rows: list[Bound]) -> None:
    names = [(row.bound, row.setting) for row in rows]
    assert len(set(names)) == len(names) > 200
    for row in rows:
        assert row.note, row
        assert "nan" not in row.note + row.setting, row
        assert row.measured is None or math.isfinite(row.measured), row


@pytest.mark.parametrize("place", PLACES)
def test_every_place_is_there(rows: list[Bound], place: str) -> None:
    assert any(row.location == place for row in rows)


def test_orders_and_rows_without_measurement_are_open(rows: list[Bound]) -> None:
    orders = [row for row in rows if bound_rows.ORDER in row.note]
    assert len(orders) > 50
    assert all(row.holds is None for row in orders)
    assert all(row.holds is None for row in rows if row.measured is None)
    assert all(row.holds is None for row in rows if "not met" in row.note)


def test_bounds_on_risks_say_where_they_are_vacuous(rows: list[Bound]) -> None:
    found = [row for row in rows if " risk" in row.bound and row.location not in ("Lemma C.15, Thm E.1", "App. E")]
    found = [row for row in found if not row.bound.startswith("rate, ")]
    assert {row.value >= LOG2 for row in found} == {True, False}
    for row in found:
        assert (bound_rows.VACUOUS in row.note) == (row.value >= LOG2), row


def test_what_is_false_in_the_paper_fails_and_nothing_else(rows: list[Bound]) -> None:
    """The pair of F.8 for batches of fixed size, and D.9 in the regime of Corollary 5.5."""
    assert {row.bound for row in rows if row.holds is False} == {"delta of F.8's pair, fixed size", "delta of D9"}


def test_tables_that_are_not_there_are_no_error(evidence: Evidence, rows: list[Bound]) -> None:
    without = bounds.evaluate(replace(evidence, tables={}))
    for name, table in evidence.tables.items():
        assert len(without) < len(changed(evidence, **{name: table})) < len(rows), name
    empty = bounds.evaluate(replace(evidence, tables={name: table[:0] for name, table in evidence.tables.items()}))
    assert without == empty


def test_blank_columns_are_no_error(evidence: Evidence) -> None:
    kept = ("variant", "series", "panel", "mean", "se", "trials")
    blank = {name: table[[column for column in kept if column in table]] for name, table in evidence.tables.items()}
    assert all(row.holds is not False for row in changed(evidence, **blank))


def test_single_trials_leave_means_open(evidence: Evidence) -> None:
    single = {name: table.assign(trials=1, se=math.nan) for name, table in evidence.tables.items()}
    found = changed(evidence, **single)
    assert all(row.holds is None for row in found if bound_rows.CHANCE in row.note)
    assert any(row.holds for row in found)


# --- Privacy ---------------------------------------------------------------------------------------------------------


def test_theorem_f12_and_its_lemmas(rows: list[Bound]) -> None:
    """Conditions are met at T = 250 and epsilon 1 only: 25 >= 3 log 2000 = 22.8 > 10."""
    for name in ("delta of F12x8, zero-out", "delta of F12x8, replace-one", "delta of F12x2, zero-out"):
        verdicts = {("T=250" in row.setting and "eps=1," in row.setting): row.holds for row in named(rows, name)}
        assert verdicts == {True: True, False: None}
    (tail,) = named(rows, "P(more than tau participations)", "T=250")
    tau = 25.0 + math.sqrt(75.0 * math.log(2000.0))
    assert (tail.value, tail.holds) == (5e-4, True)
    assert tail.measured == pytest.approx(binom.sf(math.floor(tau), 250, 0.1))
    (spectral,) = named(rows, "|C|_2", "T=100", "lam=0.9")
    C = np.tril(0.9 ** np.abs(np.subtract.outer(np.arange(100.0), np.arange(100.0))))
    assert spectral.measured == pytest.approx(np.linalg.svd(C, compute_uv=False)[0])
    assert spectral.value == pytest.approx(C[-1].sum())
    (largest,) = named(rows, "sensitivity", "T=250", "lam=0.9")
    assert largest.value == pytest.approx((1.0 - 0.9**250) / 0.1 * math.sqrt(tau))
    (release,) = named(rows, "delta of the Gaussian release", "eps=1,")
    assert release.measured == pytest.approx(float(gaussian.delta(1.0 / math.sqrt(2.0 * math.log(2500.0)), 1.0)))
    assert [row.holds for row in named(rows, "delta of the Gaussian release", "eps=8,")] == [None]


def test_too_little_noise_fails(evidence: Evidence) -> None:
    table = multipliers()
    table["mean"] /= 4.0
    found = named(changed(evidence, kappa_tables=table), "delta of F12x2, zero-out", "T=250", "eps=1,")
    assert {row.holds for row in found} == {False}


@pytest.mark.parametrize(("attained", "se", "holds"), [
    (9e-4, math.nan, True), (1.1e-3, math.nan, False), (1.1e-3, 5e-5, True), (1.5e-3, 5e-5, False),
])  # fmt: skip
def test_fixed_size_against_the_pair(evidence: Evidence, attained: float, se: float, holds: bool) -> None:
    found = changed(evidence, sampling_counterexample=counterexample(attained, se))
    assert [row.holds for row in named(found, "delta of F.8's pair, fixed size")] == [holds]


def test_theorem_d9(rows: list[Bound], evidence: Evidence) -> None:
    assert [row.holds for row in named(rows, "delta of D9")] == [False]
    assert [row.holds for row in named(rows, "delta of D9, repaired")] == [True]
    assert {row.holds for row in named(rows, "epsilon of D9")} == {None}
    (step,) = named(rows, "Renyi divergence of a step", "T=100", "eps=8,")
    kappa_squared = 0.01 * 100.0 * (2.0 + 0.5 * math.log(1000.0))
    # D.9's order is 2.7, to which 3 is nearest.
    assert step.value == pytest.approx(8.0 * 3.0 * 0.01 / kappa_squared)
    fine = validity().assign(mean=1e-9)
    assert [row.holds for row in named(changed(evidence, closed_form_validity=fine), "delta of D9")] == [True]


# --- Start and noise -------------------------------------------------------------------------------------------------


def test_start_by_hand(rows: list[Bound]) -> None:
    """p = 8 and G = 5 cells: B_b = 2/3, B_b' = 5/3."""
    (gradient,) = named(rows, "max |grad f_0(x_i)|", "paper")
    assert gradient.value == pytest.approx(
        10.0 / 9.0 * 8.0 * (4.0 * math.sqrt(8.0) + 2.0 * math.sqrt(math.log(200.0) / 64.0))
    )
    assert (gradient.measured, gradient.holds) == (pytest.approx(1.4 * NARROW["q975"]), True)
    (output,) = named(rows, "max |f_0(x_i)|", "paper")
    assert output.value == pytest.approx(2.0 / 3.0 * math.sqrt(16.0 * math.log(40_000.0)))
    (event,) = named(rows, "P(E_delta)")
    assert (event.value, event.measured, event.holds) == (0.99, 1.0, True)
    assert {row.holds for name in ("|h|", "|h'|", "|h''|") for row in named(rows, name)} == {True}


@pytest.mark.parametrize(("series", "mean", "name"), [
    ("largest |f_0|", 60.0, "max |f_0(x_i)|"), ("largest gradient", 600.0, "max |grad f_0(x_i)|"),
    ("largest Hessian", 1e5, "max |Hess f_0(x_i)|"), ("largest gradient", 2.2, "max |grad f_0(x_i)|, G_sharp"),
])  # fmt: skip
def test_starts_beyond_their_bounds_fail(evidence: Evidence, series: str, mean: float, name: str) -> None:
    found = changed(evidence, initialisation=starts(**{series: mean}))
    assert {row.holds for row in named(found, name)} == {False}


def test_too_seldom_an_event_fails(evidence: Evidence) -> None:
    seldom = starts(**{"E_delta holds": 0.9}).assign(se=0.001)
    assert [row.holds for row in named(changed(evidence, initialisation=seldom), "P(E_delta)")] == [False]


def test_margin_direction_by_hand(rows: list[Bound], evidence: Evidence) -> None:
    near, far = (named(rows, "L_S(W_0 + tau u)", f"tau_gamma={reach}") for reach in (4, 32))
    q8 = math.sqrt(0.5) * math.sqrt(2.0 * math.log(40_000.0))
    assert far[0].value == pytest.approx(math.log1p(math.exp(-(32.0 - q8 - 1.0))))
    assert near[0].value == pytest.approx(math.log1p(math.exp(-(4.0 - q8 - 15.0))))
    assert near[0].holds is far[0].holds is True
    assert [row.holds for row in named(rows, "L_S(W_0 + tau u), 1/T")] == [None, True]
    table = compared()
    table.loc[table["tau_gamma"] == 32.0, ["mean", "se"]] = 0.2, 0.001
    bad = changed(evidence, comparator=table)
    assert [row.holds for row in named(bad, "L_S(W_0 + tau u)", "tau_gamma=32")] == [False]
    assert [row.holds for row in named(bad, "L_S(W_0 + tau u), 1/T", "tau_gamma=32")] == [False]


def test_normals(rows: list[Bound]) -> None:
    (found,) = named(rows, "P(max |Z_t| > z)", "bound_vs_run")
    assert (found.value, found.holds) == (pytest.approx(0.001), True)


def test_normals_at_a_small_size(evidence: Evidence) -> None:
    found = changed(evidence, bound_vs_run=trained(0.4, SMALL))
    D = 64 * 4 * 8
    (row,) = named(found, "P(max |Z_t| > z)", "bound_vs_run")
    z = math.sqrt(D) + math.sqrt(2.0 * math.log(200.0 / 0.002))
    assert row.measured == pytest.approx(100 * chi2.sf(z**2, D))


@pytest.mark.parametrize(("simulated", "holds"), [(1.23, True), (1.3, False), (1.1, False)])
def test_cumulative_noise(evidence: Evidence, simulated: float, holds: bool) -> None:
    found = changed(evidence, fig01=cumulative(simulated))
    assert [row.holds for row in named(found, "cumulative noise")] == [holds]


def test_batches_by_hand(rows: list[Bound]) -> None:
    (row,) = named(rows, "variance of a batch's mean")
    assert (row.value, row.measured) == (0.05, pytest.approx(180.0 / (20.0 * 199.0)))


# --- Runs ------------------------------------------------------------------------------------------------------------

EXPLICIT = ("averaged empirical risk, C.11", "averaged empirical risk, D.13")


@pytest.mark.parametrize("name", EXPLICIT)
@pytest.mark.parametrize(("risk", "at", "holds"), [
    (0.4, WIDE, True), (0.6, WIDE, False), (0.6, SMALL, None), (0.6, NARROW_ONLY, None), (0.6, FAST_ONLY, None),
])  # fmt: skip
def test_explicit_bounds(evidence: Evidence, name: str, risk: float, at: dict[str, Any], holds: bool | None) -> None:
    """Sums of .5; verdicts only where step and localisation are as they ask for."""
    found = named(changed(evidence, bound_vs_run=trained(risk, at)), name)
    assert len(found) == 2
    assert {row.holds for row in found} == {holds}


def test_the_margin_of_chance_is_that_of_both_means(evidence: Evidence) -> None:
    """Bound and risk have standard errors of .001."""
    for risk, holds in ((0.506, True), (0.509, False)):
        found = changed(evidence, bound_vs_run=trained(risk, WIDE))
        assert {row.holds for row in named(found, EXPLICIT[0])} == {holds}


def test_vacuous_bounds(evidence: Evidence) -> None:
    table = trained(0.4, WIDE)
    table.loc[table["term"] == "total", "mean"] = 0.7
    for row in named(changed(evidence, bound_vs_run=table), EXPLICIT[0]):
        assert bound_rows.VACUOUS in row.note


def test_localisation_by_hand(evidence: Evidence) -> None:
    """nu (2 R_*)^2 with the paper's nu, p = 8 and G = 5 cells: B_b'' = 12.5."""
    found = changed(evidence, bound_vs_run=trained(0.4, SMALL))
    (row,) = named(found, "localisation, D.13", "paper")
    nu = 4.0 / 9.0 * (4.0 / (3.0 * math.sqrt(3.0)) * 5.0 / 3.0 + 12.5) * 8.0**1.5 / 8.0
    nu *= 4.0 * math.sqrt(8.0) + 2.0 * math.sqrt(math.log(128.0 / 0.002))
    R = (math.log(100.0) + math.sqrt(math.log(200.0 / 0.01))) / 0.1
    assert (row.value, row.holds) == (0.5, None)
    assert row.measured == pytest.approx(4.0 * nu * R**2)


def test_localisation_at_the_comparator_of_the_terms(evidence: Evidence) -> None:
    """Without noise r is Rbar; with all batches Delta = 0 and Rbar^2 = 1 + 8/3 eta T .01."""
    full = trained(0.4, SMALL).assign(B=200)
    (row,) = named(changed(evidence, bound_vs_run=full), "localisation, C.11", "sharp")
    nu = 0.5 * (4.0 / (3.0 * math.sqrt(3.0)) * math.sqrt(13.0) / 1.6 + math.sqrt(6.0) / 0.16) / 8.0
    nu *= 4.0 * math.sqrt(8.0) + 2.0 * math.sqrt(math.log(128.0 / 0.002))
    assert row.measured == pytest.approx(nu * (1.0 + 8.0 / 3.0 * 0.5 * 100 * 0.01))


def test_projection(evidence: Evidence, rows: list[Bound]) -> None:
    """R_* of 60 is above 10 + 10, that of 15 is not."""
    assert [row.holds for row in named(rows, "active projections", "radius_factor=4")] == [True]
    assert [row.holds for row in named(rows, "active projections", "radius_factor=1")] == [None]
    assert [row.value for row in named(rows, "least radius")] == pytest.approx([20.0, 20.0])
    assert [row.holds for row in named(rows, "max |U_t - W*|", "radius_factor=inf")] == [True]
    assert {row.holds for row in named(rows, "|W_t - W_0|")} == {True}
    bad = changed(evidence, projection=projected(WIDE, shift=11.0, share=0.01))
    assert [row.holds for row in named(bad, "max |U_t - W*|", "radius_factor=inf")] == [False]
    assert [row.holds for row in named(bad, "max |U_t - W*|", "radius_factor=4")] == [None]
    assert [row.holds for row in named(bad, "active projections", "radius_factor=4")] == [False]
    outside = changed(evidence, projection=projected(SMALL, shift=11.0, share=0.01))
    for name in ("max |U_t - W*|", "active projections"):
        assert {row.holds for row in named(outside, name)} == {None}


def test_comparator_inequality(evidence: Evidence, rows: list[Bound]) -> None:
    name = "violations of the comparator inequality"
    assert [row.holds for row in named(rows, name)] == [True, None]
    found = changed(evidence, comparator=compared(violations=0.1))
    assert [row.holds for row in named(found, name)] == [False, None]


# --- Stability -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("distance", "at", "holds"), [(0.1, WIDE, True), (2.0, WIDE, False), (2.0, SMALL, None)])
def test_stability(evidence: Evidence, distance: float, at: dict[str, Any], holds: bool | None) -> None:
    found = changed(evidence, stability=coupled(at, distance))
    assert [row.holds for row in named(found, "mean |W - W^(i)|")] == [holds]
    (growth,) = named(found, "sum of M_t")
    (losses,) = named(found, "mean loss of the batches")
    # 2 eta G / n times the summed risks is 1/e.
    total = 200.0 / (2.0 * at["eta"] * 2.2) / math.e
    assert losses.measured == pytest.approx(total / 50.0)
    assert growth.measured is not None
    assert (growth.measured > 1.0) == (at is SMALL)


@pytest.mark.parametrize(("population", "holds"), [(0.3, True), (0.9, False)])
def test_generalisation(evidence: Evidence, population: float, holds: bool) -> None:
    """4 e eta G^2 / n times the summed empirical risks."""
    table = risks((math.nan,), population, B=200, panel=math.nan, gamma=0.1, **WIDE).assign(se=0.001)
    (row,) = named(changed(evidence, rate_n=table), "population minus empirical risk", "rate_n")
    G = math.sqrt(0.5) * math.sqrt(13.0) / 1.6 * 4.0 * math.sqrt(8.0)
    assert row.value == pytest.approx(4.0 * math.e * 1e-5 * G**2 / 200.0 * 30.0, rel=1e-4)
    assert row.measured == pytest.approx(population - 0.3)
    assert row.holds is holds


def test_clipped_runs_have_no_gap(evidence: Evidence) -> None:
    found = changed(evidence, fixed_kappa=risks(kappa=5.0, clipped=0.2))
    assert not [row for row in found if row.bound.startswith("population minus") and "fixed_kappa" in row.setting]


# --- Orders ----------------------------------------------------------------------------------------------------------


def test_rates_by_hand(rows: list[Bound]) -> None:
    """n = 200, T = 100, B = 20, eta = 1/2, gamma = .15 without noise; of the settings .1 with kappa = 3."""
    (row,) = named(rows, "empirical risk, A_non", "width", "lam=0,")
    by_hand = 1.0 / (0.15**2 * 50.0) + 1.0 / (0.15 * math.sqrt(2000.0)) + 0.5 / 20.0
    assert (row.value, row.measured, row.holds) == (pytest.approx(by_hand), 0.3, None)
    (row,) = named(rows, "population risk, (1 + eta T / n) A_non", "width", "lam=0,")
    assert row.value == pytest.approx(1.25 * by_hand)
    (row,) = named(rows, "empirical risk, A_corr", "kan_lambda", "lam=0.5")
    noise = 0.5 * 0.15 / 10.0 * (10.0 + 0.5 * 16.0 / math.sqrt(20.0)) + (0.25 + 0.125) * 0.5 * 0.15**2 * 256.0
    by_hand = 2.0 + 10.0 / math.sqrt(2000.0) + 0.5 * (0.05 + 0.01) + noise
    assert row.value == pytest.approx(by_hand)


def test_corollaries_by_hand(rows: list[Bound]) -> None:
    found = named(rows, "population risk, rate of Corollary 5.3", "private_rate_n", "lam=0.5")
    assert found[0].value == pytest.approx(10.0 / math.sqrt(200.0) + 2.0 * 1e4 / 200.0)
    found = named(rows, "population risk, rate of Corollary 5.5", "private_rate_n", "lam=0,")
    assert found[0].value == pytest.approx(10.0 / math.sqrt(200.0) + 2.0 * 1e3 / 200.0)
    (row,) = named(rows, "population risk, rate of App. E", "rate_n")
    assert row.value == pytest.approx(0.5)
    (row,) = named(rows, "empirical risk, rate of Corollary 5.6", "rate_minibatch")
    assert row.value == pytest.approx(1.0 / 200.0)
    assert "smaller than prescribed" in row.note
    (row,) = named(rows, "empirical risk of GD")
    assert row.value == pytest.approx(2.0)


def test_correlations_by_hand(rows: list[Bound]) -> None:
    (row,) = named(rows, "lambda, quadratic term")
    assert (row.value, row.holds) == (pytest.approx(1.0 / 1.5), None)
    (row,) = named(rows, "lambda, A_corr with calibrated noise")
    assert (row.value, row.measured) == (0.5, 0.0)
