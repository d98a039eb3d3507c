"""choquettechoo2023's experiments: their tables, values against slow twins, shared draws, cuts, what is released."""

import importlib
import itertools
import json
import math
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import binom

from dpdescent.algorithms import dp_ftrl, dp_ftrl_epochs
from dpdescent.algorithms.dp_ftrl import FTRLArms
from dpdescent.data.digits import read_digits
from dpdescent.models.classifiers import TanhNetwork, softmax_regression
from dpdescent.models.convolution import ConvolutionalNetwork
from dpdescent.noise.strategies import toeplitz, tree
from dpdescent.noise.strategies.base import Strategy
from dpdescent.noise.strategies.multi_epoch import multi_epoch_optimum
from dpdescent.noise.strategies.stamped import Stamped, stamped
from dpdescent.noise.strategies.tree import OnlineTree
from dpdescent.papers.choquettechoo2023 import (
    costs,
    digits,
    finite_time,
    gradients,
    mean_estimation,
    mechanisms,
    orders,
    streams,
)
from dpdescent.papers.choquettechoo2023.mechanisms import EpochArm
from dpdescent.privacy import accounting, sampling, zcdp
from dpdescent.replication.build import tables
from dpdescent.replication.configuration import project
from dpdescent.replication.ledger import entries as ledger
from noisy_ftrl_twins import nu_decoder, nu_encoder, step_by_step

PAPER = "choquettechoo2023"
PROJECT = project.load({"scale": "quick", "seed": 3, "papers": [PAPER]}, Path(__file__).parents[2])
ARTEFACTS = PROJECT.papers[PAPER].artefacts

# Reading them takes longer than a small training run.
DIGITS = read_digits()

Spec = dict[str, Any]
Power = Callable[[np.ndarray], np.ndarray]

SGD, FTRL, NON_PRIVATE, AMPLIFIED = "DP-SGD", "nu-DP-FTRL", "non-private", "DP-SGD, amplified"
MECHANISMS = [
    NON_PRIVATE, SGD, AMPLIFIED, "TreeAgg", "Honaker", "Honaker, restarts", "Optimal CC", "Optimal CC, restarts", FTRL,
    "ME",
]  # fmt: skip
# Two epochs of ten batches.
EPOCHS = {"k": 2, "T": 20, "dp_delta": 1e-4, "tuning_seeds": 2, "copies": [1, 2, 5]}
LEARNING = {"cell": {"eps": 5.0}, "arms": {"learning_rate": [0.05, 5.0]}}
# Sizes at which an experiment takes milliseconds.
SMALL: dict[str, dict[str, dict[str, Any]]] = {
    "fig02": {"cell": {"d": 4, "alpha": 1.0, "eta": 0.1}, "arms": {"T": 60, "tail": 20}},
    "fig03": {"cell": {"eta": 0.5, "kappa": [3.0, 20.0]}, "arms": {"T_max": [0, 1]}, "settings": {"points": 60}},
    "fig04a": LEARNING | {"settings": EPOCHS | {"records": 140, "batch": 14, "hidden": 3, "filters": 2}},
    "table1": {"cell": {"d": [3, 5], "eta": [0.02, 0.1]}},
    "table2": {"cell": {"d": 4, "eta": [0.02, 0.1], "T": [10, 40]}},
    "table4": {"cell": {"d": [3, 6]}},
    "ext_mean_estimation": {"cell": {"eta": [0.05, 0.1, 1.0], "T": 120, "tail": 40}},
    "ext_finite_time": {
        "cell": {"d": 3, "T": 30},
        "arms": {"eta": [0.02, 0.1, 0.5], "clip_norm": [0.5, 2.0]},
    },
    "table3": {"cell": {"T": [8, 16]}, "arms": {"participations": 2}},
    "ext_gradients": {"cell": {"d": [2, 3], "T": 40}},
    "ext_nu": {"cell": {"d": 4}}, "ext_spectra": {"cell": {"d": [4, 8]}},
    "ext_prefix_sums": {
        "cell": {"T": [8, 12]},
        "arms": {"participations": {"8": 2, "12": 3}, "copies": [1, 2], "largest_me": 8},
    },
}  # fmt: skip


def run(name: str, spec: Spec) -> list[dict[str, Any]]:
    return list(pkgutil.resolve_name(ARTEFACTS[name].run)(spec))


def releases_of(name: str) -> Any:
    """What lists an artefact's ledger entries; None where nothing is released."""
    module, _, function = ARTEFACTS[name].releases.partition(":")
    return getattr(importlib.import_module(module), function, None)


def spec_of(
    name: str, panel: str | None = None, variant: str = "main", trials: tuple[int, int] = (0, 1), **changes: Any
) -> Spec:
    """A part's specification with other values in its cell, arms or settings."""
    part = next(
        part
        for part in ARTEFACTS[name].parts
        if part.spec["variant"] == variant and panel in (None, part.spec["panel"])
    )
    spec: Spec = json.loads(part.json()) | {"trials": list(trials)}
    for section in ("cell", "arms", "settings"):
        spec[section] = spec[section] | changes.get(section, {})
    return spec


def small(
    name: str, panel: str | None = None, trials: tuple[int, int] = (0, 1), variant: str = "main", **changes: Any
) -> Spec:
    base = SMALL.get(name, {})
    merged = {key: base.get(key, {}) | changes.get(key, {}) for key in ("cell", "arms", "settings")}
    return spec_of(name, panel, variant, trials, **merged)


def rows_of(name: str, spec: Spec) -> pd.DataFrame:
    return pd.DataFrame(run(name, spec))


def panels_of(name: str) -> list[str]:
    return list(dict.fromkeys(part.spec["panel"] for part in ARTEFACTS[name].parts))


def values(table: pd.DataFrame, *index: str) -> "pd.Series[float]":
    return table.set_index(list(index))["value"]


# Twins


class Law:
    """F_inf of eq. 8 by sums over a uniform grid of frequencies and a dense linear system of second moments."""

    def __init__(self, lam: np.ndarray, eta: float, rho: float, clip_norm: float = 1.0, sigma_sgd: float = 0.0) -> None:
        rates, d = eta * lam, len(lam)
        # Sums over the grid are exact up to exp(-grid rate).
        grid = 2 ** math.ceil(math.log2(max(2.0**14, 30.0 / rates.min())))
        self.omega = 2.0 * np.pi * np.arange(grid) / grid
        self.unit, self.sigma_sgd = clip_norm**2 / (2.0 * rho), sigma_sgd
        step = np.diag(1.0 - 2.0 * rates + 2.0 * rates**2) + np.outer(rates, rates)
        # F_inf = prices @ force, with a force in every direction.
        self.prices = 0.5 * eta**2 * lam @ np.linalg.inv(np.eye(d) - step)
        self.labels = float(self.prices @ lam) * sigma_sgd**2
        response = 1.0 / np.abs(1.0 - rates[:, None] - np.exp(1j * self.omega)) ** 2
        self.weight = (self.prices * rates * (2.0 - rates)) @ response

    def of(self, power: Power) -> float:
        """Error of noise with |B|^2 = power."""
        values = power(self.omega)
        return self.labels + self.unit * float(np.mean(1.0 / values) * np.mean(values * self.weight))

    def sgd(self) -> float:
        return self.of(np.ones_like)

    def ftrl(self, nu: float) -> float:
        return self.of(lambda omega: np.abs(1.0 - nu - np.exp(1j * omega)))

    def damped(self, nu: float) -> float:
        return self.of(lambda omega: np.abs(1.0 - nu - np.exp(1j * omega)) ** 2)

    def best(self) -> float:
        """The infimum over all coefficients, by Cauchy-Schwarz."""
        return self.labels + self.unit * float(np.mean(np.sqrt(self.weight))) ** 2


def lower(column: np.ndarray) -> np.ndarray:
    return np.array([[column[t - s] if s <= t else 0.0 for s in range(len(column))] for t in range(len(column))])


def dense_sensitivity_squared(C: np.ndarray, k: int) -> float:
    b = C.shape[1] // k
    return max(float((C[:, offset::b].sum(1) ** 2).sum()) for offset in range(b))


# What every experiment returns


@pytest.mark.parametrize("name", list(ARTEFACTS))
def test_rows_hold_what_the_table_declares_and_nothing_else(name: str) -> None:
    artefact = ARTEFACTS[name]
    # Both panels of prefix sums have the small spec's T.
    panels = panels_of(name)[:1] if name == "ext_prefix_sums" else panels_of(name)
    parts = [rows_of(name, small(name, panel, (0, 2))).assign(variant="main") for panel in panels]
    rows = pd.concat(parts)
    assert set(rows) == {*artefact.keys, *artefact.measures, "series", "trial", "value", "variant"}
    # What nobody counted has no value; nothing else is missing.
    assert set(rows.loc[rows["value"].isna(), "mechanism"] if name == "table3" else []) <= {"FFT", "Full Honaker"}
    assert name == "table3" or np.isfinite(rows["value"]).all()
    # Every part by itself has all measures, because its sums are written down.
    assert all({*artefact.measures} <= set(part) for part in parts)
    table = tables.summarise(parts, artefact.keys, artefact.measures)
    assert not table.duplicated([*artefact.keys, "series"]).any()
    # What is drawn is there for every trial, what is exact once.
    for row in table.to_dict("records"):
        always = name in ("fig04a", "ext_gradients") or row["series"] in (
            "error at the tuned rate",
            "DP-SGD minus this",
        )
        drawn = always or bool({"simulated", "paired"} & {*row.values()})
        assert row["trials"] == (2 if drawn else 1)
        assert not drawn or name in DRAWN


def test_parts_that_only_compute_have_all_measures() -> None:
    rows = rows_of("fig02", small("fig02", variant="dimensions to 1024"))
    assert {*ARTEFACTS["fig02"].measures} <= set(rows)
    assert set(rows["kind"]) == {"exact", "bound"}


DRAWN = ["fig02", "fig04a", "ext_mean_estimation", "ext_finite_time", "ext_gradients"]
QUICKER = {"arms": {"mechanism": [AMPLIFIED, "Honaker, restarts", FTRL]}}


def drawn_spec(name: str, trials: tuple[int, int]) -> Spec:
    panel = "clipped" if name == "ext_finite_time" else None
    arms = {"arms": LEARNING["arms"] | QUICKER["arms"]} if name.startswith("fig04") else {}
    return small(name, panel, trials, **arms)


@pytest.mark.parametrize("name", DRAWN)
def test_the_cut_into_parts_and_groups_changes_no_bit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def ordered(*ranges: tuple[int, int]) -> list[str]:
        rows = (row for ends in ranges for row in run(name, drawn_spec(name, ends)))
        return sorted(str(sorted(row.items())) for row in rows)

    whole = ordered((0, 4))
    assert ordered((0, 2), (2, 4)) == whole
    monkeypatch.setattr(streams, "TOGETHER", 1)
    assert ordered((0, 3), (3, 4)) == whole


@pytest.mark.parametrize("name", DRAWN)
def test_trials_differ_and_come_again(name: str) -> None:
    def drawn(trials: tuple[int, int]) -> pd.DataFrame:
        rows = rows_of(name, drawn_spec(name, trials))
        kept = rows[rows["kind"] == "simulated"] if "kind" in rows else rows
        return kept.drop(columns="trial").reset_index(drop=True)

    first, second = drawn((0, 1)), drawn((1, 2))
    pd.testing.assert_frame_equal(first, drawn((0, 1)))
    assert not np.allclose(first["value"], second["value"])


@pytest.mark.parametrize("name", ["fig04a", "ext_mean_estimation", "ext_finite_time"])
def test_an_arm_does_not_depend_on_which_others_run(name: str) -> None:
    def rows(mechanisms: list[str]) -> list[str]:
        spec = drawn_spec(name, (0, 2))
        spec["arms"]["mechanism"] = mechanisms
        kept = (row for row in run(name, spec) if row["mechanism"] == mechanisms[0])
        return [str(row) for row in kept if " minus " not in row["series"]]

    names = {"ext_mean_estimation": ["nu = 0.1 eta", SGD, "Optimal CC"], "ext_finite_time": [SGD, FTRL]}
    chosen = names.get(name, ["Honaker, restarts", NON_PRIVATE, FTRL])
    assert rows(chosen) == rows(chosen[:1])
    assert len(rows(chosen)) >= 2


# Figure 1


def test_figure_1_is_the_closed_forms_of_mean_estimation() -> None:
    for eta in (0.05, 0.4):
        rows = values(rows_of("fig01", spec_of("fig01", "ratio", cell={"eta": [eta, 1.0]})), "series", "eta")
        # A single eigenvalue is mean estimation, but for the inputs' randomness, which multiplies both errors.
        law = Law(np.ones(1), eta, 1.0)
        assert rows["exact ratio", eta] == pytest.approx(law.best() / law.sgd(), rel=1e-10)
        assert rows["order-wise proxy", eta] == pytest.approx(eta * math.log(eta) ** 2, rel=1e-14)
        assert (rows["exact ratio", 1.0], rows["order-wise proxy", 1.0]) == (pytest.approx(1.0, rel=1e-12), 0.0)
        time = values(rows_of("fig01", spec_of("fig01", "time", cell={"eta": [eta], "t": [0, 1, 5]})), "t")
        for t in (0, 1, 5):
            assert time[t] == pytest.approx((-1) ** t * binom(0.5, t) * (1.0 - eta) ** t, rel=1e-12)
        power = rows_of("fig01", spec_of("fig01", "frequency", cell={"eta": [eta], "frequencies": 5}))
        assert power["omega"].tolist() == pytest.approx(np.linspace(0.0, np.pi, 5), rel=1e-15)
        assert np.allclose(power["value"], np.abs(1.0 - eta - np.exp(1j * power["omega"])), rtol=1e-12)


# Figure 2


def test_exact_errors_and_bounds_of_figure_2() -> None:
    cell, settings = {"d": 4, "alpha": 0.5, "eta": 0.05}, {"rho": 0.8, "clip_norm": 1.5, "sigma_sgd": 0.4}
    rows = rows_of("fig02", small("fig02", cell=cell, settings=settings, arms={"simulate": False}))
    found, lam = values(rows, "kind", "series"), np.arange(1, 5) ** -0.5
    law, nu, d_eff = Law(lam, 0.05, 0.8, 1.5, 0.4), 0.05 * lam[-1], lam.sum()
    assert set(rows["nu"]) == {nu}
    assert rows["d_eff"].tolist() == pytest.approx([d_eff] * len(rows), rel=1e-15)
    expected = {"Noisy-SGD": law.sgd(), "nu-Noisy-FTRL": law.ftrl(nu), "optimum": law.best()}
    for series, value in expected.items():
        assert found["exact", series] == pytest.approx(value, rel=1e-9)
    exact = rows[rows["kind"] == "exact"].set_index("series")
    assert exact["exact"].tolist() == exact["value"].tolist()
    squared = {"Noisy-SGD": 1.0, "nu-Noisy-FTRL": float((nu_encoder(nu, 3000) ** 2).sum())}
    unit = 0.05**2 * 1.5**2 / 0.8
    orders = {
        "Noisy-SGD order": 0.05 * 4 * 1.5**2 / (8 * 0.8),
        "nu-Noisy-FTRL order": unit * d_eff,
        "nu-Noisy-FTRL order with log": unit * d_eff * math.log(nu) ** 2,
    }
    h = (lam[:, None] / np.abs(1.0 - 0.05 * lam[:, None] - np.exp(1j * law.omega)) ** 2).sum(0)
    label = 0.5 * 0.05 * 0.4**2 * d_eff
    orders["lower bound (C.18)"] = 0.5 * (label + unit / 2.0 * float(np.sqrt(h).mean()) ** 2)
    moment = d_eff + 2.0
    series_sum = (1.0 - math.sqrt(0.05 * moment)) ** -2
    for name, power in (
        ("Noisy-SGD", np.ones_like(law.omega)),
        ("nu-Noisy-FTRL", abs(1 - nu - np.exp(1j * law.omega))),
    ):
        assert exact.loc[name, "gamma_squared"] == pytest.approx(squared[name], rel=1e-9)
        noise = unit * squared[name] * float((power * h).mean())
        bound = (1.0 + series_sum) * 0.05 * moment * 0.4**2 + (1.0 + 3.0 * series_sum) * noise
        orders[f"upper bound (C.15), {name}"] = bound
    for series, value in orders.items():
        assert found["bound", series] == pytest.approx(value, rel=1e-9), series
    assert len(rows) == 3 + len(orders)


def test_an_upper_bound_is_left_out_where_it_is_not_stated() -> None:
    rows = rows_of("fig02", small("fig02", cell={"eta": 0.25}, arms={"simulate": False}))
    assert set(rows.loc[rows["kind"] == "bound", "series"]) == {
        "Noisy-SGD order", "nu-Noisy-FTRL order", "nu-Noisy-FTRL order with log", "lower bound (C.18)",
    }  # fmt: skip


def test_variants_of_figure_2_change_what_they_say() -> None:
    arms = {"simulate": False}
    lam = 1.0 / np.arange(1, 5)
    fixed, noisy, horizon = (
        rows_of("fig02", small("fig02", variant=name, arms=arms)).query("kind == 'exact'").set_index("series")
        for name in ("fixed nu", "label noise of sd 1", "sensitivity of T steps")
    )
    assert set(fixed["nu"]) == {0.001}
    assert noisy.loc["optimum", "value"] == pytest.approx(Law(lam, 0.1, 0.5, sigma_sgd=1.0).best(), rel=1e-9)
    C = np.linalg.inv(lower(nu_decoder(0.025, 60)))
    assert horizon.loc["nu-Noisy-FTRL", "gamma_squared"] == pytest.approx(float((C[:, 0] ** 2).sum()), rel=1e-11)
    assert horizon.loc["Noisy-SGD", "gamma_squared"] == 1.0
    scaled = Law(lam, 0.1, 0.5).ftrl(0.025) * float((C[:, 0] ** 2).sum()) / float((nu_encoder(0.025, 4000) ** 2).sum())
    assert horizon.loc["nu-Noisy-FTRL", "value"] == pytest.approx(scaled, rel=1e-9)


def test_simulations_of_figure_2_agree_with_the_recursion_of_their_own_steps() -> None:
    cell, arms = {"d": 3, "alpha": 0.5, "eta": 0.1}, {"T": 16, "tail": 12}
    rows = rows_of("fig02", small("fig02", trials=(0, 400), cell=cell, arms=arms, settings={"sigma_sgd": 0.3}))
    lam = np.arange(1, 4) ** -0.5
    nu = 0.1 * lam[-1]
    law = Law(lam, 0.1, 0.5, sigma_sgd=0.3)
    coefficients = {
        "Noisy-SGD": (np.eye(1, 16)[0], law.sgd()), "nu-Noisy-FTRL": (nu_decoder(nu, 16), law.ftrl(nu)),
    }  # fmt: skip
    for series, (beta, limit) in coefficients.items():
        found = rows[(rows["kind"] == "simulated") & (rows["series"] == series)]
        variance = found["gamma_squared"].iloc[0] / (2 * 0.5)
        expected = step_by_step(lam, 0.1, beta, variance, 0.3, np.zeros(3), 16)[-12:].mean()
        np.testing.assert_allclose(found["expected"], expected, rtol=1e-10)
        np.testing.assert_allclose(found["exact"], limit, rtol=1e-9)
        # Before the limit is reached, the two differ by much more than the error of the mean.
        assert abs(expected - limit) > 0.05 * limit
        error = found["value"].std() / math.sqrt(len(found))
        assert error < 0.04 * expected
        assert found["value"].mean() == pytest.approx(expected, abs=3.5 * error)


def test_both_algorithms_of_figure_2_have_the_same_draws_and_noise_of_their_sensitivity() -> None:
    def simulated(**settings: Any) -> "pd.Series[float]":
        rows = rows_of("fig02", small("fig02", trials=(0, 2), settings=settings))
        return values(rows[rows["kind"] == "simulated"], "series", "trial")

    # At nu = 1 the coefficients are those of independent noise.
    equal = simulated(fixed_nu=1.0)
    assert equal["Noisy-SGD"].tolist() == equal["nu-Noisy-FTRL"].tolist()
    # Without label noise all errors are those of the noise, whose variance is gamma^2 G^2 / (2 rho).
    plain = simulated()
    np.testing.assert_allclose(simulated(rho=2.0), plain / 4.0, rtol=1e-11)
    np.testing.assert_allclose(simulated(clip_norm=3.0), plain * 9.0, rtol=1e-11)
    horizon = simulated(horizon_sensitivity=True)
    share = float((nu_encoder(0.025, 60) ** 2).sum() / (nu_encoder(0.025, 4000) ** 2).sum())
    np.testing.assert_allclose(horizon["nu-Noisy-FTRL"], plain["nu-Noisy-FTRL"] * share, rtol=1e-10)
    assert horizon["Noisy-SGD"].tolist() == plain["Noisy-SGD"].tolist()


# Figure 4


def recorded(monkeypatch: pytest.MonkeyPatch, name: str, spec: Spec) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    """Rows, and the arguments of every training run in their order, each mechanism by itself."""
    calls: list[dict[str, Any]] = []
    plain = dp_ftrl_epochs.train

    def listening(model: Any, inputs: Any, labels: Any, batches: Any, arms: Any, noise: Any, **more: Any) -> Any:
        given = {"model": model, "inputs": inputs, "labels": labels, "batches": batches, "arms": arms, "noise": noise}
        calls.append(given | more)
        return plain(model, inputs, labels, batches, arms, noise, **more)

    monkeypatch.setattr(dp_ftrl_epochs, "train", listening)
    monkeypatch.setattr(digits, "WIDE", 1)
    return rows_of(name, spec), calls


def last_runs(calls: list[dict[str, Any]], names: list[str]) -> dict[str, dict[str, Any]]:
    """The runs of the last trial, by mechanism; those with the same batches and clip norm follow each other."""
    kinds = {name: (name == AMPLIFIED, name == NON_PRIVATE) for name in names}
    order = [name for kind in dict.fromkeys(kinds.values()) for name in names if kinds[name] == kind]
    return dict(zip(order, calls[-len(names) :], strict=True))


@pytest.mark.parametrize("variant", ["main", "two-layer net"])
def test_mechanisms_that_are_trained_together_reach_what_they_reach_alone(
    variant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "fig04a"
    spec = small(name, variant=variant, arms=LEARNING["arms"] | {"mechanism": MECHANISMS})
    together = rows_of(name, spec)
    alone, calls = recorded(monkeypatch, name, spec)
    pd.testing.assert_frame_equal(together, alone, check_exact=True)
    monkeypatch.setattr(digits, "WIDE", 16)
    fewer: list[int] = []
    plain = dp_ftrl_epochs.train
    monkeypatch.setattr(dp_ftrl_epochs, "train", lambda *args, **more: fewer.append(1) or plain(*args, **more))
    rows_of(name, spec)
    assert len(fewer) < 0.6 * len(calls)


BASES = {
    SGD: toeplitz.identity, "Optimal CC": toeplitz.optimal_cc,
    "TreeAgg": lambda: tree.tree_aggregation(True), "Honaker": lambda: tree.online_honaker(True),
}  # fmt: skip


def strategy_twin(name: str, row: "pd.Series[Any]", T: int, k: int) -> Any:
    if name == "ME":
        return multi_epoch_optimum(T, k)
    if name == FTRL:
        return toeplitz.nu_family(row["nu"])
    return stamped(BASES[name.removesuffix(", restarts")](), int(row["copies"]))


@pytest.mark.parametrize("variant", ["main", "two-layer net", "convolutional net"])
def test_mechanisms_of_one_seed_share_all_they_can(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "fig04a"
    spec = small(name, variant=variant, arms=LEARNING["arms"] | {"mechanism": MECHANISMS})
    rows, calls = recorded(monkeypatch, name, spec)
    runs, table = last_runs(calls, MECHANISMS), rows.drop_duplicates("mechanism").set_index("mechanism")
    independent = runs[SGD]["noise"][:, 0]
    assert independent.std() == pytest.approx(1.0, rel=0.1)
    for mechanism, run in runs.items():
        for what in ("inputs", "labels", "start"):
            np.testing.assert_array_equal(run[what], runs[SGD][what])
        assert (run["batch_size"], run["steps"]) == (runs[SGD]["batch_size"], 20)
        assert run["cool_down"] == small(name)["settings"]["cooldown"]
        if mechanism == AMPLIFIED:
            assert len(run["batches"]) == 20
            assert {len(batch) for batch in run["batches"]} != {run["batch_size"]}
        else:
            np.testing.assert_array_equal(run["batches"], runs[SGD]["batches"])
        momentum = 0.0 if mechanism in (SGD, AMPLIFIED) else small(name)["settings"]["momentum"]
        assert run["arms"].momentum.tolist() == [momentum]
        assert run["arms"].noise_multiplier.tolist() == [table.loc[mechanism, "noise_multiplier"]]
        assert run["arms"].learning_rate.tolist() == [table.loc[mechanism, "learning_rate"]]
        if mechanism == NON_PRIVATE:
            assert (run["noise"], run["clip_norm"]) == (None, math.inf)
            continue
        assert run["clip_norm"] == small(name)["settings"]["clip_norm"]
        # The encoder gives the normals back; those of trees, which need more, begin with the same ones.
        strategy = strategy_twin(mechanism if mechanism != AMPLIFIED else SGD, table.loc[mechanism], 20, 2)
        noise, C = run["noise"][:, 0], strategy.encoder(20)
        if len(C) == 20:
            np.testing.assert_allclose(C @ noise, independent, atol=1e-9)
        else:
            known = strategy.decoder(20)
            rest = noise - known[:, :20] @ independent
            # What is left lies in the span of the further columns.
            further = known[:, 20:]
            np.testing.assert_allclose(further @ np.linalg.lstsq(further, rest, rcond=None)[0], rest, atol=1e-8)
    assert np.isnan(table.loc[[mechanism for mechanism in MECHANISMS if mechanism != FTRL], "nu"]).all()
    assert 0.0 < table.loc[FTRL, "nu"] < 1.0
    assert bool(runs[SGD]["start"].any()) == (variant != "main")


def accuracies_of(spec: Spec) -> pd.DataFrame:
    """Rows of test accuracies by mechanism, eps and trial."""
    rows = rows_of("fig04a", spec)
    return rows[rows["series"] == "test accuracy"].set_index(["mechanism", "eps", "trial"])["value"]


PAIRS = ["Honaker", "Honaker, restarts", "Optimal CC", FTRL, "ME", AMPLIFIED]


def test_differences_are_those_of_the_runs_of_a_seed() -> None:
    """By mechanism, over mechanisms and over eps; each row of a pair is the difference of two accuracies."""
    arms = LEARNING["arms"] | {"mechanism": PAIRS}
    rows = rows_of("fig04a", small("fig04a", trials=(0, 2), cell={"eps": [2.0, 20.0]}, arms=arms))
    own = rows[rows["series"] == "test accuracy"].set_index(["mechanism", "eps", "trial"])["value"]
    pairs = rows.set_index(["series", "mechanism", "eps", "trial"])["value"]
    anytime = ["Honaker", "Honaker, restarts", "Optimal CC"]
    for trial in (0, 1):
        for eps in (2.0, 20.0):
            restarts = own["Honaker, restarts", eps, trial] - own["Honaker", eps, trial]
            assert pairs["restarts minus this", "Honaker", eps, trial] == restarts
            to_me = own["ME", eps, trial] - own["Optimal CC", eps, trial]
            assert pairs["ME minus this", "Optimal CC", eps, trial] == to_me
        gains = {
            eps: own[FTRL, eps, trial] - np.mean([own[name, eps, trial] for name in anytime]) for eps in (2.0, 20.0)
        }
        smaller = pairs["nu minus anytime mechanisms, less that at the largest eps", FTRL, 2.0, trial]
        assert smaller == pytest.approx(gains[2.0] - gains[20.0])
        whole = rows[(rows["series"] == "nu minus anytime mechanisms, over all eps") & (rows["trial"] == trial)]
        assert whole["value"].item() == pytest.approx(np.mean([*gains.values()]))
        assert whole["eps"].isna().all()
    assert set(rows.loc[rows["series"] == "restarts minus this", "mechanism"]) == {"Honaker"}
    assert own.nunique() > 4


def test_momentum_is_exchanged_within_a_seed() -> None:
    """Exchanged runs are those of settings in which the two momenta are exchanged; their pairs are the usual runs."""
    spec = small("fig04a", trials=(0, 2), arms=LEARNING["arms"] | {"mechanism": PAIRS})
    usual = accuracies_of(spec)
    swapped = {"momentum": spec["settings"]["momentum_dp_sgd"], "momentum_dp_sgd": spec["settings"]["momentum"]}
    other = accuracies_of(spec | {"settings": spec["settings"] | swapped})
    rows = rows_of("fig04a", spec | {"arms": spec["arms"] | {"momentum_exchanged": True}})
    by_series = {
        name: group.set_index(["mechanism", "eps", "trial"])["value"] for name, group in rows.groupby("series")
    }
    pd.testing.assert_series_equal(by_series["test accuracy"].sort_index(), other.sort_index())
    gained = (usual - other).sort_index()
    pd.testing.assert_series_equal(by_series["own momentum minus this"].sort_index(), gained)
    assert gained.abs().max() > 0.01
    entries = [name for name, *_ in releases_of("fig04a")(spec | {"arms": spec["arms"] | {"momentum_exchanged": True}})]
    assert len(set(entries)) == len(entries) == 2 * len(PAIRS)
    correlated = gained.drop(AMPLIFIED, level="mechanism").groupby("trial").mean()
    on_average = by_series["momentum minus none, correlated noise"].droplevel(["mechanism", "eps"])
    pd.testing.assert_series_equal(on_average.sort_index(), correlated, check_names=False)


def test_pairs_of_regression_are_the_differences_of_equal_seeds() -> None:
    rows = rows_of("fig02", small("fig02", trials=(0, 3)))
    simulated = rows[rows["kind"] == "simulated"].set_index(["series", "trial"])["value"]
    paired = rows[rows["kind"] == "paired"].set_index("trial")["value"]
    pd.testing.assert_series_equal(paired, simulated["Noisy-SGD"] - simulated["nu-Noisy-FTRL"])
    table = (
        rows_of("ext_finite_time", small("ext_finite_time", "clipped", (0, 3)))
        .set_index(["series", "mechanism", "T", "trial"])["value"]
        .sort_index()
    )
    for (T, trial), value in table["DP-SGD minus this", FTRL].items():
        errors = (table["error at the tuned rate", name, T, trial] for name in (SGD, FTRL))
        assert value == float.__sub__(*errors)


def test_batches_are_an_order_of_the_records_in_which_each_takes_part_once_an_epoch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec = small("fig04a", arms=LEARNING["arms"] | {"mechanism": [FTRL, AMPLIFIED]}, trials=(0, 40))
    _, calls = recorded(monkeypatch, "fig04a", spec)
    assert sorted(np.concatenate(calls[-2]["batches"])) == list(range(140))
    sizes = [len(batch) for call in calls[5::2] for batch in call["batches"]]
    # Poisson sampling at rate k/T.
    assert np.mean(sizes) == pytest.approx(14.0, abs=4 * math.sqrt(140 * 0.1 * 0.9 / len(sizes)))
    assert np.var(sizes) == pytest.approx(140 * 0.1 * 0.9, rel=0.25)


@pytest.mark.parametrize("accountant", ["tight", "Renyi"])
def test_noise_gives_exactly_the_epsilon_that_is_asked_for(accountant: str) -> None:
    spec = small("fig04a", settings=SMALL["fig04a"]["settings"] | {"accountant": accountant})
    epsilon = accounting.tight_epsilon if accountant == "tight" else zcdp.renyi_epsilon
    for name in MECHANISMS[1:]:
        arm = EpochArm.of(spec, name, 5.0)
        if name == AMPLIFIED:
            which = "PLD" if accountant == "tight" else "RDP"
            assert sampling.epsilon(arm.noise_multiplier, 0.1, 20, 1e-4, which) == pytest.approx(5.0, rel=1e-5)
            assert math.isnan(arm.rho)
            continue
        assert arm.strategy is not None
        rho = dense_sensitivity_squared(arm.strategy.encoder(20), 2) / (2.0 * arm.noise_multiplier**2)
        assert arm.rho == pytest.approx(rho, rel=1e-9)
        assert epsilon(rho, 1e-4) == pytest.approx(5.0, rel=1e-8), name


def test_restarts_and_damping_are_tuned_on_the_error_of_prefix_sums() -> None:
    spec = small("fig04a")

    def error(strategy: Any) -> float:
        prefixes = np.cumsum(strategy.decoder(20), axis=0)
        return dense_sensitivity_squared(strategy.encoder(20), 2) * float((prefixes**2).sum())

    for name, base in BASES.items():
        arm = EpochArm.of(spec, f"{name}, restarts", 5.0)
        errors = {copies: error(stamped(base(), copies)) for copies in (1, 2, 5)}
        assert errors[arm.copies] == pytest.approx(min(errors.values()), rel=1e-12)
        assert EpochArm.of(spec, name, 5.0).copies == 1
    best = error(toeplitz.nu_family(EpochArm.of(spec, FTRL, 5.0).nu))
    assert best <= min(error(toeplitz.nu_family(nu)) for nu in np.geomspace(1e-3, 1.0, 60)) * (1.0 + 1e-9)


def test_rates_are_tuned_on_other_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    names, rates = [NON_PRIVATE, FTRL, SGD], [0.001, 0.5, 500.0]
    spec = small("fig04a", trials=(0, 3), arms={"mechanism": names, "learning_rate": rates})
    seeds: dict[str, list[int]] = {name: [] for name in names}
    found: dict[str, list[np.ndarray]] = {name: [] for name in names}
    plain = digits.train

    def listening(spec: Spec, make_task: Any, asked: Any, trial: int) -> list[np.ndarray]:
        for arm, _ in asked:
            seeds[arm.name].append(trial)
        return plain(spec, make_task, asked, trial)

    monkeypatch.setattr(digits, "train", listening)
    table = rows_of("fig04a", spec).drop_duplicates("mechanism").set_index("mechanism")
    for name in names:
        assert seeds[name][0] == -2
        assert set(seeds[name][1:-3]) == {-1}
        assert seeds[name][-3:] == [0, 1, 2]
        arm = EpochArm.of(spec, name, spec["cell"]["eps"])
        found[name] = [plain(spec, digits.task, [(arm, rates)], seed)[0] for seed in (-2, -1)]
        assert table.loc[name, "learning_rate"] == rates[int(np.argmax(np.mean(found[name], axis=0)))]
        assert np.ptp(np.mean(found[name], axis=0)) > 0.02
    # Another seed has another split and another order.
    first, second = (digits.task(spec, np.random.default_rng(seed)) for seed in (0, 1))
    assert not np.array_equal(first.inputs, second.inputs)


def literal_accuracy(run: dict[str, Any], task: Any) -> float:
    """Softmax regression on the digits by Algorithm 1 with momentum, one record at a time."""
    W, b, velocity = np.zeros((64, 10)), np.zeros(10), np.zeros(650)
    (rate,), (multiplier,), (momentum,) = run["arms"].learning_rate, run["arms"].noise_multiplier, run["arms"].momentum
    for t in range(run["steps"]):
        total = np.zeros(650)
        for row in run["batches"][t % len(run["batches"])]:
            x = run["inputs"][row]
            p = np.exp(x @ W + b)
            p /= p.sum()
            p[run["labels"][row]] -= 1.0
            g = np.concatenate([np.outer(x, p).ravel(), p])
            total += g * min(1.0, run["clip_norm"] / np.linalg.norm(g))
        if run["noise"] is not None:
            total += multiplier * run["clip_norm"] * run["noise"][t, 0]
        velocity = momentum * velocity + total / 14
        into = t - (run["steps"] - 5) + 1
        step = rate * (velocity if into <= 0 else velocity * (1.0 - 0.95 * into / 5))
        W, b = W - step[:640].reshape(64, 10), b - step[640:]
    return float(np.mean((task.test_inputs @ W + b).argmax(1) == task.test_labels))


def test_accuracies_are_those_of_literal_training(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [NON_PRIVATE, SGD, AMPLIFIED, FTRL]
    arms = {"mechanism": names, "learning_rate": [2.0]}
    made: list[Any] = []

    def keeping(spec: Spec, rng: np.random.Generator) -> Any:
        made.append(digits.task(spec, rng))
        return made[-1]

    spec = small("fig04a", arms=arms, settings=SMALL["fig04a"]["settings"] | {"cooldown": 0.25, "clip_norm": 0.7})
    rows, calls = recorded(monkeypatch, "fig04a", spec)
    runs = last_runs(calls, names)
    list(digits.rows_of(spec, keeping))
    task = made[-1]
    np.testing.assert_array_equal(task.inputs, runs[SGD]["inputs"])
    assert len(task.test_labels) == 1797 - 140
    table = values(rows, "series", "mechanism")
    for name in names:
        assert table["test accuracy", name] == pytest.approx(literal_accuracy(runs[name], task), abs=2e-3)
        if name != FTRL:
            ahead = table["test accuracy", FTRL] - table["test accuracy", name]
            assert table["nu minus this", name] == ahead
    assert ("nu minus this", FTRL) not in table.index
    assert table["test accuracy", NON_PRIVATE] > table["test accuracy", FTRL] > 0.2


def test_tasks_are_what_the_settings_say() -> None:
    models = {
        "main": softmax_regression(64, 10), "two-layer net": TanhNetwork((64, 3, 10)),
        "convolutional net": ConvolutionalNetwork(8, 2),
    }  # fmt: skip
    for variant, model in models.items():
        assert digits.task(small("fig04a", variant=variant), np.random.default_rng(0)).model == model


def test_overlaid_sizes_keep_a_record_to_its_participations() -> None:
    """The sensitivity is for one participation every T/k steps; batches come again every records/batch steps."""
    for part in ARTEFACTS["fig04a"].parts:
        settings = part.spec["settings"]
        assert settings["T"] * settings["batch"] == settings["k"] * settings["records"]


# Tables


ALPHAS = orders.ALPHAS | {"flat": 0.0, "k^-1": 1.0, "k^-2": 2.0, "k^-a, a = 0.75": 0.75, "k^-a, a = 3": 3.0}
TINY = {"d": [4, 6], "eta": [0.05, 0.1]}
EXACT_TABLES: list[tuple[str, str | None, dict[str, Any], dict[str, Any]]] = [
    ("table1", None, TINY, {}), ("table2", None, TINY | {"d": 4, "T": [10, 40]}, {}),
    ("table4", None, {"d": [3, 6]}, {}), ("ext_anti_pgd", "eta", TINY | {"d": 4}, {}),
    ("ext_anti_pgd", "d", TINY | {"eta": 0.05}, {}),
    ("ext_anti_pgd", "nu", {"d": 4, "eta": 0.05, "nu": [0.01, 0.2]}, {}),
    ("ext_nu", "spectra", {"d": 4, "alpha": [0.5, 1.0], "eta": 0.1}, {"nu_over_eta_mu": [0.3, 1.0, 4.0, 30.0]}),
    ("ext_spectra", None, {"spectrum": ["flat", "k^-1", "k^-2", "one large"], "d": [8], "eta_times_trace": 0.1}, {}),
]  # fmt: skip
UNIT = 1.5**2 / 0.8
ORDERS: dict[tuple[str, str, str], Callable[..., float]] = {
    ("table1", "Lower bound", "suboptimality"): lambda d, eta, trace, **_: eta**2 * trace * UNIT,
    ("table1", "Lower bound", "ratio to lower bound"): lambda **_: 1.0,
    ("table1", "Noisy-SGD", "suboptimality"): lambda d, eta, **_: eta * d * UNIT,
    ("table1", "Noisy-SGD", "ratio to lower bound"): lambda d, eta, trace, **_: d / (eta * trace),
    ("table1", "nu-Noisy-FTRL", "suboptimality"):
        lambda d, eta, trace, **_: eta**2 * trace * UNIT * math.log(d / eta) ** 2,
    ("table1", "nu-Noisy-FTRL", "ratio to lower bound"): lambda d, eta, **_: math.log(d / eta) ** 2,
    ("table2", "Fichtenberger et al. (nu = 0)", "sensitivity squared"): lambda T, **_: math.log(T),
    ("table2", "nu-Noisy-FTRL", "sensitivity squared"): lambda nu, **_: math.log(1 / nu),
    ("table2", "Anti-PGD", "sensitivity squared"): lambda T, **_: T,
    ("table2", "Anti-PGD + damping", "sensitivity squared"): lambda nu, **_: 1 / nu,
    ("table2", "nu-Noisy-FTRL", "suboptimality"):
        lambda eta, trace, **_: eta**2 * UNIT * trace * math.log(4 / eta) ** 2,
    ("table2", "Anti-PGD + damping", "suboptimality"): lambda d, eta, trace, **_: UNIT * math.sqrt(eta**3 * d * trace),
    ("table4", "1/k^2", "ratio"): lambda d, eta, **_: eta / d * math.log(d / eta) ** 3,
    ("table4", "1/k^2", "ratio, corrected"): lambda d, eta, **_: eta / d * math.log(d / eta) ** 2,
    **{("table4", row, "Noisy-SGD"): lambda d, eta, **_: UNIT * eta * d for row in orders.ALPHAS},
    ("ext_anti_pgd", "damped anti-PGD at the best nu", ""):
        lambda d, eta, trace, **_: math.sqrt(2.0) / 8.0 * UNIT * math.sqrt(eta**3 * d * trace),
    ("ext_anti_pgd", "damped anti-PGD", ""):
        lambda d, eta, trace, nu, **_: eta * UNIT / 16 * (nu * d + 2 * eta * trace / nu),
}  # fmt: skip


def eigenvalues(row: dict[str, Any]) -> np.ndarray:
    d, name = int(row["d"]), row.get("spectrum", row.get("row"))
    if name == "one large":
        return np.array([1.0, *[1 / d] * (d - 1)])
    return np.arange(1, d + 1) ** -float(ALPHAS.get(name, row.get("alpha", 1.0)))


def errors_of(law: Law, row: dict[str, Any], eta: float, lam: np.ndarray) -> dict[str, float]:
    """What exact columns hold, by their rows' names."""
    sgd, ftrl, best = law.sgd(), law.ftrl(eta * lam.min()), law.best()
    made = {"Noisy-SGD": sgd, "nu-Noisy-FTRL": ftrl, "Noisy-FTRL": ftrl, "optimum": best, "Lower bound": best}
    made |= {"Noisy-SGD over nu-Noisy-FTRL": sgd / ftrl, "d_eff": lam.sum()}
    made |= dict.fromkeys(("ratio", "ratio, corrected"), ftrl / sgd)
    if row.get("nu_best"):
        made["damped anti-PGD at the best nu"] = law.damped(row["nu_best"])
    if row.get("nu"):
        made |= dict.fromkeys(("damped anti-PGD", "Anti-PGD + damping"), law.damped(row["nu"]))
        made["over the optimum"] = law.ftrl(row["nu"]) / best
    return made


@pytest.mark.parametrize(("name", "panel", "cell", "arms"), EXACT_TABLES)
def test_exact_tables_are_sums_over_frequencies_beside_printed_orders(
    name: str, panel: str | None, cell: dict[str, Any], arms: dict[str, Any]
) -> None:
    settings = {"rho": 0.8, "clip_norm": 1.5}
    laws: dict[tuple[float, ...], Law] = {}
    seen = set()
    for row in run(name, spec_of(name, panel, cell=cell, arms=arms, settings=settings)):
        lam, eta, kind = eigenvalues(row), row["eta"], row.get("quantity", row["series"])
        law = laws.setdefault((*lam, eta), Law(lam, eta, 0.8, 1.5))
        place = str(row.get("algorithm") or row.get("row") or row["series"])
        exact = row.get("exact", row["value"])
        if kind == "sensitivity squared":
            undamped = {"Anti-PGD": [1.0, -1.0], "Anti-PGD + damping": [1.0, row["nu"] - 1.0]}.get(place)
            beta = nu_decoder(row["nu"], row["T"]) if undamped is None else np.pad(undamped, (0, row["T"] - 2))
            expected = float((np.linalg.inv(lower(beta)) ** 2).sum(0).max())
        elif kind == "suboptimality at horizon T" or exact == math.inf:
            # The error at a horizon grows with the sensitivity, without bound where nothing is damped.
            assert exact > 0.0
            continue
        else:
            expected = errors_of(law, row, eta, lam)[place]
            expected /= law.best() if kind == "ratio to lower bound" else 1.0
        assert exact == pytest.approx(expected, rel=1e-6), row
        assert eta == pytest.approx(0.1 / lam.sum()) or "eta" in cell
        assert row.get("d_eff", lam.sum()) == pytest.approx(lam.sum(), rel=1e-14)
        if name == "ext_nu":
            assert row["nu"] == pytest.approx(row["nu_over_eta_mu"] * eta * lam.min())
            best = min(law.ftrl(nu) for nu in np.geomspace(1e-3, 0.99, 200)) / law.best()
            assert row["value_at_best"] == pytest.approx(best, rel=1e-3)
        if row.get("nu_best"):
            assert law.damped(row["nu_best"]) <= min(law.damped(row["nu_best"] * factor) for factor in (0.99, 1.01))
        entry = (name, str(row.get("row", row["series"])), str(row.get("algorithm", kind if "row" in row else "")))
        if entry in ORDERS:
            seen.add(entry)
            asked = {"d": row["d"], "eta": eta, "trace": lam.sum(), "nu": row.get("nu"), "T": row.get("T")}
            order = row.get("order", row.get("leading_order"))
            assert order == pytest.approx(ORDERS[entry](**asked), rel=1e-12), entry
            assert name == "ext_anti_pgd" or row["value"] == pytest.approx(exact / order)
    assert len(seen) == {"table1": 6, "table2": 6, "table4": 6, "ext_anti_pgd": 1}.get(name, 0)


def test_undamped_noise_has_no_limit_and_its_error_grows_with_the_sensitivity() -> None:
    table = rows_of("table2", small("table2")).set_index(["row", "quantity", "eta", "T"])["exact"]
    limits = rows_of("table2", small("table2")).query("quantity == 'suboptimality'").set_index("row")
    for name in ("Fichtenberger et al. (nu = 0)", "Anti-PGD"):
        assert (limits.loc[name, ["exact", "order", "value"]] == [math.inf, math.inf, 1.0]).all(axis=None)
        squared, horizon = (table[name, each, 0.02] for each in ("sensitivity squared", "suboptimality at horizon T"))
        law = Law(1.0 / np.arange(1, 5), 0.02, 0.5)
        power = np.abs(1.0 - np.exp(1j * law.omega)) ** (2 if name == "Anti-PGD" else 1)
        # Without damping the power has a kink at 0, which the twin's grid sees.
        np.testing.assert_allclose(horizon, squared * law.unit * float(np.mean(power * law.weight)), rtol=1e-4)


def test_table_3_counts_by_hand() -> None:
    table = rows_of("table3", spec_of("table3", cell={"T": [4, 7, 8]}, arms={"participations": 1}))
    counts = table[table["series"] == "executed"].set_index(["mechanism", "quantity", "T"])["value"]
    # TreeAgg adds what a step replaces and subtracts it: two nodes at step 4, three at step 8.
    assert [counts["TreeAgg", costs.STEP, T] for T in (4, 7, 8)] == [3.0, 3.0, 4.0]
    assert [counts["TreeAgg", costs.MEMORY, T] for T in (4, 7, 8)] == [2.0, 3.0, 3.0]
    for name in ("Optimal CC", FTRL):
        # Three products or quotients make a coefficient; a step multiplies and adds once for every one so far.
        assert [counts[name, quantity, 8] for quantity in (costs.GENERATION, costs.STEP)] == [3.0, 16.0]
        assert counts[name, costs.MEMORY, 8] == 16.0
    assert [counts["ME", quantity, 8] for quantity in (costs.STEP, costs.MEMORY)] == [16.0, 64.0]
    assert counts["ME", costs.GENERATION, 8] % (11 * 8**3 + 6 * 8**2) == 0
    assert counts["Full Honaker", costs.STEP, 8] == 30.0
    assert math.isnan(counts["Full Honaker", costs.GENERATION, 8])
    change = values(table[table["series"] == "change"], "mechanism")
    assert {name for name, value in change.items() if value < 1e-12} == {SGD, "TreeAgg", "Honaker", "Optimal CC", FTRL}
    assert {name for name, value in change.items() if value > 0.01} == {"Full Honaker", "ME"}
    assert math.isnan(change["FFT"])


@pytest.mark.parametrize("T", [1, 5, 16])
def test_noise_made_step_by_step_is_that_of_the_library(T: int) -> None:
    strategies = [
        toeplitz.identity(), toeplitz.optimal_cc(), toeplitz.nu_family(0.3), tree.tree_aggregation(finished_only=True),
        tree.online_honaker(finished_only=True), multi_epoch_optimum(T, 1),
    ]  # fmt: skip
    rng = np.random.default_rng(T)
    for strategy in strategies:
        normals = rng.standard_normal(strategy.noises(T))
        found = costs.execute(strategy, T, normals)
        np.testing.assert_allclose(found.noise, strategy.correlate(normals[:, None])[:, 0], rtol=1e-12, atol=1e-14)
        if isinstance(strategy, toeplitz.Toeplitz) and len(found.coefficients) > 1:
            np.testing.assert_allclose(found.coefficients, strategy.coefficients(T), rtol=1e-13)
    full = tree.full_honaker()
    normals = rng.standard_normal(full.noises(T))
    dense = costs.by_rows(full, T, normals)
    np.testing.assert_allclose(dense.noise, full.correlate(normals[:, None])[:, 0], rtol=1e-10, atol=1e-13)
    with pytest.raises(TypeError, match="has no algorithm of steps"):
        costs.execute(full, T, normals)


def test_largest_gradients_and_iterates_are_those_of_a_plain_loop() -> None:
    rng = np.random.default_rng(8)
    x, xi, w, start = (
        rng.standard_normal((6, 2, 3)),
        rng.standard_normal((6, 2)),
        rng.standard_normal((6, 2, 2, 3)),
        0.5,
    )
    compared = FTRLArms(np.array([0.1, 0.3]), np.full(2, math.inf), np.array([0.0, 0.7]))
    found = gradients.unclipped(compared, x, xi, w, np.full(3, start))
    for a, s in itertools.product(range(2), range(2)):
        theta, norms, distances = np.full(3, start), [], []
        for t in range(6):
            g = x[t, s] * (x[t, s] @ theta - xi[t, s])
            norms.append(np.linalg.norm(g))
            distances.append(np.linalg.norm(theta))
            theta = theta - compared.eta[a] * (g + compared.noise_sd[a] * w[t, a, s])
        assert [float(each[a, s]) for each in found] == pytest.approx([max(norms), max(distances)])


def test_gradients_are_those_of_the_theorems_settings() -> None:
    spec = small("ext_gradients", "start", cell={"start": [0.5]})
    place = next(gradients.places(spec))
    for case in gradients.cases(spec, place):
        run, log = case.run, math.log(40 / 0.05)
        trace = sum(1 / k for k in range(1, run.problem.d + 1))
        largest = 1 / ((trace + 2) * log)
        if case.rule == gradients.ITERATES:
            assert run.problem.eta == pytest.approx(largest)
            assert run.problem.clip_norm == pytest.approx(max(0.5 * trace, trace**0.5))
        else:
            gamma = case.arm.gamma_squared
            noise = 8 * (trace + 2) ** 2 * case.beta_norm**2 * run.problem.d * gamma * log**5
            assert run.problem.eta == pytest.approx(run.problem.mu * run.problem.rho / noise, rel=1e-6)
            assert run.problem.eta < largest
    with pytest.raises(ValueError, match="'Honaker' is none of"):
        rows_of("ext_gradients", small("ext_gradients", arms={"mechanism": ["Honaker"]}))


def test_other_multiples_of_nu_have_that_damping() -> None:
    best = mechanisms.strategy_of(FTRL, 20, 2, (1,))[0]
    for factor in (0.1, 3.0):
        made = mechanisms.strategy_of(f"{FTRL}, nu x {factor:g}", 20, 2, (1,))[0]
        assert made.nu == pytest.approx(min(1.0, factor * best.nu))
    arm = EpochArm.of(small("fig04a"), f"{FTRL}, nu x 0.1", 5.0)
    assert arm.nu == pytest.approx(0.1 * EpochArm.of(small("fig04a"), FTRL, 5.0).nu)


# Experiments beyond the paper's


MEAN = {"cell": {"eta": 0.3, "T": 400, "tail": 350, "rho": 0.7}}


def test_mean_estimation_is_exact() -> None:
    rows = rows_of("ext_mean_estimation", small("ext_mean_estimation", **MEAN))
    exact = values(rows[rows["kind"] == "exact"], "mechanism")
    omega, variance = 2 * np.pi * np.arange(2**14) / 2**14, 1 / 3
    response = 0.3**2 / np.abs(1.0 - 0.3 - np.exp(1j * omega)) ** 2
    for name, nu in (("DP-SGD", 1.0), ("optimal noise", 0.3), ("nu = 0.1 eta", 0.03)):
        power = np.abs(1.0 - nu - np.exp(1j * omega))
        value = float((response * (power * (1 / power).mean() / (2 * 0.7) + variance)).mean())
        assert exact[name] == pytest.approx(value, rel=1e-9)
    # Ten times eta is more than 1.
    assert set(rows["mechanism"]) == {"DP-SGD", "optimal noise", "nu = 0.1 eta", "Optimal CC"}
    # Without damping: noise of gamma_T through the coefficients, over the averaged steps.
    decay = lower(0.3 * 0.7 ** np.arange(400))
    through = decay @ lower(nu_decoder(0.0, 400))
    gamma_squared = float((nu_encoder(0.0, 400) ** 2).sum())
    by_step = gamma_squared / (2 * 0.7) * (through**2).sum(1) + variance * (decay**2).sum(1)
    assert exact["Optimal CC"] == pytest.approx(by_step[-350:].mean(), rel=1e-10)
    assert set(rows["clip_fraction"].dropna()) == {0.0}


def test_runs_of_mean_estimation_are_algorithm_1_averaged_over_their_last_steps() -> None:
    spec = small("ext_mean_estimation", trials=(1, 2), cell={"eta": 0.3, "T": 12, "tail": 4, "rho": 0.7})
    found = values(rows_of("ext_mean_estimation", spec), "mechanism")
    (data,), (noise,) = (streams.generators(spec, "eta=0.3", [1], role) for role in ("data", "noise"))
    z, normals = data.uniform(-1.0, 1.0, 12), noise.standard_normal(12)
    limits = {"DP-SGD": (1.0, 1.0), "optimal noise": (0.3, (nu_encoder(0.3, 400) ** 2).sum())}
    for name, (nu, squared) in (limits | {"Optimal CC": (0.0, (nu_encoder(0.0, 12) ** 2).sum())}).items():
        w = math.sqrt(squared / (2 * 0.7)) * lower(nu_decoder(nu, 12)) @ normals
        delta, errors = 0.0, []
        for t in range(12):
            delta = delta - 0.3 * ((delta - z[t]) + w[t])
            errors.append(delta**2)
        assert found[name] == pytest.approx(np.mean(errors[-4:]), rel=1e-9), name


def finite(panel: str, **changes: Any) -> Spec:
    return small("ext_finite_time", panel, **changes)


def test_exact_errors_at_finite_time_are_at_the_best_rate() -> None:
    cell, arms = {"d": 3, "T": 40, "sigma_sgd": 0.2}, {"eta": [0.01, 0.03, 0.1, 0.3]}
    table = rows_of("ext_finite_time", finite("exact", cell=cell, arms=arms)).set_index(["series", "mechanism"])
    lam, start = 1.0 / np.arange(1, 4), np.full(3, 1.0 / math.sqrt(3.0))

    def error(name: str, eta: float) -> float:
        nu = eta / 3 if name == FTRL else 1.0
        variance = float((nu_encoder(nu, 40) ** 2).sum()) / 2.0
        return float(step_by_step(lam, eta, nu_decoder(nu, 40), variance, 0.2, start, 40)[-1])

    for name in (SGD, FTRL):
        row = table.loc[("error at the best rate", name)]
        assert row["value"] == pytest.approx(error(name, row["eta"]), rel=1e-10)
        assert row["value"] <= min(error(name, eta) for eta in np.geomspace(0.01, 0.3, 60)) * (1.0 + 1e-6)
        assert row["clip_norm"] == 1.0
        # kappa d_eff = 3 Tr H; d in DP-SGD's bound is kappa d_eff / T in the other's; rho = |start| = 1.
        stiffness = 3.0 * lam.sum()
        price = 3.0 / 40 if name == SGD else stiffness / 40**2
        expected = stiffness * (price * (lam.sum() + 0.2**2) + 0.2**2 / 40)
        assert table.loc[("main terms, constants 1", name), "value"] == pytest.approx(expected, rel=1e-12)
        assert table.loc[("main terms, constants 1", name), "eta"] == row["eta"]


def literal_run(spec: Spec, name: str, eta: float, clip_norm: float, trial: int) -> tuple[float, float]:
    """DP-FTRL of Algorithm 1 on one stream: last error and share of clipped gradients."""
    cell, T, d = spec["cell"], spec["cell"]["T"], spec["cell"]["d"]
    lam, place = 1.0 / np.arange(1, d + 1) ** cell["alpha"], f"T={T}"
    (data,) = streams.generators(spec, place, [trial], "data")
    (noise,) = streams.generators(spec, place, [trial], "noise")
    xi = cell["sigma_sgd"] * data.standard_normal(T)
    x = data.standard_normal((T, d)) * np.sqrt(lam)
    nu = eta * lam[-1] if name == FTRL else 1.0
    sd = clip_norm * math.sqrt(float((nu_encoder(nu, T) ** 2).sum()) / (2.0 * spec["settings"]["rho"]))
    w = sd * lower(nu_decoder(nu, T)) @ noise.standard_normal((T, d))
    theta, clipped = np.full(d, spec["settings"]["start"] / math.sqrt(d)), 0
    for t in range(T):
        g = x[t] * (x[t] @ theta - xi[t])
        norm = float(np.linalg.norm(g))
        clipped += norm > clip_norm
        theta = theta - eta * (g * min(1.0, clip_norm / norm) + w[t])
    return 0.5 * float(lam @ theta**2), clipped / T


@pytest.mark.parametrize("name", [SGD, FTRL])
def test_clipped_runs_at_finite_time_are_algorithm_1_tuned_on_other_seeds(name: str) -> None:
    spec = finite("clipped", trials=(0, 3), settings={"rho": 40.0})
    spec["arms"]["mechanism"] = [name]
    rows = rows_of("ext_finite_time", spec)
    means = {
        (eta, norm): np.mean([literal_run(spec, name, eta, norm, trial)[0] for trial in range(-4, 0)])
        for eta, norm in itertools.product(spec["arms"]["eta"], spec["arms"]["clip_norm"])
    }
    (eta,), (clip_norm,) = set(rows["eta"]), set(rows["clip_norm"])
    assert (eta, clip_norm) == min(means, key=lambda pair: means[pair])
    assert rows["trial"].tolist() == [0, 1, 2]
    for _, row in rows.iterrows():
        error, share = literal_run(spec, name, eta, clip_norm, row["trial"])
        assert row["value"] == pytest.approx(error, rel=1e-9)
        assert row["clip_fraction"] == pytest.approx(share, abs=1e-12)
    assert rows["clip_fraction"].max() > 0.0


def test_prefix_sums_are_those_of_dense_matrices() -> None:
    rows = rows_of("ext_prefix_sums", small("ext_prefix_sums", settings={"rho": 0.6, "dp_delta": 1e-5}))
    # ME stops at the largest T that is asked for; of the others those with restarts have both numbers.
    names = ["identity", "TreeAgg", "Honaker", "Full Honaker", "FHU", "nu"]
    expected = [(T, name, copies) for T in (8, 12) for name in [*names, "ME"] for copies in (1, 2)]
    kept = [
        (T, name, copies)
        for T, name, copies in expected
        if (copies == 1 or name not in ("identity", "nu", "ME")) and (name != "ME" or T == 8)
    ]
    assert list(rows[["T", "mechanism", "copies"]].itertuples(index=False, name=None)) == kept
    makers = {
        "identity": toeplitz.identity, "TreeAgg": lambda: tree.tree_aggregation(True),
        "Honaker": lambda: tree.online_honaker(True), "Full Honaker": tree.full_honaker, "FHU": toeplitz.optimal_cc,
    }  # fmt: skip
    for _, row in rows.iterrows():
        T, k, name = row["T"], {8: 2, 12: 3}[row["T"]], row["mechanism"]
        assert row["k"] == k
        strategy = {
            "nu": lambda row=row: toeplitz.nu_family(row["nu"]),
            "ME": lambda T=T, k=k: multi_epoch_optimum(T, k),
        }
        base = (makers | strategy)[name]()
        size = T // row["copies"]
        C, B = (np.kron(np.eye(row["copies"]), matrix) for matrix in (base.encoder(size), base.decoder(size)))
        np.testing.assert_allclose(B @ C, np.eye(T), atol=1e-9)
        sensitivity = math.sqrt(dense_sensitivity_squared(C, k))
        rmse = math.sqrt(float((np.cumsum(B, axis=0) ** 2).sum()) / T)
        assert row["sensitivity"] == pytest.approx(sensitivity, rel=1e-9)
        assert row["rmse"] == pytest.approx(rmse, rel=1e-9)
        assert row["value"] == pytest.approx(sensitivity * rmse, rel=1e-9)
        # Noise of the sd at which the RMSE is that of independent noise at zCDP 0.6.
        sd = math.sqrt(k / (2 * 0.6)) * math.sqrt((T + 1) / 2) / rmse
        expected_epsilon = accounting.tight_epsilon(zcdp.gaussian_rho(sensitivity, sd), 1e-5)
        assert row["epsilon_at_equal_noise"] == pytest.approx(expected_epsilon, rel=1e-9)
        assert math.isnan(row["nu"]) == (name != "nu")
    for T, group in rows.groupby("T"):
        tuned = float(group[group["mechanism"] == "nu"]["value"].iloc[0])
        k = {8: 2, 12: 3}[T]
        assert tuned <= min(toeplitz.nu_family(nu).normalised_rmse(T, k) for nu in np.geomspace(1e-3, 1, 60)) * (
            1 + 1e-9
        )
        if T == 8:
            assert group["value"].min() == group[group["mechanism"] == "ME"]["value"].iloc[0]


@pytest.mark.parametrize(
    ("name", "section", "key", "unknown"),
    [
        ("fig04a", "arms", "mechanism", ["DP-SDG"]), ("fig04a", "arms", "mechanism", ["nu-DP-FTRL, restarts"]),
        ("fig04a", "settings", "model", "forest"), ("fig03", "settings", "grid", "fine"),
        ("ext_mean_estimation", "arms", "mechanism", ["nu = 3 eta"]),
        ("ext_finite_time", "arms", "mechanism", ["nu = 3 eta"]),
        ("ext_prefix_sums", "arms", "mechanism", ["nu = 3 eta"]), ("ext_spectra", "cell", "spectrum", ["round"]),
        # More participations than were accounted for.
        ("fig04a", "settings", "batch", 28),
    ],
)  # fmt: skip
def test_what_is_unknown_is_refused_by_name(name: str, section: str, key: str, unknown: Any) -> None:
    spec = small(name)
    spec[section][key] = unknown
    with pytest.raises(ValueError, match=str(unknown[0] if isinstance(unknown, list) else unknown)):
        run(name, spec)


SINGLE = [
    ("fig04a", "learning_rate"), ("fig04a", "mechanism"), ("ext_finite_time", "eta"), ("ext_finite_time", "clip_norm"),
    ("ext_nu", "nu_over_eta_mu"), ("ext_prefix_sums", "copies"), ("ext_prefix_sums", "mechanism"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "axis"), SINGLE)
def test_an_axis_may_be_a_single_value(name: str, axis: str) -> None:
    for panel in panels_of(name):
        spec = small(name, panel)
        several = spec | {"arms": spec["arms"] | {axis: spec["arms"][axis][-1:]}}
        single = spec | {"arms": spec["arms"] | {axis: spec["arms"][axis][-1]}}
        pd.testing.assert_frame_equal(rows_of(name, single), rows_of(name, several))


# The ledger


def all_cells(name: str) -> Iterator[Spec]:
    """Every distinct specification of an artefact; of Figure 4 small ones, because calibration takes seconds."""
    if name.startswith("fig04"):
        yield from (
            small(name, variant=variant) for variant in {part.spec["variant"] for part in ARTEFACTS[name].parts}
        )
    else:
        yield from (json.loads(text) for text in {json.dumps({**p.spec, "trials": []}) for p in ARTEFACTS[name].parts})


def ledger_of(name: str) -> list[dict[str, Any]]:
    arms = [arm for spec in all_cells(name) for arm in releases_of(name)(spec)]
    return ledger.rows(PAPER, name, arms)


@pytest.mark.parametrize("name", DRAWN)
def test_no_arm_spends_more_than_it_claims(name: str) -> None:
    rows = ledger_of(name)
    assert len({row["arm"] for row in rows}) == len(rows) > 0
    for row in rows:
        assert row["relation"] == "zero-out"
        # Noisy-FTRL clips nothing; rates of the digits were tuned on the records themselves.
        if row["guarantee"] == "none" or name in ("fig02", "fig04a"):
            assert (row["guarantee"], row["eps_tight"], row["rho"] if name == "fig02" else "") == ("none", "", "")
        else:
            assert row["guarantee"] == "proved"
            assert 0.0 < row["eps_tight"] <= row["eps_paper"] * (1.0 + 1e-9), row["arm"]


Handed = tuple[float, float, int] | None


class Engines:
    """Listens to the engines: what every run was handed, as (sensitivity, sd of the noise, releases).

    Sensitivities are those of the dense encoder of the strategy that made the noise, and the noise is compared with its
    dense decoder times the normals. A run without noise, or without clipping, is None.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.handed: list[Handed] = []
        self.made: list[tuple[Any, np.ndarray]] = []
        self.depth = 0
        for kind in (Strategy, toeplitz.Toeplitz, Stamped, OnlineTree):
            monkeypatch.setattr(kind, "correlate", self.correlating(kind.correlate))
        engines = (
            (dp_ftrl, "regression"), (dp_ftrl, "mean_estimation"), (dp_ftrl_epochs, "train"), (gradients, "unclipped"),
        )  # fmt: skip
        for module, name in engines:
            monkeypatch.setattr(module, name, self.listening(getattr(module, name), getattr(self, name)))
        monkeypatch.setattr(dp_ftrl, "single_pass", self.refusing)

    def refusing(self, *given: Any, **more: Any) -> None:
        raise AssertionError("nothing listens to this engine")

    def correlating(self, plain: Any) -> Any:
        def correlate(strategy: Any, normals: np.ndarray) -> np.ndarray:
            # A strategy may be made of others.
            self.depth += 1
            noise: np.ndarray = plain(strategy, normals)
            self.depth -= 1
            if not self.depth:
                self.made.append((strategy, normals.copy()))
            return noise

        return correlate

    def listening(self, plain: Any, heard: Any) -> Any:
        def engine(*given: Any, **more: Any) -> Any:
            heard(*given, **more)
            self.made.clear()
            return plain(*given, **more)

        return engine

    def hand(self, strategy: Any, T: int, k: int, clip_norm: float, noise_sd: float) -> None:
        private = noise_sd > 0.0 and clip_norm < math.inf
        sensitivity = clip_norm * math.sqrt(dense_sensitivity_squared(strategy.encoder(T), k)) if private else math.inf
        self.handed.append((sensitivity, noise_sd, 1) if private else None)

    def expected(self, runs: int) -> list[tuple[Any, np.ndarray]]:
        """Strategy and noise, of sd 1, of every run; those of one strategy share it."""
        # The decoder of a tree correlates as well.
        calls, self.made = self.made, []
        made = [(strategy, np.tensordot(strategy.decoder(strategy.steps(len(w))), w, 1)) for strategy, w in calls]
        return made if len(made) == runs else made * runs

    def regression(self, lam: Any, arms: Any, start: Any, steps: int, data: Any, noise: Any, **more: Any) -> None:
        noise = np.broadcast_to(noise, (steps, len(arms), *noise.shape[2:]))
        for a, (strategy, expected) in enumerate(self.expected(len(arms))):
            np.testing.assert_allclose(noise[:, a], expected, atol=1e-9)
            self.hand(strategy, steps, 1, float(arms.clip_norm[a]), float(arms.noise_sd[a]))

    def unclipped(self, arms: Any, inputs: Any, labels: Any, noise: Any, start: Any) -> None:
        for a, (strategy, expected) in enumerate(self.expected(len(arms))):
            np.testing.assert_allclose(noise[:, a], expected, atol=1e-9)
            self.hand(strategy, len(inputs), 1, float(arms.clip_norm[a]), float(arms.noise_sd[a]))

    def mean_estimation(self, eta: Any, values: Any, noise: Any) -> None:
        # Gradients are the records, which lie in [-1, 1]: no run moves by more than G = 1.
        assert np.abs(values).max() <= 1.0
        for a, (strategy, expected) in enumerate(self.expected(len(eta))):
            sd = float(np.linalg.norm(noise[:, a]) / np.linalg.norm(expected))
            np.testing.assert_allclose(noise[:, a], sd * expected[..., 0], atol=1e-9)
            self.hand(strategy, len(values), 1, 1.0, sd)

    def train(
        self, model: Any, inputs: Any, labels: Any, batches: Any, arms: Any, noise: Any, *, steps: int,
        clip_norm: float, **more: Any,
    ) -> None:  # fmt: skip
        assert (noise is None) == (clip_norm == math.inf) == (not arms.noise_multiplier.any())
        if noise is None:
            self.handed += [None] * len(arms)
            return
        # Mechanisms that are trained together have noise each; the rates of one share it.
        kinds, runs = (len(self.made), noise.shape[1]) if noise.shape[1] > 1 else (1, len(arms))
        made = [each for each in self.expected(kinds) for _ in range(runs // kinds)]
        for a, (strategy, expected) in enumerate(made):
            multiplier = float(arms.noise_multiplier[a])
            np.testing.assert_allclose(noise[:, min(a, noise.shape[1] - 1)], expected, atol=1e-9)
            if len(batches) == steps:
                self.handed.append((clip_norm, multiplier * clip_norm, steps))
                continue
            rows = np.concatenate(batches)
            assert len(set(rows)) == len(rows)
            self.hand(strategy, steps, steps // len(batches), clip_norm, multiplier * clip_norm)


def as_listed(event: Any) -> Handed:
    if not event.releases:
        return None
    (release,) = event.releases
    return release.sensitivity, release.noise_sd, release.count


def rounded(handed: Handed) -> Handed:
    return None if handed is None else (float(f"{handed[0]:.8g}"), float(f"{handed[1]:.8g}"), handed[2])


def listed_is_handed(name: str, spec: Spec, monkeypatch: pytest.MonkeyPatch) -> int:
    """Asserts that runs and ledger agree; returns how many runs there were.

    A run beyond those that are listed has to have a stand-in that spends as much.
    """
    events = [event for _, event, _ in (releases_of(name) or (lambda spec: []))(spec)]
    with monkeypatch.context() as patch:
        engines = Engines(patch)
        run(name, spec)
    handed, listed = {rounded(each) for each in engines.handed}, {rounded(as_listed(event)) for event in events}
    assert listed <= handed, "listed, but never ran"
    spent = [as_listed(event) for event in events if event.stand_in]
    costs = {float(f"{each[0] / each[1]:.8g}") for each in spent if each is not None}
    for each in handed - listed:
        assert each is not None, "a run without privacy is not listed"
        assert any(each[0] / each[1] == pytest.approx(cost, rel=1e-7) for cost in costs), f"{each} ran, but no arm did"
    return len(engines.handed)


@pytest.mark.parametrize("name", list(ARTEFACTS))
def test_the_ledger_is_what_ran(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    places = dict.fromkeys((part.spec["panel"], part.spec["variant"]) for part in ARTEFACTS[name].parts)
    runs = [
        listed_is_handed(name, small(name, panel, variant=variant), monkeypatch)
        for panel, variant in places
        # Both panels of prefix sums have the small spec's T.
        if name != "ext_prefix_sums" or panel == panels_of(name)[0]
    ]
    assert (sum(runs) > 0) == (name in DRAWN)


def halved(arms: Any) -> Any:
    return replace(arms, noise_sd=arms.noise_sd / 2.0)


MUTANTS: dict[str, tuple[str, Any, str, Callable[[Any], Any]]] = {
    "half the noise on a stream": ("ext_finite_time", streams, "columns", halved),
    "twice the clip norm on a stream": (
        "ext_finite_time", streams, "columns", lambda made: replace(made, clip_norm=2.0 * made.clip_norm)
    ),
    "clipping in Noisy-FTRL": ("fig02", streams, "columns", lambda made: replace(made, clip_norm=np.ones(len(made)))),
    "half the noise in mean estimation": (
        "ext_mean_estimation", mean_estimation, "correlated", lambda made: made / 2.0
    ),
    "a tenth less noise in epochs": (
        "fig04a", EpochArm, "columns", lambda made: replace(made, noise_multiplier=0.9 * made.noise_multiplier)
    ),
    "noise in the wrong order in epochs": (
        "fig04a", EpochArm, "noise", lambda made: made if made is None else made[::-1]
    ),
}  # fmt: skip


@pytest.mark.parametrize("mutant", list(MUTANTS))
def test_runs_that_are_not_what_the_ledger_lists_are_seen(mutant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, home, attribute, change = MUTANTS[mutant]
    spec = small(name, "clipped" if name == "ext_finite_time" else None)
    assert listed_is_handed(name, spec, monkeypatch)
    plain = getattr(home, attribute)
    monkeypatch.setattr(home, attribute, lambda *given: change(plain(*given)))
    with pytest.raises(AssertionError):
        listed_is_handed(name, spec, monkeypatch)


def test_what_is_tuned_elsewhere_says_that_it_stands_in() -> None:
    events = {name: [event for _, event, _ in releases_of(name)(small(name, None))] for name in DRAWN[:-1]}
    assert not any(event.stand_in for found in events.values() for event in found)
    spec = finite("clipped")
    found = list(finite_time.releases_ext_finite_time(spec))
    assert [arm for arm, *_ in found] == [f"main: {name} T=30 G={G:g}" for name in (SGD, FTRL) for G in (0.5, 2.0)]
    for arm, event, delta in found:
        assert "tuned" in event.stand_in
        assert event.rho == pytest.approx(spec["settings"]["rho"], rel=1e-12), arm
        assert (event.claimed_rho, delta) == (spec["settings"]["rho"], spec["settings"]["dp_delta"])
    assert list(finite_time.releases_ext_finite_time(finite("exact"))) == []


def test_mean_estimation_pays_the_limit_of_which_the_run_uses_a_part() -> None:
    spec = small("ext_mean_estimation", cell={"eta": 0.05, "T": 120, "rho": 0.7})
    costs = {arm.split(": ")[1]: event.rho for arm, event, _ in releases_of("ext_mean_estimation")(spec)}
    limit = float((nu_encoder(0.05, 3000) ** 2).sum())
    assert costs["DP-SGD, eta=0.05"] == pytest.approx(0.7, rel=1e-12)
    assert costs["Optimal CC, eta=0.05"] == pytest.approx(0.7, rel=1e-12)
    used = 0.7 * float((nu_encoder(0.05, 120) ** 2).sum()) / limit
    assert costs["optimal noise, eta=0.05"] == pytest.approx(used, rel=1e-9)
    assert len(costs) == 5
