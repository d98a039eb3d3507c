"""Streams by name."""

import numpy as np
import pytest

from dpdescent.randomness import stream


def test_equal_names_give_equal_streams_and_others_do_not():
    draw = stream(7, "liang2025", "fig03", "trial", 3, "data").standard_normal(4)
    assert np.array_equal(draw, stream(7, "liang2025", "fig03", "trial", 3, "data").standard_normal(4))
    for other in [
        stream(8, "liang2025", "fig03", "trial", 3, "data"),
        stream(7, "liang2025", "fig03", "trial", 4, "data"),
        stream(7, "liang2025", "fig03", "trial", 3, "noise"),
        stream(7, "liang2025", "fig03", "trial3", "data"),
    ]:
        assert not np.array_equal(draw, other.standard_normal(4))


def test_names_are_not_run_together():
    assert stream(1, "a", 11).integers(2**60) != stream(1, "a1", 1).integers(2**60)


def test_the_stream_is_the_same_on_every_machine():
    """Numbers that another machine must draw too: PCG64 seeded by the hash of the name."""
    assert stream(20250922, "a", 1).integers(10**12) == 934_249_473_501


def test_what_cannot_be_named_is_refused():
    with pytest.raises(ValueError, match="needs a name"):
        stream(1)
    with pytest.raises(ValueError, match="seed=-1"):
        stream(-1, "a")
