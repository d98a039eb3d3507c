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


@pytest.mark.parametrize("bad", [np.nan, 1.5])
def test_scores_that_would_mislead_are_refused(bad):
    with pytest.raises(ValueError, match="must be numbers of at most"):
        racing.best(2, 1, lambda seed, asked: np.array([0.5, bad]))
    with pytest.raises(ValueError, match="give one of each at least"):
        racing.best(0, 1, lambda seed, asked: np.zeros(0))
