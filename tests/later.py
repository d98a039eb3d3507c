"""What tests of one file share, made when the first of them asks for it."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TypeVar

T = TypeVar("T")


class Later(Mapping[str, T]):
    """A mapping that is made at first use, because each process collects all tests, also those that others run."""

    def __init__(self, make: Callable[[], Mapping[str, T]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> Mapping[str, T]:
        return self._make()

    def __getitem__(self, name: str) -> T:
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)
