"""Summarises the parts of an artefact over trials, and writes the table as CSV, as Markdown and as LaTeX."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import json
from pathlib import Path

from dpdescent.replication.build import store, tables
from dpdescent.replication.build.files import atomic


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spec", type=json.loads, required=True, help="JSON: item, keys, measures, title, columns")
    parser.add_argument("--packs", type=Path, required=True, help="folder of the CSV files that list the parts")
    parser.add_argument("--count", type=int, required=True, help="number of these files: 1.csv, 2.csv and so on")
    parser.add_argument("--folder", type=Path, required=True, help="folder of the parts")
    parser.add_argument("--table", required=True, help="CSV to write")
    parser.add_argument("--fingerprints", required=True, help="CSV to write: rows and sums of each part")
    parser.add_argument("--markdown", required=True, help="Markdown to write")
    parser.add_argument("--latex", required=True, help="LaTeX to write")
    args = parser.parse_args()
    table = tables.make(args.spec, store.packs_in(args.packs, args.count), args.folder, args.table, args.fingerprints)
    shown = table[args.spec["columns"]] if args.spec["columns"] else table
    with atomic(args.markdown) as stream:
        stream.write(tables.as_markdown(shown, args.spec["title"]))
    with atomic(args.latex) as stream:
        stream.write(tables.as_latex(shown, args.spec["title"]))


if __name__ == "__main__":
    main()
