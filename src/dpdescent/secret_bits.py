"""Random bits that are secret and drawn once: ChaCha20 with a key of the operating system that one process owns.

If two releases have equal noise, the noise can be removed from both. So no state is ever used twice: a copy, a pickle,
a child by `spawn` and a forked process have their own keys, and the state is neither shown nor set. Threads may share a
generator, because numpy locks it for every draw: they take different parts of one stream. No program can see that a
machine, or a process, is saved and resumed twice: make a new generator afterwards.
"""

import os
import secrets
import weakref
from typing import Any, NoReturn

import numpy as np
from randomgen import ChaCha

KEY_BYTES = 32

# Attributes that numpy's generators need from their source, and that reveal nothing. All other attributes of any
# version of the cipher, such as those that go back in the stream, are refused.
_OPEN = frozenset({"capsule", "lock", "random_raw", "seed_seq", "spawn"})
# Attributes of this class itself; the cipher's other private names would seed it again.
_OWN = frozenset({"_process", "_sealed", "_rekey"})

_LIVING: "weakref.WeakSet[SecretBits]" = weakref.WeakSet()


class SecretBits(ChaCha):  # type: ignore[misc]
    """The source of a generator whose noise is secret; made by `randomness.secure_generator`."""

    _sealed = False

    def __init__(self) -> None:
        if self._sealed:
            _refuse("__init__")
        # ChaCha, because numpy's own generators are predictable from their output for every seed. With a `key`, because
        # a `seed` would be hashed by numpy's SeedSequence, which is not cryptographic.
        super().__init__(key=int.from_bytes(secrets.token_bytes(KEY_BYTES), "little"), rounds=20)
        self._process, self._sealed = os.getpid(), True
        _LIVING.add(self)

    def __getattribute__(self, name: str) -> Any:
        if name not in _OPEN | _OWN and not name.startswith("__") and self._sealed:
            _refuse(name)
        return super().__getattribute__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "_process" and self._sealed:
            _refuse(name)
        super().__setattr__(name, value)

    def __reduce__(self) -> tuple[type["SecretBits"], tuple[()]]:
        return SecretBits, ()

    def __setstate__(self, state: Any) -> NoReturn:
        _refuse("state")

    def spawn(self, n_children: int) -> list["SecretBits"]:
        """Returns sources with their own keys, because numpy would derive keys from a SeedSequence."""
        return [SecretBits() for _ in range(n_children)]

    def _rekey(self) -> None:
        """Gives a forked process its own key, in place, because generators hold the address."""
        lock: Any = self.lock
        if lock.acquire(blocking=False):
            lock.release()
        else:
            # Another thread was drawing. The child does not have that thread, so that nobody would ever release the
            # lock.
            lock._at_fork_reinit()
        ChaCha.state.__set__(self, ChaCha.state.__get__(SecretBits()))
        self._process = os.getpid()


def is_secret(rng: np.random.Generator) -> bool:
    """Whether nobody can regenerate the noise of this generator.

    False in a child whose fork Python did not notice, and for subclasses, because their draws are their own.
    """
    bits = rng.bit_generator
    # Only for numpy's class itself, because a subclass may store its draws and repeat them.
    return type(rng) is np.random.Generator and type(bits) is SecretBits and bits._process == os.getpid()


def _refuse(name: str) -> NoReturn:
    raise TypeError(
        f"{name!r} of a secure generator is refused: its state is a key, and noise that is made twice can be taken off "
        "what it protects; take another secure_generator()"
    )


def _rekey_all() -> None:
    """Gives all secret sources of a forked process their own keys."""
    for bits in list(_LIVING):
        bits._rekey()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_rekey_all)
