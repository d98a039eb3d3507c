"""One comparison of all methods on the same data sets, for every experiment of the contest."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from dpdescent.papers.ours.contenders import tuned
from dpdescent.papers.ours.contenders.field import FIELD, SLOW, TUNED
from dpdescent.papers.ours.contest_design import Drawn, Public
from dpdescent.privacy.events import Mechanism


def compare(
    public: Public, arms: dict[str, Any], trials: range, draw: Callable[[int], Drawn],
    noise: Callable[[int, str], np.random.Generator],
) -> Iterator[tuple[str, int, float]]:  # fmt: skip
    """Yields method, trial and excess risk, what takes longest for the first few trials only.

    Args:
        public: what methods may know.
        arms: `few_trials`, and the oracle's `grid`.
        trials: numbers of the trials.
        draw: function from a trial to its data set.
        noise: function from a trial and a method to the stream of its noise.

    Raises:
        ValueError: if the oracle's data sets are cut into several parts.
    """
    if 0 < trials.start < arms["few_trials"]:
        raise ValueError(
            f"trials from {trials.start} on, few_trials={arms['few_trials']}: the oracle's constants are the best over "
            "its data sets, which must be one part; take trials_per_part of few_trials at least"
        )
    drawn = []
    for trial in trials:
        data, few = draw(trial), trial < arms["few_trials"]
        drawn += [(data, noise(trial, TUNED))] * few
        for name, contender in FIELD.items():
            if few or name not in SLOW:
                yield name, trial, data.excess(contender.fit(data.sample, public, noise(trial, name)))
    if drawn:
        excesses = tuned.run(tuned.Grid.of(arms["grid"]), public, drawn)
        yield from zip(itertools.repeat(TUNED), trials, excesses.tolist(), strict=False)


def mechanisms(public: Public, arms: dict[str, Any]) -> Iterator[tuple[str, Mechanism]]:
    """Yields method and privacy event of all that look at records, and of what the oracle tries."""
    for name, contender in FIELD.items():
        if (event := contender.mechanism(public)) is not None:
            yield name, event
    grid = tuned.Grid.of(arms["grid"])
    for steps in grid.steps:
        yield f"{TUNED}, T={steps}", tuned.mechanism(grid, public, steps)
