"""Merges the parts of an artefact and summarises them over trials; writes the fingerprint of each part beside it."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
from pathlib import Path

from dpdescent.replication.build import store, tables


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--item", required=True, help="paper/artefact")
    parser.add_argument("--folder", type=Path, required=True, help="folder of the parts")
    parser.add_argument("--packs", nargs="+", required=True, help="CSV files that list the parts, in order")
    parser.add_argument("--keys", nargs="*", default=[], help="grid columns of the table")
    parser.add_argument("--measures", nargs="*", default=[], help="further measured columns")
    parser.add_argument("--output", required=True, help="CSV to write")
    parser.add_argument("--fingerprints", required=True, help="CSV for rows and sums of each part")
    args = parser.parse_args()
    parts = {name: tables.read(file) for name, file in store.parts_in(args.packs, args.folder).items()}
    tables.write(tables.summarise(list(parts.values()), args.keys, args.measures), args.output)
    tables.write(tables.fingerprints(args.item, parts, args.measures), args.fingerprints)


if __name__ == "__main__":
    main()
