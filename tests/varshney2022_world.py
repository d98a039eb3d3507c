"""Two worlds of varshney2022: the committed tables, and made-up ones in which the paper is right."""

import functools
import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpdescent.papers.varshney2022.ambssgd import stat_slack
from dpdescent.papers.varshney2022.formulas import norm_bound
from dpdescent.replication.configuration import project
from dpdescent.replication.configuration import values as conf
from dpdescent.replication.configuration.project import Project
from dpdescent.replication.judging.evidence import Evidence
from made_up import Rows, grid

ROOT = Path(__file__).parents[1]
PAPER = "varshney2022"
DELTA = 1e-6

Tables = dict[str, pd.DataFrame]

# The committed tables


@functools.cache
def printed() -> Project:
    return project.load({"scale": "paper", "seed": 2022, "papers": [PAPER]}, ROOT)


@functools.cache
def committed() -> Evidence:
    """What is judged, which tests share and leave as it is."""
    spec = json.loads(project.judging_json(printed(), PAPER))
    return Evidence.read(spec, ROOT / f"results/paper/{PAPER}")


# A world in which the paper is right


def specification() -> dict[str, Any]:
    """What judgement gets, from the paper's file alone: neither experiments nor figures are needed."""
    plain = conf.strip_provenance(conf.read_yaml(ROOT / f"config/papers/{PAPER}.yaml"))
    artefacts = {}
    for name, node in plain["artefacts"].items():
        settings = {key: plain["settings"][key] for key in node.get("uses", [])} | node.get("settings", {})
        artefacts[name] = {"cells": node["cells"], "arms": node.get("arms", {}), "settings": settings}
    # At a tiny delta even a world with large constants of privacy is below 8 log(1/delta) times the lower bound.
    given = {"settings": plain["settings"] | {"delta": 1e-100}, "published": plain["published"]}
    return {"paper": PAPER, "seed": 3, "artefacts": artefacts} | given


SPEC = specification()


def ours(d: float, N: float, sigma: float, eps: float, kappa: float = 1.0) -> float:
    return sigma**2 * (1.1 * d / N + 1800 * (kappa * d / (eps * N)) ** 2)


def risk(series: str, d: float, N: float, sigma: float, eps: float) -> float:
    scale, free = (d / (eps * N)) ** 2, sigma**2 * d / N
    return {
        "OLS": free / 2 * N / (N - d - 1),
        "DP-AMBSSGD": ours(d, N, sigma, eps),
        "DP-AMBSSGD (as published)": 1.2 * ours(d, N, sigma, eps),
        "DP-AMBSSGD (q = 0.9)": ours(d, N, sigma, eps),
        "fixed clip": 1.1 * free + 5000 * (1 + sigma**2) * scale,
        "AdaSSP": 0.5 * free + 20_000 * (d + sigma**2) * scale,
        "AdaSSP (bound 1.2 sqrt d)": 0.5 * free + 20_000 * (d + sigma**2) * scale,
        "DP-GD (adaptive)": 3 * d / 10 * ours(d, N, sigma, eps),
        "DP-SSGD": free + 1e5 * (1 + sigma**2) * scale,
    }[series]


METHODS = (
    "OLS", "DP-AMBSSGD", "DP-AMBSSGD (as published)", "DP-AMBSSGD (q = 0.9)", "fixed clip", "AdaSSP",
    "DP-GD (adaptive)",
)  # fmt: skip
ADAPTIVE = ("DP-AMBSSGD", "DP-AMBSSGD (q = 0.9)")
SIGMAS = (1.0, 0.1, 0.01, 0.0)


def risks(panel: str, Ns: tuple[int, ...], epss: tuple[float, ...], sigmas: tuple[float, ...], series: Any) -> Rows:
    places = grid(panel=panel, N=Ns, d=10, sigma=sigmas, eps=epss, delta=DELTA, kappa=1, T=8, series=series)
    return [
        place
        | {"mean": risk(place["series"], place["d"], place["N"], place["sigma"], place["eps"]), "clip_fraction": 0.005}
        | ({"clip_fraction": 0.0} if "published" in place["series"] else {})
        for place in places
    ]


def risk_vs_n() -> Rows:
    small = (100_000, 200_000, 400_000, 800_000)
    moderate = risks("epsilon = 1", (10_000, 100_000, 1_000_000), (1.0,), SIGMAS, METHODS)
    random = risks("epsilon = 0.2", small, (0.2,), SIGMAS, ADAPTIVE)
    return [
        *moderate,
        *risks("epsilon = 0.2", small, (0.2,), SIGMAS, METHODS),
        *(row | {"variant": "random grid"} for row in random),
        *risks("DP-SSGD", (10_000, 100_000, 1_000_000), (1.0,), SIGMAS, "DP-SSGD"),
    ]


def risk_vs_sigma() -> Rows:
    made = risks("all", (100_000,), (1.0,), (1.0, 0.3, 0.1, 0.03, 0.01, 0.001, 0.0), METHODS)
    others = [row | {"variant": name} for row in made for name in ("twelve levels", "thirty levels")]
    return made + others


def risk_vs_d() -> Rows:
    rows: Rows = []
    panels = {
        "one pass": ((10, 40, 160), ("DP-AMBSSGD", "DP-AMBSSGD (q = 0.9)", "fixed clip")),
        "records used again": ((10, 40, 160), ("DP-GD (adaptive)",)),
        "Wishart draw": ((10, 40, 80, 160, 320), ("OLS", "AdaSSP", "AdaSSP (bound 1.2 sqrt d)")),
        "records clipped": ((10, 40, 80), ("AdaSSP", "AdaSSP (bound 1.2 sqrt d)")),
    }
    for panel, (ds, series) in panels.items():
        for place in grid(panel=panel, n_over_d=(500, 2000), d=ds, sigma=0.1, eps=1.0, delta=DELTA, series=series):
            N = place["n_over_d"] * place["d"]
            rows.append(place | {"N": N, "mean": risk(place["series"], place["d"], N, 0.1, 1.0)})
    return rows


def sample_complexity() -> Rows:
    laws = {
        "DP-AMBSSGD": (40, 1.0), "DP-AMBSSGD (q = 0.9)": (50, 1.0), "fixed clip": (400, 1.0), "AdaSSP": (100, 1.5),
        "AdaSSP (bound 1.2 sqrt d)": (60, 1.5),
    }  # fmt: skip
    rows: Rows = []
    for d, (sigma, target), (name, (factor, power)) in itertools.product(
        (10, 20, 40, 80, 160, 320), ((0.5, 0.01), (0.1, 0.001)), laws.items()
    ):
        N = factor * d**power
        # The public bound of |x| has logarithms of N.
        N *= norm_bound(np.ones(d), N) ** 2 / d if name == "AdaSSP" else 1.0
        place = {"panel": "one pass", "eps": 1.0, "d": d, "sigma": sigma, "target": target}
        rows.append(place | {"series": name, "n_over_d": N / d, "mean": N})
    return rows


def risk_vs_kappa() -> Rows:
    rows: Rows = []
    for kappa in (1, 4, 8, 16):
        place = {"panel": "all", "N": 100_000, "d": 10, "sigma": 0.1, "eps": 1.0, "delta": DELTA, "kappa": kappa}
        for T in (8, 32, 64, 128):
            mean = ours(10, 1e5, 0.1, 1.0, kappa) * (1 + 3 * abs(math.log2(T / (8 * kappa))))
            rows.append(place | {"T": T, "series": "DP-AMBSSGD", "mean": mean})
        for name, factor in (("DP-AMBSSGD (q = 0.9)", 1.0), ("AdaSSP", 30.0), ("fixed clip", 20.0)):
            mean = factor * ours(10, 1e5, 0.1, 1.0, kappa)
            rows.append(place | {"T": math.nan if name == "AdaSSP" else 8 * kappa, "series": name, "mean": mean})
        rows.append(place | {"T": 8 * kappa, "series": "no noise", "mean": 1.1 * 0.01 * 10 / 1e5, "trials": 1})
    return rows


def table_bounds() -> Rows:
    rows: Rows = []
    for d, N in ((10, 1e5), (100, 1e6)):
        for sigma, eps in itertools.product((1.0, 0.1, 0.0), (0.1, 1.0)):
            free, scale = sigma**2 * d / N, (d / (eps * N)) ** 2
            values = {
                "without privacy": free, "lower bound (Cai et al. 2021)": free + sigma**2 * scale,
                "Cai et al. 2021": free + (d + sigma**2) * scale, "efficient methods at sigma = 0": d * scale,
                "DP-SSGD": free + (1 + sigma**2) * scale, "DP-AMBSSGD": free + sigma**2 * scale,
            }  # fmt: skip
            rows += [
                {"method": name, "d": d, "N": N, "sigma": sigma, "eps": eps, "mean": value, "trials": 1}
                for name, value in values.items()
            ]
    return rows


def clip_path() -> Rows:
    rows: Rows = []
    for kappa, sigma in itertools.product((1, 8), (1.0, 0.1, 0.01)):
        for t in (*range(5), 7 * kappa, 8 * kappa - 1):
            scale = math.hypot(math.exp(-8 * t / kappa), sigma)
            values = {
                "zeta": 4 * math.sqrt(12) * scale, "claimed scale": math.sqrt(12) * scale, "clip fraction": 0.004,
                "residual rms": scale,
            }  # fmt: skip
            place = {"N": 100_000, "d": 10, "sigma": sigma, "eps": 1.0, "delta": DELTA, "kappa": kappa, "T": 8 * kappa}
            rows += [place | {"t": t, "series": name, "mean": value} for name, value in values.items()]
    return rows


def alg_stat() -> Rows:
    """Where s is below 2 Gamma the lemma is false, and says nothing."""
    rows: Rows = []
    rules = ("as published", "corrected", "corrected, beta", "q = 0.99")
    for place in grid(s=(500, 2000), levels=(12, 20, 133), alpha=(4.2, 10.5), rule=rules):
        sound = place["s"] >= 2 * stat_slack(place["alpha"], place["levels"], -math.log(0.01))
        good = {
            "first half": 0.999, "second half": 0.998, "corrected guarantee": 0.999, "mean ratio": 1.1,
            "mean square ratio": 1.3, "overshoot": 0.005, "overshoot by 8": 0.001,
        }  # fmt: skip
        bad = dict.fromkeys(good, 0.3) | {"mean ratio": 9.0, "mean square ratio": 99.0}
        series = good if sound else bad
        rows += [place | {"series": name, "mean": mean, "se": 2e-4} for name, mean in series.items()]
    return rows


def ssgd() -> Rows:
    rows: Rows = []
    base = {"sigma": 0.1, "series": "DP-SSGD"}
    own = base | {"panel": "own regime", "N": 1_000_000, "d": 2, "eps": 0.011, "delta": 1e-8, "zeta_factor": 3.0}
    rows.append(own | {"step": "0.0002", "eta": 2e-4, "mean": 0.04, "expected": 0.041, "clip_fraction": 0.003})
    for N, d in itertools.product((100_000, 200_000), (2, 5, 10, 20)):
        place = base | {"panel": "Corollary 3.3", "N": N, "d": d, "delta": DELTA, "step": "Corollary 3.3"}
        eps, order = math.sqrt(-math.log(DELTA) / N), d**2 / N
        rows.append(place | {"eps": eps, "mean": 100 * order, "predictor": 100 * order, "clip_fraction": 0.0})
    for d in (2, 5, 10):
        place = base | {"panel": "Theorem 3.2", "N": 100_000, "d": d, "eps": 0.0316, "delta": DELTA}
        rows.append(place | {"step": "Theorem 3.2", "mean": 0.4, "predictor": d * (d + 2), "clip_fraction": 0.0})
    for eps, factor, step in itertools.product((0.0316, 0.2, 1.0), (0.5, 1.5, 3.0), ("0.05", "0.0002", "0.00001")):
        place = base | {"panel": "grid", "N": 100_000, "d": 5, "eps": eps, "delta": DELTA, "zeta_factor": factor}
        clip, mean = (0.8, 400.0) if step == "0.05" else (0.002, 0.15)
        # The best of them is at no end of what was tried.
        mean *= 1.0 if (factor, step) == (1.5, "0.0002") else 1.02
        rows.append(place | {"step": step, "eta": float(step), "mean": mean, "expected": 0.15, "clip_fraction": clip})
    for factor, step in itertools.product((0.1, 0.3), (1e-5, 1e-4)):
        place = base | {"panel": "small thresholds", "N": 100_000, "d": 5, "eps": 0.0316, "delta": DELTA}
        place |= {"zeta_factor": factor, "step": f"{step:g}", "eta": step, "expected": 0.2}
        rows.append(place | {"mean": 0.45, "clip_fraction": 0.3})
    for factor, step in itertools.product((0.11, 1.5, 3.0), (1e-5, 1e-4)):
        place = base | {"panel": "introduction", "N": 100_000, "d": 5, "eps": 0.0316, "delta": DELTA, "sigma": 0.01}
        place |= {"zeta_factor": factor, "step": f"{step:g}", "eta": step, "expected": 0.1}
        rows.append(place | {"mean": 0.1 if step == 1e-4 else 0.3, "clip_fraction": 0.001})
    plain = {"panel": "no privacy", "series": "SGD", "N": 100_000, "d": 5, "sigma": 0.1, "delta": DELTA}
    return [*rows, plain | {"step": "0.001", "eta": 0.001, "mean": 0.01 * 5 / 1e5, "trials": 1}]


def bound_vs_run() -> Rows:
    kinds = (("DP-SSGD", "no clipping"), ("DP-AMBSSGD", "no clipping"), ("DP-AMBSSGD", "as run"))
    return [
        {"algorithm": algorithm, "kind": kind, "N": N, "d": d, "sigma": sigma, "eps": 1.0, "delta": DELTA, "T": 8,
         "series": "risk", "mean": 1e-3, "expected": 1.02e-3, "q90": 2e-3, "bound": 0.1, "bound_without_logs": 0.01}
        for (algorithm, kind), N, d, sigma in itertools.product(kinds, (10_000, 100_000), (5, 10), (1.0, 0.1))
    ]  # fmt: skip


def step_size() -> Rows:
    rows: Rows = []
    for N, d, T in itertools.product((100_000, 1_000_000), (5, 10), (8, 50, 150)):
        for step, bias in (("Theorem 3.7", 1e-9), ("Corollary 3.8", math.exp(-T / 2))):
            place = {"N": N, "d": d, "sigma": 0.1, "eps": 1.0, "delta": DELTA, "T": T, "step": step}
            rows.append(place | {"series": "DP-AMBSSGD", "mean": ours(d, N, 0.1, 1.0) + bias / 2, "bias": bias})
    return rows


def feasibility() -> Rows:
    rows: Rows = []
    for c1, width in itertools.product((1, 4, 400), ("B / N^200", "B / N^100", "B / N")):
        rows.append({"condition": "s >= 2 Gamma", "width": width, "c1": c1, "mean": 1e7 * c1})
    for c1, d in itertools.product((1, 4), (2, 5, 10, 50)):
        rows.append({"condition": "batch condition of Lemma 3.11", "c1": c1, "d": d, "mean": 1e4 * d**1.1})
    rows += [{"condition": "eta mu N / 2 >= log N", "d": d, "mean": 1e15 * d**2} for d in (2, 5, 10, 50)]
    return [row | {"series": "smallest N", "trials": 1} for row in rows]


def tails() -> Rows:
    rows: Rows = []
    for law, factor in itertools.product(
        ("normal", "Laplace", "Student t5", "dependent noise"), ("1", "1.25", "2", "log^a N")
    ):
        place = {"law": law, "factor": factor, "N": 100_000, "d": 10, "sigma": 0.1, "series": "DP-AMBSSGD"}
        rows.append(place | {"mean": 3e-6 * (1 + len(law) / 10), "clip_fraction": 0.2 if law[0] == "S" else 0.002})
        if factor == "1":
            others = (("AdaSSP", 4e-4), ("fixed clip", 2e-4))
            rows += [place | {"factor": name, "series": name, "mean": mean} for name, mean in others]
    return rows


LEVELS = {
    "rule": ("as published", "corrected", "q = 0.99"),
    "factor": ("0.5", "1.25", "log^a N"),
    "statistic": ("25", "100", "1136"),
    "iterations": ("2", "8", "64"),
    "tail": ("0.25", "0.5", "last iterate"),
}


def ablation() -> Rows:
    place = {"N": 100_000, "d": 10, "sigma": 0.1, "eps": 1.0, "delta": DELTA, "series": "DP-AMBSSGD"}
    rows = [
        place | {"choice": name, "level": level, "mean": 3e-6}
        for name, levels in LEVELS.items()
        for level in levels
    ]  # fmt: skip
    rows += [row | {"variant": "more trials", "trials": 600} for row in rows if row["choice"] == "rule"]
    return [row | ({"mean": 9e-6} if row["level"] == "last iterate" else {}) for row in rows]


def multiplier() -> Rows:
    rows: Rows = []
    names = {
        "as published (Theorem 3.6, last form)": 2.0, "Theorem 3.6, first form": 1.5, "zCDP": 1.4,
        "Gaussian DP, disjoint": 0.9,
    }  # fmt: skip
    for eps, delta in itertools.product((0.001, 0.01, 0.1, 1.0, 8.0), (1e-5, 1e-8)):
        place = {"eps": eps, "delta": delta, "trials": 1}
        alpha = math.sqrt(-2 * math.log(delta)) / eps
        rows += [
            place | {"series": name, "mean": factor * alpha, "eps_tight": 0.9 * eps} for name, factor in names.items()
        ]
        for N in (10_000, 100_000, 1_000_000):
            formula = math.log(N / delta) / (eps * math.sqrt(N))
            spent = {"Theorem 3.1, constant 1": (formula, 0.8)}
            if eps <= 1 / math.sqrt(N):
                spent["DP-SSGD, shuffled (explicit bound)"] = (20 / (eps * math.sqrt(N)), 1.0)
            rows += [
                place | {"N": N, "series": name, "mean": alpha, "eps_tight": share * eps}
                for name, (alpha, share) in spent.items()
            ]
    return rows


MECHANISMS = (
    "gradient step", "DP-STAT, noisy counts", "DP-STAT, released threshold (corrected)",
    "DP-STAT, released threshold (as published)", "one iteration as published",
)  # fmt: skip


WHOLE_RUNS = [f"whole run, T = {T}{more}" for T in (1, 2, 8, 32) for more in ("", ", record added")]


def audit() -> Rows:
    return [
        {"mechanism": name, "series": "attained mu", "mean": 0.236, "se": 5e-4, "accounted": 0.237}
        for name in (*MECHANISMS, *WHOLE_RUNS)
    ]


def moments() -> Rows:
    """What no choice of lam can give, but a paper that is right in all details would have."""
    rows: Rows = []
    for d, kappa in itertools.product((1, 2, 5, 50), (1, 4, 16)):
        rows.append({"quantity": "R_x^2", "d": d, "kappa": kappa, "mean": d, "claimed": d})
        for b in (1, 10, 1000):
            place = {"d": d, "kappa": kappa, "b": b}
            rows.append(place | {"quantity": "E[B'HB] against H", "mean": 0.4, "claimed": 0.5})
            rows.append(place | {"quantity": "E[B'B] against I - eta H", "mean": 0.0, "claimed": 0.0})
    for d, beta in itertools.product((1, 2, 5), (0.01, 1e-8)):
        rows.append({"quantity": "P(|x|^2 > d log 1/beta) / beta", "d": d, "beta": beta, "mean": 0.5, "claimed": 1.0})
    return [row | {"series": "exact", "trials": 1} for row in rows]


# Quantities of ext_orders with their axes and readings; all orders are right, and all of them half of what is claimed.
ORDERS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "operations": (("N", "d"), ("DP-SSGD", "DP-AMBSSGD, 20 doublings")),
    "least N, Lemma 3.11": (("kappa", "eps", "delta", "d"), ("geometric", "all but one at |H|")),
    "least N, Theorem 3.2": (("kappa", "eps", "delta", "d"), ("eps fixed",)),
    "DP-SSGD": (
        ("N", "eps", "delta", "kappa", "d", "sigma"),
        ("term of privacy", "risk, alpha with constant 1", "(5) without its start"),
    ),
    "shuffling": (("eps_0", "N", "delta"), ("Theorem A.3", "(8)", "largest eps")),
    "multiplier of DP-SSGD": (("eps", "delta"), ("explicit bound",)),
    "contraction": (("kappa",), ("1 of the least b", "0.25 of the least b")),
    "logarithm of Lemma 3.10": (("beta",), ("base 2, L = 20", "base e, L = 20")),
    "gradient norm": (("d",), ("along x", "same index twice", "independent")),
    "norm after clipping": (("size",), ("min, Sec. 1.1", "max, App. A")),
}  # fmt: skip


def ext_orders() -> Rows:
    rows: Rows = []
    for quantity, (axes, readings) in ORDERS.items():
        for axis, name, at in itertools.product(axes, readings, (1.0, 4.0, 16.0)):
            claimed = 1.0 / at if (quantity, axis) == ("multiplier of DP-SSGD", "eps") else at
            claimed = math.sqrt(at) if name == "independent" else claimed
            rows.append({"quantity": quantity, "axis": axis, "reading": name, "at": at, "claimed": claimed})
    for at, c1 in itertools.product((1.0, 4.0, 16.0), (4, 400)):
        leading = {"quantity": "leading term", "at": at, "claimed": 1.0}
        rows.append(leading | {"axis": "N", "reading": f"exact risk, c_1 = {c1}"})
        rows.append(leading | {"axis": "kappa", "reading": f"Lemma 3.11, c_1 = {c1}, geometric"})
    return [row | {"series": "exact", "mean": 0.5 * row["claimed"], "trials": 1} for row in rows]


def ext_thresholds() -> Rows:
    """The best of fixed thresholds is at 0.4 and T = 16, the best adaptive factor 0.5 at T = 8."""
    rows: Rows = []
    for N, sigma in itertools.product((30_000, 100_000), (1.0, 0.1, 0.01)):
        place = {"N": N, "d": 10, "sigma": sigma, "eps": 1.0, "delta": DELTA, "clip_fraction": 0.01}
        unit = ours(10, N, sigma, 1.0)
        for factor, T in itertools.product((0.1, 0.4, 3.0), (4, 16, 64)):
            worse = 1 + abs(math.log(factor / 0.4)) + abs(math.log(T / 16))
            rows.append(place | {"series": "fixed clip", "factor": factor, "T": T, "mean": 5 * unit * worse})
        for factor, T in itertools.product((0.25, 0.5, 2.0), (4, 8, 32)):
            worse = 1 + abs(math.log(factor / 0.5)) + abs(math.log(T / 8))
            rows.append(place | {"series": "DP-AMBSSGD", "factor": factor, "T": T, "mean": unit * worse})
    return rows


def ext_privacy() -> Rows:
    rows = risks("small epsilon", (200_000,), (0.1, 0.15, 0.2), (1.0, 0.1), ADAPTIVE)
    for delta in (1e-6, 1e-8, 1e-12):
        made = risks("delta", (200_000,), (0.1,), (1.0, 0.1), ADAPTIVE[1:])
        rows += [row | {"delta": delta, "mean": row["mean"] * math.log(delta) / math.log(1e-6)} for row in made]
    rows += risks("privacy regime", (20_000_000, 40_000_000), (0.002,), (1.0, 0.1), ADAPTIVE[1:])
    return rows + risks("sufficient statistics", (100_000, 200_000, 400_000), (0.2,), (0.0,), ("AdaSSP",))


def finished(rows: Rows) -> pd.DataFrame:
    """With the columns that every table has; rows of one trial are exact."""
    full = []
    for row in rows:
        mean, drawn = float(row["mean"]), row.get("trials", 20) > 1
        own = {"variant": "main", "mean": mean, "se": 0.02 * mean if drawn else math.nan, "trials": 20, "median": mean}
        spread = {"median_low": 0.97, "median_high": 1.03, "q90": 1.1, "q975": 1.2}
        full.append(own | {name: mean * factor if drawn else mean for name, factor in spread.items()} | row)
    return pd.DataFrame(full)


MAKERS = (
    risk_vs_n, risk_vs_sigma, risk_vs_d, sample_complexity, risk_vs_kappa, table_bounds, clip_path, alg_stat, ssgd,
    bound_vs_run, step_size, feasibility, tails, ablation, multiplier, audit, moments, ext_orders, ext_thresholds,
    ext_privacy,
)  # fmt: skip
RIGHT: Tables = {maker.__name__: finished(maker()) for maker in MAKERS} | {
    "risk_vs_eps": finished(risks("all", (200_000,), (0.1, 0.15, 0.2, 1.0, 8.0), (1.0, 0.1), METHODS))
}


def world() -> Tables:
    """A copy, to be changed."""
    return {name: table.copy() for name, table in RIGHT.items()}
