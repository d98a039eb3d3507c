"""Checks of arguments: ranges, and one value as a list of one."""

import math
from typing import Any

import numpy as np
import pytest

from dpdescent.checks import (
    as_list,
    require_non_negative,
    require_positive,
    require_probability,
    require_real,
    require_real_or_none,
    require_whole,
)


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


@pytest.mark.parametrize("value", [6.5, 6.0, True, "6", None, math.nan, 1j, np.array(6), np.float64(6.0)])
def test_a_whole_number_is_an_integer(value: Any) -> None:
    require_whole(n=3, m=np.int64(4), k=np.uint8(1))
    with pytest.raises(ValueError, match="steps must be a whole number, got") as raised:
        require_whole(n=3, steps=value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("value", [True, "0.5", 1j, np.ones(3), [1.0]])
def test_a_real_number_is_a_single_one(value: Any) -> None:
    require_real(a=0.5, b=np.float32(1.0), c=3, d=math.inf)
    require_real_or_none(a=None, b=0.5)
    for check in (require_real, require_real_or_none):
        with pytest.raises(ValueError, match="eta must be a real number, got") as raised:
            check(a=0.5, eta=value)
        assert "\n" not in str(raised.value)
    with pytest.raises(ValueError, match="eta must be a real number, got None"):
        require_real(eta=None)
