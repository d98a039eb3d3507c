"""Code that is shared by runs on real images: images as columns, and learning rates tuned on held-out images.

Papers make these runs on request. Learning rates come from a table of their own, whose runs were trained on the first
part of the training images and tested on the rest, never on test images.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdescent.models import image_columns
from dpdescent.models.image_columns import Columns
from dpdescent.replication.build.files import read_rows

Array = NDArray[np.float64]
Spec = dict[str, Any]
# The number of an arm among the others, and a learning rate.
ArmAndRate = tuple[int, float]

CLASSES = 10
CACHE = Path("build/downloads/kept")
ACCURACY, HELD_OUT = "test accuracy", "held-out accuracy"
TUNED_ON = (
    "no guarantee as it stands, because rates were tuned on part of the same training images, without account; at a "
    "rate given beforehand a run would be private by this argument"
)
# Learning rates to which a search may go on.
LADDER = [float(f"{digit}e{power}") for power in range(-4, 4) for digit in (1, 2, 5)]


@dataclass(frozen=True)
class Images:
    """Images to train on and to test on, as columns."""

    training: Columns
    test: Columns


def first_images(spec: Spec) -> Images:
    """Returns the first `records` training images, to train on, and the first `tested` test images."""
    place, settings = _place(spec), spec["settings"]
    tested = image_columns.test_columns(*place, settings["tested"], CACHE)
    return Images(image_columns.training_columns(*place, settings["records"], CACHE), tested)


def held_out(spec: Spec) -> Images:
    """Returns the same training images, of which the last `held_out` are to test on; no test image is touched."""
    records, left = spec["settings"]["records"], spec["settings"]["held_out"]
    found = image_columns.training_columns(*_place(spec), records, CACHE)
    return Images(found.rows(0, records - left), found.rows(records - left, records))


def _place(spec: Spec) -> tuple[str, str, str]:
    settings = spec["settings"]
    return settings["source"], settings["features"], settings["images_folder"]


def until_bracketed(
    first: Sequence[float], arms: int, score: Callable[[Sequence[ArmAndRate]], Array]
) -> dict[ArmAndRate, Array]:  # fmt: skip
    """Returns the scores of every arm at the first rates, and at further ones until its best rate lies between others.

    Further rates are the neighbours of an arm's best one in the sequence 1, 2, 5, 10, ..., whose ends end the search.

    Args:
        first: rates at which all arms are tried; they are members of that sequence.
        arms: number of arms.
        score: function from arms with rates to their scores, shape (given arms, seeds); the best mean wins.

    Raises:
        ValueError: if a rate is not in the sequence.
    """
    if unknown := [rate for rate in first if rate not in LADDER]:
        raise ValueError(f"rates={unknown} are not among 1, 2 and 5 times powers of ten, from which a search goes on")
    found: dict[ArmAndRate, Array] = {}
    asked = [(arm, rate) for arm in range(arms) for rate in first]
    while asked:
        found.update(zip(asked, score(asked), strict=True))
        near = [(arm, rate) for arm in range(arms) for rate in _beside_the_best(found, arm)]
        asked = [each for each in near if each not in found]
    return found


def _beside_the_best(found: Mapping[ArmAndRate, Array], arm: int) -> list[float]:
    means = {rate: float(scores.mean()) for (other, rate), scores in found.items() if other == arm}
    at = LADDER.index(best_of(means))
    return LADDER[max(at - 1, 0) : at + 2]


def best_of(scores: Mapping[float, float]) -> float:
    """Returns the rate of the best score, and the largest rate where scores are equal.

    Small rates give a linear model that differs in its size alone, and hence equal accuracies: the smallest would be at
    an end of any window.
    """
    return max(sorted(scores, reverse=True), key=lambda rate: scores[rate])


@dataclass(frozen=True)
class TunedRates:
    """Learning rates by the name of a run and epsilon, each the best on held-out images."""

    rates: dict[tuple[str, float], float]

    @classmethod
    def read(
        cls, spec: Spec, table: str, name_of: Callable[[Mapping[str, str]], str | None], rate: str = "learning_rate"
    ) -> "TunedRates":
        """Reads the best rates from a table of held-out accuracies.

        Args:
            spec: the part, whose setting `bracketed` says whether a best rate may be at an end.
            table: name of the artefact that has them.
            name_of: name of a row's run; None for rows that do not count.
            rate: the column of rates.

        Raises:
            ValueError: if a best rate is at an end of the rates that were tried, because a better one may lie beyond;
                not where the setting `bracketed` is off.
        """
        scores: dict[tuple[str, float], dict[float, float]] = {}
        for row in read_rows(spec["tables"][table]):
            if row["series"] == HELD_OUT and (name := name_of(row)) is not None:
                scores.setdefault((name, float(row["eps"])), {})[float(row[rate])] = float(row["mean"])
        ends = not spec["settings"]["bracketed"]
        return cls({place: _best(place, found, ends) for place, found in scores.items()})

    def rate(self, name: str, eps: float) -> float:
        """Returns the rate of the tuned epsilon that is nearest on a logarithmic axis.

        Raises:
            ValueError: if no run of that name was tuned.
        """
        if not (budgets := [tuned for tuned_name, tuned in self.rates if tuned_name == name]):
            raise ValueError(f"{name!r} has no learning rate in the table of rates; tune it there")
        return self.rates[name, min(budgets, key=lambda tuned: abs(math.log(tuned / eps)))]


def _best(place: tuple[str, float], scores: dict[float, float], ends: bool) -> float:
    best = best_of(scores)
    if not ends and best in (min(scores), max(scores)):
        raise ValueError(f"{place[0]} at eps={place[1]:g}: the best learning rate, {best:g}, is at an end of those "
                         f"that were tried, {sorted(scores)}; try more in the table of rates")  # fmt: skip
    return best
