"""Designs with a margin: the law of the points, the teachers, and what cannot be drawn."""

import numpy as np
import pytest

from dpdescent.data.separable import TEACHERS, draw, two_clusters, uniform_ball


def teacher(design, x):
    """g at one point, written out."""
    if design == "D2":
        return 2 * x[0] * x[1]
    return sum((-1) ** (i + 1) * np.sin(np.pi * x[i - 1]) for i in range(1, len(x) + 1)) / np.sqrt(len(x))


@pytest.mark.parametrize(
    ("design", "d", "margin"), [("D1", 1, 0.3), ("D1", 4, 0.3), ("D1", 7, 0.1), ("D2", 2, 0.2), ("D2", 5, 0.2)]
)
def test_records_have_the_margin_and_their_labels(design, d, margin):
    x, y = draw(design, d, margin, 700, np.random.default_rng(d))
    assert x.shape == (700, d)
    assert (np.linalg.norm(x, axis=1) <= 1 + 1e-12).all()
    g = np.array([teacher(design, each) for each in x])
    np.testing.assert_allclose(TEACHERS[design].value(x), g, rtol=1e-12)
    assert (np.abs(g) > margin).all()
    np.testing.assert_array_equal(y, np.sign(g))
    assert np.abs(g).min() < margin + 0.05
    assert abs(y.mean()) < 0.15


def test_accepted_points_are_uniform():
    """The share of accepted points and their mean radius are those of uniform points of which the rest is left out."""
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, (200_000, 3))
    inside = points[np.linalg.norm(points, axis=1) <= 1]
    kept = inside[np.abs([teacher("D2", each) for each in inside]) > 0.2]
    x, _ = draw("D2", 3, 0.2, 20_000, np.random.default_rng(1))
    radii, expected = np.linalg.norm(x, axis=1), np.linalg.norm(kept, axis=1)
    assert radii.mean() == pytest.approx(expected.mean(), abs=5 * expected.std() / 20_000**0.5)
    sizes, expected = np.abs(x), np.abs(kept)
    np.testing.assert_allclose(sizes.mean(0), expected.mean(0), atol=0.01)


def test_a_ball_is_filled_evenly():
    """A share s^d of the points lies within radius s; coordinates have mean 0 and variance 1/(d + 2)."""
    for d in (1, 4):
        x = uniform_ball(40_000, d, np.random.default_rng(d))
        radii = np.linalg.norm(x, axis=1)
        for s in (0.5, 0.8):
            assert (radii <= s).mean() == pytest.approx(s**d, abs=0.012)
        np.testing.assert_allclose(x.mean(0), 0.0, atol=0.015)
        np.testing.assert_allclose(x.var(0), 1 / (d + 2), atol=0.01)


def test_fewer_records_are_the_first_of_more():
    x, y = draw("D1", 4, 0.3, 2000, np.random.default_rng(3))
    fewer, labels = draw("D1", 4, 0.3, 700, np.random.default_rng(3))
    np.testing.assert_array_equal(fewer, x[:700])
    np.testing.assert_array_equal(labels, y[:700])
    assert not np.array_equal(x[:5], draw("D1", 4, 0.3, 5, np.random.default_rng(4))[0])


def test_without_a_margin_no_point_is_left_out():
    x, _ = draw("D1", 3, 0.0, 512, np.random.default_rng(3))
    np.testing.assert_array_equal(x, uniform_ball(512, 3, np.random.default_rng(3)))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("D3", 4, 0.3, 10), r"design='D3' is none of \['D1', 'D2'\]"),
        (("D2", 1, 0.2, 10), "d=1: design D2 needs at least 2"),
        (("D1", 0, 0.3, 10), "d=0: design D1 needs at least 1"),
        (("D1", 4, -0.1, 10), "margin=-0.1 not negative"),
        (("D1", 4, 0.3, 0), "n=0 must be at least 1"),
        (("D1", 4, 2.1, 10), "margin=2.1: design D1 has it at 0 of 51200 points in d=4"),
        (("D2", 100, 0.2, 1000), r"margin=0.2: design D2 has it at \d+ of 51200 points in d=100"),
    ],
)
def test_bad_arguments_are_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        draw(*arguments, np.random.default_rng(0))


def test_two_clusters_lie_in_the_ball_on_the_side_of_their_label() -> None:
    x, y = two_clusters(4, 0.1, 500, np.random.default_rng(3))
    assert set(y) == {-1.0, 1.0}
    assert (np.linalg.norm(x, axis=1) <= 1.0).all()
    assert ((y[:, None] * x >= 0.3 - 1e-12) & (y[:, None] * x <= 0.5 + 1e-12)).all()
    fewer, labels = two_clusters(4, 0.1, 20, np.random.default_rng(3))
    np.testing.assert_array_equal(fewer, x[:20])
    np.testing.assert_array_equal(labels, y[:20])
    apart, same = two_clusters(4, 0.0, 500, np.random.default_rng(3))
    np.testing.assert_array_equal(same, y)
    assert (apart == 0.5 * y[:, None]).all()
    with pytest.raises(ValueError, match=r"jitter=0\.5"):
        two_clusters(4, 0.5, 5, np.random.default_rng(0))
