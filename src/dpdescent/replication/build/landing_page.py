"""The pages that a call of Snakemake names last, because they show what it was asked to make."""

import os
from collections.abc import Collection, Iterator
from pathlib import Path

from dpdescent.replication.configuration.project import Artefact, Project

# Words about a report that is older than a figure on it.
OLDER = " (its numbers and claims are those of the last whole build)"


def report_page(results: str, artefact: Artefact) -> str:
    """Path of the report's page with an artefact."""
    page = "on-request" if artefact.on_request else artefact.paper
    return f"{results}/report/{page}.html"


def own_page(build: str, name: str) -> str:
    """Path of the page of one artefact or paper, which is made where there is no report."""
    return f"{build}/pages/{name}.html"


def lines(project: Project, targets: Collection[str]) -> list[str]:
    """The lines that name the pages to open, one per page that exists; none for targets that no page shows.

    Args:
        project: the configured project.
        targets: the requested targets; none stands for everything.
    """
    pages = dict.fromkeys(page for target in sorted(targets) or ["all"] for page in _pages(project, target))
    return [f"Open {page}" for page in pages if os.path.isfile(page.partition("#")[0].partition(" ")[0])]


def _pages(project: Project, target: str) -> Iterator[str]:
    results, build = f"results/{project.scale}", f"build/{project.scale}"
    artefacts = [
        artefact for paper in project.papers.values() for artefact in (paper.artefacts | paper.on_request).values()
    ]
    requested = [artefact for artefact in artefacts if target in names(results, artefact)]
    if requested:
        yield _page(results, build, requested[0])
    elif target in project.papers:
        page = f"{results}/report/{target}.html"
        yield page if os.path.isfile(page) else own_page(build, target)
    elif target == "all" or target.startswith((f"{results}/report/", f"{results}/MANIFEST")):
        yield f"{results}/report/{'index' if len(project.papers) > 1 else next(iter(project.papers))}.html"


def names(results: str, artefact: Artefact) -> list[str]:
    """The names by which an artefact can be requested: its rule, and its files."""
    kinds = ("csv", "png", "svg", "md", "tex")
    return [f"{artefact.paper}_{artefact.id}", *(f"{results}/{artefact.item}.{kind}" for kind in kinds)]


def _page(results: str, build: str, artefact: Artefact) -> str:
    page, table = Path(report_page(results, artefact)), Path(f"{results}/{artefact.item}.csv")
    if not page.is_file():
        return own_page(build, artefact.item)
    anchor = f"{artefact.paper}-{artefact.id}" if artefact.on_request else artefact.id
    older = table.is_file() and page.stat().st_mtime_ns < table.stat().st_mtime_ns
    return f"{page}#{anchor}{OLDER if older else ''}"
