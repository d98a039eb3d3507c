"""Files that are expensive to compute and always the same, kept on disk under names that identify their origin."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from dpdescent.syntax import code_hash


def once(file: Path, make: Callable[[], NDArray[np.generic]]) -> NDArray[np.generic]:
    """Returns an array from its file, mapped into memory; the first process computes it, and others wait for that.

    Args:
        file: a .npy file, whose name must identify everything on which its content depends.
        make: function that computes the array.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not file.is_file():
            temporary = file.with_name(f".{os.getpid()}.{file.name}")
            try:
                np.save(temporary, make())
                os.replace(temporary, file)
            finally:
                temporary.unlink(missing_ok=True)
    return np.load(file, mmap_mode="r")  # type: ignore[no-any-return]


def code(*modules: ModuleType) -> str:
    """Returns a short hash of the code of modules, for names of files; comments do not change it."""
    return code_hash(*(Path(str(module.__file__)).read_text(encoding="utf-8") for module in modules))[:12]
