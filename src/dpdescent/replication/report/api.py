"""The reference of the library's public names, from signatures and docstrings in its source, of which nothing runs."""

import ast
import hashlib
import json
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


def fingerprint() -> str:
    """A short hash over all that the pages say, because docstrings do not count as code; comments stay out of it."""
    return hashlib.sha256(json.dumps(list(views((), ""))).encode()).hexdigest()[:12]


def page_of(name: str) -> str:
    """The page on which a public name stands."""
    module = NAMES[name].partition(":")[0]
    return next(page for beginning, page in SUBJECTS.items() if f"{module}.".startswith(f"{beginning}."))


def sentences() -> dict[str, str]:
    """The first sentence on each public name, as its docstring has it."""
    texts = {name: " ".join(_of(name).text.split("\n\n")[0].split()) for name in NAMES}
    # A full stop before a number or a parenthesis is that of `eq.` or `Sec.`
    return {name: re.split(r"\.(?: (?=[A-Z][a-z])|$)", text)[0] for name, text in texts.items()}


def views(papers: Collection[str], code: str) -> Iterator[tuple[str, View]]:
    """Yields the pages, each with its data.

    Args:
        papers: keys of the published papers, which docstrings cite, and to whose pages they lead.
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
    path = SOURCE / module.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


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
        "name": full, "anchor": full, "kind": _kind(node), "signature": _signature(full, place), "words": _words(place),
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


def _signature(name: str, place: Place) -> str:
    """How an object is called, with types as its source has them; of a property its type, of a module nothing."""
    node = place.node
    if isinstance(node, ast.Module):
        return ""
    if isinstance(node, ast.FunctionDef):
        returns = f" -> {_type(node.returns)}" if node.returns else ""
        if _kind(node) == "property":
            return f"{name}{returns.replace(' -> ', ': ')}"
        return f"{name}({', '.join(_arguments(place.module, node.args))}){returns}"
    makes = [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"]
    if makes:
        return f"{name}({', '.join(_arguments(place.module, makes[0].args))})"
    return f"{name}({', '.join(_fields(place.module, node))})" if _has(node, "dataclass") else name


def _arguments(module: str, given: ast.arguments) -> Iterator[str]:
    """Arguments with types and defaults, without the object or class to which a method belongs."""
    plain = [*given.posonlyargs, *given.args]
    defaults: list[ast.expr | None] = [*[None] * (len(plain) - len(given.defaults)), *given.defaults]
    for each, default in zip(plain, defaults, strict=True):
        if each.arg not in ("self", "cls"):
            yield _argument(module, each, default)
    if given.vararg:
        yield f"*{_argument(module, given.vararg, None)}"
    elif given.kwonlyargs:
        yield "*"
    for each, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield _argument(module, each, default)


def _argument(module: str, each: ast.arg, default: ast.expr | None) -> str:
    kind = f": {_type(each.annotation)}" if each.annotation else ""
    return f"{each.arg}{kind}" + (f" = {_value(module, default)}" if default else "")


def _value(module: str, default: ast.expr) -> str:
    """A default as it is written; a constant by its value."""
    found = _assigned(module, ast.unparse(default))
    return ast.unparse(found[1] if found and isinstance(found[1], ast.Constant) else default)


def _assigned(module: str, name: str) -> tuple[str, ast.expr] | None:
    """The value of a name that a module has or imports from another one of ours, with the module that has it."""
    owner, _, attribute = name.rpartition(".")
    for node in _module(module).body:
        if isinstance(node, ast.Assign):
            names, value = node.targets[0], node.value
            pairs = [(names, value)]
            if isinstance(names, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = list(zip(names.elts, value.elts, strict=True))
            if found := [each for target, each in pairs if ast.unparse(target) == name]:
                return module, found[0]
        elif isinstance(node, ast.ImportFrom) and str(node.module).startswith("dpdescent"):
            for alias in node.names:
                if (owner or name) in (alias.asname, alias.name):
                    where = (f"{node.module}.{alias.name}", attribute) if owner else (str(node.module), alias.name)
                    return _assigned(*where)
    return None


def _fields(module: str, node: ast.ClassDef) -> Iterator[str]:
    """Fields of a data class, which are the arguments that make one."""
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and not ast.unparse(each.target).startswith("_"):
            default = "" if each.value is None else _value(module, each.value)
            if isinstance(each.value, ast.Call):
                given = {key.arg: _value(module, key.value) for key in each.value.keywords}
                made = f"{given['default_factory']}()" if "default_factory" in given else ""
                default = given.get("default", made)
            yield f"{ast.unparse(each.target)}: {_type(each.annotation)}" + (f" = {default}" if default else "")


def _words(place: Place) -> list[tuple[str, list[str]]]:
    """Types of arguments that are one of several words, by their short names, with these words."""
    if isinstance(place.node, ast.FunctionDef):
        kinds = [each.annotation for each in (*place.node.args.args, *place.node.args.kwonlyargs)]
    else:
        kinds = [each.annotation for each in place.node.body if isinstance(each, ast.AnnAssign)]
    nodes = (node for kind in kinds if kind for node in ast.walk(kind))
    names = dict.fromkeys(ast.unparse(node) for node in nodes if isinstance(node, ast.Name | ast.Attribute))
    known = ((name, _literal(place.module, name)) for name in names)
    return [(name.rpartition(".")[2], words) for name, words in known if words]


def _literal(module: str, name: str) -> list[str]:
    """The words of a type of words; empty for another type."""
    home, value = _assigned(module, name) or (module, None)
    if not (isinstance(value, ast.Subscript) and ast.unparse(value.value) == "Literal"):
        return []
    each = value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
    found = (_literal(home, one.id) if isinstance(one, ast.Name) else [str(ast.literal_eval(one))] for one in each)
    return [word for words in found for word in words]


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
    """Where a definition comes from: what its docstring cites or else that of its module, or that no paper has it."""
    if not papers:
        return []
    cited = re.compile(rf"(?:{'|'.join(papers)}) [^,;:)]*[^,;:). ]")
    for text in (place.text, cleandoc(ast.get_docstring(_module(place.module)) or "")):
        if found := dict.fromkeys(cited.findall(" ".join(text.split()))):
            return [_cited(each, papers) for each in found]
        if own := re.search(r"in none of the (?:five )?papers", text):
            return [Markup('{}: <a href="docs-beyond.html">derived</a>').format(own.group())]
    return []


def described(entry: Mapping[str, Any]) -> set[str]:
    """Names of the arguments and attributes that an entry describes."""
    return {name for _, items in entry["parts"] for names, _ in items for name in names}
