"""Noise multipliers of every accountant, by lambda, epsilon and delta; what other artefacts calibrate from."""

import math
from collections.abc import Iterator

from dpdescent.checks import as_list
from dpdescent.papers.wang2026.design import Row, Spec, named, value
from dpdescent.privacy.participation import accountants
from dpdescent.privacy.participation.calibration import Calibrated

# Correlations for Theorem F.8: up to LARGEST at `full_f8`, FEW elsewhere, because no experiment uses others.
LARGEST, FEW = 0.95, (0.0, 0.5)
INDEPENDENT = ("D9", "RDP19", "WOR")


def run(spec: Spec) -> Iterator[Row]:
    """Yields a row for each accountant, lambda, epsilon and delta for which the accountant has a finite multiplier."""
    if spec["trials"][0] > 0:
        return
    for accountant in as_list(value(spec, "accountants")):
        for lam in as_list(value(spec, "lam")):
            deltas = [delta for delta in as_list(value(spec, "delta")) if _is_wanted(spec, accountant, lam, delta)]
            if deltas:
                yield from _rows(spec, accountant, lam, deltas)


def _is_wanted(spec: Spec, accountant: str, lam: float, delta: float) -> bool:
    if accountant in INDEPENDENT:
        return lam == 0.0
    if accountant == "bnb":
        return lam in FEW or value(spec, "r") == value(spec, "full_bnb")
    if accountant != "F8":
        return True
    everywhere = [value(spec, "T"), value(spec, "r"), delta] == value(spec, "full_f8")
    return lam in FEW or (everywhere and lam <= LARGEST)


def _rows(spec: Spec, accountant: str, lam: float, deltas: list[float]) -> Iterator[Row]:
    T, r = value(spec, "T"), value(spec, "r")
    # The same draws for every lambda, epsilon and delta: what is compared differs by these alone.
    rng = named(spec, 0, f"{accountant}, T={T:g}, r={r:g}")
    found = accountants.calibrate_many(
        accountant, T=T, rate=r, lam=lam, eps=as_list(value(spec, "eps")), delta=deltas,
        draws=value(spec, "draws_bnb" if accountant == "bnb" else "draws"),
        rng=rng,
    )  # fmt: skip
    for (eps, delta), each in found.items():
        if math.isinf(each.multiplier):
            continue
        yield {
            "panel": spec["panel"], "trial": 0, "series": "noise multiplier", "value": each.multiplier, "T": T, "r": r,
            "lam": lam, "eps": eps, "delta": delta, "accountant": accountant, "relation": each.relation,
            "sampler": each.sampler, "precondition": each.precondition, "proved": int(each.proved),
            # A formula for the multiplier attains no delta that is known.
            **({} if math.isnan(each.delta_attained) else _attained(each)),
        }  # fmt: skip


def _attained(found: Calibrated) -> Row:
    return {"delta_attained": found.delta_attained, "delta_se": found.standard_error}
