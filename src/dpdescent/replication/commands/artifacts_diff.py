"""Says in a few lines what differs between two archives of results: tables by cell, verdicts, figures by hash."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from dpdescent.replication.build import archive, compare
from dpdescent.replication.build.files import read_rows

# Lines of each kind that are printed; the rest are counted.
SHOWN = 6


def main(arguments: Sequence[str], name: str) -> None:
    """Runs the command.

    Raises:
        SystemExit: with 1 if anything differs, or with a line if an archive cannot be read.
    """
    parser = argparse.ArgumentParser(prog=name, description=__doc__)
    parser.add_argument("first", type=Path, help="archive, such as build/dpdescent-quick.tar.gz")
    parser.add_argument("second", type=Path, help="archive that is compared with it")
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as place:
        first, second = (
            archive.unpack(file, Path(place) / side) for file, side in ((args.first, "first"), (args.second, "second"))
        )
        report = compare.folders(second, first)
        report.against = str(args.first)
        print("\n".join([*_shortened(report.text().splitlines()), *_shortened(list(_verdicts(first, second)))]))
    sys.exit(1 if report.differs or report.added else 0)


def _shortened(lines: list[str]) -> list[str]:
    left = len(lines) - SHOWN
    return lines if left <= 0 else [*lines[:SHOWN], f"... and {left} more"]


def _verdicts(first: Path, second: Path) -> Iterator[str]:
    """The lines on claims whose verdicts differ."""
    before, after = (
        {(row["paper"], row["claim"]): row["verdict"] for row in read_rows(folder / "claims.csv")}
        for folder in (first, second)
    )
    for paper, claim in sorted(before.keys() & after.keys()):
        was, now = before[paper, claim], after[paper, claim]
        if was != now:
            yield f"VERDICT  {paper} {claim}: {was}, now {now}"
