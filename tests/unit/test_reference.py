"""What the documentation quotes: every key of every schema, and the graph of the rules."""

from pathlib import Path
from typing import Any

import pytest

from dpdescent.replication.configuration import values
from dpdescent.replication.report import reference

ROOT = Path(__file__).resolve().parents[2]


def all_keys(node: Any) -> set[str]:
    """Names of properties at any depth, by brute force."""
    if isinstance(node, list):
        return set().union(*map(all_keys, node))
    if not isinstance(node, dict):
        return set()
    names = set(node.get("properties", {})) if isinstance(node.get("properties"), dict) else set()
    return names.union(*(all_keys(value) for value in node.values()))


@pytest.mark.parametrize("name", ["config", "scale", "paper"])
def test_every_key_is_documented_where_a_reader_looks(name: str) -> None:
    schema = values.read_yaml(ROOT / f"workflow/schemas/{name}.schema.yaml")
    table = reference.keys(schema)
    # How a value is annotated is told in words above the tables.
    annotation = {"value", *values.PROVENANCE}
    for key in all_keys(schema) - annotation:
        assert f"{key}` |" in table, key
    assert table in (ROOT / "config/README.md").read_text(encoding="utf-8")
    assert all(line.split(" | ")[-1].strip(" |") for line in table.splitlines()), "a key without a meaning"


def test_types_and_limits_are_in_words() -> None:
    schema = {
        "required": ["n"],
        "properties": {
            "n": {"type": "integer", "minimum": 1, "description": "size"},
            "x": {"oneOf": [{"const": "all"}, {"type": "array", "minItems": 2}], "description": "which"},
            "of": {"description": "by name", "type": "object", "additionalProperties": {"$ref": "#/$defs/thing"}},
        },
        "$defs": {"thing": {"type": "object", "properties": {"y": {"type": ["string", "null"], "description": "why"}}}},
    }
    assert reference.keys(schema).splitlines()[2:] == [
        "| `n` | integer, at least 1, needed | size |",
        "| `x` | `all` or list, at least 2 of them | which |",
        "| `of` | mapping | by name |",
        "| `of.<name>.y` | text or nothing | why |",
    ]


def test_graph_names_rules_and_leaves_out_what_longer_ways_imply() -> None:
    printed = "\n".join(
        ["---", "flowchart TB", "\tid0[all]", "\tid1[table]", "\tid2[train]", "\tstyle id0 fill:#D95757",
         "\tid1 --> id0", "\tid2 --> id0", "\tid2 --> id1"]
    )  # fmt: skip
    assert reference.plain_graph(printed) == "flowchart LR\n    table --> all\n    train --> table"
