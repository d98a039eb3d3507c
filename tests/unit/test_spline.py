"""B-splines against scipy's, finite differences and each other."""

import numpy as np
import pytest
from scipy.interpolate import BSpline

from dpdescent.models.spline import CubicSplines

RNG = np.random.default_rng(0)
CELLS = [1, 3, 5, 8]


def places(cells):
    """Random ones, all knots, and floats just beside them."""
    knots = np.linspace(-1.0, 1.0, cells + 1)
    beside = np.concatenate([np.nextafter(knots[1:], -2.0), np.nextafter(knots[:-1], 2.0)])
    return np.concatenate([RNG.uniform(-1.0, 1.0, 200), knots, beside])


def peer(cells):
    h = 2.0 / cells
    return BSpline(-1.0 + h * np.arange(-3, cells + 4), np.eye(cells + 3), 3)


@pytest.mark.parametrize("cells", CELLS)
def test_values_and_derivatives_are_those_of_scipy(cells):
    splines, u = CubicSplines(cells), places(cells)
    for order, ours in enumerate([splines.values, splines.first, splines.second]):
        np.testing.assert_allclose(ours(u), peer(cells)(u, nu=order), rtol=1e-12, atol=2e-14 * cells**order)


@pytest.mark.parametrize("cells", CELLS)
def test_partition_of_unity(cells):
    splines, u = CubicSplines(cells), places(cells)
    values = splines.values(u)
    np.testing.assert_allclose(values.sum(-1), 1.0, rtol=4e-16)
    assert values.shape == (len(u), splines.count) == (len(u), cells + 3)
    assert (values >= 0.0).all()
    assert ((values > 0.0).sum(-1) <= 4).all()


def test_derivatives_are_differences():
    splines, u, step = CubicSplines(5), RNG.uniform(-0.99, 0.99, 100), 1e-6
    for function, slope in ((splines.values, splines.first), (splines.first, splines.second)):
        difference = (function(u + step) - function(u - step)) / (2 * step)
        np.testing.assert_allclose(slope(u), difference, atol=1e-4 if function == splines.first else 1e-8)


def test_the_right_end_is_the_end_of_the_last_cell():
    splines = CubicSplines(5)
    np.testing.assert_allclose(splines.values(np.array([1.0]))[0, -3:], [1 / 6, 4 / 6, 1 / 6], rtol=1e-15)
    np.testing.assert_allclose(splines.first(np.array([1.0]))[0, -3:], [-1.25, 0.0, 1.25], atol=1e-15)


@pytest.mark.parametrize("cells", CELLS)
def test_largest_values_are_attained_and_never_passed(cells):
    splines, u = CubicSplines(cells), np.linspace(-1.0, 1.0, 20 * cells * 30 + 1)
    pairs = (
        (splines.values, splines.largest_value), (splines.first, splines.largest_first),
        (splines.second, splines.largest_second),
    )  # fmt: skip
    for function, largest in pairs:
        assert np.abs(function(u)).max() == pytest.approx(largest, rel=1e-3)
        assert np.abs(function(u)).max() <= largest * (1 + 1e-12)
    assert splines.width == 2.0 / cells


@pytest.mark.parametrize("cells", CELLS)
def test_cubics_are_the_combinations(cells):
    splines, u = CubicSplines(cells), places(cells)
    c = RNG.standard_normal((2, 3, splines.count))
    cell, z = splines.locate(u)
    assert (cell >= 0).all()
    assert (cell < cells).all()
    cubics = splines.polynomials(c)
    assert cubics.shape == (2, 3, cells, 4)
    value = (cubics[:, :, cell] * z[:, None] ** np.arange(4)).sum(-1)
    np.testing.assert_allclose(value, c @ splines.values(u).T, rtol=1e-13, atol=1e-14)


def test_any_shape():
    splines, u = CubicSplines(3), RNG.uniform(-1, 1, (2, 5, 4))
    np.testing.assert_array_equal(splines.values(u)[1, 2], splines.values(u[1, 2]))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: CubicSplines(0), "cells must be positive"),
        (lambda: CubicSplines(3).values(np.array([0.0, 1.01])), "must lie between -1 and 1, but 1 values do not"),
        (lambda: CubicSplines(3).first(np.array([-1.01])), "must lie between -1 and 1"),
        (lambda: CubicSplines(3).second(np.array([np.nan])), "must lie between -1 and 1"),
        (lambda: CubicSplines(3).polynomials(np.zeros((2, 5))), "p=6"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
