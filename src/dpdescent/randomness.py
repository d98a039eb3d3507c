"""Random streams by name, for experiments, and noise from the operating system's entropy, for releases.

The draws of a named stream depend on its name alone, not on the order or partition of jobs. Noise that can be
regenerated from a seed gives no privacy, so that releases use `secure_generator`. Floating-point rounding remains a
gap: the last bits of `value + noise` can reveal the value (Mironov, "On Significance of the Least Significant Bits for
Differential Privacy", CCS 2012), and clipping rounds as well.
"""

import hashlib
import secrets

import numpy as np

Name = str | int | float

KEY_BYTES = 32


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


class SecureGenerator(np.random.Generator):
    """Generator keyed with the operating system's entropy; made by `secure_generator`.

    Its class marks the noise as secret. Copies and pickles are ordinary generators without this mark.
    """

    def spawn(self, n_children: int) -> list[np.random.Generator]:
        """Returns generators with keys of their own, because numpy would derive theirs from a SeedSequence."""
        return [secure_generator() for _ in range(n_children)]


def secure_generator() -> SecureGenerator:
    """Returns a generator of the ChaCha20 key stream of a fresh 256-bit key from the operating system.

    Its state contains the key, from which all the noise can be computed and removed. So do not store or print the
    generator, and delete it after the run.

    Raises:
        NotImplementedError: if the operating system offers no source of entropy.
    """
    # Imported here, because experiments do not need it and the import takes a tenth of a second.
    from randomgen import ChaCha

    # ChaCha, because numpy's own generators are predictable from their output for every seed. With a `key`, because a
    # `seed` would be hashed by numpy's SeedSequence, which is not cryptographic.
    key = int.from_bytes(secrets.token_bytes(KEY_BYTES), "little")
    return SecureGenerator(ChaCha(key=key, rounds=20))
