"""Writes a small table to try `dpdescent estimate` on, instruments.csv, into the current folder.

It has 3,000 drawn records: two instruments, z1 and z2, a regressor, x, and an outcome, y. The effect of x on y is 2.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from dpdescent.commands import printing

TABLE = Path(__file__).with_name("instruments.csv")


def main(arguments: Sequence[str], name: str) -> None:
    """Runs the command.

    Raises:
        SystemExit: 2, with one line, if a file of that name with other content is there, or none can be written.
    """
    parser = argparse.ArgumentParser(
        prog=name, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args(arguments)
    target, content = Path(TABLE.name), TABLE.read_bytes()
    try:
        if target.exists() and target.read_bytes() != content:
            parser.exit(2, f"Error: {target} exists and is another file; change to an empty folder\n")
        target.write_bytes(content)
    except OSError as error:
        parser.exit(2, f"Error: {error}\n")
    printing.tell(f"{target}: columns z1, z2, x, y; `dpdescent estimate --help` ends with a command to try on it")
