"""Makes a page of some artefacts of one paper by itself, for a build of which there is no report."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import json
from pathlib import Path

from dpdescent.replication.build.files import atomic, checked
from dpdescent.replication.report import single


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True, help="folder of the build's results")
    parser.add_argument("--about", type=Path, required=True, help="JSON of the paper")
    parser.add_argument("--items", nargs="+", required=True, help="the artefacts, as paths in the results")
    parser.add_argument("--label", default="", help="label of a scale that is not the papers' own")
    parser.add_argument("--output", type=Path, required=True, help="page to write")
    args = parser.parse_args()
    text = single.page(args.results, json.loads(checked(args.about)), args.items, args.label, args.output.parent)
    with atomic(args.output) as stream:
        stream.write(text)


if __name__ == "__main__":
    main()
