"""Discrete Gaussian noise against exact probabilities: every path of the sampler is followed, with its probability."""

import inspect
import math
import random
import secrets
from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest

from dpdescent.noise import discrete_gaussian


class Undecided(Exception):
    """A draw that a path has not decided yet, with the probabilities of its outcomes."""

    def __init__(self, outcomes: dict[Any, Any]) -> None:
        self.outcomes = outcomes


def paths(function: Callable[[Callable[[dict[Any, Any]], Any]], Any], least: Any) -> Iterator[tuple[Any, Any]]:
    """All results of a function of random choices with the probabilities of their paths, down to the least one."""
    waiting: list[tuple[list[Any], Any]] = [([], 1)]
    while waiting:
        taken, probability = waiting.pop()
        left = list(taken)

        def choose(outcomes: dict[Any, Any], left: list[Any] = left) -> Any:
            if not left:
                raise Undecided(outcomes)
            return left.pop(0)

        try:
            yield function(choose), probability
        except Undecided as choice:
            for outcome, part in choice.outcomes.items():
                if probability * part > least:
                    waiting.append(([*taken, outcome], probability * part))


class Uniform:
    """A uniform integer below a size, of which only whether it is below another number is ever asked."""

    def __init__(self, size: int, choose: Callable[[dict[Any, Any]], Any]) -> None:
        self.size, self.choose = size, choose

    def __lt__(self, number: int) -> bool:
        part = min(Fraction(number, self.size), Fraction(1))
        return bool(self.choose({True: part, False: 1 - part}))


@pytest.mark.parametrize(("a", "b"), [(0, 1), (1, 1), (1, 2), (2, 3), (7, 8), (1, 1000), (3, 2), (2, 1), (7, 3)])
def test_events_have_the_probability_of_the_exponential(a: int, b: int) -> None:
    def event(choose: Any) -> bool:
        return discrete_gaussian.decays(a, b, lambda size: Uniform(size, choose))  # type: ignore[arg-type, return-value]

    found = {True: Fraction(0), False: Fraction(0)}
    for result, probability in paths(event, Fraction(1, 10**22)):
        found[result] += probability
    left = 1 - found[True] - found[False]
    with localcontext() as context:
        context.prec = 40
        exact = Fraction((Decimal(-a) / Decimal(b)).exp())
    slack = Fraction(1, 10**30)
    assert 0 <= left < Fraction(1, 10**18)
    assert found[True] - slack <= exact <= found[True] + left + slack


@pytest.mark.parametrize("sd", [1, 2, 3, 5])
def test_an_attempt_has_the_law(sd: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With events of exactly the probability that the other test shows."""

    def attempt(choose: Any) -> int | None:
        def decays(a: int, b: int, _: Any) -> bool:
            part = math.exp(-a / b)
            return bool(choose({True: part, False: 1.0 - part}))

        monkeypatch.setattr(discrete_gaussian, "decays", decays)
        return discrete_gaussian.attempt(sd, lambda size: choose(dict.fromkeys(range(size), 1.0 / size)))

    found: dict[int | None, float] = {}
    for value, probability in paths(attempt, 1e-13):
        found[value] = found.get(value, 0.0) + probability
    assert sum(found.values()) == pytest.approx(1.0, abs=1e-9)
    # Or the sampler would take long.
    assert 0.25 < 1.0 - found.pop(None) < 1.0
    assert min(found) == -max(found) < -5 * sd
    for value, probability in found.items():
        assert probability == pytest.approx(found[0] * math.exp(-(value**2) / (2 * sd**2)), rel=1e-9, abs=1e-10), value


def test_draws_are_tried_until_they_are_made() -> None:
    """Frequencies with seeded bits, by their exact probabilities."""
    n, sd = 20_000, 2
    draws = discrete_gaussian.draw([sd] * n, random.Random(5).randrange)
    mass = sum(math.exp(-(y**2) / (2 * sd**2)) for y in range(-40, 41))
    for value in range(-6, 7):
        chance = math.exp(-(value**2) / (2 * sd**2)) / mass
        assert abs(draws.count(value) - n * chance) < 5.0 * math.sqrt(n * chance), value


def test_large_sds_need_no_room() -> None:
    sd = 3 * 2**70
    draws = discrete_gaussian.draw([sd] * 500, random.Random(5).randrange)
    assert math.sqrt(sum((each / sd) ** 2 for each in draws) / 500) == pytest.approx(1.0, abs=0.2)
    assert len({each % 1024 for each in draws}) > 300


def test_bits_are_the_operating_system_s() -> None:
    assert inspect.signature(discrete_gaussian.draw).parameters["below"].default is secrets.randbelow
    assert discrete_gaussian.draw([2**60] * 3) != discrete_gaussian.draw([2**60] * 3)


@pytest.mark.parametrize("sd", [0, -1, 1.5, math.inf])
def test_other_parameters_are_refused(sd: Any) -> None:
    with pytest.raises(ValueError, match="must be a positive integer"):
        discrete_gaussian.draw([sd])
