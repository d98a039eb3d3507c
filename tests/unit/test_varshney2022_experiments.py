"""varshney2022's experiments: their tables, runs against explicit transcriptions, shared draws, what is released."""

import importlib
import itertools
import json
import math
import pkgutil
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.optimize import brentq
from scipy.special import ndtr

import committed as of
from dpdescent.algorithms import dp_ambssgd, dp_ftrl, dp_gd
from dpdescent.algorithms.dp_ambssgd import Fixed, Normals, SGDArm, descend
from dpdescent.algorithms.dp_stat import Search
from dpdescent.algorithms.sgd_moments import tail_risk
from dpdescent.baselines import ada_ssp as ada_ssp_engine
from dpdescent.papers.varshney2022 import (
    ambssgd,
    attacks,
    choices,
    descents,
    dimension,
    formulas,
    large_samples,
    lemmas,
    orders,
    single_pass_orders,
)
from dpdescent.papers.varshney2022 import setting as designs
from dpdescent.papers.varshney2022.arms import Choice, dp_ssgd
from dpdescent.papers.varshney2022.setting import Part
from dpdescent.privacy import shuffling, zcdp
from dpdescent.privacy.events import DisjointReleases, Mechanism
from dpdescent.randomness import stream
from dpdescent.replication.build import tables
from dpdescent.replication.configuration import project
from dpdescent.replication.ledger import entries as ledger

PAPER = "varshney2022"
committed = partial(of.committed, PAPER)
printed = partial(of.printed, PAPER)

PROJECT = project.load({"scale": "quick", "seed": 3, "papers": [PAPER]}, Path(__file__).parents[2])
ARTEFACTS = PROJECT.papers[PAPER].artefacts

Spec = dict[str, Any]

OURS, PUBLISHED, FIXED, QUANTILE = "DP-AMBSSGD", "DP-AMBSSGD (as published)", "fixed clip", "DP-AMBSSGD (q = 0.9)"
SSGD, OLS, ADA, ADA_TIGHT = "DP-SSGD", "OLS", "AdaSSP", "AdaSSP (bound 1.2 sqrt d)"
GD, GD_ADAPTIVE = "DP-GD", "DP-GD (adaptive)"
EPS, DELTA = 1.0, 1e-6
RISKS = {OURS, QUANTILE, PUBLISHED, FIXED, OLS, ADA, GD, GD_ADAPTIVE}
SIZE = {"cell": {"N": 1600, "d": 3}}
# Sizes at which an experiment takes milliseconds.
SMALL: dict[str, dict[str, dict[str, Any]]] = {
    "alg_stat": {"cell": {"s": 60}, "arms": {"levels": [6, 20], "alpha": [0.5, 4.2], "draws": 7}},
    "clip_path": {"cell": {"N": 1600, "d": 3, "kappa": 2.0}},
    "risk_vs_n": {"cell": {"N": [800, 1600], "d": 3}, "arms": {"sigma": [1.0, 0.0]}},
    "risk_vs_sigma": {"cell": {"N": 1600, "d": 3}, "arms": {"sigma": [0.3, 0.0]}},
    "risk_vs_eps": {"cell": {"N": 1600, "d": 3, "eps": [0.5, 8.0]}, "arms": {"sigma": [0.1]}},
    "risk_vs_d": {"cell": {"d": 3, "n_over_d": [300, 500]}},
    "risk_vs_kappa": {"cell": {"N": 1600, "d": 3, "kappa": 2.0}, "arms": {"T": [8, 16]}},
    "sample_complexity": {"cell": {"d": 3}, "arms": {"draws": 2, "grid": [200, 20000, 4]}},
    "ssgd": {"cell": {"N": 600, "d": 2}},
    "bound_vs_run": {"cell": {"N": [800], "d": [2, 3]}, "arms": {"sigma": [0.1]}},
    "step_size": {"cell": {"N": [800, 1600], "d": 3}, "arms": {"T": [2, 8]}},
    "feasibility": {"cell": {"d": [2, 10]}, "arms": {"c1": [1, 400]}},
    "tails": SIZE,
    "ablation": {"cell": {"N": 24_000, "d": 3}},
    "multiplier": {"cell": {"eps": [0.1, 8.0], "delta": [1e-4, 1e-6]}, "arms": {"N": [3000]}},
    "audit": {"cell": {"s": 5}, "arms": {"draws": 400, "steps": [1, 2], "run_draws": 40}},
    "moments": {"cell": {"d": [1, 2, 5]}},
    "ext_orders": {},
    "ext_thresholds": {
        # With each panel's own N, because that alone tells panels apart.
        "cell": {"d": 3},
        "arms": {
            "sigma": [0.1], "iterations": {FIXED: [4, 8], OURS: [8]}, "factor": {FIXED: [0.2, 3.0], OURS: [0.5, 1.25]}
        },
    },
    "ext_privacy": {"cell": {"N": [1600], "d": 3}},
    "ext_large": {"cell": {"N": [16000], "d": [3]}},
}  # fmt: skip


def released(name: str, spec: Spec) -> list[Any]:
    """The ledger's entries of a part; a formula has none."""
    module, _, function = ARTEFACTS[name].releases.partition(":")
    return list(getattr(importlib.import_module(module), function, lambda _: ())(spec))


def panels_of(name: str) -> list[str]:
    return list(dict.fromkeys(part.spec["panel"] for part in ARTEFACTS[name].parts))


def small(
    name: str, panel: str | None = None, trials: tuple[int, int] = (0, 1), variant: str = "main", **changes: Any
) -> Spec:
    """The first part of a panel at a small size, with other values in its cell, arms or settings."""
    every = (part for part in ARTEFACTS[name].parts if part.spec["variant"] == variant)
    part = next(part for part in every if panel in (None, part.spec["panel"]))
    spec: Spec = json.loads(part.json()) | {"trials": list(trials)}
    for section in ("cell", "arms", "settings"):
        spec[section] = spec[section] | SMALL.get(name, {}).get(section, {}) | changes.get(section, {})
    return spec


def rows_of(name: str, spec: Spec) -> pd.DataFrame:
    return pd.DataFrame(list(pkgutil.resolve_name(ARTEFACTS[name].run)(spec)))


def ledger_of(name: str, *specs: Spec) -> pd.DataFrame:
    arms = [arm for spec in specs for arm in released(name, spec)]
    return pd.DataFrame(ledger.rows(PAPER, name, arms))


def values(table: pd.DataFrame, *index: str) -> "pd.Series[float]":
    return table.set_index(list(index))["value"]


# What every experiment returns

EXACT = ["table_bounds", "feasibility", "multiplier", "moments", "ext_orders"]
DRAWN = [name for name in ARTEFACTS if name not in EXACT]
# Series that are computed once, whatever the trial.
ONCE = {"risk_vs_kappa": {"no noise"}, "ssgd": {"SGD"}}


@pytest.mark.parametrize("name", ARTEFACTS)
def test_rows_hold_what_the_table_declares_and_nothing_else(name: str) -> None:
    artefact = ARTEFACTS[name]
    parts = [rows_of(name, small(name, panel, (0, 2))).assign(variant="main") for panel in panels_of(name)]
    rows = pd.concat(parts)
    assert set(rows) == {*artefact.keys, *artefact.measures, "series", "trial", "value", "variant"}
    assert set(rows["series"]) == set(committed().tables[name].query("variant == 'main'")["series"])
    # One case of the printed step diverges, which is what it is there to show.
    assert rows["value"].notna().all()
    assert np.isfinite(rows.loc[rows.get("step", rows["series"]) != "Corollary 3.3", "value"]).all()
    table = tables.summarise(parts, artefact.keys, artefact.measures)
    assert not table.duplicated([*artefact.keys, "series"]).any()
    once = table["series"].isin(ONCE.get(name, set())) | (name in EXACT)
    assert (table.loc[once, "trials"] == 1).all()
    # A goal may be out of the grid's reach in one trial of two.
    assert name == "sample_complexity" or (table.loc[~once, "trials"] == 2).all()


@pytest.mark.parametrize(("name", "panel"), [("risk_vs_n", "epsilon = 1"), ("risk_vs_n", "DP-SSGD"), ("tails", "all")])
def test_log_ratios_are_of_two_risks_of_one_trial(name: str, panel: str) -> None:
    rows = rows_of(name, small(name, panel, (0, 2), cell={"N": 1600}))
    risks = rows[~rows["series"].str.startswith("log of ")]
    found = 0
    for _, row in rows[rows["series"].str.startswith("log of ")].iterrows():
        upper, lower = row["series"].removeprefix("log of ").split(" over ")
        same = risks[(risks["trial"] == row["trial"]) & (risks["N"] == row["N"])]
        at = same["sigma"] == (0.0 if upper.endswith(" at sigma = 0") else row["sigma"])
        above = same[at & (same["series"] == upper.removesuffix(" at sigma = 0"))]
        below = same[(same["sigma"] == row["sigma"]) & (same["series"] == lower)]
        if name == "tails":
            below = below[below["factor"] == row["factor"]]
        assert row["value"] == pytest.approx(math.log(above["value"].item() / below["value"].item()), rel=1e-12)
        found += 1
    assert found >= 2


def test_log_ratios_of_one_run_are_of_its_own_steps_levels_and_iterations() -> None:
    kappa = rows_of("risk_vs_kappa", small("risk_vs_kappa"))
    by_steps = kappa.query("series == @OURS").set_index("T")["value"]
    for T, value in kappa.query("series == 'log of T = c kappa over T'").set_index("T")["value"].items():
        assert value == pytest.approx(math.log(by_steps[16] / by_steps[T]), abs=1e-12)
    ablation = rows_of("ablation", small("ablation"))
    factors = ablation.query("choice == 'factor' and series == @OURS").set_index("level")["value"]
    logs = ablation.query("series == 'log of log^a N over the level'").set_index("level")["value"]
    assert set(logs.index) == set(factors.index) - {"log^a N"}
    assert logs["1"] == pytest.approx(math.log(factors["log^a N"] / factors["1"]), rel=1e-12)
    path = rows_of("clip_path", small("clip_path")).query("sigma == 0.1").set_index(["series", "t"])["value"]
    for t in range(1, 16):
        zeta = path["zeta", t]
        assert path["log of zeta over the first", t] == pytest.approx(math.log(zeta / path["zeta", 0]), abs=1e-12)
        before = math.log(zeta / path["zeta", t - 1])
        assert path["log of zeta over the one before", t] == pytest.approx(before, abs=1e-12)
        scale = math.log(zeta / path["claimed scale", t])
        assert path["log of zeta over claimed scale", t] == pytest.approx(scale, abs=1e-12)


def test_the_best_of_the_grid_is_what_runs_again_on_other_records() -> None:
    table = committed().tables["ext_thresholds"]
    for part in ARTEFACTS["ext_thresholds"].parts:
        for sigma, *chosen in part.spec["cell"].get("best", []):
            rows = table[(table["N"] == part.spec["cell"]["N"]) & (table["sigma"] == sigma)]
            best = (rows[rows["series"] == name].sort_values("median").iloc[0] for name in (FIXED, OURS))
            assert chosen == [value for row in best for value in (row["factor"], row["T"])]


@pytest.mark.parametrize("name", EXACT)
def test_what_is_exact_gives_the_committed_table_in_the_first_part_only(name: str) -> None:
    artefact = printed().papers[PAPER].artefacts[name]
    parts = [rows_of(name, part.spec).assign(variant=part.spec["variant"]) for part in artefact.parts]
    made = tables.summarise([part for part in parts if len(part)], artefact.keys, artefact.measures)
    # Empty words of a table that was read are NaN.
    made = made.replace("", math.nan).reset_index(drop=True)
    pd.testing.assert_frame_equal(made, committed().tables[name], check_dtype=False, rtol=1e-6)
    assert rows_of(name, small(name, trials=(1, 3))).empty


QUICKER = {
    "ssgd": {"cell": {"steps": [0.0002, "practical"]}},
    "bound_vs_run": {"cell": {"d": [3]}},
    "ablation": {
        "cell": {"N": 4000},
        "arms": {"choices": {"rule": ["corrected", "q = 0.9"], "grid": ["random offset"], "iterations": ["4"]}},
    },
}  # fmt: skip


def drawn_panels() -> list[tuple[str, str]]:
    skipped = {"ssgd": {"no privacy"}}
    return [(name, panel) for name in DRAWN for panel in panels_of(name) if panel not in skipped.get(name, set())]


@pytest.mark.parametrize(("name", "panel"), drawn_panels())
def test_the_cut_into_parts_changes_no_bit(name: str, panel: str) -> None:
    changes = QUICKER.get(name, {}) if panel not in ("Corollary 3.3", "Theorem 3.2") else {}

    def ordered(*ranges: tuple[int, int]) -> list[str]:
        run = pkgutil.resolve_name(ARTEFACTS[name].run)
        rows = (row for ends in ranges for row in run(small(name, panel, ends, **changes)))
        return sorted(str(sorted(row.items())) for row in rows)

    whole = ordered((0, 3))
    assert ordered((0, 1), (1, 3)) == whole
    second = rows_of(name, small(name, panel, (1, 2), **changes))
    assert set(second["trial"]) == {1}
    first = rows_of(name, small(name, panel, (0, 1), **changes))
    if name != "sample_complexity":
        # Trials differ: a stream that forgot the trial's number would give one row twice.
        assert not np.array_equal(first.loc[~first["series"].isin(ONCE.get(name, set())), "value"], second["value"])


@pytest.mark.parametrize("d", [5, 10])
def test_risks_of_a_stream_do_not_depend_on_how_many_there_are(d: int) -> None:
    design = designs.Design.of(d, 1.0, 1.0)
    arms = [dp_ssgd(formulas.Parameters(1e-3 * (1 + i), 3.0, 1.2), 300) for i in range(3)]

    def together(first: int, last: int) -> Any:
        part = Part.of(small("ssgd", trials=(first, last)) | {"seed": 1})
        return descents.single_passes(part, design, 300, [0.1] * 3, arms)[0]

    cut = np.concatenate([together(0, 2), together(2, 3), together(3, 6)], axis=1)
    np.testing.assert_array_equal(together(0, 6), cut)
    estimates = np.random.default_rng(2).standard_normal((7, d))
    np.testing.assert_array_equal(design.risk(estimates), [design.risk(each) for each in estimates])


@pytest.mark.parametrize("series", sorted(RISKS))
def test_an_arm_does_not_depend_on_which_others_run(series: str) -> None:
    def rows(wanted: list[str]) -> list[float]:
        table = rows_of("risk_vs_n", small("risk_vs_n", "epsilon = 1", (0, 2), arms={"series": wanted}))
        return list(table.loc[table["series"] == series, "value"])

    every = [OLS, OURS, QUANTILE, PUBLISHED, FIXED, ADA, GD, GD_ADAPTIVE]
    assert rows([series]) == rows(every)
    assert len(rows([series])) == 8


def test_variants_and_label_noise_share_their_draws() -> None:
    main = rows_of("risk_vs_sigma", small("risk_vs_sigma", arms={"sigma": [0.3]}))
    both = rows_of("risk_vs_sigma", small("risk_vs_sigma"))
    # BLAS changes last bits with the number of columns of labels.
    assert list(main["value"]) == pytest.approx(list(both.loc[both["sigma"] == 0.3, "value"]), rel=1e-11)
    levels = rows_of("risk_vs_sigma", small("risk_vs_sigma", arms={"series": [OLS]}, settings={"levels": 30}))
    assert list(levels["value"]) == list(both.loc[both["series"] == OLS, "value"])


# Twins


def exact_multiplier(eps: float, delta: float) -> float:
    """alpha of the Gaussian mechanism that is exactly (eps, delta)-DP."""

    def excess(mu: float) -> float:
        return float(ndtr(mu / 2 - eps / mu) - math.exp(eps) * ndtr(-mu / 2 - eps / mu)) - delta

    return 1.0 / float(brentq(excess, 1e-4, 20.0, xtol=1e-15, rtol=1e-14))


def clipped(gradient: np.ndarray, zeta: float) -> np.ndarray:
    norm = float(np.linalg.norm(gradient))
    return gradient * min(1.0, zeta / norm) if norm > 0 else gradient


def algorithm_3(
    residuals: np.ndarray, B: float, L: int, alpha: float, normals: np.ndarray, s: int, enough: float
) -> float:
    """gamma by doubling, the noise of every count of sd alpha sqrt(L); s - 0 is `enough` as printed."""
    assert s > 0
    for i in range(L):
        gamma = B / 2.0 ** (L - i)
        count = sum(abs(r) <= gamma for r in residuals)
        if count + alpha * math.sqrt(L) * normals[i] >= enough:
            return gamma
    return B


def algorithm_2(X: np.ndarray, y: np.ndarray, order: np.ndarray, given: dict[str, Any]) -> dict[str, Any]:
    """One record after another; `given` has the paper's letters."""
    T, s, L, alpha = (given[name] for name in ("T", "s", "L", "alpha"))
    m, b, w = len(X) // T, len(X) // T - s, np.zeros(X.shape[1])
    path, zetas, shares = [], [], []
    for t in range(T):
        batch = order[t * m : (t + 1) * m]
        stat = batch[: s + given["overlap"]]
        zeta = given.get("zeta")
        if zeta is None:
            r = np.array([y[i] - X[i] @ w for i in stat])
            zeta = given["scale"] * algorithm_3(r, given["B"], L, alpha, given["h"][t], s, given["enough"])
        gradients = [X[i] * (X[i] @ w - y[i]) for i in batch[s:]]
        shares.append(np.mean([np.linalg.norm(each) > zeta for each in gradients]))
        mean = np.mean([clipped(each, zeta) for each in gradients], axis=0)
        w = w - given["eta"] * (mean + 2 * alpha * zeta / b * given["g"][t])
        path.append(w)
        zetas.append(zeta)
    return {"w": np.mean(path[T - T // 2 :], axis=0), "zeta": zetas, "clip": float(np.mean(shares))}


def fixed_threshold(kind: str, lam: np.ndarray, sigma: float, N: int) -> float:
    """Three times the size of a gradient at w = 0, or four fifths of |x| |y| at bounds that hold for all records."""
    if kind == "gradient":
        return 3 * math.sqrt(lam.sum() * (1 + sigma**2))
    log = math.log(N)
    norm = math.sqrt(lam.sum() + 2 * math.sqrt(lam @ lam * log) + 2 * lam.max() * log)
    return 0.8 * norm * math.sqrt(2 * (1 + sigma**2) * log)


def role(spec: Spec, place: str, trial: int, name: str) -> np.random.Generator:
    return stream(spec["seed"], PAPER, place, "trial", trial, name)


@pytest.mark.parametrize(("kappa", "threshold"), [(1.0, "gradient"), (2.0, "all records")])
def test_dp_ambssgd_is_algorithm_2(kappa: float, threshold: str) -> None:
    """As we run it, as printed, and with a fixed threshold: all constants written out here."""
    N, d, sigma, trial, L = 4000, 3, 0.1, 1, 6
    settings = {"levels": L, "threshold": threshold}
    changes = {"cell": {"N": N, "d": d, "kappa": kappa}, "arms": {"sigma": [1.0, sigma]}, "settings": settings}
    spec = small("risk_vs_n", "epsilon = 1", (trial, trial + 1), **changes)
    rows = rows_of("risk_vs_n", spec)
    rows = rows[rows["sigma"] == sigma].set_index("series")
    place, T = f"N={N}_d={d}_kappa={kappa:g}", int(8 * kappa)
    lam = np.ones(3) if kappa == 1 else 3 * np.array([2, 2**0.5, 1]) / (3 + 2**0.5)
    rng = role(spec, place, trial, "data")
    X, z = rng.standard_normal((N, d)) * np.sqrt(lam), rng.standard_normal(N)
    w_star = np.full(3, 3**-0.5)
    y = X @ w_star + sigma * z
    order = role(spec, place, trial, "permutation").permutation(N)
    noise = role(spec, place, trial, "noise")
    g, h = noise.standard_normal((T, d)), noise.standard_normal((T, L))
    log = math.log(N) ** 0.5
    R_x, m, ours = math.sqrt(3 + 2 * lam[0]), N // T, exact_multiplier(EPS, DELTA)
    K = ours * math.sqrt(L) * math.sqrt(2 * math.log(L))
    s = max(round(m / 11), math.ceil(4 * K))
    published = {"s": round(m / 11), "alpha": math.sqrt(8 * math.log(1 / DELTA)), "overlap": 1}
    R2 = R_x**2
    B = 2**0.5 * (1 + sigma) * log
    arms = {
        OURS: {"s": s, "alpha": ours, "overlap": 0, "B": B, "scale": R_x * 1.25, "enough": s - K},
        QUANTILE: {"s": s, "alpha": ours, "overlap": 0, "B": B, "scale": R_x * 1.25, "enough": 0.9 * s},
        PUBLISHED: published | {"B": B * R_x * log, "scale": R_x * log, "enough": published["s"]},
        FIXED: {"s": 0, "alpha": ours, "overlap": 0, "zeta": fixed_threshold(threshold, lam, sigma, N)},
    }
    for series, given in arms.items():
        b = m - given["s"]
        eta = b / (R2 + (b - 1) * lam[0])
        found = algorithm_2(X, y, order, given | {"T": T, "L": L, "g": g, "h": h, "eta": eta})
        row = rows.loc[series]
        assert row["value"] == pytest.approx(0.5 * lam @ (found["w"] - w_star) ** 2, rel=1e-9), series
        assert (row["zeta_first"], row["zeta_last"]) == pytest.approx((found["zeta"][0], found["zeta"][-1]), rel=1e-12)
        assert (row["clip_fraction"], row["T"]) == (pytest.approx(found["clip"], abs=1e-12), T)
    # The thresholds are not all the top of the grid, and something is clipped.
    assert rows.loc[OURS, "zeta_last"] < 0.6 * B * R_x * 1.25
    assert rows["clip_fraction"].max() > 0.0


@pytest.mark.parametrize("threshold", ["gradient", "all records"])
def test_dp_gd_meets_every_record_in_every_step(threshold: str) -> None:
    N, d, sigma, T, L = 1200, 2, 0.1, 8, 5
    spec = small(
        "risk_vs_n", "epsilon = 1", cell={"N": N, "d": d}, arms={"sigma": [sigma], "series": [GD, GD_ADAPTIVE]},
        settings={"levels": L, "threshold": threshold},
    )  # fmt: skip
    rows = rows_of("risk_vs_n", spec).set_index("series")
    place, w_star = f"N={N}_d={d}_kappa=1", np.full(2, 0.5**0.5)
    rng = role(spec, place, 0, "data")
    X, z = rng.standard_normal((N, d)), rng.standard_normal(N)
    y, alpha, log = X @ w_star + sigma * z, exact_multiplier(EPS, DELTA), math.log(N)
    eta = N / (d + 2 + (N - 1))
    zeta_fixed = fixed_threshold(threshold, np.ones(d), sigma, N)

    def descend(g: np.ndarray, a: float, zeta_of: Any) -> tuple[float, float]:
        w, path, shares = np.zeros(d), [], []
        for t in range(T):
            zeta = zeta_of(t, w)
            gradients = [x * (x @ w - each) for x, each in zip(X, y, strict=True)]
            shares.append(np.mean([np.linalg.norm(each) > zeta for each in gradients]))
            mean = np.mean([clipped(each, zeta) for each in gradients], axis=0)
            w = w - eta * (mean + 2 * a * zeta / N * g[t])
            path.append(w)
        # The average of the last half of w_1, ..., w_T.
        return 0.5 * float(((np.mean(path[4:], axis=0) - w_star) ** 2).sum()), float(np.mean(shares))

    # full_batch adds its noise to the iterate, and not to the gradient.
    g = -role(spec, place, 0, "DP-GD").standard_normal((T, d))
    risk, clip = descend(g, alpha * T**0.5, lambda t, w: zeta_fixed)
    assert (rows.loc[GD, "value"], rows.loc[GD, "clip_fraction"]) == (
        pytest.approx(risk, rel=1e-9),
        pytest.approx(clip, abs=1e-12),
    )
    assert rows.loc[GD, "zeta_first"] == rows.loc[GD, "zeta_last"] == pytest.approx(zeta_fixed, rel=1e-12)

    noise = role(spec, place, 0, "DP-GD adaptive")
    g, h = noise.standard_normal((T, d)), noise.standard_normal((T, L))
    search_alpha = alpha * math.sqrt(T / 0.1)
    enough = N - search_alpha * math.sqrt(L) * math.sqrt(2 * math.log(L))
    B, scale = 2**0.5 * (1 + sigma) * log**0.5, math.sqrt(d + 2) * 1.25

    def adaptive(t: int, w: np.ndarray) -> float:
        return scale * algorithm_3(y - X @ w, B, L, search_alpha, h[t], N, enough)

    risk, clip = descend(g, alpha * math.sqrt(T / 0.9), adaptive)
    assert (rows.loc[GD_ADAPTIVE, "value"], rows.loc[GD_ADAPTIVE, "clip_fraction"]) == (
        pytest.approx(risk, rel=1e-9),
        pytest.approx(clip, abs=1e-12),
    )
    # zeta changes on the way, so that the search is alive.
    assert rows.loc[GD_ADAPTIVE, "zeta_last"] < rows.loc[GD_ADAPTIVE, "zeta_first"]


def test_a_random_grid_is_shifted_by_a_public_offset_of_the_trial() -> None:
    N = 4000
    spec = small("risk_vs_n", "epsilon = 0.2", (0, 2), "random grid", cell={"N": N}, arms={"sigma": [0.1]})
    rows = rows_of("risk_vs_n", spec)
    fixed = rows_of("risk_vs_n", spec | {"settings": spec["settings"] | {"grid": "fixed"}})
    assert set(rows["series"]) == {OURS, QUANTILE}
    top = 2**0.5 * 1.1 * math.log(N) ** 0.5 * math.sqrt(5) * 1.25
    offsets = [role(spec, f"N={N}_d=3_kappa=1", trial, "offset").random() for trial in (0, 1)]
    for table, shifts in ((rows, offsets), (fixed, [0.0, 0.0])):
        for _, row in table.iterrows():
            for zeta in (row["zeta_first"], row["zeta_last"]):
                octaves = math.log2(zeta / top) - shifts[int(row["trial"])]
                assert octaves == pytest.approx(round(octaves), abs=1e-9)
    assert set(rows["value"]).isdisjoint(fixed["value"])


def test_least_squares_is_lapack_s() -> None:
    X, Y = designs.Design.of(5, 4.0, 1.0).draw(80, np.array([1.0, 0.1]), np.random.default_rng(1))
    np.testing.assert_allclose(descents.least_squares(X, Y), np.linalg.lstsq(X, Y, rcond=None)[0].T, rtol=1e-10)


def test_without_clipping_runs_have_their_exact_laws() -> None:
    rows = rows_of("bound_vs_run", small("bound_vs_run", trials=(0, 150), cell={"N": [480], "d": [2]}))
    for (algorithm, kind), group in rows.groupby(["algorithm", "kind"]):
        if kind == "as run":
            continue
        expected = group["expected"].iloc[0]
        se = group["value"].std() / math.sqrt(len(group))
        assert abs(group["value"].mean() - expected) < 4 * se, (algorithm, kind)
        assert se < 0.2 * expected
        assert (group["clip_fraction"] == 0.0).all()
        # Lemmas 3.5 and 3.11, which allow more than happens.
        bound = group["bound_without_logs" if kind == "no clipping, logs 1" else "bound"].iloc[0]
        assert bound > expected
    assert set(rows["kind"]) == {"as run", "no clipping", "no clipping, logs 1"}


def test_runs_without_clipping_are_where_lemma_3_11_covers_them() -> None:
    """All records of a batch make the step and its noise, at the least threshold of the lemma."""
    N, d, sigma, T = 480, 2, 0.1, 8
    spec = small("bound_vs_run", cell={"N": [N], "d": [d]})
    rows = rows_of("bound_vs_run", spec)
    rows = rows[rows["algorithm"] == OURS].set_index("kind")
    m, R2, alpha, log = N // T, d + 2, exact_multiplier(EPS, DELTA), math.log(N)
    eta, width = m / (R2 + m - 1), 2**0.5 * (1 + sigma) * log**0.5 / 2 ** spec["settings"]["levels"]
    case = next(lemmas.cases(spec))
    for kind, logs in (("no clipping", True), ("no clipping, logs 1", False)):
        K2_squared = 2.0
        zeta = math.sqrt(K2_squared * R2) * (log if logs else 1.0) * (sigma + width)
        arm = case.arms[kind].settings
        assert isinstance(arm.clipping, Fixed)
        assert (arm.eta, arm.clipping.threshold) == pytest.approx((eta, zeta), rel=1e-12)
        assert not arm.clipping.clips
        # Of H = I one coordinate stands for all; (x'e)^2 x_i^2 has mean (d + 2) v.
        v, moments, noise = 1 / d, [], (2 * alpha * zeta / m) ** 2
        for _ in range(T):
            v = v * (1 - 2 * eta + eta**2 * ((m - 1) / m + R2 / m)) + eta**2 * (sigma**2 / m + noise)
            moments.append(v)
        half = range(T // 2, T)
        total = sum(moments[i] * (1 - eta) ** (j - i) * (1 if j == i else 2) for i in half for j in range(i, T))
        assert rows.loc[kind, "expected"] == pytest.approx(0.5 * d * total / (T // 2) ** 2, rel=1e-9), kind
        setting = ambssgd.Setting(
            designs.Design.of(d, 1.0, 1.0).problem(N, sigma), T, m, eta, alpha, width=width, logs=logs
        )  # fmt: skip
        column, other = ("bound", "bound_without_logs") if logs else ("bound_without_logs", "bound")
        assert rows.loc[kind, column] == pytest.approx(ambssgd.lemma_3_11(setting), rel=1e-12)
        assert math.isnan(rows.loc[kind, other])


def test_dp_ssgd_in_the_own_regime_has_its_exact_law() -> None:
    changes = {"cell": {"N": 400, "d": 2, "eps": 2.0, "steps": [0.00003, "practical"], "zeta_factors": [100.0]}}
    rows = rows_of("ssgd", small("ssgd", "own regime", (0, 150), **changes))
    for _, group in rows.groupby("step"):
        # A factor of 100 clips nothing.
        assert (group["clip_fraction"] == 0.0).all()
        se = group["value"].std() / math.sqrt(len(group))
        assert abs(group["value"].mean() - group["expected"].iloc[0]) < 4 * se
        delta = group["delta"].iloc[0]
        assert shuffling.epsilon(float(group["alpha"].iloc[0]), 400, delta) == pytest.approx(2.0, rel=1e-6)
    step = rows.drop_duplicates("step").set_index("step")["eta"]
    zeta_squared, alpha = 100**2 * 2 * 1.01, rows["alpha"].iloc[0]
    assert step["3e-05"] == 0.00003
    assert step["practical"] == pytest.approx(min(1 / 8, 1.01 / (4 * alpha**2 * zeta_squared)), rel=1e-12)


def test_dp_ssgd_averages_the_last_half() -> None:
    """Without noise the start decays fast: another length of the average would show."""
    N, design = 200, designs.Design.of(2, 1.0, 1.0)
    spec = small("ssgd", "own regime", (0, 60))
    arm = dp_ssgd(formulas.Parameters(0.01, 1e3, 0.0), N)
    risks, clipped = descents.single_passes(Part.of(spec), design, N, [0.0], [arm])
    # One coordinate for all: (x'e)^2 x_i^2 has mean 4 v, and w_1, ..., w_N come after the start.
    v, total = [0.5 * (1 - 2 * 0.01 + 4 * 0.01**2) ** t for t in range(1, N + 1)], 0.0
    for i in range(N // 2, N):
        total += sum(v[i] * 0.99 ** (j - i) * (1 if j == i else 2) for j in range(i, N))
    expected = 0.5 * 2 * total / (N // 2) ** 2
    assert np.all(clipped == 0.0)
    assert abs(risks.mean() - expected) < 4 * risks.std() / math.sqrt(60) < 0.4 * expected


# Designs


@pytest.mark.parametrize(("d", "kappa"), [(1, 1.0), (2, 7.0), (10, 16.0), (50, 1.0)])
def test_spectrum_and_optimum(d: int, kappa: float) -> None:
    lam = designs.spectrum(d, kappa)
    assert (lam.sum(), lam.max() / lam.min()) == (pytest.approx(d, rel=1e-13), pytest.approx(kappa, rel=1e-13))
    assert np.allclose(np.diff(np.log(lam)), -math.log(kappa) / max(1, d - 1), rtol=1e-10, atol=1e-14)
    w = designs.true_w(lam, 0.7)
    assert math.sqrt(lam @ w**2) == pytest.approx(0.7, rel=1e-13)
    assert np.ptp(w) == 0.0


LAWS = {
    "normal": stats.norm(), "Laplace": stats.laplace(scale=0.5**0.5), "Student t5": stats.t(5, scale=0.6**0.5),
    "dependent noise": stats.norm(),
}  # fmt: skip


@pytest.mark.parametrize("law", LAWS)
def test_laws_of_records(law: str) -> None:
    n, design = 60_000, designs.Design.of(2, 3.0, 1.0, law)
    X, Y = design.draw(n, np.array([0.5, 2.0]), np.random.default_rng(3))
    u, z = X / np.sqrt(design.lam), (Y - (X @ design.w_star)[:, None]) / np.array([0.5, 2.0])
    np.testing.assert_allclose(z[:, 0], z[:, 1], rtol=1e-6, atol=1e-10)
    z = z[:, 0]
    assert LAWS[law].var() == pytest.approx(1.0, rel=1e-12)
    independent = z / np.abs(u[:, 0]) if law == "dependent noise" else z
    for column in (u[:, 0], u[:, 1], independent):
        assert stats.kstest(column, LAWS[law].cdf).pvalue > 1e-3
    # E z^2 = 1 and E z x = 0, with fourth and eighth moments of heavy tails in the error.
    assert (z**2).mean() == pytest.approx(1.0, abs=0.05)
    assert np.abs((z[:, None] * u).mean(0)).max() < 5 * math.sqrt(3 / n)
    assert np.abs((u[:, 0] * u[:, 1]).mean()) < 5 / math.sqrt(n)
    weighted = (z**2 * u[:, 0] ** 2).mean()
    assert weighted == pytest.approx(3.0 if law == "dependent noise" else 1.0, rel=0.1)
    if law != "Student t5":
        # That of Student's t has no error: its estimate does not settle.
        assert (u**4).mean() == pytest.approx(designs.FOURTH_MOMENT[law], rel=0.06)
    assert stats.t(5).stats("k") + 3 == designs.FOURTH_MOMENT["Student t5"]


@pytest.mark.parametrize("law", LAWS)
def test_tails_draws_the_law_that_it_names(law: str) -> None:
    spec = small("tails", cell={"law": law, "N": 1600, "d": 2})
    rows = rows_of("tails", spec)
    place = "N=1600_d=2_kappa=1" + ("" if law == "normal" else f"_{law}")
    X, Y = designs.Design.of(2, 1.0, 1.0, law).draw(1600, np.array([0.1]), role(spec, place, 0, "data"))
    w = np.linalg.lstsq(X, Y[:, 0], rcond=None)[0]
    assert rows[rows["series"] == OLS]["value"].item() == pytest.approx(0.5 * ((w - 0.5**0.5) ** 2).sum(), rel=1e-6)
    own = values(rows[rows["series"] == OURS].assign(value=lambda table: table["zeta_first"]), "factor")
    # At equal thresholds of residuals zeta grows as its factor.
    a = 1.0 if law == "Laplace" else 0.5
    assert own["2"] / own["1"] == pytest.approx(2.0, rel=1e-12)
    assert own["log^a N"] / own["1"] == pytest.approx(math.log(1600) ** a, rel=1e-12)


# Choices


def main_choice(N: int) -> Choice:
    part = Part.of(small("risk_vs_n", "epsilon = 1"))
    return Choice.of(part, designs.Design.of(3, 1.0, 1.0), N, 0.1, eps=EPS, T=8)


def test_sizes_of_the_statistic() -> None:
    """Half of a batch, the guard, and b/10, as N grows; as printed b/10 always."""
    guard = math.ceil(4 * exact_multiplier(EPS, DELTA) * math.sqrt(20) * math.sqrt(2 * math.log(20)))
    assert [main_choice(N).s for N in (1600, 8000, 80_000)] == [100, guard, 909]
    for N in (161, 1600, 8000, 80_000):
        for each in (main_choice(N), main_choice(N).published()):
            assert each.s + each.b == each.batch == N // 8
            assert 0 < each.s <= each.batch // 2
        assert abs(each.s - each.b / 10) <= 0.55


def test_every_level_of_the_ablation_changes_what_it_says() -> None:
    spec = small("ablation")
    found = choices.choices_of(spec, 0.25)
    main, N = found["rule", "corrected"], spec["cell"]["N"]
    assert set(found) == {(choice, level) for choice, levels in spec["arms"]["choices"].items() for level in levels}
    levels = math.ceil(200 * math.log2(N))
    alone: dict[tuple[str, str], dict[str, Any]] = {
        ("noise multiplier", "exact"): {}, ("grid", "fixed"): {}, ("factor", "1.25"): {}, ("doublings", "20"): {},
        ("iterations", "8"): {}, ("noise multiplier", "as published"): {"multiplier": math.sqrt(8 * math.log(1e6))},
        ("grid", "random offset"): {"offset": 0.25}, ("doublings", "as published"): {"levels": levels},
        ("doublings", "133"): {"levels": 133}, ("statistic", "25"): {"stat_size": 25}, ("iterations", "64"): {"T": 64},
        **{("tail", level): {} for level in ("0.25", "0.5", "0.75", "last iterate")},
        **{("rule", level): {"rule": level} for level in ("as published", "q = 0.9", "q = 0.95", "q = 0.99")},
    }  # fmt: skip
    for key, changes in alone.items():
        wanted = replace(main, **changes)
        # Factors are written as text, which means the same number.
        assert replace(found[key], factor=float(found[key].factor)) == wanted, key
    assert found["factor", "log^a N"].factor == "log^a N"
    assert [found["statistic", level].s for level in ("25", "400", "2500")] == [25, 400, 2500]
    printed = [found["printed, one by one", level] for level in spec["arms"]["choices"]["printed, one by one"]]
    assert printed[0] == main
    # The last two steps give the printed arm of the other artefacts, but for Delta.
    assert replace(printed[-1], levels=20) == main.published()
    assert (printed[-1].levels, printed[-2].levels) == (levels, 20)
    changed = [
        {each.name for each in fields(Choice) if each.init and getattr(after, each.name) != getattr(before, each.name)}
        for before, after in itertools.pairwise(printed)
    ]
    assert changed == [{"multiplier"}, {"rule"}, {"factor"}, {"overlap", "guard"}, {"levels", "wide"}]


def test_tails_of_the_ablation_average_one_path() -> None:
    rows = values(rows_of("ablation", small("ablation")).query("series == @OURS"), "choice", "level")
    assert rows["tail", "0.5"] == pytest.approx(rows["rule", "corrected"], rel=1e-12)
    assert rows["noise multiplier", "exact"] == rows["rule", "corrected"] == rows["printed, one by one", "none"]
    assert rows["tail"].nunique() == 4
    path = np.arange(16.0).reshape(8, 2)
    assert descents.tail_average(path, 0.25).tolist() == [13.0, 14.0]
    assert descents.tail_average(path, 0.75).tolist() == path[2:].mean(0).tolist()
    assert descents.tail_average(path, 0.01).tolist() == [14.0, 15.0]


@pytest.mark.parametrize(("T", "tail", "kept"), [(8, 0.5, 4), (9, 0.5, 4), (1, 0.5, 1), (100, 0.29, 29), (3, 1.0, 3)])
def test_length_of_the_tail_is_the_engine_s(T: int, tail: float, kept: int) -> None:
    """0.29 of 100 is 29, which a product of floating numbers misses."""
    rng = np.random.default_rng(7)
    batches = [(rng.standard_normal((4, 2)), rng.standard_normal((4, 1))) for _ in range(T)]
    normals = Normals.draw(rng, T, 2, 1)
    runs = descend(batches, [SGDArm(0.1, 0.5, Fixed(1.0), 0)], normals, tail)
    np.testing.assert_allclose(runs.average[0], runs.path[T + 1 - kept :, 0].mean(0), rtol=1e-12)
    np.testing.assert_allclose(runs.average[0], descents.tail_average(runs.path[1:, 0], tail), rtol=1e-12)


# Privacy

CLAIMED = {OURS, QUANTILE, FIXED, SSGD, GD, GD_ADAPTIVE, ADA}


def _told(arm: str) -> float:
    """The epsilon that an arm's name ends with, or has before its delta."""
    return float(arm.rsplit("eps=", 1)[1].split(" delta=")[0])


@cache
def ledgers() -> pd.DataFrame:
    """All entries, beside the epsilon that their part asks for; where it has several, the arm is told which."""
    names = [name for name in ARTEFACTS if released(name, small(name))]
    assert {*ARTEFACTS} - {*names} == set(EXACT)
    tables = []
    for name in names:
        for spec in (small(name, panel) for panel in panels_of(name)):
            eps = spec["cell"].get("eps", spec["settings"].get("eps"))
            found = ledger_of(name, spec)
            told = [_told(arm) if isinstance(eps, list) or "budgets" in spec["cell"] else eps for arm in found["arm"]]
            told = [
                spec["arms"]["run_eps"] if "whole runs" in arm else each
                for arm, each in zip(found["arm"], told, strict=True)
            ]
            assert not isinstance(eps, list) or set(told) == set(eps)
            tables.append(found.assign(asked=told))
    return pd.concat(tables, ignore_index=True)


def test_arms_spend_exactly_what_they_are_asked_for() -> None:
    proved = ledgers()[ledgers()["mechanism"].isin(CLAIMED) & (ledgers()["guarantee"] == "proved")]
    # What has printed noise is judged below.
    exact = proved[proved["eps_paper"] == ""]
    assert set(exact["mechanism"]) == CLAIMED
    eps, tight = (exact[name].astype(float) for name in ("asked", "eps_tight"))
    for _, row in exact[(tight - eps).abs() >= 1e-6 * eps].iterrows():
        # Where amplification ends, epsilon jumps: with a little less noise it is above what is asked for.
        alpha, N = row_multiplier(row) * (1 - 1e-6), int(row["releases"].split(" x ")[0])
        assert row["mechanism"] == SSGD, row["arm"]
        assert shuffling.epsilon(alpha, N, row["delta"]) > row["asked"], row["arm"]
    assert ((tight - eps).abs() < 1e-6 * eps).mean() > 0.97
    assert (tight <= eps * (1 + 1e-9)).all()
    assert set(exact["relation"]) == {"replace-one"}
    assert {0.5, 1.0, 8.0, 0.2} <= set(eps)
    assert (ledgers().loc[ledgers()["guarantee"] == "proved", "eps_tight"] != "").all()


def test_only_printed_noise_has_a_claim() -> None:
    """An epsilon is the paper's with its noise multiplier, or with all of Corollary 3.3, and ours everywhere else."""
    claims = ledgers()["eps_paper"] != ""
    methods = ledgers()["mechanism"].isin([OURS, QUANTILE, PUBLISHED]) & (ledgers()["guarantee"] == "proved")
    for _, row in ledgers()[methods].iterrows():
        sd, sensitivity = (float(str(row[name]).split("; ")[-1]) for name in ("noise_sd", "sensitivity"))
        alpha = math.sqrt(8 * math.log(1 / row["delta"])) / row["asked"]
        printed = math.isclose(sd / sensitivity, alpha, rel_tol=1e-9)
        assert (row["eps_paper"] == row["asked"]) if printed else (row["eps_paper"] == ""), row["arm"]
    own = ledgers()[methods & claims & (ledgers()["mechanism"] != PUBLISHED)]["arm"].str.removeprefix("main: ")
    steps = ["noise multiplier", "rule", "factor", "overlap", "Delta"]
    assert set(own) == {"noise multiplier, as published", *(f"printed, one by one, + {step}" for step in steps)}
    louder = replace(main_choice(1600), multiplier=2 * math.sqrt(8 * math.log(1e6)))
    assert louder.arm().mechanism.claimed_eps_delta is None
    rest = ledgers()[claims & ~methods & ~ledgers()["mechanism"].str.startswith("DP-STAT")]
    assert rest["arm"].str.contains("Corollary 3.3").tolist() == [True]
    assert set(rest["mechanism"]) == {SSGD}


Parts = tuple[tuple[tuple[float, ...], ...], ...]


def listed(event: Mechanism) -> Parts:
    """(sensitivity, noise, count) of the releases that a record of each part of the data meets."""
    if not event.releases:
        return ()
    (first, *_) = event.releases
    parts: Any = first.parts if isinstance(first, DisjointReleases) else (event.releases,)
    return tuple(tuple((each.sensitivity, each.noise_sd, each.count) for each in part) for part in parts)


class Engines:
    """Notes what engines are given, in the form of `listed`; nothing is private without clipping."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.received: list[Parts] = []
        self.inside = False
        spies = [
            (dp_ambssgd, "descend", self.mini_batches), (dp_gd, "descend", self.full_batch),
            (dp_ftrl, "regression", self.stream), (ada_ssp_engine, "ada_ssp", self.sums),
            (Search, "select", self.search),
        ]  # fmt: skip
        for owner, name, spy in spies:
            monkeypatch.setattr(owner, name, self._wrapped(getattr(owner, name), spy))

    def _wrapped(self, original: Any, spy: Any) -> Any:
        def called(*args: Any, **more: Any) -> Any:
            # DP-STAT within a descent belongs to its arm.
            if self.inside:
                return original(*args, **more)
            args = (list(args[0]), *args[1:]) if spy == self.mini_batches else args
            spy(*args)
            self.inside = spy == self.mini_batches
            try:
                return original(*args, **more)
            finally:
                self.inside = False

        return called

    def mini_batches(self, batches: list[Any], arms: list[SGDArm], *_: Any) -> None:
        m = len(batches[0][0])
        times = sum(X is batches[0][0] for X, _ in batches)
        assert times in (1, len(batches))
        for arm in arms:
            clipping = arm.clipping
            if isinstance(clipping, Fixed):
                found: Parts = ((mean_of(m, clipping.threshold, arm, times),),) if clipping.clips else ()
            else:
                b = m if clipping.shared else m - clipping.stat_size
                stat, mean = counts_of(clipping.search, times), mean_of(b, 1.0, arm, times)
                found = ((stat, mean),) if clipping.shared or clipping.overlap else ((stat,), (mean,))
            self.received.append(found)

    def full_batch(self, samples: Any, arms: dp_gd.DPGDArms, *_: Any) -> None:
        (sample,) = samples
        for gamma, sd in zip(arms.gamma.tolist(), arms.noise_sd.tolist(), strict=True):
            self.received.append((((2 * gamma / sample.n, sd, arms.steps),),))

    def stream(self, lam: Any, arms: dp_ftrl.FTRLArms, start: Any, steps: int, *_: Any) -> None:
        for limit, sd in zip(arms.clip_norm.tolist(), arms.noise_sd.tolist(), strict=True):
            self.received.append((((2 * limit, sd, steps),),) if limit < math.inf else ())

    def sums(self, gram: Any, noise: ada_ssp_engine.Calibration, *_: Any) -> None:
        x, y = noise.bounds.x, noise.bounds.y
        limits = (x**2, 2**0.5 * x**2, 2 * x * y)
        pairs = zip(limits, noise.releases, strict=True)
        self.received.append((tuple((limit, release.noise_sd, 1) for limit, release in pairs),))

    def search(self, search: Search, *_: Any) -> None:
        self.received.append(((counts_of(search, 1),),))


def counts_of(search: Search, times: int) -> tuple[float, ...]:
    return 1.0, search.noise_multiplier * math.sqrt(search.levels), search.levels * times


def mean_of(b: int, zeta: float, arm: SGDArm, times: int) -> tuple[float, ...]:
    return 2 * zeta / b, arm.noise_multiplier * 2 * zeta / b, times


def rounded(parts: Parts, stands_in: bool) -> Parts:
    """What is listed for others has their noise in units of its sensitivity only."""
    return tuple(
        tuple((float(f"{sd / size:.10g}"), n) if stands_in else (float(f"{size:.10g}"), float(f"{sd:.10g}"), n)
              for size, sd, n in part) for part in parts
    )  # fmt: skip


def every_panel() -> list[tuple[str, str, str]]:
    parts = [(name, part.spec) for name, artefact in ARTEFACTS.items() for part in artefact.parts]
    return list(dict.fromkeys((name, spec["variant"], spec["panel"]) for name, spec in parts))


@pytest.mark.parametrize(("name", "variant", "panel"), every_panel())
def test_the_ledger_lists_what_engines_receive(
    name: str, variant: str, panel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, engines = small(name, panel, variant=variant), Engines(monkeypatch)
    rows_of(name, spec)
    events = [event for _, event, _ in released(name, spec)]
    stands_in = any(event.stand_in and event.releases for event in events)
    assert stands_in == (name == "sample_complexity")
    found = {rounded(each, stands_in) for each in engines.received}
    entries = {rounded(listed(event), stands_in) for event in events}
    # Least squares is listed as well, and has no engine.
    assert found <= entries
    assert entries - found <= {()}
    assert bool(found) == (name not in EXACT and panel != "no privacy")


def test_counts_of_dp_stat_cost_what_the_paper_says() -> None:
    """Lemma 3.10: 1/(2 alpha^2) whatever L."""
    table = ledgers()[ledgers()["mechanism"] == "DP-STAT"]
    alphas = table["arm"].str.extract(r"alpha=([0-9.]+)")[0].astype(float)
    np.testing.assert_allclose(table["rho"].astype(float), 0.5 / alphas**2, rtol=1e-12)
    claimed = [zcdp.epsilon(0.5 / alpha**2, delta) for alpha, delta in zip(alphas, table["delta"], strict=True)]
    np.testing.assert_allclose(table["eps_paper"].astype(float), claimed, rtol=1e-9)


def test_gaussian_arms_by_the_mechanism_s_own_curve() -> None:
    """mu from noise and sensitivity as the ledger prints them, without the accountant."""
    for _, row in ledgers()[
        ledgers()["mechanism"].isin([OURS, PUBLISHED, FIXED]) & (ledgers()["eps_tight"] != "")
    ].iterrows():
        sd, sensitivity = (
            np.array([float(each) for each in str(row[name]).split("; ")]) for name in ("noise_sd", "sensitivity")
        )
        counts = [float(each.split(" x ")[0].split()[-1]) for each in row["releases"].replace(" | ", " + ").split("+")]
        mu = np.sqrt(np.array(counts)) * sensitivity / sd
        # Disjoint records pay for one of the releases; else for all.
        total = float(mu.max() if "|" in row["releases"] else np.linalg.norm(mu))
        eps = float(row["eps_tight"])
        spent = ndtr(total / 2 - eps / total) - math.exp(eps) * ndtr(-total / 2 - eps / total)
        assert spent == pytest.approx(row["delta"], rel=1e-5), row["arm"]


def test_what_has_no_guarantee_has_none() -> None:
    table = ledgers()
    nothing = table["guarantee"] == "none"
    assert (table.loc[nothing, "eps_tight"] == "").all()
    assert nothing[table["mechanism"].isin([OLS, "SGD"]) | table["arm"].str.contains("without clipping")].all()
    ada = table[table["mechanism"].str.contains("AdaSSP")]
    drawn = ada["arm"].str.contains("Wishart draw|sufficient statistics")
    assert ((ada["guarantee"] == "none") == drawn).all()
    assert 4 <= drawn.sum() < len(drawn)


def test_wishart_draws_and_clipped_records_agree_where_nothing_is_clipped() -> None:
    """At the same law: the panels of one figure must be comparable."""
    changes = {"cell": {"d": 3, "n_over_d": [400]}, "arms": {"sigma": 0.3}}
    found = {
        panel: values(rows_of("risk_vs_d", small("risk_vs_d", panel, (0, 120), **changes)), "series", "trial")[ADA]
        for panel in ("Wishart draw", "records clipped")
    }
    assert stats.ks_2samp(*found.values()).pvalue > 1e-3
    assert np.median(found["Wishart draw"]) > 1e-4


def test_dp_ssgd_s_multiplier_is_the_shuffled_one() -> None:
    table = ledgers()[(ledgers()["mechanism"] == SSGD) & (ledgers()["guarantee"] == "proved")]
    assert len(table) > 8
    for _, row in table.iterrows():
        alpha, N = row_multiplier(row), int(row["releases"].split(" x ")[0])
        assert float(row["eps_tight"]) == pytest.approx(shuffling.epsilon(alpha, N, row["delta"]), rel=1e-6)
    # As printed it is not accounted for: alpha of Corollary 3.3 with the constant 1.
    (printed_arm,) = (row for _, row in table.iterrows() if "Corollary 3.3" in row["arm"])
    N = 600
    eps = math.sqrt(math.log(1e6) / N)
    assert printed_arm["eps_paper"] == pytest.approx(eps, rel=1e-12)
    assert float(printed_arm["eps_tight"]) > eps
    assert row_multiplier(printed_arm) == pytest.approx(math.log(N / 1e-6) / (eps * math.sqrt(N)), rel=1e-12)


def row_multiplier(row: "pd.Series[Any]") -> float:
    return float(row["noise_sd"]) / float(row["sensitivity"])


# DP-STAT


def test_shares_of_thresholds_sum_to_one_and_are_those_of_algorithm_3() -> None:
    trial, s, draws, B = 1, 40, 40, 256.0
    arms = {"levels": [6, 9], "alpha": [0.3, 4.2], "draws": draws, "B": B}
    spec = small("alg_stat", None, (trial, trial + 1), cell={"s": s}, arms=arms)
    rows = rows_of("alg_stat", spec)
    keys = ["levels", "alpha", "rule"]
    shares = rows[rows["series"] == "share"]
    assert set(shares["octaves"]) == set(range(-4, 9))
    assert np.allclose(shares.groupby(keys)["value"].sum(), 1.0)
    r = np.abs(role(spec, f"DP-STAT_s={s}", trial, "residuals").standard_normal((draws, s)))
    normals = role(spec, f"DP-STAT_s={s}", trial, "noise").standard_normal((draws, 9))
    table = values(rows[rows["series"] != "share"], *keys, "series")
    seen = set()
    for (L, alpha, rule), group in shares.groupby(keys):
        sd = alpha * math.sqrt(L)
        lowered = sd * math.sqrt(2 * math.log(L))
        # With beta = 0.01 in the margin.
        lowered *= math.sqrt(math.log(L / 0.01) / math.log(L)) if rule == "corrected, beta" else 1.0
        known = {"as published": s, "corrected": s - lowered, "corrected, beta": s - lowered}
        enough = known[rule] if rule in known else float(rule[4:]) * s
        gamma = np.array([algorithm_3(r[i], B, L, alpha, normals[i], s, enough) for i in range(draws)])
        covering = np.array([min(B / 2.0 ** (L - i) for i in range(L + 1) if B / 2.0 ** (L - i) >= max(x)) for x in r])
        octaves = np.clip(np.round(np.log2(gamma / covering)), -4, 8)
        own = group.set_index("octaves")["value"]
        assert [own[o] for o in range(-4, 9)] == pytest.approx([np.mean(octaves == o) for o in range(-4, 9)], abs=1e-12)
        slack = alpha * math.sqrt(2 * L * math.log(L / 0.01))
        within = np.array([(x <= g).sum() for x, g in zip(r, gamma, strict=True)])
        half = np.array([(x <= max(g / 2, B / 2**L)).sum() for x, g in zip(r, gamma, strict=True)])
        below = np.array([(x <= g / 2).sum() for x, g in zip(r, gamma, strict=True)])
        wanted = {
            "mean ratio": gamma / covering, "mean square ratio": (gamma / covering) ** 2,
            "overshoot": gamma >= 2 * covering, "overshoot by 8": gamma >= 8 * covering,
            "first half": within >= s - slack, "second half": half < s - slack,
            "corrected guarantee": (within >= s - 2 * lowered) & (below < s),
        }  # fmt: skip
        for series, each in wanted.items():
            assert table[L, alpha, rule, series] == pytest.approx(np.mean(each), abs=1e-12), series
        seen |= set(octaves)
    # The case has overshoots and undershoots.
    assert min(seen) < 0 < max(seen)


# Smallest N


def test_the_first_size_of_a_falling_risk_is_found() -> None:
    grid = [10, 20, 40, 80, 160]
    for most in (5, 10, 11, 40, 80, 81, 160):
        first = next(N for N in grid if most <= N)
        assert dimension.first_reached(grid, lambda N, most=most: most <= N) == first
    assert dimension.first_reached(grid, lambda N: N >= 161) is None


@pytest.mark.parametrize("draws", [1, 2, 6, 7])
def test_draws_end_once_all_medians_miss_their_targets(draws: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is reached is what medians of all draws reach, also where a risk is no number."""
    rng, spared = np.random.default_rng(draws), 0
    spec = small("sample_complexity", "one pass", arms={"draws": draws})
    goals = {("a", (0.1, 0.5)), ("a", (0.1, 0.3)), ("b", (0.5, 0.4))}
    for _ in range(300):
        drawn = rng.uniform(0.2, 0.8, (draws, 2))
        drawn[rng.random((draws, 2)) < 0.05] = np.nan
        taken: list[int] = []

        def risks(*_: Any, drawn: np.ndarray = drawn, taken: list[int] = taken) -> Iterator[Any]:
            for own in drawn.tolist():
                taken.append(1)
                yield dict(zip((("a", 0.1), ("b", 0.5)), own, strict=True))

        monkeypatch.setattr(dimension.Scan, "risks", risks)
        medians = dict(zip("ab", np.median(drawn, axis=0), strict=True))
        expected = {(name, goal) for name, goal in goals if medians[name] <= goal[1]}
        assert dimension.Scan(spec).reached(100, 0, goals) == expected
        spared += draws - len(taken)
    assert (spared > 0) == (draws > 2)


def test_the_scan_stops_at_the_first_size_that_is_good_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if a larger one is not: there is nothing monotone about a search that sees noise."""
    cell = {"d": 2, "goals": [[0.5, 0.1], [0.1, 0.1], [0.1, 0.001]]}
    spec = small("sample_complexity", "one pass", cell=cell, arms={"grid": [100, 1600, 5]})
    asked = []

    def risks(scan: dimension.Scan, N: int, trial: int, runs: Any) -> Iterator[Any]:
        asked.append(N)
        jumps = {200: 0.2, 400: 0.09, 800: 0.5, 1600: 0.01, 3200: 0.01}[N]
        series = (OURS, QUANTILE, FIXED)
        own = {(QUANTILE, 0.5): 0.01, (FIXED, 0.1): 0.0005 if N == 1600 else 0.3}
        found = {(name, sigma): jumps for name in series for sigma, _ in scan.goals} | own
        for _ in range(2):
            yield {run: found[run] for run in runs}

    monkeypatch.setattr(dimension.Scan, "risks", risks)
    rows = rows_of("sample_complexity", spec)
    found = values(rows, "series", "sigma", "target")
    assert found.to_dict() == {
        (OURS, 0.5, 0.1): 400, (OURS, 0.1, 0.1): 400, (QUANTILE, 0.1, 0.1): 400, (QUANTILE, 0.5, 0.1): 200,
        (FIXED, 0.5, 0.1): 400, (FIXED, 0.1, 0.1): 1600, (FIXED, 0.1, 0.001): 1600,
    }  # fmt: skip
    assert asked == [200, 400, 800, 1600, 3200]
    assert (rows["n_over_d"] == rows["value"] / 2).all()


def test_risks_of_the_scan_are_those_of_algorithm_2() -> None:
    """One draw, of fresh records for every step."""
    N, d, sigma, T, L = 4000, 2, 0.1, 8, 6
    spec = small("sample_complexity", "one pass", cell={"d": d}, arms={"draws": 1}, settings={"levels": L})
    scan = dimension.Scan(spec)
    (found,) = scan.risks(N, 2, {(series, each) for series in scan.series for each in (0.5, sigma)})
    place, m, w_star = f"sample complexity_N={N}_d={d}", N // T, np.full(d, d**-0.5)
    data, noise = role(spec, place, 2, "data"), role(spec, place, 2, "noise")
    batches = [(data.standard_normal((m, d)), data.standard_normal(m)) for _ in range(T)]
    X, z = (np.concatenate([batch[i] for batch in batches]) for i in (0, 1))
    g, h = noise.standard_normal((T, d)), noise.standard_normal((T, L))
    alpha, R2 = exact_multiplier(EPS, DELTA), d + 2
    K = alpha * math.sqrt(L) * math.sqrt(2 * math.log(L))
    s = max(round(m / 11), math.ceil(0.5 * 4 * K))
    B = 2**0.5 * (1 + sigma) * math.log(N) ** 0.5 * 2.0 ** role(spec, place, 2, "offset").random()
    stat = {"s": s, "B": B, "scale": math.sqrt(R2) * 1.25}
    arms = {
        OURS: stat | {"enough": s - K}, QUANTILE: stat | {"enough": 0.9 * s},
        FIXED: {"s": 0, "zeta": fixed_threshold("gradient", np.ones(d), sigma, N)},
    }  # fmt: skip
    assert set(found) == {(series, each) for series in arms for each in (0.5, sigma)}
    for series, given in arms.items():
        b = m - given["s"]
        rest = {"T": T, "L": L, "alpha": alpha, "overlap": 0, "g": g, "h": h, "eta": b / (R2 + b - 1)}
        w = algorithm_2(X, X @ w_star + sigma * z, np.arange(N), given | rest)["w"]
        assert found[series, sigma] == pytest.approx(0.5 * ((w - w_star) ** 2).sum(), rel=1e-9), series
        # Of a run alone the risk is the same, to the last bit.
        (alone,) = scan.risks(N, 2, {(series, sigma)})
        assert alone == {(series, sigma): found[series, sigma]}


def test_sufficient_statistics_are_of_the_design(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of its covariance too, which is not the identity."""
    seen = []
    original = ada_ssp_engine.ada_ssp

    def spy(gram: Any, *rest: Any) -> Any:
        seen.append(gram)
        return original(gram, *rest)

    monkeypatch.setattr(ada_ssp_engine, "ada_ssp", spy)
    spec = small("sample_complexity", "sufficient statistics", arms={"draws": 3}, settings={"kappa": 9.0})
    scan, N = dimension.Scan(spec), 400_000
    design = scan.design
    assert design.lam.max() == pytest.approx(9.0 * design.lam.min())
    assert len(list(scan.ada_ssp_risks(N, 0.1, ADA, 0))) == 3
    assert len(seen) == 3
    for gram in seen:
        np.testing.assert_allclose(gram.xx / N, np.diag(design.lam), atol=0.03)
        np.testing.assert_allclose(gram.xy / N, design.lam * design.w_star, atol=0.03)


def test_expected_values_follow_the_thresholds_of_the_trial() -> None:
    """Of the step sizes: the law at sigma and zeta_t, and the share of the start that is left."""
    rows = rows_of("step_size", small("step_size", trials=(0, 2), cell={"N": [4000]}, arms={"T": [8]}))
    assert rows.groupby("step")["expected"].nunique().to_dict() == {"Theorem 3.7": 2, "Corollary 3.8": 2}
    bias = values(rows[rows["trial"] == 0].assign(value=lambda table: table["bias"]), "step")
    # At least the mean's own decay, (1 - eta)^t, averaged over t = 5..8 and squared.
    eta = 1 / 12
    least = np.mean([(1 - eta) ** t for t in range(5, 9)]) ** 2
    assert least < bias["Corollary 3.8"] < 1.2 * least
    assert bias["Theorem 3.7"] < 1e-6


# Attacks


def test_attacks_attain_no_more_than_is_accounted_and_all_of_it_of_gaussian_releases() -> None:
    spec = small("audit", trials=(0, 8), cell={"s": 25}, arms={"draws": 1500})
    rows = rows_of("audit", spec)
    whole = rows["mechanism"].str.startswith("whole run")
    runs, rows = rows[whole], rows[~whole]
    accounted = rows.groupby("mechanism")["accounted"].first()
    assert runs["accounted"].to_list() == pytest.approx([1 / exact_multiplier(8.0, DELTA)] * len(runs), rel=1e-9)
    for mechanism, group in runs.groupby("mechanism"):
        # A record that is added in front moves both batches.
        share = 2**0.5 if mechanism == "whole run, T = 2, record added" else 1.0
        assert group["value"].mean() == pytest.approx(share * runs["accounted"].iloc[0], rel=0.2), mechanism
    mu = 1 / exact_multiplier(EPS, DELTA)
    published = 1 / math.sqrt(8 * math.log(1e6))
    assert accounted.to_dict() == pytest.approx({
        "gradient step": mu, "DP-STAT, noisy counts": mu, "DP-STAT, released threshold (corrected)": mu,
        "DP-STAT, released threshold (as published)": published, "one iteration as published": 2**0.5 * published,
    }, rel=1e-9)  # fmt: skip
    for mechanism, group in rows.groupby("mechanism"):
        se = group["value"].std() / math.sqrt(len(group))
        assert group["value"].mean() < accounted[mechanism] + 4 * se, mechanism
        if "threshold" not in str(mechanism):
            assert group["value"].mean() > accounted[mechanism] - 4 * se, mechanism
            assert se < 0.1 * accounted[mechanism]


def test_chance_adds_nothing_to_what_is_attained_in_long_runs() -> None:
    """Of so few draws and so many steps the noise alone would add 2 T / draws = 1.6 to the square, which is 2.3."""
    rows = rows_of("audit", small("audit", trials=(0, 30), arms={"steps": [32], "run_draws": 40, "draws": 40}))
    whole = rows[rows["mechanism"] == "whole run, T = 32"]
    accounted, se = whole["accounted"].iloc[0], whole["value"].std() / math.sqrt(len(whole))
    assert abs(whole["value"].mean() - accounted) < 4 * se + 0.05 < 0.25 * accounted


@pytest.mark.parametrize("rule", ["corrected", "as published"])
def test_attacks_on_released_thresholds_attain_what_the_best_cut_has(rule: str) -> None:
    """Its mu is exact: at a count c the search passes k thresholds with probability P(noise < enough - c)^k."""
    s, L, draws = 200, 20, 100_000
    spec = small("audit", cell={"s": s}, arms={"draws": draws})
    alpha = exact_multiplier(EPS, DELTA) if rule == "corrected" else math.sqrt(8 * math.log(1e6))
    sd = alpha * math.sqrt(L)
    lowered = sd * math.sqrt(2 * math.log(L)) if rule == "corrected" else 0.0
    near = s - round(lowered)
    power, level = (
        1 - ndtr((s - lowered - count) / sd) ** np.arange(1, L + 1) for count in (near, near - 1)
    )  # fmt: skip
    mu = stats.norm.ppf(power) - stats.norm.ppf(level)
    kept = (power > 0.05) & (power < 0.95)
    name = f"DP-STAT, released threshold ({rule})"
    arm = attacks.single_arms(Part.of(spec), s)[name]
    attained = attacks._threshold(attacks.Trial(s, draws, L, np.random.default_rng(4)), arm)
    # The cut is the best of one half of the runs, and its estimate has a standard error of about 0.01.
    assert mu[kept].min() - 0.04 < attained < mu[kept].max() + 0.04
    assert attained == pytest.approx(mu[kept].max(), abs=0.04)
    assert 0.3 / alpha < attained < 1 / alpha


# Names that nobody knows


def ablation_of(choice: str, level: str) -> Any:
    return choices.choices_of(small("ablation", arms={"choices": {choice: [level]}}), 0.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: designs.Design.of(3, 1.0, 1.0, "Cauchy"), "law='Cauchy' is none of"),
        (lambda: designs.spectrum(0, 1.0), "d must be positive"),
        (lambda: designs.spectrum(3, 0.5), "kappa=0.5 must be at least 1"),
        (lambda: designs.spectrum(1, 2.0), "kappa=2.0 must be at least 1, and 1 where d=1"),
        (lambda: designs.true_w(np.ones(2), -1.0), "w_norm"),
        (lambda: choices.choices_of(small("ablation", arms={"choices": {"hue": ["red"]}}), 0.0), "choices has 'hue'"),
        (lambda: rows_of("alg_stat", small("alg_stat", arms={"rule": ["exact"]})), "rule='exact' must be one of"),
        (lambda: replace(main_choice(1600), rule="exact").search, "rule='exact' must be 'as published', 'corrected'"),
        (lambda: replace(main_choice(1600), stat_size=200).s, "s=200 leaves no record for the gradient: N=1600, T=8"),
        (lambda: ablation_of("grid", "fine"), "'grid' has 'fine': take some of"),
        (lambda: ablation_of("noise multiplier", "half"), "'noise multiplier' has 'half': take some of"),
        (lambda: ablation_of("printed, one by one", "+ luck"), "'printed, one by one' has '\\+ luck': take some of"),
        (lambda: rows_of("ssgd", small("ssgd", "own regime", cell={"steps": ["Theorem 9"]})), "steps has 'Theorem 9'"),
        (lambda: rows_of("step_size", small("step_size", arms={"steps": ["large"]})), "steps has 'large'"),
        (lambda: rows_of("feasibility", small("feasibility", arms={"width": ["B"]})), "width='B' is none of"),
        (lambda: rows_of("risk_vs_n", small("risk_vs_n", arms={"series": [OURS, "SGD"]})), "series='SGD' is not known"),
        (lambda: ledger_of("risk_vs_n", small("risk_vs_n", arms={"series": ["SGD"]})), "series='SGD' is not known"),
        (lambda: rows_of("risk_vs_n", small("risk_vs_n", settings={"grid": "fine"})), "grid='fine' must be fixed or"),
        (lambda: rows_of("risk_vs_n", small("risk_vs_n", settings={"threshold": "none"})), "threshold='none' must be"),
        (lambda: rows_of("tails", small("tails", cell={"law": "Cauchy"})), "law='Cauchy' is none of"),
        (lambda: formulas.published_multiplier(20.0, 1e-6), "eps=20.0 must not exceed"),
        (lambda: Search(1.0, 0, 1.0), "levels must be positive"),
        (lambda: orders.operations_of_mini_batches(10, 2, 1, 0), "levels"),
        (lambda: single_pass_orders.problem_of(3, 2.0, 1.0, 100, "flat"), "spectrum"),
        (lambda: orders.gradient_norm(3, "none"), "dependence"),
    ],
)  # fmt: skip
def test_bad_arguments_are_named(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


# Exact orders


def test_the_law_at_small_steps_is_that_of_larger_ones() -> None:
    """Sums of geometric series against powers of a matrix, where both can be taken."""
    for kappa, eta in ((1.0, 3e-3), (2.0, 2e-3), (4.0, 1e-2)):
        problem = single_pass_orders.problem_of(3, kappa, 0.3, 30_000, single_pass_orders.ONE_SMALL)
        used = formulas.Parameters(eta, 2.0, 1.5)
        for variance, noise in ((used.noise_variance, True), (0.0, False)):
            wanted = tail_risk(problem.lam, -problem.w_star, eta, 1, 0.3, variance, 30_000, 15_000)
            assert single_pass_orders.tail_risk(problem, used, noise=noise) == pytest.approx(wanted, rel=1e-9)


def test_norms_of_gradients_by_what_w_has_to_do_with_x() -> None:
    rng = np.random.default_rng(4)
    x = rng.standard_normal((200_000, 3))
    norm = np.linalg.norm(x, axis=1)
    eta = 0.5 / 5
    samples = {
        "along x": norm**2, "independent": norm * x[:, 0], "same index twice": norm * x[:, 0] * (1 - eta * norm**2),
    }  # fmt: skip
    for name, values in samples.items():
        assert orders.gradient_norm(3, name) == pytest.approx(math.sqrt((values**2).mean()), rel=0.02), name


def test_counts_fail_where_a_noise_exceeds_gamma() -> None:
    rng, L, beta = np.random.default_rng(5), 20, 0.1
    noise = rng.standard_normal((100_000, L)).max(axis=1) * math.sqrt(L)
    for natural, base in ((False, 1.0), (True, math.log(2.0))):
        gamma = math.sqrt(2 * L * base * math.log(L * base / beta))
        assert orders.count_failure(L, beta, natural) * beta == pytest.approx((noise > gamma).mean(), rel=0.1)


# Passes on sums


def silent(kappa: float = 2.0, **changes: Any) -> Choice:
    """DP-AMBSSGD in three dimensions with noise that is lost in rounding."""
    part = Part.of(small("ext_large", "eigenvalues"))
    design = designs.Design.of(3, kappa, 1.0)
    return Choice.ours(part.settings, design, 4000, 0.5, 1.0, 1e-6, 4, rule="q = 0.9", multiplier=1e-9, **changes)


def test_a_pass_on_sums_has_the_exact_law_of_unclipped_steps() -> None:
    choice = silent()
    rng = stream(5, PAPER, "passes on sums")
    risks = np.array([large_samples.one_pass(choice, 0.5, rng).risk for _ in range(1500)])
    law = tail_risk(choice.design.lam, -choice.design.w_star, choice.eta, choice.b, choice.sigma, 0.0, 4, 2)
    assert abs(risks.mean() - law) < 4.0 * risks.std() / math.sqrt(len(risks))
    assert 0.1 * law > 4.0 * risks.std() / math.sqrt(len(risks))


def test_counts_are_those_of_normal_residuals() -> None:
    choice, spread = silent(), 0.7
    counts = np.mean([large_samples._counts(choice, spread, stream(k, PAPER, "counts")) for k in range(400)], axis=0)
    expected = choice.s * (2.0 * ndtr(choice.search.thresholds[:-1] / spread) - 1.0)
    assert np.abs(counts - expected).max() < 5.0 * math.sqrt(choice.s / 4 / 400)


def test_eigenvalues_by_perturbation_come_from_records_of_their_own() -> None:
    choice = silent()
    used = large_samples.with_perturbed_eigenvalues(choice, 8.0, 0.25, stream(5, PAPER, "eigenvalues"))
    assert used.N == choice.N - 1000
    assert used.T in (15, 16, 17, 18, 19)
    assert abs(used.eta - used.b / (used.problem.bound_squared + (used.b - 1) * choice.design.lam.max())) < 0.2
    noisy = replace(choice, multiplier=1e3)
    assert large_samples.with_perturbed_eigenvalues(noisy, 8.0, 0.25, stream(5, PAPER, "noise")).T <= 8 * 9 + 1
