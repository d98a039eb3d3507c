"""The drawing of Figure 4(a) on the digits, and the functions that all figures of accuracies share."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from dpdescent.papers.choquettechoo2023.styles import INTERVALS, color_of, in_order, label_of, look, points
from dpdescent.replication.drawing.figures import end_labels, legend_below, panels, plain_number, select, variants_of

BUDGET = r"privacy budget $\varepsilon$"
# Names of mechanisms by their short names in the published numbers.
SHORT = {"me": "ME", "dp_sgd": "DP-SGD, amplified"}
PERCENT, RESTARTS = ("mean", "se"), ", restarts"
NU_LABEL = r"$\nu$-DP-FTRL"
LEAD = f"accuracy of {NU_LABEL} minus this, points"
GAIN = "minus this, points"
EXCHANGED = "momentum exchanged"
# A variant at one epsilon with two mechanisms: claim digits-amplification has its number.
ONE_POINT = "more seeds at eps = 2"
# Mechanisms that the paper's figure does not have, and whose accuracy is far from that of all others.
FAR = ("DP-SGD", "non-private")
# An account of amplification beside the tight one.
LOOSE = "DP-SGD, amplified, Renyi"
OVER_FAR = "lead over unamplified DP-SGD and no privacy"
OVER_PLAIN = "lead over baselines without restarts"


def draw_fig04a(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the test accuracy on the digits, the lead of nu-DP-FTRL, that lead in every variant, and what tuning gains.

    These have the mechanisms of the paper's figure; others have panels of their own. DP-SGD without amplification and
    training without privacy, far from all others, have one to themselves, because they would stretch its axis.
    """
    names = [name for name in variants_of(table)[1:] if name not in (EXCHANGED, ONE_POINT)]
    momentum = _pairs(table, "own momentum minus this")
    better = f"the paper's momentum better in {(momentum['mean'] > 0).sum()} of {len(momentum)} cases"
    accuracy, ahead = in_percent(select(table))
    far = ahead["mechanism"].isin(FAR)
    drawn: list[tuple[str, str, pd.DataFrame]] = [
        ("8x8 digits, softmax regression", "test accuracy, %", in_paper(accuracy)),
        (f"lead of {NU_LABEL}", LEAD, in_paper(ahead)),
        (OVER_FAR, LEAD, ahead[far]),
        (OVER_PLAIN, LEAD, beside_paper(ahead[~far])),
        *((name, LEAD, in_paper(in_percent(select(table, name))[1])) for name in names),
        ("what restarts gain", f"with restarts {GAIN}", _pairs(select(table), "restarts minus this")),
        (better, "with it minus the other, points", momentum),
    ]
    columns = 2 if len(drawn) % 3 else 3
    figure, axes = panels(columns, -(-len(drawn) // columns), size=(5.2, 3.6), squeeze=False)
    for panel, (title, label, chosen) in zip(axes.flat, drawn, strict=False):
        accuracy_panel(panel, title, label, chosen)
    for panel in axes.ravel()[len(drawn) :]:
        panel.remove()
    legend_below(figure, axes[0, 1:2], 4, f"{INTERVALS} over seeds; differences are of runs with the same seed")
    return figure


def _pairs(table: pd.DataFrame, series: str) -> pd.DataFrame:
    """Returns differences of accuracy in runs of the same seed, in percentage points."""
    rows = table[table["series"] == series]
    return rows.assign(**{column: 100 * rows[column] for column in PERCENT})


def in_percent(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Returns accuracies, and the lead of nu-DP-FTRL over each mechanism, in percentage points."""
    rows = rows.assign(**{column: 100 * rows[column] for column in PERCENT})
    accuracy, ahead = (rows[rows["series"] == series] for series in ("test accuracy", "nu minus this"))
    return accuracy, ahead


def in_paper(rows: pd.DataFrame) -> pd.DataFrame:
    """Returns the rows of the mechanisms that the paper's figure has: with restarts, and DP-SGD with amplification."""
    return rows[~_beside(rows["mechanism"])]


def beside_paper(rows: pd.DataFrame) -> pd.DataFrame:
    """Returns the rows of the other mechanisms."""
    return rows[_beside(rows["mechanism"])]


def _beside(mechanisms: "pd.Series[str]") -> "pd.Series[bool]":
    restarted = {name.removesuffix(RESTARTS) for name in mechanisms if name.endswith(RESTARTS)}
    return mechanisms.isin({*FAR, LOOSE, *restarted})


def accuracy_panel(axes: Axes, title: str, label: str, rows: pd.DataFrame) -> None:
    """Draws accuracies or differences of accuracy on a linear axis; differences have a line at zero."""
    if label.endswith("points"):
        axes.axhline(0.0, color=color_of("nu-DP-FTRL"), linewidth=1.2)
    axes.set(title=title, ylabel=label)
    by_mechanism(axes, rows)


def by_mechanism(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws one curve for each mechanism, moved aside from the others, with its name at its end."""
    names, ends = in_order(rows["mechanism"]), []
    for rank, name in enumerate(names):
        own = rows[rows["mechanism"] == name].sort_values("eps")
        shifted = own.assign(eps=own["eps"] * 1.012 ** (rank - (len(names) - 1) / 2))
        # Restarts that were tuned to a single run are none.
        plain = name.removesuffix(RESTARTS) if set(own["copies"]) == {1.0} else name
        points(axes, shifted, "eps", **(look(plain) | {"elinewidth": 0.9, "linewidth": 1.1}))
        ends.append((float(own["mean"].iloc[-1]), mechanism_label(name, own), color_of(name)))
    grid_ticks(axes, sorted(set(rows["eps"])))
    axes.set_xlabel(BUDGET)
    end_labels(axes, ends, gap=0.042)


def grid_ticks(axes: Axes, values: Sequence[float]) -> None:
    """Sets a logarithmic axis with ticks at the grid's values only."""
    axes.set_xscale("log")
    if values:
        axes.xaxis.set_major_locator(FixedLocator(list(values)))
    axes.xaxis.set_major_formatter(FuncFormatter(plain_number))
    axes.xaxis.set_minor_locator(NullLocator())


def mechanism_label(name: str, rows: pd.DataFrame) -> str:
    """Returns a mechanism's name, with its number of restarts if all rows have the same."""
    copies = rows["copies"].dropna().unique()
    if name.endswith(RESTARTS) and len(copies) == 1:
        return restarted(name.removesuffix(RESTARTS), copies[0])
    return label_of(name)


def restarted(name: str, copies: float) -> str:
    """Returns a mechanism's name with its number of restarts, in the paper's notation."""
    return rf"{label_of(name)} $\times{copies:g}$"
