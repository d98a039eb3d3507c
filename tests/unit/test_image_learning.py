"""Figure 4(a) on images by a linear model: its engine against the one of the digits, its runs, rates and claims."""

import csv
import itertools

import numpy as np
import pandas as pd
import pytest

from dpdescent.algorithms import dp_ftrl_epochs
from dpdescent.algorithms.dp_ftrl_epochs import EpochArms
from dpdescent.algorithms.dp_ftrl_softmax import WideSoftmax
from dpdescent.models import image_columns
from dpdescent.models.classifiers import softmax_regression
from dpdescent.models.image_columns import Columns
from dpdescent.papers.choquettechoo2023 import images, on_request
from dpdescent.papers.choquettechoo2023.setting import AMPLIFIED_RENYI
from dpdescent.replication.judging.evidence import Evidence

MECHANISMS = ["non-private", "DP-SGD", "DP-SGD, amplified", AMPLIFIED_RENYI, "Optimal CC", "Optimal CC, restarts",
              "nu-DP-FTRL", "ME"]  # fmt: skip
RATES = "fig04a_cifar10_rates"
SETTINGS = {
    "T": 20, "k": 4, "dp_delta": 1e-5, "clip_norm": 1.0, "momentum": 0.9, "momentum_dp_sgd": 0, "cooldown": 0.25,
    "copies": [1, 2], "accountant": "tight", "source": "cifar10", "features": "scattering", "images_folder": "",
    "records": 100, "tested": 60, "held_out": 20, "bracketed": True, "headline": [4.0, 10.0], "trials_elsewhere": 1,
}  # fmt: skip


def spec(**changes):
    plain = {
        "paper": "choquettechoo2023", "artefact": "fig04a_cifar10", "variant": "main", "panel": "all", "seed": 7,
        "cell": {"eps": [2.0, 4.0, 10.0]}, "arms": {"mechanism": MECHANISMS}, "settings": SETTINGS, "trials": [0, 2],
    }  # fmt: skip
    return plain | changes


@pytest.fixture(autouse=True)
def _small_images(monkeypatch, tmp_path):
    """Columns of ten classes that a line tells apart, in place of the images."""

    def made(source, features, folder, records, cache, part=0):
        rng = np.random.default_rng([part, records])
        labels = rng.integers(0, 10, records)
        inputs = np.eye(10)[labels] * 2.0 + rng.standard_normal((records, 10))
        return Columns(inputs.astype(np.float32), labels)

    monkeypatch.setattr(image_columns, "training_columns", made)
    monkeypatch.setattr(image_columns, "test_columns", lambda *args: made(*args, part=1))
    monkeypatch.setattr(images, "CACHE", tmp_path)
    images.multi_epoch_kept.cache_clear()


@pytest.fixture
def tuned(tmp_path):
    """A table of held-out accuracies that are best at 0.5, with its path by the artefact's name."""
    return {"tables": {RATES: str(rates_table(tmp_path, lambda name, eps, rate: -abs(np.log(rate / 0.5))))}}


def rates_table(folder, score, mechanisms=MECHANISMS, rates=(0.1, 0.5, 2.0)):
    path = folder / "rates.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["variant", "series", "mechanism", "eps", "learning_rate", "mean"])
        for name, eps, rate in itertools.product(mechanisms, (4.0, 10.0), rates):
            writer.writerow(["main", "held-out accuracy", name, eps, rate, score(name, eps, rate)])
    return path


@pytest.mark.parametrize("clip_norm", [1.0, 0.3, np.inf])
def test_the_engine_is_that_of_the_digits_in_single_precision(clip_norm):
    rng = np.random.default_rng(3)
    inputs, labels = rng.standard_normal((200, 12)).astype(np.float32), rng.integers(0, 10, 200)
    batches = [rng.permutation(200)[:size] for size in (40, 40, 0, 37)]
    noisy = float(np.isfinite(clip_norm))
    arms = EpochArms(np.array([0.5, 1.0, 2.0]), noisy * np.array([0.5, 0.0, 0.2]), np.array([0.9, 0.0, 0.5]))
    model = WideSoftmax(12, 10)
    noise = rng.standard_normal((2, 24, model.parameters)).astype(np.float32)
    index = np.array([1, 0, 0])
    found = model.train(inputs, labels, batches, arms, [*noise], index, np.full(3, clip_norm), steps=24,
                        batch_size=40, cool_down=0.25)  # fmt: skip
    expected = dp_ftrl_epochs.train(
        softmax_regression(12, 10), inputs.astype(float), labels, batches, arms,
        noise[index].transpose(1, 0, 2).astype(float), start=np.zeros(model.parameters), steps=24, batch_size=40,
        clip_norm=clip_norm, cool_down=0.25,
    )  # fmt: skip
    np.testing.assert_allclose(
        found.transpose(1, 0, 2).reshape(3, -1), expected, atol=2e-6 * np.abs(expected).max() + 2e-6
    )
    assert np.abs(expected).max() > 0.1
    accuracy = softmax_regression(12, 10).accuracy(expected, inputs.astype(float), labels)
    np.testing.assert_allclose(model.accuracy(found, inputs, labels), accuracy, atol=0.011)


def test_rows_have_every_mechanism_and_differences_are_those_of_the_seed(tuned):
    rows = pd.DataFrame(images.rows_of(spec(**tuned), RATES))
    accuracy = rows[rows["series"] == "test accuracy"].set_index(["trial", "eps", "mechanism"])["value"]
    assert {eps for trial, eps, _ in accuracy.index if trial == 0} == {2.0, 4.0, 10.0}
    assert {eps for trial, eps, _ in accuracy.index if trial == 1} == {4.0, 10.0}
    assert set(rows["mechanism"]) == set(MECHANISMS)
    assert set(rows["learning_rate"]) == {0.5}
    for series, other in (("nu minus this", "nu-DP-FTRL"), ("restarts minus this", "Optimal CC, restarts")):
        for row in rows[rows["series"] == series].itertuples():
            wanted = accuracy[row.trial, row.eps, other] - accuracy[row.trial, row.eps, row.mechanism]
            assert row.value == wanted
    assert set(rows[rows["series"] == "restarts minus this"]["mechanism"]) == {"Optimal CC"}
    private = accuracy.unstack("mechanism")
    assert (private["non-private"] > 0.5).all()
    assert private.loc[(0, 2.0), "DP-SGD"] < private.loc[(0, 10.0), "non-private"]
    assert private["non-private"].groupby("trial").nunique().eq(1).all(), "no epsilon changes a run without privacy"


def test_a_run_is_the_same_whatever_runs_beside_it(tuned):
    few = {"mechanism": ["nu-DP-FTRL", "DP-SGD, amplified"]}
    whole = {(r["mechanism"], r["eps"]): r["value"] for r in images.rows_of(spec(trials=[0, 1], **tuned), RATES)
             if r["series"] == "test accuracy"}  # fmt: skip
    for row in images.rows_of(spec(trials=[0, 1], arms=few, **tuned), RATES):
        if row["series"] == "test accuracy":
            assert row["value"] == pytest.approx(whole[row["mechanism"], row["eps"]], abs=1 / 60 + 1e-9)


def test_tuning_never_looks_at_a_test_image(monkeypatch):
    monkeypatch.setattr(image_columns, "test_columns", lambda *args: pytest.fail("a test image was asked for"))
    cell = {"mechanism": "nu-DP-FTRL", "learning_rate": [0.1, 0.5]}
    rows = list(images.tune(spec(cell=cell, arms={"eps": [4.0, 10.0]}, trials=[0, 1])))
    places = {(row["eps"], row["learning_rate"], row["series"]) for row in rows}
    assert places == set(itertools.product((4.0, 10.0), (0.1, 0.5), ("held-out accuracy",)))


def test_rates_are_the_best_of_the_nearest_tuned_epsilon(tmp_path):
    table = rates_table(tmp_path, lambda name, eps, rate: -abs(np.log(rate / (0.5 if eps == 4.0 else 1.0))),
                        rates=(0.1, 0.5, 1.0, 2.0))  # fmt: skip
    found = images.rates(spec(tables={RATES: str(table)}), RATES)
    assert [found.rate("ME", eps) for eps in (2.0, 4.0, 6.0, 8.0, 20.0)] == [0.5, 0.5, 0.5, 1.0, 1.0]
    with pytest.raises(ValueError, match="'Honaker' has no learning rate"):
        found.rate("Honaker", 4.0)


def test_a_best_rate_at_an_end_is_refused_unless_the_setting_allows_it(tmp_path):
    table = {RATES: str(rates_table(tmp_path, lambda name, eps, rate: rate))}
    with pytest.raises(ValueError, match=r"the best learning rate, 2, is at an end of those that were tried"):
        images.rates(spec(tables=table), RATES)
    loose = spec(tables=table, settings=SETTINGS | {"bracketed": False})
    assert images.rates(loose, RATES).rate("ME", 4.0) == 2.0


@pytest.mark.parametrize("artefact", ["fig04a_cifar10", "fig04a_fashion", RATES, "fig04a_fashion_rates"])
def test_the_ledger_has_every_run_and_defends_none(artefact):
    entries = list(getattr(images, f"releases_{artefact}")(spec()))
    assert len(entries) == 3 * len(MECHANISMS)
    for _, event, delta in entries:
        assert event.guarantee == "none"
        assert delta == 1e-5
        assert ("tuned on part of the same training images" in event.reason) == bool(event.releases)
    sds = {name: event.releases[0].noise_sd for name, event, _ in entries if event.releases}
    assert sds["main: ME, eps=4"] > sds["main: ME, eps=10"]
    assert sds[f"main: {AMPLIFIED_RENYI}, eps=4"] > sds["main: DP-SGD, amplified, eps=4"]


def world(nu=0.0, renyi=0.0, restarts=0.0):
    """A table in which nu-DP-FTRL leads anytime mechanisms, more at small eps, and ME leads it by less."""
    rows = []
    for eps, (name, lead) in itertools.product((2.0, 4.0, 10.0), {
        "TreeAgg": 0.05, "Honaker": 0.03, "Optimal CC": 0.012, "Optimal CC, restarts": 0.011, "ME": -0.004,
        "DP-SGD, amplified": 0.01, AMPLIFIED_RENYI: 0.012, "DP-SGD": 0.1, "non-private": -0.05,
    }.items()):  # fmt: skip
        if name.startswith("DP-SGD, amplified"):
            lead = -0.01 if eps < 4 else lead + (renyi if name == AMPLIFIED_RENYI else 0.0)
        shifted = lead * (1.0 + 1.0 / eps) - (nu if name in ("TreeAgg", "Optimal CC") else 0.0)
        rows.append({"eps": eps, "mechanism": name, "series": "nu minus this", "mean": shifted})
    for eps, name in itertools.product((2.0, 4.0, 10.0), ("Honaker", "Optimal CC")):
        rows.append({"eps": eps, "mechanism": name, "series": "restarts minus this", "mean": 0.002 + restarts})
    return pd.DataFrame(rows).assign(variant="main", se=1e-4, trials=12, copies=1.0)


def verdicts(table, artefact="fig04a_cifar10", tuned=(4.0, 10.0)):
    published = {"cifar": {"gap_closed": [0.3, 0.8], "gain_anytime": 0.03, "me_at_10": 0.7083, "nu_at_10": 0.6926}}
    rates = pd.DataFrame({"eps": tuned, "variant": "main"})
    evidence = Evidence({"published": published, "settings": {}}, {artefact: table, f"{artefact}_rates": rates})
    return {claim.claim: claim.verdict for claim in on_request.judge(evidence)}


def test_claims_hold_where_they_are_true_and_only_for_tables_that_are_there():
    found = verdicts(world())
    assert len(found) == 9
    assert set(found.values()) == {"reproduced"}
    assert {claim.split("-")[0] for claim in verdicts(world(), "fig04a_fashion")} == {"fashion"}
    assert verdicts(world(), "fig04a") == {}


@pytest.mark.parametrize(
    ("change", "refuted"),
    [
        ({"nu": 0.2}, {"cifar-linear-anytime", "cifar-linear-anytime-average", "cifar-linear-damping"}),
        ({"renyi": -0.1}, {"cifar-linear-dp-sgd-renyi"}), ({"restarts": -0.01}, {"cifar-linear-restarts"}),
    ],
)  # fmt: skip
def test_claims_fail_where_they_are_false(change, refuted):
    found = verdicts(world(**change))
    assert {claim for claim, verdict in found.items() if verdict == "not reproduced"} >= refuted
    assert found["cifar-linear-dp-sgd"] == "reproduced"


def test_budgets_at_which_no_rate_was_tuned_decide_nothing():
    table = world()
    table.loc[table["eps"] == 2.0, "mean"] = -1.0
    assert set(verdicts(table).values()) == {"reproduced"}
    assert "not reproduced" in verdicts(table, tuned=(2.0, 4.0, 10.0)).values()
    assert set(verdicts(table, tuned=()).values()) == {"not testable"}
