"""Curves of figures for the browser: what the drawn figures show, read off them, because their own code draws them."""

import json
import pkgutil
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

from dpdescent.replication.build import tables
from dpdescent.replication.drawing import figures, fitting, lines
from dpdescent.replication.report.content import View


def script(of_figures: dict[str, list[View]]) -> str:
    """JavaScript with the panels of a paper's figures by artefact, which a page that is opened from disk may load."""
    written = [
        f"{json.dumps(name)}: {json.dumps(panels, ensure_ascii=False, separators=(',', ':'))}"
        for name, panels in of_figures.items()
        if panels
    ]
    return "window.dpdescentCurves = {\n" + ",\n".join(written) + "\n};\n"


def panels(artefact: View, file: Path) -> list[dict[str, Any]]:
    """Panels with lines of a figure (see `drawing.lines`); none for an artefact that is a table, or has no rows.

    Args:
        artefact: data on it (see `report.about`): the function that draws it, and the values that this reads.
        file: its table.
    """
    if artefact["table"] or not len(table := tables.read(file)):
        return []
    figures.use_style()
    figure = pkgutil.resolve_name(artefact["draw"])(table, artefact["display"])
    for axes in figure.axes:
        fitting.name_scales(axes)
    found = lines.panels(figure)
    plt.close(figure)
    return found
