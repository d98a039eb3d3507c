"""Figure on private intervals and sets on real tables."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpdescent.papers.ours.iv_real import (
    CLASSICAL,
    CLASSICAL_SET,
    EMPTY,
    INTERVAL,
    RATIO,
    REFUSED,
    RESAMPLED,
    SET,
    TELLS,
)
from dpdescent.replication.drawing.figures import BLACK, BLUE, GREEN, GREY, legend_below, log_scale, panels, select
from dpdescent.replication.judging.statistics import half_widths

STYLES = {CLASSICAL: (BLACK, "D"), CLASSICAL_SET: (GREY, "^"), INTERVAL: (BLUE, "o"), SET: (GREEN, "s")}
LABELS = {
    CLASSICAL: "2SLS, not private", CLASSICAL_SET: "Anderson-Rubin, not private", INTERVAL: "DP-IV-GD",
    SET: "Anderson-Rubin, private",
}  # fmt: skip
NAMES = {
    "card": "Card",
    "angrist_evans_married": "Angrist and Evans",
    "angrist_evans_labsup": "Angrist and Evans, a subset",
}
NOMINAL, MOSTLY = 0.95, 0.5


def draw_iv_real(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws coverage and length on resampled tables, and how often the sign is told on the tables as they are."""
    main = select(table).sort_values(["F", "rho"], ascending=[False, True])
    keys = list(dict.fromkeys(zip(main["table"], main["rho"], strict=True)))
    places = {key: -float(rank) for rank, key in enumerate(keys)}
    figure, ((left, middle, right),) = panels(3, size=(3.9, 1.3 + 0.4 * len(places)), sharey=True)
    for offset, (series, (color, marker)) in enumerate(STYLES.items()):
        look = {"color": color, "marker": marker, "markersize": 4.5, "linestyle": "none"}
        for key, place in places.items():
            cell, y = main[(main["table"] == key[0]) & (main["rho"] == key[1])], place + 0.2 * (1.5 - offset)
            again, once = cell[cell["panel"] == RESAMPLED], cell[cell["panel"] != RESAMPLED]
            if _share(again, f"{series}: {REFUSED}") <= MOSTLY:
                _bar(left, again[again["series"] == series], y, {**look, "label": LABELS[series]})
            _bar(right, once[once["series"] == f"{series}: {TELLS}"], y, look)
            drawn = series != CLASSICAL and _share(again, f"{series}: {EMPTY}") <= MOSTLY
            for row in again[again["series"] == f"{series}: {RATIO}"].to_dict("records") if drawn else []:
                ends = [[row["median"] - row["median_low"]], [row["median_high"] - row["median"]]]
                middle.errorbar([row["median"]], [y], xerr=ends, **look)
    middle.set_xlim(0.7, None)
    left.axvline(NOMINAL, color=GREY, linestyle="--", linewidth=0.9)
    middle.axvline(1.0, color=GREY, linestyle="--", linewidth=0.9)
    F = main.drop_duplicates("table").set_index("table")["F"]
    names = [rf"{NAMES[name]}, $F = {F[name]:.0f}$, $\rho = {rho:g}$" for name, rho in keys]
    left.set_yticks(list(places.values()), names)
    left.set(xlabel="coverage of the table's own 2SLS", ylim=(-len(places) + 0.4, 0.6))
    log_scale(middle, "x")
    middle.set_xlabel("median half length over that of 2SLS")
    right.set(xlabel="share that tells the sign", xlim=(-0.03, 1.03))
    legend_below(figure, [left], 4)
    return figure


def _share(cell: pd.DataFrame, series: str) -> float:
    """Mean of a series of zeros and ones; 0 where it is not there."""
    found = cell[cell["series"] == series]["mean"]
    return float(found.iloc[0]) if len(found) else 0.0


def _bar(axes: Any, rows: pd.DataFrame, y: float, look: dict[str, Any]) -> None:
    """A point with its 95 % interval, if the series is there."""
    for row, half in zip(rows.to_dict("records"), half_widths(rows), strict=True):
        axes.errorbar([row["mean"]], [y], xerr=[[half], [half]], **look)
