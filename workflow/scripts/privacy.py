"""The ledger of one artefact: what each arm released, what that guarantees, and which audit it asks for."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import importlib
import json
from pathlib import Path

from dpdescent.replication.build.files import write_rows
from dpdescent.replication.ledger import audits, entries


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spec", type=json.loads, required=True, help="JSON: list of the artefact's cells")
    parser.add_argument("--tables", nargs="*", default=[], help="tables of other artefacts that it reads")
    parser.add_argument("--output", required=True, help="CSV to write")
    args = parser.parse_args()
    tables = {Path(path).stem: path for path in args.tables}
    cells = [{**cell, "tables": tables} for cell in args.spec]
    first = cells[0]
    experiment = importlib.import_module(f"dpdescent.papers.{first['paper']}.experiments.{first['artefact']}")
    # An experiment that releases nothing of any data (a diagram, a formula) has no such verb.
    cells = cells if hasattr(experiment, "releases") else []
    audit = importlib.import_module(f"dpdescent.papers.{first['paper']}.audit")
    arms = [(cell, *arm) for cell in cells for arm in experiment.releases(cell)]
    rows = entries.rows(first["paper"], first["artefact"], [(name, event, delta) for _, name, event, delta in arms])
    asked = [audits.asked(audit.request(cell, name, event), event) for cell, name, event, _ in arms]
    columns = [*entries.ACCOUNTED, *audits.ASKED]
    write_rows(args.output, columns, [row | more for row, more in zip(rows, asked, strict=True)])
    print(f"{len(rows)} arms")


if __name__ == "__main__":
    main()
