"""What is asked of arguments everywhere: values in their range, one value or a list of them.

Training imports this module, so that it imports nothing itself: an edit of anything else here must train nothing again.
"""

from typing import Any


def require_positive(**values: float) -> None:
    """Checks arguments by name.

    Raises:
        ValueError: if a value is not greater than zero (NaN included); infinity is allowed.
    """
    for name, value in values.items():
        if not value > 0:
            raise ValueError(f"{name} must be positive, got {value}")


def require_non_negative(**values: float) -> None:
    """Checks arguments by name.

    Raises:
        ValueError: if a value is below zero (NaN included).
    """
    for name, value in values.items():
        if not value >= 0:
            raise ValueError(f"{name} must not be negative, got {value}")


def require_probability(**values: float) -> None:
    """Checks arguments by name.

    Raises:
        ValueError: unless every value lies strictly between 0 and 1.
    """
    for name, value in values.items():
        if not 0.0 < value < 1.0:
            raise ValueError(f"{name} must lie strictly between 0 and 1, got {value}")


def as_list(value: Any) -> list[Any]:
    """A value of a cell or of the arms as a list, whether it is one or many."""
    return value if isinstance(value, list) else [value]
