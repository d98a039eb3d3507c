"""Builds one artefact on a Slurm of one node, which this script starts and ends, and compares it with the local build.

Run it by `make test-slurm`, as root on a machine without Slurm of its own, with Debian's packages slurm-wlm, munge and
slurm-client and the dependency group `slurm`. It says what it did, and how long it took, line by line.
"""

import argparse
import contextlib
import filecmp
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from dpdescent.replication.build.compare import SOURCES
from dpdescent.replication.build.files import write_rows

ROOT = Path(__file__).resolve().parents[2]
CONF = Path("/etc/slurm/slurm.conf")
DAEMONS = ("munged", "slurmctld", "slurmd")

# What is built, and the files that must be equal.
TARGET, ITEM = "liang2025_fig10", "results/quick/liang2025/fig10"
QUICK = (TARGET, "--config", "scale=quick")

COLUMNS = ("step", "seconds", "submissions", "outcome")

# Snakemake ignores a polite request to end while it waits for the queue.
LIMIT = 600


def missing() -> str | None:
    """One word for what is missing here, or None."""
    if os.geteuid() != 0:
        return "root"
    wanted = [*DAEMONS, "sbatch", "squeue", "scancel", "runuser"]
    if lacking := [name for name in wanted if shutil.which(name) is None]:
        return lacking[0]
    plugin = "snakemake_executor_plugin_slurm"
    return None if importlib.util.find_spec(plugin) else plugin


def in_use() -> str | None:
    """Why this machine's Slurm is not to be touched, or None."""
    if CONF.exists():
        return f"{CONF} exists"
    running = subprocess.run(["pgrep", "-xl", "|".join(DAEMONS)], capture_output=True, text=True, check=False)
    return f"{running.stdout.split()[1]} is running" if running.stdout else None


def configuration(state: Path) -> str:
    """A `slurm.conf` of this machine alone, with all that it writes in `state`."""
    host = os.uname().nodename.split(".")[0]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20 * 9 // 10
    settings = {
        "ClusterName": "trial", "SlurmctldHost": f"{host}(127.0.0.1)", "SlurmUser": "root", "SlurmdUser": "root",
        "ProctrackType": "proctrack/linuxproc", "TaskPlugin": "task/none",
        "JobAcctGatherType": "jobacct_gather/none", "AccountingStorageType": "accounting_storage/none",
        "MpiDefault": "none", "ReturnToService": 2, "SelectType": "select/cons_tres",
        "SelectTypeParameters": "CR_Core_Memory", "SchedulerParameters": "sched_interval=2,bf_interval=2",
        "MinJobAge": 300, "StateSaveLocation": state / "ctld", "SlurmdSpoolDir": state / "spool",
        "SlurmctldPidFile": state / "slurmctld.pid", "SlurmdPidFile": state / "slurmd.pid",
        "SlurmctldLogFile": state / "slurmctld.log", "SlurmdLogFile": state / "slurmd.log",
    }  # fmt: skip
    node = f"NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} RealMemory={memory} State=UNKNOWN\n"
    partition = f"PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP\n"
    return "".join(f"{key}={value}\n" for key, value in settings.items()) + node + partition


@contextlib.contextmanager
def slurm(state: Path) -> Iterator[None]:
    """A running Slurm; its daemons end, and its configuration goes, however this ends."""
    (state / "ctld").mkdir()
    (state / "spool").mkdir()
    # In /etc, because jobs do not inherit the variable that would name another place.
    CONF.parent.mkdir(exist_ok=True)
    CONF.write_text(configuration(state), encoding="utf-8")
    try:
        run_folder = Path("/run/munge")
        run_folder.mkdir(exist_ok=True)
        shutil.chown(run_folder, "munge", "munge")
        subprocess.run(["runuser", "-u", "munge", "--", "munged", f"--pid-file={run_folder}/munged.pid"], check=True)
        for daemon in ("slurmctld", "slurmd"):
            subprocess.run([daemon], check=True)
        wait_until(lambda: "idle" in out("sinfo", "-h", "-o", "%T"), 60)
        yield
    finally:
        subprocess.run(["scancel", "--me"], check=False)
        for file in (state / "slurmd.pid", state / "slurmctld.pid", Path("/run/munge/munged.pid")):
            with contextlib.suppress(FileNotFoundError, ValueError, ProcessLookupError):
                os.kill(int(file.read_text()), signal.SIGTERM)
        CONF.unlink()
        wait_until(lambda: in_use() is None, 30)


def out(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def wait_until(true: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            raise SystemExit(f"waited {seconds:.0f} s in vain")
        time.sleep(0.2)


def project(folder: Path) -> Path:
    """The sources in a folder of their own."""
    folder.mkdir()
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name)
        else:
            shutil.copy2(ROOT / name, folder / name)
    return folder


def snakemake(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    # In front of the real one, to count its calls.
    counting = folder / "bin/sbatch"
    counting.parent.mkdir(exist_ok=True)
    counting.write_text(
        f'#!/bin/sh\necho >> {folder}/sbatch.txt\nexec {shutil.which("sbatch")} "$@"\n', encoding="utf-8"
    )
    counting.chmod(0o755)
    path = f"{counting.parent}:{os.environ['PATH']}"
    environment = os.environ | {"PYTHONPATH": str(folder / "src"), "PATH": path}
    command = [sys.executable, "-m", "snakemake", *arguments]
    log = open(folder / "output.txt", "w", encoding="utf-8")  # noqa: SIM115
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT, text=True)


def log(folder: Path) -> str:
    return (folder / "output.txt").read_text(encoding="utf-8")


def finish(process: "subprocess.Popen[str]", folder: Path) -> str:
    """What a call printed that had to succeed."""
    try:
        code = process.wait(LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        code = -1
    text = log(folder)
    if code != 0:
        raise SystemExit(f"{text[-4000:]}\nexit code {code}")
    return text


def differences(folder: Path, other: Path) -> None:
    """Ends the trial in one line if a file differs, or a lock is left."""
    for kind in ("csv", "png", "svg"):
        if not filecmp.cmp(folder / f"{ITEM}.{kind}", other / f"{ITEM}.{kind}", shallow=False):
            raise SystemExit(f"{ITEM}.{kind} differs from the local build's")
    if any((folder / ".snakemake/locks").glob("*")):
        raise SystemExit("a lock is left")


def equal(folder: Path, other: Path) -> None:
    """Ends the trial in one line if a file differs, or a lock or a job in the queue is left."""
    differences(folder, other)
    if queue := out("squeue", "-h"):
        raise SystemExit(f"jobs are left in the queue:\n{queue}")


def trial(scratch: Path, *profile: str) -> Iterator[dict[str, str]]:
    """Builds here, then by the profile, then again with a job cancelled in the middle; yields what each took."""
    local, remote = project(scratch / "local"), project(scratch / "remote")
    started = time.monotonic()
    finish(snakemake(local, "-c2", *QUICK), local)
    yield row(f"{TARGET} at quick scale, on this machine", started, 0, "finished")
    started = time.monotonic()
    finish(snakemake(remote, *profile, *QUICK), remote)
    equal(remote, local)
    yield row("the same by the profile", started, submissions(remote), "equal bytes, empty queue, no lock")
    other = project(scratch / "other")
    started = time.monotonic()
    broken = snakemake(other, *profile, *QUICK)
    wait_until(lambda: any((other / "build/quick/packs").rglob("*.csv")) and running() != "", 120)
    subprocess.run(["scancel", "--me"], check=True)
    if broken.wait(LIMIT) == 0:
        raise SystemExit("a cancelled job passed for a finished one")
    yield row("another, its jobs cancelled once the first ends", started, submissions(other), "exit code not 0")
    started = time.monotonic()
    finish(snakemake(other, *profile, *QUICK), other)
    equal(other, local)
    yield row("the same command again", started, submissions(other), "equal bytes, empty queue, no lock")


def running() -> str:
    """Ids of the jobs that run."""
    return out("squeue", "-h", "-t", "R", "-o", "%i")


def queue_trial(scratch: Path, local: Path) -> Iterator[dict[str, str]]:
    """Builds through `cluster-generic`, whose queue is this machine's own processes; nothing where it is missing."""
    if importlib.util.find_spec("snakemake_executor_plugin_cluster_generic") is None:
        return
    folder, submit = project(scratch / "queue"), scratch / "submit.sh"
    submit.write_text('nohup nice sh "$1" > "$1.out" 2>&1 < /dev/null &\necho $!\n', encoding="utf-8")
    generic = ("--executor", "cluster-generic", "--cluster-generic-submit-cmd", f"sh {submit}", "--jobs", "2")
    started = time.monotonic()
    finish(snakemake(folder, *QUICK, *generic, "--local-cores", "2", "--latency-wait", "30"), folder)
    differences(folder, local)
    jobs = len(list((folder / "build/quick/packs").rglob("*.csv")))
    yield row(
        "the same by cluster-generic; its queue: processes of this machine", started, jobs, "equal bytes, no lock"
    )


def row(what: str, started: float, submitted: int, outcome: str) -> dict[str, str]:
    """A row of the table, which is also told."""
    values = (what, f"{time.monotonic() - started:.0f}", str(submitted), outcome)
    print(", ".join(f"{name}: {value}" for name, value in zip(COLUMNS, values, strict=True)), flush=True)
    return dict(zip(COLUMNS, values, strict=True))


def submissions(folder: Path) -> int:
    """How often the calls in a folder ran `sbatch` since it was asked last: an array is submitted once."""
    file = folder / "sbatch.txt"
    count = len(file.read_text(encoding="utf-8").splitlines()) if file.exists() else 0
    file.unlink(missing_ok=True)
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, help="CSV to write, beside what is printed")
    args = parser.parse_args()
    if (lacking := missing()) is not None:
        print(f"skipped: {lacking}")
        return
    if (reason := in_use()) is not None:
        sys.exit(f"Not started: {reason}, so this machine has a Slurm of its own")
    with tempfile.TemporaryDirectory() as scratch:
        state = Path(scratch)
        state.chmod(0o755)
        with slurm(state):
            rows = list(trial(state, "--workflow-profile", "profiles/slurm"))
        rows += queue_trial(state, state / "local")
    if args.output:
        write_rows(args.output, list(COLUMNS), rows)


if __name__ == "__main__":
    main()
