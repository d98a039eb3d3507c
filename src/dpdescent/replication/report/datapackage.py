"""Descriptions of the tables of results, column by column, as a data package that tools can read.

What a column means comes from the configuration: the symbols and `columns` of a paper's file, and `config/columns.yaml`
for what papers share. Of a table itself only the names and types of its columns are read.
"""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dpdescent.replication.build.files import atomic, checked
from dpdescent.replication.configuration import schemas
from dpdescent.replication.configuration import values as conf
from dpdescent.replication.configuration.project import Project
from dpdescent.replication.configuration.values import Node
from dpdescent.replication.report.about import about

FILE = "datapackage.json"
# Tables that each paper has, in a folder of its own.
OF_A_PAPER = ("bounds.csv", "settings.csv")
# Those that are written of what is made on request, too.
JUDGED = ("audit.csv", "claims.csv", "claims_cells.csv", "privacy.csv", "privacy_notes.csv")
# Each type with what reads a value of it; the first that reads all values of a column is its type.
TYPES: dict[str, Callable[[str], object]] = {
    "boolean": {"True": True, "False": False}.__getitem__, "integer": int, "number": float,
}  # fmt: skip


@dataclass(frozen=True)
class Table:
    """What the configuration says of a table.

    Attributes:
        title, description: what it is, in a line and in words.
        columns: what is known of a column by its name: `means`, and perhaps `type` and `unit`.
    """

    title: str
    description: str
    columns: Mapping[str, Node]


def columns(project: Project, root: Path) -> Node:
    """What the configuration says of columns: `config/columns.yaml`, and `papers` with the `columns` of each.

    Raises:
        ConfigError: in one line, if the file does not fit its schema.
    """
    found = conf.read_yaml(root / "config/columns.yaml")
    schemas.validate(found, root / "workflow/schemas/columns.schema.yaml", "config/columns.yaml")
    return found | {"papers": {key: paper.annotated.get("columns", {}) for key, paper in project.papers.items()}}


def of_project(project: Project, root: Path, on_request: bool = False) -> dict[str, Table]:
    """Tables of a build of a configured project, or of what it makes on request, by path below their folder."""
    papers, words = [about(project, key, root) for key in project.papers], columns(project, root)
    return tables_on_request(papers, words) if on_request else tables(papers, words)


def tables(papers: Sequence[Node], words: Node) -> dict[str, Table]:
    """Tables of a build, of each paper, and of each artefact, by path below the folder of its scale.

    Args:
        papers: what the report knows of each paper (see `about`).
        words: what `columns` returns.
    """
    of_all = {name: table(each) for name, each in words["tables"].items()}
    found = {name: each for name, each in of_all.items() if name not in OF_A_PAPER}
    for paper in papers:
        found |= {f"{paper['key']}/{name}": of_all[name] for name in OF_A_PAPER}
    return found | _of_artefacts(papers, words, "artefacts")


def tables_on_request(papers: Sequence[Node], words: Node) -> dict[str, Table]:
    """Tables of what is made on request, by path below the folder of that, as `tables`."""
    judged = {name: table(words["tables"][name]) for name in JUDGED}
    return judged | _of_artefacts(papers, words, "on_request")


def _of_artefacts(papers: Sequence[Node], words: Node, kind: str) -> dict[str, Table]:
    return {
        f"{paper['key']}/{artefact['id']}.csv": _of_artefact(paper, artefact, words)
        for paper in papers
        for artefact in paper[kind]
    }


def table(entry: Node) -> Table:
    """A table that is described whole in `config/columns.yaml`."""
    return Table(entry["about"], entry["about"], {name: _entry(words) for name, words in entry["columns"].items()})


def _of_artefact(paper: Node, artefact: Node, words: Node) -> Table:
    """An artefact's table; what its paper says of a column of this figure goes before all else."""
    found = {**words["artefacts"], **paper["symbols"]}
    own = f"{artefact['id']}."
    for name, means in sorted(words["papers"][paper["key"]].items(), key=lambda item: "." in item[0]):
        if "." not in name or name.startswith(own):
            found[name.removeprefix(own)] = means
    found |= {name: f"{found[name]}; the mean over trials" for name in artefact["measures"] if name in found}
    title = f"{artefact['place']}: {artefact['title']}"
    return Table(title, artefact["caption"], {name: _entry(each) for name, each in found.items()})


def _entry(words: str | Node) -> Node:
    return {"means": words} if isinstance(words, str) else words


def package(results: Path, known: Mapping[str, Table], name: str) -> Node:
    """The descriptor of a folder's tables, ready for JSON.

    Tables that are not there are left out, but for those whose types are all given: the build makes them later.

    Args:
        results: the folder.
        known: its tables by path below it.
        name: the scale, or the scale and the folder below its own.

    Raises:
        SystemExit: in one line, if a table is not what was written.
    """
    return {
        "profile": "tabular-data-package",
        "name": f"dpdescent-{name}".lower(),
        "title": "Tables of the replication, with what each column means",
        "licenses": [{"name": "MIT"}],
        "resources": list(_resources(results, known)),
    }


def _resources(results: Path, known: Mapping[str, Table]) -> Iterator[Node]:
    for path, table in sorted(known.items()):
        if all("type" in entry for entry in table.columns.values()):
            types = {name: entry["type"] for name, entry in table.columns.items()}
        elif (results / path).is_file():
            types = _types(checked(results / path))
        else:
            continue
        yield {
            "profile": "tabular-data-resource", "name": path.removesuffix(".csv").lower(), "path": path,
            "title": table.title, "description": table.description, "format": "csv", "mediatype": "text/csv",
            "encoding": "utf-8", "schema": {"fields": [
                {"name": column, "type": kind, **_words(table.columns.get(column, {}))}
                for column, kind in types.items()
            ]},
        }  # fmt: skip


def _words(entry: Node) -> Node:
    """What is told of a column, by the names of a descriptor; nothing of one that the configuration does not know."""
    found = {"description": entry.get("means"), "unit": entry.get("unit")}
    return {name: text for name, text in found.items() if text}


def _types(content: bytes) -> dict[str, str]:
    """Type of each column of a CSV by its name; of empty columns, too, the last one, text."""
    header, *rows = csv.reader(io.StringIO(content.decode("utf-8")))
    columns = zip(*rows, strict=True) if rows else ((),) * len(header)
    return dict(zip(header, map(_type, columns), strict=True))


def _type(texts: Sequence[str]) -> str:
    given = {text for text in texts if text}
    for name, read in TYPES.items():
        try:
            for text in given:
                read(text)
        except (KeyError, ValueError):
            continue
        if given:
            return name
    return "string"


def write(results: Path, known: Mapping[str, Table], name: str) -> None:
    """Writes the descriptor of a folder's tables beside them."""
    with atomic(results / FILE) as stream:
        stream.write(text(package(results, known, name)))


def text(descriptor: Node) -> str:
    """The descriptor as it stands in its file."""
    return json.dumps(descriptor, indent=1, ensure_ascii=False) + "\n"
