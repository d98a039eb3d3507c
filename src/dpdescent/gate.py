"""The gate through which a user's records, constants and generators come: read as what they mean, or refused by name.

numpy would turn much into floats that is none: what a mask hides, real parts, dates, digits in strings. Frames and
series of pandas are known by their `columns` and `index` alone, which is not imported.
"""

import functools
import inspect
import numbers
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields
from decimal import Decimal
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpdescent.checks import require_finite_values, require_real, require_whole

Array = NDArray[np.float64]
P = ParamSpec("P")
R = TypeVar("R")

# Larger values are clipped to this, because their squares would overflow and the NaN would reveal the record that
# caused it. Clipping record by record costs no privacy.
LARGEST = 1e100


def records(**arrays: tuple[ArrayLike, int]) -> list[Array]:
    """Returns arrays of records along the first axis as floats, clipped to [-`LARGEST`, `LARGEST`].

    Args:
        arrays: by the argument's name, the given array and the number of axes that it must have.

    Raises:
        ValueError: as `real`, or if the number of axes or of records differs, there is no record, a value is not
            finite, or two of them have indices that differ.
    """
    found = {name: real(name, given) for name, (given, _) in arrays.items()}
    for name, (_, axes) in arrays.items():
        if 0 in found[name].shape:
            raise ValueError(f"{name} of shape {found[name].shape} is empty: give one record and one column at least")
        if found[name].ndim != axes:
            raise ValueError(f"{name} of shape {found[name].shape} must have {axes} axes, records along the first one")
        require_finite_values(**{name: found[name]})
    if len({len(array) for array in found.values()}) != 1:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in found.items())
        raise ValueError(f"{shapes} must have one number of records along their first axes")
    _require_one_index({name: given for name, (given, _) in arrays.items()})
    # Always in C order, because BLAS changes last bits with the order of memory.
    return [np.clip(array, -LARGEST, LARGEST, order="C") for array in found.values()]


def real(name: str, given: Any) -> Array:
    """Returns real numbers as an array of floats; booleans are 0 and 1. NaN and infinity pass.

    Args:
        name: the argument's name, for the message, which quotes no value, because it may be a record's.
        given: an array, a frame, or lists.

    Raises:
        ValueError: if values are masked, missing, complex, dates, strings or other objects, an integer is too large for
            a float, or the array is sparse or its rows differ in length.
    """
    if hasattr(given, "toarray"):
        raise ValueError(f"{name} is sparse ({type(given).__name__}): give {name}.toarray()")
    try:
        parts = list(_parts(given))
        if not (masked := sum(map(_masked, parts))):
            # With what an object's `__array__` gives, which may be anything, as may be what that raises.
            whole = np.asanyarray(given)
            masked, array = _masked(whole), np.asarray(whole)
    except Exception:
        raise ValueError(
            f"{name} ({type(given).__name__}) is no array of numbers: rows must have one length, and values be numbers"
        ) from None
    if masked:
        raise ValueError(f"{name} has {masked} masked values: fill them, or drop such records beforehand")
    if any(isinstance(getattr(each, "obj", each), bytes | bytearray) for each in parts):
        raise ValueError(f"{name} holds bytes, which are no real numbers: convert them beforehand")
    _require_one_index({f"{name}[{k}]": each for k, each in enumerate(parts[1:]) if hasattr(each, "index")})
    if array.dtype.kind == "O":
        return _numbers(name, array)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} holds {array.dtype.name}, which are no real numbers: convert them beforehand")
    # What is beyond a double becomes infinite, which is refused where it matters.
    with np.errstate(over="ignore"):
        return array.astype(np.float64, copy=False)


def through(sample: Any, *names: str) -> None:
    """Reads attributes of a frozen sample as `real`; arrays of doubles stay the ones that they are, at no cost.

    Others are converted, because sums and products of narrow integers or halves wrap or overflow without a word. Counts
    of records may be integers of 64 bits.
    """
    for name in names:
        given = getattr(sample, name)
        kept = ("float64", "int64") if name == "count" else ("float64",)
        if type(given) is not np.ndarray or given.dtype not in kept:
            object.__setattr__(sample, name, real(name, given))


def plain_fields(settings: Any) -> None:
    """Makes all numbers of a frozen dataclass Python's, because numpy's narrow ones wrap when they are squared."""
    for field in fields(settings):
        value = getattr(settings, field.name)
        plain = tuple(map(plain_number, value)) if type(value) is tuple else plain_number(value)
        if plain is not value:
            object.__setattr__(settings, field.name, plain)


def columns(given: Any) -> tuple[str, ...]:
    """Names of a frame's columns; empty for arrays, which have none."""
    found = getattr(given, "columns", None)
    return () if found is None or callable(found) else tuple(map(str, found))


def generator(rng: Any) -> np.random.Generator:
    """Returns the generator of a run: the given one, or one of a seed, whose noise is not secret; None draws the seed.

    Raises:
        ValueError: if it is anything else, such as numpy's legacy `RandomState`.
    """
    if isinstance(rng, np.random.Generator):
        return rng
    if rng is None or (isinstance(rng, int | np.integer) and not isinstance(rng, bool | np.timedelta64) and rng >= 0):
        return np.random.default_rng(rng)
    got = rng if isinstance(rng, int) else f"a {type(rng).__name__}"
    raise ValueError(
        f"rng must be dpdescent.secure_generator() for a release, or, for a study, numpy.random.default_rng(seed), a "
        f"seed that is not negative, or None; got {got}"
    )


def plain(function: Callable[P, R]) -> Callable[P, R]:
    """The same function, which gets numbers of numpy and fractions among its keyword arguments as Python's own.

    Narrow ones would overflow where they are squared, or round a sensitivity and the noise for it.
    """

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        found: Any = {name: plain_number(value) for name, value in kwargs.items()}
        return function(*args, **found)

    return called


def gated(
    *, arrays: str = "", finite: str = "", whole: str = "", number: str = ""
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Makes a function take its arguments through the gate; each list of names is one text, with blanks between them.

    Args:
        arrays: arguments that are arrays of real numbers, as `real`.
        finite: arrays without NaN and infinity.
        whole, number: arguments that are a whole, or any real, number, or else the default.
    """

    def made(function: Callable[P, R]) -> Callable[P, R]:
        known, with_names = inspect.signature(function).parameters, cast(Callable[..., R], function)

        @functools.wraps(function)
        def called(*args: P.args, **kwargs: P.kwargs) -> R:
            given: Any = {**dict(zip(known, args, strict=False)), **kwargs}
            if len(given) != len(args) + len(kwargs) or not given.keys() <= known.keys():
                return function(*args, **kwargs)
            for names, require in ((whole, require_whole), (number, require_real)):
                for name in names.split():
                    if name in given and given[name] is not known[name].default:
                        require(**{name: given[name]})
                        given[name] = plain_number(given[name])
            for name in [*arrays.split(), *finite.split()]:
                if name in given:
                    given[name] = real(name, given[name])
            require_finite_values(**{name: given[name] for name in finite.split() if name in given})
            return with_names(**given)

        return called

    return made


def plain_number(value: Any) -> Any:
    """Python's number of the same value; what is none, or too large for a float, is returned for others to refuse."""
    # Durations as they are, because they are integers for numpy.
    if isinstance(value, int | np.timedelta64):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, numbers.Real):
        with suppress(OverflowError):
            return float(value)
    return value


def _parts(given: Any) -> Iterator[Any]:
    """Yields what was given, and all that is in it where it is a sequence of Python's."""
    yield given
    if isinstance(given, Sequence) and not isinstance(given, str | bytes | bytearray | memoryview | range):
        for each in given:
            yield from _parts(each)


def _masked(given: Any) -> int:
    """Number of masked values; numpy drops masks of arrays in lists. Structures are refused as such."""
    mask = np.ma.getmaskarray(given) if isinstance(given, np.ma.MaskedArray) else np.zeros(0, dtype=bool)
    return int(mask.sum()) if mask.dtype == bool else 0


def _numbers(name: str, array: NDArray[Any]) -> Array:
    """Floats of an array of objects, which all must be real numbers."""
    # Durations apart, because they are integers for numpy.
    strange = [
        type(each).__name__
        for each in array.flat
        if isinstance(each, np.timedelta64) or not isinstance(each, numbers.Real | np.bool_ | Decimal)
    ]
    if strange:
        kinds = ", ".join(sorted(set(strange)))
        raise ValueError(
            f"{name} has {len(strange)} values that are no real numbers ({kinds}): convert them, or drop such records "
            "beforehand"
        )
    try:
        return array.astype(np.float64)
    except (OverflowError, ValueError):
        raise ValueError(f"{name} has numbers that are too large for a float: rescale them beforehand") from None


def _require_one_index(given: dict[str, Any]) -> None:
    """Checks that frames and series have equal indices: records are paired by position, and pandas pairs by index."""
    found = {name: each.index for name, each in given.items() if hasattr(getattr(each, "index", None), "equals")}
    first, *others = found or [""]
    for other in others:
        if not found[first].equals(found[other]):
            raise ValueError(
                f"{first} and {other} have different indices, and records are paired by position: give "
                f"{other}.loc[{first}.index], or {first}.to_numpy() and {other}.to_numpy() if positions are right"
            )
