"""Pairs for DP-GD, DP-2S-GD and Algorithm 3: their exact privacy by closed forms, and that attacks reach it."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from dpdescent.attacks import dp_2s_gd, dp_gd
from dpdescent.data.iv import IVSample
from dpdescent.papers.liang2025 import formulas
from dpdescent.papers.liang2025 import lemma_f1 as lemma
from dpdescent.papers.liang2025.setting import Arm, columns
from dpdescent.privacy.audit import attack
from dpdescent.privacy.audit.attack import SURE

RUNS = 40_000


def scores(built, seed=11, runs=RUNS):
    return attack.run(built, runs, np.random.default_rng(seed))


def reaches(built, mu, share):
    """Lower bounds between a share of the exact parameter and itself."""
    found = scores(built)
    assert share * mu <= found.mu_low() <= 1.02 * mu
    assert found.mu_low(SURE) <= mu


# DP-GD


@pytest.mark.parametrize("T", [1, 30])
def test_descent_tells_the_whole_budget(T):
    built = dp_gd.flipped_sign(T, 0.8)
    assert built.mu == pytest.approx(0.8, rel=1e-12)
    reaches(built, 0.8, 0.92)


# DP-2S-GD


@pytest.mark.parametrize(("T", "rho1", "rho2"), [(1, 0.5, 3.0), (2, 0.05, 0.5), (20, 0.1, 0.1), (20, 0.02, 0.5)])
def test_both_paths_tell_all_but_the_first_step_of_the_second_stage(T, rho1, rho2):
    built = dp_2s_gd.paths_flip_sign(T, rho1, rho2)
    mu = math.sqrt(2 * (rho1 + rho2 * (T - 1) / T))
    assert built.mu == pytest.approx(mu, rel=1e-12)
    reaches(built, mu, 0.9)


@pytest.mark.parametrize(("T", "rho1", "rho2"), [(2, 0.5, 0.02), (20, 0.2, 0.2), (20, 0.05, 0.5)])
def test_beta_alone_tells_of_both_stages(T, rho1, rho2):
    """It tends to the whole of both budgets, less one step of each."""
    built = dp_2s_gd.beta_alone(T, rho1, rho2)
    assert built.mu is None
    reaches(built, math.sqrt(2 * (rho1 + rho2) * (T - 1) / T), 0.88)


def test_beta_alone_tells_more_than_either_stage_could():
    rho = 0.3
    assert scores(dp_2s_gd.beta_alone(2, rho, rho)).mu_low(SURE) > 1.1 * math.sqrt(2 * rho / 2)


def test_sides_of_the_crowd_differ_in_one_record():
    first, second = (dp_2s_gd._crowd(far) for far in (-1.0, 1.0))
    assert first.n == second.n == dp_2s_gd.CROWD
    changed = np.any(first.X != second.X, axis=1) | (first.y != second.y)
    assert changed.tolist() == [False, False, True]
    assert first.count[2] == 1


# Algorithm 3 and Lemma F.1


@pytest.mark.parametrize(("T", "rho2"), [(2, 0.5), (5, 0.05)])
def test_planted_regressor_costs_what_the_table_of_lemma_f1_finds(T, rho2):
    """The realised cost by that experiment's own recursion, of the same pair at the same noise."""
    n, built = dp_2s_gd.MANY, dp_2s_gd.planted_regressor(T, rho2)
    arm = Arm("DP-2S-GD-beta", T, math.inf, rho2, formulas.StepSizes(1.0, 1.0), 1.0, "exact")
    run = columns([arm], n)
    assert run.lambda2[0] == pytest.approx(2 / n * math.sqrt(T / (2 * rho2)), rel=1e-14)
    X = np.zeros((n, 1))
    sample = IVSample(np.ones((n, 1)), X.copy(), np.full(n, -dp_2s_gd.FAR))
    X[0] = n
    neighbour = IVSample(sample.Z, X, sample.y)
    cost = lemma.realised_cost(sample, neighbour, run, np.random.default_rng(1))
    assert built.rho == pytest.approx(cost, rel=1e-9)
    assert built.rho == pytest.approx(0.5 * built.mu**2, rel=1e-12)
    assert built.rho == pytest.approx(rho2 * n**2 * (T - 1) / (4 * T), rel=1e-12)


def test_planted_regressor_refutes_the_claim_at_any_law():
    found = scores(dp_2s_gd.planted_regressor(2, 0.5))
    assert found.rho_low(SURE) > 7 * 2 * 0.5
    assert found.epsilon_low(1e-5, SURE) > 7.8


@pytest.mark.parametrize("T", [2, 20])
def test_where_only_y_changes_the_claim_holds(T):
    rho2 = 0.4
    built = dp_2s_gd.only_outcome(T, rho2)
    mu = math.sqrt(2 * rho2 * (T - 1) / T)
    assert built.mu == pytest.approx(mu, rel=1e-12)
    assert built.rho == pytest.approx(rho2 * (T - 1) / T, rel=1e-12)
    reaches(built, mu, 0.9)


def test_sign_of_the_first_stage_tells_more_than_the_claim():
    """rho1 = 100 and rho2 = 0.01 with the printed noise: Kullback-Leibler divergence 8.5, against 0.01."""
    built = dp_2s_gd.sign_bit(50.0, 0.005)
    assert built.rho == pytest.approx(8.5, abs=0.02)
    right = ndtr(1e-3 / formulas.noise_scale(1.0, 1000, 2, 100.0))
    for delta in (1e-9, 1e-5, 1e-2):
        assert right - math.exp(built.epsilon(delta)) * (1 - right) == pytest.approx(delta, rel=1e-6)
    assert built.epsilon(right) == 0.0
    found = scores(built)
    assert 1.0 < found.rho_low(SURE) <= built.rho
    assert 0.69 < found.epsilon_low(1e-5, SURE) <= built.epsilon(1e-5)


@pytest.mark.parametrize("pair", [lambda T: dp_2s_gd.beta_alone(T, 1.0, 1.0),
                                  lambda T: dp_2s_gd.planted_regressor(T, 1.0),
                                  lambda T: dp_2s_gd.only_outcome(T, 1.0)])  # fmt: skip
def test_one_step_of_beta_tells_nothing(pair):
    with pytest.raises(ValueError, match="T=1"):
        pair(1)
