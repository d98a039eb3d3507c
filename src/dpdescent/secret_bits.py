"""Random bits that are secret and drawn once: ChaCha20 with a key of the operating system that belongs to one process.

Equal noise in two releases takes the noise off both. So no state is ever used twice: a copy, a pickle, a child by
`spawn` and a forked process have keys of their own, and the state is neither shown nor set. Threads may share a
generator, because numpy locks it for every draw: they take different parts of one stream. What no program can see is a
machine, or a process, that is saved and resumed twice: make a new generator afterwards.
"""

import os
import secrets
import weakref
from typing import Any, NoReturn

import numpy as np
from randomgen import ChaCha

KEY_BYTES = 32

# What numpy's generators need of their source, and what gives nothing away. Whatever else another version of the cipher
# offers, such as to go back in the stream, is refused unseen.
_OPEN = frozenset({"capsule", "lock", "random_raw", "seed_seq", "spawn"})
# What is this class's own; the cipher's other private names would seed it again.
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
        """Returns sources with keys of their own, because numpy would derive theirs from a SeedSequence."""
        return [SecretBits() for _ in range(n_children)]

    def _rekey(self) -> None:
        """Gives a process that was forked a key of its own, in place, because generators hold the address."""
        lock: Any = self.lock
        if lock.acquire(blocking=False):
            lock.release()
        else:
            # Another thread was drawing, which the child does not have, so that nobody would ever release it.
            lock._at_fork_reinit()
        ChaCha.state.__set__(self, ChaCha.state.__get__(SecretBits()))
        self._process = os.getpid()


def is_secret(rng: np.random.Generator) -> bool:
    """Whether nobody can make the noise of this generator again.

    False in a child whose fork Python did not see, and for subclasses, because what these draw is their own.
    """
    bits = rng.bit_generator
    # Of numpy's class itself, because another one may keep what it drew and give it again.
    return type(rng) is np.random.Generator and type(bits) is SecretBits and bits._process == os.getpid()


def _refuse(name: str) -> NoReturn:
    raise TypeError(
        f"{name!r} of a secure generator is refused: its state is a key, and noise that is made twice can be taken off "
        "what it protects; take another secure_generator()"
    )


def _rekey_all() -> None:
    for bits in list(_LIVING):
        bits._rekey()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_rekey_all)
