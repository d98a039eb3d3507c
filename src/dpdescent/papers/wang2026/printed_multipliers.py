"""Noise multipliers as wang2026 prints them: powers of Theorem 5.1's, Theorem D.9's on full batches, one step less."""

import math
from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd

from dpdescent.papers.wang2026.criteria import (
    ALGEBRA,
    EQUAL,
    IN_CODE,
    INDEPENDENT,
    LOGARITHMS,
    PUBLISHED,
    RATE,
    claim,
    claim_on_all_cells,
    range_of,
)
from dpdescent.papers.wang2026.multipliers import TABLE, multipliers
from dpdescent.privacy.participation import closed_forms, encoder, gaussian, tail
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import at_most, within_of
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
    """Yields the powers, which the theorem's own proof has, so that they are identities, and claims on numbers of steps."""
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
    yield from _steps(evidence)


def _steps(evidence: Evidence) -> Iterator[Claim]:
    asked = multipliers(evidence, INDEPENDENT).drop_duplicates(["T", "eps", "delta"])
    yield claim_on_all_cells(
        id="theorem-d.9-full-batch", artefact=TABLE, location="Theorem D.9", kind="privacy", source="paper",
        statement="for B = n the guarantee follows from the Gaussian mechanism without amplification",
        quantity="exact delta of T Gaussian steps of sensitivity 2 C_clip at D.9's kappa with B = n, over delta: the largest over T, eps and delta",
        cells={
            algebra.place_of(row, ("T", "eps", "delta")): exactly(float(gaussian.delta(2.0 * math.sqrt(row["T"]) / closed_forms.independent_multiplier(int(row["T"]), 1.0, row["eps"], row["delta"]), row["eps"])) / row["delta"])
            for row in algebra.rows_of(asked) if row["eps"] > 0 and 0 < row["delta"] < 1 and row["T"] >= 1
        },
        criterion=at_most(1.0 + EQUAL), changed=IN_CODE,
    )  # fmt: skip
    places = pd.concat([multipliers(evidence, name) for name in (PUBLISHED, INDEPENDENT)], ignore_index=True)
    places = places[algebra.floats(places, "T") > 1].drop_duplicates(["T", "r", "lam", "accountant"])
    yield claim_on_all_cells(
        id="algorithm-1-updates", artefact=TABLE, location="Algorithm 1", kind="privacy", source="identity",
        statement="(algebra) (ours) the loop makes T - 1 noisy updates where the theorems count T steps: what is calibrated for T covers T - 1",
        quantity="kappa of Theorems 5.1 (F.12) and 5.4 (D.9) for T - 1 steps over that for T: the largest over T, B/n and lambda",
        cells={algebra.place_of(row, ("T", "r", "lam", "accountant")): exactly(_ratio_without_last_step(row)) for row in algebra.rows_of(places)},
        criterion=at_most(1.0 + EQUAL), changed=f"{IN_CODE} {ALGEBRA}",
    )  # fmt: skip


def _ratio_without_last_step(row: "pd.Series[float]") -> float:
    """The closed form at one step less, over that at the steps of a row."""
    T, rate, eps, delta = int(row["T"]), float(row["r"]), float(row["eps"]), float(row["delta"])
    if row["accountant"] == INDEPENDENT:
        return closed_forms.independent_multiplier(T - 1, rate, eps, delta) / closed_forms.independent_multiplier(
            T, rate, eps, delta
        )
    before, all_steps = (
        closed_forms.correlated_multiplier(steps, rate, float(row["lam"]), eps, delta, 8.0) for steps in (T - 1, T)
    )
    return before / all_steps


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
