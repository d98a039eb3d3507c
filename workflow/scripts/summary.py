"""Writes the page beside the results: scorecard, claims, findings and figures."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import json

from dpdescent.replication.build.files import atomic
from dpdescent.replication.report import summary


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", required=True, help="folder of the build's results")
    parser.add_argument("--papers", type=json.loads, required=True, help="JSON: by paper, titles by artefact")
    parser.add_argument("--label", default="", help="label of a scale that is not the papers' own")
    parser.add_argument("--output", required=True, help="Markdown to write")
    args = parser.parse_args()
    with atomic(args.output) as stream:
        stream.write(summary.page(args.results, args.papers, args.label))


if __name__ == "__main__":
    main()
