"""wang2026's findings: how grave they are, that they follow the tables, and those on privacy derived a second time."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpdescent.papers.wang2026 import attained, findings
from dpdescent.papers.wang2026.guarantees import TARGET, regime_deltas
from dpdescent.privacy.participation import closed_forms
from dpdescent.replication.judging.evidence import Evidence, Finding
from edits import Tables
from later import Later
from wang2026_world import SPEC, committed


def told(made: Tables) -> dict[str, Finding]:
    return {each.finding: each for each in findings.demonstrate(Evidence(SPEC, made))}


FOUND = Later(lambda: told(committed().tables))
CONFIRMED = {
    "theorem-f.8-sampling": "high", "theorem-d.9-renyi": "high", "theorem-f.12-factor": "cosmetic",
}  # fmt: skip


def test_findings_are_called_errors_only_where_a_review_confirmed_them() -> None:
    """How far beyond the corollary's own threshold the failure lies, and what is unaffected, is part of the words."""
    assert {name: each.severity for name, each in FOUND.items() if each.status == "confirmed"} == CONFIRMED
    assert {name for name, each in FOUND.items() if each.kind == "privacy"} == set(list(CONFIRMED)[:2])
    assert all(each.charitable_reading for each in FOUND.values())
    assert "Theorem 5.1 is unaffected" in FOUND["theorem-f.8-sampling"].charitable_reading
    assert "'in the standard low-sampling regime'" in FOUND["theorem-d.9-renyi"].charitable_reading
    assert "Gradients seen have 0.018 of Corollary 5.5's C_clip" in FOUND["theorem-d.9-renyi"].charitable_reading


def test_a_constant_multiplier_repairs_nothing() -> None:
    """Theorem D.9's kappa is 1 there, and the largest gradient alone attains a billion times the delta."""
    T, r, eps, delta = 1111, 1e-3, 1.0, 1e-12
    kappa = closed_forms.independent_multiplier(T, r, eps, delta)
    assert kappa == pytest.approx(1.0, rel=1e-3)
    assert attained.delta_by_largest(kappa, eps, T, r) > 1e9 * delta
    assert "a constant kappa is not enough" in FOUND["theorem-d.9-renyi"].repair


def test_a_regime_without_violation_says_so() -> None:
    table = committed().tables["closed_form_validity"].assign(kappa=10.0)
    found = told(committed().tables | {"closed_form_validity": table})
    assert "no delta above its target" in found["theorem-d.9-renyi"].measured


@pytest.mark.parametrize("factor", [1.37, 0.61])
def test_numbers_follow_the_tables(factor: float) -> None:
    changed = {name: table.copy() for name, table in committed().tables.items()}
    for table in changed.values():
        # Unequal factors, since some findings quote ratios.
        scale = [factor ** (1 + k % 3) for k in range(len(table))]
        for name in ("mean", "kappa", "condition", "n", "T"):
            if name in table:
                table[name] = table[name].astype(float) * (scale if name == "mean" else factor)
    found = told(changed)
    assert not {name for name, each in found.items() if each.measured == FOUND[name].measured}


def test_without_tables_findings_say_so() -> None:
    names = list(committed().tables)
    for made in ({}, {name: pd.DataFrame() for name in names}, {n: t[:0] for n, t in committed().tables.items()}):
        found = told(made)
        assert set(found) == set(FOUND)
        assert [name for name, each in found.items() if findings.NOT_RUN not in each.measured] == []
    for name in names[::4]:
        assert set(told({other: table for other, table in committed().tables.items() if other != name})) == set(FOUND)


# Findings about privacy and mathematics, each derived a second time, by quadrature


def one_step(kappa: float, eps: float, r: float, move: float, other: float) -> float:
    """delta of (1-r) N(0, kappa^2) + r N(move, kappa^2) against the other move, by sums over a fine grid."""
    x = np.linspace(-12 * kappa, 12 * kappa + 2, 2_000_001)

    def density(m: float) -> "np.ndarray[Any, np.dtype[np.float64]]":
        normal = [np.exp(-0.5 * ((x - a) / kappa) ** 2) for a in (0.0, m)]
        return ((1 - r) * normal[0] + r * normal[1]) / (kappa * math.sqrt(2 * math.pi))

    return float(np.maximum(density(move) - math.exp(eps) * density(other), 0).sum() * (x[1] - x[0]))


def test_single_steps_of_theorem_f8_by_sums() -> None:
    for T, r, kappa, reached, pair in FOUND["theorem-f.8-sampling"].shown[1:]:
        if T == "1":
            place = float(kappa), 1.0, float(r)
            assert one_step(*place, 2.0, 1.0) == pytest.approx(float(reached), rel=0.01)
            assert one_step(*place, 1.0, 0.0) == pytest.approx(float(pair), rel=0.01)


def test_single_step_of_theorem_d9_by_sums() -> None:
    r, eps, delta = 0.01, 1.0, 1e-3
    kappa = math.sqrt(16 * r**2 / eps + 32 * r**2 * math.log(1 / delta) / eps**2)
    known = one_step(kappa, eps, r, 2.0, 0.0)
    assert f"delta = {known:.2g} in place of {delta:g} at T = 1" in FOUND["theorem-d.9-renyi"].measured
    # The bound that no single step can exceed.
    assert 0.9 * r < known <= r


def test_two_participations_of_theorem_d9_by_enumeration() -> None:
    """T = 50, B/n = 0.02: even the test that some output exceeds one threshold refutes eps = 8 there."""
    T, r, eps, delta = 50, 0.02, 8.0, 1e-3
    kappa = math.sqrt(16 * r**2 * T / eps + 32 * r**2 * T * math.log(1 / delta) / eps**2)
    assert f"kappa = {kappa:.3g}" in FOUND["theorem-d.9-renyi"].measured
    c = 1.7
    tail = 0.5 * math.erfc(c / kappa / math.sqrt(2))
    moved = (1 - r) * tail + r * 0.5 * math.erfc((c - 2) / kappa / math.sqrt(2))
    none, some = (1 - each for each in (tail, moved))
    above, attained = T * tail, 1 - some**T
    assert math.log((attained - delta) / above) > eps
    assert none < 1


def test_regime_of_theorem_5_4_by_its_own_orders() -> None:
    """kappa^2 = gamma (16/eps + 32 log(n/gamma)/eps^2) / sqrt(n) falls to 0; one threshold tells the sides apart."""
    gamma = 0.1
    target_rows = committed().tables["closed_form_validity"]
    target_rows = target_rows[(target_rows["panel"] == "regime") & (target_rows["series"] == TARGET)]
    for place, (kappa, known, target) in list(regime_deltas(target_rows).items())[::2]:
        n = place.removeprefix("n = ")
        order = math.sqrt(gamma / math.sqrt(float(n)) * (16 + 32 * math.log(float(n) / gamma)))
        # B and T are rounded to whole numbers.
        assert float(kappa) == pytest.approx(order, rel=0.06)
        T, r = round(math.sqrt(float(n)) / gamma), round(gamma * math.sqrt(float(n))) / float(n)
        best = 0.0
        for c in (0.02 * k for k in range(1, 300)):
            # Numbers of outputs beyond c are Poisson's, nearly, on both sides.
            tail, moved = (0.5 * math.erfc((c - s) / float(kappa) / math.sqrt(2)) for s in (0.0, 2.0))
            attained = -math.expm1(-T * ((1 - r) * tail + r * moved)) + math.e * math.expm1(-T * tail)
            best = max(best, attained)
        assert best == pytest.approx(float(known), rel=0.03)
        assert float(known) > 100 * float(target)


def test_constant_of_theorem_f12_by_the_exact_gaussian_curve() -> None:
    """k participations known: noise of the proof's constant 2 keeps delta/2; the displayed 8 is twice that noise."""
    for eps, delta in ((1.0, 1e-3), (0.5, 1e-5)):
        mu = eps / math.sqrt(2 * math.log(1.25 / (delta / 2)))
        above = 0.5 * math.erfc((eps / mu - mu / 2) / math.sqrt(2)) - math.exp(eps) * 0.5 * math.erfc(
            (eps / mu + mu / 2) / math.sqrt(2)
        )
        assert above <= delta / 2
        displayed, proved = (math.sqrt(c * math.log(2.5 / delta)) / eps for c in (8, 2))
        assert displayed / proved == pytest.approx(2.0)
        assert proved == pytest.approx(1 / mu)
    assert "the displayed kappa is 2 times the proof's" in FOUND["theorem-f.12-factor"].measured
