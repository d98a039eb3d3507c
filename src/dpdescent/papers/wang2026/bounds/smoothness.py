"""The smoothness beta that the sharp constants have where the second layer is known, read off a committed table.

The layers that were drawn are in no table, and judging draws none. The noise term of Lemma C.11 is proportional to
(1 - lambda)^2 + 12 beta lambda^2 eta, and its threshold is the sharp gradient bound: both parts of beta follow.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpdescent.papers.wang2026.reading import rows
from dpdescent.papers.wang2026.theory import constants
from dpdescent.replication.judging.algebra import pairs
from dpdescent.replication.judging.evidence import Evidence

TABLE = "bound_vs_run"


@dataclass(frozen=True)
class Smoothness:
    """beta at one width, in its two parts.

    Attributes:
        width: m.
        gradient: G_sharp^2/4, which hardly depends on the width.
        hessian: nu, which falls like 1/sqrt(m) (wang2026 eq. 4, logarithms left out).
    """

    width: float
    gradient: float
    hessian: float

    def at(self, width: float) -> float:
        """beta at a width."""
        return self.gradient + self.hessian * math.sqrt(self.width / width)

    def largest_step(self, width: float) -> float:
        """1/(12 beta) at a width."""
        return constants.largest_step(self.at(width))


def sharp_smoothness(evidence: Evidence) -> Smoothness | None:
    """beta of the runs with explicit bounds, the mean over what their rows say; None where there are none."""
    noise = rows(evidence, TABLE, series="bound", bound="C.11", constants="sharp", term="V_Z")
    noise = noise[(noise["mean"] > 0) & (noise["eta"] > 0)]
    plain, correlated = noise[noise["lam"] == 0], noise[noise["lam"] > 0]
    found = []
    for row, other in pairs(correlated, plain, ("panel", "n", "T", "B", "m", "d", "eta", "kappa")):
        weight = row["mean"] / other["mean"]
        beta = (weight - (1.0 - row["lam"]) ** 2) / (12.0 * row["eta"] * row["lam"] ** 2)
        gradient = 0.25 * row["C_clip"] ** 2
        if beta > gradient > 0:
            found.append((row["m"], gradient, beta - gradient))
    if not found:
        return None
    width, gradient, hessian = (float(np.mean(part)) for part in zip(*found, strict=True))
    return Smoothness(width, gradient, hessian)
