"""Sources of values: the values of each artefact, whether the paper states them, and our reasons where it does not.

Rows come from a paper's annotated configuration, before provenance is stripped. The module does not import numpy,
because that would slow Snakemake's start.
"""

from collections.abc import Iterator
from typing import Any

from dpdescent.replication.configuration import values as conf
from dpdescent.replication.configuration.values import Node

GIVEN = ("artefact", "part", "symbol", "value", "source", "reason")
COLUMNS = (*GIVEN[:3], "meaning", *GIVEN[3:])
VARIANT = "variant"


def rows_of(annotated: Node) -> list[list[str]]:
    """Rows of every value of every artefact of a paper, with its source and its reason or place in the paper.

    Names of columns and meanings of symbols are left out, because the rows are passed on a command line, whose length
    is limited; `with_meanings` adds them.

    Args:
        annotated: content of the paper's file, with provenance.

    Returns:
        Rows with the columns of `GIVEN`. `source` is `stated` (by the paper), `code` (an author's public code),
        `chosen` (by us) or `variant` (a sensitivity variant's change); `reason` is the place in the paper, the reason
        of our choice, or the reason of the variant.
    """
    return [
        [{"artefact": name, **row}[column] for column in GIVEN]
        for name, node in annotated["artefacts"].items()
        for row in (*_own(node, annotated["settings"]), *_variants(node))
    ]


def _own(node: Node, shared: Node) -> Iterator[dict[str, str]]:
    settings = {key: shared[key] for key in node.get("uses", []) if key in shared} | node.get("settings", {})
    yield from _merged(node["cells"])
    sections = (("arms", node.get("arms", {})), ("settings", settings), ("", {"trials": node["trials"]}))
    for part, values in sections:
        for symbol, annotation in values.items():
            yield _row(part, symbol, annotation)


def _merged(cells: Node) -> Iterator[dict[str, str]]:
    """Yields the values of cells, once where several panels have the same value."""
    found: dict[tuple[str, ...], list[str]] = {}
    for panel, cell in cells.items():
        for symbol, annotation in cell.items():
            row = _row("", symbol, annotation)
            found.setdefault((symbol, row["value"], row["source"], row["reason"]), []).append(str(panel))
    for (symbol, value, source, reason), panels in found.items():
        part = "" if len(cells) == 1 else f"panel {', '.join(panels)}" if len(panels) < len(cells) else "all panels"
        yield {"part": part, "symbol": symbol, "value": value, "source": source, "reason": reason}


def _variants(node: Node) -> Iterator[dict[str, str]]:
    for name, changes in node.get("variants", {}).items():
        for path, value in _leaves({key: changes[key] for key in changes if key not in ("why", "panels")}):
            yield {
                "part": f"variant {name}", "symbol": path, "value": text_of(conf.strip_provenance(value)),
                "source": VARIANT, "reason": changes["why"],
            }  # fmt: skip


def _leaves(node: Node) -> Iterator[tuple[str, Any]]:
    """Yields the values inside a variant's sections, named by their innermost key."""
    for key, value in node.items():
        if isinstance(value, dict) and "value" not in value and value:
            yield from _leaves(value)
        else:
            yield str(key), value


def _row(part: str, symbol: str, annotation: Node) -> dict[str, str]:
    source = next((kind for kind in conf.PROVENANCE if kind in annotation), "")
    value = text_of(conf.strip_provenance(annotation))
    return {
        "part": part, "symbol": symbol, "value": value, "source": source, "reason": str(annotation.get(source, "")),
    }  # fmt: skip


def with_meanings(rows: list[list[str]], meanings: dict[str, str]) -> list[dict[str, str]]:
    """Adds the meanings of declared symbols to rows of `rows_of`; returns rows with the columns of `COLUMNS`."""
    named = [dict(zip(GIVEN, row, strict=True)) for row in rows]
    return [{**row, "meaning": meanings.get(row["symbol"], "")} for row in named]


def text_of(value: Any) -> str:
    """Text of a value: lists are joined by commas, mappings are written as `key: value`."""
    if isinstance(value, dict):
        return "; ".join(f"{key}: {text_of(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(text_of(item) for item in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)
