"""Builds that are killed, whose disk fills up, and that meet another: the next call ends with the same bytes.

Calls and jobs are forked (see `forked`), so that each is a process of its own that can be killed.
"""

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import copies
import psutil
import pytest
from copies import Build

from dpdescent.replication.build import compare

pytestmark = pytest.mark.workflow

# Moments in whole repetitions; one of each stands for them otherwise.
MOMENTS = 6
# Seconds until something happens that must happen.
PATIENCE = 120.0


def moments(name: str) -> list[Any]:
    """Shares of a build's time, drawn by name; all but the first are slow."""
    draw = random.Random(name)
    return [
        pytest.param(draw.uniform(0.1, 0.9), id=f"{number}", marks=[pytest.mark.slow] if number else [])
        for number in range(MOMENTS)
    ]


@pytest.fixture
def fresh(sixth: Build, tmp_path: Path) -> Path:
    """The sources of the small project, with nothing built."""
    return copies.copy_without(sixth.folder, tmp_path / "fresh", ".snakemake", "build", "results")


def duration(build: Build) -> float:
    """Seconds that a build took, from its last line."""
    hours, minutes, seconds = re.findall(r"^Elapsed time: (\d+):(\d+):([\d.]+)$", build.output, re.MULTILINE)[-1]
    return 3600 * int(hours) + 60 * int(minutes) + float(seconds)


def finished(folder: Path, sixth: Build) -> None:
    """The same command, after unlocking where told, ends with the bytes of the undisturbed build."""
    call = copies.start(folder, "-c2")
    if call.process.wait() != 0:
        assert "Locked: " in call.finish(code=1).splitlines()[-1]
        copies.snakemake(folder, "--unlock")
        copies.snakemake(folder, "-c2")
    assert compare.hashes(folder / "results/paper") == compare.hashes(sixth.folder / "results/paper")
    assert copies.plan(folder) == []


def forks(folder: Path) -> list[psutil.Process]:
    """Calls and jobs that run in a folder, the oldest first; not the small clients that wait for them."""
    found = []
    for process in psutil.process_iter(["cwd", "cmdline", "create_time"]):
        words = process.info["cmdline"] or []
        if process.info["cwd"] == str(folder) and any(word.endswith("forked.py") for word in words):
            found.append(process)
    return sorted(found, key=lambda process: float(process.info["create_time"]))


def wait_for(what: Callable[[], object], call: copies.Call) -> bool:
    """Whether it happens before the call ends."""
    start = time.monotonic()
    while not what():
        assert time.monotonic() - start < PATIENCE
        if call.process.poll() is not None:
            return False
        time.sleep(0.01)
    return True


def kill(folder: Path, call: copies.Call, whom: str) -> bool:
    """Kills a job, the call itself, or both with all that they started; whether there was one to be killed."""
    if not wait_for(lambda: len(forks(folder)) > (whom == "job"), call):
        return False
    running = forks(folder)
    chosen = {"job": running[1:2], "call": running[:1], "group": with_all_they_started(running)}[whom]
    killed = [sent(process) for process in chosen]
    call.process.wait()
    return any(killed)


def with_all_they_started(running: list[psutil.Process]) -> list[psutil.Process]:
    """Adds the processes that they started, where they have not ended since."""
    started = []
    for process in running:
        with contextlib.suppress(psutil.NoSuchProcess):
            started += process.children(recursive=True)
    return running + started


def sent(process: psutil.Process) -> bool:
    """Whether the process was still there to be killed."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process.send_signal(signal.SIGKILL)
        return True
    return False


def repeated(folder: Path, moment: float, attempt: Callable[[float], bool]) -> None:
    """Attempts from nothing, each sooner than the last, until one meets a build before it is over."""
    for halvings in range(5):
        if attempt(moment / 2**halvings):
            return
        for name in (".snakemake", "build", "results"):
            shutil.rmtree(folder / name, ignore_errors=True)
    pytest.fail("every build was over before")


@pytest.mark.parametrize("whom", ["job", "call", "group"])
@pytest.mark.parametrize("moment", moments("kill"))
def test_killed_build_ends_with_the_same_bytes(fresh: Path, sixth: Build, whom: str, moment: float) -> None:
    def attempt(share: float) -> bool:
        call = copies.start(fresh, "-c2")
        wait_for((fresh / ".snakemake/locks").exists, call)
        time.sleep(share * duration(sixth))
        killed = kill(fresh, call, whom)
        finished(fresh, sixth)
        return killed

    repeated(fresh, moment, attempt)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system in memory, of 64 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(place)]
    if not sys.platform.startswith("linux") or os.geteuid() or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("a small disk: needs Linux and a root who may mount")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


@pytest.mark.parametrize("moment", moments("disk"))
def test_disk_that_fills_up_and_is_freed(small_disk: Path, fresh: Path, sixth: Build, moment: float) -> None:
    folder = Path(shutil.copytree(fresh, small_disk / "project"))

    def attempt(share: float) -> bool:
        call = copies.start(folder, "-c2")
        wait_for((folder / ".snakemake/dpdescent/paper.begun").exists, call)
        time.sleep(share * duration(sixth))
        fill(small_disk / "ballast")
        failed = call.process.wait() != 0
        (small_disk / "ballast").unlink()
        finished(folder, sixth)
        return failed

    repeated(folder, moment, attempt)


def fill(ballast: Path) -> None:
    """Leaves no byte free."""
    with open(ballast, "wb", buffering=0) as stream, contextlib.suppress(OSError):
        while True:
            stream.write(bytes(1 << 12))


def test_second_build_leaves_the_first_alone(fresh: Path, sixth: Build) -> None:
    first = copies.start(fresh, "-c1")
    wait_for(lambda: list((fresh / ".snakemake/locks").glob("*")), first)
    assert copies.snakemake(fresh, "-c1", code=1).splitlines()[-1].startswith("Locked: ")
    first.finish()
    finished(fresh, sixth)


@pytest.mark.parametrize("moment", moments("between"))
def test_damage_between_two_killed_builds_is_told_or_made_good(fresh: Path, sixth: Build, moment: float) -> None:
    """A file of those that are there, cut to half; what the line says is done."""
    call = copies.start(fresh, "-c2")
    wait_for((fresh / ".snakemake/dpdescent/paper.begun").exists, call)
    time.sleep(moment * duration(sixth))
    kill(fresh, call, "group")
    copies.snakemake(fresh, "--unlock")
    made = sorted(file for place in ("build/paper/parts", "results") for file in (fresh / place).rglob("*.csv"))
    if made:
        file = made[int(moment * len(made))]
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    call = copies.start(fresh, "-c2")
    if call.process.wait():
        line = call.finish(code=1).splitlines()[-1]
        told = re.fullmatch(r"(\S+) is not what was written here: (rm .*), then run the build again", line)
        assert told, line
        assert (fresh / told[1]) == file
        subprocess.run(told[2], shell=True, cwd=fresh, check=True)
    finished(fresh, sixth)
