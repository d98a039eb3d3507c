"""Descriptions of the tables of results, column by column, as a data package that tools can read.

The meaning of a column comes from the configuration: from the symbols and `columns` of a paper's file, and from
`config/columns.yaml` for columns that papers share. Only names and types of columns are read from a table itself.
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
# Tables that are also written for artefacts on request.
JUDGED = ("audit.csv", "claims.csv", "claims_cells.csv", "privacy.csv", "privacy_notes.csv")
# Types with the functions that read their values; a column has the first type that reads all of its values.
TYPES: dict[str, Callable[[str], object]] = {
    "boolean": {"True": True, "False": False}.__getitem__, "integer": int, "number": float,
}  # fmt: skip


@dataclass(frozen=True)
class Table:
    """The description of a table in the configuration.

    Attributes:
        title, description: its title in a line, and its description.
        columns: entries of its known columns by name: `means`, and perhaps `type` and `unit`.
    """

    title: str
    description: str
    columns: Mapping[str, Node]


def columns(project: Project, root: Path) -> Node:
    """The entries of columns in the configuration: `config/columns.yaml`, and `papers` with the `columns` of each.

    Raises:
        ConfigError: in one line, if the file does not fit its schema.
    """
    entries = conf.read_yaml(root / "config/columns.yaml")
    schemas.validate(entries, root / "workflow/schemas/columns.schema.yaml", "config/columns.yaml")
    return entries | {"papers": {key: paper.annotated.get("columns", {}) for key, paper in project.papers.items()}}


def of_project(project: Project, root: Path, on_request: bool = False) -> dict[str, Table]:
    """Tables of a build of a configured project, or of its artefacts on request, by path below their folder."""
    papers, words = [about(project, key, root) for key in project.papers], columns(project, root)
    return tables_on_request(papers, words) if on_request else tables(papers, words)


def tables(papers: Sequence[Node], words: Node) -> dict[str, Table]:
    """Tables of a build, of each paper, and of each artefact, by path below the folder of its scale.

    Args:
        papers: data on each paper (see `about`).
        words: the entries that `columns` returns.
    """
    of_all = {name: table(entry) for name, entry in words["tables"].items()}
    described = {name: of_build for name, of_build in of_all.items() if name not in OF_A_PAPER}
    for paper in papers:
        described |= {f"{paper['key']}/{name}": of_all[name] for name in OF_A_PAPER}
    return described | _of_artefacts(papers, words, "artefacts")


def tables_on_request(papers: Sequence[Node], words: Node) -> dict[str, Table]:
    """Tables of artefacts on request, by path below their folder, with the arguments of `tables`."""
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
    """The table of an artefact; the paper's words on a column of this very figure take precedence."""
    meanings = {**words["artefacts"], **paper["symbols"]}
    own = f"{artefact['id']}."
    for name, means in sorted(words["papers"][paper["key"]].items(), key=lambda item: "." in item[0]):
        if "." not in name or name.startswith(own):
            meanings[name.removeprefix(own)] = means
    meanings |= {name: f"{meanings[name]}; the mean over trials" for name in artefact["measures"] if name in meanings}
    title = f"{artefact['place']}: {artefact['title']}"
    return Table(title, artefact["caption"], {name: _entry(entry) for name, entry in meanings.items()})


def _entry(words: str | Node) -> Node:
    return {"means": words} if isinstance(words, str) else words


def package(results: Path, described: Mapping[str, Table], name: str) -> Node:
    """The descriptor of a folder's tables, ready for JSON.

    Missing tables are left out, except those with the types of all columns given: the build makes them later.

    Args:
        results: the folder.
        described: its tables by path below it.
        name: the scale, or the scale and the folder below its own.

    Raises:
        SystemExit: in one line, if a table is not what was written.
    """
    return {
        "profile": "tabular-data-package",
        "name": f"dpdescent-{name}".lower(),
        "title": "Tables of the replication, with what each column means",
        "licenses": [{"name": "MIT"}],
        "resources": list(_resources(results, described)),
    }


def _resources(results: Path, described: Mapping[str, Table]) -> Iterator[Node]:
    for path, table in sorted(described.items()):
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
    """The description and unit of a column for a descriptor; empty for a column that has no entry."""
    fields = {"description": entry.get("means"), "unit": entry.get("unit")}
    return {name: text for name, text in fields.items() if text}


def _types(content: bytes) -> dict[str, str]:
    """Type of each column of a CSV by its name; empty columns have the last type, text."""
    header, *rows = csv.reader(io.StringIO(content.decode("utf-8")))
    columns = zip(*rows, strict=True) if rows else ((),) * len(header)
    return dict(zip(header, map(_type, columns), strict=True))


def _type(texts: Sequence[str]) -> str:
    filled = {text for text in texts if text}
    for name, read in TYPES.items():
        try:
            for text in filled:
                read(text)
        except (KeyError, ValueError):
            continue
        if filled:
            return name
    return "string"


def write(results: Path, described: Mapping[str, Table], name: str) -> None:
    """Writes the descriptor of a folder's tables beside them."""
    with atomic(results / FILE) as stream:
        stream.write(text(package(results, described, name)))


def text(descriptor: Node) -> str:
    """The descriptor as it stands in its file."""
    return json.dumps(descriptor, indent=1, ensure_ascii=False) + "\n"
