"""Compares two folders of results by the rule of the manifest: equal bytes, or numbers within their tolerance."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import sys
from pathlib import Path

from dpdescent.replication.build import compare


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--made", required=True, help="folder that was made now")
    parser.add_argument("--reference", required=True, help="folder to compare with")
    parser.add_argument("--build", help="folder of the build, for the hint where the logs are")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if anything differs")
    args = parser.parse_args()
    report = compare.folders(args.made, args.reference)
    print(report.text())
    if (Path(args.made) / "claims.csv").exists():
        print(compare.scorecard(args.made))
        print(f"Open {args.made}/report/index.html for figures and verdicts; logs are in {args.build or 'build'}/logs.")
    sys.exit(1 if args.strict and report.differs else 0)


if __name__ == "__main__":
    main()
