"""Figure 1's analogues: runs against the algorithm written out, what seeds share, tuning, cumulative noise, ledger."""

import gzip
import hashlib

import numpy as np
import pytest

from dpdescent.data import images
from dpdescent.data.digits import read_digits
from dpdescent.papers.wang2026 import arms, figure_1
from dpdescent.papers.wang2026 import images as image_runs
from dpdescent.papers.wang2026.arms import INDEPENDENT_OF, Arm
from dpdescent.papers.wang2026.images import Batched, Convolutional, Shared
from dpdescent.privacy.participation.calibration import Calibrated

SAMPLERS = {"bnb": "balls in bins", "cyclic": "fixed order", "tail": "fixed size"}
ARMS = {
    "lam": [0.0, 0.5, 0.9], "accountant": "bnb", "eta": [4.0, 0.5], "T": 12, "r": 0.1, "records": 150, "C_clip": 0.7,
    "filters": 2,
}  # fmt: skip
NOISE_CELL = {"eps": 8.0, "t": [1, 2, 5, 12], "dimension": 50, "shown": [0.0, 0.5, 0.9]}


def multiplier(spec, accountant, T, r, lam, eps, delta):
    """Made-up noise that tells what it was asked for."""
    kappa = 2.0 / eps / (1.0 - lam)
    return Calibrated(
        kappa, delta, 0.0, "zero-out", SAMPLERS.get(accountant, "fixed size"), accountant == "tail", "none"
    )


@pytest.fixture(autouse=True)
def made_up_multipliers(monkeypatch):
    monkeypatch.setattr(arms, "multiplier", multiplier)


def small(panel="accuracy", **changes):
    """A part's spec, with arms changed by name."""
    cell = NOISE_CELL if panel == "noise" else {"eps": changes.pop("eps", 8.0)}
    return {
        "paper": "wang2026", "artefact": changes.pop("artefact", "fig01"), "variant": "main", "panel": panel, "seed": 3,
        "trials": list(changes.pop("trials", (0, 2))), "tables": {}, "cell": cell,
        "settings": {"tuning_seeds": 2, "delta": 1e-3}, "arms": ARMS | changes,
    }  # fmt: skip


def values(rows, **wanted):
    return [row["value"] for row in rows if all(row[name] == value for name, value in wanted.items())]


def accuracy_written_out(spec, trial, eta, noise):
    """Algorithm 1 with batches that come again, step by step and without the engine."""
    part, bins = Convolutional.of(spec), 10
    T = part.T
    order = part.stream(trial, "data").permutation(1797)
    digits, records = read_digits(), part.records
    x, labels = digits.inputs[order[:records]], digits.labels[order[:records]]
    model = image_runs.ConvolutionalNetwork(8, part.filters)
    theta, before = model.initial(part.stream(trial, "start")), np.zeros(model.parameters)
    Z = part.stream(trial, "noise").standard_normal((T, model.parameters))
    rng = part.stream(trial, "batches")
    if noise.sampler == "balls in bins":
        thrown = rng.integers(bins, size=records)
        batches = [np.flatnonzero(thrown == t % bins) for t in range(T)]
    elif noise.sampler == "fixed order":
        shuffled = rng.permutation(records)
        batches = [shuffled[15 * (t % bins) : 15 * (t % bins) + 15] for t in range(T)]
    else:
        batches = [rng.choice(records, 15, replace=False, shuffle=False) for _ in range(T)]
    for rows, z in zip(batches, Z, strict=True):
        total = np.zeros(model.parameters)
        for i in rows:
            total += model.clipped_gradient_sum(theta[None], x[[i]], labels[[i]], part.C_clip)[0]
        theta = theta - eta * (total + part.C_clip * noise.kappa * (z - noise.lam * before)) / 15
        before = z
    rest = order[records:]
    return float(model.accuracy(theta[None], digits.inputs[rest], digits.labels[rest])[0])


@pytest.mark.parametrize("accountant", list(SAMPLERS))
def test_accuracies_are_those_of_the_algorithm_written_out(accountant):
    spec = small(accountant=accountant, lam=[0.0, 0.6], trials=(0, 2), T=23)
    rows = list(figure_1.run_fig01(spec))
    for trial in (0, 1):
        for lam in (0.0, 0.6):
            (row,) = [row for row in rows if (row["trial"], row["lam"], row["series"]) == (trial, lam, "test accuracy")]
            assert row["value"] == accuracy_written_out(spec, trial, row["eta"], Batched.of(spec).noise(lam, 8.0))


def test_gains_are_paired_differences():
    rows = list(figure_1.run_fig01(small()))
    for trial in (0, 1):
        (plain,) = values(rows, series="test accuracy", trial=trial, lam=0.0)
        for lam in (0.5, 0.9):
            (with_noise,) = values(rows, series="test accuracy", trial=trial, lam=lam)
            assert values(rows, series="gain over lam = 0", trial=trial, lam=lam) == [with_noise - plain]
    assert not values(rows, series="gain over lam = 0", lam=0.0)
    assert not values(list(figure_1.run_fig01(small(lam=[0.5]))), series="gain over lam = 0")


def test_nothing_depends_on_what_else_is_in_a_part():
    """Neither a seed on other seeds, nor a correlation on other ones, nor an epsilon on other ones."""
    whole = list(figure_1.run_fig01(small(eps=[1.0, 8.0], trials=(0, 3))))
    kept = [row for row in whole if row["eps"] == 8.0 and row["trial"] == 2 and row["lam"] in (0.0, 0.9)]
    assert list(figure_1.run_fig01(small(eps=8.0, trials=(2, 3), lam=[0.0, 0.9]))) == kept


def shared(spec, sampler="balls in bins", trial=1):
    part = Convolutional.of(spec)
    return Shared.of(part, part.digits(trial), sampler, trial)


def test_seeds_share_all_but_the_noise_and_differ_from_each_other():
    """Whatever epsilon and accountant; tuning seeds have splits of their own."""
    one, other = (shared(small(eps=eps)) for eps in (1.0, 8.0))
    cyclic = shared(small(accountant="cyclic"), "fixed order")
    for each in (other, cyclic):
        np.testing.assert_array_equal(one.normals, each.normals)
        np.testing.assert_array_equal(one.start, each.start)
        np.testing.assert_array_equal(one.pictures.inputs, each.pictures.inputs)
    for mine, theirs in zip(one.batches, other.batches, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    for trial in (0, -1):
        different = shared(small(), trial=trial)
        assert not np.array_equal(one.pictures.inputs, different.pictures.inputs)
        assert not np.isclose(one.normals, different.normals).any()
        assert not np.isclose(one.start[:18], different.start[:18]).any()
        assert {len(batch) for batch in one.batches} != {len(batch) for batch in different.batches}


def test_arms_of_other_step_sizes_change_no_bit():
    spec = small()
    seed, arm = shared(spec, trial=0), Arm(Batched.of(spec).noise(0.5, 8.0), 0.7)
    etas = [0.1, 0.5, 1.0, 2.0, 8.0]
    together = seed.accuracies(arm, etas)
    assert len(set(together)) > 2
    assert together.tolist() == [float(seed.accuracies(arm, [eta])[0]) for eta in etas]


def test_images_are_split_into_all_that_there_are():
    task = Convolutional.of(small()).digits(0)
    assert (task.inputs.shape, task.test_inputs.shape) == ((150, 64), (1647, 64))
    together = {row.tobytes() for row in np.concatenate([task.inputs, task.test_inputs])}
    assert len(together) == 1797


def test_step_sizes_are_the_best_ones_of_other_seeds(monkeypatch):
    """By mean accuracy over the tuning seeds; of equally good ones the smallest, in whatever order they are given."""
    asked = []
    scores = {(-2, 0.0): (0.5, 0.5, 0.1), (-1, 0.0): (0.3, 0.3, 0.4), (-2, 0.5): (0.1, 0.9, 0.2),
              (-1, 0.5): (0.6, 0.1, 0.9)}  # fmt: skip

    class Told:
        def __init__(self, trial):
            self.trial = trial

        def accuracies(self, arm, etas):
            known = dict(zip([1.0, 2.0, 4.0], scores[self.trial, arm.noise.lam], strict=True))
            return np.array([known[eta] for eta in etas])

    def make(part, pictures, sampler, trial):
        asked.append((sampler, trial))
        return Told(trial)

    monkeypatch.setattr(Shared, "of", make)
    spec = small(eta=[4.0, 1.0, 2.0], lam=[0.0, 0.5])
    part = Convolutional.of(spec)
    (untuned,) = part.by_epsilon()
    assert [arm.eta for arm in image_runs._tuned(part, part.digits, untuned)] == [1.0, 4.0]
    assert asked == [("balls in bins", -2), ("balls in bins", -1)]


@pytest.mark.parametrize("accountant", list(SAMPLERS))
def test_batches_are_those_of_the_sampler(accountant):
    spec = small(accountant=accountant, T=30)
    batches = Batched.of(spec).batches(SAMPLERS[accountant], 0)
    sizes = [len(batch) for batch in batches]
    if accountant == "tail":
        assert sizes == [15] * 30
        assert all(len(set(batch)) == 15 for batch in batches)
        assert len(set(np.concatenate(batches))) > 130
        assert set(batches[0]) != set(batches[10])
        return
    assert len(batches) == 10
    np.testing.assert_array_equal(np.sort(np.concatenate(batches)), np.arange(150))
    assert (len(set(sizes)) == 1) == (accountant == "cyclic")


@pytest.mark.parametrize(("r", "records"), [(0.3, 150), (0.1, 155)])
def test_epochs_must_have_a_whole_number_of_batches(r, records):
    with pytest.raises(ValueError, match=f"r={r}: 1/r must be an integer that divides records={records}"):
        list(figure_1.run_fig01(small(r=r, records=records)))


def test_other_samplers_are_refused():
    with pytest.raises(ValueError, match="sampler='Poisson' is none of"):
        Batched.of(small()).batches("Poisson", 0)


def test_cumulative_noise_is_the_sum_written_out():
    spec = small("noise")
    rows = list(figure_1.run_fig01(spec))
    for trial in (0, 1):
        Z = Batched.of(spec).stream(trial, "normals").standard_normal((12, 50))
        for lam in NOISE_CELL["shown"]:
            for noise, kappa in (("fixed", 1.0), ("calibrated", 0.25 / (1 - lam))):
                total, before = np.zeros(50), np.zeros(50)
                for t, z in enumerate(Z, start=1):
                    total, before = total + kappa * (z - lam * before), z
                    found = values(rows, series="simulated", t=t, lam=lam, noise=noise, trial=trial)
                    expected = [np.linalg.norm(total) / 50**0.5] if t in NOISE_CELL["t"] else []
                    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_formula_is_the_sd_of_the_sum():
    """Of the row sums of C^-1, whose inverse is that of eq. (25); it is said once."""
    rows = list(figure_1.run_fig01(small("noise")))
    for lam in NOISE_CELL["shown"]:
        C = np.array([[lam ** (t - u) if u <= t else 0.0 for u in range(12)] for t in range(12)])
        sd = np.linalg.norm(np.cumsum(np.linalg.inv(C), axis=0), axis=1)
        for noise, kappa in (("fixed", 1.0), ("calibrated", 0.25 / (1 - lam))):
            for t in NOISE_CELL["t"]:
                found = values(rows, series="formula", t=t, lam=lam, noise=noise)
                np.testing.assert_allclose(found, [kappa * sd[t - 1]], rtol=1e-9)
    assert not values(list(figure_1.run_fig01(small("noise", trials=(1, 2)))), series="formula")


def test_no_run_on_the_digits_is_guaranteed():
    """Step sizes were tuned on splits of the same images."""
    for accountant, sampler in SAMPLERS.items():
        spec = small(eps=[1.0, 8.0], accountant=accountant)
        entries = list(figure_1.releases_fig01(spec))
        assert len({arm for arm, _, _ in entries}) == 6
        for arm, mechanism, delta in entries:
            name = INDEPENDENT_OF.get(accountant, accountant) if arm.endswith("lam=0") else accountant
            assert arm.startswith(f"main: {name}, eps=")
            assert (mechanism.guarantee, mechanism.sampler, delta) == ("none", sampler, 1e-3)
            assert "tuned on other splits of the same images" in mechanism.reason
            (release,) = mechanism.releases
            eps, lam = (float(word.split("=")[1]) for word in arm.split(", ")[1:])
            assert release.noise_sd == pytest.approx(0.7 * 2.0 / eps / (1.0 - lam))
    assert not list(figure_1.releases_fig01(small("noise")))


@pytest.fixture
def clothes(tmp_path, monkeypatch):
    """Noise in place of Fashion-MNIST: 400 training and 200 test images."""
    rng, hashes = np.random.default_rng(0), {}
    for part, count in (("train", 400), ("t10k", 200)):
        pixels, labels = rng.integers(0, 256, (count, 28, 28)), rng.integers(0, 10, count)
        for kind, header, content in (("images-idx3", 16, pixels), ("labels-idx1", 8, labels)):
            whole = bytes(header) + content.astype(np.uint8).tobytes()
            (tmp_path / f"{part}-{kind}-ubyte.gz").write_bytes(gzip.compress(whole))
            hashes[f"{part}-{kind}-ubyte"] = hashlib.sha256(whole).hexdigest()
    monkeypatch.setattr(images, "SHA256", hashes)
    monkeypatch.setattr(images, "FOLDER", tmp_path)


def fashion(**changes):
    return small(artefact="fig01_fashion", **changes)


@pytest.mark.usefixtures("clothes")
def test_clothes_are_tuned_on_others():
    training, test = images.read_training(), images.read_test()
    for trial, rows, test_rows in [(0, (0, 150), (0, 75)), (7, (0, 150), (0, 75)), (-2, (150, 300), (75, 150))]:
        task = Convolutional.of(fashion()).fashion(trial)
        assert task.side == 14
        np.testing.assert_array_equal(task.inputs, images.pooled(training[slice(*rows)], 14))
        np.testing.assert_array_equal(task.labels, training.labels[slice(*rows)])
        np.testing.assert_array_equal(task.test_inputs, images.pooled(test[slice(*test_rows)], 14))
        np.testing.assert_array_equal(task.test_labels, test.labels[slice(*test_rows)])
    with pytest.raises(ValueError, match="records=201: there are 400 and 200 images; it may be 200 at most"):
        Convolutional.of(fashion(records=201)).fashion(0)


@pytest.mark.usefixtures("clothes")
def test_clothes_give_the_same_rows_as_digits_do():
    found, expected = list(figure_1.run_fig01_fashion(fashion(T=3))), list(figure_1.run_fig01(small(T=3)))
    assert [set(row) for row in found] == [set(row) for row in expected]
    assert len({row["value"] for row in found}) > 1


def test_runs_on_clothes_keep_their_guarantee():
    for accountant, guarantee in (("bnb", "as published"), ("cyclic", "proved"), ("tail", "proved")):
        entries = list(figure_1.releases_fig01_fashion(fashion(accountant=accountant)))
        assert [mechanism.guarantee for _, mechanism, _ in entries] == [guarantee] * 3


def test_without_the_package_there_is_a_clear_word(tmp_path, monkeypatch):
    monkeypatch.setattr(images, "FOLDER", tmp_path)
    with pytest.raises(images.MissingDataError, match="install the Debian package dataset-fashion-mnist"):
        list(figure_1.run_fig01_fashion(fashion()))
