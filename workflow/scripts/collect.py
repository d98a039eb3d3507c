"""Puts the papers' claims, cells, findings, privacy ledgers, audits and part fingerprints together, one file each."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
from pathlib import Path

from dpdescent.replication.build.files import read_rows, write_rows
from dpdescent.replication.ledger import entries


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    kinds = ("claims", "claims_cells", "findings", "privacy", "audit", "parts")
    for kind in kinds:
        parser.add_argument(f"--{kind}", nargs="+", required=True, help=f"CSV files of {kind}, in order")
    parser.add_argument("--seed_check", nargs="*", help="CSV of verdicts at another seed, if there is one")
    parser.add_argument("--output", required=True, help="folder to write to")
    args = parser.parse_args()
    for kind in [*kinds, *(["seed_check"] if args.seed_check else [])]:
        files = getattr(args, kind)
        rows = [row for file in files for row in read_rows(file)]
        if kind == "privacy":
            entries.write(Path(args.output), rows)
        else:
            with open(files[0], encoding="utf-8") as stream:
                columns = stream.readline().strip().split(",")
            write_rows(f"{args.output}/{kind}.csv", columns, rows)
        print(f"{kind}: {len(rows)} rows")


if __name__ == "__main__":
    main()
