"""How often intervals of `dp_regression` cover, how long they are, and how far estimates are, beside least squares.

    .venv/bin/python tests/regression_coverage.py docs/regression.csv

A cell differs from a middle one in one thing, or in two that are hard together. Intervals are for the coefficients of
the law that records are drawn from. The criterion, written before any run: in no cell that the documentation calls
covered is the mean over coefficients, or the coefficient that is covered least, below 93 % by a bound that holds for
all cells and coefficients together at 95 %. It is for a nominal level of 95 %; for the two cells at others, two points
below theirs, which was written after their run.
"""

import csv
import math
import os
import sys
import warnings
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

# One thread each, because cells are the processes' work.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from scipy.special import ndtri
from scipy.stats import beta

from dpdescent.estimators.dp_regression import dp_regression
from dpdescent.privacy.accounting import tight_rho
from dpdescent.randomness import stream

Array = np.ndarray

RUNS, DELTA, BELOW = 400, 1e-6, 0.02
# Degrees of freedom of heavy tails; share of outliers, and how far they lie above, in sds of the outcome.
FREEDOM, OUTLIERS, FAR = 3, 0.01, 10.0


@dataclass(frozen=True)
class Cell:
    """A law of records, what is told of them, and a budget.

    Attributes:
        n, p: number of records and of covariates, a constant not counted.
        correlation: of every two covariates.
        spread: sds of the covariates run from 1 to this.
        mean: of the covariates, in sds.
        fit: share of the outcome's variance that they explain.
        covariates: normal, heavy (t), binary, rare or skewed (lognormal).
        errors: normal, heavy (t), skewed (exponential), unequal (sd grows with the first covariate) or outliers.
        epsilon: budget at delta = 1e-6.
        units: right, three times too large or too small, or released.
        standard_errors: for unequal variances or for equal ones.
        level: nominal coverage.
    """

    n: int = 10_000
    p: int = 5
    correlation: float = 0.5
    spread: float = 1.0
    mean: float = 0.0
    fit: float = 0.5
    covariates: str = "normal"
    errors: str = "normal"
    epsilon: float = 1.0
    units: str = "right"
    standard_errors: str = "unequal"
    level: float = 0.95


MIDDLE = Cell()
CELLS = [
    MIDDLE, replace(MIDDLE, level=0.8), replace(MIDDLE, level=0.99), replace(MIDDLE, standard_errors="equal"),
    *(replace(MIDDLE, n=n) for n in (1000, 3000, 30_000, 100_000)),
    *(replace(MIDDLE, p=p) for p in (2, 10, 20, 40)),
    *(replace(MIDDLE, correlation=r) for r in (0.0, 0.9, 0.95, 0.99)),
    *(replace(MIDDLE, spread=s, units="released") for s in (1.0, 10.0, 1000.0)),
    *(replace(MIDDLE, units=u) for u in ("3 times too large", "3 times too small")),
    *(replace(MIDDLE, mean=m) for m in (2.0, 5.0)),
    *(replace(MIDDLE, fit=f) for f in (0.05, 0.9, 0.999)),
    *(replace(MIDDLE, covariates=c) for c in ("heavy", "binary", "rare", "skewed")),
    *(replace(MIDDLE, errors=e) for e in ("heavy", "skewed", "unequal", "outliers")),
    *(replace(MIDDLE, epsilon=e) for e in (0.2, 0.5, 3.0, 8.0)),
    # Two things that are hard together.
    replace(MIDDLE, n=3000, p=2, correlation=0.9), replace(MIDDLE, n=100_000, p=40, correlation=0.5),
    replace(MIDDLE, n=100_000, p=10, correlation=0.99), replace(MIDDLE, n=100_000, epsilon=0.2),
    replace(MIDDLE, n=1000, epsilon=8.0), replace(MIDDLE, n=3000, epsilon=3.0, errors="unequal"),
    replace(MIDDLE, n=30_000, p=20, correlation=0.9), replace(MIDDLE, errors="unequal", standard_errors="equal"),
    replace(MIDDLE, errors="unequal", fit=0.05), replace(MIDDLE, covariates="binary", errors="skewed"),
    replace(MIDDLE, covariates="skewed", errors="unequal"), replace(MIDDLE, n=30_000, mean=5.0, units="released"),
    replace(MIDDLE, n=30_000, covariates="rare", units="released"), replace(MIDDLE, n=30_000, errors="skewed"),
    replace(MIDDLE, covariates="heavy", errors="heavy"), replace(MIDDLE, correlation=0.9, units="3 times too large"),
]  # fmt: skip


@dataclass(frozen=True)
class Found:
    """What was found of a cell: shares of intervals that cover, of those that there are, and medians beside OLS."""

    runs: int
    refused: float
    mean_coverage: float
    mean_bound: float
    worst_coverage: float
    worst_bound: float
    length: float
    risk: float
    clipped: float


def meets(cell: Cell, found: Found) -> bool:
    """Whether a cell with intervals meets the criterion."""
    return min(found.mean_bound, found.worst_bound) >= cell.level - BELOW


def drawn(cell: Cell, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Records, outcomes and the coefficients of the law, the constant first."""
    shape = (cell.n, cell.p)
    common = math.sqrt(cell.correlation) * rng.standard_normal((cell.n, 1))
    X = common + math.sqrt(1.0 - cell.correlation) * rng.standard_normal(shape)
    if cell.covariates == "heavy":
        X = X / np.sqrt(rng.chisquare(FREEDOM, (cell.n, 1)) / (FREEDOM - 2.0))
    if cell.covariates in ("binary", "rare"):
        share = 0.5 if cell.covariates == "binary" else 0.05
        X = ((ndtri(share) > X) - share) / math.sqrt(share * (1.0 - share))
    if cell.covariates == "skewed":
        X = (np.exp(X) - math.exp(0.5)) / math.sqrt((math.e - 1.0) * math.e)
    sds = np.geomspace(1.0, cell.spread, cell.p)
    theta = np.where(np.arange(cell.p) % 2, -1.0, 1.0) * (1.0 + np.arange(cell.p)) / cell.p
    between = np.full((cell.p, cell.p), cell.correlation) + (1.0 - cell.correlation) * np.eye(cell.p)
    theta *= math.sqrt(cell.fit / (theta @ between @ theta))
    errors = rng.standard_normal(cell.n)
    if cell.errors == "heavy":
        errors = errors / np.sqrt(rng.chisquare(FREEDOM, cell.n) / (FREEDOM - 2.0))
    if cell.errors == "skewed":
        errors = rng.exponential(size=cell.n) - 1.0
    if cell.errors == "unequal":
        errors = errors * (0.3 + np.abs(X[:, 0]))
    y = X @ theta + math.sqrt(1.0 - cell.fit) * errors
    if cell.errors == "outliers":
        y[: round(OUTLIERS * cell.n)] += FAR
    coefficients = theta / sds
    return (X + cell.mean) * sds, y, np.array([-cell.mean * theta.sum(), *coefficients])


def told(cell: Cell) -> dict[str, Array | float]:
    """What the call says of units; means are not told, so that all columns are off by them."""
    if cell.units == "released":
        return {}
    factor = {"right": 1.0, "3 times too large": 3.0, "3 times too small": 1.0 / 3.0}[cell.units]
    sds = np.geomspace(1.0, cell.spread, cell.p)
    return {"scale": factor * sds * math.hypot(1.0, cell.mean), "outcome_scale": factor}


def measured(cell: Cell, runs: int = RUNS) -> Found:
    """A cell by simulation."""
    rng, quantile = stream(2026, "regression", *map(str, asdict(cell).values())), ndtri(0.5 + cell.level / 2.0)
    hits, lengths, risks, clipped = [], [], [], []
    for _ in range(runs):
        X, y, theta = drawn(cell, rng)
        with warnings.catch_warnings(action="ignore"):
            run = dp_regression(
                X, y, epsilon=cell.epsilon, delta=DELTA, rng=rng, errors=cell.standard_errors, **told(cell)
            )  # fmt: skip
        half = quantile * run.also.get("standard_errors", np.full(cell.p + 1, math.nan))
        hits.append(np.where(np.isnan(half), math.nan, np.abs(run.estimate - theta) <= half))
        design = np.column_stack([np.ones(cell.n), X])
        inverse = np.linalg.inv(design.T @ design)
        ols = inverse @ (design.T @ y)
        scores = design * (y - design @ ols)[:, None]
        lengths.append(half / (quantile * np.sqrt(np.diag(inverse @ (scores.T @ scores) @ inverse))))
        moment = design.T @ design / cell.n
        risks.append([(each - theta) @ moment @ (each - theta) for each in (run.estimate, ols)])
        clipped.append(run.clipped)
    return summed(np.array(hits), np.array(lengths), np.array(risks), np.array(clipped))


def summed(hits: Array, lengths: Array, risks: Array, clipped: Array) -> Found:
    """Shares and bounds; each coefficient by its own number of intervals."""
    there, covered = (~np.isnan(hits)).sum(axis=0), np.nansum(hits, axis=0)
    refused = float(np.isnan(hits).mean())
    ratio = float(np.median(risks[:, 0]) / np.median(risks[:, 1]))
    if not there.min():
        return Found(len(hits), refused, *[math.nan] * 5, ratio, float(clipped.mean()))
    worst = int(np.argmin(covered / there))
    error = 0.05 / (len(CELLS) * (hits.shape[1] + 1))

    def highest(number: float, of: float) -> float:
        return float(beta.ppf(1.0 - error, number + 1, of - number)) if number < of else 1.0

    # The mean by the number of runs, because the coefficients of one are not independent.
    mean = float(covered.sum() / there.sum())
    return Found(
        len(hits), refused, mean, highest(mean * len(hits), len(hits)), float(covered[worst] / there[worst]),
        highest(covered[worst], there[worst]), float(np.nanmedian(lengths)), ratio, float(clipped.mean()),
    )  # fmt: skip


def write(file: Path, cells: Iterable[Cell], runs: int = RUNS) -> None:
    """Measures cells side by side and writes a row of each as it ends."""
    temporary = file.with_suffix(".new")
    with temporary.open("w", encoding="utf-8", newline="") as stream_, ProcessPoolExecutor(2) as pool:
        table = csv.DictWriter(
            stream_, [*asdict(MIDDLE), "information", *Found.__dataclass_fields__], lineterminator="\n"
        )
        table.writeheader()
        cells = list(cells)
        for cell, found in zip(cells, pool.map(measured, cells, [runs] * len(cells)), strict=True):
            information = cell.n * math.sqrt(tight_rho(cell.epsilon, DELTA)) / (cell.p + 1)
            numbers = {
                name: f"{value:.4g}" if isinstance(value, float) else value for name, value in asdict(found).items()
            }
            table.writerow({**asdict(cell), "information": f"{information:.4g}", **numbers})
            stream_.flush()
            print(
                {**{k: v for k, v in asdict(cell).items() if v != getattr(MIDDLE, k)}},
                f"info {information:.0f}",
                numbers,
                flush=True,
            )
    temporary.replace(file)


if __name__ == "__main__":
    write(Path(sys.argv[1]), CELLS, int(sys.argv[2]) if len(sys.argv) > 2 else RUNS)
