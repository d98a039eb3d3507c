"""Figures of choquettechoo2023: each is drawn from a small table, shows every series once, and gives equal bytes."""

import itertools
import math
import pkgutil
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy.special import elliprf, elliprj

import made_up
import pictures
from dpdescent.papers.choquettechoo2023 import (
    digits_figures,
    regression_figures,
    spectra,
    spectra_figures,
    strongly_convex_figures,
    styles,
)
from dpdescent.replication.configuration import project
from dpdescent.replication.drawing import figures as style
from dpdescent.replication.judging.statistics import Z95
from made_up import Rows, grid

ROOT = Path(__file__).parents[2]
PAPER = project.load({"scale": "paper", "seed": 7, "papers": ["choquettechoo2023"]}, ROOT).papers["choquettechoo2023"]
ARTEFACTS = PAPER.artefacts | PAPER.on_request
DRAWN = [name for name, artefact in ARTEFACTS.items() if not artefact.is_table]
DISPLAY = {
    name: {"cells": artefact.cells, "arms": artefact.arms, "published": PAPER.published} | artefact.display
    for name, artefact in ARTEFACTS.items()
}


def table_of(rows: Rows, trials: int = 20) -> pd.DataFrame:
    """The summarised table; rows with an `error`, the standard error of their mean, have many trials."""
    errors = np.array([row.get("error", math.nan) for row in rows], dtype=float)
    plain = [{name: value for name, value in row.items() if name != "error"} for row in rows]
    table = made_up.table_of(plain, trials, spread=made_up.NARROW, defaults={"variant": "main"})
    repeated = ~np.isnan(errors) & (trials > 1)
    return table.assign(se=np.where(repeated, errors, math.nan), trials=np.where(repeated, trials, 1))


def integral(a: float, b: float) -> float:
    """The integral of |1-a-e^iw| / |1-b-e^iw|^2 over a period, eq. (49), by Carlson's forms."""
    small, characteristic = (a / (2 - a)) ** 2, (a * (1 - b / 2) / (b * (1 - a / 2))) ** 2
    third = elliprf(0, small, 1) + (1 - characteristic) / 3 * elliprj(0, small, 1, characteristic)
    return float(2 * a * a / (b * b * (1 - a / 2)) * third)


def power_law(d: int, alpha: float) -> Any:
    return np.arange(1, d + 1) ** -float(alpha)


def errors_of(lam: Any, eta: float, nu: float) -> dict[str, float]:
    """Limits of the error at rho = 1/2 and clip norm 1: of independent noise, of the nu-family, and about the least."""
    kurtosis = (eta / 2) * (lam / (1 - eta * lam)).sum()
    weights = eta / 4 / (1 - eta * lam) / (1 - kurtosis)
    correlated = [x * (2 - x) / (2 * math.pi) * integral(nu, x) for x in eta * lam]
    ftrl = float(weights @ np.array(correlated)) * integral(nu, nu) / (2 * math.pi)
    return {"Noisy-SGD": float(weights.sum()), "nu-Noisy-FTRL": ftrl, "optimum": 0.93 * ftrl}


def wobble(k: int, size: float) -> float:
    return 1 + size * math.sin(2.4 * k + 1)


def coefficients(eta: float, t: int) -> float:
    return math.prod((1 - eta) * (s - 1.5) / s for s in range(1, t + 1))


def mean_estimation_rows() -> Rows:
    rows: Rows = []
    for eta in PAPER.artefacts["fig01"].cells["ratio"]["eta"]:
        exact = eta * (2 - eta) * integral(eta, eta) ** 2 / (4 * math.pi**2) if eta < 1 else 1.0
        rows.append({"panel": "ratio", "eta": eta, "series": "exact ratio", "mean": exact})
        rows.append({"panel": "ratio", "eta": eta, "series": "order-wise proxy", "mean": eta * math.log(eta) ** 2})
    for eta in (0.01, 0.1, 0.5):
        for t in (0, 1, 2, 3, 5, 8, 12, 20):
            rows.append({"panel": "time", "eta": eta, "t": t, "series": "beta*", "mean": coefficients(eta, t)})
        for omega in np.linspace(0, math.pi, 33):
            power = abs(1 - eta - np.exp(1j * omega))
            rows.append({"panel": "frequency", "eta": eta, "omega": omega, "series": "|B*|^2", "mean": float(power)})
    return [{"t": math.nan, "omega": math.nan} | row for row in rows]


VARIED: dict[str, list[tuple[int, float, float]]] = {
    "d": [(d, 1.0, 0.02) for d in (16, 32, 64, 128, 256)],
    "d_eff": [(128, alpha, 0.02) for alpha in (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)],
    "eta": [(128, 1.0, eta) for eta in (0.02, 0.0324, 0.0524, 0.0849, 0.1375, 0.175)],
}


def regression_rows() -> Rows:
    rows: Rows = []
    for panel, designs in VARIED.items():
        for k, (d, alpha, eta) in enumerate(designs):
            lam = power_law(d, alpha)
            nu, trace = eta * lam[-1], lam.sum()
            keys = {"panel": panel, "d": d, "d_eff": trace, "alpha": alpha, "eta": eta}
            exact, bounds = errors_of(lam, eta, nu), bounds_of(d, trace, eta, nu)
            own = {"nu": nu, "gamma_squared": 2.0}
            rows += [
                keys | own | {"kind": "exact", "series": name, "mean": exact[name], "exact": exact[name]}
                for name in exact
            ]
            rows += [keys | {"kind": "bound", "series": name, "mean": value} for name, value in bounds.items()]
            for name in ("Noisy-SGD", "nu-Noisy-FTRL"):
                simulated = keys | own | {"kind": "simulated", "series": name, "exact": exact[name]}
                rows.append(
                    simulated
                    | {
                        "mean": exact[name] * wobble(k, 0.03),
                        "error": 0.02 * exact[name],
                        "expected": 0.99 * exact[name],
                    }
                )
    others = [
        row | {"variant": "label noise of sd 1", "mean": row["mean"] + 0.02 * row["d_eff"] * row["eta"]}
        for row in rows
        if row["kind"] == "exact"
    ]
    others += [
        row | {"variant": name}
        for name in ("fixed nu", "sensitivity of T steps")
        for row in rows
        if row["kind"] == "exact"
    ]
    short = [
        row | {"variant": "T = 4000", "mean": row["mean"] * (16 / row["d"]) ** 0.1}
        for row in rows
        if row["kind"] != "bound"
    ]
    short = [row | ({"expected": row["mean"]} if row["kind"] == "simulated" else {}) for row in short]
    wider = [
        row | {"variant": "learning rates 0.01 to 0.2", "eta": row["eta"] / 2}
        for row in rows
        if row["kind"] == "exact" and row["panel"] == "eta"
    ]
    return [
        {"expected": math.nan, "nu": math.nan, "gamma_squared": math.nan, "exact": math.nan} | row
        for row in rows + others + short + wider
    ]


def bounds_of(d: int, trace: float, eta: float, nu: float) -> dict[str, float]:
    bounds = {"Noisy-SGD order": eta * d / 4, "nu-Noisy-FTRL order": 2 * eta**2 * trace}
    bounds["nu-Noisy-FTRL order with log"] = bounds["nu-Noisy-FTRL order"] * math.log(nu) ** 2
    bounds["lower bound (C.18)"] = 3.8 * eta**2 * trace
    if (root := eta * (trace + 2)) < 1:
        shrink = 1 + 3 / (1 - math.sqrt(root)) ** 2
        bounds["upper bound (C.15), Noisy-SGD"] = shrink * eta * d
        bounds["upper bound (C.15), nu-Noisy-FTRL"] = shrink * eta**2 * trace * 2 * math.log(8 / nu)
    return bounds


def convex_rows() -> Rows:
    factors = {"DP-SGD": (1.2, 1.48), "nu-DP-FTRL": (0.4, 1.1), "Optimized": (0.4, 1.07)}
    rows: Rows = []
    for row in grid(
        eta=(0.01, 0.1, 0.5),
        kappa=(1.01, 2, 5, 10, 30, 100, 300, 1000),
        multiplier=("static", "T_max 5"),
        series=tuple(factors),
    ):
        factor, power = factors[row["series"]]
        tighter = 0.78 if row["multiplier"] != "static" and row["series"] == "DP-SGD" else 1.0
        scale = row["eta"] ** (1.0 if row["series"] == "DP-SGD" else 1.8)
        rows.append(row | {"mean": scale * factor * tighter * row["kappa"] ** power, "iterations": 3.0})
    uniform = [
        row | {"variant": "uniform grid", "mean": row["mean"] * (1 + row["kappa"] / 1500)}
        for row in rows
        if row["multiplier"] == "static"
    ]
    plus = [
        row | {"variant": "multiplier sign as printed", "mean": 1.15 * row["mean"]}
        for row in rows
        if row["multiplier"] != "static"
    ]
    return rows + uniform + plus


# Percentages at the four budgets of the figure.
ACCURACIES = {
    "non-private": (98.0, 98.0, 98.0, 98.0), "DP-SGD": (80.6, 90.6, 93.2, 95.0),
    "DP-SGD, amplified": (93.2, 95.0, 96.0, 96.2), "TreeAgg": (87.0, 93.1, 94.9, 96.1),
    "Honaker": (89.9, 94.0, 95.3, 96.5), "Honaker, restarts": (90.3, 94.1, 95.6, 96.6),
    "Optimal CC": (92.4, 95.0, 96.0, 96.8), "Optimal CC, restarts": (92.6, 95.1, 96.15, 97.0),
    "nu-DP-FTRL": (92.8, 95.3, 96.3, 97.3), "ME": (93.1, 95.35, 96.5, 97.5),
}  # fmt: skip


def learning_rows(budgets: Sequence[float], accuracies: dict[str, tuple[float, ...]], *variants: str) -> Rows:
    rows: Rows = []
    for variant, (k, eps), mechanism in itertools.product(("main", *variants), enumerate(budgets), accuracies):
        keys = {"variant": variant, "eps": eps, "mechanism": mechanism, "learning_rate": 0.5, "nu": 0.02, "rho": 0.1}
        keys |= {"noise_multiplier": 3.0, "copies": 4.0 if "restarts" in mechanism else 1.0}
        mean = accuracies[mechanism][k] / 100 - 0.01 * (variant != "main")
        rows.append(keys | {"series": "test accuracy", "mean": mean, "error": 0.001 + 0.02 * mean * (1 - mean)})
        if mechanism != "nu-DP-FTRL":
            ahead = (accuracies["nu-DP-FTRL"][k] - accuracies[mechanism][k]) / 100
            rows.append(keys | {"series": "nu minus this", "mean": ahead, "error": 0.0008})
    return rows


def simulated_mean_rows() -> Rows:
    ratios = {"DP-SGD": 0.0, "optimal noise": 1.0, "nu = 0.1 eta": 0.1, "nu = 10 eta": 10.0, "Optimal CC": 0.003}
    rows: Rows = []
    for (k, eta), (name, ratio) in itertools.product(
        enumerate((0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.9, 1.0)), ratios.items()
    ):
        nu, b = min(ratio * eta, 0.99), min(eta, 0.999)
        private = eta / (2 - eta) / 2 if not nu else eta**2 / (8 * math.pi**2) * integral(nu, nu) * integral(nu, b)
        exact = private + eta / (2 - eta) / 3
        keys = {"eta": eta, "mechanism": name, "series": "suboptimality", "exact": exact, "clip_fraction": 0.0}
        rows.append(keys | {"kind": "exact", "mean": exact})
        rows.append(keys | {"kind": "simulated", "mean": exact * wobble(k, 0.01), "error": 0.008 * exact})
    return rows


def finite_time_rows() -> Rows:
    rows: Rows = []
    made = {"exact": (16, (1000, 3000, 10000, 30000, 100000)), "clipped": (8, (1000, 2000, 4000, 8000, 16000))}
    laws = {"DP-SGD": (0.029, 0.7), "nu-DP-FTRL": (0.0045, 1.4)}
    for (panel, (d, steps)), (name, (scale, power)) in itertools.product(made.items(), laws.items()):
        for T in steps:
            keys = {
                "panel": panel,
                "T": T,
                "d": d,
                "mechanism": name,
                "eta": 8 / T**0.7,
                "clip_norm": 2.0,
                "clip_fraction": 0.01,
            }
            error = scale * (1000 / T) ** power + 3e-5 * (panel == "clipped")
            series = "error at the best rate" if panel == "exact" else "error at the tuned rate"
            rows.append(
                keys | {"series": series, "mean": error} | ({"error": 0.06 * error} if panel == "clipped" else {})
            )
            if panel == "exact":
                rows.append(
                    keys
                    | {
                        "series": "main terms, constants 1",
                        "mean": 600 / T ** (1 if name == "DP-SGD" else 2) * (1 if name == "DP-SGD" else 900),
                    }
                )
    return rows


def nu_rows() -> Rows:
    rows: Rows = []
    designs = [("spectra", alpha, 0.02) for alpha in (0.0, 0.4, 1.0, 2.0)] + [
        ("rates", 1.0, eta) for eta in (0.002, 0.02, 0.1)
    ]
    for panel, alpha, eta in designs:
        for multiple in (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 300.0, 1000.0):
            away = math.log10(multiple / 4)
            ratio = 1.01 + 0.02 * alpha + (0.1 * away**2 if away < 0 else (2 + alpha) * 0.5 * away**2)
            keys = {
                "panel": panel,
                "nu_over_eta_mu": multiple,
                "d": 128,
                "alpha": alpha,
                "eta": eta,
                "nu": multiple * eta * 128.0**-alpha,
            }
            rows.append(keys | {"series": "over the optimum", "mean": ratio, "value_at_best": 1.01 + 0.02 * alpha})
    return rows


def anti_pgd_rows() -> Rows:
    rows: Rows = []
    designs = [("eta", 128, eta) for eta in (1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2)] + [
        ("d", d, 0.001) for d in (16, 32, 64, 128, 256, 512, 1024)
    ]
    for panel, d, eta in designs:
        lam = power_law(d, 1.0)
        exact = errors_of(lam, eta, eta / d)
        best, leading = math.sqrt(2 * eta * lam.sum() / d), math.sqrt(2) / 4 * eta**1.5 * math.sqrt(d * lam.sum())
        keys = {"panel": panel, "d": d, "eta": eta, "nu": math.nan, "leading_order": leading, "nu_best": best}
        found = {"damped anti-PGD at the best nu": 1.02 * leading, **exact}
        rows += [keys | {"series": name, "mean": value} for name, value in found.items() if name != "optimum"]
    for nu in (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.9):
        leading = 0.02 / 8 * (128 * nu + 2 * 0.02 * 5.43 / nu)
        keys = {"panel": "nu", "d": 128, "eta": 0.02, "nu": nu, "nu_best": 0.0405}
        rows.append(keys | {"series": "damped anti-PGD", "mean": leading * (1 + nu / 3), "leading_order": leading})
    return rows


def spectra_rows() -> Rows:
    rows: Rows = []
    for spectrum, d in itertools.product((*spectra_figures.SPECTRA,), (16, 64, 256, 1024, 4096)):
        lam = {"flat": np.ones(d), "one large": np.r_[1.0, np.full(d - 1, 1 / d)]}.get(spectrum)
        lam = power_law(d, float(spectrum.removeprefix("k^-"))) if lam is None else lam
        eta = 0.1 / lam.sum()
        sgd, kinds = eta * d / 4, max(math.log(d) ** (1 + (spectrum == "k^-1")), 1)
        ftrl = 0.4 * eta**2 * lam.sum() * kinds
        keys = {"spectrum": spectrum, "d": d, "eta": eta, "d_eff": lam.sum(), "nu": eta * lam[-1]}
        values = {
            "Noisy-SGD": sgd,
            "nu-Noisy-FTRL": ftrl,
            "optimum": ftrl / (1.02 + 0.01 * math.log(d)),
            spectra.GAIN: sgd / ftrl,
        }
        rows += [keys | {"series": name, "mean": value} for name, value in values.items()]
    return rows


PREFIXES = ("identity", "TreeAgg", "Honaker", "Full Honaker", "FHU", "nu", "ME")
PREFIX_SUMS = {
    (2000, 20): dict(zip(PREFIXES, (141.46, 138.0, 108.0, 72.0, 30.6, 22.29), strict=False)),
    (2052, 6): dict(zip(PREFIXES, (78.48, 42.0, 31.0, 21.0, 10.87, 9.48), strict=False)),
    (200, 10): dict(zip(PREFIXES, (31.7, 30.91, 24.09, 16.15, 13.84, 11.03, 9.74), strict=True)),
    (256, 1): dict(zip(PREFIXES, (11.34, 6.0, 4.65, 3.1, 2.669, 2.626, 2.54), strict=True)),
}  # fmt: skip


def prefix_rows() -> Rows:
    rows: Rows = []
    for (T, k), values in PREFIX_SUMS.items():
        for name, value in values.items():
            for copies in (1,) if name in ("identity", "nu", "ME") else (1, 2, 4, 5, 10, 20):
                mean = value * (1 - 0.11 * math.log(copies) + 0.045 * math.log(copies) ** 2 * (1 if k > 1 else 6))
                keys = {"mechanism": name, "copies": copies, "T": T, "k": k, "nu": 0.004 if name == "nu" else math.nan}
                epsilon = 6.3 * mean / values["identity"]
                rows.append(
                    keys
                    | {
                        "series": "sensitivity x RMSE",
                        "mean": mean,
                        "sensitivity": 1.5,
                        "rmse": mean / 1.5,
                        "epsilon_at_equal_noise": epsilon,
                    }
                )
    return rows


def gradient_rows() -> Rows:
    base: dict[str, Any] = {"d": 16, "sigma_sgd": 1.0, "start": 1.0, "T": 1000}
    moved: dict[str, list[dict[str, Any]]] = {
        "dimension": [{"d": d} for d in (4, 16, 64)], "labels": [{"sigma_sgd": each} for each in (0.1, 1.0, 10.0)],
        "start": [{"start": each} for each in (0.1, 1.0, 10.0)], "steps": [{"T": T} for T in (100, 1000, 10_000)],
    }  # fmt: skip
    rows: Rows = []
    for panel, mechanism, rule, series in itertools.product(
        moved, ("DP-SGD", "nu-DP-FTRL"), ("rate of D.4", "rate of D.13"), ("largest gradient", "largest distance")
    ):
        for each in moved[panel]:
            place = base | each
            mean = place["d"] * place["start"] + place["sigma_sgd"] * (1.5 if rule == "rate of D.4" else 1.0)
            forms = {"iterate_form": 90 * mean, "gradient_form": 100 * mean, "summary": 50 * mean}
            keys = {"panel": panel, "mechanism": mechanism, "rule": rule, "series": series}
            rows.append(place | keys | forms | {"mean": mean, "eta": 0.01, "clip_norm": 5.0})
    return rows


def image_rows() -> Rows:
    accuracies = ACCURACIES | {
        "DP-SGD, amplified, Renyi": tuple(each - 0.4 for each in ACCURACIES["DP-SGD, amplified"])
    }
    whole = learning_rows((2.0, 4.0, 10.0, 20.0), accuracies)
    others = learning_rows((10.0,), accuracies, "random features", "raw pixels")
    return whole + [row for row in others if row["variant"] != "main"]


def rate_rows() -> Rows:
    rows: Rows = []
    for eps, mechanism, rate in itertools.product((4.0, 10.0), ACCURACIES, (0.1, 0.5, 2.0)):
        keys = {"eps": eps, "mechanism": mechanism, "learning_rate": rate, "nu": 0.02, "rho": 0.1, "copies": 1.0}
        mean = ACCURACIES[mechanism][1] / 100 - 0.02 * abs(math.log(2 * rate))
        rows.append(keys | {"noise_multiplier": 3.0, "series": "held-out accuracy", "mean": mean})
    return rows


def network_rows() -> Rows:
    rows: Rows = []
    for eps, mechanism, rate, repeat in itertools.product((4.0, 10.0), ("nu-DP-FTRL", "ME"), (0.1, 0.2), (1, 2)):
        keys = {"eps": eps, "mechanism": mechanism, "learning_rate": rate, "repeat": repeat, "device": "cpu"}
        keys |= {"nu": 0.02, "rho": 0.1, "copies": 1.0, "noise_multiplier": 3.0}
        rows.append(keys | {"series": "test accuracy", "mean": 0.6 + rate / 10 + repeat / 100})
    return rows


ROWS: dict[str, Rows] = {
    "fig01": mean_estimation_rows(), "fig02": regression_rows(), "fig03": convex_rows(),
    "fig04a": learning_rows((2.0, 5.0, 10.0, 20.0), ACCURACIES, "two-layer net"),
    "ext_mean_estimation": simulated_mean_rows(), "ext_finite_time": finite_time_rows(), "ext_nu": nu_rows(),
    "ext_anti_pgd": anti_pgd_rows(), "ext_spectra": spectra_rows(), "ext_prefix_sums": prefix_rows(),
    "ext_gradients": gradient_rows(),
    "fig04a_cifar10": image_rows(), "fig04a_fashion": image_rows(), "fig04a_cifar10_rates": rate_rows(),
    "fig04a_fashion_rates": rate_rows(), "fig04a_cifar10_net": network_rows(),
}  # fmt: skip

# Curves with error bars, and groups of bars, in each panel, in the order of the panels.
CURVES = {
    "fig01": [0, 0, 0], "fig02": [2, 2, 2, 0, 0, 0, 4, 4, 4], "fig03": [0] * 9, "fig04a": [6, 5, 2, 2, 5],
    "ext_gradients": [0] * 16, "fig04a_cifar10": [6, 5, 5, 3, 2, 3], "fig04a_fashion": [6, 5, 5, 3, 2, 3],
    "fig04a_cifar10_rates": [0] * 4, "fig04a_fashion_rates": [0] * 4, "fig04a_cifar10_net": [0, 0, 0],
    "ext_mean_estimation": [5, 5, 5], "ext_finite_time": [2, 2, 0], "ext_nu": [0, 0], "ext_anti_pgd": [0, 0, 0],
    "ext_spectra": [0, 0, 0, 0], "ext_prefix_sums": [6, 1, 6, 1, 7, 1, 7, 1],
}  # fmt: skip


@pytest.fixture(autouse=True)
def _figures_are_closed() -> Iterator[None]:
    with pictures.style_of_the_project():
        yield


def draw_from(name: str, rows: Rows, trials: int = 20) -> Figure:
    figure: Figure = pkgutil.resolve_name(ARTEFACTS[name].draw)(table_of(rows, trials), DISPLAY[name])
    return figure


@cache
def draw(name: str) -> Figure:
    """The figure of the small table, as it is printed, which tests share and leave as it is."""
    artefact = ARTEFACTS[name]
    return pictures.captioned(lambda: draw_from(name, ROWS[name]), PAPER.key, artefact.place, artefact.title)


def lines_of(axes: Axes, **look: Any) -> list[Line2D]:
    """Drawn lines with the given look: what only stands in the legend has no points."""
    found = [line for line in axes.lines if len(line.get_xdata())]
    for name, value in look.items():
        found = [line for line in found if getattr(line, f"get_{name}")() == value]
    return found


def only(name: str, **values: Any) -> pd.DataFrame:
    """Rows of the made-up table with the given values, of the headline unless a variant is named."""
    table = table_of(ROWS[name])
    for column, value in ({"variant": "main"} | values).items():
        table = table[table[column] == value]
    return table


def data_of(line: Line2D) -> tuple[list[float], list[float]]:
    x, y = line.get_data()
    return list(map(float, x)), list(map(float, y))


def drawn(axes: Axes, table: pd.DataFrame, x: str, **look: Any) -> bool:
    """Whether a line of the panel runs through all means of the table, and nowhere else."""
    table = table.sort_values(x)
    wanted = (list(map(float, table[x])), list(map(float, table["mean"])))
    return len(table) > 0 and any(data_of(line) == wanted for line in lines_of(axes, **look))


def bars_of(container: Any) -> Any:
    """Half lengths of a curve's error bars."""
    (bars,) = container[2]
    return np.array([np.ptp(segment[:, 1]) / 2 if np.size(segment) else math.nan for segment in bars.get_segments()])


def heights_of(container: Any) -> Any:
    """Ordinates of a curve with error bars."""
    return np.array(data_of(container[0])[1])


def color_of(artist: Any) -> str:
    return str(to_hex(artist.get_color())).upper()


def names_of(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_only_artefacts_have_a_draw_function_and_each_has_a_small_table() -> None:
    assert set(DRAWN) == {name for name, artefact in ARTEFACTS.items() if not artefact.is_table}
    assert set(ROWS) == set(CURVES) == set(DRAWN)


@pytest.mark.parametrize("name", DRAWN)
def test_the_small_tables_have_the_columns_that_figures_may_use(name: str) -> None:
    artefact = ARTEFACTS[name]
    used = set(table_of(ROWS[name])) - set(table_of([{}])) - {"series"}
    assert used <= {*artefact.keys, *artefact.measures}
    assert set(artefact.keys) <= used


@pytest.mark.parametrize("name", DRAWN)
def test_each_figure_shows_every_series_once_with_nothing_cut_off(name: str) -> None:
    figure = draw(name)
    assert [len(axes.containers) for axes in figure.axes] == CURVES[name]
    for container in (each for axes in figure.axes for each in axes.containers if isinstance(each, ErrorbarContainer)):
        places = list(zip(*data_of(container[0]), strict=True))
        assert len({x for x, _ in places}) == len(places) or not container.has_yerr, "two curves are mixed"
    written = [*figure.texts, *(text for axes in figure.axes for text in [axes.title, *axes.texts])]
    written += [axis.label for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    for text in (each for each in written if each.get_text()):
        extent = text.get_window_extent()
        assert min(extent.x0, extent.y0) >= -1, text.get_text()
        assert extent.x1 <= figure.bbox.x1 + 1, text.get_text()
        assert extent.y1 <= figure.bbox.y1 + 1, text.get_text()
    for axes in figure.axes:
        assert axes.get_xlabel()
        assert axes.get_ylabel() or (name == "fig02" and axes in figure.axes[6:])


@pytest.mark.parametrize(("name", "suffix"), [("fig04a", "png"), ("fig04a", "svg")])
def test_equal_tables_give_equal_bytes(name: str, suffix: str, tmp_path: Path) -> None:
    for copy in ("first", "second"):
        style.save(draw_from(name, ROWS[name]), tmp_path / f"{copy}.{suffix}")
    first, second = ((tmp_path / f"{copy}.{suffix}").read_bytes() for copy in ("first", "second"))
    assert first == second
    assert len(first) > 1000


@pytest.mark.parametrize("name", DRAWN)
def test_an_empty_table_is_an_empty_figure(name: str) -> None:
    empty = table_of(ROWS[name]).iloc[:0]
    figure = pictures.without_warnings(lambda: pkgutil.resolve_name(ARTEFACTS[name].draw)(empty, {}))
    assert sum(len(axes.containers) for axes in figure.axes) <= 4
    assert all(axes.get_xlabel() and axes.get_ylabel() for axes in figure.axes[:1])


def absences() -> Iterator[Any]:
    """Every other value of a column, and, slowly, the others: each is missing once."""
    for name, rows in ROWS.items():
        for column in ("series", "variant", "mechanism", "kind", "panel", "multiplier", "spectrum"):
            values = sorted({row.get(column, "main") for row in rows})
            for first in (0, 1) if len(values) > 1 else ():
                yield pytest.param(name, column, tuple(values[first::2]), marks=pytest.mark.slow if first else [])


@pytest.mark.parametrize(("name", "column", "missing"), list(absences()))
def test_what_is_missing_leaves_a_gap(name: str, column: str, missing: tuple[str, ...]) -> None:
    rows = [row for row in ROWS[name] if row.get(column, "main") not in missing]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = draw_from(name, rows)
    assert sum(len(axes.containers) for axes in figure.axes) <= sum(CURVES[name])


@pytest.mark.parametrize("name", DRAWN)
def test_a_single_point_from_a_single_trial_is_drawn(name: str) -> None:
    axis = {"fig03": "kappa", "ext_finite_time": "T", "ext_spectra": "d", "ext_prefix_sums": "T", "ext_nu": "nu"}
    key = "eps" if name.startswith("fig04") else axis.get(name, "eta")
    value = ROWS[name][len(ROWS[name]) // 2][key]
    rows = [row for row in ROWS[name] if row[key] == value]
    pictures.without_warnings(lambda: draw_from(name, rows, trials=1))


def only_far(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["mechanism"].isin(digits_figures.FAR)]


def test_a_method_has_one_colour_in_all_figures() -> None:
    expected = {"DP-SGD": style.VERMILION, "nu-DP-FTRL": style.BLUE, "Optimal CC": style.GREEN, "ME": style.PURPLE}
    expected |= {"TreeAgg": style.SKY, "Honaker": style.ORANGE, "non-private": style.GREY}
    near, _, far, plain = draw("fig04a").axes[:4]
    mechanisms = only("fig04a")
    beside = digits_figures.beside_paper(mechanisms)
    without = beside[~beside["mechanism"].isin(digits_figures.FAR)]
    shown = {near: digits_figures.in_paper(mechanisms), far: only_far(mechanisms), plain: without}
    found = {}
    for panel, own in ((panel, styles.in_order(rows["mechanism"])) for panel, rows in shown.items()):
        found |= dict(zip(own, (color_of(each[0]) for each in panel.containers), strict=True))
    assert {name: found[name] for name in expected} == expected
    assert found["DP-SGD, amplified"] == found["DP-SGD"]
    assert found["Optimal CC, restarts"] == found["Optimal CC"]
    for name, panel in (("fig02", 0), ("ext_finite_time", 1)):
        pair = {color_of(each[0]) for each in draw(name).axes[panel].containers}
        assert pair == {style.VERMILION, style.BLUE}
    colors = [styles.METHODS[name][0] for name in styles.METHODS]
    assert len(set(colors)) == 14
    assert all(colors[k] == colors[k + 1] for k in (2, 3))


def test_additions_to_a_method_are_dashed_and_hollow() -> None:
    plain, added = styles.look("DP-SGD"), styles.look("DP-SGD, amplified")
    assert (plain["linestyle"], plain["markerfacecolor"]) == ("-", style.VERMILION)
    assert (added["linestyle"], added["markerfacecolor"], added["color"]) == ("--", "white", style.VERMILION)
    assert styles.look("a mechanism of one's own")["color"] == style.GREY
    assert styles.label_of("nu = 0.1 eta") == r"$\nu$ = 0.1 $\eta$"
    assert styles.label_of("a nuance") == "a nuance"


def test_intervals_are_at_95_per_cent() -> None:
    curve = draw("ext_finite_time").axes[1].containers[0]
    wanted = only("ext_finite_time", panel="clipped", mechanism="DP-SGD").sort_values("T")
    np.testing.assert_allclose(bars_of(curve), Z95 * wanted["se"])
    exact = draw("ext_finite_time").axes[0].containers[0]
    assert np.isnan(bars_of(exact)).all()


def test_fig01_draws_both_ratios_and_what_they_are_at_rate_one() -> None:
    ratio, time, frequency = draw("fig01").axes
    for series in ("exact ratio", "order-wise proxy"):
        table = only("fig01", panel="ratio", series=series)
        assert drawn(ratio, table[table["eta"] < 1], "eta")
    assert (ratio.get_xscale(), ratio.get_yscale()) == ("logit", "log")
    assert ratio.texts[-1].get_text() == "at $\\eta=1$\nexact: 1\norder-wise: 0"
    assert ratio.get_xlim()[0] < 1e-4
    assert 0.999 < ratio.get_xlim()[1] < 1.0
    for eta in (0.01, 0.1, 0.5):
        assert drawn(time, only("fig01", panel="time", eta=eta), "t")
        assert drawn(frequency, only("fig01", panel="frequency", eta=eta), "omega")
    assert names_of(time) == [rf"$\eta={eta}$" for eta in (0.01, 0.1, 0.5)]
    assert [line.get_ydata()[0] for line in lines_of(frequency, linestyle="-.")] == [1.0]


def test_fig02_draws_points_lines_and_bounds() -> None:
    for panel, below, x in zip(*np.reshape(draw("fig02").axes, (3, 3))[:2], VARIED, strict=True):
        for series in ("Noisy-SGD", "nu-Noisy-FTRL"):
            color = styles.color_of(series)
            for each in (panel, below):
                assert drawn(each, only("fig02", panel=x, kind="exact", series=series), x, color=color, linestyle="-")
            simulated = only("fig02", panel=x, kind="simulated", series=series)
            assert drawn(panel, simulated, x, color=color, linestyle="None")
        assert drawn(panel, only("fig02", panel=x, kind="exact", series="optimum"), x, color=style.BLACK)
        for series in bounds_of(16, 3.4, 0.02, 0.001):
            places = {panel: series in regression_figures.ORDERS, below: series not in regression_figures.ORDERS}
            bound = only("fig02", panel=x, kind="bound", series=series)
            assert {each: bool(drawn(each, bound, x)) for each in places} == places
        assert (panel.get_xscale(), panel.get_yscale()) == ("log", "log")


def test_fig02_writes_measured_slopes_beside_published_ones() -> None:
    rows = [row for row in ROWS["fig02"] if row["kind"] != "bound"]
    power = {"Noisy-SGD": 1.0, "nu-Noisy-FTRL": 2.0, "optimum": 1.5}
    rows = [
        row
        | {
            "mean": (1.0 + (row["kind"] == "exact"))
            * row[row["panel"]] ** (power[row["series"]] + (row["kind"] == "exact"))
        }
        for row in rows
    ]
    panels = draw_from("fig02", rows).axes[:3]
    assert [names_of(panel) for panel in panels] == [
        ["$1.00$ / $2.00$ / $1.00$", "$2.00$ / $3.00$ / –"], ["$1.00$ / $2.00$ / $0.18$", "$2.00$ / $3.00$ / $0.94$"],
        ["$1.00$ / $2.00$ / $1.27$", "$2.00$ / $3.00$ / $2.03$"],
    ]  # fmt: skip
    published = PAPER.published["slopes"]
    assert (published["sgd_eta"], published["ftrl_eta"]) == (1.27, 2.03)


def test_fig02_shows_the_slope_of_every_reading_below() -> None:
    rows = [
        row | {"mean": row[row["panel"]] ** (0.5 + (row["series"] == "Noisy-SGD") + (row["kind"] == "simulated") / 4)}
        for row in ROWS["fig02"]
    ]
    rows = [row | {"expected": row[row["panel"]] ** 3.0} for row in rows]
    below = draw_from("fig02", rows).axes[6:]
    readings = [
        "as configured",
        "T = 4000",
        r"fixed $\nu$",
        "label noise of sd 1",
        "learning rates 0.01 to 0.2",
        "sensitivity of T steps",
    ]
    assert [label.get_text() for label in below[0].get_yticklabels()] == readings
    for panel, (sgd, ftrl) in zip(below, ((1.0, None), (0.18, 0.94), (1.27, 2.03)), strict=True):
        dashed = {color_of(line): line.get_xdata()[0] for line in lines_of(panel, linestyle="--")}
        assert dashed == {key: value for key, value in ((style.VERMILION, sgd), (style.BLUE, ftrl)) if value}
        for series, color, slope in (("Noisy-SGD", style.VERMILION, 1.5), ("nu-Noisy-FTRL", style.BLUE, 0.5)):
            hollow = lines_of(panel, color=color, markerfacecolor="white")
            assert [float(line.get_xdata()[0]) for line in hollow] == pytest.approx([slope] * len(hollow))
            assert len(hollow) == (6 if panel is below[2] else 5)
            full = lines_of(panel, color=color, markerfacecolor=color, marker=styles.look(series)["marker"])
            assert [float(line.get_xdata()[0]) for line in full] == pytest.approx([slope + 0.25] * 2)
            assert [float(line.get_ydata()[0]) for line in full] == pytest.approx([0, 1], abs=0.2)
            over_steps = lines_of(panel, color=color, marker="|", markersize=11)
            assert [float(line.get_xdata()[0]) for line in over_steps] == pytest.approx([3.0, 3.0])


def test_fig02_hides_no_curve_behind_its_slopes() -> None:
    figure = draw("fig02")
    above = figure.axes[:3]
    assert [panel.get_title() for panel in above] == [
        r"$\alpha=1$, $\eta=0.02$", r"$d=128$, $\eta=0.02$", r"$d=128$, $\alpha=1$",
    ]  # fmt: skip
    for panel in above:
        slopes, title = panel.get_legend().get_window_extent(), panel.title.get_window_extent()
        assert panel.get_window_extent().y1 <= slopes.y0 < slopes.y1 <= title.y0


def test_fig02_cuts_upper_bounds_but_nothing_else() -> None:
    rows = [row | ({"mean": 1e9} if row["series"].startswith("upper") else {}) for row in ROWS["fig02"]]
    for panel, x in zip(draw_from("fig02", rows).axes[3:6], VARIED, strict=True):
        low, high = panel.get_ylim()
        assert high < 1e6
        shown = only("fig02", panel=x)
        left_out = ("upper", *regression_figures.ORDERS, "optimum")
        shown = shown[(shown["kind"] != "simulated") & ~shown["series"].str.startswith(left_out)]["mean"]
        assert low < shown.min()
        assert high > 2 * shown.max()


def test_fig03_draws_every_multiplier_and_reading() -> None:
    figure = draw("fig03")
    assert [panel.get_title() for panel in figure.axes[:3]] == [rf"$\eta={eta:g}$" for eta in (0.01, 0.1, 0.5)]
    for (top, middle, bottom), eta in zip(np.reshape(figure.axes, (3, 3)).T, (0.01, 0.1, 0.5), strict=True):
        for series, (multiplier, dash) in itertools.product(
            strongly_convex_figures.CONVEX, (("static", "--"), ("T_max 5", "-"))
        ):
            table = only("fig03", eta=eta, series=series, multiplier=multiplier)
            assert drawn(top, table, "kappa", color=styles.color_of(series), linestyle=dash)
        near = [only("fig03", eta=eta, series=each, multiplier="static") for each in ("nu-DP-FTRL", "Optimized")]
        ratio = near[0].assign(mean=near[0]["mean"].to_numpy() / near[1]["mean"].to_numpy())
        assert drawn(middle, ratio, "kappa", color=style.BLUE, linestyle="--")
        assert len(lines_of(bottom, linewidth=0.9)) == 6
        found = lines_of(bottom, linewidth=0.9, linestyle="-.", color=style.VERMILION)
        assert data_of(found[0])[1] == pytest.approx([1 + kappa / 1500 for kappa in data_of(found[0])[0]])
    (legend,) = figure.legends
    assert {"static multiplier", r"multiplier with $T_\max=5$", "uniform grid", r"$\nu$-DP-FTRL"} <= {
        text.get_text() for text in legend.get_texts()
    }  # fmt: skip


def test_fig04a_draws_percentages_side_by_side_on_linear_axes() -> None:
    figure = draw("fig04a")
    plain = {"Optimal CC", "Honaker", "TreeAgg"}
    kept = {*ACCURACIES} - {*digits_figures.FAR} - {name for name in plain if f"{name}, restarts" in ACCURACIES}
    parts = (
        ("main", "test accuracy", kept), ("main", "nu minus this", kept),
        ("main", "nu minus this", {*digits_figures.FAR}), ("main", "nu minus this", plain - kept),
        ("two-layer net", "nu minus this", kept),
    )  # fmt: skip
    for panel, (variant, series, names) in zip(figure.axes, parts, strict=True):
        table = only("fig04a", series=series, variant=variant)
        table = table[table["mechanism"].isin(names)]
        assert len(panel.containers) <= 6
        for name, curve in zip(styles.in_order(table["mechanism"]), panel.containers, strict=True):
            wanted = table[table["mechanism"] == name].sort_values("eps")
            np.testing.assert_allclose(heights_of(curve), 100 * wanted["mean"])
            np.testing.assert_allclose(bars_of(curve), 100 * Z95 * wanted["se"])
            np.testing.assert_allclose(data_of(curve[0])[0], wanted["eps"], rtol=0.08)
        places = [float(curve[0].get_xdata()[0]) for curve in panel.containers]
        assert min(np.diff(places)) > 0.01
        assert panel.get_yscale() == "linear"
        zero = [line for line in lines_of(panel, color=style.BLUE) if set(line.get_ydata()) == {0.0}]
        assert len(zero) == (series != "test accuracy")
    assert figure.axes[4].get_title() == "two-layer net"


AMPLIFIED = "DP-SGD, amplified"


def test_a_mechanism_that_is_not_restarted_is_not_drawn_as_restarted() -> None:
    rows = [row | {"copies": 1.0} for row in ROWS["fig04a"]]
    restarted = {"Honaker, restarts", "Optimal CC, restarts"}
    for made, dashed in ((rows, {AMPLIFIED}), (ROWS["fig04a"], {AMPLIFIED} | restarted)):
        panel = draw_from("fig04a", made).axes[0]
        names = styles.in_order(digits_figures.in_paper(only("fig04a"))["mechanism"])
        found = {n for n, curve in zip(names, panel.containers, strict=True) if curve[0].get_linestyle() == "--"}
        assert found == dashed


def test_fig04_names_restarts_only_where_their_number_is_one() -> None:
    rows = pd.DataFrame({"copies": [2.0, 4.0]})
    assert digits_figures.mechanism_label("Optimal CC, restarts", rows) == "Optimal CC, restarts"
    assert digits_figures.mechanism_label("nu-DP-FTRL", rows) == r"$\nu$-DP-FTRL"
    # It is not to be taken for the mechanism that is not tuned.
    once = digits_figures.mechanism_label("Optimal CC, restarts", rows.assign(copies=1.0))
    assert once == r"Optimal CC $\times1$"


def test_simulated_mean_estimation_is_compared_with_what_is_exact() -> None:
    errors, ratios, excess = draw("ext_mean_estimation").axes
    least = only("ext_mean_estimation", kind="exact", mechanism="optimal noise").set_index("eta")["mean"]
    for k, name in enumerate(styles.in_order(only("ext_mean_estimation")["mechanism"])):
        exact, simulated = (only("ext_mean_estimation", mechanism=name, kind=kind) for kind in ("exact", "simulated"))
        assert drawn(errors, exact, "eta", linestyle="-")
        assert drawn(errors, simulated, "eta", linestyle="None")
        np.testing.assert_allclose(heights_of(ratios.containers[k]), simulated["mean"] / simulated["eta"].map(least))
        relative = 100 * (simulated["mean"] / simulated["exact"] - 1)
        np.testing.assert_allclose(heights_of(excess.containers[k]), relative, atol=1e-9)
        np.testing.assert_allclose(bars_of(excess.containers[k]), 100 * Z95 * simulated["se"] / simulated["exact"])


def test_finite_time_writes_slopes_and_draws_both_rates() -> None:
    exact, clipped, rates = draw("ext_finite_time").axes
    assert exact.get_title() == "exact recursion, no clipping, $d=16$"
    for panel, part in ((exact, "exact"), (clipped, "clipped")):
        errors = only("ext_finite_time", panel=part)
        errors = errors[errors["series"] != "main terms, constants 1"]
        for name, power in (("DP-SGD", -1), ("nu-DP-FTRL", -2)):
            own = errors[errors["mechanism"] == name].sort_values("T")
            assert drawn(panel, own, "T", color=styles.color_of(name))
            guide = own.assign(mean=own["mean"].iloc[0] * (own["T"] / own["T"].iloc[0]) ** power)
            assert drawn(panel, guide, "T", linestyle=":")
            assert drawn(rates, own.assign(mean=own["eta"]), "T", color=styles.color_of(name))
    assert names_of(exact) == ["slope $-0.70$, rate $1/T$", "slope $-1.40$, rate $1/T^2$"]
    bound = only("ext_finite_time", panel="exact", series="main terms, constants 1", mechanism="nu-DP-FTRL")
    assert drawn(exact, bound, "T", linestyle="-.", color=style.BLUE)


def test_the_best_damping_is_named_beside_each_curve() -> None:
    spectra, rates = draw("ext_nu").axes
    assert names_of(spectra) == [
        rf"$\alpha={alpha}$: {best:.3f}" for alpha, best in ((0, 1.01), (0.4, 1.018), (1, 1.03), (2, 1.05))
    ]
    assert spectra.get_title() == r"spectra $\lambda_k=k^{-\alpha}$, $\eta=0.02$"
    for alpha in (0.0, 0.4, 1.0, 2.0):
        assert drawn(spectra, only("ext_nu", panel="spectra", alpha=alpha), "nu_over_eta_mu")
    for eta in (0.002, 0.02, 0.1):
        assert drawn(rates, only("ext_nu", panel="rates", eta=eta), "nu_over_eta_mu")
    for panel in (spectra, rates):
        assert [line.get_xdata()[0] for line in lines_of(panel, linestyle="-.")] == [1.0]
        assert [set(line.get_ydata()) for line in lines_of(panel, color="black")] == [{1.0}]


def test_anti_pgd_stands_beside_its_leading_order() -> None:
    by_rate, by_dimension, by_damping = draw("ext_anti_pgd").axes
    for panel, x in ((by_rate, "eta"), (by_dimension, "d"), (by_damping, "nu")):
        table = only("ext_anti_pgd", panel=x)
        damped = table[table["series"].str.startswith("damped")]
        assert drawn(panel, damped, x, linestyle="-")
        assert drawn(panel, damped.assign(mean=damped["leading_order"]), x, linestyle=":")
        assert len(lines_of(panel, linestyle=":")) == 1
        for series in set(table["series"]) - set(damped["series"]):
            assert drawn(panel, table[table["series"] == series], x, color=styles.color_of(series))
    assert names_of(by_rate)[1] == "$1.50$"
    assert [panel.get_title() for panel in (by_rate, by_dimension, by_damping)] == [
        "$d=128$",
        r"$\eta=0.001$",
        r"$d=128$, $\eta=0.02$",
    ]
    assert [line.get_xdata()[0] for line in lines_of(by_damping, linestyle="-.")] == [0.0405]


def test_gains_over_spectra_have_the_claimed_separation_through_their_last_point() -> None:
    gain, loss, *errors = draw("ext_spectra").axes
    for spectrum in spectra_figures.SPECTRA:
        own = only("ext_spectra", spectrum=spectrum)
        ratio = own[own["series"] == spectra.GAIN]
        assert drawn(gain, ratio.assign(mean=ratio["mean"] / ratio["d"]), "d")
        wide = own.pivot_table(index="d", columns="series", values="mean")
        ratio = (wide["nu-Noisy-FTRL"] / wide["optimum"]).rename("mean").reset_index()
        assert drawn(loss, ratio, "d")
        for panel, series in zip(errors, ("Noisy-SGD", "nu-Noisy-FTRL"), strict=True):
            assert drawn(panel, own[own["series"] == series], "d")
    (guide,) = lines_of(gain, linestyle=":")
    d, height = (np.array(values) for values in data_of(guide))
    np.testing.assert_allclose(height * np.log(d), height[-1] * math.log(d[-1]))
    last = only("ext_spectra", spectrum="one large", series=spectra.GAIN).sort_values("d")["mean"].iloc[-1]
    assert height[-1] == pytest.approx(last / d[-1])


def test_prefix_sums_compare_mechanisms_at_their_best_number_of_restarts() -> None:
    figure = draw("ext_prefix_sums")
    assert [panel.get_title() for panel in figure.axes[::2]] == [
        "$T=2052$, 6 participations", "$T=2000$, 20 participations", "$T=256$, 1 participation",
        "$T=200$, 10 participations",
    ]  # fmt: skip
    for top, bottom, (T, k) in zip(
        figure.axes[::2], figure.axes[1::2], ((2052, 6), (2000, 20), (256, 1), (200, 10)), strict=False
    ):
        table = only("ext_prefix_sums", T=T, k=k)
        for name in PREFIX_SUMS[T, k]:
            assert drawn(top, table[table["mechanism"] == name], "copies", color=styles.color_of(name))
        best = table.loc[table.groupby("mechanism")["mean"].idxmin()].sort_values("mean", ascending=False)
        (bars,) = bottom.containers
        np.testing.assert_allclose([bar.get_width() for bar in bars], best["epsilon_at_equal_noise"])
        names = [label.get_text() for label in bottom.get_yticklabels()]
        assert names[0] == "identity"
        assert names[-1] == ("ME" if T < 2000 else r"$\nu$")
        assert ("Optimal CC $\\times4$" in names) == (k > 1)
    assert len(lines_of(figure.axes[0], linestyle=":")) == 2


def test_methods_have_the_colours_of_all_papers() -> None:
    palette = style.METHODS
    accuracy = draw("fig04a").axes[0]
    names = styles.in_order(digits_figures.in_paper(only("fig04a"))["mechanism"])
    shown = {name: color_of(curve[0]) for name, curve in zip(names, accuracy.containers, strict=True)}
    plain = {name: name.removesuffix(", amplified").removesuffix(", restarts") for name in names}
    assert shown == {name: palette[plain[name]] for name in names}
    # Names of our own for methods that other papers have, too.
    ours = {"identity": "DP-SGD", "Optimal CC": "Optimal CC", r"$\nu$": "nu-DP-FTRL"}
    below = draw("ext_prefix_sums").axes[5]
    (bars,) = below.containers
    found = {
        label.get_text(): to_hex(bar.get_facecolor(), keep_alpha=False).upper()
        for label, bar in zip(below.get_yticklabels(), bars, strict=True)
    }
    assert {name: found[name] for name in ours} == {name: palette[method] for name, method in ours.items()}


def test_ordered_quantities_get_lighter_as_they_grow() -> None:
    brightness = [np.dot(to_rgb(shade), [0.3, 0.6, 0.1]) for shade in style.shades(6)]
    assert brightness == sorted(brightness)
    assert len(set(brightness)) == 6
