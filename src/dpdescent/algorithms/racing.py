"""Search for the setting with the best mean score over seeds, without running settings that can no longer win."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Number of settings, the best on the first seed, that run on all other seeds at once: their scores exclude others
# early.
LEADERS = 2

# Margin by which a setting must be behind to be excluded, because sums are rounded.
_ROUNDING = 1e-9


def best(settings: int, seeds: int, score: Callable[[int, Sequence[int]], Array], highest: float = 1.0) -> int:
    """Index of the setting with the best mean score over all seeds, the first in a tie.

    A setting is excluded once the highest score on all seeds on which it has not run would leave it behind a setting
    that has run on all. So the result equals that of running every setting on every seed.

    Args:
        settings: number of settings.
        seeds: number of seeds.
        score: function from a seed (0..seeds-1) and some settings to their scores, shape (settings asked for,); a
            setting's score must not depend on the other settings asked for.
        highest: upper bound on all scores.

    Raises:
        ValueError: if there is no setting or seed, or a score is not a number or above the highest.
    """
    return best_of_each(1, settings, seeds, lambda seed, asked: {0: score(seed, asked[0])}, highest)[0]


def best_of_each(
    races: int, settings: int, seeds: int, score: Callable[[int, dict[int, list[int]]], Mapping[int, Array]],
    highest: float = 1.0,
) -> list[int]:  # fmt: skip
    """The best setting of every race, as `best` finds it; all races share one request per seed and phase.

    Args:
        races: number of races.
        settings, seeds, highest: as for `best`, in every race.
        score: function from a seed, and settings per race, to their scores per race.

    Raises:
        ValueError: as for `best`.
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
    """Scores of settings by seed, NaN where a setting has not run."""

    def __init__(self, settings: int, seeds: int, highest: float) -> None:
        self.scores, self.highest = np.full((seeds, settings), np.nan), highest

    def everything(self) -> list[int]:
        return list(range(self.scores.shape[1]))

    def leaders(self) -> list[int]:
        """The settings that are best on the first seed."""
        settings: list[int] = np.argsort(-self.scores[0], kind="stable")[:LEADERS].tolist()
        return settings

    def possible(self) -> list[int]:
        """The settings that may still win."""
        reached = np.nanmax(self.scores.sum(axis=0))
        possible = np.where(np.isnan(self.scores), self.highest, self.scores).sum(axis=0)
        settings: list[int] = np.flatnonzero(possible >= reached - _ROUNDING).tolist()
        return settings

    def new(self, seed: int, asked: Sequence[int]) -> list[int]:
        """The settings among `asked` that have not run on a seed."""
        return [setting for setting in asked if np.isnan(self.scores[seed, setting])]

    def record(self, seed: int, asked: Sequence[int], scores: Array) -> None:
        self.scores[seed, asked] = scores
        if not (self.scores[seed, asked] <= self.highest).all():
            raise ValueError(f"scores {scores} must be numbers of at most {self.highest}")

    def winner(self) -> int:
        return int(np.argmax(np.nan_to_num(self.scores.mean(axis=0), nan=-np.inf)))
