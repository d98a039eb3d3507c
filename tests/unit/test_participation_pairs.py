"""Accountants by Monte Carlo: Theorem F.8's pair, balls in bins, the pair of fixed-size batches, calibration."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm

from dpdescent.privacy import losses, sampling
from dpdescent.privacy.participation import accountants, bins, closed_forms, counterexample, gaussian, pairs, tail
from dpdescent.privacy.participation.bins import BinnedPair
from dpdescent.privacy.participation.calibration import Calibration
from dpdescent.privacy.participation.divergence import hockey_stick
from dpdescent.privacy.participation.encoder import block_norms_squared, encode
from dpdescent.privacy.participation.pairs import SampledPair


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def by_enumeration(x, kappa, rate, lam, scale=1.0):
    """log of the density of sum_y s(y) N(scale C y, kappa^2) over that of N(0, kappa^2), with all 2^T components."""
    T = x.shape[1]
    y = np.array(list(itertools.product([0.0, 1.0], repeat=T)))
    means, count = scale * encode(y, lam), y.sum(axis=1)
    log_weights = count * math.log(rate) + (T - count) * math.log1p(-rate)
    return logsumexp((x @ means.T - 0.5 * np.sum(means**2, axis=1)) / kappa**2 + log_weights, axis=1)


def by_forward_filter(x, kappa, rate, lam, points):
    """The law of the state given the outputs, on a uniform grid, mass being split between neighbours; one output."""
    states = np.linspace(0.0, 1.0 / (1.0 - lam), points)
    step = states[1]
    mass, total = np.zeros(points), 0.0
    mass[0] = 1.0
    for each in x:
        moved = np.zeros(points)
        for target, weight in ((lam * states, 1.0 - rate), (lam * states + 1.0, rate)):
            place = np.minimum((target / step).astype(int), points - 2)
            share = target / step - place
            np.add.at(moved, place, weight * (1.0 - share) * mass)
            np.add.at(moved, place + 1, weight * share * mass)
        mass = moved * np.exp((states * each - 0.5 * states**2) / kappa**2)
        total += math.log(mass.sum())
        mass /= mass.sum()
    return total


def outputs(T, rate, lam, kappa, draws, seed=1):
    """From P, from Q, and from the pair of fixed-size batches."""
    pair = SampledPair.draw(T, rate, lam, draws, rng(seed))
    y, z = (np.concatenate(each) for each in zip(*pair.blocks, strict=True))
    return [scale * encode(y, lam) + kappa * z for scale in (1.0, 0.0, 2.0)]


@pytest.mark.parametrize(
    ("T", "rate", "lam", "kappa"),
    [
        (8, 0.1, 0.5, 2.2), (8, 0.1, 0.9, 6.0), (8, 0.5, 0.95, 12.0), (8, 0.02, 0.2, 0.6), (1, 0.3, 0.7, 1.0),
        (8, 0.1, 0.9, 1.5),
    ],
)  # fmt: skip
def test_states_against_enumeration(T, rate, lam, kappa):
    for x in outputs(T, rate, lam, kappa, 40)[:2]:
        found = pairs.log_ratio_by_states(x, kappa, rate, lam)
        np.testing.assert_allclose(found, by_enumeration(x, kappa, rate, lam), rtol=0, atol=1e-10)


@pytest.mark.parametrize(("rate", "lam", "kappa"), [(0.1, 0.8, 7.0), (0.5, 0.95, 25.0), (0.1, 0.95, 10.0)])
def test_states_of_long_runs_against_more_points_and_a_filter(rate, lam, kappa):
    for x in outputs(100, rate, lam, kappa, 6):
        found = pairs.log_ratio_by_states(x, kappa, rate, lam)
        points = 2 * pairs.number_of_points(kappa, 100, rate, lam)
        np.testing.assert_allclose(found, pairs.log_ratio_by_states(x, kappa, rate, lam, points), rtol=0, atol=1e-9)
        # The grid's own error falls with the square of its step.
        coarse, fine = (by_forward_filter(x[0], kappa, rate, lam, M) for M in (400, 800))
        assert found[0] == pytest.approx(fine + (fine - coarse) / 3.0, abs=3e-4)


def test_product_is_what_states_come_to_without_correlation():
    for x in outputs(7, 0.2, 0.0, 1.1, 30):
        found = pairs.log_ratio(x, 1.1, 0.2, 0.0)
        np.testing.assert_allclose(found, by_enumeration(x, 1.1, 0.2, 0.0), rtol=0, atol=1e-12)
        np.testing.assert_allclose(found, pairs.log_ratio_by_states(x, 1.1, 0.2, 1e-12), rtol=0, atol=1e-9)


@pytest.mark.parametrize("lam", [0.0, 0.6])
def test_everybody_in_every_batch_is_one_gaussian(lam):
    (x, *_) = outputs(20, 1.0, lam, 9.0, 30)
    mean = encode(np.ones(20), lam)
    expected = (x @ mean - 0.5 * mean @ mean) / 81.0
    np.testing.assert_allclose(pairs.log_ratio(x, 9.0, 1.0, lam), expected, rtol=0, atol=1e-10)


def test_losses_that_rounding_eats_are_refused():
    """Outputs that no state explains, with hardly any noise."""
    with pytest.raises(ValueError, match=r"kappa=0\.1 is too small at lam=0\.9"):
        pairs.log_ratio(np.full((1, 30), 10.0), 0.1, 0.1, 0.9)


def test_losses_do_not_hang_on_other_outputs():
    pair = SampledPair.draw(12, 0.1, 0.5, 1100, rng())
    assert [len(y) for y, _ in pair.blocks] == [500, 500, 100]
    whole = pair.losses(2.0, "P|Q")
    y, z = pair.blocks[1]
    np.testing.assert_array_equal(whole[500:1000], pairs.log_ratio(encode(y, 0.5) + 2.0 * z, 2.0, 0.1, 0.5))
    # The same draws for another lambda.
    np.testing.assert_array_equal(SampledPair.draw(12, 0.1, 0.9, 1100, rng()).blocks[2][1], pair.blocks[2][1])


@pytest.mark.parametrize(
    ("T", "rate", "lam", "kappa"), [(12, 0.1, 0.5, 1.0), (40, 0.5, 0.9, 8.0), (30, 0.05, 0.0, 0.6)]
)
@pytest.mark.parametrize("direction", ["P|Q", "Q|P"])
def test_losses_above_an_epsilon_are_exact_and_others_stay_below(T, rate, lam, kappa, direction):
    pair = SampledPair.draw(T, rate, lam, 3000, rng())
    whole = pair.losses(kappa, direction)
    for eps in (-0.2, 0.1, 0.5, 2.0):
        found = pair.losses(kappa, direction, eps)
        np.testing.assert_allclose(found[whole > eps], whole[whole > eps], rtol=1e-12, atol=1e-12)
        assert (found[whole <= eps] <= eps).all()
        assert hockey_stick(found, eps).value == pytest.approx(hockey_stick(whole, eps).value, rel=1e-12)
        assert lam == 0.0 or (found != whole).any()


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(("lam", "kappa"), [(0.5, 0.7), (0.5, 1.5), (0.9, 4.0)])
def test_bounds_on_losses_hold_and_are_near_where_noise_amplifies(sign, lam, kappa):
    for x in outputs(9, 0.3, lam, kappa, 200):
        exact = sign * by_enumeration(x, kappa, 0.3, lam)
        most = pairs._most(x, kappa, 0.3, lam, sign)
        assert (most >= exact - 1e-12).all()
        assert kappa < 1.0 or np.mean(most - exact) < 1.0


def test_hockey_stick_of_a_gaussian():
    """L ~ N(mu^2/2, mu^2)."""
    mu = 1.3
    losses = 0.5 * mu * mu + mu * rng().standard_normal(200_000)
    for eps in (0.0, 1.0, 3.0):
        found = hockey_stick(losses, eps)
        assert 0.0 < found.standard_error < 0.02
        assert abs(found.value - gaussian.delta(mu, eps)) < 4.0 * found.standard_error
        terms = np.maximum(0.0, 1.0 - np.exp(eps - losses))
        assert found.standard_error == pytest.approx(terms.std() / math.sqrt(len(terms)), rel=1e-4)


def test_deltas_without_correlation_are_exact_ones():
    """In both directions together: the distribution of the loss by FFT has the larger one."""
    eps = [0.2, 1.0, 2.0]
    forth = pairs.deltas(1.2, eps, 12, 0.1, 0.0, 60_000, rng(), "P|Q")
    back = pairs.deltas(1.2, eps, 12, 0.1, 0.0, 60_000, rng(), "Q|P")
    for each, one, other in zip(eps, forth, back, strict=True):
        low, high = (pairs.independent_delta(1.2, each, 12, 0.1, rounded) for rounded in ("down", "up"))
        assert low < high < 1.01 * low
        assert abs(one.value - high) < 4.0 * one.standard_error
        assert other.value < one.value + 4.0 * one.standard_error


def test_deltas_of_few_steps_against_an_integral():
    """T = 2 with lambda: H by a grid over the plane, both directions."""
    kappa, rate, lam, eps = 1.0, 0.3, 0.5, 0.2
    axis = np.linspace(-9.0, 11.0, 1001)
    x = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    log_q = norm.logpdf(x).sum(axis=1)
    L = by_enumeration(x, kappa, rate, lam)
    area = (axis[1] - axis[0]) ** 2
    expected = {
        "P|Q": area * np.sum(np.exp(log_q + L) * np.maximum(0.0, 1.0 - np.exp(eps - L))),
        "Q|P": area * np.sum(np.exp(log_q) * np.maximum(0.0, 1.0 - np.exp(eps + L))),
    }
    for direction in ("P|Q", "Q|P"):
        (found,) = pairs.deltas(kappa, [eps], 2, rate, lam, 40_000, rng(), direction)
        assert abs(found.value - expected[direction]) < 4.0 * found.standard_error


@pytest.mark.parametrize(
    ("T", "rate", "eps", "multiplier"), [(1000, 0.1, 0.05, 219.11), (1000, 0.1, 0.2, 60.105), (10_000, 0.1, 1.0, 42.27)]
)
def test_the_grid_resolves_losses_of_a_small_epsilon(T, rate, eps, multiplier):
    """Numbers of another implementation; a grid of 5e-4 has 244.9 for the first."""
    below = sampling.noise_multiplier(eps, rate, T, 1e-6)
    assert below == pytest.approx(multiplier, rel=3e-4)
    low, high = (pairs.independent_delta(multiplier, eps, T, rate, rounded) for rounded in ("down", "up"))
    assert 0.9e-6 < low < 1e-6 < high < 1.01e-6


REGIME = {1000: 9e-10, 10**4: 2.0e-5}


@pytest.mark.parametrize("n", REGIME)
def test_what_corollary_5_5_attains(n):
    """gamma = 0.1, eps = 1, delta = gamma/n, at Theorem D.9's noise; against numbers found before."""
    gamma = 0.1
    T, rate = round(math.sqrt(n) / gamma), gamma / math.sqrt(n)
    kappa = closed_forms.independent_multiplier(T, rate, 1.0, gamma / n)
    low, high = (pairs.independent_delta(kappa, 1.0, T, rate, rounded) for rounded in ("down", "up"))
    assert low == pytest.approx(REGIME[n], rel=0.1)
    assert low < high < 1.25 * low
    assert (low > gamma / n) is (n >= 10**4)


@pytest.mark.parametrize("T", [1, 7, 12])
@pytest.mark.parametrize("lam", [0.0, 0.8])
def test_bins_by_their_components(T, lam):
    """With fewer steps than bins, some of the components are the neighbour's law."""
    period, kappa = 5, 1.7
    patterns = np.array([encode((np.arange(T) % period == j).astype(float), lam) for j in range(period)])
    x = 2.0 * rng().standard_normal((30, T))
    expected = logsumexp((x @ patterns.T - 0.5 * np.sum(patterns**2, axis=1)) / kappa**2, axis=1) - math.log(period)
    np.testing.assert_allclose(bins.log_ratio(x, kappa, period, lam), expected, rtol=0, atol=1e-12)


def test_losses_of_bins_are_those_of_outputs():
    T, period, lam, kappa = 12, 4, 0.6, 2.0
    pair, patterns = BinnedPair.draw(T, period, lam, 700, rng()), bins.encoded_patterns(T, period, lam)
    # Outputs enter by their inner products with the patterns alone: these have the drawn ones.
    z = pair.noise @ np.linalg.pinv(patterns).T
    moved = encode(np.arange(T) % period == pair.bins[:, None], lam)
    for direction, x, sign in (("P|Q", moved + kappa * z, 1.0), ("Q|P", kappa * z, -1.0)):
        expected = sign * bins.log_ratio(x, kappa, period, lam)
        np.testing.assert_allclose(pair.losses(kappa, direction), expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("T", [12, 2])
def test_noise_of_bins_has_the_covariance_of_inner_products(T):
    patterns = bins.encoded_patterns(T, 4, 0.6)
    # Where there are fewer steps than bins, some patterns are empty and the covariance is singular.
    root = bins._root(patterns @ patterns.T)
    np.testing.assert_allclose(root @ root.T, patterns @ patterns.T, rtol=0, atol=1e-12)
    drawn = BinnedPair.draw(T, 4, 0.6, 40_000, rng()).noise
    np.testing.assert_allclose(drawn.T @ drawn / len(drawn), patterns @ patterns.T, rtol=0, atol=0.2)


def test_one_bin_is_the_full_batch_and_one_round_is_one_sample():
    (found,) = bins.deltas(8.0, [1.0], 20, 1, 0.5, 40_000, rng())
    exact = gaussian.delta(math.sqrt(block_norms_squared(20, 0.5)[20]) / 8.0, 1.0)
    assert abs(found.value - exact) < 4.0 * found.standard_error
    # In one round of b steps without correlation, exactly one step has the record: against 1/b N(1) + (b-1)/b N(0).
    (round_of_two,) = bins.deltas(1.0, [0.5], 2, 2, 0.0, 40_000, rng())
    x = np.linspace(-9.0, 10.0, 801)
    q = np.outer(norm.pdf(x), norm.pdf(x))
    p = 0.5 * (np.outer(norm.pdf(x - 1.0), norm.pdf(x)) + np.outer(norm.pdf(x), norm.pdf(x - 1.0)))
    expected = (x[1] - x[0]) ** 2 * np.maximum(p - math.exp(0.5) * q, 0.0).sum()
    assert abs(round_of_two.value - expected) < 4.0 * round_of_two.standard_error


def integral(kappa, eps, rate, moves):
    """The larger of both directions by a fine grid."""
    x = np.linspace(-14.0 * kappa, 2.0 + 14.0 * kappa, 400_001)
    p, q = ((1.0 - rate) * norm.pdf(x, 0, kappa) + rate * norm.pdf(x, move, kappa) for move in moves)
    return max(np.maximum(a - math.exp(eps) * b, 0.0).sum() * (x[1] - x[0]) for a, b in ((p, q), (q, p)))


@pytest.mark.parametrize("moves", [counterexample.SAMPLED, counterexample.FIXED_SIZE])
@pytest.mark.parametrize(("rate", "kappa"), [(0.1, 1.0), (0.5, 0.7), (0.01, 1.0)])
@pytest.mark.parametrize("eps", [0.0, 0.1, 1.0, 2.0])
def test_one_step_against_a_grid(rate, kappa, eps, moves):
    found = counterexample.one_step_delta(kappa, eps, rate, moves)
    assert found == pytest.approx(integral(kappa, eps, rate, moves), rel=1e-4, abs=1e-11)


ONE_STEP = {0.1: (0.0311, 0.0185), 0.5: (0.0164, 0.0020), 1.0: (0.0077, 0.00021), 2.0: (0.0013, 2e-6)}


@pytest.mark.parametrize("eps", ONE_STEP)
def test_one_step_worked_before(eps):
    attained, claimed = ONE_STEP[eps]
    assert counterexample.one_step_delta(1.0, eps, 0.1) == pytest.approx(attained, rel=0.03)
    found = counterexample.one_step_delta(1.0, eps, 0.1, counterexample.SAMPLED)
    assert found == pytest.approx(claimed, rel=0.2)
    assert found == pytest.approx(pairs.independent_delta(1.0, eps, 1, 0.1, "up"), rel=1e-2)


def test_one_step_at_a_small_rate():
    assert counterexample.one_step_delta(1.0, 1.0, 0.01) == pytest.approx(1.7e-4, rel=0.05)
    assert counterexample.one_step_delta(1.0, 1.0, 0.01, counterexample.SAMPLED) == pytest.approx(3e-9, rel=0.2)
    # At eps = 0 both are total variation distances between normal laws that are 1 apart.
    same = [counterexample.one_step_delta(1.0, 0.0, 0.01, moves) for moves in ((1, 0), (2, 1))]
    assert same[0] == pytest.approx(same[1], rel=1e-9)


@pytest.mark.parametrize("lam", [0.0, 0.5, 0.9])
def test_ratio_of_the_fixed_size_pair_by_enumeration(lam):
    kappa = 3.0
    for x in outputs(8, 0.1, lam, kappa, 30):
        expected = by_enumeration(x, kappa, 0.1, lam, 2.0) - by_enumeration(x, kappa, 0.1, lam)
        np.testing.assert_allclose(counterexample.log_ratio(x, kappa, 0.1, lam), expected, rtol=0, atol=1e-9)


def test_deltas_of_the_fixed_size_pair():
    eps = [0.5, 1.0]
    for each, found in zip(eps, counterexample.deltas(1.0, eps, 1, 0.3, 0.0, 40_000, rng()), strict=True):
        assert abs(found.value - counterexample.one_step_delta(1.0, each, 0.3)) < 4.0 * found.standard_error


COMPOSED = [
    (12, 0.1, 0.0, 1.33, 2.5e-2), (100, 0.1, 0.0, 2.65, 8.4e-3), (12, 0.1, 0.5, 2.19, 1.02e-2),
    (12, 0.1, 0.9, 6.05, 6.1e-3),
]  # fmt: skip


@pytest.mark.parametrize(("T", "rate", "lam", "kappa", "attained"), COMPOSED)
def test_fixed_size_attains_more_than_the_pair_of_theorem_f8(T, rate, lam, kappa, attained):
    """Numbers of an earlier calculation, itself by Monte Carlo with an error of a few per cent."""
    (found,) = counterexample.deltas(kappa, [1.0], T, rate, lam, 20_000, rng())
    assert abs(found.value - attained) < 4.0 * found.standard_error + 0.05 * attained
    (claimed,) = pairs.deltas(kappa, [1.0], T, rate, lam, 20_000, rng())
    assert found.value - claimed.value > 4.0 * (found.standard_error + claimed.standard_error)


class Gaussian:
    """One Gaussian release, and how often it was asked; P and Q may change places."""

    def __init__(self, forth: float = 1.0, back: float = 1.0) -> None:
        self.mu = {"P|Q": forth, "Q|P": back}
        self.normals = norm.ppf((np.arange(20_000) + 0.5) / 20_000)
        self.asked: list[tuple[float, str]] = []

    def losses(self, kappa, direction, above=-np.inf):
        self.asked.append((kappa, direction))
        mu = self.mu[direction] / kappa
        return 0.5 * mu * mu + mu * self.normals


@pytest.mark.parametrize(("eps", "delta"), [(0.5, 1e-2), (1.0, 1e-3), (4.0, 5e-2)])
@pytest.mark.parametrize("mu", [1.0, 37.0])
def test_calibration_finds_the_multiplier(eps, delta, mu):
    pair = Gaussian(mu, 0.9 * mu)
    kappa, there = Calibration(pair).multiplier(eps, delta, 4.0 * mu / gaussian.mu(eps, delta))
    assert kappa == pytest.approx(mu / gaussian.mu(eps, delta), rel=5e-3)
    assert there == hockey_stick(pair.losses(kappa, "P|Q"), eps)
    assert there.value == pytest.approx(delta, rel=1e-2)
    # Each output is evaluated once, and the other direction at the answer only.
    assert len(pair.asked[:-1]) == len(set(pair.asked[:-1])) < 25
    assert [key for key in pair.asked[:-1] if key[1] == "Q|P"] == [(kappa, "Q|P")]


def test_calibration_is_on_the_larger_direction():
    kappa, there = Calibration(Gaussian(1.0, 1.5)).multiplier(1.0, 1e-2, 10.0)
    assert kappa == pytest.approx(1.5 / gaussian.mu(1.0, 1e-2), rel=5e-3)
    assert there.value == pytest.approx(1e-2, rel=1e-2)


def test_calibration_does_not_hang_on_what_else_was_asked():
    calibration = Calibration(Gaussian())
    others = [calibration.multiplier(eps, 1e-2, 9.0) for eps in (0.3, 1.0, 3.0)]
    assert others == [Calibration(Gaussian()).multiplier(eps, 1e-2, 9.0) for eps in (0.3, 1.0, 3.0)]


@pytest.mark.parametrize(("mu", "unamplified"), [(1.0, 0.1), (1e-4, 9.0)])
def test_the_edge_of_the_grid_is_no_answer(mu, unamplified):
    """Neither the upper one nor the lower one."""
    with pytest.raises(ValueError, match=r"at the edge of the grid from 2\^-6 to 2\^"):
        Calibration(Gaussian(mu, mu)).multiplier(1.0, 1e-2, unamplified)


def calibrate(name, lam=0.5, T=20, rate=0.1, eps=1.0, delta=1e-2, draws=4000, seed=1):
    return accountants.calibrate(name, T=T, rate=rate, lam=lam, eps=eps, delta=delta, draws=draws, rng=rng(seed))


WORTH = {
    "F12x8": ("zero-out", "fixed size"), "F12x2": ("zero-out", "fixed size"), "D9": ("replace-one", "fixed size"),
    "RDP19": ("replace-one", "fixed size"), "tail": ("zero-out", "fixed size"), "mixture": ("zero-out", "fixed size"),
    "F8": ("zero-out", "Poisson"), "bnb": ("zero-out", "balls in bins"), "cyclic": ("zero-out", "fixed order"),
    "WOR": ("replace-one", "fixed size"), "worst bin": ("zero-out", "balls in bins"),
}  # fmt: skip


@pytest.mark.parametrize("name", accountants.NAMES)
def test_what_multipliers_are_worth(name):
    independent = name in ("D9", "RDP19", "WOR")
    found = calibrate(name, lam=0.0 if independent else 0.5, rate=0.02 if independent else 0.1)
    assert (found.relation, found.sampler) == WORTH[name]
    assert found.proved is (name in ("tail", "mixture", "cyclic", "worst bin", "RDP19", "WOR"))
    assert found.precondition == ("not met" if name.startswith("F12") else "none")
    assert (found.standard_error > 0.0) is (name in accountants.ESTIMATED)
    if name in ("D9", "RDP19"):
        assert math.isnan(found.delta_attained)
    elif name not in ("F12x8", "F12x2"):
        assert found.delta_attained == pytest.approx(1e-2, rel=2e-2)
    else:
        assert found.delta_attained == tail.delta(found.multiplier, 1.0, 20, 0.1, 0.5) < 1e-2


def test_closed_forms_are_proved_within_their_precondition():
    found = calibrate("F12x2", T=250, delta=1e-3)
    assert (found.proved, found.precondition) == (True, "met")
    assert found.multiplier == closed_forms.correlated_multiplier(250, 0.1, 0.5, 1.0, 1e-3, 2.0)
    assert calibrate("F12x8", T=250, delta=1e-3).multiplier == pytest.approx(2.0 * found.multiplier)


def test_theorem_f8_without_correlation_is_exact():
    found = calibrate("F8", lam=0.0, T=5, draws=0)
    assert sampling.epsilon(found.multiplier, 0.1, 5, 1e-2) == pytest.approx(1.0, rel=2e-4)
    assert (found.standard_error, found.proved) == (0.0, True)
    assert found.delta_attained == pytest.approx(1e-2, rel=2e-3)
    # Monte Carlo agrees: at this multiplier, delta is what was asked for.
    (estimate,) = pairs.deltas(found.multiplier, [1.0], 5, 0.1, 0.0, 40_000, rng())
    assert abs(estimate.value - 1e-2) < 4.0 * estimate.standard_error


@pytest.mark.parametrize("name", accountants.ESTIMATED)
def test_multipliers_by_monte_carlo_hold_for_fresh_draws(name):
    found = calibrate(name, lam=0.8, draws=20_000)
    module, rate = (pairs, 0.1) if name == "F8" else (bins, 10)
    (fresh,) = module.deltas(found.multiplier, [1.0], 20, rate, 0.8, 20_000, rng(2))
    assert abs(fresh.value - 1e-2) < 4.0 * math.hypot(fresh.standard_error, found.standard_error)
    assert found.multiplier < calibrate("cyclic" if name == "bnb" else "mixture", lam=0.8).multiplier


# T = 100, r = 0.1, delta = 1e-3 at eps = 2 (F8), and T = 200 at eps = 1 and 8 (bins): an earlier calculation by Monte
# Carlo with 12 000 and 20 000 outputs. At such a delta the multiplier is known to some per cent only.
@pytest.mark.parametrize(("lam", "kappa"), [(0.4, 2.52), (0.8, 7.14), (0.95, 25.1)])
def test_multipliers_of_theorem_f8_worked_before(lam, kappa):
    assert calibrate("F8", lam, 100, eps=2.0, delta=1e-3).multiplier == pytest.approx(kappa, rel=0.1)


@pytest.mark.parametrize(
    ("lam", "small", "large"), [(0.0, 4.87, 1.76), (0.6, 9.24, 2.26), (0.95, 67.0, 12.7), (0.99, 227.0, 41.8)]
)
def test_multipliers_of_balls_in_bins_worked_before(lam, small, large):
    found = accountants.calibrate_many(
        "bnb", T=200, rate=0.1, lam=lam, eps=[1.0, 8.0], delta=[1e-3], draws=20_000, rng=rng()
    )
    assert [each.multiplier for each in found.values()] == pytest.approx([small, large], rel=0.06)


@pytest.mark.parametrize("name", ["F8", "bnb", "tail"])
def test_many_at_once_are_those_one_by_one(name):
    many = accountants.calibrate_many(
        name, T=20, rate=0.1, lam=0.5, eps=[0.5, 4.0], delta=[1e-2, 3e-2], draws=2000, rng=rng()
    )
    assert list(many) == [(0.5, 1e-2), (0.5, 3e-2), (4.0, 1e-2), (4.0, 3e-2)]
    assert many[4.0, 1e-2] == calibrate(name, eps=4.0, draws=2000)
    assert many[0.5, 1e-2].multiplier > many[0.5, 3e-2].multiplier > many[4.0, 3e-2].multiplier


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: calibrate("F9"), "name='F9' is none of"),
        (lambda: calibrate("D9"), r"lam=0\.5 must be 0 for D9"),
        (lambda: calibrate("F8", draws=0), "draws=0"),
        (lambda: accountants.calibrate("bnb", T=9, rate=0.1, lam=0.5, eps=1.0, delta=0.1, draws=9), "rng=None"),
        (lambda: calibrate("bnb", rate=0.3), r"rate=0\.3 is no reciprocal"),
        (lambda: calibrate("cyclic", rate=0.3), r"rate=0\.3 is no reciprocal"),
        (lambda: calibrate("bnb", lam=1.0), r"lam=1\.0"),
        (lambda: calibrate("bnb", eps=0.0), "eps must be positive, got 0.0"),
        (lambda: calibrate("F8", delta=0.0), r"delta=0\.0"),
        (lambda: pairs.deltas(0.0, [1.0], 5, 0.1, 0.5, 100, rng()), "kappa must be positive, got 0.0"),
        (lambda: pairs.log_ratio(np.ones((1, 5)), 1.0, 0.0, 0.5), r"rate=0\.0"),
        (lambda: pairs.independent_delta(0.0, 1.0, 5, 0.1, "up"), "kappa must be positive, got 0.0"),
        (lambda: bins.deltas(1.0, [1.0], 5, 0, 0.5, 100, rng()), "period must be positive, got 0"),
        (lambda: counterexample.deltas(1.0, [1.0], 0, 0.1, 0.5, 100, rng()), "T=0"),
        (lambda: counterexample.one_step_delta(1.0, 1.0, 1.5), r"rate=1\.5"),
    ],
)  # fmt: skip
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_rounded_down_is_zero_where_nothing_is_attained():
    """The mass that is cut off is no loss."""
    assert pairs.independent_delta(20.0, 1.0, 300, 0.01, "down") == 0.0
    assert pairs.independent_delta(20.0, 1.0, 300, 0.01, "up") < 1e-14 + 300 * losses.ROUNDING
