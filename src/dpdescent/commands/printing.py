"""Printing that cannot fail: a command's files are written, whether or not anybody reads its words about them."""

import contextlib
import io
import os
import sys


def take_any_character() -> None:
    """Makes both streams print characters outside their encoding (ö in ASCII) as Python escapes, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A stream that now stands for another file may refuse; it then stays as it is.
            with contextlib.suppress(OSError):
                stream.reconfigure(errors="backslashreplace")


def tell(text: str) -> None:
    """Prints a text; if nobody can take it (a closed pipe, a full disk), the command still ends well."""
    try:
        print(text, flush=True)
    except OSError:
        # Python would try to print once more at its end, and fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
