"""Figure on the intervals of `dp_regression` with public ends of the outcome and without."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpdescent.papers.ours.regression_ends import PLACE
from dpdescent.papers.ours.regression_figures import drawn


def draw_regression_ends(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws coverage and lengths with public ends and without, with a rule between panels."""
    return drawn(table, display, PLACE, (0.8, 40.0), ruled=True)
