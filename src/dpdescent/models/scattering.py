"""Scattering coefficients of small images: a feature map that does not depend on data (Bruna and Mallat 2013).

An image is filtered by Morlet wavelets at J = 2 scales and L = 8 angles, and moduli are taken. Those of the finer scale
are filtered once more at the coarser one. All are averaged by a Gaussian and kept at every fourth pixel: 1 + 16 + 64
maps per channel. These are the features of Tramer and Boneh (ICLR 2021). No other image enters the average, so that the
features of a record depend on that record alone.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import fft

Single = NDArray[np.float32]

SCALES, ANGLES = 2, 8
# Number of maps per channel: the average, one per wavelet, and one per pair of a fine and a coarse wavelet.
MAPS = 1 + SCALES * ANGLES + ANGLES * ANGLES
STRIDE = 2**SCALES
# Width of the Gaussian and frequency of the wave at the finest scale, and the flatness of wavelets across.
WIDTH, FREQUENCY, SLANT = 0.8, 0.75 * np.pi, 4.0 / ANGLES


@dataclass(frozen=True)
class _Filters:
    """Filters in the frequency domain on a grid of size x size: `wavelets` by scale, shape (ANGLES, size, size)."""

    wavelets: tuple[NDArray[np.complex64], ...]
    average: NDArray[np.complex64]


def scattering(images: NDArray[np.floating]) -> Single:
    """Returns scattering coefficients of each channel, shape (images, channels, MAPS, side/4, side/4).

    Args:
        images: images, shape (images, channels, side, side), the side a multiple of 4 and at least 8.

    Raises:
        ValueError: if the side is not such a number.
    """
    side = images.shape[-1]
    if side % STRIDE or side < 2 * STRIDE or images.shape[-2] != side:
        raise ValueError(f"images of shape {images.shape}: both sides must be equal, at least 8 and a multiple of 4")
    edge = [(0, 0)] * (images.ndim - 2) + [(STRIDE, STRIDE)] * 2
    padded = np.pad(images.astype(np.float32), edge, mode="reflect")
    filters = _filters(padded.shape[-1])
    whole = fft.fft2(padded)
    fine = np.abs(_filtered(whole, filters.wavelets[0], 1))
    coarse = np.abs(_filtered(whole, filters.wavelets[1], 2))
    spectrum = fft.fft2(fine)
    pairs = [np.abs(_filtered(spectrum[..., i, :, :], filters.wavelets[1], 2)) for i in range(ANGLES)]
    maps = [
        _averaged(whole[..., None, :, :], filters, 1), _averaged(spectrum, filters, 1),
        _averaged(fft.fft2(coarse), filters, 2), *(_averaged(fft.fft2(pair), filters, 2) for pair in pairs),
    ]  # fmt: skip
    # The padding contributes one coefficient on each side.
    return np.ascontiguousarray(np.concatenate(maps, axis=-3)[..., 1:-1, 1:-1], dtype=np.float32)


def _filtered(spectrum: NDArray[np.complex64], wavelets: NDArray[np.complex64], step: int) -> NDArray[np.complex64]:
    """Images filtered by each wavelet, kept at every `step`-th pixel, shape (..., ANGLES, size/step, size/step)."""
    filtered: NDArray[np.complex64] = fft.ifft2(_folded(spectrum[..., None, :, :] * wavelets, step), overwrite_x=True)
    return filtered


def _averaged(spectrum: NDArray[np.complex64], filters: _Filters, step: int) -> Single:
    """The Gaussian average of maps that were kept at every `step`-th pixel, at every fourth pixel of the image."""
    average = _folded(filters.average, step)
    averaged: Single = fft.ifft2(_folded(spectrum * average, STRIDE // step)).real
    return averaged


def _folded(spectrum: NDArray[np.complex64], step: int) -> NDArray[np.complex64]:
    """The spectrum of every `step`-th pixel: the mean over frequencies that fold onto one."""
    if step == 1:
        return spectrum
    *front, rows, columns = spectrum.shape
    shape = *front, step, rows // step, step, columns // step
    folded: NDArray[np.complex64] = spectrum.reshape(shape).mean(axis=(-4, -2), dtype=np.complex64)
    return folded


@cache
def _filters(size: int) -> _Filters:
    wavelets = tuple(
        np.stack([_morlet(size, WIDTH * 2**j, FREQUENCY / 2**j, np.pi * angle / ANGLES) for angle in range(ANGLES)])
        for j in range(SCALES)
    )
    average = np.fft.fft2(_wave(size, WIDTH * 2 ** (SCALES - 1), 0.0, 0.0, 1.0)).astype(np.complex64)
    return _Filters(wavelets, average)


def _morlet(size: int, width: float, frequency: float, angle: float) -> NDArray[np.complex64]:
    """A Morlet wavelet in the frequency domain: a wave under a Gaussian, from which its mean is removed."""
    wave, bump = (_wave(size, width, pitch, angle, SLANT) for pitch in (frequency, 0.0))
    wavelet: NDArray[np.complex64] = np.fft.fft2(wave - bump * (wave.sum() / bump.sum())).astype(np.complex64)
    return wavelet


def _wave(size: int, width: float, frequency: float, angle: float, slant: float) -> NDArray[np.complex128]:
    """A wave under a Gaussian of mass 1 on a periodic grid, shape (size, size)."""
    at = np.arange(-2 * size, 3 * size)
    x, y = np.meshgrid(at, at, indexing="ij")
    along, across = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    values = np.exp(-(along**2 + (slant * across) ** 2) / (2 * width**2) + 1j * frequency * along)
    values *= slant / (2 * np.pi * width**2)
    # Neighbouring grids are summed, so that the parts beyond one end come in at the other.
    folded: NDArray[np.complex128] = values.reshape(5, size, 5, size).sum(axis=(0, 2))
    return folded
