"""Checks of arguments: ranges, and one value as a list of one."""

import math

import pytest

from dpdescent.checks import as_list, require_non_negative, require_positive, require_probability


@pytest.mark.parametrize("value", [-1.0, -math.inf, math.nan])
def test_checks_name_the_argument_and_its_value(value: float) -> None:
    with pytest.raises(ValueError, match=rf"gamma must be positive, got {value}"):
        require_positive(n=1, gamma=value)
    with pytest.raises(ValueError, match=rf"gamma must not be negative, got {value}"):
        require_non_negative(n=0, gamma=value)


def test_zero_and_infinity() -> None:
    with pytest.raises(ValueError, match="n must be positive, got 0"):
        require_positive(n=0)
    require_non_negative(n=0, rho=math.inf)
    require_positive(rho=math.inf)


@pytest.mark.parametrize("value", [0.0, 1.0, -0.1, 1.1, math.nan])
def test_probability_lies_strictly_between_zero_and_one(value: float) -> None:
    require_probability(alpha=1e-300, beta=1 - 1e-16)
    with pytest.raises(ValueError, match=f"beta must lie strictly between 0 and 1, got {value}"):
        require_probability(alpha=0.5, beta=value)


def test_one_value_is_a_list_of_one() -> None:
    assert as_list(3) == [3]
    assert as_list([3, 4]) == [3, 4]
    assert as_list("ab") == ["ab"]
