"""Chooses the setting of the best mean score over seeds without running those that cannot win any more."""

from collections.abc import Callable, Mapping, Sequence

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
    return best_of_each(1, settings, seeds, lambda seed, asked: {0: score(seed, asked[0])}, highest)[0]


def best_of_each(
    races: int, settings: int, seeds: int, score: Callable[[int, dict[int, list[int]]], Mapping[int, Array]],
    highest: float = 1.0,
) -> list[int]:  # fmt: skip
    """The best setting of every race, as `best` tells it; what races ask of a seed at a time is asked together.

    Args:
        races: number of races.
        settings, seeds, highest: as for `best`, in every race.
        score: function from a seed and some settings by race to their scores by race.

    Raises:
        ValueError: as `best` does.
    """
    if settings < 1 or seeds < 1:
        raise ValueError(f"settings={settings}, seeds={seeds}: give one of each at least")
    running = [_Race(settings, seeds, highest) for _ in range(races)]
    for ask in (_Race.everything, _Race.leaders, _Race.possible):
        for seed in range(1) if ask is _Race.everything else range(1, seeds):
            asked = {index: new for index, race in enumerate(running) if (new := race.new(seed, ask(race)))}
            for index, scores in (score(seed, asked) if asked else {}).items():
                running[index].record(seed, asked[index], scores)
    return [race.winner() for race in running]


class _Race:
    """Scores of settings by seed, NaN where one has not run."""

    def __init__(self, settings: int, seeds: int, highest: float) -> None:
        self.scores, self.highest = np.full((seeds, settings), np.nan), highest

    def everything(self) -> list[int]:
        return list(range(self.scores.shape[1]))

    def leaders(self) -> list[int]:
        """The settings that are best on the first seed."""
        found: list[int] = np.argsort(-self.scores[0], kind="stable")[:LEADERS].tolist()
        return found

    def possible(self) -> list[int]:
        """The settings that may still win."""
        reached = np.nanmax(self.scores.sum(axis=0))
        possible = np.where(np.isnan(self.scores), self.highest, self.scores).sum(axis=0)
        found: list[int] = np.flatnonzero(possible >= reached - _ROUNDING).tolist()
        return found

    def new(self, seed: int, asked: Sequence[int]) -> list[int]:
        """Those of some settings that have not run on a seed."""
        return [setting for setting in asked if np.isnan(self.scores[seed, setting])]

    def record(self, seed: int, asked: Sequence[int], scores: Array) -> None:
        self.scores[seed, asked] = scores
        if not (self.scores[seed, asked] <= self.highest).all():
            raise ValueError(f"scores {scores} must be numbers of at most {self.highest}")

    def winner(self) -> int:
        return int(np.argmax(np.nan_to_num(self.scores.mean(axis=0), nan=-np.inf)))
