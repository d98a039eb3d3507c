"""Components of the error and random products, exact for Gaussian inputs (App. C.2, C.3, D.2), beside their bounds.

The iterate is theta^(0) + ... + theta^(m) + delta^(m) (eq. 36): theta^(0) has H in the place of every x x', theta^(r)
is driven by `(H - x x') theta^(r-1)`, and delta^(m) is the rest. Second moments are diagonal along the eigenvectors
of H; with `Q_t = I - eta x_t x_t'` each expectation is a recursion of d numbers.
"""

import itertools
import math
from collections.abc import Iterator

import numpy as np

from dpdescent.noise.strategies import toeplitz
from dpdescent.papers.choquettechoo2023 import formulas, laws
from dpdescent.papers.choquettechoo2023.criteria import HALF, asserted, equal
from dpdescent.papers.choquettechoo2023.exact_errors import LABEL_NOISE, Point, at_ends
from dpdescent.papers.choquettechoo2023.formulas import KURTOSIS
from dpdescent.papers.choquettechoo2023.laws import second_moment_step
from dpdescent.papers.choquettechoo2023.setting import FTRL, Array, RegressionProblem
from dpdescent.replication.judging.bound_rows import bound_row
from dpdescent.replication.judging.evidence import Bound, Evidence

# Coefficients of which a product is made; steps of theta^(r).
TAPS, ORDERS = 50, (1, 2, 3)
EVEN = np.ones(2)
# Components that are evaluated; scalars a and b of Lemma C.12; steps of Lemma D.9.
REMAINDERS, SCALARS, STEPS = range(6), ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.01, 10.0)), (0, 1, 10, 100)
# Rows and columns of T_j whose eigenvalues are taken; the distance to which rounding may carry an eigenvalue of 0.
SECTION, ROUNDED = 200, 1e-12
EXACT = "measured is exact, Gaussian inputs"


def base_bound(problem: RegressionProblem, q: Array, gamma_squared: float) -> Array:
    """Proposition C.10's bound on the second moments of theta^(0), `eta sigma_sgd^2 + eta sigma^2 q_j/lam_j`, (d,)."""
    bound: Array = problem.eta * (problem.sigma_sgd**2 + problem.noise_variance(gamma_squared) * q / problem.lam)
    return bound


def next_moments(problem: RegressionProblem, moments: Array) -> Array:
    """Stationary second moments of theta^(r) from those of theta^(r-1), shape (d,): one step of Lemma C.12."""
    lam = problem.lam
    return np.asarray(problem.eta * (lam * moments + lam @ moments) / (2.0 - problem.rates), dtype=np.float64)


def driven(problem: RegressionProblem, force: Array) -> Array:
    """Stationary second moments of SGD from zero under white noise of covariance diag(force), shape (d,).

    They solve `s = P s + eta^2 force` with P of `second_moment_step` (eq. 83).
    """
    moments = np.linalg.solve(np.eye(problem.d) - second_moment_step(problem), problem.eta**2 * force)
    return np.asarray(moments, dtype=np.float64)


def remainder_moments(problem: RegressionProblem, moments: Array) -> Array:
    """Second moments of delta^(m) from those of theta^(m), as if the two were uncorrelated (Prop. C.13, C.19).

    It is driven by `(H - x x') theta^(m)`, white noise of covariance `H S H + Tr(H S) H`; correlation would add to it.
    """
    lam = problem.lam
    return driven(problem, lam**2 * moments + (lam @ moments) * lam)


def remainder_bound(problem: RegressionProblem, weight: float, moment: float, m: int) -> float:
    """The bound in the proof of Proposition C.13: `eta/(1 - eta R^2) (eta R^2)^(m+1) weight`.

    Args:
        problem: the problem, eta R^2 below 1.
        weight: `sigma_sgd^2 + C_kurt sigma^2/R^2 <beta, T beta>`.
        moment: R^2.
        m: number of the remainder.
    """
    product = problem.eta * moment
    return problem.eta / (1.0 - product) * product ** (m + 1) * weight


def product_trace(problem: RegressionProblem, steps: int) -> float:
    """`E Tr W` of Lemma D.9 for a product of so many factors on either side, `Tr P^steps H`, exact."""
    moments = problem.lam
    for _ in range(steps):
        moments = second_moment_step(problem) @ moments
    return float(moments.sum())


def section(rate: float, size: int) -> Array:
    """The first rows and columns of T_j, `(1 - eta lam_j)^|t-s|` (eq. 32), shape (size, size)."""
    lags = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    values: Array = (1.0 - rate) ** lags.astype(np.float64)
    return values


def kurtosis(shape: Array) -> float:
    """The least C_kurt for one `P = diag(shape)`, Gaussian inputs: `E z z' P z z' = 2 P + Tr(P) I` divided by Tr P."""
    return float(2.0 * shape.max() / shape.sum() + 1.0)


def leaning_labels(problem: RegressionProblem) -> Array:
    """`E xi^2 x x'/sigma_sgd^2` for residuals `xi = zeta x_1/sqrt(3 lam_1)`, zeta independent of x, shape (d,).

    These are residuals of a misspecified model, because their size depends on the input. By the fourth moments of a
    Gaussian the value is `lam_1` in the first direction and a third of `lam_j` in the others, hence at most H.
    """
    shares = problem.lam / 3.0
    shares[0] = problem.lam[0]
    return shares


def contractions(d: int, factors: int) -> Iterator[Array]:
    """Symmetric matrices with eigenvalues in [0, 1] whose product is far from symmetric, each of shape (d, d).

    Projections and smoother ones, rotated in neighbouring planes by multiples of a third of a radian.
    """
    for k in range(factors):
        rotation = np.eye(d)
        for first in range(d - 1):
            c, s = math.cos((k + first + 1) / 3.0), math.sin((k + first + 1) / 3.0)
            plane = np.eye(d)
            plane[first : first + 2, first : first + 2] = [[c, -s], [s, c]]
            rotation = rotation @ plane
        values = (np.arange(d) % 2 == k % 2).astype(np.float64) if k % 3 else np.linspace(1.0, 0.2, d)
        yield rotation @ np.diag(values) @ rotation.T


def product_of(matrices: Iterator[Array]) -> Array:
    """The product of matrices, in their order."""
    return np.linalg.multi_dot(factors) if len(factors := list(matrices)) > 1 else factors[0]


def noise_trace(problem: RegressionProblem, beta: Array) -> float:
    """`E Tr V V'` of `V = beta_tau I + beta_{tau-1} Q + ... + beta_0 Q ... Q` (eq. 65), tau + 1 coefficients.

    By the recursion (d) of Lemma D.10's proof, with equality: `A_{k+1} = beta_{k+1} I + Q A_k`.
    """
    step, contraction = second_moment_step(problem), 1.0 - problem.rates
    mean, square = np.full(problem.d, beta[0]), np.full(problem.d, beta[0] ** 2)
    for b in beta[1:]:
        square = b**2 + 2.0 * b * contraction * mean + step @ square
        mean = b + contraction * mean
    return float(square.sum())


def noise_trace_bound(problem: RegressionProblem, beta: Array, power: int) -> float:
    """Lemma D.10: `d (sum_k |beta_k| (1 - eta mu)^{(tau-k)/2})^power`; its proof has the power 2, the lemma 1."""
    lags = np.arange(len(beta))[::-1]
    total = float(np.abs(beta) @ (1.0 - problem.eta * problem.mu) ** (lags / 2.0))
    return problem.d * total**power


def higher_orders(problem: RegressionProblem, q: Array, gamma_squared: float, orders: int) -> list[Array]:
    """Stationary second moments of theta^(r) along the eigenvectors of H, r = 0..orders, each of shape (d,) (eq. 36).

    theta^(0) has H in the place of every x x'; theta^(r) is driven by `(H - x x') theta^(r-1)`, white noise of
    covariance `H S H + Tr(H S) H` for Gaussian inputs.
    """
    rates = problem.rates
    force = problem.eta * problem.noise_variance(gamma_squared) * q + rates * problem.sigma_sgd**2
    moments = [force / (problem.lam * (2.0 - rates))]
    for _ in range(orders):
        moments.append(next_moments(problem, moments[-1]))
    return moments


def higher_order_bound(problem: RegressionProblem, q: Array, gamma_squared: float, moment: float, r: int) -> float:
    """Proposition C.11: `eta (eta R^2)^r (sigma_sgd^2 + C_kurt sigma^2/R^2 <beta, T beta>)` for r of at least 1."""
    noise = KURTOSIS * problem.noise_variance(gamma_squared) / moment * float(q.sum())
    return problem.eta * (problem.eta * moment) ** r * (problem.sigma_sgd**2 + noise)


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows at both ends of Figure 2's panels, most of them where eta R^2 is below 1; with label noise if it matters."""
    plain, noisy = (
        [point for point in at_ends(evidence, variant) if asserted(point.problem)] for variant in ("main", LABEL_NOISE)
    )
    for point in plain:
        yield from _traces(point)
    for point in (*plain, *noisy):
        yield from _higher_orders(point)
    for point in (*plain, *noisy):
        yield from _components(point)
        yield from _misspecified(point)
    for point in at_ends(evidence):
        if asserted(point.problem):
            yield from _products_and_inputs(point)
        yield from _operators(point)
    for d, factors in itertools.product((2, 5, 16), (1, 2, 3, 5, 10)):
        yield bound_row(
            bound="|Tr A_1 ... A_k|", location="Lemma F.19", setting=f"d={d}, k={factors}, projections and others",
            value=float(d), measured=abs(float(np.trace(product_of(contractions(d, factors))))),
            note="d; the printed Tr I = 1 in the proof must be d",
        )  # fmt: skip


def _traces(point: Point) -> Iterator[Bound]:
    """Evaluates Lemma D.10 with the square of its proof."""
    problem, damped = point.problem, toeplitz.nu_family(point.nu).coefficients(TAPS)
    for name, beta in ((f"eq. (7), tau = {TAPS - 1}", damped), ("beta = (1, 1), tau = 1", EVEN)):
        yield bound_row(
            bound=f"E Tr V V', {name}", location="Lemma D.10", setting=point.text,
            value=noise_trace_bound(problem, beta, 2), measured=noise_trace(problem, beta),
            note="d (sum |beta_k| (1 - eta mu)^((tau-k)/2))^2, with the square of the proof; measured is exact",
        )  # fmt: skip


def _higher_orders(point: Point) -> Iterator[Bound]:
    """Evaluates Proposition C.11 beside the largest exact second moment of theta^(r)."""
    moment = formulas.fourth_moment(point.problem.lam)
    for name in point.algorithms:
        arguments = (point.problem, point.weights(name), point.gamma_squared[name])
        exact = higher_orders(*arguments, max(ORDERS))
        for r in ORDERS if name == FTRL else ORDERS[:1]:
            yield bound_row(
                bound=f"largest eigenvalue of E theta^(r) theta^(r)', {name}", location="Prop. C.11",
                setting=f"{point.text}, r={r}", value=higher_order_bound(*arguments, moment, r),
                measured=float(exact[r].max()), note="R^2 = Tr H + 2 lambda_1; measured is exact",
            )  # fmt: skip


def _components(point: Point) -> Iterator[Bound]:
    """Evaluates Propositions C.10, C.13, C.19 and C.20, and Lemma C.12, for both algorithms."""
    problem = point.problem
    moment = formulas.fourth_moment(problem.lam)
    for name in point.algorithms:
        q, gamma_squared = point.weights(name), point.gamma_squared[name]
        orders = higher_orders(problem, q, gamma_squared, max(REMAINDERS))
        value = base_bound(problem, q, gamma_squared)
        worst = int(np.argmax(orders[0] / value))
        yield bound_row(
            bound=f"E theta^(0) theta^(0)', {name}", location="Prop. C.10",
            setting=f"{point.text}, the worst direction, j={worst + 1}", value=float(value[worst]),
            measured=float(orders[0][worst]), note=f"eta sigma_sgd^2 + eta sigma^2 q_j/lam_j; {EXACT}",
        )  # fmt: skip
        for a, b in SCALARS:
            moments = next_moments(problem, a + b * q / problem.lam)
            yield bound_row(
                bound="one step of E theta^(r) theta^(r)'", location="Lemma C.12",
                setting=f"{point.text}, {name}, a={a:g}, b={b:g}",
                value=problem.eta * (a * moment + b * formulas.KURTOSIS * float(q.sum())), measured=float(moments.max()),
                note=f"eta (a R^2 + b C_kurt <beta, T beta>), from a I + b H^-1/2 P H^-1/2 itself; {EXACT}",
            )  # fmt: skip
        yield from _remainders(problem, q, gamma_squared, f"{point.text}, {name}", moment)


def _remainders(
    problem: RegressionProblem, q: Array, gamma_squared: float, setting: str, moment: float
) -> Iterator[Bound]:
    """Evaluates the remainders after m components, and the sum of theta^(0) and delta^(0) beside the whole error."""
    orders = higher_orders(problem, q, gamma_squared, max(REMAINDERS))
    spread = formulas.KURTOSIS * problem.noise_variance(gamma_squared) / moment * float(q.sum())
    for m in REMAINDERS:
        value = remainder_bound(problem, problem.sigma_sgd**2 + spread, moment, m)
        yield bound_row(
            bound="E delta^(m) delta^(m)'", location="Prop. C.13", setting=f"{setting}, m={m}", value=value,
            measured=float(remainder_moments(problem, orders[m]).max()),
            note=f"eta/(1 - eta R^2) (eta R^2)^(m+1) (sigma_sgd^2 + C_kurt sigma^2/R^2 <beta, T beta>), to 0; {EXACT}",
        )  # fmt: skip
    whole = float(laws.variances(problem, q, gamma_squared).sum())
    apart = float((orders[0] + remainder_moments(problem, orders[0])).sum())
    why = (
        "Tr of the second moments of theta^(0) plus those of delta^(0) without any correlation; measured is that of "
        "theta, in which twice their correlation, and that of delta^(0) with the noise, would show"
    )
    yield equal("E theta^(0) delta^(0)' = 0", "Prop. C.19, C.20", setting, apart, whole, why)


def _misspecified(point: Point) -> Iterator[Bound]:
    """Evaluates Theorem C.14 where residuals depend on the input (App. C.1.2)."""
    problem = point.problem
    if not problem.sigma_sgd:
        return
    for name in point.algorithms:
        q, gamma_squared = point.weights(name), point.gamma_squared[name]
        force = problem.sigma_sgd**2 * leaning_labels(problem) + problem.noise_variance(gamma_squared) * q
        measured = 0.5 * float(problem.lam @ driven(problem, force))
        yield bound_row(
            bound=f"upper bound, misspecified model, {name}", location="App. C.1.2", setting=point.text,
            value=formulas.upper_bound(problem, q, gamma_squared), measured=measured,
            note=f"Thm C.14; residuals zeta x_1/sqrt(3 lam_1), E xi^2 x x' at most sigma_sgd^2 H; {EXACT}; {HALF}",
        )  # fmt: skip


def _products_and_inputs(point: Point) -> Iterator[Bound]:
    """Evaluates Lemma D.9, then C_kurt of Property C.3."""
    problem = point.problem
    moment = formulas.fourth_moment(problem.lam)
    for steps in STEPS:
        yield bound_row(
            bound="E Tr W", location="Lemma D.9", setting=f"{point.text}, t-1-tau={steps}",
            value=moment * (1.0 - problem.eta * problem.mu) ** steps,
            measured=product_trace(problem, steps), note=f"R^2 (1 - eta mu)^(t-1-tau); {EXACT}",
        )  # fmt: skip
    shapes = {"P = e_1 e_1'": np.eye(problem.d)[0], "P = I": np.ones(problem.d)}
    shapes |= {f"P of {name}": point.weights(name) for name in point.algorithms}
    for name, shape in shapes.items():
        yield bound_row(
            bound="C_kurt of Gaussian inputs", location="Property C.3", setting=f"{point.text}, {name}",
            value=formulas.KURTOSIS, measured=kurtosis(shape),
            note=f"3; E z z' P z z' = 2 P + Tr(P) I over Tr P; {EXACT}", allowed=ROUNDED,
        )  # fmt: skip


def _operators(point: Point) -> Iterator[Bound]:
    """Evaluates Lemma C.6 on finite sections of the slowest and the fastest T_j, and of their sum."""
    rates = point.problem.rates
    sections = {f"T_{j + 1}": section(float(rates[j]), SECTION) for j in sorted({0, len(rates) - 1})}
    sections["T"] = np.sum([section(float(rate), SECTION) for rate in rates], axis=0)
    for name, matrix in sections.items():
        eigenvalues = np.linalg.eigvalsh(matrix)
        yield bound_row(
            bound="smallest eigenvalue of T_j and T", location="Lemma C.6", setting=f"{point.text}, {name}", value=0.0,
            measured=float(eigenvalues[0]), direction="at least",
            note=f"0; eta below 1/lambda_1; measured of the first {SECTION} rows and columns",
            allowed=ROUNDED * float(eigenvalues[-1]),
        )  # fmt: skip
