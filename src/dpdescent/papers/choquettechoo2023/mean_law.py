"""Mean estimation in one dimension: exact limiting errors of DP-FTRL by choquettechoo2023 Theorem 2.1 and App. B.

The iterate is a linear system driven by white noise, so that everything here is exact for every distribution on [-1, 1]
of variance sigma_sgd^2. Errors are `F_inf = lim E (theta_t - E z)^2` as in App. B; eq. 6 has half of that (`half`).
"""

import math
from collections.abc import Callable

from dpdescent.checks import require_non_negative, require_positive
from dpdescent.papers.choquettechoo2023.elliptic import Quadrature, diagonal, distance_squared, integral
from dpdescent.papers.choquettechoo2023.setting import Array


def dp_sgd(*, eta: float, rho: float, clip_norm: float = 1.0, sigma_sgd: float = 0.0, half: bool = False) -> float:
    """F_inf of independent noise: `eta/(2 - eta) (G^2/(2 rho) + sigma_sgd^2)` (Theorem 2.1, exact)."""
    unit = _noise_unit(eta, rho, clip_norm)
    return _halved(eta / (2.0 - eta) * unit + _observations(eta, sigma_sgd), half)


def nu_dp_ftrl(
    nu: float, *, eta: float, rho: float, clip_norm: float = 1.0, sigma_sgd: float = 0.0, half: bool = False,
    sensitivity_squared: float | None = None,
) -> float:  # fmt: skip
    """F_inf of the coefficients of eq. 7: `eta^2 G^2/(8 pi^2 rho) I(nu, nu) I(nu, eta)` and the term of the data.

    nu may be 0 with a `sensitivity_squared` only, which replaces the limit `I(nu, nu) / (2 pi)`, such as gamma_T^2.
    """
    unit = _noise_unit(eta, rho, clip_norm)
    gamma_squared = diagonal(nu) / (2.0 * math.pi) if sensitivity_squared is None else sensitivity_squared
    filtered = eta**2 * integral(nu, eta) / (2.0 * math.pi)
    return _halved(unit * gamma_squared * filtered + _observations(eta, sigma_sgd), half)


def optimum(*, eta: float, rho: float, clip_norm: float = 1.0, sigma_sgd: float = 0.0, half: bool = False) -> float:
    """The smallest F_inf over all noise coefficients, that of nu = eta (Theorem 2.1, eq. 18 and 19)."""
    return nu_dp_ftrl(eta, eta=eta, rho=rho, clip_norm=clip_norm, sigma_sgd=sigma_sgd, half=half)


def optimal_power(eta: float, frequencies: Array) -> Array:
    """`|B*(omega)|^2 = |1 - eta - e^{i omega}|`, the shape of the frequencies (choquettechoo2023 eq. 19).

    Eq. 19 prints |B*| for it in its last step.
    """
    return distance_squared(eta, frequencies) ** 0.5


def by_quadrature(
    power: Callable[[Array], Array], *, width: float, eta: float, rho: float, clip_norm: float = 1.0,
    sigma_sgd: float = 0.0, half: bool = False,
) -> float:  # fmt: skip
    """F_inf of any noise coefficients by their |B|^2, for a minimum-phase B (choquettechoo2023 App. B, above eq. 18).

    Args:
        power: |B|^2 as a function of frequencies, even.
        width: the smallest scale in the power, such as nu.
        eta, rho, clip_norm, sigma_sgd, half: learning rate in (0, 1], budget, G, sd of the data, eq. 6's 1/2.
    """
    unit = _noise_unit(eta, rho, clip_norm)
    grid = Quadrature.graded(min(width, eta))
    values = power(grid.frequencies)
    gamma_squared = grid.integrate(1.0 / values) / (2.0 * math.pi)
    response = eta**2 / distance_squared(eta, grid.frequencies)
    total = grid.integrate(response * (unit * gamma_squared * values + sigma_sgd**2)) / (2.0 * math.pi)
    return _halved(float(total), half)


def ratio(eta: float) -> float:
    """F_inf of the optimum divided by that of DP-SGD, without noise in the data: `4 eta K^2 / (pi^2 (2-eta))`.

    It depends on no other quantity, grows with eta and is 1 at eta = 1 (from choquettechoo2023 Theorem 2.1).
    """
    return optimum(eta=eta, rho=1.0) / dp_sgd(eta=eta, rho=1.0)


def ratio_order(eta: float) -> float:
    """The ratio of the orders in Theorem 2.1: `eta log^2(1/eta)`, largest at exp(-2) and 0 at eta = 1."""
    _require_rate(eta)
    return eta * math.log(1.0 / eta) ** 2


def _noise_unit(eta: float, rho: float, clip_norm: float) -> float:
    """sigma_dp^2 G^2 at a sensitivity of 1, `G^2 / (2 rho)` (choquettechoo2023 Theorem 1.1)."""
    _require_rate(eta)
    require_positive(rho=rho, clip_norm=clip_norm)
    return clip_norm**2 / (2.0 * rho)


def _observations(eta: float, sigma_sgd: float) -> float:
    require_non_negative(sigma_sgd=sigma_sgd)
    return eta / (2.0 - eta) * sigma_sgd**2


def _require_rate(eta: float) -> None:
    if not 0.0 < eta <= 1.0:
        raise ValueError(f"eta={eta} must lie in (0, 1], as in choquettechoo2023 Theorem 2.1")


def _halved(value: float, half: bool) -> float:
    return 0.5 * value if half else value
