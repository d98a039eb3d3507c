"""The bound on the asymptotic suboptimality on strongly convex functions (choquettechoo2023 Thm 3.1, App. E, Fig. 3).

    F_inf <= L d / (2 pi) int ( G^2/rho |B|^2 gamma_inf^2 + sigma_sgd^2 ) psi d omega                          (eq. 10)

for every psi that some multiplier allows (`multipliers`, where psi is the paper's over eta^2). The integral is taken on
a grid of frequencies, so that a noise is |B|^2 at the grid's points and gamma_inf^2.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from dpdescent.checks import require_non_negative, require_positive
from dpdescent.papers.choquettechoo2023.theory.elliptic import Array, Quadrature, diagonal, distance_squared
from dpdescent.papers.choquettechoo2023.theory.multipliers import Descent, Multiplier, best_multiplier

GRIDS = ("graded", "uniform")
ROUNDS_AT_MOST = 100


@dataclass(frozen=True)
class StronglyConvexProblem:
    """The problem of the bound (10): all that it depends on but the noise.

    Attributes:
        descent: learning rate and curvatures.
        rho: zCDP budget.
        clip_norm: G, the Lipschitz constant of each record's loss.
        d: dimension.
        sigma_sgd: bound on the distance of a record's gradient to the mean gradient.

    Raises:
        ValueError: if a value is not positive, or sigma_sgd negative.
    """

    descent: Descent
    rho: float
    clip_norm: float
    d: int
    sigma_sgd: float

    def __post_init__(self) -> None:
        require_positive(rho=self.rho, clip_norm=self.clip_norm, d=self.d)
        require_non_negative(sigma_sgd=self.sigma_sgd)


def frequency_grid(name: str, points: int, width: float) -> Quadrature:
    """A grid on [0, pi] that stands for `points` points of [-pi, pi], because all functions are even.

    Args:
        name: "graded", Gauss-Legendre nodes as fine at zero as the width; "uniform", the paper's: multiples of
            2 pi / points with the trapezoidal rule, which miss a peak that is much narrower.
        points: on [-pi, pi]; even.
        width: of the peak of psi at zero, eta mu.

    Raises:
        ValueError: if the name is unknown, points is odd or not positive, or the width not positive.
    """
    require_positive(points=points, width=width)
    if name not in GRIDS:
        raise ValueError(f"grid={name!r} is unknown: take one of {[*GRIDS]}")
    if points % 2:
        raise ValueError(f"points={points} must be even: half of them lie on each side of zero")
    if name == "graded":
        return Quadrature.graded(width, panels=1, order=points // 2)
    weights = np.full(points // 2 + 1, 4.0 * math.pi / points)
    weights[[0, -1]] /= 2.0
    return Quadrature(np.linspace(0.0, math.pi, points // 2 + 1), weights)


@dataclass(frozen=True, eq=False)
class Noise:
    """Correlated noise in the frequency domain; a factor of B cancels in (10).

    Attributes:
        power: |B|^2 at the points of a grid, shape (n,).
        sensitivity_squared: gamma_inf^2 (eq. 5).
    """

    power: Array
    sensitivity_squared: float

    @classmethod
    def independent(cls, grid: Quadrature) -> "Noise":
        """Returns the noise of DP-SGD."""
        return cls(np.ones_like(grid.frequencies), 1.0)

    @classmethod
    def damped(cls, grid: Quadrature, nu: float) -> "Noise":
        """Returns the noise of nu-DP-FTRL `|B|^2 = |1 - nu - e^{i omega}|`, with the exact sensitivity (Lemma F.15)."""
        return cls(np.sqrt(distance_squared(nu, grid.frequencies)), diagonal(nu) / (2.0 * math.pi))

    @classmethod
    def shaped(cls, grid: Quadrature, psi: Array) -> "Noise":
        """Returns the best noise for a given psi, `|B|^2 = psi^{-1/2}`, by Cauchy-Schwarz, whatever sigma_sgd is."""
        power = psi**-0.5
        return cls(power, float(grid.integrate(1.0 / power)) / (2.0 * math.pi))


@dataclass(frozen=True, eq=False)
class Bound:
    """A value of the bound (10), and what it is reached with.

    Attributes:
        value: the bound on F_inf.
        noise: the noise that it holds for.
        multiplier: the multiplier that proves it.
        iterations: rounds of the alternation that led to the noise; 0 where it was given.
    """

    value: float
    noise: Noise
    multiplier: Multiplier
    iterations: int = 0


def value_as_printed(problem: StronglyConvexProblem, grid: Quadrature, noise: Noise, psi: Array) -> float:
    """The bound (10) at a given psi."""
    return float(_costs(problem, grid, noise) @ psi)


def value_without_slack(problem: StronglyConvexProblem, grid: Quadrature, noise: Noise, psi: Array) -> float:
    """The bound that multipliers prove before the constants of (10): 4 times less in rho, 2d times in sigma_sgd.

    `L / (4 pi) int (d G^2/(2 rho) |B|^2 gamma_inf^2 + sigma_sgd^2) psi`: F - F* is at most L/2 times the squared
    distance; the noise has variance `G^2 gamma_inf^2 / (2 rho)` a coordinate (Theorem 1.1); sigma_sgd bounds a norm,
    not a coordinate; and gradient noise, a martingale difference, is not correlated with B w, so that no factor 2 is
    due.
    """
    rescaled = replace(problem, rho=2.0 * problem.rho, sigma_sgd=problem.sigma_sgd / math.sqrt(problem.d))
    return value_as_printed(rescaled, grid, noise, psi) / 2.0


def bound(problem: StronglyConvexProblem, grid: Quadrature, noise: Noise, *, T_max: int, sign: str = "minus") -> Bound:
    """The bound (10) for a given noise, minimised over the multipliers up to lag T_max.

    Raises:
        ValueError: if T_max is negative or the sign unknown.
        RuntimeError: if the solver fails.
    """
    costs = _costs(problem, grid, noise)
    multiplier = best_multiplier(problem.descent, grid.frequencies, costs, T_max=T_max, sign=sign)
    return Bound(float(costs @ multiplier.psi(problem.descent, grid.frequencies)), noise, multiplier)


def optimised(
    problem: StronglyConvexProblem, grid: Quadrature, *, T_max: int, sign: str = "minus", tolerance: float = 1e-3
) -> Bound:  # fmt: skip
    """The bound (10) with the noise chosen as well, by the alternating minimisation of choquettechoo2023 Sec. 3.

    It starts from nu = eta mu, takes the best multiplier for the noise and then the best noise for its psi, and stops
    when a round changes the bound by less than the tolerance, as a fraction. No round increases the bound, on a grid
    that resolves eta mu; as (10) is not convex in both together, the smallest need not be reached.

    Raises:
        RuntimeError: if the solver fails or the bound does not settle.
    """
    best = bound(problem, grid, nu_noise(problem, grid), T_max=T_max, sign=sign)
    for round_ in range(1, ROUNDS_AT_MOST + 1):
        noise = Noise.shaped(grid, best.multiplier.psi(problem.descent, grid.frequencies))
        previous, best = best, bound(problem, grid, noise, T_max=T_max, sign=sign)
        if abs(previous.value - best.value) < tolerance * best.value:
            return replace(best, iterations=round_)
    raise RuntimeError(f"the alternation for {problem}, T_max={T_max} has not settled in {ROUNDS_AT_MOST} rounds")


def nu_noise(problem: StronglyConvexProblem, grid: Quadrature) -> Noise:
    """Returns the noise of nu-DP-FTRL with nu = eta mu."""
    return Noise.damped(grid, problem.descent.eta * problem.descent.mu)


def quadratic_suboptimality(problem: StronglyConvexProblem, grid: Quadrature, noise: Noise, curvature: float) -> float:
    """The exact F_inf of `h |theta - theta*|^2 / 2`, which (10) must not fall below for h from mu to L.

    `h / (4 pi) int (d G^2/(2 rho) |B|^2 gamma_inf^2 + sigma_sgd^2) / |u - h|^2`, for gradient noise of mean square
    sigma_sgd^2 that is white.

    Raises:
        ValueError: if the curvature lies outside [mu, L].
    """
    descent = problem.descent
    if not descent.mu <= curvature <= descent.L:
        raise ValueError(f"curvature={curvature:g} must lie in [mu, L] = [{descent.mu:g}, {descent.L:g}]")
    response = 1.0 / np.abs(descent.inverse(grid.frequencies) - curvature) ** 2
    return curvature / descent.L * value_without_slack(problem, grid, noise, response)


def _costs(problem: StronglyConvexProblem, grid: Quadrature, noise: Noise) -> Array:
    """Returns the weights of psi in (10), shape (n,)."""
    density = problem.clip_norm**2 / problem.rho * noise.power * noise.sensitivity_squared + problem.sigma_sgd**2
    costs: Array = problem.descent.L * problem.d / (2.0 * math.pi) * grid.weights * density
    return costs
