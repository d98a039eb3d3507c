"""The hyperbolic tangent from a table against numpy's, on processors of either kind."""

import numpy as np
import pytest

from dpdescent.models import activation


@pytest.fixture(params=[True, False])
def vectorised(request, monkeypatch):
    monkeypatch.setattr(activation, "VECTORISED", request.param)


def test_values_are_those_of_numpy_to_a_few_units_in_the_last_place(vectorised):
    rng = np.random.default_rng(0)
    x = np.concatenate([scale * rng.standard_normal(20_000) for scale in (1e-300, 1e-9, 1e-4, 1e-3, 0.1, 1, 3, 10)])
    x = np.concatenate([x, np.arange(-3, 3, 1 / 8192), np.nextafter(np.arange(-3, 3, 1 / 8192), 9)])
    expected = np.tanh(x)
    given = x.copy().reshape(2, -1)
    found = activation.tanh(given)
    assert found is given
    assert (np.abs(found.ravel() - expected) <= 4 * np.spacing(np.abs(expected))).all()


@pytest.mark.filterwarnings("error")
def test_ends_signs_and_what_is_no_number(vectorised):
    found = activation.tanh(np.array([0.0, -0.0, np.inf, -np.inf, 1e300, -25.0, 5e-324, np.nan]))
    np.testing.assert_array_equal(found, [0.0, -0.0, 1.0, -1.0, 1.0, -1.0, 5e-324, np.nan])


def test_a_value_does_not_depend_on_its_neighbours(vectorised):
    x = np.random.default_rng(1).standard_normal(1001)
    whole = activation.tanh(x.copy())
    np.testing.assert_array_equal(
        np.concatenate([activation.tanh(x[i : i + 7].copy()) for i in range(0, 1001, 7)]), whole
    )
