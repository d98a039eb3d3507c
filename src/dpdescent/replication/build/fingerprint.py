"""Fingerprints of the code that a job runs: syntax trees, so that comments, docstrings and touches change nothing."""

import ast
import gc
import hashlib
import importlib.metadata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PACKAGE = "dpdescent"
# Modules that keep files and compute none of their content. Each counts by the hash that its code had when the results
# were made, because how files are kept is no reason to train again; what they write is tested byte for byte.
KEEPING = {
    "dpdescent/replication/build/files.py": "e2a46c00b07aa1aa6003a9e4cafb437e1425e7f033d34dd8afc6549d49a835a1",
    "dpdescent/replication/build/fingerprint.py": "ffc149fef49d3d05cd6e9b22530bb8e4383be5622158b09c082405466b226c37",
    "dpdescent/replication/build/store.py": "1eb7921481b9609d7937d45db0dbfce41ecf8147eaa2e7532f752f300b3bbd7f",
}

_Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def code_fingerprint(source: Path, roots: Iterable[Path]) -> str:
    """One short hash over the roots and every first-party module that they import, directly or not.

    Args:
        source: the directory that holds the package (`src`).
        roots: the stage's script and the modules that it imports by name.
    """
    digest = hashlib.sha256()
    for path in sorted(reachable(source, roots)):
        digest.update(_line(source, path))
    return digest.hexdigest()[:12]


@cache
def _line(source: Path, path: Path) -> bytes:
    """A file's name and the hash of its code; most files are reached from many roots."""
    name = str(path.relative_to(source)) if path.is_relative_to(source) else path.name
    return f"{name}\0{KEEPING.get(name) or _module(path).tree_hash}\n".encode()


def files_fingerprint(paths: Iterable[Path]) -> str:
    """One short hash over files that are no code of ours to parse, such as templates: their names and bytes."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(f"{path.name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:12]


def reachable(source: Path, roots: Iterable[Path]) -> set[Path]:
    """The roots and all first-party files that running them imports, package `__init__` files on the way included."""
    found: set[Path] = set()
    top = source.resolve()
    queue = [path.resolve() for path in roots]
    while queue:
        path = queue.pop()
        if path not in found:
            found.add(path)
            queue.extend(_first_party_imports(top, path))
    return found


def module_file(source: Path, dotted: str) -> Path:
    """The file of a module, or of a package: its `__init__`."""
    stem = source.joinpath(*dotted.split("."))
    return stem / "__init__.py" if stem.is_dir() else stem.with_suffix(".py")


def versions(*packages: str) -> dict[str, str]:
    """Installed versions: an upgrade of what a stage computes with is a reason to run it again."""
    return {package: importlib.metadata.version(package) for package in packages}


@cache
def _module(path: Path) -> "Module":
    """Reads a file once; what is known of its bytes already is not parsed again."""
    content = path.read_bytes()
    hashed = hashlib.sha256(content).hexdigest()
    if hashed not in KNOWN:
        KNOWN[hashed] = _parsed(content.decode("utf-8"), path)
    return KNOWN[hashed]


def _parsed(text: str, path: Path) -> "Module":
    """Parses a file; its tree is dropped, because the garbage collector would look through millions of nodes."""
    with _without_collection():
        tree = ast.parse(text, str(path))
        statements = [tree, *_statements(tree)]
        imports = tuple(each for node in statements for each in _imports(node))
        for node in statements:
            if isinstance(node, _Documented) and _has_docstring(node):
                # A function or class needs a body, an empty module has none.
                node.body = node.body[1:] or ([] if isinstance(node, ast.Module) else [ast.Pass()])
        return Module(imports, hashlib.sha256(ast.dump(tree).encode()).hexdigest())


@dataclass(frozen=True)
class Module:
    """What is kept of a file.

    Attributes:
        imports: the level of each name that it imports, 0 where it is absolute, and the dotted name.
        tree_hash: the hash of its tree without docstrings.
    """

    imports: tuple[tuple[int, str], ...]
    tree_hash: str


# By the hash of a file's bytes; `known_code` keeps it from one call of Snakemake to the next.
KNOWN: dict[str, Module] = {}


def _imports(node: ast.AST) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.Import):
        yield from ((0, alias.name) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = f"{node.module}." if node.module else ""
        # `from package import name`: the name may be a module of its own.
        yield from ((node.level, base + alias.name) for alias in node.names)


@contextmanager
def _without_collection() -> Iterator[None]:
    """Pauses the garbage collector, which takes half of the time, because a tree is many objects and no garbage."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements below a node, without expressions, because these are most of a tree and hold neither an import
    nor a docstring."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for each in getattr(node, field, ()):
            yield each
            yield from _statements(each)


def _has_docstring(node: _Documented) -> bool:
    first = node.body[0] if node.body else None
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)


@cache
def _first_party_imports(source: Path, path: Path) -> tuple[Path, ...]:
    names = (_absolute(source, path, level, name) for level, name in _module(path).imports)
    # Each file once, because modules import several names of one another.
    return tuple(dict.fromkeys(file for name in names for file in _files(source, name)))


def _absolute(source: Path, path: Path, level: int, name: str) -> str:
    if level == 0:
        return name
    package = path.relative_to(source).parent.parts
    return ".".join([*package[: len(package) - level + 1], name])


@cache
def _files(source: Path, dotted: str) -> tuple[Path, ...]:
    """Files that importing a dotted name runs: each package's `__init__` on the way, and the module."""
    parts = dotted.split(".")
    if parts[0] != PACKAGE:
        return ()
    stems = [source.joinpath(*parts[:depth]) for depth in range(1, len(parts) + 1)]
    candidates = [file for stem in stems for file in (stem / "__init__.py", stem.with_suffix(".py"))]
    return tuple(file for file in candidates if file.is_file())
