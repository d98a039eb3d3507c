"""Printing that cannot fail: what a command has written is there, whether or not anybody takes the words about it."""

import contextlib
import io
import os
import sys


def take_any_character() -> None:
    """Has both streams print what their encoding lacks (ö in ASCII) as Python writes it, instead of an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A stream that was made for another file than it has now may refuse; it is left as it is.
            with contextlib.suppress(OSError):
                stream.reconfigure(errors="backslashreplace")


def tell(text: str) -> None:
    """Prints what was written; where nobody takes it (a closed pipe, a full disk), the command has ended well still."""
    try:
        print(text, flush=True)
    except OSError:
        # Python would try once more at its end, and fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
