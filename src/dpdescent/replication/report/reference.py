"""Generated parts of the documentation: keys of the configuration, the graph of the rules."""

import re
from collections.abc import Iterator
from typing import Any

from dpdescent.replication.report.summary import table

Node = dict[str, Any]

_TYPES = {"array": "list", "object": "mapping", "string": "text", "null": "nothing"}
_LIMITS = {
    "minimum": "at least {}", "exclusiveMinimum": "above {}", "maximum": "at most {}",
    "minItems": "at least {} of them", "minLength": "at least {} letters",
}  # fmt: skip


def keys(schema: Node) -> str:
    """Markdown table of every key that a schema allows: its path, its type, its meaning."""
    rows = [
        [f"`{path}`", f"{_takes(node, schema)}{', needed' if needed else ''}", _means(node, schema)]
        for path, node, needed in _walk(schema, schema, "")
    ]
    return table(["key", "takes", "meaning"], rows)


def _walk(node: Node, schema: Node, path: str) -> Iterator[tuple[str, Node, bool]]:
    """Yields keys in the order of the schema, depth first; a freely chosen name is written `<name>`."""
    needed = node.get("required", [])
    for key, child in node.get("properties", {}).items():
        here = f"{path}.{key}" if path else key
        yield here, child, key in needed
        yield from _below(child, schema, here)


def _below(child: Node, schema: Node, here: str) -> Iterator[tuple[str, Node, bool]]:
    """Yields keys below a key, except inside annotated values, because these are described once for all keys."""
    if child.get("$ref", "").endswith("/annotated"):
        return
    inner = _resolved(child, schema)
    if "properties" in inner:
        yield from _walk(inner, schema, here)
    free = inner.get("additionalProperties")
    if isinstance(free, dict) and not free.get("$ref", "").endswith("/annotated"):
        yield from _below(free, schema, f"{here}.<name>")


def _resolved(node: Node, schema: Node) -> Node:
    if "$ref" not in node:
        return node
    name = node["$ref"].rsplit("/", 1)[1]
    return dict(schema["$defs"][name])


def _takes(node: Node, schema: Node) -> str:
    """Type of a key in words, with its limits."""
    if node.get("$ref", "").endswith("/annotated"):
        return "annotated value"
    node = _resolved(node, schema)
    if "enum" in node:
        return " or ".join(f"`{value}`" for value in node["enum"])
    if "oneOf" in node:
        return " or ".join(
            f"`{option['const']}`" if "const" in option else _takes(option, schema) for option in node["oneOf"]
        )
    kinds = node.get("type", "any")
    words = " or ".join(_TYPES.get(kind, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds))
    limits = [text.format(node[limit]) for limit, text in _LIMITS.items() if limit in node]
    return ", ".join([words, *limits])


def _means(node: Node, schema: Node) -> str:
    return str(node.get("description") or _resolved(node, schema).get("description", ""))


def plain_graph(mermaid: str) -> str:
    """Snakemake's rule graph with rules by their names, without colours and without edges implied by longer paths.

    Args:
        mermaid: output of `snakemake --rulegraph mermaid-js`.
    """
    names = dict(re.findall(r"^\s*(\w+)\[(.+)\]$", mermaid, flags=re.MULTILINE))
    edges = {(names[a], names[b]) for a, b in re.findall(r"^\s*(\w+) --> (\w+)$", mermaid, flags=re.MULTILINE)}
    direct = sorted((a, b) for a, b in edges if not any(_leads(edges, c, b) for x, c in edges if x == a and c != b))
    return "\n".join(["flowchart LR", *(f"    {a} --> {b}" for a, b in direct)])


def _leads(edges: set[tuple[str, str]], start: str, end: str) -> bool:
    """Whether a path leads from one rule to another; it ends because rules have no cycles."""
    return start == end or any(_leads(edges, after, end) for before, after in edges if before == start)
