"""Random streams by name, for experiments, and noise from the operating system's entropy, for releases.

What a named stream draws depends on its name, never on the order or the cut of the jobs. Noise that a seed can make
again protects nobody: a release takes `secure_generator`. What that does not mend is double precision: the last bits of
`value + noise` can betray the value (Mironov, "On Significance of the Least Significant Bits for Differential Privacy",
CCS 2012), and clipping rounds as well.
"""

import hashlib
import secrets

import numpy as np

Name = str | int | float

KEY_BYTES = 32


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


class SecureGenerator(np.random.Generator):
    """Marks noise of the operating system's entropy; made by `secure_generator`. Copies and pickles lose the mark."""

    def spawn(self, n_children: int) -> list[np.random.Generator]:
        """Returns generators with keys of their own, because numpy would derive theirs from a SeedSequence."""
        return [secure_generator() for _ in range(n_children)]


def secure_generator() -> SecureGenerator:
    """A generator whose bits are the ChaCha20 key stream of a fresh 256-bit key from the operating system.

    Its state holds that key: who keeps, pickles or prints it can take all the noise off again. Let it go with the run.

    Raises:
        NotImplementedError: if the operating system offers no source of entropy.
    """
    # Imported here, because experiments do without it and start a tenth of a second sooner.
    from randomgen import ChaCha

    # numpy's own generators are predictable from their output, whatever they are seeded with. A `seed` would be
    # hashed by numpy's SeedSequence, which is not made for secrets; a `key` is taken as it is.
    key = int.from_bytes(secrets.token_bytes(KEY_BYTES), "little")
    return SecureGenerator(ChaCha(key=key, rounds=20))
