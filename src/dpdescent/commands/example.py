"""Writes two small tables to try `dpdescent estimate` on, wages.csv and instruments.csv, into the current folder.

wages.csv has 5,000 drawn records: years of schooling (educ), age, whether female, and an hourly wage, which grows by
1.2 with a year of schooling and 0.1 with one of age, and is lower by 1.5 for women. instruments.csv has 3,000 drawn
records: two instruments, z1 and z2, a regressor, x, and an outcome, y. The effect of x on y is 2.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from dpdescent.commands import printing

TABLES = {"wages.csv": "columns educ, age, female, wage", "instruments.csv": "columns z1, z2, x, y"}


def main(arguments: Sequence[str], name: str) -> None:
    """Runs the command `dpdescent example`.

    Raises:
        SystemExit: 2, with one line, if a file of the same name has other content, or a file cannot be written.
    """
    parser = argparse.ArgumentParser(
        prog=name, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args(arguments)
    contents = {Path(table): Path(__file__).with_name(table).read_bytes() for table in TABLES}
    try:
        for target, content in contents.items():
            if target.exists() and target.read_bytes() != content:
                parser.exit(2, f"Error: {target} exists and is another file; change to an empty folder\n")
        for target, content in contents.items():
            target.write_bytes(content)
    except OSError as error:
        parser.exit(2, f"Error: {error}\n")
    lines = [f"{table}: {what}" for table, what in TABLES.items()]
    printing.tell("\n".join([*lines, "`dpdescent estimate --help` ends with commands to try on them"]))
