"""The time that a build will still take, printed as it goes: CPU times of an earlier build, at the pace of this one."""

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from dpdescent.replication.build.files import is_damaged, read_rows
from dpdescent.replication.configuration.project import Project

# Seconds and share of the work between two lines.
SECONDS, SHARE = 30.0, 0.05
# CPU seconds of work after which the pace of this build counts as much as that of the earlier one.
TRUSTED = 60.0


class Costs:
    """CPU seconds of jobs, as an earlier build recorded them.

    Args:
        rows: rows of its `compute.csv`; jobs of training are parts, and jobs of all other stages are Snakemake's jobs.
        project: the configured project, for the number of parts that a job trains.
    """

    def __init__(self, rows: Iterable[Mapping[str, str]], project: Project) -> None:
        self.mean: dict[tuple[str, str], float] = {}
        totals: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for row in rows:
            if count := int(row["jobs"]):
                self.mean[row["stage"], row["item"]] = float(row["cpu_s"]) / count
                totals[row["stage"]][0] += float(row["cpu_s"])
                totals[row["stage"]][1] += count
        self.typical = {stage: seconds / count for stage, (seconds, count) in totals.items()}
        artefacts = [*project.artefacts(), *project.on_request()]
        self.parts = {
            f"{artefact.item}/{pack.name}": len(pack.parts) for artefact in artefacts for pack in artefact.packs
        }

    def seconds_of(self, stage: str, item: str) -> float:
        """CPU seconds of a job, by its rule and its wildcard; the mean of its stage where the item is new."""
        name = item.rpartition("/")[0] if item in self.parts else item
        return self.mean.get((stage, name), self.typical.get(stage, 0.0)) * self.parts.get(item, 1)


def recorded(scale: str, results: Collection[str]) -> tuple[str, list[dict[str, str]], bool]:
    """The file of an earlier build's CPU times, its rows, and whether it was one of this scale.

    Args:
        scale: the scale that is built.
        results: folders of results of this scale, the best one first; the papers' own scale serves where none has it.
    """
    for folder in [*results, "results/paper"]:
        file = Path(folder) / "compute.csv"
        if file.is_file() and not is_damaged(file):
            return str(file), read_rows(file), scale == "paper" or folder != "results/paper"
    return "", [], False


def minutes(seconds: float) -> str:
    """A time in words, such as `12 min` or `2 h 05 min`."""
    whole = max(1, round(seconds / 60))
    return f"{whole} min" if whole < 60 else f"{whole // 60} h {whole % 60:02d} min"


def left(undone: Collection[float], done: float, elapsed: float, cores: int, trusted: float = TRUSTED) -> float:
    """Seconds until a build ends.

    Args:
        undone: CPU seconds of the jobs that are not done, by an earlier build.
        done: the same for all jobs that are done.
        elapsed: seconds since this build began.
        cores: number of jobs at a time.
        trusted: CPU seconds by which the pace of the earlier build is weighed; 0 if that build had another scale.
    """
    pace = (elapsed * cores + trusted) / max(done + trusted, 1e-9)
    # The longest job may be the last one, while all other cores wait.
    return pace * max(sum(undone) / cores, max(undone, default=0.0))


class TimeLeftPrinter(logging.Handler):
    """Prints the time that is left when Snakemake logs progress, at most once in SECONDS and in SHARE of the work.

    Args:
        undone: returns the CPU seconds of each job that is not done.
        cores: number of jobs at a time.
        same_scale: whether these seconds are from a build of this scale.
        clock: returns seconds.
        tell: prints a line.
    """

    def __init__(
        self, undone: Callable[[], list[float]], cores: int, same_scale: bool,
        clock: Callable[[], float] = time.monotonic, tell: Callable[[str], Any] = print,
    ) -> None:  # fmt: skip
        super().__init__()
        self.undone, self.cores, self.clock, self.tell = undone, cores, clock, tell
        self.trusted = TRUSTED if same_scale else 0.0
        self.total = self.printed_work = sum(undone())
        self.began = self.printed_at = clock()

    def emit(self, record: logging.LogRecord) -> None:
        """Prints the time that is left, if the record is one of progress and the last line is long enough ago."""
        now = self.clock()
        if getattr(getattr(record, "event", None), "name", "") != "PROGRESS" or now - self.printed_at < SECONDS:
            return
        undone = self.undone()
        if not undone or self.printed_work - sum(undone) < SHARE * self.total:
            return
        self.printed_at, self.printed_work = now, sum(undone)
        seconds = left(undone, self.total - sum(undone), now - self.began, self.cores, self.trusted)
        self.tell(f"About {minutes(seconds)} left ({sum(undone) / self.total:.0%} of the work)")
