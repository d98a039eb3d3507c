"""Releases with Gaussian noise: their Renyi divergences, alone and composed, by quadrature, and their epsilon.

These are Claims A.4 to A.6 of brown2024, on which Lemma 2.1 stands. The divergences come from densities, so that the
costs that the claims print can be wrong here.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np
from scipy.special import logsumexp

from dpdescent.papers.brown2024.setting import Array
from dpdescent.privacy import zcdp
from dpdescent.privacy.accounting import tight_epsilon
from dpdescent.replication.judging.bound_rows import bound_row
from dpdescent.replication.judging.evidence import Bound, Evidence
from dpdescent.sums import added

# Orders of divergences, and sensitivities over noise sds: those of a step of a long run, and larger ones.
ORDERS, RATIOS = (1.1, 2.0, 8.0, 64.0), (0.01, 0.3, 3.0)
# The two releases that are composed: sensitivities over noise sds.
COMPOSED = (0.5, 1.0)
# Budgets and failure probabilities of the conversion, far beyond the figures' on both sides.
BUDGETS, FAILURES = (1e-4, 1e-2, 1.0, 10.0), (0.1, 1e-3, 1e-12)
# Step of the trapezoidal rule, its reach beyond both peaks of the integrand, in sds, and its error relative to values.
STEP, REACH, ERROR = 0.25, 12.0, 1e-8


def log_moment(order: float, shift: float, sd: float = 1.0) -> float:
    """The logarithm of E_q (p/q)^order, p and q normal of one sd and with means at a distance, by quadrature."""
    x = _points(order, abs(shift) / sd)
    logs = -0.5 * order * (x - shift / sd) ** 2 - 0.5 * (1.0 - order) * x**2
    return float(logsumexp(logs)) + math.log(STEP / math.sqrt(2.0 * math.pi))


def renyi_divergence(order: float, shift: float, sd: float = 1.0) -> float:
    """The Renyi divergence of two normal laws of one sd whose means are `shift` apart (Definition A.3), by quadrature."""
    return log_moment(order, shift, sd) / (order - 1.0)


def composed_divergence(order: float, first: float, second: Callable[[Array], Array]) -> float:
    """The Renyi divergence of two releases of unit noise, the second of which may depend on the first, by quadrature.

    Args:
        first: distance of the means of the first release.
        second: distance of the means of the second one, from the values of the first one.
    """
    x = _points(order, abs(first))
    logs = -0.5 * order * (x - first) ** 2 - 0.5 * (1.0 - order) * x**2
    moments = np.array([log_moment(order, shift) for shift in second(x)])
    total = float(logsumexp(logs + moments)) + math.log(STEP / math.sqrt(2.0 * math.pi))
    return total / (order - 1.0)


def _points(order: float, ratio: float) -> Array:
    """Points that cover the peak of p^order q^(1 - order), in sds."""
    reach = REACH + order * ratio
    points: Array = np.arange(-reach, reach + STEP, STEP)
    return points


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Yields divergences of one release and of two, and the epsilon of Gaussian releases, beside what is printed."""
    for order in ORDERS:
        for ratio in RATIOS:
            value = order * zcdp.gaussian_rho(ratio, 1.0)
            yield bound_row(
                bound="Renyi divergence of a release", location="Claim A.5",
                setting=f"order {order:g}, Delta/lambda = {ratio:g}", value=value, measured=renyi_divergence(order, ratio),
                note="measured is computed, by quadrature of both densities; equal but for rounding",
                allowed=ERROR * value,
            )  # fmt: skip
    rho = added(zcdp.gaussian_rho(ratio, 1.0) for ratio in COMPOSED)
    first, second = COMPOSED
    ways: dict[str, Callable[[Array], Array]] = {
        "fixed": lambda x: np.full_like(x, second), "depends on the first": lambda x: second * np.tanh(x),
    }  # fmt: skip
    for words, distance in ways.items():
        for order in ORDERS[1:3]:
            yield bound_row(
                bound="Renyi divergence of two releases", location="Claim A.4",
                setting=f"order {order:g}, Delta/lambda = {first:g} and {second:g}, second {words}", value=order * rho,
                measured=composed_divergence(order, first, distance), allowed=ERROR * order * rho,
                note="measured is computed, by quadrature of the joint density; the bound is the order times the sum of both costs",
            )  # fmt: skip
    for budget in BUDGETS:
        for delta in (*FAILURES, evidence.settings["dp_delta"]):
            yield bound_row(
                bound="epsilon of any rho", location="Claim A.6", setting=f"rho={budget:g}, delta={delta:g}",
                value=zcdp.epsilon(budget, delta), measured=tight_epsilon(budget, delta),
                note="measured is the least epsilon of Gaussian releases with this rho; other mechanisms may have more",
            )  # fmt: skip
