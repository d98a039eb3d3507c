"""Columns made of images: scattering coefficients against sums in space, normalisation, and what is kept on disk."""

import numpy as np
import pytest

from dpdescent.data import kept
from dpdescent.models import feature_maps, image_columns, scattering
from dpdescent.models.feature_maps import LENGTH, normalised, pixel_columns, random_columns, scattering_columns


def images(count=3, channels=2, side=16, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (count, channels, side, side), dtype=np.uint8)


def circular(image, kernel):
    """Circular convolution by its definition, pixel by pixel of the kernel."""
    made = np.zeros(image.shape, complex)
    for row, column in np.argwhere(np.abs(kernel) > 1e-12):
        made += kernel[row, column] * np.roll(image, (row, column), axis=(0, 1))
    return made


def wavelet(size, scale, angle):
    """A Morlet wavelet on a periodic grid by its formula: a wave under a Gaussian whose mean is taken out."""
    width, frequency, theta = 0.8 * 2**scale, 0.75 * np.pi / 2**scale, np.pi * angle / 8
    x, y = np.meshgrid(np.arange(-size, size), np.arange(-size, size), indexing="ij")
    along, across = x * np.cos(theta) + y * np.sin(theta), y * np.cos(theta) - x * np.sin(theta)
    bump = np.exp(-(along**2 + (across / 2) ** 2) / (2 * width**2)) * 0.5 / (2 * np.pi * width**2)
    wave = bump * np.exp(1j * frequency * along)
    wave -= bump * wave.sum() / bump.sum()
    return wave.reshape(2, size, 2, size).sum(axis=(0, 2))


def average(size):
    x, y = np.meshgrid(np.arange(-size, size), np.arange(-size, size), indexing="ij")
    bump = np.exp(-(x**2 + y**2) / (2 * 1.6**2)) / (2 * np.pi * 1.6**2)
    return bump.reshape(2, size, 2, size).sum(axis=(0, 2))


def test_coefficients_are_those_of_convolutions_in_space():
    image = images(1, 1)[0, 0] / 255.0
    found = scattering.scattering(image[None, None])[0, 0]
    padded = np.pad(image, 4, mode="reflect")
    size = len(padded)
    kept_places = slice(4, -4, 4)
    np.testing.assert_allclose(found[0], circular(padded, average(size)).real[kept_places, kept_places], atol=1e-5)
    fine = np.abs(circular(padded, wavelet(size, 0, 3)))
    first = circular(fine, average(size)).real[kept_places, kept_places]
    np.testing.assert_allclose(found[1 + 3], first, atol=1e-5)
    # A coarse map is kept at every second pixel, and averaged by the Gaussian of that grid.
    coarse = np.abs(circular(padded, wavelet(size, 1, 5)))[::2, ::2]
    folded = np.fft.ifft2(np.fft.fft2(average(size)).reshape(2, size // 2, 2, size // 2).mean(axis=(0, 2)))
    np.testing.assert_allclose(found[1 + 8 + 5], circular(coarse, folded).real[2:-2:2, 2:-2:2], atol=1e-5)
    pair = np.abs(circular(fine, wavelet(size, 1, 2)))[::2, ::2]
    np.testing.assert_allclose(found[17 + 8 * 3 + 2], circular(pair, folded).real[2:-2:2, 2:-2:2], atol=1e-5)


def test_shapes_and_shades():
    found = scattering.scattering(images(3, 2, 16) / 255.0)
    assert found.shape == (3, 2, 81, 4, 4)
    assert found.dtype == np.float32
    flat = scattering.scattering(np.full((1, 1, 16, 16), 0.5))
    np.testing.assert_allclose(flat[0, 0, 0], 0.5, atol=1e-5)
    np.testing.assert_allclose(flat[0, 0, 1:], 0.0, atol=1e-5)


@pytest.mark.parametrize("side", [4, 10, 17])
def test_sides_that_do_not_fit_are_refused(side):
    with pytest.raises(ValueError, match="a multiple of 4"):
        scattering.scattering(np.zeros((1, 1, side, side)))


@pytest.mark.parametrize("columns", [
    lambda pixels: scattering_columns(pixels, 6, 2), pixel_columns,
    lambda pixels: random_columns(pixels, np.random.default_rng(1).standard_normal((pixels[0].size + 1, 30))),
])  # fmt: skip
def test_columns_of_an_image_have_one_length_and_depend_on_no_other_image(columns):
    pixels = images(5)
    whole = columns(pixels)
    np.testing.assert_allclose(np.linalg.norm(whole, axis=1), LENGTH, rtol=1e-6)
    for i in range(5):
        np.testing.assert_allclose(columns(pixels[i : i + 1])[0], whole[i], atol=2e-6)


def test_groups_are_standardised_each_by_itself():
    columns = np.random.default_rng(2).normal(3.0, 5.0, (4, 12))
    found = normalised(columns, 3).reshape(4, 3, 4)
    np.testing.assert_allclose(found.mean(-1), 0.0, atol=1e-6)
    np.testing.assert_allclose(found.std(-1), LENGTH / np.sqrt(12), rtol=1e-5)
    np.testing.assert_array_equal(normalised(np.ones((2, 6)), 2), 0.0)
    with pytest.raises(ValueError, match=r"groups=5 do not divide the 12 columns"):
        normalised(columns, 5)


def test_what_is_kept_is_computed_once(tmp_path):
    calls = []

    def make():
        calls.append(1)
        return np.arange(6.0)

    for _ in range(2):
        np.testing.assert_array_equal(kept.once(tmp_path / "deep/a.npy", make), np.arange(6.0))
    assert len(calls) == 1
    with pytest.raises(ZeroDivisionError):
        kept.once(tmp_path / "b.npy", lambda: 1 / 0)
    assert not (tmp_path / "b.npy").exists()


def test_names_change_with_the_code_that_computes():
    assert kept.code(scattering) != kept.code(feature_maps)
    assert kept.code(scattering) == kept.code(scattering)


def test_unknown_names_and_too_many_images_are_refused(tmp_path, monkeypatch):
    pixels, labels = images(4, 3, 32), np.arange(4)
    source = image_columns.Source(lambda folder: (pixels, labels), lambda folder: (pixels, labels), tmp_path, 2)
    monkeypatch.setattr(image_columns, "SOURCES", {"made up": source})
    monkeypatch.setattr(image_columns, "GROUPS", 3)
    found = image_columns.training_columns("made up", "scattering", "", 3, tmp_path)
    assert found.inputs.shape == (3, 81 * 3 * 16)
    np.testing.assert_array_equal(found.rows(1, 3).inputs, scattering_columns(pixels, 3, 2)[1:3])
    with pytest.raises(ValueError, match="source='cifar10' is none of"):
        image_columns.training_columns("cifar10", "scattering", "", 3, tmp_path)
    with pytest.raises(ValueError, match="features='deep' is none of"):
        image_columns.test_columns("made up", "deep", "", 3, tmp_path)
    with pytest.raises(ValueError, match="records=5: made up has 4 training images"):
        image_columns.training_columns("made up", "pixels", "", 5, tmp_path)
    with pytest.raises(ValueError, match="records 2 to 4 are asked for, but there are 3"):
        found.rows(2, 4)
