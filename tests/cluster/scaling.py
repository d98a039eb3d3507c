"""Measures how a build grows with its trials and its parts, and writes docs/scaling.csv; run it by `make scaling`.

Three artefacts are trained with a number of trials, four times and sixteen times as many; then Snakemake plans an
artefact of thousands of parts without running it.
"""

import argparse
import hashlib
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml
from one_node import project

from dpdescent.replication.build import store
from dpdescent.replication.build.files import write_rows

COLUMNS = ("what", "trials", "parts", "CPU s", "CPU ms a further one", "peak MB", "first trials")

# Artefacts on the quick scale's grid, and trials to begin with. Their variants may have numbers of their own, which
# would not grow, and are left out.
ARTEFACTS = {"brown2024/fig02": 400, "liang2025/fig03": 40, "varshney2022/risk_vs_d": 50}
FACTORS = (1, 4, 16)

# Parts of the plans; the artefact has no grid and one trial.
PLANNED = (2500, 5000, 10_000)


def overlay(folder: Path, name: str, item: str, **changes: Any) -> None:
    """Writes a scale that changes one artefact of the quick scale and leaves its own limits away."""
    paper, artefact = item.split("/")
    quick = yaml.safe_load((folder / "config/scales/quick.yaml").read_text(encoding="utf-8"))
    node = quick["papers"][paper]["artefacts"].get(artefact, {}) | changes
    content = {"label": name, "parts_per_job_at_least": 40, "papers": {paper: {"artefacts": {artefact: node}}}}
    (folder / f"config/scales/{name}.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")


def snakemake(folder: Path, *arguments: str) -> float:
    """CPU seconds of a call and all its jobs.

    Jobs run one after the other, because two on the threads of one core take more CPU time than each alone.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | {"PYTHONPATH": str(folder / "src")}
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "-c1", *arguments], cwd=folder, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise SystemExit(done.stdout[-4000:])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def row(what: str, trials: str, parts: int, seconds: float, further: str, peak: str, first: str) -> dict[str, str]:
    return dict(zip(COLUMNS, (what, trials, str(parts), f"{seconds:.1f}", further, peak, first), strict=True))


def per_further(now: tuple[float, int], before: tuple[float, int] | None) -> str:
    """CPU milliseconds for each part of a plan more than before; nothing for the first, which pays for imports."""
    return f"{1000 * (now[0] - before[0]) / (now[1] - before[1]):.1f}" if before else ""


def per_trial(parts: Sequence[Path], seconds: Sequence[float]) -> str:
    """CPU milliseconds of a trial: the mean over cells of the median over each cell's parts.

    The median, because the first part of a job pays for imports, and a part beside a busy neighbour takes longer.
    """
    cells: dict[str, list[float]] = {}
    for part, each in zip(parts, seconds, strict=True):
        cells.setdefault(part.stem.rsplit("_t", 1)[0], []).append(1000 * each / trials_of(part))
    return f"{statistics.fmean(map(statistics.median, cells.values())):.1f}"


def trials_of(part: Path) -> int:
    start, last = part.stem.rsplit("_t", 1)[1].split("-")
    return int(last) + 1 - int(start)


def trained(folder: Path, item: str, trials: int) -> Iterator[dict[str, str]]:
    """Rows of an artefact with more and more trials."""
    first: dict[str, str] = {}
    for factor in FACTORS:
        scale = f"x{factor}"
        overlay(folder, scale, item, trials=trials * factor, trials_per_part=trials)
        snakemake(folder, item.replace("/", "_"), "--config", f"scale={scale}")
        parts = sorted((folder / f"build/{scale}/parts/{item}").glob("main_*.csv"))
        costs = store.costs(parts[0].parent, [part.stem for part in parts])
        seconds, count = [cost["cpu_s"] for cost in costs], sum(map(trials_of, parts))
        found = {part.stem: hashlib.sha256(part.read_bytes()).hexdigest() for part in parts}
        first = first or {name: digest for name, digest in found.items() if name.endswith(f"_t0-{trials - 1}")}
        same = all(found.get(name) == digest for name, digest in first.items())
        peak = f"{max(cost['peak_mb'] for cost in costs):.0f}"
        further = per_trial(parts, seconds) if factor > 1 else ""
        yield row(f"{item}, trials x {factor}", str(count), len(parts), sum(seconds), further, peak,
                  "equal bytes" if same else "DIFFERENT")  # fmt: skip


def planned(folder: Path) -> Iterator[dict[str, str]]:
    """Rows of plans of thousands of parts."""
    before: tuple[float, int] | None = None
    for parts in PLANNED:
        overlay(folder, "plan", "liang2025/fig02", trials=parts, trials_per_part=1)
        now = snakemake(folder, "liang2025_fig02", "-n", "--quiet", "all", "--config", "scale=plan"), parts
        yield row(f"plan of {parts} parts", "", parts, now[0], per_further(now, before), "", "")
        before = now


def told(rows: Iterable[dict[str, str]]) -> Iterator[dict[str, str]]:
    for each in rows:
        print(", ".join(f"{name}: {value}" for name, value in each.items() if value), flush=True)
        yield each


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path("docs/scaling.csv"), help="CSV to write")
    args = parser.parse_args()
    rows: list[dict[str, str]] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = project(Path(scratch) / "project")
        for item, trials in ARTEFACTS.items():
            rows += told(trained(folder, item, trials))
        rows += told(planned(folder))
    write_rows(args.output, list(COLUMNS), rows)


if __name__ == "__main__":
    main()
