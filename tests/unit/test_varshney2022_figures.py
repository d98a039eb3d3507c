"""Figures of varshney2022: each is drawn from a small table, shows every series once, and gives equal bytes."""

import importlib
import itertools
import math
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import made_up
import pictures
from dpdescent.papers.varshney2022 import attacks_figures, choices_figures, lemmas_figures, privacy_figures, styles
from dpdescent.replication.drawing import figures as style
from dpdescent.replication.judging.statistics import Z95
from made_up import Rows, grid

ROOT = Path(__file__).parents[2]
CONFIG = yaml.safe_load((ROOT / "config/papers/varshney2022.yaml").read_text(encoding="utf-8"))
ARTEFACTS = CONFIG["artefacts"]
DRAWN = sorted(name for name in ARTEFACTS if not name.startswith("table"))


def values_in(node: dict[str, Any]) -> dict[str, Any]:
    """The numbers of a configuration without what is said of them."""
    return {
        name: entry["value"] if "value" in entry else values_in(entry)
        for name, entry in node.items() if isinstance(entry, dict)
    }  # fmt: skip


DISPLAY = {
    name: {"cells": values_in(each.get("cells", {})), "arms": values_in(each.get("arms", {}))}
    | {"published": values_in(CONFIG["published"])} | each.get("display", {})
    for name, each in ARTEFACTS.items()
}  # fmt: skip
# In units of the risk of a run: 10 % and 90 % of the trials, and the median.
SPREAD = made_up.WIDE
OVERSHOOTS = 4.0
NAN = math.nan
SIGMA_FLOOR = 2e-15


def table_of(rows: Rows, trials: int = 20) -> pd.DataFrame:
    """The summarised table; the printed rule's mean is far above its median; rows marked `exact` have one trial."""
    plain = [{name: value for name, value in row.items() if name != "exact"} for row in rows]
    table = made_up.table_of(plain, trials, spread=SPREAD, defaults={"variant": "main"})
    exact = np.array([row.get("exact", False) for row in rows], dtype=bool)
    overshooting = table.get("series") == "DP-AMBSSGD (as published)"
    table["mean"] = table["mean"].where(~overshooting, OVERSHOOTS * table["mean"])
    table["se"] = table["se"].where(~overshooting, OVERSHOOTS * table["se"])
    return table.assign(se=table["se"].where(~exact), trials=table["trials"].where(~exact, 1))


def risk_of(name: str, N: float, d: float, sigma: float, eps: float) -> float:
    """Risks that behave as the paper says, with constants near those of a prototype."""
    sampling = sigma**2 * d / N
    adaptive = (sigma**2 + SIGMA_FLOOR) * (40 * d / (eps * N)) ** 2
    plateau = (100 * d / (eps * N)) ** 2
    return {
        "OLS": sampling / 2 if sigma else 1e-31,
        "DP-AMBSSGD": sampling * 1.1 + adaptive,
        "DP-AMBSSGD (q = 0.9)": sampling * 1.1 + adaptive * 0.6,
        "DP-AMBSSGD (as published)": min(sampling * 1.2 + 20 * adaptive, 0.5),
        "fixed clip": min(sampling + plateau * 1.2, 0.45), "DP-SSGD": min(sampling + 60 * plateau, 0.5),
        "AdaSSP": min(sampling / 2 + plateau * 0.9, 0.4) * (d / 10) ** 0.1,
        "AdaSSP (bound 1.2 sqrt d)": min(sampling / 2 + plateau * 0.05 * d / 10, 0.4),
        "DP-GD": min(sampling / 2 + plateau * 0.3, 0.45), "DP-GD (adaptive)": sampling / 2 + adaptive * 0.25,
    }[name]  # fmt: skip


PRIVATE = tuple(name for name in DISPLAY["risk_vs_n"]["arms"]["series"] if name != "OLS")
OURS = ("DP-AMBSSGD", "DP-AMBSSGD (q = 0.9)")
OTHERS = {"clip_fraction": 0.003, "zeta_first": 10.4, "zeta_last": 1.3}


def risk_rows(series: tuple[str, ...], **axes: Any) -> Rows:
    shared = {"kappa": 1, "delta": 1e-6} | OTHERS
    rows = grid(series=series, **({"panel": "all", "eps": 1.0, "d": 10} | axes))
    means = [risk_of(row["series"], row["N"], row["d"], row["sigma"], row["eps"]) for row in rows]
    steps = [{"T": NAN if row["series"] in ("OLS", "AdaSSP") else 8} for row in rows]
    return [shared | step | row | {"mean": mean} for row, step, mean in zip(rows, steps, means, strict=True)]


def by_records() -> Rows:
    sigma, sizes = (1.0, 0.1, 0.01, 0.0), (10000, 30000, 100000, 300000, 1000000)
    small = (100000, 200000, 400000, 800000)
    return [
        *risk_rows(("OLS", *PRIVATE), panel="epsilon = 1", N=sizes, sigma=sigma),
        *risk_rows(("OLS", *PRIVATE), panel="epsilon = 0.2", N=small, sigma=sigma, eps=0.2),
        *risk_rows(("DP-SSGD",), panel="DP-SSGD", N=sizes, sigma=sigma),
        *varied("random grid", 0.9, risk_rows(OURS, panel="epsilon = 0.2", N=small, sigma=sigma, eps=0.2)),
    ]


def varied(variant: str, factor: float, rows: Rows) -> Rows:
    return [row | {"variant": variant, "mean": factor * row["mean"]} for row in rows]


def by_noise() -> Rows:
    noises = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0)
    rows = risk_rows(("OLS", *PRIVATE), N=100000, sigma=noises)
    twelve, thirty = (
        [row | {"variant": name, "mean": row["mean"] * factor + floor} for row in rows]
        for name, factor, floor in (("twelve levels", 0.8, 1e-10), ("thirty levels", 1.3, -1e-18))
    )
    return [*rows, *twelve, *thirty]


def by_dimension() -> Rows:
    parts = (
        ("one pass", ("DP-AMBSSGD", "DP-AMBSSGD (q = 0.9)", "fixed clip"), (10, 20, 40, 80, 160, 320)),
        ("Wishart draw", ("OLS", "AdaSSP", "AdaSSP (bound 1.2 sqrt d)"), (10, 20, 40, 80, 160, 320, 640, 1280)),
        ("records clipped", ("AdaSSP", "AdaSSP (bound 1.2 sqrt d)"), (10, 20, 40, 80)),
    )
    rows = []
    for panel, series, dimensions in parts:
        for row in grid(n_over_d=(500, 1000, 2000), d=dimensions):
            if panel != "records clipped" or row["n_over_d"] != 1000:
                rows += risk_rows(series, panel=panel, sigma=0.1, N=row["d"] * row["n_over_d"], **row)
    return [{name: value for name, value in row.items() if name not in OTHERS} for row in rows]


def needed_rows() -> Rows:
    rows: Rows = []
    for sigma, target in ((0.5, 0.01), (0.1, 0.01), (0.1, 0.001)):
        harder = (0.01 / target) ** 0.5
        laws = (
            ("one pass", "DP-AMBSSGD", (10, 20, 40, 80, 160), 300.0, 1.15),
            ("one pass", "DP-AMBSSGD (q = 0.9)", (10, 20, 40, 80, 160), 450.0, 0.98),
            ("sufficient statistics", "AdaSSP", (10, 20, 40, 80, 160, 320, 640), 1500.0, 1.2),
            ("sufficient statistics", "AdaSSP (bound 1.2 sqrt d)", (10, 20, 40, 80, 160, 320, 640), 600.0, 1.45),
            ("one pass", "fixed clip", (10, 20, 40, 80, 160), 3000.0, 1.0),
        )
        for panel, series, dimensions, constant, power in laws:
            for d in dimensions:
                ratio = constant * harder * (d / 10) ** (power - 1)
                keys = {"panel": panel, "series": series, "d": d, "sigma": sigma, "target": target}
                rows.append(keys | {"mean": d * ratio, "n_over_d": ratio})
    return [{"eps": 1.0, "delta": 1e-6} | row for row in rows]


def by_condition() -> Rows:
    rows = []
    for row in grid(series=("DP-AMBSSGD", "OLS"), kappa=(1, 2, 4, 8, 16), T=(8, 16, 32, 64, 128)):
        bias = 0.4 * math.exp(-2.5 * row["T"] / row["kappa"])
        mean = 1.25e-7 if row["series"] == "OLS" else bias + 4e-8 * row["T"] ** 0.8 * row["kappa"] ** 0.5
        rows.append(
            {"panel": "all", "N": 400000, "d": 10, "sigma": 0.1, "eps": 1.0, "delta": 1e-6}
            | row
            | OTHERS
            | {"mean": mean}
        )
    return rows


def statistic_rows() -> Rows:
    rows: Rows = []
    for keys in grid(s=(500, 2000, 20000), levels=(12, 20, 133), alpha=(4.2, 10.5), rule=tuple(styles.RULES)):
        printed = keys["rule"] == "as published"
        octaves = range(-4, 9)
        if printed:
            shares = [0.0 if k < -1 else 0.02 if k == -1 else 2.0 ** -(k + 1) for k in octaves]
        else:
            shares = [0.0 if abs(k + (keys["rule"] == "q = 0.9")) > 1 else (0.01, 0.95, 0.04)[k % 3] for k in octaves]
        rows += [keys | {"series": "share", "octaves": k, "mean": x} for k, x in zip(octaves, shares, strict=True)]
        rare = 0.0 if keys["rule"] == "q = 0.9" else 0.02 * keys["alpha"] / keys["s"] ** 0.5
        single = {
            "overshoot": 0.5 if printed else rare,
            "overshoot by 8": 0.12 if printed else 0.0, "mean ratio": 5.0 if printed else 0.9,
            "mean square ratio": 20.0 * keys["levels"] if printed else 0.9, "first half": 0.995,
            "second half": 0.4 if printed else 0.99, "corrected guarantee": 0.3 if printed else 0.993,
        }  # fmt: skip
        rows += [keys | {"series": name, "octaves": NAN, "mean": value} for name, value in single.items()]
    return rows


def path_rows() -> Rows:
    rows: Rows = []
    for keys in grid(kappa=(1, 8), sigma=(1.0, 0.1, 0.01)):
        T = 8 * keys["kappa"]
        for t in range(T):
            scale = math.sqrt(math.exp(-4 * t / keys["kappa"]) + keys["sigma"] ** 2)
            values = {"zeta": 9 * scale, "clip fraction": 0.01 if t == 0 else 5e-4, "residual rms": scale}
            values["claimed scale"] = 3.5 * scale
            rows += [keys | {"T": T, "t": t, "series": name, "mean": value} for name, value in values.items()]
    return [{"N": 100000, "d": 10, "eps": 1.0, "delta": 1e-6} | row for row in rows]


def single_rows() -> Rows:
    def of(step: str, eta: float, mean: float, **keys: Any) -> dict[str, Any]:
        known = {"N": 100000, "d": 5, "sigma": 0.1, "eps": 1.0, "delta": 1e-6, "zeta_factor": NAN}
        others = {"clip_fraction": 0.02, "expected": 0.95 * mean, "predictor": 1.1 * mean, "alpha": 1.26}
        return known | {"step": step, "eta": eta, "mean": mean, "series": "DP-SSGD"} | others | keys

    regime = {"panel": "own regime", "N": 1000000, "d": 2, "eps": 0.011, "delta": 1e-8, "zeta_factor": 3.0}
    rows = [of("0.0002", 2e-4, 0.041, **regime), of("3e-05", 3e-5, 0.043, **regime)]
    rows.append(of("practical", 5e-5, 0.045, **regime))
    for d, step in itertools.product((5, 20), (0.05, 0.001)):
        free = {"panel": "no privacy", "series": "SGD", "d": d, "eps": NAN, "zeta_factor": NAN, "exact": True}
        rows.append(of(str(step), step, 1e-6 * d * step, **free))
    for N in (100000, 200000):
        for d in (2, 5, 10, 20):
            keys = {"panel": "Corollary 3.3", "N": N, "d": d, "expected": math.inf if d > 5 else 1e7}
            keys["eps"] = math.sqrt(math.log(1e6) / N)
            rows.append(of("Corollary 3.3", 1 / (4 * d), 1e5 * d, **(keys | {"predictor": 10.0 * d})))
    for d in (2, 5, 10):
        rows.append(of("Theorem 3.2", 1e-13, 0.5, panel="Theorem 3.2", d=d, eps=0.0316, expected=0.5))
    for factor, step in itertools.product((0.1, 0.5), (1e-4, 1e-3)):
        small = {"panel": "small thresholds", "eps": 0.0316, "zeta_factor": factor, "predictor": factor / 100}
        rows.append(of(str(step), step, factor * (0.1 + 100 * step), **small))
    for eps in (0.0316, 0.2, 1.0):
        for factor in (1.5, 3.0, 6.0):
            level = 3e-3 * factor / eps
            for step, eta in (
                ("0.05", 0.05),
                ("0.001", 1e-3),
                ("0.0002", 2e-4),
                ("5e-05", 5e-5),
                ("practical", 3e-4 * eps),
            ):
                mean = level * (1 + 200 * eta) + 0.5 * math.exp(-1e5 * eta)
                rows.append(
                    of(
                        step,
                        eta,
                        mean,
                        panel="grid",
                        eps=eps,
                        zeta_factor=factor,
                        predictor=level,
                        expected=1.05 * mean,
                    )
                )
    return rows


def bound_rows() -> Rows:
    rows: Rows = []
    logs = {"as run": 1.0, "no clipping": 3.0, "no clipping, logs 1": 0.5}
    kinds = [*itertools.product(["DP-AMBSSGD"], logs), ("DP-SSGD", "no clipping")]
    for (algorithm, kind), N, d, sigma in itertools.product(kinds, (10000, 100000), (5, 10), (1.0, 0.1)):
        mean = risk_of(algorithm, N, d, sigma, 1.0) * logs[kind]
        keys = {"algorithm": algorithm, "kind": kind, "N": N, "d": d, "sigma": sigma, "eps": 1.0, "delta": 1e-6}
        without = NAN if kind == "no clipping" else 18 * mean
        bound = NAN if kind == "no clipping, logs 1" else 400 * mean
        own = {"T": 8 if algorithm != "DP-SSGD" else N, "expected": 0.97 * mean, "bound": bound}
        rows.append(keys | own | {"series": "risk", "mean": mean, "bound_without_logs": without, "clip_fraction": 0.0})
    return rows


def step_rows() -> Rows:
    rows: Rows = []
    for keys in grid(N=(100000, 1000000), d=(5, 10, 20), T=(8, 12, 50, 150), step=("Theorem 3.7", "Corollary 3.8")):
        rate = 3.0 if keys["step"] == "Theorem 3.7" else 1 / (4 * keys["d"])
        bias = math.exp(-rate * keys["T"])
        mean = 0.5 * bias + 0.02 * keys["d"] * keys["T"] ** 0.3 / keys["N"] ** 1.1
        known = {"sigma": 0.1, "eps": 1.0, "delta": 1e-6, "series": "DP-AMBSSGD", "clip_fraction": 0.01}
        rows.append(known | keys | {"mean": mean, "expected": 1.1 * mean, "bias": bias})
    return rows


def feasible_rows() -> Rows:
    rows: Rows = []
    for series, factor in (("smallest N", 1.0), ("smallest N, exact alpha", 0.16)):
        for width, size in (("B / N^200", 2.3e7), ("B / N^100", 5e6), ("B / N", 5e4)):
            for c1 in (1, 4, 400):
                mean = factor * size * c1**1.1
                rows.append({"condition": "s >= 2 Gamma", "width": width, "c1": c1, "d": NAN, "mean": mean})
                rows[-1]["series"] = series
        for row in grid(condition="batch condition of Lemma 3.11", c1=(1, 4, 400), d=(2, 5, 10, 50), width=NAN):
            rows.append(row | {"series": series, "mean": factor * 1.2e4 * row["d"] * row["c1"] ** 1.15})
        for d in (2, 5, 10, 50):
            keys = {"condition": "eta mu N / 2 >= log N", "d": d, "width": NAN, "c1": NAN, "series": series}
            rows.append(keys | {"mean": factor * 7e15 * d})
    return [row | {"exact": True} for row in rows]


def tail_rows() -> Rows:
    rows: Rows = []
    known = {"N": 100000, "d": 10, "sigma": 0.1, "eps": 1.0, "delta": 1e-6}
    for law, harder in (("normal", 1.0), ("Laplace", 1.1), ("Student t5", 1.6), ("dependent noise", 1.7)):
        rows.append(known | {"law": law, "factor": NAN, "series": "OLS", "mean": 5e-7 * harder, "T": NAN})
        for factor, size in (("1", 1.0), ("1.25", 1.2), ("2", 2.5), ("log^a N", 6.0)):
            keys = {"law": law, "factor": factor, "series": "DP-AMBSSGD", "T": 8}
            clipped = OTHERS | {"clip_fraction": 0.01 / size**4 if law != "normal" or size < 5 else 0.0}
            rows.append(known | keys | clipped | {"mean": 2.7e-6 * harder * size})
    return [dict.fromkeys(OTHERS, NAN) | row for row in rows]


def ablation_rows() -> Rows:
    known = {"N": 100000, "d": 10, "sigma": 0.1, "eps": 1.0, "delta": 1e-6, "series": "DP-AMBSSGD"} | OTHERS
    levels = DISPLAY["ablation"]["arms"]["choices"]
    return [
        known | {"choice": choice, "level": level, "mean": 2e-6 * 2.5 ** ((3 * k + len(choice)) % 5)}
        for choice in levels for k, level in enumerate(levels[choice])
    ]  # fmt: skip


ALPHAS = {
    "as published (Theorem 3.6, last form)": 10.5, "Theorem 3.6, first form": 7.7, "zCDP": 7.57, "zCDP, disjoint": 5.35,
    "Gaussian DP, disjoint": 4.22,
}  # fmt: skip


def multiplier_rows() -> Rows:
    rows: Rows = []
    for keys in grid(eps=(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0), delta=(1e-5, 1e-6, 1e-8)):
        size = math.sqrt(math.log(1 / keys["delta"]) / 13.8) / keys["eps"] ** 0.95
        for name, alpha in ALPHAS.items():
            rows.append(
                keys | {"N": NAN, "series": name, "mean": alpha * size, "eps_tight": keys["eps"] * 4.22 / alpha}
            )
        for N in (10000, 100000, 1000000):
            shuffled = 0.4 + 350 / keys["eps"] ** 0.9 / math.sqrt(N) * size**0.1
            own = {"N": N, "series": "DP-SSGD, shuffled (explicit bound)", "mean": shuffled, "eps_tight": keys["eps"]}
            rows.append(keys | own)
            printed = math.log(N / keys["delta"]) / keys["eps"] / math.sqrt(N)
            loose = keys["eps"] * (4 + 12 / printed**2)
            rows.append(keys | {"N": N, "series": "Theorem 3.1, constant 1", "mean": printed, "eps_tight": loose})
    return [row | {"exact": True} for row in rows]


def audit_rows() -> Rows:
    attained = ((0.236, 0.237), (0.235, 0.237), (0.05, 0.237), (0.09, 0.095), (0.13, 0.134))
    values = dict(zip(attacks_figures.MECHANISMS, attained, strict=True))
    return [
        {"mechanism": name, "series": "attained mu", "mean": mean, "accounted": accounted}
        for name, (mean, accounted) in values.items()
    ]


def moment_rows() -> Rows:
    rows: Rows = []
    empty = {"b": NAN, "beta": NAN, "kappa": NAN}
    for d in (1, 2, 5, 10, 50):
        for kappa in (1, 4, 16):
            keys = {"d": d, "kappa": kappa}
            rows.append(empty | keys | {"quantity": "R_x^2", "mean": d + 2.0 * kappa**0.3, "claimed": d})
            for b in (1, 10, 100, 1000, 10000):
                excess = kappa / (b + 3 * d) - 0.02 * kappa
                name = {"quantity": "E[B'HB] against H", "claimed": 0.9, "mean": 0.9 + excess, "b": b}
                rows.append(empty | keys | name)
                name = {
                    "quantity": "E[B'B] against I - eta H",
                    "claimed": 0.0,
                    "mean": -0.4 * b / (b + d) / kappa,
                    "b": b,
                }
                rows.append(empty | keys | name)
        for beta in (0.01, 1e-4, 1e-8):
            ratio = {1: 2 * beta**-0.37, 2: 1.0}.get(d, beta ** (d / 8))
            name = {"quantity": "P(|x|^2 > d log 1/beta) / beta", "d": d, "beta": beta, "claimed": 1.0, "mean": ratio}
            rows.append(empty | name)
    return [row | {"series": "exact", "exact": True} for row in rows]


def order_rows() -> Rows:
    keys = grid(
        quantity=("operations", "DP-SSGD"), axis=("N", "delta"), reading=("first", "second"), at=(1.0, 10.0, 100.0)
    )
    return [row | {"series": "exact", "exact": True, "claimed": row["at"], "mean": 3 * row["at"]} for row in keys]


def threshold_rows() -> Rows:
    shared = {"d": 10, "eps": 1.0, "delta": 1e-6, "clip_fraction": 0.01}
    keys = grid(
        N=(30000, 100000), sigma=(1.0, 0.1), series=("fixed clip", "DP-AMBSSGD"), T=(8, 32), factor=(0.1, 0.5, 3.0)
    )
    return [shared | row | {"mean": 1e-5 * row["T"] * (0.2 + abs(row["factor"] - 0.5))} for row in keys]


def privacy_rows() -> Rows:
    two, one = OURS, OURS[1:]
    return [
        *risk_rows(two, panel="small epsilon", N=(2000000,), sigma=(1.0, 0.1), eps=(0.02, 0.05, 0.2)),
        *(
            row | {"delta": delta}
            for delta in (1e-6, 1e-12)
            for row in risk_rows(one, panel="delta", N=(400000,), sigma=(1.0, 0.1), eps=0.1)
        ),
        *risk_rows(one, panel="privacy regime", N=(1000000, 2000000), sigma=(1.0, 0.1), eps=(0.002, 0.0045), d=2),
        *risk_rows(("AdaSSP",), panel="sufficient statistics", N=(100000, 200000), sigma=(0.0,), eps=0.2),
    ]


ROWS: dict[str, Rows] = {
    "risk_vs_n": by_records(), "risk_vs_sigma": by_noise(), "risk_vs_d": by_dimension(),
    "sample_complexity": needed_rows(),
    "risk_vs_eps": risk_rows(("OLS", *PRIVATE), N=200000, sigma=(1.0, 0.1), eps=(0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0)),
    "risk_vs_kappa": by_condition(), "alg_stat": statistic_rows(), "clip_path": path_rows(), "ssgd": single_rows(),
    "bound_vs_run": bound_rows(), "step_size": step_rows(), "feasibility": feasible_rows(), "tails": tail_rows(),
    "ablation": ablation_rows(), "multiplier": multiplier_rows(), "audit": audit_rows(), "moments": moment_rows(),
    "ext_orders": order_rows(), "ext_thresholds": threshold_rows(), "ext_privacy": privacy_rows(),
}  # fmt: skip

# Curves with error bars in each panel, in the order of the panels.
CURVES = {
    "risk_vs_n": [4, 6, 3, 6] * 3 + [4, 5, 3, 5], "risk_vs_sigma": [6, 11, 5, 3, 6], "risk_vs_d": [4, 4, 4, 5, 3, 5],
    "sample_complexity": [5, 5, 5], "risk_vs_eps": [3, 6, 3, 6], "risk_vs_kappa": [5, 0, 2, 2],
    "alg_stat": [5, 5, 5, 4, 5, 4, 5, 0], "clip_path": [3, 3, 3, 3, 3, 3], "ssgd": [2, 2, 1, 4, 6, 6, 6],
    "bound_vs_run": [1, 2, 1], "step_size": [2] * 6, "feasibility": [0, 0, 0], "tails": [4, 0], "ablation": [1] * 9,
    "multiplier": [0] * 7, "audit": [1], "moments": [0, 0, 0, 0],
    "ext_orders": [0] * 4, "ext_thresholds": [0] * 8, "ext_privacy": [4, 2, 4, 1],
}  # fmt: skip


@pytest.fixture(autouse=True)
def _figures_are_closed() -> Iterator[None]:
    with pictures.style_of_the_project():
        yield


@cache
def draw(name: str) -> Figure:
    """The figure of the small table, as it is printed, which tests share and leave as it is."""
    artefact = ARTEFACTS[name]
    return pictures.captioned(
        lambda: drawn_from(name, ROWS[name]), "varshney2022", artefact["place"], artefact["title"]
    )


def drawn_from(name: str, rows: Rows) -> Figure:
    return of_table(name, table_of(rows))


def of_table(name: str, table: pd.DataFrame, display: dict[str, Any] | None = None) -> Figure:
    """A figure, drawn without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawing = importlib.import_module(f"dpdescent.papers.varshney2022.{ARTEFACTS[name]['code']}_figures")
        draw = getattr(drawing, f"draw_{name}")
        figure: Figure = draw(table, DISPLAY[name] if display is None else display)
    return figure


@cache
def whole(name: str) -> pd.DataFrame:
    return table_of(ROWS[name])


def only(name: str, **values: Any) -> pd.DataFrame:
    """Rows of the made-up table with the given values, of the headline unless a variant is named."""
    table = whole(name)
    for column, value in ({"variant": "main"} | values).items():
        table = table[table[column] == value]
    return table


def lines_of(axes: Axes, **wanted: Any) -> list[Line2D]:
    """Drawn lines with the given look: what only stands in the legend has no points."""
    found = [line for line in axes.lines if len(line.get_xdata())]
    for name, value in wanted.items():
        found = [line for line in found if getattr(line, f"get_{name}")() == value]
    return found


def labelled(axes: Axes, text: str) -> Line2D:
    """The only drawn line with this label."""
    (line,) = lines_of(axes, label=text)
    return line


def data_of(line: Any) -> tuple[Any, Any]:
    x, y = line.get_data()
    return np.array(x, dtype=float), np.array(y, dtype=float)


def drawn(axes: Axes, table: pd.DataFrame, x: str, y: str = "mean", **wanted: Any) -> bool:
    """Whether a line of the panel runs through all points of the table, and nowhere else."""
    table = table.sort_values(x)
    for line in lines_of(axes, **wanted):
        found = data_of(line)
        if len(found[0]) == len(table) > 0 and np.allclose(found, [table[x], table[y]], rtol=1e-12, atol=0):
            return True
    return False


def bars_of(container: Any) -> Any:
    """Ends of a curve's vertical error bars."""
    (bars,) = container[2]
    return np.array([[segment[:, 1].min(), segment[:, 1].max()] for segment in bars.get_segments()])


def container_of(axes: Axes, label: str) -> Any:
    (found,) = [each for each in axes.containers if each.get_label() == label]
    return found


def slope_in(line: Line2D) -> float:
    x, y = np.log(data_of(line))
    slopes = np.diff(y) / np.diff(x)
    assert np.ptp(slopes) < 1e-6
    return float(slopes[0])


def test_every_artefact_but_tables_has_a_draw_function_and_a_small_table() -> None:
    assert set(DRAWN) == {name for name in ARTEFACTS if not name.startswith("table")}
    assert set(ROWS) == set(CURVES) == set(DRAWN)


@pytest.mark.parametrize("name", DRAWN)
def test_the_small_tables_have_the_columns_that_figures_may_use(name: str) -> None:
    used = set(table_of(ROWS[name])) - set(table_of([{"series": ""}]))
    assert used <= {*ARTEFACTS[name]["keys"], *ARTEFACTS[name].get("measures", [])}
    assert set(ARTEFACTS[name]["keys"]) <= used


@pytest.mark.parametrize("name", DRAWN)
def test_each_figure_shows_every_series_once_with_nothing_cut_off_or_hidden(name: str) -> None:
    figure = draw(name)
    assert [len(axes.containers) for axes in figure.axes if axes.get_visible()] == CURVES[name]
    shown = [axes for axes in figure.axes if axes.get_visible()]
    written = [*figure.texts, *(text for axes in shown for text in [axes.title, *axes.texts])]
    written += [axis.label for axes in shown for axis in (axes.xaxis, axes.yaxis)]
    for text in (each for each in written if each.get_text()):
        extent = text.get_window_extent()
        assert min(extent.x0, extent.y0) >= -1, text.get_text()
        assert extent.x1 <= figure.bbox.x1 + 1, text.get_text()
        assert extent.y1 <= figure.bbox.y1 + 1, text.get_text()
    (legend,) = figure.legends
    place = legend.get_window_extent()
    assert place.x0 >= 0
    assert place.x1 <= figure.bbox.x1
    assert place.y1 <= min(axes.xaxis.label.get_window_extent().y0 for axes in shown if axes.get_xlabel())
    names = [text.get_text() for text in legend.get_texts()]
    assert len(set(names)) == len(names)
    assert figure.get_size_inches()[0] <= 17.5
    for row in {axes.get_subplotspec().rowspan.start for axes in shown}:
        in_row = [axes for axes in shown if axes.get_subplotspec().rowspan.start == row]
        assert len(in_row) <= 4
        assert in_row[0].get_ylabel() or in_row[0].get_yticklabels()


@pytest.mark.parametrize(("name", "suffix"), [("audit", "png"), ("audit", "svg")])
def test_equal_tables_give_equal_bytes(name: str, suffix: str, tmp_path: Path) -> None:
    for copy in ("first", "second"):
        style.save(drawn_from(name, ROWS[name]), tmp_path / f"{copy}.{suffix}")
    first, second = ((tmp_path / f"{copy}.{suffix}").read_bytes() for copy in ("first", "second"))
    assert first == second
    assert len(first) > 1000


@pytest.mark.parametrize("name", DRAWN)
def test_an_empty_table_is_an_empty_figure(name: str) -> None:
    figure = of_table(name, table_of(ROWS[name]).iloc[:0], {})
    assert sum(len(axes.containers) for axes in figure.axes) <= 9
    assert figure.axes[0].get_xlabel()
    assert not [each for axes in figure.axes for each in axes.containers if len(data_of(each[0])[0])]


TEXTS = (
    "series",
    "variant",
    "panel",
    "rule",
    "kind",
    "step",
    "condition",
    "width",
    "law",
    "choice",
    "mechanism",
    "quantity",
)


@pytest.mark.parametrize("kept", [0, 1])
@pytest.mark.parametrize("name", DRAWN)
def test_what_is_missing_leaves_a_gap(name: str, kept: int) -> None:
    """Every other name of one column is missing; each column has its turn."""
    columns = [column for column in TEXTS if len({str(row.get(column, "")) for row in ROWS[name]}) > 1]
    for column in columns[kept::2] or columns:
        values = sorted({str(row.get(column, "")) for row in ROWS[name]})[kept::2]
        rows = [row for row in ROWS[name] if str(row.get(column, "")) in values]
        found = [len(axes.containers) for axes in drawn_from(name, rows).axes]
        assert sum(found) <= sum(CURVES[name])


@pytest.mark.parametrize("name", DRAWN)
def test_a_coarse_grid_of_a_single_trial_is_drawn(name: str) -> None:
    """Each number has one value only, as far as a row has it; no standard error is known."""
    table = table_of(ROWS[name], trials=1)
    for column in ("N", "d", "sigma", "eps", "kappa", "T", "s", "levels", "alpha", "delta", "c1", "b", "zeta_factor"):
        if column in table and table[column].notna().any():
            values = sorted(set(table[column].dropna()))
            fewer = table[table[column].isna() | (table[column] == values[len(values) // 2])]
            table = fewer if len(fewer) else table
    assert table["se"].isna().all()
    of_table(name, table)


def test_names_that_were_read_as_numbers_are_names() -> None:
    rows = [row for row in ROWS["tails"] if row["factor"] in ("1", "2")]
    table = table_of(rows).assign(factor=lambda each: each["factor"].astype(float))
    risk, _ = of_table("tails", table).axes
    assert [label.get_text() for label in risk.get_xticklabels()] == ["1", "2"]
    rows = [row for row in ROWS["ablation"] if row["choice"] == "statistic"]
    table = table_of(rows).assign(level=lambda each: each["level"].astype(float))
    labels = of_table("ablation", table).axes[0].get_yticklabels()
    assert [label.get_text() for label in labels] == ["25", "50", "100", "200", "400", "1136", "2500"]
    rows = [row for row in ROWS["ssgd"] if row["step"] in ("0.05", "0.0002")]
    table = table_of(rows).assign(step=lambda each: each["step"].astype(float))
    assert len(of_table("ssgd", table).axes[4].containers) == 6
    assert styles.text_of(5e-05) == "5e-05"


def test_a_series_has_one_look_and_no_two_look_alike() -> None:
    kinds = [tuple(map(str, styles.look(name).values())) for name in styles.METHODS]
    assert len(set(kinds)) == len(kinds)
    named = {row["series"] for name in ROWS if name.startswith(("risk", "sample", "ssgd")) for row in ROWS[name]}
    assert named - {"SGD"} <= set(styles.METHODS)
    for name in ("risk_vs_n", "risk_vs_eps", "risk_vs_d", "sample_complexity"):
        for container in draw(name).axes[0].containers:
            label, line = container.get_label(), container[0]
            series = next((each for each in styles.METHODS if styles.label_of(each) == label), None)
            if series:
                wanted = styles.look(series)
                assert (line.get_color(), line.get_marker()) == (wanted["color"], wanted["marker"])
    assert styles.look("corrected", styles.RULES) == styles.look("DP-AMBSSGD")
    assert styles.look("as published", styles.RULES) == styles.look("DP-AMBSSGD (as published)")
    assert styles.look("one of one's own")["color"] == style.GREY
    assert styles.label_of("AdaSSP (bound 1.2 sqrt d)") == r"AdaSSP (bound $1.2\sqrt{d}$)"


def test_methods_have_the_colours_of_all_papers() -> None:
    lines = {each.get_label(): each[0] for panel in draw("risk_vs_n").axes for each in panel.containers}
    for name in ("OLS", *PRIVATE, "DP-SSGD"):
        assert lines[styles.label_of(name)].get_color() == style.METHODS[name], name
    bound = styles.drawn_without_guarantee("AdaSSP (bound 1.2 sqrt d)")
    (tight,) = [each[0] for each in draw("risk_vs_d").axes[3].containers if each.get_label() == bound]
    assert (tight.get_color(), tight.get_markerfacecolor()) == (style.METHODS["AdaSSP"], "white")
    # Variants of DP-AMBSSGD stand beside the methods, and look like none of them.
    levels = {each.get_label(): each[0].get_color() for each in draw("risk_vs_sigma").axes[2].containers}
    assert levels.pop("DP-AMBSSGD") == style.METHODS["DP-AMBSSGD"]
    assert len(levels) == 2
    assert not set(levels.values()) & set(style.METHODS.values())


def test_labels_say_what_is_not_private() -> None:
    tight = r"AdaSSP (bound $1.2\sqrt{d}$), Wishart draw (no guarantee)"
    for name, place in (("risk_vs_d", 3), ("sample_complexity", 0)):
        labels = [each.get_label() for each in draw(name).axes[place].containers]
        assert {"AdaSSP, Wishart draw (no guarantee)", tight} <= set(labels)
        assert not {"AdaSSP", r"AdaSSP (bound $1.2\sqrt{d}$)"} & set(labels)
    assert "AdaSSP, records clipped" in [each.get_label() for each in draw("risk_vs_d").axes[3].containers]
    for name in ("risk_vs_n", "risk_vs_sigma", "risk_vs_eps", "risk_vs_d", "risk_vs_kappa"):
        legend = [text.get_text() for axes in draw(name).legends for text in axes.get_texts()]
        assert "OLS (not private)" in legend
        assert "OLS" not in legend


def title_of(figure: Figure) -> str:
    (legend,) = figure.legends
    return str(legend.get_title().get_text())


def test_figures_give_epsilon_and_delta_as_the_table_has_them() -> None:
    both = r"$\varepsilon=1$, $\delta=10^{-6}$"
    for name in ("risk_vs_sigma", "risk_vs_d", "risk_vs_kappa", "sample_complexity", "bound_vs_run", "step_size",
                 "tails", "ablation", "clip_path"):  # fmt: skip
        assert title_of(draw(name)).startswith(both), name
    for name in ("risk_vs_n", "risk_vs_eps"):
        assert title_of(draw(name)).startswith(r"$\delta=10^{-6}$"), name
    other = of_table("tails", whole("tails").assign(eps=0.2, delta=3e-8))
    assert title_of(other).startswith(r"$\varepsilon=0.2$, $\delta=3\cdot10^{-8}$; points")
    regime, corollary, theorem, *_ = [" ".join(axes.get_title().split()) for axes in draw("ssgd").axes]
    assert regime == r"$N=10^{6}$, $d=2$, $\varepsilon=0.011$, $\delta=10^{-8}$"
    assert corollary.endswith(r"3.3 $\varepsilon$ from $0.00831$ to $0.0118$, $\delta=10^{-6}$")
    assert theorem.endswith(r"3.2 $\varepsilon=0.0316$, $\delta=10^{-6}$")


def test_other_settings_are_thin_lines_of_the_same_colour() -> None:
    panels = draw("risk_vs_n").axes
    for panel, sigma in zip(panels[2::4], (1.0, 0.1, 0.01, 0.0), strict=True):
        for name in OURS:
            table = only("risk_vs_n", variant="random grid", eps=0.2, sigma=sigma, series=name)
            color = styles.look(name)["color"]
            assert drawn(panel, table, "N", "median", color=color, linewidth=0.9, marker="None")
    label = f"random grid ({', '.join(map(styles.label_of, styles.in_order(pd.Series(OURS))))})"
    assert label in panels[2].get_legend_handles_labels()[1]
    assert label not in panels[0].get_legend_handles_labels()[1]


def test_levels_are_in_order_of_number_and_of_the_printed_choices() -> None:
    assert styles.ordered((), ("last", "12", "133", "8", "0.5")) == ["0.5", "8", "12", "133", "last"]
    assert styles.ordered(("b", "x", "a"), ("12", "a", "b", "8")) == ["b", "a", "8", "12"]
    panels = of_table("ablation", whole("ablation"), {}).axes
    written = {axes.get_title(): [label.get_text() for label in axes.get_yticklabels()] for axes in panels}
    assert list(written) == [*choices_figures.CHOICES.values()]
    assert written["records of DP-STAT $s$"] == ["25", "50", "100", "200", "400", "1136", "2500"]
    assert written["doublings $L$"] == ["12", "16", "20", "30", "133", "as published"]
    printed = ["none", "+ noise multiplier", "+ rule", "+ factor", "+ overlap", r"+ $\Delta$"]
    assert written["printed choices, one by one"] == printed


def test_risks_are_medians_with_their_intervals() -> None:
    paper, others = draw("risk_vs_n").axes[4:6]
    assert paper.get_title() == r"$\sigma=0.1$, $\varepsilon=1$: the paper's"
    assert others.get_title() == r"$\sigma=0.1$, $\varepsilon=1$: others"
    for panel, names in ((paper, styles.OWN), (others, {"OLS", "DP-AMBSSGD", *PRIVATE} - {*styles.OWN[1:]})):
        for series in names:
            table = only("risk_vs_n", eps=1.0, sigma=0.1, series=series).sort_values("N")
            assert drawn(panel, table, "N", "median", color=styles.look(series)["color"])
            container = container_of(panel, styles.label_of(series))
            np.testing.assert_allclose(bars_of(container).T, [table["median_low"], table["median_high"]])
        assert len(shades_of(panel)) == len(panel.containers) == len(names)
    table = only("risk_vs_n", eps=1.0, sigma=0.1, series="DP-SSGD")
    assert any(np.isclose(each.get_paths()[0].vertices[:, 1].max(), table["q90"].max()) for each in shades_of(paper))


def shades_of(axes: Axes) -> list[Any]:
    """What is drawn from the 10 % to the 90 % quantile of curves."""
    return [each for each in axes.collections if len(each.get_paths()) == 1 and each.get_alpha() == 0.08]


def test_risks_stand_beside_what_is_claimed() -> None:
    first = draw("risk_vs_n").axes[4]
    x, y = data_of(labelled(first, r"$8\sigma^2d/N$: first term of Theorem 3.7"))
    np.testing.assert_allclose(y, 8 * 0.01 * 10 / x)
    x, y = data_of(labelled(first, r"$\sigma^2d/(2N)$: OLS in theory"))
    np.testing.assert_allclose(y, 0.01 * 10 / (2 * x))
    assert data_of(labelled(first, "trivial estimate 0: 1/2"))[1].tolist() == [0.5, 0.5]
    guide = labelled(first, "slope $N^{-2}$")
    assert slope_in(guide) == pytest.approx(-2.0)
    start = only("risk_vs_n", eps=1.0, sigma=0.1, series="DP-AMBSSGD").sort_values("N").iloc[0]
    assert [values[0] for values in data_of(guide)] == pytest.approx([start["N"], start["median"]])
    assert slope_in(labelled(draw("risk_vs_eps").axes[0], r"slope $\varepsilon^{-2}$")) == pytest.approx(-2.0)
    failing = [row | {"mean": 0.3} for row in ROWS["risk_vs_eps"]]
    assert not lines_of(drawn_from("risk_vs_eps", failing).axes[0], label=r"slope $\varepsilon^{-2}$")
    ends = [
        line.get_xdata()[0]
        for line in lines_of(draw("risk_vs_eps").axes[0], linestyle="-.")
        if line.get_xdata()[0] < 0.1
    ]
    assert ends == pytest.approx([math.sqrt(5e-5), math.sqrt(5e-5 * math.log(1e6))])


def test_zero_label_noise_has_a_place_of_its_own() -> None:
    last = draw("risk_vs_n").axes[13]
    arrows = labelled(last, "OLS (not private) is 0 up to rounding")
    assert data_of(arrows)[0].tolist() == [10000, 30000, 100000, 300000, 1000000]
    assert last.get_ylim()[0] > 1e-26
    _, risk, _, ratio, *_ = draw("risk_vs_sigma").axes
    zero = 0.001 / 6
    table = only("risk_vs_sigma", series="AdaSSP")
    assert drawn(risk, table[table["sigma"] > 0], "sigma", "median", linestyle="-")
    assert drawn(risk, table[table["sigma"] == 0].assign(sigma=zero), "sigma", "median", linestyle="None")
    assert labelled(risk, "OLS (not private) is 0 up to rounding").get_xdata()[0] == pytest.approx(zero)
    ticks = risk.xaxis.get_major_locator()()
    assert [risk.xaxis.get_major_formatter()(each) for each in ticks] == ["0", "0.001", "0.01", "0.1", "1"]
    assert all(0.001 <= each <= 1 for each in ratio.xaxis.get_major_locator()())


def test_risks_in_units_of_ols_and_by_levels() -> None:
    _, _, levels, ratio, *_ = draw("risk_vs_sigma").axes
    for series in ("DP-AMBSSGD", "DP-AMBSSGD (as published)"):
        table = only("risk_vs_sigma", series=series)
        table = table[table["sigma"] > 0]
        assert drawn(ratio, table.assign(mean=table["median"] / (table["sigma"] ** 2 * 10 / 2e5)), "sigma")
    assert data_of(labelled(ratio, r"$8\sigma^2d/N$: first term of Theorem 3.7"))[1].tolist() == [16, 16]
    for variant in ("main", "twelve levels", "thirty levels"):
        table = only("risk_vs_sigma", series="DP-AMBSSGD", variant=variant)
        assert drawn(levels, table[table["sigma"] > 0], "sigma", "median")
    assert slope_in(labelled(levels, r"slope $\sigma^2$")) == pytest.approx(2.0)


def test_dimensions_tell_draws_from_clipped_records() -> None:
    panel = draw("risk_vs_d").axes[5]
    assert panel.get_title() == r"$N=2000\,d$: AdaSSP, DP-AMBSSGD"
    for part, dash in (("Wishart draw", "-"), ("records clipped", "None")):
        table = only("risk_vs_d", series="AdaSSP", panel=part, n_over_d=2000)
        assert drawn(panel, table, "d", "median", linestyle=dash)
    assert slope_in(labelled(panel, r"$d^3/(\varepsilon N)^2$: slope $d$")) == pytest.approx(1.0)
    assert "AdaSSP, records clipped" in [each.get_label() for each in panel.containers]


def test_records_needed_have_their_exponents_and_both_laws() -> None:
    panel = draw("sample_complexity").axes[0]
    assert panel.get_title() == r"$\sigma=0.5$, risk at most $0.01$"
    for series in {row["series"] for row in ROWS["sample_complexity"]}:
        assert drawn(
            panel, only("sample_complexity", series=series, sigma=0.5), "d", color=styles.look(series)["color"]
        )
    texts = [text.get_text() for text in panel.get_legend().get_texts()]
    assert texts == [f"${x}$ / ${x}$" for x in ("1.15", "0.98", "1.00", "1.20", "1.45")]
    assert slope_in(labelled(panel, "slope $d$: claimed here")) == pytest.approx(1.0)
    assert slope_in(labelled(panel, "slope $d^{3/2}$: sufficient statistics")) == pytest.approx(1.5)
    fewer = [row for row in ROWS["sample_complexity"] if row["d"] < 80]
    texts = [text.get_text() for text in drawn_from("sample_complexity", fewer).axes[0].get_legend().get_texts()]
    assert texts[0] == "$1.15$ / –"
    assert title_of(draw("sample_complexity")).endswith("in each, the median of 7 runs")
    assert title_of(of_table("sample_complexity", whole("sample_complexity"), {})).endswith("of several runs")


def test_the_best_number_of_iterations_stands_beside_eight_kappa() -> None:
    rows = [row | {"mean": 0.01 * (1 + (math.log2(row["T"] / row["kappa"]) - 4) ** 2)} for row in ROWS["risk_vs_kappa"]]
    by_steps, best, by_kappa, _ = drawn_from("risk_vs_kappa", rows).axes
    np.testing.assert_allclose(data_of(labelled(best, r"$T=8\kappa$")), [[1, 2, 4, 8, 16], [8, 16, 32, 64, 128]])
    np.testing.assert_allclose(data_of(labelled(best, "best $T$ of the grid"))[1], [16, 32, 64, 128, 128])
    rings = lines_of(by_steps, markersize=11)
    assert sorted(float(ring.get_xdata()[0]) for ring in rings) == [8, 16, 32, 64, 128]
    for label, mean in (("at the best $T$ of the grid", 0.01), (r"at $T=8\kappa$", 0.02)):
        assert data_of(container_of(by_kappa, label)[0])[1][0] == pytest.approx(0.98 * mean)
    # The multiple is read from the grid; where there are several or none, nothing is drawn of it.
    shifted = [row | {"T": 12 * row["kappa"]} for row in rows if row["T"] == 8]
    best = drawn_from("risk_vs_kappa", shifted).axes[1]
    assert data_of(labelled(best, r"$T=12\kappa$"))[1].tolist() == [12, 24, 48, 96, 192]
    for kept in (
        [row for row in rows if row["kappa"] in (1, 2)],
        [row for row in rows if row["T"] != 8 or row["kappa"] != 1],
    ):
        by_steps, best, by_kappa, _ = drawn_from("risk_vs_kappa", kept).axes
        assert not lines_of(by_steps, markersize=11)
        assert by_kappa.get_title() == "at the best $T$"
        assert len(lines_of(best)) == 1


def test_thresholds_are_shown_by_rule() -> None:
    figure = draw("alg_stat")
    assert [axes.get_title() for axes in figure.axes[:3]] == [
        rf"$L={L}$, $s=2000$, $\alpha=4.2$" for L in (12, 20, 133)
    ]
    shares, guarantees = figure.axes[1], figure.axes[-1]
    for rule in styles.RULES:
        table = only("alg_stat", series="share", s=2000, levels=20, alpha=4.2, rule=rule).sort_values("octaves")
        x, y = data_of(container_of(shares, rule)[0])
        np.testing.assert_allclose(x, table["octaves"], atol=0.2)
        np.testing.assert_allclose(y, table["mean"].where(table["mean"] > 0))
        color = styles.look(rule, styles.RULES)["color"]
        for alpha, overshoots, moments in ((4.2, *figure.axes[3:5]), (10.5, *figure.axes[5:7])):
            assert all(rf"$\alpha={alpha}$" in panel.get_title() for panel in (overshoots, moments))
            assert max(len(panel.containers) for panel in (overshoots, moments)) <= 6
            table = only("alg_stat", series="mean square ratio", s=2000, alpha=alpha, rule=rule)
            assert drawn(moments, table, "levels", color=color)
            table = only("alg_stat", series="overshoot", levels=20, alpha=alpha, rule=rule)
            assert drawn(overshoots, table, "s", color=color) == (rule != "q = 0.9")
        large = [line for line in lines_of(guarantees, color=color) if line.get_markersize() == 8]
        table = only("alg_stat", s=2000, levels=20, alpha=4.2, rule=rule)
        wanted = [
            table["mean"][table["series"] == name].item()
            for name in ("first half", "second half", "corrected guarantee")
        ]
        assert [float(line.get_xdata()[0]) for line in large] == pytest.approx(wanted)
    (claim,) = (line for line in lines_of(guarantees, linestyle="-."))
    assert claim.get_xdata()[0] == pytest.approx(0.99)
    np.testing.assert_allclose(data_of(lines_of(shares, linestyle=":")[0])[1], 2.0 ** -np.arange(1, 10))


def test_thresholds_along_a_run_stand_beside_what_they_follow() -> None:
    figure = draw("clip_path")
    for row, kappa in ((figure.axes[:3], 1), (figure.axes[3:], 8)):
        for sigma in (1.0, 0.1, 0.01):
            path = {name: only("clip_path", kappa=kappa, sigma=sigma, series=name) for name in (
                "zeta", "claimed scale", "clip fraction", "residual rms",
            )}  # fmt: skip
            assert drawn(row[0], path["zeta"], "t", linestyle="-")
            assert drawn(row[0], path["claimed scale"], "t", linestyle="--")
            percent = path["clip fraction"]
            assert drawn(row[1], percent.assign(mean=100 * percent["mean"]), "t")
            assert drawn(row[2], path["residual rms"], "t")
        assert sorted(line.get_ydata()[0] for line in lines_of(row[2], linestyle=":")) == [0.01, 0.1, 1.0]


def test_dp_ssgd_is_drawn_with_its_practical_step_and_what_is_expected() -> None:
    regime, corollary, theorem, small, *by_budget = draw("ssgd").axes
    for factor in (0.1, 0.5):
        assert drawn(small, only("ssgd", panel="small thresholds", zeta_factor=factor), "eta", linestyle="-")
    for panel, eps in zip(by_budget[:3], (0.0316, 0.2, 1.0), strict=True):
        for factor in (1.5, 3.0, 6.0):
            table = only("ssgd", panel="grid", eps=eps, zeta_factor=factor)
            fixed, practical = (table[table["step"] != "practical"], table[table["step"] == "practical"])
            assert drawn(panel, fixed, "eta", linestyle="-")
            assert drawn(panel, practical, "eta", marker="*")
            assert drawn(panel, table, "eta", "expected", marker="x")
            heights = [line.get_ydata()[0] for line in lines_of(panel, linestyle=":")]
            assert any(np.isclose(height, table["predictor"].iloc[0]) for height in heights)
    table = only("ssgd", panel="own regime")
    assert drawn(regime, table[table["step"] != "practical"], "eta", linestyle="-")
    assert drawn(corollary, only("ssgd", panel="Corollary 3.3", N=200000), "d", linestyle="-")
    assert drawn(theorem, only("ssgd", panel="Theorem 3.2"), "d", linestyle="-")
    # An expectation that diverges is left out, and does not flatten the others.
    assert [len(line.get_xdata()) for line in lines_of(corollary, marker="x")] == [2, 2]
    assert corollary.get_ylim()[1] < 1e9


def test_bounds_stand_beside_runs() -> None:
    panels = draw("bound_vs_run").axes
    labels = [label.get_text() for label in panels[0].get_yticklabels()]
    assert labels[:2] == [r"$\sigma=1$, $N=10^{4}$, $d=5$", r"$\sigma=1$, $N=10^{4}$, $d=10$"]
    assert len(labels) == 8
    kinds = (("DP-AMBSSGD", "as run"), ("DP-AMBSSGD", "no clipping"), ("DP-SSGD", "no clipping"))
    for panel, (algorithm, kind) in zip(panels, kinds, strict=True):
        main = of_kind(algorithm, kind).assign(place=range(8))
        without = of_kind(algorithm, "no clipping, logs 1") if kind == "no clipping" else main.iloc[:0]
        table = pd.concat([main, without.assign(place=np.arange(len(without)) + lemmas_figures.BELOW)]).sort_values(
            "place"
        )
        marker = styles.look(algorithm)["marker"]
        for column, mark in (("mean", marker), ("expected", "x"), ("bound", "D"), ("bound_without_logs", "<")):
            found = [data_of(line) for line in lines_of(panel, marker=mark)]
            x, y = (np.concatenate([[], *each]) for each in (zip(*found, strict=True) if found else ((), ())))
            kept = table[table[column].notna()]
            np.testing.assert_allclose([x[np.argsort(y)], np.sort(y)], [kept[column], kept["place"]])
        hollow = [line for line in lines_of(panel, marker=marker) if line.get_markerfacecolor() == "white"]
        assert [sorted(data_of(line)[0]) for line in hollow] == [sorted(without["mean"])] * bool(len(without))


def of_kind(algorithm: str, kind: str) -> pd.DataFrame:
    table = only("bound_vs_run", algorithm=algorithm, kind=kind)
    return table.sort_values(["sigma", "N", "d"], ascending=[False, True, True])


def test_step_sizes_stand_beside_their_bias() -> None:
    figure = draw("step_size")
    panel = figure.axes[4]
    assert panel.get_title() == "$d=10$, $N=10^{6}$"
    for step, color in (("Theorem 3.7", style.BLUE), ("Corollary 3.8", style.VERMILION)):
        table = only("step_size", step=step, d=10, N=1000000)
        assert drawn(panel, table, "T", color=color, linestyle="-")
        assert drawn(panel, table, "T", "expected", marker="x")
    bias = table.assign(mean=table["bias"] / 2)
    assert drawn(panel, bias, "T", color=style.VERMILION, linestyle="--")


def test_smallest_sizes_are_full_as_published_and_hollow_for_the_exact_multiplier() -> None:
    statistic, batch, stationary = draw("feasibility").axes
    for series, fill in (("smallest N", False), ("smallest N, exact alpha", True)):
        for width in ("B / N^200", "B / N^100", "B / N"):
            table = only("feasibility", series=series, condition="s >= 2 Gamma", width=width)
            assert drawn(statistic, table, "c1", linestyle="--" if fill else "-")
        for c1 in (1, 4, 400):
            table = only("feasibility", series=series, condition="batch condition of Lemma 3.11", c1=c1)
            assert drawn(batch, table, "d", linestyle="--" if fill else "-")
        table = only("feasibility", series=series, condition="eta mu N / 2 >= log N")
        (line,) = [each for each in lines_of(stationary) if (each.get_markerfacecolor() == "white") == fill]
        np.testing.assert_allclose(data_of(line), [table["d"], table["mean"]])


def test_tails_and_choices_are_drawn_by_level() -> None:
    risk, clipped = draw("tails").axes
    for law in choices_figures.LAWS:
        table = only("tails", law=law, series="DP-AMBSSGD")
        x, y = data_of(container_of(risk, f"DP-AMBSSGD, {law}")[0])
        np.testing.assert_allclose(x, range(4), atol=0.2)
        np.testing.assert_allclose(y, table["median"])
        ols = only("tails", law=law, series="OLS")["mean"].item()
        assert data_of(labelled(risk, f"OLS (not private), {law}"))[1].tolist() == [ols, ols]
    assert [len(line.get_xdata()) for line in lines_of(clipped)] == [3, 4, 4, 4]
    panels = draw("ablation").axes
    configured = DISPLAY["ablation"]["arms"]["choices"]
    assert [panel.get_title() for panel in panels] == [choices_figures.CHOICES[name] for name in configured]
    reference = only("ablation", choice="printed, one by one", level="none")["median"].item()
    for panel, (choice, levels) in zip(panels, configured.items(), strict=True):
        table = only("ablation", choice=choice).set_index("level").loc[levels]
        (median,) = panel.containers
        np.testing.assert_allclose(data_of(median[0]), [table["median"], range(len(levels))])
        np.testing.assert_allclose(data_of(labelled(panel, "mean"))[0], table["mean"])
        (segments,) = [each for each in panel.collections if each.get_label().startswith("10 %")]
        np.testing.assert_allclose([ends[:, 0] for ends in segments.get_segments()], table[["q10", "q90"]])
        assert labelled(panel, "median of the main setting").get_xdata()[0] == reference
    assert [label.get_text() for label in panels[2].get_yticklabels()] == ["0.5", "1", "1.25", "2", r"$\log^aN$"]


def test_accountants_are_drawn_at_the_main_delta_with_shuffling_by_size() -> None:
    multipliers, by_size, budgets, _, costs, *_ = draw("multiplier").axes
    for name, (color, _) in privacy_figures.COLORS.items():
        table = only("multiplier", series=name, delta=1e-6)
        assert drawn(multipliers, table, "eps", color=color)
        assert drawn(budgets, table.assign(mean=table["eps_tight"] / table["eps"]), "eps", color=color)
    for name, color in privacy_figures.BY_SIZE.items():
        for N, dash in ((10000, "-"), (100000, "--"), (1000000, ":")):
            assert drawn(by_size, only("multiplier", series=name, delta=1e-6, N=N), "eps", color=color, linestyle=dash)
    # sqrt(log(N / delta) / N) is 0.048, 0.016 and 0.0052.
    covered = lines_of(by_size, label="in Theorem 3.1's range")
    assert [line.get_xdata().tolist() for line in covered] == [[0.01, 0.02], [0.01]]
    ratio = only("multiplier", series="zCDP", delta=1e-8).assign(mean=7.57 / 4.22)
    assert drawn(costs, ratio, "eps", linestyle="-")


def test_an_attack_stands_beside_what_is_accounted() -> None:
    (panel,) = draw("audit").axes
    (attained,) = panel.containers
    table = only("audit")
    np.testing.assert_allclose(data_of(attained[0]), [table["mean"], range(5)])
    (bars,) = attained[2]
    half = [np.ptp(ends[:, 0]) / 2 for ends in bars.get_segments()]
    np.testing.assert_allclose(half, Z95 * table["se"])
    np.testing.assert_allclose(data_of(labelled(panel, r"accounted $\mu$"))[0], table["accounted"])
    assert panel.texts[0].get_text() == "0.236 of 0.237"
    assert [label.get_text() for label in panel.get_yticklabels()] == list(attacks_figures.MECHANISMS)


def test_moments_are_over_or_minus_what_is_claimed() -> None:
    bound, tail, weighted, plain = draw("moments").axes
    for kappa in (1, 4, 16):
        table = only("moments", quantity="R_x^2", kappa=kappa)
        assert drawn(bound, table.assign(mean=table["mean"] / table["claimed"]), "d")
        for panel, quantity in ((weighted, "E[B'HB] against H"), (plain, "E[B'B] against I - eta H")):
            for d, marker in ((10, True), (50, False)):
                table = only("moments", quantity=quantity, kappa=kappa, d=d)
                found = drawn(panel, table.assign(mean=table["mean"] - table["claimed"]), "b")
                assert found, (kappa, d, marker)
    failing = [line for line in lines_of(tail) if str(to_hex(line.get_color())).upper() == style.VERMILION]
    assert [line.get_label() for line in failing] == ["$d=1$"]
    assert tail.get_ylim()[0] >= 1e-9
