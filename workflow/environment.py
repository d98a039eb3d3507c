"""Set-up of a checkout: .venv with the packages of the locks, by uv where it is on the PATH, else by pip.

`make` calls it before everything else. Without make: `python3 workflow/environment.py`, then `.venv/bin/snakemake -c2`.
It uses the standard library alone and runs on any Python 3.7, because it looks for an interpreter that is new enough.
"""

import argparse
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Versions of CPython, newest first, for which every package of the locks but those of SOURCE_ONLY has a wheel.
SUPPORTED = ("3.13", "3.12", "3.11")
NO_PYTHON = """\
dpdescent needs CPython {oldest} to {newest}, and {problem}. Two ways to get one:
  from the system: apt-get install python3 python3-venv (Debian 12 or 13, Ubuntu 24.04); brew install python@{newest}
  from uv, without other rights: uv python install {newest}, then make ... PYTHON="$(uv python find {newest})\""""
# The packages of the pipeline. Each extra's lock has only what is needed beside them.
LOCK, EXTRAS = "requirements.lock", ("test", "deep", "slurm")
# Packages without a wheel on any index; the lock has the tools that build them, which are installed before them.
SOURCE_ONLY = ("connection-pool",)
RECORD, LOG = Path(".venv/.installed"), Path(".venv/environment.log")
# Settings of a user's pip and uv that are kept: those on how packages are reached. All others could install packages
# elsewhere, choose other packages, or switch off the check of hashes.
PIP_KEEPS = (
    "cache-dir", "cert", "client-cert", "default-timeout", "extra-index-url", "find-links", "index-url",
    "keyring-provider", "no-cache-dir", "no-index", "proxy", "retries", "timeout", "trusted-host",
)  # fmt: skip
UV_KEEPS = re.compile(
    "UV_(CACHE_DIR|CONCURRENT_.*|DEFAULT_INDEX|EXTRA_INDEX_URL|FIND_LINKS|HTTP_.*|INDEX.*|INSECURE_HOST"
    "|KEYRING_PROVIDER|LINK_MODE|NATIVE_TLS|NO_CACHE|NO_PROGRESS|OFFLINE|PYTHON_.*|SYSTEM_CERTS)"
)
# Variables for programs of the user's own; each of them changes which modules a Python finds that runs here.
FOREIGN = re.compile("(PYTHON|PIP_|UV_|CONDA_|VIRTUAL_ENV|__PYVENV)")
UNREACHED = re.compile(
    r"Retrying \(|NewConnectionError|NameResolutionError|ConnectTimeout|SSLError|dns error|error sending"
)
PROBE = """
import importlib.util, platform, sys
modules = all(importlib.util.find_spec(name) for name in ("ensurepip", "venv"))
print(platform.python_implementation(), platform.python_version(), sys.executable, modules, sep="\\t")
"""
CHECK = """
import importlib.metadata, json, sys
wrong = []
for name, version, marker in json.load(sys.stdin):
    try:
        found = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        found = "not there"
    if marker:
        from packaging.markers import Marker
        if not Marker(marker).evaluate():
            continue
    if found != version:
        wrong.append(f"{name} is {found} instead of {version}")
import dpdescent
print(json.dumps([wrong, dpdescent.__file__]))
"""


class Failure(Exception):
    """A set-up that cannot go on; its text says what failed and how to mend it."""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("extras", nargs="*", metavar="EXTRA", help="what is needed beside: " + ", ".join(EXTRAS))
    parser.add_argument("--python", default="", help="interpreter (default: python3 where supported, else the newest)")
    args = parser.parse_args()
    unknown = sorted(set(args.extras) - set(EXTRAS))
    if unknown:
        parser.error("there is no extra {!r}; there are: {}".format(unknown[0], ", ".join(EXTRAS)))
    os.chdir(str(Path(__file__).resolve().parents[1]))
    try:
        # Locked, because two calls at once would write the same files; the second call then finds everything done.
        with open(__file__) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            set_up(set(args.extras), args.python)
    except Failure as failure:
        sys.exit(str(failure))
    except KeyboardInterrupt:
        sys.exit("\nInterrupted. What is installed stays: the same command goes on.")


def set_up(extras, python):
    """Makes .venv as the locks say, unless it is so already, for this checkout and the wanted interpreter."""
    record = read_record()
    extras = sorted(extras | set(record["extras"]))
    locks = {LOCK: digest(LOCK), "pyproject.toml": digest("pyproject.toml")}
    for extra in extras:
        locks[f"requirements-{extra}.lock"] = digest(f"requirements-{extra}.lock")
    here = record["checkout"] == os.getcwd() and os.access(".venv/bin/python", os.X_OK)
    named = supported(python) if python else None
    if here and named and named["version"] != record["python"]:
        here = False
    if here and record["locks"] == locks:
        return
    if not os.access(".", os.W_OK):
        raise Failure(f"{os.getcwd()} cannot be written to: copy it to a folder of yours, and call make there")
    try:
        install_all("uv" if shutil.which("uv") else "pip", here, named, extras, locks)
    except Failure as failure:
        # Tried because pip has indexes and certificates of its own.
        if not shutil.which("uv") or not (named or any_supported("uv"))["modules"]:
            raise
        print(f"{failure}\nTrying pip in place of uv", flush=True)
        install_all("pip", here, named, extras, locks)


def install_all(tool, here, named, extras, locks):
    """Installs the packages of the locks that .venv lacks, by uv or pip, in a new .venv unless the old one serves."""
    record = read_record()
    if not here or (tool == "pip" and not has_pip()):
        python = named or any_supported(tool)
        print(
            "Setting up .venv: CPython {version} ({path}), packages by {tool}".format(tool=tool, **python), flush=True
        )
        create(tool, python)
        record = {"checkout": os.getcwd(), "python": python["version"], "extras": extras, "locks": {}}
        write_record(record)
    for name in locks:
        if name.endswith(".lock") and record["locks"].get(name) != locks[name]:
            install(tool, name)
    install_project(tool)
    check([name for name in locks if name.endswith(".lock")])
    record["extras"], record["locks"] = extras, locks
    write_record(record)


# --- the interpreter -------------------------------------------------------------------------------------------------


def any_supported(tool):
    """The interpreter to use: python3 where it is supported, else the newest of all that have a name on the PATH."""
    lacking = None
    for name in ["python3", *("python" + version for version in SUPPORTED)]:
        interpreter = probe(name)
        if interpreter and (interpreter["modules"] or tool == "uv"):
            return interpreter
        lacking = lacking or interpreter
    if lacking:
        raise Failure(no_venv(lacking))
    raise Failure(no_python("none is on the PATH"))


def supported(python):
    """The interpreter that a user named."""
    interpreter = probe(python)
    if not interpreter:
        raise Failure(no_python(f"{python} is none"))
    if not interpreter["modules"] and not shutil.which("uv"):
        raise Failure(no_venv(interpreter))
    return interpreter


def probe(python):
    """Version and path of the supported CPython that a command starts, and whether it has venv; None for all else."""
    try:
        done = subprocess.run([python, "-c", PROBE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=plain())
    except OSError:
        return None
    fields = done.stdout.decode(errors="replace").strip().split("\t")
    if done.returncode or len(fields) != 4 or fields[0] != "CPython":
        return None
    if fields[1].rpartition(".")[0] not in SUPPORTED:
        return None
    return {"version": fields[1], "path": fields[2], "modules": fields[3] == "True"}


def no_python(problem):
    return NO_PYTHON.format(oldest=SUPPORTED[-1], newest=SUPPORTED[0], problem=problem)


def no_venv(interpreter):
    return "{path} lacks the modules venv and ensurepip. On Debian and Ubuntu: apt-get install python3-venv".format(
        **interpreter
    )


# --- .venv -----------------------------------------------------------------------------------------------------------


def create(tool, python):
    """Makes an empty .venv with an interpreter."""
    if tool == "uv":
        run(
            ["uv", "venv", "--no-config", "--quiet", "--clear", "--no-project", "--python", python["path"], ".venv"],
            "create .venv",
        )
    else:
        run([python["path"], "-m", "venv", "--clear", ".venv"], "create .venv")


def install(tool, lock):
    """Installs the packages of a lock by their hashes: first all wheels, then the packages that have to be built."""
    blocks = packages(lock)
    with tempfile.TemporaryDirectory() as folder:
        for source in (False, True):
            chosen = [text for name, _, _, text in blocks if (name in SOURCE_ONLY) is source]
            if not chosen:
                continue
            file = Path(folder, "packages.txt")
            file.write_text("".join(chosen), encoding="utf-8")
            how = ["--no-build-isolation", "--no-binary"] if source else ["--only-binary"]
            arguments = ["--no-deps", "--require-hashes", *how, ":all:", "-r", str(file)]
            fetch(tool, arguments, f"{len(chosen)} packages of {lock}", len(chosen))


def install_project(tool):
    """Installs the project itself, as a link to src."""
    with tempfile.TemporaryDirectory() as home:
        # A user's own settings of setuptools lie in the home folder.
        fetch(tool, ["--no-deps", "--no-build-isolation", "--editable", "."], "the project itself", 1, HOME=home)


def fetch(tool, arguments, what, number, **environment):
    """Runs the installer of a tool with arguments that pip and uv share."""
    if tool == "uv":
        # No uv.toml is read, because it may name another target; bytecode is compiled, because some users forbid jobs
        # to write it.
        command = [
            "uv", "pip", "install", "--no-config", "--python", ".venv/bin/python", "--compile-bytecode", *arguments,
        ]  # fmt: skip
        run(command, f"install {what}", **environment)
        return
    command = [".venv/bin/python", "-m", "pip", "install", "--no-input", "--progress-bar", "off", *arguments]
    run(command, f"install {what}", Progress(what, number), **pip_settings(), **environment)


def run(command, doing, progress=None, **environment):
    """Runs a command, keeps its output in LOG, and raises an error in its words where it fails."""
    shown = command[0] == "uv" and sys.stderr.isatty()
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=None if shown else subprocess.STDOUT,
            env=dict(plain(), **environment),
        )  # fmt: skip
    except OSError as error:
        raise Failure(f"Set-up failed: could not {doing}: {error}") from None
    lines = []
    for raw in process.stdout:
        line = raw.decode(errors="replace").rstrip()
        lines.append(line)
        if progress:
            progress(line)
    if progress:
        progress.end()
    if os.path.isdir(".venv"):
        with open(str(LOG), "a", encoding="utf-8") as log:
            log.write("\n".join([" ".join(command), *lines, ""]))
    if process.wait():
        raise Failure(f"Set-up failed: could not {doing}: {reason(lines, shown)}")


def reason(lines, shown):
    """The words of a failed command that say why, and what to do."""
    telling = [line for line in lines if re.match(r"\s*(ERROR|error|Error|×)", line)] or lines[-3:]
    words = (
        "its words stand above" if shown else " ".join(line.strip(" ×╰─▶") for line in telling[:3]) or "it said nothing"
    )
    if any(UNREACHED.search(line) for line in lines):
        words += ". The index of packages was not reached: mend the connection or its settings, then the same command"
    elif any(
        "No matching distribution" in line or "no usable wheels" in line or "hint: Wheels" in line for line in lines
    ):
        words += (
            f". All have wheels for CPython {SUPPORTED[-1]} to {SUPPORTED[0]} on Linux (glibc 2.28 or later,"
            " x86_64 or aarch64) and macOS; an index of your own may lack one"
        )
    return "{}. All that was said: {}".format(words.rstrip("."), LOG)


class Progress:
    """The progress of pip, printed: on a terminal one line that changes, elsewhere a line for every 25 packages."""

    def __init__(self, what, number):
        self.what, self.number, self.done = what, number, 0
        self.terminal = sys.stdout.isatty()
        if number > 1:
            self.tell(f"fetching {what}")

    def __call__(self, line):
        match = re.match(
            r"(?:Collecting|Requirement already satisfied:|Processing) (?:\S*/)?([A-Za-z0-9._-]+?)(?:==|-\d|$|\s)", line
        )
        if match and self.number > 1:
            self.done += 1
            if self.terminal or self.done % 25 == 0:
                self.tell(f"  {self.done} of {self.number}: {match.group(1)}")
        elif line.startswith("Installing collected packages") and self.number > 1:
            self.tell("  all are here; unpacking them into .venv")

    def tell(self, text):
        print("\r\033[K" + text if self.terminal else text, end="" if self.terminal else "\n", flush=True)

    def end(self):
        if self.terminal and self.number > 1:
            print("\r\033[K", end="", flush=True)


def check(locks):
    """Compares what .venv has with the locks, because settings unknown here may have sent packages elsewhere."""
    wanted = json.dumps([[name, version, marker] for lock in locks for name, version, marker, _ in packages(lock)])
    done = subprocess.run([".venv/bin/python", "-I", "-c", CHECK], input=wanted.encode(), capture_output=True,
                          env=plain())  # fmt: skip
    if done.returncode:
        raise Failure(f"Set-up failed: .venv is not complete: {done.stderr.decode().strip().splitlines()[-1]}")
    wrong, imported = json.loads(done.stdout.decode())
    if wrong:
        more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        raise Failure(
            f"Set-up failed: {wrong[0]}{more}; settings of pip or uv may send packages elsewhere (pip config list,"
            " uv.toml). Mend them, rm -rf .venv, then the same command"
        )
    if not os.path.samefile(os.path.dirname(imported), "src/dpdescent"):
        raise Failure(
            f"Set-up failed: .venv imports {imported}, not this checkout's src: rm -rf .venv, then the same command"
        )


# --- files and settings ----------------------------------------------------------------------------------------------


def packages(lock):
    """Name, version, marker and text of every package in a lock."""
    text = Path(lock).read_text(encoding="utf-8")
    matches = re.finditer(r"^([A-Za-z0-9._-]+)==([^\s;]+)(?: ; ([^\\\n]*?))? ?\\?\n(?:[ \t].*\n)*", text, re.MULTILINE)
    return [(match.group(1), match.group(2), match.group(3) or "", match.group(0)) for match in matches]


def plain():
    """The environment without variables that send imports or packages elsewhere; a user's indexes stay."""
    return {name: value for name, value in os.environ.items() if not FOREIGN.match(name) or UV_KEEPS.fullmatch(name)}


def pip_settings():
    """Settings of a user's pip on how packages are reached, as variables that replace all of its settings."""
    variables = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    done = subprocess.run([".venv/bin/python", "-m", "pip", "config", "list"], capture_output=True,
                          env=dict(plain(), **variables))  # fmt: skip
    if done.returncode:
        raise Failure(f"Set-up failed: pip cannot read its settings: {done.stderr.decode().strip()}")
    kept = {"PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    # Settings of all commands come first, then those of `install`, and those of variables last, which take precedence.
    settings = re.findall(r"^(global|install|:env:)\.([\w-]+)=(.*)$", done.stdout.decode(), re.MULTILINE)
    for order in ("global", "install", ":env:"):
        for section, name, value in settings:
            if section == order and name in PIP_KEEPS:
                kept["PIP_" + name.upper().replace("-", "_")] = " ".join(value[1:-1].replace("\\n", " ").split())
    return kept


def has_pip():
    return not subprocess.run([".venv/bin/python", "-I", "-c", "import pip"], stderr=subprocess.DEVNULL).returncode


def digest(file):
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def read_record():
    """The record of what .venv was made for; empty where .venv is not there or not finished."""
    try:
        record = json.loads(RECORD.read_text(encoding="utf-8"))
        return {name: record[name] for name in ("checkout", "python", "extras", "locks")}
    except (OSError, ValueError, KeyError, TypeError):
        return {"checkout": "", "python": "", "extras": [], "locks": {}}


def write_record(record):
    unfinished = RECORD.with_suffix(".new")
    unfinished.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    os.replace(str(unfinished), str(RECORD))


if __name__ == "__main__":
    main()
