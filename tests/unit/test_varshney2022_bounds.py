"""varshney2022's table of bounds: what may fail, and what is open, on committed tables and on edits of them."""

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import pytest

import committed as of
from dpdescent.algorithms import sgd_moments
from dpdescent.algorithms.sgd_arms import Fixed
from dpdescent.papers.varshney2022 import (
    attacks,
    batches,
    bounds,
    criteria,
    ill_conditioned,
    privacy,
    probabilities,
    proof_quantiles,
    sampling,
    single_pass_orders,
    tails,
)
from dpdescent.papers.varshney2022.setting import Design
from dpdescent.replication.judging import bound_rows
from dpdescent.replication.judging.evidence import Bound

committed = partial(of.committed, "varshney2022")


def evaluated(**tables: pd.DataFrame) -> list[Bound]:
    return bounds.evaluate(replace(committed(), tables=tables))


def named(rows: list[Bound], name: str, *words: str, location: str = "") -> list[Bound]:
    """Rows of that name whose setting has all of the words."""
    found = [row for row in rows if row.bound == name and location in row.location]
    found = [row for row in found if all(word in row.setting for word in words)]
    assert found, (name, words, location)
    return found


def test_each_row_stands_once_and_is_open_where_a_condition_is_not_met() -> None:
    rows = bounds.evaluate(committed())
    names = [(row.bound, row.location, row.setting) for row in rows]
    assert len(set(names)) == len(names) > 1000
    for row in rows:
        assert math.isfinite(row.value), row
        assert row.measured is None or math.isfinite(row.measured), row
        assert row.holds is None or "not met" not in row.note, row
        if row.bound.startswith("risk") and row.location in ("Lemma 3.5", "Lemma 3.11", "(5)"):
            assert (bound_rows.VACUOUS in row.note) == (row.value >= 0.5), row


@pytest.mark.parametrize("name", ["", "multiplier", "alg_stat", "ssgd", "bound_vs_run", "risk_vs_n", "moments"])
def test_a_table_that_is_not_there_or_empty_is_no_error(name: str) -> None:
    one = {name: committed().tables[name]} if name else {}
    found = evaluated(**one)
    assert (found == evaluated(**{each: table[:0] for each, table in one.items()})) == (not name)
    assert found


def test_no_row_holds_theorem_3_6_against_an_added_record() -> None:
    """Theorem 3.6 is about replacement; a row that fails there would accuse it of what it does not say."""
    rows = named(bounds.evaluate(committed()), "attained mu")
    assert {row.holds for row in rows} == {True}
    table = committed().tables["audit"]
    assert len(rows) == sum("added" not in name for name in table["mechanism"]) == len(table) - 4


def test_single_trials_leave_means_open() -> None:
    found = evaluated(**{name: table.assign(trials=1, se=math.nan) for name, table in committed().tables.items()})
    assert all(row.holds is None for row in found if bound_rows.CHANCE in row.note)
    assert any(row.holds for row in found)


def attained(share: float) -> Callable[[pd.DataFrame], pd.DataFrame]:
    return lambda table: table.assign(mean=share * table["accounted"], se=0.08 * table["accounted"])


def dearer(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(eps_tight=1.5 * table["eps_tight"])


def above(table: pd.DataFrame) -> pd.DataFrame:
    """Runs far off their law, and above their bound."""
    return table.assign(mean=10 * table["bound"], se=0.1 * table["bound"])


def clipped(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(clip_fraction=0.01)


def large_steps(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(eta=0.6 / (table["d"] + 2), expected=math.nan)


def as_it_is(table: pd.DataFrame) -> pd.DataFrame:
    return table


OF_RUNS = ("exact law, runs", "panel=")
CASES: list[tuple[str, Callable[[pd.DataFrame], pd.DataFrame], tuple[str, ...], str, bool | None]] = [
    ("multiplier", dearer, ("epsilon of DP-AMBSSGD", "Gaussian DP"), "", False),
    # Attacks exceed what is accounted by chance only.
    ("audit", attained(0.8), ("attained mu",), "", True),
    ("audit", attained(1.05), ("attained mu",), "", True),
    ("audit", attained(2.0), ("attained mu",), "", False),
    # Clipping opens what excludes it; the exact law does not clip, and Lemma A.9 is about clipping.
    ("ssgd", clipped, ("risk, runs", "panel="), "Lemma 3.5", None),
    ("ssgd", clipped, OF_RUNS, "", None),
    ("ssgd", clipped, ("risk, exact law",), "Lemma 3.5", True),
    ("ssgd", as_it_is, ("log10 P(a gradient is clipped)",), "Lemma A.9", False),
    ("ssgd", large_steps, ("risk of the start", "DP-SSGD: "), "(36)", None),
    ("bound_vs_run", above, ("risk, runs", "bound_vs_run, DP-SSGD"), "", False),
    ("bound_vs_run", above, ("exact law, runs", "bound_vs_run, DP-SSGD"), "", False),
    ("bound_vs_run", as_it_is, ("risk, runs", "kind=as run"), "Lemma 3.11", None),
    ("bound_vs_run", as_it_is, ("risk, runs", "kind=no clipping", "N=100000"), "Lemma 3.11", True),
    ("alg_stat", lambda table: table.assign(mean=0.9, se=0.001), ("P(#{|r| <= gamma} >= s - Gamma)",), "", False),
]  # fmt: skip


@functools.cache
def after(name: str, edit: Callable[[pd.DataFrame], pd.DataFrame]) -> list[Bound]:
    return evaluated(**{name: edit(committed().tables[name])})


@pytest.mark.parametrize(("name", "edit", "rows", "location", "holds"), CASES)
def test_what_decides_a_bound(name: str, edit: Any, rows: tuple[str, ...], location: str, holds: bool | None) -> None:
    found = after(name, edit)
    assert {row.holds for row in named(found, *rows, location=location)} == {holds}


@pytest.mark.parametrize(("value", "trivial"), [(0.499, False), (0.5, True)])
def test_the_trivial_risk_is_half_the_squared_norm(value: float, trivial: bool) -> None:
    problem = Design.of(4, 1.0, 1.0).problem(1000, 0.5)
    assert (bound_rows.VACUOUS in criteria.vacuous(problem, value)) is trivial


def test_many_dimensions_do_not_refute_lemma_a_9_by_the_first_gradient() -> None:
    table = committed().tables["ssgd"]
    table = table[table["panel"] == "Theorem 3.2"].assign(d=5000)
    found = list(probabilities.evaluate(replace(committed(), tables={"ssgd": table})))
    assert {row.holds for row in found} == {True}


# Smallest wrong worlds where H is not I: 6 % more noise, iterates that spread 1 % more, steps that contract like those
# of a fifth of eta, where the bounds have half of the exact rate.


def noisier(exact: Callable[..., Any]) -> Callable[..., Any]:
    return lambda lam, w, eta, b, sigma, noise, *rest: exact(lam, w, eta, b, 1.03 * sigma, 1.06 * noise, *rest)


def slower(exact: Callable[..., Any]) -> Callable[..., Any]:
    return lambda lam, w, eta, *rest: exact(lam, w, eta / 5, *rest)


OTHER_LAWS: dict[str, tuple[Any, str, Callable[[Any], Any], tuple[str, ...]]] = {
    "more noise": (
        ill_conditioned, "tail_risk", noisier, ("risk of the noise", "risk of the tail from w*", "risk, exact law"),
    ),
    "wider iterates": (batches, "inverse_of_step", lambda exact: lambda *law: 1.01 * exact(*law), ("Tr C_inf",)),
    "slower steps": (
        ill_conditioned, "tail_risk", slower, ("risk of the start",),
    ),
    "slower products": (
        ill_conditioned, "second_moments", slower, ("|B ... B z|^2 / |z|^2, 1000 steps",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("world", OTHER_LAWS)
def test_bounds_where_h_is_not_i_fail_under_another_law(world: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, change, refuted = OTHER_LAWS[world]
    true = list(ill_conditioned.evaluate(committed()))
    assert {row.holds for row in true} == {True}
    monkeypatch.setattr(module, name, change(getattr(module, name)))
    found = list(ill_conditioned.evaluate(committed()))
    for bound in refuted:
        assert False in {row.holds for row in named(found, f"{bound}, H other than I")}, bound


@pytest.mark.parametrize("factor", [2.01, 8.0])
def test_sampling_terms_above_their_constants_are_refused(factor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """DP-SSGD's is half of 2 sigma^2 d/N, DP-AMBSSGD's more than an eighth of 8 sigma^2 d/N."""
    assert {row.holds for row in sampling.evaluate(committed())} == {True}
    single, mini_batches = single_pass_orders.tail_risk, sgd_moments.tail_risk
    monkeypatch.setattr(single_pass_orders, "tail_risk", lambda *law, **noise: factor * single(*law, **noise))
    monkeypatch.setattr(sgd_moments, "tail_risk", lambda *law: factor * mini_batches(*law))
    found = list(sampling.evaluate(committed()))
    assert {row.holds for row in named(found, "sampling term", location="(6)")} == {False}
    assert {row.holds for row in named(found, "sampling term", location="Thm 1.1")} == {factor < 7.0}


def test_tails_of_other_laws_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Smallest wrong worlds: Laplace's law with a sd of 1.5, normal records with 1.5 times the variance."""
    assert {row.holds for row in tails.evaluate(committed())} == {True}
    exact = tails.squared_norm_above
    monkeypatch.setattr(tails, "LAPLACE_RATE", tails.LAPLACE_RATE / 1.5)
    monkeypatch.setattr(tails, "squared_norm_above", lambda lam, level: exact(lam, level / 1.5))
    # Of (16) the room is larger, because steps may be twice as long: seven times the variance.
    steps = tails.normal_above
    monkeypatch.setattr(tails, "normal_above", lambda level, d: steps(level / 7.0, d))
    found = list(tails.evaluate(committed()))
    for name, place in (
        ("P(|x|^2 > d log^2(1/beta)), Laplace", "d=1"),
        ("P(<x, v>^2 > K2^2 |H| log^2(1/beta)), Laplace", "v along a coordinate"),
        ("P(|x|^2 > Hanson-Wright)", "t=30"),
        ("P(|B_j| > 1)", "d=1,"),
    ):
        assert {row.holds for row in named(found, name, place)} == {False}, name


def test_an_epsilon_that_is_not_the_least_of_all_orders_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Smallest wrong world: the order is 1.1 times as far from 1 as in the proof."""
    exact = privacy.zcdp.epsilon

    def at_another_order(rho: float, delta: float) -> float:
        excess = 1.1 * math.sqrt(-math.log(delta) / rho)
        return rho * (1.0 + excess) - math.log(delta) / excess

    for epsilon, holds in ((exact, True), (at_another_order, False)):
        monkeypatch.setattr(privacy.zcdp, "epsilon", epsilon)
        rows = named(list(privacy.evaluate(committed())), "epsilon of rho, least of all orders")
        assert {row.holds for row in rows} == {holds}


def test_an_update_that_is_not_clipped_moves_too_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """Smallest wrong world: thresholds are a hundredth larger than the noise knows."""
    for factor, holds in ((1.0, True), (1.01, False)):
        monkeypatch.setattr(attacks, "Fixed", lambda threshold, factor=factor: Fixed(factor * threshold))
        rows = named(list(attacks.evaluate(committed())), "|w' - w| of DP-SSGD's update")
        assert {row.holds for row in rows} == {holds}


def test_quantiles_above_the_constants_of_the_proof_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The constants are hundreds, so that no smaller world is refused everywhere."""
    names = ("Tr Q, quantile", "|g + B g + ...|, quantile", "Tr V'V, quantile", "|w_T - w*|, quantile")
    monkeypatch.setattr(proof_quantiles, "STEPS", 100)
    drawn = proof_quantiles.upper_quantile
    for factor, holds in ((1.0, True), (1e6, False)):
        monkeypatch.setattr(proof_quantiles, "upper_quantile", lambda values, beta, by=factor: by * drawn(values, beta))
        found = list(proof_quantiles.evaluate(committed()))
        assert {row.holds for name in names for row in named(found, name)} == {holds}
