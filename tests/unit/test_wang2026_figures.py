"""Figures of wang2026: each is drawn from a made-up table, shows what the table has, and says what has no guarantee."""

import math
import pkgutil
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
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import made_up
import pictures
from dpdescent.papers.wang2026 import (
    explicit_bounds_figures,
    multipliers_figures,
    styles,
    width_figures,
    window_figures,
)
from dpdescent.replication.configuration import project
from dpdescent.replication.drawing import figures as style
from dpdescent.replication.judging.statistics import Z95
from made_up import Rows, grid

ROOT = Path(__file__).parents[2]
CONFIG = yaml.safe_load((ROOT / "config/papers/wang2026.yaml").read_text(encoding="utf-8"))
ARTEFACTS = CONFIG["artefacts"]
PAPERS = project.load({"scale": "paper", "seed": 7, "papers": ["wang2026"]}, ROOT).papers["wang2026"]
DRAW = {name: each.draw for name, each in (PAPERS.artefacts | PAPERS.on_request).items() if not each.is_table}
DRAWN = list(DRAW)
NAN = math.nan


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
LAMBDAS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95)
RISKS = ("population risk", "empirical risk")
EMPIRICAL = "empirical risk"
BUDGETS = (0.5, 1.0, 2.0, 4.0, 8.0)


def table_of(rows: Rows, trials: int = 10) -> pd.DataFrame:
    """The summarised table: means have a standard error of 2 %; rows marked `exact` have one trial."""
    plain = [{name: value for name, value in row.items() if name != "exact"} for row in rows]
    table = made_up.table_of(plain, trials, spread=made_up.NARROW, defaults={"variant": "main"})
    exact = np.array([row.get("exact", False) for row in rows], dtype=bool)
    se = pd.Series([row.get("se", abs(table["mean"][k]) / 50) for k, row in enumerate(rows)])
    return table.assign(se=se.where(~exact & (trials > 1)), trials=table["trials"].where(~exact, 1))


# Noise multipliers at T = 100, r = 0.1, delta = 1e-3, eps = 1 and lambda = 0, near those of a prototype.
SIZES = {
    "F12x8": 39.6, "F12x2": 19.8, "D9": 15.4, "RDP19": 11.0, "tail": 12.2, "F8": 2.65, "bnb": 4.9, "cyclic": 9.4,
    "fixed": 5.0,
}  # fmt: skip
# Of accountants that the table of multipliers has not.
OTHER_SIZES = {"worst bin": 9.4, "WOR": 3.0}


def kappa_of(name: str, lam: float, eps: float, r: float = 0.1, T: float = 100) -> float:
    grown = {
        "F12x8": 1.0, "F12x2": 1.0, "tail": 0.9, "F8": 0.97, "bnb": 0.5, "cyclic": 0.5, "worst bin": 0.5,
    }.get(name, 0.0)  # fmt: skip
    if name == "fixed":
        return SIZES[name]
    factor = (1 + 0.4 * lam**2) / (1 - lam) ** grown if name != "cyclic" else (1 - lam**2) ** -0.5 / (1 - lam) ** 0.3
    return (
        {**SIZES, **OTHER_SIZES}[name]
        * factor
        / eps ** (0.85 if name not in ("F12x8", "F12x2", "D9") else 1.0)
        * (10 * r * T / 100) ** 0.5
    )


def accounted(name: str, T: float, r: float, eps: float, delta: float) -> dict[str, Any]:
    """Relation, sampler and precondition of an accountant."""
    met = eps <= 1 and r * T >= 3 * math.log(2 / delta)
    return {
        "accountant": name, "relation": "replace-one" if name in ("D9", "RDP19") else "zero-out",
        "sampler": {"F8": "Poisson", "bnb": "balls in bins", "cyclic": "fixed order"}.get(name, "fixed size"),
        "precondition": ("met" if met else "not met") if name.startswith("F12") else "none",
    }  # fmt: skip


def multiplier_rows() -> Rows:
    rows: Rows = []
    lambdas = (*LAMBDAS, 0.5, 0.99)
    for keys in grid(T=(50, 100, 200), r=(0.02, 0.1, 0.5), lam=lambdas, eps=BUDGETS, delta=(1e-3, 5e-4)):
        full = (keys["T"], keys["r"], keys["delta"]) == (100, 0.1, 1e-3)
        for name in SIZES:
            if name == "fixed" or (name in ("D9", "RDP19") and keys["lam"]):
                continue
            if name == "F8" and (keys["lam"] > 0.95 or not (full or keys["lam"] in (0, 0.5))):
                continue
            own = accounted(name, keys["T"], keys["r"], keys["eps"], keys["delta"])
            mean = kappa_of(name, keys["lam"], keys["eps"], keys["r"], keys["T"])
            rows.append({"panel": "grid"} | keys | own | {"mean": mean})
    for keys in grid(T=200, r=0.1, lam=LAMBDAS, eps=(1.0, 8.0), delta=1e-4):
        for name in ("bnb", "cyclic"):
            own = accounted(name, 200, 0.1, keys["eps"], 1e-4)
            rows.append({"panel": "fashion"} | keys | own | {"mean": kappa_of(name, keys["lam"], keys["eps"])})
    return [
        row | {"series": "noise multiplier", "delta_attained": row["delta"], "delta_se": 1e-5, "exact": True}
        for row in rows
    ]


def accuracy_rows(lambdas: tuple[float, ...], budgets: tuple[float, ...], name: str, **more: Any) -> Rows:
    rows: Rows = []
    for keys in grid(panel="accuracy", lam=lambdas, eps=budgets):
        lam, eps = keys["lam"], keys["eps"]
        cumulative = kappa_of(name, lam, eps) * math.sqrt(1 + (1 - lam) ** 2 * 199)
        level = max(0.95 - 0.0012 * cumulative - 4 * max(lam - 0.95, 0) / eps, 0.1)
        known = (
            keys | accounted(name, 200, 0.1, eps, 1e-3) | {"n": 1400, "T": 200, "r": 0.1, "delta": 1e-3, "C_clip": 1.0}
        )
        known |= {"kappa": kappa_of(name, lam, eps), "eta": 2.0} | more
        at_zero = 0.95 - 0.0012 * kappa_of(name, 0.0, eps) * math.sqrt(200)
        rows.append(known | {"series": "test accuracy", "mean": level, "se": 0.003})
        if lam:
            rows.append(known | {"series": "gain over lam = 0", "mean": level - at_zero, "se": 0.002})
    return rows


def cifar_rows() -> Rows:
    """Independent noise on Algorithm 1's batches is another accountant's."""
    rows = accuracy_rows(CIFAR, (1.0, 4.0, 8.0), "worst bin")
    rows += accuracy_rows(CIFAR, (1.0, 8.0), "cyclic", variant="cyclic batches")
    own = {"variant": "batches of Algorithm 1"}
    return rows + accuracy_rows((0.0,), (1.0, 8.0), "WOR", **own) + accuracy_rows(CIFAR[1:], (1.0, 8.0), "tail", **own)


def cifar_rate_rows() -> Rows:
    """Curves that rise and fall, at steps of their own."""
    series = {"series": "held-out accuracy"}
    return [
        {**row, **series, "eta": eta, "mean": row["mean"] - 0.01 * abs(math.log(eta * (1 - row["lam"])))}
        for row in cifar_rows() if row["series"] == "test accuracy" and row.get("variant") != "cyclic batches"
        for eta in ((0.5, 1.0, 2.0) if row["lam"] < 0.9 else (2.0, 5.0, 10.0, 20.0))
    ]  # fmt: skip


def figure_one_rows() -> Rows:
    lambdas = (*LAMBDAS, 0.99)
    blank = {"t": NAN, "noise": NAN}
    rows = accuracy_rows(lambdas, BUDGETS, "bnb", **blank)
    rows += accuracy_rows(lambdas, (1.0, 8.0), "cyclic", variant="cyclic batches", **blank)
    rows += accuracy_rows(lambdas, (1.0, 8.0), "tail", variant="batches of Algorithm 1", **blank)
    known = {"panel": "noise", "n": 1400, "T": 200, "r": 0.1, "delta": NAN, "C_clip": NAN, "eta": NAN}
    for keys in grid(
        noise=("fixed", "calibrated"), lam=(0.0, 0.4, 0.8, 0.9, 0.99), t=(1, 2, 3, 5, 8, 12, 20, 50, 120, 200)
    ):
        kappa = 1.0 if keys["noise"] == "fixed" else kappa_of("bnb", keys["lam"], 8.0)
        formula = kappa * math.sqrt(1 + (1 - keys["lam"]) ** 2 * (keys["t"] - 1))
        name = "bnb" if keys["noise"] == "calibrated" else "fixed kappa"
        own = (
            known | keys | accounted(name, 200, 0.1, 8.0, 1e-3) | {"eps": 8.0 if name == "bnb" else NAN, "kappa": kappa}
        )
        rows.append(own | {"series": "formula", "mean": formula, "exact": True})
        rows.append(own | {"series": "simulated", "mean": formula * 1.01})
    return rows


def kan_rows(panels: dict[str, tuple[float, tuple[float, ...], tuple[str, ...]]], **more: Any) -> Rows:
    rows: Rows = []
    for panel, (T, budgets, names) in panels.items():
        for keys in grid(eps=budgets, accountant=names, lam=LAMBDAS):
            name, lam, eps = keys["accountant"], keys["lam"], keys["eps"]
            known = {"panel": panel, "design": "D1", "spline_cells": 5, "n": 1000, "T": T, "B": 100, "r": 0.1, "m": 64}
            known |= {"d": 4, "delta": 1e-3, "C_clip": 0.25} | keys | accounted(name, T, 0.1, eps, 1e-3)
            known |= {"sampler": "fixed size", "eta": 8.0, "clipped": 0.6, "kappa": kappa_of(name, lam, eps)} | more

            def risk(lam: float, name: str = name, eps: float = eps) -> float:
                return 0.7 - 0.52 * math.exp(
                    -0.04 * (1 - lam) * kappa_of(name, lam, eps) - 0.01 * kappa_of(name, lam, eps)
                )

            rows.append(known | {"series": "population risk", "mean": risk(lam)})
            rows.append(known | {"series": "empirical risk", "mean": 0.97 * risk(lam)})
            if lam:
                rows.append(known | {"series": "gain over lam = 0", "mean": risk(0.0) - risk(lam), "se": 0.002})
    return rows


def kan_lambda_rows() -> Rows:
    rows = kan_rows(
        {"T = 100": (100, BUDGETS, ("F12x8", "tail", "F8")), "T = 250": (250, (0.5, 1.0), ("F12x8", "tail"))}
    )
    for variant, keys in (
        ("design D2", {"design": "D2"}),
        ("G = 3", {"spline_cells": 3}),
        ("G = 8", {"spline_cells": 8}),
    ):
        rows += kan_rows({"T = 100": (100, (1.0, 8.0), ("tail", "F8"))}, variant=variant, **keys)
    # Variants differ a little.
    return [
        row
        | {"mean": row["mean"] * (1 + 0.01 * len(row["design"] + row.get("variant", "")) + 0.01 * row["spline_cells"])}
        for row in rows
    ]


def plain(kappa: float, lam: float, T: float = 100, **more: Any) -> dict[str, Any]:
    """Keys of a run at a fixed noise multiplier."""
    return {
        "n": 1000, "T": T, "B": 100, "r": 0.1, "m": 64, "d": 4, "lam": lam, "kappa": kappa, "relation": "zero-out",
        "accountant": "fixed kappa" if kappa else "none", "sampler": "fixed size", "precondition": "none",
        "C_clip": 0.25,
    } | more  # fmt: skip


def validity_rows() -> Rows:
    blank = dict.fromkeys(ARTEFACTS["closed_form_validity"]["keys"], NAN)
    blank |= {
        "accountant": "D9",
        "relation": "replace-one",
        "sampler": "fixed size",
        "precondition": "none",
        "eps": 1.0,
    }
    rows: Rows = []
    for n, B, T, mean in (
        (400, 40, 20, 1.64), (400, 40, 100, 2.37), (1000, 100, 100, 2.58), (1000, 100, 1000, 4.9),
        (10000, 100, 1000, 1.18),
        (10000, 316, 32, 1.34), (100000, 1000, 1000, 1.1),
    ):  # fmt: skip
        keys = {"panel": "renyi", "n": n, "B": B, "T": T, "delta": n**-1.1}
        rows.append(blank | keys | {"series": "eq. (19) at D.9's multiplier", "mean": mean})
        rows.append(blank | keys | {"series": "eq. (19) without end of noise", "mean": 0.4 * mean})
        rows.append(blank | keys | {"series": "dominating pair", "mean": 0.9})
        rows.append(blank | keys | {"series": "attained epsilon", "mean": 0.8})
    attained = (0.0, 1e-9, 2e-5, 1e-3, 0.014, 0.1, 0.29)
    for n, delta in zip((1000, 3000, 10000, 30000, 100000, 300000, 1000000), attained, strict=True):
        keys = {"panel": "regime", "n": n, "gamma": 0.1, "delta": 0.1 / n}
        rows.append(blank | keys | {"series": "attained delta", "mean": delta})
        rows.append(blank | keys | {"series": "target delta", "mean": 0.1 / n})
        rows.append(blank | keys | {"series": "repaired", "mean": 0.02 / n})
    for row in grid(n=(1000, 10000, 100000, 1000000, 10000000), norm_share=(1.0, 0.3, 0.1, 0.03)):
        place = math.log10(row["n"]) + 3 * math.log10(row["norm_share"])
        keys = {"panel": "share", "gamma": 0.1, "delta": 0.1 / row["n"]} | row
        rows.append(blank | keys | {"series": "attained delta", "mean": min(0.5, 10 ** (-14 + 2.2 * place))})
    return [row | {"exact": True} for row in rows]


def counterexample_rows() -> Rows:
    blank = {"accountant": "F8", "relation": "zero-out", "sampler": "fixed size", "delta": NAN, "delta_se": NAN}
    rows: Rows = []
    for keys in grid(r=(0.01, 0.1, 0.5), kappa=(0.7, 1.0), eps=(0.1, 0.5, 1.0, 2.0)):
        pair = keys["r"] * 0.1 * math.exp(-3 * keys["eps"] * keys["kappa"])
        for series, mean in (("F8 pair", pair), ("fixed size", pair * 20)):
            rows.append(blank | {"panel": "quadrature", "T": 1, "lam": 0.0, "series": series, "mean": mean} | keys)
    for lam, kappa, attained in ((0.0, 1.33, 0.0246), (0.5, 2.19, 0.0102), (0.9, 6.05, 0.0061)):
        keys = {"panel": "enumeration", "T": 12, "r": 0.1, "lam": lam, "kappa": kappa, "eps": 1.0, "delta": 1e-3}
        rows.append(blank | keys | {"series": "F8 pair", "mean": 1e-3, "delta_se": 3e-5})
        rows.append(blank | keys | {"series": "fixed size", "mean": attained, "delta_se": 2e-4})
    for T, r, kappa in ((12, 0.1, 1.33), (100, 0.1, 2.65), (1000, 0.01, 1.0)):
        keys = {"panel": "composed", "T": T, "r": r, "lam": 0.0, "kappa": kappa, "eps": 1.0}
        rows.append(blank | keys | {"series": "F8 pair", "mean": 1e-3, "delta_se": 3e-5})
        rows.append(blank | keys | {"series": "fixed size", "mean": 0.02, "delta_se": 3e-4})
    return [row | {"exact": True} for row in rows]


def clipping_rows() -> Rows:
    rows: Rows = []
    thresholds = {"G_delta": 103.0, "G_sharp": 2.12, "1": 1.0, "0.25": 0.25, "0.05": 0.05}
    for keys in grid(
        clip_rule=tuple(thresholds), eta=(0.005, 0.02, 0.08, 0.3, 1.25, 5.0, 20.0, 80.0, 320.0), lam=(0.0, 0.4)
    ):
        C_clip, eta = thresholds[keys["clip_rule"]], keys["eta"]
        progress = math.exp(-eta * min(C_clip, 0.5) / 0.7)
        mean = 0.15 + 0.55 * progress + min(0.02 * C_clip * eta, 3.0)
        own = {"n": 1000, "T": 100, "B": 100, "r": 0.1, "m": 64, "d": 4, "eps": 1.0, "delta": 1e-3} | keys
        own |= accounted("F8", 100, 0.1, 1.0, 1e-3) | {"kappa": 2.65, "C_clip": C_clip, "clipped": math.exp(-C_clip)}
        rows += [own | {"series": series, "mean": mean} for series in RISKS]
    return rows


def comparator_rows() -> Rows:
    rows: Rows = []
    blank = {"n": 200, "B": 20, "T": 300, "d": 4, "eta": 2.0, "tau_gamma": NAN, "gamma": 0.12}
    for keys in grid(m=(64, 256, 1024), kappa=(0.0, 2.65), lam=(0.0, 0.5, 0.9), comparator=("W_0", "GD", "NTK")):
        own = blank | {"panel": "inequality", "condition": 900 / keys["m"] ** 0.5} | keys
        rows.append(own | {"series": "violations", "mean": 0.0, "se": 0.0})
        rows.append(own | {"series": "smallest slack", "mean": 0.1 + 0.2 * keys["lam"] + len(keys["comparator"]) / 10})
    for keys in grid(m=(64, 256, 1024, 4096), tau_gamma=(0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)):
        mean = 0.7 * math.exp(-keys["tau_gamma"] / 3) + keys["tau_gamma"] / keys["m"] ** 0.7
        own = blank | {"T": 100, "lam": NAN, "kappa": NAN, "B": NAN, "eta": NAN, "comparator": "NTK", "panel": "ntk"}
        rows.append(own | keys | {"condition": 10.0, "series": "L_S(W_0 + tau u)", "mean": mean})
    return rows


def bound_rows() -> Rows:
    rows: Rows = []
    parts = {"8L*": 0.18, "init": 10.0, "M": 26.0, "V_D": 1.7, "V_Z": 10.0}
    for panel, eta, lengths in (("step of the experiments", 0.5, (500,)), ("admissible step", 0.02, (2000, 20000))):
        for keys in grid(T=lengths, kappa=(0.0, 2.65), lam=(0.0, 0.5, 0.9)):
            known = plain(keys["kappa"], keys["lam"], keys["T"], panel=panel, eta=eta, C_clip=2.1, gamma=0.09)
            measured = {"constants": NAN, "bound": NAN, "term": "measured", "series": "empirical risk", "mean": 0.4}
            rows += [known | measured] if keys["T"] < 20000 else []
            for constants, factor in (("paper", 3000.0), ("sharp", 1.0)):
                terms = {name: factor * size * (1 + keys["lam"]) for name, size in parts.items()}
                terms["V_Z"] *= keys["kappa"]
                for name, term in [*(("C.11", term) for term in (*terms, "total")), ("D.13", "total")]:
                    mean = terms.get(term, sum(terms.values()) * (0.6 if name == "D.13" else 1.0))
                    rows.append(
                        known | {"constants": constants, "bound": name, "term": term, "series": "bound", "mean": mean}
                    )
            for name in ("A_corr", "A_van", "A_non"):
                shape = {"constants": "dropped", "bound": name, "term": "total", "series": "bound"}
                rows.append(known | shape | {"mean": 1 + len(name) * keys["kappa"] + (name == "A_non")})
    return rows


def stability_rows() -> Rows:
    rows: Rows = []
    for keys in grid(kappa=(0.0, 2.65), lam=(0.0, 0.5), t=(25, 50, 100, 200, 399)):
        known = {"n": 200, "T": 400, "B": 20, "m": 64, "d": 4, "eta": 0.5, "C_clip": 2.1} | keys
        size = keys["t"] / 400 * (1 + 0.5 * (keys["kappa"] > 0))
        for series, mean in (
            ("mean distance", 0.34 * size**0.5),
            ("bound", 4.2 * size),
            ("bound without e", 4.2 * size / math.e),
        ):
            rows.append(known | {"series": series, "mean": mean})
    return rows


def admissible_rows() -> Rows:
    rows: Rows = []
    logs = ("kept", "dropped", "kept in the limits too")
    for keys in grid(n=tuple(10.0**k for k in range(3, 9)), gamma=(0.1, 0.3), logs=logs, eta=(1 / 12, 1.0)):
        known = {"lam": 0.5, "eps": 1.0, "precondition": "not met" if keys["n"] < 1e6 else "met"} | keys
        kept = keys["logs"] != "dropped"
        upper = 0.07 * keys["gamma"] ** -6 * (keys["n"] / 1000) ** 0.25 * (1 if kept else 15) / keys["eta"] ** 0.1
        values = {
            "lower limit": keys["gamma"] ** -4 * (math.log(keys["n"]) ** 3 / 50 if keys["logs"] == logs[2] else 1),
            "upper limit": upper, "gamma^-4": keys["gamma"] ** -4, "gamma^-6": keys["gamma"] ** -6,
        }  # fmt: skip
        if not kept:
            known |= {"accountant": "Theorem 5.1, constants 1", "precondition": "none"}
        rows += [{"accountant": "F12x8"} | known | {"series": series, "mean": mean} for series, mean in values.items()]
        if kept:
            rows.append(known | {"series": "upper limit", "mean": 4 * upper, "accountant": "F12x2"})
    return [row | {"exact": True} for row in rows]


def start_rows() -> Rows:
    rows: Rows = []
    for m in (16, 64, 256, 1024):
        values = {
            "E_delta holds": 0.9999, "largest |f_0|": 1.2, "bound Q8": 9.0, "largest gradient": 1.16 + 3 / m,
            "G_delta": 101.0 + 40 / m**0.5, "G_sharp": 2.1, "largest Hessian": 2 / m**0.5, "nu": 700 / m**0.5,
        }  # fmt: skip
        rows += [{"m": m, "n": 200, "d": 4, "series": series, "mean": mean} for series, mean in values.items()]
    return rows


def tradeoff_rows() -> Rows:
    rows: Rows = []
    for keys in grid(lam=LAMBDAS, eps=(1.0, 8.0), accountant=("fixed", "F12x8", "tail", "F8", "bnb", "cyclic")):
        lam, kappa = keys["lam"], kappa_of(keys["accountant"], keys["lam"], keys["eps"])
        terms = {"linear": (1 - lam) * kappa / 100, "quadratic": ((1 - lam) ** 2 + lam**2) * kappa**2 * 256 / 1e4}
        terms["total"] = sum(terms.values()) + 1.2
        known = keys | {"n": 1000, "T": 100, "B": 100, "r": 0.1, "m": 64, "d": 4, "delta": 1e-3, "eta": 1.0}
        known |= accounted(keys["accountant"], 100, 0.1, keys["eps"], 1e-3)
        rows += [
            known | {"term": term, "mean": mean, "kappa": kappa, "series": "A_corr"} for term, mean in terms.items()
        ]
    return [row | {"exact": True} for row in rows]


def window_rows() -> Rows:
    rows: Rows = []
    known = plain(0.0, 0.0) | {
        "jitter": 0.05,
        "gamma": 0.7,
        "admitted": 0.02,
        "clipped": 0.0,
        "projected": 0.0,
        "eta": 0.012,
    }
    known |= {"largest_move": 1.0, "largest_shift": 1.0, "unit": 14.0, "C_clip": 3.0}
    for name, sweep in window_figures.SWEEPS.items():
        noisy = sweep.hue != "eta"
        for place, value in enumerate((0.1, 0.2, 0.4) if sweep.x in ("gamma", "residue") else (16.0, 64.0, 256.0)):
            own = known | {"panel": name, "kappa": 5.0 if noisy else 0.0}
            own |= {"lam": 1.0 - value} if sweep.x == "residue" else {sweep.x: value}
            series = EMPIRICAL if sweep.series == "projected" else sweep.series
            rows.append(own | {"projected": 0.3 * place, "series": series, "mean": 0.1 + 0.05 * place})
    return rows


def window_rate_rows() -> Rows:
    rows: Rows = []
    known = plain(0.0, 0.0) | {
        "jitter": 0.05,
        "gamma": 0.7,
        "admitted": 0.02,
        "clipped": 0.0,
        "projected": 0.0,
        "eta": 0.018,
    }
    known |= {"largest_move": 1.0, "largest_shift": 1.0, "unit": 14.0, "C_clip": 2.6, "delta": 1e-4}
    for panel in ARTEFACTS["ext_window_rates"]["cells"]:
        x = {"epsilon": "eps", "dimension": "d", "margin": "gamma"}.get(panel.split(",")[0], "n")
        for place, value in enumerate({"eps": (0.25, 1.0), "d": (1, 4), "gamma": (0.5, 0.7)}.get(x, (1000, 4000))):
            for kappa, name in ((0.0, "none"), (3.0, "WOR" if "5.3" not in panel else "tail")):
                own = known | {"panel": panel, "eps": 1.0, "kappa": kappa, "accountant": name, x: value}
                rows.append(own | {"series": "population risk", "mean": (0.3 + kappa / 30) / (1 + place)})
    return rows


def proof_rows() -> Rows:
    rows: Rows = []
    known = plain(0.0, 0.0) | {"p": 8, "constants": NAN, "place": NAN, "factor": NAN, "admitted": 0.02, "clipped": 0.0}
    known |= {"checks": 10, "growth": 0.5, "condition": 0.4, "distance": 1.0, "gamma": 0.7, "eta": 0.01}
    for rank, name in enumerate(("Lemma C.6", "Lemma C.10", "Lemma B.7")):
        series = f"{name}, over its bound" if rank < 2 else f"{name}, negative curvature over nu L"
        rows += [
            known | {"panel": "events", "series": series, "mean": 0.1 * (rank + 1), "kappa": kappa}
            for kappa in (0.0, 2.0)
        ]
    for axis, panel in (("d", "starts, dimension"), ("p", "starts, basis")):
        for value, series in ((4, "largest gradient"), (16, "largest gradient"), (4, "G_delta"), (16, "G_delta")):
            rows.append(known | {"panel": panel, "series": series, axis: value, "mean": 1.0 + (series == "G_delta")})
    for m, factor in ((16, 1), (16, 8), (64, 1), (64, 8)):
        own = known | {"panel": "steps", "series": "slack far from the start", "m": m, "factor": factor}
        rows.append(own | {"mean": 1.0 - 0.2 * factor})
    for n, kappa in ((25, 0.0), (100, 0.0), (25, 2.0), (100, 2.0)):
        own = known | {"panel": "neighbours", "series": "mean distance", "n": n, "kappa": kappa}
        rows.append(own | {"mean": (1.0 + kappa) / n})
    return rows


CIFAR = (0.0, 0.4, 0.8, 0.95, 0.99, 0.999)
FASHION = dict.fromkeys(("classes 0 and 1", "classes 5 and 7", "classes 2 and 6"), (100.0, (1.0, 8.0), ("tail", "F8")))
ROWS: dict[str, Rows] = {
    "kappa_tables": multiplier_rows(), "fig01": figure_one_rows(),
    "fig01_fashion": accuracy_rows((0.0, 0.4, 0.6, 0.8, 0.9, 0.95), (1.0, 8.0), "bnb"), "kan_lambda": kan_lambda_rows(),
    "fig01_cifar10": cifar_rows(), "fig01_cifar10_rates": cifar_rate_rows(),
    "kan_lambda_fashion": kan_rows(FASHION, d=8), "closed_form_validity": validity_rows(),
    "sampling_counterexample": counterexample_rows(), "clipping": clipping_rows(),
    "comparator": comparator_rows(), "bound_vs_run": bound_rows(), "stability": stability_rows(),
    "admissible_width": admissible_rows(), "initialisation": start_rows(), "lambda_tradeoff": tradeoff_rows(),
    "ext_window": window_rows(), "ext_window_rates": window_rate_rows(), "ext_proof": proof_rows(),
}  # fmt: skip

# Curves with error bars in each panel, in the order of the panels.
CURVES = {
    "kappa_tables": [8, 8, 8, 8, 5, 3, 3, 3], "fig01": [5, 6, 5, 5, 6, 5], "fig01_fashion": [2, 2],
    "fig01_cifar10": [3, 8, 3, 6], "fig01_cifar10_rates": [6] * 5,
    "kan_lambda": [3] * 4 + [2] * 4 + [1] * 8, "kan_lambda_fashion": [2] * 12,
    "closed_form_validity": [2, 0, 0], "sampling_counterexample": [0, 0, 0, 0, 2, 2],
    "clipping": [5, 5, 5], "comparator": [18, 18, 18, 4],
    "bound_vs_run": [1, 0, 1, 0], "stability": [3, 3, 3], "admissible_width": [3] * 4 + [2] * 2,
    "initialisation": [1, 2, 3, 2], "lambda_tradeoff": [6] * 6,
    "ext_window": [1] * 14, "ext_window_rates": [2] * 5 + [1] * 2 + [2] * 4, "ext_proof": [0, 4, 2, 2],
}  # fmt: skip


@pytest.fixture(autouse=True)
def _figures_are_closed() -> Iterator[None]:
    with pictures.style_of_the_project():
        yield


@cache
def draw(name: str) -> Figure:
    """The figure of the small table, as it is printed, which tests share and leave as it is."""
    artefact = ARTEFACTS[name]
    return pictures.captioned(lambda: of_table(name, whole(name)), "wang2026", artefact["place"], artefact["title"])


def of_table(name: str, table: pd.DataFrame, display: dict[str, Any] | None = None) -> Figure:
    """A figure, drawn without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure: Figure = pkgutil.resolve_name(DRAW[name])(table, DISPLAY[name] if display is None else display)
    return figure


@cache
def whole(name: str) -> pd.DataFrame:
    return table_of(ROWS[name])


def only(name: str, **values: Any) -> pd.DataFrame:
    """Rows of the made-up table with the given values, of the headline unless a variant is named."""
    table = whole(name)
    for column, value in ({"variant": "main"} | values).items():
        table = table[table[column] == value]
    assert len(table), values
    return table


def shown(figure: Figure) -> list[Axes]:
    return [axes for axes in figure.axes if axes.get_visible()]


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


def line_through(axes: Axes, table: pd.DataFrame, x: str, y: str = "mean", **wanted: Any) -> Line2D:
    """The line of the panel that runs through all points of the table, and nowhere else."""
    table = table.sort_values(x)
    for line in lines_of(axes, **wanted):
        found = data_of(line)
        if len(found[0]) == len(table) and np.allclose(found, [table[x], table[y]], rtol=1e-12, atol=0):
            return line
    raise AssertionError(f"{axes.get_title()!r} has no line through {table[[x, y]].to_numpy().tolist()}")


def bars_of(axes: Axes, line: Line2D) -> Any:
    """Half the length of the vertical error bars of a curve."""
    (container,) = [each for each in axes.containers if each[0] is line]
    return np.array([np.ptp(segment[:, 1]) / 2 for segment in container[2][0].get_segments()])


def legend_of(figure: Figure) -> list[str]:
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def title_of(figure: Figure) -> str:
    return str(figure.legends[0].get_title().get_text())


def slope_in(line: Line2D) -> float:
    x, y = np.log(data_of(line))
    slopes = np.diff(y) / np.diff(x)
    assert np.ptp(slopes) < 1e-6
    return float(slopes[0])


def is_hollow(line: Line2D) -> bool:
    return bool(line.get_markerfacecolor() == "white")


def test_every_artefact_but_tables_has_a_draw_function_and_a_small_table() -> None:
    assert set(DRAWN) == {name for name in ARTEFACTS if not name.startswith("table")}
    assert set(ROWS) == set(CURVES) == set(DRAWN)


@pytest.mark.parametrize("name", DRAWN)
def test_the_small_tables_have_the_columns_of_the_configuration(name: str) -> None:
    used = set(whole(name)) - set(table_of([{"series": ""}]))
    known = {*ARTEFACTS[name]["keys"], *ARTEFACTS[name].get("measures", [])}
    # A key that no figure reads need not be made up.
    assert used <= known
    assert not {"panel", "lam", "accountant", "precondition"} & (set(ARTEFACTS[name]["keys"]) - used)


@pytest.mark.parametrize("name", DRAWN)
def test_each_figure_shows_every_series_with_nothing_cut_off_or_hidden(name: str) -> None:
    figure = draw(name)
    axes = shown(figure)
    assert [len(panel.containers) for panel in axes] == CURVES[name]
    written = [*figure.texts, *(text for panel in axes for text in [panel.title, *panel.texts])]
    written += [axis.label for panel in axes for axis in (panel.xaxis, panel.yaxis)]
    for text in (each for each in written if each.get_text()):
        extent = text.get_window_extent()
        assert min(extent.x0, extent.y0) >= -1, text.get_text()
        assert extent.x1 <= figure.bbox.x1 + 1, text.get_text()
        assert extent.y1 <= figure.bbox.y1 + 1, text.get_text()
    (legend,) = figure.legends
    place = legend.get_window_extent()
    assert place.x0 >= 0
    assert place.x1 <= figure.bbox.x1
    assert place.y1 <= min(panel.xaxis.label.get_window_extent().y0 for panel in axes)
    names = legend_of(figure)
    assert len(set(names)) == len(names)
    assert figure.get_size_inches()[0] <= 17.6
    for panel in axes:
        assert panel.get_xlabel()
        assert panel.get_ylabel() or panel.get_yticklabels()
        assert panel.get_title()


@pytest.mark.parametrize("name", DRAWN)
def test_all_points_lie_inside_their_panel(name: str) -> None:
    for panel in shown(draw(name)):
        for container in panel.containers:
            if hasattr(container, "has_yerr"):
                x, y = (
                    panel.transAxes.inverted()
                    .transform(panel.transData.transform(np.column_stack(data_of(container[0]))))
                    .T
                )
                assert ((x > -0.01) & (x < 1.01) & (y > -0.01) & (y < 1.01)).all(), panel.get_title()


@pytest.mark.parametrize("name", DRAWN)
def test_an_empty_table_is_an_empty_figure(name: str) -> None:
    figure = of_table(name, whole(name).iloc[:0], {})
    assert figure.axes[0].get_xlabel()
    for panel in figure.axes:
        assert not [each for each in panel.containers if hasattr(each, "has_yerr") and len(data_of(each[0])[0])]


TEXTS = (
    "series",
    "variant",
    "panel",
    "accountant",
    "comparator",
    "bound",
    "term",
    "constants",
    "logs",
    "clip_rule",
    "noise",
)
NUMBERS = (
    "lam",
    "eps",
    "n",
    "T",
    "B",
    "m",
    "d",
    "kappa",
    "eta",
    "r",
    "gamma",
    "delta",
    "radius_factor",
    "norm_share",
    "t",
)


@pytest.mark.parametrize("name", DRAWN)
def test_what_is_missing_leaves_a_gap(name: str) -> None:
    """Every other name of each column is missing, as far as that leaves anything."""
    table = whole(name)
    for column in (each for each in TEXTS if each in table and table[each].nunique() > 1):
        names = sorted(set(table[column].dropna()))[::2]
        fewer = table[table[column].isin(names) | table[column].isna()]
        table = fewer if len(fewer) else table
    assert len(table) < len(whole(name))
    figure = of_table(name, table)
    assert sum(len(panel.containers) for panel in figure.axes) <= sum(CURVES[name])


@pytest.mark.parametrize("name", DRAWN)
def test_a_coarse_grid_of_a_single_trial_is_drawn(name: str) -> None:
    """Each number has one value only, as far as a row has it; no standard error is known."""
    table = table_of(ROWS[name], trials=1)
    for column in (each for each in NUMBERS if each in table and table[each].notna().any()):
        values = sorted(set(table[column].dropna()))
        table = table[table[column].isna() | (table[column] == values[len(values) // 2])]
    assert table["se"].isna().all()
    figure = of_table(name, table)
    # There is room for the legend all the same.
    assert figure.legends[-1].get_window_extent().width <= figure.bbox.width


def test_equal_tables_give_equal_bytes(tmp_path: Path) -> None:
    for copy in ("first.png", "second.png", "first.svg", "second.svg"):
        style.save(of_table("stability", whole("stability")), tmp_path / copy)
    for suffix in ("png", "svg"):
        assert (tmp_path / f"first.{suffix}").read_bytes() == (tmp_path / f"second.{suffix}").read_bytes()


def test_an_accountant_has_one_colour_and_no_two_share_it() -> None:
    colors = [color for color, _, _ in styles.ACCOUNTANTS.values()]
    assert len(set(colors)) == len(colors)
    assert styles.look("one of one's own")["color"] == style.GREY
    names = {text: name for name, (_, _, text) in styles.ACCOUNTANTS.items()}
    found = 0
    for figure in map(draw, ("kappa_tables", "kan_lambda", "lambda_tradeoff", "fig01")):
        for panel in shown(figure):
            for container in panel.containers:
                for text in (text for text in names if text in str(container.get_label())):
                    assert container[0].get_color() == styles.ACCOUNTANTS[names[text]][0]
                    found += 1
    assert found > 50


def test_what_has_no_guarantee_is_hollow_and_dashed_and_said_so() -> None:
    figure = draw("kan_lambda")
    panel = shown(figure)[0]
    assert panel.get_title() == r"T = 100, $\varepsilon$ = 1"
    for name, solid in (("F12x8", False), ("F8", False), ("tail", True)):
        table = only("kan_lambda", panel="T = 100", eps=1.0, accountant=name, series="population risk")
        line = line_through(panel, table, "lam", color=styles.ACCOUNTANTS[name][0])
        assert (is_hollow(line), line.get_linestyle()) == ((False, "-") if solid else (True, "--"))
    labels = legend_of(figure)
    assert "Theorem F.12 as published, outside its condition" in labels
    assert "Theorem F.8's pair (no guarantee for batches of fixed size)" in labels
    assert styles.HOLLOW in labels
    # At T = 250 Theorem F.12 is inside its condition.
    panel = shown(figure)[4]
    assert panel.get_title() == r"T = 250, $\varepsilon$ = 0.5"
    table = only("kan_lambda", panel="T = 250", eps=0.5, accountant="F12x8", series="population risk")
    assert not is_hollow(line_through(panel, table, "lam"))
    sound = whole("kan_lambda").query("accountant == 'tail'")
    assert styles.HOLLOW not in legend_of(of_table("kan_lambda", sound))


def test_an_axis_of_lambda_resolves_values_near_one() -> None:
    panel = draw("fig01").axes[0]
    places = panel.transAxes.inverted().transform(
        panel.transData.transform([(lam, 90) for lam in (0, 0.9, 0.95, 0.99)])
    )
    assert np.diff(places[1:, 0]).min() > 0.1
    assert panel.get_xticks().tolist() == [0, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99]
    lam = np.array([0.0, 0.3, 0.9, 0.999])
    np.testing.assert_allclose(styles._unstretched(styles.stretched(lam)), lam, atol=1e-12)
    assert np.isfinite(styles.stretched([1.0, 2.0])).all()
    assert styles.spaced([0, 1, 2, 3, 10], np.array([0.0, 1, 2, 3, 10]), 0.2) == [0, 3, 10]


def test_accuracies_and_gains_are_drawn_with_intervals_and_the_best_lambda() -> None:
    accuracy, batches, fixed, gain, gains, calibrated = draw("fig01").axes
    for eps in BUDGETS:
        for panel, series in ((accuracy, "test accuracy"), (gain, "gain over lam = 0")):
            table = only("fig01", panel="accuracy", eps=eps, series=series).sort_values("lam")
            table = table.assign(mean=100 * table["mean"])
            line = line_through(panel, table, "lam", color=styles.eps_color(eps))
            np.testing.assert_allclose(bars_of(panel, line), 100 * Z95 * table["se"])
            (star,) = lines_of(panel, marker="*", color=styles.eps_color(eps))
            top = table.loc[table["mean"].idxmax()]
            assert [value[0] for value in data_of(star)] == [top["lam"], top["mean"]]
    for eps, dash in ((8.0, "-"), (1.0, "-.")):
        for panel, series in ((batches, "test accuracy"), (gains, "gain over lam = 0")):
            for variant, name in (("main", "bnb"), ("cyclic batches", "cyclic"), ("batches of Algorithm 1", "tail")):
                table = only("fig01", panel="accuracy", eps=eps, series=series, variant=variant)
                table = table.assign(mean=100 * table["mean"])
                line_through(panel, table, "lam", color=styles.ACCOUNTANTS[name][0], linestyle=dash)
    for panel, noise in ((fixed, "fixed"), (calibrated, "calibrated")):
        for lam in (0.0, 0.4, 0.8, 0.9, 0.99):
            color = styles.lam_color(lam)
            for series, dash in (("formula", "-"), ("simulated", "None")):
                table = only("fig01", panel="noise", noise=noise, lam=lam, series=series)
                line_through(panel, table, "t", color=color, linestyle=dash)
        assert (panel.get_xscale(), panel.get_yscale()) == ("log", "log")
    assert "$n=1400$, $T=200$" in title_of(draw("fig01"))
    without = whole("fig01").query("variant == 'main'")
    assert len(of_table("fig01", without).axes) == 4


def test_multipliers_are_drawn_plain_and_scaled_at_the_full_setting() -> None:
    axes = draw("kappa_tables").axes
    at = {"panel": "grid", "T": 100, "r": 0.1, "delta": 1e-3}
    for column, eps in ((0, 1.0), (1, 8.0)):
        for name in ("F12x8", "tail", "F8", "bnb", "cyclic"):
            table = only("kappa_tables", **at, eps=eps, accountant=name)
            color = styles.ACCOUNTANTS[name][0]
            line_through(axes[column], table, "lam", color=color)
            line_through(axes[column + 2], table.assign(mean=(1 - table["lam"]) * table["mean"]), "lam", color=color)
    table = only("kappa_tables", **at, lam=0.0, accountant="RDP19")
    line_through(axes[4], table, "eps")
    rates = only("kappa_tables", **(at | {"r": 0.02}), lam=0.5, eps=1.0, accountant="bnb")
    table = pd.concat(
        [rates, *(only("kappa_tables", **(at | {"r": r}), lam=0.5, eps=1.0, accountant="bnb") for r in (0.1, 0.5))]
    )
    line_through(axes[7], table, "r")
    for panel in axes[4:]:
        names = {
            name
            for name, (_, _, text) in styles.ACCOUNTANTS.items()
            for each in panel.containers
            if text in str(each.get_label())
        }
        assert len(panel.containers) <= 6
        assert bool(names & set(multipliers_figures.STATED)) == panel.get_title().endswith("the paper's")
    assert "by Monte Carlo, with a standard error of at most 1 % of" in title_of(draw("kappa_tables"))
    other = whole("kappa_tables").query("T == 50 and r == 0.5")
    figure = of_table("kappa_tables", other)
    assert "$T=50$, $r=0.5$" in title_of(figure)
    assert len(figure.axes[0].containers) == 8


def test_risks_against_lambda_have_their_variants_and_their_best_value() -> None:
    for name, place in (("tail", 10), ("F8", 14)):
        panel = shown(draw("kan_lambda"))[place]
        named = styles.ACCOUNTANTS[name][2].split(" (")[0]
        assert panel.get_title() == f"T = 100, $\\varepsilon$ = 8\nvariants, {named}"
        color = styles.ACCOUNTANTS[name][0]
        table = only("kan_lambda", panel="T = 100", eps=8.0, accountant=name, series="population risk")
        line = line_through(panel, table, "lam")
        np.testing.assert_allclose(bars_of(panel, line), Z95 * table.sort_values("lam")["se"])
        (star,) = lines_of(panel, marker="*", color=color)
        assert data_of(star)[1][0] == table["mean"].min()
        dashes = set()
        for variant in ("design D2", "G = 3", "G = 8"):
            table = only(
                "kan_lambda", panel="T = 100", eps=8.0, accountant=name, series="population risk", variant=variant
            )
            dashes.add(str(line_through(panel, table, "lam", color=color, linewidth=0.9)._dash_pattern))
        assert len(dashes) == 3
    # Where there is every accountant, there is no variant.
    assert not lines_of(shown(draw("kan_lambda"))[2], linewidth=0.9)
    gain = shown(draw("kan_lambda"))[3]
    line_through(gain, only("kan_lambda", panel="T = 100", eps=8.0, accountant="F8", series="gain over lam = 0"), "lam")


def test_terms_of_the_bound_are_drawn_by_accountant() -> None:
    axes = draw("lambda_tradeoff").axes
    for row, eps in enumerate((1.0, 8.0)):
        for column, term in enumerate(("linear", "quadratic", "total")):
            for name in ("fixed", "F12x8", "tail", "F8", "bnb", "cyclic"):
                table = only("lambda_tradeoff", eps=eps, term=term, accountant=name)
                line_through(axes[3 * row + column], table, "lam", color=styles.ACCOUNTANTS[name][0])
    (minimiser,) = lines_of(axes[1], linestyle="-.")
    assert minimiser.get_xdata()[0] == pytest.approx(0.5)
    for panel, name in ((axes[0], "tail"), (axes[3], "F12x8")):
        table = only("lambda_tradeoff", eps=1.0 if name == "tail" else 8.0, term="linear", accountant=name)
        line = line_through(panel, table, "lam")
        assert (is_hollow(line), line.get_linestyle()) == ((False, "-") if name == "tail" else (True, "--"))
        # What is exact has no bars, in the legend neither.
        assert not any(each.has_yerr for each in panel.containers)
    # A fixed multiplier need not have an epsilon.
    table = whole("lambda_tradeoff")
    blank = table.assign(eps=table["eps"].where(table["accountant"] != "fixed")).drop_duplicates(
        ["lam", "eps", "accountant", "term"]
    )
    for panel in of_table("lambda_tradeoff", blank).axes:
        assert len(panel.containers) == 6


def test_targets_stand_beside_what_is_attained() -> None:
    renyi, regime, share = draw("closed_form_validity").axes
    assert labelled(renyi, r"target $\varepsilon=1$").get_xdata()[0] == 1.0
    bars, floor = renyi.containers
    assert sorted(bar.get_width() for bar in bars) == [1.1, 1.18, 1.34, 1.64, 2.37, 2.58, 4.9]
    assert [bar.get_width() for bar in floor] == pytest.approx([0.4 * bar.get_width() for bar in bars])
    assert [bar.get_y() for bar in floor] == [bar.get_y() for bar in bars]
    assert floor.get_label() == "what (19) proves without end of noise"
    proved = data_of(labelled(renyi, "proved for sampling without replacement"))
    assert (proved[0].tolist(), sorted(proved[1])) == ([0.9] * 7, list(range(7)))
    assert data_of(labelled(renyi, "attained by two data sets"))[0].tolist() == [0.8] * 7
    x, y = data_of(labelled(regime, r"target $\delta$"))
    np.testing.assert_allclose(y, 0.1 / x)
    x, y = data_of(labelled(regime, r"attained at Theorem D.9's $\kappa$"))
    assert np.isnan(y[0])
    assert y[1:].tolist() == [1e-9, 2e-5, 1e-3, 0.014, 0.1, 0.29]
    (arrow,) = lines_of(regime, marker=r"$\downarrow$")
    assert data_of(arrow)[0].tolist() == [1000]
    # Arrows stand below the floor that the legend names, on the panel's own axis.
    assert regime.get_ylim()[0] < data_of(arrow)[1][0] < 1e-12
    assert r"arrows: below $10^{-12}$" in legend_of(draw("closed_form_validity"))
    places = [tuple(data_of(line)[0]) for line in lines_of(share, marker=r"$\downarrow$")]
    assert len(places) == len({x for each in places for x in each[:1]}) > 1
    line_through(regime, only("closed_form_validity", panel="regime", series="repaired"), "n")
    assert len([line for line in lines_of(share) if "gradients of" in str(line.get_label())]) == 4


def test_pairs_are_drawn_with_what_is_attained_and_by_which_factor() -> None:
    *one, ratio, some, many = draw("sampling_counterexample").axes
    for panel, r in zip(one, (0.01, 0.1, 0.5), strict=True):
        for kappa in (0.7, 1.0):
            for series, hollow in (("F8 pair", True), ("fixed size", False)):
                at = {"panel": "quadrature", "r": r, "kappa": kappa}
                assert (
                    is_hollow(line_through(panel, only("sampling_counterexample", **at, series=series), "eps"))
                    == hollow
                )
    for line in lines_of(ratio, linestyle="-"):
        np.testing.assert_allclose(data_of(line)[1], 20.0)
    table = only("sampling_counterexample", panel="enumeration", series="fixed size")
    line = line_through(some, table, "lam")
    np.testing.assert_allclose(bars_of(some, line), Z95 * table["delta_se"])
    assert labelled(some, r"target $\delta=0.001$").get_ydata()[0] == 1e-3
    assert [label.get_text().split("\n")[0] for label in many.get_xticklabels()] == ["$T=12$", "$T=100$", "$T=1000$"]


def test_hessians_have_a_guide_with_the_claimed_slope() -> None:
    guide = labelled(draw("initialisation").axes[3], r"slope $-1/2$ in $m$")
    assert slope_in(guide) == pytest.approx(-0.5)
    first = only("initialisation", series="nu").sort_values("m").iloc[0]
    assert [values[0] for values in data_of(guide)] == pytest.approx([first["m"], first["mean"]])


def test_thresholds_equal_the_table() -> None:
    first, second, clipped = draw("clipping").axes
    for rule in ("G_delta", "G_sharp", "1", "0.25", "0.05"):
        for panel, lam in ((first, 0.0), (second, 0.4)):
            line_through(panel, only("clipping", clip_rule=rule, lam=lam, series="population risk"), "eta")
        table = only("clipping", clip_rule=rule, lam=0.0, series="population risk")
        line_through(clipped, table.assign(mean=100 * table["clipped"]), "eta")
    assert "no guarantee" in title_of(draw("clipping"))
    # Rules that are all numbers may have been read as such.
    table = whole("clipping").query("clip_rule in ('1', '0.25')")
    labels = legend_of(of_table("clipping", table.assign(clip_rule=table["clip_rule"].astype(float))))
    assert labels[:2] == [r"$C_\mathrm{clip}=\,$$1$", r"$C_\mathrm{clip}=\,$$0.25$"]


def test_methods_and_their_bounds_have_the_colours_of_the_registry() -> None:
    independent, nothing = (style.METHODS[name].lower() for name in ("DP-SGD", "non-private"))
    totals = draw("bound_vs_run").axes[0]
    for bound, color in (("A_van", independent), ("A_non", nothing)):
        assert labelled(totals, explicit_bounds_figures.BOUNDS[bound][2]).get_color().lower() == color


def test_no_share_above_all_is_named() -> None:
    event = draw("initialisation").axes[0]
    assert max(event.get_yticks()) == pytest.approx(100.0)
    assert event.get_ylim()[1] > 100.0


def test_log_2_is_named_vacuous_where_risks_and_bounds_stand() -> None:
    line = labelled(draw("clipping").axes[0], r"$\log 2$: loss of the output 0 (vacuous)")
    assert line.get_ydata()[0] == math.log(2)
    for panel in draw("bound_vs_run").axes:
        assert labelled(panel, r"$\log 2$: loss of the output 0 (vacuous)").get_xdata()[0] == math.log(2)


def test_bounds_stand_beside_runs_by_setting() -> None:
    totals, terms, admissible, _ = draw("bound_vs_run").axes
    names = [label.get_text() for label in totals.get_yticklabels()]
    assert names == [
        r"$T=500$, $\kappa=0$",
        *(rf"$T=500$, $\kappa=2.65$, $\lambda={lam}$" for lam in ("0", "0.5", "0.9")),
    ]
    assert len(admissible.get_yticklabels()) == 8
    at = {"panel": "step of the experiments", "series": "bound"}
    wanted = [(0.0, 0.0), (2.65, 0.0), (2.65, 0.5), (2.65, 0.9)]

    def values(**keys: Any) -> list[float]:
        return [only("bound_vs_run", **at, **keys, kappa=kappa, lam=lam)["mean"].item() for kappa, lam in wanted]

    for bound, (marker, _, text) in explicit_bounds_figures.BOUNDS.items():
        for constants in ("sharp", "paper") if bound in ("C.11", "D.13") else ("dropped",):
            label = styles.joined(text, explicit_bounds_figures.CONSTANTS.get(constants, ""))
            line = labelled(totals, label)
            assert data_of(line)[0].tolist() == values(bound=bound, constants=constants, term="total")
            assert line.get_marker() == marker
            assert is_hollow(line) == (constants == "paper")
            assert (np.abs(data_of(line)[1] - np.arange(4)) < 0.5).all()
    for term, (_, text) in explicit_bounds_figures.TERMS.items():
        found = data_of(labelled(terms, text))[0].tolist()
        assert found == [value for value in values(bound="C.11", constants="sharp", term=term) if value > 0]
    (measured,) = totals.containers
    assert data_of(measured[0])[0].tolist() == [0.4] * 4
    assert [np.ptp(ends[:, 0]) / 2 for ends in measured[2][0].get_segments()] == pytest.approx([Z95 * 0.008] * 4)
    assert len(data_of(admissible.containers[0][0])[0]) == 4


def test_admitted_widths_are_shaded_between_the_limits() -> None:
    axes = draw("admissible_width").axes
    views = ((1 / 12, "0.0833", "kept"), (1.0, "1", "kept"), (1 / 12, "0.0833", "kept in the limits too"))
    for rank, panel in enumerate(axes):
        (eta, written, logs), gamma = views[rank // 2], (0.1, 0.3)[rank % 2]
        at = {"gamma": gamma, "eta": eta}
        for name in ("F12x8", "F12x2"):
            table = only("admissible_width", **at, logs=logs, series="upper limit", accountant=name)
            color = styles.ACCOUNTANTS[name][0]
            line_through(panel, table, "n", color=color)
            # Theorem F.12 speaks of the largest n only.
            (hollow,) = [line for line in lines_of(panel, color=color) if is_hollow(line)]
            assert data_of(hollow)[0].tolist() == [1e3, 1e4, 1e5]
        if logs == "kept":
            line_through(panel, only("admissible_width", **at, logs="dropped", series="upper limit"), "n")
        for series in ("lower limit", "gamma^-4", "gamma^-6"):
            line_through(panel, only("admissible_width", **at, logs=logs, accountant="F12x8", series=series), "n")
        assert panel.get_title() == rf"$\gamma={gamma}$, $\eta={written}$, {width_figures.LOGS[logs]}"
    areas = [sum(len(path.vertices) > 2 for shade in panel.collections for path in shade.get_paths()) for panel in axes]
    assert areas[5] == 0
    assert min(areas[:5]) > 0


def test_diagnostics_equal_the_table() -> None:
    runs = ((0.0, 0.0), (2.65, 0.0), (2.65, 0.5))
    for panel, (kappa, lam) in zip(draw("stability").axes, runs, strict=True):
        for series in ("mean distance", "bound", "bound without e"):
            line_through(panel, only("stability", kappa=kappa, lam=lam, series=series), "t")
    event, *others = draw("initialisation").axes
    table = only("initialisation", series="E_delta holds")
    line_through(event, table.assign(mean=100 * table["mean"]), "m")
    for panel, names in zip(others, (("largest |f_0|", "bound Q8"), ("largest gradient", "G_delta", "G_sharp"),
                                     ("largest Hessian", "nu")), strict=True):  # fmt: skip
        for series in names:
            line_through(panel, only("initialisation", series=series), "m")
    event = of_table("initialisation", whole("initialisation"), {"delta_conf": 0.01}).axes[0]
    assert labelled(event, r"promised: $1-\delta=99\,\%$").get_ydata()[0] == 99.0


def test_comparators_stand_side_by_side_with_what_the_lemmas_ask_for() -> None:
    violations, slack, condition, ntk = draw("comparator").axes
    places = [tuple(data_of(each[0])[0]) for each in slack.containers]
    assert len(set(places)) == 18
    for x in places:
        assert (np.abs(np.log(np.array(x) / [64, 256, 1024])) < math.log(2)).all()
    for panel, series in ((slack, "smallest slack"), (violations, "violations")):
        found = sorted(data_of(each[0])[1].tolist() for each in panel.containers)
        table = only("comparator", panel="inequality", series=series).sort_values("m")
        assert found == sorted(own["mean"].tolist() for _, own in table.groupby(["comparator", "kappa", "lam"]))
    (asked,) = lines_of(condition, linestyle="-.")
    assert asked.get_ydata()[0] == 0.5
    for m in (64, 256, 1024, 4096):
        line_through(ntk, only("comparator", panel="ntk", m=m), "tau_gamma")
    assert labelled(ntk, "Lemma C.12: $1/T=0.01$").get_ydata()[0] == 0.01
