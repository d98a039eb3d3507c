"""wang2026's bounds on the committed tables: values by hand, what would violate a row, and tables that lack much."""

import functools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, chi2

from dpdescent.papers.wang2026 import bounds
from dpdescent.privacy.participation import gaussian
from dpdescent.replication.judging import bound_rows
from dpdescent.replication.judging.evidence import Bound
from edits import Edit, Tables, many
from wang2026_world import change, committed, put


@functools.cache
def rows() -> list[Bound]:
    return bounds.evaluate(committed())


def named(name: str, *words: str, found: list[Bound] | None = None) -> list[Bound]:
    """Rows of that name whose setting has all of the words."""
    kept = [row for row in found or rows() if row.bound == name and all(word in row.setting for word in words)]
    assert kept, (name, words)
    return kept


def judged(tables: Tables) -> list[Bound]:
    return bounds.evaluate(replace(committed(), tables=tables))


def edited(*edits: Edit, only: str) -> list[Bound]:
    """Rows of one table with edits."""
    made = {only: committed().tables[only].copy()}
    many(*edits)(made)
    return judged(made)


def test_each_row_stands_once_and_says_what_it_is() -> None:
    assert len({(row.bound, row.setting) for row in rows()}) == len(rows()) > 400
    assert not [row for row in rows() if "nan" in row.note + row.setting or not row.note]


VIOLATIONS: list[tuple[str, str, Edit]] = [
    ("kappa_tables", "delta of F12x2, zero-out", change("kappa_tables", 0.25)),
    ("kappa_tables", "delta of F12x8, zero-out", change("kappa_tables", 0.1)),
    ("closed_form_validity", "delta of D9, repaired", put("closed_form_validity", 0.5, series="repaired")),
    ("initialisation", "P(E_delta)", many(put("initialisation", 0.9, series="E_delta holds"),
                                          put("initialisation", 1e-3, "se", series="E_delta holds"))),
    ("initialisation", "max |f_0(x_i)|", put("initialisation", 60.0, series="largest |f_0|")),
    ("initialisation", "max |grad f_0(x_i)|", put("initialisation", 600.0, series="largest gradient")),
    ("initialisation", "max |grad f_0(x_i)|, G_sharp", put("initialisation", 2.3, series="largest gradient")),
    ("initialisation", "max |Hess f_0(x_i)|", put("initialisation", 1e5, series="largest Hessian")),
    ("comparator", "margin gamma, from above", put("comparator", 1.1, "gamma")),
    ("comparator", "margin gamma, from below", put("comparator", -0.1, "gamma")),
    ("comparator", "L_S(W_0 + tau u)", put("comparator", 100.0, panel="ntk")),
    ("fig01", "cumulative noise", change("fig01", 1.2, series="simulated", panel="noise")),
    ("fig01", "cumulative noise", change("fig01", 0.8, series="simulated", panel="noise")),
]  # fmt: skip


@pytest.mark.parametrize(("artefact", "name", "edit"), VIOLATIONS)
def test_a_violated_bound_does_not_hold(artefact: str, name: str, edit: Edit) -> None:
    assert any(row.holds is False for row in named(name, found=edited(edit, only=artefact)))


@pytest.mark.parametrize(
    ("over", "se", "holds"), [(0.9, 0.0, True), (1.1, 0.0, False), (1.1, 0.05, True), (1.5, 0.05, False)]
)
def test_fixed_size_against_the_pair(over: float, se: float, holds: bool) -> None:
    """An attack counts beyond its Monte-Carlo error only."""
    table = committed().tables["sampling_counterexample"].query("panel == 'composed' and T == 12")
    pair = float(table[table["series"] == "F8 pair"]["mean"].iloc[0])
    fixed = put("sampling_counterexample", over * pair, series="fixed size", T=12, panel="composed")
    error = put("sampling_counterexample", se * pair, "delta_se", series="fixed size", T=12, panel="composed")
    found = edited(fixed, error, only="sampling_counterexample")
    (row,) = named("delta of F.8's pair, fixed size", "T=12, r=0.1, lam=0, eps=1, kappa=1.33", found=found)
    assert row.holds is holds


def test_theorem_d9_fails_in_the_regime_of_corollary_5_5_and_not_with_more_noise() -> None:
    assert {row.holds for row in named("delta of D9")} == {False}
    for n in ("1000", "1000000"):
        assert len([row for row in named("delta of D9", f"n={n},") if "share" not in row.setting]) == 1
    assert {row.holds for row in named("delta of D9, repaired")} == {True}
    fine = edited(put("closed_form_validity", 1e-9), only="closed_form_validity")
    # A lower bound below the target says nothing.
    assert not [row for row in fine if row.bound == "delta of D9"]


# Values by hand


def test_theorem_f12_and_its_lemmas() -> None:
    """Conditions are met at r T = 50 and epsilon up to 1: 50 >= 3 log 2000 = 22.8 > 20."""
    for name in ("delta of F12x8, zero-out", "delta of F12x2, zero-out"):
        assert {row.holds for row in named(name, "T=100, r=0.5", "eps=0.5")} == {True}
        assert {row.holds for row in named(name, "T=200, r=0.1", "eps=0.5")} == {None}
        assert {row.holds for row in named(name, "T=100, r=0.5", "eps=8")} == {None}
    (tail,) = named("P(more than tau participations)", "T=100, r=0.5")
    tau = 50.0 + math.sqrt(150.0 * math.log(2000.0))
    assert (tail.value, tail.holds) == (5e-4, True)
    assert tail.measured == pytest.approx(binom.sf(math.floor(tau), 100, 0.5))
    (spectral,) = named("|C|_2", "T=100, r=0.5", "lam=0.99")
    C = np.tril(0.99 ** np.abs(np.subtract.outer(np.arange(100.0), np.arange(100.0))))
    assert spectral.measured == pytest.approx(np.linalg.svd(C, compute_uv=False)[0])
    assert spectral.value == pytest.approx(C[-1].sum())
    (largest,) = named("sensitivity", "T=100, r=0.5", "lam=0.99")
    assert largest.value == pytest.approx((1.0 - 0.99**100) / 0.01 * math.sqrt(tau))
    (release,) = named("delta of the Gaussian release", "eps=0.5")
    assert release.measured == pytest.approx(float(gaussian.delta(0.5 / math.sqrt(2.0 * math.log(2500.0)), 0.5)))
    assert [row.holds for row in named("delta of the Gaussian release", "eps=8")] == [None]


def test_start_by_hand() -> None:
    """p = 8 and G = 5 cells: B_b = 2/3, B_b' = 5/3."""
    (gradient,) = named("max |grad f_0(x_i)|", "m=64,", "paper")
    assert gradient.value == pytest.approx(
        10.0 / 9.0 * 8.0 * (4.0 * math.sqrt(8.0) + 2.0 * math.sqrt(math.log(200.0) / 64.0))
    )
    (output,) = named("max |f_0(x_i)|", "m=64,", "paper")
    assert output.value == pytest.approx(2.0 / 3.0 * math.sqrt(16.0 * math.log(40_000.0)))
    assert named("P(E_delta)")[0].value == 0.99
    q8 = math.sqrt(0.5) * math.sqrt(2.0 * math.log(40_000.0))
    (near,) = named("L_S(W_0 + tau u)", "m=64,", "tau_gamma=0.5")
    condition = committed().tables["comparator"].query("panel == 'ntk' and m == 64 and tau_gamma == 0.5")["condition"]
    assert near.value == pytest.approx(math.log1p(math.exp(-(0.5 - q8 - 0.5 * float(condition.iloc[0])))))


def test_normals() -> None:
    (row,) = named("P(max |Z_t| > z)", "bound_vs_run: T=2000, m=64,")
    D = 64 * 4 * 8
    z = math.sqrt(D) + math.sqrt(2.0 * math.log(4000.0 / 0.002))
    assert (row.value, row.holds) == (pytest.approx(0.001), True)
    assert row.measured == pytest.approx(-math.expm1(1999 * math.log1p(-chi2.sf(z**2, D))))


# Tables that lack much


def test_tables_that_are_not_there_are_no_error() -> None:
    without = judged({})
    for name, table in committed().tables.items():
        assert len(without) <= len(judged({name: table})) < len(rows()), name
    assert without == judged({name: table[:0] for name, table in committed().tables.items()})
    kept = ("variant", "series", "panel", "mean", "se", "trials")
    blank = {name: table[[each for each in kept if each in table]] for name, table in committed().tables.items()}
    assert all(row.holds is not False for row in judged(blank))


def test_single_trials_leave_means_open() -> None:
    single = {name: table.assign(trials=1, se=math.nan) for name, table in committed().tables.items()}
    found = judged(single)
    assert all(row.holds is None for row in found if bound_rows.CHANCE in row.note)
    assert any(row.holds for row in found)
