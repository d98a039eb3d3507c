"""The audit's power: what it reaches with a million runs a side, so that a silent audit means something."""

import numpy as np
import pytest

from dpdescent.attacks import dp_gd
from dpdescent.privacy.accounting import tight_epsilon
from dpdescent.privacy.audit import attack, bounds
from dpdescent.privacy.audit.attack import SHOWN, SURE, Attack

RUNS, DELTA = 1_000_000, 1e-5

# mu for epsilon at DELTA.
MUS = {0.142: 0.5, 0.268: 1.0, 0.925: 4.0}


def plain_gaussian(mu: float) -> Attack:
    """One release of 0 or mu in unit noise."""

    def simulate(runs, rng):
        return rng.standard_normal(runs), rng.standard_normal(runs) + mu

    return Attack("0 or mu", simulate, mu=mu)


def worst_pair(mu: float) -> Attack:
    """DP-GD itself, four steps of it."""
    return dp_gd.flipped_sign(4, mu)


@pytest.mark.parametrize(("mu", "eps"), MUS.items())
def test_mu_stands_for_its_epsilon(mu, eps):
    assert bounds.epsilon_of_mu(mu, DELTA) == tight_epsilon(mu**2 / 2, DELTA) == pytest.approx(eps, rel=5e-3)


@pytest.mark.parametrize("pair", [plain_gaussian, worst_pair])
@pytest.mark.parametrize("mu", MUS)
def test_nine_tenths_of_mu_are_found(pair, mu):
    built = pair(mu)
    assert built.mu == pytest.approx(mu, rel=1e-12)
    assert built.exact_epsilon(DELTA) == pytest.approx(bounds.epsilon_of_mu(mu, DELTA), rel=1e-9)
    scores = attack.run(built, RUNS, np.random.default_rng(2026))
    assert scores.mu_low(SHOWN) >= 0.9 * mu
    # What a verdict hangs on is below the truth, and not far.
    assert 0.85 * mu <= scores.mu_low(SURE) <= mu
    assert bounds.epsilon_of_mu(scores.mu_low(SURE), DELTA) <= tight_epsilon(mu**2 / 2, DELTA)
    # The bounds that know of no Gaussian are valid, and weaker, as they must be.
    assert 0.5 * mu**2 / 2 <= scores.rho_low(SHOWN)
    assert scores.rho_low(SURE) <= mu**2 / 2
    assert 0.5 * tight_epsilon(mu**2 / 2, DELTA) <= scores.epsilon_low(DELTA, SHOWN)
    assert scores.epsilon_low(DELTA, SURE) <= tight_epsilon(mu**2 / 2, DELTA)


@pytest.mark.parametrize("pair", [plain_gaussian, worst_pair])
def test_noise_that_is_a_fifth_too_small_is_found_out(pair):
    """The claim is mu, the mechanism has 1.25 mu: at 99.99 % nothing less than the claim is believed."""
    claimed = 0.268
    scores = attack.run(pair(1.25 * claimed), 400_000, np.random.default_rng(5))
    assert scores.mu_low(SURE) > claimed
