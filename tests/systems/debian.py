"""README's commands on a Debian 13 with nothing but its own packages, which this script makes and removes.

Run it by `make test-systems`, as root on a machine with Debian's package debootstrap. A user without rights gets a
`git clone`, then an unpacked archive without `.git`, and calls what README prints. Results there are compared with
those that this machine's own Python makes, and with the committed ones. Then another fresh system goes through the
steps of `Containerfile`, without a container engine. It says what it did, line by line, and writes it down.
"""

import argparse
import contextlib
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from dpdescent.replication.build import compare
from dpdescent.replication.build.files import MANIFEST, listed, write_rows

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = ("system", "python", "checkout", "what", "seconds", "outcome")
SUITE, SYSTEM = "trixie", "Debian 13"
# As README says.
PACKAGES = ("python3", "python3-venv", "make", "git", "ca-certificates")
USER = "reader"
HOME = f"/home/{USER}"
# At the papers' own scale, beside README's commands, of which `make results` takes hours.
FIGURE = "liang2025/fig08"
# How this machine reaches packages is no part of what is tried.
CERTIFICATES, AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt"), "/srv/authorities.crt"
REACHING = re.compile(r"(PIP_(INDEX_URL|EXTRA_INDEX_URL|TRUSTED_HOST|PROXY)|(https?|no)_proxy)", re.IGNORECASE)


def missing() -> str | None:
    """One word for what is missing here, or None."""
    if os.geteuid() != 0:
        return "root"
    return next(
        (name for name in ("debootstrap", "chroot", "mount", "git", "make") if shutil.which(name) is None), None
    )


@contextlib.contextmanager
def debian() -> Iterator[Path]:
    """A fresh system in a folder of its own, which reaches what this machine reaches; it goes, however this ends."""
    with tempfile.TemporaryDirectory(prefix="dpdescent-systems-") as place:
        root = Path(place) / "root"
        run("debootstrap", "--variant=minbase", SUITE, root)
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
        run("mount", "-t", "proc", "proc", root / "proc")
        try:
            # This machine may reach packages through authorities of its own, which an installation must not undo.
            shutil.copy(CERTIFICATES, root / AUTHORITIES.removeprefix("/"))
            yield root
        finally:
            run("umount", root / "proc")


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """What a command prints; its output where it fails."""
    done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{shlex.join(map(str, command))} failed:\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


def inside(root: Path, user: str, folder: str, command: str) -> str:
    """What a command prints in the new system, as a user with nothing of this machine's settings."""
    settings = {
        "HOME": {"root": "/root", USER: HOME}.get(user, "/tmp"), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
        "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", "PIP_CERT": AUTHORITIES,
    }  # fmt: skip
    settings |= {name: value for name, value in os.environ.items() if REACHING.fullmatch(name)}
    words = [f"{name}={value}" for name, value in settings.items()]
    return run(
        "chroot", f"--userspec={user}:{user}", root, "env", "-i", *words, "sh", "-c", f"cd {folder} && {command}"
    )


def furnish(root: Path) -> None:
    """Installs what README asks for, and makes a user."""
    inside(root, "root", "/", "apt-get update -qq")
    inside(root, "root", "/", f"apt-get install -y -qq --no-install-recommends {' '.join(PACKAGES)}")
    inside(root, "root", "/", f"useradd --create-home {USER}")


def contain(root: Path) -> str:
    """Goes through the steps of `Containerfile`; returns what its entry point prints without arguments."""
    text = (ROOT / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    user, folder, entry = "root", "/", []
    for step in re.findall(r"^([A-Z]+) (.*)$", text, re.MULTILINE):
        match step:
            case ("FROM" | "ENV", _):
                pass
            case ("RUN", command):
                inside(root, user, folder, command)
            case ("USER", name):
                user = name
            case ("WORKDIR", place):
                folder = place
                (root / folder.removeprefix("/")).mkdir(parents=True, exist_ok=True)
            case ("COPY", "--chown=1000:1000 . ."):
                archive(root / folder.removeprefix("/"))
                run("chown", "-R", "1000:1000", root / folder.removeprefix("/"))
            case ("ENTRYPOINT" | "CMD", words):
                entry += json.loads(words)
            case (name, words):
                raise SystemExit(f"Containerfile: {name} {words} is a step that is not known here")
    return inside(root, user, folder, shlex.join(entry))


def commands() -> list[str]:
    """What README prints to begin with, but for what takes hours and for the tests."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return [command.strip() for command in re.findall(r"^(make quick[^#\n]*)", text, re.MULTILINE)]


def clone(folder: Path) -> None:
    """The last commit, with its history cut off."""
    run("git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", folder)


def archive(folder: Path) -> None:
    """The files of the last commit alone."""
    folder.mkdir(exist_ok=True)
    content = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "x"], cwd=folder, input=content, check=True)


def differing(made: Path, reference: Path) -> str:
    """How results differ from others that are complete: `equal bytes`, or the first difference."""
    names = [name for name in listed(reference / MANIFEST) if name != "provenance.json"]
    for name in names:
        if not (made / name).is_file() or (made / name).read_bytes() != (reference / name).read_bytes():
            return f"{name} differs"
    return f"{len(names)} files with equal bytes"


def as_committed(made: Path) -> str:
    """How the figure at the papers' own scale compares with the committed one."""
    table = f"results/paper/{FIGURE}.csv"
    if all((made / file).read_bytes() == (ROOT / file).read_bytes() for file in (table, table.replace(".csv", ".svg"))):
        return "equal bytes to the committed ones"
    return compare.table_difference(made / table, ROOT / table) or "agrees with the committed one as `verify` asks"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True, help="CSV to write")
    parser.add_argument("--tests", action="store_true", help="also `make test` in the clone (a quarter of an hour)")
    args = parser.parse_args()
    if lacking := missing():
        print(f"skipped: {lacking}")
        return
    if uncommitted := run("git", "status", "--porcelain", cwd=ROOT):
        sys.exit(f"What is not committed is not tried; commit or stash it first:\n{uncommitted}")
    rows: list[dict[str, str | int]] = []

    def timed(python: str, checkout: str, what: str, started: float, outcome: str) -> None:
        rows.append({"system": SYSTEM, "python": python, "checkout": checkout, "what": what,
                     "seconds": round(time.monotonic() - started), "outcome": outcome})  # fmt: skip
        print(", ".join(map(str, rows[-1].values())), flush=True)

    with tempfile.TemporaryDirectory(prefix="dpdescent-here-") as place, debian() as root:
        furnish(root)
        here = Path(place) / "here"
        clone(here)
        for command in commands():
            run(*shlex.split(command), f"PYTHON={sys.executable}", cwd=here)
        print(f"made by this machine's CPython {platform.python_version()}, to compare with", flush=True)
        version = inside(root, USER, "/", "python3 -c 'import platform; print(platform.python_version())'").strip()
        for kind, made in (("git clone", clone), ("archive without .git", archive)):
            folder = root / HOME.removeprefix("/") / made.__name__
            made(folder)
            inside(root, "root", "/", f"chown -R {USER}:{USER} {HOME}")
            for what in [".venv", *commands(), f"figure F={FIGURE}"]:
                started = time.monotonic()
                command = what if what.startswith("make ") else f"make {what}"
                inside(root, USER, f"{HOME}/{made.__name__}", command)
                outcome = "set up"
                if what.startswith("make quick"):
                    same = differing(folder / "results/quick", here / "results/quick")
                    outcome = f"{same} to CPython {platform.python_version()}'s"
                elif what.startswith("figure"):
                    outcome = as_committed(folder)
                timed(version, kind, command, started, outcome)
            started = time.monotonic()
            told = inside(root, USER, f"{HOME}/{made.__name__}", ".venv/bin/dpdescent spotcheck --seconds 20")
            timed(version, kind, ".venv/bin/dpdescent spotcheck --seconds 20", started, told.strip().splitlines()[-1])
        if args.tests:
            started = time.monotonic()
            told = inside(root, USER, f"{HOME}/clone", "make test")
            timed(version, "git clone", "make test", started, re.findall(r"\d+ passed.*", told)[-1])
    with debian() as root:
        started = time.monotonic()
        first = contain(root).splitlines()[0]
        timed(version, "Containerfile", "its steps, without an engine", started, f"every step ends well: {first}")
    write_rows(args.output, COLUMNS, rows)


if __name__ == "__main__":
    main()
