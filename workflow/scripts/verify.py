"""Rebuilds a scale in a scratch copy of this checkout and reports every difference from the committed results."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from dpdescent.replication.build import compare

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", default="paper", help="scale to rebuild")
    parser.add_argument("--cores", default="2", help="number of cores")
    args = parser.parse_args()
    results = f"results/{args.scale}"
    if not (ROOT / results / "MANIFEST.sha256").is_file():
        sys.exit(f"There is no finished {results} to verify; build it first: make results SCALE={args.scale}")
    with tempfile.TemporaryDirectory(prefix="dpdescent-verify-") as scratch:
        for name in compare.SOURCES:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
            copy(ROOT / name, Path(scratch) / name)
        command = [sys.executable, "-m", "snakemake", "--cores", args.cores, "--config", f"scale={args.scale}"]
        if subprocess.run(command, cwd=scratch, env=compare.scratch_environment(scratch)).returncode:
            sys.exit("The rebuild failed, see above. Data of your own must be named by their absolute path.")
        report = compare.folders(Path(scratch) / results, ROOT / results)
    print(report.text())
    sys.exit(1 if report.differs else 0)


if __name__ == "__main__":
    main()
