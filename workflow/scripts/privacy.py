"""The ledger of a paper: what each arm released, what that guarantees, and which audit it asks for."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import importlib
import json
from pathlib import Path
from typing import Any

from dpdescent.replication.build.files import checked, write_rows
from dpdescent.replication.configuration.packs import cells_of
from dpdescent.replication.ledger import audits, entries


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=cells_of, required=True, help="JSON: the cells of all artefacts, in order")
    parser.add_argument("--releases", type=json.loads, required=True, help="JSON: module:function of each artefact")
    parser.add_argument("--data", nargs="*", default=[], help="prepared real data sets that the artefacts read")
    parser.add_argument("--tables", nargs="*", default=[], help="tables of other artefacts that they read")
    parser.add_argument("--output", required=True, help="CSV to write")
    args = parser.parse_args()
    data, tables = ({Path(path).stem: path for path in paths if checked(path)} for paths in (args.data, args.tables))
    rows = []
    for cell in args.cells:
        dataset = cell.pop("dataset")
        read = {"tables": tables} | ({"data": data[dataset]} if dataset else {})
        rows += _rows(args.releases[cell["artefact"]], cell | read)
    write_rows(args.output, [*entries.ACCOUNTED, *audits.REQUEST_COLUMNS], rows)
    print(f"{len(rows)} arms")


def _rows(releases: str, cell: dict[str, Any]) -> list[dict[str, Any]]:
    """The ledger's rows for one cell; none for a diagram or a formula, which releases nothing of any data."""
    module, _, function = releases.partition(":")
    listed = getattr(importlib.import_module(module), function, None)
    audit = importlib.import_module(f"dpdescent.papers.{cell['paper']}.audit")
    arms = list(listed(cell)) if listed is not None else []
    requests = [audits.request_columns(audit.request(cell, name, event), event) for name, event, _ in arms]
    return [row | more for row, more in zip(entries.rows(cell["paper"], cell["artefact"], arms), requests, strict=True)]


if __name__ == "__main__":
    main()
