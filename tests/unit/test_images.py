"""Fashion-MNIST: reading and refusing files, pooling, pairs of classes; on the images themselves if they are there."""

import gzip
import hashlib

import numpy as np
import pytest

from dpdescent.data import images
from dpdescent.data.images import MissingDataError, pairs, pooled, read_test, read_training

installed = pytest.mark.skipif(
    not images.FOLDER.is_dir(), reason="needs Fashion-MNIST (Debian: apt-get install dataset-fashion-mnist)"
)


def put(folder, name, content, header):
    """A file as the package has it, and its hash."""
    whole = bytes(header) + content.astype(np.uint8).tobytes()
    (folder / f"{name}.gz").write_bytes(gzip.compress(whole))
    return hashlib.sha256(whole).hexdigest()


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """Images with a bright stripe whose place tells the class, in place of the package's."""
    hashes, rng = {}, np.random.default_rng(0)
    for part, count in (("train", 300), ("t10k", 80)):
        labels = rng.integers(0, 4, count)
        pixels = rng.integers(0, 60, (count, 28, 28))
        for i, label in enumerate(labels):
            pixels[i, 7 * label : 7 * label + 7] += 60 + 130 * i // count
        hashes[f"{part}-images-idx3-ubyte"] = put(tmp_path, f"{part}-images-idx3-ubyte", pixels, 16)
        hashes[f"{part}-labels-idx1-ubyte"] = put(tmp_path, f"{part}-labels-idx1-ubyte", labels, 8)
    monkeypatch.setattr(images, "SHA256", hashes)
    monkeypatch.setattr(images, "FOLDER", tmp_path)
    return tmp_path


def test_files_are_read_in_order(made_up):
    training, test = read_training(), read_test()
    assert (len(training), len(test)) == (300, 80)
    assert training.pixels.shape == (300, 28, 28)
    bright = training.pixels.reshape(300, 4, 7, 28).mean((2, 3)).argmax(1)
    np.testing.assert_array_equal(bright, training.labels)
    assert not training.pixels.flags.writeable
    assert not training.labels.flags.writeable
    np.testing.assert_array_equal(training[10:20].labels, training.labels[10:20])
    np.testing.assert_array_equal(training[np.array([3, 1])].pixels, training.pixels[[3, 1]])


@pytest.mark.parametrize("name", ["train-images-idx3-ubyte", "t10k-labels-idx1-ubyte"])
def test_missing_changed_and_broken_files_are_refused(made_up, name):
    path, read = made_up / f"{name}.gz", read_training if name.startswith("train") else read_test
    content = path.read_bytes()
    path.write_bytes(content[:-20])
    with pytest.raises(MissingDataError, match=f"{name}.gz cannot be unpacked"):
        read()
    path.write_bytes(content[:40] + bytes(40) + content[80:])
    with pytest.raises(MissingDataError, match=f"{name}.gz"):
        read()
    path.write_bytes(gzip.compress(gzip.decompress(content)[:-1] + b"\xff"))
    with pytest.raises(MissingDataError, match=f"{name}.gz: sha256 .* is not the recorded .*install"):
        read()
    path.unlink()
    with pytest.raises(MissingDataError, match=f"{name}.gz is not there: install the Debian package"):
        read()
    path.write_bytes(content)
    assert len(read()) > 0


def test_pooling_takes_averages(made_up):
    some = read_training()[:9]
    for side in (28, 14, 7, 4):
        square = 28 // side
        small = pooled(some, side).reshape(9, side, side)
        for row, column in [(0, 0), (side - 1, 1), (2, side - 1)]:
            place = np.s_[:, row * square : (row + 1) * square, column * square : (column + 1) * square]
            np.testing.assert_allclose(small[:, row, column], some.pixels[place].mean((1, 2)) / 255, rtol=1e-12)
    for side in (0, 5, 56):
        with pytest.raises(ValueError, match=f"side={side} must divide 28"):
            pooled(some, side)


def test_pairs_are_principal_components_of_public_images(made_up):
    """Against the singular vectors of the first images of both classes; all others are there, in order."""
    (x, y), (u, v) = pairs(1, 3, 4, public=60)
    training, test = read_training(), read_test()
    rows, test_rows = (np.flatnonzero(np.isin(each.labels, (1, 3))) for each in (training, test))
    pixels = training.pixels[rows].reshape(-1, 784) / 255
    centre = pixels[:60].mean(0)
    _, _, directions = np.linalg.svd(pixels[:60] - centre, full_matrices=False)
    radius = np.linalg.norm((pixels[:60] - centre) @ directions[:4].T, axis=1).max()
    for found, labels, given, shown in (
        (x, y, pixels[60:], training.labels[rows[60:]]),
        (u, v, test.pixels[test_rows].reshape(-1, 784) / 255, test.labels[test_rows]),
    ):
        expected = (given - centre) @ directions[:4].T / radius
        expected /= np.maximum(1, np.linalg.norm(expected, axis=1, keepdims=True))
        np.testing.assert_allclose(np.abs(found), np.abs(expected), atol=1e-9)
        np.testing.assert_array_equal(labels, np.where(shown == 3, 1.0, -1.0))
        assert found.shape == (len(labels), 4)
        # Later images are brighter than the public ones: some lie on the sphere.
        assert np.linalg.norm(found, axis=1).max() == pytest.approx(1.0, abs=1e-12)


def test_components_have_a_definite_sign(made_up):
    training = read_training()
    projection = images._Projection.of(pooled(training, 28), 5)
    largest = np.abs(projection.components).argmax(0)
    assert (projection.components[largest, np.arange(5)] > 0).all()
    np.testing.assert_allclose(projection.components.T @ projection.components, np.eye(5), atol=1e-12)
    variances = ((pooled(training, 28) - projection.centre) @ projection.components).var(0)
    assert (np.diff(variances) < 0).all()


def test_what_is_public_moves_no_other_way(made_up):
    """Records that are trained on do not move each other: the fit knows the public ones only."""
    (x, _), _ = pairs(0, 1, 3, public=50)
    rows = np.flatnonzero(np.isin(read_training().labels, (0, 1)))
    projection = images._Projection.of(pooled(read_training()[rows[:50]], 28), 3)
    alone, _ = projection.points(read_training()[rows[[57]]], 1)
    np.testing.assert_allclose(alone[0], x[7], rtol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((1, 1, 4), "first=1, second=1"),
        ((0, 10, 4), "first=0, second=10"),
        ((0, 1, 0, 50), "d=0, public=50"),
        ((0, 1, 50, 50), "d=50, public=50"),
        ((0, 1, 4, 300), "d=4, public=300"),
    ],
)
def test_bad_arguments_are_named(made_up, arguments, words):
    with pytest.raises(ValueError, match=words):
        pairs(*arguments)


@installed
def test_the_images_themselves():
    """All classes are equally frequent; the nearest mean of small images tells most of them apart."""
    training, test = read_training(), read_test()
    np.testing.assert_array_equal(np.bincount(training.labels), 6000)
    np.testing.assert_array_equal(np.bincount(test.labels), 1000)
    some = pooled(training[:6000], 14)
    means = np.stack([some[training.labels[:6000] == c].mean(0) for c in range(10)])
    nearest = ((pooled(test[:1000], 14)[:, None] - means) ** 2).sum(2).argmin(1)
    assert (nearest == test.labels[:1000]).mean() > 0.6
