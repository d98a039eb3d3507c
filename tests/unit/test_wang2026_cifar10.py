"""Figure 1 on real images by a linear model: runs against the algorithm written out, noise, tuning, ledger, claims."""

import csv
import itertools

import numpy as np
import pandas as pd
import pytest

from dpdescent.algorithms.dp_ftrl_softmax import WideSoftmax
from dpdescent.models import image_columns
from dpdescent.models.classifiers import softmax_regression
from dpdescent.models.image_columns import Columns
from dpdescent.papers.wang2026 import cifar10, on_request
from dpdescent.papers.wang2026.cifar10 import CorrelatedNoise, Linear
from dpdescent.privacy import account
from dpdescent.privacy.participation import accountants
from dpdescent.privacy.participation.bins import deltas
from dpdescent.replication import real_images
from dpdescent.replication.judging.evidence import Evidence

RATES = "fig01_cifar10_rates"
SAMPLERS = {"worst bin": "balls in bins", "cyclic": "fixed order", "tail": "fixed size"}
LAMS = [0.0, 0.5, 0.9]
SETTINGS = {
    "delta": 1e-5, "source": "cifar10", "features": "scattering", "images_folder": "", "records": 100, "tested": 60,
    "held_out": 20, "bracketed": True,
}  # fmt: skip
INPUTS = 10


def spec(artefact="fig01_cifar10", accountant="worst bin", **changes):
    plain = {
        "paper": "wang2026", "artefact": artefact, "variant": "main", "panel": "accuracy", "seed": 7,
        "cell": {"eps": [1.0, 8.0]}, "trials": [0, 2], "settings": SETTINGS,
        "arms": {"lam": LAMS, "accountant": accountant, "T": 16, "r": 0.25, "C_clip": 0.7, "eta": [0.5, 1.0, 2.0]},
    }  # fmt: skip
    return plain | changes


@pytest.fixture(autouse=True)
def _small_images(monkeypatch):
    """Columns of ten classes that a line tells apart, in place of the images."""

    def made(source, features, folder, records, cache, part=0):
        rng = np.random.default_rng([part, records])
        labels = rng.integers(0, 10, records)
        inputs = np.eye(10)[labels] * 2.0 + 0.5 * rng.standard_normal((records, INPUTS))
        return Columns(inputs.astype(np.float32), labels)

    monkeypatch.setattr(image_columns, "training_columns", made)
    monkeypatch.setattr(image_columns, "test_columns", lambda *args: made(*args, part=1))


@pytest.fixture
def tuned(tmp_path):
    """A table of held-out accuracies whose best step is twice 1 - lambda, with its path by the artefact's name."""
    path = tmp_path / "rates.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["variant", "series", "accountant", "lam", "eps", "eta", "mean"])
        for name, lam, eps in itertools.product(("worst bin", "tail", "WOR"), LAMS, (1.0, 8.0)):
            for factor in (0.5, 1.0, 2.0):
                row = [name, lam, eps, factor * best_step(lam), 0.5 - abs(np.log(factor))]
                writer.writerow(["main" if name == "worst bin" else "other", "held-out accuracy", *row])
    return {"tables": {RATES: str(path)}}


def best_step(lam):
    return 2.0 * (1.0 - lam)


def value_at(rows, **wanted):
    (found,) = [row["value"] for row in rows if all(row[name] == value for name, value in wanted.items())]
    return found


def written_out(one, trial, row):
    """Algorithm 1 step by step in double precision and without the engine."""
    T, r, C = one["arms"]["T"], one["arms"]["r"], one["arms"]["C_clip"]
    seen, unseen = image_columns.training_columns("", "", "", 100, ""), image_columns.test_columns("", "", "", 60, "")
    model = softmax_regression(INPUTS, 10)
    part = Linear.of(one)
    rng, bins = part.stream(trial, "batches"), round(1 / r)
    if row["sampler"] == "balls in bins":
        thrown = rng.integers(bins, size=100)
        batches = [np.flatnonzero(thrown == t % bins) for t in range(T)]
    elif row["sampler"] == "fixed order":
        batches = [*rng.permutation(100).reshape(bins, -1)] * (T // bins)
    else:
        batches = [rng.choice(100, 25, replace=False, shuffle=False) for _ in range(T)]
    Z = part.stream(trial, "noise").standard_normal((T, model.parameters), dtype=np.float32).astype(float)
    theta = np.zeros(model.parameters)
    for t, rows in enumerate(batches):
        before = Z[t - 1] if t else 0.0
        total = C * row["kappa"] * (Z[t] - row["lam"] * before)
        for i in rows:
            total = (
                total + model.clipped_gradient_sum(theta[None], seen.inputs[[i]].astype(float), seen.labels[[i]], C)[0]
            )
        theta = theta - row["eta"] * total / 25
    return float(model.accuracy(theta[None], unseen.inputs.astype(float), unseen.labels)[0])


@pytest.mark.parametrize("accountant", list(SAMPLERS))
def test_accuracies_are_those_of_the_algorithm_written_out(accountant, tuned):
    one = spec(accountant=accountant, **tuned)
    rows = [row for row in cifar10.run_fig01_cifar10(one) if row["series"] == "test accuracy"]
    assert [(row["trial"], row["eps"], row["lam"]) for row in rows] == [
        (trial, eps, lam) for trial in (0, 1) for eps in (1.0, 8.0) for lam in LAMS
    ]
    assert {row["sampler"] for row in rows} == {SAMPLERS[accountant]}
    for row in rows:
        assert row["value"] == pytest.approx(written_out(one, row["trial"], row), abs=1 / 60 + 1e-9)
        assert row["eta"] == best_step(row["lam"])
    assert max(row["value"] for row in rows) > 0.3


def test_gains_are_over_independent_noise_of_the_seed(tuned):
    rows = list(cifar10.run_fig01_cifar10(spec(accountant="tail", **tuned)))
    for trial, eps, lam in itertools.product((0, 1), (1.0, 8.0), LAMS[1:]):
        own = {"trial": trial, "eps": eps}
        plain = value_at(rows, lam=0.0, series="test accuracy", **own)
        found = value_at(rows, lam=lam, series="test accuracy", **own)
        assert value_at(rows, lam=lam, series="gain over lam = 0", **own) == found - plain
    kinds = {(row["lam"], row["accountant"], row["relation"]) for row in rows}
    assert kinds == {(0.0, "WOR", "replace-one"), (0.5, "tail", "zero-out"), (0.9, "tail", "zero-out")}


def test_noise_by_steps_is_the_noise_at_once():
    Z = np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32)
    shifted = np.concatenate([np.zeros((1, 3), np.float32), Z[:-1]])
    for lam in (0.0, 0.75):
        made = CorrelatedNoise(Z, lam)
        np.testing.assert_array_equal(np.stack([made[t] for t in range(5)]), Z - np.float32(lam) * shifted)


def test_tuning_never_looks_at_a_test_image_and_brackets_every_best_step(monkeypatch, tmp_path):
    monkeypatch.setattr(image_columns, "test_columns", lambda *args: pytest.fail("a test image was asked for"))
    rows = pd.DataFrame(cifar10.run_fig01_cifar10_rates(spec(RATES, trials=[0, 2], cell={"eps": 8.0})))
    assert set(rows["series"]) == {"held-out accuracy"}
    assert set(rows["n"]) == {80}
    for _, own in rows.groupby("lam"):
        means = own.groupby("eta")["value"].mean()
        assert set(own.groupby("eta")["trial"].nunique()) == {2}
        assert {0.5, 1.0, 2.0} <= set(means.index)
        assert means.index[0] < real_images.best_of(means.to_dict()) < means.index[-1]


def test_a_search_goes_on_until_steps_on_both_sides_are_worse():
    asked = []

    def score(places):
        asked.append(list(places))
        return np.array([[-abs(np.log(rate / best[arm]))] for arm, rate in places])

    best = [0.05, 1.0, 20.0]
    found = real_images.until_bracketed([0.5, 1.0, 2.0], 3, score)
    tried = [sorted(rate for arm, rate in found if arm == each) for each in range(3)]
    assert tried == [[0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0], [0.5, 1.0, 2.0], [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0]]
    assert [len(each) for each in asked] == [9, 2, 2, 2, 2]
    with pytest.raises(ValueError, match=r"rates=\[3.0\] are not among 1, 2 and 5 times powers of ten"):
        real_images.until_bracketed([1.0, 3.0], 1, score)
    ends = real_images.until_bracketed([0.5], 1, lambda places: np.array([[rate] for _, rate in places]))
    assert max(rate for _, rate in ends) == real_images.LADDER[-1]


@pytest.mark.parametrize("lam", [0.0, 0.5, 0.9])
def test_noise_of_the_worst_bin_is_that_of_cyclic_batches_and_enough_for_balls_in_bins(lam):
    asked = {"T": 12, "rate": 0.25, "lam": lam, "eps": 1.0, "delta": 1e-2}
    found, cyclic = (accountants.calibrate(name, **asked) for name in ("worst bin", "cyclic"))
    assert found.multiplier == cyclic.multiplier
    assert (found.sampler, found.relation, found.proved) == ("balls in bins", "zero-out", True)
    for direction in ("P|Q", "Q|P"):
        rng = np.random.default_rng(5)
        (there,) = deltas(found.multiplier, [1.0], 12, 4, lam, 20_000, rng, direction)
        assert there.value < 1e-2
    C = lam ** np.maximum(np.subtract.outer(np.arange(12), np.arange(12)), 0.0) * np.tri(12)
    norms = [np.linalg.norm(C[:, bin_::4].sum(axis=1)) for bin_ in range(4)]
    assert np.argmax(norms) == 0
    assert found.delta_attained == pytest.approx(1e-2)


@pytest.mark.parametrize("artefact", ["fig01_cifar10", RATES])
@pytest.mark.parametrize("accountant", list(SAMPLERS))
def test_the_ledger_is_what_ran_and_defends_none(artefact, accountant, tuned, monkeypatch):
    ran, train = [], WideSoftmax.train

    def watched(self, columns, labels, batches, arms, noise, noise_of, clip_norms, **more):
        for kappa, index, C in zip(arms.noise_multiplier, noise_of, clip_norms, strict=True):
            sd, rate = float(kappa * C), more["batch_size"] / len(labels)
            ran.append((round(sd, 9), noise[index].lam, rate, more["steps"]))
        return train(self, columns, labels, batches, arms, noise, noise_of, clip_norms, **more)

    monkeypatch.setattr(WideSoftmax, "train", watched)
    one = spec(artefact, accountant, trials=[0, 1], **tuned)
    list(getattr(cifar10, f"run_{artefact}")(one))
    entries = list(getattr(cifar10, f"releases_{artefact}")(one))
    assert len(entries) == 2 * len(LAMS)
    listed = set()
    for name, event, delta in entries:
        assert event.guarantee == "none"
        assert "tuned on part of the same training images" in event.reason
        assert (event.sampler, delta) == (SAMPLERS[accountant], 1e-5)
        (release,) = event.releases
        listed.add((round(release.noise_sd, 9), release.correlation, 0.25, 16))
        assert account.tightest_epsilon(event, delta) <= float(name.split("eps=")[1].split(",")[0]) + 1e-3
    assert listed == set(ran)


def world(gain=0.03, last=-0.2, larger=0.02):
    """A table in which moderate correlation gains, more at the largest epsilon, and the largest correlation loses."""
    rows = []
    for variant, budgets in (
        ("main", (1.0, 4.0, 8.0)),
        ("cyclic batches", (1.0, 8.0)),
        ("batches of Algorithm 1", (1.0, 8.0)),
    ):
        for eps, lam in itertools.product(budgets, (0.4, 0.8, 0.999)):
            mean = last if lam > 0.9 else gain * lam + (larger if eps == 8.0 else 0.0)
            rows.append({"variant": variant, "eps": eps, "lam": lam, "mean": mean})
    return pd.DataFrame(rows).assign(panel="accuracy", series="gain over lam = 0", se=1e-4, trials=6)


def verdicts(table, artefact="fig01_cifar10"):
    evidence = Evidence({"published": {}, "settings": {}}, {artefact: table})
    return {claim.claim: claim.verdict for claim in on_request.judge(evidence)}


def test_claims_hold_where_they_are_true_and_only_for_a_table_that_is_there():
    found = verdicts(world())
    assert len(found) == 12
    assert set(found.values()) == {"reproduced"}
    assert verdicts(world(), "fig01") == {}


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"gain": -0.03, "larger": 0.0}, "gain"), ({"last": 0.1}, "drop"), ({"last": 0.1}, "not-monotone"),
        ({"larger": -0.01}, "larger-budgets"),
    ],
)  # fmt: skip
def test_claims_that_are_false_are_left_open_with_the_reason(change, kind):
    evidence = Evidence({"published": {}, "settings": {}}, {"fig01_cifar10": world(**change)})
    mine = [claim for claim in on_request.judge(evidence) if claim.claim.startswith(f"figure-1-cifar-{kind}")]
    assert len(mine) == 3
    for claim in mine:
        assert (claim.verdict, claim.why) == ("inconclusive", "unstated value decides")
        assert "the figure's network, way to form batches, accountant and budgets" in claim.note


def test_cyclic_batches_take_the_steps_of_the_same_noise():
    one, other = (
        list(itertools.chain.from_iterable(Linear.of(spec(accountant=name)).by_epsilon()))
        for name in ("cyclic", "worst bin")
    )
    assert [arm.noise.kappa for arm in one] == [arm.noise.kappa for arm in other]
