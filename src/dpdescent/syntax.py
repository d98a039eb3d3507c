"""A text for a piece of Python code that is equal on all supported interpreters, to be hashed.

Comments, docstrings and layout leave no trace in it. `ast.dump` is not such a text: it has fields that only some
versions know, and versions differ in how they cut an f-string.
"""

import ast
import gc
import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

# Fields that follow from the place of a node, or that mean nothing when the code runs.
UNUSED = ("ctx", "kind", "type_comment", "type_ignores")


def code_hash(*sources: str) -> str:
    """A hash of what pieces of code do when they are imported.

    Raises:
        SyntaxError: if one of them is no Python.
    """
    with without_collection():
        return hashlib.sha256("\0".join(text(ast.parse(source)) for source in sources).encode()).hexdigest()


def text(tree: ast.AST) -> str:
    """The text of a syntax tree: nodes by their class, with those of their fields that are not empty."""
    pieces: list[str] = []
    _write(tree, pieces)
    return "".join(pieces)


def without_docstring(node: Documented) -> list[ast.stmt]:
    """The statements of a module, class or function that do something."""
    first = node.body[0] if node.body else None
    if not (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    ):
        return node.body
    # A function or class needs a body, an empty module has none.
    return node.body[1:] or ([] if isinstance(node, ast.Module) else [ast.Pass()])


@contextmanager
def without_collection() -> Iterator[None]:
    """Pauses the garbage collector, which takes half of the time, because a tree is many objects and no garbage."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@cache
def _fields(kind: Any) -> tuple[tuple[str, str], ...]:
    """The fields of a class that are written, each with what stands before its value."""
    return tuple((name, f" {name}=") for name in kind._fields if name not in UNUSED)


def _write(node: ast.AST, pieces: list[str]) -> None:
    kind: Any = type(node)
    if kind is ast.Constant:
        pieces.append(_constant(node.value))  # type: ignore[attr-defined]
        return
    pieces.append(f"({kind.__name__}")
    for name, before in _fields(kind):
        value = getattr(node, name, None)
        if isinstance(value, list):
            if name == "body" and isinstance(node, Documented):
                value = without_docstring(node)
            elif kind is ast.JoinedStr:
                value = _joined(value)
            if value:
                pieces.append(before)
                _write_all(value, pieces)
        elif name == "format_spec" and value is not None and not _joined(value.values):
            # Only some versions have one where nothing stands after the colon.
            continue
        elif isinstance(value, ast.AST):
            pieces.append(before)
            _write(value, pieces)
        elif value is not None:
            pieces += (before, ascii(value))
    pieces.append(")")


def _write_all(values: Iterable[Any], pieces: list[str]) -> None:
    pieces.append("[")
    for value in values:
        if isinstance(value, ast.AST):
            _write(value, pieces)
        else:
            # A name; or an empty place that counts: `{**other}` has one where `{None: other}` has a key.
            pieces.append("-" if value is None else ascii(value))
        pieces.append(",")
    pieces.append("]")


def _constant(value: object) -> str:
    """A literal: in ASCII, because versions differ in which characters they print; no int is too long for `hex`."""
    return hex(value) if type(value) is int else ascii(value)


def _joined(values: Iterable[ast.expr]) -> list[ast.expr]:
    """The pieces of an f-string, with literal ones that are neighbours put together and empty ones left out."""
    found: list[ast.expr] = []
    for each in values:
        literal = isinstance(each, ast.Constant) and isinstance(each.value, str)
        if literal and found and isinstance(found[-1], ast.Constant):
            found[-1] = ast.Constant(found[-1].value + each.value)  # type: ignore[attr-defined]
        elif not literal or each.value:  # type: ignore[attr-defined]
            found.append(each)
    return found
