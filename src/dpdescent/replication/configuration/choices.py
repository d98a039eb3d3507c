"""Sources of values: the values of each artefact, whether the paper states them, and our reasons where it does not.

Rows come from a paper's annotated configuration, before provenance is stripped. The module does not import numpy,
because that would slow Snakemake's start.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from dpdescent.replication.configuration import values as conf
from dpdescent.replication.configuration.values import Node

GIVEN = ("artefact", "part", "symbol", "value", "source", "reason")
COLUMNS = (*GIVEN[:3], "meaning", *GIVEN[3:])
VARIANT = "variant"


def rows_of(annotated: Node, common: Mapping[str, Node] = MappingProxyType({})) -> list[list[str | int]]:
    """Rows for every value of every artefact of a paper, with its source and its reason or place in the paper.

    Names of columns and meanings of symbols are left out, and a reason that another row has is given as the number of
    that row, because the rows are passed on a command line, whose length is limited; `with_meanings` adds them.

    Args:
        annotated: content of the paper's file, with provenance; values of a scale are marked (see `overlays.marked`).
        common: the values that all artefacts share and that are not the project's defaults, such as a seed, annotated
            likewise.

    Returns:
        Rows with the columns of `GIVEN`. `source` is `stated` (by the paper), `code` (an author's public code),
        `chosen` (by us), `variant` (a sensitivity variant's change), `yours` (a value of the user's own overlay or
        command line) or the name of a scale that comes with the project; `reason` is the place in the paper, the
        reason of our choice or of the variant, or the file of the overlay and what it replaced.
    """
    rows: list[list[str | int]] = []
    first: dict[str, int] = {}
    for name, node in annotated["artefacts"].items():
        for row in (*_own(node, annotated, common), *_variants(node)):
            at = first.setdefault(row["reason"], len(rows))
            reason = row["reason"] if at == len(rows) else at
            rows.append([*({"artefact": name, **row}[column] for column in GIVEN[:-1]), reason])
    return rows


def _own(node: Node, annotated: Node, common: Mapping[str, Node]) -> Iterator[dict[str, str]]:
    shared = annotated["settings"]
    settings = {key: shared[key] for key in node.get("uses", []) if key in shared} | node.get("settings", {})
    yield from _merged(node["cells"])
    dataset = node.get("dataset")
    columns = annotated.get("datasets", {}).get(conf.strip_provenance(dataset), {})
    # The text about a data set in the paper's file says who chose it, unless a scale changes the data set.
    replaced = {key: value for key, value in columns.items() if isinstance(value, dict)}
    named = {"dataset": dataset} if isinstance(dataset, dict) else {}
    sections = (
        ("arms", node.get("arms", {})), ("settings", settings), ("data set", named | replaced),
        ("", {"trials": node["trials"], **common}),
    )  # fmt: skip
    for part, values in sections:
        for symbol, annotation in values.items():
            yield _row(part, symbol, annotation)


def _merged(cells: Node) -> Iterator[dict[str, str]]:
    """Yields the values of cells, once where several panels have the same value."""
    panels_of: dict[tuple[str, ...], list[str]] = {}
    for panel, cell in cells.items():
        for symbol, annotation in cell.items():
            row = _row("", symbol, annotation)
            panels_of.setdefault((symbol, row["value"], row["source"], row["reason"]), []).append(str(panel))
    for (symbol, value, source, reason), panels in panels_of.items():
        part = "" if len(cells) == 1 else f"panel {', '.join(panels)}" if len(panels) < len(cells) else "all panels"
        yield {"part": part, "symbol": symbol, "value": value, "source": source, "reason": reason}


def _variants(node: Node) -> Iterator[dict[str, str]]:
    for name, changes in node.get("variants", {}).items():
        for path, value in _leaves({key: changes[key] for key in changes if key not in ("why", "panels")}):
            changed = isinstance(value, dict) and any(source in value for source in conf.OVERLAID)
            annotation = value if changed else {"value": conf.strip_provenance(value), VARIANT: changes["why"]}
            yield _row(f"variant {name}", path, annotation)


def _leaves(node: Node) -> Iterator[tuple[str, Any]]:
    """Yields the values inside a variant's sections, named by their innermost key."""
    for key, value in node.items():
        if isinstance(value, dict) and "value" not in value and value:
            yield from _leaves(value)
        else:
            yield str(key), value


def _row(part: str, symbol: str, annotation: Node) -> dict[str, str]:
    source = next((kind for kind in (*conf.PROVENANCE, *conf.OVERLAID, VARIANT) if kind in annotation), "")
    value = text_of(conf.strip_provenance(annotation))
    return {
        "part": part, "symbol": symbol, "value": value, "source": source, "reason": str(annotation.get(source, "")),
    }  # fmt: skip


def with_meanings(rows: list[list[str | int]], meanings: dict[str, str]) -> list[dict[str, str]]:
    """Adds the meanings of declared symbols to rows of `rows_of`; returns rows with the columns of `COLUMNS`."""
    whole = [[*row, rows[reason][-1] if isinstance(reason, int) else reason] for *row, reason in rows]
    named = [dict(zip(GIVEN, map(str, row), strict=True)) for row in whole]
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
