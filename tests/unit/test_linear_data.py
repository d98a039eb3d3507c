"""Linear samples, their statistics, and the synthetic designs of brown2024 with their moments."""

import numpy as np
import pytest

from dpdescent.data import linear
from dpdescent.data.linear import (
    LinearSample,
    anisotropic_root,
    blocks,
    draw_linear,
    haar_rotation,
    plant_outliers,
    unit_sphere,
)


def generator(seed=0):
    return np.random.default_rng(seed)


def assert_statistics_are_right(sample):
    X, y = sample.X, sample.y
    gram = sample.gram
    assert gram.n == sample.n == len(y)
    scale = np.abs(X).sum(0).max() * np.abs(X).max()
    np.testing.assert_allclose(gram.xx, np.einsum("ij,ik->jk", X, X), atol=1e-12 * scale)
    np.testing.assert_allclose(gram.xy, [sum(column * y) for column in X.T], atol=1e-12 * scale)
    np.testing.assert_allclose(gram.yy, sum(y**2))
    np.testing.assert_allclose(sample.norms, [np.linalg.norm(x) for x in X], rtol=1e-14)


@pytest.mark.parametrize(("n", "p"), [(1, 1), (5, 8), (1024, 3), (1025, 3), (5000, 2)])
@pytest.mark.parametrize("block", [1, 6000, 1 << 18])
def test_statistics_equal_direct_products_over_any_number_of_blocks(n, p, block, monkeypatch):
    monkeypatch.setattr(linear, "BLOCK", block)
    rng = generator(n)
    assert_statistics_are_right(LinearSample(rng.standard_normal((n, p)), rng.standard_normal(n)))


def test_statistics_of_more_rows_than_one_block_holds():
    p, n = 300, 3 * linear.BLOCK // (2 * 300) + 517
    assert len(list(blocks(n, p))) == 2
    rng = generator()
    sample = LinearSample(rng.standard_normal((n, p)), rng.standard_normal(n))
    np.testing.assert_allclose(sample.gram.xx, sample.X.T @ sample.X, atol=1e-9)
    np.testing.assert_allclose(sample.gram.xy, sample.X.T @ sample.y, atol=1e-9)
    np.testing.assert_allclose(sample.norms, np.linalg.norm(sample.X, axis=1), rtol=1e-13)


def test_statistics_are_computed_once():
    sample = draw_linear(np.ones(2), 10, generator())
    assert sample.gram is sample.gram
    assert sample.norms is sample.norms


@pytest.mark.parametrize("p", [1, 7, 100, 1000])
def test_blocks_hold_every_row_once_and_are_cut_alike_for_every_n(p):
    size = next(blocks(10**7, p)).stop
    assert size >= 1024
    assert size * p <= max(linear.BLOCK, 1024 * p)
    for n in (1, size - 1, size, size + 1, 3 * size + 5):
        assert np.concatenate([np.arange(n)[rows] for rows in blocks(n, p)]).tolist() == list(range(n))
        assert [rows.start for rows in blocks(n, p)] == list(range(0, n, size))


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ((4, 2), (5,), r"X \(4, 2\) must be \(n, p\) and y \(5,\) \(n,\)"),
        ((4, 2), (4, 1), r"y \(4, 1\) \(n,\)"),
        ((4,), (4,), r"X \(4,\) must be"),
        ((0, 2), (0,), r"X \(0, 2\) has no record or no covariate"),
        ((4, 0), (4,), r"X \(4, 0\) has no record or no covariate"),
    ],
)
def test_samples_that_do_not_fit_are_refused(X, y, message):
    with pytest.raises(ValueError, match=message):
        LinearSample(np.zeros(X), np.zeros(y))


@pytest.mark.parametrize("p", [1, 2, 10])
def test_unit_sphere_is_uniform(p):
    draws, rng = 20_000, generator()
    points = np.array([unit_sphere(p, rng) for _ in range(draws)])
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1.0, rtol=1e-14)
    # Coordinates have mean 0 and variance 1 / p; five standard errors.
    np.testing.assert_allclose(points.mean(0), 0.0, atol=5 / np.sqrt(p * draws))
    np.testing.assert_allclose(points.T @ points / draws, np.eye(p) / p, atol=5 * np.sqrt(2.0) / p / np.sqrt(draws))


@pytest.mark.parametrize("p", [1, 2, 3, 8])
def test_rotations_are_orthogonal_and_uniform(p):
    """Haar's law is that of any fixed rotation of it; the factor Q as LAPACK returns it has a negative mean trace."""
    draws, rng = 20_000, generator(4)
    Q = np.array([haar_rotation(p, rng) for _ in range(draws)])
    np.testing.assert_allclose(Q @ Q.swapaxes(1, 2), np.broadcast_to(np.eye(p), Q.shape), atol=1e-13)
    fixed = haar_rotation(p, generator(5))
    for rotated in (Q, fixed @ Q, Q @ fixed):
        # Entries have mean 0 and variance 1 / p, the trace has mean 0 and variance 1; five standard errors.
        np.testing.assert_allclose(rotated.mean(0), 0.0, atol=5 / np.sqrt(p * draws))
        np.testing.assert_allclose((rotated**2).mean(0), 1 / p, atol=5 * np.sqrt(2.0) / p / np.sqrt(draws))
        trace = np.trace(rotated, axis1=1, axis2=2)
        assert abs(trace.mean()) < 5 / np.sqrt(draws)
        assert (trace**2).mean() == pytest.approx(1.0, abs=5 * np.sqrt(2.0 / draws))
    # Half of them turn, half of them reflect as well.
    assert (np.linalg.det(Q) > 0).mean() == pytest.approx(0.5, abs=2.5 / np.sqrt(draws))


@pytest.mark.parametrize("p", [2, 3, 10])
def test_anisotropic_covariances_have_the_stated_eigenvalues(p):
    """brown2024 App. B: 2, 1 and the rest uniform between them."""
    rng = generator(6)
    spectra = []
    for _ in range(2000):
        root = anisotropic_root(p, rng)
        spectra.append(np.linalg.eigvalsh(root @ root.T))
    spectra = np.array(spectra)
    np.testing.assert_allclose(spectra[:, 0], 1.0, rtol=1e-12)
    np.testing.assert_allclose(spectra[:, -1], 2.0, rtol=1e-12)
    if p > 2:
        rest = np.sort(spectra[:, 1:-1].ravel())
        # Kolmogorov's distance exceeds 2 / sqrt(count) once in 1500 times.
        ranks = np.arange(1, len(rest) + 1) / len(rest)
        assert np.abs(rest - 1 - ranks).max() < 2 / np.sqrt(len(rest))


def test_anisotropic_covariances_are_turned_at_random():
    rng, p = generator(7), 4
    mean = np.mean([root @ root.T for root in (anisotropic_root(p, rng) for _ in range(20_000))], 0)
    # The mean eigenvalue is 1.5; entries have a variance below 0.05.
    np.testing.assert_allclose(mean, 1.5 * np.eye(p), atol=5 * np.sqrt(0.05 / 20_000))


def test_the_anisotropic_design_needs_two_covariates():
    with pytest.raises(ValueError, match=r"p=1: the anisotropic design .* needs p >= 2"):
        anisotropic_root(1, generator())


@pytest.mark.parametrize("anisotropic", [False, True])
@pytest.mark.parametrize(("sigma", "noise_mean"), [(1.0, 0.0), (0.3, 2.0)])
def test_draws_have_the_moments_of_the_model(anisotropic, sigma, noise_mean):
    """brown2024 Def. 1.1, over more rows than one block holds."""
    p, n, rng = 5, 120_000, generator(8)
    theta, root = unit_sphere(p, rng), anisotropic_root(p, rng) if anisotropic else None
    sample = draw_linear(theta, n, rng, root=root, sigma=sigma, noise_mean=noise_mean)
    assert len(list(blocks(n, p))) > 2
    covariance = root @ root.T if anisotropic else np.eye(p)
    noise, five = sample.y - sample.X @ theta, 5 / np.sqrt(n)
    np.testing.assert_allclose(sample.X.mean(0), 0.0, atol=five * np.sqrt(2.0))
    np.testing.assert_allclose(sample.X.T @ sample.X / n, covariance, atol=five * 2 * np.sqrt(2.0))
    assert noise.mean() == pytest.approx(noise_mean, abs=five * sigma)
    assert noise.std() == pytest.approx(sigma, rel=five / np.sqrt(2.0))
    np.testing.assert_allclose(sample.X.T @ (noise - noise_mean) / n, 0.0, atol=five * sigma * np.sqrt(2.0))
    standardised = (noise - noise_mean) / sigma
    assert (standardised**4).mean() == pytest.approx(3.0, abs=five * np.sqrt(96.0)), "the noise must be normal"
    assert (sample.X[:, 0] ** 4).mean() == pytest.approx(3 * covariance[0, 0] ** 2, abs=five * 40)


def test_a_stream_gives_every_design_the_same_normals():
    p, n, rng = 4, 70_000, generator(9)
    root, theta = anisotropic_root(p, rng), unit_sphere(p, rng)
    plain, turned, loud = generator(3), generator(3), generator(3)
    one = draw_linear(theta, n, plain)
    other = draw_linear(-3 * theta, n, turned, root=root, sigma=0.0)
    third = draw_linear(0 * theta, n, loud, sigma=2.0, noise_mean=5.0)
    np.testing.assert_allclose(other.X, one.X @ root.T, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(other.y, other.X @ (-3 * theta), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(third.X, one.X)
    np.testing.assert_allclose((third.y - 5) / 2, one.y - one.X @ theta, atol=1e-12)
    assert plain.bit_generator.state == turned.bit_generator.state == loud.bit_generator.state


def test_a_smaller_sample_of_a_stream_is_a_prefix_in_its_covariates():
    small, large = draw_linear(np.ones(3), 50, generator(3)), draw_linear(np.ones(3), 100_000, generator(3))
    np.testing.assert_array_equal(small.X, large.X[:50])
    assert not np.allclose(small.y, large.y[:50])


@pytest.mark.parametrize("sigma", [-1.0, np.nan])
def test_a_negative_standard_deviation_is_refused(sigma):
    with pytest.raises(ValueError, match=f"sigma={sigma} must not be negative"):
        draw_linear(np.ones(2), 5, generator(), sigma=sigma)


@pytest.mark.parametrize(("share", "count"), [(0.0, 0), (0.1, 20), (0.013, 3), (1.0, 200)])
def test_outliers_are_the_first_records_and_nothing_else_changes(share, count):
    sample = draw_linear(np.ones(3), 200, generator())
    X, y = sample.X.copy(), sample.y.copy()
    planted = plant_outliers(sample, share, -7.0)
    np.testing.assert_array_equal(planted.X[:count, 0], np.abs(X[:count, 0]))
    np.testing.assert_array_equal(planted.y[:count], y[:count] - 7.0)
    np.testing.assert_array_equal(planted.X[:, 1:], X[:, 1:])
    np.testing.assert_array_equal(planted.X[count:], X[count:])
    np.testing.assert_array_equal(planted.y[count:], y[count:])
    np.testing.assert_array_equal(sample.X, X)
    np.testing.assert_array_equal(sample.y, y)


def test_outliers_pull_the_first_coefficient():
    sample = draw_linear(np.zeros(3), 20_000, generator())
    gram = plant_outliers(sample, 0.2, 10.0).gram
    theta = np.linalg.solve(gram.xx, gram.xy)
    # A fifth of the labels moves by 10, against covariates of mean sqrt(2 / pi) there.
    assert theta[0] == pytest.approx(0.2 * 10 * np.sqrt(2 / np.pi), rel=0.1)
    assert np.abs(theta[1:]).max() < 0.2


@pytest.mark.parametrize("share", [-0.1, 1.1, np.nan])
def test_a_share_of_outliers_lies_between_none_and_all(share):
    with pytest.raises(ValueError, match=f"share={share} must lie between 0 and 1"):
        plant_outliers(draw_linear(np.ones(2), 5, generator()), share, 1.0)
