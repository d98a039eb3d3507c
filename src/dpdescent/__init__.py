"""Differentially private gradient descent: algorithms, correlated noise, accounting, audits, intervals.

Public names are listed in `dpdescent.public` and loaded when they are used. That module is imported by its name inside
a function, because an import statement would make every job of the pipeline depend on all modules that the table names.
"""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    return import_module("dpdescent.public").load(name)


def __dir__() -> list[str]:
    return sorted([*globals(), *import_module("dpdescent.public").NAMES])
