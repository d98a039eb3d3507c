"""Writes a table as Markdown and as LaTeX, ready to paste."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse

from dpdescent.replication.build import tables
from dpdescent.replication.build.files import atomic


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", required=True, help="CSV to read")
    parser.add_argument("--title", required=True, help="caption")
    parser.add_argument("--columns", nargs="*", default=[], help="columns to show; all of them by default")
    parser.add_argument("--markdown", required=True, help="Markdown to write")
    parser.add_argument("--latex", required=True, help="LaTeX to write")
    args = parser.parse_args()
    table = tables.read(args.table)
    shown = table[args.columns] if args.columns else table
    with atomic(args.markdown) as stream:
        stream.write(tables.as_markdown(shown, args.title))
    with atomic(args.latex) as stream:
        stream.write(tables.as_latex(shown, args.title))


if __name__ == "__main__":
    main()
