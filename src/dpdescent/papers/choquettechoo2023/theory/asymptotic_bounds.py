"""The bounds of choquettechoo2023 on the limiting error of Noisy-FTRL (Theorem 2.2, App. C), evaluated.

Every bound says with `half` whose F it bounds: eq. 8, with its factor 1/2 (the default, as in `regression`), or eq. 22
without. Theorem C.14 is for the former and Theorem C.18 for the latter, as their proofs end; each is converted. Noise
coefficients enter by weights `q` and squared sensitivity, as in `regression`. Orders take their constants as arguments,
with default 1: such a value is no bound.
"""

import math

from dpdescent.checks import require_positive
from dpdescent.papers.choquettechoo2023.theory import elliptic, optimum
from dpdescent.papers.choquettechoo2023.theory.elliptic import Array
from dpdescent.papers.choquettechoo2023.theory.regression import RegressionProblem

# C_kurt of Gaussian inputs (choquettechoo2023 Property C.3).
KURTOSIS = 3.0
# Above this eta lambda the bound of Lemma C.21(ii) is not stated.
LARGEST_RATE = 0.25


def fourth_moment(lam: Array) -> float:
    """Returns R^2, the smallest number with `E|x|^2 x x' <= R^2 H`, exact for Gaussian inputs: `Tr H + 2 lambda_1`."""
    return float(lam.sum() + 2.0 * lam.max())


def fourth_moment_bound(lam: Array) -> float:
    """Returns the bound `3 Tr H` of the paper on the fourth-moment constant R^2 (choquettechoo2023 Property C.3)."""
    return 3.0 * float(lam.sum())


def weight_integral(problem: RegressionProblem, q: Array) -> float:
    """Integral of `|B|^2 h` over -pi to pi, by the identity in the proof of Lemma C.4; h is that of eq. 21."""
    return float(direction_errors(problem, q).sum())


def direction_errors(problem: RegressionProblem, q: Array) -> Array:
    """Err_j, direction j's part of the error up to a common factor (choquettechoo2023 eq. 44, Remarks C.16 and C.23).

    The integral of `lambda_j |B|^2 / |1 - e^{i omega} - eta lambda_j|^2`, shape (d,): `2 pi / (eta (2 - eta lambda_j))`
    for Noisy-SGD, which is nearly the same for all; `lambda_j I(nu, eta lambda_j)` for nu-Noisy-FTRL.
    """
    errors: Array = 2.0 * math.pi * q / (problem.eta * (2.0 - problem.rates))
    return errors


def upper_bound(
    problem: RegressionProblem, q: Array, gamma_squared: float, *, moment: float | None = None,
    kurtosis: float = KURTOSIS, half: bool = True,
) -> float:  # fmt: skip
    """Theorem C.14: `(1 + a) eta R^2 sigma_sgd^2 + (1 + C_kurt a) eta sigma^2 <beta, T beta>`.

    Here `a = (1 - sqrt(eta R^2))^-2` and `sigma^2 = G^2 gamma^2 / (2 rho)`.

    Args:
        problem: the problem.
        q: weights of the noise coefficients, shape (d,); their sum is <beta, T beta>.
        gamma_squared: squared sensitivity.
        moment: R^2; that of Gaussian inputs if it is not given.
        kurtosis: C_kurt.
        half: see above.

    Returns:
        The bound; NaN where eta R^2 >= 1, which the theorem excludes.
    """
    return _upper(problem, float(q.sum()), gamma_squared, moment, kurtosis, half)


def upper_bound_by_frequency(
    problem: RegressionProblem, q: Array, gamma_squared: float, *, moment: float | None = None,
    kurtosis: float = KURTOSIS, half: bool = True,
) -> float:  # fmt: skip
    """Theorem C.15: the same with `(eta/pi) int |B|^2 h`, up to twice as large, in the place of <beta, T beta>."""
    weight = problem.eta / math.pi * weight_integral(problem, q)
    return _upper(problem, weight, gamma_squared, moment, kurtosis, half)


def _upper(
    problem: RegressionProblem, weight: float, gamma_squared: float, moment: float | None, kurtosis: float, half: bool
) -> float:  # fmt: skip
    require_positive(kurtosis=kurtosis)
    moment = fourth_moment(problem.lam) if moment is None else moment
    if not problem.eta * moment < 1.0:
        return math.nan
    series = (1.0 - math.sqrt(problem.eta * moment)) ** -2
    labels = (1.0 + series) * problem.eta * moment * problem.sigma_sgd**2
    noise = (1.0 + kurtosis * series) * problem.eta * problem.noise_variance(gamma_squared) * weight
    return _convert(labels + noise, stated_half=True, half=half)


def lower_bound(problem: RegressionProblem, q: Array, gamma_squared: float, *, half: bool = True) -> float:
    """Theorem C.18: `eta sigma_sgd^2 Tr H / 2 + eta^2 G^2 gamma^2 / (4 pi rho) int |B|^2 h`."""
    noise = problem.eta**2 * problem.noise_variance(gamma_squared) / (2.0 * math.pi) * weight_integral(problem, q)
    return _convert(_labels(problem) + noise, stated_half=False, half=half)


def lower_bound_by_time(problem: RegressionProblem, q: Array, gamma_squared: float, *, half: bool = True) -> float:
    """Theorem C.18 in the time domain, up to half as large: `... + eta G^2 gamma^2 / (4 rho) <beta, T beta>`."""
    noise = problem.eta * problem.noise_variance(gamma_squared) / 2.0 * float(q.sum())
    return _convert(_labels(problem) + noise, stated_half=False, half=half)


def universal_lower_bound(problem: RegressionProblem, *, half: bool = True) -> float:
    """Theorem C.18 for all coefficients: `... + eta^2 G^2 / (8 pi^2 rho) (int sqrt(h))^2` (from eq. 47)."""
    unit = problem.noise_variance(1.0)
    noise = unit * (problem.eta * optimum.root_integral(problem, exact=False) / (2.0 * math.pi)) ** 2
    return _convert(_labels(problem) + noise, stated_half=False, half=half)


def universal_lower_bound_as_stated(problem: RegressionProblem, *, half: bool = True) -> float:
    """Theorem C.18 for all coefficients, with sqrt(h) bounded: `(2 eta sigma_sgd^2 + eta^2 G^2 / (2 rho)) Tr H / 4`."""
    noise = problem.eta**2 * problem.noise_variance(1.0) * problem.trace / 4.0
    return _convert(_labels(problem) + noise, stated_half=False, half=half)


def _labels(problem: RegressionProblem) -> float:
    """Returns the term of the label noise in Theorem C.18."""
    return 0.5 * problem.eta * problem.sigma_sgd**2 * problem.trace


def nu_upper_bound(
    problem: RegressionProblem, nu: float, *, moment: float | None = None, kurtosis: float = KURTOSIS, half: bool = True
) -> float:  # fmt: skip
    """Proposition C.22 with the constants of its proof: Theorem C.15 with `I(nu, nu) <= 5 log(8/nu)` and C.21(ii).

    Args:
        problem: the problem, without label noise as in the proposition.
        nu: damping, at most eta mu.
        moment, kurtosis, half: as in `upper_bound`.

    Returns:
        The bound without the factor 1 + O(nu) of C.21(ii), a function of Tr H and nu; NaN where Theorem C.15 or Lemma
        C.21(ii) is not stated: eta R^2 >= 1, nu > eta mu or eta lambda_1 > 1/4.

    Raises:
        ValueError: if the problem has label noise.
    """
    if problem.sigma_sgd:
        raise ValueError(f"sigma_sgd={problem.sigma_sgd} must be 0: Prop. C.22 is without label noise")
    if nu > problem.eta * problem.mu or problem.eta * problem.largest > LARGEST_RATE:
        return math.nan
    weight = problem.eta / math.pi * problem.trace * elliptic.integral_bound(nu)
    return _upper(problem, weight, elliptic.diagonal_bound(nu) / (2.0 * math.pi), moment, kurtosis, half)


def damped_leading_order(problem: RegressionProblem, nu: float, *, half: bool = True) -> float:
    """The error of damped anti-PGD for small eta and nu: `eta G^2 / (16 rho) (nu d + 2 eta Tr H/nu)` for eq. 8."""
    require_positive(nu=nu)
    scale = problem.eta * problem.clip_norm**2 / (16.0 * problem.rho)
    value = scale * (nu * problem.d + 2.0 * problem.eta * problem.trace / nu)
    return _convert(value, stated_half=True, half=half)


def best_damped_order(problem: RegressionProblem, constant: float = 1.0) -> float:
    """The order at the best damping, `eta^{3/2} G^2/rho sqrt(d Tr H)` (choquettechoo2023 Table 2, Prop. C.24).

    The proposition takes nu = 1/sqrt(d) at eta = c/Tr H, which costs a factor `c^{1/2} + c^{-1/2}`. The error of eq. 8
    tends to this at a constant of sqrt(2)/8.
    """
    root = math.sqrt(problem.eta**3 * problem.d * problem.trace)
    return constant * problem.clip_norm**2 / problem.rho * root


def _convert(value: float, *, stated_half: bool, half: bool) -> float:
    """Converts a value between the conventions with and without the factor 1/2."""
    return value * (1.0 if half == stated_half else 0.5 if half else 2.0)
