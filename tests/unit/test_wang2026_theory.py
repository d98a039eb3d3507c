"""Formulas of wang2026: against numbers worked by hand, finite differences, simulated runs, and each other."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import linprog
from scipy.special import ndtr

from dpdescent.data import separable
from dpdescent.models.kan import KAN, logistic, logistic_slope
from dpdescent.models.spline import CubicSplines
from dpdescent.papers.wang2026 import attained, corollaries, explicit, network, rates, stability
from dpdescent.papers.wang2026.corollaries import Point
from dpdescent.papers.wang2026.explicit import Comparator, Setting
from dpdescent.papers.wang2026.network import Constants
from dpdescent.papers.wang2026.rates import Run

FIVE = CubicSplines(5)


class Task:
    """Records, start and second layer of one small network, with everything written out at once."""

    def __init__(self, m=16, d=2, n=30, seed=0, cells=5):
        rng = np.random.default_rng(seed)
        self.kan = KAN(d, m, CubicSplines(cells))
        self.x, self.y = separable.draw("D1", d, 0.3, n, rng)
        self.H = self.kan.features(self.x)
        self.W, self.c = self.kan.initial(rng)
        self.heads = self.kan.heads(self.c)

    def outputs(self, W):
        return self.kan.outputs(W, self.H, self.heads)

    def gradients(self, W):
        """Of f at every record, (n, m, dp)."""
        factors = self.kan.outputs_and_factors(W, self.H, self.heads)[1]
        return factors[:, :, None] * self.H[:, None, :]

    def losses(self, W):
        return logistic(self.y * self.outputs(W))

    def loss_gradients(self, W):
        """Of the loss at every record, (n, m, dp)."""
        slopes = self.y * logistic_slope(self.y * self.outputs(W))
        return slopes[:, None, None] * self.gradients(W)


def plain_setting(**changes) -> Setting:
    given = {
        "n": 1000, "B": 100, "T": 500, "parameters": 2048, "eta": 0.02, "lam": 0.5, "c_priv": 0.05,
        "gradient_bound": 2.0, "hessian_bound": 1.0, "beta": 2.0, "delta_Z": 0.01, "delta_D": 0.02, "delta_pot": 0.03,
    }  # fmt: skip
    return Setting(**{**given, **changes})


# Constants ------------------------------------------------------------------------------------------------------------


def test_assumption_3_2_at_five_cells():
    assert FIVE.count == 8
    assert (FIVE.largest_value, FIVE.largest_first, FIVE.largest_second) == pytest.approx((0.6667, 1.6667, 12.5), 1e-4)
    assert pytest.approx(0.7698, abs=1e-4) == network.TANH_SECOND
    a = np.linspace(-4.0, 4.0, 200001)
    u = np.tanh(a)
    assert np.abs(-2.0 * u * (1.0 - u**2)).max() == pytest.approx(network.TANH_SECOND, rel=1e-6)


@pytest.mark.parametrize("cells", [1, 3, 5, 8])
def test_sharp_norms_of_the_basis_are_attained(cells):
    splines = CubicSplines(cells)
    sharp, u = Constants.sharp(splines), np.linspace(-1.0, 1.0, 20 * cells + 1)
    for bound, basis in (
        (sharp.norm_h, splines.values),
        (sharp.norm_h1, splines.first),
        (sharp.norm_h2, splines.second),
    ):
        assert np.linalg.norm(basis(u), axis=1).max() == pytest.approx(bound, rel=1e-12)
    paper = Constants.paper(splines)
    assert paper.norm_h >= sharp.norm_h
    assert paper.norm_h1 > sharp.norm_h1
    assert paper.norm_h2 > sharp.norm_h2


def test_hessian_bound_of_equation_4_and_smoothness():
    m, paper, sharp = 64, Constants.paper(FIVE), Constants.sharp(FIVE)
    bracket = 4.0 * math.sqrt(8) + 2.0 * math.sqrt(math.log(2 * m / 0.01))
    printed = (2 / 3) ** 2 * (network.TANH_SECOND * 5 / 3 + 12.5) * 8**1.5 / math.sqrt(m) * bracket
    assert paper.hessian_bound(m, 0.01) == pytest.approx(printed, rel=1e-12)
    betas = [network.smoothness(c.gradient_bound(m, 0.01), c.hessian_bound(m, 0.01)) for c in (paper, sharp)]
    assert betas[0] == pytest.approx(paper.gradient_bound(m, 0.01) ** 2 / 4.0 + printed, rel=1e-12)
    assert 2700.0 < betas[0] < 3100.0
    assert betas[1] < betas[0] / 10.0
    assert network.largest_step(betas[0]) == pytest.approx(1.0 / (12.0 * betas[0]))


def test_initial_output_bound_of_equation_15():
    assert Constants.paper(FIVE).initial_output_bound(1000, 0.01) == pytest.approx(
        2 / 3 * math.sqrt(16.0 * math.log(2e5)), rel=1e-12
    )
    ceiling = Constants.paper(FIVE).output_ceiling(1000, 100.0, 3.0, 0.01)
    assert ceiling == pytest.approx(2 / 3 * math.sqrt(16.0 * math.log(4e5)) + 300.0, rel=1e-12)
    assert network.loss_ceiling(ceiling) == pytest.approx(ceiling, rel=1e-12)
    assert network.loss_ceiling(0.0) == pytest.approx(math.log(2.0))


def test_event_at_the_start():
    m, p, rng = 50, 8, np.random.default_rng(1)
    c = rng.standard_normal((m, p))
    assert network.initial_event(c, 0.01)
    whole, unit = network.layer_norm_bound(m, p, 0.01), network.unit_norm_bound(m, p, 0.01)
    assert not network.initial_event(c * 1.001 * whole / np.linalg.norm(c), 0.01)
    # One long unit alone breaks the second half only.
    c[0] *= 1.001 * unit / np.linalg.norm(c[0])
    assert np.linalg.norm(c) < whole
    assert not network.initial_event(c, 0.01)


@pytest.mark.parametrize("cells", [1, 3, 5])
def test_sharp_bounds_of_one_second_layer(cells):
    """Against the largest values on a fine grid of u; the bounds may exceed them by a little."""
    kan = KAN(2, 7, CubicSplines(cells))
    c = np.random.default_rng(2).standard_normal((3, 7, kan.splines.count))
    u = np.linspace(-1.0, 1.0, 4000 * cells + 1)
    first, second = (np.einsum("smp,up->smu", c, basis(u)) for basis in (kan.splines.first, kan.splines.second))
    slopes = np.abs((1.0 - u**2) * first).max(axis=-1)
    bends = np.abs(-2.0 * u * (1.0 - u**2) * first + (1.0 - u**2) ** 2 * second).max(axis=-1)
    exact_gradient, exact_hessian = math.sqrt(0.5 * 1.0) * np.sqrt((slopes**2).mean(axis=1)), 0.5 * bends.max(axis=1)
    for found, exact in (
        (network.sharp_gradient_bound(kan, c), exact_gradient),
        (network.sharp_hessian_bound(kan, c), exact_hessian / math.sqrt(7)),
    ):
        assert found.shape == (3,)
        assert (found >= exact * (1.0 - 1e-9)).all()
        assert found == pytest.approx(exact, rel=0.03 if cells == 1 else 4e-3)


@pytest.mark.parametrize("scale", [1.0, 10.0])
def test_bounds_hold_for_a_network(scale):
    task = Task(m=24, d=3, n=60)
    W = scale * task.W
    gradients = task.loss_gradients(W).reshape(60, -1)
    sharp_gradient = float(network.sharp_gradient_bound(task.kan, task.c))
    sharp_hessian = float(network.sharp_hessian_bound(task.kan, task.c))
    blocks = np.abs(task.kan.curvature(W, task.H, task.heads)) / (3 * math.sqrt(24))
    hessian = (blocks.max(axis=1) * (task.H**2).sum(axis=1)).max()
    assert np.linalg.norm(gradients, axis=1).max() <= sharp_gradient
    assert hessian <= sharp_hessian
    for each in (Constants.sharp(task.kan.splines), Constants.paper(task.kan.splines)):
        assert sharp_gradient < each.gradient_bound(24, 0.01)
        assert sharp_hessian < each.hessian_bound(24, 0.01)
        assert np.abs(task.outputs(task.W)).max() < each.initial_output_bound(60, 0.01)


def test_hessian_of_the_network_by_finite_differences():
    task, step = Task(m=3, d=2, n=2), 1e-5
    bend = task.kan.curvature(task.W, task.H, task.heads) / (2 * math.sqrt(3))
    for j, k in product(range(3), range(16)):
        shift = np.zeros_like(task.W)
        shift[j, k] = step
        column = (task.gradients(task.W + shift) - task.gradients(task.W - shift)) / (2.0 * step)
        expected = np.zeros_like(column)
        expected[:, j] = bend[:, j, None] * task.H[:, k, None] * task.H
        assert column == pytest.approx(expected, abs=2e-8)


# Margin ---------------------------------------------------------------------------------------------------------------


def margin_of(task):
    factors = task.kan.outputs_and_factors(task.W, task.H, task.heads)[1]
    return network.margin(task.H, factors, task.y), factors


@pytest.mark.parametrize(("m", "n"), [(16, 30), (64, 100), (4, 40)])
def test_margin_primal_is_dual(m, n):
    task = Task(m=m, n=n)
    found, factors = margin_of(task)
    assert found.value == pytest.approx(found.dual, rel=1e-6)
    assert found.weights.sum() == pytest.approx(1.0)
    assert (found.weights >= 0.0).all()
    u = found.direction(task.H, factors)
    assert np.linalg.norm(u) == pytest.approx(1.0, rel=1e-9)
    margins = task.y * np.einsum("nmk,mk->n", task.gradients(task.W), u)
    assert margins.min() == pytest.approx(found.value, rel=1e-9)
    # Records that carry weight lie on the margin.
    assert margins[found.weights > 1e-6] == pytest.approx(found.value, rel=1e-4)


def test_margin_is_the_largest():
    """No direction does better: one of the largest margin in the max-norm, by a linear programme, and nearby ones."""
    task = Task(m=6, d=1, n=15)
    found, factors = margin_of(task)
    signed = (task.y[:, None, None] * task.gradients(task.W)).reshape(15, -1)
    size = signed.shape[1]
    problem = linprog(
        np.append(np.zeros(size), -1.0), A_ub=np.hstack([-signed, np.ones((15, 1))]), b_ub=np.zeros(15),
        bounds=[(-1.0, 1.0)] * size + [(None, None)],
    )  # fmt: skip
    rival = problem.x[:size] / np.linalg.norm(problem.x[:size])
    assert 0.0 < (signed @ rival).min() <= found.value * (1.0 + 1e-9)
    u, rng = found.direction(task.H, factors).ravel(), np.random.default_rng(0)
    for _ in range(200):
        near = u + 0.1 * rng.standard_normal(size) / math.sqrt(size)
        assert (signed @ near).min() / np.linalg.norm(near) < found.value


def test_labels_that_contradict_each_other_have_no_margin():
    task = Task(n=10)
    H = np.vstack([task.H, task.H[:1]])
    factors = task.kan.outputs_and_factors(task.W, H, task.heads)[1]
    found = network.margin(H, factors, np.append(task.y, -task.y[0]))
    assert found.value <= 1e-6
    assert found.dual == pytest.approx(0.0, abs=1e-6)


def test_comparator_distance():
    sharp = Constants.sharp(FIVE)
    few, many = (network.comparator_distance(0.1, 1000, T, sharp, 0.01) for T in (2, 1e6))
    assert few == pytest.approx(20.0 * sharp.initial_output_bound(1000, 0.01))
    assert many == pytest.approx(40.0 * math.log(1e6))
    assert network.radius(0.1, 1000, 100, 0.01) == pytest.approx(10.0 * (math.log(100) + math.sqrt(math.log(1e5))))


# Explicit bound -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("B", [1, 3, 7])
def test_batch_variance_of_lemma_b2(B):
    """Averaged over all batches there are."""
    from itertools import combinations

    values = np.random.default_rng(3).standard_normal((7, 4))
    squares = [
        np.sum((values[list(rows)].mean(axis=0) - values.mean(axis=0)) ** 2) for rows in combinations(range(7), B)
    ]
    spread = np.mean(np.sum((values - values.mean(axis=0)) ** 2, axis=1))
    assert np.mean(squares) == pytest.approx((7 - B) / (B * 6) * spread, rel=1e-12, abs=1e-14)
    largest = np.linalg.norm(values, axis=1).max()
    bound = plain_setting(n=7, B=B, gradient_bound=largest).batch_deviation_squared
    assert np.mean(squares) <= bound + 1e-14
    assert (bound == 0.0) == (B == 7)


@pytest.mark.parametrize(("T", "D", "delta"), [(3, 6, 0.5), (5, 40, 0.5), (30, 10, 0.3)])
def test_noise_of_lemma_c5(T, D, delta):
    """Both halves fail at most delta/2 of the time, and a fifth of the sum's excess would fail more often."""
    setting, draws = plain_setting(T=T, parameters=D, delta_Z=delta), 20000
    rng = np.random.default_rng(4)
    squares = rng.chisquare(D, (draws, T - 1))
    z, V_Z = explicit.largest_noise(setting), explicit.noise_sum(setting)
    assert (np.sqrt(squares.max(axis=1)) > z).mean() <= 0.5 * delta
    assert (squares.sum(axis=1) > V_Z).mean() <= 0.5 * delta
    mean = (T - 1) * D
    assert (squares.sum(axis=1) > mean + 0.2 * (V_Z - mean)).mean() > 0.5 * delta
    log = math.log(2.0 / delta)
    assert pytest.approx(mean + 2.0 * math.sqrt(mean * log) + 2.0 * log, rel=1e-12) == V_Z
    assert z == pytest.approx(math.sqrt(D) + math.sqrt(2.0 * math.log(2.0 * T / delta)), rel=1e-12)


@pytest.mark.parametrize(("B", "delta"), [(1, 0.5), (2, 0.2), (5, 0.5)])
def test_batches_of_lemma_c6(B, delta):
    n, T, draws, rng = 10, 8, 4000, np.random.default_rng(6)
    values = rng.standard_normal((n, 3))
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    picked = rng.random((draws, T, n)).argsort(axis=-1)[..., :B]
    squares = np.sum((values[picked].mean(axis=2) - values.mean(axis=0)) ** 2, axis=-1).sum(axis=1)
    setting = plain_setting(n=n, B=B, T=T, gradient_bound=1.0, delta_D=delta)
    V_D = explicit.batch_sum(setting)
    assert pytest.approx(2.0 * T / B + 8.0 * math.log(1.0 / delta), rel=1e-12) == V_D
    assert (squares > V_D).mean() <= delta
    assert explicit.batch_sum(replace(setting, B=n)) == 0.0


@pytest.mark.parametrize(
    ("lam", "c", "loss", "B"), list(product((0.0, 0.5, 0.9), (0.0, 0.05), (0.0, 0.02), (100, 1000)))
)
def test_shifted_radius_solves_equation_10(lam, c, loss, B):
    setting, comparator = plain_setting(lam=lam, c_priv=c, B=B), Comparator(loss, 20.0)
    R = explicit.shifted_radius(setting, comparator)
    assert explicit.self_consistency(setting, comparator, R) == pytest.approx(R**2, rel=1e-12)
    assert explicit.self_consistency(setting, comparator, 0.999 * R) > (0.999 * R) ** 2
    assert explicit.self_consistency(setting, comparator, 1.1 * R) < (1.1 * R) ** 2


def test_equation_10_written_out():
    s, comparator, R = plain_setting(), Comparator(0.01, 3.0), 7.0
    D, eta, c, T, B, G, beta, lam = 2048, 0.02, 0.05, 500, 100, 2.0, 2.0, 0.5
    log = math.log(6.0 / 0.03)
    V_Z, V_D = explicit.noise_sum(s), explicit.batch_sum(s)
    M = 4.0 * math.sqrt(2.0) * eta * G * R * math.sqrt(T * log / B)
    M += 4.0 * (1.0 - lam) * eta * c * R * math.sqrt(T * log)
    M += 4.0 * (1.0 - lam) * eta**2 * c * G * math.sqrt(V_Z * log / B)
    assert explicit.potential(s, R) == pytest.approx(M, rel=1e-12)
    left = 9.0 + 8.0 / 3.0 * eta * T * 0.01 + M + 2.0 * eta**2 * V_D
    left += ((1.0 - lam) ** 2 * eta**2 * c**2 + 12.0 * beta * lam**2 * eta**3 * c**2) * V_Z
    assert explicit.self_consistency(s, comparator, R) == pytest.approx(left, rel=1e-12)
    Rbar = explicit.shifted_radius(s, comparator)
    M, terms = explicit.potential(s, Rbar), explicit.correlated_bound(s, comparator)
    bound = 8.0 * 0.01 + 27.0 / (eta * T) + 3.0 * M / (eta * T) + 6.0 * eta * V_D / T
    bound += 3.0 * ((1.0 - lam) ** 2 * eta + 12.0 * beta * lam**2 * eta**2) * c**2 * V_Z / T
    assert terms.total == pytest.approx(bound, rel=1e-12)
    z = math.sqrt(D) + math.sqrt(2.0 * math.log(2.0 * T / 0.01))
    assert explicit.localisation(s, R) == pytest.approx(1.0 * (R + eta * c * z) ** 2, rel=1e-12)
    assert explicit.smallest_radius(s, comparator, R) == pytest.approx(R + 3.0 + eta * c * z, rel=1e-12)
    # 3 / (eta T) times the left side of (10) without the first constant: the two statements are one (eq. 11).
    own = 3.0 / (eta * T) * explicit.self_consistency(s, comparator, Rbar)
    assert terms.total == pytest.approx(own, rel=1e-12)


def test_independent_bound_written_out():
    s, comparator = plain_setting(lam=0.0), Comparator(0.01, 3.0)
    eta, c, T, B, G, R = 0.02, 0.05, 500, 100, 2.0, 11.0
    log_pot, freedom, log_Z = math.log(4.0 / 0.03), T * 2048, math.log(1.0 / 0.01)
    terms = explicit.independent_bound(s, comparator, R)
    assert terms.comparator + terms.start == pytest.approx(0.04 + 1.5 * 9.0 / (eta * T), rel=1e-12)
    linear = 6.0 * math.sqrt(2.0) * R * (G * math.sqrt(T * log_pot / B) + c * math.sqrt(T * log_pot)) / T
    assert terms.potential == pytest.approx(linear, rel=1e-12)
    V_Z = freedom + 2.0 * math.sqrt(freedom * log_Z) + 2.0 * log_Z
    assert terms.batches == pytest.approx(6.0 * eta * explicit.batch_sum(s) / T, rel=1e-12)
    assert terms.noise == pytest.approx(6.0 * eta * c**2 * V_Z / T, rel=1e-12)
    with pytest.raises(ValueError, match=r"lam=0\.5 must be 0"):
        explicit.independent_bound(plain_setting(), comparator, R)


def test_settings_that_can_not_be():
    with pytest.raises(ValueError, match="B=2000 must not exceed n=1000"):
        plain_setting(B=2000)
    with pytest.raises(ValueError, match=r"lam=1\.0 must be below 1"):
        plain_setting(lam=1.0)
    with pytest.raises(ValueError, match="delta_Z"):
        plain_setting(delta_Z=0.0)


# One step -------------------------------------------------------------------------------------------------------------


def test_comparator_inequality_fails_far_from_the_start():
    """So that it says something where it holds: here it is not a matter of course."""
    task = Task(m=32, n=40)
    away = task.W + 60.0 * np.random.default_rng(1).standard_normal(task.W.shape)
    risk, gradient = float(task.losses(away).mean()), task.loss_gradients(away).mean(axis=0)
    target = task.W
    for _ in range(300):
        target = target - 4.0 * task.loss_gradients(target).mean(axis=0)
    assert explicit.comparator_slack(risk, gradient, away, target, float(task.losses(target).mean())) < 0.0


# Rates ----------------------------------------------------------------------------------------------------------------


def plain_run(**changes) -> Run:
    given = {
        "n": 1e4, "B": 500.0, "T": 300.0, "m": 64.0, "d": 4.0, "gamma": 0.1, "eta": 0.5, "lam": 0.4, "kappa": 3.0,
        "delta": 1e-3,
    }  # fmt: skip
    return Run(**{**given, **changes})


def test_correlated_rate_written_out():
    B, T, md, g, eta, lam, k = 500.0, 300.0, 256.0, 0.1, 0.5, 0.4, 3.0
    found = rates.correlated(plain_run())
    assert found.start == pytest.approx(1.0 / (g**2 * eta * T))
    assert found.potential == pytest.approx(1.0 / (g * math.sqrt(B * T)))
    assert found.batches == pytest.approx(eta * (1.0 / B + 1.0 / T))
    assert found.linear == pytest.approx((1 - lam) * k / (B * math.sqrt(T)) * (1 / g + eta * math.sqrt(md / B)))
    assert found.quadratic == pytest.approx(((1 - lam) ** 2 + lam**2 * eta) * eta * k**2 * md / B**2)
    assert found.total == pytest.approx(
        found.start + found.potential + found.batches + found.linear + found.quadratic
    )  # fmt: skip
    kept = rates.correlated(plain_run(), logs=True)
    reach = math.log(T) ** 2 + math.log(1e7)
    assert kept.start == pytest.approx(reach * found.start)
    assert kept.potential == pytest.approx(math.sqrt(reach * math.log(1e4 * T / 1e-3)) * found.potential)


def test_independent_rate_written_out():
    B, T, md, g, eta, k, log = 500.0, 300.0, 256.0, 0.1, 0.5, 3.0, math.log(1e3)
    run = plain_run(lam=0.0)
    reach = math.log(T) + math.sqrt(math.log(1e7))
    found = rates.independent(run, logs=True)
    assert found.start == pytest.approx((math.log(T) ** 2 + math.log(1e7)) / (g**2 * eta * T))
    assert found.potential == pytest.approx(log * reach / (g * math.sqrt(B * T)))
    assert found.linear == pytest.approx(log * reach * k / (g * B * math.sqrt(T)))
    assert found.batches == pytest.approx(eta * log * (1.0 / B + log / T))
    assert found.quadratic == pytest.approx(eta * md * log**2 * k**2 / B**2)
    plain, bare = rates.independent(run), rates.without_noise(run)
    assert plain.start + plain.potential == pytest.approx(bare.start + bare.potential)
    assert bare.total == pytest.approx(1 / (g**2 * eta * T) + 1 / (g * math.sqrt(B * T)) + eta / B)
    # At lambda = 0 the correlated rate has one term more, in the linear part.
    assert rates.correlated(run).linear - plain.linear == pytest.approx(k * eta * math.sqrt(md) / (B**1.5 * T**0.5))
    with pytest.raises(ValueError, match=r"lam=0\.4 must be 0"):
        rates.independent(plain_run())


@pytest.mark.parametrize("rate", [rates.correlated, rates.independent, rates.without_noise])
def test_full_batches_do_not_fluctuate(rate):
    found = rate(plain_run(n=500.0, lam=0.0))
    assert found.potential == found.batches == 0.0
    assert found.start > 0.0


def test_conditions_of_theorem_4_1():
    B, T, d, g, eta, lam, k = 500.0, 300.0, 4.0, 0.1, 0.5, 0.4, 3.0
    run, weight = plain_run(), (1 - lam) ** 2 + lam**2 * eta
    expected = eta * g * math.sqrt(T) * (B**-0.5 + k * (1 - lam) / B) + eta**2 * g**2 * (T / B + 1)
    assert rates.step_condition(run) == pytest.approx(expected)
    assert rates.largest_width(run) == pytest.approx(B**2 / (eta**2 * k**2 * g**2 * d) / (T * weight))
    # Where T w < 1 the other limit is the smaller one.
    assert rates.largest_width(plain_run(T=1.0, lam=0.5)) == pytest.approx(B**2 / (eta**2 * k**2 * g**2 * d))
    assert rates.largest_width(plain_run(kappa=0.0)) == math.inf
    assert rates.least_width(run) == pytest.approx(1e4)
    m, reach = rates.least_width(run, logs=True), math.log(T) ** 2 + math.log(1e7)
    assert m == pytest.approx(math.log(m / 1e-3) * reach * 1e4, rel=1e-9)
    assert rates.largest_width(run, logs=True) == pytest.approx(reach * rates.largest_width(run))


def test_width_of_the_theorems_on_population_risk():
    B, T, g, eta = 500.0, 300.0, 0.1, 0.5
    run, plain = plain_run(), plain_run(lam=0.0)
    inner = T * rates.correlated(run).total + (1 + 1 / g) * (math.sqrt(T / B) + 1)
    assert rates.population_width(run) == pytest.approx((eta / g * inner) ** 2)
    total = rates.independent(plain).total
    assert rates.population_width(plain) == pytest.approx(eta**2 * (T**2 * total**2 + T / B + 1))
    log, records, width = math.log(1e3), math.log(1e7), math.log(run.m / 1e-3)
    reach = (math.log(T) + math.sqrt(records)) / g
    inner = T * rates.correlated(run, logs=True).total + (records + reach) * (math.sqrt(T * log / B) + log)
    assert rates.population_width(run, logs=True) == pytest.approx(width * (reach * eta * inner) ** 2)
    total = rates.independent(plain, logs=True).total
    expected = width * eta**2 * (T**2 * total**2 + records * log**2 * (T / B + 1))
    assert rates.population_width(plain, logs=True) == pytest.approx(expected)


# Prescriptions --------------------------------------------------------------------------------------------------------


def test_prescriptions_written_out():
    at = Point(1e4, 4.0, 0.1, 1.0)
    run = corollaries.corollary_5_3(at)
    assert (run.B, run.T, run.m, run.eta) == pytest.approx((2000.0, 50.0, 1e6, 1.0))
    assert run.delta == pytest.approx(1e-7)
    assert run.kappa == pytest.approx(2.0 * math.sqrt(10.0))
    run = corollaries.corollary_5_5(at)
    assert (run.B, run.T, run.m, run.eta, run.delta) == pytest.approx((10.0, 1000.0, 1e4, 0.5, 1e-5))
    assert run.kappa == pytest.approx(1e-3 * math.sqrt(1000.0))
    run = corollaries.corollary_5_6(at)
    assert (run.B, run.T, run.m, run.eta, run.delta) == pytest.approx((10.0, 1e9, 1e4, 1e-3, 1e-3))
    run = corollaries.full_batch_private(at)
    assert (run.B, run.T, run.m, run.eta, run.kappa) == pytest.approx((1e4, 1e4, 1e4, 0.05, 100.0))
    run = corollaries.full_batch(at)
    assert (run.B, run.T, run.m, run.eta, run.kappa) == pytest.approx((1e4, 1e6, 1e4, 1.0, 0.0))


# Stability ------------------------------------------------------------------------------------------------------------


def test_stability_bounds_written_out():
    assert stability.on_average(0.5, 2.0, 200, 100.0, 60.0, 0.0) == pytest.approx(
        2.0 * math.e * 0.5 * 2.0 * 100.0 / 200
    )
    plain = stability.on_average(0.5, 2.0, 200, 100.0, 60.0, 0.01, factor=1.0)
    assert plain == pytest.approx(1.0 + 1.2)
    assert stability.on_average(0.5, 2.0, 200, 100.0, math.inf, 0.0, factor=1.0) == pytest.approx(1.0)
    log = math.log(100.0)
    expected = 7.0 + 3.0 * (math.sqrt(2.0 * 50 * log / 5) + 2.0 / 3.0 * log)
    assert stability.batch_losses(7.0, 3.0, 50, 5, 0.01) == pytest.approx(expected)
    # Two runs, each with the same bound.
    assert stability.growth_bound(0.5, 0.2, 7.0) == pytest.approx(2.8)


def test_batch_losses_of_lemma_c19():
    rng, n, B, T, draws = np.random.default_rng(11), 12, 3, 10, 4000
    losses = rng.uniform(0.0, 2.0, n)
    picked = rng.random((draws, T, n)).argsort(axis=-1)[..., :B]
    sums = losses[picked].mean(axis=2).sum(axis=1)
    assert (sums > stability.batch_losses(T * losses.mean(), losses.max(), T, B, 0.5)).mean() <= 0.5


# What data sets attain ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kappa", "rate", "alpha", "shift"),
    [(2.0, 0.1, 3.5, 2.0), (3.0, 0.05, 2.2, 2.0), (1.5, 0.3, 7.0, 2.0), (6.0, 0.1, 14.3, 2.0), (1.0, 0.6, 4.4, 1.0)],
)
def test_renyi_divergence_of_a_step_by_quadrature(kappa, rate, alpha, shift):
    """Also at orders that are no integers, where the binomial sum does not end."""

    def integrand(x):
        log = np.logaddexp(math.log1p(-rate), math.log(rate) + (shift * x - shift**2 / 2) / kappa**2)
        return math.exp(alpha * log - x**2 / (2 * kappa**2)) / math.sqrt(2 * math.pi) / kappa

    ends = (-12 * kappa, alpha * shift + 12 * kappa)
    value, _ = quad(integrand, *ends, limit=2000, points=[0.0, shift, (alpha - 1) * shift, alpha * shift])
    expected = math.log(value) / (alpha - 1)
    assert attained.renyi_divergence(kappa, rate, alpha, shift) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("shift", [attained.REMOVED, attained.REPLACED])
def test_delta_of_one_step_is_exact(shift):
    """The hockey-stick divergence by quadrature; the best threshold is where the likelihood ratio is e^eps."""
    kappa, rate, eps = 1.3, 0.2, 0.5
    edge = kappa**2 / shift * math.log((math.exp(eps) - 1 + rate) / rate) + shift / 2
    below = ndtr(-edge / kappa)
    expected = (1 - rate) * below + rate * ndtr((shift - edge) / kappa) - math.exp(eps) * below
    assert attained.delta_by_largest(kappa, eps, 1, rate, shift) == pytest.approx(expected, rel=1e-4)


def test_delta_of_many_steps_by_simulation():
    """The test's own gain on simulated outputs, at a threshold of our own, is no more than that at the best one."""
    kappa, rate, eps, T = 0.6, 0.01, 1.0, 50
    rng = np.random.default_rng(4)
    noise = kappa * rng.standard_normal((40_000, T))
    moved = noise + 2.0 * (rng.random(noise.shape) < rate)
    gains = [np.mean(moved.max(1) > c) - math.e * np.mean(noise.max(1) > c) for c in (1.8, 2.0, 2.2, 2.4)]
    assert attained.delta_by_largest(kappa, eps, T, rate) == pytest.approx(max(gains), abs=0.01)


def test_noise_exceeds_its_bounds_as_seldom_as_draws_do():
    """T = 11, 30 parameters, delta = 0.5: 20,000 draws."""
    found = explicit.noise_exceeds(11, 30, 0.5)
    squares = np.random.default_rng(2).chisquare(30, (20_000, 10))
    setting = plain_setting(T=11, parameters=30, delta_Z=0.5)
    largest = np.mean(squares.max(1) > explicit.largest_noise(setting) ** 2)
    total = np.mean(squares.sum(1) > explicit.noise_sum(setting))
    assert found == {"largest": pytest.approx(largest, abs=5e-3), "sum": pytest.approx(total, abs=5e-3)}
