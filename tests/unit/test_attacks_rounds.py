"""Attacks on methods of rounds: what they attain, and that they find what spends more than it says."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dpdescent.attacks import rounds
from dpdescent.baselines import boosted_ada_ssp, iterative_hessian_mixing, poisson_dp_sgd
from dpdescent.privacy.audit import attack
from dpdescent.privacy.audit.attack import SURE, Attack

DELTA = 1e-3


def low(found: Attack, runs: int = 3000) -> float:
    return attack.run(found, runs, np.random.default_rng(1)).epsilon_low(DELTA, SURE)


def test_the_attack_on_boosting_attains_what_its_shifts_say() -> None:
    found = rounds.boosted(3.0, 5)
    # Thirds of the budget: all of the eigenvalue's, a half of that of X'X, a quarter of the products'.
    assert found.mu == pytest.approx(math.sqrt(2.0 * 3.0 * 1.75 / 3.0))
    first, second = found.simulate(3000, np.random.default_rng(2))
    assert (second.mean() - first.mean()) / first.std() == pytest.approx(found.mu, rel=0.05)
    assert second.std() == pytest.approx(first.std(), rel=0.06)


@pytest.mark.parametrize(
    ("found", "most", "part"),
    [
        (lambda: rounds.sketched(6.0, DELTA, 3), 6.0, 0.2), (lambda: rounds.sampled(6.0, DELTA, 0.3, 8), 6.0, 0.2),
    ],
)  # fmt: skip
def test_attacks_stay_below_the_budget_and_find_a_part_of_it(found, most: float, part: float) -> None:
    assert part * most < low(found()) <= most


def test_the_attacks_find_noise_of_a_quarter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each method; nothing else of it changes, so that the release keeps saying what it cost before."""
    claims = {
        boosted_ada_ssp: lambda: rounds.boosted(0.4, 4), iterative_hessian_mixing: lambda: rounds.sketched(2.0, DELTA,
        3),
        poisson_dp_sgd: lambda: rounds.sampled(2.0, DELTA, 0.5, 8),
    }  # fmt: skip
    for module, made in claims.items():
        name = "release" if module is poisson_dp_sgd else "releases"
        getter = getattr(module.Settings, name).fget

        def quieter(settings, getter=getter):
            found = getter(settings)
            if isinstance(found, tuple):
                return tuple(replace(each, noise_sd=0.25 * each.noise_sd) for each in found)
            return replace(found, noise_sd=0.25 * found.noise_sd)

        assert low(made()) <= 2.5
        monkeypatch.setattr(module.Settings, name, property(quieter))
        assert low(made()) > 2.5
