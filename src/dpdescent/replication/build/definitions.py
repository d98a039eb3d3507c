"""The statements of a file of code: the names that each binds, the hash of its code, and the names that it uses.

A statement that only binds names (a function, a class, a constant) runs nothing that counts until somebody uses one of
them. All others run when their file is imported, and so do a decorator, a base class, a default or a call that is not
among those known to have no effect (`HARMLESS`). Operators are taken to have none, and so is filling the fields of a
file's own dataclass.
"""

import ast
import builtins
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dpdescent import syntax

# Calls, decorators and base classes that do nothing beyond giving a value.
HARMLESS = {
    *(f"builtins.{name}" for name in (
        "abs", "bool", "bytes", "classmethod", "dict", "divmod", "enumerate", "float", "frozenset", "int", "len",
        "list", "max", "min", "object", "pow", "property", "range", "repr", "reversed", "round", "set", "slice",
        "sorted", "staticmethod", "str", "sum", "tuple", "type", "zip", "ArithmeticError", "Exception", "KeyError",
        "LookupError", "RuntimeError", "TypeError", "ValueError",
    )),
    "abc.ABC", "abc.abstractmethod", "collections.Counter", "collections.namedtuple", "contextlib.contextmanager",
    "dataclasses.dataclass", "dataclasses.field", "enum.Enum", "enum.StrEnum", "fractions.Fraction", "functools.cache",
    "functools.cached_property", "functools.lru_cache", "functools.partial", "functools.wraps", "itertools.product",
    "math.cos", "math.exp", "math.floor", "math.log", "math.log10", "math.log2", "math.sin", "math.sqrt",
    "numpy.arange", "numpy.array", "numpy.dtype", "numpy.exp", "numpy.eye", "numpy.finfo", "numpy.float64",
    "numpy.geomspace", "numpy.iinfo", "numpy.linspace", "numpy.log", "numpy.log10", "numpy.logspace", "numpy.ones",
    "numpy.sqrt", "numpy.zeros", "operator.attrgetter", "operator.itemgetter", "pathlib.Path", "re.compile",
    "types.MappingProxyType", "types.SimpleNamespace", "typing.Generic", "typing.NamedTuple", "typing.NewType",
    "typing.Protocol", "typing.TypeVar", "typing.TypedDict", "typing.cast", "typing.overload",
}  # fmt: skip

# Names and attributes that tell the place of code, and those by which code finds other code without naming it.
NAMING = ("__file__", "__name__", "__package__", "__path__", "__spec__", ".__module__", ".__file__")
DYNAMIC = (
    "__import__", "__builtins__", "__loader__", "compile", "eval", "exec", "globals", "locals", "vars()", "dir()",
    ".__builtins__", ".__globals__", ".__subclasses__",
)  # fmt: skip

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Statement:
    """A statement of a file's top level.

    Attributes:
        names: the names that it binds.
        runs: whether it does more than bind names when its file is imported.
        code: the hash of its code, without the names of modules.
        uses: names of the file, in order of appearance; an entry with blanks stands for an imported name, and holds its
            level, dotted name and attributes.
    """

    names: tuple[str, ...]
    runs: bool
    code: str
    uses: tuple[str, ...]


@dataclass(frozen=True)
class Module:
    """A file of code.

    Attributes:
        imports: the level of each name that it imports, 0 where it is absolute, and the dotted name.
        imported: by name that an import binds, the imported names for which it stands, written as in `Statement.uses`.
        statements: all statements of its top level that are no imports and no docstring.
    """

    imports: tuple[tuple[int, str], ...]
    imported: Mapping[str, tuple[str, ...]]
    statements: tuple[Statement, ...]


def parsed(text: str, path: Path) -> Module:
    """Parses a file; its tree is dropped, because the garbage collector would look through millions of nodes.

    Raises:
        SyntaxError: if it is no Python.
    """
    with syntax.without_collection():
        return _File(ast.parse(text, str(path))).module()


class _File:
    """A syntax tree with the names that it binds."""

    def __init__(self, tree: ast.Module) -> None:
        self.body = syntax.without_docstring(tree)
        inner = list(_statements(tree))
        self.imports = tuple(entry for node in inner for entry in _imports(node))
        # Imports within functions count too: a name that one function imports is taken for an import everywhere.
        self.imported: dict[str, tuple[str, ...]] = {}
        for node in inner:
            for name, target in _bindings(node):
                self.imported[name] = tuple(dict.fromkeys([*self.imported.get(name, ()), target]))
        self.bound = {name for node in self.body for name in _bound(node)}
        self.plain = {node.name for node in self.body if isinstance(node, ast.ClassDef) and self._is_plain_data(node)}

    def module(self) -> Module:
        own = [node for node in self.body if not isinstance(node, ast.Import | ast.ImportFrom)]
        statements = [self._statement(node) for node in own]
        used = {use.split(" ")[1] for statement in statements for use in statement.uses if " " in use}
        # A name of another package that nobody uses is imported for the effects of its import.
        effects = [node for node in self.body if node not in own and not _is_used(node, used)]
        statements += [Statement((), True, _hash(syntax.text(node)), ()) for node in effects]
        return Module(self.imports, self.imported, tuple(statements))

    def _statement(self, node: ast.stmt) -> Statement:
        text, uses = syntax.text_and_uses(node, self.imported)
        kept = tuple(use for use in uses if " " in use or use in self.bound or use in NAMING or use in DYNAMIC)
        return Statement(tuple(_bound(node)), not self._is_quiet(node), _hash(text), kept)

    def _is_quiet(self, node: ast.stmt) -> bool:
        """Whether a statement binds its names and does nothing else that counts."""
        if isinstance(node, Function):
            arguments = node.args
            return all(map(self._is_value, [*arguments.defaults, *filter(None, arguments.kw_defaults)])) and all(
                map(self._is_harmless, node.decorator_list)
            )
        if isinstance(node, ast.ClassDef):
            inner = all(
                isinstance(child, ast.Pass) or self._is_quiet(child) for child in syntax.without_docstring(node)
            )
            return inner and not node.keywords and all(map(self._is_harmless, [*node.decorator_list, *node.bases]))
        if isinstance(node, ast.Assign):
            return all(map(_is_plain, node.targets)) and self._is_value(node.value)
        if isinstance(node, ast.AnnAssign):
            return _is_plain(node.target) and (node.value is None or self._is_value(node.value))
        return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)

    def _is_plain_data(self, node: ast.ClassDef) -> bool:
        """Whether making an object of a class only fills its fields: a dataclass or named tuple without code for it."""
        kinds = {self._dotted(each.func if isinstance(each, ast.Call) else each) for each in node.decorator_list}
        bases = [self._dotted(base) for base in node.bases]
        known = (kinds, bases) in (({"dataclasses.dataclass"}, []), (set(), ["typing.NamedTuple"]))
        inner = {each.id if isinstance(each, ast.Name) else getattr(each, "arg", "") for each in ast.walk(node)}
        methods = {each.name for each in node.body if isinstance(each, Function)}
        makers = {"__init__", "__new__", "__post_init__"} & methods
        return known and not makers and "default_factory" not in inner and self._is_quiet(node)

    def _is_harmless(self, node: ast.expr) -> bool:
        """Whether a decorator or base class, called or subscripted or not, is known to have no effect."""
        if isinstance(node, ast.Call):
            return self._is_value(node)
        if isinstance(node, ast.Subscript):
            return self._is_harmless(node.value)
        return self._dotted(node) in HARMLESS

    def _is_value(self, node: ast.expr) -> bool:
        """Whether an expression calls nothing that might have an effect."""
        if isinstance(node, ast.Lambda):
            return all(map(self._is_value, [*node.args.defaults, *filter(None, node.args.kw_defaults)]))
        if isinstance(node, ast.Await | ast.Yield | ast.YieldFrom):
            return False
        if isinstance(node, ast.Call) and self._dotted(node.func) not in HARMLESS:
            own = isinstance(node.func, ast.Name) and node.func.id in self.plain
            if not own:
                return False
        inner = (expression for child in ast.iter_child_nodes(node) for expression in _expressions(child))
        return all(map(self._is_value, inner))

    def _dotted(self, node: ast.expr) -> str:
        """The full name of an expression that names a builtin or a member of another module; else empty."""
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id in self.bound:
            return ""
        targets = self.imported.get(node.id, ())
        if not targets:
            return ".".join(["builtins", node.id, *attributes]) if hasattr(builtins, node.id) else ""
        level, dotted, *_ = targets[0].split(" ")
        return ".".join([dotted, *attributes]) if (len(targets), level) == (1, "0") else ""


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements below a node, without expressions, because these are most of a tree and hold no import."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for child in getattr(node, field, ()):
            yield child
            yield from _statements(child)


def _imports(node: ast.AST) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.Import):
        yield from ((0, alias.name) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = f"{node.module}." if node.module else ""
        # `from package import name`: the name may be a module of its own.
        yield from ((node.level, base + alias.name) for alias in node.names)


def _bindings(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Names that an import binds, each with the imported name for which it stands."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            # `import a.b` binds `a`.
            first = alias.name.split(".")[0]
            yield alias.asname or first, f"0 {alias.name if alias.asname else first} "
    elif isinstance(node, ast.ImportFrom):
        base = f"{node.module}." if node.module else ""
        yield from ((alias.asname or alias.name, f"{node.level} {base}{alias.name} ") for alias in node.names)


def _is_used(node: ast.stmt, used: set[str]) -> bool:
    """Whether the names of an import are used; imports of our own files count as used, as their code is covered."""
    targets = [target.split(" ")[:2] for _, target in _bindings(node)]
    return all(level != "0" or dotted.split(".")[0] == syntax.PACKAGE or dotted in used for level, dotted in targets)


def _bound(node: ast.AST) -> Iterator[str]:
    """Names that a statement of the top level binds there."""
    if isinstance(node, Function | ast.ClassDef):
        yield node.name
        return
    if isinstance(node, ast.Import | ast.ImportFrom):
        return
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest
    for child in ast.iter_child_nodes(node):
        yield from _bound(child)


def _is_plain(target: ast.expr) -> bool:
    """Whether an assignment binds names only, rather than a place in something that exists."""
    if isinstance(target, ast.Tuple | ast.List):
        return all(map(_is_plain, target.elts))
    return _is_plain(target.value) if isinstance(target, ast.Starred) else isinstance(target, ast.Name)


def _expressions(node: ast.AST) -> Iterable[ast.expr]:
    """The expressions of a node: itself, or those inside it where it is none, such as a keyword argument."""
    if isinstance(node, ast.expr):
        return [node]
    return [expression for child in ast.iter_child_nodes(node) for expression in _expressions(child)]
