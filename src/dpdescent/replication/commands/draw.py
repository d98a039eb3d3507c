"""Draws the figures of a scale from its tables, without training: a PNG beside each SVG, or the SVGs themselves.

A figure drawn here has the bytes of the one that a build draws, because both read the same table by the same code.
"""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import json
import pkgutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from dpdescent.commands import printing
from dpdescent.replication.build import store, tables
from dpdescent.replication.build.files import MANIFEST, atomic, listed
from dpdescent.replication.build.provenance import ON_REQUEST
from dpdescent.replication.commands import checkout
from dpdescent.replication.configuration import project, values
from dpdescent.replication.drawing import audit_figure, bench_figure, figures

# The figure of the benchmark, which belongs to no scale and is drawn with the papers' own scale.
BENCHMARK = Path("results/bench")


def main(arguments: Sequence[str], name: str) -> None:
    """Runs the command.

    Raises:
        SystemExit: with a line, if a figure that was asked for has no table; with 1, if it is to check and an SVG is
            not what is drawn.
    """
    parser = argparse.ArgumentParser(prog=name, description=__doc__)
    parser.add_argument("items", nargs="*", help="papers or figures: liang2025, liang2025/fig04, audit (default: all)")
    parser.add_argument("--scale", default="paper", help="scale whose tables are drawn (default: paper)")
    wanted = parser.add_mutually_exclusive_group()
    wanted.add_argument("--svg", action="store_true", help="write the SVGs in place of the PNGs")
    wanted.add_argument("--check", action="store_true", help="write nothing; end with 1 if an SVG is not what is drawn")
    args = parser.parse_args(arguments)
    checkout.require()
    try:
        drawings = _chosen(_drawings(args.scale), args.items, parser)
    except values.ConfigError as error:
        parser.error(str(error))
    different = []
    for number, (place, draw) in enumerate(drawings.items(), start=1):
        figure = draw()
        if args.check:
            different += [] if _is_drawn(figure, place.with_suffix(".svg")) else [place]
        else:
            figures.save(figure, place.with_suffix(".svg" if args.svg else ".png"))
        plt.close(figure)
        if number % 20 == 0:
            printing.tell(f"{number} of {len(drawings)} figures")
    if args.svg:
        _list(Path("results") / args.scale, [place.with_suffix(".svg") for place in drawings])
    for place in different:
        printing.tell(f"DIFFERS  {place}.svg: draw it anew: {name} --svg {_item(place)}")
    printing.tell(f"{len(drawings)} figures {'compared' if args.check else 'drawn'} from their tables")
    sys.exit(1 if different else 0)


def _drawings(scale: str) -> dict[Path, Callable[[], Figure]]:
    """The functions that draw the figures whose tables exist, by the path of a figure without its suffix."""
    whole = project.load({**values.read_yaml(Path("config/config.yaml")), "scale": scale, "papers": "all"}, Path())
    results, label = Path("results") / scale, project.figure_label(whole, Path())
    drawings: dict[Path, Callable[[], Figure]] = {}
    for artefact in [*whole.artefacts(), *whole.on_request()]:
        if not artefact.is_table:
            spec = json.loads(project.figure_json(whole, artefact, label))
            place = results / artefact.item
            drawings[place] = partial(_from_table, place, partial(_drawn, artefact.draw, spec))
    drawings[results / "audit"] = partial(_from_table, results / "audit", partial(audit_figure.draw, label=label))
    if scale == "paper":
        drawings[BENCHMARK] = partial(_from_table, BENCHMARK, bench_figure.draw)
    return {place: draw for place, draw in drawings.items() if place.with_suffix(".csv").is_file()}


def _list(results: Path, drawn: Sequence[Path]) -> None:
    """Writes the hashes of drawn figures into the manifests that list these figures."""
    for folder in (results, results / ON_REQUEST):
        if (manifest := folder / MANIFEST).is_file():
            lines = listed(manifest)
            names = {str(file.relative_to(folder)): file for file in drawn if file.is_relative_to(folder)}
            lines |= {name: store.digest(file) for name, file in names.items() if name in lines}
            with atomic(manifest) as stream:
                stream.writelines(f"{lines[name]}  {name}\n" for name in sorted(lines))


def _drawn(draw: str, spec: Mapping[str, Any], table: pd.DataFrame) -> Figure:
    return figures.drawn(pkgutil.resolve_name(draw), table, spec)


def _from_table(place: Path, draw: Callable[..., Figure]) -> Figure:
    return draw(tables.read(place.with_suffix(".csv")))


def _chosen(
    drawings: Mapping[Path, Callable[[], Figure]], items: Sequence[str], parser: argparse.ArgumentParser
) -> dict[Path, Callable[[], Figure]]:
    """The drawings of the named papers and figures; all where none is named."""
    for item in items:
        if not any(_belongs(place, item) for place in drawings):
            names = [_item(place) for place in drawings]
            parser.error(f"there is no table of a figure {item!r}{values.did_you_mean(item, names)}")
    return {
        place: draw for place, draw in drawings.items() if not items or any(_belongs(place, item) for item in items)
    }


def _belongs(place: Path, item: str) -> bool:
    return _item(place) == item or _item(place).removeprefix("on_request/").startswith(f"{item}/")


def _item(place: Path) -> str:
    """The name by which a figure is requested: its path in the results of a scale."""
    return place.name if place == BENCHMARK else "/".join(place.parts[2:])


def _is_drawn(figure: Figure, file: Path) -> bool:
    """Whether a file has the bytes of a figure."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / file.name
        figures.save(figure, copy)
        return file.is_file() and file.read_bytes() == copy.read_bytes()
