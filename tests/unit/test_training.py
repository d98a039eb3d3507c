"""Training in epochs against a literal loop; the cool-down, and arms that know nothing of each other."""

import numpy as np
import pytest

from dpdescent.algorithms.dp_ftrl_epochs import EpochArms, cooled, train
from dpdescent.algorithms.samplers import fixed_order, poisson
from dpdescent.models.classifiers import TanhNetwork

MODEL = TanhNetwork((4, 3, 2))
ARMS = EpochArms(np.array([0.3, 2.0, 0.7]), np.array([0.0, 0.5, 1.5]), np.array([0.9, 0.0, 0.5]))
STEPS, BATCH, CLIP = 25, 6, 0.2
RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((30, 4)), RNG.integers(0, 2, 30)
NOISE = RNG.standard_normal((STEPS, 3, MODEL.parameters))
START = MODEL.initial(np.random.default_rng(1))


def run(arms=ARMS, noise=NOISE, batches=None, start=START, model=MODEL, **options):
    batches = fixed_order(30, BATCH, np.random.default_rng(2)) if batches is None else batches
    given = {"steps": STEPS, "batch_size": BATCH, "clip_norm": CLIP, "cool_down": 0.4, **options}
    return train(model, X, Y, batches, arms, noise, start=start, **given)


def pick(rows):
    return EpochArms(ARMS.learning_rate[rows], ARMS.noise_multiplier[rows], ARMS.momentum[rows])


def twin(a, noise, batches):
    """One arm, one step after the other; gradients come from the model, which has a twin of its own."""
    theta, velocity = START.copy(), np.zeros_like(START)
    for t in range(STEPS):
        rows = batches[t % len(batches)]
        total = sum(
            MODEL.clipped_gradient_sum(theta[None], X[[i]], Y[[i]], CLIP)[0] for i in rows
        ) + np.zeros_like(theta)  # fmt: skip
        gradient = (total + ARMS.noise_multiplier[a] * CLIP * noise[t]) / BATCH
        velocity = ARMS.momentum[a] * velocity + gradient
        # The last tenth of the steps: t = 15..24 fall from 1 to 0.05 by equal amounts.
        factor = 1.0 if t < 15 else 1.0 - 0.95 * (t - 14) / 10
        theta = theta - ARMS.learning_rate[a] * factor * velocity
    return theta


@pytest.mark.parametrize("batches", [fixed_order(30, BATCH, RNG), poisson(30, 0.2, STEPS, RNG)], ids=["fixed", "coins"])
def test_training_equals_the_twin(batches):
    parameters = run(batches=batches)
    for a in range(3):
        np.testing.assert_allclose(parameters[a], twin(a, NOISE[:, a], batches), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("rows", [[0], [1], [2, 0], [1, 2]])
def test_an_arm_knows_nothing_of_the_others(rows):
    np.testing.assert_array_equal(run(pick(rows), NOISE[:, rows]), run()[rows])


def test_noise_may_be_shared_or_come_in_blocks():
    shared = NOISE[:, :1]
    whole = run(noise=np.broadcast_to(shared, NOISE.shape))
    np.testing.assert_array_equal(run(noise=shared), whole)
    np.testing.assert_array_equal(run(noise=iter([shared[:7], shared[7:8], shared[8:]])), whole)
    np.testing.assert_array_equal(run(pick([0]), None), whole[:1])


def test_arms_may_start_apart():
    starts = np.stack([START, START + 1, START])
    whole = run(start=starts)
    np.testing.assert_array_equal(whole[[0, 2]], run()[[0, 2]])
    assert (whole[1] != run()[1]).any()
    np.testing.assert_array_equal(starts[0], START)


def test_without_clipping_a_gradient_is_the_plain_one():
    """A clip norm that is never reached, and none."""
    silent = EpochArms(np.array([0.5]), np.array([0.0]), np.array([0.9]))
    np.testing.assert_allclose(run(silent, None, clip_norm=np.inf), run(silent, None, clip_norm=1e6), rtol=1e-12)


def test_cool_down():
    np.testing.assert_allclose(cooled(8, 0.5), [1, 1, 1, 1, 0.7625, 0.525, 0.2875, 0.05], rtol=1e-14)
    np.testing.assert_array_equal(cooled(5, 0.0), np.ones(5))
    assert cooled(400, 0.25)[299] == 1.0
    assert cooled(400, 0.25)[300] < 1.0
    assert cooled(3, 1.0)[-1] == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: EpochArms(np.array([0.0]), np.array([1.0]), np.array([0.0])), "learning_rate must be positive"),
        (
            lambda: EpochArms(np.array([1.0]), np.array([-1.0]), np.array([0.0])),
            "noise_multiplier must not be negative",
        ),
        (lambda: EpochArms(np.array([1.0]), np.array([1.0]), np.array([1.0])), "momentum=1.0 must be below 1"),
        (lambda: EpochArms(np.array([1.0]), np.array([1.0]), np.array([-0.1])), "momentum must not be negative"),
        (lambda: EpochArms(np.array([1.0, 2.0]), np.array([1.0]), np.array([0.0])), "one value an arm"),
        (lambda: run(noise=None), "noise=None, but an arm asks"),
        (lambda: run(noise=NOISE[:-1]), "ends after 24 of T=25"),
        (lambda: run(noise=NOISE[:, :, :1]), "does not fit"),
        (lambda: run(clip_norm=np.inf), "with noise a finite norm"),
        (lambda: run(batches=[]), "0 batches"),
        (lambda: run(steps=0), "steps must be positive"),
        (lambda: run(batch_size=0), "batch_size must be positive"),
        (lambda: run(clip_norm=0.0), "clip_norm must be positive"),
        (lambda: run(cool_down=1.5), "share=1.5"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
