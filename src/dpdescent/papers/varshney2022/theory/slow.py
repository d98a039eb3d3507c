"""Exact risk of DP-SSGD at steps far below what 1 - eta can hold, as varshney2022 Theorem 3.2 asks for.

There N is 10^17 and more and eta below 10^-17, so that neither a loop nor powers of a matrix of floats will do. The
law is that of `algorithms.sgd_moments` with one record a step: second moments v follow v' = v - eta M v + eta^2 f with
`M = diag(2 lam - 2 eta lam^2) - eta lam lam'`, f = sigma^2 lam + noise. All sums over steps are geometric, and are
taken from logarithms of 1 - eta m, which need no such difference.
"""

import numpy as np

from dpdescent.checks import require_positive
from dpdescent.papers.varshney2022.theory.moments import Array, LinearProblem
from dpdescent.papers.varshney2022.theory.ssgd import Parameters


def tail_risk(problem: LinearProblem, parameters: Parameters, *, noise: bool = True) -> float:
    """Risk of the mean of the last N/2 of N iterates where nothing is clipped; without noise for privacy if so asked.

    It is exact for steps that arrive, `eta mu N` above 10 or so; below, differences of sums lose digits.
    """
    lam, eta, N = problem.lam, parameters.eta, problem.records
    require_positive(eta=eta)
    kept = N // 2.0
    fresh = problem.sigma**2 * lam + (parameters.noise_variance if noise else 0.0)
    step = np.diag(2.0 * lam - 2.0 * eta * lam**2) - eta * np.outer(lam, lam)
    limit = np.asarray(eta * np.linalg.solve(step, fresh), dtype=np.float64)
    rates, vectors = np.linalg.eig(step)
    rates, vectors = rates.real, vectors.real
    # Coordinates by mode: v_t = limit + parts e^{t logs}.
    parts = vectors * np.linalg.solve(vectors, problem.w_star**2 - limit)
    modes, own = np.log1p(-eta * rates), np.log1p(-eta * lam)
    first = N - kept + 1.0
    after = 2.0 * (1.0 - eta * lam) / (eta * lam)
    started = np.exp(modes * first)
    plain = limit * kept + parts @ (started * _geometric(kept, modes))
    crossed = limit * _geometric(kept, own)
    # The larger power is taken out of the sum, because the other way round it would overflow.
    gap, larger = modes - own[:, None], np.maximum(modes, own[:, None])
    crossed += (parts * np.exp(modes * first + larger * (kept - 1.0)) * _geometric(kept, -np.abs(gap))).sum(axis=1)
    return float(lam @ ((1.0 + after) * plain - after * crossed)) / (2.0 * kept**2)


def _geometric(count: float, logs: Array) -> Array:
    """1 + q + ... + q^(count - 1) for log q, at most 0."""
    small = np.abs(logs) < 1e-300
    safe = np.where(small, -1.0, logs)
    found: Array = np.where(small, count, np.expm1(count * safe) / np.expm1(safe))
    return found
