"""Rebuilds a scale in a scratch copy of this checkout and reports every difference from the committed results."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from dpdescent.replication.build import compare
from dpdescent.replication.build.files import MANIFEST
from dpdescent.replication.build.provenance import ON_REQUEST, hashes
from dpdescent.replication.commands import checkout


def main(arguments: Sequence[str], name: str) -> None:
    """Runs the command.

    Raises:
        SystemExit: with 1 and a line or a report, if something differs or is not there.
    """
    parser = argparse.ArgumentParser(prog=name, description=__doc__)
    parser.add_argument("--scale", default="paper", help="scale to rebuild")
    parser.add_argument("--cores", default="2", help="number of cores")
    args = parser.parse_args(arguments)
    checkout.require()
    results = f"results/{args.scale}"
    if not Path(results, MANIFEST).is_file():
        sys.exit(f"There is no finished {results} to verify; build it first: make results SCALE={args.scale}")
    for name in compare.edited(results, hashes(results)):
        print(f"EDITED   {name}: not what {results}/{MANIFEST} lists", flush=True)
    with tempfile.TemporaryDirectory(prefix="dpdescent-verify-") as scratch:
        for name in compare.SOURCES:
            copy = shutil.copytree if Path(name).is_dir() else shutil.copy2
            copy(name, Path(scratch) / name)
        for name in filter(os.path.isfile, compare.SHOWN):
            copied = Path(scratch) / name
            copied.parent.mkdir(exist_ok=True)
            shutil.copy2(name, copied)
        # The report shows artefacts on request, which no build makes.
        if (requested := Path(results, ON_REQUEST)).is_dir():
            shutil.copytree(requested, Path(scratch) / requested)
        command = [sys.executable, "-m", "snakemake", "--cores", args.cores, "--config", f"scale={args.scale}"]
        if subprocess.run(command, cwd=scratch, env=compare.scratch_environment(scratch)).returncode:
            sys.exit("The rebuild failed, see above. Data of your own must be named by their absolute path.")
        report = compare.folders(Path(scratch) / results, results)
    print(report.text())
    sys.exit(1 if report.differs else 0)
