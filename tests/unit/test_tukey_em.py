"""TukeyEM: its depth, check, draw and guarantee against slow twins, and a number that its authors print."""

import math

import numpy as np
import pytest

from dpdescent.baselines import tukey_em
from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.data.linear import LinearSample

# The authors' synthetic data, as their public script makes them: ten standard normal covariates with coefficients
# uniform in [0, 100], label noise of sd 10, a column of ones; n, m, epsilon and delta as there. Their table of data sets
# gives the median R^2 of the records at hand as .997 for TukeyEM and .997 for least squares.
N, COVARIATES, LARGEST_COEFFICIENT, NOISE = 22_000, 10, 100.0, 10.0
PRINTED = tukey_em.Settings(tukey_em.AUTHORS, math.log(3.0), 1e-5)
R2, DATA_SETS = 0.997, 21


def authors_records(rng: np.random.Generator) -> LinearSample:
    X = rng.standard_normal((N, COVARIATES))
    y = X @ rng.uniform(0.0, LARGEST_COEFFICIENT, COVARIATES) + NOISE * rng.standard_normal(N)
    return LinearSample(np.column_stack([X, np.ones(N)]), y)


def r_squared(sample: LinearSample, theta: np.ndarray) -> float:
    return float(1.0 - np.sum((sample.y - sample.X @ theta) ** 2) / np.sum((sample.y - sample.y.mean()) ** 2))


@pytest.mark.slow
def test_the_authors_number_is_reached_at_their_setting() -> None:
    """Written before a run: both medians over data sets print as .997, and nobody could tell the two on any data set.

    Their number is for one draw of coefficients, which moves it by about .001, hence medians over draws; and for an
    epsilon under their relation, where ours under replace-one is the stricter one, hence a number that may only be
    harder to reach.
    """
    rng = np.random.default_rng(220807353)
    found = []
    for _ in range(DATA_SETS):
        sample = authors_records(rng)
        thetas = tukey_em.fit(sample, PRINTED, rng), linear_least_squares(sample.gram)
        found.append([r_squared(sample, theta) for theta in thetas])
    private, plain = np.array(found).T
    assert np.round(np.median(private), 3) == np.round(np.median(plain), 3) == R2
    assert np.max(plain - private) < 0.0005
