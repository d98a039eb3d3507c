"""Racing against running everything."""

import numpy as np
import pytest

from dpdescent.algorithms import racing


@pytest.mark.parametrize("seeds", [1, 2, 3, 8])
@pytest.mark.parametrize("coarse", [False, True])
def test_the_best_is_that_of_running_everything_in_fewer_runs(seeds, coarse):
    """Coarse scores have ties, of which the first setting wins."""
    rng, spared = np.random.default_rng(seeds), 0
    for _ in range(300):
        scores = np.minimum(rng.uniform(0.1, 1.0, 9) + rng.normal(0.0, 0.1, (seeds, 9)), 1.0)
        scores = np.round(scores, 1) if coarse else scores
        runs = []

        def score(seed, asked, scores=scores, runs=runs):
            runs.extend((seed, setting) for setting in asked)
            return scores[seed, asked]

        assert racing.best(9, seeds, score) == int(np.argmax(np.mean(list(scores), axis=0)))
        assert len(set(runs)) == len(runs)
        spared += seeds * 9 - len(runs)
    assert (spared > 0) == (seeds > 1)


def test_races_that_are_run_together_end_as_each_alone_and_ask_for_no_more():
    rng, seeds = np.random.default_rng(3), 4
    scores = np.minimum(rng.uniform(0.1, 1.0, 9) + rng.normal(0.0, 0.1, (5, seeds, 9)), 1.0)
    alone, together, calls = [], [], []
    for race in range(5):

        def score(seed, asked, race=race):
            alone.extend((race, seed, setting) for setting in asked)
            return scores[race, seed, asked]

        racing.best(9, seeds, score)

    def joint(seed, asked):
        calls.append(seed)
        together.extend((race, seed, setting) for race, settings in asked.items() for setting in settings)
        return {race: scores[race, seed, settings] for race, settings in asked.items()}

    found = racing.best_of_each(5, 9, seeds, joint)
    assert found == np.argmax(scores.mean(axis=1), axis=1).tolist()
    assert sorted(together) == sorted(alone)
    assert len(calls) <= 1 + 2 * (seeds - 1)


@pytest.mark.parametrize("bad", [np.nan, 1.5])
def test_scores_that_would_mislead_are_refused(bad):
    with pytest.raises(ValueError, match="must be numbers of at most"):
        racing.best(2, 1, lambda seed, asked: np.array([0.5, bad]))
    with pytest.raises(ValueError, match="give one of each at least"):
        racing.best(0, 1, lambda seed, asked: np.zeros(0))
