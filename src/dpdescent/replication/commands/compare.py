"""Compares two folders of results by the rule of the manifest: equal bytes, or numbers within their tolerance."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import sys
from collections.abc import Sequence

from dpdescent.replication.build import compare


def main(arguments: Sequence[str], name: str) -> None:
    """Runs the command.

    Raises:
        SystemExit: with 1 and a line or a report, if something differs or is not there.
    """
    parser = argparse.ArgumentParser(prog=name, description=__doc__)
    parser.add_argument("--made", required=True, help="folder that was made now")
    parser.add_argument("--reference", required=True, help="folder to compare with")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if anything differs")
    args = parser.parse_args(arguments)
    report = compare.folders(args.made, args.reference)
    print(report.text())
    sys.exit(1 if args.strict and report.differs else 0)
