"""choquettechoo2023's findings: each quotes the tables, and none accuses beyond what was confirmed."""

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpdescent.papers.choquettechoo2023 import findings
from dpdescent.privacy.accounting import tight_epsilon
from dpdescent.replication.configuration import values as conf
from dpdescent.replication.judging.evidence import Evidence
from later import Later

ROOT = Path(__file__).parents[2]
PAPER = "choquettechoo2023"

Tables = dict[str, pd.DataFrame]
Rows = list[dict[str, Any]]


def specification() -> dict[str, Any]:
    """What judgement gets, from the paper's file alone."""
    plain = conf.strip_provenance(conf.read_yaml(ROOT / f"config/papers/{PAPER}.yaml"))
    artefacts = {}
    for name, node in plain["artefacts"].items():
        settings = {key: plain["settings"][key] for key in node.get("uses", [])} | node.get("settings", {})
        artefacts[name] = {"cells": node["cells"], "arms": node.get("arms", {}), "settings": settings}
    return {"paper": PAPER, "seed": 3, "artefacts": artefacts} | {key: plain[key] for key in ("settings", "published")}


SPEC = specification()


def tables() -> Tables:
    made = {
        "fig01": ratios(),
        "fig02": slopes(),
        "fig03": bounds(),
        "fig04a": learning(),
        "table4": table4(),
        "ext_spectra": spectra(),
    }
    return {
        name: pd.DataFrame([{"variant": "main", "se": math.nan} | row for row in rows]) for name, rows in made.items()
    }


def ratios() -> Rows:
    exact = {1e-4: 0.002, 0.1: 0.4, 0.5: 0.86, 0.99: 0.999, 1.0: 1.0}
    rows: Rows = [{"panel": "ratio", "eta": eta, "series": "exact ratio", "mean": mean} for eta, mean in exact.items()]
    rates = [{"eta": eta, "mean": eta * math.log(eta) ** 2} for eta in exact]
    return rows + [{"panel": "ratio", "series": "order-wise proxy"} | rate for rate in rates]


# Slopes by variant, series and panel.
POWERS = {
    ("main", "Noisy-SGD", "eta"): 1.27,
    ("main", "nu-Noisy-FTRL", "eta"): 2.03,
    ("main", "optimum", "eta"): 2.02,
    ("learning rates 0.01 to 0.15", "Noisy-SGD", "eta"): 1.17,
    ("learning rates 0.01 to 0.2", "nu-Noisy-FTRL", "eta"): 2.01,
    ("learning rates 0.0001 to 0.01", "Noisy-SGD", "eta"): 1.005,
    ("learning rates 0.0001 to 0.01", "nu-Noisy-FTRL", "eta"): 1.84,
    ("learning rates 0.0001 to 0.01", "optimum", "eta"): 1.83,
    ("main", "Noisy-SGD", "d_eff"): 0.17,
    ("main", "nu-Noisy-FTRL", "d_eff"): 0.94,
    ("fixed nu", "nu-Noisy-FTRL", "d_eff"): 1.03,
    ("label noise of sd 1", "Noisy-SGD", "d_eff"): 0.27,
    ("T = 4000", "Noisy-SGD", "d"): 0.9,
}


def slopes() -> Rows:
    rows: Rows = []
    for (variant, series, panel), power in POWERS.items():
        for factor in (1.0, 3.0, 8.0):
            place = {"variant": variant, "panel": panel, "d": 128, "alpha": 1.0, "eta": 0.02, "d_eff": 5.0}
            place[panel] *= factor  # type: ignore[operator]
            kind = "simulated" if variant == "T = 4000" else "exact"
            rows.append(place | {"kind": kind, "series": series, "mean": factor**power})
    return rows


def bounds() -> Rows:
    rows: Rows = []
    for kappa, (series, mean) in ((k, each) for k in (2.0, 1000.0) for each in (("DP-SGD", 4.0), ("nu-DP-FTRL", 1.0))):
        place = {"eta": 0.1, "kappa": kappa, "multiplier": "static", "series": series}
        rows += [
            place | {"mean": mean * kappa},
            place | {"variant": "uniform grid", "mean": mean * kappa * (1 + kappa / 5000)},
        ]
        lag = place | {"multiplier": "T_max 5"}
        rows += [
            lag | {"mean": 0.8 * mean * kappa},
            lag | {"variant": "multiplier sign as printed", "mean": 0.92 * mean * kappa},
        ]
    return rows


def learning() -> Rows:
    mechanisms = {"nu-DP-FTRL": 1.0, "Honaker, restarts": 4.0, "Optimal CC, restarts": 5.0}
    return [
        {"eps": eps, "mechanism": name, "series": "test accuracy", "copies": copies, "mean": 0.9}
        for eps in (2.0, 5.0)
        for name, copies in mechanisms.items()
    ]


def table4() -> Rows:
    rows: Rows = []
    for d in (32, 2048):
        eta, log = 0.06, math.log(d / 0.06)
        orders = {
            "Noisy-SGD": eta * d,
            "Noisy-FTRL": eta**2 * log**2,
            "ratio": eta / d * log**3,
            "ratio, corrected": eta / d * log**2,
        }
        rows += [
            {"row": "1/k^2", "algorithm": name, "d": d, "eta": eta, "order": order, "mean": 0.1}
            for name, order in orders.items()
        ]
        rows += [
            {"row": "1/k", "algorithm": name, "d": d, "eta": eta, "order": order, "mean": 0.1}
            for name, order in orders.items()
        ]
    return rows


def spectra() -> Rows:
    return [
        {"spectrum": name, "d": d, "eta": 0.05, "nu": 0.05 / d**power, "series": "nu-Noisy-FTRL", "mean": 0.01}
        for name, power in (("flat", 0.0), ("k^-1", 1.0), ("k^-3", 3.0))
        for d in (16, 4096)
    ]


TABLES = tables()


def told(made: Tables = TABLES) -> dict[str, str]:
    return {each.finding: each.measured for each in findings.demonstrate(Evidence(SPEC, made))}


MEASURED = Later(told)
EXACT = {"eq-4-finite", "factor-one-half", "app-c.7-cauchy-schwarz", "lemma-d.10-square", "separation-logarithms"}
NAMES = {
    "fig01-caption",
    "table-4-ratio",
    "unstated-rates",
    "unstated-settings",
    "unstated-figure-3",
    "unstated-figure-4",
    "multiplier-sign",
    "slopes-above-the-orders",
    "loose-logarithm",
    *EXACT,
}


def test_findings_are_called_errors_only_where_a_review_confirmed_them() -> None:
    made = findings.demonstrate(Evidence(SPEC, TABLES))
    assert {each.finding for each in made} == NAMES
    assert len(made) == len(NAMES)
    assert {each.finding for each in made if each.status == "confirmed" and each.kind != "unstated"} == {
        "fig01-caption",
        "table-4-ratio",
        *(EXACT - {"separation-logarithms"}),
    }
    assert {each.finding for each in made if each.status == "question"} == {
        "multiplier-sign",
        "slopes-above-the-orders",
        "loose-logarithm",
        "separation-logarithms",
    }
    assert "privacy" not in {each.kind for each in made}
    assert [each.severity for each in made] == sorted(
        (each.severity for each in made), key=["high", "medium", "low", "cosmetic"].index
    )
    assert {each.finding for each in made if each.severity == "cosmetic"} == {
        "table-4-ratio", "loose-logarithm", "app-c.7-cauchy-schwarz", "lemma-d.10-square", "separation-logarithms",
    }  # fmt: skip
    assert {each.severity for each in made} == {"low", "cosmetic"}


def test_every_finding_has_all_of_its_parts() -> None:
    for each in findings.demonstrate(Evidence(SPEC, TABLES)):
        assert each.paper == PAPER
        assert each.artefact in SPEC["artefacts"]
        assert all([each.location, each.statement, each.expected, each.measured, each.charitable_reading])
        assert not re.search(r"\bnan\b", each.measured) or each.finding in ("unstated-rates", "unstated-settings")


def test_the_caption_is_compared_with_the_exact_ratio() -> None:
    text = MEASURED["fig01-caption"]
    assert "exact ratio 0.999 at eta = 0.99, 1 at eta = 1; " in text
    assert f"eta log^2(1/eta) {0.99 * math.log(0.99) ** 2:.3g} at eta = 0.99, 0 at eta = 1" in text
    quotients = [
        0.002 / (1e-4 * math.log(1e4) ** 2),
        0.4 / (0.1 * math.log(10) ** 2),
        0.86 / (0.5 * math.log(2) ** 2),
        0.999 / (0.99 * math.log(0.99) ** 2),
    ]
    assert f"by a factor {max(quotients) / min(quotients):.3g} over" in text
    assert "0.002 at eta = 0.0001, as claimed" in text


def test_the_misprint_is_one_logarithm_of_the_printed_row() -> None:
    expected = ", ".join(f"{math.log(d / 0.06):.3g} at d = {d}" for d in (32, 2048))
    assert MEASURED["table-4-ratio"].endswith(expected)


def test_slopes_are_those_of_their_grids() -> None:
    rates, settings = MEASURED["unstated-rates"], MEASURED["unstated-settings"]
    assert "Noisy-SGD 1.27 at main, 1.17 at learning rates 0.01 to 0.15" in rates
    assert "2.03 at main" in rates
    assert "2.01 at learning rates 0.01 to 0.2" in rates
    assert "main is 0.02 to 0.16" in rates
    assert "0.17 at main" in settings
    assert "0.27 at label noise of sd 1" in settings
    assert "1.03 at fixed nu" in settings
    assert "0.9 at Noisy-SGD, d" in settings


def test_slopes_above_the_orders_are_told_with_those_of_small_rates() -> None:
    text = MEASURED["slopes-above-the-orders"]
    for words in ("Noisy-SGD 1.27 and 1", "nu-Noisy-FTRL 2.03 and 1.84", "optimum 2.02 and 1.83"):
        assert words in text
    lam = 1 / np.arange(1, 129)
    ends = (1 / (1 - 0.5 * sum(eta * lam / (1 - eta * lam))) for eta in (0.02, 0.16))
    assert f"is {' to '.join(f'{each:.3g}' for each in ends)} over" in text


def test_bounds_of_figure_3_are_compared_by_learning_rate_and_grid() -> None:
    text = MEASURED["unstated-figure-3"]
    assert "at kappa = 1000: 4 at eta = 0.1, static, 4 at eta = 0.1, T_max 5" in text
    assert "1000 uniform frequencies over those on graded ones: 1 to 1.2" in text


def test_budgets_of_figure_4_hang_on_delta() -> None:
    text = MEASURED["unstated-figure-4"]
    for eps in (2.0, 5.0):
        numbers = re.search(
            rf"eps = {eps:g}: ([\d.]+) at delta = 0.0001, ([\d.]+) at delta = 1e-05, ([\d.]+) at delta = 1e-06", text
        )
        assert numbers
        for rho, delta in zip(numbers.groups(), (1e-4, 1e-5, 1e-6), strict=True):
            assert tight_epsilon(float(rho), delta) == pytest.approx(eps, rel=5e-3)
    assert text.endswith("4 at Honaker, restarts, 5 at Optimal CC, restarts")


def test_the_quadratic_form_is_negative_with_the_printed_sign() -> None:
    """Term by term: at lag 0 all products vanish; at lag 1 there are fifty steps from -1 to 1."""
    mu, L, path = 0.1, 1.0, [-1.0, 1.0] * 50
    gradients = [(L if theta > 0 else mu) * theta for theta in path]
    left, right = (
        [a * theta + b * g for theta, g in zip(path, gradients, strict=True)] for a, b in ((L, -1.0), (-mu, 1.0))
    )
    lag_0 = sum(x * y for x, y in zip(left, right, strict=True))
    lag_1 = sum(x * y for x, y in zip(left[:-1], right[1:], strict=True))
    assert (lag_0, lag_1) == (pytest.approx(0.0, abs=1e-12), pytest.approx(-40.5))
    text = MEASURED["multiplier-sign"]
    assert "-40.5 as printed, 40.5 with a minus sign" in text
    assert text.endswith("1.15 to 1.15")


def test_the_looser_and_the_finer_order_stand_side_by_side() -> None:
    text, rho, eta, d = MEASURED["loose-logarithm"], SPEC["settings"]["rho"], 0.05, 16
    for name, power in (("flat", 0.0), ("k^-1", 1.0), ("k^-3", 3.0)):
        lam = np.arange(1, d + 1) ** -power
        nu = eta * lam[-1]
        order = eta**2 * lam.sum() * math.log(1 / nu) ** 2 / rho
        finer = eta / rho * math.log(8 / nu) * sum(eta * x * math.log(8 / (eta * x)) for x in lam)
        assert f"{name}: {0.01 / order:.3g} and {0.01 / finer:.3g} at d = 16" in text


@pytest.mark.parametrize(("name", "power"), [("flat", 0.0), ("k^-1", 1.0), ("k^-3", 3.0)])
def test_finer_order_by_the_spectrum_of_the_noise(name: str, power: float) -> None:
    """F_inf without what the inputs' randomness feeds back (at most a tenth), by an integral over frequencies."""
    table = pd.read_csv(ROOT / f"results/paper/{PAPER}/ext_spectra.csv")
    row = table[(table["spectrum"] == name) & (table["d"] == 16) & (table["series"] == "nu-Noisy-FTRL")].iloc[0]
    eta, nu, lam, steps = float(row["eta"]), float(row["nu"]), np.arange(1, 17.0) ** -power, np.arange(1.0, 400_000.0)
    inverse = np.append(1.0, np.cumprod((steps - 0.5) / steps)) * (1 - nu) ** np.arange(400_000.0)
    omega = np.geomspace(1e-9, math.pi, 100_000)
    z = np.exp(1j * omega)
    power_of = [np.abs(1 - (1 - nu) * z) * each / np.abs(1 - (1 - eta * each) * z) ** 2 for each in lam]
    linear = eta**2 * np.sum(inverse**2) / 2 * float(np.trapezoid(np.sum(power_of, axis=0), omega)) / math.pi
    assert linear < row["mean"] < 1.12 * linear
    order = eta**2 * lam.sum() * math.log(1 / nu) ** 2
    finer = eta * math.log(8 / nu) * sum(eta * each * math.log(8 / (eta * each)) for each in lam)
    text = re.findall(rf"{re.escape(name)}: ([0-9.]+) and ([0-9.]+) at d = 16", loose_logarithm())[0]
    assert [float(each) for each in text] == [
        pytest.approx(float(row["mean"]) * SPEC["settings"]["rho"] / each, rel=0.01) for each in (order, finer)
    ]


def loose_logarithm() -> str:
    """The finding's text, from the committed table."""
    table = pd.read_csv(ROOT / f"results/paper/{PAPER}/ext_spectra.csv")
    return told(TABLES | {"ext_spectra": table})["loose-logarithm"]


def test_the_factor_of_the_lower_bound_is_counted_where_it_is_asserted() -> None:
    rows = [("Thm C.18", True, 0.6, 1.0), ("Thm C.18, (47)", True, 0.4, 1.0), ("Thm C.18", math.nan, 9.0, 1.0)]
    made = pd.DataFrame(rows, columns=["location", "holds", "value", "measured"])
    text = told(TABLES | {"bounds": made})["factor-one-half"]
    assert "in 1 of 2 rows of bounds.csv, by factors of 1.2 to 1.2" in text
    assert text.endswith("holds in 2")


def test_counterexamples_are_those_of_a_hand() -> None:
    """(beta_1 + beta_0 Q)^2 with Q = 1 - eta x^2 and x normal: E Q = 0.99, E Q^2 = 1 - 0.02 + 3e-4."""
    text = MEASURED["lemma-d.10-square"]
    assert f"exactly {1 + 2 * 0.99 + 1 - 0.02 + 3e-4:.4g}, printed {1 + 0.99**0.5:.4g}" in text
    assert "|beta|_2^2 = 1.273, gamma_T^2 " in MEASURED["eq-4-finite"]
    binomials = [1.0]
    for k in range(1, 4000):
        binomials.append(binomials[-1] * (k - 1.5) / k)
    assert sum(each**2 for each in binomials) == pytest.approx(4 / math.pi, rel=1e-6)
    text = MEASURED["app-c.7-cauchy-schwarz"]
    assert "|B(pi)|^2 = 4, |beta|_2^2 = 2" in text
    # At pi the series alternates: that of the root of 1 - z at z = -1, which converges like k^(-3/2).
    at_pi = sum((-1) ** k * each for k, each in enumerate(binomials)) ** 2
    assert at_pi == pytest.approx(2.0, rel=1e-4)
    assert f"|B(pi)|^2 = {at_pi:.1g}, |beta|_2^2 = {4 / math.pi:.4g}" in text


def test_sum_of_random_products_by_simulation() -> None:
    """E (beta_1 + beta_0 (1 - eta x^2))^2 for normal x, from 10^6 draws."""
    x = np.random.default_rng(9).standard_normal(1_000_000)
    drawn = float(np.mean((2 - 0.01 * x**2) ** 2))
    exact, printed = (
        float(each) for each in re.findall(r"exactly ([0-9.]+), printed ([0-9.]+)", MEASURED["lemma-d.10-square"])[0]
    )
    assert drawn == pytest.approx(exact, rel=1e-3)
    assert printed < drawn < printed**2


@pytest.mark.parametrize(
    "made",
    [
        {},
        {name: pd.DataFrame() for name in SPEC["artefacts"]},
        {name: table.iloc[:0] for name, table in TABLES.items()},
        {name: table.iloc[:3] for name, table in TABLES.items()},
    ],
)
def test_findings_without_their_rows_are_no_exception(made: Tables) -> None:
    found = told(made)
    assert set(found) == NAMES
    assert "nan" in found["unstated-rates"]
