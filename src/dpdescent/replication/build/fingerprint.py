"""Fingerprints of the code that a job runs: syntax trees, so that comments, docstrings and touches change nothing.

They are equal on all supported interpreters, so that what one has made is current for another.
"""

import ast
import hashlib
import importlib.metadata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dpdescent import syntax

PACKAGE = "dpdescent"
# Modules that compute nothing of what a job writes: they keep files, tell what is current, or refuse to run. They count
# by their names and by what they import, because how files are kept is no reason to train again; what they write is
# tested byte for byte.
KEEPING = {
    "dpdescent/syntax.py",
    "dpdescent/replication/build/files.py",
    "dpdescent/replication/build/fingerprint.py",
    "dpdescent/replication/build/store.py",
    "dpdescent/replication/own_code.py",
}


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
    return f"{name}\0{'' if name in KEEPING else _module(path).tree_hash}\n".encode()


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
    with syntax.without_collection():
        tree = ast.parse(text, str(path))
        imports = tuple(each for node in _statements(tree) for each in _imports(node))
        return Module(imports, hashlib.sha256(syntax.text(tree).encode()).hexdigest())


@dataclass(frozen=True)
class Module:
    """What is kept of a file.

    Attributes:
        imports: the level of each name that it imports, 0 where it is absolute, and the dotted name.
        tree_hash: the hash of its code.
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


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements below a node, without expressions, because these are most of a tree and hold no import."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for each in getattr(node, field, ()):
            yield each
            yield from _statements(each)


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
