"""Summarises the parts of an artefact over trials, and draws the table as SVG and, to look at, as PNG."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import json
import pkgutil
from pathlib import Path

from dpdescent.replication.build import store, tables
from dpdescent.replication.drawing import figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spec", type=json.loads, required=True, help="JSON: names, keys, title, display, label")
    parser.add_argument("--draw", type=pkgutil.resolve_name, required=True, help="module:function that draws the table")
    parser.add_argument("--packs", type=Path, required=True, help="folder of the CSV files that list the parts")
    parser.add_argument("--count", type=int, required=True, help="number of these files: 1.csv, 2.csv and so on")
    parser.add_argument("--folder", type=Path, required=True, help="folder of the parts")
    parser.add_argument("--table", required=True, help="CSV to write")
    parser.add_argument("--fingerprints", required=True, help="CSV to write: rows and sums of each part")
    parser.add_argument("--svg", required=True, help="SVG to write")
    parser.add_argument("--png", required=True, help="PNG to write")
    args = parser.parse_args()
    table = tables.make(args.spec, store.packs_in(args.packs, args.count), args.folder, args.table, args.fingerprints)
    figure = figures.drawn(args.draw, table, args.spec)
    figures.save(figure, args.svg)
    figures.save(figure, args.png)


if __name__ == "__main__":
    main()
