"""Writes letters to the papers' authors, one for each grave finding."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import json
from pathlib import Path

from dpdescent.replication.build.files import atomic, checked, read_rows
from dpdescent.replication.report import letters

CHECKOUT = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--findings", nargs="+", required=True, help="CSV files of findings")
    parser.add_argument("--shown", nargs="+", required=True, help="JSON files: rows that carry a finding's numbers")
    parser.add_argument("--papers", type=json.loads, required=True, help="JSON: title, authors, arXiv number by paper")
    parser.add_argument("--demonstrations", type=json.loads, required=True, help="JSON: script by finding")
    parser.add_argument("--label", default="", help="label of a scale that is not the papers' own")
    parser.add_argument("--output", type=Path, required=True, help="folder to write to")
    args = parser.parse_args()
    shown = {name: rows for file in args.shown for name, rows in json.loads(checked(file)).items()}
    due = {row["finding"]: row for file in args.findings for row in read_rows(file) if letters.due(row)}
    if due.keys() != args.demonstrations.keys():
        raise SystemExit(f"grave findings and demonstrations differ: {sorted(due.keys() ^ args.demonstrations.keys())}")
    for name, row in due.items():
        path = args.demonstrations[name]
        script = (CHECKOUT / path).read_text(encoding="utf-8")
        with atomic(args.output / f"{name}.md") as stream:
            stream.write(letters.letter(row, shown.get(name, []), args.papers[row["paper"]], path, script, args.label))
    print(f"{len(due)} letters")


if __name__ == "__main__":
    main()
