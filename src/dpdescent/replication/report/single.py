"""A page by itself on artefacts of one paper: it holds style and scripts, and links the pictures of the build."""

import os
from collections.abc import Sequence
from pathlib import Path

from dpdescent.replication.report import curves, paper_pages, site
from dpdescent.replication.report.content import Content, View

# Written into the page, because a page by itself has no folder of its own.
STYLE, SCRIPTS = "style.css", ("curves.js",)


def page(results: Path, paper: View, items: Sequence[str], label: str, folder: Path) -> str:
    """HTML of the page.

    Args:
        results: folder of the build's results.
        paper: data on the paper (see `replication.report.about`).
        items: its artefacts, as paths in the results without a suffix.
        label: label of a scale that is not the papers' own.
        folder: folder of the page, from which its links lead.
    """
    artefacts = {artefact["id"]: artefact for artefact in [*paper["artefacts"], *paper["on_request"]]}
    shown = {item: artefacts[item.split("/")[-1]] for item in items}
    # Nothing is judged here: claims are judged with all of a paper's tables.
    bare = Content(results, [paper], [], [], [], [], [], [])
    sections = [
        paper_pages.section(bare, paper, artefact, item) | {"at": os.path.relpath(results / item, folder)}
        for item, artefact in shown.items()
    ]
    points = curves.script(paper_pages.lines(sections))
    return site.template("single.html.j2").render(
        paper=paper, sections=sections, label=label, points=points, style=site.static(STYLE),
        scripts=[site.static(name) for name in SCRIPTS],
    )  # fmt: skip
