"""Noise from the operating system's entropy, for one release: no seed, nothing to repeat it by.

What this does not mend is double precision: the last bits of `value + noise` can betray the value (Mironov, "On
Significance of the Least Significant Bits for Differential Privacy", CCS 2012), and clipping rounds as well.
"""

import secrets

import numpy as np
from randomgen import ChaCha

KEY_BYTES = 32


def generator() -> np.random.Generator:
    """A generator whose bits are the ChaCha20 key stream of a fresh 256-bit key from the operating system.

    Its state holds that key: who keeps, pickles or prints it can take all the noise off again. Let it go with the run.

    Raises:
        NotImplementedError: if the operating system offers no source of entropy.
    """
    # numpy's own generators are predictable from their output, whatever they are seeded with. A `seed` would be
    # hashed by numpy's SeedSequence, which is not made for secrets; a `key` is taken as it is.
    key = int.from_bytes(secrets.token_bytes(KEY_BYTES), "little")
    return np.random.Generator(ChaCha(key=key, rounds=20))
