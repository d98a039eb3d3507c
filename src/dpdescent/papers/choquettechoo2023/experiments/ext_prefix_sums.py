"""The mechanisms without learning: error of private prefix sums, exact, at the paper's numbers of steps."""

import math
from collections.abc import Callable, Iterator

from dpdescent.checks import as_list
from dpdescent.noise import tuning
from dpdescent.noise.strategies import toeplitz, tree
from dpdescent.noise.strategies.base import Strategy
from dpdescent.noise.strategies.multi_epoch import multi_epoch_optimum
from dpdescent.noise.strategies.stamped import stamped
from dpdescent.papers.choquettechoo2023.design import Row, Spec
from dpdescent.privacy import accounting

# Mechanisms that are never restarted.
ONCE = ("identity", "nu", "ME")
MECHANISMS: dict[str, Callable[[int, int], Strategy]] = {
    "identity": lambda T, k: toeplitz.identity(),
    "TreeAgg": lambda T, k: tree.tree_aggregation(finished_only=True),
    "Honaker": lambda T, k: tree.online_honaker(finished_only=True),
    "Full Honaker": lambda T, k: tree.full_honaker(),
    "FHU": lambda T, k: toeplitz.optimal_cc(),
    "nu": tuning.best_nu,
    "ME": multi_epoch_optimum,
}


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one number of steps: every mechanism and number of restarts."""
    arms = spec["arms"]
    for T in as_list(spec["cell"]["T"]):
        if str(T) not in arms["participations"]:
            raise ValueError(f"T={T} has no number of participations: add it to arms.participations")
        k = arms["participations"][str(T)]
        for name in as_list(arms["mechanism"]):
            if name not in MECHANISMS:
                raise ValueError(f"mechanism={name!r} is none of {list(MECHANISMS)}")
            if name != "ME" or arms["largest_me"] >= T:
                base = MECHANISMS[name](T, k)
                for copies in [1] if name in ONCE else as_list(arms["copies"]):
                    yield _row(spec, name, stamped(base, copies), copies, T, k)


def _row(spec: Spec, name: str, strategy: Strategy, copies: int, T: int, k: int) -> Row:
    sensitivity = math.sqrt(strategy.sensitivity_squared(T, k))
    rmse = math.sqrt(strategy.prefix_error_squared(T) / T)
    return {
        "mechanism": name, "copies": copies, "T": T, "k": k, "series": "sensitivity x RMSE", "trial": 0,
        "value": sensitivity * rmse, "sensitivity": sensitivity, "rmse": rmse,
        "nu": getattr(strategy, "nu", math.nan) if name == "nu" else math.nan,
        "epsilon_at_equal_noise": _epsilon(spec, sensitivity * rmse, T, k),
    }  # fmt: skip


def _epsilon(spec: Spec, product: float, T: int, k: int) -> float:
    """Returns the tight epsilon at which the error is that of independent noise at rho: the cost is as product^2."""
    independent = toeplitz.identity().normalised_rmse(T, k)
    rho = spec["settings"]["rho"] * (product / independent) ** 2
    return accounting.tight_epsilon(rho, spec["settings"]["dp_delta"])
