"""Draws one figure from one table, as PNG and SVG."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import importlib
import json

from dpdescent.replication.build import tables
from dpdescent.replication.drawing import figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spec", type=json.loads, required=True, help="JSON: names, title, place, display, label")
    parser.add_argument("--table", required=True, help="CSV to draw")
    parser.add_argument("--png", required=True, help="PNG to write")
    parser.add_argument("--svg", required=True, help="SVG to write")
    args = parser.parse_args()
    module = importlib.import_module(f"dpdescent.papers.{args.spec['paper']}.figures")
    figures.use_style()
    draw = getattr(module, f"draw_{args.spec['artefact']}")
    figure = draw(tables.read(args.table), args.spec["display"])
    figures.caption(figure, args.spec)
    figures.save(figure, args.png)
    figures.save(figure, args.svg)


if __name__ == "__main__":
    main()
