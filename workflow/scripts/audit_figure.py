"""Draws what audits of the ledger attained beside what is claimed and accounted for, as SVG and PNG."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse

from dpdescent.replication.build import tables
from dpdescent.replication.drawing import audit_figure, figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", required=True, help="CSV of the audits")
    parser.add_argument("--label", default="", help="label of a scale that is not the papers' own")
    parser.add_argument("--svg", required=True, help="SVG to write")
    parser.add_argument("--png", required=True, help="PNG to write")
    args = parser.parse_args()
    figure = audit_figure.draw(tables.read(args.table), args.label)
    figures.save(figure, args.svg)
    figures.save(figure, args.png)


if __name__ == "__main__":
    main()
