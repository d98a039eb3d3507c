"""choquettechoo2023's table of bounds: rows that hold at the theory's values, and fail once a table says otherwise.

What is exact comes from the experiments themselves, on grids that are small; simulations are made up.
"""

import json
import math
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, norm, t

from dpdescent.noise.strategies import toeplitz
from dpdescent.papers.choquettechoo2023 import (
    bounds,
    components,
    convergence,
    criteria,
    damping,
    exact_errors,
    gradients,
    guarantees,
    laws,
    limits,
    mean_estimation,
    optimal_noise,
    orders,
    preliminaries,
    sensitivities,
    spectra,
    strongly_convex,
)
from dpdescent.papers.choquettechoo2023.formulas import Tuning
from dpdescent.papers.choquettechoo2023.setting import RegressionProblem, power_law, spectrum
from dpdescent.replication.build import tables
from dpdescent.replication.configuration import project
from dpdescent.replication.configuration.project import Artefact
from dpdescent.replication.judging import statistics
from dpdescent.replication.judging.evidence import Bound, Evidence
from made_up import NARROW, table_of

Part = Callable[[Evidence], Iterable[Bound]]

ROOT = Path(__file__).parents[2]
MODULES = (
    "fig01", "fig02", "fig03", "table2", "ext_mean_estimation", "ext_finite_time", "ext_nu", "ext_anti_pgd",
    "ext_spectra", "ext_prefix_sums",
)  # fmt: skip
# Grids on which everything takes a second or two.
CELLS = {
    "fig02": {"d": {"d": [8, 16]}, "d_eff": {"d": 16, "alpha": [0.4, 1.0]}, "eta": {"d": 16, "eta": [0.02, 0.15]}},
    "fig03": {"all": {"eta": 0.1, "kappa": [1.01, 10.0, 100.0]}},
    "table2": {"all": {"d": 16, "T": [50, 20000]}},
    "ext_finite_time": {"exact": {"d": 4, "T": [200, 2000]}},
    "ext_spectra": {"all": {"d": [16, 32, 64]}},
    "ext_anti_pgd": {"eta": {"d": 16}, "d": {"d": [8, 16]}, "nu": {"d": 16}},
    "ext_prefix_sums": {"paper scale": {"T": [342]}, "small": {"T": [60, 64]}},
}  # fmt: skip
ARMS = {
    "fig02": {"simulate": False},
    "ext_finite_time": {"eta": [0.003, 0.01, 0.03]},
    "ext_prefix_sums": {
        "mechanism": ["identity", "TreeAgg", "Honaker", "Full Honaker", "FHU", "nu"], "copies": [1, 2],
        "participations": {"342": 6, "60": 10, "64": 1},
    },
    "ext_nu": {"nu_over_eta_mu": [0.1, 1.0, 10.0]},
}  # fmt: skip
# Bounds from below; all others that have a direction and are no equality are from above.
FROM_BELOW = (
    "lower bound", "universal lower bound", "infimum over all beta", "least over nu", "nu = eta mu",
    "largest stable learning rate", "c of Hanson-Wright", "smallest eigenvalue of T_j",
)  # fmt: skip
PLACES = [
    "(5), (28)", "(24)", "App. C.1.1", "App. C.5", "Thm 1.1", "Thm 2.1", "(18)", "(83)", "Lemma D.12, (86)",
    "Property C.3", "App. C.1.3", "Lemma F.18", "Thm F.3", "Thm C.14", "Thm C.15", "Thm C.18", "Thm C.18, (47)",
    "Prop. C.22", "Prop. C.24", "Thm 2.2", "Lemma C.4", "Cor. C.5", "Remark C.16", "Remark C.23", "Lemma F.17",
    "App. C.6", "Sec. 2.2", "Def. D.3", "Thm D.11", "Thm D.13(c)", "Cor. D.14",
    "Lemma F.21", "(72)", "Thm 3.1, (10)", "(93)", "App. E.1",
    "Lemma F.15", "Lemma F.16", "Lemma C.21(i)", "Lemma C.21(ii)", "Property F.8", "Property F.9", "Property F.10",
    "Property F.11", "Lemma F.12", "Lemma F.13", "Lemma F.20", "Lemma F.22", "Remark F.7",
    "Lemma D.10", "Prop. C.11", "Prop. C.10", "Lemma C.12", "Prop. C.13", "Prop. C.19, C.20",
    "App. C.1.2", "Lemma D.9", "Lemma C.6", "Lemma F.19", "App. A.2", "App. D.3", "Prop. C.22, proof", "Table 1",
]  # fmt: skip


# --- Tables on small grids -------------------------------------------------------------------------------------------


def specs(name: str, artefact: Artefact) -> Iterator[dict[str, Any]]:
    """What the parts get, one a panel and variant, on the small grids and without trials."""
    seen = set()
    for part in artefact.parts:
        spec = json.loads(part.json())
        panel = spec["panel"]
        small = CELLS.get(name, {}).get(panel, {}) if spec["variant"] in SMALL else {}
        cell, arms = spec["cell"] | small, spec["arms"] | ARMS.get(name, {})
        key = (spec["variant"], panel, json.dumps(cell, sort_keys=True))
        if spec["trials"][0] == 0 and key not in seen and (name, panel) != ("ext_finite_time", "clipped"):
            seen.add(key)
            yield spec | {"trials": [0, 0], "cell": cell, "arms": arms}


SMALL = ("main", "fixed nu", exact_errors.LABEL_NOISE, "sensitivity of T steps", "uniform grid")


def made(name: str, artefact: Artefact) -> pd.DataFrame:
    """The table of an artefact from its experiment; variants with grids of their own are left out."""
    frames = []
    for spec in specs(name, artefact):
        if spec["variant"] in SMALL:
            if spec["variant"] == "uniform grid":
                spec["settings"] |= {"grid": "uniform", "points": 400}
            found = pd.DataFrame(
                [{"variant": spec["variant"], **row} for row in pkgutil.resolve_name(artefact.run)(spec)]
            )
            frames.append(found.reindex(columns=list(dict.fromkeys([*found, *artefact.keys, *artefact.measures]))))
    rows = pd.concat([frame for frame in frames if len(frame)], ignore_index=True)
    rows = rows.drop_duplicates([*artefact.keys, "series", "variant", "trial"])
    return tables.summarise([rows], artefact.keys, artefact.measures)


def simulated(exact: pd.DataFrame, trials: int = 20) -> pd.DataFrame:
    """Simulations of Figure 2 that agree with the exact law, which is a little below the limit."""
    kept = exact[(exact["kind"] == "exact") & (exact["series"] != "optimum") & (exact["variant"] == "main")]
    columns = ["variant", "panel", "d", "d_eff", "alpha", "eta", "series", "nu", "gamma_squared", "exact"]
    rows = [
        row | {"expected": 0.999 * row["exact"], "mean": 1.01 * row["exact"]}
        for row in kept[columns].to_dict("records")
    ]
    return table_of(rows, trials, spread=NARROW, defaults={"kind": "simulated"})


def simulated_means(exact: pd.DataFrame) -> pd.DataFrame:
    rows = exact[["variant", "eta", "mechanism", "series", "exact"]].to_dict("records")
    rows = [row | {"mean": 0.99 * row["exact"], "clip_fraction": 0.0} for row in rows]
    return table_of(rows, spread=NARROW, defaults={"kind": "simulated"})


def clipped() -> pd.DataFrame:
    rows = [
        {"T": T, "mechanism": name, "mean": 0.01, "eta": 0.01, "clip_norm": 2.0}
        for T in (500, 1000) for name in ("DP-SGD", "nu-DP-FTRL")
    ]  # fmt: skip
    same = {"variant": "main", "panel": "clipped", "d": 8, "series": "error at the tuned rate", "clip_fraction": 0.02}
    return table_of(rows, spread=NARROW, defaults=same)


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(project, "_check_code", lambda *_: None)
        found = project.load({"scale": "paper", "seed": 7, "papers": ["choquettechoo2023"]}, ROOT)
    spec = json.loads(project.judging_json(found, "choquettechoo2023"))
    artefacts = found.papers["choquettechoo2023"].artefacts
    # All artefacts but those that are not read: the others must not be needed.
    all_tables = {name: made(name, artefacts[name]) for name in MODULES}
    added = {
        "fig02": simulated(all_tables["fig02"]), "ext_finite_time": clipped(),
        "ext_mean_estimation": simulated_means(all_tables["ext_mean_estimation"]),
    }  # fmt: skip
    for name, rows in added.items():
        all_tables[name] = pd.concat([all_tables[name].dropna(axis=1, how="all"), rows], ignore_index=True)
    plus = all_tables["fig03"].query("variant == 'main'").assign(variant="multiplier sign as printed")
    all_tables["fig03"] = pd.concat([all_tables["fig03"], plus], ignore_index=True)
    return Evidence(spec, all_tables)


@pytest.fixture(scope="module")
def by_part(evidence: Evidence) -> dict[Part, list[Bound]]:
    return {part: list(part(evidence)) for part in bounds.PARTS}


@pytest.fixture(scope="module")
def rows(by_part: dict[Part, list[Bound]]) -> list[Bound]:
    return [row for found in by_part.values() for row in found]


def named(rows: list[Bound], name: str, setting: str = "") -> list[Bound]:
    found = [row for row in rows if row.bound == name and setting in row.setting]
    assert found, (name, setting)
    return found


def part_of(by_part: dict[Part, list[Bound]], name: str) -> Part:
    """The part that has the rows of that name."""
    return next(part for part, found in by_part.items() if any(row.bound == name for row in found))


def with_tables(evidence: Evidence, **changes: pd.DataFrame) -> Evidence:
    return replace(evidence, tables=evidence.tables | changes)


# --- The table -------------------------------------------------------------------------------------------------------


def test_every_part_has_rows_and_each_stands_once(
    evidence: Evidence, by_part: dict[Part, list[Bound]], rows: list[Bound]
) -> None:
    assert all(by_part.values())
    assert bounds.evaluate(evidence) == rows
    names = [(row.bound, row.setting) for row in rows]
    assert len(set(names)) == len(names) > 500


def test_everything_holds_at_the_theorys_values(rows: list[Bound]) -> None:
    assert [row for row in rows if row.holds is False] == []
    assert sum(row.holds is True for row in rows) > 400


@pytest.mark.parametrize("place", PLACES)
def test_every_place_with_a_computable_bound_is_there(rows: list[Bound], place: str) -> None:
    assert any(row.location == place for row in rows)


def test_every_row_has_a_value_and_says_what_it_is(rows: list[Bound]) -> None:
    for row in rows:
        assert math.isfinite(row.value) or row.location == "Lemma F.13, F.14", row
        assert row.measured is None or math.isfinite(row.measured), row
        assert row.note, row
        assert "nan" not in row.note, row


def test_conventions_are_explicit(rows: list[Bound]) -> None:
    """Whose F it is stands in the note of every row that bounds one; ratios and what is no F need none."""
    for row in rows:
        if row.bound.startswith(("F_inf", "upper bound", "lower bound", "universal", "error after")):
            assert any(words in row.note for words in (criteria.HALF, criteria.HALVED, "F of App. B", "F of (22)")), row


def test_holds_says_what_value_and_measured_say(rows: list[Bound]) -> None:
    for row in rows:
        if row.holds is not None and "equality" not in row.note:
            assert row.measured is not None
            below = row.bound.startswith(FROM_BELOW) or row.bound.endswith("from below")
            slack = 1.1e-3 * row.value if row.bound == "bound (10), more lags" else 2e-9 * row.value
            assert row.holds == (row.measured >= row.value - slack if below else row.measured <= row.value + slack), row


def test_equalities_are_tight(rows: list[Bound]) -> None:
    exact = [row for row in rows if "equality up to rounding" in row.note]
    assert len(exact) > 150
    for row in exact:
        assert row.measured == pytest.approx(row.value, rel=1e-10), row


# --- Lemmas that no table enters: twins, and what would violate them -------------------------------------------------


@pytest.mark.parametrize(
    ("function", "value", "bound"),
    [
        ("next_moments", lambda problem, moments: np.full(problem.d, 1e9), "one step of E theta^(r) theta^(r)'"),
        ("remainder_moments", lambda problem, moments: np.full(problem.d, 1e9), "E delta^(m) delta^(m)'"),
        ("remainder_moments", lambda problem, moments: 0.9 * moments, "E theta^(0) delta^(0)' = 0"),
        ("product_trace", lambda problem, steps: 1e3, "E Tr W"),
        ("kurtosis", lambda shape: 3.1, "C_kurt of Gaussian inputs"),
        ("driven", lambda problem, force: np.full(problem.d, 1e9), "upper bound, misspecified model, Noisy-SGD"),
        ("section", lambda rate, size: -np.eye(size), "smallest eigenvalue of T_j and T"),
        ("product_of", lambda matrices: 2.0 * np.eye(16), "|Tr A_1 ... A_k|"),
        ("adaptive_divergence", lambda *given: 1e3, "Renyi divergence, adaptive adversary"),
    ],
)  # fmt: skip
def test_a_violated_appendix_lemma_does_not_hold(
    evidence: Evidence, monkeypatch: pytest.MonkeyPatch, function: str, value: Any, bound: str
) -> None:
    home = guarantees if hasattr(guarantees, function) else components
    monkeypatch.setattr(home, function, value)
    found = named([*components.evaluate(evidence), *guarantees.evaluate(evidence)], bound)
    assert any(row.holds is False for row in found)


def test_products_of_one_dimension_are_moments_of_a_gaussian() -> None:
    """E (1 - eta x^2)^(2n) x^2 for n factors, by the sum over even moments."""
    problem = RegressionProblem(np.array([1.0]), 0.05, 1.0)
    grid = np.linspace(-12, 12, 20001)
    density = np.exp(-(grid**2) / 2) / math.sqrt(2 * math.pi) * (grid[1] - grid[0])
    factor = float(((1 - 0.05 * grid**2) ** 2) @ density)
    for steps in (0, 1, 3):
        assert components.product_trace(problem, steps) == pytest.approx(factor**steps, rel=1e-8)
    assert components.kurtosis(np.array([1.0])) == pytest.approx(float(grid**4 @ density), rel=1e-8)


def test_the_adaptive_divergence_is_an_integral_over_both_releases() -> None:
    encoder = toeplitz.nu_family(0.2).encoder(2)
    y = np.linspace(-14, 14, 1401)
    first, second = np.meshgrid(y, y, indexing="ij")
    for alpha, threshold, reverse in ((2.0, 0.3, False), (2.0, 0.3, True), (1.5, -1.0, False)):
        gradient = np.where(first > threshold, 1.0, -1.0)
        shifted = -((first - encoder[0, 0]) ** 2 + (second - encoder[1, 0] - encoder[1, 1] * gradient) ** 2) / 2
        plain = -(first**2 + second**2) / 2
        upper, lower = (plain, shifted) if reverse else (shifted, plain)
        integral = np.exp(alpha * upper + (1 - alpha) * lower).sum() * (y[1] - y[0]) ** 2 / (2 * math.pi)
        found = guarantees.adaptive_divergence(encoder, alpha, threshold, reverse)
        assert found == pytest.approx(math.log(integral) / (alpha - 1), rel=2e-2)


def test_contractions_are_between_nothing_and_the_identity() -> None:
    for matrix in components.contractions(5, 6):
        values = np.linalg.eigvalsh(matrix)
        assert -1e-12 <= values[0] <= values[-1] <= 1 + 1e-12
    product = components.product_of(components.contractions(5, 6))
    assert not np.allclose(product, product.T)


def test_a_limit_that_knows_its_start_is_seen(evidence: Evidence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laws, "risks", lambda problem, beta, variance, start, steps: start + 1.0)
    monkeypatch.setattr(laws, "transient", lambda problem, start, T: 1e9)
    found = list(convergence._starts(evidence))
    assert {row.holds for row in found} == {False}


# --- What is violated does not hold ----------------------------------------------------------------------------------

EXACT = {"variant": "main", "kind": "exact"}
Violation = tuple[str, str, float, dict[str, object], str, int]
VIOLATIONS: list[Violation] = [
    ("fig02", "mean", 1.0 + 1e-8, EXACT | {"series": "nu-Noisy-FTRL"}, "F_inf of nu-Noisy-FTRL, by quadrature", 4),
    ("fig02", "mean", 1.0 - 1e-8, EXACT | {"series": "nu-Noisy-FTRL"}, "F_inf of nu-Noisy-FTRL, by recursion", 4),
    ("fig02", "mean", 1.0 + 1e-8, EXACT | {"series": "Noisy-SGD"}, "F_inf of Noisy-SGD, by quadrature", 4),
    ("fig02", "mean", 1.0 + 1e-8, EXACT | {"series": "Noisy-SGD"}, "F_inf of Noisy-SGD, by recursion", 4),
    ("fig02", "gamma_squared", 1.0 + 1e-8, EXACT | {"series": "nu-Noisy-FTRL"}, "gamma_inf^2 of eq. (7)", 4),
    ("fig02", "mean", 1e3, EXACT | {"series": "Noisy-SGD"}, "upper bound in time, Noisy-SGD", 2),
    ("fig02", "mean", 1e3, EXACT | {"series": "Noisy-SGD"}, "upper bound in frequency, Noisy-SGD", 2),
    ("fig02", "mean", 1e3, EXACT | {"series": "nu-Noisy-FTRL"}, "upper bound at 3 Tr H, nu-Noisy-FTRL", 2),
    ("fig02", "mean", 1e4, EXACT | {"series": "nu-Noisy-FTRL"}, "upper bound, constants of the proof", 2),
    ("fig02", "mean", 0.1, EXACT | {"series": "nu-Noisy-FTRL"}, "lower bound in frequency, nu-Noisy-FTRL", 2),
    ("fig02", "mean", 0.1, EXACT | {"series": "Noisy-SGD"}, "lower bound in time, Noisy-SGD", 2),
    ("fig02", "mean", 0.1, EXACT | {"series": "optimum"}, "universal lower bound, int sqrt(h)", 2),
    ("fig02", "mean", 1e-3, EXACT | {"series": "optimum"}, "universal lower bound, as stated", 2),
    ("fig02", "mean", 1.1, EXACT | {"series": "optimum"}, "infimum over all beta", 2),
    ("fig02", "mean", 3.0, {"kind": "simulated", "series": "Noisy-SGD"}, "tail mean of Noisy-SGD, simulated", 4),
    ("fig02", "mean", 0.1, {"kind": "simulated", "series": "Noisy-SGD"}, "tail mean of Noisy-SGD, simulated", 4),
    ("fig02", "expected", 1.01, {"kind": "simulated"}, "tail mean of nu-Noisy-FTRL, its limit", 4),
    ("table2", "exact", 1.01, {"row": orders.ANTI_PGD}, "gamma_T^2, closed form", 1),
    ("table2", "exact", 1.01, {"row": orders.FICHTENBERGER, "T": 50}, "gamma_T^2", 1),
    ("table2", "exact", 1.5, {"row": orders.NU_NOISY_FTRL}, "gamma_T^2, its limit", 1),
    ("ext_prefix_sums", "sensitivity", 1.01, {"mechanism": "identity"}, "squared sensitivity, closed form", 2),
    ("ext_prefix_sums", "sensitivity", 0.99, {"mechanism": "TreeAgg"}, "squared sensitivity, dense", 2),
    ("ext_mean_estimation", "mean", 1.0 + 1e-8, {"kind": "exact"}, "F_inf, mean estimation", 20),
    ("ext_mean_estimation", "mean", 1.01, {"kind": "exact", "mechanism": "Optimal CC"},
     "F_inf at the sensitivity of T steps", 8),
    ("ext_mean_estimation", "mean", 1.5, {"kind": "exact", "mechanism": "optimal noise"},
     "F_inf of the optimum, from above", 6),
    ("ext_mean_estimation", "mean", 0.9, {"kind": "exact", "mechanism": "optimal noise"},
     "F_inf of the optimum, from below", 6),
    ("ext_mean_estimation", "mean", 2.0, {"kind": "simulated"}, "F_inf, simulated", 20),
    ("fig01", "mean", 1.01, {"series": "exact ratio", "eta": 1.0}, "ratio of errors", 1),
    ("fig01", "mean", -1.0, {"series": "beta*"}, "beta*_t", 6),
    ("fig01", "mean", 1.01, {"series": "|B*|^2"}, "|B*|^2", 6),
    ("ext_anti_pgd", "mean", 1e3, {"panel": "nu"}, "upper bound, damped anti-PGD", 5),
    ("ext_anti_pgd", "mean", 1e-1, {"panel": "nu"}, "lower bound, damped anti-PGD", 5),
    ("ext_spectra", "mean", 0.1, {"series": "nu-Noisy-FTRL"}, "infimum over all beta, by spectrum", 6),
    ("ext_spectra", "d_eff", 1.01, {"spectrum": "k^-1"}, "stable rank", 1),
    ("ext_spectra", "d_eff", 2.0, {"spectrum": "one large"}, "d_eff of the example", 3),
    ("ext_spectra", "d_eff", 1.01, {"spectrum": "flat"}, "d_eff, from above", 2),
    ("ext_nu", "value_at_best", 0.5, {"panel": "rates"}, "least over nu", 3),
    ("ext_nu", "mean", 0.5, {"panel": "rates"}, "nu = eta mu", 3),
    ("ext_finite_time", "mean", 1e4, {"panel": "exact"}, "error after t steps", 4),
    ("ext_finite_time", "mean", 1e4, {"panel": "exact"}, "error after t steps, no clipping", 4),
    ("fig03", "mean", 0.1, {"series": "DP-SGD"}, "bound (10) on a quadratic", 2),
    ("fig03", "mean", 2.0, {"multiplier": "T_max 5", "series": "nu-DP-FTRL"}, "bound (10), more lags", 3),
    ("fig03", "mean", 1.00001, {"multiplier": "static"}, "bound (10), static", 6),
]  # fmt: skip


@pytest.mark.parametrize(
    "violation", VIOLATIONS, ids=[f"{each[4]}, {each[0]} {each[1]} x {each[2]:g}" for each in VIOLATIONS]
)
def test_a_violated_bound_does_not_hold(
    evidence: Evidence, by_part: dict[Part, list[Bound]], violation: Violation
) -> None:
    artefact, column, factor, where, name, least = violation
    table = evidence.tables[artefact].copy()
    chosen = np.logical_and.reduce([table[key] == value for key, value in where.items()])
    assert np.any(chosen)
    table.loc[chosen, column] *= factor
    found = named(list(part_of(by_part, name)(with_tables(evidence, **{artefact: table}))), name)
    assert sum(row.holds is False for row in found) >= least


@pytest.mark.parametrize(
    ("target", "value", "name"),
    [
        ("elliptic.diagonal_bound", lambda a: 0.1, "I(a, a), from above"),
        ("elliptic.integral_bound", lambda a: 0.1, "I(a, b), from above"),
        ("elliptic.integral_bound", lambda a: 0.1, "Err_j of nu-Noisy-FTRL"),
        ("preliminaries.log_threshold", lambda c: 0.1, "x log^2(1/x)"),
        ("preliminaries.cosine_integral", lambda a, b, lag: 1.0, "cosine over a quadratic"),
        ("elliptic.first_kind_bounds", lambda k: (99.0, 99.0, 0.1), "K(k), from below"),
        ("elliptic.first_kind_bounds", lambda k: (0.1, 0.1, 99.0), "K(k), from above"),
        ("formulas.half_expo_constant", lambda beta, nu: 2.1, "C of Half-Expo Decay, eq. (7)"),
        ("formulas.Tuning.bound", lambda self, eta_max: 1e-9, "smallest value of (87)"),
        ("formulas.fourth_moment", lambda lam: 3.1 * lam.sum(), "R^2 of Gaussian inputs"),
        ("preliminaries.HANSON_WRIGHT", 0.16, "c of Hanson-Wright, 0.1457"),
        ("preliminaries.SECOND", 0.5, "|xi|^2, C' = 16"),
    ],
)
def test_a_violated_lemma_does_not_hold(
    evidence: Evidence, by_part: dict[Part, list[Bound]], monkeypatch: pytest.MonkeyPatch, target: str,
    value: object, name: str,
) -> None:  # fmt: skip
    monkeypatch.setattr(f"dpdescent.papers.choquettechoo2023.{target}", value)
    found = list(part_of(by_part, name)(evidence))
    assert any(row.holds is False for row in named(found, name))


def test_largest_residual_beside_its_exact_quantile(rows: list[Bound]) -> None:
    found = named(rows, "largest xi_t^2", "T=500")[0]
    assert found.value == pytest.approx(2 * 0.01 * math.log(2 * 500 / 0.05))
    assert found.measured == pytest.approx(0.01 * norm.ppf(1 - 0.05 / 1000) ** 2)


# --- Grids of one's own ----------------------------------------------------------------------------------------------


READERS: dict[str, tuple[Part, ...]] = {
    "fig01": (optimal_noise.evaluate,),
    "fig02": (
        sensitivities.evaluate, exact_errors.evaluate, limits.evaluate, convergence.evaluate, components.evaluate,
    ),
    "fig03": (strongly_convex.evaluate,), "table2": (sensitivities.evaluate,),
    "ext_prefix_sums": (sensitivities.evaluate,), "ext_mean_estimation": (mean_estimation.evaluate,),
    "ext_anti_pgd": (damping.evaluate,), "ext_spectra": (spectra.evaluate,), "ext_nu": (damping.evaluate_nu,),
    "ext_finite_time": (convergence.evaluate, gradients.evaluate),
}  # fmt: skip


def test_a_part_reads_its_own_tables_only(evidence: Evidence, by_part: dict[Part, list[Bound]]) -> None:
    for part, found in by_part.items():
        own = {name: table for name, table in evidence.tables.items() if part in READERS[name]}
        assert list(part(replace(evidence, tables=own))) == found


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("left", ["missing", "no columns", "one row", "every third row"])
def test_a_table_may_lack_much(evidence: Evidence, by_part: dict[Part, list[Bound]], name: str, left: str) -> None:
    table = evidence.tables[name]
    cut = {"no columns": pd.DataFrame(), "one row": table.iloc[:1], "every third row": table[::3]}
    kept = {each: table for each, table in evidence.tables.items() if each != name}
    shrunk = replace(evidence, tables=kept | ({name: cut[left]} if left in cut else {}))
    found = [row for part in READERS[name] for row in part(shrunk)]
    whole = sum(len(by_part[part]) for part in READERS[name])
    # Of ratios only those at both ends and in the middle stand there, whatever lies between.
    assert len(found) < whole or (name, left, len(found)) == ("fig01", "every third row", whole)
    assert [row for row in found if row.holds is False] == []


def test_without_any_table_only_what_hangs_on_none_is_left(evidence: Evidence) -> None:
    nothing = replace(evidence, tables={})
    without = (components.evaluate, guarantees.evaluate, preliminaries.evaluate)
    left = [row for part in without for row in part(nothing)]
    assert bounds.evaluate(nothing) == left
    assert left


def test_a_single_trial_leaves_simulations_open(evidence: Evidence) -> None:
    exact = evidence.tables["fig02"]
    table = pd.concat([exact[exact["kind"] != "simulated"], simulated(exact, trials=1)], ignore_index=True)
    found = list(exact_errors.evaluate(with_tables(evidence, fig02=table)))
    assert {row.holds for row in named(found, "tail mean of Noisy-SGD, simulated")} == {None}


def test_a_horizon_beyond_inversion_and_a_nu_beyond_recursion_are_left_out(
    evidence: Evidence, rows: list[Bound], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not any(row.setting.endswith("T=20000, nu=0") for row in named(rows, "gamma_T^2"))
    monkeypatch.setattr(exact_errors, "MOST", 100)
    found = list(exact_errors.evaluate(evidence))
    assert not any(row.bound == "F_inf of nu-Noisy-FTRL, by recursion" for row in found)
    assert named(found, "F_inf of Noisy-SGD, by recursion")


def test_outside_the_theorems_rates_lower_bounds_are_open_and_upper_ones_left_out(evidence: Evidence) -> None:
    """At d = 16 and alpha = 0.4 the learning rate 0.15 makes eta R^2 exceed 1, and second moments still converge."""
    table = evidence.tables["fig02"]
    table = table[(table["kind"] == "exact") & (table["variant"] == "main") & (table["alpha"] == 0.4)].copy()
    eta = 0.15
    problem = RegressionProblem(power_law(16, 0.4), eta, 0.5)
    values = {"Noisy-SGD": laws.noisy_sgd(problem), "nu-Noisy-FTRL": 1.0, "optimum": 1.0}
    table["eta"], table["mean"], table["nu"] = eta, table["series"].map(values), eta * problem.mu
    found = list(limits.evaluate(replace(evidence, tables={"fig02": table})))
    assert {row.holds for row in named(found, "lower bound in frequency, Noisy-SGD")} == {None}
    assert "nothing is asserted" in named(found, "universal lower bound, as stated")[0].note
    assert not any(row.bound.startswith("upper bound in") for row in found)


def test_budget_of_the_settings_is_followed(evidence: Evidence, rows: list[Bound]) -> None:
    spec = json.loads(json.dumps(evidence.spec))
    for about in spec["artefacts"].values():
        about["settings"] |= {"rho": 2.0 * about["settings"]["rho"]} if "rho" in about["settings"] else {}
    doubled = bounds.evaluate(replace(evidence, spec=spec))
    for name in (
        "upper bound in time, Noisy-SGD", "lower bound in frequency, nu-Noisy-FTRL",
        "form of Proposition C.24 at nu = 1/sqrt(d)", "upper bound, damped anti-PGD",
    ):  # fmt: skip
        for before, after in zip(named(rows, name, "d=16"), named(doubled, name, "d=16"), strict=True):
            if exact_errors.LABEL_NOISE not in before.setting:
                assert after.value == pytest.approx(before.value / 2)


def test_an_artefact_needs_its_settings(evidence: Evidence) -> None:
    spec = json.loads(json.dumps(evidence.spec))
    del spec["artefacts"]["ext_finite_time"]["settings"]["start"]
    with pytest.raises(ValueError, match="specification of ext_finite_time, panel 'all', has no 'start'"):
        list(convergence.evaluate(replace(evidence, spec=spec)))


# --- Values by other means -------------------------------------------------------------------------------------------


def test_chance_is_as_seldom_as_a_normal_value_so_far_off() -> None:
    for trials, width in ((6, 3.0), (20, 3.0), (40, 4.0)):
        allowed = statistics.distance_by_chance(pd.Series({"se": 2.0, "trials": trials}), width)
        assert t.sf(allowed / 2.0, trials - 1) == pytest.approx(norm.sf(width), rel=1e-6)
    assert math.isnan(statistics.distance_by_chance(pd.Series({"se": math.nan, "trials": 1}), 3.0))


@pytest.mark.parametrize(
    ("variant", "sd"), [("label noise of sd 1", 1.0), ("label noise of sd 0.5", 0.5), ("main", 0.0)]
)
def test_label_noise_is_read_from_a_variants_name(variant: str, sd: float) -> None:
    assert exact_errors.label_noise(variant) == sd
    assert exact_errors.label_noise(exact_errors.LABEL_NOISE) > 0


@pytest.mark.parametrize(
    ("values", "ends"), [([], []), ([2.0], [2.0]), ([3, 1, 2, 1], [1, 3]), ([math.nan, 1.0], [1.0])]
)
def test_ends(values: list[float], ends: list[float]) -> None:
    assert criteria.ends(values) == ends


@pytest.mark.parametrize("strategy", [toeplitz.optimal_cc(), toeplitz.nu_family(0.1), toeplitz.anti_pgd()])
def test_inverse_by_substitution_is_the_dense_inverse(strategy: toeplitz.DampedDifference) -> None:
    dense = np.linalg.inv(strategy.decoder(30))
    found = sensitivities._inverse_squared(strategy.coefficients(30))
    assert found == pytest.approx((dense**2).sum(axis=0).max(), rel=1e-10)


@pytest.mark.parametrize(("d", "alpha"), [(1, 0.0), (16, 1.0), (64, 0.4)])
def test_largest_stable_rate_has_a_gain_of_one(d: int, alpha: float) -> None:
    eta = exact_errors._largest_stable(RegressionProblem(power_law(d, alpha), 0.01, 1.0))
    assert RegressionProblem(power_law(d, alpha), eta, 1.0).gain == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize(("characteristic", "complementary"), [(-40.0, 0.1), (0.5, 1e-4), (0.99, 0.5)])
def test_third_kind(characteristic: float, complementary: float) -> None:
    with mpmath.workdps(40):
        expected = float(mpmath.ellippi(characteristic, 1 - mpmath.mpf(complementary) ** 2))
    assert preliminaries._third(characteristic, complementary**2) == pytest.approx(expected, rel=1e-12)


def test_root_of_a_covariance_has_its_eigenvalues_and_is_not_diagonal() -> None:
    lam = spectrum("k^-1", 12)
    root = spectra._root(lam)
    assert np.linalg.eigvalsh(root @ root) == pytest.approx(np.sort(lam))
    assert np.abs(root - np.diag(np.diag(root))).max() > 0.05


def test_least_value_of_the_tuning_lemma() -> None:
    tuning = Tuning(A=8.0, B=0.05, C=20.0, mu=0.125, T=4000.0)
    etas = np.exp(np.linspace(-15, math.log(0.2), 200_001))
    brute = min(tuning.at(float(eta)) for eta in etas[::50])
    assert convergence._least(tuning, 0.2) <= brute
    assert convergence._least(tuning, 0.2) == pytest.approx(brute, rel=1e-4)


def test_explicit_bounds_by_hand(rows: list[Bound]) -> None:
    """Theorems C.14 and C.18 for independent noise, where <beta, T beta> = d; F of (8)."""
    setting = "Figure 2: d=16, alpha=1, eta=0.02"
    eta, rho, d = 0.02, 0.5, 16
    trace = sum(1 / k for k in range(1, d + 1))
    series = (1 - math.sqrt(eta * (trace + 2))) ** -2
    upper = named(rows, "upper bound in time, Noisy-SGD", setting)[0]
    assert upper.value == pytest.approx((1 + 3 * series) * eta * d / (2 * rho))
    lower = named(rows, "lower bound in time, Noisy-SGD", setting)[0]
    assert lower.value == pytest.approx(0.5 * eta * d / (4 * rho))
    stated = named(rows, "universal lower bound, as stated", setting)[0]
    assert stated.value == pytest.approx(0.5 * eta**2 / (8 * rho) * trace)


def test_mean_estimation_by_hand(rows: list[Bound]) -> None:
    assert named(rows, "F_inf, mean estimation", "DP-SGD, eta=0.1")[0].value == pytest.approx(0.1 / 1.9 * (0.5 + 1 / 3))


def test_hanson_wright_constant_is_what_chernoff_gives() -> None:
    """Of many equal squares the exact tail has this exponent, and never a smaller one, over min(s^2, s)."""
    c = {row.bound: row.measured for row in preliminaries._constant()}["c of Hanson-Wright, 0.1457"]
    assert c == pytest.approx(
        min((s - math.log1p(s)) / (2 * min(s * s, s)) for s in np.linspace(0.01, 5, 4991)), rel=1e-6
    )
    for n in (1, 10, 300):
        exponents = [-chi2.logsf(n * (1 + s), n) / (n * min(s * s, s)) for s in (0.2, 1.0, 3.0)]
        assert min(exponents) >= c
    assert -chi2.logsf(2 * 4000, 4000) / 4000 == pytest.approx(c, rel=1e-2)


def test_notes_of_simulations_warn_of_heavy_tails(rows: list[Bound]) -> None:
    found = named(rows, "tail mean of Noisy-SGD, simulated", "eta=0.15")[0]
    gain = RegressionProblem(power_law(16, 1.0), 0.15, 0.5).gain
    assert f"A = {gain:.3g}" in found.note
    assert "heavier" in found.note


def test_rows_of_the_same_setting_in_two_panels_stand_once(evidence: Evidence, rows: list[Bound]) -> None:
    """Figure 2's panels share a point, as do those of anti-PGD."""
    exact = evidence.tables["fig02"].query("variant == 'main' and kind == 'exact' and series == 'optimum'")
    assert len(exact) > len(exact.drop_duplicates(["d", "alpha", "eta"]))
    assert len(named(rows, "universal lower bound, as stated", "Figure 2: ")) == len(
        exact.drop_duplicates(["d", "alpha", "eta"])
    )


def test_ends_of_panels_are_those_of_each_panels_own_axis() -> None:
    table = pd.DataFrame(
        [{"panel": "d", "d": d, "d_eff": 7.0 - d, "eta": 0.1} for d in (1, 2, 3)]
        + [{"panel": "eta", "d": 2, "d_eff": 5.0, "eta": eta} for eta in (0.1, 0.2, 0.3)]
    )
    found = exact_errors.ends_of_panels(table)
    assert found[["panel", "d", "eta"]].to_numpy().tolist() == [
        ["d", 1, 0.1],
        ["d", 3, 0.1],
        ["eta", 2, 0.1],
        ["eta", 2, 0.3],
    ]


def test_the_papers_optimal_noise_is_not_the_exact_optimum(rows: list[Bound]) -> None:
    found = named(rows, "infimum over all beta", "eta=0.15")[0]
    assert found.measured is not None
    assert 1e-9 < found.measured / found.value - 1.0 < 1e-2


def test_bounds_of_a_direction_by_hand(rows: list[Bound]) -> None:
    """The last of 16 eigenvalues 1/k, nu = eta mu."""
    place, lam, nu = "Figure 2: d=16, alpha=1, eta=0.02, j=16", 1 / 16, 0.02 / 16
    assert named(rows, "Err_j of nu-Noisy-FTRL", place)[0].value == pytest.approx(lam * 128 / 49 * math.log(8 / nu))
    beta = toeplitz.nu_family(nu).coefficients(20_000)
    found = named(rows, "<beta, T_j beta> of eq. (7), from above", place)[0]
    assert found.value == pytest.approx((2 - nu) / nu * (beta @ beta))
    assert named(rows, "integral of a direction, Noisy-SGD, from below", place)[0].value == 0.5


def test_upper_bound_at_the_papers_moment_by_hand(rows: list[Bound]) -> None:
    trace = sum(1 / k for k in range(1, 17))
    series = (1 - math.sqrt(0.02 * 3 * trace)) ** -2
    found = named(rows, "upper bound at 3 Tr H, Noisy-SGD", "Figure 2: d=16, alpha=1, eta=0.02")[0]
    assert found.value == pytest.approx((1 + 3 * series) * 0.02 * 16)


def test_bound_10_stands_beside_the_worst_of_three_quadratics(evidence: Evidence, rows: list[Bound]) -> None:
    for kappa in (1.01, 100.0):
        found = named(rows, "bound (10) on a quadratic", f"DP-SGD, T_max 5, eta=0.1, kappa={kappa:g}")[0]
        problem = strongly_convex.problem_of(
            {"settings": evidence.spec["artefacts"]["fig03"]["settings"], "cell": {"eta": 0.1, "L": 1.0, "d": 1}}, kappa
        )
        # Independent noise on h theta^2/2: the variance of an autoregression, with G^2/(2 rho) = 1/2.
        exact = [0.5 * h * 0.1**2 * 0.5 / (1 - (1 - 0.1 * h) ** 2) for h in (1 / kappa, kappa**-0.5, 1.0)]
        assert found.measured == pytest.approx(max(exact), rel=1e-9)
        assert problem.descent.mu == 1 / kappa


def test_recomputed_bounds_are_those_at_the_ends(rows: list[Bound]) -> None:
    found = {row.setting.split("kappa=")[1] for row in named(rows, "bound (10), static")}
    assert found == {"1.01", "100"}
    assert named(rows, "bound (10) on a quadratic", "T_max 5, eta=0.1, kappa=10")


def test_finite_time_by_hand(rows: list[Bound]) -> None:
    """Theorem D.11 at T = 200 for four eigenvalues 1/k; Lemma F.21's function and its bound."""
    found = named(rows, "error after t steps", "DP-SGD, T=200, d=4")[0]
    eta, t_early = float(found.setting.split("eta=")[1].split(",")[0]), int(found.setting.split("t=")[1])
    assert t_early == 2
    times = [row.setting.split("t=")[1] for row in named(rows, "error after t steps", "DP-SGD, T=200, d=4")]
    assert times == ["2", "20", "200"]
    lam = np.array([1, 1 / 2, 1 / 3, 1 / 4])
    limit = laws.noisy_sgd(RegressionProblem(lam, eta, 1.0))
    start = 4.0 * math.exp(-eta * t_early / 4) * 0.5 * lam.sum() / 4
    assert found.value == pytest.approx((math.sqrt(start) + math.sqrt(limit)) ** 2, rel=1e-3)
    trace = sum(1 / k for k in range(1, 9))
    tuning = Tuning(A=8.0, B=0.01 * (trace + 2), C=4.0 * (trace + 2), mu=1 / 8, T=500)
    lemma = named(rows, "smallest value of (87)", "T=500")[0]
    assert lemma.value == pytest.approx(tuning.bound(1 / (trace + 2)))
    assert lemma.measured == pytest.approx(convergence._least(tuning, 1 / (trace + 2)))


def test_threshold_of_the_logarithm_by_hand(rows: list[Bound]) -> None:
    x = 0.01 / (9 * math.log(900) ** 2)
    assert named(rows, "x log^2(1/x)", "c=0.01")[0].measured == pytest.approx(x * math.log(x) ** 2)
