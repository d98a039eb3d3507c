"""wang2026's findings: each quotes the tables, and none accuses beyond what was confirmed."""

import functools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpdescent.papers.wang2026 import findings
from dpdescent.replication.configuration import project
from dpdescent.replication.configuration import values as conf
from dpdescent.replication.judging.evidence import Evidence, Finding
from later import Later
from made_up import Rows

ROOT = Path(__file__).parents[2]
PAPER = "wang2026"

Tables = dict[str, pd.DataFrame]


def specification() -> dict[str, Any]:
    """What judgement gets, from the paper's file alone."""
    plain = conf.strip_provenance(conf.read_yaml(ROOT / f"config/papers/{PAPER}.yaml"))
    return {"paper": PAPER, "seed": 3} | {key: plain[key] for key in ("artefacts", "settings", "published")}


SPEC = specification()


def kappa_tables() -> Rows:
    place = {"T": 100, "r": 0.1, "lam": 0.0, "eps": 1.0, "delta": 1e-3, "series": "noise multiplier"}
    wide = place | {"T": 250, "lam": 0.5}
    made: Rows = [
        place | {"accountant": "D9", "relation": "replace-one", "mean": 15.4},
        place | {"accountant": "RDP19", "relation": "replace-one", "mean": 22.0},
        place | {"accountant": "WOR", "relation": "replace-one", "mean": 5.88},
        place | {"accountant": "tail", "relation": "zero-out", "mean": 12.24},
        place | {"accountant": "F8", "relation": "zero-out", "mean": 2.65},
        place | {"accountant": "F12x8", "relation": "zero-out", "precondition": "not met", "mean": 39.6},
        wide | {"accountant": "tail", "relation": "zero-out", "mean": 30.0},
        wide | {"accountant": "F12x8", "relation": "zero-out", "precondition": "met", "mean": 99.0},
        wide | {"accountant": "F12x2", "relation": "zero-out", "precondition": "met", "mean": 49.5},
    ]
    return made


def closed_form_validity() -> Rows:
    renyi = {"panel": "renyi", "eps": 1.0, "series": "eq. (19) at D.9's multiplier"}
    made: Rows = [
        renyi | {"n": 400, "B": 40, "T": 20, "mean": 1.64, "r": 0.1, "delta": 1e-3, "kappa": 6.7},
        renyi | {"n": 1000, "B": 100, "T": 1000, "mean": 4.9, "r": 0.1, "delta": 1e-3, "kappa": 2.0},
    ]
    made += [
        made[0] | {"series": "dominating pair", "mean": 0.305},
        made[0] | {"series": "attained epsilon", "mean": 0.287},
    ]
    for n, kappa, attained in ((1000, 0.99, 9e-10), (30_000, 0.49, 6.91e-4), (1_000_000, 0.23, 0.283)):
        regime = {"panel": "regime", "n": n, "gamma": 0.1, "eps": 1.0, "kappa": kappa}
        regime |= {"T": round(10 * n**0.5), "r": 0.1 * n**-0.5}
        values = {"attained delta": attained, "target delta": 0.1 / n, "repaired": 0.03 / n}
        made += [regime | {"series": series, "mean": mean} for series, mean in values.items()]
    share = {"panel": "share", "n": 10_000_000, "gamma": 0.1, "eps": 1.0, "series": "attained delta"}
    return [*made, share | {"norm_share": 0.1, "mean": 0.0173}]


def sampling_counterexample() -> Rows:
    made: Rows = []
    for panel, T, kappa, eps, pair, attained in (
        ("quadrature", 1, 1.0, 1.0, 2.1e-4, 7.7e-3), ("quadrature", 1, 1.0, 0.5, 2e-3, 0.0164),
        ("composed", 1000, 1.0, 1.0, 2.6e-3, 0.241),
    ):  # fmt: skip
        place = {"panel": panel, "T": T, "r": 0.1, "lam": 0.0, "kappa": kappa, "eps": eps}
        made += [place | {"series": "F8 pair", "mean": pair}, place | {"series": "fixed size", "mean": attained}]
    return made


def tables() -> Tables:
    width = {"n": 100_000, "gamma": 0.1, "eps": 1.0, "lam": 0.5, "accountant": "F12x8"}
    made: dict[str, Rows] = {
        "kappa_tables": kappa_tables(), "closed_form_validity": closed_form_validity(),
        "sampling_counterexample": sampling_counterexample(),
        "initialisation": [
            {"m": 64, "series": series, "mean": mean}
            for series, mean in (("G_delta", 105.7), ("G_sharp", 2.04), ("largest gradient", 1.27))
        ],
        "clipping": [
            {"clip_rule": rule, "lam": 0.0, "eta": eta, "series": "population risk", "mean": mean}
            for rule, eta, mean in (("G_delta", 0.02, 0.707), ("G_delta", 0.3, 0.9), ("0.25", 5.0, 0.223))
        ],
        "admissible_width": [
            width | {"logs": logs, "series": series, "mean": mean}
            for logs, series, mean in (
                ("kept", "upper limit", 1.53e5), ("dropped", "upper limit", 4.4e6), ("kept", "gamma^-6", 1e6),
                ("dropped", "gamma^-6", 1e6),
                ("kept in the limits too", "lower limit", 3.3e7), ("kept in the limits too", "upper limit", 8.8e6),
            )
        ],
        "ext_window_rates": [
            {"panel": "Corollary 5.3", "n": n, "T": 127, "r": 0.03, "accountant": "F12x8", "precondition": condition,
             "series": "population risk", "mean": 0.4}
            for n, condition in ((1000, "not met"), (2000, "met"))
        ],
        "comparator": [
            {"panel": "inequality", "m": 64, "series": "violations", "mean": 0.0123, "condition": 8.8e3, "gamma": 0.1},
            *({"panel": "ntk", "m": 256, "T": 100, "tau_gamma": tau, "gamma": 0.14, "series": "L_S(W_0 + tau u)",
               "mean": mean}
              for tau, mean in ((4.0, 0.31), (8.0, 0.171))),
        ],
        "bound_vs_run": [{"bound": "C.11", "term": "total", "series": "bound", "eta": 0.02, "mean": 9.31}],
    }  # fmt: skip
    own = {"variant": "main", "se": math.nan, "trials": 1}
    return {name: pd.DataFrame([own | row for row in rows]) for name, rows in made.items()}


TABLES = tables()


def told(made: Tables = TABLES) -> dict[str, Finding]:
    return {each.finding: each for each in findings.demonstrate(Evidence(SPEC, made))}


FOUND = Later(told)

# Name: kind, severity, status. Whoever raises one needs a review of it first.
FIXED = {
    "theorem-f.8-sampling": ("privacy", "high", "confirmed"),
    "corollary-5.5-regime": ("privacy", "high", "confirmed"),
    "theorem-d.9-renyi": ("privacy", "high", "confirmed"),
    "theorem-f.12-factor": ("mathematics", "cosmetic", "confirmed"),
    "neighbouring-relations": ("unstated", "low", "question"),
    "corollary-5.3-iterations": ("unstated", "low", "question"),
    "scale-of-kappa": ("text", "low", "question"),
    "gradient-bound-conservative": ("unstated", "low", "question"),
    "widths-out-of-reach": ("unstated", "low", "question"),
    "corollary-5.3-window": ("unstated", "low", "question"),
    "comparator-width": ("unstated", "low", "question"),
    "updates-accounted": ("text", "cosmetic", "question"),
    "theorem-5.1-amplification": ("text", "cosmetic", "question"),
}


def test_findings_and_how_grave_they_are() -> None:
    assert {name: (each.kind, each.severity, each.status) for name, each in FOUND.items()} == FIXED
    order = ["high", "medium", "low", "cosmetic"]
    assert [each.severity for each in FOUND.values()] == sorted(
        (each.severity for each in FOUND.values()), key=order.index
    )


def test_accusations_are_worded_as_they_were_confirmed() -> None:
    assert "valid for Poisson sampling" in FOUND["theorem-f.8-sampling"].charitable_reading
    assert "Theorem 5.1 is unaffected" in FOUND["theorem-f.8-sampling"].charitable_reading
    assert "where kappa is of constant order the theorem holds" in FOUND["theorem-d.9-renyi"].charitable_reading
    # How far beyond the corollary's own threshold the failure lies.
    assert "n = 1e3 at 1, n = 1e6 at 0.3, n = 1e8 at 0.1" in FOUND["corollary-5.5-regime"].charitable_reading
    assert "constant" in FOUND["corollary-5.5-regime"].repair
    assert "safe side" in FOUND["theorem-f.12-factor"].charitable_reading
    assert "not an error" in FOUND["gradient-bound-conservative"].charitable_reading
    assert "borderline" in FOUND["corollary-5.3-window"].charitable_reading
    assert all(each.charitable_reading for each in FOUND.values())


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        (
            "theorem-f.8-sampling",
            ["0.0077 against 0.00021 at T = 1, r = 0.1, kappa = 1", "0.241 against 0.0026", "eps = 1, lambda = 0"],
        ),
        (
            "corollary-5.5-regime",
            ["0.632 against 1e-07 at n = 1e+06", "gamma = 0.1"],
        ),
        ("theorem-d.9-renyi", ["eps = 82.4 in place of 8 at T = 50", "delta = 0.01 in place of 0.001 at T = 1",
                               "it holds at 1 of 1 settings and fails at 0"]),
        ("theorem-f.12-factor", ["is 2 times the proof's, and 3.3 times"]),
        ("neighbouring-relations", ["D9: replace-one", "F12x8: zero-out", "24.5", "22"]),
        ("corollary-5.3-iterations", ["100 against 43.5 at n = 100000", "B/n = 0.03 and T = 127", "met at n = 2000"]),
        ("scale-of-kappa", ["C_clip = 0.25", "is 4 times", "2.65", "10.6"]),
        ("gradient-bound-conservative", ["G_delta 106", "2.04", "1.27", "m = 64",
                                         "0.707 at clip_rule = G_delta", "0.223 at clip_rule = 0.25"]),
        ("widths-out-of-reach", ["8.8e+03 at m = 64", "0.0123", "eta = 0.02: 9.31"]),
        ("corollary-5.3-window", ["0.153, at least 1 at 0 of 1", "4.4, at least 1 at 1 of 1"]),
        ("updates-accounted", ["0.00396", "T = 127"]),
        ("theorem-5.1-amplification", ["2.57 at B/n = 0.1"]),
        ("comparator-width", ["0.171 at m = 256, tau_gamma = 8", "1/T = 0.01", "0.14"]),
    ],
)  # fmt: skip
def test_every_finding_quotes_its_tables(name: str, numbers: list[str]) -> None:
    for number in numbers:
        assert number in FOUND[name].measured, FOUND[name].measured


def test_a_regime_without_violation_says_so() -> None:
    changed = {name: table.copy() for name, table in TABLES.items()}
    table = changed["closed_form_validity"]
    table["kappa"] = 10.0
    assert "reversed: nowhere above it" in told(changed)["corollary-5.5-regime"].measured


@pytest.mark.parametrize("factor", [1.37, 0.61])
def test_numbers_follow_the_tables(factor: float) -> None:
    changed = {name: table.copy() for name, table in TABLES.items()}
    for table in changed.values():
        # Unequal factors, since some findings quote ratios.
        scale = [factor ** (1 + k % 3) for k in range(len(table))]
        for name in ("mean", "kappa", "condition", "n", "T"):
            if name in table:
                table[name] = table[name].astype(float) * (scale if name == "mean" else factor)
    found = told(changed)
    # What D.9's own place attains is exact, and its counts of places do not hang on a factor that both sides have.
    assert [name for name, each in found.items() if each.measured == FOUND[name].measured] == ["theorem-d.9-renyi"]


@pytest.mark.parametrize("made", [{}, {name: pd.DataFrame() for name in TABLES}, {n: t[:0] for n, t in TABLES.items()}])
def test_without_tables_findings_say_so(made: Tables) -> None:
    found = told(made)
    assert set(found) == set(FIXED)
    assert [name for name, each in found.items() if findings.NOT_RUN not in each.measured] == []


@pytest.mark.parametrize("name", sorted(TABLES))
def test_one_table_more_or_less_changes_no_finding_s_name(name: str) -> None:
    assert set(told({other: table for other, table in TABLES.items() if other != name})) == set(FIXED)


def test_artefacts_exist() -> None:
    assert {each.artefact for each in FOUND.values()} <= set(SPEC["artefacts"])


# Findings about privacy and mathematics, each derived a second time: on the committed tables, by quadrature.


@functools.cache
def committed() -> dict[str, Finding]:
    whole = project.load({"scale": "paper", "seed": 20250922, "papers": [PAPER]}, ROOT)
    evidence = Evidence.read(json.loads(project.judging_json(whole, PAPER)), ROOT / f"results/paper/{PAPER}")
    return {each.finding: each for each in findings.demonstrate(evidence)}


def one_step(kappa: float, eps: float, r: float, move: float, other: float) -> float:
    """delta of (1-r) N(0, kappa^2) + r N(move, kappa^2) against the other move, by sums over a fine grid."""
    x = np.linspace(-12 * kappa, 12 * kappa + 2, 2_000_001)

    def density(m: float) -> "np.ndarray[Any, np.dtype[np.float64]]":
        normal = [np.exp(-0.5 * ((x - a) / kappa) ** 2) for a in (0.0, m)]
        return ((1 - r) * normal[0] + r * normal[1]) / (kappa * math.sqrt(2 * math.pi))

    return float(np.maximum(density(move) - math.exp(eps) * density(other), 0).sum() * (x[1] - x[0]))


def test_single_steps_of_theorem_f8_by_sums() -> None:
    for T, r, kappa, attained, pair in committed()["theorem-f.8-sampling"].shown[1:]:
        if T == "1":
            place = float(kappa), 1.0, float(r)
            assert one_step(*place, 2.0, 1.0) == pytest.approx(float(attained), rel=0.01)
            assert one_step(*place, 1.0, 0.0) == pytest.approx(float(pair), rel=0.01)


def test_single_step_of_theorem_d9_by_sums() -> None:
    r, eps, delta = 0.01, 1.0, 1e-3
    kappa = math.sqrt(16 * r**2 / eps + 32 * r**2 * math.log(1 / delta) / eps**2)
    known = one_step(kappa, eps, r, 2.0, 0.0)
    assert f"delta = {known:.2g} in place of {delta:g} at T = 1" in committed()["theorem-d.9-renyi"].measured
    # The bound that no single step can exceed.
    assert 0.9 * r < known <= r


def test_two_participations_of_theorem_d9_by_enumeration() -> None:
    """T = 50, B/n = 0.02: even the test that some output exceeds one threshold refutes eps = 8 there."""
    T, r, eps, delta = 50, 0.02, 8.0, 1e-3
    kappa = math.sqrt(16 * r**2 * T / eps + 32 * r**2 * T * math.log(1 / delta) / eps**2)
    assert f"kappa = {kappa:.3g}" in committed()["theorem-d.9-renyi"].measured
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
    for n, kappa, known, target in committed()["corollary-5.5-regime"].shown[1:]:
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
    assert "the displayed kappa is 2 times the proof's" in committed()["theorem-f.12-factor"].measured
