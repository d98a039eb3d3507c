"""The network of Figure 4(a) against literal twins: its layers, its clipped sums, its training, its noise in pieces."""

from functools import cache

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="the optional group deep is not installed (requirements-deep.lock)")
privacy = pytest.importorskip("jax_privacy", reason="the optional group deep is not installed (requirements-deep.lock)")

import jax.numpy as jnp  # noqa: E402
from jax_privacy import clipping  # noqa: E402

from dpdescent.algorithms import dp_ftrl_network  # noqa: E402
from dpdescent.algorithms.dp_ftrl_epochs import cooled  # noqa: E402
from dpdescent.algorithms.dp_ftrl_network import Resident, Run, State  # noqa: E402
from dpdescent.models import image_network  # noqa: E402
from dpdescent.models.image_network import WAYS, ImageNetwork  # noqa: E402
from dpdescent.noise.strategies import toeplitz, tree  # noqa: E402
from dpdescent.noise.strategies.stamped import stamped  # noqa: E402
from dpdescent.randomness import stream  # noqa: E402

pytestmark = pytest.mark.usefixtures("single_precision")
SMALL = ImageNetwork(side=8, channels=3, filters=(4, 6), dense=7, classes=5, together=4)
LAYERS = [(3, 32), (32, 32), (32, 64), (64, 64), (64, 128), (128, 128)]


def plain_loss(network, parameters, image, label):
    """The loss of one image, layer by layer as Table 2(b) has them, by other functions than the network's."""
    x, layers = image[None], network.layers(parameters)
    for place, (weights, biases) in enumerate(layers[: network.convolutions]):
        kernel = weights.reshape(3, 3, x.shape[-1], -1).transpose(3, 2, 0, 1)
        x = jax.lax.conv(x.transpose(0, 3, 1, 2), kernel, (1, 1), "SAME").transpose(0, 2, 3, 1)
        x = jnp.tanh(x + biases)
        if place % 2:
            x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    (first, first_bias), (last, last_bias) = layers[network.convolutions :]
    z = jnp.tanh(x.ravel() @ first + first_bias) @ last + last_bias
    return jax.scipy.special.logsumexp(z) - z[label]


@cache
def gradient_of(network):
    return jax.jit(jax.grad(lambda *args: plain_loss(network, *args)))


def clipped_in_numpy(network, parameters, images, labels, clip_norm):
    """Gradients of single images by JAX in a loop of Python; norms, clipping and the sum by numpy."""
    gradient = gradient_of(network)
    total = np.zeros(network.parameters)
    for image, label in zip(images, labels, strict=True):
        found = np.asarray(gradient(parameters, image, label), np.float64)
        total += found * min(1.0, clip_norm / np.linalg.norm(found))
    return total


def task(rng, network, records):
    shape = records, network.side, network.side, network.channels
    return rng.uniform(-1.0, 1.0, shape).astype(np.float32), rng.integers(0, network.classes, records)


def close(found, expected):
    """Within 1e-5 of the vector's norm, because that is what clipping bounds and noise is scaled by."""
    expected = np.asarray(expected, np.float64)
    assert np.linalg.norm(np.asarray(found, np.float64) - expected) <= 1e-5 * np.linalg.norm(expected)
    assert np.linalg.norm(expected) > 0.01


def test_the_papers_network_has_its_number_of_parameters():
    """Kairouz et al. 2021 and Choquette-Choo et al. 2023b print 550,570; here they are counted from the layers."""
    network = ImageNetwork()
    counted = sum(9 * into * out + out for into, out in LAYERS) + (4 * 4 * 128 + 1) * 128 + (128 + 1) * 10
    assert network.parameters == counted == 550_570
    assert len(network.initial(stream(1, "start"))) == 550_570


def test_initial_weights_have_the_public_codes_variances_and_no_bias():
    layers = ImageNetwork().layers(ImageNetwork().initial(stream(1, "start")).astype(float))
    for place, (weights, biases) in enumerate(layers):
        into, out = weights.shape
        variance = 1.0 / into if place < 6 else 2.0 / (into + out)
        assert weights.var() == pytest.approx(variance, rel=6.0 / weights.size**0.5)
        assert not biases.any()


@pytest.mark.parametrize("clip_norm", [0.5, 3.0, np.inf])
@pytest.mark.parametrize("records", [1, 7, 8])
def test_sums_of_clipped_gradients_are_those_of_a_plain_loop(clip_norm, records):
    rng = stream(2, "images", str(records))
    images, labels = task(rng, SMALL, records)
    parameters = SMALL.initial(rng)
    expected = clipped_in_numpy(SMALL, parameters, images, labels, clip_norm)
    close(SMALL.clipped_gradient_sum(parameters, images, labels, clip_norm), expected)
    peer = clipping.clipped_grad(SMALL.loss, batch_argnums=(1, 2), l2_clip_norm=clip_norm)
    close(peer(parameters, images, labels), expected)


def test_some_gradients_are_clipped_and_others_not():
    rng = stream(2, "images", "8")
    images, labels = task(rng, SMALL, 8)
    parameters = SMALL.initial(rng)
    alone = [clipped_in_numpy(SMALL, parameters, images[i : i + 1], labels[i : i + 1], np.inf) for i in range(8)]
    norms = np.linalg.norm(alone, axis=1)
    assert norms.min() < 3.0 < norms.max()
    assert norms.min() > 0.5


def test_no_image_gives_a_sum_of_nothing():
    images, labels = task(stream(3, "none"), SMALL, 0)
    assert not np.asarray(SMALL.clipped_gradient_sum(SMALL.initial(stream(3, "start")), images, labels, 1.0)).any()


def test_the_papers_network_in_twenty_noisy_steps_is_numpys():
    """Sums, noise, momentum and cool-down at full size, each step's sum also by itself."""
    network, steps, batch = ImageNetwork(together=3), 20, 4
    rng = stream(4, "images")
    images, labels = task(rng, network, 12)
    batches = [rng.permutation(12)[:size] for size in (4, 3, 5, 4)]
    # Noise moves a weight by a thousandth a step, as in the run that is configured; far more saturates tanh.
    run = Run(0.02, 0.9, 0.3, 1.0, steps, batch, 0.25)
    start, strategy = network.initial(rng), toeplitz.nu_family(0.02)
    noise = dp_ftrl_network.noise_rows(strategy, steps, network.parameters, stream(4, "noise"), range(steps))
    parameters, velocity = start.astype(float), np.zeros(network.parameters)
    state = State.start(start)
    for t, rate in enumerate(0.02 / batch * cooled(steps, 0.25)):
        rows = batches[t % 4]
        summed = clipped_in_numpy(network, state.parameters, images[rows], labels[rows], 1.0)
        close(network.clipped_gradient_sum(state.parameters, images[rows], labels[rows], 1.0), summed)
        before, state = state, dp_ftrl_network.advance(network, run, state, images, labels, batches, noise[t : t + 1])
        velocity = 0.9 * before.velocity + summed + 0.3 * noise[t].astype(float)
        parameters = before.parameters - rate * velocity
        close(state.velocity, velocity)
        close(state.parameters, parameters)
    assert state.step == steps
    whole = dp_ftrl_network.advance(network, run, State.start(start), images, labels, batches, noise)
    np.testing.assert_array_equal(whole.parameters, state.parameters)


@pytest.mark.parametrize("strategy", [
    toeplitz.nu_family(0.02), toeplitz.identity(), tree.online_honaker(), stamped(toeplitz.nu_family(0.02), 2),
])  # fmt: skip
def test_noise_in_pieces_is_the_strategys_to_the_last_bit(strategy, monkeypatch):
    monkeypatch.setattr(dp_ftrl_network, "WIDE", 5)
    whole = dp_ftrl_network.noise_rows(strategy, 20, 13, stream(5, "noise"), range(20))
    cut = [
        dp_ftrl_network.noise_rows(strategy, 20, 13, stream(5, "noise"), range(at, at + 4)) for at in range(0, 20, 4)
    ]
    np.testing.assert_array_equal(np.concatenate(cut), whole)
    rng = stream(5, "noise")
    expected = [strategy.decoder(20) @ rng.standard_normal((strategy.noises(20), width)) for width in (5, 5, 3)]
    np.testing.assert_allclose(whole, np.concatenate(expected, axis=1), rtol=1e-5, atol=1e-5)


def test_a_run_that_was_cut_ends_where_an_uncut_one_does(tmp_path):
    rng = stream(6, "images")
    images, labels = task(rng, SMALL, 20)
    batches = [rng.permutation(20)[:size] for size in (6, 5)]
    run = Run(0.3, 0.5, 0.2, 1.0, 12, 6, 0.5)
    noise = dp_ftrl_network.noise_rows(toeplitz.optimal_cc(), 12, SMALL.parameters, stream(6, "noise"), range(12))
    start = State.start(SMALL.initial(rng))
    whole = dp_ftrl_network.advance(SMALL, run, start, images, labels, batches, noise)
    dp_ftrl_network.advance(SMALL, run, start, images, labels, batches, noise[:5]).save(tmp_path / "a.npz", "this run")
    assert State.load(tmp_path / "a.npz", "another run") is None
    assert State.load(tmp_path / "b.npz", "this run") is None
    half = State.load(tmp_path / "a.npz", "this run")
    rest = dp_ftrl_network.advance(SMALL, run, half, images, labels, batches, noise[5:])
    assert rest.step == whole.step == 12
    np.testing.assert_array_equal(rest.parameters, whole.parameters)
    np.testing.assert_array_equal(rest.velocity, whole.velocity)
    with pytest.raises(ValueError, match="1 steps after step 12: the run has 12 in all"):
        dp_ftrl_network.advance(SMALL, run, rest, images, labels, batches, noise[:1])


def test_parameters_that_are_no_longer_finite_end_the_run():
    images, labels = task(stream(7, "images"), SMALL, 4)
    state = State.start(np.full(SMALL.parameters, np.inf, np.float32))
    with pytest.raises(ValueError, match="not finite after step 1: take a smaller learning_rate"):
        dp_ftrl_network.advance(SMALL, Run(1.0, 0.0, 0.0, 1.0, 1, 4, 0.0), state, images, labels, [np.arange(4)],
                                np.zeros((1, SMALL.parameters), np.float32))  # fmt: skip


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"momentum": 1.0}, "momentum=1.0 must be below 1"), ({"clip_norm": np.inf}, "noise needs a finite clip norm"),
        ({"steps": 0}, "steps"),
    ],
)  # fmt: skip
def test_settings_that_make_no_run_are_refused(wrong, message):
    right = {"learning_rate": 1.0, "momentum": 0.9, "noise_multiplier": 1.0, "clip_norm": 1.0, "steps": 2,
             "batch_size": 4, "cool_down": 0.25}  # fmt: skip
    with pytest.raises(ValueError, match=message):
        Run(**(right | wrong))


def test_a_side_that_cannot_be_halved_is_refused():
    with pytest.raises(ValueError, match="side=10 must be halved 2 times"):
        ImageNetwork(side=10, filters=(4, 6))


def test_accuracy_counts_the_largest_scores(monkeypatch):
    rng = stream(8, "images")
    images, labels = task(rng, SMALL, 23)
    monkeypatch.setattr("dpdescent.models.image_network.BLOCK", 10)
    parameters = SMALL.initial(rng)
    predicted = np.asarray(SMALL.scores(parameters, images)).argmax(1)
    assert SMALL.accuracy(parameters, images, labels) == pytest.approx((predicted == labels).mean())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("clip_norm", [0.5, np.inf])
def test_an_accelerators_steps_are_those_of_a_processor_in_each_way(way, clip_norm):
    """Batches of several sizes in blocks that none of them fills, the noise from normals and decoder."""
    rng = stream(9, "images")
    images, labels = task(rng, SMALL, 40)
    batches = [rng.permutation(40)[:size] for size in (11, 13, 0, 9, 10, 16)]
    run = Run(0.3, 0.5, 0.2 * np.isfinite(clip_norm), clip_norm, 6, 10, 0.5)
    strategy, start = stamped(tree.online_honaker(finished_only=True), 2), State.start(SMALL.initial(rng))
    rows = dp_ftrl_network.noise_rows(strategy, 6, SMALL.parameters, stream(9, "noise"), range(6))
    expected = dp_ftrl_network.advance(SMALL, run, start, images, labels, batches, rows)
    normals = dp_ftrl_network.normals_of(strategy.noises(6), SMALL.parameters, stream(9, "noise"))
    resident, state, sums = Resident(SMALL, jnp.asarray(images), jnp.asarray(labels), 4, way), start, []
    for at in (0, 3):
        noise = dp_ftrl_network.correlated_rows(strategy.decoder(6)[at : at + 3].astype(np.float32), normals)
        np.testing.assert_allclose(noise, rows[at : at + 3], rtol=1e-4, atol=1e-5)
        state, (before, summed) = dp_ftrl_network.advance_resident(resident, run, state, batches[at : at + 3], noise)
        sums += list(zip(np.asarray(before), np.asarray(summed), strict=True))
    assert state.step == 6
    close(state.parameters, expected.parameters)
    close(state.velocity, expected.velocity)
    for (parameters, summed), batch in zip(sums, batches, strict=True):
        own = clipped_in_numpy(SMALL, parameters, images[batch], labels[batch], clip_norm)
        np.testing.assert_allclose(summed, own, atol=1e-5 * max(np.linalg.norm(own), 1e-9))
    with pytest.raises(ValueError, match="1 steps after step 6: the run has 6 in all"):
        dp_ftrl_network.advance_resident(resident, run, state, batches[:1], rows[:1])


def test_normals_in_blocks_are_those_of_the_noise(monkeypatch):
    monkeypatch.setattr(dp_ftrl_network, "WIDE", 5)
    monkeypatch.setattr(dp_ftrl_network, "BLOCK", 10)
    blocks = dp_ftrl_network.normals_of(20, 23, stream(5, "noise"))
    assert [block.shape for block in blocks] == [(20, 10), (20, 10), (20, 3)]
    whole = dp_ftrl_network.noise_rows(toeplitz.identity(), 20, 23, stream(5, "noise"), range(20))
    np.testing.assert_array_equal(np.concatenate(blocks, axis=1), whole)


@pytest.mark.parametrize(("error", "least", "most"), [(1e-7, 1e-4, 1e-3), (2.0**-11, 3e-3, 1.0)])
def test_sums_are_not_continuous_in_the_last_digit_of_a_convolution(monkeypatch, error, least, most):
    """A value that becomes the largest of its square sends a gradient elsewhere (docs/accelerator.md)."""
    network, rng = ImageNetwork(), np.random.default_rng(5)
    images = rng.uniform(-1.0, 1.0, (100, 32, 32, 3)).astype(np.float32)
    labels, parameters = rng.integers(0, 10, 100), network.initial(rng)
    exact = image_network._convolve

    def disturbed(x, weights):
        out = exact(x, weights)
        return out + error * jnp.sqrt((out**2).mean()) * jax.random.normal(jax.random.key(3), out.shape)

    found = []
    for each in (exact, disturbed):
        monkeypatch.setattr(image_network, "_convolve", each)
        with jax.default_matmul_precision(image_network.EXACT):
            whole = jax.jit(lambda *given: network.clipped_sum(*given, np.ones(100, np.float32), 1.0, "patches"))
            found.append(np.asarray(whole(parameters, images, labels), np.float64))
    apart = np.linalg.norm(found[1] - found[0]) / np.linalg.norm(found[0])
    assert least < apart < most
