"""Curves of figures for the browser: what the drawn figures show, read off them, because their own code draws them."""

import json
import pkgutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from dpdescent.replication.build import tables
from dpdescent.replication.drawing import figures, fitting, lines
from dpdescent.replication.report.content import View

# Marks that stand aside: the fewest of a curve that show it, the largest distance, and that within which factors agree.
FEWEST_ASIDE, FARTHEST, SAME = 2, 0.15, 1e-3


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
    for panel in found:
        for curve in panel["curves"]:
            places = [point[0] for point in curve["points"]]
            if panel["x"]["scale"] == "log" and (settings := _settings(places, table[artefact["keys"]])):
                curve["at"] = settings
    return found


def _settings(places: Sequence[float], table: pd.DataFrame) -> list[float]:
    """The settings to which marks belong that stand beside them, so that they hide none; empty for other marks."""
    if len(places) < FEWEST_ASIDE or min(places) <= 0:
        return []
    for name in table.select_dtypes("number"):
        values = np.array(sorted(value for value in set(table[name]) if value > 0))
        if not len(values):
            continue
        nearest = [float(values[np.abs(np.log(values / place)).argmin()]) for place in places]
        ratios = [place / value for place, value in zip(places, nearest, strict=True)]
        if max(abs(ratio - 1) for ratio in ratios) < SAME:
            return []
        if max(ratios) - min(ratios) < SAME and abs(ratios[0] - 1) < FARTHEST:
            return nearest
    return []
