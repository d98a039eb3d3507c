"""Noise multipliers for the experiments: closed forms at once, those by Monte Carlo from the table that has them."""

from functools import cache

import numpy as np

from dpdescent.papers.wang2026.arms import Noise
from dpdescent.papers.wang2026.design import Size, Spec
from dpdescent.privacy.events import Sampler
from dpdescent.privacy.participation import accountants
from dpdescent.privacy.participation.calibration import Calibrated
from dpdescent.replication.build.files import read_rows

# Accountants whose multipliers the artefact kappa_tables has, because Monte Carlo is slow; with their batches.
SIMULATED: dict[str, Sampler] = {"F8": "Poisson", "bnb": "balls in bins"}
TABLE = "kappa_tables"


def noise(spec: Spec, size: Size, accountant: str, lam: float, eps: float, delta: float) -> Noise:
    """Returns the noise of an accountant, for batches that are drawn as it asks for.

    Raises:
        ValueError: as `multiplier` does.
    """
    found = multiplier(spec, accountant, size.T, size.r, lam, eps, delta)
    return Noise(
        accountant, found.multiplier, lam, size, eps, delta, found.relation, found.sampler, found.precondition
    )  # fmt: skip


def multiplier(spec: Spec, accountant: str, T: int, r: float, lam: float, eps: float, delta: float) -> Calibrated:
    """Returns the noise multiplier of an accountant and what it holds for.

    Raises:
        ValueError: if there is no such accountant, or the table of calibrated noise has no such setting.
    """
    if accountant not in SIMULATED:
        # Closed forms draw no random numbers, so that the generator does not matter.
        rng = np.random.default_rng(0)
        return accountants.calibrate(accountant, T=T, rate=r, lam=lam, eps=eps, delta=delta, draws=0, rng=rng)
    wanted = {"T": T, "r": r, "lam": lam, "eps": eps, "delta": delta}
    for row in _rows(str(spec["tables"][TABLE])):
        if row["accountant"] == accountant and all(float(row[name]) == number for name, number in wanted.items()):
            return Calibrated(
                float(row["mean"]), float(row["delta_attained"]), float(row["delta_se"]), "zero-out",
                SIMULATED[accountant], False, row["precondition"],
            )  # fmt: skip
    raise ValueError(f"{TABLE} has no multiplier of {accountant} at {wanted}: add the setting to that artefact")


@cache
def _rows(path: str) -> list[dict[str, str]]:
    return [row for row in read_rows(path) if row["accountant"] in SIMULATED]
