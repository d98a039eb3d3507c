"""TukeyEM: its depth, check, draw and guarantee against slow twins, and a number that its authors print."""

import itertools
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from dpdescent.attacks import tukey_em as attacks
from dpdescent.baselines import tukey_em
from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.baselines.tukey_em import Settings
from dpdescent.data.linear import LinearSample
from dpdescent.papers.ours.contest_design import Public, draw
from dpdescent.papers.ours.methods_baselines import TUKEY_EM
from dpdescent.privacy.account import account
from dpdescent.privacy.audit import attack
from dpdescent.replication.configuration import project

ROOT = Path(__file__).resolve().parents[2]

# Few models, at budgets with which checks of so few pass and fail.
SMALL = Settings(40, 2.0, 0.05)


# Slow twins: depth by counting, volumes by cells, probabilities by sums


def depth(point: np.ndarray, models: np.ndarray) -> int:
    return min(
        min(int((models[:, j] <= point[j]).sum()), int((models[:, j] >= point[j]).sum())) for j in range(len(point))
    )


def cells(models: np.ndarray) -> Iterator[tuple[np.ndarray, float]]:
    """Middle and volume of every box between neighbouring coordinates of models."""
    edges = [np.unique(column) for column in models.T]
    for place in itertools.product(*(range(len(each) - 1) for each in edges)):
        low = np.array([each[i] for each, i in zip(edges, place, strict=True)])
        high = np.array([each[i + 1] for each, i in zip(edges, place, strict=True)])
        yield (low + high) / 2, float(np.prod(high - low))


def volumes(models: np.ndarray) -> np.ndarray:
    found = np.zeros(len(models) // 2)
    for middle, size in cells(models):
        found[: depth(middle, models)] += size
    return found


def share(V: np.ndarray, k: int, settings: Settings) -> float:
    """q_k: what bounds q on every data set with k replaced models or fewer."""
    c, t = settings.weight, settings.least_depth

    def volume(i: int) -> float:
        return float(V[i - 1]) if 1 <= i <= len(V) else math.inf if i < 1 else 0.0

    total = sum(
        math.exp(c * i) * (volume(i + k) - volume(i + k + 1)) for i in range(t, len(V) + 1) if volume(i + k) > 0.0
    )
    return math.exp(c * (t + 1)) * volume(t - 1 - k) / total if total > 0.0 else math.inf


def steps(V: np.ndarray, settings: Settings) -> int:
    k = -1
    while share(V, k + 1, settings) <= settings.delta:
        k += 1
    return k


def passing(K: int, settings: Settings) -> float:
    return float(stats.laplace.sf(settings.threshold - K, scale=1.0 / settings.check_eps))


def law(models: np.ndarray, edges: np.ndarray, settings: Settings, weight: float) -> np.ndarray:
    """Probabilities of a failed check and of a draw in each interval between edges, for models in one dimension."""
    middles, sizes = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    depths = np.array([depth(middle[None], models) for middle in middles])
    masses = np.where(depths >= settings.least_depth, np.exp(weight * depths), 0.0) * sizes
    passes = passing(steps(volumes(models), settings), settings)
    return np.array([1.0 - passes, *(passes * masses / masses.sum())])


def divergence(first: np.ndarray, second: np.ndarray, eps: float) -> float:
    return float(np.maximum(first - math.exp(eps) * second, 0.0).sum())


def in_one_dimension(rng: np.random.Generator, m: int) -> np.ndarray:
    """Models of any shape: bunched, skewed, spread over many sizes."""
    power = rng.choice([0.3, 1.0, 3.0, 8.0])
    values = np.sign(rng.uniform(-1, 1, m) + rng.uniform(-1, 1)) * np.abs(rng.standard_normal(m)) ** power
    return np.asarray(values[:, None])


def replaced(models: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A neighbour: one model moved anywhere, far beyond the others too."""
    other = models.copy()
    other[rng.integers(len(models))] = rng.standard_normal(models.shape[1]) * rng.choice([0.1, 1.0, 1e3])
    return other


# Depth, distance and draw


@pytest.mark.parametrize(("m", "p"), [(8, 1), (9, 2), (12, 2), (8, 3)])
def test_volumes_are_those_of_points_counted_one_by_one(m: int, p: int) -> None:
    models = np.random.default_rng(m).standard_normal((m, p))
    found = tukey_em.log_volumes(np.sort(models, axis=0))
    assert np.exp(found) == pytest.approx(volumes(models), rel=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_the_distance_is_that_of_plain_sums(seed: int) -> None:
    rng = np.random.default_rng(seed)
    models = in_one_dimension(rng, 40)
    found = tukey_em.log_volumes(np.sort(models, axis=0))
    for delta in np.geomspace(1e-3, 0.99, 50):
        settings = Settings(40, 2.0, float(delta))
        assert tukey_em.distance(found, settings) == steps(np.exp(found), settings)


def test_distances_differ_among_those_data_sets() -> None:
    found = {
        tukey_em.distance(
            tukey_em.log_volumes(np.sort(in_one_dimension(np.random.default_rng(seed), 40), axis=0)),
            Settings(40, 4.0, 0.2),
        )
        for seed in range(20)
    }
    assert min(found) == -1
    assert len(found) > 2


@pytest.mark.parametrize("p", [1, 2, 5])
def test_a_replaced_model_moves_the_distance_by_one_at_most(p: int) -> None:
    rng, moved = np.random.default_rng(p), set()
    settings = Settings(120, 4.0, 0.01)
    for _ in range(300):
        models = np.column_stack([in_one_dimension(rng, 120) for _ in range(p)])
        pair = models, replaced(models, rng)
        K = [tukey_em.distance(tukey_em.log_volumes(np.sort(each, axis=0)), settings) for each in pair]
        moved.add(K[1] - K[0])
    assert moved == {-1, 0, 1}


@pytest.mark.parametrize("delta", [1e-6, 1e-3, 0.05, 0.7])
def test_the_check_alone_costs_its_part_and_passes_in_error_with_delta(delta: float) -> None:
    settings = Settings(400, 1.0, delta)
    top = math.ceil(settings.threshold) + 20
    chance = np.array([passing(K, settings) for K in range(-1, top)])
    assert chance[0] == pytest.approx(min(delta, 0.5), rel=1e-9)
    cost = max(np.abs(np.diff(np.log(outcome))).max() for outcome in (chance, 1.0 - chance))
    assert cost == pytest.approx(settings.check_eps, rel=1e-9)
    attained = attacks.check_epsilon(1.0 / settings.check_eps, settings.threshold, 1e-12)
    assert attained == pytest.approx(settings.check_eps, rel=1e-6)


def test_noise_on_another_scale_costs_its_inverse() -> None:
    assert attacks.check_epsilon(0.5, 20.0, 1e-9) == pytest.approx(2.0, rel=1e-6)
    assert attacks.check_epsilon(0.5, 20.0, 0.3) < 2.0


@pytest.mark.parametrize("p", [1, 2])
def test_the_draw_has_the_law_of_depths(p: int) -> None:
    rng, runs = np.random.default_rng(5), 40_000
    models = rng.standard_normal((12, p))
    settings = Settings(12, 3.0, 0.9)
    drawn = np.array([tukey_em.deep_point(models, settings, rng) for _ in range(runs)])
    drawn = drawn[(drawn != 0.0).any(axis=1)]
    known = list(cells(models))
    depths = np.array([depth(middle, models) for middle, _ in known])
    masses = np.where(depths >= 3, np.exp(settings.weight * depths), 0.0) * [size for _, size in known]
    edges = [np.unique(column) for column in models.T]
    counts = np.histogramdd(drawn, edges)[0].ravel()
    kept = masses > 0.0
    assert counts[~kept].sum() == 0.0
    assert len(drawn) > runs / 20
    expected = len(drawn) * masses[kept] / masses.sum()
    assert stats.chisquare(counts[kept], expected).pvalue > 1e-4


# The guarantee


def neighbours(number: int, settings: Settings, times: float) -> Iterator[tuple[float, np.ndarray, np.ndarray]]:
    """Share q of many data sets in one dimension, and the exact laws there and on a neighbour, c so often as large."""
    rng = np.random.default_rng(1)
    for _ in range(number):
        models = in_one_dimension(rng, settings.models)
        other = replaced(models, rng)
        edges = np.unique(np.concatenate([models, other]))
        first, second = (law(each, edges, settings, times * settings.weight) for each in (models, other))
        yield share(volumes(models), 0, settings), first, second


def test_neighbours_are_as_alike_as_claimed() -> None:
    found = [
        divergence(*laws, SMALL.eps)
        for _, *both in neighbours(400, SMALL, 1.0)
        for laws in itertools.permutations(both)
    ]
    assert 0.8 * SMALL.delta < max(found) <= SMALL.delta


def excess(settings: Settings, times: float) -> np.ndarray:
    """Rows of q and of the draws' delta at 2 c, over many neighbours, the coefficient in the law so often c."""
    return np.array([
        (q, divergence(first[1:] / first[1:].sum(), second[1:] / second[1:].sum(), 2.0 * settings.weight))
        for q, first, second in neighbours(400, settings, times)
    ])  # fmt: skip


def test_draws_of_neighbours_are_as_alike_as_the_share_says() -> None:
    settings = Settings(40, 2.0, 0.2)
    q, delta = excess(settings, 1.0).T
    assert (delta <= q).all()
    # The bound is not vacant: a third of it is attained, and without the check delta would be spent several times over.
    assert (delta / q).max() > 0.3
    assert delta[q > settings.delta].max() > 2.0 * settings.delta
    assert (q <= settings.delta).sum() > 50
    q, delta = excess(settings, 2.0).T
    assert (delta > q).any()


@pytest.mark.parametrize("eps", [0.05, 0.2, 1.0, 4.0, 10.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-6])
def test_one_pair_of_neighbours_attains_nearly_the_whole_budget(eps: float, delta: float) -> None:
    found = attacks.replaced_model(eps, delta).exact_epsilon(delta)
    assert found is not None
    assert 0.97 * eps <= found <= eps


def test_the_coefficient_of_models_that_come_or_go_breaks_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """With epsilon / 2 for the depth, half as much again is attained, as the account of a replaced model says."""
    monkeypatch.setattr(Settings, "weight", property(lambda self: 0.5 * self.eps))
    found = attacks.replaced_model(1.0, 1e-6).exact_epsilon(1e-6)
    assert found is not None
    assert 1.45 <= found <= 1.5


def test_runs_of_the_pair_have_its_exact_law() -> None:
    settings = Settings(200, 3.0, 1e-3)
    rng, runs = np.random.default_rng(3), 20_000
    for models in attacks.pair(settings):
        edges = np.array([-attacks.FAR, -1.0, 0.0, attacks.WIDTH, attacks.FAR])
        exact = law(models, edges, settings, settings.weight)
        assert attacks.outcomes(models, settings) == pytest.approx(exact[[0, 2, 3]], rel=1e-9)
        sample = LinearSample(np.ones((200, 1)), models[:, 0])
        drawn = [tukey_em.fit(sample, settings, rng)[0] for _ in range(runs // 10)]
        counts = [np.sum(np.sign(drawn) == sign) for sign in (0, -1, 1)]
        assert stats.chisquare(counts, exact[[0, 2, 3]] * len(drawn)).pvalue > 1e-4
    scores = attack.run(attacks.replaced_model(3.0, 1e-3), runs, rng)
    assert 1.5 < scores.epsilon_low(1e-3, attack.SURE) <= 3.0


def test_a_pair_of_too_few_models_is_refused() -> None:
    with pytest.raises(ValueError, match="models=60 must be even, and enough for a distance of 25"):
        attacks.pair(Settings(60, 1.0, 1e-6))


def test_the_whole_budget_is_spent_and_the_ledger_reads_it() -> None:
    found = account(Settings(1000, 1.0, 1e-6).mechanism(), 1e-6)
    assert (found.epsilon, found.guarantee, found.relation, found.rho) == (1.0, "proved", "replace-one", None)
    assert account(Settings(1000, 1.0, 1e-6).mechanism(), 9e-7).epsilon == math.inf


# Parts


def sample_of(n: int, p: int, seed: int) -> LinearSample:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return LinearSample(X, X @ np.arange(1.0, p + 1) + rng.standard_normal(n))


def test_models_are_least_squares_on_disjoint_parts_of_all_records() -> None:
    sample = sample_of(43, 2, 0)
    models = tukey_em.part_models(sample, 8, np.random.default_rng(1))
    # Sizes 6, 6, 6 and five times 5, in the order of the same permutation.
    order = np.random.default_rng(1).permutation(43)
    rows = np.split(order, np.cumsum([6, 6, 6, 5, 5, 5, 5]))
    twin = [np.linalg.lstsq(sample.X[each], sample.y[each])[0] for each in rows]
    assert models == pytest.approx(np.array(twin), rel=1e-9)


@pytest.mark.parametrize("value", [1e6, 1e99, 1e200, -1e308, 0.0])
def test_a_replaced_record_replaces_one_model(value: float) -> None:
    sample = sample_of(60, 3, 0)
    X, y = sample.X.copy(), sample.y.copy()
    X[7], y[7] = value, -value
    pair = [tukey_em.part_models(each, 12, np.random.default_rng(1)) for each in (sample, LinearSample(X, y))]
    assert (pair[0] != pair[1]).any(axis=1).sum() == 1
    assert np.isfinite(pair[1]).all()


def test_coefficients_that_are_no_numbers_are_made_ones() -> None:
    X = np.array([[1e-300], [1e-200], *[[1.0]] * 6])
    y = np.array([1e300, -1.0, *[0.5] * 6])
    found = tukey_em.part_models(LinearSample(X, y), 8, np.random.default_rng(0))
    assert sorted(found[:, 0]) == pytest.approx([-1e100, 0.0, *[0.5] * 6])


def test_units_scale_the_estimate() -> None:
    sample, settings = sample_of(3000, 2, 4), Settings(300, 4.0, 1e-3)
    units = np.array([2.0**20, 2.0**-30])
    scaled = LinearSample(sample.X / units, 8.0 * sample.y)
    first, second = (tukey_em.fit(each, settings, np.random.default_rng(2)) for each in (sample, scaled))
    assert first.all()
    assert second == pytest.approx(8.0 * units * first, rel=1e-9)


def test_models_that_coincide_fail_the_check_and_give_zero() -> None:
    X = np.column_stack([np.ones(800), np.zeros(800)])
    sample = LinearSample(X, np.random.default_rng(0).standard_normal(800))
    assert not tukey_em.fit(sample, Settings(200, 4.0, 1e-6), np.random.default_rng(1)).any()
    # A check that passes in error finds no box to draw from.
    always = Settings(8, 1.0, 0.999)
    assert not any(tukey_em.deep_point(np.ones((8, 2)), always, np.random.default_rng(i)).any() for i in range(50))


def test_forty_coefficients_of_any_size_do_not_overflow() -> None:
    models = np.random.default_rng(0).standard_normal((2000, 40))
    settings = Settings(2000, 1.0, 1e-6)
    found = [
        tukey_em.distance(tukey_em.log_volumes(np.sort(models * size, axis=0)), settings) for size in (1e-90, 1, 1e90)
    ]
    assert found[0] == found[1] == found[2] > settings.threshold


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Settings(7, 1.0, 1e-6), "models=7 must be at least 8"),
        (lambda: Settings(9, 0.0, 1e-6), "eps must be positive"),
        (lambda: Settings(9, 1.0, 0.0), "delta"),
        (lambda: tukey_em.part_models(sample_of(9, 1, 0), 10, np.random.default_rng(0)), "n=9 records do not make"),
    ],
)
def test_values_out_of_range_are_named(call, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


# The public rule, and the contest


def contest(**cell: float) -> dict[str, object]:
    artefacts = project.load({"scale": "paper", "seed": 3, "papers": ["ours"]}, ROOT).papers["ours"].artefacts
    return {**next(iter(artefacts["win_map"].parts)).spec, "cell": cell, "trials": [0, 2]}


@pytest.mark.parametrize(("n", "p"), [(10_000, 10), (20_000, 5)])
def test_a_check_that_the_public_rule_expects_to_pass_does(n: int, p: int) -> None:
    spec = contest(n=n, p=p, kappa=50.0)
    public = Public.of(spec)
    fits = [TUKEY_EM.fit(draw(spec, i).sample, public, np.random.default_rng(i)) for i in range(20)]
    # One in a hundred fails: three of twenty would with probability .001.
    assert sum(not fit.any() for fit in fits) < 3


def test_where_no_number_of_models_passes_the_answer_is_zero() -> None:
    spec = contest(n=2000, p=10)
    public = Public.of(spec)
    assert TUKEY_EM.settings(public).models == 2000 // 12
    assert not TUKEY_EM.fit(draw(spec, 0).sample, public, np.random.default_rng(0)).any()


@pytest.mark.parametrize(("n", "p", "eps"), [(50, 10, 1.0), (1000, 3, 0.2), (5000, 10, 1.0), (1000, 1, 4.0)])
def test_the_contender_spends_the_budget_and_no_more(n: int, p: int, eps: float) -> None:
    public = Public(n, p, eps, 1e-6, {})
    event = TUKEY_EM.mechanism(public)
    assert account(event, 1e-6).epsilon == eps
    sample = sample_of(n, p, 0)
    assert np.isfinite(TUKEY_EM.fit(sample, public, np.random.default_rng(0))).all()


def test_the_public_rule_is_near_the_best_number_of_models() -> None:
    spec = contest(n=100_000, p=10, kappa=10.0)
    drawn = [draw(spec, i) for i in range(8)]
    chosen = tukey_em.public_models(100_000, 10, 1.0, 1e-6)
    risk = {
        m: np.mean([
            each.excess(tukey_em.fit(each.sample, Settings(m, 1.0, 1e-6), np.random.default_rng(i)))
            for i, each in enumerate(drawn)
        ])
        for m in (1000, 2000, chosen, 5000, 100_000 // 11)
    }  # fmt: skip
    assert risk[chosen] < 1.4 * min(risk.values())
    assert risk[chosen] < 0.7 * min(risk[1000], risk[100_000 // 11])


# A number of the authors


# The authors' synthetic data, as their public script makes them: ten standard normal covariates with coefficients
# uniform in [0, 100], label noise of sd 10, a column of ones; n, m, epsilon and delta as there. Their table of data
# sets gives the median R^2 of the records at hand as .997 for TukeyEM and .997 for least squares; these two numbers are
# quoted from memory, because the script prints none and the table was not at hand.
N, COVARIATES, LARGEST_COEFFICIENT, NOISE = 22_000, 10, 100.0, 10.0
PRINTED = Settings(tukey_em.AUTHORS, math.log(3.0), 1e-5)
R2, DATA_SETS = 0.997, 21


def authors_records(rng: np.random.Generator) -> LinearSample:
    X = rng.standard_normal((N, COVARIATES))
    y = X @ rng.uniform(0.0, LARGEST_COEFFICIENT, COVARIATES) + NOISE * rng.standard_normal(N)
    return LinearSample(np.column_stack([X, np.ones(N)]), y)


def r_squared(sample: LinearSample, theta: np.ndarray) -> float:
    return float(1.0 - np.sum((sample.y - sample.X @ theta) ** 2) / np.sum((sample.y - sample.y.mean()) ** 2))


def test_the_authors_number_is_reached_at_their_setting() -> None:
    """Written before a run: both medians over data sets print as .997, and nobody could tell the two on any data set.

    Their number is for one draw of coefficients, which moves it by about .001, hence medians over draws; and for an
    epsilon under their relation, where ours under replace-one is the stricter one, hence a number that may only be
    harder to reach.
    """
    rng = np.random.default_rng(220807353)
    found = []
    for _ in range(DATA_SETS):
        sample = authors_records(rng)
        thetas = tukey_em.fit(sample, PRINTED, rng), linear_least_squares(sample.gram)
        found.append([r_squared(sample, theta) for theta in thetas])
    private, plain = np.array(found).T
    assert np.round(np.median(private), 3) == np.round(np.median(plain), 3) == R2
    assert np.max(plain - private) < 0.0005
