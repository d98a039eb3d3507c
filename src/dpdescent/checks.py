"""Checks of arguments that all modules share: values in their range, one value or a list of them.

It imports nothing of the package, because training imports it, and an edit elsewhere must not trigger new training.
"""

from typing import Any


def require_positive(**values: float) -> None:
    """Checks that all values, given by name, are positive.

    Raises:
        ValueError: if a value is not greater than zero (NaN included); infinity is allowed.
    """
    for name, value in values.items():
        if not value > 0:
            raise ValueError(f"{name} must be positive, got {value}")


def require_non_negative(**values: float) -> None:
    """Checks that all values, given by name, are at least zero.

    Raises:
        ValueError: if a value is below zero (NaN included).
    """
    for name, value in values.items():
        if not value >= 0:
            raise ValueError(f"{name} must not be negative, got {value}")


def require_probability(**values: float) -> None:
    """Checks that all values, given by name, are probabilities other than 0 and 1.

    Raises:
        ValueError: unless every value lies strictly between 0 and 1.
    """
    for name, value in values.items():
        if not 0.0 < value < 1.0:
            raise ValueError(f"{name} must lie strictly between 0 and 1, got {value}")


def require_finite_values(**arrays: Any) -> None:
    """Checks that arrays, given by name, have no NaN and no infinity, which some engines would turn into a result.

    Raises:
        ValueError: with the name and the number of such values.
    """
    # Imported here, because Snakemake's start reads this module and needs no numpy.
    import numpy as np

    for name, array in arrays.items():
        if not (finite := np.isfinite(array)).all():
            count = int(finite.size - finite.sum())
            raise ValueError(f"{name} has {count} values that are not finite: mend or drop such records beforehand")


def as_list(value: Any) -> list[Any]:
    """Returns a list unchanged, and any other value as a list with one element."""
    return value if isinstance(value, list) else [value]
