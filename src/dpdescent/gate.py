"""The gate for a user's records, constants and generators: they are read as what they mean, or refused by name.

numpy would turn many things into floats that are no numbers: values under a mask, real parts, dates, digits in strings.
Frames and series of pandas, which is not imported, are recognised by their `columns` and `index` alone.
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

# Limit to which larger values are clipped, because their squares would overflow and the NaN would reveal the record
# that caused it. Clipping record by record costs no privacy.
LARGEST = 1e100


def records(**arrays: tuple[ArrayLike, int]) -> list[Array]:
    """Returns arrays of records along the first axis as floats, clipped to [-`LARGEST`, `LARGEST`].

    Args:
        arrays: by the argument's name, the given array and the required number of axes.

    Raises:
        ValueError: as for `real`, or if the number of axes or of records differs, there is no record, a value is not
            finite, or two arrays have different indices.
    """
    floats = {name: real(name, given) for name, (given, _) in arrays.items()}
    for name, (_, axes) in arrays.items():
        if 0 in floats[name].shape:
            raise ValueError(f"{name} of shape {floats[name].shape} is empty: give one record and one column at least")
        if floats[name].ndim != axes:
            raise ValueError(f"{name} of shape {floats[name].shape} must have {axes} axes, records along the first one")
        require_finite_values(**{name: floats[name]})
    if len({len(array) for array in floats.values()}) != 1:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in floats.items())
        raise ValueError(f"{shapes} must have one number of records along their first axes")
    _require_one_index({name: given for name, (given, _) in arrays.items()})
    # Always in C order, because BLAS changes last bits with the order of memory.
    return [np.clip(array, -LARGEST, LARGEST, order="C") for array in floats.values()]


def real(name: str, given: Any) -> Array:
    """Returns real numbers as an array of floats; booleans are 0 and 1. NaN and infinity pass.

    Args:
        name: name of the argument, for the message, which quotes no value, because it may belong to a record.
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
            # Together with the result of an object's `__array__`, which may be anything, and may raise any error.
            whole = np.asanyarray(given)
            masked, array = _masked(whole), np.asarray(whole)
    except Exception:
        raise ValueError(
            f"{name} ({type(given).__name__}) is no array of numbers: rows must have one length, and values be numbers"
        ) from None
    if masked:
        raise ValueError(f"{name} has {masked} masked values: fill them, or drop such records beforehand")
    if any(isinstance(getattr(part, "obj", part), bytes | bytearray) for part in parts):
        raise ValueError(f"{name} holds bytes, which are no real numbers: convert them beforehand")
    _require_one_index({f"{name}[{k}]": part for k, part in enumerate(parts[1:]) if hasattr(part, "index")})
    if array.dtype.kind == "O":
        return _numbers(name, array)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} holds {array.dtype.name}, which are no real numbers: convert them beforehand")
    # A value too large for a double becomes infinite, which is refused where it matters.
    with np.errstate(over="ignore"):
        return array.astype(np.float64, copy=False)


def through(sample: Any, *names: str) -> None:
    """Reads attributes of a frozen sample as `real` does; arrays of doubles remain the same objects, at no cost.

    Other arrays are converted, because sums and products of narrow integers or halves wrap or overflow silently. Counts
    of records may be integers of 64 bits.
    """
    for name in names:
        value = getattr(sample, name)
        kept = ("float64", "int64") if name == "count" else ("float64",)
        if type(value) is not np.ndarray or value.dtype not in kept:
            object.__setattr__(sample, name, real(name, value))


def plain_fields(settings: Any) -> None:
    """Converts all numbers of a frozen dataclass to Python numbers, because narrow numpy numbers wrap when squared."""
    for field in fields(settings):
        value = getattr(settings, field.name)
        plain = tuple(map(plain_number, value)) if type(value) is tuple else plain_number(value)
        if plain is not value:
            object.__setattr__(settings, field.name, plain)


def columns(given: Any) -> tuple[str, ...]:
    """The names of a frame's columns; empty for arrays, which have none."""
    names = getattr(given, "columns", None)
    return () if names is None or callable(names) else tuple(map(str, names))


def generator(rng: Any) -> np.random.Generator:
    """Returns the generator of a run: the given one, or one from a seed, whose noise is not secret; None draws a seed.

    Raises:
        ValueError: if rng is anything else, such as numpy's legacy `RandomState`.
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
    """A decorator that converts keyword arguments, numbers of numpy and fractions, to plain Python numbers.

    Narrow numbers would overflow in squares, or round a sensitivity and its noise.
    """

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        converted: Any = {name: plain_number(value) for name, value in kwargs.items()}
        return function(*args, **converted)

    return called


def gated(
    *, arrays: str = "", finite: str = "", whole: str = "", number: str = ""
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator that passes arguments through the gate; each list of names is one text, separated by blanks.

    Args:
        arrays: arguments that are arrays of real numbers, as for `real`.
        finite: arguments that are such arrays without NaN and infinity.
        whole, number: arguments that are a whole number, or any real number, or the default.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        known, with_names = inspect.signature(function).parameters, cast(Callable[..., R], function)

        @functools.wraps(function)
        def called(*args: P.args, **kwargs: P.kwargs) -> R:
            arguments: Any = {**dict(zip(known, args, strict=False)), **kwargs}
            if len(arguments) != len(args) + len(kwargs) or not arguments.keys() <= known.keys():
                return function(*args, **kwargs)
            for names, require in ((whole, require_whole), (number, require_real)):
                for name in names.split():
                    if name in arguments and arguments[name] is not known[name].default:
                        require(**{name: arguments[name]})
                        arguments[name] = plain_number(arguments[name])
            for name in [*arrays.split(), *finite.split()]:
                if name in arguments:
                    arguments[name] = real(name, arguments[name])
            require_finite_values(**{name: arguments[name] for name in finite.split() if name in arguments})
            return with_names(**arguments)

        return called

    return decorate


def plain_number(value: Any) -> Any:
    """The plain Python number of the same value; anything else, also what is too large for a float, is unchanged."""
    # Durations are returned as they are, because numpy treats them as integers.
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


def _parts(value: Any) -> Iterator[Any]:
    """Yields an object, and recursively everything in it if it is a Python sequence."""
    yield value
    if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray | memoryview | range):
        for item in value:
            yield from _parts(item)


def _masked(value: Any) -> int:
    """Number of masked values; numpy drops masks of arrays in lists. For structures it is 0, and others refuse them."""
    mask = np.ma.getmaskarray(value) if isinstance(value, np.ma.MaskedArray) else np.zeros(0, dtype=bool)
    return int(mask.sum()) if mask.dtype == bool else 0


def _numbers(name: str, array: NDArray[Any]) -> Array:
    """Floats from an array of objects, all of which must be real numbers."""
    # Durations separately, because numpy treats them as integers.
    strange = [
        type(item).__name__
        for item in array.flat
        if isinstance(item, np.timedelta64) or not isinstance(item, numbers.Real | np.bool_ | Decimal)
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


def _require_one_index(arguments: dict[str, Any]) -> None:
    """Checks that frames and series have equal indices: records are paired by position, but pandas pairs by index."""
    indices = {
        name: argument.index
        for name, argument in arguments.items()
        if hasattr(getattr(argument, "index", None), "equals")
    }
    first, *others = indices or [""]
    for other in others:
        if not indices[first].equals(indices[other]):
            raise ValueError(
                f"{first} and {other} have different indices, and records are paired by position: give "
                f"{other}.loc[{first}.index], or {first}.to_numpy() and {other}.to_numpy() if positions are right"
            )
