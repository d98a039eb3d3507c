"""A text of a piece of Python code that is the same on all supported interpreters, for hashing.

Comments, docstrings and layout leave no trace in it. `ast.dump` is not such a text: it has fields that only some
versions know, and versions split f-strings in different ways.
"""

import ast
import gc
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

PACKAGE = "dpdescent"
# Fields that follow from the place of a node, or that mean nothing when the code runs.
UNUSED = ("ctx", "kind", "type_comment", "type_ignores")


def code_hash(*sources: str) -> str:
    """A hash of the effect of pieces of code when they are imported.

    Raises:
        SyntaxError: if one of them is not Python code.
    """
    with without_collection():
        return hashlib.sha256("\0".join(text(ast.parse(source)) for source in sources).encode()).hexdigest()


def text(tree: ast.AST) -> str:
    """The text of a syntax tree: nodes by their class, each with its fields that are not empty."""
    writer = _Writer(None)
    writer.write(tree)
    return "".join(writer.pieces)


def text_and_uses(tree: ast.AST, imported: Mapping[str, Sequence[str]]) -> tuple[str, list[str]]:
    """The text of a syntax tree in which numbers stand for imported names, and the used names, by these numbers.

    So the text contains no name of a module, and is the same wherever the imported names come from.

    Args:
        tree: the syntax tree.
        imported: names that imports bind, with their full names, ending in a blank.

    Returns:
        The text; and each used name, or its full name with the attributes that follow it. An attribute that begins with
        `__` is also listed by itself, after a dot; so is a name that is called without arguments, as `name()`, and,
        after a question mark, a full name of the package in a string.
    """
    writer = _Writer(imported)
    writer.write(tree)
    return "".join(writer.pieces), list(writer.uses)


def without_docstring(node: Documented) -> list[ast.stmt]:
    """The statements of a module, class or function, without a docstring."""
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
    """The fields of a class that are written, each with the text before its value."""
    return tuple((name, f" {name}=") for name in kind._fields if name not in UNUSED)


class _Writer:
    """Writer of the text of a tree in pieces, which notes used names if it knows which of them are imported."""

    def __init__(self, imported: Mapping[str, Sequence[str]] | None) -> None:
        self.pieces: list[str] = []
        self.imported = imported
        self.uses: dict[str, int] = {}

    def write(self, node: ast.AST) -> None:
        kind: Any = type(node)
        if kind is ast.Constant:
            self._write_constant(node.value)  # type: ignore[attr-defined]
            return
        if self.imported is not None and self._write_name(node, kind):
            return
        self.pieces.append(f"({kind.__name__}")
        for name, before in _fields(kind):
            value = getattr(node, name, None)
            if isinstance(value, list):
                if name == "body" and isinstance(node, Documented):
                    value = without_docstring(node)
                elif kind is ast.JoinedStr:
                    value = _joined(value)
                if value:
                    self.pieces.append(before)
                    self._write_all(value)
            elif name == "format_spec" and value is not None and not _joined(value.values):
                # Skipped, because only some versions have one where nothing stands after the colon.
                continue
            elif isinstance(value, ast.AST):
                self.pieces.append(before)
                self.write(value)
            elif value is not None:
                self.pieces += (before, ascii(value))
        self.pieces.append(")")

    def _write_all(self, values: Iterable[Any]) -> None:
        self.pieces.append("[")
        for value in values:
            if isinstance(value, ast.AST):
                self.write(value)
            else:
                # A name; or an empty place that has a meaning: `{**other}` has one where `{None: other}` has a key.
                self.pieces.append("-" if value is None else ascii(value))
            self.pieces.append(",")
        self.pieces.append("]")

    def _write_constant(self, value: object) -> None:
        """Writes a literal: in ASCII, because versions print different characters; `hex` takes an int of any size."""
        self.pieces.append(hex(value) if type(value) is int else ascii(value))
        if self.imported is not None and type(value) is str and value.startswith(f"{PACKAGE}."):
            # A name in a string that may be imported, `module` or `module:name`.
            dotted = value.replace(":", ".")
            if all(map(str.isidentifier, dotted.split("."))):
                self.uses.setdefault(f"? {dotted} ", len(self.uses))

    def _write_name(self, node: ast.AST, kind: Any) -> bool:
        """Writes a name, with or without attributes, or an import, whose names come where they are used; else False."""
        assert self.imported is not None
        if kind is ast.Import or kind is ast.ImportFrom:
            self.pieces.append("(Import)")
            return True
        if kind is ast.Call and not node.args and isinstance(node.func, ast.Name):  # type: ignore[attr-defined]
            self.uses.setdefault(f"{node.func.id}()", len(self.uses))  # type: ignore[attr-defined]
        if kind is not ast.Name and kind is not ast.Attribute:
            return False
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            if node.attr.startswith("__"):
                self.uses.setdefault(f".{node.attr}", len(self.uses))
            attributes.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return False
        if node.id not in self.imported and attributes:
            return False
        # Also for an imported name, because the file may bind it in another way too.
        self.uses.setdefault(node.id, len(self.uses))
        if node.id not in self.imported:
            return False
        rest = ".".join(attributes)
        for target in self.imported[node.id]:
            number = self.uses.setdefault(target + rest, len(self.uses))
            self.pieces.append(f"(Used {number}")
        self.pieces.append(f" {rest})")
        return True


def _joined(values: Iterable[ast.expr]) -> list[ast.expr]:
    """The pieces of an f-string, with neighbouring literals joined and empty ones removed."""
    pieces: list[ast.expr] = []
    for value in values:
        literal = isinstance(value, ast.Constant) and isinstance(value.value, str)
        if literal and pieces and isinstance(pieces[-1], ast.Constant):
            pieces[-1] = ast.Constant(pieces[-1].value + value.value)  # type: ignore[attr-defined]
        elif not literal or value.value:  # type: ignore[attr-defined]
            pieces.append(value)
    return pieces
