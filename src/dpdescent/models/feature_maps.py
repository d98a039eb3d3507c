"""Columns for linear models from images, each computed from its own image alone and scaled to a common length."""

import numpy as np
from numpy.typing import NDArray

from dpdescent.models.scattering import scattering

Single = NDArray[np.float32]
Pixels = NDArray[np.uint8]

# Length of every image's columns, at which most gradients of softmax regression are longer than a clip norm of 1.
LENGTH = 4.0
# Spread below which a group of columns counts as constant, because a single shade would be divided by rounding errors.
SMALL = 1e-9
# Number of images at a time, because filtered images are many times larger.
BLOCK = 128


def scattering_columns(pixels: Pixels, groups: int, pool: int) -> Single:
    """Returns normalised scattering coefficients, shape (images, channels x 81 x places).

    Args:
        pixels: values 0 to 255, shape (images, channels, side, side).
        groups: number of groups of maps that are standardised together.
        pool: side of the squares of places over which coefficients are averaged; 1 keeps all.
    """
    blocks = [_pooled(scattering(block / 255.0), pool) for block in _blocks(pixels)]
    return np.concatenate([normalised(block.reshape(len(block), -1), groups) for block in blocks])


def pixel_columns(pixels: Pixels) -> Single:
    """Returns the normalised pixels, shape (images, channels x side x side)."""
    return np.concatenate([normalised(block.reshape(len(block), -1) / 255.0, 1) for block in _blocks(pixels)])


def random_columns(pixels: Pixels, directions: NDArray[np.floating]) -> Single:
    """Returns cosines of random projections of the normalised pixels, shape (images, directions).

    Args:
        pixels: values 0 to 255, shape (images, channels, side, side).
        directions: normal weights, one column per feature and one row per pixel; the last row is for the phase.
    """
    weights, phases = directions[:-1], directions[-1]
    blocks = (np.cos(pixel_columns(block) / LENGTH @ weights + phases) for block in _blocks(pixels))
    return np.concatenate([normalised(block, 1) for block in blocks])


def normalised(columns: NDArray[np.floating], groups: int) -> Single:
    """Standardises each image's groups of columns, then scales all columns of an image to length `LENGTH`.

    Args:
        columns: columns of images, shape (images, columns).
        groups: number of groups of equal size, in the order of the columns.

    Raises:
        ValueError: if the groups are not of equal size.
    """
    if columns.shape[1] % groups:
        raise ValueError(f"groups={groups} do not divide the {columns.shape[1]} columns")
    split = columns.reshape(len(columns), groups, -1).astype(np.float64)
    split -= split.mean(axis=-1, keepdims=True)
    spread = np.sqrt((split**2).mean(axis=-1, keepdims=True))
    split /= np.where(spread < SMALL, 1.0, spread)
    flat = split.reshape(len(columns), -1)
    length = np.linalg.norm(flat, axis=1, keepdims=True)
    return np.asarray(flat * (LENGTH / np.where(length < SMALL, 1.0, length)), np.float32)


def _blocks(pixels: Pixels) -> list[Pixels]:
    return [pixels[at : at + BLOCK] for at in range(0, len(pixels), BLOCK)]


def _pooled(maps: Single, pool: int) -> Single:
    *front, rows, columns = maps.shape
    pooled: Single = maps.reshape(*front, rows // pool, pool, columns // pool, pool).mean(axis=(-3, -1))
    return pooled
