"""What the report knows of a paper beside its results: titles, captions, trials, who chose what, where its code is.

Nothing here imports numpy, because Snakemake's start would pay for it.
"""

import re
from pathlib import Path

from dpdescent.replication.build.fingerprint import module_file
from dpdescent.replication.configuration import choices
from dpdescent.replication.configuration import values as conf
from dpdescent.replication.configuration.project import Artefact, Project, scale_label
from dpdescent.replication.configuration.values import Node


def about(project: Project, paper: str, root: Path) -> Node:
    """A paper as the report shows it, ready for JSON; what is made on request only is listed, without results.

    Args:
        project: as configured.
        paper: its key.
        root: the project's directory, where sources are looked up.
    """
    mine = project.papers[paper]
    drawings = _drawings(root, paper)
    return {
        "key": paper,
        **mine.about,
        "artefacts": [_artefact(artefact, root, drawings) for artefact in mine.artefacts.values()],
        "on_request": {
            name: {"title": artefact.title, "why": mine.annotated["artefacts"][name]["on_request"]}
            for name, artefact in mine.on_request.items()
        },
        "symbols": {name: rule["means"] for name, rule in mine.symbols.items()},
        "settings": choices.rows_of(mine.annotated),
    }


def _artefact(artefact: Artefact, root: Path, drawings: dict[str, str]) -> Node:
    experiment = root / "src/dpdescent/papers" / artefact.paper / "experiments" / f"{artefact.id}.py"
    return {
        "id": artefact.id, "title": artefact.title, "place": artefact.place,
        "caption": " ".join(artefact.caption.split()), "table": artefact.is_table,
        "columns": artefact.display.get("columns", []), "keys": artefact.keys, "trials": _trials(artefact),
        "experiment": str(experiment.relative_to(root)), "drawing": drawings.get(artefact.id, ""),
    }  # fmt: skip


def _trials(artefact: Artefact) -> dict[str, list[int]]:
    """Numbers of trials of each variant, one a panel where they differ, in rising order."""
    last: dict[tuple[str, str], int] = {}
    for part in artefact.parts:
        place = (part.spec["variant"], part.spec["panel"])
        last[place] = max(last.get(place, 0), part.spec["trials"][1])
    variants = dict.fromkeys(variant for variant, _ in last)
    return {name: sorted({count for (variant, _), count in last.items() if variant == name}) for name in variants}


def _drawings(root: Path, paper: str) -> dict[str, str]:
    """By artefact, the file that defines how it is drawn."""
    module = module_file(root / "src", f"dpdescent.papers.{paper}.figures")
    files = sorted(module.parent.glob("*.py")) if module.name == "__init__.py" else [module]
    found = {}
    for file in files:
        # A function, or names for another figure's: `draw_fig10 = draw_fig11 = draw_fig05`.
        lines = re.findall(r"^(?:def )?draw_.*$", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for name in re.findall(r"draw_(\w+)(?=\(| = )", "\n".join(lines)):
            found[name] = str(file.relative_to(root))
    return found


def software(root: Path) -> Node:
    """How to cite the software: title, authors and version, as `CITATION.cff` has them."""
    citation = conf.read_yaml(root / "CITATION.cff")
    return {key: citation[key] for key in ("title", "authors", "version")}


def captions(project: Project, root: Path) -> Node:
    """What the templates of Snakemake's own report know: the scale in words, and captions in reStructuredText."""
    artefacts = [*project.artefacts(), *project.on_request()]
    texts = {each.item: f"{each.place}. {each.title}. {each.caption}" for each in artefacts}
    return {
        "label": "paper scale" if project.scale == "paper" else scale_label(project.scale, root),
        "captions": {item: re.sub(r"([\\*`|_])", r"\\\1", text) for item, text in texts.items()},
    }
