"""The ledger of one artefact: what each arm released, under which relation and sampler, and what that guarantees."""

import argparse
import importlib
import json
from pathlib import Path

from dpdescent.replication import ledger
from dpdescent.replication.files import write_rows


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
    rows = ledger.rows(first["paper"], first["artefact"], [arm for cell in cells for arm in experiment.releases(cell)])
    write_rows(args.output, ledger.COLUMNS, rows)
    print(f"{len(rows)} arms")


if __name__ == "__main__":
    main()
