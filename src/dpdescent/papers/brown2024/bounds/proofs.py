"""Statements of brown2024 that one exact example decides: printed factors, a printed condition, and sensitivity."""

import math
from collections.abc import Iterator

import numpy as np

from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.data.linear import LinearSample
from dpdescent.papers.brown2024.theory import accuracy
from dpdescent.papers.brown2024.theory.no_clipping import CONTRACTION
from dpdescent.replication.judging.bound_rows import row
from dpdescent.replication.judging.evidence import Bound, Evidence

EXACT = "no measurement: measured is exact"
# Dimensions beside m for the printed Frobenius norm, budgets for the printed number of steps, lengths of a record.
DIMENSIONS, BUDGETS, LENGTHS = (10, 100), (1e-1, 1e-3, 1e-6), (1e-1, 1e-3, 1e-6)


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates the rows on App. C.2.2, on Theorem 2.7's logarithm, and on the sensitivity of least squares."""
    yield from _frobenius(int(evidence.settings["m"]))
    yield from _steps(float(evidence.settings["beta"]))
    yield from _sensitivity()


def _frobenius(m: int) -> Iterator[Bound]:
    """Yields the norm of a p by p matrix that is printed with m in the place of p; no constant is hidden in it."""
    for p in DIMENSIONS:
        yield row(
            bound="||D^t||_F, as printed", location="App. C.2.2", setting=f"m={m}, p={p}, t=1, Sigma = I/2, eta = 1/4",
            value=math.sqrt(m) * CONTRACTION, measured=math.sqrt(p) * CONTRACTION**2,
            note=f"{EXACT}, sqrt(p) (7/8)^(2t) in place of sqrt(m) (7/8)^t: a p by p matrix has sqrt(p) times its norm",
        )  # fmt: skip


def _steps(beta: float) -> Iterator[Bound]:
    """Yields T of the theorem at the least n that it asks for, which it allows at every budget."""
    p = 10
    for rho in BUDGETS:
        n = accuracy.theorem_records(p=p, rho=rho, beta=beta)
        steps, setting = accuracy.theorem_steps(n=n, p=p, rho=rho), f"p={p}, rho={rho:g}, beta={beta:g}, c = 1"
        yield row(
            bound="steps of Theorem 2.7 at its least n", location="Thm 2.7", setting=setting, value=0.0, measured=steps,
            direction="at least", note=f"{EXACT}: ln(n rho/p) at n = {n:.4g}, negative where n rho is below p",
        )  # fmt: skip


def _sensitivity() -> Iterator[Bound]:
    """Yields how far one replaced record moves least squares: without bound as the other records get short."""
    for length in LENGTHS:
        found = [linear_least_squares(_two(length, y).gram) for y in (1.0, -1.0)]
        moved = float(np.abs(found[0] - found[1])[0])
        yield row(
            bound="least squares moved by one record of two", location="Sec. 1.3",
            setting=f"p = 1, |x| = {length:g}, |y| = 1", value=1.0 / length, measured=moved, direction="at least",
            note=f"{EXACT}; 1/|x| has no bound as |x| tends to 0; last digits allowed", allowed=1e-9 / length,
        )  # fmt: skip


def _two(length: float, y: float) -> LinearSample:
    """Two records of one covariate, of which the second has the label y."""
    return LinearSample(np.full((2, 1), length), np.array([1.0, y]))
