"""Other supported interpreters of this machine, as files that run: what a version manager puts on the PATH may not."""

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

NAMES = ("python3", *(f"python3.{minor}" for minor in range(11, 15)))
NONE = "another supported Python (put one on the PATH, or name its file in OTHER_PYTHONS)"


@cache
def others() -> dict[str, Path]:
    """Executables by full version, one a version: of OTHER_PYTHONS (colons or blanks between) and of the PATH."""
    named = [Path(name) for name in re.split(r"[:\s]+", os.environ.get("OTHER_PYTHONS", "")) if name]
    found = {version: file for file in [*named, *_on_path()] if (version := _version(file))}
    return {version: file for version, file in sorted(found.items()) if version != _version(Path(sys.executable))}


def _on_path() -> list[Path]:
    """What is called Python on the PATH; where a folder of shims is, also what lies in the versions behind it."""
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    behind = [each for folder in folders if folder.name == "shims" for each in folder.parent.glob("versions/*/bin")]
    found = (shutil.which(name, path=str(folder)) for folder in [*folders, *behind] for name in NAMES)
    return [Path(file) for file in found if file]


@cache
def _version(file: Path) -> str:
    """The version of a supported CPython, such as 3.12.1; empty for what is none, or does not run."""
    code = "import sys; print(sys.implementation.name, *sys.version_info[:3])"
    try:
        done = subprocess.run([file, "-ISc", code], capture_output=True, text=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return ""
    name, *numbers = done.stdout.split()
    return ".".join(numbers) if name == "cpython" and (3, 11) <= (int(numbers[0]), int(numbers[1])) < (4,) else ""
