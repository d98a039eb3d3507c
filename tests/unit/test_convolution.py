"""The convolutional classifier against explicit gradients of every record, and these against differences."""

import numpy as np
import pytest

from dpdescent.data.digits import read_digits
from dpdescent.models import convolution
from dpdescent.models.classifiers import Classifier
from dpdescent.models.convolution import ConvolutionalNetwork

NETWORKS = [ConvolutionalNetwork(4, 2, 3), ConvolutionalNetwork(6, 3, 2), ConvolutionalNetwork(7, 2, 3)]
IDS = [f"{model.side}x{model.side}" for model in NETWORKS]


def records_of(model, count=7):
    """Images, a black one among them, and labels."""
    rng = np.random.default_rng(model.side)
    inputs = rng.standard_normal((count, model.side**2))
    inputs[2] = 0.0
    return inputs, rng.integers(0, model.classes, count)


def parameters_of(model, arms=2):
    return np.random.default_rng(5).standard_normal((arms, model.parameters))


def loss(model, theta, image, label):
    """Cross-entropy of one record, place by place."""
    side, filters = model.side, model.filters
    squares = (side - 2) // 2
    kernels, image = theta[: 9 * filters].reshape(3, 3, filters), image.reshape(side, side)
    bias, at = theta[9 * filters : 10 * filters], 10 * filters
    features = []
    for row in range(squares):
        for column in range(squares):
            for f in range(filters):
                sees = [
                    np.tanh((image[r : r + 3, c : c + 3] * kernels[:, :, f]).sum() + bias[f])
                    for r in (2 * row, 2 * row + 1)
                    for c in (2 * column, 2 * column + 1)
                ]
                features.append(sum(sees) / 4)
    weights = theta[at : at + len(features) * model.classes].reshape(len(features), model.classes)
    scores = np.array(features) @ weights + theta[at + weights.size :]
    assert at + weights.size + model.classes == len(theta)
    return float(np.log(np.exp(scores).sum()) - scores[label])


def gradient(model, theta, image, label, step=1e-5):
    """By central differences."""
    moves = step * np.eye(len(theta))
    return np.array(
        [(loss(model, theta + m, image, label) - loss(model, theta - m, image, label)) / (2 * step) for m in moves]
    )


@pytest.mark.parametrize("model", NETWORKS, ids=IDS)
def test_clipped_sums_equal_explicit_gradients(model):
    inputs, labels = records_of(model)
    parameters = parameters_of(model)
    explicit = np.array([[gradient(model, theta, *each) for each in zip(inputs, labels, strict=True)]
                         for theta in parameters])  # fmt: skip
    norms = np.linalg.norm(explicit, axis=2)
    for clip_norm in (np.inf, float(np.median(norms)) * 0.99, norms.min() / 2):
        clipped = explicit * np.minimum(1.0, clip_norm / norms)[:, :, None]
        found = model.clipped_gradient_sum(parameters, inputs, labels, clip_norm)
        np.testing.assert_allclose(found, clipped.sum(1), atol=3e-9)


@pytest.mark.parametrize("model", NETWORKS, ids=IDS)
def test_norms_are_those_of_gradients(model):
    """A record by itself, clipped just below and just above its norm."""
    inputs, labels = records_of(model)
    theta = parameters_of(model, 1)
    for i in range(len(labels)):
        one = inputs[[i]], labels[[i]]
        whole = model.clipped_gradient_sum(theta, *one, np.inf)
        norm = float(np.linalg.norm(whole))
        np.testing.assert_array_equal(model.clipped_gradient_sum(theta, *one, norm * (1 + 1e-12)), whole)
        shorter = model.clipped_gradient_sum(theta, *one, 0.999 * norm)
        np.testing.assert_allclose(shorter, 0.999 * whole, rtol=1e-12)


def test_a_cut_into_blocks_changes_nothing_but_rounding(monkeypatch):
    model = NETWORKS[0]
    inputs, labels = records_of(model, 23)
    parameters = parameters_of(model)
    whole = model.clipped_gradient_sum(parameters, inputs, labels, 0.5)
    monkeypatch.setattr(convolution, "_BLOCK", 5 * 4)
    np.testing.assert_allclose(model.clipped_gradient_sum(parameters, inputs, labels, 0.5), whole, rtol=1e-12)
    each = [model.accuracy(parameters, inputs[[i]], labels[[i]]) for i in range(23)]
    np.testing.assert_allclose(model.accuracy(parameters, inputs, labels), np.mean(each, 0), rtol=1e-14)


@pytest.mark.parametrize(("side", "count"), [(4, 7), (8, 140), (8, 300), (14, 150)])
def test_an_arm_knows_nothing_of_the_others(side, count):
    """Also at the sizes of training, where BLAS has other kernels."""
    model = ConvolutionalNetwork(side)
    inputs, labels = records_of(model, count)
    parameters = 0.3 * parameters_of(model, 7)
    whole = model.clipped_gradient_sum(parameters, inputs, labels, 1.0)
    accuracies = model.accuracy(parameters, inputs, labels)
    for arms in ([0], [6], [1, 2, 5]):
        np.testing.assert_array_equal(model.clipped_gradient_sum(parameters[arms], inputs, labels, 1.0), whole[arms])
        np.testing.assert_array_equal(model.accuracy(parameters[arms], inputs, labels), accuracies[arms])


def test_no_record_adds_nothing_and_a_huge_one_no_more_than_the_clip_norm():
    model = NETWORKS[1]
    inputs, labels = records_of(model)
    parameters = parameters_of(model)
    np.testing.assert_array_equal(model.clipped_gradient_sum(parameters, inputs[:0], labels[:0], 1.0), 0.0)
    for scale in (1.0, 1e200):
        one = model.clipped_gradient_sum(scale * parameters, inputs[[0]], labels[[0]], 0.01)
        assert (np.linalg.norm(one, axis=1) <= 0.01 * (1 + 1e-12)).all()


def test_nothing_handed_over_is_changed():
    model = NETWORKS[2]
    inputs, labels = records_of(model)
    parameters = parameters_of(model)
    before = [parameters.copy(), inputs.copy(), labels.copy()]
    model.clipped_gradient_sum(parameters, inputs, labels, 0.1)
    model.accuracy(parameters, inputs, labels)
    for now, then in zip([parameters, inputs, labels], before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_places_that_fill_no_square_are_not_seen():
    """Of 7 x 7 pixels, kernels see 5 x 5 places, of which squares cover 4 x 4: the last row and column stay unseen."""
    model = NETWORKS[2]
    inputs, labels = records_of(model)
    parameters = parameters_of(model)
    hidden = inputs.reshape(-1, 7, 7).copy()
    hidden[:, 6], hidden[:, :, 6] = 9.0, -9.0
    changed = model.clipped_gradient_sum(parameters, hidden.reshape(-1, 49), labels, np.inf)
    np.testing.assert_array_equal(changed, model.clipped_gradient_sum(parameters, inputs, labels, np.inf))
    hidden[:, 5, 5] += 1.0
    changed = model.clipped_gradient_sum(parameters, hidden.reshape(-1, 49), labels, np.inf)
    assert not np.allclose(changed, model.clipped_gradient_sum(parameters, inputs, labels, np.inf))


def test_initial_parameters():
    """Every class is equally likely; kernels are random, or all filters would stay alike."""
    wide = ConvolutionalNetwork(8, 400)
    start = wide.initial(np.random.default_rng(0))
    assert start.shape == (wide.parameters,)
    assert start[: 9 * 400].std() == pytest.approx(1 / 3, rel=0.03)
    np.testing.assert_array_equal(start[9 * 400 :], 0.0)
    inputs, labels = records_of(NETWORKS[0])
    assert loss(NETWORKS[0], NETWORKS[0].initial(np.random.default_rng(0)), inputs[0], labels[0]) == pytest.approx(
        np.log(3), rel=1e-14
    )


def test_parameters_are_counted():
    assert ConvolutionalNetwork(8).parameters == 10 * 8 + (3 * 3 * 8 + 1) * 10
    assert ConvolutionalNetwork(14).parameters == 10 * 8 + (6 * 6 * 8 + 1) * 10
    assert ConvolutionalNetwork(7, 2, 3).parameters == 10 * 2 + (2 * 2 * 2 + 1) * 3
    models: list[Classifier] = [*NETWORKS]
    assert all(model.parameters > 0 for model in models)


def test_the_first_of_equally_likely_classes_is_predicted():
    model = NETWORKS[0]
    inputs, _ = records_of(model)
    parameters = np.zeros((2, model.parameters))
    parameters[1, -1] = 1.0
    labels = np.array([0, 0, 0, 1, 1, 2, 2])
    np.testing.assert_allclose(model.accuracy(parameters, inputs, labels), [3 / 7, 2 / 7])


def test_it_learns_the_digits():
    digits, model = read_digits(), ConvolutionalNetwork(8)
    theta = model.initial(np.random.default_rng(0))[None].copy()
    for step in range(60):
        rows = slice(100 * (step % 14), 100 * (step % 14) + 100)
        theta -= 0.04 * model.clipped_gradient_sum(theta, digits.inputs[rows], digits.labels[rows], 1.0)
    assert model.accuracy(theta, digits.inputs[1400:], digits.labels[1400:])[0] > 0.85


@pytest.mark.parametrize(("arguments", "words"), [((3,), "side=3"), ((8, 0), "filters=0"), ((8, 8, 1), "classes=1")])
def test_bad_arguments_are_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        ConvolutionalNetwork(*arguments)
