"""Free parameters of strategies, chosen as prior work does: least `sensitivity^2 phi`, without a look at any data."""

import math
from collections.abc import Iterable

from scipy.optimize import minimize_scalar

from dpdescent.noise.strategies.base import Strategy
from dpdescent.noise.strategies.stamped import stamped
from dpdescent.noise.strategies.toeplitz import DampedDifference, nu_family


def best_nu(T: int, participations: int = 1) -> DampedDifference:
    """nu-DP-FTRL with the nu of least error in prefix sums (choquettechoo2023 eq. 3 and App. G.2).

    Raises:
        ValueError: if the number of participations does not divide T.
    """

    def error(log_nu: float) -> float:
        return nu_family(math.exp(log_nu)).normalised_rmse(T, participations)

    # Damping that reaches ten times further than the end cannot be told from none.
    search = minimize_scalar(error, bounds=(-math.log(10.0 * T), 0.0), method="bounded", options={"xatol": 1e-6})
    return nu_family(math.exp(float(search.x)))


def best_copies(strategy: Strategy, T: int, participations: int, candidates: Iterable[int]) -> int:
    """The number of restarts, of those given, with the least error in prefix sums; the smallest where several have it.

    Raises:
        ValueError: if the number of participations does not divide T, or a candidate exceeds T.
    """
    return min(sorted(candidates), key=lambda copies: stamped(strategy, copies).normalised_rmse(T, participations))
