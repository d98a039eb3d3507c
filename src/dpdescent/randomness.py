"""Random streams by name, for experiments, and noise from the operating system's entropy, for releases.

The draws of a named stream depend on its name alone, not on the order or partition of jobs. Noise that can be
regenerated from a seed gives no privacy, so that releases use `secure_generator`. Floating-point rounding remains a
gap: the last bits of `value + noise` can reveal the value (Mironov, "On Significance of the Least Significant Bits for
Differential Privacy", CCS 2012), and clipping rounds as well.
"""

import hashlib

import numpy as np

Name = str | int | float


def stream(seed: int, *names: Name) -> np.random.Generator:
    """Returns the PCG64 generator of `names`, e.g. `stream(7, "liang2025", "fig03", "n=500", "trial", 3, "data")`.

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
    # Joined by a separator, because ("a", 1) and ("a1",) must differ.
    digest = hashlib.sha256("\x1f".join(str(name) for name in names).encode()).digest()
    words = tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy=seed, spawn_key=words)))


def secure_generator() -> np.random.Generator:
    """Returns a generator of the ChaCha20 key stream of a new 256-bit key from the operating system.

    Its noise is never generated twice: copies, pickles, children and forked processes have their own keys, and its
    state is not shown. Threads may share it. Its memory contains the key, so delete it after the run, and make a new
    one in a machine that was saved and resumed.

    Raises:
        NotImplementedError: if the operating system offers no source of entropy.
    """
    # Imported here, because experiments do not need it and the import takes a tenth of a second.
    from dpdescent.secret_bits import SecretBits

    return np.random.Generator(SecretBits())
