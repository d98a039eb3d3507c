"""The integrals of choquettechoo2023 App. F against 40 digits and adaptive quadrature; mean estimation, Theorem 2.1."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.signal import lfilter

from dpdescent.papers.choquettechoo2023 import elliptic, mean_law, preliminaries
from noisy_ftrl_twins import nu_decoder, nu_encoder

# Both ends of (1e-5, 0.99), what lies between, and the edge 1.
VALUES = [1e-5, 1.1e-4, 0.003, 0.01, 0.1, 0.25, 0.5, 0.9, 0.99]


def by_definition(a: float, b: float) -> float:
    """Eq. 49 by adaptive quadrature over pieces that grow from the narrower of the two peaks."""

    def squared(c: float, omega: float) -> float:
        return c**2 + 4.0 * (1.0 - c) * math.sin(omega / 2.0) ** 2

    edges = [0.0, *np.geomspace(0.2 * min(a or b, b), math.pi, 16)]
    pieces = [
        quad(lambda omega: math.sqrt(squared(a, omega)) / squared(b, omega), low, high, epsabs=0.0, epsrel=1e-13)[0]
        for low, high in itertools.pairwise(edges)
    ]
    return 2.0 * math.fsum(pieces)


def printed(a: float, b: float) -> mpmath.mpf:
    """Lemma F.16 as printed, with 40 digits."""
    with mpmath.workdps(40):
        a, b = mpmath.mpf(a), mpmath.mpf(b)
        characteristic = (b**2 * (1 - a) - a**2 * (1 - b)) / (b * (1 - a / 2)) ** 2
        return 2 * a**2 / (b**2 * (1 - a / 2)) * mpmath.ellippi(characteristic, (1 - a) / (1 - a / 2) ** 2)


@pytest.mark.parametrize("a", VALUES)
def test_integral_is_lemma_f16(a: float) -> None:
    for b in [*VALUES, 1.0]:
        assert elliptic.integral(a, b) == pytest.approx(float(printed(a, b)), rel=1e-12), b


@pytest.mark.parametrize(
    ("a", "b"), [(0.1, 0.1), (0.003, 0.2), (0.2, 0.003), (1e-4, 1e-3), (0.9, 0.01), (1.0, 0.3), (0.0, 0.3)]
)
def test_integral_is_equation_49(a: float, b: float) -> None:
    assert elliptic.integral(a, b) == pytest.approx(by_definition(a, b), rel=1e-12)


@pytest.mark.parametrize("b", [1e-6, 0.01, 0.5, 0.9, 1.0 - 1e-9, 1.0])
def test_no_damping_is_the_limit(b: float) -> None:
    assert elliptic.integral(0.0, b) == pytest.approx(elliptic.integral(1e-13, b), rel=1e-11)


def test_diagonal_and_its_edge() -> None:
    for a in [*VALUES, 1.0]:
        assert elliptic.diagonal(a) == pytest.approx(elliptic.integral(a, a), rel=1e-13)
    assert elliptic.diagonal(1.0) == pytest.approx(2.0 * math.pi, rel=1e-14)


@pytest.mark.parametrize(("nu", "golden"), [(0.1, 1.451843), (0.01, 2.136878)])
def test_diagonal_is_the_limiting_sensitivity(nu: float, golden: float) -> None:
    encoder = nu_encoder(nu, math.ceil(20 / nu))
    assert elliptic.diagonal(nu) / (2.0 * math.pi) == pytest.approx(float(encoder @ encoder), rel=1e-12)
    assert elliptic.diagonal(nu) / (2.0 * math.pi) == pytest.approx(golden, rel=1e-6)


def test_arguments_outside_are_refused() -> None:
    for a, b in [(-0.1, 0.5), (1.1, 0.5), (0.5, 0.0), (0.5, 1.5), (math.nan, 0.5)]:
        with pytest.raises(ValueError, match="must lie in"):
            elliptic.integral(a, b)
    with pytest.raises(ValueError, match=r"a=0\.0 must lie in \(0, 1\]"):
        elliptic.diagonal(0.0)


# Bounds


@pytest.mark.parametrize("a", [1e-8, 1e-5, 1e-3, 0.01, 0.1, 0.25])
def test_bounds_of_lemma_c21(a: float) -> None:
    for b in np.geomspace(a, 0.25, 12).tolist():
        assert elliptic.integral(a, b) <= elliptic.integral_bound(a)


def test_first_bound_of_lemma_c21_holds_on_all_of_its_range() -> None:
    for a in np.linspace(0.01, 0.99, 50).tolist():
        assert elliptic.diagonal(a) <= elliptic.diagonal_bound(a)


@pytest.mark.parametrize("complementary", [1e-12, 1e-6, 1e-3, 0.1, 0.5, 0.9, 0.999])
def test_first_kind_bounds(complementary: float) -> None:
    with mpmath.workdps(60):
        K = float(mpmath.ellipk(1 - mpmath.mpf(complementary) ** 2))
    lower, upper, ceiling = elliptic.first_kind_bounds(complementary)
    assert lower <= K <= upper <= ceiling


@pytest.mark.parametrize("complementary", [1e-8, 1e-4, 0.01])
@pytest.mark.parametrize("characteristic", [0.01, 0.5, 0.99, 1 - 1e-6])
def test_third_kind_bound(characteristic: float, complementary: float) -> None:
    with mpmath.workdps(60):
        third = float(mpmath.ellippi(characteristic, 1 - mpmath.mpf(complementary) ** 2))
    assert third <= preliminaries.third_kind_bound(characteristic, complementary) * (1.0 + complementary)


@pytest.mark.parametrize(("a", "b", "lag"), [(1.0, 0.9, 0), (1.0, 0.9, 3), (2.0, -0.7, 1), (1.5, 1.2, -2)])
def test_cosine_integrals(a: float, b: float, lag: int) -> None:
    found = quad(lambda w: math.cos(lag * w) / (a**2 + b**2 - 2.0 * a * b * math.cos(w)), -math.pi, math.pi)[0]
    assert preliminaries.cosine_integral(a, b, lag) == pytest.approx(found, rel=1e-8)
    ratio = -2.0 * a * b / (a**2 + b**2)
    assert preliminaries.reciprocal_cosine_integral(ratio) == pytest.approx(
        (a**2 + b**2) * preliminaries.cosine_integral(a, b, 0), rel=1e-12
    )
    assert preliminaries.reciprocal_cosine_integral(-1.0) == math.inf


@pytest.mark.parametrize("c", [0.2499, 0.1, 1e-3, 1e-9])
def test_log_threshold(c: float) -> None:
    for x in np.geomspace(1e-6, 1.0, 30).tolist():
        x *= preliminaries.log_threshold(c)
        assert x * math.log(1.0 / x) ** 2 <= c
    with pytest.raises(ValueError, match=r"c=0\.3"):
        preliminaries.log_threshold(0.3)


@pytest.mark.parametrize("a", [1e-7, 1e-3, 0.9])
@pytest.mark.parametrize("b", [1e-6, 0.02, 1.0])
def test_quadrature_agrees(a: float, b: float) -> None:
    grid = elliptic.Quadrature.graded(min(a, b))
    omega = grid.frequencies
    values = elliptic.distance_squared(a, omega) ** 0.5 / elliptic.distance_squared(np.array([b, 1.0]), omega)
    assert grid.integrate(values) == pytest.approx([elliptic.integral(a, b), elliptic.integral(a, 1.0)], rel=2e-12)
    assert grid.weights.sum() == pytest.approx(2.0 * math.pi, rel=1e-13)


def test_distance_does_not_cancel() -> None:
    assert elliptic.distance_squared(1e-9, np.array([1e-9]))[0] == pytest.approx(2e-18, rel=1e-8)
    assert elliptic.distance_squared(0.3, np.array([2.0]))[0] == pytest.approx(abs(0.7 - np.exp(2j)) ** 2, rel=1e-14)


# Mean estimation


def impulse_error(beta: np.ndarray, eta: float, sigma_squared: float) -> float:
    """Variance of `delta <- (1-eta) delta - eta sum beta_tau w_{t-tau}`: the squares of its impulse response."""
    padded = np.concatenate([beta, np.zeros(math.ceil(40 / eta))])
    response = lfilter([eta], [1.0, eta - 1.0], padded)
    return sigma_squared * float(response @ response)


@pytest.mark.parametrize(("nu", "eta"), [(0.05, 0.05), (0.005, 0.05), (0.5, 0.05), (0.2, 0.9)])
def test_mean_estimation_is_its_impulse_response(nu: float, eta: float) -> None:
    rho, G, sigma = 0.7, 1.5, 0.4
    encoder = nu_encoder(nu, math.ceil(20 / nu))
    noise = impulse_error(nu_decoder(nu, math.ceil(20 / nu)), eta, G**2 / (2 * rho) * float(encoder @ encoder))
    data = impulse_error(np.ones(1), eta, sigma**2)
    found = mean_law.nu_dp_ftrl(nu, eta=eta, rho=rho, clip_norm=G, sigma_sgd=sigma)
    assert found == pytest.approx(noise + data, rel=1e-10)
    sgd = mean_law.dp_sgd(eta=eta, rho=rho, clip_norm=G, sigma_sgd=sigma, half=True)
    assert sgd == pytest.approx(0.5 * impulse_error(np.ones(1), eta, G**2 / (2 * rho) + sigma**2), rel=1e-10)


def test_undamped_noise_with_the_sensitivity_of_a_horizon() -> None:
    eta, taps = 0.2, 1_000_000
    encoder = nu_encoder(0.0, 1000)
    found = mean_law.nu_dp_ftrl(0.0, eta=eta, rho=1.0, sensitivity_squared=float(encoder @ encoder))
    # Its coefficients decay like t^{-3/2}, and the squares of the response like t^{-3}.
    assert found == pytest.approx(impulse_error(nu_decoder(0.0, taps), eta, float(encoder @ encoder) / 2), rel=1e-10)
    with pytest.raises(ValueError, match="must lie in"):
        mean_law.nu_dp_ftrl(0.0, eta=eta, rho=1.0)


@pytest.mark.parametrize("eta", [0.001, 0.1, 0.7])
def test_optimum_is_one(eta: float) -> None:
    arguments = {"eta": eta, "rho": 2.0, "sigma_sgd": 0.3}
    best = mean_law.optimum(**arguments)
    by_power = mean_law.by_quadrature(lambda w: mean_law.optimal_power(eta, w), width=eta, **arguments)
    assert by_power == pytest.approx(best, rel=1e-12)
    for nu in (0.2 * eta, 0.9 * eta, 1.1 * eta):
        assert mean_law.nu_dp_ftrl(nu, **arguments) > best
    for bump in (1.0, -0.5):
        bumped = mean_law.by_quadrature(
            lambda w, bump=bump: mean_law.optimal_power(eta, w) * (1.0 + bump * np.exp(-((w - 1.0) ** 2))),
            width=eta, **arguments,
        )  # fmt: skip
        assert bumped > best * (1.0 + 1e-6)


def test_ratio_grows_to_one() -> None:
    etas = np.geomspace(1e-4, 1.0, 60)
    ratios = [mean_law.ratio(float(eta)) for eta in etas]
    assert np.all(np.diff(ratios) > 0.0)
    assert ratios[-1] == pytest.approx(1.0, rel=1e-14)
    assert mean_law.ratio_order(1.0) == 0.0
    assert mean_law.ratio_order(math.exp(-2.0)) == pytest.approx(4.0 * math.exp(-2.0), rel=1e-14)


@pytest.mark.parametrize("eta", [0.0, 1.01, math.nan])
def test_rates_outside_the_theorem_are_refused(eta: float) -> None:
    for error in (mean_law.dp_sgd, mean_law.optimum):
        with pytest.raises(ValueError, match="must lie in"):
            error(eta=eta, rho=1.0)
    with pytest.raises(ValueError, match="eta="):
        mean_law.ratio_order(eta)
