"""Worst pairs on random batches: outputs against laws, scores against enumeration, epsilon against Monte Carlo."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism
from scipy.stats import binom, norm

from dpdescent.algorithms import samplers
from dpdescent.attacks import sampled
from dpdescent.privacy.audit import attack
from dpdescent.privacy.audit.attack import Array, Attack
from dpdescent.privacy.participation import counterexample, pairs
from dpdescent.privacy.participation.encoder import encode

T, RATE, KAPPA = 6, 0.25, 1.5


def law(x: Array, move: float, lam: float, rate: float = RATE, kappa: float = KAPPA) -> Array:
    """log density of `sum_y s(y) N(move C y, kappa^2)` by enumeration, x of shape (N, T)."""
    logs = []
    for y in itertools.product((0.0, 1.0), repeat=x.shape[1]):
        chance = np.prod([rate if each else 1.0 - rate for each in y])
        logs.append(math.log(chance) + norm.logpdf(x, move * encode(y, lam), kappa).sum(axis=1))
    return np.logaddexp.reduce(np.stack(logs), axis=0)


def outputs(move: float, lam: float, runs: int, rng: np.random.Generator) -> Array:
    return move * encode(rng.random((runs, T)) < RATE, lam) + KAPPA * rng.standard_normal((runs, T))


MOVES: dict[Callable[..., Attack], tuple[float, float]] = {
    sampled.poisson: (0.0, 1.0),
    sampled.fixed_size: (1.0, 2.0),
    sampled.fixed_size_replaced: (0.0, 2.0),
}


@pytest.mark.parametrize("lam", [0.0, 0.5])
@pytest.mark.parametrize("builder", list(MOVES), ids=lambda each: each.__name__)
def test_scores_have_the_law_of_the_likelihood_ratio(builder: Callable[..., Attack], lam: float) -> None:
    """Quantiles of the engine's scores against those of the enumerated ratio, outputs drawn by themselves."""
    rng, runs = np.random.default_rng(5), 20_000
    scores = builder(T, RATE, KAPPA, lam).simulate(runs, rng)
    without, with_record = MOVES[builder]
    for found, move in zip(scores, (without, with_record), strict=True):
        x = outputs(move, lam, runs, rng)
        expected = law(x, with_record, lam) - law(x, without, lam)
        at = np.linspace(0.05, 0.95, 7)
        assert np.quantile(found, at) == pytest.approx(np.quantile(expected, at), abs=0.06 * expected.std())
    assert abs(float(np.corrcoef(*scores)[0, 1])) < 0.6


def test_bins_are_scored_by_the_mean_over_bins() -> None:
    rng, runs, period, lam = np.random.default_rng(6), 20_000, 3, 0.4
    found = sampled.balls_in_bins(T, 1.0 / period, KAPPA, lam).simulate(runs, rng)
    patterns = encode(np.arange(T) % period == np.arange(period)[:, None], lam)

    def ratio(x: Array) -> Array:
        each = [norm.logpdf(x, shift, KAPPA).sum(1) - norm.logpdf(x, 0.0, KAPPA).sum(1) for shift in patterns]
        return np.asarray(np.logaddexp.reduce(each, axis=0) - math.log(period))

    noise = KAPPA * rng.standard_normal((2, runs, T))
    at = np.linspace(0.05, 0.95, 7)
    for scores, x in zip(found, (noise[0], patterns[rng.integers(period, size=runs)] + noise[1]), strict=True):
        expected = ratio(x)
        assert np.quantile(scores, at) == pytest.approx(np.quantile(expected, at), abs=0.06 * expected.std())


def test_much_noise_is_scored_by_means_and_covariances() -> None:
    """Where noise is large the quadratic score is the likelihood ratio up to a constant."""
    rng, kappa, lam = np.random.default_rng(7), 12.0, 0.6
    x = kappa * rng.standard_normal((400, T))
    for moves in ((1, 0), (2, 0), (2, 1)):
        exact = law(x, moves[0], lam, kappa=kappa) - law(x, moves[1], lam, kappa=kappa)
        found = sampled.quadratic(sampled.Run(T, RATE, kappa, lam), moves)(x)
        assert np.std(found - exact) < 0.01 * np.std(exact)


def test_participation_is_that_of_the_sampler() -> None:
    steps = 40_000
    drawn = samplers.participations(7, 2, steps, np.random.default_rng(8))
    assert drawn.shape == (steps,)
    low, high = binom.ppf([1e-5, 1 - 1e-5], steps, 2 / 7)
    assert low <= drawn.sum() <= high


def test_batches_of_several_records_move_sums_as_those_of_one() -> None:
    """2 of 7 against the law; all others stand in the sum with -1."""
    rng, runs, rate = np.random.default_rng(9), 20_000, 2 / 7
    first, second = sampled.fixed_size(1, rate, 0.05, 0.0).simulate(runs, rng)
    for found, move in ((first, 1.0), (second, 2.0)):
        x = move * (rng.random((runs, 1)) < rate) + 0.05 * rng.standard_normal((runs, 1))
        expected = law(x, 2.0, 0.0, rate, 0.05) - law(x, 1.0, 0.0, rate, 0.05)
        assert found.mean() == pytest.approx(expected.mean(), rel=0.05)


@pytest.mark.parametrize(("T", "rate", "kappa", "delta"), [(1, 0.1, 1.0, 0.0077), (12, 0.1, 1.33, 0.01)])
def test_epsilon_of_the_counterexample(T: int, rate: float, kappa: float, delta: float) -> None:
    """delta at the epsilon found, by quadrature of one step, or by Monte Carlo."""
    eps = sampled.attained_epsilon(counterexample.FIXED_SIZE, kappa, rate, T, delta)
    if T == 1:
        assert counterexample.one_step_delta(kappa, eps, rate) == pytest.approx(delta, rel=2e-3)
    else:
        (found,) = counterexample.deltas(kappa, [eps], T, rate, 0.0, 200_000, np.random.default_rng(10))
        assert abs(found.value - delta) < 4.0 * found.standard_error


def test_epsilon_of_the_others_is_that_of_the_sampled_pair() -> None:
    eps = sampled.poisson(20, 0.1, 1.2).exact_epsilon(1e-3)
    assert eps is not None
    assert pairs.independent_delta(1.2, eps, 20, 0.1, "up") == pytest.approx(1e-3, rel=0.02)
    replaced = sampled.fixed_size_replaced(20, 0.1, 2.4).exact_epsilon(1e-3)
    assert replaced == pytest.approx(eps, rel=1e-6)


@pytest.mark.parametrize(("kappa", "rate", "T"), [(0.5, 0.02, 50), (1.0, 0.1, 100), (2.0, 0.01, 1000)])
def test_attained_epsilon_is_just_below_an_independent_account(kappa: float, rate: float, T: int) -> None:
    step = from_gaussian_mechanism(kappa, sampling_prob=rate, value_discretization_interval=1e-4)
    account = step.self_compose(T).get_epsilon_for_delta(1e-4)
    eps = sampled.attained_epsilon(counterexample.SAMPLED, kappa, rate, T, 1e-4)
    assert 0.98 * account <= eps <= account


@pytest.mark.parametrize("builder", list(MOVES), ids=lambda each: each.__name__)
def test_the_bound_is_below_the_exact_epsilon_and_not_far(builder: Callable[..., Attack]) -> None:
    made, delta = builder(12, 0.1, 1.3, most_runs=60_000), 1e-2
    exact = made.exact_epsilon(delta)
    low = attack.run(made, 100_000, np.random.default_rng(11)).epsilon_low(delta)
    assert exact is not None
    assert 0.6 * exact <= low <= exact


def test_fixed_size_tells_more_than_the_pair_of_poisson_batches() -> None:
    """Theorem F.8: at noise for epsilon = 1 on Poisson batches, fixed size is refuted and Poisson is not."""
    kappa, delta = 1.304, 1e-3
    rng = np.random.default_rng(12)
    fixed, poisson = (builder(12, 0.1, kappa, most_runs=60_000) for builder in (sampled.fixed_size, sampled.poisson))
    assert attack.run(fixed, 60_000, rng).epsilon_low(delta, attack.SURE) > 1.0
    assert attack.run(poisson, 60_000, rng).epsilon_low(delta, attack.SURE) < 1.0


def test_pieces_do_not_change_how_many_runs_there_are() -> None:
    made = sampled.poisson(2000, 0.001, 1.0)
    first, second = made.simulate(1001, np.random.default_rng(13))
    assert first.shape == second.shape == (1001,)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match=r"kappa must be positive, got 0\.0"):
        sampled.poisson(10, 0.1, 0.0)
    with pytest.raises(ValueError, match="reciprocal"):
        sampled.balls_in_bins(10, 0.3, 1.0)
    with pytest.raises(ValueError, match=r"lam=1"):
        sampled.fixed_size(10, 0.1, 1.0, 1.0)
