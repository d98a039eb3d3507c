"""Former names of arguments of public functions, refused in one line with the present name."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

SINCE = "0.3.0"
Function = TypeVar("Function", bound=Callable[..., Any])


def renamed(**names: str) -> Callable[[Function], Function]:
    """A decorator that refuses former names of arguments; signature, documentation and types remain the function's own.

    Args:
        names: the present name of each argument, by its former name.
    """

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def refusing(*args: Any, **arguments: Any) -> Any:
            if former := [name for name in arguments if name in names]:
                changes = ", ".join(f"{name} is called {names[name]}" for name in former)
                raise TypeError(f"{function.__name__}: {changes} since {SINCE}")
            return function(*args, **arguments)

        refusing.former_names = names  # type: ignore[attr-defined]
        return cast(Function, refusing)

    return decorate
