"""Four accountants of the same releases, in the order in which they must be: exact <= PLD <= RDP <= zCDP.

dp-accounting's are asked by themselves, not through our modules. PLD rounds privacy losses up on a grid, so that its
epsilon may not fall below the exact one: without any tolerance.
"""

import math
from functools import cache

import pytest
from dp_accounting import GaussianDpEvent, NeighboringRelation, PoissonSampledDpEvent, SelfComposedDpEvent
from dp_accounting.pld import PLDAccountant
from dp_accounting.rdp import RdpAccountant

from dpdescent.privacy import accounting, sampling, zcdp
from dpdescent.privacy.audit import bounds

ADD_REMOVE, REPLACE_ONE = NeighboringRelation.ADD_OR_REMOVE_ONE, NeighboringRelation.REPLACE_ONE
ZERO_OUT = NeighboringRelation.REPLACE_SPECIAL

MUS, COUNTS, DELTAS = (0.05, 0.142, 0.268, 0.925, 2.0), (1, 7, 300), (1e-8, 1e-5, 1e-2)

# Orders up to which RDP's list has all integers; 128 is the next.
FINE = 64

# Step of PLD's grid.
STEP = 5e-4


@cache
def distributions(multiplier, count, relation=ADD_REMOVE, rate=1.0):
    """PLD's accountant, which answers for all deltas."""
    accountant = PLDAccountant(relation, value_discretization_interval=STEP)
    return accountant.compose(SelfComposedDpEvent(event(multiplier, rate), count))


@cache
def divergences(multiplier, count, relation=ADD_REMOVE, rate=1.0):
    """RDP's accountant, the same."""
    accountant = RdpAccountant(neighboring_relation=relation)
    return accountant.compose(SelfComposedDpEvent(event(multiplier, rate), count))


def event(multiplier, rate):
    return GaussianDpEvent(multiplier) if rate == 1.0 else PoissonSampledDpEvent(rate, GaussianDpEvent(multiplier))


def costs(mu, count):
    """Noise over sensitivity of each of `count` releases that together have this mu, and our rho of them."""
    multiplier = math.sqrt(count) / mu
    # Sensitivity 3, for what matters is the ratio.
    return multiplier, zcdp.gaussian_rho(3.0, 3.0 * multiplier, count)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("mu", MUS)
@pytest.mark.parametrize("relation", [ADD_REMOVE, ZERO_OUT])
def test_exact_then_distributions_then_divergences_then_zcdp(relation, mu, count, delta):
    multiplier, rho = costs(mu, count)
    exact = accounting.tight_epsilon(rho, delta)
    pld = distributions(multiplier, count, relation).get_epsilon(delta)
    rdp = divergences(multiplier, count, relation).get_epsilon(delta)
    assert exact <= pld
    assert pld < rdp < zcdp.epsilon(rho, delta)
    # PLD is tight: the grid costs it next to nothing.
    assert pld <= exact + STEP
    # With all orders instead of a list of them, the divergences of a Gaussian are what zCDP bounds.
    assert exact < zcdp.renyi_epsilon(rho, delta) <= rdp * (1 + 1e-12)
    if 1 + math.sqrt(-math.log(delta) / rho) < FINE:
        assert zcdp.renyi_epsilon(rho, delta) == pytest.approx(rdp, rel=0.01)
    # The audit converts by the same formula.
    assert bounds.epsilon_of_mu(mu, delta) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("mu", MUS)
def test_replacement_in_dp_accounting(mu, delta):
    """Why `privacy.accounting` hands over ratios to our own sensitivity: 0.6.0 reads noise multipliers in two ways.

    PLD takes them as of the sensitivity to adding a record, half of what a replacement moves; RDP as they are.
    """
    multiplier, rho = costs(mu, 1)
    pld = distributions(multiplier, 1, REPLACE_ONE).get_epsilon(delta)
    doubled = accounting.tight_epsilon(4 * rho, delta)
    assert doubled <= pld <= doubled + 2 * STEP
    unmoved = divergences(multiplier, 1, REPLACE_ONE).get_epsilon(delta)
    assert unmoved == divergences(multiplier, 1).get_epsilon(delta) < pld
    # Handed what either means by it, the order holds.
    own = distributions(2 * multiplier, 1, REPLACE_ONE).get_epsilon(delta)
    assert accounting.tight_epsilon(rho, delta) <= own < unmoved < zcdp.epsilon(rho, delta)


@pytest.mark.parametrize("delta", [1e-6, 1e-3])
@pytest.mark.parametrize(("multiplier", "rate", "count"), [(1.0, 0.1, 10), (2.0, 0.5, 20), (0.8, 0.01, 50)])
def test_sampled_releases(multiplier, rate, count, delta):
    """PLD <= RDP <= no amplification; ours are dp-accounting's, on a grid of ours."""
    pld = distributions(multiplier, count, ADD_REMOVE, rate).get_epsilon(delta)
    rdp = divergences(multiplier, count, ADD_REMOVE, rate).get_epsilon(delta)
    unamplified = accounting.tight_epsilon(zcdp.gaussian_rho(1.0, multiplier, count), delta)
    assert 0 < pld < rdp < unamplified < divergences(multiplier, count).get_epsilon(delta)
    assert sampling.epsilon(multiplier, rate, count, delta, "RDP") == pytest.approx(rdp, rel=1e-12)
    # Grids round up; another step moves it by little.
    assert sampling.epsilon(multiplier, rate, count, delta) == pytest.approx(pld, rel=2e-3)
    # Amplification by sampling, which one release attains: log(1 + rate (e^eps - 1)) at rate times delta.
    single = distributions(multiplier, 1, ADD_REMOVE, rate).get_epsilon(delta)
    full = accounting.tight_epsilon(zcdp.gaussian_rho(1.0, multiplier), delta / rate)
    assert single == pytest.approx(math.log1p(rate * math.expm1(full)), abs=2 * STEP)
