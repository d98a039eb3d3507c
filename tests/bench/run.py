"""Times the engines beside textbook loops and, where they are installed, other tools.

Run it by `make bench`. It writes results/bench.csv and its figure: seconds are medians over interleaved repeats
on this machine, one thread; what carries over are the ratios. The peers are the dependency group `peers`.
"""

# First of all imports, because it pins BLAS to one thread before numpy starts it.
import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import importlib.metadata
import importlib.util
import platform
import re
from pathlib import Path
from statistics import median
from typing import Any

import dp_2s_gd
import dp_ambssgd
import dp_ftrl
import dp_gd
import dp_kan
import noise
import pandas as pd
from machine import Machine
from workload import Workload

from dpdescent.replication.bench import OURS, TEXTBOOK, best_peer
from dpdescent.replication.build.files import write_rows
from dpdescent.replication.drawing import bench_figure, figures

COLUMNS = (
    "workload", "way", "seconds", "of_ours", "of_ours_least", "of_ours_most", "rounds", "limit_s", "share_of_limit",
    "machine", "versions",
)  # fmt: skip
MODULES = (dp_gd, dp_2s_gd, noise, dp_ftrl, dp_kan, dp_ambssgd)
PEERS = ("numba", "jax", "jax-privacy", "torch", "opacus")


def rows_of(work: Workload, machine: Machine, rounds: int) -> list[dict[str, Any]]:
    """One row per way, ours first; `of_ours` above 1 is slower, `share_of_limit` of 1 is as fast as can be."""
    work.check()
    times, limit = work.seconds(rounds), machine.limit(work.cost)
    about = {"machine": processor(), "versions": versions()}
    rows = []
    for way, each in times.items():
        seconds, ratios = median(each), [theirs / ours for theirs, ours in zip(each, times[OURS], strict=True)]
        spread = {"of_ours": median(ratios), "of_ours_least": min(ratios), "of_ours_most": max(ratios)}
        rows.append(
            {"workload": work.name, "way": way, "seconds": f"{seconds:.4g}",
             **{column: f"{ratio:.3g}" for column, ratio in spread.items()}, "rounds": rounds,
             "limit_s": f"{limit:.3g}", "share_of_limit": f"{limit / seconds:.2g}", **about}
        )  # fmt: skip
    return rows


def told(rows: list[dict[str, Any]]) -> str:
    """One line: ours, how much longer the textbook loop takes, and ours over the best peer's time."""
    best = best_peer(rows)
    loop = next((f", textbook loop x {row['of_ours']}" for row in rows if row["way"] == TEXTBOOK), "")
    beside = f", {1 / float(best['of_ours']):.2f} of {best['way']}'s time" if best else ", no peer installed"
    return f"{rows[0]['workload']}: {rows[0]['seconds']} s{loop}{beside}"


def processor() -> str:
    try:
        names = re.findall(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def versions() -> str:
    def version(package: str) -> str | None:
        try:
            return importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            return None

    return ", ".join(f"{package} {found}" for package in ("numpy", "scipy", *PEERS) if (found := version(package)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="interleaved repeats (default: %(default)s)")
    parser.add_argument("--only", default="", help="workloads whose name contains this; nothing is written")
    args = parser.parse_args()
    machine, rows = Machine.measured(), []
    print(f"{machine.flops / 1e9:.0f} GFLOP/s, {machine.bytes / 1e9:.0f} GB/s, {machine.normals / 1e6:.0f} M normals/s")
    for work in (work for module in MODULES for work in module.workloads()):
        if args.only in work.name:
            rows += (each := rows_of(work, machine, args.rounds))
            print(told(each), flush=True)
    if not args.only:
        write_rows(Path("results/bench.csv"), list(COLUMNS), rows)
        figures.save(bench_figure.draw(pd.read_csv("results/bench.csv")), "results/bench.svg")


if __name__ == "__main__":
    main()
