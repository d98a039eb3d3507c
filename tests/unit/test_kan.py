"""The KAN against its definition by loops, finite differences, and the gradients that it never forms."""

import numpy as np
import pytest

from dpdescent.models.kan import KAN, logistic, logistic_slope
from dpdescent.models.spline import CubicSplines

MODEL = KAN(3, 5, CubicSplines(4))
RNG = np.random.default_rng(0)
X = RNG.uniform(-1.0, 1.0, (7, 3))
H = MODEL.features(X)
W, C = MODEL.initial(np.random.default_rng(1))
HEADS = MODEL.heads(C)


def by_definition(W, c, x, model=MODEL):
    """f_W(x) of one point, by wang2026 Sec. 3.1: sums over units, coordinates and basis functions."""
    b, p, total = model.splines.values, model.splines.count, 0.0
    for j in range(model.width):
        a = sum(W[j, i * p + k] * b(x[i : i + 1])[0, k] for i in range(model.inputs) for k in range(p))
        u = np.tanh([a / np.sqrt(model.inputs)])
        total += sum(c[j, k] * b(u)[0, k] for k in range(p))
    return total / np.sqrt(model.width)


def moved(W, place, step):
    other = W.copy()
    other[place] += step
    return other


def differences(function, W, step=1e-6):
    """Derivatives by every weight, along a new last pair of axes."""
    slopes = [
        (function(moved(W, place, step)) - function(moved(W, place, -step))) / (2 * step)
        for place in np.ndindex(W.shape)
    ]
    return np.stack(slopes, axis=-1).reshape(*slopes[0].shape, *W.shape)


def gradients(W, model=MODEL, H=H, heads=HEADS):
    """The outer products, shape (n, m, d p)."""
    return model.outputs_and_factors(W, H, heads)[1][:, :, None] * H[:, None, :]


def test_outputs_are_the_definition():
    # Large weights take units to both ends of the last basis functions. Units are exact to a few 1e-16.
    for scale in (1.0, 30.0):
        expected = [by_definition(scale * W, C, x) for x in X]
        np.testing.assert_allclose(MODEL.outputs(scale * W, H, HEADS), expected, rtol=0, atol=2e-15)
        np.testing.assert_allclose(MODEL.outputs_and_factors(scale * W, H, HEADS)[0], expected, rtol=0, atol=2e-15)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_saturated_units_are_the_ends_of_the_splines(sign):
    W, positive = np.full_like(MODEL.initial(RNG)[0], 1e3), MODEL.splines
    outputs, factors = MODEL.outputs_and_factors(sign * W, H, HEADS)
    expected = C @ positive.values(np.array([sign]))[0]
    np.testing.assert_allclose(outputs, np.full(7, expected.sum() / np.sqrt(5)), rtol=1e-14)
    np.testing.assert_allclose(MODEL.outputs(sign * W, H, HEADS), outputs, rtol=1e-14)
    np.testing.assert_array_equal(factors, 0.0)


def test_gradients_are_differences():
    numeric = differences(lambda W: MODEL.outputs(W, H, HEADS), W)
    np.testing.assert_allclose(gradients(W), numeric, atol=1e-9)


def test_the_norm_of_a_gradient_is_a_product():
    factors = MODEL.outputs_and_factors(W, H, HEADS)[1]
    explicit = np.linalg.norm(gradients(W).reshape(7, -1), axis=1)
    np.testing.assert_allclose(np.linalg.norm(factors, axis=1) * np.linalg.norm(H, axis=1), explicit, rtol=1e-14)


def test_curvature_is_the_hessian():
    numeric = differences(lambda W: gradients(W), W)
    blocks = np.einsum("nj,na,nb->njab", MODEL.curvature(W, H, HEADS), H, H) / (MODEL.inputs * np.sqrt(MODEL.width))
    expected = np.zeros_like(numeric)
    for j in range(MODEL.width):
        expected[:, j, :, j] = blocks[:, j]
    np.testing.assert_allclose(numeric, expected, atol=1e-7)


@pytest.mark.parametrize("cells", [1, 5])
@pytest.mark.parametrize(("seeds", "arms", "n"), [(3, 2, 7), (1, 1, 1), (2, 5, 4)])
def test_leading_axes_change_no_bit(cells, seeds, arms, n):
    model = KAN(2, 7, CubicSplines(cells))
    rng = np.random.default_rng(2)
    weights = rng.standard_normal((seeds, arms, 7, 2 * model.splines.count))
    c, h = rng.standard_normal((seeds, 7, model.splines.count)), model.features(rng.uniform(-1, 1, (seeds, n, 2)))
    heads = model.heads(c)
    stacked = model.outputs_and_factors(weights, h[:, None], heads[:, None])
    forward, bent = (
        model.outputs(weights, h[:, None], heads[:, None]),
        model.curvature(weights, h[:, None], heads[:, None]),
    )
    assert stacked[0].shape == forward.shape == (seeds, arms, n)
    for s, a in np.ndindex(seeds, arms):
        one = weights[s, a], h[s], model.heads(c[s])
        for all_of_them, alone in zip(stacked, model.outputs_and_factors(*one), strict=True):
            np.testing.assert_array_equal(all_of_them[s, a], alone)
        np.testing.assert_array_equal(forward[s, a], model.outputs(*one))
        np.testing.assert_array_equal(bent[s, a], model.curvature(*one))
        np.testing.assert_array_equal(heads[s].cubics, model.heads(c[s]).cubics)


def test_parts_of_the_heads():
    c = RNG.standard_normal((4, 5, 7))
    np.testing.assert_array_equal(MODEL.heads(c)[1:3, None].cubics, MODEL.heads(c[1:3, None]).cubics)


def test_cubics_are_those_of_the_splines_up_to_the_end():
    """Value, slope and second derivative by u, of every unit at the same places."""
    splines, u = MODEL.splines, np.array([-1.0, -0.5, 0.3, np.nextafter(1.0, 0.0), 1.0])
    (a0, a1, a2, a3), z = HEADS.at(np.repeat(u[:, None], 5, axis=1))
    h, scale = splines.width, np.sqrt(5 * 3) * splines.width
    np.testing.assert_allclose(scale * (a0 + z * (a1 + z * (a2 + z * a3))), splines.values(u) @ C.T, atol=1e-14)
    np.testing.assert_allclose(scale * (a1 + z * (2 * a2 + z * 3 * a3)) / h, splines.first(u) @ C.T, atol=1e-13)
    np.testing.assert_allclose(scale * (2 * a2 + z * 6 * a3) / h**2, splines.second(u) @ C.T, atol=1e-12)


def test_features_list_coordinate_after_coordinate():
    p = MODEL.splines.count
    assert H.shape == (7, 3 * p)
    np.testing.assert_array_equal(H[4, p : 2 * p], MODEL.splines.values(X[4, 1:2])[0])


def test_initial_draws_weights_first():
    rng = np.random.default_rng(1)
    np.testing.assert_array_equal(W, rng.standard_normal((5, 21)))
    np.testing.assert_array_equal(C, rng.standard_normal((5, 7)))
    assert MODEL.parameters == W.size == 105


def test_logistic_loss_and_slope():
    z = np.array([-800.0, -3.0, 0.0, 2.0, 800.0])
    np.testing.assert_allclose(logistic(z), [800.0, np.log1p(np.exp(3)), np.log(2), np.log1p(np.exp(-2)), 0.0])
    np.testing.assert_allclose(logistic_slope(z), [-1.0, -1 / (1 + np.exp(-3)), -0.5, -1 / (1 + np.exp(2)), 0.0])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: KAN(0, 5, CubicSplines(4)), "inputs must be positive"),
        (lambda: KAN(3, 0, CubicSplines(4)), "width must be positive"),
        (lambda: MODEL.features(X[:, :2]), "d=3"),
        (lambda: MODEL.features(2 * X), "must lie between -1 and 1"),
        (lambda: MODEL.heads(C.T), r"\(m, p\) = \(5, 7\)"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
