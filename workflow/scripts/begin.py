"""Begins the builds of a checkout: puts results that came along aside, lets older trained parts count for nothing."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import shutil
from pathlib import Path

from dpdescent.replication.build import origin, store
from dpdescent.replication.build.files import HASHES, atomic

CHECKOUT = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True, help="folder of the build's results")
    parser.add_argument("--reference", type=Path, required=True, help="folder to copy them to, unless it is there")
    parser.add_argument("--parts", type=Path, required=True, help="folder of the trained parts")
    parser.add_argument("--output", required=True, help="file to write: newer than all that came along")
    args = parser.parse_args()
    if not args.reference.is_dir():
        origin_in_words = origin.put_aside(CHECKOUT, args.results, args.reference, args.parts.is_dir())
        print(f"to compare with: {origin_in_words}")
    store.forget(args.parts)
    shutil.rmtree(args.parts.with_name(HASHES), ignore_errors=True)
    with atomic(args.output) as stream:
        stream.write("Results that are older than this file were not made in this checkout.\n")


if __name__ == "__main__":
    main()
