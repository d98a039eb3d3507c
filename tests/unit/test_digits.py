"""The bundled digits: what they hold, that they show digits, and their splits."""

import numpy as np
import pytest

from dpdescent.data import tabular
from dpdescent.data.digits import CLASSES, SIDE, Digits, read_digits, split


@pytest.fixture(scope="module")
def digits() -> Digits:
    return read_digits()


def test_shape_and_range(digits: Digits) -> None:
    assert len(digits) == 1797
    assert digits.inputs.shape == (1797, SIDE**2)
    assert (digits.inputs.min(), digits.inputs.max()) == (0.0, 1.0)
    assert digits.labels.dtype == np.intp
    assert np.unique(digits.labels).tolist() == list(range(CLASSES))


def test_images_lie_the_right_way(digits: Digits) -> None:
    """The mean zero has a hole in its middle, the mean one a bar; outer columns are empty, outer rows are not."""
    means = np.stack([digits.inputs[digits.labels == c].mean(0).reshape(SIDE, SIDE) for c in range(CLASSES)])
    assert means[0, 3:5, 3:5].mean() < 0.2 < 0.6 < means[1, 3:5, 3:5].mean()
    assert means[:, :, 0].mean() < 0.01 < 0.3 < means[:, 0, 2:6].mean()


def test_a_nearest_mean_tells_them_apart(digits: Digits) -> None:
    """Labels belong to their images: the nearest class mean of the first 1400 is right for most of the rest."""
    means = np.stack([digits.inputs[:1400][digits.labels[:1400] == c].mean(0) for c in range(CLASSES)])
    distances = ((digits.inputs[1400:, None] - means) ** 2).sum(2)
    assert (distances.argmin(1) == digits.labels[1400:]).mean() > 0.8


def test_a_changed_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(tabular.BUNDLED, "digits", "0" * 64)
    read_digits.cache_clear()
    with pytest.raises(tabular.TableError, match=r"'digits'.*sha256.*is not the recorded 0000"):
        read_digits()


def keys(digits: Digits) -> list[bytes]:
    return [row.tobytes() + bytes([label]) for row, label in zip(digits.inputs, digits.labels, strict=True)]


def test_parts_are_disjoint_and_of_their_sizes(digits: Digits) -> None:
    parts = split(digits, [1400, 190, 207], np.random.default_rng(0))
    assert [len(part) for part in parts] == [1400, 190, 207]
    # No two images of the file are equal, so that they are their own names.
    together = [key for part in parts for key in keys(part)]
    assert sorted(together) == sorted(keys(digits))
    assert len(set(together)) == 1797
    assert keys(parts[0]) != keys(digits)[:1400]


def test_a_split_is_its_generators(digits: Digits) -> None:
    (one,), (again,) = (split(digits, [300], np.random.default_rng(seed)) for seed in (1, 1))
    (other,) = split(digits, [300], np.random.default_rng(2))
    np.testing.assert_array_equal(one.inputs, again.inputs)
    assert keys(one) != keys(other)


@pytest.mark.parametrize("sizes", [[], [0], [1797, 1], [-1, 5]])
def test_impossible_sizes_are_refused(digits: Digits, sizes: list[int]) -> None:
    with pytest.raises(ValueError, match=r"sizes=.* sum to at most the 1797 images"):
        split(digits, sizes, np.random.default_rng(0))
