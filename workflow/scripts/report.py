"""Makes the report, a static site, from a build's result files, and describes the columns of their tables."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import json
from pathlib import Path

from dpdescent.replication.build.files import atomic, checked
from dpdescent.replication.report import content, datapackage, site


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True, help="folder of the build's results")
    parser.add_argument("--about", type=Path, nargs="+", required=True, help="JSON of each paper, in order")
    parser.add_argument("--statements", type=Path, nargs="*", default=[], help="CSV of each paper's statements")
    parser.add_argument("--trials", type=Path, nargs="*", default=[], help="CSVs on what the software withstands")
    parser.add_argument("--software", type=json.loads, required=True, help="JSON: how to cite the software")
    parser.add_argument("--label", default="", help="label of a scale that is not the papers' own")
    parser.add_argument("--scale", required=True, help="the scale")
    parser.add_argument("--columns", type=json.loads, required=True, help="JSON: what columns mean")
    parser.add_argument("--output", type=Path, required=True, help="folder of the site")
    args = parser.parse_args()
    papers = [json.loads(checked(path)) for path in args.about]
    for name, text in site.pages(
        content.load(args.results, papers, args.statements, args.trials), args.software, args.label
    ).items():
        with atomic(args.output / name) as stream:
            stream.write(text)
    datapackage.write(args.results, datapackage.tables(papers, args.columns), args.scale)


if __name__ == "__main__":
    main()
