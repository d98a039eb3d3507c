"""Citations of the software and the papers as BibTeX, and the graph of the rules as a drawing."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

# Width and height of a box of the graph, and the distance between its rows.
BOX, TALL, STEP = 92, 26, 40


def software_entry(software: Mapping[str, Any]) -> str:
    """BibTeX entry of the software, from `CITATION.cff`."""
    authors = " and ".join(f"{{{author['name']}}}" for author in software["authors"])
    fields = {"title": f"{{{software['title']}}}", "author": authors, "year": str(software["date-released"])[:4]}
    return _entry(
        "software", "dpdescent", fields | {"version": software["version"], "note": f"{software['license']} licence"}
    )


def paper_entry(key: str, reference: Mapping[str, Any]) -> str:
    """BibTeX entry of a paper, from its reference in `CITATION.cff`."""
    authors = " and ".join(f"{author['family-names']}, {author['given-names']}" for author in reference["authors"])
    fields = {"title": f"{{{reference['title']}}}", "author": authors, "year": str(reference["year"])}
    if "collection-title" in reference:
        fields["booktitle"] = reference["collection-title"]
    for name in ("volume", "doi"):
        if name in reference:
            fields[name] = str(reference[name])
    fields |= {"eprint": arxiv(reference), "archiveprefix": "arXiv"} if arxiv(reference) else {}
    return _entry("inproceedings" if "booktitle" in fields else "misc", key, fields)


def arxiv(reference: Mapping[str, Any]) -> str:
    """ArXiv number of a reference; empty without one."""
    values = [identifier["value"] for identifier in reference.get("identifiers", [])]
    return next((value.removeprefix("arXiv:") for value in values if value.startswith("arXiv:")), "")


def entries(software: Mapping[str, Any], papers: Iterable[Mapping[str, Any]]) -> list[str]:
    """BibTeX of the software, then of each paper that `CITATION.cff` lists."""
    listed = {arxiv(reference): reference for reference in software["references"] if arxiv(reference)}
    cited = [(paper["key"], listed[paper["arxiv"]]) for paper in papers if paper.get("arxiv") in listed]
    return [software_entry(software), *(paper_entry(key, reference) for key, reference in cited)]


def _entry(kind: str, key: str, fields: Mapping[str, str]) -> str:
    lines = ",\n".join(f"  {name} = {{{text}}}" for name, text in fields.items())
    return f"@{kind}{{{key},\n{lines}\n}}"


def layers(edges: Sequence[Sequence[str]]) -> list[list[str]]:
    """Names by the length of the longest path that leads to them, in alphabetical order within a layer.

    Raises:
        ValueError: if the edges make a cycle.
    """
    names = sorted({name for edge in edges for name in edge})
    depth = dict.fromkeys(names, 0)
    for _ in range(len(names) + 1):
        deeper = [(end, depth[start] + 1) for start, end in edges if depth[end] < depth[start] + 1]
        if not deeper:
            return [
                [name for name in names if depth[name] == layer] for layer in range(max(depth.values(), default=-1) + 1)
            ]
        depth |= dict(deeper)
    raise ValueError(f"rules wait for each other: {', '.join(names)}")


def graph(edges: Sequence[Sequence[str]]) -> Markup:
    """Drawing of a graph from top to bottom, one layer per line."""
    rows = layers(edges)
    width = max(len(row) for row in rows) * (BOX + 12) + 8
    places = {
        name: (width * (2 * column + 1) / (2 * len(row)), 4 + layer * (TALL + STEP))
        for layer, row in enumerate(rows)
        for column, name in enumerate(row)
    }
    lines = [
        f'<path class="gap" d="M{x:.0f} {y + TALL}L{to_x:.0f} {to_y}"/>'
        for (x, y), (to_x, to_y) in ((places[start], places[end]) for start, end in edges)
    ]
    boxes = [
        f'<rect x="{x - BOX / 2:.0f}" y="{y}" width="{BOX}" height="{TALL}" rx="5"/>'
        f'<text x="{x:.0f}" y="{y + 17}">{escape(name)}</text>'
        for name, (x, y) in places.items()
    ]
    words = "; ".join(f"{start} to {end}" for start, end in edges)
    height = len(rows) * (TALL + STEP) - STEP + 8
    head = f'<svg class="graph" viewBox="0 0 {width} {height}" role="img" aria-label="{words}">'
    return Markup("\n".join([head, *lines, *boxes, "</svg>"]))
