"""The contest between methods: what they may know, what they spend, and data sets in public units."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpdescent.data.linear import LinearSample
from dpdescent.papers.ours import contest, decision, methods
from dpdescent.papers.ours.contest_design import LAWS, Public, draw
from dpdescent.papers.ours.methods_single_pass import OneByOne, Stream
from dpdescent.privacy.account import account
from dpdescent.replication.configuration import project

ROOT = Path(__file__).resolve().parents[2]
ARTEFACT = project.load({"scale": "paper", "seed": 3, "papers": ["ours"]}, ROOT).papers["ours"].artefacts["win_map"]
BASE = next(iter(ARTEFACT.parts)).spec
RULE = BASE["arms"]["rule"]
SMALL = {"eta": [0.5], "k": [1.0, 2.0], "steps": [5]}


def spec(**cell: Any) -> dict[str, Any]:
    return {**BASE, "cell": cell, "trials": [0, 2]}


@pytest.mark.parametrize("name", sorted(set(methods.FIELD) - {methods.ZERO, methods.OLS}))
@pytest.mark.parametrize(("n", "p", "eps"), [(1000, 3, 0.2), (5000, 10, 1.0), (1000, 1, 4.0)])
def test_every_method_spends_the_budget_and_no_more(name: str, n: int, p: int, eps: float) -> None:
    event = methods.FIELD[name].mechanism(Public(n, p, eps, 1e-6, RULE))
    assert event is not None
    assert event.guarantee == "proved"
    assert event.relation == "replace-one"
    spent = account(event, 1e-6).epsilon
    assert spent <= eps * (1.0 + 1e-6)
    # As published, a multiplier is larger than it needs to be.
    assert name == methods.PUBLISHED or spent >= 0.999 * eps


@pytest.mark.parametrize("law", LAWS)
def test_records_are_in_public_units_whatever_their_law(law: str) -> None:
    drawn = draw(spec(n=40_000, law=law), 0)
    assert np.var(drawn.sample.X, axis=0).sum() == pytest.approx(10.0, rel=0.2 if law == "heavy covariates" else 0.05)
    assert np.var(drawn.sample.y) == pytest.approx(1.0, rel=0.1) or law in (
        "outliers",
        "heavy errors",
        "heavy covariates",
    )
    assert drawn.excess(np.zeros(10)) == pytest.approx(0.75, rel=1e-12)
    assert drawn.excess(drawn.theta) == 0.0


def test_all_methods_of_a_trial_see_the_same_records() -> None:
    first, second, other = (draw(spec(n=50, eps=eps), trial) for eps, trial in ((0.2, 1), (4.0, 1), (0.2, 2)))
    assert np.array_equal(first.sample.X, second.sample.X)
    assert not np.array_equal(first.sample.X, other.sample.X)


def test_another_law_is_refused() -> None:
    with pytest.raises(ValueError, match="law='cauchy' must be one of normal"):
        draw(spec(law="cauchy"), 0)


def test_the_threshold_is_as_large_as_noise_allows() -> None:
    few, some, many = (Public(n, 10, 1.0, 1e-6, RULE) for n in (1000, 10_000, 100_000))
    gammas = [each.gamma(each.rho) / 10**0.5 for each in (few, some, many)]
    assert gammas[0] == 1.0
    assert 1.0 < gammas[1] < gammas[2] == 5.0


def test_one_record_a_step_is_slowed_down_where_noise_is_large() -> None:
    steps = [OneByOne().arm(Public(n, 10, eps, 1e-6, RULE)).eta * n for n, eps in ((500, 0.2), (20_000, 4.0))]
    assert steps[0] < steps[1]


def test_one_pass_does_not_depend_on_how_a_table_is_sorted() -> None:
    """By its outcomes: in file order the excess risk would be hundreds of times as large."""
    made = spec(n=4000, p=3, eps=50.0, kappa=1)
    public, drawn = Public.of(made), draw(made, 0)
    order = np.argsort(drawn.sample.y)
    ordered = LinearSample(drawn.sample.X[order], drawn.sample.y[order])
    risks = [
        np.median([drawn.excess(Stream().fit(each, public, np.random.default_rng(k))) for k in range(12)])
        for each in (drawn.sample, ordered)
    ]
    assert risks[1] == pytest.approx(risks[0], rel=0.5)


def test_the_oracle_needs_its_data_sets_in_one_part() -> None:
    with pytest.raises(ValueError, match="trials from 3 on, few_trials=6"):
        list(contest.run_win_map({**spec(n=100), "trials": [3, 6]}))


def test_what_takes_longest_runs_on_the_first_data_sets_only() -> None:
    made = {**spec(n=200), "trials": [0, 3], "arms": {**BASE["arms"], "few_trials": 1, "grid": SMALL}}
    rows = list(contest.run_win_map(made))
    counts = {name: sum(row["series"] == name for row in rows) for name in (*methods.FIELD, methods.TUNED)}
    assert {name for name, count in counts.items() if count == 1} == {*methods.SLOW, methods.TUNED}
    assert set(counts.values()) == {1, 3}
    assert len(list(methods.mechanisms(Public.of(made), made["arms"]))) == 21 + 1


@pytest.mark.parametrize(
    ("n", "p", "eps", "told"),
    [
        (1000, 40, 0.2, methods.ZERO), (1000, 10, 0.2, methods.RULE), (500, 10, 1.0, methods.SCHEDULED),
        (1000, 10, 1.0, methods.REGRESSION), (10_000, 10, 1.0, methods.REGRESSION),
    ],
)  # fmt: skip
def test_the_advice_asks_one_question(n: int, p: int, eps: float, told: str) -> None:
    assert decision.advice(n, p, eps, 1e-6) == told
