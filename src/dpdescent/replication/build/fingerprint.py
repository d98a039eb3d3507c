"""Fingerprints of the code that a job runs: syntax trees, so that comments, docstrings and touches change nothing.

They are equal on all supported interpreters, so that what one has made is current for another.
"""

import hashlib
import importlib.metadata
import os
from collections import deque
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from dpdescent.replication.build import definitions
from dpdescent.replication.build.definitions import DYNAMIC, NAMING, Module
from dpdescent.syntax import PACKAGE

# Modules that compute nothing of what a job writes: they keep files, tell what is current, or refuse to run. They count
# by their names and by what they import, because how files are kept is no reason to train again; what they write is
# tested byte for byte.
STORAGE_MODULES = {
    "dpdescent/syntax.py",
    "dpdescent/replication/build/definitions.py",
    "dpdescent/replication/build/files.py",
    "dpdescent/replication/build/fingerprint.py",
    "dpdescent/replication/build/store.py",
    "dpdescent/replication/own_code.py",
}


# What a fingerprint follows, beside the statements of a file by their number: those that run when it is imported, all
# that it has, and all that it imports too.
RUNS, WHOLE, ALL = -1, -2, -3
# Files are strings here, because paths are slow to compare.
Node = tuple[str, int]

# By these names of other packages code finds code that it does not name; `metadata` and `resources` find none.
FINDERS = ("importlib.", "inspect.", "pkgutil.", "runpy.", "sys.modules.", "sys._getframe.", "gc.")
NO_FINDERS = ("importlib.metadata.", "importlib.resources.")


def code_fingerprint(source: Path, script: Path, roots: Iterable[str] = ()) -> str:
    """A short hash of what a job may run, name by name; where its code lies does not matter, unless the code asks.

    It covers the script; what it imports by name in strings (`roots`); each function, class and constant that these
    name, directly or not; and whatever else runs when their files are imported. Where a name cannot be followed, all
    that its file has counts, or all that this file imports.

    Args:
        source: the directory that holds the package (`src`).
        script: the stage's script.
        roots: `module:name` or `module` of what the script imports by name.
    """
    top = str(source.resolve())
    found = _followed(top, str(script.resolve()), roots)
    lines = []
    for node in found:
        code, uses = _uses(top, node)
        lines.append(" ".join([code, *(use if isinstance(use, str) else str(found[use]) for use in uses)]))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def reached(source: Path, script: Path, roots: Iterable[str] = ()) -> set[tuple[Path, str]]:
    """Files and names that a fingerprint covers; an empty name stands for what runs when a file is imported."""
    places = [node for node in _followed(str(source.resolve()), str(script.resolve()), roots) if node[1] > WHOLE]
    return {
        (Path(path), name)
        for path, place in places
        for name in (_module(path).statements[place].names if place >= 0 else ("",))
    }


def _followed(top: str, script: str, roots: Iterable[str]) -> dict[Node, int]:
    """Everything that a script and its roots can reach, numbered in the order of being met.

    The number of a node stands for it in what uses it, so that no name of a module does. What runs when files are
    imported comes in the order of its hashes, because the order of imports follows the names of modules.
    """
    queue: list[Node] = [(script, number) for number in range(len(_module(script).statements))]
    entered = {file for root in roots for file in _files(top, root.partition(":")[0])}
    queue += (node for root in roots for node in _root(top, root))
    found: dict[Node, int] = {}
    while queue:
        for node in queue:
            found.setdefault(node, len(found))
        pending = deque(queue)
        while pending:
            for use in _nodes_used(top, pending.popleft()):
                if use not in found:
                    found[use] = len(found)
                    pending.append(use)
        imported = _imported(top, entered | {path for path, _ in found})
        running = {(path, RUNS) for path in imported if _runs(path)}
        queue = sorted(running - found.keys(), key=lambda node: (_uses(top, node)[0], node))
    return found


def _root(top: str, root: str) -> list[Node]:
    """What a script runs of a module that it imports by name; nothing, if the name is not bound there."""
    found = [node for node in _named(top, root.replace(":", ".")) if not isinstance(node, str)]
    module, _, name = root.partition(":")
    file = _file(top, module)
    if not name or file is None or (file, ALL) not in found or _binding(file, "__getattr__"):
        return found
    return found if any(each.endswith(".*") for _, each in _module(file).imports) else []


@cache
def _nodes_used(top: str, node: Node) -> tuple[Node, ...]:
    return tuple(use for use in _uses(top, node)[1] if not isinstance(use, str))


@cache
def _runs(path: str) -> bool:
    return any(each.runs for each in _module(path).statements)


@cache
def _uses(top: str, node: Node) -> tuple[str, tuple[Node | str, ...]]:
    """The code of a node, hashed, and what it uses: nodes, and names of other packages."""
    path, place = node
    module, name = _module(path), _name(top, path)
    if name in STORAGE_MODULES:
        imported = (each for each in _first_party_imports(top, path) if not each.endswith("__init__.py"))
        others = [each for each in imported if _name(top, each) not in STORAGE_MODULES]
        return f"kept:{name}", tuple((each, WHOLE) for each in sorted(others))
    if place == ALL:
        return "all", tuple((each, WHOLE) for each in sorted(_imported(top, [path])))
    if place == WHOLE:
        own = [(path, number) for number in range(len(module.statements))]
        # Not the package by itself, which `import dpdescent.checks` binds: its public names are for users.
        uses = {use for targets in module.imported.values() for use in targets} - {f"0 {PACKAGE} "}
        return "whole", (*own, *(found for use in sorted(uses) for found in _resolved(top, path, use)))
    chosen = [each for each in module.statements if each.runs] if place == RUNS else [module.statements[place]]
    found = [each for statement in chosen for use in statement.uses for each in _resolved(top, path, use)]
    if any(imported.endswith(".*") for _, imported in module.imports):
        found.append((path, ALL))
    return ".".join(each.code for each in chosen), tuple(found)


def _resolved(top: str, path: str, use: str) -> tuple[Node | str, ...]:
    """What a name in a file stands for."""
    if " " in use:
        if use[0] == "?":
            dotted = use.split(" ")[1]
            base, _, last = dotted.rpartition(".")
            whole, within = _file(top, dotted), _file(top, base)
            return ((whole, WHOLE),) if whole else tuple(_bound_in(top, within, last, "")) if within else ()
        name = _absolute(top, path, use)
        finds = f"{name}.".startswith(FINDERS) and not f"{name}.".startswith(NO_FINDERS)
        # What scripts find is told by their rules.
        everything: tuple[Node, ...] = ((path, ALL),) if finds and _is_ours(top, path) else ()
        return (*_named(top, name), *everything)
    own: tuple[Node, ...] = tuple((path, number) for number in _binding(path, use))
    if own:
        return own
    if use in NAMING:
        return (_name(top, path),)
    return ((path, ALL),) if use in DYNAMIC and _is_ours(top, path) else ()


@cache
def _named(top: str, dotted: str) -> tuple[Node | str, ...]:
    """What a full name stands for: the statements that bind it; all of a module, if it cannot be told which."""
    parts = dotted.split(".")
    files = [_file(top, ".".join(parts[:depth])) for depth in range(1, len(parts) + 1)]
    if parts[0] != PACKAGE or not any(files):
        return (dotted,)
    last = max(depth for depth, file in enumerate(files) if file)
    found: list[Node | str] = []
    # A package may bind a name of its own that one of its modules has.
    for depth, file in enumerate(files[: last + 1]):
        if file and depth + 1 < len(parts):
            found += _bound_in(top, file, parts[depth + 1], ".".join(parts[depth + 2 :]))
    if last + 1 == len(parts) or not found:
        file = files[last]
        assert file is not None
        found += [(file, WHOLE), *([(file, ALL)] if last + 1 < len(parts) else [])]
    return tuple(dict.fromkeys(found))


# Names that are being looked up: what two files import from each other is looked up once.
_looked_up: set[tuple[str, str]] = set()


def _bound_in(top: str, file: str, name: str, attributes: str) -> list[Node | str]:
    """The statements of a file that bind a name, and what it stands for if the file imports it."""
    if (file, name) in _looked_up:
        return [(file, ALL)]
    _looked_up.add((file, name))
    try:
        # A package that imports a module of its own binds what is looked up as that module.
        own = f"{_dotted(top, file)}.{name}"
        targets = [each for each in _module(file).imported.get(name, ()) if _absolute(top, file, each) != own]
        imported = [each for target in targets for each in _resolved(top, file, target + attributes)]
        return [*((file, number) for number in _binding(file, name)), *imported]
    finally:
        _looked_up.remove((file, name))


@cache
def _binding(path: str, name: str) -> tuple[int, ...]:
    """The statements of a file that bind a name, by their number."""
    return tuple(number for number, each in enumerate(_module(path).statements) if name in each.names)


def _is_ours(top: str, path: str) -> bool:
    """Whether a file is of the package; a script is not."""
    return path.startswith(f"{top}/")


@cache
def _name(top: str, path: str) -> str:
    return path[len(top) + 1 :] if _is_ours(top, path) else Path(path).name


def files_fingerprint(paths: Iterable[Path]) -> str:
    """One short hash over files that are no code of ours to parse, such as templates: their names and bytes."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(f"{path.name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:12]


def reachable(source: Path, roots: Iterable[Path]) -> set[Path]:
    """The roots and all first-party files that running them imports, package `__init__` files on the way included."""
    return set(map(Path, _imported(str(source.resolve()), {str(path.resolve()) for path in roots})))


def _imported(top: str, roots: Iterable[str]) -> set[str]:
    found: set[str] = set()
    # Packages on the way run first, whoever imports the file.
    queue = [file for path in roots for file in (path, *_files(top, _dotted(top, path)))]
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
def _module(path: str) -> Module:
    """Reads a file once; what is known of its bytes already is not parsed again."""
    content = Path(path).read_bytes()
    hashed = hashlib.sha256(content).hexdigest()
    if hashed not in KNOWN:
        KNOWN[hashed] = definitions.parsed(content.decode("utf-8"), Path(path))
    return KNOWN[hashed]


# By the hash of a file's bytes; `known_code` keeps it from one call of Snakemake to the next.
KNOWN: dict[str, Module] = {}


@cache
def _first_party_imports(top: str, path: str) -> tuple[str, ...]:
    names = (_absolute(top, path, f"{level} {name} ") for level, name in _module(path).imports)
    # Each file once, because modules import several names of one another.
    return tuple(dict.fromkeys(file for name in names for file in _files(top, name)))


@cache
def _absolute(top: str, path: str, use: str) -> str:
    """The full name of what a file imports, with the attributes that it uses of it."""
    level, dotted, attributes = use.split(" ")
    package = _name(top, path).split("/")[:-1]
    above = package[: len(package) - int(level) + 1] if level != "0" else []
    return ".".join([*above, *filter(None, (dotted, attributes))])


@cache
def _dotted(top: str, path: str) -> str:
    """The full name of a file's module; a script has none that counts."""
    return _name(top, path).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def _file(top: str, dotted: str) -> str | None:
    """The file of a module or package, if it is there."""
    stem = f"{top}/{dotted.replace('.', '/')}"
    return next((file for file in (f"{stem}/__init__.py", f"{stem}.py") if os.path.isfile(file)), None)


@cache
def _files(top: str, dotted: str) -> tuple[str, ...]:
    """Files that importing a dotted name runs: each package's `__init__` on the way, and the module."""
    parts = dotted.split(".")
    if parts[0] != PACKAGE:
        return ()
    found = (_file(top, ".".join(parts[:depth])) for depth in range(1, len(parts) + 1))
    return tuple(file for file in found if file)
