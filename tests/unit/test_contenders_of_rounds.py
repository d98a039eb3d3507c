"""Contenders of rounds: what they spend, where they cut residuals, and that they beat the estimate 0."""

from pathlib import Path

import numpy as np
import pytest

from dpdescent.papers.ours import methods
from dpdescent.papers.ours.contest_design import Public, draw
from dpdescent.papers.ours.methods_baselines import cut_bounds
from dpdescent.privacy.account import account
from dpdescent.replication.configuration import project

ROOT = Path(__file__).resolve().parents[2]
SPEC = next(
    iter(
        project.load({"scale": "paper", "seed": 3, "papers": ["ours"]}, ROOT).papers["ours"].artefacts["win_map"].parts
    )
).spec
RULE = SPEC["arms"]["rule"]
CONTENDERS = [methods.FIELD[name] for name in (methods.BOOSTED, methods.MIXING, methods.POISSON)]


@pytest.mark.parametrize("contender", CONTENDERS)
@pytest.mark.parametrize(("n", "p", "eps"), [(1000, 3, 0.2), (5000, 10, 1.0), (1000, 1, 4.0), (1000, 40, 0.2)])
def test_the_budget_is_spent_and_no_more(contender, n: int, p: int, eps: float) -> None:
    event = contender.mechanism(Public(n, p, eps, 1e-6, RULE))
    assert (event.guarantee, event.relation) == ("proved", "replace-one")
    assert 0.999 * eps <= account(event, 1e-6).epsilon <= eps * (1.0 + 1e-6)


def test_residuals_are_cut_where_gradients_would_be_but_within_outcomes() -> None:
    few, many = (Public(n, 10, 1.0, 1e-6, RULE) for n in (1000, 100_000))
    assert cut_bounds(few, 0.5).y == few.gamma(0.5 * few.rho) / 10**0.5 == 1.0
    assert cut_bounds(many, 0.5).y == many.outcome_bound < many.gamma(0.5 * many.rho) / 10**0.5
    assert cut_bounds(few, 0.5).x == few.input_bound


@pytest.mark.parametrize("contender", CONTENDERS)
def test_a_fit_explains_most_of_an_outcome(contender) -> None:
    """Of .75 that covariates explain, with the noise of the budget."""
    made = {**SPEC, "cell": {"n": 10_000}, "trials": [0, 1]}
    public, drawn = Public.of(made), draw(made, 0)
    for k in range(3):
        assert drawn.excess(contender.fit(drawn.sample, public, np.random.default_rng(k))) < 0.02
    first, second = (contender.fit(drawn.sample, public, np.random.default_rng(5)) for _ in range(2))
    np.testing.assert_array_equal(first, second)
