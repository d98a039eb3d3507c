"""Random streams by name: what is drawn depends on what it is called, never on the order or the cut of the jobs."""

import hashlib

import numpy as np

Name = str | int | float


def stream(seed: int, *names: Name) -> np.random.Generator:
    """A PCG64 generator that belongs to `names`, e.g. `stream(7, "liang2025", "fig03", "n=500", "trial", 3, "data")`.

    Equal (seed, names) give equal streams on every machine; different ones give independent streams. Arms that are
    compared with each other share a stream by sharing its name.

    Args:
        seed: the project's seed, a non-negative integer.
        names: parts of the name; numbers are written as Python prints them, so 1 and 1.0 are different names.

    Raises:
        ValueError: if the seed is negative, or no name is given (such a stream would be shared by accident).
    """
    if seed < 0:
        raise ValueError(f"seed={seed} must be a non-negative integer")
    if not names:
        raise ValueError("a stream needs a name: two unnamed streams would be the same one")
    # The separator cannot occur in a printed number, so that ("a", 1) and ("a1",) differ.
    digest = hashlib.sha256("\x1f".join(str(name) for name in names).encode()).digest()
    words = tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy=seed, spawn_key=words)))
