"""Runs one part of an experiment: a cell of its grid and a range of trials, to a CSV with one row a measurement."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import importlib
import json
import time
from pathlib import Path

from dpdescent.replication.build.files import write_rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spec", type=json.loads, required=True, help="JSON: cell, arms, settings, trials, names")
    parser.add_argument("--data", help="prepared real data set, for experiments that read one")
    parser.add_argument("--tables", nargs="*", default=[], help="tables of other artefacts that it reads")
    parser.add_argument("--output", required=True, help="CSV to write")
    args = parser.parse_args()
    spec = {**args.spec, "data": args.data} if args.data else args.spec
    spec = {**spec, "tables": {Path(path).stem: path for path in args.tables}}
    experiment = importlib.import_module(f"dpdescent.papers.{spec['paper']}.experiments.{spec['artefact']}")
    started = time.perf_counter()
    rows = [{"variant": spec["variant"], **row} for row in experiment.run(spec)]
    columns = list(dict.fromkeys(column for row in rows for column in row))
    write_rows(args.output, columns, rows)
    print(f"trials {spec['trials']}: {len(rows)} rows in {time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
