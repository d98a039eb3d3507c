"""Checks of arguments that all modules share: values in their range, one value or a list of them.

The module imports nothing of the package, because training imports it, and an edit elsewhere must not trigger new
training.
"""

import difflib
import math
import numbers
from typing import Any, get_args

# Names of the same things in other libraries of the field.
_ALSO_CALLED = {
    "substitute": "replace-one", "substitution": "replace-one", "swap": "replace-one", "bounded": "replace-one",
    "add or remove": "add-remove", "add-or-remove-one": "add-remove", "unbounded": "add-remove",
    "replace-special": "zero-out", "without replacement": "fixed size",
}  # fmt: skip


def require_positive(**values: float) -> None:
    """Checks that all values, given by name, are positive.

    Raises:
        ValueError: if a value is not greater than zero (NaN included); infinity is allowed.
    """
    for name, value in values.items():
        if not value > 0:
            raise ValueError(f"{name} must be positive, got {value}")


def require_positive_finite(**values: float) -> None:
    """Checks that all values, given by name, are positive and finite.

    Raises:
        ValueError: if a value is not greater than zero (NaN included), or infinite.
    """
    for name, value in values.items():
        if not 0 < value < math.inf:
            raise ValueError(f"{name} must be positive and finite, got {value}")


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
        ValueError: with the name of an array and the number of such values, if there are any.
    """
    # Imported here, because Snakemake's start reads this module and needs no numpy.
    import numpy as np

    for name, array in arrays.items():
        if not (finite := np.isfinite(array)).all():
            count = int(finite.size - finite.sum())
            raise ValueError(f"{name} has {count} values that are not finite: mend or drop such records beforehand")


def require_whole(**values: Any) -> None:
    """Checks that all values, given by name, are integers; 6.0 and True are not.

    Raises:
        ValueError: if a value has another type.
    """
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, numbers.Integral):
            raise ValueError(f"{name} must be a whole number, got {_shown(value)}")


def require_real(**values: Any) -> None:
    """Checks that all values, given by name, are single real numbers.

    Raises:
        ValueError: if a value has another type.
    """
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise ValueError(f"{name} must be a real number, got {_shown(value)}")
        try:
            float(value)
        except OverflowError:
            raise ValueError(f"{name} must be a real number, and is too large for a float") from None


def require_real_or_none(**values: Any) -> None:
    """Checks values as `require_real` does, except that None, which stands for a default, is allowed."""
    require_real(**{name: value for name, value in values.items() if value is not None})


def require_known(literal: Any, **values: Any) -> None:
    """Checks that all values, given by name, are among those of a `Literal` type.

    Raises:
        ValueError: if one is not, with the value that was probably meant.
    """
    known = get_args(literal)
    for name, value in values.items():
        if isinstance(value, str) and value in known:
            continue
        spelt = {option.casefold(): option for option in known} | {k: v for k, v in _ALSO_CALLED.items() if v in known}
        close = difflib.get_close_matches(str(value).casefold().replace("_", "-"), spelt, n=1)
        meant = f"; did you mean {spelt[close[0]]!r}?" if close else ""
        raise ValueError(f"{name}={_shown(value)} must be one of {', '.join(known)}{meant}")


def _shown(value: Any) -> str:
    """A value as text for a message of one line."""
    plain = value is None or isinstance(value, str | numbers.Number)
    return repr(value) if plain else f"a value of type {type(value).__name__}"


def as_list(value: Any) -> list[Any]:
    """Returns a list unchanged, and any other value as a list with one element."""
    return value if isinstance(value, list) else [value]
