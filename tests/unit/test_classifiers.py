"""Clipped gradients of the classifiers against explicit gradients of every record, and these against differences."""

import numpy as np
import pytest

from dpdescent.models.classifiers import Classifier, TanhNetwork, softmax, softmax_regression
from dpdescent.privacy.clipping import clip_factors

RNG = np.random.default_rng(0)
NETWORKS = [softmax_regression(5, 3), TanhNetwork((5, 4, 3)), TanhNetwork((5, 4, 6, 3))]
X, Y = RNG.standard_normal((7, 5)), RNG.integers(0, 3, 7)
X[2] = 0.0


def network_loss(model, theta, x, label):
    """Cross-entropy of one record, written out."""
    at, output = 0, x
    for number, (below, above) in enumerate(zip(model.widths, model.widths[1:], strict=False)):
        weights = theta[at : at + below * above].reshape(below, above)
        bias = theta[at + below * above : at + (below + 1) * above]
        at += (below + 1) * above
        output = output @ weights + bias
        if number < len(model.widths) - 2:
            output = np.tanh(output)
    assert at == len(theta)
    return float(np.log(np.exp(output).sum()) - output[label])


def differences(loss, theta, step=1e-5):
    """Gradient by central differences."""
    gradient = np.empty_like(theta)
    for j in range(len(theta)):
        move = np.zeros_like(theta)
        move[j] = step
        gradient[j] = (loss(theta + move) - loss(theta - move)) / (2 * step)
    return gradient


CASES = [pytest.param(model, network_loss, X, Y, id=str(model.widths)) for model in NETWORKS]


def explicit(model, loss, theta, inputs, labels, clip_norm):
    """The sum of gradients, each of which is formed, measured and clipped; and their norms."""
    gradients = [differences(lambda at, i=i: loss(model, at, inputs[i], labels[i]), theta) for i in range(len(labels))]
    norms = np.array([np.linalg.norm(gradient) for gradient in gradients])
    return sum(g * min(1.0, clip_norm / max(n, 1e-300)) for g, n in zip(gradients, norms, strict=True)), norms


@pytest.mark.parametrize(("model", "loss", "inputs", "labels"), CASES)
@pytest.mark.parametrize("place", ["none", "some", "all"])
def test_clipped_sums_equal_explicit_gradients(model, loss, inputs, labels, place):
    parameters = np.random.default_rng(5).standard_normal((2, model.parameters))
    _, norms = explicit(model, loss, parameters[0], inputs, labels, np.inf)
    clip_norm = {"none": np.inf, "some": float(np.median(norms)) * 0.99, "all": norms.min() / 2}[place]
    found = model.clipped_gradient_sum(parameters, inputs, labels, clip_norm)
    assert found.shape == parameters.shape
    for theta, total in zip(parameters, found, strict=True):
        np.testing.assert_allclose(total, explicit(model, loss, theta, inputs, labels, clip_norm)[0], atol=3e-9)


@pytest.mark.parametrize(("model", "loss", "inputs", "labels"), CASES)
def test_an_arm_knows_nothing_of_the_others(model, loss, inputs, labels):
    parameters = np.random.default_rng(5).standard_normal((5, model.parameters))
    whole = model.clipped_gradient_sum(parameters, inputs, labels, 0.3)
    accuracies = model.accuracy(parameters, inputs, labels)
    for rows in ([0], [4], [1, 3]):
        alone = model.clipped_gradient_sum(parameters[rows], inputs, labels, 0.3)
        np.testing.assert_array_equal(alone, whole[rows])
        np.testing.assert_array_equal(model.accuracy(parameters[rows], inputs, labels), accuracies[rows])


@pytest.mark.parametrize("widths", [(64, 10), (64, 32, 10)])
def test_nor_does_an_arm_at_the_sizes_of_training(widths):
    """BLAS has other kernels for larger products."""
    model, rng = TanhNetwork(widths), np.random.default_rng(5)
    inputs, labels = rng.random((70, 64)), rng.integers(0, 10, 70)
    parameters = rng.standard_normal((9, model.parameters))
    whole = model.clipped_gradient_sum(parameters, inputs, labels, 1.0)
    for rows in ([0], [8], [2, 3, 7]):
        np.testing.assert_array_equal(model.clipped_gradient_sum(parameters[rows], inputs, labels, 1.0), whole[rows])


@pytest.mark.parametrize(("model", "loss", "inputs", "labels"), CASES)
def test_sums_stay_within_the_clip_norm_and_no_record_adds_nothing(model, loss, inputs, labels):
    parameters = np.random.default_rng(5).standard_normal((3, model.parameters))
    for i in range(len(labels)):
        one = model.clipped_gradient_sum(parameters, inputs[[i]], labels[[i]], 0.01)
        assert (np.linalg.norm(one, axis=1) <= 0.01 * (1 + 1e-12)).all()
    np.testing.assert_array_equal(model.clipped_gradient_sum(parameters, inputs[:0], labels[:0], 1.0), 0.0)


@pytest.mark.parametrize(("model", "loss", "inputs", "labels"), CASES)
def test_nothing_handed_over_is_changed(model, loss, inputs, labels):
    parameters = np.random.default_rng(5).standard_normal((3, model.parameters))
    before = [parameters.copy(), inputs.copy(), labels.copy()]
    model.clipped_gradient_sum(parameters, inputs, labels, 0.1)
    model.accuracy(parameters, inputs, labels)
    for now, then in zip([parameters, inputs, labels], before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_softmax_regression_clips_by_the_closed_form():
    """|grad| = sqrt(|x|^2 + 1) |p - y|, with the bias as one more input."""
    model = softmax_regression(5, 3)
    theta = np.random.default_rng(5).standard_normal((1, model.parameters))
    for x, label in zip(X, Y, strict=True):
        p = softmax(x @ theta[0, :15].reshape(5, 3) + theta[0, 15:])
        norm = np.sqrt(x @ x + 1) * np.linalg.norm(p - np.eye(3)[label])
        found = model.clipped_gradient_sum(theta, x[None], np.array([label]), np.inf)
        assert np.linalg.norm(found) == pytest.approx(norm, rel=1e-12)


def test_huge_scores_are_no_trouble():
    parameters = 1e200 * np.random.default_rng(5).standard_normal((2, NETWORKS[0].parameters))
    assert np.isfinite(NETWORKS[0].clipped_gradient_sum(parameters, X, Y, 1.0)).all()


def test_initial_parameters():
    """Every class is equally likely; hidden layers are random, or all of their units would stay alike."""
    for model in NETWORKS:
        start = model.initial(np.random.default_rng(0))
        assert start.shape == (model.parameters,)
        loss = network_loss(model, start, X[0], Y[0])
        assert loss == pytest.approx(np.log(3), rel=1e-14)
    wide = TanhNetwork((400, 300, 2))
    hidden = wide.initial(np.random.default_rng(0))[: 400 * 300]
    assert hidden.std() == pytest.approx(1 / 20, rel=0.01)


def test_parameters_are_counted():
    assert softmax_regression(64, 10).parameters == 650
    assert TanhNetwork((64, 32, 10)).parameters == 65 * 32 + 33 * 10
    models: list[Classifier] = NETWORKS
    assert all(model.parameters > 0 for model in models)


def test_accuracy_of_a_network():
    """Scores -x_0, 0 and x_0: the last class is predicted where x_0 > 0, the first where x_0 < 0."""
    model = softmax_regression(5, 3)
    theta = np.zeros((2, model.parameters))
    theta[1, 0], theta[1, 2] = -1.0, 1.0
    labels = np.where(X[:, 0] > 0, 2, 0)
    labels[:2] = 1
    np.testing.assert_allclose(model.accuracy(theta, X, labels), [(labels == 0).mean(), 5 / 7])


def test_clip_factors():
    norms = np.array([0.0, 1e-300, 0.5, 1.0, 4.0, 1e300])
    np.testing.assert_allclose(clip_factors(norms, 1.0), [1, 1, 1, 1, 0.25, 1e-300])
    np.testing.assert_array_equal(clip_factors(norms, np.inf), 1.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: TanhNetwork((5,)), r"widths=\(5,\)"),
        (lambda: TanhNetwork((5, 0, 2)), r"widths=\(5, 0, 2\)"),
        (lambda: TanhNetwork((5, 1)), r"widths=\(5, 1\)"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
