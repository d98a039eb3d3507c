"""choquettechoo2023 Thm 3.1: multipliers against the matrices as printed, the bound against exact errors, Figure 3."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize

from dpdescent.papers.choquettechoo2023 import multipliers, nonquadratic, strongly_convex
from dpdescent.papers.choquettechoo2023.multipliers import Descent, Multiplier
from dpdescent.papers.choquettechoo2023.strongly_convex import Noise, StronglyConvexProblem

STEEP = Descent(eta=0.5, mu=0.1, L=1.0)


def problem(eta, kappa, rho=1.0, clip_norm=1.0, d=1, sigma_sgd=0.0, L=1.0):
    return StronglyConvexProblem(Descent(eta, L / kappa, L), rho, clip_norm, d, sigma_sgd)


def grid_of(setting, points=300, name="graded"):
    return strongly_convex.frequency_grid(name, points, setting.descent.eta * setting.descent.mu)


def values(setting, T_max, sign="minus", points=300, name="graded"):
    """The bound of DP-SGD, nu-DP-FTRL and the optimised noise."""
    grid = grid_of(setting, points, name)
    noises = [Noise.independent(grid), strongly_convex.nu_noise(setting, grid)]
    found = [strongly_convex.bound(setting, grid, noise, T_max=T_max, sign=sign) for noise in noises]
    return [bound.value for bound in [*found, strongly_convex.optimised(setting, grid, T_max=T_max, sign=sign)]]


def random_multiplier(rng, T_max, sign, descent):
    """A multiplier that meets the constraint of Theorem E.1 and, by its size, allows a psi everywhere with no lag."""
    lambdas = rng.dirichlet(np.ones(2 * T_max + 1)) * rng.uniform(0.0, 1.0)
    lambdas[T_max] = lambdas.sum() + rng.uniform(0.5, 3.0)
    return Multiplier(lambdas / (descent.mu * descent.L), sign)


def allowed(multiplier, descent):
    try:
        multiplier.psi(descent, np.linspace(0.0, np.pi, 400))
    except ValueError:
        return False
    return True


def slack_twin(descent, multiplier, omega, psi):
    """Smallest eigenvalue of `diag(-eta^2, eta^2 psi) - M_lambda` with the matrices of (89) as they are printed."""
    eta, mu, L = descent.eta, descent.mu, descent.L
    sign = {"minus": -1.0, "plus": 1.0}[multiplier.sign]
    Lambda = 0.0
    for t, weight in enumerate(multiplier.lambdas, start=-(len(multiplier.lambdas) // 2)):
        Lambda += (1.0 if t == 0 else sign) * weight * np.exp(-1j * omega * t)
    A = np.array([[eta, 0.0], [1.0 - np.exp(1j * omega), -eta]])
    cross = mu * Lambda + L * np.conj(Lambda)
    inner = np.array([[-mu * L * 2.0 * Lambda.real, cross], [np.conj(cross), -2.0 * Lambda.real]])
    right = np.diag([-(eta**2), eta**2 * psi])
    return np.linalg.eigvalsh(right - A.conj().T @ inner @ A)[0] / np.abs(right).max()


def piecewise(path, descent):
    """Gradients of the function with slope L right of zero and mu left of it, whose gradient is not odd."""
    return np.where(path > 0.0, descent.L, descent.mu) * path


# The smallest psi.


@pytest.mark.parametrize("sign", ["minus", "plus"])
@pytest.mark.parametrize("descent", [STEEP, Descent(0.1, 0.02, 1.0), Descent(0.3, 1.0, 2.5)])
def test_psi_is_the_smallest_that_the_printed_matrix_allows(sign, descent):
    rng, seen = np.random.default_rng(1), 0
    for _ in range(20):
        multiplier = random_multiplier(rng, 3, sign, descent)
        if not allowed(multiplier, descent):
            continue
        frequencies = rng.uniform(-np.pi, np.pi, 20)
        for omega, psi in zip(frequencies, multiplier.psi(descent, frequencies), strict=True):
            assert slack_twin(descent, multiplier, omega, psi) == pytest.approx(0.0, abs=1e-9)
            assert slack_twin(descent, multiplier, omega, 1.01 * psi) > -1e-12
            assert slack_twin(descent, multiplier, omega, 0.99 * psi) < 0.0
        seen += 1
    assert seen > 5


def test_inverse_does_not_cancel():
    tiny = np.array([1e-9, 0.5])
    expected = (1.0 - np.exp(0.5j)) / STEEP.eta
    found = STEEP.inverse(tiny)
    assert found[1] == pytest.approx(expected, rel=1e-14)
    # Of second order in omega: lost altogether in 1 - cos(omega).
    assert found[0].real == pytest.approx(1e-18 / 2.0 / STEEP.eta, rel=1e-6, abs=0.0)


@pytest.mark.parametrize(("eta", "kappa"), [(0.1, 1.01), (0.1, 100.0), (0.01, 1000.0), (1.0, 1.0), (0.5, 3.0)])
def test_static_multiplier_is_the_best_of_a_scan(eta, kappa):
    setting = problem(eta, kappa)
    grid, mu = grid_of(setting), 1.0 / kappa
    costs = grid.weights / (2.0 * np.pi)

    def value(log):
        lambda_0 = (1.0 + math.exp(log)) / (2.0 * mu)
        y = (1.0 - np.cos(grid.frequencies)) / eta * (2.0 / eta - mu - 1.0)
        return costs @ ((2.0 * lambda_0 + (lambda_0 * (1.0 - mu)) ** 2) / (2.0 * lambda_0 * (mu + y) - 1.0))

    scan = min(value(log) for log in np.linspace(-12.0, 12.0, 4001))
    found = strongly_convex.bound(setting, grid, Noise.independent(grid), T_max=0).value
    assert found <= scan * (1.0 + 1e-12)
    assert found == pytest.approx(scan, rel=2e-5)


@pytest.mark.parametrize("T_max", [0, 4])
@pytest.mark.parametrize("eta", [0.01, 0.3])
def test_one_curvature_is_exact(T_max, eta):
    setting = problem(eta, 1.0, L=0.7)
    grid = grid_of(setting)
    exact = 1.0 / np.abs((1.0 - np.exp(1j * grid.frequencies)) / eta - 0.7) ** 2
    found = strongly_convex.bound(setting, grid, Noise.independent(grid), T_max=T_max)
    assert found.multiplier.psi(setting.descent, grid.frequencies) == pytest.approx(exact, rel=1e-9)


# The conic programme.


@pytest.mark.parametrize("eta", [0.01, 0.1, 0.5])
@pytest.mark.parametrize("kappa", [1.0001, 1.01, 30.0, 1000.0])
def test_programme_without_lags_is_the_closed_form(eta, kappa):
    setting = problem(eta, kappa)
    grid = grid_of(setting)
    for noise in (Noise.independent(grid), strongly_convex.nu_noise(setting, grid)):
        costs = grid.weights * noise.power
        static, conic = (
            costs @ multiplier.psi(setting.descent, grid.frequencies)
            for multiplier in (
                multipliers.static_multiplier(setting.descent, grid.frequencies, costs),
                multipliers.conic_multiplier(setting.descent, grid.frequencies, costs, T_max=0, sign="minus"),
            )
        )
        assert conic == pytest.approx(static, rel=1e-6)


@pytest.mark.parametrize("sign", ["minus", "plus"])
@pytest.mark.parametrize(("eta", "kappa"), [(0.5, 10.0), (0.1, 100.0)])
def test_programme_finds_what_a_general_minimiser_finds(sign, eta, kappa):
    setting = problem(eta, kappa)
    grid = grid_of(setting, points=80)
    descent, frequencies, costs = setting.descent, grid.frequencies, grid.weights

    def value(x):
        # lambda_0 beyond the others' sum, and the others, each positive: the constraint by construction.
        first, second, beyond = np.exp(x)
        try:
            return math.log(costs @ Multiplier(np.array([first, first + second + beyond, second]), sign).psi(
                descent, frequencies
            ))  # fmt: skip
        except ValueError:
            return 1e3

    unit = float(multipliers.static_multiplier(descent, frequencies, costs).lambdas[0])
    starts = np.log(unit * np.array([[0.1, 0.1, 2.0], [0.01, 0.5, 2.0], [0.5, 0.01, 2.0]]))
    options = {"xatol": 1e-9, "fatol": 1e-13, "maxfev": 2500}
    twin = math.exp(min(minimize(value, start, method="Nelder-Mead", options=options).fun for start in starts))
    found = multipliers.best_multiplier(descent, frequencies, costs, T_max=1, sign=sign)
    assert costs @ found.psi(descent, frequencies) == pytest.approx(twin, rel=1e-6)
    static = multipliers.static_multiplier(descent, frequencies, costs)
    assert twin < 0.99 * (costs @ static.psi(descent, frequencies))


@pytest.mark.parametrize("sign", ["minus", "plus"])
def test_more_lags_never_hurt_and_psi_holds_between_the_points(sign):
    setting = problem(0.1, 100.0)
    grid, fine = grid_of(setting, points=600), grid_of(setting, points=4000)
    previous = math.inf
    for T_max in (0, 1, 5, 20):
        found = strongly_convex.bound(setting, grid, Noise.independent(grid), T_max=T_max, sign=sign)
        assert found.value <= previous * (1.0 + 1e-7)
        psi = found.multiplier.psi(setting.descent, fine.frequencies)
        elsewhere = strongly_convex.value_as_printed(setting, fine, Noise.independent(fine), psi)
        assert elsewhere == pytest.approx(found.value, rel=1e-5)
        previous = found.value
    assert previous < 0.9 * values(setting, 0)[0]


def test_failed_solver_is_reported_with_its_setting(monkeypatch):
    class Hopeless:
        def __init__(self, *args):
            pass

        def solve(self):
            return type("Solution", (), {"status": "InsufficientProgress"})

    monkeypatch.setattr(multipliers.clarabel, "DefaultSolver", Hopeless)
    with pytest.raises(RuntimeError, match=r"eta=0.1, mu=0.01.*T_max=5, sign='minus': InsufficientProgress"):
        values(problem(0.1, 100.0), 5)


# Which signs are valid.


def test_form_is_the_printed_integral():
    rng, sign = np.random.default_rng(3), "plus"
    path, gradients = rng.standard_normal((2, 12))
    lambdas, mu, L = np.array([0.1, 0.4, 2.0, 0.3, 0.2]), 0.2, 1.5
    # Zeros before and after, so that the discrete transform is the integral over frequencies.
    theta, g = (np.fft.fft(np.concatenate([v, np.zeros(20)])) for v in (path, gradients))
    omega = 2.0 * np.pi * np.arange(32) / 32
    Lambda = sum(weight * np.exp(-1j * omega * t) for t, weight in zip(range(-2, 3), lambdas, strict=True))
    cross = 2.0 * (theta.conj() * (mu * Lambda + L * Lambda.conj()) * g).real
    square = 2.0 * Lambda.real * (mu * L * np.abs(theta) ** 2 + np.abs(g) ** 2)
    integral = np.mean(cross - square)
    assert multipliers.multiplier_form(path, gradients, lambdas, mu, L, sign) == pytest.approx(integral / 2.0)


def test_printed_sign_fails_for_a_gradient_that_is_not_odd():
    path = np.resize([1.0, -1.0], 100)
    gradients = np.where(path > 0.0, 1.0, 0.1) * path
    lambdas = [1.0, 1.0, 0.0]
    form = {sign: multipliers.multiplier_form(path, gradients, lambdas, 0.1, 1.0, sign) for sign in multipliers.SIGNS}
    # Fifty pairs of a step right of zero and the next one left of it, with (L - mu)^2 each.
    assert form == {"minus": pytest.approx(50 * 0.81), "plus": pytest.approx(-50 * 0.81)}
    assert all(multipliers.multiplier_form(path, 0.4 * path, lambdas, 0.1, 1.0, sign) >= 0.0 for sign in form)


def test_printed_sign_certifies_less_than_a_path_has():
    descent, path = STEEP, np.array([-10.0, -5.0, 2.0, -6.0])
    lambdas = np.array([2.4, 0.36, 2.8, 0.0, 0.0])
    plus, minus = Multiplier(lambdas, "plus"), Multiplier(lambdas, "minus")
    assert allowed(plus, descent)
    share = multipliers.certified_share(path, piecewise(path, descent), plus, descent)
    assert share < 0.7
    assert not allowed(minus, descent)
    # The path solves the descent under the disturbance: it comes back after a period from another start.
    disturbance = (path - np.roll(path, -1)) / descent.eta - piecewise(path, descent)
    theta = 3.0
    for t in range(400):
        theta -= descent.eta * (float(piecewise(np.array(theta), descent)) + disturbance[t % 4])
    assert theta == pytest.approx(path[0], rel=1e-9)
    frequencies = 2.0 * np.pi * np.arange(4) / 4
    power = np.abs(np.fft.fft(disturbance)) ** 2 / 4
    assert share == pytest.approx(plus.psi(descent, frequencies) @ power / np.sum(path**2))


@pytest.mark.parametrize("eta", [0.1, 0.5, 1.7])
def test_minus_sign_certifies_every_path(eta):
    rng, descent, checked = np.random.default_rng(4), Descent(eta, 0.1, 1.0), 0
    for _ in range(300):
        multiplier = random_multiplier(rng, 3, "minus", descent)
        if not allowed(multiplier, descent):
            continue
        knots = np.sort(rng.standard_normal(4))
        slopes = rng.uniform(descent.mu, descent.L, 5)
        slopes[rng.integers(5)], slopes[rng.integers(5)] = descent.mu, descent.L

        def gradient(theta, knots=knots, slopes=slopes):
            jumps = np.diff(slopes) * np.maximum(theta[:, None] - knots, 0.0)
            return slopes[0] * theta + jumps.sum(axis=1)

        path = rng.standard_normal(int(rng.integers(2, 9)))
        # The constraint is about the distance to the minimiser, where the gradient vanishes: zero.
        gradients = gradient(path) - gradient(np.zeros(1))
        assert multipliers.certified_share(path, gradients, multiplier, descent) >= 1.0 - 1e-9
        checked += 1
    assert checked > 50


# Grids and noises.


def test_grids_integrate_even_periodic_functions():
    graded, uniform = (strongly_convex.frequency_grid(name, 300, 1e-4) for name in ("graded", "uniform"))
    for grid in (graded, uniform):
        assert grid.integrate(np.ones_like(grid.frequencies)) == pytest.approx(2.0 * np.pi, rel=1e-12)
        assert grid.integrate(np.cos(3.0 * grid.frequencies) ** 2) == pytest.approx(np.pi, rel=1e-10)
    peak = graded.integrate(1.0 / (1e-8 + 4.0 * (1.0 - 1e-4) * np.sin(graded.frequencies / 2.0) ** 2))
    assert peak == pytest.approx(2.0 * np.pi / (1.0 - (1.0 - 1e-4) ** 2), rel=1e-10)
    assert len(graded.frequencies) == 150
    assert uniform.frequencies == pytest.approx(2.0 * np.pi / 300 * np.arange(151))


def test_uniform_points_miss_a_narrow_peak():
    setting = problem(0.1, 100.0)
    assert values(setting, 0, points=200, name="uniform")[0] == pytest.approx(58.0, abs=0.5)
    assert values(setting, 0, points=20000, name="uniform")[0] == pytest.approx(values(setting, 0)[0], rel=1e-9)
    assert values(setting, 5, points=2000, name="uniform")[0] == pytest.approx(values(setting, 5)[0], rel=3e-3)


def test_noises_have_the_sensitivity_of_their_power():
    setting = problem(0.1, 100.0)
    grid = grid_of(setting)
    psi = strongly_convex.bound(setting, grid, Noise.independent(grid), T_max=0).multiplier.psi(
        setting.descent, grid.frequencies
    )
    for noise in (Noise.independent(grid), Noise.damped(grid, 1e-3), Noise.shaped(grid, psi)):
        expected = float(grid.integrate(1.0 / noise.power)) / (2.0 * np.pi)
        assert noise.sensitivity_squared == pytest.approx(expected, rel=1e-12)
    # B(0) = sum of (-1)^t C(1/2, t) (1 - nu)^t = sqrt(nu), and sqrt(2 - nu) at pi.
    assert Noise.damped(grid, 1e-3).power[[0, -1]] == pytest.approx([1e-3, 2.0 - 1e-3], rel=1e-3)


@pytest.mark.parametrize("sigma_sgd", [0.0, 2.0])
def test_shaped_noise_is_the_best_for_its_psi(sigma_sgd):
    rng, setting = np.random.default_rng(5), problem(0.1, 30.0, sigma_sgd=sigma_sgd)
    grid = grid_of(setting)
    best = strongly_convex.optimised(setting, grid, T_max=0, tolerance=1e-7)
    psi = best.multiplier.psi(setting.descent, grid.frequencies)
    shaped = strongly_convex.value_as_printed(setting, grid, Noise.shaped(grid, psi), psi)
    assert shaped == pytest.approx(best.value, rel=1e-6)
    for _ in range(20):
        bend = np.cos(rng.integers(1, 5) * grid.frequencies) * rng.uniform(-0.5, 0.5)
        power = best.noise.power * np.exp(bend)
        other = Noise(power, float(grid.integrate(1.0 / power)) / (2.0 * np.pi))
        assert strongly_convex.value_as_printed(setting, grid, other, psi) > shaped
        assert strongly_convex.bound(setting, grid, other, T_max=0).value >= best.value * (1.0 - 1e-6)


def test_alternation_stops_by_its_tolerance_and_only_then():
    setting = problem(0.1, 1000.0)
    grid = grid_of(setting)
    loose, tight = (strongly_convex.optimised(setting, grid, T_max=0, tolerance=t) for t in (1e-3, 1e-9))
    assert 2 <= loose.iterations <= 4 < tight.iterations
    assert tight.value <= loose.value == pytest.approx(tight.value, rel=1e-3)
    assert loose.value < values(setting, 0)[1]
    first = strongly_convex.bound(setting, grid, strongly_convex.nu_noise(setting, grid), T_max=0).multiplier
    shaped = Noise.shaped(grid, first.psi(setting.descent, grid.frequencies))
    once = strongly_convex.optimised(setting, grid, T_max=0, tolerance=1.0)
    assert once.iterations == 1
    assert once.value == strongly_convex.bound(setting, grid, shaped, T_max=0).value
    plus = strongly_convex.optimised(setting, grid, T_max=2, sign="plus")
    assert (plus.multiplier.sign, plus.multiplier.T_max) == ("plus", 2)
    with pytest.raises(RuntimeError, match=r"T_max=0 has not settled in 100 rounds"):
        strongly_convex.optimised(setting, grid, T_max=0, tolerance=0.0)


# The bound.


@pytest.mark.parametrize(
    ("eta", "kappa", "T_max", "expected"),
    [
        (0.1, 2, 0, (0.1237, 0.0347, 0.0347)), (0.1, 10, 0, (1.125, 0.1515, 0.1506)),
        (0.1, 100, 0, (33.55, 1.952, 1.834)), (0.1, 1000, 0, (1054.4, 27.4, 23.8)),
        (0.5, 10, 0, (6.41, 2.62, 2.56)), (0.5, 100, 0, (189, 38.7, 34.9)), (0.5, 1000, 0, (5934, 593, 490)),
        (0.01, 10, 0, (0.1097, 0.00266, 0.00266)), (0.01, 100, 0, (3.28, 0.0307, 0.0295)),
        (0.01, 1000, 0, (103, 0.400, 0.360)), (0.1, 10, 5, (1.063, 0.1515, 0.1506)),
        (0.1, 100, 5, (25.9, 1.952, 1.834)), (0.5, 100, 5, (122.6, 36.4, 32.3)),
    ],
)  # fmt: skip
def test_values_of_an_independent_computation(eta, kappa, T_max, expected):
    # An earlier implementation's, through a modelling language, to the digits that were kept.
    assert values(problem(eta, kappa), T_max) == pytest.approx(expected, rel=2.5e-3)


@pytest.mark.parametrize("T_max", [0, 5])
@pytest.mark.parametrize(("eta", "kappa"), [(0.1, 1.0), (0.1, 30.0), (0.5, 3.0)])
def test_bound_is_above_exact_errors_of_quadratics(eta, kappa, T_max):
    setting = problem(eta, kappa, rho=0.3, clip_norm=2.0, d=3, sigma_sgd=0.5)
    grid, descent = grid_of(setting), setting.descent
    for noise in (Noise.independent(grid), strongly_convex.nu_noise(setting, grid)):
        found = strongly_convex.bound(setting, grid, noise, T_max=T_max)
        psi = found.multiplier.psi(descent, grid.frequencies)
        sharp = strongly_convex.value_without_slack(setting, grid, noise, psi)
        exact = [
            strongly_convex.quadratic_suboptimality(setting, grid, noise, h)
            for h in np.linspace(descent.mu, descent.L, 9)
        ]
        assert max(exact) <= sharp * (1.0 + 1e-12) <= found.value / 4.0 + 1e-12
        if kappa == 1.0:
            assert sharp == pytest.approx(exact[0], rel=1e-9)


def test_quadratic_error_of_white_noise_in_closed_form():
    setting = problem(0.4, 5.0, rho=0.3, clip_norm=2.0, d=3, sigma_sgd=0.5)
    grid, h = grid_of(setting), 0.6
    found = strongly_convex.quadratic_suboptimality(setting, grid, Noise.independent(grid), h)
    # theta <- (1 - eta h) theta - eta z has variance eta^2 var(z) / (1 - (1 - eta h)^2).
    variance = 3 * 4.0 / (2.0 * 0.3) + 0.25
    assert found == pytest.approx(0.5 * h * 0.16 * variance / (1.0 - (1.0 - 0.4 * h) ** 2), rel=1e-10)
    nu = 0.02
    power, gamma_squared = (
        lambda w: abs(1.0 - nu - np.exp(1j * w)),
        quad(lambda w: 1.0 / abs(1.0 - nu - np.exp(1j * w)), 0.0, np.pi, points=[nu], limit=200)[0] / np.pi,
    )
    density = quad(
        lambda w: (3 * 4.0 / 0.6 * gamma_squared * power(w) + 0.25) / abs((1.0 - np.exp(1j * w)) / 0.4 - h) ** 2,
        0.0, np.pi, points=[nu], limit=200,
    )[0] / np.pi  # fmt: skip
    found = strongly_convex.quadratic_suboptimality(setting, grid, Noise.damped(grid, nu), h)
    assert found == pytest.approx(0.5 * h * density, rel=1e-7)


def test_every_factor_of_the_bound():
    base, grid = problem(0.1, 30.0), grid_of(problem(0.1, 30.0))
    nu = strongly_convex.nu_noise(base, grid)
    psi = strongly_convex.bound(base, grid, nu, T_max=0).multiplier.psi(base.descent, grid.frequencies)

    def value(**changes):
        return strongly_convex.value_as_printed(problem(0.1, 30.0, **changes), grid, nu, psi)

    assert value(rho=4.0, clip_norm=3.0, d=7) == pytest.approx(value() * 9.0 / 4.0 * 7.0)
    sgd = 5.0**2 * 7.0 * grid.integrate(psi) / (2.0 * np.pi)
    assert value(d=7, sigma_sgd=5.0) == pytest.approx(7.0 * value() + sgd)
    direct = nu.sensitivity_squared * grid.integrate(nu.power * psi) / (2.0 * np.pi)
    assert value() == pytest.approx(direct)
    # Curvatures in other units: eta L stays, psi goes with 1/L^2, and the bound with L psi.
    scaled = problem(0.1 / 8.0, 30.0, L=8.0)
    assert values(scaled, 5) == pytest.approx(np.array(values(base, 5)) / 8.0, rel=1e-6)


# Arguments.


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: Descent(1.9, 0.1, 1.0), r"eta=1.9 must not exceed 2/\(mu \+ L\) = 1.81818"),
        (lambda: Descent(0.1, 2.0, 1.0), "mu=2 must not exceed L=1"),
        (lambda: Descent(0.1, 0.0, 1.0), "mu must be positive"),
        (lambda: Multiplier(np.array([1.0]), "both"), r"sign='both' is unknown: take one of \['minus', 'plus'\]"),
        (lambda: Multiplier(np.array([1.0, 2.0])), r"must have shape \(2 T_max \+ 1,\)"),
        (lambda: Multiplier(np.array([1.0, 1.5, 1.0])), "sum of at most 2 lambda_0"),
        (lambda: Multiplier(np.array([-0.1, 1.0, 0.0])), "must be nonnegative"),
        (lambda: Multiplier(np.array([4.0])).psi(STEEP, np.array([0.0, 1.0])), "allow no psi at omega=0"),
        (lambda: problem(0.1, 2.0, rho=0.0), "rho must be positive"),
        (lambda: problem(0.1, 2.0, sigma_sgd=-1.0), "sigma_sgd must not be negative"),
        (lambda: strongly_convex.frequency_grid("fine", 300, 0.1), r"grid='fine' .* \['graded', 'uniform'\]"),
        (lambda: strongly_convex.frequency_grid("graded", 301, 0.1), "points=301 must be even"),
        (lambda: values(problem(0.1, 2.0), -1), "T_max must not be negative"),
        (lambda: values(problem(0.1, 2.0), 0, sign="none"), "sign='none'"),
        (
            lambda: strongly_convex.quadratic_suboptimality(
                problem(0.1, 2.0), grid_of(problem(0.1, 2.0)), Noise(np.ones(150), 1.0), 0.4
            ),
            r"curvature=0.4 must lie in \[mu, L\] = \[0.5, 1\]",
        ),
    ],
)  # fmt: skip
def test_bad_arguments_are_named(act, message):
    with pytest.raises(ValueError, match=message):
        act()


# Figure 3.


def spec_of(kappa, T_max, **settings):
    given = {"points": 300, "grid": "graded", "sign": "minus", "rho": 1, "clip_norm": 1, "L": 1, "sigma_sgd": 0}
    return {
        "cell": {"eta": 0.1, "kappa": kappa, "d": 1}, "arms": {"T_max": T_max}, "settings": given | settings,
    }  # fmt: skip


def test_figure_has_a_row_for_every_series_condition_number_and_multiplier():
    rows = list(strongly_convex.run_fig03(spec_of([2, 100], [0, 5])))
    assert all(row["eta"] == 0.1 and row["trial"] == 0 for row in rows)
    found = {(row["kappa"], row["multiplier"], row["series"]): row for row in rows}
    series = ["DP-SGD", "nu-DP-FTRL", "Optimized"]
    assert [*found] == [(kappa, m, name) for kappa in (2, 100) for m in ("static", "T_max 5") for name in series]
    for kappa in (2, 100):
        for T_max, name in ((0, "static"), (5, "T_max 5")):
            assert [found[kappa, name, s]["value"] for s in series] == values(problem(0.1, kappa), T_max)
    for (*_, name), row in found.items():
        assert (row["iterations"] >= 1) == (name == "Optimized")
    alone = list(strongly_convex.run_fig03(spec_of(100, 5)))
    assert alone == [row for key, row in found.items() if key[:2] == (100, "T_max 5")]


def test_figure_obeys_every_setting():
    base = [row["value"] for row in strongly_convex.run_fig03(spec_of(10, 5))]
    for change, other in (
        ({"sign": "plus"}, values(problem(0.1, 10), 5, sign="plus")),
        ({"grid": "uniform", "points": 60}, values(problem(0.1, 10), 5, name="uniform", points=60)),
        ({"rho": 2, "clip_norm": 3, "sigma_sgd": 1}, values(problem(0.1, 10, 2.0, 3.0, 1, 1.0), 5)),
        ({"L": 2}, values(problem(0.1, 10, L=2.0), 5)),
        ({"d": 5}, [5.0 * value for value in base]),
    ):
        spec = spec_of(10, 5)
        for name, value in change.items():
            spec["cell" if name == "d" else "settings"][name] = value
        changed = [row["value"] for row in strongly_convex.run_fig03(spec)]
        assert changed == pytest.approx(other, rel=1e-9)
        assert changed[0] != pytest.approx(base[0], rel=1e-3)


@pytest.mark.parametrize(("eta", "curvature"), [(0.5, 1.0), (0.1, 0.1)])
def test_the_law_of_one_slope_is_that_of_an_autoregression(eta, curvature):
    problem = strongly_convex.StronglyConvexProblem(Descent(eta, curvature, curvature), 0.5, 1.0, 3, 0.0)
    exact = 3 * eta / (2 * (2 - eta * curvature))
    assert nonquadratic.changing_slope_suboptimality(problem) == pytest.approx(exact, rel=1e-9)


def test_the_law_of_a_changing_slope_is_that_of_its_simulation():
    problem = strongly_convex.StronglyConvexProblem(STEEP, 0.5, 1.0, 1, 0.0)
    rng, theta, values = np.random.default_rng(1), np.zeros(20_000), []
    for t in range(400):
        theta -= 0.5 * (piecewise(theta, STEEP) + rng.standard_normal(20_000))
        if t >= 100:
            values.append(float(np.mean(theta * piecewise(theta, STEEP)) / 2))
    assert nonquadratic.changing_slope_suboptimality(problem) == pytest.approx(np.mean(values), rel=0.005)
