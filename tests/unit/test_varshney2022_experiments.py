"""varshney2022's experiments: their tables, runs against explicit transcriptions, shared draws, what is released."""

import importlib
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.optimize import brentq
from scipy.special import ndtr

from dpdescent.baselines.sufficient_statistics import wishart_gram
from dpdescent.descent.dp_stat import Search
from dpdescent.papers.varshney2022 import design as designs
from dpdescent.papers.varshney2022 import risk_runs, rivals
from dpdescent.papers.varshney2022.algorithm import Choice
from dpdescent.papers.varshney2022.experiments import ablation, audit, sample_complexity
from dpdescent.papers.varshney2022.theory import ambssgd, comparison, privacy
from dpdescent.papers.varshney2022.theory import ssgd as ssgd_theory
from dpdescent.privacy import shuffling
from dpdescent.privacy.accounting import tight_epsilon
from dpdescent.randomness import stream
from dpdescent.replication import ledger, project, tables

PAPER = "varshney2022"
PROJECT = project.load({"scale": "quick", "seed": 3, "papers": [PAPER]}, Path(__file__).parents[2])
ARTEFACTS = PROJECT.papers[PAPER].artefacts

Spec = dict[str, Any]

OURS, PUBLISHED, FIXED, QUANTILE = "DP-AMBSSGD", "DP-AMBSSGD (as published)", "fixed clip", "DP-AMBSSGD (q = 0.9)"
SSGD, OLS, ADA, ADA_TIGHT = "DP-SSGD", "OLS", "AdaSSP", "AdaSSP (bound 1.2 sqrt d)"
GD, GD_ADAPTIVE = "DP-GD", "DP-GD (adaptive)"
EPS, DELTA = 1.0, 1e-6
RISKS = {OURS, PUBLISHED, FIXED, OLS, ADA, GD, GD_ADAPTIVE}
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
    "audit": {"cell": {"s": 5}, "arms": {"draws": 400}},
    "moments": {"cell": {"d": [1, 2, 5]}},
}


def experiment(name: str) -> Any:
    return importlib.import_module(f"dpdescent.papers.{PAPER}.experiments.{name}")


def panels_of(name: str) -> list[str]:
    return list(dict.fromkeys(part.spec["panel"] for part in ARTEFACTS[name].parts))


def small(name: str, panel: str | None = None, trials: tuple[int, int] = (0, 1), **changes: Any) -> Spec:
    """The first part of a panel at a small size, with other values in its cell, arms or settings."""
    part = next(part for part in ARTEFACTS[name].parts if panel in (None, part.spec["panel"]))
    spec: Spec = json.loads(part.json()) | {"trials": list(trials)}
    for section in ("cell", "arms", "settings"):
        spec[section] = spec[section] | SMALL.get(name, {}).get(section, {}) | changes.get(section, {})
    return spec


def rows_of(name: str, spec: Spec) -> pd.DataFrame:
    return pd.DataFrame(list(experiment(name).run(spec)))


def ledger_of(name: str, *specs: Spec) -> pd.DataFrame:
    arms = [arm for spec in specs for arm in experiment(name).releases(spec)]
    return pd.DataFrame(ledger.rows(PAPER, name, arms))


def values(table: pd.DataFrame, *index: str) -> "pd.Series[float]":
    return table.set_index(list(index))["value"]


# What every experiment returns

RISK_KEYS = {"panel", "N", "d", "sigma", "eps", "delta", "kappa", "T"}
RISK_MEASURES = {"clip_fraction", "zeta_first", "zeta_last"}
AT = {"N", "d", "sigma", "eps", "delta"}
COLUMNS = {
    "table_bounds": {"method", "bound", "sample_size", "d", "N", "sigma", "eps", "over_ours"},
    "alg_stat": {"s", "levels", "alpha", "rule", "octaves"},
    "clip_path": AT | {"kappa", "T", "t"},
    "risk_vs_n": RISK_KEYS | RISK_MEASURES, "risk_vs_sigma": RISK_KEYS | RISK_MEASURES,
    "risk_vs_d": RISK_KEYS | RISK_MEASURES | {"n_over_d"},
    "sample_complexity": {"panel", "d", "sigma", "target", "eps", "delta", "n_over_d"},
    "risk_vs_eps": RISK_KEYS | RISK_MEASURES, "risk_vs_kappa": RISK_KEYS | RISK_MEASURES,
    "ssgd": AT | {"panel", "zeta_factor", "step", "eta", "clip_fraction", "expected", "predictor", "alpha"},
    "bound_vs_run": AT | {"algorithm", "kind", "T", "expected", "bound", "bound_without_logs", "clip_fraction"},
    "step_size": AT | {"T", "step", "clip_fraction", "expected", "bias"},
    "feasibility": {"condition", "width", "c1", "d"},
    "tails": AT | RISK_MEASURES | {"law", "factor", "T"},
    "ablation": AT | RISK_MEASURES | {"choice", "level"},
    "multiplier": {"eps", "delta", "N", "eps_tight"},
    "audit": {"mechanism", "accounted"},
    "moments": {"quantity", "d", "kappa", "b", "beta", "claimed"},
}  # fmt: skip
SERIES = {
    "table_bounds": {"bound, constants 1"},
    "alg_stat": {
        "share", "mean ratio", "mean square ratio", "overshoot", "overshoot by 8", "first half", "second half",
        "corrected guarantee",
    },
    "clip_path": {"zeta", "clip fraction", "residual rms", "claimed scale"},
    "risk_vs_n": RISKS | {SSGD}, "risk_vs_sigma": RISKS, "risk_vs_eps": RISKS, "risk_vs_kappa": {OURS, OLS, "no noise"},
    "risk_vs_d": {OURS, QUANTILE, FIXED, OLS, ADA, ADA_TIGHT, GD, GD_ADAPTIVE},
    "sample_complexity": {OURS, QUANTILE, FIXED, ADA, ADA_TIGHT},
    "ssgd": {SSGD, "SGD"}, "bound_vs_run": {"risk"}, "step_size": {OURS}, "tails": {OURS, OLS}, "ablation": {OURS},
    "feasibility": {"smallest N", "smallest N, exact alpha"},
    "multiplier": {
        "as published (Theorem 3.6, last form)", "Theorem 3.6, first form", "zCDP", "zCDP, disjoint",
        "Gaussian DP, disjoint", "DP-SSGD, shuffled (explicit bound)", "Theorem 3.1, constant 1",
    },
    "audit": {"attained mu"}, "moments": {"exact"},
}  # fmt: skip
EXACT = ["table_bounds", "feasibility", "multiplier", "moments"]
DRAWN = [name for name in COLUMNS if name not in EXACT]
# Series that are computed once, whatever the trial.
ONCE = {"risk_vs_kappa": {"no noise"}, "sample_complexity": {FIXED}, "ssgd": {"SGD"}}


def test_there_is_a_small_size_for_every_artefact() -> None:
    assert set(COLUMNS) == set(SERIES) == set(ARTEFACTS)


@pytest.mark.parametrize("name", list(COLUMNS))
def test_rows_hold_what_the_table_declares_and_nothing_else(name: str) -> None:
    artefact = ARTEFACTS[name]
    assert {*artefact.keys, *artefact.measures} == COLUMNS[name]
    parts = [rows_of(name, small(name, panel, (0, 2))).assign(variant="main") for panel in panels_of(name)]
    rows = pd.concat(parts)
    assert set(rows) == COLUMNS[name] | {"series", "trial", "value", "variant"}
    assert set(rows["series"]) == SERIES[name]
    # One case of the printed step diverges, which is what it is there to show.
    assert rows["value"].notna().all()
    assert np.isfinite(rows.loc[rows.get("step", rows["series"]) != "Corollary 3.3", "value"]).all()
    table = tables.summarise(parts, artefact.keys, artefact.measures)
    assert not table.duplicated([*artefact.keys, "series"]).any()
    once = table["series"].isin(ONCE.get(name, set())) | (name in EXACT)
    assert (table.loc[once, "trials"] == 1).all()
    # A goal may be out of the grid's reach in one trial of two.
    assert name == "sample_complexity" or (table.loc[~once, "trials"] == 2).all()


@pytest.mark.parametrize("name", EXACT)
def test_what_is_exact_is_computed_in_the_first_part_only(name: str) -> None:
    assert rows_of(name, small(name, trials=(1, 3))).empty


QUICKER = {
    "ssgd": {"cell": {"steps": [0.0002, "practical"]}},
    "bound_vs_run": {"cell": {"d": [3]}},
    "ablation": {"cell": {"N": 4000}, "arms": {"choices": {"rule": ["corrected", "q = 0.9"], "grid": ["random offset"], "iterations": ["4"]}}},
}  # fmt: skip


def drawn_panels() -> list[tuple[str, str]]:
    skipped = {"ssgd": {"no privacy"}, "sample_complexity": {"no-clipping law"}}
    return [(name, panel) for name in DRAWN for panel in panels_of(name) if panel not in skipped.get(name, set())]


@pytest.mark.parametrize(("name", "panel"), drawn_panels())
def test_the_cut_into_parts_changes_no_bit(name: str, panel: str) -> None:
    changes = QUICKER.get(name, {}) if panel not in ("Corollary 3.3", "Theorem 3.2") else {}

    def ordered(*ranges: tuple[int, int]) -> list[str]:
        rows = (row for ends in ranges for row in experiment(name).run(small(name, panel, ends, **changes)))
        return sorted(str(sorted(row.items())) for row in rows)

    whole = ordered((0, 3))
    assert ordered((0, 1), (1, 3)) == whole
    second = rows_of(name, small(name, panel, (1, 2), **changes))
    assert set(second["trial"]) == {1}
    first = rows_of(name, small(name, panel, (0, 1), **changes))
    if name != "sample_complexity":
        # Trials differ: a stream that forgot the trial's number would give one row twice.
        assert not np.array_equal(first.loc[~first["series"].isin(ONCE.get(name, set())), "value"], second["value"])


@pytest.mark.parametrize("series", sorted(RISKS))
def test_an_arm_does_not_depend_on_which_others_run(series: str) -> None:
    def rows(wanted: list[str]) -> list[float]:
        table = rows_of("risk_vs_n", small("risk_vs_n", "epsilon = 1", (0, 2), arms={"series": wanted}))
        return list(table.loc[table["series"] == series, "value"])

    every = [OLS, OURS, PUBLISHED, FIXED, ADA, GD, GD_ADAPTIVE]
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


def role(spec: Spec, place: str, trial: int, name: str) -> np.random.Generator:
    return stream(spec["seed"], PAPER, place, "trial", trial, name)


@pytest.mark.parametrize("kappa", [1.0, 2.0])
def test_dp_ambssgd_is_algorithm_2(kappa: float) -> None:
    """As we run it, as printed, and with a fixed threshold: all constants written out here."""
    N, d, sigma, trial, L = 4000, 3, 0.1, 1, 6
    changes = {"cell": {"N": N, "d": d, "kappa": kappa}, "arms": {"sigma": [1.0, sigma]}, "settings": {"levels": L}}
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
    norm = math.sqrt(3 + 2 * math.sqrt(lam @ lam * math.log(N)) + 2 * lam[0] * math.log(N))
    label = math.sqrt(2 * (1 + sigma**2) * math.log(N))
    B = 2**0.5 * (1 + sigma) * log
    arms = {
        OURS: {"s": s, "alpha": ours, "overlap": 0, "B": B, "scale": R_x * 1.25, "enough": s - K},
        PUBLISHED: published | {"B": B * R_x * log, "scale": R_x * log, "enough": published["s"]},
        FIXED: {"s": 0, "alpha": ours, "overlap": 0, "zeta": 0.8 * norm * label},
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


def test_dp_gd_meets_every_record_in_every_step() -> None:
    N, d, sigma, T, L = 1200, 2, 0.1, 8, 5
    spec = small(
        "risk_vs_n", "epsilon = 1", cell={"N": N, "d": d}, arms={"sigma": [sigma], "series": [GD, GD_ADAPTIVE]},
        settings={"levels": L},
    )  # fmt: skip
    rows = rows_of("risk_vs_n", spec).set_index("series")
    place, w_star = f"N={N}_d={d}_kappa=1", np.full(2, 0.5**0.5)
    rng = role(spec, place, 0, "data")
    X, z = rng.standard_normal((N, d)), rng.standard_normal(N)
    y, alpha, log = X @ w_star + sigma * z, exact_multiplier(EPS, DELTA), math.log(N)
    eta = N / (d + 2 + (N - 1))
    zeta_fixed = 0.8 * math.sqrt(d + 2 * math.sqrt(d * log) + 2 * log) * math.sqrt(2 * (1 + sigma**2) * log)

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

    risk, clip = descend(role(spec, place, 0, "DP-GD").standard_normal((T, d)), alpha * T**0.5, lambda t, w: zeta_fixed)
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


def test_least_squares_is_lapack_s() -> None:
    X, Y = designs.Design.of(5, 4.0, 1.0).draw(80, np.array([1.0, 0.1]), np.random.default_rng(1))
    np.testing.assert_allclose(rivals.least_squares(X, Y), np.linalg.lstsq(X, Y, rcond=None)[0].T, rtol=1e-10)


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


def test_dp_ssgd_in_the_own_regime_has_its_exact_law() -> None:
    changes = {"cell": {"N": 400, "d": 2, "eps": 2.0, "steps": [0.01, "practical"], "zeta_factors": [30.0]}}
    rows = rows_of("ssgd", small("ssgd", "own regime", (0, 150), **changes))
    for _, group in rows.groupby("step"):
        # A factor of 30 clips nothing.
        assert (group["clip_fraction"] == 0.0).all()
        se = group["value"].std() / math.sqrt(len(group))
        assert abs(group["value"].mean() - group["expected"].iloc[0]) < 4 * se
        delta = group["delta"].iloc[0]
        assert shuffling.epsilon(float(group["alpha"].iloc[0]), 400, delta) == pytest.approx(2.0, rel=1e-6)
    step = rows.drop_duplicates("step").set_index("step")["eta"]
    zeta_squared, alpha = 900 * 2 * 1.01, rows["alpha"].iloc[0]
    assert step["0.01"] == 0.01
    assert step["practical"] == pytest.approx(min(1 / 8, 1.01 / (4 * alpha**2 * zeta_squared)), rel=1e-12)


# Designs


@pytest.mark.parametrize(("d", "kappa"), [(1, 1.0), (2, 7.0), (10, 16.0), (50, 1.0)])
def test_spectrum_and_optimum(d: int, kappa: float) -> None:
    lam = designs.spectrum(d, kappa)
    assert (lam.sum(), lam.max() / lam.min()) == (pytest.approx(d, rel=1e-13), pytest.approx(kappa, rel=1e-13))
    assert np.allclose(np.diff(np.log(lam)), -math.log(kappa) / max(1, d - 1), rtol=1e-10, atol=1e-14)
    w = designs.true_w(lam, 0.7)
    assert math.sqrt(lam @ w**2) == pytest.approx(0.7, rel=1e-13)
    assert np.ptp(w) == 0.0


def test_risk_has_the_factor_one_half() -> None:
    design = designs.Design.of(3, 4.0, 1.0)
    w = np.array([[0.3, -0.2, 0.9], [0.0, 0.0, 0.0]])
    X, _ = design.draw(400_000, np.array([0.0]), np.random.default_rng(2))
    # L(w) - L(w*) with L(w) = 1/2 E (y - x'w)^2.
    loss = 0.5 * ((X @ (w - design.w_star).T) ** 2).mean(0)
    np.testing.assert_allclose(design.risk(w), loss, rtol=0.01)
    assert design.risk(w[1]) == pytest.approx(0.5, rel=1e-13)


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


def main_choice(N: int, T: int = 8, **settings: float) -> Choice:
    spec = small("risk_vs_n", "epsilon = 1", settings=settings)
    return Choice.ours(spec, designs.Design.of(3, 1.0, 1.0), N, 0.1, EPS, T)


def test_sizes_of_the_statistic() -> None:
    guard = math.ceil(4 * exact_multiplier(EPS, DELTA) * math.sqrt(20) * math.sqrt(2 * math.log(20)))
    # Half of a batch, the guard, and b/10, as N grows.
    sizes = {N: main_choice(N).s for N in (1600, 8000, 80_000)}
    assert sizes == {1600: 100, 8000: guard, 80_000: 909}
    assert 100 < guard < 500
    assert main_choice(8000, stat_guard=0.5).s == math.ceil(
        0.5 * 4 * exact_multiplier(EPS, DELTA) * math.sqrt(20) * math.sqrt(2 * math.log(20))
    )
    for N in (161, 1600, 8000, 80_000):
        ours, published = main_choice(N), main_choice(N).published()
        for each in (ours, published):
            assert each.s + each.b == each.batch == N // 8
            assert 0 < each.s <= each.batch // 2
        assert abs(published.s - published.b / 10) <= 0.55
        assert (published.overlap, published.rule, published.factor, published.levels) == (
            True,
            "as published",
            "log^a N",
            ours.levels,
        )
        assert published.scale == pytest.approx(math.sqrt(5) * math.log(N) ** 0.5, rel=1e-13)
        assert published.multiplier == pytest.approx(math.sqrt(8 * math.log(1e6)), rel=1e-13)
        assert (ours.overlap, ours.scale) == (False, pytest.approx(math.sqrt(5) * 1.25, rel=1e-13))
    assert main_choice(80_000).multiplier == pytest.approx(exact_multiplier(EPS, DELTA), rel=1e-9)


def test_every_level_of_the_ablation_changes_what_it_says() -> None:
    spec = small("ablation")
    found = ablation.choices(spec, 0.25)
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
        {name for name in Choice.__dataclass_fields__ if getattr(after, name) != getattr(before, name)}
        for before, after in zip(printed, printed[1:], strict=False)
    ]
    assert changed == [{"multiplier"}, {"rule"}, {"factor"}, {"overlap", "guard"}, {"levels", "wide"}]


def test_tails_of_the_ablation_average_one_path() -> None:
    rows = values(rows_of("ablation", small("ablation")), "choice", "level")
    assert rows["tail", "0.5"] == pytest.approx(rows["rule", "corrected"], rel=1e-12)
    assert rows["noise multiplier", "exact"] == rows["rule", "corrected"] == rows["printed, one by one", "none"]
    assert rows["tail"].nunique() == 4
    path = np.arange(16.0).reshape(8, 2)
    assert rivals.tail_average(path, 0.25).tolist() == [13.0, 14.0]
    assert rivals.tail_average(path, 0.75).tolist() == path[2:].mean(0).tolist()


# Privacy

CLAIMED = {OURS, QUANTILE, FIXED, SSGD, GD, GD_ADAPTIVE, ADA, ADA_TIGHT}


def ledgers() -> pd.DataFrame:
    names = [name for name in ARTEFACTS if hasattr(experiment(name), "releases")]
    assert {*ARTEFACTS} - {*names} == {"table_bounds", "feasibility", "multiplier", "moments"}
    return pd.concat([ledger_of(name, *(small(name, panel) for panel in panels_of(name))) for name in names])


LEDGER = ledgers()


def test_arms_spend_exactly_what_they_claim() -> None:
    claimed = LEDGER[LEDGER["mechanism"].isin(CLAIMED) & (LEDGER["guarantee"] == "proved")]
    # What has printed noise is judged below.
    printed = claimed["arm"].str.contains("printed, one by one|as published|Corollary 3.3")
    exact = claimed[~printed]
    assert set(exact["mechanism"]) == CLAIMED
    eps = exact["eps_paper"].astype(float)
    tight = exact["eps_tight"].astype(float)
    assert ((tight - eps).abs() < 1e-6 * eps).all(), exact[(tight - eps).abs() >= 1e-6 * eps]
    assert (tight <= eps * (1 + 1e-9)).all()
    assert set(exact["relation"]) == {"replace-one"}
    assert {0.5, 1.0, 8.0, 0.2} <= set(eps)
    assert (LEDGER.loc[LEDGER["guarantee"] == "proved", "eps_tight"] != "").all()


def test_gaussian_arms_by_the_mechanism_s_own_curve() -> None:
    """mu from noise and sensitivity as the ledger prints them, without the accountant."""
    for _, row in LEDGER[LEDGER["mechanism"].isin([OURS, PUBLISHED, FIXED]) & (LEDGER["eps_tight"] != "")].iterrows():
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


def test_printed_noise_is_more_than_is_needed() -> None:
    published = LEDGER[LEDGER["mechanism"] == PUBLISHED]
    assert len(published) > 5
    alpha = np.sqrt(8 * np.log(1e6)) / published["eps_paper"].astype(float)
    # A record is in both releases: two of mu = 1/alpha.
    np.testing.assert_allclose(published["rho"].astype(float), 1 / alpha**2, rtol=1e-12)
    assert (published["eps_tight"].astype(float) < published["eps_paper"].astype(float)).all()
    one = published[published["eps_paper"] == 1.0]
    assert one["eps_tight"].astype(float).max() == pytest.approx(0.545, abs=0.001)
    assert not one["releases"].str.contains("disjoint records").eq(False).any()
    assert not one["releases"].str.contains(r"\|").any()


def test_what_has_no_guarantee_has_none() -> None:
    nothing = LEDGER[LEDGER["guarantee"] == "none"]
    assert set(nothing["mechanism"]) == {OLS, "SGD", OURS, SSGD, ADA, ADA_TIGHT} - {ADA_TIGHT} | set(
        nothing["mechanism"]
    ) & {ADA_TIGHT}
    assert (nothing["eps_tight"] == "").all()
    assert (LEDGER.loc[LEDGER["mechanism"].isin([OLS, "SGD"]), "guarantee"] == "none").all()
    without = LEDGER["arm"].str.contains("without clipping")
    assert without.sum() == 4
    assert (LEDGER.loc[without, "guarantee"] == "none").all()
    ada = LEDGER[LEDGER["mechanism"].str.contains("AdaSSP")]
    wishart = ada["arm"].str.contains("Wishart draw|sufficient statistics")
    assert set(ada.loc[wishart, "guarantee"]) == {"none"}
    assert set(ada.loc[~wishart, "guarantee"]) == {"proved"}
    assert wishart.sum() >= 4
