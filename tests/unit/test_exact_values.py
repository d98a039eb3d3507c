"""Exact values that are no sums: eigenvalues by brute force, neighbours on small grids one by one, and audits."""

import itertools
import math
import random
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from dpdescent import exact_grid, exact_values
from dpdescent.noise import discrete_gaussian
from dpdescent.privacy.audit.attack import SURE, Attack
from dpdescent.privacy.audit.attack import run as audit

Array = np.ndarray
BOUND = 1.7
STRANGE = [math.nan, math.inf, -math.inf, 1e300, -BOUND * (1.0 + 1e-9)]
HADAMARD = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]], dtype=object)


def made(monkeypatch: pytest.MonkeyPatch, *given: Any) -> tuple[int, int, int]:
    """The eigenvalue that is released but for its noise: steps, sd of their noise, and the exponent of a step."""
    found: list[tuple[int, int, int]] = []

    def told(totals: list[int], sds: list[int], exponent: int) -> Array:
        assert all(type(each) is int for each in [*totals, *sds])
        found.append((*totals, *sds, exponent))  # type: ignore[arg-type]
        return np.zeros(1)

    with monkeypatch.context() as context:
        context.setattr(exact_grid, "with_noise", told)
        exact_values.noisy_smallest_eigenvalue(*given)
    return found[0]


def coarse(monkeypatch: pytest.MonkeyPatch, fine: int) -> None:
    monkeypatch.setattr(exact_grid, "MOVED", 1)
    monkeypatch.setattr(exact_grid, "FINE", fine)
    monkeypatch.setattr(exact_values, "STEPS", fine)


# Eigenvalues


@pytest.mark.parametrize("step", [1, 2, 3, 8])
def test_eigenvalues_of_all_small_matrices_are_rounded_down_exactly(step: int) -> None:
    """Of two rows: `k step` is below (t - sqrt(D)) / 2 where D is below the square of `t - 2 k step > 0`."""
    for a, b, c in itertools.product(range(-4, 5), repeat=3):
        trace, root = a + c, (a - c) ** 2 + 4 * b * b

        def below(k: int, trace: int = trace, root: int = root) -> bool:
            return trace - 2 * k * step > 0 and root < (trace - 2 * k * step) ** 2

        expected = next(k for k in range(20, -21, -1) if below(k))
        assert exact_values.smallest_eigenvalue([[a, b], [b, c]], step) == expected


@pytest.mark.parametrize("step", [1, 5, 1 << 70])
@pytest.mark.parametrize("size", [1, 10**6, 10**25])
def test_eigenvalues_that_floats_do_not_hold_are_exact(size: int, step: int) -> None:
    """H diag(d) H' has the eigenvalues 4 d, H being Hadamard's; the smallest of them on a point of the grid or off."""
    for least in (3 * size + 1, 3 * size, -size, 0):
        eigenvalues = [7 * size, least, 10 * size, least + 1]
        matrix = HADAMARD @ np.diag(np.array(eigenvalues, dtype=object)) @ HADAMARD.T
        assert exact_values.smallest_eigenvalue(matrix.tolist(), step) == math.ceil(Fraction(4 * least, step)) - 1


@pytest.mark.parametrize("proposed", [-1e9, -1.0, 0.0, 11.0, 12.0, 3e7])
def test_what_floats_propose_changes_nothing(proposed: float, monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = (HADAMARD @ np.diag(np.array([9, 3, 5, 4], dtype=object)) @ HADAMARD.T).tolist()
    monkeypatch.setattr(np.linalg, "eigvalsh", lambda *_, **__: np.array([proposed]))
    assert exact_values.smallest_eigenvalue(matrix, 1) == 11


def test_positive_definite_is_told_exactly() -> None:
    """Of singular matrices and those beside them, whose minors are far beyond floats."""
    rng = np.random.default_rng(1)
    for p in (1, 2, 5, 8):
        rows = rng.integers(-(10**12), 10**12, (p, p)).astype(object)
        whole = rows @ rows.T
        least = rows[:-1] @ rows[:-1].T if p > 1 else whole
        assert exact_values.is_positive_definite(whole.tolist(), 0)
        assert exact_values.is_positive_definite(least.tolist(), 0)
        # One row less than columns, so that it is singular.
        singular = rows[:, :-1] @ rows[:, :-1].T
        assert not exact_values.is_positive_definite(singular.tolist(), 0)
        assert exact_values.is_positive_definite(singular.tolist(), -1)
        assert not exact_values.is_positive_definite(singular.tolist(), 1)


# What a record moves


@pytest.mark.parametrize("fine", [1, 7])
@pytest.mark.parametrize("rho", [0.05, 4.0, 100.0])
@pytest.mark.parametrize("p", [1, 2])
def test_no_neighbours_are_farther_apart_than_the_account_says(
    p: int, rho: float, fine: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All records on a grid of floats finer than the integers', with steps of one unit and of several."""
    coarse(monkeypatch, fine)
    noise_sd = Fraction(BOUND**2 / math.sqrt(2.0 * rho))
    numbers = np.linspace(-BOUND, BOUND, 19 if p == 2 else 101)
    tried = [np.array(each) for each in itertools.product([*numbers.tolist(), *STRANGE], repeat=p)]
    others = {1: [[[0.3]], [[-1.7], [0.9]]], 2: [[[0.5, 0.5]], [[0.0, 1.7]] * 3, [[1.0, -0.4], [0.6, 1.2]]]}[p]
    moved = 0
    for other in others:
        found: set[int] = set()
        sds: set[tuple[int, int]] = set()
        for record in tried:
            steps, sd, exponent = made(monkeypatch, np.vstack([record, other]), BOUND, noise_sd)
            found.add(steps)
            sds.add((sd, exponent))
        ((sd, exponent),) = sds
        assert float(Fraction(max(found) - min(found), sd) ** 2 / 2) <= rho
        moved = max(moved, max(found) - min(found))
        unit = 2 * exact_grid.of_products(np.vstack([record, other]), BOUND, noise_sd, 2)[0]
        assert exponent > unit or (fine, rho) == (7, 0.05)
    assert moved > 0 or rho == 0.05


@pytest.mark.parametrize("step", [1, 3, 4, 9])
def test_all_pairs_of_whole_records_move_it_by_the_bound_rounded_up(step: int) -> None:
    """Where the bound is a whole number of steps, rounding costs nothing, and what is told is attained."""
    largest, most = 9, 0
    tried = [(a, b) for a, b in itertools.product(range(-3, 4), repeat=2) if a * a + b * b <= largest]
    for a, b, c in itertools.product(range(0, 21, 5), (-3, 0, 4), range(0, 40, 13)):
        found = [
            exact_values.smallest_eigenvalue([[a + x * x, b + x * y], [b + x * y, c + y * y]], step)
            for x, y in tried
            if a * c >= b * b
        ]
        most = max(most, max(found, default=0) - min(found, default=0))
    assert most <= math.ceil(largest / step)
    assert most == math.ceil(largest / step) or step == 4


def test_the_account_is_attained_on_a_fine_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    for p, rho in ((1, 0.5), (2, 0.5), (2, 1e-4)):
        noise_sd = Fraction(BOUND**2 / math.sqrt(2.0 * rho))
        others = np.zeros((999, p))
        others[:, 1:] = 1.0
        (one, sd, _), (two, again, _) = (
            made(monkeypatch, np.vstack([np.eye(p)[:1] * length, others]), BOUND, noise_sd) for length in (0.0, BOUND)
        )
        assert sd == again
        assert 0.999 * rho < ((one - two) / sd) ** 2 / 2 <= rho


@pytest.mark.parametrize("rho", [1e-6, 0.01, 30.0])
@pytest.mark.parametrize("n", [5, 400])
def test_rounding_moves_it_by_less_than_a_hundredth_of_its_noise(
    n: int, rho: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Noise is not made smaller by it, and not larger by more than a thousandth."""
    noise_sd = BOUND**2 / math.sqrt(2.0 * rho)
    rng = np.random.default_rng(3)
    scattered = rng.standard_normal((n, 3))
    for rows in (scattered * (BOUND / np.linalg.norm(scattered, axis=1))[:, None], np.eye(3)[np.arange(n) % 3] / 3.0):
        steps, sd, exponent = made(monkeypatch, rows, BOUND, Fraction(noise_sd))
        exact = np.linalg.eigvalsh(rows.T @ rows)[0]
        assert abs(math.ldexp(steps, exponent) - exact) < 0.01 * noise_sd
        assert noise_sd <= math.ldexp(sd, exponent) < 1.001 * noise_sd


@pytest.mark.parametrize("n", [4, 32, 3000])
@pytest.mark.parametrize("p", [1, 4])
def test_so_does_rounding_of_many_records(p: int, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the number of records, and not the fineness of the noise, decides the spacing, and all lose by it alike."""
    monkeypatch.setattr(exact_grid, "FINE", 1)
    directions = np.ones((1, 1)) if p == 1 else HADAMARD.astype(float) / 2.0
    lost = []
    for tried in range(40):
        noise_sd = BOUND**2 / math.sqrt(2.0 * 0.02 * (1.0 + tried / 10.0))
        rows = directions[np.arange(n) % p] * BOUND * (1.0 - 1e-12)
        steps, _, exponent = made(monkeypatch, rows, BOUND, Fraction(noise_sd))
        lost.append(abs(math.ldexp(steps, exponent) - np.linalg.eigvalsh(rows.T @ rows)[0]) / noise_sd)
    assert max(lost) < 0.01
    assert max(lost) > 0.002 / p


@pytest.mark.parametrize("strange", [*STRANGE, "long"])
def test_what_is_no_record_within_the_bound_counts_as_nothing(strange: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.array([[0.5, -0.25], [1.0, 1.0]])
    odd = [1.3, 1.3] if strange == "long" else [0.1, strange]
    given = (np.vstack([rows, odd]), np.vstack([rows, [0.0, 0.0]]))
    one, two = (made(monkeypatch, each, BOUND, Fraction(1)) for each in given)
    assert one == two
    assert one[0] > 0


def test_it_is_that_of_all_blocks_together(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(2).uniform(-0.9, 0.9, (50, 2))
    whole = made(monkeypatch, rows, BOUND, Fraction(1, 7))

    def blocks(units: Array, *_: Any) -> Any:
        yield units[:20]
        yield units[20:]

    monkeypatch.setattr(exact_grid, "blocks", blocks)
    assert made(monkeypatch, rows, BOUND, Fraction(1, 7)) == whole


def test_an_eigenvalue_at_the_edge_of_64_bits_does_not_wrap(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.tile(np.eye(2) * BOUND, (2048, 1))
    told: list[float] = []

    def halve() -> None:
        for halvings in itertools.count():
            steps, _, exponent = made(monkeypatch, rows, BOUND, Fraction(1, 2**halvings))
            told.append(math.ldexp(steps, exponent))

    with pytest.raises(ValueError, match="too many for exact sums in 64 bits"):
        halve()
    assert len(told) > 5
    assert told == pytest.approx([2048 * BOUND**2] * len(told), rel=1e-3)


# A vector on a grid


def test_a_vector_keeps_its_integers_and_its_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    for noise_sd in (Fraction(1, 10**9), Fraction(3), Fraction(10**12)):
        exponent = exact_values.fine_exponent(noise_sd)
        assert 2.0**-101 < Fraction(2) ** exponent / noise_sd <= Fraction(1, 2**100)
        sds: list[int] = []

        def draw(given: list[int], sds: list[int] = sds) -> list[int]:
            sds[:] = given
            return [0] * len(given)

        with monkeypatch.context() as context:
            context.setattr(discrete_gaussian, "draw", draw)
            found = exact_values.noisy_vector([5, -(10**20), 0], exponent, noise_sd)
        assert found.tolist() == [math.ldexp(each, exponent) for each in (5, -(10**20), 0)]
        assert all(noise_sd <= sd * Fraction(2) ** exponent < noise_sd * (1 + Fraction(1, 10**9)) for sd in sds)
    with pytest.raises(ValueError, match=r"noise_sd=0\.0 must be positive and finite"):
        exact_values.noisy_vector([1], 0, Fraction(0))


# The audits


@pytest.mark.parametrize("what", ["eigenvalue", "vector"])
def test_the_audit_finds_what_the_account_says_and_no_more(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Of a seed, because a test must end alike each time.
    monkeypatch.setattr(discrete_gaussian, "draw", partial(discrete_gaussian.draw, below=random.Random(7).randrange))
    mu, runs = 2.0, 2000
    made: Callable[[int], float]
    if what == "eigenvalue":
        pair = [np.array([[length, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]) for length in (0.0, 1.0)]
        made = lambda side: exact_values.noisy_smallest_eigenvalue(pair[side], 1.0, Fraction(1 / mu))  # noqa: E731
    else:
        made = lambda side: float(exact_values.noisy_vector([side << 70], -70, Fraction(1 / mu))[0])  # noqa: E731

    def simulate(count: int, _: np.random.Generator) -> tuple[Array, Array]:
        return np.array([made(0) for _ in range(count)]), np.array([made(1) for _ in range(count)])

    scores = audit(Attack("", simulate, most_runs=runs), runs, np.random.default_rng(0))
    assert 0.85 * mu < scores.mu_low()
    assert scores.mu_low(SURE) <= mu
