"""Packs the results of a scale into one archive: tables, figures, verdicts, report, provenance and a manifest."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
from collections.abc import Sequence
from pathlib import Path

from dpdescent.commands import printing
from dpdescent.replication.build import archive
from dpdescent.replication.commands import checkout


def main(arguments: Sequence[str], name: str) -> None:
    """Runs the command.

    Raises:
        SystemExit: with a line, if the results are not finished or not what their manifest lists.
    """
    parser = argparse.ArgumentParser(prog=name, description=__doc__)
    parser.add_argument("--scale", default="paper", help="scale whose results are packed (default: paper)")
    parser.add_argument("--only", nargs="+", default=[], help="papers or artefacts: liang2025, liang2025/fig04")
    parser.add_argument("--output", type=Path, help="archive to write (default: build/dpdescent-SCALE.tar.gz)")
    parser.add_argument("--logs", action="store_true", help="with logs, in which builds that agree may differ")
    args = parser.parse_args(arguments)
    checkout.require()
    output = args.output or Path(f"build/dpdescent-{args.scale}.tar.gz")
    logs = Path(f"build/{args.scale}/logs") if args.logs else None
    names = archive.pack(Path("results") / args.scale, output, args.only, logs)
    printing.tell(f"{output}: {len(names)} files, {output.stat().st_size / 1e6:.1f} MB")
