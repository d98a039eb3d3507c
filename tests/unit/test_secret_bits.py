"""Secret noise is made once: every way in which one state could be used twice gives other noise, or an error."""

import contextlib
import copy
import multiprocessing
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from randomgen import ChaCha

import dpdescent
from dpdescent import randomness, secret_bits
from dpdescent.secret_bits import SecretBits, is_secret

NUMBERS = 4
# As a module of a user's has one, which forked workers inherit.
SHARED = randomness.secure_generator()


def drawn(rng: np.random.Generator) -> bytes:
    return rng.standard_normal(NUMBERS).tobytes()


def of_module(_: int) -> tuple[bytes, bool]:
    return drawn(SHARED), is_secret(SHARED)


def of_argument(rng: np.random.Generator) -> tuple[bytes, bool]:
    return drawn(rng), is_secret(rng)


def all_differ(found: list[tuple[bytes, bool]]) -> None:
    """Noise of all, which all are secret; a pool may give one worker several tasks, which must differ as well."""
    assert len({noise for noise, _ in found}) == len(found)
    assert all(secret for _, secret in found)


@pytest.mark.parametrize("work", [of_module, of_argument], ids=["of the module", "as an argument"])
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.parametrize("executor", [False, True], ids=["Pool", "ProcessPoolExecutor"])
def test_workers_have_noise_of_their_own(work: Callable[[Any], Any], method: str, executor: bool) -> None:
    context = multiprocessing.get_context(method)
    tasks: list[Any] = [SHARED, SHARED] if work is of_argument else [0, 1]
    before = of_argument(SHARED)
    if executor:
        with ProcessPoolExecutor(2, mp_context=context) as executing:
            found = list(executing.map(work, tasks))
    else:
        with context.Pool(2) as pool:  # type: ignore[attr-defined]
            found = pool.map(work, tasks, chunksize=1)
    all_differ([before, *found, of_argument(SHARED)])


def in_child(what: Callable[[], bytes]) -> bytes:
    """What a forked child computes."""
    receiving, sending = os.pipe()
    if not (child := os.fork()):
        try:
            os.write(sending, what())
        finally:
            os._exit(0)
    os.close(sending)
    with os.fdopen(receiving, "rb") as stream:
        found = stream.read()
    os.waitpid(child, 0)
    return found


def test_children_and_their_children_have_noise_of_their_own() -> None:
    rng = randomness.secure_generator()
    rng.standard_normal(3)
    found = [in_child(lambda: drawn(rng)) for _ in range(3)]
    found += [in_child(lambda: in_child(lambda: drawn(rng))), drawn(rng)]
    assert len(set(found)) == 5
    assert {len(each) for each in found} == {8 * NUMBERS}


@pytest.mark.parametrize("own", [False, True], ids=["another thread's", "the forking thread's"])
def test_a_fork_ends_while_the_generator_is_locked(own: bool) -> None:
    """As it is during a draw; a child that does not have the drawing thread would wait for it within the fork."""
    rng, receiving, sending = randomness.secure_generator(), *os.pipe()
    held, done = threading.Event(), threading.Event()

    def drawing() -> None:
        with rng.bit_generator.lock:
            held.set()
            done.wait()

    thread = threading.Thread(target=drawing)
    if not own:
        thread.start()
        held.wait()
    with rng.bit_generator.lock if own else contextlib.nullcontext():
        if not (child := os.fork()):
            try:
                os.write(sending, drawn(rng))
            finally:
                os._exit(0)
    done.set()
    if not own:
        thread.join()
    if not (ended := select.select([receiving], [], [], 30.0)[0]):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert ended
    assert os.read(receiving, 999) != drawn(rng)
    os.close(receiving)
    os.close(sending)


def test_another_class_of_generators_has_no_mark() -> None:
    class Replaying(np.random.Generator):
        def standard_normal(self, size: Any = None, **others: Any) -> Any:
            return np.zeros(size)

    assert not is_secret(Replaying(randomness.secure_generator().bit_generator))


def test_a_generator_around_the_same_bits_forks_like_it() -> None:
    again = np.random.Generator(randomness.secure_generator().bit_generator)
    assert is_secret(again)
    assert in_child(lambda: drawn(again)) != drawn(again)


def test_two_runs_in_workers_do_not_give_their_gradient_away() -> None:
    """With equal noise and two thresholds the first step without noise is known exactly."""
    X = np.random.default_rng(7).standard_normal((400, 2))
    y = X @ [1.0, -1.0]

    def run(gamma: float) -> bytes:
        found = dpdescent.dp_gd(X, y, rho=1.0, steps=5, step_size=0.25, clip_norm=gamma, rng=SHARED)
        assert found.event.guarantee == "proved"
        return bytes(found.path[0].tobytes())

    one, two = (np.frombuffer(in_child(lambda gamma=gamma: run(gamma))) for gamma in (50.0, 100.0))  # type: ignore[misc]
    silent = dpdescent.dp_gd(
        X, y, rho=1.0, steps=5, step_size=0.25, clip_norm=50.0, rng=SHARED, normals=np.zeros((5, 2))
    ).path[0]
    assert (abs(one - (two - one) - silent) > 1e-6).all()


def test_a_fork_that_python_did_not_see_has_no_guarantee(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = randomness.secure_generator()
    process = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: process + 1)
    assert not is_secret(rng)
    X = np.ones((50, 1))
    assert (
        dpdescent.dp_gd(X, X[:, 0], rho=1.0, steps=2, step_size=0.1, clip_norm=1.0, rng=rng).event.guarantee == "none"
    )


@pytest.mark.parametrize(
    "copied",
    [
        copy.deepcopy,
        lambda rng: pickle.loads(pickle.dumps(rng)),
        lambda rng: copy.deepcopy([rng, 1])[0],
        lambda rng: np.random.Generator(copy.copy(rng.bit_generator)),
        lambda rng: np.random.Generator(copy.deepcopy(rng.bit_generator)),
        lambda rng: np.random.Generator(pickle.loads(pickle.dumps(rng.bit_generator))),
        lambda rng: rng.spawn(1)[0],
        lambda rng: np.random.Generator(rng.bit_generator.spawn(1)[0]),
        lambda rng: copy.deepcopy(dpdescent.NoiseStream(dpdescent.identity(), 3, 1, rng)).rng,
    ],
)
def test_copies_have_keys_of_their_own(copied: Callable[[np.random.Generator], np.random.Generator]) -> None:
    rng = randomness.secure_generator()
    other, once_more = copied(rng), copied(rng)
    all_differ([of_argument(each) for each in (rng, other, once_more)])


def test_a_shallow_copy_goes_on_in_the_same_stream() -> None:
    rng = randomness.secure_generator()
    all_differ([of_argument(each) for each in (rng, copy.copy(rng), rng, copy.copy(rng))])


def test_a_pickle_has_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secret_bits.secrets, "token_bytes", lambda size: b"KEY!" * (size // 4))
    assert b"KEY!" not in pickle.dumps(randomness.secure_generator())


REFUSED: list[Callable[[Any], Any]] = [
    lambda bits: bits.state,
    lambda bits: setattr(bits, "state", {}),
    lambda bits: bits.seed(1),
    lambda bits: bits.jumped(),
    lambda bits: bits.jump(),
    lambda bits: bits.advance(-4),
    lambda bits: bits.cffi,
    lambda bits: bits.ctypes,
    lambda bits: bits.__init__(),
    lambda bits: bits.__setstate__({}),
    lambda bits: np.random.Generator(bits).__setstate__({"bit_generator": "ChaCha"}),
    lambda bits: bits.use_simd,
    # It would begin the stream of its SeedSequence, twice the same one.
    lambda bits: bits._seed_from_seq(),
    lambda bits: setattr(bits, "_sealed", False),
    lambda bits: setattr(bits, "__class__", ChaCha),
]


@pytest.mark.parametrize("back", REFUSED)
def test_the_stream_cannot_be_set_back(back: Callable[[Any], Any]) -> None:
    rng = randomness.secure_generator()
    before = drawn(rng)
    with pytest.raises(TypeError, match=r"of a secure generator is refused.*take another secure_generator") as raised:
        back(rng.bit_generator)
    assert "\n" not in str(raised.value)
    assert drawn(rng) != before
    assert is_secret(rng)


def test_nothing_is_open_that_is_not_known_to_be_safe() -> None:
    """Whatever the installed version of the cipher offers."""
    bits = SecretBits()
    for name in dir(ChaCha):
        if not name.startswith("__") and name not in ("capsule", "lock", "random_raw", "seed_seq", "spawn"):
            with pytest.raises(TypeError, match=repr(name)):
                getattr(bits, name)


@pytest.mark.parametrize("weak", [np.random.PCG64(3), ChaCha(key=3, rounds=20)], ids=["PCG64", "ChaCha"])
def test_a_secret_generator_that_is_made_anew_of_a_seed_has_no_mark(weak: Any) -> None:
    rng = randomness.secure_generator()
    rng.__init__(weak)  # type: ignore[misc]
    assert not is_secret(rng)
    assert not is_secret(type(rng)(weak))


def test_threads_take_different_parts_of_one_stream() -> None:
    rng, begin = randomness.secure_generator(), threading.Barrier(8)

    def work(_: int) -> list[bytes]:
        begin.wait()
        return [drawn(rng) for _ in range(400)]

    with ThreadPoolExecutor(8) as executor:
        found = [noise for part in executor.map(work, range(8)) for noise in part]
    assert len(set(found)) == 3200


@pytest.mark.parametrize("strategy", [dpdescent.identity(), dpdescent.nu_family(0.1)], ids=lambda s: str(s.name))
def test_a_stream_of_noise_does_not_go_on_in_a_child(strategy: Any) -> None:
    """Its next blocks would have noise of the parent's in them."""
    blocks = iter(dpdescent.NoiseStream(strategy, 6, 2, randomness.secure_generator(), block=2))
    next(blocks)

    def going_on() -> bytes:
        try:
            return bytes(next(blocks).tobytes())
        except RuntimeError as error:
            return str(error).encode()

    assert b"forked process" in in_child(going_on)
    assert next(blocks).shape == (2, 2)


def test_seeds_go_on_as_they_did_in_a_child() -> None:
    rng = np.random.default_rng(3)
    assert in_child(lambda: drawn(rng)) == drawn(rng)


def test_a_key_that_is_gone_is_not_looked_for() -> None:
    """A child gives keys to living generators only: the list of them keeps none alive."""
    rng = randomness.secure_generator()
    living = len(secret_bits._LIVING)
    del rng
    assert len(secret_bits._LIVING) == living - 1


def test_seeded_work_does_not_load_the_cipher() -> None:
    code = "import sys, dpdescent.randomness as r; r.stream(1, 'a'); assert 'randomgen' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
