"""Fingerprints of the code that a job runs: syntax trees, so that comments, docstrings and touches change nothing.

They are equal on all supported interpreters, so that a file that one of them made is current for another.
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

# Modules that compute none of the numbers that a job writes: they keep files, decide what is current, or refuse to run.
# They count by their names and their imports, because another way to keep files is no reason to train again; the files
# that they write are tested byte for byte.
STORAGE_MODULES = {
    "dpdescent/syntax.py",
    "dpdescent/replication/build/definitions.py",
    "dpdescent/replication/build/files.py",
    "dpdescent/replication/build/fingerprint.py",
    "dpdescent/replication/build/store.py",
    "dpdescent/replication/own_code.py",
}


# Places of a file that a fingerprint may cover, beside single statements by their number: the statements that run when
# the file is imported, all of its statements, and also all files that it imports.
RUNS, WHOLE, ALL = -1, -2, -3
# Files are strings here, because paths are slow to compare.
Node = tuple[str, int]

# Names of other packages with which code finds code that it does not name; `metadata` and `resources` find none.
FINDERS = ("importlib.", "inspect.", "pkgutil.", "runpy.", "sys.modules.", "sys._getframe.", "gc.")
NO_FINDERS = ("importlib.metadata.", "importlib.resources.")


def code_fingerprint(source: Path, script: Path, roots: Iterable[str] = ()) -> str:
    """A short hash of the code that a job may run, name by name.

    It covers the script; the code that it imports by names in strings (`roots`); each function, class and constant that
    these name, directly or not; and all other code that runs when their files are imported. Where a name cannot be
    followed, its whole file counts, or all files that this file imports. The place of the code does not matter, unless
    the code asks for it.

    Args:
        source: the directory that holds the package (`src`).
        script: the stage's script.
        roots: the code that the script imports by name, as `module:name` or `module`.
    """
    top = str(source.resolve())
    numbers = _followed(top, str(script.resolve()), roots)
    lines = []
    for node in numbers:
        code, uses = _uses(top, node)
        lines.append(" ".join([code, *(use if isinstance(use, str) else str(numbers[use]) for use in uses)]))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def reached(source: Path, script: Path, roots: Iterable[str] = ()) -> set[tuple[Path, str]]:
    """Files and names that a fingerprint covers; an empty name stands for code that runs when a file is imported."""
    places = [node for node in _followed(str(source.resolve()), str(script.resolve()), roots) if node[1] > WHOLE]
    return {
        (Path(path), name)
        for path, place in places
        for name in (_module(path).statements[place].names if place >= 0 else ("",))
    }


def _followed(top: str, script: str, roots: Iterable[str]) -> dict[Node, int]:
    """Everything that a script and its roots can reach, numbered in the order of being met.

    In the code of other nodes the number of a node stands for it, so that the names of modules do not count. Code that
    runs when files are imported comes in the order of its hashes, because the order of imports follows the names of
    modules.
    """
    queue: list[Node] = [(script, number) for number in range(len(_module(script).statements))]
    entered = {file for root in roots for file in _files(top, root.partition(":")[0])}
    queue += (node for root in roots for node in _root(top, root))
    numbers: dict[Node, int] = {}
    while queue:
        for node in queue:
            numbers.setdefault(node, len(numbers))
        pending = deque(queue)
        while pending:
            for use in _nodes_used(top, pending.popleft()):
                if use not in numbers:
                    numbers[use] = len(numbers)
                    pending.append(use)
        imported = _imported(top, entered | {path for path, _ in numbers})
        running = {(path, RUNS) for path in imported if _runs(path)}
        queue = sorted(running - numbers.keys(), key=lambda node: (_uses(top, node)[0], node))
    return numbers


def _root(top: str, root: str) -> list[Node]:
    """The nodes that a script runs of a module that it imports by name; none, if the name is not bound there."""
    nodes = [node for node in _named(top, root.replace(":", ".")) if not isinstance(node, str)]
    module, _, name = root.partition(":")
    file = _file(top, module)
    if not name or file is None or (file, ALL) not in nodes or _binding(file, "__getattr__"):
        return nodes
    return nodes if any(dotted.endswith(".*") for _, dotted in _module(file).imports) else []


@cache
def _nodes_used(top: str, node: Node) -> tuple[Node, ...]:
    return tuple(use for use in _uses(top, node)[1] if not isinstance(use, str))


@cache
def _runs(path: str) -> bool:
    return any(statement.runs for statement in _module(path).statements)


@cache
def _uses(top: str, node: Node) -> tuple[str, tuple[Node | str, ...]]:
    """The hashed code of a node, and its uses: other nodes, and names of other packages."""
    path, place = node
    module, name = _module(path), _name(top, path)
    if name in STORAGE_MODULES:
        imported = (file for file in _first_party_imports(top, path) if not file.endswith("__init__.py"))
        others = [file for file in imported if _name(top, file) not in STORAGE_MODULES]
        return f"kept:{name}", tuple((file, WHOLE) for file in sorted(others))
    if place == ALL:
        return "all", tuple((file, WHOLE) for file in sorted(_imported(top, [path])))
    if place == WHOLE:
        own = [(path, number) for number in range(len(module.statements))]
        # The package by itself, which `import dpdescent.checks` binds, does not count: its public names are for users.
        uses = {use for targets in module.imported.values() for use in targets} - {f"0 {PACKAGE} "}
        return "whole", (*own, *(target for use in sorted(uses) for target in _resolved(top, path, use)))
    chosen = (
        [statement for statement in module.statements if statement.runs]
        if place == RUNS
        else [module.statements[place]]
    )
    used = [target for statement in chosen for use in statement.uses for target in _resolved(top, path, use)]
    if any(imported.endswith(".*") for _, imported in module.imports):
        used.append((path, ALL))
    return ".".join(statement.code for statement in chosen), tuple(used)


def _resolved(top: str, path: str, use: str) -> tuple[Node | str, ...]:
    """The nodes and names of other packages for which a name in a file stands."""
    if " " in use:
        if use[0] == "?":
            dotted = use.split(" ")[1]
            base, _, last = dotted.rpartition(".")
            whole, within = _file(top, dotted), _file(top, base)
            return ((whole, WHOLE),) if whole else tuple(_bound_in(top, within, last, "")) if within else ()
        name = _absolute(top, path, use)
        finds = f"{name}.".startswith(FINDERS) and not f"{name}.".startswith(NO_FINDERS)
        # The code that scripts find is named by their rules.
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
    """The nodes for which a full name stands: the statements that bind it, or all of a module if none are known."""
    parts = dotted.split(".")
    files = [_file(top, ".".join(parts[:depth])) for depth in range(1, len(parts) + 1)]
    if parts[0] != PACKAGE or not any(files):
        return (dotted,)
    last = max(depth for depth, file in enumerate(files) if file)
    nodes: list[Node | str] = []
    # A package may bind a name of its own that one of its modules has.
    for depth, file in enumerate(files[: last + 1]):
        if file and depth + 1 < len(parts):
            nodes += _bound_in(top, file, parts[depth + 1], ".".join(parts[depth + 2 :]))
    if last + 1 == len(parts) or not nodes:
        file = files[last]
        assert file is not None
        nodes += [(file, WHOLE), *([(file, ALL)] if last + 1 < len(parts) else [])]
    return tuple(dict.fromkeys(nodes))


# Names that are being looked up, so that a name that two files import from each other is looked up once.
_looked_up: set[tuple[str, str]] = set()


def _bound_in(top: str, file: str, name: str, attributes: str) -> list[Node | str]:
    """The statements of a file that bind a name, and the nodes for which it stands if the file imports it."""
    if (file, name) in _looked_up:
        return [(file, ALL)]
    _looked_up.add((file, name))
    try:
        # A package that imports a module of its own binds the name that is looked up as that module.
        own = f"{_dotted(top, file)}.{name}"
        targets = [use for use in _module(file).imported.get(name, ()) if _absolute(top, file, use) != own]
        imported = [node for target in targets for node in _resolved(top, file, target + attributes)]
        return [*((file, number) for number in _binding(file, name)), *imported]
    finally:
        _looked_up.remove((file, name))


@cache
def _binding(path: str, name: str) -> tuple[int, ...]:
    """The statements of a file that bind a name, by their number."""
    return tuple(number for number, statement in enumerate(_module(path).statements) if name in statement.names)


def binds(file: Path, name: str) -> bool:
    """Whether a statement at the top of a file binds a name."""
    return bool(_binding(str(file), name))


def _is_ours(top: str, path: str) -> bool:
    """Whether a file is of the package; a script is not."""
    return path.startswith(f"{top}/")


@cache
def _name(top: str, path: str) -> str:
    return path[len(top) + 1 :] if _is_ours(top, path) else Path(path).name


def files_fingerprint(paths: Iterable[Path]) -> str:
    """A short hash over the names and bytes of files that are not parsed, such as templates."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(f"{path.name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:12]


def reachable(source: Path, roots: Iterable[Path]) -> set[Path]:
    """The roots and all first-party files that running them imports, package `__init__` files on the way included."""
    return set(map(Path, _imported(str(source.resolve()), {str(path.resolve()) for path in roots})))


def _imported(top: str, roots: Iterable[str]) -> set[str]:
    files: set[str] = set()
    # Packages on the way run first, whoever imports the file.
    queue = [file for path in roots for file in (path, *_files(top, _dotted(top, path)))]
    while queue:
        path = queue.pop()
        if path not in files:
            files.add(path)
            queue.extend(_first_party_imports(top, path))
    return files


def module_file(source: Path, dotted: str) -> Path:
    """The file of a module, or of a package: its `__init__`."""
    stem = source.joinpath(*dotted.split("."))
    return stem / "__init__.py" if stem.is_dir() else stem.with_suffix(".py")


def versions(*packages: str) -> dict[str, str]:
    """Installed versions of packages, because a stage runs again when a package that it uses is upgraded."""
    return {package: importlib.metadata.version(package) for package in packages}


@cache
def _module(path: str) -> Module:
    """The parsed code of a file; bytes that were parsed before are not parsed again."""
    content = Path(path).read_bytes()
    hashed = hashlib.sha256(content).hexdigest()
    if hashed not in KNOWN:
        KNOWN[hashed] = definitions.parsed(content.decode("utf-8"), Path(path))
    return KNOWN[hashed]


# Parsed files by the hash of their bytes; `known_code` keeps them from one call of Snakemake to the next.
KNOWN: dict[str, Module] = {}


@cache
def _first_party_imports(top: str, path: str) -> tuple[str, ...]:
    names = (_absolute(top, path, f"{level} {name} ") for level, name in _module(path).imports)
    # Every file is listed once, because modules import several names of one another.
    return tuple(dict.fromkeys(file for name in names for file in _files(top, name)))


@cache
def _absolute(top: str, path: str, use: str) -> str:
    """The full name of an imported name, with the attributes of it that the file uses."""
    level, dotted, attributes = use.split(" ")
    package = _name(top, path).split("/")[:-1]
    above = package[: len(package) - int(level) + 1] if level != "0" else []
    return ".".join([*above, *filter(None, (dotted, attributes))])


@cache
def _dotted(top: str, path: str) -> str:
    """The full name of a file's module; for a script the name has no meaning."""
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
    files = (_file(top, ".".join(parts[:depth])) for depth in range(1, len(parts) + 1))
    return tuple(file for file in files if file)
