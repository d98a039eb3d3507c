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
from dpdescent.privacy.participation import closed_forms, gaussian
from dpdescent.replication.configuration import project
from dpdescent.replication.judging import bound_rows
from dpdescent.replication.judging.evidence import Bound, Evidence
from made_up import NARROW, table_of

ROOT = Path(__file__).parents[2]
# A width at which exact chances are 0.
WIDE = 10**26
SIZE = {"n": 200, "T": 100, "B": 20, "d": 4, "kappa": 0.0, "lam": 0.0, "C_clip": 2.2}
PLACES = [
    "Thm F.12 (5.1)", "Thm F.8", "Lemma F.10", "Lemma F.11", "Lemma F.11, proof", "Thm F.12, proof",
    "Thm D.9 (5.4), Cor. 5.5", "Thm D.9, (19)", "Ass. 3.2, Lemma B.6", "Lemma B.5", "(15)", "(5)", "(4)", "(5), ours",
    "Ass. 3.3", "(14)", "Lemma C.5", "(24), Fig. 1",
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


def trained(m: int) -> pd.DataFrame:
    return runs([{**SIZE, "m": m, "panel": "all", "gamma": 0.12, "eta": 0.01, "mean": 0.4}])


def compared() -> pd.DataFrame:
    base = {**SIZE, "m": 64, "gamma": 0.1, "panel": "ntk", "series": "L_S(W_0 + tau u)"}
    near = {"tau_gamma": 4.0, "condition": 30.0, "mean": 0.3}
    return runs([{**base, **near}, {**base, "tau_gamma": 32.0, "condition": 2.0, "mean": 1e-13}])


def cumulative(simulated: float) -> pd.DataFrame:
    base = {"panel": "noise", "noise": "fixed", "lam": 0.9, "t": 50}
    found = runs([{**base, "series": "simulated", "mean": simulated}, {**base, "series": "formula", "mean": 1.2}])
    return found.assign(se=0.01)


@pytest.fixture(scope="module")
def spec() -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(project, "_check_code", lambda *_: None)
        found = project.load({"scale": "paper", "seed": 7, "papers": ["wang2026"]}, ROOT)
    return json.loads(project.judging_json(found, "wang2026"))


@pytest.fixture(scope="module")
def evidence(spec: dict[str, Any]) -> Evidence:
    tables = {
        "kappa_tables": multipliers(), "closed_form_validity": validity(), "fig01": cumulative(1.205),
        "sampling_counterexample": counterexample(0.02), "initialisation": starts(), "bound_vs_run": trained(WIDE),
        "comparator": compared(),
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
    assert len(set(names)) == len(names) > 50
    for row in rows:
        assert row.note, row
        assert "nan" not in row.note + row.setting, row
        assert row.measured is None or math.isfinite(row.measured), row


@pytest.mark.parametrize("place", PLACES)
def test_every_place_is_there(rows: list[Bound], place: str) -> None:
    assert any(row.location == place for row in rows)


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
    table = compared()
    table.loc[table["tau_gamma"] == 32.0, ["mean", "se"]] = 0.2, 0.001
    bad = changed(evidence, comparator=table)
    assert [row.holds for row in named(bad, "L_S(W_0 + tau u)", "tau_gamma=32")] == [False]


def test_normals(rows: list[Bound]) -> None:
    (found,) = named(rows, "P(max |Z_t| > z)", "bound_vs_run")
    assert (found.value, found.holds) == (pytest.approx(0.001), True)


def test_normals_at_a_small_size(evidence: Evidence) -> None:
    found = changed(evidence, bound_vs_run=trained(64))
    D = 64 * 4 * 8
    (row,) = named(found, "P(max |Z_t| > z)", "bound_vs_run")
    z = math.sqrt(D) + math.sqrt(2.0 * math.log(200.0 / 0.002))
    assert row.measured == pytest.approx(100 * chi2.sf(z**2, D))


@pytest.mark.parametrize(("simulated", "holds"), [(1.23, True), (1.3, False), (1.1, False)])
def test_cumulative_noise(evidence: Evidence, simulated: float, holds: bool) -> None:
    found = changed(evidence, fig01=cumulative(simulated))
    assert [row.holds for row in named(found, "cumulative noise")] == [holds]


# --- Orders ----------------------------------------------------------------------------------------------------------
