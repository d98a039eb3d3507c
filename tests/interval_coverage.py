"""How often 95 % intervals from paths of DP-GD cover, apart for runs that are warned of and that are not.

    .venv/bin/python tests/interval_coverage.py docs/intervals.csv

A cell is a design of two regressors and a setting of DP-GD. Without clipping the path has an exact law: it gives the
coverage of all runs, and paths that are drawn from it those of the warned and the unwarned. With clipping runs are
simulated. Coverage is that of the coordinate that is covered least.
"""

import csv
import itertools
import math
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.stats import beta

from dpdescent import mixing
from dpdescent.algorithms import dp_gd as engine
from dpdescent.algorithms.gaussian_law import IterateLaw, coverages
from dpdescent.data.linear import LinearSample
from dpdescent.interval_arithmetic import batched_means, spacing, t_intervals
from dpdescent.privacy import zcdp
from dpdescent.privacy.accounting import tight_rho
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.randomness import stream

Array = np.ndarray

M, BURN_IN, LEVEL, LOWEST = 10, 20, 0.95, 0.93
RUNS, N, CLIPPED_N = 1000, 5000, 1000
RHO = tight_rho(1.0, 1e-6)
GAMMA = 5.0
CORRELATIONS, SCALES, MEANS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.99), (1.0, 10.0, 100.0), (0.0, 1.0, 5.0)
# Step sizes as a share of the largest that is stable.
ETAS, STEPS = (0.25, 0.1, 0.01), (100, 220, 1000, 5000)


@dataclass(frozen=True)
class Cell:
    """A design and a setting: correlation, sd of the second regressor, mean of both over their sd, step, steps."""

    correlation: float
    scale: float
    mean: float
    eta: float
    steps: int
    clipping: str = "none"


@dataclass(frozen=True)
class Found:
    """What was found of a cell; numbers of covering runs are those of the coordinate that is covered least."""

    times: float
    exact: float
    runs: int
    unwarned: int
    covered: int
    warned_covered: int


GRID = [Cell(*each) for each in itertools.product(CORRELATIONS, SCALES, MEANS, ETAS, STEPS)]
CLIPPING = [
    Cell(r, 1.0, 0.0, eta, steps, errors)
    for r, eta, steps, errors in itertools.product(
        (0.0, 0.5, 0.9), (0.25, 1.5), (220, 1000), ("normal errors", "exponential errors")
    )
]


def moments(cell: Cell) -> tuple[Array, Array]:
    """E[xx'] and the coefficients, which are along the slow direction of two correlated regressors."""
    sd = np.array([1.0, cell.scale])
    covariance = np.array([[1.0, cell.correlation], [cell.correlation, 1.0]]) + cell.mean**2
    return covariance * np.outer(sd, sd), np.array([1.0, -1.0]) / sd


def setting(cell: Cell, moment: Array, theta: Array, n: int) -> tuple[float, float, float]:
    """Step size, threshold and noise, by the advice of `dpdescent estimate` with true values for guesses."""
    gamma = GAMMA * math.sqrt(np.trace(moment)) * math.sqrt(theta @ moment @ theta + 1.0)
    eta = cell.eta * 2.0 / float(np.linalg.eigvalsh(moment)[-1])
    return eta, gamma, zcdp.gaussian_noise_sd(mean_sensitivity(gamma, n), RHO, cell.steps)


def without_clipping(cell: Cell, runs: int) -> Found:
    """A cell by the exact law of its path."""
    moment, theta = moments(cell)
    eta, _, noise_sd = setting(cell, moment, theta, N)
    law = IterateLaw(theta, np.zeros(2), eta, noise_sd, *np.linalg.eigh(moment))
    exact = float(coverages(law.estimates("batched means", cell.steps, M, BURN_IN), LEVEL).min())
    path = law.simulate(cell.steps, runs, stream(1, "intervals", *map(str, asdict(cell).values())))
    slow = float(1.0 - np.abs(law.contraction).max())
    return judged(path, theta, spacing(cell.steps, M, BURN_IN) * slow, exact)


def with_clipping(cell: Cell, runs: int, datasets: int = 10) -> Found:
    """A cell by simulation, on several data sets; what intervals are for is least squares."""
    rng, found = stream(1, "intervals", *map(str, asdict(cell).values())), []
    moment, theta = moments(cell)
    eta, gamma, noise_sd = setting(cell, moment, theta, CLIPPED_N)
    each = runs // datasets
    arms = engine.DPGDArms(cell.steps, np.full(each, eta), np.full(each, gamma), np.full((cell.steps, each), noise_sd))
    for _ in range(datasets):
        X = rng.standard_normal((CLIPPED_N, 2)) @ np.linalg.cholesky(moment).T
        errors = (
            rng.exponential(size=CLIPPED_N) - 1.0 if "exponential" in cell.clipping else rng.standard_normal(CLIPPED_N)
        )
        sample = LinearSample(X, X @ theta + errors)
        out = engine.descend([sample], arms, rng.standard_normal((cell.steps, 1, each, 2)), record=True)
        assert out.path is not None
        found.append(judged(out.path[:, 0], np.linalg.lstsq(X, sample.y, rcond=None)[0], math.nan, math.nan))
    sums = {
        name: sum(getattr(one, name) for one in found) for name in ("runs", "unwarned", "covered", "warned_covered")
    }
    return Found(math.nan, math.nan, **sums)


def judged(path: Array, target: Array, times: float, exact: float) -> Found:
    covers = t_intervals(batched_means(path, M, BURN_IN), LEVEL).covers(target)
    calm = mixing.mixed(path, M, BURN_IN)
    counts = (int(covers[which].sum(axis=0).min()) for which in (calm, ~calm))
    return Found(times, exact, len(calm), int(calm.sum()), *counts)


def measured(cells: Iterable[Cell], runs: int = RUNS) -> Iterator[tuple[Cell, Found]]:
    for cell in cells:
        yield cell, (without_clipping if cell.clipping == "none" else with_clipping)(cell, runs)


def highest(found: Found, cells: int) -> float:
    """Upper end of a one-sided bound on the coverage of unwarned runs, which holds for all cells together at 95 %.

    Two coordinates a cell, because the one that is covered least was picked.
    """
    return (
        float(beta.ppf(1.0 - 0.05 / (2 * cells), found.covered + 1, found.unwarned - found.covered))
        if (found.covered < found.unwarned)
        else 1.0
    )


def main() -> None:
    table = list(measured([*GRID, *CLIPPING]))
    told = sum(found.unwarned > 0 for _, found in table)
    with Path(sys.argv[1]).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*Cell.__dataclass_fields__, "correlation_times", "exact_coverage", "runs", "unwarned",
                         "unwarned_coverage", "unwarned_bound", "warned_coverage"])  # fmt: skip
        for cell, found in table:
            warned = found.runs - found.unwarned
            shares = (
                found.covered / found.unwarned if found.unwarned else math.nan,
                highest(found, told) if found.unwarned else math.nan,
                found.warned_covered / warned if warned else math.nan,
            )
            texts = ["" if math.isnan(each) else f"{each:.4g}" for each in (found.times, found.exact, *shares)]
            writer.writerow([*asdict(cell).values(), *texts[:2], found.runs, found.unwarned, *texts[2:]])


if __name__ == "__main__":
    main()
