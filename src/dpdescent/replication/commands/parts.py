"""Packs the trained parts of a scale, or adds those of another machine, so that machines can share a build."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
from collections.abc import Sequence
from pathlib import Path

from dpdescent.commands import printing
from dpdescent.replication.build import transfer
from dpdescent.replication.commands import checkout


def main(arguments: Sequence[str], name: str) -> None:
    """Runs the command.

    Raises:
        SystemExit: with a line, if nothing is trained, an archive is none of this scale, or no build has begun here.
    """
    parser = argparse.ArgumentParser(prog=name, description=__doc__)
    parser.add_argument("--scale", default="paper", help="scale of the parts (default: paper)")
    parser.add_argument("--papers", nargs="+", default=[], help="papers to which the archive is cut (default: all)")
    parser.add_argument("--output", type=Path, help="archive to write (default: build/dpdescent-parts-SCALE.tar.gz)")
    parser.add_argument("--add", type=Path, nargs="+", metavar="ARCHIVE", help="archives whose parts are added here")
    args = parser.parse_args(arguments)
    checkout.require()
    parts = Path(f"build/{args.scale}/parts")
    if args.add:
        _require_begun(args.scale)
        printing.tell(f"{transfer.add(parts, args.add, args.scale)} parts added; those that fit are not trained again")
        return
    output = args.output or Path(f"build/dpdescent-parts-{args.scale}.tar.gz")
    count = transfer.pack(parts, output, args.scale, args.papers)
    printing.tell(f"{output}: {count} parts, {output.stat().st_size / 1e6:.1f} MB")


def _require_begun(scale: str) -> None:
    """Ends the command unless a build has begun, because the beginning of a build forgets all parts that lie here."""
    begun = f".snakemake/dpdescent/{scale}.begun"
    if not Path(begun).is_file():
        raise SystemExit(
            f"Error: no build of scale {scale!r} has begun here; first: "
            f".venv/bin/snakemake --cores 1 --config scale={scale} -- {begun}"
        )
