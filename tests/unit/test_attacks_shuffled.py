"""Attacks on DP-STAT, on descent with its threshold and on DP-SSGD: exact values, what is seen, leaks."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dpdescent.algorithms import dp_ftrl
from dpdescent.algorithms.dp_ambssgd import Adaptive
from dpdescent.algorithms.dp_stat import Search
from dpdescent.attacks import dp_ambssgd, dp_ssgd, dp_stat
from dpdescent.privacy.accounting import tight_epsilon
from dpdescent.privacy.audit.attack import SURE, Attack, run
from dpdescent.privacy.shuffling import epsilon as shuffled_epsilon
from dpdescent.randomness import stream

MU = 0.7
GAUSSIAN = {
    "counts": (lambda: dp_stat.crossing(1.0 / MU, 12), 30_000),
    "gradient": (lambda: dp_ambssgd.mini_batch("gradient", MU, 6), 12_000),
    "statistic": (lambda: dp_ambssgd.mini_batch("statistic", MU, 6), 12_000),
    "both": (lambda: dp_ambssgd.mini_batch("both", MU, 6), 12_000),
    "fixed": (lambda: dp_ambssgd.fixed_clip(MU), 30_000),
    "DP-GD": (lambda: dp_ambssgd.adaptive_descent(2, MU, 0.1, 6), 8_000),
    "alone": (lambda: dp_ssgd.canary(1, 1.0 / MU), 30_000),
}


def rng(role: str) -> np.random.Generator:
    return stream(2022, "attacks", role)


def scores(attack: Attack, runs: int, role: str) -> tuple[np.ndarray, np.ndarray]:
    return attack.simulate(runs, rng(role))


# Gaussian pairs


@pytest.mark.parametrize("name", GAUSSIAN)
def test_the_pair_attains_what_is_accounted_for_and_the_bound_comes_near(name: str) -> None:
    build, runs = GAUSSIAN[name]
    attack = build()
    assert attack.mu == pytest.approx(MU, rel=1e-12)
    found = run(attack, runs, rng(name))
    assert found.mu_low(SURE) <= MU
    assert found.mu_low() >= 0.8 * MU


@pytest.mark.parametrize("name", GAUSSIAN)
def test_scores_are_as_far_apart_as_the_exact_value_says(name: str) -> None:
    """Of likelihood ratios of Gaussians: mean difference mu^2, variance mu^2, Gaussian on either side."""
    build, runs = GAUSSIAN[name]
    first, second = scores(build(), runs // 2, f"moments {name}")
    tolerance = 5.0 / math.sqrt(len(first))
    assert (second.mean() - first.mean()) / MU == pytest.approx(MU, abs=1.5 * tolerance)
    assert first.var() == pytest.approx(MU**2, rel=1.5 * tolerance)
    assert second.var() == pytest.approx(MU**2, rel=1.5 * tolerance)


# Who moves what


def seen_on_both_sides(releases: dp_ambssgd._Releases, levels: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Both data sets under one and the same noise."""
    return [releases.seen(label, 40, rng("same noise")) for label in dp_ambssgd._labels(levels)]


@pytest.mark.parametrize("place", ["gradient", "statistic", "both"])
def test_a_record_moves_only_what_its_place_lets_it(place: str) -> None:
    """Under the same noise: 2 / b of the gradient in units of the threshold, and 1 of every count."""
    levels = 6
    (gradient, counts), (gradient_far, counts_far) = seen_on_both_sides(dp_ambssgd.iteration(place, MU, levels), levels)
    assert counts.shape == (1, 40, levels)
    np.testing.assert_allclose(counts - counts_far, 0.0 if place == "gradient" else 1.0, atol=1e-9)
    # A threshold that the record moves only rescales the noise of the gradient, which is measured in its unit.
    np.testing.assert_allclose(
        gradient - gradient_far, 0.0 if place == "statistic" else 2.0 / dp_ambssgd.B, rtol=1e-9, atol=1e-9
    )


def test_the_thresholds_of_the_statistic_do_move() -> None:
    """Otherwise the gradient could not be seen to be measured in units of zeta_t."""
    releases = dp_ambssgd.iteration("statistic", 20.0, 6)
    search = releases.search
    assert search is not None
    counts = [search.counts(np.array([abs(label), 0.0])) for label in dp_ambssgd._labels(6)]
    picked = [search.select(each, np.zeros(6), 2) for each in counts]
    assert picked[0] < picked[1]


def test_every_step_of_descent_moves_counts_and_gradient() -> None:
    """However far the iterates have gone, and whatever the thresholds were."""
    T, levels = 30, 6
    releases = dp_ambssgd.full_batch(T, MU, 0.1, levels)
    (gradient, counts), (gradient_far, counts_far) = seen_on_both_sides(releases, levels)
    assert counts.shape == (T, 40, levels)
    np.testing.assert_allclose(counts - counts_far, 1.0, atol=1e-9)
    np.testing.assert_allclose(gradient - gradient_far, 2.0 / dp_ambssgd.B, rtol=1e-6)


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_the_budget_of_descent_is_cut_as_the_share_says(share: float) -> None:
    found = dp_ambssgd.full_batch(4, MU, share, 6).arm.releases(dp_ambssgd.B, 4)
    assert sum(each.rho for each in found) == pytest.approx(0.5 * MU**2)  # type: ignore[union-attr]
    assert found[0].rho == pytest.approx(share * 0.5 * MU**2)  # type: ignore[union-attr]


@pytest.mark.parametrize(("place", "parts"), [("gradient", 2), ("statistic", 2), ("both", 1)])
def test_the_engine_accounts_for_the_attacked_iteration_as_the_pair_does(place: str, parts: int) -> None:
    (found,) = dp_ambssgd.iteration(place, MU, 6).arm.releases(dp_ambssgd.S + dp_ambssgd.B)
    assert len(found.parts) == parts  # type: ignore[union-attr]
    assert math.sqrt(2.0 * found.rho) == pytest.approx(MU)  # type: ignore[union-attr]


def test_an_overlap_that_nobody_accounts_for_is_caught() -> None:
    """The printed ranges of indices with noise for disjoint ones: the record of `both`, twice the zCDP cost."""
    honest = dp_ambssgd.iteration("both", MU * 2.0**0.5, 6)
    found = run(honest.attack(dp_ambssgd._labels(6), "", 12_000), 12_000, rng("overlap"))
    assert found.mu_low(SURE) > MU


def test_too_little_noise_on_the_counts_is_caught() -> None:
    """sd alpha instead of alpha sqrt(L), as if one count were released."""
    releases = dp_ambssgd.iteration("statistic", MU, 16)
    clipping = releases.arm.clipping
    assert isinstance(clipping, Adaptive)
    quiet = dp_stat.Overheard(1.0, 16, clipping.search.noise_multiplier / 4.0)
    weak = replace(releases, arm=replace(releases.arm, clipping=replace(clipping, search=quiet)))
    found = run(weak.attack(dp_ambssgd._labels(16), "", 4000), 4000, rng("quiet"))
    assert found.mu_low(SURE) > 2.0 * MU


# DP-STAT


def test_a_search_that_is_overheard_does_what_it_does_otherwise() -> None:
    plain, overheard = (kind(1.0, 5, 0.8) for kind in (Search, dp_stat.Overheard))
    counts, normals = plain.counts(rng("residuals").random((50, 9))), rng("normals").standard_normal((50, 5))
    np.testing.assert_array_equal(overheard.select(counts, normals, 9), plain.select(counts, normals, 9))
    np.testing.assert_array_equal(overheard.take(), (counts + 0.8 * 5**0.5 * normals)[None])
    assert overheard.take().size == 0


@pytest.mark.parametrize("rule", ["as published", "corrected"])
def test_the_law_of_the_released_threshold_is_that_of_the_search(rule: str) -> None:
    search = Search(1.0, 4, 1.0, rule=rule)  # type: ignore[arg-type]
    counts = search.counts(np.array([0.1, 0.3, 2.0]))
    law = np.exp(dp_stat._log_law(search, counts, 3))
    assert law.sum() == pytest.approx(1.0)
    runs = 40_000
    gamma = search.select(np.broadcast_to(counts, (runs, 4)), rng("law").standard_normal((runs, 4)), 3)
    seen = np.array([(gamma == each).mean() for each in search.thresholds])
    np.testing.assert_allclose(seen, law, atol=5 * 0.5 / math.sqrt(runs))


@pytest.mark.parametrize("rule", ["as published", "corrected"])
def test_the_released_threshold_tells_less_than_the_counts_and_the_audit_sees_it(rule: str) -> None:
    alpha, delta = 1.0, 1e-3
    attack = dp_stat.released_threshold(alpha, 12, rule, 1.0)  # type: ignore[arg-type]
    exact = attack.exact_epsilon(delta)
    assert exact is not None
    assert 0.0 < exact < tight_epsilon(0.5 / alpha**2, delta)
    found = run(attack, 60_000, rng(f"threshold {rule}"))
    assert found.mu_low(SURE) <= 1.0 / alpha
    assert found.epsilon_low(delta, SURE) <= exact
    # A bound at one threshold of two error rates: it reaches a good part of the exact value.
    assert found.epsilon_low(delta) >= 0.5 * exact


def test_epsilon_of_a_coin_is_that_of_randomised_response() -> None:
    epsilon = dp_stat._epsilon_of(np.array([0.75, 0.25]), np.array([0.25, 0.75]))
    assert epsilon(1e-12) == pytest.approx(math.log(3.0))
    # 0.75 - e^eps 0.25 = 0.25 at e^eps = 2.
    assert epsilon(0.25) == pytest.approx(math.log(2.0))
    assert epsilon(0.5) == 0.0
    one_sided = dp_stat._epsilon_of(np.array([0.9, 0.1]), np.array([0.5, 0.5]))
    assert one_sided(1e-12) == pytest.approx(math.log(5.0))


# DP-SSGD


def test_steps_from_zero_are_those_of_one_run() -> None:
    """The engine's own run over all records moves by the same clipped gradients and the same noise."""
    records, alpha = 7, 0.9
    labels = np.full(records, -dp_ssgd.FAR)
    labels[4] = dp_ssgd.FAR
    found = dp_ssgd.releases(labels[None], alpha, rng("noise"))[0]
    noise = rng("noise").standard_normal((records, 1, 1, 1))
    settings = dp_ftrl.FTRLArms(np.ones(1), np.ones(1), np.full(1, 2.0 * alpha))
    ends = [
        dp_ftrl.single_pass(np.ones((t, 1)), labels[:t, None], settings, np.zeros(1), noise).theta.item()
        for t in range(1, records + 1)
    ]
    np.testing.assert_allclose(found, -np.diff([0.0, *ends]), atol=1e-12)
    np.testing.assert_allclose(found, np.where(labels < 0, 1.0, -1.0) + 2.0 * alpha * noise.ravel(), atol=1e-12)


def test_the_canary_is_in_every_place_equally_often(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[np.ndarray] = []
    genuine = dp_ssgd.releases

    def keep(labels: np.ndarray, alpha: float, rng: np.random.Generator) -> np.ndarray:
        drawn.append(labels > 0)
        return genuine(labels, alpha, rng)

    monkeypatch.setattr(dp_ssgd, "releases", keep)
    runs = 10_000
    dp_ssgd.canary(5, 1.0).simulate(runs, rng("places"))
    first, second = np.concatenate(drawn, axis=1)
    assert first.shape == (runs, 5)
    assert not first.any()
    np.testing.assert_array_equal(second.sum(axis=1), 1)
    np.testing.assert_allclose(second.mean(axis=0), 0.2, atol=5 * 0.4 / math.sqrt(runs))


def test_the_score_is_the_likelihood_ratio_of_two_mixtures() -> None:
    """By densities of each record's release and of each place of the canary."""
    found, alpha = rng("found").normal(1.0, 2.0, size=(3, 4)), 0.8

    def density(z: float, mean: float) -> float:
        return math.exp(-((z - mean) ** 2) / (8.0 * alpha**2))

    for row, score in zip(found, dp_ssgd.likelihood_ratio(found, alpha), strict=True):
        null = math.prod(density(z, 1.0) for z in row)
        alternative = np.mean(
            [math.prod(density(z, -1.0 if place == k else 1.0) for place, z in enumerate(row)) for k in range(4)]
        )
        assert score == pytest.approx(math.log(alternative / null))


@pytest.mark.parametrize(("records", "alpha"), [(1, 1.2), (3, 1.0), (40, 1.5), (10_000, 1.92)])
def test_the_law_of_the_ratio_has_the_moments_of_a_mean_of_lognormals(records: int, alpha: float) -> None:
    values, law = dp_ssgd.ratio_law(records, alpha)
    assert law.sum() == pytest.approx(1.0, abs=1e-9)
    assert law @ values == pytest.approx(1.0, abs=1e-6)
    assert law @ (values - 1.0) ** 2 == pytest.approx(math.expm1(alpha**-2) / records, rel=1e-4)


def test_of_one_record_the_law_gives_the_epsilon_of_a_gaussian_release() -> None:
    epsilon = dp_ssgd._epsilon_of(1, 1.25)
    for delta in (1e-2, 1e-5):
        assert epsilon(delta) == pytest.approx(tight_epsilon(0.5 / 1.25**2, delta), rel=1e-3)


def test_epsilon_among_many_is_that_of_the_mean_of_ratios_by_simulation() -> None:
    records, alpha, delta = 6, 1.0, 0.02
    exact = dp_ssgd.canary(records, alpha).exact_epsilon(delta)
    assert exact is not None
    ratios = np.exp(rng("ratios").standard_normal((200_000, records)) - 0.5).mean(axis=1)
    missing = max(
        np.maximum(ratios - math.exp(exact), 0.0).mean(), np.maximum(1.0 - math.exp(exact) * ratios, 0.0).mean()
    )
    assert missing == pytest.approx(delta, rel=0.05)


def test_the_audit_of_few_records_comes_near_the_exact_epsilon_and_stays_below_the_account() -> None:
    records, alpha, delta = 4, 0.7, 0.05
    attack = dp_ssgd.canary(records, alpha)
    exact = attack.exact_epsilon(delta)
    assert exact is not None
    assert exact <= shuffled_epsilon(alpha, records, delta)
    found = run(attack, 60_000, rng("few"))
    assert found.epsilon_low(delta, SURE) <= exact
    assert found.epsilon_low(delta) >= 0.8 * exact


def test_among_more_records_the_canary_is_hidden_better() -> None:
    exact = [dp_ssgd.canary(records, 1.0).exact_epsilon(1e-4) for records in (2, 20, 2000)]
    assert exact[0] > exact[1] > exact[2] > 0.0  # type: ignore[operator]
    # Among many the ratio is Gaussian, of variance (e^(1/alpha^2) - 1) / N.
    many = tight_epsilon(0.5 * math.expm1(1.0) / 200_000, 1e-6)
    assert dp_ssgd.canary(200_000, 1.0).exact_epsilon(1e-6) == pytest.approx(many, rel=0.05)


def test_few_runs_of_many_records_are_asked_for() -> None:
    """Many runs of many records would take hours."""
    assert dp_ssgd.canary(100_000, 1.0).most_runs == 50
    found = run(dp_ssgd.canary(100_000, 1.3), 400_000, rng("many"))
    assert found.runs == 40
    assert found.epsilon_low(1e-6) == 0.0


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="place='middle'"):
        dp_ambssgd.mini_batch("middle", 1.0, 4)
    with pytest.raises(ValueError, match=r"share=1\.0"):
        dp_ambssgd.adaptive_descent(2, 1.0, 1.0, 4)
    with pytest.raises(ValueError, match=r"alpha=0\.2 at N=2"):
        dp_ssgd.canary(2, 0.2).exact_epsilon(1e-6)
