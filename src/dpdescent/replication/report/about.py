"""Data on a paper for the report, other than its results: titles, captions, trials, sources of values, code files.

It does not import numpy, because that would slow Snakemake's start.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dpdescent.replication.build.fingerprint import module_file
from dpdescent.replication.configuration import choices
from dpdescent.replication.configuration import values as conf
from dpdescent.replication.configuration.project import Artefact, Paper, Project, figure_json, figure_label
from dpdescent.replication.configuration.values import Node
from dpdescent.replication.report.pages import by_hand


def about(project: Project, paper: str, root: Path) -> Node:
    """Data on a paper for the report, ready for JSON, with the needs of artefacts on request.

    Args:
        project: the configured project.
        paper: the paper's key.
        root: the project's directory, which holds the source files.
    """
    mine = project.papers[paper]
    return {
        "key": paper,
        **mine.about,
        "artefacts": [_artefact(project, artefact, root) for artefact in mine.artefacts.values()],
        "on_request": [
            _artefact(project, artefact, root) | _on_request(mine, artefact) for artefact in mine.on_request.values()
        ],
        "symbols": {name: rule["means"] for name, rule in mine.symbols.items()},
        "settings": choices.rows_of(mine.annotated, project.given),
        "published": published(mine.annotated.get("published", {})),
        "judging": judging(root, paper),
    }


def _artefact(project: Project, artefact: Artefact, root: Path) -> Node:
    experiment = module_file(root / "src", artefact.run.partition(":")[0])
    drawing = "" if artefact.is_table else _drawing(artefact, root)
    return {
        "id": artefact.id, "title": artefact.title, "place": artefact.place,
        "caption": " ".join(artefact.caption.split()), "table": artefact.is_table,
        "columns": artefact.display.get("columns", []), "keys": artefact.keys, "measures": artefact.measures,
        "trials": _trials(artefact),
        "experiment": str(experiment.relative_to(root)), "drawing": drawing, "draw": artefact.draw,
        "display": {} if artefact.is_table else json.loads(figure_json(project, artefact, ""))["display"],
    }  # fmt: skip


def _on_request(paper: Paper, artefact: Artefact) -> Node:
    """The needs of an artefact on request, in words, and the published numbers that stand beside it."""
    published = paper.published.get(artefact.display.get("beside", ""), {})
    return {"why": paper.annotated["artefacts"][artefact.id]["on_request"], "published": published}


def _trials(artefact: Artefact) -> dict[str, list[int]]:
    """Numbers of trials of each variant, in rising order; several where its panels differ."""
    last: dict[tuple[str, str], int] = {}
    for part in artefact.parts:
        place = (part.spec["variant"], part.spec["panel"])
        last[place] = max(last.get(place, 0), part.spec["trials"][1])
    variants = dict.fromkeys(variant for variant, _ in last)
    return {name: sorted({count for (variant, _), count in last.items() if variant == name}) for name in variants}


def _drawing(artefact: Artefact, root: Path) -> str:
    """Path of the file that defines how an artefact is drawn: a module, or one module of a package."""
    module, _, function = artefact.draw.partition(":")
    file = module_file(root / "src", module)
    files = sorted(file.parent.glob("*.py")) if file.name == "__init__.py" else [file]
    # A function, or further names for the function of another figure: `draw_fig10 = draw_fig11 = draw_fig05`.
    defined = re.compile(rf"^(?:def {function}\(|(?:draw_\w+ = )*{function} = )", flags=re.MULTILINE)
    defining = [path for path in files if defined.search(path.read_text(encoding="utf-8"))]
    return str(defining[0].relative_to(root)) if defining else ""


def published(node: Mapping[str, Any]) -> list[dict[str, str]]:
    """Published numbers of a paper's configuration, each with its place; lists and mappings give several."""
    return [
        {"number": f"{number:g}", "place": str(entry.get("stated", ""))}
        for entry in node.values()
        for number in _numbers(entry["value"])
    ]


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, float)):
        yield float(value)
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _numbers(item)


def judging(root: Path, paper: str) -> dict[str, list[str]]:
    """Ids of claims that stand as literals in the modules that judge a paper, by file."""
    folder = root / "src/dpdescent/papers" / paper
    files = sorted(folder.glob("claims.py"))
    files += [file for file in sorted(folder.glob("*.py")) if file.stem not in ("claims", "findings")]
    literal = re.compile(r'"([A-Za-z0-9][\w.]*(?:-[\w.]+)+)"')
    ids_in = {str(file.relative_to(root)): literal.findall(file.read_text(encoding="utf-8")) for file in files}
    return {name: sorted(set(ids)) for name, ids in ids_in.items() if ids}


# Packages that numbers and figures depend on.
PACKAGES = (
    "numpy", "scipy", "pandas", "dp-accounting", "randomgen", "clarabel", "matplotlib", "snakemake", "jinja2",
)  # fmt: skip


def software(root: Path) -> Node:
    """Citations from `CITATION.cff`, versions of the lock file, edges between rules, and what is taken of README.md.

    Of README.md it has a section for pages, and for the search all that no command writes from the results. `checkout`
    is the way to the project's files from a report in a checkout; elsewhere it is the same, because bytes are, and an
    address is needed.
    """
    citation = conf.read_yaml(root / "CITATION.cff")
    lock, graph, readme = (_text(root / name) for name in ("requirements.lock", "docs/architecture.md", "README.md"))
    commands = re.search(r"^## Two commands\n.*?(?=^## )", readme, flags=re.MULTILINE | re.DOTALL)
    matches = {name: re.search(rf"^{name}==(\S+)", lock, flags=re.MULTILINE) for name in PACKAGES}
    return {
        **{key: citation[key] for key in ("title", "authors", "version", "date-released", "license", "references")},
        "versions": {name: version.group(1) for name, version in matches.items() if version},
        "rules": re.findall(r"^ +(\w+) --> (\w+)$", graph, flags=re.MULTILINE),
        "front": by_hand(readme), "readme": commands.group() if commands else "", "checkout": "../../..",
    }  # fmt: skip


def _text(file: Path) -> str:
    """Text of a file; empty where the checkout lacks it."""
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def captions(project: Project, root: Path) -> Node:
    """Data for the templates of Snakemake's own report: the scale in words, and captions in reStructuredText."""
    artefacts = [*project.artefacts(), *project.on_request()]
    texts = {artefact.item: f"{artefact.place}. {artefact.title}. {artefact.caption}" for artefact in artefacts}
    return {
        "label": figure_label(project, root) or "paper scale",
        "captions": {item: re.sub(r"([\\*`|_])", r"\\\1", text) for item, text in texts.items()},
    }
