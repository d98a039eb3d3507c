"""Chooses the setting of the best mean score over seeds without running those that cannot win any more."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Settings, the best on the first seed, that run on all others at once: what they reach excludes others early.
LEADERS = 2

# Margin by which a setting must be behind to be left out, because sums are rounded.
_ROUNDING = 1e-9


def best(settings: int, seeds: int, score: Callable[[int, Sequence[int]], Array], highest: float = 1.0) -> int:
    """Index of the setting of the best mean score over all seeds, the first of equally good ones.

    A setting is left out once the highest score on all seeds that it has not run on would leave it behind one that has
    run on all. So the answer is that of running every setting on every seed.

    Args:
        settings: number of settings.
        seeds: number of seeds.
        score: function from a seed (0..seeds-1) and some settings to their scores, shape (settings asked for,); a
            setting's score must not depend on the others that are asked for.
        highest: no score is above it.

    Raises:
        ValueError: if there is no setting or seed, or a score is not a number or above the highest.
    """
    if settings < 1 or seeds < 1:
        raise ValueError(f"settings={settings}, seeds={seeds}: give one of each at least")
    scores = np.full((seeds, settings), np.nan)

    def run(seed: int, asked: Sequence[int]) -> None:
        new = [setting for setting in asked if np.isnan(scores[seed, setting])]
        if new:
            scores[seed, new] = score(seed, new)
            if not (scores[seed, new] <= highest).all():
                raise ValueError(f"scores {scores[seed, new]} must be numbers of at most {highest}")

    run(0, range(settings))
    leaders = np.argsort(-scores[0], kind="stable")[:LEADERS].tolist()
    for seed in range(1, seeds):
        run(seed, leaders)
    for seed in range(1, seeds):
        reached = np.nanmax(scores.sum(axis=0))
        possible = np.where(np.isnan(scores), highest, scores).sum(axis=0)
        run(seed, np.flatnonzero(possible >= reached - _ROUNDING).tolist())
    return int(np.argmax(np.nan_to_num(scores.mean(axis=0), nan=-np.inf)))
