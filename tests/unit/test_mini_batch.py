"""Algorithm 1 against a transcription of its lines with explicit gradients; runs that know nothing of each other."""

from dataclasses import fields, replace
from itertools import cycle, pairwise

import numpy as np
import pytest

from dpdescent.algorithms import lambda_cgd
from dpdescent.algorithms.lambda_cgd import CGDArms, KANProblem, run, shifted
from dpdescent.algorithms.samplers import balls_in_bins, fixed_order, fixed_size, poisson
from dpdescent.models.kan import KAN
from dpdescent.models.spline import CubicSplines

SEEDS, RECORDS, BATCH, STEPS = 3, 23, 5, 12
MODEL = KAN(2, 7, CubicSplines(3))
INF = np.inf
# Every arm has something that no other has: plain SGD, clipping, noise, correlation, projection, all of them.
ARMS = CGDArms(
    eta=np.array([0.5, 2.0, 3.0, 3.0, 1.0, 2.0]), clip_norm=np.array([INF, 0.1, 0.3, 0.3, 1.0, 0.2]),
    noise_multiplier=np.array([0.0, 0.0, 1.0, 1.5, 0.0, 4.0]), correlation=np.array([0.0, 0.3, 0.0, 0.7, 0.0, 0.9]),
    radius=np.array([INF, INF, INF, INF, 0.3, 0.5]),
)  # fmt: skip


def made(seeds=SEEDS, model=MODEL, records=RECORDS):
    rng = np.random.default_rng(5)
    x = rng.uniform(-0.8, 0.8, (seeds, records, model.inputs))
    initial = [model.initial(np.random.default_rng(seed)) for seed in range(seeds)]
    second = np.stack([c for _, c in initial])
    labels = np.where(rng.random((seeds, records)) < 0.5, -1.0, 1.0)
    start = np.stack([W for W, _ in initial])
    return KANProblem(model, model.features(x), labels, start, model.heads(second)), second


PROBLEM, SECOND = made()
BATCHES = [np.stack(rows) for rows in zip(
    *(fixed_size(RECORDS, BATCH, STEPS, np.random.default_rng(seed)) for seed in range(SEEDS)), strict=True
)]  # fmt: skip
TEST = made(records=30)[0]


def generators(seeds=range(SEEDS)):
    return [np.random.default_rng(100 + seed) for seed in seeds]


def pick(arms, rows):
    return CGDArms(**{field.name: getattr(arms, field.name)[rows] for field in fields(arms)})


def part(problem, seeds):
    return replace(
        problem, features=problem.features[seeds], labels=problem.labels[seeds], start=problem.start[seeds],
        heads=problem.heads[seeds],
    )  # fmt: skip


def explicit(W, h, y, c, model=MODEL):
    """Loss and gradient of one record, by the chain rule in full."""
    splines = model.splines
    u = np.tanh(W @ h / np.sqrt(model.inputs))
    f = (c * splines.values(u)).sum() / np.sqrt(model.width)
    loss_slope = -y / (1 + np.exp(y * f))
    gradient = np.empty_like(W)
    for j in range(model.width):
        by_unit = c[j] @ splines.first(u[j : j + 1])[0] / np.sqrt(model.width)
        gradient[j] = loss_slope * by_unit * (1 - u[j] ** 2) * h / np.sqrt(model.inputs)
    return np.log1p(np.exp(-y * f)), gradient


def algorithm_1(arm, seed, batches, B, steps=STEPS):
    """wang2026 Algorithm 1: one seed, one arm. Batches are those of the seed, T of them."""
    eta, C, kappa, lam, R = (value.item() for value in vars(arm).values())
    H, Y, c, rng = PROBLEM.features[seed], PROBLEM.labels[seed], SECOND[seed], generators()[seed]
    W_0 = W = PROBLEM.start[seed]
    Z_before, iterates, losses, clipped, active = np.zeros_like(W), [], [], [], 0
    for t in range(1, steps + 1):
        pairs = [explicit(W, H[i], Y[i], c) for i in batches[t - 1]]
        norms = [np.sqrt((g**2).sum()) for _, g in pairs]
        iterates.append(W)
        losses.append(sum(loss for loss, _ in pairs) / B)
        clipped.append(np.mean([norm > C for norm in norms]) if norms else 0.0)
        if t == steps:
            break
        v = sum((g * min(1.0, C / norm) for (_, g), norm in zip(pairs, norms, strict=True)), np.zeros_like(W)) / B
        xi = 0.0
        if kappa:
            Z = rng.standard_normal(W.shape)
            xi, Z_before = kappa * (Z - lam * Z_before) * C / B, Z
        W = W - eta * (v + xi)
        if (distance := np.sqrt(((W - W_0) ** 2).sum())) > R * (1 + 1e-12):
            W, active = W_0 + R / distance * (W - W_0), active + 1
    return np.array(iterates), np.array(losses), np.array(clipped), active / (steps - 1)


def samplers(name):
    """Batches of every step, a list of one array a seed."""
    each = []
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        each.append({
            "fixed size": lambda rng=rng: list(fixed_size(RECORDS, BATCH, STEPS, rng)),
            "Poisson": lambda rng=rng: poisson(RECORDS, 0.1, STEPS, rng),
            "balls in bins": lambda rng=rng: [b for b, _ in zip(cycle(balls_in_bins(RECORDS, 8, rng)), range(STEPS))],
            "fixed order": lambda rng=rng: [b for b, _ in zip(cycle(fixed_order(20, 5, rng)), range(STEPS))],
            "full batch": lambda: [np.arange(RECORDS)] * STEPS,
        }[name]())  # fmt: skip
    return list(zip(*each, strict=True))


@pytest.mark.parametrize("name", ["fixed size", "Poisson", "balls in bins", "fixed order", "full batch"])
def test_runs_are_algorithm_1(name):
    batches, seen = samplers(name), []
    nominal = {"Poisson": 3, "balls in bins": 3}.get(name)
    given = None if name == "full batch" else batches
    runs = run(
        PROBLEM, ARMS, given, generators(), steps=STEPS, batch_size=nominal,
        observe=lambda state: seen.append(state.weights.copy()),
    )  # fmt: skip
    if nominal:
        sizes = {len(rows) for batch in batches for rows in batch}
        assert len(sizes) > 2
        assert 0 in sizes
    for s, a in np.ndindex(SEEDS, len(ARMS)):
        own = [batch[s] for batch in batches]
        iterates, losses, clipped, active = algorithm_1(pick(ARMS, [a]), s, own, nominal or len(own[0]))
        scale = np.abs(iterates).max()
        np.testing.assert_allclose(np.array(seen)[:, s, a], iterates, rtol=0, atol=1e-12 * scale)
        np.testing.assert_allclose(runs.final[s, a], iterates[-1], rtol=0, atol=1e-12 * scale)
        np.testing.assert_allclose(runs.empirical[:, s, a], losses, rtol=1e-12)
        np.testing.assert_allclose(runs.empirical_average[s, a], losses.mean(), rtol=1e-12)
        np.testing.assert_array_equal(runs.clipped[:, s, a], clipped)
        assert runs.projected[s, a] == active
    assert 0.0 < runs.clipped[:, :, 1].mean() < 1.0
    assert (runs.projected[:, :4] == 0.0).all()
    assert (runs.projected[:, 5] > 0.0).all()


def everything(problem, arms, batches, seeds, **options):
    seen = []
    test = TEST.features[seeds], TEST.labels[seeds]
    runs = run(
        problem, arms, batches, generators(seeds), steps=STEPS, test=test, per_step=5,
        observe=lambda state: seen.append(shifted(state).copy()), **options,
    )  # fmt: skip
    values = [runs.empirical, runs.population, runs.clipped, np.array(seen)]
    averages = [runs.final, runs.projected, runs.empirical_average, runs.population_average]
    return [np.moveaxis(value, 0, 2) for value in values] + averages


@pytest.mark.parametrize("block", [1, 100, 1 << 14])
@pytest.mark.parametrize("ragged", [False, True])
def test_a_run_knows_nothing_of_the_others(block, ragged, monkeypatch):
    """Whatever runs beside it, and however work and draws are cut."""
    batches = samplers("Poisson") if ragged else BATCHES
    options = {"batch_size": 3} if ragged else {}
    together = everything(PROBLEM, ARMS, batches, [0, 1, 2], **options)
    monkeypatch.setattr(lambda_cgd, "BLOCK", block)
    monkeypatch.setattr(lambda_cgd, "DRAWN", block)
    for seeds, rows in (([1], [3]), ([2, 0], [5, 0, 2]), ([0, 1, 2], [4]), ([2], [0, 1, 2, 3, 4, 5])):
        chosen = [[batch[s] for s in seeds] for batch in batches]
        apart = everything(part(PROBLEM, seeds), pick(ARMS, rows), chosen, seeds, **options)
        for one, other in zip(together, apart, strict=True):
            np.testing.assert_array_equal(one[seeds][:, rows], other)


@pytest.mark.parametrize(("width", "records", "batch"), [(1, 9, 1), (13, 31, 30), (64, 50, 17)])
def test_other_sizes_change_no_bit_either(width, records, batch):
    problem, _ = made(5, KAN(3, width, CubicSplines(5)), records)
    batches = [np.stack(rows) for rows in zip(
        *(fixed_size(records, batch, 6, np.random.default_rng(seed)) for seed in range(5)), strict=True
    )]  # fmt: skip
    whole = run(problem, ARMS, batches, generators(range(5)), steps=6)
    alone = run(part(problem, [3]), pick(ARMS, [5]), [b[[3]] for b in batches], generators([3]), steps=6)
    np.testing.assert_array_equal(whole.final[3, 5], alone.final[0, 0])
    np.testing.assert_array_equal(whole.empirical[:, 3, 5], alone.empirical[:, 0, 0])
    full = run(problem, ARMS, None, generators(range(5)), steps=6)
    alone = run(part(problem, [3]), pick(ARMS, [5]), None, generators([3]), steps=6)
    np.testing.assert_array_equal(full.final[3, 5], alone.final[0, 0])


def test_equal_sizes_may_come_as_a_list_or_an_array():
    whole = run(PROBLEM, ARMS, BATCHES, generators(), steps=STEPS)
    listed = run(PROBLEM, ARMS, iter([list(batch) for batch in BATCHES]), generators(), steps=STEPS, batch_size=BATCH)
    np.testing.assert_array_equal(whole.final, listed.final)


def test_a_full_batch_has_no_sampling_error():
    """Delta_t, the batch's gradient less that of all records, is exactly 0."""
    differences = []

    def look(state):
        loss, gradient = PROBLEM.loss_and_gradient(state.weights)
        differences.append(state.gradient - gradient)
        losses.append(loss)

    losses = []
    plain = pick(ARMS, [0, 0])
    runs = run(PROBLEM, plain, None, None, steps=4, observe=look)
    np.testing.assert_array_equal(differences, np.zeros_like(differences))
    np.testing.assert_array_equal(runs.empirical, losses)


def test_the_one_step_identity():
    """wang2026 eq. (C.1) along runs whose clip norm is never reached."""
    quiet = CGDArms(*(np.array(values) for values in ([0.5, 2.0], [9.0, 9.0], [0.4, 0.1], [0.0, 0.8], [INF, INF])))
    target, states = np.random.default_rng(8).standard_normal(PROBLEM.start.shape)[:, None], []

    def look(state):
        gradient = PROBLEM.loss_and_gradient(state.weights)[1]
        states.append((state.weights - target, shifted(state) - target, gradient, state.gradient - gradient,
                       state.normals.copy()))  # fmt: skip

    runs = run(PROBLEM, quiet, BATCHES, generators(), steps=STEPS, observe=look)
    assert (runs.clipped == 0.0).all()

    def dot(a, b):
        return (a * b).sum((-1, -2))

    eta, lam, c = quiet.eta, quiet.correlation, quiet.clip_norm * quiet.noise_multiplier / BATCH
    for (W, U, g, D, Z), (_, new, _, _, _) in pairwise(states):
        right = (
            dot(U, U) - 2 * eta * dot(g, W) - 2 * eta * dot(D, U) - 2 * (1 - lam) * eta * c * dot(Z, U)
            + eta**2 * dot(g + D, g + D) + (1 - lam) ** 2 * eta**2 * c**2 * dot(Z, Z)
            + 2 * (1 - lam) * eta**2 * c * dot(D, Z) - 2 * lam * eta**2 * c * dot(g, Z)
        )  # fmt: skip
        np.testing.assert_allclose(dot(new, new), right, rtol=1e-9)
    assert np.abs(states[3][3]).max() > 1e-4


def test_clipped_sums_are_those_of_explicit_gradients():
    limits, weights = np.array([0.05, INF, 0.2]), np.repeat(PROBLEM.start[:, None], 3, axis=1)
    rows = BATCHES[0][1:]
    losses, total, clipped = PROBLEM.batch(weights, (slice(1, 3), slice(0, 3)), rows, limits)
    for (s, a), C in zip(np.ndindex(2, 3), np.tile(limits, 2), strict=True):
        pairs = [explicit(weights[1 + s, a], PROBLEM.features[1 + s, i], PROBLEM.labels[1 + s, i], SECOND[1 + s])
                 for i in rows[s]]  # fmt: skip
        norms = [np.linalg.norm(g) for _, g in pairs]
        expected = sum(g * min(1.0, C / norm) for (_, g), norm in zip(pairs, norms, strict=True))
        np.testing.assert_allclose(total[s, a], expected, rtol=0, atol=1e-15)
        np.testing.assert_allclose(losses[s, a], sum(loss for loss, _ in pairs), rtol=1e-14)
        assert clipped[s, a] == sum(norm > C for norm in norms)
    assert clipped[:, 0].min() > 0
    assert (clipped[:, 1] == 0).all()


def test_population_goes_through_the_test_points_in_turn():
    iterates = []
    runs = run(
        PROBLEM, ARMS, BATCHES, generators(), steps=STEPS, test=(TEST.features, TEST.labels), per_step=10,
        observe=lambda state: iterates.append(state.weights.copy()),
    )  # fmt: skip
    for t in (0, 1, 2, 3, 11):
        points = slice(10 * (t % 3), 10 * (t % 3) + 10)
        for s, a in np.ndindex(SEEDS, len(ARMS)):
            pairs = zip(TEST.features[s, points], TEST.labels[s, points], strict=True)
            losses = [explicit(iterates[t][s, a], h, y, SECOND[s])[0] for h, y in pairs]
            assert runs.population[t, s, a] == pytest.approx(np.mean(losses), rel=1e-12)
    np.testing.assert_allclose(runs.population_average, runs.population.mean(0), rtol=1e-14)


def test_one_step_makes_one_iterate():
    runs = run(PROBLEM, ARMS, BATCHES, generators(), steps=1)
    np.testing.assert_array_equal(runs.final, np.repeat(PROBLEM.start[:, None], len(ARMS), axis=1))
    assert runs.empirical.shape == (1, SEEDS, len(ARMS))
    assert (runs.projected == 0.0).all()


def test_records_may_be_scattered_in_memory():
    scattered = replace(
        PROBLEM, features=np.asfortranarray(PROBLEM.features), labels=np.repeat(PROBLEM.labels, 2, axis=1)[:, ::2]
    )
    for batches in (BATCHES, None):
        whole = run(PROBLEM, ARMS, batches, generators(), steps=3)
        np.testing.assert_allclose(run(scattered, ARMS, batches, generators(), steps=3).final, whole.final, rtol=1e-12)


def test_nothing_given_is_changed():
    before = PROBLEM.features.copy(), PROBLEM.start.copy(), PROBLEM.heads.cubics.copy()
    run(PROBLEM, ARMS, None, generators(), steps=3)
    for one, other in zip(before, (PROBLEM.features, PROBLEM.start, PROBLEM.heads.cubics), strict=True):
        np.testing.assert_array_equal(one, other)


def arms_with(**changed):
    return replace(pick(ARMS, [2]), **{name: np.array([value]) for name, value in changed.items()})


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: arms_with(eta=0.0), "eta must be positive"),
        (lambda: arms_with(clip_norm=0.0), "clip_norm must be positive"),
        (lambda: arms_with(radius=0.0), "radius must be positive"),
        (lambda: arms_with(noise_multiplier=-1.0), "noise_multiplier must not be negative"),
        (lambda: arms_with(noise_multiplier=INF), "noise_multiplier=inf must be finite"),
        (lambda: arms_with(correlation=1.0), "correlation=1.0 must be below 1"),
        (lambda: arms_with(correlation=-0.1), "correlation must not be negative"),
        (lambda: arms_with(clip_norm=INF), "clip_norm=inf with noise"),
        (lambda: replace(ARMS, eta=np.ones(2)), "one value an arm"),
        (lambda: replace(PROBLEM, labels=PROBLEM.labels + 1), "labels must be -1 or 1"),
        (lambda: replace(PROBLEM, labels=PROBLEM.labels[:, 1:]), "features of shape"),
        (lambda: replace(PROBLEM, start=PROBLEM.start[1:]), "labels of shape"),
        (lambda: replace(PROBLEM, start=PROBLEM.start[..., 1:]), "start of shape"),
        (lambda: replace(PROBLEM, heads=PROBLEM.heads[:2]), "heads of shape"),
        (lambda: run(PROBLEM, ARMS, BATCHES, None, steps=2), "normals=None, but an arm has noise"),
        (lambda: run(PROBLEM, ARMS, BATCHES, generators([0]), steps=2), "one generator a seed"),
        (lambda: run(PROBLEM, ARMS, BATCHES, generators(), steps=13), "batches end after 12 of T=13"),
        (lambda: run(PROBLEM, ARMS, [], generators(), steps=1), "batches is empty"),
        (lambda: run(PROBLEM, ARMS, [BATCHES[0][:2]], generators(), steps=1), "for 2 seeds, but there are 3"),
        (lambda: run(PROBLEM, ARMS, samplers("Poisson"), generators(), steps=3), "give batch_size, the nominal one"),
        (lambda: run(PROBLEM, ARMS, [BATCHES[0], BATCHES[0][:, :3]], generators(), steps=2), "of 5 and of 3 records"),
        (lambda: run(PROBLEM, ARMS, [BATCHES[0] + RECORDS], generators(), steps=1), r"must lie in 0\.\.22"),
        (lambda: run(PROBLEM, ARMS, [BATCHES[0] - RECORDS], generators(), steps=1), r"must lie in 0\.\.22"),
        (lambda: run(PROBLEM, ARMS, BATCHES, generators(), steps=0), "steps must be positive"),
        (lambda: run(PROBLEM, ARMS, BATCHES, generators(), steps=2, batch_size=0), "batch_size must be positive"),
        (lambda: run(PROBLEM, ARMS, BATCHES, generators(), steps=2, test=(TEST.features, TEST.labels), per_step=7),
         "a multiple of per_step=7"),
        (lambda: run(PROBLEM, ARMS, BATCHES, generators(), steps=2, test=(TEST.features[:2], TEST.labels)),
         "test features"),
        (lambda: run(PROBLEM, ARMS, BATCHES, generators(), steps=2).population_average, "population=None"),
    ],
)  # fmt: skip
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
