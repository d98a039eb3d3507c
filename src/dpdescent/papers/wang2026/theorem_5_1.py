"""Powers of Theorem 5.1's noise multiplier, by the one that the exact tail of participations proves (wang2026)."""

import math
from collections.abc import Iterator
from functools import cache

import numpy as np

from dpdescent.papers.wang2026.criteria import LOGARITHMS, RATE, claim, range_of
from dpdescent.papers.wang2026.multipliers import TABLE
from dpdescent.privacy.participation import encoder, tail
from dpdescent.replication.judging.criteria import within_of
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import exactly

# Where powers of the proved multiplier are read off: participations so many that the root of their number is what the
# theorem's sum of two terms leaves, and deltas so small that constants beside log(1/delta) are too. Axis, values, and
# the others' values.
LONG = {"T": 20_000, "rate": 0.3, "lam": 0.5, "eps": 1.0, "delta": 1e-10}
POWERS: tuple[tuple[str, str, tuple[float, ...], dict[str, float], float, float, str], ...] = (
    ("theorem-5.1-sampling", "rate", (0.03, 0.1, 0.3), {}, 0.5, RATE,
     "is proportional to BT/n + sqrt((BT/n) log(1/delta)), so that kappa gains sqrt(B/n) from sampling"),
    ("theorem-5.1-eps", "eps", (0.05, 0.1, 0.3, 1.0), {"delta": 1e-30}, -1.0, RATE, "falls as 1/eps^2"),
    ("theorem-5.1-delta", "delta", (1e-10, 1e-30, 1e-60, 1e-100), {"rate": 0.5}, 0.5, 0.5 * LOGARITHMS,
     "grows as log(1/delta) in the leading term"),
    ("theorem-5.1-lambda", "lam", (0.5, 0.8, 0.9, 0.95), {}, 1.0, RATE, "grows as ((1 - lambda^T)/(1 - lambda))^2 with the correlation"),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the powers, which the theorem's own proof has, so that they are identities; they read no table."""
    for name, axis, values, others, power, allowed, words in POWERS:
        measured = _power(axis, values, tuple(sorted((LONG | others).items())))
        scale = {"rate": "B/n", "lam": "(1 - lambda^T)/(1 - lambda)", "delta": "log(1/delta)"}.get(axis, axis)
        # A power that is off by a half, as full amplification or none would have it, is refused.
        yield claim(
            id=name, artefact=TABLE, location="Theorem 5.1", kind="privacy", source="identity",
            statement=f"(algebra) the sufficient kappa^2 {words}",
            quantity=f"log-log slope in {scale} of the kappa that the exact tail of participations proves",
            measured=exactly(measured), criterion=within_of(power, allowed),
            note=", ".join(f"{key} = {value:g}" for key, value in (LONG | others).items() if key != axis) + f"; {axis} {range_of(values)}",
        )  # fmt: skip


@cache
def _power(axis: str, values: tuple[float, ...], others: tuple[tuple[str, float], ...]) -> float:
    places, kappas = [], []
    for value in values:
        run = dict(others) | {axis: value}
        T = int(run["T"])
        if axis == "delta":
            places.append(-math.log(value))
        else:
            places.append(float(encoder.column_sum(T, value)) if axis == "lam" else value)
        kappas.append(tail.multiplier(run["eps"], run["delta"], T, run["rate"], run["lam"]))
    return float(np.polyfit(np.log(places), np.log(kappas), 1)[0])
