"""Pairs for AdaSSP, FriendlyCore and non-private preparation, against closed forms and a search over other pairs."""

import math

import numpy as np
import pytest

from dpdescent.attacks import ada_ssp as pairs
from dpdescent.attacks import friendly_core, preprocessing
from dpdescent.privacy.audit import attack
from dpdescent.privacy.audit.attack import SURE

RUNS = 20_000
ALIKE = (2.0, 2.0, 2.0)
# Noise of the add-remove sensitivities, in units of those of replace-one.
REPLACED = (2.0, 2.0 / math.sqrt(2), 1.0)


def scores(built, seed=11, runs=RUNS):
    return attack.run(built, runs, np.random.default_rng(seed))


def accounted(multipliers):
    return math.sqrt(sum(each**-2 for each in multipliers))


# AdaSSP


def test_adding_a_record_tells_the_whole_account():
    built = pairs.ada_ssp("add-remove", 2.0, 3.0, 4.0)
    assert built.mu == pytest.approx(accounted((2.0, 3.0, 4.0)), rel=1e-12)
    found = scores(built)
    assert 0.9 * built.mu <= found.mu_low() <= 1.02 * built.mu
    assert found.mu_low(SURE) <= built.mu


@pytest.mark.parametrize(("multipliers", "share"), [(ALIKE, 2.53125 / 3), (REPLACED, 16 / 3 / 7)])
def test_replacing_a_record_tells_less(multipliers, share):
    """(1 - c^2) P + (1 + c) Q at its largest, P + Q + Q^2 / (4 P), worked out by hand for both sets of multipliers."""
    built = pairs.ada_ssp("replace-one", *multipliers)
    assert built.mu == pytest.approx(accounted(multipliers) * math.sqrt(share), rel=1e-4)
    found = scores(built)
    assert 0.9 * built.mu <= found.mu_low() <= 1.02 * built.mu
    assert found.mu_low(SURE) <= built.mu


@pytest.mark.parametrize("multipliers", [ALIKE, REPLACED, (1.0, 4.0, 0.4), (5.0, 5.0, 0.1)])
def test_no_other_pair_tells_more(multipliers):
    """Random records in and on the unit ball, the smallest eigenvalue moved as far as any other records let it."""
    built, rng = pairs.ada_ssp("replace-one", *multipliers), np.random.default_rng(3)
    noise = np.array(multipliers) * (1.0, math.sqrt(2), 2.0)
    most = 0.0
    for k in range(6000):
        p = 1 + k % 3
        x, z = rng.standard_normal((2, p))
        x, z = (v / np.linalg.norm(v) * (1.0 if k % 2 else rng.uniform()) for v in (x, z))
        D = np.outer(x, x) - np.outer(z, z)
        moved = np.array([np.abs(np.linalg.eigvalsh(D)).max(), np.linalg.norm(np.triu(D)), np.linalg.norm(x + z)])
        most = max(most, float(np.linalg.norm(moved / noise)))
    assert most <= 1.0005 * built.mu
    assert most >= 0.95 * built.mu


def test_best_cosine_is_the_best():
    for multipliers in (ALIKE, REPLACED, (1.0, 4.0, 0.4), (5.0, 5.0, 0.1)):
        a, b, c = (each**-2 for each in multipliers)
        grid = np.linspace(0.0, 1.0, 10_001)
        values = (1 - grid**2) * (a + b) + 0.5 * (1 + grid) * c
        assert pairs.best_cosine(*multipliers) == pytest.approx(grid[values.argmax()], abs=1e-4)


@pytest.mark.parametrize("relation", ["add-remove", "replace-one"])
def test_attacked_records_lie_beyond_the_bounds(relation):
    """So that bounds that are not enforced would show: the releases move by sensitivities of clipped records."""
    samples, _ = pairs._add_remove() if relation == "add-remove" else pairs._replace_one(ALIKE)
    assert all(sample.norms.max() <= pairs.BEYOND * (1 + 1e-12) for sample in samples)
    assert samples[1].norms.max() == pytest.approx(pairs.BEYOND)
    assert np.abs(samples[1].y).max() == pairs.BEYOND
    if relation == "replace-one":
        same = np.all(samples[0].X == samples[1].X, axis=1) & (samples[0].y == samples[1].y)
        assert (~same).sum() == 1
    else:
        assert samples[1].n == samples[0].n + 1


def test_unknown_relations_and_multipliers_are_refused():
    with pytest.raises(ValueError, match="zero-out"):
        pairs.ada_ssp("zero-out", *ALIKE)
    with pytest.raises(ValueError, match="positive"):
        pairs.ada_ssp("add-remove", 1.0, 0.0, 1.0)


def test_bounds_from_the_data_refute_the_claim():
    found = scores(pairs.data_maxima(1.7, 1e-6))
    assert found.epsilon_low(1e-6, SURE) > 3 * 1.7
    assert found.mu_low(SURE) > 5.0


# Preparation by sample moments


@pytest.mark.parametrize(("T", "rho"), [(1, 0.5), (15, 0.05)])
def test_centring_lets_one_record_move_all(T, rho):
    """Clipped mean gradients of both sides, by the definition and at Theta = 0."""
    built, n, ones = preprocessing.centred(T, rho), preprocessing.N, preprocessing.ONES
    z = np.r_[np.ones(ones), np.zeros(n - ones)]
    means = []
    for x_last in (-1e9, 1e9):
        x = np.r_[np.zeros(n - 1), x_last]
        scaled = (z - z.mean()) / z.std()
        gradients = -scaled * (x - x.mean())
        means.append(np.clip(gradients, -1.0, 1.0).mean())
    noise = 2 / n * math.sqrt(T / (2 * rho))
    assert built.mu == pytest.approx(math.sqrt(T) * abs(means[1] - means[0]) / noise, rel=1e-9)
    assert built.rho == pytest.approx(0.5 * built.mu**2, rel=1e-12)
    # What the paper claims of both stages is four times rho, with the printed noise.
    assert built.rho > 1000 * 4 * rho
    found = scores(built)
    assert found.mu_low(SURE) > 5.0
    assert found.rho_low(SURE) > 4 * rho


# FriendlyCore


@pytest.mark.parametrize("rho", [0.5, pytest.param(2.0, marks=pytest.mark.slow)])
def test_core_tells_the_share_of_the_average(rho):
    """0.81 of rho goes into the average, and the whole budget is never exceeded."""
    found = scores(friendly_core.opposite_friends(rho, 1e-5), runs=10_000)
    limit = 0.9 * math.sqrt(2 * rho)
    assert 0.85 * limit <= found.mu_low() <= 1.02 * limit
    assert found.mu_low(SURE) <= limit
    assert found.rho_low(SURE) <= rho
