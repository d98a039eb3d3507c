"""Names that arguments of public functions had in an earlier version: refused in one line that tells today's name."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

SINCE = "0.3.0"
Function = TypeVar("Function", bound=Callable[..., Any])


def renamed(**names: str) -> Callable[[Function], Function]:
    """A decorator that refuses former names of arguments; signature, documentation and types are the function's own.

    Args:
        names: today's name of each argument by its former name.
    """

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def refusing(*args: Any, **given: Any) -> Any:
            if former := [name for name in given if name in names]:
                told = ", ".join(f"{name} is called {names[name]}" for name in former)
                raise TypeError(f"{function.__name__}: {told} since {SINCE}")
            return function(*args, **given)

        refusing.former_names = names  # type: ignore[attr-defined]
        return cast(Function, refusing)

    return decorate
