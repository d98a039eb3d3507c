"""The reference of the library's public names, from signatures and docstrings in its source, of which nothing runs."""

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from inspect import cleandoc
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from dpdescent.public import NAMES

SOURCE = Path(__file__).resolve().parents[3]
TEMPLATE = "api.html.j2"
# The page with the list of all names.
INDEX = "api"
# The page of a name, by the beginning of its module's path.
SUBJECTS = {
    "dpdescent.estimators": "api-algorithms", "dpdescent.models": "api-models", "dpdescent.mixing": "api-models",
    "dpdescent.intervals": "api-models", "dpdescent.privacy.audit": "api-audits", "dpdescent.privacy": "api-privacy",
    "dpdescent.randomness": "api-privacy", "dpdescent.noise": "api-noise",
}  # fmt: skip
# Names of parts of a docstring, with the words that head them on a page.
PARTS = {
    "Args": "Arguments", "Attributes": "Attributes", "Returns": "Returns", "Yields": "Yields", "Raises": "Errors",
}  # fmt: skip
View = dict[str, Any]
Definition = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Place:
    """A definition in the source, with the module in which it stands."""

    module: str
    node: Definition | ast.Module

    @property
    def text(self) -> str:
        return cleandoc(ast.get_docstring(self.node) or "")


def files() -> list[Path]:
    """Source files of the public names; an edit of a docstring in one of them makes the report again."""
    return sorted({_file(path.partition(":")[0]) for path in NAMES.values()})


def page_of(name: str) -> str:
    """The page on which a public name stands."""
    module = NAMES[name].partition(":")[0]
    return next(page for beginning, page in SUBJECTS.items() if f"{module}.".startswith(f"{beginning}."))


def views(papers: Collection[str], code: str) -> Iterator[tuple[str, View]]:
    """Yields the pages, each with its data.

    Args:
        papers: keys of the papers, whose pages formulas lead to.
        code: address of the project's files; without one they are named.
    """
    entries = {name: _entry(name, _of(name), papers) for name in NAMES}
    by_page: dict[str, list[View]] = {page: [] for page in SUBJECTS.values()}
    for name, entry in entries.items():
        by_page[page_of(name)].append(entry)
    yield INDEX, {"index": by_page, "entries": [], "code": code}
    for page, mine in by_page.items():
        yield page, {"index": {}, "entries": mine, "code": code}


def _file(module: str) -> Path:
    return SOURCE / f"{module.replace('.', '/')}.py"


@cache
def _module(module: str) -> ast.Module:
    return ast.parse(_file(module).read_text(encoding="utf-8"))


def _of(name: str) -> Place:
    module, _, attribute = NAMES[name].partition(":")
    return _defined(module, attribute) if attribute else Place(module, _module(module))


def _defined(module: str, name: str) -> Place:
    """The definition of a name in a module; of a name that stands for a function of another module, that function's.

    Raises:
        ValueError: if there is none.
    """
    tree = _module(module)
    for node in tree.body:
        if isinstance(node, Definition) and node.name == name:
            return Place(module, node)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name and isinstance(node.value, ast.Call):
            # A function in a wrapper: `name = wrapper(...)(other.name)`.
            owner, _, attribute = ast.unparse(node.value.args[0]).partition(".")
            return _defined(_imported(tree, owner), attribute)
    raise ValueError(f"{module} defines no {name}, which its public name asks for: see dpdescent/public.py")


def _imported(tree: ast.Module, name: str) -> str:
    """The module for which a name stands by an import."""
    imports = (node for node in tree.body if isinstance(node, ast.ImportFrom))
    return next(
        f"{node.module}.{alias.name}" for node in imports for alias in node.names if name in (alias.asname, alias.name)
    )


def _entry(name: str, place: Place, papers: Collection[str], owner: str = "") -> View:
    """All that a page says of a name; of a class or module also of what it has, as further entries."""
    node, full = place.node, f"{owner}.{name}" if owner else name
    within: Sequence[tuple[str, Place]] = ()
    if isinstance(node, ast.ClassDef):
        methods = [each for each in node.body if isinstance(each, ast.FunctionDef) and not each.name.startswith("_")]
        within = [(each.name, Place(place.module, each)) for each in methods]
    elif isinstance(node, ast.Module):
        within = [(each, _defined(place.module, each)) for each in _functions(node)]
    said, parts = _parsed(place.text)
    text = [_prose(each, papers) for each in said]
    return {
        "name": full, "anchor": full, "kind": _kind(node), "signature": _signature(full, node), "page": "",
        "first": text[0] if text else Markup(""), "text": text,
        "parts": [(PARTS[head], _items(body, papers)) for head, body in parts.items()],
        "file": _file(place.module).relative_to(SOURCE.parent).as_posix(),
        "sources": [] if owner else _sources(place, papers),
        "within": [_entry(each, found, papers, full) for each, found in within],
    }  # fmt: skip


def _functions(tree: ast.Module) -> Iterator[str]:
    """Names of the public functions of a module, also of those that are functions of another one in a wrapper."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node.name
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            yield ast.unparse(node.targets[0])


def _kind(node: Definition | ast.Module) -> str:
    if isinstance(node, ast.FunctionDef):
        return "property" if _has(node, "property") or _has(node, "cached_property") else "function"
    return "class" if isinstance(node, ast.ClassDef) else "module"


def _has(node: Definition, decorator: str) -> bool:
    return any(re.match(rf"{decorator}\b", ast.unparse(each)) for each in node.decorator_list)


def _signature(name: str, node: Definition | ast.Module) -> str:
    """How an object is called, with types as its source has them; of a property its type, of a module nothing."""
    if isinstance(node, ast.Module):
        return ""
    if isinstance(node, ast.FunctionDef):
        returns = f" -> {_type(node.returns)}" if node.returns else ""
        if _kind(node) == "property":
            return f"{name}{returns.replace(' -> ', ': ')}"
        return f"{name}({', '.join(_arguments(node.args, method='.' in name))}){returns}"
    makes = [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"]
    if makes:
        return f"{name}({', '.join(_arguments(makes[0].args, method=True))})"
    return f"{name}({', '.join(_fields(node))})" if _has(node, "dataclass") else name


def _arguments(given: ast.arguments, method: bool) -> Iterator[str]:
    """Arguments with types and defaults; of a method without the first one, unless a module's function has a dot."""
    plain = [*given.posonlyargs, *given.args]
    defaults: list[ast.expr | None] = [*[None] * (len(plain) - len(given.defaults)), *given.defaults]
    pairs = list(zip(plain, defaults, strict=True))
    yield from (_argument(each, default) for each, default in pairs if not (method and each.arg == "self"))
    if given.vararg:
        yield f"*{_argument(given.vararg, None)}"
    elif given.kwonlyargs:
        yield "*"
    yield from (_argument(each, default) for each, default in zip(given.kwonlyargs, given.kw_defaults, strict=True))


def _argument(each: ast.arg, default: ast.expr | None) -> str:
    kind = f": {_type(each.annotation)}" if each.annotation else ""
    return f"{each.arg}{kind}" + (f" = {ast.unparse(default)}" if default else "")


def _fields(node: ast.ClassDef) -> Iterator[str]:
    """Fields of a data class, which are the arguments that make one."""
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and not ast.unparse(each.target).startswith("_"):
            default, called = each.value, {}
            if isinstance(default, ast.Call):
                called = {key.arg: key.value for key in default.keywords}
                default = called.get("default", called.get("default_factory"))
            kind = f"{ast.unparse(each.target)}: {_type(each.annotation)}"
            yield kind + (f" = {ast.unparse(default)}" if default else "")


def _type(node: ast.expr) -> str:
    """A type as its source has it, names of modules left out."""
    return re.sub(r"\b(?:[a-z]\w*\.)+(?=[A-Za-z])", "", ast.unparse(node).replace("'", ""))


def _parsed(text: str) -> tuple[list[str], dict[str, str]]:
    """Paragraphs of a docstring and its parts by their heads, still indented."""
    pieces = re.split(rf"^({'|'.join(PARTS)}):\n", text, flags=re.MULTILINE)
    heads, bodies = pieces[1::2], pieces[2::2]
    paragraphs = [each.strip() for each in pieces[0].split("\n\n") if each.strip()]
    return paragraphs, {head: cleandoc(f"\n{body}") for head, body in zip(heads, bodies, strict=True)}


def _items(body: str, papers: Collection[str]) -> list[tuple[list[str], Markup]]:
    """Items of a part, each with the names before its colon; a part in prose is one item without names."""
    pieces = re.split(r"^((?:\w+(?:, )?)+): ", body, flags=re.MULTILINE)
    if len(pieces) == 1:
        return [([], _prose(body, papers))]
    return [(names.split(", "), _prose(text, papers)) for names, text in zip(pieces[1::2], pieces[2::2], strict=True)]


def _prose(text: str, papers: Collection[str]) -> Markup:
    """Text of a docstring with its code marked, and links to public names and papers."""
    pieces = " ".join(text.split()).split("`")
    made = [_code(each) if place % 2 else _cited(each, papers) for place, each in enumerate(pieces)]
    return Markup("").join(made)


def _code(text: str) -> Markup:
    name = text.removeprefix("dpdescent.").removesuffix("()")
    shown = Markup("<code>{}</code>").format(text)
    return Markup('<a href="{}.html#{}">{}</a>').format(page_of(name), name, shown) if name in NAMES else shown


def _cited(text: str, papers: Collection[str]) -> Markup:
    """Text with keys of papers as links to their pages."""
    pieces = re.split(rf"\b({'|'.join(papers)})\b", text) if papers else [text]
    made = [Markup('<a href="{0}.html">{0}</a>').format(each) if each in papers else escape(each) for each in pieces]
    return Markup("").join(made)


def _sources(place: Place, papers: Collection[str]) -> list[Markup]:
    """Where in which paper a definition comes from: what its docstring cites, or else that of its module."""
    if not papers:
        return []
    cited = re.compile(rf"(?:{'|'.join(papers)}) [^,;:)]*[^,;:). ]")
    for text in (place.text, cleandoc(ast.get_docstring(_module(place.module)) or "")):
        if found := dict.fromkeys(cited.findall(" ".join(text.split()))):
            return [_cited(each, papers) for each in found]
    return []


def described(entry: Mapping[str, Any]) -> set[str]:
    """Names of the arguments and attributes that an entry describes."""
    return {name for _, items in entry["parts"] for names, _ in items for name in names}
