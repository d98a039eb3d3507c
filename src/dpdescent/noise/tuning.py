"""Choice of free parameters of strategies as in prior work: by the smallest `sensitivity^2 phi`, without any data."""

import math
from collections.abc import Iterable

from scipy.optimize import minimize_scalar

from dpdescent.checks import require_whole
from dpdescent.noise.strategies.base import Strategy
from dpdescent.noise.strategies.stamped import stamped
from dpdescent.noise.strategies.toeplitz import DampedDifference, nu_family


def best_nu(T: int, participations: int = 1) -> DampedDifference:
    """Returns nu-DP-FTRL with the nu that has the smallest error in prefix sums (choquettechoo2023 eq. 3 and App. G.2).

    Raises:
        ValueError: if the number of participations does not divide T, or a number is not an integer.
    """
    require_whole(T=T, participations=participations)
    T, participations = int(T), int(participations)

    def error(log_nu: float) -> float:
        return nu_family(math.exp(log_nu)).normalised_rmse(T, participations)

    # nu is at least 1/(10 T), because smaller damping has no visible effect in T steps.
    search = minimize_scalar(error, bounds=(-math.log(10.0 * T), 0.0), method="bounded", options={"xatol": 1e-6})
    return nu_family(math.exp(float(search.x)))


def best_copies(strategy: Strategy, T: int, participations: int, candidates: Iterable[int]) -> int:
    """Number of copies, among the candidates, with the smallest error in prefix sums; the smallest one in a tie.

    Raises:
        ValueError: if the number of participations does not divide T, or a candidate exceeds T.
    """
    return min(sorted(candidates), key=lambda copies: stamped(strategy, copies).normalised_rmse(T, participations))
