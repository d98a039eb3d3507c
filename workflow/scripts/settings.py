"""Writes who chose what: every value of a paper's artefacts with its source, and what the report knows of it."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import json

from dpdescent.replication.build.files import atomic, write_rows
from dpdescent.replication.configuration import choices


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--about", type=json.loads, required=True, help="JSON: the paper, its artefacts, its settings")
    parser.add_argument("--settings", required=True, help="CSV to write")
    parser.add_argument("--output", required=True, help="JSON to write, for the report")
    args = parser.parse_args()
    rows = choices.with_meanings(args.about["settings"], args.about["symbols"])
    write_rows(args.settings, choices.COLUMNS, rows)
    with atomic(args.output) as stream:
        json.dump({**args.about, "settings": rows}, stream, indent=1)


if __name__ == "__main__":
    main()
