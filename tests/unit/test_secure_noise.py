"""Noise from the operating system: the cipher as published, fresh keys, the right law."""

import secrets
import struct

import numpy as np
import pytest
from randomgen import ChaCha
from scipy import stats

from dpdescent import randomness

CONSTANTS = struct.unpack("<4I", b"expand 32-byte k")
QUARTERS = [(0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
            (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)]  # fmt: skip


def rotated(word: int, by: int) -> int:
    return (word << by | word >> (32 - by)) & 0xFFFFFFFF


def block(key: bytes, last: tuple[int, int, int, int]) -> bytes:
    """One block of the cipher, as RFC 8439 Sec. 2.3 has it; `last` is the counter and the nonce."""
    start = [*CONSTANTS, *struct.unpack("<8I", key), *last]
    state = list(start)
    for a, b, c, d in 10 * QUARTERS:
        for x, y, z, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            state[x] = (state[x] + state[y]) & 0xFFFFFFFF
            state[z] = rotated(state[z] ^ state[x], by)
    return struct.pack("<16I", *((one + two) & 0xFFFFFFFF for one, two in zip(state, start, strict=True)))


def test_twin_is_the_published_cipher() -> None:
    """RFC 8439 Sec. 2.3.2: key 00 to 1f, counter 1, nonce 000000090000004a00000000."""
    found = block(bytes(range(32)), (1, 0x09000000, 0x4A000000, 0))
    assert found[:16].hex() == "10f1e7e4d13b5915500fdd1fa32071c4"
    assert found[-16:].hex() == "b5129cd1de164eb9cbd083e8a2503c4e"


def test_bits_are_the_key_stream_of_what_the_system_gave(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    key = bytes(range(100, 132))
    monkeypatch.setattr(secrets, "token_bytes", lambda size: asked.append(size) or key)
    words = randomness.secure_generator().bit_generator.random_raw(24)
    stream = b"".join(block(key, (counter, 0, 0, 0)) for counter in range(3))
    assert words.astype("<u8").tobytes() == stream
    assert asked == [32]


def test_generators_differ_and_none_moves_the_global_one() -> None:
    before = np.random.get_state(legacy=False)["state"]["key"].copy()  # noqa: NPY002
    draws = [randomness.secure_generator().standard_normal(8) for _ in range(20)]
    assert len({draw.tobytes() for draw in draws}) == 20
    assert (np.random.get_state(legacy=False)["state"]["key"] == before).all()  # noqa: NPY002


def test_no_seed_beside_the_key_repeats_the_stream() -> None:
    """A `SeedSequence` hangs on every bit generator; this one's has no part in the bits."""
    bits = randomness.secure_generator().bit_generator
    again = ChaCha(bits.seed_seq, rounds=20)
    assert (again.random_raw(4) != bits.random_raw(4)).all()


def test_draws_are_standard_normal() -> None:
    """False alarms: one in a thousand million for each of the four."""
    draws = randomness.secure_generator().standard_normal((100_000, 2))
    assert stats.kstest(draws.ravel(), "norm").pvalue > 1e-9
    assert stats.chi2(draws.size).cdf((draws**2).sum()) == pytest.approx(0.5, abs=0.5 - 5e-10)
    between = np.sqrt(len(draws)) * np.corrcoef(draws.T)[0, 1]
    after = np.sqrt(draws.size) * np.corrcoef(draws.ravel()[1:], draws.ravel()[:-1])[0, 1]
    assert max(abs(between), abs(after)) < 6.1
